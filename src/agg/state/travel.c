/*
 * travel.c
 *		Plans and exact states on their way between the nodes of a cluster.
 *
 * Citus sends a query as text, in which a plan is a constant, and takes rows as text.  A node evaluates the
 * query with the rights of the role that sent it, so that a plan which somebody has got hold of reads
 * nothing that this somebody may not read, and yields cipher text.
 */
#include "postgres.h"

#include "access/transam.h"

#include "agg/state/groups.h"
#include "agg/state/travel.h"
#include "glue/citus.h"

/* The statement that this session sends, or NULL. */
static const DpsStatementNumber *sent = NULL;

/* That of the last plan that it has received. */
static DpsStatementNumber received;
static bool has_received = false;

const DpsStatementNumber *
dps_travel_enter(const DpsStatementNumber *statement)
{
	const DpsStatementNumber *before = sent;

	sent = statement;
	return before;
}

void
dps_travel_leave(const DpsStatementNumber *before)
{
	sent = before;
}

char *
dps_plan_sent(DpsTravellerKind kind, const struct varlena *plan)
{
	return sent == NULL ? NULL : dps_encrypt_value(kind, sent, plan);
}

struct varlena *
dps_plan_received(DpsTravellerKind kind, const char *text)
{
	struct varlena *plan;

	if (!dps_is_encrypted_value(text) || !dps_citus_is_present())
		return NULL;
	plan = dps_decrypt_value(kind, text, &received);
	has_received = true;
	return plan;
}

char *
dps_states_sent(DpsTravellerKind kind, const struct varlena *states)
{
	if (sent == NULL && !has_received)
		return NULL;
	return dps_encrypt_value(kind, sent != NULL ? sent : &received, states);
}

struct varlena *
dps_states_received(DpsTravellerKind kind, const char *text)
{
	DpsStatementNumber statement;
	struct varlena *states;

	if (sent == NULL || !dps_is_encrypted_value(text))
		return NULL;
	states = dps_decrypt_value(kind, text, &statement);
	if (memcmp(&statement, sent, sizeof(statement)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("exact sums that were received are of another statement")));
	return states;
}

/* ---- what means the same on another node ---- */

/* Types and collations that every server has by the same number. */
static bool
are_everywhere(Oid type, Oid collation)
{
	return type < FirstGenbkiObjectId && collation < FirstGenbkiObjectId;
}

static bool
can_cells_travel(const DpsCell *cells, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (!are_everywhere(cells[i].type, InvalidOid))
			return false;
	}
	return true;
}

bool
dps_summand_can_travel(const DpsSummandPlan *plan)
{
	DpsSummandParts parts;

	dps_summand_parts(plan, &parts);
	return can_cells_travel(parts.cells, plan->ncells);
}

bool
dps_groups_can_travel(const DpsGroupsPlan *plan)
{
	const char *at = (const char *) plan + MAXALIGN(sizeof(DpsGroupsPlan));
	int			i;

	if (dps_groups_are_parts(plan) || !are_everywhere(plan->bounds.type, plan->bounds.collation) ||
		!can_cells_travel((const DpsCell *) ((const char *) plan + plan->cells_at), plan->ncells))
		return false;
	for (i = 0; i < plan->nkeys; i++)
	{
		const DpsGroupKey *key = (const DpsGroupKey *) at;

		if (key->kind == DPS_KEY_REFERENCE || !are_everywhere(key->type, key->collation))
			return false;
		at += key->size;
	}
	return true;
}

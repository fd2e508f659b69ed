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
static DpsTravel *sent = NULL;

/* That of the last plan that it has received. */
static DpsStatementNumber received;
static bool has_received = false;

DpsTravel *
dps_travel_enter(DpsTravel *statement)
{
	DpsTravel  *before = sent;

	*statement = (DpsTravel) {.number = dps_draw_statement_number()};
	sent = statement;
	return before;
}

void
dps_travel_leave(DpsTravel *before)
{
	sent = before;
}

char *
dps_plan_sent(DpsTravellerKind kind, const struct varlena *plan)
{
	return sent == NULL ? NULL : dps_encrypt_value(kind, &sent->number, plan);
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

/* ---- states, and who sends them ---- */

/* Drawn once, and never 0. */
static uint64
own_number(void)
{
	static uint64 number = 0;

	while (number == 0)
	{
		if (!pg_strong_random(&number, sizeof(number)))
			elog(ERROR, "could not draw a random number");
	}
	return number;
}

char *
dps_states_sent(DpsTravellerKind kind, const struct varlena *states)
{
	uint64		sender = own_number();
	Size		length = VARSIZE_ANY_EXHDR(states);
	struct varlena *signed_states;
	char	   *text;

	if (sent == NULL && !has_received)
		return NULL;
	signed_states = palloc(VARHDRSZ + length + sizeof(sender));
	SET_VARSIZE(signed_states, VARHDRSZ + length + sizeof(sender));
	memcpy(VARDATA(signed_states), VARDATA_ANY(states), length);
	memcpy(VARDATA(signed_states) + length, &sender, sizeof(sender));
	text = dps_encrypt_value(kind, sent != NULL ? &sent->number : &received, signed_states);
	pfree(signed_states);
	return text;
}

/* Takes the sender off, who is noted. */
static void
note_sender(struct varlena *states)
{
	uint64		sender;

	if (VARSIZE(states) < VARHDRSZ + sizeof(sender))
		elog(ERROR, "exact sums that were received are too short");
	SET_VARSIZE(states, VARSIZE(states) - sizeof(sender));
	memcpy(&sender, (char *) states + VARSIZE(states), sizeof(sender));
	if (sent->values++ == 0)
		sent->sender = sender;
	else if (sent->sender != sender)
		sent->has_senders = true;
}

struct varlena *
dps_states_received(DpsTravellerKind kind, const char *text)
{
	DpsStatementNumber statement;
	struct varlena *states;

	if (sent == NULL || !dps_is_encrypted_value(text))
		return NULL;
	states = dps_decrypt_value(kind, text, &statement);
	if (memcmp(&statement, &sent->number, sizeof(statement)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("exact sums that were received are of another statement")));
	note_sender(states);
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

/*
 * statement_charge.c
 *		What the releases of a statement cost, and their charge.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapshot.h"

#include "agg/proof.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "guard/query/normalise.h"
#include "guard/restrict/asker.h"
#include "guard/run/statement_charge.h"
#include "ledger/budget/default_epsilon.h"
#include "ledger/cost.h"
#include "ledger/entity.h"
#include "moment/grid.h"

double
dps_real_sensitivity(const DpsRelease *release, const DpsMechanism *mechanism)
{
	if (mechanism->norm == 1 || release->l1 == release->l2)
		return release->sensitivity;
	return ldexp((double) release->l2, release->grid);
}

/* The grid in a charge.  A release from a tally has the grid of counts.  A choice from a tally, which
 * another mechanism than the requested one makes, has no unit; the history records DPS_COUNT_GRID for it. */
static int
item_grid(const DpsRelease *release, const DpsNoisePlan *plan, const DpsMechanism *asked)
{
	if (plan->box.n > 0)
		return release->grid + plan->box.bits;
	if (release->points == 0)
		return release->grid;
	return plan->mechanism != asked ? DPS_COUNT_GRID : release->count_grid;
}

static void
refuse_epsilon(const DpsMechanism *mechanism, double epsilon)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("epsilon %g is outside the range of mechanism %s for this aggregate", epsilon, mechanism->name),
			 errhint("Use a larger epsilon or another mechanism.")));
}

/* What can be done about it, and by whom: a default is the owner's to say. */
static int
hint_no_epsilon(const DpsRelease *release)
{
	const char *relation = get_rel_name(release->relation);
	bool		is_selection = dps_aggregates[release->aggregate] == &dps_aggregate_selection;
	const char *now = is_selection ? "Finding out which groups there are has a cost of its own: set dpsens.selection_epsilon or dpsens.epsilon, or "
		"declare the key's values with dpsens.set_values()" : "Give epsilon as the last argument of the aggregate, or set dpsens.epsilon";

	if (relation == NULL)
		return errhint("%s.", now);
	if (!dps_owns_relation(release->relation, GetUserId()))
		return errhint("%s. The owner of relation \"%s\" can name one for those who give none.", now, relation);
	return errhint("%s. As the owner you can name one for those who give none: dpsens.set_policy(%s, default_epsilon => ...).", now,
				   quote_literal_cstr(relation));
}

pg_noreturn static void
refuse_no_epsilon(const DpsRelease *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("no epsilon is given"),
			 hint_no_epsilon(release)));
}

void
dps_plan_charge(const DpsRelease *release, const DpsTerms *terms, double epsilon, DpsNoisePlan *plan)
{
	if (dps_release_plan_noise(release, terms->mechanism, epsilon, terms->delta, plan) != DPS_OK)
		refuse_epsilon(plan->mechanism, epsilon);
	/* with noise off, an answer that depends on private values costs everything */
	if (!dps_setting_noise)
		dps_noise_plan_silence(plan);
}

/* How far a column's change moves the coordinates of the plan; false if that is not known. */
static bool
column_moves(const DpsRelease *release, const DpsNoisePlan *plan, const DpsColumnChange *change, uint64 *moves)
{
	const DpsAggregate *aggregate = dps_aggregates[release->aggregate];

	memset(moves, 0, sizeof(uint64) * DPS_CHARGE_COORDINATES);
	return change->effect == DPS_COLUMN_NOTHING ||
		(aggregate->moves != NULL && (plan->mechanism == &dps_laplace || plan->mechanism == &dps_gaussian) &&
		 aggregate->moves(release, plan, change, moves));
}

/* Sets the columns of the relation whose change is known. */
static void
set_columns(const DpsRelease *release, const DpsNoisePlan *plan, Oid relation, DpsChargeItem *item)
{
	int			i;

	item->ncolumns = 0;
	item->columns = palloc0(sizeof(DpsColumnMoves) * Max(release->nchanges, 1));
	for (i = 0; i < release->nchanges; i++)
	{
		DpsColumnMoves *columns = &item->columns[item->ncolumns];
		char	   *name;

		if (release->changes[i].relation != relation || !column_moves(release, plan, &release->changes[i], columns->moves))
			continue;
		name = get_attname(relation, release->changes[i].column, true);
		if (name == NULL)
			continue;
		namestrcpy(&columns->column, name);
		item->ncolumns++;
	}
}

DpsChargeItem *
dps_charge_item(const DpsRelease *release, const DpsTerms *terms, const DpsNoisePlan *plan)
{
	const DpsMechanism *mechanism = plan->mechanism;
	DpsChargeItem *item = palloc0(sizeof(DpsChargeItem));
	int			i;

	StaticAssertStmt(DPS_CHARGE_COORDINATES == DPS_MAX_COORDINATES, "all of a plan must be charged");
	item->relation = release->relation;
	item->needs_budget = release->needs_budget != 0;
	strlcpy(item->mechanism, plan->silent ? DPS_NO_MECHANISM : dps_noise_plan_name(plan), sizeof(item->mechanism));
	strlcpy(item->adjacency, dps_adjacency_name(release->adjacency), sizeof(item->adjacency));
	item->epsilon = plan->asked;
	item->delta = mechanism->uses_delta ? plan->delta : 0;
	item->sensitivity = dps_real_sensitivity(release, mechanism);
	item->grid = item_grid(release, plan, terms->mechanism);
	item->ncoordinates = plan->ncoordinates;
	for (i = 0; i < plan->ncoordinates; i++)
	{
		item->sensitivities[i] = plan->coordinate[i].sensitivity;
		item->scales[i] = plan->coordinate[i].scale;
		item->joined[i] = plan->coordinate[i].joined;
	}
	item->loss = plan->loss;
	item->expression = dps_release_expression(release);
	/* a row's norms say nothing of noise in the steps of a box */
	item->contribution = plan->box.n > 0 ? NULL : dps_release_contribution(release);
	item->replacement = release->replacement;
	item->arms = release->arms;
	item->group_size = release->group_size;
	item->shown_units = plan->mechanism == &dps_partition && !plan->silent ? plan->partition.threshold + 1 : 0;
	item->labels = dps_unit_fingerprint(item->relation);
	set_columns(release, plan, release->relation, item);
	return item;
}

List *
dps_joined_items(const DpsRelease *release, const DpsNoisePlan *plan, const DpsChargeItem *item)
{
	List	   *items = NIL;
	int			i;

	for (i = 0; i < release->njoined; i++)
	{
		DpsChargeItem *copy;

		if (!release->joined[i].pays)
			continue;
		copy = palloc(sizeof(DpsChargeItem));
		*copy = *item;
		copy->relation = release->joined[i].relation;
		copy->needs_budget = release->joined[i].needs_budget;
		copy->contribution = NULL;
		copy->labels = dps_unit_fingerprint(copy->relation);
		set_columns(release, plan, copy->relation, copy);
		items = lappend(items, copy);
	}
	return items;
}

double
dps_unnamed_epsilon(const DpsRelease *release, Oid role)
{
	List	   *relations = list_make1_oid(release->relation);
	double		epsilon;
	int			i;

	for (i = 0; i < release->njoined; i++)
	{
		if (release->joined[i].pays)
			relations = lappend_oid(relations, release->joined[i].relation);
	}
	epsilon = dps_default_epsilon(relations, role);
	if (epsilon == 0)
		refuse_no_epsilon(release);
	return epsilon;
}

/* The oldest transaction whose changes the statement may not see although it commits. */
static uint64
oldest_change(const QueryDesc *query)
{
	FullTransactionId next = ReadNextFullTransactionId();
	TransactionId oldest = query->snapshot != NULL ? query->snapshot->xmin : FirstNormalTransactionId;

	/* the snapshot's xmin is within 2^31 of the next transaction, so the difference modulo 2^32 is exact */
	return U64FromFullTransactionId(next) - (uint32) (XidFromFullTransactionId(next) - oldest);
}

static DpsCharge
compose_charge(const QueryDesc *query, List *items, const DpsCatalogs *catalogs, bool settles)
{
	DpsCharge	charge = {
		.role = dps_asker_role(query->estate), .query = dps_statement_text(query->sourceText, query->plannedstmt->stmt_location, query->plannedstmt->stmt_len), .oldest_change = oldest_change(query),
		.of_statement = true, .settles = settles, .catalogs = *catalogs
	};
	ListCell   *cell;

	charge.items = palloc0(list_length(items) * sizeof(DpsChargeItem));
	foreach(cell, items)
		charge.items[charge.nitems++] = *(DpsChargeItem *) lfirst(cell);
	return charge;
}

int64
dps_charge_statement(const QueryDesc *query, List *items, const DpsCatalogs *catalogs)
{
	DpsCharge	charge = compose_charge(query, items, catalogs, false);

	return dps_ledger_charge(&charge);
}

StringInfoData
dps_draft_charge(const QueryDesc *query, List *items, const DpsCatalogs *catalogs)
{
	DpsCharge	charge = compose_charge(query, items, catalogs, true);

	return dps_ledger_draft(&charge);
}

/*
 * partition_selection.c
 *		Which groups of undeclared keys are shown, and the sum of the others.
 *
 * Precondition: the groups that pass are those that have rows, each once, and
 * `size` is the number of units that have rows in it that count.  Between
 * neighbours the sizes of at most m groups differ, each by 1, where m is
 * unit_groups: add_remove, a unit's rows come or go, in at most so many groups
 * (guard/trace/unit_rows.c drops the others); replace and attribute, they may go from as
 * many groups to as many others, and the guard has counted both (guard/release/undeclared_groups.c).  Units that
 * are protected together (group_size) are so many such steps, one after the other.
 *
 * Postcondition: the set of the groups that are shown is (epsilon, delta)-DP.
 *
 * Argument: noise/partition.c keeps each group by a draw on its own size, m groups
 * sharing epsilon and delta; the proof is there (truncated geometric noise:
 * Desfontaines, Voss, Gipson and Mandayam 2022).  Here the noisy sizes are not
 * even released.  A group without rows is never kept, so it makes no difference
 * that it does not pass.
 *
 * What is released of the groups that are shown may depend on which they are, by
 * adaptive composition (account/accountant/compose.c; for zCDP with its delta, Bun and Steinke
 * 2016, section 8).  Given these, the answers are those of a release over
 * all conceivable groups, of which the others are not looked at; so the
 * sensitivity is that of the vector of all groups, as for declared keys.
 *
 * The rest.  If it is asked for, one more group holds the rows of all groups that
 * are not shown.  For fixed groups that is a sum over parts of the vector: the
 * 1-norm of what a unit changes does not grow, and its 2-norm is at most the
 * number of its rows (guard/release/undeclared_groups.c plans for that).  A row that goes from one of
 * these groups to another changes its value in the rest, which is less than a
 * move.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/memutils.h"

#include "agg/family.h"
#include "agg/proof.h"
#include "agg/state/row_batch.h"
#include "glue/version.h"
#include "noise/partition.h"

DPS_SQL_FUNCTION(dps_release_group);
DPS_SQL_FUNCTION(dps_exact_merge);
DPS_SQL_FUNCTION(dps_exact_merged);

/* ---- planning ---- */

static DpsStatus
selection_derive(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsRowChange change = dps_row_change(facts);

	(void) summand;
	DPS_TRY(dps_check_row(facts, why));
	release->grid = 0;
	if (facts->adjacency == DPS_ADD_REMOVE || change.toggles || change.moves)
	{
		release->sensitivity = facts->unit_groups;
		release->l1 = release->l2 = facts->unit_groups;
	}
	return DPS_OK;
}

/* From which sizes on groups are shown, for people. */
static const char *
describe(const DpsPartition *partition)
{
	return psprintf("a group of " INT64_FORMAT " units is shown with probability 1/2 or more, of " INT64_FORMAT
					" always, of one with %.3g", partition->threshold + 1, 2 * partition->threshold + 1,
					dps_partition_probability(partition, 1));
}

static DpsStatus
selection_plan(const DpsRelease *release, DpsNoisePlan *plan)
{
	return dps_noise_plan_partition(plan, release->l1, release->group_size);
}

static void
selection_explain(const DpsRelease *release, const DpsNoisePlan *plan, double rows, DpsExplanation *explanation)
{
	(void) release;
	(void) rows;
	explanation->scale = (double) plan->partition.den / (double) plan->partition.num;
	explanation->note = describe(&plan->partition);
}

const DpsAggregate dps_aggregate_selection = {
	.name = "GROUP BY",
	.result_type = BOOLOID,
	.release_function = "release_group",
	.sums_rows = true,
	.argument = DPS_GROUP_ARGUMENT,
	.derive = selection_derive,
	.plan = selection_plan,
	.explain = selection_explain,
};

/* ---- drawing ---- */

/* How a statement selects its groups. */
typedef struct Selection
{
	const void *constant;		/* the argument that was decoded */
	const DpsRelease *release;
} Selection;

static Selection *
prepare(FunctionCallInfo fcinfo)
{
	Selection  *selection = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Selection));
	const DpsRelease *release = dps_release_argument(fcinfo);

	if (dps_aggregates[release->aggregate] != &dps_aggregate_selection)
		elog(ERROR, "invalid release");
	selection->constant = PG_GETARG_POINTER(0);
	selection->release = release;
	fcinfo->flinfo->fn_extra = selection;
	return selection;
}

/* Called at the first group. */
static void
warn_of_silence(const DpsDraw *draw)
{
	if (!dps_release_is_public(draw->release) && draw->plan->silent)
		ereport(WARNING,
				(errmsg("all groups are shown: dpsens.noise is off")));
}

static bool
is_shown(const DpsDraw *draw, int64 size)
{
	bool		keep = size > 0;
	int64_t		noised;

	if (dps_is_exact(draw))
		return keep || dps_release_is_public(draw->release);
	if (dps_partition_draw(draw->random, &draw->plan->partition, size > 0 ? (uint64) size : 0, &keep, &noised) != DPS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random noise")));
	return keep;
}

/*
 * release_group(dpsens_internal.plan, size int8, number int8): true for a
 * group that is shown, else NULL.  One row without a size is no group: a pass
 * begins with the first number, and that row makes sure that there is one, even
 * without groups.
 */
Datum
dps_release_group(PG_FUNCTION_ARGS)
{
	Selection  *selection = fcinfo->flinfo->fn_extra;
	DpsReceipt *receipt = dps_release_receipt();
	DpsDraw		draw;
	int64		number;

	if (selection == NULL || PG_ARGISNULL(0) || selection->constant != PG_GETARG_POINTER(0))
		selection = prepare(fcinfo);
	if (PG_ARGISNULL(2))
		elog(ERROR, "a group without a number");
	number = PG_GETARG_INT64(2);
	draw = (DpsDraw) {selection->release, dps_receipt_pass(receipt, selection->release, number), &receipt->random};
	if (number == 1)
		warn_of_silence(&draw);
	if (PG_ARGISNULL(1) || !is_shown(&draw, PG_GETARG_INT64(1)))
		PG_RETURN_NULL();
	dps_receipt_grant(receipt, selection->release->selection);
	PG_RETURN_BOOL(true);
}

/* ---- the rest ---- */

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (AggCheckCallContext(fcinfo, &context) == 0)
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

/* exact_merge's transition: (internal, dpsens_internal.state).  Called in a window whose only
 * frame is all rows. */
Datum
dps_exact_merge(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	DpsExactState *into = PG_ARGISNULL(0) ? NULL : (DpsExactState *) PG_GETARG_POINTER(0);
	const DpsState *state;
	DpsExactState *from;

	if (PG_ARGISNULL(1))
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	state = (const DpsState *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	dps_state_check(state);
	if (into == NULL)
		PG_RETURN_POINTER(dps_exact_state_thaw(context, state));
	from = dps_exact_state_thaw(CurrentMemoryContext, state);
	dps_exact_state_add(into, from);
	PG_RETURN_POINTER(into);
}

/* exact_merge's final function: NULL for no states. */
Datum
dps_exact_merged(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(dps_exact_state_freeze((DpsExactState *) PG_GETARG_POINTER(0)));
}

/*
 * individual.c
 *		The individual filter: units whose own loss would exceed the cap are left out of
 *		an answer.
 *
 * Precondition: the releases of this statement are in the history, the last of
 * them with number r; the history up to r is complete, since numbers are given
 * in the order of commits.  Let L_r(x) be the sum of a unit's losses by all
 * releases up to r, those of this statement included, whether or not it took
 * part in them.  The unit counts iff L_r(x) <= cap.
 *
 * Claim (Feldman and Zrnic 2021): the losses of the releases that a unit took
 * part in add up to at most the cap, against any neighbour that differs in this
 * unit, however the queries were chosen.
 *
 * Proof.  L_r(x) depends on the unit's own rows and on public history only, and
 * grows with r.  So the unit takes part in the releases up to some number and in
 * none after it.  add_remove: it loses s by a release that it takes part in and
 * nothing by another; the sum is L at the last one that it took part in.
 * replace, attribute: let the neighbour's unit take part up to a later number.
 * As long as both do, the release moves by at most the smaller of their losses;
 * after that only the neighbour's does, and it moves from what it adds to 0,
 * which its loss covers (meter.c: 0 is always among what it is compared with).
 * So the sum is at most the neighbour's, which is within its cap.  That is why
 * history after r must not count though it may be visible already: then the
 * releases that a unit takes part in would not be the first ones.
 *
 * Feldman and Zrnic charge nothing, under add_remove, for a release that a unit was left out of, and let
 * the unit take part again in a cheaper one.  Here such a release counts.  The reason: no record says which
 * units took part; it is computed again from history and rows, and a loss can only be bounded from above.
 * For example a column that was renamed since is charged in full, sums are rounded up by more as the
 * history grows, and a cap may have been another one then.  The sum of all losses grows with each of these
 * errors, so an overstated loss leaves out too many units.  By the rule of Feldman and Zrnic an overstated
 * loss could turn a release that a unit took part in into one that cost it nothing, and the unit would
 * exceed its cap.  The sum of all losses also needs only the sums of each distinct query, not the order of
 * the releases.  With one cap throughout, the units that take part are those that the rule of Feldman and
 * Zrnic has never left out so far (filter.c, when dropping for good).
 *
 * Units of several rows have accounts under add_remove alone.  L_r(x) is of all rows of the unit, found before any of them
 * counts (ledger/rows/spent_units.c), and they are left out together: by a condition on each row, below the limits of
 * units, so that what counts of a unit is what would of its rows alone, or nothing, and of another unit the same either way.  Whichever rows
 * of it counted, L_r(x) is no less than what was lost by them (ledger/rows/unit_tally.c), also when rows have come or gone since
 * (ledger/rows/sql_freeze.c).  So the claim holds as for one row: it asks that L_r(x) is no less than what the unit lost by the releases
 * up to r, and that nothing else decides who is left out but the unit's own rows and public history.  Under replace, what another
 * unit in its place loses would have to be bounded, too, by rows that may come and go otherwise.
 *
 * Under replace and attribute private values decide whether a row is left out, so the releases are planned
 * as those of a private selection (release_plan.c).  Whether the filter is on is the same for all rows, and
 * public.
 *
 * Training is possible under add_remove only, and there L_r(x) may fall: a run counts as its whole charge
 * until it is finished, then as what it cost the unit (model/train/row_losses.c).  Under add_remove the claim
 * asks no more than that L_r(x) is never less than what the unit lost by the releases up to r, since it loses
 * nothing by those that it is left out of.  Under another adjacency a run counts as its whole charge for good.
 *
 * A cap on susceptibility (PLIS) leaves out more rows, under add_remove alone: a unit counts iff, moreover,
 * P_r(x) <= cap, where P_r(x) is the sum of the norms of its row's PLIS by the releases up to r since the row
 * was last changed.  Which releases it takes part in still follows from its own row and public history, and
 * what is lost by them is still within L_r(x) of the last one of them.  P_r(x) decides nothing else, so it
 * needs no bound on its rounding, and may fall when a row is changed.
 *
 * Postcondition: a row that is left out cannot be distinguished from a row that does not exist, by an
 * error, a count or a plan.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "account/filter.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "guard/release/individual.h"
#include "guard/trace/expand.h"
#include "ledger/rows/frozen.h"
#include "ledger/rows/row_accounts.h"
#include "ledger/rows/row_history.h"
#include "ledger/rows/spent_units.h"
#include "ledger/rows/unit.h"

DPS_SQL_FUNCTION(dps_exact_includes);

/* What a receipt holds for one relation. */
typedef struct DpsRowFilter
{
	struct DpsRowFilter *next;
	Oid			row_type;
	bool		includes_all;	/* no row can have exceeded the cap */
	DpsUnitAccounts accounts;
	DpsSpentUnits *spent;		/* of units of several rows; NULL: each row is measured when it is read */
} DpsRowFilter;

Node *
dps_individual_condition(DpsProtectedSource *source, Node *plan)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), RECORDOID};
	Expr	   *row = dps_expose_row(source);

	return (Node *) makeFuncExpr(dps_internal_function("exact_includes", 2, argtypes), BOOLOID, list_make2(plan, row),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Raises an error if the relation has row accounting now: the query was planned without it. */
static void
check_without_accounts(Oid relation)
{
	DpsRowCaps	caps;

	if (dps_row_caps(relation, &caps))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the budget of relation \"%s\" has changed while the query was planned",
						get_rel_name(relation)),
				 errhint("Run the query again.")));
}

/* What rows are left out by follows from the history up to the statement's own releases, and these have not
 * come back from the primary when the standby would compute. */
static void
refuse_on_standby(Oid relation)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a standby does not answer about relation \"%s\", whose rows have accounts of their own",
						get_rel_name(relation)),
				 errdetail("Which rows count depends on what this statement is charged, and that is recorded on the primary."),
				 errhint("Ask the primary.")));
}

void
dps_individual_check(const List *releases)
{
	ListCell   *cell;
	int			i;

	foreach(cell, releases)
	{
		const DpsRelease *release = lfirst(cell);

		if (release->individual)
		{
			refuse_on_standby(release->relation);
			dps_refuse_uncommitted_rows(release->relation);
		}
		else
			check_without_accounts(release->relation);
		for (i = 0; i < release->njoined; i++)
			check_without_accounts(release->joined[i].relation);
	}
}

static bool
fits(const DpsRowCaps *caps, const DpsUnitLoss *loss)
{
	if (loss->susceptibility > caps->susceptibility)
		return false;
	if (caps->epsilon != DPS_AMOUNT_UNBOUNDED)
		return dps_amount_fits(caps->epsilon, 0, loss->epsilon);
	return dps_amount_fits(caps->rho, 0, loss->rho);
}

static DpsRowFilter *
make_filter(Oid relation, const DpsRowCaps *caps, int64 last_release, Snapshot snapshot)
{
	DpsRowFilter  *filter = palloc0(sizeof(DpsRowFilter));
	DpsUnitAccounts *accounts = &filter->accounts;
	DpsUnitLoss most;

	filter->row_type = get_rel_type_id(relation);
	accounts->relation = relation;
	accounts->caps = *caps;
	accounts->history = dps_row_history_load(relation, last_release, caps->susceptibility < INFINITY, CurrentMemoryContext);
	accounts->key = dps_unit_key(relation);
	accounts->frozen = dps_frozen_load(relation);
	most = dps_row_history_most(accounts->history);
	filter->includes_all = accounts->frozen->n == 0 && caps->susceptibility == INFINITY && fits(caps, &most);
	if (!filter->includes_all && dps_row_history_has_units(accounts->history))
		filter->spent = dps_spent_units_find(accounts, snapshot, fits);
	return filter;
}

void
dps_individual_begin(DpsReceipt *receipt, const List *releases, int64 last_release)
{
	EState	   *estate = receipt->estate;
	MemoryContext previous = MemoryContextSwitchTo(estate->es_query_cxt);
	List	   *done = NIL;
	ListCell   *cell;

	foreach(cell, releases)
	{
		const DpsRelease *release = lfirst(cell);
		DpsRowCaps	caps;
		DpsRowFilter  *filter;

		if (!release->individual || list_member_oid(done, release->relation))
			continue;
		done = lappend_oid(done, release->relation);
		if (!dps_row_caps(release->relation, &caps))
			continue;
		filter = make_filter(release->relation, &caps, last_release, estate->es_snapshot);
		filter->next = receipt->row_filters;
		receipt->row_filters = filter;
	}
	MemoryContextSwitchTo(previous);
}

/* The row in the slot. */
static bool
includes_row(const DpsRowFilter *filter, TupleTableSlot *slot)
{
	const DpsUnitAccounts *accounts = &filter->accounts;
	const DpsFrozenUnit *frozen = NULL;
	DpsUnitLoss loss;

	if (filter->spent != NULL && !dps_unit_is_null(accounts->key, slot))
		return !dps_spent_units_have(filter->spent, dps_unit_text(accounts->key, slot));
	if (accounts->frozen->n > 0 && accounts->key != NULL)
		frozen = dps_frozen_find(accounts->frozen, dps_unit_text(accounts->key, slot));
	dps_row_history_measure(accounts->history, slot, frozen != NULL ? &frozen->loss : NULL, &loss);
	return fits(&accounts->caps, &loss);
}

static bool
includes(const DpsRowFilter *filter, HeapTupleHeader row)
{
	TupleTableSlot *slot = dps_row_history_slot(filter->accounts.history);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	bool		included;

	if (filter->includes_all)
		return true;
	ItemPointerSetInvalid(&tuple.t_self);
	ExecStoreHeapTuple(&tuple, slot, false);
	included = includes_row(filter, slot);
	ExecClearTuple(slot);
	return included;
}

/*
 * exact_includes(plan, record): only the rewriting can make a plan, so no user can call this, during an
 * answer, for rows of their own.
 */
Datum
dps_exact_includes(PG_FUNCTION_ARGS)
{
	DpsReceipt *receipt = IsParallelWorker() ? NULL : dps_receipt_current();
	HeapTupleHeader row;
	DpsRowFilter  *filter;

	if (receipt == NULL)
		dps_refuse_direct_call("exact_includes");
	row = PG_GETARG_HEAPTUPLEHEADER(1);
	for (filter = receipt->row_filters; filter != NULL; filter = filter->next)
	{
		if (filter->row_type == HeapTupleHeaderGetTypeId(row))
			PG_RETURN_BOOL(includes(filter, row));
	}
	/* row accounting was switched off since the query was planned */
	PG_RETURN_BOOL(true);
}

/*
 * sql_freeze.c
 *		dpsens_internal.freeze_loss: the trigger that records the loss of a unit when
 *		its row changes.
 *
 * Before a row is changed or removed, its loss by all releases so far is written into the ledger.  From
 * then on the new row counts, or none.  A unit that is inserted later is entered with no loss, so that it
 * does not pay for earlier releases, unless it may have had a row in a former table of this name.
 *
 * Of a unit of several rows the same is done before any of its rows changes, or another one is added, also one that was
 * another unit's, by all rows that it has then (rows_of_unit.c), once in a transaction and for all releases that there were:
 *
 * Claim.  Let F be what is frozen for the unit by releases up to number n and changes up to transaction T.  What the unit
 * lost by all releases up to r is at most F's loss, with all later ones that may not have seen T paid in full, and
 * by others after n the loss of the rows that the unit has now.
 *
 * Proof, by induction over transactions that changed rows of the unit.  Each holds the unit's entry from before its
 * first change to its end (dps_frozen_claim), so they come one after the other, and each reads what the one before wrote, and the
 * rows as that one left them.  A release after n that has certainly seen T has read the rows that T left, or some of
 * them and rows that came later; rows that were replaced or removed after T were so by a later transaction T', whose entry then is
 * the one that is read, and no release that did not see T' counts by rows that it left: it was measured when T' froze, with the
 * rows before T', or has an oldest_change that is not above T'.  A row that joins the unit, new or from another one, comes
 * by such a transaction, too: otherwise who asks with a snapshot of before it would measure the unit without the row, and
 * pay nothing for answers that have read it since.  A transaction that froze once and changes
 * more has nothing to add for releases up to n: it has read the rows before all of its changes, and has shown none of
 * them to anybody.  Releases after n while it runs cannot have seen it, and are paid in full.  If it has a lower number than the
 * one before, which it waited for, it was running all that time: a release that did not see that one did not see
 * it either, and has an oldest_change that is not above its number.
 *
 * Releases that are charged while this transaction runs, or that have an old snapshot, may still read the
 * old row.  Their oldest_change is not above this transaction's number.  They are paid in full
 * (row_history.c).  So the number must be taken before the history is read.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "glue/version.h"
#include "fmgr.h"
#include "utils/rel.h"

#include "glue/label/annotation.h"
#include "ledger/rows/frozen.h"
#include "ledger/keep.h"
#include "ledger/ledger.h"
#include "ledger/rows/row_history.h"
#include "ledger/statement.h"
#include "ledger/rows/unit.h"
#include "ledger/rows/rows_of_unit.h"

DPS_SQL_FUNCTION(dps_freeze_loss);

/* The state of the trigger in fn_extra; the trigger is looked up again for each statement. */
typedef struct Freezer
{
	uint64		transaction;
	DpsAccountKey *key;
	TupleTableSlot *slot;
	DpsRowHistory *history;		/* NULL until it is first used */
	int64		last;			/* number of the last release */
	bool		has_units;		/* a unit can have several rows */
	TupleTableSlot *other;		/* for those */
} Freezer;

static void
refuse_truncate(const TriggerData *trigger)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot truncate relation \"%s\": its rows have accounts of their own",
					RelationGetRelationName(trigger->tg_relation)),
			 errhint("Use DELETE, which keeps what they have lost, or switch row accounting off with dpsens.set_budget().")));
}

static Freezer *
find_freezer(FunctionCallInfo fcinfo, Relation relation)
{
	Freezer    *freezer = fcinfo->flinfo->fn_extra;
	DpsRelationAnnotation annotation;
	MemoryContext previous;

	if (freezer != NULL)
		return freezer;
	previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	freezer = palloc0(sizeof(Freezer));
	freezer->transaction = U64FromFullTransactionId(GetTopFullTransactionId());
	freezer->key = dps_unit_key(RelationGetRelid(relation));
	freezer->last = dps_row_history_number(RelationGetRelid(relation));
	freezer->slot = MakeSingleTupleTableSlot(CreateTupleDescCopyConstr(RelationGetDescr(relation)), &TTSOpsHeapTuple);
	dps_get_relation_annotation(RelationGetRelid(relation), &annotation);
	freezer->has_units = dps_unit_has_rows(&annotation);
	if (freezer->has_units)
		freezer->other = MakeSingleTupleTableSlot(freezer->slot->tts_tupleDescriptor, &TTSOpsHeapTuple);
	MemoryContextSwitchTo(previous);
	if (freezer->key == NULL)
		elog(ERROR, "relation %u has no units", RelationGetRelid(relation));
	fcinfo->flinfo->fn_extra = freezer;
	return freezer;
}

static DpsRowHistory *
load_history(FunctionCallInfo fcinfo, Freezer *freezer, Oid relation)
{
	if (freezer->history == NULL)
		freezer->history = dps_row_history_load(relation, freezer->last, false, fcinfo->flinfo->fn_mcxt);
	return freezer->history;
}

/* The loss of the row in the slot. */
static void
measure(FunctionCallInfo fcinfo, Freezer *freezer, Oid relation, const DpsFrozenLoss *frozen, DpsUnitLoss *lost)
{
	dps_row_history_measure(load_history(fcinfo, freezer, relation), freezer->slot, frozen, lost);
}

/* ---- units of several rows ---- */

static void
add_row(void *history, TupleTableSlot *row)
{
	dps_row_history_add_row(history, row);
}

/* The loss of all rows of the unit of the row in the slot; NULL: nothing was frozen.  A unit without rows may have had some in a
 * former table. */
static void
measure_unit(FunctionCallInfo fcinfo, Freezer *freezer, Relation relation, const DpsFrozenLoss *frozen, DpsUnitLoss *lost)
{
	DpsRowHistory *history = load_history(fcinfo, freezer, RelationGetRelid(relation));

	dps_row_history_begin_unit(history);
	dps_rows_of_unit(relation, freezer->slot, freezer->other, add_row, history);
	dps_row_history_end_unit(history, frozen, lost);
}

/* Has this transaction frozen the unit's loss by all releases that count here? */
static bool
is_frozen(const Freezer *freezer, bool known, const DpsFrozenLoss *frozen)
{
	return known && frozen->changed_by == freezer->transaction && frozen->release >= freezer->last;
}

static void
freeze_unit(FunctionCallInfo fcinfo, Freezer *freezer, const TriggerData *trigger, HeapTuple row)
{
	Oid			relation = RelationGetRelid(trigger->tg_relation);
	DpsFrozenLoss frozen = {0};
	DpsUnitLoss lost = {0};
	DpsElevation saved;
	char	   *unit;
	bool		known;

	ExecStoreHeapTuple(row, freezer->slot, false);
	unit = dps_unit_text(freezer->key, freezer->slot);
	SPI_connect();
	saved = dps_elevate();
	known = dps_frozen_read(relation, unit, &frozen);
	if (!is_frozen(freezer, known, &frozen))
	{
		known = dps_frozen_claim(relation, unit, freezer->transaction, &frozen);
		dps_descend(saved);
		measure_unit(fcinfo, freezer, trigger->tg_relation, known ? &frozen : NULL, &lost);
		frozen.epsilon = lost.epsilon;
		frozen.rho = lost.rho;
		frozen.release = known && frozen.release > freezer->last ? frozen.release : freezer->last;
		frozen.changed_by = freezer->transaction;
		saved = dps_elevate();
		dps_frozen_write(relation, unit, &frozen);
	}
	dps_descend(saved);
	ExecClearTuple(freezer->slot);
	SPI_finish();
}

/* A row without a unit has counted in no answer: while there could be one, there are none (row_accounts.c). */
static bool
has_unit(Freezer *freezer, HeapTuple row)
{
	bool		has;

	ExecStoreHeapTuple(row, freezer->slot, false);
	has = !dps_unit_is_null(freezer->key, freezer->slot);
	ExecClearTuple(freezer->slot);
	return has;
}

static char *
unit_of(Freezer *freezer, HeapTuple row)
{
	char	   *unit;

	ExecStoreHeapTuple(row, freezer->slot, false);
	unit = dps_unit_text(freezer->key, freezer->slot);
	ExecClearTuple(freezer->slot);
	return unit;
}

/* Did the row that was updated join another unit?  It is asked of what was stored: other triggers may have named the unit. */
static bool
joins_unit(Freezer *freezer, const TriggerData *trigger)
{
	if (!has_unit(freezer, trigger->tg_trigtuple))
		return true;
	return strcmp(unit_of(freezer, trigger->tg_trigtuple), unit_of(freezer, trigger->tg_newtuple)) != 0;
}

/* Before an update the unit that the row has, and after it the one that the row has come to. */
static void
freeze_units(FunctionCallInfo fcinfo, Freezer *freezer, const TriggerData *trigger)
{
	bool		after_update = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) && TRIGGER_FIRED_AFTER(trigger->tg_event);
	HeapTuple	row = after_update ? trigger->tg_newtuple : trigger->tg_trigtuple;

	if (has_unit(freezer, row) && (!after_update || joins_unit(freezer, trigger)))
		freeze_unit(fcinfo, freezer, trigger, row);
}

/* ---- units of one row ---- */

static void
freeze(FunctionCallInfo fcinfo, Freezer *freezer, const TriggerData *trigger)
{
	Oid			relation = RelationGetRelid(trigger->tg_relation);
	bool		begins = TRIGGER_FIRED_BY_INSERT(trigger->tg_event);
	DpsFrozenLoss frozen = {0};
	DpsUnitLoss lost = {0};
	DpsElevation saved;
	char	   *unit;
	bool		known;

	/* measuring may call functions of types, which must not run as the ledger's owner */
	ExecStoreHeapTuple(trigger->tg_trigtuple, freezer->slot, false);
	unit = dps_unit_text(freezer->key, freezer->slot);
	SPI_connect();
	saved = dps_elevate();
	known = dps_frozen_read(relation, unit, &frozen);
	dps_descend(saved);
	if (begins && !known)
		lost = dps_row_history_full(load_history(fcinfo, freezer, relation));
	else if (!begins)
		measure(fcinfo, freezer, relation, known ? &frozen : NULL, &lost);
	ExecClearTuple(freezer->slot);
	if (!known || !begins)
	{
		frozen.epsilon = lost.epsilon;
		frozen.rho = lost.rho;
		frozen.release = freezer->last;
		frozen.changed_by = freezer->transaction;
		saved = dps_elevate();
		dps_frozen_write(relation, unit, &frozen);
		dps_descend(saved);
	}
	SPI_finish();
}

/* freeze_loss() */
Datum
dps_freeze_loss(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Freezer    *freezer;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager", "freeze_loss")));
	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
		refuse_truncate(trigger);
	dps_ledger_rows_changed();
	freezer = find_freezer(fcinfo, trigger->tg_relation);
	if (freezer->has_units)
		freeze_units(fcinfo, freezer, trigger);
	else if (!TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) || TRIGGER_FIRED_BEFORE(trigger->tg_event))
		freeze(fcinfo, freezer, trigger);
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		return PointerGetDatum(trigger->tg_newtuple);
	return PointerGetDatum(trigger->tg_trigtuple);
}

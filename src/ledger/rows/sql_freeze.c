/*
 * sql_freeze.c
 *		dpsens_internal.freeze_loss: the trigger that records the loss of a unit when
 *		its row changes.
 *
 * Before a row is changed or removed, its loss by all releases so far is written into the ledger.  From
 * then on the new row counts, or none.  A unit that is inserted later is entered with no loss, so that it
 * does not pay for earlier releases, unless it may have had a row in a former table of this name.
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

#include "ledger/rows/frozen.h"
#include "ledger/keep.h"
#include "ledger/ledger.h"
#include "ledger/rows/row_history.h"
#include "ledger/statement.h"
#include "ledger/rows/unit.h"

DPS_SQL_FUNCTION(dps_freeze_loss);

/* The state of the trigger in fn_extra; the trigger is looked up again for each statement. */
typedef struct Freezer
{
	uint64		transaction;
	DpsAccountKey *key;
	TupleTableSlot *slot;
	DpsRowHistory *history;		/* NULL until it is first used */
	int64		last;			/* number of the last release */
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
	MemoryContext previous;

	if (freezer != NULL)
		return freezer;
	previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	freezer = palloc0(sizeof(Freezer));
	freezer->transaction = U64FromFullTransactionId(GetTopFullTransactionId());
	freezer->key = dps_unit_key(RelationGetRelid(relation));
	freezer->last = dps_row_history_number(RelationGetRelid(relation));
	freezer->slot = MakeSingleTupleTableSlot(CreateTupleDescCopyConstr(RelationGetDescr(relation)), &TTSOpsHeapTuple);
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
	freeze(fcinfo, freezer, trigger);
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		return PointerGetDatum(trigger->tg_newtuple);
	return PointerGetDatum(trigger->tg_trigtuple);
}

/*
 * run_losses.c
 *		The accounts of rows in a run of training: what they hold when it begins or is
 *		resumed, and what is stored of it.
 *
 * The charge of a run, in the history before its first step, is what every unit is taken
 * to have lost by it until it is finished (row_history.c).  The losses of the steps are
 * part of the transactions that commit the steps, so they are durable before any of their
 * results is seen, and forgotten only with them.  A run that fails or is given up leaves
 * the whole charge to all units: somebody may have seen its steps.
 *
 * A unit takes part if it had a row when the run began and its row, as this session reads
 * it, is the last one that is committed:
 *
 * - One that was entered after the run's release owes nothing for it (sql_freeze.c), so it
 *   is left out when the run is resumed.
 * - A row that is changed while the run goes on is read as it was until the run is
 *   resumed.  What its unit lost was frozen with the whole charge of the run, or will be
 *   charged that for changes that the run has not seen.  That is at least what the old row
 *   and the new one lose together, since no step reads both.
 * - If a later row is committed already, releases may have read that one, whose loss would
 *   be measured by this one.  The unit is left out.
 *
 * All of this depends on the unit's own rows and on public history.
 */
#include "postgres.h"

#include <math.h>

#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "ledger/rows/frozen.h"
#include "ledger/rows/row_accounts.h"
#include "ledger/rows/row_history.h"
#include "ledger/rows/training_loss.h"
#include "ledger/rows/unit.h"
#include "model/train/run_charge.h"
#include "model/train/run_losses.h"

static void
refuse_accounts(const DpsTrainingRun *run, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("models cannot be trained so on relation \"%s\", whose rows have accounts of their own",
					get_rel_name(run->relation)),
			 errdetail("%s", detail),
			 errhint("%s", hint)));
}

bool
dps_run_check_accounts(const DpsTrainingRun *run)
{
	DpsRowCaps	caps;

	if (!run->annotation.is_protected || !dps_row_caps(run->relation, &caps))
		return false;
	dps_refuse_uncommitted_rows(run->relation);
	if (run->annotation.adjacency != DPS_ADD_REMOVE)
		refuse_accounts(run, "What a row loses by its gradient is bounded for a row that is added or removed.",
						"Protect the relation with adjacency add_remove, or switch row accounting off with dpsens.set_budget().");
	if (caps.rho == DPS_AMOUNT_UNBOUNDED)
		refuse_accounts(run, "They are capped by row_epsilon, and Gaussian noise has no pure epsilon.",
						"Cap them by row_rho with dpsens.set_budget().");
	if (run->training.is_sampled)
		refuse_accounts(run, "What a row loses by secret samples holds but for a delta, of which its account knows nothing.",
						"Leave out sampling_rate.");
	if (run->source.query != NULL)
		refuse_accounts(run, "Which row an example of a query is made of is not recorded.",
						"Leave out query, and name columns of the relation.");
	return true;
}

/* Has the snapshot seen the change that froze this loss? */
static bool
has_seen(Snapshot snapshot, uint64 oldest_change, const DpsFrozenLoss *frozen)
{
	return frozen->changed_by < oldest_change || !XidInMVCCSnapshot((TransactionId) frozen->changed_by, snapshot);
}

/* Measures what the units of the rows lost by earlier releases.  Slots are read as in the trigger that
 * freezes losses. */
static void
measure_rows(const DpsTrainingRun *run, DpsRowLosses *losses, const DpsRowCaps *caps, Relation relation, Snapshot snapshot)
{
	DpsRowHistory *history = dps_row_history_load(run->relation, run->release - 1, caps->susceptibility < INFINITY, CurrentMemoryContext);
	DpsAccountKey *key = dps_unit_key(run->relation);
	DpsFrozenUnits *frozen = dps_frozen_load(run->relation);
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	uint64		oldest_change = dps_oldest_change(snapshot);
	int64		i;

	for (i = 0; i < losses->n; i++)
	{
		DpsTrainingLoss *loss = &losses->losses[i];
		const DpsFrozenUnit *unit;
		DpsUnitLoss lost;

		CHECK_FOR_INTERRUPTS();
		if (!table_tuple_fetch_row_version(relation, &run->rows.places[i], snapshot, slot))
			elog(ERROR, "a row of relation %u is gone", run->relation);
		loss->unit = dps_unit_text(key, slot);
		unit = dps_frozen_find(frozen, loss->unit);
		dps_row_history_measure(history, slot, unit != NULL ? &unit->loss : NULL, &lost);
		losses->before[i] = lost.rho;
		loss->left_out = (unit != NULL && !has_seen(snapshot, oldest_change, &unit->loss)) || lost.susceptibility > caps->susceptibility;
		ExecClearTuple(slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	dps_row_history_free(history);
}

static DpsRowLosses *
make_losses(const DpsTrainingRun *run, Relation relation, Snapshot snapshot, const DpsRowCaps *caps)
{
	const DpsExampleRows *rows = &run->rows;
	DpsRowLosses *losses = palloc0(sizeof(DpsRowLosses));
	Size		n = Max(rows->n, 1);
	int64		i;

	losses->cap = caps->rho;
	losses->n = rows->n;
	losses->before = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DpsAmount) * n);
	losses->losses = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(DpsTrainingLoss) * n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	losses->units = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int64) * n);
	for (i = 0; i < rows->n; i++)
	{
		if (rows->examples[i] >= 0)
			losses->units[rows->examples[i]] = i;
	}
	measure_rows(run, losses, caps, relation, snapshot);
	return losses;
}

static void
refuse_changed(const DpsTrainingRun *run)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("row accounting of relation \"%s\" was switched on or off since the training began",
					get_rel_name(run->relation)),
			 errhint("Begin another run with dpsens.train.")));
}

/* The caps of the rows as committed now, if the run began with row accounts. */
static void
find_caps(const DpsTrainingRun *run, DpsRowCaps *caps)
{
	if (dps_run_check_accounts(run) != run->has_accounts)
		refuse_changed(run);
	if (run->has_accounts && (!dps_row_caps(run->relation, caps) || caps->rho == DPS_AMOUNT_UNBOUNDED))
		refuse_changed(run);
}

void
dps_run_begin_losses(DpsTrainingRun *run, Relation relation, Snapshot snapshot)
{
	DpsRowCaps	caps;

	find_caps(run, &caps);
	if (run->has_accounts)
		run->training.losses = make_losses(run, relation, snapshot, &caps);
}

/* The columns that name units, by which losses are stored. */
static char *
unit_columns(const DpsTrainingRun *run)
{
	return dps_unit_key_columns(run->relation, dps_unit_key(run->relation));
}

/* Is what was stored found by the same columns? */
static void
check_unit(const DpsTrainingRun *run)
{
	if (strcmp(dps_training_unit(run->release), unit_columns(run)) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the columns that name a unit of relation \"%s\" have changed since the training began",
					get_rel_name(run->relation)),
			 errhint("Begin another run with dpsens.train.")));
}

/* Continues with what the units that were entered have lost; all others are left out. */
static void
take_over(DpsRowLosses *losses, const DpsTrainingLosses *stored)
{
	int64		i;

	for (i = 0; i < losses->n; i++)
	{
		DpsTrainingLoss *loss = &losses->losses[i];
		int64		k = dps_training_losses_find(stored, loss->unit);

		if (k == stored->n)
		{
			loss->left_out = true;
			continue;
		}
		loss->rho = stored->losses[k].rho;
		loss->left_out = loss->left_out || stored->losses[k].left_out;
	}
}

void
dps_run_resume_losses(DpsTrainingRun *run, Relation relation, Snapshot snapshot)
{
	dps_run_begin_losses(run, relation, snapshot);
	if (!run->has_accounts)
		return;
	check_unit(run);
	take_over(run->training.losses, dps_training_losses_load(&run->release, 1));
}

void
dps_run_enter_losses(const DpsTrainingRun *run)
{
	const DpsRowLosses *losses = run->training.losses;

	if (losses == NULL)
		return;
	dps_training_begin_accounts(run->release, unit_columns(run));
	dps_training_losses_insert(run->release, losses->losses, losses->n);
}

void
dps_run_store_losses(const DpsTrainingRun *run, bool is_over)
{
	const DpsRowLosses *losses = run->training.losses;

	if (losses == NULL)
		return;
	if (run->checkpoint > 0)
		dps_training_losses_update(run->release, losses->losses, losses->n);
	else
		dps_run_enter_losses(run);
	if (is_over)
		dps_training_finish_accounts(run->release);
}

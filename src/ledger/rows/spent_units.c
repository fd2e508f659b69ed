/*
 * spent_units.c
 *		Which units of several rows are left out of an answer.
 *
 * What a unit has lost follows from all its rows together, so they are read before any of them counts: once for an
 * answer, by the snapshot that the answer reads by, and from the table itself, since no policy of rows, no condition and no right of
 * whoever asks changes what a unit has lost.
 *
 * Rows without a unit are not among them: each is a unit by itself.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "ledger/rows/spent_units.h"
#include "ledger/rows/unit_sort.h"

struct DpsSpentUnits
{
	int			n;
	int			room;
	char	  **units;			/* in the order of strcmp */
};

static void
add(DpsSpentUnits *spent, const char *unit)
{
	if (spent->n == spent->room)
	{
		spent->room *= 2;
		spent->units = repalloc_huge(spent->units, sizeof(char *) * spent->room);
	}
	spent->units[spent->n++] = pstrdup(unit);
}

static void
sort_rows(DpsUnitSort *sort, DpsAccountKey *key, Relation table, Snapshot snapshot)
{
	TupleTableSlot *slot = table_slot_create(table, NULL);
	TableScanDesc scan = table_beginscan(table, snapshot, 0, NULL);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		if (!dps_unit_is_null(key, slot))
			dps_unit_sort_put(sort, slot);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	dps_unit_sort_perform(sort);
}

/* The loss of the unit that the sort has come to. */
static void
measure(const DpsUnitAccounts *accounts, DpsUnitSort *sort, const char *unit, DpsUnitLoss *loss)
{
	const DpsFrozenUnit *frozen = dps_frozen_find(accounts->frozen, unit);
	TupleTableSlot *row;

	dps_row_history_begin_unit(accounts->history);
	while ((row = dps_unit_sort_next_row(sort)) != NULL)
		dps_row_history_add_row(accounts->history, row);
	dps_row_history_end_unit(accounts->history, frozen != NULL ? &frozen->loss : NULL, loss);
}

DpsSpentUnits *
dps_spent_units_find(const DpsUnitAccounts *accounts, Snapshot snapshot, DpsLossFits fits)
{
	DpsSpentUnits *spent = palloc0(sizeof(DpsSpentUnits));
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens unit", ALLOCSET_DEFAULT_SIZES);
	Relation	table = table_open(accounts->relation, AccessShareLock);
	DpsUnitSort *sort = dps_unit_sort_begin(RelationGetDescr(table), accounts->key);
	const char *unit;

	spent->room = 16;
	spent->units = palloc(sizeof(char *) * spent->room);
	sort_rows(sort, accounts->key, table, snapshot);
	while ((unit = dps_unit_sort_next_unit(sort)) != NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(memory);
		DpsUnitLoss loss;

		measure(accounts, sort, unit, &loss);
		MemoryContextSwitchTo(previous);
		MemoryContextReset(memory);
		if (!fits(&accounts->caps, &loss))
			add(spent, unit);
	}
	dps_unit_sort_end(sort);
	table_close(table, NoLock);
	MemoryContextDelete(memory);
	return spent;
}

/* A text, and a place in the list. */
static int
compare_units(const void *unit, const void *listed)
{
	return strcmp(unit, *(char *const *) listed);
}

bool
dps_spent_units_have(const DpsSpentUnits *spent, const char *unit)
{
	return bsearch(unit, spent->units, spent->n, sizeof(char *), compare_units) != NULL;
}

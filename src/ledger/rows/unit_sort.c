/*
 * unit_sort.c
 *		The rows of a relation, unit by unit.
 *
 * Rows are sorted by the text of their unit, compared by its bytes, so that no type's operators run; with
 * keys of which equal ones have one text (unit.h) the rows of a unit come together.  The sort takes
 * work_mem, and then files.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "ledger/rows/unit_sort.h"

struct DpsUnitSort
{
	DpsAccountKey *key;
	Tuplesortstate *state;
	MemoryContext texts;		/* for the text of a row that is put */
	TupleTableSlot *given;		/* unit and columns, as they are put */
	TupleTableSlot *read;		/* the same, as they come back */
	TupleTableSlot *row;		/* the columns alone */
	bool		waiting;		/* the row that was read was not handed on yet */
	bool		ended;			/* there are no more */
	char	   *unit;
};

/* The text of the unit, and behind it the columns. */
static TupleDesc
sorted_descriptor(TupleDesc descriptor)
{
	TupleDesc	sorted = CreateTemplateTupleDesc(descriptor->natts + 1);
	int			i;

	TupleDescInitEntry(sorted, 1, "unit", TEXTOID, -1, 0);
	TupleDescInitEntryCollation(sorted, 1, C_COLLATION_OID);
	for (i = 1; i <= descriptor->natts; i++)
		TupleDescCopyEntry(sorted, i + 1, descriptor, i);
	return sorted;
}

DpsUnitSort *
dps_unit_sort_begin(TupleDesc descriptor, DpsAccountKey *key)
{
	DpsUnitSort *sort = palloc0(sizeof(DpsUnitSort));
	TupleDesc	sorted = sorted_descriptor(descriptor);
	AttrNumber	column = 1;
	Oid			less = TextLessOperator;
	Oid			collation = C_COLLATION_OID;
	bool		nulls_first = false;

	sort->key = key;
	sort->texts = AllocSetContextCreate(CurrentMemoryContext, "dpsens units", ALLOCSET_SMALL_SIZES);
	sort->given = MakeSingleTupleTableSlot(sorted, &TTSOpsVirtual);
	sort->read = MakeSingleTupleTableSlot(sorted, &TTSOpsMinimalTuple);
	sort->row = MakeSingleTupleTableSlot(CreateTupleDescCopy(descriptor), &TTSOpsVirtual);
	sort->state = tuplesort_begin_heap(sorted, 1, &column, &less, &collation, &nulls_first, work_mem, NULL, TUPLESORT_NONE);
	return sort;
}

void
dps_unit_sort_put(DpsUnitSort *sort, TupleTableSlot *row)
{
	int			n = row->tts_tupleDescriptor->natts;
	MemoryContext previous;

	slot_getallattrs(row);
	ExecClearTuple(sort->given);
	previous = MemoryContextSwitchTo(sort->texts);
	sort->given->tts_values[0] = CStringGetTextDatum(dps_unit_text(sort->key, row));
	MemoryContextSwitchTo(previous);
	sort->given->tts_isnull[0] = false;
	memcpy(sort->given->tts_values + 1, row->tts_values, sizeof(Datum) * n);
	memcpy(sort->given->tts_isnull + 1, row->tts_isnull, sizeof(bool) * n);
	ExecStoreVirtualTuple(sort->given);
	tuplesort_puttupleslot(sort->state, sort->given);
	ExecClearTuple(sort->given);
	MemoryContextReset(sort->texts);
}

static void
read_next(DpsUnitSort *sort)
{
	CHECK_FOR_INTERRUPTS();
	ExecClearTuple(sort->row);
	sort->waiting = !sort->ended && tuplesort_gettupleslot(sort->state, true, false, sort->read, NULL);
	sort->ended = !sort->waiting;
	if (sort->waiting)
		slot_getallattrs(sort->read);
}

void
dps_unit_sort_perform(DpsUnitSort *sort)
{
	tuplesort_performsort(sort->state);
	read_next(sort);
}

const char *
dps_unit_sort_next_unit(DpsUnitSort *sort)
{
	while (sort->unit != NULL && dps_unit_sort_next_row(sort) != NULL)
		continue;
	if (sort->unit != NULL)
		pfree(sort->unit);
	sort->unit = sort->waiting ? TextDatumGetCString(sort->read->tts_values[0]) : NULL;
	return sort->unit;
}

static bool
is_of_unit(const DpsUnitSort *sort)
{
	text	   *unit = DatumGetTextPP(sort->read->tts_values[0]);
	Size		length = VARSIZE_ANY_EXHDR(unit);

	return strlen(sort->unit) == length && memcmp(sort->unit, VARDATA_ANY(unit), length) == 0;
}

TupleTableSlot *
dps_unit_sort_next_row(DpsUnitSort *sort)
{
	int			n = sort->row->tts_tupleDescriptor->natts;

	if (!sort->waiting)
		read_next(sort);
	if (!sort->waiting || !is_of_unit(sort))
		return NULL;
	sort->waiting = false;
	ExecClearTuple(sort->row);
	memcpy(sort->row->tts_values, sort->read->tts_values + 1, sizeof(Datum) * n);
	memcpy(sort->row->tts_isnull, sort->read->tts_isnull + 1, sizeof(bool) * n);
	return ExecStoreVirtualTuple(sort->row);
}

void
dps_unit_sort_end(DpsUnitSort *sort)
{
	ExecDropSingleTupleTableSlot(sort->given);
	ExecDropSingleTupleTableSlot(sort->read);
	ExecDropSingleTupleTableSlot(sort->row);
	tuplesort_end(sort->state);
	MemoryContextDelete(sort->texts);
}

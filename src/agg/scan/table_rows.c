/*
 * table_rows.c
 *		The rows of a table on their way into batches.
 *
 * Columns that lie at the same place in every row without NULLs are read
 * there, those of all such rows of a page one column after the other.  In other
 * rows they are looked for, from the last such place on.  Rows where there is
 * something to evaluate beside the groups' program, and those that are older than a
 * column, go through a slot.
 *
 * Nothing here raises because of what a cell holds; a condition does what it
 * does in any scan.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "executor/executor.h"
#include "utils/rel.h"

#include "agg/scan/table_rows.h"

/* So many rows are between asking for memory and using it. */
#define ROWS_AHEAD 16

/* ---- one row ---- */

static inline Datum
fixed_cell(const DpsTableColumn *column, const char *cells)
{
	return fetch_att(cells + column->offset, column->byval, column->length);
}

/* False if no referenced row has this key: then the row is not in the join. */
static inline bool
look_up_unit(const DpsTableSums *sums, Datum *unit, bool *no_unit)
{
	return !*no_unit &&
		dps_unit_map_find(sums->looked_up, dps_key_integer(*unit, sums->unit.length), unit, no_unit);
}

/* The number of the row's group, or -1. */
static inline int64
find_fixed_group(const DpsTableSums *sums, const char *cells)
{
	const DpsGroupSums *groups = &sums->groups;
	int64		group = 0;
	int			i;

	for (i = 0; i < groups->plan->nkeys; i++)
	{
		int32		key = dps_key_map_find(&groups->maps[i], fixed_cell(&sums->keys[i], cells));

		if (key < 0)
			return -1;
		group = group * groups->maps[i].nkeys + key;
	}
	return group;
}

static inline void
add_fixed_row(DpsTableSums *sums, const char *cells)
{
	DpsGroupSums  *groups = &sums->groups;
	Datum		unit = (Datum) 0;
	bool		no_unit = groups->units == NULL;
	int64		group;
	int			i;

	if (!no_unit)
		unit = fixed_cell(&sums->unit, cells);
	if (sums->looked_up != NULL && !look_up_unit(sums, &unit, &no_unit))
		return;
	group = find_fixed_group(sums, cells);
	if (group < 0)
		return;
	for (i = 0; i < groups->plan->ncells; i++)
		groups->columns[i][groups->nrows] = dps_read_cell(sums->cells[i].type, fixed_cell(&sums->cells[i], cells));
	dps_groups_end_unit_row(groups, (uint32) group, unit, no_unit);
}

/* The columns of a row that are wanted, by their numbers less 1. */
typedef struct Row
{
	const Datum *values;
	const bool *isnull;
} Row;

/* Reads the columns as the server does, but none before the first that is wanted. */
static Row
read_columns(DpsTableSums *sums, HeapTupleHeader header)
{
	const bits8 *nulls = (header->t_infomask & HEAP_HASNULL) != 0 ? header->t_bits : NULL;
	const TupleDesc table = RelationGetDescr(sums->table);
	const char *cells = (const char *) header + header->t_hoff;
	uint32		offset = nulls != NULL ? 0 : sums->from_offset;
	int			i;

	for (i = nulls != NULL ? 0 : sums->from - 1; i < sums->last; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(table, i);

		sums->isnull[i] = nulls != NULL && att_isnull(i, nulls);
		if (sums->isnull[i])
			continue;
		offset = att_align_pointer(offset, attribute->attalign, attribute->attlen, cells + offset);
		if (i + 1 >= sums->first)
			sums->values[i] = fetchatt(attribute, cells + offset);
		offset = att_addlength_pointer(offset, attribute->attlen, cells + offset);
	}
	return (Row) {sums->values, sums->isnull};
}

static Datum
row_cell(const DpsTableColumn *column, const Row *row, ExprContext *context, bool *isnull)
{
	if (column->expression != NULL)
		return ExecEvalExpr(column->expression, context, isnull);
	*isnull = row->isnull[column->number - 1];
	return row->values[column->number - 1];
}

/* Is the condition true?  As in a WHERE, NULL is not. */
static bool
is_true(ExprState *condition, ExprContext *context)
{
	bool		isnull;

	return condition == NULL || (DatumGetBool(ExecEvalExpr(condition, context, &isnull)) && !isnull);
}

/* The number of the row's group, or -1. */
static int64
find_group(const DpsTableSums *sums, const Row *row, ExprContext *context)
{
	const DpsGroupSums *groups = &sums->groups;
	int64		group = 0;
	bool		isnull;
	int			i;

	for (i = 0; i < groups->plan->nkeys; i++)
	{
		Datum		value = row_cell(&sums->keys[i], row, context, &isnull);
		int32		key = isnull ? -1 : dps_key_map_find(&groups->maps[i], value);

		if (key < 0)
			return -1;
		group = group * groups->maps[i].nkeys + key;
	}
	return group;
}

static void
add_columns(DpsTableSums *sums, const Row *row, ExprContext *context)
{
	DpsGroupSums  *groups = &sums->groups;
	int64		group = find_group(sums, row, context);
	Datum		unit = (Datum) 0;
	bool		no_unit = true;
	int			i;

	if (group < 0)
		return;
	if (groups->units != NULL)
		unit = row_cell(&sums->unit, row, context, &no_unit);
	if (sums->looked_up != NULL && !look_up_unit(sums, &unit, &no_unit))
		return;
	for (i = 0; i < groups->plan->ncells; i++)
	{
		bool		isnull;
		Datum		cell = row_cell(&sums->cells[i], row, context, &isnull);

		groups->columns[i][groups->nrows] = isnull ? NAN : dps_read_cell(sums->cells[i].type, cell);
	}
	for (i = 0; i < groups->plan->nfilters; i++)
		groups->filters[i][groups->nrows] = is_true(sums->filters[i], context);
	dps_groups_end_unit_row(groups, (uint32) group, unit, no_unit);
}

/* Does the row have all columns that are read? */
static inline bool
is_stored_row(const DpsTableSums *sums, HeapTupleHeader row)
{
	return sums->is_stored && HeapTupleHeaderGetNatts(row) >= sums->last;
}

/* Does it have them where they are in rows without NULLs? */
static inline bool
is_fixed_row(const DpsTableSums *sums, HeapTupleHeader row)
{
	return sums->is_fixed && dps_has_columns(row, sums->last);
}

static inline const char *
row_cells(HeapTupleHeader row)
{
	return (const char *) row + row->t_hoff;
}

/* Memory is slow: units are asked for some rows before they are needed. */
static pg_attribute_always_inline void
expect_unit(const DpsTableSums *sums, int number)
{
	HeapTupleHeader row;

	if (number >= sums->rows.n)
		return;
	row = sums->rows.row[number];
	if (dps_has_columns(row, sums->unit.number))
		dps_unit_map_expect(sums->looked_up,
							dps_key_integer(fixed_cell(&sums->unit, row_cells(row)), sums->unit.length));
}

static pg_attribute_always_inline void
expect_units(const DpsTableSums *sums, int number)
{
	int			i;

	if (number > 0)
	{
		expect_unit(sums, number + ROWS_AHEAD);
		return;
	}
	for (i = 1; i <= ROWS_AHEAD; i++)
		expect_unit(sums, i);
}

static void
add_stored_row(DpsTableSums *sums, HeapTupleHeader row, ExprContext *context)
{
	Row			columns = read_columns(sums, row);

	add_columns(sums, &columns, context);
}

/* A row that has to be looked at as the executor does. */
static void
add_slot_row(DpsTableSums *sums, int number, ExprContext *context)
{
	TupleTableSlot *slot = sums->row;
	HeapTupleHeader row = sums->rows.row[number];
	HeapTupleData tuple;

	dps_heap_rows_tuple(&sums->rows, number, &tuple);
	ExecStoreBufferHeapTuple(&tuple, slot, dps_heap_rows_buffer(&sums->rows));
	context->ecxt_scantuple = slot;
	if (!is_true(sums->condition_state, context))
		InstrCountFiltered1(&sums->css.ss.ps, 1);
	else if (is_fixed_row(sums, row))
		add_fixed_row(sums, row_cells(row));
	else if (is_stored_row(sums, row))
		add_stored_row(sums, row, context);
	else
	{
		slot_getsomeattrs(slot, sums->last);
		add_columns(sums, &(Row) {slot->tts_values, slot->tts_isnull}, context);
	}
}

static void
add_row(DpsTableSums *sums, int number, ExprContext *context)
{
	HeapTupleHeader row = sums->rows.row[number];

	if (sums->expects_units)
		expect_units(sums, number);
	if (sums->condition == NULL && is_fixed_row(sums, row))
	{
		add_fixed_row(sums, row_cells(row));
		return;
	}
	if (sums->condition == NULL && is_stored_row(sums, row))
		add_stored_row(sums, row, context);
	else
		add_slot_row(sums, number, context);
	ResetExprContext(context);
}

/* ---- columns of many rows ---- */

/* Of n rows, those whose keys are declared, and their groups. */
static int
find_groups(DpsTableSums *sums, const char **cells, int n)
{
	DpsGroupSums *groups = &sums->groups;
	uint32	   *group = groups->group + groups->nrows;
	int			found = 0;
	int			i;

	if (groups->plan->nkeys == 0)
	{
		memset(group, 0, sizeof(uint32) * n);
		return n;
	}
	for (i = 0; i < n; i++)
	{
		int64		number = find_fixed_group(sums, cells[i]);

		if (number < 0)
			continue;
		group[found] = (uint32) number;
		cells[found++] = cells[i];
	}
	return found;
}

/* Inlined for each type that is known. */
static pg_attribute_always_inline void
read_cells_of(Oid type, int16 length, bool byval, int offset, const char *const *cells, int n, double *values)
{
	int			i;

	for (i = 0; i < n; i++)
		values[i] = dps_read_cell(type, fetch_att(cells[i] + offset, byval, length));
}

static void
read_cells(const DpsTableColumn *column, const char *const *cells, int n, double *values)
{
	switch (column->type)
	{
		case FLOAT8OID:
			read_cells_of(FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, column->offset, cells, n, values);
			break;
		case FLOAT4OID:
			read_cells_of(FLOAT4OID, sizeof(float4), true, column->offset, cells, n, values);
			break;
		case INT4OID:
			read_cells_of(INT4OID, sizeof(int32), true, column->offset, cells, n, values);
			break;
		case INT8OID:
			read_cells_of(INT8OID, sizeof(int64), FLOAT8PASSBYVAL, column->offset, cells, n, values);
			break;
		default:
			read_cells_of(column->type, column->length, column->byval, column->offset, cells, n, values);
	}
}

/* Adds rows to those that wait. */
static void
add_fixed_rows(DpsTableSums *sums, const char **cells, int n)
{
	DpsGroupSums *groups = &sums->groups;
	int			found = find_groups(sums, cells, n);
	int			i;

	for (i = 0; i < groups->plan->ncells; i++)
		read_cells(&sums->cells[i], cells, found, groups->columns[i] + groups->nrows);
	dps_groups_add_rows(groups, found);
}

/* Rows of which nothing is read. */
static void
count_rows(DpsTableSums *sums)
{
	DpsGroupSums *groups = &sums->groups;
	int			left = sums->rows.n;

	while (left > 0)
	{
		int			n = Min(left, DPS_BATCH - groups->nrows);

		memset(groups->group + groups->nrows, 0, sizeof(uint32) * n);
		dps_groups_add_rows(groups, n);
		left -= n;
	}
}

/* The rows of a page; those that are not like the others, one by one. */
static void
add_rows_by_column(DpsTableSums *sums, ExprContext *context)
{
	const DpsHeapRows *rows = &sums->rows;
	const char *cells[DPS_BATCH];
	int			n = 0;
	int			i;

	for (i = 0; i < rows->n; i++)
	{
		if (is_fixed_row(sums, rows->row[i]))
			cells[n++] = row_cells(rows->row[i]);
		else
			add_row(sums, i, context);
		if (sums->groups.nrows + n == DPS_BATCH)
		{
			add_fixed_rows(sums, cells, n);
			n = 0;
		}
	}
	add_fixed_rows(sums, cells, n);
}

void
dps_read_table_rows(DpsTableSums *sums)
{
	ExprContext *context = sums->css.ss.ps.ps_ExprContext;
	MemoryContext previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
	int			i;

	sums->expects_units = sums->looked_up != NULL && sums->unit.offset >= 0;
	/* conditions, units and parts want each row by itself, with its group */
	sums->by_column = sums->is_fixed && sums->condition == NULL && sums->groups.units == NULL &&
		sums->groups.parts == NULL;
	dps_heap_rows_init(&sums->rows, sums->scan);
	while (dps_heap_rows_next(&sums->rows))
	{
		if (sums->by_column && sums->last == 0)
			count_rows(sums);
		else if (sums->by_column)
			add_rows_by_column(sums, context);
		else
			for (i = 0; i < sums->rows.n; i++)
				add_row(sums, i, context);
	}
	ExecClearTuple(sums->row);
	MemoryContextSwitchTo(previous);
}

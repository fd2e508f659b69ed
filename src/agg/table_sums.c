/*
 * table_sums.c
 *		A scan that yields the exact states of a whole table.
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

#include "access/heapam.h"
#include "access/parallel.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/tupmacs.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "agg/block_share.h"
#include "agg/groups.h"
#include "agg/heap_rows.h"
#include "agg/scan.h"
#include "agg/table_sums.h"
#include "agg/unit_lookup.h"
#include "glue/compat.h"

/* So many rows are between asking for memory and using it. */
#define ROWS_AHEAD 16

typedef struct Column
{
	AttrNumber	number;			/* 0: an expression */
	ExprState  *expression;
	Oid			type;			/* as its cell has it */
	int			offset;			/* in a row without NULLs; -1: not fixed */
	int16		length;
	bool		byval;
} Column;

typedef struct TableSums
{
	CustomScanState css;
	Relation	table;
	TableScanDesc scan;			/* NULL: not begun */
	DpsHeapRows rows;			/* of the page that it is at */
	Expr	   *condition;		/* of all rows, or NULL */
	ExprState  *condition_state;
	TupleTableSlot *row;
	DpsGroupSums	groups;
	Column		unit;			/* where units are limited; or what refers to it */
	DpsUnitMap *looked_up;		/* then, by what refers to them; NULL: not read yet */
	Column	   *keys;
	Column	   *cells;
	ExprState **filters;
	AttrNumber	first;			/* the least column number that is read */
	AttrNumber	last;			/* the greatest */
	AttrNumber	from;			/* from which column on rows without NULLs are read */
	int			from_offset;	/* where it is */
	Datum	   *values;			/* of the columns of one row */
	bool	   *isnull;
	bool		is_stored;		/* all that is read are columns */
	bool		is_fixed;		/* all that is read is at a fixed place */
	bool		by_column;		/* rows of a page are read column by column */
	bool		expects_units;	/* looks ahead on a page */
	bool		done;
	dsa_pointer shared_map;		/* of a worker; or invalid */
	DpsSharedUnits *shared_units;	/* in parallel, or NULL */
} TableSums;

/* What the processes of a parallel plan share. */
typedef struct Shared
{
	Size		scan_at;
	dsa_pointer looked_up;		/* the leader's map; or invalid */
	bool		has_units;		/* they are at UNITS_AT */
} Shared;

#define UNITS_AT MAXALIGN(sizeof(Shared))

/* ---- beginning ---- */

/* Expressions are about the table's rows, not about what the node takes for
 * what it scans: states. */
static ExprState *
begin_expression(TableSums *sums, Expr *expression)
{
	PlanState  *node = &sums->css.ss.ps;
	PlanState	kept = *node;
	ExprState  *state;

	node->scandesc = RelationGetDescr(sums->table);
	node->scanops = &TTSOpsBufferHeapTuple;
	node->scanopsfixed = node->scanopsset = true;
	state = ExecInitExpr(expression, node);
	node->scandesc = kept.scandesc;
	node->scanops = kept.scanops;
	node->scanopsfixed = kept.scanopsfixed;
	node->scanopsset = kept.scanopsset;
	return state;
}

static const Expr *
strip_relabel(const Expr *expression)
{
	while (IsA(expression, RelabelType))
		expression = ((const RelabelType *) expression)->arg;
	return expression;
}

static void
begin_column(TableSums *sums, Column *column, const Var *variable, const int *offsets)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(sums->table), variable->varattno - 1);

	column->number = variable->varattno;
	column->offset = offsets[column->number - 1];
	column->length = attribute->attlen;
	column->byval = attribute->attbyval;
	sums->first = Min(sums->first, column->number);
	sums->last = Max(sums->last, column->number);
	sums->is_fixed = sums->is_fixed && column->offset >= 0;
}

static void
begin_argument(TableSums *sums, Column *column, Oid type, Expr *argument, const int *offsets)
{
	const Expr *stored = strip_relabel(argument);

	column->type = type;
	if (IsA(stored, Var) && ((const Var *) stored)->varattno > 0)
		begin_column(sums, column, (const Var *) stored, offsets);
	else
	{
		column->expression = begin_expression(sums, argument);
		sums->is_stored = false;
	}
}

static Expr *
argument_of(const Aggref *aggref, int number)
{
	return list_nth_node(TargetEntry, aggref->args, number)->expr;
}

/* Where the keys begin, among the aggregate's arguments. */
static int
first_key(const TableSums *sums)
{
	return dps_groups_limit_units(sums->groups.plan) ? 2 : 1;
}

static Node *
scan_entry(const TableSums *sums, int n)
{
	const CustomScan *plan = (const CustomScan *) sums->css.ss.ps.plan;

	return (Node *) list_nth_node(TargetEntry, plan->custom_scan_tlist, n)->expr;
}

/* The plan of rows that say whose they are, where those of the table do not. */
static PlanState *
referenced_rows(const TableSums *sums)
{
	return sums->css.custom_ps == NIL ? NULL : linitial(sums->css.custom_ps);
}

static void
begin_unit(TableSums *sums, const Aggref *aggref, const int *offsets)
{
	Expr	   *unit = referenced_rows(sums) == NULL ? argument_of(aggref, 1) : (Expr *) scan_entry(sums, 2);

	begin_argument(sums, &sums->unit, InvalidOid, unit, offsets);
}

static void
begin_keys(TableSums *sums, const Aggref *aggref, const int *offsets)
{
	int			n = sums->groups.plan->nkeys;
	int			i;

	sums->keys = palloc0(sizeof(Column) * Max(n, 1));
	if (dps_groups_limit_units(sums->groups.plan))
		begin_unit(sums, aggref, offsets);
	for (i = 0; i < n; i++)
		begin_argument(sums, &sums->keys[i], InvalidOid, argument_of(aggref, first_key(sums) + i), offsets);
}

static void
begin_cells(TableSums *sums, const Aggref *aggref, const int *offsets)
{
	int			n = sums->groups.plan->ncells;
	int			i;

	sums->cells = palloc0(sizeof(Column) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		Expr	   *argument = argument_of(aggref, first_key(sums) + sums->groups.plan->nkeys + i);
		Oid			type = sums->groups.cells[i].type;

		if (getBaseType(exprType((Node *) argument)) != type)
			elog(ERROR, "groups expect type %u for cell %d, not %u", type, i, exprType((Node *) argument));
		begin_argument(sums, &sums->cells[i], type, argument, offsets);
	}
}

static void
begin_filters(TableSums *sums, const Aggref *aggref)
{
	const DpsGroupsPlan *plan = sums->groups.plan;
	int			i;

	sums->filters = palloc0(sizeof(ExprState *) * Max(plan->nfilters, 1));
	for (i = 0; i < plan->nfilters; i++)
	{
		sums->filters[i] = begin_expression(sums, argument_of(aggref, first_key(sums) + plan->nkeys + plan->ncells + i));
		sums->is_stored = false;
	}
}

/* The first column, or a later one that is not behind it. */
static void
begin_values(TableSums *sums, const int *offsets)
{
	sums->values = palloc(sizeof(Datum) * Max(sums->last, 1));
	sums->isnull = palloc(sizeof(bool) * Max(sums->last, 1));
	sums->from = Max(sums->first, 1);
	while (sums->from > 1 && offsets[sums->from - 1] < 0)
		sums->from--;
	sums->from_offset = Max(offsets[sums->from - 1], 0);
}

static void
begin_groups(TableSums *sums, const Aggref *aggref)
{
	const TupleDesc row = RelationGetDescr(sums->table);
	const Const *constant = castNode(Const, argument_of(aggref, 0));
	const DpsGroupsPlan *plan = (const DpsGroupsPlan *) PG_DETOAST_DATUM(constant->constvalue);
	int		   *offsets = dps_scan_offsets(row);

	dps_groups_init(&sums->groups, plan);
	if (list_length(aggref->args) != first_key(sums) + plan->nkeys + plan->ncells + plan->nfilters)
		elog(ERROR, "groups expect another number of arguments");
	sums->is_stored = sums->is_fixed = true;
	sums->first = row->natts;
	begin_keys(sums, aggref, offsets);
	begin_cells(sums, aggref, offsets);
	begin_filters(sums, aggref);
	sums->is_fixed = sums->is_fixed && sums->is_stored;
	begin_values(sums, offsets);
	pfree(offsets);
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	TableSums  *sums = (TableSums *) node;
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;
	int			condition = 2;

	sums->table = ExecGetRangeTableRelation(estate, ((const Var *) scan_entry(sums, 1))->varno);
	sums->row = ExecInitExtraTupleSlot(estate, RelationGetDescr(sums->table), &TTSOpsBufferHeapTuple);
	if (plan->custom_plans != NIL)
	{
		node->custom_ps = list_make1(ExecInitNode(linitial(plan->custom_plans), estate, eflags));
		condition++;
	}
	if (list_length(plan->custom_scan_tlist) > condition)
		sums->condition = (Expr *) scan_entry(sums, condition);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	if (sums->condition != NULL)
		sums->condition_state = begin_expression(sums, sums->condition);
	begin_groups(sums, castNode(Aggref, scan_entry(sums, 0)));
}

/* ---- rows ---- */

static inline Datum
fixed_cell(const Column *column, const char *cells)
{
	return fetch_att(cells + column->offset, column->byval, column->length);
}

/* False if there is no such row: then it is not in the join. */
static inline bool
look_up_unit(const TableSums *sums, Datum *unit, bool *no_unit)
{
	return !*no_unit &&
		dps_unit_map_find(sums->looked_up, dps_key_integer(*unit, sums->unit.length), unit, no_unit);
}

/* The number of the row's group, or -1. */
static inline int64
find_fixed_group(const TableSums *sums, const char *cells)
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
add_fixed_row(TableSums *sums, const char *cells)
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

/* Columns of a row, by their numbers less 1; of those that are wanted. */
typedef struct Row
{
	const Datum *values;
	const bool *isnull;
} Row;

/* As the server does, without what is not wanted. */
static Row
read_columns(TableSums *sums, HeapTupleHeader header)
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
row_cell(const Column *column, const Row *row, ExprContext *context, bool *isnull)
{
	if (column->expression != NULL)
		return ExecEvalExpr(column->expression, context, isnull);
	*isnull = row->isnull[column->number - 1];
	return row->values[column->number - 1];
}

/* Is it true?  As of a WHERE, NULL is not. */
static bool
is_true(ExprState *condition, ExprContext *context)
{
	bool		isnull;

	return condition == NULL || (DatumGetBool(ExecEvalExpr(condition, context, &isnull)) && !isnull);
}

/* The number of the row's group, or -1. */
static int64
find_group(const TableSums *sums, const Row *row, ExprContext *context)
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
add_columns(TableSums *sums, const Row *row, ExprContext *context)
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

/* Has it all columns that are read? */
static inline bool
is_stored_row(const TableSums *sums, HeapTupleHeader row)
{
	return sums->is_stored && HeapTupleHeaderGetNatts(row) >= sums->last;
}

/* And all that is read where it is in most rows? */
static inline bool
is_fixed_row(const TableSums *sums, HeapTupleHeader row)
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
expect_unit(const TableSums *sums, int number)
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
expect_units(const TableSums *sums, int number)
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
add_stored_row(TableSums *sums, HeapTupleHeader row, ExprContext *context)
{
	Row			columns = read_columns(sums, row);

	add_columns(sums, &columns, context);
}

/* A row that has to be looked at as the executor does. */
static void
add_slot_row(TableSums *sums, int number, ExprContext *context)
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
add_row(TableSums *sums, int number, ExprContext *context)
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
find_groups(TableSums *sums, const char **cells, int n)
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
read_cells(const Column *column, const char *const *cells, int n, double *values)
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

/* They wait beside those that do. */
static void
add_fixed_rows(TableSums *sums, const char **cells, int n)
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
count_rows(TableSums *sums)
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
add_rows_by_column(TableSums *sums, ExprContext *context)
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

static void
read_referenced_rows(TableSums *sums, EState *estate)
{
	const List *columns = ((const CustomScan *) sums->css.ss.ps.plan)->custom_private;
	MemoryContext previous = MemoryContextSwitchTo(estate->es_query_cxt);

	sums->looked_up = DsaPointerIsValid(sums->shared_map) ?
		dps_unit_map_attach(estate->es_query_dsa, sums->shared_map) :
		dps_read_units(referenced_rows(sums), intVal(linitial(columns)), intVal(lsecond(columns)));
	MemoryContextSwitchTo(previous);
}

static void
read_rows(TableSums *sums)
{
	ExprContext *context = sums->css.ss.ps.ps_ExprContext;
	MemoryContext previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
	int			i;

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

static void
read_table(TableSums *sums, EState *estate)
{
	if (referenced_rows(sums) != NULL && sums->looked_up == NULL)
		read_referenced_rows(sums, estate);
	sums->expects_units = sums->looked_up != NULL && sums->unit.offset >= 0;
	/* these want each row with its group, and what is with it */
	sums->by_column = sums->is_fixed && sums->condition == NULL && sums->groups.units == NULL &&
		sums->groups.parts == NULL;
	read_rows(sums);
}

/* ---- the result ---- */

/* What is read in parallel is added up. */
static Datum
result_states(TableSums *sums)
{
	const PlanState *node = &sums->css.ss.ps;

	return node->plan->parallel_aware ? dps_block_give(sums->groups.block, node->state->es_query_dsa) :
		dps_groups_result(&sums->groups);
}

/* NULL if no row reached a group: states of no rows. */
static void
store_states(TableSums *sums, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	dps_groups_finish(&sums->groups);
	slot->tts_isnull[0] = !sums->groups.any_row;
	if (sums->groups.any_row)
		slot->tts_values[0] = result_states(sums);
	ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	TableSums  *sums = (TableSums *) node;
	EState	   *estate = node->ss.ps.state;
	ExprContext *context = node->ss.ps.ps_ExprContext;

	if (sums->done)
		return NULL;
	/* a parallel plan may have to do without workers */
	if (sums->scan == NULL)
		sums->scan = table_beginscan(sums->table, estate->es_snapshot, 0, NULL);
	if (sums->shared_units == NULL || dps_units_join(sums->groups.units, sums->shared_units, estate->es_query_dsa))
		read_table(sums, estate);
	sums->done = true;
	store_states(sums, node->ss.ss_ScanTupleSlot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return node->ss.ss_ScanTupleSlot;
	context->ecxt_scantuple = node->ss.ss_ScanTupleSlot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
end(CustomScanState *node)
{
	TableSums  *sums = (TableSums *) node;

	ExecClearTuple(sums->row);
	if (sums->scan != NULL)
		table_endscan(sums->scan);
	sums->scan = NULL;
	if (sums->groups.plan != NULL)
		dps_groups_end(&sums->groups);
	if (referenced_rows(sums) != NULL)
		ExecEndNode(referenced_rows(sums));
}

/* They are read once, unless they may have become others. */
static void
rescan_referenced_rows(TableSums *sums)
{
	PlanState  *rows = referenced_rows(sums);

	if (sums->css.ss.ps.chgParam != NULL)
		UpdateChangedParamSet(rows, sums->css.ss.ps.chgParam);
	if (rows->chgParam == NULL)
		return;
	if (sums->looked_up != NULL)
		dps_unit_map_free(sums->looked_up);
	sums->looked_up = NULL;
}

static void
rescan(CustomScanState *node)
{
	TableSums  *sums = (TableSums *) node;

	if (sums->scan != NULL)
		table_rescan(sums->scan, NULL);
	if (referenced_rows(sums) != NULL)
		rescan_referenced_rows(sums);
	dps_groups_reset(&sums->groups);
	sums->done = false;
	ExecScanReScan(&node->ss);
}

/* ---- in parallel ---- */

static int
participants_of(const ParallelContext *context)
{
	return context->nworkers + 1;
}

static Size
scan_at(const TableSums *sums, const ParallelContext *context)
{
	Size		size = UNITS_AT;

	if (sums->groups.units != NULL)
		size = add_size(size, dps_shared_units_size(participants_of(context)));
	return BUFFERALIGN(size);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	TableSums  *sums = (TableSums *) node;

	return add_size(scan_at(sums, context), table_parallelscan_estimate(sums->table, node->ss.ps.state->es_snapshot));
}

static DpsSharedUnits *
shared_units(Shared *shared)
{
	return shared->has_units ? (DpsSharedUnits *) ((char *) shared + UNITS_AT) : NULL;
}

static ParallelTableScanDesc
shared_scan(Shared *shared)
{
	return (ParallelTableScanDesc) ((char *) shared + shared->scan_at);
}

/* The leader reads them for all processes, before there are others. */
static void
share_referenced_rows(TableSums *sums, Shared *shared, EState *estate)
{
	read_referenced_rows(sums, estate);
	shared->looked_up = dps_unit_map_share(sums->looked_up, estate->es_query_dsa);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *coordinate)
{
	TableSums  *sums = (TableSums *) node;
	Shared	   *shared = coordinate;

	shared->scan_at = scan_at(sums, context);
	shared->looked_up = InvalidDsaPointer;
	/* without a segment there is no other process, nor memory to share */
	shared->has_units = sums->groups.units != NULL && context->seg != NULL;
	if (shared->has_units && referenced_rows(sums) != NULL)
		share_referenced_rows(sums, shared, node->ss.ps.state);
	sums->shared_units = shared_units(shared);
	if (shared->has_units)
		dps_units_share(sums->groups.units, sums->shared_units, participants_of(context), context->seg);
	table_parallelscan_initialize(sums->table, shared_scan(shared), node->ss.ps.state->es_snapshot);
	sums->scan = table_beginscan_parallel(sums->table, shared_scan(shared));
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *coordinate)
{
	TableSums  *sums = (TableSums *) node;
	Shared	   *shared = coordinate;

	(void) context;
	/* they may become others, of which the leader hears with its first row */
	if (DsaPointerIsValid(shared->looked_up))
		dsa_free(node->ss.ps.state->es_query_dsa, shared->looked_up);
	shared->looked_up = InvalidDsaPointer;
	table_parallelscan_reinitialize(sums->table, shared_scan(coordinate));
	if (sums->shared_units != NULL)
		dps_shared_units_reset(sums->shared_units);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	TableSums  *sums = (TableSums *) node;

	(void) toc;
	sums->shared_map = ((const Shared *) coordinate)->looked_up;
	sums->shared_units = shared_units(coordinate);
	if (sums->shared_units != NULL)
		dps_shared_units_attach(sums->shared_units);
	sums->scan = table_beginscan_parallel(sums->table, shared_scan(coordinate));
}

/* ---- EXPLAIN ---- */

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	TableSums  *sums = (TableSums *) node;
	List	   *context;

	ExplainPropertyText("Relation", RelationGetRelationName(sums->table), es);
	if (sums->condition == NULL)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	ExplainPropertyText("Filter", deparse_expression((Node *) sums->condition, context, es->verbose, false), es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DPS_TABLE_SUMS,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = initialize_shared,
	.ReInitializeDSMCustomScan = reinitialize_shared,
	.InitializeWorkerCustomScan = initialize_worker,
	.ExplainCustomScan = explain
};

Node *
dps_table_sums_begin(CustomScan *scan)
{
	TableSums  *sums = (TableSums *) newNode(sizeof(TableSums), T_CustomScanState);

	(void) scan;
	sums->css.methods = &exec_methods;
	return (Node *) sums;
}

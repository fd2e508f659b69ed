/*
 * table_sums.c
 *		A scan that yields the exact states of a whole table.
 *
 * Columns that lie at the same place in every row without NULLs are read
 * there.  Other rows, and all rows where there is something to evaluate beside
 * the summands' programs, go through a slot.
 *
 * Nothing here raises because of what a cell holds; a condition does what it
 * does in any scan.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/tupmacs.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "agg/batch.h"
#include "agg/table_sums.h"
#include "glue/compat.h"

typedef struct Column
{
	AttrNumber	number;			/* 0: an expression */
	ExprState  *expression;
	Oid			type;			/* as its cell has it */
	int			offset;			/* in a row without NULLs; -1: not fixed */
	int16		length;
	bool		byval;
} Column;

typedef struct Sum
{
	DpsBatch	batch;
	DpsExactState *state;
	Column	   *columns;
	ExprState  *filter;			/* its FILTER, or NULL */
	int64		nrows;			/* rows that reached it */
} Sum;

typedef struct TableSums
{
	CustomScanState css;
	Relation	table;
	TableScanDesc scan;			/* NULL: not begun */
	Expr	   *condition;		/* of all rows, or NULL */
	ExprState  *condition_state;
	TupleTableSlot *row;
	Sum		   *sums;
	int			nsums;
	AttrNumber	last;			/* the greatest column number that is read */
	bool		is_fixed;		/* all that is read is at a fixed place */
	bool		done;
} TableSums;

/* ---- beginning ---- */

/* Where the columns lie in a row without NULLs, as far as it is the same in
 * all. */
static void
find_offsets(TupleDesc row, int *offsets)
{
	int			offset = 0;
	int			i;

	for (i = 0; i < row->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row, i);

		if (offset >= 0)
			offset = att_align_nominal(offset, attribute->attalign);
		offsets[i] = attribute->attlen > 0 ? offset : -1;
		offset = offset >= 0 && attribute->attlen > 0 ? offset + attribute->attlen : -1;
	}
}

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
	sums->last = Max(sums->last, column->number);
	sums->is_fixed = sums->is_fixed && column->offset >= 0;
}

static void
begin_argument(TableSums *sums, Column *column, const DpsCell *cell, Expr *argument, const int *offsets)
{
	const Expr *stored = strip_relabel(argument);

	if (getBaseType(exprType((Node *) argument)) != cell->type)
		elog(ERROR, "summand expects type %u, not %u", cell->type, exprType((Node *) argument));
	column->type = cell->type;
	if (IsA(stored, Var) && ((const Var *) stored)->varattno > 0)
		begin_column(sums, column, (const Var *) stored, offsets);
	else
	{
		column->expression = begin_expression(sums, argument);
		sums->is_fixed = false;
	}
}

/* No rows yet. */
static void
begin_state(const TableSums *sums, Sum *sum)
{
	sum->batch.nrows = 0;
	sum->nrows = 0;
	sum->state = dps_exact_state_make(sums->css.ss.ps.state->es_query_cxt, &sum->batch);
}

static void
begin_sum(TableSums *sums, Sum *sum, const Aggref *aggref, const int *offsets)
{
	const Const *plan = (const Const *) linitial_node(TargetEntry, aggref->args)->expr;
	const DpsSummandPlan *summand = (const DpsSummandPlan *) PG_DETOAST_DATUM(plan->constvalue);
	ListCell   *cell;
	int			i = 0;

	dps_batch_init(&sum->batch, summand);
	begin_state(sums, sum);
	if (list_length(aggref->args) != summand->ncells + 1)
		elog(ERROR, "summand expects %d cells, not %d", summand->ncells, list_length(aggref->args) - 1);
	sum->columns = palloc0(sizeof(Column) * Max(summand->ncells, 1));
	for_each_from(cell, aggref->args, 1)
	{
		begin_argument(sums, &sum->columns[i], &sum->batch.parts.cells[i], lfirst_node(TargetEntry, cell)->expr, offsets);
		i++;
	}
	if (aggref->aggfilter != NULL)
	{
		sum->filter = begin_expression(sums, aggref->aggfilter);
		sums->is_fixed = false;
	}
}

static Node *
scan_entry(const CustomScan *plan, int n)
{
	return (Node *) list_nth_node(TargetEntry, plan->custom_scan_tlist, n)->expr;
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	TableSums  *sums = (TableSums *) node;
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;
	int		   *offsets;
	int			i;

	sums->nsums = intVal(linitial(plan->custom_private));
	sums->table = ExecGetRangeTableRelation(estate, ((const Var *) scan_entry(plan, sums->nsums))->varno);
	sums->row = ExecInitExtraTupleSlot(estate, RelationGetDescr(sums->table), &TTSOpsBufferHeapTuple);
	if (list_length(plan->custom_scan_tlist) > sums->nsums + 1)
		sums->condition = (Expr *) scan_entry(plan, sums->nsums + 1);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	offsets = palloc(sizeof(int) * Max(RelationGetDescr(sums->table)->natts, 1));
	find_offsets(RelationGetDescr(sums->table), offsets);
	sums->is_fixed = sums->condition == NULL;
	if (sums->condition != NULL)
		sums->condition_state = begin_expression(sums, sums->condition);
	sums->sums = palloc0(sizeof(Sum) * sums->nsums);
	for (i = 0; i < sums->nsums; i++)
		begin_sum(sums, &sums->sums[i], (const Aggref *) scan_entry(plan, i), offsets);
	pfree(offsets);
}

/* ---- rows ---- */

static inline void
end_row(Sum *sum)
{
	DpsBatch   *batch = &sum->batch;

	batch->states[batch->nrows++] = sum->state;
	if (batch->nrows == DPS_BATCH)
		dps_batch_flush(batch);
}

static inline void
add_fixed_row(TableSums *sums, const char *cells)
{
	int			i;
	int			j;

	for (i = 0; i < sums->nsums; i++)
	{
		Sum		   *sum = &sums->sums[i];

		sum->nrows++;
		if (sum->batch.parts.program == NULL)
			continue;
		for (j = 0; j < sum->batch.summand->ncells; j++)
		{
			const Column *column = &sum->columns[j];
			Datum		cell = fetch_att(cells + column->offset, column->byval, column->length);

			sum->batch.columns[j][sum->batch.nrows] = dps_read_cell(column->type, cell);
		}
		end_row(sum);
	}
}

static double
read_column(const Column *column, TupleTableSlot *row, ExprContext *context)
{
	bool		isnull;
	Datum		cell;

	if (column->expression != NULL)
		cell = ExecEvalExpr(column->expression, context, &isnull);
	else
	{
		cell = row->tts_values[column->number - 1];
		isnull = row->tts_isnull[column->number - 1];
	}
	return isnull ? NAN : dps_read_cell(column->type, cell);
}

/* Is it true?  As of a WHERE, NULL is not. */
static bool
is_true(ExprState *condition, ExprContext *context)
{
	bool		isnull;

	return condition == NULL || (DatumGetBool(ExecEvalExpr(condition, context, &isnull)) && !isnull);
}

static void
add_slot(Sum *sum, TupleTableSlot *row, ExprContext *context)
{
	int			j;

	if (!is_true(sum->filter, context))
		return;
	sum->nrows++;
	if (sum->batch.parts.program == NULL)
		return;
	for (j = 0; j < sum->batch.summand->ncells; j++)
		sum->batch.columns[j][sum->batch.nrows] = read_column(&sum->columns[j], row, context);
	end_row(sum);
}

static void
add_row(TableSums *sums, HeapTuple tuple, ExprContext *context)
{
	int			i;

	if (sums->is_fixed && !HeapTupleHasNulls(tuple) && HeapTupleHeaderGetNatts(tuple->t_data) >= sums->last)
	{
		add_fixed_row(sums, (const char *) tuple->t_data + tuple->t_data->t_hoff);
		return;
	}
	ExecStoreBufferHeapTuple(tuple, sums->row, ((HeapScanDesc) sums->scan)->rs_cbuf);
	context->ecxt_scantuple = sums->row;
	if (is_true(sums->condition_state, context))
	{
		slot_getsomeattrs(sums->row, sums->last);
		for (i = 0; i < sums->nsums; i++)
			add_slot(&sums->sums[i], sums->row, context);
	}
	else
		InstrCountFiltered1(&sums->css.ss.ps, 1);
	ResetExprContext(context);
}

static void
read_table(TableSums *sums, EState *estate)
{
	ExprContext *context = sums->css.ss.ps.ps_ExprContext;
	MemoryContext previous = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
	HeapTuple	tuple;

	while ((tuple = heap_getnext(sums->scan, estate->es_direction)) != NULL)
		add_row(sums, tuple, context);
	ExecClearTuple(sums->row);
	MemoryContextSwitchTo(previous);
}

/* ---- the result ---- */

/* NULL if no row reached it, as of an aggregate without rows. */
static void
store_states(const TableSums *sums, TupleTableSlot *slot)
{
	int			i;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	for (i = 0; i < sums->nsums; i++)
	{
		Sum		   *sum = &sums->sums[i];

		if (sum->nrows == 0)
			continue;
		if (sum->batch.parts.program == NULL)
			sum->state->count = sum->nrows;
		slot->tts_values[i] = PointerGetDatum(dps_exact_state_freeze(sum->state));
		slot->tts_isnull[i] = false;
	}
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
}

static void
rescan(CustomScanState *node)
{
	TableSums  *sums = (TableSums *) node;
	int			i;

	if (sums->scan != NULL)
		table_rescan(sums->scan, NULL);
	for (i = 0; i < sums->nsums; i++)
	{
		begin_state(sums, &sums->sums[i]);
	}
	sums->done = false;
	ExecScanReScan(&node->ss);
}

/* ---- in parallel ---- */

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	(void) context;
	return table_parallelscan_estimate(((TableSums *) node)->table, node->ss.ps.state->es_snapshot);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	TableSums  *sums = (TableSums *) node;

	(void) context;
	table_parallelscan_initialize(sums->table, shared, node->ss.ps.state->es_snapshot);
	sums->scan = table_beginscan_parallel(sums->table, shared);
}

static void
reinitialize_shared(CustomScanState *node, ParallelContext *context, void *shared)
{
	(void) context;
	table_parallelscan_reinitialize(((TableSums *) node)->table, shared);
}

static void
initialize_worker(CustomScanState *node, shm_toc *toc, void *shared)
{
	TableSums  *sums = (TableSums *) node;

	(void) toc;
	sums->scan = table_beginscan_parallel(sums->table, shared);
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

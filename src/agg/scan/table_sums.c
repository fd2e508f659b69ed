/*
 * table_sums.c
 *		A scan that yields the exact states of a whole table.
 *
 * The node: what it is made of, how its rows are shared by workers, what it yields.
 * How it reads a row is in table_rows.c.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/parallel.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "agg/scan/custom_scan.h"
#include "agg/scan/table_rows.h"
#include "agg/scan/table_sums.h"
#include "agg/state/block_share.h"
#include "agg/state/groups.h"
#include "agg/unit/unit_lookup.h"
#include "glue/compat.h"
#include "glue/import/relabel.h"

/* What the processes of a parallel plan share. */
typedef struct Shared
{
	Size		scan_at;
	dsa_pointer looked_up;		/* the leader's map; or invalid */
	bool		has_units;		/* they are at UNITS_AT */
} Shared;

#define UNITS_AT MAXALIGN(sizeof(Shared))

/* ---- beginning ---- */

/* Expressions are about the table's rows, not about the node's scan tuples, which
 * are states. */
static ExprState *
begin_expression(DpsTableSums *sums, Expr *expression)
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

static void
begin_column(DpsTableSums *sums, DpsTableColumn *column, const Var *variable, const int *offsets)
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
begin_argument(DpsTableSums *sums, DpsTableColumn *column, Oid type, Expr *argument, const int *offsets)
{
	const Node *stored = dps_strip_relabel(argument);

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
first_key(const DpsTableSums *sums)
{
	return dps_groups_limit_units(sums->groups.plan) ? 2 : 1;
}

static Node *
scan_entry(const DpsTableSums *sums, int n)
{
	const CustomScan *plan = (const CustomScan *) sums->css.ss.ps.plan;

	return (Node *) list_nth_node(TargetEntry, plan->custom_scan_tlist, n)->expr;
}

/* The plan of the rows that hold the units, if the table's own rows do not; or NULL. */
static PlanState *
referenced_rows(const DpsTableSums *sums)
{
	return sums->css.custom_ps == NIL ? NULL : linitial(sums->css.custom_ps);
}

static void
begin_unit(DpsTableSums *sums, const Aggref *aggref, const int *offsets)
{
	Expr	   *unit = referenced_rows(sums) == NULL ? argument_of(aggref, 1) : (Expr *) scan_entry(sums, 2);

	begin_argument(sums, &sums->unit, InvalidOid, unit, offsets);
}

static void
begin_keys(DpsTableSums *sums, const Aggref *aggref, const int *offsets)
{
	int			n = sums->groups.plan->nkeys;
	int			i;

	sums->keys = palloc0(sizeof(DpsTableColumn) * Max(n, 1));
	if (dps_groups_limit_units(sums->groups.plan))
		begin_unit(sums, aggref, offsets);
	for (i = 0; i < n; i++)
		begin_argument(sums, &sums->keys[i], InvalidOid, argument_of(aggref, first_key(sums) + i), offsets);
}

static void
begin_cells(DpsTableSums *sums, const Aggref *aggref, const int *offsets)
{
	int			n = sums->groups.plan->ncells;
	int			i;

	sums->cells = palloc0(sizeof(DpsTableColumn) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		Expr	   *argument = argument_of(aggref, first_key(sums) + sums->groups.plan->nkeys + i);

		begin_argument(sums, &sums->cells[i], sums->groups.cells[i].type, argument, offsets);
	}
}

static void
begin_filters(DpsTableSums *sums, const Aggref *aggref)
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

/* Rows are read from the last column with a fixed offset up to the first needed one. */
static void
begin_values(DpsTableSums *sums, const int *offsets)
{
	sums->values = palloc(sizeof(Datum) * Max(sums->last, 1));
	sums->isnull = palloc(sizeof(bool) * Max(sums->last, 1));
	sums->from = Max(sums->first, 1);
	while (sums->from > 1 && offsets[sums->from - 1] < 0)
		sums->from--;
	sums->from_offset = Max(offsets[sums->from - 1], 0);
}

/* The types of the aggregate's arguments behind its plan, of which there are *n. */
static Oid *
types_of(const Aggref *aggref, int *n)
{
	Oid		   *types = palloc(sizeof(Oid) * list_length(aggref->args));
	ListCell   *cell;

	*n = 0;
	for_each_from(cell, aggref->args, 1)
		types[(*n)++] = exprType((Node *) lfirst_node(TargetEntry, cell)->expr);
	return types;
}

static void
begin_groups(DpsTableSums *sums, const Aggref *aggref)
{
	const TupleDesc row = RelationGetDescr(sums->table);
	const Const *constant = castNode(Const, argument_of(aggref, 0));
	const DpsGroupsPlan *plan = (const DpsGroupsPlan *) PG_DETOAST_DATUM(constant->constvalue);
	int		   *offsets = dps_scan_offsets(row);
	int			n;
	const Oid  *types = types_of(aggref, &n);

	dps_groups_init(&sums->groups, plan, types, n);
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
	DpsTableSums  *sums = (DpsTableSums *) node;
	const CustomScan *plan = (const CustomScan *) node->ss.ps.plan;
	int			condition = 2;

	sums->table = dps_range_table_relation(estate, ((const Var *) scan_entry(sums, 1))->varno);
	sums->row = ExecInitExtraTupleSlot(estate, RelationGetDescr(sums->table), &TTSOpsBufferHeapTuple);
	if (plan->custom_plans != NIL)
	{
		dps_scan_begin(node, estate, eflags);
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

/* ---- reading ---- */

static void
read_referenced_rows(DpsTableSums *sums, EState *estate)
{
	const List *columns = ((const CustomScan *) sums->css.ss.ps.plan)->custom_private;
	MemoryContext previous = MemoryContextSwitchTo(estate->es_query_cxt);

	sums->looked_up = DsaPointerIsValid(sums->shared_map) ?
		dps_unit_map_attach(estate->es_query_dsa, sums->shared_map) :
		dps_read_units(referenced_rows(sums), intVal(linitial(columns)), intVal(lsecond(columns)));
	MemoryContextSwitchTo(previous);
}

static void
read_table(DpsTableSums *sums, EState *estate)
{
	if (referenced_rows(sums) != NULL && sums->looked_up == NULL)
		read_referenced_rows(sums, estate);
	dps_read_table_rows(sums);
}

/* ---- the result ---- */

/* One of several processes gives its block to the node that adds blocks up. */
static Datum
result_states(DpsTableSums *sums)
{
	const PlanState *node = &sums->css.ss.ps;

	return node->plan->parallel_aware ? dps_block_give(sums->groups.block, node->state->es_query_dsa) :
		dps_groups_result(&sums->groups);
}

/* NULL if no row reached a group: states of no rows. */
static TupleTableSlot *
yield_states(DpsTableSums *sums)
{
	dps_groups_finish(&sums->groups);
	return dps_scan_yield(&sums->css, 0, sums->groups.any_row ? result_states(sums) : (Datum) 0, !sums->groups.any_row);
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	DpsTableSums  *sums = (DpsTableSums *) node;
	EState	   *estate = node->ss.ps.state;

	if (sums->done)
		return NULL;
	/* a parallel plan may have to do without workers */
	if (sums->scan == NULL)
		sums->scan = table_beginscan(sums->table, estate->es_snapshot, 0, NULL);
	if (sums->shared_units == NULL || dps_units_join(sums->groups.units, sums->shared_units, estate->es_query_dsa))
		read_table(sums, estate);
	sums->done = true;
	return yield_states(sums);
}

static void
end(CustomScanState *node)
{
	DpsTableSums  *sums = (DpsTableSums *) node;

	ExecClearTuple(sums->row);
	if (sums->scan != NULL)
		table_endscan(sums->scan);
	sums->scan = NULL;
	if (sums->groups.plan != NULL)
		dps_groups_end(&sums->groups);
	if (referenced_rows(sums) != NULL)
		ExecEndNode(referenced_rows(sums));
}

/* The referenced rows are read once, unless parameters may have changed them. */
static void
rescan_referenced_rows(DpsTableSums *sums)
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
	DpsTableSums  *sums = (DpsTableSums *) node;

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
scan_at(const DpsTableSums *sums, const ParallelContext *context)
{
	Size		size = UNITS_AT;

	if (sums->groups.units != NULL)
		size = add_size(size, dps_shared_units_size(participants_of(context)));
	return BUFFERALIGN(size);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *context)
{
	DpsTableSums  *sums = (DpsTableSums *) node;

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

/* The leader reads the referenced rows for all processes, before there are others. */
static void
share_referenced_rows(DpsTableSums *sums, Shared *shared, EState *estate)
{
	read_referenced_rows(sums, estate);
	shared->looked_up = dps_unit_map_share(sums->looked_up, estate->es_query_dsa);
}

static void
initialize_shared(CustomScanState *node, ParallelContext *context, void *coordinate)
{
	DpsTableSums  *sums = (DpsTableSums *) node;
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
	DpsTableSums  *sums = (DpsTableSums *) node;
	Shared	   *shared = coordinate;

	(void) context;
	/* the referenced rows may change, which the leader learns with its first row */
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
	DpsTableSums  *sums = (DpsTableSums *) node;

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
	DpsTableSums  *sums = (DpsTableSums *) node;
	List	   *context;

	ExplainPropertyText("Relation", RelationGetRelationName(sums->table), es);
	if (sums->condition == NULL)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	ExplainPropertyText("Filter", deparse_expression((Node *) sums->condition, context, es->verbose, false), es);
}

const CustomExecMethods dps_table_sums_methods = {
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

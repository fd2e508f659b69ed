/*
 * evaluator.c
 *		A registered expression and its derivatives over rows of its table,
 *		compiled once and evaluated in batches.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "catalog/pg_proc.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "audit/evaluator.h"
#include "base/once.h"
#include "bound/dimension.h"
#include "glue/citus.h"
#include "glue/glue.h"
#include "glue/import/parse.h"

/* Every evaluator of this backend. */
static dlist_head evaluators = DLIST_STATIC_INIT(evaluators);

/* Labels of a table and its columns invalidate its relcache entry, a label of
 * a function goes with its row in pg_proc. */
static void
relation_changed(Datum arg, Oid relation)
{
	dlist_iter	iter;

	dlist_foreach(iter, &evaluators)
	{
		DpsEvaluator *evaluator = dlist_container(DpsEvaluator, link, iter.cur);

		if (relation == InvalidOid || relation == evaluator->relation)
			evaluator->stale = true;
	}
}

static void
function_changed(Datum arg, int cache, uint32 hash)
{
	dlist_iter	iter;

	dlist_foreach(iter, &evaluators)
	{
		DpsEvaluator *evaluator = dlist_container(DpsEvaluator, link, iter.cur);

		if (hash == 0 || hash == evaluator->function_hash)
			evaluator->stale = true;
	}
}

static void
unlink_evaluator(void *arg)
{
	dlist_delete(&((DpsEvaluator *) arg)->link);
}

/* From now on changes make the evaluator stale. */
static void
watch(DpsEvaluator *evaluator)
{
	static bool registered = false;

	if (!registered)
	{
		CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(PROCOID, function_changed, (Datum) 0);
		registered = true;
	}
	evaluator->function_hash = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(evaluator->function));
	dlist_push_tail(&evaluators, &evaluator->link);
	evaluator->unlink.func = unlink_evaluator;
	evaluator->unlink.arg = evaluator;
	MemoryContextRegisterResetCallback(evaluator->memory, &evaluator->unlink);
}

#define READ_ON_COORDINATOR "Ask the coordinator: dpsens.row_sensitivity(), dpsens.sensitivity_summary() and dpsens.local_sensitivity() read all rows of the table."

/* A node to which Citus has sent the call has neither the expression's body nor declarations of its own. */
static void
refuse_worker(void)
{
	if (dps_citus_is_worker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("registered expressions are not computed on a worker node of Citus"),
				 errdetail("What an expression is, and the ranges of its columns, the coordinator alone knows."),
				 errhint(READ_ON_COORDINATOR)));
}

static Oid
expression_relation(Oid function)
{
	Oid			relation = InvalidOid;

	refuse_worker();

	if (SearchSysCacheExists1(PROCOID, ObjectIdGetDatum(function)) && dps_is_registered_expression(function))
		relation = dps_expression_relation(function);
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function %s is not a registered expression", format_procedure(function)),
				 errhint("The view dpsens.expressions lists them; dpsens.register makes one.")));
	return relation;
}

/* The private variables by the table's order of columns. */
static void
order_columns(DpsEvaluator *evaluator)
{
	const DpsAnalysis *analysis = &evaluator->row.analysis;
	const AttrNumber *column = evaluator->row.column;
	int			n = 0;
	int			j;
	int			k;

	for (j = 0; j < evaluator->ncells; j++)
	{
		if (!(analysis->policy.private_variables & (UINT64_C(1) << j)))
			continue;
		for (k = n++; k > 0 && column[evaluator->variable[k - 1]] > column[j]; k--)
			evaluator->variable[k] = evaluator->variable[k - 1];
		evaluator->variable[k] = j;
	}
	evaluator->nprivate = n;
	for (k = 0; k < n; k++)
		evaluator->weights[k] = analysis->policy.weights[evaluator->variable[k]];
}

static void
read_columns(DpsEvaluator *evaluator)
{
	Relation	relation = table_open(evaluator->relation, AccessShareLock);
	int			n = evaluator->ncells;
	int			j;

	evaluator->descriptor = CreateTupleDescCopyConstr(RelationGetDescr(relation));
	evaluator->row_type = relation->rd_rel->reltype;
	table_close(relation, NoLock);
	evaluator->cells = palloc0(sizeof(DpsCell) * Max(n, 1));
	evaluator->columns = palloc(sizeof(double *) * Max(n, 1));
	for (j = 0; j < n; j++)
	{
		AttrNumber	column = evaluator->row.column[j];

		evaluator->cells[j].type = getBaseType(TupleDescAttr(evaluator->descriptor, column - 1)->atttypid);
		evaluator->cells[j].domain = evaluator->row.analysis.box[j];
		evaluator->columns[j] = palloc(sizeof(double) * DPS_BATCH);
	}
	evaluator->seen = palloc0(sizeof(double) * Max(n, 1));
	evaluator->datums = palloc(sizeof(Datum) * evaluator->descriptor->natts);
	evaluator->nulls = palloc(sizeof(bool) * evaluator->descriptor->natts);
}

/* Columns of a batch, none where there is no node. */
static double **
make_columns(int n)
{
	double	  **columns = palloc0(sizeof(double *) * Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
		columns[i] = palloc(sizeof(double) * DPS_BATCH);
	return columns;
}

/* Adds an output and returns the column that it fills. */
static double *
add_output(DpsEvaluator *evaluator, const DpsNode **nodes, int *n, const DpsNode *node)
{
	double	   *column = palloc(sizeof(double) * DPS_BATCH);

	nodes[*n] = node;
	evaluator->outputs[(*n)++] = column;
	return column;
}

/* The upper half of the Hessian, which is symmetric; zeros are left out. */
static void
add_hessian(DpsEvaluator *evaluator, const DpsNode **nodes, int *n)
{
	DpsGraph   *graph = evaluator->row.analysis.graph;
	int			nvariables = graph->nvariables;
	int			d = evaluator->nprivate;
	const DpsNode **hessian = palloc(sizeof(DpsNode *) * Max(nvariables * nvariables, 1));
	double	  **columns = palloc0(sizeof(double *) * Max(d * d, 1));
	int			j;
	int			k;

	dps_check_status(dps_hessian(graph, evaluator->row.analysis.node, hessian));
	for (j = 0; j < d; j++)
	{
		for (k = j; k < d; k++)
		{
			const DpsNode *node = hessian[evaluator->variable[j] * nvariables + evaluator->variable[k]];

			if (dps_is_constant(node, 0))
				continue;
			columns[j * d + k] = columns[k * d + j] = add_output(evaluator, nodes, n, node);
		}
	}
	evaluator->derived.hessian = columns;
	evaluator->derived.partial = make_columns(d);
}

static void
add_gradient(DpsEvaluator *evaluator, const DpsNode **nodes, int *n)
{
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	double	  **columns = palloc(sizeof(double *) * Max(evaluator->nprivate, 1));
	int			j;

	dps_check_status(dps_gradient(evaluator->row.analysis.graph, evaluator->row.analysis.node, gradient));
	for (j = 0; j < evaluator->nprivate; j++)
		columns[j] = add_output(evaluator, nodes, n, gradient[evaluator->variable[j]]);
	evaluator->derived.n = evaluator->nprivate;
	evaluator->derived.weights = evaluator->weights;
	evaluator->derived.gradient = columns;
	evaluator->derived.norm = palloc(sizeof(double) * DPS_BATCH);
	evaluator->derived.normalized = make_columns(evaluator->nprivate);
}

/* Does the evaluator's detail include this one? */
static bool
includes(const DpsEvaluator *evaluator, DpsDetail detail)
{
	return evaluator->detail >= detail && evaluator->detail <= DPS_DETAIL_PARTIAL;
}

static void
add_slope(DpsEvaluator *evaluator, const DpsNode **nodes, int *n)
{
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	int			j = (int) evaluator->detail - (int) DPS_DETAIL_SLOPE;

	if (j < 0 || j >= evaluator->nprivate)
		return;
	dps_check_status(dps_gradient(evaluator->row.analysis.graph, evaluator->row.analysis.node, gradient));
	evaluator->slope = add_output(evaluator, nodes, n, gradient[evaluator->variable[j]]);
}

static void
compile(DpsEvaluator *evaluator)
{
	DpsAnalysis *analysis = &evaluator->row.analysis;
	int			most = 1 + evaluator->nprivate + evaluator->nprivate * (evaluator->nprivate + 1) / 2;
	const DpsNode **nodes = palloc(sizeof(DpsNode *) * most);
	int			n = 0;

	evaluator->outputs = palloc(sizeof(double *) * most);
	evaluator->value = add_output(evaluator, nodes, &n, analysis->node);
	add_slope(evaluator, nodes, &n);
	if (includes(evaluator, DPS_DETAIL_SLOPES))
		add_gradient(evaluator, nodes, &n);
	if (includes(evaluator, DPS_DETAIL_PARTIAL))
		add_hessian(evaluator, nodes, &n);
	dps_check_status(dps_compile(analysis->graph, nodes, n, &evaluator->program));
	evaluator->scratch = palloc(sizeof(double) * dps_max(dps_scratch_size(evaluator->program), 1));
	evaluator->box = palloc(sizeof(DpsDomain) * Max(evaluator->ncells, 1));
	evaluator->enclosures = palloc(sizeof(DpsEnclosure) * Max(evaluator->program->ninstructions, 1));
}

static void
fill(DpsEvaluator *evaluator)
{
	DpsRelationAnnotation annotation;

	evaluator->relation = expression_relation(evaluator->function);
	/* before anything is read that a change could make stale */
	watch(evaluator);
	dps_get_relation_annotation(evaluator->relation, &annotation);
	evaluator->is_protected = annotation.is_protected;
	evaluator->adjacency = annotation.adjacency;
	dps_prepare_row(evaluator->relation, dps_expression_body(evaluator->function), NULL, &evaluator->row);
	evaluator->ncells = evaluator->row.analysis.graph->nvariables;
	order_columns(evaluator);
	read_columns(evaluator);
	compile(evaluator);
}

DpsEvaluator *
dps_evaluator_make(Oid function, DpsDetail detail, MemoryContext parent)
{
	/* an error must not leave the memory behind in the parent */
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens evaluator", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(memory);
	DpsEvaluator *evaluator = palloc0(sizeof(DpsEvaluator));

	evaluator->memory = memory;
	evaluator->parent = parent;
	evaluator->function = function;
	evaluator->detail = detail;
	fill(evaluator);
	MemoryContextSwitchTo(previous);
	MemoryContextSetParent(memory, parent);
	return evaluator;
}

/* Empties a slot. */
static void
empty_slot(DpsEvaluator **slot)
{
	DpsEvaluator *evaluator = *slot;

	*slot = NULL;
	if (evaluator != NULL && --evaluator->users == 0)
		MemoryContextDelete(evaluator->memory);
}

static DpsEvaluator *
find_shared(Oid function, DpsDetail detail, MemoryContext parent)
{
	dlist_iter	iter;

	dlist_foreach(iter, &evaluators)
	{
		DpsEvaluator *evaluator = dlist_container(DpsEvaluator, link, iter.cur);

		if (evaluator->users > 0 && evaluator->parent == parent && evaluator->function == function &&
			evaluator->detail == detail && !evaluator->stale)
			return evaluator;
	}
	return NULL;
}

DpsEvaluator *
dps_evaluator_find(DpsEvaluator **slot, Oid function, DpsDetail detail, MemoryContext parent, bool *fresh)
{
	DpsEvaluator *evaluator = *slot;

	*fresh = evaluator == NULL || evaluator->function != function || evaluator->detail != detail || evaluator->stale;
	if (!*fresh)
		return evaluator;
	empty_slot(slot);
	evaluator = find_shared(function, detail, parent);
	if (evaluator == NULL)
		evaluator = dps_evaluator_make(function, detail, parent);
	evaluator->users++;
	*slot = evaluator;
	return evaluator;
}

char *
dps_private_column(const DpsEvaluator *evaluator, int j)
{
	return get_attname(evaluator->relation, evaluator->row.column[evaluator->variable[j]], false);
}

static void
refuse_row(const DpsEvaluator *evaluator, Oid type)
{
	char	   *name = get_rel_name(evaluator->relation);

	dps_citus_refuse_use(evaluator->relation, "functions of single rows of", "Citus calls them where the rows are, with rows of shards.", READ_ON_COORDINATOR);
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("row must be of type %s, not %s", format_type_be(evaluator->row_type), format_type_be(type)),
			 errhint("Pass a row of the table, as in SELECT ...(%s, %s) FROM %s.",
					 quote_literal_cstr(format_procedure(evaluator->function)), quote_identifier(name),
					 quote_identifier(name))));
}

static void
see_row(DpsEvaluator *evaluator, HeapTupleHeader tuple)
{
	HeapTupleData data;
	int			j;

	data.t_len = HeapTupleHeaderGetDatumLength(tuple);
	ItemPointerSetInvalid(&data.t_self);
	data.t_tableOid = InvalidOid;
	data.t_data = tuple;
	heap_deform_tuple(&data, evaluator->descriptor, evaluator->datums, evaluator->nulls);
	for (j = 0; j < evaluator->ncells; j++)
	{
		int			column = evaluator->row.column[j] - 1;

		dps_evaluator_see(evaluator, j, evaluator->datums[column], evaluator->nulls[column]);
	}
}

void
dps_evaluate_row(DpsEvaluator *evaluator, HeapTupleHeader tuple)
{
	if (HeapTupleHeaderGetTypeId(tuple) != evaluator->row_type)
		refuse_row(evaluator, HeapTupleHeaderGetTypeId(tuple));
	see_row(evaluator, tuple);
	dps_evaluate_seen(evaluator);
}

static void
evaluate(DpsEvaluator *evaluator, int nrows)
{
	dps_evaluate(evaluator->program, (const double *const *) evaluator->columns, nrows,
				 evaluator->scratch, evaluator->outputs);
	if (includes(evaluator, DPS_DETAIL_GRADIENT))
		dps_derive_norm(&evaluator->derived, nrows);
	if (includes(evaluator, DPS_DETAIL_PARTIAL))
		dps_derive_partial(&evaluator->derived, nrows);
}

void
dps_evaluate_seen(DpsEvaluator *evaluator)
{
	int			j;

	if (evaluator->has_seen)
		return;
	for (j = 0; j < evaluator->ncells; j++)
	{
		double	   *cell = evaluator->columns[j];

		*cell = evaluator->seen[j];
		dps_clamp_cells(cell, 1, &evaluator->cells[j].domain);
	}
	evaluate(evaluator, 1);
	evaluator->has_seen = true;
}

void
dps_evaluator_run(DpsEvaluator *evaluator, int nrows)
{
	int			j;

	for (j = 0; j < evaluator->ncells; j++)
		dps_clamp_cells(evaluator->columns[j], nrows, &evaluator->cells[j].domain);
	evaluate(evaluator, nrows);
}

double
dps_evaluator_plis(const DpsEvaluator *evaluator, int row, int j, double sigma)
{
	const DpsDerived *d = &evaluator->derived;
	const double *slope = evaluator->detail >= DPS_DETAIL_SLOPE ? evaluator->slope : d->gradient[j];
	double		loss_slope;

	if (!dps_evaluator_is_metric(evaluator))
		loss_slope = evaluator->value[row] * slope[row];
	else if (d->norm[row] == 0)
		loss_slope = 0;			/* the sum's terms all have a factor 0 */
	else
		loss_slope = d->norm[row] * d->partial[j][row];
	return 2 * loss_slope / sigma / sigma;
}

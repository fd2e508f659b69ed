/*
 * sql_whatif.c
 *		What-if analysis: dpsens.sensitivity, gradient, evaluate, operations.
 *
 * The analysis is the same as for queries, but without a table: columns and their
 * ranges are given as JSON.  Nothing here reads data or needs the library to be
 * preloaded.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "bound/dimension.h"
#include "glue/analysis/analysis.h"
#include "glue/analysis/derived.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_sensitivity);
DPS_SQL_FUNCTION(dpsens_gradient);
DPS_SQL_FUNCTION(dpsens_evaluate);
DPS_SQL_FUNCTION(dpsens_operations);

static inline bool
is_private(const DpsAnalysis *analysis, int variable)
{
	return (analysis->policy.private_variables & (UINT64_C(1) << variable)) != 0;
}

/*
 * dpsens.sensitivity
 */

static void
put_quantity(ReturnSetInfo *result, DpsAnalysis *analysis, DpsQuantityKind kind, int variable)
{
	Datum		values[5] = {0};
	bool		nulls[5] = {false};
	DpsBracket	bracket;
	DpsBracket	partial;
	bool		refused;
	char	   *note;

	CHECK_FOR_INTERRUPTS();
	dps_quantity(analysis, kind, variable, &bracket);
	refused = bracket.status != DPS_OK;
	note = dps_quantity_note(analysis, kind, variable, &bracket);
	if (refused && dps_partial_quantity(analysis, kind, &partial))
	{
		refused = false;
		bracket = partial;
		note = psprintf("of rows that have a value; %s", note);
	}
	values[0] = CStringGetTextDatum(dps_quantity_name(analysis, kind, variable));
	/* -0 is shown as 0 */
	values[1] = Float8GetDatum(bracket.lower + 0.0);
	nulls[1] = refused && (kind == DPS_INFIMUM || !isfinite(bracket.lower));
	values[2] = Float8GetDatum(refused ? INFINITY : bracket.upper + 0.0);
	values[3] = JsonbPGetDatum(dps_point_to_jsonb(analysis->graph, &bracket.witness));
	nulls[4] = note == NULL;
	if (note != NULL)
		values[4] = CStringGetTextDatum(note);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_per_column(ReturnSetInfo *result, DpsAnalysis *analysis, DpsQuantityKind kind)
{
	int			j;

	for (j = 0; j < dps_columns(analysis->graph); j++)
	{
		if (is_private(analysis, j))
			put_quantity(result, analysis, kind, j);
	}
}

static void
put_vector_quantity(ReturnSetInfo *result, DpsVectorAnalysis *vector, DpsQuantityKind kind, DpsGradientNorm norm,
					int variable)
{
	Datum		values[5] = {0};
	bool		nulls[5] = {false};
	DpsJointBracket joint;
	const DpsBracket *bracket = &joint.bracket;
	char	   *note;

	CHECK_FOR_INTERRUPTS();
	dps_vector_quantity(vector, kind, norm, variable, &joint);
	note = dps_vector_quantity_note(vector, kind, variable, &joint);
	values[0] = CStringGetTextDatum(dps_vector_quantity_name(vector, kind, norm, variable));
	values[1] = Float8GetDatum(bracket->lower + 0.0);
	nulls[1] = !isfinite(bracket->lower);
	values[2] = Float8GetDatum(bracket->status != DPS_OK ? INFINITY : bracket->upper + 0.0);
	values[3] = JsonbPGetDatum(dps_point_to_jsonb(vector->analysis.graph, &bracket->witness));
	nulls[4] = note == NULL;
	if (note != NULL)
		values[4] = CStringGetTextDatum(note);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_vector_norms(ReturnSetInfo *result, DpsVectorAnalysis *vector, DpsQuantityKind kind, int variable)
{
	static const DpsGradientNorm norms[] = {DPS_NORM_1, DPS_NORM_2, DPS_NORM_INFINITY};
	int			i;

	for (i = 0; i < (int) lengthof(norms); i++)
		put_vector_quantity(result, vector, kind, norms[i], variable);
}

static void
put_vector(ReturnSetInfo *result, DpsVectorAnalysis *vector)
{
	int			j;

	put_vector_norms(result, vector, DPS_SUM_ADD_REMOVE, -1);
	put_vector_norms(result, vector, DPS_SUM_REPLACE, -1);
	put_vector_norms(result, vector, DPS_SUM_METRIC, -1);
	for (j = 0; j < dps_columns(vector->analysis.graph); j++)
	{
		if (is_private(&vector->analysis, j))
			put_vector_norms(result, vector, DPS_SUM_ATTRIBUTE, j);
	}
}

static void
put_scalar(ReturnSetInfo *result, DpsAnalysis *analysis)
{
	static const DpsQuantityKind kinds[] = {
		DPS_INFIMUM, DPS_SUPREMUM, DPS_SUM_ADD_REMOVE, DPS_SUM_REPLACE,
		DPS_SUM_METRIC, DPS_SUM_METRIC_L1, DPS_SUM_METRIC_LINF
	};
	int			i;

	for (i = 0; i < (int) lengthof(kinds); i++)
		put_quantity(result, analysis, kinds[i], -1);
	put_per_column(result, analysis, DPS_SUM_ATTRIBUTE);
	put_per_column(result, analysis, DPS_SLOPE);
}

Datum
dpsens_sensitivity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsVectorAnalysis *vector = palloc(sizeof(DpsVectorAnalysis));

	InitMaterializedSRF(fcinfo, 0);
	dps_prepare_vector_ranges(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1), vector);
	if (vector->n > 0)
		put_vector(result, vector);
	else
		put_scalar(result, &vector->analysis);
	return (Datum) 0;
}

/*
 * dpsens.gradient
 */

static void
put_formula(ReturnSetInfo *result, const DpsGraph *graph, const char *name, const DpsNode *node)
{
	char	   *sql = dps_formula_sql(graph, node);
	char	   *latex = dps_formula_latex(graph, node);
	Datum		values[3] = {0};
	bool		nulls[3] = {false, sql == NULL, latex == NULL};

	if (sql == NULL || latex == NULL)
		ereport(WARNING,
				(errmsg("the formula of \"%s\" is too long to be shown", name)));
	values[0] = CStringGetTextDatum(name);
	if (sql != NULL)
		values[1] = CStringGetTextDatum(sql);
	if (latex != NULL)
		values[2] = CStringGetTextDatum(latex);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_formulas(ReturnSetInfo *result, const DpsAnalysis *analysis, const char *prefix,
			 const DpsNode *const *nodes)
{
	const DpsGraph *graph = analysis->graph;
	int			j;

	for (j = 0; j < dps_columns(graph); j++)
	{
		if (is_private(analysis, j))
			put_formula(result, graph, psprintf("%s%s", prefix, dps_variable_key(graph, j)), nodes[j]);
	}
}

/* The entries of the Jacobian, then the norms of its rows. */
static void
put_jacobian(ReturnSetInfo *result, const DpsVectorAnalysis *vector)
{
	DpsGraph   *graph = vector->analysis.graph;
	const DpsPolicy *policy = &vector->analysis.policy;
	const DpsNode *norm[DPS_MAX_ENTRIES];
	int			i;
	int			j;

	for (i = 0; i < vector->n; i++)
	{
		const DpsNode *gradient[DPS_MAX_VARIABLES + 1];

		dps_check_status(dps_gradient(graph, vector->entry[i], gradient));
		for (j = 0; j < dps_columns(graph); j++)
		{
			if (is_private(&vector->analysis, j))
				put_formula(result, graph, psprintf("%s[%d]", dps_variable_key(graph, j), i + 1), gradient[j]);
		}
		norm[i] = dps_norm2(graph, gradient, policy->private_variables, policy->weights);
		if (norm[i] == NULL)
			dps_check_status(DPS_NOMEM);
	}
	for (i = 0; i < vector->n; i++)
		put_formula(result, graph, psprintf("norm[%d]", i + 1), norm[i]);
}

Datum
dpsens_gradient(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsVectorAnalysis *vector = palloc(sizeof(DpsVectorAnalysis));
	const DpsGraph *graph;
	DpsDerivatives derivatives;

	InitMaterializedSRF(fcinfo, 0);
	dps_prepare_vector_ranges(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1), vector);
	if (vector->n > 0)
	{
		put_jacobian(result, vector);
		return (Datum) 0;
	}
	graph = vector->analysis.graph;
	dps_derive(&vector->analysis, &derivatives);
	put_formulas(result, &vector->analysis, "", derivatives.gradient);
	put_formula(result, graph, "norm", derivatives.norm);
	put_formulas(result, &vector->analysis, "normalized:", derivatives.normalized);
	put_formulas(result, &vector->analysis, "partial:", derivatives.partial);
	return (Datum) 0;
}

/*
 * dpsens.evaluate
 */

/* Values at a point; arrays have an entry for each private column, in order. */
typedef struct PointValues
{
	int			n;
	double		weight[DPS_MAX_VARIABLES];
	double		value;
	double		gradient[DPS_MAX_VARIABLES];
	double	   *hessian;		/* n x n */
	double		norm;
	double		normalized[DPS_MAX_VARIABLES];
	double		partial[DPS_MAX_VARIABLES];
} PointValues;

static void
evaluate_nodes(const DpsAnalysis *analysis, const DpsNode *const *nodes, int n, double *values)
{
	const DpsProgram *program;
	const double *columns[DPS_MAX_VARIABLES];
	double		cells[DPS_MAX_VARIABLES];
	double	  **outputs = palloc(sizeof(double *) * n);
	double	   *scratch;
	int			i;

	dps_check_status(dps_compile(analysis->graph, nodes, n, &program));
	for (i = 0; i < analysis->graph->nvariables; i++)
	{
		cells[i] = analysis->box[i].nullness == DPS_ALWAYS_NULL ? (double) NAN : analysis->box[i].lo;
		columns[i] = &cells[i];
	}
	for (i = 0; i < n; i++)
		outputs[i] = &values[i];
	scratch = palloc(sizeof(double) * dps_scratch_size(program));
	dps_evaluate(program, columns, 1, scratch, outputs);
}

/* A value that SQL would refuse to compute is an error here as well. */
static void
check_defined(const DpsAnalysis *analysis, double value)
{
	DpsBracket	bracket = {.status = DPS_DOMAIN};
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	const DpsEnclosure *result;
	int			culprit;
	int			j;

	dps_check_status(dps_compile(analysis->graph, &analysis->node, 1, &program));
	enclosures = palloc(sizeof(DpsEnclosure) * program->ninstructions);
	dps_enclose(program, analysis->box, enclosures);
	result = &enclosures[dps_program_outputs(program)[0]];
	if (isfinite(value) ? result->defined != DPS_UNDEFINED :
		isnan(value) && result->nullness == DPS_ALWAYS_NULL && result->defined != DPS_UNDEFINED)
		return;
	culprit = result->defined == DPS_DEFINED ? -1 : dps_culprit(program, enclosures, 0);
	bracket.culprit = culprit < 0 ? analysis->node :
		dps_node_of(analysis->graph, program->code[culprit].node);
	for (j = 0; j < dps_columns(analysis->graph); j++)
		bracket.witness.x[j] = analysis->box[j].nullness == DPS_ALWAYS_NULL ?
			(double) NAN : analysis->box[j].lo;
	ereport(ERROR,
			(errcode(dps_bracket_sqlstate(analysis->graph, &bracket)),
			 errmsg("%s", dps_bracket_note(analysis->graph, &bracket))));
}

/* The numbers that follow from gradient and Hessian; NaN where they do not exist. */
static void
derive_values(PointValues *v)
{
	double	   *gradient[DPS_MAX_VARIABLES];
	double	   *normalized[DPS_MAX_VARIABLES];
	double	   *partial[DPS_MAX_VARIABLES];
	double	  **hessian = palloc(sizeof(double *) * Max(v->n * v->n, 1));
	DpsDerived	derived = {v->n, v->weight, gradient, hessian, &v->norm, normalized, partial};
	int			j;

	for (j = 0; j < v->n; j++)
	{
		gradient[j] = &v->gradient[j];
		normalized[j] = &v->normalized[j];
		partial[j] = &v->partial[j];
	}
	for (j = 0; j < v->n * v->n; j++)
		hessian[j] = &v->hessian[j];
	dps_derive_norm(&derived, 1);
	dps_derive_partial(&derived, 1);
}

static void
evaluate_point(const DpsAnalysis *analysis, PointValues *v)
{
	DpsGraph   *graph = analysis->graph;
	int			nvariables = graph->nvariables;
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode **hessian = palloc(sizeof(DpsNode *) * nvariables * nvariables);
	int			column[DPS_MAX_VARIABLES];
	const DpsNode **nodes;
	double	   *values;
	int			count = 0;
	int			j;
	int			k;

	v->n = 0;
	for (j = 0; j < nvariables; j++)
	{
		if (!is_private(analysis, j))
			continue;
		v->weight[v->n] = analysis->policy.weights[j];
		column[v->n++] = j;
	}
	dps_check_status(dps_gradient(graph, analysis->node, gradient));
	dps_check_status(dps_hessian(graph, analysis->node, hessian));
	nodes = palloc(sizeof(DpsNode *) * (1 + v->n + v->n * v->n));
	values = palloc(sizeof(double) * (1 + v->n + v->n * v->n));
	nodes[count++] = analysis->node;
	for (j = 0; j < v->n; j++)
		nodes[count++] = gradient[column[j]];
	for (j = 0; j < v->n; j++)
	{
		for (k = 0; k < v->n; k++)
			nodes[count++] = hessian[column[j] * nvariables + column[k]];
	}
	evaluate_nodes(analysis, nodes, count, values);
	v->value = values[0];
	memcpy(v->gradient, values + 1, sizeof(double) * v->n);
	v->hessian = values + 1 + v->n;
	derive_values(v);
}

Datum
dpsens_evaluate(PG_FUNCTION_ARGS)
{
	DpsAnalysis analysis;
	PointValues v;
	TupleDesc	descriptor;
	Datum		values[6];
	bool		nulls[6] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	dps_prepare_point(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1), &analysis);
	evaluate_point(&analysis, &v);
	check_defined(&analysis, v.value);
	values[0] = Float8GetDatum(v.value);
	nulls[0] = isnan(v.value);
	values[1] = dps_float8_array(v.gradient, v.n, 1);
	values[2] = Float8GetDatum(v.norm);
	nulls[2] = !isfinite(v.norm);
	values[3] = dps_float8_array(v.normalized, v.n, 1);
	values[4] = dps_float8_array(v.partial, v.n, 1);
	nulls[3] = nulls[4] = nulls[2] || v.norm == 0;
	values[5] = dps_float8_array(v.hessian, v.n, 2);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

/*
 * dpsens.operations
 */

/* An operation's template with names for its marks: "x + y". */
static Datum
readable_template(const char *template)
{
	StringInfoData text;
	const char *c;

	initStringInfo(&text);
	for (c = template; *c != '\0'; c++)
	{
		if (*c != '%')
		{
			appendStringInfoChar(&text, *c);
			continue;
		}
		c++;
		if (*c == '%')
			appendStringInfoChar(&text, '%');
		else if (*c == 't')
			appendStringInfoString(&text, "type");
		else
		{
			while (*c != 'x' && *c != 'y')
				c++;
			appendStringInfoChar(&text, *c);
			if (c[-1] == '(')
				c++;			/* the closing parenthesis of the mark */
		}
	}
	return CStringGetTextDatum(text.data);
}

static Datum
lower_case(const char *name)
{
	char	   *result = pstrdup(name);
	char	   *c;

	for (c = result; *c != '\0'; c++)
		*c = pg_tolower((unsigned char) *c);
	return CStringGetTextDatum(result);
}

static Datum
word_array(const char *words)
{
	return DirectFunctionCall2Coll(text_to_array, C_COLLATION_OID, CStringGetTextDatum(words),
								   CStringGetTextDatum(" "));
}

Datum
dpsens_operations(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int			op;

	InitMaterializedSRF(fcinfo, 0);
	for (op = DPS_OP_FIRST_ROW; op < DPS_OP_COUNT; op++)
	{
		const DpsOp *row = &dps_ops[op];
		Datum		values[5];
		bool		nulls[5] = {false};

		values[0] = lower_case(row->name);
		values[1] = Int32GetDatum(row->arity);
		values[2] = readable_template(row->sql);
		values[3] = readable_template(row->latex);
		values[4] = word_array(row->builtins);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

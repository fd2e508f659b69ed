/*
 * sql_row.c
 *		What a row contributes, as functions of the row: dpsens.value_of,
 *		slope_of, gradient_of, gradient_norm_of, contribution_of, partial_sensitivity_of,
 *		plis_of, individual_loss, individual_epsilon, first_order_loss,
 *		audit_row; and of its cells alone: dpsens_internal.cells_number, cells_array.
 *
 * Usable in any query over the table: they read no data but the row they are
 * given, and no row makes them fail.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "audit/evaluator.h"
#include "audit/loss.h"
#include "audit/row_call.h"
#include "audit/row_numbers.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_value_of);
DPS_SQL_FUNCTION(dpsens_slope_of);
DPS_SQL_FUNCTION(dpsens_gradient_of);
DPS_SQL_FUNCTION(dpsens_gradient_norm_of);
DPS_SQL_FUNCTION(dpsens_contribution_of);
DPS_SQL_FUNCTION(dpsens_contribution_entry);
DPS_SQL_FUNCTION(dpsens_partial_sensitivity_of);
DPS_SQL_FUNCTION(dpsens_partial_sensitivity_entry);
DPS_SQL_FUNCTION(dpsens_plis_of);
DPS_SQL_FUNCTION(dpsens_plis_entry);
DPS_SQL_FUNCTION(dpsens_individual_loss);
DPS_SQL_FUNCTION(dpsens_individual_epsilon);
DPS_SQL_FUNCTION(dpsens_first_order_loss);
DPS_SQL_FUNCTION(dpsens_cells);
DPS_SQL_FUNCTION(dpsens_audit_row);
DPS_SQL_FUNCTION(dpsens_expression_columns);

const DpsRowFunction dps_row_functions[DPS_ROW_QUESTIONS] = {
	[DPS_ROW_VALUE] = {"value_of", false, false, false},
	[DPS_ROW_SLOPE] = {"slope_of", false, false, true},
	[DPS_ROW_GRADIENT] = {"gradient_of", true, false, false},
	[DPS_ROW_GRADIENT_NORM] = {"gradient_norm_of", false, false, false},
	[DPS_ROW_CONTRIBUTION] = {"contribution_of", true, false, false},
	[DPS_ROW_CONTRIBUTION_ENTRY] = {"contribution_of", false, false, true},
	[DPS_ROW_PARTIAL] = {"partial_sensitivity_of", true, false, false},
	[DPS_ROW_PARTIAL_ENTRY] = {"partial_sensitivity_of", false, false, true},
	[DPS_ROW_PLIS] = {"plis_of", true, true, false},
	[DPS_ROW_PLIS_ENTRY] = {"plis_of", false, true, true},
	[DPS_ROW_LOSS] = {"individual_loss", false, true, false},
	[DPS_ROW_EPSILON] = {"individual_epsilon", false, true, false},
	[DPS_ROW_FIRST_ORDER] = {"first_order_loss", false, true, false}
};

/* The detail of each question; for slopes and PLIS see find_detail. */
static const DpsDetail details[DPS_ROW_QUESTIONS] = {
	[DPS_ROW_VALUE] = DPS_DETAIL_VALUE,
	[DPS_ROW_GRADIENT] = DPS_DETAIL_SLOPES,
	[DPS_ROW_GRADIENT_NORM] = DPS_DETAIL_GRADIENT,
	[DPS_ROW_CONTRIBUTION] = DPS_DETAIL_GRADIENT,
	[DPS_ROW_CONTRIBUTION_ENTRY] = DPS_DETAIL_GRADIENT,
	[DPS_ROW_PARTIAL] = DPS_DETAIL_PARTIAL,
	[DPS_ROW_PARTIAL_ENTRY] = DPS_DETAIL_PARTIAL,
	[DPS_ROW_LOSS] = DPS_DETAIL_VALUE,
	[DPS_ROW_EPSILON] = DPS_DETAIL_VALUE,
	[DPS_ROW_FIRST_ORDER] = DPS_DETAIL_GRADIENT
};

/* The arguments before the cells, in a call with cells. */
#define CELLS_QUESTION 0
#define CELLS_EXPRESSION 1
#define CELLS_PARAMETER 2
#define CELLS_PLACE 3
#define CELLS_COLUMNS 4
#define CELLS_FIRST 5

/* What is asked of a row. */
typedef struct RowAsked
{
	DpsRowQuestion question;
	Oid			function;
	double		parameter;
	int			place;
} RowAsked;

/* What fn_extra points to. */
typedef struct RowCall
{
	DpsEvaluator *evaluator;	/* NULL if nothing was asked yet */
	RowAsked	asked;			/* last, and allowed */
	bool		mapped;			/* for it */
	int			argument[DPS_MAX_VARIABLES];	/* of a call with cells: that
												 * of each variable */
	DpsReleaseLoss loss;		/* as derived for the evaluator; last, as is its release */
} RowCall;

static void
check_parameter(DpsRowQuestion question, double parameter)
{
	if ((question == DPS_ROW_PLIS || question == DPS_ROW_PLIS_ENTRY) && (!(parameter > 0) || isinf(parameter)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sigma must be a positive number")));
	if (question == DPS_ROW_LOSS || question == DPS_ROW_FIRST_ORDER)
		dps_check_order(parameter);
	if (question == DPS_ROW_EPSILON)
		dps_check_delta(parameter);
}

/* The detail of a question; a place beyond the columns stays beyond them. */
static DpsDetail
find_detail(const RowAsked *asked, bool is_metric)
{
	int			j = asked->place >= 1 && asked->place <= DPS_MAX_VARIABLES ? asked->place - 1 : DPS_MAX_VARIABLES;

	switch (asked->question)
	{
		case DPS_ROW_SLOPE:
			return (DpsDetail) (DPS_DETAIL_SLOPE + j);
		case DPS_ROW_PLIS_ENTRY:
			return dps_plis_detail(is_metric, j);
		case DPS_ROW_PLIS:
			return dps_plis_detail(is_metric, -1);
		default:
			return details[asked->question];
	}
}

/* May the last call's evaluator be used: the same question, and nothing changed? */
static inline bool
is_current(const RowCall *call, const RowAsked *asked)
{
	return call != NULL && call->evaluator != NULL && !call->evaluator->stale &&
		call->asked.question == asked->question && call->asked.function == asked->function &&
		call->asked.parameter == asked->parameter && call->asked.place == asked->place;
}

static RowCall *
make_call(FunctionCallInfo fcinfo, const RowAsked *asked)
{
	RowCall    *call = fcinfo->flinfo->fn_extra;
	bool		is_metric = false;

	check_parameter(asked->question, asked->parameter);
	if (call == NULL)
		call = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(RowCall));
	for (;;)
	{
		bool		fresh;

		dps_evaluator_find(&call->evaluator, asked->function, find_detail(asked, is_metric), fcinfo->flinfo->fn_mcxt, &fresh);
		if (fresh)
		{
			dps_loss_forget(&call->loss);
			call->mapped = false;
		}
		/* the evaluator's adjacency says which detail is needed */
		if (find_detail(asked, dps_evaluator_is_metric(call->evaluator)) == call->evaluator->detail)
			break;
		is_metric = !is_metric;
		CHECK_FOR_INTERRUPTS();
	}
	call->asked = *asked;
	return call;
}

static inline RowCall *
find_call(FunctionCallInfo fcinfo, const RowAsked *asked)
{
	RowCall    *call = fcinfo->flinfo->fn_extra;

	if (!is_current(call, asked))
		call = make_call(fcinfo, asked);
	if (asked->question >= DPS_ROW_LOSS)
		dps_loss_prepare(&call->loss, call->evaluator, fcinfo->flinfo->fn_mcxt);
	return call;
}

/* NaN is NULL; no reader wants to know the sign of 0. */
static Datum
number(FunctionCallInfo fcinfo, double value)
{
	fcinfo->isnull = isnan(value);
	return Float8GetDatum(value + 0.0);
}

/* Infinite numbers are NULL, too. */
static Datum
finite_number(FunctionCallInfo fcinfo, double value)
{
	return number(fcinfo, isfinite(value) ? value : (double) NAN);
}

static Datum
entry_if(FunctionCallInfo fcinfo, bool exists, double *const *columns, int j)
{
	return finite_number(fcinfo, exists ? columns[j][0] : (double) NAN);
}

static Datum
array_if(FunctionCallInfo fcinfo, bool exists, const DpsEvaluator *evaluator, double *const *columns)
{
	fcinfo->isnull = !exists;
	return exists ? dps_row_array(columns, evaluator->nprivate, 0) : (Datum) 0;
}

/* The answer for the evaluated row 0. */
static Datum
answer(FunctionCallInfo fcinfo, RowCall *call)
{
	double		parameter = call->asked.parameter;
	const DpsEvaluator *evaluator = call->evaluator;
	const DpsDerived *derived = &evaluator->derived;
	DpsReleaseLoss *loss = &call->loss;
	bool		valid = dps_evaluator_valid(evaluator, 0);
	int			j = call->asked.place - 1;
	bool		has_entry = j >= 0 && j < evaluator->nprivate;

	switch (call->asked.question)
	{
		case DPS_ROW_VALUE:
			return number(fcinfo, valid ? evaluator->value[0] : (double) NAN);
		case DPS_ROW_SLOPE:
			return finite_number(fcinfo, valid && evaluator->slope != NULL ? evaluator->slope[0] : (double) NAN);
		case DPS_ROW_GRADIENT:
			return array_if(fcinfo, valid, evaluator, derived->gradient);
		case DPS_ROW_GRADIENT_NORM:
			return finite_number(fcinfo, valid ? derived->norm[0] : (double) NAN);
		case DPS_ROW_CONTRIBUTION:
			return array_if(fcinfo, dps_evaluator_steep(evaluator, 0), evaluator, derived->normalized);
		case DPS_ROW_CONTRIBUTION_ENTRY:
			return entry_if(fcinfo, has_entry && dps_evaluator_steep(evaluator, 0), derived->normalized, j);
		case DPS_ROW_PARTIAL:
			return array_if(fcinfo, dps_evaluator_steep(evaluator, 0), evaluator, derived->partial);
		case DPS_ROW_PARTIAL_ENTRY:
			return entry_if(fcinfo, has_entry && dps_evaluator_steep(evaluator, 0), derived->partial, j);
		case DPS_ROW_PLIS:
			fcinfo->isnull = !valid;
			return valid ? dps_row_plis(evaluator, 0, parameter) : (Datum) 0;
		case DPS_ROW_PLIS_ENTRY:
			return finite_number(fcinfo, valid && has_entry ? dps_evaluator_plis(evaluator, 0, j, parameter) : (double) NAN);
		case DPS_ROW_LOSS:
			return number(fcinfo, dps_individual_loss(loss, evaluator, 0, parameter));
		case DPS_ROW_EPSILON:
			return number(fcinfo, dps_individual_epsilon(loss, evaluator, 0, parameter));
		case DPS_ROW_FIRST_ORDER:
			return finite_number(fcinfo, dps_first_order_loss(loss, evaluator, 0, parameter));
		case DPS_ROW_QUESTIONS:
			break;
	}
	elog(ERROR, "unknown question %d of a row", (int) call->asked.question);
	return (Datum) 0;			/* keep compiler quiet */
}

/* function(expression, row [, parameter] [, place]) */
static Datum
answer_row(FunctionCallInfo fcinfo, DpsRowQuestion question)
{
	const DpsRowFunction *of = &dps_row_functions[question];
	RowAsked	asked = {.question = question, .function = PG_GETARG_OID(0)};
	RowCall    *call;

	if (of->has_parameter)
		asked.parameter = PG_GETARG_FLOAT8(2);
	if (of->has_place)
		asked.place = PG_GETARG_INT32(PG_NARGS() - 1);
	call = find_call(fcinfo, &asked);
	dps_evaluate_row(call->evaluator, PG_GETARG_HEAPTUPLEHEADER(1));
	return answer(fcinfo, call);
}

Datum
dpsens_value_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_VALUE);
}

Datum
dpsens_slope_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_SLOPE);
}

Datum
dpsens_gradient_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_GRADIENT);
}

Datum
dpsens_gradient_norm_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_GRADIENT_NORM);
}

Datum
dpsens_contribution_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_CONTRIBUTION);
}

Datum
dpsens_contribution_entry(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_CONTRIBUTION_ENTRY);
}

Datum
dpsens_partial_sensitivity_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_PARTIAL);
}

Datum
dpsens_partial_sensitivity_entry(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_PARTIAL_ENTRY);
}

Datum
dpsens_plis_of(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_PLIS);
}

Datum
dpsens_plis_entry(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_PLIS_ENTRY);
}

Datum
dpsens_individual_loss(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_LOSS);
}

Datum
dpsens_individual_epsilon(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_EPSILON);
}

Datum
dpsens_first_order_loss(PG_FUNCTION_ARGS)
{
	return answer_row(fcinfo, DPS_ROW_FIRST_ORDER);
}

static void
refuse_cells(const DpsEvaluator *evaluator)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("these are not the columns of %s", format_procedure(evaluator->function)),
			 errhint("Run the query again if the expression has changed meanwhile.")));
}

/* Which argument holds the cell of each variable. */
static void
map_cells(FunctionCallInfo fcinfo, RowCall *call)
{
	const DpsEvaluator *evaluator = call->evaluator;
	ArrayType  *columns = PG_GETARG_ARRAYTYPE_P(CELLS_COLUMNS);
	int			n = ArrayGetNItems(ARR_NDIM(columns), ARR_DIMS(columns));
	const int16 *column = (const int16 *) ARR_DATA_PTR(columns);
	int			i;
	int			j;

	if (ARR_HASNULL(columns) || n != PG_NARGS() - CELLS_FIRST)
		refuse_cells(evaluator);
	for (j = 0; j < evaluator->ncells; j++)
	{
		for (i = 0; i < n && column[i] != evaluator->row.column[j]; i++)
			continue;
		if (i == n || getBaseType(get_fn_expr_argtype(fcinfo->flinfo, CELLS_FIRST + i)) != evaluator->cells[j].type)
			refuse_cells(evaluator);
		call->argument[j] = CELLS_FIRST + i;
	}
	call->mapped = true;
}

static void
check_question(FunctionCallInfo fcinfo, int question)
{
	if (question < 0 || question >= DPS_ROW_QUESTIONS ||
		get_fn_expr_rettype(fcinfo->flinfo) != (dps_row_functions[question].is_array ? FLOAT8ARRAYOID : FLOAT8OID))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("this function is for plans only")));
}

/* cells_number(question, expression, parameter, place, columns, VARIADIC cells),
 * and cells_array */
Datum
dpsens_cells(PG_FUNCTION_ARGS)
{
	RowAsked	asked;
	RowCall    *call = fcinfo->flinfo->fn_extra;
	int			j;

	if (PG_NARGS() < CELLS_FIRST || PG_ARGISNULL(CELLS_QUESTION) || PG_ARGISNULL(CELLS_EXPRESSION) ||
		PG_ARGISNULL(CELLS_PARAMETER) || PG_ARGISNULL(CELLS_PLACE) || PG_ARGISNULL(CELLS_COLUMNS))
		PG_RETURN_NULL();
	asked.question = PG_GETARG_INT32(CELLS_QUESTION);
	asked.function = PG_GETARG_OID(CELLS_EXPRESSION);
	asked.parameter = PG_GETARG_FLOAT8(CELLS_PARAMETER);
	asked.place = PG_GETARG_INT32(CELLS_PLACE);
	if (!is_current(call, &asked))
		check_question(fcinfo, asked.question);
	call = find_call(fcinfo, &asked);
	if (!call->mapped)
		map_cells(fcinfo, call);
	for (j = 0; j < call->evaluator->ncells; j++)
	{
		NullableDatum *cell = &fcinfo->args[call->argument[j]];

		dps_evaluator_see(call->evaluator, j, cell->value, cell->isnull);
	}
	dps_evaluate_seen(call->evaluator);
	return answer(fcinfo, call);
}

/* audit_row(expression, row): what row_sensitivity shows, of one row. */
Datum
dpsens_audit_row(PG_FUNCTION_ARGS)
{
	bool		fresh;
	DpsEvaluator *evaluator = dps_evaluator_find((DpsEvaluator **) &fcinfo->flinfo->fn_extra, PG_GETARG_OID(0),
												 DPS_DETAIL_PARTIAL, fcinfo->flinfo->fn_mcxt, &fresh);
	TupleDesc	descriptor = evaluator->result;
	Datum		values[DPS_ROW_NUMBERS];
	bool		nulls[DPS_ROW_NUMBERS];

	dps_evaluate_row(evaluator, PG_GETARG_HEAPTUPLEHEADER(1));
	if (descriptor == NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(evaluator->memory);

		if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		descriptor = evaluator->result = BlessTupleDesc(CreateTupleDescCopy(descriptor));
		MemoryContextSwitchTo(previous);
	}
	dps_row_numbers(evaluator, 0, values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}

/* expression_columns(expression) */
Datum
dpsens_expression_columns(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_VALUE, CurrentMemoryContext);
	Datum	   *names = palloc(sizeof(Datum) * Max(evaluator->nprivate, 1));
	int			j;

	for (j = 0; j < evaluator->nprivate; j++)
		names[j] = DirectFunctionCall1(namein, CStringGetDatum(dps_private_column(evaluator, j)));
	PG_RETURN_ARRAYTYPE_P(construct_array(names, evaluator->nprivate, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

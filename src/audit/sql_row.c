/*
 * sql_row.c
 *		What a row contributes, as functions of the row: dpsens.value_of,
 *		gradient_of, gradient_norm_of, contribution_of, partial_sensitivity_of, plis_of, audit_row.
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
#include "utils/array.h"
#include "utils/builtins.h"

#include "audit/evaluator.h"
#include "audit/row_numbers.h"

PG_FUNCTION_INFO_V1(dpsens_value_of);
PG_FUNCTION_INFO_V1(dpsens_gradient_of);
PG_FUNCTION_INFO_V1(dpsens_gradient_norm_of);
PG_FUNCTION_INFO_V1(dpsens_contribution_of);
PG_FUNCTION_INFO_V1(dpsens_partial_sensitivity_of);
PG_FUNCTION_INFO_V1(dpsens_plis_of);
PG_FUNCTION_INFO_V1(dpsens_audit_row);
PG_FUNCTION_INFO_V1(dpsens_expression_columns);

/* Evaluates the call's row, which is then row 0. */
static DpsEvaluator *
evaluate_row(FunctionCallInfo fcinfo, DpsDetail detail)
{
	bool		fresh;
	DpsEvaluator *evaluator = dps_evaluator_find((DpsEvaluator **) &fcinfo->flinfo->fn_extra, PG_GETARG_OID(0),
												 detail, fcinfo->flinfo->fn_mcxt, &fresh);

	dps_evaluate_row(evaluator, PG_GETARG_HEAPTUPLEHEADER(1));
	return evaluator;
}

Datum
dpsens_value_of(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_VALUE);

	if (!dps_evaluator_valid(evaluator, 0))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(evaluator->value[0] + 0.0);
}

Datum
dpsens_gradient_norm_of(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_GRADIENT);

	if (!dps_evaluator_valid(evaluator, 0) || !isfinite(evaluator->derived.norm[0]))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(evaluator->derived.norm[0]);
}

Datum
dpsens_gradient_of(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_GRADIENT);

	if (!dps_evaluator_valid(evaluator, 0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dps_row_array(evaluator->derived.gradient, evaluator->nprivate, 0));
}

Datum
dpsens_contribution_of(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_GRADIENT);

	if (!dps_evaluator_steep(evaluator, 0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dps_row_array(evaluator->derived.normalized, evaluator->nprivate, 0));
}

Datum
dpsens_partial_sensitivity_of(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_PARTIAL);

	if (!dps_evaluator_steep(evaluator, 0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dps_row_array(evaluator->derived.partial, evaluator->nprivate, 0));
}

Datum
dpsens_plis_of(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_PARTIAL);
	double		sigma = PG_GETARG_FLOAT8(2);

	if (!(sigma > 0) || isinf(sigma))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sigma must be a positive number")));
	if (!dps_evaluator_valid(evaluator, 0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dps_row_plis(evaluator, 0, sigma));
}

/* audit_row(expression, row): what the audit view shows, as one row. */
Datum
dpsens_audit_row(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator = evaluate_row(fcinfo, DPS_DETAIL_PARTIAL);
	TupleDesc	descriptor = evaluator->result;
	Datum		values[DPS_ROW_NUMBERS];
	bool		nulls[DPS_ROW_NUMBERS];

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

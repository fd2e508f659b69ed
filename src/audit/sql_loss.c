/*
 * sql_loss.c
 *		What a row loses, as functions of the row: dpsens.individual_loss,
 *		individual_epsilon and first_order_loss.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "audit/loss.h"

PG_FUNCTION_INFO_V1(dpsens_individual_loss);
PG_FUNCTION_INFO_V1(dpsens_individual_epsilon);
PG_FUNCTION_INFO_V1(dpsens_first_order_loss);

/* What fn_extra points to. */
typedef struct LossCall
{
	DpsEvaluator *evaluator;
	DpsReleaseLoss loss;		/* as derived for the evaluator */
} LossCall;

static LossCall *
evaluate_row(FunctionCallInfo fcinfo, DpsDetail detail)
{
	LossCall   *call = fcinfo->flinfo->fn_extra;
	bool		fresh;

	if (call == NULL)
		call = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(LossCall));
	dps_evaluator_find(&call->evaluator, PG_GETARG_OID(0), detail, fcinfo->flinfo->fn_mcxt, &fresh);
	if (fresh)
		memset(&call->loss, 0, sizeof(call->loss));
	dps_loss_prepare(&call->loss, call->evaluator);
	dps_evaluate_row(call->evaluator, PG_GETARG_HEAPTUPLEHEADER(1));
	return call;
}

/* NaN is NULL. */
static Datum
return_loss(FunctionCallInfo fcinfo, double loss)
{
	fcinfo->isnull = isnan(loss);
	return Float8GetDatum(loss);
}

/* individual_loss(expression, row, rdp_order) */
Datum
dpsens_individual_loss(PG_FUNCTION_ARGS)
{
	double		order = PG_GETARG_FLOAT8(2);
	LossCall   *call;

	dps_check_order(order);
	call = evaluate_row(fcinfo, DPS_DETAIL_VALUE);
	return return_loss(fcinfo, dps_individual_loss(&call->loss, call->evaluator, 0, order));
}

/* individual_epsilon(expression, row, delta) */
Datum
dpsens_individual_epsilon(PG_FUNCTION_ARGS)
{
	double		delta = PG_GETARG_FLOAT8(2);
	LossCall   *call;

	dps_check_delta(delta);
	call = evaluate_row(fcinfo, DPS_DETAIL_VALUE);
	return return_loss(fcinfo, dps_individual_epsilon(&call->loss, call->evaluator, 0, delta));
}

/* first_order_loss(expression, row, rdp_order) */
Datum
dpsens_first_order_loss(PG_FUNCTION_ARGS)
{
	double		order = PG_GETARG_FLOAT8(2);
	LossCall   *call;

	dps_check_order(order);
	call = evaluate_row(fcinfo, DPS_DETAIL_GRADIENT);
	return return_loss(fcinfo, dps_first_order_loss(&call->loss, call->evaluator, 0, order));
}

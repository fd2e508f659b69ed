/*
 * sql_loss.c
 *		What a row loses, as functions of the row: dpsens.individual_loss and
 *		dpsens.first_order_loss.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "audit/loss.h"

PG_FUNCTION_INFO_V1(dpsens_individual_loss);
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
	bool		changed;
	void	   *slot;

	dps_check_order(PG_GETARG_FLOAT8(2));
	if (call == NULL)
		call = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(LossCall));
	slot = call->evaluator;
	changed = call->evaluator == NULL || call->evaluator->stale ||
		call->evaluator->function != PG_GETARG_OID(0);
	call->evaluator = NULL;
	call->evaluator = dps_evaluator_find(&slot, PG_GETARG_OID(0), detail, fcinfo->flinfo->fn_mcxt);
	if (changed)
		memset(&call->loss, 0, sizeof(call->loss));
	dps_loss_prepare(&call->loss, call->evaluator);
	dps_evaluator_load(call->evaluator, 0, PG_GETARG_HEAPTUPLEHEADER(1));
	dps_evaluator_run(call->evaluator, 1);
	return call;
}

Datum
dpsens_individual_loss(PG_FUNCTION_ARGS)
{
	LossCall   *call = evaluate_row(fcinfo, DPS_DETAIL_VALUE);
	double		result = dps_individual_loss(&call->loss, call->evaluator, 0,
											PG_GETARG_FLOAT8(2));

	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result);
}

Datum
dpsens_first_order_loss(PG_FUNCTION_ARGS)
{
	LossCall   *call = evaluate_row(fcinfo, DPS_DETAIL_GRADIENT);
	double		result = dps_first_order_loss(&call->loss, call->evaluator, 0,
											PG_GETARG_FLOAT8(2));

	if (isnan(result))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result);
}

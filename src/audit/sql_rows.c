/*
 * sql_rows.c
 *		dpsens.row_sensitivity: what every row of a table contributes.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"

#include "audit/all_rows.h"
#include "audit/row_numbers.h"
#include "glue/compat.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_row_sensitivity);

static void
put_rows(const DpsEvaluator *evaluator, int nrows, const Datum *keys, const bool *key_is_null, void *context)
{
	ReturnSetInfo *result = context;
	Datum		values[1 + DPS_ROW_NUMBERS];
	bool		nulls[1 + DPS_ROW_NUMBERS];
	int			i;

	for (i = 0; i < nrows; i++)
	{
		values[0] = keys[i];
		nulls[0] = key_is_null[i];
		dps_row_numbers(evaluator, i, values + 1, nulls + 1);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

Datum
dpsens_row_sensitivity(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator;

	InitMaterializedSRF(fcinfo, 0);
	evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_PARTIAL, CurrentMemoryContext);
	dps_scan_rows(evaluator, true, put_rows, fcinfo->resultinfo);
	return (Datum) 0;
}

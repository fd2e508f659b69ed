/*
 * sql_row_set.c
 *		dpsens.row_sensitivity: what every row of a table contributes, evaluated
 *		in batches.
 *
 * The table is read by a query of the caller's, so that privileges and row
 * security are those of any SELECT.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "audit/evaluator.h"
#include "audit/key.h"
#include "audit/row_numbers.h"
#include "glue/compat.h"

PG_FUNCTION_INFO_V1(dpsens_row_sensitivity);

/* The key as jsonb, then the cells in the order of the variables. */
static char *
scan_query(const DpsEvaluator *evaluator)
{
	Oid			relation = evaluator->relation;
	StringInfoData text;
	ListCell   *cell;
	List	   *keys = dps_key_columns(relation);
	int			j;

	initStringInfo(&text);
	appendStringInfoString(&text, keys == NIL ? "SELECT NULL::pg_catalog.jsonb" :
						   "SELECT pg_catalog.jsonb_build_object(");
	foreach(cell, keys)
	{
		char	   *name = get_attname(relation, lfirst_int(cell), false);

		appendStringInfo(&text, "%s%s, %s", foreach_current_index(cell) > 0 ? ", " : "",
						 quote_literal_cstr(name), quote_identifier(name));
	}
	if (keys != NIL)
		appendStringInfoChar(&text, ')');
	for (j = 0; j < evaluator->ncells; j++)
		appendStringInfo(&text, ", %s", quote_identifier(get_attname(relation, evaluator->row.column[j], false)));
	appendStringInfo(&text, " FROM %s",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
												get_rel_name(relation)));
	return text.data;
}

/* Evaluates the rows that were fetched and keeps the results. */
static void
put_batch(ReturnSetInfo *result, DpsEvaluator *evaluator, int nrows)
{
	TupleDesc	fetched = SPI_tuptable->tupdesc;
	Datum		values[1 + DPS_ROW_NUMBERS];
	bool		nulls[1 + DPS_ROW_NUMBERS];
	int			i;
	int			j;

	for (i = 0; i < nrows; i++)
	{
		for (j = 0; j < evaluator->ncells; j++)
		{
			Datum		cell = SPI_getbinval(SPI_tuptable->vals[i], fetched, j + 2, &nulls[0]);

			dps_evaluator_set(evaluator, i, j, cell, nulls[0]);
		}
	}
	dps_evaluator_run(evaluator, nrows);
	for (i = 0; i < nrows; i++)
	{
		values[0] = SPI_getbinval(SPI_tuptable->vals[i], fetched, 1, &nulls[0]);
		dps_row_numbers(evaluator, i, values + 1, nulls + 1);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

Datum
dpsens_row_sensitivity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsEvaluator *evaluator;
	MemoryContext batch;
	SPIPlanPtr	plan;
	Portal		portal;

	InitMaterializedSRF(fcinfo, 0);
	evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_PARTIAL, CurrentMemoryContext);
	SPI_connect();
	plan = SPI_prepare(scan_query(evaluator), 0, NULL);
	if (plan == NULL)
		elog(ERROR, "could not read the table: %s", SPI_result_code_string(SPI_result));
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	batch = AllocSetContextCreate(CurrentMemoryContext, "dpsens batch", ALLOCSET_DEFAULT_SIZES);
	for (;;)
	{
		MemoryContext previous;

		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(portal, true, DPS_BATCH);
		if (SPI_processed == 0)
			break;
		previous = MemoryContextSwitchTo(batch);
		put_batch(result, evaluator, (int) SPI_processed);
		MemoryContextSwitchTo(previous);
		MemoryContextReset(batch);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
	return (Datum) 0;
}

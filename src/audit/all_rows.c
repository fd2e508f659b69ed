/*
 * all_rows.c
 *		All rows of an expression's table, in batches.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "audit/all_rows.h"
#include "audit/key.h"

/* The key as jsonb, then the cells in the order of the variables. */
static char *
scan_query(const DpsEvaluator *evaluator, bool with_keys)
{
	Oid			relation = evaluator->relation;
	StringInfoData text;
	ListCell   *cell;
	List	   *keys = with_keys ? dps_key_columns(relation) : NIL;
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

static void
read_batch(DpsEvaluator *evaluator, int nrows, DpsBatchReader reader, void *context)
{
	TupleDesc	fetched = SPI_tuptable->tupdesc;
	Datum		keys[DPS_BATCH];
	bool		key_is_null[DPS_BATCH];
	int			i;
	int			j;

	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];

		keys[i] = SPI_getbinval(tuple, fetched, 1, &key_is_null[i]);
		for (j = 0; j < evaluator->ncells; j++)
		{
			bool		isnull;
			Datum		cell = SPI_getbinval(tuple, fetched, j + 2, &isnull);

			dps_evaluator_set(evaluator, i, j, cell, isnull);
		}
	}
	dps_evaluator_run(evaluator, nrows);
	reader(evaluator, nrows, keys, key_is_null, context);
}

void
dps_scan_rows(DpsEvaluator *evaluator, bool with_keys, DpsBatchReader reader, void *context)
{
	MemoryContext batch;
	SPIPlanPtr	plan;
	Portal		portal;

	SPI_connect();
	plan = SPI_prepare(scan_query(evaluator, with_keys), 0, NULL);
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
		read_batch(evaluator, (int) SPI_processed, reader, context);
		MemoryContextSwitchTo(previous);
		MemoryContextReset(batch);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
}

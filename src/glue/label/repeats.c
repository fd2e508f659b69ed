/*
 * repeats.c
 *		A warning for tables in which a person may have several rows.
 *
 * Without a unit each row is a unit.  If a foreign key, or a column whose name ends in
 * "id", has repeated values among the first rows, then several rows probably belong to
 * one person, and the owner may have overlooked that.  The warning is a heuristic, and
 * only for the owner, who may read the whole table.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/label/annotation.h"
#include "glue/label/repeats.h"

/* The number of rows that are read. */
#define ROWS 10000

/* Columns without a unique index, of integers, numeric, strings and uuid; foreign keys
 * first. */
static const char *const find_columns =
"SELECT a.attname FROM pg_catalog.pg_attribute a, LATERAL (SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint c"
" WHERE c.conrelid OPERATOR(pg_catalog.=) a.attrelid AND c.contype OPERATOR(pg_catalog.=) 'f'"
" AND c.conkey OPERATOR(pg_catalog.=) ARRAY[a.attnum]) AS refers) r"
" WHERE a.attrelid OPERATOR(pg_catalog.=) $1 AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped"
" AND a.atttypid OPERATOR(pg_catalog.=) ANY ('{20,21,23,25,1042,1043,1700,2950}'::pg_catalog.oid[])"
" AND (r.refers OR a.attname OPERATOR(pg_catalog.~*) '(^|_)id$')"
" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid OPERATOR(pg_catalog.=) a.attrelid AND i.indisunique"
" AND i.indpred IS NULL AND i.indnkeyatts OPERATOR(pg_catalog.=) 1 AND i.indkey[0] OPERATOR(pg_catalog.=) a.attnum)"
" ORDER BY r.refers DESC, a.attnum LIMIT 5";

static char *
qualified_name(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
}

static bool
repeats(Oid relation, const char *column)
{
	const char *name = quote_identifier(column);
	char	   *query = psprintf("SELECT pg_catalog.count(c) OPERATOR(pg_catalog.>) pg_catalog.count(DISTINCT c) "
								 "FROM (SELECT %s AS c FROM %s LIMIT %d) s", name, qualified_name(relation), ROWS);
	bool		isnull;

	if (SPI_execute(query, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not look for values that repeat");
	return DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* The first such column with repeated values, in SPI's memory; NULL if there is none. */
static char *
find_repeating(Oid relation)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	char	   *columns[5];
	int			n;
	int			i;

	if (SPI_execute_with_args(find_columns, 1, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not look for columns that repeat");
	n = Min((int) SPI_processed, (int) lengthof(columns));
	for (i = 0; i < n; i++)
		columns[i] = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
	for (i = 0; i < n; i++)
	{
		if (repeats(relation, columns[i]))
			return columns[i];
	}
	return NULL;
}

void
dps_warn_of_repeats(Oid relation)
{
	char	   *column;

	if (dps_check_select(relation, GetUserId()) != ACLCHECK_OK)
		return;
	SPI_connect();
	column = find_repeating(relation);
	if (column != NULL)
		ereport(WARNING,
				(errmsg("values of column \"%s\" repeat, and each row of relation \"%s\" is protected as a person of its own",
						column, get_rel_name(relation)),
				 errhint("If the column identifies persons: SELECT dpsens.protect(%s, unit => %s, max_rows => ...);",
						 quote_literal_cstr(qualified_name(relation)), quote_literal_cstr(column))));
	SPI_finish();
}

/*
 * readers.c
 *		Warnings for owners whose protected table is less protected than it seems.
 *
 * They read only catalogs, which every role may read.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/label/annotation.h"
#include "glue/label/readers.h"

static const char *const find_readers =
"SELECT pg_catalog.string_agg(DISTINCT CASE WHEN g.grantee OPERATOR(pg_catalog.=) '0'::pg_catalog.oid THEN 'PUBLIC'"
" ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(g.grantee)) END, ', ')"
" FROM dpsens_internal.readers g WHERE g.relation OPERATOR(pg_catalog.=) $1";

/* Actions n and d: SET NULL and SET DEFAULT. */
static const char *const find_lost_units =
"SELECT k.conname::pg_catalog.text FROM pg_catalog.pg_constraint k WHERE k.conrelid OPERATOR(pg_catalog.=) $1"
" AND k.contype OPERATOR(pg_catalog.=) 'f' AND $2 OPERATOR(pg_catalog.=) ANY (k.conkey)"
" AND (k.confdeltype OPERATOR(pg_catalog.=) ANY ('{n,d}'::pg_catalog.\"char\"[])"
" OR k.confupdtype OPERATOR(pg_catalog.=) ANY ('{n,d}'::pg_catalog.\"char\"[])) ORDER BY 1 LIMIT 1";

/* The first column of the query's first row, in the caller's memory context; NULL without
 * a row. */
static char *
look_up(const char *query, Oid relation, AttrNumber column)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			types[2] = {OIDOID, INT2OID};
	Datum		values[2] = {ObjectIdGetDatum(relation), Int16GetDatum(column)};
	char	   *found;

	SPI_connect();
	/* not read-only: the snapshot includes the changes of the command that is ending */
	if (SPI_execute_with_args(query, column == InvalidAttrNumber ? 1 : 2, types, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not look up who may see the rows");
	found = SPI_processed == 0 ? NULL : SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (found != NULL)
		found = MemoryContextStrdup(context, found);
	SPI_finish();
	return found;
}

void
dps_warn_of_readers(Oid relation)
{
	char	   *readers = look_up(find_readers, relation, InvalidAttrNumber);

	if (readers != NULL)
		ereport(WARNING,
				(errmsg("rows of relation \"%s\" can still be read as they are", get_rel_name(relation)),
				 errdetail("SELECT on it or its columns is granted to %s.", readers),
				 errhint("REVOKE it from those who should have private answers only.")));
}

void
dps_warn_of_lost_units(Oid relation, const DpsUnitColumns *unit)
{
	char	   *constraint = NULL;
	int			i;

	for (i = 0; i < unit->n && constraint == NULL; i++)
		constraint = look_up(find_lost_units, relation, unit->column[i]);
	if (constraint != NULL)
		ereport(WARNING,
				(errmsg("foreign key \"%s\" can take the privacy unit away from rows of relation \"%s\"", constraint,
						get_rel_name(relation)),
				 errdetail("A row whose unit is null counts as a person, so that somebody who is deleted is no longer protected with all rows."),
				 errhint("Let it be ON DELETE CASCADE or RESTRICT.")));
}

void
dps_check_unit(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	if (annotation.is_protected)
		dps_warn_of_lost_units(relation, &annotation.unit);
}

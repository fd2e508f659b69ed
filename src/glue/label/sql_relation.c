/*
 * sql_relation.c
 *		dpsens_internal.describe_relation: what is declared of a relation, for the view dpsens.relations.
 *
 * Declarations are labels, which everybody may read.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_describe_relation);

#define COLUMNS 7

static void
put_limit(int place, int limit, Datum *values, bool *nulls)
{
	values[place] = Int32GetDatum(limit);
	nulls[place] = limit == 0;
}

/* describe_relation(relation): NULL unless it is protected */
Datum
dps_describe_relation(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	DpsRelationAnnotation annotation;
	TupleDesc	descriptor;
	Datum		values[COLUMNS] = {0};
	bool		nulls[COLUMNS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	/* it may have been dropped since the catalog was read */
	if (get_rel_relkind(relation) == '\0')
		PG_RETURN_NULL();
	dps_get_relation_annotation(relation, &annotation);
	if (!annotation.is_protected)
		PG_RETURN_NULL();
	values[0] = CStringGetTextDatum(dps_adjacency_name(annotation.adjacency));
	nulls[1] = !dps_has_unit(&annotation);
	if (!nulls[1])
		values[1] = CStringGetTextDatum(dps_unit_names(relation, &annotation.unit));
	values[2] = BoolGetDatum(nulls[1] || annotation.unit_is_unique);
	put_limit(3, annotation.limits.rows, values, nulls);
	put_limit(4, annotation.limits.rows_per_group, values, nulls);
	put_limit(5, annotation.limits.groups, values, nulls);
	values[6] = Int32GetDatum(annotation.group_size);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

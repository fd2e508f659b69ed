/*
 * key.c
 *		The columns by which an auditor recognises a row.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"

#include "audit/key.h"
#include "glue/label/annotation.h"

List *
dps_key_columns(Oid relation)
{
	List	   *columns = NIL;
	Oid			constraint;
	Bitmapset  *key = get_primary_key_attnos(relation, false, &constraint);
	DpsRelationAnnotation annotation;
	int			member = -1;
	int			i;

	while ((member = bms_next_member(key, member)) >= 0)
		columns = lappend_int(columns, member + FirstLowInvalidHeapAttributeNumber);
	if (columns != NIL)
		return columns;
	dps_get_relation_annotation(relation, &annotation);
	for (i = 0; i < annotation.unit.n; i++)
		columns = lappend_int(columns, annotation.unit.column[i]);
	return columns;
}

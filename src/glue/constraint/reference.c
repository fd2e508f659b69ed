/*
 * reference.c
 *		Foreign keys from rows to their unit.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_proc.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/constraint/reference.h"

/* Reads the constraint; false if it is no foreign key of one column. */
static bool
read_single_key(HeapTuple tuple, DpsReference *reference)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	AttrNumber	columns[INDEX_MAX_KEYS];
	AttrNumber	keys[INDEX_MAX_KEYS];
	Oid			pf_equality[INDEX_MAX_KEYS];
	Oid			pp_equality[INDEX_MAX_KEYS];
	Oid			ff_equality[INDEX_MAX_KEYS];
	int			ncolumns;

	if (form->contype != CONSTRAINT_FOREIGN)
		return false;
	DeconstructFkConstraintRow(tuple, &ncolumns, columns, keys, pf_equality, pp_equality, ff_equality, NULL, NULL);
	if (ncolumns != 1)
		return false;
	reference->column = columns[0];
	reference->relation = form->confrelid;
	reference->key = keys[0];
	reference->equality = pf_equality[0];
	return true;
}

/* Reads the constraint as a reference; false if it is none that can be used. */
static bool
read_reference(HeapTuple tuple, DpsReference *reference)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);

	/* a constraint with a parent repeats that for a partition */
	if (!form->convalidated || OidIsValid(form->conparentid) || !read_single_key(tuple, reference))
		return false;
	/* an equality of different types may depend on the time zone of the writer's session */
	return op_volatile(reference->equality) == PROVOLATILE_IMMUTABLE;
}

bool
dps_find_reference(Oid relation, AttrNumber column, Oid referenced, DpsReference *reference)
{
	Relation	catalog = table_open(ConstraintRelationId, AccessShareLock);
	DpsReference one;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int			found = 0;

	ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (!read_reference(tuple, &one) || (column != InvalidAttrNumber && one.column != column) ||
			(OidIsValid(referenced) && one.relation != referenced))
			continue;
		if (found > 0 && one.column == reference->column && one.relation == reference->relation && one.key == reference->key)
			continue;
		*reference = one;
		found++;
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found == 1;
}

List *
dps_references_from(Oid relation, AttrNumber column)
{
	Relation	catalog = table_open(ConstraintRelationId, AccessShareLock);
	List	   *references = NIL;
	DpsReference one;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		DpsReference *reference;

		if (!read_single_key(tuple, &one) || one.column != column)
			continue;
		reference = palloc(sizeof(DpsReference));
		*reference = one;
		references = lappend(references, reference);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return references;
}

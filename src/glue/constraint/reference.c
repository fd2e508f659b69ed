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

/* Brings two places of the reference into each other's. */
static void
swap_places(DpsReference *reference, int i, int j)
{
	AttrNumber	column = reference->columns.column[i];
	AttrNumber	key = reference->keys.column[i];
	Oid			equality = reference->equality[i];

	reference->columns.column[i] = reference->columns.column[j];
	reference->keys.column[i] = reference->keys.column[j];
	reference->equality[i] = reference->equality[j];
	reference->columns.column[j] = column;
	reference->keys.column[j] = key;
	reference->equality[j] = equality;
}

/* Brings the reference into the order of its columns' numbers, so that constraints that say the same are equal. */
static void
sort_places(DpsReference *reference)
{
	int			i;
	int			j;

	for (i = 1; i < reference->columns.n; i++)
	{
		for (j = i; j > 0 && reference->columns.column[j - 1] > reference->columns.column[j]; j--)
			swap_places(reference, j - 1, j);
	}
}

/* Brings the reference into the order of these columns; false if it is not of exactly them.  The columns of a
 * constraint are distinct, as these are. */
static bool
order_as(DpsReference *reference, const DpsUnitColumns *columns)
{
	int			i;
	int			j;

	if (reference->columns.n != columns->n)
		return false;
	for (i = 0; i < columns->n; i++)
	{
		for (j = i; j < columns->n && reference->columns.column[j] != columns->column[i]; j++)
			;
		if (j == columns->n)
			return false;
		swap_places(reference, i, j);
	}
	return true;
}

/* Reads the constraint; false if it is no foreign key by equality of few enough columns. */
static bool
read_key(HeapTuple tuple, DpsReference *reference)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	AttrNumber	columns[INDEX_MAX_KEYS];
	AttrNumber	keys[INDEX_MAX_KEYS];
	Oid			pf_equality[INDEX_MAX_KEYS];
	Oid			pp_equality[INDEX_MAX_KEYS];
	Oid			ff_equality[INDEX_MAX_KEYS];
	int			n;

	if (form->contype != CONSTRAINT_FOREIGN || dps_is_period_key(form))
		return false;
	DeconstructFkConstraintRow(tuple, &n, columns, keys, pf_equality, pp_equality, ff_equality, NULL, NULL);
	if (n > DPS_MAX_UNIT_COLUMNS)
		return false;
	memset(reference, 0, sizeof(*reference));
	reference->columns.n = reference->keys.n = n;
	reference->relation = form->confrelid;
	memcpy(reference->columns.column, columns, sizeof(AttrNumber) * n);
	memcpy(reference->keys.column, keys, sizeof(AttrNumber) * n);
	memcpy(reference->equality, pf_equality, sizeof(Oid) * n);
	sort_places(reference);
	return true;
}

/* Reads the constraint as a reference; false if it is none that can be used. */
static bool
read_reference(HeapTuple tuple, DpsReference *reference)
{
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	int			i;

	/* a constraint with a parent repeats that for a partition */
	if (!form->convalidated || OidIsValid(form->conparentid) || !read_key(tuple, reference))
		return false;
	/* an equality of different types may depend on the time zone of the writer's session */
	for (i = 0; i < reference->columns.n; i++)
	{
		if (op_volatile(reference->equality[i]) != PROVOLATILE_IMMUTABLE)
			return false;
	}
	return true;
}

static bool
say_the_same(const DpsReference *a, const DpsReference *b)
{
	return a->relation == b->relation && dps_are_same_columns(&a->columns, &b->columns) && dps_are_same_columns(&a->keys, &b->keys);
}

typedef bool (*ReadConstraint) (HeapTuple tuple, DpsReference *reference);

/* The relation's foreign keys that can be read so, as a list of DpsReference *, those that say the same once. */
static List *
read_references(Oid relation, ReadConstraint read)
{
	Relation	catalog = table_open(ConstraintRelationId, AccessShareLock);
	List	   *references = NIL;
	DpsReference one;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	ListCell   *cell;

	ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		is_new = read(tuple, &one);

		foreach(cell, references)
			is_new = is_new && !say_the_same(lfirst(cell), &one);
		if (is_new)
			references = lappend(references, memcpy(palloc(sizeof(one)), &one, sizeof(one)));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return references;
}

bool
dps_find_reference(Oid relation, const DpsUnitColumns *columns, Oid referenced, DpsReference *reference)
{
	int			found = 0;
	ListCell   *cell;

	foreach(cell, read_references(relation, read_reference))
	{
		DpsReference *one = lfirst(cell);

		if ((OidIsValid(referenced) && one->relation != referenced) || !order_as(one, columns))
			continue;
		*reference = *one;
		found++;
	}
	return found == 1;
}

/* Two foreign keys may lead to two persons, and nothing says which of them is meant; but beside the one of a single column to a
 * unit of one, others do not count. */
bool
dps_find_any_reference(Oid relation, Oid referenced, const DpsUnitColumns *unit, DpsReference *reference)
{
	List	   *single = NIL;
	List	   *all = NIL;
	ListCell   *cell;

	foreach(cell, read_references(relation, read_reference))
	{
		DpsReference *one = lfirst(cell);

		if (one->relation != referenced)
			continue;
		all = lappend(all, one);
		if (one->columns.n == 1)
			single = lappend(single, one);
	}
	if (unit->n == 1 && single != NIL)
		all = single;
	if (list_length(all) != 1)
		return false;
	*reference = *(DpsReference *) linitial(all);
	return true;
}

List *
dps_references_from(Oid relation, const DpsUnitColumns *columns)
{
	List	   *references = NIL;
	ListCell   *cell;

	foreach(cell, read_references(relation, read_key))
	{
		if (order_as(lfirst(cell), columns))
			references = lappend(references, lfirst(cell));
	}
	return references;
}

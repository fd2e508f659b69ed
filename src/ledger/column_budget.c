/*
 * column_budget.c
 *		Which columns can have a budget of their own.
 *
 * A budget of a column bounds what a change of its cell in one row tells.  The cost of a release holds where
 * the row remains its unit's and meets the same rows (guard/rewrite/column_changes.c), so the column is not the
 * unit and in no unique index, by which rows of other relations find it, nor is a generated column of these
 * computed from it.  Rows of parents and children are read, and charged, as those of another relation, so there
 * are none.
 *
 * The ledger knows a column by its name, in budgets, purses and the history.  So a column of a relation
 * with such rows keeps its name, and no other one gets it.  A column that is dropped and made again goes on with
 * what the former one has lost.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "glue/constraint/inheritance.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "ledger/column_budget.h"

#define BUDGET_RELATION 1
#define BUDGET_COLUMN 17
#define PURSE_RELATION 1
#define PURSE_COLUMN 12

/* Does the catalog row's stored expression, or one of a list, read the column? */
static bool
is_in_expression(Relation catalog, HeapTuple tuple, int expression, AttrNumber column)
{
	Bitmapset  *columns = NULL;
	bool		none;
	Datum		stored = heap_getattr(tuple, expression, RelationGetDescr(catalog), &none);

	if (none)
		return false;
	pull_varattnos(stringToNode(TextDatumGetCString(stored)), 1, &columns);
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns) ||
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, columns);
}

static bool
is_in_index(Relation catalog, HeapTuple tuple, AttrNumber column)
{
	Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
	int			i;

	if (!index->indisunique)
		return false;
	for (i = 0; i < index->indnkeyatts; i++)
	{
		if (index->indkey.values[i] == column)
			return true;
	}
	return is_in_expression(catalog, tuple, Anum_pg_index_indexprs, column);
}

static bool
is_in_unique_index(Oid relation, AttrNumber column)
{
	Relation	catalog = table_open(IndexRelationId, AccessShareLock);
	bool		found = false;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_index_indrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(catalog, IndexIndrelidIndexId, true, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = is_in_index(catalog, tuple, column);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

/* Is a generated column that is the unit, or in a unique index, computed from the column? */
static bool
decides_whose(Oid relation, AttrNumber column)
{
	Relation	catalog = table_open(AttrDefaultRelationId, AccessShareLock);
	bool		found = false;
	DpsUnitColumns unit;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	dps_get_unit_columns(relation, &unit);
	ScanKeyInit(&key, Anum_pg_attrdef_adrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(catalog, AttrDefaultIndexId, true, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		AttrNumber	other = ((Form_pg_attrdef) GETSTRUCT(tuple))->adnum;

		found = get_attgenerated(relation, other) != '\0' && is_in_expression(catalog, tuple, Anum_pg_attrdef_adbin, column) &&
			(dps_is_unit_column(&unit, other) || is_in_unique_index(relation, other));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

const char *
dps_why_no_column_budget(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);
	DpsColumnAnnotation annotation;
	DpsLabelProblem problem;

	if (number == InvalidAttrNumber)
		return "There is no such column.";
	if (dps_is_entity_name(column))
		return "To the ledger its name means the budget of an entity.";
	if (number < 0)
		return "It is a system column.";
	if (get_attgenerated(relation, number) != '\0')
		return "It is generated from other columns.";
	if (!dps_read_column_annotation(relation, number, &annotation, &problem))
		return "Its label is wrong.";
	/* also of a unit of which another column is missing, and may come back */
	if (annotation.is_unit)
		return "It says whose a row is, and not what the row holds.";
	if (annotation.is_public)
		return "It is declared to be public.";
	if (is_in_unique_index(relation, number))
		return "It is in a unique index: other rows may be joined by it.";
	if (decides_whose(relation, number))
		return "The unit, or a generated column in a unique index, is computed from it.";
	if (get_rel_relkind(relation) != RELKIND_RELATION || list_length(dps_relation_family(relation)) > 1)
		return "Rows of parents, children and partitions are charged to these.";
	return NULL;
}

/* ---- names ---- */

/* Has the table a row with a column of this relation? */
static bool
mentions(const char *table, int relation_column, int name_column, Oid relation)
{
	Oid			oid = get_relname_relid(table, dps_schema_oid());
	Relation	ledger;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;
	bool		isnull;

	if (!OidIsValid(oid))
		return false;
	ledger = table_open(oid, AccessShareLock);
	scan = systable_beginscan(ledger, InvalidOid, false, NULL, 0, NULL);
	while (!found && RelationGetNumberOfAttributes(ledger) >= name_column && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const char *column = NameStr(*DatumGetName(heap_getattr(tuple, name_column, RelationGetDescr(ledger), &isnull)));

		found = DatumGetObjectId(heap_getattr(tuple, relation_column, RelationGetDescr(ledger), &isnull)) == relation &&
			*column != '\0' && !dps_is_entity_name(column);
	}
	systable_endscan(scan);
	table_close(ledger, AccessShareLock);
	return found;
}

/* The column's name as the running command has left it, or NULL. */
static char *
name_to_come(Oid relation, AttrNumber column)
{
	Relation	catalog = table_open(AttributeRelationId, AccessShareLock);
	char	   *name = NULL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_attribute_attrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	ScanKeyInit(&keys[1], Anum_pg_attribute_attnum, BTEqualStrategyNumber, F_INT2EQ, Int16GetDatum(column));
	scan = systable_beginscan(catalog, AttributeRelidNumIndexId, true, SnapshotSelf, 2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		name = pstrdup(NameStr(((Form_pg_attribute) GETSTRUCT(tuple))->attname));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return name;
}

void
dps_check_column_name(Oid relation, AttrNumber column)
{
	char	   *before = get_attname(relation, column, true);
	char	   *after;

	if (before == NULL || !OidIsValid(dps_schema_oid()))
		return;
	after = name_to_come(relation, column);
	if (after == NULL || strcmp(before, after) == 0 ||
		(!mentions("budget", BUDGET_RELATION, BUDGET_COLUMN, relation) && !mentions("purse", PURSE_RELATION, PURSE_COLUMN, relation)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("columns of relation \"%s\" cannot be renamed", get_rel_name(relation)),
			 errdetail("Some of them have, or had, a privacy budget of their own, and the ledger knows columns by name."),
			 errhint("Make a view that calls the column otherwise.")));
}

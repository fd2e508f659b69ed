/*
 * view_label.c
 *		The label AUDIT of a view: the view is dropped with its expression.
 *
 * By default a view prevents functions that its query uses from being dropped.  With an
 * additional AUTO dependency of the view on the function, dropping the function drops
 * the view.  A dump does not contain such dependencies, but it contains labels, and
 * the provider's hook is called when these are restored.  At that time the function may
 * not have its own label yet, so it is recognised by its row-typed parameter.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "rewrite/rewriteSupport.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "glue/import/parse.h"
#include "glue/label/view_label.h"

bool
dps_is_view_label(Oid relation, const char *text)
{
	const char *blank = " \t\n\r\f";
	size_t		length = strlen(DPS_VIEW_LABEL);

	if (get_rel_relkind(relation) != RELKIND_VIEW)
		return false;
	text += strspn(text, blank);
	return pg_strncasecmp(text, DPS_VIEW_LABEL, length) == 0 && text[length + strspn(text + length, blank)] == '\0';
}

/* The objects of one catalog that an object depends on, by dependencies of one kind. */
static List *
find_references(Oid catalog, Oid object, Oid of_catalog, DependencyType kind)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	List	   *references = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(catalog));
	ScanKeyInit(&keys[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
	scan = systable_beginscan(depend, DependDependerIndexId, true, NULL, lengthof(keys), keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend row = (Form_pg_depend) GETSTRUCT(tuple);

		if (row->refclassid == of_catalog && row->deptype == (char) kind)
			references = list_append_unique_oid(references, row->refobjid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return references;
}

void
dps_tie_view(Oid view)
{
	Oid			rule = get_rewrite_oid(view, "_RETURN", false);
	ObjectAddress address;
	bool		found = false;
	ListCell   *cell;

	dps_untie_view(view);
	ObjectAddressSet(address, RelationRelationId, view);
	foreach(cell, find_references(RewriteRelationId, rule, ProcedureRelationId, DEPENDENCY_NORMAL))
	{
		ObjectAddress function;

		if (!OidIsValid(dps_expression_relation(lfirst_oid(cell))))
			continue;
		ObjectAddressSet(function, ProcedureRelationId, lfirst_oid(cell));
		recordDependencyOn(&address, &function, DEPENDENCY_AUTO);
		found = true;
	}
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("view \"%s\" shows no registered expression", get_rel_name(view)),
				 errhint("dpsens.create_audit_view makes audit views.")));
}

void
dps_untie_view(Oid view)
{
	ListCell   *cell;

	foreach(cell, find_references(RelationRelationId, view, ProcedureRelationId, DEPENDENCY_AUTO))
		deleteDependencyRecordsForSpecific(RelationRelationId, view, DEPENDENCY_AUTO,
										   ProcedureRelationId, lfirst_oid(cell));
}

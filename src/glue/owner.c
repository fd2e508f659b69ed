/*
 * owner.c
 *		Whose a relation or function is, and what roles are called.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/owner.h"

Oid
dps_relation_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

Oid
dps_function_owner(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function with OID %u does not exist", function)));
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
dps_relation_names(Oid relation, DpsRelationNames *names)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class form;
	const char *schema;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	schema = get_namespace_name(form->relnamespace);
	namestrcpy(&names->schema, schema != NULL ? schema : "");
	namestrcpy(&names->name, NameStr(form->relname));
	namestrcpy(&names->owner, GetUserNameFromId(form->relowner, false));
	ReleaseSysCache(tuple);
	return true;
}

bool
dps_role_written(Oid role, NameData *name)
{
	const char *known = GetUserNameFromId(role, true);
	char	   *at;

	namestrcpy(name, known != NULL ? known : "");
	if (pg_verify_mbstr(GetDatabaseEncoding(), NameStr(*name), strlen(NameStr(*name)), true))
		return known != NULL;
	for (at = NameStr(*name); *at != '\0'; at++)
	{
		if (IS_HIGHBIT_SET(*at))
			*at = '?';
	}
	return known != NULL;
}

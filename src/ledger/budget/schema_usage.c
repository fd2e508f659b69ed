/*
 * schema_usage.c
 *		A role that may ask or audit, and cannot name the relation.
 *
 * A budget needs no privilege to read the relation, but PostgreSQL finds a relation by name only for who has
 * USAGE on its schema, and says nothing of budgets when it refuses.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "ledger/budget/budget.h"

void
dps_tell_of_schema(Oid relation, Oid role)
{
	Oid			schema = get_rel_namespace(relation);
	char	   *name = get_namespace_name(schema);

	if (name == NULL || DatumGetBool(OidFunctionCall3(F_HAS_SCHEMA_PRIVILEGE_OID_OID_TEXT, ObjectIdGetDatum(role),
													  ObjectIdGetDatum(schema), CStringGetTextDatum("USAGE"))))
		return;
	ereport(NOTICE,
			(errmsg("role \"%s\" cannot name relation \"%s\": it has no privilege USAGE on schema \"%s\"",
					GetUserNameFromId(role, false), get_rel_name(relation), name),
			 errhint("GRANT USAGE ON SCHEMA %s TO %s;", quote_identifier(name), quote_identifier(GetUserNameFromId(role, false)))));
}

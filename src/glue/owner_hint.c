/*
 * owner_hint.c
 *		Hints that only owners can follow.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/owner_hint.h"

int
dps_hint_owner(Oid relation, const char *format,...)
{
	char		hint[1024];
	va_list		args;

	if (!OidIsValid(relation) && !superuser())
		return errhint("The owners of the relations can declare it.");
	if (OidIsValid(relation) && !dps_owns_relation(relation, GetUserId()))
		return errhint("The owner of relation \"%s\" can declare it.", get_rel_name(relation));
	va_start(args, format);
	vsnprintf(hint, sizeof(hint), format, args);
	va_end(args);
	return errhint("%s", hint);
}

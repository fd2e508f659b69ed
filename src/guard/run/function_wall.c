/*
 * function_wall.c
 *		While it is up, the process looks up no function but the server's and the extension's.
 *
 * The server asks needs_fmgr_hook of each function that it looks up, unless it is one of its own in C.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/lsyscache.h"

#include "glue/citus.h"
#include "glue/glue.h"
#include "guard/run/function_wall.h"

static needs_fmgr_hook_type previous_needs_hook;

static bool is_up = false;

bool
dps_set_function_wall(bool up)
{
	bool		before = is_up;

	is_up = up;
	return before;
}

static void
refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a function that is not the server's is not supported below dp aggregates for a role without SELECT privilege"),
			 errdetail("The plan of the statement calls it, for an operator, a type or an index."),
			 errhint("Ask without it, or as a role that has SELECT privilege.")));
}

/* Access methods, and Citus, are code of superusers, who could have it run anyway; they see what they store. */
static bool
is_admitted(Oid function)
{
	Oid			result;

	if (function < FirstNormalObjectId || dps_is_own_schema(get_func_namespace(function)))
		return true;
	result = get_func_rettype(function);
	return result == INDEX_AM_HANDLEROID || result == TABLE_AM_HANDLEROID || dps_citus_owns(ProcedureRelationId, function);
}

static bool
look_at_function(Oid function)
{
	if (is_up && !is_admitted(function))
		refuse();
	return previous_needs_hook != NULL && previous_needs_hook(function);
}

void
dps_function_wall_init(void)
{
	previous_needs_hook = needs_fmgr_hook;
	needs_fmgr_hook = look_at_function;
}

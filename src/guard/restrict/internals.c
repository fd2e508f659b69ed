/*
 * internals.c
 *		Functions that only the rewriting may call.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/import/import.h"
#include "guard/restrict/internals.h"

static bool
is_internal(Oid function, void *found)
{
	char	   *name;

	if (function < FirstNormalObjectId || get_func_namespace(function) != dps_internal_schema_oid())
		return false;
	name = get_func_name(function);
	if (name == NULL || (strncmp(name, "release_", 8) != 0 && strncmp(name, "exact_", 6) != 0 &&
						 strncmp(name, "finish_", 7) != 0))
		return false;
	*(char **) found = name;
	return true;
}

typedef struct Internal
{
	char	   *name;			/* NULL: none was found */
	int			location;
} Internal;

/* Checks operators and casts as well, which a user may have defined on these functions. */
static bool
internals_walker(Node *node, Internal *found)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_internal, (void *) &found->name))
	{
		found->location = exprLocation(node);
		return true;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, internals_walker, found, 0);
	return expression_tree_walker(node, internals_walker, found);
}

bool
dps_calls_internals(Query *query)
{
	Internal	found = {0};

	return internals_walker((Node *) query, &found);
}

void
dps_refuse_internals(Query *query, const char *source_text)
{
	Internal	found = {0};

	if (internals_walker((Node *) query, &found))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function %s.%s cannot be called directly", DPS_INTERNAL_SCHEMA, found.name),
				 errhint("Use the dp_* aggregates."),
				 errposition(dps_text_position(source_text, found.location))));
}

/*
 * internals.c
 *		Functions that only the rewriting may call.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "glue/citus.h"
#include "glue/cluster_key.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "guard/restrict/internals.h"

/* Of plans and of states; so named because Citus looks for that. */
#define SUM "sum"

static bool
is_internal(Oid function, void *found)
{
	char	   *name;

	if (function < FirstNormalObjectId || get_func_namespace(function) != dps_internal_schema_oid())
		return false;
	name = get_func_name(function);
	if (name == NULL || (strncmp(name, "release_", 8) != 0 && strncmp(name, "exact_", 6) != 0 &&
						 strncmp(name, "finish_", 7) != 0 && strcmp(name, SUM) != 0))
		return false;
	*(char **) found = name;
	return true;
}

typedef struct Internal
{
	char	   *name;			/* NULL: none was found */
	int			location;
} Internal;

/*
 * Is it the part of a sum that a coordinator asks of a node?  Its plan can only have come from there, under
 * the cluster's key (agg/state/travel.h), and what it yields leaves this server encrypted.
 */
static bool
is_sent(const Node *node)
{
	const Aggref *aggref = (const Aggref *) node;
	char	   *name = NULL;
	const Expr *plan;

	if (!IsA(node, Aggref) || !dps_has_cluster_key() || !dps_citus_is_present() || !is_internal(aggref->aggfnoid, &name) ||
		strcmp(name, SUM) != 0)
		return false;
	plan = linitial_node(TargetEntry, aggref->args)->expr;
	return IsA(plan, Const) && !((const Const *) plan)->constisnull &&
		(((const Const *) plan)->consttype == dps_internal_type("shard_plan") || ((const Const *) plan)->consttype == dps_internal_type("summand"));
}

/* Checks operators and casts as well, which a user may have defined on these functions. */
static bool
internals_walker(Node *node, Internal *found)
{
	if (node == NULL)
		return false;
	if (is_sent(node))
		return expression_tree_walker(node, internals_walker, found);
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

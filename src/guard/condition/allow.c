/*
 * allow.c
 *		Which functions the executor may run on the rows of a protected
 *		relation.
 *
 * Whether a row counts must depend on this row alone.  A function that a user wrote can read the table
 * again, or disclose its arguments, whatever its volatility says.  Of the server's own functions these are
 * allowed: the immutable ones, and of the stable ones those that depend only on the clock, the time zone or
 * a setting.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "glue/glue.h"
#include "glue/import/builtin.h"
#include "guard/condition/allow.h"
#include "guard/condition/safe.h"
#include "guard/condition/written.h"

/* Prefixes of pg_proc.prosrc of stable builtins that are about time. */
static const char *const time_prefixes[] = {
	"timestamp", "date", "interval", "time", "extract_", "now", NULL
};

/* Others that depend only on settings, or on the labels of an enum. */
static const char *const setting_functions[] = {
	"show_config_by_name", "show_config_by_name_missing_ok", "enum_in", "enum_out", "int4_to_char", "int8_to_char", "numeric_to_char",
	"float4_to_char", "float8_to_char", "numeric_to_number", "to_date", "to_timestamp", NULL
};

/* These call the output functions of their arguments' types. */
static const char *const printing_functions[] = {
	"text_concat", "text_concat_ws", NULL
};

static bool
is_allowed(Oid function)
{
	const char *name;
	int			i;

	if (function >= FirstNormalObjectId)
		return false;
	if (func_volatile(function) == PROVOLATILE_IMMUTABLE)
		return true;
	name = dps_builtin_name(function);
	if (name == NULL || func_volatile(function) == PROVOLATILE_VOLATILE)
		return false;
	for (i = 0; time_prefixes[i] != NULL; i++)
	{
		if (strncmp(name, time_prefixes[i], strlen(time_prefixes[i])) == 0)
			return true;
	}
	return dps_is_listed(name, setting_functions);
}

/* Is it a call of a printing function, all of whose arguments are of known types? */
static bool
prints_known_types(Node *node)
{
	FuncExpr   *call = (FuncExpr *) node;
	ListCell   *cell;

	if (!IsA(node, FuncExpr) || call->funcvariadic || call->funcid >= FirstNormalObjectId ||
		!dps_is_listed(dps_builtin_name(call->funcid), printing_functions))
		return false;
	foreach(cell, call->args)
	{
		if (!dps_is_known_type(exprType(lfirst(cell))))
			return false;
	}
	return true;
}

static bool
is_foreign(Oid function, void *found)
{
	if (is_allowed(function))
		return false;
	*(Oid *) found = function;
	return true;
}

/* A description for the message.  A subquery with dp aggregates has been rewritten; its calls then are not
 * those that the user wrote. */
static char *
describe_call(Oid function)
{
	const char *name = get_func_name(function);

	if (name != NULL && dps_is_own_function(function) &&
		(strncmp(name, "finish_", 7) == 0 || strncmp(name, "release_", 8) == 0))
		return pstrdup("an answer of dp aggregates");
	return psprintf("function %s", format_procedure(function));
}

static bool
foreign_walker(Node *node, char **found)
{
	Oid			function = InvalidOid;

	if (node == NULL)
		return false;
	node = dps_written_out(node);
	if (!prints_known_types(node) && check_functions_in_node(node, is_foreign, &function))
	{
		*found = describe_call(function);
		return true;
	}
	/* a domain's constraints may call anything */
	if (IsA(node, CoerceToDomain))
	{
		*found = psprintf("a cast to domain %s", format_type_be(((CoerceToDomain *) node)->resulttype));
		return true;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, foreign_walker, found, 0);
	return expression_tree_walker(node, foreign_walker, found);
}

char *
dps_find_foreign_call(Node *expression)
{
	char	   *found = NULL;

	(void) foreign_walker(expression, &found);
	return found;
}

/*
 * failing.c
 *		Expressions that could fail on a row although calls are attempted.
 *
 * Expressions that are not attempted must be total: each that is not known here to be total is refused, as
 * in conditions for roles that may not read rows (safe.c).  Those conditions may not use arrays of columns,
 * which are what models are trained on.  Here arrays of numbers may be made, cast and subscripted; their
 * length is bounded by attempts (attempt.c) or by the text of the query.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"

#include "glue/import/builtin.h"
#include "guard/condition/allow.h"
#include "guard/condition/attempt.h"
#include "guard/condition/failing.h"
#include "guard/condition/safe.h"
#include "guard/condition/written.h"

/* pg_proc.prosrc of functions whose result may be as long as an argument says, or as the product of their
 * arguments' lengths. */
static const char *const growing_functions[] = {
	"array_fill", "array_fill_with_lower_bounds", "textregexreplace", "textregexreplace_extended",
	"textregexreplace_extended_no_flags", "textregexreplace_extended_no_n", NULL
};

static bool
grows(Oid function)
{
	const char *name = dps_builtin_name(function);
	int			i;

	for (i = 0; name != NULL && growing_functions[i] != NULL; i++)
	{
		if (strcmp(name, growing_functions[i]) == 0)
			return true;
	}
	return false;
}

static bool
is_attempted(Node *node)
{
	return dps_can_attempt(node) && !(IsA(node, FuncExpr) && grows(((FuncExpr *) node)->funcid));
}

/* ---- arrays ---- */

static bool
is_number(Oid type)
{
	Oid			base = getBaseType(type);

	return base == BOOLOID || (base < FirstGenbkiObjectId && TypeCategory(base) == TYPCATEGORY_NUMERIC);
}

/* Are they arrays that the query writes, all of the same size? */
static bool
are_alike(const List *arrays)
{
	List	   *elements = NIL;
	const ArrayExpr *first = linitial(arrays);
	ListCell   *cell;

	foreach(cell, arrays)
	{
		const ArrayExpr *array = lfirst(cell);

		if (!IsA(array, ArrayExpr) || array->multidims != first->multidims ||
			list_length(array->elements) != list_length(first->elements))
			return false;
		elements = list_concat(elements, array->elements);
	}
	return !first->multidims || are_alike(elements);
}

static bool
is_total_array(Node *node)
{
	switch (nodeTag(node))
	{
		case T_ArrayExpr:
			return is_number(((ArrayExpr *) node)->element_typeid) &&
				(!((ArrayExpr *) node)->multidims || are_alike(((ArrayExpr *) node)->elements));
			/* an element cast that may fail is found by the walk below */
		case T_ArrayCoerceExpr:
			return is_number(get_element_type(getBaseType(((ArrayCoerceExpr *) node)->resulttype)));
			/* a missing element is NULL */
		case T_SubscriptingRef:
			return ((SubscriptingRef *) node)->refassgnexpr == NULL &&
				OidIsValid(get_element_type(getBaseType(((SubscriptingRef *) node)->refcontainertype)));
		default:
			return false;
	}
}

/* ---- all of it ---- */

static bool
failing_walker(Node *node, char **found)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	node = dps_written_out(node);
	if (!IsA(node, TargetEntry) && !dps_never_fails(node) && !is_attempted(node) && !is_total_array(node))
	{
		if (dps_is_plan_constant(node))
			return false;
		*found = dps_describe_node(node);
		return true;
	}
	return expression_tree_walker(node, failing_walker, found);
}

char *
dps_find_failing(Node *expressions)
{
	char	   *found = dps_find_foreign_call(expressions);

	if (found == NULL)
		(void) failing_walker(expressions, &found);
	return found;
}

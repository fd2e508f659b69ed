/*
 * sent_tree.c
 *		Queries as bytes, for a plan's constant and for another process.
 *
 * The server's text form of nodes, except for constants of type dpsens_internal.plan, of which it writes
 * each byte as a number; they were most of the text.  Their bytes are sent before the text.  In the text
 * they are NULLs, each with its number in place of a type modifier, which this type does not have.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "utils/memutils.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "guard/query/sent_tree.h"
#include "room/message.h"

typedef struct Constants
{
	Oid			type;
	bool		are_out;
	List	   *all;			/* of Const * */
} Constants;

static bool
constant_walker(Node *node, Constants *constants)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, constant_walker, constants, 0);
	if (IsA(node, Const) && ((Const *) node)->consttype == constants->type && ((Const *) node)->constisnull == constants->are_out)
		constants->all = lappend(constants->all, node);
	return expression_tree_walker(node, constant_walker, constants);
}

/* Finds the constants in the queries of a list; a constant may occur in several places. */
static Constants
find_constants(const List *tree, bool are_out)
{
	Constants	constants = {dps_internal_type("plan"), are_out, NIL};
	ListCell   *cell;

	foreach(cell, tree)
	{
		if (lfirst(cell) != NULL && IsA(lfirst(cell), Query))
			(void) constant_walker(lfirst(cell), &constants);
	}
	constants.all = list_concat_unique_ptr(NIL, constants.all);
	return constants;
}

static void
put_value(StringInfo message, const Const *constant)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(constant->constvalue);
	int			length = VARSIZE_ANY(value);

	dps_put(message, length);
	dps_put_bytes(message, value, length);
}

/* Marks the constants as taken out of the tree, or restores them. */
static void
set_out(const Constants *constants, bool out)
{
	ListCell   *cell;

	foreach(cell, constants->all)
	{
		Const	   *constant = lfirst_node(Const, cell);

		constant->constisnull = out;
		constant->consttypmod = out ? foreach_current_index(cell) : -1;
	}
}

void
dps_put_tree(StringInfo message, const List *tree)
{
	Constants	constants = find_constants(tree, false);
	int			n = list_length(constants.all);
	ListCell   *cell;

	dps_put(message, n);
	foreach(cell, constants.all)
		put_value(message, lfirst(cell));
	set_out(&constants, true);
	dps_put_text(message, nodeToString(tree));
	set_out(&constants, false);
}

static Datum
get_value(StringInfo message)
{
	int			length;
	void	   *value;

	dps_get(message, &length);
	if (length < 0 || !AllocSizeIsValid(length))
		elog(ERROR, "a query that was sent has a constant of %d bytes", length);
	value = palloc(length);
	dps_get_bytes(message, value, length);
	return PointerGetDatum(value);
}

static void
put_back(const Constants *constants, const Datum *values, int n)
{
	ListCell   *cell;

	foreach(cell, constants->all)
	{
		Const	   *constant = lfirst_node(Const, cell);

		/* was NULL before it was sent */
		if (constant->consttypmod < 0)
			continue;
		if (constant->consttypmod >= n)
			elog(ERROR, "a query that was sent lacks a constant");
		constant->constvalue = values[constant->consttypmod];
		constant->constisnull = false;
		constant->consttypmod = -1;
	}
}

List *
dps_get_tree(StringInfo message)
{
	Constants	constants;
	Datum	   *values;
	List	   *tree;
	int			n;
	int			i;

	dps_get(message, &n);
	values = palloc(sizeof(Datum) * n);
	for (i = 0; i < n; i++)
		values[i] = get_value(message);
	tree = stringToNode(dps_get_text(message));
	constants = find_constants(tree, true);
	put_back(&constants, values, n);
	return tree;
}

/*
 * made_nodes.c
 *		Constructors of nodes for the queries that the rewriting makes.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"

#include "guard/query/made_nodes.h"

Node *
dps_null_test(void *argument, NullTestType type)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = argument;
	test->nulltesttype = type;
	test->location = -1;
	return (Node *) test;
}

Node *
dps_boolean_test(Node *condition, BoolTestType type)
{
	BooleanTest *test = makeNode(BooleanTest);

	test->arg = (Expr *) condition;
	test->booltesttype = type;
	test->location = -1;
	return (Node *) test;
}

void
dps_add_target(Query *query, Expr *expression, const char *name)
{
	query->targetList = lappend(query->targetList,
								makeTargetEntry(expression, list_length(query->targetList) + 1, pstrdup(name), false));
}

/*
 * made_nodes.h
 *		Constructors of nodes for the queries that the rewriting makes.
 */
#ifndef DPS_GUARD_QUERY_MADE_NODES_H
#define DPS_GUARD_QUERY_MADE_NODES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is the expression, which is not copied, NULL, or not? */
extern Node *dps_null_test(void *argument, NullTestType type);
extern Node *dps_boolean_test(Node *condition, BoolTestType type);

/* Adds a column to the query's target list.  The name is copied. */
extern void dps_add_target(Query *query, Expr *expression, const char *name);

#endif							/* DPS_GUARD_QUERY_MADE_NODES_H */

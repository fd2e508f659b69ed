/*
 * safe.h
 *		Which conditions can be evaluated for a role that must learn nothing of
 *		single rows.
 */
#ifndef DPS_GUARD_CONDITION_SAFE_H
#define DPS_GUARD_CONDITION_SAFE_H

#include "postgres.h"

#include "nodes/nodes.h"

/* What could fail, and where. */
typedef struct DpsUnsafe
{
	char	   *what;			/* for a message, palloc'd; NULL: nothing */
	int			location;
} DpsUnsafe;

/* Does the node itself, without the nodes below it, have a value for all values of its arguments? */
extern bool dps_never_fails(Node *node);

/* Is the type, or its base type, one whose functions are known here? */
extern bool dps_is_known_type(Oid type);

/* Will the planner turn the node into a constant?  Raises an error if evaluating the constant fails: during
 * rewriting, before any row is read. */
extern bool dps_is_plan_constant(Node *node);

/* A description of the node for a message, palloc'd. */
extern char *dps_describe_node(Node *node);

/* Is its value known before the first row is read? */
extern bool dps_is_public(Node *node);

/*
 * Looks in the expression, over columns of one relation, for a part that could disclose a row's values, or
 * fail although it is attempted (attempt.h).  Subqueries are reported as unsafe.  Expressions of constants
 * alone are evaluated, so they fail during this call or never.
 */
extern void dps_find_unsafe(Node *expression, DpsUnsafe *unsafe);

#endif							/* DPS_GUARD_CONDITION_SAFE_H */

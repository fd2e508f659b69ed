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

/* Has the node, apart from what is below it, a value whatever its arguments
 * are? */
extern bool dps_never_fails(Node *node);

/* Is it a type, or a domain over one, whose functions are known here? */
extern bool dps_is_known_type(Oid type);

/* Will the planner make a constant of it?  An error if the constant has no
 * value: here and now, before any row is read. */
extern bool dps_is_plan_constant(Node *node);

/* What the node is, for a message; palloc'd. */
extern char *dps_describe_node(Node *node);

/* Is its value known before the first row is read? */
extern bool dps_is_public(Node *node);

/*
 * Looks in the expression, over columns of one relation, for what a row's
 * values could carry out of it, or could make fail though it is attempted
 * (attempt.h).  Subqueries do not pass.  Expressions of constants alone are
 * evaluated, and so fail here and now or never.
 */
extern void dps_find_unsafe(Node *expression, DpsUnsafe *unsafe);

#endif							/* DPS_GUARD_CONDITION_SAFE_H */

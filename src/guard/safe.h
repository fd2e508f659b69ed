/*
 * safe.h
 *		Which conditions the executor may evaluate for a role that must learn
 *		nothing of single rows.
 */
#ifndef DPS_GUARD_SAFE_H
#define DPS_GUARD_SAFE_H

#include "postgres.h"

#include "nodes/nodes.h"

/* What could fail, and where. */
typedef struct DpsUnsafe
{
	char	   *what;			/* for a message, palloc'd; NULL: nothing */
	int			location;
} DpsUnsafe;

/*
 * Looks in the expression, over columns of one relation, for what a row's
 * values could make fail, or could carry out of it.  What it lets pass is
 * total: it has a value for every row.  Subqueries do not pass.  Expressions
 * of constants alone are evaluated, and so fail here and now or never.
 */
extern void dps_find_unsafe(Node *expression, DpsUnsafe *unsafe);

#endif							/* DPS_GUARD_SAFE_H */

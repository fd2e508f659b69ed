/*
 * failing.h
 *		Expressions that could fail on a row although calls are attempted.
 */
#ifndef DPS_GUARD_CONDITION_FAILING_H
#define DPS_GUARD_CONDITION_FAILING_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Finds an expression, over columns of one relation, that may depend on anything but the row, or that may
 * fail on a row although calls are attempted (attempt.h).  Returns a description for a message, palloc'd,
 * or NULL if there is none.  Only for a role that may read the relation: values may take much memory, and
 * patterns may come from cells.
 */
extern char *dps_find_failing(Node *expressions);

#endif							/* DPS_GUARD_CONDITION_FAILING_H */

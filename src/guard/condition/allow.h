/*
 * allow.h
 *		Which functions the executor may run on the rows of a protected
 *		relation.
 */
#ifndef DPS_GUARD_CONDITION_ALLOW_H
#define DPS_GUARD_CONDITION_ALLOW_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Finds a call in the expression, by name, operator or cast, that might depend on anything but its
 * arguments.  Subqueries are searched, too.  Returns a description for a message, palloc'd, or NULL if
 * there is none.
 */
extern char *dps_find_foreign_call(Node *expression);

#endif							/* DPS_GUARD_CONDITION_ALLOW_H */

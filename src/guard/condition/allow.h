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
 * What the expression calls, by name, operator or cast, that might look at
 * anything but its arguments: a description for a message, palloc'd, or NULL.
 * Subqueries are looked into.
 */
extern char *dps_find_foreign_call(Node *expression);

#endif							/* DPS_GUARD_CONDITION_ALLOW_H */

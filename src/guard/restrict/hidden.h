/*
 * hidden.h
 *		What the server tells everybody about relations, kept from roles that
 *		may ask but not look.
 *
 * Such a role has a budget on a relation that it may not read, and no membership
 * in pg_read_all_stats.  For it, the sizes and counters of all relations are
 * unknown: NULL, or what the server says of a table that was never analysed.
 * Where they stand in a way that the planner hook does not see, and in COPY,
 * they are refused.  So are calls of SECURITY DEFINER functions of somebody who
 * may read more, unless their owner trusts them.
 */
#ifndef DPS_GUARD_RESTRICT_HIDDEN_H
#define DPS_GUARD_RESTRICT_HIDDEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Does the node refer to something that is hidden?  Without regard to who
 * asks; called for every node of every query. */
extern bool dps_mentions_hidden(Node *node);

/* Is it the present role that it is hidden from? */
extern bool dps_hides(void);

/* Puts what is known to everybody in the place of what is hidden. */
extern Query *dps_hide(Query *query);

/* Sets the hooks that refuse the rest; called by dps_hooks_init. */
extern void dps_hidden_init(void);

#endif							/* DPS_GUARD_RESTRICT_HIDDEN_H */

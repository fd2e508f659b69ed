/*
 * hidden.h
 *		What the server tells everybody about relations, kept from roles that
 *		may ask but not look.
 *
 * Such a role has a budget on a relation that it may not read, and no membership
 * in pg_read_all_stats.  For it, the sizes and counters of all relations are
 * unknown: NULL, or what the server says of a table that was never analysed.
 * Those of the server and of whole databases are so wherever the role, or one
 * that it is a member of, has the label ANALYST: in every database.
 * Where they stand in a way that the planner hook does not see, and in COPY,
 * they are refused.  So are calls of SECURITY DEFINER functions of somebody who
 * may read more, unless their owner trusts them.
 */
#ifndef DPS_GUARD_RESTRICT_HIDDEN_H
#define DPS_GUARD_RESTRICT_HIDDEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* How much is hidden, each more than the one before. */
typedef enum DpsHidden
{
	DPS_HIDDEN_NOTHING,
	DPS_HIDDEN_SERVER,			/* what tells of other databases, too */
	DPS_HIDDEN_ALL				/* and what tells of relations of this one */
} DpsHidden;

/* Does the node refer to something that is hidden from some?  Without regard to
 * who asks; called for every node of every query. */
extern bool dps_mentions_hidden(Node *node);

/* What is hidden from the present role? */
extern DpsHidden dps_hides(void);

/* Puts what is known to everybody in the place of what is hidden. */
extern Query *dps_hide(Query *query, DpsHidden hidden);

/* Sets the hooks that refuse the rest; called by dps_hooks_init. */
extern void dps_hidden_init(void);

#endif							/* DPS_GUARD_RESTRICT_HIDDEN_H */

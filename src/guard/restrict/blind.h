/*
 * blind.h
 *		Planning without statistics of a relation, and without its size.
 *
 * Which plan is chosen can be observed: by the locks that it takes, its parallel workers, and the choices
 * of the plan cache.  So for a role that may not read rows a plan depends neither on statistics nor on the
 * size of the relations that the role may not read.
 */
#ifndef DPS_GUARD_RESTRICT_BLIND_H
#define DPS_GUARD_RESTRICT_BLIND_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* The relation that the query names, of which this one may be a partition or a child; the server checks
 * privileges of that one alone. */
extern RangeTblEntry *dps_named_entry(PlannerInfo *root, Index index);

/* Between enter and leave, the planner sees statistics of a table that was never analysed.  Returns the
 * value to pass to dps_blind_leave. */
extern bool dps_blind_enter(void);
extern void dps_blind_leave(bool before);

/* Is the relation, or one that shares rows with it by inheritance or partitioning, protected, or a shard of Citus, or this a
 * worker of it, where labels say nothing, and may the role not read the relation? */
extern bool dps_is_closed_to(Oid relation, Oid role);

/* Sets the hooks.  Statements that will be refused when they run are planned without statistics and sizes of
 * what is closed, too.  Called by dps_hooks_init. */
extern void dps_blind_init(void);

/* Called when all hooks of paths are set: libraries that set others later are noticed. */
extern void dps_blind_end_init(void);

/*
 * Makes this process a clean room until it ends.  A clean room computes for other roles, so the planner
 * treats all relations as closed, whatever the present role may read.
 */
extern void dps_be_a_room(void);
extern bool dps_is_room(void);

#endif							/* DPS_GUARD_RESTRICT_BLIND_H */

/*
 * blind.h
 *		Planning without what ANALYZE found in a relation.
 *
 * Which plan is chosen can be seen: by the locks that it takes, its parallel
 * workers, the plans that the cache prefers.  So for a role that must not look a
 * plan depends on the size of relations and on no value in them.
 */
#ifndef DPS_GUARD_RESTRICT_BLIND_H
#define DPS_GUARD_RESTRICT_BLIND_H

#include "postgres.h"

/* Until it is left, statistics are those of a table that was never analysed;
 * returns what to leave with. */
extern bool dps_blind_enter(void);
extern void dps_blind_leave(bool before);

/* Is the relation protected from the role? */
extern bool dps_is_closed_to(Oid relation, Oid role);

/* Sets the hooks that do it, for statements that will be refused when they run
 * as well; called by dps_hooks_init. */
extern void dps_blind_init(void);

/*
 * In a clean room nobody reads for himself: all relations are closed to whoever it
 * reads for, whatever its present role may do.  For as long as the process lives.
 */
extern void dps_be_a_room(void);
extern bool dps_is_room(void);

#endif							/* DPS_GUARD_RESTRICT_BLIND_H */

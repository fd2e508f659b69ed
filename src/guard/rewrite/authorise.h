/*
 * authorise.h
 *		The role and the annotations that a release is planned for, and their check when
 *		it runs.
 */
#ifndef DPS_GUARD_REWRITE_AUTHORISE_H
#define DPS_GUARD_REWRITE_AUTHORISE_H

#include "postgres.h"

#include "agg/aggregate.h"

/* Records in a release the present role, for which it is planned, and the annotations it is planned from. */
extern void dps_mark_release(DpsRelease *release, bool is_restricted);

/*
 * Called before a plan runs.  Raises an error if the role that asked may not have one of the releases, or
 * if the annotations have changed since.
 */
extern void dps_authorise(const List *releases, Oid role);

/* Was any of the releases planned for a role that may not read rows? */
extern bool dps_any_restricted(const List *releases);

#endif							/* DPS_GUARD_REWRITE_AUTHORISE_H */

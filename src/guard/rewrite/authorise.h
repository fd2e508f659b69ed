/*
 * authorise.h
 *		For whom a release is planned, and who may have it when it runs.
 */
#ifndef DPS_GUARD_REWRITE_AUTHORISE_H
#define DPS_GUARD_REWRITE_AUTHORISE_H

#include "postgres.h"

#include "agg/aggregate.h"

/* Says in a release for whom its plan is made, and from which annotations. */
extern void dps_mark_release(DpsRelease *release, bool is_restricted);

/*
 * Of the releases of a plan that is about to run: may the role that asked have
 * them, and are they still what the annotations say?  An error if not.
 */
extern void dps_authorise(const List *releases, Oid role);

/* Is any of them for a role that must not look? */
extern bool dps_any_restricted(const List *releases);

#endif							/* DPS_GUARD_REWRITE_AUTHORISE_H */

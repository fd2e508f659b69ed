/*
 * beside.h
 *		Public relations beside protected ones, and which of them a role may use that
 *		may not read the protected ones.
 */
#ifndef DPS_GUARD_REWRITE_BESIDE_H
#define DPS_GUARD_REWRITE_BESIDE_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* Notes in the releases which public relations the states of their level read. */
extern void dps_note_beside(const DpsProtectedSource *source, Query *states, const List *releases);

/* May the role use them all?  An error if not, at the level's place in the statement or,
 * when that runs, without one. */
extern void dps_check_noted(const DpsProtectedSource *source, const List *releases);
extern void dps_check_beside(const DpsRelease *release, Oid role, int position);

#endif							/* DPS_GUARD_REWRITE_BESIDE_H */

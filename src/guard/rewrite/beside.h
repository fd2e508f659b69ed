/*
 * beside.h
 *		Public relations used together with protected ones by a role that may not read
 *		the protected ones.
 */
#ifndef DPS_GUARD_REWRITE_BESIDE_H
#define DPS_GUARD_REWRITE_BESIDE_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* Records in the releases which public relations the states of their level read. */
extern void dps_note_beside(const DpsProtectedSource *source, Query *states, const List *releases);

/* Raises an error if the role may not use one of them.  dps_check_noted: while planning, at the level's
 * position in the statement; dps_check_beside: also when the statement runs, with position 0. */
extern void dps_check_noted(const DpsProtectedSource *source, const List *releases);
extern void dps_check_beside(const DpsRelease *release, Oid role, int position);

#endif							/* DPS_GUARD_REWRITE_BESIDE_H */

/*
 * individual.h
 *		The individual filter: units whose own loss would exceed the cap are left out of
 *		an answer.
 */
#ifndef DPS_GUARD_RELEASE_INDIVIDUAL_H
#define DPS_GUARD_RELEASE_INDIVIDUAL_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* The condition, over Vars of the level, that a row's unit is not left out. */
extern Node *dps_individual_condition(DpsProtectedSource *source, Node *plan);

/* Raises an error if a release was planned without the filter, and its relation has row accounting now.
 * releases: const DpsRelease *. */
extern void dps_individual_check(const List *releases);

/*
 * Sets up the filters of the receipt's statement.  last_release: number, in the history, of the statement's
 * last release.
 */
extern void dps_individual_begin(DpsReceipt *receipt, const List *releases, int64 last_release);

#endif							/* DPS_GUARD_RELEASE_INDIVIDUAL_H */

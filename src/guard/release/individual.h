/*
 * individual.h
 *		The individual filter: units whose own loss would pass the cap are left
 *		out of an answer.
 */
#ifndef DPS_GUARD_RELEASE_INDIVIDUAL_H
#define DPS_GUARD_RELEASE_INDIVIDUAL_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "guard/source/protected_source.h"

/* The condition on a row of the source's relation that its unit is not left
 * out, over Vars of the level. */
extern Node *dps_individual_condition(DpsProtectedSource *source, Node *plan);

/* Raises an error if a release was planned without the filter of a relation
 * that has one now.  releases are const DpsRelease *. */
extern void dps_individual_check(const List *releases);

/*
 * Lets the receipt's statement, whose charge ended with this release of the
 * history, leave units out.
 */
extern void dps_individual_begin(DpsReceipt *receipt, const List *releases, int64 last_release);

#endif							/* DPS_GUARD_RELEASE_INDIVIDUAL_H */

/*
 * tallied.h
 *		What families that choose among the points of a tally have in common.
 */
#ifndef DPS_AGG_FAMILIES_TALLIED_H
#define DPS_AGG_FAMILIES_TALLIED_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "moment/grid.h"
#include "noise/exponential.h"

/*
 * What a neighbour can do to the tallies of a release's groups, in its fields
 * removes, replaces and vector (moves).  DPS_DOMAIN and the reason under metric,
 * where a small move can change a count.
 */
extern DPS_MUST_USE DpsStatus dps_derive_tallied(const DpsFacts *facts, DpsRelease *release,
												 DpsSummand *summand, const char **why);

/* Sets the lattice of the values, and that they are tallied. */
extern void dps_set_points(const DpsFacts *facts, const DpsGrid *grid, DpsRelease *release, DpsSummand *summand);

/* Does both for a column of declared values, whose order is that of the points. */
extern DPS_MUST_USE DpsStatus dps_derive_declared(const DpsFacts *facts, DpsRelease *release,
												  DpsSummand *summand, const char **why);

/* The most rows of a unit, so that ranges stay far from any limit. */
#define DPS_MAX_TALLIED_ROWS 65535

/*
 * The range of distances over all groups together, for one whose range is
 * `removal` if a row is removed or added and `replacement` if its value becomes
 * another: a row that moves is removed here and added there, where draws are
 * independent and their losses add up.  So do the ranges of the changes that a
 * unit's rows make one after the other.
 */
static inline uint64
dps_tallied_range(const DpsRelease *release, uint64 removal, uint64 replacement)
{
	uint64		range = release->removes ? removal : 0;

	if (release->replaces)
		range = Max(range, replacement);
	if (release->vector)
		range = Max(range, 2 * removal);
	return range * release->unit_rows;
}

/* Has the tally but one point, which is the answer whatever the rows are? */
extern bool dps_has_one_point(const DpsFacts *facts, const DpsRelease *release);

/*
 * May the answer for no rows be NULL?  Only if no neighbour can change the tallies,
 * or nothing is private; a release of one point only is exact, but whether there
 * are rows is not public then.
 */
static inline bool
dps_tallied_is_null(const DpsDraw *draw, const DpsState *state)
{
	const DpsRelease *release = draw->release;
	bool		is_public = !release->removes && !release->replaces && !release->vector;

	return state->count == 0 && (is_public || draw->plan->silent);
}

/* The law of one of the planned draws, for distances of this range; valid until the next call. */
extern const DpsExponential *dps_tallied_law(const DpsNoisePlan *plan, uint64 range);

/* The declared values of a release as candidates, by how much rarer each is than the most frequent one. */
extern DpsCandidate *dps_declared_candidates(const DpsRelease *release, const DpsState *state);

/* The mechanism that chooses among declared values. */
extern const DpsMechanism *dps_declared_mechanism(const DpsMechanism *mechanism);

/* One planned draw from n candidates; the first of the nearest, if the draw is exact. */
extern size_t dps_choose_declared(const DpsDraw *draw, const DpsCandidate *candidates, size_t n);

/* Raises unless the status is DPS_OK. */
extern void dps_check_draw(DpsStatus status);

#endif							/* DPS_AGG_FAMILIES_TALLIED_H */

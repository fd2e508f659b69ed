/*
 * crossed.h
 *		Noised sums of grouping sets of any kind, made to add up.
 */
#ifndef DPS_MOMENT_CROSSED_CROSSED_H
#define DPS_MOMENT_CROSSED_CROSSED_H

#include <stdint.h>

#include "base/arena.h"
#include "moment/crossed/crossed_family.h"
#include "num/whole.h"

/*
 * Replaces the values of all cells of all sets by the least-squares fit (crossed.c), rounded to multiples of `step`, so that
 * all are exactly the sums of one table on all keys.  variances: of the noise of each cell of a set, in the square of the
 * values' unit or of any other; 0: there is none.  Where no set has noise nothing is changed.
 * DPS_DOMAIN, and nothing is changed: a value is beyond 2^100, a variance is no number, or the step is 0.
 */
extern DPS_MUST_USE DpsStatus dps_fit_crossed(DpsArena *arena, const DpsCrossedFamily *family, const double *variances,
											  DpsStoredInt128 *const *values, uint64_t step);

#endif							/* DPS_MOMENT_CROSSED_CROSSED_H */

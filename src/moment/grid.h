/*
 * grid.h
 *		The lattice that values are summed on, and the integer arithmetic of
 *		sensitivities.
 *
 * Knows nothing of the server, so that the unit tests can run it.  Everything
 * here works on public quantities, except dps_int128_to_double, which sees
 * noised ones.  definitions, section 5.
 */
#ifndef DPS_MOMENT_GRID_H
#define DPS_MOMENT_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "num/whole.h"

/* |lo|, |hi| <= 2^62: differences and doubles of them fit in 64 bits. */
#define DPS_GRID_LIMIT (INT64_C(1) << 62)

/* Counts of units of one row are summed in units of 2^DPS_COUNT_GRID: the grid of
 * sensitivity 1. */
#define DPS_COUNT_GRID (-40)
#define DPS_COUNT_UNIT (UINT64_C(1) << 40)

/* The unit is 2^k; the integers of values in [L, U] are in [lo, hi]. */
typedef struct DpsGrid
{
	int			k;
	int64_t		lo;				/* floor(L / 2^k) */
	int64_t		hi;				/* ceil(U / 2^k) */
} DpsGrid;

/*
 * The grid of a sensitivity for finite L <= U: k = ceil(log2 sensitivity) - 40,
 * larger if lo and hi would pass DPS_GRID_LIMIT.  An infinite sensitivity
 * stands for a difference of doubles that overflowed.  Sensitivity 0 means an
 * exact release: then the unit is at most the last bit of the larger end, so
 * that L = U gives lo = hi.
 */
extern DpsGrid dps_grid_choose(double sensitivity, double lower, double upper);

/* The same where the sensitivity is `factor` >= 1 times as large: that of a unit of
 * several rows. */
extern DpsGrid dps_grid_choose_for(double sensitivity, double factor, double lower, double upper);

/* The grid of this unit, or a coarser one if lo and hi would pass DPS_GRID_LIMIT. */
extern DpsGrid dps_grid_at(int k, double lower, double upper);

/* The grid of counts where a unit changes them by `rows` >= 1: at most 0, as many steps
 * coarser than DPS_COUNT_GRID as log2 of that, rounded up. */
extern int	dps_grid_of_counts(uint64_t rows);

/*
 * The finest grid on which finite L <= U have at most `points` >= 3 points, the
 * integers from lo to hi.  Values that are integers get one that is no finer than
 * 1, and without points that lie outside.
 */
extern DpsGrid dps_grid_of_points(double lower, double upper, bool integral, int64_t points);

/* The smallest e with x <= 2^e, for x > 0; Infinity counts as 2^1025. */
extern int	dps_ceil_log2(double x);

/* x / 2^k for 0 <= x, rounded up and down; DPS_TOO_MANY if it is 2^63 or more
 * or NaN. */
extern uint64_t dps_grid_ceil(double x, int k);
extern uint64_t dps_grid_floor(double x, int k);

/* max(|lo|, |hi|), hi - lo, and the length of the hull of lo, hi and 0. */
extern uint64_t dps_grid_magnitude(const DpsGrid *grid);
extern uint64_t dps_grid_length(const DpsGrid *grid);
extern uint64_t dps_grid_length_with_zero(const DpsGrid *grid);

/* The smallest r with r >= sqrt(2) * n, or DPS_TOO_MANY. */
extern uint64_t dps_sqrt2_ceil(uint64_t n);

/* The double nearest to n, ties to even, whatever the rounding mode. */
extern double dps_int128_to_double(__int128 n);

/* The double nearest to n / d, d > 0, ties to even; but for n = -2^127. */
extern double dps_nearest_quotient(__int128 n, int64_t d);

#endif							/* DPS_MOMENT_GRID_H */

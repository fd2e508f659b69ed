/*
 * aim.h
 *		Noise aimed at attributes: which entries of a vector get how much noise.
 */
#ifndef DPS_MOMENT_AIM_H
#define DPS_MOMENT_AIM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Scales of noise for n entries, in proportion to one another.  Row j of the moves has how far column j moves
 * each entry; weights are in (0, 1].  `uniform` is the scale that all entries would have if they had the
 * same, at a loss at which a column that moves an entry by m alone needs m / weight for it.
 *
 * Returns false, and there is no shape, if that would be about as good, or if there are more entries or columns than a plan
 * of noise has (noise/plan.h).
 */
extern bool dps_aim(int n, int ncolumns, const uint64_t *moves, const double *weights, double uniform, uint64_t *shape);

#endif							/* DPS_MOMENT_AIM_H */

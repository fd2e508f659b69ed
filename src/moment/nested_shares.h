/*
 * nested_shares.h
 *		How nested groupings share epsilon.
 */
#ifndef DPS_MOMENT_NESTED_SHARES_H
#define DPS_MOMENT_NESTED_SHARES_H

#include <stdint.h>

#define DPS_NESTED_LEVELS 32

/*
 * Factors of epsilon for groupings of so many cells each, the coarsest first, where all cells of one have as many parts and
 * their fit is asked for (nested.h).  The factors add up to nlevels at most, and so do their squares; none is 0.
 * All are 1 if no others would do better, or if there are more than DPS_NESTED_LEVELS.
 */
extern void dps_share_nested(int nlevels, const int64_t *cells, double *factors);

/* The variances of the fits, of each level, where those of the noise are such. */
extern void dps_nested_variances(int nlevels, const int64_t *cells, const double *noise, double *fits);

#endif							/* DPS_MOMENT_NESTED_SHARES_H */

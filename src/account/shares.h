/*
 * shares.h
 *		How answers share epsilon by weights (dpsens.weights).
 */
#ifndef DPS_ACCOUNT_SHARES_H
#define DPS_ACCOUNT_SHARES_H

#include <stdbool.h>

#define DPS_MAX_SHARES 32

/* Of a ratio beyond this the least would be below every epsilon. */
#define DPS_GREATEST_WEIGHT 1e6
#define DPS_LEAST_WEIGHT 1e-6

/* Factors of epsilon, of n answers; n = 0: these share nothing. */
typedef struct DpsShares
{
	int			n;
	double		factor[DPS_MAX_SHARES];
} DpsShares;

/*
 * Factors in proportion to the weights, which add up to n at most, and so do their squares.  False if a weight does not
 * lie between the least and the greatest, or there are none, or too many of them.
 */
extern bool dps_share_by_weights(int n, const double *weights, DpsShares *shares);

#endif							/* DPS_ACCOUNT_SHARES_H */

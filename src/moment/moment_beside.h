/*
 * moment_beside.h
 *		Sums that are measured beside the one that a statistic turns on.
 *
 * Knows nothing of the server, so that the unit tests can run it.  All of this is
 * chosen from outputs with noise, and none of it decides how much noise there is.
 */
#ifndef DPS_MOMENT_MOMENT_BESIDE_H
#define DPS_MOMENT_MOMENT_BESIDE_H

#include "moment/moment.h"

/* Sums of one release: the one that counts and two more. */
#define DPS_MOMENT_SUMS 3

/* Moments of two values. */
#define DPS_FEW_MOMENTS 6

/*
 * A statistic of at most DPS_FEW_MOMENTS outputs to second order.  Outputs are in
 * units of the deviation that they are known by; a row of `moment` says what an
 * output weighs in each moment, the moments being in units of what one row adds at
 * most.
 */
typedef struct DpsMomentShape
{
	int			n;				/* of outputs, and of moments */
	double		gradient[DPS_FEW_MOMENTS];
	double		curvature[DPS_FEW_MOMENTS][DPS_FEW_MOMENTS];
	double		along[DPS_FEW_MOMENTS][DPS_FEW_MOMENTS];	/* of outputs in moments */
	double		across[DPS_FEW_MOMENTS][DPS_FEW_MOMENTS];	/* of moments in outputs */
	double		noise;			/* the deviation of each sum, where no row adds
								 * more than 1 to all of them together */
} DpsMomentShape;

/*
 * Sets form[0] to the sum that the statistic turns on, and more to go beside it, at
 * most `limit` together; weights are of the moments.  Returns their number; 0 if the
 * statistic does not turn on anything.
 */
extern int	dps_moment_beside(const DpsMomentDesign *design, const DpsMomentShape *shape, int limit,
							  double form[DPS_MOMENT_SUMS][DPS_FEW_MOMENTS]);

#endif							/* DPS_MOMENT_MOMENT_BESIDE_H */

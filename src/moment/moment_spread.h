/*
 * moment_spread.h
 *		Where a statistic of second moments lies, by the noise of the outputs.
 *
 * Knows nothing of the server, so that the unit tests can run it.
 */
#ifndef DPS_MOMENT_MOMENT_SPREAD_H
#define DPS_MOMENT_MOMENT_SPREAD_H

#include "moment/moment_point.h"
#include "noise/mechanism.h"

/* What is asked of moments: a function of moment_point.h, how many results it has, and its
 * arguments. */
typedef struct DpsMomentAsked
{
	DpsStatus	(*evaluate) (const DpsMomentPoint *point, double *result);
	int			nresults;
	int			npicks;
	const int16_t *pick;
} DpsMomentAsked;

/* How many points are looked at; 0 if the probability is too small, or the outputs
 * too many, for that to be done in a moment. */
extern int	dps_moment_spread_points(const DpsMomentBasis *basis, double miss);

/* So many doubles has the noise of all points, and what it is made of. */
extern int	dps_moment_spread_size(const DpsMomentBasis *basis, double miss);

/* The noise of each output, of one point after the other: the same for all that is
 * released at this scale. */
extern void dps_moment_spread_noise(const DpsMomentBasis *basis, const DpsMechanism *mechanism, uint64_t scale, double miss,
									double *noise);

/*
 * The ends between which the statistic lies for all but a part `miss` of the noise
 * that the outputs may have, as much of it beyond either end; of several results those
 * between which all lie at once, each with as much beyond it.  False if an end cannot be
 * told, since the statistic does not exist for too much of it.
 */
extern bool dps_moment_spread(const DpsMomentDesign *design, const DpsMomentBasis *basis, const DpsMomentAsked *asked,
							  const double *output, double count, double miss, const double *noise, double *lower, double *upper);

#endif							/* DPS_MOMENT_MOMENT_SPREAD_H */

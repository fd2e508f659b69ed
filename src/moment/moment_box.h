/*
 * moment_box.h
 *		Statistics of second moments that are known up to noise.
 *
 * Knows nothing of the server, so that the unit tests can run it.  All of it is
 * post-processing: moments come from noised outputs.  One set of formulas, in
 * interval arithmetic, yields both the estimate (a box that is a point up to
 * rounding) and the interval of the noise (a box that holds the moments without
 * noise with the probability that is asked for).
 */
#ifndef DPS_MOMENT_MOMENT_BOX_H
#define DPS_MOMENT_MOMENT_BOX_H

#include "moment/moment.h"
#include "num/interval_fn.h"

typedef struct DpsMomentBox
{
	const DpsMomentDesign *design;
	int			npicks;			/* the statistic's arguments, y first */
	const int16_t *pick;		/* which of the design's values they are */
	DpsInterval moment[DPS_MAX_MOMENTS];
} DpsMomentBox;

/*
 * The moments of outputs that are within reach[k] of output[k]; count is the
 * number of rows where it is public.
 */
extern void dps_moment_box(const DpsMomentDesign *design, const DpsMomentBasis *basis, const double *output,
						   const double *reach, double count, DpsMomentBox *box);

/*
 * The statistics.  DPS_OK: the result holds them for every point of the box where
 * they exist, clamped into what they can be.  DPS_UNABLE: they do not exist
 * somewhere in the box; the result still holds all that do.  DPS_DOMAIN: they
 * exist nowhere.  Arguments are named as PostgreSQL's: y, then x.  Only the
 * regression has entries: the intercept, then the coefficients.
 */
#define DPS_MOMENT_STATISTIC(name, nvalues, array, sums, type, function, finish, formula, turns_on) \
	extern DpsStatus dps_moment_##formula(const DpsMomentBox *box, int entry, DpsInterval *result);
#include "moment/moment_statistics.def"
#undef DPS_MOMENT_STATISTIC

#endif							/* DPS_MOMENT_MOMENT_BOX_H */

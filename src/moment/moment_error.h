/*
 * moment_error.h
 *		How much a statistic of second moments can err, whatever the values are.
 *
 * Knows nothing of the server, so that the unit tests can run it.
 */
#ifndef DPS_MOMENT_MOMENT_ERROR_H
#define DPS_MOMENT_MOMENT_ERROR_H

#include "moment/moment.h"

/* What can be bounded without the values.  The others, a correlation or a slope, are
 * quotients by a spread that can be as small as one likes. */
typedef enum DpsMomentSize
{
	DPS_SIZE_UNKNOWN,
	DPS_SIZE_COUNT,
	DPS_SIZE_MEAN,				/* of value k */
	DPS_SIZE_COVARIANCE,		/* of k and l; the variance if they are the same */
	DPS_SIZE_DEVIATION,			/* the root of the variance of k */
	DPS_SIZE_PRODUCTS			/* the covariance times the number of rows */
} DpsMomentSize;

/* The 95 % errors of the noise of an output: in the first stage and in the last, which
 * are the same if there is one. */
typedef struct DpsMomentTails
{
	double		first;
	double		last;
} DpsMomentTails;

/*
 * The largest 95 % error, in the unit of the statistic, over n rows wherever these lie
 * in their ranges.  At most what the ranges allow.
 */
extern double dps_moment_error(const DpsMomentDesign *design, const DpsMomentBasis *basis, DpsMomentSize size, int k, int l,
							   const DpsMomentTails *tails, double n);

#endif							/* DPS_MOMENT_MOMENT_ERROR_H */

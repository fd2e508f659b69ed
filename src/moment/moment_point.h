/*
 * moment_point.h
 *		Statistics of second moments that are taken as they are.
 *
 * Knows nothing of the server, so that the unit tests can run it.  The formulas are
 * those of moment_box.h, in doubles: for when a statistic is looked at in so many
 * points that intervals would take too long.
 */
#ifndef DPS_MOMENT_MOMENT_POINT_H
#define DPS_MOMENT_MOMENT_POINT_H

#include "base/status.h"
#include "moment/moment.h"

typedef struct DpsMomentPoint
{
	const DpsMomentDesign *design;
	int			npicks;			/* the statistic's arguments, y first */
	const int16_t *pick;		/* which of the design's values they are */
	double		moment[DPS_MAX_MOMENTS];
} DpsMomentPoint;

/* The moments of outputs; count is the number of rows where it is public. */
extern void dps_moment_point(const DpsMomentDesign *design, const DpsMomentBasis *basis, const double *output, double count,
							 DpsMomentPoint *point);

/* As those of moment_box.h without "_at"; *result says nothing unless DPS_OK. */
#define DPS_MOMENT_STATISTIC(name, nvalues, array, sums, type, function, finish, formula, turns_on) \
	extern DpsStatus dps_moment_##formula##_at(const DpsMomentPoint *point, double *result);
#include "moment/moment_statistics.def"
#undef DPS_MOMENT_STATISTIC

#endif							/* DPS_MOMENT_MOMENT_POINT_H */

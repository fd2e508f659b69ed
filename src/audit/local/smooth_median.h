/*
 * smooth_median.h
 *		How far one replaced value moves the median of given values.
 */
#ifndef DPS_AUDIT_LOCAL_SMOOTH_MEDIAN_H
#define DPS_AUDIT_LOCAL_SMOOTH_MEDIAN_H

#include "postgres.h"

/* Values within a range, sorted; the median is the one with number ceil(count / 2). */
typedef struct DpsSorted
{
	const double *value;
	int64		count;			/* at least 1 */
	double		lower;
	double		upper;
} DpsSorted;

/* The furthest that one replaced value moves the median. */
extern double dps_local_median(const DpsSorted *sorted);

/* The smooth sensitivity: the maximum, over all values in their place, of their
 * local sensitivity times exp(-beta * how many of them are others). */
extern double dps_smooth_median(const DpsSorted *sorted, double beta);

#endif							/* DPS_AUDIT_LOCAL_SMOOTH_MEDIAN_H */

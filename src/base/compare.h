/*
 * compare.h
 *		Orders for qsort.
 */
#ifndef DPS_BASE_COMPARE_H
#define DPS_BASE_COMPARE_H

/* Of doubles that are no NaN. */
static inline int
dps_compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

#endif							/* DPS_BASE_COMPARE_H */

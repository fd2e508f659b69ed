/*
 * dyadic.h
 *		Positive numbers m * 2^e, as every finite double but 0 is one, added and
 *		multiplied exactly as long as m is not too long.
 */
#ifndef DPS_NUM_DYADIC_H
#define DPS_NUM_DYADIC_H

#include <stdbool.h>
#include <stdint.h>

#include "num/interval.h"

/* 1024 bits: products of 19 doubles. */
#define DPS_DYADIC_LIMBS 16

/* In normal form: the first limb is odd, the last one is not 0.  Limbs beyond n
 * are 0, so that equal numbers are equal bytes. */
typedef struct DpsDyadic
{
	int32_t		exponent;
	int32_t		n;				/* limbs, at least 1 */
	uint64_t	limb[DPS_DYADIC_LIMBS]; /* least significant first */
} DpsDyadic;

/* |x|, for a finite x other than 0. */
extern void dps_dyadic_set(DpsDyadic *result, double x);

/* These are false, and *result is not set, where the result is 0 or too long.
 * It may be an argument.  A difference is that of the greater and the smaller. */
extern bool dps_dyadic_add(DpsDyadic *result, const DpsDyadic *x, const DpsDyadic *y);
extern bool dps_dyadic_subtract(DpsDyadic *result, const DpsDyadic *x, const DpsDyadic *y);
extern bool dps_dyadic_multiply(DpsDyadic *result, const DpsDyadic *x, const DpsDyadic *y);

/* Less than, equal to or greater than 0 as x is to y. */
extern int	dps_dyadic_compare(const DpsDyadic *x, const DpsDyadic *y);

/*
 * Divides both by what their m have in common; if y is a power of 2 then, both by
 * it, so that y becomes 1.
 */
extern void dps_dyadic_reduce(DpsDyadic *x, DpsDyadic *y);

/*
 * The double nearest to x and the narrowest interval around x, a point if x is a
 * double.  False outside of the range of normal doubles.
 */
extern bool dps_dyadic_round(const DpsDyadic *x, double *nearest, DpsInterval *around);

#endif							/* DPS_NUM_DYADIC_H */

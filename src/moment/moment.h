/*
 * moment.h
 *		Second moments of several values: which integers are noised, and how
 *		far one row moves them.
 *
 * Knows nothing of the server, so that the unit tests can run it.  The moments
 * of a group are the number n of its rows, the sums of z_i = q_i - c_i over
 * them, q_i the integer of value i and c_i the middle of its range, and the sums
 * of p_ij = z_i z_j / 2^bits, rounded.
 */
#ifndef DPS_MOMENT_MOMENT_H
#define DPS_MOMENT_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/vector/joint.h"

#define DPS_MAX_MOMENTS (1 + DPS_MAX_ENTRIES + DPS_MAX_ENTRIES * (DPS_MAX_ENTRIES + 1) / 2)

/* Which products are wanted, one bit each. */
typedef enum DpsMomentKind
{
	DPS_MOMENT_SQUARES = 1,		/* p_ii; alone: of one value */
	DPS_MOMENT_CROSS = 2,		/* p_ij, i < j; alone: of two values */
	DPS_MOMENT_ALL = 3			/* of two values or more */
} DpsMomentKind;

typedef struct DpsMomentValue
{
	int32_t		grid;			/* the unit of q is 2^grid */
	int32_t		reserved;
	int64_t		centre;			/* c */
	int64_t		radius;			/* |z| <= radius <= 2^bits + 1 */
	double		lo;				/* the certified range, in the value's own unit */
	double		hi;
} DpsMomentValue;

/* A constant of a plan: equal designs have equal bytes. */
typedef struct DpsMomentDesign
{
	int32_t		kind;
	int32_t		count_is_public;	/* no neighbour changes n */
	int32_t		bits;			/* in [4, 46] */
	int32_t		nvalues;
	int32_t		focus;			/* what the release is for: the number of one
								 * statistic, from 1; 0: more than that */
	int32_t		npicks;			/* which of the values its arguments are */
	int16_t		pick[2];
	int32_t		reserved;
	DpsMomentValue value[DPS_MAX_ENTRIES];
} DpsMomentDesign;

/* Moments are numbered: n, the z, the p_ii if there are any, the p_ij. */
static inline int
dps_moment_count(const DpsMomentDesign *design)
{
	int			d = design->nvalues;

	return 1 + d + (design->kind & DPS_MOMENT_SQUARES ? d : 0) +
		(design->kind & DPS_MOMENT_CROSS ? d * (d - 1) / 2 : 0);
}

/* The number of the moment z_i. */
static inline int
dps_moment_linear(int i)
{
	return 1 + i;
}

/* The number of the moment z_i z_j; -1 if it is not among them. */
static inline int
dps_moment_cross(const DpsMomentDesign *design, int i, int j)
{
	int			d = design->nvalues;
	int			first = 1 + d;
	int			least = i < j ? i : j;
	int			most = i < j ? j : i;

	if (i == j)
		return design->kind & DPS_MOMENT_SQUARES ? first + i : -1;
	if (!(design->kind & DPS_MOMENT_CROSS))
		return -1;
	if (design->kind & DPS_MOMENT_SQUARES)
		first += d;
	/* rows of the upper triangle, of d - 1, d - 2, ... entries */
	return first + least * (2 * d - least - 1) / 2 + (most - least - 1);
}

/* |z_i| is at most that much. */
extern int64_t dps_moment_radius(const DpsMomentDesign *design, int i);

/* a b / 2^shift, rounded to the nearest, ties upward; 0 <= shift < 64, and the
 * result fits. */
static inline int64_t
dps_moment_product(int64_t a, int64_t b, int shift)
{
	__int128	half = ((__int128) 1 << shift) >> 1;

	return (int64_t) (((__int128) a * b + half) >> shift);
}

#define DPS_MOMENT_TERMS 6

/* An output is a sum of moments with integer weights. */
typedef struct DpsMomentOutput
{
	int			nterms;
	int			moment[DPS_MOMENT_TERMS];
	int64_t		weight[DPS_MOMENT_TERMS];
} DpsMomentOutput;

/* A moment is a sum of outputs with these weights; output number `noutputs` is
 * the number of rows where that is public. */
typedef struct DpsMomentInverse
{
	int			nterms;
	int			output[DPS_MOMENT_TERMS];
	double		weight[DPS_MOMENT_TERMS];
} DpsMomentInverse;

/* The outputs, which are noised with one scale. */
typedef struct DpsMomentBasis
{
	int			noutputs;
	int			npairs;			/* the first so many pairs of outputs are u + v
								 * and u - v, v the last term of either */
	DpsMomentOutput output[DPS_MAX_MOMENTS];
	DpsMomentInverse inverse[DPS_MAX_MOMENTS];	/* by moment */

	/* In the norm, over what rows can be: the largest of one row's outputs, and
	 * the distance of those of two rows. */
	uint64_t	magnitude;
	uint64_t	distance;
} DpsMomentBasis;

/* The basis for mechanisms whose sensitivity is of this norm, 1 or 2. */
extern void dps_moment_basis(const DpsMomentDesign *design, int norm, DpsMomentBasis *basis);

/*
 * How far the outputs of a row move, in the norm, where the integer of value i
 * moves by at most moves[i].  rounding is 1, for what rounding adds to a product,
 * and the moves are bounded by the ranges; or 0, and the result is linear in the
 * moves, up to rounding up.  UINT64_MAX if it is beyond 2^62.
 */
extern uint64_t dps_moment_move(const DpsMomentDesign *design, const DpsMomentBasis *basis, int norm,
								const uint64_t *moves, int rounding);

#endif							/* DPS_MOMENT_MOMENT_H */

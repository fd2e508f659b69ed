/*
 * factor.h
 *		Products of powers, taken apart.
 */
#ifndef DPS_BOUND_RELAX_FACTOR_H
#define DPS_BOUND_RELAX_FACTOR_H

#include "expr/expr.h"

#define DPS_MAX_POWERS 24

typedef struct DpsPower
{
	const DpsNode *base;
	int			power;			/* negative in the denominator */
} DpsPower;

typedef struct DpsPowers
{
	DpsGraph   *graph;
	bool		in_sums;		/* also looks for factors in sums */
	bool		negated;
	const DpsNode *coefficient; /* positive; NULL if memory ran out */
	int			n;
	DpsPower	factor[DPS_MAX_POWERS];
} DpsPowers;

/* The empty product. */
extern DpsPowers dps_powers_empty(DpsGraph *graph, bool in_sums);

/* Multiplies by node ^ power; false if the result is no such product. */
extern bool dps_powers_multiply(DpsPowers *product, const DpsNode *node, int power);

/* The power of the base; 0 if the base is no factor. */
extern int	dps_powers_of(const DpsPowers *product, const DpsNode *base);

/*
 * A sum of fractions over one denominator, if that cancels something: 1 / (1 + t)
 * - t / (1 + t)^2 is 1 / (1 + t)^2.  It has the same values where the node is
 * defined and not NULL, and may have values elsewhere.  The node itself if
 * nothing cancels, NULL if memory ran out.
 */
extern const DpsNode *dps_together(DpsGraph *graph, const DpsNode *node);

/* The node as a product of what its terms have in common, which sums within do not show: x y + x z is
 * x (y + z).  The node itself if it is no such product; NULL if memory ran out. */
extern const DpsNode *dps_factored(DpsGraph *graph, const DpsNode *node);

/* The sum of the entries' squares with common factors taken out; NULL if there
 * are no common factors, or if memory ran out. */
extern const DpsNode *dps_factored_squares(DpsGraph *graph, const DpsNode *const *entries, int n);

/* The same for the sum of the entries' magnitudes. */
extern const DpsNode *dps_factored_magnitudes(DpsGraph *graph, const DpsNode *const *entries, int n);

/* The same for the greatest of the entries' magnitudes. */
extern const DpsNode *dps_factored_greatest(DpsGraph *graph, const DpsNode *const *entries, int n);

#endif							/* DPS_BOUND_RELAX_FACTOR_H */

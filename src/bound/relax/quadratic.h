/*
 * quadratic.h
 *		Quadratic forms of a program's instructions over a box.
 */
#ifndef DPS_BOUND_RELAX_QUADRATIC_H
#define DPS_BOUND_RELAX_QUADRATIC_H

#include "bound/relax/affine.h"

/* With more dimensions, forms cost more than they gain. */
#define DPS_MAX_CURVED 8
#define DPS_MAX_CROSSED (DPS_MAX_CURVED * (DPS_MAX_CURVED - 1) / 2)

/*
 * The value is, up to `rest` either way,
 *
 *		centre + sum slope[k] e_k + sum bend[k] (2 e_k^2 - 1) +
 *		sum cross[k, l] e_k e_l over l < k,
 *
 * where e_k in [-1, 1] is the place of dimension k between its ends; cross has
 * one row after the other.
 */
typedef struct DpsQuadratic
{
	double		centre;
	double		rest;
	double		slope[DPS_MAX_CURVED];
	double		bend[DPS_MAX_CURVED];
	double		cross[DPS_MAX_CROSSED];
} DpsQuadratic;

typedef struct DpsQuadratics
{
	const DpsAffine *affine;
	uint32_t	value;			/* the instruction whose form is made */
	bool	   *needed;			/* by instruction: is it needed for that
								 * form */
	DpsInterval *range;
	DpsQuadratic *form;
} DpsQuadratics;

/* Prepares for the value of an instruction of the affine forms' program. */
extern DPS_MUST_USE DpsStatus dps_quadratics_init(DpsQuadratics *quadratics, DpsArena *arena, const DpsAffine *affine,
												  uint32_t value);

/*
 * The form of the value, from the affine forms' ranges and the enclosures that
 * these were made from; NULL if it is not known.
 */
extern const DpsQuadratic *dps_quadratics_make(DpsQuadratics *quadratics, const DpsEnclosure *enclosures);

/*
 * An upper bound of the form over all places (quadratic_max.c); `top` is near its
 * maximum.
 */
extern double dps_crest(const DpsQuadratic *form, int n, double *top);

#endif							/* DPS_BOUND_RELAX_QUADRATIC_H */

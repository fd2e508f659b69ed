/*
 * affine.h
 *		Affine forms of a program's instructions over a box.
 */
#ifndef DPS_BOUND_AFFINE_H
#define DPS_BOUND_AFFINE_H

#include "expr/program.h"

/* Beyond so many dimensions the forms are not worth their price. */
#define DPS_MAX_AFFINE 8

/*
 * The value is centre + sum of slope[k] e_k, up to `rest` either way, where e_k
 * in [-1, 1] is the place of dimension k between its ends.
 */
typedef struct DpsForm
{
	double		centre;
	double		rest;
	double		slope[DPS_MAX_AFFINE];
} DpsForm;

typedef struct DpsAffine
{
	const DpsProgram *program;
	int			n;
	int			dimension[DPS_MAX_VARIABLES + 1];	/* of a variable, or -1 */
	DpsForm    *form;			/* of each instruction */
	DpsInterval *range;			/* of each, never wider than its enclosure */
} DpsAffine;

/* Prepares for the dimensions that these variables are; n <= DPS_MAX_AFFINE. */
extern DPS_MUST_USE DpsStatus dps_affine_init(DpsAffine *affine, DpsArena *arena, const DpsProgram *program,
											  int n, const int *variable);

/*
 * Makes the forms and ranges of the exact values over the box, indexed by
 * variable.  enclosures are those of dps_enclose or dps_enclose_guarded over the
 * same box.
 */
extern void dps_affine_enclose(DpsAffine *affine, const DpsDomain *box, const DpsEnclosure *enclosures);

#endif							/* DPS_BOUND_AFFINE_H */

/*
 * affine.h
 *		Affine forms of a program's instructions over a box.
 */
#ifndef DPS_BOUND_AFFINE_H
#define DPS_BOUND_AFFINE_H

#include "bound/relax/compound.h"

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

#define DPS_MAX_SLABS 4

/*
 * A part of a box: where the value of an instruction is in `within` or, if it
 * is periodic, differs by a multiple of 2 pi from what is.
 */
typedef struct DpsSlab
{
	uint32_t	instruction;
	bool		periodic;
	DpsInterval within;
	DpsInterval natural;		/* of the instruction over the whole box */
	bool		wide;			/* takes all phases, as far as is known */
} DpsSlab;

typedef struct DpsAffine
{
	const DpsProgram *program;
	int			n;
	int			dimension[DPS_MAX_VARIABLES + 1];	/* of a variable, or -1 */
	int			nslabs;
	DpsSlab		slab[DPS_MAX_SLABS];
	int8_t	   *slab_of;		/* of each instruction, plus 1 */
	bool		impossible;		/* no point of the box is in all slabs */
	DpsCompounds compounds;
	uint16_t   *tried;			/* products made, */
	uint16_t   *helped;			/* those that were worth it */
	DpsForm    *compound_form;	/* of each compound */
	DpsInterval *compound_range;	/* empty if there is no form */
	DpsForm    *form;			/* of each instruction */
	DpsInterval *range;			/* of each, never wider than its enclosure */
} DpsAffine;

/* Prepares for the dimensions that these variables are; n <= DPS_MAX_AFFINE.
 * nodes are what the program was compiled from. */
extern DPS_MUST_USE DpsStatus dps_affine_init(DpsAffine *affine, DpsGraph *graph, DpsArena *arena,
											  const DpsProgram *program, const DpsNode *const *nodes,
											  int n, const int *variable);

/* Adds a slab, which holds everything at first; false if there are too many. */
extern bool dps_affine_add_slab(DpsAffine *affine, uint32_t instruction, bool periodic);

/*
 * Makes the forms and ranges of the exact values over the box, indexed by
 * variable; ranges are those within the slabs.  enclosures are those of dps_enclose or dps_enclose_guarded over the
 * same box.
 */
extern void dps_affine_enclose(DpsAffine *affine, const DpsDomain *box, const DpsEnclosure *enclosures);

/* Cuts a range by a form's, which has this reach around its centre; does the form with its
 * rest say more than the range does? */
extern bool dps_cut_by_form(double centre, double reach, double rest, DpsInterval *range);

/* The argument of a CASE, least or greatest that the enclosures say is always
 * chosen, or -1. */
extern int	dps_chosen_argument(const DpsInstruction *instruction, const DpsEnclosure *e);

/* Is it of reals or integers, whose sums and products are exact?  A float4 is
 * rounded more coarsely. */
extern bool dps_has_form(const DpsInstruction *instruction);

#endif							/* DPS_BOUND_AFFINE_H */

/*
 * affine.h
 *		Affine forms of a program's instructions over a box.
 */
#ifndef DPS_BOUND_RELAX_AFFINE_H
#define DPS_BOUND_RELAX_AFFINE_H

#include "bound/relax/compound.h"

/* With more dimensions, forms cost more than they gain. */
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
 * A part of a box: the points where the value of an instruction is in `within`
 * or, if periodic, is a multiple of 2 pi away from a point of it.
 */
typedef struct DpsSlab
{
	uint32_t	instruction;
	bool		periodic;
	DpsInterval within;
	DpsInterval natural;		/* of the instruction over the whole box */
	bool		wide;			/* may take all phases */
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
	uint16_t   *tried;			/* how often a product was made */
	uint16_t   *helped;			/* how often it helped */
	DpsForm    *compound_form;	/* of each compound */
	DpsInterval *compound_range;	/* empty if there is no form */
	DpsForm    *form;			/* of each instruction */
	DpsInterval *range;			/* of each, never wider than its enclosure */
} DpsAffine;

/* Prepares for n <= DPS_MAX_AFFINE dimensions, the variables given.  nodes are
 * the program's outputs. */
extern DPS_MUST_USE DpsStatus dps_affine_init(DpsAffine *affine, DpsGraph *graph, DpsArena *arena,
											  const DpsProgram *program, const DpsNode *const *nodes,
											  int n, const int *variable);

/* Adds a slab, which holds everything at first; false if there are too many. */
extern bool dps_affine_add_slab(DpsAffine *affine, uint32_t instruction, bool periodic);

/*
 * Makes the forms and ranges of the exact values over the box, which is indexed by variable; ranges
 * are those within the slabs.  enclosures are the results of dps_enclose or dps_enclose_guarded
 * over the same box.
 */
extern void dps_affine_enclose(DpsAffine *affine, const DpsDomain *box, const DpsEnclosure *enclosures);

/* Intersects a range with that of a form, centre +- reach.  True if the form's rest is
 * narrower than the range. */
extern bool dps_cut_by_form(double centre, double reach, double rest, DpsInterval *range);

/* The argument that a CASE, greatest or least always chooses by the
 * enclosures; -1 if that is open. */
extern int	dps_chosen_argument(const DpsInstruction *instruction, const DpsEnclosure *e);

/* Is the instruction of reals or integers, whose sums and products are exact?
 * A float4 is rounded more coarsely. */
extern bool dps_has_form(const DpsInstruction *instruction);

#endif							/* DPS_BOUND_RELAX_AFFINE_H */

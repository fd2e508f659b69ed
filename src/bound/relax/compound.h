/*
 * compound.h
 *		Parts of a program that are functions of one value, and products of
 *		such parts.
 */
#ifndef DPS_BOUND_RELAX_COMPOUND_H
#define DPS_BOUND_RELAX_COMPOUND_H

#include "bound/relax/profile.h"

#define DPS_MAX_FACTORS 10
#define DPS_MAX_COMPOUNDS 160

/* A function of the value of one instruction. */
typedef struct DpsCompound
{
	const DpsNode *node;		/* the function's value */
	const DpsNode *base;		/* its argument */
	uint32_t	argument;		/* the base's instruction */
	DpsUnivariate f;			/* with a variable in the place of the base */
	const DpsProfile *profile;	/* NULL until it is worth it */
	int			asked;			/* lines asked for */
	int			profiled;		/* profiles made */
	bool		settled;		/* there is one profile, over `whole` */
	DpsInterval whole;
	bool		failed;			/* memory ran out */
} DpsCompound;

/* A factor of a product: a compound, or an instruction. */
typedef struct DpsFactor
{
	bool		compound;
	bool		inverse;
	uint32_t	index;
} DpsFactor;

typedef struct DpsProduct
{
	uint32_t	instruction;	/* the instruction that has this product's
								 * value */
	int			n;
	DpsFactor	factor[DPS_MAX_FACTORS];
} DpsProduct;

typedef struct DpsCompounds
{
	int			n;
	DpsCompound *compound;
	int			nproducts;
	DpsProduct *product;		/* in the order of their instructions */
	DpsArena   *arena;
} DpsCompounds;

/*
 * Finds the compounds and products of a program with these outputs.  A compound
 * that is an instruction of the program is a product of one factor.
 */
extern DPS_MUST_USE DpsStatus dps_compounds_init(DpsCompounds *compounds, DpsGraph *graph, DpsArena *arena,
												 const DpsProgram *program, const DpsNode *const *nodes);

/*
 * A line close to the compound c over x: c(t) - slope t is within rest, and
 * c(t) within range.  False if there is none.  The arena is that of
 * dps_compounds_init.
 */
extern bool dps_compound_line(DpsArena *arena, DpsCompound *c, DpsInterval x, double *slope, DpsInterval *rest,
							  DpsInterval *range);

/* From now on there is one profile, over x, made when it is first needed, so lines
 * do not depend on earlier ones. */
extern void dps_compound_settle(DpsCompound *c, DpsInterval x);

#endif							/* DPS_BOUND_RELAX_COMPOUND_H */

/*
 * profile.h
 *		Where a function of one value rises and falls, and how it bends.
 */
#ifndef DPS_BOUND_RELAX_PROFILE_H
#define DPS_BOUND_RELAX_PROFILE_H

#include "expr/program.h"

/* A program for a function of one variable, whose outputs are the function and
 * its first and second derivative. */
typedef struct DpsUnivariate
{
	DpsArena   *arena;			/* counts the work */
	const DpsProgram *program;
	int			variable;
	DpsEnclosure *scratch;		/* of the program's instructions */
	DpsDomain  *domain;			/* with an entry for the variable */
} DpsUnivariate;

/* The function and its derivatives over x or at a point; entire where a
 * derivative is of no use. */
typedef struct DpsJet
{
	DpsInterval d[3];
} DpsJet;

/* Encloses them; false if the function has no finite enclosure. */
extern bool dps_jet(const DpsUnivariate *f, DpsInterval x, DpsJet *jet);

/*
 * Part of the domain.  On it the function rises (1), falls (-1) or neither is
 * known (0); it is convex (1), concave (-1) or neither is known (0).
 */
typedef struct DpsSegment
{
	double		lo;
	double		hi;
	int8_t		rise;
	int8_t		bend;
	DpsInterval range;
	DpsJet		over;
	DpsJet		at_lo;
	DpsJet		at_hi;
} DpsSegment;

/* Segments in their order, which cover `domain`. */
typedef struct DpsProfile
{
	DpsInterval domain;
	int			n;
	DpsSegment *segment;
} DpsProfile;

/* Makes the profile over a bounded x, NULL if the function has no finite
 * enclosure there; false if memory ran out. */
extern bool dps_profile_make(DpsArena *arena, const DpsUnivariate *f, DpsInterval x, const DpsProfile **made);

/*
 * The range over x, part of the profile's domain, of the function and of the
 * function less slope * t.
 */
extern void dps_profile_bound(const DpsProfile *profile, const DpsUnivariate *f, DpsInterval x, double slope,
							  DpsInterval *range, DpsInterval *rest);

#endif							/* DPS_BOUND_RELAX_PROFILE_H */

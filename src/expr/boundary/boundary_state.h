/*
 * boundary_state.h
 *		Between the files of boundary/: one boundary of one CASE, and nodes as formulas
 *		on it.
 */
#ifndef DPS_EXPR_BOUNDARY_BOUNDARY_STATE_H
#define DPS_EXPR_BOUNDARY_BOUNDARY_STATE_H

#include "expr/boundary/formula.h"
#include "expr/enclose.h"

#define DPS_BOUNDARY_COLUMNS (DPS_MAX_VARIABLES + 1)
#define DPS_BOUNDARY_FOLDS 3

/* Besides a bit for each fold: */
#define DPS_NO_CHOICE (-1)		/* folds are expanded where it is known which of their
								 * sums they are on the boundary */
#define DPS_AS_THERE (-2)		/* where that holds near it, too */

typedef struct DpsBoundary
{
	DpsGraph   *graph;
	DpsArena   *arena;			/* of this question alone */
	DpsDomain	box[DPS_BOUNDARY_COLUMNS];	/* narrowed to the boundary */
	int			solved;			/* column that the comparison determines, or -1 */
	DpsFormula	solution;		/* its value on the boundary */
	const DpsEnclosure **enclosure; /* by node id, of all branches */
	uint32_t	limit;			/* ids are below this */
	DpsFormula	g;				/* 0 on the boundary */
	const DpsNode *fold[DPS_BOUNDARY_FOLDS]; /* abs, greatest and least, in the order in
											 * which they were met */
	int			nfolds;
	int			choice;			/* bit i: which sum fold i is, 0 for its argument or the
								 * first, 1 for the negated or second one; or one of
								 * the above */
	int			met;			/* column that is solved where choice is
								 * DPS_AS_THERE */
	const DpsNode *written;		/* where curved: the comparison's difference, a node, */
	const DpsNode *opposite;	/* and its negative */
	const DpsNode *atom;		/* that difference where it stays a factor, else NULL */
	bool		curved;			/* not a hyperplane: nothing is solved */
	double		slack;			/* the boundary is |g| <= slack */
	int			side;			/* -1, 0, 1: the sign of g; 2: not known */
	int			steps;			/* comparisons of leaves left */
	int		   *expansions;		/* expansions of nodes into formulas left */
	double		difference;		/* greatest difference of leaves so far */
	double		excess;			/* 0 if differences are rounding, else
								 * Infinity */
} DpsBoundary;

/* The node's enclosure on the boundary; NULL before there is one. */
extern const DpsEnclosure *dps_boundary_enclosure(const DpsBoundary *b, const DpsNode *node);

/* -1, 0, 1 by the sign, 2 if that is open. */
extern int	dps_sign_of(DpsInterval x);

/* The node as a formula; it always has one.  depth: of the node below the expression. */
extern void dps_boundary_expand(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula);

/* The difference of a comparison's sides; false if it has too many terms. */
extern bool dps_boundary_comparison(DpsBoundary *b, const DpsNode *comparison, DpsFormula *g);

/* The formula whose sign says which of its two sums a fold is: the first where it is at
 * least 0, but for least.  False if it has too many terms. */
extern bool dps_fold_formula(DpsBoundary *b, const DpsNode *node, int depth, DpsFormula *formula);

/* The formula's values on the boundary; entire if a factor has none. */
extern DpsInterval dps_boundary_enclose(const DpsBoundary *b, const DpsFormula *formula);

/* The sum of the magnitudes of a node's terms. */
extern double dps_boundary_size(DpsBoundary *b, const DpsNode *node);

#endif							/* DPS_EXPR_BOUNDARY_BOUNDARY_STATE_H */

/*
 * search.h
 *		The search that all bounds of this folder are: the greatest value of
 *		one expression over a box.
 */
#ifndef DPS_BOUND_SEARCH_H
#define DPS_BOUND_SEARCH_H

#include "bound/bound.h"
#include "expr/tip.h"

/* Roots with tips in one expression. */
#define DPS_MAX_TIPS 4

/*
 * What to maximise, and where.  Points at which a guard is NULL do not count;
 * the guards, too, must be defined and finite on the whole box, or the search
 * refuses.  SQL evaluates the guards; the node only if there are none: else it
 * is a function of real numbers, and what overflows inside it does no harm.
 */
typedef struct DpsObjective
{
	const DpsNode *node;
	const DpsNode *guards[2];
	int			nguards;
	const DpsDomain *box;
	int			ncolumns;		/* entries of box */
	double		floor;			/* a value known to be reached elsewhere:
								 * -Infinity if none.  What cannot beat it is
								 * not looked at. */
	const DpsNode *cover;		/* NULL if none: bounds the node from above
								 * where it is defined, and stands for it
								 * where the node is not (cover.c) */
} DpsObjective;

/* As dps_supremum, over the objective's own dimensions.  If nothing beats the floor, the bracket's ends are the
 * floor and at most a tolerance more, and the witness is a mere point of the
 * box. */
extern DPS_MUST_USE DpsStatus dps_search(DpsGraph *graph, const DpsObjective *objective,
										 const DpsBoundOptions *options, DpsBracket *bracket);

/* The options, or the defaults for NULL, with the deadline from now on unless
 * they have one. */
extern DpsBoundOptions dps_bound_options(const DpsGraph *graph, const DpsBoundOptions *options);

/* As dps_search, over as few dimensions as the expression lets it. */
extern DPS_MUST_USE DpsStatus dps_maximise(DpsGraph *graph, const DpsObjective *objective,
										   const DpsBoundOptions *options, DpsBracket *bracket);

/* Shortens the ranges of the columns that the objective has a period in to one, if
 * they are longer (period.c), and sets `shortened` if any is. */
extern DPS_MUST_USE DpsStatus dps_shorten_periods(DpsGraph *graph, DpsArena *scratch, const DpsObjective *objective,
												  DpsDomain *box, bool *shortened);

/*
 * The expression with its conditions outermost: equal to it, if
 * private_variables is 0.  Otherwise it is a function of derivatives, and the
 * result may differ from it on a set that does not matter to a Lipschitz
 * constant in these variables.  NULL if memory ran out.
 */
extern const DpsNode *dps_lift_conditions(DpsGraph *graph, const DpsNode *node, uint64_t private_variables);

/* The sum of the entries' squares with common factors taken out; NULL if there
 * are none, or if memory ran out. */
extern const DpsNode *dps_factored_squares(DpsGraph *graph, const DpsNode *const *entries, int n);

/* The same for the sum of the entries' magnitudes. */
extern const DpsNode *dps_factored_magnitudes(DpsGraph *graph, const DpsNode *const *entries, int n);

/* What bounds the slopes of an expression where roots have none (cover.c). */
typedef struct DpsCover
{
	DpsGraph   *graph;
	int			ncolumns;
	DpsTip		tip[DPS_MAX_TIPS];
	int			ntips;			/* 0: there is nothing to cover */
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1]; /* with the roots held fast */
	const DpsNode *by_root[DPS_MAX_TIPS];
	/* derivatives of the legs; as gradient, divided by the columns' weights, 0
	 * for columns that do not move */
	const DpsNode *slope[DPS_MAX_TIPS][DPS_MAX_LEGS][DPS_MAX_VARIABLES + 1];
} DpsCover;

/* Looks for roots that can be 0 in the box; weights NULL are 1. */
extern DPS_MUST_USE DpsStatus dps_cover_init(DpsCover *cover, DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											 int ncolumns, uint64_t private_variables, const double *weights);

/* Bounds the derivative by one column, or its negative; NULL without tips, or if
 * memory ran out.  So do the others. */
extern const DpsNode *dps_cover_entry(const DpsCover *cover, int column, bool negative);

/* Bounds the sum of the magnitudes of all derivatives, */
extern const DpsNode *dps_cover_norm1(const DpsCover *cover);

/* the sum of their squares. */
extern const DpsNode *dps_cover_norm2(const DpsCover *cover);

/* The node with the part replaced; NULL if memory ran out. */
extern const DpsNode *dps_replace(DpsGraph *graph, const DpsNode *node, const DpsNode *part,
								  const DpsNode *replacement);

/* The graph's columns: its variables but for the moving copy of one that
 * dps_attribute adds.  Boxes have so many entries. */
extern int	dps_columns(const DpsGraph *graph);

/* A mask of the variables that each instruction depends on; masks has
 * ninstructions entries. */
extern void dps_instruction_variables(const DpsProgram *program, uint64_t *masks);

/* The middle of a dimension: an integer of an integral one. */
extern double dps_middle(const DpsDomain *domain);

/*
 * Cuts a dimension in two that together hold every point of it; false if it
 * is a point already or too narrow to cut.
 */
extern bool dps_cut(const DpsDomain *domain, DpsDomain *below, DpsDomain *above);

/* Where x lies on the scale by which parts of this range are compared: linear, but
 * over many orders of magnitude logarithmic in x. */
extern double dps_width_scale(const DpsDomain *domain, double x);

/* Can it be cut?  What is always NULL need not be. */
extern bool dps_can_cut(const DpsDomain *domain);

#endif							/* DPS_BOUND_SEARCH_H */

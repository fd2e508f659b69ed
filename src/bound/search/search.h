/*
 * search.h
 *		The search behind all bounds of this folder: the greatest value of one
 *		expression over a box.
 */
#ifndef DPS_BOUND_SEARCH_SEARCH_H
#define DPS_BOUND_SEARCH_SEARCH_H

#include "bound/bracket.h"

/* Asked once, in a search of more than so many boxes: is there something better to be done?  Then
 * the search ends there, as if there were no more boxes. */
typedef struct DpsPause
{
	uint64_t	boxes;
	bool		(*ends) (void *context);
	void	   *context;
} DpsPause;

/*
 * What to maximise, and where.  Points at which a guard is NULL do not count;
 * the guards, too, must be defined and finite on the whole box, or the search
 * refuses.  SQL evaluates the guards, and the node only if there are no
 * guards.  Otherwise the node is a function of real numbers, and overflow
 * inside it does no harm.
 */
typedef struct DpsObjective
{
	const DpsNode *node;
	const DpsNode *guards[2];
	int			nguards;
	const DpsDomain *box;
	int			ncolumns;		/* entries of box */
	double		floor;			/* a value known to be reached elsewhere,
								 * -Infinity if none.  Smaller values are not
								 * searched for. */
	const DpsNode *cover;		/* NULL if none: bounds the node from above
								 * where the cover is defined, and replaces the
								 * node where that is not defined
								 * (norm_slopes.c) */
	bool		partial;		/* rows without a value do not count */
	bool		shares;			/* the node has shares with their numerator once */
	bool		real;			/* SQL does not compute the node, guards or not */
	const DpsPause *pause;		/* NULL if there is none */
	uint64_t	given;			/* the columns that its own stand for, if they are
								 * fewer: a mask */
} DpsObjective;

/* As dps_supremum, over the objective's own dimensions.  If no value is above the
 * floor, the bracket's ends are the floor and at most a tolerance more, and the witness
 * is any point of the box. */
extern DPS_MUST_USE DpsStatus dps_search(DpsGraph *graph, const DpsObjective *objective,
										 const DpsBoundOptions *options, DpsBracket *bracket);

/* The options, or the defaults for NULL.  The deadline is set from now on
 * unless it is set already. */
extern DpsBoundOptions dps_bound_options(const DpsGraph *graph, const DpsBoundOptions *options);

#endif							/* DPS_BOUND_SEARCH_SEARCH_H */

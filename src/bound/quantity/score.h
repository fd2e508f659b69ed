/*
 * score.h
 *		Sums of terms of one column each, as one dimension.
 */
#ifndef DPS_BOUND_QUANTITY_SCORE_H
#define DPS_BOUND_QUANTITY_SCORE_H

#include "bound/search/search.h"

typedef struct DpsScore
{
	const DpsNode *part;		/* the sum */
	uint64_t	columns;
	uint64_t	falling;		/* those in which it falls */
	uint64_t	steps;			/* those that are integers */
	DpsInterval range;
	int			column;			/* the one that stands for it */
} DpsScore;

/*
 * Looks for a score, of which only columns outside of the mask `taken` are part, and writes
 * it as its column in the objective, whose box gets the range for that column.  The memory of
 * scratch is needed until then.
 */
extern DPS_MUST_USE DpsStatus dps_take_score(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box,
											 uint64_t taken, DpsScore *score, bool *found);

#endif							/* DPS_BOUND_QUANTITY_SCORE_H */

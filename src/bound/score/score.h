/*
 * score.h
 *		Sums of terms as one dimension.
 */
#ifndef DPS_BOUND_SCORE_SCORE_H
#define DPS_BOUND_SCORE_SCORE_H

#include "bound/search/search.h"

#define DPS_SCORE_LINKS 16

typedef struct DpsScore
{
	const DpsNode *part;		/* the sum */
	uint64_t	columns;
	uint64_t	falling;		/* those in which it falls */
	uint64_t	steps;			/* those that are integers */
	DpsInterval range;
	int			column;			/* the one that stands for it */
	/* of a mixed score */
	bool		mixed;
	uint64_t	link[DPS_SCORE_LINKS];	/* columns that are at their ends where the sum is
										 * least or greatest for the others, by what
										 * occurs together */
	int			nlinks;
	bool		shared;			/* the column is a share of the way from the least value
								 * to the greatest that the other columns leave */
	DpsPoint	lowest;			/* if not, where the others are at its ends */
	DpsPoint	highest;
	uint64_t	boxes;			/* for its range */
} DpsScore;

/*
 * Looks for a score, of which only columns outside of the mask `taken` are part, and writes
 * it as its column in the objective, whose box gets the range for that column.  The memory of
 * scratch is needed until then.
 */
extern DPS_MUST_USE DpsStatus dps_take_score(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box,
											 uint64_t taken, DpsScore *score, bool *found);

/* The same, of terms that have columns in common (mixed.c). */
extern DPS_MUST_USE DpsStatus dps_take_mixed_score(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box,
												   uint64_t taken, DpsScore *score, bool *found);

#endif							/* DPS_BOUND_SCORE_SCORE_H */

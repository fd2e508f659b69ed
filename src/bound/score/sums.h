/*
 * sums.h
 *		The sums of an objective, and groups of their terms as one dimension.  The files
 *		of this folder alone need it.
 */
#ifndef DPS_BOUND_SCORE_SUMS_H
#define DPS_BOUND_SCORE_SUMS_H

#include "bound/score/score.h"
#include "bound/terms.h"

#define DPS_SCORE_DIMENSIONS (DPS_MAX_VARIABLES + 1)

typedef struct DpsScoreSum
{
	const DpsNode *node;
	DpsTermList	terms;
} DpsScoreSum;

typedef struct DpsScorer
{
	DpsGraph   *graph;
	DpsArena   *arena;
	const DpsObjective *objective;
	const DpsDomain *box;
	uint64_t	taken;
	DpsScoreSum	   *sum;
	int			nsums;
	int16_t    *index;			/* of a node's sum, by node id; -1 if it has none */
	bool	   *seen;
	bool	   *seen_within;
	const DpsNode *stand_in;	/* what takes the score's place */
	const DpsNode **memo;		/* with that, by node id */
	uint32_t	limit;			/* ids are below this */
} DpsScorer;

static inline uint64_t
dps_bit(int k)
{
	return UINT64_C(1) << k;
}

static inline bool
dps_has_one(uint64_t mask)
{
	return mask != 0 && (mask & (mask - 1)) == 0;
}

/* Encloses an expression and its derivative by column j on a box. */
extern DPS_MUST_USE DpsStatus dps_enclose_with_slope(DpsGraph *graph, DpsArena *arena, const DpsNode *node, int j,
													 const DpsDomain *box, DpsEnclosure *value, DpsEnclosure *slope);

/* The same of an expression of column j alone, which lies there. */
extern DPS_MUST_USE DpsStatus dps_enclose_term(const DpsScorer *s, const DpsNode *term, int j, DpsDomain there,
											   DpsEnclosure *value, DpsEnclosure *slope);

/* Has the expression a finite value all over the box? */
extern DPS_MUST_USE DpsStatus dps_has_values_on(DpsGraph *graph, DpsArena *arena, const DpsNode *node, const DpsDomain *box,
												bool *has);

/* Collects the sums of the objective; graph, arena, objective, box and taken are set. */
extern DPS_MUST_USE DpsStatus dps_scorer_init(DpsScorer *s);

/* May the column be part of a score? */
extern bool dps_may_score(const DpsScorer *s, int j);

/* The columns of the terms. */
extern uint64_t dps_term_columns(const DpsTermList *terms);

extern void dps_remove_term(DpsTermList *terms, int i);

/* Leaves out what some sum lacks of the terms that it shares with the group: then each sum has
 * all of the group or nothing of it, with the same or with opposite signs. */
extern void dps_narrow_group(const DpsScorer *s, DpsTermList *group);

/* The columns of the objective that occur outside of the group, where the whole group is a part of
 * a sum. */
extern uint64_t dps_columns_outside(DpsScorer *s, const DpsTermList *group);

/*
 * Writes the objective with the stand-in in the group's place, if score->columns are then left
 * in the stand-in alone.
 */
extern DPS_MUST_USE DpsStatus dps_apply_score(DpsScorer *s, DpsObjective *objective, const DpsTermList *group,
											  const DpsScore *score, const DpsNode *stand_in, bool *applied);

#endif							/* DPS_BOUND_SCORE_SUMS_H */

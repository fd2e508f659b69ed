/*
 * reduce.h
 *		Objectives with fewer dimensions and shorter ranges, and their search.
 */
#ifndef DPS_BOUND_QUANTITY_REDUCE_H
#define DPS_BOUND_QUANTITY_REDUCE_H

#include "bound/search/search.h"

/* As dps_search, over as few dimensions as possible, and by orthants if that takes long
 * (orthants.c). */
extern DPS_MUST_USE DpsStatus dps_maximise(DpsGraph *graph, const DpsObjective *objective,
										   const DpsBoundOptions *options, DpsBracket *bracket);

/* The same on the whole box at once. */
extern DPS_MUST_USE DpsStatus dps_maximise_reduced(DpsGraph *graph, const DpsObjective *objective,
												   const DpsBoundOptions *options, DpsBracket *bracket);

/* Shortens the ranges of periodic columns of the objective to one period if they
 * are longer (period.c), and sets `shortened` if any is. */
extern DPS_MUST_USE DpsStatus dps_shorten_periods(DpsGraph *graph, DpsArena *scratch, const DpsObjective *objective,
												  DpsDomain *box, bool *shortened);

/* Is the node a sine, cosine or tangent? */
extern bool dps_turns(const DpsNode *node);

/* The most sines of a column. */
#define DPS_MAX_TURNS 32

/* Sines, cosines and tangents whose arguments are affine in a column, with constant factors, and
 * their common period. */
typedef struct DpsTurns
{
	DpsInterval period;			/* empty if there are none, or no common one */
	const DpsNode *node[DPS_MAX_TURNS];
	int			n;
} DpsTurns;

/* Those in the node. */
extern DPS_MUST_USE DpsStatus dps_find_turns(DpsGraph *graph, DpsArena *scratch, const DpsNode *node, int column,
											 DpsTurns *turns);

#endif							/* DPS_BOUND_QUANTITY_REDUCE_H */

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

#endif							/* DPS_BOUND_QUANTITY_REDUCE_H */

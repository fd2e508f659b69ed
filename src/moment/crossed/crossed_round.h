/*
 * crossed_round.h
 *		Tables of several groupings, rounded so that they add up.
 */
#ifndef DPS_MOMENT_CROSSED_CROSSED_ROUND_H
#define DPS_MOMENT_CROSSED_CROSSED_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "moment/crossed/crossed_family.h"
#include "num/whole.h"

/* The tables of all parts, that of part a from first[a] on. */
typedef struct DpsCrossedTables
{
	const DpsCrossedFamily *family;
	const int64_t *first;
	const double *fit;			/* which add up but for errors of doubles */
	DpsStoredInt128 *rounded;
	double	   *room;			/* as much as of the fits */
} DpsCrossedTables;

/* Rounds all fits; the tables add up but for errors of doubles. */
extern void dps_crossed_round(const DpsCrossedTables *tables, uint64_t seed);

/*
 * Moves tables that add up nearer to the fits, those of the sets, which still add up.  Parts that are fixed, and their own
 * parts, stay.
 */
extern void dps_crossed_approach(const DpsCrossedTables *tables, const bool *is_fixed, uint64_t seed);

#endif							/* DPS_MOMENT_CROSSED_CROSSED_ROUND_H */

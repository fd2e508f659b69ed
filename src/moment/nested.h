/*
 * nested.h
 *		Noised sums of nested groupings, made to add up.
 */
#ifndef DPS_MOMENT_NESTED_H
#define DPS_MOMENT_NESTED_H

#include <stdint.h>

#include "base/arena.h"
#include "num/whole.h"

/* More cells than this, of all levels together, are not fitted. */
#define DPS_NESTED_CELLS (INT64_C(1) << 20)

/* The cells of one grouping: each is the sum of those cells of the next, finer one whose parent it is. */
typedef struct DpsNestedLevel
{
	int64_t		n;
	const int64_t *parent;		/* of each cell, its cell of the level before; not used of the first level */
	double		variance;		/* of the noise of each cell, in the square of the values' unit, or of any other
								 * that all levels share; 0: there is none */
	DpsStoredInt128 *value;		/* what was drawn; then the fit */
} DpsNestedLevel;

/*
 * Replaces the values, coarsest level first, by the least-squares fit (nested.c), rounded to multiples of `step`, so
 * that each cell is exactly the sum of its parts.  Where no level has noise nothing is changed.
 * DPS_DOMAIN, and nothing is changed: there is no level or too many cells, a cell has no parts or no parent, a value
 * is beyond 2^100, a variance is no number, or the step is 0.
 */
extern DPS_MUST_USE DpsStatus dps_fit_nested(DpsArena *arena, DpsNestedLevel *levels, int nlevels, uint64_t step);

#endif							/* DPS_MOMENT_NESTED_H */

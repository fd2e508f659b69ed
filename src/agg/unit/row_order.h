/*
 * row_order.h
 *		The order that decides which rows of a unit count.
 *
 * If a unit has more rows, or groups, than its limits allow, the first ones count.
 * Three ways of executing a statement choose them, by one order:
 *
 * - window functions, over dpsens_internal.unit_order (guard/trace/unit_rows.c);
 * - a node of the plan, over rows that it keeps whole (agg/scan/chosen_rows.c);
 * - an aggregate of all groups, over rows as it reads them (agg/state/units.c).
 *
 * What is ordered.  A row is a list of words of 64 bits:
 *
 * - its group, if there are keys.  Where these are declared, and can be looked up, it is
 *	 the number of the combination of declared values that they equal; a row of none is not
 *	 selected.  Otherwise the keys that are not NULL, as unit_image.h writes them, and
 *	 beside the list which ones are NULL;
 * - then of each cell that a state reads, in the order of the statement, the double that
 *	 its program is given: within its range, NaN for NULL (glue/import/cell.h).  What is
 *	 more than a column is NULL where the state's filter does not pass;
 * - then 1 for each filter that passes, and 0 for others.
 *
 * Rows come in the order of a hash of the list, so that no end of a range is preferred;
 * those of equal hashes in that of the NULLs, and then of the list itself.  Groups
 * likewise, by the first part of the list alone.
 *
 * Claim.  Which rows of a unit count is, up to exchanging rows that add the same to every
 * state, a function of the lists of this unit's selected rows, and it is the same whoever
 * chooses.
 *
 * Proof.  Rows with the same list are of one group, and pass the same filters with
 * the same cells; states read nothing else.  Rows with different lists are ordered, so
 * the order is total up to such exchanges, and each of the three takes what comes first
 * in it (their heads say why), by the same limits.
 *
 * The list is a function of the row's values, not of how they are stored or who reads
 * them.  A cell is a double when it is looked at: that a numeric is written with more
 * zeros, or that a value is toasted or packed, is gone, and there is one NaN; zeros of
 * both signs stay two values, as states may tell them apart.  A declared key is
 * a number, found by the equality of its type, however it looks.  A key that is not
 * declared has the bytes that rows are grouped by, detoasted; where equal ones may have
 * other bytes, these count as several groups, which leaves out more, and only
 * window functions choose, so nobody chooses otherwise.  Which keys are declared, which
 * cells are read and where their ranges end is said by the statement and the
 * declarations.  Where a row lies, what lies beside it and what other units have is not
 * among the words.
 */
#ifndef DPS_AGG_UNIT_ROW_ORDER_H
#define DPS_AGG_UNIT_ROW_ORDER_H

#include "postgres.h"

#include "agg/unit/unit_key.h"
#include "base/hash.h"

/* The hash of a list of n half words; nulls has a bit for each key that is NULL. */
static inline uint64
dps_order_hash(const uint32 *words, Size n, uint32 nulls)
{
	uint64		hash = dps_mix_next(0, nulls);
	Size		i;

	for (i = 0; i < n; i += 2)
		hash = dps_mix_next(hash, dps_key_pair(words + i));
	return hash;
}

/* Compares lists with equal hashes, as unit_order's bytes are compared. */
static inline int
dps_order_compare(const uint32 *a, Size na, uint32 nulls_of_a, const uint32 *b, Size nb, uint32 nulls_of_b)
{
	int			order = (nulls_of_a > nulls_of_b) - (nulls_of_a < nulls_of_b);

	if (order == 0)
		order = memcmp(a, b, sizeof(uint32) * Min(na, nb));
	return order != 0 ? order : (na > nb) - (na < nb);
}

#endif							/* DPS_AGG_UNIT_ROW_ORDER_H */

/*
 * crossed_family.h
 *		Grouping sets of any kind: their tables, and the interactions that these are made of.
 */
#ifndef DPS_MOMENT_CROSSED_CROSSED_FAMILY_H
#define DPS_MOMENT_CROSSED_CROSSED_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define DPS_CROSSED_SETS 32
#define DPS_CROSSED_KEYS 32

/* Parts are all subsets of all sets; of a family that has more, or more cells or more work, nothing is fitted. */
#define DPS_CROSSED_PARTS 512
#define DPS_CROSSED_CELLS (INT64_C(1) << 20)
#define DPS_CROSSED_WORK (INT64_C(1) << 28)

/*
 * The table of a set of keys has a cell for each combination of their values; of its number the last key's value changes
 * first.
 */
typedef struct DpsCrossedFamily
{
	int			nkeys;
	int64_t		values[DPS_CROSSED_KEYS];	/* of each key */
	int			nsets;
	int			part[DPS_CROSSED_SETS]; /* of each set, its number among the parts */
	int			nparts;
	uint32_t	keys[DPS_CROSSED_PARTS];	/* of each part, as bits; a part comes after all of its own */
	int64_t		cells[DPS_CROSSED_PARTS];
	double		dimension[DPS_CROSSED_PARTS];	/* of what is in the part's table and not in those of its own parts */
} DpsCrossedFamily;

/* Of sets of keys, as bits.  DPS_DOMAIN if a figure is none or too large. */
extern DPS_MUST_USE DpsStatus dps_crossed_make(int nkeys, const int64_t *values, int nsets, const uint32_t *sets,
											   DpsCrossedFamily *family);

static inline bool
dps_crossed_within(const DpsCrossedFamily *family, int part, int whole)
{
	return (family->keys[part] & ~family->keys[whole]) == 0;
}

/* Of each cell of the whole, the cell of the part that it adds to: map[cells[whole]]. */
extern void dps_crossed_map(const DpsCrossedFamily *family, int whole, int part, int64_t *map);

/* By how much the cell's number grows with the key's value; 0 if the part has it not. */
extern int64_t dps_crossed_stride(const DpsCrossedFamily *family, int part, int key);

/* The variances of a cell of the fit (crossed.h) of each set, where those of the noise are such; not rounded. */
extern void dps_crossed_variances(const DpsCrossedFamily *family, const double *noise, double *fits);

#endif							/* DPS_MOMENT_CROSSED_CROSSED_FAMILY_H */

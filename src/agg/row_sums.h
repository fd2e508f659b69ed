/*
 * row_sums.h
 *		A node that yields the exact states of the rows of a parallel plan, where
 *		not all rows of a unit count.
 *
 * Each process puts the rows that it gets from the plan below where all
 * processes find them, and yields the states of some units (agg/unit_store.h).
 */
#ifndef DPS_AGG_ROW_SUMS_H
#define DPS_AGG_ROW_SUMS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#define DPS_ROW_SUMS "dpsens exact sums of rows"

/* A partial path that yields the relation's target, one exact_units call, from
 * the rows of this one. */
extern Path *dps_row_sums_path(RelOptInfo *rel, Path *rows);

/* Lets workers use it; called when the library is preloaded. */
extern void dps_row_sums_init(void);

#endif							/* DPS_AGG_ROW_SUMS_H */

/*
 * row_batch.h
 *		Rows that wait to be evaluated together, and the states that they are
 *		added to.
 */
#ifndef DPS_AGG_STATE_ROW_BATCH_H
#define DPS_AGG_STATE_ROW_BATCH_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "agg/tally.h"

typedef struct DpsBatch DpsBatch;

/* The sums of a group's rows. */
typedef struct DpsExactSums
{
	uint64		nsums:8;
	uint64		tallies:1;		/* there are no sums, but a tally */
	int64		count:55;		/* rows that were valid and not NULL */
	union
	{
		DpsSum		sum[1];		/* nsums of them */
		DpsTally   *tally;
	};
} DpsExactSums;

/* The running state of a group; SSPACE in the SQL definition covers one with
 * one sum, and its allocation's header. */
typedef struct DpsExactState
{
	DpsBatch   *batch;			/* where rows of this group may wait, or NULL */
	DpsExactSums sums;
} DpsExactState;

/*
 * A row waits as the raw values of its cells, NaN for NULL, beside a pointer to
 * its group's state: at place nrows, which then grows by one.  At DPS_BATCH the
 * batch must be flushed.  Without a program rows are only counted, none waits.
 */
struct DpsBatch
{
	const DpsSummandPlan *summand;
	DpsSummandParts parts;
	int			nsums;			/* 0 if they are tallied */
	int			nrows;
	bool		is_single;		/* all rows are of one group */
	DpsExactSums **states;		/* of each row's group */
	double	  **columns;		/* one per cell, DPS_BATCH entries each */
	double	   *values[DPS_MAX_VALUES]; /* as are these */
	int64	   *integers[DPS_MAX_VALUES];
	double	   *scratch;
};

/* An empty batch for the summand, which must outlive it, in the current memory
 * context. */
extern void dps_batch_init(DpsBatch *batch, const DpsSummandPlan *summand);

/* The same without columns: rows are evaluated elsewhere, into its values. */
extern void dps_batch_init_values(DpsBatch *batch, const DpsSummandPlan *summand);

/* Evaluates what waits and adds it to the states.  Raises nothing, whatever the
 * cells hold. */
extern void dps_batch_flush(DpsBatch *batch);

/* Adds n rows whose values and states are in place, those with valid[i] = 0 as
 * rows without a value; valid is overwritten.  Rounding is to the nearest. */
extern void dps_batch_add(DpsBatch *batch, int n, int64 *valid);

static inline void
dps_add_to_sum(DpsSum *to, uint64 low, int64 high)
{
	uint64		sum = to->low + low;

	to->high = (int64) ((uint64) to->high + (uint64) high + (sum < low ? 1 : 0));
	to->low = sum;
}

/* States of no rows: for those of a batch, for so many sums, and for a tally of
 * so many points. */
extern DpsExactState *dps_exact_state_make(MemoryContext context, DpsBatch *batch);
extern DpsExactState *dps_exact_state_of_sums(MemoryContext context, int nsums);
extern DpsExactState *dps_exact_state_of_tally(MemoryContext context, uint32 points);

/* Adds one state to another of the same kind; both are flushed. */
extern void dps_exact_state_add(DpsExactState *into, DpsExactState *from);

/* The state as a flat value without uninitialised bytes, and back; it is flushed
 * first. */
extern DpsState *dps_exact_state_freeze(DpsExactState *state);
extern DpsExactState *dps_exact_state_thaw(MemoryContext context, const DpsState *frozen);

#endif							/* DPS_AGG_STATE_ROW_BATCH_H */

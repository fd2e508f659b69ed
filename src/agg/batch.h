/*
 * batch.h
 *		Rows that wait to be evaluated together, and the integers that they add.
 */
#ifndef DPS_AGG_BATCH_H
#define DPS_AGG_BATCH_H

#include "postgres.h"

#include "agg/aggregate.h"

typedef struct DpsBatch
{
	const DpsSummand *summand;
	const DpsCell *cells;
	const DpsProgram *program;	/* NULL: rows are only counted, none waits */
	double		first_scale;	/* their product is 2^-grid */
	double		second_scale;
	int			nrows;			/* that wait, at most DPS_BATCH */
	double	  **columns;		/* one per cell: its raw values, NaN for NULL */
	double	   *values;
	double	   *scratch;
} DpsBatch;

/* An empty batch for the summand, which must outlive it, in the current memory
 * context. */
extern void dps_batch_init(DpsBatch *batch, const DpsSummand *summand);

/*
 * Of the rows that wait: the integer that each adds, and 1, or twice 0 if its
 * value is NULL.  The batch is empty afterwards.  Raises nothing, whatever the
 * cells hold.
 */
extern void dps_batch_take(DpsBatch *batch, int64 integers[DPS_BATCH], int64 valid[DPS_BATCH]);

/* The exact result of a group, without uninitialised bytes. */
extern DpsState *dps_state_make(int64 count, __int128 sum);

#endif							/* DPS_AGG_BATCH_H */

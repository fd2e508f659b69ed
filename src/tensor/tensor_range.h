/*
 * tensor_range.h
 *		Ranges of tensors over boxes of inputs, rounded outward.
 *
 * Every element of every node gets an interval that holds its value wherever the
 * inputs are within theirs and the value exists; sums in any order and the error
 * of each operation are allowed for.
 */
#ifndef DPS_TENSOR_TENSOR_RANGE_H
#define DPS_TENSOR_TENSOR_RANGE_H

#include "num/interval_fn.h"
#include "tensor/tensor.h"

typedef struct DpsRanges DpsRanges;

/* Elements of all nodes together, at most. */
#define DPS_MAX_RANGED (INT64_C(1) << 24)

/* Plans the range of a scalar, in the graph's arena.  DPS_UNABLE if what it is
 * made of has more elements than DPS_MAX_RANGED. */
extern DPS_MUST_USE DpsStatus dps_ranges_init(const DpsTensorGraph *g, const DpsTensor *scalar, DpsRanges **ranges);

/*
 * The scalar's range over the box: low[k] and high[k] are the ends of the
 * elements of input k; infinite ends stand for no bound.  DPS_CANCELLED if the
 * host says so.
 */
extern DPS_MUST_USE DpsStatus dps_ranges_run(DpsRanges *ranges, const double *const *low, const double *const *high,
											 DpsInterval *range);

#endif							/* DPS_TENSOR_TENSOR_RANGE_H */

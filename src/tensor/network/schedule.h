/*
 * schedule.h
 *		A graph of tensors as a sequence of steps that compute it.
 *
 * Steps write into one workspace.  Results that no later step reads are overwritten, so
 * the workspace is only as large as the results that are needed at the same time.
 */
#ifndef DPS_TENSOR_NETWORK_SCHEDULE_H
#define DPS_TENSOR_NETWORK_SCHEDULE_H

#include "tensor/tensor.h"

typedef struct DpsSchedule DpsSchedule;

/* Plans the computation of n nodes, in the graph's arena. */
extern DPS_MUST_USE DpsStatus dps_schedule_init(const DpsTensorGraph *g, const DpsTensor *const *nodes, int n,
												const DpsSchedule **schedule);

/*
 * The same for several examples at a time, at most `examples`.  each[k]: input k has a
 * value for each example, else one for all.  totals[k]: the sum of node k over the
 * examples is computed, instead of a value for each.
 */
extern DPS_MUST_USE DpsStatus dps_schedule_init_examples(const DpsTensorGraph *g, const DpsTensor *const *nodes,
														 const bool *totals, int n, const bool *each,
														 int64_t examples, const DpsSchedule **schedule);

/* The number of steps, and the doubles of their workspace. */
extern uint32_t dps_schedule_steps(const DpsSchedule *schedule);
extern size_t dps_schedule_workspace(const DpsSchedule *schedule);

/* Do steps or outputs read this input? */
extern bool dps_schedule_reads(const DpsSchedule *schedule, int input);

/*
 * Computes the nodes.  inputs[k] are the elements of input k, NULL if it is not read;
 * outputs[k] receives node k and may be NULL.  DPS_CANCELLED if the host requests to
 * stop.
 */
extern DPS_MUST_USE DpsStatus dps_schedule_run(const DpsSchedule *schedule, const double *const *inputs,
											   double *workspace, double *const *outputs);

/*
 * The same for 1 to the planned number of examples, else DPS_UNABLE.  The values of an
 * input that has one for each example are consecutive; those of output k are written
 * strides[k] doubles apart.
 */
extern DPS_MUST_USE DpsStatus dps_schedule_run_examples(const DpsSchedule *schedule, int64_t examples,
														const double *const *inputs, double *workspace,
														double *const *outputs, const int64_t *strides);

#endif							/* DPS_TENSOR_NETWORK_SCHEDULE_H */

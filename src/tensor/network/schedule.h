/*
 * schedule.h
 *		A graph of tensors as steps that compute it, one after the other.
 *
 * Steps write into one workspace; what nobody reads any more is overwritten, so
 * a workspace holds as much as is alive at once.
 */
#ifndef DPS_TENSOR_SCHEDULE_H
#define DPS_TENSOR_SCHEDULE_H

#include "tensor/tensor.h"

typedef struct DpsSchedule DpsSchedule;

/* Plans the computation of n nodes, in the graph's arena. */
extern DPS_MUST_USE DpsStatus dps_schedule_init(const DpsTensorGraph *g, const DpsTensor *const *nodes, int n,
												const DpsSchedule **schedule);

/*
 * The same for several examples at a time, at most so many.  each[k] says
 * whether there is one of input k for each example; the others are the same for
 * all.  totals[k] asks for the sum of node k over the examples instead of one for
 * each.
 */
extern DPS_MUST_USE DpsStatus dps_schedule_init_examples(const DpsTensorGraph *g, const DpsTensor *const *nodes,
														 const bool *totals, int n, const bool *each,
														 int64_t examples, const DpsSchedule **schedule);

/* Steps that are taken, and doubles of workspace that they need. */
extern uint32_t dps_schedule_steps(const DpsSchedule *schedule);
extern size_t dps_schedule_workspace(const DpsSchedule *schedule);

/* Does the result depend on this input? */
extern bool dps_schedule_reads(const DpsSchedule *schedule, int input);

/*
 * Computes.  inputs[k] are the elements of input k, NULL if it is not read;
 * outputs[k] receives node k and may be NULL.  DPS_CANCELLED if the host says
 * so.
 */
extern DPS_MUST_USE DpsStatus dps_schedule_run(const DpsSchedule *schedule, const double *const *inputs,
											   double *workspace, double *const *outputs);

/*
 * The same of 1 or more examples.  Inputs of which there is one for each lie one
 * after the other; outputs of which there is one for each are written
 * strides[k] apart.
 */
extern DPS_MUST_USE DpsStatus dps_schedule_run_examples(const DpsSchedule *schedule, int64_t examples,
														const double *const *inputs, double *workspace,
														double *const *outputs, const int64_t *strides);

#endif							/* DPS_TENSOR_SCHEDULE_H */

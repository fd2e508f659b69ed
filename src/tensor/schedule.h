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

#endif							/* DPS_TENSOR_SCHEDULE_H */

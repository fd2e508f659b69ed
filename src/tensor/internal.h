/*
 * internal.h
 *		Between the files of tensor/: what the rows' cells name, and interning.
 */
#ifndef DPS_TENSOR_INTERNAL_H
#define DPS_TENSOR_INTERNAL_H

#include "tensor/tensor.h"

/* A reduction or broadcast as three loops: what is before the axes, the axes,
 * what is after them. */
typedef struct DpsSpan
{
	int64_t		outer;
	int64_t		length;
	int64_t		inner;
} DpsSpan;

/* Of a run of axes of the shape, those in which they are not 1. */
extern DpsSpan dps_span(const DpsShape *shape, int first, int count);

static inline DpsWindow
dps_window_of(const DpsTensor *node)
{
	return (DpsWindow) {node->attribute[0], node->attribute[1], node->attribute[2], node->attribute[3]};
}

/* Shape rules (shape.c). */
extern bool dps_shape_matmul(DpsTensor *node);
extern bool dps_shape_dot(DpsTensor *node);
extern bool dps_shape_reshape(DpsTensor *node);
extern bool dps_shape_permute(DpsTensor *node);
extern bool dps_shape_broadcast(DpsTensor *node);
extern bool dps_shape_reduce(DpsTensor *node);
extern bool dps_shape_same_axes(DpsTensor *node);
extern bool dps_shape_unfold(DpsTensor *node);
extern bool dps_shape_fold(DpsTensor *node);
extern bool dps_shape_map(DpsTensor *node);

/* Kernels (tensor_kernel.c, product.c for the product). */
extern void dps_run_matmul(const DpsTensorCall *call);

/* The sum of the products of all examples. */
extern void dps_run_matmul_total(const DpsTensorCall *call);
extern void dps_run_dot(const DpsTensorCall *call);
extern void dps_run_permute(const DpsTensorCall *call);
extern void dps_run_broadcast(const DpsTensorCall *call);
extern void dps_run_sum(const DpsTensorCall *call);
extern void dps_run_max(const DpsTensorCall *call);
extern void dps_run_first_max(const DpsTensorCall *call);
extern void dps_run_log_sum_exp(const DpsTensorCall *call);
extern void dps_run_unfold(const DpsTensorCall *call);
extern void dps_run_unfold_max(const DpsTensorCall *call);
extern void dps_run_fold(const DpsTensorCall *call);

/* CASE, and the rows of expr/ops.def. */
extern void dps_run_choose(const DpsTensorCall *call);
extern void dps_run_scalar_row(const DpsTensorCall *call);

/* Expansions (scalar.c). */
extern DpsStatus dps_expand_map(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_matmul(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_dot(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_reshape(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_moved(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_unfold_max(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_fold(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_sum(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_max(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_first_max(const DpsTensorExpansion *e);
extern DpsStatus dps_expand_log_sum_exp(const DpsTensorExpansion *e);

/* sum of x[i] * y[i], in an order that depends on n alone */
extern double dps_inner_product(const double *restrict x, const double *restrict y, int64_t n);

/*
 * The node as asked for, made if it is not there yet: op, arguments,
 * attributes, and the shape where the row does not make it up.
 */
extern const DpsTensor *dps_tensor_intern(DpsTensorGraph *g, DpsTensor *wanted);

/* 0 in every element. */
extern const DpsTensor *dps_tensor_zeros(DpsTensorGraph *g, DpsShape shape);

/* The axes that a reduction or broadcast is about, as a mask. */
static inline unsigned
dps_axes_of(const DpsTensor *node)
{
	return ((1u << node->attribute[1]) - 1) << node->attribute[0];
}

#endif							/* DPS_TENSOR_INTERNAL_H */

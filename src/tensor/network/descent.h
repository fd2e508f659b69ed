/*
 * descent.h
 *		Gradient descent: per-example gradients clipped onto a grid, and the
 *		optimizers.
 */
#ifndef DPS_TENSOR_NETWORK_DESCENT_H
#define DPS_TENSOR_NETWORK_DESCENT_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers on the grid are below this, so that sums of their squares fit in 128 bits. */
#define DPS_CLIP_LIMIT (UINT64_C(1) << 47)

/*
 * The clipping of gradients to the norm `clip`: the result is a vector of integers, in
 * units of 2^grid, of Euclidean norm at most `bound`.
 */
typedef struct DpsClipping
{
	double		clip;			/* > 0, finite */
	int			grid;
	uint64_t	bound;			/* < DPS_CLIP_LIMIT */
} DpsClipping;

/*
 * Sets the grid, on which the clip is at least 2^39 and less than 2^40 units, and the
 * bound for gradients of n numbers; false if the clip is not positive and finite, or too
 * extreme for doubles.
 */
extern bool dps_clipping_init(DpsClipping *clipping, double clip, int64_t n);

/*
 * Sets another clip and its scale of noise for a step that was charged with `charged`
 * and charged_scale: bound / scale is at most the charged ratio, and both bound and scale
 * are at least the charged ones, since the loss that integer noise adds grows as the
 * scale falls (account/fold.c).  The scale is less than twice the charged one plus 1.
 * False as of dps_clipping_init.
 */
extern bool dps_clipping_follow(const DpsClipping *charged, uint64_t charged_scale, double clip, int64_t n,
								DpsClipping *clipping, uint64_t *scale);

/*
 * Sets rounded[i] to gradient[i], scaled down so that the norm is at most the clip, in
 * units of the grid.  If a number or the norm is not finite, or the integers exceed the
 * bound, sets all to 0 and returns false.
 */
extern bool dps_clip_gradient(const DpsClipping *clipping, const double *gradient, int64_t n, int64_t *rounded);

/* The Euclidean norm of what dps_clip_gradient wrote, rounded up to a whole number; at most the bound. */
extern uint64_t dps_clipped_norm(const int64_t *rounded, int64_t n);

/* Clamps every parameter into [-limit, limit]. */
extern void dps_project(double *parameters, int64_t n, double limit);

typedef struct DpsOptimizer
{
	const char *name;
	int			nstates;		/* numbers of state for each parameter */
	/* Moves n parameters against the gradient; step counts from 1. */
	void		(*step) (double *parameters, const double *gradient, double *states, int64_t n,
						 double rate, double momentum, uint64_t step);
} DpsOptimizer;

/* NULL if no optimizer has the name. */
extern const DpsOptimizer *dps_find_optimizer(const char *name);

#endif							/* DPS_TENSOR_NETWORK_DESCENT_H */

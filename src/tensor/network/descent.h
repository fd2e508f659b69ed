/*
 * descent.h
 *		Gradient descent: per-example gradients clipped onto a grid, and what a
 *		step makes of their sum.
 */
#ifndef DPS_TENSOR_DESCENT_H
#define DPS_TENSOR_DESCENT_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of the grid are below this, so that their squares add up in 128 bits. */
#define DPS_CLIP_LIMIT (UINT64_C(1) << 47)

/*
 * How gradients are clipped: to the norm `clip`, in units of 2^grid, whole
 * numbers of Euclidean norm `bound` at most.
 */
typedef struct DpsClipping
{
	double		clip;			/* > 0, finite */
	int			grid;
	uint64_t	bound;			/* < DPS_CLIP_LIMIT */
} DpsClipping;

/*
 * The grid that gives a clip of 2^40 units or a little less, and the bound for
 * gradients of n numbers; false if the clip is not positive and finite, or too
 * extreme for doubles.
 */
extern bool dps_clipping_init(DpsClipping *clipping, double clip, int64_t n);

/*
 * Another clip, and the scale of noise for it where a step was charged as one with this
 * clipping and scale: bound / scale is no more than charged, and neither is less than
 * the one that is charged, since what whole numbers add to a loss grows as the scale
 * falls (account/fold.c).  The scale is less than 2 times the charged one, and 1 more.
 */
extern bool dps_clipping_follow(const DpsClipping *charged, uint64_t charged_scale, double clip, int64_t n,
								DpsClipping *clipping, uint64_t *scale);

/*
 * rounded[i] is gradient[i], scaled down so that the norm is at most the clip,
 * in units of the grid.  All 0, and false, for a gradient with NaN in it, and
 * should the whole numbers exceed the bound.
 */
extern bool dps_clip_gradient(const DpsClipping *clipping, const double *gradient, int64_t n, int64_t *rounded);

/* Brings every parameter into [-limit, limit]. */
extern void dps_project(double *parameters, int64_t n, double limit);

typedef struct DpsOptimizer
{
	const char *name;
	int			nstates;		/* numbers kept for each parameter */
	/* Moves n parameters against the gradient; step counts from 1. */
	void		(*step) (double *parameters, const double *gradient, double *states, int64_t n,
						 double rate, double momentum, uint64_t step);
} DpsOptimizer;

/* NULL if there is none of the name. */
extern const DpsOptimizer *dps_find_optimizer(const char *name);

#endif							/* DPS_TENSOR_DESCENT_H */

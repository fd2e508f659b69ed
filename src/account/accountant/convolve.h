/*
 * convolve.h
 *		Products of many distributions on a circle of grid points, with a proved
 *		bound on the error of the floating-point transforms.
 *
 * The sum of independent losses, each with masses on whole multiples of the
 * grid step, has the convolution of the masses.  On a circle of `size` points
 * an index stands for all that are equal to it modulo size.
 */
#ifndef DPS_ACCOUNT_ACCOUNTANT_CONVOLVE_H
#define DPS_ACCOUNT_ACCOUNTANT_CONVOLVE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

typedef struct DpsConvolution DpsConvolution;

/* The sizes are powers of 4 within these. */
#define DPS_CONVOLUTION_MIN ((size_t) 1 << 12)
#define DPS_CONVOLUTION_MAX ((size_t) 1 << 20)

/* A product of nothing yet.  To be cleared whatever follows, even an error
 * here: part of its memory is not the arena's. */
extern DPS_MUST_USE DpsStatus dps_convolution_init(DpsArena *arena, size_t size,
												   DpsConvolution **convolution);

/* NULL is allowed. */
extern void dps_convolution_clear(DpsConvolution *convolution);

/* `size` masses, all 0, for the caller to fill in and include; the same memory
 * each time. */
extern double *dps_convolution_masses(DpsConvolution *convolution);

/* Convolves with `count` copies of the masses, all >= 0 and finite. */
extern DPS_MUST_USE DpsStatus dps_convolution_include(DpsConvolution *convolution, uint64_t count);

/*
 * The product, >= 0, and a bound on the Euclidean norm of its distance from the
 * exact convolution of the masses.  At most once; the memory is the
 * convolution's.  DPS_UNABLE if the error has no useful bound.
 */
extern DPS_MUST_USE DpsStatus dps_convolution_finish(DpsConvolution *convolution,
													 const double **product, double *error);

#endif							/* DPS_ACCOUNT_ACCOUNTANT_CONVOLVE_H */

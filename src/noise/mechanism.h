/*
 * mechanism.h
 *		Noise for an integer whose sensitivity is known: calibrate once, draw
 *		for each released value, state the loss.
 *
 * Values and sensitivities are counted in grid units (definitions, section 5).  A
 * mechanism is a struct of functions in a file of its own and one row of
 * mechanisms.def; the file opens with its precondition, postcondition and
 * proof.
 */
#ifndef DPS_NOISE_MECHANISM_H
#define DPS_NOISE_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "num/random.h"

/* The epsilon that may be asked for; outside is DPS_DOMAIN, NaN included. */
#define DPS_EPSILON_MIN 0x1p-20
#define DPS_EPSILON_MAX 64.0

/* A vector of which it is not known how many integers a unit moves. */
#define DPS_VECTOR_OF_ANY INT32_MAX

/* The cost that one release (all its coordinates together) may have. */
typedef struct DpsTarget
{
	double		epsilon;		/* in [DPS_EPSILON_MIN, DPS_EPSILON_MAX] */
	double		delta;			/* in (0, 1) where the mechanism uses it, else
								 * ignored */
	int			shares;			/* coordinates that are calibrated one by one
								 * and divide the cost equally; >= 1 */
	int			vector;			/* the sensitivity is the norm of up to so many
								 * integers that a unit moves, of all those that get
								 * this scale; 0: of one integer, which alone gets it
								 * or is moved */
} DpsTarget;

/* The cost of one release, each figure rounded up. */
typedef struct DpsLoss
{
	double		epsilon;		/* pure DP; Infinity if there is none */
	double		rho;			/* zero-concentrated DP */
	double		delta;			/* of the (epsilon, delta) that was asked for */
} DpsLoss;

typedef struct DpsMechanism
{
	const char *name;			/* as in SET dpsens.mechanism */
	int			norm;			/* the norm that measures the sensitivity of
								 * several integers: 1 or 2 */
	bool		uses_delta;

	/*
	 * The scale of the noise for one coordinate of the given sensitivity >= 1:
	 * the smallest valid scale up to documented rounding.  DPS_DOMAIN if the
	 * target is outside its range; DPS_UNABLE if no scale below 2^62 will do
	 * (the caller coarsens the grid).
	 */
	DpsStatus	(*calibrate) (const DpsTarget *target, uint64_t sensitivity, uint64_t *scale);

	/*
	 * One exact draw, a multiple of the step (1 where the law has none: steps).
	 * DPS_UNABLE if the random source failed, DPS_DOMAIN if there is no such law;
	 * then *noise is not set.
	 */
	DpsStatus	(*draw) (DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise);

	/* Smallest r, as a double, with P(|Z| > r) <= probability, to a relative
	 * 1e-6: for people, never for a guarantee.  Z is one draw. */
	double		(*tail) (uint64_t scale, uint64_t step, double probability);

	/* P(|a X + b Y| > r) for r >= 0, a, b >= 0 and independent draws X and Y of the continuous
	 * law of scale 1, to a relative 1e-9.  For people. */
	double		(*beyond) (double a, double b, double r);

	/* Standard deviation of one draw, to a relative 1e-9. */
	double		(*deviation) (uint64_t scale, uint64_t step);

	/* Loss of one coordinate of this sensitivity at this scale, of noise in these steps, all
	 * figures rounded up; loss->delta is 0 unless the mechanism can fail beyond its rho. */
	void		(*loss) (uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss);

	/* The same as Renyi DP of order alpha > 1, of noise in these steps. */
	double		(*rdp) (double alpha, uint64_t scale, uint64_t step, uint64_t sensitivity);

	/* Has it noise in steps, for integers that are multiples of one? */
	bool		steps;
} DpsMechanism;

/* The name, in explanations and in the ledger, of discrete Laplace noise in steps: on
 * whole numbers it is the geometric mechanism. */
#define DPS_GEOMETRIC "geometric"

/* The least scale t with sensitivity / t <= epsilon, or the share of it: that of noise whose loss is no more than that
 * quotient, and `calibrate` of such mechanisms (laplace.c has the proof). */
extern DPS_MUST_USE DpsStatus dps_pure_scale(const DpsTarget *target, uint64_t sensitivity, uint64_t *scale);

/* The loss of a mechanism of norm 1 that is known to be pure DP with epsilon sensitivity /
 * scale, and no more. */
extern void dps_pure_loss(uint64_t scale, uint64_t step, uint64_t sensitivity, DpsLoss *loss);

#define DPS_MECHANISM(symbol) extern const DpsMechanism dps_##symbol;
#include "noise/mechanisms.def"
#undef DPS_MECHANISM

/* Every mechanism, in the order of mechanisms.def; NULL at the end. */
extern const DpsMechanism *const dps_mechanisms[];

/* By name, the exponential mechanism (noise/exponential.h) and partition selection
 * (noise/partition.h) among them, or NULL.  The geometric mechanism is discrete Laplace
 * noise: what it costs depends on the step, too. */
extern const DpsMechanism *dps_mechanism_find(const char *name);

/*
 * epsilon as the integer a of a * 2^-40, rounded down (definitions, section 5);
 * DPS_DOMAIN outside [DPS_EPSILON_MIN, DPS_EPSILON_MAX] or NaN.
 */
extern DPS_MUST_USE DpsStatus dps_epsilon_ratio(double epsilon, uint64_t *a);

#endif							/* DPS_NOISE_MECHANISM_H */

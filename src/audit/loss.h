/*
 * loss.h
 *		What one row loses by one release of the sum of an expression.
 *
 * The release is dp_sum(expression) over the whole table, at the settings
 * dpsens.epsilon, dpsens.delta and dpsens.mechanism: what dpsens.explain would
 * say of it.  Losses are private data, like the rows themselves.
 */
#ifndef DPS_AUDIT_LOSS_H
#define DPS_AUDIT_LOSS_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "audit/evaluator.h"
#include "audit/loss_chords.h"

/* A release of an expression, prepared by dps_loss_prepare. */
typedef struct DpsReleaseLoss
{
	bool		prepared;
	/* the settings that it stands for */
	double		epsilon;
	double		delta;
	const DpsMechanism *mechanism;

	bool		known;			/* the sum can be released under them */
	double		inf;			/* of what a row adds, 0 included */
	double		sup;
	uint64		scale;			/* of the noise, in units of the grid; 0 for an
								 * exact release */
	uint64		step;			/* of that noise */
	MemoryContext memory;		/* parent of what was computed so far: */
	DpsLossChords *chords;

	DpsRelease	release;		/* last, as its end is not of one size */
} DpsReleaseLoss;

/* Raises unless the order of a Renyi divergence is above 1. */
extern void dps_check_order(double order);

/* Raises unless 0 <= delta < 1. */
extern void dps_check_delta(double delta);

/* Derives the release anew if the settings have changed; in a first call the
 * struct is zero.  What it keeps is in contexts below the parent. */
extern void dps_loss_prepare(DpsReleaseLoss *loss, const DpsEvaluator *evaluator, MemoryContext parent);

/* Frees what it keeps, and makes the struct zero. */
extern void dps_loss_forget(DpsReleaseLoss *loss);

/*
 * An upper bound of the individual loss (definitions, section 6) of an evaluated row as
 * Renyi DP of this order; NaN where there is none: the sum cannot be released,
 * or the adjacency is metric.
 */
extern double dps_individual_loss(DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, double order);

/* The same as the epsilon of (epsilon, delta)-DP; Infinity where the mechanism
 * has none at delta = 0. */
extern double dps_individual_epsilon(DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, double delta);

/* order * norm^2 / (2 scale^2) for Gaussian noise: first-order, a diagnostic;
 * NaN for other noise. */
extern double dps_first_order_loss(const DpsReleaseLoss *loss, const DpsEvaluator *evaluator, int row, double order);

#endif							/* DPS_AUDIT_LOSS_H */

/*
 * plan.h
 *		The noise of one release: its sensitivities, scales and cost.
 *
 * A plan is made once, from public figures, when the cost of a release is known; explanation,
 * charge, draw and accounting read the same numbers.  No other file asks a mechanism for a
 * scale, except that of trees (noise/tree.h), which are chosen by their scales.
 *
 * Each coordinate stands for some integers: their joint sensitivity in the mechanism's norm,
 * and the scale of the noise that all of them get.  For the exponential mechanism and
 * permute-and-flip it stands for a number of draws of epsilon sensitivity / scale each; for a
 * selection of groups see dps_partition_coordinates.
 */
#ifndef DPS_NOISE_PLAN_H
#define DPS_NOISE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "noise/exponential.h"
#include "noise/k_norm.h"
#include "noise/mechanism.h"
#include "noise/partition.h"
#include "noise/tree.h"

typedef struct DpsCoordinate
{
	uint64_t	sensitivity;	/* in grid units, in the mechanism's norm; of noise that
								 * is aimed, the i-th integer counted in its own scale
								 * and as if that were `scale` */
	uint64_t	scale;			/* 0: without noise; of noise that is aimed, the least */
	int			joined;			/* integers with this scale whose joint norm is
								 * the sensitivity; draws, each of this
								 * sensitivity, for the exponential mechanism */
	uint64_t	step;			/* the integers are multiples of this, and so is
								 * the noise; 1: any integers */
} DpsCoordinate;

#define DPS_MAX_COORDINATES 2

/* Steps are below 2^DPS_STEP_BITS_LIMIT, as scales are (noise/sample.h). */
#define DPS_STEP_BITS_LIMIT 62

/* The most integers that noise is aimed at, and the most columns that it is for. */
#define DPS_MAX_AIMED 16
#define DPS_MAX_AIMED_COLUMNS 64

/* Noise that is aimed: a scale for each integer of the only coordinate.  n = 0: all have the
 * coordinate's. */
typedef struct DpsAim
{
	int			n;
	uint64_t	scale[DPS_MAX_AIMED];
	uint64_t	sensitivity;	/* of all together, each counted in the grid's unit */
} DpsAim;

/* The columns that noise is aimed at: neighbours differ in one of them. */
typedef struct DpsAimedColumns
{
	int			n;				/* integers */
	int			ncolumns;
	const uint64_t *moves;		/* of each column n numbers: how far it moves the integers */
	const double *weights;		/* of columns, in (0, 1] */
	const uint64_t *shape;		/* scales to begin with, in any unit: what is promised does not
								 * depend on them */
} DpsAimedColumns;

/* The shape of a tree of noisy counts; height 0: there is none. */
typedef struct DpsTreeShape
{
	int			fanout;
	int			height;
	int			unit_bits;
	uint64_t	buckets;
} DpsTreeShape;

typedef struct DpsNoisePlan
{
	const DpsMechanism *mechanism;	/* that draws */
	double		epsilon;		/* that noise is calibrated to: as asked for, times
								 * the weight of the release */
	double		asked;			/* as asked for */
	double		delta;			/* as asked for, whether the mechanism uses it or
								 * not */
	bool		silent;			/* noise is switched off: scales are 0 */
	int			ncoordinates;	/* 0: nothing gets noise */
	DpsCoordinate coordinate[DPS_MAX_COORDINATES];
	DpsLoss		loss;			/* of all of them together */
	DpsAim		aim;
	DpsNoiseBox box;			/* of K-norm noise: the only coordinate's sensitivity and
								 * scale are in its steps */
	DpsTreeShape tree;			/* whose counts are the integers */
	DpsPartition partition;		/* of a selection of groups */
} DpsNoisePlan;

/* A plan without noise. */
extern void dps_noise_plan_init(DpsNoisePlan *plan, const DpsMechanism *mechanism, double epsilon, double delta);

/*
 * Calibrates a coordinate and adds it and its loss.  If a mechanism of the 2-norm may spend
 * root^2 of the target's shares on it, its scale is that of one share, divided by root and
 * rounded up: the loss is proportional to 1 / scale^2.  A unit moves as many integers as are joined,
 * where the target says that there are several.  Nothing is added unless the status is DPS_OK.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_add(DpsNoisePlan *plan, const DpsTarget *target, int root,
												 uint64_t sensitivity, int joined);

/* One more neighbour that a scale has to do for: one that moves the integers by this, at
 * epsilon times the weight. */
typedef struct DpsWeightedMove
{
	double		weight;			/* in (0, 1] */
	uint64_t	sensitivity;	/* at most that of the coordinate; 0: it moves nothing */
} DpsWeightedMove;

/* The same with the largest of the scales that the target asks for the sensitivity, and that
 * it asks for each of these at its epsilon; and in these steps (dps_noise_plan_steps). */
extern DPS_MUST_USE DpsStatus dps_noise_plan_add_weighted(DpsNoisePlan *plan, const DpsTarget *target, uint64_t step,
														  int root, uint64_t sensitivity, int joined, int nmoves,
														  const DpsWeightedMove *moves);

/* How many times the scale is as small as for the target's epsilon times the weight: about the
 * weight, from which shapes are made.  Of as many integers as are joined. */
extern double dps_noise_plan_weight(const DpsNoisePlan *plan, const DpsTarget *target, double weight, int joined);

/*
 * Calibrates the only coordinate of a plan, of Gaussian noise whose scales are in proportion to the shape, and
 * adds it and its loss; a unit moves as many integers as are joined, n at least.
 * DPS_DOMAIN or DPS_UNABLE, and nothing is added, if no such noise will do.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_aimed(DpsNoisePlan *plan, const DpsTarget *target,
												   const DpsAimedColumns *columns, int joined);

/*
 * Plans K-norm noise for integers that a neighbour moves by no more than moves[i] each, in so many vectors, one after
 * the other: the only coordinate of the plan, which gets the mechanism k_norm.  DPS_DOMAIN or DPS_UNABLE, and nothing
 * is changed, if there is no such noise.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_box(DpsNoisePlan *plan, const DpsTarget *target, int n, const uint64_t *moves,
												 int vectors);

/* Does the box cost a neighbour that moves the integers so, in so many vectors, no more than is charged? */
extern bool dps_noise_plan_box_covers(const DpsNoisePlan *plan, int n, const uint64_t *moves, int vectors);

/* Do the scales of the aim cost a change of any of these columns no more than the coordinate says, which is
 * what is charged? */
extern bool dps_noise_plan_covers(const DpsNoisePlan *plan, const DpsAimedColumns *columns);

/*
 * Calibrates the coordinate of integers that are all multiples of a step, a power of two, and adds it:
 * with noise in steps if the mechanism has it, else as dps_noise_plan_add does.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_steps(DpsNoisePlan *plan, const DpsTarget *target, uint64_t step,
												   uint64_t sensitivity, int joined);

/*
 * The mechanism's name in explanations and in the ledger.  Coordinates of a plan have the same step; that
 * of the geometric mechanism is 1 in the unit of the values, which are so many times 2^grid.
 */
extern const char *dps_noise_plan_name(const DpsNoisePlan *plan);

/* The step of what the ledger has under a name, with integers in units of 2^grid: 1 unless it is geometric;
 * 0 for a grid that no geometric mechanism has. */
extern uint64_t dps_step_of_name(const char *mechanism, int grid);

/*
 * Plans so many draws of the mechanism `drawn`, the exponential one or permute-and-flip, at equal
 * shares of epsilon, and prepares the law of one of them for distances of this range.
 * dps_noise_plan_law has the laws for other ranges at the same cost.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_choices(DpsNoisePlan *plan, const DpsMechanism *drawn, int draws,
													 uint64_t range);

/* The law of one draw at its planned cost; DPS_DOMAIN if there is none for the range. */
extern DPS_MUST_USE DpsStatus dps_noise_plan_law(const DpsNoisePlan *plan, uint64_t range, DpsExponential *law);

/* Adds the coordinate of a tree of counts; and what dps_tree_draw needs of a planned
 * tree. */
extern void dps_noise_plan_tree(DpsNoisePlan *plan, const DpsTreePlan *tree, int joined);
extern DpsTreePlan dps_noise_plan_tree_of(const DpsNoisePlan *plan);

/* Plans a selection of groups, where a unit is in at most so many and so many units are protected together. */
extern DPS_MUST_USE DpsStatus dps_noise_plan_partition(DpsNoisePlan *plan, uint64_t groups, uint64_t units);

/* Removes the noise: draws without noise have unbounded loss. */
extern void dps_noise_plan_silence(DpsNoisePlan *plan);

/* Are these coordinates what was charged, and does the law of a selection follow from them?  To
 * be called before each draw. */
extern bool dps_noise_plan_is(const DpsNoisePlan *plan, int ncharged, const DpsCoordinate *charged);

/*
 * Adds the loss of `joined` integers with this joint sensitivity and noise of this
 * scale.  Draws of the exponential mechanism have no joint sensitivity: each has
 * the loss for its own, and the losses add up (basic composition, and that of
 * zCDP).
 * Without a mechanism, without noise, or with invalid numbers, the loss is
 * unbounded.
 *
 * The only function that decides the cost of noise, for plans, charges and checks of
 * charges.  It is the cost of the noise, not the epsilon that was asked for: noise is
 * calibrated to that epsilon rounded down to a * 2^-40, and the loss is at most this, so
 * ten answers at 0.1 fit a budget of 1.
 */
extern void dps_add_loss(const DpsMechanism *mechanism, int64_t sensitivity, int64_t scale, int64_t joined, uint64_t step,
						 DpsLoss *loss);

#endif							/* DPS_NOISE_PLAN_H */

/*
 * plan.h
 *		The noise of one release: which sensitivities it is for, its scales, and what it
 *		costs.
 *
 * Made once, from public figures, when it is known what a release is to cost; whoever explains,
 * charges, draws or accounts reads the same numbers.  No other file of the program asks a
 * mechanism for a scale, but that of trees (noise/tree.h), which are chosen by their scales.
 *
 * Each coordinate stands for some integers: their joint sensitivity in the mechanism's
 * norm, and the scale of the noise that all of them get.  Of the exponential mechanism and of
 * permute-and-flip it is so many draws of epsilon sensitivity / scale each; of a selection
 * of groups it is what dps_partition_coordinates makes of it.
 */
#ifndef DPS_NOISE_PLAN_H
#define DPS_NOISE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "noise/exponential.h"
#include "noise/mechanism.h"
#include "noise/partition.h"
#include "noise/tree.h"

typedef struct DpsCoordinate
{
	uint64_t	sensitivity;	/* in grid units, in the mechanism's norm */
	uint64_t	scale;			/* 0: without noise */
	int			joined;			/* integers with this scale whose joint norm the
								 * sensitivity is; of the exponential
								 * mechanism draws, each of this sensitivity */
} DpsCoordinate;

#define DPS_MAX_COORDINATES 2

/* How the noisy counts of a tree hang together; height 0: there is none. */
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
	double		epsilon;		/* as asked for */
	double		delta;			/* as asked for, whether the mechanism uses it or
								 * not */
	bool		silent;			/* noise is switched off: scales are 0 */
	int			ncoordinates;	/* 0: nothing gets noise */
	DpsCoordinate coordinate[DPS_MAX_COORDINATES];
	DpsLoss		loss;			/* of all of them together */
	DpsTreeShape tree;			/* whose counts are the integers */
	DpsPartition partition;		/* of a selection of groups */
} DpsNoisePlan;

/* One without noise as yet. */
extern void dps_noise_plan_init(DpsNoisePlan *plan, const DpsMechanism *mechanism, double epsilon, double delta);

/*
 * Calibrates a coordinate and adds it and its loss.  Where a mechanism of the 2-norm is to spend
 * root^2 of the target's shares on it, its scale is that of one share, divided by root and
 * rounded up: the loss is proportional to 1 / scale^2.  Nothing is added unless DPS_OK.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_add(DpsNoisePlan *plan, const DpsTarget *target, int root,
												 uint64_t sensitivity, int joined);

/*
 * Plans so many draws of the mechanism `drawn`, the exponential one or
 * permute-and-flip, at equal shares of epsilon, and prepares the law of one of them for distances
 * of this range.  The laws for other ranges, at the same cost, are those of
 * dps_noise_plan_law.
 */
extern DPS_MUST_USE DpsStatus dps_noise_plan_choices(DpsNoisePlan *plan, const DpsMechanism *drawn, int draws,
													 uint64_t range);

/* The law of one draw, from what it was planned to cost; DPS_DOMAIN if there is none for the range. */
extern DPS_MUST_USE DpsStatus dps_noise_plan_law(const DpsNoisePlan *plan, uint64_t range, DpsExponential *law);

/* Plans a tree of counts, and what dps_tree_draw needs to know of one that was planned. */
extern void dps_noise_plan_tree(DpsNoisePlan *plan, const DpsTreePlan *tree, int joined);
extern DpsTreePlan dps_noise_plan_tree_of(const DpsNoisePlan *plan);

/* Plans a selection of groups, of which a unit is in so many. */
extern DPS_MUST_USE DpsStatus dps_noise_plan_partition(DpsNoisePlan *plan, uint64_t groups);

/* Takes the noise away: what is drawn so costs everything. */
extern void dps_noise_plan_silence(DpsNoisePlan *plan);

/* Are these coordinates what was charged, and does the law of a selection follow from them?  To
 * be asked before each draw. */
extern bool dps_noise_plan_is(const DpsNoisePlan *plan, int ncharged, const DpsCoordinate *charged);

/*
 * Adds the loss of integers with this joint sensitivity and noise of this scale, of
 * which there are `joined`.  Draws of the exponential mechanism have no joint
 * sensitivity: each costs what it says, and their losses add up (basic
 * composition, and that of zCDP).
 * Without a mechanism, without noise, or with numbers that are none, it is
 * without bound.
 *
 * The one place that decides what noise costs, for planning, for charging and for checking
 * charges.  It is what the noise costs, not the epsilon that was asked for:
 * noise is calibrated to that rounded down to a * 2^-40, which the loss does not
 * exceed, so ten answers at 0.1 fit a budget of 1.
 */
extern void dps_add_loss(const DpsMechanism *mechanism, int64_t sensitivity, int64_t scale, int64_t joined, DpsLoss *loss);

#endif							/* DPS_NOISE_PLAN_H */

/*
 * loss_curve.h
 *		delta as a function of epsilon for many independent losses together.
 */
#ifndef DPS_ACCOUNT_ACCOUNTANT_LOSS_CURVE_H
#define DPS_ACCOUNT_ACCOUNTANT_LOSS_CURVE_H

#include "account/accountant/loss_grid.h"

/* More different losses than this are not convolved. */
#define DPS_LOSS_PARTS_MAX 4096

typedef struct DpsLossParts
{
	DpsLossPart *parts;
	size_t		nparts;			/* 1 ... DPS_LOSS_PARTS_MAX */
	double		accuracy;		/* what the grid may add to epsilon, relatively; 0: as little as is worth while */
} DpsLossParts;

/* An epsilon >= 0 at which delta is at most the one given, in (0, 1).
 * DPS_UNABLE if the losses do not fit a grid. */
extern DPS_MUST_USE DpsStatus dps_loss_curve_epsilon(DpsArena *arena, const DpsLossParts *parts,
													 double delta, double *epsilon);

/* An upper bound on delta at an epsilon >= 0. */
extern DPS_MUST_USE DpsStatus dps_loss_curve_delta(DpsArena *arena, const DpsLossParts *parts,
												   double epsilon, double *delta);

#endif							/* DPS_ACCOUNT_ACCOUNTANT_LOSS_CURVE_H */

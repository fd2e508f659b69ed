/*
 * loss_place.h
 *		What fills the grid of one release's privacy loss.
 */
#ifndef DPS_ACCOUNT_ACCOUNTANT_LOSS_PLACE_H
#define DPS_ACCOUNT_ACCOUNTANT_LOSS_PLACE_H

#include "account/accountant/loss_grid.h"

/* Beyond this many deviations from the tilted centre a Gaussian is cut off. */
#define DPS_GAUSSIAN_REACH 14.0

/* Indices beyond are infinite losses; products of steps up to it are exact. */
#define DPS_LOSS_INDEX_LIMIT 0x1p40

/* Adds mass at a grid point. */
extern void dps_loss_place(DpsLossGrid *grid, double index, double mass);

/* Adds mass of this loss, both rounded up by the caller, onto two grid points. */
extern void dps_loss_add(DpsLossGrid *grid, double loss, double mass);

extern void dps_loss_add_infinite(DpsLossGrid *grid, double mass);

/* loss_sampled.c: the two kinds of noise on samples. */
extern double dps_sampled_cumulant(const DpsLossPart *part, double lambda);
extern DPS_MUST_USE DpsStatus dps_sampled_fill(const DpsLossPart *part, DpsLossGrid *grid);

#endif							/* DPS_ACCOUNT_ACCOUNTANT_LOSS_PLACE_H */

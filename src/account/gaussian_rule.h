/*
 * gaussian_rule.h
 *		Budgets that count in Gaussian DP (gaussian of dpsens.set_budget and grant_budget).
 *
 * mu-Gaussian DP counts as mu^2 / 2, which of Gaussian noise is its rho.  The sum converts to
 * (epsilon, delta) by the noise's own curve, which admits more than that of zCDP, while a pure epsilon
 * costs more: about pi/2 times its rho.  What is not known to be Gaussian DP is not admitted.
 */
#ifndef DPS_ACCOUNT_GAUSSIAN_RULE_H
#define DPS_ACCOUNT_GAUSSIAN_RULE_H

#include "account/history.h"
#include "base/status.h"

/* The least mu^2 / 2 of which every epsilon-DP mechanism is mu-Gaussian DP, rounded up. */
extern double dps_pure_gaussian_rho(double epsilon);

/* What one such release counts (its count apart); Infinity if nothing is known. */
extern double dps_gaussian_rule_loss(const DpsPastRelease *release);

/* The most that releases may count together so that all of them, chosen adaptively, are (epsilon, delta)-DP, rounded
 * down.  DPS_DOMAIN unless epsilon >= 0 is finite and 0 < delta < 1. */
extern DPS_MUST_USE DpsStatus dps_gaussian_rule_total(double epsilon, double delta, double *total);

#endif							/* DPS_ACCOUNT_GAUSSIAN_RULE_H */

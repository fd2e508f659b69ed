/*
 * history.h
 *		The past releases, by public quantities alone, and how accountants read
 *		them.
 *
 * A release is one row of a ledger, or `count` equal ones.  Releases that
 * compose in parallel are folded into one beforehand.
 */
#ifndef DPS_ACCOUNT_HISTORY_H
#define DPS_ACCOUNT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

/* The law of the noise, beside its epsilon, rho and delta. */
typedef enum DpsLaw
{
	DPS_LAW_UNKNOWN = 0,		/* only epsilon, rho, delta */
	DPS_LAW_LAPLACE,			/* discrete Laplace, sensitivity in L1 norm */
	DPS_LAW_GAUSSIAN,			/* discrete Gaussian, sensitivity in L2 norm */
	DPS_LAW_EXPONENTIAL,		/* a draw of the exponential mechanism of bounded
								 * range sensitivity / scale */
	DPS_LAW_FLIP,				/* a draw of permute-and-flip of epsilon
								 * sensitivity / scale */
	DPS_LAW_K_NORM,				/* a draw of K-norm noise of epsilon sensitivity /
								 * scale */
	DPS_LAW_SUBSAMPLED,			/* steps of discrete Gaussian noise, each on a
								 * secret Poisson sample (sampled.h) */
	DPS_LAW_GEOMETRIC,			/* discrete Laplace in steps, of integers that are
								 * multiples of the step */
	DPS_LAW_PARTITION			/* a selection of groups: scale / 2^40 releases of
								 * epsilon sensitivity / scale each; none for scale
								 * 2^62, which is a delta */
} DpsLaw;

typedef struct DpsPastRelease
{
	DpsLaw		law;
	uint64_t	sensitivity;	/* in grid units, with its law only */
	uint64_t	scale;			/* in grid units, with its law only; >= 1 */
	uint64_t	coordinates;	/* the most integers that one unit can move at
								 * once; their joint norm is the sensitivity;
								 * >= 1 */
	double		epsilon;		/* pure DP; Infinity if there is none */
	double		rho;			/* zCDP; Infinity if there is none */
	double		delta;			/* its own, beside epsilon and rho; 0 if there
								 * is none */
	uint64_t	count;			/* how many such releases; >= 1 */
	/* The rest with DPS_LAW_SUBSAMPLED only, else 0. */
	double		rate;			/* of the sample */
	uint64_t	steps;			/* >= 1 */
	double		rho_delta;		/* delta up to which rho holds; no other figure
								 * needs it */
	uint64_t	step;			/* with DPS_LAW_GEOMETRIC only, else 0; >= 1 */
} DpsPastRelease;

typedef struct DpsHistory
{
	const DpsPastRelease *releases;
	size_t		nreleases;
} DpsHistory;

/* The law of a mechanism's name in a ledger; DPS_LAW_UNKNOWN, which is always
 * safe, for every other name. */
extern DpsLaw dps_law_find(const char *mechanism);

/* `count` releases of noise of this scale for `coordinates` integers with this
 * joint sensitivity, with epsilon and rho computed; DPS_LAW_UNKNOWN has no bound.
 * For the exponential mechanism `coordinates` is a number of draws, each of this
 * sensitivity, for each release.  The geometric law gets the step at which it hides
 * least: the sensitivity. */
extern DpsPastRelease dps_past_release_noise(DpsLaw law, uint64_t sensitivity, uint64_t scale,
									uint64_t coordinates, uint64_t count);

/* The same of the geometric law with this step; 0: not known. */
extern DpsPastRelease dps_past_release_geometric(uint64_t sensitivity, uint64_t scale, uint64_t step,
												 uint64_t coordinates, uint64_t count);

/* One run of so many steps of noise on samples of this rate, with the rho that
 * holds up to rho_delta. */
extern DpsPastRelease dps_past_release_sampled(uint64_t sensitivity, uint64_t scale, uint64_t coordinates,
											   double rate, uint64_t steps, double rho_delta, uint64_t count);

/* DPS_DOMAIN if a release is not as the comments above require. */
extern DPS_MUST_USE DpsStatus dps_history_check(const DpsHistory *history);

/* The same history with equal releases counted together, in the arena; checked
 * first. */
extern DPS_MUST_USE DpsStatus dps_history_group(DpsArena *arena, const DpsHistory *history,
												DpsHistory *grouped);

/* Sums over the releases, rounded up; Infinity where there is no bound.  A
 * release with pure epsilon has a rho. */
extern double dps_history_epsilon(const DpsHistory *history);
extern double dps_history_rho(const DpsHistory *history);
extern double dps_history_delta(const DpsHistory *history);

/* The sum of the deltas that only the sum of rho needs. */
extern double dps_history_rho_delta(const DpsHistory *history);

/* What is left of delta, > 0, for a conversion to epsilon when the releases' own
 * deltas are subtracted; DPS_UNABLE if nothing is.  Checks its arguments:
 * DPS_DOMAIN. */
extern DPS_MUST_USE DpsStatus dps_history_delta_left(const DpsHistory *history, double delta,
													 double *left);

/* Renyi loss of order alpha > 1 of one such release (count apart). */
extern double dps_past_release_rdp(const DpsPastRelease *release, double alpha);

/* Whether every release, or any, has this law. */
extern bool dps_history_has_only(const DpsHistory *history, DpsLaw law);
extern bool dps_history_has(const DpsHistory *history, DpsLaw law);

#endif							/* DPS_ACCOUNT_HISTORY_H */

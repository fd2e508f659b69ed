/*
 * proof.h
 *		The gate that every release passes before it is charged and before it is drawn:
 *		what is not noised must have been proved to be public.
 *
 * A sensitivity of 0 is no reason to release a number exactly: it may be the outcome
 * of an error in arithmetic.  A proof is one, and follows from the facts alone.
 */
#ifndef DPS_AGG_PROOF_H
#define DPS_AGG_PROOF_H

#include "postgres.h"

#include "agg/aggregate.h"

/* Why no neighbour changes what is released. */
typedef enum DpsExactnessProof
{
	DPS_NOT_PROVED,				/* it is private */
	DPS_NOTHING_CHANGES,		/* neither rows, nor groups, nor values that matter */
	DPS_VALUES_STAY,			/* rows and groups do not change, and values are
								 * the same for all that is private */
	DPS_ONLY_ZEROS,				/* every row adds 0 */
	DPS_ONE_ANSWER				/* there is but one answer */
} DpsExactnessProof;

/*
 * The last step of deriving a release: notes the proof if its sensitivities are 0.
 * Raises if there is none, or if only one of them is 0; DPS_DOMAIN and the reason if they are
 * too large to be noised.
 */
extern DPS_MUST_USE DpsStatus dps_release_prove(const DpsFacts *facts, DpsRelease *release, const char **why);

/* Was the release proved to be public? */
static inline bool
dps_release_is_public(const DpsRelease *release)
{
	return release->proof != DPS_NOT_PROVED;
}

/* Is the release to be exact: is it public, or noise switched off? */
static inline bool
dps_is_exact(const DpsDraw *draw)
{
	return dps_release_is_public(draw->release) || draw->plan->silent;
}

/* Raises if a number of this release may not be drawn, or charged, with noise of this
 * scale for this sensitivity. */
extern void dps_check_scale(const DpsRelease *release, uint64 sensitivity, uint64 scale);

/* The same for all that is charged for the release. */
extern void dps_check_plan(const DpsRelease *release, const DpsNoisePlan *plan);

#endif							/* DPS_AGG_PROOF_H */

/*
 * fixed_answers.h
 *		How many equal answers, fixed in advance, a budget could admit at the most.
 */
#ifndef DPS_TEST_FIXED_ANSWERS_H
#define DPS_TEST_FIXED_ANSWERS_H

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/history.h"
#include "tap.h"

static inline double
pld_delta(const DpsPastRelease *release, uint64_t count, double epsilon)
{
	DpsPastRelease many = *release;
	DpsHistory	history = {&many, 1};
	double		delta = 1;

	many.count = count;
	return dps_pld_delta(&tap_host, &history, epsilon, &delta) == DPS_OK ? delta : 1;
}

/* The most answers, fixed in advance, that are (epsilon, delta)-DP, by the distribution of their losses. */
static inline uint64_t
pld_most(const DpsPastRelease *release, uint64_t least, double epsilon, double delta)
{
	uint64_t	most = least;

	while (most < 100000 && pld_delta(release, most + 1, epsilon) <= delta)
		most++;
	return most;
}

#endif							/* DPS_TEST_FIXED_ANSWERS_H */

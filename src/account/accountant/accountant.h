/*
 * accountant.h
 *		Ways to state what a history has cost at a delta of one's choice.
 *
 * Every figure is an upper bound: rounded up, discretised toward more loss,
 * numerical error added.  None of them is a filter: a figure that is computed
 * from an adaptively grown history describes the queries as if they had been
 * fixed in advance, which is what its label says; the guarantee is the cap
 * that filter.h enforced.
 */
#ifndef DPS_ACCOUNT_ACCOUNTANT_ACCOUNTANT_H
#define DPS_ACCOUNT_ACCOUNTANT_ACCOUNTANT_H

#include "account/history.h"
#include "base/host.h"

typedef struct DpsAccountant
{
	const char *name;
	const char *label;			/* what the figure is, and when it holds */

	/*
	 * An epsilon >= 0 such that the history is (epsilon, delta)-DP.  The host
	 * gives memory for the time of the call and is asked whether to go on.
	 * DPS_DOMAIN unless 0 <= delta < 1 and every release is valid; DPS_UNABLE if
	 * this accountant has no finite epsilon for the history at this delta.
	 */
	DpsStatus	(*epsilon) (const DpsHost *host, const DpsHistory *history, double delta,
							double *epsilon);
} DpsAccountant;

/* Every accountant, in the order of accountants.def; name is NULL at the end. */
extern const DpsAccountant dps_accountants[];

#define DPS_ACCOUNTANT(name, label) \
extern DPS_MUST_USE DpsStatus dps_accountant_##name(const DpsHost *host, const DpsHistory *history, \
													double delta, double *epsilon);
#include "account/accountant/accountants.def"
#undef DPS_ACCOUNTANT

/* The accountant pld on a grid that may add this to epsilon, relatively; 0: as little as is worth while. */
extern DPS_MUST_USE DpsStatus dps_pld_epsilon(const DpsHost *host, const DpsHistory *history, double delta,
											  double accuracy, double *epsilon);

/* A delta such that the history is (epsilon, delta)-DP, from the distribution
 * of the privacy loss; DPS_DOMAIN unless epsilon >= 0 is finite.  At worst 1. */
extern DPS_MUST_USE DpsStatus dps_pld_delta(const DpsHost *host, const DpsHistory *history,
											double epsilon, double *delta);

#endif							/* DPS_ACCOUNT_ACCOUNTANT_ACCOUNTANT_H */

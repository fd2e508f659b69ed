/*
 * filter.h
 *		Whether a budget admits one more release.
 *
 * A budget (epsilon, delta) is split beforehand, delta = delta_q + delta_c:
 * delta_q is for releases that have a delta of their own (partition
 * selection), delta_c for the conversion from zCDP.  A release is answered iff,
 * with it included,
 *		(A) the sum of epsilon is within the cap and the sum of delta is 0, or
 *		(B) the sum of rho is within rho(epsilon, delta_c) and the sum of delta
 *			within delta_q.
 * Every answer advances all three sums.  A release without pure epsilon has
 * DPS_AMOUNT_UNBOUNDED there, which makes (A) false from then on.
 *
 * A budget of (epsilon, delta) has one Renyi order, that of its conversion, which is fixed when it is set: rho is
 * counted at that order alone (at_order.h), in costs and in what was spent.  It is no more than the rho of all orders,
 * which the budget of a rho promises, and counts.  A budget may count by another rule instead, of answers of an epsilon of at most
 * a largest one, or of Gaussian DP: what its rule does not bound has DPS_AMOUNT_UNBOUNDED for a rho, and is not admitted by (A) either.
 *
 * The same in SQL, over bigint columns and $1, $2, $3 = the cost's epsilon, rho
 * and delta; it is true of the same numbers, and nothing in it overflows:
 *
 *		UPDATE ... SET
 *			spent_epsilon = least(spent_epsilon, 9223372036854775807 - $1) + $1,
 *			spent_rho = least(spent_rho, 9223372036854775807 - $2) + $2,
 *			spent_delta = least(spent_delta, 9223372036854775807 - $3) + $3
 *		WHERE ...
 *			AND $2 < 9223372036854775807
 *			AND (($1 <= cap_epsilon - spent_epsilon AND spent_delta = 0 AND $3 = 0)
 *				 OR ($2 <= cap_rho - spent_rho AND $3 <= cap_delta - spent_delta))
 *
 * with CHECK constraints that sums and costs are >= 0, and caps from 0 to
 * 9223372036854775806.
 */
#ifndef DPS_ACCOUNT_FILTER_H
#define DPS_ACCOUNT_FILTER_H

#include "account/amount.h"
#include "base/arena.h"
#include "base/status.h"

/* What a release costs, or releases have cost together. */
typedef struct DpsCost
{
	DpsAmount	epsilon;		/* 2^-40; unbounded if there is no pure DP */
	DpsAmount	rho;			/* 2^-40 */
	DpsAmount	delta;			/* 2^-62 */
} DpsCost;

/* The caps, in the same units. */
typedef struct DpsBudget
{
	DpsAmount	epsilon;
	DpsAmount	rho;			/* rho(epsilon, delta_c) */
	DpsAmount	delta;			/* delta_q */
	double		order;			/* at which rho is counted, or the rule (at_order.h) */
} DpsBudget;

/* The part of delta that a curator who does not choose sets aside for
 * releases with a delta of their own. */
#define DPS_DELTA_SHARE 0.5

/* A cost from losses as doubles, rounded up.  What is out of range, NaN
 * included, costs everything. */
extern DpsCost dps_cost(double epsilon, double rho, double delta);

/*
 * The budget of (epsilon, delta)-DP, with delta_q = share * delta; every cap is
 * rounded down.  delta = 0 is pure DP and uses (A) alone.  DPS_DOMAIN unless
 * epsilon >= 0 is finite, 0 <= delta < 1 and 0 <= share <= 1.
 */
extern DPS_MUST_USE DpsStatus dps_budget_epsilon(double epsilon, double delta, double share,
												 DpsBudget *budget);

/*
 * The same of a budget that counts by this rule (at_order.h), which takes the place of a Renyi order.  DPS_DOMAIN as above, without
 * a delta to convert, and where the rule has no such budget (capped.h).
 */
extern DPS_MUST_USE DpsStatus dps_budget_by_rule(DpsArena *arena, double rule, double epsilon, double delta, double share,
												 DpsBudget *budget);

/* The budget of delta-approximate rho-zCDP.  A release with pure epsilon pays
 * with its rho.  DPS_DOMAIN unless rho >= 0 is finite and 0 <= delta < 1. */
extern DPS_MUST_USE DpsStatus dps_budget_rho(double rho, double delta, DpsBudget *budget);

/* The rule above. */
extern bool dps_filter_admits(const DpsBudget *budget, const DpsCost *spent, const DpsCost *cost);

/* Adds the cost to what was spent. */
extern void dps_filter_charge(DpsCost *spent, const DpsCost *cost);

/* How many releases of this cost would be admitted one after the other;
 * UINT64_MAX if there is no end. */
extern uint64_t dps_filter_left(const DpsBudget *budget, const DpsCost *spent, const DpsCost *cost);

/*
 * What is left of the budget, in units of 1 / DPS_WHOLE_BUDGET of it, rounded down: the larger of what is left of its
 * epsilon, nothing once a delta was spent, and of its rho and, where it has one to spend, of its delta the less.
 */
#define DPS_WHOLE_BUDGET 10000
extern int	dps_filter_share_left(const DpsBudget *budget, const DpsCost *spent);

/* The same as dps_filter_left in parts of a release, rounded down; Infinity if there is no end. */
extern double dps_filter_times_left(const DpsBudget *budget, const DpsCost *spent, const DpsCost *cost);

/* What a release costs if a private column of one row changes, and nothing else is
 * known of it but how it costs by its adjacency: the change replaces a row (filter.c). */
typedef enum DpsReplacement
{
	DPS_REPLACEMENT_UNBOUNDED,	/* no neighbours lead from row to row */
	DPS_REPLACEMENT_ONE,		/* a replaced row, or column, is a neighbour */
	DPS_REPLACEMENT_TWO			/* one removal and one addition */
} DpsReplacement;

/* disjoint: a neighbour changes some of many independent draws, and the two that lead to
 * the replaced row change each draw once at most, as in a selection of groups. */
extern DpsCost dps_replacement_cost(const DpsCost *cost, DpsReplacement replacement, bool disjoint);

/* What a release costs between data that are so many steps apart, 1 for neighbours themselves, if each step costs
 * this (filter.c). */
extern DpsCost dps_arms_cost(const DpsCost *cost, uint64_t arms);

/*
 * The individual filter: one unit's own losses, in any one unit of account
 * (rho, pure epsilon, or Renyi loss at one order).  A unit takes part in a
 * release iff its sum, the release included, stays within the cap; then it is
 * charged.  With drop_for_good, a unit that was once left out stays out:
 * required where the loss of a unit is not that of its absence (adjacency
 * replace).  *spent begins at 0.
 */
extern bool dps_filter_include(DpsAmount cap, bool drop_for_good, DpsAmount loss, DpsAmount *spent);

#endif							/* DPS_ACCOUNT_FILTER_H */

/*
 * filter.c
 *		Whether a budget admits one more release.
 *
 * Precondition: no release costs more than what it is charged, whatever was answered before
 * it, and what it is charged is public.
 * Postcondition: however adaptively releases are chosen, what is answered by the rule
 * of filter.h is (epsilon, delta)-DP for the budget's epsilon and delta.
 *
 * Proof.  Whether a release is answered depends on public costs only, so the
 * transcripts of the interaction fall into two sets: those whose answered
 * releases satisfy (A) at the end, and the rest, which satisfy (B).  Sums only
 * grow, so on the first set (A) held throughout: the probabilities of such a
 * transcript under neighbours differ by at most e^(sum of epsilon) <=
 * e^epsilon, transcript by transcript.  On the second set (B) held throughout,
 * so these transcripts are as probable as in an interaction that answers by
 * (B) alone.  That interaction is (epsilon, delta_c + delta_q)-DP, as below.
 * For any event S, the parts of S in the two sets add up to
 * P(S) <= e^epsilon Q(S) + delta.
 *
 * (B), the budget of a rho: it is delta_q-approximate rho-zCDP (Whitehouse, Ramdas, Rogers and Wu 2023, Theorem 1; for
 * delta_q = 0 Feldman and Zrnic 2021, Theorem 4.3, at every order, by the one rule).  Their filters stop at the first
 * release that does not fit; to leave it out and go on is to ask for one that costs nothing in its place.
 *
 * (B), at one order alpha (Feldman and Zrnic 2021, Theorem 4.3; with delta_q the argument is this one).  Release i,
 * given what was answered before, is within delta_i of kernels P_i', Q_i', P_i = (1 - delta_i) P_i' + delta_i P_i'' and
 * Q_i likewise, of which the sum of Q_i' (P_i'/Q_i')^alpha is at most e^((alpha-1) alpha r_i); delta_i and r_i are
 * fixed before its outcome is.  Let P', Q' be the measures of transcripts that the (1 - delta_i) P_i' and
 * (1 - delta_i) Q_i' make.  What P' lacks of P is, with d of delta_q left, at most delta_i + (d - delta_i) by induction
 * from the last release back: delta_q in all.  The sum of Q' (P'/Q')^alpha is, with r of the cap left, at most
 * e^((alpha-1) alpha r) by the same induction, since what follows an outcome has at most r - r_i left whichever outcome
 * it is, and (1 - delta_i) <= 1.  So it is at most e^((alpha-1) alpha cap), and the conversion in rdp.c, which is by
 * transcript and asks for no total of 1, gives P'(S) <= e^epsilon Q'(S) + delta_c, by the choice of the cap
 * (dps_rdp_rho).  Hence P(S) <= P'(S) + delta_q <= e^epsilon Q(S) + delta_c + delta_q.  P and Q change places likewise.
 * The order is public and was fixed before; a budget whose order is changed counts what came before by its rho of all
 * orders, which is no less than that of the new one.
 *
 * (B), by another rule: capped.c and gaussian_rule.c, whose theorem takes the place of the last two paragraphs, with
 * delta_q as in them.  The rule is public and was fixed before; one that is changed counts each release that came before as if it
 * had been there, and where that has no bound, or the releases are not known, nothing more is admitted by it.
 *
 * The split of delta.  rho(epsilon, delta_c) is about epsilon^2 / 4 ln(1/delta_c),
 * so giving half of delta away costs ln 2 / ln(1/delta) of rho, 5 % at 1e-6,
 * and a quarter 2 %; nothing is left for partition selection if delta_q = 0.
 * The split cannot follow the queries: a rule "answer while some split fits"
 * would let the analyst end in whichever split failed, and its delta is the
 * sum over the splits.
 */
#include <math.h>

#include "account/account.h"
#include "account/at_order.h"
#include "account/capped.h"
#include "account/filter.h"
#include "account/gaussian_rule.h"
#include "num/interval.h"
#include "num/interval_fn.h"

DpsCost
dps_cost(double epsilon, double rho, double delta)
{
	DpsCost		cost;

	cost.epsilon = dps_amount_of_loss(epsilon, DPS_LOSS_BITS);
	cost.rho = dps_amount_of_loss(rho, DPS_LOSS_BITS);
	cost.delta = dps_amount_of_loss(delta, DPS_DELTA_BITS);
	return cost;
}

/* The caps of epsilon and delta, and what is left of delta for the conversion. */
static DpsStatus
split(double epsilon, double delta, double share, DpsBudget *budget, double *conversion)
{
	DpsAmount	delta_total = dps_amount_of_cap(delta, DPS_DELTA_BITS);

	if (!(epsilon >= 0.0 && epsilon < INFINITY && delta >= 0.0 && delta < 1.0 &&
		  share >= 0.0 && share <= 1.0))
		return DPS_DOMAIN;
	budget->epsilon = dps_amount_of_cap(epsilon, DPS_LOSS_BITS);
	budget->delta = dps_amount_of_cap(dps_mul_down(share, delta), DPS_DELTA_BITS);
	*conversion = dps_amount_down(delta_total - budget->delta, DPS_DELTA_BITS);
	return DPS_OK;
}

DpsStatus
dps_budget_epsilon(double epsilon, double delta, double share, DpsBudget *budget)
{
	double		conversion;
	double		rho = 0.0;
	DpsBudget	result;

	DPS_TRY(split(epsilon, delta, share, &result, &conversion));
	result.order = 0.0;
	if (conversion > 0.0)
	{
		double		least = dps_amount_down(result.epsilon, DPS_LOSS_BITS);
		double		order = dps_zcdp_order(least, conversion);

		DPS_TRY(dps_rdp_rho(order, least, conversion, &rho));
		result.order = order;
	}
	result.rho = dps_amount_of_cap(rho, DPS_LOSS_BITS);
	*budget = result;
	return DPS_OK;
}

DpsStatus
dps_budget_by_rule(DpsArena *arena, double rule, double epsilon, double delta, double share, DpsBudget *budget)
{
	double		conversion;
	double		least;
	double		total;
	DpsBudget	result;

	DPS_TRY(split(epsilon, delta, share, &result, &conversion));
	if (!dps_order_is_rule(rule) || !(conversion > 0.0))
		return DPS_DOMAIN;
	least = dps_amount_down(result.epsilon, DPS_LOSS_BITS);
	result.order = rule;
	if (rule < 0.0)
		DPS_TRY(dps_capped_total(arena, -rule, least, conversion, &result.rho));
	else
	{
		DPS_TRY(dps_gaussian_rule_total(least, conversion, &total));
		result.rho = dps_amount_of_cap(total, DPS_LOSS_BITS);
	}
	*budget = result;
	return DPS_OK;
}

DpsStatus
dps_budget_rho(double rho, double delta, DpsBudget *budget)
{
	if (!(rho >= 0.0 && rho < INFINITY && delta >= 0.0 && delta < 1.0))
		return DPS_DOMAIN;
	budget->epsilon = 0;
	budget->rho = dps_amount_of_cap(rho, DPS_LOSS_BITS);
	budget->delta = dps_amount_of_cap(delta, DPS_DELTA_BITS);
	budget->order = 0.0;
	return DPS_OK;
}

bool
dps_filter_admits(const DpsBudget *budget, const DpsCost *spent, const DpsCost *cost)
{
	bool		pure = spent->delta == 0 && cost->delta == 0 && dps_amount_fits(budget->epsilon, spent->epsilon, cost->epsilon);

	/* by (A) it would leave nothing to (B) */
	if (cost->rho == DPS_AMOUNT_UNBOUNDED)
		return false;
	return pure || (dps_amount_fits(budget->rho, spent->rho, cost->rho) &&
					dps_amount_fits(budget->delta, spent->delta, cost->delta));
}

void
dps_filter_charge(DpsCost *spent, const DpsCost *cost)
{
	spent->epsilon = dps_amount_add(spent->epsilon, cost->epsilon);
	spent->rho = dps_amount_add(spent->rho, cost->rho);
	spent->delta = dps_amount_add(spent->delta, cost->delta);
}

/* (A) and (B) are each true of fewer releases if they are true of more, so the
 * count is the larger of the two counts. */
uint64_t
dps_filter_left(const DpsBudget *budget, const DpsCost *spent, const DpsCost *cost)
{
	uint64_t	pure = 0;
	uint64_t	rho = dps_amount_left(budget->rho, spent->rho, cost->rho);
	uint64_t	delta = dps_amount_left(budget->delta, spent->delta, cost->delta);
	uint64_t	concentrated = rho < delta ? rho : delta;

	if (spent->delta == 0 && cost->delta == 0 && cost->rho != DPS_AMOUNT_UNBOUNDED)
		pure = dps_amount_left(budget->epsilon, spent->epsilon, cost->epsilon);
	return pure > concentrated ? pure : concentrated;
}

/* Of a cap.  What has none has nothing left. */
static int
share_left(DpsAmount cap, DpsAmount spent)
{
	if (!dps_amount_fits(cap, spent, 1))
		return 0;
	return (int) ((__int128) (cap - spent) * DPS_WHOLE_BUDGET / cap);
}

/*
 * What is left by (A), and by (B), of which each is exact for releases that go by it: a release that costs this share
 * of the budget's epsilon and rho, and no delta, is admitted.  A delta that is all spent leaves nothing of (B), which
 * is less than the truth: releases without one are still admitted.
 */
int
dps_filter_share_left(const DpsBudget *budget, const DpsCost *spent)
{
	int			pure = spent->delta == 0 ? share_left(budget->epsilon, spent->epsilon) : 0;
	int			concentrated = share_left(budget->rho, spent->rho);

	if (budget->delta != 0 || spent->delta != 0)
	{
		int			delta = share_left(budget->delta, spent->delta);

		concentrated = delta < concentrated ? delta : concentrated;
	}
	return pure > concentrated ? pure : concentrated;
}

static double
times_left(DpsAmount cap, DpsAmount spent, DpsAmount cost)
{
	if (!dps_amount_fits(cap, spent, 0))
		return 0.0;
	return cost == 0 ? INFINITY : dps_div_down(dps_amount_down(cap - spent, 0), dps_amount_up(cost, 0));
}

double
dps_filter_times_left(const DpsBudget *budget, const DpsCost *spent, const DpsCost *cost)
{
	double		pure = 0.0;
	double		concentrated = fmin(times_left(budget->rho, spent->rho, cost->rho), times_left(budget->delta, spent->delta, cost->delta));

	if (cost->delta == 0 && spent->delta == 0 && cost->rho != DPS_AMOUNT_UNBOUNDED)
		pure = times_left(budget->epsilon, spent->epsilon, cost->epsilon);
	return fmax(pure, concentrated);
}

/*
 * Precondition: the cost is that of neighbours, `replacement` of which in a row lead from
 * any data to the same with one row changed.
 * Postcondition: the result is what the release costs between these two.
 *
 * Proof for two, P to Q to R.  Pure: e^epsilon twice.  zCDP: rho is that of Q's neighbours at
 * every order, so that of P and R is 4 rho (Bun and Steinke 2016, Proposition 1.9, groups of
 * two).  With a delta neither says enough of approximate zCDP, so there is no bound,
 * unless the draws are disjoint: M is a tuple of independent draws, of which P and Q tell apart
 * some, and Q and R others.  The first group of draws costs what P and Q do, the second what
 * Q and R do, as two releases: epsilon, rho and delta add up.  A draw that both tell apart and that P
 * and R do not costs nothing.
 */
DpsCost
dps_replacement_cost(const DpsCost *cost, DpsReplacement replacement, bool disjoint)
{
	DpsCost		unbounded = {DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED};
	DpsCost		result;

	if (replacement == DPS_REPLACEMENT_ONE)
		return *cost;
	if (replacement != DPS_REPLACEMENT_TWO || (cost->delta != 0 && !disjoint))
		return unbounded;
	result.epsilon = dps_amount_times(cost->epsilon, 2);
	result.rho = dps_amount_times(cost->rho, disjoint ? 2 : 4);
	result.delta = dps_amount_times(cost->delta, 2);
	return result;
}

/* A pure epsilon with a delta, of a group of this size. */
static DpsCost
approximate_group_cost(const DpsCost *cost, uint64_t size)
{
	double		one = dps_amount_up(cost->epsilon, DPS_LOSS_BITS);
	double		factor = dps_mul_up(size, dps_iv_exp(dps_iv_point(dps_mul_up(size - 1, one))).hi);
	DpsCost		result;

	result.epsilon = dps_amount_times(cost->epsilon, size);
	result.rho = dps_amount_of_loss(dps_pure_rho(dps_amount_up(result.epsilon, DPS_LOSS_BITS)), DPS_LOSS_BITS);
	result.delta = dps_amount_of_loss(dps_mul_up(factor, dps_amount_up(cost->delta, DPS_DELTA_BITS)), DPS_DELTA_BITS);
	return result;
}

/*
 * Precondition: a way of that many steps leads from the one data to the other, each of which costs this: a person who
 * has a row in several arms of UNION ALL (guard/trace/join_union.c).
 * Postcondition: the result is what the release costs between the two, and no less than the cost of a step.
 *
 * Proof.  Pure: e^epsilon once a step.  zCDP: rho is that of a step at every order, so that of k steps is k^2 rho
 * (Bun and Steinke 2016, Proposition 1.9).  With a delta that does not hold of approximate zCDP.  But what costs a pure
 * epsilon and a delta costs k steps k epsilon and k e^((k - 1) epsilon) delta (Vadhan 2017, Lemma 2.2), and who
 * tells the two apart so does so, but for that delta, as by a pure k epsilon, whose rho is that of dps_pure_rho.  Without
 * a pure epsilon there is no bound then.
 */
DpsCost
dps_arms_cost(const DpsCost *cost, uint64_t arms)
{
	DpsCost		unbounded = {DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED};
	DpsCost		result;

	if (arms == 1)
		return *cost;
	if (arms == 0 || arms > INT32_MAX || (cost->delta != 0 && cost->epsilon == DPS_AMOUNT_UNBOUNDED))
		return unbounded;
	if (cost->delta != 0)
		return approximate_group_cost(cost, arms);
	result.epsilon = dps_amount_times(cost->epsilon, arms);
	result.rho = dps_amount_times(cost->rho, arms * arms);
	result.delta = 0;
	return result;
}

/* Feldman and Zrnic 2021, Theorem 4.5: individual privacy filters.  A unit that is
 * out for good is one whose sum is without bound. */
bool
dps_filter_include(DpsAmount cap, bool drop_for_good, DpsAmount loss, DpsAmount *spent)
{
	if (dps_amount_fits(cap, *spent, loss))
	{
		*spent = dps_amount_add(*spent, loss);
		return true;
	}
	if (drop_for_good)
		*spent = DPS_AMOUNT_UNBOUNDED;
	return false;
}

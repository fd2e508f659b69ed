/*
 * amounts.c
 *		Amounts and filters of the ledger (account/amount.c, filter.c): for all sums,
 *		costs and caps, nothing is admitted beyond a cap and sums only grow.
 *
 * The conversions from losses as doubles are the unit tests' (test_filter.c).
 *
 * unwind: 4
 */
#include "account/amount.c"
#include "account/filter.c"

#include "prove.h"

static DpsAmount
any_amount(void)
{
	DpsAmount	amount = nondet_int64();

	ASSUME(amount >= 0);
	return amount;
}

static DpsAmount
any_cap(void)
{
	DpsAmount	cap = any_amount();

	ASSUME(cap <= DPS_AMOUNT_CAP_MAX);
	return cap;
}

static DpsCost
any_cost(void)
{
	return (DpsCost) {any_amount(), any_amount(), any_amount()};
}

static DpsBudget
any_budget(void)
{
	return (DpsBudget) {any_cap(), any_cap(), any_cap(), 0};
}

void
prove_add(void)
{
	DpsAmount	x = nondet_int64();
	DpsAmount	y = nondet_int64();
	DpsAmount	sum = dps_amount_add(x, y);

	CLAIM(sum >= 0, "a sum is an amount, whatever was added");
	CLAIM(x < 0 || y < 0 || (sum >= x && sum >= y), "sums only grow");
	CLAIM(x < 0 || y < 0 || sum == DPS_AMOUNT_UNBOUNDED || sum - x == y, "and are exact");
	CLAIM(x != DPS_AMOUNT_UNBOUNDED || sum == DPS_AMOUNT_UNBOUNDED, "without bound stays without bound");
}

void
prove_fits(void)
{
	DpsAmount	cap = nondet_int64();
	DpsAmount	spent = nondet_int64();
	DpsAmount	cost = nondet_int64();
	bool		fits = dps_amount_fits(cap, spent, cost);

	CLAIM(!fits || (cap >= 0 && spent >= 0 && cost >= 0), "what is no amount does not fit");
	CLAIM(!fits || dps_amount_add(spent, cost) <= cap, "what fits is within the cap afterwards");
	CLAIM(!fits || dps_amount_add(spent, cost) != DPS_AMOUNT_UNBOUNDED, "and has a bound");
	CLAIM((dps_amount_left(cap, spent, cost) > 0) == fits, "something is left where one more fits");
}

/* (A) or (B) of filter.h. */
static bool
is_within(const DpsBudget *budget, const DpsCost *spent)
{
	return (spent->epsilon <= budget->epsilon && spent->delta == 0) ||
		(spent->rho <= budget->rho && spent->delta <= budget->delta);
}

void
prove_filter(void)
{
	DpsBudget	budget = any_budget();
	DpsCost		spent = any_cost();
	DpsCost		cost = any_cost();
	DpsCost		before = spent;
	bool		admitted = dps_filter_admits(&budget, &spent, &cost);

	dps_filter_charge(&spent, &cost);
	CLAIM(spent.epsilon >= before.epsilon && spent.rho >= before.rho && spent.delta >= before.delta, "sums only grow");
	CLAIM(!admitted || is_within(&budget, &spent), "what is admitted is within the budget");
	CLAIM(admitted || !is_within(&budget, &spent), "and what is not would not be");
}

/* The terms that a budget has left never come back: so each step of a sequence is the one
 * above, for the sums that were reached before it. */
void
prove_terms(void)
{
	DpsBudget	budget = any_budget();
	DpsCost		spent = any_cost();
	DpsCost		cost = any_cost();
	bool		was_pure = spent.epsilon <= budget.epsilon && spent.delta == 0;
	bool		was_within = is_within(&budget, &spent);

	dps_filter_charge(&spent, &cost);
	CLAIM(was_pure || !(spent.epsilon <= budget.epsilon && spent.delta == 0), "what is not pure never is again");
	CLAIM(was_within || !is_within(&budget, &spent), "what is beyond the budget stays there");
}

void
prove_include(void)
{
	DpsAmount	cap = any_cap();
	DpsAmount	spent = any_amount();
	DpsAmount	loss = any_amount();
	DpsAmount	before = spent;
	bool		included = dps_filter_include(cap, true, loss, &spent);

	CLAIM(spent >= before, "a unit's sum only grows");
	CLAIM(!included || spent <= cap, "who takes part is within the cap");
	CLAIM(included || spent == DPS_AMOUNT_UNBOUNDED, "who does not never will");
}

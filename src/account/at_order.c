/*
 * at_order.c
 *		The rho of releases at one Renyi order, or by another rule.
 *
 * Precondition: the parts are all of the release, drawn independently, and the release is delta-approximately
 * rho-zCDP for its own delta.
 * Postcondition: its Renyi divergence of this order between neighbours is at most order times the answer, but for
 * that delta.
 * Proof.  Divergences of independent parts add up, and so do their bounds where each part's move is at most its
 * sensitivity (history.c).  rho bounds D_alpha / alpha at every order (Bun and Steinke 2016, Definition 1.1), so the
 * less of the two does.  Laplace noise has its rho at alpha -> 1, where the conversion to (epsilon, delta) is not: at
 * the order of (3, 1e-6) its D_alpha / alpha is an eighth less.  Of draws and selections no more is known than
 * epsilon, so that theirs is at most that of randomised response (rdp.c), and their rho.
 *
 * By the other rules (capped.c, gaussian_rule.c) a release is as dear as its parts together: pure epsilons add up to one
 * of the release, and Gaussian DP composes.  A rho of 0 is that of what is the same under neighbours, but for its own
 * delta.  Of what was spent by another rule the sums say nothing: many small releases can count more than one of all their
 * epsilon.  It is counted release by release, from the history (ledger/charge/accounts.c), as if the rule had been there
 * before them.
 */
#include <math.h>

#include "account/account.h"
#include "account/at_order.h"
#include "account/capped.h"
#include "account/elementary.h"
#include "account/gaussian_rule.h"

/* Renyi loss of one of `count` equal parts. */
static double
loss_of(const DpsPastRelease *part, double order)
{
	double		loss = dps_past_release_rdp(part, order);

	if (part->law == DPS_LAW_EXPONENTIAL || part->law == DPS_LAW_FLIP || part->law == DPS_LAW_K_NORM)
		loss = fmin(loss, dps_rdp_geometric(order, part->scale, part->sensitivity + (part->sensitivity == 0), part->sensitivity));
	return loss;
}

static DpsAmount
capped(double largest, const DpsPastRelease *parts, size_t n)
{
	DpsHistory	history = {parts, n};

	return dps_capped_cost(largest, dps_history_epsilon(&history));
}

static DpsAmount
gaussian(const DpsPastRelease *parts, size_t n)
{
	double		sum = 0.0;

	for (size_t i = 0; i < n; i++)
		sum = dps_add_up(sum, dps_mul_up(dps_gaussian_rule_loss(&parts[i]), dps_count_up(parts[i].count)));
	return dps_amount_of_loss(sum, DPS_LOSS_BITS);
}

static DpsAmount
by_rule(double order, const DpsPastRelease *parts, size_t n, DpsAmount rho)
{
	if (rho == 0)
		return 0;
	if (n == 0)
		return DPS_AMOUNT_UNBOUNDED;
	return order < 0.0 ? capped(-order, parts, n) : gaussian(parts, n);
}

DpsAmount
dps_rho_at_order(double order, const DpsPastRelease *parts, size_t n, DpsAmount rho)
{
	double		sum = 0.0;
	DpsAmount	amount;

	if (dps_order_is_rule(order))
		return by_rule(order, parts, n, rho);
	if (!(order > 1.0) || n == 0)
		return rho;
	for (size_t i = 0; i < n; i++)
		sum = dps_add_up(sum, dps_mul_up(loss_of(&parts[i], order), dps_count_up(parts[i].count)));
	amount = dps_amount_of_loss(dps_div_up(sum, order), DPS_LOSS_BITS);
	return amount < rho ? amount : rho;
}

DpsAmount
dps_spent_at_order(double order, const DpsCost *spent, double former, DpsAmount before)
{
	if (order == former && order != 0.0)
		return before;
	return dps_order_is_rule(order) && spent->rho != 0 ? DPS_AMOUNT_UNBOUNDED : spent->rho;
}

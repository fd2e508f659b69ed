/*
 * test_at_order.c
 *		Budgets that count rho at one Renyi order: against the rule of all orders, against sums over the laws of the noise in
 *		a wider format, and against distributions of losses.
 */
#include <math.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/at_order.h"
#include "account/filter.h"
#include "fixed_answers.h"
#include "splitmix.h"
#include "tap.h"

#define KINDS 5

/* ---- references, each by a sum over what can come out ---- */

typedef long double (*LogWeight) (long double k, long double scale);

static long double
laplace_weight(long double k, long double scale)
{
	return -fabsl(k) / scale;
}

static long double
gaussian_weight(long double k, long double scale)
{
	return -k * k / (2 * scale * scale);
}

/* Divergence of order alpha of noise on the multiples of a step, and the same moved by `moved`. */
static long double
divergence(LogWeight weight, long double alpha, int scale, int step, int moved)
{
	int			reach = (45 * scale + moved) / step + 1;
	long double total = 0;
	long double sum = 0;

	for (int k = -reach * 4; k <= reach * 4; k++)
	{
		long double here = weight((long double) k * step, scale);
		long double there = weight((long double) k * step - moved, scale);

		total += expl(here);
		sum += expl(alpha * here + (1 - alpha) * there);
	}
	return logl(sum / total) / (alpha - 1);
}

static long double
response_divergence(long double alpha, long double epsilon)
{
	long double p = 1 / (1 + expl(-epsilon));
	long double q = 1 - p;

	return logl(powl(p, alpha) * powl(q, 1 - alpha) + powl(q, alpha) * powl(p, 1 - alpha)) / (alpha - 1);
}

/* Proposition 12 of CKS. */
static long double
converted(long double alpha, long double loss, long double delta)
{
	return loss + log1pl(-1 / alpha) - (logl(delta) + logl(alpha)) / (alpha - 1);
}

/* ---- releases ---- */

typedef struct Some
{
	DpsPastRelease part;
	DpsCost		cost;			/* of all orders */
	long double loss;			/* at the order: no less than that, but for the laws' own bounds */
} Some;

static Some
some_release(uint64_t *state, double order)
{
	int			kind = (int) (splitmix64(state) % KINDS);
	int			moved = 1 + (int) (splitmix64(state) % 4);
	int			scale = 6 + (int) (splitmix64(state) % 25);
	Some		some;

	if (kind == 0)
	{
		some.part = dps_past_release_noise(DPS_LAW_LAPLACE, moved, scale, 1, 1);
		some.loss = divergence(laplace_weight, order, scale, 1, moved);
	}
	else if (kind == 1)
	{
		some.part = dps_past_release_noise(DPS_LAW_GAUSSIAN, moved, scale, 1, 1);
		some.loss = divergence(gaussian_weight, order, scale, 1, moved);
	}
	else if (kind == 2)
	{
		some.part = dps_past_release_geometric(moved * 2, scale, 2, 1, 1);
		some.loss = divergence(laplace_weight, order, scale, 2, moved * 2);
	}
	else
	{
		some.part = dps_past_release_noise(kind == 3 ? DPS_LAW_FLIP : DPS_LAW_EXPONENTIAL, moved, scale, 1, 1);
		/* a pair of choices that loses as much as the law allows is not known to be one of its draws */
		some.loss = kind == 3 ? response_divergence(order, (long double) moved / scale) : 0;
	}
	some.cost = dps_cost(some.part.epsilon, some.part.rho, 0);
	return some;
}

static DpsCost
counted(const Some *some, double order)
{
	DpsCost		cost = some->cost;

	cost.rho = dps_rho_at_order(order, &some->part, 1, cost.rho);
	return cost;
}

/* Random budgets and mixes: what the rule of all orders admits is admitted, and all together is within the promise. */
static void
test_mixes(void)
{
	uint64_t	state = 7;
	bool		admits = true;
	bool		keeps = true;
	bool		bounds = true;
	int			more = 0;

	diag("seed 7");
	for (int i = 0; i < 40; i++)
	{
		double		epsilon = exp(-1 + 4 * ldexp((double) (splitmix64(&state) >> 11), -53));
		double		delta = exp(-30 + 24 * ldexp((double) (splitmix64(&state) >> 11), -53));
		DpsBudget	budget;
		DpsBudget	before;
		DpsCost		spent = {0, 0, 0};
		DpsCost		all_orders = {0, 0, 0};
		long double loss = 0;

		if (dps_budget_epsilon(epsilon, delta, 0.5, &budget) != DPS_OK || budget.order == 0)
			continue;
		before = budget;
		for (int n = 0; n < 150; n++)
		{
			Some		one = some_release(&state, budget.order);
			DpsCost		cost = counted(&one, budget.order);

			bounds = bounds && cost.rho <= one.cost.rho &&
				dps_amount_up(cost.rho, DPS_LOSS_BITS) * budget.order >= (double) one.loss * (1 - 1e-12);
			if (!dps_filter_admits(&budget, &spent, &cost))
			{
				admits = admits && !dps_filter_admits(&before, &all_orders, &one.cost);
				continue;
			}
			more += !dps_filter_admits(&before, &all_orders, &one.cost);
			dps_filter_charge(&spent, &cost);
			dps_filter_charge(&all_orders, &one.cost);
			loss += one.loss;
		}
		if (spent.rho <= budget.rho)
			keeps = keeps && converted(budget.order, loss, (long double) delta / 2) <= (long double) epsilon * (1 + 1e-12L);
	}
	ok(bounds, "a release costs no more than its rho, and no less than its divergence at the order");
	ok(admits, "what the rule of all orders admits is admitted");
	ok(more > 100, "and %d more releases are", more);
	ok(keeps, "the divergences of all that was admitted, converted at the order, are within epsilon");
}

/* ---- numbers of equal answers ---- */

static void
test_counts(void)
{
	static const struct
	{
		double		epsilon;
		double		answer;
		uint64_t	all_orders;
		uint64_t	at_order;
	}			facts[] = {{3, 0.1, 36, 40}, {3, 0.2, 14, 14}, {1, 0.05, 19, 22}, {5, 0.1, 91, 96}};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		uint64_t	scale = (uint64_t) ceil(0x1p40 / facts[i].answer);
		DpsPastRelease release = dps_past_release_noise(DPS_LAW_LAPLACE, UINT64_C(1) << 40, scale, 1, 1);
		DpsCost		spent = {0, 0, 0};
		DpsCost		cost = dps_cost(release.epsilon, release.rho, 0);
		DpsCost		counted_cost = cost;
		DpsBudget	budget;
		uint64_t	all_orders;
		uint64_t	at_order;
		uint64_t	most;

		if (dps_budget_epsilon(facts[i].epsilon, 1e-6, 0.5, &budget) != DPS_OK)
			break;
		counted_cost.rho = dps_rho_at_order(budget.order, &release, 1, cost.rho);
		all_orders = dps_filter_left(&budget, &spent, &cost);
		at_order = dps_filter_left(&budget, &spent, &counted_cost);
		most = pld_most(&release, at_order, facts[i].epsilon, 1e-6);
		diag("epsilon %g, answers of %g: %d by all orders, %d at order %.3f, %d by the distribution of losses: %.3f of them",
			 facts[i].epsilon, facts[i].answer, (int) all_orders, (int) at_order, budget.order, (int) most,
			 (double) at_order / (double) most);
		ok(all_orders == facts[i].all_orders && at_order == facts[i].at_order, "%d answers, %d by the rho of all orders",
		   (int) at_order, (int) all_orders);
		ok(pld_delta(&release, at_order, facts[i].epsilon) <= 1e-6, "which the distribution of their losses allows");
	}
}

static void
test_gaussian(void)
{
	bool		same = true;

	for (int i = 1; i < 200; i++)
	{
		DpsPastRelease release = dps_past_release_noise(DPS_LAW_GAUSSIAN, UINT64_C(1) << 40, (UINT64_C(1) << 40) + (uint64_t) i * 0x123456789,
														1, 1);
		DpsAmount	rho = dps_amount_of_loss(release.rho, DPS_LOSS_BITS);

		same = same && rho - dps_rho_at_order(1 + i * 0.37, &release, 1, rho) <= 1;
	}
	ok(same, "Gaussian noise costs its rho at every order, to a unit");
}

/* Parts of which other figures are known: runs of steps on samples, selections, several at once. */
static void
test_parts(void)
{
	DpsPastRelease run = dps_past_release_sampled(UINT64_C(1) << 40, UINT64_C(2) << 40, 3, 0.01, 500, 1e-7, 1);
	DpsPastRelease selection = dps_past_release_noise(DPS_LAW_PARTITION, UINT64_C(1) << 38, UINT64_C(3) << 40, 1, 1);
	DpsPastRelease one = dps_past_release_noise(DPS_LAW_LAPLACE, 1, 10, 1, 1);
	DpsPastRelease three = dps_past_release_noise(DPS_LAW_LAPLACE, 1, 10, 1, 3);
	DpsPastRelease pair[2] = {one, run};
	DpsAmount	rho = dps_amount_of_loss(run.rho, DPS_LOSS_BITS);
	DpsAmount	alone = dps_rho_at_order(9, &one, 1, DPS_AMOUNT_UNBOUNDED);
	DpsAmount	of_run = dps_rho_at_order(9, &run, 1, DPS_AMOUNT_UNBOUNDED);
	double		loss = 500 * dps_rdp_subsampled(9, 0.01, UINT64_C(2) << 40, UINT64_C(1) << 40) / 9;
	bool		less = true;

	for (double order = 1.001; order < 300; order *= 1.3)
		less = less && dps_rho_at_order(order, &run, 1, rho) <= rho;
	ok(less, "a run on samples costs no more than its rho at any order");
	ok(fabs(dps_amount_up(of_run, DPS_LOSS_BITS) / loss - 1) < 1e-9, "and at a whole order the losses of its steps");
	ok(dps_rho_at_order(9, pair, 2, DPS_AMOUNT_UNBOUNDED) - alone - of_run <= 0 && dps_rho_at_order(9, pair, 2, DPS_AMOUNT_UNBOUNDED) >= alone + of_run - 1,
	   "parts add up, and the sum is rounded once");
	ok(dps_rho_at_order(9, &three, 1, DPS_AMOUNT_UNBOUNDED) >= 3 * alone - 3 && dps_rho_at_order(9, &three, 1, DPS_AMOUNT_UNBOUNDED) <= 3 * alone,
	   "and so do draws of one part");
	ok(dps_rho_at_order(9, &selection, 1, DPS_AMOUNT_UNBOUNDED) <= dps_amount_of_loss(selection.rho, DPS_LOSS_BITS) &&
	   dps_rho_at_order(1000, &selection, 1, DPS_AMOUNT_UNBOUNDED) <= dps_amount_of_loss(selection.epsilon / 1000 + 0x1p-40, DPS_LOSS_BITS),
	   "a selection costs its rho, and at high orders its epsilon");
}

static void
test_arguments(void)
{
	static const double none[] = {0, 1, NAN, 0.5};
	static const double bad[] = {NAN, 1, 0, -2, INFINITY};
	DpsPastRelease release = dps_past_release_noise(DPS_LAW_LAPLACE, 1, 10, 1, 1);
	DpsPastRelease unknown = dps_past_release_noise(DPS_LAW_UNKNOWN, 1, 10, 1, 1);
	DpsPastRelease two[2] = {release, unknown};
	double		rho = -7;
	double		again = 0;
	double		order = dps_zcdp_order(3, 5e-7);
	bool		whole = true;
	bool		refused = true;

	for (int i = 0; i < 4; i++)
		whole = whole && dps_rho_at_order(none[i], &release, 1, 1000) == 1000;
	for (int i = 0; i < 5; i++)
		refused = refused && dps_rdp_rho(bad[i], 3, 5e-7, &rho) == DPS_DOMAIN && rho == -7;
	ok(whole && dps_rho_at_order(10, NULL, 0, 1000) == 1000, "without an order, or parts, the rho of all orders");
	ok(dps_rho_at_order(10, two, 2, 1000) == 1000 && dps_rho_at_order(10, two, 2, DPS_AMOUNT_UNBOUNDED) == DPS_AMOUNT_UNBOUNDED,
	   "and for a part of which nothing is known");
	ok(refused, "an order that is none is refused");
	ok(dps_rdp_rho(order, 3, 5e-7, &rho) == DPS_OK && dps_zcdp_rho(3, 5e-7, &again) == DPS_OK && rho == again,
	   "the rho of a budget is that at its order");
	ok(dps_rdp_rho(order * 1.1, 3, 5e-7, &again) == DPS_OK && again < rho && dps_rdp_rho(order / 1.1, 3, 5e-7, &again) == DPS_OK && again < rho,
	   "which is less at orders beside it");
	ok(dps_rho_at_order(order, &release, 1, DPS_AMOUNT_UNBOUNDED) > 0 && dps_rho_at_order(1e300, &release, 1, 1 << 30) == 1,
	   "of an endless order nearly nothing, rounded up");
}

int
main(void)
{
	test_arguments();
	test_gaussian();
	test_parts();
	test_mixes();
	test_counts();
	return done_testing();
}

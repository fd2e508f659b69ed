/*
 * test_rules.c
 *		Budgets that count answers of at most an epsilon, or in Gaussian DP: against the best adversary in a wider format, against
 *		adversaries that choose by what they see, and against distributions of losses.
 *
 * Files: account/capped.c, account/gaussian_rule.c.
 */
#include <math.h>
#include <string.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/at_order.h"
#include "account/capped.h"
#include "account/filter.h"
#include "account/gaussian_rule.h"
#include "fixed_answers.h"
#include "splitmix.h"
#include "tap.h"

#define UNIT (INT64_C(1) << DPS_LOSS_BITS)

static double
uniform(uint64_t *state)
{
	return ldexp((double) (splitmix64(state) >> 11), -53);
}

/* A budget by a rule; its order is 0 if there is none. */
static DpsBudget
budget_of(double rule, double epsilon, double delta, double share)
{
	DpsBudget	budget = {0, 0, 0, 0};
	DpsArena   *arena;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		return budget;
	if (dps_budget_by_rule(arena, rule, epsilon, delta, share, &budget) != DPS_OK)
		budget.order = 0;
	dps_arena_clear(arena);
	return budget;
}

/* ---- answers of at most an epsilon ---- */

#define MOST_PARTS 700
#define MOST_STEPS 2900

/* What the best adversary gets who has so many parts, at e^(hi), in the widest format; no row is cut. */
static long double
best_adversary(long double epsilon, long double h, int parts)
{
	static long double value[11][2 * MOST_STEPS + 1];
	int			reach = 4 * parts + 4 < MOST_STEPS ? 4 * parts + 4 : MOST_STEPS;

	for (int b = 0; b <= parts; b++)
	{
		for (int i = -reach; i <= reach; i++)
		{
			long double best = fmaxl(expl(h * i) - expl(epsilon), 0);

			for (int k = 1; k <= 4 && k * (k + 1) / 2 <= b; k++)
			{
				const long double *from = value[(b - k * (k + 1) / 2) % 11];
				long double up = i + k > reach ? expl(h * (i + k)) : from[MOST_STEPS + i + k];
				long double down = i - k < -reach ? 0 : from[MOST_STEPS + i - k];

				best = fmaxl(best, (up + expl(h * k) * down) / (1 + expl(h * k)));
			}
			value[b % 11][MOST_STEPS + i] = best;
		}
	}
	return value[parts % 11][MOST_STEPS];
}

static void
test_totals(void)
{
	static const struct
	{
		double		epsilon;
		double		delta;
		double		largest;
	}			facts[] = {{3, 1e-6, 0.1}, {3, 5e-7, 0.1}, {3, 1e-6, 0.5}, {3, 1e-6, 1}, {1, 1e-5, 0.05}, {0.5, 0.01, 0.25}, {8, 1e-9, 1}, {1, 0.3, 1}};
	bool		enough = true;
	bool		exact = true;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		DpsBudget	budget = budget_of(-facts[i].largest, facts[i].epsilon, facts[i].delta, 0);
		DpsAmount	one = dps_capped_cost(facts[i].largest, facts[i].largest / 4);
		long double h = ((long double) dps_amount_of_loss(facts[i].largest, DPS_LOSS_BITS) + 16) / 0x1p42L;
		int			parts = (int) (budget.rho / one);
		long double reached;
		long double more;

		if (!ok(budget.order == -facts[i].largest && budget.rho % one == 0 && parts > 0 && parts < MOST_PARTS, "%d parts for (%g, %g) and %g",
				parts, facts[i].epsilon, facts[i].delta, facts[i].largest))
			continue;
		reached = best_adversary(facts[i].epsilon, h, parts);
		more = best_adversary(facts[i].epsilon, h, parts + 1);
		diag("they reach a delta of %.6Lg, one more %.6Lg", reached, more);
		enough = enough && reached <= (long double) facts[i].delta * (1 + 1e-15L);
		exact = exact && more > (long double) facts[i].delta * (1 - 1e-9L);
	}
	ok(enough, "the best adversary reaches no more than delta");
	ok(exact, "and would with one part more");
}

/* An adversary on a tree: at each node a release of some epsilon and three outcomes, chosen by the outcomes before it. */
typedef struct Tree
{
	const DpsBudget *budget;
	double		largest;
	double		gamma;
	uint64_t	seed;
	int			answered;
} Tree;

/* What is gained below a node where the transcript has probabilities q and x q. */
static double
gained(Tree *tree, DpsCost spent, double x, double q, int depth)
{
	uint64_t	state = tree->seed + (uint64_t) (1e9 * x) + (uint64_t) depth;
	/* often the largest epsilon, and small ones near the end */
	double		epsilon = tree->largest * (splitmix64(&state) % 3 == 0 ? uniform(&state) : ldexp(1, -(int) (splitmix64(&state) % 3)));
	double		ratio = exp(epsilon);
	double		middle = splitmix64(&state) % 2 == 0 ? 0 : 0.3 * uniform(&state);
	double		top = (1 - middle) / (1 + ratio);
	DpsPastRelease part = {.law = DPS_LAW_UNKNOWN, .epsilon = epsilon, .rho = INFINITY, .count = 1};
	DpsCost		cost = dps_cost(epsilon, dps_pure_rho(epsilon), 0);

	cost.rho = dps_rho_at_order(tree->budget->order, &part, 1, cost.rho);
	if (depth == 0 || cost.rho > tree->budget->rho - spent.rho)
		return q * fmax(x - tree->gamma, 0);
	tree->answered++;
	dps_filter_charge(&spent, &cost);
	return gained(tree, spent, x * ratio, q * top, depth - 1) + gained(tree, spent, x / ratio, q * (1 - middle - top), depth - 1) +
		(middle > 0 ? gained(tree, spent, x, q * middle, depth - 1) : 0);
}

static void
test_adversaries(void)
{
	bool		kept = true;
	double		most = 0;
	int			answered = 0;

	diag("seeds 1 to 300");
	for (uint64_t seed = 1; seed <= 300; seed++)
	{
		uint64_t	state = seed;
		double		epsilon = 0.3 + 1.2 * uniform(&state);
		double		delta = 0.02 + 0.2 * uniform(&state);
		double		largest = epsilon * (0.4 + 0.6 * uniform(&state));
		DpsBudget	budget = budget_of(seed % 2 == 0 ? DPS_BY_GAUSSIAN : -largest, epsilon, delta, 0);
		Tree		tree = {&budget, largest, exp(epsilon), seed, 0};
		DpsCost		nothing = {0, 0, 0};
		double		gain = gained(&tree, nothing, 1, 1, 9);

		answered += tree.answered;
		most = fmax(most, gain / delta);
		kept = kept && budget.order != 0 && gain <= delta * (1 + 1e-12);
	}
	diag("%d nodes answered; the most that was reached is %.3f delta", answered, most);
	ok(answered > 10000 && most > 0.3, "adversaries who choose by outcomes come near to delta");
	ok(kept, "and never beyond it");
}

/* How many such releases a budget admits. */
static uint64_t
admitted(const DpsBudget *budget, const DpsPastRelease *release)
{
	DpsCost		spent = {0, 0, 0};
	DpsCost		cost = dps_cost(release->epsilon, release->rho, 0);

	cost.rho = dps_rho_at_order(budget->order, release, 1, cost.rho);
	return dps_filter_left(budget, &spent, &cost);
}

static DpsPastRelease
laplace(double epsilon)
{
	/* as a plan rounds it: epsilon down to units */
	uint64_t	units = (uint64_t) floor(ldexp(epsilon, 40));

	return dps_past_release_noise(DPS_LAW_LAPLACE, UINT64_C(1) << 40, (uint64_t) (((unsigned __int128) 1 << 80) / units) + 1, 1, 1);
}

static void
test_answers(void)
{
	static const struct
	{
		double		answer;
		uint64_t	before;
		uint64_t	kept;		/* half of delta is kept for selections */
		uint64_t	all;
	}			facts[] = {{0.1, 40, 42, 45}, {0.2, 15, 15, 15}, {0.5, 6, 6, 6}, {1, 3, 3, 3}};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		DpsPastRelease release = laplace(facts[i].answer);
		DpsBudget	kept = budget_of(-facts[i].answer, 3, 1e-6, 0.5);
		DpsBudget	all = budget_of(-facts[i].answer, 3, 1e-6, 0);
		DpsBudget	before;
		uint64_t	most;

		if (dps_budget_epsilon(3, 1e-6, 0.5, &before) != DPS_OK)
			break;
		most = pld_most(&release, admitted(&all, &release), 3, 1e-6);
		diag("answers of %g: %d by order, %d and %d of at most it, %d by the distribution of losses: %.3f and %.3f of them", facts[i].answer,
			 (int) admitted(&before, &release), (int) admitted(&kept, &release), (int) admitted(&all, &release), (int) most,
			 (double) admitted(&kept, &release) / (double) most, (double) admitted(&all, &release) / (double) most);
		ok(admitted(&before, &release) == facts[i].before && admitted(&kept, &release) == facts[i].kept && admitted(&all, &release) == facts[i].all,
		   "%d answers of %g, %d while half of delta is kept", (int) facts[i].all, facts[i].answer, (int) facts[i].kept);
		ok((double) admitted(&all, &release) >= 0.95 * (double) most && pld_delta(&release, facts[i].all, 3) <= 1e-6, "95 %% of what their losses allow");
	}
}

static void
test_smaller(void)
{
	DpsBudget	budget = budget_of(-0.1, 3, 1e-6, 0);
	DpsAmount	whole = dps_capped_cost(0.1, 0.1);
	DpsPastRelease two[2] = {laplace(0.05), laplace(0.05)};
	DpsPastRelease gaussian = dps_past_release_noise(DPS_LAW_GAUSSIAN, 1 << 20, 1 << 25, 1, 1);
	DpsPastRelease selection = dps_past_release_noise(DPS_LAW_PARTITION, UINT64_C(1) << 36, UINT64_C(1) << 40, 1, 1);
	DpsPastRelease choice = dps_past_release_noise(DPS_LAW_EXPONENTIAL, 1, 40, 2, 1);
	DpsCost		spent = {0, 0, 0};
	DpsCost		larger = dps_cost(0.11, dps_pure_rho(0.11), 0);
	DpsPastRelease one = laplace(0.11);

	ok(dps_capped_cost(0.1, 0.025) * 10 == whole && dps_capped_cost(0.1, 0.05) * 10 == 3 * whole &&
	   dps_capped_cost(0.1, 0.075) * 10 == 6 * whole && dps_capped_cost(0.1, 1e-9) == dps_capped_cost(0.1, 0.025) && dps_capped_cost(0.1, 0) == 0,
	   "quarters count 1, 3, 6 and 10 parts, and less than a quarter as one");
	ok(dps_capped_cost(0.1, 0.0250001) == dps_capped_cost(0.1, 0.05), "a little more than a quarter as two");
	ok(dps_capped_cost(0.1, 0.1000001) == DPS_AMOUNT_UNBOUNDED && dps_capped_cost(0.1, NAN) == DPS_AMOUNT_UNBOUNDED &&
	   dps_capped_cost(0.1, INFINITY) == DPS_AMOUNT_UNBOUNDED && dps_capped_cost(0.1, -1) == DPS_AMOUNT_UNBOUNDED &&
	   dps_capped_cost(0, 0) == DPS_AMOUNT_UNBOUNDED && dps_capped_cost(NAN, 0.1) == DPS_AMOUNT_UNBOUNDED,
	   "what is larger, or no epsilon, has no bound");
	ok(dps_capped_cost(0x1p-20, 0x1p-20) == 10 && dps_capped_cost(64, 64) > dps_capped_cost(32, 32) && dps_capped_cost(1e300, 1) == DPS_AMOUNT_UNBOUNDED,
	   "the smallest epsilon counts whole units");
	ok(dps_rho_at_order(-0.1, two, 2, 7) == whole, "two parts of an answer count as one of the sum of their epsilon");
	ok(dps_rho_at_order(-0.1, &choice, 1, 7) == dps_capped_cost(0.1, 0.05) && dps_rho_at_order(-0.1, &selection, 1, 7) == dps_capped_cost(0.1, 0.0625),
	   "and so do draws, and selections");
	ok(dps_rho_at_order(-0.1, &gaussian, 1, 7) == DPS_AMOUNT_UNBOUNDED && dps_rho_at_order(-0.1, &gaussian, 1, 0) == 0 &&
	   dps_rho_at_order(-0.1, &gaussian, 0, 7) == DPS_AMOUNT_UNBOUNDED, "Gaussian noise has no bound, and what costs nothing costs nothing");
	larger.rho = dps_rho_at_order(-0.1, &one, 1, larger.rho);
	ok(!dps_filter_admits(&budget, &spent, &larger) && dps_filter_left(&budget, &spent, &larger) == 0 &&
	   dps_filter_times_left(&budget, &spent, &larger) == 0, "a larger answer is not admitted by its epsilon either");
}

static void
test_refused(void)
{
	static const double bad[] = {NAN, 0, 1, 2.5};

	ok(budget_of(-0.1, 3, 0, 0).order == 0 && budget_of(-0.1, 3, 1e-6, 1).order == 0 && budget_of(DPS_BY_GAUSSIAN, 3, 0, 0).order == 0,
	   "no delta, no rule");
	ok(budget_of(-4, 3, 1e-6, 0).order == 0 && budget_of(-0.001, 3, 1e-6, 0).order == 0 && budget_of(-10, 200, 1e-6, 0).order == 0,
	   "an answer larger than the budget, or too small a part of it, is refused");
	for (int i = 0; i < 4; i++)
		ok(budget_of(bad[i], 3, 1e-6, 0).order == 0, "%g is no rule", bad[i]);
}

/* ---- Gaussian DP ---- */

static long double
normal_tail(long double x)
{
	return erfcl(x / sqrtl(2)) / 2;
}

static void
test_pure_gaussian(void)
{
	bool		covers = true;
	bool		tight = true;

	for (double epsilon = 0x1p-20; epsilon <= 64; epsilon *= 1.7)
	{
		long double mu = sqrtl(2 * (long double) dps_pure_gaussian_rho(epsilon));

		covers = covers && normal_tail(mu / 2) * (1 + expl(epsilon)) <= 1 + 1e-18L;
		tight = tight && normal_tail(mu / 2 * (1 - 1e-6L)) * (1 + expl(epsilon)) > 1;
	}
	ok(covers && tight, "a pure epsilon counts as the least Gaussian that hides no more than randomised response");
	ok(dps_pure_gaussian_rho(0) == 0 && dps_pure_gaussian_rho(NAN) == INFINITY && dps_pure_gaussian_rho(-1) == INFINITY &&
	   dps_pure_gaussian_rho(INFINITY) == INFINITY && dps_pure_gaussian_rho(600) == INFINITY, "nothing for nothing, no bound for what is none");
}

static void
test_gaussian_totals(void)
{
	static const double epsilons[] = {0.1, 1, 3, 10};
	static const double deltas[] = {1e-12, 1e-6, 0.01};
	bool		keeps = true;
	bool		tight = true;

	for (int i = 0; i < 12; i++)
	{
		long double epsilon = epsilons[i / 3];
		long double delta = deltas[i % 3];
		double		total = 0;
		long double mu;

		if (dps_gaussian_rule_total(epsilons[i / 3], deltas[i % 3], &total) != DPS_OK)
			total = 0;
		mu = sqrtl(2 * (long double) total);
		keeps = keeps && normal_tail(epsilon / mu - mu / 2) - expl(epsilon) * normal_tail(epsilon / mu + mu / 2) <= delta;
		mu *= 1.001L;
		tight = tight && normal_tail(epsilon / mu - mu / 2) - expl(epsilon) * normal_tail(epsilon / mu + mu / 2) > delta;
	}
	ok(keeps && tight, "a total converts by the exact curve, to a thousandth");
}

static void
test_gaussian_answers(void)
{
	static const double answers[] = {0.1, 0.3, 1};
	DpsBudget	before;
	DpsBudget	after = budget_of(DPS_BY_GAUSSIAN, 3, 1e-6, 0.5);
	DpsBudget	all = budget_of(DPS_BY_GAUSSIAN, 3, 1e-6, 0);

	if (dps_budget_epsilon(3, 1e-6, 0.5, &before) != DPS_OK)
		return;
	diag("rho %.6f before, %.6f and %.6f by the curve", dps_amount_down(before.rho, DPS_LOSS_BITS), dps_amount_down(after.rho, DPS_LOSS_BITS),
		 dps_amount_down(all.rho, DPS_LOSS_BITS));
	for (int i = 0; i < 3; i++)
	{
		/* so much noise that one answer is (answer, 1e-6)-DP, about */
		DpsPastRelease release = dps_past_release_noise(DPS_LAW_GAUSSIAN, UINT64_C(1) << 36, (uint64_t) (0x1p36 * 4.75 / answers[i]), 1, 1);
		uint64_t	most = pld_most(&release, admitted(&all, &release), 3, 1e-6);

		diag("%d before, %d and %d by the curve, %d by the distribution of losses", (int) admitted(&before, &release),
			 (int) admitted(&after, &release), (int) admitted(&all, &release), (int) most);
		ok((double) admitted(&after, &release) >= 1.1 * (double) admitted(&before, &release) - 1 &&
		   (double) admitted(&all, &release) >= 0.99 * (double) most - 1, "answers of (%g, 1e-6) are a tenth more, and nearly all", answers[i]);
		ok(pld_delta(&release, admitted(&all, &release), 3) <= 1e-6, "which the distribution of their losses allows");
	}
}

static void
test_coarse(void)
{
	DpsPastRelease fine = dps_past_release_noise(DPS_LAW_GAUSSIAN, UINT64_C(1) << 36, UINT64_C(1) << 40, 3, 1);
	DpsPastRelease coarse = dps_past_release_noise(DPS_LAW_GAUSSIAN, 1, 40, 1, 1);
	DpsPastRelease wide = dps_past_release_noise(DPS_LAW_GAUSSIAN, 1, UINT64_C(1) << 50, UINT64_C(1) << 30, 1);
	DpsPastRelease run = dps_past_release_sampled(UINT64_C(1) << 40, UINT64_C(2) << 40, 3, 0.01, 500, 1e-7, 1);
	DpsPastRelease pair[2] = {fine, laplace(0.1)};

	ok(dps_gaussian_rule_loss(&fine) == fine.rho, "fine noise counts its rho");
	ok(dps_gaussian_rule_loss(&coarse) >= 1024 * (2 * 9.1 / 40 + 1.0 / 3200) && dps_gaussian_rule_loss(&wide) >= 0x1p-10,
	   "coarse noise what it is off from normal noise, and much of it what its integers may be far off");
	ok(dps_gaussian_rule_loss(&run) == INFINITY && dps_rho_at_order(DPS_BY_GAUSSIAN, &run, 1, 7) == DPS_AMOUNT_UNBOUNDED, "steps on samples have no bound");
	ok(dps_rho_at_order(DPS_BY_GAUSSIAN, pair, 2, 7) == dps_amount_of_loss(fine.rho + dps_pure_gaussian_rho(laplace(0.1).epsilon), DPS_LOSS_BITS),
	   "parts add up, and other noise counts by its epsilon");
}

static void
test_spent(void)
{
	DpsCost		pure = {UNIT / 20, UNIT / 500, 0};
	DpsCost		gaussian = {DPS_AMOUNT_UNBOUNDED, UNIT / 500, 0};
	DpsCost		nothing = {0, 0, 0};

	ok(dps_spent_at_order(9, &pure, 9, 5) == 5 && dps_spent_at_order(-0.1, &pure, -0.1, 5) == 5 && dps_spent_at_order(DPS_BY_GAUSSIAN, &gaussian, DPS_BY_GAUSSIAN, 5) == 5,
	   "what was counted by the same order stays");
	ok(dps_spent_at_order(9, &pure, 8, 5) == pure.rho && dps_spent_at_order(9, &pure, -0.1, 5) == pure.rho && dps_spent_at_order(0, &pure, 9, 5) == pure.rho,
	   "an order counts rho of what another one counted");
	ok(dps_spent_at_order(-0.1, &pure, 9, 5) == DPS_AMOUNT_UNBOUNDED && dps_spent_at_order(-0.01, &pure, 0, 5) == DPS_AMOUNT_UNBOUNDED &&
	   dps_spent_at_order(DPS_BY_GAUSSIAN, &pure, 9, 5) == DPS_AMOUNT_UNBOUNDED, "a rule knows nothing of the sums of others");
	ok(dps_spent_at_order(-0.1, &gaussian, 9, 5) == DPS_AMOUNT_UNBOUNDED && dps_spent_at_order(DPS_BY_GAUSSIAN, &gaussian, 9, 5) == DPS_AMOUNT_UNBOUNDED &&
	   dps_spent_at_order(-0.1, &nothing, 9, 0) == 0 && dps_spent_at_order(DPS_BY_GAUSSIAN, &nothing, 0, 0) == 0, "and of nothing that it is nothing");
}

int
main(void)
{
	test_totals();
	test_adversaries();
	test_answers();
	test_smaller();
	test_refused();
	test_pure_gaussian();
	test_gaussian_totals();
	test_gaussian_answers();
	test_coarse();
	test_spent();
	return done_testing();
}

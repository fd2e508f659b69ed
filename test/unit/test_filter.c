/*
 * test_filter.c
 *		Fixed-point amounts, the budget filter and the individual filter.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/account.h"
#include "account/filter.h"
#include "splitmix.h"
#include "tap.h"

#define UNIT 0x1p-40
#define UNBOUNDED DPS_AMOUNT_UNBOUNDED

static void
test_rounding(void)
{
	static const double losses[] = {0x1p-1074, 1e-300, 1e-17, UNIT, 0.1, 1.0 / 3, 1, 64, 8e6};
	bool		directed = true;
	bool		tight = true;

	for (int bits = DPS_LOSS_BITS; bits <= DPS_DELTA_BITS; bits += DPS_DELTA_BITS - DPS_LOSS_BITS)
		for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		{
			double		x = fmax(losses[i] * (bits == DPS_LOSS_BITS ? 1 : 0x1p-24), 0x1p-1074);
			DpsAmount	loss = dps_amount_of_loss(x, bits);
			DpsAmount	cap = dps_amount_of_cap(x, bits);

			directed = directed && loss >= 1 && dps_amount_up(loss, bits) >= x &&
				dps_amount_down(cap, bits) <= x;
			tight = tight && loss - cap <= 1 && (loss == cap) == (ldexp(x, bits) == rint(ldexp(x, bits)));
		}
	ok(directed, "losses are rounded up and caps down, and the smallest loss counts");
	ok(tight, "by less than a unit");
	ok(dps_amount_of_loss(0, 40) == 0 && dps_amount_of_loss(-0.0, 40) == 0 &&
	   dps_amount_of_cap(0, 40) == 0, "zero stays zero");
	ok(dps_amount_of_loss(NAN, 40) == UNBOUNDED && dps_amount_of_loss(-1, 40) == UNBOUNDED &&
	   dps_amount_of_loss(-0x1p-1074, 40) == UNBOUNDED && dps_amount_of_loss(INFINITY, 40) == UNBOUNDED &&
	   dps_amount_of_loss(1e300, 40) == UNBOUNDED && dps_amount_of_loss(0x1p23, 40) == UNBOUNDED &&
	   dps_amount_of_loss(2, 62) == UNBOUNDED,
	   "a loss out of range is unbounded");
	ok(dps_amount_of_cap(NAN, 40) == 0 && dps_amount_of_cap(-1, 40) == 0 &&
	   dps_amount_of_cap(-INFINITY, 40) == 0 && dps_amount_of_cap(INFINITY, 40) == DPS_AMOUNT_CAP_MAX,
	   "a cap out of range allows nothing, or all that is bounded");
	ok(dps_amount_up(INT64_MAX - 1, 0) == 0x1p63 &&
	   dps_amount_down(INT64_MAX - 1, 0) == 0x1p63 - 1024 &&
	   dps_amount_up((INT64_C(1) << 53) + 1, 0) == 0x1p53 + 2 &&
	   dps_amount_down((INT64_C(1) << 53) + 1, 0) == 0x1p53 &&
	   dps_amount_up(12345, 40) == 12345 * UNIT && dps_amount_down(12345, 40) == 12345 * UNIT,
	   "amounts of more than 53 bits become doubles in the stated direction");
	ok(dps_amount_up(UNBOUNDED, 40) == INFINITY && dps_amount_up(-1, 40) == INFINITY,
	   "no bound is Infinity");
}

static bool
has_few_digits(double shown, int digits)
{
	char		text[32];

	snprintf(text, sizeof(text), "%.*g", digits, shown);
	return strtod(text, NULL) == shown;
}

/* Amounts of all sizes, of k = 0 and up, and what is shown of them. */
static void
test_shown(void)
{
	bool		directed = true;
	bool		close = true;
	bool		few = true;
	uint64_t	state = 2026;

	for (int bits = DPS_LOSS_BITS; bits <= DPS_DELTA_BITS; bits += DPS_DELTA_BITS - DPS_LOSS_BITS)
		for (int k = 0; k < 200000; k++)
		{
			DpsAmount	amount = (DpsAmount) (splitmix64(&state) >> (1 + k % 63));
			double		up = dps_amount_shown_up(amount, bits);
			double		down = dps_amount_shown_down(amount, bits);
			double		least = fmax(1e-22, ldexp((double) amount, -bits) * 1e-8) * (1 + 1e-6);

			if (amount == UNBOUNDED)
				continue;
			directed = directed && up >= dps_amount_up(amount, bits) && down <= dps_amount_down(amount, bits) && down >= 0;
			close = close && up - down <= least;
			few = few && (up == dps_amount_up(amount, bits) || has_few_digits(up, DPS_SHOWN_DIGITS)) &&
				(down == dps_amount_down(amount, bits) || has_few_digits(down, DPS_SHOWN_DIGITS));
		}
	ok(directed, "what is shown of a loss is not less than it, and of what is left not more");
	ok(close, "by a unit of its last digit");
	ok(few, "and has nine digits at most");
	ok(dps_amount_shown_up(dps_amount_of_loss(0.0999999999994543, 40), 40) == 0.1 &&
	   dps_amount_shown_down(dps_amount_of_cap(10, 40) - 2 * dps_amount_of_loss(0.0999999999994543, 40), 40) == 9.8 &&
	   dps_amount_shown_down(dps_amount_of_cap(1e-6, 62), 62) == 9.99999999e-7 && dps_amount_shown_up(dps_amount_of_loss(1e-6, 62), 62) <= 1.00000001e-6,
	   "as people write them");
	ok(dps_amount_shown_up(0, 40) == 0 && dps_amount_shown_down(0, 62) == 0 && dps_amount_shown_up(UNBOUNDED, 40) == INFINITY &&
	   dps_amount_shown_up(-1, 40) == INFINITY && dps_amount_shown_up(1, 40) == 9.09494702e-13, "nothing, no bound, and the least");
}

static bool
is_cost(DpsCost cost, DpsAmount epsilon, DpsAmount rho, DpsAmount delta)
{
	return cost.epsilon == epsilon && cost.rho == rho && cost.delta == delta;
}

static void
test_replacement(void)
{
	DpsCost		pure = {10, 3, 0};
	DpsCost		gaussian = {UNBOUNDED, 3, 0};
	DpsCost		selection = {10, 3, 7};
	DpsCost		nothing = {0, 0, 0};
	DpsCost		large = {INT64_MAX / 2 + 1, INT64_MAX / 4 + 1, 0};

	ok(is_cost(dps_replacement_cost(&selection, DPS_REPLACEMENT_ONE, false), 10, 3, 7), "a neighbour costs what is charged");
	ok(is_cost(dps_replacement_cost(&pure, DPS_REPLACEMENT_TWO, false), 20, 12, 0) &&
	   is_cost(dps_replacement_cost(&gaussian, DPS_REPLACEMENT_TWO, false), UNBOUNDED, 12, 0),
	   "two of them twice the epsilon and four times the rho");
	ok(is_cost(dps_replacement_cost(&selection, DPS_REPLACEMENT_TWO, true), 20, 6, 14),
	   "of draws that are independent each is changed by one of the two");
	ok(is_cost(dps_replacement_cost(&selection, DPS_REPLACEMENT_TWO, false), UNBOUNDED, UNBOUNDED, UNBOUNDED) &&
	   is_cost(dps_replacement_cost(&nothing, DPS_REPLACEMENT_UNBOUNDED, true), UNBOUNDED, UNBOUNDED, UNBOUNDED),
	   "a delta that two neighbours share has no bound, nor has what no neighbours lead to");
	ok(is_cost(dps_replacement_cost(&nothing, DPS_REPLACEMENT_TWO, false), 0, 0, 0) &&
	   is_cost(dps_replacement_cost(&large, DPS_REPLACEMENT_TWO, false), UNBOUNDED, UNBOUNDED, 0),
	   "nothing stays nothing, and nothing wraps");
}

static void
test_sums(void)
{
	ok(dps_amount_add(UNBOUNDED, 0) == UNBOUNDED && dps_amount_add(UNBOUNDED, UNBOUNDED) == UNBOUNDED &&
	   dps_amount_add(INT64_MAX / 2, INT64_MAX / 2 + 2) == UNBOUNDED &&
	   dps_amount_add(-1, 5) == UNBOUNDED && dps_amount_add(5, INT64_MIN) == UNBOUNDED &&
	   dps_amount_add(3, 4) == 7, "sums stop at the bound");
	ok(dps_amount_times(3, 4) == 12 && dps_amount_times(3, 0) == 0 && dps_amount_times(0, UINT64_MAX) == 0 &&
	   dps_amount_times(2, UINT64_MAX) == UNBOUNDED && dps_amount_times(UNBOUNDED, 1) == UNBOUNDED &&
	   dps_amount_times(INT64_MAX / 3, 3) == INT64_MAX / 3 * 3 &&
	   dps_amount_times(INT64_MAX / 3, 4) == UNBOUNDED && dps_amount_times(-1, 2) == UNBOUNDED,
	   "and so do multiples");
	ok(dps_amount_fits(10, 7, 3) && !dps_amount_fits(10, 7, 4) && dps_amount_fits(0, 0, 0) &&
	   !dps_amount_fits(10, 11, 0) && !dps_amount_fits(-1, 0, 0) && !dps_amount_fits(10, -1, 0) &&
	   !dps_amount_fits(10, 0, -1) && !dps_amount_fits(10, 0, INT64_MIN) &&
	   !dps_amount_fits(DPS_AMOUNT_CAP_MAX, UNBOUNDED, 0) &&
	   !dps_amount_fits(DPS_AMOUNT_CAP_MAX, 0, UNBOUNDED) && !dps_amount_fits(UNBOUNDED, 0, 0),
	   "what is not an amount, or has no bound, fits nowhere");
	ok(dps_amount_left(10, 1, 4) == 2 && dps_amount_left(10, 10, 1) == 0 &&
	   dps_amount_left(10, 10, 0) == UINT64_MAX && dps_amount_left(10, 11, 0) == 0,
	   "how many more");
}

/* The condition and the new sums as the header writes them for SQL, with its
 * bigint arithmetic: an overflow would be an error. */
static bool
sql_condition(const DpsBudget *cap, const DpsCost *spent, const DpsCost *cost, bool *overflow)
{
	int64_t		epsilon;
	int64_t		rho;
	int64_t		delta;

	*overflow = __builtin_sub_overflow(cap->epsilon, spent->epsilon, &epsilon);
	*overflow |= __builtin_sub_overflow(cap->rho, spent->rho, &rho);
	*overflow |= __builtin_sub_overflow(cap->delta, spent->delta, &delta);
	return cost->rho < INT64_MAX && ((cost->epsilon <= epsilon && spent->delta == 0 && cost->delta == 0) ||
									 (cost->rho <= rho && cost->delta <= delta));
}

static int64_t
sql_sum(int64_t spent, int64_t cost, bool *overflow)
{
	int64_t		room;
	int64_t		sum;

	*overflow |= __builtin_sub_overflow(INT64_MAX, cost, &room);
	*overflow |= __builtin_add_overflow(spent < room ? spent : room, cost, &sum);
	return sum;
}

static DpsAmount
some_amount(uint64_t *seed, bool cap)
{
	static const DpsAmount edges[] = {0, 0, 1, 2, 3, 5, 7, 1000, INT64_MAX / 2, INT64_MAX - 2,
	INT64_MAX - 1, INT64_MAX};
	DpsAmount	amount;

	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	amount = edges[(*seed >> 40) % 12];
	return cap && amount > DPS_AMOUNT_CAP_MAX ? DPS_AMOUNT_CAP_MAX : amount;
}

static void
test_agreement(void)
{
	uint64_t	seed = 1;
	bool		agree = true;
	bool		exact = true;
	bool		overflow = false;
	int			admitted = 0;

	diag("seed 1");
	for (int i = 0; i < 200000; i++)
	{
		DpsBudget	cap = {some_amount(&seed, true), some_amount(&seed, true), some_amount(&seed, true), 0};
		DpsCost		spent = {some_amount(&seed, false), some_amount(&seed, false), some_amount(&seed, false)};
		DpsCost		cost = {some_amount(&seed, false), some_amount(&seed, false), some_amount(&seed, false)};
		DpsCost		after = spent;
		uint64_t	left = dps_filter_left(&cap, &spent, &cost);
		bool		failed;

		agree = agree && sql_condition(&cap, &spent, &cost, &failed) ==
			dps_filter_admits(&cap, &spent, &cost);
		overflow = overflow || failed;
		dps_filter_charge(&after, &cost);
		agree = agree && after.epsilon == sql_sum(spent.epsilon, cost.epsilon, &overflow) &&
			after.rho == sql_sum(spent.rho, cost.rho, &overflow) &&
			after.delta == sql_sum(spent.delta, cost.delta, &overflow);
		/* one by one */
		for (uint64_t n = 0; n < 1100 && n <= left; n++)
		{
			bool		admits = dps_filter_admits(&cap, &spent, &cost);

			exact = exact && admits == (n < left);
			admitted += admits;
			dps_filter_charge(&spent, &cost);
		}
	}
	ok(agree, "the SQL condition and sums are the filter's");
	ok(!overflow, "and never overflow");
	ok(exact && admitted > 1000, "the number of releases left is the number admitted one by one");
}

/* What is left, as it is shown: it can be had, and is within a hundredth of a percent of it. */
static void
test_shares(void)
{
	uint64_t	seed = 2;
	bool		admitted = true;
	bool		whole = true;
	bool		falls = true;
	bool		times = true;
	DpsBudget	budget = {1000, 3000, 500, 0};

	diag("seed 2");
	for (int i = 0; i < 200000; i++)
	{
		DpsBudget	cap = {some_amount(&seed, true), some_amount(&seed, true), some_amount(&seed, true), 0};
		DpsCost		nothing = {0, 0, 0};
		DpsCost		spent = {some_amount(&seed, false), some_amount(&seed, false), some_amount(&seed, false)};
		DpsCost		cost = {some_amount(&seed, false), some_amount(&seed, false), some_amount(&seed, false)};
		int			share = dps_filter_share_left(&cap, &spent);
		DpsCost		part = {(DpsAmount) ((__int128) cap.epsilon * share / DPS_WHOLE_BUDGET),
		(DpsAmount) ((__int128) cap.rho * share / DPS_WHOLE_BUDGET), 0};
		double		most = (double) dps_filter_left(&cap, &spent, &cost);
		double		left = dps_filter_times_left(&cap, &spent, &cost);

		admitted = admitted && share >= 0 && share <= DPS_WHOLE_BUDGET && (share == 0 || dps_filter_admits(&cap, &spent, &part));
		whole = whole && dps_filter_share_left(&cap, &nothing) == (cap.epsilon > 0 || cap.rho > 0 ? DPS_WHOLE_BUDGET : 0);
		times = times && (isinf(left) ? most == 0x1p64 : left >= most * (1 - 1e-14) && left < (most + 1) * (1 + 1e-14));
		dps_filter_charge(&spent, &cost);
		falls = falls && dps_filter_share_left(&cap, &spent) <= share;
	}
	ok(admitted, "a release that costs the share that is left is admitted");
	ok(whole, "before anything was spent all is left");
	ok(falls, "and never more than before");
	ok(times, "parts of releases are within one of the number that is admitted");
	ok(dps_filter_share_left(&budget, &(DpsCost) {333, 1500, 0}) == 6670, "of pure releases it is that of epsilon");
	ok(dps_filter_share_left(&budget, &(DpsCost) {UNBOUNDED, 1, 0}) == 9996, "of others that of rho, rounded down");
	ok(dps_filter_share_left(&budget, &(DpsCost) {1, 1, 400}) == 2000, "or of delta, once one was spent");
	ok(dps_filter_share_left(&budget, &(DpsCost) {1, 1, 500}) == 0 && dps_filter_share_left(&budget, &(DpsCost) {1000, 3001, 0}) == 0, "nothing is left of none");
	budget.delta = 0;
	ok(dps_filter_share_left(&budget, &(DpsCost) {900, 300, 0}) == 9000, "where there is no delta it does not count");
	ok(dps_filter_times_left(&budget, &(DpsCost) {900, 300, 0}, &(DpsCost) {200, 400, 0}) == 6.75, "so many times a cost");
	ok(dps_filter_times_left(&budget, &(DpsCost) {900, 300, 0}, &(DpsCost) {UNBOUNDED, UNBOUNDED, 0}) == 0, "of one without bound none");
}

static void
test_budget(void)
{
	DpsBudget	budget;
	DpsCost		spent = {0, 0, 0};
	DpsCost		laplace = dps_cost(0.1, dps_pure_rho(0.1), 0);
	DpsCost		gaussian = dps_cost(INFINITY, 1e-4, 0);
	DpsCost		selection = dps_cost(0.1, 0.005, 1e-8);
	double		rho;
	bool		in_order = true;

	ok(dps_budget_epsilon(1, 0, 0.5, &budget) == DPS_OK && budget.epsilon == INT64_C(1) << 40 &&
	   budget.rho == 0 && budget.delta == 0, "a pure budget");
	/* 0.1 in units of 2^-40 has a fraction: ten times rounded up is over 1 */
	ok(dps_filter_left(&budget, &spent, &laplace) == 9, "0.1 rounded up fits nine times");
	laplace = dps_cost(floor(0.1 * 0x1p40) * UNIT, 1, 0);
	ok(dps_filter_left(&budget, &spent, &laplace) == 10,
	   "the epsilon that noise is calibrated to, 0.1 rounded down, fits ten times");
	ok(dps_filter_left(&budget, &spent, &gaussian) == 0 && dps_filter_left(&budget, &spent, &selection) == 0,
	   "a pure budget admits pure releases only");

	ok(dps_budget_epsilon(1, 1e-6, 0.5, &budget) == DPS_OK && dps_zcdp_rho(1, 5e-7, &rho) == DPS_OK &&
	   budget.rho == dps_amount_of_cap(rho, 40) && budget.delta == dps_amount_of_cap(5e-7, 62),
	   "half of delta is for the conversion");
	laplace = dps_cost(0.1, dps_pure_rho(0.1), 0);
	ok(dps_filter_left(&budget, &spent, &laplace) == 9 &&
	   dps_filter_left(&budget, &spent, &gaussian) == (uint64_t) (rho / 1e-4) &&
	   dps_filter_left(&budget, &spent, &selection) == 4, "and what fits");
	for (int i = 0; i < 5; i++)
	{
		in_order = in_order && dps_filter_admits(&budget, &spent, &laplace);
		dps_filter_charge(&spent, &laplace);
	}
	ok(in_order && spent.rho > budget.rho && dps_filter_left(&budget, &spent, &laplace) == 4 &&
	   !dps_filter_admits(&budget, &spent, &gaussian),
	   "pure releases go on when rho is used up");
	dps_filter_charge(&spent, &gaussian);
	ok(spent.epsilon == UNBOUNDED, "a release without pure epsilon ends the pure rule for good");
	spent.epsilon = spent.rho = 0;
	spent.delta = 1;
	laplace = dps_cost(0.9, 0.405, 0);
	ok(!dps_filter_admits(&budget, &spent, &laplace), "as does any delta");

	ok(dps_budget_rho(0.5, 0, &budget) == DPS_OK && budget.epsilon == 0 &&
	   budget.rho == INT64_C(1) << 39 && budget.delta == 0, "a zCDP budget");
	spent.delta = 0;
	ok(dps_filter_left(&budget, &spent, &gaussian) == 4999 && !dps_filter_left(&budget, &spent, &selection),
	   "which has no delta to give");
	ok(dps_budget_epsilon(1, 1e-6, 1, &budget) == DPS_OK && budget.rho == 0 &&
	   dps_budget_epsilon(1, 1e-6, 0, &budget) == DPS_OK && budget.delta == 0 && budget.rho > 0,
	   "delta may go to either side");
	ok(dps_budget_epsilon(1, 0x1p-63, 0.5, &budget) == DPS_OK && budget.rho == 0 && budget.delta == 0,
	   "a delta below a unit is none");
}

static void
test_refused_budgets(void)
{
	static const double bad[] = {NAN, -1, -0x1p-1074, INFINITY, -INFINITY};
	DpsBudget	budget = {-7, -7, -7, -7};
	bool		refused = true;

	for (int i = 0; i < 5; i++)
		refused = refused && dps_budget_epsilon(bad[i], 1e-6, 0.5, &budget) == DPS_DOMAIN &&
			dps_budget_epsilon(1, bad[i], 0.5, &budget) == DPS_DOMAIN &&
			dps_budget_epsilon(1, 1e-6, bad[i], &budget) == DPS_DOMAIN &&
			dps_budget_rho(bad[i], 0, &budget) == DPS_DOMAIN &&
			dps_budget_rho(1, bad[i], &budget) == DPS_DOMAIN;
	refused = refused && dps_budget_epsilon(1, 1, 0.5, &budget) == DPS_DOMAIN &&
		dps_budget_epsilon(1, 1e-6, 1.5, &budget) == DPS_DOMAIN && dps_budget_rho(1, 1, &budget) == DPS_DOMAIN;
	ok(refused && budget.epsilon == -7 && budget.rho == -7 && budget.delta == -7,
	   "budgets out of range are refused and nothing is set");
}

/* A traced run: rows (a, b), Renyi losses 8 f^2 / 2 sigma^2, budget 3. */
#define TRACE_ROWS 5
#define TRACE_ORDER 8

typedef struct TraceStep
{
	double		sigma;
	double		value[TRACE_ROWS];	/* f of each row */
	bool		active[TRACE_ROWS];
	double		spent[TRACE_ROWS];	/* afterwards */
} TraceStep;

static const TraceStep trace[] = {
	{4, {1, 2, 0, 4, -1}, {1, 1, 1, 0, 1}, {0.25, 1, 0, 0, 0.25}},
	{2, {0.5, 0.25, 3, 1, 2}, {1, 1, 0, 1, 0}, {0.5, 1.0625, 0, 1, 0.25}},
	{3, {0.5, 0.5, 0, 4, -2}, {1, 1, 1, 0, 1},
	{0.6111111111111112, 1.1736111111111112, 0, 1, 2.0277777777777777}},
	{2, {1, 2, 0, 4, -1}, {1, 0, 1, 0, 0},
	{1.6111111111111112, 1.1736111111111112, 0, 1, 2.0277777777777777}},
	{5, {1, 4, 0, 16, 1}, {1, 0, 1, 0, 1},
	{1.771111111111111, 1.1736111111111112, 0, 1, 2.187777777777778}},
	{1, {0.5, 0.25, 3, 1, 2}, {1, 1, 0, 0, 0},
	{2.7711111111111113, 1.4236111111111112, 0, 1, 2.187777777777778}},
	{4, {1.5, 2.25, 3, 5, 1}, {0, 1, 1, 0, 1},
	{2.7711111111111113, 2.689236111111111, 2.25, 1, 2.437777777777778}},
	{8, {0.5, 0.25, 3, 1, 2}, {1, 1, 1, 1, 1},
	{2.7867361111111113, 2.693142361111111, 2.8125, 1.0625, 2.687777777777778}},
};

static void
test_individual(void)
{
	DpsAmount	cap = dps_amount_of_cap(3, DPS_LOSS_BITS);
	DpsAmount	spent[TRACE_ROWS] = {0};
	DpsAmount	sticky[TRACE_ROWS] = {0};
	bool		dropped[TRACE_ROWS] = {0};

	for (size_t step = 0; step < sizeof(trace) / sizeof(trace[0]); step++)
	{
		const TraceStep *t = &trace[step];
		bool		same = true;
		bool		close = true;
		bool		for_good = true;

		for (int row = 0; row < TRACE_ROWS; row++)
		{
			double		loss = dps_rdp_gaussian(TRACE_ORDER, (uint64_t) ldexp(t->sigma, 40),
												(uint64_t) ldexp(fabs(t->value[row]), 40));
			DpsAmount	amount = dps_amount_of_loss(loss, DPS_LOSS_BITS);
			bool		active = dps_filter_include(cap, false, amount, &spent[row]);
			bool		still = dps_filter_include(cap, true, amount, &sticky[row]);
			double		sum = ldexp((double) spent[row], -DPS_LOSS_BITS);

			same = same && active == t->active[row];
			close = close && sum >= t->spent[row] - 1e-15 && sum <= t->spent[row] + 20 * UNIT;
			for_good = for_good && !(still && dropped[row]);
			dropped[row] = dropped[row] || !still;
		}
		ok(same && close, "traced run of the individual filter, query %d", (int) step + 1);
		ok(for_good, "and what is dropped for good stays out");
	}
	ok(dropped[0] && dropped[1] && dropped[2] && dropped[3] && dropped[4],
	   "every unit of this run is dropped at some time");
	spent[0] = cap;
	ok(dps_filter_include(cap, false, 0, &spent[0]) && !dps_filter_include(cap, false, 1, &spent[0]) &&
	   spent[0] == cap && !dps_filter_include(cap, false, UNBOUNDED, &spent[0]) &&
	   !dps_filter_include(cap, false, -5, &spent[0]) && spent[0] == cap,
	   "a unit at its cap takes part in what costs it nothing");
}

static void
test_arms(void)
{
	DpsCost		pure = {10, 3, 0};
	DpsCost		gaussian = {UNBOUNDED, 3, 0};
	DpsCost		selection = {dps_amount_of_loss(1, DPS_LOSS_BITS), 5, dps_amount_of_loss(1e-6, DPS_DELTA_BITS)};
	DpsCost		sampled = {UNBOUNDED, 3, 7};
	DpsCost		nothing = {0, 0, 0};
	DpsCost		large = {INT64_MAX / 3 + 1, INT64_MAX / 9 + 1, 0};
	DpsCost		three = dps_arms_cost(&selection, 3);
	double		delta = ldexp((double) three.delta, -DPS_DELTA_BITS);

	ok(is_cost(dps_arms_cost(&selection, 1), selection.epsilon, 5, selection.delta) && is_cost(dps_arms_cost(&sampled, 1), UNBOUNDED, 3, 7),
	   "one arm costs what is charged");
	ok(is_cost(dps_arms_cost(&pure, 3), 30, 27, 0) && is_cost(dps_arms_cost(&gaussian, 3), UNBOUNDED, 27, 0),
	   "three arms three times the epsilon and nine times the rho");
	ok(three.epsilon == 3 * selection.epsilon && three.rho == dps_amount_of_loss(dps_pure_rho(3), DPS_LOSS_BITS) &&
	   delta >= 3e-6 * exp(2) && delta <= 3e-6 * exp(2) * (1 + 1e-9),
	   "with a delta that of a group of three, and the rho of a pure epsilon");
	ok(is_cost(dps_arms_cost(&sampled, 2), UNBOUNDED, UNBOUNDED, UNBOUNDED) && is_cost(dps_arms_cost(&pure, 0), UNBOUNDED, UNBOUNDED, UNBOUNDED) &&
	   is_cost(dps_arms_cost(&pure, UINT64_MAX), UNBOUNDED, UNBOUNDED, UNBOUNDED),
	   "a delta without a pure epsilon has no bound, nor have arms that are unknown");
	ok(is_cost(dps_arms_cost(&nothing, 5), 0, 0, 0) && is_cost(dps_arms_cost(&large, 3), UNBOUNDED, UNBOUNDED, 0),
	   "nothing stays nothing, and nothing wraps");
	selection.epsilon = dps_amount_of_loss(1000, DPS_LOSS_BITS);
	ok(dps_arms_cost(&selection, 2).delta == UNBOUNDED, "a delta beyond all bounds is none");
}

int
main(void)
{
	test_rounding();
	test_shown();
	test_replacement();
	test_arms();
	test_sums();
	test_agreement();
	test_shares();
	test_budget();
	test_refused_budgets();
	test_individual();
	return done_testing();
}

/*
 * test_shares.c
 *		Factors of epsilon by weights: in proportion, and together no dearer than without, of epsilon and of rho.
 *
 * Files: account/shares.c.
 *
 * Random weights, the same in every run.  Without chance.  Sums are of long doubles.
 */
#include <float.h>
#include <math.h>

#include "account/shares.h"
#include "splitmix.h"
#include "tap.h"

static uint64_t state = 20261129;

static double
weight_between(double least, double greatest)
{
	double		at = (double) (splitmix64(&state) >> 11) * 0x1p-53;

	return fmin(greatest, fmax(least, exp(log(least) + at * log(greatest / least))));
}

/* Harrison and Manurangsi's rho of Laplace noise. */
static long double
laplace_rho(long double epsilon)
{
	return epsilon + expm1l(-epsilon);
}

static bool
are_together_no_dearer(const DpsShares *shares)
{
	static const double epsilons[] = {0x1p-20, 0.1, 1, 8};
	long double sum = 0;
	long double squares = 0;

	for (int i = 0; i < shares->n; i++)
	{
		sum += shares->factor[i];
		squares += (long double) shares->factor[i] * shares->factor[i];
	}
	for (size_t k = 0; k < sizeof(epsilons) / sizeof(*epsilons); k++)
	{
		long double rho = 0;

		for (int i = 0; i < shares->n; i++)
			rho += laplace_rho(epsilons[k] * (long double) shares->factor[i]);
		/* the terms of the sum are rounded, which equal weights show */
		if (rho > shares->n * laplace_rho(epsilons[k]) * (1 + 0x1p-40L))
			return false;
	}
	return sum <= shares->n && squares <= shares->n;
}

static bool
are_in_proportion(const DpsShares *shares, const double *weights)
{
	for (int i = 0; i < shares->n; i++)
	{
		if (fabs(shares->factor[i] * weights[0] / (shares->factor[0] * weights[i]) - 1) > 8 * DBL_EPSILON)
			return false;
	}
	return true;
}

static void
test_random_weights(void)
{
	int			dearer = 0;
	int			disproportionate = 0;
	int			idle = 0;

	for (int i = 0; i < 20000; i++)
	{
		double		weights[DPS_MAX_SHARES];
		int			n = 1 + (int) (splitmix64(&state) % DPS_MAX_SHARES);
		double		greatest = i % 3 == 0 ? 1 + 1e-12 : i % 3 == 1 ? 10 : DPS_GREATEST_WEIGHT;
		long double squares = 0;
		DpsShares	shares;

		for (int k = 0; k < n; k++)
			weights[k] = weight_between(i % 3 == 2 ? DPS_LEAST_WEIGHT : 1, greatest);
		if (!dps_share_by_weights(n, weights, &shares) || shares.n != n)
			disproportionate++;
		dearer += !are_together_no_dearer(&shares);
		disproportionate += !are_in_proportion(&shares, weights);
		for (int k = 0; k < n; k++)
			squares += (long double) shares.factor[k] * shares.factor[k];
		idle += squares < n * (1 - 1e-13L);
	}
	ok(dearer == 0, "20,000 lists of weights cost together no more than even ones");
	ok(disproportionate == 0, "and are shares in proportion");
	ok(idle == 0, "and use up what there is");
}

static void
test_examples(void)
{
	DpsShares	shares;

	ok(dps_share_by_weights(2, (double[]) {3, 1}, &shares) && fabs(shares.factor[0] - 3 / sqrt(5)) < 1e-14 && fabs(shares.factor[1] - 1 / sqrt(5)) < 1e-14,
	   "3 and 1 are 1.34 and 0.45 times epsilon");
	ok(dps_share_by_weights(3, (double[]) {7, 7, 7}, &shares) && shares.factor[0] == 1 && shares.factor[2] == 1, "equal weights change nothing");
	ok(dps_share_by_weights(1, (double[]) {0.3}, &shares) && shares.factor[0] == 1, "nor does a single one");
}

static void
test_refusals(void)
{
	const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, 2e6, 5e-7, DBL_MAX, 0x1p-1074};
	double		many[DPS_MAX_SHARES + 1];
	DpsShares	shares;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!dps_share_by_weights(2, (double[]) {1, bad[i]}, &shares) && shares.n == 0, "%g is no weight", bad[i]);
	for (int i = 0; i <= DPS_MAX_SHARES; i++)
		many[i] = 1;
	ok(!dps_share_by_weights(0, many, &shares) && !dps_share_by_weights(-1, many, &shares), "no weights are none");
	ok(!dps_share_by_weights(DPS_MAX_SHARES + 1, many, &shares) && dps_share_by_weights(DPS_MAX_SHARES, many, &shares), "more than %d are too many", DPS_MAX_SHARES);
}

int
main(void)
{
	test_random_weights();
	test_examples();
	test_refusals();
	return done_testing();
}

/*
 * test_subsampled.c
 *		Renyi losses of Gaussian noise on a Poisson sample.
 */
#include <math.h>

#include "account/account.h"
#include "tap.h"

/* 50-digit arithmetic: rate, deviation at sensitivity 1, order, divergence. */
static const double facts[][4] = {
	{0.001, 1, 2, 1.7182803522145152983e-6},
	{0.001, 1, 3, 2.5843814093686965777e-6},
	{0.001, 1, 4, 3.4552321362752118401e-6},
	{0.001, 1, 8, 6.9879416490941468168e-6},
	{0.001, 1, 16, 0.63206000792593389046},
	{0.001, 1, 32, 8.8694139056023259812},
	{0.001, 1, 64, 24.982597811827670296},
	{0.01, 0.7, 2, 0.00066946483943593614507},
	{0.01, 0.7, 3, 0.0012204873417287714805},
	{0.01, 0.7, 4, 0.0025962170548627755093},
	{0.01, 0.7, 8, 2.9002844665270974581},
	{0.01, 0.7, 16, 11.41434908052962433},
	{0.01, 0.7, 32, 27.899337161534346764},
	{0.01, 0.7, 64, 60.627854323531372034},
	{0.1, 4, 2, 0.00064473670179613158808},
	{0.1, 4, 3, 0.00097284328193684057111},
	{0.1, 4, 4, 0.0013048954499243119301},
	{0.1, 4, 8, 0.0026744986198032990859},
	{0.1, 4, 16, 0.0056355180581253505693},
	{0.1, 4, 32, 0.012720223446929744798},
	{0.1, 4, 64, 0.037999885906183041937},
	{1, 3, 2, 0.11111111111111111111},
	{1, 3, 3, 0.16666666666666666667},
	{1, 3, 4, 0.22222222222222222222},
	{1, 3, 8, 0.44444444444444444444},
	{1, 3, 16, 0.88888888888888888889},
	{1, 3, 32, 1.7777777777777777778},
	{1, 3, 64, 3.5555555555555555556},
};

/* Rate, deviation, steps, delta, epsilon at the best whole order up to 256. */
static const double epsilon_facts[][5] = {
	{0.01, 1, 1000, 1e-5, 2.10775307545156529},
	{0.001, 0.7, 10000, 1e-6, 2.49505570453543095},
};

#define GRID 40

static uint64_t
on_grid(double x)
{
	return (uint64_t) llrint(ldexp(x, GRID));
}

static void
test_facts(void)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		const double *fact = facts[i];
		double		loss = dps_rdp_subsampled((unsigned) fact[2], fact[0], on_grid(fact[1]), on_grid(1));

		/* a deviation of 0.7 is off the grid by 2^-41, and so is 0.001 as a double */
		if (!ok(fabs(loss / fact[3] - 1) < 3e-11, "rate %g, deviation %g, order %g",
				fact[0], fact[1], fact[2]))
			diag("got %.17g, exact %.17g", loss, fact[3]);
	}
	for (int i = 0; i < 2; i++)
	{
		const double *fact = epsilon_facts[i];
		double		epsilon = -1;

		ok(dps_subsampled_epsilon(fact[0], on_grid(fact[1]), on_grid(1), (uint64_t) fact[2], fact[3],
								  &epsilon) == DPS_OK && fabs(epsilon / fact[4] - 1) < 1e-10,
		   "epsilon of %g steps", fact[2]);
	}
}

/* The divergence itself, summed over the outcomes of the discrete Gaussian. */
static double
summed(unsigned order, double rate, long n, long shift)
{
	long double total = 0;
	long double sum = 0;

	for (long k = -40 * n - (long) order * shift; k <= 40 * n + (long) order * shift; k++)
	{
		long double scaled = (long double) k / n;
		long double moved = (long double) (k - shift) / n;
		long double p = expl(-0.5L * scaled * scaled);
		long double ratio = expl(0.5L * (scaled * scaled - moved * moved));

		total += p;
		sum += p * powl(1 - (long double) rate + (long double) rate * ratio, order);
	}
	return (double) (logl(sum / total) / (order - 1));
}

static void
test_sums(void)
{
	bool		above = true;
	bool		tight = true;
	bool		rising = true;

	for (unsigned order = 2; order <= 12; order += 5)
		for (long n = 1; n <= 16; n *= 4)
			for (double rate = 0x1p-12; rate < 1; rate *= 8)
				for (long shift = 1; shift <= 2 * n && shift < 9; shift += 3)
				{
					double		loss = dps_rdp_subsampled(order, rate, (uint64_t) n, (uint64_t) shift);
					double		exact = summed(order, rate, n, shift);

					/* long double loses 1e-18 of a logarithm near 0 */
					above = above && loss >= exact * (1 - 1e-13) - 1e-17;
					tight = tight && loss <= exact * (1 + 1e-10) + 1e-17;
					rising = rising && loss <= dps_rdp_subsampled(order, rate, (uint64_t) n, (uint64_t) shift + 1) &&
						loss <= dps_rdp_subsampled(order + 1, rate, (uint64_t) n, (uint64_t) shift) * (1 + 1e-12) &&
						loss <= dps_rdp_subsampled(order, rate * 1.5, (uint64_t) n, (uint64_t) shift) &&
						loss <= dps_rdp_gaussian(order, (uint64_t) n, (uint64_t) shift);
				}
	ok(above, "never below the sum over outcomes");
	ok(tight, "nor much above");
	ok(rising, "rises with shift, order and rate, and is at most the loss without sampling");
}

static void
test_limits(void)
{
	double		epsilon = -7;
	bool		refused = true;
	static const double bad[] = {NAN, -0.1, 1.1, INFINITY, -INFINITY};

	for (int i = 0; i < 5; i++)
		refused = refused && dps_rdp_subsampled(2, bad[i], 1, 1) == INFINITY &&
			dps_subsampled_epsilon(bad[i], 1, 1, 1, 1e-6, &epsilon) == DPS_DOMAIN &&
			dps_subsampled_epsilon(0.1, 1, 1, 1, bad[i], &epsilon) == DPS_DOMAIN;
	refused = refused && dps_rdp_subsampled(1, 0.1, 1, 1) == INFINITY &&
		dps_rdp_subsampled(0, 0.1, 1, 1) == INFINITY && dps_rdp_subsampled(2, 0.1, 0, 1) == INFINITY &&
		dps_rdp_subsampled(DPS_SUBSAMPLED_ORDER_MAX + 1, 0.1, 1, 1) == INFINITY &&
		dps_subsampled_epsilon(0.1, 0, 1, 1, 1e-6, &epsilon) == DPS_DOMAIN &&
		dps_subsampled_epsilon(0.1, 1, 1, 1, 0, &epsilon) == DPS_DOMAIN;
	ok(refused && epsilon == -7, "arguments out of range cost everything or are refused");
	ok(dps_rdp_subsampled(2, 0, 1, 1) == 0 && dps_rdp_subsampled(2, 0.5, 1, 0) == 0, "no loss at all");
	ok(dps_rdp_subsampled(256, 0x1p-1074, 1, UINT64_MAX) > 1e38 &&
	   dps_rdp_subsampled(256, 1 - 0x1p-53, 1, 1000) > 1e8 &&
	   dps_rdp_subsampled(2, 0x1p-1074, UINT64_MAX, 1) >= 0, "extremes stay losses");
	ok(dps_subsampled_epsilon(0.5, 1, UINT64_MAX, UINT64_MAX, 1e-6, &epsilon) != DPS_OK || epsilon > 1e50,
	   "an overflow is not a small loss");
}

int
main(void)
{
	test_facts();
	test_sums();
	test_limits();
	return done_testing();
}

/*
 * test_loss_sampled.c
 *		The privacy loss of noise on samples beside exact deltas of one step, of the discrete law
 *		too, and beside convolutions in plain doubles.
 */
#include <math.h>
#include <stdlib.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/accountant/loss_curve.h"
#include "account/accountant/loss_place.h"
#include "account/history.h"
#include "tap.h"

#define SCALE (UINT64_C(1) << 40)

static DpsPastRelease
run_of(double rate, double mu, uint64_t steps)
{
	DpsPastRelease run = dps_past_release_sampled((uint64_t) ldexp(mu, 40), SCALE, 1, rate, steps, 1e-9, 1);

	return run;
}

static double
delta_of(const DpsPastRelease *releases, size_t n, double epsilon)
{
	DpsHistory	history = {releases, n};
	double		delta = NAN;

	return dps_pld_delta(&tap_host, &history, epsilon, &delta) == DPS_OK ? delta : (double) NAN;
}

static double
epsilon_of(const DpsPastRelease *releases, size_t n, double delta)
{
	DpsHistory	history = {releases, n};
	double		epsilon = NAN;

	return dps_accountant_pld(&tap_host, &history, delta, &epsilon) == DPS_OK ? epsilon : (double) NAN;
}

static double
renyi_of(const DpsPastRelease *release, double delta)
{
	DpsHistory	history = {release, 1};
	double		epsilon = NAN;

	return dps_accountant_rdp(&tap_host, &history, delta, &epsilon) == DPS_OK ? epsilon : (double) NAN;
}

/* --- one step --- */

static long double
above(long double z)
{
	return erfcl(z / sqrtl(2)) / 2;
}

static double
exact_removed(double q, double mu, double epsilon)
{
	long double part = (expl(epsilon) - (1 - (long double) q)) / q;
	long double z = (logl(part) + (long double) mu * mu / 2) / mu;

	return (double) ((1 - (long double) q) * above(z) + q * above(z - mu) - expl(epsilon) * above(z));
}

static double
exact_added(double q, double mu, double epsilon)
{
	long double part = (expl(-(long double) epsilon) - (1 - (long double) q)) / q;
	long double z;

	if (!(part > 0))
		return 0;
	z = (logl(part) + (long double) mu * mu / 2) / mu;
	return (double) (above(-z) - expl(epsilon) * ((1 - (long double) q) * above(-z) + q * above(mu - z)));
}

/* The bound in one direction. */
static double
bound_of(DpsLossLaw direction, double q, double mu, double epsilon)
{
	DpsLossPart part = {direction, 1, 0, 0, 1, mu, q};
	DpsLossParts parts = {&part, 1, 0};
	DpsArena   *arena;
	double		delta = NAN;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		return NAN;
	if (dps_loss_curve_delta(arena, &parts, epsilon, &delta) != DPS_OK)
		delta = NAN;
	dps_arena_clear(arena);
	return delta;
}

static void
test_one_step(void)
{
	static const double rates[] = {1e-4, 0.01, 0.3, 0.9, 0.999999};
	static const double mus[] = {0.05, 0.5, 1, 3};
	double		least = INFINITY;
	double		most = 0;
	int			n[2] = {0, 0};

	for (int i = 0; i < 20; i++)
		for (int added = 0; added < 2; added++)
			for (double epsilon = 0.01; epsilon < 8; epsilon *= 5)
			{
				double		q = rates[i / 4];
				double		mu = mus[i % 4];
				double		exact = added ? exact_added(q, mu, epsilon) : exact_removed(q, mu, epsilon);
				double		ratio;

				if (exact < 1e-9)
					continue;
				ratio = bound_of(added ? DPS_LOSS_ADDED : DPS_LOSS_REMOVED, q, mu, epsilon) / exact;
				n[added]++;
				least = fmin(least, ratio);
				most = fmax(most, ratio);
			}
	diag("one step: %d and %d cases, delta over the exact one from %.9f to %.6f", n[0], n[1], least, most);
	ok(n[0] > 40 && n[1] > 20 && least >= 1 - 1e-9 && most < 1.01, "one step has the exact delta in each direction, from above");
}

/* delta of one step of the discrete law by summation, in one of both directions. */
static double
discrete_step(long n, long d, double q, double epsilon, bool removed)
{
	long double total = 0;
	long double sum = 0;

	for (long k = -14 * n; k <= 14 * n + d; k++)
	{
		long double without = expl(-0.5L * ((long double) k / n) * ((long double) k / n));
		long double with = (1 - (long double) q) * without + q * expl(-0.5L * ((long double) (k - d) / n) * ((long double) (k - d) / n));
		long double excess = removed ? with - expl(epsilon) * without : without - expl(epsilon) * with;

		total += without;
		sum += excess > 0 ? excess : 0;
	}
	return (double) (sum / total);
}

static void
test_discrete(void)
{
	bool		holds = true;
	double		most = 0;

	for (long n = 64; n <= 4096; n *= 64)
		for (long d = 1; d <= 4 * n; d = 16 * d + 3)
			for (double q = 0.01; q < 1; q *= 36)
				for (double epsilon = 0.02; epsilon < 5; epsilon *= 9)
				{
					DpsPastRelease step = dps_past_release_sampled((uint64_t) d, (uint64_t) n, 1, q, 1, 1e-9, 1);
					double		bound = delta_of(&step, 1, epsilon);
					double		exact = fmax(discrete_step(n, d, q, epsilon, true), discrete_step(n, d, q, epsilon, false));

					/* at other shifts it is no larger */
					holds = holds && bound >= exact * (1 - 1e-9) && bound >= discrete_step(n, d / 2, q, epsilon, true) * (1 - 1e-9);
					if (n == 4096 && d > n / 8 && exact > 1e-6)
						most = fmax(most, bound / exact);
				}
	diag("discrete law at scale 4096: at most %.3f of the exact delta", most);
	ok(holds, "the discrete law has no larger delta in either direction");
	ok(most > 1 && most < 1.001, "nor a much smaller one");
}

/* --- many steps --- */

#define POINTS 4096

/* The loss of `steps` steps on a grid from -range to range, by nearest points. */
static double
convolved(double q, double mu, int doublings, double range, double epsilon, bool removed)
{
	double	   *masses = calloc(POINTS, sizeof(double));
	double	   *next = calloc(POINTS, sizeof(double));
	double		step = 2 * range / POINTS;
	double		dz = 1e-3;
	double		delta = 0;

	for (double z = -10; z < 10 + mu; z += dz)
	{
		double		without = exp(-0.5 * z * z) / sqrt(2 * M_PI) * dz;
		double		with = (1 - q) * without + q * exp(-0.5 * (z - mu) * (z - mu)) / sqrt(2 * M_PI) * dz;
		double		loss = removed ? log(with / without) : log(without / with);
		double		place = loss / step + POINTS / 2;
		int			i = (int) floor(place);
		double		mass = removed ? with : without;

		if (i < 0 || i + 1 >= POINTS)
			continue;
		masses[i] += mass * (1 - (place - i));
		masses[i + 1] += mass * (place - i);
	}
	for (int round = 0; round < doublings; round++)
	{
		double	   *swap = masses;

		for (int k = 0; k < POINTS; k++)
			next[k] = 0;
		for (int i = 0; i < POINTS; i++)
			for (int j = 0; masses[i] > 1e-16 && j < POINTS; j++)
			{
				int			k = i + j - POINTS / 2;

				if (k >= 0 && k < POINTS)
					next[k] += masses[i] * masses[j];
			}
		masses = next;
		next = swap;
	}
	for (int i = 0; i < POINTS; i++)
	{
		double		loss = (i - POINTS / 2) * step;

		if (loss > epsilon)
			delta += masses[i] * -expm1(epsilon - loss);
	}
	free(masses);
	free(next);
	return delta;
}

static void
test_many_steps(void)
{
	static const struct
	{
		double		q;
		double		mu;
		int			doublings;
		double		range;
		double		epsilon;
	}			cases[] = {
		{0.01, 1.5, 4, 10, 1}, {0.1, 1, 4, 10, 1.5}, {0.5, 0.5, 3, 8, 0.7}, {0.3, 2, 2, 25, 6}, {0.9, 1, 3, 30, 8}, {0.02, 0.5, 5, 0.8, 0.2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpsPastRelease run = run_of(cases[i].q, cases[i].mu, UINT64_C(1) << cases[i].doublings);
		DpsPastRelease runs[2] = {run_of(cases[i].q, cases[i].mu, (UINT64_C(1) << cases[i].doublings) - 1), run_of(cases[i].q, cases[i].mu, 1)};
		double		removed = convolved(cases[i].q, cases[i].mu, cases[i].doublings, cases[i].range, cases[i].epsilon, true);
		double		added = convolved(cases[i].q, cases[i].mu, cases[i].doublings, cases[i].range, cases[i].epsilon, false);
		double		bound = delta_of(&run, 1, cases[i].epsilon);
		double		ratio = bound / fmax(removed, added);

		diag("q %g, mu %g, 2^%d steps: delta %.6g, %.6g and %.6g by convolution", cases[i].q, cases[i].mu, cases[i].doublings, bound, removed, added);
		ok(ratio > 1 - 2e-3 && ratio < 1 + 2e-3, "steps compose, q %g", cases[i].q);
		if (i == 0)
			ok(fabs(delta_of(runs, 2, cases[i].epsilon) / bound - 1) < 1e-3, "two runs are as one");
	}
}

/* --- histories --- */

static void
test_histories(void)
{
	DpsPastRelease run = run_of(0.01, 1 / 0.6, 100);
	DpsPastRelease all = run_of(1, 0.5, 10);
	DpsPastRelease gaussian = dps_past_release_noise(DPS_LAW_GAUSSIAN, SCALE / 2, SCALE, 1, 10);
	DpsPastRelease none[2] = {run_of(0, 1, 10), run};
	DpsPastRelease mixed[3] = {run, gaussian, dps_past_release_noise(DPS_LAW_LAPLACE, SCALE / 2, SCALE, 1, 2)};
	DpsPastRelease coarse = dps_past_release_sampled(5, 2, 100, 0.01, 100, 1e-9, 1);
	DpsPastRelease endless = run_of(0.01, 1, UINT64_MAX);
	double		epsilon = epsilon_of(&run, 1, 1e-5);
	double		mixture = epsilon_of(mixed, 3, 1e-5);

	diag("q 0.01, sigma 0.6, 100 steps at 1e-5: %.6f, %.6f by Renyi losses", epsilon, renyi_of(&run, 1e-5));
	ok(epsilon > 3.815532796 && epsilon < 1.00002 * 3.815599224 && renyi_of(&run, 1e-5) > 1.3 * epsilon, "a short run of little noise costs three quarters of what Renyi losses say");
	ok(fabs(delta_of(&run, 1, epsilon) / 1e-5 - 1) < 1e-3, "delta at this epsilon is that delta");
	ok(fabs(epsilon_of(&all, 1, 1e-6) / epsilon_of(&gaussian, 1, 1e-6) - 1) < 1e-8, "if everybody takes part it is Gaussian noise");
	ok(epsilon_of(none, 1, 1e-6) == 0 && fabs(epsilon_of(none, 2, 1e-5) / epsilon - 1) < 1e-9, "if nobody does it costs nothing");
	ok(mixture > epsilon && mixture > epsilon_of(mixed + 1, 2, 1e-5) && mixture < epsilon + epsilon_of(mixed + 1, 2, 1e-6), "steps and answers add up");
	ok(epsilon_of(&coarse, 1, 1e-5) == renyi_of(&coarse, 1e-5) && isfinite(renyi_of(&coarse, 1e-5)), "noise on too coarse a grid has its Renyi losses");
	ok(!(epsilon_of(&endless, 1, 1e-5) < 1e3), "steps without end");
	ok(isnan(epsilon_of(&run, 1, -1)) && isnan(delta_of(&run, 1, NAN)), "what is out of range is refused");
}

/* ln of the mean of e^(lambda loss) of whole orders has a closed form. */
static void
test_cumulants(void)
{
	bool		close = true;

	for (unsigned order = 2; order < 30; order += 3)
		for (double q = 1e-4; q < 1; q *= 7)
		{
			DpsLossPart part = {DPS_LOSS_REMOVED, 1, 0, 0, 1, 0.5, q};
			double		exact = (order - 1) * dps_rdp_subsampled(order, q, SCALE, SCALE / 2);

			close = close && fabs(dps_sampled_cumulant(&part, order - 1) / exact - 1) < 1e-6;
		}
	ok(close, "cumulants are those of the Renyi losses");
	close = true;
	/* where e^(lambda loss) has no double though it hardly ever happens */
	for (double sigma = 1; sigma < 20; sigma *= 1.3)
		for (unsigned order = 11; order <= DPS_SUBSAMPLED_ORDER_MAX; order += 35)
		{
			uint64_t	scale = (uint64_t) ldexp(sigma, 40);
			DpsLossPart part = {DPS_LOSS_REMOVED, 1, 0, 0, 1, ldexp((double) SCALE, 0) / (double) scale, 0.001};
			double		exact = (order - 1) * dps_rdp_subsampled(order, 0.001, scale, SCALE);

			close = close && fabs(dps_sampled_cumulant(&part, order - 1) / exact - 1) < 1e-6;
		}
	ok(close, "also of rare outcomes of large loss");
}

int
main(void)
{
	test_one_step();
	test_discrete();
	test_many_steps();
	test_histories();
	test_cumulants();
	return done_testing();
}

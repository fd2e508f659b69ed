/*
 * test_accountant.c
 *		Accountants over a history against reference numbers, exact sums over
 *		outcomes, and each other.
 *
 * Files: account/accountant/loss_curve.c, account/accountant/loss_grid.c, account/fold.c.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/accountant/convolve.h"
#include "scarce.h"
#include "tap.h"

#define GRID 40
#define ONE (UINT64_C(1) << GRID)

static uint64_t
on_grid(double x)
{
	return (uint64_t) llrint(ldexp(x, GRID));
}

static DpsPastRelease
gaussian(uint64_t scale, uint64_t sensitivity, uint64_t count)
{
	return dps_past_release_noise(DPS_LAW_GAUSSIAN, sensitivity, scale, 1, count);
}

static DpsPastRelease
laplace(uint64_t scale, uint64_t sensitivity, uint64_t count)
{
	return dps_past_release_noise(DPS_LAW_LAPLACE, sensitivity, scale, 1, count);
}

static DpsPastRelease
unknown(double epsilon, double rho, double delta, uint64_t count)
{
	DpsPastRelease	release = {DPS_LAW_UNKNOWN, 0, 0, 0, epsilon, rho, delta, count, 0, 0, 0, 0};

	return release;
}

typedef DpsStatus (*EpsilonFunction) (const DpsHost *host, const DpsHistory *history, double delta,
									  double *epsilon);

/* -1 if there is none. */
static double
epsilon_of(EpsilonFunction function, const DpsPastRelease *releases, size_t n, double delta)
{
	DpsHistory	history = {releases, n};
	double		epsilon = -1;

	return function(&tap_host, &history, delta, &epsilon) == DPS_OK ? epsilon : -1;
}

static double
delta_of(const DpsPastRelease *releases, size_t n, double epsilon)
{
	DpsHistory	history = {releases, n};
	double		delta = -1;

	return dps_pld_delta(&tap_host, &history, epsilon, &delta) == DPS_OK ? delta : -1;
}

/* At least the true value up to `slack` of it, for references whose parameters
 * were rounded, and not much more. */
static bool
from_above(double computed, double exact, double slack, double relative)
{
	bool		good = computed >= exact * (1 - slack) && computed <= exact * (1 + relative);

	if (!good)
		diag("got %.17g, exact %.17g", computed, exact);
	return good;
}

/* 50-digit arithmetic, sensitivity 1: deviation, releases, delta; epsilon
 * exactly and by Proposition 12 of CKS at the best order; delta at epsilon 1. */
static const double gaussian_facts[][6] = {
	{0.5, 1, 1e-5, 9.9972561464343003965, 10.724824112939172143, 0.50986166005467015308},
	{1, 1, 1e-6, 4.8865541174622119964, 5.2215344445301690442, 0.1269367375066439458},
	{5, 1, 1e-5, 0.72552175085779582692, 0.79431477427406837993, 1.7546333318962326948e-8},
	{1, 10, 1e-5, 17.856586830107613926, 19.047259552325184148, 0.81851781551325016241},
	{5, 100, 1e-5, 9.9972561464343003965, 10.724824112939172143, 0.50986166005467015308},
	{20, 1000, 1e-5, 7.5112759007447822441, 8.0783595481444464764, 0.35251805888489690185},
	{0.3, 1, 1e-5, 19.130767834361924773, 20.391499160931688062, 0.84723593340521903635},
	{3, 7, 1e-10, 5.7073708628642349605, 5.9636691845469628172, 0.087479018903740926314},
};

static void
test_gaussian_facts(void)
{
	for (size_t i = 0; i < sizeof(gaussian_facts) / sizeof(gaussian_facts[0]); i++)
	{
		const double *fact = gaussian_facts[i];
		DpsPastRelease	release = gaussian(on_grid(fact[0]), ONE, (uint64_t) fact[1]);
		double		delta = delta_of(&release, 1, 1.0);

		ok(from_above(epsilon_of(dps_accountant_zcdp, &release, 1, fact[2]), fact[4], 1e-11, 1e-11) &&
		   from_above(epsilon_of(dps_accountant_rdp, &release, 1, fact[2]), fact[4], 1e-11, 1e-11),
		   "zCDP and Renyi, deviation %g, %g releases", fact[0], fact[1]);
		ok(from_above(epsilon_of(dps_accountant_gdp, &release, 1, fact[2]), fact[3], 1e-11, 1e-7),
		   "Gaussian profile");
		ok(from_above(epsilon_of(dps_accountant_pld, &release, 1, fact[2]), fact[3], 1e-11, 5e-5) &&
		   from_above(delta, fact[5], 1e-11, 1e-3), "loss distribution");
	}
}

/* 50-digit arithmetic: pure loss of one, releases, epsilon, delta. */
static const double laplace_deltas[][4] = {
	{0.1, 1, 0.05, 0.024690087971667331373},
	{1, 2, 1, 0.2418366753592082205},
	{0.1, 10, 0.5, 0.008938294602943774577},
	{0.05, 100, 1, 0.0063629682806249129666},
	{2, 3, 2, 0.59399415029016192432},
	{0.5, 30, 5, 0.14680254277624775305},
};

/* Pure loss of one, releases, delta, epsilon; Renyi at whole orders to 512. */
static const double laplace_epsilons[][5] = {
	{0.5, 1, 1e-6, 0.499997999998999999, 0.51151857728163823},
	{0.1, 50, 1e-5, 2.79660109700498724, 2.99794783956424949},
	{1, 5, 1e-5, 4.99968007676179424, 5.00159437834496011},
};

static void
test_laplace_facts(void)
{
	for (size_t i = 0; i < sizeof(laplace_deltas) / sizeof(laplace_deltas[0]); i++)
	{
		const double *fact = laplace_deltas[i];
		DpsPastRelease	release = laplace(ONE, on_grid(fact[0]), (uint64_t) fact[1]);

		ok(from_above(delta_of(&release, 1, fact[2]), fact[3], 1e-10, 2e-4),
		   "delta of %g Laplace releases of %g", fact[1], fact[0]);
	}
	for (int i = 0; i < 3; i++)
	{
		const double *fact = laplace_epsilons[i];
		DpsPastRelease	release = laplace(ONE, on_grid(fact[0]), (uint64_t) fact[1]);
		double		renyi = epsilon_of(dps_accountant_rdp, &release, 1, fact[2]);

		ok(from_above(epsilon_of(dps_accountant_pld, &release, 1, fact[2]), fact[3], 1e-10, 5e-5) &&
		   renyi >= fact[3] * (1 - 1e-10) && renyi <= fact[4] * (1 + 1e-10),
		   "epsilon of %g Laplace releases of %g", fact[1], fact[0]);
	}
}

/* --- Sums over all outcomes at small scales. --- */

#define OUTCOMES 4096

/* The law of a whole-numbered statistic s; its loss is linear in s. */
typedef struct Law
{
	long double p[OUTCOMES];	/* of s = index - OUTCOMES/2 */
} Law;

static void
start(Law *law)
{
	memset(law, 0, sizeof(*law));
	law->p[OUTCOMES / 2] = 1;
}

/* Adds an independent number in -reach ... reach. */
static void
add_noise(Law *law, const long double *p, long reach)
{
	static Law	sum;

	memset(&sum, 0, sizeof(sum));
	for (long i = 0; i < OUTCOMES; i++)
		for (long k = -reach; law->p[i] > 0 && k <= reach; k++)
			if (i + k >= 0 && i + k < OUTCOMES)
				sum.p[i + k] += law->p[i] * p[k + reach];
	*law = sum;
}

/* Sum of `count` discrete Gaussians: the loss at shift D is
 * D (count D - 2s) / 2N^2. */
static void
add_gaussians(Law *law, long n, int count)
{
	static long double p[2 * OUTCOMES];
	long		reach = 12 * n;
	long double total = 0;

	for (long k = -reach; k <= reach; k++)
		total += p[k + reach] = expl(-0.5L * (long double) (k * k) / (long double) (n * n));
	for (long k = 0; k <= 2 * reach; k++)
		p[k] /= total;
	while (count-- > 0)
		add_noise(law, p, reach);
}

/* Sum of `count` losses of discrete Laplace noise with shift D, in units of 1/t:
 * D at k <= 0, -D at k >= D, else D - 2k. */
static void
add_laplaces(Law *law, long double t, long d, int count)
{
	static long double p[2 * OUTCOMES];
	long double q = expl(-1.0L / t);

	memset(p, 0, sizeof(p));
	p[2 * d] = 1 / (1 + q);
	p[0] += powl(q, (long double) d) / (1 + q);
	for (long k = 1; k < d; k++)
		p[2 * d - 2 * k] += (1 - q) / (1 + q) * powl(q, (long double) k);
	while (count-- > 0)
		add_noise(law, p, d);
}

/* delta at epsilon where the losses are a + b s of the one and c s of the other. */
static double
exact_delta(const Law *one, long double a, long double b, const Law *other, long double c,
			long double epsilon)
{
	long double sum = 0;

	for (long i = 0; i < OUTCOMES; i++)
	{
		if (one->p[i] == 0)
			continue;
		for (long j = 0; j < OUTCOMES; j++)
		{
			long double loss = a + b * (long double) (i - OUTCOMES / 2) +
				c * (long double) (j - OUTCOMES / 2);

			if (other->p[j] > 0 && loss > epsilon)
				sum -= one->p[i] * other->p[j] * expm1l(epsilon - loss);
		}
	}
	return (double) sum;
}

/* Whether the accountant's delta is from above and its epsilon suffices. */
static bool
agrees(const DpsPastRelease *releases, size_t n, const Law *one, long double a, long double b,
	   const Law *other, long double c)
{
	bool		good = true;

	for (double epsilon = 0.125; epsilon < 4; epsilon *= 2.7)
	{
		double		exact = exact_delta(one, a, b, other, c, epsilon);
		double		back;

		if (exact < 1e-12)
			continue;
		good = from_above(delta_of(releases, n, epsilon), exact, 1e-12, 2e-3) && good;
		back = epsilon_of(dps_accountant_pld, releases, n, exact);
		/* between atoms of the loss epsilon is not smooth in delta */
		good = good && exact_delta(one, a, b, other, c, back) <= exact * (1 + 1e-12) &&
			back <= epsilon * 1.001 + 1e-4;
	}
	return good;
}

static void
test_lattice(void)
{
	static Law	one;
	static Law	other;
	static const long shapes[][3] = {{1, 1, 1}, {3, 1, 5}, {3, 7, 1}, {2, 3, 4}, {8, 5, 9}, {20, 3, 2}};

	for (int i = 0; i < 6; i++)
	{
		long		n = shapes[i][0];
		long		d = shapes[i][1];
		int			count = (int) shapes[i][2];
		DpsPastRelease	releases[2] = {gaussian((uint64_t) n, (uint64_t) d, (uint64_t) count),
		laplace((uint64_t) n, (uint64_t) d, (uint64_t) count)};
		long double unit = (long double) d / (long double) (2 * n * n);

		start(&one);
		start(&other);
		add_gaussians(&one, n, count);
		ok(agrees(releases, 1, &one, unit * (long double) (d * count), -2 * unit, &other, 0),
		   "%d discrete Gaussians, scale %ld, shift %ld", count, n, d);
		start(&other);
		add_laplaces(&other, n, d, count);
		ok(agrees(releases, 2, &one, unit * (long double) (d * count), -2 * unit,
				  &other, 1.0L / (long double) n), "and with as many Laplaces");
		start(&one);
		ok(agrees(releases + 1, 1, &one, 0, 0, &other, 1.0L / (long double) n), "and these alone");
	}
}

/* Noise in steps: t and d counted in steps, where t is no whole number. */
static void
test_steps(void)
{
	static Law	one;
	static Law	other;
	static const uint64_t shapes[][3] = {{11, 4, 4}, {11, 4, 12}, {3, 8, 8}, {40, 16, 48}, {5, 2, 14}};
	bool		harder = true;

	for (int i = 0; i < 5; i++)
	{
		uint64_t	t = shapes[i][0];
		uint64_t	g = shapes[i][1];
		uint64_t	d = shapes[i][2];

		for (uint64_t count = 1; count <= 4; count += 3)
		{
			DpsPastRelease release = dps_past_release_geometric(d, t, g, 1, count);
			DpsPastRelease fine = laplace(t << 30, d << 30, count);
			DpsPastRelease whole = dps_past_release_geometric(d << 30, t << 30, g << 30, 1, count);
			DpsPastRelease response = dps_past_release_noise(DPS_LAW_GEOMETRIC, d, t, 1, count);

			start(&one);
			start(&other);
			add_laplaces(&other, (long double) t / (long double) g, (long) (d / g), (int) count);
			ok(agrees(&release, 1, &one, 0, 0, &other, (long double) g / (long double) t),
			   "%d times noise in steps of %d, scale %d, shift %d", (int) count, (int) g, (int) t, (int) d);
			for (double delta = 1e-6; delta < 0.1; delta *= 30)
			{
				double		in_steps = epsilon_of(dps_accountant_pld, &whole, 1, delta);
				double		renyi = epsilon_of(dps_accountant_rdp, &whole, 1, delta);

				harder = harder && fabs(in_steps - epsilon_of(dps_accountant_pld, &release, 1, delta)) < 1e-4 &&
					in_steps >= epsilon_of(dps_accountant_pld, &fine, 1, delta) - 1e-6 &&
					in_steps <= epsilon_of(dps_accountant_pld, &response, 1, delta) + 1e-6 &&
					renyi >= epsilon_of(dps_accountant_rdp, &fine, 1, delta) - 1e-9 &&
					renyi <= epsilon_of(dps_accountant_rdp, &response, 1, delta) + 1e-9;
				harder = harder && exact_delta(&one, 0, 0, &other, (long double) g / (long double) t, renyi) <= delta;
			}
		}
	}
	ok(harder, "which lose more than noise of all integers, and no more than a response of the same epsilon");
	ok(dps_law_find("geometric") == DPS_LAW_GEOMETRIC && dps_past_release_geometric(5, 9, 0, 1, 1).step == 5 &&
	   dps_past_release_geometric(5, 9, 7, 1, 1).step == 5 && dps_past_release_geometric(0, 9, 7, 1, 1).step == 1,
	   "the law has a name, and without its step that of a response");
}

/* Several integers released together, the norm of whose moves is known. */
static void
test_vectors(void)
{
	static Law	one;
	static Law	other;
	DpsPastRelease	vector = gaussian(8, 5, 1);
	DpsPastRelease	plane = laplace(8, 5, 1);
	bool		valid = true;
	long double unit = 1.0L / 128;

	vector.coordinates = plane.coordinates = 2;
	start(&one);
	start(&other);
	add_gaussians(&one, 8, 1);
	add_gaussians(&other, 8, 1);
	for (double delta = 1e-8; delta < 0.1; delta *= 20)
	{
		double		gdp = epsilon_of(dps_accountant_gdp, &vector, 1, delta);
		double		pld = epsilon_of(dps_accountant_pld, &vector, 1, delta);
		double		rdp = epsilon_of(dps_accountant_rdp, &vector, 1, delta);

		/* a move of (3, 4) */
		for (int i = 0; i < 3; i++)
		{
			long double epsilon = i == 0 ? gdp : i == 1 ? pld : rdp;
			long double sum = 0;

			for (long x = 0; x < OUTCOMES; x++)
				for (long y = 0; one.p[x] > 0 && y < OUTCOMES; y++)
				{
					long double loss = unit * (25 - 6 * (x - OUTCOMES / 2) - 8 * (y - OUTCOMES / 2));

					if (other.p[y] > 0 && loss > epsilon)
						sum -= one.p[x] * other.p[y] * expm1l(epsilon - loss);
				}
			valid = valid && epsilon >= 0 && sum <= delta;
		}
	}
	ok(valid, "Gaussian noise on a vector");

	/* moves of 2 and 3 add up to a norm of 5 */
	valid = true;
	start(&one);
	start(&other);
	add_laplaces(&one, 8, 2, 1);
	add_laplaces(&other, 8, 3, 1);
	for (double delta = 1e-8; delta < 0.1; delta *= 20)
		valid = valid &&
			exact_delta(&one, 0, 0.125L, &other, 0.125L, epsilon_of(dps_accountant_pld, &plane, 1, delta)) <= delta &&
			exact_delta(&one, 0, 0.125L, &other, 0.125L, epsilon_of(dps_accountant_rdp, &plane, 1, delta)) <= delta;
	ok(valid, "Laplace noise on a vector");

	/* the same in steps */
	valid = true;
	plane = dps_past_release_geometric(20, 11, 4, 2, 1);
	start(&one);
	start(&other);
	add_laplaces(&one, 2.75L, 2, 1);
	add_laplaces(&other, 2.75L, 3, 1);
	for (double delta = 1e-8; delta < 0.1; delta *= 20)
		valid = valid &&
			exact_delta(&one, 0, 4 / 11.0L, &other, 4 / 11.0L, epsilon_of(dps_accountant_pld, &plane, 1, delta)) <= delta &&
			exact_delta(&one, 0, 4 / 11.0L, &other, 4 / 11.0L, epsilon_of(dps_accountant_rdp, &plane, 1, delta)) <= delta;
	ok(valid, "and in steps");
}

/* A vector of which one integer moves, at scales where the continuous profile
 * is no bound. */
static void
test_small_scales(void)
{
	static Law	one;
	static Law	other;
	bool		valid = true;
	bool		needed = false;

	start(&other);
	for (long n = 1; n <= 4; n++)
		for (long d = 1; d <= 3; d++)
		{
			DpsPastRelease	vector = dps_past_release_noise(DPS_LAW_GAUSSIAN, (uint64_t) d, (uint64_t) n, 2, 1);
			long double unit = (long double) d / (long double) (2 * n * n);

			start(&one);
			add_gaussians(&one, n, 1);
			for (double delta = 1e-6; delta < 0.1; delta *= 1.3)
			{
				double		epsilon = epsilon_of(dps_accountant_gdp, &vector, 1, delta);
				double		continuous = 0;

				while (dps_gaussian_delta((double) d / (double) n, continuous) > delta)
					continuous += 1e-3;
				valid = valid && exact_delta(&one, unit * d, -2 * unit, &other, 0, epsilon) <= delta;
				needed = needed || exact_delta(&one, unit * d, -2 * unit, &other, 0, continuous) > delta;
			}
		}
	ok(valid && needed, "the Gaussian profile of a vector holds at small scales");
}

/* The circular convolution of a few masses, summed directly. */
static void
test_convolution(void)
{
	static long double exact[DPS_CONVOLUTION_MIN];
	static long double next[DPS_CONVOLUTION_MIN];
	static const uint64_t counts[] = {1, 2, 3, 7, 20};
	DpsArena   *arena = NULL;
	bool		within = true;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		return;
	for (int trial = 0; trial < 5; trial++)
	{
		DpsConvolution *convolution = NULL;
		const double *product = NULL;
		double		bound = -1;
		long double error = 0;
		long double norm = 0;

		memset(exact, 0, sizeof(exact));
		exact[0] = 1;
		within = within && dps_convolution_init(arena, DPS_CONVOLUTION_MIN, &convolution) == DPS_OK;
		for (int part = 0; part < 3; part++)
		{
			double	   *masses = dps_convolution_masses(convolution);
			size_t		places[4];
			double		weights[4];

			for (int i = 0; i < 4; i++)
			{
				places[i] = (size_t) (997 * (trial + 1) * (i + 3 * part) + i) % DPS_CONVOLUTION_MIN;
				weights[i] = 1.0 / (3 + i + part);
				masses[places[i]] += weights[i];
			}
			within = within && dps_convolution_include(convolution, counts[trial]) == DPS_OK;
			for (uint64_t k = 0; k < counts[trial]; k++)
			{
				memset(next, 0, sizeof(next));
				for (size_t j = 0; j < DPS_CONVOLUTION_MIN; j++)
					for (int i = 0; i < 4; i++)
						next[(j + places[i]) % DPS_CONVOLUTION_MIN] += exact[j] * (long double) weights[i];
				memcpy(exact, next, sizeof(exact));
			}
		}
		within = within && dps_convolution_finish(convolution, &product, &bound) == DPS_OK;
		for (size_t j = 0; within && j < DPS_CONVOLUTION_MIN; j++)
		{
			error += (product[j] - exact[j]) * (product[j] - exact[j]);
			norm += exact[j] * exact[j];
		}
		diag("count %d: norm %.3Lg, error %.3Lg, bound %.3g", (int) counts[trial], sqrtl(norm), sqrtl(error), bound);
		within = within && error > 0 && sqrtl(error) <= bound;
		dps_convolution_clear(convolution);
	}
	ok(within, "the transform's error is within its bound");
	{
		DpsConvolution *convolution = NULL;
		static const size_t sizes[] = {0, 1, 4096 * 2, 4095, DPS_CONVOLUTION_MAX * 4, SIZE_MAX};
		bool		refused = true;

		for (int i = 0; i < 6; i++)
		{
			refused = refused && dps_convolution_init(arena, sizes[i], &convolution) == DPS_DOMAIN;
			dps_convolution_clear(convolution);
		}
		ok(refused, "other sizes than powers of 4 are refused");
		refused = dps_convolution_init(arena, DPS_CONVOLUTION_MIN, &convolution) == DPS_OK;
		dps_convolution_masses(convolution)[5] = NAN;
		refused = refused && dps_convolution_include(convolution, 1) != DPS_OK;
		dps_convolution_masses(convolution)[5] = INFINITY;
		refused = refused && dps_convolution_include(convolution, 1) != DPS_OK;
		ok(refused, "and masses that are not finite");
		dps_convolution_clear(convolution);
	}
	dps_arena_clear(arena);
}

/* A long history of few different releases, in any order. */
static void
test_long_history(void)
{
	static DpsPastRelease releases[100000];
	DpsPastRelease	grouped[3] = {laplace(ONE, ONE / 1000, 50000), laplace(ONE, ONE / 500, 25000),
	gaussian(1000 * ONE, ONE, 25000)};

	for (size_t i = 0; i < 100000; i++)
	{
		releases[i] = grouped[i % 4 < 2 ? 0 : i % 4 - 1];
		releases[i].count = 1;
	}
	for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
	{
		double		one_by_one = epsilon_of(a->epsilon, releases, 100000, 1e-6);
		double		together = epsilon_of(a->epsilon, grouped, 3, 1e-6);

		ok(fabs(one_by_one - together) <= 1e-9 * fabs(together), "%s: %.9g, one by one or together", a->name, together);
	}
}

/* Several laws, and releases that are known by their figures alone. */
static void
test_mixed_history(void)
{
	DpsPastRelease	grouped[3] = {laplace(ONE, ONE / 10, 5), laplace(ONE, ONE / 20, 10),
	gaussian(20 * ONE, ONE, 40)};
	DpsPastRelease	mixed[4];

	/* the continuous profile of the Gaussians, and more */
	ok(epsilon_of(dps_accountant_pld, grouped, 3, 1e-6) >
	   epsilon_of(dps_accountant_gdp, grouped + 2, 1, 1e-6), "Laplace releases add to the Gaussian ones");
	ok(epsilon_of(dps_accountant_pld, grouped, 3, 1e-6) <
	   0.97 * epsilon_of(dps_accountant_rdp, grouped, 3, 1e-6), "PLD gains over Renyi");

	memcpy(mixed, grouped, sizeof(grouped));
	mixed[3] = unknown(0.5, dps_pure_rho(0.5), 1e-7, 1);
	ok(epsilon_of(dps_accountant_pld, mixed, 4, 1e-6) > epsilon_of(dps_accountant_pld, grouped, 3, 1e-6) &&
	   epsilon_of(dps_accountant_pld, mixed, 4, 1e-6) <= epsilon_of(dps_accountant_pld, grouped, 3, 9e-7) + 0.5,
	   "a selection costs at most its epsilon and delta");
	ok(epsilon_of(dps_accountant_pld, mixed, 4, 1e-7) == -1 && epsilon_of(dps_accountant_rdp, mixed, 4, 5e-8) == -1 &&
	   epsilon_of(dps_accountant_zcdp, mixed, 4, 1e-7) == -1, "nothing holds below the releases' own delta");
	ok(delta_of(mixed, 4, 3) >= delta_of(grouped, 3, 3) + 1e-7, "nor is delta below it");
	mixed[3] = unknown(INFINITY, 0.01, 0, 1);
	ok(epsilon_of(dps_accountant_pld, mixed, 4, 1e-6) == -1 && delta_of(mixed, 4, 3) == 1 &&
	   epsilon_of(dps_accountant_rdp, mixed, 4, 1e-6) > 0, "what is only zCDP has no loss distribution");
	mixed[3] = unknown(INFINITY, INFINITY, 0, 1);
	for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
		ok(epsilon_of(a->epsilon, mixed, 4, 1e-6) == -1, "%s refuses a release without any bound", a->name);
}

/* Randomised response: k of it is a binomial sum. */
static void
test_response(void)
{
	DpsPastRelease	release = unknown(0.3, dps_pure_rho(0.3), 0, 20);
	bool		good = true;

	for (double epsilon = 0; epsilon < 6; epsilon += 0.35)
	{
		long double p = 1 / (1 + expl(-0.3L));
		long double weight = powl(1 - p, 20);
		long double sum = 0;

		for (int k = 0; k <= 20; k++)
		{
			long double loss = 0.3L * (2 * k - 20);

			if (loss > epsilon)
				sum -= weight * expm1l(epsilon - loss);
			weight *= (20 - k) / (k + 1.0L) * p / (1 - p);
		}
		/* just below an atom of the loss delta is small and steep */
		good = from_above(delta_of(&release, 1, epsilon), (double) sum, 1e-12, 2e-2) && good;
	}
	ok(good, "pure releases without a law are randomised response");
	ok(delta_of(&release, 1, 6.0) <= 1e-10 && delta_of(&release, 1, 6.001) == 0, "and within their sum");
}

/* What must hold of every row of the table. */
static void
test_table(void)
{
	DpsPastRelease	releases[2] = {gaussian(3 * ONE, ONE, 4), laplace(ONE, ONE / 10, 6)};
	DpsPastRelease	none[2] = {gaussian(3 * ONE, 0, 4), laplace(ONE, 0, 6)};

	none[1].epsilon = none[1].rho = 0;
	none[0].rho = none[0].epsilon = 0;
	for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
	{
		const DpsPastRelease *history = strcmp(a->name, "basic") == 0 ? releases + 1 : releases;
		double		last = INFINITY;
		bool		falling = true;
		bool		growing = true;

		ok(strstr(a->label, "if these queries had been fixed in advance") != NULL, "%s: %s", a->name, a->label);
		for (double delta = 1e-12; delta < 0.5; delta *= 30)
		{
			double		epsilon = epsilon_of(a->epsilon, history, 1, delta);
			DpsPastRelease	more = history[0];
			DpsPastRelease	worse = history[0];

			falling = falling && epsilon >= 0 && epsilon <= last;
			last = epsilon;
			more.count++;
			worse.sensitivity += ONE / 50;
			worse.epsilon *= 1.5;
			worse.rho *= 1.5;
			growing = growing && epsilon_of(a->epsilon, &more, 1, delta) > epsilon &&
				epsilon_of(a->epsilon, &worse, 1, delta) > epsilon;
		}
		ok(falling, "%s falls as delta rises", a->name);
		ok(growing, "%s rises with count and sensitivity", a->name);
		ok(epsilon_of(a->epsilon, none, 1, 1e-6) == 0 && epsilon_of(a->epsilon, NULL, 0, 1e-6) == 0,
		   "%s: no loss at all", a->name);
	}
	ok(epsilon_of(dps_accountant_pld, releases, 2, 1e-6) > epsilon_of(dps_accountant_pld, releases, 1, 1e-6) &&
	   epsilon_of(dps_accountant_gdp, releases, 2, 1e-6) == -1, "only Gaussian histories have a Gaussian profile");
	ok(epsilon_of(dps_accountant_basic, releases + 1, 1, 0) >= 0.6 - 1e-9 &&
	   epsilon_of(dps_accountant_pld, releases + 1, 1, 0) < 0.6 + 1e-9, "pure losses hold at delta = 0");
	ok(dps_law_find("laplace") == DPS_LAW_LAPLACE && dps_law_find("gaussian") == DPS_LAW_GAUSSIAN &&
	   dps_law_find("Laplace") == DPS_LAW_UNKNOWN && dps_law_find("") == DPS_LAW_UNKNOWN,
	   "laws go by the mechanism's name");
}

/* Draws of the exponential mechanism: pure epsilon, an eighth of its square as rho,
 * and no more than anything of that epsilon by any accountant. */
static void
test_exponential_facts(void)
{
	static const double epsilons[] = {0.001, 0.1, 1, 3, 20};
	bool		figures = true;
	bool		bounded = true;

	ok(dps_law_find("exponential") == DPS_LAW_EXPONENTIAL, "draws of the exponential mechanism have a law");
	for (int i = 0; i < 5; i++)
	{
		uint64_t	units = (uint64_t) ldexp(epsilons[i], 40);
		DpsPastRelease draws = dps_past_release_noise(DPS_LAW_FLIP, units, UINT64_C(1) << 40, 3, 2);

		figures = figures && draws.epsilon == ldexp((double) units, -40) && draws.rho == dps_pure_rho(draws.epsilon) && draws.count == 6 && draws.coordinates == 1;
	}
	ok(figures && dps_law_find("permute_flip") == DPS_LAW_FLIP, "draws of permute-and-flip have the rho of any of their epsilon");
	for (int i = 0; i < 5; i++)
	{
		uint64_t	units = (uint64_t) ldexp(epsilons[i], 40);
		double		epsilon = ldexp((double) units, -40);
		DpsPastRelease draws = dps_past_release_noise(DPS_LAW_EXPONENTIAL, units, UINT64_C(1) << 40, 1, 10);
		DpsPastRelease any = unknown(epsilon, INFINITY, 0, 10);

		figures = figures && draws.epsilon == epsilon && draws.rho <= epsilon * epsilon / 8 * (1 + 1e-12) &&
			draws.rho >= fmin(epsilon * epsilon / 8, epsilon * tanh(epsilon / 2)) * (1 - 1e-12) && draws.delta == 0;
		for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
		{
			double		drawn = epsilon_of(a->epsilon, &draws, 1, 1e-6);
			double		told = epsilon_of(a->epsilon, &any, 1, 1e-6);

			if (!(drawn <= told + 1e-9 * fabs(told)))
			{
				diag("%s at epsilon %g: %g, %g", a->name, epsilon, drawn, told);
				bounded = false;
			}
		}
	}
	ok(figures, "epsilon is the quotient, rho an eighth of its square");
	ok(bounded, "no accountant takes them for worse than what has their epsilon");
}

static bool
all_refuse(DpsPastRelease release, double delta)
{
	bool		refused = true;
	DpsHistory	history = {&release, 1};
	double		result = -7;

	for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
		refused = refused && a->epsilon(&tap_host, &history, delta, &result) == DPS_DOMAIN;
	return refused && result == -7;
}

static void
test_refusals(void)
{
	static const double bad[] = {NAN, -1, -0x1p-1074, -INFINITY};
	DpsPastRelease	good = laplace(8, 1, 1);
	DpsPastRelease	extreme[6];
	bool		refused = true;
	double		delta = -7;
	DpsHistory	history = {&good, 1};

	for (int i = 0; i < 4; i++)
	{
		refused = refused && all_refuse(unknown(bad[i], 1, 0, 1), 1e-6) &&
			all_refuse(unknown(1, bad[i], 0, 1), 1e-6) && all_refuse(unknown(1, 1, bad[i], 1), 1e-6) &&
			all_refuse(good, bad[i]) && dps_pld_delta(&tap_host, &history, bad[i], &delta) == DPS_DOMAIN;
	}
	refused = refused && all_refuse(good, 1) && all_refuse(good, INFINITY) &&
		all_refuse(unknown(1, 1, 1, 1), 1e-6) && all_refuse(unknown(1, 1, 0, 0), 1e-6) &&
		dps_pld_delta(&tap_host, &history, INFINITY, &delta) == DPS_DOMAIN;
	good.scale = 0;
	refused = refused && all_refuse(good, 1e-6) && dps_pld_delta(&tap_host, &history, 1, &delta) == DPS_DOMAIN;
	good.scale = 8;
	good.coordinates = 0;
	refused = refused && all_refuse(good, 1e-6);
	good.coordinates = 1;
	good.law = (DpsLaw) 17;
	refused = refused && all_refuse(good, 1e-6);
	good.law = DPS_LAW_GEOMETRIC;
	refused = refused && all_refuse(good, 1e-6);
	good.law = DPS_LAW_LAPLACE;
	good.step = 2;
	refused = refused && all_refuse(good, 1e-6);
	ok(refused && delta == -7, "what is no history is refused and nothing is set");

	/* figures that no double or grid can hold are no small ones */
	extreme[0] = gaussian(1, UINT64_MAX, UINT64_MAX);
	extreme[1] = laplace(1, UINT64_MAX, UINT64_MAX);
	extreme[2] = unknown(DBL_MAX, DBL_MAX, 0, 3);
	extreme[3] = laplace(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX);
	extreme[4] = gaussian(4096, 1, UINT64_MAX);
	extreme[5] = unknown(700, 700, 0, 1000);
	for (int i = 0; i < 6; i++)
	{
		bool		large = true;

		for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
		{
			double		epsilon = epsilon_of(a->epsilon, &extreme[i], 1, 1e-6);

			large = large && (epsilon == -1 || epsilon > 6e5);
		}
		ok(large && delta_of(&extreme[i], 1, 1.0) == 1, "an extreme history costs everything, %d", i);
	}
	extreme[0] = gaussian(UINT64_MAX, 1, 1);
	extreme[1] = laplace(UINT64_MAX, 1, 1);
	extreme[2] = unknown(0x1p-1074, 0x1p-1074, 0, 1);
	for (int i = 0; i < 3; i++)
	{
		bool		valid = true;

		for (const DpsAccountant *a = dps_accountants; a->name != NULL; a++)
		{
			double		epsilon = epsilon_of(a->epsilon, &extreme[i], 1, 1e-6);

			valid = valid && (epsilon == -1 || (epsilon >= 0 && epsilon < 1e-4));
		}
		ok(valid, "and a tiny one little, %d", i);
	}
}

/* --- Memory and cancellation. --- */

static bool
limited_stop(void *context)
{
	return (*(int *) context)-- <= 0;
}

static void
test_memory(void)
{
	DpsPastRelease	releases[3] = {gaussian(ONE, ONE, 2), laplace(ONE, ONE / 2, 3), unknown(1, 0.5, 1e-9, 1)};
	DpsHistory	history = {releases, 3};
	Scarce		scarce;
	DpsHost		poor = scarce_host(&scarce);
	DpsHost		stopping = tap_host;
	int			asked;
	double		result = -7;
	int			blocks = 0;
	int			questions = 1;
	DpsStatus	status = DPS_NOMEM;
	bool		clean = true;

	stopping.context = &asked;
	stopping.should_stop = limited_stop;
	for (; blocks < 100 && status == DPS_NOMEM; blocks++)
	{
		scarce = (Scarce) {.left = blocks};
		status = dps_accountant_pld(&poor, &history, 1e-6, &result);
		clean = clean && scarce.held == 0 && (status == DPS_OK || (status == DPS_NOMEM && result == -7));
	}
	ok(clean && status == DPS_OK && blocks > 4 && result > 0, "PLD with %d blocks or fewer", blocks);
	result = -7;
	scarce.left = 0;
	ok(dps_accountant_rdp(&poor, &history, 1e-6, &result) == DPS_NOMEM && result == -7 &&
	   dps_pld_delta(&poor, &history, 1, &result) == DPS_NOMEM && result == -7, "and without any");

	status = DPS_CANCELLED;
	for (; questions < 100000 && status == DPS_CANCELLED; questions *= 2)
	{
		asked = questions;
		status = dps_accountant_pld(&stopping, &history, 1e-6, &result);
		clean = clean && (status == DPS_OK || (status == DPS_CANCELLED && result == -7));
	}
	ok(clean && status == DPS_OK && questions > 4, "stops when the host asks");
	result = -7;
	asked = 0;
	ok(dps_accountant_rdp(&stopping, &history, 1e-6, &result) == DPS_CANCELLED && result == -7,
	   "the Renyi search too");
}

int
main(void)
{
	DpsPastRelease	half = gaussian(ONE, ONE, 1);

	ok(fabs(epsilon_of(dps_accountant_zcdp, &half, 1, 1e-6) - 5.2215) < 5e-5 &&
	   fabs(epsilon_of(dps_accountant_gdp, &half, 1, 1e-6) - 4.8866) < 5e-5 &&
	   fabs(epsilon_of(dps_accountant_pld, &half, 1, 1e-6) - 4.8866) < 1e-4 &&
	   fabs(0.5 + 2 * sqrt(0.5 * log(1e6)) - 5.757) < 1e-3,
	   "rho = 0.5 at delta = 1e-6: 5.2215 by conversion and 4.8866 exactly, not 5.757");
	test_gaussian_facts();
	test_laplace_facts();
	test_lattice();
	test_steps();
	test_vectors();
	test_small_scales();
	test_convolution();
	test_long_history();
	test_mixed_history();
	test_response();
	test_exponential_facts();
	test_table();
	test_refusals();
	test_memory();
	return done_testing();
}

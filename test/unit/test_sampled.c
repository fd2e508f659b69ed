/*
 * test_sampled.c
 *		Poisson samples: the draws, the losses of many steps, and their
 *		composition with other releases.
 */
#include <math.h>
#include <string.h>

#include "account/accountant/accountant.h"
#include "account/sampled.h"
#include "noise/poisson.h"
#include "tap.h"

#define ONE (UINT64_C(1) << 40)

/* --- The divergence itself, summed over the outcomes of one step. --- */

typedef struct Law
{
	long double p[4096];		/* without the row */
	long double q[4096];		/* with it */
	int			n;
} Law;

static void
one_step(Law *law, double rate, int scale, int shift)
{
	long double total = 0;
	int			reach = 12 * scale + shift;

	law->n = 2 * reach + 1;
	for (int k = -reach; k <= reach; k++)
		total += expl(-0.5L * k * k / scale / scale);
	for (int k = -reach; k <= reach; k++)
	{
		long double here = expl(-0.5L * k * k / scale / scale) / total;
		long double moved = expl(-0.5L * (k - shift) * (k - shift) / scale / scale) / total;

		law->p[k + reach] = here;
		law->q[k + reach] = (1 - (long double) rate) * here + (long double) rate * moved;
	}
}

static double
divergence(const long double *p, const long double *q, int n, double alpha)
{
	long double sum = 0;

	for (int i = 0; i < n; i++)
		sum += p[i] > 0 && q[i] > 0 ? q[i] * powl(p[i] / q[i], alpha) : 0;
	return (double) (logl(sum) / (alpha - 1));
}

static void
test_orders(void)
{
	static Law	law;
	bool		above = true;
	bool		tight = true;
	double		worst = 0;

	for (double rate = 0x1p-8; rate < 1; rate *= 3)
		for (int scale = 2; scale <= 8; scale *= 2)
			for (int shift = 1; shift <= scale; shift++)
			{
				DpsSampledStep step;

				one_step(&law, rate, scale, shift);
				dps_sampled_step(rate, scale, shift, &step);
				for (double alpha = 1.03125; alpha < 9; alpha += alpha < 3 ? 0.21875 : 1.375)
				{
					double		loss = dps_sampled_rdp(&step, alpha);
					double		one = divergence(law.q, law.p, law.n, alpha);
					double		other = divergence(law.p, law.q, law.n, alpha);

					above = above && loss >= fmax(one, other) * (1 - 1e-9) &&
						loss == dps_sampled_rdp_at(alpha, rate, scale, shift);
					/* 1 + x for its exponential is what is lost, and chords */
					tight = tight && loss <= one * 1.7;
					worst = fmax(worst, loss / one);
				}
			}
	ok(above, "no order has a loss below that of the outcomes, in either direction");
	ok(tight, "nor one far above: at most %g times", worst);
}

/* --- What is delta-approximately rho-zCDP. --- */

static void
convolve(long double *sum, int *n, const long double *one, int m)
{
	static long double result[200000];

	memset(result, 0, sizeof(result));
	for (int i = 0; i < *n; i++)
		for (int j = 0; j < m; j++)
			result[i + j] += sum[i] * one[j];
	*n += m - 1;
	memcpy(sum, result, sizeof(long double) * (size_t) *n);
}

/*
 * Outcomes of T steps on a coarse grid of losses: what matters of the pair is
 * the distribution of its loss, so the exact joint law of (k_1 ... k_T) is
 * replaced by that of the summed loss, rounded to a grid of 2^-6, downward.  The definition is checked by the best possible conversion to
 * (epsilon, delta): if the pair is delta-approximately rho-zCDP, it is
 * (epsilon, delta + delta')-DP for the epsilon of rho and delta'.
 */
static void
test_rho(void)
{
	static Law	law;
	static long double mass[200000];
	static long double one[8192];
	bool		holds = true;
	bool		closer = true;
	int			cases = 0;

	for (int c = 0; c < 6; c++)
	{
		static const double settings[6][3] = {{0.25, 2, 8}, {0.125, 1, 6}, {0.5, 4, 12}, {0.0625, 1, 12}, {0.02, 1, 16}, {0.3, 3, 10}};
		double		rate = settings[c][0];
		int			scale = (int) settings[c][1];
		int			steps = (int) settings[c][2];
		DpsSampledStep step;
		int			lowest = 0;
		int			m = 0;
		int			n = 1;

		one_step(&law, rate, scale, 1);
		dps_sampled_step(rate, scale, 1, &step);
		memset(one, 0, sizeof(one));
		/* the loss of the row's presence rises with k; rounded down, so that what
		 * is found to be lost is lost */
		lowest = (int) floorl(ldexpl(logl(law.q[0] / law.p[0]), 6));
		for (int i = 0; i < law.n; i++)
		{
			int			place;

			if (!(law.p[i] > 1e-30L))
				continue;
			place = (int) floorl(ldexpl(logl(law.q[i] / law.p[i]), 6)) - lowest;
			if (place >= 0 && place < 8192)
			{
				one[place] += law.q[i];
				m = place + 1 > m ? place + 1 : m;
			}
		}
		mass[0] = 1;
		for (int k = 0; k < steps; k++)
			convolve(mass, &n, one, m);
		for (double delta = 1e-3; delta > 1e-8; delta /= 10)
		{
			double		rho = dps_sampled_rho(&step, (uint64_t) steps, delta);

			for (double more = 1e-2; more > 1e-9; more /= 10)
			{
				double		epsilon = 0;
				long double lost = 0;

				if (dps_zcdp_epsilon(rho, more, &epsilon) != DPS_OK)
					continue;
				for (int i = 0; i < n; i++)
				{
					double		loss = ldexp(steps * lowest + i, -6);

					if (loss > epsilon)
						lost += mass[i] * (1 - expl(epsilon - loss));
				}
				holds = holds && lost <= delta + more;
				cases++;
			}
			closer = closer && rho <= steps * step.full;
		}
	}
	ok(holds && cases > 200, "rho and delta imply no (epsilon, delta) that the outcomes contradict, %d times", cases);
	ok(closer, "rho is at most that without samples");
}

static void
test_use(void)
{
	DpsSampledStep step;
	double		epsilon = -1;
	double		converted = -1;
	double		plain = -1;
	double		rho;

	dps_sampled_step(0.01, ONE, ONE, &step);
	rho = dps_sampled_rho(&step, 1000, 1.25e-6);
	ok(dps_sampled_epsilon(&step, 1000, 1e-5, &epsilon) == DPS_OK && fabs(epsilon / 2.10775307545156529 - 1) < 1e-9,
	   "the epsilon of a thousand steps of rate 0.01");
	ok(dps_zcdp_epsilon(rho, 1e-5 - 1.25e-6, &converted) == DPS_OK && converted > epsilon && converted < 1.15 * epsilon,
	   "their rho is worth little more");
	ok(dps_zcdp_epsilon(1000 * step.full, 1e-5, &plain) == DPS_OK && plain > 100 * converted, "without samples it is far more");
	ok(dps_sampled_rho(&step, 1000, 0) == INFINITY && dps_sampled_rho(&step, 1000, 1) == INFINITY &&
	   dps_sampled_rho(&step, 1000, NAN) == INFINITY && dps_sampled_rho(&step, 0, 1e-6) == 0, "a delta of 0, 1 or NaN has no rho");
	ok(dps_sampled_rho(&step, 1000, 1e-9) > rho && dps_sampled_rho(&step, 2000, 1.25e-6) > 1.5 * rho &&
	   dps_sampled_rho(&step, UINT64_MAX, 1.25e-6) > 1e10, "rho rises with the steps and as delta falls");
	dps_sampled_step(1, ONE, ONE, &step);
	ok(dps_sampled_rho(&step, 10, 1e-6) <= 5.0001 && dps_sampled_rdp(&step, 3.5) <= 1.7500001, "with rate 1 it is Gaussian noise");
	dps_sampled_step(0.01, 0, ONE, &step);
	ok(dps_sampled_rho(&step, 10, 1e-6) == INFINITY && dps_sampled_epsilon(&step, 10, 1e-6, &epsilon) == DPS_UNABLE &&
	   dps_sampled_rdp(&step, 2) == INFINITY, "without noise it is without bound");
	dps_sampled_step(0.01, ONE, ONE, &step);
	ok(dps_sampled_rdp(&step, 1) == INFINITY && dps_sampled_rdp(&step, NAN) == INFINITY &&
	   dps_sampled_rdp(&step, 300) >= 300 * step.full * 0.999, "orders beyond those that are known have the loss without samples");
}

/* --- Composition. --- */

static double
spent(DpsStatus (*accountant) (const DpsHost *, const DpsHistory *, double, double *), const DpsPastRelease *releases, size_t n,
	  double delta)
{
	DpsHistory	history = {releases, n};
	double		epsilon = -2;
	DpsStatus	status = accountant(&tap_host, &history, delta, &epsilon);

	return status == DPS_OK ? epsilon : status == DPS_UNABLE ? INFINITY : -1;
}

static void
test_history(void)
{
	DpsPastRelease releases[4];
	DpsSampledStep step;
	double		alone;
	double		together;
	double		beside;
	double		epsilon = 0;

	releases[0] = dps_past_release_sampled(ONE, ONE, 100, 0.01, 1000, 1e-7, 1);
	releases[1] = dps_past_release_noise(DPS_LAW_GAUSSIAN, ONE, 10 * ONE, 1, 1);
	releases[2] = dps_past_release_noise(DPS_LAW_LAPLACE, ONE, 10 * ONE, 1, 1);
	releases[3] = releases[0];
	dps_sampled_step(0.01, ONE, ONE, &step);
	ok(dps_sampled_epsilon(&step, 1000, 1e-5, &epsilon) == DPS_OK &&
	   fabs(spent(dps_accountant_rdp, releases, 1, 1e-5) / epsilon - 1) < 2e-3, "the Renyi figure of a run is its own");
	ok(dps_sampled_epsilon(&step, 2000, 1e-5, &epsilon) == DPS_OK, "of two runs of one kind");
	releases[0].count = 2;
	ok(fabs(spent(dps_accountant_rdp, releases, 1, 1e-5) / epsilon - 1) < 2e-3, "it is that of twice the steps");
	releases[0].count = 1;
	alone = spent(dps_accountant_zcdp, releases, 1, 1e-5);
	together = spent(dps_accountant_zcdp, releases, 3, 1e-5);
	beside = spent(dps_accountant_zcdp, releases, 4, 1e-5);
	ok(alone > 2 && alone < together && together < beside && beside < 2 * together, "rho adds up beside other releases: %g, %g, %g",
	   alone, together, beside);
	ok(spent(dps_accountant_zcdp, releases, 1, 1e-7) == INFINITY && spent(dps_accountant_rdp, releases, 1, 1e-7) < INFINITY,
	   "only rho needs the delta of the run");
	ok(spent(dps_accountant_basic, releases, 1, 1e-5) == INFINITY && spent(dps_accountant_gdp, releases, 1, 1e-5) == INFINITY,
	   "there is no pure epsilon, nor is it Gaussian noise alone");
	ok(spent(dps_accountant_pld, releases, 4, 1e-5) < spent(dps_accountant_rdp, releases, 4, 1e-5) &&
	   spent(dps_accountant_pld, releases, 4, 1e-5) > spent(dps_accountant_pld, releases, 1, 1e-5) &&
	   spent(dps_accountant_pld, releases, 1, 1e-5) > 0.7 * spent(dps_accountant_rdp, releases, 1, 1e-5),
	   "the distribution of the loss has a smaller figure");
	releases[0].steps = 0;
	ok(spent(dps_accountant_rdp, releases, 1, 1e-5) == -1, "no steps are no run");
	releases[0] = releases[3];
	releases[0].rate = 1.5;
	ok(spent(dps_accountant_zcdp, releases, 1, 1e-5) == -1, "nor is there such a rate");
	releases[1].steps = 5;
	ok(spent(dps_accountant_zcdp, releases + 1, 1, 1e-5) == -1, "and other noise has no steps");
	ok(dps_law_find("subsampled") == DPS_LAW_SUBSAMPLED, "the law has a name");
}

/* --- Draws. --- */

static void
test_draws(void)
{
	DpsRandom	random;
	bool		works = true;
	bool		exact = true;
	static const double rates[] = {0x1p-64, 0.02, 1.0 / 3, 0.5, 0.999, 1 - 0x1p-53};

	dps_random_init(&random, &tap_host);
	for (int i = 0; i < 6; i++)
	{
		uint64_t	units = dps_rate_units(rates[i]);
		double		count = 0;
		double		mean = 1e6 * rates[i];

		exact = exact && dps_rate_of_units(units) == rates[i];
		for (int k = 0; k < 1000000; k++)
		{
			bool		taken = false;

			works = works && dps_sample_row(&random, units, &taken) == DPS_OK;
			count += taken;
		}
		/* beyond 6.5 deviations by chance less than once in 10^10 runs; a mean of
		 * almost 0 or 10^6 has the tail of a Poisson variable, below 10^-30 at 10 */
		ok(works && fabs(count - mean) <= 6.5 * sqrt(mean * (1 - rates[i])) + 10, "rate %g: %g of a million", rates[i], count);
	}
	ok(exact, "rates are drawn as they are charged");
	ok(dps_rate_units(0) == 0 && dps_rate_units(-1) == 0 && dps_rate_units(1) == 0 && dps_rate_units(2) == 0 &&
	   dps_rate_units(NAN) == 0 && dps_rate_units(0x1p-65) == 0, "other rates are none");
	dps_random_clear(&random);
}

int
main(void)
{
	test_orders();
	test_rho();
	test_use();
	test_history();
	test_draws();
	return done_testing();
}

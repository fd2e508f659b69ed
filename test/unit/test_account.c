/*
 * test_account.c
 *		Privacy losses against reference numbers, exact sums and each other.
 *
 * "From above" below: at least the true value, and not much more.
 */
#include <math.h>
#ifdef HAVE_MPFR
#include <mpfr.h>
#endif

#include "account/account.h"
#include "tap.h"

static bool
from_above(double computed, double exact, double relative)
{
	bool		good = computed >= exact * (1 - 1e-15) && computed <= exact * (1 + relative);

	if (!good)
		diag("got %.17g, exact %.17g", computed, exact);
	return good;
}

/* Gaussian noise, 50-digit arithmetic: sensitivity / deviation, delta; epsilon
 * exactly and by Proposition 12 of CKS over all orders; delta at epsilon 1. */
static const struct
{
	double		mu;
	double		delta;
	double		epsilon_exact;
	double		epsilon_cks;
	double		delta_at_1;
}			gaussian_facts[] = {
	{2.0, 1e-5, 9.9972561464343003965, 10.724824112939172143, 0.50986166005467015308},
	{1.0, 1e-6, 4.8865541174622119964, 5.2215344445301690442, 0.1269367375066439458},
	{0.2, 1e-5, 0.72552175085779582692, 0.79431477427406837993, 1.7546333318962326948e-8},
	{3.162277660168379332, 1e-5, 17.856586830107613926, 19.047259552325184148, 0.81851781551325016241},
	{1.581138830084189666, 1e-5, 7.5112759007447822441, 8.0783595481444464764, 0.35251805889488690185},
	{3.3333333333333334567, 1e-5, 19.130767834361924773, 20.391499160931688062, 0.84723593340521903635},
	{0.8819171036881968635, 1e-10, 5.7073708628642349605, 5.9636691845469628172, 0.087479018903740926314},
};

static void
test_gaussian_facts(void)
{
	for (size_t i = 0; i < sizeof(gaussian_facts) / sizeof(gaussian_facts[0]); i++)
	{
		double		mu = gaussian_facts[i].mu;
		double		delta = gaussian_facts[i].delta;
		double		exact = gaussian_facts[i].epsilon_exact;
		double		rho = 0.5 * mu * mu;
		double		epsilon = 0;
		double		rho_back = 0;

		/* the reference epsilon is rounded to a double, hence the slack below */
		ok(fabs(dps_gaussian_delta(mu, exact) / delta - 1) < 1e-11 &&
		   from_above(dps_gaussian_delta(mu, 1.0), gaussian_facts[i].delta_at_1, 1e-11),
		   "exact profile, mu = %g", mu);
		ok(dps_zcdp_epsilon(rho, delta, &epsilon) == DPS_OK &&
		   from_above(epsilon, gaussian_facts[i].epsilon_cks, 1e-12) && epsilon > exact,
		   "zCDP to (epsilon, delta), rho = %g", rho);
		ok(dps_zcdp_rho(epsilon, delta, &rho_back) == DPS_OK && fabs(rho_back / rho - 1) < 1e-12,
		   "and back");
	}
}

/* At one order: alpha, rdp, delta, epsilon. */
static const double conversion_facts[][4] = {
	{2, 0.1, 1e-5, 10.226631103850337801},
	{8, 1, 1e-5, 2.2141091678455334471},
	{64, 0.5, 1e-5, 0.60098247448599664986},
	{256, 10, 1e-6, 10.028518779555274305},
};

/* Laplace noise with pure loss E: E, alpha, Renyi divergence. */
static const double laplace_facts[][3] = {
	{0.1, 2, 0.0096442078403446747134},
	{0.1, 8, 0.035676773434374320858},
	{0.1, 128, 0.094572966289524005316},
	{0.5, 1.5, 0.15597787848573949884},
	{0.5, 3, 0.27122643230725676376},
	{0.5, 32, 0.47814842504542626085},
	{0.5, INFINITY, 0.5},
	{1, 2, 0.6191236299985928834},
	{1, 8, 0.91019880117744578274},
	{1, 128, 0.99457296628945819701},
	{2, 1.5, 1.4368091584145995277},
	{2, 3, 1.7446023211979130385},
	{2, 32, 1.9781484250454256084},
	{5, 2, 4.5945350448429841719},
	{5, 8, 4.9101987629396608375},
	{5, 128, 4.994572966289458197},
};

/* The Renyi divergence of the discrete Laplace distribution by summation. */
static double
steps_sum(double alpha, long double t, uint64_t shift)
{
	long double q = expl(-1.0L / t);
	long double sum = 0;

	long		reach = 60 * (long) ceill(t);

	for (long k = -reach; k <= reach + (long) shift; k++)
	{
		long double a = fabsl((long double) k);
		long double b = fabsl((long double) (k - (long) shift));

		sum += expl((-a * (long double) alpha + b * (long double) (alpha - 1)) / t);
	}
	return (double) (logl(sum * (1 - q) / (1 + q)) / (long double) (alpha - 1));
}

static double
laplace_sum(double alpha, uint64_t t, uint64_t shift)
{
	return steps_sum(alpha, (long double) t, shift);
}

/* Scales that are no multiple of the step, and shifts that are. */
static void
test_rdp_steps(void)
{
	static const double orders[] = {1.001, 1.25, 2, 7, 200};
	bool		right = true;
	bool		rising = true;
	bool		bounded = true;

	for (uint64_t t = 1; t <= 25; t += 3)
		for (uint64_t g = 1; g <= 16; g *= 2)
			for (uint64_t d = 1; d <= 5; d += 2)
				for (int i = 0; i < 5; i++)
				{
					double		divergence = dps_rdp_geometric(orders[i], t, g, g * d);
					double		exact = steps_sum(orders[i], (long double) t / (long double) g, d);
					double		response = dps_rdp_geometric(orders[i], t, UINT64_MAX, g * d);

					/* near order 1 the formula cancels, and the bound of zCDP takes its place */
					/* a long double has no more than e^11356 */
					if (orders[i] * (double) (g * d) / (double) t < 10000 && !from_above(divergence, exact, i == 0 ? 1e-2 : 1e-11))
					{
						diag("order %g, scale %d, step %d, shift %d: %.17g, exactly %.17g", orders[i], (int) t, (int) g, (int) d, divergence, exact);
						right = false;
					}
					rising = rising && divergence >= dps_rdp_laplace(orders[i], t << 20, (g * d) << 20) - 1e-12 &&
						dps_rdp_geometric(orders[i], t, g, g * d + 1) >= divergence;
					bounded = bounded && divergence <= response * (1 + 1e-12) && response <= (double) (g * d) / (double) t * (1 + 1e-12);
				}
	ok(right, "divergence of noise in steps");
	ok(rising, "which is above that of noise of all integers, and rises with any shift");
	ok(bounded, "and below that of randomised response");
	ok(dps_rdp_geometric(2, 5, 0, 1) == INFINITY && dps_rdp_geometric(2, 0, 1, 1) == INFINITY &&
	   dps_rdp_geometric(2, 5, 4, 0) == 0 && dps_rdp_geometric(NAN, 5, 4, 4) == INFINITY, "without a law, and of nothing");
}

static void
test_rdp(void)
{
	double		epsilon;

	for (int i = 0; i < 4; i++)
	{
		const double *fact = conversion_facts[i];

		ok(dps_rdp_epsilon(fact[0], fact[1], fact[2], &epsilon) == DPS_OK &&
		   from_above(epsilon, fact[3], 1e-14), "conversion at order %g", fact[0]);
	}
	for (size_t i = 0; i < sizeof(laplace_facts) / sizeof(laplace_facts[0]); i++)
	{
		const double *fact = laplace_facts[i];

		/* at this scale the discrete and the continuous law agree to 1e-18 */
		ok(fabs(dps_rdp_laplace(fact[1], UINT64_C(1) << 61,
								(uint64_t) ldexp(fact[0], 61)) / fact[2] - 1) < 1e-12,
		   "Laplace divergence, E = %g, order %g", fact[0], fact[1]);
	}
	for (uint64_t t = 1; t <= 9; t += 2)
		for (uint64_t shift = 1; shift <= 8; shift += 3)
			ok(from_above(dps_rdp_laplace(1.25, t, shift), laplace_sum(1.25, t, shift), 1e-12) &&
			   from_above(dps_rdp_laplace(2, t, shift), laplace_sum(2, t, shift), 1e-12) &&
			   from_above(dps_rdp_laplace(7, t, shift), laplace_sum(7, t, shift), 1e-12),
			   "discrete Laplace divergence, t = %d, shift %d", (int) t, (int) shift);
	ok(from_above(dps_rdp_laplace(3, UINT64_C(1) << 61, UINT64_C(1) << 30),
				  3 * (0x1p-63 - 0x1p-93 / 6), 1e-14), "Laplace divergence of a tiny loss keeps its digits");
	ok(from_above(dps_rdp_gaussian(3, 4, 2), 0.375, 1e-15), "Gaussian divergence");
}

/* D_alpha <= rho alpha for randomised response, and equality as alpha -> 1. */
static void
test_pure(void)
{
	bool		valid = true;

	for (double epsilon = 0.01; epsilon < 70; epsilon *= 1.3)
	{
		double		rho = dps_pure_rho(epsilon);

		for (double beta = 1e-6; beta < 1e4; beta *= 3)
		{
			double		s = 0.5 + beta;

			/* ln cosh z = z + ln(1 + e^-2z) - ln 2 */
			double		divergence = (s * epsilon + log1p(exp(-2 * s * epsilon)) -
									  0.5 * epsilon - log1p(exp(-epsilon))) / beta;

			/* the difference of logarithms loses 1e-16 / beta */
			valid = valid && divergence <= rho * (1 + beta) * (1 + 1e-9) + 1e-15 * (1 + epsilon) / beta;
		}
		valid = valid && rho <= 0.5 * epsilon * epsilon * (1 + 1e-15) && rho <= epsilon * (1 + 1e-15);
	}
	ok(valid, "pure DP to zCDP holds for randomised response");
	ok(from_above(dps_pure_rho(1.0), 0.46211715726000975850, 1e-14) &&
	   from_above(dps_pure_rho(64.0), 64.0, 1e-15) && dps_pure_rho(0.0) == 0.0,
	   "pure DP to zCDP");
}

/* Discrete Laplace noise: scale, sensitivity, its rho in 120-digit arithmetic. */
static const struct
{
	uint64_t	scale;
	uint64_t	sensitivity;
	double		rho;
}			laplace_rhos[] = {
	{1, 1, 4.621171572600097585e-1},
	{1, 2, 1.2642411176571153568},
	{1, 7, 6.1498578086559832973},
	{1, 1000, 9.9914908187176067845e+2},
	{2, 1, 1.2245933120185456464e-1},
	{2, 3, 7.5457989003041224304e-1},
	{3, 1, 5.5046804308209784578e-2},
	{3, 10, 2.3866364061232917225},
	{100, 1, 4.9999583337499957838e-5},
	{255, 1, 7.6893403955678268604e-6},
	{257, 64, 2.8586533588072498131e-2},
	{257, 300, 4.785182549611323938e-1},
	{UINT64_C(549755813888), 1, 1.6543612251060553497e-24},
	{UINT64_C(2199023255552), UINT64_C(1099511627776), 1.065306597126334236e-1},
	{UINT64_C(1099511627776), UINT64_C(1099511627775), 3.678794411708674113e-1},
	{UINT64_C(1099511627776), UINT64_C(1099511627776), 3.678794411714423216e-1},
	{UINT64_C(1099511627776), UINT64_C(1099511627777), 3.6787944117201723189e-1},
	{UINT64_C(2305843009213693952), 2097152, 4.1359030627638845137e-25},
	{UINT64_C(2305843009213693952), UINT64_C(2147483648), 4.3368086885956951248e-19},
	{UINT64_C(2305843009213693952), UINT64_C(2251799813685248), 4.7668197566223471179e-7},
	{UINT64_C(1125899906842624), UINT64_C(72057594037927936), 6.3e+1},
};

#ifdef HAVE_MPFR

/* Whether the Renyi divergence of order 1 + beta, of the law itself, is at most (1 + beta) rho;
 * *ratio is the quotient. */
static bool
holds_at(uint64_t scale, uint64_t sensitivity, double beta, double rho, double *ratio)
{
	mpfr_t		x;
	mpfr_t		y;
	mpfr_t		s;
	mpfr_t		sum;
	mpfr_t		part;

	mpfr_inits2(600, x, y, s, sum, part, (mpfr_ptr) 0);
	mpfr_set_ui(x, scale, MPFR_RNDN);
	mpfr_ui_div(x, 1, x, MPFR_RNDN);
	mpfr_set_d(s, beta, MPFR_RNDN);
	mpfr_add_d(s, s, 0.5, MPFR_RNDN);
	/* cosh(sE) + tanh(x/2) coth(sx) sinh(sE) */
	mpfr_div_ui(y, x, 2, MPFR_RNDN);
	mpfr_tanh(y, y, MPFR_RNDN);
	mpfr_mul(part, s, x, MPFR_RNDN);
	mpfr_coth(part, part, MPFR_RNDN);
	mpfr_mul(y, y, part, MPFR_RNDN);
	mpfr_set_ui(part, sensitivity, MPFR_RNDN);
	mpfr_mul(x, x, part, MPFR_RNDN);
	mpfr_mul(part, s, x, MPFR_RNDN);
	mpfr_sinh_cosh(s, sum, part, MPFR_RNDN);
	mpfr_mul(s, s, y, MPFR_RNDN);
	mpfr_add(sum, sum, s, MPFR_RNDN);
	mpfr_log(sum, sum, MPFR_RNDN);
	mpfr_div_ui(x, x, 2, MPFR_RNDN);
	mpfr_sub(sum, sum, x, MPFR_RNDN);
	/* over (alpha - 1) alpha rho */
	mpfr_set_d(s, beta, MPFR_RNDN);
	mpfr_add_ui(part, s, 1, MPFR_RNDN);
	mpfr_mul(part, part, s, MPFR_RNDN);
	mpfr_mul_d(part, part, rho, MPFR_RNDN);
	mpfr_div(sum, sum, part, MPFR_RNDU);
	*ratio = mpfr_get_d(sum, MPFR_RNDU);
	mpfr_clears(x, y, s, sum, part, (mpfr_ptr) 0);
	return *ratio <= 1.0;
}

static void
test_laplace_orders(void)
{
	bool		holds = true;
	bool		is_tight = true;

	for (int bits = 0; bits < 62; bits++)
		for (double e = 1e-12; e < 1e3; e *= 7)
		{
			uint64_t	scale = (UINT64_C(1) << bits) + (bits % 3 == 1);
			double		shift = fmin(fmax(floor(e * (double) scale), 1.0), 0x1p62);
			double		ratio = 0;
			double		rho = dps_laplace_rho(scale, 1, (uint64_t) shift);

			for (double beta = 1e6; beta > 5e-13; beta *= 1e-2)
				holds = holds && holds_at(scale, (uint64_t) shift, beta, rho, &ratio);
			/* the last order is close to 1 */
			is_tight = is_tight && ratio > 1 - 1e-9;
		}
	ok(holds, "the divergence of discrete Laplace noise is at most alpha rho at all orders");
	ok(is_tight, "and no smaller rho would do");
}

#endif

static void
test_laplace_rho(void)
{
	bool		in_steps = true;
	bool		adds_up = true;
	bool		below_pure = true;

	for (size_t i = 0; i < sizeof(laplace_rhos) / sizeof(laplace_rhos[0]); i++)
		ok(from_above(dps_laplace_rho(laplace_rhos[i].scale, 1, laplace_rhos[i].sensitivity), laplace_rhos[i].rho, 2e-9),
		   "rho of discrete Laplace noise, %g / %g", (double) laplace_rhos[i].sensitivity, (double) laplace_rhos[i].scale);
	for (uint64_t t = 1; t < 2000; t = 3 * t + 1)
		for (uint64_t v = 1; v < 3000; v = 2 * v + 1)
		{
			double		rho = dps_laplace_rho(t, 1, v);

			for (uint64_t w = 1; w < 3000; w = 3 * w + 2)
				adds_up = adds_up && rho + dps_laplace_rho(t, 1, w) <= dps_laplace_rho(t, 1, v + w) * (1 + 1e-14);
			below_pure = below_pure && rho <= dps_pure_rho((double) v / (double) t) * (1 + 1e-14);
		}
	ok(adds_up, "coordinates that move by v and w cost no more than one that moves by v + w");
	ok(below_pure && dps_pure_rho(0.5) > 1.149 * dps_laplace_rho(UINT64_C(1) << 41, 1, UINT64_C(1) << 40) &&
	   dps_pure_rho(1) > 1.256 * dps_laplace_rho(UINT64_C(1) << 40, 1, UINT64_C(1) << 40),
	   "it is at most that of any mechanism of the same epsilon, 0.87 of it at 0.5 and 0.80 at 1");
	/* in steps: the rho of integers counted in them, that of a response at one step, never less than
	 * the divergence in steps, and rising with the step */
	for (uint64_t g = 1; g <= 8; g *= 2)
		for (uint64_t d = 1; d <= 9; d++)
			for (uint64_t t = 1; t <= 40; t = 2 * t + 1)
			{
				double		rho = dps_laplace_rho(t * g, g, d * g);

				in_steps = in_steps && fabs(rho - dps_laplace_rho(t, 1, d)) <= 1e-14 * rho &&
					dps_laplace_rho(t * g, 2 * g, d * g) >= rho * (1 - 1e-14) &&
					dps_rdp_geometric(1 + 1e-3, t * g, g, d * g) <= (1 + 1e-3) * rho * (1 + 1e-12) &&
					(d > 1 || fabs(rho - dps_pure_rho((double) d / (double) t)) <= 1e-12 * rho);
			}
	ok(in_steps && from_above(dps_laplace_rho(UINT64_C(1) << 40, UINT64_C(1) << 40, UINT64_C(1) << 40), tanh(0.5), 1e-12) &&
	   dps_laplace_rho(7, 100, 5) <= dps_pure_rho(5.0 / 7.0) * (1 + 1e-14) && dps_laplace_rho(1, 0, 1) == INFINITY,
	   "in steps it is that of integers counted in steps");
	ok(dps_laplace_rho(0, 1, 1) == INFINITY && dps_laplace_rho(0, 1, 0) == INFINITY && dps_laplace_rho(5, 1, 0) == 0 &&
	   dps_laplace_rho(1, 1, UINT64_MAX) >= 0x1p64 - 2, "without noise it is infinite, without a shift 0");
#ifdef HAVE_MPFR
	test_laplace_orders();
#endif
}

/* delta of the discrete Gaussian by summation. */
static double
discrete_delta(long n, long shift, double epsilon)
{
	long double total = 0;
	long double sum = 0;

	for (long k = -40 * n - shift; k <= 40 * n; k++)
	{
		long double scaled = (long double) k / n;
		long double moved = (long double) (k + shift) / n;
		long double loss = 0.5L * (moved * moved - scaled * scaled);

		total += expl(-0.5L * scaled * scaled);
		if (loss > epsilon)
			sum += expl(-0.5L * scaled * scaled) * -expm1l((long double) epsilon - loss);
	}
	return (double) (sum / total);
}

static void
test_profile(void)
{
	double		worst_bound = INFINITY;
	double		worst_continuous = INFINITY;
	double		loosest = 0;

	for (long n = 1; n <= 64; n += 1 + n / 4)
		for (long shift = 1; shift <= 4 * n && shift <= 40; shift++)
			for (double epsilon = 0; epsilon < 12; epsilon += 0.37)
			{
				double		exact = discrete_delta(n, shift, epsilon);
				double		bound = dps_discrete_gaussian_delta((uint64_t) n, (uint64_t) shift, epsilon);
				double		smaller = shift > 1 ?
					dps_discrete_gaussian_delta((uint64_t) n, (uint64_t) shift - 1, epsilon) : 0;

				if (exact < 1e-12)
					continue;
				worst_bound = fmin(worst_bound, bound / exact);
				worst_continuous = fmin(worst_continuous,
										dps_gaussian_delta((double) shift / n, epsilon) / exact);
				if (n >= 32 && exact > 1e-4)
					loosest = fmax(loosest, bound / exact);
				if (smaller > bound * (1 + 1e-12))
					worst_bound = 0;
			}
	diag("bound / exact >= %.6f, continuous / exact >= %.6f, bound / exact <= %.3f for N >= 32",
		 worst_bound, worst_continuous, loosest);
	ok(worst_bound >= 1 - 1e-13, "the discrete profile is an upper bound and rises with the shift");
	ok(worst_continuous < 0.75, "the continuous formula would not have been one");
	ok(discrete_delta(2, 1, 2.8) > 1.34 * dps_gaussian_delta(0.5, 2.8),
	   "by a factor 1.35 at N = 2");
	ok(from_above(dps_discrete_gaussian_delta(UINT64_C(1) << 50, UINT64_C(1) << 49, 1.0),
				  dps_gaussian_delta(0.5, 1.0), 1e-11), "and at N = 2^50 they agree");
}

/* Conversions are monotone and inverse to each other, at all magnitudes. */
static void
test_conversion_grid(void)
{
	static const double deltas[] = {1e-300, 1e-15, 1e-10, 1e-6, 1e-3, 0.5, 0.999};
	bool		inverse = true;
	bool		monotone = true;
	bool		beats_simple = true;

	for (int i = 0; i < 7; i++)
	{
		double		last = -1;

		for (double epsilon = 0x1p-20; epsilon <= 64; epsilon *= 1.7)
		{
			double		rho = -1;
			double		back = -1;

			if (dps_zcdp_rho(epsilon, deltas[i], &rho) != DPS_OK ||
				dps_zcdp_epsilon(rho, deltas[i], &back) != DPS_OK)
				inverse = false;
			/* logarithms near 0 are absolute to 1e-16 */
			if (!(fabs(back - epsilon) <= 1e-9 * epsilon + 1e-15))
			{
				inverse = false;
				diag("epsilon %g delta %g rho %g back %.17g", epsilon, deltas[i], rho, back);
			}
			monotone = monotone && rho > last;
			last = rho;
			/* Bun and Steinke 2016, Proposition 1.3 */
			beats_simple = beats_simple &&
				back <= rho + 2 * sqrt(rho * log(1 / deltas[i])) + 1e-12;
		}
	}
	ok(inverse, "rho to epsilon inverts epsilon to rho");
	ok(monotone, "a larger epsilon allows a larger rho");
	ok(beats_simple, "the conversion is never worse than rho + 2 sqrt(rho ln(1/delta))");
}

/* What is out of range is refused, or costs everything. */
static void
test_refusals(void)
{
	static const double bad_delta[] = {0, 1, -1e-9, 2, NAN, INFINITY};
	static const double bad_amount[] = {-1e-9, NAN, INFINITY, -INFINITY};
	double		result = -7;
	bool		refused = true;

	for (int i = 0; i < 6; i++)
		refused = refused && dps_zcdp_epsilon(0.5, bad_delta[i], &result) == DPS_DOMAIN &&
			dps_zcdp_rho(0.5, bad_delta[i], &result) == DPS_DOMAIN &&
			dps_rdp_epsilon(2, 0.5, bad_delta[i], &result) == DPS_DOMAIN;
	for (int i = 0; i < 4; i++)
		refused = refused && dps_zcdp_epsilon(bad_amount[i], 1e-6, &result) == DPS_DOMAIN &&
			dps_zcdp_rho(bad_amount[i], 1e-6, &result) == DPS_DOMAIN &&
			dps_rdp_epsilon(2, bad_amount[i], 1e-6, &result) == DPS_DOMAIN &&
			dps_rdp_epsilon(bad_amount[i], 0.5, 1e-6, &result) == DPS_DOMAIN &&
			dps_gaussian_delta(1, bad_amount[i]) == 1 &&
			dps_gaussian_delta(bad_amount[i], 1) == 1 &&
			dps_discrete_gaussian_delta(1, 1, bad_amount[i]) == 1;
	refused = refused && dps_rdp_epsilon(1, 0.5, 1e-6, &result) == DPS_DOMAIN && result == -7;
	ok(refused, "arguments out of range are refused");
	ok(dps_pure_rho(-1) == INFINITY && dps_pure_rho(NAN) == INFINITY &&
	   dps_pure_rho(INFINITY) == INFINITY && dps_gaussian_rho(0, 1) == INFINITY &&
	   dps_rdp_gaussian(1, 1, 1) == INFINITY && dps_rdp_gaussian(NAN, 1, 1) == INFINITY &&
	   dps_rdp_laplace(1, 1, 1) == INFINITY && dps_rdp_laplace(NAN, 1, 1) == INFINITY &&
	   dps_rdp_laplace(2, 0, 1) == INFINITY && dps_discrete_gaussian_delta(0, 1, 1) == 1,
	   "or cost everything");

	/* an order close to 1 must not turn a loss into a gain */
	ok(dps_rdp_epsilon(1 + 0x1p-52, 0.5, 0.9, &result) == DPS_OK && result >= 0,
	   "a negative epsilon is reported as 0");
	ok(dps_zcdp_epsilon(1e300, 1e-6, &result) != DPS_OK || result >= 1e300,
	   "a huge rho does not become a small epsilon");
	ok(dps_zcdp_epsilon(0, 1e-6, &result) == DPS_OK && result == 0, "no loss at all");
}

int
main(void)
{
	double		epsilon = 0;

	test_gaussian_facts();
	ok(dps_zcdp_epsilon(0.5, 1e-6, &epsilon) == DPS_OK && fabs(epsilon - 5.2215) < 5e-5,
	   "rho = 0.5 at delta = 1e-6 is epsilon = 5.2215, not 5.757");
	test_rdp();
	test_rdp_steps();
	test_pure();
	test_laplace_rho();
	test_profile();
	test_conversion_grid();
	test_refusals();
	return done_testing();
}

/*
 * test_two_draws.c
 *		Laws of two draws, and intervals of what depends on two noised integers.
 *
 * Intervals are counted: 8,000 draws of each case.  One of level p holds in a share of them that
 * is further from p than sqrt(11 / 8,000) = 0.037 with a probability of 2 exp(-22) at
 * most (Hoeffding), for fewer than 100 shares below 1e-7.  Draws follow from a seed.  Either
 * side is asked for: intervals of quotients hold as often as they say, and not more often.
 */
#include <math.h>
#include <stdint.h>

#include "noise/two_draws.h"
#include "num/whole.h"
#include "splitmix.h"
#include "tap.h"

#define DRAWS 8000
#define SLACK 0.037

static const DpsMechanism *const mechanisms[] = {&dps_laplace, &dps_gaussian};
static const double levels[] = {0.5, 0.8, 0.95, 0.99};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static uint64_t state = 20240915;

static double
uniform(void)
{
	return ((double) (splitmix64(&state) >> 11) + 0.5) * 0x1p-53;
}

/* One draw of a scale that is large. */
static double
draw(const DpsMechanism *mechanism, double scale)
{
	double		sign = uniform() < 0.5 ? -1.0 : 1.0;

	if (mechanism == &dps_laplace)
		return sign * scale * -log(uniform());
	return scale * sqrt(-2.0 * log(uniform())) * cos(2.0 * M_PI * uniform());
}

/* ---- laws ---- */

/* P(|X| > r) of one continuous draw. */
static double
beyond_one(const DpsMechanism *mechanism, double scale, double r)
{
	return mechanism == &dps_laplace ? exp(-r / scale) : erfc(r / scale * M_SQRT1_2);
}

/* P(X > r) */
static double
above(const DpsMechanism *mechanism, double scale, double r)
{
	double		beyond = beyond_one(mechanism, scale, fabs(r)) / 2.0;

	return r > 0.0 ? beyond : 1.0 - beyond;
}

static double
density(const DpsMechanism *mechanism, double scale, double x)
{
	if (mechanism == &dps_laplace)
		return exp(-fabs(x) / scale) / (2.0 * scale);
	return exp(-x * x / (2.0 * scale * scale)) / (scale * sqrt(2.0 * M_PI));
}

/* P(|a X + b Y| > r) by the rule of Simpson over halves of b Y, which have no kink but at ends
 * that are given: 0 and r. */
static double
integrate(const DpsMechanism *mechanism, double a, double b, double r, double from, double to)
{
	int			n = 4000;
	double		sum = 0.0;
	int			i;

	for (i = 0; i <= n; i++)
	{
		double		y = from + (to - from) * i / n;

		sum += (i == 0 || i == n ? 1 : i % 2 == 0 ? 2 : 4) * density(mechanism, b, y) *
			(above(mechanism, a, r - y) + above(mechanism, a, r + y));
	}
	return sum * (to - from) / n / 3.0;
}

static void
test_laws(const DpsMechanism *mechanism)
{
	static const double ratios[] = {1.0, 1.0 - 1e-12, 0.999, 0.5, 0.01};
	double		worst = 0.0;
	size_t		i;
	int			k;

	for (i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++)
	{
		for (k = 0; k < 12; k++)
		{
			double		a = 3.0;
			double		b = a * ratios[i];
			double		r = k * 1.7 + 0.001;
			double		got = mechanism->beyond(a, b, r);
			double		expected = 2.0 * (integrate(mechanism, a, b, r, 0.0, fmin(r, 40.0 * b)) + integrate(mechanism, a, b, r, fmin(r, 40.0 * b), fmin(r, 40.0 * b) + 40.0 * b));

			worst = fmax(worst, fabs(got / expected - 1.0));
			worst = fmax(worst, fabs(mechanism->beyond(b, a, r) / got - 1.0));
		}
	}
	ok(worst < 1e-6, "%s: the law of two draws is their convolution (%g)", mechanism->name, worst);
	ok(mechanism->beyond(2.0, 0.0, 5.0) == beyond_one(mechanism, 2.0, 5.0) && mechanism->beyond(0.0, 0.0, 1.0) == 0.0 &&
	   mechanism->beyond(0.0, 0.0, 0.0) == 1.0 && mechanism->beyond(1.0, 1.0, 0.0) == 1.0,
	   "%s: of one draw it is that, of none nothing is beyond", mechanism->name);
}

/* P(|X + Y| > r) for whole numbers. */
static double
beyond_whole(const DpsMechanism *mechanism, int s, int t, double r)
{
	double		all = 0.0;
	double		beyond = 0.0;
	int			x;
	int			y;

	for (x = -40 * s; x <= 40 * s; x++)
	{
		for (y = -40 * t; y <= 40 * t; y++)
		{
			double		p = density(mechanism, s, x) * density(mechanism, t, y);

			all += p;
			if (fabs((double) x + y) > r)
				beyond += p;
		}
	}
	return beyond / all;
}

static void
test_tails(const DpsMechanism *mechanism)
{
	static const double probabilities[] = {0.9, 0.5, 0.1, 0.01, 1e-4};
	bool		kept = true;
	bool		tight = true;
	size_t		i;

	for (i = 0; i < sizeof(probabilities) / sizeof(probabilities[0]); i++)
	{
		double		p = probabilities[i];
		double		tail = dps_tail_of_two(mechanism, UINT64_C(1) << 40, UINT64_C(1) << 39, p);

		kept = kept && beyond_whole(mechanism, 7, 4, dps_tail_of_two(mechanism, 7, 4, p)) <= p;
		kept = kept && beyond_whole(mechanism, 1, 1, dps_tail_of_two(mechanism, 1, 1, p)) <= p;
		tight = tight && fabs(mechanism->beyond(0x1p40, 0x1p39, tail) / p - 1.0) < 1e-6;
		tight = tight && fabs(dps_tail_of_two(mechanism, UINT64_C(1) << 40, 0, p) / mechanism->tail(UINT64_C(1) << 40, 1, p) - 1.0) < 1e-6;
	}
	ok(kept, "%s: tails of two hold for whole numbers, however small their scales", mechanism->name);
	ok(tight, "%s: and are no longer than they must be", mechanism->name);
	ok(dps_tail_of_two(mechanism, 5, 5, 1.0) == 0.0 && dps_tail_of_two(mechanism, 0, 0, 0.1) == 0.0 && isinf(dps_tail_of_two(mechanism, 5, 5, 0.0)),
	   "%s: of what is certain, without noise, and of nothing", mechanism->name);
}

/* Two draws in steps, against the sum over all pairs: no shorter and no longer by a step. */
static void
test_steps_of_two(void)
{
	static const double probabilities[] = {0.9, 0.5, 0.1, 0.01, 1e-4, 1e-9};
	static const double scales[] = {0.125, 0.33, 1, 2.75, 9.3};
	bool		right = true;
	size_t		i;
	size_t		j;

	for (j = 0; j < sizeof(scales) / sizeof(scales[0]); j++)
	{
		uint64_t	scale = (uint64_t) (scales[j] * 0x1p40);
		double		t = (double) scale * 0x1p-40;
		double		beyond[801] = {0};	/* P(|X + Y| > r) */
		double		all = 0;
		long		n = 400;
		long		x;
		long		y;

		for (x = -n; x <= n; x++)
			for (y = -n; y <= n; y++)
			{
				double		p = exp(-((double) labs(x) + (double) labs(y)) / t);

				all += p;
				if (x + y != 0)
					beyond[labs(x + y) - 1] += p;
			}
		for (x = 799; x >= 0; x--)
			beyond[x] += beyond[x + 1];
		for (i = 0; i < sizeof(probabilities) / sizeof(probabilities[0]); i++)
		{
			double		tail = dps_tail_of_steps(scale, UINT64_C(1) << 40, probabilities[i]) * 0x1p-40;
			long		r = lrint(tail);

			right = right && tail == (double) r && beyond[r] <= all * probabilities[i] * (1 + 1e-9) &&
				(r == 0 || beyond[r - 1] > all * probabilities[i] * (1 - 1e-9));
		}
	}
	ok(right, "tails of two draws in steps are the shortest");
	ok(dps_tail_of_steps(5, 4, 1.0) == 0.0 && isinf(dps_tail_of_steps(5, 4, 0.0)) &&
	   dps_tail_of_steps(UINT64_C(1) << 61, 2, 1e-300) < 0x1p72, "of what is certain, and of nothing");
}

/* ---- roots ---- */

/* How often the interval of X / Y holds it. */
static void
test_quotient(const DpsMechanism *mechanism, double m, double rows, double count_scale)
{
	int			held[LEVELS] = {0};
	size_t		k;
	int			i;

	for (i = 0; i < DRAWS; i++)
	{
		DpsNoisedForm form = {mechanism, {1.0, 0.0}, {0.0, -1.0}, {m * rows + draw(mechanism, 0x1p40), rows + draw(mechanism, count_scale)},
			{UINT64_C(1) << 40, dps_to_uint64(count_scale)}, 0
		};

		for (k = 0; k < LEVELS; k++)
		{
			double		lower;
			double		upper;

			dps_noised_root(&form, 1.0 - levels[k], -1e3, 1e3, &lower, &upper);
			held[k] += lower <= m && m <= upper;
		}
	}
	for (k = 0; k < LEVELS; k++)
		ok(fabs((double) held[k] / DRAWS - levels[k]) < SLACK, "%s, %g over %g rows with a scale of %g: the interval of %g holds it in %.4f of the draws",
		   mechanism->name, m, rows, count_scale, levels[k], (double) held[k] / DRAWS);
}

/* The same of one K-norm draw for so many integers, of which it is the first and the last. */
static void
test_box(int n, double m, double rows, double width)
{
	int			held[LEVELS] = {0};
	double		scale = 0x1p40;

	for (int i = 0; i < DRAWS; i++)
	{
		double		radius = 0.0;
		DpsNoisedForm form = {
			.constant = {1.0, 0.0}, .slope = {0.0, -1.0}, .value = {m * rows, rows},
			.scale = {UINT64_C(1) << 40, dps_to_uint64(scale * width)}, .box = n
		};

		for (int k = 0; k <= n; k++)
			radius -= scale * log(uniform());
		form.value[0] += radius * (2.0 * uniform() - 1.0);
		form.value[1] += radius * width * (2.0 * uniform() - 1.0);
		for (size_t k = 0; k < LEVELS; k++)
		{
			double		lower;
			double		upper;

			dps_noised_root(&form, 1.0 - levels[k], -1e3, 1e3, &lower, &upper);
			held[k] += lower <= m && m <= upper;
		}
	}
	for (size_t k = 0; k < LEVELS; k++)
		ok(fabs((double) held[k] / DRAWS - levels[k]) < SLACK, "one draw for %d, %g over %g rows with a width of %g: the interval of %g holds it in %.4f of the draws",
		   n, m, rows, width, levels[k], (double) held[k] / DRAWS);
}

/* The share of a pair: also beside its ends. */
static void
test_pair(const DpsMechanism *mechanism, double share, double rows)
{
	int			held[LEVELS] = {0};
	bool		inside = true;
	size_t		k;
	int			i;

	for (i = 0; i < DRAWS; i++)
	{
		DpsNoisedForm form = {mechanism, {1.0, 0.0}, {-1.0, -1.0},
			{share * rows + draw(mechanism, 0x1p40), (1.0 - share) * rows + draw(mechanism, 0x1p40)}, {UINT64_C(1) << 40, UINT64_C(1) << 40}, 0
		};

		for (k = 0; k < LEVELS; k++)
		{
			double		lower;
			double		upper;

			dps_noised_root(&form, 1.0 - levels[k], 0.0, 1.0, &lower, &upper);
			held[k] += lower <= share && share <= upper;
			inside = inside && 0.0 <= lower && lower <= upper && upper <= 1.0;
		}
	}
	for (k = 0; k < LEVELS; k++)
		ok((double) held[k] / DRAWS > levels[k] - SLACK && inside, "%s, share %g of %g: the interval of %g holds it in %.4f of the draws", mechanism->name, share,
		   rows, levels[k], (double) held[k] / DRAWS);
}

static void
test_edges(void)
{
	DpsNoisedForm form = {&dps_laplace, {1.0, 0.0}, {0.0, -1.0}, {5.0, 2.0}, {0, 0}, 0};
	double		lower;
	double		upper;

	dps_noised_root(&form, 0.05, 0.0, 10.0, &lower, &upper);
	ok(fabs(lower - 2.5) < 1e-12 && fabs(upper - 2.5) < 1e-12, "without noise there is one root");
	dps_noised_root(&form, 0.05, 0.0, 2.0, &lower, &upper);
	ok(lower == 2.0 && upper == 2.0, "which may be beyond the ends");
	form.scale[1] = 10;
	dps_noised_root(&form, 0.05, 0.0, 10.0, &lower, &upper);
	ok(lower == 0.0 && upper == 10.0, "nothing is known of a quotient by what may be nothing");
	form.value[1] = -1e6;
	dps_noised_root(&form, 0.05, 0.0, 10.0, &lower, &upper);
	ok(lower == 0.0 && upper == 10.0, "nor by what is less");
}

/* ---- several ---- */

/* The quantile of one of n that share a draw, at what dps_miss_of_each leaves to it, holds for all. */
static void
test_several(const DpsMechanism *mechanism, int n, double level)
{
	double		each = dps_miss_of_each(1.0 - level, n);
	double		either = dps_tail_of_two(mechanism, UINT64_C(1) << 40, UINT64_C(1) << 40, each);
	double		above_one = dps_tail_of_two(mechanism, UINT64_C(1) << 40, UINT64_C(1) << 40, 2.0 * each);
	int			held = 0;
	int			below = 0;
	int			i;
	int			k;

	for (i = 0; i < DRAWS; i++)
	{
		double		shared = draw(mechanism, 0x1p40);
		double		far = 0.0;
		double		most = -INFINITY;

		for (k = 0; k < n; k++)
		{
			double		difference = draw(mechanism, 0x1p40) - shared;

			far = fmax(far, fabs(difference));
			most = fmax(most, difference);
		}
		held += far <= either;
		below += most <= above_one;
	}
	ok((double) held / DRAWS > level - SLACK && (double) below / DRAWS > level - SLACK, "%s: %d that share a draw hold at once in %.4f and %.4f of the draws, for %g",
	   mechanism->name, n, (double) held / DRAWS, (double) below / DRAWS, level);
}

int
main(void)
{
	int			i;

	for (i = 0; i < 2; i++)
	{
		test_laws(mechanisms[i]);
		test_tails(mechanisms[i]);
		test_quotient(mechanisms[i], 0.0, 0x1p50, 0x1p40);
		test_quotient(mechanisms[i], 1.0, 0x1p45, 0x1p40);
		test_quotient(mechanisms[i], -2.0, 0x1p45, 0x1p39);
		test_pair(mechanisms[i], 0.5, 0x1p44);
		test_pair(mechanisms[i], 0.02, 0x1p42);
		test_pair(mechanisms[i], 1.0, 0x1p41);
		test_several(mechanisms[i], 2, 0.95);
		test_several(mechanisms[i], 12, 0.5);
	}
	test_edges();
	ok(dps_miss_of_each(0.05, 1) == 0.05 && fabs(pow(1.0 - dps_miss_of_each(0.05, 7), 7) - 0.95) < 1e-12, "what each may miss");
	test_steps_of_two();
	test_box(3, 0.7, 0x1p44, 1.0);
	test_box(9, -1.0, 0x1p46, 0.3);
	test_box(2, 0.0, 0x1p43, 1.0);
	return done_testing();
}

/*
 * test_descent.c
 *		Clipping onto a grid, whatever the gradient; steps of the optimizers.
 */
#include <math.h>
#include <string.h>

#include "tap.h"
#include "tensor/network/descent.h"

#define MAX_NUMBERS 5000

static uint64_t noise_state = 20260102;

static double
any_number(void)
{
	noise_state = noise_state * 6364136223846793005u + 1442695040888963407u;
	return (double) (noise_state >> 11) * 0x1p-52 - 1;
}

static double gradient[MAX_NUMBERS];
static int64_t rounded[MAX_NUMBERS];

static long double
integer_norm(int n)
{
	long double sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += (long double) rounded[i] * rounded[i];
	return sqrtl(sum);
}

static double
real_norm(int n)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum = hypot(sum, gradient[i]);
	return sum;
}

/* Gradients of norms below, at and far above the clip. */
static void
test_clipping(void)
{
	static const int sizes[] = {1, 2, 9, 216, MAX_NUMBERS};
	static const double clips[] = {0.1, 1, 1e-150, 3e200};
	static const double factors[] = {1e-60, 1e-3, 0.999999, 1, 1.000001, 1e3, 1e60};
	bool		within = true;
	bool		normed = true;
	bool		kept = true;
	bool		close = true;
	bool		fine = true;
	size_t		s;
	size_t		c;
	size_t		f;
	int			i;

	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (c = 0; c < sizeof(clips) / sizeof(clips[0]); c++)
			for (f = 0; f < sizeof(factors) / sizeof(factors[0]); f++)
			{
				int			n = sizes[s];
				DpsClipping clipping;
				double		norm;
				double		scale;

				for (i = 0; i < n; i++)
					gradient[i] = any_number();
				norm = real_norm(n);
				for (i = 0; i < n; i++)
					gradient[i] *= clips[c] * factors[f] / norm;
				norm = real_norm(n);
				if (!dps_clipping_init(&clipping, clips[c], n))
					abort();
				fine &= clipping.bound >= UINT64_C(1) << 39 && clipping.bound < (UINT64_C(1) << 40) + 200;
				kept &= dps_clip_gradient(&clipping, gradient, n, rounded);
				within &= integer_norm(n) <= clipping.bound;
				normed &= dps_clipped_norm(rounded, n) >= integer_norm(n) - 1e-6L && dps_clipped_norm(rounded, n) < integer_norm(n) + 1.001L &&
					dps_clipped_norm(rounded, n) <= clipping.bound;
				scale = norm > clips[c] ? clips[c] / norm : 1;
				for (i = 0; i < n; i++)
					close &= fabs(ldexp((double) rounded[i], clipping.grid) - gradient[i] * scale) <= ldexp(0.51, clipping.grid);
			}
	ok(within, "clipped gradients are within the bound");
	ok(normed, "their norm is rounded up, and within the bound");
	ok(kept, "none of them is dropped");
	ok(close, "each number is rounded to the nearest of the grid");
	ok(fine, "and the grid is fine");
}

static void
test_bad_gradients(void)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	DpsClipping clipping;
	bool		dropped = true;
	size_t		k;
	int			i;

	if (!dps_clipping_init(&clipping, 1, 10))
		abort();
	for (k = 0; k < 3; k++)
	{
		for (i = 0; i < 10; i++)
		{
			gradient[i] = i == 9 ? bad[k] : 0.1;
			rounded[i] = 7;
		}
		dropped &= !dps_clip_gradient(&clipping, gradient, 10, rounded) && integer_norm(10) == 0;
	}
	ok(dropped, "a gradient that is no vector of numbers counts as 0");
	/* a bound that is too small for what arrives */
	clipping.bound = UINT64_C(1) << 30;
	for (i = 0; i < 10; i++)
		gradient[i] = 0.3;
	ok(!dps_clip_gradient(&clipping, gradient, 10, rounded) && integer_norm(10) == 0, "so does one beyond the bound");
	for (i = 0; i < 10; i++)
		gradient[i] = i % 2 == 0 ? 5e307 : -5e307;
	clipping.bound = UINT64_C(1) << 41;
	ok(dps_clip_gradient(&clipping, gradient, 10, rounded) && fabs((double) integer_norm(10) * ldexp(1, clipping.grid) - 1) < 1e-9,
	   "a huge gradient is clipped without overflow");
	ok(!dps_clipping_init(&clipping, 0, 1) && !dps_clipping_init(&clipping, NAN, 1) && !dps_clipping_init(&clipping, INFINITY, 1) &&
	   !dps_clipping_init(&clipping, -1, 1) && !dps_clipping_init(&clipping, 1e-300, 1), "other clips are refused");
}

/* Clips that take the charged one's place, from much smaller to much greater. */
static void
test_following(void)
{
	static const int64_t sizes[] = {1, 9, MAX_NUMBERS, 1 << 24};
	static const uint64_t scales[] = {0, 1, 1000, UINT64_C(3) << 40, UINT64_C(1) << 50};
	bool		covered = true;
	bool		no_finer = true;
	bool		close = true;
	bool		valid = true;
	int			i;

	for (i = 0; i < 100000; i++)
	{
		int64_t		n = sizes[i % 4];
		uint64_t	scale = scales[i % 5];
		double		clip = ldexp(1.5 + any_number() / 2, (int) (any_number() * 100));
		double		other = i % 7 == 0 ? ldexp(clip, i % 3 - 1) : ldexp(1.5 + any_number() / 2, (int) (any_number() * 100));
		DpsClipping charged;
		DpsClipping clipping;
		uint64_t	drawn;

		if (!dps_clipping_init(&charged, clip, n))
			abort();
		valid &= dps_clipping_follow(&charged, scale, other, n, &clipping, &drawn);
		covered &= (unsigned __int128) clipping.bound * scale <= (unsigned __int128) charged.bound * drawn;
		no_finer &= clipping.bound >= charged.bound && drawn >= scale;
		close &= drawn <= 2 * scale + 1;
		/* the grid is the clip's */
		valid &= clipping.clip == other && (double) clipping.bound >= ldexp(other, -clipping.grid);
	}
	ok(valid, "another clip is followed on a grid of its own");
	ok(covered, "by noise of no fewer clips than was charged");
	ok(no_finer, "and neither bound nor scale is less than what was charged");
	ok(close, "nor is the scale much more than twice as much");
}

/* Twice in one dimension, by hand. */
static void
check_optimizer(const char *name, double first, double second)
{
	const DpsOptimizer *optimizer = dps_find_optimizer(name);
	double		parameter = 1;
	double		states[2] = {0};
	double		slope = 2;
	bool		right;

	optimizer->step(&parameter, &slope, states, 1, 0.1, 0.9, 1);
	right = fabs(parameter - first) < 1e-9;
	slope = -3;
	optimizer->step(&parameter, &slope, states, 1, 0.1, 0.9, 2);
	ok(right && fabs(parameter - second) < 1e-9, "%s", name);
	if (!right || fabs(parameter - second) >= 1e-9)
		diag("%.17g", parameter);
}

static void
test_projection(void)
{
	double		parameters[5] = {-3, -0.5, 0, INFINITY, NAN};

	dps_project(parameters, 5, 0.5);
	ok(parameters[0] == -0.5 && parameters[1] == -0.5 && parameters[2] == 0 && parameters[3] == 0.5 && isnan(parameters[4]),
	   "parameters are brought into a box, and NaN is not hidden");
}

int
main(void)
{
	test_projection();
	test_clipping();
	test_bad_gradients();
	test_following();
	check_optimizer("sgd", 0.8, 1.1);
	check_optimizer("momentum", 0.8, 0.92);
	/* mean -0.12 / 0.19, square 0.012996 / 0.001999 */
	check_optimizer("adam", 1 - 0.1 * 2 / (2 + 1e-8), 1 - 0.1 * 2 / (2 + 1e-8) +
					0.1 * (0.12 / 0.19) / (sqrt(0.012996 / 0.001999) + 1e-8));
	ok(dps_find_optimizer("SGD") == NULL, "an unknown optimizer is not found");
	return done_testing();
}

/*
 * test_samplers.c
 *		Draws of every mechanism against its exact distribution, by chi-square.
 *
 * The randomness is the kernel's, so a failure prints the counts and what they
 * should have been.  A test fails when p < 1e-9: 63 tests would make a false
 * alarm in 6.3e-8 of all runs.  Every bin expects at least 1000 draws, where the
 * chi-square approximation to such a tail is good to a factor of a few, so the
 * rate is below 1e-8 a test and 1e-6 in all.
 *
 * Careless samplers (a rounded continuous draw; a draw in doubles at a scale
 * beyond their precision) go through the same tests and must fail.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include <sys/random.h>

#include <gsl/gsl_cdf.h>

#include "noise/mechanism.h"
#include "tap.h"

#define DRAWS 1000000
#define P_VALUE 1e-9
#define LEAST_EXPECTED 1000
#define MAX_BINS 256

typedef DpsStatus (*Sampler) (DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise);

static __int128 draws[DRAWS];
static DpsRandom source;

/* tap.h opens a file for every block, which would dominate the time. */
static bool
kernel_bytes(void *context, void *buffer, size_t size)
{
	(void) context;
	return getrandom(buffer, size, 0) == (ssize_t) size;
}

static bool
draw_all(Sampler sampler, uint64_t scale, double *nanoseconds)
{
	struct timespec before;
	struct timespec after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < DRAWS; i++)
	{
		if (sampler(&source, scale, 1, &draws[i]) != DPS_OK)
			return false;
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	*nanoseconds = ((double) (after.tv_sec - before.tv_sec) * 1e9 +
					(double) (after.tv_nsec - before.tv_nsec)) / DRAWS;
	return true;
}

/* A histogram with the probability of each bin. */
typedef struct Histogram
{
	int			bins;
	long		total;
	long		observed[MAX_BINS];
	double		probability[MAX_BINS];
} Histogram;

static double
chi_square_p(const Histogram *histogram)
{
	double		statistic = 0;

	for (int i = 0; i < histogram->bins; i++)
	{
		double		expected = (double) histogram->total * histogram->probability[i];
		double		difference = (double) histogram->observed[i] - expected;

		statistic += difference * difference / expected;
	}
	return gsl_cdf_chisq_Q(statistic, histogram->bins - 1);
}

static bool
bins_are_sound(const Histogram *histogram)
{
	double		sum = 0;
	bool		sound = true;

	for (int i = 0; i < histogram->bins; i++)
	{
		sum += histogram->probability[i];
		sound = sound && histogram->probability[i] * (double) histogram->total >= LEAST_EXPECTED;
	}
	return sound && histogram->bins > 1 && fabs(sum - 1) < 1e-9;
}

static void
print_histogram(const Histogram *histogram)
{
	for (int i = 0; i < histogram->bins; i++)
		diag("bin %d: %ld observed, %.1f expected", i, histogram->observed[i],
			 (double) histogram->total * histogram->probability[i]);
}

/* Passes if the draws fit; for a careless sampler, if they do not. */
static void
check(const Histogram *histogram, bool careless, const char *name, uint64_t scale, const char *what)
{
	double		p = chi_square_p(histogram);

	if (!ok(bins_are_sound(histogram) && (careless ? p < P_VALUE : p >= P_VALUE),
			"%s%s, scale 2^%g, %s: p = %.2g in %d bins", careless ? "careless " : "", name,
			log2((double) scale), what, p, histogram->bins))
		print_histogram(histogram);
}

/* --- exact distributions -------------------------------------------------- */

/* P(Z >= m) for m >= 1. */
typedef double (*UpperTail) (uint64_t scale, double m);

static double
laplace_upper(uint64_t scale, double m)
{
	return exp(-m / (double) scale) / (1 + exp(-1 / (double) scale));
}

/* Summed up to 2^10; above, the midpoint rule is good to 1/24 scale^2. */
static double
gaussian_upper(uint64_t scale, double m)
{
	double		n = (double) scale;
	double		half = 0.5;
	double		upper = 0;

	if (scale > 1024)
		return gsl_cdf_ugaussian_Q((m - 0.5) / n);
	for (double z = 1; z < 40 * n; z++)
	{
		half += exp(-0.5 * (z / n) * (z / n));
		if (z >= m)
			upper += exp(-0.5 * (z / n) * (z / n));
	}
	return upper / (2 * half);
}

/*
 * Edges of classes of |z|: class c holds edges[c] <= |z| < edges[c + 1], the last
 * class everything beyond.  Class 0 is zero alone where that is heavy enough.
 * About 40 classes of equal weight, as far out as LEAST_EXPECTED allows.
 */
static int
choose_edges(double edges[], UpperTail upper, uint64_t scale)
{
	double		step = fmax(1, floor((double) scale / 64));
	double		least = (double) LEAST_EXPECTED / DRAWS;
	double		beyond = 0.5;
	double		tail;
	int			classes = 1;

	edges[0] = 0;
	for (double m = 1; (tail = upper(scale, m)) >= least; m += step)
	{
		if (beyond - tail < fmax(0.0125, least) && beyond - tail < 0.5 * beyond)
			continue;
		edges[classes++] = m;
		beyond = tail;
	}
	return classes;
}

/* The class of a magnitude: the last edge that is not above it. */
static int
find_class(const double edges[], int classes, double magnitude)
{
	int			lo = 0;
	int			hi = classes - 1;

	while (lo < hi)
	{
		int			middle = (lo + hi + 1) / 2;

		if (edges[middle] <= magnitude)
			lo = middle;
		else
			hi = middle - 1;
	}
	return lo;
}

/* Bin 0 is class 0; every other class c has bin 2c - 1 for positive draws and
 * bin 2c for negative ones. */
static void
fill_by_magnitude(Histogram *histogram, UpperTail upper, uint64_t scale)
{
	double		edges[MAX_BINS / 2];
	int			classes = choose_edges(edges, upper, scale);

	memset(histogram, 0, sizeof(*histogram));
	histogram->total = DRAWS;
	histogram->bins = 2 * classes - 1;
	histogram->probability[0] = 1 - 2 * upper(scale, edges[1]);
	for (int c = 1; c < classes; c++)
	{
		double		past = c + 1 < classes ? upper(scale, edges[c + 1]) : 0;

		histogram->probability[2 * c - 1] = histogram->probability[2 * c] =
			upper(scale, edges[c]) - past;
	}
	for (int i = 0; i < DRAWS; i++)
	{
		int			c = find_class(edges, classes, fabs((double) draws[i]));

		histogram->observed[c == 0 ? 0 : 2 * c - (draws[i] > 0)]++;
	}
}

/*
 * The low bits of z, uniform at large scales: a bin's relative deviation is
 * below (bins / scale)^2, 1e-4 for the 8 bins at 2^10 and 1e-8 for the 64 from
 * 2^20 on, against a relative standard deviation of 3e-3 and more.
 */
static void
fill_by_low_bits(Histogram *histogram, uint64_t scale)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->total = DRAWS;
	histogram->bins = scale < (UINT64_C(1) << 20) ? 8 : 64;
	for (int i = 0; i < histogram->bins; i++)
		histogram->probability[i] = 1.0 / histogram->bins;
	for (int i = 0; i < DRAWS; i++)
		histogram->observed[(uint64_t) draws[i] & (uint64_t) (histogram->bins - 1)]++;
}

/* The least m with P(|Z| >= m) below one half, for scales of 2^20 and more. */
static double
median_magnitude(UpperTail upper, uint64_t scale)
{
	double		median = 0;

	for (double step = 4 * (double) scale; step >= 1; step /= 2)
	{
		if (2 * upper(scale, median + step) >= 0.5)
			median += step;
	}
	return median + 1;
}

/*
 * Independence: of two draws in a row, whether each is above the median
 * magnitude and whether it is negative, four coins.  For scales of 2^20 and
 * more, where zero is too rare to matter.
 */
static void
fill_by_pairs(Histogram *histogram, UpperTail upper, uint64_t scale)
{
	double		median = median_magnitude(upper, scale);
	double		high = 2 * upper(scale, median);

	memset(histogram, 0, sizeof(*histogram));
	histogram->total = DRAWS / 2;
	histogram->bins = 16;
	for (int i = 0; i < 16; i++)
		histogram->probability[i] = 0.25 * (i & 1 ? high : 1 - high) * (i & 4 ? high : 1 - high);
	for (int i = 0; i < DRAWS; i += 2)
	{
		int			bin = 0;

		for (int j = 0; j < 2; j++)
			bin |= ((fabs((double) draws[i + j]) >= median) | (draws[i + j] < 0) << 1) << 2 * j;
		histogram->observed[bin]++;
	}
}

/* --- careless samplers ----------------------------------------------------- */

static double
uniform_double(DpsRandom *random)
{
	uint64_t	word = 0;

	if (dps_random_word(random, &word) != DPS_OK)
		exit(2);
	return ldexp((double) (word >> 11) + 0.5, -53);
}

static DpsStatus
careless_laplace(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	double		u = uniform_double(random) - 0.5;

	(void) step;
	*noise = (__int128) rint((u < 0 ? 1 : -1) * (double) scale * log1p(-2 * fabs(u)));
	return DPS_OK;
}

static DpsStatus
careless_gaussian(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	double		radius = sqrt(-2 * log(uniform_double(random)));

	(void) step;
	*noise = (__int128) rint((double) scale * radius * cos(2 * M_PI * uniform_double(random)));
	return DPS_OK;
}

/* --------------------------------------------------------------------------- */

static const int exponents[] = {0, 1, 2, 5, 10, 20, 30, 40, 50, 60};

static void
test_scales(const char *name, Sampler sampler, UpperTail upper)
{
	Histogram	histogram;

	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++)
	{
		uint64_t	scale = UINT64_C(1) << exponents[i];
		double		nanoseconds;

		if (!draw_all(sampler, scale, &nanoseconds))
		{
			ok(false, "%s, scale 2^%d: the source failed", name, exponents[i]);
			continue;
		}
		diag("%s, scale 2^%d: %.0f ns a draw", name, exponents[i], nanoseconds);
		fill_by_magnitude(&histogram, upper, scale);
		check(&histogram, false, name, scale, "magnitude");
		if (exponents[i] < 10)
			continue;
		fill_by_low_bits(&histogram, scale);
		check(&histogram, false, name, scale, "low bits");
		if (exponents[i] < 20)
			continue;
		fill_by_pairs(&histogram, upper, scale);
		check(&histogram, false, name, scale, "pairs");
	}
}

static void
test_careless(const char *name, Sampler sampler, UpperTail upper)
{
	Histogram	histogram;
	double		nanoseconds;

	if (!draw_all(sampler, 2, &nanoseconds))
		exit(2);
	fill_by_magnitude(&histogram, upper, 2);
	check(&histogram, true, name, 2, "magnitude");
	if (!draw_all(sampler, UINT64_C(1) << 60, &nanoseconds))
		exit(2);
	fill_by_low_bits(&histogram, UINT64_C(1) << 60);
	check(&histogram, true, name, UINT64_C(1) << 60, "low bits");
}

/* --- counts -------------------------------------------------------------------- */

#define ROW (UINT64_C(1) << 40)

/* Noise for one row at an epsilon, in rows: in steps of a row, or rounded to rows. */
static bool
draw_rows(double epsilon, bool careless)
{
	DpsTarget	target = {.epsilon = epsilon, .shares = 1};
	uint64_t	scale;

	if (dps_laplace.calibrate(&target, ROW, &scale) != DPS_OK)
		return false;
	for (int i = 0; i < DRAWS; i++)
	{
		__int128	noise;

		if (dps_laplace.draw(&source, scale, careless ? 1 : ROW, &noise) != DPS_OK)
			return false;
		draws[i] = careless ? (noise + ROW / 2) >> 40 : noise / (__int128) ROW;
		if (!careless && draws[i] * (__int128) ROW != noise)
			return false;
	}
	return true;
}

/* P(Z >= m) = q^m / (1 + q), q = e^-epsilon.  A bin for each number that is not too rare. */
static void
fill_by_rows(Histogram *histogram, double epsilon)
{
	double		q = exp(-epsilon);
	int			most = 1;

	while (DRAWS * pow(q, most + 1) / (1 + q) >= LEAST_EXPECTED && most < 60)
		most++;
	memset(histogram, 0, sizeof(*histogram));
	histogram->total = DRAWS;
	histogram->bins = 2 * most + 1;
	histogram->probability[most] = (1 - q) / (1 + q);
	for (int k = 1; k <= most; k++)
		histogram->probability[most - k] = histogram->probability[most + k] =
			pow(q, k) / (1 + q) * (k < most ? 1 - q : 1);
	for (int i = 0; i < DRAWS; i++)
	{
		__int128	z = draws[i];

		histogram->observed[z < -most ? 0 : z > most ? 2 * most : most + (int) z]++;
	}
}

/*
 * The variance of the draws over that of the geometric mechanism.  The mean of 10^6 squares has, relatively,
 * a standard deviation of sqrt(kurtosis - 1) / 1000, 0.0023 at epsilon 1 and 0.014 at 6, where 5000 squares
 * are not 0.  It is nearly normal, and beyond 6 deviations with 2e-9, or 1e-8 at epsilon 6.
 */
static void
test_rows(double epsilon, bool careless)
{
	Histogram	histogram;
	double		q = exp(-epsilon);
	double		variance = 2 * q / ((1 - q) * (1 - q));
	double		fourth = 2 * q * (1 + 10 * q + q * q) / pow(1 - q, 4);
	double		deviation = sqrt((fourth / (variance * variance) - 1) / DRAWS);
	double		squares = 0;
	double		ratio;

	if (!draw_rows(epsilon, careless))
		exit(2);
	fill_by_rows(&histogram, epsilon);
	check(&histogram, careless, "counts", ROW, "rows");
	for (int i = 0; i < DRAWS; i++)
		squares += (double) draws[i] * (double) draws[i];
	ratio = squares / DRAWS / variance;
	ok((fabs(ratio - 1) <= 6 * deviation) == !careless, "%scounts, epsilon %g: variance over the geometric mechanism's is %.3f, which deviates by %.3f",
	   careless ? "careless " : "", epsilon, ratio, deviation);
}

int
main(void)
{
	DpsHost		host = tap_host;

	host.random_bytes = kernel_bytes;
	dps_random_init(&source, &host);
	for (int i = 0; dps_mechanisms[i] != NULL; i++)
		test_scales(dps_mechanisms[i]->name, dps_mechanisms[i]->draw,
					dps_mechanisms[i]->norm == 1 ? laplace_upper : gaussian_upper);
	test_careless("laplace", careless_laplace, laplace_upper);
	test_careless("gaussian", careless_gaussian, gaussian_upper);
	for (int epsilon = 1; epsilon <= 3; epsilon++)
	{
		test_rows(epsilon, false);
		test_rows(epsilon, true);
	}
	test_rows(0.5, false);
	test_rows(6, false);
	dps_random_clear(&source);
	return done_testing();
}

/*
 * test_samplers.c
 *		Draws of every mechanism against its exact distribution, by chi-square.
 *
 * The randomness is the kernel's, so a failure prints the counts and what they
 * should have been.  A test fails when p < 1e-9: about 60 tests make a false
 * alarm in 6e-8 of all runs.  Every bin expects at least 1000 draws, where the
 * chi-square approximation to such a tail is good to a factor of a few, so the
 * rate is below 1e-8 a test and 1e-6 in all.
 *
 * Careless samplers (a rounded continuous draw; a draw in doubles at a scale
 * beyond their precision) go through the same tests and must fail.
 */
#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <gsl/gsl_cdf.h>

#include "noise/mechanism.h"
#include "tap.h"

#define DRAWS 1000000
#define P_VALUE 1e-9
#define LEAST_EXPECTED 1000
#define MAX_BINS 256
#define LOW_BITS 6

typedef DpsStatus (*Sampler) (DpsRandom *random, uint64_t scale, __int128 *noise);

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
		if (sampler(&source, scale, &draws[i]) != DPS_OK)
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
	long		observed[MAX_BINS];
	double		probability[MAX_BINS];
} Histogram;

static double
chi_square_p(const Histogram *histogram)
{
	double		statistic = 0;

	for (int i = 0; i < histogram->bins; i++)
	{
		double		expected = DRAWS * histogram->probability[i];
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
		sound = sound && histogram->probability[i] * DRAWS >= LEAST_EXPECTED;
	}
	return sound && histogram->bins > 1 && fabs(sum - 1) < 1e-9;
}

static void
print_histogram(const Histogram *histogram)
{
	for (int i = 0; i < histogram->bins; i++)
		diag("bin %d: %ld observed, %.1f expected", i, histogram->observed[i],
			 DRAWS * histogram->probability[i]);
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
 * Bins of |z|, each with a share of the upper tail; the edges are integers.
 * Bin 0 holds 0 alone where it is heavy enough.  Odd bins are negative.
 */
static void
fill_by_magnitude(Histogram *histogram, UpperTail upper, uint64_t scale)
{
	double		edges[MAX_BINS];
	int			count = 0;
	double		beyond = 0.5;
	double		first = upper(scale, 1);

	/* edges[i] is the least magnitude of class i; class 0 takes in zero */
	edges[0] = 1 - 2 * first >= (double) LEAST_EXPECTED / DRAWS ? 1 : 0;
	if (edges[0] == 1)
		beyond = first;
	else
		first = 0.5;
	for (double m = edges[0] + 1;;)
	{
		double		tail = upper(scale, m);

		if (tail < (double) LEAST_EXPECTED / DRAWS || count == MAX_BINS / 2 - 2)
			break;
		if (beyond - tail >= fmax(first / 40, (double) LEAST_EXPECTED / DRAWS))
		{
			edges[++count] = m;
			beyond = tail;
		}
		m += fmax(1, floor((double) scale / 64));
	}
	memset(histogram, 0, sizeof(*histogram));

	/* bin 2c + 1 + s for class c with sign s, and bin 0 for zero */
	for (int c = 0; c <= count; c++)
	{
		double		at = c == 0 ? first : upper(scale, edges[c]);
		double		past = c == count ? 0 : upper(scale, edges[c + 1]);

		histogram->probability[2 * c + 1] = histogram->probability[2 * c + 2] = at - past;
	}
	if (edges[0] == 1)
		histogram->probability[0] = 1 - 2 * first;
	histogram->bins = 2 * count + 3;
	for (int i = 0; i < DRAWS; i++)
	{
		double		magnitude = fabs((double) draws[i]);
		int			lo = 0;
		int			hi = count;

		if (edges[0] == 1 && magnitude == 0)
		{
			histogram->observed[0]++;
			continue;
		}
		while (lo < hi)
		{
			int			middle = (lo + hi + 1) / 2;

			if (edges[middle] <= magnitude)
				lo = middle;
			else
				hi = middle - 1;
		}
		histogram->observed[2 * lo + 1 + (draws[i] < 0)]++;
	}
	if (edges[0] == 0)
	{
		/*
		 * Zero was counted as positive and is too rare to matter: less than
		 * LEAST_EXPECTED draws are spread over both signs in the exact figure.
		 * Merge the two signs of class 0 so that it is exact.
		 */
		histogram->observed[0] = histogram->observed[1] + histogram->observed[2];
		histogram->probability[0] = histogram->probability[1] + histogram->probability[2];
		histogram->bins -= 2;
		for (int i = 1; i < histogram->bins; i++)
		{
			histogram->observed[i] = histogram->observed[i + 2];
			histogram->probability[i] = histogram->probability[i + 2];
		}
	}
}

/*
 * The low bits of z, uniform at large scales: the relative deviation is below
 * (2^LOW_BITS / scale)^2, so less than 1e-9 at scale 2^21 and above, and less
 * than 0.004 at 2^10, where fewer bits are taken.
 */
static void
fill_by_low_bits(Histogram *histogram, uint64_t scale)
{
	int			bits = scale < (UINT64_C(1) << 20) ? 3 : LOW_BITS;

	memset(histogram, 0, sizeof(*histogram));
	histogram->bins = 1 << bits;
	for (int i = 0; i < histogram->bins; i++)
		histogram->probability[i] = 1.0 / histogram->bins;
	for (int i = 0; i < DRAWS; i++)
		histogram->observed[(uint64_t) draws[i] & (uint64_t) (histogram->bins - 1)]++;
}

/*
 * Independence: whether neighbouring draws are above the median magnitude, and
 * their signs, four bits a pair of draws that should be as good as coins.
 */
static void
fill_by_pairs(Histogram *histogram, UpperTail upper, uint64_t scale)
{
	double		median = 0;
	double		high;

	for (double step = exp2(floor(log2((double) scale)) + 3); step >= 1; step /= 2)
	{
		if (2 * upper(scale, median + step) >= 0.5)
			median += step;
	}
	high = 2 * upper(scale, median);
	memset(histogram, 0, sizeof(*histogram));
	histogram->bins = 16;
	for (int i = 0; i < 16; i++)
		histogram->probability[i] = 0.25 * (i & 1 ? high : 1 - high) * (i & 2 ? high : 1 - high);
	for (int i = 0; i < DRAWS; i++)
	{
		__int128	next = draws[(i + 1) % DRAWS];
		int			bin = (fabs((double) draws[i]) >= median) | (draws[i] < 0) << 2;

		/* every other pair, so that no draw counts twice */
		if (i % 2 == 1)
			continue;
		bin |= (fabs((double) next) >= median) << 1 | (next < 0) << 3;
		histogram->observed[bin] += 2;
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
careless_laplace(DpsRandom *random, uint64_t scale, __int128 *noise)
{
	double		u = uniform_double(random) - 0.5;

	*noise = (__int128) rint((u < 0 ? 1 : -1) * (double) scale * log1p(-2 * fabs(u)));
	return DPS_OK;
}

static DpsStatus
careless_gaussian(DpsRandom *random, uint64_t scale, __int128 *noise)
{
	double		radius = sqrt(-2 * log(uniform_double(random)));

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
		/* one bin in 16 has twice the variance of its independent pair */
		fill_by_pairs(&histogram, upper, scale);
		for (int bin = 0; bin < histogram.bins; bin++)
			histogram.observed[bin] = (long) (histogram.probability[bin] * DRAWS +
											  ((double) histogram.observed[bin] - histogram.probability[bin] * DRAWS) / sqrt(2.0));
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
	dps_random_clear(&source);
	return done_testing();
}

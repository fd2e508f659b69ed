/*
 * test_selection.c
 *		Draws of the exponential mechanism, quantiles and partition selection
 *		against their exact distributions, by chi-square.
 *
 * The randomness is the kernel's, so a failure prints the counts and what they
 * should have been.  A test fails when p < 1e-11; every bin expects at least 1000
 * draws, where the chi-square approximation to such a tail is good to a factor of
 * a few, so that the 22 chi-square tests together make a false alarm in fewer than 1e-9 of all
 * runs.
 *
 * Careless variants (noise clamped where it should be drawn again, twice the
 * exponent, widths of gaps forgotten) go through the same tests and must fail.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include <sys/random.h>

#include <gsl/gsl_cdf.h>

#include "noise/exponential.h"
#include "noise/partition.h"
#include "noise/quantile/quantile_mechanism.h"
#include "noise/quantile/split.h"
#include "noise/sample.h"
#include "noise/tree.h"
#include "tap.h"

#define DRAWS 1000000
#define P_VALUE 1e-11
#define LEAST_EXPECTED 1000
#define MAX_BINS 256

static DpsRandom source;
static struct timespec started;

/* tap.h opens a file for every block, which would dominate the time. */
static bool
kernel_bytes(void *context, void *buffer, size_t size)
{
	(void) context;
	return getrandom(buffer, size, 0) == (ssize_t) size;
}

static void
start_clock(void)
{
	clock_gettime(CLOCK_MONOTONIC, &started);
}

/* Nanoseconds for one of `count` since start_clock. */
static double
nanoseconds(double count)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((double) (now.tv_sec - started.tv_sec) * 1e9 + (double) (now.tv_nsec - started.tv_nsec)) / count;
}

static void
must(DpsStatus status)
{
	if (status != DPS_OK)
	{
		printf("Bail out! %s\n", dps_status_name(status));
		exit(2);
	}
}

/* --- histograms ------------------------------------------------------------------ */

typedef struct Histogram
{
	int			bins;
	long		total;
	long		observed[MAX_BINS];
	long double weight[MAX_BINS];	/* proportional to the probability */
} Histogram;

/* Bins that expect too little join their neighbour. */
static void
join_bins(Histogram *histogram, long double sum)
{
	int			used = 0;

	for (int i = 0; i < histogram->bins; i++)
	{
		long		observed = histogram->observed[i];
		long double weight = histogram->weight[i];

		if (used > 0 && histogram->weight[used - 1] / sum * (double) histogram->total < LEAST_EXPECTED)
		{
			histogram->observed[used - 1] += observed;
			histogram->weight[used - 1] += weight;
			continue;
		}
		histogram->observed[used] = observed;
		histogram->weight[used++] = weight;
	}
	if (used > 1 && histogram->weight[used - 1] / sum * (double) histogram->total < LEAST_EXPECTED)
	{
		used--;
		histogram->observed[used - 1] += histogram->observed[used];
		histogram->weight[used - 1] += histogram->weight[used];
	}
	histogram->bins = used;
}

/* Passes if the draws fit; for a careless variant, if they do not. */
static void
check(Histogram *histogram, bool careless, const char *name)
{
	long double sum = 0;
	double		statistic = 0;
	double		p;

	for (int i = 0; i < histogram->bins; i++)
		sum += histogram->weight[i];
	join_bins(histogram, sum);
	for (int i = 0; i < histogram->bins; i++)
	{
		double		expected = (double) (histogram->weight[i] / sum) * (double) histogram->total;

		statistic += ((double) histogram->observed[i] - expected) * ((double) histogram->observed[i] - expected) / expected;
	}
	p = gsl_cdf_chisq_Q(statistic, histogram->bins - 1);
	if (ok(histogram->bins > 1 && (careless ? p < P_VALUE : p >= P_VALUE), "%s%s: p = %.2g in %d bins",
		   careless ? "careless " : "", name, p, histogram->bins))
		return;
	for (int i = 0; i < histogram->bins; i++)
		diag("bin %d: %ld observed, %.1Lf expected", i, histogram->observed[i],
			 histogram->weight[i] / sum * histogram->total);
}

/* --- the exponential mechanism ------------------------------------------------------ */

static void
check_law(const char *name, double epsilon, uint64_t range, const DpsCandidate *candidates, size_t n)
{
	Histogram	histogram = {.bins = (int) n, .total = DRAWS};
	uint64_t	nearest = UINT64_MAX;
	DpsExponential law;

	must(dps_exponential_init(&law, epsilon, range));
	for (size_t i = 0; i < n; i++)
		nearest = candidates[i].distance < nearest ? candidates[i].distance : nearest;
	for (size_t i = 0; i < n; i++)
		histogram.weight[i] = candidates[i].weight *
			expl(-(long double) epsilon * (long double) (candidates[i].distance - nearest) / (long double) range);
	start_clock();
	for (int i = 0; i < DRAWS; i++)
	{
		size_t		index;

		must(dps_exponential_draw(&source, &law, candidates, n, &index));
		histogram.observed[index]++;
	}
	diag("%s, %d candidates: %.0f ns a draw", name, (int) n, nanoseconds(DRAWS));
	check(&histogram, false, name);
}

static void
test_exponential(void)
{
	DpsCandidate many[100];

	/* far ones are weighty enough to be drawn, and mostly by the slow comparison */
	static const DpsCandidate heavy[] = {{3, 1}, {45, UINT64_C(1) << 59}, {46, UINT64_C(1) << 60}, {47, UINT64_C(1) << 59}, {4, 2}};
	static const DpsCandidate two[] = {{1000000, 1}, {1000001, 1}};

	check_law("two candidates", 1, 1, two, 2);
	check_law("two candidates, tiny epsilon", 0x1p-20, 3, two, 2);
	check_law("heavy and far", 1, 1, heavy, 5);
	for (uint64_t i = 0; i < 100; i++)
		many[i] = (DpsCandidate) {77 + i * i % 23, 1 + i * i * i % 11};
	check_law("many candidates", 0.3, 7, many, 100);
}

static void
time_init(void)
{
	static const double epsilons[] = {0x1p-20, 0.1, 1, 64};

	for (int e = 0; e < 4; e++)
	{
		DpsExponential law;

		start_clock();
		for (int i = 0; i < 2000; i++)
			must(dps_exponential_init(&law, epsilons[e], 2));
		diag("preparing a law, epsilon %g: %.0f ns", epsilons[e], nanoseconds(2000));
	}
}

/* --- quantiles ------------------------------------------------------------------------ */

static const int64_t values[] = {-4, -4, 0, 1, 2, 2, 3, 9};

#define VALUES (sizeof(values) / sizeof(values[0]))

/* Weights from the definition, on the grid -4 ... 5 (values beyond count as 5). */
static void
fill_by_definition(Histogram *histogram, DpsQuantile q, long double s)
{
	histogram->bins = 10;
	for (int z = -4; z <= 5; z++)
	{
		int64_t		below = 0;
		int64_t		above = 0;
		int64_t		p = (int64_t) q.numerator;
		int64_t		r = (int64_t) q.denominator;
		int64_t		distance;

		for (size_t i = 0; i < VALUES; i++)
		{
			below += values[i] < z;
			above += values[i] > z && z < 5;
		}
		distance = r * below - p * (int64_t) VALUES;
		if (r * above - (r - p) * (int64_t) VALUES > distance)
			distance = r * above - (r - p) * (int64_t) VALUES;
		histogram->weight[z + 4] = expl(-s * (long double) (distance > 0 ? distance : 0));
	}
}

static void
test_quantile(DpsQuantile q, bool careless)
{
	Histogram	histogram = {.total = DRAWS};
	uint64_t	range = dps_quantile_range(q, false);
	DpsExponential law;
	DpsArena   *arena;
	char		name[64];

	must(dps_exponential_init(&law, careless ? 2 : 1, range));
	fill_by_definition(&histogram, q, 1.0L / (long double) range);
	for (int i = 0; i < DRAWS;)
	{
		must(dps_arena_init(&arena, &tap_host));
		for (int j = 0; j < 20; j++, i++)
		{
			int64_t		result;

			must(dps_quantile_values(arena, &source, &law, q, values, VALUES, -4, 5, &result));
			histogram.observed[result + 4]++;
		}
		dps_arena_clear(arena);
	}
	snprintf(name, sizeof(name), "quantile %d/%d", (int) q.numerator, (int) q.denominator);
	check(&histogram, careless, name);
}

/* On a grid of 2^40 points: each cell, and each quarter of the cell in the middle. */
static void
test_wide_grid(bool careless)
{
	static const int64_t spread[] = {0, INT64_C(1) << 20, INT64_C(3) << 38, (INT64_C(1) << 39) + (INT64_C(1) << 38) + 5};
	static const int64_t edges[] = {1, 1 << 20, (INT64_C(1) << 20) + 1, INT64_C(1) << 36, INT64_C(2) << 36, INT64_C(5) << 36,
		INT64_C(3) << 38, (INT64_C(3) << 38) + 1, (INT64_C(3) << 38) + 5, (INT64_C(3) << 38) + 6, INT64_C(1) << 40};
	Histogram	histogram = {.bins = 11, .total = DRAWS};
	DpsQuantile q = {1, 2};
	DpsExponential law;
	DpsArena   *arena;
	int64_t		from = 0;

	/* so heavy an exponent that cells of one point are seen */
	must(dps_exponential_init(&law, 24, 2));
	for (int b = 0; b < 11; b++)
	{
		int64_t		below = 0;
		int64_t		above = 0;

		for (int i = 0; i < 4; i++)
		{
			below += spread[i] < from;
			above += spread[i] >= edges[b];
		}
		histogram.weight[b] = (careless ? 1 : edges[b] - from) *
			expl(-12 * fmaxl(0, fmaxl(2 * below - 4, 2 * above - 4)));
		from = edges[b];
	}
	for (int i = 0; i < DRAWS;)
	{
		must(dps_arena_init(&arena, &tap_host));
		for (int j = 0; j < 20; j++, i++)
		{
			int64_t		result;
			int			b = 0;

			must(dps_quantile_values(arena, &source, &law, q, spread, 4, 0, (INT64_C(1) << 40) - 1, &result));
			while (result >= edges[b])
				b++;
			histogram.observed[b]++;
		}
		dps_arena_clear(arena);
	}
	check(&histogram, careless, "median on 2^40 points");
}

/* Cuts of level 2/3: each point without values, and each number of values below a cut; of the last point, tens.
 * Its cuts are candidates of their own, those of the others are not. */
static void
test_cuts(bool careless)
{
	static const DpsRun cells[] = {{2, 0}, {1, 6}, {1, 1}, {3, 0}, {1, 1}, {1, 40}};
	static const int first_bin[] = {0, 2, 9, 11, 14, 16};
	Histogram	histogram = {.bins = 21, .total = DRAWS};
	DpsQuantile q = {2, 3};
	DpsExponential law;
	DpsArena   *arena;
	int			passed = 0;

	must(dps_exponential_init(&law, careless ? 0.2 : 0.1, dps_split_range(q)));
	for (int i = 0; i < 6; i++)
	{
		for (int k = 0; k <= (int) DPS_SPLIT_CUTS; k++)
		{
			int			below = (int) floor((double) cells[i].count * k / (double) DPS_SPLIT_CUTS + 0.5);
			long double weight = expl(-0.1L / 4 * fabsl(3.0L * (passed + below) - 2.0L * 48));

			for (int within = 0; within < (int) cells[i].width; within++)
				histogram.weight[first_bin[i] + within + (i == 5 ? below / 10 : below)] += weight;
		}
		passed += (int) cells[i].count;
	}
	for (int i = 0; i < DRAWS;)
	{
		must(dps_arena_init(&arena, &tap_host));
		for (int j = 0; j < 20; j++, i++)
		{
			DpsCut		cut;

			must(dps_split_draw(arena, &source, &law, q, cells, 6, &cut));
			histogram.observed[first_bin[cut.cell] + (int) cut.within + (int) (cut.cell == 5 ? cut.below / 10 : cut.below)]++;
		}
		dps_arena_clear(arena);
	}
	check(&histogram, careless, "cuts of level 2/3");
}

static void
test_counts(void)
{
	static const uint64_t counts[] = {0, 3, 0, 0, 1, 2, 0};
	Histogram	histogram = {.bins = 7, .total = DRAWS};
	DpsQuantile q = {2, 3};
	DpsExponential law;
	DpsArena   *arena;

	/* 3 below - 12, 3 above - 6 */
	static const int distances[] = {12, 3, 3, 3, 0, 0, 6};

	must(dps_exponential_init(&law, 2, dps_quantile_range(q, false)));
	for (int i = 0; i < 7; i++)
		histogram.weight[i] = expl(-2.0L / 4 * distances[i]);
	for (int i = 0; i < DRAWS;)
	{
		must(dps_arena_init(&arena, &tap_host));
		for (int j = 0; j < 20; j++, i++)
		{
			size_t		result;

			must(dps_quantile_counts(arena, &source, &law, q, counts, 7, &result));
			histogram.observed[result]++;
		}
		dps_arena_clear(arena);
	}
	check(&histogram, false, "quantile 2/3 of a histogram");
}

static void
time_quantile(size_t n)
{
	static const double epsilons[] = {1e-4, 0.01, 1};
	int64_t    *many = malloc(n * sizeof(*many));

	for (size_t i = 0; i < n; i++)
		many[i] = (int64_t) (i * UINT64_C(0x9e3779b97f4a7c15) >> 24);
	for (int e = 0; e < 3; e++)
	{
		DpsQuantile q = {1, 2};
		DpsExponential law;
		DpsArena   *arena;
		int64_t		result;

		must(dps_arena_init(&arena, &tap_host));
		must(dps_exponential_init(&law, epsilons[e], 2));
		start_clock();
		must(dps_quantile_values(arena, &source, &law, q, many, n, 0, (INT64_C(1) << 40) - 1, &result));
		diag("median of %d values, epsilon %g: %.0f us", (int) n, epsilons[e], nanoseconds(1000));
		dps_arena_clear(arena);
	}
	free(many);
}

/* --- trees ------------------------------------------------------------------------------- */

/* For people: the error of quantiles from one tree. */
static void
report_tree(const DpsMechanism *mechanism)
{
	static uint64_t counts[4096];
	DpsTarget	target = {1, 1e-6, 1, 0};
	DpsTreePlan plan;
	double		worst = 0;

	for (int i = 0; i < 4096; i++)
		counts[i] = (uint64_t) (100 * exp(-0.5 * (i - 1500) * (i - 1500) / 250000.0));
	must(dps_tree_plan(&plan, mechanism, &target, 16, 3, 1, false));
	start_clock();
	for (int k = 0; k < 100; k++)
	{
		DpsArena   *arena;
		DpsTree    *tree;

		must(dps_arena_init(&arena, &tap_host));
		must(dps_tree_draw(arena, &source, &plan, counts, &tree));
		for (int j = 1; j < 100; j++)
		{
			double		at = dps_tree_quantile(tree, j / 100.0);
			double		reached = 0;
			double		total = 0;

			for (int i = 0; i < 4096; i++)
			{
				reached += (double) counts[i] * fmin(fmax(at - i, 0), 1);
				total += (double) counts[i];
			}
			worst = fmax(worst, fabs(reached - total * j / 100.0));
		}
		dps_arena_clear(arena);
	}
	diag("tree of 4096 buckets, %s, epsilon 1: %.0f us with 99 quantiles, ranks off by at most %.0f of 125000",
		 mechanism->name, nanoseconds(100000), worst);
	/* a noisy count deviates by less than 10 here and a percentile adds up 3 levels of
	 * at most 15 of them, so by less than 67; 12 of these do not occur */
	ok(worst < 800, "%s: all percentiles from one tree", mechanism->name);
}

/* --- partition selection ------------------------------------------------------------------ */

static void
test_partition(double epsilon, double delta, int64_t above, bool careless)
{
	Histogram	histogram = {.total = DRAWS};
	DpsPartition partition;
	int64_t		k;
	int64_t		n;
	char		name[96];

	must(dps_partition_init(&partition, epsilon, delta, 1, 1));
	k = partition.threshold;
	n = above < 0 ? k : k + 1 + above;
	histogram.bins = (int) (n + 1);
	if (histogram.bins > MAX_BINS)
		exit(2);
	/* bin 0 is not kept; bin i is size K + i */
	for (int64_t z = -k; z <= k; z++)
		histogram.weight[n + z > k ? n + z - k : 0] +=
			expl(-(long double) partition.num / (long double) partition.den * (long double) (z < 0 ? -z : z));
	start_clock();
	for (int i = 0; i < DRAWS; i++)
	{
		int64_t		size = 0;
		bool		keep;

		if (careless)
		{
			__int128	z;

			must(dps_sample_laplace_ratio(&source, partition.num, partition.den, &z));
			z = z > k ? k : z < -k ? -k : z;
			keep = n + z > k;
			size = n + (int64_t) z;
		}
		else
			must(dps_partition_draw(&source, &partition, (uint64_t) n, &keep, &size));
		histogram.observed[keep ? size - k : 0]++;
	}
	snprintf(name, sizeof(name), "partition, epsilon %g, delta %g: K = %d, n = %d", epsilon, delta, (int) k, (int) n);
	if (!careless)
		diag("%s: %.0f ns a draw", name, nanoseconds(DRAWS));
	check(&histogram, careless, name);
}

int
main(void)
{
	DpsHost		host = tap_host;

	host.random_bytes = kernel_bytes;
	dps_random_init(&source, &host);
	test_exponential();
	time_init();
	test_quantile((DpsQuantile) {0, 1}, false);
	test_quantile((DpsQuantile) {1, 4}, false);
	test_quantile((DpsQuantile) {1, 2}, false);
	test_quantile((DpsQuantile) {1, 1}, false);
	test_quantile((DpsQuantile) {1, 2}, true);
	test_cuts(false);
	test_cuts(true);
	test_wide_grid(false);
	test_wide_grid(true);
	test_counts();
	time_quantile(100000);
	time_quantile(1000000);
	report_tree(&dps_laplace);
	report_tree(&dps_gaussian);
	test_partition(1, 1e-6, -1, false);
	test_partition(0.5, 0.01, 8, false);
	test_partition(0.1, 1e-6, -1, false);
	test_partition(0.01, 0.01, 51, false);
	test_partition(0x1p-20, 0.01, 20, false);
	test_partition(3, 1e-4, 5, false);
	test_partition(0.5, 0.01, 8, true);
	dps_random_clear(&source);
	return done_testing();
}

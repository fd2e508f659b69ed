/*
 * test_quantile.c
 *		Quantiles by the exponential mechanism, and trees of noisy counts.
 *
 * All multisets of up to SIZE values on a grid of POINTS points are compared with
 * all their neighbours.  quantile_mechanism.c and tree.c are compiled a second time here,
 * for their inner steps.
 */
#include <math.h>
#include <string.h>

#include "noise/quantile/quantile_mechanism.h"
#include "noise/tree.h"
#include "scarce.h"
#include "tap.h"

extern uint64_t here_range(DpsQuantile q, bool replace);
extern void here_distances(DpsQuantile q, const DpsRun *cells, size_t n,
						   uint64_t before, uint64_t after, DpsCandidate *candidates);
extern DpsStatus here_of_double(double x, DpsQuantile *q);
extern void here_ranks(uint64_t rank, bool largest, const DpsRun *cells, size_t n, DpsCandidate *candidates);
extern uint64_t here_extreme(double epsilon, uint64_t points);
extern DpsStatus here_draw(DpsRandom *random, const DpsExponential *law, const DpsRun *cells,
						   const DpsCandidate *candidates, size_t n, uint64_t *point);
extern DpsStatus here_values(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
							 DpsQuantile q, const int64_t *values, size_t n,
							 int64_t lo, int64_t hi, int64_t *result);
extern DpsStatus here_counts(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
							 DpsQuantile q, const uint64_t *counts, size_t points, size_t *result);
extern DpsStatus here_plan(DpsTreePlan *plan, const DpsMechanism *mechanism, const DpsTarget *target,
						   int fanout, int height, uint64_t rows, bool replace);
extern DpsStatus here_tree(DpsArena *arena, DpsRandom *random, const DpsTreePlan *plan,
						   const uint64_t *counts, DpsTree **tree);
extern double here_tree_quantile(const DpsTree *tree, double q);

#define dps_quantile_range here_range
#define dps_quantile_distances here_distances
#define dps_quantile_of_double here_of_double
#define dps_rank_distances here_ranks
#define dps_extreme_rank here_extreme
#define dps_quantile_draw here_draw
#define dps_quantile_values here_values
#define dps_quantile_counts here_counts
#define dps_tree_plan here_plan
#define dps_tree_draw here_tree
#define dps_tree_quantile here_tree_quantile
#include "noise/quantile/quantile_mechanism.c"
#include "noise/tree.c"
#undef dps_quantile_range
#undef dps_quantile_distances
#undef dps_quantile_of_double
#undef dps_rank_distances
#undef dps_extreme_rank
#undef dps_quantile_draw
#undef dps_quantile_values
#undef dps_quantile_counts
#undef dps_tree_plan
#undef dps_tree_draw
#undef dps_tree_quantile

#define POINTS 8
#define SIZE 4

static const DpsQuantile quantiles[] = {{0, 1}, {1, 4}, {1, 2}, {1, 1}, {0, 7}, {2, 3}, {19, 20}, {3, 3}};

#define QUANTILES ((int) (sizeof(quantiles) / sizeof(quantiles[0])))

/* Repeats: a linear congruential generator, for test data only. */
static uint64_t
next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* --- small data sets ------------------------------------------------------------- */

/* The next histogram of at most `size` values; false after the last. */
static bool
next_counts(int counts[POINTS], int size)
{
	int			total = 0;

	for (int i = 0; i < POINTS; i++)
		total += counts[i];
	for (int i = 0; i < POINTS; i++)
	{
		if (total < size)
		{
			counts[i]++;
			return true;
		}
		total -= counts[i];
		counts[i] = 0;
	}
	return false;
}

/* From the definition, in plain integers. */
static void
distances_by_definition(DpsQuantile q, const int counts[POINTS], int64_t distances[POINTS])
{
	int64_t		p = (int64_t) q.numerator;
	int64_t		r = (int64_t) q.denominator;

	for (int z = 0; z < POINTS; z++)
	{
		int64_t		below = 0;
		int64_t		above = 0;
		int64_t		total = 0;

		for (int i = 0; i < POINTS; i++)
		{
			below += i < z ? counts[i] : 0;
			above += i > z ? counts[i] : 0;
			total += counts[i];
		}
		distances[z] = 0;
		if (r * below - p * total > distances[z])
			distances[z] = r * below - p * total;
		if (r * above - (r - p) * total > distances[z])
			distances[z] = r * above - (r - p) * total;
	}
}

/* What dps_quantile_values gives to each point: the cells that it cuts. */
static void
distances_by_cells(DpsQuantile q, const int counts[POINTS], int64_t distances[POINTS])
{
	uint64_t	offsets[SIZE + 2];
	DpsRun		cells[2 * SIZE + 5];
	DpsCandidate candidates[2 * SIZE + 5];
	size_t		used;
	size_t		n = 0;
	int			z = 0;

	for (int i = 0; i < POINTS; i++)
		for (int j = 0; j < counts[i]; j++)
			offsets[n++] = (uint64_t) i;
	used = cut_cells(offsets, n, POINTS, cells);
	dps_quantile_distances(q, cells, used, 0, 0, candidates);
	for (size_t i = 0; i < used; i++)
		for (uint64_t j = 0; j < candidates[i].weight; j++)
			distances[z++] = (int64_t) candidates[i].distance;
	while (z < POINTS)
		distances[z++] = -1;
}

static void
test_distances(void)
{
	int			counts[POINTS] = {0};
	bool		agree = true;
	bool		reached = true;
	int			sets = 0;

	do
	{
		for (int k = 0; k < QUANTILES; k++)
		{
			int64_t		exact[POINTS];
			int64_t		cut[POINTS];
			bool		zero = false;

			distances_by_definition(quantiles[k], counts, exact);
			distances_by_cells(quantiles[k], counts, cut);
			agree = agree && memcmp(exact, cut, sizeof(exact)) == 0;
			for (int z = 0; z < POINTS; z++)
				zero = zero || exact[z] == 0;
			reached = reached && zero;
		}
		sets++;
	} while (next_counts(counts, SIZE));
	ok(agree && sets == 495, "%d data sets: distances are those of the definition", sets);
	ok(reached, "some point is at distance 0");
}

typedef struct Extremes
{
	int64_t		widest;			/* of max - min of the difference */
	long double most;			/* of any ratio of probabilities, as a logarithm */
	long double most_range;		/* of max - min of that logarithm */
} Extremes;

/* Differences of distances, and of the probabilities that follow from them. */
static void
compare_neighbours(DpsQuantile q, const int x[POINTS], const int y[POINTS], long double s, Extremes *extremes)
{
	int64_t		dx[POINTS];
	int64_t		dy[POINTS];
	int64_t		least = INT64_MAX;
	int64_t		most = INT64_MIN;
	long double sum_x = 0;
	long double sum_y = 0;
	long double least_log = INFINITY;
	long double most_log = -INFINITY;

	distances_by_cells(q, x, dx);
	distances_by_cells(q, y, dy);
	for (int z = 0; z < POINTS; z++)
	{
		int64_t		difference = dx[z] - dy[z];

		least = difference < least ? difference : least;
		most = difference > most ? difference : most;
		sum_x += expl(-s * (long double) dx[z]);
		sum_y += expl(-s * (long double) dy[z]);
	}
	for (int z = 0; z < POINTS; z++)
	{
		long double ratio = logl(expl(-s * (long double) dx[z]) / sum_x / (expl(-s * (long double) dy[z]) / sum_y));

		least_log = fminl(least_log, ratio);
		most_log = fmaxl(most_log, ratio);
		extremes->most = fmaxl(extremes->most, fabsl(ratio));
	}
	extremes->most_range = fmaxl(extremes->most_range, most_log - least_log);
	if (most - least > extremes->widest)
		extremes->widest = most - least;
}

/* Every data set with one value more, or with one value moved. */
static void
test_neighbours(DpsQuantile q, bool replace)
{
	static const double epsilons[] = {0.125, 1, 3};
	uint64_t	range = dps_quantile_range(q, replace);
	Extremes	extremes[3];
	bool		private_enough = true;

	memset(extremes, 0, sizeof(extremes));
	for (int e = 0; e < 3; e++)
	{
		int			x[POINTS] = {0};

		do
		{
			for (int from = replace ? 0 : -1; from < (replace ? POINTS : 0); from++)
				for (int to = 0; to < POINTS; to++)
				{
					int			y[POINTS];

					if (from >= 0 && x[from] == 0)
						continue;
					memcpy(y, x, sizeof(y));
					if (from >= 0)
						y[from]--;
					y[to]++;
					compare_neighbours(q, x, y, (long double) epsilons[e] / (long double) range, &extremes[e]);
				}
		} while (next_counts(x, SIZE));
		private_enough = private_enough && extremes[e].most <= epsilons[e] * (1 + 1e-15L) &&
			extremes[e].most_range <= epsilons[e] * (1 + 1e-15L);
	}
	ok(extremes[0].widest == (int64_t) range, "quantile %d/%d, %s: the range is %d, and is reached",
	   (int) q.numerator, (int) q.denominator, replace ? "replace" : "add_remove", (int) range);
	ok(private_enough, "every output, every pair: epsilon-DP (at epsilon 1 the largest ratio is exp(%.4Lf))",
	   extremes[1].most);
}

/* --- ranks ------------------------------------------------------------------------- */

/* From the definition: how many values the rank is away from those at the point. */
static void
ranks_by_definition(int rank, bool largest, const int counts[POINTS], int64_t distances[POINTS])
{
	for (int z = 0; z < POINTS; z++)
	{
		int			passed = 0;
		int			here = counts[z];

		for (int i = 0; i < POINTS; i++)
			passed += (largest ? i > z : i < z) ? counts[i] : 0;
		if (rank <= passed)
			distances[z] = passed - rank + 1;
		else if (rank > passed + here)
			distances[z] = rank - passed - here;
		else
			distances[z] = 0;
	}
}

static void
ranks_by_cells(int rank, bool largest, const int counts[POINTS], int64_t distances[POINTS])
{
	DpsRun		cells[POINTS];
	DpsCandidate candidates[POINTS];

	for (int z = 0; z < POINTS; z++)
		cells[z] = (DpsRun) {1, (uint64_t) counts[z]};
	dps_rank_distances((uint64_t) rank, largest, cells, POINTS, candidates);
	for (int z = 0; z < POINTS; z++)
		distances[z] = candidates[z].weight == 1 ? (int64_t) candidates[z].distance : -1;
}

/* The length of the interval that the differences fill. */
static int64_t
rank_change(int rank, bool largest, const int x[POINTS], const int y[POINTS])
{
	int64_t		dx[POINTS];
	int64_t		dy[POINTS];
	int64_t		least = INT64_MAX;
	int64_t		most = INT64_MIN;

	ranks_by_cells(rank, largest, x, dx);
	ranks_by_cells(rank, largest, y, dy);
	for (int z = 0; z < POINTS; z++)
	{
		least = dx[z] - dy[z] < least ? dx[z] - dy[z] : least;
		most = dx[z] - dy[z] > most ? dx[z] - dy[z] : most;
	}
	return most - least;
}

static void
test_ranks(int rank, bool largest)
{
	int			x[POINTS] = {0};
	int64_t		added = 0;
	int64_t		replaced = 0;
	bool		agree = true;

	do
	{
		int64_t		exact[POINTS];
		int64_t		made[POINTS];

		ranks_by_definition(rank, largest, x, exact);
		ranks_by_cells(rank, largest, x, made);
		agree = agree && memcmp(exact, made, sizeof(exact)) == 0;
		for (int from = -1; from < POINTS; from++)
			for (int to = 0; to < POINTS; to++)
			{
				int			y[POINTS];
				int64_t		change;

				if (from >= 0 && x[from] == 0)
					continue;
				memcpy(y, x, sizeof(y));
				if (from >= 0)
					y[from]--;
				y[to]++;
				change = rank_change(rank, largest, x, y);
				if (from < 0)
					added = change > added ? change : added;
				else
					replaced = change > replaced ? change : replaced;
			}
	} while (next_counts(x, SIZE));
	ok(agree, "rank %d from the %s: distances are those of the definition", rank, largest ? "top" : "bottom");
	ok(added <= DPS_RANK_RANGE && replaced <= DPS_RANK_RANGE && (rank > SIZE || added == DPS_RANK_RANGE),
	   "their range is at most %d, and %d is reached", DPS_RANK_RANGE, (int) added);
}

static void
test_extreme_ranks(void)
{
	static const double epsilons[] = {0x1p-20, 0.01, 0.3, 1, 5, 64};
	static const uint64_t points[] = {1, 2, 83, 65536};
	bool		enough = true;
	bool		least = true;

	for (int e = 0; e < 6; e++)
		for (int n = 0; n < 4; n++)
		{
			uint64_t	rank = dps_extreme_rank(epsilons[e], points[n]);
			double		one = epsilons[e] / DPS_RANK_RANGE;

			enough = enough && exp(-one * (double) rank) * (double) points[n] <= 1 + 1e-9;
			least = least && (rank == 1 || exp(-one * (double) (rank - 1)) * (double) points[n] > 1 - 1e-9);
		}
	ok(enough, "beyond the extreme rank all points together weigh no more than one that holds it");
	ok(least, "and it is the first such rank");
}

static void
test_fractions(void)
{
	uint64_t	state = 11;
	DpsQuantile q;
	bool		exact = true;
	bool		near = true;

	for (uint64_t r = 1; r <= 1000; r++)
		for (uint64_t p = 0; p <= r; p += 1 + r / 50)
			exact = exact && dps_quantile_of_double((double) p / (double) r, &q) == DPS_OK &&
				(double) q.numerator / (double) q.denominator == (double) p / (double) r && q.denominator <= r;
	ok(exact, "fractions are found again, in lowest terms");
	for (int k = 0; k < 100000; k++)
	{
		double		x = ldexp((double) next_number(&state), -31 - k % 8);

		near = near && dps_quantile_of_double(x, &q) == DPS_OK && is_quantile(q) &&
			fabs((double) q.numerator / (double) q.denominator - x) < 0x1p-20;
	}
	ok(near, "other numbers are approximated by fractions of small denominators");
	ok(dps_quantile_of_double(-1e-300, &q) == DPS_DOMAIN && dps_quantile_of_double(NAN, &q) == DPS_DOMAIN &&
	   dps_quantile_of_double(1 + 0x1p-52, &q) == DPS_DOMAIN && dps_quantile_of_double(INFINITY, &q) == DPS_DOMAIN,
	   "what is not between 0 and 1 is no quantile");
	ok(dps_quantile_of_double(0, &q) == DPS_OK && q.numerator == 0 && dps_quantile_of_double(1, &q) == DPS_OK &&
	   q.numerator == q.denominator && dps_quantile_of_double(0.95, &q) == DPS_OK && q.numerator == 19 && q.denominator == 20,
	   "0, 1, 19/20");
}

/* The cells of a level of refinement: several points each, values outside. */
static void
test_refinement_range(void)
{
	uint64_t	state = 6;
	bool		within = true;

	for (int k = 0; k < 40000; k++)
	{
		DpsQuantile q = quantiles[k % QUANTILES];
		bool		replace = next_number(&state) % 2;
		uint64_t	range = dps_quantile_range(q, replace);
		uint64_t	counts[7];
		uint64_t	other[7];
		DpsRun		cells[5];
		DpsCandidate x[5];
		DpsCandidate y[5];
		int64_t		least = INT64_MAX;
		int64_t		most = INT64_MIN;

		for (int i = 0; i < 7; i++)
			other[i] = counts[i] = next_number(&state) % 5;
		other[next_number(&state) % 7]++;
		if (replace)
		{
			size_t		from = next_number(&state) % 7;

			if (counts[from] == 0)
				continue;
			other[from]--;
		}
		/* the first and last counts lie outside */
		for (int i = 0; i < 5; i++)
			cells[i] = (DpsRun) {1 + next_number(&state) % 100, counts[i + 1]};
		dps_quantile_distances(q, cells, 5, counts[0], counts[6], x);
		for (int i = 0; i < 5; i++)
			cells[i].count = other[i + 1];
		dps_quantile_distances(q, cells, 5, other[0], other[6], y);
		for (int i = 0; i < 5; i++)
		{
			int64_t		difference = (int64_t) x[i].distance - (int64_t) y[i].distance;

			least = difference < least ? difference : least;
			most = difference > most ? difference : most;
			within = within && x[i].weight == cells[i].width;
		}
		within = within && most - least <= (int64_t) range;
	}
	ok(within, "refined cells stay within the same range");
}

static void
test_bad_quantiles(void)
{
	DpsQuantile large = {1, DPS_QUANTILE_LIMIT + 1};
	DpsRun		cells[] = {{5, UINT64_MAX / 4}, {7, 0}, {1, UINT64_MAX / 4}};
	DpsCandidate candidates[3];
	DpsQuantile most = {DPS_QUANTILE_LIMIT - 1, DPS_QUANTILE_LIMIT};

	ok(dps_quantile_range((DpsQuantile) {1, 0}, false) == 0 && dps_quantile_range((DpsQuantile) {2, 1}, false) == 0 &&
	   dps_quantile_range(large, true) == 0, "what is not a quantile has no range");
	dps_quantile_distances(most, cells, 3, 0, 0, candidates);
	ok(candidates[0].distance == UINT64_MAX && candidates[1].distance == UINT64_MAX && candidates[2].distance == 0,
	   "distances beyond 2^64 stop there");
}

/* --- draws ------------------------------------------------------------------------- */

static int
compare_numbers(const void *x, const void *y)
{
	uint64_t	a = *(const uint64_t *) x;
	uint64_t	b = *(const uint64_t *) y;

	return (a > b) - (a < b);
}

static void
test_sort(void)
{
	static uint64_t numbers[1000];
	static uint64_t sorted[1000];
	static uint64_t spare[1000];
	uint64_t	state = 7;
	bool		right = true;

	for (int bits = 0; bits <= 64; bits++)
	{
		size_t		n = next_number(&state) % 1000;

		for (size_t i = 0; i < n; i++)
		{
			uint64_t	number = next_number(&state) << 33 ^ next_number(&state) << 10 ^ next_number(&state);

			numbers[i] = bits == 0 ? 0 : number >> (64 - bits);
		}
		memcpy(sorted, numbers, sizeof(numbers));
		qsort(sorted, n, sizeof(sorted[0]), compare_numbers);
		sort_offsets(numbers, spare, n, bits);
		right = right && memcmp(numbers, sorted, n * sizeof(sorted[0])) == 0;
	}
	ok(right, "offsets of any length are sorted");
}

/* With a large epsilon the answer is the quantile itself, wherever the grid lies. */
static void
test_values(void)
{
	static const int64_t bases[] = {-(INT64_C(1) << 61), -50, 0, INT64_MAX - 2000, INT64_MIN};
	uint64_t	state = 8;
	bool		right = true;
	DpsRandom	random;

	dps_random_init(&random, &tap_host);
	for (int k = 0; k < 300; k++)
	{
		DpsQuantile q = quantiles[k % QUANTILES];
		int64_t		lo = bases[k % 5];
		int64_t		values[400];
		size_t		n = 300 + next_number(&state) % 100;
		DpsExponential law;
		DpsArena   *arena;
		int64_t		result = 0;
		size_t		below = 0;
		size_t		above = 0;
		double		slack;

		if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_exponential_init(&law, 64, dps_quantile_range(q, false)) != DPS_OK)
			exit(2);
		/* some lie outside and count as ends */
		for (size_t i = 0; i < n; i++)
			values[i] = lo + (int64_t) (next_number(&state) % 1200);
		if (dps_quantile_values(arena, &random, &law, q, values, n, lo, lo + 999, &result) != DPS_OK)
			right = false;
		for (size_t i = 0; i < n; i++)
		{
			int64_t		value = values[i] > lo + 999 ? lo + 999 : values[i];

			below += value < result;
			above += value > result;
		}
		/* one rank costs exp(-32) or less, so two are not seen */
		slack = 2.0;
		right = right && result >= lo && result <= lo + 999 &&
			(double) below <= (double) n * (double) q.numerator / (double) q.denominator + slack &&
			(double) above <= (double) n * (1 - (double) q.numerator / (double) q.denominator) + slack;
		dps_arena_clear(arena);
	}
	ok(right, "at epsilon 64 the answer is within a rank or two of the quantile");
}

static void
test_value_domain(void)
{
	DpsQuantile half = {1, 2};
	DpsExponential law;
	DpsRandom	random;
	DpsArena   *arena;
	int64_t		value = 5;
	int64_t		result = 77;
	size_t		point = 77;
	uint64_t	none[3] = {0, 0, 0};
	unsigned	seen = 0;

	dps_random_init(&random, &tap_host);
	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_exponential_init(&law, 1, 2) != DPS_OK)
		exit(2);
	ok(dps_quantile_values(arena, &random, &law, half, &value, 1, 3, 2, &result) == DPS_DOMAIN &&
	   dps_quantile_values(arena, &random, &law, half, &value, 1, 0, (INT64_C(1) << 62) - 1, &result) == DPS_DOMAIN &&
	   dps_quantile_values(arena, &random, &law, half, &value, 1, INT64_MIN, INT64_MAX, &result) == DPS_DOMAIN &&
	   dps_quantile_values(arena, &random, &law, (DpsQuantile) {3, 2}, &value, 1, 0, 9, &result) == DPS_DOMAIN &&
	   dps_quantile_counts(arena, &random, &law, half, none, 0, &point) == DPS_DOMAIN &&
	   result == 77 && point == 77, "bad grids and quantiles are refused");
	ok(dps_quantile_values(arena, &random, &law, half, &value, 1, 0, (INT64_C(1) << 62) - 2, &result) == DPS_OK &&
	   result >= 0 && result < (INT64_C(1) << 62) - 1, "the widest grid");
	ok(dps_quantile_values(arena, &random, &law, half, &value, 1, -4, -4, &result) == DPS_OK && result == -4,
	   "a grid of one point");
	for (int i = 0; i < 600; i++)
	{
		if (dps_quantile_values(arena, &random, &law, half, NULL, 0, 10, 12, &result) != DPS_OK ||
			dps_quantile_counts(arena, &random, &law, half, none, 3, &point) != DPS_OK || point > 2 || result < 10 || result > 12)
			exit(2);
		seen |= 1U << (result - 10) | 8U << point;
	}
	/* missed by chance with probability below 6 (2/3)^600 < 1e-104 */
	ok(seen == 63, "without values every point can be drawn");
	dps_arena_clear(arena);
}

/* --- memory and randomness that fail --------------------------------------------------- */

typedef struct Failing
{
	Scarce		memory;			/* comes first: it is the host's */
	int			refills_left;
} Failing;

static bool
failing_bytes(void *context, void *buffer, size_t size)
{
	Failing    *failing = context;

	return failing->refills_left-- > 0 && tap_random_bytes(NULL, buffer, size);
}

static DpsStatus
run_all(DpsArena *arena, DpsRandom *random, const DpsExponential *law, const DpsTreePlan *plan,
		int64_t *result, size_t *point, DpsTree **tree)
{
	static int64_t values[5000];
	static uint64_t counts[4096];
	DpsQuantile half = {1, 2};

	DPS_TRY(dps_quantile_values(arena, random, law, half, values, 5000, -10, 10, result));
	DPS_TRY(dps_quantile_counts(arena, random, law, half, counts, 4096, point));
	return dps_tree_draw(arena, random, plan, counts, tree);
}

static void
test_failures(void)
{
	DpsTarget	target = {1, 1e-6, 1, 0};
	DpsHost		host = tap_host;
	DpsExponential law;
	DpsTreePlan plan;
	bool		right = true;
	int			failed = 0;
	int			starved = 0;

	host.allocate = scarce_allocate;
	host.release = scarce_release;
	host.random_bytes = failing_bytes;
	if (dps_exponential_init(&law, 1, 2) != DPS_OK ||
		dps_tree_plan(&plan, &dps_laplace, &target, 16, 3, 1, false) != DPS_OK)
		exit(2);
	for (int k = 0; k < 400; k++)
	{
		Failing		failing = {{.left = k < 40 ? k : 1000}, k < 40 ? 1 << 20 : k - 40};
		DpsArena   *arena;
		DpsRandom	random;
		int64_t		result = 77;
		size_t		point = 77;
		DpsTree    *tree = NULL;
		DpsStatus	status;

		host.context = &failing;
		dps_random_init(&random, &host);
		status = dps_arena_init(&arena, &host);
		if (status == DPS_OK)
			status = run_all(arena, &random, &law, &plan, &result, &point, &tree);
		failed += status == DPS_NOMEM;
		starved += status == DPS_UNABLE;
		right = right && (status == (k < 40 ? DPS_NOMEM : DPS_UNABLE) ? tree == NULL : status == DPS_OK && tree != NULL);
		if (arena != NULL)
			dps_arena_clear(arena);
		right = right && failing.memory.held == 0;
	}
	ok(right && failed >= 5 && starved >= 50, "every allocation (%d) and every refill (%d) may fail", failed, starved);
}

/* --- trees -------------------------------------------------------------------------------- */

/* Changes the counts of one unit; at most `rows` values, moved or new. */
static void
test_tree_sensitivity(void)
{
	uint64_t	state = 9;
	bool		within = true;
	double		reached[2][2] = {{0, 0}, {0, 0}};

	for (int k = 0; k < 4000; k++)
	{
		bool		replace = k % 2;
		uint64_t	rows = 1 + next_number(&state) % 3;
		int			fanout = 2 + (int) (next_number(&state) % 3);
		int			height = 1 + (int) (next_number(&state) % 3);
		DpsTarget	target = {1, 1e-6, 1, 0};
		DpsTreePlan plan[2];
		int			change[64] = {0};
		double		l1 = 0;
		double		l2 = 0;
		size_t		width = 1;
		size_t		to = next_number(&state);

		if (dps_tree_plan(&plan[0], &dps_laplace, &target, fanout, height, rows, replace) != DPS_OK ||
			dps_tree_plan(&plan[1], &dps_gaussian, &target, fanout, height, rows, replace) != DPS_OK)
			exit(2);
		for (uint64_t i = 0; i < rows; i++)
		{
			/* often all to one bucket, which is the worst */
			change[(k % 3 ? to : next_number(&state)) % plan[0].buckets]++;
			if (replace)
				change[(k % 3 ? to + plan[0].buckets / 2 : next_number(&state)) % plan[0].buckets]--;
		}
		for (int level = height; level > 0; level--, width *= (size_t) fanout)
			for (size_t node = 0; node < plan[0].buckets / width; node++)
			{
				int			sum = 0;

				for (size_t i = 0; i < width; i++)
					sum += change[node * width + i];
				l1 += abs(sum);
				l2 += (double) sum * sum;
			}
		l1 = ldexp(l1, plan[0].unit_bits) / (double) plan[0].sensitivity;
		l2 = ldexp(sqrt(l2), plan[1].unit_bits) / (double) plan[1].sensitivity;
		within = within && l1 <= 1 && l2 <= 1 + 1e-15;
		reached[0][replace] = fmax(reached[0][replace], l1);
		reached[1][replace] = fmax(reached[1][replace], l2);
	}
	ok(within && reached[0][0] == 1 && reached[0][1] == 1, "changes of all counts stay within the L1 sensitivity, and reach it");
	ok(within && reached[1][0] > 1 - 1e-11 && reached[1][1] > 1 - 1e-11, "and so in L2");
}

static void
test_tree_plan(void)
{
	DpsTarget	target = {0.5, 1e-6, 1, 0};
	DpsTreePlan plan;
	DpsTreePlan same;
	DpsLoss		loss;
	bool		right = true;

	memset(&plan, 77, sizeof(plan));
	same = plan;
	ok(dps_tree_plan(&plan, &dps_laplace, &target, 1, 3, 1, false) == DPS_DOMAIN &&
	   dps_tree_plan(&plan, &dps_laplace, &target, 2, 0, 1, false) == DPS_DOMAIN &&
	   dps_tree_plan(&plan, &dps_laplace, &target, 2, 25, 1, false) == DPS_DOMAIN &&
	   dps_tree_plan(&plan, &dps_laplace, &target, 2, 3, 0, false) == DPS_DOMAIN &&
	   dps_tree_plan(&plan, &dps_laplace, &target, 2, 3, 1 << 16, false) == DPS_DOMAIN &&
	   memcmp(&plan, &same, sizeof(plan)) == 0, "bad trees are refused");
	for (int i = 0; dps_mechanisms[i] != NULL; i++)
	{
		if (dps_tree_plan(&plan, dps_mechanisms[i], &target, 4, 5, 2, true) != DPS_OK)
			exit(2);
		dps_mechanisms[i]->loss(plan.scale, plan.step, plan.sensitivity, &loss);
		right = right && plan.buckets == 1024 && plan.loss.rho == loss.rho && plan.loss.epsilon == loss.epsilon &&
			plan.loss.delta == (dps_mechanisms[i]->uses_delta ? 1e-6 : 0) && plan.loss.rho > 0 &&
			(dps_mechanisms[i]->uses_delta || plan.loss.epsilon <= 0.5);
	}
	ok(right, "the loss is the mechanism's for the whole tree");
	ok(sqrt_up(0) == 0 && sqrt_up(1) == 1 && sqrt_up(2) == 2 && sqrt_up(4) == 2 && sqrt_up(5) == 3 &&
	   sqrt_up((unsigned __int128) 1 << 120) == UINT64_C(1) << 60 &&
	   sqrt_up(((unsigned __int128) 1 << 120) + 1) == (UINT64_C(1) << 60) + 1, "roots are rounded up");
}

static DpsStatus
no_noise(DpsRandom *random, uint64_t scale, uint64_t step, __int128 *noise)
{
	(void) random;
	(void) scale;
	(void) step;
	*noise = 0;
	return DPS_OK;
}

/* Without noise the tree is the histogram. */
static void
test_tree_exact(void)
{
	DpsMechanism silent = dps_laplace;
	DpsTarget	target = {1, 0, 1, 0};
	uint64_t	state = 10;
	bool		exact = true;
	bool		monotone = true;
	bool		right = true;

	silent.draw = no_noise;
	for (int k = 0; k < 60; k++)
	{
		uint64_t	counts[256] = {0};
		DpsTreePlan plan;
		DpsTree    *tree;
		DpsArena   *arena;
		double		total = 0;
		double		last = 0;

		if (dps_arena_init(&arena, &tap_host) != DPS_OK ||
			dps_tree_plan(&plan, &silent, &target, k % 2 ? 4 : 2, k % 2 ? 4 : 8, 1, false) != DPS_OK)
			exit(2);
		for (int i = 0; i < 256 && k > 1; i++)
			total += (double) (counts[i] = next_number(&state) % 3 == 0 ? next_number(&state) % 1000 : 0);
		if (dps_tree_draw(arena, NULL, &plan, counts, &tree) != DPS_OK)
			exit(2);
		for (int i = 0; i < 256; i++)
			exact = exact && fabs(tree->mass[plan.height][i] - (double) counts[i]) <= 1e-9;
		for (int j = 0; j <= 200; j++)
		{
			double		q = j / 200.0;
			double		at = dps_tree_quantile(tree, q);
			double		reached = 0;

			for (int i = 0; i < 256; i++)
				reached += (double) counts[i] * fmin(fmax(at - i, 0), 1);
			monotone = monotone && at >= last && at <= 256;
			/* an empty tree is uniform */
			right = right && (total > 0 ? fabs(reached - q * total) <= 1e-9 * total : fabs(at - 256 * q) <= 1e-9);
			last = at;
		}
		if (total > 0)
		{
			int			end = 255;

			while (counts[end] == 0)
				end--;
			right = right && fabs(dps_tree_quantile(tree, 1) - (end + 1)) <= 1e-9;
		}
		dps_arena_clear(arena);
	}
	ok(exact, "without noise the tree is the histogram");
	ok(right, "quantiles are where the histogram reaches them");
	ok(monotone, "and never fall");
}

/*
 * Least squares: for each bucket, what the fit adds to the noisy counts above it
 * adds up to 0.  Then the masses: non-negative, and children add up.
 */
static void
test_tree_fit(void)
{
	DpsTreePlan plan;
	DpsTarget	target = {1, 1e-6, 1, 0};
	DpsRandom	random;
	bool		least = true;
	bool		consistent = true;

	dps_random_init(&random, &tap_host);
	for (int k = 0; k < 40; k++)
	{
		int			fanout = 2 + k % 4;
		int			height = 1 + k % 3;
		double		noisy[4][125];
		DpsArena   *arena;
		DpsTree    *tree;

		if (dps_arena_init(&arena, &tap_host) != DPS_OK ||
			dps_tree_plan(&plan, &dps_gaussian, &target, fanout, height, 1, false) != DPS_OK ||
			allocate_tree(arena, &plan, &tree) != DPS_OK)
			exit(2);
		for (int level = 1; level <= height; level++)
		{
			static const uint64_t none[125];

			if (draw_level(&random, &plan, none, tree->mass[level], nodes_at(tree, level)) != DPS_OK)
				exit(2);
			memcpy(noisy[level], tree->mass[level], nodes_at(tree, level) * sizeof(double));
		}
		average_upward(tree);
		for (int level = 0; level < height; level++)
			for (size_t node = 0; node < nodes_at(tree, level); node++)
				share_missing(tree, level, node);
		for (size_t i = 0; i < plan.buckets; i++)
		{
			size_t		node = i;
			double		sum = 0;

			for (int level = height; level > 0; level--, node /= (size_t) fanout)
				sum += tree->mass[level][node] - noisy[level][node];
			least = least && fabs(sum) <= 1e-9;
		}
		for (int level = 1; level <= height; level++)
			memcpy(tree->mass[level], noisy[level], nodes_at(tree, level) * sizeof(double));
		fit(tree);
		for (int level = 0; level < height; level++)
			for (size_t node = 0; node < nodes_at(tree, level); node++)
				consistent = consistent && tree->mass[level][node] >= 0 &&
					fabs(sum_children(tree, level, node) - tree->mass[level][node]) <= 1e-9;
		dps_arena_clear(arena);
	}
	ok(least, "the fit is the least-squares one");
	ok(consistent, "masses are not negative and add up");
}

int
main(void)
{
	test_distances();
	for (int k = 0; k < QUANTILES; k++)
	{
		if (quantiles[k].denominator > 4)
			continue;
		test_neighbours(quantiles[k], false);
		test_neighbours(quantiles[k], true);
	}
	for (int rank = 1; rank <= SIZE + 1; rank++)
	{
		test_ranks(rank, false);
		test_ranks(rank, true);
	}
	test_extreme_ranks();
	test_fractions();
	test_refinement_range();
	test_bad_quantiles();
	test_sort();
	test_values();
	test_value_domain();
	test_failures();
	test_tree_sensitivity();
	test_tree_plan();
	test_tree_exact();
	test_tree_fit();
	return done_testing();
}

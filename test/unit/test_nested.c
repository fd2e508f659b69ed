/*
 * test_nested.c
 *		Sums of nested groupings that are made to add up: beside a dense least-squares solution, exact sums
 *		for every step, and nothing changed where nothing has noise.
 *
 * Random trees, variances and values, the same in every run.  Without chance.
 */
#include <math.h>
#include <string.h>

#include "moment/nested.h"
#include "moment/nested_shares.h"
#include "scarce.h"
#include "splitmix.h"
#include "tap.h"

#define MOST_LEVELS 4
#define MOST_CELLS 64

typedef struct Tree
{
	int			nlevels;
	DpsNestedLevel level[MOST_LEVELS];
	int64_t		parent[MOST_LEVELS][MOST_CELLS];
	__int128	value[MOST_LEVELS][MOST_CELLS];
	__int128	drawn[MOST_LEVELS][MOST_CELLS];
} Tree;

static uint64_t state = 20261128;

static double
uniform_number(void)
{
	return (double) (splitmix64(&state) >> 11) * 0x1p-53;
}

/* A forest of so many roots; each cell has 1 to 3 parts, in any order, and values near those that add up. */
static void
make_tree(Tree *tree, int nlevels, int roots, double size)
{
	memset(tree, 0, sizeof(*tree));
	tree->nlevels = nlevels;
	for (int l = 0; l < nlevels; l++)
	{
		DpsNestedLevel *level = &tree->level[l];
		int64_t		n = l == 0 ? roots : 0;

		for (int64_t i = 0; l > 0 && i < tree->level[l - 1].n; i++)
		{
			for (uint64_t parts = 1 + splitmix64(&state) % 3; parts > 0 && n < MOST_CELLS; parts--)
				tree->parent[l][n++] = i;
		}
		for (int64_t i = n - 1; l > 0 && i > 0; i--)
		{
			int64_t		other = (int64_t) (splitmix64(&state) % (uint64_t) (i + 1));
			int64_t		kept = tree->parent[l][i];

			tree->parent[l][i] = tree->parent[l][other];
			tree->parent[l][other] = kept;
		}
		level->n = n;
		level->parent = tree->parent[l];
		level->variance = exp(4 * uniform_number() - 2);
		level->value = tree->value[l];
		for (int64_t i = 0; i < n; i++)
			tree->value[l][i] = (__int128) (size * (uniform_number() - 0.5));
	}
	memcpy(tree->drawn, tree->value, sizeof(tree->value));
}

/* The leaf of the finest level under a cell? */
static bool
holds(const Tree *tree, int level, int64_t cell, int64_t leaf)
{
	for (int l = tree->nlevels - 1; l > level; l--)
		leaf = tree->parent[l][leaf];
	return leaf == cell;
}

/* Solves the normal equations of all leaves, of a matrix that is symmetric and positive. */
static void
solve(int n, long double a[MOST_CELLS][MOST_CELLS], long double *b)
{
	for (int i = 0; i < n; i++)
	{
		for (int j = i + 1; j < n; j++)
		{
			long double factor = a[j][i] / a[i][i];

			for (int k = i; k < n; k++)
				a[j][k] -= factor * a[i][k];
			b[j] -= factor * b[i];
		}
	}
	for (int i = n - 1; i >= 0; i--)
	{
		for (int k = i + 1; k < n; k++)
			b[i] -= a[i][k] * b[k];
		b[i] /= a[i][i];
	}
}

/* The largest distance of the values to the dense solution, in units of `size`. */
static double
distance_to_dense(const Tree *tree, double size)
{
	static long double a[MOST_CELLS][MOST_CELLS];
	static long double x[MOST_CELLS];
	int			n = (int) tree->level[tree->nlevels - 1].n;
	double		worst = 0;

	memset(a, 0, sizeof(a));
	memset(x, 0, sizeof(x));
	for (int l = 0; l < tree->nlevels; l++)
	{
		for (int64_t i = 0; i < tree->level[l].n; i++)
		{
			for (int j = 0; j < n; j++)
			{
				if (!holds(tree, l, i, j))
					continue;
				x[j] += (long double) tree->drawn[l][i] / tree->level[l].variance;
				for (int k = 0; k < n; k++)
					a[j][k] += holds(tree, l, i, k) ? 1 / (long double) tree->level[l].variance : 0;
			}
		}
	}
	solve(n, a, x);
	for (int l = 0; l < tree->nlevels; l++)
	{
		for (int64_t i = 0; i < tree->level[l].n; i++)
		{
			long double sum = 0;

			for (int j = 0; j < n; j++)
				sum += holds(tree, l, i, j) ? x[j] : 0;
			worst = fmax(worst, (double) fabsl(sum - (long double) tree->value[l][i]) / size);
		}
	}
	return worst;
}

/* Does each cell equal the sum of its parts, and is it a multiple of the step? */
static bool
adds_up(const Tree *tree, uint64_t step)
{
	for (int l = 0; l < tree->nlevels; l++)
	{
		for (int64_t i = 0; i < tree->level[l].n; i++)
		{
			__int128	sum = tree->value[l][i];

			if (sum % (__int128) step != 0)
				return false;
			for (int64_t j = 0; l + 1 < tree->nlevels && j < tree->level[l + 1].n; j++)
				sum -= tree->parent[l + 1][j] == i ? tree->value[l + 1][j] : 0;
			if (l + 1 < tree->nlevels && sum != 0)
				return false;
		}
	}
	return true;
}

static DpsStatus
fit_on(const DpsHost *host, Tree *tree, uint64_t step)
{
	DpsArena   *arena;
	DpsStatus	status = dps_arena_init(&arena, host);

	if (status != DPS_OK)
		return status;
	/* of a copy they are its own */
	for (int l = 0; l < tree->nlevels; l++)
	{
		tree->level[l].parent = tree->parent[l];
		tree->level[l].value = tree->value[l];
	}
	status = dps_fit_nested(arena, tree->level, tree->nlevels, step);
	dps_arena_clear(arena);
	return status;
}

static DpsStatus
fit(Tree *tree, uint64_t step)
{
	return fit_on(&tap_host, tree, step);
}

static bool
is_as_drawn(const Tree *tree)
{
	return memcmp(tree->value, tree->drawn, sizeof(tree->value)) == 0;
}

static void
test_dense(void)
{
	double		worst = 0;
	bool		sums = true;
	Tree		tree;

	for (int i = 0; i < 300; i++)
	{
		make_tree(&tree, 1 + i % MOST_LEVELS, 1 + i % 3, 0x1p60);
		sums &= fit(&tree, 1) == DPS_OK && adds_up(&tree, 1);
		worst = fmax(worst, distance_to_dense(&tree, 0x1p60));
	}
	ok(sums, "sums are exact");
	ok(worst < 1e-12, "the fit is that of the dense normal equations: within %.2g of the noise", worst);
}

/* A root of variance 4 over two parts of variance 1: by hand. */
static void
test_by_hand(void)
{
	Tree		tree;

	make_tree(&tree, 2, 1, 0);
	tree.level[0].variance = 4;
	tree.level[1].variance = 1;
	tree.level[1].n = 2;
	tree.parent[1][0] = tree.parent[1][1] = 0;
	tree.value[0][0] = 160;
	tree.value[1][0] = 40;
	tree.value[1][1] = 60;
	/* 160 + 4/6 (100 - 160) = 120; 20 more for the parts, which share it equally */
	ok(fit(&tree, 1) == DPS_OK && tree.value[0][0] == 120 && tree.value[1][0] == 50 && tree.value[1][1] == 70, "a root and two parts");
	ok(fit(&tree, 1) == DPS_OK && tree.value[0][0] == 120 && tree.value[1][0] == 50 && tree.value[1][1] == 70, "what adds up stays");
	tree.value[1][1] = 71;
	ok(fit(&tree, 10) == DPS_OK && tree.value[0][0] == 120 && tree.value[1][0] == 50 && tree.value[1][1] == 70, "rounded to tens");
}

/* Rounded fits add up, are near what they round, and are a fixed point. */
static void
test_steps(void)
{
	bool		sums = true;
	bool		stays = true;
	double		far = 0;
	Tree		tree;
	Tree		again;

	for (int i = 0; i < 300; i++)
	{
		uint64_t	step = i % 2 == 0 ? UINT64_C(1) << (i % 50) : 3 + splitmix64(&state) % 1000;

		make_tree(&tree, 2 + i % 3, 1 + i % 2, 50.0 * (double) step);
		sums &= fit(&tree, step) == DPS_OK && adds_up(&tree, step);
		far = fmax(far, distance_to_dense(&tree, (double) step));
		again = tree;
		stays &= fit(&again, step) == DPS_OK && memcmp(again.value, tree.value, sizeof(tree.value)) == 0;
	}
	ok(sums, "sums of whole steps are exact");
	ok(stays, "a second fit changes nothing");
	ok(far < 3, "no cell is further than three steps from its fit: %.3g", far);
}

/* Of whole numbers no part is preferred: over many totals that are one too large each of three gets it as often. */
static void
test_fair(void)
{
	int			times[4] = {0};
	int			n = 30000;
	Tree		tree;

	for (int i = 0; i < n; i++)
	{
		make_tree(&tree, 2, 1, 0);
		tree.level[0].variance = 0;
		tree.level[1].n = 3;
		memset(tree.parent, 0, sizeof(tree.parent));
		for (int k = 0; k < 3; k++)
			tree.value[1][k] = (__int128) (splitmix64(&state) % 64);
		tree.value[0][0] = tree.value[1][0] + tree.value[1][1] + tree.value[1][2] + 1;
		memcpy(tree.drawn, tree.value, sizeof(tree.value));
		if (fit(&tree, 1) != DPS_OK || !adds_up(&tree, 1))
			times[3]++;
		for (int k = 0; k < 3; k++)
			times[k] += tree.value[1][k] != tree.drawn[1][k];
	}
	ok(times[3] == 0 && abs(times[0] - n / 3) < n / 60 && abs(times[1] - n / 3) < n / 60 && times[0] + times[1] + times[2] == n,
	   "whoever gets what is left over: %d, %d, %d", times[0], times[1], times[2]);
}

/* What a fit makes of the noise of each cell alone, and so the variance of each fit, of ROLLUP over 4, 5 and 6 values. */
static void
test_gain(void)
{
	static const int64_t sizes[] = {1, 4, 20, 120};
	static const int64_t parts[] = {0, 4, 5, 6};
	static int64_t parent[4][120];
	static __int128 value[4][120];
	double		variance[4] = {0};
	double		total = 0;

	for (int l = 0; l < 4; l++)
	{
		for (int64_t j = 0; j < sizes[l]; j++)
		{
			DpsNestedLevel level[4];
			DpsArena   *arena;

			memset(value, 0, sizeof(value));
			value[l][j] = (__int128) 1 << 80;
			for (int k = 0; k < 4; k++)
			{
				for (int64_t i = 0; i < sizes[k]; i++)
					parent[k][i] = k > 0 ? i / parts[k] : 0;
				level[k] = (DpsNestedLevel) {sizes[k], parent[k], 1.0, value[k]};
			}
			if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_fit_nested(arena, level, 4, 1) != DPS_OK)
				variance[0] = NAN;
			dps_arena_clear(arena);
			for (int k = 0; k < 4; k++)
			{
				for (int64_t i = 0; i < sizes[k]; i++)
					variance[k] += pow(ldexp((double) value[k][i], -80), 2) / (double) sizes[k];
			}
		}
	}
	for (int k = 0; k < 4; k++)
		total += variance[k] * (double) sizes[k] / 145;
	ok(fabs(total - 120.0 / 145) < 1e-9 && variance[0] < 0.77 && variance[1] < 0.66 && variance[2] < 0.72 && variance[3] < 0.86,
	   "of a total and 4, 20 and 120 groups variances are %.3f, %.3f, %.3f and %.3f of what they were, all together %.3f",
	   variance[0], variance[1], variance[2], variance[3], total);
}

static void
test_exact(void)
{
	Tree		tree;
	Tree		more;

	make_tree(&tree, 3, 2, 0x1p50);
	for (int l = 0; l < 3; l++)
		tree.level[l].variance = 0;
	ok(fit(&tree, 1) == DPS_OK && is_as_drawn(&tree), "without noise nothing is changed, not even what does not add up");

	make_tree(&tree, 3, 2, 0x1p50);
	tree.level[0].variance = 0;
	ok(fit(&tree, 1) == DPS_OK && adds_up(&tree, 1) && memcmp(tree.value[0], tree.drawn[0], sizeof(tree.value[0])) == 0,
	   "what has no noise stays above");
	make_tree(&tree, 3, 2, 0x1p50);
	tree.level[2].variance = 0;
	ok(fit(&tree, 1) == DPS_OK && adds_up(&tree, 1) && memcmp(tree.value[2], tree.drawn[2], sizeof(tree.value[2])) == 0,
	   "and below");

	/* what is added to all leaves, and to their sums, is added to the fit, however large */
	make_tree(&tree, 3, 1, 0x1p40);
	more = tree;
	for (int64_t j = 0; j < more.level[2].n; j++)
	{
		int64_t		above = more.parent[2][j];

		more.value[2][j] += (__int128) 1 << 92;
		more.value[1][above] += (__int128) 1 << 92;
		more.value[0][more.parent[1][above]] += (__int128) 1 << 92;
	}
	ok(fit(&tree, 1) == DPS_OK && fit(&more, 1) == DPS_OK && adds_up(&more, 1) &&
	   more.value[2][0] - tree.value[2][0] == (__int128) 1 << 92, "large values lose nothing");
}

static void
test_refused(void)
{
	static const double variances[] = {-1, NAN, INFINITY};
	Tree		tree;

	for (int i = 0; i < 3; i++)
	{
		make_tree(&tree, 2, 1, 1e6);
		tree.level[1].variance = variances[i];
		ok(fit(&tree, 1) == DPS_DOMAIN && is_as_drawn(&tree), "a variance of %g", variances[i]);
	}
	make_tree(&tree, 2, 1, 1e6);
	ok(fit(&tree, 0) == DPS_DOMAIN && is_as_drawn(&tree), "no step");
	tree.parent[1][0] = 1;
	ok(fit(&tree, 1) == DPS_DOMAIN && is_as_drawn(&tree), "a parent that there is not");
	make_tree(&tree, 2, 2, 1e6);
	for (int64_t i = 0; i < tree.level[1].n; i++)
		tree.parent[1][i] = 0;
	ok(fit(&tree, 1) == DPS_DOMAIN && is_as_drawn(&tree), "a cell without parts");
	make_tree(&tree, 2, 1, 1e6);
	tree.value[1][0] = tree.drawn[1][0] = -((__int128) 1 << 101);
	ok(fit(&tree, 1) == DPS_DOMAIN && is_as_drawn(&tree), "a value that is too large");
	make_tree(&tree, 2, 1, 1e6);
	tree.level[0].n = DPS_NESTED_CELLS + 1;
	ok(fit(&tree, 1) == DPS_DOMAIN, "too many cells");
	tree.nlevels = 0;
	ok(fit(&tree, 1) == DPS_DOMAIN, "no level");
}

/* The sum over all cells of the variances of the fits, in parts of what one epsilon for all sets costs without fits; the
 * worst variance. */
static double
shared_error(int nlevels, const int64_t *cells, const double *factors, double *worst)
{
	double		noise[DPS_NESTED_LEVELS] = {0};
	double		fits[DPS_NESTED_LEVELS];
	double		total = 0;
	double		all = 0;

	*worst = 0;
	for (int l = 0; l < nlevels; l++)
		noise[l] = 1 / (factors[l] * factors[l]);
	dps_nested_variances(nlevels, cells, noise, fits);
	for (int l = 0; l < nlevels; l++)
	{
		*worst = fmax(*worst, fits[l]);
		total += fits[l] * (double) cells[l];
		all += (double) cells[l];
	}
	return total / all;
}

/* Factors cost no more, no set is worse off, and the total error is what it is known to be. */
static void
test_shares(void)
{
	static const struct
	{
		int			nlevels;
		int64_t		cells[4];
		double		most;
	}			cases[] = {
		{4, {1, 4, 20, 120}, 0.53}, {3, {1, 2, 6}, 0.53}, {3, {1, 4, 20}, 0.60}, {4, {1, 2, 4, 8}, 0.41}, {2, {1, 1}, 0.51}, {3, {1, 10, 110}, 0.76},
		{2, {1, 1000}, 1}, {1, {7}, 1}, {3, {5, 5, 1000000}, 1}, {3, {1, 300, 30000000}, 1},
	};
	double		factors[DPS_NESTED_LEVELS];
	double		ones[DPS_NESTED_LEVELS];
	double		worst;
	bool		costs_more = false;
	bool		is_worse = false;
	bool		gains_little = false;

	for (int l = 0; l < DPS_NESTED_LEVELS; l++)
		ones[l] = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double		error;

		dps_share_nested(cases[i].nlevels, cases[i].cells, factors);
		error = shared_error(cases[i].nlevels, cases[i].cells, factors, &worst);
		gains_little |= factors[0] != 1 && error > 0.99 * shared_error(cases[i].nlevels, cases[i].cells, ones, &(double) {0});
		ok(error <= cases[i].most && worst <= 1, "%d sets, the finest of %lld groups: the total error is %.3f of that of separate answers",
		   cases[i].nlevels, (long long) cases[i].cells[cases[i].nlevels - 1], error);
	}
	for (int i = 0; i < 300; i++)
	{
		int			nlevels = 1 + (int) (splitmix64(&state) % DPS_NESTED_LEVELS);
		int64_t		cells[DPS_NESTED_LEVELS];
		double		sum = 0;
		double		squares = 0;

		for (int l = 0; l < nlevels; l++)
		{
			cells[l] = l == 0 ? 1 + (int64_t) (splitmix64(&state) % 3) : cells[l - 1] * (cells[l - 1] < 100000 ? 1 + (int64_t) (splitmix64(&state) % 12) : 1);
		}
		dps_share_nested(nlevels, cells, factors);
		for (int l = 0; l < nlevels; l++)
		{
			sum += factors[l];
			squares += factors[l] * factors[l];
			costs_more |= !(factors[l] > 0);
		}
		costs_more |= sum > nlevels || squares > nlevels;
		is_worse |= shared_error(nlevels, cells, factors, &worst) > shared_error(nlevels, cells, ones, &(double) {0}) || worst > 1;
	}
	ok(!costs_more, "factors, and their squares, add up to the number of sets at most");
	ok(!is_worse, "and no set is worse off");
	ok(!gains_little, "epsilon is shared where that gains 1 %% at least");
}

/* The recurrence for trees that are alike everywhere is that of the fit: see test_gain. */
static void
test_variances(void)
{
	static const int64_t cells[] = {1, 4, 20, 120};
	static const double noise[] = {1, 1, 1, 1};
	double		fits[4];

	dps_nested_variances(4, cells, noise, fits);
	ok(fabs(fits[0] - 0.7639) < 1e-3 && fabs(fits[1] - 0.6557) < 1e-3 && fabs(fits[2] - 0.7125) < 1e-3 && fabs(fits[3] - 0.8528) < 1e-3,
	   "variances of fits: %.4f, %.4f, %.4f, %.4f", fits[0], fits[1], fits[2], fits[3]);
}

/* Memory that runs out is an error, nothing is changed and nothing is left behind. */
static void
test_scarce(void)
{
	Scarce		scarce;
	DpsHost		poor = scarce_host(&scarce);
	bool		clean = true;
	DpsStatus	status = DPS_NOMEM;
	Tree		tree;

	for (long blocks = 0; blocks < 20 && status == DPS_NOMEM; blocks++)
	{
		scarce = (Scarce) {.left = blocks};
		make_tree(&tree, 3, 2, 1e6);
		status = fit_on(&poor, &tree, 1);
		clean = clean && scarce.held == 0 && (status == DPS_OK || (status == DPS_NOMEM && is_as_drawn(&tree)));
	}
	ok(clean && status == DPS_OK, "memory that runs out");
}

int
main(void)
{
	test_dense();
	test_by_hand();
	test_steps();
	test_fair();
	test_gain();
	test_exact();
	test_refused();
	test_shares();
	test_variances();
	test_scarce();
	return done_testing();
}

/*
 * test_crossed.c
 *		Sums of grouping sets of any kind that are made to add up: the normal equations, exact sums for every step, the least
 *		that rounding adds, and what is shared.
 *		Files: moment/crossed/crossed_family.c, moment/crossed/crossed.c, moment/crossed/crossed_round.c,
 *		moment/crossed/crossed_shares.c.
 *
 * Random families, variances and values, the same in every run.  Without chance.
 */
#include <math.h>
#include <string.h>

#include "moment/crossed/crossed.h"
#include "moment/crossed/crossed_shares.h"
#include "moment/nested_shares.h"
#include "scarce.h"
#include "splitmix.h"
#include "tap.h"

#define MOST_SETS 8
#define MOST_CELLS 512

typedef struct Tables
{
	DpsCrossedFamily family;
	double		variance[MOST_SETS];
	__int128	value[MOST_SETS][MOST_CELLS];
	__int128	drawn[MOST_SETS][MOST_CELLS];
} Tables;

static uint64_t state = 20261129;
static Tables tables;
static Tables again;

static double
uniform_number(void)
{
	return (double) (splitmix64(&state) >> 11) * 0x1p-53;
}

static uint32_t
keys_of(const Tables *t, int set)
{
	return t->family.keys[t->family.part[set]];
}

static int64_t
cells_of(const Tables *t, int set)
{
	return t->family.cells[t->family.part[set]];
}

static bool
make_family(Tables *t, int nkeys, const int64_t *values, int nsets, const uint32_t *sets)
{
	memset(t, 0, sizeof(*t));
	for (int s = 0; s < nsets; s++)
		t->variance[s] = 1;
	return dps_crossed_make(nkeys, values, nsets, sets, &t->family) == DPS_OK;
}

/* Up to four keys of 1 to 4 values, and any sets of them. */
static void
make_random(Tables *t, double size)
{
	int			nkeys = 1 + (int) (splitmix64(&state) % 4);
	int			nsets = 1 + (int) (splitmix64(&state) % MOST_SETS);
	int64_t		values[4];
	uint32_t	sets[MOST_SETS];

	for (int i = 0; i < 4; i++)
		values[i] = 1 + (int64_t) (splitmix64(&state) % 4);
	for (int s = 0; s < nsets; s++)
		sets[s] = (uint32_t) (splitmix64(&state) % (UINT64_C(1) << nkeys));
	if (!make_family(t, nkeys, values, nsets, sets))
		ok(false, "a family");
	for (int s = 0; s < nsets; s++)
	{
		t->variance[s] = exp(4 * uniform_number() - 2);
		for (int64_t i = 0; i < cells_of(t, s); i++)
			t->value[s][i] = (__int128) (size * (uniform_number() - 0.5));
	}
	memcpy(t->drawn, t->value, sizeof(t->value));
}

static DpsStatus
fit_on(const DpsHost *host, Tables *t, uint64_t step)
{
	DpsArena   *arena;
	__int128   *values[MOST_SETS];
	DpsStatus	status = dps_arena_init(&arena, host);

	if (status != DPS_OK)
		return status;
	for (int s = 0; s < t->family.nsets; s++)
		values[s] = t->value[s];
	status = dps_fit_crossed(arena, &t->family, t->variance, values, step);
	dps_arena_clear(arena);
	return status;
}

static DpsStatus
fit(Tables *t, uint64_t step)
{
	return fit_on(&tap_host, t, step);
}

static bool
is_as_drawn(const Tables *t)
{
	return memcmp(t->value, t->drawn, sizeof(t->value)) == 0;
}

/* The number, among the combinations of some keys, of the values that number `cell` of those of others has; all are among these. */
static int64_t
place_in(const Tables *t, int64_t cell, uint32_t of, uint32_t keys)
{
	int64_t		digit[4] = {0};
	int64_t		place = 0;

	for (int i = t->family.nkeys - 1; i >= 0; i--)
	{
		if ((of >> i & 1) != 0)
		{
			digit[i] = cell % t->family.values[i];
			cell /= t->family.values[i];
		}
	}
	for (int i = 0; i < t->family.nkeys; i++)
	{
		if ((keys >> i & 1) != 0)
			place = place * t->family.values[i] + digit[i];
	}
	return place;
}

/* Have each two sets the same sums over what they share, and is each value a multiple of the step?  Then they are of one table. */
static bool
adds_up(const Tables *t, uint64_t step)
{
	for (int s = 0; s < t->family.nsets; s++)
	{
		for (int other = 0; other < t->family.nsets; other++)
		{
			uint32_t	both = keys_of(t, s) & keys_of(t, other);
			__int128	difference[MOST_CELLS] = {0};

			for (int64_t i = 0; i < cells_of(t, s); i++)
				difference[place_in(t, i, keys_of(t, s), both)] += t->value[s][i];
			for (int64_t i = 0; i < cells_of(t, other); i++)
				difference[place_in(t, i, keys_of(t, other), both)] -= t->value[other][i];
			for (int i = 0; i < MOST_CELLS; i++)
			{
				if (difference[i] != 0)
					return false;
			}
		}
		for (int64_t i = 0; i < cells_of(t, s); i++)
		{
			if (t->value[s][i] % (__int128) step != 0)
				return false;
		}
	}
	return true;
}

/* The largest of the normal equations, of a cell of the table on all keys each: sum (y - x) / v over the sets' cells with it. */
static double
worst_equation(const Tables *t)
{
	uint32_t	all = (UINT32_C(1) << t->family.nkeys) - 1;
	int64_t		n = 1;
	double		worst = 0;

	for (int i = 0; i < t->family.nkeys; i++)
		n *= t->family.values[i];
	for (int64_t g = 0; g < n; g++)
	{
		double		sum = 0;

		for (int s = 0; s < t->family.nsets; s++)
		{
			int64_t		i = place_in(t, g, all, keys_of(t, s));

			sum += (double) (t->drawn[s][i] - t->value[s][i]) / t->variance[s];
		}
		worst = fmax(worst, fabs(sum));
	}
	return worst;
}

/* A family that adds up is the least-squares fit if and only if the normal equations hold. */
static void
test_equations(void)
{
	double		worst = 0;
	bool		sums = true;

	for (int i = 0; i < 500; i++)
	{
		make_random(&tables, 0x1p60);
		sums &= fit(&tables, 1) == DPS_OK && adds_up(&tables, 1);
		worst = fmax(worst, worst_equation(&tables) / 0x1p60);
	}
	ok(sums, "sums are exact");
	ok(worst < 1e-12, "the normal equations hold: within %.2g of the noise", worst);
}

static void
test_by_hand(void)
{
	static const int64_t values[] = {2, 2};
	static const uint32_t apart[] = {1, 2};

	/* of two totals, 30 and 70, the mean is 50 */
	make_family(&tables, 2, values, 2, apart);
	tables.value[0][0] = 10;
	tables.value[0][1] = 20;
	tables.value[1][0] = 30;
	tables.value[1][1] = 40;
	ok(fit(&tables, 1) == DPS_OK && tables.value[0][0] == 20 && tables.value[0][1] == 30 && tables.value[1][0] == 20 && tables.value[1][1] == 30, "two keys apart");
	/* of variances 1 and 3, 40 */
	tables.variance[1] = 3;
	tables.value[0][0] = 10;
	tables.value[0][1] = 20;
	tables.value[1][0] = 30;
	tables.value[1][1] = 40;
	ok(fit(&tables, 1) == DPS_OK && tables.value[0][0] == 15 && tables.value[0][1] == 25 && tables.value[1][0] == 15 && tables.value[1][1] == 25, "of different variances");
	tables.value[0][0] = 16;
	/* 15.875 and 24.875, 15.375 and 25.375: twice 20 and 30 is nearest */
	ok(fit(&tables, 10) == DPS_OK && tables.value[0][0] == 20 && tables.value[0][1] == 30 && tables.value[1][0] == 20 && tables.value[1][1] == 30, "rounded to tens");
}

/* Rounded fits add up, are near what they round, and are a fixed point. */
static void
test_steps(void)
{
	bool		sums = true;
	bool		stays = true;
	double		far = 0;
	double		squares = 0;
	int64_t		n = 0;

	for (int i = 0; i < 500; i++)
	{
		uint64_t	step = i % 2 == 0 ? UINT64_C(1) << (i % 50) : 3 + splitmix64(&state) % 1000;

		make_random(&tables, 50.0 * (double) step);
		for (int s = 0; s < tables.family.nsets; s++)
			tables.variance[s] *= (double) step * (double) step;
		again = tables;
		for (int s = 0; s < again.family.nsets; s++)
		{
			for (int64_t k = 0; k < cells_of(&again, s); k++)
				again.value[s][k] *= (__int128) 1 << 30;
		}
		sums &= fit(&tables, step) == DPS_OK && adds_up(&tables, step) && fit(&again, 1) == DPS_OK;
		for (int s = 0; s < again.family.nsets; s++)
		{
			for (int64_t k = 0; k < cells_of(&again, s); k++)
			{
				double		distance = ldexp((double) again.value[s][k], -30) / (double) step - (double) tables.value[s][k] / (double) step;

				far = fmax(far, fabs(distance));
				squares += distance * distance;
				n++;
			}
		}
		again = tables;
		stays &= fit(&again, step) == DPS_OK && memcmp(again.value, tables.value, sizeof(tables.value)) == 0;
	}
	ok(sums, "sums of whole steps are exact");
	ok(stays, "a second fit changes nothing");
	ok(far < 4, "no cell is further than four steps from its fit: %.3g", far);
	ok(squares / (double) n < 0.25, "and %.3f in the mean square", squares / (double) n);
}

/* Whichever value comes first: of the counts of three values and a total that is one too large each gets it as often. */
static void
test_fair(void)
{
	static const int64_t values[] = {3, 2};
	static const uint32_t sets[] = {0, 1, 2};
	int			times[3] = {0};
	int			n = 30000;
	bool		sums = true;

	for (int i = 0; i < n; i++)
	{
		make_family(&tables, 2, values, 3, sets);
		tables.variance[0] = 0;
		for (int k = 0; k < 3; k++)
			tables.value[1][k] = (__int128) (splitmix64(&state) % 64);
		tables.value[0][0] = tables.value[1][0] + tables.value[1][1] + tables.value[1][2] + 1;
		tables.value[2][0] = (__int128) (splitmix64(&state) % 64);
		tables.value[2][1] = tables.value[0][0] - tables.value[2][0];
		memcpy(tables.drawn, tables.value, sizeof(tables.value));
		sums &= fit(&tables, 1) == DPS_OK && adds_up(&tables, 1) && tables.value[0][0] == tables.drawn[0][0];
		for (int k = 0; k < 3; k++)
			times[k] += tables.value[1][k] != tables.drawn[1][k];
	}
	ok(sums && abs(times[0] - n / 3) < n / 60 && abs(times[1] - n / 3) < n / 60 && times[0] + times[1] + times[2] == n,
	   "whoever gets what is left over: %d, %d, %d", times[0], times[1], times[2]);
}

static const int64_t sizes[] = {4, 5, 6};
static const uint32_t cube[] = {0, 1, 2, 4, 3, 5, 6, 7};

/* What a fit makes of the noise of each cell alone is the variance that is told of it. */
static void
test_gain(void)
{
	static const double noise[] = {1, 4, 0.5, 2, 1, 1, 3, 1};
	double		told[MOST_SETS];
	double		found[MOST_SETS] = {0};
	double		worst = 0;

	make_family(&tables, 3, sizes, 8, cube);
	dps_crossed_variances(&tables.family, noise, told);
	for (int s = 0; s < 8; s++)
	{
		for (int64_t j = 0; j < cells_of(&tables, s); j++)
		{
			memset(tables.value, 0, sizeof(tables.value));
			memcpy(tables.variance, noise, sizeof(noise));
			tables.value[s][j] = (__int128) 1 << 80;
			if (fit(&tables, 1) != DPS_OK)
				found[0] = NAN;
			for (int k = 0; k < 8; k++)
			{
				for (int64_t i = 0; i < cells_of(&tables, k); i++)
					found[k] += noise[s] * pow(ldexp((double) tables.value[k][i], -80), 2) / (double) cells_of(&tables, k);
			}
		}
	}
	for (int k = 0; k < 8; k++)
		worst = fmax(worst, fabs(found[k] / told[k] - 1));
	ok(worst < 1e-9, "the variances of all fits are those that are told, to %.2g", worst);
}

/* Of counts of two geometric draws at epsilon, CUBE over 4, 5 and 6 values: what is lost by rounding. */
static void
test_counts(void)
{
	double		q = exp(-1);
	double		variance = 2 * q / ((1 - q) * (1 - q));
	double		total = 0;
	double		cells = 210;

	for (int times = 0; times < 2000; times++)
	{
		make_family(&tables, 3, sizes, 8, cube);
		for (int s = 0; s < 8; s++)
		{
			tables.variance[s] = variance;
			for (int64_t i = 0; i < cells_of(&tables, s); i++)
				tables.value[s][i] = (__int128) floor(-log1p(-uniform_number())) - (__int128) floor(-log1p(-uniform_number()));
		}
		if (fit(&tables, 1) != DPS_OK || !adds_up(&tables, 1))
			total = NAN;
		for (int s = 0; s < 8; s++)
		{
			for (int64_t i = 0; i < cells_of(&tables, s); i++)
				total += pow((double) tables.value[s][i], 2) / 2000;
		}
	}
	ok(total / cells < 120 * variance / cells + 0.22, "whole counts at epsilon 1 have %.3f of the error of separate ones, 0.571 before they are rounded",
	   total / cells / variance);
}

static void
test_exact(void)
{
	static const uint32_t three[] = {1, 3, 6};

	make_family(&tables, 3, sizes, 3, three);
	for (int s = 0; s < 3; s++)
		tables.variance[s] = 0;
	tables.value[0][0] = tables.drawn[0][0] = 7;
	ok(fit(&tables, 1) == DPS_OK && is_as_drawn(&tables), "without noise nothing is changed, not even what does not add up");
	for (int s = 0; s < 3; s++)
	{
		bool		stays = true;

		for (int times = 0; times < 20; times++)
		{
			make_family(&tables, 3, sizes, 3, three);
			tables.variance[s] = 0;
			for (int k = 0; k < 3; k++)
			{
				for (int64_t i = 0; i < cells_of(&tables, k); i++)
					tables.value[k][i] = (__int128) (splitmix64(&state) % 32) - 16;
			}
			memcpy(tables.drawn, tables.value, sizeof(tables.value));
			stays &= fit(&tables, 1) == DPS_OK && adds_up(&tables, 1) && memcmp(tables.value[s], tables.drawn[s], sizeof(tables.value[s])) == 0;
		}
		ok(stays, "what has no noise stays, set %d", s);
	}
	/* what is added to a cell of one table, and so to a cell of each set, is added to the fit, however large */
	make_family(&tables, 3, sizes, 3, three);
	for (int k = 0; k < 3; k++)
	{
		for (int64_t i = 0; i < cells_of(&tables, k); i++)
			tables.value[k][i] = (__int128) (0x1p40 * uniform_number());
	}
	again = tables;
	for (int k = 0; k < 3; k++)
		again.value[k][1] += (__int128) 1 << 92;
	/* the cell of a and b is the second of b, and of the first of a */
	again.value[0][0] += (__int128) 1 << 92;
	again.value[0][1] -= (__int128) 1 << 92;
	again.value[2][6] += (__int128) 1 << 92;
	again.value[2][1] -= (__int128) 1 << 92;
	ok(fit(&tables, 1) == DPS_OK && fit(&again, 1) == DPS_OK && adds_up(&again, 1) && again.value[1][1] - tables.value[1][1] == (__int128) 1 << 92,
	   "large values lose nothing");
}

static void
test_refused(void)
{
	static const double variances[] = {-1, NAN, INFINITY};
	static const int64_t many[] = {1 << 10, 1 << 10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	static const int64_t none[] = {0};
	static const uint32_t one[] = {1};
	static const uint32_t three[] = {7};
	static const uint32_t ten[] = {0xffc};

	for (int i = 0; i < 3; i++)
	{
		make_family(&tables, 3, sizes, 8, cube);
		tables.value[1][1] = tables.drawn[1][1] = 5;
		tables.variance[3] = variances[i];
		ok(fit(&tables, 1) == DPS_DOMAIN && is_as_drawn(&tables), "a variance of %g", variances[i]);
	}
	make_family(&tables, 3, sizes, 8, cube);
	tables.value[1][1] = tables.drawn[1][1] = 5;
	ok(fit(&tables, 0) == DPS_DOMAIN && is_as_drawn(&tables), "no step");
	tables.value[7][1] = tables.drawn[7][1] = -((__int128) 1 << 101);
	ok(fit(&tables, 1) == DPS_DOMAIN && is_as_drawn(&tables), "a value that is too large");
	ok(!make_family(&tables, 1, none, 1, one), "a key without values");
	ok(!make_family(&tables, 2, many, 1, three), "a key that there is not");
	ok(!make_family(&tables, 3, many, 1, three), "too many cells");
	ok(!make_family(&tables, 12, many, 1, ten), "too many parts");
	ok(!make_family(&tables, 3, sizes, 0, cube), "no set");
}

/* ---- what is shared ---- */

/* The total variance of fits at factors, as a part of that of separate answers; the largest in worst. */
static double
shared_error(const DpsCrossedFamily *family, const double *factors, double *worst)
{
	double		noise[DPS_CROSSED_SETS];
	double		fits[DPS_CROSSED_SETS];
	double		total = 0;
	double		all = 0;

	*worst = 0;
	for (int s = 0; s < family->nsets; s++)
		noise[s] = 1 / (factors[s] * factors[s]);
	dps_crossed_variances(family, noise, fits);
	for (int s = 0; s < family->nsets; s++)
	{
		double		cells = (double) family->cells[family->part[s]];

		*worst = fmax(*worst, fits[s]);
		total += cells * fits[s];
		all += cells;
	}
	return total / all;
}

static bool
costs_more(int nsets, const double *factors)
{
	double		sum = 0;
	double		squares = 0;

	for (int s = 0; s < nsets; s++)
	{
		if (!(factors[s] > 0))
			return true;
		sum += factors[s];
		squares += factors[s] * factors[s];
	}
	return sum > nsets || squares > nsets;
}

static void
test_shares(void)
{
	static const uint32_t all_pairs[] = {3, 5, 6};
	static const uint32_t singles[] = {0, 1, 2, 4};
	static const uint32_t nested[] = {0, 1, 3, 7};
	static const int64_t nested_cells[] = {1, 4, 20, 120};
	static const struct
	{
		int			nsets;
		const uint32_t *sets;
		double		most;
	}			cases[] = {{8, cube, 0.35}, {3, all_pairs, 0.82}, {4, singles, 0.70}, {4, nested, 0.53}};
	static const double ones[DPS_CROSSED_SETS] = {1, 1, 1, 1, 1, 1, 1, 1};
	double		factors[DPS_CROSSED_SETS];
	double		nested_factors[DPS_NESTED_LEVELS];
	double		worst;
	double		other;
	bool		more = false;
	bool		is_worse = false;
	bool		is_least = true;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double		error;

		make_family(&tables, 3, sizes, cases[i].nsets, cases[i].sets);
		dps_share_crossed(&tables.family, factors);
		error = shared_error(&tables.family, factors, &worst);
		ok(error <= cases[i].most && worst <= 1, "%d sets: the total error is %.3f of that of separate answers", cases[i].nsets, error);
		/* there is nothing near that does better, at the same cost */
		for (int times = 0; times < 2000; times++)
		{
			double		near[DPS_CROSSED_SETS];
			double		squares = 0;

			for (int s = 0; s < cases[i].nsets; s++)
			{
				near[s] = factors[s] * exp(0.1 * (uniform_number() - 0.5));
				squares += near[s] * near[s];
			}
			for (int s = 0; s < cases[i].nsets; s++)
				near[s] *= sqrt(cases[i].nsets / squares);
			is_least &= shared_error(&tables.family, near, &worst) > error * (factors[0] == 1 ? 0.99 : 1 - 1e-4) || worst > 1 - 0x1p-12;
		}
	}
	ok(is_least, "no factors near these do better");
	dps_share_nested(4, nested_cells, nested_factors);
	ok(shared_error(&tables.family, factors, &worst) < shared_error(&tables.family, nested_factors, &other) * (1 + 1e-4),
	   "of nested sets the total error is no more than by nested_shares.c");
	for (int i = 0; i < 300; i++)
	{
		make_random(&tables, 1);
		dps_share_crossed(&tables.family, factors);
		more |= costs_more(tables.family.nsets, factors);
		is_worse |= shared_error(&tables.family, factors, &worst) > shared_error(&tables.family, ones, &other) || worst > 1 + 1e-12;
	}
	ok(!more, "factors, and their squares, add up to the number of sets at most");
	ok(!is_worse, "and no set is worse off");
}

/* Memory that runs out is an error, nothing is changed and nothing is left behind. */
static void
test_scarce(void)
{
	Scarce		scarce;
	DpsHost		poor = scarce_host(&scarce);
	bool		clean = true;
	DpsStatus	status = DPS_NOMEM;

	make_random(&tables, 1e6);
	tables.variance[0] = 1;
	for (long blocks = 0; blocks < 20 && status == DPS_NOMEM; blocks++)
	{
		scarce = (Scarce) {.left = blocks};
		status = fit_on(&poor, &tables, 1);
		clean = clean && scarce.held == 0 && (status == DPS_OK || (status == DPS_NOMEM && is_as_drawn(&tables)));
	}
	ok(clean && status == DPS_OK, "memory that runs out");
}

int
main(void)
{
	test_equations();
	test_by_hand();
	test_steps();
	test_fair();
	test_gain();
	test_counts();
	test_exact();
	test_refused();
	test_shares();
	test_scarce();
	return done_testing();
}

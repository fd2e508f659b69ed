/*
 * crossed.c
 *		Noised sums of grouping sets of any kind, made to add up.
 *
 * Precondition: the exact tables x_S of all sets are sums of one table on all of their keys, and y_S = x_S + Z_S where the
 * noises Z are independent, of mean 0, and have one variance v_S in all cells of set S.  Postcondition: the values are sums of
 * one table of integers on all keys, exactly, and, before they are rounded, each is the linear unbiased estimate of least
 * variance of its cell that these y allow; so no cell's variance is larger than before.  What comes out is a function of y and
 * of public figures, so it costs nothing (Dwork and Roth 2014, Proposition 2.1).
 *
 * Proof.  The families of tables that are sums of one are a linear space, of which the interactions c_A, for all subsets A of
 * all sets, are coordinates (crossed_family.c).  A set S that contains A has the estimate C_A M y_S of c_A, M the sums over
 * the keys that A has not: its covariance is v_S N_S / N_A C_A, a multiple of the same C_A for all S, and of other A it is
 * uncorrelated, as the projections are orthogonal.  y_S is these estimates, so the weighted least squares fall apart
 * into one problem for each A, whose solution is the mean with weights 1 / (v_S N_S).  The rest is Gauss and Markov.  (Nested sets
 * are a case of it; they have a fit of their own, nested.c, which rounds better.)
 *
 * Integers.  What holds of C_A holds of K_A, which takes the sum of each line along each key of A from the line's first
 * cell: x_S(g) is the sum over A of the k_A(g_A) at those g whose other keys have their first values.  Tables x_S that are
 * made from any integers k_A in that way add up, exactly.  It is used twice: for a base, of the y themselves, from which the
 * fit differs by a multiple of the noise, so that only this becomes doubles; and after rounding, where it changes
 * nothing but what errors of doubles did.  Integers are added modulo 2^128: sums that are small in the end are right.
 *
 * Rounding (crossed_round.c) adds a step and less to most cells.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "moment/crossed/crossed.h"
#include "moment/crossed/crossed_round.h"

#define VALUE_LIMIT ((__int128) 1 << 100)

typedef unsigned __int128 Word;

/* All parts' tables, one after the other. */
typedef struct Tables
{
	const DpsCrossedFamily *family;
	int64_t		first[DPS_CROSSED_PARTS + 1];
	int64_t    *map;			/* of one pair of parts */
	DpsStoredInt128 *base;
	DpsStoredInt128 *interactions;	/* k_A */
	double	   *estimates;		/* c_A, as a mean */
	double	   *fit;			/* what it adds to the base, in steps */
	DpsStoredInt128 *rounded;	/* that in whole steps */
	double	   *room;
	int64_t    *place;			/* of one table */
	double	   *residual;		/* of one table */
	double	   *margin;			/* of one table */
} Tables;

static bool
is_valid(const DpsCrossedFamily *family, const double *variances, DpsStoredInt128 *const *values, uint64_t step)
{
	if (step == 0 || step > UINT64_C(1) << 62)
		return false;
	for (int s = 0; s < family->nsets; s++)
	{
		if (!(variances[s] >= 0) || !isfinite(variances[s]))
			return false;
		for (int64_t i = 0; i < family->cells[family->part[s]]; i++)
		{
			if (values[s][i] > VALUE_LIMIT || values[s][i] < -VALUE_LIMIT)
				return false;
		}
	}
	return true;
}

static bool
has_noise(const DpsCrossedFamily *family, const double *variances)
{
	for (int s = 0; s < family->nsets; s++)
	{
		if (variances[s] > 0)
			return true;
	}
	return false;
}

static DpsStatus
make_tables(DpsArena *arena, const DpsCrossedFamily *family, Tables *tables)
{
	int64_t		largest = 1;
	size_t		n;

	memset(tables, 0, sizeof(*tables));
	tables->family = family;
	for (int a = 0; a < family->nparts; a++)
	{
		tables->first[a + 1] = tables->first[a] + family->cells[a];
		largest = family->cells[a] > largest ? family->cells[a] : largest;
	}
	n = (size_t) tables->first[family->nparts];
	tables->map = dps_arena_alloc(arena, sizeof(int64_t) * (size_t) largest);
	tables->place = dps_arena_alloc(arena, sizeof(int64_t) * (size_t) largest);
	tables->residual = dps_arena_alloc(arena, sizeof(double) * (size_t) largest);
	tables->margin = dps_arena_alloc(arena, sizeof(double) * (size_t) largest);
	tables->base = dps_arena_alloc(arena, sizeof(DpsStoredInt128) * n);
	tables->interactions = dps_arena_alloc(arena, sizeof(DpsStoredInt128) * n);
	tables->estimates = dps_arena_alloc(arena, sizeof(double) * n);
	tables->fit = dps_arena_alloc(arena, sizeof(double) * n);
	tables->rounded = dps_arena_alloc(arena, sizeof(DpsStoredInt128) * n);
	tables->room = dps_arena_alloc(arena, sizeof(double) * n);
	return tables->map != NULL && tables->place != NULL && tables->residual != NULL && tables->margin != NULL &&
		tables->base != NULL && tables->interactions != NULL && tables->estimates != NULL && tables->fit != NULL &&
		tables->rounded != NULL && tables->room != NULL ? DPS_OK : DPS_NOMEM;
}

/* Cancelled, perhaps. */
static DpsStatus
work(DpsArena *arena, int64_t cells)
{
	return dps_arena_work(arena, (uint32_t) cells) ? DPS_OK : dps_arena_status(arena, DPS_NOMEM);
}

/* The first cell of the line along a key of m values after that with this first cell. */
static int64_t
next_line(int64_t first, int64_t stride, int64_t m)
{
	return first + (first % stride == stride - 1 ? stride * (m - 1) + 1 : 1);
}

/* ---- integers ---- */

/* K_A: takes from the first cell of each line along each key the sum of the line. */
static void
take_sums(const DpsCrossedFamily *family, int part, DpsStoredInt128 *table)
{
	for (int i = 0; i < family->nkeys; i++)
	{
		int64_t		stride = dps_crossed_stride(family, part, i);
		int64_t		m = family->values[i];

		for (int64_t j = 0; stride > 0 && j < family->cells[part]; j = next_line(j, stride, m))
		{
			Word		rest = 0;

			for (int64_t k = 1; k < m; k++)
				rest += (Word) table[j + k * stride];
			table[j] = (__int128) -rest;
		}
	}
}

/* Tables of sums from all interactions. */
static DpsStatus
put_together(DpsArena *arena, Tables *tables, DpsStoredInt128 *results)
{
	const DpsCrossedFamily *family = tables->family;

	memset(results, 0, sizeof(DpsStoredInt128) * (size_t) tables->first[family->nparts]);
	for (int s = 0; s < family->nparts; s++)
	{
		for (int a = 0; a < family->nparts; a++)
		{
			if (!dps_crossed_within(family, a, s))
				continue;
			DPS_TRY(work(arena, family->cells[s]));
			dps_crossed_map(family, s, a, tables->map);
			/* the first cell of those that a cell of the part is the sum of has the least number */
			for (int64_t i = family->cells[s] - 1; i >= 0; i--)
				tables->place[tables->map[i]] = i;
			for (int64_t i = 0; i < family->cells[a]; i++)
			{
				DpsStoredInt128 *place = &results[tables->first[s] + tables->place[i]];

				*place = (__int128) ((Word) *place + (Word) tables->interactions[tables->first[a] + i]);
			}
		}
	}
	return DPS_OK;
}

/* The set whose values tell a part: one without noise, or else the smallest. */
static int
source_of(const DpsCrossedFamily *family, const double *variances, int part)
{
	int			found = -1;

	for (int s = 0; s < family->nsets; s++)
	{
		if (!dps_crossed_within(family, part, family->part[s]))
			continue;
		if (found < 0 || (variances[s] == 0 && variances[found] > 0) ||
			((variances[s] == 0) == (variances[found] == 0) && family->cells[family->part[s]] < family->cells[family->part[found]]))
			found = s;
	}
	return found;
}

static __int128
round_down(__int128 value, uint64_t step)
{
	__int128	rest = value % (__int128) step;

	return value - (rest < 0 ? rest + (__int128) step : rest);
}

/* Tables that add up and are near the values. */
static DpsStatus
make_base(DpsArena *arena, Tables *tables, const double *variances, DpsStoredInt128 *const *values, uint64_t step)
{
	const DpsCrossedFamily *family = tables->family;

	for (int a = 0; a < family->nparts; a++)
	{
		int			s = source_of(family, variances, a);
		DpsStoredInt128 *table = &tables->interactions[tables->first[a]];

		DPS_TRY(work(arena, family->cells[family->part[s]]));
		dps_crossed_map(family, family->part[s], a, tables->map);
		for (int64_t i = 0; i < family->cells[family->part[s]]; i++)
			table[tables->map[i]] = (__int128) ((Word) table[tables->map[i]] + (Word) round_down(values[s][i], step));
		take_sums(family, a, table);
	}
	return put_together(arena, tables, tables->base);
}

/* ---- the fit ---- */

/* C_A: takes from each line along each key its mean. */
static void
take_means(const DpsCrossedFamily *family, int part, double *table)
{
	for (int i = 0; i < family->nkeys; i++)
	{
		int64_t		stride = dps_crossed_stride(family, part, i);
		int64_t		m = family->values[i];

		for (int64_t j = 0; stride > 0 && j < family->cells[part]; j = next_line(j, stride, m))
		{
			double		sum = 0;

			for (int64_t k = 0; k < m; k++)
				sum += table[j + k * stride];
			for (int64_t k = 0; k < m; k++)
				table[j + k * stride] -= sum / (double) m;
		}
	}
}

/* The weight of a set's estimate of a part among those of all sets.  Sets without noise leave none to others. */
static double
weight_of(const DpsCrossedFamily *family, const double *variances, int set, int part)
{
	double		least = INFINITY;
	double		sum = 0;

	for (int s = 0; s < family->nsets; s++)
	{
		if (dps_crossed_within(family, part, family->part[s]))
			least = fmin(least, variances[s]);
	}
	if (least == 0 && variances[set] > 0)
		return 0;
	for (int s = 0; s < family->nsets; s++)
	{
		if (dps_crossed_within(family, part, family->part[s]) && (least > 0 || variances[s] == 0))
			sum += (least > 0 ? least / variances[s] : 1) / (double) family->cells[family->part[s]];
	}
	return (least > 0 ? least / variances[set] : 1) / (double) family->cells[family->part[set]] / sum;
}

/* Adds what a set tells of its parts to their estimates. */
static DpsStatus
add_estimates(DpsArena *arena, Tables *tables, const double *variances, int set)
{
	const DpsCrossedFamily *family = tables->family;
	int			whole = family->part[set];

	for (int a = 0; a < family->nparts; a++)
	{
		double		weight;

		if (!dps_crossed_within(family, a, whole))
			continue;
		DPS_TRY(work(arena, family->cells[whole]));
		weight = weight_of(family, variances, set, a);
		memset(tables->margin, 0, sizeof(double) * (size_t) family->cells[a]);
		dps_crossed_map(family, whole, a, tables->map);
		for (int64_t i = 0; i < family->cells[whole]; i++)
			tables->margin[tables->map[i]] += tables->residual[i];
		take_means(family, a, tables->margin);
		for (int64_t i = 0; i < family->cells[a]; i++)
			tables->estimates[tables->first[a] + i] += weight * tables->margin[i];
	}
	return DPS_OK;
}

/* The fits of all parts' tables from the estimates. */
static DpsStatus
make_fit(DpsArena *arena, Tables *tables, uint64_t step)
{
	const DpsCrossedFamily *family = tables->family;

	for (int s = 0; s < family->nparts; s++)
	{
		for (int a = 0; a < family->nparts; a++)
		{
			double		share = (double) family->cells[a] / (double) family->cells[s] / (double) step;

			if (!dps_crossed_within(family, a, s))
				continue;
			DPS_TRY(work(arena, family->cells[s]));
			dps_crossed_map(family, s, a, tables->map);
			for (int64_t i = 0; i < family->cells[s]; i++)
				tables->fit[tables->first[s] + i] += share * tables->estimates[tables->first[a] + tables->map[i]];
		}
	}
	return DPS_OK;
}

/* Rounds the fit to tables that add up whatever doubles did. */
static DpsStatus
round_fit(DpsArena *arena, Tables *tables, uint64_t seed, const bool *is_fixed, bool is_coarse)
{
	const DpsCrossedFamily *family = tables->family;
	DpsCrossedTables round = {family, tables->first, tables->fit, tables->rounded, tables->room};

	DPS_TRY(work(arena, tables->first[family->nparts]));
	dps_crossed_round(&round, seed);
	memcpy(tables->interactions, tables->rounded, sizeof(DpsStoredInt128) * (size_t) tables->first[family->nparts]);
	for (int a = 0; a < family->nparts; a++)
		take_sums(family, a, &tables->interactions[tables->first[a]]);
	DPS_TRY(put_together(arena, tables, tables->rounded));
	if (is_coarse)
		dps_crossed_approach(&round, is_fixed, seed);
	return DPS_OK;
}

/* May a step be seen beside the noise? */
static bool
is_coarse(const DpsCrossedFamily *family, const double *variances, uint64_t step)
{
	for (int s = 0; s < family->nsets; s++)
	{
		if (variances[s] > 0 && variances[s] < 1e4 * (double) step * (double) step)
			return true;
	}
	return false;
}

/* Notes the difference of a set's values to the base, and what was drawn. */
static void
find_residual(Tables *tables, int set, const DpsStoredInt128 *values, uint64_t *seed)
{
	int			part = tables->family->part[set];
	const DpsStoredInt128 *base = &tables->base[tables->first[part]];

	for (int64_t i = 0; i < tables->family->cells[part]; i++)
	{
		tables->residual[i] = (double) (__int128) ((Word) values[i] - (Word) base[i]);
		*seed = dps_mix_next(*seed, (uint64_t) values[i]);
	}
}

static void
write_values(const Tables *tables, DpsStoredInt128 *const *values, uint64_t step)
{
	const DpsCrossedFamily *family = tables->family;

	for (int s = 0; s < family->nsets; s++)
	{
		int64_t		first = tables->first[family->part[s]];

		for (int64_t i = 0; i < family->cells[family->part[s]]; i++)
			values[s][i] = (__int128) ((Word) tables->base[first + i] + (Word) tables->rounded[first + i] * step);
	}
}

DpsStatus
dps_fit_crossed(DpsArena *arena, const DpsCrossedFamily *family, const double *variances, DpsStoredInt128 *const *values,
				uint64_t step)
{
	bool		is_fixed[DPS_CROSSED_PARTS] = {false};
	Tables		tables;
	uint64_t	seed = 0;

	if (!is_valid(family, variances, values, step))
		return DPS_DOMAIN;
	if (!has_noise(family, variances))
		return DPS_OK;
	DPS_TRY(make_tables(arena, family, &tables));
	DPS_TRY(make_base(arena, &tables, variances, values, step));
	for (int s = 0; s < family->nsets; s++)
	{
		is_fixed[family->part[s]] |= variances[s] == 0;
		find_residual(&tables, s, values[s], &seed);
		DPS_TRY(add_estimates(arena, &tables, variances, s));
	}
	DPS_TRY(make_fit(arena, &tables, step));
	DPS_TRY(round_fit(arena, &tables, seed, is_fixed, is_coarse(family, variances, step)));
	write_values(&tables, values, step);
	return DPS_OK;
}

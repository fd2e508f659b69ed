/*
 * nested.c
 *		Noised sums of nested groupings, made to add up.
 *
 * Precondition: the exact value of each cell is the sum of those of its parts, and y = x + Z where the noises Z are
 * independent, of mean 0, and have one variance v_l in all cells of level l.  Postcondition: the values add up, exactly,
 * and, before they are rounded, each is the linear unbiased estimate of least variance of its cell that these y allow;
 * so no cell's variance is larger than before.  What comes out is a function of y and of public figures, so it costs
 * nothing (Dwork and Roth 2014, Proposition 2.1).
 *
 * Proof.  The x that add up are a linear space; the weighted least-squares fit in it is the best linear unbiased
 * estimate of all of its coordinates (Gauss and Markov), and y itself is a linear unbiased one of each.  On a tree the fit
 * takes two passes (Hay, Rastogi, Miklau and Suciu 2010, Theorem 3, here with the variances of any levels).  From the
 * leaves up: let z_c, of variance V_c, be the best estimate of c from the cells below c and c itself; these of different
 * parts are independent.  A cell p has two independent unbiased estimates, y_p and the sum of the z_c of its parts, so
 *
 *		z_p = y_p + v_p / (v_p + V) (sum z_c - y_p),	V_p = v_p V / (v_p + V),	V = sum V_c.
 *
 * From the root down: of the z_c, subject to a sum x_p that is known, the fit is x_c = z_c + V_c / V (x_p - sum z_c).
 * In all that is the minimum of a sum of squares over one variable after the other.  If all levels have the same variance
 * v, the sum of the variances of all fits is v times the dimension of the space, the number of leaves, where that of y is v
 * times the number of cells.
 *
 * Magnitudes.  Only differences y_p - sum y_c are made doubles, of the size of the noise; values stay integers.
 *
 * Rounding.  A root becomes the multiple of the step that is nearest to its fit.  Parts are rounded down, and what is missing
 * to their cell, which is a multiple of the step, goes one step each to those that lost most by that (the largest
 * remainders).  So a part is less than a step away from its share of a cell that was rounded, and sums are exact whatever
 * doubles did.  Of integers the remainders of all parts are often the same; which of them come first is a hash of what was
 * drawn, which prefers none of them, as their order would.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "moment/nested.h"

#define VALUE_LIMIT ((__int128) 1 << 100)

/* Remainders that are nearer to each other are the same but for the errors of doubles. */
#define RESOLUTION 0x1p-30

typedef struct Level
{
	double	   *shift;			/* z - y of each cell */
	double	   *variance;		/* V of each cell */
	int64_t    *first;			/* of each cell of the level, its first part; the last one's end: n + 1 numbers */
	int64_t    *parts;			/* cells of the next level, ordered by their parent */
} Level;

typedef struct Remainder
{
	double		part;			/* of a step, to RESOLUTION */
	uint64_t	turn;
	int64_t		cell;
} Remainder;

static bool
is_valid(const DpsNestedLevel *levels, int nlevels, uint64_t step)
{
	int64_t		cells = 0;

	if (nlevels < 1 || step == 0 || step > UINT64_C(1) << 62)
		return false;
	for (int l = 0; l < nlevels; l++)
	{
		const DpsNestedLevel *level = &levels[l];

		if (level->n < 1 || level->n > DPS_NESTED_CELLS || !(level->variance >= 0) || !isfinite(level->variance))
			return false;
		cells += level->n;
		if (cells > DPS_NESTED_CELLS)
			return false;
		for (int64_t i = 0; i < level->n; i++)
		{
			if (level->value[i] > VALUE_LIMIT || level->value[i] < -VALUE_LIMIT)
				return false;
			if (l > 0 && (level->parent[i] < 0 || level->parent[i] >= levels[l - 1].n))
				return false;
		}
	}
	return true;
}

static bool
has_noise(const DpsNestedLevel *levels, int nlevels)
{
	for (int l = 0; l < nlevels; l++)
	{
		if (levels[l].variance > 0)
			return true;
	}
	return false;
}

/* Lists the parts of each cell; DPS_DOMAIN if one has none. */
static DpsStatus
list_parts(DpsArena *arena, const DpsNestedLevel *coarse, const DpsNestedLevel *fine, Level *level)
{
	int64_t    *next;

	level->first = dps_arena_alloc(arena, sizeof(int64_t) * (size_t) (coarse->n + 1));
	level->parts = dps_arena_alloc(arena, sizeof(int64_t) * (size_t) fine->n);
	next = dps_arena_alloc(arena, sizeof(int64_t) * (size_t) coarse->n);
	if (level->first == NULL || level->parts == NULL || next == NULL)
		return DPS_NOMEM;
	for (int64_t i = 0; i < fine->n; i++)
		level->first[fine->parent[i] + 1]++;
	for (int64_t i = 0; i < coarse->n; i++)
	{
		if (level->first[i + 1] == 0)
			return DPS_DOMAIN;
		level->first[i + 1] += level->first[i];
		next[i] = level->first[i];
	}
	for (int64_t i = 0; i < fine->n; i++)
		level->parts[next[fine->parent[i]]++] = i;
	return DPS_OK;
}

static DpsStatus
make_level(DpsArena *arena, const DpsNestedLevel *levels, int nlevels, int l, Level *level)
{
	level->shift = dps_arena_alloc(arena, sizeof(double) * (size_t) levels[l].n);
	level->variance = dps_arena_alloc(arena, sizeof(double) * (size_t) levels[l].n);
	if (level->shift == NULL || level->variance == NULL)
		return DPS_NOMEM;
	for (int64_t i = 0; i < levels[l].n; i++)
		level->variance[i] = levels[l].variance;
	return l + 1 < nlevels ? list_parts(arena, &levels[l], &levels[l + 1], level) : DPS_OK;
}

/* y_p - sum y_c, exactly. */
static __int128
missing(const DpsNestedLevel *fine, const Level *level, int64_t cell, __int128 value)
{
	for (int64_t k = level->first[cell]; k < level->first[cell + 1]; k++)
		value -= fine->value[level->parts[k]];
	return value;
}

static void
sum_parts(const Level *level, const Level *finer, int64_t cell, double *shift, double *variance)
{
	*shift = *variance = 0;
	for (int64_t k = level->first[cell]; k < level->first[cell + 1]; k++)
	{
		*shift += finer->shift[level->parts[k]];
		*variance += finer->variance[level->parts[k]];
	}
}

/* The estimates from below of a level that is not the finest. */
static void
go_up(const DpsNestedLevel *coarse, const DpsNestedLevel *fine, Level *level, const Level *finer)
{
	for (int64_t i = 0; i < coarse->n; i++)
	{
		double		own = level->variance[i];
		double		shift;
		double		variance;

		sum_parts(level, finer, i, &shift, &variance);
		if (!(own + variance > 0))
			continue;
		level->shift[i] = own / (own + variance) * (shift - (double) missing(fine, level, i, coarse->value[i]));
		level->variance[i] = own / (own + variance) * variance;
	}
}

/* The largest multiple of the step that is not above value + shift; what is above it, in steps. */
static __int128
round_down(__int128 value, double shift, uint64_t step, double *rest)
{
	double		whole = floor(fmax(fmin(shift, 0x1p110), -0x1p110));
	__int128	sum = value + dps_to_int128(whole);
	__int128	below = sum % (__int128) step;

	if (below < 0)
		below += (__int128) step;
	*rest = rint(((double) below + (shift - whole)) / (double) step / RESOLUTION) * RESOLUTION;
	return sum - below;
}

/* The larger remainder first, then by turn. */
static int
compare_remainders(const void *a, const void *b)
{
	const Remainder *first = a;
	const Remainder *second = b;

	if (first->part != second->part)
		return first->part > second->part ? -1 : 1;
	if (first->turn != second->turn)
		return first->turn < second->turn ? -1 : 1;
	return (first->cell > second->cell) - (first->cell < second->cell);
}

static uint64_t
hash_parts(const DpsNestedLevel *fine, const Level *level, int64_t cell)
{
	uint64_t	hash = (uint64_t) cell;

	for (int64_t k = level->first[cell]; k < level->first[cell + 1]; k++)
		hash = dps_mix_next(hash, (uint64_t) fine->value[level->parts[k]]);
	return hash;
}

/* Makes the parts of a cell, whose value is a multiple of the step already, add up to it. */
static void
share(const DpsNestedLevel *fine, const Level *level, const Level *finer, int64_t cell, __int128 total, uint64_t step,
	  Remainder *remainders)
{
	int64_t		first = level->first[cell];
	int64_t		n = level->first[cell + 1] - first;
	double		shift;
	double		variance;
	double		lacking = (double) missing(fine, level, cell, total);
	uint64_t	seed = hash_parts(fine, level, cell);
	__int128	steps;
	int64_t		more;

	sum_parts(level, finer, cell, &shift, &variance);
	for (int64_t k = 0; k < n; k++)
	{
		int64_t		part = level->parts[first + k];
		double		weight = variance > 0 ? finer->variance[part] / variance : 1.0 / (double) n;

		fine->value[part] = round_down(fine->value[part], finer->shift[part] + weight * (lacking - shift), step,
									   &remainders[k].part);
		remainders[k].cell = part;
		remainders[k].turn = dps_mix_next(seed, (uint64_t) k);
	}
	/* 0 to n but for the errors of doubles */
	steps = missing(fine, level, cell, total) / (__int128) step;
	more = (int64_t) (steps % n);
	if (more < 0)
		more += n;
	steps = (steps - more) / n;
	qsort(remainders, (size_t) n, sizeof(Remainder), compare_remainders);
	for (int64_t k = 0; k < n; k++)
		fine->value[remainders[k].cell] += (steps + (k < more)) * (__int128) step;
}

static void
go_down(DpsNestedLevel *levels, int nlevels, const Level *found, uint64_t step, Remainder *remainders)
{
	for (int64_t i = 0; i < levels[0].n; i++)
	{
		double		rest;
		__int128	below = round_down(levels[0].value[i], found[0].shift[i], step, &rest);

		/* a half is rounded up and down as often */
		if (rest == 0.5)
			rest += (dps_mix_next((uint64_t) i, (uint64_t) (levels[0].value[i] / (__int128) step)) & 1) != 0 ? 0.25 : -0.25;
		levels[0].value[i] = rest < 0.5 ? below : below + (__int128) step;
	}
	for (int l = 0; l + 1 < nlevels; l++)
	{
		for (int64_t i = 0; i < levels[l].n; i++)
			share(&levels[l + 1], &found[l], &found[l + 1], i, levels[l].value[i], step, remainders);
	}
}

DpsStatus
dps_fit_nested(DpsArena *arena, DpsNestedLevel *levels, int nlevels, uint64_t step)
{
	Level	   *found;
	Remainder  *remainders;

	if (!is_valid(levels, nlevels, step))
		return DPS_DOMAIN;
	if (!has_noise(levels, nlevels))
		return DPS_OK;
	found = dps_arena_alloc(arena, sizeof(Level) * (size_t) nlevels);
	remainders = dps_arena_alloc(arena, sizeof(Remainder) * (size_t) levels[nlevels - 1].n);
	if (found == NULL || remainders == NULL)
		return DPS_NOMEM;
	for (int l = 0; l < nlevels; l++)
		DPS_TRY(make_level(arena, levels, nlevels, l, &found[l]));
	for (int l = nlevels - 2; l >= 0; l--)
		go_up(&levels[l], &levels[l + 1], &found[l], &found[l + 1]);
	go_down(levels, nlevels, found, step, remainders);
	return DPS_OK;
}

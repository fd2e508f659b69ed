/*
 * quantile.c
 *		One quantile by the exponential mechanism over a public grid.
 *
 * Precondition: neighbouring data differ by one value added or removed, or by one
 * value replaced; the grid is public; the law was made with
 * dps_quantile_range.  Postcondition: the draw is a point z of the grid with
 * P(z) proportional to exp(-epsilon D(z) / range), of bounded range epsilon
 * (noise/exponential.c).
 *
 * Distance.  q = p/r.  For a cell z let A and C be the numbers of values before and
 * after it, n that of all values.  z holds a q-quantile iff A <= q n and C <=
 * (1 - q) n, so
 *		D = max(0, f, g),	f = r A - p n,	g = r C - (r - p) n.
 * Some point has D = 0: the first one with r (A + values at it) >= p n.
 *
 * Range, add_remove.  A value v is added.
 *		v before z:		f changes by r - p,	g by -(r - p)
 *		v in z:			f by -p,			g by -(r - p)
 *		v after z:		f by -p,			g by p
 * D changes by no more than the larger of these and 0, either way.  If p = 0, g
 * is never positive and f falls for no z: D changes by 0 or r, the range is r; by
 * symmetry for p = r.  Otherwise D changes by at least -max(p, r - p) and at most
 * max(p, r - p): range 2 max(p, r - p).  Removing a value is the same with the
 * signs turned, which has the same length.
 *
 * Range, replace.  n stays.  With v < v' A falls by 1 for z beyond v up to v', C
 * grows by 1 for z from v to before v'; f and g change by at most r, either way:
 * range 2 r.  If p = 0, only f counts, and it only falls: range r; for p = r only
 * g counts and it only grows; the same for v > v' with the signs turned.
 *
 * The test enumerates small data sets: none of the ranges could be smaller.
 *
 * m values of one unit: m steps between neighbours, whose ranges add.
 *
 * Cutting the grid into cells only joins points of equal D: between two
 * neighbouring values A and C are constant.  For cells of several points that
 * hold values the same proof applies with cells for points, as an exponential
 * mechanism over cells.
 *
 * Levels.  Refining the chosen cell again costs epsilon_i each, which add, and
 * epsilon_i^2/8 of zCDP; for a grid of 2^40 points in five levels of 256 cells
 * that is five passes at a fifth of epsilon.  Where the values can be kept, one draw over
 * them is better by that factor, so the levels are left to callers whose state
 * must be small.
 *
 * Time depends on the number of values and on the draw (noise/exponential.c); the
 * sort does the same work for any values.
 */
#include <string.h>

#include "noise/quantile.h"

static bool
is_quantile(DpsQuantile q)
{
	return q.denominator >= 1 && q.denominator <= DPS_QUANTILE_LIMIT && q.numerator <= q.denominator;
}

uint64_t
dps_quantile_range(DpsQuantile q, bool replace)
{
	uint64_t	other = q.denominator - q.numerator;

	if (!is_quantile(q))
		return 0;
	if (q.numerator == 0 || other == 0)
		return q.denominator;
	if (replace)
		return 2 * q.denominator;
	return 2 * (q.numerator > other ? q.numerator : other);
}

/* max(0, x, y), and UINT64_MAX beyond it: a constant bound on both of two
 * distances does not widen the range of their difference. */
static uint64_t
distance(__int128 x, __int128 y)
{
	__int128	larger = x > y ? x : y;

	if (larger <= 0)
		return 0;
	return larger < UINT64_MAX ? (uint64_t) larger : UINT64_MAX;
}

void
dps_quantile_distances(DpsQuantile q, const DpsCell *cells, size_t n,
					   uint64_t before, uint64_t after, DpsCandidate *candidates)
{
	__int128	total = (__int128) before + after;
	__int128	passed = before;

	for (size_t i = 0; i < n; i++)
		total += cells[i].count;
	for (size_t i = 0; i < n; i++)
	{
		__int128	beyond = total - passed - cells[i].count;

		candidates[i].weight = cells[i].width;
		candidates[i].distance = distance(q.denominator * passed - q.numerator * total,
										  q.denominator * beyond - (q.denominator - q.numerator) * total);
		passed += cells[i].count;
	}
}

/* --- sorting ------------------------------------------------------------------ */

/* Offsets from lo, in ascending order; by digits, so that the work is the same for
 * all values.  `bits` is the length of the largest possible offset. */
static void
sort_offsets(uint64_t *offsets, uint64_t *spare, size_t n, int bits)
{
	uint64_t   *to = spare;
	uint64_t   *from = offsets;

	for (int shift = 0; shift < bits; shift += 8)
	{
		size_t		start[257] = {0};
		uint64_t   *swap = to;

		for (size_t i = 0; i < n; i++)
			start[(from[i] >> shift & 255) + 1]++;
		for (int c = 0; c < 256; c++)
			start[c + 1] += start[c];
		for (size_t i = 0; i < n; i++)
			to[start[from[i] >> shift & 255]++] = from[i];
		to = from;
		from = swap;
	}
	if (from != offsets)
		memcpy(offsets, from, n * sizeof(*offsets));
}

/* --- draws -------------------------------------------------------------------- */

/* A run of equal values is a cell of one point; so is each gap, as wide as it is.
 * Cells of no width are left out.  Returns how many there are: 2n + 1 at most. */
static size_t
cut_cells(const uint64_t *offsets, size_t n, uint64_t points, DpsCell *cells)
{
	size_t		used = 0;
	uint64_t	next = 0;		/* the first point that is in no cell yet */

	for (size_t i = 0; i < n;)
	{
		uint64_t	offset = offsets[i];
		size_t		first = i;

		while (i < n && offsets[i] == offset)
			i++;
		if (offset > next)
			cells[used++] = (DpsCell) {offset - next, 0};
		cells[used++] = (DpsCell) {1, i - first};
		next = offset + 1;
	}
	if (next < points)
		cells[used++] = (DpsCell) {points - next, 0};
	return used;
}

/* A point of the grid, counted from its beginning. */
static DpsStatus
draw_point(DpsArena *arena, DpsRandom *random, const DpsExponential *law, DpsQuantile q,
		   const DpsCell *cells, size_t n, uint64_t *point)
{
	DpsCandidate *candidates = dps_arena_alloc(arena, n * sizeof(DpsCandidate));
	uint64_t	within;
	size_t		chosen;

	if (candidates == NULL)
		return DPS_NOMEM;
	dps_quantile_distances(q, cells, n, 0, 0, candidates);
	DPS_TRY(dps_exponential_draw(random, law, candidates, n, &chosen));
	DPS_TRY(dps_random_below(random, cells[chosen].width, &within));
	for (size_t i = 0; i < chosen; i++)
		within += cells[i].width;
	*point = within;
	return DPS_OK;
}

DpsStatus
dps_quantile_values(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
					DpsQuantile q, const int64_t *values, size_t n,
					int64_t lo, int64_t hi, int64_t *result)
{
	uint64_t	length = (uint64_t) hi - (uint64_t) lo;
	uint64_t   *offsets;
	uint64_t   *spare;
	DpsCell    *cells;
	uint64_t	point;

	if (!is_quantile(q) || lo > hi || length >= DPS_WEIGHT_LIMIT)
		return DPS_DOMAIN;
	if (n > (SIZE_MAX / sizeof(DpsCell) - 1) / 2)
		return DPS_NOMEM;
	offsets = dps_arena_alloc(arena, n * sizeof(*offsets));
	spare = dps_arena_alloc(arena, n * sizeof(*spare));
	cells = dps_arena_alloc(arena, (2 * n + 1) * sizeof(*cells));
	if (offsets == NULL || spare == NULL || cells == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < n; i++)
		offsets[i] = values[i] <= lo ? 0 : values[i] >= hi ? length : (uint64_t) values[i] - (uint64_t) lo;
	sort_offsets(offsets, spare, n, length == 0 ? 0 : 64 - __builtin_clzll(length));
	DPS_TRY(draw_point(arena, random, law, q, cells, cut_cells(offsets, n, length + 1, cells), &point));
	*result = (int64_t) ((uint64_t) lo + point);
	return DPS_OK;
}

DpsStatus
dps_quantile_counts(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
					DpsQuantile q, const uint64_t *counts, size_t points, size_t *result)
{
	DpsCell    *cells;
	uint64_t	point;

	if (!is_quantile(q) || points == 0)
		return DPS_DOMAIN;
	if (points > SIZE_MAX / sizeof(DpsCell))
		return DPS_NOMEM;
	cells = dps_arena_alloc(arena, points * sizeof(*cells));
	if (cells == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < points; i++)
		cells[i] = (DpsCell) {1, counts[i]};
	DPS_TRY(draw_point(arena, random, law, q, cells, points, &point));
	*result = (size_t) point;
	return DPS_OK;
}

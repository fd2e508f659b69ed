/*
 * quantile_mechanism.c
 *		One quantile by the exponential mechanism over a public grid.
 *
 * Precondition: neighbouring data differ by one value added or removed, or by one
 * value replaced; the grid is public; the law was made with
 * dps_quantile_range.  Postcondition: the draw is a point z of the grid with
 * P(z) proportional to exp(-epsilon D(z) / range), of bounded range epsilon
 * (noise/exponential.c; McSherry and Talwar 2007; for quantiles Smith 2011).
 * The proof is that of the range: which D(z) change by how much, over all z.
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
 * Ranks.  The k-th smallest value is in z iff A < k <= A + values at it, so with M for
 * these
 *		D = max(0, f, g),	f = A - (k - 1),	g = k - A - M.
 * A value v added changes f by 1 for z after v and by 0 elsewhere, g by -1 for z from
 * v on and by 0 elsewhere; D changes by at most 1 either way: range 2.  v replaced by
 * v' changes A and A + M by at most 1, all in one direction: f and g change by at
 * most 1 either way, range 2.  The k-th largest is the mirror image.  The quantile 0
 * would be a worse minimum: every point below the smallest value holds it, so
 * the answer would be uniform there, whatever the data.
 *
 * Of k.  The points beyond all values have D = k, and together at most N times the
 * weight of one point that holds the k-th value if exp(-epsilon k / 2) N <= 1.  So k =
 * ceil(2 ln N / epsilon), a function of public numbers.
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
#include <math.h>
#include <string.h>

#include "noise/quantile/quantile_mechanism.h"
#include "num/whole.h"

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

/*
 * Convergents p/r of the continued fraction; each is nearer than any fraction of a
 * smaller denominator, and off by less than 1 / (r r') for the next denominator
 * r', which is beyond 2^20.  The steps are exact until the remainder is lost in
 * rounding, which only a fraction that equals x already does.
 */
DpsStatus
dps_quantile_of_double(double x, DpsQuantile *q)
{
	uint64_t	p[2] = {0, 1};
	uint64_t	r[2] = {1, 0};
	double		rest = x;

	if (!(x >= 0.0 && x <= 1.0))
		return DPS_DOMAIN;
	for (;;)
	{
		double		whole = floor(rest);
		uint64_t	next[2];

		/* so that nothing overflows */
		if (whole > (double) DPS_QUANTILE_LIMIT)
			break;
		next[0] = dps_to_uint64(whole) * p[1] + p[0];
		next[1] = dps_to_uint64(whole) * r[1] + r[0];
		if (next[1] > DPS_QUANTILE_LIMIT)
			break;
		p[0] = p[1];
		r[0] = r[1];
		p[1] = next[0];
		r[1] = next[1];
		if ((double) p[1] / (double) r[1] == x)
			break;
		rest = 1.0 / (rest - whole);
	}
	*q = (DpsQuantile) {p[1], r[1]};
	return DPS_OK;
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
dps_quantile_distances(DpsQuantile q, const DpsRun *cells, size_t n,
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

void
dps_rank_distances(uint64_t rank, bool largest, const DpsRun *cells, size_t n, DpsCandidate *candidates)
{
	__int128	passed = 0;

	for (size_t step = 0; step < n; step++)
	{
		size_t		i = largest ? n - 1 - step : step;

		candidates[i].weight = cells[i].width;
		candidates[i].distance = distance(passed - ((__int128) rank - 1),
										  (__int128) rank - passed - cells[i].count);
		passed += cells[i].count;
	}
}

uint64_t
dps_extreme_rank(double epsilon, uint64_t points)
{
	double		rank = ceil(DPS_RANK_RANGE * log((double) points) / epsilon);

	return rank >= 1.0 ? dps_to_uint64(rank) : 1;
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
cut_cells(const uint64_t *offsets, size_t n, uint64_t points, DpsRun *cells)
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
			cells[used++] = (DpsRun) {offset - next, 0};
		cells[used++] = (DpsRun) {1, i - first};
		next = offset + 1;
	}
	if (next < points)
		cells[used++] = (DpsRun) {points - next, 0};
	return used;
}

DpsStatus
dps_quantile_draw(DpsRandom *random, const DpsExponential *law, const DpsRun *cells,
				  const DpsCandidate *candidates, size_t n, uint64_t *point)
{
	uint64_t	within;
	size_t		chosen;

	DPS_TRY(dps_exponential_draw(random, law, candidates, n, &chosen));
	DPS_TRY(dps_random_below(random, cells[chosen].width, &within));
	for (size_t i = 0; i < chosen; i++)
		within += cells[i].width;
	*point = within;
	return DPS_OK;
}

/* A point of the grid, counted from its beginning. */
static DpsStatus
draw_point(DpsArena *arena, DpsRandom *random, const DpsExponential *law, DpsQuantile q,
		   const DpsRun *cells, size_t n, uint64_t *point)
{
	DpsCandidate *candidates = dps_arena_alloc(arena, n * sizeof(DpsCandidate));

	if (candidates == NULL)
		return DPS_NOMEM;
	dps_quantile_distances(q, cells, n, 0, 0, candidates);
	return dps_quantile_draw(random, law, cells, candidates, n, point);
}

DpsStatus
dps_quantile_values(DpsArena *arena, DpsRandom *random, const DpsExponential *law,
					DpsQuantile q, const int64_t *values, size_t n,
					int64_t lo, int64_t hi, int64_t *result)
{
	uint64_t	length = (uint64_t) hi - (uint64_t) lo;
	uint64_t   *offsets;
	uint64_t   *spare;
	DpsRun	   *cells;
	uint64_t	point;

	if (!is_quantile(q) || lo > hi || length >= DPS_WEIGHT_LIMIT)
		return DPS_DOMAIN;
	if (n > (SIZE_MAX / sizeof(DpsRun) - 1) / 2)
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
	DpsRun	   *cells;
	uint64_t	point;

	if (!is_quantile(q) || points == 0)
		return DPS_DOMAIN;
	if (points > SIZE_MAX / sizeof(DpsRun))
		return DPS_NOMEM;
	cells = dps_arena_alloc(arena, points * sizeof(*cells));
	if (cells == NULL)
		return DPS_NOMEM;
	for (size_t i = 0; i < points; i++)
		cells[i] = (DpsRun) {1, counts[i]};
	DPS_TRY(draw_point(arena, random, law, q, cells, points, &point));
	*result = (size_t) point;
	return DPS_OK;
}

/*
 * split.c
 *		Several quantiles of the same values, by dividing them.
 *
 * Kaplan, Schnapp and Stemmer (2022) draw the middle quantile first, and the others from the values below it and
 * above it, so that each value takes part in one draw at each depth.  They ask for values that are all different;
 * else the share of the values below an answer is not the answer's level, and the levels of the parts are wrong.
 * Here a draw is of a cut, which can be between equal values.
 *
 * Precondition: the grid is public; neighbouring data differ by one value added or removed, or by one that became
 * another; each node's law has the range dps_split_range, twice that where values are replaced below the root, and
 * epsilon is the same for all.
 * Postcondition: all answers together are (depth * epsilon)-DP, and (depth * epsilon^2 / 8)-zCDP.
 *
 * Cuts.  A point with c values has cuts k = 0 ... K, of which the k-th gives l(c) = floor(c k / K + 1/2) of them to the
 * lower part, the rest to the upper one.  K and the points are public, so are the candidates of a draw: the cuts of
 * the points of a part.  Its parts have all points up to that of the cut, and all from it on.
 *
 * Lemma.  A value that is added to a part adds one value to exactly one of its two parts, for any cut.  Away from the
 * cut's point that is plain.  At it, k / K <= 1, so that l(c + 1) - l(c) is 0 or 1; then c - l(c) grows by 1 or 0.
 *
 * Range.  Let B be the number of values below a cut, n that of the part, q = p / r the level.  The distance is |r B -
 * p n|.  A value that is added changes r B - p n by r - p if it is below the cut, by -p if above; so the
 * distance changes by no more than max(p, r - p) either way: range 2 max(p, r - p), as for a quantile of points.  It
 * is cut off at UINT64_MAX, which widens no range.
 *
 * Proof.  A draw has bounded range epsilon (noise/exponential.c).  Let one value be added.  By the lemma and by
 * induction one node at each depth has a part with one value more, and all others have the same parts as before, given
 * the same cuts above.  So at each depth one draw's law changes, by epsilon at most; depths are composed adaptively.
 * A value that is replaced is removed and added.  At the root that is the range of dps_quantile_range.  Below it, two
 * steps change one part each: if it is the same, by twice the range of one step; if not, by one step each of
 * two independent draws, of half of epsilon each.  A unit with m values, or rows that go from group to group, are m
 * such steps, whose ranges add; a draw that sees some of them loses as much of epsilon as it sees.
 *
 * Drawing.  A cut is no nearer than its point, as quantile_mechanism.c has the distance of a point.  So a point that
 * is drawn by that distance, one of its cuts at random, which is kept with probability exp(-s (its own distance - the
 * point's)), and all again until one is kept, have the law of the cuts, exactly.  Points with many values near the level would
 * seldom have one that is kept; their cuts are candidates of their own.  What is near and many is only a matter of
 * time.
 *
 * A node that divides nothing draws a point, by quantile_mechanism.c, whose range is no larger.  A minimum or maximum is a rank (ibid.)
 * of the values next to its end.
 */
#include <stdbool.h>

#include "noise/quantile/split.h"
#include "noise/sample.h"

/* --- who divides what --------------------------------------------------------- */

static double
value_of(DpsQuantile q)
{
	return (double) q.numerator / (double) q.denominator;
}

static bool
is_extreme(DpsQuantile q)
{
	return q.numerator == 0 || q.numerator == q.denominator;
}

/* The level among the values between two cuts; never an extreme one. */
static DpsQuantile
level_between(DpsQuantile q, double low, double high)
{
	double		x = (value_of(q) - low) / (high - low);
	DpsQuantile level;

	if (!(x > 0.0 && x < 1.0) || dps_quantile_of_double(x, &level) != DPS_OK || is_extreme(level))
		level = (DpsQuantile) {x < 0.5 ? 1 : DPS_QUANTILE_LIMIT - 1, DPS_QUANTILE_LIMIT};
	return level;
}

typedef struct Planning
{
	const DpsQuantile *levels;
	DpsSplitNode *nodes;
	int			used;
	int			depth;
} Planning;

static int
add_node(Planning *planning, int which, DpsQuantile level, int depth)
{
	planning->nodes[planning->used] = (DpsSplitNode) {level, which, depth, -1, -1};
	if (depth > planning->depth)
		planning->depth = depth;
	return planning->used++;
}

/* The node that divides the values between two cuts by the levels from ... to - 1; -1 if there is no level. */
static int
plan_part(Planning *planning, int from, int to, double low, double high, int depth)
{
	int			first = from < to && planning->levels[from].numerator == 0 ? from + 1 : from;
	int			end = first < to && is_extreme(planning->levels[to - 1]) ? to - 1 : to;
	int			middle = first + (end - first) / 2;
	double		cut;
	int			node;

	if (from >= to)
		return -1;
	if (first >= end)
	{
		node = add_node(planning, from, planning->levels[from], depth);
		planning->nodes[node].upper = plan_part(planning, from + 1, to, low, high, depth + 1);
		return node;
	}
	cut = value_of(planning->levels[middle]);
	node = add_node(planning, middle, level_between(planning->levels[middle], low, high), depth);
	planning->nodes[node].lower = plan_part(planning, from, middle, low, cut, depth + 1);
	planning->nodes[node].upper = plan_part(planning, middle + 1, to, cut, high, depth + 1);
	return node;
}

int
dps_split_plan(const DpsQuantile *levels, int n, DpsSplitNode *nodes)
{
	Planning	planning = {levels, nodes, 0, 0};

	(void) plan_part(&planning, 0, n, 0.0, 1.0, 1);
	return planning.depth;
}

/* --- cuts --------------------------------------------------------------------- */

uint64_t
dps_split_range(DpsQuantile level)
{
	return dps_quantile_range(level, false);
}

static uint64_t
values_below(uint64_t count, uint64_t k)
{
	return (uint64_t) (((unsigned __int128) count * k + DPS_SPLIT_CUTS / 2) / DPS_SPLIT_CUTS);
}

/* The distance of a cut that has so many of all values below it. */
static uint64_t
cut_distance(DpsQuantile level, uint64_t below, uint64_t total)
{
	unsigned __int128 left = (unsigned __int128) level.denominator * below;
	unsigned __int128 right = (unsigned __int128) level.numerator * total;
	unsigned __int128 distance = left > right ? left - right : right - left;

	return distance < UINT64_MAX ? (uint64_t) distance : UINT64_MAX;
}

/* Is the exponent of this distance greater than so much? */
static bool
exceeds(const DpsExponential *law, uint64_t distance, uint64_t exponent)
{
	return (unsigned __int128) distance * law->num > (unsigned __int128) law->den * exponent;
}

/* Beyond this exponent a point is hardly ever drawn. */
#define FAR 40

/* Candidates in the making, and the cells that they are of. */
typedef struct Choice
{
	const DpsExponential *law;
	DpsQuantile level;
	const DpsRun *cells;
	size_t		n;
	uint64_t	total;
	DpsCandidate *points;		/* the cells, by the distances of points */
	uint64_t	nearest;		/* distance of a cut */
	DpsCandidate *candidates;	/* NULL to count them */
	DpsCut	   *cuts;			/* where they are; below = WHOLE for the cuts of a whole cell */
	size_t		used;
} Choice;

#define WHOLE UINT64_MAX

static void
add_candidate(Choice *choice, size_t cell, uint64_t below, uint64_t distance, uint64_t weight)
{
	if (choice->candidates != NULL)
	{
		choice->candidates[choice->used] = (DpsCandidate) {distance, weight};
		choice->cuts[choice->used] = (DpsCut) {cell, 0, below};
	}
	choice->used++;
}

/* The first cut after the k-th that gives more than `below`, as that does, to the lower side; the first beyond all if
 * none does.  It is the least with count k + K/2 >= (below + 1) K. */
static uint64_t
next_cut(uint64_t count, uint64_t k, uint64_t below)
{
	unsigned __int128 least = (unsigned __int128) below * DPS_SPLIT_CUTS + DPS_SPLIT_CUTS / 2;
	unsigned __int128 next = (least + count - 1) / count;

	if (next <= k)
		return k + 1;
	return next <= DPS_SPLIT_CUTS ? (uint64_t) next : DPS_SPLIT_CUTS + 1;
}

/* Cuts that give the same to both sides are one. */
static void
add_cuts(Choice *choice, size_t cell, uint64_t passed)
{
	uint64_t	count = choice->cells[cell].count;
	uint64_t	next;

	for (uint64_t k = 0; k <= DPS_SPLIT_CUTS; k = next)
	{
		uint64_t	below = values_below(count, k);

		next = next_cut(count, k, below);
		add_candidate(choice, cell, below, cut_distance(choice->level, passed + below, choice->total), next - k);
	}
}

/* Has the cell many values, and is near? */
static bool
is_expanded(const Choice *choice, size_t cell)
{
	uint64_t	count = choice->cells[cell].count;
	uint64_t	limit = UINT64_MAX / choice->level.denominator;

	return count > 0 && exceeds(choice->law, (count < limit ? count : limit) * choice->level.denominator, 1) &&
		(choice->points[cell].distance <= choice->nearest ||
		 !exceeds(choice->law, choice->points[cell].distance - choice->nearest, FAR));
}

/* The distance of the cell's nearest cut.  Of a point that has the level it is one of the two cuts beside it. */
static uint64_t
nearest_cut(const Choice *choice, size_t cell, uint64_t passed)
{
	uint64_t	count = choice->cells[cell].count;
	unsigned __int128 left = (unsigned __int128) choice->level.denominator * passed;
	unsigned __int128 right = (unsigned __int128) choice->level.numerator * choice->total;
	uint64_t	k;
	uint64_t	at;
	uint64_t	beyond;

	if (choice->points[cell].distance > 0 || count == 0 || right <= left)
		return choice->points[cell].distance;
	k = (uint64_t) ((right - left) * DPS_SPLIT_CUTS / ((unsigned __int128) choice->level.denominator * count));
	if (k >= DPS_SPLIT_CUTS)
		k = DPS_SPLIT_CUTS - 1;
	at = cut_distance(choice->level, passed + values_below(count, k), choice->total);
	beyond = cut_distance(choice->level, passed + values_below(count, k + 1), choice->total);
	return at < beyond ? at : beyond;
}

static void
add_candidates(Choice *choice)
{
	uint64_t	passed = 0;

	choice->used = 0;
	for (size_t i = 0; i < choice->n; i++)
	{
		if (is_expanded(choice, i))
			add_cuts(choice, i, passed);
		else
			add_candidate(choice, i, WHOLE, choice->points[i].distance, choice->points[i].weight * (DPS_SPLIT_CUTS + 1));
		passed += choice->cells[i].count;
	}
}

static DpsStatus
make_choice(DpsArena *arena, const DpsExponential *law, DpsQuantile level, const DpsRun *cells, size_t n, Choice *choice)
{
	uint64_t	passed = 0;

	*choice = (Choice) {law, level, cells, n, 0, dps_arena_alloc(arena, n * sizeof(DpsCandidate)), UINT64_MAX, NULL, NULL, 0};
	if (choice->points == NULL)
		return DPS_NOMEM;
	dps_quantile_distances(level, cells, n, 0, 0, choice->points);
	for (size_t i = 0; i < n; i++)
		choice->total += cells[i].count;
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	distance = nearest_cut(choice, i, passed);

		if (distance < choice->nearest)
			choice->nearest = distance;
		passed += cells[i].count;
	}
	add_candidates(choice);
	choice->candidates = dps_arena_alloc(arena, choice->used * sizeof(DpsCandidate));
	choice->cuts = dps_arena_alloc(arena, choice->used * sizeof(DpsCut));
	if (choice->candidates == NULL || choice->cuts == NULL)
		return DPS_NOMEM;
	add_candidates(choice);
	return DPS_OK;
}

/* One of the cuts of a whole cell, and whether it is kept. */
static DpsStatus
draw_within(DpsRandom *random, const Choice *choice, DpsCut *cut, bool *kept)
{
	uint64_t	passed = 0;
	uint64_t	distance;
	uint64_t	k;

	for (size_t i = 0; i < cut->cell; i++)
		passed += choice->cells[i].count;
	DPS_TRY(dps_random_below(random, DPS_SPLIT_CUTS + 1, &k));
	cut->below = values_below(choice->cells[cut->cell].count, k);
	distance = cut_distance(choice->level, passed + cut->below, choice->total) - choice->points[cut->cell].distance;
	return dps_sample_exp(random, (unsigned __int128) distance * choice->law->num, choice->law->den, kept);
}

DpsStatus
dps_split_draw(DpsArena *arena, DpsRandom *random, const DpsExponential *law, DpsQuantile level,
			   const DpsRun *cells, size_t n, DpsCut *cut)
{
	Choice		choice;
	bool		kept = false;

	DPS_TRY(make_choice(arena, law, level, cells, n, &choice));
	while (!kept)
	{
		size_t		chosen;

		DPS_TRY(dps_exponential_draw(random, law, choice.candidates, choice.used, &chosen));
		*cut = choice.cuts[chosen];
		kept = true;
		if (cut->below == WHOLE)
			DPS_TRY(draw_within(random, &choice, cut, &kept));
	}
	return dps_random_below(random, cells[cut->cell].width, &cut->within);
}

DpsRun
dps_cut_lower(const DpsCut *cut)
{
	return (DpsRun) {cut->within + 1, cut->below};
}

DpsRun
dps_cut_upper(DpsRun cell, const DpsCut *cut)
{
	return (DpsRun) {cell.width - cut->within, cell.count - cut->below};
}

/*
 * test_split.c
 *		Several quantiles by dividing the values.
 *
 * The promise is enumerated: for all small data sets and all their neighbours, the probabilities of all
 * answers to three quantiles, cuts included, computed from the definitions in split.c alone, with few cuts for
 * each point.  split.c is compiled a second time here, for its inner steps; its draws are compared with
 * their law in stat/test_selection.c.
 */
#include <math.h>
#include <string.h>

#include "noise/quantile/split.h"
#include "scarce.h"
#include "tap.h"

extern int	here_plan(const DpsQuantile *levels, int n, DpsSplitNode *nodes);
extern uint64_t here_range(DpsQuantile level);
extern DpsStatus here_draw(DpsArena *arena, DpsRandom *random, const DpsExponential *law, DpsQuantile level,
						   const DpsRun *cells, size_t n, DpsCut *cut);
extern DpsRun here_lower(const DpsCut *cut);
extern DpsRun here_upper(DpsRun cell, const DpsCut *cut);

#define dps_split_plan here_plan
#define dps_split_range here_range
#define dps_split_draw here_draw
#define dps_cut_lower here_lower
#define dps_cut_upper here_upper
#include "noise/quantile/split.c"
#undef dps_split_plan
#undef dps_split_range
#undef dps_split_draw
#undef dps_cut_lower
#undef dps_cut_upper

/* --- the lemma ------------------------------------------------------------------ */

static void
test_lemma(void)
{
	static const uint64_t counts[] = {0, 1, 2, 3, 7, 1000, DPS_SPLIT_CUTS - 1, DPS_SPLIT_CUTS, DPS_SPLIT_CUTS + 1, UINT64_C(1) << 40,
	(UINT64_C(1) << 62) - 1};
	bool		one = true;
	bool		all = true;
	bool		even = true;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		for (uint64_t k = 0; k <= DPS_SPLIT_CUTS; k++)
		{
			uint64_t	now = values_below(counts[i], k);
			uint64_t	more = values_below(counts[i] + 1, k);

			one = one && more - now <= 1 && now <= counts[i];
			even = even && fabs((double) now - (double) counts[i] * (double) k / DPS_SPLIT_CUTS) <= 0.5 + 1e-15 * (double) counts[i];
		}
		all = all && values_below(counts[i], 0) == 0 && values_below(counts[i], DPS_SPLIT_CUTS) == counts[i];
	}
	ok(one, "one value more is one more on one side of each cut");
	ok(all && even, "the first cut gives none to the lower side, the last all, the others their share");
}

/* Cuts that are taken together give the same, and the next one does not. */
static void
test_next(void)
{
	static const uint64_t counts[] = {1, 2, 3, 5, 100, DPS_SPLIT_CUTS - 1, DPS_SPLIT_CUTS, DPS_SPLIT_CUTS + 1, 12345678, (UINT64_C(1) << 62) - 1};
	bool		right = true;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		uint64_t	next = 0;

		for (uint64_t k = 0; k <= DPS_SPLIT_CUTS; k = next)
		{
			uint64_t	below = values_below(counts[i], k);

			next = next_cut(counts[i], k, below);
			right = right && next > k && next <= DPS_SPLIT_CUTS + 1 && values_below(counts[i], next - 1) == below &&
				(next > DPS_SPLIT_CUTS || values_below(counts[i], next) > below);
		}
	}
	ok(right, "cuts that give the same are counted together");
}

/* --- plans ---------------------------------------------------------------------- */

static bool
is_node(const DpsSplitNode *node, int which, uint64_t numerator, uint64_t denominator, int depth)
{
	return node->which == which && node->level.numerator == numerator && node->level.denominator == denominator && node->depth == depth;
}

static void
test_plan(void)
{
	static const DpsQuantile deciles[] = {{1, 10}, {1, 5}, {3, 10}, {2, 5}, {1, 2}, {3, 5}, {7, 10}, {4, 5}, {9, 10}};
	static const DpsQuantile with_ends[] = {{0, 1}, {1, 4}, {1, 2}, {1, 1}};
	static const DpsQuantile ends[] = {{0, 1}, {1, 1}};
	static const DpsQuantile near[] = {{1, 2}, {(UINT64_C(1) << 19) + 1, UINT64_C(1) << 20}, {(UINT64_C(1) << 19) + 2, UINT64_C(1) << 20}};
	DpsSplitNode nodes[9];
	int			seen = 0;
	bool		inside = true;

	ok(dps_split_plan(deciles, 9, nodes) == 4 && is_node(&nodes[0], 4, 1, 2, 1) && is_node(&nodes[nodes[0].lower], 2, 3, 5, 2) &&
	   is_node(&nodes[nodes[nodes[0].lower].lower], 1, 2, 3, 3) && is_node(&nodes[nodes[nodes[nodes[0].lower].lower].lower], 0, 1, 2, 4) &&
	   is_node(&nodes[nodes[nodes[0].lower].upper], 3, 1, 2, 3), "deciles take four draws, of levels of their parts");
	for (int i = 0; i < 9; i++)
		seen |= 1 << nodes[i].which;
	ok(seen == 511, "each once");
	ok(dps_split_plan(with_ends, 4, nodes) == 3 && is_node(&nodes[0], 2, 1, 2, 1) && is_node(&nodes[nodes[0].lower], 1, 1, 2, 2) &&
	   is_node(&nodes[nodes[nodes[0].lower].lower], 0, 0, 1, 3) && is_node(&nodes[nodes[0].upper], 3, 1, 1, 2), "a minimum and a maximum are ranks of the outermost parts");
	ok(dps_split_plan(ends, 2, nodes) == 2 && is_node(&nodes[0], 0, 0, 1, 1) && nodes[0].lower == -1 &&
	   is_node(&nodes[nodes[0].upper], 1, 1, 1, 2), "alone they divide nothing");
	ok(dps_split_plan(ends, 1, nodes) == 1 && nodes[0].lower == -1 && nodes[0].upper == -1, "a level alone takes one draw");
	(void) dps_split_plan(near, 3, nodes);
	for (int i = 0; i < 3; i++)
		inside = inside && nodes[i].level.numerator > 0 && nodes[i].level.numerator < nodes[i].level.denominator &&
			nodes[i].level.denominator <= DPS_QUANTILE_LIMIT;
	ok(inside, "no level of a part is an extreme one, however near levels are");
}

/* --- the promise ---------------------------------------------------------------- */

#define POINTS 3
#define SIZE 3
#define FEW 4					/* cuts of a point */
#define EPSILON 0.7L			/* of a draw */

typedef struct Values
{
	int			count[POINTS];
} Values;

/* The k-th cut of a point, as split.c says. */
static int
below_of(int count, int k)
{
	return (int) floor((double) count * k / FEW + 0.5);
}

/* Probabilities of the cuts of points from ... to: proportional to exp(-s |r B - p n|). */
static void
cut_law(const Values *values, int from, int to, DpsQuantile q, long double range, long double law[POINTS][FEW + 1])
{
	long double total = 0;
	int			n = 0;
	int			passed = 0;

	for (int i = from; i <= to; i++)
		n += values->count[i];
	for (int i = from; i <= to; i++)
	{
		for (int k = 0; k <= FEW; k++)
		{
			long double distance = (long double) q.denominator * (passed + below_of(values->count[i], k)) - (long double) q.numerator * n;

			total += law[i][k] = expl(-EPSILON * fabsl(distance) / range);
		}
		passed += values->count[i];
	}
	for (int i = from; i <= to; i++)
		for (int k = 0; k <= FEW; k++)
			law[i][k] /= total;
}

/* The quartiles: a root of 1/2, and its parts of 1/2.  An outcome is a cut of each. */
#define OUTCOMES (POINTS * (FEW + 1))

typedef struct Laws
{
	long double root[OUTCOMES];
	long double lower[OUTCOMES][OUTCOMES];	/* by the root's outcome */
	long double upper[OUTCOMES][OUTCOMES];
} Laws;

static void
find_laws(Values values, bool replaces, Laws *laws)
{
	DpsQuantile half = {1, 2};
	long double law[POINTS][FEW + 1];

	memset(laws, 0, sizeof(*laws));
	cut_law(&values, 0, POINTS - 1, half, dps_quantile_range(half, replaces), law);
	memcpy(laws->root, law, sizeof(law));
	for (int i = 0; i < POINTS; i++)
		for (int k = 0; k <= FEW; k++)
		{
			Values		part = values;
			long double range = dps_split_range(half) * (replaces ? 2 : 1);
			int			below = below_of(values.count[i], k);

			memset(law, 0, sizeof(law));
			part.count[i] = below;
			cut_law(&part, 0, i, half, range, law);
			memcpy(laws->lower[i * (FEW + 1) + k], law, sizeof(law));
			memset(law, 0, sizeof(law));
			part.count[i] = values.count[i] - below;
			cut_law(&part, i, POINTS - 1, half, range, law);
			memcpy(laws->upper[i * (FEW + 1) + k], law, sizeof(law));
		}
}

/* The largest log ratio of two laws' outcomes: for the parts it is that of independent draws. */
static long double
loss_between(const Laws *a, const Laws *b)
{
	long double most = 0;

	for (int root = 0; root < OUTCOMES; root++)
	{
		long double lower = 0;
		long double upper = 0;

		for (int i = 0; i < OUTCOMES; i++)
		{
			if (a->lower[root][i] > 0)
				lower = fmaxl(lower, logl(a->lower[root][i] / b->lower[root][i]));
			if (a->upper[root][i] > 0)
				upper = fmaxl(upper, logl(a->upper[root][i] / b->upper[root][i]));
		}
		most = fmaxl(most, logl(a->root[root] / b->root[root]) + lower + upper);
	}
	return most;
}

static bool
next_values(Values *values, int size)
{
	int			total;

	do
	{
		int			i = 0;

		while (i < POINTS && values->count[i] == size)
			values->count[i++] = 0;
		if (i == POINTS)
			return false;
		values->count[i]++;
		total = 0;
		for (i = 0; i < POINTS; i++)
			total += values->count[i];
	} while (total > size);
	return true;
}

static void
compare(const Values *values, const Values *other, bool replaces, long double *most)
{
	static Laws a;
	static Laws b;

	find_laws(*values, replaces, &a);
	find_laws(*other, replaces, &b);
	*most = fmaxl(*most, fmaxl(loss_between(&a, &b), loss_between(&b, &a)));
}

static void
test_promise(void)
{
	Values		values = {{0}};
	long double added = 0;
	long double replaced = 0;

	do
	{
		for (int i = 0; i < POINTS; i++)
		{
			Values		more = values;

			more.count[i]++;
			compare(&values, &more, false, &added);
			for (int j = 0; j < POINTS && values.count[i] > 0; j++)
			{
				Values		moved = values;

				moved.count[i]--;
				moved.count[j]++;
				compare(&values, &moved, true, &replaced);
			}
		}
	} while (next_values(&values, SIZE));
	ok(added <= 2 * EPSILON + 1e-15L, "three quartiles of two depths lose %.4Lf of %.4Lf when a value is added", added, 2 * EPSILON);
	ok(replaced <= 2 * EPSILON + 1e-15L, "and %.4Lf when one is replaced", replaced);
	ok(added > EPSILON && replaced > EPSILON, "which a single draw does not");
}

/* --- draws ---------------------------------------------------------------------- */

/* With a large epsilon all cuts are where they should be. */
static void
test_draws(void)
{
	static const DpsQuantile half = {1, 2};
	bool		right = true;
	DpsRandom	random;
	DpsExponential law;
	DpsArena   *arena;

	if (dps_exponential_init(&law, 64, dps_split_range(half)) != DPS_OK)
		exit(2);
	dps_random_init(&random, &tap_host);
	for (uint64_t heavy = 0; heavy < 4000; heavy += 97)
	{
		/* 300 values below, 200 above, the rest at one point */
		DpsRun		cells[] = {{5, 0}, {1, 100}, {1, 200}, {9, 0}, {1, heavy}, {1, 200}, {4, 0}};
		uint64_t	target = (500 + heavy) / 2;
		DpsCut		cut = {0};
		uint64_t	below = 0;

		if (dps_arena_init(&arena, &tap_host) != DPS_OK)
			exit(2);
		right = right && dps_split_draw(arena, &random, &law, half, cells, 7, &cut) == DPS_OK && cut.within < cells[cut.cell].width;
		for (size_t i = 0; i < cut.cell; i++)
			below += cells[i].count;
		below += cut.below;
		right = right && below + 2 >= target && below <= target + 2;
		right = right && dps_cut_lower(&cut).width + dps_cut_upper(cells[cut.cell], &cut).width == cells[cut.cell].width + 1 &&
			dps_cut_lower(&cut).count + dps_cut_upper(cells[cut.cell], &cut).count == cells[cut.cell].count;
		dps_arena_clear(arena);
	}
	ok(right, "at epsilon 64 a cut has half of the values below it, within two ranks, also among equal ones");
}

static bool
no_bytes(void *context, void *buffer, size_t size)
{
	(void) context;
	(void) buffer;
	(void) size;
	return false;
}

static void
test_failures(void)
{
	static const DpsQuantile half = {1, 2};
	const DpsRun cells[] = {{5, 0}, {1, 100000}, {9, 0}};
	DpsHost		mute = tap_host;
	DpsExponential law;
	DpsArena   *arena;
	DpsRandom	random;
	DpsCut		cut;
	bool		refused = true;

	mute.random_bytes = no_bytes;
	dps_random_init(&random, &mute);
	if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_exponential_init(&law, 1, dps_split_range(half)) != DPS_OK)
		exit(2);
	ok(dps_split_draw(arena, &random, &law, half, cells, 3, &cut) == DPS_UNABLE, "without randomness nothing is drawn");
	dps_arena_clear(arena);
	dps_random_init(&random, &tap_host);
	for (long left = 0; left < 3; left++)
	{
		Scarce		scarce = {left, false, 0};
		DpsHost		host = scarce_host(&scarce);

		if (dps_arena_init(&arena, &host) != DPS_OK)
			continue;
		refused = refused && dps_split_draw(arena, &random, &law, half, cells, 3, &cut) == DPS_NOMEM;
		dps_arena_clear(arena);
		refused = refused && scarce.held == 0;
	}
	ok(refused, "nor without memory");
}

int
main(void)
{
	test_lemma();
	test_next();
	test_plan();
	test_promise();
	test_draws();
	test_failures();
	return done_testing();
}

/*
 * test_proofs.c
 *		Nothing is proved to be public that a neighbour changes, and whatever none changes is.
 *
 * Calls dps_release_prove (agg/proof.c) with a release all of whose sensitivities are 0, as if
 * arithmetic had gone wrong, for all combinations of facts; whether a neighbour changes
 * what is released is found out by making the neighbours: two rows of two groups, of
 * which one goes, comes, moves or takes another value, as the facts let it.  A family of
 * two values stands for all that have several.  Without chance.
 */
#include "postgres.h"

#include <math.h>

#include "agg/aggregate.h"
#include "agg/family.h"
#include "agg/proof.h"

/* the server's are not here */
#undef printf
#undef vprintf
#undef fprintf
#undef snprintf
#undef qsort
#include "server_errors.h"
#include "tap.h"

/* ---- what neighbours do ---- */

/* How a value may move, as an attribute, under metric, or by errors of evaluation. */
static const double moves[] = {0.0, 1e-300, NAN};

typedef struct Range
{
	double		lo;
	double		hi;
} Range;

static const Range ranges[] = {{0.0, 0.0}, {3.0, 3.0}, {0.0, 2.0}, {-1.0, 0.0}};

typedef struct Row
{
	int			group;			/* -1: it does not count */
	double		value[2];
} Row;

typedef struct Subject
{
	const char *family;
	int			nvalues;		/* 0: that of the facts alone */
	bool		whole_mean;		/* of a mean: over a public number of rows */
} Subject;

static const Subject subjects[] = {{"dp_count", 0, false}, {"dp_sum", 0, false}, {"dp_avg", 0, false}, {"dp_avg", 0, true}, {"moments", 2, false}};

static double
value_of(const DpsFacts *facts, int i, bool high)
{
	double		lo = facts->nvalues > 0 ? facts->value[i].inf : facts->inf;
	double		hi = facts->nvalues > 0 ? facts->value[i].sup : facts->sup;

	return high ? hi : lo;
}

/* Can another row of the unit have another value, as far as is known? */
static bool
value_moves(const DpsFacts *facts, int i)
{
	double		slope = facts->adjacency == DPS_METRIC ? (facts->nvalues > 0 ? facts->value[i].lipschitz : facts->lipschitz) :
		(facts->nvalues > 0 ? facts->attributes[0][i] : facts->attribute);
	double		error = facts->nvalues > 0 ? facts->value[i].evaluation_error : facts->evaluation_error;

	if (!facts->value_is_private)
		return false;
	return facts->adjacency == DPS_REPLACE || !(slope == 0.0 && error == 0.0);
}

/* What is released of the two groups, of a first row that stays and this one. */
static void
answer(const Subject *subject, const DpsFacts *facts, const Row *row, double *result)
{
	int			group;
	int			k;

	for (group = 0; group < 2; group++, result += 3)
	{
		double		n = (group == 0) + (row->group == group);

		memset(result, 0, sizeof(double) * 3);
		for (k = 0; k < Max(subject->nvalues, 1); k++)
			result[k] = (group == 0 ? value_of(facts, k, true) : 0.0) + (row->group == group ? row->value[k] : 0.0);
		if (strcmp(subject->family, "dp_count") == 0 || subject->nvalues > 0 || subject->whole_mean)
			result[2] = n;
		if (strcmp(subject->family, "dp_count") == 0)
			result[0] = 0.0;
		/* a mean is clamped into its range, without rows too */
		if (strcmp(subject->family, "dp_avg") == 0 && !subject->whole_mean)
			result[0] = n > 0 ? result[0] / n : value_of(facts, 0, false);
	}
}

static bool
differs(const Subject *subject, const DpsFacts *facts, const Row *one, const Row *two)
{
	double		before[6];
	double		after[6];

	answer(subject, facts, one, before);
	answer(subject, facts, two, after);
	return memcmp(before, after, sizeof(before)) != 0;
}

/* Of a row whose values are at the lower ends of their ranges, or at the upper. */
static bool
neighbour_changes(const Subject *subject, const DpsFacts *facts, bool high)
{
	Row			row = {.group = 0, .value = {value_of(facts, 0, high), value_of(facts, subject->nvalues > 1, high)}};
	Row			gone = row;
	Row			moved = row;
	Row			changed = row;
	bool		goes = facts->adjacency == DPS_ADD_REMOVE || facts->selection_is_private ||
		(facts->validity_is_private && !facts->counts_rows);
	bool		jumps = facts->adjacency != DPS_ADD_REMOVE && facts->key_is_private;
	int			k;

	gone.group = -1;
	moved.group = 1;
	for (k = 0; k < Max(subject->nvalues, 1) && facts->adjacency != DPS_ADD_REMOVE && !facts->counts_rows; k++)
	{
		if (value_moves(facts, k))
			changed.value[k] = value_of(facts, k, !high);
	}
	return (goes && differs(subject, facts, &row, &gone)) || (jumps && differs(subject, facts, &row, &moved)) ||
		differs(subject, facts, &row, &changed);
}

/* ---- what is proved ---- */

typedef struct Tallies
{
	int			proved;
	int			refused;
	int			leaks;
	int			doubts;
} Tallies;

/* False if it is refused. */
static bool
is_proved(const Subject *subject, const DpsFacts *facts)
{
	DpsRelease	release = {.aggregate = dps_aggregate_find(subject->family), .divides_by_count = subject->whole_mean};
	const char *why = NULL;

	if (setjmp(raised) != 0)
		return false;
	return dps_release_prove(facts, &release, &why) == DPS_OK && dps_release_is_public(&release);
}

static void
try(const Subject *subject, const DpsFacts *facts, Tallies *tallies)
{
	bool		changes = neighbour_changes(subject, facts, false) || neighbour_changes(subject, facts, true);
	bool		proved = is_proved(subject, facts);

	proved ? tallies->proved++ : tallies->refused++;
	/* that one value is a point, and another no attribute's, is not looked for */
	if (changes == !proved || (!proved && subject->nvalues > 1 &&
							   !(facts->attributes[0][1] == facts->attribute && facts->value[1].evaluation_error == facts->evaluation_error)))
		return;
	changes ? tallies->leaks++ : tallies->doubts++;
	diag("%s: proved %d, changes %d: adjacency %d, value %d [%g, %g], selection %d, validity %d, key %d, rows %d, moves %g %g %g",
		 subject->family, proved, changes, facts->adjacency, facts->value_is_private, facts->inf, facts->sup,
		 facts->selection_is_private, facts->validity_is_private, facts->key_is_private, facts->counts_rows, facts->attribute,
		 facts->lipschitz, facts->evaluation_error);
}

/* All that is said of rows, by the bits of a number. */
static void
set_private(DpsFacts *facts, int bits)
{
	facts->value_is_private = bits & 1;
	facts->selection_is_private = bits & 2;
	facts->validity_is_private = bits & 4;
	facts->key_is_private = bits & 8;
	facts->counts_rows = bits & 16;
}

static void
try_ranges(const Subject *subject, DpsFacts *facts, double error, Tallies *tallies)
{
	int			i;
	int			j;

	for (i = 0; i < (int) lengthof(ranges); i++)
	{
		facts->inf = ranges[i].lo;
		facts->sup = ranges[i].hi;
		for (j = 0; j < (subject->nvalues > 0 ? (int) lengthof(ranges) : 1); j++)
		{
			/* the first value is described twice */
			facts->value[0] = (DpsValueFacts) {facts->inf, facts->sup, facts->lipschitz, facts->evaluation_error};
			facts->value[1] = (DpsValueFacts) {ranges[j].lo, ranges[j].hi, facts->attributes[0][1], error};
			try(subject, facts, tallies);
		}
	}
}

static void
try_moves(const Subject *subject, DpsAdjacency adjacency, int bits, Tallies *tallies)
{
	double		attributes[1][DPS_MAX_VALUES] = {{0.0}};
	DpsFacts	facts = {.adjacency = adjacency, .unit_groups = 1, .unit_l1 = 1.0, .unit_l2 = 1.0, .nvalues = subject->nvalues,
		.nattributes = 1, .attributes = attributes};
	int			i;

	set_private(&facts, bits);
	for (i = 0; i < (subject->nvalues > 1 ? 81 : 9); i++)
	{
		facts.attribute = facts.lipschitz = attributes[0][0] = moves[i % 3];
		facts.evaluation_error = moves[i / 3 % 3];
		attributes[0][1] = moves[i / 9 % 3];
		try_ranges(subject, &facts, moves[i / 27], tallies);
	}
}

/* ---- a release that has some of its sensitivities ---- */

static bool
passes(DpsRelease release)
{
	DpsFacts	facts = {.adjacency = DPS_REPLACE, .inf = 0.0, .sup = 1.0, .unit_groups = 1, .unit_l1 = 1.0, .unit_l2 = 1.0};
	const char *why = NULL;

	release.aggregate = dps_aggregate_find("dp_sum");
	if (setjmp(raised) != 0)
		return false;
	return dps_release_prove(&facts, &release, &why) == DPS_OK;
}

static void
test_halves(void)
{
	DpsRelease	none = {.l1 = 0};
	DpsRelease	both = {.l1 = 5, .l2 = 4};
	DpsRelease	one = {.l1 = 5};
	DpsRelease	other = {.l2 = 5};
	DpsRelease	count = {.count_l1 = 5, .count_l2 = 5};
	DpsRelease	large = {.l1 = DPS_GRID_LIMIT, .l2 = 5};

	ok(passes(none) && passes(both), "nothing or both norms");
	ok(!passes(one) && !passes(other) && !passes(count), "not one norm alone, nor that of a count beside it");
	ok(!passes(large), "nor one that is too large");
}

int
main(void)
{
	static const char *const adjacencies[] = {"add_remove", "replace", "attribute", "metric"};
	int			i;
	int			a;
	int			bits;

	for (i = 0; i < (int) lengthof(subjects); i++)
	{
		for (a = DPS_ADD_REMOVE; a <= DPS_METRIC; a++)
		{
			Tallies		tallies = {0};

			for (bits = 0; bits < 32; bits++)
			{
				/* only numbers of rows are without a value */
				if ((bits & 16) == 0 || strcmp(subjects[i].family, "dp_count") == 0)
					try_moves(&subjects[i], (DpsAdjacency) a, bits, &tallies);
			}
			ok(tallies.leaks == 0 && tallies.refused > 0, "%s%s, %s: nothing that changes is proved: %d refused", subjects[i].family,
			   subjects[i].whole_mean ? " of public rows" : "", adjacencies[a], tallies.refused);
			ok(tallies.doubts == 0, "%s%s, %s: what does not change is proved: %d", subjects[i].family,
			   subjects[i].whole_mean ? " of public rows" : "", adjacencies[a], tallies.proved);
		}
	}
	test_halves();
	return done_testing();
}

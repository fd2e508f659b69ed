/*
 * test_speed.c
 *		How tight and how fast the certified search is, with the objects that are
 *		shipped and their default options.
 *
 * Every infimum, supremum and Lipschitz constant of the classics is within 1e-6;
 * none takes longer than a second for up to three columns, or than 10 s beyond;
 * and over these and the reference functions the geometric mean is below 2 ms.
 * Times are of this process alone, from SQL text to bracket, so that a busy
 * machine does not matter much.
 */
#include <time.h>

#include "classics.h"
#include "reference_cases.h"

#define FEW_COLUMNS 3
#define MOST_MS_FEW 1000.0
#define MOST_MS 10000.0
#define MEAN_MS 2.0

/* A clock that ticks seldom may show nothing. */
#define LEAST_MS 1e-3

typedef struct Mean
{
	double		logarithms;
	int			n;
} Mean;

static double
milliseconds_since(clock_t began)
{
	return fmax((double) (clock() - began) * 1e3 / CLOCKS_PER_SEC, LEAST_MS);
}

static void
count(Mean *mean, double ms)
{
	mean->logarithms += log(ms);
	mean->n++;
}

static void
check_classic(const Classic *classic, ClassicQuantity quantity, Mean *mean)
{
	ClassicFixture fixture;
	DpsBracket	bracket;
	clock_t		began = clock();
	double		ms;
	double		most;
	bool		found;

	found = classic_set_up(&fixture, classic) && classic_bound(&fixture, quantity, NULL, &bracket) == DPS_OK &&
		bracket.status == DPS_OK;
	ms = milliseconds_since(began);
	most = fixture.ncolumns <= FEW_COLUMNS ? MOST_MS_FEW : MOST_MS;
	dps_arena_clear(fixture.arena);
	if (!ok(found, "%s has a %s", classic->name, classic_quantities[quantity]))
		return;
	count(mean, ms);
	diag("%-24s %-8s %d columns [%.12g, %.12g], %7llu boxes, %10.3f ms", classic->name, classic_quantities[quantity],
		 fixture.ncolumns, bracket.lower, bracket.upper, (unsigned long long) bracket.boxes, ms);
	ok(!bracket.exhausted && bracket.upper - bracket.lower <= classic_allowance(classic, &bracket), "... within 1e-6");
	ok(classic_agrees(classic, quantity, &bracket), "... which is %.12g", classic->expected[quantity]);
	ok(ms <= most, "... in %.0f ms", most);
}

/* A reference function as a classic; false if it has columns of integers, which
 * classics have not. */
static bool
as_classic(const ReferenceCase *reference, Classic *classic, ClassicColumn *columns)
{
	int			j;

	memset(columns, 0, sizeof(ClassicColumn) * CLASSIC_COLUMNS);
	for (j = 0; j < reference->ncolumns; j++)
	{
		if (reference->columns[j].integer)
			return false;
		columns[j] = (ClassicColumn) {reference->columns[j].name, reference->columns[j].lo, reference->columns[j].hi};
	}
	*classic = (Classic) {.name = reference->id, .sql = reference->sql, .columns = columns};
	return true;
}

static void
time_reference(const ReferenceCase *reference, ClassicQuantity quantity, Mean *mean)
{
	ClassicColumn columns[CLASSIC_COLUMNS];
	Classic		classic;
	ClassicFixture fixture;
	DpsBracket	bracket;
	clock_t		began = clock();
	double		ms;
	bool		found;

	if (!as_classic(reference, &classic, columns))
		return;
	found = classic_set_up(&fixture, &classic) && classic_bound(&fixture, quantity, NULL, &bracket) == DPS_OK;
	ms = milliseconds_since(began);
	dps_arena_clear(fixture.arena);
	count(mean, ms);
	ok(found && ms <= (reference->ncolumns <= FEW_COLUMNS ? MOST_MS_FEW : MOST_MS), "%s %s takes %.3f ms", reference->id,
	   classic_quantities[quantity], ms);
}

int
main(void)
{
	Mean		mean = {0};
	ClassicQuantity quantity;
	size_t		i;

	for (quantity = 0; quantity < CLASSIC_QUANTITIES; quantity++)
	{
		for (i = 0; i < CLASSICS; i++)
			check_classic(&classics[i], quantity, &mean);
		for (i = 0; i < sizeof(reference_cases) / sizeof(reference_cases[0]); i++)
			time_reference(&reference_cases[i], quantity, &mean);
	}
	ok(exp(mean.logarithms / mean.n) < MEAN_MS, "the geometric mean of %d times is %.3f ms", mean.n,
	   exp(mean.logarithms / mean.n));
	return done_testing();
}

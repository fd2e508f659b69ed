/*
 * test_classics.c
 *		Bounds of classical test functions, and of the formulas that data bases
 *		compute, hold and are what is known of them (classics.h).
 *
 * DPS_CLASSICS_BOXES sets the boxes per search; the default keeps the run short
 * under sanitizers, where a bracket may be wider for want of boxes.  How tight
 * and how fast they are is test/stat/test_speed.c's.
 */
#include <stdlib.h>
#include <time.h>

#include "classics.h"

static uint64_t random_state = 20240611;

static double
random_share(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 11) * 0x1p-53;
}

static double
evaluate(const DpsProgram *program, double *scratch, const double *x)
{
	const double *columns[CLASSIC_COLUMNS];
	double		value = 0;
	double	   *outputs[1] = {&value};
	int			j;

	for (j = 0; j < CLASSIC_COLUMNS; j++)
		columns[j] = &x[j];
	dps_evaluate(program, columns, 1, scratch, outputs);
	return value;
}

/* Values at random pairs of points move by no more than the Lipschitz constant
 * says, and no value is outside of an extremum. */
static bool
holds_at_random(const ClassicFixture *fixture, ClassicQuantity quantity, const DpsBracket *bracket)
{
	const DpsProgram *program;
	double	   *scratch;
	int			i;
	int			j;

	if (dps_compile(fixture->graph, &fixture->node, 1, &program) != DPS_OK ||
		(scratch = dps_arena_alloc(fixture->arena, sizeof(double) * (dps_scratch_size(program) + 1))) == NULL)
		return false;
	for (i = 0; i < 2000; i++)
	{
		double		x[CLASSIC_COLUMNS] = {0};
		double		y[CLASSIC_COLUMNS] = {0};
		double		far = i % 2 == 0 ? 1.0 : 1e-4;
		double		distance = 0;
		double		fx;
		double		fy;

		for (j = 0; j < fixture->ncolumns; j++)
		{
			double		lo = fixture->box[j].lo;
			double		hi = fixture->box[j].hi;

			x[j] = lo + (hi - lo) * random_share();
			y[j] = x[j] + (lo + (hi - lo) * random_share() - x[j]) * far;
			distance = hypot(distance, x[j] - y[j]);
		}
		fx = evaluate(program, scratch, x);
		fy = evaluate(program, scratch, y);
		if (quantity == CLASSIC_METRIC && fabs(fx - fy) > bracket->upper * distance + 1e-9 * (1 + fabs(fx)))
			return false;
		if (quantity == CLASSIC_INFIMUM ? fx < bracket->lower - 1e-9 : quantity == CLASSIC_SUPREMUM && fx > bracket->upper * (1 + 1e-12))
			return false;
	}
	return true;
}

static void
check_case(const Classic *classic, ClassicQuantity quantity, const DpsBoundOptions *options)
{
	ClassicFixture fixture;
	DpsBracket	bracket;
	clock_t		began = clock();

	if (!ok(classic_set_up(&fixture, classic) && classic_bound(&fixture, quantity, options, &bracket) == DPS_OK &&
			bracket.status == DPS_OK && bracket.lower <= bracket.upper, "%s has a %s",
			classic->name, classic_quantities[quantity]))
	{
		dps_arena_clear(fixture.arena);
		return;
	}
	diag("%s %s [%.12g, %.12g], %llu boxes, %.1f ms", classic->name, classic_quantities[quantity], bracket.lower,
		 bracket.upper, (unsigned long long) bracket.boxes, (clock() - began) * 1e3 / CLOCKS_PER_SEC);
	ok(classic_agrees(classic, quantity, &bracket), "... which is %.12g", classic->expected[quantity]);
	ok(bracket.exhausted || bracket.upper - bracket.lower <= classic_allowance(classic, &bracket), "... as tight as was asked for");
	ok(holds_at_random(&fixture, quantity, &bracket), "... and holds at random points");
	dps_arena_clear(fixture.arena);
}

/* Sums of magnitudes whose kinks a search by itself does not get past. */
static void
check_sum(double half)
{
	static const ClassicColumn columns[CLASSIC_COLUMNS] = {{"x", 0, 0}, {"y", 0, 0}};
	const Classic griewank = {"Griewank", GRIEWANK, columns, {0, 0, 0}};
	DpsPolicy	policy = {.private_variables = UINT64_MAX, .weights = {1, 1}};
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	ClassicFixture fixture;
	DpsBracket	bracket;

	if (!classic_set_up(&fixture, &griewank))
		return;
	fixture.box[0].lo = fixture.box[1].lo = -half;
	fixture.box[0].hi = fixture.box[1].hi = half;
	ok(dps_lipschitz(fixture.graph, fixture.node, fixture.box, &policy, DPS_NORM_1, &options, &bracket) == DPS_OK &&
	   bracket.status == DPS_OK && bracket.upper - bracket.lower <= 1.01e-6 * bracket.upper && !bracket.exhausted,
	   "the sum of %s's slopes on +-%g is bounded tightly", griewank.name, half);
	diag("[%.12g, %.12g], %llu boxes", bracket.lower, bracket.upper, (unsigned long long) bracket.boxes);
	dps_arena_clear(fixture.arena);
}

int
main(void)
{
	const char *boxes = getenv("DPS_CLASSICS_BOXES");
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = boxes != NULL ? strtoull(boxes, NULL, 10) : 10000};
	ClassicQuantity quantity;
	size_t		i;

	for (i = 0; i < CLASSICS; i++)
		for (quantity = 0; quantity < CLASSIC_QUANTITIES; quantity++)
			check_case(&classics[i], quantity, &options);
	check_sum(60);
	return done_testing();
}

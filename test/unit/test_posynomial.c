/*
 * test_posynomial.c
 *		Bounds by the logarithms of columns hold, from any centre and where columns are
 *		0, and are exact where they are said to be; and so do the searches that use them.
 *
 * Files: bound/relax/posynomial.c.
 */
#include <math.h>
#include <string.h>

#include "bound/quantity/bound.h"
#include "bound/relax/posynomial.h"
#include "expr/enclose.h"
#include "parse.h"
#include "tap.h"

#define COLUMNS 3
#define BOXES 400
#define POINTS 60

static uint64_t random_state = 20261127;

static double
random_share(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 11) * 0x1p-53;
}

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	const DpsPosynomial *form;
} Fixture;

static bool
set_up(Fixture *f, const char *sql, double lo, double hi)
{
	static const char *const names[COLUMNS] = {"x", "y", "z"};
	static const int variables[COLUMNS] = {0, 1, 2};
	DpsDomain	root[COLUMNS];
	int			j;

	memset(f, 0, sizeof(*f));
	if (dps_arena_init(&f->arena, &tap_host) != DPS_OK || dps_graph_init(&f->graph, f->arena) != DPS_OK)
		return false;
	for (j = 0; j < COLUMNS; j++)
	{
		(void) dps_graph_add_variable(f->graph, names[j], DPS_FLOAT8, false);
		root[j] = (DpsDomain) {lo, hi, DPS_NEVER_NULL, false};
	}
	f->node = dps_as_float8(f->graph, parse_expression(f->graph, sql));
	if (f->node == NULL || dps_compile(f->graph, &f->node, 1, &f->program) != DPS_OK)
		return false;
	f->enclosures = dps_arena_alloc(f->arena, sizeof(DpsEnclosure) * f->program->ninstructions);
	return f->enclosures != NULL &&
		dps_posynomial_init(f->graph, f->arena, f->node, COLUMNS, variables, root, &f->form) == DPS_OK;
}

/* A value that the node takes at the point, or less; -Infinity if it has none. */
static double
value_at(const Fixture *f, const double *x)
{
	DpsDomain	point[COLUMNS];
	const DpsEnclosure *e = &f->enclosures[dps_program_outputs(f->program)[0]];
	int			j;

	for (j = 0; j < COLUMNS; j++)
		point[j] = (DpsDomain) {x[j], x[j], DPS_NEVER_NULL, false};
	dps_enclose(f->program, point, f->enclosures);
	return e->defined == DPS_DEFINED && dps_iv_is_finite(e->value) ? e->value.lo : (double) -INFINITY;
}

/* A box of any size, which may begin at 0 or be flat, at 0 as well, and a centre that may be
 * outside. */
static void
draw_box(DpsDomain *box, double *centre)
{
	int			j;

	for (j = 0; j < COLUMNS; j++)
	{
		double		lo = random_share() < 0.25 ? 0 : exp(12 * random_share() - 8);
		double		hi = random_share() < 0.15 && lo > 0 ? lo : lo + exp(10 * random_share() - 7);

		if (random_share() < 0.1)
			lo = hi = 0;
		box[j] = (DpsDomain) {lo, hi, DPS_NEVER_NULL, false};
		centre[j] = lo + (hi - lo) * random_share();
		if (random_share() < 0.2)
			centre[j] = exp(12 * random_share() - 8);
	}
}

static const char *const forms[] = {
	"x*y/(x + y)^2",
	"z*x^0.5/y^2",
	"x*y*z/(z*(1 + x/(1 + y)) + y)^2",
	"exp(-x*y/(1 + z))*x^2*(1 + 1/(z + 1)^2)",
	"exp(x/(1 + y)) - z",
	"x/(1 + x + y) - y/(2 + x*z)",
	"(x + y)*(1 - x/(x + z))",
	"sqrt(x*y + z^2)/(1 + y)^3 - 3*x/(1 + z)",
	"(x^2 + 3*y)^1.5/(1 + x*y + z)^2 + abs(z)/(1 + x)",
	"((1 - x/(x + y + 1))^2 + (z/(x + y + 1))^2)/(1 + z)",
	"exp(-2*x - y^2 + 1/(1 + z))*y/(y + z + 1)",
};

static const char *const others[] = {"sin(x)", "x^y", "ln(1 + x)", "exp(x)*greatest(x, y)", "floor(x)*y", "sqrt(x - y)"};

static void
test_bounds(void)
{
	size_t		i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		Fixture		f;
		bool		right = true;
		int			finite = 0;
		int			k;

		if (!ok(set_up(&f, forms[i], 0, 1e6) && f.form != NULL, "%s has the form", forms[i]))
			continue;
		for (k = 0; k < BOXES && right; k++)
		{
			DpsDomain	box[COLUMNS];
			double		centre[COLUMNS];
			double		corner[COLUMNS];
			double		bound;
			int			n;

			draw_box(box, centre);
			bound = dps_posynomial_bound(f.form, box, centre, corner);
			finite += bound < INFINITY;
			for (n = 0; n < POINTS && right; n++)
			{
				double		x[COLUMNS];
				int			j;

				for (j = 0; j < COLUMNS; j++)
				{
					double		share = random_share();

					/* ends and what is close to 0 as well */
					share = share < 0.2 ? 0 : share > 0.8 ? 1 : n % 2 ? share : pow(share, 9);
					x[j] = fmin(box[j].hi, box[j].lo + (box[j].hi - box[j].lo) * share);
				}
				right = !(value_at(&f, x) > bound);
				if (!right)
					diag("%.17g is above %.17g at %.17g, %.17g, %.17g", value_at(&f, x), bound, x[0], x[1], x[2]);
			}
		}
		ok(right, "no value is above a bound");
		ok(finite > BOXES / 5, "there are bounds of %d boxes of %d", finite, BOXES);
		dps_arena_clear(f.arena);
	}
}

static void
test_no_form(void)
{
	Fixture		f;
	size_t		i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
	{
		ok(set_up(&f, others[i], 0, 10) && f.form == NULL, "%s has no such form", others[i]);
		dps_arena_clear(f.arena);
	}
	ok(set_up(&f, forms[0], -1, 10) && f.form == NULL, "nor has an expression of columns that may be negative");
	dps_arena_clear(f.arena);
}

/* A quotient by a sum is bounded by one box, if its centre is where it is greatest. */
static void
test_exact(void)
{
	DpsDomain	box[COLUMNS] = {{0, 50, DPS_NEVER_NULL, false}, {0.5, 10, DPS_NEVER_NULL, false}, {1, 1, DPS_NEVER_NULL, false}};
	double		centre[COLUMNS] = {2, 2, 1};
	double		corner[COLUMNS];
	Fixture		f;

	if (ok(set_up(&f, "x*y/(x + y)^2", 0, 50) && f.form != NULL, "is set up"))
	{
		double		bound;

		box[0].lo = 0.01;
		bound = dps_posynomial_bound(f.form, box, centre, corner);
		ok(bound >= 0.25 && bound < 0.25 * (1 + 1e-12), "the greatest value is the bound: %.17g", bound);
	}
	dps_arena_clear(f.arena);
	if (ok(set_up(&f, "x*y/(x + y*(1 + z))^2", 0, 50) && f.form != NULL, "is set up"))
	{
		double		bound;

		box[2].lo = box[2].hi = 0;
		centre[2] = 0;
		bound = dps_posynomial_bound(f.form, box, centre, corner);
		ok(bound >= 0.25 && bound < 0.25 * (1 + 1e-12), "and so it is where a column is 0: %.17g", bound);
	}
	dps_arena_clear(f.arena);
}

/* Searches that had far to go without. */
static void
test_searches(void)
{
	Fixture		f;
	DpsBracket	bracket;
	DpsDomain	box[COLUMNS] = {{0, 50, DPS_NEVER_NULL, false}, {0.1, 10, DPS_NEVER_NULL, false}, {0.5, 10, DPS_NEVER_NULL, false}};
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 20000};

	if (ok(set_up(&f, "x*y/(z*(y*(1 + 50/z) + x)^2)", 0, 50), "is set up") &&
		ok(dps_supremum(f.graph, f.node, box, &options, &bracket) == DPS_OK && bracket.status == DPS_OK, "is searched"))
	{
		diag("[%.17g, %.17g], %llu boxes", bracket.lower, bracket.upper, (unsigned long long) bracket.boxes);
		ok(!bracket.exhausted && bracket.upper <= bracket.lower * (1 + 1.1e-6), "is tight");
	}
	dps_arena_clear(f.arena);
}

int
main(void)
{
	test_bounds();
	test_no_form();
	test_exact();
	test_searches();
	return done_testing();
}

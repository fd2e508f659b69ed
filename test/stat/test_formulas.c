/*
 * test_formulas.c
 *		Published formulas are bounded as tightly as is promised, with the objects that
 *		are shipped: values, differences and slopes that rows attain (formulas.h) are
 *		within each bracket, and its far end is within 1e-6 of them.
 *
 * An end below what is attained is wrong, wherever it is.  Ends that are further off
 * are listed in formulas_wide.h, each with where it is, and so are those that take long.
 * What is worse than the list fails, and so does what has become better, until its line
 * is deleted: the list says what is left to be done, and no more.
 *
 * Up to three columns searches have the boxes that they have by default.  With more
 * columns they have few, so that the run is short: what is in the list is then not
 * compared with it, and still must not be below what is attained; and the slowest are
 * left out.  DPS_FORMULAS_LONG=1 ("make formulacheck") compares all.  Nothing depends on the clock.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/quantity/bound.h"
#include "bound/relax/squares.h"
#include "formulas.h"
#include "formulas_wide.h"
#include "parse.h"
#include "tap.h"

/* Boxes by the number of columns, in a short run and in a long one. */
#define FEW_COLUMNS 3
#define SOME_COLUMNS 4
#define SOME_BOXES 1000
#define MANY_SHORT_BOXES 200
#define MANY_LONG_BOXES 10000

/* How tight a bracket is; and what differs by it is no more than rounded: constants
 * that are made of constants are doubles. */
#define TIGHT 1.01e-6
#define ROUNDED 1e-13

/* Of the spread of values, for those that cancel to nothing. */
#define NOTHING 1e-12

/* Whose boxes take so long that they are for the long run alone. */
static const char *const long_formulas[] = {"SCORE2, women, recalibrated", "call price, logistic distribution",
	"allosteric saturation", "MELD-Na", "principal stress",
"diffusion of innovations", "oxygen dissociation", "divergence of two coins"};

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	DpsDomain	box[FORMULA_COLUMNS];
} Fixture;

static bool all_boxes;			/* that the list is about */
static DpsBoundOptions options = DPS_BOUND_DEFAULTS;

static int
columns_of(const Formula *formula)
{
	int			n = 0;

	while (n < FORMULA_COLUMNS && formula->columns[n].name != NULL)
		n++;
	return n;
}

static bool
set_up(Fixture *fixture, const Formula *formula)
{
	int			n = columns_of(formula);
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, &tap_host) != DPS_OK || dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	for (j = 0; j < n; j++)
	{
		const FormulaColumn *column = &formula->columns[j];
		DpsType		type = column->kind == REAL ? DPS_FLOAT8 : column->kind == BOOLEAN ? DPS_BOOL : DPS_INT4;

		(void) dps_graph_add_variable(fixture->graph, column->name, type, false);
		fixture->box[j] = (DpsDomain) {column->lo, column->hi, DPS_NEVER_NULL, column->kind != REAL};
	}
	fixture->node = parse_expression(fixture->graph, formula->sql);
	if (fixture->node == NULL)
		return false;
	fixture->node = dps_as_float8(fixture->graph, fixture->node);
	return dps_complete_squares(fixture->graph, fixture->node, fixture->box, &fixture->node) == DPS_OK;
}

static bool
takes_long(const Formula *formula)
{
	size_t		i;

	for (i = 0; i < sizeof(long_formulas) / sizeof(long_formulas[0]); i++)
		if (strcmp(long_formulas[i], formula->name) == 0)
			return true;
	return false;
}

static const WideBracket *
wide_of(const Formula *formula, const char *quantity)
{
	size_t		i;

	for (i = 0; i < WIDE_BRACKETS; i++)
		if (strcmp(wide_brackets[i].formula, formula->name) == 0 && strcmp(wide_brackets[i].quantity, quantity) == 0)
			return &wide_brackets[i];
	return NULL;
}

static void
show(const Formula *formula, const char *quantity, double attained, const DpsBracket *bracket)
{
	diag("%s %s [%.17g, %.17g], attained %.17g, %llu boxes%s: %s", quantity, dps_status_name(bracket->status),
		 bracket->lower, bracket->upper, attained, (unsigned long long) bracket->boxes,
		 bracket->exhausted ? ", all that there were" : "", formula->sql);
}

/* What a bracket may be off by. */
static double
allowance(const Formula *formula, double attained, double end)
{
	return fmax(TIGHT * fmax(fabs(attained), isinf(end) ? 0.0 : fabs(end)), NOTHING * (formula->supremum - formula->infimum));
}

/*
 * The far end, which is `sign` times an upper end, is not on this side of what is
 * attained.  It is tight, unless the list says how wide it is.  `parts` if the other end
 * is of the greatest of several parts, not of the whole.
 */
static void
check(const Formula *formula, const char *quantity, double attained, int sign, bool parts, const DpsBracket *bracket)
{
	const WideBracket *wide = wide_of(formula, quantity);
	double		end = sign > 0 ? bracket->upper : bracket->lower;
	double		near = sign > 0 ? bracket->lower : bracket->upper;
	double		beyond = (end - attained) * sign;
	double		allowed = allowance(formula, attained, end);
	bool		tight = bracket->status == DPS_OK && beyond <= allowed && (parts || (near - attained) * sign <= allowed);
	bool		right;

	if (isinf(attained))
	{
		if (!ok(bracket->status == DPS_DOMAIN && bracket->culprit != NULL && bracket->upper == INFINITY,
				"%s: %s is refused, since there is none", formula->name, quantity))
			show(formula, quantity, attained, bracket);
		return;
	}
	right = ok(beyond >= -ROUNDED * fmax(fabs(attained), formula->supremum - formula->infimum),
			   "%s: %s is not beyond the bracket", formula->name, quantity);
	if (wide == NULL)
		right &= ok(tight, "%s: %s is tight", formula->name, quantity);
	else
	{
		/* what takes long is tight where there is time for it */
		bool		listed = !(all_boxes && isnan(wide->end));

		right &= ok(tight != listed, "%s: %s is %s, as is listed", formula->name, quantity, listed ? "wide" : "tight");
		if (all_boxes && !isnan(wide->end))
			right &= ok(beyond <= (wide->end - attained) * sign * 1.01 + allowed, "%s: %s is no wider than was listed",
						formula->name, quantity);
	}
	if (!right)
		show(formula, quantity, attained, bracket);
}

static void
check_values(const Formula *formula, Fixture *fixture)
{
	DpsBracket	bracket;

	if (ok(dps_infimum(fixture->graph, fixture->node, fixture->box, &options, &bracket) == DPS_OK, "%s: infimum", formula->name))
		check(formula, "infimum", formula->infimum, -1, false, &bracket);
	if (ok(dps_supremum(fixture->graph, fixture->node, fixture->box, &options, &bracket) == DPS_OK, "%s: supremum", formula->name))
		check(formula, "supremum", formula->supremum, 1, false, &bracket);
}

static void
check_metric(const Formula *formula, Fixture *fixture)
{
	DpsPolicy	policy = {.private_variables = UINT64_MAX};
	DpsBracket	bracket;
	bool		parts = false;
	int			j;

	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		policy.weights[j] = 1.0;
	for (j = 0; j < columns_of(formula); j++)
		parts |= formula->columns[j].kind == BOOLEAN || formula->columns[j].kind == STEPPED;
	if (ok(dps_lipschitz(fixture->graph, fixture->node, fixture->box, &policy, DPS_NORM_2, &options, &bracket) == DPS_OK,
		   "%s: metric", formula->name))
		check(formula, "metric", formula->metric, 1, parts, &bracket);
}

static void
check_column(const Formula *formula, Fixture *fixture, int j)
{
	const FormulaColumn *column = &formula->columns[j];
	DpsBracket	bracket;
	char		quantity[64];

	snprintf(quantity, sizeof(quantity), "attribute:%s", column->name);
	if (ok(dps_attribute(fixture->graph, fixture->node, fixture->box, j, &options, &bracket) == DPS_OK, "%s: %s", formula->name, quantity))
		check(formula, quantity, column->attribute, 1, false, &bracket);
	if (isnan(column->slope))
		return;
	snprintf(quantity, sizeof(quantity), "slope:%s", column->name);
	if (ok(dps_slope(fixture->graph, fixture->node, fixture->box, j, &options, &bracket) == DPS_OK, "%s: %s", formula->name, quantity))
		check(formula, quantity, column->slope, 1, false, &bracket);
}

static void
check_formula(const Formula *formula)
{
	Fixture		fixture;
	int			j;

	if (ok(set_up(&fixture, formula), "%s is read: %s", formula->name, formula->sql))
	{
		check_values(formula, &fixture);
		check_metric(formula, &fixture);
		for (j = 0; j < columns_of(formula); j++)
			check_column(formula, &fixture, j);
	}
	dps_arena_clear(fixture.arena);
}

/* Lines about what is not there would be taken for granted. */
static void
check_list(void)
{
	size_t		i;
	size_t		k;

	for (i = 0; i < WIDE_BRACKETS; i++)
	{
		bool		found = false;

		for (k = 0; k < FORMULAS; k++)
			found |= strcmp(formulas[k].name, wide_brackets[i].formula) == 0;
		ok(found, "%s, of which the %s is wide, is a formula", wide_brackets[i].formula, wide_brackets[i].quantity);
	}
}

int
main(void)
{
	bool		long_run = getenv("DPS_FORMULAS_LONG") != NULL;
	uint64_t	most = options.max_boxes;
	size_t		i;

	check_list();
	for (i = 0; i < FORMULAS; i++)
	{
		int			n = columns_of(&formulas[i]);

		if (takes_long(&formulas[i]) && !long_run)
			continue;
		all_boxes = long_run || n <= FEW_COLUMNS;
		if (n <= SOME_COLUMNS)
			options.max_boxes = all_boxes ? most : SOME_BOXES;
		else
			options.max_boxes = long_run ? MANY_LONG_BOXES : MANY_SHORT_BOXES;
		check_formula(&formulas[i]);
	}
	return done_testing();
}

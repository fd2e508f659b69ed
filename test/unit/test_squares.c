/*
 * test_squares.c
 *		Roots with their squares completed are the same functions, have a value for every
 *		row of the box, and are bounded; others stay as they are.
 *
 * Values are compared with MPFR's many digits.  Rows are drawn where squares cancel: columns
 * that are equal, or almost so, or tiny.
 */
#include <limits.h>
#include <math.h>

#include "bound/relax/squares.h"
#include "expr/enclose.h"
#include "fixture.h"
#include "precise.h"
#include "reference.h"
#include "scarce.h"

#define ROWS 2000

static DpsBoundOptions options = DPS_BOUND_DEFAULTS;

typedef struct Case
{
	const char *sql;
	double		lo[4];			/* of x, y, z, t */
	double		hi[4];
} Case;

#define WIDE {-200, -200, -200, -200}, {200, 200, 200, 200}
#define SHARES {0, 0, 0, -1}, {1, 0.5, 0.5, 1}

static const Case completed[] = {
	{"sqrt(x^2 - x*y + y^2 + 3*z^2)", WIDE},
	{"sqrt(x^2*y^2 + (1 - x)^2*z^2 + 2*x*(1 - x)*t*y*z)", SHARES},
	{"sqrt(x^2 + y^2 - 2*x*y*cos(z))", WIDE},
	{"sqrt(x^2 + y^2 + z^2 + x*y + y*z + x*z)", WIDE},
	{"sqrt(0.3*x^2 - 0.1*x*y + 0.7*y^2)", WIDE},
	{"sqrt(x^2 + 2*x + 1)", WIDE},
	{"sqrt(x*x - 2*x*y + y*y + z)", {-1, -1, 0, 0}, {1, 1, 1, 1}},
	{"sqrt(x^4 - x^2*y + y^2)", WIDE},
	{"sqrt((x^2 - x*y + y^2)/7)", WIDE},
	{"sqrt(x^2/4 - (x*y/2 - y^2/3) + 0.25*(z + t)^2)", WIDE},
	{"sqrt(x^2/z^2 - x*y/z + y^2)", {-1, -1, 1, 0}, {1, 1, 2, 1}},
	{"z*sqrt(x^2 - x*y + y^2) - sqrt(x^2 - 2*x*z + z^2 + t^2)", WIDE},
	{"CASE WHEN x > 0 THEN sqrt(x^2 - x*y + y^2) ELSE z END", WIDE},
	{"sqrt(1 + sqrt(x^2 - x*y + y^2))", WIDE},
};

/* These have no value somewhere, or have one everywhere as they are written. */
static const Case kept[] = {
	{"sqrt(x^2 - 3*x*y + y^2)", WIDE},
	{"sqrt(x^2*y^2 + (1 - x)^2*z^2 + 2*x*(1 - x)*t*y*z)", {0, 0, 0, -1.5}, {1, 0.5, 0.5, 1}},
	{"sqrt(x^2 - x*y + y^2 - 0.01)", WIDE},
	{"sqrt(-(x^2) + x*y - y^2)", WIDE},
	{"sqrt(x^2 + 2*x*y + y^2 - 2*z^2)", WIDE},
	{"sqrt(x - y)", WIDE},
	{"sqrt(x*y)", WIDE},
	{"sqrt(x^2 + y^2)", WIDE},
	{"sqrt(x^2 + 3*x*y*t + y^2)", {0, 0, 0, 0}, {5, 5, 5, 5}},
	{"ln(x^2 - x*y + y^2)", WIDE},
	{"x + y", WIDE},
};

#define CASES(table) ((int) (sizeof(table) / sizeof((table)[0])))

static bool
set_up(Fixture *fixture, const DpsHost *host, const Case *c)
{
	static const char *const names[4] = {"x", "y", "z", "t"};
	Column		columns[4];
	int			j;

	for (j = 0; j < 4; j++)
		columns[j] = (Column) {names[j], DPS_FLOAT8, c->lo[j], c->hi[j], j == 0};
	return set_up_on(fixture, host, columns, 4, c->sql);
}

/* A row of the box, as near to where squares cancel as doubles are. */
static void
draw_row(const Fixture *fixture, double *row)
{
	int			j;

	for (j = 0; j < 4; j++)
	{
		const DpsDomain *domain = &fixture->box[j];

		row[j] = random_between(domain->lo, domain->hi);
		if (random_below(3) == 0)
			row[j] *= ldexp(1, -random_below(1070));
		if (j > 0 && random_below(2) == 0)
			row[j] = random_below(2) == 0 ? row[0] : -row[0];
		if (random_below(4) == 0)
			row[j] = nextafter(row[j], random_below(2) == 0 ? -INFINITY : INFINITY);
		if (random_below(10) == 0)
			row[j] = random_below(2) == 0 ? domain->lo : domain->hi;
		row[j] = fmax(domain->lo, fmin(domain->hi, row[j]));
	}
}

static double
evaluate(Fixture *fixture, const DpsProgram *program, double *scratch, const double *row)
{
	const double *columns[4] = {&row[0], &row[1], &row[2], &row[3]};
	double		value = 0;
	double	   *outputs[1] = {&value};

	(void) fixture;
	dps_evaluate(program, columns, 1, scratch, outputs);
	return value;
}

#ifdef HAVE_MPFR

/* Is the value as far from the exact one of the expression as is claimed, at most? */
static bool
is_near(const DpsNode *node, const double *row, double value, double error)
{
	mpfr_t		x[4];
	mpfr_t		exact;
	bool		near;
	int			j;

	mpfr_inits2(PRECISE_BITS, x[0], x[1], x[2], x[3], exact, (mpfr_ptr) 0);
	for (j = 0; j < 4; j++)
		mpfr_set_d(x[j], row[j], MPFR_RNDN);
	precise_value(exact, node, (const mpfr_t *) x);
	mpfr_sub_d(exact, exact, value, MPFR_RNDN);
	/* 1000 bits of sums that cancel are roots with 500 */
	near = mpfr_number_p(exact) && fabs(mpfr_get_d(exact, MPFR_RNDN)) <= error + 0x1p-400;
	mpfr_clears(x[0], x[1], x[2], x[3], exact, (mpfr_ptr) 0);
	return near;
}

#else

static bool
is_near(const DpsNode *node, const double *row, double value, double error)
{
	(void) node;
	(void) row;
	return isfinite(value) && error >= 0;
}

#endif

/* ---- what is replaced ---- */

static void
check_values(Fixture *fixture, const char *sql, const DpsNode *result)
{
	const DpsProgram *program;
	double	   *scratch;
	double		error = INFINITY;
	bool		valued = true;
	bool		near = true;
	double		row[4];
	int			i;

	if (!ok(dps_compile(fixture->graph, &result, 1, &program) == DPS_OK &&
			dps_evaluation_error(fixture->graph, result, fixture->box, &error) == DPS_OK && isfinite(error),
			"%s: there is a bound of the evaluator's error", sql))
		return;
	scratch = dps_arena_alloc(fixture->arena, sizeof(double) * (dps_scratch_size(program) + 1));
	for (i = 0; i < ROWS; i++)
	{
		double		value;

		draw_row(fixture, row);
		value = evaluate(fixture, program, scratch, row);
		valued &= !isnan(value);
		/* no fraction and no digits are made of choices */
		if (near && i % 8 == 0 && fixture->node->op != DPS_OP_CASE && !is_near(fixture->node, row, value, error))
		{
			near = false;
			diag("%.17g, %.17g, %.17g, %.17g: %.17g", row[0], row[1], row[2], row[3], value);
		}
	}
	ok(valued, "%s: every row has a value", sql);
	ok(near, "%s: values are those of the expression up to the evaluator's error", sql);
}

static void
check_completed(const Case *c)
{
	Fixture		fixture;
	DpsBracket	before;
	DpsBracket	after;
	DpsBracket	constant;
	const DpsNode *result = NULL;
	DpsText		text;

	if (!set_up(&fixture, &tap_host, c))
		abort();
	if (ok(dps_complete_squares(fixture.graph, fixture.node, fixture.box, &result) == DPS_OK && result != fixture.node,
		   "%s: squares are completed", c->sql))
	{
		check_values(&fixture, c->sql, result);
		ok(dps_strict_variables(fixture.graph, result) == dps_strict_variables(fixture.graph, fixture.node) &&
		   result->variables == fixture.node->variables, "%s: the same NULLs", c->sql);
		ok(dps_infimum(fixture.graph, fixture.node, fixture.box, &options, &before) == DPS_OK && before.status != DPS_OK,
		   "%s: it has no bound as it is written", c->sql);
		ok(dps_infimum(fixture.graph, result, fixture.box, &options, &after) == DPS_OK && after.status == DPS_OK &&
		   isfinite(after.lower), "%s: it has a bound then", c->sql);
		ok(dps_lipschitz(fixture.graph, result, fixture.box, &fixture.policy, DPS_NORM_2, &options, &constant) == DPS_OK &&
		   (constant.status != DPS_OK || constant.upper >= constant.lower), "%s: and slopes are asked for", c->sql);
		dps_text_init(&text, fixture.arena);
		if (ok(dps_print_sql(fixture.graph, result, &text) == DPS_OK && !text.failed, "%s: it is printed", c->sql) &&
			!ok(dps_as_float8(fixture.graph, parse_expression(fixture.graph, text.data)) == result || has_rounded(result),
				"%s: and read again", c->sql))
			diag("%s", text.data);
	}
	dps_arena_clear(fixture.arena);
}

/* ---- what is not ---- */

static void
check_kept(const Case *c)
{
	Fixture		fixture;
	const DpsNode *result = NULL;

	if (!set_up(&fixture, &tap_host, c))
		abort();
	ok(dps_complete_squares(fixture.graph, fixture.node, fixture.box, &result) == DPS_OK && result == fixture.node,
	   "%s: stays as it is", c->sql);
	dps_arena_clear(fixture.arena);
}

/* A box that is narrower may prove what a wider one does not. */
static void
check_correlation(void)
{
	Case		c = completed[1];
	Fixture		fixture;
	const DpsNode *result = NULL;

	c.lo[3] = nextafter(-1, -2);
	if (!set_up(&fixture, &tap_host, &c))
		abort();
	ok(dps_complete_squares(fixture.graph, fixture.node, fixture.box, &result) == DPS_OK && result == fixture.node,
	   "a correlation below -1 by one ulp is not one");
	dps_arena_clear(fixture.arena);
}

/* ---- errors of lengths ---- */

/* A length has no error of the kind of roots at 0, and is within the one that is claimed. */
static void
check_length(const Case *c, double most)
{
	Fixture		fixture;
	const DpsProgram *program;
	double	   *scratch;
	double		error = INFINITY;
	double		row[4];
	bool		near = true;
	int			i;

	if (!set_up(&fixture, &tap_host, c) || dps_compile(fixture.graph, &fixture.node, 1, &program) != DPS_OK)
		abort();
	if (!ok(dps_evaluation_error(fixture.graph, fixture.node, fixture.box, &error) == DPS_OK && error <= most,
			"%s: is off by %g at most", c->sql, most))
		diag("%g", error);
	scratch = dps_arena_alloc(fixture.arena, sizeof(double) * (dps_scratch_size(program) + 1));
	for (i = 0; i < ROWS && near; i++)
	{
		draw_row(&fixture, row);
		near = is_near(fixture.node, row, evaluate(&fixture, program, scratch, row), error);
	}
	ok(near, "%s: and so are values", c->sql);
	dps_arena_clear(fixture.arena);
}

static void
check_lengths(void)
{
	static const Case lengths[] = {
		{"sqrt(x^2 + y^2)", WIDE},
		{"sqrt((x - 0.1*y)^2 + 3*(y/3 - z)^2 + 0.2*(t^2/7 + x^2))", WIDE},
		{"sqrt((0.1*x + y)^2 + 1e-250*z^2 + t^2/1e250)", WIDE},
		{"sqrt(1e280*x^2 + 1e-20*y^2)", WIDE},
		{"sqrt(2*(x^2 + exp(y)))", {-1, -1, -1, -1}, {1, 1, 1, 1}},
	};

	check_length(&lengths[0], 1e-12);
	check_length(&lengths[1], 1e-11);
	check_length(&lengths[2], 1e-12);
	check_length(&lengths[3], 1e128);
	check_length(&lengths[4], 1e-7);
}

/* ---- memory ---- */

static void
check_memory(void)
{
	bool		right = true;
	bool		done = false;
	int			left;

	for (left = 0; left < 400 && !done; left++)
	{
		Scarce		scarce = {.left = LONG_MAX};
		DpsHost		host = scarce_host(&scarce);
		Fixture		fixture;
		const DpsNode *result = NULL;
		DpsStatus	status;

		if (!set_up(&fixture, &host, &completed[11]))
			abort();
		scarce.left = left;
		status = dps_complete_squares(fixture.graph, fixture.node, fixture.box, &result);
		right &= status == DPS_NOMEM || (status == DPS_OK && result != fixture.node);
		done = status == DPS_OK;
		scarce.left = LONG_MAX;
		dps_arena_clear(fixture.arena);
	}
	ok(right && done, "memory that runs out is said to");
}

int
main(void)
{
	int			i;

	options.max_boxes = 500;
	for (i = 0; i < CASES(completed); i++)
		check_completed(&completed[i]);
	for (i = 0; i < CASES(kept); i++)
		check_kept(&kept[i]);
	check_correlation();
	check_lengths();
	check_memory();
	return done_testing();
}

/*
 * test_ops.c
 *		Every row of the operation table: enclosures, NULL, flags, derivatives.
 */
#include "tap.h"

#include "reference.h"

#include "expr/program.h"

/* An argument: an interval and points in it. */
#define POINTS 6

typedef struct Sample
{
	DpsInterval range;
	double		point[POINTS];
} Sample;

static bool
is_logic(const DpsOp *op)
{
	return (op->flags & DPS_NULL_LOGIC) || op->sql_binding == DPS_BIND_NOT;
}

/* The second argument is a number of digits. */
static bool
takes_digits(DpsOpcode code)
{
	return code == DPS_OP_ROUND_TO || code == DPS_OP_TRUNC_TO;
}

/* Integer division is defined for integers only. */
static bool
wants_integers(const DpsOp *op)
{
	return strstr(op->builtins, "int4div") != NULL;
}

static double
random_number(void)
{
	static const double specials[] = {0, 1, -1, 0.5, 2, -2, 3, 10, 1e-9, -0.25};

	switch (random_below(6))
	{
		case 0:
			return specials[random_below(10)];
		case 1:
			return random_between(-1, 1);
		case 2:
			return random_between(-20, 20);
		case 3:
			return rint(random_between(-20, 20));
		case 4:
			return random_between(-1, 1) * pow(10.0, random_between(-12, 3));
		default:
			return random_between(0, 4);
	}
}

static Sample
random_sample(const DpsOp *op)
{
	Sample		sample;
	double		a = random_number();
	double		b = random_below(3) == 0 ? a : random_below(2) == 0 ? random_number() :
		a + random_between(-0.1, 0.1);
	int			k;

	if (is_logic(op))
	{
		a = random_below(2);
		b = random_below(2);
	}
	if (wants_integers(op))
	{
		a = rint(a);
		b = rint(b);
	}
	sample.range = dps_iv(fmin(a, b), fmax(a, b));
	for (k = 0; k < POINTS; k++)
	{
		sample.point[k] = random_between(sample.range.lo, sample.range.hi);
		if (is_logic(op) || wants_integers(op))
			sample.point[k] = rint(sample.point[k]);
	}
	sample.point[0] = sample.range.lo;
	sample.point[1] = sample.range.hi;
	return sample;
}

static bool
within(DpsInterval range, long double value)
{
	long double slack = fabs(value) * REFERENCE_ERROR;

	return range.lo <= value + slack && value - slack <= range.hi;
}

/* One point of a box: the value, the exact value and the domain agree with
 * the enclosure. */
static bool
check_point(const DpsOp *op, DpsOpcode code, double x, double y, DpsDefined defined, DpsInterval range)
{
	DpsDefined	here = op->defined(dps_iv(x, x), dps_iv(y, y));
	double		value = op->value(x, y);
	long double exact = reference[code] (x, y);

	if (here == DPS_UNDEFINED || here == DPS_PARTIAL)
		return defined != DPS_DEFINED;
	if (defined == DPS_UNDEFINED)
		return false;
	/* an overflow, which the enclosure must show */
	if (isnan(value))
		return isinf(range.lo) || isinf(range.hi);
	return dps_iv_contains(range, value) && within(range, exact);
}

static void
test_enclosures(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	bool		good = true;
	int			i;
	int			k;

	for (i = 0; i < 4000 && good; i++)
	{
		Sample		x = random_sample(op);
		Sample		y = random_sample(op);
		DpsDefined	defined = op->defined(x.range, y.range);
		DpsInterval range = op->enclosure(x.range, y.range, DPS_NEVER_NULL, DPS_NEVER_NULL);

		for (k = 0; k < POINTS * POINTS && good; k++)
		{
			double		px = x.point[k % POINTS];
			double		py = y.point[k / POINTS];

			good = check_point(op, code, px, py, defined, range);
			if (!good)
				diag("%s(%a, %a) = %a (exact %La) in [%a, %a] for x [%a, %a], y [%a, %a], defined %d",
					 op->name, px, py, op->value(px, py), reference[code] (px, py), range.lo, range.hi,
					 x.range.lo, x.range.hi, y.range.lo, y.range.hi, defined);
		}
	}
	ok(good, "%s: enclosures contain the values", op->name);
}

/* The unit in the last place of the double nearest to x. */
static long double
unit_of(long double x)
{
	double		nearest = fabs((double) x);

	return nextafter(nearest, INFINITY) - nearest;
}

/* Values are as near to the exact ones as the row says.  Where it says nothing, a
 * few ulps off. */
static void
test_rounding(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	double		ulps = isinf(op->ulps) ? 16 : op->ulps;
	bool		good = true;
	int			i;

	for (i = 0; i < 4000 && good; i++)
	{
		double		x = random_sample(op).range.lo;
		double		y = random_sample(op).range.hi;
		double		value = op->value(x, y);
		long double exact = reference[code] (x, y);

		if (op->defined(dps_iv(x, x), dps_iv(y, y)) != DPS_DEFINED || isnan(value))
			continue;
		/* a step of rounded arguments may be elsewhere */
		if (op->jumps(dps_iv(x, x), dps_iv(y, y), dps_iv(0, 1)) && !dps_op_is_exact(op))
			continue;
		good = fabs(value - exact) <= (ulps < 0 ? -ulps : ulps * unit_of(exact)) + (ulps != 0 ? REFERENCE_ERROR * fabs(exact) : 0);
		if (!good)
			diag("%s(%a, %a) = %a, exact %La", op->name, x, y, value, exact);
	}
	ok(good, "%s: rounds as its row says", op->name);
}

/* What flags say of twice the same argument, and of integers. */
static void
test_special_arguments(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	double		one = op->value(1, 1);
	bool		constant = true;
	bool		keeps = true;
	int			i;

	for (i = 0; i < 1000; i++)
	{
		double		x = random_sample(op).range.lo;
		double		n = rint(x);
		double		m = rint(random_sample(op).range.lo);
		double		value = op->value(n, m);

		constant = constant && (op->defined(dps_iv(x, x), dps_iv(x, x)) != DPS_DEFINED || op->value(x, x) == one);
		if (op->flags & DPS_KEEPS_INTEGERS)
			keeps = keeps && (isnan(value) || value == rint(value));
		if (op->flags & DPS_ROUNDS)
			keeps = keeps && value == n;
	}
	if (op->arity == 2)
		ok(constant == ((op->flags & DPS_CONSTANT_IF_SAME) != 0), "%s: %s of twice the same", op->name,
		   constant ? "one value" : "several values");
	if (op->flags & (DPS_KEEPS_INTEGERS | DPS_ROUNDS))
		ok(keeps, "%s: integers of integers", op->name);
	if (op->arity == 1 && code != DPS_OP_CAST)
		ok((strstr(op->builtins, "int4") != NULL) == ((op->flags & DPS_OF_INTEGERS) != 0), "%s: %s of integers", op->name,
		   op->flags & DPS_OF_INTEGERS ? "the server's" : "not the server's");
}

static void
test_flags(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	bool		commutes = true;
	bool		integral = true;
	bool		total = true;
	int			i;

	for (i = 0; i < 4000; i++)
	{
		double		x = random_sample(op).range.lo;
		double		y = random_sample(op).range.hi;
		double		value = op->value(x, y);

		if (!same_value(value, op->value(y, x)))
			commutes = false;
		if (!isnan(value) && value != rint(value))
			integral = false;
		if (isnan(value) || op->defined(dps_iv(x, x), dps_iv(y, y)) != DPS_DEFINED)
			total = false;
	}
	/* greatest and least commute, but not in their derivative at a tie */
	if (op->arity == 2 && !(op->flags & DPS_NULL_IF_ALL))
		ok(commutes == ((op->flags & DPS_COMMUTES) != 0), "%s: %s", op->name,
		   commutes ? "commutes" : "does not commute");
	if (op->flags & DPS_INTEGRAL)
		ok(integral, "%s: yields integers", op->name);
	if (op->flags & DPS_TOTAL)
		ok(total, "%s: is total", op->name);
}

static bool
null_as_flagged(const DpsOp *op, double x, double y)
{
	bool		x_null = isnan(x);
	bool		y_null = op->arity == 2 ? isnan(y) : x_null;
	bool		null = isnan(op->value(x, y));

	if (op->flags & DPS_NULL_NEVER)
		return !null;
	if (op->flags & DPS_NULL_IF_ALL)
		return null == (x_null && y_null);
	if (op->flags & DPS_NULL_LOGIC)
		return true;
	return null || !(x_null || y_null);
}

static void
test_null(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	bool		good = true;
	int			i;

	for (i = 0; i < 100; i++)
	{
		double		x = random_sample(op).range.lo;
		double		y = random_sample(op).range.lo;

		good = good && null_as_flagged(op, NAN, y) && null_as_flagged(op, x, NAN) &&
			null_as_flagged(op, NAN, NAN);
	}
	ok(good, "%s: NULL as flagged", op->name);
}

static void
test_batch(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	double		x[40];
	double		y[40];
	double		result[41];
	bool		good = true;
	int			n;
	int			i;

	for (n = 0; n <= 40; n++)
	{
		for (i = 0; i < n; i++)
		{
			x[i] = random_below(8) == 0 ? NAN : random_sample(op).range.lo;
			y[i] = random_below(8) == 0 ? NAN : random_sample(op).range.hi;
		}
		result[n] = 12345;
		op->batch(result, x, y, n);
		for (i = 0; i < n; i++)
			good = good && same_value(result[i], op->value(x[i], y[i]));
		good = good && result[n] == 12345;
	}
	ok(good, "%s: batches are scalars, bit for bit", op->name);
}

/* The central difference of fourth order, in long double. */
static long double
difference(DpsOpcode code, double x, double y, double hx, double hy)
{
	long double near = reference[code] ((long double) x + hx, (long double) y + hy) -
		reference[code] ((long double) x - hx, (long double) y - hy);
	long double far = reference[code] ((long double) x + 2 * hx, (long double) y + 2 * hy) -
		reference[code] ((long double) x - 2 * hx, (long double) y - 2 * hy);

	return (8 * near - far) / (12 * ((long double) hx + hy));
}

/* Defined, without a jump and away from kinks and poles around the point? */
static bool
is_smooth(const DpsOp *op, const DpsProgram *gradient, double x, double y, double radius)
{
	DpsInterval xs = dps_iv(x - radius, x + radius);
	DpsInterval ys = op->arity == 2 ? dps_iv(y - radius, y + radius) : dps_iv(0, 0);
	DpsInterval f = op->enclosure(xs, ys, DPS_NEVER_NULL, DPS_NEVER_NULL);
	DpsDomain	box[2] = {{.lo = xs.lo, .hi = xs.hi}, {.lo = ys.lo, .hi = ys.hi}};
	DpsEnclosure enclosures[64];
	int			k;

	if (gradient->ninstructions > 64 || op->defined(xs, ys) != DPS_DEFINED || op->jumps(xs, ys, f))
		return false;
	dps_enclose(gradient, box, enclosures);
	for (k = 0; k < op->arity; k++)
	{
		DpsEnclosure *e = &enclosures[dps_program_outputs(gradient)[k]];

		if (e->defined != DPS_DEFINED || !(e->value.hi - e->value.lo < 1e-2 * (1 + fabs(e->value.lo))))
			return false;
	}
	return true;
}

static bool
gradient_agrees(DpsOpcode code, const DpsProgram *gradient, double x, double y)
{
	const DpsOp *op = &dps_ops[code];
	const double h = 1e-4;
	const double *columns[2] = {&x, &y};
	double		derivative[2];
	double	   *outputs[2] = {&derivative[0], &derivative[1]};
	double		scratch[64 * DPS_BATCH];
	int			k;

	if (dps_scratch_size(gradient) > 64 * DPS_BATCH)
		return false;
	dps_evaluate(gradient, columns, 1, scratch, outputs);
	for (k = 0; k < op->arity; k++)
	{
		long double expected = difference(code, x, y, k == 0 ? h : 0, k == 1 ? h : 0);

		if (!(fabs(derivative[k] - expected) <= 1e-7L * (1 + fabs(expected))))
		{
			diag("d%d %s(%g, %g) = %g, difference %Lg", k, op->name, x, y, derivative[k], expected);
			return false;
		}
	}
	return true;
}

static const DpsProgram *
compile_gradient(DpsArena *arena, DpsOpcode code)
{
	const DpsProgram *program = NULL;
	const DpsNode *gradient[2];
	const DpsNode *node;
	DpsGraph   *graph;
	DpsType		type = dps_ops[code].flags & DPS_LOGICAL ? DPS_BOOL : DPS_FLOAT8;
	DpsType		arg_type = is_logic(&dps_ops[code]) ? DPS_BOOL : DPS_FLOAT8;

	if (dps_graph_init(&graph, arena) != DPS_OK)
		return NULL;
	dps_graph_add_variable(graph, "x", arg_type, true);
	dps_graph_add_variable(graph, "y", arg_type, true);
	node = dps_apply(graph, code, type, dps_variable(graph, 0), dps_variable(graph, 1));
	if (dps_gradient(graph, node, gradient) != DPS_OK ||
		dps_compile(graph, gradient, 2, &program) != DPS_OK)
		return NULL;
	return program;
}

static void
test_derivative(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];
	const DpsProgram *gradient;
	DpsArena   *arena;
	bool		good = true;
	int			points = 0;
	int			i;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		return;
	gradient = compile_gradient(arena, code);
	for (i = 0; i < 3000 && gradient != NULL && good; i++)
	{
		double		x = random_sample(op).range.lo;
		double		y = random_sample(op).range.hi;

		if (!is_smooth(op, gradient, x, y, 5e-4))
			continue;
		points++;
		good = gradient_agrees(code, gradient, x, y);
	}
	/* comparisons are smooth where they are decided, and flat */
	ok(good && points > 50, "%s: derivatives match differences (%d points)", op->name, points);
	dps_arena_clear(arena);
}

/*
 * Slopes, curvature and third derivatives of smooth rows
 */

/* A row along one of its arguments, the other held fixed. */
typedef struct Line
{
	DpsOpcode	code;
	int			along;
	double		fixed;
} Line;

static long double
line_value(const Line *line, double t)
{
	return line->along == 0 ? reference[line->code] (t, line->fixed) : reference[line->code] (line->fixed, t);
}

/* Is it the argument that curvature and third derivative are by? */
static bool
is_function(const Line *line)
{
	if (line->code == DPS_OP_DIV)
		return line->along == 1 && line->fixed == 1;
	return line->along == 0;
}

#define DIFFERENCES 4

/*
 * Divided differences from the first to the third order at four points of the range,
 * and what they can be off by.  Each is a derivative somewhere between, over its
 * order's factorial.
 */
static void
divided_differences(const Line *line, DpsInterval range, long double *difference, long double *slack)
{
	long double at[DIFFERENCES];
	long double table[DIFFERENCES];
	double		width = range.hi - range.lo;
	long double size = 0;
	int			order;
	int			i;

	for (i = 0; i < DIFFERENCES; i++)
	{
		double		t = fmin(range.hi, range.lo + width * (i + random_between(0, 0.4)) / (DIFFERENCES - 0.6));

		at[i] = t;
		table[i] = line_value(line, t);
		size = fmax(size, fabs(table[i]));
	}
	for (order = 1; order < DIFFERENCES; order++)
	{
		for (i = 0; i < DIFFERENCES - order; i++)
			table[i] = (table[i + 1] - table[i]) / (at[i + order] - at[i]);
		difference[order] = table[0];
		slack[order] = 16 * size * REFERENCE_ERROR / pow(width / 10, order) + REFERENCE_ERROR * fabs(table[0]);
	}
}

/* What the cells say over the range; known counts what they say something of. */
static bool
line_agrees(const Line *line, DpsInterval range, int *known)
{
	const DpsOp *op = &dps_ops[line->code];
	DpsInterval fixed = dps_iv(line->fixed, line->fixed);
	DpsInterval x = line->along == 0 ? range : fixed;
	DpsInterval y = line->along == 0 ? fixed : range;
	DpsInterval f = op->enclosure(x, y, DPS_NEVER_NULL, DPS_NEVER_NULL);
	DpsInterval slope = op->slope[line->along] (x, y, f);
	DpsInterval curvature = op->curvature(x, y, f);
	DpsInterval third = op->third(x, y);
	long double difference[DIFFERENCES];
	long double slack[DIFFERENCES];

	divided_differences(line, range, difference, slack);
	if (!isfinite(slack[1]) || !isfinite(slack[3]))
		return true;
	known[0]++;
	known[1] += isfinite(slope.lo) && isfinite(slope.hi);
	if (!(slope.lo <= difference[1] + slack[1] && slope.hi >= difference[1] - slack[1]))
		return false;
	if (!is_function(line))
		return true;
	known[2] += curvature.lo >= 0 || curvature.hi <= 0;
	known[3] += isfinite(third.lo) && isfinite(third.hi);
	if ((curvature.lo >= 0 && difference[2] < -slack[2]) || (curvature.hi <= 0 && difference[2] > slack[2]))
		return false;
	return third.lo <= 6 * (difference[3] + slack[3]) && third.hi >= 6 * (difference[3] - slack[3]);
}

static void
test_course_along(DpsOpcode code, int along, bool function)
{
	const DpsOp *op = &dps_ops[code];
	int			known[DIFFERENCES] = {0};
	bool		good = true;
	int			i;

	for (i = 0; i < 6000 && good; i++)
	{
		Line		line = {code, along, function && code == DPS_OP_DIV ? 1 : random_number()};
		double		lo = random_number();
		DpsInterval range = dps_iv(lo, lo + (i % 2 ? random_between(0.001, 0.01) : random_between(0.001, 2)));
		/* not at the edge of the domain, as the base 0 of x ^ y is by y */
		double		inside = along == 1 ? 1e-9 : 0;
		DpsInterval fixed = dps_iv(line.fixed - inside, line.fixed + inside);

		if (op->defined(along == 0 ? range : fixed, along == 0 ? fixed : range) != DPS_DEFINED)
			continue;
		good = line_agrees(&line, range, known);
		if (!good)
			diag("%s by argument %d over [%a, %a], the other %a", op->name, along, range.lo, range.hi, line.fixed);
	}
	ok(good && known[0] > 80, "%s: argument %d: derivatives enclose divided differences (%d)", op->name, along, known[0]);
	ok(known[1] > 0.9 * known[0], "%s: argument %d: slopes are bounded (%d)", op->name, along, known[1]);
	if (function)
		ok(known[2] > 0.7 * known[0] && known[3] > 0.9 * known[0],
		   "%s: argument %d: curvature is known, and third derivatives are bounded (%d, %d)", op->name, along, known[2], known[3]);
}

/* A row that is smooth says how it runs. */
static void
test_course(DpsOpcode code)
{
	int			along;

	for (along = 0; along < dps_ops[code].arity; along++)
		test_course_along(code, along, code == DPS_OP_DIV ? along == 1 : along == 0);
}

/* Do the slopes to the left and to the right of a point differ, or are they steeper
 * than those of smooth rows there? */
static bool
shows_kink(DpsOpcode code, double x, double y)
{
	const DpsOp *op = &dps_ops[code];
	const double h = 0x1p-20;
	double		left = (op->value(x, y) - op->value(x - h, y)) / h;
	double		right = (op->value(x + h, y) - op->value(x, y)) / h;

	return fabs(left - right) > 0.1 || fabs(left) > 1000;
}

/* A row that is not smooth has a kink or a jump to show for it. */
static void
test_kink(DpsOpcode code)
{
	bool		found = false;
	int			i;

	/* NULL decides */
	if (is_logic(&dps_ops[code]) || (dps_ops[code].flags & DPS_NULL_NEVER) || code == DPS_OP_COALESCE)
		return;
	for (i = 0; i < 25; i++)
		found = found || shows_kink(code, i % 5 / 2.0, i / 5 - 2);
	ok(found, "%s has a kink", dps_ops[code].name);
}

static void
test_row(DpsOpcode code)
{
	const DpsOp *op = &dps_ops[code];

	test_enclosures(code);
	test_rounding(code);
	test_flags(code);
	test_special_arguments(code);
	test_null(code);
	test_batch(code);
	if (!is_logic(op) && !wants_integers(op) && !takes_digits(code) && !(op->flags & DPS_NULL_NEVER))
		test_derivative(code);
	if (op->smooth)
		test_course(code);
	else
		test_kink(code);
	ok(op->cost > 0, "%s costs something", op->name);
}

typedef struct Rounding
{
	double		x;
	double		digits;
	double		rounded;
	double		truncated;
} Rounding;

static void
test_round_to(void)
{
	static const Rounding cases[] = {
		{2.675, 2, 2.68, 2.67}, {-2.675, 2, -2.68, -2.67}, {1.005, 2, 1.01, 1.00},
		{0.285, 2, 0.29, 0.28}, {2.5, 0, 3, 2}, {-0.5, 0, -1, 0}, {0.49999999, 0, 0, 0},
		{1234.5, -2, 1200, 1200}, {1250, -2, 1300, 1200}, {5, -1, 10, 0}, {-4.9, -1, 0, 0},
		{0.29, 2, 0.29, 0.29}, {1.15, 2, 1.15, 1.15}, {-1.999, 2, -2, -1.99},
		{123.456, 400, 123.456, 123.456}, {123.456, -400, 0, 0}, {1e300, 2, 1e300, 1e300},
		{0, 5, 0, 0}, {0, 400, 0, 0}, {0, -400, 0, 0}, {1e-300, 301, 1e-300, 1e-300},
		{9007199254740993, 0, 9007199254740993, 9007199254740993},
		{2251799813685249.5, 0, 2251799813685250, 2251799813685249},
	};
	const DpsOp *round_to = &dps_ops[DPS_OP_ROUND_TO];
	const DpsOp *trunc_to = &dps_ops[DPS_OP_TRUNC_TO];
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const Rounding *c = &cases[i];
		double		rounded = round_to->value(c->x, c->digits);
		double		truncated = trunc_to->value(c->x, c->digits);

		ok(rounded == c->rounded && truncated == c->truncated,
		   "%.17g to %g digits: round %.17g, trunc %.17g", c->x, c->digits, rounded, truncated);
	}
}

/* Numerics of three digits after the point, against integers. */
static void
test_round_decimals(void)
{
	bool		good = true;
	int			k;

	for (k = -30000; k <= 30000; k++)
	{
		double		x = k / 1000.0;
		DpsInterval point = dps_iv(x, x);
		DpsInterval two = dps_iv(2, 2);
		double		rounded = ((k < 0 ? k - 5 : k + 5) / 10) / 100.0;
		double		truncated = (k / 10) / 100.0;

		good = good && dps_ops[DPS_OP_ROUND_TO].value(x, 2) == rounded &&
			dps_ops[DPS_OP_TRUNC_TO].value(x, 2) == truncated &&
			dps_iv_contains(dps_ops[DPS_OP_ROUND_TO].enclosure(point, two, DPS_NEVER_NULL, DPS_NEVER_NULL), rounded) &&
			dps_iv_contains(dps_ops[DPS_OP_TRUNC_TO].enclosure(point, two, DPS_NEVER_NULL, DPS_NEVER_NULL), truncated);
	}
	ok(good, "round and trunc of decimals are those of SQL");
}

/* Eighths are scaled exactly: they round to one number, ties and multiples, too. */
static void
test_round_exactly(void)
{
	bool		good = true;
	int			k;
	int			digits;

	for (k = -4000; k <= 4000; k++)
	{
		for (digits = -2; digits <= 3; digits++)
		{
			DpsOpcode	code = k % 2 ? DPS_OP_ROUND_TO : DPS_OP_TRUNC_TO;
			double		x = k / 8.0 * 5;
			double		value = dps_ops[code].value(x, digits);
			DpsInterval range = dps_ops[code].enclosure(dps_iv(x, x), dps_iv(digits, digits), DPS_NEVER_NULL, DPS_NEVER_NULL);

			good = good && dps_iv_contains(range, value) && range.hi - range.lo <= 4 * DBL_EPSILON * fabs(value);
		}
	}
	ok(good, "round and trunc of what is scaled exactly are enclosed by one number");
}

/* Far out, where the ulp is near the last digit kept: values between the
 * enclosure's ends. */
static void
test_round_limits(void)
{
	bool		good = true;
	int			i;

	for (i = 0; i < 200000 && good; i++)
	{
		DpsOpcode	code = i % 2 ? DPS_OP_ROUND_TO : DPS_OP_TRUNC_TO;
		double		x = (random_below(2) ? 1 : -1) * exp2(random_between(40, 56));
		double		digits = random_below(50) - 25;
		double		least = digits - random_below(3);
		double		value;
		DpsInterval range;

		x = dps_ops[DPS_OP_DIV].value(x, pow(10.0, digits));
		value = dps_ops[code].value(x, digits);
		range = dps_ops[code].enclosure(dps_iv(x, x), dps_iv(least, digits), DPS_NEVER_NULL, DPS_NEVER_NULL);
		good = dps_iv_contains(range, value);
		if (!good)
			diag("%s(%a, %g) = %a in [%a, %a]", dps_ops[code].name, x, digits, value, range.lo, range.hi);
	}
	ok(good, "round and trunc stay enclosed where digits run out");
}

static void
test_choice_enclosures(void)
{
	DpsInterval x = dps_iv(1, 2);
	DpsInterval y = dps_iv(5, 6);
	const DpsOp *greatest = &dps_ops[DPS_OP_GREATEST];
	const DpsOp *coalesce = &dps_ops[DPS_OP_COALESCE];
	DpsInterval f;

	f = greatest->enclosure(x, y, DPS_NEVER_NULL, DPS_NEVER_NULL);
	ok(f.lo == 5 && f.hi == 6, "greatest of values");
	f = greatest->enclosure(x, y, DPS_NEVER_NULL, DPS_MAYBE_NULL);
	ok(f.lo == 1 && f.hi == 6, "greatest when one may be NULL");
	f = greatest->enclosure(DPS_EMPTY, y, DPS_ALWAYS_NULL, DPS_NEVER_NULL);
	ok(f.lo == 5 && f.hi == 6, "greatest when one is NULL");
	f = coalesce->enclosure(x, y, DPS_NEVER_NULL, DPS_NEVER_NULL);
	ok(f.lo == 1 && f.hi == 2, "coalesce of a value");
	f = coalesce->enclosure(x, y, DPS_MAYBE_NULL, DPS_NEVER_NULL);
	ok(f.lo == 1 && f.hi == 6, "coalesce of what may be NULL");
	f = coalesce->enclosure(DPS_EMPTY, y, DPS_ALWAYS_NULL, DPS_NEVER_NULL);
	ok(f.lo == 5 && f.hi == 6, "coalesce of NULL");
	f = dps_ops[DPS_OP_AND].enclosure(DPS_EMPTY, dps_iv(1, 1), DPS_ALWAYS_NULL, DPS_NEVER_NULL);
	ok(dps_iv_is_empty(f), "NULL AND true has no value");
	f = dps_ops[DPS_OP_AND].enclosure(DPS_EMPTY, dps_iv(0, 1), DPS_ALWAYS_NULL, DPS_NEVER_NULL);
	ok(f.lo == 0 && f.hi == 0, "NULL AND x is false, if anything");
	f = dps_ops[DPS_OP_OR].enclosure(DPS_EMPTY, dps_iv(0, 1), DPS_ALWAYS_NULL, DPS_NEVER_NULL);
	ok(f.lo == 1 && f.hi == 1, "NULL OR x is true, if anything");
}

static void
test_settling(void)
{
	ok(isnan(dps_ops[DPS_OP_DIV].value(1, 0)), "1 / 0 has no value");
	ok(isnan(dps_ops[DPS_OP_LN].value(0, 0)), "ln(0) has no value");
	ok(isnan(dps_ops[DPS_OP_EXP].value(1000, 0)), "exp(1000) has no value");
	ok(isnan(dps_ops[DPS_OP_MUL].value(DBL_MAX, 2)), "an overflow has no value");
}

/* Those that are not left to pow, beside one in a wider format. */
static void
test_powers_with_a_half(void)
{
	static const double exponents[] = {1.5, -0.5};
	bool		good = true;

	for (int i = 0; i < 200000; i++)
	{
		double		x = ldexp(random_between(1, 2), i % 1300 - 650);

		for (int k = 0; k < 2; k++)
		{
			double		value = dps_ops[DPS_OP_POW].value(x, exponents[k]);
			long double exact = reference[DPS_OP_POW](x, exponents[k]);

			good = good && fabsl(value - exact) <= DPS_LIBM_BOUND(POW) * (long double) (nextafter(value, INFINITY) - value);
		}
	}
	ok(good, "powers with a half are as near as those of pow");
	ok(dps_ops[DPS_OP_POW].value(0, 1.5) == 0 && isnan(dps_ops[DPS_OP_POW].value(0, -0.5)) &&
	   isnan(dps_ops[DPS_OP_POW].value(-1, 1.5)) && isnan(dps_ops[DPS_OP_POW].value(1e300, 1.5)), "and have no value where those have none");
}

/* As comparisons do, angles take a negative zero for 0. */
static void
test_angles_of_zeros(void)
{
	const DpsOp *angle = &dps_ops[DPS_OP_ATAN2];

	ok(angle->value(-0.0, -1) == angle->value(0, -1) && angle->value(0, -1) > 3.14 && angle->value(0, -0.0) == 0 &&
	   angle->value(1, -0.0) == angle->value(1, 0), "angles know no negative zero");
	ok(angle->jumps(dps_iv(-1, 1), dps_iv(-2, -1), DPS_ENTIRE) && angle->jumps(dps_iv(0, 1), dps_iv(-1, 1), DPS_ENTIRE) &&
	   angle->jumps(dps_iv(0, 0), dps_iv(-1, 0), DPS_ENTIRE) && angle->jumps(dps_iv(-1, 0), dps_iv(0, 1), DPS_ENTIRE) &&
	   !angle->jumps(dps_iv(0, 1), dps_iv(-2, -1), DPS_ENTIRE) && !angle->jumps(dps_iv(-1, 1), dps_iv(0.1, 1), DPS_ENTIRE),
	   "they jump where the cut is crossed, and at the origin");
}

/* What singular.c says of the evaluator: quotients by the argument are near 1 down to the least
 * doubles, and near those of long double elsewhere. */
static void
test_like_themselves(void)
{
	bool		good = true;
	int			found = 0;

	for (DpsOpcode code = DPS_OP_FIRST_ROW; code < DPS_OP_COUNT; code++)
	{
		const DpsOp *op = &dps_ops[code];

		if (!(op->flags & DPS_LIKE_ITSELF))
			continue;
		found++;
		for (int i = 0; i < 20000; i++)
		{
			int			exponent = 1 - i % 1075;
			double		t = (i & 1 ? -1 : 1) * ldexp(random_between(1, 2), exponent);
			double		value;

			if (t == 0 || op->defined(dps_iv(t, t), dps_iv(t, t)) != DPS_DEFINED)
				continue;
			value = op->value(t, t) / t;
			if (isnan(value) || !(fabs(value - reference[code](t, t) / (long double) t) <= 0x1p-49 * (1 + fabs(value))) ||
				(exponent < -60 && value != 1))
			{
				diag("%s(%a)", op->name, t);
				good = false;
			}
		}
	}
	ok(good && found == 10, "%d functions are like their argument near 0", found);
}

static void
test_types(void)
{
	static const char *names[] = {"boolean", "smallint", "integer", "bigint", "numeric", "real", "double precision"};
	int			type;

	for (type = DPS_BOOL; type <= DPS_FLOAT8; type++)
		ok(strcmp(dps_type_name(type), names[type]) == 0, "type %s", names[type]);
	ok(dps_type_range(DPS_INT2).lo == -32768 && dps_type_range(DPS_INT4).hi == 2147483647 &&
	   dps_type_range(DPS_INT8).hi == 0x1p53 && dps_type_range(DPS_FLOAT4).hi == FLT_MAX &&
	   dps_type_range(DPS_FLOAT8).lo == -DBL_MAX && dps_type_range(DPS_NUMERIC).hi == DBL_MAX,
	   "ranges of types");
}

int
main(void)
{
	DpsOpcode	code;

	for (code = DPS_OP_FIRST_ROW; code < DPS_OP_COUNT; code++)
		test_row(code);
	test_round_to();
	test_round_decimals();
	test_round_exactly();
	test_round_limits();
	test_choice_enclosures();
	test_settling();
	test_powers_with_a_half();
	test_angles_of_zeros();
	test_like_themselves();
	test_types();
	return done_testing();
}

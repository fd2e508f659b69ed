/*
 * test_profile.c
 *		Profiles of functions of one value: what they say of values, slopes and
 *		bends holds, and is worth having.
 *
 * What they are compared with is MPFR's value of the function, and differences
 * of such values for its derivatives; without MPFR, the enclosures at points.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bound/relax/compound.h"
#include "bound/relax/factor.h"
#include "parse.h"
#include "precise.h"
#include "reference.h"
#include "scarce.h"
#include "tap.h"

#define SAMPLES 24
#define PARTS 50

typedef struct Function
{
	const char *sql;
	double		lo;
	double		hi;
	double		least;			/* known extrema; NAN if they are not */
	double		greatest;
	bool		kinked;			/* where differences are no derivatives */
	bool		integral;		/* of an integer column */
} Function;

/* Greatest and least values are at ends, or where the derivative's zero is
 * known. */
static const Function functions[] = {
	{"exp(x)/(1 + exp(x))^2", -100, 50, 0, 0.25, false, false},
	{"1/(1 + exp(-x))", -50, 700, 0, 1, false, false},
	{"ln(1 + exp(x))", -30, 700, 9.357622968839299e-14, 700, false, false},
	{"x*exp(-(x^2))", -5, 5, -0.42888194248035339, 0.42888194248035339, false, false},
	{"x^3 - x", -1.5, 1.5, -1.875, 1.875, false, false},
	{"x^4 - 8*x^2 + 3*x", -3, 3, -22.13458454351538, 18, false, false},
	{"sin(x)", 0, 1000, -1, 1, false, false},
	{"sin(x)/x", 1, 15, -0.21723362821122166, 0.8414709848078965, false, false},
	{"ln(x)/x", 0.5, 1e300, -1.3862943611198906, 0.36787944117144233, false, false},
	{"atan(1000000000*x)", -1, 1, -1.5707963257948966, 1.5707963257948966, false, false},
	{"1e300*tanh(x)", -20, 20, -1e300, 1e300, false, false},
	{"x^2", -1e150, 1e150, 0, 1e300, false, false},
	{"x^2 + x", -1e-150, 2e-150, -1e-150, 2e-150, false, false},
	{"x/(1 + abs(x))", -1e150, 1e150, -1, 1, true, false},
	{"sqrt(x)", 0, 4, 0, 2, false, false},
	{"sqrt(x)*(2 - x)", 0, 4, -4, 1.0886621079036347, false, false},
	{"asin(x)", -1, 1, -1.5707963267948966, 1.5707963267948966, false, false},
	{"x - x + 3", -1, 1, 3, 3, false, false},
	{"x^2 - 3*x", 2, 2, -2, -2, false, false},
	{"exp(x)", 1, 1.0000000000000002, 2.7182818284590451, 2.7182818284590456, false, false},
	{"abs(x)", -1, 2, 0, 2, true, false},
	{"1 - abs(x)", -1, 2, -1, 1, true, false},
	{"greatest(x, 1 - x)*least(x, 2)", -1, 3, -2, 6, true, false},
	{"CASE WHEN x < 1 THEN -x ELSE x - 5 END", 1, 3, -4, -2, true, false},
	{"CASE WHEN x < 3.5 THEN abs(x)*(2 - x) ELSE floor(x) END", -1, 3, -3, 3, true, false},
	{"exp(x)/(1 + exp(x))^2", -40, 40, 0, 0.25, false, true},
	{"x*(7 - x)*sin(x)", -3, 9, NAN, NAN, false, true},
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Without a finite enclosure, or no range. */
static const Function refused[] = {
	{"sqrt(x - 1)", 0, 2, NAN, NAN, false, false},
	{"sqrt(-1 - x^2)", 0, 2, NAN, NAN, false, false},
	{"ln(x)", 0, 1, NAN, NAN, false, false},
	{"ln(x)", -1, 1, NAN, NAN, false, false},
	{"1/x", -1, 1, NAN, NAN, false, false},
	{"1/x", 0, 1, NAN, NAN, false, false},
	/* only inside, where no segment ends */
	{"1/(x - 0.3)", 0, 1, NAN, NAN, false, false},
	{"x + 1e-12*sqrt(x^2 - 1)", -2, 2, NAN, NAN, false, false},
	{"asin(2*x)", -1, 1, NAN, NAN, false, false},
	{"exp(x)", 0, 1000, NAN, NAN, false, false},
	{"x^3", -1e150, 1e150, NAN, NAN, false, false},
	/* an enclosure does not tell a jump from branches that meet */
	{"floor(x)", 0.5, 7.5, NAN, NAN, true, false},
	{"CASE WHEN x < 1 THEN x ELSE x - 5 END", -1, 3, NAN, NAN, true, false},
	{"CASE WHEN x < 1 THEN x^2 ELSE 2*x - 1 END", -2, 4, NAN, NAN, true, false},
	{"x", -INFINITY, INFINITY, NAN, NAN, false, false},
	{"atan(x)", -INFINITY, 0, NAN, NAN, false, false},
	{"x", 0, INFINITY, NAN, NAN, false, false},
	{"1/(1 + exp(-x))", -INFINITY, 0, NAN, NAN, false, false},
	{"x", NAN, 1, NAN, NAN, false, false},
	{"x", 0, NAN, NAN, NAN, false, false},
};

typedef struct Fixture
{
	DpsArena   *arena;
	const DpsNode *node;
	DpsUnivariate f;
} Fixture;

static bool
set_up_on(Fixture *fixture, const DpsHost *host, const Function *function)
{
	DpsGraph   *graph;
	const DpsNode *gradient[1];
	const DpsNode *outputs[3];
	int			k;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, host) != DPS_OK || dps_graph_init(&graph, fixture->arena) != DPS_OK ||
		dps_graph_add_variable(graph, "x", function->integral ? DPS_INT4 : DPS_FLOAT8, false) != 0)
		return false;
	fixture->node = outputs[0] = dps_as_float8(graph, parse_expression(graph, function->sql));
	for (k = 1; k < 3; k++)
	{
		if (outputs[k - 1] == NULL || dps_gradient(graph, outputs[k - 1], gradient) != DPS_OK)
			return false;
		outputs[k] = dps_together(graph, gradient[0]);
	}
	if (dps_compile(graph, outputs, 3, &fixture->f.program) != DPS_OK)
		return false;
	fixture->f.scratch = dps_arena_alloc(fixture->arena, sizeof(DpsEnclosure) * fixture->f.program->ninstructions);
	fixture->f.arena = fixture->arena;
	fixture->f.domain = dps_arena_alloc(fixture->arena, sizeof(DpsDomain));
	return fixture->f.scratch != NULL && fixture->f.domain != NULL;
}

static bool
set_up(Fixture *fixture, const Function *function)
{
	bool		done = set_up_on(fixture, &tap_host, function);

	if (!done)
		ok(false, "reads %s", function->sql);
	return done;
}

/*
 * Values
 */

#ifdef HAVE_MPFR

/* Is the value in the interval, widened by the slack? */
static bool
is_within(DpsInterval x, mpfr_t value, mpfr_t slack)
{
	mpfr_t		end;
	bool		within;

	mpfr_init2(end, PRECISE_BITS);
	mpfr_sub(end, value, slack, MPFR_RNDN);
	within = mpfr_cmp_d(end, x.hi) <= 0;
	mpfr_add(end, value, slack, MPFR_RNDN);
	within = within && mpfr_cmp_d(end, x.lo) >= 0;
	mpfr_clear(end);
	return within;
}

/* The value at t, less slope * t; false if there is none. */
static bool
value_at(const Fixture *fixture, double t, double slope, mpfr_t value)
{
	mpfr_t		x[1];
	mpfr_t		line;

	mpfr_inits2(PRECISE_BITS, x[0], line, (mpfr_ptr) 0);
	mpfr_set_d(x[0], t, MPFR_RNDN);
	precise_value(value, fixture->node, (const mpfr_t *) x);
	mpfr_set_d(line, slope, MPFR_RNDN);
	mpfr_mul(line, line, x[0], MPFR_RNDN);
	mpfr_sub(value, value, line, MPFR_RNDN);
	mpfr_clears(x[0], line, (mpfr_ptr) 0);
	return mpfr_number_p(value);
}

static bool
contains_value(const Fixture *fixture, DpsInterval range, double t, double slope)
{
	mpfr_t		value;
	mpfr_t		slack;
	bool		contained;

	mpfr_inits2(PRECISE_BITS, value, slack, (mpfr_ptr) 0);
	contained = value_at(fixture, t, slope, value);
	mpfr_abs(slack, value, MPFR_RNDN);
	mpfr_div_2ui(slack, slack, PRECISE_BITS - 200, MPFR_RNDN);
	contained = contained && is_within(range, value, slack);
	mpfr_clears(value, slack, (mpfr_ptr) 0);
	return contained;
}

/* (f(t + h) - f(t - h)) / 2h, or (f(t + h) - 2 f(t) + f(t - h)) / h^2 */
static void
difference(mpfr_t result, const mpfr_t *at, mpfr_t h, int order)
{
	if (order == 1)
	{
		mpfr_sub(result, at[2], at[0], MPFR_RNDN);
		mpfr_div_2ui(result, result, 1, MPFR_RNDN);
	}
	else
	{
		mpfr_add(result, at[2], at[0], MPFR_RNDN);
		mpfr_sub(result, result, at[1], MPFR_RNDN);
		mpfr_sub(result, result, at[1], MPFR_RNDN);
		mpfr_div(result, result, h, MPFR_RNDN);
	}
	mpfr_div(result, result, h, MPFR_RNDN);
}

/*
 * The first and second derivative are differences over h = s 2^-150, which leave
 * out some 2^-300 of what the function is over a distance of s.
 */
static bool
contains_derivatives(const Fixture *fixture, const DpsJet *jet, double t)
{
	double		s = fmax(fabs(t), 0x1p-100);
	mpfr_t		x[1];
	mpfr_t		h;
	mpfr_t		at[3];
	mpfr_t		derivative;
	mpfr_t		slack;
	mpfr_t		more;
	bool		contained = true;
	int			k;

	mpfr_inits2(PRECISE_BITS, x[0], h, at[0], at[1], at[2], derivative, slack, more, (mpfr_ptr) 0);
	mpfr_set_d(h, s, MPFR_RNDN);
	mpfr_div_2ui(h, h, 150, MPFR_RNDN);
	for (k = 0; k < 3; k++)
	{
		mpfr_mul_si(x[0], h, k - 1, MPFR_RNDN);
		mpfr_add_d(x[0], x[0], t, MPFR_RNDN);
		precise_value(at[k], fixture->node, (const mpfr_t *) x);
	}
	mpfr_abs(more, at[1], MPFR_RNDN);
	mpfr_div_2ui(more, more, 280, MPFR_RNDN);
	/* at an end of the domain there may be one side only */
	for (k = 1; k < 3 && mpfr_number_p(at[0]) && mpfr_number_p(at[2]); k++)
	{
		difference(derivative, (const mpfr_t *) at, h, k);
		mpfr_div_d(more, more, s, MPFR_RNDN);
		mpfr_abs(slack, derivative, MPFR_RNDN);
		mpfr_div_2ui(slack, slack, 100, MPFR_RNDN);
		mpfr_add(slack, slack, more, MPFR_RNDN);
		contained = contained && is_within(jet->d[k], derivative, slack);
	}
	mpfr_clears(x[0], h, at[0], at[1], at[2], derivative, slack, more, (mpfr_ptr) 0);
	return contained;
}

#else

/* What is known of the value at a point must not exclude the range. */
static bool
contains_value(const Fixture *fixture, DpsInterval range, double t, double slope)
{
	DpsJet		at;
	DpsInterval value;

	if (!dps_jet(&fixture->f, dps_iv(t, t), &at))
		return false;
	value = dps_iv_sub(at.d[0], dps_iv_mul(dps_iv(slope, slope), dps_iv(t, t)));
	return value.lo <= range.hi && value.hi >= range.lo;
}

static bool
contains_derivatives(const Fixture *fixture, const DpsJet *jet, double t)
{
	DpsJet		at;
	int			k;

	if (!dps_jet(&fixture->f, dps_iv(t, t), &at))
		return false;
	for (k = 1; k < 3; k++)
		if (!(at.d[k].lo <= jet->d[k].hi && at.d[k].hi >= jet->d[k].lo))
			return false;
	return true;
}

#endif

/* A point of the range, often an end or next to it; an integer of an integer
 * column. */
static double
point_of(const Function *function, double lo, double hi)
{
	double		t = random_between(lo, hi);

	switch (random_below(6))
	{
		case 0:
			t = lo;
			break;
		case 1:
			t = hi;
			break;
		case 2:
			t = nextafter(random_below(2) ? lo : hi, lo / 2 + hi / 2);
			break;
		case 3:
			/* over many orders of magnitude */
			t = copysign(exp(random_between(-700, 300)), t);
			break;
		default:
			break;
	}
	t = fmax(lo, fmin(hi, t));
	return function->integral && ceil(lo) <= floor(hi) ? fmax(ceil(lo), fmin(floor(hi), rint(t))) : t;
}

/* The values, slopes and bends of a segment at points of it. */
static bool
segment_holds(const Function *function, const Fixture *fixture, const DpsSegment *s)
{
	int			i;

	if ((s->rise > 0 && !(s->over.d[1].lo >= 0)) || (s->rise < 0 && !(s->over.d[1].hi <= 0)) ||
		(s->bend > 0 && !(s->over.d[2].lo >= 0)) || (s->bend < 0 && !(s->over.d[2].hi <= 0)))
		return false;
	for (i = 0; i < SAMPLES / 4; i++)
	{
		double		t = point_of(function, s->lo, s->hi);

		if (!contains_value(fixture, s->range, t, 0) || !contains_value(fixture, s->over.d[0], t, 0) ||
			(!function->kinked && !contains_derivatives(fixture, &s->over, t)))
		{
			diag("segment [%.17g, %.17g] at %.17g", s->lo, s->hi, t);
			return false;
		}
	}
	return contains_value(fixture, s->at_lo.d[0], s->lo, 0) && contains_value(fixture, s->at_hi.d[0], s->hi, 0);
}

/* Does it rise or fall as it says, as sampled values do? */
static bool
rises_as_said(const Function *function, const Fixture *fixture, const DpsSegment *s)
{
	int			i;

	for (i = 0; i < SAMPLES / 4 && s->rise != 0; i++)
	{
		double		a = point_of(function, s->lo, s->hi);
		double		b = point_of(function, s->lo, s->hi);
		DpsJet		low;
		DpsJet		high;

		if (!dps_jet(&fixture->f, dps_iv(fmin(a, b), fmin(a, b)), &low) ||
			!dps_jet(&fixture->f, dps_iv(fmax(a, b), fmax(a, b)), &high))
			return false;
		if (s->rise > 0 ? low.d[0].lo > high.d[0].hi : low.d[0].hi < high.d[0].lo)
		{
			diag("from %.17g to %.17g", fmin(a, b), fmax(a, b));
			return false;
		}
	}
	return true;
}

static void
test_segments(const Function *function, const Fixture *fixture, const DpsProfile *profile)
{
	bool		joined = profile->domain.lo == function->lo && profile->domain.hi == function->hi && profile->n >= 1 &&
		profile->segment[0].lo == function->lo && profile->segment[profile->n - 1].hi == function->hi;
	bool		holds = true;
	bool		merged = true;
	int			k;

	for (k = 0; k + 1 < profile->n; k++)
	{
		const DpsSegment *s = &profile->segment[k];

		merged = merged && (s->rise == 0 || s->bend == 0 || s[0].rise != s[1].rise || s[0].bend != s[1].bend);
		joined = joined && profile->segment[k].hi == profile->segment[k + 1].lo &&
			profile->segment[k].lo < profile->segment[k].hi;
	}
	ok(joined, "%s on [%g, %g]: %d segments are the whole", function->sql, function->lo, function->hi, profile->n);
	ok(merged, "%s: neighbours differ", function->sql);
	for (k = 0; k < profile->n && holds; k++)
		holds = segment_holds(function, fixture, &profile->segment[k]) &&
			rises_as_said(function, fixture, &profile->segment[k]);
	ok(holds, "%s: what they say is so", function->sql);
}

/*
 * Parts
 */

/* An end of a part: of a segment, next to one, or any. */
static double
some_end(const Function *function, const DpsProfile *profile)
{
	const DpsSegment *s = &profile->segment[random_below(profile->n)];
	double		end = random_below(2) ? s->lo : s->hi;

	switch (random_below(4))
	{
		case 0:
			break;
		case 1:
			end = nextafter(end, random_below(2) ? function->lo : function->hi);
			break;
		default:
			end = point_of(function, function->lo, function->hi);
			break;
	}
	return fmax(function->lo, fmin(function->hi, end));
}

static DpsInterval
some_part(const Function *function, const DpsProfile *profile)
{
	double		a = some_end(function, profile);
	double		b = random_below(6) == 0 ? a : some_end(function, profile);

	if (random_below(10) == 0)
		return dps_iv(function->lo, function->hi);
	return dps_iv(fmin(a, b), fmax(a, b));
}

static double
some_slope(const Fixture *fixture, DpsInterval part)
{
	double		t = random_between(part.lo, part.hi);
	DpsJet		jet;

	switch (random_below(5))
	{
		case 0:
			return 0;
		case 1:
			return random_between(-3, 3);
		case 2:
			return ldexp(random_between(-1, 1), random_below(400) - 200);
		default:
			if (!dps_jet(&fixture->f, dps_iv(t, t), &jet) || !isfinite(jet.d[1].lo))
				return 1;
			return jet.d[1].lo;
	}
}

/* The values of the function, and of what is left beside a line, on a part. */
static bool
part_holds(const Function *function, const Fixture *fixture, DpsInterval part, double slope, DpsInterval range,
		   DpsInterval rest)
{
	int			i;

	for (i = 0; i < SAMPLES; i++)
	{
		double		t = i == 0 ? part.lo : i == 1 ? part.hi : point_of(function, part.lo, part.hi);

		if (!contains_value(fixture, range, t, 0) || !contains_value(fixture, rest, t, slope))
		{
			diag("part [%.17g, %.17g], slope %.17g, at %.17g: [%.17g, %.17g], [%.17g, %.17g]", part.lo, part.hi, slope, t,
				 range.lo, range.hi, rest.lo, rest.hi);
			return false;
		}
	}
	return true;
}

static void
test_parts(const Function *function, const Fixture *fixture, const DpsProfile *profile)
{
	DpsInterval range;
	DpsInterval rest;
	bool		holds = true;
	int			i;

	for (i = 0; i < PARTS && holds; i++)
	{
		DpsInterval part = some_part(function, profile);
		double		slope = some_slope(fixture, part);

		dps_profile_bound(profile, &fixture->f, part, slope, &range, &rest);
		holds = part_holds(function, fixture, part, slope, range, rest);
	}
	ok(holds, "%s: parts of it hold all values", function->sql);
}

static void
test_range(const Function *function, const Fixture *fixture, const DpsProfile *profile)
{
	double		spread = function->greatest - function->least;
	double		size = fmax(fabs(function->greatest), fabs(function->least));
	DpsInterval range;
	DpsInterval rest;

	if (isnan(spread))
		return;
	dps_profile_bound(profile, &fixture->f, dps_iv(function->lo, function->hi), 0, &range, &rest);
	ok(range.lo >= function->least - 1e-6 * spread - 1e-15 * size && range.hi <= function->greatest + 1e-6 * spread + 1e-15 * size,
	   "%s: [%.17g, %.17g] is its range", function->sql, range.lo, range.hi);
	ok(rest.lo <= function->least + 1e-6 * size && rest.hi >= function->greatest - 1e-6 * size,
	   "%s: so is what is left beside a flat line", function->sql);
}

static void
test_functions(void)
{
	size_t		i;

	for (i = 0; i < FUNCTIONS; i++)
	{
		const Function *function = &functions[i];
		Fixture		fixture;
		const DpsProfile *profile;

		if (set_up(&fixture, function))
		{
			if (ok(dps_profile_make(fixture.arena, &fixture.f, dps_iv(function->lo, function->hi), &profile) && profile != NULL, "%s has a profile", function->sql))
			{
				test_segments(function, &fixture, profile);
				test_parts(function, &fixture, profile);
				test_range(function, &fixture, profile);
			}
		}
		dps_arena_clear(fixture.arena);
	}
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		const DpsProfile *profile = NULL;
		Fixture		fixture;

		if (set_up(&fixture, &refused[i]))
			ok(dps_profile_make(fixture.arena, &fixture.f, dps_iv(refused[i].lo, refused[i].hi), &profile) && profile == NULL,
			   "%s on [%g, %g] has none", refused[i].sql, refused[i].lo, refused[i].hi);
		dps_arena_clear(fixture.arena);
	}
}

/*
 * Lines
 */

/* What convex and concave functions keep close to: the chord, the tangents. */
static void
test_bends(void)
{
	static const struct
	{
		const char *sql;
		double		lo;
		double		hi;
		double		slope;
		DpsInterval rest;		/* no wider than this */
	}			cases[] = {
		{"x^2", 0, 2, 2, {-2, 0}},
		{"-(x^2)", 0, 2, -2, {0, 2}},
		{"exp(x)", 0, 1, 1.718281828459045, {0.581, 1}},
		{"sqrt(x)", 1, 4, 0.333333333333333333, {0.66, 0.834}},
		{"1/x", 1, 2, -0.5, {1.333, 1.5}},
		{"x", -5, 9, 1, {-1e-14, 1e-14}},
		/* not differentiable at the end: the chord bounds it on one side */
		{"x - sqrt(x)", 0, 1, 0, {-0.25, 0}},
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Function	function = {cases[i].sql, cases[i].lo, cases[i].hi, NAN, NAN, false, false};
		const DpsProfile *profile;
		DpsInterval range;
		DpsInterval rest;
		Fixture		fixture;

		if (set_up(&fixture, &function) &&
			dps_profile_make(fixture.arena, &fixture.f, dps_iv(function.lo, function.hi), &profile) && profile != NULL)
		{
			dps_profile_bound(profile, &fixture.f, dps_iv(function.lo, function.hi), cases[i].slope, &range, &rest);
			ok(rest.lo >= cases[i].rest.lo - 1e-8 && rest.hi <= cases[i].rest.hi + 1e-8,
			   "%s less %g x is in [%.17g, %.17g]", cases[i].sql, cases[i].slope, rest.lo, rest.hi);
		}
		else
			ok(false, "%s has a profile", cases[i].sql);
		dps_arena_clear(fixture.arena);
	}
}

/* Of a part that rises, the range is what its ends say; of one that turns, what its
 * tangents do. */
static void
test_tight_parts(void)
{
	static const struct
	{
		const char *sql;
		DpsInterval whole;
		DpsInterval part;
		DpsInterval range;		/* no wider than this */
	}			cases[] = {
		{"exp(x)", {0, 1}, {0.25, 0.5}, {1.2840254166877414, 1.6487212707001282}},
		{"-(x^3)", {-1, 2}, {0.5, 1}, {-1, -0.125}},
		{"x^2", {-1, 1}, {0.5, 1}, {0.25, 1}},
		{"x*exp(-(x^2))", {-5, 5}, {0.7, 0.71}, {0.42883841992, 0.42888194249}},
		{"sin(x)", {0, 6}, {1.5, 1.6}, {0.99749, 1.0000001}},
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Function	function = {cases[i].sql, cases[i].whole.lo, cases[i].whole.hi, NAN, NAN, false, false};
		const DpsProfile *profile = NULL;
		DpsInterval range = DPS_ENTIRE;
		DpsInterval rest;
		Fixture		fixture;

		if (set_up(&fixture, &function))
			(void) dps_profile_make(fixture.arena, &fixture.f, cases[i].whole, &profile);
		if (profile != NULL)
			dps_profile_bound(profile, &fixture.f, cases[i].part, 0, &range, &rest);
		ok(range.lo >= cases[i].range.lo - 1e-8 && range.hi <= cases[i].range.hi + 1e-8, "%s on [%g, %g] is in [%.17g, %.17g]",
		   cases[i].sql, cases[i].part.lo, cases[i].part.hi, range.lo, range.hi);
		dps_arena_clear(fixture.arena);
	}
}

/* Lines of a compound, which makes a profile of its own once it is asked often. */
static void
test_lines(void)
{
	size_t		i;

	for (i = 0; i < FUNCTIONS; i++)
	{
		const Function *function = &functions[i];
		DpsCompound c = {0};
		Fixture		fixture;
		bool		holds = true;
		int			lines = 0;
		int			k;

		if (!set_up(&fixture, function))
		{
			dps_arena_clear(fixture.arena);
			continue;
		}
		c.f = fixture.f;
		for (k = 0; k < 2 * PARTS && holds; k++)
		{
			double		a = point_of(function, function->lo, function->hi);
			double		b = point_of(function, function->lo, function->hi);
			DpsInterval part = dps_iv(fmin(a, b), fmax(a, b));
			DpsInterval rest;
			DpsInterval range;
			double		slope;

			if (!dps_compound_line(fixture.arena, &c, part, &slope, &rest, &range))
				continue;
			lines++;
			holds = part.lo < part.hi && part_holds(function, &fixture, part, slope, range, rest);
		}
		ok(holds && (lines > 0 || function->hi <= nextafter(function->lo, INFINITY) || isinf(function->hi)),
		   "%s: %d lines, %d profiles", function->sql, lines, c.profiled);
		dps_arena_clear(fixture.arena);
	}
}

/*
 * The host
 */

static void
test_host(void)
{
	Scarce		scarce;
	DpsHost		host = scarce_host(&scarce);
	const DpsProfile *profile = NULL;
	const Function *function = &functions[6];
	Fixture		fixture;
	bool		right = true;
	long		n;

	for (n = 0; n < 1000 && profile == NULL; n++)
	{
		scarce = (Scarce) {.left = n, .once = true};
		if (set_up_on(&fixture, &host, function))
			right = dps_profile_make(fixture.arena, &fixture.f, dps_iv(function->lo, function->hi), &profile) ==
				(profile != NULL) && right;
		dps_arena_clear(fixture.arena);
		right = right && scarce.held == 0;
	}
	ok(right && profile != NULL, "each of %ld allocations may fail, and none leaks", n - 1);
	host = tap_host;
	host.should_stop = always_stop;
	if (set_up_on(&fixture, &host, function))
		ok(!dps_profile_make(fixture.arena, &fixture.f, dps_iv(function->lo, function->hi), &profile) && profile == NULL,
		   "stops when asked to");
	dps_arena_clear(fixture.arena);
}

int
main(void)
{
#ifndef HAVE_MPFR
	diag("without MPFR: values are compared with enclosures at points");
#endif
	test_functions();
	test_bends();
	test_tight_parts();
	test_lines();
	test_host();
#ifdef HAVE_MPFR
	mpfr_free_cache();
#endif
	return done_testing();
}

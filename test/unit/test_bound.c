/*
 * test_bound.c
 *		Bounds hold, refusals name a culprit, and nothing leaks.
 *
 * Files: bound/search/search.c, bound/search/search_box.c, bound/search/search_climbs.c,
 * bound/search/search_cut.c, bound/search/search_forms.c, bound/search/search_points.c,
 * bound/search/search_refusal.c, bound/search/search_setup.c, bound/search/search_slabs.c,
 * bound/search/box_queue.c, bound/search/local.c, bound/quantity/jump.c,
 * bound/quantity/lift_conditions.c, bound/quantity/norm_slopes.c, bound/quantity/period.c,
 * bound/quantity/reduce.c, bound/quantity/orthants.c, bound/affine_node.c, expr/boundary/boundary.c,
 * expr/boundary/boundary_formula.c, expr/boundary/formula.c,
 * expr/tip.c, expr/singular.c, expr/removable.c, expr/filled.c.
 */
#include <float.h>
#include <math.h>

#include "bound/quantity/bound.h"
#include "bound/relax/contract.h"
#include "bound/relax/parabola.h"
#include "bound/relax/quadratic.h"
#include "expr/enclose.h"
#include "parse.h"
#include "scarce.h"
#include "tap.h"

#define MAX_COLUMNS 6

typedef struct Column
{
	const char *name;
	DpsType		type;
	double		lo;
	double		hi;
	bool		nullable;
} Column;

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	DpsDomain	box[MAX_COLUMNS];
	DpsPolicy	policy;
} Fixture;

/* Private columns are all but those whose name begins with p. */
static bool
set_up_on(Fixture *fixture, const DpsHost *host, const Column *columns, const char *sql)
{
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, host) != DPS_OK ||
		dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	for (j = 0; j < MAX_COLUMNS && columns[j].name != NULL; j++)
	{
		(void) dps_graph_add_variable(fixture->graph, columns[j].name, columns[j].type, columns[j].nullable);
		fixture->box[j].lo = columns[j].lo;
		fixture->box[j].hi = columns[j].hi;
		fixture->box[j].nullness = columns[j].nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
		fixture->box[j].integral = dps_type_is_integer(columns[j].type);
		if (columns[j].name[0] != 'p')
			fixture->policy.private_variables |= UINT64_C(1) << j;
	}
	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		fixture->policy.weights[j] = 1.0;
	fixture->node = parse_expression(fixture->graph, sql);
	return fixture->node != NULL;
}

static bool
set_up(Fixture *fixture, const Column *columns, const char *sql)
{
	return ok(set_up_on(fixture, &tap_host, columns, sql), "reads %s", sql);
}

static void
show(const DpsBracket *bracket)
{
	diag("%s [%.17g, %.17g] at %.17g, %.17g; %llu boxes", dps_status_name(bracket->status),
		 bracket->lower, bracket->upper, bracket->witness.x[0], bracket->witness.x[1],
		 (unsigned long long) bracket->boxes);
}

#define F8(name, lo, hi) {name, DPS_FLOAT8, lo, hi, false}
#define F8N(name, lo, hi) {name, DPS_FLOAT8, lo, hi, true}
#define I4(name, lo, hi) {name, DPS_INT4, lo, hi, false}
#define I4N(name, lo, hi) {name, DPS_INT4, lo, hi, true}

/*
 * Known values
 */

typedef enum Quantity
{
	INFIMUM,
	SUPREMUM,
	METRIC,
	METRIC_L1,
	METRIC_LINF,
	SLOPE,						/* of the first column */
	ATTRIBUTE,					/* the first column */
	PARTIAL_INFIMUM,
	PARTIAL_SUPREMUM
} Quantity;

static const char *const quantity_names[] = {"infimum", "supremum", "metric", "metric_l1",
"metric_linf", "slope", "attribute", "infimum of rows with a value", "supremum of rows with a value"};

static DpsStatus
bound(Fixture *fixture, Quantity quantity, const DpsBoundOptions *options, DpsBracket *bracket)
{
	switch (quantity)
	{
		case INFIMUM:
			return dps_infimum(fixture->graph, fixture->node, fixture->box, options, bracket);
		case SUPREMUM:
			return dps_supremum(fixture->graph, fixture->node, fixture->box, options, bracket);
		case PARTIAL_INFIMUM:
			return dps_partial_infimum(fixture->graph, fixture->node, fixture->box, options, bracket);
		case PARTIAL_SUPREMUM:
			return dps_partial_supremum(fixture->graph, fixture->node, fixture->box, options, bracket);
		case SLOPE:
			return dps_slope(fixture->graph, fixture->node, fixture->box, 0, options, bracket);
		case ATTRIBUTE:
			return dps_attribute(fixture->graph, fixture->node, fixture->box, 0, options, bracket);
		default:
			return dps_lipschitz(fixture->graph, fixture->node, fixture->box, &fixture->policy,
								 quantity == METRIC ? DPS_NORM_2 : quantity == METRIC_L1 ? DPS_NORM_1 :
								 DPS_NORM_INFINITY, options, bracket);
	}
}

static const struct
{
	const char *sql;
	Quantity	quantity;
	double		value;
	Column		columns[MAX_COLUMNS];
}			known[] =
{
	{"42", SUPREMUM, 42, {F8("x", 0, 1)}},
	{"42", METRIC, 0, {F8("x", 0, 1)}},
	{"x - x", SUPREMUM, 0, {F8("x", -3, 5)}},
	/* poles, overflow, NULL */
	{"1/(x^2 + y^2)", PARTIAL_INFIMUM, 0.5, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"1/x", PARTIAL_INFIMUM, 0.25, {F8("x", 0, 4)}},
	{"exp(x)", PARTIAL_INFIMUM, 1, {F8("x", 0, 800)}},
	{"ln(x)*y", PARTIAL_SUPREMUM, 0, {F8("x", 0, 1), F8("y", 0.5, 2)}},
	{"sqrt(x) - coalesce(y, 1)", PARTIAL_SUPREMUM, 2, {F8("x", -1, 4), F8N("y", 0, 1)}},
	{"CASE WHEN y > 0 THEN NULL ELSE 1/x END", PARTIAL_INFIMUM, 0.25, {F8("x", 0, 4), F8("y", -1, 1)}},
	/* degenerate ranges */
	{"x^2*y", SUPREMUM, 12, {F8("x", 2, 2), F8("y", 0, 3)}},
	{"x^2*y", SUPREMUM, 12, {F8("x", 2, 2), F8("y", 3, 3)}},
	{"x^2*y", ATTRIBUTE, 0, {F8("x", 2, 2), F8("y", 0, 3)}},
	{"x", SUPREMUM, 3, {F8("x", 3, 3)}},
	{"x + 0*y", INFIMUM, 2, {F8("x", 2, 3), F8("y", -1e300, 1e300)}},
	{"x", ATTRIBUTE, 1, {F8("x", 2, 3), F8("y", 0, 1)}},
	/* roots with a tip */
	{"sqrt(x^2 + y^2)", METRIC, 1, {F8("x", -1, 2), F8("y", -1, 1)}},
	{"sqrt(x^2 + y^2)", METRIC_L1, 1.4142135623730951, {F8("x", -1, 2), F8("y", -1, 1)}},
	{"sqrt(x^2 + y^2)", METRIC_LINF, 1, {F8("x", -1, 2), F8("y", -1, 1)}},
	{"sqrt(x^2 + y^2)", SLOPE, 1, {F8("x", 0, 2), F8("y", 0, 1)}},
	{"sqrt(x^2 + 2*y^2 + 3*z^2)", METRIC, 1.7320508075688772, {F8("x", -1, 2), F8("y", -1, 1), F8("z", 0, 1)}},
	{"sqrt((x - y)^2 + (z - 1)^2)", METRIC, 1.4142135623730951, {F8("x", -1, 1), F8("y", 0, 2), F8("z", 0, 3)}},
	{"sqrt(x^2 + y^2)", METRIC, 1, {F8N("x", -1, 2), F8N("y", -1, 1)}},
	{"sqrt(x^2*p + y^2)", METRIC, 2, {F8("x", -1, 2), F8("y", -1, 1), F8("p", 0, 4)}},
	{"sqrt(x^2 + y^2) + abs(x)", METRIC, 2, {F8("x", -1, 2), F8("y", -1, 1)}},
	{"x - 2*y", METRIC, 2.2360679774997898, {F8("x", 5, 5), F8("y", 0, 0), F8("z", -1, 1)}},
	{"7 - 3", METRIC, 0, {F8("x", -1e300, 1e300)}},
	{"floor(x/10)*10", SUPREMUM, 40, {I4("x", 41, 41)}},
	/* arcs on a sphere, also where both places are the same one */
	{"asin(sin(x)*sin(y) + cos(x)*cos(y)*cos(z))", METRIC, 1.4142135623730951, {F8("x", 0.6, 1.1), F8("y", -0.409, 0.409), F8("z", -3.1416, 3.1416)}},
	{"asin(sin(x)*sin(y) + cos(x)*cos(y)*cos(z))", SLOPE, 1, {F8("x", 0.6, 1.1), F8("y", -0.409, 0.409), F8("z", -3.1416, 3.1416)}},
	{"asin(sin(x)*sin(y) + cos(x)*cos(y)*cos(z))", SLOPE, 0.8253356149096783, {F8("z", -3.1416, 3.1416), F8("x", 0.6, 1.1), F8("y", -0.409, 0.409)}},
	{"acos(least(1, greatest(-1, sin(x)*sin(y) + cos(x)*cos(y)*cos(z - w))))", METRIC, 1.4142135623730951,
	{F8("x", 0.7, 1.1), F8("y", 0.7, 1.1), F8("z", 0, 0.4), F8("w", 0, 0.4)}},
	{"6371*acos(least(1, greatest(-1, sin(x*pi()/180)*sin(y*pi()/180) + cos(x*pi()/180)*cos(y*pi()/180)*cos(z*pi()/180 - w*pi()/180))))",
	SLOPE, 111.19492664455873, {F8("x", 40, 60), F8("y", 40, 60), F8("z", 0, 20), F8("w", 0, 20)}},
	{"acos(least(1, greatest(-1, sin(0.9)*sin(x) + cos(0.9)*cos(x)*cos(y - 0.4))))", METRIC, 1, {F8("x", 0.5, 1.2), F8("y", 0, 1)}},
	{"y*acos(least(1, greatest(-1, sin(0.9)*sin(x) + cos(0.9)*cos(x)*cos(z))))", SLOPE, 2, {F8("x", 0.5, 1.2), F8("y", -1, 2), F8("z", -0.1, 0.1)}},
	/* slopes that vanish inside, of first and of higher order */
	{"(x - 0.3)^2", INFIMUM, 0, {F8("x", -1, 1)}},
	{"1 - (x^3 - y)^4", SUPREMUM, 1, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"x^3 - 3*x", SUPREMUM, 2, {F8("x", -1.9, 1.9)}},
	{"x^4*(1 - x)^4 + y^6", INFIMUM, 0, {F8("x", -0.5, 1.5), F8("y", -1, 1)}},
	/* huge and tiny ranges */
	{"x", ATTRIBUTE, 2e300, {F8("x", -1e300, 1e300)}},
	{"x - y", METRIC, 1.4142135623730951, {F8("x", -1e300, 1e300), F8("y", -1e300, 1e300)}},
	{"exp(-(x^2))", SUPREMUM, 1, {F8("x", -26, 1e-300)}},
	{"x*1e300", SUPREMUM, 1, {F8("x", -1e-300, 1e-300)}},
	{"x + 1", INFIMUM, 1, {F8("x", 1e-300, 2e-300)}},
	{"x/(1 + x^2)", SUPREMUM, 0.5, {F8("x", -1e100, 1e100)}},
	{"x/2", SUPREMUM, 5e299, {F8("x", -1e300, 1e300)}},
	{"x^2", SUPREMUM, 1e-320 * 0, {F8("x", 0, 1e-300)}},
	{"x*1.5", METRIC, 1.5, {F8("x", -1e-300, 1e-300)}},
	{"1e200*x + 1e200*y", METRIC, 1.4142135623730951e200, {F8("x", 0, 1), F8("y", 0, 1)}},
	{"1e-200*x + 1e-200*y", METRIC, 1.4142135623730951e-200, {F8("x", 0, 1), F8("y", 0, 1)}},
	{"1/x", SUPREMUM, 1e300, {F8("x", 1e-300, 1)}},
	/* one period for all, but of integers, of what has none, and of two that are none of each other's */
	{"y*(1 + 0.3*sin(2*pi()*x/365.25) + 0.1*cos(4*pi()*x/365.25))", ATTRIBUTE, 6.125, {F8("x", -36525, 0), F8("y", 0, 10)}},
	{"sin(x) + cos(x/3)", INFIMUM, -1.8787068501198949, {F8("x", -50, 50)}},
	{"cos(16*x)", INFIMUM, -1, {F8("x", 0, 0.3)}},
	/* greatest, and least, near the end of the period alone */
	{"cos(2*x + 0.1)", SUPREMUM, 1, {F8("x", 0, 4)}},
	{"cos(x/10 + 0.01)", SUPREMUM, 1, {F8("x", 0, 1000)}},
	{"cos(2*x - 0.1)*y", INFIMUM, -3, {F8("x", -7, -1.53), F8("y", 0, 3)}},
	{"sin(x) + cos(x/3)", INFIMUM, -1.8787068501198949, {F8("x", -90, -70)}},
	/* orthants */
	{"(x + y)/(1 + abs(x) + abs(y))", SUPREMUM, 1, {F8("x", -1e300, 1e300), F8("y", -1e300, 1e300)}},
	{"(x + y)/(1 + abs(x) + abs(y))", INFIMUM, -1, {F8("x", -1e300, 1e300), F8("y", -1e300, 1e300)}},
	{"x*abs(y) - y*abs(x)", SUPREMUM, 20, {F8("x", -2, 5), F8("y", -2, 4)}},
	/* shares of sums */
	{"e + (m - e)*x^h/(k^h + x^h)", ATTRIBUTE, 36.305902978529964,
	{F8("h", 0.5, 4), F8("x", 0.01, 100), F8("k", 0.1, 50), F8("e", 0, 10), F8("m", 20, 100)}},
	{"e + (m - e)*x^h/(k^h + x^h)", ATTRIBUTE, 99.999998,
	{F8("x", 0.01, 100), F8("h", 0.5, 4), F8("k", 0.1, 50), F8("e", 0, 10), F8("m", 20, 100)}},
	{"exp(x)/(exp(x) + exp(y) + exp(z))", ATTRIBUTE, 0.98661429815142985, {F8("x", -5, 5), F8("y", -5, 5), F8("z", -5, 5)}},
	{"1/(1 + t^h)", ATTRIBUTE, 0.36305902978529964, {F8("h", 0.5, 4), F8("t", 0.001, 5000)}},
	{"CASE WHEN cos(x) > 0 THEN tan(x/2)^2 ELSE 0 END", SUPREMUM, 1, {F8("x", 0, 100)}},
	{"cos(2*pi()*k/7)", INFIMUM, -0.90096886790243428, {I4("k", 0, 1000)}},
	{"sin(x) + x", SUPREMUM, 99.493634358890241, {F8("x", 0, 100)}},
	{"cos(x - y)*sin(y)", ATTRIBUTE, 2, {F8("x", 0, 30), F8("y", 0, 30)}},
	{"cos(x) + cos(sqrt(2)*x)", INFIMUM, -1.9916984306630597, {F8("x", 0, 20)}},
	/* bounded values with unbounded slopes */
	{"sqrt(x)", SUPREMUM, 2, {F8("x", 0, 4)}},
	{"sqrt(x)", ATTRIBUTE, 2, {F8("x", 0, 4)}},
	/* a guard against what is undefined */
	{"CASE WHEN x > 0 THEN 1/x ELSE 0 END", INFIMUM, 0.25, {F8("x", 1, 4)}},
	{"CASE WHEN x = 0 THEN 0 ELSE 1/x END", SUPREMUM, 1, {I4("x", -3, 3)}},
	{"CASE WHEN x > 0 THEN sqrt(x) ELSE 0 END", SUPREMUM, 1, {F8("x", -1.3, 1)}},
	{"CASE WHEN x > 0 THEN x*ln(x) ELSE 0 END", INFIMUM, -0.36787944117144233, {F8("x", 0, 1)}},
	{"CASE WHEN x > 0 THEN x*ln(x) ELSE 0 END", SUPREMUM, 0, {F8("x", 0, 1)}},
	{"CASE WHEN x = 0 THEN 0 ELSE -x*log(x) END", SUPREMUM, 0.15976801130640925, {F8("x", 0, 3)}},
	{"CASE WHEN x = 0 THEN 0 ELSE x*ln(x) END", SUPREMUM, 3.295836866004329, {F8("x", 0, 3)}},
	{"CASE WHEN x = 0 THEN 1 ELSE sin(x)/x END", INFIMUM, -0.21723362821122166, {F8("x", -20, 30)}},
	{"CASE WHEN x <> 0 THEN tan(x)/x END", SUPREMUM, 1.5574077246549023, {F8("x", -1, 0.5)}},
	{"CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1)/x END", INFIMUM, 0.63212055882855767, {F8("x", -1, 1)}},
	{"CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1)/x END", SUPREMUM, 1.7182818284590452, {F8("x", -1, 1)}},
	{"CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1)/x END", ATTRIBUTE, 2, {F8("x", 0, 1.9038136944403834)}},
	{"CASE WHEN x > 0 THEN (1 - exp(-x))/x ELSE 1 END", INFIMUM, 0.01, {F8("x", -1, 100)}},
	{"CASE WHEN x <> 0 THEN (exp(-x) - 1)/x ELSE -1 END", SUPREMUM, -0.63212055882855767, {F8("x", -1, 1)}},
	{"CASE WHEN x <> 0 THEN ln(1 + x)/x ELSE 1 END", SUPREMUM, 1.3862943611198906, {F8("x", -0.5, 1)}},
	{"CASE WHEN x <> 0 THEN -ln(1 - x)/x ELSE 1 END", INFIMUM, 0.69314718055994529, {F8("x", -1, 0.5)}},
	{"CASE WHEN x <> 0 THEN atan(-x)/x ELSE -1 END", SUPREMUM, -0.7853981633974483, {F8("x", -1, 1)}},
	{"CASE WHEN y < x THEN (1 - exp(-x))/x ELSE 1 END", INFIMUM, 0.63212055882855767, {F8("x", -1, 1), F8("y", 0, 0)}},
	/* multiples of them, and their slopes: functions without a gap */
	{"CASE WHEN x <> 0 THEN sin(x)/x ELSE 1 END", SUPREMUM, 1, {F8N("x", 2, 3)}},
	{"CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1)/x END", METRIC, 1, {F8("x", -1, 1)}},
	{"CASE WHEN x = 0 THEN 1 ELSE (exp(x) - 1)/x END", SLOPE, 1, {F8("x", -1, 1)}},
	{"CASE WHEN x <> 0 THEN sin(x)/x ELSE 1 END", METRIC, 0.43618181727145850, {F8("x", -20, 30)}},
	{"CASE WHEN x = 0 THEN 2 ELSE 2*sin(x)/x END", SUPREMUM, 2, {F8("x", -2, 2)}},
	{"CASE WHEN x = 0 THEN 2 ELSE sin(2*x)/x END", METRIC, 1.7447272690858340, {F8("x", -2, 2)}},
	{"CASE WHEN abs(2*x) > 0 THEN sin(2*x)/(2*x) ELSE 1 END", SUPREMUM, 1, {F8("x", -2, 2)}},
	{"CASE WHEN x = 0 THEN 0.5 ELSE (1 - cos(x))/x^2 END", INFIMUM, 0.35403670913678559, {F8("x", -2, 2)}},
	{"CASE WHEN x = 0 THEN 0.5 ELSE (1 - cos(x))/x^2 END", SLOPE, 0.12671235243036517, {F8("x", -2, 2)}},
	{"CASE WHEN x = 0 THEN 0 ELSE (cos(3*x) - 1)/x END", METRIC, 4.5, {F8("x", -0.5, 0.5)}},
	{"CASE WHEN x <> 0 THEN -3*ln(1 - x)/x ELSE 3 END", INFIMUM, 2.0794415416798357, {F8("x", -1, 0.5)}},
	{"CASE WHEN x = 0 THEN 0.25 ELSE ln(1 + x/4)/x END", METRIC, 0.07671320486001366, {F8("x", -2, 2)}},
	{"CASE WHEN x > 0 THEN (1 - exp(-y*x))/x ELSE y END", METRIC, 450.00111110973937, {F8("x", 0, 0.2), F8("y", 0, 30)}},
	{"CASE WHEN x > 0 THEN (1 - exp(-y*x))/x ELSE y END", SUPREMUM, 30, {F8("x", 0, 0.2), F8("y", 0, 30)}},
	{"CASE WHEN x <> 0 AND 0 < y THEN (exp(x*y) - 1)/(x*y) ELSE 1 END", SUPREMUM, 1.7182818284590452, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"least(x/y, 1)^(-0.3)*greatest(x/y, 1)^(-1.2)", SLOPE, 1.7142857142857142, {F8("x", 0.3, 10), F8("y", 0.7, 0.9)}},
	{"greatest(x/y, 1) - greatest(x/y, 2)", SLOPE, 1.4285714285714286, {F8("x", 0.3, 10), F8("y", 0.7, 0.9)}},
	{"greatest(x/y, 1) - greatest(y/x, 1)", SLOPE, 10, {F8("x", 0.3, 10), F8("y", 0.7, 0.9)}},
	{"CASE WHEN 0 < x THEN atan(x)/x ELSE 1 END", INFIMUM, 0.7853981633974483, {F8("x", -1, 1)}},
	{"CASE WHEN abs(x) > 1e-150 THEN exp(-1/x^2) ELSE 0 END", INFIMUM, 0, {F8("x", -1, 1)}},
	{"CASE WHEN abs(x) > 1e-300 THEN atan(1/x) ELSE 0 END", SUPREMUM, 1.5707963267948966, {F8("x", -1, 1)}},
	{"CASE WHEN x >= 0.1 THEN 1/x ELSE 0 END", SUPREMUM, 10, {F8("x", -1, 1)}},
	/* angles at the cut and at the origin */
	{"atan2(x, y)", INFIMUM, 0, {F8("x", 0, 1), F8("y", 0, 1)}},
	{"atan2(x, y)", SUPREMUM, 1.5707963267948966, {F8("x", 0, 1), F8("y", 0, 1)}},
	{"atan2(x, y)", ATTRIBUTE, 1.5707963267948966, {F8("x", 0, 1), F8("y", 0, 1)}},
	{"atan2(x, 0)", INFIMUM, -1.5707963267948966, {F8("x", -1, 1)}},
	{"atan2(x, 0)", ATTRIBUTE, 3.1415926535897931, {F8("x", -1, 1)}},
	{"atan2(0, x)", ATTRIBUTE, 3.1415926535897931, {F8("x", -1, 1)}},
	{"atan2(0, x)", SUPREMUM, 0, {F8("x", 0, 1)}},
	{"atan2(x, y)", METRIC, 1, {F8("x", 0, 1), F8("y", -2, -1)}},
	{"CASE WHEN x <= 0 THEN 0 ELSE ln(1 + x) END", SUPREMUM, 0.69314718055994529, {F8("x", -1.3, 1)}},
	{"CASE WHEN x <= 0 THEN 0 ELSE ln(1 + x) END", METRIC, 1, {F8("x", -1.3, 1)}},
	{"CASE WHEN x - y >= 0 AND y > 1 THEN sqrt(x - y)*ln(y) ELSE 0 END", SUPREMUM, 1.5607392633715118, {F8("x", -1, 5), F8("y", -1, 4)}},
	{"CASE WHEN x > y AND y > z THEN x - z ELSE 0 END", INFIMUM, 0, {F8("x", 0, 9), F8("y", 0, 9), F8("z", 0, 9)}},
	{"CASE WHEN x >= y THEN CASE WHEN z <= y THEN sqrt(x - z) ELSE 1 END ELSE 2 END", SUPREMUM, 3, {F8("x", 0, 9), F8("y", 0, 9), F8("z", 0, 9)}},
	/* conditions that hold at one end only; what they do not depend on is monotone */
	{"x*y*CASE WHEN z > 0 THEN 0.85 ELSE 1 END", SUPREMUM, 200, {F8("x", 1, 10), F8("y", 1, 20), F8("z", 0, 1)}},
	{"x/y*CASE WHEN z <= 0 THEN 1 ELSE 0.85 END", SUPREMUM, 100, {F8("x", 1, 10), F8("y", 0.1, 20), F8("z", 0, 1)}},
	{"x*CASE WHEN z > 0 THEN 0.5 ELSE 1 END/y", ATTRIBUTE, 9, {F8("x", 1, 10), F8("y", 1, 2), F8("z", 0, 1)}},
	{"CASE WHEN z > 0 THEN 0.5 ELSE 1 END*y/x", ATTRIBUTE, 1.8, {F8("x", 1, 10), F8("y", 1, 2), F8("z", 0, 1)}},
	{"floor(z)*x/y", SUPREMUM, 30, {F8("x", 1, 10), F8("y", 1, 20), F8("z", 0, 3)}},
	{"CASE WHEN x > 0 THEN y ELSE -y END", SUPREMUM, 5, {F8("x", -1, 1), F8("y", -5, 3)}},
	{"CASE WHEN x*y > 4 THEN 0 ELSE x + y END", SUPREMUM, 5, {F8("x", 1, 4), F8("y", 1, 4)}},
	{"CASE WHEN k > 0 THEN 1/sqrt(k) ELSE 0 END", SUPREMUM, 1, {I4("k", -9, 9)}},
	/* jumps are no hindrance to extrema, and are not attained */
	{"CASE WHEN x < 5 THEN x ELSE 0 END", SUPREMUM, 5, {F8("x", 0, 10)}},
	{"floor(x)", SUPREMUM, 3, {F8("x", 0.5, 3.5)}},
	{"CASE WHEN x < 5 THEN x ELSE 0 END", ATTRIBUTE, 5, {F8("x", 0, 10)}},
	/* what depends on public columns may jump */
	{"x*CASE WHEN p > 0 THEN 2 ELSE 3 END", METRIC, 3, {F8("x", 0, 10), F8("p", -1, 1)}},
	{"x*floor(p)", METRIC, 4, {F8("x", 0, 10), F8("p", -3.5, 2)}},
	{"x*p", METRIC, 7, {F8("x", -1, 1), F8("p", -7, 2)}},
	{"p^2", METRIC, 0, {F8("x", -1, 1), F8("p", -7, 2)}},
	/* a condition that is decided, after a few cuts */
	{"CASE WHEN x*x - 2*x + 5 > y THEN 3*x ELSE 9*x END", METRIC, 3, {F8("x", -4, 4), F8("y", 0, 3)}},
	/* kinks */
	{"abs(x) + 2*abs(y)", METRIC_L1, 3, {F8("x", -1, 1), F8("y", -1, 2)}},
	{"greatest(x, 2*y)", METRIC, 2, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"greatest(0, x - 100)*0.3 + least(x, 100)*0.1", METRIC, 0.3, {F8("x", 0, 1000)}},
	{"greatest(0, x - p)*0.3 + least(x, p)*0.1", METRIC, 0.3, {F8("x", 0, 1000), F8("p", 0, 500)}},
	{"0.2*greatest(0, least(x, 5000) - 1000) + 0.4*greatest(0, x - 5000)", METRIC, 0.4, {F8("x", 0, 25000)}},
	{"least(x, y) + x", METRIC_LINF, 2, {F8("x", -1, 1), F8("y", -1, 1)}},
	/* what has no sign has no magnitude of its own */
	{"ln(exp(x) + exp(y) + exp(z))", METRIC_L1, 1, {F8("x", -9, 9), F8("y", -9, 9), F8("z", -9, 9)}},
	/* at a kink the derivatives of either side, and not their sum */
	{"least(x/0.7, 1)^(-0.3)*greatest(x/0.7, 1)^(-1.2)", SLOPE, 1.7142857142857144, {F8("x", 0.5, 2)}},
	{"least(k, 5) + 3*greatest(k, 5)", SLOPE, 3, {I4("k", 0, 9)}},
	/* tariffs of integers */
	{"2*greatest(0, least(k, 115) - 95) + 2.2*greatest(0, least(k, 135) - 115) + 2.5*greatest(0, least(k, 155) - 135) + 3*greatest(0, k - 155)",
	METRIC, 3, {I4("k", 60, 400)}},
	{"2*greatest(0, least(k, m) - 95) + 2.2*greatest(0, k - m)", METRIC, 2.2090722034374522, {I4("k", 60, 400), I4("m", 100, 120)}},
	/* conditions at whose boundary the branches meet */
	{"CASE WHEN x <= 0 THEN 0 ELSE x END", METRIC, 1, {F8("x", -1, 2)}},
	{"CASE WHEN x <= 0 THEN 0 ELSE x END", METRIC, 1, {F8N("x", -1, 2)}},
	{"CASE WHEN x >= 10000 AND x < 50000 THEN 0.2*(x - 10000) WHEN x < 10000 THEN 0 ELSE 8000 + 0.4*(x - 50000) END",
	METRIC, 0.4, {F8("x", 0, 200000)}},
	{"CASE WHEN x <= 0.3 THEN 0 WHEN x <= 0.7 THEN 3*x - 0.9 ELSE 1.2 + (x - 0.7) END", METRIC, 3, {F8("x", 0, 1)}},
	{"CASE WHEN 0.1*x <= 0.3 THEN 0.3 ELSE 0.1*x END", METRIC, 0.1, {F8("x", 0, 10)}},
	{"CASE WHEN x <= y THEN x*y ELSE y^2 + 2*(x - y) END", METRIC, 2.8284271247461903, {F8("x", 0, 2), F8("y", 0, 2)}},
	{"CASE WHEN x <= 5 THEN x*y ELSE 5*y + (x - 5)*y END", METRIC, 10.198039027185569, {F8("x", 0, 10), F8("y", 0, 2)}},
	{"CASE WHEN x <= 5 OR p > 3 THEN least(x, 5) ELSE 10 - x END", METRIC, 1, {F8("x", 0, 10), F8("p", 0, 6)}},
	{"CASE WHEN x = 0 THEN 0 ELSE 3*x END", METRIC, 3, {F8("x", -1, 1)}},
	{"CASE WHEN x <= 5 THEN coalesce(z, 1) ELSE coalesce(z, 1) + x - 5 END", METRIC, 1.4142135623730951,
	{F8("x", 0, 10), F8N("z", 0, 1)}},
	{"CASE WHEN p > 2 THEN 7 WHEN x < 1 THEN x ELSE 2 - x END", METRIC, 1, {F8("x", 0, 10), F8("p", 0, 6)}},
	/* ... which is curved */
	{"CASE WHEN x*x <= 4 THEN x*x ELSE 4 END", METRIC, 4, {F8("x", -3, 3)}},
	{"CASE WHEN 4 < x*x THEN 8 - x*x ELSE x*x END", METRIC, 6, {F8("x", -3, 3)}},
	{"CASE WHEN x*x + y*y <= 1 THEN 0 ELSE x*x + y*y - 1 END", METRIC, 5.6568542494923806, {F8("x", -2, 2), F8("y", -2, 2)}},
	{"CASE WHEN x*y > 6 THEN x*y ELSE 6 END", METRIC, 5.6568542494923806, {F8("x", 0, 4), F8("y", 0, 4)}},
	{"CASE WHEN x*x*x <= y THEN x*y ELSE x*x*x*x END", METRIC, 32, {F8("x", -2, 2), F8("y", -9, 9)}},
	{"CASE WHEN sin(x) <= y THEN sin(x) ELSE y END", METRIC, 1, {F8("x", -3, 3), F8("y", -1, 1)}},
	{"CASE WHEN exp(x) <= 2 THEN 0 ELSE 3*exp(x) - 6 END", METRIC, 8.1548454853771357, {F8("x", -1, 1)}},
	/* ... and is so by the difference as it is written alone, in numerators as well */
	{"CASE WHEN x > 0.2*(25400.0/y - 254) THEN (x - 0.2*(25400.0/y - 254))^2/(x + 0.8*(25400.0/y - 254)) ELSE 0 END", METRIC,
	4.1349046376943885, {F8("x", 0, 300), F8("y", 40, 98)}},
	{"CASE WHEN 1/y > x THEN 3 ELSE (x - 1/y)/(2 + x) + 3 END", METRIC, 0.47140452079103168, {F8("x", 0, 2), F8("y", 1, 2)}},
	/* functions of constants, up to what is known of them */
	{"CASE WHEN abs(x) < 10 THEN 10*ln(1 + abs(x)/2) ELSE abs(x) - (10 - 10*ln(6)) END", METRIC, 5, {F8("x", -50, 50)}},
	/* absolute values and extremes of sums: Huber's and Hampel's losses, epsilon-insensitive ones */
	{"CASE WHEN abs(y - m) <= 1.5 THEN (y - m)^2/2 ELSE 1.5*(abs(y - m) - 0.75) END", METRIC, 2.1213203435596424,
	{F8("y", 0, 10), F8("m", 0, 10)}},
	{"CASE WHEN abs(y - m) > c THEN c*(abs(y - m) - c/2) ELSE (y - m)^2/2 END", METRIC, 10,
	{F8("y", 0, 10), F8("m", 0, 10), F8("c", 0, 5)}},
	{"CASE WHEN abs(y - m) <= 1 THEN (y - m)^2/2 WHEN abs(y - m) <= 2 THEN 2*abs(y - m) - 1.5 ELSE 2.5 END", METRIC, 2.8284271247461903,
	{F8("y", 0, 10), F8("m", 0, 10)}},
	{"CASE WHEN abs(y - m) > 1 AND abs(y - m) <= 2 THEN abs(y - m) WHEN abs(y - m) > 2 THEN 2 ELSE 1 END", METRIC, 1.4142135623730951,
	{F8("y", 0, 10), F8("m", 0, 10)}},
	{"CASE WHEN 0.5 >= abs(2*x - y) THEN 0 ELSE abs(2*x - y) - 0.5 END", METRIC, 2.2360679774997898, {F8("x", 0, 10), F8("y", 0, 10)}},
	{"CASE WHEN greatest(x, y) <= 5 THEN greatest(x, y) ELSE 5 END", METRIC, 1, {F8("x", 0, 10), F8("y", 0, 10)}},
	{"CASE WHEN least(x, 2*y) < 5 THEN 2*least(x, 2*y) ELSE 10 END", METRIC, 4, {F8("x", 0, 10), F8("y", 0, 10)}},
	{"CASE WHEN abs(x) + abs(y) <= 1 THEN 0 ELSE abs(x) + abs(y) - 1 END", METRIC, 1.4142135623730951, {F8("x", -2, 2), F8("y", -2, 2)}},
	{"CASE WHEN greatest(abs(x), abs(y)) <= 1 THEN 0 ELSE greatest(abs(x), abs(y)) - 1 END", METRIC, 1, {F8("x", -2, 2), F8("y", -2, 2)}},
	{"CASE WHEN greatest(x, 5) <= 7 THEN 1 ELSE x - 6 END", METRIC, 1, {F8("x", 0, 10)}},
	/* a linear score */
	{"1/(1 + exp(-(x + 2*y - 3*z)))", METRIC, 0.93541434669348533, {F8("x", -9, 9), F8("y", -9, 9), F8("z", -9, 9)}},
	{"1/(1 + exp(-(x + 2*y - 3*z)))", SLOPE, 0.25, {F8("x", -9, 9), F8("y", -9, 9), F8("z", -9, 9)}},
	{"sin(x + y + z + w)*cos(z + w)", SUPREMUM, 0.92073549240394825,
	{F8("x", 0, 0.5), F8("y", 0, 0.5), F8("z", 0, 0.5), F8("w", 0, 0.5)}},
	{"exp(sin(x + y) + (z - w))*(z - w)", SUPREMUM, 7.3890560989306495,
	{F8("x", 0, 1), F8("y", 0, 1), F8("z", 0, 1), F8("w", 0, 1)}},
	{"(x + y)^2 - x", SUPREMUM, 5, {F8("x", -1, 1), F8("y", -1, 1)}},
	/* lattices */
	{"x*(7 - x)", SUPREMUM, 12, {I4("x", 0, 7)}},
	{"x*(7 - x)", METRIC, 7, {I4("x", 0, 7)}},
	{"x*(7 - x)", SLOPE, 7, {I4("x", 0, 7)}},
	{"x*(5 - 2*x)", SUPREMUM, 3, {I4("x", -4, 4)}},
	{"x/3", SUPREMUM, 3, {I4("x", -11, 11)}},
	{"x/3", ATTRIBUTE, 6, {I4("x", -11, 11)}},
	{"1/(x - 0.5)", SUPREMUM, 2, {I4("x", -3, 3)}},
	{"cos(3.1415926535897931*x)*y", SUPREMUM, 2, {I4("x", 0, 1), F8("y", -2, 2)}},
	/* NULL */
	{"x + y", SUPREMUM, 3, {F8N("x", 0, 1), F8N("y", 0, 2)}},
	{"coalesce(x, 5) + y", SUPREMUM, 7, {F8N("x", 0, 1), F8N("y", 0, 2)}},
	{"coalesce(x, 5) + y", ATTRIBUTE, 5, {F8N("x", 0, 1), F8N("y", 0, 2)}},
	{"coalesce(x, 5) + y", METRIC, 1.4142135623730951, {F8N("x", 0, 1), F8N("y", 0, 2)}},
	{"CASE WHEN x IS NULL THEN 3*y ELSE x + y END", METRIC, 3, {F8N("x", 0, 1), F8("y", 0, 2)}},
	{"CASE WHEN x IS NULL THEN 3*y ELSE x + y END", SUPREMUM, 6, {F8N("x", 0, 1), F8("y", 0, 2)}},
	{"greatest(x, y)", INFIMUM, -2, {F8N("x", 0, 1), F8N("y", -2, 2)}},
	{"CASE WHEN y > 1 THEN x ELSE NULL END", SUPREMUM, 4, {F8("x", 0, 4), F8N("y", 0, 2)}},
	{"coalesce(a, 1) + coalesce(b, 1) + coalesce(c, 1) + coalesce(d, 1) + coalesce(e, 1)", SUPREMUM, 10,
	{F8N("a", 0, 2), F8N("b", 0, 2), F8N("c", 0, 2), F8N("d", 0, 2), F8N("e", 0, 2)}},
};

static void
test_known(void)
{
	size_t		i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		Fixture		fixture;
		DpsBracket	bracket;
		double		slack = 1.1e-6 * fabs(known[i].value) + 2e-8 * (known[i].value == 0 ? 1 : 0);

		if (set_up(&fixture, known[i].columns, known[i].sql) &&
			!ok(bound(&fixture, known[i].quantity, NULL, &bracket) == DPS_OK &&
				bracket.status == DPS_OK && bracket.lower <= bracket.upper &&
				bracket.upper >= known[i].value * (1 - 1e-15 * (known[i].value > 0 ? 1 : -1)) &&
				bracket.lower <= known[i].value * (1 + 1e-15 * (known[i].value > 0 ? 1 : -1)) &&
				bracket.upper - bracket.lower <= slack && !bracket.exhausted,
				"%s of %s is %g", quantity_names[known[i].quantity], known[i].sql, known[i].value))
			show(&bracket);
		dps_arena_clear(fixture.arena);
	}
}

/*
 * Refusals
 */

static const struct
{
	const char *sql;
	Quantity	quantity;
	DpsStatus	status;
	DpsOpcode	culprit;
	Column		columns[MAX_COLUMNS];
}			refused[] =
{
	{"ln(x)", SUPREMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", 0, 1)}},
	{"ln(x)", INFIMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", 0, 1)}},
	{"ln(x)", INFIMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", -2, -1)}},
	{"3 + 1/x", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 1)}},
	{"1/x + y", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", 0, 1)}},
	{"1/x", ATTRIBUTE, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"1/y + x", ATTRIBUTE, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"1/(x - 0.1)", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 1)}},
	{"1/(x - y)", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 1), F8("y", 0, 1)}},
	{"1.0/(x - 2)", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {I4("x", -7, 5)}},
	{"12/x", SUPREMUM, DPS_DOMAIN, DPS_OP_INT_DIV, {I4("x", -7, 5)}},
	{"1/x", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1e300, 1e300)}},
	{"x*x", SUPREMUM, DPS_DOMAIN, DPS_OP_SQR, {F8("x", -1e300, 1e300)}},
	{"sqrt(x)", SLOPE, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 4)}},
	{"CASE WHEN x*x <= 4 THEN x*x ELSE 5 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", -3, 3)}},
	{"CASE WHEN x*x <= 4 THEN x ELSE 2 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", -3, 3)}},
	{"CASE WHEN abs(y - m) <= 1.5 THEN (y - m)^2/2 ELSE 1.5*(abs(y - m) - 0.7) END", METRIC, DPS_DOMAIN, DPS_OP_CASE,
	{F8("y", 0, 10), F8("m", 0, 10)}},
	{"CASE WHEN abs(y - m) <= 1.5 THEN y - m ELSE 1.5 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("y", 0, 10), F8("m", 0, 10)}},
	{"CASE WHEN abs(y - m) <= 1 THEN 0 WHEN abs(y - m) <= 2 THEN abs(y - m) - 1 ELSE 2 END", METRIC, DPS_DOMAIN, DPS_OP_CASE,
	{F8("y", 0, 10), F8("m", 0, 10)}},
	{"CASE WHEN greatest(x, y) <= 5 THEN x ELSE 5 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10), F8("y", 0, 10)}},
	/* where x is NULL, a condition without it changes, and the branches differ */
	{"CASE WHEN greatest(x, y) <= 5 THEN y WHEN x IS NULL THEN 9 ELSE y END", METRIC, DPS_DOMAIN, DPS_OP_CASE,
	{F8N("x", 0, 4), F8("y", 0, 10)}},
	{"CASE WHEN greatest(x, y) <= 5 THEN y WHEN x IS NULL THEN 9 ELSE y END", METRIC, DPS_DOMAIN, DPS_OP_CASE,
	{F8N("x", 6, 9), F8("y", 0, 5.5)}},
	{"CASE WHEN coalesce(x, y) <= 5 THEN y WHEN x IS NULL THEN 9 ELSE y END", METRIC, DPS_DOMAIN, DPS_OP_CASE,
	{F8N("x", 0, 4), F8("y", 0, 10)}},
	{"CASE WHEN x*x + y*y <= 1 THEN 1 - x*x - y*y ELSE 0.001 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", -2, 2), F8("y", -2, 2)}},
	{"CASE WHEN sin(x) <= y THEN sin(x) ELSE y*1.0000000000001 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", -3, 3), F8("y", -1, 1)}},
	{"tan(x)", SUPREMUM, DPS_UNABLE, DPS_OP_TAN, {F8("x", 0, 3)}},
	{"exp(x)", SUPREMUM, DPS_DOMAIN, DPS_OP_EXP, {F8("x", 0, 1000)}},
	{"1 + exp(x)*y", SUPREMUM, DPS_DOMAIN, DPS_OP_EXP, {F8("x", 0, 1000), F8("y", 1, 2)}},
	{"x*x", SUPREMUM, DPS_DOMAIN, DPS_OP_SQR, {F8("x", -1e300, 1e300)}},
	{"sqrt(x)", METRIC, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 4)}},
	{"sqrt(x)", SLOPE, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 4)}},
	{"sqrt(abs(x) + y^2)", METRIC, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"sqrt(x*y^2 + z^2)", METRIC, DPS_DOMAIN, DPS_OP_DIV, {F8("x", 0, 1), F8("y", -1, 1), F8("z", -1, 1)}},
	{"sqrt(sqrt(x^2 + y^2))", METRIC, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"1/x", METRIC, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x > 1/y THEN (x - 1/y)/(2 + x) + 0.000000001 ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 2), F8("y", 1, 2)}},
	{"CASE WHEN x > 1/y THEN (x - 1/y)^2/(x + 1/y - 1) ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 2), F8("y", 1, 2)}},
	{"CASE WHEN x > 1/y THEN (x - 1.000000001/y)/(2 + x) ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 2), F8("y", 1, 2)}},
	{"CASE WHEN abs(x) < 10 THEN 10*ln(1 + abs(x)/2) ELSE abs(x) - (10 - 10*ln(6.0000000001)) END", METRIC, DPS_DOMAIN, DPS_OP_CASE,
	{F8("x", -50, 50)}},
	{"CASE WHEN x > 5 THEN 1 ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10)}},
	{"y + CASE WHEN x > 5 THEN 1 ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10), F8("y", 0, 1)}},
	{"y*floor(x) + y", METRIC_L1, DPS_DOMAIN, DPS_OP_FLOOR, {F8("x", 0, 10), F8("y", 0, 1)}},
	{"CASE WHEN x + p > 5 THEN 1 ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10), F8("p", 0, 1)}},
	{"CASE WHEN x <= 5 THEN x ELSE x + 0.000000001 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10)}},
	{"CASE WHEN x <= 100000 THEN 0 ELSE 2*(x - 100000) - 0.000000001 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 1000000)}},
	{"CASE WHEN x <= 5 THEN 0 WHEN x <= 6 THEN x - 5 ELSE 1.0001 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10)}},
	{"CASE WHEN x <= y THEN x ELSE y + 0.000000001 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10), F8("y", 0, 10)}},
	{"CASE WHEN x = 3 THEN 4 ELSE x END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10)}},
	{"CASE WHEN x <= 5 THEN z ELSE 2 + x - 5 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10), F8N("z", 2, 2)}},
	{"CASE WHEN x > 0 THEN x*ln(x) ELSE 0 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", -1, 1)}},
	{"CASE WHEN x > 5 THEN y ELSE NULL END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 10), F8("y", 0, 1)}},
	{"CASE WHEN x >= 0 THEN x*ln(x) ELSE 0 END", INFIMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", 0, 1)}},
	{"CASE WHEN y > 0 THEN x*ln(x) ELSE 0 END", INFIMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", 0, 1), F8("y", -1, 1)}},
	{"CASE WHEN x <> 1 THEN x*ln(x) ELSE 0 END", INFIMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", 0, 1)}},
	{"CASE WHEN x = 0 THEN 1 ELSE x/(exp(x) - 1) END", INFIMUM, DPS_UNABLE, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x = 0 THEN 1 ELSE (exp(y) - 1)/x END", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"CASE WHEN x = 0 THEN 1 ELSE tan(2*x)/x END", INFIMUM, DPS_UNABLE, DPS_OP_DIV, {F8("x", -0.5, 0.5)}},
	/* conditions that do not keep 0 out of the divisor */
	{"CASE WHEN x > -0.5 THEN sin(2*x)/x ELSE 2 END", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x >= 0 THEN (1 - exp(-2*x))/x ELSE 2 END", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x = 0 OR y = 1 THEN 2 ELSE sin(2*x)/(x*y) END", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"CASE WHEN x = 0 AND y = 1 THEN 2 ELSE sin(2*x)/x END", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"CASE WHEN x <> 0 OR y > 0 THEN sin(2*x)/x ELSE 2 END", INFIMUM, DPS_UNABLE, DPS_OP_DIV, {F8("x", -1, 1), F8("y", -1, 1)}},
	{"CASE WHEN x = 0 THEN 0 ELSE (1 - cos(x))/x^3 END", INFIMUM, DPS_UNABLE, DPS_OP_DIV, {F8("x", -1, 1)}},
	/* the limit is another */
	{"CASE WHEN x = 0 THEN 1 ELSE 2*sin(x)/x END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", -1, 1)}},
	{"CASE WHEN x > 0 THEN (1 - exp(-y*x))/x ELSE 1 END", METRIC, DPS_DOMAIN, DPS_OP_CASE, {F8("x", 0, 1), F8("y", 0, 2)}},
	{"CASE WHEN x = 1 THEN 1 ELSE (exp(x) - 1)/x END", INFIMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x > 0 THEN ln(x) ELSE 0 END", INFIMUM, DPS_UNABLE, DPS_OP_LN, {F8("x", -1, 1)}},
	/* the quotient overflows, which SQL does not let pass, however small what is made of it */
	{"CASE WHEN x <> 0 THEN 1/x ELSE 0 END", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x > 0 THEN exp(-1/x) ELSE 0 END", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"CASE WHEN x < 0 THEN 1/(1 + 1/x^2) ELSE 0 END", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 0)}},
	{"CASE WHEN x = 0 THEN 0 ELSE atan(1/x) END", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8("x", -1, 1)}},
	{"atan2(x, y)", METRIC, DPS_DOMAIN, DPS_OP_ATAN2, {F8("x", -1, 1), F8("y", -2, -1)}},
	{"coalesce(x, 1/y)", SUPREMUM, DPS_DOMAIN, DPS_OP_DIV, {F8N("x", 0, 1), F8("y", 0, 1)}},
	{"1/x", PARTIAL_SUPREMUM, DPS_UNABLE, DPS_OP_DIV, {F8("x", 0, 4)}},
	{"exp(x)", PARTIAL_SUPREMUM, DPS_UNABLE, DPS_OP_EXP, {F8("x", 0, 800)}},
	{"k*k", PARTIAL_SUPREMUM, DPS_UNABLE, DPS_OP_MUL, {I4("k", 0, 100000)}},
	{"CASE WHEN y > 1 THEN ln(x) ELSE 0 END", SUPREMUM, DPS_DOMAIN, DPS_OP_LN, {F8("x", 0, 4), F8("y", 0, 2)}},
};

static void
test_refused(void)
{
	size_t		i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		Fixture		fixture;
		DpsBracket	bracket;
		const char *name = quantity_names[refused[i].quantity];
		const Column *column = refused[i].columns;
		int			j;

		if (set_up(&fixture, refused[i].columns, refused[i].sql) &&
			ok(bound(&fixture, refused[i].quantity, NULL, &bracket) == DPS_OK, "%s of %s ends", name, refused[i].sql))
		{
			if (!ok(bracket.status == refused[i].status && bracket.upper == INFINITY && bracket.boxes < 1000,
					"%s of %s is refused, soon", name, refused[i].sql))
				show(&bracket);
			if (!ok(bracket.culprit != NULL && bracket.culprit->op == refused[i].culprit,
					"... because of %s", refused[i].culprit == DPS_OP_CASE ? "CASE" : dps_ops[refused[i].culprit].name))
				diag("not %d", bracket.culprit == NULL ? -1 : bracket.culprit->op);
			for (j = 0; j < MAX_COLUMNS && column[j].name != NULL; j++)
				if (!(bracket.witness.x[j] >= column[j].lo && bracket.witness.x[j] <= column[j].hi) &&
					!isnan(bracket.witness.x[j]))
					ok(false, "... and the witness is in the box");
		}
		dps_arena_clear(fixture.arena);
	}
}

static void
test_empty(void)
{
	const Column columns[MAX_COLUMNS] = {F8N("x", 0, 1), F8("y", 1, 2)};
	Fixture		fixture;
	DpsBracket	bracket;

	if (set_up(&fixture, columns, "CASE WHEN y > 5 THEN x ELSE NULL END"))
		ok(bound(&fixture, SUPREMUM, NULL, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.empty &&
		   bracket.lower == 0 && bracket.upper == 0, "NULL everywhere is empty");
	dps_arena_clear(fixture.arena);
	if (set_up(&fixture, columns, "x + y"))
	{
		fixture.box[0].nullness = DPS_ALWAYS_NULL;
		ok(bound(&fixture, SUPREMUM, NULL, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.empty,
		   "a column that is always NULL is empty");
		ok(bound(&fixture, METRIC, NULL, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.empty &&
		   bracket.upper == 0, "... and nothing moves");
	}
	dps_arena_clear(fixture.arena);
}

/*
 * Joined brackets
 */

static void
test_joined(void)
{
	const DpsBracket infimum = {.lower = -5.5, .upper = -5, .boxes = 3};
	const DpsBracket supremum = {.lower = 2, .upper = 2.5, .boxes = 4, .exhausted = true};
	const DpsBracket refusal = {.status = DPS_UNABLE, .lower = 1, .upper = INFINITY};
	DpsBracket	joined;

	dps_bracket_magnitude(&infimum, &supremum, &joined);
	ok(joined.status == DPS_OK && joined.lower == 5 && joined.upper == 5.5 && joined.boxes == 7 && joined.exhausted,
	   "magnitude");
	dps_bracket_length(&infimum, &supremum, &joined);
	ok(joined.status == DPS_OK && joined.lower == 7 && joined.upper == 8, "length");
	dps_bracket_length(&infimum, &refusal, &joined);
	ok(joined.status == DPS_UNABLE && joined.upper == INFINITY, "length of a refusal");
	dps_bracket_magnitude(&refusal, &supremum, &joined);
	ok(joined.status == DPS_UNABLE && joined.upper == INFINITY, "magnitude of a refusal");
}

/*
 * Witnesses and repetition
 */

static void
test_witness(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", 1, 2), F8("y", 0.5, 3), I4("k", -2, 5)};
	Fixture		fixture;
	DpsBracket	bracket;
	DpsBracket	again;
	int			nvariables;

	if (set_up(&fixture, columns, "x^2 + exp(2*y - x)*k"))
	{
		ok(bound(&fixture, SUPREMUM, NULL, &bracket) == DPS_OK && bracket.witness.x[0] == 1 &&
		   bracket.witness.x[1] == 3 && bracket.witness.x[2] == 5, "the witness of a corner");
		ok(dps_attribute(fixture.graph, fixture.node, fixture.box, 2, NULL, &bracket) == DPS_OK &&
		   bracket.witness.x[2] == 5 && bracket.witness.x[DPS_MAX_VARIABLES] == -2, "both values of an attribute");
		nvariables = fixture.graph->nvariables;
		ok(dps_attribute(fixture.graph, fixture.node, fixture.box, 2, NULL, &again) == DPS_OK &&
		   again.lower == bracket.lower && again.upper == bracket.upper, "the same bracket again");
		ok(dps_attribute(fixture.graph, fixture.node, fixture.box, 0, NULL, &again) == DPS_OK &&
		   fixture.graph->nvariables == nvariables, "one moving column is enough");
		ok(bound(&fixture, METRIC, NULL, &again) == DPS_OK && again.status == DPS_OK,
		   "a graph with a moving column has other bounds, too");
	}
	dps_arena_clear(fixture.arena);
}

/* Where places are close, the longitude moves their distance by twice the cosine here, which rows attain in the limit
 * alone. */
static void
test_longitude(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", 0.1, 0.3), F8("y", 0.1, 0.3), F8("z", -0.2, 0.2)};
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	Fixture		fixture;
	DpsBracket	bracket;

	options.max_boxes = 2000;
	if (set_up(&fixture, columns, "acos(least(1, greatest(-1, sin(x)*sin(y) + cos(x)*cos(y)*cos(2*z))))") &&
		!ok(bound(&fixture, METRIC, &options, &bracket) == DPS_OK && bracket.status == DPS_OK &&
			fabs(bracket.upper - 1.9900083305560516) < 1e-6 && bracket.lower <= 1.9900083305560516,
			"the metric constant of a longitude"))
		show(&bracket);
	dps_arena_clear(fixture.arena);
}

/* Where one sign has no values, 0 is not attained. */
static void
test_witness_of_a_sign(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", -0.5, 3)};
	Fixture		fixture;
	DpsBracket	bracket;

	if (set_up(&fixture, columns, "CASE WHEN x = abs(x) THEN NULL ELSE x END") &&
		!ok(bound(&fixture, SUPREMUM, NULL, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.upper >= 0 &&
			bracket.upper < 1e-9 && bracket.witness.x[0] < 0 && bracket.lower == bracket.witness.x[0],
			"the lower end is attained at the witness, where rows of one sign have no value"))
		show(&bracket);
	dps_arena_clear(fixture.arena);
}

/*
 * Between neighbouring numbers there is nothing to cut, and both are rows: what is attained or undefined
 * at the upper one is found there.
 */
static void
test_neighbours(void)
{
	static const struct
	{
		const char *sql;
		Quantity	quantity;
		double		attained;	/* NAN: undefined at this row */
		double		x;
		Column		columns[MAX_COLUMNS];
	}			cases[] =
	{
		{"ln(5e-324 - x)", SUPREMUM, NAN, 5e-324, {F8("x", 0, 5e-324)}},
		{"ln(5e-324 - x)", INFIMUM, NAN, 5e-324, {F8("x", 0, 5e-324)}},
		{"CASE WHEN x > 0 THEN 1/x ELSE 0 END", SUPREMUM, NAN, 5e-324, {F8("x", 0, 5e-324)}},
		{"y + ln(1.0000000000000002 - x)", SUPREMUM, NAN, 1.0000000000000002, {F8("x", 1, 1.0000000000000002), F8("y", 0, 1)}},
		{"sqrt(x)", SUPREMUM, 2.2227587494850775e-162, 5e-324, {F8("x", 0, 5e-324)}},
		{"sqrt(x)", ATTRIBUTE, 2.2227587494850775e-162, 5e-324, {F8("x", 0, 5e-324)}},
		{"CASE WHEN x > 0 THEN 1 ELSE 0 END", ATTRIBUTE, 1, 5e-324, {F8("x", 0, 5e-324)}},
		{"CASE WHEN x > 1 THEN 3*y ELSE 0 END", SUPREMUM, 6, 1.0000000000000002, {F8("x", 1, 1.0000000000000002), F8("y", 0, 2)}},
		{"sqrt(-x)", INFIMUM, 0, 0, {F8("x", -5e-324, 0)}},
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Fixture		fixture;
		DpsBracket	bracket;
		bool		refused = isnan(cases[i].attained);
		const char *name = quantity_names[cases[i].quantity];

		if (set_up(&fixture, cases[i].columns, cases[i].sql) &&
			ok(bound(&fixture, cases[i].quantity, NULL, &bracket) == DPS_OK, "%s of %s ends", name, cases[i].sql) &&
			!ok(bracket.status == (refused ? DPS_DOMAIN : DPS_OK) && bracket.witness.x[0] == cases[i].x &&
				(refused || (bracket.lower == cases[i].attained && bracket.upper == cases[i].attained)),
				"%s of %s between neighbours: %s there", name, cases[i].sql, refused ? "it is undefined" : "it is attained"))
			show(&bracket);
		dps_arena_clear(fixture.arena);
	}
}

/* What is left of a range of many orders of magnitude, near its end, is cut before what is wide: seconds
 * were not enough for these. */
static void
test_magnitudes(void)
{
	static const struct
	{
		const char *sql;
		double		supremum;
		Column		columns[MAX_COLUMNS];
	}			cases[] =
	{
		{"a*z*(1 + z)^(-a - 1)", 0.25, {F8("a", 0.1, 1), F8("z", 0, 1e7)}},
		{"a*z/(1 + z)^(a + 1)", 0.25, {F8("a", 0.1, 1), F8("z", 0, 1e7)}},
		{"a/n*z/(1 + z)*(1 + z)^(-a)", 0.025, {F8("a", 0.1, 1), F8("z", 0, 1e7), F8("n", 10, 1e4)}},
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Fixture		fixture;
		DpsBracket	bracket;

		if (set_up(&fixture, cases[i].columns, cases[i].sql) &&
			!ok(bound(&fixture, SUPREMUM, NULL, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.boxes < 2500 &&
				fabs(bracket.upper - cases[i].supremum) <= 1.01e-6 * cases[i].supremum &&
				bracket.upper >= cases[i].supremum * (1 - 1e-15), "%s near the end of a range", cases[i].sql))
			show(&bracket);
		dps_arena_clear(fixture.arena);
	}
}

/*
 * Branches that meet up to rounding: what the evaluator yields moves by no more
 * than K d + 2 eta, across the boundaries above all.
 */

static double
evaluate_at(const DpsProgram *program, double *scratch, double x)
{
	const double *columns[1] = {&x};
	double		value = 0.0;
	double	   *outputs[1] = {&value};

	dps_evaluate(program, columns, 1, scratch, outputs);
	return value;
}

static void
test_meeting_branches(void)
{
	static const struct
	{
		const char *sql;
		double		at[3];
	}			meeting[] = {
		{"CASE WHEN x <= 10000 THEN 0 WHEN x <= 50000 THEN 0.2*(x - 10000) ELSE 8000 + 0.4*(x - 50000) END", {10000, 50000}},
		{"1000*CASE WHEN x/7 <= 3 THEN 0.1*x ELSE 0.3*x - 4.2 END", {21, 21}},
		{"exp(CASE WHEN 0.1*x <= 0.7 THEN 0.7 ELSE 0.3*x - 1.4 END/10)", {7, 7}},
		{"CASE WHEN x/3 > 0.7 THEN x/3 - 0.7 ELSE 0 END", {2.1, 2.1}},
		{"CASE WHEN x*0.1 = 0.3 THEN 0.9 ELSE x*0.3 END", {3, 3}},
		{"CASE WHEN x*x <= 2 THEN 0.1*x*x ELSE 0.2 END", {1.4142135623730951, 1.4142135623730951}},
		{"CASE WHEN 0.3*x*x <= 0.7 THEN 0.3*x*x*x ELSE 0.7*x END", {1.5275252316519468, 1.5275252316519468}},
		{"CASE WHEN abs(x) < 10 THEN 10*ln(1 + abs(x)/2) ELSE abs(x) - (10 - 10*ln(1 + 10/2)) END", {10, 10}},
		{"CASE WHEN 3/(x + 0.3) > 0.7 THEN (3/(x + 0.3) - 0.7)/(x + 7) ELSE 0 END", {3.9857142857142858, 3.9857142857142858}},
	};
	const Column columns[MAX_COLUMNS] = {F8("x", 0, 100000)};
	size_t		i;

	for (i = 0; i < sizeof(meeting) / sizeof(meeting[0]); i++)
	{
		Fixture		fixture;
		DpsBracket	bracket;
		const DpsProgram *program;
		double	   *scratch;
		double		values[81];
		double		places[81];
		double		eta = 0.0;
		bool		right = true;
		int			k;
		int			m;

		if (!set_up(&fixture, columns, meeting[i].sql))
			continue;
		if (i == 2)
			fixture.box[0].hi = 100;
		if (dps_compile(fixture.graph, &fixture.node, 1, &program) != DPS_OK ||
			(scratch = dps_arena_alloc(fixture.arena, sizeof(double) * (dps_scratch_size(program) + 1))) == NULL)
			continue;
		if (!ok(bound(&fixture, METRIC, NULL, &bracket) == DPS_OK && bracket.status == DPS_OK &&
				dps_evaluation_error(fixture.graph, fixture.node, fixture.box, &eta) == DPS_OK && isfinite(eta) && eta > 0,
				"... is Lipschitz, eta %g", eta))
			show(&bracket);
		for (m = 0; m < 81; m++)
		{
			int			n = m % 40 - 20;

			places[m] = meeting[i].at[m / 40 % 2];
			for (k = 0; k < (n < 0 ? -n : n); k++)
				places[m] = nextafter(places[m], n < 0 ? 0 : 1e9);
			values[m] = evaluate_at(program, scratch, places[m]);
		}
		for (k = 0; k < 81; k++)
			for (m = 0; m < 81; m++)
				right &= fabs(values[k] - values[m]) <= bracket.upper * fabs(places[k] - places[m]) * (1 + 1e-15) + 2 * eta;
		ok(right, "... and so are its values up to eta");
		dps_arena_clear(fixture.arena);
	}
}

/*
 * Conditions
 */

static const struct
{
	const char *condition;
	bool		empty;
	double		lo;				/* of the first column, afterwards */
	double		hi;
	Column		columns[MAX_COLUMNS];
}			narrowed[] =
{
	{"x > 1000", false, 1000, 5000, {F8("x", 0, 5000)}},
	{"x >= 1000 AND x <= 2000", false, 1000, 2000, {F8("x", 0, 5000)}},
	{"1000 <= x", false, 1000, 5000, {F8("x", 0, 5000)}},
	{"x > 9000", false, 5000, 5000, {F8("x", 0, 5000)}},
	{"x < -3", false, 0, 0, {F8("x", 0, 5000)}},
	{"x > 5 AND x < 3", true, 0, 10, {F8("x", 0, 10)}},
	{"x > 12 AND x < 11", true, 0, 10, {F8("x", 0, 10)}},
	{"x < 2 OR x = 7", false, 0, 7, {F8("x", 0, 10)}},
	{"x <> 5", false, 0, 10, {F8("x", 0, 10)}},
	{"x = 5", false, 5, 5, {F8("x", 0, 10)}},
	{"k > 2 AND k < 7", false, 3, 6, {I4("k", 0, 10)}},
	{"k > 2.5 AND k < 7.5", false, 3, 7, {I4("k", 0, 10)}},
	{"2*k + 1 > 6", false, 3, 10, {I4("k", 0, 10)}},
	{"k/2 > 3", false, 0, 10, {I4("k", 0, 10)}},
	/* what a raw cell may be, not what its clamped image may be */
	{"x + y > 10", false, 0, 5, {F8("x", 0, 5), F8("y", 0, 1)}},
	{"x + y > 10 AND y < 1 AND y > 0", false, 5, 5, {F8("x", 0, 5), F8("y", 0, 1)}},
	{"x IS NULL OR x > 3", false, 0, 5, {F8N("x", 0, 5)}},
	/* Infinity - Infinity is a NaN, which is greater than 1 */
	{"x - y > 1 AND y > 0", false, 0, 5, {F8("x", 0, 5), F8("y", 0, 1)}},
	{"x*y > 1 AND y >= 0 AND y < 2", false, -5, 5, {F8("x", -5, 5), F8("y", 0, 1)}},
};

static void
test_narrowed(void)
{
	size_t		i;

	for (i = 0; i < sizeof(narrowed) / sizeof(narrowed[0]); i++)
	{
		Fixture		fixture;
		bool		empty;

		if (set_up(&fixture, narrowed[i].columns, narrowed[i].condition) &&
			!ok(dps_narrow(fixture.graph, fixture.node, ~UINT64_C(0), fixture.box, &empty) == DPS_OK && empty == narrowed[i].empty &&
				fabs(fixture.box[0].lo - narrowed[i].lo) <= 1e-9 && fabs(fixture.box[0].hi - narrowed[i].hi) <= 1e-9 &&
				fixture.box[0].lo <= narrowed[i].lo && fixture.box[0].hi >= narrowed[i].hi,
				"%s leaves [%g, %g]", narrowed[i].condition, narrowed[i].lo, narrowed[i].hi))
			diag("[%.17g, %.17g]%s", fixture.box[0].lo, fixture.box[0].hi, empty ? ", empty" : "");
		dps_arena_clear(fixture.arena);
	}
}

/* Values that make the condition true if each operation of the server errs by 2^-47 of its
 * result, as numeric's and libm's may by less. */
static void
test_narrowed_by_errors(void)
{
	static const struct
	{
		const char *condition;
		double		exact;		/* the end that is left without errors */
		double		value;
		Column		columns[MAX_COLUMNS];
	}			cases[] =
	{
		{"x*3 <= 1", 1.0 / 3.0, 1.0 / 3.0 * (1.0 + 0x1p-47), {F8("x", 0, 10)}},
		{"x + 3 <= 4", 1.0, 1.0 + 0x1p-45, {F8("x", 0, 10)}},
		{"4 - x <= 3", 1.0, 1.0 - 0x1p-46, {F8("x", 0, 10)}},
		{"x/3 >= 1", 3.0, 3.0 / (1.0 + 0x1p-47), {F8("x", 0, 10)}},
		{"sqrt(x) >= 2", 4.0, 4.0 / ((1.0 + 0x1p-47) * (1.0 + 0x1p-47)), {F8("x", 0, 10)}},
		{"exp(x) <= 2", 0.69314718055994531, 0.69314718055994531 + 0x1p-47, {F8("x", 0, 10)}},
		{"ln(x) >= 1", 2.7182818284590452, 2.7182818284590452 * (1.0 - 0x1p-47), {F8("x", 0, 10)}},
	};
	size_t		i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Fixture		fixture;
		bool		empty;

		if (set_up(&fixture, cases[i].columns, cases[i].condition))
			ok(dps_narrow(fixture.graph, fixture.node, ~UINT64_C(0), fixture.box, &empty) == DPS_OK && !empty &&
			   fixture.box[0].lo <= cases[i].value && cases[i].value <= fixture.box[0].hi &&
			   fmin(fabs(fixture.box[0].lo - cases[i].exact), fabs(fixture.box[0].hi - cases[i].exact)) < 1e-9,
			   "%s leaves what a server that errs lets through", cases[i].condition);
		dps_arena_clear(fixture.arena);
	}
}

static void
test_narrowed_nulls(void)
{
	const Column columns[MAX_COLUMNS] = {I4N("k", 0, 9), F8N("x", 0, 1)};
	Fixture		fixture;
	bool		empty;

	if (set_up(&fixture, columns, "k > 3 AND x < 1"))
		ok(dps_narrow(fixture.graph, fixture.node, ~UINT64_C(0), fixture.box, &empty) == DPS_OK &&
		   fixture.box[0].nullness == DPS_NEVER_NULL && fixture.box[1].nullness == DPS_MAYBE_NULL,
		   "a compared integer is not NULL; a float may be NaN");
	dps_arena_clear(fixture.arena);
	if (set_up(&fixture, columns, "k > 3 OR x < 1"))
		ok(dps_narrow(fixture.graph, fixture.node, ~UINT64_C(0), fixture.box, &empty) == DPS_OK &&
		   fixture.box[0].nullness == DPS_MAYBE_NULL, "one of two may be NULL");
	dps_arena_clear(fixture.arena);
}

/* Conditions as they are written, and what a NaN makes of them. */
static void
test_narrowed_as_written(void)
{
	static const struct
	{
		const char *what;
		double		lo;
		double		hi;
		double		hi_nullable;
	}			expected[] = {
		{"(x + 1e20) - 1e20 <= 0", 0, 100, 100},
		{"-x >= -9", 0, 100, 9},
		{"x - 2 * x >= -9", 0, 100, 100},
		{"x * x <= 81", 0, 9, 9},
		{"x ^ 2 <= 81", 0, 9, 9},
		{"x < y * 0", 0, 100, 100},
		{"x <= 9", 0, 9, 9},
	};
	size_t		i;
	int			nullable;

	for (i = 0; i < 2 * sizeof(expected) / sizeof(expected[0]); i++)
	{
		DpsArena   *arena;
		DpsGraph   *g;
		const DpsNode *x;
		const DpsNode *y;
		const DpsNode *condition[7];
		DpsDomain	box[DPS_MAX_VARIABLES + 1] = {{0, 100, DPS_NEVER_NULL, false}, {0, 100, DPS_NEVER_NULL, false}};
		bool		empty;

		nullable = i % 2;
		box[0].nullness = nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
		if (dps_arena_init(&arena, &tap_host) != DPS_OK || dps_graph_init(&g, arena) != DPS_OK)
			abort();
		dps_graph_keep(g);
		x = dps_variable(g, dps_graph_add_variable(g, "x", DPS_FLOAT8, nullable));
		y = dps_variable(g, dps_graph_add_variable(g, "y", DPS_FLOAT8, false));
#define NUMBER(v) dps_constant(g, DPS_FLOAT8, v)
#define APPLY(op, a, b) dps_apply(g, DPS_OP_##op, DPS_FLOAT8, a, b)
#define COMPARE(op, a, b) dps_apply(g, DPS_OP_##op, DPS_BOOL, a, b)
		condition[0] = COMPARE(LE, APPLY(SUB, APPLY(ADD, x, NUMBER(1e20)), NUMBER(1e20)), NUMBER(0));
		condition[1] = COMPARE(GE, APPLY(NEG, x, NULL), NUMBER(-9));
		condition[2] = COMPARE(GE, APPLY(SUB, x, APPLY(MUL, NUMBER(2), x)), NUMBER(-9));
		condition[3] = COMPARE(LE, APPLY(MUL, x, x), NUMBER(81));
		condition[4] = COMPARE(LE, APPLY(POW, x, NUMBER(2)), NUMBER(81));
		condition[5] = COMPARE(LT, x, APPLY(MUL, y, NUMBER(0)));
		condition[6] = COMPARE(LE, x, NUMBER(9));
#undef NUMBER
#undef APPLY
#undef COMPARE
		if (!ok(dps_narrow(g, condition[i / 2], ~UINT64_C(0), box, &empty) == DPS_OK && !empty &&
				fabs(box[0].lo - expected[i / 2].lo) <= 1e-9 &&
				fabs(box[0].hi - (nullable ? expected[i / 2].hi_nullable : expected[i / 2].hi)) <= 1e-9,
				"%s, %s", expected[i / 2].what, nullable ? "nullable" : "not null"))
			diag("[%.17g, %.17g]%s", box[0].lo, box[0].hi, empty ? ", empty" : "");
		dps_arena_clear(arena);
	}
}

/*
 * Random expressions
 */

static long
number_from(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? atol(text) : otherwise;
}

static uint64_t random_state = 20240607;

static uint32_t
random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) (random_state >> 33) % n;
}

static double
random_between(double lo, double hi)
{
	double		share = random_below(1 << 20) / (double) (1 << 20);

	switch (random_below(8))
	{
		case 0:
			return lo;
		case 1:
			return hi;
		default:
			return fmin(hi, lo + (hi - lo) * share);
	}
}

static const DpsNode *
random_node(DpsGraph *graph, int depth)
{
	static const DpsOpcode unary[] = {DPS_OP_NEG, DPS_OP_ABS, DPS_OP_SQR, DPS_OP_SQRT, DPS_OP_EXP, DPS_OP_LN,
	DPS_OP_SIN, DPS_OP_COS, DPS_OP_ATAN, DPS_OP_TANH, DPS_OP_FLOOR, DPS_OP_SIGN, DPS_OP_CBRT};
	static const DpsOpcode binary[] = {DPS_OP_ADD, DPS_OP_SUB, DPS_OP_MUL, DPS_OP_DIV, DPS_OP_GREATEST,
	DPS_OP_LEAST, DPS_OP_COALESCE, DPS_OP_ADD, DPS_OP_MUL};
	const DpsNode *x;
	const DpsNode *y;

	if (depth == 0 || random_below(6) == 0)
	{
		if (random_below(3) == 0)
			return dps_constant(graph, DPS_FLOAT8, (double) random_below(9) - 3);
		return dps_as_float8(graph, dps_variable(graph, random_below(graph->nvariables)));
	}
	x = random_node(graph, depth - 1);
	if (random_below(3) == 0)
		return dps_apply(graph, unary[random_below(sizeof(unary) / sizeof(unary[0]))], DPS_FLOAT8, x, NULL);
	y = random_node(graph, depth - 1);
	if (random_below(8) == 0)
		return dps_choose(graph, dps_apply(graph, DPS_OP_LT, DPS_BOOL, x, dps_constant(graph, DPS_FLOAT8, 1)), x, y);
	return dps_apply(graph, binary[random_below(sizeof(binary) / sizeof(binary[0]))], DPS_FLOAT8, x, y);
}

/* A function of something else and of the length of a vector that may be 0. */
static const DpsNode *
random_tip(DpsGraph *graph)
{
	static const DpsOpcode around[] = {DPS_OP_SIN, DPS_OP_SQR, DPS_OP_EXP, DPS_OP_ATAN, DPS_OP_NEG, DPS_OP_ABS};
	static const DpsOpcode with[] = {DPS_OP_ADD, DPS_OP_MUL, DPS_OP_SUB, DPS_OP_GREATEST, DPS_OP_DIV};
	const DpsNode *sum = dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, random_node(graph, 2), NULL);
	const DpsNode *other;
	int			terms = 1 + random_below(3);
	int			i;

	for (i = 0; i < terms; i++)
	{
		const DpsNode *term = dps_apply(graph, DPS_OP_SQR, DPS_FLOAT8, random_node(graph, 2), NULL);

		if (random_below(3) == 0)
			term = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, term, random_node(graph, 1));
		sum = dps_apply(graph, DPS_OP_ADD, DPS_FLOAT8, sum, term);
	}
	sum = dps_apply(graph, DPS_OP_SQRT, DPS_FLOAT8, sum, NULL);
	if (random_below(2) == 0)
		sum = dps_apply(graph, around[random_below(6)], DPS_FLOAT8, sum, NULL);
	other = random_below(4) == 0 ? random_tip(graph) : random_node(graph, 2);
	return dps_apply(graph, with[random_below(5)], DPS_FLOAT8, sum, other);
}

static void
random_point(const DpsDomain *box, int n, double *x)
{
	int			j;

	for (j = 0; j < n; j++)
	{
		x[j] = random_between(box[j].lo, box[j].hi);
		if (box[j].integral)
			x[j] = rint(x[j]);
		if (box[j].nullness == DPS_MAYBE_NULL && random_below(4) == 0)
			x[j] = (double) NAN;
	}
}

static void
enclose_at(const DpsProgram *program, const double *x, int n, DpsEnclosure *enclosures)
{
	DpsDomain	point[DPS_MAX_VARIABLES + 1] = {{0}};
	int			j;

	for (j = 0; j < n; j++)
	{
		point[j].nullness = isnan(x[j]) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		point[j].lo = point[j].hi = isnan(x[j]) ? 0.0 : x[j];
	}
	dps_enclose(program, point, enclosures);
}

/* The exact value at a point lies in this; empty if NULL. */
static DpsInterval
value_at(const DpsProgram *program, const double *x, int n, DpsEnclosure *enclosures, bool *defined)
{
	const DpsEnclosure *e = &enclosures[dps_program_outputs(program)[0]];

	enclose_at(program, x, n, enclosures);
	*defined = e->defined != DPS_UNDEFINED;
	return e->nullness == DPS_ALWAYS_NULL ? DPS_EMPTY : e->value;
}

/* What is checked at every sample of one random expression. */
typedef struct Sound
{
	DpsBracket	infimum;
	DpsBracket	supremum;
	DpsBracket	metric;
	DpsBracket	attribute;
	bool		right;
} Sound;

static bool
same_nulls(const double *x, const double *y, int n)
{
	int			j;

	for (j = 0; j < n; j++)
		if (isnan(x[j]) != isnan(y[j]))
			return false;
	return true;
}

static void
check_pair(Sound *sound, const double *x, DpsInterval fx, const double *y, DpsInterval fy, int n)
{
	DpsInterval moved = dps_iv_abs(dps_iv_sub(fx, fy));
	double		distance = 0.0;
	int			j;

	for (j = 0; j < n; j++)
		if (!isnan(x[j]) && !isnan(y[j]))
			distance = hypot(distance, x[j] - y[j]);
	if (sound->metric.status == DPS_OK && same_nulls(x, y, n) &&
		moved.lo > sound->metric.upper * distance * (1 + 1e-12))
	{
		diag("moves by %.17g over %.17g", moved.lo, distance);
		sound->right = false;
	}
}

static void
check_value(Sound *sound, DpsInterval value, bool defined)
{
	if (sound->supremum.status == DPS_OK && (!defined || value.lo > sound->supremum.upper || sound->supremum.empty))
		sound->right = false;
	if (sound->infimum.status == DPS_OK && (!defined || value.hi < sound->infimum.lower || sound->infimum.empty))
		sound->right = false;
}

static void
sample_expression(Sound *sound, const DpsProgram *program, const DpsDomain *box, int n, DpsEnclosure *enclosures)
{
	double		x[DPS_MAX_VARIABLES + 1];
	double		y[DPS_MAX_VARIABLES + 1];
	DpsInterval fx;
	DpsInterval fy;
	bool		defined;
	int			i;

	for (i = 0; i < 60; i++)
	{
		random_point(box, n, x);
		fx = value_at(program, x, n, enclosures, &defined);
		if (dps_iv_is_empty(fx))
			continue;
		check_value(sound, fx, defined);
		random_point(box, n, y);
		fy = value_at(program, y, n, enclosures, &defined);
		if (!dps_iv_is_empty(fy))
			check_pair(sound, x, fx, y, fy, n);
		memcpy(y + 1, x + 1, sizeof(double) * (n - 1));
		fy = value_at(program, y, n, enclosures, &defined);
		if (!dps_iv_is_empty(fy) && sound->attribute.status == DPS_OK &&
			dps_sub_down(fx.lo, fy.hi) > sound->attribute.upper)
			sound->right = false;
	}
}

/* The lower end is attained at the witness. */
static bool
is_attained(const DpsProgram *program, const DpsBracket *bracket, int n, DpsEnclosure *enclosures)
{
	bool		defined;
	DpsInterval value = value_at(program, bracket->witness.x, n, enclosures, &defined);

	return bracket->status != DPS_OK || bracket->empty || bracket->exhausted || value.lo >= bracket->lower;
}

static void
random_box(Fixture *fixture)
{
	static const char *const names[] = {"a", "b", "c"};
	int			n = 1 + random_below(3);
	int			j;

	for (j = 0; j < n; j++)
	{
		bool		integral = random_below(4) == 0;
		bool		nullable = random_below(4) == 0;
		double		lo = (double) random_below(9) - 4;

		(void) dps_graph_add_variable(fixture->graph, names[j], integral ? DPS_INT4 : DPS_FLOAT8, nullable);
		fixture->box[j] = (DpsDomain) {lo, lo + random_below(5),
		nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL, integral};
		fixture->policy.weights[j] = 1.0;
		fixture->policy.private_variables |= UINT64_C(1) << j;
	}
}

/* Expressions, with tips or of any kind, that must be bounded so often. */
static void
test_random(int expressions, bool tips, int least_answered, int least_metrics)
{
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 200};
	int			answered = 0;
	int			metrics = 0;
	int			i;

	for (i = 0; i < expressions; i++)
	{
		Fixture		fixture = {0};
		Sound		sound = {.right = true};
		const DpsProgram *program;
		DpsEnclosure *enclosures;
		DpsText		sql;
		uint64_t	seed = random_state;
		int			n;

		if (dps_arena_init(&fixture.arena, &tap_host) != DPS_OK ||
			dps_graph_init(&fixture.graph, fixture.arena) != DPS_OK)
			break;
		random_box(&fixture);
		n = fixture.graph->nvariables;
		fixture.node = tips ? random_tip(fixture.graph) : random_node(fixture.graph, 4);
		dps_text_init(&sql, fixture.arena);
		if (fixture.node == NULL || dps_compile(fixture.graph, &fixture.node, 1, &program) != DPS_OK ||
			(enclosures = dps_arena_alloc(fixture.arena, sizeof(DpsEnclosure) * program->ninstructions)) == NULL ||
			bound(&fixture, INFIMUM, &options, &sound.infimum) != DPS_OK ||
			bound(&fixture, SUPREMUM, &options, &sound.supremum) != DPS_OK ||
			bound(&fixture, METRIC, &options, &sound.metric) != DPS_OK ||
			bound(&fixture, ATTRIBUTE, &options, &sound.attribute) != DPS_OK)
			sound.right = false;
		else
		{
			sample_expression(&sound, program, fixture.box, n, enclosures);
			if (!is_attained(program, &sound.supremum, n, enclosures))
				sound.right = false;
			answered += sound.supremum.status == DPS_OK;
			metrics += sound.metric.status == DPS_OK;
		}
		if (!sound.right)
		{
			if (dps_print_sql(fixture.graph, fixture.node, &sql) != DPS_OK)
				diag("too long to print");
			ok(false, "bounds of random expression %d (state %llu) hold: %s", i, (unsigned long long) seed, sql.data);
			show(&sound.infimum);
			show(&sound.supremum);
			show(&sound.metric);
			show(&sound.attribute);
		}
		dps_arena_clear(fixture.arena);
	}
	ok(answered > least_answered && metrics > least_metrics, "%d random expressions%s: %d bounded, %d Lipschitz",
	   expressions, tips ? " with tips" : "", answered, metrics);
}

/*
 * Values, gradients and Hessians lie in their enclosures, over boxes and parts of
 * them.  DPS_PROPERTY_GRAPHS and DPS_PROPERTY_POINTS set how many graphs and
 * points are tried.
 */

/* A box within the box; degenerate in some dimensions. */
static void
random_part(const DpsDomain *box, int n, DpsDomain *part)
{
	int			j;

	for (j = 0; j < n; j++)
	{
		double		x = random_between(box[j].lo, box[j].hi);
		double		y = random_below(6) == 0 ? x : random_between(box[j].lo, box[j].hi);

		part[j] = box[j];
		part[j].lo = box[j].integral ? rint(fmin(x, y)) : fmin(x, y);
		part[j].hi = box[j].integral ? rint(fmax(x, y)) : fmax(x, y);
	}
}

/* at: the enclosure at the point itself.  Where SQL raises an error the evaluator
 * may yield anything. */
static bool
encloses(const DpsEnclosure *e, const DpsEnclosure *at, double value)
{
	if (at->defined != DPS_DEFINED)
		return e->defined != DPS_DEFINED || at->defined == DPS_PARTIAL;
	/* an overflow of the result is an infinite end, for the caller to judge */
	if (isnan(value))
		return e->nullness != DPS_NEVER_NULL || isinf(at->value.lo) || isinf(at->value.hi);
	return dps_iv_contains(e->value, value) && !dps_iv_is_empty(dps_iv_intersect(e->value, at->value));
}

/* Points of one part; false at the first output that is outside. */
static bool
check_part(const DpsProgram *program, const DpsDomain *part, int n, DpsEnclosure *plain, double *scratch,
		   double *values, double **outputs, long points)
{
	DpsEnclosure *guarded = plain + program->ninstructions;
	DpsEnclosure *at = guarded + program->ninstructions;
	const uint32_t *output = dps_program_outputs(program);
	long		i;
	uint32_t	k;

	dps_enclose(program, part, plain);
	(void) dps_enclose_guarded(program, part, guarded);
	for (i = 0; i < points; i++)
	{
		const double *columns[DPS_MAX_VARIABLES + 1];
		double		x[DPS_MAX_VARIABLES + 1];
		int			j;

		random_point(part, n, x);
		for (j = 0; j < n; j++)
			columns[j] = &x[j];
		dps_evaluate(program, columns, 1, scratch, outputs);
		enclose_at(program, x, n, at);
		for (k = 0; k < program->noutputs; k++)
			if (!encloses(&plain[output[k]], &at[output[k]], values[k]) ||
				!encloses(&guarded[output[k]], &at[output[k]], values[k]))
			{
				diag("output %u is %.17g at %.17g, %.17g, %.17g; plain [%.17g, %.17g], guarded [%.17g, %.17g]", k, values[k],
					 x[0], n > 1 ? x[1] : 0, n > 2 ? x[2] : 0, plain[output[k]].value.lo, plain[output[k]].value.hi,
					 guarded[output[k]].value.lo, guarded[output[k]].value.hi);
				return false;
			}
	}
	return true;
}

/* Does the form hold what the point's enclosure holds? */
static bool
form_holds(const DpsForm *form, const DpsDomain *part, int n, const double *x, DpsInterval value)
{
	double		at = form->centre;
	double		size = fabs(form->centre) + form->rest;
	int			j;

	for (j = 0; j < n; j++)
	{
		double		half = part[j].hi / 2 - part[j].lo / 2;

		if (half > 0)
			at += form->slope[j] * ((x[j] - part[j].lo / 2 - part[j].hi / 2) / half);
		size += fabs(form->slope[j]);
	}
	/* the places are computed, too */
	return value.lo <= at + form->rest + 1e-12 * size && value.hi >= at - form->rest - 1e-12 * size;
}

static bool
quadratic_holds(const DpsQuadratic *form, const DpsDomain *part, int n, const double *x, DpsInterval value)
{
	double		at = form->centre;
	double		size = fabs(form->centre) + form->rest;
	double		place[DPS_MAX_CURVED];
	int			j;
	int			k;

	for (j = 0; j < n; j++)
	{
		double		half = part[j].hi / 2 - part[j].lo / 2;

		place[j] = half > 0 ? (x[j] - part[j].lo / 2 - part[j].hi / 2) / half : 0;
		at += form->slope[j] * place[j] + form->bend[j] * (2 * place[j] * place[j] - 1);
		size += fabs(form->slope[j]) + fabs(form->bend[j]);
		for (k = 0; k < j; k++)
		{
			at += form->cross[j * (j - 1) / 2 + k] * place[j] * place[k];
			size += fabs(form->cross[j * (j - 1) / 2 + k]);
		}
	}
	return value.lo <= at + form->rest + 1e-12 * size && value.hi >= at - form->rest - 1e-12 * size;
}

/* So do quadratic forms, and no value is above the crest. */
static bool
check_quadratics(const DpsQuadratics *quadratics, const DpsDomain *part, const double *x, const DpsEnclosure *at)
{
	const DpsProgram *program = quadratics->affine->program;
	int			n = quadratics->affine->n;
	double		top[DPS_MAX_CURVED];
	uint32_t	k;

	for (k = 0; k <= quadratics->value; k++)
	{
		if (!quadratics->needed[k] || dps_iv_is_empty(quadratics->range[k]) || at[k].defined != DPS_DEFINED ||
			dps_iv_is_empty(at[k].value))
			continue;
		if (dps_iv_is_empty(dps_iv_intersect(quadratics->range[k], at[k].value)) ||
			!quadratic_holds(&quadratics->form[k], part, n, x, at[k].value) ||
			dps_crest(&quadratics->form[k], n, top) < at[k].value.lo)
		{
			diag("quadratic instruction %u, op %d, is [%.17g, %.17g] at %.17g, %.17g, %.17g; range [%.17g, %.17g], crest %.17g", k,
				 program->code[k].op, at[k].value.lo, at[k].value.hi, x[0], n > 1 ? x[1] : 0, n > 2 ? x[2] : 0,
				 quadratics->range[k].lo, quadratics->range[k].hi, dps_crest(&quadratics->form[k], n, top));
			return false;
		}
	}
	return true;
}

/*
 * Forms and ranges hold the values at all points, within a slab if `sliced`;
 * contraction by a form keeps each point where the form is what was wanted.
 */
static bool
check_affine(Fixture *fixture, const DpsProgram *program, const DpsNode *const *nodes, const DpsDomain *box, int n,
			 DpsEnclosure *enclosures, bool sliced, long points)
{
	static const int variables[] = {0, 1, 2, 3, 4, 5};
	DpsAffine	affine;
	DpsQuadratics quadratics;
	DpsDomain	part[MAX_COLUMNS];
	uint32_t	value = dps_program_outputs(program)[0];
	uint32_t	slab = (uint32_t) random_below((int) program->ninstructions);
	DpsInterval within = DPS_ENTIRE;
	long		i;
	int			j;

	memcpy(part, box, sizeof(part));
	for (j = 0; j < n; j++)
	{
		if (part[j].nullness != DPS_NEVER_NULL)
			return true;
		part[j].integral = false;
	}
	if (dps_affine_init(&affine, fixture->graph, fixture->arena, program, nodes, n, variables) != DPS_OK ||
		dps_quadratics_init(&quadratics, fixture->arena, &affine,
							dps_program_outputs(program)[random_below((int) program->noutputs)]) != DPS_OK)
		return false;
	(void) dps_enclose_guarded(program, part, enclosures);
	if (sliced && isfinite(enclosures[slab].value.lo) && isfinite(enclosures[slab].value.hi) &&
		dps_affine_add_slab(&affine, slab, false))
	{
		double		lo = enclosures[slab].value.lo;
		double		width = enclosures[slab].value.hi - lo;

		within.lo = lo + width * random_below(5) / 5;
		within.hi = within.lo + width / 2;
		affine.slab[0].within = within;
	}
	dps_affine_enclose(&affine, part, enclosures);
	(void) dps_quadratics_make(&quadratics, enclosures);
	for (i = 0; i < points; i++)
	{
		DpsEnclosure *at = enclosures + program->ninstructions;
		DpsDomain	left[MAX_COLUMNS];
		double		x[DPS_MAX_VARIABLES + 1];
		uint32_t	k;

		random_point(part, n, x);
		enclose_at(program, x, n, at);
		/* only points that are in the slab for sure */
		if (at[slab].defined != DPS_DEFINED || !(at[slab].value.lo >= within.lo && at[slab].value.hi <= within.hi))
			continue;
		for (k = 0; k < program->ninstructions; k++)
		{
			if (dps_iv_is_empty(affine.range[k]) || at[k].defined != DPS_DEFINED || dps_iv_is_empty(at[k].value))
				continue;
			if (affine.impossible || dps_iv_is_empty(dps_iv_intersect(affine.range[k], at[k].value)) ||
				!form_holds(&affine.form[k], part, n, x, at[k].value))
			{
				diag("instruction %u, op %d, is [%.17g, %.17g] at %.17g, %.17g, %.17g; range [%.17g, %.17g]", k,
					 program->code[k].op, at[k].value.lo, at[k].value.hi, x[0], n > 1 ? x[1] : 0, n > 2 ? x[2] : 0,
					 affine.range[k].lo, affine.range[k].hi);
				return false;
			}
		}
		if (!check_quadratics(&quadratics, part, x, at))
			return false;
		memcpy(left, part, sizeof(left));
		if (dps_iv_is_empty(affine.range[value]) || at[value].defined != DPS_DEFINED)
			continue;
		if (!dps_contract(&affine.form[value], n, part, left, dps_iv(at[value].value.lo, INFINITY)))
			return false;
		for (j = 0; j < n; j++)
			if (!(x[j] >= left[j].lo - 1e-12 * (part[j].hi - part[j].lo) && x[j] <= left[j].hi + 1e-12 * (part[j].hi - part[j].lo)))
				return false;
	}
	return true;
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Parabolas are as close to functions as they say: at the ends, where they are
 * furthest off, and at points between. */
static void
test_parabolas(void)
{
	static const double exponents[] = {-3, -2.5, -1, -0.5, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5};
	static const double lows[] = {-7, -1.5, -0.9, -0.3, 0, 0.01, 0.4, 1, 3, 100};
	static const double widths[] = {1e-7, 1e-3, 0.2, 0.5, 1, 4, 30};
	int			op;
	size_t		e;
	size_t		l;
	size_t		w;
	int			i;

	for (op = 0; op < DPS_OP_COUNT; op++)
	{
		int			made = 0;
		int			wrong = 0;

		if (dps_ops[op].arity != 1 && op != DPS_OP_POW && op != DPS_OP_DIV)
			continue;
		for (e = 0; e < (op == DPS_OP_POW ? LENGTH(exponents) : 1); e++)
			for (l = 0; l < LENGTH(lows); l++)
				for (w = 0; w < LENGTH(widths); w++)
				{
					DpsInterval range = dps_iv(lows[l], lows[l] + widths[w]);
					DpsFunction function = op == DPS_OP_POW ? dps_power_function(dps_iv(exponents[e], exponents[e])) : dps_function(op);
					DpsParabola p;

					if (!dps_parabola(&function, range, &p))
						continue;
					made++;
					for (i = 0; i <= 40; i++)
					{
						double		x = i == 40 ? range.hi : range.lo + widths[w] * i / 40;
						double		t = x - p.middle;
						double		y = p.coefficient[0] + t * (p.coefficient[1] + t * p.coefficient[2]);
						DpsInterval f = dps_function_value(&function, dps_iv(x, x));

						wrong += !(f.lo <= y + p.off + 1e-13 * fabs(y) && f.hi >= y - p.off - 1e-13 * fabs(y));
					}
				}
		if (made > 0)
			ok(wrong == 0, "%d parabolas are close to operation %d", made, op);
	}
}

#define PROPERTY_OUTPUTS (1 + 3 + 9)

static bool
check_enclosures(Fixture *fixture, long points)
{
	const DpsNode *outputs[PROPERTY_OUTPUTS];
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *hessian[9];
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	DpsDomain	part[MAX_COLUMNS];
	double		values[PROPERTY_OUTPUTS];
	double	   *places[PROPERTY_OUTPUTS];
	double	   *scratch;
	int			n = fixture->graph->nvariables;
	int			at = 0;
	int			i;

	if (dps_gradient(fixture->graph, fixture->node, gradient) != DPS_OK ||
		dps_hessian(fixture->graph, fixture->node, hessian) != DPS_OK)
		return false;
	outputs[at++] = fixture->node;
	for (i = 0; i < n; i++)
		outputs[at++] = gradient[i];
	for (i = 0; i < n * n; i++)
		outputs[at++] = hessian[i];
	if (dps_compile(fixture->graph, outputs, at, &program) != DPS_OK)
		return false;
	for (i = 0; i < at; i++)
		places[i] = &values[i];
	enclosures = dps_arena_alloc(fixture->arena, 3 * sizeof(DpsEnclosure) * program->ninstructions);
	scratch = dps_arena_alloc(fixture->arena, sizeof(double) * (dps_scratch_size(program) + 1));
	for (i = 0; i < 4; i++)
	{
		random_part(fixture->box, n, part);
		if (!check_part(program, i == 0 ? fixture->box : part, n, enclosures, scratch, values, places, (points + 3) / 4) ||
			!check_affine(fixture, program, outputs, i == 0 ? fixture->box : part, n, enclosures, i % 2 == 1, (points + 3) / 4))
			return false;
	}
	return true;
}

/* What a row adds, |f(x)|, is at most what noise is for, however early the
 * search ends. */
static bool
check_contributions(Fixture *fixture, long points)
{
	const DpsBoundOptions options = {.tolerance = 1e-3, .max_boxes = 10};
	const DpsNode *node = dps_as_float8(fixture->graph, fixture->node);
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	DpsBracket	infimum;
	DpsBracket	supremum;
	int			n = fixture->graph->nvariables;
	long		i;

	if (node == NULL || dps_compile(fixture->graph, &node, 1, &program) != DPS_OK ||
		dps_infimum(fixture->graph, node, fixture->box, &options, &infimum) != DPS_OK ||
		dps_supremum(fixture->graph, node, fixture->box, &options, &supremum) != DPS_OK)
		return false;
	if (infimum.status != DPS_OK || supremum.status != DPS_OK || infimum.empty || supremum.empty)
		return true;
	enclosures = dps_arena_alloc(fixture->arena, sizeof(DpsEnclosure) * program->ninstructions);
	for (i = 0; i < points; i++)
	{
		double		x[DPS_MAX_VARIABLES + 1];
		bool		defined;
		DpsInterval value;

		random_point(fixture->box, n, x);
		value = value_at(program, x, n, enclosures, &defined);
		if (!dps_iv_is_empty(value) && (value.hi < infimum.lower || value.lo > supremum.upper))
		{
			diag("[%.17g, %.17g] is outside of [%.17g, %.17g]", value.lo, value.hi, infimum.lower, supremum.upper);
			return false;
		}
	}
	return true;
}

static void
test_enclosures(void)
{
	long		graphs = number_from("DPS_PROPERTY_GRAPHS", 2000);
	long		points = number_from("DPS_PROPERTY_POINTS", 40);
	long		wrong = 0;
	long		i;

	for (i = 0; i < graphs && wrong < 10; i++)
	{
		Fixture		fixture = {0};
		uint64_t	seed = random_state;

		if (dps_arena_init(&fixture.arena, &tap_host) != DPS_OK ||
			dps_graph_init(&fixture.graph, fixture.arena) != DPS_OK)
			break;
		random_box(&fixture);
		fixture.node = random_node(fixture.graph, 4);
		if (fixture.node == NULL || !check_enclosures(&fixture, points) || !check_contributions(&fixture, points))
		{
			DpsText		sql;

			wrong++;
			dps_text_init(&sql, fixture.arena);
			if (fixture.node != NULL && dps_print_sql(fixture.graph, fixture.node, &sql) == DPS_OK)
				diag("graph %ld, state %llu: %s", i, (unsigned long long) seed, sql.data);
		}
		dps_arena_clear(fixture.arena);
	}
	ok(wrong == 0 && i == graphs, "values, gradients and Hessians of %ld graphs at %ld points each are enclosed, and values within their bounds", i, points);
}

/* Raw points that make a random condition true have their clamped images in
 * the narrowed box. */
static const DpsNode *
random_condition(DpsGraph *graph, int depth)
{
	static const DpsOpcode comparisons[] = {DPS_OP_LT, DPS_OP_LE, DPS_OP_GT, DPS_OP_GE, DPS_OP_EQ, DPS_OP_NE};
	const DpsNode *x;

	if (depth > 0 && random_below(2) == 0)
	{
		x = random_condition(graph, depth - 1);
		if (random_below(4) == 0)
			return dps_apply(graph, DPS_OP_NOT, DPS_BOOL, x, NULL);
		return dps_apply(graph, random_below(3) ? DPS_OP_AND : DPS_OP_OR, DPS_BOOL, x, random_condition(graph, depth - 1));
	}
	x = random_node(graph, 2);
	return dps_apply(graph, comparisons[random_below(6)], DPS_BOOL, x,
					 random_below(2) ? dps_constant(graph, DPS_FLOAT8, (double) random_below(9) - 2) : random_node(graph, 1));
}

static void
test_narrowed_random(void)
{
	int			narrower = 0;
	int			hits = 0;
	bool		right = true;
	int			i;
	int			k;
	int			j;

	for (i = 0; i < 1500 && right; i++)
	{
		Fixture		fixture = {0};
		DpsDomain	box[MAX_COLUMNS];
		DpsDomain	raw[MAX_COLUMNS];
		const DpsProgram *program;
		DpsEnclosure *enclosures;
		uint64_t	seed = random_state;
		bool		empty;
		int			n;

		if (dps_arena_init(&fixture.arena, &tap_host) != DPS_OK ||
			dps_graph_init(&fixture.graph, fixture.arena) != DPS_OK)
			break;
		random_box(&fixture);
		n = fixture.graph->nvariables;
		memcpy(box, fixture.box, sizeof(box));
		memcpy(raw, fixture.box, sizeof(raw));
		fixture.node = random_condition(fixture.graph, 2);
		if (fixture.node == NULL || dps_compile(fixture.graph, &fixture.node, 1, &program) != DPS_OK ||
			(enclosures = dps_arena_alloc(fixture.arena, sizeof(DpsEnclosure) * program->ninstructions)) == NULL ||
			dps_narrow(fixture.graph, fixture.node, ~UINT64_C(0), box, &empty) != DPS_OK)
			right = false;
		for (j = 0; j < n; j++)
		{
			narrower += box[j].lo > fixture.box[j].lo || box[j].hi < fixture.box[j].hi;
			raw[j].lo -= 6;
			raw[j].hi += 6;
		}
		for (k = 0; k < 60 && right; k++)
		{
			double		x[DPS_MAX_VARIABLES + 1];
			DpsInterval truth;
			bool		defined;

			random_point(raw, n, x);
			truth = value_at(program, x, n, enclosures, &defined);
			if (!(truth.lo == 1 && truth.hi == 1))
				continue;
			hits++;
			right = !empty;
			for (j = 0; j < n; j++)
			{
				double		clamped = fmax(fixture.box[j].lo, fmin(fixture.box[j].hi, x[j]));

				if (isnan(x[j]) ? box[j].nullness == DPS_NEVER_NULL : !(clamped >= box[j].lo && clamped <= box[j].hi))
					right = false;
			}
		}
		if (!right)
			diag("condition %d, state %llu", i, (unsigned long long) seed);
		dps_arena_clear(fixture.arena);
	}
	ok(right && hits > 1000 && narrower > 100, "1500 random conditions let through what they leave (%d points, %d columns narrowed)",
	   hits, narrower);
}

/*
 * All lattice points
 */

static void
test_lattice(void)
{
	static const char *const expressions[] = {"(x - k)^2 + x*k", "x*k - k*k/3 + 2*x", "cos(x)*k + sin(k)*x",
	"abs(x - 2*k) - x", "exp(x - k)/(1 + exp(x))", "CASE WHEN x > k THEN x*k ELSE k - 2*x END"};
	const Column columns[MAX_COLUMNS] = {I4("x", -6, 5), I4("k", -4, 7)};
	size_t		i;

	for (i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
	{
		Fixture		fixture;
		DpsBracket	infimum;
		DpsBracket	supremum;
		const DpsProgram *program;
		DpsInterval most = {-INFINITY, -INFINITY};
		DpsInterval least = {INFINITY, INFINITY};
		DpsEnclosure *enclosures;
		double		x[2];
		bool		defined;

		if (!set_up(&fixture, columns, expressions[i]) ||
			dps_compile(fixture.graph, &fixture.node, 1, &program) != DPS_OK ||
			(enclosures = dps_arena_alloc(fixture.arena, sizeof(DpsEnclosure) * program->ninstructions)) == NULL)
			continue;
		for (x[0] = -6; x[0] <= 5; x[0]++)
			for (x[1] = -4; x[1] <= 7; x[1]++)
			{
				DpsInterval value = value_at(program, x, 2, enclosures, &defined);

				most = dps_iv_max(most, value);
				least = dps_iv_min(least, value);
			}
		ok(bound(&fixture, SUPREMUM, NULL, &supremum) == DPS_OK && bound(&fixture, INFIMUM, NULL, &infimum) == DPS_OK &&
		   supremum.upper >= most.lo && supremum.lower <= most.hi && infimum.upper >= least.lo && infimum.lower <= least.hi &&
		   supremum.upper - supremum.lower < 1e-7 + 1e-5 * fabs(most.hi) && infimum.upper - infimum.lower < 1e-7 + 1e-5 * fabs(least.lo),
		   "the extrema of %s over all integers", expressions[i]);
		dps_arena_clear(fixture.arena);
	}
}

/*
 * Hosts that do not go along
 */

static bool
stop_at_once(void *context)
{
	(void) context;
	return true;
}

static void
test_cancel(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", 0, 1), F8("y", 0, 1)};
	DpsHost		host = tap_host;
	Fixture		fixture;
	DpsBracket	bracket;

	host.should_stop = stop_at_once;
	if (ok(set_up_on(&fixture, &host, columns, "exp(-1000*((x - 0.3)^2 + (y - 0.7)^2))"), "a long search"))
		ok(bound(&fixture, METRIC, NULL, &bracket) == DPS_CANCELLED, "... stops when asked to");
	dps_arena_clear(fixture.arena);
}

/* Says stop when asked for the n-th time. */
static bool
stop_later(void *context)
{
	long	   *left = context;

	return (*left)-- <= 0;
}

static long	live_blocks;

static void *
allocate_counted(void *context, size_t size)
{
	(void) context;
	live_blocks++;
	return malloc(size);
}

static void
release_counted(void *context, void *block)
{
	(void) context;
	live_blocks--;
	free(block);
}

/* A tower of so many operations, or a sum of products. */
static void
write_tower(char *sql, const char *prefix, const char *innermost, const char *suffix, int n)
{
	int			i;

	for (*sql = '\0', i = 0; i < n; i++)
		strcat(sql, prefix);
	strcat(sql, innermost);
	for (i = 0; i < n; i++)
		strcat(sql, suffix);
}

/* DPS_OK, or DPS_CANCELLED once the host has said no; what was nearly done may
 * still be done then. */
static bool
is_proper(DpsStatus status, long left, int *cancelled)
{
	*cancelled += status == DPS_CANCELLED;
	return status == DPS_OK || (status == DPS_CANCELLED && left < 0);
}

/* Reads, differentiates twice, bounds, estimates the error, and counts what was
 * cancelled; false if anything ended in another way. */
static bool
work_until_stopped(const DpsHost *host, const Column *columns, const char *sql, const long *left, int *cancelled)
{
	static const Quantity quantities[] = {METRIC, ATTRIBUTE, SUPREMUM};
	static const DpsNode *hessian[(DPS_MAX_VARIABLES + 1) * (DPS_MAX_VARIABLES + 1)];
	const DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 40};
	Fixture		fixture;
	DpsBracket	bracket;
	DpsStatus	status;
	double		error;
	size_t		i;
	bool		proper = true;

	if (set_up_on(&fixture, host, columns, sql))
	{
		for (i = 0; i < sizeof(quantities) / sizeof(quantities[0]) && proper; i++)
		{
			status = bound(&fixture, quantities[i], &options, &bracket);
			proper = is_proper(status, *left, cancelled);
		}
		status = dps_hessian(fixture.graph, fixture.node, hessian);
		proper = proper && is_proper(status, *left, cancelled);
		status = dps_evaluation_error(fixture.graph, fixture.node, fixture.box, &error);
		proper = proper && is_proper(status, *left, cancelled);
	}
	else
		proper = *left < 0;
	dps_arena_clear(fixture.arena);
	return proper;
}

/*
 * Expressions whose simplification, derivatives or proofs take long: asked at
 * whatever point, all of it stops and gives its memory back.
 */
static void
test_stop(void)
{
	static const struct
	{
		const char *prefix;
		const char *innermost;
		const char *suffix;
		int			n;
	}			towers[] = {{"sin(x*", "y", ")", 40}, {"(", "x", "^2 + y)", 40},
	{"greatest(x*y, ", "x", "*1.01)", 30}, {"CASE WHEN x > 0.5 THEN y ELSE ", "x", "*y END", 30},
	{"(x + 2*y + ", "1", ")^7", 12}};
	const Column columns[MAX_COLUMNS] = {F8("x", 0, 1), F8("y", 0, 1)};
	char		sql[4000];
	size_t		i;

	for (i = 0; i < sizeof(towers) / sizeof(towers[0]); i++)
	{
		bool		proper = true;
		int			cancelled = 0;
		long		n;
		long		left = 0;

		write_tower(sql, towers[i].prefix, towers[i].innermost, towers[i].suffix, towers[i].n);
		for (n = 0; n < 400 && left <= 0; n = n * 3 / 2 + 1)
		{
			DpsHost		host = tap_host;

			left = n;
			host.should_stop = stop_later;
			host.context = &left;
			host.allocate = allocate_counted;
			host.release = release_counted;
			proper &= work_until_stopped(&host, columns, sql, &left, &cancelled);
		}
		ok(proper && cancelled > 3 && live_blocks == 0, "%d times %sz%s stops wherever it is asked to", towers[i].n, towers[i].prefix,
		   towers[i].suffix);
	}
}

/* A clock that goes by a millisecond whenever it is looked at. */
static double
tick(void *context)
{
	return (*(double *) context)++;
}

static void
test_late(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", 0, 1), F8("y", 0, 1)};
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 100000, .max_ms = 30};
	double		time = 1;
	DpsHost		host = tap_host;
	Fixture		fixture;
	DpsBracket	bracket;
	DpsBracket	late;

	host.milliseconds = tick;
	host.context = &time;
	if (ok(set_up_on(&fixture, &host, columns, "sin(40*x*y)*cos(50*x - 30*y^2) + sin(60*x^2)*y"), "a search against time"))
	{
		ok(bound(&fixture, METRIC, &options, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.exhausted &&
		   bracket.late && bracket.boxes < 100 && bracket.upper >= bracket.lower && isfinite(bracket.upper),
		   "... ends with a bracket that holds");
		options.max_ms = 0;
		options.max_boxes = 50;
		ok(bound(&fixture, METRIC, &options, &bracket) == DPS_OK && bracket.exhausted && !bracket.late,
		   "... or when boxes run out first");
		options.max_boxes = 100000;
		options.max_bytes = 1024 * 1024;
		ok(bound(&fixture, METRIC, &options, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.exhausted && bracket.full &&
		   !bracket.late && bracket.boxes < 20000 && bracket.upper >= bracket.lower && isfinite(bracket.upper),
		   "... or memory, after %llu boxes", (unsigned long long) bracket.boxes);
		options.max_bytes *= 2;
		ok(bound(&fixture, METRIC, &options, &late) == DPS_OK && late.boxes > bracket.boxes && late.upper <= bracket.upper,
		   "... with more of it later");
	}
	dps_arena_clear(fixture.arena);
	options.max_ms = 1e-9;
	options.max_boxes = 100;
	if (set_up(&fixture, columns, "x*y"))
		ok(bound(&fixture, SUPREMUM, &options, &bracket) == DPS_OK && !bracket.late, "without a clock there is no hurry");
	dps_arena_clear(fixture.arena);
}

static void
test_exhausted(void)
{
	const Column columns[MAX_COLUMNS] = {F8("x", 0, 1), F8("y", 0, 1)};
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 12};
	Fixture		fixture;
	DpsBracket	bracket;

	if (set_up(&fixture, columns, "exp(-1000*((x - 0.3)^2 + (y - 0.7)^2))"))
		ok(bound(&fixture, METRIC, &options, &bracket) == DPS_OK && bracket.status == DPS_OK && bracket.exhausted &&
		   bracket.upper >= 27.1248757 && bracket.lower <= 27.1248758 && isfinite(bracket.upper),
		   "a bracket holds when boxes run out");
	dps_arena_clear(fixture.arena);
}

/* One attempt; true if every answer was a proper one. */
static bool
attempt(DpsHost *host, const Column *columns, const char *sql, Quantity quantity, bool *enough)
{
	const DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 300};
	Fixture		fixture;
	DpsBracket	bracket;
	DpsStatus	status = DPS_NOMEM;

	if (set_up_on(&fixture, host, columns, sql))
		status = bound(&fixture, quantity, &options, &bracket);
	dps_arena_clear(fixture.arena);
	*enough = status == DPS_OK;
	return status == DPS_OK || status == DPS_NOMEM;
}

static void
test_memory(void)
{
	static const struct
	{
		const char *sql;
		Quantity	quantity;
	}			tries[] = {{"exp(-20*((x - 0.3)^2 + (y - 0.7)^2))", METRIC}, {"x*y + sin(7*x*y)", ATTRIBUTE},
	{"1/(1 + exp(3*x + y))", SLOPE}, {"CASE WHEN x > 0.5 THEN y ELSE x END", METRIC}, {"ln(x) + y", INFIMUM}};
	const Column columns[MAX_COLUMNS] = {F8("x", 0, 1), F8("y", 0, 1)};
	size_t		i;

	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
	{
		bool		enough = false;
		bool		proper = true;
		long		live = 0;
		long		n;

		for (n = 0; !enough && n < 1000; n++)
		{
			Scarce		scarce = {.left = n, .once = true};
			DpsHost		host = scarce_host(&scarce);

			proper &= attempt(&host, columns, tries[i].sql, tries[i].quantity, &enough);
			live += scarce.held;
		}
		ok(proper && enough && live == 0, "%s of %s without its n-th allocation, n < %ld",
		   quantity_names[tries[i].quantity], tries[i].sql, n);
	}
}

/* What has a limit at 0, on boxes with it: the enclosure holds the exact values, and is theirs up
 * to rounding. */
static void
test_limits(void)
{
	static const struct
	{
		const char *sql;
		double		lo;
		double		hi;
		double		least;
		double		greatest;
	}			limits[] = {
		{"CASE WHEN x <> 0 THEN (exp(x) - 1)/x ELSE 1 END", -1, 1, 0.63212055882855767, 1.7182818284590452},
		{"CASE WHEN x <> 0 THEN (exp(x) - 1)/x ELSE 1 END", -1, 0, 0.63212055882855767, 1},
		{"CASE WHEN x <> 0 THEN (1 - exp(-x))/x ELSE 1 END", -1, 1, 0.63212055882855767, 1.7182818284590452},
		{"CASE WHEN x <> 0 THEN ln(1 + x)/x ELSE 1 END", -0.5, 1, 0.69314718055994529, 1.3862943611198906},
		{"CASE WHEN x <> 0 THEN sin(x)/x ELSE 1 END", -2, 1, 0.45464871341284085, 1},
		{"CASE WHEN x <> 0 THEN atan(x)/x ELSE 1 END", -2, 1, 0.55357435889704532, 1},
	};
	static const Column columns[MAX_COLUMNS] = {F8("x", -3, 3)};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
	{
		const DpsDomain box[1] = {{.lo = limits[i].lo, .hi = limits[i].hi, .nullness = DPS_NEVER_NULL}};
		Fixture		fixture;
		const DpsProgram *program;
		DpsEnclosure e[64];
		DpsInterval value;

		if (!set_up(&fixture, columns, limits[i].sql))
			continue;
		if (dps_compile(fixture.graph, &fixture.node, 1, &program) == DPS_OK && program->ninstructions <= 64)
		{
			(void) dps_enclose_guarded(program, box, e);
			value = e[dps_program_outputs(program)[0]].value;
			ok(value.lo <= limits[i].least && limits[i].greatest <= value.hi && value.hi - value.lo < limits[i].greatest - limits[i].least + 1e-9,
			   "%s on [%g, %g]: [%.17g, %.17g]", limits[i].sql, limits[i].lo, limits[i].hi, value.lo, value.hi);
		}
		dps_arena_clear(fixture.arena);
	}
}

int
main(void)
{
	test_known();
	test_limits();
	test_refused();
	test_longitude();
	test_witness_of_a_sign();
	test_neighbours();
	test_magnitudes();
	test_empty();
	test_joined();
	test_witness();
	test_lattice();
	test_cancel();
	test_stop();
	test_late();
	test_exhausted();
	test_meeting_branches();
	test_narrowed();
	test_narrowed_by_errors();
	test_narrowed_nulls();
	test_narrowed_as_written();
	test_narrowed_random();
	test_memory();
	test_parabolas();
	test_enclosures();
	test_random(1200, false, 400, 200);
	test_random(number_from("DPS_TIP_GRAPHS", 400), true, 100, 80);
	return done_testing();
}

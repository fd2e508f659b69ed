/*
 * classics.h
 *		Classical test functions, and formulas that data bases compute, with the
 *		boxes and extrema that are known of them.
 *
 * Sources: Surjanovic and Bingham, Virtual Library of Simulation Experiments
 * (Rosenbrock, Rastrigin, Ackley, Griewank, Levy, Branin, six-hump camel,
 * Goldstein-Price, Shubert, Hartmann 3 and 6); Himmelblau, Applied Nonlinear
 * Programming, 1972; Inker et al., New Creatinine- and Cystatin C-Based Equations
 * to Estimate GFR without Race (New England Journal of Medicine 385, 2021), for
 * women; D'Agostino et al., General Cardiovascular Risk Profile for Use in Primary
 * Care (Circulation 117, 2008), for women without treatment or diabetes, in years,
 * mg/dl and mm Hg.  The other scores have made-up coefficients.
 *
 * Expected values are published optima, or follow from the formula (a corner of the
 * box), or were found by SciPy's local optimisers from thousands of starts, which
 * makes them lower bounds of suprema and metrics, upper ones of infima.  NAN: none
 * that can be relied on.
 */
#ifndef DPS_TEST_CLASSICS_H
#define DPS_TEST_CLASSICS_H

#include <math.h>

#include "bound/quantity/bound.h"
#include "parse.h"
#include "tap.h"

#define CLASSIC_COLUMNS 6

typedef enum ClassicQuantity
{
	CLASSIC_INFIMUM,
	CLASSIC_SUPREMUM,
	CLASSIC_METRIC,
	CLASSIC_QUANTITIES
} ClassicQuantity;

static const char *const classic_quantities[CLASSIC_QUANTITIES] = {"infimum", "supremum", "metric"};

typedef struct ClassicColumn
{
	const char *name;
	double		lo;
	double		hi;
} ClassicColumn;

typedef struct Classic
{
	const char *name;
	const char *sql;
	const ClassicColumn *columns;	/* up to one without a name, or to
									 * CLASSIC_COLUMNS */
	double		expected[CLASSIC_QUANTITIES];
} Classic;

#define RASTRIGIN "20 + x^2 - 10*cos(2*pi()*x) + y^2 - 10*cos(2*pi()*y)"
#define ACKLEY "-20*exp(-0.2*sqrt(0.5*(x^2 + y^2))) - exp(0.5*(cos(2*pi()*x) + cos(2*pi()*y))) + 20 + exp(1)"
#define CAMEL "(4 - 2.1*x^2 + x^4/3)*x^2 + x*y + (-4 + 4*y^2)*y^2"
#define GOLDSTEIN "(1 + (x + y + 1)^2*(19 - 14*x + 3*x^2 - 14*y + 6*x*y + 3*y^2))*(30 + (2*x - 3*y)^2*(18 - 32*x + 12*x^2 + 48*y - 36*x*y + 27*y^2))"
#define BRANIN "(y - 5.1/(4*pi()^2)*x^2 + 5/pi()*x - 6)^2 + 10*(1 - 1/(8*pi()))*cos(x) + 10"
#define SHUBERT "(cos(2*x + 1) + 2*cos(3*x + 2) + 3*cos(4*x + 3) + 4*cos(5*x + 4) + 5*cos(6*x + 5))*(cos(2*y + 1) + 2*cos(3*y + 2) + 3*cos(4*y + 3) + 4*cos(5*y + 4) + 5*cos(6*y + 5))"
#define LEVY "sin(pi()*(1 + (x - 1)/4))^2 + ((x - 1)/4)^2*(1 + 10*sin(pi()*(1 + (x - 1)/4) + 1)^2) + ((y - 1)/4)^2*(1 + sin(2*pi()*(1 + (y - 1)/4))^2)"
#define HARTMANN3 "-1*exp(-(3*(a - 0.3689)^2 + 10*(b - 0.117)^2 + 30*(c - 0.2673)^2)) - 1.2*exp(-(0.1*(a - 0.4699)^2 + 10*(b - 0.4387)^2 + 35*(c - 0.747)^2)) - 3*exp(-(3*(a - 0.1091)^2 + 10*(b - 0.8732)^2 + 30*(c - 0.5547)^2)) - 3.2*exp(-(0.1*(a - 0.0381)^2 + 10*(b - 0.5743)^2 + 35*(c - 0.8828)^2))"
#define HARTMANN6 "-1*exp(-(10*(a - 0.1312)^2 + 3*(b - 0.1696)^2 + 17*(c - 0.5569)^2 + 3.5*(d - 0.0124)^2 + 1.7*(e - 0.8283)^2 + 8*(f - 0.5886)^2)) - 1.2*exp(-(0.05*(a - 0.2329)^2 + 10*(b - 0.4135)^2 + 17*(c - 0.8307)^2 + 0.1*(d - 0.3736)^2 + 8*(e - 0.1004)^2 + 14*(f - 0.9991)^2)) - 3*exp(-(3*(a - 0.2348)^2 + 3.5*(b - 0.1451)^2 + 1.7*(c - 0.3522)^2 + 10*(d - 0.2883)^2 + 17*(e - 0.3047)^2 + 8*(f - 0.665)^2)) - 3.2*exp(-(17*(a - 0.4047)^2 + 8*(b - 0.8828)^2 + 0.05*(c - 0.8732)^2 + 10*(d - 0.5743)^2 + 0.1*(e - 0.1091)^2 + 14*(f - 0.0381)^2))"
#define EGFR "142*least(scr/0.7, 1)^(-0.241)*greatest(scr/0.7, 1)^(-1.2)*0.9938^age*1.012"
#define EGFR_CASE "142*CASE WHEN scr <= 0.7 THEN (scr/0.7)^(-0.241) ELSE (scr/0.7)^(-1.2) END*0.9938^age*1.012"
#define HAVERSINE "2*6371*atan2(sqrt(sin((a - 0.9)/2)^2 + cos(0.9)*cos(a)*sin((b - 0.2)/2)^2), sqrt(1 - sin((a - 0.9)/2)^2 - cos(0.9)*cos(a)*sin((b - 0.2)/2)^2))"
/* the usual form; both have a tip where the distance is 0 */
#define HAVERSINE_ASIN "2*6371*asin(sqrt(sin((a - 0.9)/2)^2 + cos(0.9)*cos(a)*sin((b - 0.2)/2)^2))"
#define SURVIVAL "1 - 0.95012^exp(2.32888*ln(age) + 1.20904*ln(chol) - 0.70833*ln(hdl) + 2.76157*ln(sbp) + 0.52873*smoker - 26.1931)"
#define COX "1 - 0.95^exp(0.07*(age - 50) + 1.2*ln(chol/200) - 0.7*ln(hdl/50) + 0.018*(sbp - 120) + 0.65*smoker)"
#define GRIEWANK "(x^2 + y^2)/4000 - cos(x)*cos(y/sqrt(2)) + 1"
#define HIMMELBLAU "(x^2 + y - 11)^2 + (x + y^2 - 7)^2"
#define ANNUITY "p*r/(1 - (1 + r)^(-n))"
#define RISK "1/(1 + exp(-(-7 + 0.06*age + 0.02*sbp + 0.01*chol - 0.02*hdl)))"
#define INTERACTING "1/(1 + exp(-(-5 + 0.04*age + 0.02*(sbp - 120) + 0.0005*age*(sbp - 120) + 0.7*smoker)))"

static const ClassicColumn square_512[CLASSIC_COLUMNS] = {{"x", -5.12, 5.12}, {"y", -5.12, 5.12}};
static const ClassicColumn square_10[CLASSIC_COLUMNS] = {{"x", -10, 10}, {"y", -10, 10}};
static const ClassicColumn square_5[CLASSIC_COLUMNS] = {{"x", -5, 5}, {"y", -5, 5}};
static const ClassicColumn camel_box[CLASSIC_COLUMNS] = {{"x", -3, 3}, {"y", -2, 2}};
static const ClassicColumn ackley_box[CLASSIC_COLUMNS] = {{"x", -32.768, 32.768}, {"y", -32.768, 32.768}};
static const ClassicColumn square_2[CLASSIC_COLUMNS] = {{"x", -2, 2}, {"y", -2, 2}};
static const ClassicColumn branin_box[CLASSIC_COLUMNS] = {{"x", -5, 10}, {"y", 0, 15}};
static const ClassicColumn rosenbrock_box[CLASSIC_COLUMNS] = {{"x", -2.048, 2.048}, {"y", -2.048, 2.048}};
static const ClassicColumn griewank_box[CLASSIC_COLUMNS] = {{"x", -600, 600}, {"y", -600, 600}};
static const ClassicColumn cube_3[CLASSIC_COLUMNS] = {{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 1}};
static const ClassicColumn cube_6[CLASSIC_COLUMNS] = {{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 1}, {"d", 0, 1}, {"e", 0, 1}, {"f", 0, 1}};
static const ClassicColumn product_box[CLASSIC_COLUMNS] = {{"a", 1, 2}, {"b", -1, 3}, {"c", 0, 2}, {"d", 1, 3}, {"e", -2, 1}, {"f", 0.5, 2}};
static const ClassicColumn egfr_box[CLASSIC_COLUMNS] = {{"scr", 0.3, 10}, {"age", 18, 100}};
static const ClassicColumn earth_box[CLASSIC_COLUMNS] = {{"a", 0.7, 1.1}, {"b", 0, 0.5}};
static const ClassicColumn loan_box[CLASSIC_COLUMNS] = {{"p", 1000, 50000}, {"r", 0.01, 0.2}, {"n", 1, 30}};
/* away from the point itself */
static const ClassicColumn away_box[CLASSIC_COLUMNS] = {{"a", 0.7, 0.85}, {"b", 0.3, 0.5}};
static const ClassicColumn survival_box[CLASSIC_COLUMNS] = {{"age", 30, 74}, {"chol", 100, 405}, {"hdl", 10, 100}, {"sbp", 90, 200}, {"smoker", 0, 1}};
static const ClassicColumn risk_box[CLASSIC_COLUMNS] = {{"age", 20, 90}, {"sbp", 90, 200}, {"chol", 100, 350}, {"hdl", 20, 100}};
static const ClassicColumn powers_box[CLASSIC_COLUMNS] = {{"a", 1, 2}, {"b", -1, 3}, {"c", 0.1, 2}, {"d", 1, 3}, {"e", -2, 1}, {"f", 0.5, 2}};
static const ClassicColumn quotient_box[CLASSIC_COLUMNS] = {{"a", 1, 2}, {"b", -1, 3}, {"c", 0.1, 2}, {"d", 1, 3}, {"e", 0.5, 1}, {"f", 0.5, 2}};
static const ClassicColumn interacting_box[CLASSIC_COLUMNS] = {{"age", 20, 90}, {"sbp", 90, 200}, {"smoker", 0, 1}};

static const ClassicColumn score_box[CLASSIC_COLUMNS] = {{"x", 0, 10}, {"y", 0, 10}, {"z", 0, 50}};
static const ClassicColumn cube_10[CLASSIC_COLUMNS] = {{"x", -10, 10}, {"y", -10, 10}, {"z", -10, 10}};
static const ClassicColumn century[CLASSIC_COLUMNS] = {{"x", 0, 36525}, {"y", 0, 10}};
static const ClassicColumn waves[CLASSIC_COLUMNS] = {{"x", 0, 20}, {"y", 0, 20}, {"z", 0, 20}};
static const ClassicColumn slab_10[CLASSIC_COLUMNS] = {{"x", -10, 10}, {"y", -10, 10}, {"z", -5, 5}};
static const ClassicColumn huge_line[CLASSIC_COLUMNS] = {{"x", -1e300, 1e300}};
static const ClassicColumn large_line[CLASSIC_COLUMNS] = {{"x", -1e150, 1e150}};

static const Classic classics[] =
{
	{"Rosenbrock", "100*(y - x^2)^2 + (1 - x)^2", rosenbrock_box, {0, 3905.9262268416, 5269.8120199365}},
	{"Rastrigin", RASTRIGIN, square_512, {0, 80.7065803877, 100.879614311}},
	{"Ackley", ACKLEY, square_5, {0, 14.3026675003, 9.22848452}},
	{"Ackley, wide", ACKLEY, ackley_box, {0, 22.3203336, 9.22848452}},
	{"Griewank", GRIEWANK, griewank_box, {0, NAN, NAN}},
	{"Levy", LEVY, square_10, {0, 95.3828089518, 62.0619556}},
	{"Branin", BRANIN, branin_box, {0.39788735772973816, 308.12909601160663, 113.6469041}},
	{"Himmelblau", HIMMELBLAU, square_5, {0, 890, 655.3472362}},
	{"six-hump camel", CAMEL, camel_box, {-1.0316284534898774, 162.9, 307.5126664}},
	{"Goldstein-Price", GOLDSTEIN, square_2, {3, 1015690.2718, 2225891.745}},
	{"Shubert", SHUBERT, square_10, {-186.7309088310239, 210.482294, 1008.017997}},
	{"Hartmann 3", HARTMANN3, cube_3, {-3.86277978733, -3.77271851416e-5, 18.32711772}},
	{"Hartmann 6", HARTMANN6, cube_6, {-3.32236801141551, -2.81245054397e-8, 11.32225663}},
	{"product of six", "a*b*c*d*e*f", product_box, {-2.0 * 3 * 2 * 3 * 2 * 2, 2.0 * 3 * 2 * 3 * 1 * 2, 159.1979899}},
	{"powers of six", "a*b^2*sqrt(c)*d/(e + 4)*ln(f + 1)", powers_box, {0, 41.9491547575, 47.9649789285}},
	{"quotient of six", "a*b*c/(d*e*f)", quotient_box, {-16, 48, 148.808601902}},
	{"CKD-EPI 2021", EGFR, egfr_box, {3.17311451613, 157.591622008996, NAN}},
	{"CKD-EPI 2021, CASE", EGFR_CASE, egfr_box, {3.17311451613, 157.591622008996, NAN}},
	{"distance", "sqrt(x^2 + y^2)", square_10, {0, 14.142135623730951, 1}},
	{"haversine", HAVERSINE, earth_box, {0, 1834.44007827, 6371}},
	{"haversine, away", HAVERSINE, away_box, {NAN, 1834.44007827, 6254.537148}},
	{"haversine by asin", HAVERSINE_ASIN, earth_box, {0, 1834.44007827, 6371}},
	{"annuity", ANNUITY, loan_box, {38.7481132158, 60000, 74106.028827}},
	{"logistic risk", RISK, risk_box, {0.00669285092428, 0.995929862284104, 0.01677050983124842}},
	{"logistic, interacting", INTERACTING, interacting_box, {0.00605980149158, 0.989013057369, 0.176440823}},
	{"survival", SURVIVAL, survival_box, {0.0014838304246, 0.9944138224, 0.197717688}},
	{"Cox", COX, survival_box, {0.00197307460158, 0.999999888373, 0.2420098755}},
	/* functions of one value that several columns make, flat almost everywhere */
	{"logistic of a product", "1/(1 + exp(-(x*y - z)))", score_box, {0, 1, 2.80628723}},
	{"logarithm of a product", "ln(1 + x^2*y^2)/(1 + z^2)", slab_10, {0, 9.21044036697651, 10.0005}},
	{"softplus of a product", "ln(1 + exp(x*y - z))", cube_10, {0, 110, 14.177446878757825}},
	/* whose slopes cancel: 1/(1 + |x|) - |x|/(1 + |x|)^2 */
	{"saturation", "x/(1 + abs(x))", huge_line, {-1, 1, 1}},
	{"saturation by a root", "x/sqrt(1 + x^2)", large_line, {-1, 1, 1}},
	/* slopes whose denominator overflows, not the value's */
	{"peak far within its range", "x/(1 + x^2)", large_line, {-0.5, 0.5, 1}},
	{"saturation of a product", "exp(x*y)/(1 + exp(x*y))", slab_10, {0, 1, NAN}},
	/* many periods */
	{"season", "y*(1 + 0.3*sin(2*pi()*x/365.25) + 0.1*cos(4*pi()*x/365.25))", century, {0, 12.125, 1.2125}},
	{"product of sines", "sin(x)*sin(y)*sin(z)", waves, {-1, 1, 1}},
	/* conditions that say where a difference lies */
	{"what is above a product", "CASE WHEN x*y > z THEN x*y - z ELSE 0 END", cube_10, {0, 110, 14.177446878757825}},
	{"product with a cap", "CASE WHEN x*y > 50 THEN 50 ELSE x*y END", square_10, {-100, 50, NAN}},
};

#define CLASSICS (sizeof(classics) / sizeof(classics[0]))

typedef struct ClassicFixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	DpsDomain	box[CLASSIC_COLUMNS];
	int			ncolumns;
} ClassicFixture;

static inline int
classic_columns(const Classic *classic)
{
	int			n = 0;

	while (n < CLASSIC_COLUMNS && classic->columns[n].name != NULL)
		n++;
	return n;
}

static inline bool
classic_set_up(ClassicFixture *fixture, const Classic *classic)
{
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, &tap_host) != DPS_OK ||
		dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	fixture->ncolumns = classic_columns(classic);
	for (j = 0; j < fixture->ncolumns; j++)
	{
		(void) dps_graph_add_variable(fixture->graph, classic->columns[j].name, DPS_FLOAT8, false);
		fixture->box[j] = (DpsDomain) {classic->columns[j].lo, classic->columns[j].hi, DPS_NEVER_NULL, false};
	}
	fixture->node = parse_expression(fixture->graph, classic->sql);
	return fixture->node != NULL;
}

static inline DpsStatus
classic_bound(ClassicFixture *fixture, ClassicQuantity quantity, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsPolicy	policy = {.private_variables = UINT64_MAX};
	int			j;

	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		policy.weights[j] = 1.0;
	if (quantity == CLASSIC_METRIC)
		return dps_lipschitz(fixture->graph, fixture->node, fixture->box, &policy, DPS_NORM_2, options, bracket);
	return quantity == CLASSIC_INFIMUM ? dps_infimum(fixture->graph, fixture->node, fixture->box, options, bracket) :
		dps_supremum(fixture->graph, fixture->node, fixture->box, options, bracket);
}

/*
 * What a bracket may be off by: 1e-6 of the value or, for what is 0, of the
 * values that the function has elsewhere.
 */
static inline double
classic_allowance(const Classic *classic, const DpsBracket *bracket)
{
	double		size = fmax(fabs(bracket->lower), fabs(bracket->upper));

	if (bracket->lower <= 0 && bracket->upper >= 0)
		size = fmax(size, 1e-6 * fmax(fabs(classic->expected[CLASSIC_SUPREMUM]), fabs(classic->expected[CLASSIC_INFIMUM])));
	return 1.01e-6 * size;
}

/* Does the bracket agree with what is known? */
static inline bool
classic_agrees(const Classic *classic, ClassicQuantity quantity, const DpsBracket *bracket)
{
	double		expected = classic->expected[quantity];
	double		error = fmax(1e-6 * fabs(expected), 1e-9);

	return isnan(expected) || (bracket->lower <= expected + error && bracket->upper >= expected - error);
}

#endif							/* DPS_TEST_CLASSICS_H */

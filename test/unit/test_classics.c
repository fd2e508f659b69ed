/*
 * test_classics.c
 *		Bounds of classical test functions, and of the formulas that data bases
 *		compute.
 *
 * Published optima: Surjanovic and Bingham, Virtual Library of Simulation
 * Experiments (Rosenbrock, Rastrigin, Ackley, Griewank, Levy, Branin, six-hump
 * camel, Goldstein-Price, Shubert, Hartmann 3 and 6); Himmelblau, Applied
 * Nonlinear Programming, 1972.  The survival score is the one for women of
 * D'Agostino et al., General Cardiovascular Risk Profile for Use in Primary Care
 * (Circulation 117, 2008, table 2, untreated blood pressure), its columns in
 * years, mg/dl and mm Hg; the other has the form of Cox's model with rounded
 * coefficients.  The rest follows from the formula: where it is
 * greatest is a corner of the box, or stated.
 *
 * DPS_CLASSICS_BOXES sets the boxes per search; the default keeps the run short
 * under sanitizers, and what needs more says how much of the optimum it proves.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bound/bound.h"
#include "parse.h"
#include "tap.h"

#define MAX_COLUMNS 6

typedef enum Quantity
{
	INFIMUM,
	SUPREMUM,
	METRIC
} Quantity;

static const char *const names[] = {"infimum", "supremum", "metric"};

typedef struct Column
{
	const char *name;
	double		lo;
	double		hi;
} Column;

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
/* the usual form, of which both have a tip where the distance is 0 */
#define HAVERSINE_ASIN "2*6371*asin(sqrt(sin((a - 0.9)/2)^2 + cos(0.9)*cos(a)*sin((b - 0.2)/2)^2))"
#define SURVIVAL "1 - 0.95012^exp(2.32888*ln(age) + 1.20904*ln(chol) - 0.70833*ln(hdl) + 2.76157*ln(sbp) + 0.52873*smoker - 26.1931)"
#define COX "1 - 0.95^exp(0.07*(age - 50) + 1.2*ln(chol/200) - 0.7*ln(hdl/50) + 0.018*(sbp - 120) + 0.65*smoker)"
#define GRIEWANK "(x^2 + y^2)/4000 - cos(x)*cos(y/sqrt(2)) + 1"
#define HIMMELBLAU "(x^2 + y - 11)^2 + (x + y^2 - 7)^2"
#define ANNUITY "p*r/(1 - (1 + r)^(-n))"
#define RISK "1/(1 + exp(-(-7 + 0.06*age + 0.02*sbp + 0.01*chol - 0.02*hdl)))"

static const Column square_512[MAX_COLUMNS] = {{"x", -5.12, 5.12}, {"y", -5.12, 5.12}};
static const Column square_10[MAX_COLUMNS] = {{"x", -10, 10}, {"y", -10, 10}};
static const Column square_5[MAX_COLUMNS] = {{"x", -5, 5}, {"y", -5, 5}};
static const Column camel_box[MAX_COLUMNS] = {{"x", -3, 3}, {"y", -2, 2}};
static const Column ackley_box[MAX_COLUMNS] = {{"x", -32.768, 32.768}, {"y", -32.768, 32.768}};
static const Column square_2[MAX_COLUMNS] = {{"x", -2, 2}, {"y", -2, 2}};
static const Column branin_box[MAX_COLUMNS] = {{"x", -5, 10}, {"y", 0, 15}};
static const Column rosenbrock_box[MAX_COLUMNS] = {{"x", -2.048, 2.048}, {"y", -2.048, 2.048}};
static const Column griewank_box[MAX_COLUMNS] = {{"x", -600, 600}, {"y", -600, 600}};
static const Column cube_3[MAX_COLUMNS] = {{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 1}};
static const Column cube_6[MAX_COLUMNS] = {{"a", 0, 1}, {"b", 0, 1}, {"c", 0, 1}, {"d", 0, 1}, {"e", 0, 1}, {"f", 0, 1}};
static const Column product_box[MAX_COLUMNS] = {{"a", 1, 2}, {"b", -1, 3}, {"c", 0, 2}, {"d", 1, 3}, {"e", -2, 1}, {"f", 0.5, 2}};
static const Column egfr_box[MAX_COLUMNS] = {{"scr", 0.3, 10}, {"age", 18, 100}};
static const Column earth_box[MAX_COLUMNS] = {{"a", 0.7, 1.1}, {"b", 0, 0.5}};
static const Column loan_box[MAX_COLUMNS] = {{"p", 1000, 50000}, {"r", 0.01, 0.2}, {"n", 1, 30}};
/* away from the point itself */
static const Column away_box[MAX_COLUMNS] = {{"a", 0.7, 0.85}, {"b", 0.3, 0.5}};
static const Column survival_box[MAX_COLUMNS] = {{"age", 30, 74}, {"chol", 100, 405}, {"hdl", 10, 100}, {"sbp", 90, 200}, {"smoker", 0, 1}};
static const Column risk_box[MAX_COLUMNS] = {{"age", 20, 90}, {"sbp", 90, 200}, {"chol", 100, 350}, {"hdl", 20, 100}};

static const struct
{
	const char *name;
	const char *sql;
	Quantity	quantity;
	double		value;
	double		digits;			/* to which the value is known, absolutely */
	const Column *columns;
	double		width;			/* relative; 0 is 1e-6 */
}			cases[] =
{
	{"Rosenbrock", "100*(y - x^2)^2 + (1 - x)^2", INFIMUM, 0, 1e-4, rosenbrock_box, 0},
	{"Rosenbrock", "100*(y - x^2)^2 + (1 - x)^2", SUPREMUM, 3905.9262268416, 1e-6, rosenbrock_box, 0},
	{"Rastrigin", RASTRIGIN, INFIMUM, 0, 1e-6, square_512, 0},
	{"Ackley", ACKLEY, INFIMUM, 0, 1e-6, square_5, 0},
	{"Griewank", GRIEWANK, INFIMUM, 0, 1e-6, griewank_box, 0},
	{"Levy", LEVY, INFIMUM, 0, 1e-6, square_10, 0},
	{"Branin", BRANIN, INFIMUM, 0.39788735772973816, 1e-9, branin_box, 0},
	{"Himmelblau", HIMMELBLAU, INFIMUM, 0, 1e-5, square_5, 0},
	{"six-hump camel", CAMEL, INFIMUM, -1.0316284534898774, 1e-7, camel_box, 0},
	{"Goldstein-Price", GOLDSTEIN, INFIMUM, 3, 1e-3, square_2, 0},
	{"Shubert", SHUBERT, INFIMUM, -186.7309088310239, 1e-4, square_10, 0},
	{"Hartmann 3", HARTMANN3, INFIMUM, -3.86278, 5e-6, cube_3, 0},
	{"Hartmann 6", HARTMANN6, INFIMUM, -3.32236801141551, 1e-6, cube_6, 0},
	{"product of six", "a*b*c*d*e*f", SUPREMUM, 2.0 * 3 * 2 * 3 * 1 * 2, 0, product_box, 0},
	{"product of six", "a*b*c*d*e*f", INFIMUM, -2.0 * 3 * 2 * 3 * 2 * 2, 0, product_box, 0},
	/* at scr = 0.3 and age = 18 */
	{"CKD-EPI 2021", EGFR, SUPREMUM, 157.591622008996, 1e-9, egfr_box, 0},
	{"CKD-EPI 2021, CASE", EGFR_CASE, SUPREMUM, 157.591622008996, 1e-9, egfr_box, 0},
	{"CKD-EPI 2021, CASE", EGFR_CASE, METRIC, 0, -1, egfr_box, 0},
	{"haversine", HAVERSINE, INFIMUM, 0, 1e-2, earth_box, 0},
	{"annuity", ANNUITY, SUPREMUM, 60000, 1e-6, loan_box, 0},
	{"annuity", ANNUITY, METRIC, 0, -1, loan_box, 0},
	{"logistic risk", RISK, SUPREMUM, 0.995929862284104, 1e-12, risk_box, 0},
	{"logistic risk", RISK, METRIC, 0.01677050983124842, 1e-12, risk_box, 0},
	{"Rosenbrock", "100*(y - x^2)^2 + (1 - x)^2", METRIC, 5269.8120199365, 1e-8, rosenbrock_box, 0},
	{"Rastrigin", RASTRIGIN, METRIC, 0, -1, square_512, 0},
	{"distance", "sqrt(x^2 + y^2)", METRIC, 1, 0, square_10, 0},
	{"Ackley", ACKLEY, METRIC, 0, -1, square_5, 0},
	{"Ackley", ACKLEY, METRIC, 0, -1, ackley_box, 0},
	{"six-hump camel", CAMEL, METRIC, 0, -1, camel_box, 0},
	{"Branin", BRANIN, METRIC, 0, -1, branin_box, 0},
	{"Himmelblau", HIMMELBLAU, METRIC, 0, -1, square_5, 0},
	{"Goldstein-Price", GOLDSTEIN, METRIC, 0, -1, square_2, 0},
	{"Griewank", GRIEWANK, METRIC, 0, -1, griewank_box, 0},
	{"Shubert", SHUBERT, METRIC, 0, -1, square_10, 0},
	{"Levy", LEVY, METRIC, 0, -1, square_10, 0},
	{"Hartmann 3", HARTMANN3, METRIC, 0, -1, cube_3, 0},
	{"product of six", "a*b*c*d*e*f", METRIC, 0, -1, product_box, 0},
	{"Rastrigin", RASTRIGIN, SUPREMUM, 0, -1, square_512, 0},
	{"Ackley", ACKLEY, SUPREMUM, 0, -1, square_5, 0},
	{"Griewank", GRIEWANK, SUPREMUM, 0, -1, griewank_box, 0},
	{"Levy", LEVY, SUPREMUM, 0, -1, square_10, 0},
	{"Branin", BRANIN, SUPREMUM, 308.12909601160663, 1e-9, branin_box, 0},
	{"Himmelblau", HIMMELBLAU, SUPREMUM, 890, 1e-9, square_5, 0},
	{"six-hump camel", CAMEL, SUPREMUM, 162.9, 1e-9, camel_box, 0},
	{"Goldstein-Price", GOLDSTEIN, SUPREMUM, 0, -1, square_2, 0},
	{"Shubert", SHUBERT, SUPREMUM, 0, -1, square_10, 0},
	{"Hartmann 3", HARTMANN3, SUPREMUM, 0, -1, cube_3, 0},
	{"Hartmann 6", HARTMANN6, SUPREMUM, 0, -1, cube_6, 0},
	{"CKD-EPI 2021", EGFR, INFIMUM, 0, -1, egfr_box, 0},
	{"CKD-EPI 2021, CASE", EGFR_CASE, INFIMUM, 0, -1, egfr_box, 0},
	{"CKD-EPI 2021", EGFR, METRIC, 0, -1, egfr_box, 0},
	{"haversine", HAVERSINE, SUPREMUM, 0, -1, earth_box, 0},
	{"haversine", HAVERSINE, METRIC, 0, -1, away_box, 0},
	/* due north: the radius */
	{"haversine by asin, from the point on", HAVERSINE_ASIN, METRIC, 6371, 1e-9, earth_box, 0},
	{"haversine by asin", HAVERSINE_ASIN, INFIMUM, 0, 1e-2, earth_box, 0},
	{"annuity", ANNUITY, INFIMUM, 0, -1, loan_box, 0},
	{"logistic risk", RISK, INFIMUM, 0, -1, risk_box, 0},
	/* age 30 to 74, the others at whichever end is better or worse */
	{"survival", SURVIVAL, INFIMUM, 0.0014838304246, 1e-12, survival_box, 0},
	{"survival", SURVIVAL, SUPREMUM, 0.9944138224, 1e-9, survival_box, 0},
	{"survival", SURVIVAL, METRIC, 0, -1, survival_box, 0},
	{"Cox", COX, INFIMUM, 0, -1, survival_box, 0},
	{"Cox", COX, SUPREMUM, 0, -1, survival_box, 0},
	{"Cox", COX, METRIC, 0, -1, survival_box, 0},
	{"Hartmann 6", HARTMANN6, METRIC, 0, -1, cube_6, 0.4},
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	const DpsNode *node;
	DpsDomain	box[MAX_COLUMNS];
	int			ncolumns;
} Fixture;

static bool
set_up(Fixture *fixture, size_t i)
{
	int			j;

	memset(fixture, 0, sizeof(*fixture));
	if (dps_arena_init(&fixture->arena, &tap_host) != DPS_OK ||
		dps_graph_init(&fixture->graph, fixture->arena) != DPS_OK)
		return false;
	for (j = 0; j < MAX_COLUMNS && cases[i].columns[j].name != NULL; j++)
	{
		(void) dps_graph_add_variable(fixture->graph, cases[i].columns[j].name, DPS_FLOAT8, false);
		fixture->box[j] = (DpsDomain) {cases[i].columns[j].lo, cases[i].columns[j].hi, DPS_NEVER_NULL, false};
	}
	fixture->ncolumns = j;
	fixture->node = parse_expression(fixture->graph, cases[i].sql);
	return fixture->node != NULL;
}

static DpsStatus
bound(Fixture *fixture, Quantity quantity, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsPolicy	policy = {.private_variables = UINT64_MAX};
	int			j;

	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		policy.weights[j] = 1.0;
	if (quantity == METRIC)
		return dps_lipschitz(fixture->graph, fixture->node, fixture->box, &policy, DPS_NORM_2, options, bracket);
	return quantity == INFIMUM ? dps_infimum(fixture->graph, fixture->node, fixture->box, options, bracket) :
		dps_supremum(fixture->graph, fixture->node, fixture->box, options, bracket);
}

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
	const double *columns[MAX_COLUMNS];
	double		value = 0;
	double	   *outputs[1] = {&value};
	int			j;

	for (j = 0; j < MAX_COLUMNS; j++)
		columns[j] = &x[j];
	dps_evaluate(program, columns, 1, scratch, outputs);
	return value;
}

/* Values at random pairs of points move by no more than the Lipschitz constant
 * says, and no value is outside of an extremum. */
static bool
holds_at_random(const Fixture *fixture, Quantity quantity, const DpsBracket *bracket)
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
		double		x[MAX_COLUMNS] = {0};
		double		y[MAX_COLUMNS] = {0};
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
		if (quantity == METRIC && fabs(fx - fy) > bracket->upper * distance + 1e-9 * (1 + fabs(fx)))
			return false;
		if (quantity == INFIMUM ? fx < bracket->lower - 1e-9 : quantity == SUPREMUM && fx > bracket->upper * (1 + 1e-12))
			return false;
	}
	return true;
}

static void
check_case(size_t i, const DpsBoundOptions *options)
{
	Fixture		fixture;
	DpsBracket	bracket;
	clock_t		began = clock();
	double		width;
	double		allowed = cases[i].width > 0 ? cases[i].width : 1e-6;

	if (!ok(set_up(&fixture, i) && bound(&fixture, cases[i].quantity, options, &bracket) == DPS_OK &&
			bracket.status == DPS_OK && bracket.lower <= bracket.upper, "%s has a %s",
			cases[i].name, names[cases[i].quantity]))
	{
		dps_arena_clear(fixture.arena);
		return;
	}
	width = bracket.upper - bracket.lower;
	diag("%s %s [%.12g, %.12g], %llu boxes, %.1f ms", cases[i].name, names[cases[i].quantity], bracket.lower,
		 bracket.upper, (unsigned long long) bracket.boxes, (clock() - began) * 1e3 / CLOCKS_PER_SEC);
	if (cases[i].digits >= 0)
		ok(bracket.lower <= cases[i].value + cases[i].digits && bracket.upper >= cases[i].value - cases[i].digits,
		   "... which is %.12g", cases[i].value);
	ok(width <= 1.01 * allowed * fmax(fabs(bracket.upper), fabs(bracket.lower)) || (cases[i].digits > 0 && width <= cases[i].digits),
	   "... within %g", allowed);
	ok(holds_at_random(&fixture, cases[i].quantity, &bracket), "... and holds at random points");
	dps_arena_clear(fixture.arena);
}

int
main(void)
{
	const char *boxes = getenv("DPS_CLASSICS_BOXES");
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = boxes != NULL ? strtoull(boxes, NULL, 10) : 25000};
	size_t		i;

	for (i = 0; i < CASES; i++)
		check_case(i, &options);
	return done_testing();
}

/*
 * test_score.c
 *		Sums of terms, which may have columns in common, and products of powers of columns, are one
 *		dimension: scores of real columns, integers and truth values are bounded
 *		tightly in few boxes, whatever moves, and no row is outside of the bounds.
 *		Columns in which values bend upward are at an end.  Tariffs of many steps, and
 *		shares.
 *
 * Files: bound/score/score.c, bound/score/sums.c, bound/score/mixed.c, bound/score/power_product.c, bound/quantity/reduce.c, bound/relax/factor.c, bound/search/search_ends.c, bound/terms.c, bound/quantity/lift_conditions.c,
 * bound/relax/share.c.
 */
#include <math.h>
#include <string.h>

#include "bound/relax/factor.h"
#include "bound/score/power_product.h"
#include "fixture.h"

#define MAX_COLUMNS 6
#define FEW_BOXES 2000
#define RANDOM_EXPRESSIONS 60
#define POINTS 200

static uint64_t state = 20261127;

static uint64_t
draw(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

static double
uniform(void)
{
	return (double) draw(1u << 30) / (double) (1u << 30);
}

static void
set_up(Fixture *f, const Column *columns, int ncolumns, const char *sql)
{
	if (!set_up_on(f, &tap_host, columns, ncolumns, sql) && f->node != NULL)
		abort();
}

static DpsStatus
ask(Fixture *f, const char *quantity, const DpsBoundOptions *options, DpsBracket *bracket)
{
	int			j;

	if (strcmp(quantity, "infimum") == 0)
		return dps_infimum(f->graph, f->node, f->box, options, bracket);
	if (strcmp(quantity, "supremum") == 0)
		return dps_supremum(f->graph, f->node, f->box, options, bracket);
	if (strncmp(quantity, "metric", 6) == 0)
		return dps_lipschitz(f->graph, f->node, f->box, &f->policy, quantity[6] == '1' ? DPS_NORM_1 : quantity[6] == 'i' ? DPS_NORM_INFINITY : DPS_NORM_2,
							 options, bracket);
	for (j = 0; j < f->ncolumns; j++)
		if (strcmp(quantity + 2, f->graph->variables[j].name) == 0)
			return (quantity[0] == 'a' ? dps_attribute : dps_slope) (f->graph, f->node, f->box, j, options, bracket);
	abort();
}

/* ---- known values ---- */

static const Column lille[] = {{"age", DPS_INT4, 18, 90, false}, {"alb", DPS_FLOAT8, 10, 50, false}, {"bili0", DPS_FLOAT8, 10, 800, false},
{"bili7", DPS_FLOAT8, 10, 800, false}, {"renal", DPS_BOOL, 0, 1, false}, {"pt", DPS_FLOAT8, 10, 60, false}};
static const Column hill[] = {{"x", DPS_FLOAT8, 1, 150, false}, {"p", DPS_FLOAT8, 20, 35, false}, {"n", DPS_FLOAT8, 2, 3, false}};
static const Column kwh[] = {{"x", DPS_FLOAT8, 0, 300, false}, {"y", DPS_FLOAT8, 0, 300, false}};

static const Column small[] = {{"a", DPS_FLOAT8, 0.00223, 0.05, false}, {"b", DPS_FLOAT8, 0, 100, false}};
static const Column gaps[] = {{"x", DPS_FLOAT8, 0, 0.1, false}, {"i", DPS_INT4, -3, 4, false}};

static const Column infection[] = {{"i", DPS_INT4, 1, 20, false}, {"q", DPS_FLOAT8, 1, 100, false}, {"p", DPS_FLOAT8, 0.3, 1.5, false},
{"t", DPS_FLOAT8, 0.5, 12, false}, {"v", DPS_FLOAT8, 100, 5000, false}};
static const Column stores[] = {{"s", DPS_FLOAT8, 100, 10000, false}, {"d", DPS_FLOAT8, 1, 60, false}, {"z", DPS_FLOAT8, 100, 10000, false},
{"e", DPS_FLOAT8, 1, 60, false}};
static const Column trauma[] = {{"gcs", DPS_INT4, 0, 4, false}, {"sbp", DPS_INT4, 0, 4, false}, {"rr", DPS_INT4, 0, 4, false},
{"iss", DPS_INT4, 1, 75, false}, {"old", DPS_BOOL, 0, 1, false}};
static const Column curve[] = {{"b0", DPS_FLOAT8, 0, 0.08, false}, {"b1", DPS_FLOAT8, -0.05, 0.05, false}, {"b2", DPS_FLOAT8, -0.05, 0.05, false},
{"m", DPS_FLOAT8, 0.1, 30, false}, {"tau", DPS_FLOAT8, 0.5, 5, false}};

static const Column risk[] = {{"age", DPS_FLOAT8, 40, 79, false}, {"tc", DPS_FLOAT8, 130, 320, false}, {"hdl", DPS_FLOAT8, 20, 100, false},
{"sbp", DPS_FLOAT8, 90, 200, false}, {"smoker", DPS_BOOL, 0, 1, false}, {"diabetes", DPS_BOOL, 0, 1, false}};

#define LILLE "3.19 - 0.101*age + 0.147*alb + 0.0165*(bili0 - bili7) - CASE WHEN renal THEN 0.206 ELSE 0 END - 0.0065*bili0 - 0.0096*pt"
#define RISK "1 - 0.9533^exp(17.114*ln(age) + 0.94*ln(tc) - 18.92*ln(hdl) + 4.475*ln(age)*ln(hdl) + 27.82*ln(sbp) - 6.087*ln(age)*ln(sbp) + CASE WHEN smoker THEN 0.691 ELSE 0 END + CASE WHEN diabetes THEN 0.874 ELSE 0 END - 86.61)"
#define TARIFF "greatest(0, least(x, 115) - 95)*2 + 2.2*greatest(0, least(x, 135) - 115) + 3*greatest(0, x - 135)"

/* Louvet et al. 2007, as it is published and as a logistic function; oxygen dissociation by Hill;
 * a tariff.  Values by multistart in mpmath, and for tariffs by their steepest part; of the
 * metric of a step, its parts together.  Riley et al. 1978, Huff 1964, Boyd et al. 1987, Nelson and Siegel
 * 1987, Goff et al. 2014 as in formulas.h. */
static const struct
{
	const Column *columns;
	int			ncolumns;
	const char *sql;
	const char *quantity;
	double		value;
}			known[] =
{
	{lille, 6, "exp(-(" LILLE "))/(1 + exp(-(" LILLE ")))", "metric2", 0.0682987411557},
	{lille, 6, "exp(-(" LILLE "))/(1 + exp(-(" LILLE ")))", "a age", 0.948638633213},
	{lille, 6, "exp(-(" LILLE "))/(1 + exp(-(" LILLE ")))", "a pt", 0.119427298534},
	{lille, 6, "exp(-(" LILLE "))/(1 + exp(-(" LILLE ")))", "a renal", 0.0514545179596},
	{lille, 6, "1/(1 + exp(-(" LILLE ")))", "a bili0", 0.962218076126},
	{lille, 6, "1/(1 + exp(-(" LILLE ")))", "s alb", 0.147 / 4},
	{lille, 6, "100 - 100/(1 + exp((" LILLE ")/2))", "s alb", 100 * 0.147 / 8},
	{hill, 3, "x^n/(p^n + x^n)", "s p", 0.0375},
	{hill, 3, "x^n/(p^n + x^n)", "s x", 0.0419973683298},
	{kwh, 2, TARIFF, "metric2", 3},
	{kwh, 2, TARIFF " + y/4", "metric1", 3.25},
	{kwh, 2, TARIFF, "s x", 3},
	{kwh, 2, "exp((x + y)/300) - exp((x - y)/300)", "supremum", 6.389056098930650},
	{small, 2, "ln(a) + (-0.125*atan(b)) - (-0.00851)*sin(a)", "s a", 1/0.00223 + 0.00851*0.99999751355},
	{gaps, 2, "1 - (i - 0.5 + x)^2", "supremum", 0.84},
	{infection, 5, "1 - exp(-i*q*p*t/v)", "a i", 0.8114249218533687},
	{infection, 5, "1 - exp(-i*q*p*t/v)", "a q", 0.9450029720952157},
	{infection, 5, "1 - exp(-i*q*p*t/v)", "s p", 1.2262648039048079},
	{infection, 5, "1 - exp(-i*q*p*t/v)", "s v", 0.0036787944117144234},
	{stores, 4, "s/d^2/(s/d^2 + z/e^2)", "a d", 0.9672131147540983},
	{trauma, 5, "1/(1 + exp(-(-0.4499 + 0.8085*(0.9368*gcs + 0.7326*sbp + 0.2908*rr) - 0.0835*iss - CASE WHEN old THEN 1.743 ELSE 0 END)))", "metric2", 0.4794431218522566},
	{curve, 5, "b0 + b1*(1 - exp(-m/tau))/(m/tau) + b2*((1 - exp(-m/tau))/(m/tau) - exp(-m/tau))", "supremum", 0.12999669980088574},
	{curve, 5, "b0 + b1*(1 - exp(-m/tau))/(m/tau) + b2*((1 - exp(-m/tau))/(m/tau) - exp(-m/tau))", "s m", 0.08187307530779811},
	{risk, 6, RISK, "supremum", 0.9951124954010191},
	{risk, 6, RISK, "a tc", 0.3024889543626333},
	{risk, 6, RISK, "a hdl", 0.9025941091196805},
	{risk, 6, RISK, "a diabetes", 0.3116397853781728},
	{risk, 6, RISK, "s hdl", 0.04437112475948853},
	{risk, 6, RISK, "s sbp", 0.013729997956788486},
	{kwh, 2, "CASE WHEN x < 20 THEN x WHEN x < 40 THEN 2*x - 20 WHEN x < 80 THEN 4*x - 100 WHEN x < 160 THEN 3*x - 20 ELSE 460 + (x - 160)/2 END + greatest(y - 3, 0)", "metric2", 4.123105625617661},
};

static void
test_known(void)
{
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	size_t		i;

	options.max_boxes = 20000;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		Fixture		f;
		DpsBracket	b = {0};

		set_up(&f, known[i].columns, known[i].ncolumns, known[i].sql);
		if (ask(&f, known[i].quantity, &options, &b) != DPS_OK)
			abort();
		ok(b.status == DPS_OK && b.upper >= known[i].value * (1 - 1e-11) && b.upper <= known[i].value * (1 + 1.01e-6), "%s of %.40s is at most %.12g: %.12g in %llu boxes", known[i].quantity, known[i].sql, known[i].value,
		   b.upper, (unsigned long long) b.boxes);
		dps_arena_clear(f.arena);
	}
}

/* ---- products ---- */

static const Column factors[] = {{"i", DPS_INT4, 1, 4, false}, {"x", DPS_FLOAT8, 1, 1.1, false}, {"y", DPS_FLOAT8, 1, 1.05, false},
{"w", DPS_FLOAT8, 1, 2, false}, {"z", DPS_FLOAT8, 0, 3, false}, {"m", DPS_FLOAT8, -1, 1, false}};

/* The columns that go together as one product, and its range.  Steps of i are gaps unless reals reach as far; what can
 * be 0 or negative, or occurs in another proportion or by itself, is not a part. */
static const struct
{
	const char *sql;
	const char *columns;
	double		lo;
	double		hi;
}			products[] =
{
	{"exp(-(x*y))", "xy", 1, 1.155},
	{"exp(-(i*x*y))", "xy", 1, 1.155},
	{"exp(-(i*x*w))", "ixw", 1, 8.8},
	{"exp(-(i*x*w)) + sin(i*x*w)/(i^2*x^2*w^2)", "ixw", 1, 8.8},
	{"exp(-(i*x/w)) + i*x", "", 0, 0},
	{"exp(-(x^2/w)) + x^4/w^2", "xw", 0.70710678118654752, 1.1},
	{"exp(-(x*y)) + x", "", 0, 0},
	{"exp(-(x*y)) + x^2*y", "", 0, 0},
	{"exp(-(sqrt(x)*sqrt(w)))", "xw", 1, 2.2},
	{"exp(-(z*x))", "xz", 0, 3.3},
	{"exp(-(z/x))", "xz", 0, 3},
	{"exp(-(sqrt(z)*sqrt(x)))", "", 0, 0},
	{"exp(-(x/(1 + z)))", "xz", 0.25, 1.1},
	{"exp(-(x*exp(m)))", "xm", 0.36787944117144233, 2.9901100113049497},
	{"exp(-(x*m))", "", 0, 0},
	{"exp(-(x*m^2))", "", 0, 0},
	{"exp(-(x*(m^2 + 1)))", "", 0, 0},
};

static void
check_product(const char *sql, const char *expected, double lo, double hi)
{
	Fixture		f;
	DpsArena   *scratch;
	DpsDomain	box[MAX_COLUMNS];
	DpsObjective objective = {.box = box, .ncolumns = MAX_COLUMNS, .real = true};
	DpsScore	score;
	bool		found;
	uint64_t	wanted = 0;
	int			j;

	set_up(&f, factors, MAX_COLUMNS, sql);
	memcpy(box, f.box, sizeof(box));
	objective.node = f.node;
	for (j = 0; j < MAX_COLUMNS; j++)
		if (strchr(expected, factors[j].name[0]) != NULL)
			wanted |= UINT64_C(1) << j;
	if (f.node == NULL || dps_arena_init(&scratch, &tap_host) != DPS_OK ||
		dps_take_product(f.graph, scratch, &objective, box, 0, &score, &found) != DPS_OK)
		abort();
	ok(found == (wanted != 0) && (!found || (score.columns == wanted && fabs(score.range.lo - lo) < 1e-12 && fabs(score.range.hi - hi) < 1e-12)),
	   "%s has the product of %s", sql, wanted ? expected : "nothing");
	if (found)
		ok((objective.node->variables & wanted) == UINT64_C(1) << score.column && box[score.column].lo == score.range.lo && box[score.column].hi == score.range.hi,
		   "... in one place");
	dps_arena_clear(scratch);
	dps_arena_clear(f.arena);
}

static void
test_products(void)
{
	size_t		i;

	for (i = 0; i < sizeof(products) / sizeof(products[0]); i++)
		check_product(products[i].sql, products[i].columns, products[i].lo, products[i].hi);
}

/* ---- terms with columns in common ---- */

static const Column parts[] = {{"i", DPS_INT4, 0, 9, false}, {"x", DPS_FLOAT8, 1, 3, false}, {"y", DPS_FLOAT8, 0, 1, false},
{"w", DPS_FLOAT8, 0.5, 2, false}, {"z", DPS_FLOAT8, -1, 1, false}, {"b", DPS_BOOL, 0, 1, false}};

/* The columns that one stands for, and the range of the sum, or 0 to 1 if the column is a share.  Of columns that
 * occur elsewhere, in two ways, or in steps that are further than reals reach, none is a part. */
static const struct
{
	const char *sql;
	const char *columns;
	double		lo;
	double		hi;
}			mixed[] =
{
	{"sin(x*w + y*w)", "xyw", 0.5, 8},
	{"sin(x*w - y*w)", "xyw", 0, 6},
	{"sin(x*w + y*w)*w", "xy", 0, 1},
	{"sin(x*w + y*w + 3)*x", "yw", 0, 1},
	{"sin(x*z + y*z)", "xyz", -4, 4},
	{"sin(x*z + y*(1 - z))*z", "xy", 0, 1},
	{"sin(x*z - z^2 + 1) + y*0", "xz", -3, 3},
	{"sin(x*z - z^2)*z", "", 0, 0},
	{"sin(x*w + y*w) + sin(x)", "yw", 0, 1},
	{"sin(x*y*w*z)", "", 0, 0},
	{"sin(x^2*z + x*z)", "xz", -12, 12},
	{"sin(x*w + CASE WHEN b THEN 0.9 ELSE 0 END)*w", "xb", 0, 1},
	{"sin(x*w + CASE WHEN b THEN w ELSE 0 END)*w", "", 0, 0},
	{"sin(x*z + CASE WHEN b THEN 9 ELSE 0 END)", "xzb", -3, 12},
	{"sin(x*z + CASE WHEN b THEN 1 ELSE 0 END)*z", "", 0, 0},
	{"sin(x*w + y*i)*w", "xyi", 0, 1},
	{"sin(x*z + y*z) + cos(x*z + y*z + w)", "xyz", -4, 4},
	{"sin(x*z + y*z) + cos(w - x*z - y*z)", "xyz", -4, 4},
	{"sin(x*z + y*z) + cos(x*z - y*z)", "", 0, 0},
	{"x*w + y*w + w", "", 0, 0},
	{"exp(x*w + y*w)", "", 0, 0},
};

static void
check_mixed(const char *sql, const char *expected, double lo, double hi)
{
	Fixture		f;
	DpsArena   *scratch;
	DpsDomain	box[MAX_COLUMNS];
	DpsObjective objective = {.box = box, .ncolumns = MAX_COLUMNS, .real = true};
	DpsScore	score = {.column = -1};
	bool		found;
	uint64_t	wanted = 0;
	int			j;

	set_up(&f, parts, MAX_COLUMNS, sql);
	memcpy(box, f.box, sizeof(box));
	objective.node = f.node;
	for (j = 0; j < MAX_COLUMNS; j++)
		if (strchr(expected, parts[j].name[0]) != NULL)
			wanted |= UINT64_C(1) << j;
	if (f.node == NULL || dps_arena_init(&scratch, &tap_host) != DPS_OK ||
		dps_take_mixed_score(f.graph, scratch, &objective, box, 0, &score, &found) != DPS_OK)
		abort();
	if (!ok(found == (wanted != 0) && (!found || (score.columns == wanted && fabs(score.range.lo - lo) < 1e-9 && fabs(score.range.hi - hi) < 1e-9)),
			"%s has a sum of %s", sql, wanted ? expected : "nothing"))
		diag("%d, columns %llx, [%.17g, %.17g]", found, (unsigned long long) score.columns, score.range.lo, score.range.hi);
	if (found)
		ok((objective.node->variables & score.columns) == UINT64_C(1) << score.column && box[score.column].lo == score.range.lo && box[score.column].hi == score.range.hi,
		   "... in one place");
	dps_arena_clear(scratch);
	dps_arena_clear(f.arena);
}

static void
test_mixed(void)
{
	size_t		i;

	for (i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++)
		check_mixed(mixed[i].sql, mixed[i].columns, mixed[i].lo, mixed[i].hi);
}

/* ---- random scores ---- */

static const Column columns[MAX_COLUMNS] = {{"x", DPS_FLOAT8, -2, 3, false}, {"y", DPS_FLOAT8, 0.5, 4, false}, {"z", DPS_FLOAT8, -1, 1, false},
{"i", DPS_INT4, -3, 4, false}, {"b", DPS_BOOL, 0, 1, false}, {"w", DPS_FLOAT8, 0.25, 2, false}};

static const char *const terms[][5] = {
	{"x", "exp(x)/4", "x^3/9", "2*(x - 1)", "atan(x)"},
	{"y", "ln(y)", "1/y", "sqrt(y)", "y/(1 + y)"},
	{"z", "z + z^3", "exp(z)", "atan(2*z)", "tanh(z)"},
	{"0.4*i", "i/7.0", "0.125*(i + 2)", "0.3*i - 0.1*i", "i"},
	{"CASE WHEN b THEN 0.7 ELSE 0 END", "CASE WHEN b THEN 0.5 ELSE 1 END", "CASE WHEN b THEN 0.2 ELSE 0.3 END", "CASE WHEN b THEN -1 ELSE 1 END", "1"}
};

/* With columns that other terms have as well. */
static const char *const mixed_terms[] = {
	"w*ln(y)", "(1 - 0.8*w)*x", "x*ln(y)/2", "z*exp(x)/9", "0.3*i*w", "CASE WHEN b THEN 1.2 - w ELSE 0 END", "CASE WHEN b THEN ln(y) ELSE z END",
	"(w - w^2)*ln(y)", "z/w", "x*z*ln(y)/3", "sqrt(y)*w*CASE WHEN b THEN 1 ELSE 0.4 END"
};

static const char *const outers[] = {
	"1/(1 + exp(-(%s)))", "exp(%s)/(1 + exp(%s))", "tanh(%s)*w", "(%s)^2 + w", "sin(%s)", "w/(w + exp(%s))", "exp(-((%s)^2)/9) + w^2",
	"abs(%s - 1)", "(%s)/3 - w*(%s)", "greatest(%s, w)", "CASE WHEN w < 1 THEN (%s)/2 ELSE w - (%s) END"
};

static void
append(char *text, size_t size, const char *more)
{
	size_t		n = strlen(text);

	snprintf(text + n, size - n, "%s", more);
}

static void
random_score(char *text, size_t size, bool in_common)
{
	bool		first = true;
	int			j;

	text[0] = '\0';
	for (j = 0; j < 5; j++)
	{
		char		term[100];
		const char *own = terms[j][draw(5)];

		if (draw(4) == 0)
			continue;
		if (in_common && draw(3))
			own = mixed_terms[draw(sizeof(mixed_terms) / sizeof(mixed_terms[0]))];
		snprintf(term, sizeof(term), first ? "%s" : draw(2) ? " + %s" : " - (%s)", own);
		append(text, size, term);
		first = false;
	}
	if (first)
		append(text, size, "x + y");
}

static void
random_expression(char *text, size_t size, bool in_common)
{
	char		score[600];
	const char *outer = outers[draw(sizeof(outers) / sizeof(outers[0]))];
	const char *place;

	random_score(score, sizeof(score), in_common);
	text[0] = '\0';
	while ((place = strstr(outer, "%s")) != NULL)
	{
		char		before[100];

		snprintf(before, sizeof(before), "%.*s(", (int) (place - outer), outer);
		append(text, size, before);
		append(text, size, score);
		append(text, size, ")");
		outer = place + 2;
	}
	append(text, size, outer);
}

static double
value_at(const DpsProgram *program, const double *row)
{
	const double *at[MAX_COLUMNS];
	double		value;
	double	   *values[1] = {&value};
	double		scratch[4096];
	int			j;

	for (j = 0; j < MAX_COLUMNS; j++)
		at[j] = &row[j];
	if (dps_scratch_size(program) > 4096)
		abort();
	dps_evaluate(program, at, 1, scratch, values);
	return value;
}

static void
random_row(double *row)
{
	int			j;

	for (j = 0; j < MAX_COLUMNS; j++)
	{
		double		share = draw(4) == 0 ? (double) draw(2) : uniform();

		row[j] = columns[j].lo + (columns[j].hi - columns[j].lo) * share;
		if (columns[j].type != DPS_FLOAT8)
			row[j] = rint(row[j]);
	}
}

/* Is it a row of the box?  On lines integers are real. */
static bool
is_row(const DpsPoint *point, bool lines)
{
	int			j;

	for (j = 0; j < MAX_COLUMNS; j++)
		if (!(point->x[j] >= columns[j].lo && point->x[j] <= columns[j].hi) ||
			(!lines && columns[j].type != DPS_FLOAT8 && point->x[j] != rint(point->x[j])))
			return false;
	return true;
}

/* ---- factors ---- */

/* Has the sum's terms a factor in common, so that it is a product? */
static const struct
{
	const char *sql;
	bool		product;
}			sums[] =
{
	{"exp(x)*y - 3*exp(x)*w", true},
	{"exp(x)*y - 3*exp(z)*w", false},
	{"CASE WHEN b THEN sqrt(x)*y ELSE 0 END - 3*sqrt(x)*w", true},
	{"3*sqrt(x)*w + CASE WHEN b THEN 0 ELSE sqrt(x)*y END + 2*sqrt(x)*y", true},
	{"CASE WHEN b THEN sqrt(x)*y ELSE 0 END + CASE WHEN z > 0 THEN sqrt(x)*w ELSE 0 END", false},
	{"CASE WHEN b THEN ln(x)*y ELSE 1 END + ln(x)*w", false},
	{"y/x + w/x - z/x", true},
};

static void
test_factored(void)
{
	size_t		i;
	int			k;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
	{
		Fixture		f;
		const DpsNode *factored;
		const DpsProgram *program[2];
		bool		equal = true;

		set_up(&f, columns, MAX_COLUMNS, sums[i].sql);
		factored = dps_factored(f.graph, f.node);
		if (factored == NULL || dps_compile(f.graph, &f.node, 1, &program[0]) != DPS_OK || dps_compile(f.graph, &factored, 1, &program[1]) != DPS_OK)
			abort();
		for (k = 0; k < POINTS; k++)
		{
			double		row[MAX_COLUMNS];
			double		a;
			double		b;

			random_row(row);
			a = value_at(program[0], row);
			b = value_at(program[1], row);
			equal = equal && (isnan(a) ? isnan(b) : fabs(a - b) <= 1e-12 * (1 + fabs(a)));
		}
		ok(equal, "%s is the same with factors taken out", sums[i].sql);
		ok((factored->op != DPS_OP_ADD && factored->op != DPS_OP_SUB) == sums[i].product, "... and is %s product", sums[i].product ? "a" : "no");
		dps_arena_clear(f.arena);
	}
}

/* What rows find of a quantity. */
static double
seen_of(const DpsProgram *program, const char *quantity)
{
	double		seen = 0;
	int			i;
	int			j;

	for (i = 0; i < POINTS; i++)
	{
		double		a[MAX_COLUMNS];
		double		b[MAX_COLUMNS];
		double		distance = 0;
		double		value;

		random_row(a);
		random_row(b);
		if (quantity[0] == 'm' && draw(2))
			for (j = 0; j < MAX_COLUMNS; j++)
				if (columns[j].type == DPS_FLOAT8)
					b[j] = a[j] + (b[j] - a[j]) * 1e-3;
		for (j = 0; j < MAX_COLUMNS; j++)
		{
			if (quantity[0] == 'a' && strcmp(columns[j].name, quantity + 2) != 0)
				b[j] = a[j];
			distance += (a[j] - b[j]) * (a[j] - b[j]);
		}
		value = value_at(program, a);
		if (quantity[0] != 's')
			value = distance == 0 ? 0 : fabs(value - value_at(program, b));
		if (quantity[0] == 'm' && distance > 0)
			value /= sqrt(distance);
		seen = i == 0 || value > seen ? value : seen;
	}
	return seen;
}

static void
test_random(bool in_common)
{
	static const char *const quantities[] = {"supremum", "a x", "a i", "a b", "metric2"};
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	int			asked = 0;
	int			searched = 0;
	int			tight = 0;
	int			wrong = 0;
	int			misplaced = 0;
	int			i;
	size_t		q;

	options.max_boxes = FEW_BOXES;
	for (i = 0; i < RANDOM_EXPRESSIONS; i++)
	{
		char		sql[2000];
		Fixture		f;
		const DpsProgram *program;

		random_expression(sql, sizeof(sql), in_common);
		set_up(&f, columns, MAX_COLUMNS, sql);
		if (f.node == NULL || dps_compile(f.graph, &f.node, 1, &program) != DPS_OK)
		{
			ok(false, "%s can be read", sql);
			continue;
		}
		for (q = 0; q < sizeof(quantities) / sizeof(quantities[0]); q++)
		{
			DpsBracket	b = {0};
			double		seen = seen_of(program, quantities[q]);

			if (ask(&f, quantities[q], &options, &b) != DPS_OK)
				abort();
			if (b.status != DPS_OK)
				continue;
			asked++;
			if (!(b.upper >= seen - 1e-9 * (1 + fabs(seen))))
			{
				wrong++;
				diag("%s of %s: %.17g, a row has %.17g", quantities[q], sql, b.upper, seen);
			}
			if (b.steps == 0 && !is_row(&b.witness, quantities[q][0] == 'm'))
			{
				misplaced++;
				diag("%s of %s: the witness is no row", quantities[q], sql);
			}
			if (quantities[q][0] == 'm')
				continue;
			searched++;
			if (b.upper - b.lower <= 2e-6 * fabs(b.upper))
				tight++;
			else if (getenv("DPS_SCORE_WIDE") != NULL)
				diag("%s of %s: [%.12g, %.12g], %llu boxes", quantities[q], sql, b.lower, b.upper, (unsigned long long) b.boxes);
		}
		dps_arena_clear(f.arena);
	}
	diag("%d brackets; of %d of values and moves %d are tight", asked, searched, tight);
	ok(asked >= 200, "random scores are asked for");
	ok(wrong == 0, "no row is outside");
	ok(misplaced == 0, "witnesses are rows");
	/* a search among columns in common may take longer */
	ok(tight >= searched - searched / (in_common ? 4 : 20), "all but few are tight within %d boxes", FEW_BOXES);
}

int
main(void)
{
	test_known();
	test_products();
	test_mixed();
	test_factored();
	test_random(false);
	test_random(true);
	return done_testing();
}

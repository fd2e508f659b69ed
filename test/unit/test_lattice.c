/*
 * test_lattice.c
 *		Lipschitz constants where integers move by whole steps: known values, refusals, and
 *		random expressions whose rows are all compared with each other.
 *
 * Files: bound/quantity/lattice.c.
 */
#include <math.h>
#include <string.h>

#include "bound/quantity/bound.h"
#include "bound/quantity/lattice.h"
#include "bound/vector/joint.h"
#include "parse.h"
#include "splitmix.h"
#include "tap.h"

#define MAX_COLUMNS 4

/* Rows that are compared with each other. */
#define MAX_ROWS 1200

typedef struct Column
{
	const char *name;
	DpsType		type;
	double		lo;
	double		hi;
	bool		nullable;
	double		weight;			/* 0 stands for 1 */
} Column;

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	DpsPolicy	policy;
	int			ncolumns;
	const DpsNode *node;
} Fixture;

#define F8(name, lo, hi) {name, DPS_FLOAT8, lo, hi, false, 0}
#define I4(name, lo, hi) {name, DPS_INT4, lo, hi, false, 0}
#define TRUTH(name) {name, DPS_BOOL, 0, 1, false, 0}

static const char *const norm_names[] = {[DPS_NORM_1] = "1", [DPS_NORM_2] = "2", [DPS_NORM_INFINITY] = "inf"};

/* Columns whose name begins with p are public. */
static bool
set_up(Fixture *f, const Column *columns, const char *sql)
{
	int			j;

	memset(f, 0, sizeof(*f));
	if (dps_arena_init(&f->arena, &tap_host) != DPS_OK || dps_graph_init(&f->graph, f->arena) != DPS_OK)
		return false;
	for (j = 0; j < MAX_COLUMNS && columns[j].name != NULL; j++)
	{
		(void) dps_graph_add_variable(f->graph, columns[j].name, columns[j].type, columns[j].nullable);
		f->box[j] = (DpsDomain) {columns[j].lo, columns[j].hi, columns[j].nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL,
		dps_type_is_integer(columns[j].type) || columns[j].type == DPS_BOOL};
		f->policy.private_variables |= columns[j].name[0] != 'p' ? UINT64_C(1) << j : 0;
		f->policy.weights[j] = columns[j].weight > 0 ? columns[j].weight : 1;
	}
	f->ncolumns = j;
	f->node = parse_expression(f->graph, sql);
	return f->node != NULL;
}

static bool
bound(Fixture *f, DpsGradientNorm norm, DpsBracket *bracket)
{
	return dps_lipschitz(f->graph, f->node, f->box, &f->policy, norm, NULL, bracket) == DPS_OK;
}

/* ---- all pairs of rows ---- */

typedef struct Rows
{
	int			n;
	double		cells[MAX_ROWS][MAX_COLUMNS];	/* NaN is NULL */
	double		value[MAX_ROWS];
} Rows;

/* The places of one column that are compared; returns how many. */
static int
places(const DpsDomain *domain, double *values)
{
	int			n = domain->integral && domain->hi - domain->lo < 12 ? (int) (domain->hi - domain->lo) + 1 : 5;
	int			i;

	for (i = 0; i < n; i++)
	{
		values[i] = domain->lo + (domain->hi - domain->lo) * i / (n == 1 ? 1 : n - 1);
		if (domain->integral)
			values[i] = rint(values[i]);
	}
	if (domain->nullness == DPS_MAYBE_NULL)
		values[n++] = (double) NAN;
	return n;
}

/* The exact value, up to the width of an enclosure at a point. */
static double
value_at(const Fixture *f, const DpsProgram *program, DpsEnclosure *enclosures, const double *cells)
{
	DpsDomain	point[DPS_MAX_VARIABLES + 1];
	const DpsEnclosure *result = &enclosures[dps_program_outputs(program)[0]];
	int			j;

	for (j = 0; j < f->ncolumns; j++)
		point[j] = isnan(cells[j]) ? (DpsDomain) {f->box[j].lo, f->box[j].hi, DPS_ALWAYS_NULL, f->box[j].integral} :
			(DpsDomain) {cells[j], cells[j], DPS_NEVER_NULL, f->box[j].integral};
	dps_enclose(program, point, enclosures);
	return result->nullness == DPS_ALWAYS_NULL ? (double) NAN : result->value.lo / 2 + result->value.hi / 2;
}

static bool
make_rows(const Fixture *f, Rows *rows)
{
	double		values[MAX_COLUMNS][16];
	int			n[MAX_COLUMNS];
	int			at[MAX_COLUMNS] = {0};
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	int			j;

	for (j = 0; j < f->ncolumns; j++)
		n[j] = places(&f->box[j], values[j]);
	if (dps_compile(f->graph, &f->node, 1, &program) != DPS_OK)
		return false;
	enclosures = dps_arena_alloc(f->arena, sizeof(DpsEnclosure) * program->ninstructions);
	for (rows->n = 0; enclosures != NULL && rows->n < MAX_ROWS; rows->n++)
	{
		for (j = 0; j < f->ncolumns; j++)
			rows->cells[rows->n][j] = values[j][at[j]];
		rows->value[rows->n] = value_at(f, program, enclosures, rows->cells[rows->n]);
		for (j = 0; j < f->ncolumns && ++at[j] == n[j]; j++)
			at[j] = 0;
		if (j == f->ncolumns)
		{
			rows->n++;
			return true;
		}
	}
	return false;
}

/* How far two rows are apart by what is dual to the norm of slopes; Infinity where they are no
 * neighbours: what is NULL, and public columns, are the same in both. */
static double
distance(const Fixture *f, DpsGradientNorm norm, const double *a, const double *b)
{
	double		sum = 0;
	double		greatest = 0;
	int			j;

	for (j = 0; j < f->ncolumns; j++)
	{
		double		d = f->policy.weights[j] * fabs(a[j] - b[j]);

		if (isnan(a[j]) && isnan(b[j]))
			continue;
		if (isnan(d) || (d > 0 && !(f->policy.private_variables & (UINT64_C(1) << j))))
			return INFINITY;
		greatest = fmax(greatest, d);
		sum += norm == DPS_NORM_2 ? d * d : d;
	}
	return norm == DPS_NORM_1 ? greatest : norm == DPS_NORM_2 ? sqrt(sum) : sum;
}

/* The steepest pair; Infinity where one row has a value and its neighbour has none. */
static double
steepest(const Fixture *f, DpsGradientNorm norm, const Rows *rows, int pair[2])
{
	double		most = 0;
	int			a;
	int			b;

	pair[0] = pair[1] = 0;
	for (a = 0; a < rows->n; a++)
	{
		for (b = 0; b < a; b++)
		{
			double		d = distance(f, norm, rows->cells[a], rows->cells[b]);
			double		slope = fabs(rows->value[a] - rows->value[b]) / d;

			if (d == 0 || isinf(d) || (isnan(rows->value[a]) && isnan(rows->value[b])))
				continue;
			if (isnan(slope))
				slope = INFINITY;
			if (slope > most)
			{
				most = slope;
				pair[0] = a;
				pair[1] = b;
			}
		}
	}
	return most;
}

/* No pair is steeper than is said, and where all columns are integers none has to be less. */
static bool
holds(const Fixture *f, DpsGradientNorm norm, const DpsBracket *bracket)
{
	static Rows rows;
	int			pair[2];
	double		most;
	int			j;

	if (!make_rows(f, &rows))
		return false;
	most = steepest(f, norm, &rows, pair);
	if (most <= bracket->upper * (1 + 1e-12) + 1e-300 && bracket->lower <= bracket->upper)
		return true;
	diag("norm %s: [%.17g, %.17g], but %.17g:", norm_names[norm], bracket->lower, bracket->upper, most);
	for (j = 0; j < f->ncolumns; j++)
		diag("%.17g and %.17g", rows.cells[pair[0]][j], rows.cells[pair[1]][j]);
	return false;
}

/* ---- known values ---- */

static const struct
{
	const char *sql;
	double		upper[3];		/* by norm: 1, 2, maximum */
	Column		columns[MAX_COLUMNS];
}			known[] =
{
	{"CASE WHEN n = 1 THEN 0.5 ELSE 1 END * x", {5.5 + 0.5, 0, 5}, {F8("x", 0, 10), I4("n", 0, 1)}},
	{"CASE WHEN n = 1 THEN 0 ELSE 1 END", {1, 1, 1}, {I4("n", 0, 1)}},
	{"CASE WHEN b THEN 3 * x ELSE x END", {2 * 10 + 3, 0, 20}, {F8("x", 0, 10), TRUTH("b")}},
	{"CASE WHEN n < 30 THEN 540 WHEN n < 60 THEN 300 ELSE 390 END", {240, 240, 240}, {I4("n", 18, 90)}},
	/* a weight makes a step longer */
	{"CASE WHEN n < 30 THEN 540 WHEN n < 60 THEN 300 ELSE 390 END", {60, 60, 60}, {{"n", DPS_INT4, 18, 90, false, 4}}},
	/* no jump, but no derivative at 0 */
	{"sqrt(n)", {1, 1, 1}, {I4("n", 0, 100)}},
	{"n / 3", {1, 1, 1}, {I4("n", 0, 100)}},
	{"n - n / 7 * 7", {6, 6, 6}, {I4("n", 0, 100)}},
	{"n / 3 + m / 2 + x", {3, 0, 1}, {I4("n", 0, 100), I4("m", 0, 5), F8("x", 0, 1)}},
	/* integers along which it is smooth stay on lines: 2 n + x by one gradient, (2, 1) */
	{"CASE WHEN m = 3 THEN 1 ELSE 0 END + 2 * n + x", {1 + 3, 0, 2}, {I4("n", 0, 9), I4("m", 0, 5), F8("x", 0, 1)}},
	/* what NULL does is public */
	{"COALESCE(n / 2, 7)", {1, 1, 1}, {{"n", DPS_INT4, 0, 9, true, 0}}},
};

static double
expected(int i, DpsGradientNorm norm)
{
	static const double squares[] = {[0] = 26, [2] = 409, [8] = 3, [9] = 6};

	if (norm == DPS_NORM_2 && known[i].upper[1] == 0)
		return sqrt(squares[i]);
	return known[i].upper[norm == DPS_NORM_1 ? 0 : norm == DPS_NORM_2 ? 1 : 2];
}

static void
test_known(void)
{
	Fixture		f;
	DpsBracket	bracket;
	int			i;

	for (i = 0; i < (int) (sizeof(known) / sizeof(known[0])); i++)
	{
		for (DpsGradientNorm norm = DPS_NORM_1; norm <= DPS_NORM_INFINITY; norm++)
		{
			if (!ok(set_up(&f, known[i].columns, known[i].sql) && bound(&f, norm, &bracket) && bracket.status == DPS_OK &&
					fabs(bracket.upper - expected(i, norm)) <= 1e-5 * expected(i, norm) && holds(&f, norm, &bracket),
					"%s in norm %s is at most %.17g", known[i].sql, norm_names[norm], expected(i, norm)))
				diag("%s [%.17g, %.17g]", dps_status_name(bracket.status), bracket.lower, bracket.upper);
			dps_arena_clear(f.arena);
		}
	}
}

/* ---- refusals ---- */

static const struct
{
	const char *sql;
	Column		columns[MAX_COLUMNS];
}			refused[] =
{
	/* values on both sides of one that is NULL may be far apart, and one of them may
	 * become NULL */
	{"CASE WHEN n = 5 THEN NULL ELSE n END", {I4("n", 0, 9)}},
	{"CASE WHEN n = 5 THEN m ELSE n END", {I4("n", 0, 9), {"m", DPS_INT4, 0, 9, true, 0}}},
	/* a jump as a real moves */
	{"CASE WHEN x < 1 THEN n ELSE n + 1 END", {I4("n", 0, 9), F8("x", 0, 2)}},
	{"CASE WHEN n > x THEN 1 ELSE 0 END", {I4("n", 0, 9), F8("x", 0, 9)}},
	/* undefined at an integer */
	{"1 / (n - 3.0)", {I4("n", 0, 9)}},
	/* no integer moves */
	{"CASE WHEN p = 1 THEN sqrt(x) ELSE x END", {I4("p", 0, 1), F8("x", 0, 1)}},
};

static void
test_refusals(void)
{
	Fixture		f;
	DpsBracket	bracket;
	int			i;

	for (i = 0; i < (int) (sizeof(refused) / sizeof(refused[0])); i++)
	{
		if (!ok(set_up(&f, refused[i].columns, refused[i].sql) && bound(&f, DPS_NORM_2, &bracket) &&
				bracket.status != DPS_OK && bracket.upper == INFINITY && bracket.culprit != NULL,
				"%s is refused", refused[i].sql))
			diag("%s [%.17g, %.17g]", dps_status_name(bracket.status), bracket.lower, bracket.upper);
		dps_arena_clear(f.arena);
	}
}

/* ---- random expressions ---- */

#define RANDOM_EXPRESSIONS 400
#define MAX_TEXT 4000

static const Column random_columns[MAX_COLUMNS] = {
	{"n", DPS_INT4, 0, 9, false, 3}, {"m", DPS_INT4, -2, 3, true, 0}, {"b", DPS_BOOL, 0, 1, false, 0.5}, {"x", DPS_FLOAT8, -1, 2, false, 2}
};

static uint64_t
below(uint64_t *state, uint64_t n)
{
	return splitmix64(state) % n;
}

static void
write_condition(uint64_t *state, char *text)
{
	switch (below(state, 5))
	{
		case 0:
			sprintf(text, "n < %d", (int) below(state, 9) + 1);
			return;
		case 1:
			sprintf(text, "m = %d", (int) below(state, 6) - 2);
			return;
		case 2:
			sprintf(text, "b");
			return;
		case 3:
			sprintf(text, "n + m > %d", (int) below(state, 11));
			return;
		default:
			sprintf(text, "m IS NULL OR n - n / 3 * 3 = %d", (int) below(state, 3));
	}
}

static void
write_expression(uint64_t *state, int depth, char *text)
{
	static const char *const leaves[] = {"n", "x", "(x * n)", "(n / 4)", "(n - n / 5 * 5)", "sqrt(n)", "abs(x)", "COALESCE(m, 4)", "(m * x)", "2.5"};
	char		left[MAX_TEXT];
	char		right[MAX_TEXT];
	char		condition[100];

	if (depth == 0)
	{
		strcpy(text, leaves[below(state, sizeof(leaves) / sizeof(leaves[0]))]);
		return;
	}
	write_expression(state, depth - 1, left);
	write_expression(state, depth - 1, right);
	switch (below(state, 4))
	{
		case 0:
			sprintf(text, "(%s + %s)", left, right);
			return;
		case 1:
			sprintf(text, "(%s * %s)", left, right);
			return;
		default:
			write_condition(state, condition);
			sprintf(text, "CASE WHEN %s THEN %s ELSE %s END", condition, left, right);
	}
}

static void
test_random(void)
{
	uint64_t	state = 20261127;
	int			stepped = 0;
	int			wrong = 0;
	int			i;

	for (i = 0; i < RANDOM_EXPRESSIONS; i++)
	{
		DpsGradientNorm norm = (DpsGradientNorm) (i % 3);
		char		text[MAX_TEXT];
		Fixture		f;
		DpsBracket	bracket;
		DpsBracket	lines;

		write_expression(&state, (int) below(&state, 3), text);
		if (!set_up(&f, random_columns, text) || !bound(&f, norm, &bracket) ||
			dps_lipschitz_by_lines(f.graph, f.node, f.box, &f.policy, norm, NULL, &lines) != DPS_OK ||
			(bracket.status == DPS_OK && !holds(&f, norm, &bracket)))
		{
			wrong++;
			diag("expression %d: %s", i, text);
		}
		stepped += bracket.status == DPS_OK && lines.status != DPS_OK;
		dps_arena_clear(f.arena);
	}
	ok(wrong == 0, "no two rows of %d random expressions are steeper than is said", RANDOM_EXPRESSIONS);
	if (!ok(stepped > RANDOM_EXPRESSIONS / 4, "for many of them integers have to move by steps"))
		diag("%d", stepped);
}

/* ---- vectors ---- */

static void
test_vectors(void)
{
	static const Column columns[MAX_COLUMNS] = {F8("x", 0, 10), I4("n", 0, 1)};
	static const double upper[] = {[DPS_NORM_1] = 2 + 1.4142135623730951, [DPS_NORM_2] = 2.4494897427831779, [DPS_NORM_INFINITY] = 2};
	const DpsNode *entries[2];
	Fixture		f;
	DpsJoint	joint;
	DpsJointBracket result;

	for (DpsGradientNorm norm = DPS_NORM_1; norm <= DPS_NORM_INFINITY; norm++)
	{
		/* by itself the one has 2, the other the root of 2 */
		if (!ok(set_up(&f, columns, "CASE WHEN n = 1 THEN 2 ELSE 0 END") && (entries[0] = dps_as_float8(f.graph, f.node)) != NULL &&
				(entries[1] = dps_as_float8(f.graph, parse_expression(f.graph, "x + n"))) != NULL &&
				dps_joint_init(&joint, f.graph, entries, 2, f.box, &f.policy, NULL) == DPS_OK &&
				dps_joint_lipschitz(&joint, norm, &result) == DPS_OK && result.bracket.status == DPS_OK &&
				fabs(result.bracket.upper - upper[norm]) <= 1e-5 * upper[norm],
				"a vector, one entry of which jumps, moves by %.17g at most in norm %s", upper[norm], norm_names[norm]))
			diag("%s [%.17g, %.17g]", dps_status_name(result.bracket.status), result.bracket.lower, result.bracket.upper);
		dps_arena_clear(f.arena);
	}
}

int
main(void)
{
	test_known();
	test_refusals();
	test_random();
	test_vectors();
	return done_testing();
}

/*
 * test_discrete.c
 *		Sensitivities of functions of a histogram: known values, enumeration,
 *		many cells, refusals, and nothing leaks.
 *
 * Files: bound/histogram/histogram_boxes.c, bound/histogram/histogram_forms.c,
 *	bound/histogram/histogram_search.c, bound/histogram/histogram_change.c,
 *	bound/histogram/histogram_witness.c, bound/histogram/histogram_proof.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bound/histogram/histogram_sensitivity.h"
#include "parse.h"
#include "scarce.h"
#include "splitmix.h"
#include "tap.h"

#define MAX_CELLS 130
#define MAX_OUTPUTS 130
#define TEXT 40000

/* A function of a histogram and where it is asked about. */
typedef struct Question
{
	int			ncells;
	int			upper[MAX_CELLS];
	double		min_rows;
	double		max_rows;
	int			noutputs;
	char	   *sql[MAX_OUTPUTS];
} Question;

typedef struct Fixture
{
	DpsArena   *arena;
	DpsGraph   *graph;
	char		names[MAX_CELLS][16];
	const DpsNode *outputs[MAX_OUTPUTS];
} Fixture;

static bool
set_up(Fixture *f, const DpsHost *host, const Question *question)
{
	int			k;

	if (dps_arena_init(&f->arena, host) != DPS_OK ||
		dps_graph_init_wide(&f->graph, f->arena, question->ncells) != DPS_OK)
		return false;
	for (k = 0; k < question->ncells; k++)
	{
		snprintf(f->names[k], sizeof(f->names[k]), "n%d", k);
		(void) dps_graph_add_variable(f->graph, f->names[k], DPS_FLOAT8, false);
	}
	for (k = 0; k < question->noutputs; k++)
	{
		f->outputs[k] = dps_as_float8(f->graph, parse_expression(f->graph, question->sql[k]));
		if (f->outputs[k] == NULL)
			return false;
	}
	return true;
}

static DpsHistogramDomain
domain_of(const Question *question)
{
	return (DpsHistogramDomain) {question->ncells, question->upper, question->min_rows, question->max_rows};
}

static DpsStatus
ask_with(Fixture *f, const Question *question, DpsNeighbours neighbours, double p, uint64_t max_boxes,
		 DpsDifference *answer)
{
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	DpsHistogramDomain domain = domain_of(question);

	options.max_boxes = max_boxes;
	return dps_difference(f->graph, f->outputs, question->noutputs, &domain, neighbours, p, &options, answer);
}

static DpsStatus
ask(Fixture *f, const Question *question, DpsNeighbours neighbours, double p, DpsDifference *answer)
{
	return ask_with(f, question, neighbours, p, 200000, answer);
}

static bool
is_near(double x, double y, double tolerance)
{
	return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static double
vector_norm(const double *x, int n, double p)
{
	double		result = 0;
	int			k;

	for (k = 0; k < n; k++)
		result = isinf(p) ? fmax(result, fabs(x[k])) : result + pow(fabs(x[k]), p);
	return isinf(p) ? result : pow(result, 1 / p);
}

/*
 * Enumeration
 */

typedef struct Enumeration
{
	const Question *question;
	const DpsProgram *program;
	double	   *scratch;
	DpsEnclosure *enclosures;
	bool		undefined;
	double		greatest[2];	/* by DpsNeighbours */
	double		p;
} Enumeration;

static void
evaluate(const Enumeration *e, const double *histogram, double *values)
{
	const double *columns[MAX_CELLS];
	double	   *outputs[MAX_OUTPUTS];
	int			k;

	for (k = 0; k < e->question->ncells; k++)
		columns[k] = &histogram[k];
	for (k = 0; k < e->question->noutputs; k++)
		outputs[k] = &values[k];
	dps_evaluate(e->program, columns, 1, e->scratch, outputs);
}

/* The norm of the change between two histograms. */
static double
change(const Enumeration *e, const double *from, const double *to)
{
	double		before[MAX_OUTPUTS];
	double		after[MAX_OUTPUTS];
	int			k;

	evaluate(e, from, before);
	evaluate(e, to, after);
	for (k = 0; k < e->question->noutputs; k++)
		after[k] -= before[k];
	return vector_norm(after, e->question->noutputs, e->p);
}

/* Would SQL raise an error, or yield NULL? */
static bool
is_undefined(const Enumeration *e, const double *n)
{
	DpsDomain	box[MAX_CELLS];
	int			k;

	for (k = 0; k < e->question->ncells; k++)
		box[k] = (DpsDomain) {n[k], n[k], DPS_NEVER_NULL, true};
	dps_enclose(e->program, box, e->enclosures);
	for (k = 0; k < e->question->noutputs; k++)
	{
		const DpsEnclosure *value = &e->enclosures[dps_program_outputs(e->program)[k]];

		if (value->defined != DPS_DEFINED || value->nullness != DPS_NEVER_NULL)
			return true;
	}
	return false;
}

static void
visit(Enumeration *e, double *n, double rows)
{
	const Question *q = e->question;
	double		other[MAX_CELLS];
	int			i;
	int			j;

	if (rows < q->min_rows || rows > q->max_rows)
		return;
	e->undefined = e->undefined || is_undefined(e, n);
	memcpy(other, n, sizeof(other));
	for (i = 0; i < q->ncells; i++)
	{
		if (n[i] == q->upper[i])
			continue;
		other[i]++;
		if (rows + 1 <= q->max_rows)
			e->greatest[DPS_ADD_REMOVE] = fmax(e->greatest[DPS_ADD_REMOVE], change(e, n, other));
		for (j = 0; j < q->ncells; j++)
		{
			if (j == i || n[j] == 0)
				continue;
			other[j]--;
			e->greatest[DPS_REPLACE] = fmax(e->greatest[DPS_REPLACE], change(e, n, other));
			other[j]++;
		}
		other[i]--;
	}
}

static void
enumerate(Enumeration *e, double *n, int cell, double rows)
{
	if (cell == e->question->ncells)
	{
		visit(e, n, rows);
		return;
	}
	for (n[cell] = 0; n[cell] <= e->question->upper[cell]; n[cell]++)
		enumerate(e, n, cell + 1, rows + n[cell]);
}

/*
 * Known values
 *
 * Exact fractions from enumeration in rational arithmetic, independent of this
 * program, over histograms of the values 0 ... cells - 1 with min to max rows.
 */
typedef struct Known
{
	const char *name;
	int			cells;
	int			min;
	int			max;
	double		l1;
	double		l2_squared;
	double		linf;
	double		replace_l1;
	double		replace_l2_squared;
	const char *sql[4];
} Known;

#define COUNT2 "(n0 + n1)"
#define MEAN2 "n1 / (n0 + n1)"
#define COUNT4 "(n0 + n1 + n2 + n3)"
#define SUM4 "(n1 + 2 * n2 + 3 * n3)"
#define SQUARES4 "(n1 + 4 * n2 + 9 * n3)"
#define MEAN4 SUM4 " / " COUNT4
#define MAX2 "greatest(CASE WHEN n0 > 0 THEN 0 END, CASE WHEN n1 > 0 THEN 1 END)"
#define MIN2 "least(CASE WHEN n0 > 0 THEN 0 END, CASE WHEN n1 > 0 THEN 1 END)"
#define MAX4 "greatest(" MAX2 ", greatest(CASE WHEN n2 > 0 THEN 2 END, CASE WHEN n3 > 0 THEN 3 END))"
#define MIN4 "least(" MIN2 ", least(CASE WHEN n2 > 0 THEN 2 END, CASE WHEN n3 > 0 THEN 3 END))"

static const Known known[] = {
	{"count", 2, 0, 6, 1, 1, 1, 0, 0, {COUNT2}},
	{"count and sum", 2, 0, 6, 2, 2, 1, 1, 1, {COUNT2, "n1"}},
	{"count times sum", 2, 0, 6, 11, 121, 11, 6, 36, {COUNT2 " * n1"}},
	{"identity", 2, 0, 6, 1, 1, 1, 2, 2, {"n0", "n1"}},
	{"max", 2, 1, 6, 1, 1, 1, 1, 1, {MAX2}},
	{"mean", 2, 1, 6, 1 / 2.0, 1 / 4.0, 1 / 2.0, 1, 1, {MEAN2}},
	{"mean, of none 0", 2, 0, 6, 1, 1, 1, 1, 1, {"CASE WHEN " COUNT2 " = 0 THEN 0 ELSE " MEAN2 " END"}},
	{"mean, of none 1/2", 2, 0, 6, 1 / 2.0, 1 / 4.0, 1 / 2.0, 1, 1,
	{"CASE WHEN " COUNT2 " = 0 THEN 0.5 ELSE " MEAN2 " END"}},
	{"lower median", 2, 1, 6, 1, 1, 1, 1, 1, {"CASE WHEN 2 * n0 >= " COUNT2 " THEN 0 ELSE 1 END"}},
	{"min", 2, 1, 6, 1, 1, 1, 1, 1, {MIN2}},
	{"range", 2, 1, 6, 1, 1, 1, 1, 1, {MAX2 " - " MIN2}},
	{"sum", 2, 0, 6, 1, 1, 1, 1, 1, {"0 * n0 + n1"}},
	{"sum of squares", 2, 0, 6, 1, 1, 1, 1, 1, {"0 * n0 + 1 * n1"}},
	{"population variance", 2, 1, 6, 1 / 4.0, 1 / 16.0, 1 / 4.0, 1 / 4.0, 1 / 16.0, {MEAN2 " - (" MEAN2 ") ^ 2"}},
	{"sample variance", 2, 2, 6, 1 / 3.0, 1 / 9.0, 1 / 3.0, 1 / 2.0, 1 / 4.0,
	{"(n1 - n1 ^ 2 / " COUNT2 ") / (" COUNT2 " - 1)"}},
	{"count", 4, 0, 5, 1, 1, 1, 0, 0, {COUNT4}},
	{"count and sum", 4, 0, 5, 4, 10, 3, 3, 9, {COUNT4, SUM4}},
	{"count times sum", 4, 0, 5, 27, 729, 27, 15, 225, {COUNT4 " * " SUM4}},
	{"identity", 4, 0, 5, 1, 1, 1, 2, 2, {"n0", "n1", "n2", "n3"}},
	{"max", 4, 1, 5, 3, 9, 3, 3, 9, {MAX4}},
	{"mean", 4, 1, 5, 3 / 2.0, 9 / 4.0, 3 / 2.0, 3, 9, {MEAN4}},
	{"mean, of none 0", 4, 0, 5, 3, 9, 3, 3, 9, {"CASE WHEN " COUNT4 " = 0 THEN 0 ELSE " MEAN4 " END"}},
	{"mean, of none 3/2", 4, 0, 5, 3 / 2.0, 9 / 4.0, 3 / 2.0, 3, 9,
	{"CASE WHEN " COUNT4 " = 0 THEN 1.5 ELSE " MEAN4 " END"}},
	{"lower median", 4, 1, 5, 3, 9, 3, 3, 9,
		{"CASE WHEN 2 * n0 >= " COUNT4 " THEN 0 WHEN 2 * (n0 + n1) >= " COUNT4 " THEN 1 "
	"WHEN 2 * (n0 + n1 + n2) >= " COUNT4 " THEN 2 ELSE 3 END"}},
	{"min", 4, 1, 5, 3, 9, 3, 3, 9, {MIN4}},
	{"range", 4, 1, 5, 3, 9, 3, 3, 9, {MAX4 " - " MIN4}},
	{"sum", 4, 0, 5, 3, 9, 3, 3, 9, {SUM4}},
	{"sum of squares", 4, 0, 5, 9, 81, 9, 9, 81, {SQUARES4}},
	{"population variance", 4, 1, 5, 9 / 4.0, 81 / 16.0, 9 / 4.0, 9 / 4.0, 81 / 16.0,
	{SQUARES4 " / " COUNT4 " - (" MEAN4 ") ^ 2"}},
	{"sample variance", 4, 2, 5, 3, 9, 3, 9 / 2.0, 81 / 4.0,
	{"(" SQUARES4 " - " SUM4 " ^ 2 / " COUNT4 ") / (" COUNT4 " - 1)"}},
};

/* The bracket is one number, but for rounding, and the right one. */
static bool
is_exactly(Fixture *f, const Question *question, DpsNeighbours neighbours, double p, double expected)
{
	DpsDifference answer;

	if (ask(f, question, neighbours, p, &answer) == DPS_OK && answer.status == DPS_OK &&
		answer.lower <= expected * (1 + 1e-15) && answer.upper >= expected * (1 - 1e-15) &&
		is_near(answer.lower, expected, 1e-13) && is_near(answer.upper, expected, 1e-13))
		return true;
	diag("%d, p = %g: status %d, [%.17g, %.17g] instead of %.17g", neighbours, p, answer.status,
		 answer.lower, answer.upper, expected);
	return false;
}

static void
test_known(void)
{
	size_t		k;
	int			i;

	for (k = 0; k < sizeof(known) / sizeof(known[0]); k++)
	{
		const Known *c = &known[k];
		Question	q = {.ncells = c->cells, .min_rows = c->min, .max_rows = c->max};
		Fixture		f;

		for (i = 0; i < c->cells; i++)
			q.upper[i] = c->max;
		for (; q.noutputs < 4 && c->sql[q.noutputs] != NULL; q.noutputs++)
			q.sql[q.noutputs] = (char *) c->sql[q.noutputs];
		if (!ok(set_up(&f, &tap_host, &q), "%s of %d cells can be read", c->name, c->cells))
			continue;
		ok(is_exactly(&f, &q, DPS_ADD_REMOVE, 1, c->l1) &&
		   is_exactly(&f, &q, DPS_ADD_REMOVE, 2, sqrt(c->l2_squared)) &&
		   is_exactly(&f, &q, DPS_ADD_REMOVE, INFINITY, c->linf),
		   "%s of %d cells, %d to %d rows: a row added", c->name, c->cells, c->min, c->max);
		ok(is_exactly(&f, &q, DPS_REPLACE, 1, c->replace_l1) &&
		   is_exactly(&f, &q, DPS_REPLACE, 2, sqrt(c->replace_l2_squared)),
		   "%s of %d cells, %d to %d rows: a row replaced", c->name, c->cells, c->min, c->max);
		dps_arena_clear(f.arena);
	}
}

/*
 * Ages 0 ... 122
 */

typedef enum AgeFunction
{
	AGE_MEAN,
	AGE_COUNT,
	AGE_SUM,
	AGE_VARIANCE,
	AGE_MAX,
	AGE_MEAN_OR_0,
	AGE_IDENTITY
} AgeFunction;

#define AGES 123

static char *
weighted_sum(int power)
{
	char	   *text = malloc(TEXT);
	size_t		length = 0;
	int			i;

	for (i = 0; i < AGES; i++)
		length += snprintf(text + length, TEXT - length, "%s%.0f * n%d", i == 0 ? "(" : " + ", pow(i, power), i);
	snprintf(text + length, TEXT - length, ")");
	return text;
}

static char *
oldest(void)
{
	char	   *text = malloc(TEXT);
	size_t		length = 0;
	int			i;

	for (i = 0; i < AGES; i++)
		length += snprintf(text + length, TEXT - length, "greatest(CASE WHEN n%d > 0 THEN %d END, ", i, i);
	length += snprintf(text + length, TEXT - length, "NULL");
	for (i = 0; i < AGES; i++)
		length += snprintf(text + length, TEXT - length, ")");
	return text;
}

static void
ask_ages(Question *q, AgeFunction function, int upper, double min_rows, double max_rows)
{
	char	   *count = weighted_sum(0);
	char	   *sum = weighted_sum(1);
	char	   *squares = weighted_sum(2);
	char	   *text = malloc(TEXT);
	int			i;

	*q = (Question) {.ncells = AGES, .min_rows = min_rows, .max_rows = max_rows, .noutputs = 1};
	for (i = 0; i < AGES; i++)
		q->upper[i] = upper;
	if (function == AGE_MEAN)
		snprintf(text, TEXT, "%s / %s", sum, count);
	else if (function == AGE_MEAN_OR_0)
		snprintf(text, TEXT, "CASE WHEN %s = 0 THEN 0 ELSE %s / %s END", count, sum, count);
	else if (function == AGE_VARIANCE)
		snprintf(text, TEXT, "%s / %s - (%s / %s) ^ 2", squares, count, sum, count);
	else if (function == AGE_COUNT || function == AGE_SUM)
		snprintf(text, TEXT, "%s", function == AGE_COUNT ? count : sum);
	q->sql[0] = text;
	if (function == AGE_MAX)
	{
		free(text);
		q->sql[0] = oldest();
	}
	else if (function == AGE_IDENTITY)
	{
		free(text);
		q->noutputs = AGES;
		for (i = 0; i < AGES; i++)
		{
			q->sql[i] = malloc(16);
			snprintf(q->sql[i], 16, "n%d", i);
		}
	}
	free(count);
	free(sum);
	free(squares);
}

static void
forget(Question *q)
{
	int			k;

	for (k = 0; k < q->noutputs; k++)
		free(q->sql[k]);
}

static const struct
{
	const char *name;
	AgeFunction function;
	int			upper;
	double		min_rows;
	double		max_rows;
	double		p;
	double		add_remove;
	double		replace;
}			ages[] =
{
	/* (greatest - least) / (least number of rows + 1), or without the 1 */
	{"mean of at least 1", AGE_MEAN, 1000, 1, INFINITY, 2, 61, 122},
	{"mean of at least 1, all different", AGE_MEAN, 1, 1, INFINITY, 2, 61, 122},
	{"mean of 1 or 2", AGE_MEAN, 2, 1, 2, 1, 61, 122},
	{"mean of 1 to 3", AGE_MEAN, 3, 1, 3, 1, 61, 122},
	{"mean of 1 to 50", AGE_MEAN, 50, 1, 50, 1, 61, 122},
	{"mean of 2 to 50", AGE_MEAN, 50, 2, 50, 1, 122 / 3.0, 61},
	{"mean of 10 to 50", AGE_MEAN, 50, 10, 50, 1, 122 / 11.0, 12.2},
	{"mean of 49 or 50", AGE_MEAN, 50, 49, 50, 1, 61 / 25.0, 122 / 49.0},
	{"mean, of none 0", AGE_MEAN_OR_0, 1000, 0, INFINITY, 2, 122, 122},
	{"count", AGE_COUNT, 1000, 0, INFINITY, 3, 1, 0},
	{"sum", AGE_SUM, 1000, 0, INFINITY, 2, 122, 122},
	/* d^2 n / (n + 1)^2 - var / (n + 1) at n = 1; [a, b] to [a, a] */
	{"variance", AGE_VARIANCE, 1000, 1, INFINITY, 2, 3721, 3721},
	{"maximum", AGE_MAX, 1000, 1, INFINITY, 1, 122, 122},
	{"identity", AGE_IDENTITY, 1000, 0, INFINITY, 1, 1, 2},
	{"identity", AGE_IDENTITY, 1000, 0, INFINITY, 2, 1, M_SQRT2},
	{"identity", AGE_IDENTITY, 1000, 0, INFINITY, INFINITY, 1, 1},
};

static void
test_ages(void)
{
	size_t		k;

	for (k = 0; k < sizeof(ages) / sizeof(ages[0]); k++)
	{
		Question	q;
		Fixture		f;

		ask_ages(&q, ages[k].function, ages[k].upper, ages[k].min_rows, ages[k].max_rows);
		if (ok(set_up(&f, &tap_host, &q), "%s of ages can be read", ages[k].name))
		{
			ok(is_exactly(&f, &q, DPS_ADD_REMOVE, ages[k].p, ages[k].add_remove),
			   "%s of ages, p = %g, a row added: %g", ages[k].name, ages[k].p, ages[k].add_remove);
			ok(is_exactly(&f, &q, DPS_REPLACE, ages[k].p, ages[k].replace),
			   "%s of ages, p = %g, a row replaced: %g", ages[k].name, ages[k].p, ages[k].replace);
		}
		dps_arena_clear(f.arena);
		forget(&q);
	}
}

/*
 * Random expressions against enumeration
 */

static uint64_t random_state;

static uint64_t
random_below(uint64_t n)
{
	return splitmix64(&random_state) % n;
}

static void write_expression(char *text, size_t size, int ncells, int depth);

/* A linear form, with coefficients that are not all exact. */
static void
write_form(char *text, size_t size, int ncells)
{
	size_t		length = snprintf(text, size, "(");
	int			i;

	for (i = 0; i < ncells; i++)
		length += snprintf(text + length, size - length, "%s%d%s * n%d", i == 0 ? "" : random_below(4) == 0 ? " - " : " + ",
						   (int) random_below(4), random_below(6) == 0 ? ".1" : "", i);
	snprintf(text + length, size - length, " + %d)", (int) random_below(3));
}

static void
write_operation(char *text, size_t size, int ncells, int depth)
{
	static const char *const templates[] = {
		"(%s + %s)", "(%s - %s)", "%s * %s", "%s / (1 + abs(%s))", "greatest(%s, %s)", "least(%s, %s)",
		"sqrt(abs(%s)) + 0 * %s", "floor(%s / 2) - %s", "(%s) ^ 2 + %s", "%s / %s",
		"CASE WHEN %s > 3 THEN 1 ELSE %s END", "CASE WHEN %s = 0 THEN NULL ELSE %s END",
	};
	char		x[1000];
	char		y[1000];
	/* the last ones make it undefined or NULL somewhere, mostly */
	int			choice = random_below(random_below(4) == 0 ? 12 : 9);

	if (random_below(4) == 0)
		choice = random_below(4);
	write_expression(x, sizeof(x), ncells, depth - 1);
	write_expression(y, sizeof(y), ncells, depth - 1);
	snprintf(text, size, templates[choice], x, y);
}

static void
write_expression(char *text, size_t size, int ncells, int depth)
{
	if (depth > 0 && random_below(5) != 0)
		write_operation(text, size, ncells, depth);
	else if (random_below(2) == 0)
		write_form(text, size, ncells);
	else
		snprintf(text, size, "n%d", (int) random_below(ncells));
}

static void
random_question(Question *q, char text[2][TEXT])
{
	double		most = 0;
	int			k;

	*q = (Question) {.ncells = 1 + random_below(5), .noutputs = 1 + random_below(2)};
	for (k = 0; k < q->ncells; k++)
	{
		q->upper[k] = 1 + random_below(q->ncells > 3 ? 2 : 4);
		most += q->upper[k];
	}
	q->min_rows = random_below(3) == 0 ? 1 + random_below(2) : 0;
	q->max_rows = random_below(3) == 0 ? fmax(q->min_rows, 1 + random_below(most)) : INFINITY;
	for (k = 0; k < q->noutputs; k++)
	{
		q->sql[k] = text[k];
		write_expression(text[k], TEXT, q->ncells, 2);
	}
}

/* Is the bracket's lower end reached between the histograms that it names? */
static bool
is_attained(const Enumeration *e, const DpsDifference *answer)
{
	const Question *q = e->question;
	double		other[MAX_CELLS];
	double		rows = 0;
	int			i;

	if (answer->histogram == NULL)
		return answer->lower == 0;
	for (i = 0; i < q->ncells; i++)
	{
		other[i] = answer->histogram[i] + (i == answer->added ? 1 : 0) - (i == answer->removed ? 1 : 0);
		rows += answer->histogram[i];
		if (answer->histogram[i] < 0 || answer->histogram[i] > q->upper[i] || other[i] < 0 || other[i] > q->upper[i])
			return false;
	}
	return answer->added >= 0 && rows >= q->min_rows && rows <= q->max_rows &&
		is_near(change(e, answer->histogram, other), answer->lower, 1e-9);
}

/* Can rounding decide on which side of a jump, or how far from the edge of a
 * root, a value is? */
static bool
rounding_matters(const Question *q)
{
	bool		rounds = false;
	bool		jumps = false;
	int			k;

	for (k = 0; k < q->noutputs; k++)
	{
		rounds = rounds || strstr(q->sql[k], ".1") != NULL;
		jumps = jumps || strstr(q->sql[k], "floor") != NULL || strstr(q->sql[k], "CASE") != NULL ||
			strstr(q->sql[k], "sqrt") != NULL;
	}
	return rounds && jumps;
}

static bool
agrees(const Enumeration *e, DpsNeighbours neighbours, const DpsDifference *answer)
{
	double		expected = e->greatest[neighbours];

	if (e->undefined)
		return answer->status != DPS_OK && answer->upper == INFINITY;
	if (answer->status == DPS_OK && rounding_matters(e->question))
		return answer->lower <= expected * (1 + 1e-9) && answer->upper >= expected * (1 - 1e-9);
	return answer->status == DPS_OK && !answer->exhausted && !answer->unattained &&
		answer->lower <= answer->upper && is_near(answer->lower, expected, 1e-9) &&
		is_near(answer->upper, expected, 1e-9) && is_attained(e, answer);
}

static void
describe(const Question *q, double p)
{
	int			k;

	for (k = 0; k < q->noutputs; k++)
		diag("%s", q->sql[k]);
	for (k = 0; k < q->ncells; k++)
		diag("  n%d up to %d", k, q->upper[k]);
	diag("  rows %g to %g, p = %g", q->min_rows, q->max_rows, p);
}

static int	refused_questions;

/* Both answers to one question. */
static bool
check_question(const Question *q, double p)
{
	Enumeration e = {.question = q, .p = p};
	DpsDifference answer;
	double		n[MAX_CELLS] = {0};
	Fixture		f;
	bool		good = true;
	int			k;

	if (!set_up(&f, &tap_host, q) || dps_compile(f.graph, f.outputs, q->noutputs, &e.program) != DPS_OK)
		return false;
	e.scratch = malloc(sizeof(double) * (dps_scratch_size(e.program) + 1));
	e.enclosures = malloc(sizeof(DpsEnclosure) * (e.program->ninstructions + 1));
	enumerate(&e, n, 0, 0);
	refused_questions += e.undefined;
	for (k = 0; k < 2; k++)
	{
		if (ask(&f, q, k, p, &answer) == DPS_OK && agrees(&e, k, &answer))
			continue;
		good = false;
		describe(q, p);
		diag("  neighbours %d: status %d, [%.17g, %.17g], enumeration %.17g%s", k, answer.status, answer.lower,
			 answer.upper, e.greatest[k], e.undefined ? ", undefined" : "");
	}
	free(e.scratch);
	free(e.enclosures);
	dps_arena_clear(f.arena);
	return good;
}

static void
test_random(uint64_t seed, int questions)
{
	static char text[2][TEXT];
	static const double norms[] = {1, 2, 3, 1.5, INFINITY};
	int			failures = 0;
	int			i;

	random_state = seed;
	for (i = 0; i < questions && failures < 3; i++)
	{
		Question	q;

		random_question(&q, text);
		if (!check_question(&q, norms[random_below(5)]))
			failures++;
	}
	ok(failures == 0, "%d random expressions agree with enumeration (seed %llu)", questions, (unsigned long long) seed);
	ok(refused_questions > questions / 100 && refused_questions < questions / 2,
	   "some of them are undefined somewhere (%d)", refused_questions);
}

/*
 * Refusals and ends
 */

static Question
simple_question(const char *sql, int ncells, int upper)
{
	Question	q = {.ncells = ncells, .max_rows = INFINITY, .noutputs = 1};
	int			i;

	for (i = 0; i < ncells; i++)
		q.upper[i] = upper;
	q.sql[0] = (char *) sql;
	return q;
}

static void
test_refusals(void)
{
	static const struct
	{
		const char *sql;
		int			ncells;
		DpsOpcode	culprit;
		double		at[3];		/* the histogram of which it is said */
	}			cases[] = {
		{"n1 / (n0 + n1)", 2, DPS_OP_DIV, {0, 0}},
		{"1 / (n0 - 3) + n1", 2, DPS_OP_DIV, {3, -1}},
		{"CASE WHEN n1 > 4 THEN ln(n0 - 1) ELSE 0 END", 2, DPS_OP_LN, {-1, -1}},
		{"CASE WHEN n0 = 2 THEN NULL ELSE n1 END", 2, DPS_OP_CASE, {2, -1}},
		{"exp(100 * (n0 + n1))", 2, DPS_OP_EXP, {-1, -1}},
		{"1 / (n1 + 2 * n2 - n0 - 7)", 3, DPS_OP_DIV, {-1, -1, -1}},
	};
	size_t		k;
	int			i;

	for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
	{
		Question	q = simple_question(cases[k].sql, cases[k].ncells, 5);
		DpsDifference answer;
		Fixture		f;
		bool		good = set_up(&f, &tap_host, &q) && ask(&f, &q, k % 2, 2, &answer) == DPS_OK &&
			answer.status == DPS_DOMAIN && answer.upper == INFINITY && answer.histogram != NULL &&
			answer.culprit != NULL && answer.culprit->op == cases[k].culprit;

		for (i = 0; good && i < cases[k].ncells; i++)
			good = cases[k].at[i] < 0 || answer.histogram[i] == cases[k].at[i];
		if (!ok(good, "%s is refused", cases[k].sql))
			diag("status %d, [%g, %g], culprit %d", answer.status, answer.lower, answer.upper,
				 answer.culprit == NULL ? -1 : answer.culprit->op);
		dps_arena_clear(f.arena);
	}
}

static void
test_ends(void)
{
	Question	q = simple_question("n0 * n0", 1, 7);
	Question	lonely = simple_question("n0 * n1", 2, 1);
	Question	wild = simple_question("sin(n0 * n1 + n2) * cos(n1 * n2 - n3) * sin(n4 * n0)", 5, 1000000);
	DpsDifference answer;
	Fixture		f;

	ok(set_up(&f, &tap_host, &q) && is_exactly(&f, &q, DPS_ADD_REMOVE, 2, 13), "one cell, full");
	ok(ask(&f, &q, DPS_REPLACE, 2, &answer) == DPS_OK && answer.status == DPS_OK && answer.empty &&
	   answer.upper == 0, "one cell has nothing to replace a row by");
	dps_arena_clear(f.arena);
	lonely.max_rows = 0;
	ok(set_up(&f, &tap_host, &lonely) && ask(&f, &lonely, DPS_ADD_REMOVE, 2, &answer) == DPS_OK &&
	   answer.status == DPS_OK && answer.empty && answer.upper == 0, "the empty histogram alone has no neighbour");
	dps_arena_clear(f.arena);
	ok(set_up(&f, &tap_host, &wild) && ask_with(&f, &wild, DPS_ADD_REMOVE, 2, 500, &answer) == DPS_OK &&
	   answer.status == DPS_OK && answer.exhausted && answer.boxes <= 502 && answer.upper >= answer.lower &&
	   answer.lower > 1 && answer.upper <= 2, "a search that ends early has a bracket all the same");
	dps_arena_clear(f.arena);
}

/* Variables beyond the 64th are told apart although they share a bit. */
static void
test_wide_graph(void)
{
	DpsArena   *arena;
	DpsGraph   *graph = NULL;
	const DpsNode *gradient[100];
	const DpsNode *product;
	const DpsNode *changed;
	int			i;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		return;
	if (!ok(dps_graph_init_wide(&graph, arena, 100) == DPS_OK, "a wide graph"))
		return;
	for (i = 0; i < 100; i++)
		(void) dps_graph_add_variable(graph, "x", DPS_FLOAT8, false);
	ok(dps_graph_add_variable(graph, "x", DPS_FLOAT8, false) == -1, "it has as many variables as it was made for");
	product = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, dps_variable(graph, 70), dps_variable(graph, 90));
	changed = dps_substitute(graph, product, 70, dps_constant(graph, DPS_FLOAT8, 2));
	ok(changed == dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, dps_constant(graph, DPS_FLOAT8, 2), dps_variable(graph, 90)),
	   "substitution replaces the variable that it is told to");
	ok(dps_substitute(graph, product, 80, dps_constant(graph, DPS_FLOAT8, 2)) == product,
	   "and none that shares its bit");
	ok(dps_gradient(graph, product, gradient) == DPS_OK && gradient[70] == dps_variable(graph, 90) &&
	   gradient[90] == dps_variable(graph, 70) && dps_is_constant(gradient[80], 0), "so does the gradient");
	dps_arena_clear(arena);
}

/*
 * Allocations that fail, and a host that wants to stop
 */

static void
test_host(void)
{
	Question	q;
	Scarce		scarce = {.left = 1000000};
	DpsHost		host = scarce_host(&scarce);
	DpsDifference answer;
	Fixture		f;
	DpsStatus	status = DPS_NOMEM;
	int			limit;
	bool		leaked = false;
	int			refused = 0;

	ask_ages(&q, AGE_VARIANCE, 1000, 1, INFINITY);
	ok(set_up(&f, &host, &q), "a question to stop");
	/* the arena keeps a copy of its host */
	((DpsHost *) dps_arena_host(f.arena))->should_stop = always_stop;
	status = ask(&f, &q, DPS_ADD_REMOVE, 2, &answer);
	ok(status == DPS_CANCELLED, "the host can stop it: %s", dps_status_name(status));
	status = DPS_NOMEM;
	dps_arena_clear(f.arena);
	for (limit = 0; status == DPS_NOMEM && limit < 1000; limit++)
	{
		scarce.left = 1000000;
		scarce.held = 0;
		if (!set_up(&f, &host, &q))
			break;
		scarce.left = limit;
		status = ask(&f, &q, DPS_REPLACE, 2, &answer);
		refused += status == DPS_NOMEM;
		dps_arena_clear(f.arena);
		leaked = leaked || scarce.held != 0;
	}
	ok(status == DPS_OK && refused > 3 && !leaked, "each of %d allocations may fail", refused);
	forget(&q);
}

int
main(int argc, char **argv)
{
	test_wide_graph();
	test_known();
	test_ages();
	test_random(argc > 1 ? strtoull(argv[1], NULL, 10) : 20240607, argc > 2 ? atoi(argv[2]) : 1500);
	test_refusals();
	test_ends();
	test_host();
	return done_testing();
}

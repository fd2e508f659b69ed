/*
 * bound.c
 *		Times the certified search on the reference functions and the classics,
 *		and writes each of them as Python, so that another optimiser can be given
 *		the same one.
 *
 * A line of JSON for every function and quantity: the median time from SQL text
 * to bracket, the bracket, and the body of a Python function of x, from the very
 * program that dpsens evaluates.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "classics.h"
#include "reference_fixture.h"

/* Repeats end after this many, or when this much time is used. */
#define MAX_REPEATS 201
#define MIN_REPEATS 3
#define ENOUGH_SECONDS 0.2

typedef enum Quantity
{
	INFIMUM,
	SUPREMUM,
	METRIC,
	QUANTITIES
} Quantity;

static const char *const quantity_names[QUANTITIES] = {"infimum", "supremum", "metric"};

/* How an operation is written in Python, for floats; NULL if it is not needed. */
static const char *const python[DPS_OP_COUNT] = {
	[DPS_OP_CASE] = "%2$s if %1$s == 1 else %3$s",
	[DPS_OP_ADD] = "%1$s + %2$s",
	[DPS_OP_SUB] = "%1$s - %2$s",
	[DPS_OP_MUL] = "%1$s * %2$s",
	[DPS_OP_DIV] = "%1$s / %2$s",
	[DPS_OP_NEG] = "-%1$s",
	[DPS_OP_INT_DIV] = "math.trunc(%1$s / %2$s)",
	[DPS_OP_ABS] = "abs(%1$s)",
	[DPS_OP_SIGN] = "(%1$s > 0) - (%1$s < 0)",
	[DPS_OP_POW] = "math.pow(%1$s, %2$s)",
	[DPS_OP_SQR] = "%1$s * %1$s",
	[DPS_OP_SQRT] = "math.sqrt(%1$s)",
	[DPS_OP_EXP] = "math.exp(%1$s)",
	[DPS_OP_LN] = "math.log(%1$s)",
	[DPS_OP_LOG10] = "math.log10(%1$s)",
	[DPS_OP_SIN] = "math.sin(%1$s)",
	[DPS_OP_COS] = "math.cos(%1$s)",
	[DPS_OP_TAN] = "math.tan(%1$s)",
	[DPS_OP_ASIN] = "math.asin(%1$s)",
	[DPS_OP_ATAN2] = "math.atan2(%1$s, %2$s)",
	[DPS_OP_GREATEST] = "max(%1$s, %2$s)",
	[DPS_OP_LEAST] = "min(%1$s, %2$s)",
	[DPS_OP_EQ] = "%1$s == %2$s",
	[DPS_OP_NE] = "%1$s != %2$s",
	[DPS_OP_LT] = "%1$s < %2$s",
	[DPS_OP_LE] = "%1$s <= %2$s",
	[DPS_OP_GT] = "%1$s > %2$s",
	[DPS_OP_GE] = "%1$s >= %2$s",
	[DPS_OP_NOT] = "1 - %1$s",
	[DPS_OP_AND] = "%1$s and %2$s",
	[DPS_OP_OR] = "%1$s or %2$s",
	/* no value of these functions is NULL */
	[DPS_OP_IS_NULL] = "%1$s != %1$s",
	[DPS_OP_CAST] = "%1$s",
};

static void
fail(const ReferenceCase *reference, const char *what)
{
	fprintf(stderr, "%s (%s): %s\n", reference->id, reference->sql, what);
	exit(1);
}

static void
set_up(ReferenceFixture *fixture, const ReferenceCase *reference)
{
	if (!reference_set_up(fixture, reference))
		fail(reference, "cannot be read");
}

static void
bound(const ReferenceCase *reference, ReferenceFixture *fixture, Quantity quantity, DpsBracket *bracket)
{
	DpsBoundOptions options = DPS_BOUND_DEFAULTS;
	DpsStatus	status;

	if (quantity == INFIMUM)
		status = dps_infimum(fixture->graph, fixture->node, fixture->box, &options, bracket);
	else if (quantity == SUPREMUM)
		status = dps_supremum(fixture->graph, fixture->node, fixture->box, &options, bracket);
	else
		status = dps_lipschitz(fixture->graph, fixture->node, fixture->box, &fixture->policy, DPS_NORM_2, &options, bracket);
	if (status != DPS_OK)
		fail(reference, dps_status_name(status));
}

static double
now(void)
{
	struct timespec t;

	/* what other processes do to the machine is not the search's */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* From text to bracket, in milliseconds; each time in fresh memory. */
static double
median_ms(const ReferenceCase *reference, Quantity quantity, DpsBracket *bracket, int *repeats)
{
	double		times[MAX_REPEATS];
	double		used = 0;
	int			n = 0;

	while (n < MAX_REPEATS && (n < MIN_REPEATS || used < ENOUGH_SECONDS))
	{
		ReferenceFixture fixture;
		double		start = now();

		set_up(&fixture, reference);
		bound(reference, &fixture, quantity, bracket);
		dps_arena_clear(fixture.arena);
		times[n] = now() - start;
		used += times[n++];
	}
	*repeats = n;
	qsort(times, (size_t) n, sizeof(double), compare_doubles);
	return 1e3 * (times[(n - 1) / 2] + times[n / 2]) / 2;
}

/* What the search maximises: the expression, or the norm of its gradient. */
static const DpsNode *
objective(const ReferenceCase *reference, ReferenceFixture *fixture, Quantity quantity)
{
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];

	if (quantity != METRIC)
		return fixture->node;
	if (dps_gradient(fixture->graph, dps_as_float8(fixture->graph, fixture->node), gradient) != DPS_OK)
		fail(reference, "no gradient");
	return dps_norm2(fixture->graph, gradient, UINT64_MAX, NULL);
}

/* A line of Python for each instruction, as a JSON string. */
static void
print_python(const ReferenceCase *reference, ReferenceFixture *fixture, Quantity quantity)
{
	const DpsNode *node = objective(reference, fixture, quantity);
	const DpsProgram *program;
	uint32_t	i;
	int			k;

	if (node == NULL || dps_compile(fixture->graph, &node, 1, &program) != DPS_OK)
		fail(reference, "cannot be compiled");
	printf("\"");
	for (i = 0; i < program->ninstructions; i++)
	{
		const DpsInstruction *in = &program->code[i];
		char		args[3][16] = {"", "", ""};

		for (k = 0; k < in->nargs; k++)
			snprintf(args[k], sizeof(args[k]), "t%u", in->arg[k]);
		printf("t%u = ", i);
		if (in->op == DPS_OP_CONST)
			printf(in->value == in->value ? "%.17g" : "math.nan", in->value);
		else if (in->op == DPS_OP_VAR)
			/* values are those at integers; slopes are of the relaxed function */
			printf(reference->columns[in->arg[0]].integer && quantity != METRIC ? "round(x[%u])" : "x[%u]", in->arg[0]);
		else if (python[in->op] == NULL)
			fail(reference, "has an operation without a Python form");
		else
		{
			char		line[128];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(line, sizeof(line), python[in->op], args[0], args[1], args[2]);
#pragma GCC diagnostic pop
			printf("%s", line);
		}
		printf("\\n");
	}
	printf("return t%u\"", dps_program_outputs(program)[0]);
}

static void
print_number(const char *name, double value)
{
	if (isfinite(value))
		printf(", \"%s\": %.17g", name, value);
	else
		printf(", \"%s\": null", name);
}

static void
run(const ReferenceCase *reference, Quantity quantity)
{
	ReferenceFixture fixture;
	DpsBracket	bracket;
	int			repeats;
	double		ms = median_ms(reference, quantity, &bracket, &repeats);
	int			j;

	printf("{\"function\": \"%s\", \"sql\": \"%s\", \"quantity\": \"%s\", \"status\": \"%s\", \"box\": [",
		   reference->id, reference->sql, quantity_names[quantity], dps_status_name(bracket.status));
	for (j = 0; j < reference->ncolumns; j++)
		printf("%s[%.17g, %.17g]", j == 0 ? "" : ", ", reference->columns[j].lo, reference->columns[j].hi);
	printf("], \"repeats\": %d, \"boxes\": %llu, \"reference\": %s", repeats, (unsigned long long) bracket.boxes,
		   reference->npoints > 0 ? "true" : "false");
	print_number("dpsens_ms", ms);
	print_number("lower", bracket.lower);
	print_number("upper", bracket.upper);
	printf(", \"python\": ");
	set_up(&fixture, reference);
	print_python(reference, &fixture, quantity);
	dps_arena_clear(fixture.arena);
	printf("}\n");
	fflush(stdout);
}

/* The same function with the same box is there once. */
static bool
is_reference(const Classic *classic)
{
	size_t		i;
	int			j;

	for (i = 0; i < sizeof(reference_cases) / sizeof(reference_cases[0]); i++)
	{
		const ReferenceCase *reference = &reference_cases[i];
		bool		same = strcmp(reference->sql, classic->sql) == 0 && reference->ncolumns == classic_columns(classic);

		for (j = 0; same && j < reference->ncolumns; j++)
			same = reference->columns[j].lo == classic->columns[j].lo && reference->columns[j].hi == classic->columns[j].hi;
		if (same)
			return true;
	}
	return false;
}

static void
run_classic(const Classic *classic)
{
	ReferenceCase reference = {.id = classic->name, .sql = classic->sql, .ncolumns = classic_columns(classic)};
	Quantity	quantity;
	int			j;

	for (j = 0; j < reference.ncolumns; j++)
		reference.columns[j] = (ReferenceColumn) {.name = classic->columns[j].name,
			.lo = classic->columns[j].lo, .hi = classic->columns[j].hi};
	for (quantity = 0; quantity < QUANTITIES; quantity++)
		run(&reference, quantity);
}

int
main(void)
{
	size_t		i;
	Quantity	quantity;

	for (i = 0; i < sizeof(reference_cases) / sizeof(reference_cases[0]); i++)
		for (quantity = 0; quantity < QUANTITIES; quantity++)
			run(&reference_cases[i], quantity);
	for (i = 0; i < CLASSICS; i++)
		if (!is_reference(&classics[i]))
			run_classic(&classics[i]);
	return 0;
}

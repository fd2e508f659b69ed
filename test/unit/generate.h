/*
 * generate.h
 *		Random well-typed expressions, each built twice: as it is written, and
 *		through the constructors that simplify.
 *
 * Every row of the table is generated for every type that has it; a new row is
 * taken for one on double precision.  The sequence is the same on every
 * machine.
 */
#ifndef DPS_TEST_GENERATE_H
#define DPS_TEST_GENERATE_H

#include <stdlib.h>

#include "tap.h"

#include "reference.h"

#include "expr/intern.h"
#include "expr/program.h"

/* The columns of every generated expression. */
enum
{
	GEN_X,						/* double precision */
	GEN_Y,						/* double precision */
	GEN_Z,						/* double precision, nullable */
	GEN_Q,						/* numeric */
	GEN_P,						/* numeric, nullable */
	GEN_R,						/* real */
	GEN_S,						/* smallint */
	GEN_I,						/* integer */
	GEN_J,						/* integer, nullable */
	GEN_K,						/* bigint */
	GEN_B,						/* boolean */
	GEN_C,						/* boolean, nullable */
	GEN_COLUMNS
};

static const DpsVariable gen_columns[GEN_COLUMNS] = {
	{"x", DPS_FLOAT8, false}, {"y", DPS_FLOAT8, false}, {"z", DPS_FLOAT8, true},
	{"q", DPS_NUMERIC, false}, {"p", DPS_NUMERIC, true}, {"r", DPS_FLOAT4, false},
	{"s", DPS_INT2, false}, {"i", DPS_INT4, false}, {"j", DPS_INT4, true}, {"k", DPS_INT8, false},
	{"b", DPS_BOOL, false}, {"c", DPS_BOOL, true},
};

static inline DpsArena *
gen_arena(void)
{
	DpsArena   *arena;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		abort();
	return arena;
}

static inline DpsGraph *
gen_graph(DpsArena *arena)
{
	DpsGraph   *graph;
	int			j;

	if (dps_graph_init(&graph, arena) != DPS_OK)
		abort();
	for (j = 0; j < GEN_COLUMNS; j++)
		dps_graph_add_variable(graph, gen_columns[j].name, gen_columns[j].type, gen_columns[j].nullable);
	return graph;
}

/* One expression in both forms. */
typedef struct GenPair
{
	const DpsNode *plain;
	const DpsNode *simple;
} GenPair;

#define GEN_POOL 24

typedef struct Generator
{
	DpsGraph   *plain;
	DpsGraph   *simple;
	/* What may be generated, as masks of types. */
	uint32_t	types;			/* of sub-expressions; bool always */
	bool		only_smooth;	/* no steps, choices, conditions */
	bool		no_nulls;		/* no NULL constants */
	/* Earlier sub-expressions, to be shared. */
	GenPair		pool[GEN_POOL];
	int			npool;
} Generator;

#define GEN_ALL_TYPES 0xff

#define GEN_T(type) (1u << DPS_##type)
#define GEN_INTEGERS (GEN_T(INT2) | GEN_T(INT4) | GEN_T(INT8))
#define GEN_NUMBERS (GEN_INTEGERS | GEN_T(NUMERIC) | GEN_T(FLOAT4) | GEN_T(FLOAT8))

/* The types of result for which SQL has the operation. */
static inline uint32_t
gen_types_of(DpsOpcode op)
{
	if (dps_ops[op].flags & DPS_LOGICAL)
		return GEN_T(BOOL);
	switch (op)
	{
		case DPS_OP_ADD:
		case DPS_OP_SUB:
		case DPS_OP_MUL:
		case DPS_OP_NEG:
		case DPS_OP_ABS:
			return GEN_NUMBERS;
		case DPS_OP_CAST:
			return GEN_NUMBERS & ~GEN_T(INT2);
		case DPS_OP_GREATEST:
		case DPS_OP_LEAST:
		case DPS_OP_COALESCE:
			return GEN_NUMBERS | GEN_T(BOOL);
		case DPS_OP_DIV:
			return GEN_T(NUMERIC) | GEN_T(FLOAT4) | GEN_T(FLOAT8);
		case DPS_OP_INT_DIV:
			return GEN_INTEGERS;
		case DPS_OP_MOD:
			return GEN_INTEGERS | GEN_T(NUMERIC);
		case DPS_OP_TRUNC_DIV:
		case DPS_OP_ROUND:
		case DPS_OP_ROUND_TO:
		case DPS_OP_TRUNC_TO:
			return GEN_T(NUMERIC);
		case DPS_OP_SIGN:
		case DPS_OP_POW:
		case DPS_OP_SQR:
		case DPS_OP_SQRT:
		case DPS_OP_EXP:
		case DPS_OP_LN:
		case DPS_OP_FLOOR:
		case DPS_OP_CEIL:
		case DPS_OP_TRUNC:
			return GEN_T(NUMERIC) | GEN_T(FLOAT8);
		case DPS_OP_EXPM1:
		case DPS_OP_LOG1P:
		case DPS_OP_MEAN_EXP:
		case DPS_OP_MEAN_EXP_1:
		case DPS_OP_MEAN_EXP_2:
		case DPS_OP_MEAN_COS:
		case DPS_OP_MEAN_COS_1:
		case DPS_OP_MEAN_COS_2:
			return 0;			/* SQL has none: they are made in quotients */
		default:
			return GEN_T(FLOAT8);
	}
}

static inline bool
gen_is_smooth(DpsOpcode op)
{
	switch (op)
	{
		case DPS_OP_ABS:
		case DPS_OP_SIGN:
		case DPS_OP_CAST:
		case DPS_OP_MOD:
			return false;
		default:
			return !(dps_ops[op].flags & (DPS_INTEGRAL | DPS_NULL_IF_ALL | DPS_LOGICAL)) &&
				(gen_types_of(op) & GEN_T(FLOAT8));
	}
}

static inline GenPair
gen_apply(Generator *g, DpsOpcode op, DpsType type, GenPair x, GenPair y)
{
	GenPair		result;
	bool		binary = dps_ops[op].arity == 2;

	result.plain = dps_intern(g->plain, op, type, dps_ops[op].arity, x.plain, binary ? y.plain : NULL, NULL);
	result.simple = dps_apply(g->simple, op, type, x.simple, binary ? y.simple : NULL);
	if (result.plain == NULL || result.simple == NULL)
		abort();
	return result;
}

static inline GenPair
gen_choose(Generator *g, GenPair condition, GenPair yes, GenPair no)
{
	GenPair		result;

	result.plain = dps_intern(g->plain, DPS_OP_CASE, yes.plain->type, 3, condition.plain, yes.plain, no.plain);
	result.simple = dps_choose(g->simple, condition.simple, yes.simple, no.simple);
	if (result.plain == NULL || result.simple == NULL)
		abort();
	return result;
}

static inline GenPair
gen_constant(Generator *g, DpsType type, double value)
{
	return (GenPair) {dps_constant(g->plain, type, value), dps_constant(g->simple, type, value)};
}

static inline GenPair
gen_variable(Generator *g, int j)
{
	return (GenPair) {dps_variable(g->plain, j), dps_variable(g->simple, j)};
}

static inline GenPair
gen_leaf(Generator *g, DpsType type)
{
	static const double values[] = {0, 1, -1, 2, 3, -2, 7, 0.5, 0.1, -1.5, 12.25, 1000};
	int			first = 0;
	int			n = 0;
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
	{
		if (gen_columns[j].type == type)
		{
			first = n == 0 ? j : first;
			n++;
		}
	}
	if (random_below(3) != 0)
		return gen_variable(g, first + random_below(n));
	if (!g->no_nulls && random_below(6) == 0)
		return gen_constant(g, type, NAN);
	if (type == DPS_BOOL)
		return gen_constant(g, type, random_below(2));
	return gen_constant(g, type, values[random_below(dps_type_is_integer(type) ? 7 : 12)]);
}

static inline GenPair gen_expression(Generator *g, DpsType type, int depth);

/* A type that sub-expressions may have. */
static inline DpsType
gen_type(Generator *g, uint32_t allowed)
{
	DpsType		type;

	allowed &= g->types | GEN_T(BOOL);
	do
	{
		type = random_below(DPS_FLOAT8 + 1);
	} while (!(allowed & (1u << type)));
	return type;
}

static inline GenPair
gen_cast(Generator *g, DpsType type, int depth)
{
	DpsType		from = gen_type(g, GEN_NUMBERS);
	GenPair		x = gen_expression(g, from, depth);

	/* what the import makes of a cast that rounds; round(real) does not exist */
	if (dps_type_is_integer(type) && from == DPS_FLOAT4)
	{
		from = DPS_FLOAT8;
		x = gen_apply(g, DPS_OP_CAST, from, x, x);
	}
	if (dps_type_is_integer(type) && !dps_type_is_integer(from))
		x = gen_apply(g, from == DPS_NUMERIC ? DPS_OP_ROUND : DPS_OP_RINT, from, x, x);
	return gen_apply(g, DPS_OP_CAST, type, x, x);
}

static inline GenPair
gen_operation(Generator *g, DpsOpcode op, DpsType type, int depth)
{
	DpsType		argument = type;
	GenPair		x;
	GenPair		y;

	if (op == DPS_OP_CAST)
		return gen_cast(g, type, depth);
	if (type == DPS_BOOL && (dps_ops[op].arity == 2 || op == DPS_OP_IS_NULL) &&
		!(dps_ops[op].flags & (DPS_NULL_LOGIC | DPS_NULL_IF_ALL)))
		argument = gen_type(g, GEN_NUMBERS | (op == DPS_OP_EQ || op == DPS_OP_NE ? GEN_T(BOOL) : 0));
	x = gen_expression(g, argument, depth);
	if (dps_ops[op].arity == 1)
		return gen_apply(g, op, type, x, x);
	if (op == DPS_OP_ROUND_TO || op == DPS_OP_TRUNC_TO)
		y = gen_constant(g, DPS_INT4, random_below(5) - 1);
	else if (op == DPS_OP_POW && random_below(4) != 0)
		y = gen_constant(g, argument, random_below(4) == 0 ? (random_below(9) - 4) / 2.0 : random_below(7) - 3);
	else
		y = gen_expression(g, argument, random_below(3) == 0 ? 0 : depth);
	return gen_apply(g, op, type, x, y);
}

static inline DpsOpcode
gen_opcode(Generator *g, DpsType type)
{
	DpsOpcode	op;

	/* arithmetic is what most rules are about */
	if (type != DPS_BOOL && random_below(2) == 0)
		return DPS_OP_ADD + random_below(dps_type_is_integer(type) ? 3 : 4);
	do
	{
		op = DPS_OP_FIRST_ROW + random_below(DPS_OP_COUNT - DPS_OP_FIRST_ROW);
	} while (!(gen_types_of(op) & (1u << type)) || (g->only_smooth && !gen_is_smooth(op)));
	return op;
}

/* A random expression of the type, at most `depth` operations deep. */
static inline GenPair
gen_expression(Generator *g, DpsType type, int depth)
{
	GenPair		result;
	int			i;

	if (depth <= 0)
		return gen_leaf(g, type);
	if (g->npool > 0 && random_below(4) == 0)
	{
		i = random_below(g->npool);
		if (g->pool[i].plain->type == type)
			return g->pool[i];
	}
	if (random_below(9) == 0)
		return gen_leaf(g, type);
	if (!g->only_smooth && random_below(7) == 0)
		result = gen_choose(g, gen_expression(g, DPS_BOOL, depth - 1), gen_expression(g, type, depth - 1),
							gen_expression(g, type, depth - 1));
	else
		result = gen_operation(g, gen_opcode(g, type), type, depth - 1);
	g->pool[g->npool < GEN_POOL ? g->npool++ : random_below(GEN_POOL)] = result;
	return result;
}

static inline Generator
gen_init(DpsArena *arena, uint32_t types)
{
	Generator	g = {.plain = gen_graph(arena), .simple = gen_graph(arena), .types = types};

	return g;
}

/* A row; `generic` means no special values, no NULLs and nothing integral but
 * what has to be. */
static inline void
gen_row(double *row, bool generic)
{
	static const double special[] = {0, 1, -1, 2, -2, 0.5, 3, 0};
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
	{
		DpsType		type = gen_columns[j].type;

		row[j] = random_between(-4, 4);
		if (generic && !dps_type_is_integer(type) && type != DPS_BOOL)
			continue;
		if (type == DPS_BOOL)
			row[j] = random_below(2);
		else if (random_below(3) == 0)
			row[j] = special[random_below(8)];
		if (dps_type_is_integer(type))
			row[j] = rint(row[j]);
		if (!generic && gen_columns[j].nullable && random_below(3) == 0)
			row[j] = NAN;
	}
}

/* The row as a box of one point. */
static inline void
gen_point(const double *row, DpsDomain *box)
{
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
	{
		bool		null = row[j] != row[j];

		box[j] = (DpsDomain) {
			null ? 0 : row[j], null ? 0 : row[j], null ? DPS_ALWAYS_NULL : DPS_NEVER_NULL,
				dps_type_is_integer(gen_columns[j].type) || gen_columns[j].type == DPS_BOOL};
	}
}

/* Outcome of a node on one row: the evaluator's value, and what is certain. */
typedef struct GenOutcome
{
	double		value;
	DpsEnclosure enclosure;
} GenOutcome;

static inline const DpsProgram *
gen_compile(const DpsGraph *graph, const DpsNode *const *nodes, int n)
{
	const DpsProgram *program;

	if (dps_compile(graph, nodes, n, &program) != DPS_OK)
		abort();
	return program;
}

/* Values of all outputs on one row. */
static inline void
gen_evaluate(const DpsProgram *program, const double *row, double *values)
{
	const double *columns[DPS_MAX_VARIABLES + 1];
	double	  **outputs = malloc(sizeof(double *) * (program->noutputs + 1));
	double	   *scratch = malloc(sizeof(double) * (dps_scratch_size(program) + 1));
	uint32_t	k;

	for (k = 0; k < program->nvariables; k++)
		columns[k] = &row[k];
	for (k = 0; k < program->noutputs; k++)
		outputs[k] = &values[k];
	dps_evaluate(program, columns, 1, scratch, outputs);
	free(scratch);
	free(outputs);
}

/* Value and enclosure of the first output on one row. */
static inline GenOutcome
gen_outcome(const DpsProgram *program, const double *row)
{
	DpsEnclosure *enclosures = malloc(sizeof(DpsEnclosure) * (program->ninstructions + 1));
	DpsDomain	box[GEN_COLUMNS];
	GenOutcome	outcome;

	gen_evaluate(program, row, &outcome.value);
	gen_point(row, box);
	dps_enclose(program, box, enclosures);
	outcome.enclosure = enclosures[dps_program_outputs(program)[0]];
	free(enclosures);
	return outcome;
}

/* For a failure: the row and both forms. */
static inline void
gen_describe(const DpsGraph *graph, const char *label, const DpsNode *node)
{
	DpsText		text;

	dps_text_init(&text, graph->arena);
	if (dps_print_sql(graph, node, &text) == DPS_OK)
		diag("%s: %s", label, text.data);
	else
		diag("%s: (too long)", label);
}

static inline void
gen_describe_row(const double *row)
{
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
		diag("  %s = %.17g", gen_columns[j].name, row[j]);
}

#endif							/* DPS_TEST_GENERATE_H */

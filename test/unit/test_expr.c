/*
 * test_expr.c
 *		Graphs: interning, simplification, substitution, derivatives.
 *
 * Most tests are properties of random expressions built in two forms, see
 * generate.h.
 *
 * Files: expr/monomial.c, expr/polynomial.c, base/chains.c.
 */
#include "properties.h"

#define VAR(j) dps_variable(graph, GEN_##j)
#define NUM(v) dps_constant(graph, DPS_FLOAT8, v)
#define F8(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, a, b)
#define F4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT4, a, b)
#define I4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_INT4, a, b)
#define IS(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_BOOL, a, b)
#define INT(v) dps_constant(graph, DPS_INT4, v)

/* Simplification keeps values. */

static bool
check_row(const Generator *g, GenPair e, const DpsProgram *const *programs, bool generic, Tally *tally)
{
	double		row[GEN_COLUMNS];
	GenOutcome	plain;
	GenOutcome	simple;
	bool		good = true;

	gen_row(row, generic);
	plain = gen_outcome(programs[0], row);
	simple = gen_outcome(programs[1], row);
	if (is_certain(&plain))
	{
		good = agrees(&plain, &simple, tally);
		tally->nulls += plain.enclosure.nullness == DPS_ALWAYS_NULL;
		tally->numbers += plain.enclosure.nullness != DPS_ALWAYS_NULL;
		tally->tight += plain.enclosure.value.hi - plain.enclosure.value.lo <= 1e-9 * (1 + fabs(plain.value));
	}
	else if (generic && plain.enclosure.defined == DPS_UNDEFINED)
	{
		good = simple.enclosure.defined != DPS_DEFINED;
		tally->undefined++;
	}
	if (!good)
	{
		diag("plain %.17g in [%.17g, %.17g], null %d, defined %d", plain.value, plain.enclosure.value.lo,
			 plain.enclosure.value.hi, plain.enclosure.nullness, plain.enclosure.defined);
		diag("simple %.17g in [%.17g, %.17g], null %d, defined %d", simple.value, simple.enclosure.value.lo,
			 simple.enclosure.value.hi, simple.enclosure.nullness, simple.enclosure.defined);
		gen_describe(g->plain, "plain", e.plain);
		gen_describe(g->simple, "simple", e.simple);
		gen_describe_row(row);
	}
	return good;
}

static bool
check_value(const Generator *g, GenPair e, bool generic, Tally *tally)
{
	const DpsProgram *programs[2];
	bool		good = true;
	int			i;

	programs[0] = gen_compile(g->plain, &e.plain, 1);
	programs[1] = gen_compile(g->simple, &e.simple, 1);
	for (i = 0; i < 6 && good; i++)
		good = check_row(g, e, programs, generic, tally);
	return good;
}

static void
test_value(void)
{
	static const struct
	{
		const char *name;
		uint32_t	types;
		DpsType		type;
		bool		generic;
	}			kinds[] = {
		{"any type", GEN_ALL_TYPES, DPS_FLOAT8, false},
		{"numeric", GEN_T(NUMERIC) | GEN_T(INT4), DPS_NUMERIC, false},
		{"integers", GEN_INTEGERS, DPS_INT8, false},
		{"real", GEN_T(FLOAT4) | GEN_T(INT2), DPS_FLOAT4, false},
		{"conditions", GEN_ALL_TYPES, DPS_BOOL, false},
		{"double precision", GEN_T(FLOAT8), DPS_FLOAT8, false},
		/* where nothing is at a boundary, nothing may become defined either */
		{"double precision, generic rows", GEN_T(FLOAT8), DPS_FLOAT8, true},
	};
	size_t		k;
	int			i;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		Tally		tally = {0};
		int			failures = 0;

		for (i = 0; i < 1500 && failures < 3; i++)
		{
			uint64_t	seed = random_state;
			DpsArena   *arena = gen_arena();
			Generator	g = gen_init(arena, kinds[k].types);
			GenPair		e;

			/* a / 0 / NULL is an error and a / (0 * NULL) is not */
			g.no_nulls = kinds[k].generic;
			e = gen_expression(&g, kinds[k].type, 1 + random_below(6));
			if (!check_value(&g, e, kinds[k].generic, &tally))
			{
				diag("expression %d, random_state %#llx", i, (unsigned long long) seed);
				failures++;
			}
			dps_arena_clear(arena);
		}
		ok(failures == 0, "simplified and plain expressions have one value: %s (%d numbers, %d tight, %d NULL, %d undefined)",
		   kinds[k].name, tally.numbers, tally.tight, tally.nulls, tally.undefined);
		ok(tally.tight > 1000 && tally.edges < 50 && (kinds[k].generic ? tally.undefined : tally.nulls) > 100,
		   "enough of them say something: %s", kinds[k].name);
	}
}

static void
test_idempotence(void)
{
	static const uint32_t types[] = {GEN_ALL_TYPES, GEN_T(FLOAT8), GEN_T(NUMERIC) | GEN_T(INT4)};
	int			failures = 0;
	int			i;

	for (i = 0; i < 3000 && failures < 4; i++)
	{
		uint64_t	seed = random_state;
		DpsArena   *arena = gen_arena();
		Generator	g = gen_init(arena, types[i % 3]);
		GenPair		e = gen_expression(&g, i % 3 == 2 ? DPS_NUMERIC : DPS_FLOAT8, 1 + random_below(8));

		if (!is_stable(g.simple, e.simple))
		{
			diag("expression %d, random_state %#llx", i, (unsigned long long) seed);
			failures++;
		}
		dps_arena_clear(arena);
	}
	ok(failures == 0, "what is simplified stays as it is when it is built again, in any graph");
}

/* Interning. */

static void
test_intern(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *x = VAR(X);
	const DpsNode *y = VAR(Y);
	const DpsNode *half[2];
	double		other_nan;
	uint64_t	bits = 0xfff8000000001234u;
	uint32_t	count;
	int			i;

	memcpy(&other_nan, &bits, sizeof(bits));
	ok(VAR(X) == x && NUM(2) == NUM(2) && NUM(2) != INT(2), "leaves are interned, by type");
	ok(NUM(0.0) != NUM(-0.0), "0 and -0 are two constants");
	ok(NUM(NAN) == NUM(other_nan) && NUM(NAN)->nullable && !NUM(0)->nullable, "every NaN is one constant, NULL");
	ok(NUM(NAN) != dps_constant(graph, DPS_NUMERIC, NAN), "but each type has its own");
	ok(F8(ADD, x, y) == F8(ADD, y, x) && F8(MUL, x, y) == F8(MUL, y, x), "commuted operands are shared");
	ok(IS(AND, VAR(B), VAR(C)) == IS(AND, VAR(C), VAR(B)) && IS(EQ, x, y) == IS(EQ, y, x), "conditions too");
	ok(F8(SUB, x, y) != F8(SUB, y, x) && F8(DIV, x, y) != F8(DIV, y, x) && IS(LT, x, y) != IS(LT, y, x),
	   "what does not commute is not");
	ok(I4(ADD, VAR(I), INT(1)) != dps_apply(graph, DPS_OP_ADD, DPS_INT8, VAR(I), INT(1)), "types keep apart");
	ok(F8(ADD, NULL, x) == NULL && F8(SIN, NULL, NULL) == NULL && dps_choose(graph, VAR(B), x, NULL) == NULL &&
	   dps_as_float8(graph, NULL) == NULL && dps_substitute(graph, NULL, 0, x) == NULL, "NULL is passed on");
	/* many nodes, so that the table grows */
	for (i = 0; i < 2; i++)
	{
		const DpsNode *node = x;
		int			k;

		count = graph->nnodes;
		for (k = 0; k < 5000; k++)
			node = F8(SIN, F8(ADD, node, NUM(k)), NULL);
		half[i] = node;
	}
	ok(half[0] == half[1] && graph->nnodes == count && graph->nodes.nchains > 256, "a second time makes no node");
	dps_arena_clear(arena);
}

static bool
has_smaller_arguments(const DpsNode *node)
{
	int			i;

	for (i = 0; i < node->nargs; i++)
	{
		if (node->arg[i]->id >= node->id || !has_smaller_arguments(node->arg[i]))
			return false;
	}
	return true;
}

static void
test_order(void)
{
	bool		ordered = true;
	bool		hashed = true;
	int			i;

	for (i = 0; i < 300; i++)
	{
		DpsArena   *arena = gen_arena();
		Generator	g = gen_init(arena, GEN_ALL_TYPES);
		GenPair		a = gen_expression(&g, DPS_FLOAT8, 5);
		GenPair		b = gen_expression(&g, DPS_FLOAT8, 5);

		ordered = ordered && has_smaller_arguments(a.plain) && has_smaller_arguments(a.simple);
		hashed = hashed && (a.simple == b.simple) == (a.simple->link.hash == b.simple->link.hash);
		hashed = hashed && dps_compare_nodes(a.simple, b.simple) == -dps_compare_nodes(b.simple, a.simple) &&
			(dps_compare_nodes(a.simple, b.simple) == 0) == (a.simple == b.simple);
		dps_arena_clear(arena);
	}
	ok(ordered, "arguments have smaller ids");
	ok(hashed, "hashes and the order of nodes agree with identity");
}

static void
test_variables(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph;
	const DpsNode *last;
	int			i;

	if (dps_graph_init(&graph, arena) != DPS_OK)
		abort();
	for (i = 0; i <= DPS_MAX_VARIABLES; i++)
	{
		if (dps_graph_add_variable(graph, "v", DPS_FLOAT8, false) != i)
			break;
	}
	ok(i == DPS_MAX_VARIABLES + 1 && dps_graph_add_variable(graph, "w", DPS_FLOAT8, false) == -1,
	   "as many variables as a mask has bits, and no more");
	last = dps_variable(graph, DPS_MAX_VARIABLES);
	ok(last->variables == UINT64_C(1) << 63 && dps_variable(graph, 0) != last, "the last one's bit; equal names differ");
	dps_arena_clear(arena);
}

/* Rules one by one. */

static void
test_rules(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *x = VAR(X);
	const DpsNode *y = VAR(Y);
	const DpsNode *z = VAR(Z);
	const DpsNode *i = VAR(I);
	const DpsNode *r = VAR(R);
	const DpsNode *none = NUM(NAN);
	const DpsNode *product = x;
	const DpsNode *node;
	double		row[GEN_COLUMNS] = {0};
	double		values[2];
	const DpsNode *pair[2];
	int			k;

	ok(F8(SUB, x, x) == NUM(0) && F8(MUL, x, NUM(0)) == NUM(0), "what is never NULL vanishes");
	ok(F8(SUB, z, z)->nullable && F8(MUL, z, NUM(0))->nullable && F8(POW, z, NUM(0))->nullable, "NULL does not");
	ok(F8(SUB, F8(ADD, x, none), x)->nullable && F8(MUL, F8(MUL, none, x), NUM(0))->nullable, "nor a constant NULL");
	ok(F8(ADD, F8(SUB, z, z), z) == z, "z - z + z is z");
	ok(!F8(SUB, F8(LN, x, NULL), F8(LN, x, NULL))->total, "what can be undefined does not vanish");
	ok(!F8(DIV, x, x)->total && F8(DIV, x, x) != NUM(1), "x / x keeps its hole");
	ok(F8(DIV, x, F8(POW, x, NUM(3))) == F8(DIV, NUM(1), F8(SQR, x, NULL)), "x / x^3 does not need it twice");
	node = F8(DIV, F8(DIV, F8(POW, x, NUM(3)), x), F8(SQR, x, NULL));
	ok(node == F8(DIV, F8(POW, x, NUM(3)), F8(POW, x, NUM(3))), "x^3 / x / x^2 keeps it");
	ok(F8(DIV, F8(DIV, F8(POW, x, NUM(3)), x), F8(POW, x, NUM(3))) == F8(DIV, NUM(1), x), "x^3 / x / x^3 is 1 / x");
	ok(F8(DIV, NUM(1), F8(DIV, NUM(1), x)) != x, "1 / (1 / x) keeps its hole");
	ok(F8(DIV, x, F8(DIV, y, NUM(0)))->op != DPS_OP_MUL && !F8(DIV, x, F8(DIV, y, NUM(0)))->total,
	   "x / (y / 0) is not defined anywhere");
	ok(!F8(DIV, F8(POW, x, NUM(1.5)), x)->total && F8(DIV, F8(POW, x, NUM(1.5)), x)->op == DPS_OP_DIV,
	   "x^1.5 / x keeps its hole");
	ok(F8(MUL, F8(SQRT, x, NULL), F8(SQRT, x, NULL)) != x, "sqrt(x) * sqrt(x) is not x");
	ok(F8(SQRT, F8(SQR, x, NULL), NULL) == F8(ABS, x, NULL), "sqrt(x^2) is |x|");
	ok(F8(MUL, F8(ABS, x, NULL), F8(ABS, x, NULL)) == F8(SQR, x, NULL), "|x| * |x| is x^2");
	ok(F8(DIV, NUM(1), NUM(0))->op == DPS_OP_DIV, "1 / 0 is not folded");
	ok(dps_apply(graph, DPS_OP_MUL, DPS_INT4, INT(100000), INT(100000))->op == DPS_OP_MUL, "nor what overflows");
	ok(dps_apply(graph, DPS_OP_ADD, DPS_INT2, dps_constant(graph, DPS_INT2, 32767),
				 dps_constant(graph, DPS_INT2, 1))->op == DPS_OP_ADD, "in its own type");
	node = I4(SUB, I4(ADD, i, INT(1)), i);
	ok(node->op == DPS_OP_SUB && node->arg[0] == I4(ADD, i, INT(1)), "integers are not reordered");
	node = F4(SUB, F4(ADD, r, r), r);
	ok(node->op == DPS_OP_SUB && node->arg[0]->op == DPS_OP_ADD, "nor is float4");
	ok(!I4(ADD, i, i)->total && !F4(ADD, r, r)->total && F8(ADD, x, y)->total, "they can overflow");
	ok(I4(MUL, i, INT(0))->op == DPS_OP_MUL && I4(MUL, I4(MUL, i, i), INT(0))->op == DPS_OP_MUL, "times 0, too");
	ok(IS(AND, IS(GT, F8(LN, x, NULL), y), dps_constant(graph, DPS_BOOL, 0))->op == DPS_OP_AND,
	   "an undefined condition is not dropped");
	ok(dps_choose(graph, dps_constant(graph, DPS_BOOL, NAN), x, y) == y, "a NULL condition takes ELSE");
	ok(F8(COALESCE, z, y)->nullable == false && F8(GREATEST, z, none) == z && F8(COALESCE, none, z) == z, "choices");
	/* a product of more factors than a monomial has, twice */
	for (k = 0; k < 60; k++)
		product = F8(MUL, product, F8(SIN, F8(ADD, y, NUM(k)), NULL));
	pair[0] = product;
	pair[1] = F8(ADD, product, product);
	row[GEN_X] = 3;
	row[GEN_Y] = 0.7;
	gen_evaluate(gen_compile(graph, pair, 2), row, values);
	ok(values[0] != 0 && fabs(values[1] - 2 * values[0]) <= 1e-12 * fabs(values[0]), "twice a product of 60 factors");
	/* coefficients at the ends of the range */
	pair[0] = F8(MUL, F8(MUL, F8(MUL, NUM(1e-300), x), NUM(1e-20)), y);
	pair[1] = F8(SQR, F8(MUL, NUM(1e300), x), NULL);
	row[GEN_X] = 1e-250;
	row[GEN_Y] = 1e300;
	gen_evaluate(gen_compile(graph, pair, 2), row, values);
	ok(fabs(values[1] / 1e100 - 1) < 1e-12, "(1e300 * x)^2 does not overflow early");
	row[GEN_X] = 1e100;
	gen_evaluate(gen_compile(graph, pair, 1), row, values);
	ok(fabs(values[0] / 1e80 - 1) < 1e-12, "1e-300 * x * 1e-20 keeps its digits");
	dps_arena_clear(arena);
}

/* Two paths everywhere, 2^40 in all. */
static void
test_sharing(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *product = VAR(X);
	const DpsNode *sum = VAR(X);
	const DpsNode *mixed = VAR(X);
	const DpsNode *long_sum = VAR(X);
	const DpsNode *long_product = VAR(X);
	const DpsNode *gradient[GEN_COLUMNS];
	bool		made;
	int			k;

	for (k = 0; k < 70; k++)
	{
		const DpsNode *part = F8(SIN, F8(ADD, VAR(X), NUM(k)), NULL);

		long_sum = F8(ADD, long_sum, part);
		long_product = F8(MUL, long_product, part);
	}
	for (k = 0; k < 40; k++)
	{
		product = F8(MUL, product, product);
		sum = F8(ADD, sum, sum);
		mixed = F8(ADD, F8(SIN, mixed, NULL), F8(MUL, mixed, mixed));
		long_sum = F8(ADD, long_sum, F8(MUL, long_sum, VAR(Y)));
		long_product = F8(MUL, long_product, F8(ADD, long_product, VAR(Y)));
	}
	ok(graph->nnodes < 10000, "2^40 paths are a few nodes (%u)", graph->nnodes);
	ok(sum == F8(MUL, NUM(0x1p40), VAR(X)), "x + x + ... is a multiple");
	made = dps_gradient(graph, product, gradient) == DPS_OK && dps_gradient(graph, mixed, gradient) == DPS_OK &&
		dps_gradient(graph, long_sum, gradient) == DPS_OK && dps_gradient(graph, long_product, gradient) == DPS_OK;
	ok(made && graph->nnodes < 30000, "so are their gradients (%u)", graph->nnodes);
	ok(dps_strict_variables(graph, mixed) == 1 && dps_substitute(graph, mixed, GEN_X, VAR(Y)) != NULL,
	   "other walks do not follow every path");
	dps_arena_clear(arena);
}

/* Derivatives. */

static void
get_gradient(DpsGraph *graph, const DpsNode *node, const DpsNode **gradient)
{
	if (dps_gradient(graph, node, gradient) != DPS_OK)
		abort();
}

/* A central difference of the fourth order, if a coarser one and both sides
 * agree. */
static bool
differ_by(const DpsProgram *program, const double *row, int j, double h, double *slope)
{
	double		moved[GEN_COLUMNS];
	double		value[5];
	double		coarse;
	double		scale;
	int			k;

	for (k = 0; k < 5; k++)
	{
		memcpy(moved, row, sizeof(moved));
		moved[j] += (k - 2) * h;
		gen_evaluate(program, moved, &value[k]);
		if (!(fabs(value[k]) < 1e6))
			return false;
	}
	coarse = (value[4] - value[0]) / (4 * h);
	*slope = (8 * (value[3] - value[1]) - (value[4] - value[0])) / (12 * h);
	scale = 1 + fabs(*slope);
	return fabs(coarse - *slope) < 1e-4 * scale && fabs((value[3] - value[2]) - (value[2] - value[1])) < 1e-3 * h * scale;
}

/* The derivative, where two differences agree: at a jump they do not. */
static bool
differ(const DpsProgram *program, const double *row, int j, double *slope)
{
	double		closer;

	return differ_by(program, row, j, 1e-4, slope) && differ_by(program, row, j, 1e-5, &closer) &&
		fabs(closer - *slope) < 1e-3 * (1 + fabs(*slope));
}

typedef struct GradientTally
{
	int			slopes;
	int			steep;			/* not 0 */
	int			singular;		/* no derivative where the difference has one */
} GradientTally;

static bool
check_gradient(DpsGraph *graph, const DpsNode *node, bool generic, GradientTally *tally)
{
	const DpsNode *nodes[GEN_COLUMNS];
	const DpsProgram *value = gen_compile(graph, &node, 1);
	const DpsProgram *program;
	double		row[GEN_COLUMNS];
	double		derivative[GEN_COLUMNS];
	double		slope;
	int			i;
	int			j;

	get_gradient(graph, node, nodes);
	program = gen_compile(graph, nodes, GEN_COLUMNS);
	for (i = 0; i < 4; i++)
	{
		gen_row(row, generic);
		gen_evaluate(program, row, derivative);
		for (j = 0; j < GEN_COLUMNS; j++)
		{
			DpsType		type = gen_columns[j].type;

			if ((type != DPS_FLOAT8 && type != DPS_NUMERIC) || isnan(row[j]) || !differ(value, row, j, &slope))
				continue;
			tally->slopes++;
			tally->steep += fabs(slope) > 1e-3;
			/* asin(tanh(40)) is at an edge, 0 ^ x has ln(0) */
			tally->singular += isnan(derivative[j]);
			if (isnan(derivative[j]) || fabs(derivative[j] - slope) <= 1e-3 * (1 + fabs(slope)))
				continue;
			diag("derivative by %s is %.17g, not %.17g", gen_columns[j].name, derivative[j], slope);
			gen_describe(graph, "of", node);
			gen_describe(graph, "is", nodes[j]);
			gen_describe_row(row);
			return false;
		}
	}
	return true;
}

static void
test_gradient(void)
{
	static const struct
	{
		const char *name;
		uint32_t	types;
		bool		smooth;
		bool		generic;
	}			kinds[] = {
		{"smooth operations", GEN_T(FLOAT8), true, true},
		{"all operations", GEN_T(FLOAT8), false, true},
		{"all types, with NULLs", GEN_ALL_TYPES, false, false},
	};
	size_t		k;
	int			i;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		GradientTally tally = {0};
		int			failures = 0;

		for (i = 0; i < 500 && failures < 3; i++)
		{
			uint64_t	seed = random_state;
			DpsArena   *arena = gen_arena();
			Generator	g = gen_init(arena, kinds[k].types);
			GenPair		e;

			g.only_smooth = kinds[k].smooth;
			g.no_nulls = kinds[k].generic;
			e = gen_expression(&g, DPS_FLOAT8, 1 + random_below(6));
			if (!check_gradient(g.simple, e.simple, kinds[k].generic, &tally))
			{
				diag("expression %d, random_state %#llx", i, (unsigned long long) seed);
				failures++;
			}
			dps_arena_clear(arena);
		}
		ok(failures == 0, "gradients are what differences say: %s (%d slopes, %d not 0)", kinds[k].name, tally.slopes, tally.steep);
		ok(tally.steep > 200 && tally.singular * 200 < tally.slopes, "enough of them: %s (%d without a derivative)",
		   kinds[k].name, tally.singular);
	}
}

/* Every row of the table by itself, in both arguments. */
static void
test_rows(void)
{
	DpsOpcode	op;

	for (op = DPS_OP_FIRST_ROW; op < DPS_OP_COUNT; op++)
	{
		DpsArena   *arena = gen_arena();
		DpsGraph   *graph = gen_graph(arena);
		GradientTally tally = {0};
		bool		good = true;
		int			i;

		if (dps_ops[op].flags & DPS_LOGICAL)
		{
			dps_arena_clear(arena);
			continue;
		}
		for (i = 0; i < 60; i++)
			good = good && check_gradient(graph, dps_apply(graph, op, DPS_FLOAT8, VAR(X), VAR(Y)), true, &tally);
		ok(good && tally.slopes > 50 && tally.singular == 0, "derivatives of %s (%d slopes)", dps_ops[op].name, tally.slopes);
		dps_arena_clear(arena);
	}
}

/* What the literature's programs get wrong. */
static void
test_slips(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	DpsGraph   *other = gen_graph(arena);
	const DpsNode *x = VAR(X);
	const DpsNode *gradient[GEN_COLUMNS];
	const DpsNode *again[GEN_COLUMNS];
	const DpsNode *one = F8(POW, x, NUM(2));
	const DpsNode *nodes[2];
	double		row[GEN_COLUMNS] = {1.7};
	double		values[2];
	int			k;

	get_gradient(graph, F8(ADD, x, x), gradient);
	ok(gradient[GEN_X] == NUM(2), "a + a has the derivative 2");
	get_gradient(graph, dps_intern(graph, DPS_OP_ADD, DPS_FLOAT8, 2, x, x, NULL), gradient);
	ok(gradient[GEN_X] == NUM(2), "also when it is one node with one argument twice");
	get_gradient(graph, F8(MUL, x, x), gradient);
	ok(gradient[GEN_X] == F8(MUL, NUM(2), x), "a * a has 2 * a");
	get_gradient(graph, dps_intern(graph, DPS_OP_MUL, DPS_FLOAT8, 2, x, x, NULL), gradient);
	ok(gradient[GEN_X] == F8(MUL, NUM(2), x), "also as one node");
	nodes[0] = F8(POW, x, x);
	get_gradient(graph, nodes[0], gradient);
	nodes[1] = gradient[GEN_X];
	gen_evaluate(gen_compile(graph, nodes, 2), row, values);
	ok(fabs(values[1] - values[0] * (log(1.7) + 1)) < 1e-12, "a ^ a has a ^ a * (ln(a) + 1)");
	get_gradient(graph, one, gradient);
	for (k = 0; k < 3; k++)
		get_gradient(graph, one, again);
	ok(gradient[GEN_X] == again[GEN_X] && again[GEN_X] == F8(MUL, NUM(2), x), "differentiating again does not add up");
	get_gradient(other, dps_apply(other, DPS_OP_SIN, DPS_FLOAT8, dps_variable(other, GEN_X), NULL), again);
	get_gradient(graph, one, gradient);
	ok(gradient[GEN_X] == F8(MUL, NUM(2), x) && again[GEN_X]->op == DPS_OP_COS, "graphs with equal names keep apart");
	get_gradient(graph, NUM(3), gradient);
	ok(gradient[GEN_X] == NUM(0) && gradient[GEN_C] == NUM(0), "a constant has none");
	get_gradient(graph, VAR(Y), gradient);
	ok(gradient[GEN_X] == NUM(0) && gradient[GEN_Y] == NUM(1), "a variable has 1");
	ok(dps_gradient(graph, NULL, gradient) == DPS_NOMEM, "nothing has none");
	dps_arena_clear(arena);
}

/* The derivative by x at a row must be this. */
static bool
has_slope(DpsGraph *graph, const DpsNode *node, int j, const double *row, double expected)
{
	const DpsNode *gradient[GEN_COLUMNS];
	double		value;

	get_gradient(graph, node, gradient);
	gen_evaluate(gen_compile(graph, &gradient[j], 1), row, &value);
	if (fabs(value - expected) <= 1e-12)
		return true;
	diag("%.17g instead of %.17g", value, expected);
	gen_describe(graph, "of", node);
	gen_describe(graph, "is", gradient[j]);
	return false;
}

static void
test_dead_branches(void)
{
	static const DpsOpcode traps[] = {DPS_OP_LN, DPS_OP_SQRT, DPS_OP_LOG10, DPS_OP_ACOSH, DPS_OP_DIV};
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *x = VAR(X);
	const DpsNode *y = VAR(Y);
	const DpsNode *positive = IS(GT, x, NUM(0));
	double		row[GEN_COLUMNS] = {0};
	const DpsNode *node;
	const DpsNode *deep;
	size_t		k;

	for (k = 0; k < sizeof(traps) / sizeof(traps[0]); k++)
	{
		const char *name = dps_ops[traps[k]].name;
		const DpsNode *trap = traps[k] == DPS_OP_DIV ? F8(DIV, NUM(1), x) : dps_apply(graph, traps[k], DPS_FLOAT8, x, NULL);
		const DpsNode *thrice = F8(MUL, NUM(3), trap);
		const DpsNode *squares = F8(ADD, dps_choose(graph, positive, thrice, NUM(0)),
									dps_choose(graph, IS(GT, x, NUM(1)), F8(SQR, thrice, NULL), F8(MUL, NUM(7), x)));

		ok(has_slope(graph, dps_choose(graph, positive, trap, F8(MUL, NUM(2), x)), GEN_X, row, 2), "a dead %s", name);
		ok(has_slope(graph, dps_choose(graph, positive, F8(SIN, F8(MUL, trap, y), NULL), x), GEN_X, row, 1), "a dead %s inside", name);
		ok(has_slope(graph, squares, GEN_X, row, 7), "a %s shared by two dead branches", name);
		ok(has_slope(graph, F8(MUL, squares, NUM(5)), GEN_X, row, 35), "times a constant: %s", name);
		node = dps_choose(graph, IS(LE, x, NUM(0)), x, dps_choose(graph, IS(GT, trap, NUM(2)), F8(SQR, trap, NULL), trap));
		ok(has_slope(graph, node, GEN_X, row, 1), "nested, with a condition that is dead: %s", name);
		node = F8(ADD, node, dps_choose(graph, positive, F8(EXP, trap, NULL), F8(MUL, y, x)));
		row[GEN_Y] = 3;
		ok(has_slope(graph, node, GEN_X, row, 4), "nested, and shared with another: %s", name);
		ok(has_slope(graph, F8(ADD, F8(MUL, F8(SIN, node, NULL), NUM(2)), node), GEN_X, row, 12), "used twice itself: %s", name);
		row[GEN_Y] = 0;
	}
	/* undefined branches that hold NULL */
	node = F8(MUL, VAR(Z), x);
	deep = F8(ADD, dps_choose(graph, IS(IS_NULL, VAR(Z), NULL), x, node),
			  dps_choose(graph, IS(IS_NULL, VAR(Z), NULL), NUM(1), F8(MUL, NUM(4), F8(SIN, node, NULL))));
	row[GEN_Z] = NAN;
	ok(has_slope(graph, deep, GEN_X, row, 1), "a dead NULL shared by two branches");
	row[GEN_X] = 2;
	ok(has_slope(graph, F8(COALESCE, F8(MUL, VAR(Z), x), F8(SQR, x, NULL)), GEN_X, row, 4), "coalesce of NULL");
	ok(has_slope(graph, F8(GREATEST, F8(MUL, VAR(Z), x), F8(SQR, x, NULL)), GEN_X, row, 4), "greatest of NULL");
	ok(has_slope(graph, F8(LEAST, F8(SQR, x, NULL), F8(MUL, VAR(Z), x)), GEN_X, row, 4), "least of NULL");
	row[GEN_Z] = 3;
	ok(has_slope(graph, F8(COALESCE, F8(MUL, VAR(Z), x), F8(SQR, x, NULL)), GEN_X, row, 3), "coalesce of a value");
	row[GEN_C] = NAN;
	ok(has_slope(graph, dps_choose(graph, VAR(C), x, F8(MUL, NUM(9), x)), GEN_X, row, 9), "a NULL condition");
	/* the second derivative */
	node = dps_choose(graph, positive, F8(MUL, x, F8(LN, x, NULL)), F8(SQR, x, NULL));
	row[GEN_X] = 0;
	{
		const DpsNode *gradient[GEN_COLUMNS];

		get_gradient(graph, node, gradient);
		ok(has_slope(graph, gradient[GEN_X], GEN_X, row, 2), "twice differentiated");
	}
	dps_arena_clear(arena);
}

/* At a kink the branch that SQL takes; a gradient may not be undefined where
 * the expression is. */
static void
test_kinks(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *x = VAR(X);
	const DpsNode *twice = F8(MUL, NUM(2), x);
	const DpsNode *gradient[GEN_COLUMNS];
	const DpsNode *node;
	DpsEnclosure enclosures[100];
	DpsDomain	box[GEN_COLUMNS] = {{-3, 3, DPS_NEVER_NULL, false}};
	const DpsProgram *program;
	double		row[GEN_COLUMNS] = {0};

	ok(has_slope(graph, F8(ABS, x, NULL), GEN_X, row, 0), "|x| at 0");
	ok(has_slope(graph, F8(GREATEST, x, twice), GEN_X, row, 1) && has_slope(graph, F8(GREATEST, twice, x), GEN_X, row, 2),
	   "greatest takes the first of equals");
	ok(has_slope(graph, F8(LEAST, x, twice), GEN_X, row, 1) && has_slope(graph, F8(LEAST, twice, x), GEN_X, row, 2),
	   "so does least");
	ok(has_slope(graph, dps_choose(graph, IS(GE, x, NUM(0)), twice, x), GEN_X, row, 2) &&
	   has_slope(graph, dps_choose(graph, IS(GT, x, NUM(0)), twice, x), GEN_X, row, 1), "CASE takes its branch");
	ok(has_slope(graph, F8(FLOOR, x, NULL), GEN_X, row, 0), "a step has 0");
	node = dps_choose(graph, IS(LE, x, NUM(0)), NUM(1),
					  dps_choose(graph, IS(GT, F8(LN, x, NULL), NUM(0)), x, F8(SIN, x, NULL)));
	get_gradient(graph, node, gradient);
	program = gen_compile(graph, &gradient[GEN_X], 1);
	box[GEN_X] = (DpsDomain) {-3, 0, DPS_NEVER_NULL, false};
	dps_enclose(program, box, enclosures);
	if (!ok(enclosures[program->ninstructions - 1].defined == DPS_DEFINED, "inner conditions stay inside outer ones"))
		gen_describe(graph, "gradient", gradient[GEN_X]);
	dps_arena_clear(arena);
}

/* Nodes reachable from these. */
static uint32_t
count_nodes(const DpsGraph *graph, const DpsNode *const *nodes, int n)
{
	return gen_compile(graph, nodes, n)->ninstructions;
}

typedef const DpsNode *(*StepFn) (DpsGraph *graph, const DpsNode *node, int k);

static const DpsNode *
step_sine(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(SIN, F8(ADD, node, NUM(k)), NULL);
}

static const DpsNode *
step_sum(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(ADD, node, F8(SIN, F8(MUL, VAR(X), NUM(k)), NULL));
}

static const DpsNode *
step_product(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(MUL, node, F8(COS, F8(ADD, k % 2 ? VAR(X) : VAR(Y), NUM(k)), NULL));
}

static const DpsNode *
step_quotient(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(DIV, F8(ADD, node, NUM(k)), F8(ADD, F8(SQR, node, NULL), VAR(Y)));
}

static const DpsNode *
step_root(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(ADD, F8(SQRT, node, NULL), F8(LN, F8(ADD, node, NUM(k)), NULL));
}

static const DpsNode *
step_greatest(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(GREATEST, F8(SUB, node, NUM(k)), F8(EXP, node, NULL));
}

static const DpsNode *
step_case(DpsGraph *graph, const DpsNode *node, int k)
{
	return dps_choose(graph, IS(GT, VAR(Y), NUM(k)), F8(LN, node, NULL), F8(SQRT, node, NULL));
}

static const DpsNode *
step_else(DpsGraph *graph, const DpsNode *node, int k)
{
	return dps_choose(graph, IS(GT, VAR(Y), NUM(k)), F8(MUL, NUM(k), F8(LN, VAR(X), NULL)), node);
}

static const DpsNode *
step_clamp(DpsGraph *graph, const DpsNode *node, int k)
{
	return F8(SIN, dps_choose(graph, IS(GT, node, NUM(k)), NUM(k), node), NULL);
}

static void
test_size(void)
{
	static const struct
	{
		const char *name;
		StepFn		step;
		int			factor;
	}			chains[] = {
		{"sines", step_sine, 60}, {"a sum", step_sum, 60}, {"a product", step_product, 120},
		{"quotients", step_quotient, 120}, {"roots", step_root, 120}, {"greatest", step_greatest, 120},
		{"choices", step_case, 120}, {"a long CASE", step_else, 120}, {"clamps", step_clamp, 120},
	};
	size_t		c;
	int			k;

	for (c = 0; c < sizeof(chains) / sizeof(chains[0]); c++)
	{
		uint32_t	size[2];
		uint32_t	made[2];
		int			i;

		/* half as long, then whole */
		for (i = 0; i < 2; i++)
		{
			DpsArena   *arena = gen_arena();
			DpsGraph   *graph = gen_graph(arena);
			const DpsNode *node = VAR(X);
			const DpsNode *gradient[GEN_COLUMNS];

			for (k = 1; k <= 500 * (i + 1); k++)
				node = chains[c].step(graph, node, k);
			made[i] = graph->nnodes;
			get_gradient(graph, node, gradient);
			made[i] = graph->nnodes - made[i];
			size[i] = count_nodes(graph, gradient, GEN_COLUMNS);
			dps_arena_clear(arena);
		}
		ok(size[1] < 1000u * chains[c].factor && size[1] < 2.2 * size[0] && made[1] < 3 * size[1] + 1000 * 100,
		   "the gradient of %s grows with it: %u nodes for 500, %u for 1000 (%u made)", chains[c].name, size[0], size[1], made[1]);
	}
}

static void
test_hessian(void)
{
	GradientTally tally = {0};
	int			asymmetric = 0;
	int			compared = 0;
	int			failures = 0;
	int			i;

	for (i = 0; i < 150; i++)
	{
		DpsArena   *arena = gen_arena();
		Generator	g = gen_init(arena, GEN_T(FLOAT8));
		const DpsNode *hessian[GEN_COLUMNS * GEN_COLUMNS];
		const DpsNode *gradient[GEN_COLUMNS];
		double		values[GEN_COLUMNS * GEN_COLUMNS];
		double		row[GEN_COLUMNS];
		GenPair		e;
		int			a;
		int			b;

		g.no_nulls = true;
		g.only_smooth = i % 2;
		e = gen_expression(&g, DPS_FLOAT8, 1 + random_below(4));
		if (dps_hessian(g.simple, e.simple, hessian) != DPS_OK)
			abort();
		get_gradient(g.simple, e.simple, gradient);
		failures += !check_gradient(g.simple, gradient[GEN_Y], true, &tally);
		get_gradient(g.simple, gradient[GEN_Y], gradient);
		failures += memcmp(gradient, hessian + GEN_Y * GEN_COLUMNS, sizeof(gradient)) != 0;
		gen_row(row, true);
		gen_evaluate(gen_compile(g.simple, hessian, GEN_COLUMNS * GEN_COLUMNS), row, values);
		for (a = 0; a <= GEN_Z; a++)
		{
			for (b = 0; b < a; b++)
			{
				double		p = values[a * GEN_COLUMNS + b];
				double		q = values[b * GEN_COLUMNS + a];

				if (!(fabs(p) < 1e8 && fabs(q) < 1e8))
					continue;
				compared += p != 0;
				asymmetric += fabs(p - q) > 1e-6 * (1 + fabs(p));
			}
		}
		dps_arena_clear(arena);
	}
	ok(asymmetric == 0 && compared > 20, "the Hessian is symmetric (%d entries)", compared);
	ok(failures == 0 && tally.steep > 50, "and the gradient of the gradient (%d slopes)", tally.steep);
}

/* NULL and substitution. */

static void
test_strict(void)
{
	int			found = 0;
	int			failures = 0;
	int			i;
	int			j;

	for (i = 0; i < 400; i++)
	{
		DpsArena   *arena = gen_arena();
		Generator	g = gen_init(arena, GEN_ALL_TYPES);
		GenPair		e = gen_expression(&g, DPS_FLOAT8, 4);
		const DpsProgram *program = gen_compile(g.simple, &e.simple, 1);
		uint64_t	mask = dps_strict_variables(g.simple, e.simple);

		failures += (mask & ~e.simple->variables) != 0;
		for (j = 0; j < GEN_COLUMNS; j++)
		{
			double		row[GEN_COLUMNS];
			double		value;

			if (!(mask & (UINT64_C(1) << j)))
				continue;
			gen_row(row, false);
			row[j] = NAN;
			gen_evaluate(program, row, &value);
			found++;
			failures += !isnan(value);
		}
		dps_arena_clear(arena);
	}
	ok(failures == 0 && found > 200, "a strict variable's NULL is the node's (%d times)", found);
}

static void
test_strict_rules(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *x = VAR(X);
	const DpsNode *z = VAR(Z);

	ok(dps_strict_variables(graph, F8(ADD, x, z)) == 5, "a sum is NULL if either is");
	ok(dps_strict_variables(graph, F8(COALESCE, z, x)) == 0, "coalesce if both are");
	ok(dps_strict_variables(graph, F8(GREATEST, F8(MUL, z, VAR(Y)), F8(SIN, z, NULL))) == 4, "greatest if all are");
	ok(dps_strict_variables(graph, dps_choose(graph, IS(GT, z, x), x, VAR(Y))) == 0, "a condition's NULL is no result's");
	ok(dps_strict_variables(graph, dps_choose(graph, VAR(B), F8(ADD, x, z), F8(MUL, z, VAR(Y)))) == 4, "both branches");
	ok(dps_strict_variables(graph, IS(IS_NULL, z, NULL)) == 0 && dps_strict_variables(graph, IS(AND, VAR(C), VAR(B))) == 0, "logic");
	ok(dps_strict_variables(graph, NUM(NAN)) == 0, "a constant");
	dps_arena_clear(arena);
}

static void
test_substitute(void)
{
	int			failures = 0;
	int			i;

	for (i = 0; i < 400; i++)
	{
		DpsArena   *arena = gen_arena();
		Generator	g = gen_init(arena, GEN_T(FLOAT8));
		GenPair		e = gen_expression(&g, DPS_FLOAT8, 4);
		GenPair		r = gen_expression(&g, DPS_FLOAT8, 2);
		const DpsNode *nodes[2];
		GenOutcome	before;
		GenOutcome	after;
		double		row[GEN_COLUMNS];
		double		value;

		nodes[0] = dps_substitute(g.simple, e.simple, GEN_X, r.simple);
		if (nodes[0] == NULL)
			abort();
		failures += dps_substitute(g.simple, e.simple, GEN_X, dps_variable(g.simple, GEN_X)) != e.simple;
		failures += (nodes[0]->variables & 1) > (r.simple->variables & 1);
		if (!(e.simple->variables & 1))
			failures += nodes[0] != e.simple;
		gen_row(row, true);
		gen_evaluate(gen_compile(g.simple, &r.simple, 1), row, &value);
		after = gen_outcome(gen_compile(g.simple, nodes, 1), row);
		if (isnan(value) || !(fabs(value) < 1e3))
		{
			dps_arena_clear(arena);
			continue;
		}
		row[GEN_X] = value;
		before = gen_outcome(gen_compile(g.simple, &e.simple, 1), row);
		if (is_certain(&before) && is_certain(&after) && before.enclosure.nullness == after.enclosure.nullness &&
			before.enclosure.continuous && before.value == before.value && fabs(before.value) < 1e3 &&
			after.enclosure.value.hi - after.enclosure.value.lo < 1e-6)
		{
			if (fabs(before.value - after.value) > 1e-5)
			{
				failures++;
				diag("%.17g became %.17g", before.value, after.value);
				gen_describe(g.simple, "of", e.simple);
				gen_describe(g.simple, "x is", r.simple);
				gen_describe(g.simple, "became", nodes[0]);
			}
		}
		dps_arena_clear(arena);
	}
	ok(failures == 0, "substitution is evaluation with another value, and x for x changes nothing");
}

int
main(void)
{
	test_intern();
	test_order();
	test_variables();
	test_rules();
	test_sharing();
	test_slips();
	test_rows();
	test_dead_branches();
	test_kinks();
	test_gradient();
	test_hessian();
	test_strict();
	test_strict_rules();
	test_substitute();
	test_idempotence();
	test_value();
	test_size();
	return done_testing();
}

/*
 * test_expr.c
 *		Graphs: interning, simplification, substitution, derivatives.
 *
 * Most tests are properties of random expressions built in two forms, see
 * generate.h.
 */
#include "generate.h"

#define VAR(j) dps_variable(graph, GEN_##j)
#define NUM(v) dps_constant(graph, DPS_FLOAT8, v)
#define F8(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, a, b)
#define F4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT4, a, b)
#define I4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_INT4, a, b)
#define IS(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_BOOL, a, b)
#define INT(v) dps_constant(graph, DPS_INT4, v)

/* Simplification keeps values. */

/* Both enclosures hold the exact value, but for the rounding of folded
 * constants, so the evaluated values differ by no more than both are wide:
 * what cancels badly is wide. */
static bool
same_number(const GenOutcome *plain, const GenOutcome *simple)
{
	DpsInterval a = plain->enclosure.value;
	DpsInterval b = simple->enclosure.value;
	double		slack = 1e-9 * (fabs(plain->value) + fabs(simple->value)) + 1e-12;

	return a.lo - slack <= b.hi && b.lo - slack <= a.hi &&
		fabs(plain->value - simple->value) <= slack + (a.hi - a.lo) + (b.hi - b.lo);
}

/* Is the plain form's outcome certain: a finite value, or NULL? */
static bool
is_certain(const GenOutcome *o)
{
	DpsInterval v = o->enclosure.value;

	if (o->enclosure.defined != DPS_DEFINED || o->enclosure.nullness == DPS_MAYBE_NULL)
		return false;
	return o->enclosure.nullness == DPS_ALWAYS_NULL ||
		(fabs(v.lo) < 1e100 && fabs(v.hi) < 1e100 && o->value == o->value);
}

typedef struct Tally
{
	int			numbers;
	int			nulls;
	int			undefined;
	int			tight;
	int			edges;
} Tally;

static bool
agrees(const GenOutcome *plain, const GenOutcome *simple, Tally *tally)
{
	if (plain->enclosure.nullness == DPS_ALWAYS_NULL)
		return isnan(simple->value);
	if (simple->enclosure.defined == DPS_UNDEFINED || simple->enclosure.nullness == DPS_ALWAYS_NULL)
		return false;
	/* at the edge of a domain a rounding error decides, in a condition also
	 * what overflows */
	if (simple->enclosure.defined == DPS_PARTIAL)
	{
		tally->edges++;
		return true;
	}
	/* rearranged, it may overflow */
	if (!isfinite(simple->enclosure.value.lo) || !isfinite(simple->enclosure.value.hi))
		return true;
	return !isnan(simple->value) && same_number(plain, simple);
}

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

/* The graph of the same structure, node by node through the constructors. */
static const DpsNode *
rebuild(DpsGraph *graph, const DpsNode *node, const DpsNode **memo)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	int			i;

	if (memo[node->id] != NULL)
		return memo[node->id];
	for (i = 0; i < node->nargs; i++)
		arg[i] = rebuild(graph, node->arg[i], memo);
	if (node->op == DPS_OP_CONST)
		memo[node->id] = dps_constant(graph, node->type, node->value);
	else if (node->op == DPS_OP_VAR)
		memo[node->id] = dps_variable(graph, node->variable);
	else if (node->op == DPS_OP_CASE)
		memo[node->id] = dps_choose(graph, arg[0], arg[1], arg[2]);
	else
		memo[node->id] = dps_apply(graph, node->op, node->type, arg[0], arg[1]);
	return memo[node->id];
}

/* The first node, arguments first, that is not what it was made of. */
static bool
is_stable(DpsGraph *graph, const DpsNode *node)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *fresh = gen_graph(arena);
	const DpsNode **memo = calloc(node->id + 1, sizeof(DpsNode *));
	const DpsNode *again = rebuild(graph, node, memo);
	const DpsNode *elsewhere;
	bool		good = again == node;

	if (!good)
	{
		gen_describe(graph, "was", node);
		gen_describe(graph, "became", again);
	}
	memset(memo, 0, sizeof(DpsNode *) * (node->id + 1));
	elsewhere = rebuild(fresh, node, memo);
	if (good && elsewhere->hash != node->hash)
	{
		gen_describe(graph, "was", node);
		gen_describe(fresh, "became in another graph", elsewhere);
		good = false;
	}
	free(memo);
	dps_arena_clear(arena);
	return good;
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
	/* many nodes, so that the buckets grow */
	for (i = 0; i < 2; i++)
	{
		const DpsNode *node = x;
		int			k;

		count = graph->nnodes;
		for (k = 0; k < 5000; k++)
			node = F8(SIN, F8(ADD, node, NUM(k)), NULL);
		half[i] = node;
	}
	ok(half[0] == half[1] && graph->nnodes == count && graph->nbuckets > 256, "a second time makes no node");
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
		hashed = hashed && (a.simple == b.simple) == (a.simple->hash == b.simple->hash);
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

/* Shapes: no constructor of leaves makes them, so these are made by hand. */

static void
test_shapes(void)
{
	DpsArena   *arena = gen_arena();
	DpsGraph   *graph = gen_graph(arena);
	const DpsNode *x = VAR(X);
	DpsNode		vector = *VAR(Y);
	DpsNode		longer = *VAR(Z);
	DpsNode		matrix = *VAR(Z);
	const DpsNode *gradient[GEN_COLUMNS];
	const DpsNode *sum;

	vector.shape = (DpsShape) {1, {3}};
	longer.shape = (DpsShape) {1, {4}};
	matrix.shape = (DpsShape) {2, {3, 1}};
	sum = F8(ADD, &vector, x);
	ok(sum != NULL && sum->shape.rank == 1 && sum->shape.extent[0] == 3, "a scalar goes with a vector");
	sum = F8(MUL, x, &vector);
	ok(sum != NULL && sum->shape.rank == 1 && sum->shape.extent[0] == 3, "on either side");
	sum = F8(SIN, F8(ADD, &vector, &vector), NULL);
	ok(sum != NULL && sum->shape.rank == 1 && sum->shape.extent[0] == 3, "vectors of one length");
	sum = dps_choose(graph, VAR(B), &vector, x);
	ok(sum != NULL && sum->shape.rank == 1, "a choice");
	ok(F8(ADD, &vector, &longer) == NULL, "not of two lengths");
	ok(F8(ADD, &vector, &matrix) == NULL, "not of two ranks");
	ok(dps_choose(graph, VAR(B), &vector, &longer) == NULL, "not in a choice either");
	ok(dps_gradient(graph, F8(SIN, &vector, NULL), gradient) == DPS_UNABLE, "no gradient of a vector");
	ok(x->shape.rank == 0 && F8(MUL, x, x)->shape.rank == 0, "scalars have rank 0");
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
	ok(dps_gradient(graph, product, gradient) == DPS_OK && dps_gradient(graph, mixed, gradient) == DPS_OK &&
	   dps_gradient(graph, long_sum, gradient) == DPS_OK && dps_gradient(graph, long_product, gradient) == DPS_OK &&
	   graph->nnodes < 60000, "so are their gradients (%u)", graph->nnodes);
	ok(dps_strict_variables(graph, mixed) == 1 && dps_substitute(graph, mixed, GEN_X, VAR(Y)) != NULL,
	   "other walks do not follow every path");
	dps_arena_clear(arena);
}

int
main(void)
{
	test_intern();
	test_order();
	test_variables();
	test_shapes();
	test_rules();
	test_sharing();
	test_idempotence();
	test_value();
	return done_testing();
}

/*
 * test_program.c
 *		Programs: compilation, batches, enclosures and the evaluation error, on
 *		random graphs against plain recursive evaluation.
 */
#include "scarce.h"
#include "tap.h"

#include "reference.h"

#include "expr/program.h"

/* The columns of every graph here. */
enum
{
	X,							/* float8 */
	Y,							/* float8, nullable */
	Z,							/* float8 */
	M,							/* integer */
	N,							/* integer, nullable */
	B,							/* boolean, nullable */
	COLUMNS
};

#define MAX_NODES 4096
#define POOL 64

/* Graphs. */

static DpsArena *
new_arena(void)
{
	DpsArena   *arena;

	if (dps_arena_init(&arena, &tap_host) != DPS_OK)
		abort();
	return arena;
}

static DpsGraph *
new_graph(DpsArena *arena)
{
	static const char *names[COLUMNS] = {"x", "y", "z", "m", "n", "b"};
	static const DpsType types[COLUMNS] = {DPS_FLOAT8, DPS_FLOAT8, DPS_FLOAT8, DPS_INT4, DPS_INT4, DPS_BOOL};
	static const bool nullable[COLUMNS] = {false, true, false, false, true, true};
	DpsGraph   *graph;
	int			j;

	if (dps_graph_init(&graph, arena) != DPS_OK)
		abort();
	for (j = 0; j < COLUMNS; j++)
		dps_graph_add_variable(graph, names[j], types[j], nullable[j]);
	return graph;
}

static const DpsProgram *
compile(const DpsGraph *graph, const DpsNode *const *nodes, int n)
{
	const DpsProgram *program;

	if (dps_compile(graph, nodes, n, &program) != DPS_OK)
		abort();
	return program;
}

#define F8(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_FLOAT8, a, b)
#define I4(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_INT4, a, b)
#define IS(op, a, b) dps_apply(graph, DPS_OP_##op, DPS_BOOL, a, b)
#define VAR(j) dps_variable(graph, j)
#define NUM(v) dps_constant(graph, DPS_FLOAT8, v)
#define INT(v) dps_constant(graph, DPS_INT4, v)
#define NOTHING dps_constant(graph, DPS_FLOAT8, NAN)

/* Nodes by kind that a random graph is built from. */
typedef struct Pool
{
	const DpsNode *node[POOL];
	int			n;
} Pool;

static void
add_to(Pool *pool, const DpsNode *node)
{
	if (node == NULL)
		abort();
	if (pool->n < POOL)
		pool->node[pool->n++] = node;
	else
		pool->node[random_below(POOL)] = node;
}

/* Rather one of the last, so that graphs become deep. */
static const DpsNode *
pick(const Pool *pool)
{
	int			back = random_below(2) ? random_below(pool->n < 3 ? pool->n : 3) : random_below(pool->n);

	return pool->node[pool->n - 1 - back];
}

typedef struct Pools
{
	Pool		number;
	Pool		integer;
	Pool		condition;
} Pools;

static void
add_leaves(DpsGraph *graph, Pools *pools)
{
	add_to(&pools->number, VAR(X));
	add_to(&pools->number, VAR(Y));
	add_to(&pools->number, VAR(Z));
	add_to(&pools->number, NUM(0.1));
	add_to(&pools->number, NUM(2));
	add_to(&pools->number, NOTHING);
	add_to(&pools->integer, VAR(M));
	add_to(&pools->integer, VAR(N));
	add_to(&pools->integer, INT(7));
	add_to(&pools->condition, VAR(B));
	add_to(&pools->condition, IS(LT, VAR(X), VAR(Z)));
}

static void
add_integer(DpsGraph *graph, Pools *pools)
{
	static const DpsOpcode ops[] = {DPS_OP_ADD, DPS_OP_SUB, DPS_OP_MUL, DPS_OP_INT_DIV, DPS_OP_MOD, DPS_OP_NEG,
	DPS_OP_ABS, DPS_OP_GREATEST};

	if (random_below(6) == 0)
		add_to(&pools->integer, I4(CAST, F8(RINT, pick(&pools->number), NULL), NULL));
	else
		add_to(&pools->integer, dps_apply(graph, ops[random_below(8)], DPS_INT4, pick(&pools->integer),
										  pick(&pools->integer)));
}

static void
add_condition(DpsGraph *graph, Pools *pools, DpsOpcode op)
{
	bool		logic = (dps_ops[op].flags & DPS_NULL_LOGIC) || op == DPS_OP_NOT;
	const Pool *pool = logic ? &pools->condition : random_below(3) ? &pools->number : &pools->integer;

	add_to(&pools->condition, dps_apply(graph, op, DPS_BOOL, pick(pool), pick(pool)));
}

static void
add_number(DpsGraph *graph, Pools *pools, DpsOpcode op)
{
	const DpsNode *y = pick(&pools->number);

	if (op == DPS_OP_ROUND_TO || op == DPS_OP_TRUNC_TO)
		y = INT(random_below(5) - 2);
	add_to(&pools->number, dps_apply(graph, op, DPS_FLOAT8, pick(&pools->number), y));
}

static void
add_random(DpsGraph *graph, Pools *pools)
{
	DpsOpcode	op = DPS_OP_FIRST_ROW + random_below(DPS_OP_COUNT - DPS_OP_FIRST_ROW);

	if (random_below(8) == 0)
		add_to(&pools->number, dps_choose(graph, pick(&pools->condition), pick(&pools->number),
										  pick(&pools->number)));
	else if (random_below(8) == 0)
		add_integer(graph, pools);
	else if (op == DPS_OP_CAST || op == DPS_OP_INT_DIV)
		add_to(&pools->number, F8(CAST, pick(&pools->integer), NULL));
	else if (dps_ops[op].flags & DPS_LOGICAL)
		add_condition(graph, pools, op);
	else if (random_below(3) == 0)
		add_number(graph, pools, DPS_OP_ADD + random_below(3));
	else
		add_number(graph, pools, op);
}

static void
random_graph(DpsGraph *graph, Pools *pools, int size)
{
	int			i;

	memset(pools, 0, sizeof(*pools));
	add_leaves(graph, pools);
	for (i = 0; i < size; i++)
		add_random(graph, pools);
}

/* Rows and boxes. */

typedef struct Row
{
	double		value[COLUMNS];
} Row;

static void
random_box(DpsDomain *box, double width)
{
	int			j;

	memset(box, 0, sizeof(*box) * COLUMNS);
	for (j = 0; j < COLUMNS; j++)
	{
		double		a = random_between(-4, 4);

		box[j].lo = a;
		box[j].hi = random_below(5) == 0 ? a : a + random_between(0, width);
		box[j].integral = j >= M;
		if (j == M || j == N)
		{
			double		scale = random_below(8) == 0 ? 1e8 : 1;

			box[j].lo = rint(a * scale);
			box[j].hi = box[j].lo + random_below(10) * scale;
		}
		if (j == B)
		{
			box[j].lo = random_below(2);
			box[j].hi = random_below(2) || box[j].lo;
		}
		if (j == Y || j == N || j == B)
			box[j].nullness = random_below(3);
	}
}

static double
random_cell(const DpsDomain *domain)
{
	double		value = random_below(4) == 0 ? domain->lo : random_below(4) == 0 ? domain->hi :
		random_between(domain->lo, domain->hi);

	if (domain->nullness == DPS_ALWAYS_NULL || (domain->nullness == DPS_MAYBE_NULL && random_below(3) == 0))
		return NAN;
	return domain->integral ? rint(value) : value;
}

static Row
random_row(const DpsDomain *box)
{
	Row			row;
	int			j;

	for (j = 0; j < COLUMNS; j++)
		row.value[j] = random_cell(&box[j]);
	return row;
}

/* Evaluation by recursion, the way SQL does it. */

typedef struct Outcome
{
	double		value;			/* what the evaluator should yield */
	long double exact;
	bool		error;			/* SQL would raise an error */
	bool		overflow;		/* of double precision: no more to say */
	bool		known;
} Outcome;

typedef struct Recursion
{
	Row			row;
	Outcome		outcome[MAX_NODES];
} Recursion;

static bool
is_domain_error(const DpsNode *node, const Outcome *x, const Outcome *y)
{
	const DpsOp *op = &dps_ops[node->op];

	if (isnan(x->value) || isnan(y->value))
		return false;
	return op->defined(dps_iv(x->value, x->value), dps_iv(y->value, y->value)) != DPS_DEFINED;
}

static const Outcome *
recurse(Recursion *r, const DpsNode *node)
{
	Outcome    *o = &r->outcome[node->id];
	const Outcome *arg[3] = {NULL, NULL, NULL};
	bool		second;
	int			k;

	if (o->known)
		return o;
	for (k = 0; k < node->nargs; k++)
		arg[k] = recurse(r, node->arg[k]);
	o->known = true;
	switch (node->op)
	{
		case DPS_OP_CONST:
			o->value = o->exact = node->value;
			return o;
		case DPS_OP_VAR:
			o->value = o->exact = r->row.value[node->variable];
			return o;
		case DPS_OP_CASE:
			k = arg[0]->value == 1 ? 1 : 2;
			o->value = arg[k]->value;
			o->exact = arg[0]->exact == 1 ? arg[1]->exact : arg[2]->exact;
			o->error = arg[0]->error || arg[k]->error;
			o->overflow = arg[0]->overflow || arg[k]->overflow;
			return o;
		default:
			break;
	}
	if (node->nargs == 1)
		arg[1] = arg[0];
	second = node->op != DPS_OP_COALESCE || isnan(arg[0]->value);
	o->value = dps_ops[node->op].value(arg[0]->value, arg[1]->value);
	o->exact = reference[node->op] (arg[0]->exact, arg[1]->exact);
	o->error = arg[0]->error || (second && arg[1]->error) || is_domain_error(node, arg[0], arg[1]);
	o->overflow = arg[0]->overflow || (second && arg[1]->overflow);
	if (dps_type_is_integer(node->type) && !isnan(o->value) &&
		!dps_iv_contains(dps_type_range(node->type), o->value))
		o->error = true;
	if (!o->error && isnan(o->value) && !isnan(arg[0]->value) && !isnan(arg[1]->value))
		o->overflow = true;
	return o;
}

static void
begin_row(Recursion *r, Row row)
{
	r->row = row;
	memset(r->outcome, 0, sizeof(r->outcome));
}

/* Batches. */

typedef struct Evaluation
{
	double		column[COLUMNS][DPS_BATCH];
	double		output[POOL][DPS_BATCH];
	double	   *scratch;
} Evaluation;

static void
run(const DpsProgram *program, Evaluation *e, int first, int n)
{
	const double *columns[COLUMNS];
	double	   *outputs[POOL];
	size_t		i;
	int			k;

	e->scratch = malloc(dps_scratch_size(program) * sizeof(double) + 1);
	for (i = 0; i < dps_scratch_size(program); i++)
		e->scratch[i] = 1e300;
	for (k = 0; k < COLUMNS; k++)
		columns[k] = e->column[k] + first;
	for (k = 0; k < POOL; k++)
		outputs[k] = e->output[k] + first;
	dps_evaluate(program, columns, n, e->scratch, outputs);
	free(e->scratch);
}

static bool
outputs_agree(const DpsNode *const *nodes, int n, const Evaluation *e, Recursion *r, int row)
{
	Row			cells;
	int			k;

	for (k = 0; k < COLUMNS; k++)
		cells.value[k] = e->column[k][row];
	begin_row(r, cells);
	for (k = 0; k < n; k++)
	{
		double		expected = recurse(r, nodes[k])->value;

		if (isnan(expected))
			expected = NAN;
		/* bit by bit, NaN included */
		if (memcmp(&expected, &e->output[k][row], sizeof(double)) != 0)
		{
			diag("output %d, row %d: %a instead of %a", k, row, e->output[k][row], expected);
			return false;
		}
	}
	return true;
}

static bool
check_batches(const DpsProgram *program, const DpsNode *const *nodes, int n, Recursion *r)
{
	static Evaluation e;
	static Evaluation again;
	DpsDomain	box[COLUMNS];
	bool		good = true;
	int			row;
	int			j;

	random_box(box, 5);
	for (row = 0; row < DPS_BATCH; row++)
	{
		Row			cells = random_row(box);

		for (j = 0; j < COLUMNS; j++)
			e.column[j][row] = cells.value[j];
	}
	again = e;
	run(program, &e, 0, DPS_BATCH);
	for (row = 0; row < DPS_BATCH && good; row += 1 + random_below(40))
		good = outputs_agree(nodes, n, &e, r, row);
	/* in pieces of any size */
	for (row = 0; row < DPS_BATCH; row += j)
	{
		j = 1 + random_below(60);
		j = row + j > DPS_BATCH ? DPS_BATCH - row : j;
		run(program, &again, row, j);
	}
	for (j = 0; j < n; j++)
		good = good && memcmp(e.output[j], again.output[j], sizeof(e.output[j])) == 0;
	return good;
}

static void
test_batches(void)
{
	static Recursion r;
	bool		good = true;
	bool		reused = false;
	bool		copied = true;
	int			i;

	for (i = 0; i < 150 && good; i++)
	{
		DpsArena   *arena = new_arena();
		DpsGraph   *graph = new_graph(arena);
		Pools		pools;
		const DpsProgram *program;
		DpsProgram *copy;
		int			n;

		random_graph(graph, &pools, 1 + random_below(50));
		n = 1 + random_below(pools.number.n);
		program = compile(graph, pools.number.node + pools.number.n - n, n);
		copy = malloc(program->size);
		memcpy(copy, program, program->size);
		good = check_batches(program, pools.number.node + pools.number.n - n, n, &r);
		copied = copied && check_batches(copy, pools.number.node + pools.number.n - n, n, &r);
		reused = reused || program->nslots < program->ninstructions / 2;
		free(copy);
		dps_arena_clear(arena);
	}
	ok(good, "batches of any size agree with recursion, bit for bit");
	ok(copied, "a program may be copied");
	ok(reused, "registers are reused");
}

static void
test_compile(void)
{
	DpsArena   *arena = new_arena();
	DpsGraph   *graph = new_graph(arena);
	const DpsNode *node = VAR(X);
	const DpsNode *shared = F8(SIN, VAR(X), NULL);
	const DpsNode *nodes[3] = {NULL, NULL, NULL};
	const DpsProgram *program;
	int			i;

	for (i = 0; i < 500; i++)
		node = F8(SIN, node, NULL);
	program = compile(graph, &node, 1);
	ok(program->ninstructions == 501 && program->nslots == 2, "a chain needs two registers");
	nodes[0] = shared;
	nodes[1] = F8(EXP, shared, NULL);
	nodes[2] = shared;
	program = compile(graph, nodes, 3);
	ok(program->ninstructions == 3, "what is shared is computed once");
	ok(dps_program_outputs(program)[0] == 1 && dps_program_outputs(program)[2] == 1, "an output twice");
	program = compile(graph, nodes, 0);
	ok(program->ninstructions == 0 && program->noutputs == 0, "no outputs, no instructions");
	nodes[1] = NULL;
	ok(dps_compile(graph, nodes, 2, &program) == DPS_NOMEM, "a node that could not be made");
	dps_arena_clear(arena);
}

/* A program's nodes, made again. */

/* Are they one program, but for the ids of the nodes they came from? */
static bool
same_programs(const DpsProgram *a, const DpsProgram *b)
{
	uint32_t	i;

	if (memcmp(a, b, sizeof(DpsProgram)) != 0)
		return false;
	for (i = 0; i < a->ninstructions; i++)
	{
		DpsInstruction x = a->code[i];

		x.node = b->code[i].node;
		if (memcmp(&x, &b->code[i], sizeof(x)) != 0)
			return false;
	}
	return memcmp(dps_program_outputs(a), dps_program_outputs(b), sizeof(uint32_t) * a->noutputs) == 0;
}

static bool
decompiles(DpsGraph *graph, DpsGraph *other, const DpsNode *const *nodes)
{
	const DpsProgram *program = compile(graph, nodes, 2);
	const DpsNode *again[2];

	if (has_rounded(nodes[0]) || has_rounded(nodes[1]))
		return dps_decompile(other, program, program->size, again, 2) == DPS_OK;
	if (dps_decompile(graph, program, program->size, again, 2) != DPS_OK ||
		again[0] != nodes[0] || again[1] != nodes[1])
		return false;
	return dps_decompile(other, program, program->size, again, 2) == DPS_OK &&
		same_programs(compile(other, again, 2), program);
}

static bool
refuses_damage(DpsGraph *graph, const DpsNode *const *nodes)
{
	const DpsProgram *program = compile(graph, nodes, 2);
	DpsProgram *damaged = malloc(program->size);
	const DpsNode *again[2];
	bool		good = true;
	uint32_t	i;

	/* what is still a program yields nodes, anything else is refused */
	for (i = 0; i < program->size && good; i++)
	{
		DpsStatus	status;

		memcpy(damaged, program, program->size);
		((uint8_t *) damaged)[i] ^= 1u << random_below(8);
		status = dps_decompile(graph, damaged, program->size, again, 2);
		good = status == DPS_UNABLE || (status == DPS_OK && again[0] != NULL && again[1] != NULL);
		if (i < sizeof(uint32_t) * 3)
			good = good && status == DPS_UNABLE;
	}
	good = good && dps_decompile(graph, program, program->size - 4, again, 2) == DPS_UNABLE &&
		dps_decompile(graph, program, 8, again, 2) == DPS_UNABLE &&
		dps_decompile(graph, program, program->size, again, 1) == DPS_UNABLE;
	free(damaged);
	return good;
}

static void
test_decompile(void)
{
	DpsArena   *empty_arena = new_arena();
	DpsGraph   *empty;
	const DpsProgram *program;
	const DpsNode *node;
	bool		good = true;
	bool		careful = true;
	int			i;

	for (i = 0; i < 200 && good && careful; i++)
	{
		DpsArena   *arena = new_arena();
		DpsGraph   *graph = new_graph(arena);
		DpsGraph   *other = new_graph(arena);
		const DpsNode *nodes[2];
		Pools		pools;

		random_graph(graph, &pools, 1 + random_below(30));
		nodes[0] = pick(&pools.number);
		nodes[1] = pick(&pools.condition);
		good = decompiles(graph, other, nodes);
		careful = refuses_damage(graph, nodes);
		dps_arena_clear(arena);
	}
	ok(good, "compiling and back is the identity (case %d)", i);
	ok(careful, "damaged programs are refused or harmless (case %d)", i);
	if (dps_graph_init(&empty, empty_arena) != DPS_OK)
		abort();
	node = dps_constant(empty, DPS_FLOAT8, -0.0);
	program = compile(empty, &node, 1);
	ok(dps_decompile(empty, program, program->size, &node, 1) == DPS_OK && signbit(node->value),
	   "a constant without variables, by its bits");
	dps_arena_clear(empty_arena);
}

/* Enclosures of random graphs contain what recursion finds. */

static void
collect(const DpsNode *node, const DpsNode **by_id)
{
	int			k;

	if (node->id >= MAX_NODES)
		abort();
	if (by_id[node->id] != NULL)
		return;
	by_id[node->id] = node;
	for (k = 0; k < node->nargs; k++)
		collect(node->arg[k], by_id);
}

static bool
encloses(const DpsEnclosure *e, const Outcome *o)
{
	if (o->overflow)
		return e->defined != DPS_DEFINED || isinf(e->value.lo) || isinf(e->value.hi);
	if (o->error)
		return e->defined != DPS_DEFINED;
	if (e->defined == DPS_UNDEFINED)
		return false;
	if (isnan(o->value))
		return e->nullness != DPS_NEVER_NULL;
	return e->nullness != DPS_ALWAYS_NULL && dps_iv_contains(e->value, o->value);
}

static bool
check_enclosures(const DpsProgram *program, const DpsNode **by_id, const DpsDomain *box, Recursion *r)
{
	static DpsEnclosure enclosures[MAX_NODES];
	uint32_t	i;
	int			row;

	dps_enclose(program, box, enclosures);
	for (row = 0; row < 30; row++)
	{
		begin_row(r, random_row(box));
		for (i = 0; i < program->ninstructions; i++)
		{
			const DpsNode *node = by_id[program->code[i].node];
			const Outcome *o = recurse(r, node);
			const DpsEnclosure *e = &enclosures[i];

			if (!encloses(e, o))
			{
				diag("%s: %a%s not in [%a, %a], nullness %d, defined %d",
					 node->op < DPS_OP_FIRST_ROW ? "CASE" : dps_ops[node->op].name, o->value,
					 o->error ? " (error)" : "", e->value.lo, e->value.hi, e->nullness, e->defined);
				return false;
			}
		}
	}
	return true;
}

static void
test_enclosures(void)
{
	static Recursion r;
	bool		good = true;
	int			i;

	for (i = 0; i < 600 && good; i++)
	{
		DpsArena   *arena = new_arena();
		DpsGraph   *graph = new_graph(arena);
		const DpsNode *by_id[MAX_NODES] = {NULL};
		Pools		pools;
		DpsDomain	box[COLUMNS];
		const DpsProgram *program;
		int			k;

		random_graph(graph, &pools, 1 + random_below(40));
		for (k = 0; k < pools.number.n; k++)
			collect(pools.number.node[k], by_id);
		program = compile(graph, pools.number.node, pools.number.n);
		for (k = 0; k < 6 && good; k++)
		{
			random_box(box, k < 3 ? 0.5 : 5);
			good = check_enclosures(program, by_id, box, &r);
		}
		dps_arena_clear(arena);
	}
	ok(good, "enclosures contain values, NULL and errors");
}

/*
 * A jump is found by bisection: the half across which the function moves more,
 * until nothing lies between the ends.
 */
static double
largest_jump(const DpsNode *node, Row a, Row b, Recursion *r)
{
	double		at_a;
	double		at_b;
	int			step;
	int			j;

	begin_row(r, a);
	at_a = recurse(r, node)->value;
	begin_row(r, b);
	at_b = recurse(r, node)->value;
	for (step = 0; step < 60; step++)
	{
		Row			middle;
		double		at_middle;

		for (j = 0; j < COLUMNS; j++)
			middle.value[j] = a.value[j] / 2 + b.value[j] / 2;
		begin_row(r, middle);
		at_middle = recurse(r, node)->value;
		if (isnan(at_middle) != isnan(at_a) || isnan(at_middle) != isnan(at_b))
			return INFINITY;
		if (fabs(at_middle - at_a) > fabs(at_b - at_middle))
		{
			b = middle;
			at_b = at_middle;
		}
		else
		{
			a = middle;
			at_a = at_middle;
		}
	}
	return isnan(at_a) ? 0 : fabs(at_a - at_b) / (1 + fabs(at_a));
}

/* Whether every number on the way is of moderate size and no slope is infinite,
 * so that rounding is no jump. */
static bool
is_tame(const DpsProgram *program, const DpsEnclosure *enclosures)
{
	static const DpsOpcode steep[] = {DPS_OP_CBRT, DPS_OP_SQRT, DPS_OP_POW, DPS_OP_ASIN, DPS_OP_ACOS,
	DPS_OP_ACOSH, DPS_OP_ATANH};
	uint32_t	i;
	size_t		k;

	for (i = 0; i < program->ninstructions; i++)
	{
		const DpsEnclosure *e = &enclosures[i];

		if (!dps_iv_is_empty(e->value) && !(e->value.lo > -1e4 && e->value.hi < 1e4))
			return false;
		for (k = 0; k < sizeof(steep) / sizeof(steep[0]); k++)
		{
			if (program->code[i].op == steep[k])
				return false;
		}
	}
	return true;
}

static int
check_continuity(const DpsGraph *graph, const DpsNode *node, Recursion *r, bool *good)
{
	static DpsEnclosure enclosures[MAX_NODES];
	const DpsProgram *program = compile(graph, &node, 1);
	const DpsEnclosure *e = &enclosures[dps_program_outputs(program)[0]];
	DpsDomain	box[COLUMNS];
	Row			a;
	Row			b;
	double		jump;
	int			j;

	random_box(box, 2);
	dps_enclose(program, box, enclosures);
	if (!e->continuous || e->defined != DPS_DEFINED || !is_tame(program, enclosures))
		return 0;
	a = random_row(box);
	b = random_row(box);
	for (j = 0; j < COLUMNS; j++)
	{
		/* NULLs and integers are public or do not move a little */
		if (box[j].integral || isnan(a.value[j]) || isnan(b.value[j]))
			b.value[j] = a.value[j];
	}
	jump = largest_jump(node, a, b, r);
	if (!(jump < 1e-5))
	{
		diag("%s jumps by %g", dps_ops[node->op].name, jump);
		*good = false;
	}
	return 1;
}

static void
test_continuity(void)
{
	static Recursion r;
	bool		good = true;
	int			checked = 0;
	int			i;
	int			k;

	for (i = 0; i < 600 && good; i++)
	{
		DpsArena   *arena = new_arena();
		DpsGraph   *graph = new_graph(arena);
		Pools		pools;

		random_graph(graph, &pools, 1 + random_below(12));
		for (k = 6; k < pools.number.n && good; k++)
			checked += check_continuity(graph, pools.number.node[k], &r, &good);
		dps_arena_clear(arena);
	}
	ok(good && checked > 500, "what is continuous does not jump (%d cases)", checked);
}

/* Single expressions over a box of x, y, z in [-1, 1] and i, j in [-9, 9]. */

typedef struct Case
{
	DpsGraph   *graph;
	DpsDomain	box[COLUMNS];
	DpsEnclosure all[64];
	const DpsProgram *program;
} Case;

static DpsEnclosure
enclose(Case *c, const DpsNode *node)
{
	c->program = compile(c->graph, &node, 1);
	dps_enclose(c->program, c->box, c->all);
	return c->all[dps_program_outputs(c->program)[0]];
}

static void
reset_box(Case *c)
{
	int			j;

	memset(c->box, 0, sizeof(c->box));
	for (j = 0; j < COLUMNS; j++)
	{
		c->box[j].lo = j == B ? 0 : j >= M ? -9 : -1;
		c->box[j].hi = j >= M && j != B ? 9 : 1;
		c->box[j].integral = j >= M;
	}
}

static void
set_domain(Case *c, int j, double lo, double hi, DpsNullness nullness)
{
	c->box[j].lo = lo;
	c->box[j].hi = hi;
	c->box[j].nullness = nullness;
}

static bool
is_value(DpsEnclosure e, double lo, double hi)
{
	return e.value.lo == lo && e.value.hi == hi;
}

static void
test_case_branches(Case *c)
{
	DpsGraph   *graph = c->graph;
	const DpsNode *positive = IS(GT, VAR(X), NUM(0));
	const DpsNode *root = F8(SQRT, VAR(X), NULL);
	const DpsNode *guarded = dps_choose(graph, positive, root, NUM(7));
	DpsEnclosure e;

	reset_box(c);
	e = enclose(c, guarded);
	ok(e.defined == DPS_PARTIAL && is_value(e, 0, 7) && !e.continuous && e.nullness == DPS_NEVER_NULL,
	   "CASE undecided: both branches");
	set_domain(c, X, 0.25, 1, DPS_NEVER_NULL);
	e = enclose(c, guarded);
	ok(e.defined == DPS_DEFINED && is_value(e, 0.5, 1) && e.continuous, "CASE decided: the first branch");
	set_domain(c, X, -3, -1, DPS_NEVER_NULL);
	e = enclose(c, guarded);
	ok(e.defined == DPS_DEFINED && is_value(e, 7, 7) && e.continuous,
	   "CASE decided: a dead branch may be undefined");
	ok(dps_culprit(c->program, c->all, 0) == -1, "a dead branch is no culprit");
	set_domain(c, X, -1, 1, DPS_ALWAYS_NULL);
	e = enclose(c, guarded);
	ok(e.defined == DPS_DEFINED && is_value(e, 7, 7) && e.continuous, "CASE of a NULL condition: ELSE");
	set_domain(c, X, 1, 4, DPS_MAYBE_NULL);
	e = enclose(c, guarded);
	ok(e.defined == DPS_DEFINED && is_value(e, 1, 7) && !e.continuous, "CASE of a condition that may be NULL");
	set_domain(c, X, -4, -1, DPS_NEVER_NULL);
	e = enclose(c, dps_choose(graph, IS(GT, VAR(Z), NUM(0)), root, F8(LN, VAR(X), NULL)));
	ok(e.defined == DPS_UNDEFINED && dps_iv_is_empty(e.value), "CASE with both branches undefined");
	e = enclose(c, dps_choose(graph, IS(GT, root, NUM(0)), VAR(Z), NUM(7)));
	ok(e.defined == DPS_UNDEFINED, "CASE of an undefined condition");
	reset_box(c);
	e = enclose(c, dps_choose(graph, positive, VAR(Z), NOTHING));
	ok(e.nullness == DPS_MAYBE_NULL && is_value(e, -1, 1) && !e.continuous, "CASE without ELSE may be NULL");
	e = enclose(c, dps_choose(graph, IS(GT, VAR(X), NUM(2)), VAR(Z), NOTHING));
	ok(e.nullness == DPS_ALWAYS_NULL && e.continuous, "CASE without ELSE is NULL");
}

static void
test_nulls(Case *c)
{
	DpsGraph   *graph = c->graph;
	const DpsNode *bad = F8(SQRT, F8(SUB, VAR(Z), NUM(5)), NULL);
	DpsEnclosure e;

	reset_box(c);
	set_domain(c, Y, -2, -1, DPS_ALWAYS_NULL);
	e = enclose(c, F8(SQRT, VAR(Y), NULL));
	ok(e.defined == DPS_DEFINED && e.nullness == DPS_ALWAYS_NULL && dps_iv_is_empty(e.value),
	   "sqrt of NULL is NULL");
	set_domain(c, Y, -2, -1, DPS_MAYBE_NULL);
	e = enclose(c, F8(SQRT, VAR(Y), NULL));
	ok(e.defined == DPS_PARTIAL && e.nullness == DPS_ALWAYS_NULL && dps_iv_is_empty(e.value),
	   "undefined unless NULL");
	set_domain(c, Y, 1, 2, DPS_MAYBE_NULL);
	e = enclose(c, F8(ADD, VAR(Y), VAR(X)));
	ok(e.nullness == DPS_MAYBE_NULL && e.continuous, "a sum may be NULL; the NULL pattern is public");
	e = enclose(c, F8(COALESCE, VAR(Y), VAR(X)));
	ok(e.nullness == DPS_NEVER_NULL && is_value(e, -1, 2) && !e.continuous, "coalesce of what may be NULL");
	e = enclose(c, F8(COALESCE, VAR(Y), bad));
	ok(e.defined == DPS_PARTIAL, "coalesce may evaluate its second argument");
	set_domain(c, Y, 1, 2, DPS_NEVER_NULL);
	e = enclose(c, F8(COALESCE, VAR(Y), bad));
	ok(e.defined == DPS_DEFINED && is_value(e, 1, 2) && e.continuous, "coalesce does not reach its second argument");
	e = enclose(c, F8(GREATEST, VAR(Y), bad));
	ok(e.defined == DPS_UNDEFINED, "greatest evaluates all arguments");
	set_domain(c, Y, 1, 2, DPS_MAYBE_NULL);
	e = enclose(c, IS(IS_NULL, VAR(Y), NULL));
	ok(e.nullness == DPS_NEVER_NULL && is_value(e, 0, 1) && !e.continuous, "IS NULL undecided");
	set_domain(c, B, 0, 1, DPS_ALWAYS_NULL);
	e = enclose(c, IS(AND, VAR(B), IS(LT, VAR(X), NUM(5))));
	ok(e.nullness == DPS_ALWAYS_NULL && e.defined == DPS_DEFINED, "NULL AND true is NULL");
	e = enclose(c, IS(AND, VAR(B), IS(GT, VAR(X), NUM(5))));
	ok(e.nullness == DPS_NEVER_NULL && is_value(e, 0, 0), "NULL AND false is false");
	e = enclose(c, IS(OR, VAR(B), IS(LT, VAR(X), NUM(0))));
	ok(e.nullness == DPS_MAYBE_NULL && is_value(e, 1, 1), "NULL OR undecided is true or NULL");
	e = enclose(c, IS(AND, IS(LT, VAR(X), NUM(-5)), IS(GT, bad, NUM(0))));
	ok(e.defined == DPS_UNDEFINED, "AND may evaluate both arguments");
}

static void
test_types(Case *c)
{
	DpsGraph   *graph = c->graph;
	DpsEnclosure e;

	reset_box(c);
	set_domain(c, M, 1, 2147483647, DPS_NEVER_NULL);
	e = enclose(c, I4(ADD, VAR(M), VAR(N)));
	ok(e.defined == DPS_PARTIAL && is_value(e, -8, 2147483647), "a sum may overflow");
	ok(c->program->code[dps_culprit(c->program, c->all, 0)].op == DPS_OP_ADD, "it is the culprit");
	set_domain(c, M, 2147483600, 2147483647, DPS_NEVER_NULL);
	e = enclose(c, I4(MUL, VAR(M), INT(2)));
	ok(e.defined == DPS_UNDEFINED && dps_iv_is_empty(e.value), "a product that overflows");
	e = enclose(c, F8(MUL, F8(CAST, VAR(M), NULL), NUM(2)));
	ok(e.defined == DPS_DEFINED, "not so in double precision");
	set_domain(c, X, 700, 800, DPS_NEVER_NULL);
	e = enclose(c, F8(EXP, VAR(X), NULL));
	ok(e.defined == DPS_DEFINED && e.value.hi == INFINITY, "an overflow of double precision is an infinite end");
	e = enclose(c, F8(ATAN, F8(EXP, VAR(X), NULL), NULL));
	ok(e.defined == DPS_PARTIAL && e.value.hi < 1.6, "what is made of an overflow is undefined");
	ok(c->program->code[dps_culprit(c->program, c->all, 0)].op == DPS_OP_EXP, "the overflow is the culprit");
	e = enclose(c, dps_apply(graph, DPS_OP_CAST, DPS_FLOAT4, F8(EXP, VAR(X), NULL), NULL));
	ok(e.defined == DPS_UNDEFINED, "an overflow of single precision");
	e = enclose(c, I4(CAST, F8(RINT, VAR(X), NULL), NULL));
	ok(e.defined == DPS_DEFINED && !e.continuous, "a cast that fits, of a step");
}

static void
test_repeated_arguments(Case *c)
{
	DpsGraph   *graph = c->graph;
	DpsEnclosure e;

	reset_box(c);
	/* integers keep their operations as they are written */
	e = enclose(c, I4(MUL, VAR(M), VAR(M)));
	ok(is_value(e, 0, 81), "m * m");
	e = enclose(c, I4(SUB, VAR(M), VAR(M)));
	ok(is_value(e, 0, 0) && e.continuous, "m - m");
	e = enclose(c, I4(INT_DIV, VAR(M), VAR(M)));
	ok(is_value(e, 1, 1) && e.defined == DPS_PARTIAL, "m / m");
	e = enclose(c, I4(MOD, VAR(M), VAR(M)));
	ok(is_value(e, 0, 0) && e.defined == DPS_PARTIAL, "m %% m");
	e = enclose(c, IS(LE, VAR(X), VAR(X)));
	ok(is_value(e, 1, 1), "x <= x");
	e = enclose(c, IS(NE, VAR(X), VAR(X)));
	ok(is_value(e, 0, 0), "x <> x");
}

static void
test_steps(Case *c)
{
	DpsGraph   *graph = c->graph;

	reset_box(c);
	ok(!enclose(c, F8(FLOOR, VAR(X), NULL)).continuous, "floor jumps");
	ok(!enclose(c, F8(MUL, VAR(Z), F8(FLOOR, VAR(X), NULL))).continuous, "so does what is made of it");
	set_domain(c, X, 0.25, 0.75, DPS_NEVER_NULL);
	ok(enclose(c, F8(FLOOR, VAR(X), NULL)).continuous, "but not between integers");
	ok(enclose(c, F8(MOD, VAR(X), NUM(1))).continuous, "a remainder between multiples");
	ok(enclose(c, IS(GT, VAR(X), NUM(0))).continuous, "a decided comparison");
	ok(!enclose(c, IS(GT, VAR(X), NUM(0.5))).continuous, "an undecided comparison");
}

static void
test_culprits(Case *c)
{
	DpsGraph   *graph = c->graph;
	const DpsNode *logarithm = F8(LN, VAR(X), NULL);
	const DpsNode *root = F8(SQRT, logarithm, NULL);
	int			culprit;

	reset_box(c);
	enclose(c, F8(ADD, F8(EXP, VAR(Z), NULL), F8(SIN, root, NULL)));
	culprit = dps_culprit(c->program, c->all, 0);
	ok(culprit >= 0 && c->program->code[culprit].node == logarithm->id, "the innermost culprit");
	set_domain(c, X, 0.5, 2, DPS_NEVER_NULL);
	enclose(c, F8(ADD, F8(EXP, VAR(Z), NULL), F8(SIN, root, NULL)));
	culprit = dps_culprit(c->program, c->all, 0);
	ok(culprit >= 0 && c->program->code[culprit].node == root->id, "the outer culprit");
	set_domain(c, X, 1, 2, DPS_NEVER_NULL);
	enclose(c, F8(ADD, F8(EXP, VAR(Z), NULL), F8(SIN, root, NULL)));
	ok(dps_culprit(c->program, c->all, 0) == -1, "no culprit");
}

/* The evaluation error. */

static double
evaluation_error(Case *c, const DpsNode *node)
{
	double		error = -1;

	if (dps_evaluation_error(c->graph, node, c->box, &error) != DPS_OK)
		return -1;
	return error;
}

static void
test_known_errors(Case *c)
{
	DpsGraph   *graph = c->graph;
	const DpsNode *sum = F8(ADD, VAR(X), VAR(Z));
	const DpsNode *guarded;
	double		error;

	reset_box(c);
	ok(evaluation_error(c, VAR(X)) == 0, "a column is exact");
	ok(evaluation_error(c, F8(NEG, VAR(X), NULL)) == 0, "a sign is exact");
	ok(evaluation_error(c, I4(ADD, I4(MUL, VAR(M), VAR(N)), INT(3))) == 0, "integers are exact");
	ok(evaluation_error(c, F8(ADD, F8(CAST, VAR(M), NULL), NUM(3))) == 0, "so are they in double precision");
	ok(evaluation_error(c, F8(DIV, F8(CAST, VAR(M), NULL), NUM(3))) > 0, "but not their quotients");
	set_domain(c, M, 100000000, 200000000, DPS_NEVER_NULL);
	ok(evaluation_error(c, F8(POW, F8(CAST, VAR(M), NULL), NUM(2))) > 0 &&
	   evaluation_error(c, F8(MUL, F8(CAST, VAR(M), NULL), F8(ADD, F8(CAST, VAR(M), NULL), NUM(1)))) > 0,
	   "nor what needs more than 53 bits");
	error = evaluation_error(c, sum);
	ok(error > 0 && error <= 0x1p-52, "a sum is rounded once (%a)", error);
	error = evaluation_error(c, F8(EXP, F8(MUL, NUM(3), sum), NULL));
	ok(error > 0 && error < 1e-11, "an exponential magnifies (%g)", error);
	ok(evaluation_error(c, F8(FLOOR, VAR(X), NULL)) == 0, "a step of an exact value");
	ok(isinf(evaluation_error(c, F8(FLOOR, sum, NULL))), "a step of a rounded value");
	ok(evaluation_error(c, F8(FLOOR, F8(ADD, NUM(0.5), F8(MUL, NUM(0.1), VAR(X))), NULL)) == 0,
	   "a step of a rounded value, decided");
	ok(isinf(evaluation_error(c, dps_choose(graph, IS(GT, sum, NUM(0)), VAR(X), VAR(Z)))),
	   "a branch that rounding may change");
	error = evaluation_error(c, dps_choose(graph, IS(GT, VAR(X), NUM(0)), sum, VAR(Z)));
	ok(error > 0 && error <= 0x1p-52, "a branch that it may not");
	ok(isinf(evaluation_error(c, F8(DIV, NUM(1), VAR(X)))), "undefined");
	guarded = dps_choose(graph, IS(GT, VAR(X), NUM(0)), F8(SQRT, F8(MUL, VAR(X), NUM(0.3)), NULL), NUM(0));
	error = evaluation_error(c, guarded);
	ok(error > 0 && error < 1e-8, "a branch that is defined where it is taken: %g", error);
	error = evaluation_error(c, dps_choose(graph, IS(GE, VAR(X), NUM(0.5)), F8(DIV, VAR(Y), VAR(X)), F8(EXP, VAR(X), NULL)));
	ok(error > 0 && error < 1e-14, "... a quotient: %g", error);
	error = evaluation_error(c, dps_choose(graph, IS(GE, VAR(Y), NUM(0.1)), F8(ADD, guarded, F8(LN, VAR(Y), NULL)), NUM(1)));
	ok(error > 0 && error < 1e-8, "... one in another: %g", error);
	ok(isinf(evaluation_error(c, dps_choose(graph, IS(GT, sum, NUM(0)), F8(SQRT, sum, NULL), NUM(0)))),
	   "... but not by a condition that is rounded");
	ok(isinf(evaluation_error(c, dps_choose(graph, IS(GT, VAR(Y), NUM(0)), F8(SQRT, VAR(X), NULL), NUM(0)))),
	   "... nor by one that says nothing of it");
	error = evaluation_error(c, F8(SQRT, F8(SQR, sum, NULL), NULL));
	ok(error >= 0 && error < 1e-14, "sqrt(x^2) is abs(x)");
	error = evaluation_error(c, F8(ABS, sum, NULL));
	ok(error > 0 && error <= 0x1p-52, "a kink is no jump");
	set_domain(c, X, 1, 2, DPS_NEVER_NULL);
	set_domain(c, Y, 0.5, 3, DPS_MAYBE_NULL);
	error = evaluation_error(c, F8(ADD, F8(SQR, VAR(X), NULL), F8(EXP, F8(SUB, F8(MUL, NUM(2), VAR(Y)), VAR(X)), NULL)));
	ok(error > 0 && error < 1e-12, "x^2 + exp(2y - x): %g", error);
	set_domain(c, Y, 0.5, 3, DPS_NEVER_NULL);
	error = evaluation_error(c, F8(GREATEST, F8(MUL, VAR(Y), NUM(0.7)), VAR(X)));
	ok(error > 0 && error < 1e-15, "the greater of rounded values: %g", error);
	error = evaluation_error(c, F8(GREATEST, F8(MUL, VAR(Y), NUM(0.1)), VAR(X)));
	ok(error == 0, "the lesser one does not count");
}

static int
check_error(DpsGraph *graph, const DpsNode *node, Recursion *r, bool *good)
{
	DpsDomain	box[COLUMNS];
	double		error;
	int			row;

	random_box(box, 1);
	if (dps_evaluation_error(graph, node, box, &error) != DPS_OK)
		*good = false;
	if (isinf(error))
		return 0;
	for (row = 0; row < 20 && *good; row++)
	{
		const Outcome *o;
		long double off;

		begin_row(r, random_row(box));
		o = recurse(r, node);
		if (isnan(o->value) && isnan(o->exact))
			continue;
		if (o->error || o->overflow)
			*good = false;
		off = fabs(o->value - o->exact);
		/* the reference is a thousand times as accurate */
		if (!(off <= (1 + 0x1p-8L) * error + 0x1p-63L * fabs(o->exact)))
		{
			diag("%s: %a, exact %La, off by %Lg > %g", dps_ops[node->op].name, o->value, o->exact, off, error);
			*good = false;
		}
	}
	return 1;
}

static void
test_random_errors(void)
{
	static Recursion r;
	bool		good = true;
	int			checked = 0;
	int			i;
	int			k;

	for (i = 0; i < 300 && good; i++)
	{
		DpsArena   *arena = new_arena();
		DpsGraph   *graph = new_graph(arena);
		Pools		pools;

		random_graph(graph, &pools, 1 + random_below(15));
		for (k = 6; k < pools.number.n && good; k++)
			checked += check_error(graph, pools.number.node[k], &r, &good);
		dps_arena_clear(arena);
	}
	ok(good && checked > 500, "the evaluation error bounds what long double shows (%d cases)", checked);
}

/* Every operation that can have an error has a bound for it. */
static void
test_every_rounding(Case *c)
{
	DpsGraph   *graph = c->graph;
	DpsOpcode	op;

	reset_box(c);
	set_domain(c, X, 0.25, 0.375, DPS_NEVER_NULL);
	set_domain(c, Z, 0.5, 0.625, DPS_NEVER_NULL);
	for (op = DPS_OP_FIRST_ROW; op < DPS_OP_COUNT; op++)
	{
		const DpsNode *x = op == DPS_OP_ACOSH ? F8(ADD, VAR(X), NUM(2)) : VAR(X);
		const DpsNode *node = dps_apply(graph, op, DPS_FLOAT8, x, VAR(Z));

		if (dps_ops[op].flags & DPS_LOGICAL)
			continue;
		if (enclose(c, node).continuous)
			ok(evaluation_error(c, node) < 1e-13, "%s has an error bound", dps_ops[op].name);
		else
			ok(evaluation_error(c, node) == (dps_op_is_exact(&dps_ops[op]) ? 0 : INFINITY),
			   "%s jumps", dps_ops[op].name);
	}
}

/* A chain long enough for several blocks. */
static DpsStatus
build_and_compile(const DpsHost *host)
{
	const DpsProgram *program;
	const DpsNode *node;
	DpsArena   *arena;
	DpsGraph   *graph;
	DpsDomain	box = {.lo = 1, .hi = 2};
	DpsStatus	status;
	double		error;
	int			i;

	DPS_TRY(dps_arena_init(&arena, host));
	status = dps_graph_init(&graph, arena);
	if (status == DPS_OK)
	{
		dps_graph_add_variable(graph, "x", DPS_FLOAT8, false);
		node = VAR(0);
		for (i = 0; i < 600; i++)
			node = dps_apply(graph, i % 2 ? DPS_OP_ATAN : DPS_OP_EXP, DPS_FLOAT8, node, NULL);
		status = dps_compile(graph, &node, 1, &program);
		if (status == DPS_OK)
			status = dps_evaluation_error(graph, node, &box, &error);
	}
	dps_arena_clear(arena);
	return status;
}

static void
test_memory(void)
{
	Scarce		scarce = {0};
	DpsHost		host = scarce_host(&scarce);
	DpsStatus	status = DPS_NOMEM;
	bool		good = true;
	int			allowed = 0;

	while (status == DPS_NOMEM && allowed < 1000)
	{
		scarce.left = allowed++;
		status = build_and_compile(&host);
		good = good && scarce.held == 0 && (status == DPS_NOMEM || status == DPS_OK);
	}
	ok(good && status == DPS_OK && allowed > 8, "every allocation may fail (%d of them)", allowed - 1);
}

int
main(void)
{
	static Case c;
	DpsArena   *arena = new_arena();

	c.graph = new_graph(arena);
	test_compile();
	test_decompile();
	test_batches();
	test_enclosures();
	test_continuity();
	test_case_branches(&c);
	test_nulls(&c);
	test_types(&c);
	test_repeated_arguments(&c);
	test_steps(&c);
	test_culprits(&c);
	test_known_errors(&c);
	test_every_rounding(&c);
	test_random_errors();
	test_memory();
	dps_arena_clear(arena);
	return done_testing();
}

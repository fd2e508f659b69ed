/*
 * fuzz_graph.c
 *		Bytes are a program that builds an expression as an import would, and a
 *		box.  Simplified, differentiated, printed, enclosed, bounded and proved,
 *		it is still what it was.
 */
#include "bound/proof/certificate.h"
#include "expr/enclose.h"
#include "fuzz.h"

#define MAX_STEPS 24
#define SAMPLES 12
#define ALL_COLUMNS ((UINT64_C(1) << GEN_COLUMNS) - 1)

/* Building: five bytes a step, each step a new entry of the pool. */

typedef struct Builder
{
	Generator	g;
	GenPair		made[GEN_COLUMNS + MAX_STEPS];
	int			nmade;
} Builder;

/* As gen_cast, for an argument that is there already; numbers become
 * conditions and conditions numbers the way users write it. */
static GenPair
coerce(Builder *b, GenPair x, DpsType type)
{
	Generator  *g = &b->g;
	DpsType		from = x.plain->type;

	if (from == type)
		return x;
	if (type == DPS_BOOL)
		return gen_apply(g, DPS_OP_GT, DPS_BOOL, x, gen_constant(g, from, 1));
	if (from == DPS_BOOL)
		return gen_choose(g, x, gen_constant(g, type, 2), gen_constant(g, type, 0));
	if (dps_type_is_integer(type) && from == DPS_FLOAT4)
	{
		from = DPS_FLOAT8;
		x = gen_apply(g, DPS_OP_CAST, from, x, x);
	}
	if (dps_type_is_integer(type) && !dps_type_is_integer(from))
		x = gen_apply(g, from == DPS_NUMERIC ? DPS_OP_ROUND : DPS_OP_RINT, from, x, x);
	return gen_apply(g, DPS_OP_CAST, type, x, x);
}

/* The last entries first, so that small bytes make deep expressions. */
static GenPair
entry(const Builder *b, unsigned byte)
{
	return b->made[b->nmade - 1 - (int) (byte % (unsigned) b->nmade)];
}

static GenPair
take(Builder *b, unsigned byte, DpsType type)
{
	return coerce(b, entry(b, byte), type);
}

/* The byte's choice among the types of a mask, double precision first. */
static DpsType
choose_type(uint32_t mask, unsigned byte)
{
	int			type = DPS_FLOAT8;
	unsigned	skip = byte % (unsigned) __builtin_popcount(mask);

	for (;; type--)
	{
		if ((mask & (1u << type)) && skip-- == 0)
			return type;
	}
}

/* A constant within its type: small, or of any size. */
static GenPair
make_constant(Builder *b, DpsType type, unsigned x, unsigned y)
{
	double		value = (double) (int8_t) x;

	if (type == DPS_BOOL)
		return gen_constant(&b->g, type, x % 2);
	if (y == 255)
		return gen_constant(&b->g, type, NAN);
	value = y < 16 ? value / (y + 1.0) : ldexp(value, (int) (int8_t) y);
	if (type <= DPS_INT8)
		value = rint(value);
	if (!dps_iv_contains(dps_type_range(type), value))
		value = 1;
	return gen_constant(&b->g, type, value);
}

static GenPair
make_operation(Builder *b, DpsOpcode op, unsigned type_byte, unsigned x_byte, unsigned y_byte)
{
	Generator  *g = &b->g;
	DpsType		type;
	DpsType		argument;
	GenPair		x;

	/* what SQL has no function for is made of this one */
	if (gen_types_of(op) == 0)
		op = DPS_OP_EXP;
	type = argument = choose_type(gen_types_of(op), type_byte);
	if (op == DPS_OP_CAST)
		return take(b, x_byte, type);
	if (op == DPS_OP_IS_NULL)
	{
		x = entry(b, x_byte);
		return gen_apply(g, op, type, x, x);
	}
	if (type == DPS_BOOL && dps_ops[op].arity == 2 && !(dps_ops[op].flags & (DPS_NULL_LOGIC | DPS_NULL_IF_ALL)))
		argument = choose_type(GEN_NUMBERS, type_byte);
	x = take(b, x_byte, argument);
	if (dps_ops[op].arity == 1)
		return gen_apply(g, op, type, x, x);
	if (op == DPS_OP_ROUND_TO || op == DPS_OP_TRUNC_TO)
		return gen_apply(g, op, type, x, gen_constant(g, DPS_INT4, (int) (y_byte % 9) - 4));
	if (op == DPS_OP_POW && y_byte >= 128)
		return gen_apply(g, op, type, x, gen_constant(g, argument, ((int) y_byte - 192) / 4.0));
	return gen_apply(g, op, type, x, take(b, y_byte, argument));
}

static void
make_step(Builder *b, FuzzBytes *bytes)
{
	unsigned	op = fuzz_byte(bytes) % (DPS_OP_COUNT + 1);
	unsigned	type = fuzz_byte(bytes);
	unsigned	x = fuzz_byte(bytes);
	unsigned	y = fuzz_byte(bytes);
	unsigned	z = fuzz_byte(bytes);
	GenPair		made;

	if (op == DPS_OP_CONST)
		made = make_constant(b, choose_type(GEN_NUMBERS | GEN_T(BOOL), type), x, y);
	else if (op == DPS_OP_VAR)
		made = gen_variable(&b->g, (int) (x % GEN_COLUMNS));
	else if (op == DPS_OP_CASE || op == DPS_OP_COUNT)
	{
		DpsType		result = choose_type(GEN_NUMBERS | GEN_T(BOOL), type);

		made = gen_choose(&b->g, take(b, x, DPS_BOOL), take(b, y, result), take(b, z, result));
	}
	else
		made = make_operation(b, op, type, x, y);
	b->made[b->nmade++] = made;
}

static void
build(Builder *b, FuzzBytes *bytes)
{
	int			steps = 1 + (int) (fuzz_byte(bytes) % MAX_STEPS);
	int			j;

	for (j = GEN_COLUMNS - 1; j >= 0; j--)
		b->made[b->nmade++] = gen_variable(&b->g, j);
	while (steps-- > 0)
		make_step(b, bytes);
}

/* Boxes: two bytes an end. */

static double
make_end(FuzzBytes *bytes)
{
	double		value = (double) (int8_t) fuzz_byte(bytes);
	int			exponent = (int8_t) fuzz_byte(bytes);

	return ldexp(value / 16, exponent / 4);
}

static void
make_box(FuzzBytes *bytes, DpsDomain *box)
{
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
	{
		DpsType		type = gen_columns[j].type;
		DpsInterval range = dps_type_range(type);
		double		a = make_end(bytes);
		double		b = a + fabs(make_end(bytes));

		if (type <= DPS_INT8)
		{
			a = rint(a);
			b = rint(b);
		}
		a = fmin(fmax(a, range.lo), range.hi);
		b = fmin(fmax(b, a), range.hi);
		box[j] = (DpsDomain) {a, b, gen_columns[j].nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL, type <= DPS_INT8};
	}
}

/* Ends as often as what is between them. */
static void
sample(const DpsDomain *box, double *row)
{
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
	{
		int			pick = random_below(8);

		row[j] = pick == 0 ? box[j].lo : pick == 1 ? box[j].hi : random_between(box[j].lo, box[j].hi);
		if (pick == 2 && box[j].lo <= 0 && box[j].hi >= 0)
			row[j] = 0;
		if (box[j].integral)
			row[j] = rint(row[j]);
		if (box[j].nullness == DPS_MAYBE_NULL && random_below(4) == 0)
			row[j] = NAN;
	}
}

/* Properties. */

static void
require_at(bool condition, const char *property, const DpsGraph *graph, const DpsNode *node, const double *row)
{
	if (!condition)
		gen_describe_row(row);
	fuzz_require(condition, property, graph, node);
}

static void
check_value(const Generator *g, GenPair e, const DpsDomain *box)
{
	const DpsProgram *plain = gen_compile(g->plain, &e.plain, 1);
	const DpsProgram *simple = gen_compile(g->simple, &e.simple, 1);
	Tally		tally = {0};
	int			i;

	for (i = 0; i < SAMPLES; i++)
	{
		double		row[GEN_COLUMNS];
		GenOutcome	before;
		GenOutcome	after;

		sample(box, row);
		before = gen_outcome(plain, row);
		after = gen_outcome(simple, row);
		if (!is_certain(&before) || agrees(&before, &after, &tally))
			continue;
		diag("plain %.17g in [%.17g, %.17g], simple %.17g in [%.17g, %.17g]", before.value, before.enclosure.value.lo,
			 before.enclosure.value.hi, after.value, after.enclosure.value.lo, after.enclosure.value.hi);
		gen_describe(g->simple, "simplified", e.simple);
		require_at(false, "the simplified form has the same value", g->plain, e.plain, row);
	}
}

static void
check_text(const DpsGraph *graph, const DpsNode *node)
{
	fuzz_require(reads_back(graph, node), "what is printed is read as the same", graph, node);
	(void) print_text(graph, node, true);
}

/* Where SQL raises an error the evaluator may yield anything; an overflow is
 * an infinite end, for the caller to judge. */
static bool
encloses(const DpsEnclosure *e, const DpsEnclosure *at, double value)
{
	if (at->defined != DPS_DEFINED)
		return e->defined != DPS_DEFINED || at->defined == DPS_PARTIAL;
	if (isnan(value))
		return e->nullness != DPS_NEVER_NULL || isinf(at->value.lo) || isinf(at->value.hi);
	return dps_iv_contains(e->value, value) && !dps_iv_is_empty(dps_iv_intersect(e->value, at->value));
}

typedef struct Outputs
{
	const DpsNode *node[1 + GEN_COLUMNS];
	const DpsProgram *program;
	DpsEnclosure *plain;
	DpsEnclosure *guarded;
	DpsEnclosure *at;
} Outputs;

/* The value and its gradient. */
static void
compile_outputs(DpsGraph *graph, const DpsNode *node, Outputs *outputs)
{
	size_t		size;

	outputs->node[0] = node;
	fuzz_require(dps_gradient(graph, node, outputs->node + 1) == DPS_OK, "there is a gradient", graph, node);
	outputs->program = gen_compile(graph, outputs->node, 1 + GEN_COLUMNS);
	size = sizeof(DpsEnclosure) * (outputs->program->ninstructions + 1);
	outputs->plain = dps_arena_alloc(graph->arena, size);
	outputs->guarded = dps_arena_alloc(graph->arena, size);
	outputs->at = dps_arena_alloc(graph->arena, size);
}

static void
check_enclosures(const DpsGraph *graph, const Outputs *o, const DpsDomain *box)
{
	const uint32_t *output = dps_program_outputs(o->program);
	double		values[1 + GEN_COLUMNS];
	double		row[GEN_COLUMNS];
	DpsDomain	point[GEN_COLUMNS];
	int			i;
	int			k;

	dps_enclose(o->program, box, o->plain);
	dps_enclose_guarded(o->program, box, o->guarded);
	for (i = 0; i < SAMPLES; i++)
	{
		sample(box, row);
		gen_evaluate(o->program, row, values);
		gen_point(row, point);
		dps_enclose(o->program, point, o->at);
		for (k = 0; k <= GEN_COLUMNS; k++)
		{
			const DpsEnclosure *at = &o->at[output[k]];

			if (encloses(&o->plain[output[k]], at, values[k]) && encloses(&o->guarded[output[k]], at, values[k]))
				continue;
			diag("output %d is %.17g; over the box [%.17g, %.17g], guarded [%.17g, %.17g]", k, values[k],
				 o->plain[output[k]].value.lo, o->plain[output[k]].value.hi,
				 o->guarded[output[k]].value.lo, o->guarded[output[k]].value.hi);
			require_at(false, "values lie in their enclosures", graph, o->node[k], row);
		}
	}
}

/* The mean value theorem: where one column moves and nothing jumps, the value
 * moves by a slope that the derivative takes. */
static void
check_slopes(const DpsGraph *graph, const Outputs *o, const DpsDomain *box)
{
	const uint32_t *output = dps_program_outputs(o->program);
	double		row[GEN_COLUMNS];
	DpsDomain	part[GEN_COLUMNS];
	int			i;

	for (i = 0; i < 3 * GEN_I; i++)
	{
		int			j = i % GEN_I;
		const DpsEnclosure *value = &o->plain[output[0]];
		const DpsEnclosure *slope = &o->plain[output[1 + j]];
		DpsInterval ends[2];
		DpsInterval moved;
		int			k;

		if (!(o->node[0]->variables & (UINT64_C(1) << j)))
			continue;
		sample(box, row);
		if (box[j].integral || isnan(row[j]))
			continue;
		gen_point(row, part);
		part[j].hi = fmin(box[j].hi, part[j].lo + ldexp(fabs(part[j].lo) + 1, -random_below(20)));
		dps_enclose(o->program, part, o->plain);
		if (!value->continuous || value->defined != DPS_DEFINED || value->nullness != DPS_NEVER_NULL ||
			slope->defined != DPS_DEFINED || slope->nullness != DPS_NEVER_NULL)
			continue;
		moved = dps_iv_mul(slope->value, dps_iv_sub(dps_iv(part[j].hi, part[j].hi), dps_iv(part[j].lo, part[j].lo)));
		for (k = 0; k < 2; k++)
		{
			DpsDomain	point[GEN_COLUMNS];

			row[j] = k == 0 ? part[j].lo : part[j].hi;
			gen_point(row, point);
			dps_enclose(o->program, point, o->at);
			ends[k] = o->at[output[0]].value;
		}
		require_at(!dps_iv_is_empty(dps_iv_intersect(moved, dps_iv_sub(ends[1], ends[0]))),
				   "the derivative is the slope", graph, o->node[0], row);
	}
}

typedef struct Certificate
{
	DpsBracket	infimum;
	DpsBracket	supremum;
	DpsBracket	metric;
	DpsBracket	attribute;		/* of the first column of the expression */
	int			column;
	double		error;
} Certificate;

static void
certify(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, Certificate *c)
{
	DpsBoundOptions options = {.tolerance = 1e-6, .max_boxes = 40};
	DpsPolicy	policy = {.private_variables = ALL_COLUMNS};
	int			j;

	for (j = 0; j <= DPS_MAX_VARIABLES; j++)
		policy.weights[j] = 1;
	c->column = node->variables == 0 ? 0 : __builtin_ctzll(node->variables);
	fuzz_require(dps_infimum(graph, node, box, &options, &c->infimum) == DPS_OK &&
				 dps_supremum(graph, node, box, &options, &c->supremum) == DPS_OK &&
				 dps_lipschitz(graph, node, box, &policy, DPS_NORM_2, &options, &c->metric) == DPS_OK &&
				 dps_attribute(graph, node, box, c->column, &options, &c->attribute) == DPS_OK &&
				 dps_evaluation_error(graph, node, box, &c->error) == DPS_OK,
				 "bounds need no more memory than there is", graph, node);
	fuzz_require(c->supremum.status != DPS_OK || (isfinite(c->supremum.upper) && c->supremum.lower <= c->supremum.upper),
				 "an answer is a finite bracket", graph, node);
	fuzz_require(c->supremum.status == DPS_OK || (c->supremum.upper == INFINITY && c->supremum.culprit != NULL),
				 "a refusal has a culprit", graph, node);
}

static bool
same_nulls(const double *x, const double *y)
{
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
		if (isnan(x[j]) != isnan(y[j]))
			return false;
	return true;
}

static double
distance(const double *x, const double *y)
{
	double		sum = 0;
	int			j;

	for (j = 0; j < GEN_COLUMNS; j++)
		if (!isnan(x[j]))
			sum = hypot(sum, x[j] - y[j]);
	return sum;
}

/* The exact value at a row lies in this; empty if NULL. */
static DpsInterval
value_at(const DpsProgram *program, const double *row, DpsEnclosure *enclosures, bool *defined)
{
	const DpsEnclosure *e = &enclosures[dps_program_outputs(program)[0]];
	DpsDomain	point[GEN_COLUMNS];

	gen_point(row, point);
	dps_enclose(program, point, enclosures);
	*defined = e->defined != DPS_UNDEFINED;
	return e->nullness == DPS_ALWAYS_NULL ? DPS_EMPTY : e->value;
}

static void
check_bounds(DpsGraph *graph, const DpsNode *node, const Outputs *o, const DpsDomain *box)
{
	Certificate c;
	double		values[1 + GEN_COLUMNS];
	double		x[GEN_COLUMNS];
	double		y[GEN_COLUMNS];
	int			i;

	certify(graph, node, box, &c);
	for (i = 0; i < SAMPLES; i++)
	{
		DpsInterval fx;
		DpsInterval fy;
		bool		defined;

		sample(box, x);
		fx = value_at(o->program, x, o->at, &defined);
		/* a NULL column may hide an error: the evaluator is total */
		if (dps_iv_is_empty(fx))
			continue;
		require_at(defined || (c.supremum.status != DPS_OK && c.infimum.status != DPS_OK), "what is bounded is defined",
				   graph, node, x);
		if (!defined)
			continue;
		require_at(c.supremum.status != DPS_OK || (!c.supremum.empty && fx.lo <= c.supremum.upper),
				   "the supremum is above", graph, node, x);
		require_at(c.infimum.status != DPS_OK || (!c.infimum.empty && fx.hi >= c.infimum.lower),
				   "the infimum is below", graph, node, x);
		gen_evaluate(o->program, x, values);
		require_at(isinf(c.error) || isnan(values[0]) ||
				   (values[0] >= fx.lo - c.error && values[0] <= fx.hi + c.error), "the evaluation error holds", graph, node, x);
		sample(box, y);
		fy = value_at(o->program, y, o->at, &defined);
		if (c.metric.status == DPS_OK && defined && !dps_iv_is_empty(fy) && same_nulls(x, y))
			require_at(dps_iv_abs(dps_iv_sub(fx, fy)).lo <=
					   c.metric.upper * distance(x, y) * (1 + 1e-12) + 2 * c.error, "it is Lipschitz", graph, node, x);
		memcpy(y, x, sizeof(y));
		y[c.column] = box[c.column].lo;
		fy = value_at(o->program, y, o->at, &defined);
		if (c.attribute.status == DPS_OK && defined && !dps_iv_is_empty(fy))
			require_at(dps_iv_abs(dps_iv_sub(fx, fy)).lo <= c.attribute.upper, "one column moves it no further",
					   graph, node, x);
	}
}

/* Proofs: what is made is valid, and what is valid is true, even if someone
 * wrote it who does not mean well. */

static void
require_true(DpsGraph *graph, const DpsClaim *claim, const DpsProof *proof, const Outputs *o, const DpsDomain *box,
			 const char *property)
{
	double		row[GEN_COLUMNS];
	int			i;

	for (i = 0; i < SAMPLES; i++)
	{
		bool		defined;
		DpsInterval value;

		sample(box, row);
		value = value_at(o->program, row, o->at, &defined);
		if (!dps_iv_is_empty(value))
			require_at(defined && value.lo <= proof->upper, property, graph, claim->node, row);
	}
}

static DpsStep
tamper(DpsStep step, const DpsClaim *claim)
{
	switch (random_below(7))
	{
		case 0:
			step.upper = random_below(2) ? -INFINITY : step.upper - 1;
			break;
		case 1:
			step.at = random_between(-4, 4);
			break;
		case 2:
			step.variable = random_below(claim->ndimensions);
			break;
		case 3:
			step.kind = (DpsStepKind) random_below(DPS_STEP_FACE + 1);
			break;
		case 4:
			step.method = (DpsBoxMethod) random_below(DPS_BY_CONTINUITY + 1);
			break;
		case 5:
			step.to_lo ^= UINT64_C(1) << random_below(claim->ndimensions);
			break;
		default:
			step.to_hi ^= UINT64_C(1) << random_below(claim->ndimensions);
	}
	return step;
}

static DpsFlaw
flaw_of(DpsGraph *graph, const DpsClaim *claim, const DpsProof *proof)
{
	DpsCertificateVerdict	verdict;

	fuzz_require(dps_check_proof(claim, proof, &verdict) == DPS_OK, "a proof can be checked", graph, claim->node);
	return verdict.flaw;
}

static void
check_proofs(DpsGraph *graph, const DpsNode *node, const Outputs *o, const DpsDomain *box)
{
	DpsClaim	claim = {.kind = DPS_CLAIM_VALUE, .form = DPS_FORM_PLAIN};
	DpsPolicy	policy = {.private_variables = ALL_COLUMNS};
	DpsProofOptions options = {-INFINITY, -INFINITY, 20};
	DpsProof	proof;
	DpsProof	forged;
	DpsStep    *steps;
	int			i;

	for (i = 0; i <= DPS_MAX_VARIABLES; i++)
		policy.weights[i] = 1;
	if (dps_claim_init(&claim, graph, node, box, GEN_COLUMNS, &policy) != DPS_OK ||
		dps_make_proof(&claim, &options, &proof) != DPS_OK)
		return;
	fuzz_require(flaw_of(graph, &claim, &proof) == DPS_FLAW_NONE, "a proof that was made is valid", graph, node);
	require_true(graph, &claim, &proof, o, box, "what is proved is true");
	steps = dps_arena_alloc(graph->arena, sizeof(DpsStep) * (proof.nsteps + 1));
	for (i = 0; i < 4; i++)
	{
		size_t		at = random_bits() % proof.nsteps;

		memcpy(steps, proof.steps, sizeof(DpsStep) * proof.nsteps);
		steps[at] = tamper(steps[at], &claim);
		forged = (DpsProof) {i == 0 ? proof.upper - fabs(proof.upper) * 0x1p-8 - 0x1p-20 : proof.upper, steps, proof.nsteps};
		if (flaw_of(graph, &claim, &forged) == DPS_FLAW_NONE)
			require_true(graph, &claim, &forged, o, box, "what passes as a proof is true");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzBytes	bytes = {data, size};
	DpsArena   *arena = gen_arena();
	Builder		b = {.g = gen_init(arena, GEN_ALL_TYPES)};
	DpsDomain	box[GEN_COLUMNS];
	Outputs		outputs;
	GenPair		e;

	fuzz_seed(data, size);
	build(&b, &bytes);
	make_box(&bytes, box);
	e = b.made[b.nmade - 1];
	check_value(&b.g, e, box);
	fuzz_require(is_stable(b.g.simple, e.simple), "what is simplified stays as it is", b.g.simple, e.simple);
	check_text(b.g.simple, e.simple);
	if (e.simple->type != DPS_BOOL)
	{
		const DpsNode *node = dps_as_float8(b.g.simple, e.simple);

		compile_outputs(b.g.simple, node, &outputs);
		check_enclosures(b.g.simple, &outputs, box);
		check_slopes(b.g.simple, &outputs, box);
		check_bounds(b.g.simple, node, &outputs, box);
		check_proofs(b.g.simple, node, &outputs, box);
	}
	dps_arena_clear(arena);
	return 0;
}

/*
 * enclose.c
 *		Encloses every instruction of a program over a box.
 *
 * The enclosure of an instruction follows from those of its arguments.
 * Arguments that SQL would not evaluate count neither for the value nor for
 * being defined: see dps_evaluated_arguments().
 */
#include "expr/enclose.h"

#define CONDITION 0
#define YES 1
#define NO 2

/* Limits on enclosing instructions again for the branch of a CASE. */
#define MAX_CASES_AGAIN 2
#define MAX_ENCLOSED_AGAIN 400

#define LOOKS_AT_NULL (DPS_NULL_IF_ALL | DPS_NULL_NEVER | DPS_NULL_LOGIC)

static inline uint8_t
worse(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* The branches that a condition can choose: a NULL takes NO. */
static inline unsigned
possible_branches(const DpsEnclosure *condition)
{
	unsigned	branches = 0;

	if (dps_iv_contains(condition->value, 1))
		branches |= 1u << YES;
	if (dps_iv_contains(condition->value, 0) || condition->nullness != DPS_NEVER_NULL)
		branches |= 1u << NO;
	return branches;
}

/*
 * SQL may evaluate the second argument of AND and OR whatever the first one is,
 * and it evaluates all arguments of a strict operation before it looks at NULL.
 */
unsigned
dps_evaluated_arguments(const DpsInstruction *instruction, const DpsEnclosure *enclosures)
{
	switch (instruction->op)
	{
		case DPS_OP_CONST:
		case DPS_OP_VAR:
			return 0;
		case DPS_OP_CASE:
			return 1u << CONDITION | possible_branches(&enclosures[instruction->arg[CONDITION]]);
		case DPS_OP_COALESCE:
			return enclosures[instruction->arg[0]].nullness == DPS_NEVER_NULL ? 1 : 3;
		default:
			return (1u << instruction->nargs) - 1;
	}
}

/*
 * Can the instruction overflow double precision?  That is for the caller to
 * judge when it is the result: the enclosure has an infinite end.  But what is
 * made of it can be finite again, 1 / exp(x) for instance, and SQL would have
 * raised an error: so whatever reads it is not defined everywhere, unless it is
 * a function of real numbers that SQL does not evaluate.
 */
static inline bool
may_overflow(const DpsInstruction *instruction, const DpsEnclosure *e)
{
	if (instruction->op == DPS_OP_CONST || instruction->op == DPS_OP_VAR || dps_iv_is_empty(e->value))
		return false;
	return e->value.lo == -INFINITY || e->value.hi == INFINITY;
}

static DpsEnclosure
enclose_variable(const DpsDomain *domain)
{
	DpsEnclosure e = {.defined = DPS_DEFINED, .continuous = true};

	e.nullness = domain->nullness;
	e.value = domain->nullness == DPS_ALWAYS_NULL ? DPS_EMPTY : dps_iv(domain->lo, domain->hi);
	return e;
}

static DpsEnclosure
enclose_constant(const DpsInstruction *constant)
{
	DpsEnclosure e = {.defined = DPS_DEFINED, .continuous = true};

	e.nullness = constant->value != constant->value ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
	e.value = constant->range;
	return e;
}

/* What either branch can yield. */
static DpsEnclosure
join_branches(const DpsEnclosure *yes, const DpsEnclosure *no)
{
	DpsEnclosure e;

	e.value = dps_iv_hull(yes->value, no->value);
	e.nullness = yes->nullness == no->nullness ? yes->nullness : DPS_MAYBE_NULL;
	e.defined = yes->defined == no->defined ? yes->defined : DPS_PARTIAL;
	e.continuous = dps_enclosure_is_constant(&e);
	return e;
}

/* The truth values an argument of AND or OR can have: bit 0 false, bit 1
 * true, bit 2 NULL. */
static unsigned
possible_truths(const DpsEnclosure *e)
{
	return (dps_iv_contains(e->value, 0) ? 1u : 0) |
		(dps_iv_contains(e->value, 1) ? 2u : 0) |
		(e->nullness != DPS_NEVER_NULL ? 4u : 0);
}

/* Tries the operation on every pair of possible truth values. */
static DpsNullness
logic_nullness(const DpsOp *op, const DpsEnclosure *x, const DpsEnclosure *y)
{
	static const double truths[3] = {0, 1, NAN};
	bool		null_seen = false;
	bool		value_seen = false;
	int			i;
	int			k;

	for (i = 0; i < 3; i++)
	{
		for (k = 0; k < 3; k++)
		{
			if (!(possible_truths(x) & 1u << i) || !(possible_truths(y) & 1u << k))
				continue;
			if (isnan(op->value(truths[i], truths[k])))
				null_seen = true;
			else
				value_seen = true;
		}
	}
	if (!null_seen)
		return DPS_NEVER_NULL;
	return value_seen ? DPS_MAYBE_NULL : DPS_ALWAYS_NULL;
}

static DpsNullness
nullness_of(const DpsOp *op, const DpsEnclosure *x, const DpsEnclosure *y)
{
	if (op->flags & DPS_NULL_NEVER)
		return DPS_NEVER_NULL;
	if (op->flags & DPS_NULL_LOGIC)
		return logic_nullness(op, x, y);
	if (op->flags & DPS_NULL_IF_ALL)
		return x->nullness < y->nullness ? x->nullness : y->nullness;
	return worse(x->nullness, y->nullness);
}

/*
 * An operation on the same argument twice has a narrower range than on two
 * arguments of the same range: x - x is 0, not [lo - hi, hi - lo].
 */
static DpsInterval
enclose_same(DpsOpcode op, DpsInterval x, DpsInterval value)
{
	double		one;

	if (op == DPS_OP_MUL)
		return dps_iv_sqr(x);
	if (!(dps_ops[op].flags & DPS_CONSTANT_IF_SAME))
		return value;
	one = dps_ops[op].value(1, 1);
	return dps_iv(one, one);
}

/*
 * u / (c + u) is 1 - c / (c + u), in which u occurs once, so the ends of the
 * enclosure are those of the function.  The evaluator's c + u is off by half an
 * ulp and its quotient by another half: 2^-52 of the value covers both.
 */
static DpsInterval
enclose_share(const DpsProgram *program, const DpsInstruction *instruction, const DpsEnclosure *enclosures,
			  DpsInterval value)
{
	uint32_t	u = instruction->arg[0];
	const DpsInstruction *sum = &program->code[instruction->arg[1]];
	DpsInterval rest;
	DpsInterval share;

	if (sum->op != DPS_OP_ADD || (sum->arg[0] != u && sum->arg[1] != u) || sum->arg[0] == sum->arg[1])
		return value;
	rest = enclosures[sum->arg[sum->arg[0] == u ? 1 : 0]].value;
	share = dps_iv_sub(dps_iv(1, 1), dps_iv_div(rest, enclosures[instruction->arg[1]].value));
	if (!dps_iv_is_finite(share))
		return value;
	share = dps_iv_mul(share, dps_iv(1 - 0x1p-50, 1 + 0x1p-50));
	share = dps_iv_intersect(value, share);
	return dps_iv_is_empty(share) ? value : share;
}

/* Intersects the value with the type's range; the rest is an overflow.  At
 * double precision an infinite end means "unbounded", which the caller
 * judges. */
static DpsDefined
hold_in_type(DpsType type, DpsInterval *value)
{
	DpsInterval range = dps_type_range(type);

	if (type == DPS_FLOAT8 || type == DPS_NUMERIC)
		return DPS_DEFINED;
	if (value->lo >= range.lo && value->hi <= range.hi)
		return DPS_DEFINED;
	*value = dps_iv_intersect(*value, range);
	return dps_iv_is_empty(*value) ? DPS_UNDEFINED : DPS_PARTIAL;
}

/* The operation itself, on arguments that let it have a value; sets the value
 * and returns where it is defined. */
static DpsDefined
apply_operation(const DpsInstruction *instruction, const DpsEnclosure *x, const DpsEnclosure *y,
				DpsInterval *value)
{
	const DpsOp *op = &dps_ops[instruction->op];
	DpsDefined	defined = op->defined(x->value, y->value);

	*value = op->enclosure(x->value, y->value, x->nullness, y->nullness);
	if (instruction->nargs == 2 && x == y && !dps_iv_is_empty(*value))
		*value = enclose_same(instruction->op, x->value, *value);
	if (dps_iv_is_empty(*value))
		defined = DPS_UNDEFINED;
	if (defined == DPS_UNDEFINED)
		*value = DPS_EMPTY;
	else
		defined = worse(defined, hold_in_type(instruction->type, value));
	return defined;
}

/* Does the operation have no value at all, because a needed argument is NULL
 * or undefined? */
static bool
lacks_argument(const DpsOp *op, const DpsEnclosure *x, const DpsEnclosure *y)
{
	if (op->flags & DPS_NULL_NEVER)
		return false;
	if (op->flags & (DPS_NULL_IF_ALL | DPS_NULL_LOGIC))
		return dps_iv_is_empty(x->value) && dps_iv_is_empty(y->value);
	return dps_iv_is_empty(x->value) || dps_iv_is_empty(y->value);
}

static bool
is_continuous(const DpsInstruction *instruction, const DpsEnclosure *enclosures,
			  const DpsEnclosure *x, const DpsEnclosure *y, DpsInterval value)
{
	const DpsOp *op = &dps_ops[instruction->op];
	unsigned	evaluated = dps_evaluated_arguments(instruction, enclosures);
	int			k;

	for (k = 0; k < instruction->nargs; k++)
	{
		const DpsEnclosure *arg = &enclosures[instruction->arg[k]];

		if (!(evaluated & 1u << k))
			continue;
		if (!arg->continuous)
			return false;
		if ((op->flags & LOOKS_AT_NULL) && arg->nullness == DPS_MAYBE_NULL)
			return false;
	}
	return dps_iv_is_empty(value) || !op->jumps(x->value, y->value, value);
}

/* For an instruction that is not continuous: the variables along which it jumps
 * itself.  These are all its variables, of a CASE those of its condition. */
static uint64_t
own_jumps(const DpsInstruction *instruction, const DpsEnclosure *enclosures, const uint64_t *variables, uint32_t i)
{
	const DpsOp *op = &dps_ops[instruction->op];
	const DpsEnclosure *x = &enclosures[instruction->arg[0]];
	const DpsEnclosure *y = &enclosures[instruction->arg[instruction->nargs > 1]];

	if (instruction->op == DPS_OP_CASE)
		return variables[instruction->arg[CONDITION]];
	if (instruction->nargs == 0 || (op->flags & LOOKS_AT_NULL) || dps_iv_is_empty(x->value) || dps_iv_is_empty(y->value) ||
		op->jumps(x->value, y->value, enclosures[i].value))
		return variables[i];
	return 0;
}

uint64_t
dps_jump_variables(const DpsProgram *program, const DpsEnclosure *enclosures, const uint64_t *variables, uint32_t i,
				   uint64_t *scratch)
{
	uint32_t	k;
	int			j;

	for (k = 0; k <= i; k++)
	{
		const DpsInstruction *instruction = &program->code[k];
		unsigned	evaluated = dps_evaluated_arguments(instruction, enclosures);

		scratch[k] = enclosures[k].continuous ? 0 : own_jumps(instruction, enclosures, variables, k);
		for (j = 0; j < instruction->nargs && !enclosures[k].continuous; j++)
			if (evaluated & 1u << j)
				scratch[k] |= scratch[instruction->arg[j]];
	}
	return scratch[i];
}

static bool
reads_overflow(const DpsProgram *program, const DpsInstruction *instruction, const DpsEnclosure *enclosures)
{
	unsigned	evaluated;
	int			k;

	if (instruction->real)
		return false;
	evaluated = dps_evaluated_arguments(instruction, enclosures);
	for (k = 0; k < instruction->nargs; k++)
	{
		uint32_t	arg = instruction->arg[k];

		if ((evaluated & 1u << k) && may_overflow(&program->code[arg], &enclosures[arg]))
			return true;
	}
	return false;
}

/* Is the second argument defined where SQL evaluates it?  COALESCE evaluates
 * it only for the rows whose first argument is NULL. */
static DpsDefined
second_defined(const DpsInstruction *instruction, const DpsEnclosure *x, const DpsEnclosure *y)
{
	if (instruction->op != DPS_OP_COALESCE || x->nullness == DPS_ALWAYS_NULL ||
		y->defined == DPS_DEFINED)
		return y->defined;
	return x->nullness == DPS_NEVER_NULL ? DPS_DEFINED : DPS_PARTIAL;
}

static DpsEnclosure
enclose_operation(const DpsProgram *program, const DpsInstruction *instruction, const DpsEnclosure *enclosures)
{
	const DpsOp *op = &dps_ops[instruction->op];
	const DpsEnclosure *x = &enclosures[instruction->arg[0]];
	const DpsEnclosure *y = &enclosures[instruction->arg[instruction->nargs - 1]];
	DpsDefined	own = DPS_DEFINED;
	DpsEnclosure e = {.value = DPS_EMPTY};

	e.nullness = nullness_of(op, x, y);
	e.defined = worse(x->defined, second_defined(instruction, x, y));
	if (e.nullness != DPS_ALWAYS_NULL && !lacks_argument(op, x, y))
		own = apply_operation(instruction, x, y, &e.value);
	if (instruction->op == DPS_OP_DIV && instruction->type >= DPS_NUMERIC && instruction->type != DPS_FLOAT4 &&
		!dps_iv_is_empty(e.value))
		e.value = enclose_share(program, instruction, enclosures, e.value);
	if (e.nullness == DPS_MAYBE_NULL && dps_iv_is_empty(e.value))
	{
		/* where defined, it is NULL */
		e.nullness = DPS_ALWAYS_NULL;
		own = own == DPS_UNDEFINED ? DPS_PARTIAL : own;
	}
	e.defined = worse(e.defined, own);
	if (reads_overflow(program, instruction, enclosures))
		e.defined = worse(e.defined, DPS_PARTIAL);
	e.continuous = dps_enclosure_is_constant(&e) || is_continuous(instruction, enclosures, x, y, e.value);
	return e;
}

/*
 * Branches under their condition
 *
 * A branch that is not defined and finite on the whole box may be so where it
 * is taken, and its range may be narrower there.  So the program is enclosed
 * again, up to the branch, with the constraints that the condition puts on the
 * sides of its comparisons, their difference and their quotient.  These hold
 * for the exact values and for the evaluated ones alike, as comparisons are
 * exact and rounding is monotone.
 */
static void enclose_up_to(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures,
						  uint32_t end, const DpsConstraints *constraints);

/* Constraints beyond the limit are dropped. */
static void
add_one(DpsConstraints *constraints, uint32_t i, DpsInterval value)
{
	if (constraints->n < DPS_MAX_CONSTRAINTS)
		constraints->known[constraints->n++] = (DpsConstraint) {i, value};
}

/* y - x is the negative of x - y, in doubles, too. */
static void
constrain_turned(const DpsProgram *program, DpsConstraints *constraints, const DpsInstruction *difference, DpsInterval value)
{
	uint32_t	i;

	for (i = 0; i < constraints->end; i++)
	{
		const DpsInstruction *other = &program->code[i];

		if (other->op == DPS_OP_SUB && other->type == difference->type && other->arg[0] == difference->arg[1] &&
			other->arg[1] == difference->arg[0])
			add_one(constraints, i, dps_iv_neg(value));
	}
}

/* Adds a constraint on the instruction, and those that follow from it for instructions
 * whose magnitude it has.  Where x has a sign on the box, |x| is x or -x, so that |x| > c
 * says x > c; where it has none, what is left of |x| > c has a hole, and only |x| < c tells. */
static void
add_constraint(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints, uint32_t i, DpsInterval value)
{
	const DpsInstruction *instruction = &program->code[i];

	add_one(constraints, i, value);
	switch (instruction->op)
	{
		case DPS_OP_CAST:
			add_constraint(program, enclosures, constraints, instruction->arg[0], value);
			break;
		case DPS_OP_NEG:
			add_constraint(program, enclosures, constraints, instruction->arg[0], dps_iv_neg(value));
			break;
		case DPS_OP_ABS:
			if (enclosures[instruction->arg[0]].value.lo >= 0)
				add_constraint(program, enclosures, constraints, instruction->arg[0], value);
			else if (enclosures[instruction->arg[0]].value.hi <= 0)
				add_constraint(program, enclosures, constraints, instruction->arg[0], dps_iv_neg(value));
			else if (value.hi >= 0 && value.hi < INFINITY)
				add_constraint(program, enclosures, constraints, instruction->arg[0], dps_iv(-value.hi, value.hi));
			break;
		case DPS_OP_SUB:
			constrain_turned(program, constraints, instruction, value);
			break;
		default:
			break;
	}
}

/* The instruction below all casts: casts do not change values. */
static uint32_t
uncast(const DpsProgram *program, uint32_t i)
{
	while (program->code[i].op == DPS_OP_CAST)
		i = program->code[i].arg[0];
	return i;
}

/* Adds the constraint of left <= right on a difference or quotient of the two: x -
 * y >= 0 where x > y, and x / y >= 1 if y is positive. */
static void
constrain_pair(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints, uint32_t i,
			   uint32_t left, uint32_t right)
{
	const DpsInstruction *instruction = &program->code[i];
	double		turn = instruction->op == DPS_OP_SUB ? 0.0 : 1.0;
	uint32_t	x = uncast(program, instruction->arg[0]);
	uint32_t	y = uncast(program, instruction->arg[1]);

	if (instruction->op == DPS_OP_DIV && !(enclosures[y].value.lo > 0))
		return;
	if (x == right && y == left)
		add_constraint(program, enclosures, constraints, i, dps_iv(turn, INFINITY));
	else if (x == left && y == right)
		add_constraint(program, enclosures, constraints, i, dps_iv(-INFINITY, turn));
}

static void
constrain_pairs(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints, uint32_t left,
				uint32_t right)
{
	uint32_t	i;

	for (i = (left > right ? left : right) + 1; i < constraints->end; i++)
		if (program->code[i].op == DPS_OP_SUB || program->code[i].op == DPS_OP_DIV)
			constrain_pair(program, enclosures, constraints, i, left, right);
}

static bool
is_known(const DpsConstraints *constraints, uint32_t left, uint32_t right)
{
	int			k;

	for (k = 0; k < constraints->norders; k++)
		if (constraints->order[k].left == left && constraints->order[k].right == right)
			return true;
	return false;
}

/* Adds left <= right, and the constraints that follow from it and known orders: x > y
 * and y > z imply x - z >= 0. */
static void
add_order(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints, uint32_t left,
		  uint32_t right)
{
	int			n = constraints->norders;
	int			k;

	if (n == DPS_MAX_ORDERS || is_known(constraints, left, right))
		return;
	constraints->order[constraints->norders++] = (DpsOrder) {left, right};
	constrain_pairs(program, enclosures, constraints, left, right);
	for (k = 0; k < n; k++)
	{
		const DpsOrder *order = &constraints->order[k];

		if (order->right == left)
			add_order(program, enclosures, constraints, order->left, right);
		if (order->left == right)
			add_order(program, enclosures, constraints, left, order->right);
	}
}

/* Adds left <= right or, if `equal`, left = right. */
static void
constrain_order(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints,
				uint32_t left, uint32_t right, bool equal)
{
	DpsInterval x = enclosures[left].value;
	DpsInterval y = enclosures[right].value;

	if (dps_iv_is_empty(x) || dps_iv_is_empty(y))
		return;
	add_constraint(program, enclosures, constraints, left, dps_iv(equal ? y.lo : -INFINITY, y.hi));
	add_constraint(program, enclosures, constraints, right, dps_iv(x.lo, equal ? x.hi : INFINITY));
	left = uncast(program, left);
	right = uncast(program, right);
	add_order(program, enclosures, constraints, left, right);
	if (equal)
		add_order(program, enclosures, constraints, right, left);
}

/* Adds that instruction i is not 0, or NULL, and what has the same magnitude is not either. */
static void
add_nonzero(const DpsProgram *program, DpsConstraints *constraints, uint32_t i)
{
	const DpsInstruction *instruction = &program->code[i];

	if (constraints->nnonzero < DPS_MAX_ORDERS)
		constraints->nonzero[constraints->nnonzero++] = i;
	if (instruction->op == DPS_OP_NEG || instruction->op == DPS_OP_ABS || instruction->op == DPS_OP_CAST)
		add_nonzero(program, constraints, instruction->arg[0]);
}

static bool
is_zero(const DpsEnclosure *e)
{
	return e->nullness == DPS_NEVER_NULL && e->value.lo == 0 && e->value.hi == 0;
}

/* A comparison with 0 that is so, or NULL, tells that the other side is not 0. */
static void
constrain_nonzero(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints,
				  const DpsInstruction *comparison, bool truth)
{
	bool		apart = truth ? comparison->op == DPS_OP_NE || comparison->op == DPS_OP_LT || comparison->op == DPS_OP_GT :
		comparison->op == DPS_OP_EQ || comparison->op == DPS_OP_LE || comparison->op == DPS_OP_GE;

	if (apart && is_zero(&enclosures[comparison->arg[1]]))
		add_nonzero(program, constraints, comparison->arg[0]);
	if (apart && is_zero(&enclosures[comparison->arg[0]]))
		add_nonzero(program, constraints, comparison->arg[1]);
}

/* Adds the constraints that follow if instruction i is `truth`.  A condition
 * that takes NO may be NULL instead of false. */
static void
constrain(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints, uint32_t i, bool truth)
{
	const DpsInstruction *instruction = &program->code[i];
	uint32_t	x = instruction->arg[0];
	uint32_t	y = instruction->arg[1];

	constrain_nonzero(program, enclosures, constraints, instruction, truth);
	if (!truth && enclosures[i].nullness != DPS_NEVER_NULL)
		return;
	switch (instruction->op)
	{
		case DPS_OP_NOT:
			if (enclosures[i].nullness == DPS_NEVER_NULL)
				constrain(program, enclosures, constraints, x, !truth);
			break;
		case DPS_OP_AND:
		case DPS_OP_OR:
			if (truth != (instruction->op == DPS_OP_AND))
				break;
			constrain(program, enclosures, constraints, x, truth);
			constrain(program, enclosures, constraints, y, truth);
			break;
		case DPS_OP_LT:
		case DPS_OP_LE:
			constrain_order(program, enclosures, constraints, truth ? x : y, truth ? y : x, false);
			break;
		case DPS_OP_GT:
		case DPS_OP_GE:
			constrain_order(program, enclosures, constraints, truth ? y : x, truth ? x : y, false);
			break;
		case DPS_OP_EQ:
		case DPS_OP_NE:
			if (truth == (instruction->op == DPS_OP_EQ))
				constrain_order(program, enclosures, constraints, x, y, true);
			break;
		default:
			break;
	}
}

static bool
is_bounded(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED &&
		(dps_iv_is_empty(e->value) || (e->value.lo > -INFINITY && e->value.hi < INFINITY));
}

bool
dps_constrain_branch(const DpsProgram *program, const DpsEnclosure *enclosures, DpsConstraints *constraints,
					 const DpsInstruction *instruction, int branch)
{
	int			k = constraints->n;

	constraints->depth++;
	constraints->end = instruction->arg[branch] + 1;
	constrain(program, enclosures, constraints, instruction->arg[CONDITION], branch == YES);
	for (; k < constraints->n; k++)
		if (dps_iv_is_empty(dps_iv_intersect(constraints->known[k].value,
											 enclosures[constraints->known[k].instruction].value)))
			return false;
	return true;
}

/* Encloses the branch where it is taken; `taken` is false if it is never
 * taken.  A branch that is constant over the box need not be enclosed
 * again. */
static DpsEnclosure
enclose_branch(const DpsProgram *program, const DpsDomain *box, const DpsInstruction *instruction,
			   const DpsEnclosure *enclosures, int branch, const DpsConstraints *outer, bool *taken)
{
	DpsEnclosure again[MAX_ENCLOSED_AGAIN];
	DpsEnclosure e = enclosures[instruction->arg[branch]];
	DpsConstraints constraints;
	int			nonzero = outer->nnonzero;
	int			k;

	*taken = true;
	if ((is_bounded(&e) && dps_enclosure_is_constant(&e)) || instruction->arg[branch] >= MAX_ENCLOSED_AGAIN ||
		outer->depth == MAX_CASES_AGAIN)
		return e;
	constraints = *outer;
	k = constraints.n;
	*taken = dps_constrain_branch(program, enclosures, &constraints, instruction, branch);
	if (!*taken || (constraints.n == k && constraints.nnonzero == nonzero))
		return e;
	enclose_up_to(program, box, again, instruction->arg[branch] + 1, &constraints);
	if (constraints.again != NULL)
		*constraints.again += instruction->arg[branch] + 1;
	return again[instruction->arg[branch]];
}

static DpsEnclosure
enclose_undecided(const DpsProgram *program, const DpsDomain *box, const DpsInstruction *instruction,
				  const DpsEnclosure *enclosures, const DpsConstraints *constraints)
{
	bool		yes_taken;
	bool		no_taken;
	DpsEnclosure yes = enclose_branch(program, box, instruction, enclosures, YES, constraints, &yes_taken);
	DpsEnclosure no = enclose_branch(program, box, instruction, enclosures, NO, constraints, &no_taken);

	if (yes_taken && !no_taken)
		return yes;
	return no_taken && !yes_taken ? no : join_branches(&yes, &no);
}

static DpsEnclosure
enclose_case(const DpsProgram *program, const DpsDomain *box, const DpsInstruction *instruction,
			 const DpsEnclosure *enclosures, const DpsConstraints *constraints)
{
	const DpsEnclosure *condition = &enclosures[instruction->arg[CONDITION]];
	const DpsEnclosure *yes = &enclosures[instruction->arg[YES]];
	const DpsEnclosure *no = &enclosures[instruction->arg[NO]];
	unsigned	branches = possible_branches(condition);
	DpsEnclosure e = {.value = DPS_EMPTY, .defined = DPS_UNDEFINED, .continuous = true};

	/* a condition with one possible outcome causes no jump */
	if (branches == 1u << YES)
		e = *yes;
	else if (branches == 1u << NO)
		e = *no;
	else if (branches != 0)
		e = constraints == NULL ? join_branches(yes, no) :
			enclose_undecided(program, box, instruction, enclosures, constraints);
	e.defined = worse(e.defined, condition->defined);
	return e;
}

/* Intersects an enclosure with the constraints. */
static void
apply_constraints(const DpsConstraints *constraints, uint32_t i, DpsEnclosure *e)
{
	int			k;

	for (k = 0; k < constraints->n; k++)
	{
		DpsInterval left;

		if (constraints->known[k].instruction != i)
			continue;
		left = dps_iv_intersect(e->value, constraints->known[k].value);
		/* contradictory constraints mean that the branch is not taken; its
		 * enclosure does not matter then */
		if (!dps_iv_is_empty(left))
			e->value = left;
	}
}

static void
enclose_up_to(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures, uint32_t end,
			  const DpsConstraints *constraints)
{
	uint32_t	i;

	for (i = 0; i < end; i++)
	{
		const DpsInstruction *instruction = &program->code[i];

		switch (instruction->op)
		{
			case DPS_OP_CONST:
				enclosures[i] = enclose_constant(instruction);
				break;
			case DPS_OP_VAR:
				enclosures[i] = enclose_variable(&box[instruction->arg[0]]);
				break;
			case DPS_OP_CASE:
				enclosures[i] = enclose_case(program, box, instruction, enclosures, constraints);
				break;
			default:
				enclosures[i] = enclose_operation(program, instruction, enclosures);
				if (constraints != NULL)
					dps_enclose_limit(program, instruction, enclosures, constraints, &enclosures[i]);
				break;
		}
		if (constraints != NULL)
			apply_constraints(constraints, i, &enclosures[i]);
	}
}

void
dps_enclose(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures)
{
	enclose_up_to(program, box, enclosures, program->ninstructions, NULL);
}

uint32_t
dps_enclose_guarded(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures)
{
	uint32_t	again = 0;
	const DpsConstraints none = {.again = &again};

	enclose_up_to(program, box, enclosures, program->ninstructions, &none);
	return again;
}

void
dps_enclose_constrained(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures, uint32_t end,
						const DpsConstraints *constraints)
{
	enclose_up_to(program, box, enclosures, end, constraints);
}

/* The first argument that SQL evaluates and that is at fault; -1 if there is
 * none. */
static int
undefined_argument(const DpsProgram *program, const DpsInstruction *instruction, const DpsEnclosure *enclosures)
{
	unsigned	evaluated = dps_evaluated_arguments(instruction, enclosures);
	int			k;

	for (k = 0; k < instruction->nargs; k++)
	{
		uint32_t	arg = instruction->arg[k];

		if (!(evaluated & 1u << k))
			continue;
		if (enclosures[arg].defined != DPS_DEFINED || may_overflow(&program->code[arg], &enclosures[arg]))
			return arg;
	}
	return -1;
}

int
dps_culprit(const DpsProgram *program, const DpsEnclosure *enclosures, int k)
{
	int			i = dps_program_outputs(program)[k];
	int			next = i;

	if (enclosures[i].defined == DPS_DEFINED)
		return -1;
	while (next >= 0)
	{
		i = next;
		next = undefined_argument(program, &program->code[i], enclosures);
	}
	return i;
}

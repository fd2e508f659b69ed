/*
 * error.c
 *		How far the evaluator can be from the exact value of an expression.
 *
 * Let v be an instruction's exact value for some row of the box and v~ the
 * evaluator's value for that row, and let e bound |v~ - v|.  Leaves are exact:
 * e = 0.  For v = op(x, y):
 *
 *		|v~ - v| <= |v~ - op(x~, y~)| + |op(x~, y~) - op(x, y)|
 *
 * The first term is the rounding error of one operation: a number of ulps of
 * op(x~, y~).  For the second: the enclosures X and Y contain x and y, and x~
 * and y~ too, because intervals enclose the evaluator's values as well as the
 * exact ones.  X x Y is convex and op is defined on all of it, so by the mean
 * value theorem along one axis and then the other
 *
 *		|op(x~, y~) - op(x, y)| <= sup |d op/dx| e(x) + sup |d op/dy| e(y)
 *
 * with suprema over X x Y.  At kinks (abs, greatest) the enclosure of the
 * derivative holds both slopes.  Where a jump is possible the answer is
 * Infinity, unless the arguments and the operation are exact (round(x, 2)
 * takes a near tie for a tie).  So a finite e also means that v and v~ are NULL
 * together.
 *
 * As v and v~ both lie in the enclosure of the value, its width is a bound,
 * too; it helps where a derivative is unbounded.  At 0 the derivative of sqrt
 * is unbounded, but |sqrt(a) - sqrt(b)| <= sqrt(|a - b|).
 *
 * That is a root of the error, too much for distances where they are 0.  But the root of a
 * sum of c x^2 is the length of a vector, and lengths differ by no more than vectors do: by
 * sum sqrt(c) e(x).  Squares, sums and products of what is not negative are off by half an
 * ulp of themselves for each operation, wherever they do not underflow.
 *
 * A branch of a CASE that is defined only where it is taken is analysed again
 * under its condition.
 *
 * A CASE whose branches meet up to rounding counts as continuous in a Lipschitz
 * constant K (boundary.c).  The promise is |v~(a) - v~(b)| <= K |a - b| + 2 e
 * for any two rows, so the jump J of such a CASE is added to its error.  This
 * needs the propagation above to be linear in the errors put in: where the
 * segment from a to b crosses boundaries, v changes by changes of CASEs by their
 * J, at one and the same row, so these changes add up to no more than the part
 * of e that comes from the J.  The width of an enclosure bounds each of these
 * changes but not their sum, so it is not used above a J.
 */
#include <float.h>

#include "expr/enclose.h"

/* The most conditions around a branch that is analysed under them. */
#define MAX_GUARDS 2

/* Roundings below a root that are looked at as those of a length; and more than the root of
 * what an operation may lose to underflow. */
#define MAX_ROUNDINGS 1000
#define ROOT_OF_UNDERFLOW 0x1p-530

/* The error and properties of one instruction. */
typedef struct Accuracy
{
	double		error;			/* bounds |evaluated - exact| */
	bool		integral;		/* an integer, whenever not NULL */
	bool		jumpy;			/* the error contains jumps */
} Accuracy;

typedef struct Analysis
{
	DpsGraph   *graph;
	const DpsDomain *box;
	DpsArena   *scratch;
	double	   *errors;			/* by node id, for dps_case_jump */
	const DpsProgram *program;
	DpsConstraints constraints; /* that hold in this analysis */
	DpsEnclosure *enclosures;
	Accuracy   *accuracy;
	/* the partial derivatives of single operations, compiled when needed */
	const DpsProgram *slopes[DPS_OP_COUNT];
} Analysis;

/* A bound of the ulp of every value in x. */
static double
largest_ulp(DpsInterval x)
{
	double		most = dps_iv_magnitude(x);

	return most < DBL_MAX ? dps_round_up(most) - most : INFINITY;
}

static bool
is_integral(const Analysis *analysis, const DpsInstruction *instruction)
{
	const DpsOp *op = &dps_ops[instruction->op];
	bool		integral = (op->flags & DPS_KEEPS_INTEGERS) != 0;
	int			k;

	if (dps_type_is_integer(instruction->type) || (op->flags & DPS_INTEGRAL))
		return true;
	for (k = 0; k < instruction->nargs; k++)
		integral = integral && analysis->accuracy[instruction->arg[k]].integral;
	return integral;
}

/* The rounding error of the operation, on its computed arguments. */
static double
rounding_error(const Analysis *analysis, uint32_t i)
{
	const DpsInstruction *instruction = &analysis->program->code[i];
	const DpsOp *op = &dps_ops[instruction->op];
	DpsInterval value = analysis->enclosures[i].value;

	if (dps_op_is_exact(op))
		return 0;
	if (isinf(op->ulps))
		return INFINITY;
	if (op->ulps < 0)
		return -op->ulps;
	if ((op->flags & DPS_KEEPS_INTEGERS) && analysis->accuracy[i].integral && dps_iv_magnitude(value) <= 0x1p53)
		return 0;
	return dps_mul_up(op->ulps, largest_ulp(value));
}

/* Compiles the partial derivatives of one operation over two variables. */
static DpsStatus
compile_slopes(Analysis *analysis, DpsOpcode op)
{
	DpsGraph   *graph;
	const DpsNode *gradient[2];
	const DpsNode *x;
	const DpsNode *y;

	if (analysis->slopes[op] != NULL)
		return DPS_OK;
	DPS_TRY(dps_graph_init(&graph, analysis->scratch));
	x = dps_variable(graph, dps_graph_add_variable(graph, "x", DPS_FLOAT8, true));
	y = dps_variable(graph, dps_graph_add_variable(graph, "y", DPS_FLOAT8, true));
	DPS_TRY(dps_gradient(graph, dps_apply(graph, op, DPS_FLOAT8, x, y), gradient));
	return dps_compile(graph, gradient, 2, &analysis->slopes[op]);
}

static DpsDomain
domain_of(const DpsEnclosure *e)
{
	DpsDomain	domain = {.lo = e->value.lo, .hi = e->value.hi, .nullness = e->nullness};

	return domain;
}

/* sup |slope|, Infinity if the derivative is not defined throughout. */
static double
largest_slope(const DpsEnclosure *slope)
{
	if (slope->defined != DPS_DEFINED)
		return INFINITY;
	/* NULL throughout: there is no value and no error */
	return dps_iv_is_empty(slope->value) ? 0 : dps_iv_magnitude(slope->value);
}

/* The effect of the arguments' errors on the value. */
static DpsStatus
propagated_error(Analysis *analysis, const DpsInstruction *instruction, const double *arg_error,
				 double *error)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	DpsDomain	box[2];
	int			k;

	DPS_TRY(compile_slopes(analysis, instruction->op));
	program = analysis->slopes[instruction->op];
	enclosures = dps_arena_alloc(analysis->scratch, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	box[0] = domain_of(&analysis->enclosures[instruction->arg[0]]);
	box[1] = domain_of(&analysis->enclosures[instruction->arg[instruction->nargs - 1]]);
	dps_enclose(program, box, enclosures);
	*error = 0;
	for (k = 0; k < instruction->nargs; k++)
	{
		const DpsEnclosure *slope = &enclosures[dps_program_outputs(program)[k]];

		/* 0 times an unbounded slope is 0: an exact argument does not move */
		if (arg_error[k] > 0)
			*error = dps_add_up(*error, dps_mul_up(largest_slope(slope), arg_error[k]));
	}
	return DPS_OK;
}

static DpsStatus analyse_up_to(Analysis *analysis, uint32_t end);

/*
 * The error of a branch that is defined only where its condition holds,
 * analysed under that condition.  The condition is exact, so exact and
 * evaluated values take the same branch.
 */
static DpsStatus
guarded_error(const Analysis *outer, uint32_t i, int branch, Accuracy *accuracy)
{
	const DpsInstruction *instruction = &outer->program->code[i];
	Analysis	analysis = *outer;
	int			known = outer->constraints.n + outer->constraints.nnonzero;

	accuracy->error = INFINITY;
	if (outer->constraints.depth == MAX_GUARDS || outer->accuracy[instruction->arg[0]].error > 0)
		return DPS_OK;
	if (!dps_constrain_branch(outer->program, outer->enclosures, &analysis.constraints, instruction, branch))
	{
		/* never taken */
		accuracy->error = 0;
		return DPS_OK;
	}
	if (analysis.constraints.n + analysis.constraints.nnonzero == known)
		return DPS_OK;
	DPS_TRY(analyse_up_to(&analysis, instruction->arg[branch] + 1));
	*accuracy = analysis.accuracy[instruction->arg[branch]];
	return DPS_OK;
}

/*
 * A CASE whose condition is exact or decided takes the right branch, so its
 * error is that of the branch.
 */
static DpsStatus
case_error(const Analysis *analysis, uint32_t i, unsigned evaluated, double *error)
{
	const DpsInstruction *instruction = &analysis->program->code[i];
	bool		continuous = true;
	double		jump = 0;
	int			k;

	*error = 0;
	for (k = 1; k < 3; k++)
	{
		Accuracy	branch = analysis->accuracy[instruction->arg[k]];

		if (!(evaluated & 1u << k))
			continue;
		if (isinf(branch.error) && evaluated == 7)
			DPS_TRY(guarded_error(analysis, i, k, &branch));
		*error = fmax(*error, branch.error);
		analysis->accuracy[i].jumpy |= branch.jumpy;
	}
	if (evaluated != 7)
		return DPS_OK;
	DPS_TRY(dps_case_jump(analysis->graph, dps_node_of(analysis->graph, instruction->node), analysis->box,
						  UINT64_MAX, analysis->errors, &continuous, &jump));
	/* an inexact condition may have parts that are no comparisons */
	if (analysis->accuracy[instruction->arg[0]].error > 0 && !continuous)
		jump = INFINITY;
	analysis->accuracy[i].jumpy |= jump > 0;
	*error = dps_add_up(*error, jump);
	return DPS_OK;
}

/* The root of a sum as a length. */
typedef struct Length
{
	double		error;			/* by the errors of what is squared */
	int			roundings;		/* of any term, at most */
} Length;

/* The root of a constant factor, or divisor; Infinity if it is not known to two ulps. */
static double
root_of_constant(const DpsInstruction *constant, bool below)
{
	if (constant->op != DPS_OP_CONST || !(constant->range.lo > 0) ||
		!(constant->range.hi <= constant->range.lo * (1 + 2 * DBL_EPSILON)))
		return INFINITY;
	return below ? dps_div_up(1, dps_sqrt_down(constant->range.lo)) : dps_sqrt_up(constant->range.hi);
}

/* Adds the terms of instruction i, each times the square of a number; false if one may be
 * negative. */
static bool
add_to_length(const Analysis *analysis, uint32_t i, double times, Length *length)
{
	const DpsInstruction *instruction = &analysis->program->code[i];
	bool		plain = instruction->type == DPS_FLOAT8 || instruction->type == DPS_NUMERIC;
	uint32_t	x = instruction->arg[0];
	uint32_t	y = instruction->arg[1];
	double		by = INFINITY;

	if (!isfinite(times) || length->roundings++ > MAX_ROUNDINGS)
		return false;
	/* what the operation loses if it underflows */
	length->error = dps_add_up(length->error, dps_mul_up(times, ROOT_OF_UNDERFLOW));
	if (plain && instruction->op == DPS_OP_ADD)
		return add_to_length(analysis, x, times, length) && add_to_length(analysis, y, times, length);
	if (plain && instruction->op == DPS_OP_MUL)
		by = root_of_constant(&analysis->program->code[x], false);
	else if (plain && instruction->op == DPS_OP_DIV)
		by = root_of_constant(&analysis->program->code[y], true);
	if (by < INFINITY)
	{
		length->roundings += 4;
		return add_to_length(analysis, instruction->op == DPS_OP_MUL ? y : x, dps_mul_up(times, by), length);
	}
	if (plain && instruction->op == DPS_OP_SQR)
		length->error = dps_add_up(length->error, dps_mul_up(times, analysis->accuracy[x].error));
	else if (!(analysis->enclosures[i].value.lo >= 0) || analysis->accuracy[i].jumpy)
		return false;
	else
		length->error = dps_add_up(length->error, dps_mul_up(times, dps_sqrt_up(analysis->accuracy[i].error)));
	return true;
}

/* The error of a root, as a length.  A rounding of the sum is half of one of the root that is computed, which may be
 * as large as what is enclosed and the length's error together. */
static double
length_error(const Analysis *analysis, uint32_t i)
{
	Length		length = {0};
	double		part;

	if (!add_to_length(analysis, analysis->program->code[i].arg[0], 1, &length))
		return INFINITY;
	part = (length.roundings + 2) * DBL_EPSILON;
	return dps_add_up(length.error, dps_mul_up(part, dps_add_up(dps_iv_magnitude(analysis->enclosures[i].value), length.error)));
}

static DpsStatus
operation_error(Analysis *analysis, uint32_t i, unsigned evaluated, double *error)
{
	const DpsInstruction *instruction = &analysis->program->code[i];
	const DpsOp *op = &dps_ops[instruction->op];
	const DpsEnclosure *e = &analysis->enclosures[i];
	const DpsEnclosure *x = &analysis->enclosures[instruction->arg[0]];
	const DpsEnclosure *y = &analysis->enclosures[instruction->arg[instruction->nargs - 1]];
	double		arg_error[2] = {0, 0};
	double		propagated = 0;
	bool		inexact;
	int			k;

	for (k = 0; k < instruction->nargs; k++)
	{
		if (evaluated & 1u << k)
			arg_error[k] = analysis->accuracy[instruction->arg[k]].error;
	}
	*error = INFINITY;
	if (isinf(arg_error[0]) || isinf(arg_error[1]))
		return DPS_OK;
	inexact = arg_error[0] > 0 || arg_error[1] > 0;
	if ((inexact || !dps_op_is_exact(op)) && op->jumps(x->value, y->value, e->value))
		return DPS_OK;
	/* conditions without a jump are tests for NULL or decided */
	if (inexact && !(op->flags & DPS_LOGICAL))
		DPS_TRY(propagated_error(analysis, instruction, arg_error, &propagated));
	*error = dps_add_up(rounding_error(analysis, i), propagated);
	/* |sqrt(a) - sqrt(b)| <= sqrt(|a - b|) */
	if (instruction->op == DPS_OP_SQRT && !analysis->accuracy[i].jumpy)
		*error = fmin(*error, dps_add_up(rounding_error(analysis, i), dps_sqrt_up(arg_error[0])));
	if (instruction->op == DPS_OP_SQRT && arg_error[0] > 0)
		*error = fmin(*error, length_error(analysis, i));
	if (!analysis->accuracy[i].jumpy)
		*error = fmin(*error, dps_sub_up(e->value.hi, e->value.lo));
	return DPS_OK;
}

static DpsStatus
instruction_error(Analysis *analysis, const DpsDomain *box, uint32_t i)
{
	const DpsInstruction *instruction = &analysis->program->code[i];
	const DpsEnclosure *e = &analysis->enclosures[i];
	Accuracy   *accuracy = &analysis->accuracy[i];
	unsigned	evaluated = dps_evaluated_arguments(instruction, analysis->enclosures);
	int			k;

	accuracy->error = 0;
	accuracy->integral = is_integral(analysis, instruction);
	for (k = 0; instruction->op != DPS_OP_VAR && k < instruction->nargs; k++)
		accuracy->jumpy |= analysis->accuracy[instruction->arg[k]].jumpy;
	if (e->defined != DPS_DEFINED)
		accuracy->error = INFINITY;
	else if (instruction->op == DPS_OP_VAR)
		accuracy->integral |= box[instruction->arg[0]].integral;
	else if (instruction->op == DPS_OP_CONST)
	{
		accuracy->error = dps_iv_is_empty(e->value) ? 0 : dps_sub_up(e->value.hi, e->value.lo);
		accuracy->integral |= accuracy->error == 0 && instruction->value == rint(instruction->value);
	}
	else if (dps_enclosure_is_constant(e))
		return DPS_OK;
	else if (instruction->op == DPS_OP_CASE)
	{
		DPS_TRY(case_error(analysis, i, evaluated, &accuracy->error));
		accuracy->integral |= analysis->accuracy[instruction->arg[1]].integral &&
			analysis->accuracy[instruction->arg[2]].integral;
	}
	else
		return operation_error(analysis, i, evaluated, &accuracy->error);
	return DPS_OK;
}

/* Marks the instruction and all that it depends on; `needed` has an entry for each
 * up to it. */
static void
mark_needed(const DpsProgram *program, uint32_t end, bool *needed)
{
	uint32_t	i;
	int			k;

	needed[end - 1] = true;
	for (i = end; i-- > 0;)
		for (k = 0; needed[i] && program->code[i].op != DPS_OP_VAR && k < program->code[i].nargs; k++)
			needed[program->code[i].arg[k]] = true;
}

/* Analyses the instruction before `end`, and all that it depends on, where the
 * constraints hold. */
static DpsStatus
analyse_up_to(Analysis *analysis, uint32_t end)
{
	const DpsProgram *program = analysis->program;
	bool	   *needed = dps_arena_alloc(analysis->scratch, sizeof(bool) * end);
	uint32_t	i;

	analysis->enclosures = dps_arena_alloc(analysis->scratch, sizeof(DpsEnclosure) * end);
	analysis->accuracy = dps_arena_alloc(analysis->scratch, sizeof(Accuracy) * end);
	analysis->errors = dps_arena_alloc(analysis->scratch, sizeof(double) * analysis->graph->nnodes);
	if (analysis->enclosures == NULL || analysis->accuracy == NULL || analysis->errors == NULL || needed == NULL)
		return DPS_NOMEM;
	dps_enclose_constrained(program, analysis->box, analysis->enclosures, end, &analysis->constraints);
	mark_needed(program, end, needed);
	for (i = 0; i < end; i++)
	{
		if (!dps_arena_step(analysis->scratch))
			return DPS_NOMEM;
		if (!needed[i])
			continue;
		DPS_TRY(instruction_error(analysis, analysis->box, i));
		analysis->errors[program->code[i].node] = analysis->accuracy[i].error;
	}
	return DPS_OK;
}

static DpsStatus
analyse(Analysis *analysis, double *error)
{
	DPS_TRY(analyse_up_to(analysis, analysis->program->ninstructions));
	*error = analysis->accuracy[dps_program_outputs(analysis->program)[0]].error;
	return DPS_OK;
}

DpsStatus
dps_evaluation_error(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, double *error)
{
	Analysis	analysis = {.graph = graph, .box = box};
	DpsStatus	status;

	*error = INFINITY;
	DPS_TRY(dps_compile(graph, &node, 1, &analysis.program));
	DPS_TRY(dps_arena_init(&analysis.scratch, dps_arena_host(graph->arena)));
	status = analyse(&analysis, error);
	status = dps_arena_status(graph->arena, dps_arena_status(analysis.scratch, status));
	dps_arena_clear(analysis.scratch);
	return status;
}

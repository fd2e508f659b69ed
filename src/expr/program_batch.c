/*
 * program_batch.c
 *		Evaluates a program over a batch of rows, one kernel after the other.
 *
 * There are no branches and no errors per row: a row without a value yields
 * NaN.  A batch of one row is the scalar evaluation, by the same kernels.
 */
#include <string.h>

#include "expr/kernel.h"
#include "expr/program.h"

size_t
dps_scratch_size(const DpsProgram *program)
{
	return (size_t) program->nslots * DPS_BATCH;
}

/* Where the values of instruction i are. */
static inline const double *
find_values(const DpsProgram *program, uint32_t i, const double *const *columns, const double *scratch)
{
	const DpsInstruction *instruction = &program->code[i];

	if (instruction->op == DPS_OP_VAR)
		return columns[instruction->arg[0]];
	return scratch + (size_t) instruction->slot * DPS_BATCH;
}

static void
fill_constant(double *restrict result, double value, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		result[i] = value;
}

/* CASE: a condition of NaN takes `no`.  Both branches have been computed, so
 * the choice needs no jump. */
static inline double
choose(double condition, double yes, double no)
{
	return condition == 1.0 ? yes : no;
}

DPS_KERNEL static void
select_values(double *restrict result, const double *restrict condition,
			  const double *restrict yes, const double *restrict no, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		result[i] = choose(condition[i], yes[i], no[i]);
}

/* NaN has many bit patterns, and the result of an operation depends on the
 * compiler's order of its operands; the caller sees only one. */
DPS_KERNEL static void
copy_output(double *restrict output, const double *restrict values, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		output[i] = values[i] == values[i] ? values[i] : NAN;
}

static void
run_instruction(const DpsProgram *program, uint32_t i, const double *const *columns, int n, double *scratch)
{
	const DpsInstruction *instruction = &program->code[i];
	double	   *result = scratch + (size_t) instruction->slot * DPS_BATCH;
	const double *values[3] = {NULL, NULL, NULL};
	int			k;

	for (k = 0; k < instruction->nargs; k++)
		values[k] = find_values(program, instruction->arg[k], columns, scratch);
	switch (instruction->op)
	{
		case DPS_OP_VAR:
			break;
		case DPS_OP_CONST:
			fill_constant(result, instruction->value, n);
			break;
		case DPS_OP_CASE:
			select_values(result, values[0], values[1], values[2], n);
			break;
		default:
			/* kernels of one argument get a second one, too */
			dps_ops[instruction->op].batch(result, values[0],
										   values[instruction->nargs - 1], n);
			break;
	}
}

void
dps_evaluate(const DpsProgram *program, const double *const *columns, int n,
			 double *scratch, double *const *outputs)
{
	const uint32_t *output = dps_program_outputs(program);
	uint32_t	i;

	for (i = 0; i < program->ninstructions; i++)
		run_instruction(program, i, columns, n, scratch);
	for (i = 0; i < program->noutputs; i++)
		copy_output(outputs[i], find_values(program, output[i], columns, scratch), n);
}

/*
 * program.h
 *		A graph as a straight line of instructions, evaluated over batches of
 *		rows or over boxes.
 *
 * A program is one flat block without pointers: it can be copied, stored in a
 * plan and read by another process of the same build.
 */
#ifndef DPS_EXPR_PROGRAM_H
#define DPS_EXPR_PROGRAM_H

#include "expr/expr.h"

/* Rows per batch. */
#define DPS_BATCH 256

typedef struct DpsInstruction
{
	uint8_t		op;				/* DpsOpcode */
	uint8_t		real;			/* 1 if SQL does not evaluate it: a function of
								 * real numbers, which cannot overflow */
	uint8_t		type;			/* DpsType of the result */
	uint8_t		nargs;
	uint32_t	arg[3];			/* instructions; a variable's index for
								 * DPS_OP_VAR */
	uint32_t	slot;			/* batch register, reused after the last use */
	uint32_t	node;			/* id of its node */
	double		value;			/* of a constant */
	DpsInterval range;			/* around it */
} DpsInstruction;

/* Instruction i yields value i; arguments come earlier. */
typedef struct DpsProgram
{
	uint32_t	size;			/* of the whole block, in bytes */
	uint32_t	ninstructions;
	uint32_t	noutputs;
	uint32_t	nvariables;
	uint32_t	nslots;
	uint32_t	padding;
	/* then the instructions, then the outputs' instruction numbers */
	DpsInstruction code[];
} DpsProgram;

static inline const uint32_t *
dps_program_outputs(const DpsProgram *program)
{
	return (const uint32_t *) (program->code + program->ninstructions);
}

/* Compiles the nodes, shared sub-expressions once, into a block of the
 * graph's arena.  DPS_UNABLE for a node that is not scalar. */
extern DPS_MUST_USE DpsStatus dps_compile(const DpsGraph *graph, const DpsNode *const *nodes, int n,
										  const DpsProgram **program);

/*
 * The same where SQL evaluates only the first n_evaluated nodes.  The others
 * are functions of real numbers, derivatives for instance: instructions that
 * only they use are defined even where a double would overflow.
 */
extern DPS_MUST_USE DpsStatus dps_compile_partly(const DpsGraph *graph, const DpsNode *const *nodes, int n,
												 int first, int n_evaluated, const DpsProgram **program);

/*
 * Rebuilds the nodes of a program's outputs in a graph with the same
 * variables: the inverse of dps_compile, except that a constant that no double
 * equals becomes the nearest double.  outputs has room for n.  DPS_UNABLE if
 * the block of that many bytes is no program with n outputs over the graph's
 * variables.
 */
extern DPS_MUST_USE DpsStatus dps_decompile(DpsGraph *graph, const DpsProgram *program, size_t size,
											const DpsNode **outputs, uint32_t n);

/* Doubles of scratch memory that dps_evaluate needs. */
extern size_t dps_scratch_size(const DpsProgram *program);

/*
 * Evaluates n <= DPS_BATCH rows.  columns[j] are the values of variable j, NaN
 * for NULL; outputs[k] receives output k.  Total: every input yields a value,
 * NaN where SQL yields NULL or the function is undefined.  A row's result does
 * not depend on its place in the batch, bit for bit.
 */
extern void dps_evaluate(const DpsProgram *program, const double *const *columns, int n,
						 double *scratch, double *const *outputs);

/* One dimension of a box. */
typedef struct DpsDomain
{
	double		lo;
	double		hi;
	uint8_t		nullness;		/* DpsNullness */
	bool		integral;		/* only the integers in [lo, hi]; then both ends
								 * are integers */
} DpsDomain;

/* The possible results of an instruction over a box. */
typedef struct DpsEnclosure
{
	DpsInterval value;			/* contains every value that is not NULL */
	uint8_t		nullness;		/* DpsNullness */
	uint8_t		defined;		/* DpsDefined: of the instruction and all that
								 * SQL would evaluate for it */
	bool		continuous;		/* no jump inside the box: neither of a step nor
								 * between branches nor between NULL and a
								 * value */
} DpsEnclosure;

/* Has it a finite value all over the box? */
static inline bool
dps_has_values(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL && dps_iv_is_finite(e->value);
}

/*
 * Encloses every instruction over the box; enclosures has ninstructions
 * entries.  A CASE contributes only the branches that can be taken.  A value
 * outside its type's range counts as undefined.
 */
extern void dps_enclose(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures);

/*
 * The innermost instruction that makes output k undefined somewhere on the
 * box, from the result of dps_enclose; -1 if output k is defined.
 */
extern int	dps_culprit(const DpsProgram *program, const DpsEnclosure *enclosures, int k);

/*
 * A bound on |evaluated - exact| for output k over the box (definitions, section 2,
 * eta): by the mean value theorem over every instruction, with the error
 * bounds of num/interval_fn.h.  Infinity where none can be given, for instance
 * where a rounding error could change a branch.
 */
extern DPS_MUST_USE DpsStatus dps_evaluation_error(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, double *error);

#endif							/* DPS_EXPR_PROGRAM_H */

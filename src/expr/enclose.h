/*
 * enclose.h
 *		Between the files of expr/: enclosures under conditions, and jumps.
 */
#ifndef DPS_EXPR_ENCLOSE_H
#define DPS_EXPR_ENCLOSE_H

#include "expr/program.h"

/* The arguments that SQL evaluates somewhere on the box, as a mask: not the
 * branches of a CASE that cannot be taken, nor arguments that COALESCE does
 * not reach.  The arguments' enclosures must be there. */
extern unsigned dps_evaluated_arguments(const DpsInstruction *instruction, const DpsEnclosure *enclosures);

/* Is it the same value, or always NULL, on the whole box? */
static inline bool
dps_enclosure_is_constant(const DpsEnclosure *e)
{
	return e->nullness == DPS_ALWAYS_NULL ||
		(e->nullness == DPS_NEVER_NULL && dps_iv_is_point(e->value));
}

/*
 * As dps_enclose, but a branch of a CASE is enclosed under the condition that it
 * is taken: CASE WHEN x > 0 THEN sqrt(x) ... is defined on [-1, 1], and CASE WHEN
 * x > y THEN x - y ... is not negative, nor is x - z where x > y and y > z.
 * Instructions below the CASE have the enclosures that dps_enclose gives them.
 * Returns how many instructions were enclosed again for branches.
 */
extern uint32_t dps_enclose_guarded(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures);

/*
 * A mask of the variables along which instruction i may jump in the box of the enclosures:
 * it is continuous along all others, if these are fixed.  variables[k] has the variables of
 * instruction k; scratch has room for as many masks.
 */
extern uint64_t dps_jump_variables(const DpsProgram *program, const DpsEnclosure *enclosures, const uint64_t *variables,
								   uint32_t i, uint64_t *scratch);

#define DPS_MAX_CONSTRAINTS 16

/* A bound on an instruction's value where some branch of a CASE is taken. */
typedef struct DpsConstraint
{
	uint32_t	instruction;
	DpsInterval value;
} DpsConstraint;

#define DPS_MAX_ORDERS 8

/* One value is at most another. */
typedef struct DpsOrder
{
	uint32_t	left;
	uint32_t	right;
} DpsOrder;

typedef struct DpsConstraints
{
	int			n;
	int			norders;
	int			depth;			/* CASEs around */
	uint32_t	end;			/* where the innermost one's branch ends */
	uint32_t   *again;			/* count of instructions enclosed for branches, or
								 * NULL */
	DpsConstraint known[DPS_MAX_CONSTRAINTS];
	DpsOrder	order[DPS_MAX_ORDERS];
	int			nnonzero;
	uint32_t	nonzero[DPS_MAX_ORDERS];	/* values that are not 0, or NULL */
} DpsConstraints;

static inline bool
dps_is_nonzero(const DpsConstraints *constraints, uint32_t instruction)
{
	int			k;

	for (k = 0; k < constraints->nnonzero; k++)
		if (constraints->nonzero[k] == instruction)
			return true;
	return false;
}

/* Encloses a product or quotient that has a limit where one of its arguments, which is not 0
 * under the constraints, would be 0 (singular.c); leaves others as they are. */
extern void dps_enclose_limit(const DpsProgram *program, const DpsInstruction *instruction,
							  const DpsEnclosure *enclosures, const DpsConstraints *constraints, DpsEnclosure *e);

/* Adds the constraints under which a CASE takes this argument; false if it
 * never does. */
extern bool dps_constrain_branch(const DpsProgram *program, const DpsEnclosure *enclosures,
								 DpsConstraints *constraints, const DpsInstruction *instruction, int branch);

/* Encloses the instructions before `end` as dps_enclose_guarded does, under the
 * constraints. */
extern void dps_enclose_constrained(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures,
									uint32_t end, const DpsConstraints *constraints);

/*
 * Do the branches of a CASE meet wherever its condition changes as these
 * variables move (boundary.c)?  `continuous` if they differ there by no more
 * than rounding.  `jump` is what these differences add to the error of the
 * evaluator.  errors, by node id, bound the errors of the nodes below; NULL if
 * there are none.  If such an error in a comparison may select a branch that
 * does not meet the other, `jump` is Infinity.
 */
extern DPS_MUST_USE DpsStatus dps_case_jump(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											uint64_t variables, const double *errors,
											bool *continuous, double *jump);

#endif							/* DPS_EXPR_ENCLOSE_H */

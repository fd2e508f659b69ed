/*
 * enclose.h
 *		Between the files of expr/: how an enclosure came about.
 */
#ifndef DPS_EXPR_ENCLOSE_H
#define DPS_EXPR_ENCLOSE_H

#include "expr/program.h"

/* The arguments that SQL evaluates somewhere on the box, as a mask: not the
 * branches of a CASE that cannot be taken, nor what COALESCE does not reach.
 * The arguments' enclosures must be there. */
extern unsigned dps_evaluated_arguments(const DpsInstruction *instruction, const DpsEnclosure *enclosures);

/* Is it one and the same value, or always NULL, all over the box? */
static inline bool
dps_enclosure_is_constant(const DpsEnclosure *e)
{
	return e->nullness == DPS_ALWAYS_NULL ||
		(e->nullness == DPS_NEVER_NULL && dps_iv_is_point(e->value));
}

/*
 * As dps_enclose, but a branch of a CASE is enclosed with what its condition says
 * where it is taken: CASE WHEN x > 0 THEN sqrt(x) ... is defined on [-1, 1], and
 * CASE WHEN x > y THEN x - y ... is not negative, nor is what is between x and z
 * where x > y and y > z.  Instructions below the CASE have the enclosures that
 * dps_enclose gives them.  Returns how many instructions were enclosed again for
 * branches.
 */
extern uint32_t dps_enclose_guarded(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures);

/*
 * The variables, as bits, along which instruction i may jump in the box that the enclosures
 * are of, at most: along any other one it is continuous wherever the rest may be.
 * variables holds, by instruction, those that it depends on; scratch has room for as
 * many masks.
 */
extern uint64_t dps_jump_variables(const DpsProgram *program, const DpsEnclosure *enclosures, const uint64_t *variables,
								   uint32_t i, uint64_t *scratch);

#define DPS_MAX_CONSTRAINTS 16

/* What is known of instructions' values where some branch of a CASE is taken. */
typedef struct DpsConstraint
{
	uint32_t	instruction;
	DpsInterval value;
} DpsConstraint;

#define DPS_MAX_ORDERS 8

/* That one value is at most another. */
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
	uint32_t   *again;			/* counts instructions enclosed for branches, or NULL */
	DpsConstraint known[DPS_MAX_CONSTRAINTS];
	DpsOrder	order[DPS_MAX_ORDERS];
} DpsConstraints;

/* Adds what the condition of a CASE says where this argument of it is taken;
 * false if that is nowhere. */
extern bool dps_constrain_branch(const DpsProgram *program, const DpsEnclosure *enclosures,
								 DpsConstraints *constraints, const DpsInstruction *instruction, int branch);

/* Encloses the instructions before `end` as dps_enclose_guarded does, where the
 * constraints hold. */
extern void dps_enclose_constrained(const DpsProgram *program, const DpsDomain *box, DpsEnclosure *enclosures,
									uint32_t end, const DpsConstraints *constraints);

/*
 * Do the branches of a CASE meet wherever its condition changes as these
 * variables move (boundary.c)?  `continuous` if they differ by no more than
 * rounding there.  `jump` is what the places where they do add to the error of
 * the evaluator.  errors, by node id, bound the errors of the nodes below; NULL
 * if there are none.  Where a comparison with such errors may take a branch
 * that does not meet the other, `jump` is Infinity.
 */
extern DPS_MUST_USE DpsStatus dps_case_jump(DpsGraph *graph, const DpsNode *node, const DpsDomain *box,
											uint64_t variables, const double *errors,
											bool *continuous, double *jump);

#endif							/* DPS_EXPR_ENCLOSE_H */

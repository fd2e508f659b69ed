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

#endif							/* DPS_EXPR_ENCLOSE_H */

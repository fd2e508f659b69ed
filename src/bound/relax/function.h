/*
 * function.h
 *		Operations as functions of one argument: those of arity 1, powers with a
 *		fixed exponent, and 1 / x.
 *
 * Their values, derivatives and curvature are cells of expr/ops.def.
 */
#ifndef DPS_BOUND_RELAX_FUNCTION_H
#define DPS_BOUND_RELAX_FUNCTION_H

#include "expr/ops.h"

typedef struct DpsFunction
{
	DpsOpcode	op;
	DpsInterval fixed;			/* the exponent of a power, the numerator of 1 / x */
} DpsFunction;

static inline DpsFunction
dps_function(DpsOpcode op)
{
	return (DpsFunction) {op, dps_iv(1, 1)};
}

static inline DpsFunction
dps_power_function(DpsInterval exponent)
{
	return (DpsFunction) {DPS_OP_POW, exponent};
}

/* 1 / x; all other operations of two arguments are functions of the first. */
static inline DpsFunction
dps_inverse_function(void)
{
	return dps_function(DPS_OP_DIV);
}

static inline bool
dps_is_inverse(const DpsFunction *function)
{
	return function->op == DPS_OP_DIV;
}

static inline DpsInterval
dps_function_value(const DpsFunction *function, DpsInterval x)
{
	bool		inverse = dps_is_inverse(function);

	return dps_ops[function->op].enclosure(inverse ? function->fixed : x, inverse ? x : function->fixed,
										   DPS_NEVER_NULL, DPS_NEVER_NULL);
}

/* The derivative over x, where f encloses the values; unbounded where there is
 * none. */
static inline DpsInterval
dps_function_slope(const DpsFunction *function, DpsInterval x, DpsInterval f)
{
	const DpsOp *op = &dps_ops[function->op];

	if (!op->smooth)
		return DPS_ENTIRE;
	return dps_is_inverse(function) ? op->slope[1] (function->fixed, x, f) : op->slope[0] (x, function->fixed, f);
}

/* 1 if convex over x, -1 if concave, 0 if neither or unknown; f encloses the
 * values. */
static inline int
dps_function_bend(const DpsFunction *function, DpsInterval x, DpsInterval f)
{
	const DpsOp *op = &dps_ops[function->op];
	bool		inverse = dps_is_inverse(function);
	DpsInterval curvature;

	if (!op->smooth)
		return 0;
	curvature = op->curvature(inverse ? function->fixed : x, inverse ? x : function->fixed, f);
	return curvature.lo >= 0 ? 1 : curvature.hi <= 0 ? -1 : 0;
}

/* The third derivative over x; unbounded where there is none. */
static inline DpsInterval
dps_function_third(const DpsFunction *function, DpsInterval x)
{
	const DpsOp *op = &dps_ops[function->op];

	if (!op->smooth)
		return DPS_ENTIRE;
	return dps_is_inverse(function) ? op->third(function->fixed, x) : op->third(x, function->fixed);
}

#endif							/* DPS_BOUND_RELAX_FUNCTION_H */

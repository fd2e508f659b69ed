/*
 * functions.h
 *		Operations on tensors as functions of arrays, by the names that they have
 *		in SQL.
 */
#ifndef DPS_TENSOR_FUNCTIONS_H
#define DPS_TENSOR_FUNCTIONS_H

#include "tensor/tensor.h"

#define DPS_MAX_FUNCTION_ARRAYS 2
#define DPS_MAX_FUNCTION_NUMBERS 4

typedef struct DpsTensorFunction
{
	const char *name;
	int			narrays;		/* arguments; the numbers follow */
	/* NULL if the arguments do not fit, or memory ran out; n numbers. */
	const DpsTensor *(*build) (DpsTensorGraph *g, const DpsTensor *x, const DpsTensor *y, const double *number, int n);
	/* As row expressions, may its result be a number where an element is NULL? */
	bool		hides_null;
} DpsTensorFunction;

/* NULL if there is none of the name. */
extern const DpsTensorFunction *dps_find_tensor_function(const char *name);

#endif							/* DPS_TENSOR_FUNCTIONS_H */

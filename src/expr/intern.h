/*
 * intern.h
 *		Between the files of expr/: nodes as they are, without simplification.
 */
#ifndef DPS_EXPR_INTERN_H
#define DPS_EXPR_INTERN_H

#include <math.h>

#include "expr/expr.h"
#include "num/dyadic.h"

/*
 * A number in simplifications: a double, or a dyadic number that no double
 * equals.  Not finite if it is neither, since simplification does not round.
 */
typedef struct DpsNumber
{
	double		value;			/* the nearest double, and the sign */
	const DpsDyadic *exact;		/* the magnitude; NULL if value is exact */
} DpsNumber;

/* The value of a constant that no double equals: num / den, den > 0. */
struct DpsFraction
{
	DpsNumber	num;
	DpsNumber	den;
};

static inline DpsNumber
dps_number(double value)
{
	return (DpsNumber) {value, NULL};
}

static inline DpsNumber
dps_negated(DpsNumber x)
{
	return (DpsNumber) {-x.value, x.exact};
}

static inline bool
dps_number_is(DpsNumber x, double value)
{
	return x.exact == NULL && x.value == value;
}

static inline bool
dps_number_is_integer(DpsNumber x)
{
	return x.exact == NULL && x.value == rint(x.value);
}

static inline bool
dps_number_is_even(DpsNumber x)
{
	return x.exact == NULL && fmod(x.value, 2) == 0;
}

/* Exact; not finite where no number can hold the result. */
extern DpsNumber dps_number_sum(DpsGraph *graph, DpsNumber x, DpsNumber y);
extern DpsNumber dps_number_product(DpsGraph *graph, DpsNumber x, DpsNumber y);

/* n is a natural number. */
extern DpsNumber dps_number_power(DpsGraph *graph, DpsNumber x, double n);

/* The greatest common divisor of doubles that are integers. */
extern double dps_common_divisor(double a, double b);

/* A total order; of equal values by their nearest doubles. */
extern int	dps_compare_numbers(DpsNumber x, DpsNumber y);

/* The constant as num / den. */
extern void dps_constant_ratio(const DpsNode *constant, DpsNumber *num, DpsNumber *den);

/* num / den: a constant or, if no constant can hold it, a quotient of two. */
extern const DpsNode *dps_ratio_node(DpsGraph *graph, DpsType type, DpsNumber num, DpsNumber den);
extern const DpsNode *dps_number_node(DpsGraph *graph, DpsType type, DpsNumber number);

/* The constant of this value, NULL (a NaN) included, or of this fraction, whose
 * digits are in the graph's arena. */
extern const DpsNode *dps_intern_constant(DpsGraph *graph, DpsType type, double value, DpsInterval range,
										  const DpsFraction *exact);

/* The node of this operation, made if it is new; NULL arguments beyond nargs.
 * Commuting operations are found in either order. */
extern const DpsNode *dps_intern(DpsGraph *graph, DpsOpcode op, DpsType type, int nargs,
								 const DpsNode *x, const DpsNode *y, const DpsNode *z);

/*
 * A total order of nodes by structure: the same in every graph with the same
 * variables, whatever the order of construction.
 */
extern int	dps_compare_nodes(const DpsNode *a, const DpsNode *b);

/* May the laws of real numbers be used for the node?  Not for integers and
 * float4: their overflow is part of their meaning. */
static inline bool
dps_is_real(DpsType type)
{
	return type == DPS_FLOAT8 || type == DPS_NUMERIC;
}

/* Products, quotients and constant powers in normal form (monomial.c); op is
 * MUL, DIV, NEG, SQR or POW with a constant exponent. */
extern const DpsNode *dps_monomial(DpsGraph *graph, DpsOpcode op, DpsType type,
								   const DpsNode *x, const DpsNode *y);

/* Sums and differences with like terms collected (polynomial.c). */
extern const DpsNode *dps_polynomial(DpsGraph *graph, DpsOpcode op, DpsType type,
									 const DpsNode *x, const DpsNode *y);

/* The branch of a CASE with this condition that is taken if it is true, or else if it is not, where quotients
 * that have a limit as they are divided by 0 do not lose their digits before (removable.c). */
extern const DpsNode *dps_without_cancellation(DpsGraph *graph, const DpsNode *condition, bool truth, const DpsNode *branch);

/* Such a quotient in a form that has the limit where the divisor is 0, if the condition keeps it from that;
 * else NULL (filled.c). */
extern const DpsNode *dps_fill_quotient(DpsGraph *graph, const DpsNode *condition, bool truth, const DpsNode *numerator,
										const DpsNode *divisor);

/* The branch that is the value of the CASE whatever the condition is, or NULL. */
extern const DpsNode *dps_fill_case(DpsGraph *graph, const DpsNode *condition, const DpsNode *yes, const DpsNode *no);

/* node = (num / den) * monic, without making nodes except monic. */
extern const DpsNode *dps_split_coefficient(DpsGraph *graph, const DpsNode *node,
											DpsNumber *num, DpsNumber *den);

/* (num / den) * monic; the inverse of dps_split_coefficient. */
extern const DpsNode *dps_join_coefficient(DpsGraph *graph, DpsNumber num, DpsNumber den,
										   const DpsNode *monic);

/* Writes num/den in lowest terms where that is exact, den > 0. */
extern void dps_reduce_ratio(DpsGraph *graph, DpsNumber *num, DpsNumber *den);

#endif							/* DPS_EXPR_INTERN_H */

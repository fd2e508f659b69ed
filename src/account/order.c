/*
 * order.c
 *		The search for a good Renyi order.
 */
#include <math.h>

#include "account/order.h"

/* The orders searched are 1 + exp(u): alpha - 1 is then exact in doubles. */
#define ORDER_U_MIN (-27.0)
#define ORDER_U_MAX 34.0
#define ORDER_U_STEP 0.5
#define ORDER_U_STEPS 122
#define GOLDEN 0.6180339887498949
#define GOLDEN_STEPS 60

double
dps_order_conversion(double beta, double log_delta)
{
	return -log1p(1.0 / beta) - (log_delta + log1p(beta)) / beta;
}

/* The best of a grid in u, then golden section around it. */
double
dps_order_best(DpsOrderObjective objective, const void *context)
{
	double		best_u = 0.0;
	double		best = INFINITY;
	double		lo;
	double		hi;
	double		left;
	double		right;
	double		at_left;
	double		at_right;

	for (int i = 0; i <= ORDER_U_STEPS; i++)
	{
		double		u = ORDER_U_MIN + i * ORDER_U_STEP;
		double		value = objective(exp(u), context);

		if (value < best)
		{
			best = value;
			best_u = u;
		}
	}
	lo = fmax(best_u - ORDER_U_STEP, ORDER_U_MIN);
	hi = fmin(best_u + ORDER_U_STEP, ORDER_U_MAX);
	left = hi - GOLDEN * (hi - lo);
	right = lo + GOLDEN * (hi - lo);
	at_left = objective(exp(left), context);
	at_right = objective(exp(right), context);
	for (int i = 0; i < GOLDEN_STEPS; i++)
	{
		if (at_left < at_right)
		{
			hi = right;
			right = left;
			at_right = at_left;
			left = hi - GOLDEN * (hi - lo);
			at_left = objective(exp(left), context);
		}
		else
		{
			lo = left;
			left = right;
			at_left = at_right;
			right = lo + GOLDEN * (hi - lo);
			at_right = objective(exp(right), context);
		}
	}
	return exp(0.5 * (lo + hi));
}

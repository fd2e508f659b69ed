/*
 * precise.h
 *		Values of expressions, exact as fractions or with very many digits.
 *
 * Nothing of src/expr but the nodes themselves is used: what the tests compare
 * with comes from GMP and MPFR.  Without these there is nothing here.
 */
#ifndef DPS_TEST_PRECISE_H
#define DPS_TEST_PRECISE_H

#ifdef HAVE_MPFR

#include <gmp.h>
#include <mpfr.h>
#include <stdlib.h>

#include "expr/intern.h"

/*
 * Exact fractions
 */

/* Values of nodes by id, made once each. */
typedef struct PreciseFractions
{
	const mpq_t *x;				/* of the variables */
	uint32_t	limit;			/* ids are below this */
	mpq_t	   *value;
	char	   *state;			/* 0 not made yet, 1 a value, 2 undefined, 3 no
								 * fraction */
} PreciseFractions;

static inline void
precise_fractions_init(PreciseFractions *f, const DpsGraph *graph, const mpq_t *x)
{
	f->x = x;
	f->limit = graph->nnodes;
	f->value = calloc(f->limit, sizeof(mpq_t));
	f->state = calloc(f->limit, 1);
	if (f->value == NULL || f->state == NULL)
		abort();
}

static inline void
precise_fractions_clear(PreciseFractions *f)
{
	uint32_t	i;

	for (i = 0; i < f->limit; i++)
		if (f->state[i] != 0)
			mpq_clear(f->value[i]);
	free(f->value);
	free(f->state);
}

static inline void
precise_number(mpq_t result, DpsNumber number)
{
	int			i;

	if (number.exact == NULL)
	{
		mpq_set_d(result, number.value);
		return;
	}
	mpz_import(mpq_numref(result), number.exact->n, -1, sizeof(uint64_t), 0, 0, number.exact->limb);
	mpz_set_ui(mpq_denref(result), 1);
	i = number.exact->exponent;
	if (i > 0)
		mpq_mul_2exp(result, result, i);
	else
		mpq_div_2exp(result, result, -i);
	if (signbit(number.value))
		mpq_neg(result, result);
}

static inline void
precise_constant(mpq_t result, const DpsNode *node)
{
	mpq_t		den;

	if (node->exact == NULL)
	{
		mpq_set_d(result, node->value);
		return;
	}
	mpq_init(den);
	precise_number(result, node->exact->num);
	precise_number(den, node->exact->den);
	mpq_div(result, result, den);
	mpq_clear(den);
}

static inline char precise_fraction(PreciseFractions *f, const DpsNode *node);

/* x ^ n for an integer n; undefined for 0 to a power below 0 */
static inline char
precise_power(mpq_t result, const mpq_t x, long n)
{
	unsigned long m = n < 0 ? -(unsigned long) n : (unsigned long) n;

	if (n < 0 && mpq_sgn(x) == 0)
		return 2;
	mpz_pow_ui(mpq_numref(result), mpq_numref(x), m);
	mpz_pow_ui(mpq_denref(result), mpq_denref(x), m);
	if (n < 0)
		mpq_inv(result, result);
	return 1;
}

static inline char
precise_operation(PreciseFractions *f, const DpsNode *node, mpq_t result)
{
	char		x_state = precise_fraction(f, node->arg[0]);
	char		y_state = node->nargs > 1 ? precise_fraction(f, node->arg[1]) : 1;
	mpq_t	   *x = &f->value[node->arg[0]->id];
	mpq_t	   *y = node->nargs > 1 ? &f->value[node->arg[1]->id] : x;

	if (x_state != 1 || y_state != 1)
		return x_state == 3 || y_state == 3 ? 3 : 2;
	switch (node->op)
	{
		case DPS_OP_ADD:
			mpq_add(result, *x, *y);
			return 1;
		case DPS_OP_SUB:
			mpq_sub(result, *x, *y);
			return 1;
		case DPS_OP_MUL:
			mpq_mul(result, *x, *y);
			return 1;
		case DPS_OP_SQR:
			mpq_mul(result, *x, *x);
			return 1;
		case DPS_OP_DIV:
			if (mpq_sgn(*y) == 0)
				return 2;
			mpq_div(result, *x, *y);
			return 1;
		case DPS_OP_NEG:
			mpq_neg(result, *x);
			return 1;
		case DPS_OP_ABS:
			mpq_abs(result, *x);
			return 1;
		case DPS_OP_SIGN:
			mpq_set_si(result, mpq_sgn(*x), 1);
			return 1;
		case DPS_OP_CAST:
			mpq_set(result, *x);
			return 1;
		case DPS_OP_POW:
			if (mpz_cmp_ui(mpq_denref(*y), 1) != 0 || mpz_cmpabs_ui(mpq_numref(*y), 64) > 0)
				return 3;
			return precise_power(result, *x, mpz_get_si(mpq_numref(*y)));
		default:
			return 3;
	}
}

/* As PreciseFractions.state; the value is f->value[node->id]. */
static inline char
precise_fraction(PreciseFractions *f, const DpsNode *node)
{
	mpq_t	   *result = &f->value[node->id];

	if (f->state[node->id] != 0)
		return f->state[node->id];
	mpq_init(*result);
	if (node->op == DPS_OP_VAR)
	{
		mpq_set(*result, f->x[node->variable]);
		f->state[node->id] = 1;
	}
	else if (node->op == DPS_OP_CONST)
	{
		f->state[node->id] = isfinite(node->value) ? 1 : 3;
		if (isfinite(node->value))
			precise_constant(*result, node);
	}
	else if (node->op == DPS_OP_CASE)
		f->state[node->id] = 3;
	else
		f->state[node->id] = precise_operation(f, node, *result);
	return f->state[node->id];
}

/*
 * Many digits
 */

#define PRECISE_BITS 1500

/* Sets what is no value, or infinite, to NaN. */
static inline void
precise_settle(mpfr_t result)
{
	if (!mpfr_number_p(result))
		mpfr_set_nan(result);
}

static inline void precise_value(mpfr_t result, const DpsNode *node, const mpfr_t *x);

static inline void
precise_case(mpfr_t result, const DpsNode *node, const mpfr_t *x)
{
	precise_value(result, node->arg[0], x);
	precise_value(result, mpfr_zero_p(result) ? node->arg[2] : node->arg[1], x);
}

static inline void
precise_apply(mpfr_t result, DpsOpcode op, const mpfr_t x, const mpfr_t y)
{
	switch (op)
	{
		case DPS_OP_ADD:
			mpfr_add(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_SUB:
			mpfr_sub(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_MUL:
			mpfr_mul(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_DIV:
			mpfr_div(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_NEG:
			mpfr_neg(result, x, MPFR_RNDN);
			break;
		case DPS_OP_ABS:
			mpfr_abs(result, x, MPFR_RNDN);
			break;
		case DPS_OP_SIGN:
			mpfr_set_si(result, mpfr_sgn(x), MPFR_RNDN);
			break;
		case DPS_OP_SQR:
			mpfr_sqr(result, x, MPFR_RNDN);
			break;
		case DPS_OP_SQRT:
			mpfr_sqrt(result, x, MPFR_RNDN);
			break;
		case DPS_OP_POW:
			mpfr_pow(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_EXP:
			mpfr_exp(result, x, MPFR_RNDN);
			break;
		case DPS_OP_LN:
			mpfr_log(result, x, MPFR_RNDN);
			break;
		case DPS_OP_SIN:
			mpfr_sin(result, x, MPFR_RNDN);
			break;
		case DPS_OP_COS:
			mpfr_cos(result, x, MPFR_RNDN);
			break;
		case DPS_OP_ATAN:
			mpfr_atan(result, x, MPFR_RNDN);
			break;
		case DPS_OP_ASIN:
			mpfr_asin(result, x, MPFR_RNDN);
			break;
		case DPS_OP_TANH:
			mpfr_tanh(result, x, MPFR_RNDN);
			break;
		case DPS_OP_FLOOR:
			mpfr_floor(result, x);
			break;
		case DPS_OP_GREATEST:
			mpfr_max(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_LEAST:
			mpfr_min(result, x, y, MPFR_RNDN);
			break;
		case DPS_OP_LT:
			mpfr_set_si(result, mpfr_less_p(x, y), MPFR_RNDN);
			break;
		case DPS_OP_LE:
			mpfr_set_si(result, mpfr_lessequal_p(x, y), MPFR_RNDN);
			break;
		case DPS_OP_CAST:
			mpfr_set(result, x, MPFR_RNDN);
			break;
		default:
			abort();
	}
}

/* NaN where the expression is not defined. */
static inline void
precise_value(mpfr_t result, const DpsNode *node, const mpfr_t *x)
{
	mpfr_t		arg[2];
	int			i;

	if (node->op == DPS_OP_VAR)
		mpfr_set(result, x[node->variable], MPFR_RNDN);
	else if (node->op == DPS_OP_CONST)
	{
		mpq_t		exact;

		mpq_init(exact);
		if (isfinite(node->value))
			precise_constant(exact, node);
		mpfr_set_q(result, exact, MPFR_RNDN);
		if (!isfinite(node->value))
			mpfr_set_nan(result);
		mpq_clear(exact);
	}
	else if (node->op == DPS_OP_CASE)
		precise_case(result, node, x);
	else
	{
		bool		valued = true;

		mpfr_inits2(PRECISE_BITS, arg[0], arg[1], (mpfr_ptr) 0);
		for (i = 0; i < node->nargs; i++)
		{
			precise_value(arg[i], node->arg[i], x);
			valued = valued && mpfr_number_p(arg[i]);
		}
		if (valued)
			precise_apply(result, node->op, arg[0], arg[1]);
		else
			mpfr_set_nan(result);
		mpfr_clears(arg[0], arg[1], (mpfr_ptr) 0);
	}
	precise_settle(result);
}

#endif							/* HAVE_MPFR */

#endif							/* DPS_TEST_PRECISE_H */

/*
 * number.c
 *		Coefficients and exponents: doubles, and dyadic numbers that no double
 *		equals.
 *
 * Every double is m * 2^e, so sums and products of doubles are, too, and
 * quotients are fractions of two such numbers.  A number that equals a double
 * is kept as a double.  Operations on doubles are tried first; Knuth's TwoSum
 * and FMA tell whether they are exact.
 */
#include <inttypes.h>

#include "expr/intern.h"
#include "num/whole.h"

/* The error of a smaller product may underflow. */
#define LEAST_PRODUCT 1e-280

/* Greater powers have too many digits, except powers of 2. */
#define MOST_DIGITS (64 * DPS_DYADIC_LIMBS)

static const DpsNumber none = {INFINITY, NULL};

static void
set(DpsDyadic *result, DpsNumber x)
{
	if (x.exact != NULL)
		*result = *x.exact;
	else
		dps_dyadic_set(result, x.value);
}

/* The number of this magnitude, with the sign of `sign`. */
static DpsNumber
make(DpsGraph *graph, const DpsDyadic *magnitude, double sign)
{
	DpsNumber	result = {0, NULL};
	DpsInterval around;
	DpsDyadic  *copy;

	if (!dps_dyadic_round(magnitude, &result.value, &around))
		return none;
	result.value = copysign(result.value, sign);
	if (dps_iv_is_point(around))
		return result;
	copy = dps_arena_alloc(graph->arena, sizeof(DpsDyadic));
	if (copy == NULL)
		return none;
	*copy = *magnitude;
	result.exact = copy;
	return result;
}

DpsNumber
dps_number_sum(DpsGraph *graph, DpsNumber x, DpsNumber y)
{
	double		sum = x.value + y.value;
	double		rest = sum - x.value;
	DpsDyadic	a;
	DpsDyadic	b;
	bool		x_is_less;

	if (!isfinite(sum))
		return dps_number(sum);
	if (x.exact == NULL && y.exact == NULL && (x.value - (sum - rest)) + (y.value - rest) == 0)
		return dps_number(sum);
	if (dps_number_is(x, 0) || dps_number_is(y, 0))
		return dps_number_is(x, 0) ? y : x;
	set(&a, x);
	set(&b, y);
	if (signbit(x.value) == signbit(y.value))
		return dps_dyadic_add(&a, &a, &b) ? make(graph, &a, x.value) : none;
	if (dps_dyadic_compare(&a, &b) == 0)
		return dps_number(0);
	x_is_less = dps_dyadic_compare(&a, &b) < 0;
	return dps_dyadic_subtract(&a, &a, &b) ? make(graph, &a, x_is_less ? y.value : x.value) : none;
}

DpsNumber
dps_number_product(DpsGraph *graph, DpsNumber x, DpsNumber y)
{
	double		product = x.value * y.value;
	DpsDyadic	a;
	DpsDyadic	b;

	if (!isfinite(product) || dps_number_is(x, 0) || dps_number_is(y, 0))
		return dps_number(product);
	if (dps_number_is(x, 1) || dps_number_is(y, 1))
		return dps_number_is(x, 1) ? y : x;
	if (x.exact == NULL && y.exact == NULL && fabs(product) > LEAST_PRODUCT && fma(x.value, y.value, -product) == 0)
		return dps_number(product);
	set(&a, x);
	set(&b, y);
	return dps_dyadic_multiply(&a, &a, &b) ? make(graph, &a, product) : none;
}

DpsNumber
dps_number_power(DpsGraph *graph, DpsNumber x, double n)
{
	DpsNumber	result = dps_number(1);
	int			left;

	if (n == 1)
		return x;
	if (x.exact == NULL && fabs(x.value) == 1)
		return fmod(n, 2) == 1 ? x : result;
	/* x is not a power of 2, whose powers are doubles as long as they are
	 * normal */
	if (!(n <= MOST_DIGITS))
		return none;
	for (left = dps_to_int32(n); left > 0; left /= 2)
	{
		if (left % 2 == 1)
			result = dps_number_product(graph, result, x);
		if (left > 1)
			x = dps_number_product(graph, x, x);
		if (!isfinite(x.value))
			return none;
	}
	return result;
}

int
dps_compare_numbers(DpsNumber x, DpsNumber y)
{
	if (x.value != y.value)
		return x.value < y.value ? -1 : 1;
	if (x.exact == NULL || y.exact == NULL)
		return (x.exact != NULL) - (y.exact != NULL);
	return dps_dyadic_compare(x.exact, y.exact);
}

double
dps_common_divisor(double a, double b)
{
	while (b != 0)
	{
		double		r = fmod(a, b);

		a = b;
		b = r;
	}
	return a;
}

/* Of doubles. */
static void
reduce_doubles(double *num, double *den)
{
	double		quotient = *num / *den;

	if (isfinite(quotient) && fma(quotient, *den, -*num) == 0 && fabs(*num) > LEAST_PRODUCT)
	{
		*num = quotient;
		*den = 1;
	}
	else if (*num == rint(*num) && *den == rint(*den) && fabs(*num) < 0x1p53 && *den < 0x1p53)
	{
		double		divisor = dps_common_divisor(fabs(*num), *den);

		*num /= divisor;
		*den /= divisor;
	}
}

void
dps_reduce_ratio(DpsGraph *graph, DpsNumber *num, DpsNumber *den)
{
	DpsNumber	reduced[2];
	DpsDyadic	a;
	DpsDyadic	b;

	if (den->value < 0)
	{
		*num = dps_negated(*num);
		*den = dps_negated(*den);
	}
	if (dps_number_is(*den, 1) || !isfinite(num->value) || !isfinite(den->value))
		return;
	if (num->exact == NULL && den->exact == NULL)
		reduce_doubles(&num->value, &den->value);
	else if (num->value != 0 && den->value != 0)
	{
		set(&a, *num);
		set(&b, *den);
		dps_dyadic_reduce(&a, &b);
		reduced[0] = make(graph, &a, num->value);
		reduced[1] = make(graph, &b, 1);
		if (!isfinite(reduced[0].value) || !isfinite(reduced[1].value))
			return;
		*num = reduced[0];
		*den = reduced[1];
	}
}

static DpsInterval
range_of(DpsNumber x)
{
	DpsInterval around = dps_iv(fabs(x.value), fabs(x.value));
	double		nearest;

	if (x.exact != NULL)
		(void) dps_dyadic_round(x.exact, &nearest, &around);
	return x.value < 0 ? dps_iv_neg(around) : around;
}

void
dps_constant_ratio(const DpsNode *constant, DpsNumber *num, DpsNumber *den)
{
	*num = constant->exact != NULL ? constant->exact->num : dps_number(constant->value);
	*den = constant->exact != NULL ? constant->exact->den : dps_number(1);
}

const DpsNode *
dps_ratio_node(DpsGraph *graph, DpsType type, DpsNumber num, DpsNumber den)
{
	DpsFraction fraction;
	DpsInterval range;
	double		value;

	dps_reduce_ratio(graph, &num, &den);
	value = num.value / den.value;
	if (num.value == 0 || (dps_number_is(den, 1) && num.exact == NULL))
		return dps_constant(graph, type, value);
	fraction = (DpsFraction) {num, den};
	range = dps_iv_div(range_of(num), range_of(den));
	if (isnormal(value) && isnormal(range.lo) && isnormal(range.hi))
		return dps_intern_constant(graph, type, value, range, &fraction);
	return dps_intern(graph, DPS_OP_DIV, type, 2, dps_number_node(graph, type, num),
					  dps_number_node(graph, type, den), NULL);
}

const DpsNode *
dps_number_node(DpsGraph *graph, DpsType type, DpsNumber number)
{
	return number.exact == NULL ? dps_constant(graph, type, number.value) :
		dps_ratio_node(graph, type, number, dps_number(1));
}

static void
text_number(DpsText *text, DpsNumber number)
{
	int			i;

	dps_text_printf(text, " %a", number.value);
	for (i = 0; number.exact != NULL && i < number.exact->n; i++)
		dps_text_printf(text, "%c%" PRIx64, i == 0 ? '=' : '.', number.exact->limb[i]);
}

void
dps_text_constant(DpsText *text, const DpsNode *constant)
{
	DpsNumber	num;
	DpsNumber	den;
	int			i;

	dps_text_printf(text, "(%d %d", constant->op, constant->type);
	if (constant->op == DPS_OP_CONST)
	{
		dps_constant_ratio(constant, &num, &den);
		text_number(text, num);
		text_number(text, den);
	}
	for (i = 0; i < constant->nargs; i++)
		dps_text_constant(text, constant->arg[i]);
	dps_text_append(text, ")");
}

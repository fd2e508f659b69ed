/*
 * parabola.c
 *		Parabolas close to functions of one argument.
 *
 * The parabola P through f at x_i = m and m +- R sqrt(3)/2, the zeros of T3, is
 * off by
 *
 *		|f - P| <= max |f'''| / 6 * max |prod (x - x_i)| = max |f'''| R^3 / 24
 *
 * on [m - R, m + R].  The x_i are rounded, by less than 1e-6 R for ranges that
 * are not too narrow, which raises the product by less than a thousandth.  What
 * is computed is not P but some parabola close to it; the two differ by no more
 * than 2 times (5/3 is the Lebesgue constant of these points) what the latter
 * differs from f at the x_i.
 */
#include <math.h>

#include "bound/relax/parabola.h"

#define ZERO_OF_T3 0.8660254037844386

/* Of the arguments' magnitude: less is not curved. */
#define NARROWEST 1e-9

static DpsInterval
point(double x)
{
	return dps_iv(x, x);
}

static bool
is_finite(DpsInterval x)
{
	return !dps_iv_is_empty(x) && x.lo > -INFINITY && x.hi < INFINITY;
}

static DpsInterval
value_at(DpsOpcode op, DpsInterval exponent, double x)
{
	if (op == DPS_OP_DIV)
		return dps_iv_div(point(1), point(x));
	return dps_ops[op].enclosure(point(x), exponent, DPS_NEVER_NULL, DPS_NEVER_NULL);
}

/*
 * Third derivatives
 */

static DpsInterval
monomial(double factor, DpsInterval x, double power)
{
	return dps_iv_mul(point(factor), dps_iv_pow(x, point(power)));
}

/* (1 - y^2)(6 y^2 - 2) for y = tanh x */
static DpsInterval
third_of_tanh(DpsInterval x)
{
	DpsInterval square = dps_iv_sqr(dps_iv_tanh(x));

	return dps_iv_mul(dps_iv_sub(point(1), square), dps_iv_sub(dps_iv_mul(point(6), square), point(2)));
}

/* (6 x^2 - 2) / (1 + x^2)^3 */
static DpsInterval
third_of_atan(DpsInterval x)
{
	DpsInterval square = dps_iv_sqr(x);

	return dps_iv_div(dps_iv_sub(dps_iv_mul(point(6), square), point(2)),
					  dps_iv_pow(dps_iv_add(point(1), square), point(3)));
}

/* (1 + 2 x^2) / (1 - x^2)^(5/2) */
static DpsInterval
third_of_asin(DpsInterval x)
{
	DpsInterval square = dps_iv_sqr(x);

	return dps_iv_div(dps_iv_add(point(1), dps_iv_mul(point(2), square)),
					  dps_iv_pow(dps_iv_sub(point(1), square), point(2.5)));
}

/* p (p - 1)(p - 2) x^(p - 3) */
static DpsInterval
third_of_power(DpsInterval p, DpsInterval x)
{
	DpsInterval factor = dps_iv_mul(dps_iv_sub(p, point(1)), dps_iv_sub(p, point(2)));

	factor = dps_iv_mul(p, factor);
	if (dps_iv_is_point(factor) && factor.lo == 0)
		return factor;
	return dps_iv_mul(factor, dps_iv_pow(x, dps_iv_sub(p, point(3))));
}

/* Is the operation differentiable three times all over the range? */
static bool
is_differentiable(DpsOpcode op, DpsInterval exponent, DpsInterval x)
{
	switch (op)
	{
		case DPS_OP_LN:
		case DPS_OP_SQRT:
			return x.lo > 0;
		case DPS_OP_DIV:
			return x.lo > 0 || x.hi < 0;
		case DPS_OP_POW:
			return x.lo > 0 || (dps_iv_is_point(exponent) && exponent.lo >= 3 && exponent.lo == rint(exponent.lo));
		case DPS_OP_ASIN:
			return x.lo > -1 && x.hi < 1;
		default:
			return true;
	}
}

/* Empty for operations that are not here. */
static DpsInterval
third_derivative(DpsOpcode op, DpsInterval exponent, DpsInterval x)
{
	switch (op)
	{
		case DPS_OP_EXP:
			return dps_iv_exp(x);
		case DPS_OP_LN:
			return monomial(2, x, -3);
		case DPS_OP_SQRT:
			return monomial(0.375, x, -2.5);
		case DPS_OP_DIV:
			return monomial(-6, x, -4);
		case DPS_OP_POW:
			return third_of_power(exponent, x);
		case DPS_OP_SIN:
			return dps_iv_neg(dps_iv_cos(x));
		case DPS_OP_COS:
			return dps_iv_sin(x);
		case DPS_OP_SINH:
			return dps_iv_cosh(x);
		case DPS_OP_COSH:
			return dps_iv_sinh(x);
		case DPS_OP_TANH:
			return third_of_tanh(x);
		case DPS_OP_ATAN:
			return third_of_atan(x);
		case DPS_OP_ASIN:
			return third_of_asin(x);
		default:
			return DPS_EMPTY;
	}
}

/*
 * Fitting
 */

static DpsInterval
parabola_at(const DpsParabola *p, double x)
{
	DpsInterval t = dps_iv_sub(point(x), point(p->middle));
	DpsInterval sum = dps_iv_mul(point(p->coefficient[2]), t);

	sum = dps_iv_mul(dps_iv_add(sum, point(p->coefficient[1])), t);
	return dps_iv_add(sum, point(p->coefficient[0]));
}

/* Puts it close to the values at the three points; by how far it misses the
 * worst of them, Infinity if they are not known. */
static double
pass_through(DpsParabola *p, DpsOpcode op, DpsInterval exponent, const double *at)
{
	DpsInterval f[3];
	double		value[3];
	double		by = at[2] / 2 - at[1] / 2;
	double		miss = 0;
	int			i;

	for (i = 0; i < 3; i++)
	{
		f[i] = value_at(op, exponent, at[i]);
		if (!is_finite(f[i]))
			return INFINITY;
		value[i] = f[i].lo / 2 + f[i].hi / 2;
	}
	p->coefficient[0] = value[0];
	p->coefficient[1] = (value[2] - value[1]) / (2 * by);
	p->coefficient[2] = ((value[2] - value[0]) + (value[1] - value[0])) / (2 * by * by);
	for (i = 0; i < 3; i++)
	{
		DpsInterval d = dps_iv_sub(f[i], parabola_at(p, at[i]));

		if (!isfinite(p->coefficient[i]) || !is_finite(d))
			return INFINITY;
		miss = fmax(miss, fmax(fabs(d.lo), fabs(d.hi)));
	}
	return miss;
}

bool
dps_parabola(DpsOpcode op, DpsInterval exponent, DpsInterval range, DpsParabola *parabola)
{
	double		middle = range.lo / 2 + range.hi / 2;
	double		radius = fmax(dps_sub_up(range.hi, middle), dps_sub_up(middle, range.lo));
	double		at[3] = {middle, middle - radius * ZERO_OF_T3, middle + radius * ZERO_OF_T3};
	DpsInterval third;
	double		cube;

	if (!(radius > NARROWEST * fmax(fabs(range.lo), fabs(range.hi))) || !isfinite(radius) ||
		!is_differentiable(op, exponent, range))
		return false;
	third = third_derivative(op, exponent, range);
	if (!is_finite(third))
		return false;
	parabola->middle = middle;
	cube = dps_mul_up(radius, dps_mul_up(radius, radius));
	cube = dps_mul_up(cube, fmax(fabs(third.lo), fabs(third.hi)));
	parabola->off = dps_add_up(dps_mul_up(cube, 1.001 / 24), 2 * pass_through(parabola, op, exponent, at));
	return isfinite(parabola->off);
}

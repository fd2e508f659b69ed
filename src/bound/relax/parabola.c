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
 * is computed is not P but a parabola Q close to P; the two differ by no more
 * than 2 times (5/3 is the Lebesgue constant of these points) the difference of
 * Q and f at the x_i.
 */
#include <math.h>

#include "bound/relax/parabola.h"

#define ZERO_OF_T3 0.8660254037844386

/* A range below this part of the arguments' magnitude is taken for
 * straight. */
#define NARROWEST 1e-9

static DpsInterval
parabola_at(const DpsParabola *p, double x)
{
	DpsInterval t = dps_iv_sub(dps_iv_point(x), dps_iv_point(p->middle));
	DpsInterval sum = dps_iv_mul(dps_iv_point(p->coefficient[2]), t);

	sum = dps_iv_mul(dps_iv_add(sum, dps_iv_point(p->coefficient[1])), t);
	return dps_iv_add(sum, dps_iv_point(p->coefficient[0]));
}

/* Fits the parabola to the values at the three points; returns the greatest
 * miss at these points, Infinity if the values are not known. */
static double
pass_through(DpsParabola *p, const DpsFunction *function, const double *at)
{
	DpsInterval f[3];
	double		value[3];
	double		by = at[2] / 2 - at[1] / 2;
	double		miss = 0;
	int			i;

	for (i = 0; i < 3; i++)
	{
		f[i] = dps_function_value(function, dps_iv_point(at[i]));
		if (!dps_iv_is_finite(f[i]))
			return INFINITY;
		value[i] = f[i].lo / 2 + f[i].hi / 2;
	}
	p->coefficient[0] = value[0];
	p->coefficient[1] = (value[2] - value[1]) / (2 * by);
	p->coefficient[2] = ((value[2] - value[0]) + (value[1] - value[0])) / (2 * by * by);
	for (i = 0; i < 3; i++)
	{
		DpsInterval d = dps_iv_sub(f[i], parabola_at(p, at[i]));

		if (!isfinite(p->coefficient[i]) || !dps_iv_is_finite(d))
			return INFINITY;
		miss = fmax(miss, fmax(fabs(d.lo), fabs(d.hi)));
	}
	return miss;
}

bool
dps_parabola(const DpsFunction *function, DpsInterval range, DpsParabola *parabola)
{
	double		middle = range.lo / 2 + range.hi / 2;
	double		radius = fmax(dps_sub_up(range.hi, middle), dps_sub_up(middle, range.lo));
	double		at[3] = {middle, middle - radius * ZERO_OF_T3, middle + radius * ZERO_OF_T3};
	DpsInterval third;
	double		cube;

	if (!(radius > NARROWEST * fmax(fabs(range.lo), fabs(range.hi))) || !isfinite(radius))
		return false;
	third = dps_function_third(function, range);
	if (!dps_iv_is_finite(third))
		return false;
	parabola->middle = middle;
	cube = dps_mul_up(radius, dps_mul_up(radius, radius));
	cube = dps_mul_up(cube, fmax(fabs(third.lo), fabs(third.hi)));
	parabola->off = dps_add_up(dps_mul_up(cube, 1.001 / 24), 2 * pass_through(parabola, function, at));
	return isfinite(parabola->off);
}

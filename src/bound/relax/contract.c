/*
 * contract.c
 *		Cuts boxes by affine forms.
 */
#include <float.h>
#include <math.h>

#include "bound/relax/contract.h"

static double
reach_of(const DpsForm *form, int n)
{
	double		sum = form->rest;
	int			k;

	for (k = 0; k < n; k++)
		sum = dps_add_up(sum, fabs(form->slope[k]));
	return sum;
}

/* The part of the whole range in which x may lie if centre + slope e +- others
 * is in `wanted`, where e in [-1, 1] is the place of x. */
static DpsInterval
solve_place(double centre, double slope, double others, DpsInterval wanted, const DpsDomain *whole)
{
	double		middle = whole->lo / 2 + whole->hi / 2;
	double		half = fmax(dps_sub_up(whole->hi, middle), dps_sub_up(middle, whole->lo));
	DpsInterval place;

	place = dps_iv_sub(wanted, dps_iv(dps_sub_down(centre, others), dps_add_up(centre, others)));
	place = dps_iv_div(place, dps_iv(slope, slope));
	return dps_iv_add(dps_iv(middle, middle), dps_iv_mul(dps_iv(half, half), place));
}

bool
dps_contract(const DpsForm *form, int n, const DpsDomain *whole, DpsDomain *box, DpsInterval wanted)
{
	double		reach = reach_of(form, n);
	int			k;

	if (!isfinite(reach) || !isfinite(form->centre))
		return true;
	for (k = 0; k < n; k++)
	{
		DpsDomain  *own = &box[k];
		DpsInterval left;

		if (form->slope[k] == 0 || !(own->lo < own->hi) || own->nullness != DPS_NEVER_NULL)
			continue;
		left = solve_place(form->centre, form->slope[k], dps_sub_up(reach, fabs(form->slope[k])), wanted, &whole[k]);
		left = dps_iv_intersect(left, dps_iv(own->lo, own->hi));
		if (own->integral)
			left = dps_iv(ceil(left.lo), floor(left.hi));
		if (dps_iv_is_empty(left))
			return false;
		own->lo = left.lo;
		own->hi = left.hi;
	}
	return true;
}

/* Makes form + factor * (end - other), which is not below the form where
 * `other` is within its end. */
static double
relax(const DpsForm *form, const DpsForm *other, DpsInterval within, double factor, int n, DpsForm *relaxed)
{
	double		end = factor >= 0 ? within.hi : within.lo;
	double		away = end - other->centre;
	double		rounded = fabs(factor) * (fabs(away) + fabs(end)) + fabs(form->centre);
	int			k;

	relaxed->centre = form->centre + factor * away;
	for (k = 0; k < n; k++)
	{
		relaxed->slope[k] = form->slope[k] - factor * other->slope[k];
		rounded += fabs(form->slope[k]) + fabs(factor * other->slope[k]);
	}
	relaxed->rest = (form->rest + fabs(factor) * other->rest + rounded * (4 * DBL_EPSILON)) * (1 + 0x1p-46) + 0x1p-1000;
	return dps_add_up(relaxed->centre, reach_of(relaxed, n));
}

double
dps_bound_within(const DpsForm *form, const DpsForm *other, DpsInterval within, int n, DpsForm *relaxed)
{
	double		best = dps_add_up(form->centre, reach_of(form, n));
	DpsForm		candidate;
	int			k;

	*relaxed = *form;
	for (k = 0; k < n; k++)
	{
		double		factor = form->slope[k] / other->slope[k];
		double		bound;

		if (other->slope[k] == 0 || !isfinite(factor))
			continue;
		bound = relax(form, other, within, factor, n, &candidate);
		if (bound < best)
		{
			best = bound;
			*relaxed = candidate;
		}
	}
	return isnan(best) ? INFINITY : best;
}

/*
 * histogram_change.c
 *		The norm of the outputs' change over a box, by the step of one row.
 *
 * Over a box, a term t of an output changes by
 *
 * - the difference of its coefficients, if it is linear;
 * - t(L + a_i) - t(L + a_j), enclosed at both ends;
 * - sum_k d_k t * (a_ki - a_kj) for d_k t the enclosure of the derivative over
 *	 all that lies between, where t is continuous and defined there (the mean
 *	 value theorem; at kinks in Clarke's form).
 */
#include <float.h>
#include <math.h>

#include "bound/histogram/histogram_search.h"

/* Powers from here on may underflow. */
#define LARGE_NORM 1000

/* ---- norms ---- */

static DpsInterval
magnitude(DpsInterval x)
{
	DpsInterval m = dps_iv_abs(x);

	return dps_iv(m.lo + 0.0, m.hi);
}

/* x 2^exponent, exact but for underflow */
static DpsInterval
shifted(DpsInterval x, int exponent)
{
	return dps_iv(ldexp(x.lo, exponent), ldexp(x.hi, exponent));
}

static DpsInterval
power_sum(const DpsInterval *x, int n, double p, int exponent)
{
	DpsInterval sum = dps_iv(0, 0);
	int			k;

	for (k = 0; k < n; k++)
	{
		DpsInterval m = shifted(magnitude(x[k]), -exponent);

		/* what underflow loses is far below an ulp of the sum */
		if (m.hi < DBL_MIN)
			m = dps_iv(0, x[k].lo == 0 && x[k].hi == 0 ? 0 : DBL_MIN);
		if (p == 2)
			m = dps_iv_sqr(m);
		else if (p != 1)
			m = dps_iv_pow(m, dps_iv(p, p));
		sum = dps_iv_add(sum, m);
	}
	return sum;
}

/* The l_p norm of a vector. */
static DpsInterval
norm(const DpsInterval *x, int n, double p)
{
	DpsInterval max = dps_iv(0, 0);
	int			nonzero = 0;
	int			exponent;
	DpsInterval root;
	DpsInterval sum;
	double		most;
	int			k;

	for (k = 0; k < n; k++)
	{
		max = dps_iv_max(max, magnitude(x[k]));
		nonzero += x[k].lo != 0 || x[k].hi != 0;
	}
	if (isinf(p) || nonzero <= 1)
		return max;
	if (!isfinite(max.hi))
		return dps_iv(max.lo, INFINITY);
	(void) frexp(max.hi, &exponent);
	sum = power_sum(x, n, p, exponent);
	root = dps_iv_div(dps_iv(1, 1), dps_iv(p, p));
	if (p == 2)
		sum = dps_iv_sqrt(sum);
	else if (p != 1)
		sum = dps_iv_pow(sum, root);
	sum = shifted(sum, exponent);
	/* max <= norm <= max * n^(1/p), which is better where powers underflow */
	most = p > LARGE_NORM ? dps_mul_up(max.hi, dps_iv_pow(dps_iv(nonzero, nonzero), root).hi) : INFINITY;
	most = sum.hi < most ? sum.hi : most;
	return dps_iv(sum.lo > max.lo ? sum.lo : max.lo, most > max.hi ? most : max.hi);
}

/* ---- boxes ---- */

/* The box moved by what a step adds to each dimension. */
static void
move_box(const DpsHistogramSearch *s, const DpsDomain *box, DpsInterval (*step) (const DpsHistogramSearch *, const DpsHistogramStep *, int),
		 const DpsHistogramStep *classes, DpsDomain *moved)
{
	int			k;

	for (k = 0; k < s->forms.ndimensions; k++)
	{
		DpsInterval by = step(s, classes, k);

		moved[k] = box[k];
		moved[k].lo = dps_add_down(box[k].lo, by.lo);
		moved[k].hi = dps_add_up(box[k].hi, by.hi);
	}
}

DpsInterval
dps_histogram_added(const DpsHistogramSearch *s, const DpsHistogramStep *step, int k)
{
	return dps_forms_step(&s->forms, k, step->first, step->last);
}

DpsInterval
dps_histogram_removed(const DpsHistogramSearch *s, const DpsHistogramStep *step, int k)
{
	if (s->neighbours == DPS_ADD_REMOVE)
		return dps_iv(0, 0);
	return dps_forms_step(&s->forms, k, step->first_removed, step->last_removed);
}

/* The hull of what the added row and the removed row contribute to dimension
 * k. */
static DpsInterval
any_step(const DpsHistogramSearch *s, const DpsHistogramStep *step, int k)
{
	return dps_iv_hull(dps_histogram_added(s, step, k), dps_histogram_removed(s, step, k));
}

static DpsInterval
coefficients(const double *linear, int first, int last)
{
	DpsInterval range = dps_iv(linear[first], linear[first]);
	int			i;

	for (i = first + 1; i <= last; i++)
		range = dps_iv_hull(range, dps_iv(linear[i], linear[i]));
	return range;
}

static DpsInterval
linear_change(const DpsHistogramSearch *s, const DpsTerm *term, const DpsHistogramStep *step)
{
	DpsInterval change = coefficients(term->linear, step->first, step->last);

	if (s->neighbours == DPS_ADD_REMOVE)
		return change;
	return dps_iv_sub(change, coefficients(term->linear, step->first_removed, step->last_removed));
}

/* Does the step leave all dimensions of the term unchanged? */
bool
dps_histogram_is_untouched(const DpsHistogramSearch *s, const DpsTerm *term, const DpsHistogramStep *step)
{
	int			k;

	for (k = 0; k < s->forms.ndimensions; k++)
	{
		DpsInterval all;

		if (!term->depends[k])
			continue;
		all = any_step(s, step, k);
		if (!dps_iv_is_point(all))
			return false;
	}
	return true;
}

bool
dps_histogram_is_usable(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL &&
		e->value.lo > -INFINITY && e->value.hi < INFINITY;
}

/* The change of value v by the mean value theorem; DPS_ENTIRE where the
 * theorem does not apply. */
static DpsInterval
mean_value(const DpsHistogramSearch *s, int v, const DpsHistogramStep *step)
{
	const DpsEnclosure *value = dps_histogram_output(s->slopes, s->between, v);
	DpsInterval change = dps_iv(0, 0);
	int			k;

	if (!dps_histogram_is_usable(value) || !value->continuous)
		return DPS_ENTIRE;
	for (k = 0; k < s->nslopes; k++)
	{
		const DpsEnclosure *slope = dps_histogram_output(s->slopes, s->between, s->nvalues + k);
		DpsInterval by;

		if (s->slope_term[k] != v)
			continue;
		by = dps_iv_sub(dps_histogram_added(s, step, s->slope_dimension[k]),
						dps_histogram_removed(s, step, s->slope_dimension[k]));
		if (by.lo == 0 && by.hi == 0)
			continue;
		if (!dps_histogram_is_usable(slope))
			return DPS_ENTIRE;
		change = dps_iv_add(change, dps_iv_mul(slope->value, by));
	}
	return change;
}

/* Adds up the changes of the terms; false if no point of the box has a
 * value. */
static bool
sum_changes(DpsHistogramSearch *s, const DpsHistogramStep *step, bool sloped)
{
	int			v = 0;
	int			t;

	for (t = 0; t < s->forms.noutputs; t++)
		s->change[t] = dps_iv(0, 0);
	for (t = 0; t < s->forms.nterms; t++)
	{
		const DpsTerm *term = &s->forms.term[t];
		DpsInterval change;
		DpsInterval x;
		DpsInterval y;

		if (term->linear != NULL)
			change = linear_change(s, term, step);
		else
		{
			x = dps_histogram_output(s->values, s->with, v)->value;
			y = dps_histogram_output(s->values, s->without, v)->value;
			if (dps_iv_is_empty(x) || dps_iv_is_empty(y))
				return false;
			change = dps_histogram_is_untouched(s, term, step) ? dps_iv(0, 0) : dps_iv_sub(x, y);
			if (sloped)
				change = dps_iv_intersect(change, mean_value(s, v, step));
			v++;
			if (dps_iv_is_empty(change))
				return false;
		}
		s->change[term->output] = term->negated ? dps_iv_sub(s->change[term->output], change) :
			dps_iv_add(s->change[term->output], change);
	}
	return true;
}

/*
 * Encloses the norm of the change over the box; false if no histogram is in it.
 * A bound no greater than `enough` is not improved.
 */
bool
dps_histogram_enclose_change(DpsHistogramSearch *s, const DpsDomain *box, const DpsHistogramStep *step, double enough, DpsInterval *result)
{
	s->sloped = false;
	if (s->nvalues > 0)
	{
		move_box(s, box, dps_histogram_added, step, s->moved);
		(void) dps_enclose_guarded(s->values, s->moved, s->with);
		move_box(s, box, dps_histogram_removed, step, s->moved);
		(void) dps_enclose_guarded(s->values, s->moved, s->without);
	}
	if (!sum_changes(s, step, false))
		return false;
	*result = norm(s->change, s->forms.noutputs, s->p);
	if (s->slopes == NULL || result->hi <= enough || (dps_iv_is_point(*result)))
		return true;
	move_box(s, box, any_step, step, s->moved);
	(void) dps_enclose_guarded(s->slopes, s->moved, s->between);
	s->sloped = true;
	if (!sum_changes(s, step, true))
		return false;
	*result = norm(s->change, s->forms.noutputs, s->p);
	return true;
}

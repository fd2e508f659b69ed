/*
 * search_box.c
 *		Bounding the expression on one box.
 *
 * - The enclosure of the expression over the box is an upper bound;
 * - where the expression is continuous and NULL nowhere, a dimension in which
 *	 its derivative has one sign collapses to the end with the greatest value.
 *	 This holds for integers as well, since the relaxed expression is monotone;
 *	 and where the expression jumps, along the columns that no jump depends on;
 * - there, too, f(x) <= f(c) + sum_j g_j (x_j - c_j), with g_j the enclosure
 *	 of the derivative (the mean value theorem along the segment from c to x;
 *	 at kinks in Clarke's form, where g_j encloses the derivatives of all
 *	 branches);
 * - in long searches, affine and quadratic forms give bounds of higher order
 *	 and cut parts of the box away (search_forms.c), and so do the logarithms of
 *	 columns for what is made of products of powers (posynomial.c);
 * - a part of a box is bounded by what the box was bounded by.
 *
 * Upper bounds are of the exact values: the evaluator's values may exceed them
 * by its rounding error (dps_evaluation_error).
 */
#include <math.h>
#include <string.h>

#include "bound/search/search_state.h"

#define SHRUNK_PART 0.6

#define DEPTH_BETWEEN_ENDS 4

/* Discards a box: it holds no value above `upper`. */
void
dps_settle(DpsSearch *s, double upper)
{
	if (upper > s->settled)
		s->settled = upper;
}

static DpsVerdict
examine_unresolved(DpsSearch *s, DpsBox *box)
{
	int			culprit = dps_culprit_of(s, s->on_boxes, s->box);
	uint64_t	mask = culprit >= 0 ? s->box_variables[culprit] : ~UINT64_C(0);
	double		x[DPS_MAX_DIMENSIONS];

	box->unresolved = true;
	box->upper = INFINITY;
	box->cut = dps_choose_unresolved_cut(s, box, mask);
	/* a cut elsewhere may decide a condition or cancel a term */
	if (box->cut < 0)
		box->cut = dps_choose_unresolved_cut(s, box, ~UINT64_C(0));
	if (!s->objective->partial && dps_find_undefined(s, box, mask, box->cut < 0 || box->depth % 4 == 0))
		return DPS_BOX_SETTLED;
	if (box->cut < 0)
	{
		dps_middle_of(s, box->domain, x);
		dps_refuse(s, DPS_UNABLE, culprit, s->on_boxes, x);
		return DPS_BOX_SETTLED;
	}
	return DPS_BOX_UNRESOLVED;
}

/* Bounds a box on which the objective is not proved defined, but what values it has
 * are not above the bound. */
static DpsVerdict
examine_covered(DpsSearch *s, DpsBox *box, double bound)
{
	double		x[DPS_MAX_DIMENSIONS];

	box->upper = bound;
	s->valued = true;
	s->bottom = -INFINITY;
	dps_middle_of(s, box->domain, x);
	(void) dps_sample(s, x);
	box->cut = dps_good_enough(s, box->upper) ? -1 : dps_choose_unresolved_cut(s, box, ~UINT64_C(0));
	if (box->cut >= 0)
		return DPS_BOX_OPEN;
	if (!dps_good_enough(s, box->upper))
		dps_look_at_corners(s, box);
	dps_settle(s, box->upper);
	return DPS_BOX_SETTLED;
}

/* Is the culprit an integer?  Its values end where its type does, and tell nothing of
 * the function. */
static bool
overflows_integers(const DpsSearch *s)
{
	int			culprit = dps_culprit_of(s, s->on_boxes, s->box);

	return culprit >= 0 && dps_type_is_integer(s->on_boxes->code[culprit].type);
}

/* Cuts slopes by their other forms; a slope that overflows is replaced by its
 * other form. */
static void
compare_slopes(DpsSearch *s)
{
	const uint32_t *outputs = dps_program_outputs(s->on_boxes);
	int			i;

	for (i = 0; i < s->nothers; i++)
	{
		DpsEnclosure *own = &s->box[outputs[s->nvalues + s->other_of[i]]];
		const DpsEnclosure *other = &s->box[outputs[s->nvalues + s->n + i]];
		DpsInterval both = dps_iv_intersect(own->value, other->value);

		if (!dps_usable_slope(other))
			continue;
		if (!dps_usable_slope(own))
			*own = *other;
		else if (!dps_iv_is_empty(both) && (both.lo >= 0 || both.hi <= 0))
			own->value = both;
	}
}

/* The columns along which slopes say nothing, as bits: those on which a jump
 * depends, or all if the value may be NULL. */
static uint64_t
rough_variables(DpsSearch *s)
{
	if (dps_is_smooth(s))
		return 0;
	if (dps_values_nullness(s, s->on_boxes, s->box) != DPS_NEVER_NULL)
		return ~UINT64_C(0);
	return dps_jump_variables(s->on_boxes, s->box, s->box_variables, dps_program_outputs(s->on_boxes)[0], s->box_jumps);
}

/* Collapses the dimensions in which the value is monotone; true if any. */
static bool
collapse(DpsSearch *s, DpsBox *box, uint64_t rough)
{
	bool		collapsed = false;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		DpsDomain  *domain = &box->domain[k];
		const DpsEnclosure *e;

		if (rough & (UINT64_C(1) << s->variable[k]))
			continue;
		e = dps_slope_of(s, k);
		if (domain->nullness != DPS_NEVER_NULL || domain->lo >= domain->hi || !dps_usable_slope(e))
			continue;
		if (e->value.lo >= 0)
			domain->lo = domain->hi;
		else if (e->value.hi <= 0)
			domain->hi = domain->lo;
		else
			continue;
		collapsed = true;
	}
	return collapsed;
}

/*
 * The centre from which the mean value form is lowest: what growth remains
 * toward one end equals what remains toward the other.
 */
static double
centre(const DpsDomain *domain, DpsInterval slope)
{
	double		share = slope.hi / (slope.hi - slope.lo);
	double		at = domain->lo + (domain->hi - domain->lo) * share;

	if (domain->integral)
		at = rint(at);
	if (!(at >= domain->lo))
		return domain->lo;
	return at > domain->hi ? domain->hi : at;
}

/* An upper bound by the mean value form, which also samples its centre;
 * Infinity if slopes are missing. */
static double
mean_value_bound(DpsSearch *s, const DpsBox *box)
{
	double		c[DPS_MAX_DIMENSIONS];
	DpsInterval bound;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		const DpsDomain *domain = &box->domain[k];

		c[k] = domain->nullness == DPS_ALWAYS_NULL ? (double) NAN : domain->lo;
		if (domain->lo >= domain->hi || isnan(c[k]))
			continue;
		if (domain->nullness != DPS_NEVER_NULL || !dps_usable_slope(dps_slope_of(s, k)) ||
			!dps_iv_is_finite(dps_slope_of(s, k)->value))
			return INFINITY;
		c[k] = centre(domain, dps_slope_of(s, k)->value);
	}
	if (!dps_sample(s, c))
		return INFINITY;
	bound = s->point[dps_program_outputs(s->at_points)[0]].value;
	for (k = 0; k < s->n; k++)
	{
		const DpsDomain *domain = &box->domain[k];

		if (domain->lo >= domain->hi || isnan(c[k]))
			continue;
		bound = dps_iv_add(bound, dps_iv_mul(dps_slope_of(s, k)->value,
											 dps_iv_sub(dps_iv(domain->lo, domain->hi), dps_iv(c[k], c[k]))));
	}
	return bound.hi;
}

void
dps_enclose_box(DpsSearch *s, const DpsBox *box)
{
	uint32_t	again;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		s->domain[s->variable[k]] = box->domain[k];
		/* slopes are those of the relaxed expression */
		s->domain[s->variable[k]].integral = false;
	}
	s->bracket->boxes++;
	again = dps_enclose_guarded(s->on_boxes, s->domain, s->box);
	dps_count_work(s, s->box_work + (uint32_t) ((uint64_t) s->box_work * again / s->on_boxes->ninstructions), 1);
}

/* Samples the middle, and now and then both ends of the columns on which jumps
 * depend: a condition may hold at an end only. */
static void
sample_jump(DpsSearch *s, const DpsBox *box, uint64_t rough)
{
	double		x[DPS_MAX_DIMENSIONS];
	int			end;
	int			k;

	dps_middle_of(s, box->domain, x);
	(void) dps_sample(s, x);
	for (end = 0; end < 2 && box->depth % DEPTH_BETWEEN_ENDS == 0; end++)
	{
		for (k = 0; k < s->n; k++)
			if (!isnan(x[k]) && (rough & (UINT64_C(1) << s->variable[k])))
				x[k] = end == 0 ? box->domain[k].lo : box->domain[k].hi;
		(void) dps_sample(s, x);
	}
}

/* Has a dimension lost most of its width? */
static bool
has_shrunk(const DpsSearch *s, const DpsDomain *before, const DpsDomain *after)
{
	int			k;

	for (k = 0; k < s->n; k++)
		if (before[k].lo < before[k].hi && after[k].hi - after[k].lo < SHRUNK_PART * (before[k].hi - before[k].lo))
			return true;
	return false;
}

/* Bounds the expression on the box, which may shrink on the way. */
DpsVerdict
dps_examine(DpsSearch *s, DpsBox *box)
{
	const DpsEnclosure *value = &s->box[dps_program_outputs(s->on_boxes)[0]];
	double		x[DPS_MAX_DIMENSIONS];
	DpsDomain	whole[DPS_MAX_DIMENSIONS];
	uint64_t	rough;

	box->unresolved = false;
	box->whole = false;
	if (!dps_has_forms(s) && s->trouble != DPS_OK)
		return DPS_BOX_SETTLED;
	do
	{
		dps_enclose_box(s, box);
		if (dps_values_defined(s, s->on_boxes, s->box) != DPS_DEFINED || !dps_values_finite(s, s->on_boxes, s->box))
		{
			if (dps_guards_hold(s, s->on_boxes, s->box) && isfinite(dps_cover_bound(s)))
				return examine_covered(s, box, dps_cover_bound(s));
			if (!s->objective->partial || overflows_integers(s))
				return examine_unresolved(s, box);
			if (dps_iv_is_empty(value->value))
				return DPS_BOX_SETTLED;
			return value->value.hi < INFINITY ? examine_covered(s, box, value->value.hi) : examine_unresolved(s, box);
		}
		if (dps_values_nullness(s, s->on_boxes, s->box) == DPS_ALWAYS_NULL || dps_iv_is_empty(value->value))
			return DPS_BOX_SETTLED;
		if (s->formed && dps_is_smooth(s) && !dps_slice(s, box))
			return DPS_BOX_SETTLED;
		compare_slopes(s);
		rough = rough_variables(s);
		/* within a slab, the sign of a slope need not hold on the way to the
		 * end */
	} while (!dps_is_sliced(s) && collapse(s, box, rough));
	s->valued = true;
	box->whole = dps_is_smooth(s) && !dps_is_sliced(s);
	s->bottom = fmin(s->bottom, value->value.lo);
	box->upper = fmin(fmin(value->value.hi, dps_cover_bound(s)), box->ceiling);
	if (dps_is_smooth(s))
	{
		if (!dps_is_sliced(s))
			box->upper = fmin(box->upper, mean_value_bound(s, box));
		else
		{
			dps_middle_of(s, box->domain, x);
			(void) dps_sample(s, x);
		}
		if (!dps_good_enough(s, box->upper) && dps_wants_quadratics(s))
			s->trouble = dps_bound_by_quadratics(s, box, &box->upper);
		if (s->trouble == DPS_OK && !dps_good_enough(s, box->upper))
			s->trouble = dps_bound_by_powers(s, box, &box->upper);
		if (s->trouble != DPS_OK)
			return DPS_BOX_SETTLED;
	}
	else if (!dps_good_enough(s, box->upper))
		sample_jump(s, box, rough);
	if (s->formed && dps_is_smooth(s) && !dps_good_enough(s, box->upper))
	{
		memcpy(whole, box->domain, sizeof(DpsDomain) * s->n);
		if (!dps_cut_away(s, box))
			return DPS_BOX_SETTLED;
		if (!dps_good_enough(s, box->upper) && has_shrunk(s, whole, box->domain))
			return dps_examine(s, box);
	}
	box->cut = dps_good_enough(s, box->upper) ? -1 : dps_choose_cut(s, box);
	if (box->cut < 0)
	{
		/* its corners are neighbours, and one of them may be the greatest */
		if (!dps_good_enough(s, box->upper))
			dps_look_at_corners(s, box);
		dps_settle(s, box->upper);
		return DPS_BOX_SETTLED;
	}
	return DPS_BOX_OPEN;
}

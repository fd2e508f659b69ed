/*
 * search_cut.c
 *		How a box is cut.
 */
#include <math.h>
#include <string.h>

#include "bound/search/search_state.h"

/* A dimension below this part of the root's is not cut to prove the expression
 * defined. */
#define SMALLEST_PART 1e-18

#define SMALLEST_PHASE 0.4
#define SLAB_SHARE 0.5

/* Another dimension may be so many times wider than the dimension that is
 * cut. */
#define MOST_WIDER 64

/* Is it cut all the same?  Both are tried if the value varies along it by less than this part. */
#define SMALL_SHARE 0.5

static double
relative_width(const DpsSearch *s, const DpsBox *box, int k)
{
	const DpsDomain *root = &s->root[k];
	double		part = dps_width_scale(root, box->domain[k].hi) - dps_width_scale(root, box->domain[k].lo);
	double		whole = dps_width_scale(root, root->hi) - dps_width_scale(root, root->lo);

	return whole > 0 ? part / whole : 0.0;
}

/* The widest dimension of the mask, relative to the root; -1 if none is wider
 * than `than` and can be cut. */
static int
widest(const DpsSearch *s, const DpsBox *box, uint64_t mask, double than)
{
	int			best = -1;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		double		width = relative_width(s, box, k);

		if ((mask & (UINT64_C(1) << s->variable[k])) && width > than && dps_can_cut(&box->domain[k]))
		{
			best = k;
			than = width;
		}
	}
	return best;
}

static int
maybe_null(const DpsSearch *s, const DpsBox *box, uint64_t mask)
{
	int			k;

	for (k = 0; k < s->n; k++)
		if ((mask & (UINT64_C(1) << s->variable[k])) && box->domain[k].nullness == DPS_MAYBE_NULL)
			return k;
	return -1;
}

/* The cut of a box that is not proved defined; -1 if it is too small. */
int
dps_choose_unresolved_cut(const DpsSearch *s, const DpsBox *box, uint64_t mask)
{
	int			k = maybe_null(s, box, mask);

	return k >= 0 ? s->n + DPS_MAX_SLABS + k : widest(s, box, mask, SMALLEST_PART);
}

/* How far the value may vary along a dimension. */
static double
rise_along(const DpsSearch *s, const DpsBox *box, int k)
{
	DpsInterval g = dps_slope_of(s, k)->value;

	return fmax(fabs(g.lo), fabs(g.hi)) * (box->domain[k].hi - box->domain[k].lo);
}

/* The dimension along which the value may vary most; -1 if slopes are
 * missing. */
static int
steepest(const DpsSearch *s, const DpsBox *box)
{
	double		most = -1.0;
	int			best = -1;
	int			k;

	for (k = 0; k < s->n; k++)
	{
		DpsInterval g = dps_slope_of(s, k)->value;
		double		rise;

		if (!dps_can_cut(&box->domain[k]))
			continue;
		if (!dps_usable_slope(dps_slope_of(s, k)) || !dps_iv_is_finite(g))
			return -1;
		rise = rise_along(s, box, k);
		if (rise > most)
		{
			most = rise;
			best = k;
		}
	}
	return best;
}

static bool
is_discontinuous(const DpsEnclosure *e)
{
	return !e->continuous;
}

/* The variables of the innermost jump. */
static uint64_t
jump_variables(const DpsSearch *s)
{
	int			jump = dps_innermost(s->on_boxes, s->box, dps_program_outputs(s->on_boxes)[0],
								 is_discontinuous);

	return jump < 0 ? 0 : s->box_variables[jump];
}

/*
 * The slab to cut: a phase while it is wide, or a compound's argument while the
 * compound's relative width exceeds a part of the gap that is left.
 */
static int
choose_slab(const DpsSearch *s, const DpsBox *box)
{
	double		gap = (box->upper - s->lower) / fmax(fabs(box->upper), fabs(s->lower));
	int			a;
	int			i;

	for (a = 0; a < s->affine.nslabs && dps_is_smooth(s); a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];

		if (!dps_can_cut(&box->domain[s->n + a]))
			continue;
		if (slab->periodic && slab->wide && slab->within.hi - slab->within.lo > SMALLEST_PHASE)
			return s->n + a;
		for (i = 0; i < s->affine.compounds.n && !slab->periodic; i++)
		{
			DpsInterval range = s->affine.compound_range[i];

			if (s->affine.compounds.compound[i].argument == slab->instruction && s->slab_compound[a] == i &&
				!dps_iv_is_empty(range) &&
				(range.hi - range.lo) / fmax(fabs(range.lo), fabs(range.hi)) > SLAB_SHARE * gap)
				return s->n + a;
		}
	}
	return -1;
}

/* The greater upper end of the value on the two halves of a box. */
static double
upper_of_halves(DpsSearch *s, const DpsBox *box, int k)
{
	const DpsEnclosure *value = &s->halves[dps_program_outputs(s->at_points)[0]];
	DpsDomain	half[2];
	double		upper = -INFINITY;
	int			i;

	for (i = 0; i < s->n; i++)
	{
		s->domain[s->variable[i]] = box->domain[i];
		s->domain[s->variable[i]].integral = false;
	}
	(void) dps_cut(&box->domain[k], &half[0], &half[1]);
	for (i = 0; i < 2; i++)
	{
		s->domain[s->variable[k]] = half[i];
		(void) dps_enclose_guarded(s->at_points, s->domain, s->halves);
		if (value->defined != DPS_DEFINED || !dps_iv_is_finite(value->value))
			return INFINITY;
		upper = fmax(upper, value->value.hi);
	}
	dps_count_work(s, s->point_work, 2);
	return upper;
}

/*
 * Is the steepest dimension the better one, though another is much wider?  Near one end of a range of
 * many orders of magnitude all that is left of it is narrow, compared with the root: z (1 + z)^(-a - 1)
 * on [0, 1e7] is what it is near 1, and a would be cut into millions of parts before z.  So where the
 * value varies more along the steepest dimension, the halves by either are compared.
 */
static bool
is_better(DpsSearch *s, const DpsBox *box, int steepest, int wider)
{
	return dps_is_smooth(s) && rise_along(s, box, wider) < SMALL_SHARE * rise_along(s, box, steepest) &&
		upper_of_halves(s, box, steepest) < upper_of_halves(s, box, wider);
}

int
dps_choose_cut(DpsSearch *s, const DpsBox *box)
{
	int			wider = -1;
	int			k = maybe_null(s, box, ~UINT64_C(0));

	if (k >= 0)
		return s->n + DPS_MAX_SLABS + k;
	k = choose_slab(s, box);
	if (k >= 0)
		return k;
	/* slopes say nothing of jumps, so every other cut is for the jump */
	if (!dps_is_smooth(s) && box->depth % 2 == 0)
		k = widest(s, box, jump_variables(s), 0.0);
	if (k < 0)
	{
		k = steepest(s, box);
		/* a slope may be steep because another dimension is too wide */
		if (k >= 0)
			wider = widest(s, box, ~UINT64_C(0), relative_width(s, box, k) * MOST_WIDER);
		if (wider >= 0 && !is_better(s, box, k, wider))
			return wider;
	}
	return k >= 0 ? k : widest(s, box, ~UINT64_C(0), 0.0);
}

DpsStatus
dps_cut_box(DpsSearch *s, const DpsBox *box, DpsBox *below, DpsBox *above)
{
	int			n = s->n + DPS_MAX_SLABS;
	size_t		size = sizeof(DpsDomain) * n;
	bool		at_ends = false;

	memcpy(below->domain, box->domain, size);
	memcpy(above->domain, box->domain, size);
	below->depth = above->depth = box->depth + 1;
	below->ceiling = above->ceiling = box->unresolved ? (double) INFINITY : box->upper;
	if (box->cut < s->n)
		DPS_TRY(dps_is_greatest_at_ends(s, box, box->cut, &at_ends));
	if (at_ends)
	{
		below->domain[box->cut].hi = box->domain[box->cut].lo;
		above->domain[box->cut].lo = box->domain[box->cut].hi;
	}
	else if (box->cut >= n)
	{
		below->domain[box->cut - n].nullness = DPS_NEVER_NULL;
		above->domain[box->cut - n].nullness = DPS_ALWAYS_NULL;
	}
	else
		(void) dps_cut(&box->domain[box->cut], &below->domain[box->cut], &above->domain[box->cut]);
	return DPS_OK;
}

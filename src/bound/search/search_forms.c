/*
 * search_forms.c
 *		Affine and quadratic forms on a box, in long searches.
 */
#include <math.h>
#include <string.h>

#include "bound/relax/contract.h"
#include "bound/search/search_state.h"

#define BOXES_BEFORE_FORMS 10
#define BOXES_BEFORE_QUADRATICS 100
#define QUADRATIC_TRIES 50
#define QUADRATIC_GAIN 4
#define QUADRATIC_PAUSE 16
#define BOXES_BEFORE_POWERS 60
#define POWER_TRIES 32
#define POWER_GAIN 6
#define POWER_PAUSE 32
#define POWER_STEPS 4
#define POWER_LEAST 0.4

/* The cost of forms, in enclosures of the program. */
#define WORK_OF_FORMS 3
#define WORK_OF_QUADRATICS 3
#define WORK_OF_POWERS 4

/* Narrows the value and its slopes by the affine forms. */
static void
tighten(DpsSearch *s)
{
	const uint32_t *outputs = dps_program_outputs(s->on_boxes);
	uint32_t	k;

	dps_count_work(s, s->box_work, WORK_OF_FORMS);
	dps_affine_enclose(&s->affine, s->domain, s->box);
	for (k = 0; k < s->on_boxes->noutputs; k++)
		if (!dps_iv_is_empty(s->affine.range[outputs[k]]))
			s->box[outputs[k]].value = s->affine.range[outputs[k]];
}

/*
 * Forms are made after some boxes: short searches do as well without them, and
 * bounds of monotone expressions have no rounding errors without them.
 */
bool
dps_has_forms(DpsSearch *s)
{
	if (s->formed || s->n > DPS_MAX_AFFINE || s->bracket->boxes < BOXES_BEFORE_FORMS)
		return s->formed;
	s->trouble = dps_affine_init(&s->affine, s->graph, s->arena, s->on_boxes, s->outputs, s->n, s->variable);
	s->formed = s->trouble == DPS_OK;
	if (s->formed)
		dps_choose_slabs(s);
	return s->formed;
}

/* Narrows within the box's slabs; false if no point of the box is in them. */
bool
dps_slice(DpsSearch *s, DpsBox *box)
{
	dps_put_slabs(s, box);
	tighten(s);
	if (s->affine.impossible)
		return false;
	dps_cut_slabs(s, box);
	return true;
}

/*
 * Cuts away parts of the box that do not hold the greatest value: parts with no
 * value above the best one known, and parts where the value still rises towards
 * an end of the box that is no end of the root.  Where a differentiable
 * expression is greatest, it rises only towards points outside of the root.  An
 * expression with kinks may be greatest where a box touches a kink and rises
 * into it, so the second rule is for expressions without kinks.
 */
bool
dps_cut_away(DpsSearch *s, DpsBox *box)
{
	const uint32_t *outputs = dps_program_outputs(s->on_boxes);
	DpsDomain	whole[DPS_MAX_DIMENSIONS];
	int			k;

	memcpy(whole, box->domain, sizeof(DpsDomain) * s->n);
	if (dps_iv_is_empty(s->affine.range[outputs[0]]))
		return true;
	if (!dps_contract(&s->affine.form[outputs[0]], s->n, whole, box->domain, dps_iv(s->lower, INFINITY)) ||
		!dps_bound_in_slabs(s, box, whole))
		return false;
	for (k = 0; k < s->n; k++)
	{
		DpsInterval wanted = DPS_ENTIRE;
		DpsInterval g = dps_slope_of(s, k)->value;

		if (s->kinked || whole[k].integral || whole[k].nullness != DPS_NEVER_NULL || !dps_usable_slope(dps_slope_of(s, k)))
			continue;
		if (whole[k].hi < s->root[k].hi)
			wanted.hi = 0;
		if (whole[k].lo > s->root[k].lo)
			wanted.lo = 0;
		if (dps_iv_is_empty(dps_iv_intersect(g, wanted)))
			return false;
		if (!dps_iv_is_empty(s->affine.range[outputs[s->nvalues + k]]) &&
			!dps_contract(&s->affine.form[outputs[s->nvalues + k]], s->n, whole, box->domain, wanted))
			return false;
		/* only an end of the root that has not been cut away */
		if (g.lo > 0)
			box->domain[k].lo = box->domain[k].hi;
		else if (g.hi < 0)
			box->domain[k].hi = box->domain[k].lo;
		else
			continue;
		if (box->domain[k].lo != (g.lo > 0 ? s->root[k].hi : s->root[k].lo))
			return false;
	}
	return true;
}

/* Are quadratic forms worth a try?  Not in a short search, and rarely if they
 * have not helped. */
bool
dps_wants_quadratics(const DpsSearch *s)
{
	if (!s->formed || s->n > DPS_MAX_CURVED || s->bracket->boxes < BOXES_BEFORE_QUADRATICS)
		return false;
	return s->tried < QUADRATIC_TRIES || s->settled_by > s->tried / QUADRATIC_GAIN ||
		s->bracket->boxes % QUADRATIC_PAUSE == 0;
}

static DpsStatus
set_up_quadratics(DpsSearch *s)
{
	DpsQuadratics *quadratics = dps_arena_alloc(s->arena, sizeof(DpsQuadratics));

	if (quadratics == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_quadratics_init(quadratics, s->arena, &s->affine, dps_program_outputs(s->on_boxes)[0]));
	s->quadratics = quadratics;
	return DPS_OK;
}

/* Samples a box at places in [-1, 1]. */
static void
sample_places(DpsSearch *s, const DpsBox *box, const double *place)
{
	double		x[DPS_MAX_DIMENSIONS];
	int			k;

	for (k = 0; k < s->n; k++)
	{
		const DpsDomain *own = &box->domain[k];
		double		at = own->lo * (0.5 - 0.5 * place[k]) + own->hi * (0.5 + 0.5 * place[k]);

		x[k] = fmax(own->lo, fmin(own->hi, own->integral ? rint(at) : at));
	}
	(void) dps_sample(s, x);
}

/* Lowers *bound by quadratic forms if they are lower; samples near their
 * maximum. */
DpsStatus
dps_bound_by_quadratics(DpsSearch *s, const DpsBox *box, double *bound)
{
	const DpsQuadratic *form;
	double		top[DPS_MAX_CURVED];
	double		found;

	if (s->quadratics == NULL)
		DPS_TRY(set_up_quadratics(s));
	dps_count_work(s, s->box_work, WORK_OF_QUADRATICS * s->n);
	form = dps_quadratics_make(s->quadratics, s->box);
	if (form == NULL)
		return DPS_OK;
	found = dps_crest(form, s->n, top);
	s->tried++;
	if (found < *bound)
	{
		*bound = found;
		sample_places(s, box, top);
		s->settled_by += dps_good_enough(s, found);
	}
	return DPS_OK;
}

/* The middle of a box on the logarithmic scale, where it is on one. */
static void
middle_of_powers(const DpsSearch *s, const DpsBox *box, double *x)
{
	int			k;

	for (k = 0; k < s->n; k++)
	{
		double		lo = box->domain[k].lo;
		double		hi = box->domain[k].hi;

		x[k] = lo > 0 ? sqrt(lo) * sqrt(hi) : lo / 2 + hi / 2;
	}
}

/* Bounds the box from the centre, and then from centres nearer to its greatest value: the steps are
 * those of Frank and Wolfe 1956, since the corner is where a bound is greatest that is affine but
 * for what is convex. */
static void
bound_from(DpsSearch *s, const DpsBox *box, double *centre, int steps, double *bound)
{
	double		corner[DPS_MAX_DIMENSIONS];
	int			i;

	for (i = 0; i < steps && !dps_good_enough(s, *bound); i++)
	{
		double		found = dps_posynomial_bound(s->posynomial, box->domain, centre, corner);

		dps_count_work(s, s->box_work, WORK_OF_POWERS);
		if (!(found < INFINITY))
			return;
		*bound = fmin(*bound, found);
		dps_posynomial_move(s->posynomial, box->domain, corner, 2.0 / (i + 3), centre);
	}
}

DpsStatus
dps_bound_by_powers(DpsSearch *s, const DpsBox *box, double *bound)
{
	double		before = *bound;
	double		x[DPS_MAX_DIMENSIONS];
	double		y[DPS_MAX_DIMENSIONS];
	int			k;

	if (s->bracket->boxes < BOXES_BEFORE_POWERS || (s->posed && s->posynomial == NULL))
		return DPS_OK;
	if (!s->posed)
		DPS_TRY(dps_posynomial_init(s->graph, s->arena, s->objective->node, s->n, s->variable, s->root, &s->posynomial));
	s->posed = true;
	if (s->posynomial == NULL ||
		(s->powered > POWER_TRIES && s->lowered < s->powered / POWER_GAIN && s->bracket->boxes % POWER_PAUSE != 0))
		return DPS_OK;
	middle_of_powers(s, box, x);
	bound_from(s, box, x, 1, bound);
	for (k = 0; k < s->n; k++)
		y[k] = fmax(box->domain[k].lo, fmin(box->domain[k].hi, s->bracket->witness.x[s->variable[k]]));
	bound_from(s, box, y, 1, bound);
	/* with more columns boxes are dear, and work is not counted: the bound of one box is often
	 * exact from where the value is greatest, on the box or all over */
	if (s->most_work == UINT64_MAX && !dps_good_enough(s, *bound))
	{
		bound_from(s, box, x, POWER_STEPS, bound);
		bound_from(s, box, y, POWER_STEPS, bound);
		for (k = 0; k < s->n; k++)
			y[k] = s->top[k];
		bound_from(s, box, y, 1, bound);
		if (!dps_good_enough(s, *bound))
		{
			/* only points of the box are sampled */
			for (k = 0; k < s->n; k++)
				if (box->domain[k].nullness == DPS_ALWAYS_NULL)
					x[k] = (double) NAN;
				else if (box->domain[k].integral)
					x[k] = fmax(box->domain[k].lo, fmin(box->domain[k].hi, rint(x[k])));
			DPS_TRY(dps_climb_from(s, box->domain, x));
			bound_from(s, box, x, POWER_STEPS, bound);
		}
	}
	s->powered++;
	s->lowered += dps_good_enough(s, *bound) ||
		(s->most_work == UINT64_MAX && *bound < before - POWER_LEAST * (before - s->lower));
	return DPS_OK;
}

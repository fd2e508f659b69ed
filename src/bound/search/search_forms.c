/*
 * search_forms.c
 *		What affine and quadratic forms say of a box, in searches that take longer.
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

/* What forms cost, in enclosures of the program. */
#define WORK_OF_FORMS 3
#define WORK_OF_QUADRATICS 3

/* Narrows the value and its slopes to what the affine forms leave of them. */
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
 * Forms are made from some box on: what is done before that is as good without
 * them, and what is monotone has bounds without rounding errors.
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

/* Tightens within the box's slabs; false if it has no point in them. */
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
 * Takes away parts of the box without which the greatest value stays what it
 * is: those where no value beats the best one known, and those where the value
 * still rises towards an end of the box at which the root goes on.  Where a
 * differentiable expression is greatest it rises nowhere but out of the root.
 * At a kink it may rise into it, and a box that only touches the kink would not
 * know: so the latter is for expressions that have none.
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
		/* at an end of the root, if it has not been cut away */
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

/* Whether quadratic forms are worth a try: not in a short search, and seldom if
 * they have not helped. */
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

/* Samples a box at places from -1 to 1. */
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

/* An upper bound by quadratic forms in *bound, if it is lower; samples about
 * where they are greatest. */
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

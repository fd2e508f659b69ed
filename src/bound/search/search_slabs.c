/*
 * search_slabs.c
 *		Slabs of a search: dimensions added to its boxes for values that several
 *		columns share, and for the phases of sines (affine.h).
 */
#include <math.h>
#include <string.h>

#include "bound/relax/contract.h"
#include "bound/search/search_state.h"

#define WHOLE_PHASE 6.2831853071795871
#define LEAST_PERIODS 20
#define MAX_PERIODS 2

/* Adds a slab for the argument of a sine that goes through many periods. */
static void
find_period(DpsSearch *s, uint32_t i)
{
	const DpsInstruction *instruction = &s->on_boxes->code[i];
	DpsInterval argument;

	if (instruction->op != DPS_OP_SIN && instruction->op != DPS_OP_COS)
		return;
	argument = s->box[instruction->arg[0]].value;
	if (argument.hi - argument.lo > LEAST_PERIODS * 6.28)
		(void) dps_affine_add_slab(&s->affine, instruction->arg[0], true);
}

/*
 * Slabs help with a factor of the value that is a function of a value which
 * several columns share, and with sines of an argument that takes several
 * periods.
 */
void
dps_choose_slabs(DpsSearch *s)
{
	const DpsCompounds *compounds = &s->affine.compounds;
	uint32_t	value = dps_program_outputs(s->on_boxes)[0];
	uint32_t	i;
	int			k;

	for (k = 0; k < s->n; k++)
		s->domain[s->variable[k]] = s->root[k];
	dps_enclose(s->on_boxes, s->domain, s->box);
	for (k = 0; k < compounds->nproducts; k++)
	{
		const DpsProduct *product = &compounds->product[k];
		int			f;

		for (f = 0; f < product->n && product->n > 1 && product->instruction == value; f++)
		{
			uint32_t	argument = compounds->compound[product->factor[f].index].argument;

			if (!product->factor[f].compound || s->on_boxes->code[argument].op == DPS_OP_VAR)
				continue;
			s->slab_compound[s->affine.nslabs < DPS_MAX_SLABS ? s->affine.nslabs : 0] = product->factor[f].index;
			(void) dps_affine_add_slab(&s->affine, argument, false);
		}
	}
	if (s->affine.nslabs == 0)
		for (i = 0; i < value; i++)
			find_period(s, i);
	if (s->affine.nslabs > MAX_PERIODS)
	{
		/* too many to cut one by one */
		memset(s->affine.slab_of, 0, s->on_boxes->ninstructions);
		s->affine.nslabs = 0;
	}
}

/* Sets the slabs to those of the box. */
void
dps_put_slabs(DpsSearch *s, DpsBox *box)
{
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		DpsDomain  *own = &box->domain[s->n + a];

		/* the box may have been made before the slabs */
		if (s->affine.slab[a].periodic && isinf(own->lo))
		{
			own->lo = 0;
			own->hi = WHOLE_PHASE;
		}
		s->affine.slab[a].within = dps_iv(own->lo, own->hi);
	}
}

/* Narrows the box's slabs to the ranges of their instructions. */
void
dps_cut_slabs(const DpsSearch *s, DpsBox *box)
{
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];
		DpsDomain  *own = &box->domain[s->n + a];

		if (slab->periodic || dps_iv_is_empty(slab->natural))
			continue;
		own->lo = fmax(own->lo, slab->natural.lo);
		own->hi = fmin(own->hi, slab->natural.hi);
	}
}

/* Does a slab exclude a part of the box? */
bool
dps_is_sliced(const DpsSearch *s)
{
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];

		if (slab->periodic ? slab->within.hi - slab->within.lo < 6.28 :
			slab->within.lo > slab->natural.lo || slab->within.hi < slab->natural.hi)
			return true;
	}
	return false;
}

/* Cuts the box's upper bound, and the box, by the form of the value within the
 * slabs; false if nothing is left. */
bool
dps_bound_in_slabs(DpsSearch *s, DpsBox *box, const DpsDomain *whole)
{
	const DpsForm *form = &s->affine.form[dps_program_outputs(s->on_boxes)[0]];
	int			a;

	for (a = 0; a < s->affine.nslabs; a++)
	{
		const DpsSlab *slab = &s->affine.slab[a];
		const DpsForm *other = &s->affine.form[slab->instruction];
		DpsInterval range = s->affine.range[slab->instruction];
		DpsForm		relaxed;

		if (slab->wide || dps_iv_is_empty(range))
			continue;
		box->upper = fmin(box->upper, dps_bound_within(form, other, range, s->n, &relaxed));
		if (!dps_contract(&relaxed, s->n, whole, box->domain, dps_iv(s->lower, INFINITY)) ||
			!dps_contract(other, s->n, whole, box->domain, range))
			return false;
	}
	return true;
}

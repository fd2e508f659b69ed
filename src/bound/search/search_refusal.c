/*
 * search_refusal.c
 *		Refusals: expressions that are not defined and finite on the whole box.
 *
 * "Not proved defined" does not prove the contrary: a point at which a value is
 * proved undefined, or beyond every double, is a DPS_DOMAIN; a box that is not
 * proved before it is too small, or before boxes run out, is a DPS_UNABLE.
 */
#include <float.h>
#include <math.h>

#include "bound/search/search_state.h"

#define OUT_OF_RANGE (DBL_MAX * (1 - 1e-12))

/* At a point: is the value beyond every double, up to the error of a function
 * of libm? */
static bool
out_of_range(const DpsEnclosure *e)
{
	return (e->value.hi == INFINITY && e->value.lo >= OUT_OF_RANGE) ||
		(e->value.lo == -INFINITY && e->value.hi <= -OUT_OF_RANGE);
}

static bool
is_unbounded(const DpsEnclosure *e)
{
	return !dps_iv_is_empty(e->value) && !dps_iv_is_finite(e->value);
}

/* The innermost instruction with a property, along arguments with it; -1 if
 * instruction i has not the property. */
int
dps_innermost(const DpsProgram *program, const DpsEnclosure *enclosures, uint32_t i,
		  bool (*has) (const DpsEnclosure *e))
{
	int			found = -1;
	int			a;

	while (has(&enclosures[i]) && found != (int) i)
	{
		found = i;
		for (a = 0; program->code[i].op != DPS_OP_VAR && a < program->code[i].nargs; a++)
		{
			if (has(&enclosures[program->code[i].arg[a]]))
			{
				i = program->code[i].arg[a];
				break;
			}
		}
	}
	return found;
}

/* The culprit of values that are not defined and finite; -1 if unknown. */
int
dps_culprit_of(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	int			k;

	for (k = s->nvalues - 1; k >= 0; k--)
	{
		int			culprit = enclosures[outputs[k]].defined == DPS_DEFINED ?
			dps_innermost(program, enclosures, outputs[k], is_unbounded) :
			dps_culprit(program, enclosures, k);

		if (culprit >= 0)
			return culprit;
	}
	return -1;
}

void
dps_refuse(DpsSearch *s, DpsStatus status, int culprit, const DpsProgram *program, const double *x)
{
	s->refused = true;
	s->bracket->status = status;
	s->bracket->culprit = culprit < 0 ? s->objective->node :
		dps_node_of(s->graph, program->code[culprit].node);
	dps_write_witness(s, x);
}

/*
 * Refuses if a value is proved to be undefined or beyond every double at x.
 * "Not proved defined" does not prove that, nor does an infinite end.
 */
static bool
refuse_at(DpsSearch *s, const double *x)
{
	DpsDefined	defined;
	int			culprit;

	dps_enclose_point(s, x);
	defined = dps_values_defined(s, s->at_points, s->point);
	if (dps_note_values(s, x) || (defined == DPS_DEFINED && dps_values_finite(s, s->at_points, s->point)))
		return false;
	culprit = dps_culprit_of(s, s->at_points, s->point);
	if (dps_guards_hold(s, s->at_points, s->point) && isfinite(dps_cover_bound(s)))
		return false;
	if (defined != DPS_UNDEFINED &&
		!(culprit >= 0 && out_of_range(&s->point[culprit]) && !s->at_points->code[culprit].real))
		return false;
	dps_refuse(s, DPS_DOMAIN, culprit, s->at_points, x);
	return true;
}

/* For a domain with 0: the number beside it, above it where there is one. */
static double
beside_zero(const DpsDomain *domain)
{
	double		step = domain->integral ? 1 : DBL_TRUE_MIN;

	return domain->hi >= step ? step : domain->lo <= -step ? -step : 0;
}

/*
 * Looks for such a point: the middle of the box and, if thorough, its corners in the first
 * three dimensions of the mask, the point nearest to 0, and one beside that, where what a
 * condition keeps from dividing by 0 may overflow: 1 / x of the least x.
 */
bool
dps_find_undefined(DpsSearch *s, const DpsBox *box, uint64_t mask, bool thorough)
{
	double		x[DPS_MAX_DIMENSIONS];
	int			k;

	dps_middle_of(s, box->domain, x);
	if (refuse_at(s, x))
		return true;
	if (!thorough)
		return false;
	if (dps_any_corner(s, box, mask, refuse_at, x))
		return true;
	for (k = 0; k < s->n; k++)
		if (!isnan(x[k]))
			x[k] = fmax(box->domain[k].lo, fmin(box->domain[k].hi, 0.0));
	if (refuse_at(s, x))
		return true;
	for (k = 0; k < s->n; k++)
		if (!isnan(x[k]) && x[k] == 0)
			x[k] = beside_zero(&box->domain[k]);
	return refuse_at(s, x);
}

/* Refuses when boxes ran out before everything was proved defined. */
void
dps_refuse_unresolved(DpsSearch *s, DpsBox *box)
{
	double		x[DPS_MAX_DIMENSIONS];

	dps_enclose_box(s, box);
	dps_middle_of(s, box->domain, x);
	dps_refuse(s, DPS_UNABLE, dps_culprit_of(s, s->on_boxes, s->box), s->on_boxes, x);
}

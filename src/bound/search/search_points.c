/*
 * search_points.c
 *		Values at points, which raise the lower end, and the gap at which a
 *		search ends.
 *
 * Only enclosures at points raise the lower end, so it is proved as well.  The
 * search ends when upper - lower is at most
 *
 *		tolerance * max(|upper|, |lower|), or
 *		tolerance * 1e-6 * (the greatest - the least value seen), for suprema
 *			close to 0, or
 *		4 * (the width of the enclosure at the witness), the rounding errors
 *			below which no search can see.
 */
#include <math.h>
#include <string.h>

#include "bound/search/search_state.h"

#define SPREAD_PART 1e-6
#define NOISE_FACTOR 4.0

/* An enclosure at a point this wide, relative to its value, says nothing. */
#define MOST_NOISE 0.5

/* Corners are those in so many dimensions. */
#define CORNER_DIMENSIONS 3

/* The worst answer of the values to "is it defined?". */
DpsDefined
dps_values_defined(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	DpsDefined	worst = DPS_DEFINED;
	int			k;

	for (k = 0; k < s->nvalues; k++)
		if (enclosures[outputs[k]].defined > worst)
			worst = enclosures[outputs[k]].defined;
	return worst;
}

/* Always NULL if one of the values is; never NULL if no value can be. */
DpsNullness
dps_values_nullness(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	DpsNullness worst = DPS_NEVER_NULL;
	int			k;

	for (k = 0; k < s->nvalues; k++)
		if (enclosures[outputs[k]].nullness > worst)
			worst = enclosures[outputs[k]].nullness;
	return worst;
}

/* Are the values finite?  An empty enclosure, of NULL only, counts as
 * finite. */
bool
dps_values_finite(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	int			k;

	for (k = 0; k < s->nvalues; k++)
		if (!dps_iv_is_empty(enclosures[outputs[k]].value) && !dps_iv_is_finite(enclosures[outputs[k]].value))
			return false;
	return true;
}

/* Are the guards defined and finite, where the objective perhaps is not? */
bool
dps_guards_hold(const DpsSearch *s, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	const uint32_t *outputs = dps_program_outputs(program);
	int			k;

	for (k = 1; k < s->nvalues; k++)
	{
		const DpsEnclosure *e = &enclosures[outputs[k]];

		if (e->defined != DPS_DEFINED || !(dps_iv_is_empty(e->value) || dps_iv_is_finite(e->value)))
			return false;
	}
	return true;
}

/* The upper end of the cover on s->domain; Infinity if it is not defined and
 * finite all over it, or if there is none. */
double
dps_cover_bound(DpsSearch *s)
{
	const DpsEnclosure *e;

	if (s->cover == NULL)
		return INFINITY;
	(void) dps_enclose_guarded(s->cover, s->domain, s->covered);
	e = &s->covered[dps_program_outputs(s->cover)[0]];
	if (e->defined != DPS_DEFINED || e->nullness != DPS_NEVER_NULL || dps_iv_is_empty(e->value) || !dps_iv_is_finite(e->value))
		return INFINITY;
	return e->value.hi;
}

/* Encloses the values at a point; x by dimension, NaN is NULL. */
void
dps_enclose_point(DpsSearch *s, const double *x)
{
	int			k;

	for (k = 0; k < s->n; k++)
	{
		DpsDomain  *domain = &s->domain[s->variable[k]];

		domain->integral = false;
		domain->nullness = isnan(x[k]) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		domain->lo = domain->hi = isnan(x[k]) ? s->root[k].lo : x[k];
	}
	dps_count_work(s, s->point_work, 1);
	(void) dps_enclose_guarded(s->at_points, s->domain, s->point);
}

/* Columns without influence get any value of their range. */
void
dps_write_witness(DpsSearch *s, const double *x)
{
	DpsPoint   *witness = &s->bracket->witness;
	int			j;
	int			k;

	memset(witness, 0, sizeof(*witness));
	for (j = 0; j < s->objective->ncolumns; j++)
		witness->x[j] = s->objective->box[j].nullness == DPS_ALWAYS_NULL ?
			(double) NAN : dps_middle(&s->objective->box[j]);
	for (k = 0; k < s->n; k++)
		witness->x[s->variable[k]] = x[k];
}

/* The width of the enclosure at a point; 0 where it may be arbitrarily wide,
 * since another point may have a narrower one. */
static double
noise_of(DpsInterval value)
{
	double		width = value.hi - value.lo;

	return width <= MOST_NOISE * fmax(fabs(value.lo), fabs(value.hi)) ? width : 0.0;
}

/* Raises the lower end by the values that were enclosed at x; false if there
 * are none. */
bool
dps_note_values(DpsSearch *s, const double *x)
{
	DpsInterval value = s->point[dps_program_outputs(s->at_points)[0]].value;

	if (dps_values_defined(s, s->at_points, s->point) != DPS_DEFINED ||
		dps_values_nullness(s, s->at_points, s->point) != DPS_NEVER_NULL ||
		!dps_values_finite(s, s->at_points, s->point) || dps_iv_is_empty(value))
		return false;
	if (value.lo > s->greatest)
		memcpy(s->top, x, sizeof(double) * s->n);
	s->greatest = fmax(s->greatest, value.lo);
	s->least = fmin(s->least, value.hi);
	if (!s->sampled || value.lo > s->lower)
	{
		dps_write_witness(s, x);
		if (value.lo > s->lower)
		{
			s->lower = value.lo;
			s->noise = noise_of(value);
		}
	}
	s->sampled = true;
	return true;
}

bool
dps_sample(DpsSearch *s, const double *x)
{
	dps_enclose_point(s, x);
	return dps_note_values(s, x);
}

void
dps_middle_of(const DpsSearch *s, const DpsDomain *domain, double *x)
{
	int			k;

	for (k = 0; k < s->n; k++)
		x[k] = domain[k].nullness == DPS_ALWAYS_NULL ? (double) NAN : dps_middle(&domain[k]);
}

/* Neighbouring numbers have no number between them, and are two corners all the same: what cannot be
 * cut is not left out. */
bool
dps_any_corner(DpsSearch *s, const DpsBox *box, uint64_t mask, bool (*visit) (DpsSearch *s, const double *x), double *x)
{
	int			some[CORNER_DIMENSIONS];
	int			nsome = 0;
	int			corner;
	int			k;

	for (k = 0; k < s->n && nsome < CORNER_DIMENSIONS; k++)
		if ((mask & (UINT64_C(1) << s->variable[k])) && !isnan(x[k]) && box->domain[k].lo < box->domain[k].hi)
			some[nsome++] = k;
	for (corner = 0; corner < 1 << nsome; corner++)
	{
		for (k = 0; k < nsome; k++)
			x[some[k]] = corner & (1 << k) ? box->domain[some[k]].hi : box->domain[some[k]].lo;
		if (visit(s, x))
			return true;
	}
	return false;
}

/* As dps_sample; goes on. */
static bool
sample_corner(DpsSearch *s, const double *x)
{
	(void) dps_sample(s, x);
	return false;
}

void
dps_look_at_corners(DpsSearch *s, const DpsBox *box)
{
	double		x[DPS_MAX_DIMENSIONS];

	dps_middle_of(s, box->domain, x);
	(void) dps_any_corner(s, box, ~UINT64_C(0), sample_corner, x);
}

double
dps_allowance(const DpsSearch *s, double upper)
{
	double		allowed = s->options->tolerance * fmax(fabs(upper), fabs(s->lower));

	if (s->lower == -INFINITY)
		return 0.0;
	if (s->greatest > s->least)
		allowed = fmax(allowed, s->options->tolerance * (SPREAD_PART * s->greatest - SPREAD_PART * s->least));
	return fmax(allowed, NOISE_FACTOR * s->noise);
}

bool
dps_good_enough(const DpsSearch *s, double upper)
{
	return upper <= s->lower || upper - s->lower <= dps_allowance(s, upper);
}

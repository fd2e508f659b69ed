/*
 * search_climbs.c
 *		Witnesses: local searches from points spread over the box, and from
 *		witnesses found by chance.
 */
#include <math.h>

#include "bound/search/search_state.h"

#define CLIMB_STARTS 5
#define CLIMBS_LATER 24
#define COST_OF_FAILURE 7

DpsStatus
dps_climb_from(DpsSearch *s, const DpsDomain *domain, double *x)
{
	double		lo[DPS_MAX_DIMENSIONS];
	double		hi[DPS_MAX_DIMENSIONS];
	int			variable[DPS_MAX_DIMENSIONS];
	DpsClimb   *climb = &s->climb;
	int			k;

	climb->n = 0;
	climb->lo = lo;
	climb->hi = hi;
	climb->variable = variable;
	for (k = 0; k < s->n; k++)
	{
		climb->point[s->variable[k]] = x[k];
		if (isnan(x[k]) || domain[k].integral || domain[k].lo >= domain[k].hi)
			continue;
		lo[climb->n] = domain[k].lo;
		hi[climb->n] = domain[k].hi;
		variable[climb->n++] = s->variable[k];
	}
	DPS_TRY(dps_climb(climb));
	for (k = 0; k < s->n; k++)
		x[k] = climb->point[s->variable[k]];
	(void) dps_sample(s, x);
	return DPS_OK;
}

/* Climbs from a few points spread over the box by an additive recurrence. */
DpsStatus
dps_climb_at_first(DpsSearch *s)
{
	double		x[DPS_MAX_DIMENSIONS];
	int			start;
	int			k;

	s->climbs = CLIMBS_LATER;
	for (start = 0; start < CLIMB_STARTS; start++)
	{
		double		share = 0.5;

		for (k = 0; k < s->n; k++)
		{
			const DpsDomain *domain = &s->root[k];

			/* the fractional parts of multiples of roots of 2 are spread */
			share = start == 0 ? 0.5 : fmod(start * pow(2.0, (k + 1.0) / (s->n + 1.0)) + 0.25, 1.0);
			x[k] = domain->lo * (1.0 - share) + domain->hi * share;
			if (domain->integral)
				x[k] = rint(x[k]);
			if (domain->nullness == DPS_ALWAYS_NULL ||
				(domain->nullness == DPS_MAYBE_NULL && start % 2 == 1))
				x[k] = (double) NAN;
		}
		(void) dps_sample(s, x);
		DPS_TRY(dps_climb_from(s, s->root, x));
	}
	return DPS_OK;
}

/* Climbs from a witness that was found by chance, if it is much better than
 * before. */
DpsStatus
dps_climb_again(DpsSearch *s, double before)
{
	double		x[DPS_MAX_DIMENSIONS];
	int			k;

	if (s->climbs <= 0 || !(s->lower - before > dps_allowance(s, s->lower)))
		return DPS_OK;
	s->climbs--;
	for (k = 0; k < s->n; k++)
		x[k] = s->bracket->witness.x[s->variable[k]];
	before = s->lower;
	DPS_TRY(dps_climb_from(s, s->root, x));
	/* after a climb without gain, at a jump for instance, others are not
	 * likely to gain */
	if (!(s->lower - before > dps_allowance(s, s->lower)))
		s->climbs -= COST_OF_FAILURE;
	return DPS_OK;
}

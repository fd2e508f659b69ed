/*
 * profile.c
 *		Where a function of one value rises and falls, and how it bends.
 *
 * exp(u) / (1 + exp(u))^2 over u in [-100, 50] is at most 1/4, but its enclosure
 * ends at e^50, and those of a few pieces are hardly better.  So the domain is
 * cut, once, until the signs of the derivatives are known on each segment or the
 * segment matters little.  From then on the range over any part of the domain
 * follows from values at the ends of segments: a monotone function lies between
 * them; a convex one below its chord and above its tangents.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/relax/profile.h"

#define MAX_SEGMENTS 128
#define MAX_CUTS 384

/* A segment is not cut if its excess is at most this part of all other
 * ranges. */
#define SMALL_PART 1e-8

bool
dps_jet(const DpsUnivariate *f, DpsInterval x, DpsJet *jet)
{
	const uint32_t *outputs = dps_program_outputs(f->program);
	int			k;

	(void) dps_arena_work(f->arena, f->program->ninstructions);
	f->domain[f->variable] = (DpsDomain) {x.lo, x.hi, DPS_NEVER_NULL, false};
	dps_enclose(f->program, f->domain, f->scratch);
	for (k = 0; k < 3; k++)
	{
		const DpsEnclosure *e = &f->scratch[outputs[k]];

		jet->d[k] = e->value;
		/* a derivative means nothing if the function jumps */
		if (e->defined != DPS_DEFINED || e->nullness != DPS_NEVER_NULL || dps_iv_is_empty(e->value) ||
			!f->scratch[outputs[0]].continuous || (k == 2 && !f->scratch[outputs[1]].continuous))
			jet->d[k] = DPS_ENTIRE;
	}
	return dps_iv_is_finite(jet->d[0]);
}

static int
sign_of(DpsInterval x)
{
	return x.lo >= 0 ? 1 : x.hi <= 0 ? -1 : 0;
}

/*
 * The least possible value of a convex function between a and b, by its values
 * and derivatives there.  It is above its tangents.  If the function falls at a
 * and rises at b, then for any t it is above the value at t of the tangent in a
 * on the left of t, and of the tangent in b on the right.  The best t is where
 * the tangents meet.
 */
static double
least_convex(double a, double b, DpsInterval at_a, DpsInterval at_b, DpsInterval slope_a, DpsInterval slope_b)
{
	double		t;
	double		left;
	double		right;

	if (slope_a.lo >= 0)
		return at_a.lo;
	if (slope_b.hi <= 0)
		return at_b.lo;
	if (!isfinite(slope_a.lo) || !isfinite(slope_b.hi))
		return -INFINITY;
	t = (at_b.lo - at_a.lo + slope_a.lo * a - slope_b.hi * b) / (slope_a.lo - slope_b.hi);
	t = t > a ? fmin(t, b) : a;
	left = dps_iv_add(dps_iv(at_a.lo, at_a.lo), dps_iv_mul(dps_iv(slope_a.lo, slope_a.lo), dps_iv_sub(dps_iv(t, t), dps_iv(a, a)))).lo;
	right = dps_iv_add(dps_iv(at_b.lo, at_b.lo), dps_iv_mul(dps_iv(slope_b.hi, slope_b.hi), dps_iv_sub(dps_iv(t, t), dps_iv(b, b)))).lo;
	return fmin(left, right);
}

/* The greatest possible value of a concave function, likewise. */
static double
greatest_concave(double a, double b, DpsInterval at_a, DpsInterval at_b, DpsInterval slope_a, DpsInterval slope_b)
{
	return -least_convex(a, b, dps_iv_neg(at_a), dps_iv_neg(at_b), dps_iv_neg(slope_a), dps_iv_neg(slope_b));
}

/* The range on the part t of a segment, by the jets at the ends of t. */
static DpsInterval
range_between(const DpsSegment *s, DpsInterval t, const DpsJet *lo, const DpsJet *hi, const DpsJet *over)
{
	DpsInterval ends = dps_iv_hull(lo->d[0], hi->d[0]);
	DpsInterval range = over->d[0];

	if (s->rise != 0)
		return dps_iv_intersect(range, ends);
	if (s->bend > 0)
		return dps_iv_intersect(range, dps_iv(least_convex(t.lo, t.hi, lo->d[0], hi->d[0], lo->d[1], hi->d[1]), ends.hi));
	if (s->bend < 0)
		return dps_iv_intersect(range, dps_iv(ends.lo, greatest_concave(t.lo, t.hi, lo->d[0], hi->d[0], lo->d[1], hi->d[1])));
	return range;
}

/*
 * Making
 */

/* False if the function is not finite on the segment. */
static bool
measure(const DpsUnivariate *f, DpsSegment *s)
{
	if (!dps_jet(f, dps_iv(s->lo, s->hi), &s->over) || !dps_jet(f, dps_iv(s->lo, s->lo), &s->at_lo) ||
		!dps_jet(f, dps_iv(s->hi, s->hi), &s->at_hi))
		return false;
	s->rise = sign_of(s->over.d[1]);
	s->bend = sign_of(s->over.d[2]);
	s->range = range_between(s, dps_iv(s->lo, s->hi), &s->at_lo, &s->at_hi, &s->over);
	return true;
}

/* How far the range of a segment exceeds the values at its ends. */
static double
excess(const DpsSegment *s)
{
	DpsInterval range = s->range;
	DpsInterval ends = dps_iv_hull(s->at_lo.d[0], s->at_hi.d[0]);

	return fmax(range.hi - ends.hi, ends.lo - range.lo);
}

/* The segment to cut: that with the greatest excess; -1 if this does not
 * matter. */
static int
choose(const DpsSegment *segment, int n)
{
	DpsInterval all = DPS_EMPTY;
	double		most = 0;
	int			best = -1;
	int			k;

	for (k = 0; k < n; k++)
	{
		double		own = excess(&segment[k]);

		all = dps_iv_hull(all, dps_iv_hull(segment[k].at_lo.d[0], segment[k].at_hi.d[0]));
		if (own > most)
		{
			most = own;
			best = k;
		}
	}
	return most > SMALL_PART * (all.hi - all.lo) ? best : -1;
}

/* Cuts segment k in two; false if it cannot be cut. */
static bool
cut(const DpsUnivariate *f, DpsSegment *segment, int n, int k)
{
	DpsDomain	whole = {segment[k].lo, segment[k].hi, DPS_NEVER_NULL, false};
	DpsDomain	below;
	DpsDomain	above;

	if (!dps_cut(&whole, &below, &above))
		return false;
	memmove(&segment[k + 2], &segment[k + 1], sizeof(DpsSegment) * (n - k - 1));
	segment[k].hi = segment[k + 1].lo = below.hi;
	segment[k + 1].hi = whole.hi;
	return measure(f, &segment[k]) && measure(f, &segment[k + 1]);
}

/* Joins neighbours with the same known signs. */
static int
merge(DpsSegment *segment, int n)
{
	int			last = 0;
	int			k;

	for (k = 1; k < n; k++)
	{
		DpsSegment *s = &segment[last];

		if (s->bend != 0 && s->bend == segment[k].bend && s->rise != 0 && s->rise == segment[k].rise)
		{
			int			i;

			s->hi = segment[k].hi;
			s->at_hi = segment[k].at_hi;
			s->range = dps_iv_hull(s->range, segment[k].range);
			for (i = 0; i < 3; i++)
				s->over.d[i] = dps_iv_hull(s->over.d[i], segment[k].over.d[i]);
		}
		else
			segment[++last] = segment[k];
	}
	return last + 1;
}

bool
dps_profile_make(DpsArena *arena, const DpsUnivariate *f, DpsInterval x, const DpsProfile **made)
{
	DpsProfile *profile;
	int			cuts;
	int			k = 0;

	*made = NULL;
	if (!dps_iv_is_finite(x))
		return true;
	profile = dps_arena_alloc(arena, sizeof(DpsProfile));
	if (profile == NULL)
		return false;
	profile->segment = dps_arena_alloc(arena, sizeof(DpsSegment) * MAX_SEGMENTS);
	if (profile->segment == NULL)
		return false;
	profile->domain = x;
	profile->segment[0].lo = x.lo;
	profile->segment[0].hi = x.hi;
	profile->n = 1;
	if (!measure(f, &profile->segment[0]))
		return true;
	for (cuts = 0; cuts < MAX_CUTS && (k = choose(profile->segment, profile->n)) >= 0; cuts++)
	{
		if (!dps_arena_step(arena))
			return false;
		if (!cut(f, profile->segment, profile->n, k))
			return true;
		if (++profile->n == MAX_SEGMENTS)
			profile->n = merge(profile->segment, profile->n);
		if (profile->n == MAX_SEGMENTS)
			break;
	}
	profile->n = merge(profile->segment, profile->n);
	*made = profile;
	return true;
}

/*
 * Bounds
 */

/* value - slope * t */
static DpsInterval
less_line(DpsInterval value, double slope, DpsInterval t)
{
	return dps_iv_sub(value, dps_iv_mul(dps_iv(slope, slope), t));
}

/* The function less the line, on the part t with jets known at its ends. */
static DpsInterval
rest_between(const DpsSegment *s, DpsInterval t, const DpsJet *lo, const DpsJet *hi, DpsInterval range, double slope)
{
	DpsInterval own = dps_iv(slope, slope);
	DpsInterval at_lo = less_line(lo->d[0], slope, dps_iv(t.lo, t.lo));
	DpsInterval at_hi = less_line(hi->d[0], slope, dps_iv(t.hi, t.hi));
	DpsInterval ends = dps_iv_hull(at_lo, at_hi);
	DpsInterval rest = less_line(range, slope, t);
	DpsInterval slope_lo = dps_iv_sub(lo->d[1], own);
	DpsInterval slope_hi = dps_iv_sub(hi->d[1], own);

	if (s->bend > 0)
		return dps_iv(fmax(rest.lo, least_convex(t.lo, t.hi, at_lo, at_hi, slope_lo, slope_hi)), fmin(rest.hi, ends.hi));
	if (s->bend < 0)
		return dps_iv(fmax(rest.lo, ends.lo),
					  fmin(rest.hi, greatest_concave(t.lo, t.hi, at_lo, at_hi, slope_lo, slope_hi)));
	return rest;
}

/* Adds the part of x in a segment to range and rest. */
static void
add_share(const DpsUnivariate *f, const DpsSegment *s, DpsInterval x, double slope, DpsInterval *range,
		  DpsInterval *rest)
{
	DpsInterval t = dps_iv(fmax(s->lo, x.lo), fmin(s->hi, x.hi));
	bool		whole = t.lo == s->lo && t.hi == s->hi;
	DpsJet		lo = s->at_lo;
	DpsJet		hi = s->at_hi;
	DpsJet		over = s->over;
	DpsInterval own;

	/* a point without a finite enclosure has that of the segment */
	if (t.lo != s->lo && !dps_jet(f, dps_iv(t.lo, t.lo), &lo))
		lo = s->over;
	if (t.hi != s->hi && !dps_jet(f, dps_iv(t.hi, t.hi), &hi))
		hi = s->over;
	if (!whole && s->rise == 0 && !dps_jet(f, t, &over))
		over = s->over;
	own = range_between(s, t, &lo, &hi, &over);
	/* the range of the whole segment may be narrower */
	if (!whole)
		own = dps_iv_intersect(own, s->range);
	*range = dps_iv_hull(*range, own);
	*rest = dps_iv_hull(*rest, rest_between(s, t, &lo, &hi, own, slope));
}

void
dps_profile_bound(const DpsProfile *profile, const DpsUnivariate *f, DpsInterval x, double slope,
				  DpsInterval *range, DpsInterval *rest)
{
	int			k;

	*range = *rest = DPS_EMPTY;
	for (k = 0; k < profile->n; k++)
		if (profile->segment[k].lo <= x.hi && profile->segment[k].hi >= x.lo)
			add_share(f, &profile->segment[k], x, slope, range, rest);
}

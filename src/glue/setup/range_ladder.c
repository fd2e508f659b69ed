/*
 * range_ladder.c
 *		What ranges of a column would clamp, and what noise they would add.
 *
 * Values beyond a range are taken for its end, and noise grows with the range: bias against variance, as of limits of
 * rows (limit_ladder.c).  The ladder's ends are 0 and 1, 2 and 5 times powers of ten of both signs, so that they tell nothing
 * of any row but which of them was chosen, by noised numbers.
 *
 * A step goes from behind one end to the next one away from 0, which it includes, since ranges end in round numbers and so
 * do values; 0 is a step by itself.  Values of a step are taken to lie where they do on average if a number x is as frequent as
 * 1 / x: at (b - a) / ln(b / a), of the steps beside 0 in their middle, and of those beyond the last ends at twice those.
 *
 * All that is computed here is computed from noised numbers, so it costs nothing.  Steps count from the first
 * to the last that has scale * ln(20 n) rows or more: noise alone makes as many of any of n empty steps with a probability below
 * 1/20 (limit_ladder.c).  Within, numbers are taken as they are, with signs, since those without would be too large on the whole.
 */
#include "postgres.h"

#include <math.h>

#include "glue/setup/range_ladder.h"

/* The least and the greatest power of ten. */
#define LEAST_POWER (-3)
#define GREATEST_POWER 9

/* Ends above 0, rising; of whole numbers from 1 on. */
static int
list_ends(bool is_whole, double *ends)
{
	static const double digits[] = {1, 2, 5};
	int			n = 0;
	int			power;
	int			i;

	for (power = is_whole ? 0 : LEAST_POWER; power < GREATEST_POWER; power++)
	{
		/* by division, so that 0.2 is the number that is written so */
		for (i = 0; i < (int) lengthof(digits); i++)
			ends[n++] = power < 0 ? digits[i] / pow(10, -power) : digits[i] * pow(10, power);
	}
	ends[n++] = pow(10, GREATEST_POWER);
	return n;
}

#define MOST_ENDS (3 * (GREATEST_POWER - LEAST_POWER) + 1)

/* The next number. */
static double
behind(double end, bool is_whole)
{
	return is_whole ? end + 1 : nextafter(end, INFINITY);
}

DpsRangeStep *
dps_range_ladder(bool is_whole, int *n)
{
	double		ends[MOST_ENDS];
	int			nends = list_ends(is_whole, ends);
	DpsRangeStep *steps = palloc0(sizeof(DpsRangeStep) * (2 * nends + 3));
	int			zero = nends + 1;
	int			i;

	*n = 2 * nends + 3;
	for (i = 0; i <= nends; i++)
	{
		DpsRangeStep *above = &steps[zero + 1 + i];
		DpsRangeStep *below = &steps[zero - 1 - i];

		above->lo = behind(i == 0 ? 0 : ends[i - 1], is_whole);
		above->hi = i < nends ? ends[i] : INFINITY;
		below->lo = -above->hi;
		below->hi = -above->lo;
	}
	return steps;
}

/* Where values of a step lie on average. */
static double
place_of(const DpsRangeStep *step)
{
	double		a = fmin(fabs(step->lo), fabs(step->hi));
	double		b = fmax(fabs(step->lo), fabs(step->hi));
	double		place;

	if (b == 0)
		return 0;
	if (isinf(b))
		place = 2 * a;
	else if (a == b)
		place = a;
	else if (a < b / 100)
		place = (a + b) / 2;
	else
		place = (b - a) / log(b / a);
	return step->hi > 0 ? place : -place;
}

/* The steps that have rows; false if there are none. */
static bool
find_rows(const DpsRangeStep *steps, int n, double threshold, int *first, int *last)
{
	*first = 0;
	*last = n - 1;
	while (*first < n && !(steps[*first].rows >= threshold && steps[*first].rows > 0))
		(*first)++;
	while (*last > *first && !(steps[*last].rows >= threshold && steps[*last].rows > 0))
		(*last)--;
	return *first < n;
}

static void
weigh(const DpsRangeStep *steps, int first, int last, const DpsRangeNoise *noise, DpsRangeChoice *choice)
{
	double		rows = 0;
	double		outside = 0;
	double		clamped = 0;
	int			i;

	for (i = first; i <= last; i++)
	{
		double		place = place_of(&steps[i]);

		rows += steps[i].rows;
		if (steps[i].hi <= choice->hi && steps[i].lo >= choice->lo)
			continue;
		outside += steps[i].rows;
		clamped += steps[i].rows * (place > choice->hi ? place - choice->hi : choice->lo - place);
	}
	choice->share_clamped = rows > 0 ? Min(Max(outside / rows, 0), 1) : 0;
	choice->clamped = Max(clamped, 0);
	choice->noise = noise->factor * (noise->is_of_length ? choice->hi - choice->lo : fmax(fabs(choice->lo), fabs(choice->hi)));
	choice->error = hypot(choice->clamped, choice->noise);
}

/* The end of a step that is further from 0; of those beyond the last ends the nearer one. */
static double
end_of(const DpsRangeStep *step)
{
	double		far = step->hi > 0 ? step->hi : step->lo;
	double		near = step->hi > 0 ? step->lo : step->hi;

	if (isinf(far))
		return near > 0 ? pow(10, GREATEST_POWER) : -pow(10, GREATEST_POWER);
	return far;
}

/* The ends of the steps that have rows, and 0, rising and each once. */
static int
list_choices(const DpsRangeStep *steps, int n, int first, int last, double *ends)
{
	int			zero = n / 2;
	int			nends = 0;
	int			i;

	/* a step above 0 begins where the one before it ends, and one below ends where the one behind it begins */
	if (first > zero)
		first--;
	if (last < zero)
		last++;
	for (i = Min(first, zero); i <= Max(last, zero); i++)
	{
		double		end = end_of(&steps[i]);

		if ((i == zero || (i >= first && i <= last)) && (nends == 0 || end > ends[nends - 1]))
			ends[nends++] = end;
	}
	return nends;
}

DpsRangeChoice *
dps_weigh_ranges(DpsRangeStep *steps, int n, double scale, const DpsRangeNoise *noise, int *nchoices)
{
	double	   *ends = palloc(sizeof(double) * n);
	DpsRangeChoice *choices;
	int			first;
	int			last;
	int			nends;
	int			best = 0;
	int			lo;
	int			hi;

	*nchoices = 0;
	if (!find_rows(steps, n, scale * log(20.0 * n), &first, &last))
		return NULL;
	nends = list_choices(steps, n, first, last, ends);
	choices = palloc0(sizeof(DpsRangeChoice) * nends * nends);
	for (lo = 0; lo < nends; lo++)
	{
		for (hi = lo + 1; hi < nends; hi++)
		{
			DpsRangeChoice *choice = &choices[*nchoices];

			choice->lo = ends[lo];
			choice->hi = ends[hi];
			weigh(steps, first, last, noise, choice);
			if (choice->error < choices[best].error)
				best = *nchoices;
			(*nchoices)++;
		}
	}
	if (*nchoices > 0)
		choices[best].is_best = true;
	return choices;
}

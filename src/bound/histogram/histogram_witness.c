/*
 * histogram_witness.c
 *		Histograms at which the outputs move far: the lower end of a sensitivity.
 */
#include <math.h>
#include <string.h>

#include "bound/histogram/histogram_search.h"

/* Instructions that each of both searches for a first witness may take. */
#define FIRST_WORK 1e6

DpsRoom
dps_histogram_room(const DpsHistogramSearch *s, const DpsHistogramStep *step)
{
	DpsRoom		room = s->room;

	room.class[0] = step->first == step->last ? step->first : -1;
	room.class[1] = s->neighbours == DPS_REPLACE && step->first_removed == step->last_removed ?
		step->first_removed : -1;
	return room;
}

/* Makes the counts and the step, which is of single classes, the witness if
 * none was better. */
static bool
try_counts(DpsHistogramSearch *s, const double *counts, const DpsHistogramStep *step)
{
	DpsInterval value;

	dps_forms_values(&s->forms, counts, s->corner);
	if (!dps_histogram_enclose_change(s, s->corner, step, INFINITY, &value))
		return false;
	if (value.hi > s->greatest)
		s->greatest = value.hi;
	if (s->found && value.lo <= s->lower)
		return false;
	s->found = true;
	s->lower = value.lo;
	if (s->best != counts)
		memcpy(s->best, counts, sizeof(double) * s->forms.nclasses);
	s->best_step = *step;
	return true;
}

static double
work_of_try(const DpsHistogramSearch *s)
{
	return (s->nvalues > 0 ? 2.0 * s->values->ninstructions : 0) + s->forms.nterms + 2.0 * s->forms.ndimensions +
		s->forms.nclasses;
}

/* The room of a class, without the rows of the step. */
static double
room_of(const DpsHistogramSearch *s, const DpsHistogramStep *step, int class)
{
	return s->forms.capacity[class] - (class == step->first ? 1 : 0) -
		(s->neighbours == DPS_REPLACE && class == step->first_removed ? 1 : 0);
}

/* Puts so many rows into one class, and those that exceed its room into the
 * classes next to it. */
static bool
gather(DpsHistogramSearch *s, const DpsHistogramStep *step, int class, double rows, double *counts)
{
	int			n = s->forms.nclasses;
	int			distance;
	int			side;

	memset(counts, 0, sizeof(double) * n);
	for (distance = 0; distance < n && rows > 0; distance++)
	{
		for (side = -1; side <= 1; side += 2)
		{
			int			at = class + side * distance;

			if (at < 0 || at >= n || (distance == 0 && side > 0))
				continue;
			counts[at] = fmax(fmin(rows, room_of(s, step, at)), 0);
			rows -= counts[at];
		}
	}
	return rows == 0 && room_of(s, step, step->first) >= 0 &&
		(s->neighbours == DPS_ADD_REMOVE || room_of(s, step, step->first_removed) >= 0);
}

/* Tries histograms of almost one class, with the least and the most rows. */
static void
try_gathered(DpsHistogramSearch *s, const DpsHistogramStep *step, int class)
{
	double		rows[3] = {s->room.min_rows, s->room.min_rows + 1, s->room.max_rows};
	int			r;

	for (r = 0; r < 3; r++)
	{
		if (rows[r] > s->room.max_rows || s->work < 0)
			continue;
		s->work -= work_of_try(s);
		if (gather(s, step, class, rows[r], s->counts))
			(void) try_counts(s, s->counts, step);
	}
}

static void
try_simple(DpsHistogramSearch *s)
{
	int			n = s->forms.nclasses;
	int			class;
	int			i;
	int			k;

	for (class = 0; class < n && s->neighbours == DPS_ADD_REMOVE; class++)
		for (i = 0; i < n; i++)
			try_gathered(s, &(DpsHistogramStep) {i, i, -1, -1}, (class + n - 1) % n);
	for (class = 0; class < n && s->neighbours == DPS_REPLACE; class++)
	{
		const int	pair[4][2] = {{0, n - 1}, {0, class}, {class, n - 1}, {class - 1, class}};

		for (k = 0; k < 4; k++)
			if (pair[k][0] >= 0 && pair[k][0] < pair[k][1])
				try_gathered(s, &(DpsHistogramStep) {pair[k][0], pair[k][0], pair[k][1], pair[k][1]}, class);
	}
}

static bool
is_allowed(const DpsHistogramSearch *s, const double *counts, const DpsHistogramStep *step)
{
	double		rows = 0;
	int			i;

	for (i = 0; i < s->forms.nclasses; i++)
	{
		if (counts[i] < 0 || counts[i] > room_of(s, step, i))
			return false;
		rows += counts[i];
	}
	return rows >= s->room.min_rows && rows <= s->room.max_rows;
}

static bool
try_move(DpsHistogramSearch *s, int from, int to, const DpsHistogramStep *step)
{
	s->work -= work_of_try(s);
	memcpy(s->counts, s->best, sizeof(double) * s->forms.nclasses);
	if (from >= 0)
		s->counts[from]--;
	if (to >= 0)
		s->counts[to]++;
	return is_allowed(s, s->counts, step) && try_counts(s, s->counts, step);
}

/* Moves single rows of the best witness as long as that makes it better. */
static void
climb(DpsHistogramSearch *s)
{
	int			n = s->forms.nclasses;
	bool		better = s->found;
	int			from;
	int			to;

	while (better && s->work > 0)
	{
		better = false;
		for (to = 0; to < n && s->work > 0; to++)
		{
			DpsHistogramStep step = s->best_step;

			better |= try_move(s, -1, to, &step) || try_move(s, to, -1, &step);
			step = s->best_step;
			step.first = step.last = to;
			if (s->neighbours == DPS_ADD_REMOVE || to < step.first_removed)
				better |= try_move(s, -1, -1, &step);
			step = s->best_step;
			step.first_removed = step.last_removed = to;
			if (s->neighbours == DPS_REPLACE && to > step.first)
				better |= try_move(s, -1, -1, &step);
		}
		for (from = 0; from < n; from++)
		{
			for (to = 0; to < n && s->work > 0 && s->best[from] > 0; to++)
				better |= from != to && try_move(s, from, to, &s->best_step);
		}
	}
}

/* Searches the box for a histogram n and tries it with a step of the box. */
DpsFound
dps_histogram_find_witness(DpsHistogramSearch *s, const DpsBox *box, DpsHistogramStep step, int limit)
{
	DpsRoom		room;
	DpsFound	found;

	step.last = step.first;
	step.first_removed = step.last_removed;
	room = dps_histogram_room(s, &step);
	found = dps_forms_find(&s->forms, &room, box->domain, limit, s->counts);
	if (found == DPS_FOUND)
		(void) try_counts(s, s->counts, &step);
	return found;
}

/* Tries histograms of few classes, then moves rows of the best one.  Boxes with a
 * bound below this witness need no search. */
void
dps_histogram_first_witness(DpsHistogramSearch *s)
{
	s->work = FIRST_WORK;
	if (s->room.min_rows <= s->room.max_rows)
		try_simple(s);
	s->work = FIRST_WORK;
	climb(s);
}

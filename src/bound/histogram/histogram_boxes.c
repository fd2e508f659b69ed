/*
 * histogram_boxes.c
 *		Functions of a histogram, in few dimensions: which histograms lie in a box.
 */
#include <math.h>
#include <string.h>

#include "bound/histogram/histogram_forms.h"

#define NARROW_PASSES 3

/* A generous bound of the relative error of dps_forms_find's running sums. */
#define PLACED_ERROR 1e-9

DpsInterval
dps_forms_step(const DpsForms *forms, int k, int first, int last)
{
	const double *form = forms->form + (size_t) k * forms->nclasses;
	DpsInterval step;
	int			i;

	if (forms->plain)
		return dps_iv(k == first && k == last ? 1 : 0, first <= k && k <= last ? 1 : 0);
	step = dps_iv(form[first], form[first]);
	for (i = first + 1; i <= last; i++)
		step = dps_iv_hull(step, dps_iv(form[i], form[i]));
	return step;
}

void
dps_forms_values(const DpsForms *forms, const double *counts, DpsDomain *values)
{
	int			k;
	int			i;

	for (k = 0; k < forms->ndimensions; k++)
	{
		const double *form = forms->form + (size_t) k * forms->nclasses;

		values[k] = forms->root[k];
		values[k].lo = values[k].hi = forms->plain ? counts[k] : 0;
		for (i = 0; !forms->plain && i < forms->nclasses; i++)
		{
			if (counts[i] == 0)
				continue;
			values[k].lo = dps_add_down(values[k].lo, dps_mul_down(form[i], counts[i]));
			values[k].hi = dps_add_up(values[k].hi, dps_mul_up(form[i], counts[i]));
		}
	}
}

/* Intersects a dimension with [lo, hi]; false if nothing is left. */
static bool
narrow_dimension(DpsDomain *domain, double lo, double hi, bool *changed)
{
	if (domain->integral)
	{
		lo = ceil(lo);
		hi = floor(hi);
	}
	if (lo > domain->lo)
	{
		domain->lo = lo;
		*changed = true;
	}
	if (hi < domain->hi)
	{
		domain->hi = hi;
		*changed = true;
	}
	return domain->lo <= domain->hi;
}

static DpsInterval
scaled(double factor, const DpsDomain *domain)
{
	if (factor == 1)
		return dps_iv(domain->lo, domain->hi);
	return factor > 0 ? dps_iv(dps_mul_down(factor, domain->lo), dps_mul_up(factor, domain->hi)) :
		dps_iv(dps_mul_down(factor, domain->hi), dps_mul_up(factor, domain->lo));
}

static bool
narrow_by(const DpsInequality *e, double lo, double hi, DpsDomain *box, bool *changed)
{
	DpsInterval sum = dps_iv(0, 0);
	int			t;

	for (t = 0; t < e->n; t++)
	{
		DpsInterval part = scaled(e->coefficient[t], &box[e->dimension[t]]);

		sum = dps_iv(dps_add_down(sum.lo, part.lo), dps_add_up(sum.hi, part.hi));
	}
	if (sum.lo > hi || sum.hi < lo)
		return false;
	if (sum.lo >= lo && sum.hi <= hi)
		return true;
	for (t = 0; t < e->n; t++)
	{
		DpsDomain  *domain = &box[e->dimension[t]];
		double		factor = e->coefficient[t];
		DpsInterval part = scaled(factor, domain);
		double		least;
		double		most;

		if (factor == 0)
			continue;
		/* lo <= part + rest <= hi, and the rest is the sum without the part */
		least = dps_sub_down(lo, dps_sub_up(sum.hi, part.hi));
		most = dps_sub_up(hi, dps_sub_down(sum.lo, part.lo));
		if (least <= part.lo && most >= part.hi)
			continue;
		if (factor > 0 ? !narrow_dimension(domain, dps_div_down(least, factor), dps_div_up(most, factor), changed) :
			!narrow_dimension(domain, dps_div_down(most, factor), dps_div_up(least, factor), changed))
			return false;
		/* keep the sum that of the narrowed box */
		sum.lo = dps_add_down(dps_sub_down(sum.lo, part.lo), scaled(factor, domain).lo);
		sum.hi = dps_add_up(dps_sub_up(sum.hi, part.hi), scaled(factor, domain).hi);
	}
	return true;
}

/* Narrows the limits of an inequality's sum: the sum does not hold the rows
 * for which classes must have room. */
static void
leave_room(const DpsInequality *e, const DpsRoom *room, double *lo, double *hi)
{
	int			k;

	*lo = e->lo;
	*hi = e->hi;
	for (k = 0; k < 2; k++)
	{
		double		share = room->class[k] < 0 ? 0 : e->share[room->class[k]];

		if (share < 0)
			*lo = dps_sub_down(*lo, share);
		else
			*hi = dps_sub_up(*hi, share);
	}
}

/* The number of rows for which a class must have room. */
static double
room_needed(const DpsRoom *room, int class)
{
	return (room->class[0] == class ? 1 : 0) + (room->class[1] == class ? 1 : 0);
}

bool
dps_forms_narrow(const DpsForms *forms, const DpsRoom *room, DpsDomain *box)
{
	bool		changed = true;
	int			pass;
	int			k;

	for (k = 0; forms->plain && k < 2; k++)
	{
		int			class = room->class[k];

		if (class >= 0 &&
			!narrow_dimension(&box[class], 0, forms->capacity[class] - room_needed(room, class), &changed))
			return false;
	}
	if (!forms->plain && !narrow_dimension(&box[forms->ndimensions - 1], room->min_rows, room->max_rows, &changed))
		return false;
	for (pass = 0; changed && pass < NARROW_PASSES; pass++)
	{
		changed = false;
		for (k = 0; k < forms->ninequalities; k++)
		{
			double		lo = room->min_rows;
			double		hi = room->max_rows;

			if (!forms->plain)
				leave_room(&forms->inequality[k], room, &lo, &hi);
			if (!narrow_by(&forms->inequality[k], lo, hi, box, &changed))
				return false;
		}
	}
	return true;
}

static DpsFound
find_plain(const DpsForms *forms, const DpsRoom *room, const DpsDomain *box, double *counts)
{
	double		rows = 0;
	int			i;

	for (i = 0; i < forms->nclasses; i++)
	{
		if (box[i].lo > forms->capacity[i] - room_needed(room, i))
			return DPS_NOT_FOUND;
		counts[i] = box[i].lo;
		rows += counts[i];
	}
	for (i = 0; i < forms->nclasses && rows < room->min_rows; i++)
	{
		double		most = fmin(box[i].hi, forms->capacity[i] - room_needed(room, i));
		double		more = fmin(most - counts[i], room->min_rows - rows);

		counts[i] += more;
		rows += more;
	}
	return rows >= room->min_rows && rows <= room->max_rows ? DPS_FOUND : DPS_NOT_FOUND;
}

typedef struct Finder
{
	DpsForms   *forms;
	const DpsRoom *room;
	const DpsDomain *box;
	double	   *counts;
	int			steps;			/* still allowed */
} Finder;

/* Can classes from this one on bring all sums into the box? */
static bool
is_promising(const Finder *f, int class)
{
	const DpsForms *forms = f->forms;
	int			n = forms->ndimensions;
	double		fewest = fmax(f->box[n - 1].lo - forms->placed[n - 1], 0);
	double		most = fmin(f->box[n - 1].hi - forms->placed[n - 1], forms->room_from[class]);
	int			k;

	if (fewest > most)
		return false;
	for (k = 0; k < n - 1; k++)
	{
		double		least = class == forms->nclasses ? 0 : forms->least[(size_t) class * n + k];
		double		greatest = class == forms->nclasses ? 0 : forms->greatest[(size_t) class * n + k];
		double		error = f->box[k].integral ? 0 :
			PLACED_ERROR * (fabs(forms->root[k].lo) + fabs(forms->root[k].hi));

		if (forms->placed[k] + least * (least > 0 ? fewest : most) > f->box[k].hi + error ||
			forms->placed[k] + greatest * (greatest > 0 ? most : fewest) < f->box[k].lo - error)
			return false;
	}
	return true;
}

static void
place(Finder *f, int class, double rows)
{
	DpsForms   *forms = f->forms;
	int			k;

	for (k = 0; k < forms->ndimensions; k++)
		forms->placed[k] += rows * forms->form[(size_t) k * forms->nclasses + class];
}

static DpsFound
find_from(Finder *f, int class)
{
	DpsForms   *forms = f->forms;
	int			n = forms->ndimensions;
	double		room;
	double		most;
	double		rows;
	int64_t		fewer;

	if (!is_promising(f, class))
		return DPS_NOT_FOUND;
	if (class == forms->nclasses)
		return DPS_FOUND;
	if (--f->steps < 0)
		return DPS_NOT_KNOWN;
	room = forms->room_from[class] - forms->room_from[class + 1];
	most = fmin(room, f->box[n - 1].hi - forms->placed[n - 1]);
	place(f, class, most);
	for (fewer = 0; (double) fewer <= most; fewer++)
	{
		DpsFound	found = find_from(f, class + 1);

		rows = most - (double) fewer;
		if (found != DPS_NOT_FOUND)
		{
			f->counts[class] = rows;
			place(f, class, -rows);
			return found;
		}
		/* a call that fails at once has not counted a step */
		if (--f->steps < 0)
		{
			place(f, class, -rows);
			return DPS_NOT_KNOWN;
		}
		place(f, class, -1);
	}
	place(f, class, 1);
	return DPS_NOT_FOUND;
}

DpsFound
dps_forms_find(DpsForms *forms, const DpsRoom *room, const DpsDomain *box, int limit, double *counts)
{
	Finder		f = {forms, room, box, counts, limit};
	int			i;

	if (forms->plain)
		return find_plain(forms, room, box, counts);
	memset(forms->placed, 0, sizeof(double) * forms->ndimensions);
	forms->room_from[forms->nclasses] = 0;
	for (i = forms->nclasses; i-- > 0;)
	{
		double		left = forms->capacity[i] - room_needed(room, i);

		if (left < 0)
			return DPS_NOT_FOUND;
		forms->room_from[i] = forms->room_from[i + 1] + left;
	}
	return find_from(&f, 0);
}

void
dps_forms_spread(const DpsForms *forms, const DpsRoom *room, const double *counts, double *histogram, int *cell)
{
	int			class;
	int			i;
	int			k;

	cell[0] = cell[1] = -1;
	for (class = 0; class < forms->nclasses; class++)
	{
		double		left = counts[class];

		for (i = 0; i < forms->domain->ncells; i++)
		{
			double		most = forms->domain->upper[i];

			if (forms->class_of[i] != class)
				continue;
			for (k = 0; k < 2; k++)
			{
				if (room->class[k] == class && cell[k] < 0 && cell[1 - k] != i && most > 0)
				{
					cell[k] = i;
					most -= 1;
				}
			}
			histogram[i] = fmin(left, most);
			left -= histogram[i];
		}
	}
}

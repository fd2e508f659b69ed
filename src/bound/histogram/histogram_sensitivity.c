/*
 * histogram_sensitivity.c
 *		Sensitivity of functions of a histogram, by branch and bound over boxes
 *		of integers.
 *
 * A box is a range of each dimension of histogram_forms.h, and of the cells that gain a
 * row (i) and lose one (j; for DPS_ADD_REMOVE none).  Over it, a term t of an
 * output changes by
 *
 * - the difference of its coefficients, if it is linear;
 * - t(L + a_i) - t(L + a_j), enclosed at both ends;
 * - sum_k d_k t * (a_ki - a_kj) for d_k t the enclosure of the derivative over
 *	 all that lies between, where t is continuous and defined there (the mean
 *	 value theorem; at kinks in Clarke's form).
 *
 * First, the same is done for the function itself: it must have a value at
 * every histogram of the domain.  After that, points without one belong to no
 * histogram, so enclosures of what is defined in a box are good for all of it.
 *
 * Boxes are narrowed by the inequalities between forms.  A box of points which
 * no histogram has is put away; one whose histograms could not be listed counts
 * for the upper end alone.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bound/histogram/histogram_forms.h"
#include "bound/histogram/histogram_sensitivity.h"
#include "bound/search/box_queue.h"
#include "expr/enclose.h"
#include "num/whole.h"

#define MAX_QUEUE_BYTES ((size_t) 128 * 1024 * 1024)
#define BOXES_BETWEEN_STOPS 64

/* Overflow, less the error bounds of enclosures. */
#define OUT_OF_RANGE (DBL_MAX * (1 - 1e-12))

/* Instructions that each of both searches for a first witness may take. */
#define FIRST_WORK 1e6

/* More dimensions are not worth their derivatives. */
#define MAX_SLOPED 32

/* Steps of a search for a histogram in a box: of points, and else. */
#define FIND_AT_POINT 20000
#define FIND_IN_BOX 300
#define BOXES_BETWEEN_FINDS 16

/* Differences of rounding are looked into for so many boxes. */
#define ROUNDING (1 + 0x1p-46)
#define ROUNDING_BOXES 4000

/* The share of max_boxes after which the tolerance is good enough. */
#define EXACT_SHARE 4

/* One cut in so many is by extent, whatever the derivatives say. */
#define CUTS_BY_EXTENT 6

/* Powers from here on may underflow. */
#define LARGE_NORM 1000

/* A real dimension this narrow, relative to its values, is not cut. */
#define NARROWEST 1e-12

typedef struct Step
{
	int			first;			/* classes that gain a row */
	int			last;
	int			first_removed;	/* and that lose one */
	int			last_removed;
} Step;

typedef struct Search
{
	DpsArena   *arena;
	DpsGraph   *graph;			/* the caller's, as are the outputs */
	const DpsNode *const *outputs;
	DpsForms	forms;
	DpsNeighbours neighbours;
	double		p;
	const DpsBoundOptions *options;
	DpsDifference *result;
	DpsRoom		room;			/* of the histogram n */

	/* Values of the terms that are not linear, and then their derivatives. */
	const DpsProgram *values;
	const DpsProgram *slopes;	/* NULL if there are none */
	int			nvalues;
	int			nslopes;
	int		   *slope_term;
	int		   *slope_dimension;
	DpsEnclosure *with;			/* n + e_i */
	DpsEnclosure *without;		/* n, or n + e_j */
	DpsEnclosure *between;
	bool		sloped;			/* between is that of the last box */
	DpsDomain  *moved;			/* scratch: a box of dimensions */
	DpsDomain  *corner;
	DpsInterval *change;		/* by output */
	double	   *counts;			/* scratch: by class */
	double	   *influence;		/* scratch: by dimension, and of the step */
	bool	   *marks;			/* scratch: by dimension, then by instruction */

	/* The best witness. */
	bool		found;
	double		lower;
	double		greatest;		/* of the upper ends at points */
	double	   *best;			/* counts by class */
	Step		best_step;

	double		settled;		/* of boxes that cannot be cut */
	double		work;			/* left for the first witness */
	DpsBoxQueue queue;
	uint64_t	asked;
	int			finds;
} Search;

/*
 * Norms
 */

static DpsInterval
magnitude(DpsInterval x)
{
	DpsInterval m = dps_iv_abs(x);

	return dps_iv(m.lo + 0.0, m.hi);
}

/* x / 2^exponent, exact unless it vanishes */
static DpsInterval
shifted(DpsInterval x, int exponent)
{
	return dps_iv(ldexp(x.lo, exponent), ldexp(x.hi, exponent));
}

static DpsInterval
power_sum(const DpsInterval *x, int n, double p, int exponent)
{
	DpsInterval sum = dps_iv(0, 0);
	int			k;

	for (k = 0; k < n; k++)
	{
		DpsInterval m = shifted(magnitude(x[k]), -exponent);

		/* what is lost below the least double is far below an ulp of the sum */
		if (m.hi < DBL_MIN)
			m = dps_iv(0, x[k].lo == 0 && x[k].hi == 0 ? 0 : DBL_MIN);
		if (p == 2)
			m = dps_iv_sqr(m);
		else if (p != 1)
			m = dps_iv_pow(m, dps_iv(p, p));
		sum = dps_iv_add(sum, m);
	}
	return sum;
}

/* The l_p norm of a vector. */
static DpsInterval
norm(const DpsInterval *x, int n, double p)
{
	DpsInterval max = dps_iv(0, 0);
	int			nonzero = 0;
	int			exponent;
	DpsInterval root;
	DpsInterval sum;
	double		most;
	int			k;

	for (k = 0; k < n; k++)
	{
		max = dps_iv_max(max, magnitude(x[k]));
		nonzero += x[k].lo != 0 || x[k].hi != 0;
	}
	if (isinf(p) || nonzero <= 1)
		return max;
	if (!isfinite(max.hi))
		return dps_iv(max.lo, INFINITY);
	(void) frexp(max.hi, &exponent);
	sum = power_sum(x, n, p, exponent);
	root = dps_iv_div(dps_iv(1, 1), dps_iv(p, p));
	if (p == 2)
		sum = dps_iv_sqrt(sum);
	else if (p != 1)
		sum = dps_iv_pow(sum, root);
	sum = shifted(sum, exponent);
	/* max <= norm <= max * n^(1/p), which is better where powers underflow */
	most = p > LARGE_NORM ? dps_mul_up(max.hi, dps_iv_pow(dps_iv(nonzero, nonzero), root).hi) : INFINITY;
	most = sum.hi < most ? sum.hi : most;
	return dps_iv(sum.lo > max.lo ? sum.lo : max.lo, most > max.hi ? most : max.hi);
}

/*
 * Bounds over boxes
 */

/* The box moved by what a row of these classes adds. */
static void
move_box(const Search *s, const DpsDomain *box, DpsInterval (*step) (const Search *, const Step *, int),
		 const Step *classes, DpsDomain *moved)
{
	int			k;

	for (k = 0; k < s->forms.ndimensions; k++)
	{
		DpsInterval by = step(s, classes, k);

		moved[k] = box[k];
		moved[k].lo = dps_add_down(box[k].lo, by.lo);
		moved[k].hi = dps_add_up(box[k].hi, by.hi);
	}
}

static DpsInterval
added_step(const Search *s, const Step *step, int k)
{
	return dps_forms_step(&s->forms, k, step->first, step->last);
}

static DpsInterval
removed_step(const Search *s, const Step *step, int k)
{
	if (s->neighbours == DPS_ADD_REMOVE)
		return dps_iv(0, 0);
	return dps_forms_step(&s->forms, k, step->first_removed, step->last_removed);
}

/* Everything from one to the other. */
static DpsInterval
any_step(const Search *s, const Step *step, int k)
{
	return dps_iv_hull(added_step(s, step, k), removed_step(s, step, k));
}

static DpsInterval
coefficients(const double *linear, int first, int last)
{
	DpsInterval range = dps_iv(linear[first], linear[first]);
	int			i;

	for (i = first + 1; i <= last; i++)
		range = dps_iv_hull(range, dps_iv(linear[i], linear[i]));
	return range;
}

static DpsInterval
linear_change(const Search *s, const DpsTerm *term, const Step *step)
{
	DpsInterval change = coefficients(term->linear, step->first, step->last);

	if (s->neighbours == DPS_ADD_REMOVE)
		return change;
	return dps_iv_sub(change, coefficients(term->linear, step->first_removed, step->last_removed));
}

/* Does the step leave all that the term depends on as it is? */
static bool
is_untouched(const Search *s, const DpsTerm *term, const Step *step)
{
	int			k;

	for (k = 0; k < s->forms.ndimensions; k++)
	{
		DpsInterval all;

		if (!term->depends[k])
			continue;
		all = any_step(s, step, k);
		if (!dps_iv_is_point(all))
			return false;
	}
	return true;
}

static inline const DpsEnclosure *
output(const DpsProgram *program, const DpsEnclosure *enclosures, int k)
{
	return &enclosures[dps_program_outputs(program)[k]];
}

static bool
is_usable(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL &&
		e->value.lo > -INFINITY && e->value.hi < INFINITY;
}

/* Value v by the mean value theorem; everything, where that does not hold. */
static DpsInterval
mean_value(const Search *s, int v, const Step *step)
{
	const DpsEnclosure *value = output(s->slopes, s->between, v);
	DpsInterval change = dps_iv(0, 0);
	int			k;

	if (!is_usable(value) || !value->continuous)
		return DPS_ENTIRE;
	for (k = 0; k < s->nslopes; k++)
	{
		const DpsEnclosure *slope = output(s->slopes, s->between, s->nvalues + k);
		DpsInterval by;

		if (s->slope_term[k] != v)
			continue;
		by = dps_iv_sub(added_step(s, step, s->slope_dimension[k]),
						removed_step(s, step, s->slope_dimension[k]));
		if (by.lo == 0 && by.hi == 0)
			continue;
		if (!is_usable(slope))
			return DPS_ENTIRE;
		change = dps_iv_add(change, dps_iv_mul(slope->value, by));
	}
	return change;
}

/* Sums up what the terms change; false if no point of the box has a value. */
static bool
sum_changes(Search *s, const Step *step, bool sloped)
{
	int			v = 0;
	int			t;

	for (t = 0; t < s->forms.noutputs; t++)
		s->change[t] = dps_iv(0, 0);
	for (t = 0; t < s->forms.nterms; t++)
	{
		const DpsTerm *term = &s->forms.term[t];
		DpsInterval change;
		DpsInterval x;
		DpsInterval y;

		if (term->linear != NULL)
			change = linear_change(s, term, step);
		else
		{
			x = output(s->values, s->with, v)->value;
			y = output(s->values, s->without, v)->value;
			if (dps_iv_is_empty(x) || dps_iv_is_empty(y))
				return false;
			change = is_untouched(s, term, step) ? dps_iv(0, 0) : dps_iv_sub(x, y);
			if (sloped)
				change = dps_iv_intersect(change, mean_value(s, v, step));
			v++;
			if (dps_iv_is_empty(change))
				return false;
		}
		s->change[term->output] = term->negated ? dps_iv_sub(s->change[term->output], change) :
			dps_iv_add(s->change[term->output], change);
	}
	return true;
}

/*
 * Encloses the norm of the change over the box; false if no histogram is in it.
 * A bound no greater than `enough` is not improved.
 */
static bool
enclose_change(Search *s, const DpsDomain *box, const Step *step, double enough, DpsInterval *result)
{
	s->sloped = false;
	if (s->nvalues > 0)
	{
		move_box(s, box, added_step, step, s->moved);
		(void) dps_enclose_guarded(s->values, s->moved, s->with);
		move_box(s, box, removed_step, step, s->moved);
		(void) dps_enclose_guarded(s->values, s->moved, s->without);
	}
	if (!sum_changes(s, step, false))
		return false;
	*result = norm(s->change, s->forms.noutputs, s->p);
	if (s->slopes == NULL || result->hi <= enough || (dps_iv_is_point(*result)))
		return true;
	move_box(s, box, any_step, step, s->moved);
	(void) dps_enclose_guarded(s->slopes, s->moved, s->between);
	s->sloped = true;
	if (!sum_changes(s, step, true))
		return false;
	*result = norm(s->change, s->forms.noutputs, s->p);
	return true;
}

/*
 * Witnesses
 */

static DpsRoom
room_for(const Search *s, const Step *step)
{
	DpsRoom		room = s->room;

	room.class[0] = step->first == step->last ? step->first : -1;
	room.class[1] = s->neighbours == DPS_REPLACE && step->first_removed == step->last_removed ?
		step->first_removed : -1;
	return room;
}

/* Takes the counts and the step, which is of single classes, for a witness if
 * none was better. */
static bool
try_counts(Search *s, const double *counts, const Step *step)
{
	DpsInterval value;

	dps_forms_values(&s->forms, counts, s->corner);
	if (!enclose_change(s, s->corner, step, INFINITY, &value))
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
work_of_try(const Search *s)
{
	return (s->nvalues > 0 ? 2.0 * s->values->ninstructions : 0) + s->forms.nterms + 2.0 * s->forms.ndimensions +
		s->forms.nclasses;
}

/* Room of a class beside the step's. */
static double
room_of(const Search *s, const Step *step, int class)
{
	return s->forms.capacity[class] - (class == step->first ? 1 : 0) -
		(s->neighbours == DPS_REPLACE && class == step->first_removed ? 1 : 0);
}

/* So many rows of one class, and what it cannot hold in those around it. */
static bool
gather(Search *s, const Step *step, int class, double rows, double *counts)
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

/* Histograms of almost one class, with the least and the most rows. */
static void
try_gathered(Search *s, const Step *step, int class)
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
try_simple(Search *s)
{
	int			n = s->forms.nclasses;
	int			class;
	int			i;
	int			k;

	for (class = 0; class < n && s->neighbours == DPS_ADD_REMOVE; class++)
		for (i = 0; i < n; i++)
			try_gathered(s, &(Step) {i, i, -1, -1}, (class + n - 1) % n);
	for (class = 0; class < n && s->neighbours == DPS_REPLACE; class++)
	{
		const int	pair[4][2] = {{0, n - 1}, {0, class}, {class, n - 1}, {class - 1, class}};

		for (k = 0; k < 4; k++)
			if (pair[k][0] >= 0 && pair[k][0] < pair[k][1])
				try_gathered(s, &(Step) {pair[k][0], pair[k][0], pair[k][1], pair[k][1]}, class);
	}
}

static bool
is_allowed(const Search *s, const double *counts, const Step *step)
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
try_move(Search *s, int from, int to, const Step *step)
{
	s->work -= work_of_try(s);
	memcpy(s->counts, s->best, sizeof(double) * s->forms.nclasses);
	if (from >= 0)
		s->counts[from]--;
	if (to >= 0)
		s->counts[to]++;
	return is_allowed(s, s->counts, step) && try_counts(s, s->counts, step);
}

/* Moves the best witness by single rows while that makes it better. */
static void
climb(Search *s)
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
			Step		step = s->best_step;

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

/*
 * Boxes
 */

static Step
step_of(const Search *s, const DpsBox *box)
{
	const DpsDomain *i = &box->domain[s->forms.ndimensions];

	return (Step) {dps_to_int32(i[0].lo), dps_to_int32(i[0].hi), dps_to_int32(i[1].lo), dps_to_int32(i[1].hi)};
}

static bool
is_cuttable(const DpsDomain *domain)
{
	if (domain->integral)
		return domain->lo < domain->hi;
	return domain->hi - domain->lo > NARROWEST * fmax(fabs(domain->lo), fabs(domain->hi));
}

/* How far a dimension is from a point, 1 at the root. */
static double
extent(const DpsDomain *domain, const DpsDomain *root)
{
	double		scale;

	if (!is_cuttable(domain) || !is_cuttable(root))
		return 0;
	if (!domain->integral)
		return (domain->hi - domain->lo) / (root->hi - root->lo);
	scale = log2(1 + root->hi - root->lo);
	return log2(1 + domain->hi - domain->lo) / scale;
}

/*
 * In two.  0 is where functions of counts change the most, and after it they
 * do so the less the larger the counts.
 */
static void
cut_domain(const DpsDomain *domain, DpsDomain *below, DpsDomain *above)
{
	double		middle = domain->lo + (domain->hi - domain->lo) / 2;

	if (domain->lo > 0 && domain->hi > 4 * domain->lo)
		middle = sqrt(domain->lo) * sqrt(domain->hi);
	*below = *above = *domain;
	if (!domain->integral)
	{
		below->hi = above->lo = middle;
		return;
	}
	middle = domain->lo == 0 ? 0 : floor(middle);
	middle = fmin(fmax(middle, domain->lo), domain->hi - 1);
	below->hi = middle;
	above->lo = middle + 1;
}

static double
greatest_extent(const Search *s, const DpsDomain *domain, const bool *matters, int *dimension)
{
	double		greatest = 0;
	int			k;

	*dimension = -1;
	for (k = 0; k < s->forms.ndimensions; k++)
	{
		double		e = matters[k] ? extent(&domain[k], &s->forms.root[k]) : 0;

		if (e > greatest)
		{
			greatest = e;
			*dimension = k;
		}
	}
	return greatest;
}

/* The host is asked now and then whether to go on. */
static DpsStatus
count_box(Search *s)
{
	const DpsHost *host = dps_arena_host(s->arena);

	s->result->boxes++;
	if (s->result->boxes - s->asked < BOXES_BETWEEN_STOPS)
		return DPS_OK;
	s->asked = s->result->boxes;
	return host->should_stop(host->context) ? DPS_CANCELLED : DPS_OK;
}

static bool
is_exhausted(const Search *s)
{
	return s->result->boxes >= s->options->max_boxes || s->queue.bytes > MAX_QUEUE_BYTES;
}

static void
init_queue(Search *s)
{
	memset(&s->queue, 0, sizeof(s->queue));
	s->queue.arena = s->arena;
	s->queue.ndimensions = s->forms.ndimensions + 2;
}

/*
 * Is there a value everywhere?
 */

static void
mark_instruction(const DpsProgram *program, uint32_t i, bool *seen, bool *matters)
{
	const DpsInstruction *code = &program->code[i];
	int			k;

	if (seen[i])
		return;
	seen[i] = true;
	if (code->op == DPS_OP_VAR)
		matters[code->arg[0]] = true;
	else
		for (k = 0; k < code->nargs; k++)
			mark_instruction(program, code->arg[k], seen, matters);
}

/* The value without a proof of its being there, or -1. */
static int
missing_value(const Search *s)
{
	double		sum = 0;
	int			k;

	for (k = 0; k < s->nvalues; k++)
	{
		const DpsEnclosure *e = output(s->values, s->with, k);

		sum += fmax(fabs(e->value.lo), fabs(e->value.hi));
		if (!is_usable(e) || !(sum < DBL_MAX / 2))
			return k;
	}
	return -1;
}

/* Names what is at fault in the caller's expressions at a histogram. */
static DpsStatus
blame(Search *s, const double *histogram)
{
	int			n = s->forms.domain->ncells;
	DpsDomain  *box = dps_arena_alloc(s->arena, sizeof(DpsDomain) * n);
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	int			i;
	int			k;

	DPS_TRY(dps_compile(s->graph, s->outputs, s->forms.noutputs, &program));
	enclosures = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (box == NULL || enclosures == NULL)
		return DPS_NOMEM;
	for (i = 0; i < n; i++)
		box[i] = (DpsDomain) {histogram[i], histogram[i], DPS_NEVER_NULL, true};
	dps_enclose(program, box, enclosures);
	for (k = 0; k < s->forms.noutputs; k++)
	{
		int			culprit = dps_culprit(program, enclosures, k);

		if (is_usable(output(program, enclosures, k)))
			continue;
		s->result->culprit = culprit < 0 ? s->outputs[k] : dps_node_of(s->graph, program->code[culprit].node);
		return DPS_OK;
	}
	s->result->culprit = s->outputs[0];
	return DPS_OK;
}

static DpsStatus
show_histogram(Search *s, const DpsRoom *room, const double *counts)
{
	double	   *histogram = dps_arena_alloc(s->graph->arena, sizeof(double) * s->forms.domain->ncells);
	int			cell[2];

	if (histogram == NULL)
		return DPS_NOMEM;
	dps_forms_spread(&s->forms, room, counts, histogram, cell);
	if (cell[1] >= 0)
		histogram[cell[1]]++;
	s->result->histogram = histogram;
	s->result->added = cell[0];
	s->result->removed = cell[1];
	return DPS_OK;
}

/* No finite bound: because of the counts at hand, if there is room. */
static DpsStatus
refuse(Search *s, const DpsRoom *room, DpsStatus status)
{
	s->result->status = status;
	s->result->lower = 0;
	s->result->upper = INFINITY;
	if (room == NULL)
		return DPS_OK;
	DPS_TRY(show_histogram(s, room, s->counts));
	return blame(s, s->result->histogram);
}

/* Is it certain that there is no value, or none in range? */
static bool
has_no_value(const DpsEnclosure *e)
{
	return e->defined == DPS_UNDEFINED || e->nullness == DPS_ALWAYS_NULL || dps_iv_is_empty(e->value) ||
		e->value.lo >= OUT_OF_RANGE || e->value.hi <= -OUT_OF_RANGE;
}

/* A box without a proof that cuts would not help: is there a histogram in it? */
static DpsStatus
check_counts(Search *s, const DpsRoom *room, const DpsBox *box)
{
	int			missing;

	switch (dps_forms_find(&s->forms, room, box->domain, FIND_AT_POINT, s->counts))
	{
		case DPS_NOT_FOUND:
			return DPS_OK;
		case DPS_NOT_KNOWN:
			return refuse(s, NULL, DPS_UNABLE);
		case DPS_FOUND:
			break;
	}
	dps_forms_values(&s->forms, s->counts, s->corner);
	(void) dps_enclose_guarded(s->values, s->corner, s->with);
	missing = missing_value(s);
	return refuse(s, room, missing >= 0 && has_no_value(output(s->values, s->with, missing)) ?
				  DPS_DOMAIN : DPS_UNABLE);
}

/* The dimension to cut for value k: of those that the culprit depends on, or
 * else of all that decide whether it is evaluated; -1 if there is none. */
static int
choose_unproved(Search *s, const DpsBox *box, int k)
{
	int			culprit = dps_culprit(s->values, s->with, k);
	bool	   *matters = s->marks;
	bool	   *seen = s->marks + s->forms.ndimensions;
	int			dimension;

	memset(s->marks, 0, s->forms.ndimensions + s->values->ninstructions);
	if (culprit >= 0)
		mark_instruction(s->values, culprit, seen, matters);
	if (greatest_extent(s, box->domain, matters, &dimension) > 0)
		return dimension;
	memset(seen, 0, s->values->ninstructions);
	mark_instruction(s->values, dps_program_outputs(s->values)[k], seen, matters);
	(void) greatest_extent(s, box->domain, matters, &dimension);
	return dimension;
}

/* Looks at a box; *done if it needs no cut, or if the search is over because the
 * result has a status. */
static DpsStatus
check_box(Search *s, const DpsRoom *room, DpsBox *box, bool *done)
{
	int			missing;

	*done = true;
	DPS_TRY(count_box(s));
	if (!dps_forms_narrow(&s->forms, room, box->domain))
		return DPS_OK;
	(void) dps_enclose_guarded(s->values, box->domain, s->with);
	missing = missing_value(s);
	if (missing < 0)
		return DPS_OK;
	box->cut = choose_unproved(s, box, missing);
	if (box->cut < 0)
		return check_counts(s, room, box);
	*done = false;
	return DPS_OK;
}

static DpsStatus
queue_unproved(Search *s, const DpsRoom *room, DpsBox *box)
{
	bool		done;

	DPS_TRY(check_box(s, room, box, &done));
	if (done)
	{
		dps_free_box(&s->queue, box);
		return DPS_OK;
	}
	box->upper = INFINITY;
	box->unresolved = true;
	return dps_push_box(&s->queue, box);
}

static DpsStatus
prove_values(Search *s)
{
	DpsRoom		room = {s->forms.domain->min_rows, s->forms.domain->max_rows, {-1, -1}};
	size_t		size = sizeof(DpsDomain) * s->forms.ndimensions;
	DpsBox	   *box;

	if (s->nvalues == 0)
		return DPS_OK;
	init_queue(s);
	box = dps_new_box(&s->queue);
	if (box == NULL)
		return DPS_NOMEM;
	box->depth = 0;
	memcpy(box->domain, s->forms.root, size);
	DPS_TRY(queue_unproved(s, &room, box));
	while (s->queue.n > 0 && s->result->status == DPS_OK)
	{
		DpsBox	   *above = dps_new_box(&s->queue);

		box = dps_pop_box(&s->queue);
		if (above == NULL)
			return DPS_NOMEM;
		if (is_exhausted(s))
		{
			s->result->exhausted = true;
			return refuse(s, NULL, DPS_UNABLE);
		}
		memcpy(above->domain, box->domain, size);
		above->depth = ++box->depth;
		cut_domain(&above->domain[box->cut], &box->domain[box->cut], &above->domain[box->cut]);
		DPS_TRY(queue_unproved(s, &room, box));
		if (s->result->status == DPS_OK)
			DPS_TRY(queue_unproved(s, &room, above));
	}
	return DPS_OK;
}

/*
 * The greatest change
 */

/*
 * What the width of each dimension, and of the step's classes last, does to the
 * values, as far as derivatives tell; false if they do not.
 */
static bool
find_influence(const Search *s, const DpsBox *box, const Step *step, double *influence)
{
	int			n = s->forms.ndimensions;
	int			k;

	memset(influence, 0, sizeof(double) * (n + 1));
	for (k = 0; k < s->nslopes; k++)
	{
		const DpsEnclosure *slope = output(s->slopes, s->between, s->nvalues + k);
		int			d = s->slope_dimension[k];
		DpsInterval gain = added_step(s, step, d);
		DpsInterval loss = removed_step(s, step, d);
		double		greatest;

		if (!is_usable(slope))
			return false;
		greatest = fmax(fabs(slope->value.lo), fabs(slope->value.hi));
		if (is_cuttable(&box->domain[d]))
			influence[d] += greatest * (box->domain[d].hi - box->domain[d].lo);
		influence[n] += greatest * (gain.hi - gain.lo + loss.hi - loss.lo);
	}
	return true;
}

static int
longer_step(const DpsDomain *classes)
{
	return classes[1].hi - classes[1].lo > classes[0].hi - classes[0].lo ? 1 : 0;
}

/* By influence; -1 if nothing that can be cut has any. */
static int
choose_by_influence(Search *s, const DpsBox *box, const Step *step)
{
	int			n = s->forms.ndimensions;
	int			best = -1;
	int			k;

	if (!s->sloped || box->depth % CUTS_BY_EXTENT == 0 || !find_influence(s, box, step, s->influence))
		return -1;
	for (k = 0; k <= n; k++)
		if (s->influence[k] > 0 && (best < 0 || s->influence[k] > s->influence[best]))
			best = k;
	return best == n ? n + longer_step(&box->domain[n]) : best;
}

/* By extent, of the step and of the dimensions of terms that it touches; -1 if
 * there is nothing to cut. */
static int
choose_by_extent(Search *s, const DpsBox *box, const Step *step, bool *matters)
{
	int			n = s->forms.ndimensions;
	int			longer = longer_step(&box->domain[n]);
	double		classes = box->domain[n + longer].hi - box->domain[n + longer].lo;
	int			best;
	int			t;
	int			k;

	memset(matters, 0, n);
	for (t = 0; t < s->forms.nterms; t++)
	{
		const DpsTerm *term = &s->forms.term[t];

		if (term->linear != NULL || is_untouched(s, term, step))
			continue;
		for (k = 0; k < n; k++)
			matters[k] = matters[k] || term->depends[k];
	}
	if (log2(1 + classes) / log2(1.0 + s->forms.nclasses) >= greatest_extent(s, box->domain, matters, &best) &&
		classes > 0)
		return n + longer;
	return best;
}

static int
choose_cut(Search *s, const DpsBox *box, const Step *step, bool *matters)
{
	int			best = choose_by_influence(s, box, step);

	return best >= 0 ? best : choose_by_extent(s, box, step, matters);
}

/* Only i < j: the norm is the same for both orders. */
static bool
order_step(const Search *s, DpsBox *box)
{
	DpsDomain  *i = &box->domain[s->forms.ndimensions];

	if (s->neighbours == DPS_ADD_REMOVE)
		return true;
	i[0].hi = fmin(i[0].hi, i[1].hi - 1);
	i[1].lo = fmax(i[1].lo, i[0].lo + 1);
	return i[0].lo <= i[0].hi && i[1].lo <= i[1].hi;
}

/* Looks for a histogram in the box, with a step of its. */
static DpsFound
find_witness(Search *s, const DpsBox *box, Step step, int limit)
{
	DpsRoom		room;
	DpsFound	found;

	step.last = step.first;
	step.first_removed = step.last_removed;
	room = room_for(s, &step);
	found = dps_forms_find(&s->forms, &room, box->domain, limit, s->counts);
	if (found == DPS_FOUND)
		(void) try_counts(s, s->counts, &step);
	return found;
}

/* What is beaten by a witness is not looked at. */
static bool
is_beaten(const Search *s, double upper)
{
	return s->found && upper <= s->greatest;
}

/* Bounds a box and queues it, if there is anything to be had in it. */
static DpsStatus
queue_box(Search *s, DpsBox *box, bool *matters)
{
	DpsInterval value;
	DpsRoom		room;
	DpsFound	found;
	Step		step;

	DPS_TRY(count_box(s));
	step = step_of(s, box);
	if (!order_step(s, box))
	{
		dps_free_box(&s->queue, box);
		return DPS_OK;
	}
	step = step_of(s, box);
	room = room_for(s, &step);
	if (!dps_forms_narrow(&s->forms, &room, box->domain) ||
		!enclose_change(s, box->domain, &step, s->found ? s->greatest : -INFINITY, &value) ||
		is_beaten(s, value.hi))
	{
		dps_free_box(&s->queue, box);
		return DPS_OK;
	}
	box->cut = choose_cut(s, box, &step, matters);
	if (box->cut >= 0 && (s->finds++ < BOXES_BETWEEN_FINDS || s->finds % BOXES_BETWEEN_FINDS == 0))
		(void) find_witness(s, box, step, FIND_IN_BOX);
	if (box->cut >= 0 && !is_beaten(s, value.hi))
	{
		box->upper = value.hi;
		box->unresolved = !isfinite(value.hi);
		return dps_push_box(&s->queue, box);
	}
	if (box->cut < 0)
	{
		found = find_witness(s, box, step, FIND_AT_POINT);
		if (found != DPS_NOT_FOUND && !is_beaten(s, value.hi) && value.hi > s->settled)
			s->settled = value.hi;
	}
	dps_free_box(&s->queue, box);
	return DPS_OK;
}

static bool
is_good_enough(const Search *s, double upper, uint64_t *rounding)
{
	double		tolerance = s->options->tolerance;

	if (!s->found)
		return false;
	if (upper <= s->greatest)
		return true;
	if (s->result->boxes > s->options->max_boxes / EXACT_SHARE && upper - s->lower <= tolerance * upper)
		return true;
	return upper <= s->greatest * ROUNDING && ++*rounding > ROUNDING_BOXES;
}

static DpsBox *
root_box(Search *s)
{
	int			n = s->forms.ndimensions;
	double		classes = s->forms.nclasses - 1;
	DpsBox	   *box = dps_new_box(&s->queue);

	if (box == NULL)
		return NULL;
	box->depth = 0;
	memcpy(box->domain, s->forms.root, sizeof(DpsDomain) * n);
	box->domain[n] = box->domain[n + 1] = (DpsDomain) {0, classes, DPS_NEVER_NULL, true};
	if (s->neighbours == DPS_ADD_REMOVE)
		box->domain[n + 1] = (DpsDomain) {-1, -1, DPS_NEVER_NULL, true};
	return box;
}

/* *upper is the greatest of what is left. */
static DpsStatus
search(Search *s, double *upper)
{
	size_t		size;
	bool	   *matters;
	uint64_t	rounding = 0;
	DpsBox	   *box;

	init_queue(s);
	size = sizeof(DpsDomain) * s->queue.ndimensions;
	matters = dps_arena_alloc(s->arena, s->queue.ndimensions);
	box = root_box(s);
	if (box == NULL || matters == NULL)
		return DPS_NOMEM;
	DPS_TRY(queue_box(s, box, matters));
	while (s->queue.n > 0 && !is_good_enough(s, s->queue.heap[0]->upper, &rounding))
	{
		DpsBox	   *above = dps_new_box(&s->queue);

		if (above == NULL)
			return DPS_NOMEM;
		if (is_exhausted(s))
		{
			s->result->exhausted = true;
			break;
		}
		box = dps_pop_box(&s->queue);
		memcpy(above->domain, box->domain, size);
		above->depth = ++box->depth;
		cut_domain(&above->domain[box->cut], &box->domain[box->cut], &above->domain[box->cut]);
		DPS_TRY(queue_box(s, box, matters));
		DPS_TRY(queue_box(s, above, matters));
	}
	*upper = s->queue.n > 0 ? s->queue.heap[0]->upper : 0;
	return DPS_OK;
}

static DpsStatus
maximise(Search *s)
{
	DpsDifference *result = s->result;
	double		upper;

	s->work = FIRST_WORK;
	if (s->room.min_rows <= s->room.max_rows)
		try_simple(s);
	s->work = FIRST_WORK;
	climb(s);
	DPS_TRY(search(s, &upper));
	if (upper < s->settled)
		upper = s->settled;
	if (s->found && upper < s->greatest)
		upper = s->greatest;
	result->upper = upper;
	result->lower = s->found ? s->lower : 0;
	result->unattained = s->settled > s->greatest && upper == s->settled;
	if (!isfinite(upper))
		return refuse(s, NULL, DPS_UNABLE);
	result->empty = !s->found && upper == 0;
	if (!s->found)
		return DPS_OK;
	s->room = room_for(s, &s->best_step);
	return show_histogram(s, &s->room, s->best);
}

/*
 * Setting up
 */

static DpsStatus
compile_slopes(Search *s, const DpsNode **nodes)
{
	int			n = s->forms.ndimensions;
	const DpsNode **all = dps_arena_alloc(s->arena, sizeof(DpsNode *) * s->nvalues * (n + 1));
	const DpsNode **gradient = dps_arena_alloc(s->arena, sizeof(DpsNode *) * n);
	int			v;
	int			k;

	s->slope_term = dps_arena_alloc(s->arena, sizeof(int) * s->nvalues * n);
	s->slope_dimension = dps_arena_alloc(s->arena, sizeof(int) * s->nvalues * n);
	if (all == NULL || gradient == NULL || s->slope_term == NULL || s->slope_dimension == NULL)
		return DPS_NOMEM;
	memcpy(all, nodes, sizeof(DpsNode *) * s->nvalues);
	for (v = 0; v < s->nvalues; v++)
	{
		DPS_TRY(dps_gradient(s->forms.graph, nodes[v], gradient));
		for (k = 0; k < n; k++)
		{
			if (gradient[k] != NULL && dps_is_constant(gradient[k], 0))
				continue;
			s->slope_term[s->nslopes] = v;
			s->slope_dimension[s->nslopes] = k;
			all[s->nvalues + s->nslopes++] = gradient[k];
		}
	}
	DPS_TRY(dps_compile(s->forms.graph, all, s->nvalues + s->nslopes, &s->slopes));
	s->between = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->slopes->ninstructions);
	return s->between == NULL ? DPS_NOMEM : DPS_OK;
}

static DpsStatus
compile_values(Search *s)
{
	const DpsNode **nodes = dps_arena_alloc(s->arena, sizeof(DpsNode *) * (s->forms.nterms + 1));
	int			t;

	if (nodes == NULL)
		return DPS_NOMEM;
	for (t = 0; t < s->forms.nterms; t++)
		if (s->forms.term[t].linear == NULL)
			nodes[s->nvalues++] = s->forms.term[t].node;
	if (s->nvalues == 0)
		return DPS_OK;
	DPS_TRY(dps_compile(s->forms.graph, nodes, s->nvalues, &s->values));
	s->with = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->values->ninstructions);
	s->without = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * s->values->ninstructions);
	s->marks = dps_arena_alloc(s->arena, s->forms.ndimensions + s->values->ninstructions);
	if (s->with == NULL || s->without == NULL || s->marks == NULL)
		return DPS_NOMEM;
	return s->forms.ndimensions <= MAX_SLOPED ? compile_slopes(s, nodes) : DPS_OK;
}

static DpsStatus
set_up(Search *s, int noutputs, const DpsHistogramDomain *domain)
{
	int			n;

	s->forms.arena = s->arena;
	DPS_TRY(dps_forms_init(&s->forms, s->outputs, noutputs, domain));
	n = s->forms.ndimensions;
	DPS_TRY(compile_values(s));
	s->moved = dps_arena_alloc(s->arena, sizeof(DpsDomain) * n);
	s->corner = dps_arena_alloc(s->arena, sizeof(DpsDomain) * n);
	s->influence = dps_arena_alloc(s->arena, sizeof(double) * (n + 1));
	s->change = dps_arena_alloc(s->arena, sizeof(DpsInterval) * noutputs);
	s->counts = dps_arena_alloc(s->arena, sizeof(double) * s->forms.nclasses);
	s->best = dps_arena_alloc(s->arena, sizeof(double) * s->forms.nclasses);
	if (s->moved == NULL || s->corner == NULL || s->influence == NULL || s->change == NULL || s->counts == NULL || s->best == NULL)
		return DPS_NOMEM;
	s->room = (DpsRoom) {domain->min_rows, domain->max_rows - 1, {-1, -1}};
	/* n need not be in the domain, n + e_i and n + e_j do */
	if (s->neighbours == DPS_REPLACE)
		s->room.min_rows = fmax(domain->min_rows - 1, 0);
	return DPS_OK;
}

static DpsStatus
run(Search *s, int noutputs, const DpsHistogramDomain *domain)
{
	DPS_TRY(set_up(s, noutputs, domain));
	DPS_TRY(prove_values(s));
	if (s->result->status != DPS_OK)
		return DPS_OK;
	return maximise(s);
}

DpsStatus
dps_difference(DpsGraph *graph, const DpsNode *const *outputs, int noutputs, const DpsHistogramDomain *domain,
			   DpsNeighbours neighbours, double p, const DpsBoundOptions *options, DpsDifference *result)
{
	Search		s = {.graph = graph, .outputs = outputs, .neighbours = neighbours, .p = p, .options = options,
	.result = result};
	DpsHistogramDomain possible = *domain;
	double		most = 0;
	DpsStatus	status;
	int			i;

	memset(result, 0, sizeof(*result));
	result->added = result->removed = -1;
	for (i = 0; i < domain->ncells; i++)
		most += domain->upper[i];
	possible.min_rows = fmax(domain->min_rows, 0);
	possible.max_rows = fmin(domain->max_rows, most);
	DPS_TRY(dps_arena_init(&s.arena, dps_arena_host(graph->arena)));
	status = run(&s, noutputs, &possible);
	status = dps_arena_status(graph->arena, dps_arena_status(s.arena, status));
	dps_arena_clear(s.arena);
	return status;
}

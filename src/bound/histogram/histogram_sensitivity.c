/*
 * histogram_sensitivity.c
 *		Sensitivity of functions of a histogram, by branch and bound over boxes
 *		of integers.
 *
 * A box is a range of each dimension of histogram_forms.h, of the classes that may gain a
 * row (i) and of those that may lose one (j; for DPS_ADD_REMOVE none).  The change of the
 * outputs is enclosed over the box (histogram_change.c).
 *
 * First, the function itself is bounded: it must have a value at every histogram of the domain
 * (histogram_proof.c).  After that, points without a value belong to no histogram, so enclosures
 * of the defined points of a box hold for the whole box.
 *
 * Boxes are narrowed by the inequalities between forms.  A box of points that
 * no histogram has is discarded; a box whose histograms could not be listed
 * counts for the upper end alone.
 */
#include <math.h>
#include <string.h>

#include "bound/histogram/histogram_search.h"
#include "num/whole.h"

/* With more dimensions, derivatives cost more than they gain. */
#define MAX_SLOPED 32

#define BOXES_BETWEEN_FINDS 16

/* A gap of this relative width is rounding; only so many boxes are spent on
 * it. */
#define ROUNDING (1 + 0x1p-46)
#define ROUNDING_BOXES 4000

/* The share of max_boxes after which the tolerance is good enough. */
#define EXACT_SHARE 4

/* One cut in so many goes by extent, not by derivatives. */
#define CUTS_BY_EXTENT 6

static DpsHistogramStep
step_of(const DpsHistogramSearch *s, const DpsBox *box)
{
	const DpsDomain *i = &box->domain[s->forms.ndimensions];

	return (DpsHistogramStep) {dps_to_int32(i[0].lo), dps_to_int32(i[0].hi), dps_to_int32(i[1].lo), dps_to_int32(i[1].hi)};
}

/*
 * How much the values vary, by derivatives, over the width of each dimension,
 * and in the last entry over the classes of the step; false if derivatives are
 * missing.
 */
static bool
find_influence(const DpsHistogramSearch *s, const DpsBox *box, const DpsHistogramStep *step, double *influence)
{
	int			n = s->forms.ndimensions;
	int			k;

	memset(influence, 0, sizeof(double) * (n + 1));
	for (k = 0; k < s->nslopes; k++)
	{
		const DpsEnclosure *slope = dps_histogram_output(s->slopes, s->between, s->nvalues + k);
		int			d = s->slope_dimension[k];
		DpsInterval gain = dps_histogram_added(s, step, d);
		DpsInterval loss = dps_histogram_removed(s, step, d);
		double		greatest;

		if (!dps_histogram_is_usable(slope))
			return false;
		greatest = fmax(fabs(slope->value.lo), fabs(slope->value.hi));
		if (dps_histogram_is_cuttable(&box->domain[d]))
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

/* The cut with the greatest influence; -1 if no cut has any. */
static int
choose_by_influence(DpsHistogramSearch *s, const DpsBox *box, const DpsHistogramStep *step)
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

/* The cut with the greatest extent, of the step and of the dimensions of terms
 * that the step changes; -1 if there is nothing to cut. */
static int
choose_by_extent(DpsHistogramSearch *s, const DpsBox *box, const DpsHistogramStep *step, bool *matters)
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

		if (term->linear != NULL || dps_histogram_is_untouched(s, term, step))
			continue;
		for (k = 0; k < n; k++)
			matters[k] = matters[k] || term->depends[k];
	}
	if (log2(1 + classes) / log2(1.0 + s->forms.nclasses) >= dps_histogram_extent(s, box->domain, matters, &best) &&
		classes > 0)
		return n + longer;
	return best;
}

static int
choose_cut(DpsHistogramSearch *s, const DpsBox *box, const DpsHistogramStep *step, bool *matters)
{
	int			best = choose_by_influence(s, box, step);

	return best >= 0 ? best : choose_by_extent(s, box, step, matters);
}

/* Keeps pairs with i < j: the norm is the same for both orders. */
static bool
order_step(const DpsHistogramSearch *s, DpsBox *box)
{
	DpsDomain  *i = &box->domain[s->forms.ndimensions];

	if (s->neighbours == DPS_ADD_REMOVE)
		return true;
	i[0].hi = fmin(i[0].hi, i[1].hi - 1);
	i[1].lo = fmax(i[1].lo, i[0].lo + 1);
	return i[0].lo <= i[0].hi && i[1].lo <= i[1].hi;
}

/* A box is discarded if a point tried may exceed its upper bound. */
static bool
is_beaten(const DpsHistogramSearch *s, double upper)
{
	return s->found && upper <= s->greatest;
}

/* Bounds a box and queues it, unless it can be discarded. */
static DpsStatus
queue_box(DpsHistogramSearch *s, DpsBox *box, bool *matters)
{
	DpsInterval value;
	DpsRoom		room;
	DpsFound	found;
	DpsHistogramStep step;

	DPS_TRY(dps_histogram_count_box(s));
	step = step_of(s, box);
	if (!order_step(s, box))
	{
		dps_free_box(&s->queue, box);
		return DPS_OK;
	}
	step = step_of(s, box);
	room = dps_histogram_room(s, &step);
	if (!dps_forms_narrow(&s->forms, &room, box->domain) ||
		!dps_histogram_enclose_change(s, box->domain, &step, s->found ? s->greatest : -INFINITY, &value) ||
		is_beaten(s, value.hi))
	{
		dps_free_box(&s->queue, box);
		return DPS_OK;
	}
	box->cut = choose_cut(s, box, &step, matters);
	if (box->cut >= 0 && (s->finds++ < BOXES_BETWEEN_FINDS || s->finds % BOXES_BETWEEN_FINDS == 0))
		(void) dps_histogram_find_witness(s, box, step, DPS_FIND_IN_BOX);
	if (box->cut >= 0 && !is_beaten(s, value.hi))
	{
		box->upper = value.hi;
		box->unresolved = !isfinite(value.hi);
		return dps_push_box(&s->queue, box);
	}
	if (box->cut < 0)
	{
		found = dps_histogram_find_witness(s, box, step, DPS_FIND_AT_POINT);
		if (found != DPS_NOT_FOUND && !is_beaten(s, value.hi) && value.hi > s->settled)
			s->settled = value.hi;
	}
	dps_free_box(&s->queue, box);
	return DPS_OK;
}

static bool
is_good_enough(const DpsHistogramSearch *s, double upper, uint64_t *rounding)
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
root_box(DpsHistogramSearch *s)
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

/* *upper is the greatest bound of the boxes left. */
static DpsStatus
search(DpsHistogramSearch *s, double *upper)
{
	size_t		size;
	bool	   *matters;
	uint64_t	rounding = 0;
	DpsBox	   *box;

	dps_histogram_init_queue(s);
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
		if (dps_histogram_is_exhausted(s))
		{
			s->result->exhausted = true;
			break;
		}
		box = dps_pop_box(&s->queue);
		memcpy(above->domain, box->domain, size);
		above->depth = ++box->depth;
		dps_histogram_cut(&above->domain[box->cut], &box->domain[box->cut], &above->domain[box->cut]);
		DPS_TRY(queue_box(s, box, matters));
		DPS_TRY(queue_box(s, above, matters));
	}
	*upper = s->queue.n > 0 ? s->queue.heap[0]->upper : 0;
	return DPS_OK;
}

static DpsStatus
maximise(DpsHistogramSearch *s)
{
	DpsDifference *result = s->result;
	double		upper;

	dps_histogram_first_witness(s);
	DPS_TRY(search(s, &upper));
	if (upper < s->settled)
		upper = s->settled;
	if (s->found && upper < s->greatest)
		upper = s->greatest;
	result->upper = upper;
	result->lower = s->found ? s->lower : 0;
	result->unattained = s->settled > s->greatest && upper == s->settled;
	if (!isfinite(upper))
		return dps_histogram_refuse(s, NULL, DPS_UNABLE);
	result->empty = !s->found && upper == 0;
	if (!s->found)
		return DPS_OK;
	s->room = dps_histogram_room(s, &s->best_step);
	return dps_histogram_show(s, &s->room, s->best);
}

static DpsStatus
compile_slopes(DpsHistogramSearch *s, const DpsNode **nodes)
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
compile_values(DpsHistogramSearch *s)
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
set_up(DpsHistogramSearch *s, int noutputs, const DpsHistogramDomain *domain)
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
run(DpsHistogramSearch *s, int noutputs, const DpsHistogramDomain *domain)
{
	DPS_TRY(set_up(s, noutputs, domain));
	DPS_TRY(dps_histogram_prove_values(s));
	if (s->result->status != DPS_OK)
		return DPS_OK;
	return maximise(s);
}

DpsStatus
dps_difference(DpsGraph *graph, const DpsNode *const *outputs, int noutputs, const DpsHistogramDomain *domain,
			   DpsNeighbours neighbours, double p, const DpsBoundOptions *options, DpsDifference *result)
{
	DpsHistogramSearch s = {.graph = graph, .outputs = outputs, .neighbours = neighbours, .p = p, .options = options,
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

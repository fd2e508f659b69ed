/*
 * steepest.c
 *		A proved bound on the gradient norms of all possible examples.
 *
 * Claim: every example within the box, at all parameters within theirs, has a
 * gradient of norm at most `upper`, or one that does not exist.
 *
 * Proof.  The range of the squared norm over a box (tensor_range.c) contains its values.
 * A box is only replaced by two that cover it, both including the number where it is
 * cut, and the boxes of classes cover all targets.  So the greatest upper end of the
 * remaining boxes bounds all values.  The root is rounded up, with room for the rounding
 * of the computed gradients that are compared with it.
 *
 * The box with the greatest upper end is cut at one side.  If there are few sides, it is
 * the side for which the greater upper end of the two halves is least; otherwise the
 * side that is widest relative to the root box.
 */
#include <math.h>
#include <string.h>

#include "tensor/network/steepest.h"
#include "tensor/tensor_range.h"

/* The most sides for which every cut is tried. */
#define TRIED_SIDES 12

/* The relative room for rounding in the gradient, in its norm, and in clipping. */
#define ROOM 0x1p-40

typedef struct Box
{
	double	   *low;			/* of features, target and parameters */
	double	   *high;
	double		upper;			/* of the squared norm */
} Box;

struct DpsSteepest
{
	const DpsNetwork *network;
	DpsRanges  *ranges;
	int64_t		nfeatures;
	int64_t		ntargets;
	int64_t		nsides;			/* with the parameters */
	const double **low;			/* by input */
	const double **high;
	Box			half;			/* scratch for a box that is tried */
};

/* One search. */
typedef struct Search
{
	DpsSteepest *steepest;
	DpsArena   *arena;
	Box		   *boxes;
	int			nboxes;
	double	   *widths;			/* of the root box; 0: the side is not cut */
	int64_t		ncut;			/* sides that may be cut */
	double		lower;
} Search;

static bool
new_box(DpsArena *arena, int64_t nsides, Box *box)
{
	box->low = dps_arena_alloc(arena, sizeof(double) * (size_t) nsides);
	box->high = dps_arena_alloc(arena, sizeof(double) * (size_t) nsides);
	return box->low != NULL && box->high != NULL;
}

static void
copy_box(const DpsSteepest *steepest, Box *to, const Box *from)
{
	memcpy(to->low, from->low, sizeof(double) * (size_t) steepest->nsides);
	memcpy(to->high, from->high, sizeof(double) * (size_t) steepest->nsides);
	to->upper = from->upper;
}

static DpsStatus
plan(DpsSteepest *steepest, DpsNetwork *network)
{
	DpsTensorGraph *g = network->graph;
	const DpsTensor **gradient = dps_arena_alloc(g->arena, sizeof(DpsTensor *) * network->nparameters);

	if (gradient == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_tensor_gradient(g, network->loss, network->tensors, network->nparameters, gradient));
	DPS_TRY(dps_ranges_init(g, dps_tensor_norm_squared(g, gradient, network->nparameters), &steepest->ranges));
	steepest->low = dps_arena_alloc(g->arena, sizeof(double *) * g->ninputs);
	steepest->high = dps_arena_alloc(g->arena, sizeof(double *) * g->ninputs);
	if (steepest->low == NULL || steepest->high == NULL)
		return DPS_NOMEM;
	return new_box(g->arena, steepest->nsides, &steepest->half) ? DPS_OK : DPS_NOMEM;
}

DpsStatus
dps_steepest_init(DpsNetwork *network, DpsSteepest **steepest)
{
	DpsArena   *arena = network->graph->arena;
	DpsSteepest *result = dps_arena_alloc(arena, sizeof(DpsSteepest));

	*steepest = result;
	if (result == NULL)
		return dps_arena_status(arena, DPS_NOMEM);
	result->network = network;
	result->nfeatures = dps_tensor_size(network->features);
	result->ntargets = dps_tensor_size(network->target);
	result->nsides = result->nfeatures + result->ntargets + network->size;
	return dps_arena_status(arena, plan(result, network));
}

static DpsStatus
range_of(DpsSteepest *steepest, const Box *box, DpsInterval *range)
{
	const DpsNetwork *network = steepest->network;
	int64_t		first = steepest->nfeatures + steepest->ntargets;
	int			k;

	steepest->low[network->features->input] = box->low;
	steepest->high[network->features->input] = box->high;
	steepest->low[network->target->input] = box->low + steepest->nfeatures;
	steepest->high[network->target->input] = box->high + steepest->nfeatures;
	for (k = 0; k < network->nparameters; k++)
	{
		int			input = network->parameters[k].tensor->input;

		steepest->low[input] = box->low + first + network->parameters[k].offset;
		steepest->high[input] = box->high + first + network->parameters[k].offset;
	}
	return dps_ranges_run(steepest->ranges, steepest->low, steepest->high, range);
}

/* Sets the box's upper end, which is at most `before`, that of the box from which it was
 * cut. */
static DpsStatus
bound_box(Search *search, Box *box, double before)
{
	DpsInterval range;

	DPS_TRY(range_of(search->steepest, box, &range));
	box->upper = range.hi <= before ? range.hi : before;
	return DPS_OK;
}

/* Raises the lower bound to the squared norm at the middle of a box. */
static DpsStatus
try_middle(Search *search, const Box *box)
{
	Box		   *middle = &search->steepest->half;
	DpsInterval range;
	int64_t		i;

	for (i = 0; i < search->steepest->nsides; i++)
	{
		double		at = isfinite(box->low[i]) && isfinite(box->high[i]) ? box->low[i] + (box->high[i] - box->low[i]) / 2 : 0;

		middle->low[i] = middle->high[i] = fmin(fmax(at, box->low[i]), box->high[i]);
	}
	DPS_TRY(range_of(search->steepest, middle, &range));
	if (range.lo > search->lower && range.lo < INFINITY)
		search->lower = range.lo;
	return DPS_OK;
}

/* Halves a side: left and right are copies of the box. */
static void
cut(Box *left, Box *right, int64_t side)
{
	double		at = left->low[side] + (left->high[side] - left->low[side]) / 2;

	left->high[side] = at;
	right->low[side] = at;
}

static int64_t
widest_side(const Search *search, const Box *box)
{
	double		widest = -1;
	int64_t		best = 0;
	int64_t		i;

	for (i = 0; i < search->steepest->nsides; i++)
	{
		if (search->widths[i] > 0 && (box->high[i] - box->low[i]) / search->widths[i] > widest)
		{
			widest = (box->high[i] - box->low[i]) / search->widths[i];
			best = i;
		}
	}
	return best;
}

/* The greater upper end of the two halves of a side. */
static DpsStatus
try_side(Search *search, const Box *box, int64_t side, double *upper)
{
	Box		   *half = &search->steepest->half;
	double		at = box->low[side] + (box->high[side] - box->low[side]) / 2;
	DpsInterval range[2];

	copy_box(search->steepest, half, box);
	half->high[side] = at;
	DPS_TRY(range_of(search->steepest, half, &range[0]));
	half->high[side] = box->high[side];
	half->low[side] = at;
	DPS_TRY(range_of(search->steepest, half, &range[1]));
	*upper = fmax(range[0].hi, range[1].hi);
	return DPS_OK;
}

static DpsStatus
choose_side(Search *search, const Box *box, int64_t *side)
{
	double		least = INFINITY;
	int64_t		i;

	*side = widest_side(search, box);
	if (search->ncut > TRIED_SIDES)
		return DPS_OK;
	for (i = 0; i < search->steepest->nsides; i++)
	{
		double		upper;

		if (!(search->widths[i] > 0) || !(box->high[i] > box->low[i]))
			continue;
		DPS_TRY(try_side(search, box, i, &upper));
		/* if no cut improves the bound, the widest side is cut */
		if (upper < least && upper < box->upper)
		{
			least = upper;
			*side = i;
		}
	}
	return DPS_OK;
}

static DpsStatus
add_box(Search *search, Box **box)
{
	*box = &search->boxes[search->nboxes];
	if (!new_box(search->arena, search->steepest->nsides, *box))
		return DPS_NOMEM;
	search->nboxes++;
	return DPS_OK;
}

static int
greatest_box(const Search *search)
{
	int			best = 0;
	int			i;

	for (i = 1; i < search->nboxes; i++)
	{
		if (search->boxes[i].upper > search->boxes[best].upper)
			best = i;
	}
	return best;
}

static DpsStatus
add_first(Search *search, const DpsExampleBox *given, int64_t class)
{
	const DpsSteepest *steepest = search->steepest;
	Box		   *box;
	int64_t		i;

	DPS_TRY(add_box(search, &box));
	memcpy(box->low, given->feature_low, sizeof(double) * (size_t) steepest->nfeatures);
	memcpy(box->high, given->feature_high, sizeof(double) * (size_t) steepest->nfeatures);
	for (i = 0; i < steepest->ntargets; i++)
	{
		box->low[steepest->nfeatures + i] = given->target_is_class ? i == class : given->target_low;
		box->high[steepest->nfeatures + i] = given->target_is_class ? i == class : given->target_high;
	}
	i = steepest->nfeatures + steepest->ntargets;
	memcpy(box->low + i, given->parameter_low, sizeof(double) * (size_t) steepest->network->size);
	memcpy(box->high + i, given->parameter_high, sizeof(double) * (size_t) steepest->network->size);
	DPS_TRY(bound_box(search, box, INFINITY));
	return try_middle(search, box);
}

static DpsStatus
begin(Search *search, const DpsExampleBox *given, int max_boxes)
{
	DpsSteepest *steepest = search->steepest;
	int64_t		nclasses = given->target_is_class ? steepest->ntargets : 1;
	int64_t		i;

	search->boxes = dps_arena_alloc(search->arena, sizeof(Box) * (size_t) (max_boxes + nclasses));
	search->widths = dps_arena_alloc(search->arena, sizeof(double) * (size_t) steepest->nsides);
	if (search->boxes == NULL || search->widths == NULL)
		return DPS_NOMEM;
	for (i = 0; i < nclasses; i++)
		DPS_TRY(add_first(search, given, i));
	for (i = 0; i < steepest->nsides; i++)
	{
		double		width = search->boxes[0].high[i] - search->boxes[0].low[i];

		search->widths[i] = width > 0 && width < INFINITY ? width : 0;
		search->ncut += search->widths[i] > 0;
	}
	return DPS_OK;
}

static DpsStatus
search_on(Search *search, int max_boxes, double tolerance)
{
	while (search->nboxes < max_boxes && search->ncut > 0)
	{
		int			worst = greatest_box(search);
		double		before = search->boxes[worst].upper;
		int64_t		side;
		Box		   *right;

		if (before <= search->lower * (1 + tolerance) * (1 + tolerance))
			break;
		DPS_TRY(choose_side(search, &search->boxes[worst], &side));
		DPS_TRY(add_box(search, &right));
		copy_box(search->steepest, right, &search->boxes[worst]);
		cut(&search->boxes[worst], right, side);
		DPS_TRY(bound_box(search, &search->boxes[worst], before));
		DPS_TRY(bound_box(search, right, before));
		DPS_TRY(try_middle(search, &search->boxes[worst]));
		DPS_TRY(try_middle(search, right));
	}
	return DPS_OK;
}

DpsStatus
dps_steepest_find(DpsSteepest *steepest, const DpsExampleBox *box, int max_boxes, double tolerance, DpsSteepness *steepness)
{
	Search		search = {.steepest = steepest};
	DpsStatus	status;

	DPS_TRY(dps_arena_init(&search.arena, dps_arena_host(steepest->network->graph->arena)));
	status = begin(&search, box, max_boxes);
	if (status == DPS_OK)
		status = search_on(&search, max_boxes, tolerance);
	if (status == DPS_OK)
	{
		double		square = search.boxes[greatest_box(&search)].upper;

		steepness->lower = dps_sqrt_down(search.lower);
		/* NaN yields Infinity */
		steepness->upper = square < INFINITY ? dps_mul_up(dps_sqrt_up(fmax(square, 0)), 1 + ROOM) : INFINITY;
		steepness->boxes = search.nboxes;
	}
	status = dps_arena_status(search.arena, status);
	dps_arena_clear(search.arena);
	return status;
}

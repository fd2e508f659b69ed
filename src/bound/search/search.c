/*
 * search.c
 *		Certified extrema of row expressions: interval branch and bound.
 *
 * Boxes wait in a queue, the one with the greatest upper bound first; the
 * first is cut in two (search_cut.c) and the halves are bounded (search_box.c),
 * until the gap to the best value at a point (search_points.c) is small enough.
 * A box on which the expression is not proved defined and finite comes before
 * all others, the smallest first, until it is proved, found undefined at a
 * point, or too small to cut (search_refusal.c).
 */
#include <math.h>
#include <string.h>

#include "bound/search/search_state.h"

#define BOXES_BEFORE_CLIMBS 8

static DpsStatus
add_box(DpsSearch *s, DpsBox *box)
{
	double		before = s->lower;
	DpsVerdict		verdict = dps_examine(s, box);

	DPS_TRY(s->trouble);
	if (verdict == DPS_BOX_SETTLED)
		dps_free_box(&s->queue, box);
	else
		DPS_TRY(dps_push_box(&s->queue, box));
	return s->refused ? DPS_OK : dps_climb_again(s, before);
}

static bool
is_exhausted(const DpsSearch *s)
{
	const DpsHost *host = dps_arena_host(s->graph->arena);

	if (s->options->deadline > 0 && host->milliseconds(host->context) >= s->options->deadline)
		s->bracket->late = true;
	if (dps_arena_bytes(s->arena) > s->options->max_bytes)
		s->bracket->full = true;
	return s->bracket->late || s->bracket->full || s->bracket->boxes >= s->options->max_boxes ||
		dps_arena_worked(s->arena) >= s->most_work;
}

/* Does the search's owner have something better to do? */
static bool
is_ended(DpsSearch *s)
{
	const DpsPause *pause = s->objective->pause;

	if (pause == NULL || s->paused || s->bracket->boxes < pause->boxes)
		return false;
	s->paused = true;
	return pause->ends(pause->context);
}

/* Cuts the first box of the queue. */
static DpsStatus
advance(DpsSearch *s)
{
	DpsBox		   *box = dps_pop_box(&s->queue);
	DpsBox		   *below = dps_new_box(&s->queue);
	DpsBox		   *above = dps_new_box(&s->queue);

	if (below == NULL || above == NULL)
		return DPS_NOMEM;
	DPS_TRY(dps_cut_box(s, box, below, above));
	dps_free_box(&s->queue, box);
	DPS_TRY(add_box(s, below));
	return s->refused ? DPS_OK : add_box(s, above);
}

static DpsStatus
search(DpsSearch *s)
{
	while (s->queue.n > 0 && !s->refused)
	{
		const DpsBox  *first = s->queue.heap[0];

		if (!first->unresolved && dps_good_enough(s, first->upper))
			break;
		if (!first->unresolved && s->climbs < 0 && s->bracket->boxes >= BOXES_BEFORE_CLIMBS)
		{
			DPS_TRY(dps_climb_at_first(s));
			continue;
		}
		if (is_exhausted(s) || is_ended(s))
		{
			s->bracket->exhausted = true;
			break;
		}
		if (!dps_arena_step(s->arena))
			return DPS_CANCELLED;
		DPS_TRY(advance(s));
	}
	return DPS_OK;
}

static void
conclude(DpsSearch *s)
{
	DpsBracket *bracket = s->bracket;

	if (s->queue.n > 0 && s->queue.heap[0]->unresolved && !s->refused)
		dps_refuse_unresolved(s, s->queue.heap[0]);
	if (s->refused)
	{
		bracket->lower = s->sampled ? s->lower : -INFINITY;
		bracket->upper = INFINITY;
		return;
	}
	bracket->empty = !s->valued && s->queue.n == 0;
	if (bracket->empty && s->lower == -INFINITY)
		return;
	if (s->queue.n > 0)
		dps_settle(s, s->queue.heap[0]->upper);
	bracket->lower = s->lower > -INFINITY ? s->lower : s->bottom;
	bracket->upper = fmax(bracket->lower, s->settled);
}

static DpsStatus
run(DpsSearch *s)
{
	DpsBox		   *root;
	double		x[DPS_MAX_DIMENSIONS];
	int			a;

	DPS_TRY(dps_set_up_search(s));
	dps_middle_of(s, s->root, x);
	dps_write_witness(s, x);
	root = dps_new_box(&s->queue);
	if (root == NULL)
		return DPS_NOMEM;
	root->ceiling = INFINITY;
	memcpy(root->domain, s->root, sizeof(DpsDomain) * s->n);
	for (a = 0; a < DPS_MAX_SLABS; a++)
		root->domain[s->n + a] = (DpsDomain) {-INFINITY, INFINITY, DPS_NEVER_NULL, false};
	s->climbs = -1;
	DPS_TRY(add_box(s, root));
	DPS_TRY(search(s));
	conclude(s);
	return DPS_OK;
}

DpsStatus
dps_search(DpsGraph *graph, const DpsObjective *objective, const DpsBoundOptions *options,
		   DpsBracket *bracket)
{
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	DpsSearch	   *s;
	DpsArena   *arena;
	DpsStatus	status;

	memset(bracket, 0, sizeof(*bracket));
	DPS_TRY(dps_arena_init(&arena, dps_arena_host(graph->arena)));
	s = dps_arena_alloc(arena, sizeof(DpsSearch));
	if (s == NULL)
	{
		dps_arena_clear(arena);
		return DPS_NOMEM;
	}
	s->graph = graph;
	s->objective = objective;
	s->options = &chosen;
	s->bracket = bracket;
	s->arena = arena;
	status = dps_arena_status(graph->arena, dps_arena_status(arena, run(s)));
	dps_arena_clear(arena);
	return status;
}

DpsBoundOptions
dps_bound_options(const DpsGraph *graph, const DpsBoundOptions *options)
{
	const DpsHost *host = dps_arena_host(graph->arena);
	DpsBoundOptions chosen = options != NULL ? *options : DPS_BOUND_DEFAULTS;

	if (chosen.max_bytes == 0)
		chosen.max_bytes = DPS_MAX_SEARCH_BYTES;
	if (chosen.deadline == 0 && chosen.max_ms > 0 && host->milliseconds != NULL)
		chosen.deadline = host->milliseconds(host->context) + chosen.max_ms;
	return chosen;
}

/*
 * histogram_proof.c
 *		Proves by branch and bound that functions of a histogram have a value at every
 *		histogram of the domain; and the refusal where they have none.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bound/histogram/histogram_search.h"
#include "num/whole.h"

/* Overflow, less the error bounds of enclosures. */
#define OUT_OF_RANGE (DBL_MAX * (1 - 1e-12))

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

/* The first value that is not proved to exist, or -1. */
static int
missing_value(const DpsHistogramSearch *s)
{
	double		sum = 0;
	int			k;

	for (k = 0; k < s->nvalues; k++)
	{
		const DpsEnclosure *e = dps_histogram_output(s->values, s->with, k);

		sum += fmax(fabs(e->value.lo), fabs(e->value.hi));
		if (!dps_histogram_is_usable(e) || !(sum < DBL_MAX / 2))
			return k;
	}
	return -1;
}

/* Sets the culprit: the caller's expression that has no value at the
 * histogram. */
static DpsStatus
blame(DpsHistogramSearch *s, const double *histogram)
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

		if (dps_histogram_is_usable(dps_histogram_output(program, enclosures, k)))
			continue;
		s->result->culprit = culprit < 0 ? s->outputs[k] : dps_node_of(s->graph, program->code[culprit].node);
		return DPS_OK;
	}
	s->result->culprit = s->outputs[0];
	return DPS_OK;
}

DpsStatus
dps_histogram_show(DpsHistogramSearch *s, const DpsRoom *room, const double *counts)
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

/* There is no finite bound.  The witness is s->counts, unless room is NULL. */
DpsStatus
dps_histogram_refuse(DpsHistogramSearch *s, const DpsRoom *room, DpsStatus status)
{
	s->result->status = status;
	s->result->lower = 0;
	s->result->upper = INFINITY;
	if (room == NULL)
		return DPS_OK;
	DPS_TRY(dps_histogram_show(s, room, s->counts));
	return blame(s, s->result->histogram);
}

/* Is it certain that there is no value, or none in range? */
static bool
has_no_value(const DpsEnclosure *e)
{
	return e->defined == DPS_UNDEFINED || e->nullness == DPS_ALWAYS_NULL || dps_iv_is_empty(e->value) ||
		e->value.lo >= OUT_OF_RANGE || e->value.hi <= -OUT_OF_RANGE;
}

/* A box without a proof that cannot be cut: refuses if it may hold a
 * histogram. */
static DpsStatus
check_counts(DpsHistogramSearch *s, const DpsRoom *room, const DpsBox *box)
{
	int			missing;

	switch (dps_forms_find(&s->forms, room, box->domain, DPS_FIND_AT_POINT, s->counts))
	{
		case DPS_NOT_FOUND:
			return DPS_OK;
		case DPS_NOT_KNOWN:
			return dps_histogram_refuse(s, NULL, DPS_UNABLE);
		case DPS_FOUND:
			break;
	}
	dps_forms_values(&s->forms, s->counts, s->corner);
	(void) dps_enclose_guarded(s->values, s->corner, s->with);
	missing = missing_value(s);
	return dps_histogram_refuse(s, room, missing >= 0 && has_no_value(dps_histogram_output(s->values, s->with, missing)) ?
				  DPS_DOMAIN : DPS_UNABLE);
}

/* The dimension to cut for value k: of those that the culprit depends on, or
 * else of all that decide whether it is evaluated; -1 if there is none. */
static int
choose_unproved(DpsHistogramSearch *s, const DpsBox *box, int k)
{
	int			culprit = dps_culprit(s->values, s->with, k);
	bool	   *matters = s->marks;
	bool	   *seen = s->marks + s->forms.ndimensions;
	int			dimension;

	memset(s->marks, 0, s->forms.ndimensions + s->values->ninstructions);
	if (culprit >= 0)
		mark_instruction(s->values, culprit, seen, matters);
	if (dps_histogram_extent(s, box->domain, matters, &dimension) > 0)
		return dimension;
	memset(seen, 0, s->values->ninstructions);
	mark_instruction(s->values, dps_program_outputs(s->values)[k], seen, matters);
	(void) dps_histogram_extent(s, box->domain, matters, &dimension);
	return dimension;
}

/* Looks at a box; *done if it needs no cut, or if the search is over because the
 * result has a status. */
static DpsStatus
check_box(DpsHistogramSearch *s, const DpsRoom *room, DpsBox *box, bool *done)
{
	int			missing;

	*done = true;
	DPS_TRY(dps_histogram_count_box(s));
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
queue_unproved(DpsHistogramSearch *s, const DpsRoom *room, DpsBox *box)
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

DpsStatus
dps_histogram_prove_values(DpsHistogramSearch *s)
{
	DpsRoom		room = {s->forms.domain->min_rows, s->forms.domain->max_rows, {-1, -1}};
	size_t		size = sizeof(DpsDomain) * s->forms.ndimensions;
	DpsBox	   *box;

	if (s->nvalues == 0)
		return DPS_OK;
	dps_histogram_init_queue(s);
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
		if (dps_histogram_is_exhausted(s))
		{
			s->result->exhausted = true;
			return dps_histogram_refuse(s, NULL, DPS_UNABLE);
		}
		memcpy(above->domain, box->domain, size);
		above->depth = ++box->depth;
		dps_histogram_cut(&above->domain[box->cut], &box->domain[box->cut], &above->domain[box->cut]);
		DPS_TRY(queue_unproved(s, &room, box));
		if (s->result->status == DPS_OK)
			DPS_TRY(queue_unproved(s, &room, above));
	}
	return DPS_OK;
}

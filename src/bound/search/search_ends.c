/*
 * search_ends.c
 *		Cutting a box to two of its faces, where the expression bends upward.
 *
 * Needs: on the box, with all other dimensions at any fixed place in it, the expression q is
 * a convex function of x_k.  Then q is nowhere greater than at the greater of both ends
 * of x_k, which are two points of the same box; so the two faces x_k = lo and x_k = hi stand
 * for all of it, and what is left has a dimension less.  Halves would keep it.
 *
 * Proof that q is convex: q is continuous and NULL nowhere on the box, and
 *
 * - its derivative by x_k is an expression without x_k: along the line q is continuous, and
 *	 its derivative is the same number wherever it has one, so that it is affine; or
 * - its derivative is defined and continuous on the box, and the enclosure of the second
 *	 derivative, which at kinks holds those of all branches, has no negative number in it: so
 *	 the derivative does not fall along the line.
 *
 * Integers are a part of the line, and have both ends.  Where rows without a value do
 * not count, an end may be one, so that boxes with NULL or without a proof of a value are
 * not cut like this; nor are slices of a box (search_slabs.c), of which an end may not be
 * a part.
 *
 * Contraction (search_forms.c) relies on what holds where the expression is greatest over the
 * root.  If that is in the box, then so it is at one of the ends, with the same value: so the
 * conditions hold there as well.
 */
#include "bound/search/search_state.h"

/* Second derivatives are made in searches that take so many boxes, and no longer asked after so
 * many questions of which few were answered by yes. */
#define BOXES_BEFORE_BENDS 64
#define BEND_TRIES 16
#define BEND_GAIN 4
#define BEND_PAUSE 32

/* A program that is longer by more than this costs more than it gains. */
#define MOST_LONGER 3

/* Value, first and second derivative by the dimension. */
enum
{
	VALUE,
	SLOPE,
	BEND,
	OUTPUTS
};

static DpsStatus
make_bend(DpsSearch *s, int k)
{
	DpsBend    *bend = &s->bend[k];
	const DpsNode *derivatives[DPS_MAX_DIMENSIONS];
	const DpsNode *outputs[OUTPUTS] = {s->objective->node, s->outputs[s->nvalues + k], NULL};
	const DpsProgram *program;

	bend->made = true;
	DPS_TRY(dps_gradient(s->graph, outputs[SLOPE], derivatives));
	outputs[BEND] = derivatives[s->variable[k]];
	DPS_TRY(dps_compile_partly(s->graph, outputs, OUTPUTS, 0, 0, &program));
	if (program->ninstructions > MOST_LONGER * s->on_boxes->ninstructions)
		return DPS_OK;
	bend->enclosures = dps_arena_alloc(s->arena, sizeof(DpsEnclosure) * program->ninstructions);
	bend->program = program;
	return bend->enclosures == NULL ? DPS_NOMEM : DPS_OK;
}

/* Does the enclosure of the second derivative say that the expression is convex? */
static bool
is_bent_upward(DpsSearch *s, const DpsBox *box, DpsBend *bend)
{
	const uint32_t *outputs = dps_program_outputs(bend->program);
	const DpsEnclosure *e = bend->enclosures;
	int			i;

	for (i = 0; i < s->n; i++)
	{
		s->domain[s->variable[i]] = box->domain[i];
		s->domain[s->variable[i]].integral = false;
	}
	dps_count_work(s, s->box_work, 1);
	(void) dps_enclose_guarded(bend->program, s->domain, bend->enclosures);
	return dps_has_values(&e[outputs[VALUE]]) && e[outputs[VALUE]].continuous &&
		dps_has_values(&e[outputs[SLOPE]]) && e[outputs[SLOPE]].continuous &&
		dps_has_values(&e[outputs[BEND]]) && e[outputs[BEND]].value.lo >= 0;
}

/* Is another question worth its cost? */
static bool
is_worth_asking(const DpsSearch *s, DpsBend *bend)
{
	if (s->bracket->boxes < BOXES_BEFORE_BENDS || (bend->made && bend->program == NULL))
		return false;
	return bend->asked < BEND_TRIES || bend->bent > bend->asked / BEND_GAIN || s->bracket->boxes % BEND_PAUSE == 0;
}

DpsStatus
dps_is_greatest_at_ends(DpsSearch *s, const DpsBox *box, int k, bool *at_ends)
{
	DpsBend    *bend = &s->bend[k];
	const DpsNode *slope = s->outputs[s->nvalues + k];

	*at_ends = false;
	if (!box->whole || box->domain[k].nullness != DPS_NEVER_NULL || !(box->domain[k].lo < box->domain[k].hi))
		return DPS_OK;
	*at_ends = !(slope->variables & (UINT64_C(1) << s->variable[k]));
	if (*at_ends || !is_worth_asking(s, bend))
		return DPS_OK;
	if (!bend->made)
		DPS_TRY(make_bend(s, k));
	if (bend->program == NULL)
		return DPS_OK;
	*at_ends = is_bent_upward(s, box, bend);
	bend->asked++;
	bend->bent += *at_ends;
	return DPS_OK;
}

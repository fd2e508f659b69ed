/*
 * certificate_box.c
 *		What one enclosure proves about a claim on a region.
 *
 * The interval bound is the enclosure's upper end.  The others need the
 * expression to be continuous and never NULL on the region, with a slope in
 * every dimension that moves: then it is Lipschitz between two points of the
 * region, and along the segment between them its derivative lies in
 * sum_k [g_k] (x_k - c_k), [g_k] being the enclosure of the slopes of all
 * branches (Clarke's mean value theorem at kinks).  Hence
 *
 *		f(x) <= f(c) + sum_k [g_k] (x_k - c_k)			(mean value form)
 *		[g_k] >= 0 : f is greatest at the upper end of dimension k
 *
 * and both hold on integers, being true of the relaxed expression.
 */
#include <math.h>

#include "bound/proof/certificate_form.h"
#include "bound/relax/factor.h"
#include "expr/enclose.h"

static inline bool
has_bit(uint64_t mask, int k)
{
	return (mask & (UINT64_C(1) << k)) != 0;
}

/*
 * Setting up
 */

/* Slopes that have a second form, as a fraction, are enclosed in both
 * forms. */
static DpsStatus
add_others(DpsProver *prover, DpsGraph *graph, const DpsNode *const *gradient, const DpsNode **outputs, int *n)
{
	int			k;

	if (dps_form_is_plain(prover->claim->form))
		return DPS_OK;
	for (k = 0; k < prover->claim->ndimensions; k++)
	{
		const DpsNode *other = dps_together(graph, gradient[k]);

		if (other == NULL)
			return DPS_NOMEM;
		if (other == gradient[k])
			continue;
		prover->other_of[prover->nothers++] = k;
		outputs[(*n)++] = other;
	}
	return DPS_OK;
}

static DpsStatus
compile_claim(DpsProver *prover, DpsGraph *graph, DpsArena *arena)
{
	const DpsClaim *claim = prover->claim;
	const DpsNode *outputs[3 + 2 * DPS_CLAIM_DIMENSIONS];
	const DpsNode *gradient[DPS_CLAIM_DIMENSIONS];
	/* SQL evaluates the guards if there are any, as in a search */
	int			first = claim->nguards > 0 ? 1 : 0;
	int			values;
	int			n = 0;
	int			k;

	outputs[n++] = claim->plain;
	for (k = 0; k < claim->nguards; k++)
		outputs[n++] = claim->guard[k];
	values = n;
	DPS_TRY(dps_compile_partly(graph, outputs, n, first, values - first, &prover->at_witness));
	outputs[0] = claim->node;
	DPS_TRY(dps_compile_partly(graph, outputs, n, first, values - first, &prover->at_points));
	if (claim->cover != NULL)
		DPS_TRY(dps_compile_partly(graph, &claim->cover, 1, 0, 0, &prover->cover));
	prover->sloped = claim->kind != DPS_CLAIM_CONTINUITY;
	if (prover->sloped)
	{
		DPS_TRY(dps_gradient(graph, claim->node, gradient));
		for (k = 0; k < claim->ndimensions; k++)
			outputs[n++] = gradient[k];
		DPS_TRY(add_others(prover, graph, gradient, outputs, &n));
	}
	DPS_TRY(dps_compile(graph, outputs, n, &prover->on_boxes));
	if (!dps_form_is_affine(claim->form))
		return DPS_OK;
	return prover->sloped ? dps_prover_forms_init(prover, graph, arena, outputs) : DPS_UNABLE;
}

static void
find_variables(DpsProver *prover)
{
	uint32_t	i;
	int			a;

	for (i = 0; i < prover->on_boxes->ninstructions; i++)
	{
		const DpsInstruction *instruction = &prover->on_boxes->code[i];

		prover->variables[i] = 0;
		if (instruction->op == DPS_OP_VAR)
			prover->variables[i] = UINT64_C(1) << instruction->arg[0];
		for (a = 0; instruction->op != DPS_OP_VAR && a < instruction->nargs; a++)
			prover->variables[i] |= prover->variables[instruction->arg[a]];
	}
}

/* Finds the CASEs whose branches meet.  All CASEs are in the guard, f. */
static DpsStatus
find_meetings(DpsProver *prover, DpsGraph *graph, const DpsNode *node)
{
	const DpsClaim *claim = prover->claim;
	double		jump;
	uint32_t	i;
	int			a;

	for (i = 0; i < prover->on_boxes->ninstructions; i++)
		if (prover->on_boxes->code[i].node == node->id)
			break;
	/* a node that has been visited */
	if (i == prover->on_boxes->ninstructions || prover->steady[i])
		return DPS_OK;
	prover->steady[i] = true;
	if (node->op == DPS_OP_CASE)
		DPS_TRY(dps_case_jump(graph, node, claim->box, claim->private_variables, NULL, &prover->meets[i], &jump));
	for (a = 0; a < node->nargs; a++)
		DPS_TRY(find_meetings(prover, graph, node->arg[a]));
	return DPS_OK;
}

static DpsStatus
prover_init(DpsProver *prover, DpsGraph *graph, DpsArena *arena, const DpsClaim *claim)
{
	uint32_t	n;

	DPS_TRY(compile_claim(prover, graph, arena));
	n = prover->on_boxes->ninstructions;
	prover->box = dps_arena_alloc(arena, sizeof(DpsEnclosure) * n);
	prover->point = dps_arena_alloc(arena, sizeof(DpsEnclosure) * (prover->at_points->ninstructions +
																   prover->at_witness->ninstructions));
	prover->variables = dps_arena_alloc(arena, sizeof(uint64_t) * n);
	prover->meets = dps_arena_alloc(arena, sizeof(bool) * n);
	prover->steady = dps_arena_alloc(arena, sizeof(bool) * n);
	if (prover->cover != NULL)
		prover->covered = dps_arena_alloc(arena, sizeof(DpsEnclosure) * prover->cover->ninstructions);
	if (prover->box == NULL || prover->point == NULL || prover->variables == NULL ||
		prover->meets == NULL || prover->steady == NULL || (prover->cover != NULL && prover->covered == NULL))
		return DPS_NOMEM;
	find_variables(prover);
	if (claim->kind == DPS_CLAIM_CONTINUITY)
		return find_meetings(prover, graph, claim->node);
	return DPS_OK;
}

DpsStatus
dps_prover_init(DpsProver *prover, DpsArena *arena, const DpsClaim *claim)
{
	*prover = (DpsProver) {.claim = claim};
	return prover_init(prover, claim->graph, arena, claim);
}

/*
 * Values
 */

static inline const DpsEnclosure *
output(const DpsProgram *program, const DpsEnclosure *enclosures, int k)
{
	return &enclosures[dps_program_outputs(program)[k]];
}

/* Encloses output 0, the expression, or a guard; an empty enclosure holds NULL
 * only. */
static bool
values_defined(const DpsProver *prover, const DpsProgram *program, const DpsEnclosure *enclosures, int first)
{
	int			k;

	for (k = first; k <= prover->claim->nguards; k++)
	{
		const DpsEnclosure *e = output(program, enclosures, k);

		if (e->defined != DPS_DEFINED || (!dps_iv_is_empty(e->value) && !dps_iv_is_finite(e->value)))
			return false;
	}
	return true;
}

static bool
values_never_null(const DpsProver *prover, const DpsProgram *program, const DpsEnclosure *enclosures)
{
	int			k;

	for (k = 0; k <= prover->claim->nguards; k++)
	{
		const DpsEnclosure *e = output(program, enclosures, k);

		if (e->nullness != DPS_NEVER_NULL || dps_iv_is_empty(e->value))
			return false;
	}
	return true;
}

bool
dps_prover_defined(const DpsProver *prover)
{
	return values_defined(prover, prover->on_boxes, prover->box, 0);
}

static inline bool
is_usable(const DpsEnclosure *e)
{
	return e->defined == DPS_DEFINED && e->nullness == DPS_NEVER_NULL && !dps_iv_is_empty(e->value);
}

/* The slopes, each cut by its other form; a form without an enclosure is
 * replaced by the other. */
static void
find_slopes(DpsProver *prover)
{
	int			first = 1 + prover->claim->nguards;
	int			k;

	for (k = 0; k < prover->claim->ndimensions; k++)
		prover->slope[k] = *output(prover->on_boxes, prover->box, first + k);
	for (k = 0; k < prover->nothers; k++)
	{
		DpsEnclosure *own = &prover->slope[prover->other_of[k]];
		const DpsEnclosure *other = output(prover->on_boxes, prover->box, first + prover->claim->ndimensions + k);

		if (!is_usable(other))
			continue;
		if (!is_usable(own))
			*own = *other;
		else if (!dps_iv_is_empty(dps_iv_intersect(own->value, other->value)))
			own->value = dps_iv_intersect(own->value, other->value);
	}
}

void
dps_prover_enclose(DpsProver *prover, const DpsDomain *region)
{
	(void) dps_enclose_guarded(prover->on_boxes, region, prover->box);
	if (prover->forms != NULL && dps_prover_smooth(prover) && dps_prover_defined(prover))
		dps_prover_tighten(prover, region);
	if (prover->sloped)
		find_slopes(prover);
}

bool
dps_prover_valueless(const DpsProver *prover)
{
	int			k;

	for (k = 0; k <= prover->claim->nguards; k++)
	{
		const DpsEnclosure *e = output(prover->on_boxes, prover->box, k);

		if (e->nullness == DPS_ALWAYS_NULL || dps_iv_is_empty(e->value))
			return true;
	}
	return false;
}

double
dps_prover_interval(const DpsProver *prover)
{
	return output(prover->on_boxes, prover->box, 0)->value.hi;
}

double
dps_prover_cover(DpsProver *prover, const DpsDomain *region)
{
	const DpsEnclosure *e;

	if (prover->cover == NULL || !values_defined(prover, prover->on_boxes, prover->box, 1))
		return INFINITY;
	(void) dps_enclose_guarded(prover->cover, region, prover->covered);
	e = output(prover->cover, prover->covered, 0);
	return is_usable(e) && dps_iv_is_finite(e->value) ? e->value.hi : INFINITY;
}

static bool
value_at(DpsProver *prover, const DpsProgram *program, int n, const double *x, DpsInterval *value)
{
	DpsDomain	at[DPS_CLAIM_DIMENSIONS];
	int			k;

	for (k = 0; k < n; k++)
	{
		at[k].nullness = isnan(x[k]) ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		at[k].lo = at[k].hi = isnan(x[k]) ? 0 : x[k];
		at[k].integral = false;
	}
	(void) dps_enclose_guarded(program, at, prover->point);
	*value = output(program, prover->point, 0)->value;
	return values_defined(prover, program, prover->point, 0) && values_never_null(prover, program, prover->point);
}

/* Encloses the expression at a point, or at a witness, NaN for NULL; false if it
 * is not proved to have a value there. */
static bool
enclose_value(DpsProver *prover, const double *x, DpsInterval *value)
{
	return value_at(prover, prover->at_points, prover->claim->ndimensions, x, value);
}

bool
dps_prover_witness(DpsProver *prover, const double *x, DpsInterval *value)
{
	return value_at(prover, prover->at_witness, prover->claim->nwitness, x, value);
}

/*
 * Slopes
 */

bool
dps_prover_smooth(const DpsProver *prover)
{
	return prover->sloped && output(prover->on_boxes, prover->box, 0)->continuous &&
		values_never_null(prover, prover->on_boxes, prover->box);
}

const DpsInterval *
dps_prover_slope(const DpsProver *prover, int k)
{
	return is_usable(&prover->slope[k]) ? &prover->slope[k].value : NULL;
}

bool
dps_prover_monotone(const DpsProver *prover, const DpsDomain *region, int k, bool rising)
{
	const DpsInterval *slope;

	if (region[k].nullness != DPS_NEVER_NULL || region[k].lo >= region[k].hi)
		return false;
	slope = dps_prover_slope(prover, k);
	return slope != NULL && (rising ? slope->lo >= 0 : slope->hi <= 0);
}

/* A dimension that is a point or always NULL does not move. */
static bool
moves(const DpsDomain *domain)
{
	return domain->nullness == DPS_MAYBE_NULL || (domain->nullness == DPS_NEVER_NULL && domain->lo < domain->hi);
}

static bool
inside(const DpsDomain *domain, double x)
{
	if (isnan(x))
		return domain->nullness == DPS_ALWAYS_NULL;
	return domain->nullness == DPS_NEVER_NULL && domain->lo <= x && x <= domain->hi;
}

double
dps_prover_mean_value(DpsProver *prover, const DpsDomain *region, const double *centre)
{
	DpsInterval bound;
	int			k;

	if (!dps_prover_smooth(prover) || !enclose_value(prover, centre, &bound))
		return INFINITY;
	for (k = 0; k < prover->claim->ndimensions; k++)
	{
		const DpsDomain *domain = &region[k];
		const DpsInterval *slope;

		/* columns without influence on the expression may be anything */
		if (!has_bit(prover->claim->node->variables, k))
			continue;
		if (!inside(domain, centre[k]))
			return INFINITY;
		if (!moves(domain))
			continue;
		slope = dps_prover_slope(prover, k);
		if (slope == NULL || !dps_iv_is_finite(*slope))
			return INFINITY;
		bound = dps_iv_add(bound, dps_iv_mul(*slope, dps_iv_sub(dps_iv(domain->lo, domain->hi),
																dps_iv(centre[k], centre[k]))));
	}
	return isnan(bound.hi) ? INFINITY : bound.hi;
}

/*
 * Continuity
 */

/*
 * Below a CASE whose branches meet, only the leaves matter: the CASEs in
 * between were part of the proof that the branches meet.
 */
static bool
leaves_steady(const DpsProver *prover, uint32_t i)
{
	const DpsInstruction *instruction = &prover->on_boxes->code[i];
	unsigned	evaluated;
	int			a;

	if (instruction->op == DPS_OP_CAST)
		return leaves_steady(prover, instruction->arg[0]);
	if (instruction->op != DPS_OP_CASE)
		return prover->steady[i];
	evaluated = dps_evaluated_arguments(instruction, prover->box);
	for (a = 1; a < 3; a++)
		if ((evaluated & 1u << a) && !leaves_steady(prover, instruction->arg[a]))
			return false;
	return true;
}

/* A jump of the condition has an effect only where both branches can be
 * taken. */
static bool
case_steady(const DpsProver *prover, uint32_t i)
{
	const DpsInstruction *instruction = &prover->on_boxes->code[i];
	unsigned	evaluated = dps_evaluated_arguments(instruction, prover->box) & 6;
	int			a;

	if (prover->meets[i])
		return leaves_steady(prover, i);
	if (evaluated == 6 && (prover->variables[instruction->arg[0]] & prover->claim->private_variables))
		return false;
	for (a = 1; a < 3; a++)
		if ((evaluated & 1u << a) && !prover->steady[instruction->arg[a]])
			return false;
	return true;
}

static bool
operation_steady(const DpsProver *prover, uint32_t i)
{
	const DpsInstruction *instruction = &prover->on_boxes->code[i];
	const DpsEnclosure *box = prover->box;
	unsigned	evaluated = dps_evaluated_arguments(instruction, box);
	int			a;

	for (a = 0; a < instruction->nargs; a++)
		if ((evaluated & 1u << a) && !prover->steady[instruction->arg[a]])
			return false;
	return dps_iv_is_empty(box[i].value) ||
		!dps_ops[instruction->op].jumps(box[instruction->arg[0]].value,
										box[instruction->arg[instruction->nargs - 1]].value, box[i].value);
}

/*
 * Whether a column is NULL is public, and so is what depends on public columns
 * alone: these may jump.  A value that is constant over the region does not
 * jump, whatever its arguments do.
 */
bool
dps_prover_steady(DpsProver *prover)
{
	uint32_t	i;

	for (i = 0; i < prover->on_boxes->ninstructions; i++)
	{
		const DpsInstruction *instruction = &prover->on_boxes->code[i];

		if (instruction->nargs == 0 || dps_enclosure_is_constant(&prover->box[i]) ||
			!(prover->variables[i] & prover->claim->private_variables))
			prover->steady[i] = true;
		else
			prover->steady[i] = instruction->op == DPS_OP_CASE ? case_steady(prover, i) : operation_steady(prover, i);
	}
	return prover->steady[dps_program_outputs(prover->on_boxes)[0]];
}

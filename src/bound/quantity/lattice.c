/*
 * lattice.c
 *		Lipschitz constants where integers move by whole steps.
 *
 * An expression may jump between two integers, and have no derivative there, and still
 * be Lipschitz for rows, whose integers are integers:
 *
 *		CASE WHEN female = 1 THEN 0.742 ELSE 1 END * x
 *
 * Precondition.  B is a box of ranges; L are some of its private integer columns, J
 * its other private columns.  f is defined on B, and NULL only where a NULL cell makes
 * it so, which is public.  With L fixed at integers, f is continuous in J and
 * Lipschitz with the constant G, for the norm of the distance of rows.  One step of
 * column k of L, all other columns fixed, moves f by at most D_k.
 *
 * Claim.  For rows a and b of B with the same NULLs and public columns, |f(a) - f(b)|
 * is at most K times their weighted distance.  By the norm of this distance, K is
 *
 *		2-norm			sqrt(sum of (D_k / w_k)^2 + G^2)	(DPS_NORM_2)
 *		1-norm			the greatest of all D_k / w_k and G	(DPS_NORM_INFINITY)
 *		maximum norm	sum of D_k / w_k + G				(DPS_NORM_1)
 *
 * Proof.  Move the columns of L from a to b one after the other, in whole steps, while J
 * stays at a; then J along a straight line, while L stays at b.  Each point on the way is
 * in B, which is a product, with integers in L; integers in J take real values on the
 * line, and G is a constant there, too.  So |f(a) - f(b)| is at most the sum of all D_k
 * |a_k - b_k| and G |a_J - b_J|.  By Hoelder's inequality, for one vector of all D_k /
 * w_k and G, and one of all w_k |a_k - b_k| and |a_J - b_J|, the claim follows.
 *
 * The supremum, at one point, of the norm of steps and derivatives together is no
 * bound: the way from a to b may have a large step at one point and a large derivative
 * at another.  Hence each has a supremum of its own.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/column_move.h"
#include "bound/quantity/jump.h"
#include "bound/quantity/lattice.h"
#include "bound/quantity/lift_conditions.h"
#include "bound/quantity/reduce.h"
#include "expr/enclose.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* ---- which columns ---- */

/* Private integers that the value depends on, and that move. */
static uint64_t
integers_that_move(const DpsNode *value, const DpsDomain *box, int ncolumns, uint64_t private_variables)
{
	uint64_t	found = 0;
	int			j;

	for (j = 0; j < ncolumns; j++)
	{
		if (box[j].integral && box[j].lo < box[j].hi && box[j].nullness != DPS_ALWAYS_NULL)
			found |= UINT64_C(1) << j;
	}
	return found & private_variables & value->variables;
}

/* Can the value jump as these columns move along lines? */
static DpsStatus
jumps(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, uint64_t variables, uint64_t *boxes, bool *found)
{
	DpsDomain	relaxed[MAX_DIMENSIONS];
	DpsBracket	bracket;

	dps_relax_box(graph, value, box, dps_columns(graph), variables, relaxed);
	DPS_TRY(dps_refuse_jumps(graph, value, box, relaxed, dps_columns(graph), variables, &bracket));
	*boxes += bracket.boxes;
	*found = bracket.status != DPS_OK;
	return DPS_OK;
}

/* Finds integers that must move by steps, so that there is no jump; not `possible`
 * if there is one even so. */
static DpsStatus
leave_lines(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, uint64_t private_variables, uint64_t integers,
			uint64_t *boxes, uint64_t *steps, bool *possible)
{
	bool		found;
	int			j;

	*steps = integers;
	DPS_TRY(jumps(graph, value, box, private_variables & ~integers, boxes, &found));
	*possible = !found;
	for (j = 0; j < dps_columns(graph) && *possible; j++)
	{
		uint64_t	fewer = *steps & ~(UINT64_C(1) << j);

		if (fewer == *steps)
			continue;
		DPS_TRY(jumps(graph, value, box, private_variables & ~fewer, boxes, &found));
		if (!found)
			*steps = fewer;
	}
	return DPS_OK;
}

DpsStatus
dps_null_by_cells(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, bool *only)
{
	DpsDomain	present[MAX_DIMENSIONS];
	const DpsProgram *program;
	DpsEnclosure *enclosures;

	dps_relax_box(graph, value, box, dps_columns(graph), 0, present);
	DPS_TRY(dps_compile(graph, &value, 1, &program));
	enclosures = dps_arena_alloc(graph->arena, sizeof(DpsEnclosure) * program->ninstructions);
	if (enclosures == NULL)
		return DPS_NOMEM;
	(void) dps_enclose_guarded(program, present, enclosures);
	*only = enclosures[dps_program_outputs(program)[0]].nullness == DPS_NEVER_NULL;
	return DPS_OK;
}

/* ---- steps ---- */

const DpsNode *
dps_next_integer(DpsGraph *graph, int column)
{
	const DpsNode *here = dps_variable(graph, column);

	return here == NULL ? NULL : dps_apply(graph, DPS_OP_ADD, here->type, here, dps_constant(graph, here->type, 1));
}

DpsStatus
dps_step_reach(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, int column, bool down,
			   const DpsBoundOptions *options, DpsBracket *bracket)
{
	const DpsNode *next = dps_next_integer(graph, column);
	const DpsNode *moved = dps_substitute(graph, value, column, next);
	const DpsNode *step = dps_column_move(graph, value, column, next);
	DpsDomain	from[MAX_DIMENSIONS];
	DpsObjective objective = {.guards = {value, moved}, .nguards = 2, .box = from, .ncolumns = dps_columns(graph), .floor = -INFINITY};

	memcpy(from, box, sizeof(DpsDomain) * dps_columns(graph));
	from[column].hi -= 1;
	from[column].nullness = DPS_NEVER_NULL;
	if (!down)
		step = dps_apply(graph, DPS_OP_NEG, DPS_FLOAT8, step, NULL);
	objective.node = dps_lift_conditions(graph, step, 0);
	return dps_maximise(graph, &objective, options, bracket);
}

/* D_k: how far one step of the column moves the value. */
static DpsStatus
reach_of_step(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, int column, const DpsBoundOptions *options,
			  DpsBracket *bracket)
{
	DpsBracket	down;
	DpsBracket	up;

	DPS_TRY(dps_step_reach(graph, value, box, column, true, options, &down));
	DPS_TRY(dps_step_reach(graph, value, box, column, false, options, &up));
	*bracket = down.lower >= up.lower ? down : up;
	bracket->status = dps_worse(down.status, up.status);
	bracket->lower = fmax(0.0, bracket->lower);
	bracket->upper = fmax(0.0, fmax(down.upper, up.upper));
	bracket->boxes = down.boxes + up.boxes;
	bracket->exhausted = down.exhausted || up.exhausted;
	bracket->late = down.late || up.late;
	bracket->full = down.full || up.full;
	return DPS_OK;
}

/* A boolean has two values and no sum: the move between them is one step. */
static DpsStatus
reach(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, int column, const DpsBoundOptions *options, DpsBracket *bracket)
{
	if (graph->variables[column].type == DPS_BOOL)
		return dps_attribute(graph, value, box, column, options, bracket);
	return reach_of_step(graph, value, box, column, options, bracket);
}

/* ---- together ---- */

static double
add_to_norm(DpsGradientNorm norm, double sum, double part)
{
	switch (norm)
	{
		case DPS_NORM_1:
			return dps_add_up(sum, part);
		case DPS_NORM_2:
			return dps_add_up(sum, dps_mul_up(part, part));
		default:
			return fmax(sum, part);
	}
}

void
dps_norm_add_part(DpsBracket *whole, const DpsBracket *part, double weight, DpsGradientNorm norm)
{
	double		lower = dps_div_down(part->lower, weight);

	if (whole->boxes == 0 || lower > whole->lower)
	{
		whole->lower = lower;
		whole->witness = part->witness;
	}
	whole->upper = add_to_norm(norm, whole->upper, dps_div_up(part->upper, weight));
	whole->status = dps_worse(whole->status, part->status);
	whole->boxes += part->boxes;
	whole->exhausted |= part->exhausted;
	whole->late |= part->late;
	whole->full |= part->full;
}

void
dps_norm_close(DpsBracket *whole, DpsGradientNorm norm)
{
	if (norm == DPS_NORM_2)
		whole->upper = dps_sqrt_up(whole->upper);
	if (!isfinite(whole->upper))
		whole->status = dps_worse(whole->status, DPS_UNABLE);
}

static DpsStatus
by_steps(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, const DpsPolicy *policy, uint64_t steps,
		 DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsPolicy	others = *policy;
	DpsBracket	part;
	int			j;

	others.private_variables &= ~steps;
	DPS_TRY(dps_lipschitz_by_lines(graph, value, box, &others, norm, options, &part));
	*bracket = (DpsBracket) {0};
	dps_norm_add_part(bracket, &part, 1.0, norm);
	for (j = 0; j < dps_columns(graph) && bracket->status == DPS_OK; j++)
	{
		if (!(steps & (UINT64_C(1) << j)))
			continue;
		DPS_TRY(reach(graph, value, box, j, options, &part));
		dps_norm_add_part(bracket, &part, policy->weights[j], norm);
	}
	dps_norm_close(bracket, norm);
	bracket->steps = steps;
	return DPS_OK;
}

/*
 * L has only the columns without which there is a jump: columns with bounded derivatives
 * get better constants together with the others.  If that fails, as for sqrt(n) at 0, L
 * has all integers.
 */
static DpsStatus
step_by_step(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, const DpsPolicy *policy, uint64_t integers,
			 DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	uint64_t	steps;
	uint64_t	boxes = 0;
	bool		possible;

	DPS_TRY(leave_lines(graph, value, box, policy->private_variables, integers, &boxes, &steps, &possible));
	bracket->status = DPS_UNABLE;
	if (possible && steps != 0)
		DPS_TRY(by_steps(graph, value, box, policy, steps, norm, options, bracket));
	if (possible && steps != integers && bracket->status != DPS_OK)
		DPS_TRY(by_steps(graph, value, box, policy, integers, norm, options, bracket));
	bracket->boxes += boxes;
	return DPS_OK;
}

static DpsStatus
lipschitz(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsPolicy *policy,
		  DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	const DpsNode *value = dps_as_float8(graph, node);
	DpsBracket	stepped = {0};
	uint64_t	integers;
	bool		only_by_cells;

	DPS_TRY(dps_lipschitz_by_lines(graph, node, box, policy, norm, &chosen, bracket));
	integers = value == NULL ? 0 : integers_that_move(value, box, dps_columns(graph), policy->private_variables);
	if (bracket->status == DPS_OK || integers == 0)
		return DPS_OK;
	DPS_TRY(dps_null_by_cells(graph, value, box, &only_by_cells));
	if (!only_by_cells)
		return DPS_OK;
	DPS_TRY(step_by_step(graph, value, box, policy, integers, norm, &chosen, &stepped));
	stepped.boxes += bracket->boxes;
	if (stepped.status == DPS_OK)
		*bracket = stepped;
	return DPS_OK;
}

DpsStatus
dps_lipschitz(DpsGraph *graph, const DpsNode *node, const DpsDomain *box, const DpsPolicy *policy,
			  DpsGradientNorm norm, const DpsBoundOptions *options, DpsBracket *bracket)
{
	return dps_arena_status(graph->arena, lipschitz(graph, node, box, policy, norm, options, bracket));
}

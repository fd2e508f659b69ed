/*
 * vector_space.c
 *		Where the bounds of vectors are searched for; graphs over pairs of
 *		rows.
 */
#include <math.h>
#include <string.h>

#include "bound/dimension.h"
#include "bound/quantity/reduce.h"
#include "bound/quantity/vector_space.h"

/* Magnitudes between these are squared without a change of scale. */
#define SMALLEST_UNSCALED 1e-100
#define LARGEST_UNSCALED 1e100

/* The most steps of a difference: a shared term is visited once for each path
 * to it, and there may be many paths. */
#define DIFFERENCE_STEPS 2000

DpsStatus
dps_space_maximise(const DpsSpace *space, const DpsNode *node, double floor, DpsBracket *bracket)
{
	DpsObjective objective = {.node = node, .nguards = space->nguards, .box = space->box,
	.ncolumns = space->ncolumns, .floor = floor};

	memcpy(objective.guards, space->guards, sizeof(objective.guards));
	return dps_maximise(space->graph, &objective, space->options, bracket);
}

DpsStatus
dps_space_value(const DpsSpace *space, const DpsNode *node, const DpsPoint *point, double *value)
{
	DpsSpace	there = *space;
	DpsDomain	box[DPS_SPACE_DIMENSIONS];
	DpsBracket	bracket;
	int			j;

	for (j = 0; j < space->ncolumns; j++)
	{
		bool		isnull = isnan(point->x[j]);

		box[j] = space->box[j];
		box[j].nullness = isnull ? DPS_ALWAYS_NULL : DPS_NEVER_NULL;
		if (!isnull)
			box[j].lo = box[j].hi = point->x[j];
	}
	there.box = box;
	DPS_TRY(dps_space_maximise(&there, node, -INFINITY, &bracket));
	*value = bracket.status == DPS_OK && !bracket.empty ? bracket.lower : -INFINITY;
	return DPS_OK;
}

int
dps_scale_exponent(double largest)
{
	return isfinite(largest) && largest > 0 &&
		(largest < SMALLEST_UNSCALED || largest > LARGEST_UNSCALED) ? ilogb(largest) : 0;
}

const DpsNode *
dps_scale_node(DpsGraph *graph, const DpsNode *node, int e)
{
	if (e == 0)
		return node;
	/* in two steps: 2^-e may not be a double */
	node = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, node, dps_constant(graph, DPS_FLOAT8, ldexp(1.0, -(e / 2))));
	return dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, node, dps_constant(graph, DPS_FLOAT8, ldexp(1.0, -(e - e / 2))));
}

/* ldexp is exact except for underflow, which one more ulp covers, and for
 * overflow. */
double
dps_root_down(double square, int e)
{
	double		root = ldexp(dps_sqrt_down(fmax(square, 0.0)), e);

	return root < 1e-300 ? fmax(dps_round_down(root), 0.0) : root;
}

double
dps_root_up(double square, int e)
{
	double		root = ldexp(dps_sqrt_up(fmax(square, 0.0)), e);

	if (isnan(square))
		return INFINITY;
	return root < 1e-300 && square > 0 ? dps_round_up(root) : root;
}

/*
 * Pairs of rows
 */

static DpsStatus
add_columns(DpsTwins *twins, const DpsGraph *source, const DpsDomain *box, uint64_t mask, int row)
{
	int			j;

	for (j = 0; j < twins->nsource; j++)
	{
		const DpsVariable *variable = &source->variables[j];
		int			k;

		if (!(mask & (UINT64_C(1) << j)))
			continue;
		k = dps_graph_add_variable(twins->graph, variable->name, variable->type, variable->nullable);
		if (k < 0)
			return DPS_UNABLE;
		twins->variable[row][j] = k;
		twins->box[k] = box[j];
	}
	return DPS_OK;
}

DpsStatus
dps_twins_init(DpsTwins *twins, const DpsGraph *source, const DpsDomain *box, uint64_t used, uint64_t moved)
{
	int			j;

	memset(twins, 0, sizeof(*twins));
	DPS_TRY(dps_arena_init(&twins->arena, dps_arena_host(source->arena)));
	DPS_TRY(dps_graph_init(&twins->graph, twins->arena));
	twins->nsource = dps_columns(source);
	twins->moved = moved & used;
	twins->steps = DIFFERENCE_STEPS;
	for (j = 0; j < DPS_SPACE_DIMENSIONS; j++)
		twins->variable[0][j] = -1;
	DPS_TRY(add_columns(twins, source, box, used, 0));
	memcpy(twins->variable[1], twins->variable[0], sizeof(twins->variable[0]));
	DPS_TRY(add_columns(twins, source, box, twins->moved, 1));
	for (j = 0; j < 2; j++)
	{
		twins->memo[j] = dps_arena_alloc(twins->arena, sizeof(DpsNode *) * source->nnodes);
		if (twins->memo[j] == NULL)
			return DPS_NOMEM;
	}
	return DPS_OK;
}

void
dps_twins_clear(DpsTwins *twins)
{
	dps_arena_clear(twins->arena);
	twins->arena = NULL;
}

int
dps_twins_add(DpsTwins *twins, double lo, double hi)
{
	int			k = dps_graph_add_variable(twins->graph, "u", DPS_FLOAT8, false);

	if (k >= 0)
		twins->box[k] = (DpsDomain) {lo, hi, DPS_NEVER_NULL, false};
	return k;
}

const DpsNode *
dps_twins_copy(DpsTwins *twins, const DpsNode *node, int row)
{
	const DpsNode *arg[3] = {NULL, NULL, NULL};
	const DpsNode *result;
	int			i;

	if (node->op == DPS_OP_CONST)
		return dps_copy_constant(twins->graph, node);
	if (node->op == DPS_OP_VAR)
		return dps_variable(twins->graph, twins->variable[row][node->variable]);
	if (twins->memo[row][node->id] != NULL)
		return twins->memo[row][node->id];
	for (i = 0; i < node->nargs; i++)
	{
		arg[i] = dps_twins_copy(twins, node->arg[i], row);
		if (arg[i] == NULL)
			return NULL;
	}
	result = node->op == DPS_OP_CASE ? dps_choose(twins->graph, arg[0], arg[1], arg[2]) :
		dps_apply(twins->graph, node->op, node->type, arg[0], arg[1]);
	twins->memo[row][node->id] = result;
	return result;
}

static const DpsNode *
copy_as_float8(DpsTwins *twins, const DpsNode *node, int row)
{
	return dps_as_float8(twins->graph, dps_twins_copy(twins, node, row));
}

/*
 * Terms and factors without moved columns are taken out, so that enclosures do
 * not count them twice: (u + v) - (u' + v) = u - u', u v - u' v = (u - u') v.
 */
const DpsNode *
dps_twins_difference(DpsTwins *twins, const DpsNode *node)
{
	DpsGraph   *graph = twins->graph;
	const DpsNode *x = node->arg[0];
	const DpsNode *y = node->arg[1];

	if (!(node->variables & twins->moved))
		return dps_constant(graph, DPS_FLOAT8, 0.0);
	if (node->type == DPS_FLOAT8 && twins->steps-- > 0)
	{
		if (node->op == DPS_OP_ADD || node->op == DPS_OP_SUB)
			return dps_apply(graph, node->op, DPS_FLOAT8, dps_twins_difference(twins, x), dps_twins_difference(twins, y));
		if (node->op == DPS_OP_NEG)
			return dps_apply(graph, node->op, DPS_FLOAT8, dps_twins_difference(twins, x), NULL);
		if (node->op == DPS_OP_MUL && !(x->variables & twins->moved))
			return dps_apply(graph, node->op, DPS_FLOAT8, copy_as_float8(twins, x, 0), dps_twins_difference(twins, y));
		if ((node->op == DPS_OP_MUL || node->op == DPS_OP_DIV) && !(y->variables & twins->moved))
			return dps_apply(graph, node->op, DPS_FLOAT8, dps_twins_difference(twins, x), copy_as_float8(twins, y, 0));
	}
	return dps_apply(graph, DPS_OP_SUB, DPS_FLOAT8, copy_as_float8(twins, node, 0), copy_as_float8(twins, node, 1));
}

void
dps_twins_join(const DpsTwins *twins, const DpsPoint *first, const DpsPoint *second, DpsPoint *point)
{
	const DpsPoint *rows[2] = {first, second};
	int			row;
	int			j;

	memset(point, 0, sizeof(*point));
	for (row = 1; row >= 0; row--)
		for (j = 0; j < twins->nsource; j++)
			if (twins->variable[row][j] >= 0)
				point->x[twins->variable[row][j]] = rows[row]->x[j];
}

/* A column that no expression uses is in the middle of its range. */
void
dps_twins_split(const DpsTwins *twins, const DpsDomain *source_box, const DpsPoint *point,
				DpsPoint *first, DpsPoint *second)
{
	DpsPoint	rows[2];
	int			row;
	int			j;

	memset(rows, 0, sizeof(rows));
	for (row = 0; row < 2; row++)
		for (j = 0; j < twins->nsource; j++)
			rows[row].x[j] = twins->variable[row][j] >= 0 ? point->x[twins->variable[row][j]] :
				source_box[j].nullness == DPS_ALWAYS_NULL ? (double) NAN : dps_middle(&source_box[j]);
	*first = rows[0];
	*second = rows[1];
}

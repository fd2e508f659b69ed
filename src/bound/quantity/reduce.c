/*
 * reduce.c
 *		Searches over fewer dimensions and shorter ranges: a linear score is one
 *		column, and a periodic column has one period.
 *
 * Where an expression depends on some columns only through one part u that uses
 * each of them once, in sums, products and quotients, and rises or falls in each
 * of them all over the box, u takes every value between its ends on the box, and
 * nothing else about these columns matters.  The search then runs over u.  Without
 * this, an expression like 1/(1 + exp(-score)) is greatest on a whole hyperplane,
 * which no search by boxes can cover.
 *
 * Shares a / (a + b) are written as 1 / (1 + b / a) before, so that b / a may be
 * such a part.  The expression as it was is one of the guards then.  A guard that
 * is proved defined, finite and never NULL on the whole box is left out, as it
 * may refer to the part's columns by themselves.
 *
 * Sums of terms of one column each come first, and may have integers (score.c); in long searches
 * sums of terms with columns in common (mixed.c) and products of powers of columns (power_product.c) as well, and
 * what the terms of the objective have in common is taken out before.  A column that stands for some may be one of
 * a later part.
 */
#include <math.h>
#include <string.h>

#include "bound/affine_node.h"
#include "bound/quantity/reduce.h"
#include "bound/relax/factor.h"
#include "bound/relax/share.h"
#include "bound/score/power_product.h"
#include "bound/score/score.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)
#define MAX_REDUCTIONS 8

/* Most searches end before so many boxes, and need no products. */
#define BOXES_BEFORE_PRODUCTS 100

/* Steps of bisection: to the last bit, from 1. */
#define HALVINGS 60

/* Parts tried in one expression. */
#define MAX_CANDIDATES 64

/* One column that stands for a part, or is the share of a mixed score (score.h). */
typedef struct Reduction
{
	DpsScore	score;
	const DpsProgram *part;
	DpsDomain	box[MAX_DIMENSIONS];	/* before it */
} Reduction;

typedef struct Reducer
{
	DpsGraph   *graph;
	DpsArena   *arena;			/* of the reduction alone */
	const DpsObjective *original;
	DpsObjective objective;		/* as reduced so far */
	DpsDomain	box[MAX_DIMENSIONS];
	uint64_t	taken;			/* columns in a reduction already, but for those that
								 * stand for one */
	Reduction	reductions[MAX_REDUCTIONS];
	int			n;
	bool		products;		/* products that stand alone are reductions */
	bool		multiplied;		/* and there is one, or powers are joined */
	bool		shortened;		/* a range has been shortened to one period */
	uint64_t	boxes;			/* of searches for ranges */
} Reducer;

/* A plain real column, possibly cast. */
static bool
is_real_column(const void *context, const DpsNode *column)
{
	const Reducer *r = context;
	int			j = column->variable;

	return j < r->objective.ncolumns && !r->box[j].integral &&
		r->box[j].nullness == DPS_NEVER_NULL && !(r->taken & (UINT64_C(1) << j));
}

/* Affine forms; beside shares also products and quotients of such parts without a column in
 * common, which a search by itself settles soon elsewhere. */
static bool
is_part(const Reducer *r, const DpsNode *node)
{
	DpsAffineRule rule = {.columns = UINT64_MAX, .is_plain = true, .admits = is_real_column, .context = r};

	if (dps_is_affine(&rule, node))
		return true;
	return r->objective.shares && (node->op == DPS_OP_MUL || node->op == DPS_OP_DIV) &&
		node->type == DPS_FLOAT8 && !(node->arg[0]->variables & node->arg[1]->variables) && is_part(r, node->arg[0]) && is_part(r, node->arg[1]);
}

/* The columns of the node that occur outside of the part. */
static uint64_t
columns_outside(const DpsNode *node, const DpsNode *part, bool *seen)
{
	uint64_t	columns = 0;
	int			i;

	if (node == part || seen[node->id] || !(node->variables & part->variables))
		return 0;
	seen[node->id] = true;
	if (node->op == DPS_OP_VAR)
		return node->variables;
	for (i = 0; i < node->nargs; i++)
		columns |= columns_outside(node->arg[i], part, seen);
	return columns;
}

/*
 * Does the objective, as reduced so far, depend on the part's columns through
 * the part alone?  A simplification after an earlier replacement may have
 * taken the part apart.
 */
static DpsStatus
stands_alone(const Reducer *r, const DpsNode *part, bool *alone)
{
	bool	   *seen = dps_arena_alloc(r->arena, sizeof(bool) * r->graph->nnodes);
	uint64_t	columns;
	int			i;

	if (seen == NULL)
		return DPS_NOMEM;
	columns = columns_outside(r->objective.node, part, seen);
	for (i = 0; i < r->objective.nguards; i++)
		columns |= columns_outside(r->objective.guards[i], part, seen);
	if (r->objective.cover != NULL)
		columns |= columns_outside(r->objective.cover, part, seen);
	*alone = !(columns & part->variables);
	return DPS_OK;
}

static int
count_columns(uint64_t mask)
{
	int			n = 0;

	for (; mask != 0; mask &= mask - 1)
		n++;
	return n;
}

/* Adds the parts of the node, larger ones before those within them. */
static void
collect_parts(const Reducer *r, const DpsNode *node, bool *seen, const DpsNode **parts, int *nparts)
{
	int			i;

	if (seen[node->id] || *nparts == MAX_CANDIDATES || count_columns(node->variables) < 2)
		return;
	seen[node->id] = true;
	if (is_part(r, node))
		parts[(*nparts)++] = node;
	for (i = 0; i < node->nargs; i++)
		collect_parts(r, node->arg[i], seen, parts, nparts);
}

/* A column of the part that can stand for it; -1 if none is of its type. */
static int
choose_column(const Reducer *r, const DpsNode *part)
{
	int			j;

	for (j = 0; j < r->objective.ncolumns; j++)
		if ((part->variables & (UINT64_C(1) << j)) && r->graph->variables[j].type == part->type)
			return j;
	return -1;
}

/* Encloses the nodes on the box as reduced so far. */
static DpsStatus
enclose_nodes(const Reducer *r, const DpsNode *const *nodes, int n, const DpsProgram **program, DpsEnclosure **enclosures)
{
	DPS_TRY(dps_compile(r->graph, nodes, n, program));
	*enclosures = dps_arena_alloc(r->arena, sizeof(DpsEnclosure) * (*program)->ninstructions);
	if (*enclosures == NULL)
		return DPS_NOMEM;
	dps_enclose(*program, r->box, *enclosures);
	return DPS_OK;
}

/* Sets the part's range and in which columns it falls; `known` is false if they cannot be
 * determined. */
static DpsStatus
measure_part(Reducer *r, const DpsNode *part, Reduction *reduction, bool *known)
{
	const DpsNode *nodes[1 + MAX_DIMENSIONS] = {part};
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	int			j;

	DPS_TRY(dps_compile(r->graph, &part, 1, &reduction->part));
	DPS_TRY(dps_gradient(r->graph, part, nodes + 1));
	DPS_TRY(enclose_nodes(r, nodes, 1 + r->objective.ncolumns, &program, &enclosures));
	*known = dps_has_values(&enclosures[dps_program_outputs(program)[0]]);
	reduction->score.range = enclosures[dps_program_outputs(program)[0]].value;
	reduction->score.columns = part->variables;
	reduction->score.falling = 0;
	for (j = 0; j < r->objective.ncolumns; j++)
	{
		const DpsEnclosure *slope = &enclosures[dps_program_outputs(program)[1 + j]];

		if (!(part->variables & (UINT64_C(1) << j)))
			continue;
		if (!dps_has_values(slope) || (slope->value.lo < 0 && slope->value.hi > 0))
			*known = false;
		else if (slope->value.hi <= 0)
			reduction->score.falling |= UINT64_C(1) << j;
	}
	return DPS_OK;
}

/* Leaves out guards that say nothing on this box. */
static DpsStatus
drop_guards(Reducer *r)
{
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	int			n = 0;
	int			i;

	r->objective.real |= r->objective.nguards > 0;
	for (i = 0; i < r->objective.nguards; i++)
	{
		DPS_TRY(enclose_nodes(r, &r->objective.guards[i], 1, &program, &enclosures));
		if (!dps_has_values(&enclosures[dps_program_outputs(program)[0]]))
			r->objective.guards[n++] = r->objective.guards[i];
	}
	r->objective.nguards = n;
	return DPS_OK;
}

/* Writes shares with their numerator once; then what SQL computes is a guard. */
static DpsStatus
write_shares(Reducer *r)
{
	const DpsNode *before = r->objective.node;

	if (r->objective.shares || r->objective.partial || (r->objective.nguards == 0 && before->type != DPS_FLOAT8))
		return DPS_OK;
	DPS_TRY(dps_shares(r->graph, before, r->box, &r->objective.node));
	if (r->objective.node == before)
		return DPS_OK;
	r->objective.shares = true;
	if (r->objective.nguards == 0)
		r->objective.guards[r->objective.nguards++] = before;
	return DPS_OK;
}

/* Joins powers, and takes out what the terms have in common; likewise, since SQL computes each
 * term. */
static DpsStatus
write_factors(Reducer *r)
{
	const DpsNode *before = r->objective.node;
	const DpsNode *joined;

	r->objective.given = r->original->node->variables;
	DPS_TRY(dps_join_powers(r->graph, before, r->box, &joined));
	r->multiplied |= joined != before;
	r->objective.node = dps_factored(r->graph, joined);
	if (r->objective.node == NULL)
		return DPS_NOMEM;
	if (r->objective.node != before && r->objective.nguards == 0 && !r->objective.real)
		r->objective.guards[r->objective.nguards++] = before;
	return DPS_OK;
}

static DpsStatus
replace_part(Reducer *r, const DpsNode *part, const Reduction *reduction)
{
	const DpsNode *replacement = dps_variable(r->graph, reduction->score.column);
	int			i;

	r->objective.node = dps_replace(r->graph, r->objective.node, part, replacement);
	if (r->objective.node == NULL)
		return DPS_NOMEM;
	for (i = 0; i < r->objective.nguards; i++)
	{
		r->objective.guards[i] = dps_replace(r->graph, r->objective.guards[i], part, replacement);
		if (r->objective.guards[i] == NULL)
			return DPS_NOMEM;
	}
	if (r->objective.cover != NULL)
	{
		r->objective.cover = dps_replace(r->graph, r->objective.cover, part, replacement);
		if (r->objective.cover == NULL)
			return DPS_NOMEM;
	}
	r->reductions[r->n] = *reduction;
	memcpy(r->reductions[r->n].box, r->box, sizeof(r->box));
	r->box[reduction->score.column].lo = reduction->score.range.lo;
	r->box[reduction->score.column].hi = reduction->score.range.hi;
	r->taken |= reduction->score.columns & ~(UINT64_C(1) << reduction->score.column);
	r->n++;
	return DPS_OK;
}

/* Takes a sum or a product that stands alone, until there is none. */
static DpsStatus
take_scores(Reducer *r)
{
	DpsScore	score;
	bool		found = true;

	while (found && r->n < MAX_REDUCTIONS)
	{
		Reduction  *reduction = &r->reductions[r->n];

		memcpy(reduction->box, r->box, sizeof(r->box));
		found = false;
		if (r->products)
		{
			DPS_TRY(dps_take_mixed_score(r->graph, r->arena, &r->objective, r->box, r->taken, &score, &found));
			r->multiplied |= found;
		}
		if (!found)
			DPS_TRY(dps_take_score(r->graph, r->arena, &r->objective, r->box, r->taken, &score, &found));
		if (!found && r->products)
		{
			DPS_TRY(dps_take_product(r->graph, r->arena, &r->objective, r->box, r->taken, &score, &found));
			r->multiplied |= found;
		}
		if (!found)
			break;
		reduction->score = score;
		r->boxes += score.boxes;
		DPS_TRY(dps_compile(r->graph, &score.part, 1, &reduction->part));
		r->taken |= score.columns & ~(UINT64_C(1) << score.column);
		r->n++;
	}
	return DPS_OK;
}

/* Replaces every part that stands alone, and shortens periodic ranges. */
static DpsStatus
reduce(Reducer *r)
{
	const DpsNode *parts[MAX_CANDIDATES];
	bool	   *seen;
	int			nparts = 0;
	int			i;

	DPS_TRY(write_shares(r));
	if (r->products)
		DPS_TRY(write_factors(r));
	DPS_TRY(drop_guards(r));
	DPS_TRY(take_scores(r));
	seen = dps_arena_alloc(r->arena, sizeof(bool) * r->graph->nnodes);
	if (seen == NULL)
		return DPS_NOMEM;
	collect_parts(r, r->objective.node, seen, parts, &nparts);
	for (i = 0; i < nparts && r->n < MAX_REDUCTIONS; i++)
	{
		Reduction	reduction = {.score = {.column = choose_column(r, parts[i])}};
		bool		known;

		if (reduction.score.column < 0 || (parts[i]->variables & r->taken))
			continue;
		DPS_TRY(stands_alone(r, parts[i], &known));
		if (!known)
			continue;
		DPS_TRY(measure_part(r, parts[i], &reduction, &known));
		if (known)
			DPS_TRY(replace_part(r, parts[i], &reduction));
	}
	return dps_shorten_periods(r->graph, r->arena, &r->objective, r->box, &r->shortened);
}

/* Where the part's columns begin and end when it moves from its least value to its greatest. */
typedef struct Way
{
	DpsPoint	from;
	DpsPoint	to;
} Way;

/* Puts the part's columns at this share of their way; integers at the nearest one to theirs. */
static void
place_columns(const Reduction *reduction, const Way *way, double share, double share_of_steps, DpsPoint *point)
{
	int			j;

	for (j = 0; j < MAX_DIMENSIONS; j++)
	{
		const DpsDomain *domain = &reduction->box[j];
		bool		steps = reduction->score.steps & (UINT64_C(1) << j);
		double		own = steps ? share_of_steps : share;
		double		x;

		if (!(reduction->score.columns & (UINT64_C(1) << j)))
			continue;
		x = way->from.x[j] * (1.0 - own) + way->to.x[j] * own;
		point->x[j] = fmax(domain->lo, fmin(domain->hi, steps ? rint(x) : x));
	}
}

static DpsStatus
value_of_part(const Reducer *r, const Reduction *reduction, const DpsPoint *point, double *value)
{
	const double *columns[MAX_DIMENSIONS];
	double	   *scratch = dps_arena_alloc(r->arena, sizeof(double) * (dps_scratch_size(reduction->part) + 1));
	int			j;

	if (scratch == NULL)
		return DPS_NOMEM;
	for (j = 0; j < MAX_DIMENSIONS; j++)
		columns[j] = &point->x[j];
	dps_evaluate(reduction->part, columns, 1, scratch, &value);
	return DPS_OK;
}

/* Puts the columns at those of their ends, by the bits of `corner`. */
static void
put_at_corner(const Reduction *reduction, uint64_t columns, int corner, DpsPoint *point)
{
	int			j;

	for (j = 0; j < MAX_DIMENSIONS; j++)
	{
		if (!(columns & (UINT64_C(1) << j)))
			continue;
		point->x[j] = corner & 1 ? reduction->box[j].hi : reduction->box[j].lo;
		corner >>= 1;
	}
}

/* Moves the columns of a mixed score to the ends at which the sum is least, or greatest, while others
 * stay as they are. */
static DpsStatus
go_to_end(const Reducer *r, const Reduction *reduction, bool greatest, DpsPoint *point)
{
	int			i;

	for (i = 0; i < reduction->score.nlinks; i++)
	{
		uint64_t	columns = reduction->score.link[i];
		double		most = -INFINITY;
		int			best = 0;
		int			corner;

		for (corner = 0; corner < 1 << count_columns(columns); corner++)
		{
			double		value;

			put_at_corner(reduction, columns, corner, point);
			DPS_TRY(value_of_part(r, reduction, point, &value));
			value = greatest ? value : -value;
			if (value > most)
			{
				most = value;
				best = corner;
			}
		}
		put_at_corner(reduction, columns, best, point);
	}
	return DPS_OK;
}

/* The way of a mixed score, and the value wanted, which may be a share of it. */
static DpsStatus
find_mixed_way(const Reducer *r, const Reduction *reduction, const DpsPoint *point, Way *way, double *wanted)
{
	const DpsScore *score = &reduction->score;
	double		low;
	double		high;

	way->from = way->to = *point;
	place_columns(reduction, &(Way) {score->lowest, score->lowest}, 0, 0, &way->from);
	place_columns(reduction, &(Way) {score->highest, score->highest}, 0, 0, &way->to);
	DPS_TRY(go_to_end(r, reduction, false, &way->from));
	DPS_TRY(go_to_end(r, reduction, true, &way->to));
	if (!score->shared)
		return DPS_OK;
	DPS_TRY(value_of_part(r, reduction, &way->from, &low));
	DPS_TRY(value_of_part(r, reduction, &way->to, &high));
	*wanted = low + *wanted * (high - low);
	return DPS_OK;
}

static DpsStatus
find_way(const Reducer *r, const Reduction *reduction, const DpsPoint *point, Way *way, double *wanted)
{
	int			j;

	if (reduction->score.mixed)
		return find_mixed_way(r, reduction, point, way, wanted);
	for (j = 0; j < MAX_DIMENSIONS; j++)
	{
		const DpsDomain *domain = &reduction->box[j];
		bool		falls = reduction->score.falling & (UINT64_C(1) << j);

		way->from.x[j] = falls ? domain->hi : domain->lo;
		way->to.x[j] = falls ? domain->lo : domain->hi;
	}
	return DPS_OK;
}

/* Values of the part's columns at which the part has the value wanted, found by halving,
 * since the part rises along the way; integers stay at this share of theirs, or move along
 * with the others if it is not a number.  Sets the shares at which the way comes closest from
 * below and above. */
static DpsStatus
halve(const Reducer *r, const Reduction *reduction, const Way *way, double wanted, double share_of_steps, DpsPoint *point,
	  double *below, double *above)
{
	double		value;
	int			i;

	*below = 0;
	*above = 1;
	for (i = 0; i < HALVINGS; i++)
	{
		double		middle = (*below + *above) / 2;
		double		share = i == 0 ? 0 : i == 1 ? 1 : middle;

		place_columns(reduction, way, share, isnan(share_of_steps) ? share : share_of_steps, point);
		DPS_TRY(value_of_part(r, reduction, point, &value));
		if (value == wanted || (i == 0 && value > wanted) || (i == 1 && value < wanted))
		{
			*below = *above = share;
			return DPS_OK;
		}
		if (i > 1 && value < wanted)
			*below = middle;
		else if (i > 1)
			*above = middle;
	}
	return DPS_OK;
}

/* An integer has moved between the shares that come closest.  With it before or after that,
 * the reals can make up for the rest: together they move the part as far as any of its
 * steps. */
static DpsStatus
restore_columns(const Reducer *r, const Reduction *reduction, DpsPoint *point)
{
	double		wanted = point->x[reduction->score.column];
	double		below;
	double		above;
	double		unused[2];
	double		value;
	Way			way;

	DPS_TRY(find_way(r, reduction, point, &way, &wanted));
	DPS_TRY(halve(r, reduction, &way, wanted, (double) NAN, point, &below, &above));
	if (reduction->score.steps == 0)
		return DPS_OK;
	DPS_TRY(halve(r, reduction, &way, wanted, below, point, &unused[0], &unused[1]));
	DPS_TRY(value_of_part(r, reduction, point, &value));
	if (fabs(value - wanted) <= 1e-9 * (fabs(wanted) + reduction->score.range.hi - reduction->score.range.lo))
		return DPS_OK;
	return halve(r, reduction, &way, wanted, above, point, &unused[0], &unused[1]);
}

/* Searches the reduced objective; `done` is false if that does not settle the
 * original. */
static DpsStatus
search_reduced(Reducer *r, const DpsBoundOptions *options, DpsBracket *bracket, bool *done)
{
	DpsObjective at_witness = *r->original;
	DpsDomain	point[MAX_DIMENSIONS];
	DpsBracket	value;
	int			i;

	*done = false;
	DPS_TRY(dps_search(r->graph, &r->objective, options, bracket));
	bracket->boxes += r->boxes;
	if (bracket->status != DPS_OK || bracket->empty)
		return DPS_OK;
	/* what stands for one of them may be a part of a later one */
	for (i = r->n - 1; i >= 0; i--)
		DPS_TRY(restore_columns(r, &r->reductions[i], &bracket->witness));
	*done = true;
	if (bracket->lower <= r->original->floor)
		return DPS_OK;
	/* at these columns the part has its value up to rounding only */
	memcpy(point, r->original->box, sizeof(DpsDomain) * r->original->ncolumns);
	for (i = 0; i < r->original->ncolumns; i++)
	{
		if (isnan(bracket->witness.x[i]))
			point[i].nullness = DPS_ALWAYS_NULL;
		else
		{
			point[i].nullness = DPS_NEVER_NULL;
			point[i].lo = point[i].hi = bracket->witness.x[i];
		}
	}
	at_witness.box = point;
	at_witness.pause = NULL;
	at_witness.floor = -INFINITY;
	DPS_TRY(dps_search(r->graph, &at_witness, options, &value));
	*done = value.status == DPS_OK && !value.empty;
	bracket->lower = fmax(r->original->floor, fmin(bracket->lower, value.lower));
	bracket->boxes += value.boxes;
	return DPS_OK;
}

/* A reducer of the objective; to be cleared in any case. */
static DpsStatus
reduce_objective(Reducer *r, const DpsObjective *objective, bool products)
{
	DPS_TRY(dps_arena_init(&r->arena, dps_arena_host(r->graph->arena)));
	r->original = objective;
	r->objective = *objective;
	r->products = products;
	memcpy(r->box, objective->box, sizeof(DpsDomain) * objective->ncolumns);
	r->objective.box = r->box;
	return reduce(r);
}

/* Clears a reducer; the status, or why memory ran out. */
static DpsStatus
end_reduction(Reducer *r, DpsStatus status)
{
	if (r->arena == NULL)
		return status;
	status = dps_arena_status(r->graph->arena, dps_arena_status(r->arena, status));
	dps_arena_clear(r->arena);
	return status;
}

/* The same with products, for a search that has become long. */
typedef struct Second
{
	Reducer		reducer;
	const DpsObjective *objective;
	DpsStatus	status;
} Second;

/* Is there a product? */
static bool
reduce_again(void *context)
{
	Second	   *second = context;

	/* a search that has to begin again asks again */
	if (second->reducer.arena == NULL)
		second->status = reduce_objective(&second->reducer, second->objective, true);
	return second->status != DPS_OK || second->reducer.multiplied;
}

static DpsStatus
maximise_first(DpsGraph *graph, const DpsObjective *objective, const DpsPause *pause, const DpsBoundOptions *options,
			   DpsBracket *bracket)
{
	DpsObjective paused = *objective;
	Reducer		r = {.graph = graph};
	bool		done = false;
	DpsStatus	status;

	paused.pause = pause;
	status = reduce_objective(&r, &paused, false);
	if (status == DPS_OK && (r.n > 0 || r.shortened))
		status = search_reduced(&r, options, bracket, &done);
	status = end_reduction(&r, status);
	if (status != DPS_OK || done)
		return status;
	return dps_search(graph, &paused, options, bracket);
}

/* Both brackets are of one supremum: each end is the better one. */
static void
take_better_ends(const DpsBracket *other, DpsBracket *bracket)
{
	if (other->status != DPS_OK || other->empty || bracket->empty)
		return;
	bracket->upper = fmin(bracket->upper, other->upper);
	if (other->lower > bracket->lower)
	{
		bracket->lower = other->lower;
		bracket->witness = other->witness;
	}
}

DpsStatus
dps_maximise_reduced(DpsGraph *graph, const DpsObjective *objective, const DpsBoundOptions *options,
					 DpsBracket *bracket)
{
	DpsBoundOptions chosen = dps_bound_options(graph, options);
	Second		second = {.reducer = {.graph = graph}, .objective = objective};
	DpsPause	pause = {BOXES_BEFORE_PRODUCTS, reduce_again, &second};
	DpsStatus	status;
	bool		done = true;
	int			i;

	for (i = 0; i < objective->nguards; i++)
		if (objective->guards[i] == NULL)
			return dps_arena_status(graph->arena, DPS_NOMEM);
	if (objective->node == NULL)
		return dps_arena_status(graph->arena, DPS_NOMEM);
	status = maximise_first(graph, objective, &pause, &chosen, bracket);
	if (status == DPS_OK)
		status = second.status;
	if (status == DPS_OK && second.reducer.multiplied)
	{
		DpsBracket	first = *bracket;

		status = search_reduced(&second.reducer, &chosen, bracket, &done);
		bracket->boxes += first.boxes;
		if (status == DPS_OK && done)
			take_better_ends(&first, bracket);
	}
	status = end_reduction(&second.reducer, status);
	if (status == DPS_OK && !done)
	{
		uint64_t	boxes = bracket->boxes;

		status = maximise_first(graph, objective, NULL, &chosen, bracket);
		bracket->boxes += boxes;
	}
	return status;
}

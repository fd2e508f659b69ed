/*
 * period.c
 *		Shortens the range of a periodic column to one period.
 *
 * Let an objective depend on a column t only through sines, cosines and tangents of arguments
 * c t + r, with constants c and with r that does not depend on t.  If P is such that each P
 * |c| is a multiple of 2 pi (for tangents, of pi), the objective is the same at t and at t +
 * P, and is undefined at both or at neither.  So on a range of length P or more it takes the
 * same values as on any part of length P.  Rounding P up makes the part longer, which adds
 * only points of the range.
 *
 * Columns of integers are left as they are: 365.25 days are no period of them.
 *
 * A column that occurs elsewhere, too, has no shorter range.  But let G(t, u) be the expression E
 * with u for t in the arguments that P is of.  Then E(t) = G(t, t - m P) for every integer m, so
 * that over t in X with a phase t - m P in U, E is nowhere greater than G over X and U.
 */
#include <math.h>

#include "bound/affine_node.h"
#include "bound/quantity/reduce.h"

#define MAX_DIMENSIONS (DPS_MAX_VARIABLES + 1)

/* A common period of more than so many of the longest period is not looked for. */
#define MAX_MULTIPLE 24

#define NUM(v) dps_constant(graph, DPS_FLOAT8, v)
#define PI dps_iv(0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1)

typedef struct Arguments
{
	DpsGraph   *graph;
	int			column;
	bool		partly;			/* other occurrences do not matter */
	bool	   *seen;			/* by node id */
	const DpsNode *node[DPS_MAX_TURNS]; /* the sines */
	const DpsNode *factor[DPS_MAX_TURNS];	/* c, or 2 c for tangents: all have period 2 pi */
	int			n;
} Arguments;

bool
dps_turns(const DpsNode *node)
{
	return node->op == DPS_OP_SIN || node->op == DPS_OP_COS || node->op == DPS_OP_TAN;
}

static bool
knows(const DpsNode *node, int column)
{
	return node->variables & (UINT64_C(1) << column);
}

/* The factor c of the argument c t + r, or 2 c for a tangent; NULL if there is no such
 * constant. */
static DpsStatus
turning_factor(DpsGraph *graph, const DpsNode *node, int column, const DpsNode **factor)
{
	const DpsNode *gradient[MAX_DIMENSIONS];
	DpsAffineRule rule = {.columns = UINT64_C(1) << column};
	const DpsNode *own;

	*factor = NULL;
	if (!dps_turns(node) || !dps_is_affine(&rule, node->arg[0]))
		return DPS_OK;
	DPS_TRY(dps_gradient(graph, node->arg[0], gradient));
	own = gradient[column];
	if (node->op == DPS_OP_TAN)
		own = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, NUM(2), own);
	if (own == NULL)
		return DPS_NOMEM;
	if (dps_is_number(own) && !dps_iv_contains(own->range, 0))
		*factor = own;
	return DPS_OK;
}

static DpsStatus
add_argument(Arguments *a, const DpsNode *node, bool *periodic)
{
	const DpsNode *factor;

	DPS_TRY(turning_factor(a->graph, node, a->column, &factor));
	*periodic = factor != NULL && a->n < DPS_MAX_TURNS;
	if (!*periodic)
		return DPS_OK;
	a->node[a->n] = node;
	a->factor[a->n++] = factor;
	return DPS_OK;
}

/* Collects the column's factors in the node; `periodic` becomes false if the column
 * occurs elsewhere, too, and that matters. */
static DpsStatus
collect(Arguments *a, const DpsNode *node, bool *periodic)
{
	int			i;

	if (!*periodic || !knows(node, a->column) || a->seen[node->id])
		return DPS_OK;
	a->seen[node->id] = true;
	if (dps_turns(node))
	{
		DPS_TRY(add_argument(a, node, periodic));
		if (*periodic)
			return DPS_OK;
	}
	/* sin(sin(t)) has the period of sin(t) */
	*periodic = a->partly || node->op != DPS_OP_VAR;
	for (i = 0; i < node->nargs; i++)
		DPS_TRY(collect(a, node->arg[i], periodic));
	return DPS_OK;
}

/* Is the constant exactly an integer, and not only its nearest double? */
static bool
is_whole(const DpsNode *node)
{
	return node->op == DPS_OP_CONST && node->exact == NULL && isfinite(node->value) && node->value == rint(node->value);
}

/* The least number of periods of the least factor that is a whole number of periods
 * of every factor; 0 if there is none up to MAX_MULTIPLE. */
static DpsStatus
common_multiple(const Arguments *a, const DpsNode *least, int *multiple)
{
	DpsGraph   *graph = a->graph;
	int			i;

	for (*multiple = 1; *multiple <= MAX_MULTIPLE; ++*multiple)
	{
		bool		whole = true;

		for (i = 0; i < a->n && whole; i++)
		{
			const DpsNode *times;

			/* a number that is no constant may not cancel by itself */
			if (a->factor[i] == least)
				continue;
			times = dps_apply(graph, DPS_OP_MUL, DPS_FLOAT8, NUM(*multiple),
							  dps_apply(graph, DPS_OP_DIV, DPS_FLOAT8, a->factor[i], least));
			if (times == NULL)
				return DPS_NOMEM;
			whole = is_whole(times);
		}
		if (whole)
			return DPS_OK;
	}
	*multiple = 0;
	return DPS_OK;
}

/* The common period; empty if there is none. */
static DpsStatus
common_period(const Arguments *a, DpsInterval *period)
{
	const DpsNode *least = a->factor[0];
	DpsInterval size;
	int			multiple;
	int			i;

	for (i = 1; i < a->n; i++)
		if (fabs(a->factor[i]->value) < fabs(least->value))
			least = a->factor[i];
	DPS_TRY(common_multiple(a, least, &multiple));
	size = dps_iv_abs(least->range);
	*period = multiple == 0 || !(size.lo > 0) ? DPS_EMPTY :
		dps_iv_div(dps_iv_mul(dps_iv(2.0 * multiple, 2.0 * multiple), PI), size);
	return DPS_OK;
}

/* Shortens the domain to one period, as near to 0 as possible, where arguments are
 * exact. */
static bool
shorten(DpsDomain *domain, double period)
{
	double		lo = domain->lo;
	double		hi;

	if (domain->hi < 0)
		lo = fmax(domain->lo, -dps_add_up(-domain->hi, period));
	else if (domain->lo < 0)
		lo = fmax(domain->lo, fmin(0.0, -dps_add_up(-domain->hi, period)));
	hi = dps_add_up(lo, period);
	if (!(hi < domain->hi || lo > domain->lo))
		return false;
	domain->lo = lo;
	domain->hi = fmin(hi, domain->hi);
	return true;
}

static DpsStatus
shorten_column(DpsGraph *graph, DpsArena *scratch, const DpsObjective *objective, int column, DpsDomain *domain,
			   bool *shortened)
{
	Arguments	a = {.graph = graph, .column = column};
	bool		periodic = true;
	DpsInterval period;
	int			i;

	a.seen = dps_arena_alloc(scratch, sizeof(bool) * graph->nnodes);
	if (a.seen == NULL)
		return DPS_NOMEM;
	DPS_TRY(collect(&a, objective->node, &periodic));
	for (i = 0; i < objective->nguards; i++)
		DPS_TRY(collect(&a, objective->guards[i], &periodic));
	if (objective->cover != NULL)
		DPS_TRY(collect(&a, objective->cover, &periodic));
	if (!periodic || a.n == 0)
		return DPS_OK;
	DPS_TRY(common_period(&a, &period));
	if (!dps_iv_is_empty(period) && period.hi < domain->hi - domain->lo)
		*shortened |= shorten(domain, period.hi);
	return DPS_OK;
}

DpsStatus
dps_find_turns(DpsGraph *graph, DpsArena *scratch, const DpsNode *node, int column, DpsTurns *turns)
{
	Arguments	a = {.graph = graph, .column = column, .partly = true};
	bool		periodic = true;
	int			i;

	turns->n = 0;
	turns->period = DPS_EMPTY;
	a.seen = dps_arena_alloc(scratch, sizeof(bool) * graph->nnodes);
	if (a.seen == NULL)
		return DPS_NOMEM;
	DPS_TRY(collect(&a, node, &periodic));
	/* there may be more of them */
	if (a.n == 0 || a.n == DPS_MAX_TURNS)
		return DPS_OK;
	DPS_TRY(common_period(&a, &turns->period));
	for (i = 0; i < a.n && !dps_iv_is_empty(turns->period); i++)
		turns->node[turns->n++] = a.node[i];
	return DPS_OK;
}

DpsStatus
dps_shorten_periods(DpsGraph *graph, DpsArena *scratch, const DpsObjective *objective, DpsDomain *box, bool *shortened)
{
	DpsStatus	status = DPS_OK;
	int			j;

	for (j = 0; j < objective->ncolumns && status == DPS_OK; j++)
		if (!box[j].integral && box[j].nullness != DPS_ALWAYS_NULL && isfinite(box[j].hi - box[j].lo))
			status = shorten_column(graph, scratch, objective, j, &box[j], shortened);
	return status;
}

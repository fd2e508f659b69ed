/*
 * score.c
 *		Sums of terms of one column each, as one dimension.
 *
 * Let u be the sum of terms t_j(x_j) of different columns, and let an objective be G(u, y),
 * where y has other columns only.  If U is an interval that contains all values of u on the
 * box, then
 *
 *		sup { G(u(x), y) : x, y } <= sup { G(u, y) : u in U, y }
 *
 * because every u(x) is in U.  So the bound holds for any choice of terms.  It is as tight if
 * u takes every value of U, and that is so if each term rises or falls in its column, is
 * continuous in it if this is real, and no step of an integer moves the sum by more than
 * the real columns together can: the values for fixed integers are an interval, and
 * intervals of neighbours overlap.
 *
 * A score is a group of terms (sums.c) whose columns occur nowhere else.
 */
#include <math.h>

#include "bound/score/sums.h"

static bool
is_term(const DpsScorer *s, const DpsNode *node)
{
	return dps_has_one(node->variables) && dps_may_score(s, __builtin_ctzll(node->variables));
}

/* The terms of the sum, as a group that stands alone; false if there is none of two columns. */
static bool
choose_group(DpsScorer *s, const DpsScoreSum *sum, DpsTermList *group)
{
	uint64_t	outside;
	int			n;
	int			i;

	*group = (DpsTermList) {0};
	for (i = 0; i < sum->terms.n; i++)
	{
		if (!is_term(s, sum->terms.node[i]))
			continue;
		group->node[group->n] = sum->terms.node[i];
		group->negated[group->n++] = sum->terms.negated[i];
	}
	do
	{
		n = group->n;
		dps_narrow_group(s, group);
		outside = group->n < 2 ? 0 : dps_columns_outside(s, group);
		for (i = group->n - 1; i >= 0; i--)
			if (group->node[i]->variables & outside)
				dps_remove_term(group, i);
	} while (group->n < n && group->n >= 2);
	return group->n >= 2 && __builtin_popcountll(dps_term_columns(group)) == group->n;
}

/* ---- what is known of a group ---- */

/* What a term adds to the score: its range, whether it falls, and how far the reals move the
 * score, or the furthest step of an integer, which its greatest slope bounds. */
static DpsStatus
measure_term(const DpsScorer *s, const DpsNode *term, bool negated, DpsScore *score, double *reach, double *step, bool *known)
{
	int			j = __builtin_ctzll(term->variables);
	const DpsDomain *domain = &s->box[j];
	DpsEnclosure whole;
	DpsEnclosure slope;
	DpsEnclosure low;
	DpsEnclosure high;
	DpsEnclosure unused;
	DpsInterval range;
	bool		two = domain->integral && domain->hi - domain->lo == 1;
	bool		falls;

	DPS_TRY(dps_enclose_term(s, term, j, (DpsDomain) {domain->lo, domain->hi, DPS_NEVER_NULL, domain->integral}, &whole, &slope));
	DPS_TRY(dps_enclose_term(s, term, j, (DpsDomain) {domain->lo, domain->lo, DPS_NEVER_NULL, domain->integral}, &low, &unused));
	DPS_TRY(dps_enclose_term(s, term, j, (DpsDomain) {domain->hi, domain->hi, DPS_NEVER_NULL, domain->integral}, &high, &unused));
	*known = dps_has_values(&whole) && dps_has_values(&low) && dps_has_values(&high) &&
		(two || (whole.continuous && dps_has_values(&slope) && (slope.value.lo >= 0 || slope.value.hi <= 0)));
	if (!*known)
		return DPS_OK;
	falls = two ? low.value.lo > high.value.lo : slope.value.lo < 0;
	range = dps_iv_hull(low.value, high.value);
	score->range = negated ? dps_iv_sub(score->range, range) : dps_iv_add(score->range, range);
	score->columns |= dps_bit(j);
	if (falls != negated)
		score->falling |= dps_bit(j);
	if (!domain->integral)
		*reach += range.hi - range.lo;
	else
	{
		score->steps |= dps_bit(j);
		*step = fmax(*step, two ? range.hi - range.lo : fmax(fabs(slope.value.lo), fabs(slope.value.hi)));
	}
	return DPS_OK;
}

static DpsStatus
measure_group(const DpsScorer *s, const DpsTermList *group, DpsScore *score, bool *known)
{
	double		reach = 0;
	double		step = 0;
	int			i;

	*score = (DpsScore) {.range = dps_iv(0, 0), .column = -1, .part = dps_constant(s->graph, DPS_FLOAT8, 0)};
	*known = true;
	for (i = 0; i < group->n && *known; i++)
	{
		int			j = __builtin_ctzll(group->node[i]->variables);

		DPS_TRY(measure_term(s, group->node[i], group->negated[i], score, &reach, &step, known));
		score->part = dps_add_term(s->graph, score->part, group->node[i], group->negated[i]);
		if (!s->box[j].integral && (score->column < 0 || s->graph->variables[j].type == DPS_FLOAT8))
			score->column = j;
	}
	*known = *known && score->column >= 0 && step <= reach && isfinite(score->range.lo) && isfinite(score->range.hi);
	return score->part == NULL ? DPS_NOMEM : DPS_OK;
}

DpsStatus
dps_take_score(DpsGraph *graph, DpsArena *scratch, DpsObjective *objective, DpsDomain *box, uint64_t taken,
			   DpsScore *score, bool *found)
{
	DpsScorer	s = {.graph = graph, .arena = scratch, .objective = objective, .box = box, .taken = taken};
	DpsTermList	group;
	int			i;

	*found = false;
	DPS_TRY(dps_scorer_init(&s));
	for (i = 0; i < s.nsums && !*found; i++)
	{
		if (!choose_group(&s, &s.sum[i], &group))
			continue;
		DPS_TRY(measure_group(&s, &group, score, found));
		if (*found)
			DPS_TRY(dps_apply_score(&s, objective, &group, score,
									dps_as_float8(graph, dps_variable(graph, score->column)), found));
	}
	if (*found)
	{
		box[score->column].lo = score->range.lo;
		box[score->column].hi = score->range.hi;
	}
	return DPS_OK;
}

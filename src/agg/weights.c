/*
 * weights.c
 *		Weights of columns under adjacency attribute.
 *
 * Precondition: the facts are true of the query.  `weights` has the private columns a change of which
 * can change what is released, each with what such a change can do to its row, and `least` is at most the
 * weight of any column that can matter.  Weights are in (0, 1]; one beyond that counts as 1
 * (glue/label/annotation.h).
 * Postcondition: let two databases differ in column j of one row and in nothing else.  A release that is
 * planned at epsilon is (w_j epsilon)-DP between the two by Laplace noise, by choices and by
 * permute-and-flip, (w_j epsilon, delta)-DP by Gaussian noise and by a selection of groups.  What is charged
 * is the loss of these scales for the sensitivity of all columns, so at most epsilon.
 *
 * Proof.  Without derive_column, the whole release is planned at w epsilon, w the least weight of the columns
 * that can change it.  That is its promise without weights, at another epsilon; for column j it holds
 * since w <= w_j.
 * With it, a coordinate's scale is the largest of several: of that for the sensitivity l of any change, at
 * epsilon; and for each column j that of l_j at w_j epsilon, rounded down, with the mechanism's own
 * calibration.  l_j bounds what a change of j moves: the family derives it as it derives l, from facts in
 * which only j is private.  They are true of these two databases, where no other private
 * column has changed.  More noise is no worse: the loss of a mechanism falls with its scale.  Several
 * coordinates divide w_j epsilon in the same shares as epsilon.  Columns of one weight share the
 * larger of their norms, and so do those beyond DPS_MAX_WEIGHTS, at the least of their weights.
 * Noise of a vector that is aimed at attributes has scales for which the same is true, column by column
 * (noise/plan.c).
 * The loss is dps_add_loss of l and the scale: it knows nothing of weights, nor does what a column with a
 * budget or a row with an account is charged, which follows from moves and scales (ledger/cost.c,
 * ledger/rows/meter.c).  So whatever a weight says, budgets hold; weights decide how much noise there is.
 *
 * For Laplace noise the scale is that of Delta = max_j D_j / w_j.  Rounding to the grid comes before the
 * division: l_j = floor((D_j + 2 eta) / g) + 1 integers are what noise is calibrated to, at w_j epsilon.
 */
#include "postgres.h"

#include "agg/family.h"
#include "agg/weights.h"
#include "base/once.h"
#include "num/interval.h"

/* The facts where no other private column changes. */
static DpsFacts
facts_of_column(const DpsFacts *facts, const DpsWeightedColumn *column)
{
	DpsFacts	alone = *facts;

	alone.value_is_private &= column->is_value;
	alone.validity_is_private &= column->is_value;
	alone.selection_is_private &= column->selects;
	alone.key_is_private &= column->is_key;
	if (column->attribute >= 0)
	{
		alone.attributes = facts->attributes + column->attribute;
		alone.nattributes = 1;
		alone.attribute = alone.attributes[0][0];
	}
	return alone;
}

/* Do these columns explain all that the facts call private? */
static bool
columns_are_known(const DpsFacts *facts)
{
	const DpsWeights *weights = facts->weights;
	bool		has_value = false;
	bool		selects = false;
	bool		has_key = false;
	int			i;

	for (i = 0; i < weights->ncolumns; i++)
	{
		has_value |= weights->column[i].is_value;
		selects |= weights->column[i].selects;
		has_key |= weights->column[i].is_key;
	}
	return weights->ncolumns > 0 && facts->unit_l1 == 1 &&
		(has_value || facts->counts_rows || !(facts->value_is_private || facts->validity_is_private)) &&
		(selects || !facts->selection_is_private) && (has_key || !facts->key_is_private);
}

double
dps_attribute_row_weight(const DpsFacts *facts, int row)
{
	int			i;

	/* then the whole release has the least weight of all */
	if (facts->weights == NULL || !columns_are_known(facts))
		return 1.0;
	for (i = 0; i < facts->weights->ncolumns && facts->attribute_columns != NULL; i++)
	{
		if (facts->weights->column[i].column == facts->attribute_columns[row])
			return facts->weights->column[i].weight;
	}
	return facts->weights->least;
}

static double
least_weight(const DpsFacts *facts)
{
	double		least = 1.0;
	int			i;

	if (!columns_are_known(facts))
		return facts->weights->least;
	for (i = 0; i < facts->weights->ncolumns; i++)
	{
		DpsFacts	alone = facts_of_column(facts, &facts->weights->column[i]);

		if (dps_can_change(dps_row_change(&alone)))
			least = dps_min(least, facts->weights->column[i].weight);
	}
	return least;
}

static void
merge_norms(DpsWeightedNorms *norms, const DpsWeightedNorms *more)
{
	norms->weight = dps_min(norms->weight, more->weight);
	norms->l1 = dps_max(norms->l1, more->l1);
	norms->l2 = dps_max(norms->l2, more->l2);
	norms->count_l1 = dps_max(norms->count_l1, more->count_l1);
	norms->count_l2 = dps_max(norms->count_l2, more->count_l2);
}

static void
add_norms(DpsRelease *release, const DpsWeightedNorms *norms)
{
	int			i;

	for (i = 0; i < release->nweighted; i++)
	{
		if (release->weighted[i].weight == norms->weight)
			break;
	}
	if (i < release->nweighted || release->nweighted == DPS_MAX_WEIGHTS)
		merge_norms(&release->weighted[dps_min(i, DPS_MAX_WEIGHTS - 1)], norms);
	else
		release->weighted[release->nweighted++] = *norms;
}

static void
add_column(const DpsFacts *facts, const DpsWeightedColumn *column, const DpsSummand *summand, DpsRelease *release)
{
	DpsFacts	alone = facts_of_column(facts, column);
	DpsWeightedNorms norms = {column->weight, release->l1, release->l2, release->count_l1, release->count_l2};

	if (column->weight == 1.0 || !dps_can_change(dps_row_change(&alone)))
		return;
	dps_aggregates[release->aggregate]->derive_column(&alone, release, summand, &norms);
	/* a column can do no more than any can */
	norms.l1 = dps_min(norms.l1, release->l1);
	norms.l2 = dps_min(norms.l2, release->l2);
	norms.count_l1 = dps_min(norms.count_l1, release->count_l1);
	norms.count_l2 = dps_min(norms.count_l2, release->count_l2);
	add_norms(release, &norms);
}

void
dps_weigh_release(const DpsFacts *facts, DpsRelease *release, const DpsSummand *summand)
{
	int			i;

	if (facts->weights == NULL)
		return;
	if (dps_aggregates[release->aggregate]->derive_column == NULL || !columns_are_known(facts))
	{
		release->weight = least_weight(facts);
		return;
	}
	for (i = 0; i < facts->weights->ncolumns; i++)
		add_column(facts, &facts->weights->column[i], summand, release);
}

double
dps_weighted_epsilon(const DpsRelease *release, double epsilon)
{
	return release->weight < 1.0 ? dps_mul_down(epsilon, release->weight) : epsilon;
}

static DpsStatus
plan_part(const DpsRelease *release, DpsNoisePlan *plan, const DpsTarget *target, uint64 step, int root, bool is_count, int joined)
{
	bool		by_sum = plan->mechanism->norm == 1;
	uint64		counted = by_sum ? release->count_l1 : release->count_l2;
	DpsWeightedMove moves[DPS_MAX_WEIGHTS];
	int			i;

	for (i = 0; i < release->nweighted; i++)
	{
		const DpsWeightedNorms *norms = &release->weighted[i];

		moves[i].weight = norms->weight;
		if (is_count)
			moves[i].sensitivity = by_sum ? norms->count_l1 : norms->count_l2;
		else
			moves[i].sensitivity = by_sum ? norms->l1 : norms->l2;
	}
	return dps_noise_plan_add_weighted(plan, target, step, root, is_count ? counted : dps_release_sensitivity(release, plan->mechanism),
									   joined, release->nweighted, moves);
}

DpsStatus
dps_plan_part(const DpsRelease *release, DpsNoisePlan *plan, const DpsTarget *target, int root, bool is_count, int joined)
{
	return plan_part(release, plan, target, 1, root, is_count, joined);
}

DpsStatus
dps_plan_whole(const DpsRelease *release, DpsNoisePlan *plan, const DpsTarget *target, int joined)
{
	return plan_part(release, plan, target, dps_release_step(release), 1, false, joined);
}

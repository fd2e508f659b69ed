/*
 * answer_weights.c
 *		Answers of a statement that share epsilon by weights (dpsens.weights).
 *
 * Answers that name no epsilon share it, one weight for each release in the order of their numbers, which is the order
 * of dpsens.explain().  What is chosen about groups has an epsilon of its own (dpsens.selection_epsilon) and does not
 * share.
 *
 * Precondition: the releases are those of the whole statement.  Postcondition: a release is charged and drawn at the
 * factor times epsilon as if that had been written; the factor follows from the setting and the statement alone.
 */
#include "postgres.h"

#include "guard/run/answer_weights.h"

static bool
shares_epsilon(const DpsRelease *release)
{
	return release->epsilon == 0 && dps_aggregates[release->aggregate] != &dps_aggregate_selection;
}

/* How many of these share that have a lower number.  One that stands in several places of a plan is one. */
static int
count_before(const List *releases, int number)
{
	List	   *numbers = NIL;
	ListCell   *cell;

	foreach(cell, releases)
	{
		const DpsRelease *one = lfirst(cell);

		if (shares_epsilon(one) && one->number < number)
			numbers = list_append_unique_int(numbers, one->number);
	}
	return list_length(numbers);
}

void
dps_check_answer_weights(const DpsShares *shares, const List *releases, bool any_fitted)
{
	int			n;

	if (shares->n == 0)
		return;
	if (any_fitted)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("grouping sets that are made to add up do not share epsilon by weights"),
				 errhint("RESET dpsens.weights; such sets share epsilon by dpsens.share_sets.")));
	n = count_before(releases, INT_MAX);
	if (n != shares->n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dpsens.weights does not have as many weights as there are answers that share epsilon"),
				 errdetail("Weights: %d. Answers that name no epsilon, where those that are computed from one release are one: %d.", shares->n, n),
				 errhint("Give one weight for each, in the order of dpsens.explain(), or RESET dpsens.weights.")));
}

double
dps_answer_factor(const DpsShares *shares, const List *releases, const DpsRelease *release)
{
	return shares->n > 0 && shares_epsilon(release) ? shares->factor[count_before(releases, release->number)] : 1;
}

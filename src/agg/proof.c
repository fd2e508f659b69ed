/*
 * proof.c
 *		The gate that every release passes before it is charged and before it is drawn.
 *
 * Proofs.  What is released is a function of the vector of all groups' states.  That is
 * the same for neighbours if
 *
 * - (nothing changes) adjacency is not add_remove, a row can neither begin or cease to count
 *	 nor move, and its value is public, or is not looked at: rows are only counted;
 * - (values stay) the same of rows, and no neighbour changes the integer of a value:
 *	 replace, the certified range is one number, to which all values are clamped;
 *	 attribute and metric, the value does not depend on private columns (D_j = 0 for
 *	 all of them, or K = 0) and the evaluator makes no error (eta = 0), so that it yields the
 *	 same double;
 * - (only zeros) certified ranges are 0, to which values are clamped: whichever rows
 *	 count, they add nothing to a sum; numbers of rows are not released beside it;
 * - (one answer) the family's answer is the same for all states: a mean or quantile
 *	 of a range of one point, one declared value.
 *
 * These are looked for in the facts, and never in a sensitivity: so a sensitivity that has become 0 in
 * whatever way, without any of them being true, is refused.
 */
#include "postgres.h"

#include "agg/family.h"
#include "agg/proof.h"

/* ---- proofs ---- */

static bool
rows_stay(const DpsFacts *facts)
{
	DpsRowChange change = dps_row_change(facts);

	return facts->adjacency != DPS_ADD_REMOVE && !change.toggles && !change.moves;
}

/* Does what is released depend on which rows count, and on no value? */
static bool
only_counts(const DpsFacts *facts, const DpsAggregate *family)
{
	return facts->counts_rows || family->argument == DPS_VALID_ARGUMENT || family->argument == DPS_GROUP_ARGUMENT;
}

static bool
attributes_stay(const DpsFacts *facts)
{
	int			column;
	int			i;

	if (!(facts->attribute == 0.0 && facts->evaluation_error == 0.0))
		return false;
	for (i = 0; i < facts->nvalues; i++)
	{
		if (!(facts->value[i].evaluation_error == 0.0))
			return false;
		for (column = 0; column < facts->nattributes; column++)
		{
			if (!(facts->attributes[column][i] == 0.0))
				return false;
		}
	}
	return true;
}

static bool
slopes_are_zero(const DpsFacts *facts)
{
	int			i;

	if (!(facts->lipschitz == 0.0 && facts->evaluation_error == 0.0))
		return false;
	for (i = 0; i < facts->nvalues; i++)
	{
		if (!(facts->value[i].lipschitz == 0.0 && facts->value[i].evaluation_error == 0.0))
			return false;
	}
	return true;
}

/* Is the range of every value this number, or any one number if that is NaN? */
static bool
ranges_are_points(const DpsFacts *facts, bool zero)
{
	int			i;

	if (!(facts->inf == facts->sup && (!zero || facts->inf == 0.0)))
		return false;
	for (i = 0; i < facts->nvalues; i++)
	{
		if (!(facts->value[i].inf == facts->value[i].sup && (!zero || facts->value[i].inf == 0.0)))
			return false;
	}
	return true;
}

static bool
values_stay(const DpsFacts *facts)
{
	if (ranges_are_points(facts, false))
		return true;
	if (facts->adjacency == DPS_ATTRIBUTE)
		return attributes_stay(facts);
	return facts->adjacency == DPS_METRIC && slopes_are_zero(facts);
}

static DpsExactnessProof
find_proof(const DpsFacts *facts, const DpsRelease *release)
{
	const DpsAggregate *family = dps_aggregates[release->aggregate];

	if (rows_stay(facts) && (only_counts(facts, family) || !dps_row_change(facts).values))
		return DPS_NOTHING_CHANGES;
	if (family->has_one_answer != NULL && family->has_one_answer(facts, release))
		return DPS_ONE_ANSWER;
	if (rows_stay(facts) && values_stay(facts))
		return DPS_VALUES_STAY;
	if (family == &dps_aggregate_sum && ranges_are_points(facts, true))
		return DPS_ONLY_ZEROS;
	return DPS_NOT_PROVED;
}

/* ---- the gate ---- */

static void
refuse(const DpsRelease *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("%s would be released without noise, and it is not proved to be public",
					dps_aggregates[release->aggregate]->name)));
}

DpsStatus
dps_release_prove(const DpsFacts *facts, DpsRelease *release, const char **why)
{
	bool		chooses = dps_aggregates[release->aggregate]->chooses;
	bool		nothing = release->l1 == 0 && release->l2 == 0 && release->count_l1 == 0 && release->count_l2 == 0 &&
		(!chooses || release->sensitivity == 0.0);

	if (Max(release->l1, release->l2) >= DPS_GRID_LIMIT || Max(release->count_l1, release->count_l2) >= DPS_GRID_LIMIT)
	{
		*why = "what a unit can change is too large for its grid";
		return DPS_DOMAIN;
	}
	release->proof = nothing ? find_proof(facts, release) : DPS_NOT_PROVED;
	if (nothing ? !dps_release_is_public(release) : !chooses && (release->l1 == 0 || release->l2 == 0))
		refuse(release);
	return DPS_OK;
}

void
dps_check_scale(const DpsRelease *release, uint64 sensitivity, uint64 scale)
{
	if (dps_release_is_public(release) ? sensitivity != 0 || scale != 0 : sensitivity == 0 || scale == 0)
		refuse(release);
}

void
dps_check_plan(const DpsRelease *release, const DpsNoisePlan *plan)
{
	int			i;

	/* the negations also hold for NaN */
	if (dps_release_is_public(release) ? plan->ncoordinates != 0 :
		plan->ncoordinates == 0 || !(plan->loss.rho > 0.0) || !(plan->loss.epsilon > 0.0))
		refuse(release);
	for (i = 0; i < plan->ncoordinates; i++)
		dps_check_scale(release, plan->coordinate[i].sensitivity, plan->coordinate[i].scale);
}

/*
 * tallied.c
 *		What families that choose among the points of a tally have in common.
 *
 * Precondition: the facts are true of the query.  Postcondition: between
 * neighbours the tallies of all groups together differ in at most one of these
 * ways, and in the last two only if the release says so:
 *
 * - one point of one group is met once more or less (removes);
 * - one point of one group is met once less, another once more (replaces);
 * - a point of one group is met once less, one of another group once more
 *	 (vector).
 *
 * That is for one row; a unit of several makes unit_rows such changes, one after
 * the other.
 *
 * A row has one value and stands in at most one group, so add_remove is the first
 * case.  Under replace and attribute a row that counts before and after has
 * another value in the same group or in another one; one that counts only
 * before or only after is the first case.
 */
#include "postgres.h"

#include <math.h>

#include "agg/families/tallied.h"
#include "agg/family.h"
#include "agg/proof.h"
#include "num/interval.h"

DpsStatus
dps_derive_tallied(const DpsFacts *facts, DpsRelease *release, DpsSummand *summand, const char **why)
{
	DpsRowChange change = dps_row_change(facts);

	DPS_TRY(dps_check_row(facts, why));
	DPS_TRY(dps_check_value(facts, why));
	if (facts->adjacency == DPS_METRIC && change.values)
	{
		*why = "however small a move of a value, it can change what is counted";
		return DPS_DOMAIN;
	}
	if (facts->unit_l1 > DPS_MAX_TALLIED_ROWS && dps_aggregates[release->aggregate]->chooses)
	{
		*why = "a unit may have too many rows";
		return DPS_DOMAIN;
	}
	summand->tallies = 1;
	if (facts->adjacency == DPS_ADD_REMOVE)
	{
		release->removes = 1;
		return DPS_OK;
	}
	release->removes = change.toggles;
	release->replaces = change.values && facts->inf < facts->sup;
	release->vector = change.moves;
	return DPS_OK;
}

void
dps_set_points(const DpsFacts *facts, const DpsGrid *grid, DpsRelease *release, DpsSummand *summand)
{
	dps_set_grid(facts, grid, release, summand);
	release->points = (uint32) (grid->hi - grid->lo + 1);
}

bool
dps_has_one_point(const DpsFacts *facts, const DpsRelease *release)
{
	return facts->inf == facts->sup && release->points == 1;
}

/* A law that was made, by what it follows from, which is public. */
typedef struct KeptLaw
{
	DpsCoordinate coordinate;	/* of scale 0 for none */
	uint64		range;
	DpsExponential law;
} KeptLaw;

static void
keep_law(KeptLaw *kept, const DpsNoisePlan *plan, uint64 range)
{
	kept->coordinate.scale = 0;
	if (dps_noise_plan_law(plan, range, &kept->law) != DPS_OK)
		elog(ERROR, "a choice would be drawn that was not planned");
	kept->coordinate = plan->coordinate[0];
	kept->range = range;
}

/*
 * A statement draws by a few laws for all of its groups, several quantiles by one for each, and making one costs more
 * than drawing does.  A law that is kept is never out of date.
 */
#define KEPT_LAWS 32

const DpsExponential *
dps_tallied_law(const DpsNoisePlan *plan, uint64 range)
{
	static KeptLaw kept[KEPT_LAWS];
	static int	oldest = 0;
	const DpsCoordinate *coordinate = &plan->coordinate[0];
	KeptLaw    *replaced = &kept[oldest];
	int			i;

	for (i = 0; i < KEPT_LAWS && coordinate->scale != 0; i++)
	{
		if (kept[i].coordinate.scale == coordinate->scale && kept[i].coordinate.sensitivity == coordinate->sensitivity &&
			kept[i].range == range)
			return &kept[i].law;
	}
	oldest = (oldest + 1) % KEPT_LAWS;
	keep_law(replaced, plan, range);
	return &replaced->law;
}

void
dps_check_draw(DpsStatus status)
{
	if (status == DPS_OK)
		return;
	if (status == DPS_NOMEM)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("could not generate random noise")));
}

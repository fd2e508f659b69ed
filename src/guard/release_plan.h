/*
 * release_plan.h
 *		From one dp aggregate of a query to the constants that execute it.
 */
#ifndef DPS_GUARD_RELEASE_PLAN_H
#define DPS_GUARD_RELEASE_PLAN_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "bound/bound.h"
#include "guard/domains.h"

/* What the rewriter and explain need to know of one aggregate. */
typedef struct DpsReleasePlan
{
	Aggref	   *aggref;			/* as the user wrote it */
	const DpsAggregate *aggregate;
	DpsFacts	facts;
	DpsRelease *release;
	DpsSummand *summand;
	List	   *columns;		/* of Expr *: the exact aggregate's arguments
								 * after the summand, over Vars of the level */
	Expr	   *epsilon;		/* the user's, or NULL for the setting */

	/* for explain; graph is NULL where rows are counted */
	DpsGraph   *graph;
	const DpsNode *value;
	DpsPolicy	policy;
	DpsBracket	infimum;
	DpsBracket	supremum;
	DpsBracket	metric;			/* if the adjacency is metric */
} DpsReleasePlan;

/* The row of aggregates.def that an aggregate function stands for, or -1. */
extern int	dps_dp_aggregate(Oid function);

/* The aggregate with its simplified expression, "dp_sum(a * b)". */
extern char *dps_release_text(const DpsReleasePlan *plan);

/*
 * Analyses the aggregate: imports its expression, bounds it, derives its
 * sensitivity.  key_is_private: a column of the level's GROUP BY is.
 * Raises an error if it cannot be answered.
 */
extern DpsReleasePlan *dps_plan_release(DpsProtectedSource *source, Aggref *aggref,
										bool key_is_private);

#endif							/* DPS_GUARD_RELEASE_PLAN_H */

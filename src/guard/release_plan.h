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

/* Of an interval whose level is not given. */
#define DPS_DEFAULT_LEVEL 0.95

/* What the rewriter and explain need to know of one release. */
typedef struct DpsReleasePlan
{
	Aggref	   *aggref;			/* the first that it is for, as the user wrote it */
	const DpsAggregate *aggregate;
	List	   *arguments;		/* of Node *: its values, as the user wrote them */
	DpsFacts	facts;
	DpsRelease *release;
	DpsSummandPlan *summand;
	List	   *columns;		/* of Expr *: the exact aggregate's arguments
								 * after the summand, over Vars of the level */
	Expr	   *epsilon;		/* the user's, or NULL for the setting */
	char	   *contribution;	/* of a row, for the history, or NULL */
	Const	   *parameter_value;	/* what else was asked for, or NULL */
	Expr	   *level;			/* of an interval that is drawn, or NULL */
	struct DpsKey *declared;	/* the values that are chosen or counted, or NULL */

	/* for explain; graph is NULL where rows are counted */
	DpsGraph   *graph;
	const DpsNode *value;		/* the first */
	const DpsNode *values[DPS_MAX_VALUES];
	DpsPolicy	policy;
	DpsBracket	infimum;		/* of the first value */
	DpsBracket	supremum;
	DpsBracket	metric;			/* if the adjacency is metric */
} DpsReleasePlan;

/* One dp aggregate of a query. */
typedef struct DpsRequest
{
	Aggref	   *aggref;			/* as the user wrote it */
	int			family;			/* row of dps_aggregates */
	int			statistic;		/* row of dps_statistics; -1: the release's value
								 * is the aggregate's */
	bool		interval;		/* it is the companion with an interval */
	List	   *arguments;		/* of Node *: its values */
	Expr	   *epsilon;		/* the user's, or NULL for the setting */
	DpsParameter *parameter;	/* what else is asked for, or NULL */
	Const	   *parameter_value;	/* as it was given, or NULL */
	Expr	   *level;			/* of the interval, or NULL */
	bool		level_is_unknown;	/* one that is drawn */
	DpsReleasePlan *release;	/* that it is computed from, set by the rewriter */
	DpsFinish  *finish;			/* how, or NULL */
	const char *set;			/* that it is grouped by, if there are several;
								 * else NULL */
} DpsRequest;

/* The row of aggregates.def that an aggregate function stands for, or -1. */
extern int	dps_dp_aggregate(Oid function);

/* The function that releases it, and whether the declared values are an argument. */
extern bool dps_release_takes_keys(const DpsAggregate *aggregate);
extern Oid	dps_release_function(const DpsAggregate *aggregate);

/* What the aggregate asks for.  Raises an error if it cannot be answered as it is
 * written. */
extern DpsRequest *dps_read_request(DpsProtectedSource *source, Aggref *aggref);

/* The aggregate with its simplified expression, "dp_sum(a * b)". */
extern char *dps_request_text(const DpsRequest *request);

/* What it is about alone: "a * b", "*" for rows. */
extern char *dps_request_values(const DpsRequest *request);

/*
 * Analyses what a request is about: imports its expressions, bounds them, derives
 * the sensitivity.  key_is_private: a column of the level's GROUP BY is; has_rest: one
 * group holds the rows of several.  Raises an error if it cannot be answered.
 */
extern DpsReleasePlan *dps_plan_release(DpsProtectedSource *source, const DpsRequest *request, bool key_is_private,
										bool has_rest);

/*
 * Can the request be computed from the release as well as from one of its own?
 * Then its finish and release are set.
 */
extern bool dps_share_release(DpsRequest *request, DpsReleasePlan *plan);

/* Requests that others can be computed from have more. */
extern int	dps_request_breadth(const DpsRequest *request);

/* Makes the release a plan constant that says for which aggregates it is. */
extern void dps_describe_release(DpsReleasePlan *plan, const char *text);

#endif							/* DPS_GUARD_RELEASE_PLAN_H */

/*
 * release_plan.h
 *		From one dp aggregate of a query to the constants that execute it.
 */
#ifndef DPS_GUARD_RELEASE_RELEASE_PLAN_H
#define DPS_GUARD_RELEASE_RELEASE_PLAN_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "agg/aggregate.h"
#include "bound/quantity/bound.h"
#include "guard/release/aggregate_request.h"
#include "guard/source/protected_source.h"

/* What the rewriter and explain need to know of one release. */
typedef struct DpsReleasePlan
{
	Aggref	   *aggref;			/* the first that it is for, as the user wrote it */
	const DpsAggregate *aggregate;
	List	   *arguments;		/* of Node *: its values, as the user wrote them */
	DpsFacts	facts;
	DpsRelease *release;
	int			arms;			/* of a UNION ALL, in which a person can stand; 1
								 * without one */
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

/* The function that releases an aggregate, and whether the declared values are an
 * argument. */
extern bool dps_release_takes_keys(const DpsAggregate *aggregate);
extern Oid	dps_release_function(const DpsAggregate *aggregate);

/* That of the column of (b) where an epsilon stands that is no constant: exact_epsilon(number, epsilon). */
extern Oid	dps_epsilon_function(void);

/* Those of all aggregates, as OIDs. */
extern const List *dps_release_functions(void);

/*
 * Analyses what a request is about: imports its expressions, bounds them, derives
 * the sensitivity.  key_is_private: a column of the level's GROUP BY is; has_rest: one
 * group holds the rows of several.  Raises an error if it cannot be answered.
 */
extern DpsReleasePlan *dps_plan_release(DpsProtectedSource *source, const DpsRequest *request, bool key_is_private,
										bool has_rest);

/* Makes the release a plan constant that says for which aggregates it is. */
extern void dps_describe_release(DpsReleasePlan *plan, const char *text);

#endif							/* DPS_GUARD_RELEASE_RELEASE_PLAN_H */

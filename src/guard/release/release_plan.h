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

/* What the rewriting and explain need to know of one release. */
typedef struct DpsReleasePlan
{
	Aggref	   *aggref;			/* the first aggregate that uses it, as the user wrote it */
	const DpsAggregate *aggregate;
	List	   *arguments;		/* of Node *: its values, as the user wrote them */
	DpsFacts	facts;
	DpsRelease *release;
	int			arms;			/* arms of a UNION ALL in which a person can have rows; 1
								 * without one */
	DpsSummandPlan *summand;
	List	   *columns;		/* of Expr *: the exact aggregate's arguments
								 * after the summand, over Vars of the level */
	Expr	   *epsilon;		/* as given by the user; NULL: the setting decides */
	double		factor;			/* of that, where answers share epsilon; 0: they do not */
	char	   *contribution;	/* of a row, for the history, or NULL */
	Const	   *parameter_value;	/* quantiles or buckets, or NULL */
	Expr	   *level;			/* of an interval that is drawn, or NULL */
	struct DpsKey *declared;	/* the declared values of the argument, or NULL */
	List	   *conditions;		/* of Node *: those that are true of every row that it counts, expanded */
	struct DpsColumns *cells;	/* of the variables of the values when they were compiled */
	int			variables;		/* how many these are */

	/* for explain; graph is NULL if rows are counted */
	DpsGraph   *graph;
	const DpsNode *value;		/* the first */
	const DpsNode *values[DPS_MAX_VALUES];
	DpsPolicy	policy;
	DpsBracket	infimum;		/* of the first value */
	DpsBracket	supremum;
	DpsBracket	metric;			/* if the adjacency is metric */
} DpsReleasePlan;

/* The function that releases an aggregate.  dps_release_takes_keys: are the declared values one of its
 * arguments? */
extern bool dps_release_takes_keys(const DpsAggregate *aggregate);
extern Oid	dps_release_function(const DpsAggregate *aggregate);

/* exact_epsilon(number, epsilon), which wraps an epsilon that is not constant; a column of query (b) calls
 * it (rewrite.c). */
extern Oid	dps_epsilon_function(void);

/* The OIDs of the release functions of all aggregates. */
extern const List *dps_release_functions(void);

/*
 * Plans a request: imports its expressions, bounds them, derives the sensitivity.  key_is_private: some
 * GROUP BY column of the level is private; has_rest: one group holds the rows of several; weights: of the
 * columns that it reads, or NULL.  Raises an error if the request cannot be answered.
 */
extern DpsReleasePlan *dps_plan_release(DpsProtectedSource *source, const DpsRequest *request, bool key_is_private,
										bool has_rest, DpsWeights *weights);

/* Stores in the release's plan constant a text that names the aggregates that use it. */
extern void dps_describe_release(DpsReleasePlan *plan, const char *text);

#endif							/* DPS_GUARD_RELEASE_RELEASE_PLAN_H */

/*
 * undeclared_groups.h
 *		Groups whose keys are not declared, and which of them are shown.
 */
#ifndef DPS_GUARD_RELEASE_UNDECLARED_GROUPS_H
#define DPS_GUARD_RELEASE_UNDECLARED_GROUPS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/release/keys.h"
#include "guard/release/release_plan.h"

/* The groups of a level. */
typedef struct DpsGroups
{
	DpsReleasePlan *plan;		/* of the selection of the groups */
	bool		is_public;		/* the keys are of public columns: no noise is needed */
	bool		has_rest;		/* one more holds the rows of those that are not
								 * shown */
	List	   *filters;		/* of Node *, over the level's Vars: conditions that
								 * must not decide which groups there are */
} DpsGroups;

/* Is the node a call of dp_suppressed()? */
extern bool dps_is_suppressed_call(Node *node);

/* Does the level call dp_suppressed(), so that the answer has the rest as a row? */
extern bool dps_asks_for_rest(Query *query);

/*
 * Plans which groups of a traced source with these keys, one of them undeclared, are shown.  number: of
 * this selection in the statement, from 1; weights: of the columns that it reads, or NULL.  Conditions on private columns are removed from the source's
 * queries if they are put into `filters`.
 */
extern DpsGroups *dps_plan_groups(DpsProtectedSource *source, const List *keys, bool has_rest, int number,
								  DpsWeights *weights);

/*
 * A query over `states` with its columns, of which the last is the number of units, and the columns below:
 * all groups, of which dps_is_shown() selects those that are shown.  It must be evaluated only once.
 */
extern Query *dps_shown_groups(const DpsGroups *groups, Query *states, int nkeys);

#define DPS_GROUP_PLACE(nstates) ((nstates) + 1)	/* 0: the rest; 1: a group */
#define DPS_GROUP_NUMBER(nstates) ((nstates) + 2)	/* from 1, in no order */
#define DPS_GROUP_SHOWN(nstates) ((nstates) + 3)	/* true or NULL */

/* The condition on a row of that query that it is part of the answer. */
extern Node *dps_is_shown(const DpsGroups *groups, int nstates);

/* The condition that a row of that query is the rest. */
extern Node *dps_is_rest(int nstates);

/* Adds ORDER BY the keys, the rest last, to a query over that query whose first columns are the keys. */
extern void dps_order_groups(Query *query, int nkeys, int nstates);

#endif							/* DPS_GUARD_RELEASE_UNDECLARED_GROUPS_H */

/*
 * undeclared_groups.h
 *		Groups whose keys are not declared: which of them are shown.
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
	DpsReleasePlan *plan;		/* of finding out which they are */
	bool		is_public;		/* that needs no noise: keys of public columns */
	bool		has_rest;		/* one more holds the rows of those that are not
								 * shown */
	List	   *filters;		/* of Node *, over the level's Vars: conditions that
								 * must not decide which groups there are */
} DpsGroups;

/* Is it a call of dp_suppressed()? */
extern bool dps_is_suppressed_call(Node *node);

/* Does the level ask for the groups that are not shown? */
extern bool dps_asks_for_rest(Query *query);

/*
 * What becomes of the groups of a traced source with these keys, one of them
 * undeclared; number: of this selection in the statement, from 1.  Conditions on
 * private columns are taken out of the source's queries where they are in
 * `filters`.
 */
extern DpsGroups *dps_plan_groups(DpsProtectedSource *source, const List *keys, bool has_rest, int number);

/*
 * A query of those groups of `states` that are shown: the same columns, of which
 * the last is the number of units, and the following ones.  It is to be evaluated
 * once.
 */
extern Query *dps_shown_groups(const DpsGroups *groups, Query *states, int nkeys);

#define DPS_GROUP_PLACE(nstates) ((nstates) + 1)	/* 0: the rest; 1: a group */
#define DPS_GROUP_NUMBER(nstates) ((nstates) + 2)	/* from 1, in no order */
#define DPS_GROUP_SHOWN(nstates) ((nstates) + 3)	/* true or NULL */

/* Which rows of that query count. */
extern Node *dps_is_shown(const DpsGroups *groups, int nstates);

/* Is a row of it the rest? */
extern Node *dps_is_rest(int nstates);

/* ORDER BY keys, which are its first columns, the rest last: for a query over
 * that query. */
extern void dps_order_groups(Query *query, int nkeys, int nstates);

#endif							/* DPS_GUARD_RELEASE_UNDECLARED_GROUPS_H */

/*
 * level.h
 *		A level that holds dp aggregates, and the three queries it becomes.
 *
 * Which they are, and why, is at the head of rewrite.c.
 */
#ifndef DPS_GUARD_REWRITE_LEVEL_H
#define DPS_GUARD_REWRITE_LEVEL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/release/release_plan.h"
#include "guard/release/undeclared_groups.h"

/* The level that is being rewritten. */
typedef struct DpsLevel
{
	DpsProtectedSource	source;
	List	   *keys;			/* of DpsKey * */
	DpsGroups  *groups;			/* NULL: they are known beforehand */
	List	   *requests;		/* of DpsRequest *, distinct */
	List	   *releases;		/* of DpsReleasePlan *: what they are computed
								 * from */
	List	   *parameters;		/* of Expr *: parameters that rows are selected
								 * by, and calls that look at them, if whoever
								 * asks may not read the relation */
	List	   *checks;			/* of patterns, by calls */
	bool		is_folded;		/* all groups' states are one (group_states.h) */
} DpsLevel;

/* ---- level.c ---- */

/* Refuses what no level may be. */
extern void dps_check_level_shape(DpsLevel *level, Query *query);

/* "<what> not supported together with dp aggregates". */
extern void dps_refuse_level(const DpsLevel *level, const char *what, const char *hint, int location);

/* ---- level_requests.c ---- */

extern void dps_collect_requests(DpsLevel *level, Query *query);
extern DpsRequest *dps_find_request(const DpsLevel *level, Aggref *aggref);
extern void dps_plan_requests(DpsLevel *level);

/* ---- the three queries ---- */

/* A plan as an argument of one of the extension's functions. */
extern Const *dps_plan_constant(const void *bytes);

extern Query *dps_build_states(DpsLevel *level, Query *query);
extern Query *dps_build_release(const DpsLevel *level, Query *states);
extern void dps_put_on_top(DpsLevel *level, Query *query, Query *release);

#endif							/* DPS_GUARD_REWRITE_LEVEL_H */

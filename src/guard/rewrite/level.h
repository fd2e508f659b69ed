/*
 * level.h
 *		A level with dp aggregates, and the three queries that replace it.
 *
 * The head of rewrite.c describes them.
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
	List	   *readings;		/* of DpsColumnReading *: what it reads, as it was written */
	List	   *keys;			/* of DpsKey * */
	DpsGroups  *groups;			/* NULL: the groups are known in advance */
	List	   *requests;		/* of DpsRequest *, distinct */
	List	   *releases;		/* of DpsReleasePlan *: the requests are computed from them */
	List	   *parameters;		/* of Expr *: parameters that the states depend on, and calls
								 * that check them, if the role that asks may not read the
								 * relation */
	List	   *checks;			/* of FuncExpr *: calls that check patterns */
	bool		is_folded;		/* the states of all groups are one value */
	bool		numbers_groups;	/* the last column of (b) is the number of the group */
} DpsLevel;

/* ---- level.c ---- */

/* Raises an error if the level has a form that is not supported. */
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

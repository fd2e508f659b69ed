/*
 * rewrite.h
 *		The three-level query: exact states below, release in a materialized
 *		CTE, the user's query on top.
 */
#ifndef DPS_GUARD_REWRITE_REWRITE_H
#define DPS_GUARD_REWRITE_REWRITE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "guard/release/release_plan.h"
#include "guard/rewrite/room_query.h"

/* The state and the results of rewriting a statement. */
typedef struct DpsRewrite
{
	const char *source_text;	/* what locations in the statement refer to */
	ParamListInfo params;		/* values of parameters, or NULL */
	List	   *enclosing;		/* of Query *: the queries being walked, the innermost first */
	List	   *requests;		/* of DpsRequest *, in the order found */
	List	   *releases;		/* of DpsReleasePlan *: the requests are computed from them */
	List	   *selections;		/* of DpsReleasePlan *, among the releases: those of
								 * groups whose keys are not declared */
	List	   *sets;			/* of DpsSetQuery *: the queries of grouping sets */
	bool		is_analysis;	/* for an explanation only: nothing will be executed */
	bool		is_incomplete;	/* a release depends on parameters without values */
	bool		is_restricted;	/* a level is for a role that may not read its
								 * relation itself */
	List	   *functions;		/* OIDs of registered expressions that were inlined */
	List	   *families;		/* of families.h, as they were before the rewriting */
	List	   *distributed;	/* OIDs of relations that are read below Citus's planner */
	DpsRoomDependencies of_rooms;	/* what the plan depends on beside its own relations and
									 * functions */
} DpsRewrite;

/*
 * Rewrites every level with dp aggregates, in place.  Raises an error if something cannot be answered.
 * Afterwards the statement has no dp aggregates, so rewriting it again changes nothing.
 */
extern void dps_rewrite_statement(Query *query, DpsRewrite *rewrite);

#endif							/* DPS_GUARD_REWRITE_REWRITE_H */

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

/* What was found while a statement was rewritten. */
typedef struct DpsRewrite
{
	const char *source_text;	/* what locations in the statement refer to */
	ParamListInfo params;		/* values of parameters, or NULL */
	List	   *enclosing;		/* of Query *: those being walked, the innermost
								 * first */
	List	   *requests;		/* of DpsRequest *, in the order found */
	List	   *releases;		/* of DpsReleasePlan *: what they are computed
								 * from */
	List	   *selections;		/* of DpsReleasePlan *, among the releases: those of
								 * groups whose keys are not declared */
	bool		is_analysis;	/* nothing will be executed */
	bool		is_incomplete;	/* it needs the values of parameters */
	bool		is_restricted;	/* a level is for a role that may not read its
								 * relation itself */
	List	   *functions;		/* OIDs of registered expressions written out */
	List	   *families;		/* of families.h, as they were before */
	DpsRoomDependencies of_rooms;	/* what the plan depends on beside what is in it */
} DpsRewrite;

/*
 * Rewrites every level that holds dp aggregates, in place.  An error says what
 * cannot be answered.  A statement that was rewritten holds none any more, so
 * rewriting it again changes nothing.
 */
extern void dps_rewrite_statement(Query *query, DpsRewrite *rewrite);

#endif							/* DPS_GUARD_REWRITE_REWRITE_H */

/*
 * semijoin.h
 *		EXISTS and IN in conditions of a level with joins.
 */
#ifndef DPS_GUARD_TRACE_SEMIJOIN_H
#define DPS_GUARD_TRACE_SEMIJOIN_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* A subquery in a condition; its tree is that of a level with joins. */
typedef struct DpsSemiJoin
{
	DpsProtectedSource *source; /* Vars of level 1 are of the parts outside */
	bool		is_required;	/* a row counts only if the subquery has rows */
	bool		reads_protected;
} DpsSemiJoin;

/*
 * A condition of the level, expanded, with EXISTS for IN.  Subqueries in it are
 * added to source->semijoins; what stands for them in the condition shares their
 * trees, so that renumbering the one renumbers the other.  nullable: it belongs to
 * the optional side of an outer join, where no subquery may be.
 */
extern Node *dps_expand_condition(DpsProtectedSource *source, Query *level, Node *condition, bool nullable);

/* What an expanded condition says beside its subqueries: TRUE in their places. */
extern Node *dps_without_subqueries(Node *condition);

/*
 * Checks what the subqueries of a traced level read, and sets swaps_rows; an error
 * if it is not proved that they tell of a row's own unit only.  After the
 * unit is found and before parts are marked as private.
 */
extern void dps_check_semijoins(DpsProtectedSource *source);

/* The condition with the queries that its subqueries stand for, for the query that
 * reads the parts. */
extern Node *dps_build_subqueries(const DpsProtectedSource *source, Node *condition, List **checks);

/* Does a condition of the chain need the proof of a level with joins? */
extern bool dps_needs_semijoin(const DpsProtectedSource *source, Node *condition, List *ancestors);

#endif							/* DPS_GUARD_TRACE_SEMIJOIN_H */

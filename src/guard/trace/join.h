/*
 * join.h
 *		Levels that read several relations.
 *
 * The parts of a level with joins are the relations at the ends of its FROM,
 * through subqueries and views.  One of them is counted: each of its rows is in
 * at most one row of the join (join_proof.h), and all that is met with it is
 * public or belongs to the same unit (join_unit.h).
 */
#ifndef DPS_GUARD_TRACE_JOIN_H
#define DPS_GUARD_TRACE_JOIN_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "guard/source/protected_source.h"

/*
 * Finds the parts of the level's FROM and checks what dps_trace_source checks;
 * also for one relation whose unit stands in another.
 */
extern void dps_trace_join(DpsProtectedSource *source);

/* For semijoin.c, of a subquery: FROM and WHERE as one tree; an expression of a level
 * over columns of the parts; whether a part may be read; the conditions of a tree;
 * whether one may decide if a row counts. */
extern Node *dps_flatten_level(DpsProtectedSource *source, Query *level);
extern Node *dps_expand_at(DpsProtectedSource *source, Query *level, Node *expression);
extern void dps_check_part(DpsProtectedSource *source, DpsPart *part);
extern void dps_collect_conditions(const Node *tree, List **conditions);
extern void dps_check_join_condition(DpsProtectedSource *source, Node *condition);
extern void dps_check_join_conditions(DpsProtectedSource *source);

/* Makes the part of this number the first: that whose rows are counted. */
extern void dps_put_first(DpsProtectedSource *source, int number);

/*
 * The query that reads the parts, without a target: entry k of its range table
 * is part k, so that expanded expressions are its own.  Parts that whoever asks
 * may not read are read as their owners.  *checks are the calls that look at
 * patterns when the statement runs (attempt.h).
 */
extern Query *dps_join_query(const DpsProtectedSource *source, List **checks);

/* Says in a release which relations have a part in it, and what proves that. */
extern void dps_note_join(const DpsProtectedSource *source, DpsRelease *release);

/* An error unless the labels of all protected relations are those that they were planned by. */
extern void dps_check_labels(const DpsProtectedSource *source);

/* Is it such a query? */
extern bool dps_is_join_query(const Query *query);

/* Refuses a join for a reason. */
pg_noreturn extern void dps_refuse_join(const DpsProtectedSource *source, const DpsPart *part, const char *detail, const char *hint);

/* The same, for want of a proof that comparisons might have given. */
pg_noreturn extern void dps_refuse_proof(const DpsProtectedSource *source, const DpsPart *part, const char *detail, const char *hint);

#endif							/* DPS_GUARD_TRACE_JOIN_H */

/*
 * join.h
 *		Levels that read several relations.
 *
 * The parts of a level with joins are the relations at the leaves of its FROM, through subqueries and
 * views.  One of them is counted: each of its rows is in at most one row of the join (join_proof.h), and
 * all rows that are joined with it are public or belong to the same unit (join_unit.h).
 */
#ifndef DPS_GUARD_TRACE_JOIN_H
#define DPS_GUARD_TRACE_JOIN_H

#include "postgres.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "guard/source/protected_source.h"

/*
 * Finds the parts of the level's FROM, and checks what dps_trace_source checks.  Also for a single
 * relation whose unit is in another relation.
 */
extern void dps_trace_join(DpsProtectedSource *source);

/* For semijoin.c and the files of grouped subqueries.  dps_flatten_level: FROM and WHERE of a level as one
 * tree.  dps_expand_at: an expression of a level over columns of the parts.  The others raise an error if
 * a part may not be read, or if a condition may not decide whether a row counts; dps_collect_conditions
 * collects the conditions of a tree. */
extern Node *dps_flatten_level(DpsProtectedSource *source, Query *level);
extern Node *dps_expand_at(DpsProtectedSource *source, Query *level, Node *expression);
extern void dps_check_part(DpsProtectedSource *source, DpsPart *part);
extern void dps_collect_conditions(const Node *tree, List **conditions);
extern void dps_check_join_condition(DpsProtectedSource *source, Node *condition);
extern void dps_check_join_conditions(DpsProtectedSource *source);

/* Makes the part of this number the first one, whose rows are counted. */
extern void dps_put_first(DpsProtectedSource *source, int number);

/*
 * The query that reads the parts, without a target list.  Entry k of its range table is part k, so
 * expanded expressions are valid in it.  Parts that the asking role may not read are read as their
 * owners.  *checks are the calls that check patterns when the statement runs (attempt.h).
 */
extern Query *dps_join_query(const DpsProtectedSource *source, List **checks);

/* Notes in a release which relations it is joined from, and the indexes that prove this. */
extern void dps_note_join(const DpsProtectedSource *source, DpsRelease *release);

/* An error unless the labels of all protected relations are those that were used for planning. */
extern void dps_check_labels(const DpsProtectedSource *source);

/* Is it a query of dps_join_query, or another one that does not read exactly one entry? */
extern bool dps_is_join_query(const Query *query);

/* Raises the error that the join with the part is not supported. */
pg_noreturn extern void dps_refuse_join(const DpsProtectedSource *source, const DpsPart *part, const char *detail, const char *hint);

/* The same if a proof is missing.  The hint is replaced if a comparison that depends on the time zone is
 * the reason. */
pg_noreturn extern void dps_refuse_proof(const DpsProtectedSource *source, const DpsPart *part, const char *detail, const char *hint);

#endif							/* DPS_GUARD_TRACE_JOIN_H */

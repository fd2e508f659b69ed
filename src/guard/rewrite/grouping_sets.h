/*
 * grouping_sets.h
 *		GROUPING SETS, ROLLUP and CUBE: a query for each set.
 */
#ifndef DPS_GUARD_REWRITE_GROUPING_SETS_H
#define DPS_GUARD_REWRITE_GROUPING_SETS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "guard/rewrite/level.h"

/* What is known of the query of a set. */
typedef struct DpsSetQuery
{
	Query	   *query;
	List	   *keys;			/* of DpsKey * */
	List	   *covered;		/* of DpsKey *: of these each row that is counted has one of the declared values */
	List	   *requests;		/* of DpsRequest *, once it is rewritten */
	List	   *releases;		/* of DpsReleasePlan *, likewise */
	bool		adds_up;		/* its groups are known in advance and numbered, and all rows count */
} DpsSetQuery;

/*
 * Replaces a query with grouping sets and dp aggregates, in place, by a query over the union of one query
 * per set, each with a plain GROUP BY; these are not rewritten yet.  aggregates: those of the query, of
 * Aggref *.  Raises an error if the query is not supported.
 */
extern void dps_split_grouping_sets(Query *query, const List *aggregates, const char *source_text);

/* The text of the set that a query was made for, "(a, b)"; NULL if it was not made for one.  enclosing: the
 * union. */
extern const char *dps_grouping_set(const Query *enclosing, const Query *query);

/* Notes the query of a set, when the level has its keys, and whether (b) is to number its groups. */
extern DpsSetQuery *dps_note_set_query(Query *query, DpsLevel *level);

/*
 * Makes sums and counts of a query that was split, in place, add up where it is proved that they do without noise.
 * noted: of DpsSetQuery *, those of all of its sets among them.
 */
extern void dps_fit_grouping_sets(Query *query, const List *noted);

/* finish_fit(plan, set, group, answer). */
extern Oid	dps_fit_function(void);

#endif							/* DPS_GUARD_REWRITE_GROUPING_SETS_H */

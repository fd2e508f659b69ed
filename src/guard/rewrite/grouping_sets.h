/*
 * grouping_sets.h
 *		GROUPING SETS, ROLLUP and CUBE: a query for each set.
 */
#ifndef DPS_GUARD_REWRITE_GROUPING_SETS_H
#define DPS_GUARD_REWRITE_GROUPING_SETS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Replaces a query with grouping sets and dp aggregates, in place, by a query over the union of one query
 * per set, each with a plain GROUP BY; these are not rewritten yet.  aggregates: those of the query, of
 * Aggref *.  Raises an error if the query is not supported.
 */
extern void dps_split_grouping_sets(Query *query, const List *aggregates, const char *source_text);

/* The text of the set that a query was made for, "(a, b)"; NULL if it was not made for one.  enclosing: the
 * union. */
extern const char *dps_grouping_set(const Query *enclosing, const Query *query);

#endif							/* DPS_GUARD_REWRITE_GROUPING_SETS_H */

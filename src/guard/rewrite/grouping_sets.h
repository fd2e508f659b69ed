/*
 * grouping_sets.h
 *		GROUPING SETS, ROLLUP and CUBE: a query for each set.
 */
#ifndef DPS_GUARD_REWRITE_GROUPING_SETS_H
#define DPS_GUARD_REWRITE_GROUPING_SETS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Makes a query with grouping sets and dp aggregates, in place, one that reads
 * the union of as many queries with one GROUP BY each; nothing is rewritten yet.
 * aggregates: those of the query, of Aggref *.  An error if that cannot be done.
 */
extern void dps_split_grouping_sets(Query *query, const List *aggregates, const char *source_text);

/* The text of the set that a query was made for, "(a, b)"; NULL if for none. */
extern const char *dps_grouping_set(const Query *enclosing, const Query *query);

#endif							/* DPS_GUARD_REWRITE_GROUPING_SETS_H */

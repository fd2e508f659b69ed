/*
 * nulling.h
 *		The outer joins that may null a column.
 */
#ifndef DPS_GUARD_QUERY_NULLING_H
#define DPS_GUARD_QUERY_NULLING_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Removes from the Vars of the query and its subqueries, in place, the marks of outer joins, and replaces
 * references to the grouping step by the grouped expressions.  Afterwards references to the same column are
 * equal nodes. */
extern void dps_plain_tree(Query *query);

/* A copy of the query in which each Var, in subqueries as well, names the outer joins that may null it,
 * computed from the present join tree; Vars of enclosing queries are unchanged.  Before 16 Vars have no
 * such marks: returns the query itself. */
extern Query *dps_note_nulling(Query *query);

#endif							/* DPS_GUARD_QUERY_NULLING_H */

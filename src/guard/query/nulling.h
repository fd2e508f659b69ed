/*
 * nulling.h
 *		The outer joins that may null a column.
 */
#ifndef DPS_GUARD_QUERY_NULLING_H
#define DPS_GUARD_QUERY_NULLING_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* In place: a query as it is written, whose column references name what they mean and
 * nothing else, in the query and in those below it.  Equal ones are equal then. */
extern void dps_plain_tree(Query *query);

/* A copy of the query in which each column reference, there and below, names the outer
 * joins that may null it, as they stand now; what it says of queries further out
 * stays.  The query itself before 16, which asks for none. */
extern Query *dps_note_nulling(Query *query);

#endif							/* DPS_GUARD_QUERY_NULLING_H */

/*
 * correlated.h
 *		Does a query depend on the row of a query around it?
 */
#ifndef DPS_GUARD_QUERY_CORRELATED_H
#define DPS_GUARD_QUERY_CORRELATED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Does anything in the query refer to a query further out?  ancestors: the enclosing queries, the innermost
 * first. */
extern bool dps_is_correlated(Query *query, List *ancestors);

#endif							/* DPS_GUARD_QUERY_CORRELATED_H */

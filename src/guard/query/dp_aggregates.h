/*
 * dp_aggregates.h
 *		The aggregates of a query: those of its level, and the dp aggregates.
 */
#ifndef DPS_GUARD_QUERY_DP_AGGREGATES_H
#define DPS_GUARD_QUERY_DP_AGGREGATES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "agg/aggregate.h"

/* The row of aggregates.def that an aggregate function stands for, or -1. */
extern int	dps_dp_aggregate(Oid function);

/* The row of aggregates.def of a family. */
extern int	dps_family_row(const DpsAggregate *family);

/* Is an argument of the function an array of numbers? */
extern bool dps_takes_array(Oid function);

/* Does the query hold a dp aggregate, at any level? */
extern bool dps_has_dp_aggregate(Query *query);

/* The aggregates of this level, not of its subqueries; is one of them a dp aggregate? */
extern List *dps_own_aggregates(Query *query);
extern bool dps_has_own_dp_aggregate(Query *query);

/* The location in the query text of the level's first dp aggregate, or -1. */
extern int	dps_first_location(Query *query);

#endif							/* DPS_GUARD_QUERY_DP_AGGREGATES_H */

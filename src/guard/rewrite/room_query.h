/*
 * room_query.h
 *		A query that releases, as an argument in the asker's plan.
 */
#ifndef DPS_GUARD_REWRITE_ROOM_QUERY_H
#define DPS_GUARD_REWRITE_ROOM_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

typedef struct DpsRoomQuery
{
	const void *place;			/* address of its constant in the plan, which identifies it */
	Query	   *query;
	List	   *types;			/* OIDs of the types that it computes with */
	List	   *enum_tables;	/* the labels of the enums among them, as of planning */
	List	   *families;		/* of families.h: the tables that the proofs are about */
} DpsRoomQuery;

/* The dependencies of queries for rooms, which the planner does not see. */
typedef struct DpsRoomDependencies
{
	List	   *relations;		/* OIDs */
	List	   *items;			/* of PlanInvalItem *: functions, types */
} DpsRoomDependencies;

/* A query with the same columns that reads the result of `release` from a clean room.  families: those of
 * the statement, as they were before anything was proved.  Adds the dependencies to *all.  Raises an error
 * if `release` reads rows that another process cannot read. */
extern Query *dps_from_room(Query *release, const List *families, DpsRoomDependencies *all);

/* Is the expression the call of such a query?  Raises an error if it is a call that the rewriting has not
 * made: calls in SQL functions that the planner inlines are not seen earlier. */
extern bool dps_is_room_query(const Node *expression);

/* The query that the room computes. */
extern DpsRoomQuery *dps_room_query_of(const Node *call);

/* Adds the dependencies to a plan. */
extern void dps_add_room_dependencies(PlannedStmt *statement, const DpsRoomDependencies *all);

#endif							/* DPS_GUARD_REWRITE_ROOM_QUERY_H */

/*
 * room_query.h
 *		A query that releases, as an argument in the plan of whoever asks.
 */
#ifndef DPS_GUARD_REWRITE_ROOM_QUERY_H
#define DPS_GUARD_REWRITE_ROOM_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

typedef struct DpsRoomQuery
{
	const void *place;			/* of its constant in the plan: by which it is known */
	Query	   *query;
	List	   *types;			/* OIDs: what it computes with */
	List	   *enum_tables;	/* the labels of those that are enums, when it was planned */
	List	   *families;		/* of families.h: which tables the proofs were about */
} DpsRoomQuery;

/* What queries for rooms depend on, which the planner has not seen. */
typedef struct DpsRoomDependencies
{
	List	   *relations;		/* OIDs */
	List	   *items;			/* of PlanInvalItem *: functions, types */
} DpsRoomDependencies;

/* A query of the same columns that reads what a clean room answers to this one; families
 * are those of the statement, as they were before anything was proved.  Adds what it depends
 * on.  An error if another process could not read what it reads. */
extern Query *dps_from_room(Query *release, const List *families, DpsRoomDependencies *all);

/* Is the expression the call of such a query?  An error if it is a call that no rewriting has
 * made: a function that the planner merges with the statement is seen here first. */
extern bool dps_is_room_query(const Node *expression);

/* What the room is to compute. */
extern DpsRoomQuery *dps_room_query_of(const Node *call);

/* Lets a plan depend on them. */
extern void dps_add_room_dependencies(PlannedStmt *statement, const DpsRoomDependencies *all);

#endif							/* DPS_GUARD_REWRITE_ROOM_QUERY_H */

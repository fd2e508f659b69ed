/*
 * room_locks.c
 *		The locks of a clean room.
 *
 * The planner and the executor wait for locks when they reach the objects, and a room that waits is not
 * available to other sessions.  So everything that they will lock is locked beforehand: relations, their
 * children, the indexes and TOAST tables of these, and types.  Objects that are created after that are
 * locked by the planner and the executor, with the time limits of room_request.c.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "glue/import/enum_labels.h"
#include "guard/query/expression_types.h"
#include "guard/query/range_table.h"
#include "guard/room/room_locks.h"
#include "room/room.h"

/* Locks the relation alone, without its children, indexes and TOAST table. */
static void
lock_relation(Oid relation)
{
	DpsLock		lock = {.mode = AccessShareLock};

	SET_LOCKTAG_RELATION(lock.tag, MyDatabaseId, relation);
	dps_room_lock(&lock);
}

static void
lock_type(Oid type)
{
	DpsLock		lock = {.mode = DPS_TYPE_LOCK};

	SET_LOCKTAG_OBJECT(lock.tag, MyDatabaseId, TypeRelationId, type, 0);
	dps_room_lock(&lock);
}

/* Locks indexes and the TOAST table.  Precondition: the table itself is locked. */
static void
lock_storage(Oid table)
{
	Relation	relation = try_relation_open(table, NoLock);
	List	   *indexes;
	Oid			long_cells;
	ListCell   *cell;

	/* the next attempt to open it raises the error */
	if (relation == NULL)
		return;
	indexes = RelationGetIndexList(relation);
	long_cells = relation->rd_rel->reltoastrelid;
	relation_close(relation, NoLock);
	foreach(cell, indexes)
		lock_relation(lfirst_oid(cell));
	if (!OidIsValid(long_cells))
		return;
	lock_relation(long_cells);
	lock_storage(long_cells);
}

static void
lock_family(Oid relation)
{
	ListCell   *cell;

	check_stack_depth();
	lock_relation(relation);
	lock_storage(relation);
	foreach(cell, find_inheritance_children(relation, NoLock))
		lock_family(lfirst_oid(cell));
}

/* Locks a relation that the query names, and all that belongs to it.  An error if it was dropped before
 * the lock. */
static void
lock_named(const RangeTblEntry *entry)
{
	lock_relation(entry->relid);
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(entry->relid)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("a relation of the statement was dropped"),
				 errhint("Run the statement again.")));
	lock_family(entry->relid);
}

void
dps_lock_all_in_room(Query *query)
{
	ListCell   *cell;

	dps_visit_stored(query, lock_named);
	foreach(cell, dps_expression_types(query).types)
	{
		if (lfirst_oid(cell) >= FirstNormalObjectId)
			lock_type(lfirst_oid(cell));
	}
}

/*
 * room_locks.c
 *		The locks of a clean room.
 *
 * The planner and the executor wait for locks where they meet them, and a room that
 * waits is one that others do not get.  So all that they will lock is locked before:
 * relations, their children, the indexes of these, where long cells are stored, and
 * types.  What is made in between is locked by them, and waited for no longer than
 * room_request.c says.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "glue/enum_labels.h"
#include "guard/expression_types.h"
#include "guard/range.h"
#include "guard/room_locks.h"
#include "room/room.h"

void
dps_lock_in_room(Oid relation)
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

/* The table itself is locked. */
static void
lock_storage(Oid table)
{
	Relation	relation = try_relation_open(table, NoLock);
	List	   *indexes;
	Oid			long_cells;
	ListCell   *cell;

	/* whoever opens it next says so */
	if (relation == NULL)
		return;
	indexes = RelationGetIndexList(relation);
	long_cells = relation->rd_rel->reltoastrelid;
	relation_close(relation, NoLock);
	foreach(cell, indexes)
		dps_lock_in_room(lfirst_oid(cell));
	if (!OidIsValid(long_cells))
		return;
	dps_lock_in_room(long_cells);
	lock_storage(long_cells);
}

static void
lock_family(Oid relation)
{
	ListCell   *cell;

	check_stack_depth();
	dps_lock_in_room(relation);
	lock_storage(relation);
	foreach(cell, find_inheritance_children(relation, NoLock))
		lock_family(lfirst_oid(cell));
}

static bool
relation_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (dps_is_stored((RangeTblEntry *) node))
			lock_family(((RangeTblEntry *) node)->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, relation_walker, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, relation_walker, context);
}

void
dps_lock_all_in_room(Query *query)
{
	ListCell   *cell;

	(void) relation_walker((Node *) query, NULL);
	foreach(cell, dps_expression_types(query).types)
	{
		if (lfirst_oid(cell) >= FirstNormalObjectId)
			lock_type(lfirst_oid(cell));
	}
}

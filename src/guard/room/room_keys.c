/*
 * room_keys.c
 *		Keys of relations whose rows are brought into a clean room.
 *
 * From unique indexes the planner infers that a join meets at most one row of a relation.  Brought rows
 * have no indexes.  So the unique indexes on which the guard's proof rests (join_proof.c) are sent along
 * as lists of columns.  They are checked against the asking statement's snapshot before the rows are
 * read.  Joins by equality with all columns of such a key, in the sense of its operator family, are marked
 * as inner-unique, as the planner would mark them.
 *
 * An inner-unique join continues with the next outer row after the first match.  So what is promised does
 * not depend on whether the key holds: no outer row occurs twice in the join, and rows need not be counted
 * (agg/scan/single_rows.c).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "catalog/index.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/import/comparison.h"
#include "glue/import/relabel.h"
#include "guard/restrict/blind.h"
#include "guard/room/room_keys.h"
#include "guard/room/room_rows.h"
#include "room/message.h"

static set_join_pathlist_hook_type previous_join_pathlist;

typedef struct KeyColumn
{
	AttrNumber	column;
	Oid			family;			/* in whose sense no two values are equal */
	Oid			collation;
} KeyColumn;

/* ---- of a relation ---- */

/* A list of KeyColumn *. */
static List *
columns_of(Oid index_oid)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	List	   *columns = NIL;
	int			i;

	for (i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		KeyColumn  *column = palloc(sizeof(KeyColumn));

		*column = (KeyColumn) {index->rd_index->indkey.values[i], index->rd_opfamily[i], index->rd_indcollation[i]};
		columns = lappend(columns, column);
	}
	index_close(index, NoLock);
	return columns;
}

List *
dps_proved_keys(Oid relation, const List *proofs)
{
	List	   *keys = NIL;
	ListCell   *cell;

	foreach(cell, proofs)
	{
		if (IndexGetRelation(lfirst_oid(cell), true) == relation)
			keys = lappend(keys, columns_of(lfirst_oid(cell)));
	}
	return keys;
}

/* ---- in the request ---- */

void
dps_write_keys(StringInfo request, const List *keys)
{
	int			n = list_length(keys);
	ListCell   *key;
	ListCell   *cell;

	dps_put(request, n);
	foreach(key, keys)
	{
		n = list_length((const List *) lfirst(key));
		dps_put(request, n);
		foreach(cell, (const List *) lfirst(key))
			dps_put(request, *(const KeyColumn *) lfirst(cell));
	}
}

static List *
read_columns(StringInfo request)
{
	List	   *columns = NIL;
	int			n;
	int			i;

	dps_get(request, &n);
	for (i = 0; i < n; i++)
	{
		KeyColumn  *column = palloc(sizeof(KeyColumn));

		dps_get(request, column);
		columns = lappend(columns, column);
	}
	return columns;
}

List *
dps_read_keys(StringInfo request)
{
	List	   *keys = NIL;
	int			n;
	int			i;

	dps_get(request, &n);
	for (i = 0; i < n; i++)
		keys = lappend(keys, read_columns(request));
	return keys;
}

/* ---- in the room's plans ---- */

/* The column of the inner side that the clause compares by equality of a B-tree family, on either side of
 * the operator.  NULL if the clause is something else. */
static const Var *
compared_column(const RestrictInfo *clause, const RelOptInfo *outer, const RelOptInfo *inner)
{
	const OpExpr *call = (const OpExpr *) clause->clause;
	Node	   *side;

	if (clause->mergeopfamilies == NIL || !IsA(call, OpExpr) || list_length(call->args) != 2)
		return NULL;
	if (bms_is_subset(clause->left_relids, outer->relids) && bms_equal(clause->right_relids, inner->relids))
		side = lsecond(call->args);
	else if (bms_is_subset(clause->right_relids, outer->relids) && bms_equal(clause->left_relids, inner->relids))
		side = linitial(call->args);
	else
		return NULL;
	side = dps_strip_relabel(side);
	return IsA(side, Var) ? (const Var *) side : NULL;
}

static bool
is_compared(const KeyColumn *key, const List *clauses, const RelOptInfo *outer, const RelOptInfo *inner)
{
	ListCell   *cell;

	foreach(cell, clauses)
	{
		const RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		const Var  *column = compared_column(clause, outer, inner);

		if (column != NULL && column->varattno == key->column && list_member_oid(clause->mergeopfamilies, key->family) &&
			(!OidIsValid(key->collation) || dps_same_equality(((const OpExpr *) clause->clause)->inputcollid, key->collation)))
			return true;
	}
	return false;
}

static bool
all_are_compared(const List *key, const List *clauses, const RelOptInfo *outer, const RelOptInfo *inner)
{
	ListCell   *cell;

	foreach(cell, key)
	{
		if (!is_compared(lfirst(cell), clauses, outer, inner))
			return false;
	}
	return key != NIL;
}

/* The clauses that decide which rows match.  For an outer join these are the join's own conditions,
 * without those pushed down from above. */
static List *
joining_clauses(JoinType type, const RelOptInfo *join, const List *all)
{
	List	   *clauses = NIL;
	ListCell   *cell;

	foreach(cell, all)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if (!IS_OUTER_JOIN(type) || !RINFO_IS_PUSHED_DOWN(clause, join->relids))
			clauses = lappend(clauses, clause);
	}
	return clauses;
}

static bool
meets_once(const PlannerInfo *root, const List *joining, const RelOptInfo *outer, const RelOptInfo *inner)
{
	/* clauses on the inner relation alone hold for all of its rows that match */
	List	   *clauses = list_concat_copy(joining, inner->baserestrictinfo);
	ListCell   *cell;

	foreach(cell, dps_keys_of(root->simple_rte_array[inner->relid]))
	{
		if (all_are_compared(lfirst(cell), clauses, outer, inner))
			return true;
	}
	return false;
}

static void
mark(const List *paths, const RelOptInfo *outer, const RelOptInfo *inner)
{
	ListCell   *cell;

	foreach(cell, paths)
	{
		JoinPath   *path = lfirst(cell);

		if ((IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath)) &&
			(path->jointype == JOIN_INNER || path->jointype == JOIN_LEFT) &&
			path->outerjoinpath->parent == outer && path->innerjoinpath->parent == inner)
			path->inner_unique = true;
	}
}

static void
join_pathlist(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	if (previous_join_pathlist != NULL)
		previous_join_pathlist(root, join, outer, inner, type, extra);
	if (!dps_is_room() || (type != JOIN_INNER && type != JOIN_LEFT) || inner->reloptkind != RELOPT_BASEREL ||
		!meets_once(root, joining_clauses(type, join, extra->restrictlist), outer, inner))
		return;
	mark(join->pathlist, outer, inner);
	mark(join->partial_pathlist, outer, inner);
}

void
dps_room_keys_init(void)
{
	previous_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = join_pathlist;
}

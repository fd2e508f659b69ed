/*
 * room_query.c
 *		A query that releases, as an argument in the asker's plan.
 *
 * The asker's statement has, in place of the query,
 *
 *		SELECT * FROM dpsens_internal.release_room(query) AS (its columns)
 *
 * so no part of the query is planned or run there.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/receipt.h"
#include "guard/condition/enum_cells.h"
#include "guard/distributed/room_states.h"
#include "guard/public/public_relation.h"
#include "guard/query/expression_types.h"
#include "guard/query/range_table.h"
#include "guard/query/sent_tree.h"
#include "guard/restrict/blind.h"
#include "guard/rewrite/level.h"
#include "guard/rewrite/room_query.h"
#include "guard/query/nulling.h"

#define ROOM_FUNCTION "release_room"

static Oid
room_function(void)
{
	Oid			argtypes[1] = {dps_internal_type("plan")};

	return dps_internal_function(ROOM_FUNCTION, 1, argtypes);
}

/* ---- which ---- */

/* The relation itself, or a child of it, if it is a temporary table of this session; another process cannot
 * read its rows, and plans of other sessions omit such children.  InvalidOid if there is none. */
static Oid
find_temporary(Oid relation)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relation, AccessShareLock, NULL))
	{
		if (isTempNamespace(get_rel_namespace(lfirst_oid(cell))))
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

static void
check_entry(const RangeTblEntry *entry)
{
	Oid			temporary;

	if (entry->tablesample != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("TABLESAMPLE is not supported below dp aggregates for a role without SELECT privilege"),
				 errhint("Copy the sample into a table.")));
	temporary = dps_is_public_relation(entry->relid) ? InvalidOid : find_temporary(entry->relid);
	if (OidIsValid(temporary))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("temporary relation \"%s\" cannot be read below dp aggregates for a role without SELECT privilege",
						get_rel_name(temporary)),
				 errdetail("Private answers are computed by another process, for which its rows are not there."),
				 errhint("Use a permanent table, or ask as a role that may read it.")));
}

/* ---- WITH queries that nothing reads ---- */

typedef struct Reading
{
	const char *name;			/* name of a WITH query */
	Index		depth;			/* queries below the level of the WITH query */
} Reading;

static bool
reading_walker(Node *node, Reading *reading)
{
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		return entry->rtekind == RTE_CTE && entry->ctelevelsup == reading->depth && strcmp(entry->ctename, reading->name) == 0;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, reading_walker, reading);
	reading->depth++;
	found = query_tree_walker((Query *) node, reading_walker, reading, QTW_EXAMINE_RTES_BEFORE);
	reading->depth--;
	return found;
}

/* A WITH query that nothing reads; NULL if there is none. */
static CommonTableExpr *
find_unread(Query *query)
{
	ListCell   *cell;

	foreach(cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);
		Reading		reading = {cte->ctename, 0};

		if (castNode(Query, cte->ctequery)->commandType == CMD_SELECT &&
			!query_tree_walker(query, reading_walker, &reading, QTW_EXAMINE_RTES_BEFORE))
			return cte;
	}
	return NULL;
}

/*
 * Removes WITH queries that nothing reads: one that was inlined where it was read remains in its list.  The
 * server does not plan it, but the relations that it names would be checked, locked and their rows sent
 * here.
 */
static bool
unread_walker(Node *node, void *context)
{
	CommonTableExpr *cte;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, unread_walker, context);
	while ((cte = find_unread((Query *) node)) != NULL)
		((Query *) node)->cteList = list_delete_ptr(((Query *) node)->cteList, cte);
	return query_tree_walker((Query *) node, unread_walker, context, 0);
}

/* ---- in the plan ---- */

/* The families of relations that the query names itself. */
static List *
own_families(const List *relations, const List *families)
{
	List	   *own = NIL;
	ListCell   *cell;

	foreach(cell, families)
	{
		if (list_member_oid(relations, linitial_oid(lfirst(cell))))
			own = lappend(own, lfirst(cell));
	}
	return own;
}

/* Collects the query's dependencies.  Returns the families that are sent with the query; the plan depends
 * on all their members, because a relation that leaves a family invalidates only plans that depend on
 * itself. */
static List *
note_dependencies(Query *release, const List *of_statement, DpsRoomDependencies *all)
{
	List	   *relations;
	List	   *items;
	bool		has_row_security;
	List	   *families;
	ListCell   *cell;

	extract_query_dependencies((Node *) release, &relations, &items, &has_row_security);
	foreach(cell, dps_distributed_queries(release))
		relations = list_concat_unique_oid(relations, dps_named_relations(lfirst_node(Query, cell)));
	families = own_families(relations, of_statement);
	all->relations = list_concat_unique_oid(all->relations, relations);
	all->items = list_concat(all->items, items);
	foreach(cell, families)
		all->relations = list_concat_unique_oid(all->relations, lfirst(cell));
	return families;
}

static Const *
room_argument(Query *release, List *families)
{
	List	   *types = dps_expression_types(release).types;
	StringInfoData sent;

	dps_lock_types(types);
	initStringInfo(&sent);
	dps_put_tree(&sent, list_make4(release, types, dps_enum_tables(types), families));
	return dps_plan_constant(cstring_to_text_with_len(sent.data, sent.len));
}

Query *
dps_from_room(Query *release, const List *families, DpsRoomDependencies *all)
{
	FuncExpr   *call;

	release = dps_note_nulling(release);
	(void) unread_walker((Node *) release, NULL);
	dps_visit_stored(release, check_entry);
	call = makeFuncExpr(room_function(), RECORDOID, list_make1(room_argument(release, note_dependencies(release, families, all))),
						InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	return dps_read_call(call, release, "dpsens room");
}

bool
dps_is_room_query(const Node *expression)
{
	const FuncExpr *call = (const FuncExpr *) expression;
	const Node *argument;

	if (!IsA(expression, FuncExpr) || call->funcid < FirstNormalObjectId || call->funcid != room_function())
		return false;
	argument = linitial(call->args);
	if (!IsA(argument, Const) || ((const Const *) argument)->constisnull)
		dps_refuse_direct_call(ROOM_FUNCTION);
	return true;
}

DpsRoomQuery *
dps_room_query_of(const Node *call)
{
	DpsRoomQuery *room = palloc(sizeof(DpsRoomQuery));
	StringInfoData sent;
	List	   *parts;

	room->place = DatumGetPointer(linitial_node(Const, ((const FuncExpr *) call)->args)->constvalue);
	sent = (StringInfoData) {.data = VARDATA_ANY(room->place), .len = VARSIZE_ANY_EXHDR(room->place)};
	parts = dps_get_tree(&sent);
	room->query = linitial_node(Query, parts);
	room->types = lsecond(parts);
	room->enum_tables = lthird(parts);
	room->families = lfourth(parts);
	return room;
}

void
dps_add_room_dependencies(PlannedStmt *statement, const DpsRoomDependencies *all)
{
	statement->relationOids = list_concat_unique_oid(statement->relationOids, all->relations);
	statement->invalItems = list_concat(statement->invalItems, all->items);
}

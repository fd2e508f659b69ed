/*
 * lent_rights.c
 *		Distributed tables that are read for a role that may not: with their owner's rights.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_index.h"
#include "catalog/pg_statistic_ext.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/linked_operators.h"
#include "glue/label/annotation.h"
#include "glue/owner.h"
#include "guard/distributed/lent_rights.h"
#include "guard/public/public_relation.h"
#include "guard/query/expression_types.h"
#include "guard/query/range_table.h"
#include "guard/query/session_values.h"

static void
refuse(Oid table, const char *why, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private answers about distributed table \"%s\" are not supported for a role without SELECT privilege, %s",
					get_rel_name(table), why),
			 errhint("%s", hint)));
}

/* ---- the query ---- */

static bool
is_made_here(Oid function, void *context)
{
	return function >= FirstNormalObjectId && !dps_is_own_schema(get_func_namespace(function));
}

/* Does the expression, or query, call a function, operator or cast that is neither the server's nor ours? */
static bool
calls_foreign(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_made_here, NULL) || dps_has_made_operator(node))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, calls_foreign, context, 0);
	return expression_tree_walker(node, calls_foreign, context);
}

static bool
any_made_here(const List *objects)
{
	ListCell   *cell;

	foreach(cell, objects)
	{
		if (lfirst_oid(cell) >= FirstNormalObjectId)
			return true;
	}
	return false;
}

/* Types of this extension are those of plans and states. */
static bool
computes_with_foreign_types(Query *states)
{
	DpsTypes	noted = dps_expression_types(states);
	List	   *types = list_copy(noted.types);
	static const char *const own[] = {"states", "state", "shard_plan", "summand", "shard_attempt"};
	Size		i;

	for (i = 0; i < lengthof(own); i++)
		types = list_delete_oid(types, dps_internal_type(own[i]));
	return any_made_here(types) || any_made_here(noted.collations);
}

static bool
stored_walker(Node *node, List **entries)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (dps_is_stored((RangeTblEntry *) node))
			*entries = lappend(*entries, node);
		/* with false the walk continues into subqueries */
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, stored_walker, entries, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, stored_walker, entries);
}

/* The entries of tables that (a) reads. */
static List *
find_entries(const Query *states)
{
	List	   *entries = NIL;

	(void) stored_walker((Node *) unconstify(Query *, states), &entries);
	if (entries == NIL)
		elog(ERROR, "a query of exact states reads no table");
	return entries;
}

/* Nodes read all of them as one role, who is then the only one that could change what else they run. */
static void
check_owners(const List *entries)
{
	Oid			first = linitial_node(RangeTblEntry, entries)->relid;
	ListCell   *cell;

	foreach(cell, entries)
	{
		Oid			other = lfirst_node(RangeTblEntry, cell)->relid;

		if (dps_relation_owner(other) != dps_relation_owner(first))
			refuse(first, psprintf("together with \"%s\", which has another owner", get_rel_name(other)),
				   "Nodes read all tables of a query as their owner: ask about tables of one owner.");
	}
}

/* ---- the table's definition ---- */

/* As it is stored: what the relation cache has is computed already where it is constant. */
static bool
stored_calls_foreign(const HeapTuple index, AttrNumber column)
{
	bool		isnull;
	Datum		expression = SysCacheGetAttr(INDEXRELID, index, column, &isnull);

	return !isnull && calls_foreign(stringToNode(TextDatumGetCString(expression)), NULL);
}

/* Operator classes and access methods are made by superusers. */
static bool
index_calls_foreign(Oid index)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	bool		calls;

	if (!HeapTupleIsValid(tuple))
		return true;
	calls = stored_calls_foreign(tuple, Anum_pg_index_indexprs) || stored_calls_foreign(tuple, Anum_pg_index_indpred);
	ReleaseSysCache(tuple);
	return calls;
}

static bool
any_index_calls_foreign(Relation table)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(table))
	{
		if (index_calls_foreign(lfirst_oid(cell)))
			return true;
	}
	return false;
}

static bool
any_check_calls_foreign(Relation table)
{
	const TupleConstr *constraints = RelationGetDescr(table)->constr;
	int			i;

	for (i = 0; constraints != NULL && i < constraints->num_check; i++)
	{
		if (calls_foreign(stringToNode(constraints->check[i].ccbin), NULL))
			return true;
	}
	return false;
}

static bool
statistic_calls_foreign(Oid statistic)
{
	HeapTuple	tuple = SearchSysCache1(STATEXTOID, ObjectIdGetDatum(statistic));
	bool		calls = false;
	bool		isnull;
	Datum		expressions;

	if (!HeapTupleIsValid(tuple))
		return false;
	expressions = SysCacheGetAttr(STATEXTOID, tuple, Anum_pg_statistic_ext_stxexprs, &isnull);
	if (!isnull)
		calls = calls_foreign(stringToNode(TextDatumGetCString(expressions)), NULL);
	ReleaseSysCache(tuple);
	return calls;
}

static bool
any_statistic_calls_foreign(Relation table)
{
	ListCell   *cell;

	foreach(cell, RelationGetStatExtList(table))
	{
		if (statistic_calls_foreign(lfirst_oid(cell)))
			return true;
	}
	return false;
}

static void
check_definition(Oid table_oid)
{
	Relation	table = relation_open(table_oid, AccessShareLock);

	if (table->rd_rel->relrowsecurity)
		refuse(table_oid, "where it has row-level security", "Nodes would show the rows that its owner sees.");
	if (any_index_calls_foreign(table) || any_check_calls_foreign(table) || any_statistic_calls_foreign(table) || dps_computes_columns(table))
		refuse(table_oid, "where its indexes, constraints or statistics compute with functions that are not the server's",
			   "Nodes would run them with the rights of its owner.");
	relation_close(table, NoLock);
}

/* ---- both ---- */

/* Rows of others are read by no rights but their readers'. */
static void
check_entry(const RangeTblEntry *entry)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(entry->relid, &annotation);
	if (!annotation.is_protected && !dps_is_public_relation(entry->relid))
		refuse(entry->relid, "since it is neither protected nor public", "Its owner can say that it is public: SELECT dpsens.set_public(...).");
	if (entry->securityQuals != NIL)
		refuse(entry->relid, "where it has row-level security", "Nodes would show the rows that its owner sees.");
	check_definition(entry->relid);
}

void
dps_check_lent(Query *states)
{
	List	   *entries = find_entries(states);
	Oid			table = dps_lent_table(states);
	ListCell   *cell;

	if (states->hasRowSecurity)
		refuse(table, "where it has row-level security", "Nodes would show the rows that its owner sees.");
	check_owners(entries);
	if (calls_foreign((Node *) states, NULL) || computes_with_foreign_types(states))
		refuse(table, "with functions, types or collations that are not the server's", "Use those of the server.");
	foreach(cell, entries)
		check_entry(lfirst_node(RangeTblEntry, cell));
}

void
dps_check_sent_alike(Query *states)
{
	if (contain_mutable_functions((Node *) states) || dps_rows_meet_session(states))
		refuse(dps_lent_table(states), "with expressions that depend on settings of the session",
			   "Nodes have settings of their own: compare a column of the type timestamp, or one that says what you mean.");
}

/* One that is in shards, and not whole on each node. */
Oid
dps_lent_table(const Query *states)
{
	List	   *entries = find_entries(states);
	ListCell   *cell;

	foreach(cell, entries)
	{
		if (dps_citus_is_spread(lfirst_node(RangeTblEntry, cell)->relid))
			return lfirst_node(RangeTblEntry, cell)->relid;
	}
	return linitial_node(RangeTblEntry, entries)->relid;
}

/*
 * lent_rights.c
 *		A distributed table that is read for a role that may not: with its owner's rights.
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

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/linked_operators.h"
#include "guard/distributed/lent_rights.h"
#include "guard/query/expression_types.h"
#include "guard/query/range_table.h"

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
	static const char *const own[] = {"states", "state", "shard_plan", "summand"};
	Size		i;

	for (i = 0; i < lengthof(own); i++)
		types = list_delete_oid(types, dps_internal_type(own[i]));
	return any_made_here(types) || any_made_here(noted.collations);
}

typedef struct Stored
{
	const RangeTblEntry *entry; /* that reads stored rows */
	int			n;
} Stored;

static bool
stored_walker(Node *node, Stored *stored)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (dps_is_stored((RangeTblEntry *) node))
			*stored = (Stored) {(RangeTblEntry *) node, stored->n + 1};
		/* with false the walk continues into subqueries */
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, stored_walker, stored, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, stored_walker, stored);
}

/* The entry of the table that (a) reads. */
static const RangeTblEntry *
find_entry(const Query *states)
{
	Stored		stored = {NULL, 0};

	(void) stored_walker((Node *) unconstify(Query *, states), &stored);
	if (stored.n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("private answers about several distributed tables are not supported for a role without SELECT privilege"),
				 errhint("Ask about one table alone.")));
	return stored.entry;
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

void
dps_check_lent(Query *states)
{
	const RangeTblEntry *entry = find_entry(states);

	if (entry->securityQuals != NIL || states->hasRowSecurity)
		refuse(entry->relid, "where it has row-level security", "Nodes would show the rows that its owner sees.");
	if (calls_foreign((Node *) states, NULL) || computes_with_foreign_types(states))
		refuse(entry->relid, "with functions, types or collations that are not the server's", "Use those of the server.");
	check_definition(entry->relid);
}

void
dps_check_sent_alike(Query *states)
{
	if (contain_mutable_functions((Node *) states))
		refuse(find_entry(states)->relid, "with expressions that depend on settings of the session",
			   "Nodes have settings of their own: compare a column of the type timestamp, or one that says what you mean.");
}

Oid
dps_lent_table(const Query *states)
{
	return find_entry(states)->relid;
}

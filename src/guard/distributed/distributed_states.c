/*
 * distributed_states.c
 *		Exact states of a table that Citus has distributed: the query that stands for (a).
 *
 * It is
 *
 *		SELECT * FROM dpsens_internal.exact_distributed(query, parameters...) AS (states dpsens_internal.states)
 *
 * in which (a) is a constant, as bytes, and parameters are the values of those that (a) has.  So neither the
 * server nor Citus sees a distributed table in the statement itself.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "agg/state/groups.h"
#include "agg/state/travel.h"
#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "guard/distributed/distributed_states.h"
#include "guard/query/correlated.h"
#include "guard/query/range_table.h"
#include "guard/query/sent_tree.h"

/* ---- what is read ---- */

bool
dps_reads_distributed(const Query *states)
{
	ListCell   *cell;

	if (!dps_citus_is_present())
		return false;
	foreach(cell, dps_named_relations(states))
	{
		if (dps_citus_kind(lfirst_oid(cell)) == DPS_CITUS_TABLE)
			return true;
	}
	return false;
}

static void
refuse(Oid table, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private answers about distributed table \"%s\" are not supported %s", get_rel_name(table), what),
			 errhint("%s", hint)));
}

/* The distributed table among the relations that the query names. */
static Oid
find_table(const List *relations)
{
	ListCell   *cell;

	foreach(cell, relations)
	{
		if (dps_citus_kind(lfirst_oid(cell)) == DPS_CITUS_TABLE)
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

typedef struct Shape
{
	int			relations;		/* entries that read stored rows */
	bool		is_plain;		/* relations and subqueries in FROM, and nothing else */
} Shape;

static bool
shape_walker(Node *node, Shape *shape)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		shape->is_plain = false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		shape->relations += dps_is_stored(entry);
		if ((entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY) || entry->tablesample != NULL)
			shape->is_plain = false;
		return false;
	}
	if (IsA(node, Query))
	{
		if (((Query *) node)->cteList != NIL)
			shape->is_plain = false;
		return query_tree_walker((Query *) node, shape_walker, shape, QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, shape_walker, shape);
}

/* The only aggregate of (a). */
static Aggref *
block_of(const Query *states)
{
	return castNode(Aggref, linitial_node(TargetEntry, states->targetList)->expr);
}

static const DpsGroupsPlan *
plan_of(const Aggref *block)
{
	return (const DpsGroupsPlan *) DatumGetPointer(castNode(Const, linitial_node(TargetEntry, block->args)->expr)->constvalue);
}

static bool
is_block_that_travels(const Query *states)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	const Aggref *block = block_of(states);

	return (block->aggfnoid == dps_internal_function("exact_groups", 1, argtypes) ||
			block->aggfnoid == dps_internal_function("exact_groups", 2, argtypes)) &&
		dps_groups_can_travel(plan_of(block));
}

/* The precondition. */
static void
check_states(Query *states, bool is_restricted, bool is_folded)
{
	Oid			table = find_table(dps_named_relations(states));
	Shape		shape = {.is_plain = true};

	if (is_restricted)
		refuse(table, "for a role without SELECT privilege", "Ask as a role that may read the table.");
	if (dps_is_correlated(states, NIL))
		refuse(table, "in a subquery that depends on a query around it", "Ask in a query of its own.");
	(void) shape_walker((Node *) states, &shape);
	if (!shape.is_plain)
		refuse(table, "with WITH queries, functions in FROM, samples or subqueries in conditions",
			   "Conditions on the table's own columns are supported, and subqueries in FROM.");
	if (shape.relations != 1)
		refuse(table, "together with other tables", "Ask about the table alone.");
	if (!is_folded || !is_block_that_travels(states))
		refuse(table, "for this statement", "Counts, sums, means and moments are supported, in total or by keys with few declared values, "
			   "where a row is a person and not one of several of hers.");
}

/* ---- (a) as SQL ---- */

/* What can be written as SQL: no FROM within FROM. */
static void
flatten_from(FromExpr *from)
{
	List	   *items = NIL;
	ListCell   *cell;

	foreach(cell, from->fromlist)
	{
		FromExpr   *inner = lfirst(cell);

		if (!IsA(inner, FromExpr))
		{
			items = lappend(items, inner);
			continue;
		}
		flatten_from(inner);
		items = list_concat(items, inner->fromlist);
		from->quals = make_and_qual(from->quals, inner->quals);
	}
	from->fromlist = items;
}

/* References have the names that the planner of Citus looks for. */
static bool
written_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		((Var *) node)->varnosyn = ((Var *) node)->varno;
		((Var *) node)->varattnosyn = ((Var *) node)->varattno;
		return false;
	}
	if (IsA(node, Query))
	{
		flatten_from(((Query *) node)->jointree);
		return query_tree_walker((Query *) node, written_walker, context, 0);
	}
	return expression_tree_walker(node, written_walker, context);
}

/* Citus adds up what shards yield by the aggregate of the same name over the result's type, so (a) is
 * written with the sum of rows. */
static void
write_as_sum(Query *states)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	Aggref	   *block = block_of(states);

	block->aggfnoid = dps_internal_function("sum", list_length(block->args) == 1 ? 1 : 2, argtypes);
	(void) written_walker((Node *) states, NULL);
}

/* ---- what stands for it ---- */

static bool
parameter_walker(Node *node, List **found)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
	{
		*found = list_append_unique(*found, node);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, parameter_walker, (void *) found, 0);
	return expression_tree_walker(node, parameter_walker, (void *) found);
}

static FuncExpr *
make_call(Query *states)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	List	   *parameters = NIL;
	StringInfoData sent;
	FuncExpr   *call;

	(void) parameter_walker((Node *) states, &parameters);
	initStringInfo(&sent);
	dps_put_tree(&sent, list_make2(states, parameters));
	call = makeFuncExpr(dps_internal_function("exact_distributed", parameters == NIL ? 1 : 2, argtypes), RECORDOID,
						lcons(makeConst(argtypes[0], -1, InvalidOid, -1,
										PointerGetDatum(cstring_to_text_with_len(sent.data, sent.len)), false, false), copyObject(parameters)),
						InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	call->funcretset = true;
	return call;
}

static RangeTblEntry *
make_entry(Query *states)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	List	   *names = list_make1(makeString(pstrdup(linitial_node(TargetEntry, states->targetList)->resname)));

	function->funcexpr = (Node *) make_call(states);
	function->funccolcount = 1;
	function->funccolnames = names;
	function->funccoltypes = list_make1_oid(dps_internal_type("states"));
	function->funccoltypmods = list_make1_int(-1);
	function->funccolcollations = list_make1_oid(InvalidOid);
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->eref = makeAlias("dpsens distributed states", copyObject(names));
	entry->inFromCl = true;
	return entry;
}

Query *
dps_distribute_states(Query *states, bool is_restricted, bool is_folded, ParamListInfo params)
{
	Query	   *query = makeNode(Query);

	check_states(states, is_restricted, is_folded);
	dps_require_cluster_key();
	write_as_sum(states);
	(void) dps_plan_distributed(copyObject(states), params);
	query->commandType = CMD_SELECT;
	query->rtable = list_make1(make_entry(states));
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	query->targetList = list_make1(makeTargetEntry((Expr *) makeVar(1, 1, dps_internal_type("states"), -1, InvalidOid, 0), 1,
												   pstrdup(linitial_node(TargetEntry, states->targetList)->resname), false));
	return query;
}

/* ---- plans that are kept ---- */

/* An entry that no node scans: the server locks it before it uses the plan again. */
static RangeTblEntry *
locked_entry(Oid relation)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);

	entry->rtekind = RTE_RELATION;
	entry->relid = relation;
	entry->relkind = get_rel_relkind(relation);
	entry->rellockmode = AccessShareLock;
	entry->eref = makeAlias("dpsens distributed table", NIL);
	return entry;
}

void
dps_depend_on_distributed(PlannedStmt *statement, const List *relations)
{
	ListCell   *cell;

	foreach(cell, relations)
		statement->rtable = lappend(statement->rtable, locked_entry(lfirst_oid(cell)));
	statement->relationOids = list_concat_unique_oid(statement->relationOids, relations);
}

/*
 * distributed_states.c
 *		Exact states of tables that Citus has distributed: the query that stands for (a).
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
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "agg/state/groups.h"
#include "agg/state/travel.h"
#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/linked_operators.h"
#include "glue/settings.h"
#include "guard/condition/sent_attempt.h"
#include "guard/distributed/distributed_places.h"
#include "guard/distributed/distributed_sql.h"
#include "guard/distributed/distributed_states.h"
#include "guard/distributed/lent_rights.h"
#include "guard/query/correlated.h"
#include "guard/query/range_table.h"
#include "guard/query/sent_tree.h"
#include "guard/query/session_values.h"
#include "guard/restrict/internals.h"
#include "guard/trace/row_owner.h"
#include "room/message.h"

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

/* The table that a message names: the counted one, or else one of Citus's among those that the query names. */
static Oid
find_table(Oid counted, const Query *query)
{
	ListCell   *cell;

	if (OidIsValid(counted) && dps_citus_kind(counted) == DPS_CITUS_TABLE)
		return counted;
	foreach(cell, dps_named_relations(query))
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
	int			groups;			/* subqueries that group or unite */
	int			depth;			/* of the query that is looked at; (a) is at 0 */
	bool		is_read_by_asker;	/* by the rights of the role that asks, which nodes ask for */
} Shape;

/* Nodes read the whole table as the role that asks, whoever owns a view of it here. */
static bool
reads_itself(Query *query, RangeTblEntry *entry)
{
	return (!OidIsValid(dps_entry_reader(query, entry)) || dps_entry_reader(query, entry) == GetUserId()) &&
		pg_class_aclcheck(entry->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

static void
note_entry(Query *query, RangeTblEntry *entry, Shape *shape)
{
	if ((entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY && entry->rtekind != RTE_JOIN && entry->rtekind != RTE_VALUES) ||
		entry->tablesample != NULL)
		shape->is_plain = false;
	if (!dps_is_stored(entry))
		return;
	shape->relations++;
	if (!reads_itself(query, entry))
		shape->is_read_by_asker = false;
}

/* Are its rows some of the table's, each by itself, groups of them, or those of its arms?  Otherwise Citus may compute it first, on
 * all nodes, and send its rows. */
static bool
is_plain_subquery(const Query *query)
{
	return (!query->hasAggs || query->groupClause != NIL) && query->groupingSets == NIL &&
		query->limitCount == NULL && query->limitOffset == NULL && query->havingQual == NULL;
}

static bool
shape_walker(Node *node, Shape *shape)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) && ((SubLink *) node)->subLinkType != EXISTS_SUBLINK)
		shape->is_plain = false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;
		ListCell   *cell;

		foreach(cell, query->rtable)
			note_entry(query, lfirst_node(RangeTblEntry, cell), shape);
		if (query->cteList != NIL || query->hasWindowFuncs || query->distinctClause != NIL ||
			(shape->depth > 0 && !is_plain_subquery(query)))
			shape->is_plain = false;
		shape->groups += shape->depth > 0 && (query->groupClause != NIL || query->setOperations != NULL);
		shape->depth++;
		(void) query_tree_walker(query, shape_walker, shape, 0);
		shape->depth--;
		return false;
	}
	return expression_tree_walker(node, shape_walker, shape);
}

/* ---- sums that travel ---- */

static Const *
plan_of(const Aggref *aggref)
{
	return castNode(Const, linitial_node(TargetEntry, aggref->args)->expr);
}

/* What is refused of the aggregate, which becomes one that travels: NULL if nothing. */
typedef enum Obstacle
{
	NO_OBSTACLE,
	UNIT_IS_SPREAD,
	PLAN_IS_LOCAL,
	CONDITION_IS_LOCAL
} Obstacle;

static void
use_sum(Aggref *aggref, const char *type)
{
	Oid			argtypes[2] = {dps_internal_type(type), ANYOID};

	plan_of(aggref)->consttype = linitial_oid(aggref->aggargtypes) = argtypes[0];
	aggref->aggfnoid = dps_internal_function("sum", list_length(aggref->args) == 1 ? 1 : 2, argtypes);
}

static Obstacle
make_block_travel(const DpsProtectedSource *source, const Query *states, Aggref *aggref, bool limits_units)
{
	const DpsGroupsPlan *plan = (const DpsGroupsPlan *) DatumGetPointer(plan_of(aggref)->constvalue);

	if (limits_units && (!dps_groups_limit_units(plan) || !dps_is_in_one_place(source, states, lsecond_node(TargetEntry, aggref->args)->expr)))
		return UNIT_IS_SPREAD;
	if (!dps_groups_can_travel(plan))
		return PLAN_IS_LOCAL;
	use_sum(aggref, "shard_plan");
	return NO_OBSTACLE;
}

static Obstacle
make_state_travel(Aggref *aggref, bool limits_units)
{
	if (limits_units)
		return UNIT_IS_SPREAD;
	if (!dps_summand_can_travel((const DpsSummandPlan *) DatumGetPointer(plan_of(aggref)->constvalue)))
		return PLAN_IS_LOCAL;
	use_sum(aggref, "summand");
	return NO_OBSTACLE;
}

/* The aggregates of (a) become such that Citus sends to shards as they are, and adds up by the aggregate of
 * the same name over the type of their result. */
static Obstacle
make_travel(const DpsProtectedSource *source, Query *states, bool limits_units)
{
	Oid			block = dps_internal_type("states");
	Oid			state = dps_internal_type("state");
	Obstacle	obstacle = NO_OBSTACLE;
	ListCell   *cell;

	foreach(cell, states->targetList)
	{
		Aggref	   *aggref = (Aggref *) lfirst_node(TargetEntry, cell)->expr;

		if (obstacle != NO_OBSTACLE || !IsA(aggref, Aggref))
			continue;
		if (aggref->aggtype == block)
			obstacle = make_block_travel(source, states, aggref, limits_units);
		else if (aggref->aggtype == state)
			obstacle = make_state_travel(aggref, limits_units);
	}
	dps_send_attempts(states);
	/* functions of ours that look something up here */
	if (obstacle == NO_OBSTACLE && dps_calls_internals(states))
		obstacle = CONDITION_IS_LOCAL;
	return obstacle;
}

/* One table, of whose rows each node counts its own. */
static void
check_one_table(const DpsProtectedSource *source, const Shape *shape, Oid table)
{
	if (!dps_citus_can_add_up(source->relation))
		dps_refuse_places(table, psprintf("together with \"%s\", which is not distributed", get_rel_name(source->relation)),
						  "Ask about a distributed table, or keep a copy of what is public on this server.");
	if (shape->relations != 1)
		dps_refuse_places(table, "together with other tables", "Ask about the table alone.");
	/* a proof that it is unique is of the shell on this server; Citus lets no other column be unique alone */
	dps_check_one_column(table, &source->annotation);
	if (dps_citus_is_spread(table) && dps_has_unit(&source->annotation) && !dps_is_unit_column(&source->annotation.unit, dps_citus_column(table)))
		dps_refuse_spread(table);
}

/* Which rows of an owner count is not decided by the sums themselves. */
static void
refuse_choice(const DpsProtectedSource *source, Oid table)
{
	if (list_length(source->parts) > 1)
		dps_refuse_places(table, "in a join with undeclared keys, medians and other choices, or a unit that may be NULL",
						  "Declare the values of keys, and the unit's column NOT NULL.");
	if (!dps_citus_is_spread(table))
		dps_refuse_places(table, "with undeclared keys, medians and other choices where a unit has several rows", "Declare the values of keys.");
	dps_refuse_spread(table);
}

/*
 * Would nodes look up by name what is not ours or the server's?  The server writes IS DISTINCT FROM, NULLIF and CASE of a
 * value without their operator, which nodes find by a search path that the role has a say in; and an operator that a
 * user has made may be another one there.
 */
static bool
named_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, named_walker, context, 0);
	if (IsA(node, DistinctExpr) || IsA(node, NullIfExpr) || (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg != NULL) ||
		dps_has_made_operator(node))
		return true;
	return expression_tree_walker(node, named_walker, context);
}

/* A role that may not read the table is answered by a clean room alone. */
static void
check_room(Oid table)
{
	if (dps_setting_clean_rooms == 0)
		dps_refuse_places(table, "for a role without SELECT privilege where there are no clean rooms", "An administrator can set dpsens.clean_rooms.");
}

/* Nodes have settings of their own, and the owner's connections to them do not take those of a session over. */
static void
check_settings(Query *states, Oid table)
{
	if (dps_rows_meet_session(states))
		dps_refuse_places(table, "with expressions of columns that depend on settings of the session",
						  "Nodes have settings of their own, as a time zone: compare a column with values of its own type.");
}

/* Checks the precondition, and makes the aggregates travel.  That rows have no accounts of their own has been seen: dps_row_caps()
 * raises an error for those of such a table. */
static void
prepare_states(Query *states, DpsProtectedSource *source)
{
	Oid			table = find_table(source->relation, states);
	Shape		shape = {.is_plain = true, .is_read_by_asker = true};

	if (source->is_restricted)
		check_room(table);
	(void) shape_walker((Node *) states, &shape);
	/* those that group or unite are parts, about which dps_check_places says where their rows are */
	if (shape.groups != dps_grouped_parts(source))
		shape.is_plain = false;
	if (!shape.is_read_by_asker && !source->is_restricted)
		dps_refuse_places(table, "by the rights of somebody else, or of some columns", "Nodes read the table as the role that asks: grant it SELECT on the table.");
	if (dps_is_correlated(states, NIL))
		dps_refuse_places(table, "in a subquery that depends on a query around it", "Ask in a query of its own.");
	if (!shape.is_plain && !dps_counts_rows(source))
		dps_refuse_places(table, "with WITH queries, functions or groups in FROM, samples or subqueries in conditions",
						  "Conditions on columns, EXISTS and IN of tables that are joined alike are supported, and subqueries in FROM.");
	if (source->parts != NIL)
		dps_check_places(source, table);
	else
		check_one_table(source, &shape, table);
	switch (make_travel(source, states, dps_counts_rows(source)))
	{
		case NO_OBSTACLE:
			break;
		case UNIT_IS_SPREAD:
			refuse_choice(source, table);
			break;
		case PLAN_IS_LOCAL:
			dps_refuse_places(table, "with types that are not the server's own, or with that many groups", "Use fewer groups, or cast the column to a type of the server.");
			break;
		case CONDITION_IS_LOCAL:
			dps_refuse_places(table, "with conditions or keys that this server alone can evaluate", "Compare columns with constants, without patterns and casts that fail for some values.");
			break;
	}
	if (!shape.is_plain)
		dps_refuse_places(table, "for this statement", "Conditions on the table's own columns are supported, and subqueries in FROM.");
	if (named_walker((Node *) states, NULL))
		dps_refuse_places(table, "with IS DISTINCT FROM, NULLIF, CASE of a value, or operators that are not the server's",
						  "Nodes look these up by name: compare by =, write CASE WHEN, and use operators of the server.");
	if (source->is_restricted)
		dps_check_lent(states);
	else
		check_settings(states, table);
}

/* ---- what stands for it ---- */

FuncExpr *
dps_make_distributed_call(Query *states)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	List	   *parameters = dps_add_parameters(NIL, states);
	StringInfoData sent;

	if (list_length(parameters) >= FUNC_MAX_ARGS)
		dps_refuse_places(find_table(InvalidOid, states), "with so many parameters", "Use fewer.");
	initStringInfo(&sent);
	dps_put(&sent, (uint32) {DPS_DISTRIBUTED_MAGIC});
	dps_put_tree(&sent, list_make2(states, parameters));
	return makeFuncExpr(dps_internal_function("exact_distributed", parameters == NIL ? 1 : 2, argtypes), RECORDOID,
						lcons(makeConst(argtypes[0], -1, InvalidOid, -1,
										PointerGetDatum(cstring_to_text_with_len(sent.data, sent.len)), false, false), copyObject(parameters)),
						InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

Query *
dps_distribute_states(Query *states, DpsProtectedSource *source)
{
	dps_drop_unread(states);
	prepare_states(states, source);
	dps_check_cluster_key();
	dps_make_writable(states);
	/* a room plans it for who may not read the table */
	if (!source->is_restricted)
		(void) dps_plan_distributed(states, source->params);
	return dps_read_call(dps_make_distributed_call(states), states, "dpsens distributed states");
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

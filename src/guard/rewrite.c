/*
 * rewrite.c
 *		The three-level query: exact states below, release in a materialized
 *		CTE, the user's query on top.
 *
 * For a level Q = SELECT tlist FROM t WHERE w GROUP BY k HAVING h ORDER BY o:
 *
 *	(a) states	 SELECT k, exact_state(summand, columns) FROM t WHERE w GROUP BY k
 *	(b) release	 SELECT keys.k, release(plan, (a).state, epsilon)
 *				 FROM (VALUES ...) keys LEFT JOIN (a) ON keys.k = (a).k
 *				 ORDER BY keys.ordinal
 *	(c) Q		 WITH release AS MATERIALIZED (b)
 *				 SELECT tlist' FROM release WHERE h' ORDER BY o'
 *
 * where an aggregate in tlist', h' and o' is a column of the CTE or a statistic
 * of one; several can be computed from the same.
 *
 * The draw happens in (b), once per row of a CTE that the executor evaluates
 * once, so a value that (c) uses twice is drawn once, and (a) may run in
 * parallel workers, be rescanned or spill without a draw.  Every declared key
 * is a row of (b), in the order of declaration: the order in which a join
 * happens to yield them would tell which groups are empty.  A group without
 * rows has a NULL state.
 *
 * Where a key is not declared, (b) reads those groups of (a) that are shown
 * (groups.c), in the order of their keys.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import.h"
#include "guard/analyst.h"
#include "guard/chain.h"
#include "guard/group_states.h"
#include "guard/grouping_sets.h"
#include "guard/groups.h"
#include "guard/individual.h"
#include "guard/join.h"
#include "guard/keys.h"
#include "guard/public_keys.h"
#include "guard/range.h"
#include "guard/rewrite.h"
#include "guard/unit_rows.h"

/* The level that is being rewritten. */
typedef struct Level
{
	DpsRewrite *rewrite;
	DpsProtectedSource	source;
	List	   *keys;			/* of DpsKey * */
	DpsGroups  *groups;			/* NULL: they are known beforehand */
	List	   *requests;		/* of DpsRequest *, distinct */
	List	   *releases;		/* of DpsReleasePlan *: what they are computed
								 * from */
	List	   *parameters;		/* of Expr *: parameters that rows are selected
								 * by, and calls that look at them, if whoever
								 * asks may not read the relation */
	List	   *checks;			/* of patterns, by calls */
	bool		is_folded;		/* all groups' states are one (group_states.h) */
} Level;

/* ---- looking for dp aggregates ---- */

static bool
dp_aggregate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && dps_dp_aggregate(((Aggref *) node)->aggfnoid) >= 0)
		return true;
	if (IsA(node, WindowFunc) && dps_dp_aggregate(((WindowFunc *) node)->winfnoid) >= 0)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, dp_aggregate_walker, context, 0);
	return expression_tree_walker(node, dp_aggregate_walker, context);
}

bool
dps_has_dp_aggregate(Query *query)
{
	return dp_aggregate_walker((Node *) query, NULL);
}

/* At this level only, not in what is below. */
static bool
own_aggregate_walker(Node *node, List **found)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
	{
		*found = lappend(*found, node);
		return false;
	}
	if (IsA(node, Query))
		return false;
	return expression_tree_walker(node, own_aggregate_walker, (void *) found);
}

static List *
own_aggregates(Query *query)
{
	List	   *found = NIL;

	(void) own_aggregate_walker((Node *) query->targetList, &found);
	(void) own_aggregate_walker(query->havingQual, &found);
	return found;
}

/* Where the first dp aggregate of the level stands in the text. */
static int
first_location(Query *query)
{
	ListCell   *cell;

	foreach(cell, own_aggregates(query))
	{
		Aggref	   *aggref = lfirst_node(Aggref, cell);

		if (dps_dp_aggregate(aggref->aggfnoid) >= 0 && aggref->location >= 0)
			return aggref->location;
	}
	return -1;
}

static bool
has_own_dp_aggregate(Query *query)
{
	ListCell   *cell;

	foreach(cell, own_aggregates(query))
	{
		if (dps_dp_aggregate(lfirst_node(Aggref, cell)->aggfnoid) >= 0)
			return true;
	}
	return false;
}

/* ---- refusals ---- */

static void
refuse_level(const Level *level, const char *what, const char *hint, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported together with dp aggregates", what),
			 hint == NULL ? 0 : errhint("%s", hint),
			 errposition(dps_query_position(&level->source, location >= 0 ? location : level->source.location))));
}

static bool
is_internal(Oid function, void *found)
{
	char	   *name;

	if (function < FirstNormalObjectId || get_func_namespace(function) != dps_schema_oid())
		return false;
	name = get_func_name(function);
	if (name == NULL || (strncmp(name, "release_", 8) != 0 && strncmp(name, "exact_", 6) != 0 &&
						 strncmp(name, "finish_", 7) != 0))
		return false;
	*(char **) found = name;
	return true;
}

/* Operators and casts of somebody's own can stand for them, too. */
static bool
internals_walker(Node *node, const char *source_text)
{
	char	   *name = NULL;

	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_internal, (void *) &name))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function dpsens.%s cannot be called directly", name),
				 errhint("Use the dp_* aggregates."),
				 errposition(dps_text_position(source_text, exprLocation(node)))));
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, internals_walker, (void *) source_text, 0);
	return expression_tree_walker(node, internals_walker, (void *) source_text);
}

void
dps_refuse_internals(Query *query, const char *source_text)
{
	(void) internals_walker((Node *) query, source_text);
}

/* Does anything in the query refer to a query further out? */
typedef struct OuterContext
{
	int			depth;
	List	   *ancestors;		/* of Query *: those around the one that is looked
								 * at, the innermost first */
} OuterContext;

static bool is_correlated(Query *query, List *ancestors);

/* A WITH query further out is computed once, unless it refers to one that is
 * still further out. */
static bool
is_correlated_entry(const RangeTblEntry *entry, const OuterContext *context)
{
	int			up = (int) entry->ctelevelsup - context->depth - 1;
	List	   *ancestors;
	ListCell   *cell;

	if (entry->rtekind != RTE_CTE || up < 0)
		return false;
	if (up >= list_length(context->ancestors))
		return true;
	ancestors = list_copy_tail(context->ancestors, up);
	foreach(cell, linitial_node(Query, ancestors)->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (strcmp(cte->ctename, entry->ctename) == 0)
			return entry->self_reference || is_correlated(castNode(Query, cte->ctequery), ancestors);
	}
	return true;
}

static bool
outer_reference_walker(Node *node, OuterContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return (int) ((Var *) node)->varlevelsup > context->depth;
	if (IsA(node, Aggref) && (int) ((Aggref *) node)->agglevelsup > context->depth)
		return true;
	if (IsA(node, RangeTblEntry))
		return is_correlated_entry((RangeTblEntry *) node, context);
	if (IsA(node, Query))
	{
		OuterContext inner = {context->depth + 1, context->ancestors};

		return query_tree_walker((Query *) node, outer_reference_walker, &inner, QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, outer_reference_walker, context);
}

static bool
is_correlated(Query *query, List *ancestors)
{
	OuterContext context = {0, ancestors};

	check_stack_depth();
	return query_tree_walker(query, outer_reference_walker, &context, QTW_EXAMINE_RTES_BEFORE);
}

static void
check_level(Level *level, Query *query)
{
	if (query->commandType != CMD_SELECT)
		refuse_level(level, "UPDATE, DELETE and MERGE are", NULL, -1);
	if (query->rowMarks != NIL)
		refuse_level(level, "FOR UPDATE and FOR SHARE are", NULL, -1);
	if (query->hasRecursive)
		refuse_level(level, "WITH RECURSIVE is", NULL, -1);
	if (is_correlated(query, list_copy_tail(level->source.enclosing, 1)))
		refuse_level(level, "references to an outer query are",
					 "Each outer row would need a draw of its own; join the answers instead.", -1);
}

/* ---- the aggregates ---- */

static bool
same_aggregate(Aggref *a, Aggref *b)
{
	return a->aggfnoid == b->aggfnoid && equal(a->args, b->args) && equal(a->aggfilter, b->aggfilter) &&
		(a->aggdistinct == NIL) == (b->aggdistinct == NIL);
}

static DpsRequest *
find_request(const Level *level, Aggref *aggref)
{
	ListCell   *cell;

	foreach(cell, level->requests)
	{
		if (same_aggregate(((DpsRequest *) lfirst(cell))->aggref, aggref))
			return lfirst(cell);
	}
	return NULL;
}

static void
collect_requests(Level *level, Query *query)
{
	ListCell   *cell;

	foreach(cell, own_aggregates(query))
	{
		Aggref	   *aggref = lfirst_node(Aggref, cell);

		if (dps_dp_aggregate(aggref->aggfnoid) < 0)
			refuse_level(level, psprintf("aggregate function %s is", get_func_name(aggref->aggfnoid)),
						 "Exact aggregates of a protected relation belong in a query of their own.",
						 aggref->location);
		if (aggref->agglevelsup == 0 && find_request(level, aggref) != NULL)
			continue;
		level->requests = lappend(level->requests, dps_read_request(&level->source, aggref));
	}
}

static void
plan_request(Level *level, DpsRequest *request)
{
	ListCell   *cell;
	DpsReleasePlan *plan;

	foreach(cell, level->releases)
	{
		if (dps_share_release(request, lfirst(cell)))
			return;
	}
	plan = dps_plan_release(&level->source, request, dps_any_key_is_private(level->keys),
							level->groups != NULL && level->groups->has_rest);
	plan->release->reads_keys = dps_any_key_is_read(level->keys);
	if (level->groups == NULL)
		plan->release->rows = dps_key_combinations(level->keys);
	else
	{
		/* others are granted for each group that is shown */
		plan->release->rows = level->groups->has_rest ? 1 : 0;
		plan->release->selection = level->groups->plan->release->selection;
	}
	level->releases = lappend(level->releases, plan);
	request->release = plan;
	if (request->statistic >= 0 && !dps_share_release(request, plan))
		elog(ERROR, "a release does not have the values that it is made for");
}

/* What the history says of a release. */
static void
describe_release(const Level *level, DpsReleasePlan *plan)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, level->requests)
	{
		const DpsRequest *request = lfirst(cell);

		if (request->release == plan)
			appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", dps_request_text(request));
	}
	dps_describe_release(plan, text.data);
}

/* Tells a release what it is for, unless that includes an interval. */
static void
focus_release(const Level *level, DpsReleasePlan *plan)
{
	List	   *finishes = NIL;
	ListCell   *cell;

	if (plan->aggregate->focus == NULL)
		return;
	foreach(cell, level->requests)
	{
		const DpsRequest *request = lfirst(cell);

		if (request->release != plan)
			continue;
		if (request->interval)
			return;
		finishes = lappend(finishes, request->finish);
	}
	plan->aggregate->focus(plan->release, finishes);
}

/* The broadest requests first, since others can be computed from their
 * releases. */
static void
plan_requests(Level *level)
{
	int			breadth = 0;
	ListCell   *cell;

	foreach(cell, level->requests)
		breadth = Max(breadth, dps_request_breadth(lfirst(cell)));
	for (; breadth >= 0; breadth--)
	{
		foreach(cell, level->requests)
		{
			if (dps_request_breadth(lfirst(cell)) == breadth)
				plan_request(level, lfirst(cell));
		}
	}
	foreach(cell, level->releases)
	{
		focus_release(level, lfirst(cell));
		describe_release(level, lfirst(cell));
	}
}

/* ---- (a): exact states ---- */

static Const *
plan_constant(const void *bytes)
{
	return makeConst(dps_internal_type("plan"), -1, InvalidOid, -1, PointerGetDatum(bytes), false, false);
}

static Expr *
state_aggregate(Level *level, const DpsReleasePlan *plan, const List *filters)
{
	Aggref	   *aggref = makeNode(Aggref);
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	List	   *arguments = lcons(plan_constant(plan->summand), list_copy(plan->columns));
	const char *name = "exact_state";
	ListCell   *cell;
	int			resno = 1;

	if (plan->release->points > 0)
		name = "exact_tally";
	else if (plan->release->nsums > 1)
		name = "exact_vector";
	aggref->aggfnoid = dps_internal_function(name, plan->columns == NIL ? 1 : 2, argtypes);
	aggref->aggtype = dps_internal_type("state");
	foreach(cell, arguments)
	{
		Expr	   *argument = copyObject(lfirst(cell));

		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) argument));
		aggref->args = lappend(aggref->args, makeTargetEntry(argument, resno++, NULL, false));
	}
	aggref->aggfilter = (Expr *) dps_states_expression(&level->source, (Node *) plan->aggref->aggfilter);
	foreach(cell, filters)
		aggref->aggfilter = (Expr *) make_and_qual((Node *) aggref->aggfilter, copyObject(lfirst(cell)));
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = -1;
	return (Expr *) aggref;
}

/* The number of rows of a group. */
static Expr *
group_size(void)
{
	Aggref	   *aggref = makeNode(Aggref);

	aggref->aggfnoid = F_COUNT_;
	aggref->aggtype = INT8OID;
	aggref->aggstar = true;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = -1;
	return (Expr *) aggref;
}

/* Keys first, then one state per release, then, of groups that are not known,
 * their sizes; a row that is left out reaches none of them. */
static Query *
build_states(Level *level, Query *query)
{
	const DpsReleasePlan *first = linitial(level->releases);
	/* before the copy: subqueries may get another column for it */
	Node	   *included = level->source.is_individual ?
		dps_individual_condition(&level->source, (Node *) plan_constant(first->summand)) : NULL;
	Var		   *unit = level->source.limits_unit ?
		dps_expose_unit(&level->source) : NULL;
	List	   *filters = level->groups != NULL ? level->groups->filters : NIL;
	Query	   *states = level->source.parts != NIL ? dps_join_query(&level->source, &level->checks) : copyObject(query);
	List	   *target = NIL;
	List	   *group = NIL;
	ListCell   *cell;
	int			resno = 1;

	/* nor may it decide which groups there are */
	if (included != NULL && level->groups != NULL && level->groups->is_public)
	{
		filters = lappend(list_copy(filters), included);
		included = NULL;
	}
	foreach(cell, level->keys)
	{
		DpsKey		   *key = lfirst(cell);
		TargetEntry *entry = makeTargetEntry((Expr *) dps_states_expression(&level->source, key->canonical), resno,
											 psprintf("key %d", resno), false);
		SortGroupClause *clause = copyObject(key->clause);

		entry->ressortgroupref = clause->tleSortGroupRef = resno++;
		target = lappend(target, entry);
		group = lappend(group, clause);
	}
	foreach(cell, level->releases)
	{
		target = lappend(target, makeTargetEntry(state_aggregate(level, lfirst(cell), filters), resno,
												 psprintf("state %d", resno), false));
		resno++;
	}
	if (level->groups != NULL)
		target = lappend(target, makeTargetEntry(group_size(), resno, "size", false));
	states->jointree->quals = make_and_qual(states->jointree->quals, included);
	states->targetList = target;
	states->groupClause = group;
	states->havingQual = NULL;
	states->sortClause = NIL;
	states->distinctClause = NIL;
	states->hasDistinctOn = false;
	states->limitCount = NULL;
	states->limitOffset = NULL;
	states->windowClause = NIL;
	states->hasWindowFuncs = false;
	states->hasTargetSRFs = false;
	states->hasAggs = true;
	states->canSetTag = false;
	level->is_folded = level->groups == NULL &&
		dps_fold_groups(&level->source, states, level->keys, level->releases, unit);
	if (unit == NULL || level->is_folded)
		return states;
	states = dps_limit_unit_rows(&level->source, states, unit, level->groups != NULL);
	level->is_folded = level->groups == NULL &&
		dps_fold_groups(&level->source, states, level->keys, level->releases, NULL);
	return states;
}

/* ---- (b): release ---- */

/* keys.k = states.k; a NULL key of the data meets no declared key */
static Node *
key_equality(const DpsKey *key, int position, int states_index)
{
	return (Node *) make_opclause(key->clause->eqop, BOOLOID, false,
								  (Expr *) dps_key_var(key, position),
								  (Expr *) makeVar(states_index, position, key->type, key->typmod, key->collation, 0),
								  InvalidOid, key->collation);
}

/*
 * An entry for a join, with the columns of both sides; nothing refers to them,
 * but the planner expects them there.
 */
static RangeTblEntry *
join_entry(JoinType type, List *aliases, int left_columns)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	List	   *names = NIL;
	int			i;

	entry->rtekind = RTE_JOIN;
	entry->jointype = type;
	entry->joinaliasvars = aliases;
	for (i = 1; i <= list_length(aliases); i++)
	{
		names = lappend(names, makeString(psprintf("column %d", i)));
		if (i <= left_columns)
			entry->joinleftcols = lappend_int(entry->joinleftcols, i);
		else
			entry->joinrightcols = lappend_int(entry->joinrightcols, i - left_columns);
	}
	entry->eref = makeAlias("unnamed_join", names);
	entry->inFromCl = true;
	return entry;
}

static Node *
add_join(Query *query, JoinType type, Node *left, Node *right, Node *quals, List *aliases, int left_columns)
{
	JoinExpr   *join = makeNode(JoinExpr);

	query->rtable = lappend(query->rtable, join_entry(type, aliases, left_columns));
	join->jointype = type;
	join->larg = left;
	join->rarg = right;
	join->quals = quals;
	join->rtindex = list_length(query->rtable);
	return (Node *) join;
}

/* The FROM of (b) when there are keys: their product, left-joined to (a). */
static Node *
join_keys(const Level *level, Query *query, Query *states)
{
	int			nkeys = list_length(level->keys);
	int			states_index = nkeys + 1;
	Node	   *from = dps_range_ref(1);
	Node	   *quals = NULL;
	List	   *aliases = NIL;
	ListCell   *cell;
	int			i;

	for (i = 1; i <= nkeys; i++)
	{
		DpsKey		   *key = list_nth(level->keys, i - 1);
		int			before = list_length(aliases);

		aliases = lappend(aliases, dps_key_var(key, i));
		aliases = lappend(aliases, dps_key_ordinal(i));
		if (i > 1)
			from = add_join(query, JOIN_INNER, from, dps_range_ref(i), NULL, copyObject(aliases), before);
		quals = make_and_qual(quals, key_equality(key, i, states_index));
	}
	i = list_length(aliases);
	foreach(cell, states->targetList)
		aliases = lappend(aliases, makeVarFromTargetEntry(states_index, lfirst_node(TargetEntry, cell)));
	return add_join(query, JOIN_LEFT, from, dps_range_ref(states_index), quals, aliases, i);
}

/*
 * The third argument of release(): the user's epsilon, or NULL for the
 * setting.  A parameter that turns out NULL must not look like the setting.
 */
static Expr *
epsilon_argument(const DpsReleasePlan *plan)
{
	CoalesceExpr *coalesce;

	if (plan->epsilon == NULL)
		return (Expr *) makeNullConst(FLOAT8OID, -1, InvalidOid);
	if (IsA(plan->epsilon, Const))
		return copyObject(plan->epsilon);
	coalesce = makeNode(CoalesceExpr);
	coalesce->coalescetype = FLOAT8OID;
	coalesce->args = list_make2(copyObject(plan->epsilon),
								makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
										  Float8GetDatum(get_float8_nan()), false, FLOAT8PASSBYVAL));
	coalesce->location = -1;
	return (Expr *) coalesce;
}

static Expr *
release_call(const DpsReleasePlan *plan, Expr *state)
{
	List	   *arguments = list_make3(plan_constant(plan->release), state, epsilon_argument(plan));
	bool		is_answer = plan->aggregate->release_function == NULL;

	if (dps_release_takes_keys(plan->aggregate))
		arguments = lappend(arguments, dps_key_array(plan->declared));
	return (Expr *) makeFuncExpr(dps_release_function(plan->aggregate),
								 is_answer ? dps_internal_type("answer") : plan->aggref->aggtype, arguments,
								 is_answer ? InvalidOid : plan->aggref->aggcollid, InvalidOid, COERCE_EXPLICIT_CALL);
}

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

/*
 * A column that a parameter is found in.  Were it the parameter itself, the
 * planner could compute it below a sort and put a reference to that in the place
 * of equal parameters above, such as an epsilon, which are needed before there
 * are rows.  Volatile calls are computed at the top.
 */
static Expr *
parameter_column(Expr *parameter)
{
	Oid			argtypes[1] = {ANYOID};

	if (!IsA(parameter, Param))
		return copyObject(parameter);
	return (Expr *) makeFuncExpr(dps_internal_function("exact_parameter", 1, argtypes), BOOLOID,
								 list_make1(copyObject(parameter)), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The FROM of (b) when groups are declared. */
static Node *
declared_groups(const Level *level, Query *query, Query *states)
{
	ListCell   *cell;

	foreach(cell, level->keys)
		query->rtable = lappend(query->rtable, dps_key_values(lfirst(cell)));
	query->rtable = lappend(query->rtable, dps_subquery_entry(states, "dpsens states"));
	return level->keys == NIL ? dps_range_ref(1) : join_keys(level, query, states);
}

/* The number of the target entry, of the groups that are shown, after those of
 * keys and states. */
static int
last_of_states(const Level *level)
{
	return list_length(level->keys) + list_length(level->releases) + 1;
}

/* The entries of (b) and how they are joined. */
static FromExpr *
release_from(const Level *level, Query *query, Query *states)
{
	if (level->is_folded)
	{
		query->rtable = list_make1(dps_groups_entry(states, level->keys));
		return makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	}
	if (level->groups != NULL)
	{
		query->rtable = list_make1(dps_subquery_entry(states, "dpsens groups"));
		return makeFromExpr(list_make1(dps_range_ref(1)), dps_is_shown(level->groups, last_of_states(level)));
	}
	return makeFromExpr(list_make1(declared_groups(level, query, states)), NULL);
}

static Expr *
release_key(const Level *level, const Query *states, int number)
{
	if (level->is_folded)
		return dps_group_key(level->keys, number);
	if (level->groups != NULL)
		return (Expr *) makeVarFromTargetEntry(1, list_nth_node(TargetEntry, states->targetList, number));
	return (Expr *) dps_key_var(list_nth(level->keys, number), number + 1);
}

static Expr *
release_state(const Level *level, const Query *query, int number)
{
	int			nkeys = list_length(level->keys);
	Var		   *state;

	if (level->is_folded)
		return dps_group_state(level->keys, number);
	state = makeVar(level->groups != NULL ? 1 : nkeys + 1, nkeys + number + 1, dps_internal_type("state"), -1, InvalidOid, 0);
	if (nkeys > 0 && level->groups == NULL)
		dps_var_nulled_by(state, list_length(query->rtable));
	return (Expr *) state;
}

static void
add_release_target(Query *query, Expr *expression, const char *name)
{
	int			resno = list_length(query->targetList) + 1;

	query->targetList = lappend(query->targetList,
								makeTargetEntry(expression, resno, psprintf("%s %d", name, resno), false));
}

static void
order_groups(const Level *level, Query *query)
{
	if (level->groups != NULL)
		dps_order_groups(query, list_length(level->keys), last_of_states(level));
	else if (!level->is_folded)
		dps_order_by_declaration(query, list_length(level->keys));
}

static Query *
build_release(const Level *level, Query *states)
{
	Query	   *query = makeNode(Query);
	ListCell   *cell;
	int			i;

	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->jointree = release_from(level, query, states);
	for (i = 0; i < list_length(level->keys); i++)
		add_release_target(query, release_key(level, states, i), "key");
	for (i = 0; i < list_length(level->releases); i++)
		add_release_target(query, release_call(list_nth(level->releases, i), release_state(level, query, i)), "release");
	if (level->groups != NULL && level->groups->has_rest)
		query->targetList = lappend(query->targetList,
									makeTargetEntry((Expr *) dps_is_rest(last_of_states(level)),
													list_length(query->targetList) + 1, "suppressed", false));
	/* where they are found before anything is read, since one without a value
	 * of its type would fail at the first row that needs it */
	foreach(cell, level->parameters)
		add_release_target(query, (Expr *) parameter_column(lfirst(cell)), "parameter");
	order_groups(level, query);
	return query;
}

/* ---- (c): the user's query ---- */

static Expr *
level_argument(const DpsRequest *request)
{
	if (request->level != NULL)
		return copyObject(request->level);
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(DPS_DEFAULT_LEVEL), false,
							  FLOAT8PASSBYVAL);
}

/* The statistic of an answer, or its interval. */
static Expr *
finish_call(const DpsRequest *request, Var *answer)
{
	const DpsStatistic *statistic = &dps_statistics[request->statistic];
	Oid			plan_type = dps_internal_type("plan");
	Oid			argtypes[5] = {plan_type, plan_type, dps_internal_type("answer"), FLOAT8OID, ANYARRAYOID};
	List	   *arguments = list_make3(plan_constant(request->release->release), plan_constant(request->finish), answer);
	const char *name = statistic->finish_function;

	if (request->interval)
		arguments = lappend(arguments, level_argument(request));
	if (statistic->result_type == ANYARRAYOID)
		arguments = lappend(arguments, dps_key_array(request->release->declared));
	else if (request->interval)
	{
		name = type_is_array(statistic->result_type) ? "finish_intervals" :
			statistic->result_type == BOOLOID ? "finish_truth" : "finish_interval";
	}
	return (Expr *) makeFuncExpr(dps_internal_function(name, list_length(arguments), argtypes),
								 request->aggref->aggtype, arguments, request->aggref->aggcollid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The column of the CTE that holds the release, and what is made of it. */
static Expr *
request_result(const Level *level, const DpsRequest *request)
{
	int			column = list_length(level->keys) + 1;
	ListCell   *cell;
	Oid			type = request->statistic >= 0 ? dps_internal_type("answer") : request->aggref->aggtype;
	Var		   *var;

	foreach(cell, level->releases)
	{
		if (lfirst(cell) == request->release)
			break;
		column++;
	}
	var = makeVar(1, column, type, -1, request->statistic >= 0 ? InvalidOid : request->aggref->aggcollid, 0);
	return request->statistic >= 0 ? finish_call(request, var) : (Expr *) var;
}

/* Keys and aggregates become columns of the CTE. */
static Node *
outer_mutator(Node *node, Level *level)
{
	int			i;

	if (node == NULL)
		return NULL;
	for (i = 0; i < list_length(level->keys); i++)
	{
		DpsKey		   *key = list_nth(level->keys, i);

		if (equal(node, key->expression))
			return (Node *) makeVar(1, i + 1, key->type, key->typmod, key->collation, 0);
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
		return (Node *) request_result(level, find_request(level, (Aggref *) node));
	if (dps_is_suppressed_call(node))
		return level->groups != NULL && level->groups->has_rest ?
			(Node *) makeVar(1, list_length(level->keys) + list_length(level->releases) + 1, BOOLOID, -1, InvalidOid, 0) :
			makeBoolConst(false, false);
	/* there is one set */
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == 0)
		return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		refuse_level(level, "a column outside of GROUP BY and the aggregates is", NULL, ((Var *) node)->location);
	return expression_tree_mutator(node, outer_mutator, (void *) level);
}

/* A subquery beside the aggregates that refers to the level's columns. */
static bool
refers_to_level_walker(Node *node, int *depth)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return *depth > 0 && (int) ((Var *) node)->varlevelsup == *depth;
	if (IsA(node, Query))
	{
		int			inner = *depth + 1;
		ListCell   *cell;

		foreach(cell, ((Query *) node)->rtable)
		{
			RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

			if (entry->rtekind == RTE_CTE && (int) entry->ctelevelsup == inner)
				return true;
		}
		return query_tree_walker((Query *) node, refers_to_level_walker, &inner, 0);
	}
	return expression_tree_walker(node, refers_to_level_walker, depth);
}

static CommonTableExpr *
release_cte(Query *release)
{
	CommonTableExpr *cte = makeNode(CommonTableExpr);
	ListCell   *cell;

	cte->ctename = pstrdup(DPS_RELEASE_CTE);
	cte->ctematerialized = CTEMaterializeAlways;
	cte->ctequery = (Node *) release;
	cte->cterefcount = 1;
	cte->location = -1;
	foreach(cell, release->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk)
			continue;
		cte->ctecolnames = lappend(cte->ctecolnames, makeString(pstrdup(entry->resname)));
		cte->ctecoltypes = lappend_oid(cte->ctecoltypes, exprType((Node *) entry->expr));
		cte->ctecoltypmods = lappend_int(cte->ctecoltypmods, exprTypmod((Node *) entry->expr));
		cte->ctecolcollations = lappend_oid(cte->ctecolcollations, exprCollation((Node *) entry->expr));
	}
	return cte;
}

static RangeTblEntry *
cte_entry(const CommonTableExpr *cte)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);

	entry->rtekind = RTE_CTE;
	entry->ctename = pstrdup(cte->ctename);
	entry->coltypes = list_copy(cte->ctecoltypes);
	entry->coltypmods = list_copy(cte->ctecoltypmods);
	entry->colcollations = list_copy(cte->ctecolcollations);
	entry->eref = makeAlias(cte->ctename, copyObject(cte->ctecolnames));
	entry->inFromCl = true;
	return entry;
}

/* Makes the level read the CTE instead of the relation. */
static void
put_on_top(Level *level, Query *query, Query *release)
{
	CommonTableExpr *cte = release_cte(release);
	int			depth = 0;

	if (refers_to_level_walker((Node *) query->targetList, &depth) ||
		refers_to_level_walker(query->havingQual, &depth) ||
		refers_to_level_walker(query->limitCount, &depth) ||
		refers_to_level_walker(query->limitOffset, &depth) ||
		refers_to_level_walker((Node *) query->windowClause, &depth))
		refuse_level(level, "a subquery that refers to the level of the aggregates is", NULL, -1);
	query->targetList = (List *) outer_mutator((Node *) query->targetList, level);
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), outer_mutator(query->havingQual, level));
	query->limitCount = outer_mutator(query->limitCount, level);
	query->rtable = list_make1(cte_entry(cte));
	dps_clear_permission_list(query);
	query->cteList = list_make1(cte);
	query->groupClause = NIL;
	query->groupDistinct = false;
	query->havingQual = NULL;
	query->hasAggs = false;
	query->hasModifyingCTE = false;
}

/* ---- the statement ---- */

/* What the exact states are computed from beside columns is evaluated on every
 * row. */
static void
check_arguments(const Level *level)
{
	ListCell   *cell;
	ListCell   *argument;

	foreach(cell, level->releases)
	{
		foreach(argument, ((DpsReleasePlan *) lfirst(cell))->columns)
			dps_check_total(&level->source, lfirst(argument));
	}
}

static void
mark_releases(const Level *level)
{
	ListCell   *cell;

	foreach(cell, level->releases)
		dps_mark_release(((DpsReleasePlan *) lfirst(cell))->release, level->source.is_restricted);
	if (level->groups != NULL)
		dps_mark_release(level->groups->plan->release, level->source.is_restricted);
}

static bool
any_incomplete(const Level *level)
{
	ListCell   *cell;

	foreach(cell, level->releases)
	{
		if (((DpsReleasePlan *) lfirst(cell))->release->incomplete)
			return true;
	}
	return false;
}

static void
note_set(Level *level, const char *set)
{
	ListCell   *cell;

	foreach(cell, level->requests)
		((DpsRequest *) lfirst(cell))->set = set;
}

static void
rewrite_level(Query *query, DpsRewrite *rewrite)
{
	Level		level = {0};
	Query	   *states;

	level.source.query = query;
	level.source.enclosing = rewrite->enclosing;
	level.source.source_text = rewrite->source_text;
	level.source.params = rewrite->params;
	level.source.is_analysis = rewrite->is_analysis;
	level.source.location = first_location(query);
	check_level(&level, query);
	dps_trace_source(&level.source);
	level.keys = dps_collect_keys(&level.source, query);
	if (dps_any_key_is_undeclared(level.keys))
		level.groups = dps_plan_groups(&level.source, level.keys, dps_asks_for_rest(query),
									   list_length(rewrite->selections) + 1);
	collect_requests(&level, query);
	plan_requests(&level);
	mark_releases(&level);
	rewrite->is_incomplete |= any_incomplete(&level);
	states = build_states(&level, query);
	level.checks = list_concat(level.checks, dps_harden_chain(states, level.source.is_restricted));
	if (level.source.is_restricted)
	{
		check_arguments(&level);
		dps_admit_source(states);
		(void) parameter_walker((Node *) states, &level.parameters);
		level.parameters = list_concat(level.parameters, level.checks);
		rewrite->is_restricted = true;
	}
	if (level.groups != NULL)
	{
		states = dps_shown_groups(level.groups, states, list_length(level.keys));
		rewrite->selections = lappend(rewrite->selections, level.groups->plan);
		rewrite->releases = lappend(rewrite->releases, level.groups->plan);
	}
	/* what it refers to further out is now two levels further away */
	IncrementVarSublevelsUp((Node *) states, 2, 1);
	put_on_top(&level, query, build_release(&level, states));
	if (list_length(rewrite->enclosing) > 1)
		note_set(&level, dps_grouping_set(lsecond_node(Query, rewrite->enclosing), query));
	rewrite->requests = list_concat(rewrite->requests, level.requests);
	rewrite->releases = list_concat(rewrite->releases, level.releases);
	rewrite->functions = list_concat_unique_oid(rewrite->functions, level.source.functions);
}

/* errposition() for a location in the statement. */
static int
statement_position(const DpsRewrite *rewrite, int location)
{
	return errposition(dps_text_position(rewrite->source_text, location));
}

static bool
rewrite_walker(Node *node, DpsRewrite *rewrite)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc) && dps_dp_aggregate(((WindowFunc *) node)->winfnoid) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates cannot be used as window functions"),
				 errhint("Compute the answers in a subquery and apply window functions to them."),
				 statement_position(rewrite, ((WindowFunc *) node)->location)));
	/* an answer that is read twice must be one draw */
	if (IsA(node, CommonTableExpr) && dp_aggregate_walker(((CommonTableExpr *) node)->ctequery, NULL))
	{
		if (((CommonTableExpr *) node)->cterecursive)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("dp aggregates are not supported in a recursive query")));
		((CommonTableExpr *) node)->ctematerialized = CTEMaterializeAlways;
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup > 0 &&
		dps_dp_aggregate(((Aggref *) node)->aggfnoid) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a dp aggregate cannot belong to an outer query"),
				 statement_position(rewrite, ((Aggref *) node)->location)));
	if (IsA(node, Query))
	{
		List	   *outer = rewrite->enclosing;

		rewrite->enclosing = lcons(node, list_copy(outer));
		if (((Query *) node)->groupingSets != NIL && has_own_dp_aggregate((Query *) node))
			dps_split_grouping_sets((Query *) node, own_aggregates((Query *) node), rewrite->source_text);
		(void) query_tree_walker((Query *) node, rewrite_walker, (void *) rewrite, 0);
		if (has_own_dp_aggregate((Query *) node))
			rewrite_level((Query *) node, rewrite);
		rewrite->enclosing = outer;
		return false;
	}
	return expression_tree_walker(node, rewrite_walker, (void *) rewrite);
}

/*
 * Whatever the executor may evaluate again for a row that another transaction
 * has changed must not stand beside a draw, at any level.
 */
static bool
check_statement_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, check_statement_walker, context);
	if (query->commandType != CMD_SELECT && query->commandType != CMD_INSERT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates are supported in SELECT, CREATE TABLE AS and INSERT ... SELECT only")));
	if (query->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("FOR UPDATE and FOR SHARE are not supported together with dp aggregates")));
	return query_tree_walker(query, check_statement_walker, context, 0);
}

void
dps_rewrite_statement(Query *query, DpsRewrite *rewrite)
{
	(void) check_statement_walker((Node *) query, NULL);
	(void) rewrite_walker((Node *) query, rewrite);
}

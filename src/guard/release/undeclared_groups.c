/*
 * undeclared_groups.c
 *		Groups whose keys are not declared, and which of them are shown.
 *
 * Such a key comes from the data, and a key that only one unit has would disclose the unit's value.  So a
 * draw on the number of its units decides whether a group is shown (agg/families/partition_selection.c),
 * and the query of exact states gets three levels on top:
 *
 *	union	 (a) UNION ALL (NULL, ...)		-- a row that is no group
 *	numbered SELECT *, row_number() OVER ()
 *	drawn	 SELECT *, release_group(plan, size, number)
 *
 * The number of groups and their order in the data must not be disclosed:
 *
 * - Groups that are shown are sorted by their keys.
 * - Everything up to the draws runs inside the materialized query (rewrite.c), with hash tables and sorts
 *	 that spill; only groups that are shown leave it.
 * - A second pass over the same groups would be a second draw, and is refused.  Each pass includes the row
 *	 that is no group, even if there are no groups, so whether a second pass is refused depends on the plan
 *	 alone.  Releases get one draw for each group that is shown (glue/receipt.h).
 * - Equal values can have different representations; keys are converted to one representation (key_form.h).
 *
 * Under replace, attribute and metric the keys of public columns are not secret, provided that no private
 * condition decides which of them occur.  So conditions that depend on private columns become FILTERs of
 * the exact states, wherever in the chain of subqueries they were, and every key of the rows that public
 * conditions select is a group, even if it is empty.  No group is drawn for these.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "agg/proof.h"
#include "glue/glue.h"
#include "glue/owner_hint.h"
#include "glue/compat.h"
#include "guard/condition/enum_cells.h"
#include "guard/query/made_nodes.h"
#include "guard/query/range_table.h"
#include "guard/release/undeclared_groups.h"
#include "guard/source/union_columns.h"
#include "guard/trace/expand.h"
#include "guard/trace/join.h"
#include "guard/source/group_size.h"
#include "guard/trace/unit_rows.h"

/* ---- the rest ---- */

bool
dps_is_suppressed_call(Node *node)
{
	FuncExpr   *call = (FuncExpr *) node;
	char	   *name;

	if (!IsA(node, FuncExpr) || call->funcid < FirstNormalObjectId || call->args != NIL || call->funcresulttype != BOOLOID)
		return false;
	name = get_func_name(call->funcid);
	return name != NULL && strcmp(name, "dp_suppressed") == 0 && dps_is_own_function(call->funcid);
}

static bool
rest_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (dps_is_suppressed_call(node))
		return true;
	return expression_tree_walker(node, rest_walker, context);
}

bool
dps_asks_for_rest(Query *query)
{
	return rest_walker((Node *) query->targetList, NULL) || rest_walker(query->havingQual, NULL);
}

/* ---- conditions that must not decide which groups there are ---- */

/* The condition with Vars of the level in place of columns of the relation. */
static Node *
expose_mutator(Node *node, DpsProtectedSource *source)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) dps_expose_column(source, ((Var *) node)->varattno);
	return expression_tree_mutator(node, expose_mutator, source);
}

/* Returns the public conditions, and appends the private ones to *filters. */
static List *
take_private(DpsProtectedSource *source, Query *level, List *conditions, List **filters)
{
	DpsProtectedSource below = *source;
	List	   *kept = NIL;
	ListCell   *cell;

	below.query = level;
	foreach(cell, conditions)
	{
		Node	   *expanded = dps_expand_expression(&below, lfirst(cell));

		if (checkExprHasSubLink(expanded))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a subquery in a condition is not supported together with GROUP BY of a public column"),
					 errdetail("It would decide which groups there are."),
					 dps_hint_owner(source->relation, "Declare the values of the column with dpsens.set_values()."),
					 errposition(dps_query_position(source, source->location))));
		if (dps_depends_on_private(source, expanded))
			*filters = lappend(*filters, expanded);
		else
			kept = lappend(kept, lfirst(cell));
	}
	return kept;
}

/* The conjuncts of a WHERE, which may already have been flattened to a list. */
static List *
conjuncts(Node *quals)
{
	List	   *result = NIL;
	ListCell   *cell;

	if (quals != NULL && IsA(quals, List))
	{
		foreach(cell, (List *) quals)
			result = list_concat(result, conjuncts(lfirst(cell)));
		return result;
	}
	return make_ands_implicit((Expr *) quals);
}

static List *
lift_private_conditions(DpsProtectedSource *source)
{
	Query	   *level = source->query;
	List	   *filters = NIL;
	ListCell   *cell;

	for (;;)
	{
		RangeTblEntry *entry = rt_fetch(linitial_node(RangeTblRef, level->jointree->fromlist)->rtindex, level->rtable);
		List	   *kept = take_private(source, level, conjuncts(level->jointree->quals), &filters);

		level->jointree->quals = kept == NIL ? NULL : (Node *) make_ands_explicit(kept);
		entry->securityQuals = take_private(source, level, conjuncts((Node *) entry->securityQuals), &filters);
		if (entry->rtekind == RTE_RELATION)
			break;
		level = entry->subquery;
	}
	foreach(cell, filters)
		lfirst(cell) = expose_mutator(lfirst(cell), source);
	return filters;
}

/* ---- planning ---- */

static bool
are_public(const DpsProtectedSource *source, const List *keys)
{
	/* with limits all rows of a unit decide which of them count */
	return source->annotation.adjacency != DPS_ADD_REMOVE && !source->limits_unit && !dps_any_key_is_private(keys);
}

/* "GROUP BY city, upper(name)" */
static char *
describe_keys(DpsProtectedSource *source, const List *keys)
{
	List	   *context = deparse_context_for(get_rel_name(source->relation), source->relation);
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, keys)
	{
		Node	   *expanded = dps_expand_expression(source, ((DpsKey *) lfirst(cell))->expression);

		if (source->parts != NIL)
		{
			appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "GROUP BY ",
							 IsA(expanded, Var) ? dps_var_name(source, (Var *) expanded, false) : "...");
			continue;
		}
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "GROUP BY ",
						 deparse_expression(expanded, context, false, false));
	}
	return text.data;
}

static void
set_facts(const DpsProtectedSource *source, const List *keys, bool is_public, DpsFacts *facts)
{
	facts->adjacency = dps_row_adjacency(source);
	facts->counts_rows = true;
	dps_unit_factors(source, facts);
	/* units are counted, each once in a group */
	facts->unit_l1 = facts->unit_l2 = 1;
	/* which the law of a selection has by itself */
	facts->group_size = dps_group_size(source);
	facts->key_is_private = !is_public && dps_any_key_is_private(keys);
	facts->selection_is_private |= source->selection_is_private || source->is_individual;
	if (is_public)
		facts->selection_is_private = false;
	/* a unit may leave as many groups as it enters */
	if (facts->adjacency != DPS_ADD_REMOVE)
		facts->unit_groups *= 2;
}

/* Refuses a selection under row accounting: a row's loss by it holds except with probability delta, but the
 * cap of a row is in epsilon or rho only. */
static void
refuse_accounts(const DpsProtectedSource *source, const DpsRelease *release)
{
	if (!source->is_individual || dps_release_is_public(release))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("groups of undeclared keys cannot be selected while rows of relation \"%s\" have accounts of their own",
					get_rel_name(source->relation)),
			 errdetail("A selection of groups costs delta, and the account of a row has none."),
			 dps_hint_owner(source->relation, "Declare the key's values with dpsens.set_values(), or switch row accounting off with dpsens.set_budget(), row_epsilon => 'Infinity'."),
			 errposition(dps_query_position(source, source->location))));
}

static DpsReleasePlan *
plan_selection(DpsProtectedSource *source, const List *keys, bool is_public, int number, DpsWeights *weights)
{
	DpsReleasePlan *plan = palloc0(sizeof(DpsReleasePlan));
	DpsRelease	release;
	DpsSummand	summand;
	const char *why = NULL;
	int			row = 0;

	while (dps_aggregates[row] != &dps_aggregate_selection)
		row++;
	plan->aggregate = &dps_aggregate_selection;
	plan->arms = dps_union_arms(source);
	set_facts(source, keys, is_public, &plan->facts);
	plan->facts.weights = weights;
	if (dps_aggregate_derive(row, &plan->facts, &release, &summand, &why) != DPS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("groups cannot be selected under adjacency %s: %s", dps_adjacency_name(plan->facts.adjacency), why),
				 dps_hint_owner(source->relation, "Group by public columns, declare the values of the column with dpsens.set_values(), or protect the table with another adjacency."),
				 errposition(dps_query_position(source, source->location))));
	refuse_accounts(source, &release);
	release.relation = source->relation;
	dps_note_join(source, &release);
	release.individual = source->is_individual;
	release.rows = 1;
	release.arms = plan->arms;
	release.selection = number;
	plan->release = dps_release_describe(&release, NULL, describe_keys(source, keys), NULL);
	return plan;
}

DpsGroups *
dps_plan_groups(DpsProtectedSource *source, const List *keys, bool has_rest, int number, DpsWeights *weights)
{
	DpsGroups  *groups = palloc0(sizeof(DpsGroups));

	/* private conditions of a join are not separated from the others, so its groups are selected, as if the
	 * keys were private */
	groups->is_public = source->parts == NIL && are_public(source, keys);
	groups->has_rest = has_rest && !groups->is_public;
	groups->plan = plan_selection(source, keys, groups->is_public, number, weights);
	if (groups->is_public)
		groups->filters = lift_private_conditions(source);
	return groups;
}

/* ---- the query ---- */

static Var *
column(const Query *below, int number)
{
	return makeVarFromTargetEntry(1, list_nth_node(TargetEntry, below->targetList, number - 1));
}

/* A query that reads another one and yields all of its columns. */
static Query *
level_above(Query *below, const char *name)
{
	Query	   *query = makeNode(Query);
	ListCell   *cell;

	/* its references to enclosing queries are now one level further */
	IncrementVarSublevelsUp((Node *) below, 1, 1);
	query->commandType = CMD_SELECT;
	query->rtable = list_make1(dps_subquery_entry(below, name));
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	foreach(cell, below->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		dps_add_target(query, (Expr *) makeVarFromTargetEntry(1, entry), entry->resname);
	}
	return query;
}

static Expr *
integer(int value)
{
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true);
}

/* A query of one row with these columns that is no group. */
static Query *
no_group(const Query *states)
{
	Query	   *query = makeNode(Query);
	ListCell   *cell;

	query->commandType = CMD_SELECT;
	query->jointree = makeFromExpr(NIL, NULL);
	foreach(cell, states->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Node	   *expression = (Node *) entry->expr;

		dps_add_target(query, (Expr *) makeNullConst(exprType(expression), exprTypmod(expression), exprCollation(expression)),
				   entry->resname);
	}
	dps_add_target(query, integer(0), "place");
	return query;
}

/* The groups and the row that is no group. */
static Query *
with_no_group(Query *states)
{
	Query	   *query = makeNode(Query);
	SetOperationStmt *both = makeNode(SetOperationStmt);
	Query	   *other = no_group(states);
	ListCell   *cell;

	dps_add_target(states, integer(1), "place");
	IncrementVarSublevelsUp((Node *) states, 1, 1);
	both->op = SETOP_UNION;
	both->all = true;
	both->larg = dps_range_ref(1);
	both->rarg = dps_range_ref(2);
	query->commandType = CMD_SELECT;
	query->rtable = list_make2(dps_subquery_entry(states, "dpsens groups"), dps_subquery_entry(other, "dpsens no group"));
	query->jointree = makeFromExpr(NIL, NULL);
	query->setOperations = (Node *) both;
	foreach(cell, states->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Var		   *var = makeVarFromTargetEntry(1, entry);

		both->colTypes = lappend_oid(both->colTypes, var->vartype);
		both->colTypmods = lappend_int(both->colTypmods, var->vartypmod);
		both->colCollations = lappend_oid(both->colCollations, var->varcollid);
		dps_add_target(query, (Expr *) var, entry->resname);
	}
	return query;
}

/* OVER () */
static WindowClause *
add_window(Query *query)
{
	WindowClause *window = makeNode(WindowClause);

	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = list_length(query->windowClause) + 1;
	query->windowClause = lappend(query->windowClause, window);
	query->hasWindowFuncs = true;
	return window;
}

static WindowFunc *
window_call(Oid function, Oid type, const WindowClause *window)
{
	WindowFunc *call = makeNode(WindowFunc);

	call->winfnoid = function;
	call->wintype = type;
	call->winref = window->winref;
	call->location = -1;
	return call;
}

static Query *
number_groups(Query *below)
{
	Query	   *query = level_above(below, "dpsens groups");

	dps_add_target(query, (Expr *) window_call(F_ROW_NUMBER, INT8OID, add_window(query)), "number");
	return query;
}

static Query *
draw_groups(const DpsGroups *groups, Query *below, int nstates)
{
	Query	   *query = level_above(below, "dpsens groups");
	Const	   *plan = makeConst(dps_internal_type("plan"), -1, InvalidOid, -1, PointerGetDatum(groups->plan->release),
								 false, false);
	List	   *arguments = list_make3(plan, column(below, nstates), column(below, DPS_GROUP_NUMBER(nstates)));

	dps_add_target(query, (Expr *) makeFuncExpr(dps_release_function(groups->plan->aggregate), BOOLOID, arguments,
											InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL), "shown");
	return query;
}

static Node *
is_no_group(Var *place)
{
	return (Node *) make_opclause(OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString("=")), INT4OID, INT4OID),
								  BOOLOID, false, (Expr *) place, integer(0), InvalidOid, InvalidOid);
}

/* CASE WHEN place = 0 THEN exact_merge(state) FILTER (WHERE shown IS NULL) OVER () ELSE state END */
static Expr *
merged_state(const Query *below, int number, int nstates, const WindowClause *window)
{
	Oid			type = dps_internal_type("state");
	WindowFunc *merged = window_call(dps_internal_function("exact_merge", 1, &type), type, window);
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	merged->winagg = true;
	merged->args = list_make1(column(below, number));
	merged->aggfilter = (Expr *) dps_null_test(column(below, DPS_GROUP_SHOWN(nstates)), IS_NULL);
	when->expr = (Expr *) is_no_group(column(below, DPS_GROUP_PLACE(nstates)));
	when->result = (Expr *) merged;
	when->location = -1;
	choice->casetype = type;
	choice->args = list_make1(when);
	choice->defresult = (Expr *) column(below, number);
	choice->location = -1;
	return (Expr *) choice;
}

static Query *
merge_rest(Query *below, int nkeys, int nstates)
{
	Query	   *query = level_above(below, "dpsens groups");
	WindowClause *window = add_window(query);
	int			i;

	for (i = nkeys + 1; i < nstates; i++)
		list_nth_node(TargetEntry, query->targetList, i - 1)->expr = merged_state(below, i, nstates, window);
	return query;
}

Query *
dps_shown_groups(const DpsGroups *groups, Query *states, int nkeys)
{
	int			nstates = list_length(states->targetList);
	Query	   *query = draw_groups(groups, number_groups(with_no_group(states)), nstates);

	return groups->has_rest ? merge_rest(query, nkeys, nstates) : query;
}

Node *
dps_is_shown(const DpsGroups *groups, int nstates)
{
	Node	   *shown = dps_null_test(makeVar(1, DPS_GROUP_SHOWN(nstates), BOOLOID, -1, InvalidOid, 0), IS_NOT_NULL);

	if (!groups->has_rest)
		return shown;
	return (Node *) make_orclause(list_make2(shown, is_no_group(makeVar(1, DPS_GROUP_PLACE(nstates), INT4OID, -1,
																		 InvalidOid, 0))));
}

Node *
dps_is_rest(int nstates)
{
	return is_no_group(makeVar(1, DPS_GROUP_PLACE(nstates), INT4OID, -1, InvalidOid, 0));
}

static SortGroupClause *
sort_by(Query *query, int number)
{
	TargetEntry *entry = list_nth_node(TargetEntry, query->targetList, number - 1);
	SortGroupClause *clause = makeNode(SortGroupClause);

	entry->ressortgroupref = clause->tleSortGroupRef = number;
	get_sort_group_operators(exprType((Node *) entry->expr), true, true, false,
							 &clause->sortop, &clause->eqop, NULL, &clause->hashable);
	return clause;
}

/* The number of the column to sort a key by; for an enum, a new column with the position of its label. */
static int
sorted_column(Query *query, int key)
{
	Node	   *expression = (Node *) list_nth_node(TargetEntry, query->targetList, key - 1)->expr;
	int			column = list_length(query->targetList) + 1;

	if (!dps_is_enum(exprType(expression)))
		return key;
	query->targetList = lappend(query->targetList, makeTargetEntry((Expr *) dps_label_place(copyObject(expression)), column, NULL, true));
	return column;
}

/* The rest has no keys, so it is placed last by its place. */
void
dps_order_groups(Query *query, int nkeys, int nstates)
{
	TargetEntry *place = makeTargetEntry((Expr *) makeVar(1, DPS_GROUP_PLACE(nstates), INT4OID, -1, InvalidOid, 0),
										 list_length(query->targetList) + 1, NULL, true);
	SortGroupClause *by_place;
	int			i;

	query->targetList = lappend(query->targetList, place);
	by_place = sort_by(query, place->resno);
	by_place->sortop = get_commutator(by_place->sortop);
	dps_sort_backward(by_place);
	query->sortClause = list_make1(by_place);
	for (i = 1; i <= nkeys; i++)
		query->sortClause = lappend(query->sortClause, sort_by(query, sorted_column(query, i)));
}

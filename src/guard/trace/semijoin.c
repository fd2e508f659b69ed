/*
 * semijoin.c
 *		EXISTS and IN in conditions of a level with joins.
 *
 * A row of the join counts if its conditions are true.  A condition may ask whether a subquery has rows.
 * The subquery reads public relations, or protected rows of the row's own unit:
 *
 *	SELECT dp_count(*) FROM orders o
 *	WHERE EXISTS (SELECT FROM lines l WHERE l."order" = o.id AND l.late)
 *
 * Claim.  Let one unit more or less be in any of the protected relations that the level or its subqueries
 * read, or in several at once.  Then the rows that begin or cease to count are rows of this unit.
 *
 * Proof.  Take the join of the level's parts with those of a subquery, by the conditions of both.  It is
 * checked as join_unit.c checks any join: in every row of it the protected parts belong to one unit.  So
 * for a row of the level, of unit u, the rows that the subquery finds have protected parts of u only, and
 * whether there are any is a function of the row, of u's rows and of public relations.  Only the existence
 * of rows is used, not their number.  By induction over AND, OR and NOT the whole condition is such a
 * function, too.  If the proof that the units are equal uses another condition of the level, then rows
 * that violate that condition do not count, whatever the subquery yields for them.
 *
 * The effect on sensitivities:
 *
 * - If all conditions of the level are true only if the subquery has rows, a unit that is missing from any
 *   of the relations has no rows that count.  So its rows appear or disappear together, as without the
 *   subquery.
 * - Under NOT, or in an OR, a unit that is missing from the subquery's relation only may have rows that
 *   count.  These may be others than before if only a limited number of them counts (unit_rows.c), so rows
 *   can begin to count while others cease to.  At most m count before and m after, so they are paired, one
 *   with one, as if they were replaced, and the noise is that under replace (swaps_rows).  Nothing of such
 *   a row is public.  A unit with a single row has the same row before and after.
 * - Under replace, rows of a unit in one relation may become another unit's.  If the subquery must have
 *   rows, the one unit has no rows that count afterwards, and the other had none before.  Under NOT, or in
 *   an OR, both units may have rows that count before and after, which is a change of two units, and is
 *   refused.
 *
 * IN is EXISTS with one more condition.  NULLs: for a condition under an even number of NOTs it matters
 * where it is true, for others where it is false.  x IN (SELECT y) is true if there is a y with x = y
 * true, and false if there is none with x = y IS NOT FALSE.
 *
 * A condition inside of a subquery says nothing about the ranges of columns outside, so it does not narrow
 * them.  It is evaluated on rows of any unit, so it must be as harmless as a condition outside.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "glue/citus.h"
#include "glue/import/comparison.h"
#include "glue/import/relabel.h"
#include "guard/query/correlated.h"
#include "guard/query/made_nodes.h"
#include "guard/query/range_table.h"
#include "guard/source/private_reading.h"
#include "guard/trace/join.h"
#include "guard/trace/join_unit.h"
#include "guard/trace/semijoin.h"
#include "guard/trace/trace.h"

/* A condition that is expanded. */
typedef struct Condition
{
	DpsProtectedSource *source;
	Query	   *level;			/* the level of the condition */
	bool		nullable;
} Condition;

/* ---- IN ---- */

/* Replaces parameters that stand for columns of the subquery. */
static Node *
column_mutator(Node *node, Query *query)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return (Node *) copyObject(get_tle_by_resno(query->targetList, ((Param *) node)->paramid)->expr);
	return expression_tree_mutator(node, column_mutator, query);
}

/* The subquery whose rows make the condition true; or, if negated, not false. */
static Query *
query_of(const SubLink *link, bool negated)
{
	Query	   *query = copyObject(castNode(Query, link->subselect));
	Node	   *test = copyObject(link->testexpr);

	if (link->subLinkType == EXISTS_SUBLINK)
		return query;
	/* the test belongs to the outer level */
	IncrementVarSublevelsUp(test, 1, 0);
	test = column_mutator(test, query);
	if (negated)
		test = dps_boolean_test(test, IS_NOT_FALSE);
	query->jointree->quals = make_and_qual(query->jointree->quals, test);
	return query;
}

/* ---- the subquery ---- */

static void
check_shape(const DpsProtectedSource *inner, Query *query)
{
	const char *hint = "Write EXISTS or IN with a subquery of tables, joins and WHERE.";
	ListCell   *cell;

	/* DISTINCT without LIMIT does not change whether there are rows */
	if (!query->hasDistinctOn && query->limitCount == NULL && query->limitOffset == NULL)
		query->distinctClause = NIL;
	dps_check_subquery(inner, query);
	if (query->jointree->fromlist == NIL)
		dps_refuse_source(inner, "a subquery without FROM in a condition is", hint);
	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_SUBQUERY && dps_is_correlated(entry->subquery, NIL))
			dps_refuse_source(inner, "a reference to an outer query from more than one level below is",
							"Compare with columns of the outer query in WHERE of the subquery itself.");
	}
}

static Node *
outer_mutator(Node *node, Condition *around)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup > 0)
	{
		Node	   *outer = copyObject(node);

		if (((Var *) node)->varlevelsup > 1)
			dps_refuse_at(around->source, node, "a reference to a query further out is",
							"Compare with columns of the query around the subquery.");
		IncrementVarSublevelsUp(outer, -1, 1);
		outer = dps_expand_at(around->source, around->level, outer);
		IncrementVarSublevelsUp(outer, 1, 0);
		return outer;
	}
	return expression_tree_mutator(node, outer_mutator, around);
}

/* Is the column, or constant, not NULL in every row? */
static bool
is_never_null(const DpsProtectedSource *inner, const DpsProtectedSource *outer, Node *node)
{
	Var		   *var;

	node = dps_strip_relabel(node);
	if (IsA(node, Const))
		return !((Const *) node)->constisnull;
	if (!IsA(node, Var) || ((Var *) node)->varattno <= 0)
		return false;
	var = (Var *) node;
	return dps_var_is_not_null(var->varlevelsup == 0 ? inner : outer, var);
}

/* Is it a built-in equality, which is NULL for NULL arguments only? */
static bool
is_equality(Node *node)
{
	OpExpr	   *call = (OpExpr *) node;

	return IsA(node, OpExpr) && list_length(call->args) == 2 &&
		dps_type_comparison_strategy(call->opno, exprType(linitial(call->args))) == BTEqualStrategyNumber;
}

typedef struct NullContext
{
	const DpsProtectedSource *inner;
	const DpsProtectedSource *outer;
} NullContext;

/* Replaces x = y IS NOT FALSE by x = y if neither is NULL.  The planner can make a join of the latter. */
static Node *
not_null_mutator(Node *node, NullContext *context)
{
	BooleanTest *test = (BooleanTest *) node;
	OpExpr	   *call;

	if (node == NULL)
		return NULL;
	if (!IsA(node, BooleanTest) || test->booltesttype != IS_NOT_FALSE || !is_equality((Node *) test->arg))
		return expression_tree_mutator(node, not_null_mutator, context);
	call = (OpExpr *) test->arg;
	if (is_never_null(context->inner, context->outer, linitial(call->args)) &&
		is_never_null(context->inner, context->outer, lsecond(call->args)))
		return (Node *) call;
	return node;
}

/* An error if rows of the part are stored on another server, which would be asked for rows that private
 * cells name. */
static void
check_is_here(const DpsProtectedSource *inner, const DpsPart *part)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(part->relation, AccessShareLock, NULL))
	{
		char		kind = get_rel_relkind(lfirst_oid(cell));

		if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
			dps_refuse_join(inner, part, "Some of its rows are stored elsewhere.", "Join tables of this server.");
	}
}

static void
check_parts(DpsSemiJoin *semijoin)
{
	ListCell   *cell;

	foreach(cell, semijoin->source->parts)
	{
		DpsPart    *part = lfirst(cell);

		if (part->arms != NIL)
			dps_refuse_source(semijoin->source, "UNION ALL in a subquery in a condition is",
							"Write a condition for each of the relations.");
		if (part->grouping != NULL)
			dps_refuse_source(semijoin->source, "GROUP BY in a subquery in a condition is",
							"Group in FROM of the query around it.");
		dps_check_part(semijoin->source, part);
		if (part->constants == NULL)
			check_is_here(semijoin->source, part);
		semijoin->reads_protected |= part->annotation.is_protected;
	}
}

static DpsProtectedSource *
inner_source(const Condition *around, Query *query, int location)
{
	const DpsProtectedSource *outer = around->source;
	DpsProtectedSource *inner = palloc0(sizeof(DpsProtectedSource));

	inner->query = query;
	inner->enclosing = lcons(query, list_copy(outer->enclosing));
	inner->source_text = outer->source_text;
	inner->params = outer->params;
	inner->is_analysis = outer->is_analysis;
	inner->location = location >= 0 ? location : outer->location;
	inner->in_condition = true;
	return inner;
}

static Node *
make_semijoin(Condition *around, const SubLink *link, bool negated, bool required)
{
	DpsProtectedSource *outer = around->source;
	DpsSemiJoin *semijoin = palloc0(sizeof(DpsSemiJoin));
	Query	   *query = query_of(link, negated);
	DpsProtectedSource *inner = inner_source(around, query, link->location);
	NullContext nulls = {inner, outer};
	Query	   *shell = makeNode(Query);
	SubLink    *result = makeNode(SubLink);

	if (outer->in_condition)
		dps_refuse_source(inner, "a subquery inside of a subquery in a condition is", "Join their tables in one subquery.");
	if (around->nullable)
		dps_refuse_source(inner, "a subquery in a condition of the optional side of an outer join is", "Write it in WHERE.");
	check_shape(inner, query);
	inner->from = dps_flatten_level(inner, query);
	semijoin->source = inner;
	semijoin->is_required = required;
	check_parts(semijoin);
	inner->from = not_null_mutator(outer_mutator(inner->from, around), &nulls);
	outer->semijoins = lappend(outer->semijoins, semijoin);
	outer->is_restricted |= inner->is_restricted;
	outer->functions = list_concat_unique_oid(outer->functions, inner->functions);
	shell->commandType = CMD_SELECT;
	shell->jointree = makeFromExpr(list_make1(inner->from), NULL);
	result->subLinkType = EXISTS_SUBLINK;
	result->subLinkId = list_length(outer->semijoins);
	result->subselect = (Node *) shell;
	result->location = link->location;
	return (Node *) result;
}

/* ---- conditions ---- */

static Node *expand(Condition *condition, Node *node, bool negated, bool required);

static List *
expand_all(Condition *condition, List *nodes, bool negated, bool required)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, nodes)
		result = lappend(result, expand(condition, lfirst(cell), negated, required));
	return result;
}

/* Raises the error for what is not public, unless it is a protected relation, for which another form of
 * the condition may be supported. */
static void
refuse_what_is_not_public(const Condition *condition, Node *node)
{
	List	   *enclosing = condition->source->enclosing;
	DpsRelationAnnotation annotation = {0};
	Oid			relation;

	if (linitial(enclosing) != condition->level)
		enclosing = lcons(condition->level, list_copy(enclosing));
	if (!dps_reads_private(node, enclosing, &relation))
		return;
	if (OidIsValid(relation))
		dps_get_relation_annotation(relation, &annotation);
	if (!annotation.is_protected)
		dps_refuse_private_reading(condition->source, node, enclosing);
}

static Node *
expand(Condition *condition, Node *node, bool negated, bool required)
{
	check_stack_depth();
	if (!checkExprHasSubLink(node))
		return dps_expand_at(condition->source, condition->level, node);
	if (is_andclause(node))
		return (Node *) make_andclause(expand_all(condition, ((BoolExpr *) node)->args, negated, required && !negated));
	if (is_orclause(node))
		return (Node *) make_orclause(expand_all(condition, ((BoolExpr *) node)->args, negated, false));
	if (is_notclause(node))
		return (Node *) make_notclause((Expr *) expand(condition, linitial(((BoolExpr *) node)->args), !negated, false));
	if (IsA(node, SubLink) && (((SubLink *) node)->subLinkType == EXISTS_SUBLINK ||
							   ((SubLink *) node)->subLinkType == ANY_SUBLINK))
		return make_semijoin(condition, (SubLink *) node, negated, required);
	refuse_what_is_not_public(condition, node);
	dps_refuse_at(condition->source, node, "a subquery in a condition other than EXISTS and IN under AND, OR and NOT is",
					"Write EXISTS or IN, join the relation of the subquery, or compute what it says first.");
	return NULL;
}

Node *
dps_expand_condition(DpsProtectedSource *source, Query *level, Node *condition, bool nullable)
{
	Condition	context = {source, level, nullable};

	if (condition == NULL)
		return NULL;
	return expand(&context, condition, false, true);
}

Node *
dps_without_subqueries(Node *condition)
{
	if (condition == NULL)
		return NULL;
	if (IsA(condition, SubLink) && ((SubLink *) condition)->subLinkId > 0)
		return makeBoolConst(true, false);
	return expression_tree_mutator(condition, dps_without_subqueries, NULL);
}

/* ---- the proof ---- */

DpsProtectedSource
dps_join_with(const DpsProtectedSource *outer, const DpsProtectedSource *inner)
{
	DpsProtectedSource both = *outer;
	Node	   *from = copyObject(inner->from);

	OffsetVarNodes(from, list_length(outer->parts), 0);
	IncrementVarSublevelsUp(from, -1, 1);
	both.location = inner->location;
	both.parts = list_concat_copy(outer->parts, inner->parts);
	both.levels = list_concat_copy(outer->levels, inner->levels);
	both.from = (Node *) makeFromExpr(list_make2(outer->from, from), NULL);
	both.indexes = NIL;
	both.in_condition = true;
	return both;
}

/* Checks the conditions of the subquery as conditions of the join. */
static void
check_conditions(DpsProtectedSource *both, const DpsProtectedSource *inner)
{
	List	   *conditions = NIL;
	ListCell   *cell;

	dps_collect_conditions(lsecond(((FromExpr *) both->from)->fromlist), &conditions);
	foreach(cell, inner->parts)
	{
		Node	   *security = copyObject((Node *) ((DpsPart *) lfirst(cell))->security);

		OffsetVarNodes(security, list_length(both->parts) - list_length(inner->parts), 0);
		conditions = lappend(conditions, security);
	}
	foreach(cell, conditions)
		dps_check_join_condition(both, lfirst(cell));
}

static void
check_semijoin(DpsProtectedSource *source, const DpsSemiJoin *semijoin)
{
	DpsProtectedSource both = dps_join_with(source, semijoin->source);
	int			i;

	check_conditions(&both, semijoin->source);
	for (i = list_length(source->parts) + 1; i <= list_length(both.parts); i++)
	{
		if (((DpsPart *) list_nth(both.parts, i - 1))->annotation.is_protected)
			dps_check_same_unit(&both, i);
	}
	source->indexes = list_concat_unique_oid(source->indexes, both.indexes);
	if (!semijoin->reads_protected || semijoin->is_required)
		return;
	if (source->annotation.adjacency != DPS_ADD_REMOVE)
		dps_refuse_source(semijoin->source, "a subquery of a protected relation under NOT or beside OR, with adjacency replace, is",
						"Protect the relations with adjacency add_remove.");
	source->swaps_rows |= source->limits_unit;
}

void
dps_check_semijoins(DpsProtectedSource *source)
{
	ListCell   *cell;

	foreach(cell, source->semijoins)
		check_semijoin(source, lfirst(cell));
}

/* ---- the query ---- */

typedef struct Building
{
	const DpsProtectedSource *source;
	List	  **checks;
} Building;

/* Moves the conditions to the top of the query, where the planner needs them to make a join of EXISTS. */
static void
raise_conditions(Query *query)
{
	while (list_length(query->jointree->fromlist) == 1 && IsA(linitial(query->jointree->fromlist), FromExpr))
	{
		FromExpr   *inner = linitial_node(FromExpr, query->jointree->fromlist);

		inner->quals = make_and_qual(query->jointree->quals, inner->quals);
		query->jointree = inner;
	}
}

static Node *
build_mutator(Node *node, Building *building)
{
	const DpsSemiJoin *semijoin;
	SubLink    *link;
	Query	   *query;
	List	   *checks = NIL;

	if (node == NULL)
		return NULL;
	if (!IsA(node, SubLink) || ((SubLink *) node)->subLinkId == 0)
		return expression_tree_mutator(node, build_mutator, building);
	semijoin = list_nth(building->source->semijoins, ((SubLink *) node)->subLinkId - 1);
	query = dps_join_query(semijoin->source, &checks);
	raise_conditions(query);
	query->canSetTag = true;
	query->targetList = list_make1(makeTargetEntry((Expr *) makeBoolConst(true, false), 1, pstrdup("found"), false));
	*building->checks = list_concat_unique(*building->checks, checks);
	link = makeNode(SubLink);
	link->subLinkType = EXISTS_SUBLINK;
	link->subselect = (Node *) query;
	link->location = ((SubLink *) node)->location;
	return (Node *) link;
}

Node *
dps_build_subqueries(const DpsProtectedSource *source, Node *condition, List **checks)
{
	Building	building = {source, checks};

	return build_mutator(condition, &building);
}

/* ---- one relation ---- */

bool
dps_needs_semijoin(const DpsProtectedSource *source, Node *condition, List *ancestors)
{
	Oid			relation;

	return condition != NULL && checkExprHasSubLink(condition) &&
		(source->is_restricted || dps_citus_can_add_up(source->relation) || dps_reads_private(condition, ancestors, &relation));
}

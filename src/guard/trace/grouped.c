/*
 * grouped.c
 *		Subqueries with GROUP BY below the aggregates.
 *
 *	SELECT n, dp_count(*)
 *	FROM (SELECT c.id, count(o.id) AS n
 *		  FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id)
 *	GROUP BY n
 *
 * The subquery acts as a relation of its own, with a row for each group.  Its exact aggregates are private
 * cells of that row.
 *
 * Claim.  Each of these rows belongs to one unit, and is a function of the rows of this unit and of public
 * relations alone.
 *
 * Proof.  The grouped rows are rows of a join.  One of the protected relations, p, is not on the optional
 * side of an outer join, and one of the keys is p's unit or equal to it by conditions of the join (of a unit of several
 * columns, each is such a key).  So the
 * rows of a group have one unit.  In every row of the join that has a row of another protected relation,
 * that row belongs to the same unit, by the conditions of the join and, on an optional side, of the outer
 * joins around it.  Rows whose unit is too long to be a key are in no group.  So the rows of a group are a
 * function of this unit's rows.  They may be many: the aggregates reduce them to one, and each admitted
 * aggregate is a function of the multiset of its arguments, independent of their order.
 *
 * - Sums and means of floating-point numbers depend on the order of rows, which depends on where rows are
 *   stored, and so on other rows.  They are computed as numeric, exactly, and converted to floating point
 *   afterwards.
 * - Of equal values with different bytes, min, max and GROUP BY keep the first.  So numeric and
 *   floating-point values are brought into a canonical form before.  Other types with such values are
 *   refused.
 * - No aggregate raises an error, for any arguments: arguments of numeric sums are limited so that the sum
 *   of the largest possible number of them does not overflow.  Arguments, keys and FILTER are checked and
 *   attempted as conditions are (attempt.h).
 *
 * How many rows a unit has: one, if all other keys are columns of rows of which the unit has only one.
 * Otherwise the declared limits apply to groups (unit_rows.c).
 *
 * How they change with a unit more or less in any of the relations: if all protected relations are
 * required, a unit that is missing from one of them has no groups.  If some relation is on an optional
 * side, or in a subquery under NOT, the unit keeps its groups with other values: a row takes the place of
 * another one (swaps_rows, semijoin.c).  Under replace two units could do so at once, which is refused.
 *
 * If a unit has one row in the part, a join by the unit matches at most one row, as with a unique index.
 *
 * Ranges: a count is clamped into [0, m], where m is the largest max_rows that is declared for the
 * relations below.  A sum is clamped into m times the hull of 0 and the argument's range.  These ranges
 * matter for accuracy only, since cells are clamped anyway.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "glue/import/relabel.h"
#include "guard/condition/attempt.h"
#include "guard/query/made_nodes.h"
#include "guard/query/range_table.h"
#include "guard/trace/grouped.h"
#include "guard/trace/join.h"
#include "guard/trace/join_unit.h"
#include "guard/trace/key_form.h"
#include "guard/trace/trace.h"

/* Is it SELECT DISTINCT, which groups by all columns? */
static bool
is_distinct(const Query *query)
{
	return query->distinctClause != NIL && !query->hasDistinctOn && !query->hasWindowFuncs && !query->hasTargetSRFs;
}

bool
dps_is_grouped_query(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
		is_distinct(query);
}

/* ---- the shape ---- */

typedef struct Ungrouped
{
	Query	   *query;
	List	   *columns;		/* of Var * */
} Ungrouped;

/* Collects columns that occur outside of keys and aggregates. */
static bool
ungrouped_walker(Node *node, Ungrouped *ungrouped)
{
	ListCell   *cell;

	if (node == NULL || IsA(node, Aggref) || IsA(node, Query))
		return false;
	foreach(cell, ungrouped->query->groupClause)
	{
		if (equal(node, get_sortgroupclause_expr(lfirst(cell), ungrouped->query->targetList)))
			return false;
	}
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		ungrouped->columns = list_append_unique(ungrouped->columns, node);
	return expression_tree_walker(node, ungrouped_walker, ungrouped);
}

/*
 * Adds such columns to GROUP BY.  If GROUP BY contains a primary key, the parser accepts other columns of
 * its table without aggregates.  Each group has one value of them, so they can be keys, too.
 */
static void
group_by_dependent(Query *query)
{
	Ungrouped	ungrouped = {query, NIL};
	ListCell   *cell;

	if (query->constraintDeps == NIL)
		return;
	(void) ungrouped_walker((Node *) query->targetList, &ungrouped);
	(void) ungrouped_walker(query->havingQual, &ungrouped);
	foreach(cell, ungrouped.columns)
	{
		SortGroupClause *clause = makeNode(SortGroupClause);
		TargetEntry *entry = tlist_member(lfirst(cell), query->targetList);

		if (entry == NULL)
		{
			entry = makeTargetEntry(lfirst(cell), list_length(query->targetList) + 1, NULL, true);
			query->targetList = lappend(query->targetList, entry);
		}
		get_sort_group_operators(exprType(lfirst(cell)), false, true, false, &clause->sortop, &clause->eqop, NULL,
								 &clause->hashable);
		clause->tleSortGroupRef = assignSortGroupRef(entry, query->targetList);
		query->groupClause = lappend(query->groupClause, clause);
	}
}

static void
check_shape(const DpsProtectedSource *inner, Query *query)
{
	Query		plain;

	if (is_distinct(query) && query->groupClause == NIL && !query->hasAggs && query->havingQual == NULL)
	{
		query->groupClause = query->distinctClause;
		query->distinctClause = NIL;
	}
	group_by_dependent(query);
	plain = *query;
	if (query->groupingSets != NIL)
		dps_refuse_source(inner, "GROUPING SETS, ROLLUP and CUBE in a subquery are", DPS_GROUPED_HINT);
	if (query->groupClause == NIL)
		dps_refuse_source(inner, "an aggregate without GROUP BY in a subquery is", DPS_GROUPED_HINT);
	if (checkExprHasSubLink(query->havingQual))
		dps_refuse_source(inner, "a subquery in HAVING of a subquery is", DPS_GROUPED_HINT);
	/* the rest is checked as for any other subquery */
	plain.hasAggs = false;
	plain.groupClause = NIL;
	plain.havingQual = NULL;
	dps_check_subquery(inner, &plain);
}

/* ---- keys ---- */

static DpsGroupedColumn *
make_key(DpsProtectedSource *inner, Query *query, SortGroupClause *clause)
{
	Node	   *expression = get_sortgroupclause_expr(clause, query->targetList);
	DpsGroupedColumn *column = palloc0(sizeof(DpsGroupedColumn));
	DpsKey	   *key;

	if (checkExprHasSubLink(expression))
		dps_refuse_at(inner, expression, "a subquery in GROUP BY of a subquery is", DPS_GROUPED_HINT);
	key = dps_undeclared_key(inner, expression);
	dps_canonical_key(inner, key);
	column->original = expression;
	column->expression = (Expr *) dps_expand_at(inner, query, key->canonical);
	column->plain = dps_strip_relabel(dps_expand_at(inner, query, expression));
	column->clause = clause;
	dps_check_join_condition(inner, (Node *) column->expression);
	return column;
}

/* Is the key this column of the unit, or equal to it by a condition? */
static bool
is_unit_column(const DpsProtectedSource *inner, const DpsGroupedColumn *key, Var *column)
{
	Var		   *var = (Var *) key->plain;

	if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	if (var->varno == column->varno && var->varattno == column->varattno)
		return dps_var_is_not_null(inner, var);
	return dps_are_equal_columns(inner, column, var);
}

/* Is the key one of the unit's columns? */
static bool
is_of_unit(const DpsProtectedSource *inner, const DpsGroupedColumn *key)
{
	ListCell   *cell;

	foreach(cell, inner->unit_vars)
	{
		if (is_unit_column(inner, key, lfirst_node(Var, cell)))
			return true;
	}
	return false;
}

/* The number of the first key that is this column of the unit; 0 if none is. */
static int
key_of(const DpsGrouping *grouping, Var *column)
{
	ListCell   *cell;

	foreach(cell, grouping->columns)
	{
		if (is_unit_column(grouping->source, lfirst(cell), column))
			return foreach_current_index(cell) + 1;
	}
	return 0;
}

/* Is the key a column of a row of which the unit has only one? */
static bool
follows_from_unit(const DpsProtectedSource *inner, const DpsGroupedColumn *key)
{
	const Var  *var = (const Var *) key->plain;
	const DpsPart *part;

	if (is_of_unit(inner, key))
		return true;
	if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	part = dps_var_part(inner, var);
	return part->annotation.is_protected && !part->nullable && part->annotation.unit_is_unique &&
		!part->annotation.unit_by_reference;
}

static void
refuse_without_unit(const DpsProtectedSource *inner, const Query *query)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a subquery with GROUP BY or aggregates is not supported below dp aggregates unless it groups by the privacy unit"),
			 errdetail(inner->unit_vars == NIL ? "Nothing in its FROM says whose the rows of \"%s\" are." :
					   list_length(inner->unit_vars) > 1 ? "Its keys are not all columns of the unit of \"%s\", or columns without nulls that are equal to them: a group could have rows of several units." :
					   "None of its keys is the unit of \"%s\", or a column without nulls that is equal to it: a group could have rows of several units.",
					   get_rel_name(inner->relation)),
			 list_length(inner->unit_vars) > 1 ? errhint("Add all columns of the unit to GROUP BY of the subquery.") :
			 errhint("Add the unit's column to GROUP BY of the subquery, and to FROM the relation that has it."),
			 errposition(dps_query_position(inner, exprLocation(get_sortgroupclause_expr(linitial(query->groupClause), query->targetList))))));
}

/*
 * A column that is the unit and whose values can be too long is a key as it is stored, of the rows in which it is not.
 *
 * The groups are those of the canonical form, CASE WHEN length < limit THEN column END, of which groups of NULL are left out:
 * the rows that are left are those whose column is neither NULL nor too long, by either, and there the form is the column.  So
 * the value that is shown is the same, too.  Citus sees by which column rows are grouped (guard/distributed/distributed_places.c).
 */
static void
group_as_stored(DpsGroupedColumn *key)
{
	const Var  *column = IsA(key->plain, Var) ? dps_short_column((const Node *) key->expression, &key->condition) : NULL;

	if (column != NULL)
		key->expression = (Expr *) column;
}

/* Finds the keys that are the unit's columns: all of them, or a group could have rows of several units. */
static void
find_unit_keys(DpsGrouping *grouping, const Query *query)
{
	ListCell   *cell;

	foreach(cell, grouping->source->unit_vars)
	{
		int			number = key_of(grouping, lfirst_node(Var, cell));

		if (number == 0)
			refuse_without_unit(grouping->source, query);
		group_as_stored(list_nth(grouping->columns, number - 1));
		grouping->unit = lappend_int(grouping->unit, number);
	}
	if (grouping->unit == NIL)
		refuse_without_unit(grouping->source, query);
}

static void
add_keys(DpsGrouping *grouping, Query *query, DpsPart *part)
{
	DpsProtectedSource *inner = grouping->source;
	ListCell   *cell;

	part->annotation.unit_is_unique = true;
	foreach(cell, query->groupClause)
	{
		DpsGroupedColumn *key = make_key(inner, query, lfirst_node(SortGroupClause, cell));

		grouping->columns = lappend(grouping->columns, key);
		part->annotation.unit_is_unique &= follows_from_unit(inner, key);
	}
	grouping->nkeys = list_length(grouping->columns);
	find_unit_keys(grouping, query);
}

/* ---- aggregates ---- */

typedef struct Aggregates
{
	DpsGrouping *grouping;
	Query	   *query;
} Aggregates;

static bool
aggregate_walker(Node *node, Aggregates *found)
{
	DpsGroupedColumn *column;
	int			number;

	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, aggregate_walker, found);
	if (dps_find_grouped_column(found->grouping, node, &number) != NULL)
		return false;
	column = dps_make_grouped_call(found->grouping->source, found->query, (Aggref *) node);
	found->grouping->columns = lappend(found->grouping->columns, column);
	return false;
}

/* ---- the part ---- */

DpsPart *
dps_make_grouped_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry)
{
	Query	   *query = entry->subquery;
	DpsProtectedSource *inner = palloc0(sizeof(DpsProtectedSource));
	DpsPart    *part = palloc0(sizeof(DpsPart));
	Aggregates	aggregates;

	inner->query = query;
	inner->enclosing = lcons(query, list_copy(source->enclosing));
	inner->source_text = source->source_text;
	inner->params = source->params;
	inner->is_analysis = source->is_analysis;
	inner->location = source->location;
	check_shape(inner, query);
	dps_trace_grouped(inner, query);
	part->grouping = palloc0(sizeof(DpsGrouping));
	part->grouping->source = inner;
	part->entry = entry;
	part->level = level;
	part->relation = inner->relation;
	part->annotation = inner->annotation;
	part->annotation.unit_by_reference = false;
	part->is_private = true;
	add_keys(part->grouping, query, part);
	aggregates = (Aggregates) {part->grouping, query};
	(void) aggregate_walker((Node *) query->targetList, &aggregates);
	(void) aggregate_walker(query->havingQual, &aggregates);
	source->is_restricted |= inner->is_restricted;
	source->swaps_rows |= inner->swaps_rows;
	source->functions = list_concat_unique_oid(source->functions, inner->functions);
	return part;
}

/* ---- the query ---- */

/* A test that the unit's key, of this expression, is not NULL; NULL if it cannot be.  Keys that are too long are NULL
 * (key_form.c), and different units must not meet in the group of NULL. */
static Node *
has_value(const DpsGrouping *grouping, const DpsGroupedColumn *unit, Node *expression, List **checks)
{
	if (unit->condition != NULL)
		return dps_attempt_calls(copyObject(unit->condition), grouping->source->is_restricted, checks);
	return IsA(expression, Var) ? NULL : dps_null_test(copyObject(expression), IS_NOT_NULL);
}

RangeTblEntry *
dps_grouped_entry(const DpsPart *part, List **checks)
{
	const DpsGrouping *grouping = part->grouping;
	List	   *own = NIL;
	Query	   *query = dps_join_query(grouping->source, &own);
	ListCell   *cell;
	int			number = 1;

	foreach(cell, grouping->columns)
	{
		const DpsGroupedColumn *column = lfirst(cell);
		Node	   *expression = dps_attempt_calls((Node *) column->expression, grouping->source->is_restricted, &own);
		TargetEntry *entry = makeTargetEntry((Expr *) expression, number, psprintf("column %d", number), false);

		if (column->clause != NULL)
		{
			SortGroupClause *clause = copyObjectImpl(column->clause);

			entry->ressortgroupref = clause->tleSortGroupRef = number;
			query->groupClause = lappend(query->groupClause, clause);
		}
		if (list_member_int(grouping->unit, number))
			query->jointree->quals = make_and_qual(query->jointree->quals, has_value(grouping, column, expression, &own));
		query->targetList = lappend(query->targetList, entry);
		number++;
	}
	query->hasAggs = list_length(grouping->columns) > grouping->nkeys;
	query->canSetTag = true;
	*checks = list_concat_unique(*checks, own);
	return dps_subquery_entry(query, part->entry->eref->aliasname);
}

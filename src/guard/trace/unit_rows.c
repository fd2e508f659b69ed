/*
 * unit_rows.c
 *		Units of several rows: how many of them count.
 *
 * A query of exact states
 *
 *	SELECT key, exact_state(plan, x) FROM t WHERE c GROUP BY key
 *
 * becomes
 *
 *	SELECT key, exact_state(plan, d)
 *	FROM (SELECT u, key, d, row_number() OVER (PARTITION BY u ORDER BY o) AS r
 *		  FROM (SELECT u, key, d, unit_order(n, d) AS o,
 *					   dense_rank() OVER (PARTITION BY u ORDER BY unit_order(n)) AS g,
 *					   row_number() OVER (PARTITION BY u, n ORDER BY unit_order(n, d)) AS rg
 *				FROM (SELECT u, key, exact_number(plan, key) AS n, exact_cell(plan, x) AS d
 *					  FROM t WHERE c)
 *				WHERE n IS NOT NULL)
 *		  WHERE u IS NULL OR (g <= groups AND rg <= rows_per_group))
 *	WHERE u IS NULL OR r <= rows
 *	GROUP BY key
 *
 * with only those numbers and levels that have a limit.  n is the number of the group; for undeclared keys
 * the keys themselves take its place.
 *
 * Claim.  Which rows of a unit count is a function of the selected rows of this unit alone, up to
 * exchanging rows that contribute the same to every state.  At most `rows` of them count, at most
 * `rows_per_group` in a group, in at most `groups` groups.
 *
 * Proof.  Each number is computed within the unit's partition, in the order of row_order.h.  Rows that
 * this order does not distinguish have equal bytes in every column that is read here, so it does not
 * matter which of them gets which number.  Combinations of numbers do not matter either: g is the same for
 * such rows, and r is assigned after the rows that rg excludes are removed.  The place of a row, and its
 * neighbours, are not among the arguments.  The bounds are those of row_number and dense_rank.  Equal keys
 * with different bytes count as several groups, which leaves out more rows.  A row without a unit is a
 * unit by itself.  A row whose key is not among the declared values is not selected; which values are
 * declared is public.
 *
 * If the limits are small, and keys are equal only if their bytes are, a plan node chooses the rows
 * instead (agg/scan/chosen_rows.h).  If all states are one block (group_states.h), the aggregate that
 * reads them chooses the rows (agg/state/units.h).  Both choose the same rows, by row_order.h.
 *
 * So one unit more or less changes the vector of a release's exact sums by the sum of at most m vectors,
 * each of which is the change by one row: m <= G m_g rows in all, m_g in a group, G groups.  With d the norm
 * of the change by one row the norms grow as follows, where a unit is in several groups only if a query has
 * them.
 *
 * - 1-norm: at most m d.
 * - 2-norm under add_remove, where a row affects its own group only: group g changes by a vector of norm
 *   at most c_g d, where sum c_g <= m and c_g <= m_g.  So the norm is at most d times sqrt(sum c_g^2) <=
 *   sqrt(m m_g).
 * - 2-norm under replace: sqrt(m m_g) d, too.  c_g rows of group g count before and c'_g after; the unit
 *   becomes one unit that has no other rows here, so that both are as above.  In each group rows are
 *   paired, one before with one after, s_g = min(c_g, c'_g) pairs; r_g = |c_g - c'_g| rows without a
 *   partner begin or cease to count.  The two rows of a pair need not be the same row, so all values are
 *   assumed to change, including those of public columns, and every row is assumed to be able to begin or
 *   cease to count and, if there are groups, to change its group.  So d is at least the change by a pair in
 *   one group; and at least sqrt(2) a for a row of norm a, since two groups can change by a row of that
 *   norm each (agg/family.c and the families).  Group g changes by at most s_g d + r_g d / sqrt(2).  As s_g +
 *   r_g <= m_g, and the square is convex,
 *
 *	(s_g d + r_g d / sqrt(2))^2 = m_g^2 d^2 (s_g / m_g 1 + r_g / m_g 1 / sqrt(2) + the rest 0)^2
 *		<= m_g^2 d^2 (s_g / m_g + r_g / 2 m_g) = m_g d^2 (c_g + c'_g) / 2,
 *
 *   and all groups together by at most m_g d^2 (m + m) / 2.  What is no sum over rows, a number of distinct
 *   values, changes by no more than max(c_g, c'_g) = s_g + r_g, which is less.  Without groups m_g is m.
 *   If the unit joined an existing one, the m rows of that one that count could cease to count as well; and
 *   if its rows lost their unit, each would be a unit.  Such tables are two units or more apart.
 *   Where groups are added up (what is left of groups that are not shown) m_g is no limit, and m takes
 *   the place of the root.
 *
 * In a join, rows are counted by their owners (row_owner.c), also if a unit has one row.  Then nothing is
 * left out if the proof holds that the join multiplies nothing, and the number of rows that count is 1 in
 * any case.  A plan that cannot yield two rows of an owner has no surplus rows (agg/scan/single_rows.c).
 *
 * Which groups are shown depends on the number of units with rows in them that count, and a unit counts in
 * each of its groups.  So distinct units are counted and not rows; for rows without a unit, the distinct
 * rows that own them (row_owner.c).
 *
 * Under attribute and metric a small change of one row can change the order, and so which rows count: the
 * change is as large as that of the values of m rows.  These adjacencies are not meant for that and are
 * refused.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "agg/family.h"
#include "agg/scan/chosen_rows.h"
#include "glue/analysis/row.h"
#include "glue/glue.h"
#include "glue/owner_hint.h"
#include "glue/settings.h"
#include "guard/query/exact_states.h"
#include "guard/query/made_nodes.h"
#include "guard/query/range_table.h"
#include "guard/trace/key_form.h"
#include "guard/trace/row_owner.h"
#include "guard/trace/unit_rows.h"
#include "num/interval.h"

/* ---- limits ---- */

/* The declared limits, completed by those that follow.  0 means no limit, except for rows. */
static DpsUnitLimits
effective_limits(const DpsProtectedSource *source)
{
	DpsUnitLimits limits = source->annotation.limits;
	bool		is_grouped = source->query->groupClause != NIL;
	int64		most;

	if (!is_grouped)
		limits.groups = 1;
	most = (int64) limits.groups * limits.rows_per_group;
	if (most > 0 && (limits.rows == 0 || most < limits.rows))
		limits.rows = Min(most, DPS_MAX_UNIT_ROWS);
	if (limits.rows_per_group == 0 || limits.rows_per_group > limits.rows)
		limits.rows_per_group = limits.rows;
	if (limits.groups == 0 || limits.groups > limits.rows)
		limits.groups = limits.rows;
	return limits;
}

/* The limits of an owner: one row, unless units have several rows. */
static DpsUnitLimits
owner_limits(const DpsProtectedSource *source)
{
	DpsUnitLimits one = source->annotation.limits;

	if (source->limits_unit)
		return effective_limits(source);
	one.rows = one.rows_per_group = one.groups = 1;
	return one;
}

static void
refuse_adjacency(const DpsProtectedSource *source)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("units of several rows are not supported under adjacency %s",
					dps_adjacency_name(source->annotation.adjacency)),
			 errdetail("A change of one row can change which rows of the unit count."),
			 dps_hint_owner(source->relation, "Protect the table with adjacency add_remove or replace."),
			 errposition(dps_query_position(source, source->location))));
}

static void
refuse_unlimited(const DpsProtectedSource *source)
{
	const char *name = get_rel_name(source->relation);

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 source->annotation.unit.n > 1 ?
			 errmsg("columns %s of relation \"%s\" are the privacy unit, but nothing says how many rows of a unit may count in this answer",
					dps_unit_names(source->relation, &source->annotation.unit), name) :
			 errmsg("column \"%s\" of relation \"%s\" is the privacy unit, but nothing says how many rows of a unit may count in this answer",
					dps_unit_names(source->relation, &source->annotation.unit), name),
			 dps_hint_owner(source->relation, "Give dpsens.protect(%s, ...) max_rows, or max_rows_per_group and max_groups; or, if a unit has one row only, "
					 "declare the column NOT NULL and create a unique index over it.", quote_literal_cstr(name)),
			 errposition(dps_query_position(source, source->location))));
}

/* An error if the unit's column, or one of several, was dropped.  Its label is dropped with it, but the
 * declared limits, and the labels of the others, remain. */
static void
check_unit_is_there(const DpsProtectedSource *source)
{
	if (!dps_unit_is_lost(&source->annotation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 source->annotation.unit_is_broken ?
			 errmsg("a column of the privacy unit of relation \"%s\" is missing", get_rel_name(source->relation)) :
			 errmsg("rows of a unit of relation \"%s\" are limited, but no column is the privacy unit",
					get_rel_name(source->relation)),
			 dps_hint_owner(source->relation, "Declare with dpsens.protect() anew whose the rows are."),
			 errposition(dps_query_position(source, source->location))));
}

bool
dps_limits_unit(const DpsProtectedSource *source)
{
	check_unit_is_there(source);
	if (!dps_unit_has_rows(&source->annotation))
		return false;
	if (effective_limits(source).rows == 0)
		refuse_unlimited(source);
	if (source->annotation.adjacency == DPS_ATTRIBUTE || source->annotation.adjacency == DPS_METRIC)
		refuse_adjacency(source);
	return true;
}

void
dps_unit_factors(const DpsProtectedSource *source, DpsFacts *facts)
{
	DpsUnitLimits limits;
	double		rows;

	facts->unit_groups = 1;
	facts->unit_l1 = facts->unit_l2 = 1;
	if (!source->limits_unit)
		return;
	limits = effective_limits(source);
	rows = limits.rows;
	facts->unit_groups = source->query->groupClause != NIL ? limits.groups : 1;
	facts->unit_l1 = rows;
	facts->unit_l2 = dps_unit_root(limits.rows, limits.rows_per_group);
	if (dps_row_adjacency(source) != DPS_ADD_REMOVE)
	{
		/* if a row is left out, another one may count in its place, of another group and with other values */
		facts->selection_is_private = facts->value_is_private = true;
		facts->key_is_private |= source->query->groupClause != NIL;
	}
}

bool
dps_unit_bounds(const DpsProtectedSource *source, const Expr *unit, DpsUnitBounds *bounds)
{
	DpsUnitLimits limits = owner_limits(source);
	bool		is_grouped = source->query->groupClause != NIL;

	memset(bounds, 0, sizeof(*bounds));
	bounds->type = getBaseType(exprType((const Node *) unit));
	bounds->collation = exprCollation((const Node *) unit);
	bounds->rows = limits.rows;
	bounds->rows_per_group = is_grouped ? limits.rows_per_group : limits.rows;
	bounds->groups = is_grouped && limits.groups < limits.rows ? limits.groups : 0;
	return dps_unit_bounds_fit(bounds);
}

/* ---- the inner query ---- */

typedef struct Limiting
{
	Query	   *inner;
	Index		next_reference;
	Index		next_window;
	int			nread;			/* columns by which rows are ordered; they are the first columns (row_order.h) */
} Limiting;

static TargetEntry *
add_target(Limiting *l, Expr *expression, const char *name)
{
	int			resno = list_length(l->inner->targetList) + 1;
	TargetEntry *entry = makeTargetEntry(expression, resno, psprintf("%s %d", name, resno), false);

	l->inner->targetList = lappend(l->inner->targetList, entry);
	return entry;
}

/* The entry of the expression, made if there is none. */
static TargetEntry *
find_target(Limiting *l, Expr *expression, const char *name)
{
	ListCell   *cell;

	foreach(cell, l->inner->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (equal(entry->expr, expression))
			return entry;
	}
	return add_target(l, copyObject(expression), name);
}

static Var *
outer_var(const TargetEntry *entry)
{
	Node	   *expression = (Node *) entry->expr;

	return makeVar(1, entry->resno, exprType(expression), exprTypmod(expression), exprCollation(expression), 0);
}

static SortGroupClause *
sort_by(Limiting *l, TargetEntry *entry)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	if (entry->ressortgroupref == 0)
		entry->ressortgroupref = ++l->next_reference;
	clause->tleSortGroupRef = entry->ressortgroupref;
	get_sort_group_operators(exprType((Node *) entry->expr), true, true, false,
							 &clause->sortop, &clause->eqop, NULL, &clause->hashable);
	return clause;
}

/* Adds a column that numbers the rows of each partition in the given order. */
static TargetEntry *
add_number(Limiting *l, Oid function, List *partition, TargetEntry *order, const char *name)
{
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *number = makeNode(WindowFunc);

	window->partitionClause = partition;
	if (order != NULL)
		window->orderClause = list_make1(sort_by(l, order));
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = ++l->next_window;
	l->inner->windowClause = lappend(l->inner->windowClause, window);
	l->inner->hasWindowFuncs = true;
	number->winfnoid = function;
	number->wintype = INT8OID;
	number->winref = window->winref;
	number->location = -1;
	return add_target(l, (Expr *) number, name);
}

/* Adds a column with unit_order of the entries. */
static TargetEntry *
add_order(Limiting *l, const List *entries, const char *name)
{
	Oid			argtype = ANYOID;
	List	   *arguments = NIL;
	ListCell   *cell;

	if (entries == NIL)
		return NULL;
	foreach(cell, entries)
		arguments = lappend(arguments, copyObject(lfirst_node(TargetEntry, cell)->expr));
	return add_target(l, (Expr *) makeFuncExpr(dps_internal_function("unit_order", 1, &argtype), BYTEAOID, arguments,
											   InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL), name);
}

/* The columns by which rows are ordered. */
static List *
read_columns(const Limiting *l)
{
	return list_truncate(list_copy(l->inner->targetList), l->nread);
}

/* ---- the outer query ---- */

static Expr *
at_most(const TargetEntry *number, int64 limit)
{
	Oid			operator = OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString("<=")), INT8OID, INT8OID);

	return make_opclause(operator, BOOLOID, false, (Expr *) outer_var(number),
						 (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(limit), false,
											FLOAT8PASSBYVAL),
						 InvalidOid, InvalidOid);
}

static Expr *
does_pass(const Aggref *state)
{
	BooleanTest *test = makeNode(BooleanTest);

	test->arg = state->aggfilter;
	test->booltesttype = IS_TRUE;
	test->location = -1;
	return (Expr *) test;
}

/* The exact states in a target list, of Aggref *. */
static List *
states_of(const List *target)
{
	List	   *states = NIL;
	ListCell   *cell;

	foreach(cell, target)
	{
		const Aggref *state = (const Aggref *) lfirst_node(TargetEntry, cell)->expr;

		/* the server's count has no arguments */
		if (IsA(state, Aggref) && state->args != NIL)
			states = lappend(states, unconstify(Aggref *, state));
	}
	return states;
}

/* The entries by which rows are grouped: the number of the group, or the keys. */
static List *
key_entries(Limiting *l, const List *target, Expr *number)
{
	List	   *entries = NIL;
	ListCell   *cell;

	if (number != NULL)
		return list_make1(find_target(l, number, "group"));
	foreach(cell, target)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->ressortgroupref != 0)
			entries = lappend(entries, find_target(l, entry->expr, "key"));
	}
	return entries;
}

/* Adds the columns that states read: first all cells, then all filters. */
static void
add_what_is_read(Limiting *l, const List *states)
{
	ListCell   *cell;
	int			i;

	foreach(cell, states)
	{
		for (i = 0; i < dps_state_summand(lfirst(cell))->ncells; i++)
			(void) find_target(l, dps_state_double(lfirst(cell), i), "cell");
	}
	foreach(cell, states)
	{
		if (((const Aggref *) lfirst(cell))->aggfilter != NULL)
			(void) find_target(l, does_pass(lfirst(cell)), "filter");
	}
	l->nread = list_length(l->inner->targetList);
}

static void
read_from_inner(Limiting *l, Aggref *state)
{
	List	   *doubles = NIL;
	Expr	   *filter = NULL;
	int			i;

	for (i = 0; i < dps_state_summand(state)->ncells; i++)
		doubles = lappend(doubles, outer_var(find_target(l, dps_state_double(state, i), "cell")));
	if (state->aggfilter != NULL)
		filter = (Expr *) outer_var(find_target(l, does_pass(state), "filter"));
	dps_state_read(state, doubles, filter);
}

/* The target list with states and keys read from the inner query. */
static List *
outer_target(Limiting *l, const List *target)
{
	List	   *result = copyObject(unconstify(List *, target));
	ListCell   *cell;

	foreach(cell, states_of(result))
		read_from_inner(l, lfirst(cell));
	foreach(cell, result)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!IsA(entry->expr, Aggref))
			entry->expr = (Expr *) outer_var(find_target(l, entry->expr, "key"));
	}
	return result;
}

/* A query that reads the given one, still without a target list. */
static Query *
level_above(Query *query, Node *condition)
{
	Query	   *level = makeNode(Query);

	/* its references to outer queries are one level further out now */
	IncrementVarSublevelsUp((Node *) query, 1, 1);
	level->commandType = CMD_SELECT;
	level->rtable = list_make1(dps_subquery_entry(query, "dpsens rows"));
	level->jointree = makeFromExpr(list_make1(dps_range_ref(1)), condition);
	return level;
}

/* Adds a level with the first n entries of the level below, in the same order. */
static void
add_level(Limiting *l, int n, Node *condition)
{
	Query	   *below = l->inner;
	int			i;

	l->inner = level_above(below, condition);
	l->next_reference = l->next_window = 0;
	for (i = 0; i < n; i++)
	{
		const TargetEntry *entry = list_nth_node(TargetEntry, below->targetList, i);

		(void) add_target(l, (Expr *) outer_var(entry), "column");
	}
}

/* The entry of the same number at the current level. */
static TargetEntry *
present(const Limiting *l, const TargetEntry *entry)
{
	return list_nth_node(TargetEntry, l->inner->targetList, entry->resno - 1);
}

static List *
present_all(const Limiting *l, const List *entries)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, entries)
		result = lappend(result, present(l, lfirst(cell)));
	return result;
}

static Node *
has_no(const TargetEntry *unit)
{
	return dps_null_test(outer_var(unit), IS_NULL);
}

static Node *
for_units(const DpsProtectedSource *source, const TargetEntry *unit, bool always, List *within)
{
	bool		may_lack = !dps_unit_is_not_null(source) ||
		dps_is_compared_by_copies(exprType((Node *) unit->expr), exprCollation((Node *) unit->expr));

	if (always || !may_lack)
		return (Node *) make_ands_explicit(within);
	return (Node *) make_orclause(list_make2(has_no(unit), make_ands_explicit(within)));
}

/* Numbers groups, and rows within groups, as far as they are limited.  Returns the conditions on the
 * numbers. */
static List *
number_groups(Limiting *l, const DpsUnitLimits *limits, TargetEntry *unit, const List *keys, TargetEntry *order)
{
	List	   *within = NIL;
	List	   *partition = list_make1(sort_by(l, unit));
	ListCell   *cell;

	if (limits->groups < limits->rows)
		within = lappend(within, at_most(add_number(l, F_DENSE_RANK_, copyObject(partition), add_order(l, keys, "key order"),
													"group"), limits->groups));
	foreach(cell, keys)
		partition = lappend(partition, sort_by(l, lfirst(cell)));
	if (limits->rows_per_group < limits->rows)
		within = lappend(within, at_most(add_number(l, F_ROW_NUMBER, partition, order, "row of group"),
										 limits->rows_per_group));
	return within;
}

static Aggref *
count_aggregate(Oid function, Expr *argument)
{
	Aggref	   *count = makeNode(Aggref);

	count->aggfnoid = function;
	count->aggtype = INT8OID;
	count->aggkind = AGGKIND_NORMAL;
	count->aggno = -1;
	count->aggtransno = -1;
	count->location = -1;
	if (argument == NULL)
	{
		count->aggstar = true;
		return count;
	}
	count->aggargtypes = list_make1_oid(exprType((Node *) argument));
	count->args = list_make1(makeTargetEntry(argument, 1, NULL, false));
	return count;
}

static Aggref *
count_distinct(const TargetEntry *entry)
{
	Aggref	   *count = count_aggregate(F_COUNT_ANY, (Expr *) outer_var(entry));
	SortGroupClause *distinct = makeNode(SortGroupClause);

	linitial_node(TargetEntry, count->args)->ressortgroupref = distinct->tleSortGroupRef = 1;
	get_sort_group_operators(exprType((Node *) entry->expr), true, true, false,
							 &distinct->sortop, &distinct->eqop, NULL, &distinct->hashable);
	count->aggdistinct = list_make1(distinct);
	count->inputcollid = exprCollation((Node *) entry->expr);
	return count;
}

/* count(DISTINCT unit) + count(*) FILTER (WHERE unit IS NULL), since each row without a unit is a unit.
 * If rows have a place, count(DISTINCT place) instead of count(*). */
static Expr *
count_units(const TargetEntry *unit, const TargetEntry *place)
{
	Aggref	   *others = place != NULL ? count_distinct(place) : count_aggregate(F_COUNT_, NULL);

	others->aggfilter = (Expr *) has_no(unit);
	return (Expr *) makeFuncExpr(F_INT8PL, INT8OID, list_make2(count_distinct(unit), others), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The query that computes the states from the rows that satisfy the condition. */
static Query *
put_states_above(Limiting *l, Node *condition, List *target, List *groups)
{
	Query	   *outer = level_above(l->inner, condition);

	outer->targetList = target;
	outer->groupClause = groups;
	outer->hasAggs = true;
	return outer;
}

/* ---- without numbers ---- */

/* Can the rows be kept as a whole, and be grouped by the bytes of their keys? */
static bool
can_be_chosen(const Limiting *l, const List *keys)
{
	ListCell   *cell;

	if (!dps_setting_enable_group_states || list_length(l->inner->targetList) >= DPS_MAX_IMAGE_COLUMNS)
		return false;
	foreach(cell, l->inner->targetList)
	{
		if (get_typlen(exprType((Node *) lfirst_node(TargetEntry, cell)->expr)) == -2)
			return false;
	}
	foreach(cell, keys)
	{
		Node	   *key = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (!dps_is_byte_key(exprType(key), exprCollation(key)) && !dps_is_trimmed_numeric(key))
			return false;
	}
	return true;
}

static Const *
choice_plan(const DpsUnitBounds *bounds, int nkeys)
{
	DpsChosenRows *plan = palloc0(sizeof(DpsChosenRows));

	SET_VARSIZE(plan, sizeof(DpsChosenRows));
	plan->version = DPS_CHOSEN_ROWS_VERSION;
	plan->bounds = *bounds;
	plan->nkeys = nkeys;
	return makeConst(dps_internal_type("plan"), -1, InvalidOid, -1, PointerGetDatum(plan), false, false);
}

/* Makes the condition that stands for the node that chooses among the rows (agg/scan/chosen_rows.h).
 * OFFSET 0 keeps the rows a subquery of their own. */
static Node *
choose_rows(Limiting *l, const DpsUnitBounds *bounds, const TargetEntry *unit, const TargetEntry *first,
			const List *keys, const List *ordered)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	Expr	   *is_first = first == NULL ? (Expr *) makeNullConst(BOOLOID, -1, InvalidOid) : (Expr *) outer_var(first);
	List	   *arguments = list_make3(choice_plan(bounds, list_length(keys)), outer_var(unit), is_first);
	ListCell   *cell;

	foreach(cell, keys)
		arguments = lappend(arguments, outer_var(lfirst_node(TargetEntry, cell)));
	foreach(cell, ordered)
	{
		if (!list_member_ptr(keys, lfirst(cell)))
			arguments = lappend(arguments, outer_var(lfirst_node(TargetEntry, cell)));
	}
	l->inner->limitOffset = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false,
											   FLOAT8PASSBYVAL);
	return (Node *) makeFuncExpr(dps_internal_function("exact_rows", 2, argtypes), BOOLOID, arguments, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The query with a node that chooses the rows.  If units are counted, the node sets the column "first" of
 * each row that counts: is the row its unit's first one in the group? */
static Query *
states_of_chosen(Limiting *l, const DpsUnitBounds *bounds, Expr *owner, const List *keys, List *target, List *groups,
				 bool counts_units)
{
	List	   *ordered = read_columns(l);
	TargetEntry *unit = find_target(l, owner, "unit");
	TargetEntry *first = NULL;

	if (counts_units)
	{
		Aggref	   *count = count_aggregate(F_COUNT_, NULL);

		first = add_target(l, (Expr *) makeBoolConst(false, false), "first");
		count->aggfilter = (Expr *) outer_var(first);
		llast_node(TargetEntry, target)->expr = (Expr *) count;
	}
	return put_states_above(l, choose_rows(l, bounds, unit, first, keys, ordered), target, groups);
}

/* ---- both ---- */

/* Applies the limits of a unit to each place: to all rows, to the rows in a group, and to groups.  The
 * place is kept behind the columns that are read. */
static TargetEntry *
limit_places(Limiting *l, const DpsUnitLimits *limits, Expr *expression, const List *keys)
{
	TargetEntry *order = add_order(l, read_columns(l), "order");
	TargetEntry *place = find_target(l, expression, "place");
	int			n = list_length(l->inner->targetList);
	List	   *within = keys == NIL ? NIL : number_groups(l, limits, place, keys, order);

	if (within != NIL)
	{
		add_level(l, n, (Node *) make_ands_explicit(within));
		place = present(l, place);
		order = order == NULL ? NULL : present(l, order);
	}
	add_level(l, n, (Node *) at_most(add_number(l, F_ROW_NUMBER, list_make1(sort_by(l, place)), order, "row of place"),
									 limits->rows));
	return present(l, place);
}

Query *
dps_limit_unit_rows(const DpsProtectedSource *source, Query *states, Expr *owner, Expr *place, Expr *number,
					bool counts_units)
{
	DpsUnitLimits limits = owner_limits(source);
	Limiting	l = {states, 0, 0, 0};
	List	   *target = states->targetList;
	List	   *groups = states->groupClause;
	List	   *within = NIL;
	DpsUnitBounds bounds;
	TargetEntry *unit;
	TargetEntry *order;
	TargetEntry *placed = NULL;
	List	   *keys;
	Query	   *outer;
	int			n;
	/* the owner of a row of a join is NULL only if places are limited */
	bool		always = source->parts != NIL && place == NULL;

	states->targetList = states->groupClause = NIL;
	states->hasAggs = false;
	if (number != NULL)
		states->jointree->quals = make_and_qual(states->jointree->quals,
												dps_null_test(copyObject(number), IS_NOT_NULL));
	keys = key_entries(&l, target, number);
	add_what_is_read(&l, states_of(target));
	target = outer_target(&l, target);
	if (place != NULL)
	{
		unit = find_target(&l, owner, "unit");
		placed = limit_places(&l, &limits, place, keys);
		owner = (Expr *) outer_var(unit);
		keys = present_all(&l, keys);
	}
	/* the node counts units but not places */
	if ((placed == NULL || !counts_units) && can_be_chosen(&l, keys) && dps_unit_bounds(source, owner, &bounds))
		return states_of_chosen(&l, &bounds, owner, keys, target, groups, counts_units);
	order = add_order(&l, read_columns(&l), "order");
	unit = find_target(&l, owner, "unit");
	n = list_length(l.inner->targetList);
	if (keys != NIL)
		within = number_groups(&l, &limits, unit, keys, order);
	/* the limits of groups may already imply the limit of rows */
	if (within != NIL &&
		(list_length(within) == 1 || limits.rows < (int64) limits.groups * limits.rows_per_group))
	{
		add_level(&l, n, for_units(source, unit, always, within));
		within = NIL;
	}
	if (within == NIL)
		within = list_make1(at_most(add_number(&l, F_ROW_NUMBER, list_make1(sort_by(&l, present(&l, unit))),
											   order == NULL ? NULL : present(&l, order), "row"), limits.rows));
	outer = put_states_above(&l, for_units(source, unit, always, within), target, groups);
	if (counts_units)
		llast_node(TargetEntry, outer->targetList)->expr = count_units(unit, placed);
	return outer;
}

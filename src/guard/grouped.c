/*
 * grouped.c
 *		Subqueries with GROUP BY below the aggregates.
 *
 *		SELECT n, dp_count(*)
 *		FROM (SELECT c.id, count(o.id) AS n
 *			  FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id)
 *		GROUP BY n
 *
 * The subquery is like a relation of its own, with a row for each group, and its
 * exact aggregates are private cells of that row.
 *
 * Claim.  Each of these rows belongs to one unit, and is a function of the rows of
 * this unit, and of public relations, alone.
 *
 * Proof.  What is grouped are rows of a join.  One of the protected relations, p,
 * is not on the optional side of an outer join, and one of the keys is p's unit, or
 * equal to it by conditions of the join: so the rows of a group have one unit.  What
 * else is protected belongs to the same unit in every row of the join that has
 * it, by the conditions of the join and, on an optional side, of the outer joins
 * around it.  So the rows of a group are a function of this unit's rows.  They
 * may be many: the aggregates make one of them, and each that is admitted here is
 * a function of the multiset of its arguments, whatever the order they come in.
 *
 * - Sums and means of floating-point numbers depend on the order, which depends on
 *	 where rows lie, and so on others.  They are computed as numeric, exactly, and
 *	 become floating-point again.
 * - Of equal values that look different min and max take the first, and so does
 *	 GROUP BY: numeric and floating-point values are brought into one form first,
 *	 other types must not have such values.
 * - None raises an error, whatever the arguments: sums of numeric are of values that
 *	 leave room for as many as there can be.  Arguments, keys and FILTER are
 *	 conditions' equals, and attempted (attempt.h).
 *
 * How many rows a unit has: one, if all other keys are columns of rows that the unit
 * has one of.  Else the limits that are declared count groups (unit_rows.c).
 *
 * How they change with a unit more or less in any of the relations: if all that is
 * protected is required, a unit that is missing from one of them has no groups.
 * If some is on an optional side, or in a subquery under NOT, it keeps its groups
 * with other values: a row takes the place of another (swaps_rows, semijoin.c), and
 * under replace two units would do so at once, which is refused.
 *
 * A unit that has one row is met by no more than one, as by a unique index.
 *
 * Ranges: a count is clamped into [0, m], where m is the largest max_rows that is
 * declared for the relations below, and sums into m times the hull of 0 and the
 * argument's range: that is a matter of usefulness, since cells are clamped anyway.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "glue/analysis.h"
#include "glue/bounds.h"
#include "glue/bracket_cache.h"
#include "glue/glue.h"
#include "glue/import.h"
#include "glue/settings.h"
#include "guard/attempt.h"
#include "guard/columns.h"
#include "guard/grouped.h"
#include "guard/groups.h"
#include "guard/join.h"
#include "guard/join_proof.h"
#include "guard/join_unit.h"
#include "guard/range.h"
#include "guard/safe.h"
#include "guard/selection.h"
#include "guard/semijoin.h"
#include "num/interval.h"

/* Of which range a result is. */
typedef enum RangeKind
{
	RANGE_OF_NONE,				/* a truth value */
	RANGE_OF_ROWS,
	RANGE_OF_SUM,
	RANGE_OF_ARGUMENT
} RangeKind;

/* How an argument is brought into a form in which order does not matter. */
typedef enum ArgumentForm
{
	AS_IT_IS,
	AS_NUMERIC,					/* summed as numeric */
	AS_SCALED,					/* numeric without trailing zeros */
	AS_POSITIVE_ZERO			/* -0 is 0 */
} ArgumentForm;

typedef struct Admitted
{
	Oid			function;
	RangeKind	range;
	ArgumentForm form;
	Oid			exact;			/* what is called instead, or InvalidOid */
} Admitted;

static const Admitted admitted[] = {
	{F_COUNT_, RANGE_OF_ROWS, AS_IT_IS, InvalidOid},
	{F_COUNT_ANY, RANGE_OF_ROWS, AS_IT_IS, InvalidOid},
	{F_SUM_INT2, RANGE_OF_SUM, AS_IT_IS, InvalidOid},
	{F_SUM_INT4, RANGE_OF_SUM, AS_IT_IS, InvalidOid},
	{F_SUM_INT8, RANGE_OF_SUM, AS_IT_IS, InvalidOid},
	{F_SUM_NUMERIC, RANGE_OF_SUM, AS_NUMERIC, F_SUM_NUMERIC},
	{F_SUM_FLOAT4, RANGE_OF_SUM, AS_NUMERIC, F_SUM_NUMERIC},
	{F_SUM_FLOAT8, RANGE_OF_SUM, AS_NUMERIC, F_SUM_NUMERIC},
	{F_AVG_INT2, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_AVG_INT4, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_AVG_INT8, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_AVG_NUMERIC, RANGE_OF_ARGUMENT, AS_NUMERIC, F_AVG_NUMERIC},
	{F_AVG_FLOAT4, RANGE_OF_ARGUMENT, AS_NUMERIC, F_AVG_NUMERIC},
	{F_AVG_FLOAT8, RANGE_OF_ARGUMENT, AS_NUMERIC, F_AVG_NUMERIC},
	{F_MIN_INT2, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_INT4, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_INT8, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_NUMERIC, RANGE_OF_ARGUMENT, AS_SCALED, InvalidOid},
	{F_MIN_FLOAT4, RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MIN_FLOAT8, RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MIN_DATE, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_TIMESTAMP, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_TIMESTAMPTZ, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_INT2, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_INT4, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_INT8, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_NUMERIC, RANGE_OF_ARGUMENT, AS_SCALED, InvalidOid},
	{F_MAX_FLOAT4, RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MAX_FLOAT8, RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MAX_DATE, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_TIMESTAMP, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_TIMESTAMPTZ, RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_BOOL_AND, RANGE_OF_NONE, AS_IT_IS, InvalidOid},
	{F_BOOL_OR, RANGE_OF_NONE, AS_IT_IS, InvalidOid},
	{F_EVERY, RANGE_OF_NONE, AS_IT_IS, InvalidOid},
};

/* One column of the subquery that runs. */
typedef struct DpsGroupedColumn
{
	Node	   *original;		/* as the subquery writes it */
	Expr	   *expression;		/* what is computed, over columns of what is
								 * grouped */
	Node	   *plain;			/* of a key: before equal values look alike */
	SortGroupClause *clause;	/* of a key */
	const Admitted *aggregate;	/* NULL for a key */
	Node	   *argument;		/* of an aggregate, expanded, or NULL */
	bool		has_range;		/* it was found */
	double		lo;
	double		hi;
} DpsGroupedColumn;

static const char *const shape_hint =
"Group a protected relation by its unit, in a subquery of tables, joins, WHERE, GROUP BY and HAVING.";

bool
dps_is_grouped_query(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL;
}

static Node *
strip_relabel(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static DpsGroupedColumn *
column_of(const DpsPart *part, AttrNumber column)
{
	return list_nth(part->grouping->columns, column - 1);
}

static void
refuse_at(const DpsProtectedSource *source, int location, const char *what, const char *hint)
{
	DpsProtectedSource here = *source;

	if (location >= 0)
		here.location = location;
	dps_refuse_source(&here, what, hint);
}

/* ---- the shape ---- */

static void
check_shape(const DpsProtectedSource *inner, Query *query)
{
	Query		plain = *query;

	if (query->groupingSets != NIL)
		dps_refuse_source(inner, "GROUPING SETS, ROLLUP and CUBE in a subquery are", shape_hint);
	if (query->groupClause == NIL)
		dps_refuse_source(inner, "an aggregate without GROUP BY in a subquery is", shape_hint);
	if (checkExprHasSubLink(query->havingQual))
		dps_refuse_source(inner, "a subquery in HAVING of a subquery is", shape_hint);
	/* the rest is as for any other subquery */
	plain.hasAggs = false;
	plain.groupClause = NIL;
	plain.havingQual = NULL;
	dps_check_subquery(inner, &plain);
}

/* ---- whose rows are grouped ---- */

static void
number_walker(Node *tree, Bitmapset **numbers)
{
	ListCell   *cell;

	if (IsA(tree, RangeTblRef))
		*numbers = bms_add_member(*numbers, ((RangeTblRef *) tree)->rtindex);
	else if (IsA(tree, FromExpr))
	{
		foreach(cell, ((FromExpr *) tree)->fromlist)
			number_walker(lfirst(cell), numbers);
	}
	else
	{
		number_walker(((JoinExpr *) tree)->larg, numbers);
		number_walker(((JoinExpr *) tree)->rarg, numbers);
	}
}

static bool
holds(Node *tree, int number)
{
	Bitmapset  *numbers = NULL;

	number_walker(tree, &numbers);
	return bms_is_member(number, numbers);
}

/* The tree for rows that have this part: outer joins around it are inner. */
static Node *
require(Node *tree, int number)
{
	JoinExpr   *join = (JoinExpr *) tree;
	FromExpr   *from;
	ListCell   *cell;

	if (IsA(tree, RangeTblRef))
		return tree;
	if (IsA(tree, FromExpr))
	{
		from = makeFromExpr(NIL, ((FromExpr *) tree)->quals);
		foreach(cell, ((FromExpr *) tree)->fromlist)
			from->fromlist = lappend(from->fromlist, require(lfirst(cell), number));
		return (Node *) from;
	}
	if (holds(join->rarg, number))
		return (Node *) makeFromExpr(list_make2(join->larg, require(join->rarg, number)), join->quals);
	if (!holds(join->larg, number))
		return tree;
	join = (JoinExpr *) memcpy(makeNode(JoinExpr), tree, sizeof(JoinExpr));
	join->larg = require(join->larg, number);
	return (Node *) join;
}

/* Parts that are in every row. */
static void
required_walker(Node *tree, Bitmapset **numbers)
{
	ListCell   *cell;

	if (IsA(tree, RangeTblRef))
		*numbers = bms_add_member(*numbers, ((RangeTblRef *) tree)->rtindex);
	else if (IsA(tree, FromExpr))
	{
		foreach(cell, ((FromExpr *) tree)->fromlist)
			required_walker(lfirst(cell), numbers);
	}
	else
		required_walker(((JoinExpr *) tree)->larg, numbers);
}

/* The rows of the join that have the part. */
static DpsProtectedSource
rows_with(const DpsProtectedSource *inner, int number)
{
	DpsProtectedSource rows = *inner;
	Bitmapset  *required = NULL;
	ListCell   *cell;
	int			i = 1;

	rows.from = require(inner->from, number);
	required_walker(rows.from, &required);
	rows.parts = NIL;
	foreach(cell, inner->parts)
	{
		DpsPart    *part = palloc(sizeof(DpsPart));

		*part = *(const DpsPart *) lfirst(cell);
		part->nullable = !bms_is_member(i++, required);
		rows.parts = lappend(rows.parts, part);
	}
	rows.indexes = NIL;
	return rows;
}

static void
check_units(DpsProtectedSource *inner)
{
	int			i;

	for (i = 2; i <= list_length(inner->parts); i++)
	{
		const DpsPart *part = list_nth(inner->parts, i - 1);
		DpsProtectedSource rows;

		if (!part->annotation.is_protected)
			continue;
		rows = rows_with(inner, i);
		dps_check_same_unit(&rows, i);
		inner->indexes = list_concat_unique_oid(inner->indexes, rows.indexes);
		inner->swaps_rows |= part->nullable;
	}
}

/* The first protected part that every row has becomes the first of all. */
static void
choose_first(DpsProtectedSource *inner)
{
	ListCell   *cell;
	int			number = 1;

	foreach(cell, inner->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->annotation.is_protected && !part->nullable)
		{
			dps_put_first(inner, number);
			return;
		}
		number++;
	}
	dps_refuse_source(inner, "a subquery with GROUP BY or aggregates without a protected relation that all of its rows have is",
					  shape_hint);
}

static void
trace(DpsProtectedSource *inner, Query *query)
{
	const DpsPart *first;
	ListCell   *cell;

	inner->allows_optional = true;
	inner->from = dps_flatten_level(inner, query);
	foreach(cell, inner->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->arms != NIL || part->grouping != NULL)
			dps_refuse_source(inner, "UNION ALL or another GROUP BY below a subquery with GROUP BY is", shape_hint);
		dps_check_part(inner, lfirst(cell));
	}
	choose_first(inner);
	first = linitial(inner->parts);
	inner->relation = first->relation;
	inner->annotation = first->annotation;
	if (inner->annotation.adjacency != DPS_ADD_REMOVE && inner->annotation.adjacency != DPS_REPLACE)
		dps_refuse_source(inner, "GROUP BY in a subquery, of a relation with an adjacency that is about single columns, is",
						  "Protect the relation with adjacency add_remove or replace.");
	inner->unit = dps_find_part_unit(inner, 1);
	check_units(inner);
	/* of one group other values can take the place, too */
	inner->limits_unit = true;
	dps_check_join_conditions(inner);
	dps_check_semijoins(inner);
	if (inner->swaps_rows && inner->annotation.adjacency == DPS_REPLACE)
		dps_refuse_source(inner, "an outer join with a protected relation below GROUP BY, with adjacency replace, is",
						  "Protect the relations with adjacency add_remove.");
}

/* ---- keys ---- */

static DpsGroupedColumn *
make_key(DpsProtectedSource *inner, Query *query, SortGroupClause *clause)
{
	Node	   *expression = get_sortgroupclause_expr(clause, query->targetList);
	DpsGroupedColumn *column = palloc0(sizeof(DpsGroupedColumn));
	DpsKey	   *key;

	if (checkExprHasSubLink(expression))
		refuse_at(inner, exprLocation(expression), "a subquery in GROUP BY of a subquery is", shape_hint);
	key = dps_undeclared_key(inner, expression);
	dps_canonical_key(inner, key);
	column->original = expression;
	column->expression = (Expr *) dps_expand_at(inner, query, key->canonical);
	column->plain = strip_relabel(dps_expand_at(inner, query, expression));
	column->clause = clause;
	dps_check_join_condition(inner, (Node *) column->expression);
	return column;
}

/* Is the key the unit, or equal to it? */
static bool
is_unit(const DpsProtectedSource *inner, const DpsGroupedColumn *key)
{
	Var		   *var = (Var *) key->plain;

	if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0 || inner->unit == NULL)
		return false;
	if (var->varno == inner->unit->varno && var->varattno == inner->unit->varattno)
		return dps_var_is_not_null(inner, var);
	return dps_are_equal_columns(inner, inner->unit, var);
}

/* A column of a row that the unit has one of. */
static bool
follows_from_unit(const DpsProtectedSource *inner, const DpsGroupedColumn *key)
{
	const Var  *var = (const Var *) key->plain;
	const DpsPart *part;

	if (is_unit(inner, key))
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
			 errdetail(inner->unit == NULL ? "Nothing in its FROM says whose the rows of \"%s\" are." :
					   "None of its keys is the unit of \"%s\", or a column without nulls that is equal to it: a group could have rows of several units.",
					   get_rel_name(inner->relation)),
			 errhint("Add the unit's column to GROUP BY of the subquery, and to FROM the relation that has it."),
			 errposition(dps_query_position(inner, exprLocation(get_sortgroupclause_expr(linitial(query->groupClause), query->targetList))))));
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
		if (grouping->unit == 0 && is_unit(inner, key))
			grouping->unit = list_length(grouping->columns);
		part->annotation.unit_is_unique &= follows_from_unit(inner, key);
	}
	grouping->nkeys = list_length(grouping->columns);
	if (grouping->unit == 0)
		refuse_without_unit(inner, query);
}

/* ---- aggregates ---- */

static const Admitted *
find_admitted(const DpsProtectedSource *inner, const Aggref *aggref)
{
	Size		i;

	for (i = 0; i < lengthof(admitted); i++)
	{
		if (admitted[i].function == aggref->aggfnoid)
			break;
	}
	if (i == lengthof(admitted) || aggref->aggkind != AGGKIND_NORMAL)
		refuse_at(inner, aggref->location, psprintf("aggregate function %s in a subquery is", get_func_name(aggref->aggfnoid)),
				  "Use count, sum, avg, min, max of numbers, min and max of dates and timestamps, bool_and and bool_or.");
	if (aggref->aggorder != NIL || (aggref->aggdistinct != NIL && admitted[i].range != RANGE_OF_ROWS) ||
		aggref->agglevelsup != 0)
		refuse_at(inner, aggref->location, "ORDER BY or DISTINCT in an aggregate of a subquery, other than count(DISTINCT), is",
				  "Leave it out.");
	return &admitted[i];
}

static Expr *
cast(Oid function, Oid type, Expr *argument)
{
	return (Expr *) makeFuncExpr(function, type, list_make1(argument), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * A numeric value that leaves room for as many as there can be: CASE WHEN x >=
 * -1e1000 AND x <= 1e1000 THEN x END.
 */
static Expr *
within_room(Expr *argument)
{
	static const struct
	{
		const char *operator;
		const char *bound;
	}			sides[2] = {{">=", "-1e1000"}, {"<=", "1e1000"}};
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);
	List	   *conditions = NIL;
	int			i;

	for (i = 0; i < 2; i++)
	{
		Oid			operator = OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString(pstrdup(sides[i].operator))),
												NUMERICOID, NUMERICOID);
		Datum		bound = DirectFunctionCall3(numeric_in, CStringGetDatum(sides[i].bound), ObjectIdGetDatum(InvalidOid),
												Int32GetDatum(-1));

		conditions = lappend(conditions,
							 make_opclause(operator, BOOLOID, false, copyObject(argument),
										   (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1, bound, false, false),
										   InvalidOid, InvalidOid));
	}
	when->expr = (Expr *) make_andclause(conditions);
	when->result = argument;
	when->location = -1;
	choice->casetype = NUMERICOID;
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(NUMERICOID, -1, InvalidOid);
	choice->location = -1;
	return (Expr *) choice;
}

static Expr *
in_form(ArgumentForm form, Expr *argument)
{
	Oid			type = exprType((Node *) argument);
	Expr	   *zero;

	switch (form)
	{
		case AS_IT_IS:
			return argument;
		case AS_NUMERIC:
			if (type == FLOAT4OID)
				argument = cast(F_NUMERIC_FLOAT4, NUMERICOID, argument);
			if (type == FLOAT8OID)
				argument = cast(F_NUMERIC_FLOAT8, NUMERICOID, argument);
			return within_room(argument);
		case AS_SCALED:
			return cast(F_TRIM_SCALE, NUMERICOID, argument);
		case AS_POSITIVE_ZERO:
			zero = type == FLOAT4OID ?
				(Expr *) makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4), Float4GetDatum(0), false, true) :
				(Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0), false, FLOAT8PASSBYVAL);
			return (Expr *) makeFuncExpr(type == FLOAT4OID ? F_FLOAT4PL : F_FLOAT8PL, type, list_make2(argument, zero),
										 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	}
	return argument;
}

/* What is computed as numeric, in the type that it has. */
static Expr *
in_type(Expr *result, Oid type)
{
	if (type == FLOAT4OID)
		return cast(F_FLOAT4_NUMERIC, FLOAT4OID, result);
	if (type == FLOAT8OID)
		return cast(F_FLOAT8_NUMERIC, FLOAT8OID, result);
	return result;
}

/* The aggregate over columns of what is grouped. */
static Expr *
make_call(DpsProtectedSource *inner, Query *query, const Aggref *original, DpsGroupedColumn *column)
{
	Aggref	   *aggref = copyObjectImpl(original);
	ListCell   *cell;

	foreach(cell, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		column->argument = dps_expand_at(inner, query, (Node *) entry->expr);
		dps_check_join_condition(inner, column->argument);
		if (aggref->aggdistinct != NIL && !dps_is_known_type(exprType(column->argument)))
			refuse_at(inner, original->location, "DISTINCT of this type in a subquery is", "Count distinct numbers, strings or dates.");
		entry->expr = in_form(column->aggregate->form, (Expr *) copyObjectImpl(column->argument));
	}
	if (aggref->aggfilter != NULL)
	{
		aggref->aggfilter = (Expr *) dps_expand_at(inner, query, (Node *) aggref->aggfilter);
		dps_check_join_condition(inner, (Node *) aggref->aggfilter);
	}
	if (!OidIsValid(column->aggregate->exact))
		return (Expr *) aggref;
	aggref->aggfnoid = column->aggregate->exact;
	aggref->aggtype = NUMERICOID;
	aggref->aggargtypes = list_make1_oid(NUMERICOID);
	aggref->aggtranstype = InvalidOid;
	return in_type((Expr *) aggref, original->aggtype);
}

typedef struct Aggregates
{
	DpsGrouping *grouping;
	Query	   *query;
} Aggregates;

static DpsGroupedColumn *
find_column(const DpsGrouping *grouping, Node *original, int *number)
{
	ListCell   *cell;

	*number = 0;
	foreach(cell, grouping->columns)
	{
		DpsGroupedColumn *column = lfirst(cell);

		++*number;
		if (equal(column->original, original))
			return column;
	}
	return NULL;
}

static bool
aggregate_walker(Node *node, Aggregates *found)
{
	DpsGroupedColumn *column;
	int			number;

	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, aggregate_walker, found);
	if (find_column(found->grouping, node, &number) != NULL)
		return false;
	column = palloc0(sizeof(DpsGroupedColumn));
	column->original = node;
	column->aggregate = find_admitted(found->grouping->source, (Aggref *) node);
	column->expression = make_call(found->grouping->source, found->query, (Aggref *) node, column);
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
	trace(inner, query);
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

DpsPart *
dps_grouped_part(const DpsProtectedSource *source, const RangeTblEntry *entry, int *number)
{
	ListCell   *cell;

	*number = 0;
	foreach(cell, source->parts)
	{
		DpsPart    *part = lfirst(cell);

		++*number;
		if (part->entry == entry && part->grouping != NULL)
			return part;
	}
	return NULL;
}

Var *
dps_grouped_column(const DpsPart *part, int number, AttrNumber column)
{
	Node	   *expression = (Node *) column_of(part, column)->expression;

	return makeVar(number, column, exprType(expression), exprTypmod(expression), exprCollation(expression), 0);
}

typedef struct Expansion
{
	const DpsProtectedSource *source;
	const DpsPart *part;
	int			number;
} Expansion;

static Node *
column_mutator(Node *node, Expansion *expansion)
{
	int			column;

	if (node == NULL)
		return NULL;
	if (find_column(expansion->part->grouping, node, &column) != NULL)
		return (Node *) dps_grouped_column(expansion->part, expansion->number, column);
	if (IsA(node, Var))
		refuse_at(expansion->source, ((Var *) node)->location, "a column of a subquery outside of its GROUP BY and its aggregates is",
				  "Add it to GROUP BY of the subquery.");
	return expression_tree_mutator(node, column_mutator, expansion);
}

Node *
dps_grouped_expression(const DpsProtectedSource *source, const DpsPart *part, int number, Node *expression)
{
	Expansion	expansion = {source, part, number};

	return column_mutator(expression, &expansion);
}

Var *
dps_grouped_unit(const DpsPart *part, int number)
{
	return dps_grouped_column(part, number, part->grouping->unit);
}

/* ---- what is known of its columns ---- */

bool
dps_grouped_column_is_not_null(const DpsPart *part, AttrNumber column)
{
	const DpsGroupedColumn *one = column_of(part, column);

	if (column == part->grouping->unit)
		return true;
	if (one->aggregate != NULL)
		return one->aggregate->range == RANGE_OF_ROWS;
	return IsA(one->plain, Var) && dps_var_is_not_null(part->grouping->source, (Var *) one->plain);
}

void
dps_get_grouped_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation)
{
	const DpsGroupedColumn *one = column_of(part, column);

	memset(annotation, 0, sizeof(*annotation));
	annotation->weight = 1;
	if (one->aggregate == NULL && IsA(one->plain, Var))
		dps_get_var_annotation(part->grouping->source, (Var *) one->plain, annotation);
	if (one->has_range)
	{
		annotation->has_range = true;
		annotation->lo = one->lo;
		annotation->hi = one->hi;
	}
	annotation->weight = 1;
	annotation->is_public = annotation->is_unit = annotation->by_reference = false;
}

/* As the subquery calls it, where it has a name. */
char *
dps_grouped_column_name(const DpsPart *part, AttrNumber column)
{
	const DpsGroupedColumn *one = column_of(part, column);
	ListCell   *cell;

	foreach(cell, part->grouping->source->query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk && entry->resname != NULL && equal(entry->expr, one->original))
			return pstrdup(quote_identifier(entry->resname));
	}
	if (one->aggregate != NULL)
		return psprintf("%s(...)", get_func_name(((const Aggref *) one->original)->aggfnoid));
	return psprintf("key %d", column);
}

int
dps_grouped_keys(const DpsPart *part, AttrNumber *columns)
{
	int			i;

	if (part->annotation.unit_is_unique)
	{
		columns[0] = part->grouping->unit;
		return 1;
	}
	for (i = 0; i < part->grouping->nkeys; i++)
		columns[i] = i + 1;
	return part->grouping->nkeys;
}

/* ---- ranges ---- */

/* The largest number of a unit's rows that is declared below; 0: none. */
static int64
declared_rows(const DpsGrouping *grouping)
{
	int64		rows = 0;
	ListCell   *cell;

	foreach(cell, grouping->source->parts)
	{
		const DpsPart *part = lfirst(cell);
		DpsUnitLimits limits = part->annotation.limits;
		int64		most = (int64) limits.groups * limits.rows_per_group;

		if (!part->annotation.is_protected)
			continue;
		if (part->annotation.unit_is_unique && !part->annotation.unit_by_reference)
			most = 1;
		if (limits.rows > 0)
			most = limits.rows;
		rows = Max(rows, most);
	}
	return rows;
}

static void
ask(DpsGraph *graph, const DpsNode *value, const DpsDomain *box, DpsQuestionKind kind, DpsBracket *bracket, int position)
{
	DpsQuestion question = {
		.kind = kind,
		.graph = graph,
		.node = value,
		.box = box,
		.variable = -1,
		.options = dps_setting_bound_options()
	};

	dps_ask(&question, NULL, bracket);
	dps_refuse_bracket(graph, bracket, "the argument of the subquery's aggregate", position);
}

/* Certified bounds of the argument, under the conditions of the subquery. */
static void
bound_argument(DpsProtectedSource *inner, DpsGroupedColumn *column)
{
	int			position = dps_query_position(inner, exprLocation(column->argument));
	DpsImport	import = {0};
	DpsColumns *columns = palloc0(sizeof(DpsColumns));
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	const DpsNode *value;
	DpsBracket	bracket;
	int			i;

	dps_columns_prepare(&import, columns, inner);
	dps_check_status(dps_graph_init(&import.graph, dps_server_arena()));
	value = dps_import(&import, column->argument);
	value = value != NULL ? dps_as_float8(import.graph, value) : NULL;
	if (value == NULL)
		dps_check_status(DPS_NOMEM);
	for (i = 0; i < import.graph->nvariables; i++)
		box[i] = columns->column[i].cell.domain;
	dps_narrow_by_conditions(&import, inner->conditions, box);
	ask(import.graph, value, box, DPS_ASK_INFIMUM, &bracket, position);
	column->lo = bracket.lower;
	ask(import.graph, value, box, DPS_ASK_SUPREMUM, &bracket, position);
	column->hi = bracket.upper;
}

static void
refuse_unbounded(const DpsProtectedSource *source, const Var *var, const DpsGroupedColumn *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("nothing says how large \"%s\" of a subquery can be",
					dps_grouped_column_name(dps_var_part(source, var), var->varattno)),
			 column->aggregate == NULL ?
			 errhint("Group by a column with a range, or declare one with dpsens.set_range().") :
			 column->aggregate->range == RANGE_OF_NONE ?
			 errhint("Use it in conditions, in FILTER or in GROUP BY.") :
			 errhint("Declare max_rows of a relation below with dpsens.protect(): counts and sums are clamped to so many rows."),
			 errposition(dps_query_position(source, var->location))));
}

void
dps_find_grouped_range(const DpsProtectedSource *source, const Var *var)
{
	const DpsPart *part = dps_var_part(source, var);
	DpsGroupedColumn *column = column_of(part, var->varattno);
	DpsColumnAnnotation annotation;
	int64		rows = declared_rows(part->grouping);

	dps_get_grouped_annotation(part, var->varattno, &annotation);
	if (annotation.has_range)
		return;
	if (column->aggregate == NULL || column->aggregate->range == RANGE_OF_NONE ||
		(rows == 0 && column->aggregate->range != RANGE_OF_ARGUMENT))
		refuse_unbounded(source, var, column);
	if (column->aggregate->range == RANGE_OF_ROWS)
	{
		/* there is no group without rows */
		column->lo = column->argument == NULL && ((const Aggref *) column->original)->aggfilter == NULL ? 1 : 0;
		column->hi = rows;
	}
	else
		bound_argument(part->grouping->source, column);
	if (column->aggregate->range == RANGE_OF_SUM)
	{
		column->lo = column->lo < 0 ? -dps_mul_up(-column->lo, rows) : 0;
		column->hi = column->hi > 0 ? dps_mul_up(column->hi, rows) : 0;
	}
	column->has_range = true;
}

/* ---- the query ---- */

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
		query->targetList = lappend(query->targetList, entry);
		number++;
	}
	query->hasAggs = list_length(grouping->columns) > grouping->nkeys;
	query->canSetTag = true;
	*checks = list_concat_unique(*checks, own);
	return dps_subquery_entry(query, part->entry->eref->aliasname);
}

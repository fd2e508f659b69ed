/*
 * range_by_key.c
 *		Ranges of columns that hold where another column has a declared value.
 *
 * A table of laboratory results holds values of many tests, whose ranges differ by orders of magnitude.  The declared
 * range of all of them would make noise for a query of one.
 *
 * Precondition: none.  The conditions may be true of the rows that count or not, be understood or not.
 *
 * Postcondition: what the release that uses the range promises holds of any rows.
 *
 * Argument.  The range is one of those that labels declare, or the least that holds some of them: a function of the
 * declarations, which are public, and of the text of the query, and not of a row.  Into this box all cells are clamped,
 * and on it every bound of the release is proved, as they are for the box of the plain ranges (definitions, section 1;
 * narrow_by_where.c: any non-empty box will do, right or wrong).  A condition that is taken for another makes an answer
 * about values that were clamped to a range that is not theirs, and costs no privacy.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "base/once.h"
#include "glue/import/import.h"
#include "glue/label/keyed_range.h"
#include "guard/condition/written.h"
#include "guard/source/grouped_part.h"
#include "guard/source/range_by_key.h"

/* A column of a row of a relation: keys of groups are those of the rows below. */
typedef struct RowColumn
{
	const DpsProtectedSource *source;	/* with varno, which row */
	Index		varno;
	Oid			relation;
	AttrNumber	number;
} RowColumn;

/* The ranges of a column. */
typedef struct KeyedColumn
{
	const DpsProtectedSource *source;	/* of the conditions */
	RowColumn	column;
	List	   *ranges;			/* of DpsKeyedRange * */
} KeyedColumn;

/* What a condition says: the least range that holds those of the values that it admits. */
typedef struct Chosen
{
	bool		any;
	double		lo;
	double		hi;
} Chosen;

static const DpsKeyedRange *
find_range(const KeyedColumn *column, AttrNumber key, const char *value)
{
	ListCell   *cell;

	foreach(cell, column->ranges)
	{
		const DpsKeyedRange *range = lfirst(cell);

		if (range->key == key && strcmp(range->value, value) == 0)
			return range;
	}
	return NULL;
}

/* False for what is no column of a relation: a result of a group, a column of UNION ALL or of a list. */
static bool
find_column(const DpsProtectedSource *source, const Var *var, RowColumn *column)
{
	const DpsPart *part;
	const Var  *below;

	if (var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	part = dps_var_part(source, var);
	if (part != NULL && (part->arms != NIL || part->constants != NULL))
		return false;
	if (part == NULL || part->grouping == NULL)
	{
		*column = (RowColumn) {source, var->varno, dps_var_relation(source, var), var->varattno};
		return true;
	}
	below = dps_grouped_origin(part, var->varattno);
	return below != NULL && find_column(part->grouping->source, below, column);
}

/* Is the Var a column of the same row? */
static bool
is_of_row(const KeyedColumn *column, const Var *var, AttrNumber *number)
{
	RowColumn	other;

	if (!find_column(column->source, var, &other))
		return false;
	*number = other.number;
	return other.source == column->column.source && other.varno == column->column.varno;
}

/* The least range that holds both, where both are chosen. */
static Chosen
least_of_both(Chosen a, Chosen b)
{
	if (!a.any || !b.any)
		return a.any ? a : b;
	return (Chosen) {true, dps_min(a.lo, b.lo), dps_max(a.hi, b.hi)};
}

/* What a comparison says of the column's key. */
static Chosen
by_comparison(const KeyedColumn *column, Node *condition)
{
	const DpsKeyedRange *range = NULL;
	AttrNumber	number;
	Var		   *var;
	char	   *value;

	if (dps_match_key(condition, &var, &value) && is_of_row(column, var, &number))
		range = find_range(column, number, value);
	return range == NULL ? (Chosen) {false} : (Chosen) {true, range->lo, range->hi};
}

/* key IN ('one', 'other') */
static Chosen
by_membership(const KeyedColumn *column, const ScalarArrayOpExpr *membership)
{
	Chosen		chosen = {false};
	List	   *elements;
	ListCell   *cell;

	if (!membership->useOr || !dps_list_elements(lsecond(membership->args), &elements))
		return chosen;
	foreach(cell, elements)
	{
		Expr	   *comparison = make_opclause(membership->opno, BOOLOID, false, linitial(membership->args), lfirst(cell),
											   InvalidOid, membership->inputcollid);
		Chosen		one = by_comparison(column, (Node *) comparison);

		CHECK_FOR_INTERRUPTS();
		if (!one.any)
			return one;
		chosen = least_of_both(chosen, one);
	}
	return chosen;
}

static Chosen by_condition(const KeyedColumn *column, Node *condition);

/* What both say, of AND; the first where no range is in both. */
static Chosen
both_of(Chosen a, Chosen b)
{
	Chosen		both = {true, dps_max(a.lo, b.lo), dps_min(a.hi, b.hi)};

	if (!a.any || !b.any)
		return a.any ? a : b;
	return both.lo <= both.hi ? both : a;
}

/* Of OR all alternatives must say something; of AND one is enough. */
static Chosen
by_list(const KeyedColumn *column, const List *conditions, bool all)
{
	Chosen		chosen = {false};
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Chosen		one = by_condition(column, lfirst(cell));

		if (all && !one.any)
			return one;
		chosen = all ? least_of_both(chosen, one) : both_of(chosen, one);
	}
	return chosen;
}

static Chosen
by_condition(const KeyedColumn *column, Node *condition)
{
	check_stack_depth();
	if (IsA(condition, List))
		return by_list(column, (List *) condition, false);
	if (IsA(condition, ScalarArrayOpExpr))
		return by_membership(column, (ScalarArrayOpExpr *) condition);
	condition = dps_written_out(condition);
	if (is_andclause(condition) || is_orclause(condition))
		return by_list(column, ((BoolExpr *) condition)->args, is_orclause(condition));
	return by_comparison(column, condition);
}

void
dps_choose_range(const DpsProtectedSource *source, const Var *var, const List *conditions, DpsColumnAnnotation *annotation)
{
	KeyedColumn column = {.source = source};
	const DpsPart *part;
	Chosen		chosen;

	if (!annotation->has_keyed_ranges || !find_column(source, var, &column.column))
		return;
	/* what is said below of the rows of groups is true of their keys */
	part = dps_var_part(source, var);
	if (part != NULL && part->grouping != NULL)
		dps_choose_range(part->grouping->source, dps_grouped_origin(part, var->varattno), part->grouping->source->conditions, annotation);
	column.ranges = dps_keyed_ranges(column.column.relation, column.column.number);
	chosen = by_list(&column, conditions, false);
	if (!chosen.any)
		return;
	annotation->has_range = true;
	annotation->lo = chosen.lo;
	annotation->hi = chosen.hi;
}

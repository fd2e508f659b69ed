/*
 * grouped_units.c
 *		The units of the rows below a subquery with GROUP BY (grouped.c).
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "guard/trace/grouped.h"
#include "guard/trace/join.h"
#include "guard/trace/join_unit.h"
#include "guard/trace/semijoin.h"

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

/* The join tree restricted to rows that have this part: outer joins of which it is on the optional side
 * become inner. */
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

/* Collects the parts that are in every row of the tree. */
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

/* The source of those rows of the join that have the part. */
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

/* Makes the first protected part that every row has the first part. */
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
					  DPS_GROUPED_HINT);
}

void
dps_trace_grouped(DpsProtectedSource *inner, Query *query)
{
	const DpsPart *first;
	ListCell   *cell;

	inner->allows_optional = true;
	inner->from = dps_flatten_level(inner, query);
	foreach(cell, inner->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->arms != NIL || part->grouping != NULL)
			dps_refuse_source(inner, "UNION ALL or another GROUP BY below a subquery with GROUP BY is", DPS_GROUPED_HINT);
		dps_check_part(inner, lfirst(cell));
	}
	choose_first(inner);
	first = linitial(inner->parts);
	inner->relation = first->relation;
	inner->annotation = first->annotation;
	if (inner->annotation.adjacency != DPS_ADD_REMOVE && inner->annotation.adjacency != DPS_REPLACE)
		dps_refuse_source(inner, "GROUP BY in a subquery, of a relation with an adjacency that is about single columns, is",
						  "Protect the relation with adjacency add_remove or replace.");
	inner->unit_vars = dps_find_part_unit(inner, 1);
	check_units(inner);
	/* a group's row can be replaced by one with other values, too */
	inner->limits_unit = true;
	dps_check_join_conditions(inner);
	dps_check_semijoins(inner);
	if (inner->swaps_rows && inner->annotation.adjacency == DPS_REPLACE)
		dps_refuse_source(inner, "an outer join with a protected relation below GROUP BY, with adjacency replace, is",
						  "Protect the relations with adjacency add_remove.");
}

/*
 * grouped_part.c
 *		A subquery with GROUP BY as a part of a source, and what is known of its
 *		columns (grouped.c makes the part).
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "guard/source/grouped_part.h"

static DpsGroupedColumn *
column_of(const DpsPart *part, AttrNumber column)
{
	return list_nth(part->grouping->columns, column - 1);
}

DpsGroupedColumn *
dps_find_grouped_column(const DpsGrouping *grouping, Node *original, int *number)
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
	if (dps_find_grouped_column(expansion->part->grouping, node, &column) != NULL)
		return (Node *) dps_grouped_column(expansion->part, expansion->number, column);
	if (IsA(node, Var))
		dps_refuse_at(expansion->source, node, "a column of a subquery outside of its GROUP BY and its aggregates is",
				  "Add it to GROUP BY of the subquery.");
	return expression_tree_mutator(node, column_mutator, expansion);
}

Node *
dps_grouped_expression(const DpsProtectedSource *source, const DpsPart *part, int number, Node *expression)
{
	Expansion	expansion = {source, part, number};

	return column_mutator(expression, &expansion);
}

List *
dps_grouped_unit(const DpsPart *part, int number)
{
	List	   *vars = NIL;
	ListCell   *cell;

	foreach(cell, part->grouping->unit)
		vars = lappend(vars, dps_grouped_column(part, number, lfirst_int(cell)));
	return vars;
}

const Var *
dps_grouped_origin(const DpsPart *part, AttrNumber column)
{
	const DpsGroupedColumn *one = column_of(part, column);

	return one->aggref == NULL && IsA(one->plain, Var) ? (const Var *) one->plain : NULL;
}

bool
dps_grouped_column_is_not_null(const DpsPart *part, AttrNumber column)
{
	const DpsGroupedColumn *one = column_of(part, column);

	if (list_member_int(part->grouping->unit, column))
		return true;
	if (one->aggref != NULL)
		return one->range == DPS_RANGE_OF_ROWS;
	return dps_grouped_origin(part, column) != NULL &&
		dps_var_is_not_null(part->grouping->source, dps_grouped_origin(part, column));
}

void
dps_get_grouped_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation)
{
	const DpsGroupedColumn *one = column_of(part, column);
	const Var  *origin = dps_grouped_origin(part, column);

	memset(annotation, 0, sizeof(*annotation));
	if (origin != NULL)
		dps_get_var_annotation(part->grouping->source, origin, annotation);
	if (one->has_range)
	{
		annotation->has_range = true;
		annotation->lo = one->lo;
		annotation->hi = one->hi;
	}
	annotation->weight = 1;
	annotation->is_public = annotation->is_unit = annotation->by_reference = false;
}

/* The name of the column in the subquery's select list; else one made from the aggregate, or a number. */
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
	if (one->aggref != NULL)
		return psprintf("%s(...)", get_func_name(one->aggref->aggfnoid));
	return psprintf("key %d", column);
}

int
dps_grouped_keys(const DpsPart *part, AttrNumber *columns)
{
	int			i;
	ListCell   *cell;

	if (part->annotation.unit_is_unique)
	{
		foreach(cell, part->grouping->unit)
			columns[foreach_current_index(cell)] = lfirst_int(cell);
		return list_length(part->grouping->unit);
	}
	for (i = 0; i < part->grouping->nkeys; i++)
		columns[i] = i + 1;
	return part->grouping->nkeys;
}

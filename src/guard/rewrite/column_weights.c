/*
 * column_weights.c
 *		Which columns of weights of their own can change a release.
 *
 * Precondition: the source is traced.
 * Postcondition: least is at most the weight of every column that a statement of this level can depend on.
 * If columns are listed, each private column a change of which can change the release is among them, with
 * each of the ways in which it can.
 *
 * Proof.  Least: over all columns but public ones of every relation that the level reads, those of joins,
 * arms, groups and conditions among them; a column without a label has weight 1.
 * Listed: as in column_changes.c.  Of one relation without joins and subqueries, whose rows all count, an
 * aggregate reads a row by its arguments, its FILTER, the conditions of all levels and the keys.  Where
 * more may be read than was noted (a generated column, which stands for others; a policy of row-level
 * security; a query that is defined elsewhere) nothing is listed.
 */
#include "postgres.h"

#include "nodes/bitmapset.h"

#include "base/once.h"
#include "glue/label/annotation.h"
#include "guard/release/keys.h"
#include "guard/rewrite/column_changes.h"
#include "guard/rewrite/column_weights.h"
#include "guard/trace/expand.h"
#include "guard/trace/join.h"

/* The least weight of the relations that are read, or joined. */
static double
least_weight(DpsProtectedSource *source, const List *readings)
{
	DpsRelease	joined = {0};
	double		least = dps_least_weight(source->relation);
	ListCell   *cell;
	int			i;

	dps_note_join(source, &joined);
	for (i = 0; i < joined.njoined; i++)
		least = dps_min(least, dps_least_weight(joined.joined[i].relation));
	foreach(cell, readings)
		least = dps_min(least, dps_least_weight(((const DpsColumnReading *) lfirst(cell))->relation));
	return least;
}

static void
read_expressions(DpsProtectedSource *source, const List *expressions, DpsColumnReading *reading)
{
	ListCell   *cell;

	foreach(cell, expressions)
		dps_read_columns(dps_expand_expression(source, lfirst(cell)), reading);
}

static bool
is_listed(const DpsProtectedSource *source, const List *readings)
{
	const DpsColumnReading *reading = dps_find_reading(readings, source->relation);

	return dps_counts_all_rows(source) && reading != NULL && !reading->whole;
}

static void
add_column(Oid relation, AttrNumber number, const DpsColumnReading *values, const DpsColumnReading *selection,
		   const DpsColumnReading *keys, DpsWeights *weights)
{
	DpsColumnAnnotation annotation;

	dps_get_column_annotation(relation, number, &annotation);
	if (annotation.is_public)
		return;
	weights->column[weights->ncolumns++] = (DpsWeightedColumn) {
		.column = number, .weight = dps_attribute_weight(&annotation), .is_value = bms_is_member(number, values->columns),
		.selects = bms_is_member(number, selection->columns), .is_key = bms_is_member(number, keys->columns), .attribute = -1
	};
}

DpsWeights *
dps_weigh_columns(DpsProtectedSource *source, const List *readings, const List *keys, const List *arguments,
				  const Expr *filter)
{
	DpsColumnReading values = {0};
	DpsColumnReading selection = {0};
	DpsColumnReading of_keys = {0};
	Bitmapset  *all;
	DpsWeights *weights;
	ListCell   *cell;
	double		least;
	int			number = -1;

	least = least_weight(source, readings);
	if (least == 1.0)
		return NULL;
	weights = palloc0(offsetof(DpsWeights, column) + MaxHeapAttributeNumber * sizeof(DpsWeightedColumn));
	weights->least = least;
	if (!is_listed(source, readings))
		return weights;
	read_expressions(source, arguments, &values);
	dps_read_columns((Node *) source->conditions, &selection);
	if (filter != NULL)
		read_expressions(source, list_make1((void *) filter), &selection);
	foreach(cell, keys)
		read_expressions(source, list_make1(((DpsKey *) lfirst(cell))->expression), &of_keys);
	if (values.whole || selection.whole || of_keys.whole)
		return weights;
	all = bms_union(bms_union(values.columns, selection.columns), of_keys.columns);
	while ((number = bms_next_member(all, number)) >= 0)
		add_column(source->relation, (AttrNumber) number, &values, &selection, &of_keys, weights);
	return weights;
}

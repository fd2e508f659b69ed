/*
 * grouped_range.c
 *		The ranges of the results of a subquery with GROUP BY (grouped.c).
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/analysis/analysis.h"
#include "glue/bounds.h"
#include "glue/analysis/bracket_cache.h"
#include "glue/glue.h"
#include "glue/import/cell.h"
#include "glue/import/import.h"
#include "glue/import/import_time.h"
#include "glue/owner_hint.h"
#include "glue/settings.h"
#include "guard/release/columns.h"
#include "guard/source/grouped_part.h"
#include "guard/release/narrow_by_where.h"
#include "guard/trace/grouped.h"
#include "num/interval.h"

/* The largest number of a unit's rows that is declared for a protected relation below; 0: none is declared. */
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

	dps_columns_prepare(&import, columns, inner, inner->conditions);
	dps_check_status(dps_graph_init(&import.graph, dps_server_arena()));
	if (dps_type_has_epoch(exprType(column->argument)))
		value = dps_import_seconds(&import, column->argument);
	else
		value = dps_import(&import, column->argument);
	if (value != NULL && !dps_type_has_epoch(exprType(column->argument)))
		value = dps_as_float8(import.graph, value);
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
			 column->aggref == NULL ?
			 dps_hint_owner(source->relation, "Group by a column with a range, or declare one with dpsens.set_range().") :
			 column->range == DPS_RANGE_OF_NONE ?
			 errhint("Use it in conditions, in FILTER or in GROUP BY.") :
			 dps_hint_owner(source->relation, "Declare max_rows of a relation below with dpsens.protect(): counts and sums are clamped to so many rows."),
			 errposition(dps_query_position(source, var->location))));
}

void
dps_find_grouped_range(const DpsProtectedSource *source, const Var *var)
{
	const DpsPart *part = dps_var_part(source, var);
	DpsGroupedColumn *column = list_nth(part->grouping->columns, var->varattno - 1);
	DpsColumnAnnotation annotation;
	int64		rows = declared_rows(part->grouping);

	dps_get_grouped_annotation(part, var->varattno, &annotation);
	if (annotation.has_range)
		return;
	if (column->aggref == NULL || column->range == DPS_RANGE_OF_NONE ||
		(rows == 0 && column->range != DPS_RANGE_OF_ARGUMENT))
		refuse_unbounded(source, var, column);
	if (column->range == DPS_RANGE_OF_ROWS)
	{
		/* there is no group without rows */
		column->lo = column->argument == NULL && column->aggref->aggfilter == NULL ? 1 : 0;
		column->hi = rows;
	}
	else
		bound_argument(part->grouping->source, column);
	if (column->range == DPS_RANGE_OF_SUM)
	{
		column->lo = column->lo < 0 ? -dps_mul_up(-column->lo, rows) : 0;
		column->hi = column->hi > 0 ? dps_mul_up(column->hi, rows) : 0;
	}
	column->has_range = true;
}

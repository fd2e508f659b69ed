/*
 * column_changes.c
 *		What a change of one private column does to a release.
 *
 * Precondition: the plan of the release is made; the relation's neighbours are as its adjacency says.
 * Postcondition: let two databases differ in one column of one row of a relation, which is neither its unit
 * nor in a unique index (ledger/column_budget.h).  If the column is among the release's changes,
 * then what the release adds noise to differs by what its effect says (agg/aggregate.h).  If it is not, as
 * many neighbours as `replacement` says lead from the one database to the other.
 *
 * Proof.  Not among them: a row with another cell is another row in its place, of the same unit.  Under
 * add_remove take the row's unit away and put the changed one back: two steps.  Under replace the unit is
 * replaced, and under attribute the column, which is one step; where a removal was noised as a replacement
 * (swaps_rows) there are two.  Under metric a column may become or cease to be NULL, which is no move of any
 * distance: no bound.
 *
 * Nothing: a column that the level does not read.  The parser notes for each relation which columns the
 * statement reads, for privileges, and so do view definitions; all that the level computes of a row is an
 * expression of these, of its unit and of keys that join it, and which rows of a unit count follows from what
 * is read of them (agg/unit/row_order.h).  A generated column stands for others, conditions of row-level
 * security are not noted, and which rows are left out by what they have lost follows from what was
 * read before: then nothing is known of any column.
 *
 * Of one relation, without joins and subqueries in conditions, whose rows all count, more is known.  An
 * aggregate reads a row by its arguments, its FILTER and the conditions of all levels, and a selection of groups by the
 * latter; keys are looked at by dps_note_level_changes.  A column of none of them changes nothing.  One of
 * neither condition nor filter leaves the row's selection as it is.
 * What it moves is the value, and whether it is NULL, if it is NULL for any row at all.  The value moves by D
 * of definitions, section 2, over the box into which cells are clamped, the evaluator errs by eta in either,
 * also where D is 0, and clamping is 1-Lipschitz; dps_change_units rounds that as under attribute.  What is evaluated
 * is the value's graph, which reads its variables alone.
 */
#include "postgres.h"

#include <math.h>

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "account/filter.h"
#include "agg/family.h"
#include "glue/analysis/bracket_cache.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "guard/release/columns.h"
#include "guard/rewrite/column_changes.h"
#include "guard/source/group_size.h"
#include "guard/trace/expand.h"
#include "guard/trace/key_form.h"
#include "ledger/authority.h"
#include "num/interval.h"

/* ---- what a level reads ---- */

DpsColumnReading *
dps_find_reading(const List *readings, Oid relation)
{
	ListCell   *cell;

	foreach(cell, readings)
	{
		DpsColumnReading *reading = lfirst(cell);

		if (reading->relation == relation)
			return reading;
	}
	return NULL;
}

typedef struct ReadingWalk
{
	List	   *readings;		/* of DpsColumnReading * */
	List	   *queries;		/* of Query *: the innermost first */
} ReadingWalk;

static void
note_column(RangeTblEntry *entry, AttrNumber number, ReadingWalk *walk)
{
	DpsColumnReading *reading = dps_find_reading(walk->readings, entry->relid);

	if (reading == NULL)
	{
		reading = palloc0(sizeof(DpsColumnReading));
		reading->relation = entry->relid;
		walk->readings = lappend(walk->readings, reading);
	}
	if (number <= 0 || get_attgenerated(entry->relid, number) != '\0')
		reading->whole = true;
	else
		reading->columns = bms_add_member(reading->columns, number);
}

static void
note_entry(Query *query, RangeTblEntry *entry, ReadingWalk *walk)
{
	Bitmapset  *columns;
	int			bit = -1;

	if (dps_find_reading(walk->readings, entry->relid) == NULL)
	{
		DpsColumnReading *reading = palloc0(sizeof(DpsColumnReading));

		reading->relation = entry->relid;
		walk->readings = lappend(walk->readings, reading);
	}
	if (entry->securityQuals != NIL || !dps_entry_has_columns(query, entry))
		note_column(entry, InvalidAttrNumber, walk);
	if (!dps_entry_has_columns(query, entry))
		return;
	columns = *dps_entry_columns(query, entry);
	while ((bit = bms_next_member(columns, bit)) >= 0)
		note_column(entry, bit + FirstLowInvalidHeapAttributeNumber, walk);
}

/* What the parser has noted is all; columns that the tree itself names are noted once more, which costs
 * nothing, so that an entry that something else has made cannot be taken for one that reads nothing. */
static void
note_var(const Var *var, ReadingWalk *walk)
{
	Query	   *query;
	RangeTblEntry *entry;

	if (var->varlevelsup >= (Index) list_length(walk->queries))
		return;
	query = list_nth_node(Query, walk->queries, var->varlevelsup);
	if (var->varno <= 0 || var->varno > list_length(query->rtable))
		return;
	entry = list_nth_node(RangeTblEntry, query->rtable, var->varno - 1);
	if (entry->rtekind == RTE_RELATION)
		note_column(entry, var->varattno, walk);
}

static bool
reading_walker(Node *node, ReadingWalk *walk)
{
	List	   *outer = walk->queries;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		note_var((const Var *) node, walk);
	if (!IsA(node, Query))
		return expression_tree_walker(node, reading_walker, (void *) walk);
	foreach(cell, ((Query *) node)->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (entry->rtekind == RTE_RELATION)
			note_entry((Query *) node, entry, walk);
	}
	walk->queries = lcons(node, list_copy(outer));
	/* the list of a join's columns has all of its sides */
	(void) query_tree_walker((Query *) node, reading_walker, (void *) walk, QTW_IGNORE_JOINALIASES);
	walk->queries = outer;
	return false;
}

List *
dps_column_readings(Query *query)
{
	ReadingWalk walk = {NIL, NIL};

	(void) reading_walker((Node *) query, &walk);
	return walk.readings;
}

/* ---- what an aggregate reads ---- */

static bool
column_walker(Node *node, DpsColumnReading *reading)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) || IsA(node, Query))
	{
		reading->whole = true;
		return false;
	}
	if (IsA(node, Var))
	{
		if (((Var *) node)->varattno <= 0 || ((Var *) node)->varlevelsup > 0)
			reading->whole = true;
		else
			reading->columns = bms_add_member(reading->columns, ((Var *) node)->varattno);
		return false;
	}
	return expression_tree_walker(node, column_walker, reading);
}

void
dps_read_columns(Node *expanded, DpsColumnReading *reading)
{
	(void) column_walker(expanded, reading);
}

bool
dps_counts_all_rows(const DpsProtectedSource *source)
{
	return source->parts == NIL && source->semijoins == NIL && !source->limits_unit && !source->is_individual &&
		!source->swaps_rows && dps_group_size(source) == 1;
}

static DpsReplacement
replacement_of(const DpsProtectedSource *source)
{
	switch (source->annotation.adjacency)
	{
		case DPS_ADD_REMOVE:
			return DPS_REPLACEMENT_TWO;
		case DPS_REPLACE:
			return source->swaps_rows ? DPS_REPLACEMENT_TWO : DPS_REPLACEMENT_ONE;
		case DPS_ATTRIBUTE:
			return DPS_REPLACEMENT_ONE;
		case DPS_METRIC:
			break;
	}
	return DPS_REPLACEMENT_UNBOUNDED;
}

/* ---- how far a column moves a value ---- */

static double
ask_upper(const DpsReleasePlan *plan, const DpsDomain *box, DpsQuestionKind kind, int variable)
{
	DpsQuestion question = {
		.kind = kind, .graph = plan->graph, .node = plan->value, .box = box, .variable = variable,
		.options = dps_setting_bound_options()
	};
	DpsBracket	bracket;

	dps_ask(&question, NULL, &bracket);
	/* a search that found no bound leaves that of the whole range */
	return bracket.status == DPS_OK && bracket.upper >= 0.0 ? bracket.upper : INFINITY;
}

/* The furthest that the column moves what the evaluator makes of the value.  A column with several variables moves
 * them one after the other. */
static double
value_change(const DpsReleasePlan *plan, AttrNumber column)
{
	const DpsColumn *cells = plan->cells->column;
	DpsDomain	box[DPS_MAX_VARIABLES + 1];
	double		change = 0;
	bool		is_variable = false;
	int			i;

	for (i = 0; i < plan->variables; i++)
		box[i] = cells[i].cell.domain;
	for (i = 0; i < plan->variables; i++)
	{
		/* a condition can read several columns */
		if (cells[i].condition != NULL)
			return INFINITY;
		if (cells[i].number != column || !(plan->value->variables & (UINT64_C(1) << i)))
			continue;
		change = dps_add_up(change, ask_upper(plan, box, DPS_ASK_ATTRIBUTE, i));
		is_variable = true;
	}
	/* rounding can depend on a column that moves no real number, as in (a + b) - b */
	if (is_variable)
		change = dps_add_up(change, dps_mul_up(2.0, ask_upper(plan, box, DPS_ASK_EVALUATION_ERROR, -1)));
	return change;
}

static uint64
value_units(const DpsReleasePlan *plan, AttrNumber column)
{
	const DpsRelease *release = plan->release;
	uint64		length = (uint64) release->hi - (uint64) release->lo;
	double		change;

	if (plan->graph == NULL || plan->facts.nvalues != 1)
		return length;
	change = value_change(plan, column);
	return change <= release->value_hi - release->value_lo ? dps_change_units(change, release->grid, length) : length;
}

/* ---- noting ---- */

static void
add_change(DpsRelease *release, Oid relation, AttrNumber column, DpsColumnEffect effect, uint64 units)
{
	if (release->nchanges < DPS_MAX_COLUMN_CHANGES)
		release->changes[release->nchanges++] = (DpsColumnChange) {relation, column, effect, units};
}

void
dps_note_value_changes(const DpsReleasePlan *plan, DpsProtectedSource *source)
{
	DpsRelease *release = plan->release;
	List	   *budgeted = dps_columns_with_budget(source->relation);
	DpsColumnReading selection = {0};
	DpsColumnReading values = {0};
	ListCell   *cell;

	if (budgeted == NIL || !dps_counts_all_rows(source))
		return;
	dps_read_columns((Node *) plan->conditions, &selection);
	foreach(cell, plan->arguments)
		dps_read_columns(dps_expand_expression(source, lfirst(cell)), &values);
	if (selection.whole || values.whole)
		return;
	foreach(cell, budgeted)
	{
		AttrNumber	column = lfirst_int(cell);
		bool		selects = bms_is_member(column, selection.columns);
		bool		is_value = bms_is_member(column, values.columns);
		bool		may_be_null = plan->value != NULL && plan->value->nullable;

		if (!selects && !is_value)
			add_change(release, source->relation, column, DPS_COLUMN_NOTHING, 0);
		else if (source->annotation.adjacency == DPS_METRIC || plan->aggregate->moves == NULL)
			continue;
		else if (selects || (is_value && may_be_null))
			add_change(release, source->relation, column, DPS_COLUMN_COUNTS,
					   is_value ? value_units(plan, column) : 0);
		else
			add_change(release, source->relation, column, DPS_COLUMN_VALUE,
					   value_units(plan, column));
	}
}

static void
remove_change(DpsRelease *release, Oid relation, AttrNumber column)
{
	int			kept = 0;
	int			i;

	for (i = 0; i < release->nchanges; i++)
	{
		if (release->changes[i].relation != relation || release->changes[i].column != column)
			release->changes[kept++] = release->changes[i];
	}
	release->nchanges = kept;
}

static void
collect_keys(DpsProtectedSource *source, const List *keys, DpsColumnReading *reading)
{
	ListCell   *cell;

	foreach(cell, keys)
		dps_read_columns(dps_expand_expression(source, ((DpsKey *) lfirst(cell))->expression), reading);
}

/* Which groups there are follows from keys and conditions. */
static void
note_selection_changes(DpsProtectedSource *source, DpsRelease *release)
{
	DpsColumnReading selection = {0};
	ListCell   *cell;

	if (dps_aggregates[release->aggregate] != &dps_aggregate_selection || !dps_counts_all_rows(source))
		return;
	dps_read_columns((Node *) source->conditions, &selection);
	if (selection.whole)
		return;
	foreach(cell, dps_columns_with_budget(source->relation))
	{
		if (!bms_is_member(lfirst_int(cell), selection.columns))
			add_change(release, source->relation, lfirst_int(cell), DPS_COLUMN_NOTHING, 0);
	}
}

static void
note_relation(DpsProtectedSource *source, Oid relation, const DpsColumnReading *reading, const DpsColumnReading *keys,
			  DpsRelease *release)
{
	List	   *budgeted = dps_columns_with_budget(relation);
	bool		is_simple = relation == source->relation && dps_counts_all_rows(source) && !keys->whole;
	ListCell   *cell;

	foreach(cell, budgeted)
	{
		AttrNumber	column = lfirst_int(cell);
		bool		is_read = reading == NULL || reading->whole || bms_is_member(column, reading->columns);

		if (!is_read)
		{
			remove_change(release, relation, column);
			add_change(release, relation, column, DPS_COLUMN_NOTHING, 0);
		}
		else if (!is_simple || reading == NULL || reading->whole || bms_is_member(column, keys->columns))
			remove_change(release, relation, column);
	}
}

void
dps_note_level_changes(DpsProtectedSource *source, const List *readings, const List *keys, DpsRelease *release)
{
	DpsColumnReading of_keys = {0};
	int			i;

	release->replacement = replacement_of(source);
	if (source->is_individual)
	{
		release->nchanges = 0;
		return;
	}
	if (source->parts == NIL)
		collect_keys(source, keys, &of_keys);
	note_selection_changes(source, release);
	note_relation(source, release->relation, dps_find_reading(readings, release->relation), &of_keys, release);
	for (i = 0; i < release->njoined; i++)
		note_relation(source, release->joined[i].relation, dps_find_reading(readings, release->joined[i].relation), &of_keys, release);
}

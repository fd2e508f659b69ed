/*
 * describe.c
 *		What a row adds to a release, as the history keeps it.
 *
 * A condition that could fail on some row, or that could change its meaning later, is omitted, and the
 * description says that its conditions are incomplete: then whether a row counted is unknown.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "glue/analysis/analysis.h"
#include "guard/release/describe.h"
#include "ledger/rows/contribution.h"
#include "num/interval.h"
#include "num/whole.h"

/* Longer descriptions are not kept. */
#define LENGTH_MAX 4096

typedef struct Description
{
	Oid			relation;
	DpsContribution contribution;
	Bitmapset  *used;			/* numbers of columns */
} Description;

static bool
column_walker(Node *node, Bitmapset **used)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		*used = bms_add_member(*used, ((Var *) node)->varattno);
		return false;
	}
	return expression_tree_walker(node, column_walker, (void *) used);
}

static char *
deparse(Description *description, Node *expression)
{
	Oid			relation = description->relation;

	(void) column_walker(expression, &description->used);
	return deparse_expression(expression, deparse_context_for(get_rel_name(relation), relation), false, false);
}

/* Returns false if the aggregate's contribution cannot be described here. */
static bool
describe_kind(DpsContribution *contribution, const DpsReleasePlan *plan, const DpsRelease *release)
{
	if (plan->aggregate == &dps_aggregate_count)
		contribution->kind = DPS_ADDS_ONE;
	else if (plan->aggregate == &dps_aggregate_sum)
		contribution->kind = DPS_ADDS_VALUE;
	else if (plan->aggregate == &dps_aggregate_avg)
		contribution->kind = release->divides_by_count ? DPS_ADDS_VALUE : DPS_ADDS_BOTH;
	else
		return false;
	contribution->moves = release->vector != 0;
	contribution->grid = release->grid;
	contribution->lo = release->lo;
	contribution->hi = release->hi;
	contribution->centre = release->centre;
	contribution->value_lo = release->value_lo;
	contribution->value_hi = release->value_hi;
	contribution->error = plan->facts.evaluation_error;
	return true;
}

/* Of one unit, where several are protected together.  facts.unit_l2 is the root of rows times rows in a group, or
 * more by a few roundings; so the quotient, which is rounded up, is no less than the whole number of rows in a group,
 * nor is the whole number below it. */
static void
describe_unit(DpsContribution *contribution, const DpsReleasePlan *plan, const DpsRelease *release, const char *unit)
{
	int32		k = Max(release->group_size, 1);
	double		in_group = dps_div_up(dps_mul_up(plan->facts.unit_l2, plan->facts.unit_l2), plan->facts.unit_l1 * k);
	int32		whole = dps_to_int32(in_group);

	contribution->unit = unit;
	contribution->counting.rows = release->unit_rows / k;
	contribution->counting.in_group = Min(whole, contribution->counting.rows);
	contribution->counting.spreads = release->unit_groups > 1;
	contribution->count_grid = release->count_grid;
}

/* The value with its variables named c1, c2 and so on, since a variable may stand for a condition, which
 * has no name.  NULL if the text would be too long. */
static char *
value_text(const DpsReleasePlan *plan)
{
	DpsGraph   *graph = plan->graph;
	const char *names[DPS_MAX_VARIABLES + 1];
	char	   *text;
	int			i;

	for (i = 0; i < graph->nvariables; i++)
	{
		names[i] = graph->variables[i].name;
		graph->variables[i].name = psprintf("c%d", i + 1);
	}
	text = dps_node_sql(graph, plan->value);
	for (i = 0; i < graph->nvariables; i++)
		graph->variables[i].name = names[i];
	return text;
}

static bool
describe_cell(Description *description, const DpsColumn *column, DpsContributionCell *cell)
{
	cell->domain = column->cell.domain;
	cell->is_private = !column->is_public;
	if (column->condition == NULL)
	{
		description->used = bms_add_member(description->used, column->number);
		cell->sql = quote_identifier(get_attname(description->relation, column->number, false));
		return true;
	}
	if (!dps_is_total(column->condition))
		return false;
	cell->sql = deparse(description, column->condition);
	return true;
}

static bool
describe_value(Description *description, const DpsReleasePlan *plan, const DpsColumns *columns,
			   const DpsProgram *program)
{
	DpsContribution *contribution = &description->contribution;
	int			i;

	if (program == NULL)
		return true;
	contribution->value = value_text(plan);
	contribution->ncells = program->nvariables;
	contribution->cells = palloc0(sizeof(DpsContributionCell) * Max(contribution->ncells, 1));
	for (i = 0; i < contribution->ncells; i++)
	{
		if (!describe_cell(description, &columns->column[i], &contribution->cells[i]))
			return false;
	}
	return contribution->value != NULL;
}

static void describe_condition(Description *description, Node *condition);

/* Describes each condition by itself, so that one that cannot be kept does not affect the others. */
static void
describe_conditions(Description *description, const List *conditions)
{
	ListCell   *cell;

	foreach(cell, conditions)
		describe_condition(description, lfirst(cell));
}

static void
describe_condition(Description *description, Node *condition)
{
	DpsContribution *contribution = &description->contribution;

	if (IsA(condition, List))
		describe_conditions(description, (List *) condition);
	else if (is_andclause(condition))
		describe_conditions(description, ((BoolExpr *) condition)->args);
	else if (dps_is_total(condition))
		contribution->conditions = lappend(contribution->conditions, deparse(description, condition));
	else
		contribution->conditions_complete = false;
}

static void
describe_columns(Description *description)
{
	int			column = -1;

	while ((column = bms_next_member(description->used, column)) >= 0)
		description->contribution.columns = lappend(description->contribution.columns,
													dps_column_signature(description->relation, column));
}

char *
dps_describe_contribution(const DpsReleasePlan *plan, const DpsRelease *release, const DpsColumns *columns,
						  const DpsProgram *program, const List *conditions, const char *unit)
{
	Description description = {.relation = release->relation, .contribution.conditions_complete = true};
	char	   *text = NULL;
	int			level;

	/* metric adjacency bounds moves, not rows */
	if (release->adjacency == DPS_METRIC || !describe_kind(&description.contribution, plan, release))
		return NULL;
	if (unit != NULL)
		describe_unit(&description.contribution, plan, release, unit);
	level = dps_plain_sql_begin();
	if (describe_value(&description, plan, columns, program))
	{
		describe_conditions(&description, conditions);
		describe_columns(&description);
		text = dps_contribution_write(&description.contribution);
	}
	dps_plain_sql_end(level);
	return text != NULL && strlen(text) <= LENGTH_MAX ? text : NULL;
}

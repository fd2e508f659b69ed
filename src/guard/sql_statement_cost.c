/*
 * sql_statement_cost.c
 *		dpsens_internal.statement_cost and statement_charges: what a query would be
 *		charged.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "glue/compat.h"
#include "glue/version.h"
#include "guard/column_costs.h"
#include "guard/entity_costs.h"
#include "guard/explain.h"
#include "guard/run/statement_charge.h"
#include "ledger/cost.h"

DPS_SQL_FUNCTION(dps_statement_cost);
DPS_SQL_FUNCTION(dps_statement_charges);

typedef struct RelationCost
{
	Oid			relation;
	DpsCost		cost;
} RelationCost;

static RelationCost *
find_cost(List **costs, Oid relation)
{
	RelationCost *found;
	ListCell   *cell;

	foreach(cell, *costs)
	{
		found = lfirst(cell);
		if (found->relation == relation)
			return found;
	}
	found = palloc0(sizeof(RelationCost));
	found->relation = relation;
	*costs = lappend(*costs, found);
	return found;
}

/* The costs of a query, by relation, a list of RelationCost *, and those by column and of persons. */
static List *
find_costs(const char *query, List **by_column)
{
	List	   *releases = dps_explain_releases(pstrdup(query));
	DpsTerms	terms = dps_present_terms();
	List	   *costs = NIL;
	ListCell   *cell;

	foreach(cell, releases)
	{
		const DpsReleasePlan *plan = lfirst(cell);
		DpsNoisePlan noise;
		DpsChargeItem *item;
		DpsCost		one;
		List	   *items;
		ListCell   *each;

		dps_plan_charge(plan->release, &terms, dps_explain_epsilon(plan), &noise);
		item = dps_charge_item(plan->release, &terms, &noise);
		one = dps_cost(item->loss.epsilon, item->loss.rho, item->loss.delta);
		items = lcons(item, dps_joined_items(plan->release, &noise, item));
		*by_column = dps_add_entity_costs(*by_column, items);
		foreach(each, items)
		{
			const DpsChargeItem *charged = lfirst(each);

			dps_filter_charge(&find_cost(&costs, charged->relation)->cost, &one);
			*by_column = dps_add_column_costs(*by_column, charged);
		}
	}
	return costs;
}

static void
put_charge(ReturnSetInfo *result, Oid relation, const char *column, const DpsCost *cost)
{
	NameData	name;
	Datum		values[3] = {ObjectIdGetDatum(relation)};
	bool		nulls[3] = {false, false, false};
	int			n = 1;

	if (column != NULL)
	{
		namestrcpy(&name, column);
		values[n++] = NameGetDatum(&name);
	}
	values[n] = dps_cost_array(cost);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* What each relation is charged, with this in place of a column, or without one for NULL; returns what columns are. */
static List *
put_relations(FunctionCallInfo fcinfo, const char *column)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	List	   *by_column = NIL;
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, find_costs(text_to_cstring(PG_GETARG_TEXT_PP(0)), &by_column))
	{
		const RelationCost *cost = lfirst(cell);

		put_charge(result, cost->relation, column, &cost->cost);
	}
	return by_column;
}

/* statement_cost(query) */
Datum
dps_statement_cost(PG_FUNCTION_ARGS)
{
	(void) put_relations(fcinfo, NULL);
	return (Datum) 0;
}

/* statement_charges(query) */
Datum
dps_statement_charges(PG_FUNCTION_ARGS)
{
	List	   *by_column = put_relations(fcinfo, "");
	ListCell   *cell;

	/* of budgets that the caller may not see nothing is said */
	foreach(cell, dps_visible_column_costs(by_column))
	{
		const DpsColumnCost *cost = lfirst(cell);

		put_charge((ReturnSetInfo *) fcinfo->resultinfo, cost->relation, cost->column, &cost->cost);
	}
	return (Datum) 0;
}

/*
 * sql_statement_cost.c
 *		dpsens_internal.statement_cost: what a query would be charged.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "glue/compat.h"
#include "glue/version.h"
#include "guard/explain.h"
#include "guard/run/statement_charge.h"
#include "ledger/cost.h"

DPS_SQL_FUNCTION(dps_statement_cost);

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

/* statement_cost(query) */
Datum
dps_statement_cost(PG_FUNCTION_ARGS)
{
	List	   *releases = dps_explain_releases(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsTerms	terms = dps_present_terms();
	List	   *costs = NIL;
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, releases)
	{
		const DpsReleasePlan *plan = lfirst(cell);
		DpsNoisePlan noise;
		DpsChargeItem *item;
		DpsCost		one;
		ListCell   *each;

		dps_plan_charge(plan->release, &terms, dps_explain_epsilon(plan), &noise);
		item = dps_charge_item(plan->release, &terms, &noise);
		one = dps_cost(item->loss.epsilon, item->loss.rho, item->loss.delta);
		foreach(each, lcons(item, dps_joined_items(plan->release, &noise, item)))
			dps_filter_charge(&find_cost(&costs, ((DpsChargeItem *) lfirst(each))->relation)->cost, &one);
	}
	foreach(cell, costs)
	{
		const RelationCost *cost = lfirst(cell);
		Datum		values[2] = {ObjectIdGetDatum(cost->relation), dps_cost_array(&cost->cost)};
		bool		nulls[2] = {false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

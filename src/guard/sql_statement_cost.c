/*
 * sql_statement_cost.c
 *		dpsens_internal.statement_cost and statement_charges: what a query would be
 *		charged; answer_cost and answer_refused: what a sum or a count about a relation costs
 *		that is asked for as the settings or the policies say, and whether a policy refuses it.
 *
 * What budgets count depends on their Renyi orders, so that all of them are given at once: a query is planned once.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "glue/compat.h"
#include "glue/label/annotation.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "guard/column_costs.h"
#include "guard/entity_costs.h"
#include "guard/explain.h"
#include "guard/policy_notes.h"
#include "guard/run/statement_charge.h"
#include "ledger/budget/default_epsilon.h"
#include "ledger/cost.h"
#include "ledger/journal/group_history.h"
#include "moment/grid.h"

DPS_SQL_FUNCTION(dps_statement_cost);
DPS_SQL_FUNCTION(dps_statement_charges);
DPS_SQL_FUNCTION(dps_answer_cost_about);
DPS_SQL_FUNCTION(dps_answer_refused);

typedef struct RelationCost
{
	Oid			relation;
	DpsCost	   *costs;			/* of a budget of all orders, and of each of these */
} RelationCost;

/* Renyi orders of budgets. */
typedef struct Orders
{
	int			n;
	Datum	   *order;
} Orders;

static RelationCost *
find_cost(List **costs, Oid relation, const Orders *orders)
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
	found->costs = palloc0(sizeof(DpsCost) * (orders->n + 1));
	*costs = lappend(*costs, found);
	return found;
}

/* That of all orders is the first. */
static double
order_of(const Orders *orders, int i)
{
	return i == 0 ? 0 : DatumGetFloat8(orders->order[i - 1]);
}

static void
add_item(RelationCost *cost, const DpsChargeItem *item, const Orders *orders)
{
	int			i;

	for (i = 0; i <= orders->n; i++)
	{
		DpsCost		one = dps_item_cost(item, order_of(orders, i));

		dps_filter_charge(&cost->costs[i], &one);
	}
}

/* The costs of a query, by relation, a list of RelationCost *, and those by column and of persons; and all that it would
 * be charged for, a list of DpsChargeItem *. */
static List *
find_costs(const char *query, const Orders *orders, List **by_column, List **charges)
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
		List	   *items;
		ListCell   *each;
		int			i;

		dps_plan_charge(plan->release, &terms, dps_explain_epsilon(plan), &noise);
		item = dps_charge_item(plan->release, &terms, &noise);
		item->release = foreach_current_index(cell) + 1;
		items = lcons(item, dps_joined_items(plan->release, &noise, item));
		*charges = list_concat(*charges, items);
		for (i = 0; i <= orders->n; i++)
			*by_column = dps_add_entity_costs(*by_column, items, order_of(orders, i));
		foreach(each, items)
		{
			const DpsChargeItem *charged = lfirst(each);

			add_item(find_cost(&costs, charged->relation, orders), charged, orders);
			for (i = 0; i <= orders->n; i++)
				*by_column = dps_add_column_costs(*by_column, charged, order_of(orders, i));
		}
	}
	return costs;
}

/* A row of statement_charges(); of all orders for the first cost, with order 0. */
static void
put_charge(ReturnSetInfo *result, Oid relation, const char *column, double order, const DpsCost *cost)
{
	NameData	name;
	Datum		values[4] = {ObjectIdGetDatum(relation), NameGetDatum(&name), dps_cost_array(cost), Float8GetDatum(order)};
	bool		nulls[4] = {false, false, false, order == 0};

	namestrcpy(&name, column);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* statement_cost(query), of 0.1.0 */
Datum
dps_statement_cost(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Orders		none = {0};
	List	   *by_column = NIL;
	List	   *charges = NIL;
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, find_costs(text_to_cstring(PG_GETARG_TEXT_PP(0)), &none, &by_column, &charges))
	{
		const RelationCost *cost = lfirst(cell);
		Datum		values[2] = {ObjectIdGetDatum(cost->relation), dps_cost_array(&cost->costs[0])};
		bool		nulls[2] = {false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

static Orders
read_orders(ArrayType *array)
{
	Orders		orders;

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the array must have one dimension and no nulls")));
	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &orders.order, NULL, &orders.n);
	return orders;
}

/* statement_charges(query, renyi_orders) */
Datum
dps_statement_charges(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Orders		orders = read_orders(PG_GETARG_ARRAYTYPE_P(1));
	List	   *by_column = NIL;
	List	   *charges = NIL;
	List	   *costs = find_costs(text_to_cstring(PG_GETARG_TEXT_PP(0)), &orders, &by_column, &charges);
	static const DpsCost beyond = {DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED};
	bool		refused = dps_policy_note(dps_read_policies(charges), charges) != NULL;
	ListCell   *cell;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, costs)
	{
		const RelationCost *cost = lfirst(cell);

		for (i = 0; i <= orders.n; i++)
			put_charge(result, cost->relation, "", order_of(&orders, i), refused ? &beyond : &cost->costs[i]);
	}
	/* of budgets that the caller may not see nothing is said */
	foreach(cell, dps_visible_column_costs(by_column))
	{
		const DpsColumnCost *cost = lfirst(cell);

		put_charge(result, cost->relation, cost->column, cost->order, refused ? &beyond : &cost->cost);
	}
	return (Datum) 0;
}

/* How many rows of the relation the units move that are protected together. */
static uint64
rows_of_units(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	return (uint64) dps_declared_group_size(relation) * (uint64) (dps_unit_has_rows(&annotation) ? Max(annotation.limits.rows, 1) : 1);
}

/* A sum and a count about the relation, or about persons of it as an entity, as the current role would ask for them that
 * names no epsilon; false if no setting and no policy that is shown to it names one, either. */
static bool
present_answers(Oid relation, bool of_entity, DpsChargeItem answers[2])
{
	double		epsilon = dps_setting_epsilon > 0 ? dps_setting_epsilon : dps_shown_default_epsilon(relation, of_entity);
	uint64		rows = rows_of_units(relation);
	int			grid = dps_grid_of_counts(rows);

	return dps_present_answer(epsilon, rows, grid, false, &answers[0]) && dps_present_answer(epsilon, rows, grid, true, &answers[1]);
}

/* answer_cost(relation, entity, renyi_order) */
Datum
dps_answer_cost_about(PG_FUNCTION_ARGS)
{
	DpsChargeItem answers[2];
	DpsCost		cost;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || !present_answers(PG_GETARG_OID(0), PG_GETARG_BOOL(1), answers))
		PG_RETURN_NULL();
	cost = dps_dearer_cost(&answers[0], &answers[1], PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2));
	PG_RETURN_DATUM(dps_cost_array(&cost));
}

/* answer_refused(relation) */
Datum
dps_answer_refused(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	bool		may_read = pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	DpsChargeItem answers[2];
	List	   *policies;
	int			i;

	if (!present_answers(relation, false, answers))
		PG_RETURN_NULL();
	for (i = 0; i < 2; i++)
	{
		answers[i].relation = relation;
		answers[i].needs_budget = !may_read;
	}
	policies = dps_read_policies(list_make1(&answers[0]));
	PG_RETURN_BOOL(dps_policy_note(policies, list_make1(&answers[0])) != NULL || dps_policy_note(policies, list_make1(&answers[1])) != NULL);
}

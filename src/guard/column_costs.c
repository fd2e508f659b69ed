/*
 * column_costs.c
 *		What a release would cost the columns that have budgets of their own.
 *
 * Costs follow from the query, the declarations and the noise that is planned, as those that are charged
 * (ledger/charge/book.c): no row is read.  What is left of a budget is read with the rights of the current
 * role, by the view behind dpsens.my_budget, which decides who may see it.
 *
 * A charge can cost a column more: what a release says of columns has a limit of length
 * (ledger/charge/charge_request.c), beyond which it costs them what a replaced row does.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "account/amount.h"
#include "account/filter.h"
#include "glue/compat.h"
#include "guard/column_costs.h"
#include "ledger/authority.h"
#include "ledger/column_budget.h"
#include "ledger/cost.h"
#include "ledger/entity.h"
#include "ledger/statement.h"

static DpsColumnCost *
find_cost(List **costs, Oid relation, const char *column, double order)
{
	DpsColumnCost *found;
	ListCell   *cell;

	foreach(cell, *costs)
	{
		found = lfirst(cell);
		if (found->relation == relation && found->order == order && strcmp(found->column, column) == 0)
			return found;
	}
	found = palloc0(sizeof(DpsColumnCost));
	found->relation = relation;
	found->column = column;
	found->order = order;
	*costs = lappend(*costs, found);
	return found;
}

List *
dps_add_cost(List *costs, Oid relation, const char *column, double order, const DpsCost *cost)
{
	dps_filter_charge(&find_cost(&costs, relation, column, order)->cost, cost);
	return costs;
}

List *
dps_add_column_costs(List *costs, const DpsChargeItem *item, double order)
{
	ListCell   *cell;

	foreach(cell, dps_columns_with_budget(item->relation))
	{
		const char *column = get_attname(item->relation, lfirst_int(cell), true);
		DpsCost		unbounded = {DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED, DPS_AMOUNT_UNBOUNDED};
		DpsCost		cost;

		if (column == NULL)
			continue;
		/* where a budget cannot be kept nothing is answered */
		cost = dps_why_no_column_budget(item->relation, column) != NULL ? unbounded : dps_column_cost(item, column, order);
		if (cost.epsilon != 0 || cost.rho != 0 || cost.delta != 0)
			dps_filter_charge(&find_cost(&costs, item->relation, column, order)->cost, &cost);
	}
	return costs;
}

/* ---- as a text ---- */

static const char *
cost_text(DpsAmount amount)
{
	return amount == DPS_AMOUNT_UNBOUNDED ? "infinite" : psprintf("%.6g", dps_amount_up(amount, DPS_LOSS_BITS));
}

double *
dps_visible_orders(int *n)
{
	static DpsStatement statement = {
		.text = "SELECT DISTINCT m.renyi_order FROM dpsens_internal.my_purses m WHERE m.renyi_order IS NOT NULL"
	};
	MemoryContext context = CurrentMemoryContext;
	double	   *orders;
	int			i;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	dps_statement_read(&statement, NULL, NULL);
	*n = (int) SPI_processed + 1;
	orders = MemoryContextAlloc(context, sizeof(double) * *n);
	orders[0] = 0;
	for (i = 1; i < *n; i++)
		orders[i] = DatumGetFloat8(dps_statement_value(i - 1, 1));
	SPI_finish();
	return orders;
}

/* Reads what is left of the budgets of the column, or of persons, for who may see them; false if there is nothing to see,
 * or none counts at this order. */
static bool
read_left(const DpsColumnCost *cost)
{
	static DpsStatement statement = {
		.text = "SELECT dpsens_internal.left_of_amount(m.caps[1], m.spent[1], 40), dpsens_internal.left_of_amount(m.caps[2], m.spent[2], 40),"
		" CASE WHEN m.role OPERATOR(pg_catalog.=) '0'::pg_catalog.oid THEN 'its budget' ELSE pg_catalog.format('the budget of role %I', m.role_name) END"
		" FROM dpsens_internal.my_purses m WHERE m.relation OPERATOR(pg_catalog.=) $1 AND m.column_name OPERATOR(pg_catalog.=) $2"
		" AND COALESCE(m.renyi_order, 0) OPERATOR(pg_catalog.=) $3 ORDER BY m.role",
		.nargs = 3,
		.argtypes = {OIDOID, NAMEOID, FLOAT8OID}
	};
	NameData	name;
	Datum		values[3] = {ObjectIdGetDatum(cost->relation), NameGetDatum(&name), Float8GetDatum(cost->order)};

	namestrcpy(&name, cost->column);
	dps_statement_read(&statement, values, NULL);
	return SPI_processed > 0;
}

List *
dps_visible_column_costs(const List *costs)
{
	List	   *visible = NIL;
	MemoryContext context = CurrentMemoryContext;
	ListCell   *cell;

	if (costs == NIL)
		return NIL;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	foreach(cell, costs)
	{
		if (read_left(lfirst(cell)))
		{
			MemoryContext before = MemoryContextSwitchTo(context);

			visible = lappend(visible, lfirst(cell));
			MemoryContextSwitchTo(before);
		}
	}
	SPI_finish();
	return visible;
}

static void
append_cost(StringInfo costs, const DpsColumnCost *cost)
{
	const char *whose = dps_is_entity_name(cost->column) ? psprintf("a person of %s", get_rel_name(cost->relation)) :
		psprintf("column %s", cost->column);
	uint64		i;

	if (!read_left(cost))
		return;
	for (i = 0; i < SPI_processed; i++)
		appendStringInfo(costs, "%scosts %s epsilon %s and rho %s, of epsilon %.6g and rho %.6g that are left of %s",
						 costs->len > 0 ? "; " : "", whose, cost_text(cost->cost.epsilon), cost_text(cost->cost.rho),
						 DatumGetFloat8(dps_statement_value(i, 1)), DatumGetFloat8(dps_statement_value(i, 2)),
						 TextDatumGetCString(dps_statement_value(i, 3)));
}

char *
dps_column_costs_text(const List *costs)
{
	StringInfoData text;
	ListCell   *cell;

	if (costs == NIL)
		return NULL;
	initStringInfo(&text);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	foreach(cell, costs)
		append_cost(&text, lfirst(cell));
	SPI_finish();
	return text.len > 0 ? text.data : NULL;
}

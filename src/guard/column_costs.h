/*
 * column_costs.h
 *		What a release would cost the columns that have budgets of their own.
 */
#ifndef DPS_GUARD_COLUMN_COSTS_H
#define DPS_GUARD_COLUMN_COSTS_H

#include "postgres.h"

#include "account/account.h"
#include "agg/aggregate.h"
#include "ledger/ledger.h"

typedef struct DpsColumnCost
{
	Oid			relation;
	const char *column;
	double		order;			/* of the budgets that count it so (account/at_order.h); 0: all orders */
	DpsCost		cost;
} DpsColumnCost;

/* Adds the cost of an item to those of its relation's columns with budgets, a list of DpsColumnCost *, which it
 * returns.  Columns that the item costs nothing are left out, as their budgets admit it whatever is left. */
extern List *dps_add_column_costs(List *costs, const DpsChargeItem *item, double order);

/* Adds a cost to that of the column in the list, which it returns. */
extern List *dps_add_cost(List *costs, Oid relation, const char *column, double order, const DpsCost *cost);

/* The orders at which budgets count that the current role may see; *n numbers, the first of which is 0. */
extern double *dps_visible_orders(int *n);

/* Those of columns whose budgets the current role may see (dpsens.my_budget), and that these count. */
extern List *dps_visible_column_costs(const List *costs);

/*
 * Of these: what the costs are, and what is left, as
 * a text for people; NULL if there are none.
 */
extern char *dps_column_costs_text(const List *costs);

#endif							/* DPS_GUARD_COLUMN_COSTS_H */

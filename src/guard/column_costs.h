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
	DpsCost		cost;
} DpsColumnCost;

/* Adds the cost of an item to those of its relation's columns with budgets, a list of DpsColumnCost *, which it
 * returns.  Columns that the item costs nothing are left out, as their budgets admit it whatever is left. */
extern List *dps_add_column_costs(List *costs, const DpsChargeItem *item);

/* Adds a cost to that of the column in the list, which it returns. */
extern List *dps_add_cost(List *costs, Oid relation, const char *column, const DpsCost *cost);

/* Those of columns whose budgets the current role may see (dpsens.my_budget). */
extern List *dps_visible_column_costs(const List *costs);

/*
 * Of these: what the costs are, and what is left, as
 * a text for people; NULL if there are none.
 */
extern char *dps_column_costs_text(const List *costs);

#endif							/* DPS_GUARD_COLUMN_COSTS_H */

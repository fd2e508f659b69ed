/*
 * entity_costs.h
 *		What a release would cost persons of the entities that have budgets.
 */
#ifndef DPS_GUARD_ENTITY_COSTS_H
#define DPS_GUARD_ENTITY_COSTS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* Adds what the items of one release together cost persons to a list of costs (column_costs.h), in which DPS_ENTITY_NAME
 * takes the place of a column.  Returns the list. */
extern List *dps_add_entity_costs(List *costs, const List *items, double order);

#endif							/* DPS_GUARD_ENTITY_COSTS_H */

/*
 * enum_cells.h
 *		Cells of enum types, compared by labels that were read before rows.
 */
#ifndef DPS_GUARD_CONDITION_ENUM_CELLS_H
#define DPS_GUARD_CONDITION_ENUM_CELLS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is it an enum type, or a domain over one? */
extern bool dps_is_enum(Oid type);

/* Does the call go by the order of labels? */
extern bool dps_orders_labels(Node *node);

/* The same call over the places of the labels.  Takes what the other is true of. */
extern Node *dps_compare_places(Node *node);

/* The place of a cell of an enum among the labels, NULL for a cell of none. */
extern Node *dps_label_place(Node *cell);

/* Locks those of the types that users made, until the transaction ends. */
extern void dps_lock_types(const List *types);

/* Below a release: equality and order for joins, groups and sorts, by OIDs.  Changes
 * the query. */
extern void dps_compare_enums_by_oid(Query *query);

/* Of types, as constants: the labels of those that are enums. */
extern List *dps_enum_tables(const List *types);

/* An error unless these are the labels now. */
extern void dps_check_enum_tables(const List *tables);

/* An error if one of the types is gone. */
extern void dps_check_types(const List *types);

#endif							/* DPS_GUARD_CONDITION_ENUM_CELLS_H */

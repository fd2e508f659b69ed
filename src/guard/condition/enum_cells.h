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

/* Does the result of the call depend on the order of labels? */
extern bool dps_orders_labels(Node *node);

/* The same call over the positions of the labels.  Precondition: dps_orders_labels(node). */
extern Node *dps_compare_places(Node *node);

/* The position of an enum cell among the labels, from 1; NULL if the cell is no label. */
extern Node *dps_label_place(Node *cell);

/* Locks those of the types (a list of Oid) that users made, until the transaction ends. */
extern void dps_lock_types(const List *types);

/* Makes joins, groups and sorts below a release compare enums by OID.  Changes the query in place. */
extern void dps_compare_enums_by_oid(Query *query);

/* The labels of those of the types that are enums, as a list of Const. */
extern List *dps_enum_tables(const List *types);

/* Raises an error if the labels have changed. */
extern void dps_check_enum_tables(const List *tables);

/* Raises an error if one of the types has been dropped. */
extern void dps_check_types(const List *types);

#endif							/* DPS_GUARD_CONDITION_ENUM_CELLS_H */

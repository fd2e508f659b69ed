/*
 * not_null.h
 *		Columns that hold no NULL.
 */
#ifndef DPS_GLUE_CONSTRAINT_NOT_NULL_H
#define DPS_GLUE_CONSTRAINT_NOT_NULL_H

#include "postgres.h"

#include "access/attnum.h"
#include "utils/snapshot.h"

/* Is the column NOT NULL in all rows that a query of the relation meets, those of tables
 * that inherit from it among them? */
extern bool dps_column_is_not_null(Oid relation, AttrNumber column);

/* Was it so already, if it is, in all rows that the snapshot sees?  An error if that is
 * not known. */
extern void dps_check_not_null(Oid relation, AttrNumber column, Snapshot snapshot);

#endif							/* DPS_GLUE_CONSTRAINT_NOT_NULL_H */

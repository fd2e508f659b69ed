/*
 * not_null.h
 *		Columns that hold no NULL.
 */
#ifndef DPS_GLUE_CONSTRAINT_NOT_NULL_H
#define DPS_GLUE_CONSTRAINT_NOT_NULL_H

#include "postgres.h"

#include "access/attnum.h"
#include "utils/snapshot.h"

/* Is the column NOT NULL in all rows that a query of the relation reads, including those
 * of child tables? */
extern bool dps_column_is_not_null(Oid relation, AttrNumber column);

/* If the column is NOT NULL now: raises an error unless it is known to be so in all rows
 * that the snapshot sees.  With a NULL snapshot that is known only of catalog rows that
 * are frozen, or of this transaction. */
extern void dps_check_not_null(Oid relation, AttrNumber column, Snapshot snapshot);

#endif							/* DPS_GLUE_CONSTRAINT_NOT_NULL_H */

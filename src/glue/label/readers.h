/*
 * readers.h
 *		Warnings for owners whose protected table is less protected than it seems.
 */
#ifndef DPS_GLUE_LABEL_READERS_H
#define DPS_GLUE_LABEL_READERS_H

#include "postgres.h"

#include "glue/constraint/unit_columns.h"

/* Raises a warning with the names of the roles, other than the owner, that have been
 * granted SELECT on the relation or a column of it: protection revokes no privileges. */
extern void dps_warn_of_readers(Oid relation);

/* Raises a warning if a foreign key can set the unit of rows to NULL or a default: a row
 * without a unit is a unit by itself. */
extern void dps_warn_of_lost_units(Oid relation, const DpsUnitColumns *unit);

/* dps_warn_of_lost_units for a relation, if it is protected and has a unit. */
extern void dps_check_unit(Oid relation);

#endif							/* DPS_GLUE_LABEL_READERS_H */

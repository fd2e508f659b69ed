/*
 * readers.h
 *		Warnings for whoever protects a table that is not as protected as it seems.
 */
#ifndef DPS_GLUE_LABEL_READERS_H
#define DPS_GLUE_LABEL_READERS_H

#include "postgres.h"

#include "access/attnum.h"

/* Warns the caller, naming them, if others than the owner have been granted SELECT
 * on the relation or on a column of it: protection takes no privilege away. */
extern void dps_warn_of_readers(Oid relation);

/* Warns the caller if a foreign key takes the unit away from rows, which are then
 * persons of their own. */
extern void dps_warn_of_lost_units(Oid relation, AttrNumber unit);

/* The same for a relation that was changed, if it is protected and has a unit. */
extern void dps_check_unit(Oid relation);

#endif							/* DPS_GLUE_LABEL_READERS_H */

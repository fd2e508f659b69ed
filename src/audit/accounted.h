/*
 * accounted.h
 *		Who may see what the units of a relation have lost.
 */
#ifndef DPS_AUDIT_ACCOUNTED_H
#define DPS_AUDIT_ACCOUNTED_H

#include "postgres.h"

/* Raises an error unless the current user owns the relation, which is protected, with units
 * of one row. */
extern void dps_require_accounted(Oid relation);

#endif							/* DPS_AUDIT_ACCOUNTED_H */

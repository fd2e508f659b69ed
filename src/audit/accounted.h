/*
 * accounted.h
 *		Who may see what the units of a relation have lost.
 */
#ifndef DPS_AUDIT_ACCOUNTED_H
#define DPS_AUDIT_ACCOUNTED_H

#include "postgres.h"

#include "ledger/auditor.h"

/* Raises an error unless the current user owns the relation, which is protected, with units
 * of one row. */
extern void dps_require_accounted(Oid relation);

/* The same unless the current user may look at what follows from the relation's rows; goes on as its owner
 * (ledger/auditor.h). */
extern DpsAudit dps_audit_accounted(Oid relation);

/* The same of units of several rows, too, if it is plain which rows are one's. */
extern DpsAudit dps_audit_units(Oid relation);

#endif							/* DPS_AUDIT_ACCOUNTED_H */

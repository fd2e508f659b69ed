/*
 * auditor.h
 *		Who may look at what a relation has answered, and at what its rows have lost.
 */
#ifndef DPS_LEDGER_AUDITOR_H
#define DPS_LEDGER_AUDITOR_H

#include "postgres.h"

#include "ledger/keep.h"

/* What is looked at: public quantities of releases and budgets, or what follows from rows. */
typedef enum DpsAuditScope
{
	DPS_AUDIT_FIGURES,
	DPS_AUDIT_ROWS
} DpsAuditScope;

/*
 * Goes on as the relation's owner if the current user may look at this: as the owner, or by
 * dpsens.grant_audit, as committed now.  Until dps_descend, under the restrictions of a security definer
 * function; an error resets the user by itself.  An error if the user may not.
 */
extern DpsElevation dps_begin_audit(Oid relation, DpsAuditScope scope);

#endif							/* DPS_LEDGER_AUDITOR_H */

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

/* Is the function the relation's owner's, or a superuser's?  No other expression is computed for auditors. */
extern bool dps_owner_wrote(Oid function, Oid relation);

/* Who looked, and the settings of then. */
typedef struct DpsAudit
{
	DpsElevation looker;
	int			settings;		/* 0: the owner, who goes on as before */
} DpsAudit;

/*
 * Goes on as the relation's owner if the current user may look at this: as the owner, or by
 * dpsens.grant_audit, as committed now.  Until dps_end_audit an auditor is under the restrictions of a security
 * definer function, and names mean what they do in pg_catalog; an error resets both by itself.  An error if the
 * user may not.
 */
extern DpsAudit dps_begin_audit(Oid relation, DpsAuditScope scope);
extern void dps_end_audit(DpsAudit audit);

#endif							/* DPS_LEDGER_AUDITOR_H */

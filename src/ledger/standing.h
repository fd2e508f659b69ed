/*
 * standing.h
 *		The budget that stands while a curator changes it.
 *
 * A setter changes what it names.  What it does not name stays as it is, and the
 * curator is told so; and is warned if more was spent than the new cap.
 *
 * Everything here is called inside SPI, with the rights of the ledger's owner,
 * but for the last two, which connect by themselves.
 */
#ifndef DPS_LEDGER_STANDING_H
#define DPS_LEDGER_STANDING_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "ledger/rows.h"

/* A budget as it is stated: by epsilon or by rho. */
typedef struct DpsStatedBudget
{
	bool		has_epsilon;
	bool		has_delta;
	bool		has_rho;
	double		epsilon;
	double		delta;
	double		rho;
	Interval   *refresh;		/* NULL: never, or not stated */
} DpsStatedBudget;

/* Adds what stands of a role's budget (InvalidOid: of the relation's) and is not
 * stated, and says by NOTICE what that is. */
extern void dps_budget_complete(Oid relation, Oid role, DpsStatedBudget *stated);

/*
 * Warns if what was spent of the budget that was just set is more than it allows,
 * so that there will be no answer; and if a role that is no more was called as
 * this one is and has spent something, which the budget of this one does not
 * count.
 */
extern void dps_budget_warn(Oid relation, Oid role);

/* Says by NOTICE that a budget stays as it is, if there is one. */
extern void dps_budget_say(Oid relation, Oid role);

/* The cap of each row as it stands, if there is one, which a NOTICE says. */
extern void dps_rows_complete(Oid relation, DpsStatedRows *stated);

#endif							/* DPS_LEDGER_STANDING_H */

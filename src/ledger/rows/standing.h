/*
 * standing.h
 *		The budget that stands while a curator changes it.
 *
 * A setter changes what it names.  What it does not name stays as it is, but for what
 * another kind of cap takes the place of, and the curator is told so; and is warned if
 * more was spent than the new cap.
 *
 * What reads is called inside SPI, with the rights of the ledger's owner.
 */
#ifndef DPS_LEDGER_STANDING_H
#define DPS_LEDGER_STANDING_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "ledger/rows/row_accounts.h"

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
	bool		has_own_tables;
	bool		own_tables;		/* false if it is not stated */
} DpsStatedBudget;

/* What becomes of the parts of a budget that a change does not name, as people read
 * it; NULL: there are none. */
typedef struct DpsBudgetNews
{
	char	   *keeps;			/* "delta 1e-06, refresh 1 day" */
	char	   *gives_up;		/* "epsilon 3" */
	char	   *in_favour_of;	/* "rho 0.5"; NULL: of nothing */
} DpsBudgetNews;

/* Adds what stands of a role's budget (InvalidOid: of the relation's) and is not
 * stated. */
extern void dps_budget_complete(Oid relation, Oid role, DpsStatedBudget *stated, DpsBudgetNews *news);

/* News of a budget that stays as it is, and of one that is taken away. */
extern void dps_budget_stays(Oid relation, DpsBudgetNews *news);
extern void dps_budget_goes(Oid relation, DpsBudgetNews *news);

/* The same of the cap of each row; one that is infinite is no more. */
extern void dps_rows_complete(Oid relation, DpsStatedRows *stated, DpsBudgetNews *news);

/* Says them by NOTICE: once it is clear that the change is no error. */
extern void dps_budget_tell(Oid relation, Oid role, const DpsBudgetNews *news);

/*
 * Warns if what was spent of the budget that was just set is more than it allows,
 * so that there will be no answer; and if a role that is no more was called as
 * this one is and has spent something, which the budget of this one does not
 * count.
 */
extern void dps_budget_warn(Oid relation, Oid role);

#endif							/* DPS_LEDGER_STANDING_H */

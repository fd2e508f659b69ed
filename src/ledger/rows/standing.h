/*
 * standing.h
 *		The existing budget while a curator changes it.
 *
 * A setter changes the parts that it names.  Other parts stay as they are, except that epsilon and rho
 * replace each other.  The curator is told what stays and what is replaced, and is warned if more was
 * spent than the new budget allows.
 *
 * Functions that read are called inside SPI, with the rights of the ledger's owner.
 */
#ifndef DPS_LEDGER_ROWS_STANDING_H
#define DPS_LEDGER_ROWS_STANDING_H

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
	bool		has_rule;
	double		rule;			/* in place of a Renyi order (account/at_order.h); 0 for none */
	bool		has_selections;
	bool		no_selections;	/* is no delta kept for selections of groups? */
} DpsStatedBudget;

/* What becomes of the parts of a budget that a change does not name, as text for people; NULL if there are
 * none. */
typedef struct DpsBudgetNews
{
	char	   *keeps;			/* "delta 1e-06, refresh 1 day" */
	char	   *gives_up;		/* "epsilon 3" */
	char	   *in_favour_of;	/* "rho 0.5"; NULL if nothing replaces it */
} DpsBudgetNews;

/* Whose budget it is: a role's (InvalidOid: that of all), or a column's; column is "" for no column, DPS_ENTITY_NAME
 * for persons of the relation as an entity. */
typedef struct DpsBudgetHolder
{
	Oid			relation;
	Oid			role;
	const char *column;
} DpsBudgetHolder;

/* Completes the stated budget by the parts of the existing one that are not stated. */
extern void dps_budget_complete(const DpsBudgetHolder *holder, DpsStatedBudget *stated, DpsBudgetNews *news);

/* Describe a budget that stays as it is, and one that is removed. */
extern void dps_budget_stays(const DpsBudgetHolder *holder, DpsBudgetNews *news);
extern void dps_budget_goes(const DpsBudgetHolder *holder, DpsBudgetNews *news);

/* The same for the cap of each row.  A cap of infinity removes it. */
extern void dps_rows_complete(Oid relation, DpsStatedRows *stated, DpsBudgetNews *news);

/* Reports the news as NOTICE.  To be called when it is clear that the change is no error. */
extern void dps_budget_tell(const DpsBudgetHolder *holder, const DpsBudgetNews *news);

/*
 * Warns if more was spent than the budget that was just set allows, so that there will be no answers.
 * Also warns if a dropped role of the same name has spent something, which the new role's budget does not
 * count.
 */
extern void dps_budget_warn(const DpsBudgetHolder *holder);

#endif							/* DPS_LEDGER_ROWS_STANDING_H */

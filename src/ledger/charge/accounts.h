/*
 * accounts.h
 *		Whose relations are charged, and what may be spent on them.
 *
 * Accounts are remembered from one batch to the next.  Who writes budgets or purses is
 * watched by the triggers tell_ledger, which tell all processes of the database when that
 * is committed (without them nothing is remembered); so is, by the server itself, a
 * relation that is made, dropped or renamed, and a role.  Any of it forgets all accounts:
 * they are few, and changes are rare.
 *
 * Precondition: a batch begins in a transaction of its own, which has taken in what others
 * have told, and each of its statements sees all that is committed by then.
 * Postcondition: a change counts for every request that is made after its COMMIT has
 * returned.
 * Proof sketch: what a statement has not seen of a change was committed after it, so it is
 * told after the batch has begun, and the next batch reads anew.  The telling is a part of
 * the commit: whoever waited for that asks later.
 */
#ifndef DPS_LEDGER_ACCOUNTS_H
#define DPS_LEDGER_ACCOUNTS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/timestamp.h"

#include "account/filter.h"

/* A row of dpsens.budget. */
typedef struct DpsRoleBudget
{
	Oid			role;			/* 0: the cap of the relation */
	char	   *role_name;
	DpsBudget	caps;
	Interval   *refresh;		/* NULL: never */
} DpsRoleBudget;

/* What may be spent on a relation. */
typedef struct DpsAccount
{
	Oid			relation;
	NameData	schema;			/* what it is called, for when its OID means
								 * nothing any more */
	NameData	name;
	NameData	owner;
	List	   *budgets;		/* of DpsRoleBudget * */
} DpsAccount;

/* Before a batch, in its transaction: what it finds stays where it is until the next. */
extern void dps_accounts_begin(void);

/* NULL if the relation is not committed.  Connected to SPI. */
extern const DpsAccount *dps_account_find(Oid relation);

/* NULL if it has none. */
extern const DpsRoleBudget *dps_account_budget(const DpsAccount *account, Oid role);

/* Arguments $1 to $4 of statements about its relation (identity.h). */
extern void dps_account_identity(const DpsAccount *account, Datum values[4]);

/* What was read may have been of a transaction that failed. */
extern void dps_accounts_forget(void);

#endif							/* DPS_LEDGER_ACCOUNTS_H */

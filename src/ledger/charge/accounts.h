/*
 * accounts.h
 *		Whose relations are charged, what may be spent on them, and what was.
 *
 * All of it is remembered from one batch to the next.  Who else writes budgets, purses,
 * releases or the ledger's origin is watched by triggers, tell_ledger, keep_ledger and
 * keep_budgets, of statements and of rows that a subscription applies, which tell all
 * processes of the database when that is committed (without them nothing is remembered); so
 * is, by the server itself, a relation that is made, dropped or renamed, and a role.  Any of
 * it forgets everything: it is little, and changes are rare.
 *
 * Precondition: a batch begins in a transaction of its own, which has taken in what others
 * have told, and each of its statements sees all that is committed by then.  What the
 * batch writes is told by who writes it (dps_account_spent, dps_ledger_numbers), and
 * dps_accounts_forget follows where it was not committed.
 * Postcondition: a change counts for every request that is made after its COMMIT has
 * returned.
 * Proof sketch: what a statement has not seen of a change was committed after it, so it is
 * told after the batch has begun, and the next batch reads anew.  The telling is a part of
 * the commit: whoever waited for that asks later.  What the worker has written itself it
 * knows, and nobody else writes meanwhile without telling; who does all the same, or while
 * the batch goes on, is met by each update of a purse, which checks who wrote it last, and by
 * the key of releases: that batch fails, which forgets, and charges nothing.
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

/* A row of dpsens.purse. */
typedef struct DpsPurse
{
	Oid			role;			/* 0: the relation's */
	TimestampTz period_start;
	DpsCost		spent;
	int64		charges;
	TransactionId written;		/* by this one, last */
} DpsPurse;

/* The numbers that were given last. */
typedef struct DpsLedgerNumbers
{
	int64		release;
	int64		statement;
} DpsLedgerNumbers;

/* What may be spent on a relation. */
typedef struct DpsAccount
{
	Oid			relation;
	NameData	schema;			/* what it is called, for when its OID means
								 * nothing any more */
	NameData	name;
	NameData	owner;
	List	   *budgets;		/* of DpsRoleBudget * */
	List	   *purses;			/* of DpsPurse *: those that are known */
} DpsAccount;

/* Before a batch, in its transaction: what it finds stays where it is until the next. */
extern void dps_accounts_begin(void);

/* Is the ledger charged here (origin.h)?  Connected to SPI. */
extern bool dps_ledger_is_here(void);

/* Those of the history, for the caller to count on.  Connected to SPI. */
extern DpsLedgerNumbers *dps_ledger_numbers(void);

/* NULL if the relation is not committed.  Connected to SPI. */
extern DpsAccount *dps_account_find(Oid relation);

/* NULL if nothing was spent there.  Connected to SPI. */
extern const DpsPurse *dps_account_purse(DpsAccount *account, Oid role);

/* The caller has written this row. */
extern void dps_account_spent(DpsAccount *account, const DpsPurse *written);

/* NULL if it has none. */
extern const DpsRoleBudget *dps_account_budget(const DpsAccount *account, Oid role);

/* Arguments $1 to $4 of statements about its relation (identity.h). */
extern void dps_account_identity(const DpsAccount *account, Datum values[4]);

/* What was read may have been of a transaction that failed. */
extern void dps_accounts_forget(void);

#endif							/* DPS_LEDGER_ACCOUNTS_H */

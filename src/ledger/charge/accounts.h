/*
 * accounts.h
 *		The relations that are charged, what may be spent on them, and what was spent.
 *
 * All of this is remembered from one batch to the next.  If another process writes budgets, policies, purses,
 * releases or the ledger's origin, triggers (tell_ledger, keep_ledger and keep_budgets, for statements and
 * for rows that a subscription applies) send an invalidation to all processes of the database when the
 * change is committed.  Without these triggers nothing is remembered.  The server sends invalidations when
 * a relation or a role is created, dropped or renamed.  Any invalidation drops everything that is
 * remembered: it is little, and changes are rare.
 *
 * Precondition: a batch begins in a transaction of its own, which has processed pending invalidations, and
 * each of its statements sees everything that was committed by then.  What the batch itself writes is
 * recorded by its author (dps_account_spent, dps_ledger_numbers); if it was not committed,
 * dps_accounts_forget must follow.
 * Postcondition: a change counts for every request that is made after its COMMIT has returned.
 * Proof sketch: if a statement of a batch has not seen a change, the change was committed after the
 * statement's snapshot.  So its invalidation arrives after the batch has begun, and the next batch reads
 * again.  The invalidation is part of the commit, so requests by those who waited for the commit come
 * later.  The worker knows what it has written itself.  Nobody else writes without an invalidation; if
 * somebody does, or writes during the batch, then the update of a purse, which checks who wrote it last,
 * or the primary key of releases makes the batch fail.  A failed batch drops what is remembered and
 * charges nothing.
 */
#ifndef DPS_LEDGER_CHARGE_ACCOUNTS_H
#define DPS_LEDGER_CHARGE_ACCOUNTS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/timestamp.h"

#include "account/filter.h"
#include "ledger/charge/answer_limits.h"

/* A row of dpsens.budget. */
typedef struct DpsRoleBudget
{
	Oid			role;			/* 0: the budget of the relation */
	NameData	column;			/* empty; with role 0: the budget of this column; DPS_ENTITY_NAME: of persons */
	char	   *role_name;
	DpsBudget	caps;
	Interval   *refresh;		/* NULL: never */
	DpsAnswerLimits limits;		/* of a role's */
	bool		overrides_policy;	/* they take the place of the relation's policy */
	Oid			agreed_owner;	/* of an entity's: whose relations it lets the role ask about, 0: nobody's */
} DpsRoleBudget;

/* A row of dpsens.policy: what answers may be asked with, whoever asks. */
typedef struct DpsPolicyOf
{
	bool		is_of_entity;	/* about all relations whose units refer to the relation, and not it alone */
	DpsAnswerLimits limits;
} DpsPolicyOf;

/* A relation that the units of another one refer to (ledger/entity.h). */
typedef struct DpsEntityOf
{
	Oid			relation;
	const char *why;			/* what a unit loses does not bound what a person loses; NULL if it does */
} DpsEntityOf;

/* A row of dpsens.purse. */
typedef struct DpsPurse
{
	Oid			role;			/* 0: the purse of the relation */
	NameData	column;			/* empty; with role 0: the purse of this column; DPS_ENTITY_NAME: of persons */
	TimestampTz period_start;
	DpsCost		spent;			/* its rho at all orders */
	double		order;			/* Renyi order of at_order, 0 if there is none */
	DpsAmount	at_order;		/* at least the rho of all that was spent at this order (account/at_order.h) */
	int64		charges;
	TransactionId written;		/* the last transaction that has written it */
} DpsPurse;

/* The numbers that were assigned last. */
typedef struct DpsLedgerNumbers
{
	int64		release;
	int64		statement;
} DpsLedgerNumbers;

/* What may be spent on a relation. */
typedef struct DpsAccount
{
	Oid			relation;
	NameData	schema;			/* the relation's names, which identify it when its OID is no longer valid */
	NameData	name;
	NameData	owner;
	List	   *budgets;		/* of DpsRoleBudget * */
	List	   *policies;		/* of DpsPolicyOf *: all of them hold */
	List	   *purses;			/* of DpsPurse *: the purses that were read or written */
	List	   *columns;		/* of char *: columns that have a budget or a purse, and so are charged */
	bool		is_entity;		/* has, or had, a budget of an entity, a role's or that of all, and so is charged as one */
	List	   *entities;		/* of DpsEntityOf *: whose rows are its units */
	int			group_size;		/* dps_declared_group_size (ledger/journal/group_history.h) */
	bool		told_smaller;	/* it has releases for smaller groups */
	const char *column_of_none; /* one of them whose budget cannot be kept, NULL if there is none; and why */
	const char *why;
} DpsAccount;

/* To be called before a batch, in its transaction.  What the batch finds stays in memory until the next
 * batch. */
extern void dps_accounts_begin(void);

/* Does the ledger belong to this database (origin.h)?  Connected to SPI. */
extern bool dps_ledger_is_here(void);

/* The last numbers of the history, which the caller increments.  Connected to SPI. */
extern DpsLedgerNumbers *dps_ledger_numbers(void);

/* The account of a relation; NULL if the relation is not committed.  Connected to SPI. */
extern DpsAccount *dps_account_find(Oid relation);

/* The purse of a role, 0 for the relation's, or of a column (role 0), "" for none; NULL if there is none.
 * Connected to SPI. */
extern const DpsPurse *dps_account_purse(DpsAccount *account, Oid role, const char *column);

/* What all releases that are recorded have cost at most if the column of a row changes.  Connected to
 * SPI. */
extern DpsCost dps_account_column_history(const DpsAccount *account, const char *column);

/* What the releases that the purse, of no column, has paid for count by this order; false if the history does not have all of
 * them.  Connected to SPI. */
extern bool dps_account_recount(const DpsAccount *account, const DpsPurse *purse, double order, DpsAmount *counted);

/* The same if a person of the entity changes in all relations that are of it now.  Notes in these releases that they
 * are charged to it. */
extern DpsCost dps_account_entity_history(const DpsAccount *account);

/*
 * The purse that a role's budget of an entity begins with: what those releases have cost a person, of those that the
 * entity's purse of all has counted, that the role has asked for, or that a purse of its has paid for; where the budget has periods, those of which the period that the first of
 * them began has not ended.  The period begins with the first of them, or now.  Notes in these releases that the role
 * has paid.  To be called when that purse was opened.
 */
extern DpsPurse dps_account_role_history(const DpsAccount *account, const DpsRoleBudget *budget, TimestampTz now);

/* Is the relation of this entity? */
extern bool dps_account_is_of(const DpsAccount *account, Oid entity);

/* Records that the caller has written this row. */
extern void dps_account_spent(DpsAccount *account, const DpsPurse *written);

/* The budget of a role, or of a column; NULL if it has none. */
extern const DpsRoleBudget *dps_account_budget(const DpsAccount *account, Oid role, const char *column);

/* Arguments $1 to $4 of statements about its relation (identity.h). */
extern void dps_account_identity(const DpsAccount *account, Datum values[4]);

/* Sets two values of a release, and whether they are NULL: which columns that are charged the item says something of, and how far
 * each moves its integers. */
extern void dps_account_put_columns(const DpsAccount *account, const DpsChargeItem *item, Datum *values, char *nulls);

/* Makes the next batch read everything again, since remembered data may stem from a transaction that
 * failed. */
extern void dps_accounts_forget(void);

#endif							/* DPS_LEDGER_CHARGE_ACCOUNTS_H */

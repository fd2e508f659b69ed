/*
 * claim.h
 *		A purse that a request would charge, and whether its budget admits that.
 */
#ifndef DPS_LEDGER_CHARGE_CLAIM_H
#define DPS_LEDGER_CHARGE_CLAIM_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "account/filter.h"
#include "ledger/charge/accounts.h"
#include "ledger/charge/charge_request.h"

/* An existing or new purse, as a batch leaves it. */
typedef struct DpsOpenPurse
{
	DpsPurse	row;			/* charges is the number that was read */
	const char *role_name;
	bool		exists;
	int64		added;			/* charges in this batch */
} DpsOpenPurse;

/* The account of a relation in a batch. */
typedef struct DpsOpenAccount
{
	DpsAccount *known;
	List	   *purses;			/* of DpsOpenPurse * */
} DpsOpenAccount;

/* A purse that a request would charge. */
typedef struct DpsPurseClaim
{
	DpsOpenAccount *account;
	DpsOpenPurse *purse;
	const DpsRoleBudget *budget;		/* NULL if nothing limits the purse */
	DpsCost		cost;			/* its rho at all orders */
	DpsCost		at_order;		/* its rho at the order of the purse, if that has one */
} DpsPurseClaim;

/* The relation's qualified name. */
extern char *dps_open_account_name(const DpsOpenAccount *account);

/* Is it of an entity? */
extern bool dps_claim_is_of_entity(const DpsPurseClaim *claim);

/*
 * Makes the purse count at the order of the budget, or by its rule, if it has one.  What was spent at another order is known by its
 * rho of all orders, which is no less; by a rule it is counted from the history, and a purse of which that is incomplete stays as it is.  A purse whose budget has no order, or is gone, keeps its own.
 */
extern void dps_claim_take_order(const DpsPurseClaim *claim);

/* Does the budget, if there is one, admit the cost?  The purse was turned, and both costs are set. */
extern bool dps_claim_admits(const DpsPurseClaim *claim);

/* Adds the costs to what was spent. */
extern void dps_claim_charge(const DpsPurseClaim *claim);

/* Fills the answer with the refusal of a claim that its budget does not admit. */
extern void dps_claim_refuse(const DpsPurseClaim *claim, DpsChargeAnswer *answer);

#endif							/* DPS_LEDGER_CHARGE_CLAIM_H */

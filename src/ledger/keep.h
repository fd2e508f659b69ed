/*
 * keep.h
 *		Who may write the ledger's tables.
 */
#ifndef DPS_LEDGER_KEEP_H
#define DPS_LEDGER_KEEP_H

#include "postgres.h"

#include "utils/relcache.h"

#include "ledger/statement.h"

/* Allows or forbids this process to write purses and the history, which acknowledging a restore does.
 * Returns the previous value. */
extern bool dps_ledger_let_write(bool let);

/* May this process write them now: is it a function of dpsens, or the worker? */
extern bool dps_ledger_may_write(void);

/* Allows this process to write until it ends: it is the ledger's worker. */
extern void dps_ledger_be_worker(void);

/* Reports to the worker, when this transaction commits, that the relation has changed.  Does nothing in
 * the worker, which knows what it writes. */
extern void dps_ledger_tell(Relation changed);

/* Runs a statement that writes the ledger, for a function that has checked its
 * caller. */
extern void dps_ledger_write(DpsStatement *statement, Datum *values, const char *nulls);

/*
 * The ledger's tables belong to the extension's owner.  Statements of functions
 * that have checked their caller run as the superuser, under the restrictions
 * of a security definer function; an error resets the user by itself.
 */
typedef struct DpsElevation
{
	Oid			user;
	int			context;
} DpsElevation;

extern DpsElevation dps_elevate(void);
extern void dps_descend(DpsElevation saved);

#endif							/* DPS_LEDGER_KEEP_H */

/*
 * keep.h
 *		Who may write the ledger's tables.
 */
#ifndef DPS_LEDGER_KEEP_H
#define DPS_LEDGER_KEEP_H

#include "postgres.h"

#include "ledger/statement.h"

/* Lets this process write what was spent, and its history; returns what was
 * the case before.  The worker is let for good, others while they set right
 * what a restore brought. */
extern bool dps_ledger_let_write(bool let);

/* Runs a statement that writes it, for a function that has checked its caller. */
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

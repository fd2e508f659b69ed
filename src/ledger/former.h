/*
 * former.h
 *		A table that was dropped and made again goes on with what was set for the first one, and with what
 *		was spent; and what names mean in a ledger that was restored.
 */
#ifndef DPS_LEDGER_FORMER_H
#define DPS_LEDGER_FORMER_H

#include "postgres.h"

/* Gives what was set for, and spent on, relations that are gone and had the names $2 to $4 to the relation $1
 * (identity.h).  Connected to SPI, as somebody who may write the ledger. */
extern void dps_former_inherit(Datum values[4]);

/* Notes which relations have names of such that are gone: the statement that follows may change that.  Connected to
 * SPI, as somebody who may read the ledger. */
extern void dps_former_note(void);

/* Gives to those that were noted in this transaction, and to those that have such names now, what they are to
 * inherit.  As dps_former_inherit. */
extern void dps_former_settle(void);

/* In a database that was restored and not acknowledged: notes what the names in the ledger mean, which the statement that
 * follows may change; and gives to the ledger the names that what was noted in this transaction has now.  As the two before. */
extern void dps_meant_note(void);
extern void dps_meant_settle(void);

extern void dps_former_init(void);

#endif							/* DPS_LEDGER_FORMER_H */

/*
 * names.h
 *		The names of the relations and roles in the ledger.
 */
#ifndef DPS_LEDGER_CHARGE_NAMES_H
#define DPS_LEDGER_CHARGE_NAMES_H

#include "postgres.h"

/* A statement is about to give relations other names.  In a transaction. */
extern void dps_names_note(void);

/* A statement of this transaction may have renamed objects; the ledger is updated when it commits. */
extern void dps_names_changed(void);

/* A statement is about to drop objects; their present names are recorded.  In a transaction. */
extern void dps_names_keep(void);

/* Updates names that have changed, in rows that are not locked.  Inside SPI, in the worker. */
extern void dps_names_refresh(void);

/* Registers the callback that updates names at commit.  Called by dps_ledger_init. */
extern void dps_names_init(void);

#endif							/* DPS_LEDGER_CHARGE_NAMES_H */

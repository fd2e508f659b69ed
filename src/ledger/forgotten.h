/*
 * forgotten.h
 *		What the ledger no longer knows once the extension is dropped.
 */
#ifndef DPS_LEDGER_FORGOTTEN_H
#define DPS_LEDGER_FORGOTTEN_H

#include "postgres.h"

/* Warns whoever is about to drop the extension of what was spent, if anything. */
extern void dps_ledger_warn_of_drop(void);

/* Warns whoever has just created it if relations are protected already: what was
 * spent on them by an extension that was dropped is not known any more. */
extern void dps_ledger_warn_of_new(void);

#endif							/* DPS_LEDGER_FORGOTTEN_H */

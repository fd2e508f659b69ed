/*
 * forgotten.h
 *		Warnings about spending that is lost when the extension is dropped.
 */
#ifndef DPS_LEDGER_FORGOTTEN_H
#define DPS_LEDGER_FORGOTTEN_H

#include "postgres.h"

/* Warns a superuser who is about to drop the extension of what was spent, if anything. */
extern void dps_ledger_warn_of_drop(void);

/* Warns after CREATE EXTENSION if relations are protected already: what was spent on them by a dropped
 * extension is not known any more. */
extern void dps_ledger_warn_of_new(void);

#endif							/* DPS_LEDGER_FORGOTTEN_H */

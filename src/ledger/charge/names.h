/*
 * names.h
 *		What the relations and roles of the ledger are called.
 */
#ifndef DPS_LEDGER_CHARGE_NAMES_H
#define DPS_LEDGER_CHARGE_NAMES_H

#include "postgres.h"

/* A statement of this transaction may have renamed some: the ledger follows
 * when it commits. */
extern void dps_names_changed(void);

/* A statement is about to drop some: their names are recorded as they are now.
 * In a transaction. */
extern void dps_names_keep(void);

/* Sets names right, where they are not and nobody holds them; inside SPI, in the
 * worker. */
extern void dps_names_refresh(void);

/* Called by dps_ledger_init. */
extern void dps_names_init(void);

#endif							/* DPS_LEDGER_CHARGE_NAMES_H */

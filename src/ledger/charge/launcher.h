/*
 * launcher.h
 *		The process that starts one ledger worker per database on demand.
 */
#ifndef DPS_LEDGER_CHARGE_LAUNCHER_H
#define DPS_LEDGER_CHARGE_LAUNCHER_H

#include "postgres.h"

/* Registers the launcher with the postmaster.  Called from _PG_init. */
extern void dps_launcher_register(void);

/* The launcher's main function, whose name is in the registration. */
extern PGDLLEXPORT void dps_launcher_main(Datum arg);

#endif							/* DPS_LEDGER_CHARGE_LAUNCHER_H */

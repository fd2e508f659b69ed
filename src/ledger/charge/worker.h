/*
 * worker.h
 *		The process that writes the ledger of one database.
 */
#ifndef DPS_LEDGER_CHARGE_WORKER_H
#define DPS_LEDGER_CHARGE_WORKER_H

#include "postgres.h"

/* The worker's main function; the argument is the database. */
extern PGDLLEXPORT void dps_ledger_worker_main(Datum arg);

#endif							/* DPS_LEDGER_CHARGE_WORKER_H */

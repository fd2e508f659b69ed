/*
 * background.h
 *		Processes of the extension that belong to a database.
 */
#ifndef DPS_GLUE_BACKGROUND_H
#define DPS_GLUE_BACKGROUND_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/*
 * Starts a process for a database, which is not restarted: its name in pg_stat_activity, and
 * the function of this library that it runs.  extra is handed to it, at
 * most BGW_EXTRALEN bytes.  False if no slot is free.
 */
extern bool dps_start_process(const char *type, const char *function, Oid database, BgWorkerStartTime when,
							  const void *extra, Size length, BackgroundWorkerHandle **handle);

/* Registers a function that ends a process which has nothing to do, and says whether there
 * was one; called while the server starts. */
extern void dps_lets_processes_go(bool (*let_go) (void));

/* Ends one such process, of any module, so that a slot becomes free soon; false if there
 * is none. */
extern bool dps_let_process_go(void);

#endif							/* DPS_GLUE_BACKGROUND_H */

/*
 * background.h
 *		Processes of the extension that belong to a database.
 */
#ifndef DPS_GLUE_BACKGROUND_H
#define DPS_GLUE_BACKGROUND_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/*
 * A process that is started once, by whoever asks, and told its database: what pg_stat_activity
 * calls it, and the function of this library that it runs.  extra is handed to it, at
 * most BGW_EXTRALEN bytes.  False if no slot is free.
 */
extern bool dps_start_process(const char *type, const char *function, Oid database, BgWorkerStartTime when,
							  const void *extra, Size length, BackgroundWorkerHandle **handle);

#endif							/* DPS_GLUE_BACKGROUND_H */

/*
 * session_caches.h
 *		Caches that rows could fill late: filled before the first row; those of catalogs
 *		are emptied after the last.
 */
#ifndef DPS_GUARD_RESTRICT_SESSION_CACHES_H
#define DPS_GUARD_RESTRICT_SESSION_CACHES_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* Opens the caches for the relations of the execution, and for these types and collations.  keeps_locks:
 * keep the locks that this needs until the transaction ends, so that later calls do not wait for them. */
extern void dps_open_caches(const EState *estate, const List *types, const List *collations, bool keeps_locks);

/* Could a computation with these types read a catalog by the value of a cell? */
extern bool dps_cells_ask_catalogs(const List *types);

/* Empties the session's catalog caches. */
extern void dps_forget_catalogs(void);

#endif							/* DPS_GUARD_RESTRICT_SESSION_CACHES_H */

/*
 * session_caches.h
 *		What rows could open late, opened before the first and forgotten after
 *		the last.
 */
#ifndef DPS_GUARD_RESTRICT_SESSION_CACHES_H
#define DPS_GUARD_RESTRICT_SESSION_CACHES_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* Opens the caches for the relations of the execution, and for these types and
 * collations.  Locks that it needs may be kept until the transaction ends, so that
 * nobody is waited for the next time. */
extern void dps_open_caches(const EState *estate, const List *types, const List *collations, bool keeps_locks);

/* Could a computation with these types ask a catalog by what a cell holds? */
extern bool dps_cells_ask_catalogs(const List *types);

/* Forgets what the session's caches of catalogs hold. */
extern void dps_forget_catalogs(void);

#endif							/* DPS_GUARD_RESTRICT_SESSION_CACHES_H */

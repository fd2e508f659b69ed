/*
 * asker.h
 *		Who asked: the role that a statement was started as.
 *
 * Privileges are checked when a statement starts, but it runs when its rows are
 * fetched, and a cursor may be fetched by somebody else: a security definer
 * function that is handed one.  Who started it pays.
 */
#ifndef DPS_GUARD_ASKER_H
#define DPS_GUARD_ASKER_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* Remembers the present role as that of the execution, as long as its memory
 * lives. */
extern void dps_asker_note(EState *estate);

/* That role; an error if none was noted. */
extern Oid	dps_asker_role(const EState *estate);

#endif							/* DPS_GUARD_ASKER_H */

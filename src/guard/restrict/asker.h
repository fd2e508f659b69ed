/*
 * asker.h
 *		Who asked, and how: the role that a statement was started as, and its
 *		settings.
 *
 * Privileges are checked when a statement starts, but it runs when its rows are
 * fetched, and a cursor may be fetched by somebody else: a security definer
 * function that is handed one.  Who started it pays, as much as was said then.
 */
#ifndef DPS_GUARD_RESTRICT_ASKER_H
#define DPS_GUARD_RESTRICT_ASKER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "glue/receipt.h"

/* Remembers the present role and settings as those of the execution, as long as
 * its memory lives. */
extern void dps_asker_note(EState *estate);

/* That role; an error if none was noted. */
extern Oid	dps_asker_role(const EState *estate);

/* Those settings. */
extern const DpsTerms *dps_asker_terms(const EState *estate);

#endif							/* DPS_GUARD_RESTRICT_ASKER_H */

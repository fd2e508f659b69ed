/*
 * asker.h
 *		The role that started a statement, and its settings.
 *
 * Privileges are checked when a statement starts, but it runs when its rows are fetched, and another role
 * may fetch from a cursor, such as a security definer function that gets it as an argument.  The role that
 * started the statement pays, by the settings of that time.
 */
#ifndef DPS_GUARD_RESTRICT_ASKER_H
#define DPS_GUARD_RESTRICT_ASKER_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "glue/receipt.h"

/* Records the present role and settings as those of the execution, until its memory is released. */
extern void dps_asker_note(EState *estate);

/* The recorded role; an error if none was recorded. */
extern Oid	dps_asker_role(const EState *estate);

/* The recorded settings. */
extern const DpsTerms *dps_asker_terms(const EState *estate);

#endif							/* DPS_GUARD_RESTRICT_ASKER_H */

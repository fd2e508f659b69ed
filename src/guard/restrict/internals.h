/*
 * internals.h
 *		Functions that only the rewriter may call.
 */
#ifndef DPS_GUARD_RESTRICT_INTERNALS_H
#define DPS_GUARD_RESTRICT_INTERNALS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Refuses a statement that calls the extension's internals by hand. */
extern void dps_refuse_internals(Query *query, const char *source_text);

#endif							/* DPS_GUARD_RESTRICT_INTERNALS_H */

/*
 * internals.h
 *		Functions that only the rewriting may call.
 */
#ifndef DPS_GUARD_RESTRICT_INTERNALS_H
#define DPS_GUARD_RESTRICT_INTERNALS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Does a statement call the extension's internal functions directly? */
extern bool dps_calls_internals(Query *query);

/* Raises an error if a statement calls the extension's internal functions directly. */
extern void dps_refuse_internals(Query *query, const char *source_text);

#endif							/* DPS_GUARD_RESTRICT_INTERNALS_H */

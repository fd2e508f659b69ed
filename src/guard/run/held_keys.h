/*
 * held_keys.h
 *		Keeps the declared values of a statement while it runs.
 */
#ifndef DPS_GUARD_RUN_HELD_KEYS_H
#define DPS_GUARD_RUN_HELD_KEYS_H

#include "postgres.h"

#include "executor/execdesc.h"

/* Finds the declared values that the plan refers to, and keeps them until the statement ends.  An error if
 * they no longer exist.  Precondition: the executor has started. */
extern void dps_hold_keys(QueryDesc *query);

#endif							/* DPS_GUARD_RUN_HELD_KEYS_H */

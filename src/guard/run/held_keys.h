/*
 * held_keys.h
 *		What a statement refers to is there while it runs.
 */
#ifndef DPS_GUARD_RUN_HELD_KEYS_H
#define DPS_GUARD_RUN_HELD_KEYS_H

#include "postgres.h"

#include "executor/execdesc.h"

/* Finds the declared values that the plan refers to, and keeps them until the
 * statement ends; an error if they are no more.  After the executor has started. */
extern void dps_hold_keys(QueryDesc *query);

#endif							/* DPS_GUARD_RUN_HELD_KEYS_H */

/*
 * hooks.h
 *		The planner and executor hooks.
 */
#ifndef DPS_GUARD_HOOKS_H
#define DPS_GUARD_HOOKS_H

/* Installs the hooks; called from _PG_init when the library is preloaded. */
extern void dps_hooks_init(void);

#endif							/* DPS_GUARD_HOOKS_H */

/*
 * utility.h
 *		Utility statements that concern private answers.
 */
#ifndef DPS_GUARD_RESTRICT_UTILITY_H
#define DPS_GUARD_RESTRICT_UTILITY_H

#include "postgres.h"

/* Is the present statement run by an EXPLAIN? */
extern bool dps_is_explaining(void);

/* Sets the hook; called by dps_hooks_init. */
extern void dps_utility_init(void);

#endif							/* DPS_GUARD_RESTRICT_UTILITY_H */

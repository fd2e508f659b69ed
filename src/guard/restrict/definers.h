/*
 * definers.h
 *		SECURITY DEFINER functions that run now.
 */
#ifndef DPS_GUARD_RESTRICT_DEFINERS_H
#define DPS_GUARD_RESTRICT_DEFINERS_H

#include "postgres.h"

/*
 * Does the asking role run with the rights of somebody who may read a relation which it may not itself?  Then somebody has
 * opened a door to it (hidden.c), and what is called from there is the opener's.
 */
extern bool dps_is_lent_more(Oid asker);

/* Called by dps_hidden_init. */
extern void dps_definers_init(void);

#endif							/* DPS_GUARD_RESTRICT_DEFINERS_H */

/*
 * elevate.h
 *		Acting as the owner of the ledger's tables.
 */
#ifndef DPS_LEDGER_ELEVATE_H
#define DPS_LEDGER_ELEVATE_H

#include "postgres.h"

/* Who acted before. */
typedef struct DpsElevation
{
	Oid			user;
	int			context;
} DpsElevation;

/*
 * From here to dps_descend, statements run as the tables' owner, under the
 * restrictions of a security definer function.  The caller has checked that
 * the user may have it done; an error resets the user by itself.
 */
extern DpsElevation dps_elevate(void);
extern void dps_descend(DpsElevation saved);

#endif							/* DPS_LEDGER_ELEVATE_H */

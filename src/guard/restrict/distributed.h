/*
 * distributed.h
 *		Tables and nodes of Citus, where dpsens is beside it (glue/citus.h).
 */
#ifndef DPS_GUARD_RESTRICT_DISTRIBUTED_H
#define DPS_GUARD_RESTRICT_DISTRIBUTED_H

#include "postgres.h"

/* Is there a relation with the label PROTECTED in this database that the role may not read? */
extern bool dps_is_barred_from_label(Oid role);

/* Sets the hook that refuses to distribute protected tables; called by dps_hooks_init. */
extern void dps_distributed_init(void);

#endif							/* DPS_GUARD_RESTRICT_DISTRIBUTED_H */

/*
 * owner_hint.h
 *		Hints that only owners can follow.
 */
#ifndef DPS_GLUE_OWNER_HINT_H
#define DPS_GLUE_OWNER_HINT_H

#include "postgres.h"

/*
 * Inside of ereport(), in the place of errhint(): the hint for who owns the relation, and
 * for others whom to ask.  InvalidOid: there are several.  Hints that tell one to call
 * a setter go through here (test/structure.sh).
 */
extern int	dps_hint_owner(Oid relation, const char *format,...) pg_attribute_printf(2, 3);

#endif							/* DPS_GLUE_OWNER_HINT_H */

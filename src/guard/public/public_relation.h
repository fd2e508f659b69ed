/*
 * public_relation.h
 *		Which relations are public.
 */
#ifndef DPS_GUARD_PUBLIC_PUBLIC_RELATION_H
#define DPS_GUARD_PUBLIC_PUBLIC_RELATION_H

#include "postgres.h"

/*
 * Is it the same whatever the rows of protected relations are?  This alone decides
 * what may stand beside protected rows: in joins, in subqueries of conditions, as a
 * source of keys.
 */
extern bool dps_is_public_relation(Oid relation);

/* The same: NULL if it is, else a sentence that says why not, with a hint. */
extern const char *dps_why_not_public(Oid relation, const char **hint);

#endif							/* DPS_GUARD_PUBLIC_PUBLIC_RELATION_H */

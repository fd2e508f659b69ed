/*
 * public_relation.h
 *		Which relations are public.
 */
#ifndef DPS_GUARD_PUBLIC_PUBLIC_RELATION_H
#define DPS_GUARD_PUBLIC_PUBLIC_RELATION_H

#include "postgres.h"

/*
 * Is the content of the relation independent of the rows of protected relations?  This alone decides which
 * relations may be used together with protected rows: in joins, in subqueries of conditions, as a source of
 * keys.
 */
extern bool dps_is_public_relation(Oid relation);

/* NULL if the relation is public, else a sentence that says why not, and in *hint a hint. */
extern const char *dps_why_not_public(Oid relation, const char **hint);

#endif							/* DPS_GUARD_PUBLIC_PUBLIC_RELATION_H */

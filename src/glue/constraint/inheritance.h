/*
 * inheritance.h
 *		Relations that share rows by inheritance or partitioning.
 */
#ifndef DPS_GLUE_CONSTRAINT_INHERITANCE_H
#define DPS_GLUE_CONSTRAINT_INHERITANCE_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* OIDs of the relation, its descendants, and all ancestors of these: a query of each of
 * them can read rows that a query of the relation reads.  Takes no locks on them. */
extern List *dps_relation_family(Oid relation);

#endif							/* DPS_GLUE_CONSTRAINT_INHERITANCE_H */

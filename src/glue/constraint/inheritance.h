/*
 * inheritance.h
 *		Relations that share rows by inheritance or partitioning.
 */
#ifndef DPS_GLUE_CONSTRAINT_INHERITANCE_H
#define DPS_GLUE_CONSTRAINT_INHERITANCE_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The relation, those that inherit from it, at any distance, and all that one of these
 * inherits from: each has rows of a table that has rows of it. */
extern List *dps_relation_family(Oid relation);

#endif							/* DPS_GLUE_CONSTRAINT_INHERITANCE_H */

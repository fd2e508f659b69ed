/*
 * inheritance.h
 *		Relations that share rows by inheritance or partitioning.
 */
#ifndef DPS_GLUE_CONSTRAINT_INHERITANCE_H
#define DPS_GLUE_CONSTRAINT_INHERITANCE_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The relation, those that it inherits from and those that inherit from it, at any
 * distance. */
extern List *dps_relation_family(Oid relation);

#endif							/* DPS_GLUE_CONSTRAINT_INHERITANCE_H */

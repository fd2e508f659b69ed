/*
 * owner.h
 *		Whose a relation or function is.
 */
#ifndef DPS_GLUE_OWNER_H
#define DPS_GLUE_OWNER_H

#include "postgres.h"

/* The owner's role; an error if the relation, or function, does not exist. */
extern Oid	dps_relation_owner(Oid relation);
extern Oid	dps_function_owner(Oid function);

#endif							/* DPS_GLUE_OWNER_H */

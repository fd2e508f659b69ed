/*
 * owner.h
 *		Whose a relation or function is, and what roles are called.
 */
#ifndef DPS_GLUE_OWNER_H
#define DPS_GLUE_OWNER_H

#include "postgres.h"

/* The owner's role; an error if the relation, or function, does not exist. */
extern Oid	dps_relation_owner(Oid relation);
extern Oid	dps_function_owner(Oid function);

/* What a relation is called, as storage for Datums. */
typedef struct DpsRelationNames
{
	NameData	schema;			/* "" if it is gone */
	NameData	name;
	NameData	owner;
} DpsRelationNames;

/* False if there is no such relation. */
extern bool dps_relation_names(Oid relation, DpsRelationNames *names);

/*
 * The role's name, for tables of this database; false, and "", if it is gone.  Names belong to all databases, and may have
 * been given in one of another encoding: "?" stands for each byte that is none here, or a dump could not be restored.
 */
extern bool dps_role_written(Oid role, NameData *name);

#endif							/* DPS_GLUE_OWNER_H */

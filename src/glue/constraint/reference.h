/*
 * reference.h
 *		Foreign keys that say whom a row belongs to.
 */
#ifndef DPS_GLUE_CONSTRAINT_REFERENCE_H
#define DPS_GLUE_CONSTRAINT_REFERENCE_H

#include "postgres.h"

#include "access/attnum.h"

/* A validated foreign key of one column. */
typedef struct DpsReference
{
	AttrNumber	column;			/* that refers */
	Oid			relation;		/* that is referred to */
	AttrNumber	key;			/* its column, which is unique */
	Oid			equality;		/* operator: key = column */
} DpsReference;

/*
 * The one foreign key of a relation, from this column (0: any) to that relation
 * (InvalidOid: any).  False if there is none, or if several differ.
 */
extern bool dps_find_reference(Oid relation, AttrNumber column, Oid referenced, DpsReference *reference);

#endif							/* DPS_GLUE_CONSTRAINT_REFERENCE_H */

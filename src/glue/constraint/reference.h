/*
 * reference.h
 *		Foreign keys from rows to their unit.
 */
#ifndef DPS_GLUE_CONSTRAINT_REFERENCE_H
#define DPS_GLUE_CONSTRAINT_REFERENCE_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"

/* A validated foreign key of one column. */
typedef struct DpsReference
{
	AttrNumber	column;			/* the referencing column */
	Oid			relation;		/* the referenced relation */
	AttrNumber	key;			/* the referenced column, which is unique */
	Oid			equality;		/* operator: key = column */
} DpsReference;

/*
 * The only foreign key of the relation from this column (0: any) to the relation
 * `referenced` (InvalidOid: any).  False, with *reference undefined, if there is none, or
 * if there are several different ones.
 */
extern bool dps_find_reference(Oid relation, AttrNumber column, Oid referenced, DpsReference *reference);

/* All foreign keys of this column alone, as a list of DpsReference *, those among them that are not validated or
 * compare different types by a session's settings. */
extern List *dps_references_from(Oid relation, AttrNumber column);

#endif							/* DPS_GLUE_CONSTRAINT_REFERENCE_H */

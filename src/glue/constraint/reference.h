/*
 * reference.h
 *		Foreign keys from rows to their unit.
 */
#ifndef DPS_GLUE_CONSTRAINT_REFERENCE_H
#define DPS_GLUE_CONSTRAINT_REFERENCE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "glue/constraint/unit_columns.h"

/* A validated foreign key: keys[i] = columns[i] by equality[i], for all of them. */
typedef struct DpsReference
{
	DpsUnitColumns columns;		/* the referencing columns */
	Oid			relation;		/* the referenced relation */
	DpsUnitColumns keys;		/* the referenced columns, which are unique together */
	Oid			equality[DPS_MAX_UNIT_COLUMNS];	/* operators: key = column */
} DpsReference;

/*
 * The only foreign key of the relation from exactly these columns, whose order the reference then has, to the relation
 * `referenced` (InvalidOid: any).  False, with *reference undefined, if there is none, or if there are several
 * different ones.
 */
extern bool dps_find_reference(Oid relation, const DpsUnitColumns *columns, Oid referenced, DpsReference *reference);

/* The same from any columns to that relation, where they are not known: those that refer to these columns, if they are
 * several; else one column; else several where no foreign key to that relation is of one. */
extern bool dps_find_any_reference(Oid relation, Oid referenced, const DpsUnitColumns *unit, DpsReference *reference);

/* All foreign keys of exactly these columns, in whose order they then are, as a list of DpsReference *, those among them
 * that are not validated or compare different types by a session's settings. */
extern List *dps_references_from(Oid relation, const DpsUnitColumns *columns);

#endif							/* DPS_GLUE_CONSTRAINT_REFERENCE_H */

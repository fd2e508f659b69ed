/*
 * persons.h
 *		Which tables of a schema hold rows of persons, by its keys.
 */
#ifndef DPS_GLUE_SETUP_PERSONS_H
#define DPS_GLUE_SETUP_PERSONS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "glue/constraint/unit_columns.h"

/* How a row says whose it is. */
typedef enum DpsPersonLink
{
	DPS_LINK_NONE,				/* no key leads to a person */
	DPS_LINK_SELF,				/* each row is a person */
	DPS_LINK_KEY,				/* columns refer to the key of persons */
	DPS_LINK_REFERENCE			/* columns refer to a row that says it */
} DpsPersonLink;

typedef struct DpsSetupTable
{
	Oid			relation;
	const char *name;			/* qualified and quoted */
	bool		is_owned;		/* by the current user */
	DpsPersonLink link;
	DpsUnitColumns unit;		/* the columns that say it; none: each row is a person */
	Oid			through;		/* of a reference: the table that is referred to */
	bool		has_other;		/* another key leads to a person, too */
	bool		has_wide;		/* a key does that cannot be followed */
} DpsSetupTable;

/* The qualified name of a relation, or its OID as text if it is gone. */
extern const char *dps_setup_name(Oid relation);

/*
 * The tables of a schema, of DpsSetupTable *: first that of persons, then those whose keys
 * lead there, nearest first, then the others, each by name.  Partitions and tables of
 * extensions are left out.
 *
 * Persons are the rows of `entity`, or, if that is InvalidOid, of the schema's only table,
 * or of the only one that has the name of persons: an error with a hint if there is none.
 * Reads catalogs alone.
 */
extern List *dps_setup_tables(Oid schema, const char *schema_name, Oid entity);

#endif							/* DPS_GLUE_SETUP_PERSONS_H */

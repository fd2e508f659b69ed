/*
 * unit_columns.h
 *		The columns that together say whose a row is.
 *
 * A unit of several columns is the tuple of their values, in the order of its declaration.  Two rows are of one unit
 * if and only if all of their columns are equal, each as its type says.  A row in which any of them is NULL has no
 * unit, and is one by itself, as where a single column is the unit.
 *
 * All code has the columns as this structure, also where there is one: it is no AttrNumber, so nothing can take the
 * first column for the unit.
 */
#ifndef DPS_GLUE_CONSTRAINT_UNIT_COLUMNS_H
#define DPS_GLUE_CONSTRAINT_UNIT_COLUMNS_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/primnodes.h"

#define DPS_MAX_UNIT_COLUMNS 8

/* Distinct columns of one relation; those behind the first n are 0. */
typedef struct DpsUnitColumns
{
	int			n;				/* 0: there is no unit */
	AttrNumber	column[DPS_MAX_UNIT_COLUMNS];
} DpsUnitColumns;

static inline DpsUnitColumns
dps_single_column(AttrNumber column)
{
	return (DpsUnitColumns) {column == InvalidAttrNumber ? 0 : 1, {column}};
}

extern bool dps_is_unit_column(const DpsUnitColumns *columns, AttrNumber column);

/* Are they the same columns in the same order? */
extern bool dps_are_same_columns(const DpsUnitColumns *a, const DpsUnitColumns *b);

/* The columns' names for messages: of one column as it is, of several quoted as in SQL, with commas. */
extern char *dps_unit_names(Oid relation, const DpsUnitColumns *columns);

/* Is each of them NOT NULL, in all rows that a query of the relation reads? */
extern bool dps_unit_columns_are_not_null(Oid relation, const DpsUnitColumns *columns);

/* A unique index that proves that no two rows have equal values in all of the columns, none of which is NULL;
 * InvalidOid if there is none. */
extern Oid	dps_find_unit_index(Oid relation, const DpsUnitColumns *columns);

/* An index by which the rows of a unit are found: its first columns are the unit's, and compare as they do.  InvalidOid
 * if there is none, else puts the columns into the order of the index. */
extern Oid	dps_index_of_units(Oid relation, DpsUnitColumns *columns);

#define DPS_UNIT_FORM_HINT \
	"Use columns of whole numbers, numeric, text, varchar, char(n), uuid, dates, timestamps, booleans or enums, strings with a deterministic collation; or one column that says whose a row is."

/*
 * The expression over a column whose values have equal images (agg/unit/unit_image.h) if and only if the column's are
 * equal, and which is NULL where the column is, and cannot fail.  NULL if the type has no such form: then the column
 * can be the unit, but no part of one.
 */
extern Expr *dps_unit_form(const Var *column);

/* Are values of the type equal if and only if their bits are?  Then it is passed by
 * value, or as an int8 is. */
extern bool dps_is_equal_by_bits(Oid type);

#endif							/* DPS_GLUE_CONSTRAINT_UNIT_COLUMNS_H */

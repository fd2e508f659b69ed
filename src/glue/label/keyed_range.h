/*
 * keyed_range.h
 *		Ranges of a column that hold where another column of the row, its key, has a declared value: the results of
 *		one laboratory test, of many that a table holds.
 *
 * A label names the key, since a column's number changes when a table is restored.  A key that was renamed is not
 * found, and its ranges do not count until they are declared anew.
 */
#ifndef DPS_GLUE_LABEL_KEYED_RANGE_H
#define DPS_GLUE_LABEL_KEYED_RANGE_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

typedef struct DpsKeyedRange
{
	const char *key_name;
	AttrNumber	key;			/* InvalidAttrNumber: there is no such column any more, it is of another type, or of an
								 * enum that has no such label */
	const char *value;
	double		lo;				/* as in DpsColumnAnnotation */
	double		hi;
} DpsKeyedRange;

/* The keyed ranges of a column, in the order in which they were declared: a list of DpsKeyedRange *.  NIL also if the label
 * is wrong, or does not fit the column's type. */
extern List *dps_keyed_ranges(Oid relation, AttrNumber column);

/*
 * Is the expression a comparison of a column with a constant by the equality of the column's type, and is that a type
 * whose equal values, but for a collation's, are written in one way?  Then sets the column, and the constant as text.
 * What it says is no proof: privacy must not depend on it.
 */
extern bool dps_match_key(Node *expression, Var **column, char **value);

/* The key and the value, as text, that an owner's condition on a row of the relation names; an error unless it is a comparison
 * of a column that can be a key with a constant. */
extern void dps_read_key(Oid relation, const char *condition, char **key, char **value);

/* "WHERE key = 'value'", of the first keyed range of the column; NULL if it has none. */
extern char *dps_keyed_example(Oid relation, AttrNumber column);

#endif							/* DPS_GLUE_LABEL_KEYED_RANGE_H */

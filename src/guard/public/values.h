/*
 * values.h
 *		Lists of public values of GROUP BY keys, as values of the key's type.
 */
#ifndef DPS_GUARD_PUBLIC_VALUES_H
#define DPS_GUARD_PUBLIC_VALUES_H

#include "postgres.h"

#include "access/attnum.h"

#include "agg/unit/group_keys.h"

/* A list of values; immutable. */
typedef struct DpsValues
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	int			n;
	bool		is_sequence;	/* consecutive integers or dates */
	bool		has_equal;		/* two of them are equal, or the type has no order */
	Oid			equality;		/* the type's equality operator */
	const DpsGroupKey *map;		/* NULL if the type cannot be hashed */
	Datum		array;			/* the values, if the map does not hold them as Datums */
	const DpsKeyReference *reference;	/* what a plan contains in place of the map; NULL if it
										 * contains the map itself */
} DpsValues;

/* Registers the function that finds lists by references in plans. */
extern void dps_values_init(void);

/* Makes a list from the values of a type, in CurrentMemoryContext. */
extern DpsValues *dps_values_make(Oid type, int32 typmod, Oid collation, const Datum *values, int n);

/* Makes a list of integers or strings from texts, without calling the type's input function.  NULL where
 * the input function must be called. */
extern DpsValues *dps_values_of_texts(Oid type, int32 typmod, Oid collation, const DpsTexts *texts);

/* The values as an array, in the order of declaration; may point into `values`. */
extern Datum dps_values_array(const DpsValues *values);

/*
 * The values that are declared for a column, read as the given type, which may differ from the column's.
 * They live as long as allocations in CurrentMemoryContext.  A session caches them until the relation's
 * labels or columns change.
 */
extern const DpsValues *dps_declared_values(Oid relation, AttrNumber column, Oid type, int32 typmod, Oid collation);

/* The same values in the order of their type.  Precondition: the type has an order. */
extern const DpsValues *dps_values_sorted(const DpsValues *values);

#endif							/* DPS_GUARD_PUBLIC_VALUES_H */

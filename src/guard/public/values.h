/*
 * values.h
 *		Lists of public values that GROUP BY keys are among, as their type reads
 *		them.
 */
#ifndef DPS_GUARD_PUBLIC_VALUES_H
#define DPS_GUARD_PUBLIC_VALUES_H

#include "postgres.h"

#include "access/attnum.h"

#include "agg/unit/group_keys.h"

/* Never changed once it is made. */
typedef struct DpsValues
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	int			n;
	bool		is_sequence;	/* of integers or dates, one after the other */
	bool		has_equal;		/* two of them are equal, or the type has no order */
	Oid			equality;		/* what the type is hashed for, if */
	const DpsGroupKey *map;		/* is not NULL */
	Datum		array;			/* if the map does not hold them as they are */
	const DpsKeyReference *reference;	/* what a plan has of them in the place of the
										 * map; NULL if it has the map itself */
} DpsValues;

/* Makes what plans refer to be found here. */
extern void dps_values_init(void);

/* From the values of a type, in CurrentMemoryContext. */
extern DpsValues *dps_values_make(Oid type, int32 typmod, Oid collation, const Datum *values, int n);

/* From texts, without the type's input function: of integers and of strings.  NULL
 * where it is to be asked. */
extern DpsValues *dps_values_of_texts(Oid type, int32 typmod, Oid collation, const DpsTexts *texts);

/* In the order of declaration; may be a part of what they are. */
extern Datum dps_values_array(const DpsValues *values);

/*
 * The values that are declared for a column, read as a type that may be another
 * one.  They live as long as what is allocated in CurrentMemoryContext.  A session
 * remembers them until the relation's labels or columns change.
 */
extern const DpsValues *dps_declared_values(Oid relation, AttrNumber column, Oid type, int32 typmod, Oid collation);

/* The same values in the order of their type. */
extern const DpsValues *dps_values_sorted(const DpsValues *values);

#endif							/* DPS_GUARD_PUBLIC_VALUES_H */

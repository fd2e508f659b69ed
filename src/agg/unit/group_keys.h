/*
 * group_keys.h
 *		From the value of a GROUP BY column to the number of the declared value
 *		that it equals.
 */
#ifndef DPS_AGG_UNIT_GROUP_KEYS_H
#define DPS_AGG_UNIT_GROUP_KEYS_H

#include "postgres.h"

#include "glue/label/label.h"

typedef enum DpsGroupKeyKind
{
	DPS_KEY_RANGE,				/* first, first + 1, ... */
	DPS_KEY_INTEGERS,			/* n of int64 follow */
	DPS_KEY_VALUES,				/* an array of the type follows */
	DPS_KEY_REFERENCE			/* they are elsewhere: a DpsKeyReference */
} DpsGroupKeyKind;

/* One key's declared values, a part of a plan constant: equal ones have equal
 * bytes. */
typedef struct DpsGroupKey
{
	uint32		size;			/* of all of it; a multiple of 8 */
	Oid			type;			/* no domain */
	Oid			collation;
	int32		kind;
	int32		n;
	int32		reserved;		/* 0 */
	int64		first;
} DpsGroupKey;

#define DPS_KEY_DIGEST 32

/*
 * Many declared values, which a plan does not carry, since plans are copied often: the
 * column that they are declared for, how they are read, and the SHA-256 of the bytes
 * that they would have in the plan.  Values that are found have these bytes or are not
 * used (guard/public/values_cache.c).
 */
typedef struct DpsKeyReference
{
	DpsGroupKey key;			/* of this kind, n, type and collation */
	Oid			relation;
	int32		column;
	int32		typmod;
	int32		reserved;		/* 0 */
	uint64		memory;			/* that a map of them takes */
	uint8		digest[DPS_KEY_DIGEST];
} DpsKeyReference;

#define DPS_KEYS_VERSION 0x0701

/* A constant of a plan that is such a reference. */
typedef struct DpsKeysPlan
{
	int32		vl_len_;
	uint32		version;
	DpsKeyReference reference;
} DpsKeysPlan;

/* The key for these values of a type, which are compared by the operator of the type's
 * hash.  NULL if the type has no hash. */
extern DpsGroupKey *dps_group_key_build(Oid type, Oid collation, const Datum *values, int n);

/* The same for integers of a type that is equal by its bits, and for strings of
 * one that is equal by its bytes, at least one. */
extern DpsGroupKey *dps_group_key_of_integers(Oid type, Oid collation, const int64 *integers, int n);
extern DpsGroupKey *dps_group_key_of_strings(Oid type, Oid collation, const DpsTexts *strings);

/* Is a value declared twice? */
extern bool dps_group_key_repeats(const DpsGroupKey *key);

/* Raises if the bytes, at most so many, are no such key. */
extern void dps_group_key_check(const DpsGroupKey *key, Size size);

/* Bytes that a map takes, at most. */
extern Size dps_group_key_memory(const DpsGroupKey *key);

/* Is it a string type whose values are equal if and only if their bytes are? */
extern bool dps_is_equal_by_bytes(Oid type, Oid collation);

typedef struct DpsKeyMap DpsKeyMap;

struct DpsKeyMap
{
	uint32		nkeys;			/* declared values */
	int64		first;
	uint64		n;				/* range, or entries of direct */
	int32	   *direct;			/* by value - first, -1: not declared; NULL if it is
								 * a range, or found by `find` */
	const int64 *integers;		/* in the order of declaration: of a type that is
								 * equal by its bits, unless it is a range */
	const Datum *values;		/* of other types */
	bool		repeats;		/* a value is declared twice */
	int16		length;			/* of the type */
	int32		(*find) (const DpsKeyMap *map, Datum value);
	struct DpsKeyTable *table;
};

/* Uses the key's bytes, or what the reference refers to; in the current memory
 * context. */
extern void dps_key_map_init(DpsKeyMap *map, const DpsGroupKey *key);

/* Finds the map of the values that are referred to, which lives as long as the current
 * memory context.  An error if there are no such values any more. */
typedef const DpsKeyMap *(*DpsFindKeys) (const DpsKeyReference *reference);

extern void dps_set_key_finder(DpsFindKeys find);
extern const DpsKeyMap *dps_find_keys(const DpsKeyReference *reference);

/* The declared value of this number, from 0. */
extern Datum dps_key_map_value(const DpsKeyMap *map, uint32 number);

/* A value of a type that is compared by its bits. */
static inline int64
dps_key_integer(Datum value, int16 length)
{
	switch (length)
	{
		case 1:
			return DatumGetChar(value);
		case 2:
			return DatumGetInt16(value);
		case 4:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* And back, of a type of signed integers, without regard to overflow. */
static inline Datum
dps_key_of_integer(int64 integer, int16 length)
{
	switch (length)
	{
		case 1:
			return CharGetDatum((char) integer);
		case 2:
			return Int16GetDatum((int16) integer);
		case 4:
			return Int32GetDatum((int32) integer);
		default:
			return Int64GetDatum(integer);
	}
}

/* The value, of a type that is passed by value, as it would be read from storage.  A
 * computed value may differ in the bits of the Datum beyond the type: of a large OID they
 * are zeros, of a stored one copies of the sign. */
static inline Datum
dps_stored_bits(Datum value, int16 length)
{
	return dps_key_of_integer(dps_key_integer(value, length), length);
}

/* The number of the declared value that equals this one, from 0, or -1. */
static inline int32
dps_key_map_find(const DpsKeyMap *map, Datum value)
{
	uint64		place;

	if (map->find != NULL)
		return map->find(map, value);
	place = (uint64) dps_key_integer(value, map->length) - (uint64) map->first;
	if (place >= map->n)
		return -1;
	return map->direct != NULL ? map->direct[place] : (int32) place;
}

#endif							/* DPS_AGG_UNIT_GROUP_KEYS_H */

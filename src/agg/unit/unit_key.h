/*
 * unit_key.h
 *		The key of a row's unit, in a row that is kept (units.c).
 *
 * A row begins with its unit's key, of a few words.  Two rows are of one unit if
 * their keys are equal; where that does not suffice, the unit itself follows the
 * row, and is compared as its type says.
 */
#ifndef DPS_AGG_UNIT_UNIT_KEY_H
#define DPS_AGG_UNIT_UNIT_KEY_H

#include "postgres.h"

#include "fmgr.h"
#include "storage/itemptr.h"

#include "agg/unit/group_keys.h"
#include "base/hash.h"

typedef enum DpsUnitKind
{
	DPS_UNIT_HALF,				/* equal where its bits are, 32 of them */
	DPS_UNIT_BITS,				/* or 64 */
	DPS_UNIT_PLACE,				/* where a row is stored: equal where its bits are, 48 of them */
	DPS_UNIT_BYTES,				/* equal where its bytes are */
	DPS_UNIT_VALUE				/* as its type says */
} DpsUnitKind;

/* How the keys of a type are made. */
typedef struct DpsUnitKeys
{
	DpsUnitKind kind;
	int			words;			/* of a key */
	int16		length;			/* of the type */
	bool		byval;
	Oid			collation;
	FmgrInfo	hash;
	FmgrInfo	equal;
} DpsUnitKeys;

#define DPS_MAX_KEY_WORDS 4

/* The key of a row. */
typedef struct DpsUnitKey
{
	uint64		hash;
	uint32		word[DPS_MAX_KEY_WORDS];
	Datum		unit;
	Size		more;			/* words that the unit takes, after the row; or 0 */
} DpsUnitKey;

/* In the current memory context; the type must have equality and a hash. */
extern void dps_unit_keys_init(DpsUnitKeys *keys, Oid type, Oid collation);

/* Of bytes or values: see dps_unit_key_make. */
extern void dps_unit_key_of_value(DpsUnitKeys *keys, Datum unit, DpsUnitKey *key);

/* Writes the unit after the row, if it belongs there. */
extern void dps_unit_key_append(const DpsUnitKeys *keys, const DpsUnitKey *key, uint32 *row);

/* Words that the unit takes after a row with this key. */
extern Size dps_unit_words_after(const DpsUnitKeys *keys, const uint32 *row, const uint32 *after);

/* Are units with equal keys, which follow two rows, the same? */
extern bool dps_is_same_after(DpsUnitKeys *keys, const uint32 *row, const uint32 *after, const uint32 *other);

static inline uint64
dps_key_pair(const uint32 *words)
{
	uint64		pair;

	memcpy(&pair, words, sizeof(pair));
	return pair;
}

/* The block first, so that no two places have the same number. */
static inline uint64
dps_place_number(Datum place)
{
	ItemPointer at = (ItemPointer) DatumGetPointer(place);

	return (uint64) ItemPointerGetBlockNumberNoCheck(at) << 16 | ItemPointerGetOffsetNumberNoCheck(at);
}

/* Keys of bits, and of values, are their own hashes. */
static inline uint64
dps_unit_key_hash(const DpsUnitKeys *keys, const uint32 *row)
{
	switch (keys->kind)
	{
		case DPS_UNIT_HALF:
			return (uint64) row[0] << 32;
		case DPS_UNIT_BYTES:
			return dps_mix(dps_key_pair(row) ^ dps_mix(dps_key_pair(row + 2)));
		default:
			return (uint64) row[0] << 32 | row[1];
	}
}

static inline void
dps_unit_key_of_bits(uint64 bits, DpsUnitKey *key)
{
	key->hash = dps_mix(bits);
	key->word[0] = (uint32) (key->hash >> 32);
	key->word[1] = (uint32) key->hash;
}

static inline void
dps_unit_key_make(DpsUnitKeys *keys, Datum unit, DpsUnitKey *key)
{
	key->more = 0;
	switch (keys->kind)
	{
		case DPS_UNIT_HALF:
			key->word[0] = dps_mix_half((uint32) dps_key_integer(unit, keys->length));
			key->hash = (uint64) key->word[0] << 32;
			break;
		case DPS_UNIT_BITS:
			dps_unit_key_of_bits((uint64) dps_key_integer(unit, keys->length), key);
			break;
		case DPS_UNIT_PLACE:
			dps_unit_key_of_bits(dps_place_number(unit), key);
			break;
		default:
			dps_unit_key_of_value(keys, unit, key);
	}
}

static inline void
dps_unit_key_write(const DpsUnitKeys *keys, const DpsUnitKey *key, uint32 *row)
{
	row[0] = key->word[0];
	if (keys->words > 1)
		row[1] = key->word[1];
	if (keys->words > 2)
		memcpy(row + 2, key->word + 2, 2 * sizeof(uint32));
}

/* `at` is where a unit follows. */
static inline bool
dps_is_same_unit(DpsUnitKeys *keys, const uint32 *row, const uint32 *other, int at)
{
	switch (keys->kind)
	{
		case DPS_UNIT_HALF:
			return row[0] == other[0];
		case DPS_UNIT_BITS:
		case DPS_UNIT_PLACE:
			return dps_key_pair(row) == dps_key_pair(other);
		case DPS_UNIT_BYTES:
			if (dps_key_pair(row) != dps_key_pair(other) || dps_key_pair(row + 2) != dps_key_pair(other + 2))
				return false;
			break;
		default:
			if (dps_key_pair(row) != dps_key_pair(other))
				return false;
	}
	return dps_is_same_after(keys, row, row + at, other + at);
}

#endif							/* DPS_AGG_UNIT_UNIT_KEY_H */

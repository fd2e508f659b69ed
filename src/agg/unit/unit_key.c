/*
 * unit_key.c
 *		The key of a row's unit, in a row that is kept (units.c).
 *
 * A UUID, or a string of up to 15 bytes with its length, is its own key.  The key of
 * a longer string is a mark that differs from all lengths, its length and a hash.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

#include "agg/unit/unit_key.h"
#include "glue/constraint/unit_columns.h"
#include "glue/compat.h"

#define KEY_BYTES (DPS_MAX_KEY_WORDS * sizeof(uint32))
#define LONG_MARK 0xff

static DpsUnitKind
kind_of(Oid type, Oid collation, int16 length)
{
	if (type == UUIDOID || dps_is_equal_by_bytes(type, collation))
		return DPS_UNIT_BYTES;
	if (type == TIDOID)
		return DPS_UNIT_PLACE;
	if (!dps_is_equal_by_bits(type))
		return DPS_UNIT_VALUE;
	return length > 0 && length <= (int16) sizeof(uint32) ? DPS_UNIT_HALF : DPS_UNIT_BITS;
}

void
dps_unit_keys_init(DpsUnitKeys *keys, Oid type, Oid collation)
{
	static const int words[] = {
		[DPS_UNIT_HALF] = 1, [DPS_UNIT_BITS] = 2, [DPS_UNIT_PLACE] = 2, [DPS_UNIT_BYTES] = DPS_MAX_KEY_WORDS, [DPS_UNIT_VALUE] = 2
	};
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);

	fmgr_info_copy(&keys->hash, &entry->hash_proc_finfo, CurrentMemoryContext);
	fmgr_info_copy(&keys->equal, &entry->eq_opr_finfo, CurrentMemoryContext);
	keys->collation = collation;
	keys->length = entry->typlen;
	keys->byval = entry->typbyval;
	keys->kind = kind_of(type, collation, entry->typlen);
	keys->words = words[keys->kind];
}

/* ---- bytes ---- */

static inline bool
is_long(const DpsUnitKeys *keys, const uint32 *row)
{
	return keys->length == -1 && *(const unsigned char *) row == LONG_MARK;
}

static inline const struct varlena *
plain_string(Datum unit)
{
	const struct varlena *string = (const struct varlena *) DatumGetPointer(unit);

	return VARATT_IS_COMPRESSED(string) || VARATT_IS_EXTERNAL(string) ? PG_DETOAST_DATUM_PACKED(unit) : string;
}

static void
key_of_string(Datum unit, DpsUnitKey *key)
{
	const struct varlena *string = plain_string(unit);
	unsigned char *bytes = (unsigned char *) key->word;
	uint32		length = VARSIZE_ANY_EXHDR(string);
	uint64		hash;

	memset(bytes, 0, KEY_BYTES);
	if (length < KEY_BYTES)
	{
		bytes[0] = (unsigned char) length;
		memcpy(bytes + 1, VARDATA_ANY(string), length);
		return;
	}
	bytes[0] = LONG_MARK;
	hash = hash_bytes_extended((const unsigned char *) VARDATA_ANY(string), length, 0);
	memcpy(bytes + 4, &length, sizeof(length));
	memcpy(bytes + 8, &hash, sizeof(hash));
	key->unit = PointerGetDatum(string);
	key->more = TYPEALIGN(sizeof(uint32), VARSIZE_ANY(string)) / sizeof(uint32);
}

/* ---- values ---- */

/* Aligned as a Datum is. */
static Size
words_of_value(const DpsUnitKeys *keys, Datum unit)
{
	return TYPEALIGN(sizeof(Datum), keys->byval ? sizeof(Datum) : datumGetSize(unit, false, keys->length)) / sizeof(uint32);
}

static Datum
value_after(const DpsUnitKeys *keys, const uint32 *after)
{
	return keys->byval ? *(const Datum *) after : PointerGetDatum(after);
}

static void
key_of_value(DpsUnitKeys *keys, Datum unit, DpsUnitKey *key)
{
	key->unit = keys->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(unit)) : unit;
	key->hash = dps_mix(DatumGetUInt32(FunctionCall1Coll(&keys->hash, keys->collation, key->unit)));
	key->word[0] = (uint32) (key->hash >> 32);
	key->word[1] = (uint32) key->hash;
	key->more = words_of_value(keys, key->unit);
}

/* ---- both ---- */

void
dps_unit_key_of_value(DpsUnitKeys *keys, Datum unit, DpsUnitKey *key)
{
	if (keys->kind == DPS_UNIT_VALUE)
	{
		key_of_value(keys, unit, key);
		return;
	}
	if (keys->length == -1)
		key_of_string(unit, key);
	else
		memcpy(key->word, DatumGetPointer(unit), UUID_LEN);
	key->hash = dps_unit_key_hash(keys, key->word);
}

void
dps_unit_key_append(const DpsUnitKeys *keys, const DpsUnitKey *key, uint32 *row)
{
	/* its last bytes may be padding */
	memset(&row[key->more - 1], 0, sizeof(uint32));
	if (keys->kind == DPS_UNIT_BYTES)
		memcpy(row, DatumGetPointer(key->unit), VARSIZE_ANY(DatumGetPointer(key->unit)));
	else if (keys->byval)
		memcpy(row, &key->unit, sizeof(Datum));
	else
	{
		memset(&row[key->more - 2], 0, sizeof(uint32));
		memcpy(row, DatumGetPointer(key->unit), datumGetSize(key->unit, false, keys->length));
	}
}

Size
dps_unit_words_after(const DpsUnitKeys *keys, const uint32 *row, const uint32 *after)
{
	if (keys->kind == DPS_UNIT_VALUE)
		return words_of_value(keys, value_after(keys, after));
	return is_long(keys, row) ? TYPEALIGN(sizeof(uint32), VARSIZE_ANY(after)) / sizeof(uint32) : 0;
}

bool
dps_is_same_after(DpsUnitKeys *keys, const uint32 *row, const uint32 *after, const uint32 *other)
{
	if (keys->kind == DPS_UNIT_VALUE)
		return DatumGetBool(FunctionCall2Coll(&keys->equal, keys->collation, value_after(keys, after),
											  value_after(keys, other)));
	/* of the same length, as their keys say */
	return !is_long(keys, row) || memcmp(VARDATA_ANY(after), VARDATA_ANY(other), VARSIZE_ANY_EXHDR(after)) == 0;
}

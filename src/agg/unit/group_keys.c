/*
 * group_keys.c
 *		From the value of a GROUP BY column to the number of the declared value
 *		that it equals.
 *
 * Types that are equal where their bits are have tables of integers; strings
 * whose collation is deterministic are compared by their bytes; others are
 * hashed and compared by the functions of their type, which are those that the
 * server groups by.  What is hashed is public, and a row only looks it up: no
 * memory depends on the data.
 *
 * The tables are not the server's simplehash: what they take is charged to a query's
 * memory before they are made (dps_group_key_memory), one table serves three ways of
 * being equal, and the values are those of the plan, so that a place is eight bytes.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

#include "agg/unit/group_keys.h"
#include "base/hash.h"
#include "glue/constraint/unit_columns.h"

/* A place of an open hash table. */
typedef struct DpsKeyPlace
{
	uint32		hash;
	int32		number;			/* -1: free */
} DpsKeyPlace;

typedef struct DpsKeyTable
{
	uint32		mask;
	DpsKeyPlace *places;
	FmgrInfo	hash;			/* unless they are bytes */
	FmgrInfo	equal;
	Oid			collation;
} DpsKeyTable;

/* ---- the plan ---- */

bool
dps_is_equal_by_bytes(Oid type, Oid collation)
{
	return (type == TEXTOID || type == VARCHAROID) && OidIsValid(collation) && get_collation_isdeterministic(collation);
}

static DpsGroupKey *
make_part(Oid type, Oid collation, DpsGroupKeyKind kind, int n, Size more)
{
	Size		used = sizeof(DpsGroupKey) + more;
	Size		size = MAXALIGN(used);
	DpsGroupKey *key;

	if (size > MaxAllocSize)
		return NULL;
	key = palloc(size);
	memset(key, 0, sizeof(DpsGroupKey));
	memset((char *) key + used, 0, size - used);
	key->size = size;
	key->type = type;
	key->collation = collation;
	key->kind = kind;
	key->n = n;
	return key;
}

DpsGroupKey *
dps_group_key_of_integers(Oid type, Oid collation, const int64 *integers, int n)
{
	bool		is_range = true;
	DpsGroupKey *key;
	int			i;

	for (i = 1; i < n && is_range; i++)
		is_range = integers[i - 1] < PG_INT64_MAX && integers[i] == integers[i - 1] + 1;
	key = make_part(type, collation, is_range ? DPS_KEY_RANGE : DPS_KEY_INTEGERS, n, is_range ? 0 : sizeof(int64) * n);
	if (key != NULL && is_range)
		key->first = n > 0 ? integers[0] : 0;
	else if (key != NULL)
		memcpy(key + 1, integers, sizeof(int64) * n);
	return key;
}

static DpsGroupKey *
build_integers(Oid type, Oid collation, int16 length, const Datum *values, int n)
{
	int64	   *integers = palloc(sizeof(int64) * Max(n, 1));
	DpsGroupKey *key;
	int			i;

	for (i = 0; i < n; i++)
		integers[i] = dps_key_integer(values[i], length);
	key = dps_group_key_of_integers(type, collation, integers, n);
	pfree(integers);
	return key;
}

/* An array of one dimension, as the server would construct it. */
DpsGroupKey *
dps_group_key_of_strings(Oid type, Oid collation, const DpsTexts *strings)
{
	/* each with a length, and with up to a word of padding in place of its null byte */
	Size		most = ARR_OVERHEAD_NONULLS(1) + (strings->end - strings->bytes) + strings->n * (Size) (VARHDRSZ + sizeof(int32) - 2);
	DpsGroupKey *key = make_part(type, collation, DPS_KEY_VALUES, strings->n, most);
	char	   *string = strings->bytes;
	ArrayType  *array;
	char	   *to;
	Size		size;
	int			i;

	if (key == NULL)
		return NULL;
	array = (ArrayType *) (key + 1);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = type;
	ARR_DIMS(array)[0] = strings->n;
	ARR_LBOUND(array)[0] = 1;
	to = (char *) array + ARR_OVERHEAD_NONULLS(1);
	for (i = 0; i < strings->n; i++)
	{
		Size		length = strlen(string);

		/* what the last word has beyond the string */
		memset(to + INTALIGN(VARHDRSZ + length) - sizeof(int32), 0, sizeof(int32));
		SET_VARSIZE(to, VARHDRSZ + length);
		memcpy(VARDATA(to), string, length);
		to += INTALIGN(VARHDRSZ + length);
		string += length + 1;
	}
	SET_VARSIZE(array, to - (char *) array);
	size = MAXALIGN(to - (char *) key);
	memset(to, 0, (char *) key + size - to);
	key->size = size;
	return repalloc(key, size);
}

static DpsGroupKey *
build_values(Oid type, Oid collation, const TypeCacheEntry *entry, const Datum *values, int n)
{
	ArrayType  *array = construct_array((Datum *) values, n, type, entry->typlen, entry->typbyval, entry->typalign);
	DpsGroupKey *key = make_part(type, collation, DPS_KEY_VALUES, n, VARSIZE(array));

	if (key != NULL)
		memcpy(key + 1, array, VARSIZE(array));
	pfree(array);
	return key;
}

DpsGroupKey *
dps_group_key_build(Oid type, Oid collation, const Datum *values, int n)
{
	Oid			base = getBaseType(type);
	TypeCacheEntry *entry = lookup_type_cache(base, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

	if (!OidIsValid(entry->hash_proc))
		return NULL;
	if (dps_is_equal_by_bits(base))
		return build_integers(base, collation, entry->typlen, values, n);
	return build_values(base, collation, entry, values, n);
}

void
dps_group_key_check(const DpsGroupKey *key, Size size)
{
	Size		more;

	if (size < sizeof(DpsGroupKey) || key->size < sizeof(DpsGroupKey) || key->size > size || key->n < 0)
		elog(ERROR, "invalid keys");
	more = key->size - sizeof(DpsGroupKey);
	if (key->kind == DPS_KEY_REFERENCE && key->size == sizeof(DpsKeyReference))
		return;
	if ((key->kind == DPS_KEY_INTEGERS && more != (Size) key->n * sizeof(int64)) ||
		(key->kind == DPS_KEY_VALUES && (more < sizeof(ArrayType) || more < VARSIZE(key + 1))) ||
		key->kind < DPS_KEY_RANGE || key->kind > DPS_KEY_VALUES)
		elog(ERROR, "invalid keys");
}

/* ---- the map ---- */

static uint32
table_size(int n)
{
	uint32		size = 16;

	while (size < 2 * (uint32) n)
		size *= 2;
	return size;
}

/* Bits that differ in any place change the low bits. */
static uint32
hash_integer(int64 value)
{
	return (uint32) dps_hash_place((uint64) value, 32);
}

/* The size of a table with a place for each value from the least to the greatest; 0 if
 * it would be large. */
static uint64
direct_size(const DpsGroupKey *key, int64 *first)
{
	const int64 *integers = (const int64 *) (key + 1);
	int64		last = integers[0];
	uint64		span;
	int			i;

	*first = integers[0];
	for (i = 1; i < key->n; i++)
	{
		*first = Min(*first, integers[i]);
		last = Max(last, integers[i]);
	}
	span = (uint64) last - (uint64) *first;
	return span < 4 * (uint64) key->n + 1024 ? span + 1 : 0;
}

Size
dps_group_key_memory(const DpsGroupKey *key)
{
	int64		first;
	Size		table = sizeof(DpsKeyTable) + table_size(key->n) * sizeof(DpsKeyPlace);

	if (key->kind == DPS_KEY_RANGE || key->n == 0)
		return 0;
	if (key->kind == DPS_KEY_REFERENCE)
		return ((const DpsKeyReference *) key)->memory;
	if (key->kind == DPS_KEY_INTEGERS)
	{
		uint64		places = direct_size(key, &first);

		return key->size + (places > 0 ? places * sizeof(int32) : table);
	}
	return key->size + table + key->n * sizeof(Datum);
}

static int32
find_integer(const DpsKeyMap *map, Datum value)
{
	const DpsKeyTable *table = map->table;
	int64		integer = dps_key_integer(value, map->length);
	uint32		place = hash_integer(integer) & table->mask;

	for (; table->places[place].number >= 0; place = (place + 1) & table->mask)
	{
		if (map->integers[table->places[place].number] == integer)
			return table->places[place].number;
	}
	return -1;
}

static int32
find_bytes(const DpsKeyMap *map, Datum value)
{
	const DpsKeyTable *table = map->table;
	struct varlena *given = PG_DETOAST_DATUM_PACKED(value);
	Size		size = VARSIZE_ANY_EXHDR(given);
	uint32		hash = hash_bytes((const unsigned char *) VARDATA_ANY(given), size);
	uint32		place = hash & table->mask;

	for (; table->places[place].number >= 0; place = (place + 1) & table->mask)
	{
		const struct varlena *declared = (const struct varlena *) DatumGetPointer(map->values[table->places[place].number]);

		if (table->places[place].hash == hash && VARSIZE_ANY_EXHDR(declared) == size &&
			memcmp(VARDATA_ANY(declared), VARDATA_ANY(given), size) == 0)
			return table->places[place].number;
	}
	return -1;
}

static int32
find_value(const DpsKeyMap *map, Datum value)
{
	DpsKeyTable *table = map->table;
	uint32		hash = DatumGetUInt32(FunctionCall1Coll(&table->hash, table->collation, value));
	uint32		place = hash & table->mask;

	for (; table->places[place].number >= 0; place = (place + 1) & table->mask)
	{
		int32		number = table->places[place].number;

		if (table->places[place].hash == hash &&
			DatumGetBool(FunctionCall2Coll(&table->equal, table->collation, map->values[number], value)))
			return number;
	}
	return -1;
}

static bool
are_equal(const DpsKeyMap *map, int32 a, int32 b)
{
	const struct varlena *one;
	const struct varlena *other;

	if (map->integers != NULL)
		return map->integers[a] == map->integers[b];
	if (map->find != find_bytes)
		return DatumGetBool(FunctionCall2Coll(&map->table->equal, map->table->collation, map->values[a], map->values[b]));
	one = (const struct varlena *) DatumGetPointer(map->values[a]);
	other = (const struct varlena *) DatumGetPointer(map->values[b]);
	return VARSIZE_ANY_EXHDR(one) == VARSIZE_ANY_EXHDR(other) &&
		memcmp(VARDATA_ANY(one), VARDATA_ANY(other), VARSIZE_ANY_EXHDR(one)) == 0;
}

static void
insert_number(DpsKeyMap *map, uint32 hash, int32 number)
{
	DpsKeyTable *table = map->table;
	uint32		place = hash & table->mask;

	for (; table->places[place].number >= 0; place = (place + 1) & table->mask)
	{
		if (table->places[place].hash == hash && are_equal(map, table->places[place].number, number))
			map->repeats = true;
	}
	table->places[place].hash = hash;
	table->places[place].number = number;
}

static DpsKeyTable *
make_table(const DpsGroupKey *key)
{
	DpsKeyTable *table = palloc0(sizeof(DpsKeyTable));
	uint32		size = table_size(key->n);

	table->mask = size - 1;
	table->places = palloc(sizeof(DpsKeyPlace) * size);
	/* all bits 1: free places */
	memset(table->places, 0xff, sizeof(DpsKeyPlace) * size);
	table->collation = key->collation;
	return table;
}

static uint32
hash_number(const DpsKeyMap *map, int32 number)
{
	struct varlena *bytes;

	if (map->integers != NULL)
		return hash_integer(map->integers[number]);
	if (map->find != find_bytes)
		return DatumGetUInt32(FunctionCall1Coll(&map->table->hash, map->table->collation, map->values[number]));
	bytes = (struct varlena *) DatumGetPointer(map->values[number]);
	return hash_bytes((const unsigned char *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Places lie anywhere in the table, so several are asked for at once. */
#define INSERTED_AT_ONCE 32

static void
insert_all(DpsKeyMap *map, int n)
{
	uint32		hash[INSERTED_AT_ONCE];
	int			first;
	int			i;

	for (first = 0; first < n; first += INSERTED_AT_ONCE)
	{
		int			many = Min(n - first, INSERTED_AT_ONCE);

		for (i = 0; i < many; i++)
		{
			hash[i] = hash_number(map, first + i);
			__builtin_prefetch(&map->table->places[hash[i] & map->table->mask], 1);
		}
		for (i = 0; i < many; i++)
			insert_number(map, hash[i], first + i);
	}
}

static void
init_integers(DpsKeyMap *map, const DpsGroupKey *key)
{
	const int64 *integers = (const int64 *) (key + 1);
	int			i;

	map->integers = integers;
	map->n = direct_size(key, &map->first);
	if (map->n > 0)
	{
		map->direct = palloc(sizeof(int32) * map->n);
		memset(map->direct, 0xff, sizeof(int32) * map->n);
		for (i = 0; i < key->n; i++)
		{
			int32	   *place = &map->direct[(uint64) integers[i] - (uint64) map->first];

			map->repeats |= *place >= 0;
			*place = i;
		}
		return;
	}
	map->find = find_integer;
	map->table = make_table(key);
	insert_all(map, key->n);
}

static void
init_values(DpsKeyMap *map, const DpsGroupKey *key)
{
	TypeCacheEntry *entry = lookup_type_cache(key->type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	Datum	   *values;
	int			n;

	map->table = make_table(key);
	deconstruct_array((ArrayType *) (key + 1), key->type, entry->typlen, entry->typbyval, entry->typalign,
					  &values, NULL, &n);
	if (n != key->n)
		elog(ERROR, "invalid keys");
	map->values = values;
	map->find = dps_is_equal_by_bytes(key->type, key->collation) ? find_bytes : find_value;
	fmgr_info_copy(&map->table->hash, &entry->hash_proc_finfo, CurrentMemoryContext);
	fmgr_info_copy(&map->table->equal, &entry->eq_opr_finfo, CurrentMemoryContext);
	insert_all(map, n);
}

static DpsFindKeys find_keys;

void
dps_set_key_finder(DpsFindKeys find)
{
	find_keys = find;
}

const DpsKeyMap *
dps_find_keys(const DpsKeyReference *reference)
{
	const DpsKeyMap *map = find_keys(reference);

	if (map->nkeys != (uint32) reference->key.n)
		elog(ERROR, "invalid keys");
	return map;
}

void
dps_key_map_init(DpsKeyMap *map, const DpsGroupKey *key)
{
	if (key->kind == DPS_KEY_REFERENCE)
	{
		*map = *dps_find_keys((const DpsKeyReference *) key);
		return;
	}
	memset(map, 0, sizeof(*map));
	map->length = get_typlen(key->type);
	map->nkeys = key->n;
	map->first = key->first;
	map->n = key->n;
	if (key->kind == DPS_KEY_INTEGERS && key->n > 0)
		init_integers(map, key);
	else if (key->kind == DPS_KEY_VALUES)
		init_values(map, key);
}

Datum
dps_key_map_value(const DpsKeyMap *map, uint32 number)
{
	if (number >= map->nkeys)
		elog(ERROR, "no such key");
	if (map->values != NULL)
		return map->values[number];
	return dps_key_of_integer(map->integers != NULL ? map->integers[number] : map->first + number, map->length);
}

/* ---- repetitions ---- */

static bool
integers_increase(const DpsGroupKey *key)
{
	const int64 *integers = (const int64 *) (key + 1);
	int			i;

	for (i = 1; i < key->n && integers[i - 1] < integers[i]; i++)
		;
	return i >= key->n;
}

/* Is the list ascending, by bytes, or by length and then bytes?  Many lists are, and
 * then all strings are different. */
static bool
strings_increase(const DpsGroupKey *key)
{
	const struct varlena *last = (const struct varlena *) ARR_DATA_PTR((ArrayType *) (key + 1));
	bool		by_bytes = true;
	bool		by_length = true;
	int			i;

	for (i = 1; i < key->n && (by_bytes || by_length); i++)
	{
		const struct varlena *next = (const struct varlena *) ((const char *) last + INTALIGN(VARSIZE(last)));
		int			more = (int) VARSIZE(next) - (int) VARSIZE(last);
		int			order = memcmp(last->vl_dat, next->vl_dat, Min(VARSIZE(last), VARSIZE(next)) - VARHDRSZ);

		by_bytes = by_bytes && (order < 0 || (order == 0 && more > 0));
		by_length = by_length && (more > 0 || (more == 0 && order < 0));
		last = next;
	}
	return by_bytes || by_length;
}

static uint64
mix_bytes(const char *bytes, Size n)
{
	uint64		hash = n;
	uint64		word;

	for (; n > sizeof(word); n -= sizeof(word), bytes += sizeof(word))
	{
		memcpy(&word, bytes, sizeof(word));
		hash = dps_mix(hash ^ word);
	}
	word = 0;
	memcpy(&word, bytes, n);
	return dps_mix(hash ^ word);
}

/* The hashes of the next values, which are strings where `string` is not NULL. */
static void
mix_values(const DpsGroupKey *key, int first, int n, const struct varlena **string, uint64 *hash)
{
	const int64 *integers = (const int64 *) (key + 1) + first;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (*string == NULL)
			hash[i] = dps_mix((uint64) integers[i]);
		else
		{
			hash[i] = mix_bytes((*string)->vl_dat, VARSIZE(*string) - VARHDRSZ);
			*string = (const struct varlena *) ((const char *) *string + INTALIGN(VARSIZE(*string)));
		}
	}
}

/* Is the tag, which is not 0, in the table?  If not, adds it. */
static bool
add_tag(uint32 *table, uint32 mask, uint64 hash)
{
	uint32		tag = (uint32) (hash >> 32) | 1;
	uint32		place = (uint32) hash & mask;

	for (; table[place] != 0; place = (place + 1) & mask)
	{
		if (table[place] == tag)
			return true;
	}
	table[place] = tag;
	return false;
}

/* Do two values have equal hashes, as equal integers or strings do?  Looks at half of
 * each hash, to save memory: so true by chance for one of thousands of lists. */
static bool
any_hash_repeats(const DpsGroupKey *key)
{
	uint32		size = table_size(key->n);
	uint32	   *table = palloc0(sizeof(uint32) * size);
	const struct varlena *string = key->kind == DPS_KEY_INTEGERS ? NULL :
		(const struct varlena *) ARR_DATA_PTR((ArrayType *) (key + 1));
	uint64		hash[INSERTED_AT_ONCE];
	bool		found = false;
	int			first;
	int			i;

	for (first = 0; first < key->n && !found; first += INSERTED_AT_ONCE)
	{
		int			many = Min(key->n - first, INSERTED_AT_ONCE);

		mix_values(key, first, many, &string, hash);
		for (i = 0; i < many; i++)
			__builtin_prefetch(&table[(uint32) hash[i] & (size - 1)], 1);
		for (i = 0; i < many; i++)
			found |= add_tag(table, size - 1, hash[i]);
	}
	pfree(table);
	return found;
}

static bool
are_all_different(const DpsGroupKey *key)
{
	if (key->kind == DPS_KEY_RANGE || key->n < 2)
		return true;
	if (key->kind == DPS_KEY_INTEGERS)
		return integers_increase(key) || !any_hash_repeats(key);
	return dps_is_equal_by_bytes(key->type, key->collation) && (strings_increase(key) || !any_hash_repeats(key));
}

bool
dps_group_key_repeats(const DpsGroupKey *key)
{
	MemoryContext context;
	MemoryContext previous;
	DpsKeyMap	map;

	if (are_all_different(key))
		return false;
	context = AllocSetContextCreate(CurrentMemoryContext, "dpsens repeated values", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(context);
	dps_key_map_init(&map, key);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return map.repeats;
}

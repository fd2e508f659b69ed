/*
 * unit_map.c
 *		From a reference, the key of another row, to the unit of that row.
 *
 * Keys mostly come from a sequence: then almost all numbers between the first and
 * the last are keys, and a key's place is its distance from the first.  Otherwise
 * places are those of an open hash table, a quarter of which stays empty at least.
 * The server's simplehash would have pointers where a map is copied into memory that
 * processes share, eight bytes or more beside each unit of four, and no places without
 * hashing.
 */
#include "postgres.h"

#include "fmgr.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "agg/unit/unit_map.h"

#define FIRST_ROOM 1024
/* The most places for each key without a hash table. */
#define PLACES_PER_KEY 2

static Size
words_for(uint64 bits)
{
	return sizeof(uint64) * ((bits + 63) / 64);
}

static inline void
mark(DpsPlaces places, uint64 place)
{
	places[place / 64] |= UINT64CONST(1) << (place % 64);
}

static void *
get_memory(const DpsUnitMap *map, Size size)
{
	return MemoryContextAllocHuge(map->memory, Max(size, 8));
}

static DpsPlaces
no_places(const DpsUnitMap *map, uint64 n)
{
	return memset(get_memory(map, words_for(n)), 0, words_for(n));
}

DpsUnitMap *
dps_unit_map_make(int16 length, bool byval)
{
	DpsUnitMap *map = palloc0(sizeof(DpsUnitMap));

	map->memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens units of references", ALLOCSET_DEFAULT_SIZES);
	map->length = length;
	map->byval = byval;
	map->is_narrow = byval && length <= (int16) sizeof(int32);
	map->room = FIRST_ROOM;
	map->keys = get_memory(map, sizeof(int64) * map->room);
	if (map->is_narrow)
		map->narrow = get_memory(map, sizeof(int32) * map->room);
	else
		map->wide = get_memory(map, sizeof(Datum) * map->room);
	map->nulls = no_places(map, map->room);
	map->first = PG_INT64_MAX;
	map->last = PG_INT64_MIN;
	return map;
}

static void
grow(DpsUnitMap *map)
{
	uint64		room = 2 * map->room;

	map->keys = repalloc_huge(map->keys, sizeof(int64) * room);
	if (map->is_narrow)
		map->narrow = repalloc_huge(map->narrow, sizeof(int32) * room);
	else
		map->wide = repalloc_huge(map->wide, sizeof(Datum) * room);
	map->nulls = repalloc_huge(map->nulls, words_for(room));
	memset((char *) map->nulls + words_for(map->room), 0, words_for(room) - words_for(map->room));
	map->room = room;
}

static Datum
keep_unit(const DpsUnitMap *map, Datum unit, bool isnull)
{
	MemoryContext previous;
	Datum		copy;

	if (isnull)
		return (Datum) 0;
	if (map->byval)
		return unit;
	previous = MemoryContextSwitchTo(map->memory);
	copy = map->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(unit)) : datumCopy(unit, false, map->length);
	MemoryContextSwitchTo(previous);
	return copy;
}

void
dps_unit_map_add(DpsUnitMap *map, int64 key, Datum unit, bool isnull)
{
	uint64		number = map->n;

	if (number == map->room)
		grow(map);
	map->n++;
	map->keys[number] = key;
	unit = keep_unit(map, unit, isnull);
	if (map->is_narrow)
		map->narrow[number] = DatumGetInt32(unit);
	else
		map->wide[number] = unit;
	if (isnull)
		mark(map->nulls, number);
	map->any_null |= isnull;
	map->first = Min(map->first, key);
	map->last = Max(map->last, key);
}

/* Chooses how many places there are, and how a key's place is found. */
static void
choose_places(DpsUnitMap *map)
{
	uint64		distance = (uint64) map->last - (uint64) map->first;

	if (distance / PLACES_PER_KEY < map->n || map->n == 1)
	{
		map->nplaces = distance + 1;
		return;
	}
	map->nplaces = pg_nextpower2_64(map->n + map->n / 3 + 1);
	map->shift = 64 - pg_leftmost_one_pos64(map->nplaces);
}

/* Puts those that are there into places. */
static void
put_in_places(DpsUnitMap *map, const DpsUnitMap *there)
{
	uint64		i;

	for (i = 0; i < there->n; i++)
	{
		uint64		place = dps_unit_map_place(map, there->keys[i]);

		mark(map->used, place);
		if (map->keys != NULL)
			map->keys[place] = there->keys[i];
		if (map->is_narrow)
			map->narrow[place] = there->narrow[i];
		else
			map->wide[place] = there->wide[i];
		if (map->any_null && dps_has_place(there->nulls, i))
			mark(map->nulls, place);
	}
}

void
dps_unit_map_complete(DpsUnitMap *map)
{
	DpsUnitMap	there = *map;

	if (map->n == 0)
		return;
	choose_places(map);
	map->used = no_places(map, map->nplaces);
	map->nulls = map->any_null ? no_places(map, map->nplaces) : NULL;
	map->keys = map->shift > 0 ? get_memory(map, sizeof(int64) * map->nplaces) : NULL;
	if (map->is_narrow)
		map->narrow = get_memory(map, sizeof(int32) * map->nplaces);
	else
		map->wide = get_memory(map, sizeof(Datum) * map->nplaces);
	put_in_places(map, &there);
	pfree(there.keys);
	pfree(there.nulls);
	pfree(there.is_narrow ? (void *) there.narrow : (void *) there.wide);
}

/* ---- for other processes ---- */

/* Where the parts of a copy are, after the map itself. */
typedef struct Parts
{
	Size		used;
	Size		nulls;
	Size		keys;
	Size		units;
	Size		end;
} Parts;

static Parts
find_parts(const DpsUnitMap *map)
{
	Parts		parts = {.used = MAXALIGN(sizeof(DpsUnitMap))};

	parts.nulls = parts.used + words_for(map->nplaces);
	parts.keys = parts.nulls + (map->any_null ? words_for(map->nplaces) : 0);
	parts.units = parts.keys + (map->shift > 0 ? sizeof(int64) * map->nplaces : 0);
	parts.end = parts.units + (map->is_narrow ? sizeof(int32) : sizeof(Datum)) * map->nplaces;
	return parts;
}

dsa_pointer
dps_unit_map_share(const DpsUnitMap *map, dsa_area *area)
{
	Parts		parts = find_parts(map);
	dsa_pointer shared;
	char	   *copy;

	if (!map->byval)
		return InvalidDsaPointer;
	shared = dsa_allocate_extended(area, parts.end, DSA_ALLOC_HUGE);
	copy = dsa_get_address(area, shared);
	memcpy(copy, map, sizeof(DpsUnitMap));
	if (map->nplaces == 0)
		return shared;
	memcpy(copy + parts.used, map->used, words_for(map->nplaces));
	if (map->any_null)
		memcpy(copy + parts.nulls, map->nulls, words_for(map->nplaces));
	if (map->shift > 0)
		memcpy(copy + parts.keys, map->keys, sizeof(int64) * map->nplaces);
	memcpy(copy + parts.units, map->is_narrow ? (const void *) map->narrow : (const void *) map->wide, parts.end - parts.units);
	return shared;
}

DpsUnitMap *
dps_unit_map_attach(dsa_area *area, dsa_pointer shared)
{
	char	   *copy = dsa_get_address(area, shared);
	DpsUnitMap *map = memcpy(palloc(sizeof(DpsUnitMap)), copy, sizeof(DpsUnitMap));
	Parts		parts = find_parts(map);

	map->memory = NULL;
	map->used = (DpsPlaces) (copy + parts.used);
	map->nulls = (DpsPlaces) (copy + parts.nulls);
	map->keys = (int64 *) (copy + parts.keys);
	map->narrow = (int32 *) (copy + parts.units);
	map->wide = (Datum *) (copy + parts.units);
	return map;
}

void
dps_unit_map_free(DpsUnitMap *map)
{
	if (map->memory != NULL)
		MemoryContextDelete(map->memory);
	pfree(map);
}

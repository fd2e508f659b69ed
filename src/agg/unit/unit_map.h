/*
 * unit_map.h
 *		From a reference, the key of another row, to the unit of that row.
 *
 * Many rows that have no unit column refer to one row that has it.  Only the key and
 * the unit of the referenced row are needed: a few bytes, for which a join would handle
 * whole rows.
 */
#ifndef DPS_AGG_UNIT_UNIT_MAP_H
#define DPS_AGG_UNIT_UNIT_MAP_H

#include "postgres.h"

#include "utils/dsa.h"

#include "base/hash.h"

/* A bit for each place. */
typedef uint64 *DpsPlaces;

typedef struct DpsUnitMap
{
	MemoryContext memory;		/* NULL: that of another process */
	int16		length;			/* of the unit's type */
	bool		byval;
	bool		is_narrow;		/* and four bytes hold it */
	uint64		n;
	uint64		room;
	int64	   *keys;			/* in the order in which they came; then, unless all
								 * keys between the first and the last have a place,
								 * by place */
	Datum	   *wide;			/* units likewise, or */
	int32	   *narrow;
	int64		first;
	int64		last;
	uint64		nplaces;
	int			shift;			/* to the bits of a key's hash that tell its place;
								 * 0: it is the key less the first one */
	DpsPlaces	used;
	DpsPlaces	nulls;			/* without a unit; by number until it is complete */
	bool		any_null;
} DpsUnitMap;

/* Bytes that an entry takes, about, beside a unit that is passed by reference. */
#define DPS_UNIT_MAP_ENTRY 64

/* A map without keys, for units of this length, in a context of its own below the
 * current one. */
extern DpsUnitMap *dps_unit_map_make(int16 length, bool byval);

/* Adds a key, which must differ from all others. */
extern void dps_unit_map_add(DpsUnitMap *map, int64 key, Datum unit, bool isnull);

/* There are no more keys: they can be found. */
extern void dps_unit_map_complete(DpsUnitMap *map);

/* A copy of a complete map for other processes, and the map that they make of it.  There
 * is no copy unless units are passed by value. */
extern dsa_pointer dps_unit_map_share(const DpsUnitMap *map, dsa_area *area);
extern DpsUnitMap *dps_unit_map_attach(dsa_area *area, dsa_pointer shared);

extern void dps_unit_map_free(DpsUnitMap *map);

static inline bool
dps_has_place(const uint64 *places, uint64 place)
{
	return (places[place / 64] >> (place % 64)) & 1;
}

static inline uint64
dps_unit_map_start(const DpsUnitMap *map, int64 key)
{
	return dps_hash_place((uint64) key, map->shift);
}

/* The place of the key, or where it would be; the map has places. */
static inline uint64
dps_unit_map_place(const DpsUnitMap *map, int64 key)
{
	uint64		place;

	if (map->shift == 0)
		return (uint64) key - (uint64) map->first;
	place = dps_unit_map_start(map, key);
	while (dps_has_place(map->used, place) && map->keys[place] != key)
		place = (place + 1) & (map->nplaces - 1);
	return place;
}

/* Prefetches the place of a key.  Inlined, since compilers drop calls of a function that
 * does nothing but prefetch. */
static pg_attribute_always_inline void
dps_unit_map_expect(const DpsUnitMap *map, int64 key)
{
	uint64		place = map->shift == 0 ? (uint64) key - (uint64) map->first : dps_unit_map_start(map, key);

	if (place >= map->nplaces)
		return;
	__builtin_prefetch(&map->used[place / 64]);
	if (map->shift > 0)
		__builtin_prefetch(&map->keys[place]);
	if (map->is_narrow)
		__builtin_prefetch(&map->narrow[place]);
	else
		__builtin_prefetch(&map->wide[place]);
}

/* False if there is no such key.  What the unit points to is the map's. */
static inline bool
dps_unit_map_find(const DpsUnitMap *map, int64 key, Datum *unit, bool *isnull)
{
	uint64		place = map->nplaces == 0 ? 0 : dps_unit_map_place(map, key);

	if (place >= map->nplaces || !dps_has_place(map->used, place))
		return false;
	*isnull = map->any_null && dps_has_place(map->nulls, place);
	*unit = map->is_narrow ? Int32GetDatum(map->narrow[place]) : map->wide[place];
	return true;
}

#endif							/* DPS_AGG_UNIT_UNIT_MAP_H */

/*
 * units.c
 *		Which rows of a unit count, without sorting the table.
 *
 * A row is here what the states read of it: its group, its filters and its cells,
 * as doubles within their ranges.  Rows are ordered by a hash of that, and then by
 * it; groups by a hash that is a bijection.  Of each unit, the rows that count are
 *
 * - of the groups that come first, so many as may count,
 * - in each of them the rows that come first, as many as may count in a group,
 * - and of these the rows that come first, as many as may count in all.
 *
 * Claim.  What is kept of a unit while rows come suffices: a row that is dropped
 * does not count, whatever comes after it.
 *
 * Proof.  With a limit of groups: rows are kept in the groups that come first so
 * far.  A group that so many others precede will always be preceded by them; and
 * a row that as many rows of its group precede as may count there likewise.
 * Without: let the survivors be the rows that fewer than rows_per_group of their
 * group precede.  Kept are the survivors that come first.  More rows change the
 * number of survivors before a given row by no less than 0, since in each group
 * it is the smaller of rows_per_group and the number of its rows before that
 * row.  So a row that as many survivors precede as may count never counts.
 *
 * The order in which rows come has no part in it, nor have rows of other units:
 * where there are more units than there is memory for, those that are new wait in
 * files, by their hash, until the others are done.
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "fmgr.h"
#include "storage/buffile.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "agg/groups.h"
#include "agg/units.h"

/* A row takes its hash, its group and filters, and its cells. */
#define HASH_WORD 0
#define GROUP_WORD 1
#define FIRST_CELL_WORD 2
#define MAX_ROW_WORDS (FIRST_CELL_WORD + DPS_MAX_VARIABLES)

#define CHUNK_WORDS 1024
/* Units of the first table; so many are kept in however little memory. */
#define FIRST_UNITS 256
#define PARTITION_BITS 5
#define NPARTITIONS (1 << PARTITION_BITS)
/* Files of files, at most: what is left has one hash and stays in memory. */
#define MAX_LEVEL 8
/* Rows that wait for the places of their units to be fetched. */
#define NWAITING 32

typedef struct Unit
{
	uint64		key;			/* its bits, or where its copy is */
	uint64		hash;
	uint64	   *rows;			/* NULL: a free place */
	uint32		nrows;
	uint32		room;			/* for so many rows */
} Unit;

typedef struct Waiting
{
	uint64		key;
	uint64		hash;
	uint64		row[MAX_ROW_WORDS];
} Waiting;

struct DpsUnits
{
	struct DpsGroups *groups;
	DpsUnitBounds bounds;
	MemoryContext memory;		/* of this struct */
	MemoryContext arena;		/* of the table and the rows */
	Size		limit;
	Size		used;
	int			words;			/* of a row */
	bool		by_bits;		/* the type is equal where its bits are */
	int16		length;
	bool		byval;
	FmgrInfo	hash_function;
	FmgrInfo	equal_function;
	Unit	   *table;
	uint64		mask;
	uint64		nunits;
	uint64	   *chunk;			/* rows are taken from here */
	int			chunk_left;
	int			nwaiting;
	Waiting		waiting[NWAITING];
	int			level;			/* of the files that rows are read from */
	bool		is_full;		/* new units go to files */
	BufFile    *file[NPARTITIONS];
};

/* ---- units and their hashes ---- */

/* A bijection whose bits all depend on all (Steele, Lea and Flood 2014, figure
 * 16, mix64). */
static inline uint64
mix(uint64 x)
{
	x = (x ^ (x >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64
hash_key(DpsUnits *units, uint64 key)
{
	if (units->by_bits)
		return mix(key);
	return mix(DatumGetUInt32(FunctionCall1Coll(&units->hash_function, units->bounds.collation, (Datum) key)));
}

static inline bool
is_same(DpsUnits *units, uint64 a, uint64 b)
{
	if (units->by_bits)
		return a == b;
	return DatumGetBool(FunctionCall2Coll(&units->equal_function, units->bounds.collation, (Datum) a, (Datum) b));
}

bool
dps_unit_bounds_fit(const DpsUnitBounds *bounds)
{
	TypeCacheEntry *entry = lookup_type_cache(bounds->type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);
	int64		kept = bounds->groups == 0 ? bounds->rows : (int64) bounds->groups * bounds->rows_per_group;

	return OidIsValid(entry->eq_opr) && OidIsValid(entry->hash_proc) && kept <= DPS_MAX_KEPT_ROWS;
}

/* ---- the order ---- */

static inline uint64
hash_row(const uint64 *row, int words)
{
	uint64		hash = 0;
	int			i;

	for (i = GROUP_WORD; i < words; i++)
		hash = mix(hash + UINT64CONST(0x9e3779b97f4a7c15) + row[i]);
	return hash;
}

static inline bool
is_before(const uint64 *a, const uint64 *b, int words)
{
	int			i;

	for (i = 0; i < words; i++)
	{
		if (a[i] != b[i])
			return a[i] < b[i];
	}
	return false;
}

static inline uint32
group_of(const uint64 *row)
{
	return (uint32) row[GROUP_WORD];
}

static inline uint64
group_order(const uint64 *row)
{
	return mix(group_of(row));
}

/* Rows are kept in order of their groups, if these are limited. */
static inline bool
is_kept_before(const DpsUnits *units, const uint64 *a, const uint64 *b)
{
	if (units->bounds.groups > 0 && group_of(a) != group_of(b))
		return group_order(a) < group_order(b);
	return is_before(a, b, units->words);
}

/* ---- the rows of a unit ---- */

static inline uint64 *
row_at(const DpsUnits *units, const Unit *unit, uint32 n)
{
	return unit->rows + (Size) n * units->words;
}

static void
remove_rows(const DpsUnits *units, Unit *unit, uint32 first, uint32 n)
{
	memmove(row_at(units, unit, first), row_at(units, unit, first + n),
			sizeof(uint64) * units->words * (unit->nrows - first - n));
	unit->nrows -= n;
}

static uint64 *
take_room(DpsUnits *units, uint32 nrows)
{
	int			words = nrows * units->words;
	uint64	   *room;

	if (words > units->chunk_left)
	{
		units->chunk_left = Max(CHUNK_WORDS, words);
		units->chunk = MemoryContextAlloc(units->arena, sizeof(uint64) * units->chunk_left);
		units->used += sizeof(uint64) * units->chunk_left;
	}
	room = units->chunk;
	units->chunk += words;
	units->chunk_left -= words;
	return room;
}

static uint32
most_rows(const DpsUnits *units)
{
	return units->bounds.groups == 0 ? units->bounds.rows : units->bounds.groups * units->bounds.rows_per_group;
}

static void
insert_row(DpsUnits *units, Unit *unit, const uint64 *row)
{
	uint32		place = unit->nrows;

	if (unit->nrows == unit->room)
	{
		uint64	   *before = unit->rows;

		unit->room = Min(2 * unit->room, most_rows(units));
		unit->rows = take_room(units, unit->room);
		memcpy(unit->rows, before, sizeof(uint64) * units->words * unit->nrows);
	}
	while (place > 0 && is_kept_before(units, row, row_at(units, unit, place - 1)))
		place--;
	memmove(row_at(units, unit, place + 1), row_at(units, unit, place),
			sizeof(uint64) * units->words * (unit->nrows - place));
	memcpy(row_at(units, unit, place), row, sizeof(uint64) * units->words);
	unit->nrows++;
}

/* How many rows of the row's group are kept, and the last of them. */
static uint32
count_in_group(const DpsUnits *units, const Unit *unit, const uint64 *row, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < unit->nrows; i++)
	{
		if (group_of(row_at(units, unit, i)) == group_of(row))
		{
			*last = i;
			n++;
		}
	}
	return n;
}

/* The groups that are kept, and where the rows of the last one begin. */
static uint32
count_groups(const DpsUnits *units, const Unit *unit, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < unit->nrows; i++)
	{
		if (i == 0 || group_of(row_at(units, unit, i)) != group_of(row_at(units, unit, i - 1)))
		{
			*last = i;
			n++;
		}
	}
	return n;
}

/* Is there no room for a row of another group?  Makes room if it is before the
 * last one. */
static bool
refuses_group(const DpsUnits *units, Unit *unit, const uint64 *row)
{
	uint32		first = 0;

	if (units->bounds.groups == 0 || (int32) count_groups(units, unit, &first) < units->bounds.groups)
		return false;
	if (group_order(row) > group_order(row_at(units, unit, first)))
		return true;
	remove_rows(units, unit, first, unit->nrows - first);
	return false;
}

/* Keeps the row if it may count. */
static void
offer_row(DpsUnits *units, Unit *unit, const uint64 *row)
{
	const DpsUnitBounds *bounds = &units->bounds;
	bool		limits_all = bounds->groups == 0;
	uint32		last = 0;
	uint32		n;

	if (limits_all && (int32) unit->nrows == bounds->rows &&
		!is_before(row, row_at(units, unit, unit->nrows - 1), units->words))
		return;
	n = !limits_all || bounds->rows_per_group < bounds->rows ? count_in_group(units, unit, row, &last) : 0;
	if (n == 0 && refuses_group(units, unit, row))
		return;
	if (n > 0 && (int32) n == bounds->rows_per_group)
	{
		if (!is_before(row, row_at(units, unit, last), units->words))
			return;
		remove_rows(units, unit, last, 1);
	}
	else if (limits_all && (int32) unit->nrows == bounds->rows)
		unit->nrows--;
	insert_row(units, unit, row);
}

/* ---- the table ---- */

static void
make_table(DpsUnits *units, uint64 size)
{
	units->table = MemoryContextAllocExtended(units->arena, sizeof(Unit) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	units->mask = size - 1;
	units->used += sizeof(Unit) * size;
}

static void
start_table(DpsUnits *units)
{
	MemoryContextReset(units->arena);
	units->used = 0;
	units->nunits = 0;
	units->chunk = NULL;
	units->chunk_left = 0;
	units->is_full = false;
	make_table(units, 2 * FIRST_UNITS);
}

static void
grow_table(DpsUnits *units)
{
	Unit	   *before = units->table;
	uint64		size = units->mask + 1;
	uint64		i;

	make_table(units, 2 * size);
	for (i = 0; i < size; i++)
	{
		uint64		place = before[i].hash & units->mask;

		if (before[i].rows == NULL)
			continue;
		while (units->table[place].rows != NULL)
			place = (place + 1) & units->mask;
		units->table[place] = before[i];
	}
	pfree(before);
	units->used -= sizeof(Unit) * size;
}

/* The place of the unit, or a free one. */
static Unit *
find_unit(DpsUnits *units, uint64 key, uint64 hash)
{
	uint64		place = hash & units->mask;

	while (units->table[place].rows != NULL &&
		   !(units->table[place].hash == hash && is_same(units, units->table[place].key, key)))
		place = (place + 1) & units->mask;
	return &units->table[place];
}

static uint64
copy_key(DpsUnits *units, uint64 key)
{
	MemoryContext previous;
	Datum		copy;

	if (units->by_bits || units->byval)
		return key;
	previous = MemoryContextSwitchTo(units->arena);
	copy = datumCopy((Datum) key, units->byval, units->length);
	MemoryContextSwitchTo(previous);
	units->used += datumGetSize(copy, units->byval, units->length) + 2 * sizeof(void *);
	return (uint64) copy;
}

/* Is there memory for another unit? */
static bool
has_memory(DpsUnits *units)
{
	if (!units->is_full && units->level < MAX_LEVEL && units->used > units->limit && units->nunits >= FIRST_UNITS)
		units->is_full = true;
	return !units->is_full;
}

/* ---- files ---- */

static void
write_bytes(BufFile *file, const void *bytes, Size size)
{
	BufFileWrite(file, (void *) bytes, size);
}

static void
write_row(DpsUnits *units, uint64 key, uint64 hash, const uint64 *row)
{
	int			partition = (hash >> (64 - PARTITION_BITS * (units->level + 1))) % NPARTITIONS;
	uint64		size = units->by_bits || units->byval ? 0 : datumGetSize((Datum) key, units->byval, units->length);

	if (units->file[partition] == NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(units->memory);

		PrepareTempTablespaces();
		units->file[partition] = BufFileCreateTemp(false);
		MemoryContextSwitchTo(previous);
	}
	write_bytes(units->file[partition], &size, sizeof(size));
	write_bytes(units->file[partition], size == 0 ? (void *) &key : DatumGetPointer((Datum) key),
				size == 0 ? sizeof(key) : size);
	write_bytes(units->file[partition], row, sizeof(uint64) * units->words);
}

/* False at the end. */
static bool
read_bytes(BufFile *file, void *bytes, Size size)
{
	Size		n = BufFileRead(file, bytes, size);

	if (n != 0 && n != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
	return n == size;
}

static void
require_bytes(BufFile *file, void *bytes, Size size)
{
	if (!read_bytes(file, bytes, size))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file")));
}

static void
take_row(DpsUnits *units, uint64 key, uint64 hash, const uint64 *row)
{
	Unit	   *unit = find_unit(units, key, hash);

	if (unit->rows == NULL)
	{
		if (!has_memory(units))
		{
			write_row(units, key, hash, row);
			return;
		}
		if (units->nunits >= units->mask / 4 * 3)
		{
			grow_table(units);
			unit = find_unit(units, key, hash);
		}
		unit->key = copy_key(units, key);
		unit->hash = hash;
		unit->room = Min(2, most_rows(units));
		unit->rows = take_room(units, unit->room);
		unit->nrows = 0;
		units->nunits++;
	}
	offer_row(units, unit, row);
}

static void
read_file(DpsUnits *units, BufFile *file)
{
	uint64		row[MAX_ROW_WORDS];
	uint64		size;

	if (BufFileSeek(file, 0, 0L, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file")));
	while (read_bytes(file, &size, sizeof(size)))
	{
		uint64		key;
		void	   *bytes = size == 0 ? (void *) &key : palloc(size);

		require_bytes(file, bytes, size == 0 ? sizeof(key) : size);
		require_bytes(file, row, sizeof(uint64) * units->words);
		if (size > 0)
			key = (uint64) PointerGetDatum(bytes);
		take_row(units, key, hash_key(units, key), row);
		if (size > 0)
			pfree(bytes);
	}
}

/* ---- rows in and out ---- */

static void
take_waiting(DpsUnits *units)
{
	int			i;

	for (i = 0; i < units->nwaiting; i++)
		take_row(units, units->waiting[i].key, units->waiting[i].hash, units->waiting[i].row);
	units->nwaiting = 0;
}

/* What the states read of the row at place nrows. */
static void
fill_row(const DpsUnits *units, uint64 *row, uint32 group)
{
	const DpsGroups *groups = units->groups;
	uint64		filters = 0;
	int			place = groups->nrows;
	int			i;

	for (i = 0; i < groups->plan->nfilters; i++)
		filters |= (uint64) groups->filters[i][place] << i;
	row[GROUP_WORD] = (filters << 32) | group;
	for (i = 0; i < groups->plan->ncells; i++)
	{
		dps_clamp_cells(&groups->columns[i][place], 1, &groups->cells[i].domain);
		memcpy(&row[FIRST_CELL_WORD + i], &groups->columns[i][place], sizeof(double));
	}
	row[HASH_WORD] = hash_row(row, units->words);
}

void
dps_units_add(DpsUnits *units, Datum unit, uint32 group)
{
	Waiting    *waiting = &units->waiting[units->nwaiting];

	waiting->key = units->by_bits ? (uint64) dps_key_integer(unit, units->length) : (uint64) unit;
	waiting->hash = hash_key(units, waiting->key);
	fill_row(units, waiting->row, group);
	if (!units->by_bits)
	{
		/* its memory may be gone soon */
		take_row(units, waiting->key, waiting->hash, waiting->row);
		return;
	}
	__builtin_prefetch(&units->table[waiting->hash & units->mask]);
	if (++units->nwaiting == NWAITING)
		take_waiting(units);
}

static void
release_row(DpsUnits *units, const uint64 *row)
{
	DpsGroups  *groups = units->groups;
	int			place = groups->nrows;
	int			i;

	for (i = 0; i < groups->plan->nfilters; i++)
		groups->filters[i][place] = (row[GROUP_WORD] >> (32 + i)) & 1;
	for (i = 0; i < groups->plan->ncells; i++)
		memcpy(&groups->columns[i][place], &row[FIRST_CELL_WORD + i], sizeof(double));
	dps_groups_end_row(groups, group_of(row));
}

/* Of the rows that are kept, those that count. */
static void
release_unit(DpsUnits *units, const Unit *unit)
{
	const uint64 *order[DPS_MAX_KEPT_ROWS];
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < unit->nrows; i++)
	{
		const uint64 *row = row_at(units, unit, i);
		uint32		place = n++;

		while (place > 0 && is_before(row, order[place - 1], units->words))
		{
			order[place] = order[place - 1];
			place--;
		}
		order[place] = row;
	}
	for (i = 0; i < Min(n, (uint32) units->bounds.rows); i++)
		release_row(units, order[i]);
}

static void
release_table(DpsUnits *units)
{
	uint64		i;

	for (i = 0; i <= units->mask; i++)
	{
		if (units->table[i].rows != NULL)
			release_unit(units, &units->table[i]);
	}
}

/* The table, then what waits in files. */
static void
release_level(DpsUnits *units)
{
	BufFile    *files[NPARTITIONS];
	int			i;

	release_table(units);
	memcpy(files, units->file, sizeof(files));
	memset(units->file, 0, sizeof(units->file));
	for (i = 0; i < NPARTITIONS; i++)
	{
		if (files[i] == NULL)
			continue;
		start_table(units);
		units->level++;
		read_file(units, files[i]);
		BufFileClose(files[i]);
		release_level(units);
		units->level--;
	}
}

void
dps_units_finish(DpsUnits *units)
{
	take_waiting(units);
	release_level(units);
	start_table(units);
}

void
dps_units_reset(DpsUnits *units)
{
	int			i;

	units->nwaiting = 0;
	units->level = 0;
	for (i = 0; i < NPARTITIONS; i++)
	{
		if (units->file[i] != NULL)
			BufFileClose(units->file[i]);
		units->file[i] = NULL;
	}
	start_table(units);
}

DpsUnits *
dps_units_make(struct DpsGroups *groups, Size memory)
{
	DpsUnits   *units = palloc0(sizeof(DpsUnits));
	TypeCacheEntry *entry;

	units->groups = groups;
	units->bounds = groups->plan->bounds;
	entry = lookup_type_cache(units->bounds.type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	fmgr_info_copy(&units->hash_function, &entry->hash_proc_finfo, CurrentMemoryContext);
	fmgr_info_copy(&units->equal_function, &entry->eq_opr_finfo, CurrentMemoryContext);
	units->by_bits = dps_is_equal_by_bits(units->bounds.type);
	units->length = entry->typlen;
	units->byval = entry->typbyval;
	units->memory = CurrentMemoryContext;
	units->arena = AllocSetContextCreate(CurrentMemoryContext, "dpsens units", ALLOCSET_DEFAULT_SIZES);
	units->limit = memory;
	units->words = FIRST_CELL_WORD + groups->plan->ncells;
	start_table(units);
	return units;
}

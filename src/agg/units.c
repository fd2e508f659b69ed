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
 * The order in which rows come has no part in it, nor have rows of other units,
 * nor who reads a row: rows are put into partitions by their units' hash
 * (unit_store.h), and one process looks at all rows of a partition, in the end.
 * Where there is not enough memory, what does not count is dropped before, and
 * then partitions wait in files, to be parted once more.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "agg/groups.h"
#include "agg/unit_store.h"
#include "agg/units.h"

/* A row has its unit's hash; where the next row of its unit is or, later, its own
 * hash; its group and filters; and its cells.  Where units with equal hashes can
 * differ, the unit comes last. */
#define HASH_WORD 0
#define ORDER_WORD 1
#define GROUP_WORD 2
#define FIRST_CELL_WORD 3

#define FIRST_TABLE 256
/* Memory for what is read from files, beside that of the files themselves. */
#define LEAST_MEMORY 32768

struct DpsUnits
{
	struct DpsGroupSums *groups;
	DpsUnitBounds bounds;
	MemoryContext memory;		/* of stores and the table */
	int			words;			/* of a row without its unit */
	bool		by_bits;		/* the type is equal where its bits are */
	int16		length;
	bool		byval;
	FmgrInfo	hash_function;
	FmgrInfo	equal_function;
	DpsUnitStore *store;
	bool		is_shared;
	bool		reads;			/* if it is */
	uint64	  **table;			/* the first row of each unit */
	uint64		mask;
	uint64		room;			/* places that are allocated */
	uint64		nunits;
	uint32		harmless;		/* so many rows of a unit count whatever they are */
	uint32		nkept;
	uint64	   *kept[DPS_MAX_KEPT_ROWS + 1];
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

static inline uint64
hash_unit(DpsUnits *units, Datum unit)
{
	if (units->by_bits)
		return mix((uint64) dps_key_integer(unit, units->length));
	return mix(DatumGetUInt32(FunctionCall1Coll(&units->hash_function, units->bounds.collation, unit)));
}

static Datum
unit_of(const DpsUnits *units, const uint64 *row)
{
	return units->byval ? (Datum) row[units->words] : PointerGetDatum(&row[units->words]);
}

static inline bool
is_same(DpsUnits *units, const uint64 *a, const uint64 *b)
{
	if (a[HASH_WORD] != b[HASH_WORD] || units->by_bits)
		return a[HASH_WORD] == b[HASH_WORD];
	return DatumGetBool(FunctionCall2Coll(&units->equal_function, units->bounds.collation, unit_of(units, a),
										  unit_of(units, b)));
}

/* Of the unit, behind the rest. */
static Size
unit_words(const DpsUnits *units, Datum unit)
{
	if (units->by_bits)
		return 0;
	return units->byval ? 1 :
		(datumGetSize(unit, units->byval, units->length) + sizeof(uint64) - 1) / sizeof(uint64);
}

static inline Size
row_words(const DpsUnits *units, const uint64 *row)
{
	return units->words + (units->by_bits ? 0 : unit_words(units, unit_of(units, row)));
}

bool
dps_unit_bounds_fit(const DpsUnitBounds *bounds)
{
	TypeCacheEntry *entry = lookup_type_cache(bounds->type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);
	int64		kept = bounds->groups == 0 ? bounds->rows : (int64) bounds->groups * bounds->rows_per_group;

	return OidIsValid(entry->eq_opr) && OidIsValid(entry->hash_proc) && kept <= DPS_MAX_KEPT_ROWS;
}

/* ---- the order ---- */

static void
hash_row(const DpsUnits *units, uint64 *row)
{
	uint64		hash = 0;
	int			i;

	for (i = 0; i < units->groups->plan->ncells; i++)
	{
		double		cell;

		memcpy(&cell, &row[FIRST_CELL_WORD + i], sizeof(cell));
		dps_clamp_cells(&cell, 1, &units->groups->cells[i].domain);
		memcpy(&row[FIRST_CELL_WORD + i], &cell, sizeof(cell));
	}
	for (i = GROUP_WORD; i < units->words; i++)
		hash = mix(hash + UINT64CONST(0x9e3779b97f4a7c15) + row[i]);
	row[ORDER_WORD] = hash;
}

static inline bool
is_before(const DpsUnits *units, const uint64 *a, const uint64 *b)
{
	int			i;

	for (i = ORDER_WORD; i < units->words; i++)
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
	return is_before(units, a, b);
}

/* ---- the rows of a unit ---- */

static void
remove_rows(DpsUnits *units, uint32 first, uint32 n)
{
	memmove(&units->kept[first], &units->kept[first + n], sizeof(uint64 *) * (units->nkept - first - n));
	units->nkept -= n;
}

static inline void
insert_row(DpsUnits *units, uint64 *row)
{
	uint32		place = units->nkept++;

	for (; place > 0 && is_kept_before(units, row, units->kept[place - 1]); place--)
		units->kept[place] = units->kept[place - 1];
	units->kept[place] = row;
}

/* How many rows of the row's group are kept, and the last of them. */
static uint32
count_in_group(const DpsUnits *units, const uint64 *row, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < units->nkept; i++)
	{
		if (group_of(units->kept[i]) == group_of(row))
		{
			*last = i;
			n++;
		}
	}
	return n;
}

/* The groups that are kept, and where the rows of the last one begin. */
static uint32
count_groups(const DpsUnits *units, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < units->nkept; i++)
	{
		if (i == 0 || group_of(units->kept[i]) != group_of(units->kept[i - 1]))
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
refuses_group(DpsUnits *units, const uint64 *row)
{
	uint32		first = 0;

	if (units->bounds.groups == 0 || (int32) count_groups(units, &first) < units->bounds.groups)
		return false;
	if (group_order(row) > group_order(units->kept[first]))
		return true;
	remove_rows(units, first, units->nkept - first);
	return false;
}

/* Keeps the row if it may count. */
static inline void
offer_row(DpsUnits *units, uint64 *row)
{
	const DpsUnitBounds *bounds = &units->bounds;
	bool		limits_all = bounds->groups == 0;
	uint32		last = 0;
	uint32		n;

	if (limits_all && (int32) units->nkept == bounds->rows && !is_before(units, row, units->kept[units->nkept - 1]))
		return;
	n = !limits_all || bounds->rows_per_group < bounds->rows ? count_in_group(units, row, &last) : 0;
	if (n == 0 && refuses_group(units, row))
		return;
	if (n > 0 && (int32) n == bounds->rows_per_group)
	{
		if (!is_before(units, row, units->kept[last]))
			return;
		remove_rows(units, last, 1);
	}
	else if (limits_all && (int32) units->nkept == bounds->rows)
		units->nkept--;
	insert_row(units, row);
}

static inline uint64 *
next_row(const uint64 *row)
{
	return (uint64 *) (uintptr_t) row[ORDER_WORD];
}

/* Of the rows of a unit, those that may count. */
static void
keep_rows(DpsUnits *units, uint64 *first)
{
	uint64	   *row = first;

	for (units->nkept = 0; row != NULL && units->nkept < units->harmless; row = next_row(row))
		units->kept[units->nkept++] = row;
	if (row == NULL)
		return;
	units->nkept = 0;
	for (row = first; row != NULL;)
	{
		uint64	   *next = next_row(row);

		hash_row(units, row);
		offer_row(units, row);
		row = next;
	}
}

/* ---- the rows of a partition ---- */

static void
clear_table(DpsUnits *units, uint64 size)
{
	if (size > units->room)
	{
		if (units->table != NULL)
			pfree(units->table);
		units->table = MemoryContextAllocHuge(units->memory, sizeof(uint64 *) * size);
		units->room = size;
	}
	memset(units->table, 0, sizeof(uint64 *) * size);
	units->mask = size - 1;
	units->nunits = 0;
}

/* The place of the row's unit, or a free one. */
static inline uint64 **
find_unit(DpsUnits *units, const uint64 *row)
{
	uint64		place = row[HASH_WORD] & units->mask;

	while (units->table[place] != NULL && !is_same(units, units->table[place], row))
		place = (place + 1) & units->mask;
	return &units->table[place];
}

static void
grow_table(DpsUnits *units)
{
	uint64		n = units->mask + 1;
	uint64	  **before = units->table;
	uint64		nunits = units->nunits;
	uint64		i;

	units->table = NULL;
	units->room = 0;
	clear_table(units, 2 * n);
	units->nunits = nunits;
	for (i = 0; i < n; i++)
	{
		if (before[i] != NULL)
			*find_unit(units, before[i]) = before[i];
	}
	pfree(before);
}

static inline void
gather_row(DpsUnits *units, uint64 *row)
{
	uint64	  **first = find_unit(units, row);

	row[ORDER_WORD] = (uint64) (uintptr_t) *first;
	if (*first == NULL)
		units->nunits++;
	*first = row;
	if (units->nunits > units->mask / 2)
		grow_table(units);
}

static uint64
count_words(const DpsUnitChunk *chunk)
{
	uint64		n = 0;

	for (; chunk != NULL; chunk = chunk->next)
		n += chunk->used;
	return n;
}

/* Ties the rows of each unit together. */
static void
gather_rows(DpsUnits *units, DpsUnitChunk *chunks)
{
	/* a unit of one row would have four places */
	uint64		guess = count_words(chunks) / units->words / 4;
	DpsUnitChunk *chunk;
	uint64		size = FIRST_TABLE;

	while (size < guess)
		size *= 2;
	clear_table(units, size);
	for (chunk = chunks; chunk != NULL; chunk = chunk->next)
	{
		uint64	   *row = chunk->words;

		while (row < chunk->words + chunk->used)
		{
			gather_row(units, row);
			row += row_words(units, row);
		}
	}
}

static void
free_chunks(DpsUnitStore *store, DpsUnitChunk *chunk)
{
	while (chunk != NULL)
	{
		DpsUnitChunk *next = chunk->next;

		dps_unit_store_free(store, chunk);
		chunk = next;
	}
}

/* ---- too many rows ---- */

static void
store_row(DpsUnits *units, DpsUnitStore *store, const uint64 *row)
{
	Size		words = row_words(units, row);

	memcpy(dps_unit_store_add(store, row[HASH_WORD], words), row, sizeof(uint64) * words);
}

/* Drops rows of the partition that do not count. */
static void
compact(DpsUnits *units, DpsUnitStore *store, int partition)
{
	DpsUnitChunk *chunks = dps_unit_store_take(store, partition);
	uint64		i;
	uint32		k;

	if (chunks == NULL)
		return;
	gather_rows(units, chunks);
	for (i = 0; i <= units->mask; i++)
	{
		if (units->table[i] == NULL)
			continue;
		keep_rows(units, units->table[i]);
		for (k = 0; k < units->nkept; k++)
			store_row(units, store, units->kept[k]);
	}
	free_chunks(store, chunks);
}

/* Makes room in memory. */
static void
relieve(DpsUnits *units, DpsUnitStore *store)
{
	int			i;

	for (i = 0; i < dps_unit_store_partitions(store); i++)
	{
		CHECK_FOR_INTERRUPTS();
		compact(units, store, i);
	}
	if (store->used <= store->limit / 2)
		return;
	if (dps_unit_store_may_spill(store))
		dps_unit_store_spill(store);
	else
		store->limit = 2 * store->used;
}

/* ---- rows in ---- */

void
dps_units_add(DpsUnits *units, Datum unit, uint32 group)
{
	const DpsGroupSums *groups = units->groups;
	int			place = groups->nrows;
	uint64		filters = 0;
	uint64		hash;
	uint64	   *row;
	Size		more = 0;
	int			i;

	if (dps_unit_store_is_full(units->store))
		relieve(units, units->store);
	if (!units->by_bits)
	{
		if (units->length == -1)
			unit = PointerGetDatum(PG_DETOAST_DATUM_PACKED(unit));
		more = unit_words(units, unit);
	}
	hash = hash_unit(units, unit);
	row = dps_unit_store_add(units->store, hash, units->words + more);
	for (i = 0; i < groups->plan->nfilters; i++)
		filters |= (uint64) groups->filters[i][place] << i;
	row[HASH_WORD] = hash;
	row[ORDER_WORD] = 0;
	row[GROUP_WORD] = (filters << 32) | group;
	for (i = 0; i < groups->plan->ncells; i++)
		memcpy(&row[FIRST_CELL_WORD + i], &groups->columns[i][place], sizeof(double));
	if (more == 0)
		return;
	row[units->words + more - 1] = 0;
	if (units->byval)
		row[units->words] = (uint64) unit;
	else
		memcpy(&row[units->words], DatumGetPointer(unit), datumGetSize(unit, units->byval, units->length));
}

/* ---- rows out ---- */

static void
release_row(DpsUnits *units, const uint64 *row)
{
	DpsGroupSums *groups = units->groups;
	int			place = groups->nrows;
	int			i;

	for (i = 0; i < groups->plan->nfilters; i++)
		groups->filters[i][place] = (row[GROUP_WORD] >> (32 + i)) & 1;
	for (i = 0; i < groups->plan->ncells; i++)
		memcpy(&groups->columns[i][place], &row[FIRST_CELL_WORD + i], sizeof(double));
	dps_groups_end_row(groups, group_of(row));
}

/* Of the rows that are kept, leaves those that count. */
static void
choose_rows(DpsUnits *units)
{
	uint32		n;
	uint32		i;

	if ((int32) units->nkept <= units->bounds.rows)
		return;
	for (n = 1; n < units->nkept; n++)
	{
		uint64	   *row = units->kept[n];

		for (i = n; i > 0 && is_before(units, row, units->kept[i - 1]); i--)
			units->kept[i] = units->kept[i - 1];
		units->kept[i] = row;
	}
	units->nkept = units->bounds.rows;
}

static void
release_rows(DpsUnits *units, DpsUnitStore *store, DpsUnitChunk *chunks)
{
	uint64		i;
	uint32		k;

	CHECK_FOR_INTERRUPTS();
	if (chunks == NULL)
		return;
	gather_rows(units, chunks);
	for (i = 0; i <= units->mask; i++)
	{
		if (units->table[i] == NULL)
			continue;
		keep_rows(units, units->table[i]);
		choose_rows(units);
		for (k = 0; k < units->nkept; k++)
			release_row(units, units->kept[k]);
	}
	free_chunks(store, chunks);
}

/* For the rows of a partition of this store. */
static DpsUnitStore *
store_below(DpsUnits *units, const DpsUnitStore *store)
{
	MemoryContext previous = MemoryContextSwitchTo(units->memory);
	DpsUnitStore *below = dps_unit_store_make(Max(store->limit / 4 * 3, LEAST_MEMORY), store->skip + store->bits);

	MemoryContextSwitchTo(previous);
	return below;
}

static void
store_chunk(DpsUnits *units, DpsUnitStore *below, const DpsUnitChunk *chunk)
{
	const uint64 *row = chunk->words;

	while (row < chunk->words + chunk->used)
	{
		if (dps_unit_store_is_full(below))
			relieve(units, below);
		store_row(units, below, row);
		row += row_words(units, row);
	}
}

static void
store_file(DpsUnits *units, DpsUnitStore *below, BufFile *file)
{
	DpsUnitChunk *chunk;

	while ((chunk = dps_unit_store_read(below, file)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		store_chunk(units, below, chunk);
		dps_unit_store_free(below, chunk);
	}
	BufFileClose(file);
}

/* What is in memory, or all partitions of it by files. */
static void
release_store(DpsUnits *units, DpsUnitStore *store)
{
	int			i;

	if (store->has_files)
		dps_unit_store_spill(store);
	for (i = 0; i < dps_unit_store_partitions(store); i++)
	{
		BufFile    *file = dps_unit_store_take_file(store, i);
		DpsUnitStore *below;

		if (file == NULL)
		{
			release_rows(units, store, dps_unit_store_take(store, i));
			continue;
		}
		below = store_below(units, store);
		store_file(units, below, file);
		release_store(units, below);
		pfree(below);
	}
}

/* A partition of all stores. */
static void
release_shared(DpsUnits *units, int partition)
{
	DpsUnitStore *store = units->store;
	DpsUnitChunk *chunks = dps_unit_store_take_shared(store, partition);
	DpsUnitChunk *chunk;
	DpsUnitStore *below = NULL;
	int			i;

	for (i = 0; i < dps_unit_store_participants(store); i++)
	{
		BufFile    *file = dps_unit_store_open_shared(store, partition, i);

		if (file == NULL)
			continue;
		if (below == NULL)
			below = store_below(units, store);
		store_file(units, below, file);
	}
	if (below == NULL)
	{
		release_rows(units, store, chunks);
		return;
	}
	for (chunk = chunks; chunk != NULL; chunk = chunk->next)
		store_chunk(units, below, chunk);
	free_chunks(store, chunks);
	release_store(units, below);
	pfree(below);
}

void
dps_units_finish(DpsUnits *units)
{
	int			partition;

	if (!units->is_shared)
	{
		release_store(units, units->store);
		dps_unit_store_reset(units->store);
		return;
	}
	if (units->reads)
		dps_unit_store_publish(units->store);
	while ((partition = dps_unit_store_next(units->store)) >= 0)
		release_shared(units, partition);
	units->is_shared = false;
}

bool
dps_units_join(DpsUnits *units, DpsSharedUnits *shared, dsa_area *area)
{
	units->is_shared = true;
	units->reads = dps_unit_store_join(units->store, shared, area);
	return units->reads;
}

void
dps_units_share(const DpsUnits *units, DpsSharedUnits *shared, int participants, dsm_segment *segment)
{
	dps_shared_units_init(shared, participants, units->store, segment);
}

void
dps_units_reset(DpsUnits *units)
{
	dps_unit_store_reset(units->store);
	units->is_shared = false;
}

/* So many rows count whatever they are. */
static uint32
harmless_rows(const DpsUnitBounds *bounds)
{
	int32		n = Min(bounds->rows, bounds->rows_per_group);

	return bounds->groups > 0 ? Min(n, bounds->groups) : n;
}

DpsUnits *
dps_units_make(struct DpsGroupSums *groups, Size memory)
{
	DpsUnits   *units = palloc0(sizeof(DpsUnits));
	MemoryContext previous;
	TypeCacheEntry *entry;

	units->groups = groups;
	units->bounds = groups->plan->bounds;
	entry = lookup_type_cache(units->bounds.type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	fmgr_info_copy(&units->hash_function, &entry->hash_proc_finfo, CurrentMemoryContext);
	fmgr_info_copy(&units->equal_function, &entry->eq_opr_finfo, CurrentMemoryContext);
	units->by_bits = dps_is_equal_by_bits(units->bounds.type);
	units->length = entry->typlen;
	units->byval = entry->typbyval;
	units->words = FIRST_CELL_WORD + groups->plan->ncells;
	units->harmless = harmless_rows(&units->bounds);
	units->memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens units", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(units->memory);
	units->store = dps_unit_store_make(memory, 0);
	MemoryContextSwitchTo(previous);
	return units;
}

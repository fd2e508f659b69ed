/*
 * units.c
 *		Which rows of a unit count, without sorting the table.
 *
 * A row is here what the states read of it: its group, its filters and its cells,
 * as doubles within their ranges; or the words of what they read (unit_image.h).
 * Rows are ordered by a hash of that, and then by it; groups by a hash that is a
 * bijection, or by one of their keys' words and then by these.  Of each unit, the
 * rows that count are
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
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "agg/groups.h"
#include "agg/unit_image.h"
#include "agg/unit_key.h"
#include "agg/unit_store.h"
#include "agg/units.h"

#define FIRST_TABLE 256
#define FIRST_ENTRIES 1024
/* Memory for what is read from files, beside that of the files themselves. */
#define LEAST_MEMORY 32768
/* Entries have numbers of 32 bits. */
#define MOST_MEMORY (UINT64CONST(1) << 33)

/* A row that is looked at. */
typedef struct Entry
{
	const uint32 *row;
	uint64		order;			/* at first the next one of its unit, see below */
} Entry;

/*
 * A row has its unit's key (unit_key.h); its group, if there are several; its
 * filters, if any; and its cells.  Where units with equal keys can differ, the unit
 * follows, 8-aligned as the row is then where its type may need that.
 *
 * Where rows are words: the unit's key, the hash of what it is ordered by, that of
 * its group, a RowHead; the unit, if it follows; and the words, 8-aligned.
 *
 * Rows of a unit are tied together by numbers of entries, from 1 on: of the first
 * one in the table, of the next one where its order will be.
 */
typedef struct RowHead
{
	uint64		order;
	uint64		group;
	uint32		words;			/* of its image */
	uint32		ordered;		/* of these, those that it is ordered by */
	uint32		nulls;
	uint32		reserved;		/* 0 */
} RowHead;

/* Partitions that are looked at, those of a file below those that it is one of. */
typedef struct Frame
{
	DpsUnitStore *store;
	int			next;
	struct Frame *above;
} Frame;

struct DpsUnits
{
	struct DpsGroupSums *groups;	/* or */
	const DpsImageLayout *image;
	DpsUnitBounds bounds;
	MemoryContext memory;		/* of stores and the table */
	DpsUnitKeys keys;
	int			group_at;		/* in a row; -1: there is but one */
	int			filters_at;		/* -1: there is none */
	int			cells_at;
	int			words;			/* of a row without its unit */
	DpsUnitStore *store;
	bool		is_shared;
	bool		reads;			/* if it is */
	Entry	   *entries;
	uint32		nentries;
	uint32		room;			/* for so many */
	uint32		enough;			/* more would take too much memory */
	uint32	   *table;			/* of units */
	uint64		mask;
	int			shift;			/* to the bits that tell the place */
	uint64		table_room;
	uint64		nunits;
	uint32		harmless;		/* so many rows of a unit count whatever they are */
	Frame	   *frame;			/* of what is looked at */
	DpsUnitChunk *chunks;		/* the partition, in which the next unit is at */
	DpsUnitStore *chunks_of;
	uint64		place;
	uint32		next;			/* of the rows that are kept, the next one */
	uint32		nkept;
	Entry	   *kept[DPS_MAX_KEPT_ROWS + 1];
};

/* ---- units ---- */

static inline uint64
hash_of(const DpsUnits *units, const uint32 *row)
{
	return dps_unit_key_hash(&units->keys, row);
}

static inline bool
is_same(DpsUnits *units, const uint32 *a, const uint32 *b)
{
	return dps_is_same_unit(&units->keys, a, b, units->words);
}

static inline bool
may_follow(const DpsUnits *units)
{
	return units->keys.kind >= DPS_UNIT_BYTES;
}

static inline Size
words_before_image(const DpsUnits *units, const uint32 *row)
{
	return units->words + (may_follow(units) ? dps_unit_words_after(&units->keys, row, row + units->words) : 0);
}

static inline const RowHead *
head_of(const DpsUnits *units, const uint32 *row)
{
	return (const RowHead *) (row + units->cells_at);
}

static inline const uint32 *
image_of(const DpsUnits *units, const uint32 *row)
{
	return row + TYPEALIGN(2, words_before_image(units, row));
}

static inline Size
row_words(const DpsUnits *units, const uint32 *row)
{
	if (units->image != NULL)
		return image_of(units, row) - row + head_of(units, row)->words;
	return words_before_image(units, row);
}

bool
dps_unit_bounds_fit(const DpsUnitBounds *bounds)
{
	TypeCacheEntry *entry = lookup_type_cache(bounds->type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);
	int64		kept = bounds->groups == 0 ? bounds->rows : (int64) bounds->groups * bounds->rows_per_group;

	return OidIsValid(entry->eq_opr) && OidIsValid(entry->hash_proc) && kept <= DPS_MAX_KEPT_ROWS;
}

/* ---- the order ---- */

static inline uint32
group_of(const DpsUnits *units, const uint32 *row)
{
	return units->group_at < 0 ? 0 : row[units->group_at];
}

static inline uint32
filters_of(const DpsUnits *units, const uint32 *row)
{
	return units->filters_at < 0 ? 0 : row[units->filters_at];
}

static inline double
cell_of(const DpsUnits *units, const uint32 *row, int i)
{
	double		cell;

	memcpy(&cell, &row[units->cells_at + 2 * i], sizeof(cell));
	return cell;
}

static uint64
hash_row(const DpsUnits *units, const uint32 *row)
{
	const DpsGroupSums *groups = units->groups;
	uint64		hash;
	int			i;

	if (units->image != NULL)
		return head_of(units, row)->order;
	hash = dps_mix(UINT64CONST(0x9e3779b97f4a7c15) + ((uint64) filters_of(units, row) << 32) + group_of(units, row));
	for (i = 0; i < groups->plan->ncells; i++)
	{
		double		cell = cell_of(units, row, i);
		uint64		bits;

		dps_clamp_cells(&cell, 1, &groups->cells[i].domain);
		memcpy(&bits, &cell, sizeof(bits));
		hash = dps_mix(hash + UINT64CONST(0x9e3779b97f4a7c15) + bits);
	}
	return hash;
}

static int
compare_words(const uint32 *a, Size na, const uint32 *b, Size nb)
{
	int			order = memcmp(a, b, sizeof(uint32) * Min(na, nb));

	return order != 0 ? order : (na > nb) - (na < nb);
}

static int
compare_nulls(uint32 a, uint32 b, int n)
{
	a = dps_first_columns(a, n);
	b = dps_first_columns(b, n);
	return (a > b) - (a < b);
}

static int
compare_images(const DpsUnits *units, const uint32 *a, const uint32 *b)
{
	const RowHead *one = head_of(units, a);
	const RowHead *other = head_of(units, b);
	int			order = compare_nulls(one->nulls, other->nulls, units->image->nordered);

	return order != 0 ? order :
		compare_words(image_of(units, a), one->ordered, image_of(units, b), other->ordered);
}

/* Those of equal hashes. */
static int
compare_keys(const DpsUnits *units, const uint32 *a, const uint32 *b)
{
	const DpsImageLayout *layout = units->image;
	uint32		nulls = head_of(units, a)->nulls;
	uint32		other = head_of(units, b)->nulls;
	int			order = compare_nulls(nulls, other, layout->nkeys);

	return order != 0 ? order :
		compare_words(image_of(units, a), dps_image_words_at(layout, image_of(units, a), nulls, layout->nkeys),
					  image_of(units, b), dps_image_words_at(layout, image_of(units, b), other, layout->nkeys));
}

/* With equal hashes, all that the states read. */
static inline bool
is_before(const DpsUnits *units, const Entry *a, const Entry *b)
{
	int			from = units->keys.words;

	if (a->order != b->order)
		return a->order < b->order;
	if (units->image != NULL)
		return compare_images(units, a->row, b->row) < 0;
	return memcmp(&a->row[from], &b->row[from], sizeof(uint32) * (units->words - from)) < 0;
}

static inline uint64
group_order(const DpsUnits *units, const Entry *entry)
{
	return units->image != NULL ? head_of(units, entry->row)->group : dps_mix(group_of(units, entry->row));
}

/* Negative, 0 or positive as the one's group comes before, is, or comes after the
 * other's. */
static inline int
compare_groups(const DpsUnits *units, const Entry *a, const Entry *b)
{
	uint64		one = group_order(units, a);
	uint64		other = group_order(units, b);

	if (one != other)
		return one < other ? -1 : 1;
	return units->image != NULL ? compare_keys(units, a->row, b->row) : 0;
}

/* Rows are kept in order of their groups, if these are limited. */
static inline bool
is_kept_before(const DpsUnits *units, const Entry *a, const Entry *b)
{
	int			order = units->bounds.groups > 0 ? compare_groups(units, a, b) : 0;

	return order != 0 ? order < 0 : is_before(units, a, b);
}

/* ---- the rows of a unit ---- */

static void
remove_rows(DpsUnits *units, uint32 first, uint32 n)
{
	memmove(&units->kept[first], &units->kept[first + n], sizeof(Entry *) * (units->nkept - first - n));
	units->nkept -= n;
}

static inline void
insert_row(DpsUnits *units, Entry *row)
{
	uint32		first = 0;
	uint32		last = units->nkept;

	while (first < last)
	{
		uint32		middle = (first + last) / 2;

		if (is_kept_before(units, row, units->kept[middle]))
			last = middle;
		else
			first = middle + 1;
	}
	memmove(&units->kept[first + 1], &units->kept[first], sizeof(Entry *) * (units->nkept - first));
	units->kept[first] = row;
	units->nkept++;
}

static inline bool
is_of_one_group(const DpsUnits *units, const Entry *a, const Entry *b)
{
	return units->image != NULL ? compare_groups(units, a, b) == 0 : group_of(units, a->row) == group_of(units, b->row);
}

/* How many rows of the row's group are kept, and the last of them. */
static uint32
count_in_group(const DpsUnits *units, const Entry *row, uint32 *last)
{
	uint32		n = 0;
	uint32		i;

	for (i = 0; i < units->nkept; i++)
	{
		if (is_of_one_group(units, units->kept[i], row))
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
		if (i == 0 || !is_of_one_group(units, units->kept[i], units->kept[i - 1]))
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
refuses_group(DpsUnits *units, const Entry *row)
{
	uint32		first = 0;

	if (units->bounds.groups == 0 || (int32) count_groups(units, &first) < units->bounds.groups)
		return false;
	if (compare_groups(units, row, units->kept[first]) > 0)
		return true;
	remove_rows(units, first, units->nkept - first);
	return false;
}

/* Keeps the row if it may count. */
static inline void
offer_row(DpsUnits *units, Entry *row)
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

/* The entry of this number. */
static inline Entry *
entry_at(const DpsUnits *units, uint64 number)
{
	return &units->entries[number - 1];
}

/* Of the rows of a unit, from this entry on, those that may count. */
static void
keep_rows(DpsUnits *units, uint64 first)
{
	uint64		number = first;

	for (units->nkept = 0; number != 0 && units->nkept < units->harmless; number = entry_at(units, number)->order)
		units->kept[units->nkept++] = entry_at(units, number);
	if (number == 0)
		return;
	units->nkept = 0;
	for (number = first; number != 0;)
	{
		Entry	   *row = entry_at(units, number);

		number = row->order;
		row->order = hash_row(units, row->row);
		offer_row(units, row);
	}
}

/* ---- the rows of a partition ---- */

static void
clear_table(DpsUnits *units, uint64 size)
{
	if (size > units->table_room)
	{
		if (units->table != NULL)
			pfree(units->table);
		units->table = MemoryContextAllocHuge(units->memory, sizeof(uint32) * size);
		units->table_room = size;
	}
	memset(units->table, 0, sizeof(uint32) * size);
	units->mask = size - 1;
	units->shift = 64 - pg_leftmost_one_pos64(size);
	units->nunits = 0;
}

/* Ties the entry of this number to those of its unit. */
static inline void
tie_entry(DpsUnits *units, uint32 number)
{
	Entry	   *entry = entry_at(units, number);
	/* the first bits of the hashes are the same; multiplication brings others forward */
	uint64		place = (hash_of(units, entry->row) * UINT64CONST(0x9e3779b97f4a7c15)) >> units->shift;

	while (units->table[place] != 0 && !is_same(units, entry_at(units, units->table[place])->row, entry->row))
		place = (place + 1) & units->mask;
	entry->order = units->table[place];
	if (units->table[place] == 0)
		units->nunits++;
	units->table[place] = number;
}

static void
tie_entries(DpsUnits *units, uint64 size)
{
	uint32		i;

	clear_table(units, size);
	for (i = 1; i <= units->nentries; i++)
		tie_entry(units, i);
}

/* Room for rows of a unit, whatever they are, until they are looked at again. */
static void
grow_entries(DpsUnits *units)
{
	units->room = units->room == 0 ? FIRST_ENTRIES : 2 * units->room;
	if (units->entries == NULL)
		units->entries = MemoryContextAllocHuge(units->memory, sizeof(Entry) * units->room);
	else
		units->entries = repalloc_huge(units->entries, sizeof(Entry) * units->room);
}

/* Forgets entries of rows that do not count. */
static void
fold_entries(DpsUnits *units)
{
	Entry	   *all = MemoryContextAllocHuge(units->memory, sizeof(Entry) * units->room);
	uint32		n = 0;
	uint64		i;
	uint32		k;

	for (i = 0; i <= units->mask; i++)
	{
		if (units->table[i] == 0)
			continue;
		keep_rows(units, units->table[i]);
		for (k = 0; k < units->nkept; k++)
			all[n++].row = units->kept[k]->row;
	}
	pfree(units->entries);
	units->entries = all;
	units->nentries = n;
	tie_entries(units, units->mask + 1);
}

static void
make_room(DpsUnits *units)
{
	if (units->room >= units->enough)
		fold_entries(units);
	if (units->nentries >= units->room / 2)
		grow_entries(units);
}

static inline void
gather_row(DpsUnits *units, const uint32 *row)
{
	if (units->nentries == units->room)
		make_room(units);
	units->entries[units->nentries++].row = row;
	tie_entry(units, units->nentries);
	if (units->nunits > units->mask / 2)
		tie_entries(units, 2 * (units->mask + 1));
}

/* Ties the rows of each unit together. */
static void
gather_rows(DpsUnits *units, const DpsUnitChunk *chunk)
{
	/* as many units as in the partition before, about */
	uint64		size = units->nunits > units->mask / 8 ? units->mask + 1 : FIRST_TABLE;

	units->nentries = 0;
	clear_table(units, size);
	for (; chunk != NULL; chunk = chunk->next)
	{
		const uint32 *row = chunk->words;

		while (row < chunk->words + chunk->used)
		{
			gather_row(units, row);
			row += row_words(units, row);
		}
	}
}

/* ---- too many rows ---- */

static void
store_row(DpsUnits *units, DpsUnitStore *store, const uint32 *row)
{
	Size		words = row_words(units, row);

	memcpy(dps_unit_store_add(store, hash_of(units, row), words), row, sizeof(uint32) * words);
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
		if (units->table[i] == 0)
			continue;
		keep_rows(units, units->table[i]);
		for (k = 0; k < units->nkept; k++)
			store_row(units, store, units->kept[k]->row);
	}
	dps_unit_store_free_all(store, chunks);
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

static inline void
write_filters(const DpsUnits *units, uint32 *row)
{
	const DpsGroupSums *groups = units->groups;
	uint32		filters = 0;
	int			i;

	for (i = 0; i < groups->plan->nfilters; i++)
		filters |= (uint32) groups->filters[i][groups->nrows] << i;
	row[units->filters_at] = filters;
}

void
dps_units_add(DpsUnits *units, Datum unit, uint32 group)
{
	const DpsGroupSums *groups = units->groups;
	DpsUnitKey	key;
	uint32	   *row;
	int			i;

	if (dps_unit_store_is_full(units->store))
		relieve(units, units->store);
	dps_unit_key_make(&units->keys, unit, &key);
	row = dps_unit_store_add(units->store, key.hash, units->words + key.more);
	dps_unit_key_write(&units->keys, &key, row);
	if (units->group_at >= 0)
		row[units->group_at] = group;
	if (units->filters_at >= 0)
		write_filters(units, row);
	for (i = 0; i < groups->plan->ncells; i++)
		memcpy(&row[units->cells_at + 2 * i], &groups->columns[i][groups->nrows], sizeof(double));
	/* before the unit there may be a gap */
	for (i = units->cells_at + 2 * groups->plan->ncells; i < units->words; i++)
		row[i] = 0;
	if (key.more > 0)
		dps_unit_key_append(&units->keys, &key, row + units->words);
}

/* ---- rows out ---- */

static inline void
release_row(DpsUnits *units, const uint32 *row)
{
	DpsGroupSums *groups = units->groups;
	int			place = groups->nrows;
	int			i;

	for (i = 0; i < groups->plan->nfilters; i++)
		groups->filters[i][place] = (filters_of(units, row) >> i) & 1;
	for (i = 0; i < groups->plan->ncells; i++)
		groups->columns[i][place] = cell_of(units, row, i);
	dps_groups_end_row(groups, group_of(units, row));
}

static int
compare_rows(const void *a, const void *b, void *units)
{
	const Entry *one = *(Entry *const *) a;
	const Entry *other = *(Entry *const *) b;

	return is_before(units, one, other) ? -1 : is_before(units, other, one);
}

/* Of the rows that are kept, leaves those that count. */
static void
choose_rows(DpsUnits *units)
{
	if ((int32) units->nkept <= units->bounds.rows)
		return;
	qsort_arg(units->kept, units->nkept, sizeof(Entry *), compare_rows, units);
	units->nkept = units->bounds.rows;
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
	const uint32 *row = chunk->words;

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

/* Rows that are kept are those of the unit that is looked at, or those of one that
 * was looked at to make room. */
static void
forget_kept(DpsUnits *units)
{
	units->next = units->nkept = 0;
}

/* These rows of a store are looked at next. */
static void
take_up(DpsUnits *units, DpsUnitStore *store, DpsUnitChunk *chunks)
{
	CHECK_FOR_INTERRUPTS();
	gather_rows(units, chunks);
	units->chunks = chunks;
	units->chunks_of = store;
	units->place = 0;
	forget_kept(units);
}

/* All partitions of the store are, before others. */
static void
put_on_top(DpsUnits *units, DpsUnitStore *store)
{
	Frame	   *frame = MemoryContextAlloc(units->memory, sizeof(Frame));

	if (store->has_files)
		dps_unit_store_spill(store);
	frame->store = store;
	frame->next = 0;
	frame->above = units->frame;
	units->frame = frame;
	forget_kept(units);
}

static void
remove_top(DpsUnits *units)
{
	Frame	   *frame = units->frame;

	units->frame = frame->above;
	if (frame->store != units->store)
	{
		dps_unit_store_reset(frame->store);
		pfree(frame->store);
	}
	pfree(frame);
}

/* The file's rows, in a store below this one. */
static DpsUnitStore *
read_file(DpsUnits *units, const DpsUnitStore *store, BufFile *file)
{
	DpsUnitStore *below = store_below(units, store);

	store_file(units, below, file);
	return below;
}

/* False if there is none any more. */
static bool
take_up_next(DpsUnits *units)
{
	while (units->frame != NULL)
	{
		Frame	   *frame = units->frame;
		BufFile    *file;
		DpsUnitChunk *chunks;

		if (frame->next == dps_unit_store_partitions(frame->store))
		{
			remove_top(units);
			continue;
		}
		file = dps_unit_store_take_file(frame->store, frame->next++);
		if (file != NULL)
		{
			put_on_top(units, read_file(units, frame->store, file));
			continue;
		}
		chunks = dps_unit_store_take(frame->store, frame->next - 1);
		if (chunks == NULL)
			continue;
		take_up(units, frame->store, chunks);
		return true;
	}
	return false;
}

/* The next unit of the partition that is looked at. */
static bool
find_unit(DpsUnits *units)
{
	while (units->chunks != NULL && units->place <= units->mask)
	{
		uint32		first = units->table[units->place++];

		if (first == 0)
			continue;
		keep_rows(units, first);
		choose_rows(units);
		units->next = 0;
		return true;
	}
	if (units->chunks != NULL)
		dps_unit_store_free_all(units->chunks_of, units->chunks);
	units->chunks = NULL;
	return false;
}

/* The next row that counts, of all that are to be looked at; or NULL. */
static inline const uint32 *
next_row(DpsUnits *units)
{
	while (units->next >= units->nkept)
	{
		if (!find_unit(units) && !take_up_next(units))
			return NULL;
	}
	return units->kept[units->next++]->row;
}

static void
release_rows(DpsUnits *units)
{
	const uint32 *row;

	while ((row = next_row(units)) != NULL)
		release_row(units, row);
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
	if (below == NULL && chunks != NULL)
		take_up(units, store, chunks);
	if (below != NULL)
	{
		for (chunk = chunks; chunk != NULL; chunk = chunk->next)
			store_chunk(units, below, chunk);
		dps_unit_store_free_all(store, chunks);
		put_on_top(units, below);
	}
	if (below != NULL || chunks != NULL)
		release_rows(units);
}

void
dps_units_finish(DpsUnits *units)
{
	int			partition;

	if (!units->is_shared)
	{
		put_on_top(units, units->store);
		release_rows(units);
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
	if (units->chunks != NULL)
		dps_unit_store_free_all(units->chunks_of, units->chunks);
	units->chunks = NULL;
	while (units->frame != NULL)
		remove_top(units);
	forget_kept(units);
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

/* Where the parts of a row are. */
static void
lay_out_row(DpsUnits *units)
{
	const DpsGroupsPlan *plan = units->groups->plan;
	int			words = units->keys.words;

	units->group_at = plan->ngroups > 1 ? words++ : -1;
	units->filters_at = plan->nfilters > 0 ? words++ : -1;
	units->cells_at = words;
	words += 2 * plan->ncells;
	units->words = units->keys.kind == DPS_UNIT_VALUE ? (int) TYPEALIGN(2, words) : words;
}

static void
lay_out_image_row(DpsUnits *units)
{
	units->group_at = units->filters_at = -1;
	units->cells_at = (int) TYPEALIGN(2, units->keys.words);
	units->words = units->cells_at + (int) (sizeof(RowHead) / sizeof(uint32));
}

static DpsUnits *
make_units(const DpsUnitBounds *bounds, Size memory)
{
	DpsUnits   *units = palloc0(sizeof(DpsUnits));
	MemoryContext previous;

	units->bounds = *bounds;
	dps_unit_keys_init(&units->keys, bounds->type, bounds->collation);
	units->harmless = harmless_rows(bounds);
	units->enough = Max(memory / 8 / sizeof(Entry), FIRST_ENTRIES);
	units->memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens units", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(units->memory);
	units->store = dps_unit_store_make((Size) Min(memory, MOST_MEMORY), 0);
	MemoryContextSwitchTo(previous);
	return units;
}

DpsUnits *
dps_units_make(struct DpsGroupSums *groups, Size memory)
{
	DpsUnits   *units = make_units(&groups->plan->bounds, memory);

	units->groups = groups;
	lay_out_row(units);
	return units;
}

/* ---- rows of a plan ---- */

DpsUnits *
dps_units_make_images(const DpsImageLayout *layout, const DpsUnitBounds *bounds, Size memory)
{
	DpsUnits   *units = make_units(bounds, memory);

	units->image = layout;
	lay_out_image_row(units);
	return units;
}

void
dps_units_add_image(DpsUnits *units, Datum unit, DpsImageRow *columns)
{
	const DpsImageLayout *layout = units->image;
	DpsUnitKey	key;
	RowHead    *head;
	uint32	   *row;
	uint32	   *image;
	Size		words;
	Size		before;

	if (dps_unit_store_is_full(units->store))
		relieve(units, units->store);
	dps_unit_key_make(&units->keys, unit, &key);
	dps_image_prepare(layout, columns);
	words = dps_image_words(layout, columns, layout->ncolumns);
	before = TYPEALIGN(2, units->words + key.more);
	row = dps_unit_store_add(units->store, key.hash, before + words);
	memset(row, 0, sizeof(uint32) * before);
	dps_unit_key_write(&units->keys, &key, row);
	if (key.more > 0)
		dps_unit_key_append(&units->keys, &key, row + units->words);
	image = row + before;
	dps_image_write(layout, columns, image);
	head = (RowHead *) (row + units->cells_at);
	head->words = (uint32) words;
	head->ordered = (uint32) dps_image_words(layout, columns, layout->nordered);
	head->nulls = columns->nulls;
	head->order = dps_image_hash(image, head->ordered, dps_first_columns(columns->nulls, layout->nordered));
	head->group = dps_image_hash(image, dps_image_words(layout, columns, layout->nkeys),
								 dps_first_columns(columns->nulls, layout->nkeys));
}

void
dps_units_end_images(DpsUnits *units)
{
	put_on_top(units, units->store);
}

bool
dps_units_next_image(DpsUnits *units, DpsImageRow *columns)
{
	const uint32 *row = next_row(units);

	if (row == NULL)
		return false;
	columns->nulls = head_of(units, row)->nulls;
	dps_image_read(units->image, image_of(units, row), columns);
	return true;
}

bool
dps_is_first_image(const DpsUnits *units)
{
	uint32		here = units->next - 1;
	uint32		i;

	for (i = 0; i < here; i++)
	{
		if (is_of_one_group(units, units->kept[i], units->kept[here]))
			return false;
	}
	return true;
}

/*
 * units.c
 *		Rows of units, kept until all are there and those that count are known.
 *
 * Rows are put into partitions by their units' hash (unit_store.h).  In the end one
 * process looks at all rows of a partition: it lists those of each unit in a table, and
 * unit_choice.c says which ones count, whoever has read them and in which order.  If
 * memory is short, rows that do not count are dropped earlier; if that is not enough,
 * partitions wait in files, and are partitioned once more.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "agg/state/groups.h"
#include "agg/state/unit_choice.h"
#include "agg/state/unit_table.h"
#include "agg/state/units.h"
#include "agg/unit/row_order.h"
#include "agg/unit/unit_image.h"
#include "agg/unit/unit_key.h"
#include "agg/unit/unit_row.h"
#include "agg/unit/unit_store.h"

/* Memory for what is read from files, beside that of the files themselves. */
#define LEAST_MEMORY 32768
/* Entries have numbers of 32 bits. */
#define MOST_MEMORY (UINT64CONST(1) << 33)

/* A store whose partitions are looked at; those of a partition's file go on top. */
typedef struct Frame
{
	DpsUnitStore *store;
	int			next;
	struct Frame *above;
} Frame;

struct DpsUnits
{
	struct DpsGroupSums *groups;	/* NULL where rows are those of a plan */
	MemoryContext memory;		/* of stores and the table */
	DpsUnitStore *store;
	bool		is_shared;
	bool		reads;			/* if shared: takes part */
	Frame	   *frame;			/* of what is looked at */
	DpsUnitChunk *chunks;		/* the partition, whose rows are in the table */
	DpsUnitStore *chunks_of;
	DpsUnitTable table;
	uint32		next;			/* of the rows that are kept, the next one */
};

bool
dps_unit_bounds_fit(const DpsUnitBounds *bounds)
{
	TypeCacheEntry *entry = lookup_type_cache(bounds->type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);
	int64		kept = bounds->groups == 0 ? bounds->rows : (int64) bounds->groups * bounds->rows_per_group;

	return OidIsValid(entry->eq_opr) && OidIsValid(entry->hash_proc) && kept <= DPS_MAX_KEPT_ROWS;
}

/* ---- too many rows ---- */

static void
store_row(DpsUnits *units, DpsUnitStore *store, const uint32 *row)
{
	const DpsUnitRowLayout *layout = &units->table.choice.layout;
	Size		words = dps_unit_row_words(layout, row);

	memcpy(dps_unit_store_add(store, dps_unit_row_hash(layout, row), words), row, sizeof(uint32) * words);
}

/* Drops rows of the partition that do not count. */
static void
compact(DpsUnits *units, DpsUnitStore *store, int partition)
{
	DpsUnitChunk *chunks = dps_unit_store_take(store, partition);
	uint32		k;

	if (chunks == NULL)
		return;
	dps_unit_table_gather(&units->table, chunks);
	while (dps_unit_table_next(&units->table))
	{
		for (k = 0; k < units->table.choice.nkept; k++)
			store_row(units, store, units->table.choice.kept[k]->row);
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
	row[units->table.choice.layout.filters_at] = filters;
}

void
dps_units_add(DpsUnits *units, Datum unit, uint32 group)
{
	const DpsGroupSums *groups = units->groups;
	DpsUnitRowLayout *layout = &units->table.choice.layout;
	DpsUnitKey	key;
	uint32	   *row;
	int			i;

	if (dps_unit_store_is_full(units->store))
		relieve(units, units->store);
	dps_unit_key_make(&layout->keys, unit, &key);
	row = dps_unit_store_add(units->store, key.hash, layout->words + key.more);
	dps_unit_key_write(&layout->keys, &key, row);
	if (layout->group_at >= 0)
		row[layout->group_at] = group;
	if (layout->filters_at >= 0)
		write_filters(units, row);
	for (i = 0; i < groups->plan->ncells; i++)
		memcpy(&row[layout->cells_at + 2 * i], &groups->columns[i][groups->nrows], sizeof(double));
	/* before the unit there may be a gap */
	for (i = layout->cells_at + 2 * groups->plan->ncells; i < layout->words; i++)
		row[i] = 0;
	if (key.more > 0)
		dps_unit_key_append(&layout->keys, &key, row + layout->words);
}

/* ---- rows out ---- */

static inline void
release_row(DpsUnits *units, const uint32 *row)
{
	DpsGroupSums *groups = units->groups;
	const DpsUnitRowLayout *layout = &units->table.choice.layout;
	int			place = groups->nrows;
	int			i;

	for (i = 0; i < groups->plan->nfilters; i++)
		groups->filters[i][place] = (dps_unit_row_filters(layout, row) >> i) & 1;
	for (i = 0; i < groups->plan->ncells; i++)
		groups->columns[i][place] = dps_unit_row_cell(layout, row, i);
	dps_groups_end_row(groups, dps_unit_row_group(layout, row));
}

/* Makes a store for the rows of a partition of this one. */
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
		row += dps_unit_row_words(&units->table.choice.layout, row);
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

/* The rows kept are those of the unit that is looked at, or of a unit that was looked
 * at to make room. */
static void
forget_kept(DpsUnits *units)
{
	units->next = units->table.choice.nkept = 0;
}

/* Looks at these rows of a store next. */
static void
take_up(DpsUnits *units, DpsUnitStore *store, DpsUnitChunk *chunks)
{
	CHECK_FOR_INTERRUPTS();
	dps_unit_table_gather(&units->table, chunks);
	units->chunks = chunks;
	units->chunks_of = store;
	forget_kept(units);
}

/* Looks at all partitions of the store before others. */
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

/* Puts a file's rows into a store of their own. */
static DpsUnitStore *
read_file(DpsUnits *units, const DpsUnitStore *store, BufFile *file)
{
	DpsUnitStore *below = store_below(units, store);

	store_file(units, below, file);
	return below;
}

/* Takes up the next partition; false if none is left. */
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
	if (units->chunks != NULL && dps_unit_table_next(&units->table))
	{
		dps_choose_rows(&units->table.choice);
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
	while (units->next >= units->table.choice.nkept)
	{
		if (!find_unit(units) && !take_up_next(units))
			return NULL;
	}
	return units->table.choice.kept[units->next++]->row;
}

static void
release_rows(DpsUnits *units)
{
	const uint32 *row;

	while ((row = next_row(units)) != NULL)
		release_row(units, row);
}

/* Releases the rows of a partition of all stores. */
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

void
dps_units_free(DpsUnits *units)
{
	MemoryContextDelete(units->memory);
	pfree(units);
}

/* Where the parts of a row are. */
static void
lay_out_row(DpsUnitRowLayout *layout, const DpsGroupSums *groups)
{
	const DpsGroupsPlan *plan = groups->plan;
	int			words = layout->keys.words;

	layout->cells = groups->cells;
	layout->ncells = plan->ncells;
	layout->is_grouped = plan->nkeys > 0;
	layout->group_at = plan->ngroups > 1 ? words++ : -1;
	layout->nfilters = plan->nfilters;
	layout->filters_at = plan->nfilters > 0 ? words++ : -1;
	layout->cells_at = words;
	words += 2 * plan->ncells;
	layout->words = layout->keys.kind == DPS_UNIT_VALUE ? (int) TYPEALIGN(2, words) : words;
}

static void
lay_out_image_row(DpsUnitRowLayout *layout, const DpsImageLayout *image)
{
	layout->image = image;
	layout->group_at = layout->filters_at = -1;
	layout->cells_at = (int) TYPEALIGN(2, layout->keys.words);
	layout->words = layout->cells_at + (int) (sizeof(DpsUnitRowHead) / sizeof(uint32));
}

static DpsUnits *
make_units(const DpsUnitBounds *bounds, Size memory)
{
	DpsUnits   *units = palloc0(sizeof(DpsUnits));
	MemoryContext previous;

	units->memory = AllocSetContextCreate(CurrentMemoryContext, "dpsens units", ALLOCSET_DEFAULT_SIZES);
	dps_unit_table_init(&units->table, bounds, units->memory, memory / 8);
	dps_unit_keys_init(&units->table.choice.layout.keys, bounds->type, bounds->collation);
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
	lay_out_row(&units->table.choice.layout, groups);
	return units;
}

/* ---- rows of a plan ---- */

DpsUnits *
dps_units_make_images(const DpsImageLayout *layout, const DpsUnitBounds *bounds, Size memory)
{
	DpsUnits   *units = make_units(bounds, memory);

	lay_out_image_row(&units->table.choice.layout, layout);
	return units;
}

void
dps_units_add_image(DpsUnits *units, Datum unit, DpsImageRow *columns)
{
	DpsUnitRowLayout *rows = &units->table.choice.layout;
	const DpsImageLayout *layout = rows->image;
	DpsUnitKey	key;
	DpsUnitRowHead *head;
	uint32	   *row;
	uint32	   *image;
	Size		words;
	Size		before;

	if (dps_unit_store_is_full(units->store))
		relieve(units, units->store);
	dps_unit_key_make(&rows->keys, unit, &key);
	dps_image_prepare(layout, columns);
	words = dps_image_words(layout, columns, layout->ncolumns);
	before = TYPEALIGN(2, rows->words + key.more);
	row = dps_unit_store_add(units->store, key.hash, before + words);
	memset(row, 0, sizeof(uint32) * before);
	dps_unit_key_write(&rows->keys, &key, row);
	if (key.more > 0)
		dps_unit_key_append(&rows->keys, &key, row + rows->words);
	image = row + before;
	dps_image_write(layout, columns, image);
	head = (DpsUnitRowHead *) (row + rows->cells_at);
	head->words = (uint32) words;
	head->ordered = (uint32) dps_image_words(layout, columns, layout->nordered);
	head->nulls = columns->nulls;
	head->order = dps_order_hash(image, head->ordered, dps_first_columns(columns->nulls, layout->nordered));
	head->group = dps_order_hash(image, dps_image_words(layout, columns, layout->nkeys),
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
	const DpsUnitRowLayout *layout = &units->table.choice.layout;
	const uint32 *row = next_row(units);

	if (row == NULL)
		return false;
	columns->nulls = dps_unit_row_head(layout, row)->nulls;
	dps_image_read(layout->image, dps_unit_row_image(layout, row), columns);
	return true;
}

bool
dps_is_first_image(const DpsUnits *units)
{
	return dps_is_first_of_group(&units->table.choice, units->next - 1);
}

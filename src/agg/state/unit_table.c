/*
 * unit_table.c
 *		Rows of a partition, those of each unit together (units.c).
 *
 * A table of places by the units' hash has the number of the first entry of each
 * unit; the others follow as a list (unit_choice.h).  A place is the four bytes of that
 * number, the table is emptied for each partition and made anew when rows are folded;
 * the server's simplehash would copy what is in the rows, or read it twice.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "agg/state/unit_table.h"
#include "base/hash.h"

#define FIRST_PLACES 256
#define FIRST_ENTRIES 1024

static inline DpsUnitEntry *
entry_at(const DpsUnitTable *table, uint64 number)
{
	return &table->entries[number - 1];
}

static void
clear_places(DpsUnitTable *table, uint64 size)
{
	if (size > table->places)
	{
		if (table->first != NULL)
			pfree(table->first);
		table->first = MemoryContextAllocHuge(table->memory, sizeof(uint32) * size);
		table->places = size;
	}
	memset(table->first, 0, sizeof(uint32) * size);
	table->mask = size - 1;
	table->shift = 64 - pg_leftmost_one_pos64(size);
	table->nunits = 0;
	table->at = 0;
}

/* Adds the entry of this number to the list of its unit. */
static pg_attribute_always_inline void
tie_entry(DpsUnitTable *table, uint32 number)
{
	DpsUnitRowLayout *layout = &table->choice.layout;
	DpsUnitEntry *entry = entry_at(table, number);
	/* the first bits of the hashes are the same; multiplication brings others forward */
	uint64		place = dps_hash_place(dps_unit_row_hash(layout, entry->row), table->shift);

	while (table->first[place] != 0 &&
		   !dps_are_of_one_unit(layout, entry_at(table, table->first[place])->row, entry->row))
		place = (place + 1) & table->mask;
	entry->order = table->first[place];
	if (table->first[place] == 0)
		table->nunits++;
	table->first[place] = number;
}

static void
tie_entries(DpsUnitTable *table, uint64 size)
{
	uint32		i;

	clear_places(table, size);
	for (i = 1; i <= table->nentries; i++)
		tie_entry(table, i);
}

/* Doubles the room for entries. */
static void
grow_entries(DpsUnitTable *table)
{
	table->room = table->room == 0 ? FIRST_ENTRIES : 2 * table->room;
	if (table->entries == NULL)
		table->entries = MemoryContextAllocHuge(table->memory, sizeof(DpsUnitEntry) * table->room);
	else
		table->entries = repalloc_huge(table->entries, sizeof(DpsUnitEntry) * table->room);
}

bool
dps_unit_table_next(DpsUnitTable *table)
{
	while (table->at <= table->mask)
	{
		uint32		first = table->first[table->at++];

		if (first == 0)
			continue;
		dps_keep_rows(&table->choice, table->entries, first);
		return true;
	}
	return false;
}

/* Forgets entries of rows that do not count. */
static void
fold_entries(DpsUnitTable *table)
{
	DpsUnitEntry *all = MemoryContextAllocHuge(table->memory, sizeof(DpsUnitEntry) * table->room);
	uint32		n = 0;
	uint32		k;

	while (dps_unit_table_next(table))
	{
		for (k = 0; k < table->choice.nkept; k++)
			all[n++].row = table->choice.kept[k]->row;
	}
	pfree(table->entries);
	table->entries = all;
	table->nentries = n;
	tie_entries(table, table->mask + 1);
}

static void
make_room(DpsUnitTable *table)
{
	if (table->room >= table->enough)
		fold_entries(table);
	if (table->nentries >= table->room / 2)
		grow_entries(table);
}

static inline void
gather_row(DpsUnitTable *table, const uint32 *row)
{
	if (table->nentries == table->room)
		make_room(table);
	table->entries[table->nentries++].row = row;
	tie_entry(table, table->nentries);
	if (table->nunits > table->mask / 2)
		tie_entries(table, 2 * (table->mask + 1));
}

void
dps_unit_table_gather(DpsUnitTable *table, const DpsUnitChunk *chunk)
{
	/* as many units as in the partition before, about */
	uint64		size = table->nunits > table->mask / 8 ? table->mask + 1 : FIRST_PLACES;

	table->nentries = 0;
	clear_places(table, size);
	for (; chunk != NULL; chunk = chunk->next)
	{
		const uint32 *row = chunk->words;

		while (row < chunk->words + chunk->used)
		{
			gather_row(table, row);
			row += dps_unit_row_words(&table->choice.layout, row);
		}
	}
}

void
dps_unit_table_init(DpsUnitTable *table, const DpsUnitBounds *bounds, MemoryContext memory, Size limit)
{
	memset(table, 0, sizeof(*table));
	dps_unit_choice_init(&table->choice, bounds);
	table->memory = memory;
	table->enough = Max(limit / sizeof(DpsUnitEntry), FIRST_ENTRIES);
}

/*
 * values_cache.c
 *		Declared values that a session has read before.
 *
 * A list may have a million values, so a plan shares what is remembered: it is
 * kept until the memory context of whoever asked for it goes, whatever happens to
 * the label meanwhile, and no longer than the label is so for who asks next.
 *
 * What a list of texts means must follow from the label, the column and nothing
 * else.  So only types of the server are remembered, without domains, whose
 * conditions may call anything; and of those whose input looks at settings only
 * enums, and dates and times that are spelt out in full.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "lib/ilist.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "glue/annotation.h"
#include "glue/annotation_cache.h"
#include "glue/label.h"
#include "glue/settings.h"
#include "guard/values.h"

/* One list may not take the place of all others. */
#define ENTRY_SHARE 2

typedef struct ListName
{
	Oid			relation;
	int32		column;
	Oid			type;
	int32		typmod;
	Oid			collation;
} ListName;

/* A list, alone in a memory context. */
typedef struct Entry
{
	dlist_node	recency;
	ListName		name;
	MemoryContext context;
	Size		size;
	DpsValues  *values;
	uint64		pins;
	bool		is_forgotten;	/* it goes with the last pin */
} Entry;

/* Where an entry is found by its name. */
typedef struct Place
{
	ListName		name;			/* the key */
	Entry	   *entry;
} Place;

static HTAB *places;			/* NULL before the first look */
static dlist_head recent;		/* the last used first */
static Size used;

/* ---- forgetting ---- */

static void
drop_if_unused(Entry *entry)
{
	if (entry->is_forgotten && entry->pins == 0)
		MemoryContextDelete(entry->context);
}

static void
forget_entry(Entry *entry)
{
	(void) hash_search(places, &entry->name, HASH_REMOVE, NULL);
	dlist_delete(&entry->recency);
	used -= entry->size;
	entry->is_forgotten = true;
	drop_if_unused(entry);
}

static void
forget_relation(Oid relation)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &recent)
	{
		Entry	   *entry = dlist_container(Entry, recency, iter.cur);

		if (!OidIsValid(relation) || entry->name.relation == relation)
			forget_entry(entry);
	}
}

static Size
limit(void)
{
	return (Size) dps_setting_key_cache_size * 1024;
}

static void
make_room(Size size)
{
	while (!dlist_is_empty(&recent) && used + size > limit())
		forget_entry(dlist_tail_element(Entry, recency, &recent));
}

static void
init_cache(void)
{
	HASHCTL		control = {.keysize = sizeof(ListName), .entrysize = sizeof(Place), .hcxt = TopMemoryContext};

	if (places != NULL)
		return;
	dlist_init(&recent);
	places = hash_create("dpsens declared values", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	dps_on_annotation_change(forget_relation);
}

/* ---- reading ---- */

/* Is what these texts mean the same in every session? */
static bool
is_fixed(Oid type, const List *texts)
{
	const DpsLabelType *label_type = dps_find_label_type(type);
	Oid			input;
	Oid			param;
	double		seconds;
	ListCell   *cell;

	if (type_is_enum(type))
		return true;
	getTypeInputInfo(type, &input, &param);
	if (type >= FirstNormalObjectId ||
		lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc >= FirstNormalObjectId)
		return false;
	if (func_volatile(input) == PROVOLATILE_IMMUTABLE)
		return true;
	if (label_type == NULL || !label_type->quoted)
		return false;
	foreach(cell, texts)
	{
		if (!dps_parse_moment(lfirst(cell), type, true, &seconds))
			return false;
	}
	return true;
}

static Datum *
read_texts(const ListName *name, const List *texts)
{
	Datum	   *datums = palloc(sizeof(Datum) * Max(list_length(texts), 1));
	FmgrInfo	input;
	Oid			function;
	Oid			param;
	int			n = 0;
	ListCell   *cell;

	getTypeInputInfo(name->type, &function, &param);
	fmgr_info(function, &input);
	foreach(cell, texts)
		datums[n++] = InputFunctionCall(&input, lfirst(cell), param, name->typmod);
	return datums;
}

static Datum *
read_values(const ListName *name, int *n, bool *fixed)
{
	List	   *texts = dps_declared_texts(name->relation, (AttrNumber) name->column);

	*n = list_length(texts);
	*fixed = is_fixed(name->type, texts);
	return read_texts(name, texts);
}

/* ---- remembering ---- */

static Entry *
find_entry(const ListName *name)
{
	Place	   *place = hash_search(places, name, HASH_FIND, NULL);

	if (place == NULL)
		return NULL;
	dlist_move_head(&recent, &place->entry->recency);
	return place->entry;
}

/* The context becomes the entry's, which is linked when nothing can fail. */
static Entry *
remember(const ListName *name, MemoryContext context, DpsValues *values)
{
	Entry	   *entry = MemoryContextAllocZero(context, sizeof(Entry));
	Place	   *place;

	entry->name = *name;
	entry->context = context;
	entry->values = values;
	entry->size = MemoryContextMemAllocated(context, true);
	make_room(entry->size);
	place = hash_search(places, name, HASH_ENTER, NULL);
	place->entry = entry;
	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&recent, &entry->recency);
	used += entry->size;
	return entry;
}

static void
unpin(void *arg)
{
	Entry	   *entry = arg;

	entry->pins--;
	drop_if_unused(entry);
}

static const DpsValues *
pin(Entry *entry)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	callback->func = unpin;
	callback->arg = entry;
	entry->pins++;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return entry->values;
}

/* Reads them into a context of their own, and remembers them if that may be. */
static const DpsValues *
read_entry(const ListName *name)
{
	uint64		changes = dps_annotation_changes();
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "dpsens reading values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpsens declared values", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(scratch);
	bool		fixed;
	int			n;
	Datum	   *datums = read_values(name, &n, &fixed);
	DpsValues  *values;

	MemoryContextSwitchTo(context);
	values = dps_values_make(name->type, name->typmod, name->collation, datums, n);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(scratch);
	if (!fixed || changes != dps_annotation_changes() ||
		MemoryContextMemAllocated(context, true) > limit() / ENTRY_SHARE)
		return values;
	return pin(remember(name, context, values));
}

const DpsValues *
dps_declared_values(Oid relation, AttrNumber column, Oid type, int32 typmod, Oid collation)
{
	ListName		name = {relation, column, type, typmod, collation};
	Entry	   *entry;

	init_cache();
	make_room(0);
	dps_receive_annotation_changes();
	entry = find_entry(&name);
	return entry != NULL ? pin(entry) : read_entry(&name);
}

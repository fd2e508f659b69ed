/*
 * values_cache.c
 *		Cache of the declared values that a session has read.
 *
 * A list may have a million values, so statements share the cached lists.  A list is kept until the memory
 * contexts of all its users are gone, even if the label changes meanwhile; new users get it only while the
 * label is unchanged.
 *
 * The server copies a plan's constants several times, and prints them for workers.  So of a long list a
 * plan contains only a reference: the column, how its values are read, and the SHA-256 of the result.  A
 * pointer into this memory would be as short, but it could not be tracked in copies by the plan cache or in
 * other processes.  A reference yields
 *
 * - a list that this process still has, with the same reference, or else
 * - the list that the label declares now, or declared when the statement's snapshot was taken, read again,
 *	 if its reference is the same, or else
 * - an error.
 *
 * Equal digests mean equal bytes, in the order of declaration.  So every process works with the values that
 * the statement was planned and charged for, or with none.  Resolving a reference pins the list until
 * CurrentMemoryContext is released; the executor resolves all references when a statement begins, so that
 * neither a change of the label nor eviction from the cache stops it later.  The server plans cached plans
 * again after a change, because the relation has changed.
 *
 * The values of a list of texts must depend on the label and the column only.  So only lists of the
 * server's types are cached.  A domain counts as its base type, since its CHECK is not evaluated here.  Of
 * types whose input depends on settings only enums are cached, and dates and times that are written in
 * full.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "common/cryptohash.h"
#include "fmgr.h"
#include "lib/ilist.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "glue/label/annotation.h"
#include "glue/label/annotation_cache.h"
#include "glue/label/label.h"
#include "glue/settings.h"
#include "guard/public/values.h"

/* One list may take at most this fraction of the cache. */
#define ENTRY_SHARE 2

/* Lists of this many bytes or more are referred to by plans, not contained in them. */
#define LONG_LIST 8192

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
	dlist_node	recency;		/* in the list `recent`, unless is_forgotten */
	dlist_node	reach;			/* in the list `referred`, if values->reference is set */
	ListName		name;
	MemoryContext context;
	Size		size;			/* with the map, even before it is made */
	DpsValues  *values;
	DpsKeyMap  *map;			/* NULL before the first use */
	uint64		pins;
	bool		is_forgotten;	/* it is freed with the last pin */
} Entry;

/* An element of the hash table of entries by name. */
typedef struct Place
{
	ListName		name;			/* the key */
	Entry	   *entry;
} Place;

static HTAB *places;			/* NULL before the first use */
static dlist_head recent;		/* the last used first */
static dlist_head referred;		/* entries with references, forgotten or not */
static Size used;

/* ---- forgetting ---- */

static void
drop_if_unused(Entry *entry)
{
	if (!entry->is_forgotten || entry->pins > 0)
		return;
	if (entry->values->reference != NULL)
		dlist_delete(&entry->reach);
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
	dlist_init(&referred);
	places = hash_create("dpsens declared lists", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	dps_on_annotation_change(forget_relation);
}

/* ---- reading ---- */

/* Do these texts mean the same in every session? */
static bool
is_fixed(Oid type, const DpsTexts *texts)
{
	const DpsLabelType *label_type = dps_find_label_type(type);
	Oid			input;
	Oid			param;
	char	   *text = texts->bytes;
	double		seconds;
	int			i;

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
	for (i = 0; i < texts->n; i++, text = dps_next_text(text))
	{
		if (!dps_parse_moment(text, type, true, &seconds))
			return false;
	}
	return true;
}

static Datum *
read_texts(const ListName *name, const DpsTexts *texts)
{
	Datum	   *datums = palloc(sizeof(Datum) * Max(texts->n, 1));
	FmgrInfo	input;
	Oid			function;
	Oid			param;
	char	   *text = texts->bytes;
	int32		typmod = name->typmod;
	Oid			base = getBaseTypeAndTypmod(name->type, &typmod);
	int			i;

	/* a domain's CHECK is a user's code, which would run as the role that asks */
	getTypeInputInfo(base, &function, &param);
	fmgr_info(function, &input);
	for (i = 0; i < texts->n; i++, text = dps_next_text(text))
		datums[i] = InputFunctionCall(&input, text, param, typmod);
	return datums;
}

/* Reads the values that the label declares now, or as of the snapshot if it is valid.  *fixed: do they
 * depend on the label and the column only? */
static DpsValues *
read_values(const ListName *name, Snapshot snapshot, MemoryContext context, bool *fixed)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "dpsens reading values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(scratch);
	DpsTexts	texts = {0};
	Datum	   *datums;
	DpsValues  *values;

	dps_declared_texts(name->relation, (AttrNumber) name->column, snapshot, &texts);
	*fixed = is_fixed(getBaseType(name->type), &texts);
	MemoryContextSwitchTo(context);
	values = dps_values_of_texts(name->type, name->typmod, name->collation, &texts);
	if (values == NULL)
	{
		MemoryContextSwitchTo(scratch);
		datums = read_texts(name, &texts);
		MemoryContextSwitchTo(context);
		values = dps_values_make(name->type, name->typmod, name->collation, datums, texts.n);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(scratch);
	return values;
}

/* ---- references ---- */

static void
digest(const DpsGroupKey *key, uint8 *result)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (hash == NULL || pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) key, key->size) < 0 ||
		pg_cryptohash_final(hash, result, DPS_KEY_DIGEST) < 0)
		elog(ERROR, "declared values cannot be hashed");
	pg_cryptohash_free(hash);
}

/* Does a plan contain a reference in place of the values? */
static bool
is_long(const DpsValues *values)
{
	return values->map != NULL && values->map->size >= LONG_LIST && !values->has_equal;
}

/* NULL if a plan contains the values themselves. */
static DpsKeyReference *
make_reference(const ListName *name, const DpsValues *values)
{
	DpsKeyReference *reference;

	if (!is_long(values))
		return NULL;
	reference = palloc0(sizeof(DpsKeyReference));
	reference->key = (DpsGroupKey) {.size = sizeof(DpsKeyReference), .type = values->map->type,
		.collation = values->map->collation, .kind = DPS_KEY_REFERENCE, .n = values->n};
	reference->relation = name->relation;
	reference->column = name->column;
	reference->typmod = name->typmod;
	reference->memory = dps_group_key_memory(values->map);
	digest(values->map, reference->digest);
	return reference;
}

static bool
is_same(const DpsValues *values, const DpsKeyReference *reference)
{
	return values->reference != NULL && memcmp(values->reference, reference, sizeof(DpsKeyReference)) == 0;
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

/* The bytes of a list and of its lookup table. */
static Size
memory_of(MemoryContext context, const DpsValues *values)
{
	Size		more = is_long(values) ? dps_group_key_memory(values->map) - values->map->size : 0;

	return MemoryContextMemAllocated(context, true) + more;
}

/* Makes an entry that owns the context.  It is not yet in the cache: is_forgotten is set. */
static Entry *
make_entry(const ListName *name, MemoryContext context, DpsValues *values)
{
	MemoryContext previous = MemoryContextSwitchTo(context);
	Entry	   *entry = palloc0(sizeof(Entry));

	entry->name = *name;
	entry->context = context;
	entry->values = values;
	entry->size = memory_of(context, values);
	entry->is_forgotten = true;
	values->reference = make_reference(name, values);
	MemoryContextSwitchTo(previous);
	MemoryContextSetParent(context, TopMemoryContext);
	if (values->reference != NULL)
		dlist_push_head(&referred, &entry->reach);
	return entry;
}

static void
remember(Entry *entry)
{
	Place	   *place;

	make_room(entry->size);
	place = hash_search(places, &entry->name, HASH_ENTER, NULL);
	place->entry = entry;
	dlist_push_head(&recent, &entry->recency);
	used += entry->size;
	entry->is_forgotten = false;
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

static MemoryContext
make_context(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "dpsens declared values", ALLOCSET_SMALL_SIZES);
}

/* May values be cached that were read when the number of annotation changes was `changes`? */
static bool
is_memorable(MemoryContext context, const DpsValues *values, bool fixed, uint64 changes)
{
	return fixed && changes == dps_annotation_changes() && memory_of(context, values) <= limit() / ENTRY_SHARE;
}

/* Reads the values into a context of their own, and caches them if possible.  A long list that is not
 * cached is pinned all the same, so that its reference can be resolved when the statement begins. */
static const DpsValues *
read_entry(const ListName *name)
{
	uint64		changes = dps_annotation_changes();
	MemoryContext context = make_context();
	bool		fixed;
	DpsValues  *values = read_values(name, InvalidSnapshot, context, &fixed);
	bool		memorable = is_memorable(context, values, fixed, changes);
	Entry	   *entry;

	if (!memorable && !(fixed && is_long(values)))
		return values;
	entry = make_entry(name, context, values);
	if (memorable)
		remember(entry);
	return pin(entry);
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

/* ---- following references ---- */

static Entry *
find_referred(const DpsKeyReference *reference)
{
	dlist_iter	iter;

	dlist_foreach(iter, &referred)
	{
		Entry	   *entry = dlist_container(Entry, reach, iter.cur);

		if (is_same(entry->values, reference))
			return entry;
	}
	return NULL;
}

/* Reads the list as of a snapshot; NULL if it is not the one that the reference means. */
static Entry *
read_referred(const ListName *name, const DpsKeyReference *reference, Snapshot snapshot)
{
	uint64		changes = dps_annotation_changes();
	MemoryContext context = make_context();
	bool		fixed;
	DpsValues  *values = read_values(name, snapshot, context, &fixed);
	bool		memorable = is_memorable(context, values, fixed, changes) && snapshot == InvalidSnapshot;
	Entry	   *entry = make_entry(name, context, values);

	if (!fixed || !is_same(values, reference))
	{
		drop_if_unused(entry);
		return NULL;
	}
	if (memorable && find_entry(name) == NULL)
		remember(entry);
	return entry;
}

static Entry *
read_again(const DpsKeyReference *reference)
{
	ListName	name = {reference->relation, reference->column, reference->key.type, reference->typmod, reference->key.collation};
	Entry	   *entry = read_referred(&name, reference, InvalidSnapshot);

	if (entry == NULL && ActiveSnapshotSet())
		entry = read_referred(&name, reference, GetActiveSnapshot());
	if (entry == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("declared values of column \"%s\" of relation \"%s\" have changed since the statement was planned",
						get_attname(reference->relation, (AttrNumber) reference->column, false),
						get_rel_name(reference->relation)),
				 errhint("Repeat the statement.")));
	return entry;
}

static const DpsKeyMap *
find_keys(const DpsKeyReference *reference)
{
	MemoryContext previous;
	DpsKeyMap  *map;
	Entry	   *entry;

	init_cache();
	make_room(0);
	entry = find_referred(reference);
	if (entry == NULL)
		entry = read_again(reference);
	(void) pin(entry);
	if (entry->map == NULL)
	{
		previous = MemoryContextSwitchTo(entry->context);
		map = palloc(sizeof(DpsKeyMap));
		dps_key_map_init(map, entry->values->map);
		entry->map = map;
		MemoryContextSwitchTo(previous);
	}
	return entry->map;
}

void
dps_values_init(void)
{
	dps_set_key_finder(find_keys);
}

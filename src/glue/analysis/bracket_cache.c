/*
 * bracket_cache.c
 *		A backend's cache of brackets.
 *
 * The cache holds the answers that this backend has found or read.  The key is the
 * whole question, compared byte for byte; the hash only finds the bucket.  The
 * question holds everything that the answer follows from (question.c).  So no change
 * of an annotation, a table or a setting makes an entry wrong: it leads to another
 * question, and the old entry is evicted later.  No invalidation is needed, in this
 * session or in others.  Planning ensures that a question is about the present ranges;
 * cached plans are made again when a label changes.
 *
 * An entry is one block, linked when it is complete and by code that cannot fail; a
 * search that raises an error has linked nothing.  Above dpsens.bracket_cache_size the
 * least recently used entries are evicted.  The server's hash tables are not used
 * because they raise an error if there is no memory for a larger table: a query that
 * has its answer must not fail for want of a cache entry.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/ilist.h"
#include "utils/memutils.h"

#include "glue/analysis/bracket_cache.h"
#include "glue/analysis/bracket_store.h"
#include "glue/settings.h"
#include "glue/version.h"

#define INITIAL_BUCKETS 256

/* An entry may be at most 1/ENTRY_SHARE of the cache's limit. */
#define ENTRY_SHARE 8

/* Fragmentation can make the context larger than the limit on entries; beyond this
 * many times the limit the cache is emptied. */
#define CONTEXT_SHARE 2

DPS_SQL_FUNCTION(dpsens_bracket_cache);

typedef struct Entry
{
	dlist_node	recency;
	struct Entry *next;			/* in its bucket */
	uint64		hash;
	uint32		question_length;
	uint32		answer_length;
	char		bytes[];		/* the question, then the answer */
} Entry;

typedef struct Cache
{
	MemoryContext context;		/* NULL before the first entry */
	dlist_head	entries;		/* the last used first */
	Entry	  **buckets;
	uint64		nbuckets;		/* a power of two */
	uint64		nentries;
	Size		used;			/* by entries */

	/* since the backend started */
	uint64		hits;
	uint64		reads;			/* of stored brackets */
	uint64		searches;
} Cache;

static Cache cache;

static Size
limit(void)
{
	return (Size) dps_setting_bracket_cache_size * 1024;
}

static Size
entry_size(const Entry *entry)
{
	return offsetof(Entry, bytes) + entry->question_length + entry->answer_length;
}

static Entry **
bucket_of(uint64 hash)
{
	return &cache.buckets[hash & (cache.nbuckets - 1)];
}

static void
forget_all(void)
{
	MemoryContext context = cache.context;

	cache.context = NULL;
	cache.buckets = NULL;
	cache.nbuckets = cache.nentries = cache.used = 0;
	if (context != NULL)
		MemoryContextDelete(context);
}

static void
forget_entry(Entry *entry)
{
	Entry	  **link = bucket_of(entry->hash);

	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	dlist_delete(&entry->recency);
	cache.nentries--;
	cache.used -= entry_size(entry);
	pfree(entry);
}

/* Evicts entries until one of this size fits. */
static void
make_room(Size size)
{
	while (cache.nentries > 0 && cache.used + size > limit())
		forget_entry(dlist_tail_element(Entry, recency, &cache.entries));
	if (cache.context != NULL &&
		(cache.nentries == 0 || MemoryContextMemAllocated(cache.context, true) > CONTEXT_SHARE * limit()))
		forget_all();
}

static Entry *
find_entry(uint64 hash, const StringInfo question)
{
	Entry	   *entry;

	if (cache.nentries == 0)
		return NULL;
	for (entry = *bucket_of(hash); entry != NULL; entry = entry->next)
	{
		if (entry->hash == hash && entry->question_length == (uint32) question->len &&
			memcmp(entry->bytes, question->data, question->len) == 0)
			break;
	}
	if (entry != NULL)
		dlist_move_head(&cache.entries, &entry->recency);
	return entry;
}

static bool
init_cache(void)
{
	if (cache.context != NULL)
		return true;
	cache.context = AllocSetContextCreate(TopMemoryContext, "dpsens brackets", ALLOCSET_DEFAULT_SIZES);
	cache.buckets = MemoryContextAllocExtended(cache.context, sizeof(Entry *) * INITIAL_BUCKETS,
											   MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
	if (cache.buckets == NULL)
	{
		forget_all();
		return false;
	}
	cache.nbuckets = INITIAL_BUCKETS;
	dlist_init(&cache.entries);
	return true;
}

/* Doubles the buckets; if there is no memory, chains get longer instead. */
static void
grow_buckets(void)
{
	uint64		old_nbuckets = cache.nbuckets;
	Entry	  **old_buckets = cache.buckets;
	Entry	  **buckets = MemoryContextAllocExtended(cache.context, sizeof(Entry *) * old_nbuckets * 2,
													 MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	dlist_iter	iter;

	if (buckets == NULL)
		return;
	cache.buckets = buckets;
	cache.nbuckets = old_nbuckets * 2;
	dlist_foreach(iter, &cache.entries)
	{
		Entry	   *entry = dlist_container(Entry, recency, iter.cur);
		Entry	  **bucket = bucket_of(entry->hash);

		entry->next = *bucket;
		*bucket = entry;
	}
	pfree(old_buckets);
}

/* Links an entry that is complete. */
static void
link_entry(Entry *entry)
{
	Entry	  **bucket;

	if (cache.nentries >= cache.nbuckets)
		grow_buckets();
	bucket = bucket_of(entry->hash);
	entry->next = *bucket;
	*bucket = entry;
	dlist_push_head(&cache.entries, &entry->recency);
	cache.nentries++;
	cache.used += entry_size(entry);
}

static void
remember(uint64 hash, const StringInfo question, const StringInfo answer)
{
	Size		size = offsetof(Entry, bytes) + question->len + answer->len;
	Entry	   *entry;

	if (size > limit() / ENTRY_SHARE)
		return;
	make_room(size);
	if (!init_cache())
		return;
	entry = MemoryContextAllocExtended(cache.context, size, MCXT_ALLOC_NO_OOM);
	if (entry == NULL)
		return;
	entry->hash = hash;
	entry->question_length = question->len;
	entry->answer_length = answer->len;
	memcpy(entry->bytes, question->data, question->len);
	memcpy(entry->bytes + question->len, answer->data, answer->len);
	link_entry(entry);
}

/* Appends the cached answer; false if there is none. */
static bool
recall(uint64 hash, const StringInfo question, StringInfo answer)
{
	const Entry *entry = find_entry(hash, question);

	if (entry == NULL)
		return false;
	appendBinaryStringInfo(answer, entry->bytes + entry->question_length, entry->answer_length);
	return true;
}

static bool
use_remembered(const DpsQuestion *q, uint64 hash, const StringInfo question, StringInfo answer,
			   DpsBracket *bracket)
{
	make_room(0);
	if (!recall(hash, question, answer) || !dps_unpack_bracket(q, answer->data, answer->len, bracket))
		return false;
	cache.hits++;
	return true;
}

static bool
use_stored(const DpsQuestion *q, uint64 hash, const StringInfo question, StringInfo answer,
		   DpsBracket *bracket)
{
	resetStringInfo(answer);
	if (!dps_read_bracket(hash, question, answer) ||
		!dps_unpack_bracket(q, answer->data, answer->len, bracket))
		return false;
	cache.reads++;
	remember(hash, question, answer);
	return true;
}

/* False if the bracket may not be kept; it is set all the same. */
static bool
use_search(const DpsQuestion *q, uint64 hash, const StringInfo question, StringInfo answer,
		   DpsBracket *bracket)
{
	cache.searches++;
	dps_search_answer(q, bracket);
	resetStringInfo(answer);
	if (!dps_pack_bracket(q, bracket, answer))
		return false;
	remember(hash, question, answer);
	return true;
}

static void
record_bracket(DpsBracketRecord *record, uint64 hash, const StringInfo question, const StringInfo answer)
{
	DpsRecordedBracket *entry = palloc0(sizeof(DpsRecordedBracket));

	entry->hash = hash;
	entry->question = *question;
	entry->answer = *answer;
	record->entries = lappend(record->entries, entry);
}

void
dps_ask(const DpsQuestion *q, DpsBracketRecord *record, DpsBracket *bracket)
{
	StringInfoData question;
	StringInfoData answer;
	uint64		hash;

	initStringInfo(&question);
	initStringInfo(&answer);
	dps_pack_question(q, &question);
	hash = hash_bytes_extended((const unsigned char *) question.data, question.len, 0);
	if ((use_remembered(q, hash, &question, &answer, bracket) ||
		 use_stored(q, hash, &question, &answer, bracket) ||
		 use_search(q, hash, &question, &answer, bracket)) && record != NULL)
		record_bracket(record, hash, &question, &answer);
	else
	{
		pfree(question.data);
		pfree(answer.data);
	}
}

/*
 * dpsens.bracket_cache
 */

Datum
dpsens_bracket_cache(PG_FUNCTION_ARGS)
{
	TupleDesc	descriptor;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(cache.nentries);
	values[1] = Int64GetDatum(cache.context == NULL ? 0 : MemoryContextMemAllocated(cache.context, true));
	values[2] = Int64GetDatum(cache.hits);
	values[3] = Int64GetDatum(cache.reads);
	values[4] = Int64GetDatum(cache.searches);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

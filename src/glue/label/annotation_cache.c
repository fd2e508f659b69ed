/*
 * annotation_cache.c
 *		A backend's cache of annotations.
 *
 * Setting a label sends a relcache invalidation for the relation to every session
 * (annotation.c).  So do changes of everything else that a fact follows from: the
 * existence and the type of a column.  Labels of enums have their own invalidation
 * messages, which empty the cache.  A label that is written into the catalog directly,
 * without SECURITY LABEL, sends no message.
 */
#include "postgres.h"

#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "glue/label/annotation_cache.h"

typedef struct Fact
{
	struct Fact *next;
	int			number;
	Size		size;
	char		bytes[FLEXIBLE_ARRAY_MEMBER];
} Fact;

typedef struct Known
{
	Oid			relation;		/* the key */
	Fact	   *facts;
} Known;

static HTAB *known;				/* NULL before the first fact */
static MemoryContext context;
static uint64 changes;
static DpsForgetRelation also_forget;

/* ---- messages ---- */

static void
forget_facts(Known *entry)
{
	Fact	   *fact = entry->facts;
	Oid			relation = entry->relation;

	while (fact != NULL)
	{
		Fact	   *next = fact->next;

		pfree(fact);
		fact = next;
	}
	(void) hash_search(known, &relation, HASH_REMOVE, NULL);
}

static void
forget_all(void)
{
	HASH_SEQ_STATUS scan;
	Known	   *entry;

	hash_seq_init(&scan, known);
	while ((entry = hash_seq_search(&scan)) != NULL)
		forget_facts(entry);
}

static void
relation_changed(Datum arg, Oid relation)
{
	Known	   *entry;

	changes++;
	if (!OidIsValid(relation))
		forget_all();
	else if ((entry = hash_search(known, &relation, HASH_FIND, NULL)) != NULL)
		forget_facts(entry);
	if (also_forget != NULL)
		also_forget(relation);
}

static void
enum_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	relation_changed(arg, InvalidOid);
	/* the server does not invalidate plans when labels of enums change */
	ResetPlanCache();
}

static void
init_cache(void)
{
	HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(Known)};

	if (known != NULL)
		return;
	if (context == NULL)
		context = AllocSetContextCreate(TopMemoryContext, "dpsens annotations", ALLOCSET_SMALL_SIZES);
	control.hcxt = context;
	known = hash_create("dpsens annotations", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(ENUMOID, enum_changed, (Datum) 0);
}

void
dps_on_annotation_change(DpsForgetRelation forget)
{
	also_forget = forget;
	init_cache();
}

/* ---- facts ---- */

static const Fact *
find_fact(Oid relation, int number)
{
	const Known *entry = hash_search(known, &relation, HASH_FIND, NULL);
	const Fact *fact = entry == NULL ? NULL : entry->facts;

	while (fact != NULL && fact->number != number)
		fact = fact->next;
	return fact;
}

void
dps_receive_annotation_changes(void)
{
	init_cache();
	AcceptInvalidationMessages();
}

bool
dps_recall_fact(Oid relation, int number, void *into, Size size)
{
	const Fact *fact;

	dps_receive_annotation_changes();
	fact = find_fact(relation, number);
	if (fact == NULL || fact->size != size)
		return false;
	memcpy(into, fact->bytes, size);
	return true;
}

uint64
dps_annotation_changes(void)
{
	init_cache();
	return changes;
}

void
dps_remember_fact(Oid relation, int number, const void *from, Size size, uint64 before)
{
	Fact	   *fact;
	Known	   *entry;
	bool		found;

	if (before != changes || find_fact(relation, number) != NULL)
		return;
	fact = MemoryContextAlloc(context, offsetof(Fact, bytes) + size);
	fact->number = number;
	fact->size = size;
	memcpy(fact->bytes, from, size);
	entry = hash_search(known, &relation, HASH_ENTER, &found);
	fact->next = found ? entry->facts : NULL;
	entry->facts = fact;
}

/*
 * asker.c
 *		The role that started a statement, and its settings.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "guard/restrict/asker.h"

typedef struct Asker
{
	const EState *estate;
	Oid			role;
	DpsTerms	terms;
	struct Asker *next;
} Asker;

static Asker *askers = NULL;

static void
forget_asker(void *arg)
{
	Asker	  **link;

	for (link = &askers; *link != NULL; link = &(*link)->next)
	{
		if (*link == arg)
		{
			*link = (*link)->next;
			return;
		}
	}
}

void
dps_asker_note(EState *estate)
{
	MemoryContext context = estate->es_query_cxt;
	Asker	   *asker = MemoryContextAlloc(context, sizeof(Asker));
	MemoryContextCallback *callback = MemoryContextAlloc(context, sizeof(MemoryContextCallback));

	asker->estate = estate;
	asker->role = GetUserId();
	asker->terms = dps_present_terms();
	callback->func = forget_asker;
	callback->arg = asker;
	MemoryContextRegisterResetCallback(context, callback);
	asker->next = askers;
	askers = asker;
}

static const Asker *
find_asker(const EState *estate)
{
	const Asker *asker;

	for (asker = askers; asker != NULL; asker = asker->next)
	{
		if (asker->estate == estate)
			return asker;
	}
	elog(ERROR, "it is not known who asked");
	return NULL;
}

Oid
dps_asker_role(const EState *estate)
{
	return find_asker(estate)->role;
}

const DpsTerms *
dps_asker_terms(const EState *estate)
{
	return &find_asker(estate)->terms;
}

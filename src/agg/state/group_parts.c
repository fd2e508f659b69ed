/*
 * group_parts.c
 *		States of more groups than memory holds.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"

#include "agg/state/group_parts.h"
#include "agg/state/groups.h"
#include "glue/compat.h"

/* Stands where a block has its version. */
#define PARTS_VERSION 0x50415254

typedef struct PartsName
{
	int32		vl_len_;
	uint32		version;
	uint64		serial;
} PartsName;

struct DpsGroupParts
{
	slist_node	link;
	DpsGroupSums *groups;
	PartsName	name;
	uint32		span;			/* groups of a part */
	uint32		current;		/* the part in memory */
	uint32		n;
	BufFile   **file;			/* of each part; NULL: no rows */
	Size		row_size;
	char	   *row;
};

/* The parts of statements that are running, by serial numbers. */
static slist_head alive = SLIST_STATIC_INIT(alive);
static uint64 serial;

static void
close_file(DpsGroupParts *parts, uint32 part)
{
	if (parts->file[part] != NULL)
		BufFileClose(parts->file[part]);
	parts->file[part] = NULL;
}

/* Does not close the files: after an error the server may have done so. */
static void
forget(void *arg)
{
	slist_delete(&alive, &((DpsGroupParts *) arg)->link);
}

void
dps_parts_end(DpsGroupParts *parts)
{
	uint32		i;

	for (i = 0; i < parts->n; i++)
		close_file(parts, i);
}

DpsGroupParts *
dps_parts_make(DpsGroupSums *groups, uint32 span)
{
	const DpsGroupsPlan *plan = groups->plan;
	DpsGroupParts *parts = palloc0(sizeof(DpsGroupParts));
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	parts->groups = groups;
	parts->span = span;
	parts->n = (uint32) ((plan->ngroups + span - 1) / span);
	parts->file = palloc0(sizeof(BufFile *) * parts->n);
	parts->row_size = sizeof(uint32) + plan->ncells * sizeof(double) + plan->nfilters;
	parts->row = palloc(parts->row_size);
	SET_VARSIZE(&parts->name, sizeof(PartsName));
	parts->name.version = PARTS_VERSION;
	parts->name.serial = ++serial;
	callback->func = forget;
	callback->arg = parts;
	slist_push_head(&alive, &parts->link);
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return parts;
}

/* ---- rows ---- */

static void
pack_row(DpsGroupParts *parts, uint32 group)
{
	const DpsGroupSums *groups = parts->groups;
	int			row = groups->nrows;
	char	   *to = parts->row;
	int			i;

	memcpy(to, &group, sizeof(uint32));
	to += sizeof(uint32);
	for (i = 0; i < groups->plan->ncells; i++, to += sizeof(double))
		memcpy(to, &groups->columns[i][row], sizeof(double));
	for (i = 0; i < groups->plan->nfilters; i++)
		*to++ = (char) groups->filters[i][row];
}

static uint32
unpack_row(DpsGroupParts *parts)
{
	DpsGroupSums *groups = parts->groups;
	int			row = groups->nrows;
	const char *from = parts->row;
	uint32		group;
	int			i;

	memcpy(&group, from, sizeof(uint32));
	from += sizeof(uint32);
	for (i = 0; i < groups->plan->ncells; i++, from += sizeof(double))
		memcpy(&groups->columns[i][row], from, sizeof(double));
	for (i = 0; i < groups->plan->nfilters; i++)
		groups->filters[i][row] = *from++;
	return group;
}

static void
write_row(DpsGroupParts *parts, uint32 part, uint32 group)
{
	/* a file and its buffer must outlive a row's memory */
	if (parts->file[part] == NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(GetMemoryChunkContext(parts));

		parts->file[part] = BufFileCreateTemp(false);
		MemoryContextSwitchTo(previous);
	}
	pack_row(parts, group);
	BufFileWrite(parts->file[part], parts->row, parts->row_size);
	parts->groups->any_row = true;
}

bool
dps_parts_admit(DpsGroupParts *parts, uint32 *group)
{
	uint32		part = *group / parts->span;

	*group -= part * parts->span;
	if (part == parts->current)
		return true;
	write_row(parts, part, *group);
	return false;
}

void
dps_parts_reset(DpsGroupParts *parts)
{
	dps_parts_end(parts);
	parts->current = 0;
}

/* ---- states ---- */

static bool
read_row(DpsGroupParts *parts, BufFile *file)
{
	size_t		n = BufFileRead(file, parts->row, parts->row_size);

	if (n != 0 && n != parts->row_size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file of group states: read only %zu of %zu bytes", n,
						parts->row_size)));
	return n != 0;
}

/* Makes a part, whose rows have all been written, the current one. */
static void
load_part(DpsGroupParts *parts, uint32 part)
{
	BufFile    *file = parts->file[part];

	dps_block_clear(parts->groups->block);
	parts->current = part;
	if (file == NULL)
		return;
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file of group states")));
	while (read_row(parts, file))
	{
		CHECK_FOR_INTERRUPTS();
		dps_groups_add_row(parts->groups, unpack_row(parts));
	}
	dps_groups_flush(parts->groups);
	close_file(parts, part);
}

DpsState *
dps_parts_state(DpsGroupParts *parts, uint32 group, uint32 state)
{
	uint32		part = group / parts->span;

	if (part < parts->current || part >= parts->n)
		elog(ERROR, "states of groups are asked for out of order");
	if (part > parts->current)
		load_part(parts, part);
	return dps_block_state(parts->groups->block, group - part * parts->span, state);
}

Datum
dps_parts_name(DpsGroupParts *parts)
{
	return PointerGetDatum(&parts->name);
}

DpsGroupParts *
dps_parts_find(const void *states)
{
	const PartsName *name = states;
	slist_iter	iter;

	if (VARSIZE(name) != sizeof(PartsName) || name->version != PARTS_VERSION)
		return NULL;
	slist_foreach(iter, &alive)
	{
		DpsGroupParts *parts = slist_container(DpsGroupParts, link, iter.cur);

		if (parts->name.serial == name->serial)
			return parts;
	}
	elog(ERROR, "states of groups outlive their statement");
	return NULL;				/* keep the compiler quiet */
}

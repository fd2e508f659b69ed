/*
 * groups.h
 *		The exact states of all groups of a query, in one block.
 *
 * Keys are declared, so the groups of a query are known before it reads a row:
 * they are numbered, the last key fastest, and the states of group g lie at a
 * place that follows from g.  A row finds its group by its keys and waits with
 * its raw cells; a full batch of rows is evaluated by one program, in which
 * expressions that several aggregates have in common are computed once, and
 * its integers are added to the states.
 *
 * The block has the same bytes for every plan and order of rows.  It is both
 * the aggregate's result and what workers hand over.
 */
#ifndef DPS_AGG_STATE_GROUPS_H
#define DPS_AGG_STATE_GROUPS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "agg/state/group_parts.h"
#include "agg/state/row_batch.h"
#include "agg/state/units.h"
#include "agg/unit/group_keys.h"

#define DPS_GROUPS_VERSION 0x0502
#define DPS_BLOCK_VERSION 1

/* The plan constant: dpsens_internal.exact_groups(plan, keys, cells, filters), or
 * dpsens_internal.exact_units(plan, unit, keys, cells, filters) where not all rows of a
 * unit count. */
typedef struct DpsGroupsPlan
{
	int32		vl_len_;
	uint32		version;
	int32		nkeys;
	int32		nstates;
	int32		ncells;
	int32		nfilters;
	int64		ngroups;
	int64		span;			/* so many are in memory at a time */
	DpsUnitBounds bounds;
	uint64		states_at;		/* where the parts begin */
	uint64		cells_at;
	uint64		program_at;		/* the end if no state has values */
	/* then the keys, then for each state a DpsGroupsMember and its summand, the
	 * cells, and the program, whose outputs are the values of all states; each
	 * 8-aligned */
} DpsGroupsPlan;

typedef struct DpsGroupsMember
{
	uint32		size;			/* with its summand; a multiple of 8 */
	int32		filter;			/* -1: none */
} DpsGroupsMember;

/* Is the unit among the arguments? */
static inline bool
dps_groups_limit_units(const DpsGroupsPlan *plan)
{
	return OidIsValid(plan->bounds.type);
}

/* One aggregate of the level, as the plan is built from it. */
typedef struct DpsGroupsInput
{
	const DpsSummandPlan *summand;
	const int  *cells;			/* its cells' places among all */
	int			filter;			/* or -1 */
} DpsGroupsInput;

/*
 * Builds the plan in CurrentMemoryContext; cells are those of all aggregates,
 * keys a list of DpsGroupKey *, bounds NULL if all rows count.  NULL if it cannot be expressed.
 */
extern DpsGroupsPlan *dps_groups_build(const List *keys, const DpsGroupsInput *inputs, int nstates,
									   const DpsCell *cells, int ncells, int nfilters,
									   const DpsUnitBounds *bounds);

/* Raises an error if the bytes are no such plan. */
extern void dps_groups_check(const DpsGroupsPlan *plan);

/* Are arguments of these types, behind the plan, those that it expects?  InvalidOid is one that is not known. */
extern bool dps_groups_take(const DpsGroupsPlan *plan, const Oid *types, int n);

/* Cuts the groups into parts, if they may be cut, so that an execution takes no more
 * memory than this; false if that is not possible. */
extern bool dps_groups_fit(DpsGroupsPlan *plan, Size memory, bool may_be_parts);

/* Is there more than one part? */
static inline bool
dps_groups_are_parts(const DpsGroupsPlan *plan)
{
	return plan->span < plan->ngroups;
}

/* Bytes that an execution takes, at most: the block, the map of the keys. */
extern Size dps_groups_memory(const DpsGroupsPlan *plan);

/* Finds the keys that a plan constant refers to, if it refers to any.  They stay as long
 * as the current memory context does. */
extern void dps_groups_find_keys(const void *constant);

/* A block: the states of all groups. */
typedef struct DpsBlockEntry
{
	uint32		offset;			/* in a group's record */
	uint32		nsums;
} DpsBlockEntry;

typedef struct DpsBlock
{
	int32		vl_len_;
	uint32		version;
	uint32		ngroups;
	uint32		nstates;
	uint32		stride;			/* of a group's record */
	uint32		records_at;
	DpsBlockEntry entry[FLEXIBLE_ARRAY_MEMBER];
	/* then the records */
} DpsBlock;

/* Raises if the bytes are not a block of this version. */
extern void dps_block_check(const DpsBlock *block);

/* Adds one block to another for the same plan. */
extern void dps_block_add(DpsBlock *into, const DpsBlock *from);

/* All groups become those of no rows. */
extern void dps_block_clear(DpsBlock *block);

/* A copy of one state. */
extern DpsState *dps_block_state(const DpsBlock *block, uint32 group, uint32 state);

/* A group's states, while rows are added. */
typedef struct DpsGroupsState
{
	DpsBatch	batch;			/* its values, not its columns */
	uint32		offset;
	int			filter;
} DpsGroupsState;

typedef struct DpsGroupSums
{
	const DpsGroupsPlan *plan;
	const DpsCell *cells;
	const DpsProgram *program;	/* or NULL */
	DpsKeyMap  *maps;
	DpsGroupsState *states;
	DpsUnits   *units;			/* or NULL: all rows count */
	DpsGroupParts *parts;		/* or NULL */
	DpsBlock   *block;
	int			nrows;			/* that wait */
	uint32	   *group;			/* of each */
	double	  **columns;		/* by cell, DPS_BATCH entries each */
	int64	  **filters;		/* whether it passes, 0 or 1 */
	double	   *scratch;
	double	  **outputs;
	bool		any_row;		/* has reached a group */
} DpsGroupSums;

/* For the plan, which must outlive it, with a block of no rows; in the current
 * memory context, without leaving it.  types are those of the arguments behind the plan, as
 * for dps_groups_take: an error unless the plan expects them, since it may come from another
 * node, and then whoever has it makes the call. */
extern void dps_groups_init(DpsGroupSums *groups, const DpsGroupsPlan *plan, const Oid *types, int n);

/* Called before the first row if no unit has more rows than count: then all rows count,
 * whatever the plan says of units, and rows come without units. */
extern void dps_groups_count_all(DpsGroupSums *groups);

/* The block becomes that of no rows, and no row waits. */
extern void dps_groups_reset(DpsGroupSums *groups);

/* Evaluates what waits and adds it to the block.  Raises nothing, whatever the
 * cells hold. */
extern void dps_groups_flush(DpsGroupSums *groups);

/* There are no more rows: the block is complete. */
extern void dps_groups_finish(DpsGroupSums *groups);

/* Gives back what is not memory, when a statement ends without an error. */
extern void dps_groups_end(DpsGroupSums *groups);

/* Where the numbers of the plan's keys are looked up, in the current memory context; the
 * plan must outlive them. */
extern DpsKeyMap *dps_groups_maps(const DpsGroupsPlan *plan);

/* The number of the group that has these keys, or -1. */
static inline int64
dps_groups_find(const DpsKeyMap *maps, int nkeys, const NullableDatum *keys)
{
	int64		group = 0;
	int			i;

	for (i = 0; i < nkeys; i++)
	{
		int32		key = keys[i].isnull ? -1 : dps_key_map_find(&maps[i], keys[i].value);

		if (key < 0)
			return -1;
		group = group * maps[i].nkeys + key;
	}
	return group;
}

/* What the aggregate yields: the block, or the name of the parts. */
extern Datum dps_groups_result(DpsGroupSums *groups);

/* The row at place nrows is complete, and counts for this group in memory. */
static inline void
dps_groups_add_row(DpsGroupSums *groups, uint32 group)
{
	groups->group[groups->nrows++] = group;
	if (groups->nrows == DPS_BATCH)
		dps_groups_flush(groups);
}

/* The same for n rows, for which there is room, and whose groups are there too. */
static inline void
dps_groups_add_rows(DpsGroupSums *groups, int n)
{
	groups->nrows += n;
	if (groups->nrows == DPS_BATCH)
		dps_groups_flush(groups);
}

/* The same for a group that may not be in memory. */
static inline void
dps_groups_end_row(DpsGroupSums *groups, uint32 group)
{
	if (groups->parts == NULL || dps_parts_admit(groups->parts, &group))
		dps_groups_add_row(groups, group);
}

/* The row at place nrows is complete, of this unit, which is NULL or of no
 * interest if there are none. */
static inline void
dps_groups_end_unit_row(DpsGroupSums *groups, uint32 group, Datum unit, bool isnull)
{
	if (groups->units == NULL || isnull)
		dps_groups_end_row(groups, group);
	else
		dps_units_add(groups->units, unit, group);
}

#endif							/* DPS_AGG_STATE_GROUPS_H */

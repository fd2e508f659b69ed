/*
 * groups.c
 *		The exact states of all groups of a query, in one block.
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "agg/state/groups.h"
#include "base/once.h"
#include "glue/compat.h"
#include "num/whole.h"

/* ---- the plan's parts ---- */

static const char *
part(const DpsGroupsPlan *plan, Size at)
{
	return (const char *) plan + at;
}

void
dps_groups_check(const DpsGroupsPlan *plan)
{
	Size		size = VARSIZE(plan);

	if (size < sizeof(DpsGroupsPlan) || plan->version != DPS_GROUPS_VERSION || plan->nkeys < 0 || plan->nstates < 0 ||
		plan->ncells < 0 || plan->nfilters < 0 || plan->ngroups < 1 || plan->ngroups > PG_INT32_MAX ||
		plan->span < 1 || plan->span > plan->ngroups ||
		plan->states_at > plan->cells_at || plan->cells_at > plan->program_at || plan->program_at > size ||
		plan->program_at - plan->cells_at != plan->ncells * sizeof(DpsCell) ||
		(dps_groups_limit_units(plan) && (plan->ncells > DPS_MAX_VARIABLES || plan->nfilters > DPS_MAX_UNIT_FILTERS)))
		elog(ERROR, "invalid plan of groups");
}

static const DpsGroupKey *
first_key(const DpsGroupsPlan *plan)
{
	return (const DpsGroupKey *) part(plan, MAXALIGN(sizeof(DpsGroupsPlan)));
}

static const DpsGroupKey *
next_key(const DpsGroupKey *key)
{
	return (const DpsGroupKey *) ((const char *) key + key->size);
}

static bool
has_type(Oid type, Oid expected)
{
	return !OidIsValid(type) || getBaseType(type) == expected || IsBinaryCoercible(type, expected);
}

bool
dps_groups_take(const DpsGroupsPlan *plan, const Oid *types, int n)
{
	const DpsCell *cells = (const DpsCell *) part(plan, plan->cells_at);
	const DpsGroupKey *key = first_key(plan);
	bool		all = true;
	int			i;

	if (n != (dps_groups_limit_units(plan) ? 1 : 0) + plan->nkeys + plan->ncells + plan->nfilters)
		return false;
	if (dps_groups_limit_units(plan))
		all &= has_type(*types++, plan->bounds.type);
	for (i = 0; i < plan->nkeys; i++, key = next_key(key))
		all &= has_type(*types++, key->type);
	for (i = 0; i < plan->ncells; i++, types++)
		all &= !OidIsValid(*types) || getBaseType(*types) == cells[i].type;
	for (i = 0; i < plan->nfilters; i++)
		all &= has_type(*types++, BOOLOID);
	return all;
}

static const DpsGroupsMember *
first_member(const DpsGroupsPlan *plan)
{
	return (const DpsGroupsMember *) part(plan, plan->states_at);
}

static const DpsGroupsMember *
next_member(const DpsGroupsMember *member)
{
	return (const DpsGroupsMember *) ((const char *) member + member->size);
}

static const DpsSummandPlan *
member_summand(const DpsGroupsMember *member)
{
	return (const DpsSummandPlan *) (member + 1);
}

static uint32
count_sums(const DpsSummandPlan *summand)
{
	return summand->nvalues + summand->nproducts;
}

static Size
record_size(uint32 nsums)
{
	return offsetof(DpsExactSums, sum) + nsums * sizeof(DpsSum);
}

/* ---- blocks ---- */

static Size
records_at(const DpsGroupsPlan *plan)
{
	return MAXALIGN(offsetof(DpsBlock, entry) + plan->nstates * sizeof(DpsBlockEntry));
}

static Size
stride_of(const DpsGroupsPlan *plan)
{
	const DpsGroupsMember *member = first_member(plan);
	Size		stride = 0;
	int			i;

	for (i = 0; i < plan->nstates; i++, member = next_member(member))
		stride += record_size(count_sums(member_summand(member)));
	return stride;
}

static Size
block_size(const DpsGroupsPlan *plan)
{
	return add_size(records_at(plan), mul_size(plan->span, stride_of(plan)));
}

Size
dps_groups_memory(const DpsGroupsPlan *plan)
{
	const DpsGroupKey *key = first_key(plan);
	Size		size = block_size(plan);
	int			i;

	for (i = 0; i < plan->nkeys; i++, key = next_key(key))
		size = add_size(size, dps_group_key_memory(key));
	return size;
}

/* One part should be worth a file, whose buffer takes as much memory. */
#define FILE_SHARE 4

bool
dps_groups_fit(DpsGroupsPlan *plan, Size memory, bool may_be_parts)
{
	Size		stride = stride_of(plan);
	Size		fixed;

	plan->span = plan->ngroups;
	if (memory > MaxAllocSize)
		memory = MaxAllocSize;
	if (dps_groups_memory(plan) <= memory)
		return true;
	plan->span = 1;
	fixed = dps_groups_memory(plan);
	if (!may_be_parts || stride == 0 || fixed >= memory - memory / FILE_SHARE)
		return false;
	plan->span = 1 + (memory - memory / FILE_SHARE - fixed) / stride;
	return (plan->ngroups + plan->span - 1) / plan->span <= (int64) (memory / FILE_SHARE / BLCKSZ);
}

static DpsBlock *
make_block(const DpsGroupsPlan *plan)
{
	Size		size = block_size(plan);
	const DpsGroupsMember *member = first_member(plan);
	DpsBlock   *block = palloc0(size);
	uint32		offset = 0;
	int			i;

	SET_VARSIZE(block, size);
	block->version = DPS_BLOCK_VERSION;
	block->ngroups = (uint32) plan->span;
	block->nstates = plan->nstates;
	block->stride = stride_of(plan);
	block->records_at = records_at(plan);
	for (i = 0; i < plan->nstates; i++, member = next_member(member))
	{
		uint32		nsums = count_sums(member_summand(member));

		block->entry[i].offset = offset;
		block->entry[i].nsums = nsums;
		offset += record_size(nsums);
	}
	return block;
}

static inline DpsExactSums *
find_record(const DpsBlock *block, uint32 group, uint32 offset)
{
	return (DpsExactSums *) ((char *) block + block->records_at + (Size) group * block->stride + offset);
}

void
dps_block_check(const DpsBlock *block)
{
	Size		size = VARSIZE(block);
	Size		stride = 0;
	uint32		i;

	if (size < offsetof(DpsBlock, entry) || block->version != DPS_BLOCK_VERSION ||
		block->nstates > (size - offsetof(DpsBlock, entry)) / sizeof(DpsBlockEntry))
		elog(ERROR, "invalid block of states");
	for (i = 0; i < block->nstates; i++)
	{
		if (block->entry[i].offset != stride || block->entry[i].nsums > DPS_MAX_VALUES + DPS_MAX_PRODUCTS)
			elog(ERROR, "invalid block of states");
		stride += record_size(block->entry[i].nsums);
	}
	if (block->stride != stride ||
		block->records_at != MAXALIGN(offsetof(DpsBlock, entry) + block->nstates * sizeof(DpsBlockEntry)) ||
		size != add_size(block->records_at, mul_size(block->ngroups, stride)))
		elog(ERROR, "invalid block of states");
}

static bool
is_alike(const DpsBlock *a, const DpsBlock *b)
{
	return VARSIZE(a) == VARSIZE(b) && a->ngroups == b->ngroups && a->nstates == b->nstates &&
		memcmp(a->entry, b->entry, a->nstates * sizeof(DpsBlockEntry)) == 0;
}

void
dps_block_add(DpsBlock *into, const DpsBlock *from)
{
	uint32		group;
	uint32		i;
	uint32		k;

	if (!is_alike(into, from))
		elog(ERROR, "states of different queries cannot be combined");
	for (group = 0; group < into->ngroups; group++)
	{
		for (i = 0; i < into->nstates; i++)
		{
			DpsExactSums *to = find_record(into, group, into->entry[i].offset);
			const DpsExactSums *more = find_record(from, group, from->entry[i].offset);

			to->count += more->count;
			for (k = 0; k < into->entry[i].nsums; k++)
				dps_add_to_sum(&to->sum[k], more->sum[k].low, more->sum[k].high);
		}
	}
}

void
dps_block_clear(DpsBlock *block)
{
	memset((char *) block + block->records_at, 0, (Size) block->ngroups * block->stride);
}

DpsState *
dps_block_state(const DpsBlock *block, uint32 group, uint32 state)
{
	const DpsBlockEntry *entry = &block->entry[state];
	const DpsExactSums *record;
	DpsState   *result;

	if (group >= block->ngroups || state >= block->nstates)
		elog(ERROR, "no such state");
	record = find_record(block, group, entry->offset);
	result = dps_state_make(entry->nsums);
	result->count = record->count;
	memcpy(result->sum, record->sum, entry->nsums * sizeof(DpsSum));
	return result;
}

/* ---- rows ---- */

DpsKeyMap *
dps_groups_maps(const DpsGroupsPlan *plan)
{
	const DpsGroupKey *key = first_key(plan);
	DpsKeyMap  *maps;
	int			i;

	dps_groups_check(plan);
	maps = palloc(sizeof(DpsKeyMap) * Max(plan->nkeys, 1));
	for (i = 0; i < plan->nkeys; i++, key = next_key(key))
	{
		dps_group_key_check(key, part(plan, plan->states_at) - (const char *) key);
		dps_key_map_init(&maps[i], key);
	}
	return maps;
}

void
dps_groups_find_keys(const void *constant)
{
	const DpsGroupsPlan *plan = constant;
	const DpsKeysPlan *keys = constant;
	const DpsGroupKey *key;
	int			i;

	if (keys->version == DPS_KEYS_VERSION)
		(void) dps_find_keys(&keys->reference);
	if (plan->version != DPS_GROUPS_VERSION)
		return;
	key = first_key(plan);
	for (i = 0; i < plan->nkeys; i++, key = next_key(key))
	{
		if (key->kind == DPS_KEY_REFERENCE)
			(void) dps_find_keys((const DpsKeyReference *) key);
	}
}

/* The states' batches; their values are the program's outputs. */
static void
init_states(DpsGroupSums *groups)
{
	const DpsGroupsPlan *plan = groups->plan;
	const DpsGroupsMember *member = first_member(plan);
	int			noutputs = 0;
	int			i;
	int			k;

	groups->states = palloc0(sizeof(DpsGroupsState) * Max(plan->nstates, 1));
	groups->outputs = palloc(sizeof(double *) * (groups->program != NULL ? groups->program->noutputs : 1));
	for (i = 0; i < plan->nstates; i++, member = next_member(member))
	{
		DpsGroupsState *state = &groups->states[i];

		dps_batch_init_values(&state->batch, member_summand(member));
		state->filter = member->filter;
		state->offset = groups->block->entry[i].offset;
		state->batch.is_single = plan->ngroups == 1;
		for (k = 0; k < DPS_BATCH && state->batch.is_single; k++)
			state->batch.states[k] = find_record(groups->block, 0, state->offset);
		for (k = 0; k < state->batch.summand->nvalues; k++)
			groups->outputs[noutputs++] = state->batch.values[k];
	}
	if (noutputs != (groups->program != NULL ? (int) groups->program->noutputs : 0))
		elog(ERROR, "invalid plan of groups");
}

static double **
allocate_columns(int n)
{
	double	  **columns = palloc(sizeof(double *) * Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
		columns[i] = palloc(sizeof(double) * DPS_BATCH);
	return columns;
}

static int64 **
allocate_filters(int n)
{
	int64	  **filters = palloc(sizeof(int64 *) * Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
		filters[i] = palloc(sizeof(int64) * DPS_BATCH);
	return filters;
}

/* What the groups leave of the memory that the server allows a hash table. */
static Size
memory_for_units(const DpsGroupsPlan *plan)
{
	double		left = (double) get_hash_memory_limit() - (double) dps_groups_memory(plan);

	return dps_to_uint64(Min(Max(left, 65536.0), (double) MaxAllocHugeSize / 4));
}

void
dps_groups_init(DpsGroupSums *groups, const DpsGroupsPlan *plan, const Oid *types, int n)
{
	dps_groups_check(plan);
	if (!dps_groups_take(plan, types, n))
		elog(ERROR, "groups expect other arguments");
	memset(groups, 0, sizeof(*groups));
	groups->plan = plan;
	groups->cells = (const DpsCell *) part(plan, plan->cells_at);
	if (plan->program_at < VARSIZE(plan))
		groups->program = (const DpsProgram *) part(plan, plan->program_at);
	groups->block = make_block(plan);
	groups->maps = dps_groups_maps(plan);
	init_states(groups);
	groups->group = palloc(sizeof(uint32) * DPS_BATCH);
	groups->columns = allocate_columns(plan->ncells);
	groups->filters = allocate_filters(plan->nfilters);
	if (groups->program != NULL)
		groups->scratch = palloc(sizeof(double) * dps_max(dps_scratch_size(groups->program), 1));
	if (dps_groups_limit_units(plan))
		groups->units = dps_units_make(groups, memory_for_units(plan));
	if (dps_groups_are_parts(plan))
		groups->parts = dps_parts_make(groups, (uint32) plan->span);
}

void
dps_groups_count_all(DpsGroupSums *groups)
{
	if (groups->units != NULL)
		dps_units_free(groups->units);
	groups->units = NULL;
}

void
dps_groups_reset(DpsGroupSums *groups)
{
	dps_block_clear(groups->block);
	groups->nrows = 0;
	groups->any_row = false;
	if (groups->units != NULL)
		dps_units_reset(groups->units);
	if (groups->parts != NULL)
		dps_parts_reset(groups->parts);
}

void
dps_groups_end(DpsGroupSums *groups)
{
	if (groups->parts != NULL)
		dps_parts_end(groups->parts);
}

Datum
dps_groups_result(DpsGroupSums *groups)
{
	return groups->parts != NULL ? dps_parts_name(groups->parts) : PointerGetDatum(groups->block);
}

void
dps_groups_finish(DpsGroupSums *groups)
{
	if (groups->units != NULL)
		dps_units_finish(groups->units);
	dps_groups_flush(groups);
}

/* The records of the rows' groups; they are wanted soon. */
static void
find_records(const DpsGroupSums *groups, DpsGroupsState *state, int n)
{
	char	   *first = (char *) groups->block + groups->block->records_at + state->offset;
	Size		stride = groups->block->stride;
	int			i;

	for (i = 0; i < n; i++)
	{
		char	   *record = first + groups->group[i] * stride;

		state->batch.states[i] = (DpsExactSums *) record;
		__builtin_prefetch(record, 1);
	}
}

static void
add_to_state(const DpsGroupSums *groups, DpsGroupsState *state, int n)
{
	int64		valid[DPS_BATCH];
	int			i;

	if (!state->batch.is_single)
		find_records(groups, state, n);
	for (i = 0; i < n; i++)
		valid[i] = state->filter < 0 ? 1 : groups->filters[state->filter][i];
	dps_batch_add(&state->batch, n, valid);
}

void
dps_groups_flush(DpsGroupSums *groups)
{
	int			n = groups->nrows;
	int			rounding;
	int			i;

	if (n == 0)
		return;
	groups->any_row = true;

	/* Another extension may have left a directed mode behind. */
	rounding = fegetround();
	if (rounding != FE_TONEAREST)
		fesetround(FE_TONEAREST);
	for (i = 0; i < groups->plan->ncells; i++)
		dps_clamp_cells(groups->columns[i], n, &groups->cells[i].domain);
	if (groups->program != NULL)
		dps_evaluate(groups->program, (const double *const *) groups->columns, n, groups->scratch, groups->outputs);
	for (i = 0; i < groups->plan->nstates; i++)
		add_to_state(groups, &groups->states[i], n);
	if (rounding != FE_TONEAREST)
		fesetround(rounding);
	groups->nrows = 0;
}

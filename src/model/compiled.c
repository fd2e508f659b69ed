/*
 * compiled.c
 *		Stored models, compiled once for each call site and statement.
 *
 * A call site can outlive its statement (a function's body keeps those of simple
 * expressions to the end of the transaction), so a model is looked up again
 * whenever the snapshot is another one, and compiled again if its row is.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "glue/glue.h"
#include "model/compiled.h"

void
dps_open_model(Name name, DpsModel *model)
{
	(void) dps_read_model(name, NULL, &model->stored);
	dps_read_definition(model->stored.definition, &model->definition);
	model->network = dps_build_network(&model->definition, dps_server_arena());
}

/* What a statement sees. */
typedef struct Sight
{
	TimestampTz transaction;	/* when it began */
	TransactionId xmin;
	TransactionId xmax;
	CommandId	command;
	uint64		completed;		/* transactions, when the snapshot was taken */
	Oid			user;
} Sight;

typedef struct Cache
{
	MemoryContext context;		/* of everything about the model */
	bool		valid;
	NameData	name;
	unsigned	quantities;
	Sight		sight;
	DpsModelVersion version;
	DpsCompiled compiled;
} Cache;

static Sight
current_sight(void)
{
	Snapshot	snapshot = GetActiveSnapshot();
	Sight		sight;

	memset(&sight, 0, sizeof(sight));
	sight.transaction = GetCurrentTransactionStartTimestamp();
	sight.xmin = snapshot->xmin;
	sight.xmax = snapshot->xmax;
	sight.command = snapshot->curcid;
	sight.completed = snapshot->snapXactCompletionCount;
	sight.user = GetUserId();
	return sight;
}

/*
 * Only snapshots of which it is known when they were taken can be told apart;
 * for the others nothing is taken to be the same.
 */
static bool
same_sight(const Sight *a, const Sight *b)
{
	return a->completed != 0 && memcmp(a, b, sizeof(Sight)) == 0;
}

static Cache *
get_cache(FunctionCallInfo fcinfo)
{
	Cache	   *cache = fcinfo->flinfo->fn_extra;

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Cache));
		cache->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpsens model", ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	return cache;
}

static DpsFisher *
compile_fisher(DpsNetwork *network)
{
	DpsFisher  *fisher;
	DpsStatus	status = dps_fisher_init(network, &fisher);

	if (status == DPS_UNABLE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("Fisher information is computed of at most %d features", DPS_MAX_FISHER_FEATURES)));
	dps_check_status(status);
	return fisher;
}

static void
compile(Cache *cache, const DpsStoredModel *model, unsigned quantities)
{
	DpsCompiled *compiled = &cache->compiled;
	DpsDefinition definition;
	const double *parameters;
	int			k;

	memset(compiled, 0, sizeof(*compiled));
	dps_read_definition(model->definition, &definition);
	compiled->network = dps_build_network(&definition, dps_server_arena());
	parameters = dps_array_numbers(model->parameters, compiled->network->size, "parameters");
	if (parameters == NULL)
		elog(ERROR, "parameters of a stored model are null");
	compiled->parameters = unconstify(double *, parameters);
	if (quantities & DPS_COMPILED_FISHER)
		compiled->fisher = compile_fisher(compiled->network);
	for (k = 0; k < DPS_MATCHING_KINDS; k++)
	{
		if (quantities & (DPS_COMPILED_MATCHING << k))
			dps_check_status(dps_matching_init(compiled->network, &dps_matching_kinds[k], &compiled->matching));
	}
	if (quantities & (DPS_COMPILED_FISHER - 1))
		dps_check_status(dps_example_init(compiled->network, quantities & (DPS_COMPILED_FISHER - 1), &compiled->example));
}

const DpsCompiled *
dps_compiled_model(FunctionCallInfo fcinfo, unsigned quantities)
{
	Cache	   *cache = get_cache(fcinfo);
	Name		name = PG_GETARG_NAME(0);
	Sight		sight = current_sight();
	bool		is_same = cache->valid && cache->quantities == quantities &&
		strcmp(NameStr(cache->name), NameStr(*name)) == 0;
	MemoryContext before;
	MemoryContext read;
	DpsStoredModel model;

	if (is_same && same_sight(&cache->sight, &sight))
		return &cache->compiled;
	read = AllocSetContextCreate(cache->context, "dpsens stored model", ALLOCSET_DEFAULT_SIZES);
	before = MemoryContextSwitchTo(read);
	if (dps_read_model(name, is_same ? &cache->version : NULL, &model))
	{
		cache->valid = false;
		/* the model's parameters are used where they are, so what was read
		 * outlives what was made of the one before */
		MemoryContextSetParent(read, fcinfo->flinfo->fn_mcxt);
		MemoryContextDelete(cache->context);
		cache->context = read;
		compile(cache, &model, quantities);
		namestrcpy(&cache->name, NameStr(*name));
		cache->quantities = quantities;
		cache->version = model.version;
		cache->valid = true;
		MemoryContextSwitchTo(before);
	}
	else
	{
		MemoryContextSwitchTo(before);
		MemoryContextDelete(read);
	}
	cache->sight = sight;
	return &cache->compiled;
}

const double *
dps_array_numbers(ArrayType *array, int64 n, const char *what)
{
	int64		length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (length != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg_plural("%s must have %lld element, not %lld", "%s must have %lld elements, not %lld",
							   (unsigned long) n, what, (long long) n, (long long) length),
				 errhint("dpsens.model_summary shows the shapes of a model.")));
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		return NULL;
	return (const double *) ARR_DATA_PTR(array);
}

ArrayType *
dps_numbers_array(const double *numbers, int64 n)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + sizeof(double) * n;
	ArrayType  *array;

	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array of %lld numbers is too large", (long long) n)));
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = (int) n;
	ARR_LBOUND(array)[0] = 1;
	memcpy(ARR_DATA_PTR(array), numbers, sizeof(double) * n);
	return array;
}

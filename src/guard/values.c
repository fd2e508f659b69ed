/*
 * values.c
 *		Lists of public values that GROUP BY keys are among, as their type reads
 *		them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "guard/values.h"

typedef struct Order
{
	FmgrInfo   *compare;
	Oid			collation;
} Order;

static int
compare_values(const void *a, const void *b, void *arg)
{
	const Order *order = arg;

	return DatumGetInt32(FunctionCall2Coll(order->compare, order->collation, *(const Datum *) a, *(const Datum *) b));
}

static Datum
make_array(const DpsValues *values, const TypeCacheEntry *type, const Datum *datums)
{
	return PointerGetDatum(construct_array((Datum *) datums, values->n, values->type, type->typlen, type->typbyval,
										   type->typalign));
}

/* Are they in the order of their type, each once? */
static bool
is_increasing(const DpsValues *values, const Datum *datums, Order *order)
{
	int			i;

	for (i = 1; i < values->n; i++)
	{
		if (compare_values(&datums[i - 1], &datums[i], order) >= 0)
			return false;
	}
	return true;
}

static Datum *
sort_datums(const Datum *datums, int n, Order *order)
{
	Datum	   *sorted = memcpy(palloc(sizeof(Datum) * n), datums, sizeof(Datum) * n);

	qsort_arg(sorted, n, sizeof(Datum), compare_values, order);
	return sorted;
}

/* Does a row that meets one of them meet another one, too? */
static bool
any_meet(const DpsValues *values, const Datum *datums)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpsens values", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	DpsKeyMap	map;
	int			i;

	dps_key_map_init(&map, values->map);
	for (i = 0; i < values->n; i++)
	{
		if (dps_key_map_find(&map, datums[i]) != i)
			break;
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return i < values->n;
}

static bool
any_neighbours_equal(const Datum *sorted, int n, Order *order)
{
	int			i;

	for (i = 1; i < n; i++)
	{
		if (compare_values(&sorted[i - 1], &sorted[i], order) == 0)
			return true;
	}
	return false;
}

/* A type whose order is that of its bits, taken as a signed integer. */
static bool
is_whole(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID;
}

/* Looking them up is quicker than sorting, where strings are compared by a
 * collation. */
static void
compare_all(DpsValues *values, const TypeCacheEntry *type, const Datum *datums)
{
	Order		order = {(FmgrInfo *) &type->cmp_proc_finfo, values->collation};

	if (!OidIsValid(type->cmp_proc))
		values->has_equal = true;
	else if (values->is_sequence || is_increasing(values, datums, &order))
		values->is_sorted = true;
	else if (values->map != NULL)
		values->has_equal = any_meet(values, datums);
	else
		values->has_equal = any_neighbours_equal(sort_datums(datums, values->n, &order), values->n, &order);
}

DpsValues *
dps_values_make(Oid type, int32 typmod, Oid collation, const Datum *datums, int n)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	DpsValues  *values = palloc0(sizeof(DpsValues));

	values->type = type;
	values->typmod = typmod;
	values->collation = collation;
	values->n = n;
	values->array = make_array(values, entry, datums);
	values->map = dps_group_key_build(type, collation, datums, n);
	values->equality = lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
	values->is_sequence = values->map != NULL && values->map->kind == DPS_KEY_RANGE && is_whole(getBaseType(type));
	compare_all(values, entry, datums);
	return values;
}

const DpsValues *
dps_values_sorted(const DpsValues *values)
{
	TypeCacheEntry *entry = lookup_type_cache(values->type, TYPECACHE_CMP_PROC_FINFO);
	Order		order = {&entry->cmp_proc_finfo, values->collation};
	Datum	   *datums;
	int			n;

	if (values->is_sorted)
		return values;
	deconstruct_array(DatumGetArrayTypeP(values->array), values->type, entry->typlen, entry->typbyval, entry->typalign,
					  &datums, NULL, &n);
	return dps_values_make(values->type, values->typmod, values->collation, sort_datums(datums, n, &order), n);
}

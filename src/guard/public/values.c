/*
 * values.c
 *		Lists of public values of GROUP BY keys, as values of the key's type.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "guard/public/values.h"

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
make_array(Oid type, const Datum *datums, int n)
{
	int16		length;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &length, &byval, &align);
	return PointerGetDatum(construct_array((Datum *) datums, n, type, length, byval, align));
}

static Datum
array_of_integers(const DpsValues *values)
{
	const int64 *integers = (const int64 *) (values->map + 1);
	Datum	   *datums = palloc(sizeof(Datum) * Max(values->n, 1));
	int16		length = get_typlen(values->type);
	int			i;

	for (i = 0; i < values->n; i++)
		datums[i] = dps_key_of_integer(values->map->kind == DPS_KEY_RANGE ? values->map->first + i : integers[i], length);
	return make_array(values->type, datums, values->n);
}

Datum
dps_values_array(const DpsValues *values)
{
	if (values->array != (Datum) 0)
		return values->array;
	return values->map->kind == DPS_KEY_VALUES ? PointerGetDatum(values->map + 1) : array_of_integers(values);
}

static Datum *
list_datums(const DpsValues *values)
{
	int16		length;
	bool		byval;
	char		align;
	Datum	   *datums;
	int			n;

	get_typlenbyvalalign(values->type, &length, &byval, &align);
	deconstruct_array(DatumGetArrayTypeP(dps_values_array(values)), values->type, length, byval, align, &datums, NULL, &n);
	return datums;
}

/* ---- order ---- */

/* Are the values strictly increasing? */
static bool
is_increasing(const Datum *datums, int n, Order *order)
{
	int			i;

	for (i = 1; i < n; i++)
	{
		if (compare_values(&datums[i - 1], &datums[i], order) >= 0)
			return false;
	}
	return true;
}

static Datum *
sort_datums(const Datum *datums, int n, Order *order)
{
	Datum	   *sorted = memcpy(palloc(sizeof(Datum) * Max(n, 1)), datums, sizeof(Datum) * n);

	qsort_arg(sorted, n, sizeof(Datum), compare_values, order);
	return sorted;
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

/* Is the type ordered as its bits are, read as a signed integer? */
static bool
is_whole(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID;
}

/* Are two of the values equal?  A lookup in the map is faster than sorting if strings are compared by a
 * collation. */
static bool
any_equal(const DpsValues *values, const TypeCacheEntry *type, const Datum *datums)
{
	Order		order = {(FmgrInfo *) &type->cmp_proc_finfo, values->collation};

	if (values->map != NULL)
		return dps_group_key_repeats(values->map);
	return !is_increasing(datums, values->n, &order) &&
		any_neighbours_equal(sort_datums(datums, values->n, &order), values->n, &order);
}

/* ---- making ---- */

/* datums: NULL if the map holds the values as they are. */
static DpsValues *
make_values(Oid type, int32 typmod, Oid collation, int n, const DpsGroupKey *map, const Datum *datums)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	DpsValues  *values = palloc0(sizeof(DpsValues));

	values->type = type;
	values->typmod = typmod;
	values->collation = collation;
	values->n = n;
	values->map = map;
	if (map == NULL || (map->kind == DPS_KEY_VALUES && map->type != type))
		values->array = make_array(type, datums, n);
	values->equality = lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
	values->is_sequence = map != NULL && map->kind == DPS_KEY_RANGE && is_whole(getBaseType(type));
	values->has_equal = !OidIsValid(entry->cmp_proc) || any_equal(values, entry, datums);
	return values;
}

DpsValues *
dps_values_make(Oid type, int32 typmod, Oid collation, const Datum *datums, int n)
{
	return make_values(type, typmod, collation, n, dps_group_key_build(type, collation, datums, n), datums);
}

/* Numbers of at most so many digits do not overflow. */
#define MAX_DIGITS 18

/* The end of a text that every integer type reads as the same integer; NULL if the text may be something
 * else. */
static const char *
read_integer(const char *text, int64 *integer)
{
	bool		is_negative = *text == '-';
	const char *at = text + is_negative;
	const char *last = at + MAX_DIGITS;
	int64		result = 0;

	if (*at == '\0')
		return NULL;
	for (; *at >= '0' && *at <= '9' && at < last; at++)
		result = 10 * result + (*at - '0');
	*integer = is_negative ? -result : result;
	return *at == '\0' ? at : NULL;
}

static const DpsGroupKey *
read_integers(Oid type, Oid collation, int64 least, int64 greatest, const DpsTexts *texts)
{
	int64	   *integers = palloc(sizeof(int64) * Max(texts->n, 1));
	const DpsGroupKey *key = NULL;
	const char *text = texts->bytes;
	int			i;

	for (i = 0; i < texts->n; i++, text++)
	{
		text = read_integer(text, &integers[i]);
		if (text == NULL || integers[i] < least || integers[i] > greatest)
			break;
	}
	if (i == texts->n)
		key = dps_group_key_of_integers(type, collation, integers, texts->n);
	pfree(integers);
	return key;
}

DpsValues *
dps_values_of_texts(Oid type, int32 typmod, Oid collation, const DpsTexts *texts)
{
	const DpsGroupKey *map = NULL;

	if (texts->n == 0 || typmod >= 0)
		return NULL;
	if (type == INT2OID)
		map = read_integers(type, collation, PG_INT16_MIN, PG_INT16_MAX, texts);
	else if (type == INT4OID)
		map = read_integers(type, collation, PG_INT32_MIN, PG_INT32_MAX, texts);
	else if (type == INT8OID)
		map = read_integers(type, collation, PG_INT64_MIN, PG_INT64_MAX, texts);
	else if (dps_is_equal_by_bytes(type, collation))
		map = dps_group_key_of_strings(type, collation, texts);
	return map == NULL ? NULL : make_values(type, typmod, collation, texts->n, map, NULL);
}

const DpsValues *
dps_values_sorted(const DpsValues *values)
{
	TypeCacheEntry *entry = lookup_type_cache(values->type, TYPECACHE_CMP_PROC_FINFO);
	Order		order = {&entry->cmp_proc_finfo, values->collation};
	Datum	   *datums;

	if (values->is_sequence)
		return values;
	datums = list_datums(values);
	if (is_increasing(datums, values->n, &order))
		return values;
	return dps_values_make(values->type, values->typmod, values->collation, sort_datums(datums, values->n, &order), values->n);
}

/*
 * release.c
 *		The SQL functions of the release stage: noise is added here and
 *		nowhere else.
 *
 * The rewritten query calls them once per group and aggregate, in a
 * materialized CTE, in the leader.  They refuse to run without the receipt
 * that the executor hooks give to a statement they have authorised.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "glue/receipt.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_release_count);
DPS_SQL_FUNCTION(dps_release_value);
DPS_SQL_FUNCTION(dps_release_values);
DPS_SQL_FUNCTION(dps_release_counts);
DPS_SQL_FUNCTION(dps_release_truth);
DPS_SQL_FUNCTION(dps_release_key);
DPS_SQL_FUNCTION(dps_release_keys);
DPS_SQL_FUNCTION(dps_release_answer);

static void
refuse_call(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("release functions can only be called by dpsens")));
}

DpsReceipt *
dps_release_receipt(void)
{
	DpsReceipt *receipt;

	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("private values cannot be released in a parallel worker")));
	receipt = dps_receipt_current();
	if (receipt == NULL)
		refuse_call();
	return receipt;
}

const DpsRelease *
dps_release_of_datum(Datum datum)
{
	const DpsRelease *release = (const DpsRelease *) PG_DETOAST_DATUM(datum);
	int			naggregates = 0;

	while (dps_aggregates[naggregates] != NULL)
		naggregates++;
	if (VARSIZE(release) <= offsetof(DpsRelease, rest) + 1 || release->version != DPS_RELEASE_VERSION ||
		release->aggregate < 0 || release->aggregate >= naggregates)
		elog(ERROR, "invalid release");
	return release;
}

const DpsRelease *
dps_release_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		refuse_call();
	return dps_release_of_datum(PG_GETARG_DATUM(0));
}

/* result_type is InvalidOid for an answer. */
static const DpsRelease *
release_of_type(FunctionCallInfo fcinfo, Oid result_type)
{
	const DpsRelease *release = dps_release_argument(fcinfo);

	if (dps_aggregates[release->aggregate]->result_type != result_type)
		elog(ERROR, "invalid release");
	return release;
}

/* The state argument; that of a group without rows is NULL and counts 0. */
static const DpsState *
state_argument(FunctionCallInfo fcinfo, const DpsRelease *release)
{
	const DpsState *state;

	if (PG_ARGISNULL(1))
		return dps_state_make(release->nsums);
	state = (const DpsState *) PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
	dps_state_check(state);
	if (state->nsums != release->nsums)
		elog(ERROR, "invalid state");
	return state;
}

static Datum
draw_release(FunctionCallInfo fcinfo, Oid result_type, bool *isnull)
{
	DpsReceipt *receipt = dps_release_receipt();
	const DpsRelease *release = release_of_type(fcinfo, result_type);
	const DpsState *state = state_argument(fcinfo, release);
	DpsDraw		draw = {release, dps_receipt_draw(receipt, release), &receipt->random};

	if (draw.plan->silent)
		ereport(WARNING,
				(errmsg("an exact value is released: dpsens.noise is off")));
	return dps_aggregates[release->aggregate]->release(&draw, state, isnull);
}

static Datum
release_state(FunctionCallInfo fcinfo, Oid result_type)
{
	bool		isnull;
	Datum		result = draw_release(fcinfo, result_type, &isnull);

	if (isnull)
		PG_RETURN_NULL();
	return result;
}

/* release_count(dpsens_internal.plan, dpsens_internal.state) */
Datum
dps_release_count(PG_FUNCTION_ARGS)
{
	return release_state(fcinfo, INT8OID);
}

/* release_values(dpsens_internal.plan, dpsens_internal.state) */
Datum
dps_release_values(PG_FUNCTION_ARGS)
{
	return release_state(fcinfo, FLOAT8ARRAYOID);
}

/* release_counts(dpsens_internal.plan, dpsens_internal.state) */
Datum
dps_release_counts(PG_FUNCTION_ARGS)
{
	return release_state(fcinfo, INT8ARRAYOID);
}

/* release_truth(dpsens_internal.plan, dpsens_internal.state) */
Datum
dps_release_truth(PG_FUNCTION_ARGS)
{
	return release_state(fcinfo, BOOLOID);
}

/* The elements with these numbers, from 0, of the array of keys, which is public and a constant. */
static Datum *
find_keys(FunctionCallInfo fcinfo, int n, const int64 *numbers, Oid *type)
{
	ArrayType  *keys;
	Datum	   *found = palloc(sizeof(Datum) * n);
	int16		length;
	bool		byval;
	char		align;
	int			i;

	if (PG_ARGISNULL(2))
		elog(ERROR, "invalid release: no keys");
	keys = PG_GETARG_ARRAYTYPE_P(2);
	*type = ARR_ELEMTYPE(keys);
	get_typlenbyvalalign(*type, &length, &byval, &align);
	for (i = 0; i < n; i++)
	{
		int			subscript = (int) numbers[i] + 1;
		bool		isnull;

		found[i] = array_get_element(PointerGetDatum(keys), 1, &subscript, -1, length, byval, align, &isnull);
		if (isnull)
			elog(ERROR, "invalid release: no such key");
	}
	return found;
}

/* release_key(dpsens_internal.plan, dpsens_internal.state, anyarray): an element of the array. */
Datum
dps_release_key(PG_FUNCTION_ARGS)
{
	bool		isnull;
	int64		number = DatumGetInt64(draw_release(fcinfo, ANYELEMENTOID, &isnull));
	Oid			type;

	if (isnull)
		PG_RETURN_NULL();
	return *find_keys(fcinfo, 1, &number, &type);
}

/* release_keys(dpsens_internal.plan, dpsens_internal.state, anyarray): several of them. */
Datum
dps_release_keys(PG_FUNCTION_ARGS)
{
	bool		isnull;
	Datum		numbers = draw_release(fcinfo, ANYARRAYOID, &isnull);
	ArrayType  *drawn;
	Datum	   *found;
	Oid			type;
	int16		length;
	bool		byval;
	char		align;
	int			n;

	if (isnull)
		PG_RETURN_NULL();
	drawn = DatumGetArrayTypeP(numbers);
	n = ArrayGetNItems(ARR_NDIM(drawn), ARR_DIMS(drawn));
	found = find_keys(fcinfo, n, (const int64 *) ARR_DATA_PTR(drawn), &type);
	get_typlenbyvalalign(type, &length, &byval, &align);
	PG_RETURN_ARRAYTYPE_P(construct_array(found, n, type, length, byval, align));
}

/* release_value(dpsens_internal.plan, dpsens_internal.state) */
Datum
dps_release_value(PG_FUNCTION_ARGS)
{
	return release_state(fcinfo, FLOAT8OID);
}

/* release_answer(dpsens_internal.plan, dpsens_internal.state) */
Datum
dps_release_answer(PG_FUNCTION_ARGS)
{
	return release_state(fcinfo, InvalidOid);
}

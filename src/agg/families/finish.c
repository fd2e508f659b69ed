/*
 * finish.c
 *		The SQL functions that compute statistics from answers.
 *
 * An answer is what noise was added to: nothing here is private, and calling it
 * any number of times costs nothing.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "agg/family.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dps_finish_value);
DPS_SQL_FUNCTION(dps_finish_interval);
DPS_SQL_FUNCTION(dps_finish_intervals);
DPS_SQL_FUNCTION(dps_finish_truth);
DPS_SQL_FUNCTION(dps_finish_mode);

static bool
is_answer(const DpsAnswer *answer)
{
	int			nmechanisms = 0;
	Size		size = VARSIZE(answer);

	while (dps_mechanisms[nmechanisms] != NULL)
		nmechanisms++;
	return size >= offsetof(DpsAnswer, noised) && answer->version == DPS_ANSWER_VERSION &&
		answer->mechanism >= 0 && answer->mechanism < nmechanisms && answer->nnoised >= 0 &&
		size == add_size(offsetof(DpsAnswer, noised), mul_size(answer->nnoised, sizeof(DpsNoised)));
}

const DpsAnswer *
dps_answer_of_datum(Datum datum)
{
	const DpsAnswer *answer = (const DpsAnswer *) PG_DETOAST_DATUM(datum);

	if (!is_answer(answer))
		elog(ERROR, "invalid answer");
	return answer;
}

static const DpsFinish *
finish_of_datum(Datum datum)
{
	const DpsFinish *finish = (const DpsFinish *) PG_DETOAST_DATUM(datum);
	int			nstatistics = 0;

	while (dps_statistics[nstatistics].name != NULL)
		nstatistics++;
	if (VARSIZE(finish) != sizeof(DpsFinish) || finish->version != DPS_FINISH_VERSION ||
		finish->statistic < 0 || finish->statistic >= nstatistics)
		elog(ERROR, "invalid finish");
	return finish;
}

/* What a call is about. */
typedef struct Call
{
	const DpsRelease *release;
	const DpsFinish *finish;
	const DpsStatistic *statistic;
	const DpsAnswer *answer;
} Call;

static Call
read_call(FunctionCallInfo fcinfo)
{
	Call		call;

	call.release = dps_release_of_datum(PG_GETARG_DATUM(0));
	call.finish = finish_of_datum(PG_GETARG_DATUM(1));
	call.statistic = &dps_statistics[call.finish->statistic];
	call.answer = dps_answer_of_datum(PG_GETARG_DATUM(2));
	if (call.statistic->family != dps_aggregates[call.release->aggregate])
		elog(ERROR, "invalid finish");
	return call;
}

/* finish_*(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer); the statistic's type is what
 * the function was declared with. */
Datum
dps_finish_value(PG_FUNCTION_ARGS)
{
	Call		call = read_call(fcinfo);
	Datum		result;
	bool		isnull = false;

	if (call.statistic->finish == NULL || get_fn_expr_rettype(fcinfo->flinfo) != call.statistic->result_type)
		elog(ERROR, "invalid finish");
	result = call.statistic->finish(call.release, call.finish, call.answer, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	return result;
}

Datum
dps_array_of_doubles(const double *values, int n)
{
	Datum	   *entries = palloc(sizeof(Datum) * Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
		entries[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(construct_array(entries, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static Datum
interval_row(FunctionCallInfo fcinfo, Datum *values, bool isnull)
{
	bool		nulls[3] = {isnull, isnull, isnull};
	TupleDesc	descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "an interval must be a row");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/* Of sums and counts: was the answer made to add up with others (agg/families/fitted.c)? */
static bool
is_fitted(const Call *call)
{
	return call->answer->nnoised == 2 &&
		(call->statistic->family == &dps_aggregate_sum || call->statistic->family == &dps_aggregate_count);
}

/*
 * Of a fitted answer the interval is that of what was drawn, and reaches to the fit: it holds with the asked probability
 * already without that.  The fit alone would have the noise of all draws that went into it, of a law of its own.
 */
static void
fitted_interval(const Call *call, double level, DpsNoiseInterval *interval)
{
	DpsAnswer  *drawn = palloc0(offsetof(DpsAnswer, noised) + sizeof(DpsNoised));
	bool		isnull;
	Datum		fit = call->statistic->finish(call->release, call->finish, call->answer, &isnull);

	memcpy(drawn, call->answer, offsetof(DpsAnswer, noised));
	drawn->nnoised = 1;
	drawn->noised[0] = call->answer->noised[DPS_ANSWER_DRAWN];
	call->statistic->interval(call->release, call->finish, drawn, level, 1, interval);
	interval->estimate = call->statistic->result_type == INT8OID ? (double) DatumGetInt64(fit) : DatumGetFloat8(fit);
	interval->lower = Min(interval->lower, interval->estimate);
	interval->upper = Max(interval->upper, interval->estimate);
}

/* The interval at the level that is the fourth argument. */
static DpsNoiseInterval
noise_interval(FunctionCallInfo fcinfo)
{
	Call		call = read_call(fcinfo);
	double		level = PG_GETARG_FLOAT8(3);
	DpsNoiseInterval interval = {0};

	dps_check_level(level, false, 0);
	if (is_fitted(&call))
		fitted_interval(&call, level, &interval);
	else
		call.statistic->interval(call.release, call.finish, call.answer, level, 1, &interval);
	return interval;
}

/* finish_interval(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8) */
Datum
dps_finish_interval(PG_FUNCTION_ARGS)
{
	DpsNoiseInterval interval = noise_interval(fcinfo);
	Datum		values[3];

	values[0] = Float8GetDatum(interval.estimate);
	values[1] = Float8GetDatum(interval.lower);
	values[2] = Float8GetDatum(interval.upper);
	return interval_row(fcinfo, values, interval.isnull);
}

/* finish_truth(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8): false and true are 0
 * and 1. */
Datum
dps_finish_truth(PG_FUNCTION_ARGS)
{
	DpsNoiseInterval interval = noise_interval(fcinfo);
	Datum		values[3];

	values[0] = BoolGetDatum(interval.estimate > 0.0);
	values[1] = BoolGetDatum(interval.lower > 0.0);
	values[2] = BoolGetDatum(interval.upper > 0.0);
	return interval_row(fcinfo, values, interval.isnull);
}

/* finish_mode(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8, anyarray): three of
 * the array's elements, which are public. */
Datum
dps_finish_mode(PG_FUNCTION_ARGS)
{
	Call		call = read_call(fcinfo);
	double		level = PG_GETARG_FLOAT8(3);
	ArrayType  *keys = PG_GETARG_ARRAYTYPE_P(4);
	DpsNoiseInterval interval = {0};
	int			places[3];
	Datum		values[3];
	Datum	   *elements;
	bool	   *nulls;
	int			nkeys;
	int16		length;
	bool		byval;
	char		align;
	int			i;

	dps_check_level(level, false, 0);
	call.statistic->interval(call.release, call.finish, call.answer, level, 1, &interval);
	if (interval.isnull)
		PG_RETURN_NULL();
	get_typlenbyvalalign(ARR_ELEMTYPE(keys), &length, &byval, &align);
	deconstruct_array(keys, ARR_ELEMTYPE(keys), length, byval, align, &elements, &nulls, &nkeys);
	places[0] = dps_to_int32(interval.estimate);
	places[1] = dps_to_int32(interval.lower);
	places[2] = dps_to_int32(interval.upper);
	for (i = 0; i < 3; i++)
	{
		if (places[i] < 0 || places[i] >= nkeys || nulls[places[i]])
			elog(ERROR, "invalid finish: no such key");
		values[i] = elements[places[i]];
	}
	return PointerGetDatum(construct_array(values, 3, ARR_ELEMTYPE(keys), length, byval, align));
}

/* The entries of an array. */
static int
count_entries(const Call *call)
{
	switch (call->statistic->family->parameter)
	{
		case DPS_LEVELS:
			return call->release->nlevels;
		case DPS_ANSWERS:
			return call->release->nlevels;
		case DPS_BUCKETS:
			return (int) call->release->points;
		case DPS_NO_PARAMETER:
			break;
	}
	return call->finish->nvalues;
}

/* finish_intervals(dpsens_internal.plan, dpsens_internal.plan, dpsens_internal.answer, float8): of an array;
 * all entries at once are within their intervals with that probability. */
Datum
dps_finish_intervals(PG_FUNCTION_ARGS)
{
	Call		call = read_call(fcinfo);
	double		level = PG_GETARG_FLOAT8(3);
	int			n = count_entries(&call);
	DpsNoiseInterval *intervals = palloc0(sizeof(DpsNoiseInterval) * Max(n, 1));
	double	   *ends[3];
	Datum		values[3] = {0};
	int			i;

	dps_check_level(level, false, 0);
	call.statistic->interval(call.release, call.finish, call.answer, level, n, intervals);
	for (i = 0; i < 3; i++)
		ends[i] = palloc(sizeof(double) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		ends[0][i] = intervals[i].estimate;
		ends[1][i] = intervals[i].lower;
		ends[2][i] = intervals[i].upper;
	}
	/* all intervals are NULL, or none is */
	for (i = 0; i < 3 && !intervals[0].isnull; i++)
		values[i] = dps_array_of_doubles(ends[i], n);
	return interval_row(fcinfo, values, intervals[0].isnull);
}

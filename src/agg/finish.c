/*
 * finish.c
 *		The SQL functions that compute statistics from answers.
 *
 * An answer is what noise was added to: nothing here is private, and calling it
 * any number of times costs nothing.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "agg/aggregate.h"
#include "agg/family.h"

PG_FUNCTION_INFO_V1(dps_finish_value);
PG_FUNCTION_INFO_V1(dps_finish_interval);

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

const DpsFinish *
dps_finish_of_datum(Datum datum)
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
	call.finish = dps_finish_of_datum(PG_GETARG_DATUM(1));
	call.statistic = &dps_statistics[call.finish->statistic];
	call.answer = dps_answer_of_datum(PG_GETARG_DATUM(2));
	if (call.statistic->family != dps_aggregates[call.release->aggregate])
		elog(ERROR, "invalid finish");
	return call;
}

/* finish_*(dpsens.plan, dpsens.plan, dpsens.answer); the statistic's type is what
 * the function was declared with. */
Datum
dps_finish_value(PG_FUNCTION_ARGS)
{
	Call		call = read_call(fcinfo);
	Datum		result;
	bool		isnull = false;

	if (get_fn_expr_rettype(fcinfo->flinfo) != call.statistic->result_type)
		elog(ERROR, "invalid finish");
	result = call.statistic->finish(call.release, call.finish, call.answer, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	return result;
}

/* finish_interval(dpsens.plan, dpsens.plan, dpsens.answer, float8) */
Datum
dps_finish_interval(PG_FUNCTION_ARGS)
{
	Call		call = read_call(fcinfo);
	double		level = PG_GETARG_FLOAT8(3);
	DpsNoiseInterval interval = {0};
	Datum		values[3];
	bool		nulls[3];
	TupleDesc	descriptor;

	dps_check_level(level, 0);
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "finish_interval must return a row");
	call.statistic->interval(call.release, call.finish, call.answer, level, 0, &interval);
	values[0] = Float8GetDatum(interval.estimate);
	values[1] = Float8GetDatum(interval.lower);
	values[2] = Float8GetDatum(interval.upper);
	nulls[0] = nulls[1] = nulls[2] = interval.isnull;
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/*
 * period_end.c
 *		When a period that began at a time ends.
 *
 * The server's sum of a timestamp and an interval is an error where a part of it leaves the range of timestamps.  A
 * budget's period must not be one: views of all budgets, and the ledger's worker for all who ask, would fail with it.
 *
 * Claim: timestamptz_pl_interval is called only where it cannot fail.
 * Proof: timestamps reach from 4714 BC to the year 294276.  The start is between the years 0 and 30000.  Months, days and
 * microseconds are added one after the other, each of at most 80,000 years and at least -1,000, years being taken as 366
 * days, which is more than they have: every sum is between 3000 BC and the year 271000.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "glue/period_end.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_sql_period_end);

#define USECS_PER_LONG_YEAR (INT64CONST(366) * USECS_PER_DAY)
#define MOST_YEARS 80000
#define LEAST_YEARS (-1000)

/* Timestamps count from the year 2000. */
static bool
is_ordinary_start(TimestampTz start)
{
	return start >= -2000 * INT64CONST(365) * USECS_PER_DAY && start <= 28000 * INT64CONST(365) * USECS_PER_DAY;
}

static bool
is_ordinary_part(int64 part, int64 per_year)
{
	return part >= LEAST_YEARS * per_year && part <= MOST_YEARS * per_year;
}

TimestampTz
dps_period_end(TimestampTz start, const Interval *length)
{
	if (!is_ordinary_start(start) || !is_ordinary_part(length->month, MONTHS_PER_YEAR) || !is_ordinary_part(length->day, 366) ||
		!is_ordinary_part(length->time, USECS_PER_LONG_YEAR))
		return DT_NOEND;
	return DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(start),
												   PointerGetDatum(length)));
}

/* period_end(period_start, length) */
Datum
dps_sql_period_end(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(dps_period_end(PG_GETARG_TIMESTAMPTZ(0), PG_GETARG_INTERVAL_P(1)));
}

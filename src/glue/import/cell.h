/*
 * cell.h
 *		From a row's raw cells to the doubles that programs read.
 */
#ifndef DPS_GLUE_IMPORT_CELL_H
#define DPS_GLUE_IMPORT_CELL_H

#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "expr/program.h"

/* How a raw cell becomes a double, NaN for NULL. */
typedef struct DpsCell
{
	Oid			type;			/* int2/4/8, float4/8, numeric, bool, date,
								 * timestamp, timestamptz (these in seconds since
								 * 1970), interval (in seconds) */
	DpsDomain	domain;			/* the value is clamped into [lo, hi].  NaN
								 * counts as NULL if the column may be NULL
								 * (nullness); else it becomes hi, as
								 * PostgreSQL orders it above every number */
} DpsCell;

/* A numeric as the nearest double; an infinity if it is beyond their range. */
extern double dps_read_numeric(Datum cell);

/* A cell that is not NULL as a double; infinities are clamped later. */
static inline double
dps_read_cell(Oid type, Datum cell)
{
	switch (type)
	{
		case FLOAT8OID:
			return DatumGetFloat8(cell);
		case INT4OID:
			return DatumGetInt32(cell);
		case INT8OID:
			return (double) DatumGetInt64(cell);
		case INT2OID:
			return DatumGetInt16(cell);
		case FLOAT4OID:
			return DatumGetFloat4(cell);
		case NUMERICOID:
			return dps_read_numeric(cell);
		case BOOLOID:
			return DatumGetBool(cell) ? 1.0 : 0.0;
		case DATEOID:
			{
				DateADT		date = DatumGetDateADT(cell);

				if (DATE_IS_NOBEGIN(date))
					return -INFINITY;
				if (DATE_IS_NOEND(date))
					return INFINITY;
				return ((double) date + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)) * SECS_PER_DAY;
			}
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			{
				Timestamp	timestamp = DatumGetTimestamp(cell);

				if (TIMESTAMP_IS_NOBEGIN(timestamp))
					return -INFINITY;
				if (TIMESTAMP_IS_NOEND(timestamp))
					return INFINITY;
				return (double) timestamp / USECS_PER_SEC +
					(double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
			}
		case INTERVALOID:
			{
				/* As extract(epoch from ...) of a finite interval; one that is infinite (from
				 * version 17 on) yields a finite number, about 6e15 seconds.  Days and hours
				 * may cancel, so whole seconds, which are exact in doubles, are added first:
				 * only the fraction of a second and the last sum are rounded. */
				const Interval *interval = DatumGetIntervalP(cell);
				double		days = interval->month / MONTHS_PER_YEAR * DAYS_PER_YEAR +
					interval->month % MONTHS_PER_YEAR * (double) DAYS_PER_MONTH + interval->day;
				double		seconds = days * SECS_PER_DAY + (double) (interval->time / USECS_PER_SEC);

				return seconds + (double) (interval->time % USECS_PER_SEC) / USECS_PER_SEC;
			}
	}
	elog(ERROR, "cells of type %u cannot be read", type);
	return 0.0;					/* keep compiler quiet */
}

/*
 * Clamps raw cells into the box (definitions, section 1).  A NaN is a NULL or a NaN of
 * the column; if the column cannot be NULL it is a NaN, which PostgreSQL orders above
 * every number, and becomes hi.
 */
static inline void
dps_clamp_cells(double *column, int n, const DpsDomain *domain)
{
	double		lo = domain->lo;
	double		hi = domain->hi;
	double		nan_value = domain->nullness == DPS_NEVER_NULL ? hi : NAN;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		x = column[i];

		x = x < lo ? lo : x;
		x = x > hi ? hi : x;
		column[i] = x == x ? x : nan_value;
	}
}

#endif							/* DPS_GLUE_IMPORT_CELL_H */

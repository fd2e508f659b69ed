/*
 * iso_time.c
 *		Dates and timestamps as they are written in labels.
 *
 * They must mean the same in every session, and after a restore.  So only ISO 8601 is
 * accepted, and it is read here: the server's input functions depend on DateStyle and
 * TimeZone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "glue/import/iso_time.h"

#define SECONDS_PER_DAY 86400.0

/* Exactly `digits` digits, or one to six if digits is 0. */
static bool
scan_digits(const char **at, int digits, int *number)
{
	int			n = 0;

	*number = 0;
	while ((*at)[n] >= '0' && (*at)[n] <= '9' && n < (digits > 0 ? digits : 6))
		*number = *number * 10 + ((*at)[n++] - '0');
	*at += n;
	return digits > 0 ? n == digits : n > 0;
}

static bool
scan_date(const char **at, double *days)
{
	int			year;
	int			month;
	int			day;

	if (!scan_digits(at, 4, &year) || *(*at)++ != '-' ||
		!scan_digits(at, 2, &month) || *(*at)++ != '-' ||
		!scan_digits(at, 2, &day))
		return false;
	if (year < 1 || month < 1 || month > MONTHS_PER_YEAR ||
		day < 1 || day > day_tab[isleap(year)][month - 1])
		return false;
	*days = date2j(year, month, day) - UNIX_EPOCH_JDATE;
	return true;
}

/* hh:mm:ss, with a fraction of up to six digits. */
static bool
scan_time(const char **at, double *microseconds)
{
	const char *start;
	int			hour;
	int			minute;
	int			second;
	int			fraction = 0;

	if (!scan_digits(at, 2, &hour) || *(*at)++ != ':' ||
		!scan_digits(at, 2, &minute) || *(*at)++ != ':' ||
		!scan_digits(at, 2, &second))
		return false;
	if (hour > 23 || minute > 59 || second > 59)
		return false;
	if (**at == '.')
	{
		start = ++*at;
		if (!scan_digits(at, 0, &fraction))
			return false;
		for (; start + 6 > *at; start--)
			fraction *= 10;
	}
	*microseconds = ((hour * 60.0 + minute) * 60 + second) * 1e6 + fraction;
	return true;
}

/* Z, or +hh or +hh:mm of either sign. */
static bool
scan_zone(const char **at, double *seconds)
{
	int			sign = **at == '-' ? -1 : 1;
	int			hours;
	int			minutes = 0;

	*seconds = 0;
	if (**at == 'Z' || **at == 'z')
	{
		(*at)++;
		return true;
	}
	if (**at != '+' && **at != '-')
		return false;
	(*at)++;
	if (!scan_digits(at, 2, &hours))
		return false;
	if (**at == ':')
	{
		(*at)++;
		if (!scan_digits(at, 2, &minutes))
			return false;
	}
	*seconds = sign * (hours * 60.0 + minutes) * 60;
	return hours < 16 && minutes < 60;
}

bool
dps_parse_moment(const char *text, Oid base_type, bool needs_zone, double *seconds)
{
	const char *at = text;
	double		days;
	double		microseconds = 0;
	double		zone = 0;
	bool		has_zone = false;

	if (!scan_date(&at, &days))
		return false;
	if (base_type != DATEOID && (*at == ' ' || *at == 'T'))
	{
		at++;
		if (!scan_time(&at, &microseconds))
			return false;
	}
	if (base_type == TIMESTAMPTZOID && *at != '\0')
	{
		if (!scan_zone(&at, &zone))
			return false;
		has_zone = true;
	}

	/*
	 * Microseconds of years up to 9999 are below 2^58; above 2^53 they are
	 * rounded.  The result is the nearest double for most moments, and less
	 * than a microsecond off for all.
	 */
	*seconds = ((days * SECONDS_PER_DAY - zone) * 1e6 + microseconds) / 1e6;
	return *at == '\0' && (has_zone || !needs_zone || base_type != TIMESTAMPTZOID);
}

static bool
format_date(DateADT date, char **text)
{
	int			year;
	int			month;
	int			day;

	if (DATE_NOT_FINITE(date))
		return false;
	j2date(date + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	*text = psprintf("%04d-%02d-%02d", year, month, day);
	return year >= 1 && year <= 9999;
}

bool
dps_format_moment(Datum value, Oid base_type, char **text)
{
	Timestamp	timestamp;
	struct pg_tm tm;
	fsec_t		fraction;
	StringInfoData buffer;

	if (base_type == DATEOID)
		return format_date(DatumGetDateADT(value), text);

	/* without a zone, timestamp2tm decomposes a timestamptz in UTC */
	timestamp = DatumGetTimestamp(value);
	if (TIMESTAMP_NOT_FINITE(timestamp) ||
		timestamp2tm(timestamp, NULL, &tm, &fraction, NULL, NULL) != 0)
		return false;
	initStringInfo(&buffer);
	appendStringInfo(&buffer, "%04d-%02d-%02d %02d:%02d:%02d", tm.tm_year, tm.tm_mon,
					 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (fraction != 0)
		appendStringInfo(&buffer, ".%06d", (int) fraction);
	if (base_type == TIMESTAMPTZOID)
		appendStringInfoString(&buffer, "+00");
	*text = buffer.data;
	return tm.tm_year >= 1 && tm.tm_year <= 9999;
}

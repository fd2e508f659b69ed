/*
 * label.c
 *		The grammar of dpsens labels, and what a column's label means for a
 *		type.
 *
 * A label must mean the same in every session, and after a restore.  So dates
 * and timestamps are ISO 8601 and nothing else, read here and not by the
 * server's input functions, which follow DateStyle and TimeZone.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "datatype/timestamp.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "glue/label.h"

/* Up to here every integer is a double. */
#define LAST_INTEGER 9007199254740992.0

#define SECONDS_PER_DAY 86400.0

#define RELATION_GRAMMAR "A table's label consists of PROTECTED, ADJACENCY followed by one of add_remove, replace, attribute, metric, and limits for units of several rows: MAX ROWS n, MAX ROWS PER GROUP n, MAX GROUPS n."
#define COLUMN_GRAMMAR "A column's label consists of RANGE [lo, hi], WEIGHT w, VALUES ('a', 'b'), PUBLIC, UNIT, or UNIT BY REFERENCE for a foreign key to the table with the unit."
#define FUNCTION_GRAMMAR "A function's label is EXPRESSION or TRUSTED."

static const char *const adjacency_names[] = {
	[DPS_ADD_REMOVE] = "add_remove",
	[DPS_REPLACE] = "replace",
	[DPS_ATTRIBUTE] = "attribute",
	[DPS_METRIC] = "metric"
};

static const DpsLabelType label_types[] = {
	{INT2OID, true, false, PG_INT16_MIN, PG_INT16_MAX},
	{INT4OID, true, false, PG_INT32_MIN, PG_INT32_MAX},
	{INT8OID, true, false, -LAST_INTEGER, LAST_INTEGER},
	{FLOAT4OID, false, false, 0, 0},
	{FLOAT8OID, false, false, 0, 0},
	{NUMERICOID, false, false, 0, 0},
	{DATEOID, false, true, 0, 0},
	{TIMESTAMPOID, false, true, 0, 0},
	{TIMESTAMPTZOID, false, true, 0, 0},
	{INTERVALOID, false, false, 0, 0}	/* in seconds */
};

const DpsLabelType *
dps_find_label_type(Oid base_type)
{
	int			i;

	for (i = 0; i < (int) lengthof(label_types); i++)
	{
		if (label_types[i].type == base_type)
			return &label_types[i];
	}
	return NULL;
}

bool
dps_can_declare_values(Oid type)
{
	Oid			base_type = getBaseType(type);
	const DpsLabelType *label_type = dps_find_label_type(base_type);
	Oid			input;
	Oid			ioparam;

	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc))
		return false;
	getTypeInputInfo(base_type, &input, &ioparam);
	return get_typtype(base_type) == TYPTYPE_ENUM ||
		func_volatile(input) == PROVOLATILE_IMMUTABLE ||
		(label_type != NULL && label_type->quoted);
}

const char *
dps_adjacency_name(DpsAdjacency adjacency)
{
	return adjacency_names[adjacency];
}

bool
dps_find_adjacency(const char *name, DpsAdjacency *adjacency)
{
	int			i;

	for (i = 0; i < (int) lengthof(adjacency_names); i++)
	{
		if (pg_strcasecmp(name, adjacency_names[i]) == 0)
		{
			*adjacency = (DpsAdjacency) i;
			return true;
		}
	}
	return false;
}

static bool pg_attribute_printf(3, 4)
fail(DpsLabelProblem *problem, int sqlerrcode, const char *format,...)
{
	StringInfoData text;
	int			needed;

	initStringInfo(&text);
	do
	{
		va_list		args;

		va_start(args, format);
		needed = appendStringInfoVA(&text, format, args);
		va_end(args);
		if (needed > 0)
			enlargeStringInfo(&text, needed);
	} while (needed > 0);
	problem->sqlerrcode = sqlerrcode;
	problem->message = text.data;
	problem->detail = NULL;
	problem->hint = NULL;
	return false;
}

void
dps_refuse_label(const DpsLabelProblem *problem)
{
	ereport(ERROR,
			(errcode(problem->sqlerrcode),
			 errmsg("%s", problem->message),
			 problem->detail ? errdetail("%s", problem->detail) : 0,
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

/* Where the parser is in a label. */
typedef struct Scanner
{
	const char *at;
	char	   *grammar;		/* what to say after a syntax error */
	DpsLabelProblem *problem;
	bool		skips_values;	/* declared values are checked and not kept */
	DpsTexts   *values;			/* or they go here, and are made where they stand,
								 * in a label that is the caller's own; or NULL */
} Scanner;

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Letters of names and numbers alike; bytes above ASCII count as letters so
 * that an error message never cuts a character. */
static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9') || c == '_' || c == '.' || c == '+' || c == '-' ||
		IS_HIGHBIT_SET(c);
}

static size_t
word_length(const char *at)
{
	size_t		n = 0;

	while (is_letter(at[n]))
		n++;
	return n;
}

static void
skip_blanks(Scanner *scanner)
{
	while (is_blank(*scanner->at))
		scanner->at++;
}

static bool
at_end(Scanner *scanner)
{
	skip_blanks(scanner);
	return *scanner->at == '\0';
}

static bool
fail_here(Scanner *scanner)
{
	skip_blanks(scanner);
	if (*scanner->at == '\0')
		fail(scanner->problem, ERRCODE_SYNTAX_ERROR, "syntax error at end of dpsens label");
	else
		fail(scanner->problem, ERRCODE_SYNTAX_ERROR, "syntax error in dpsens label at or near \"%.*s\"",
			 (int) Max(word_length(scanner->at), 1), scanner->at);
	scanner->problem->hint = scanner->grammar;
	return false;
}

static bool
accept_character(Scanner *scanner, char c)
{
	skip_blanks(scanner);
	if (*scanner->at != c)
		return false;
	scanner->at++;
	return true;
}

static bool
accept_word(Scanner *scanner, const char *word)
{
	size_t		n = strlen(word);

	skip_blanks(scanner);
	if (word_length(scanner->at) != n || pg_strncasecmp(scanner->at, word, n) != 0)
		return false;
	scanner->at += n;
	return true;
}

/* A name or number. */
static bool
scan_word(Scanner *scanner, char **word)
{
	size_t		n;

	skip_blanks(scanner);
	n = word_length(scanner->at);
	if (n == 0)
		return false;
	*word = pnstrdup(scanner->at, n);
	scanner->at += n;
	return true;
}

/* The quote that ends a string, or NULL. */
static const char *
end_of_string(const char *at)
{
	for (;;)
	{
		at = strchr(at, '\'');
		if (at == NULL || at[1] != '\'')
			return at;
		at += 2;
	}
}

/* A string in single quotes, doubled inside; it is not kept if string is NULL.
 * A list may have a million of them. */
static bool
scan_string(Scanner *scanner, char **string)
{
	const char *at;
	const char *end;
	char	   *to;

	skip_blanks(scanner);
	if (*scanner->at != '\'')
		return false;
	at = scanner->at + 1;
	end = end_of_string(at);
	if (end == NULL)
		return false;
	scanner->at = end + 1;
	if (string == NULL)
		return true;
	*string = to = palloc(end - at + 1);
	for (; at < end; at += *at == '\'' ? 2 : 1)
		*to++ = *at;
	*to = '\0';
	return true;
}

/* The same as scan_string: behind the strings before it, which take less room
 * without what stands between them. */
static bool
scan_text(Scanner *scanner, DpsTexts *texts)
{
	char	   *at;
	char	   *to;
	char		c;

	skip_blanks(scanner);
	if (*scanner->at != '\'')
		return false;
	at = unconstify(char *, scanner->at) + 1;
	if (texts->n == 0)
		texts->bytes = texts->end = at;
	for (to = texts->end;; *to++ = c)
	{
		c = *at++;
		if (c == '\'' && *at++ != '\'')
			break;
		if (c == '\0')
			return false;
	}
	*to = '\0';
	texts->end = to + 1;
	texts->n++;
	scanner->at = at - 1;
	return true;
}

static bool
scan_adjacency(Scanner *scanner, DpsAdjacency *adjacency)
{
	const char *start = scanner->at;
	char	   *name;

	if (!scan_word(scanner, &name))
		return fail_here(scanner);
	if (!dps_find_adjacency(name, adjacency))
	{
		scanner->at = start;
		return fail_here(scanner);
	}
	return true;
}

/* A limit that is not declared yet, after MAX. */
static bool
scan_limit(Scanner *scanner, DpsUnitLimits *limits)
{
	int32	   *limit;
	const char *start;
	char	   *word;
	char	   *end;
	long		n;

	if (accept_word(scanner, "GROUPS"))
		limit = &limits->groups;
	else if (!accept_word(scanner, "ROWS"))
		return fail_here(scanner);
	else if (!accept_word(scanner, "PER"))
		limit = &limits->rows;
	else if (accept_word(scanner, "GROUP"))
		limit = &limits->rows_per_group;
	else
		return fail_here(scanner);
	start = scanner->at;
	if (!scan_word(scanner, &word))
		return fail_here(scanner);
	n = strtol(word, &end, 10);
	if (*limit != 0 || *end != '\0' || n < 1 || n > DPS_MAX_UNIT_ROWS)
	{
		scanner->at = start;
		return fail_here(scanner);
	}
	*limit = n;
	return true;
}

bool
dps_parse_relation_label(const char *text, DpsRelationLabel *label, DpsLabelProblem *problem)
{
	Scanner		scanner = {.at = text, .grammar = RELATION_GRAMMAR, .problem = problem};

	memset(label, 0, sizeof(*label));
	label->adjacency = DPS_ADD_REMOVE;
	if (!accept_word(&scanner, "PROTECTED"))
		return fail_here(&scanner);
	if (accept_word(&scanner, "ADJACENCY") && !scan_adjacency(&scanner, &label->adjacency))
		return false;
	while (accept_word(&scanner, "MAX"))
	{
		if (!scan_limit(&scanner, &label->limits))
			return false;
	}
	return at_end(&scanner) ? true : fail_here(&scanner);
}

bool
dps_parse_function_label(const char *text, bool *is_trusted, DpsLabelProblem *problem)
{
	Scanner		scanner = {.at = text, .grammar = FUNCTION_GRAMMAR, .problem = problem};

	*is_trusted = accept_word(&scanner, "TRUSTED");
	if ((!*is_trusted && !accept_word(&scanner, "EXPRESSION")) || !at_end(&scanner))
		return fail_here(&scanner);
	return true;
}

static void
append_limit(StringInfo text, const char *name, int32 limit)
{
	if (limit != 0)
		appendStringInfo(text, " MAX %s %d", name, limit);
}

char *
dps_format_relation_label(const DpsRelationLabel *label)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "PROTECTED ADJACENCY %s", dps_adjacency_name(label->adjacency));
	append_limit(&text, "ROWS", label->limits.rows);
	append_limit(&text, "ROWS PER GROUP", label->limits.rows_per_group);
	append_limit(&text, "GROUPS", label->limits.groups);
	return text.data;
}

/*
 * Decimal numbers only: strtod would also take hexadecimal ones.  NaN and
 * infinity are numbers here, so that they get a better message than a syntax
 * error.
 */
static bool
parse_number(const char *text, double *number)
{
	const char *at = text;
	char	   *end;

	if (*at == '+' || *at == '-')
		at++;
	if (pg_strcasecmp(at, "nan") != 0 && pg_strcasecmp(at, "inf") != 0 &&
		pg_strcasecmp(at, "infinity") != 0 &&
		(*at == '\0' || at[strspn(at, "0123456789.eE+-")] != '\0'))
		return false;
	*number = strtod(text, &end) + 0.0; /* -0 becomes 0 */
	return end != text && *end == '\0';
}

char *
dps_format_number(double number)
{
	return double_to_shortest_decimal(number);
}

static bool
scan_range(Scanner *scanner, DpsColumnLabel *label)
{
	bool		quoted;

	if (!accept_character(scanner, '['))
		return fail_here(scanner);
	skip_blanks(scanner);
	quoted = *scanner->at == '\'';
	if (!(quoted ? scan_string(scanner, &label->lo) : scan_word(scanner, &label->lo)) ||
		!accept_character(scanner, ',') ||
		!(quoted ? scan_string(scanner, &label->hi) : scan_word(scanner, &label->hi)) ||
		!accept_character(scanner, ']'))
		return fail_here(scanner);
	label->quoted = quoted;
	return true;
}

static bool
scan_weight(Scanner *scanner, DpsColumnLabel *label)
{
	const char *start = scanner->at;
	char	   *word;

	if (!scan_word(scanner, &word))
		return fail_here(scanner);
	if (!parse_number(word, &label->weight))
	{
		scanner->at = start;
		return fail_here(scanner);
	}
	label->has_weight = true;
	return true;
}

static bool
scan_values(Scanner *scanner, DpsColumnLabel *label)
{
	char	   *value;

	label->has_values = true;
	if (!accept_character(scanner, '('))
		return fail_here(scanner);
	do
	{
		if (scanner->values != NULL ? !scan_text(scanner, scanner->values) :
			!scan_string(scanner, scanner->skips_values ? NULL : &value))
			return fail_here(scanner);
		if (scanner->values == NULL && !scanner->skips_values)
			label->values = lappend(label->values, value);
	} while (accept_character(scanner, ','));
	return accept_character(scanner, ')') ? true : fail_here(scanner);
}

/* UNIT, or UNIT BY REFERENCE. */
static bool
scan_unit(Scanner *scanner, DpsColumnLabel *label)
{
	label->is_unit = true;
	if (!accept_word(scanner, "BY"))
		return true;
	label->by_reference = accept_word(scanner, "REFERENCE");
	return label->by_reference ? true : fail_here(scanner);
}

/* A clause that stands twice is a syntax error at its second word. */
static bool
scan_column_label(Scanner *scanner, DpsColumnLabel *label)
{
	memset(label, 0, sizeof(*label));
	label->weight = 1;
	if (at_end(scanner))
		return fail_here(scanner);
	while (!at_end(scanner))
	{
		bool		good;

		if (label->lo == NULL && accept_word(scanner, "RANGE"))
			good = scan_range(scanner, label);
		else if (!label->has_weight && accept_word(scanner, "WEIGHT"))
			good = scan_weight(scanner, label);
		else if (!label->has_values && accept_word(scanner, "VALUES"))
			good = scan_values(scanner, label);
		else if (!label->is_public && accept_word(scanner, "PUBLIC"))
			good = label->is_public = true;
		else if (!label->is_unit && accept_word(scanner, "UNIT"))
			good = scan_unit(scanner, label);
		else
			good = fail_here(scanner);
		if (!good)
			return false;
	}
	return true;
}

bool
dps_parse_column_label(const char *text, DpsColumnLabel *label, DpsLabelProblem *problem)
{
	Scanner		scanner = {.at = text, .grammar = COLUMN_GRAMMAR, .problem = problem};

	return scan_column_label(&scanner, label);
}

bool
dps_parse_column_label_in_place(char *text, DpsColumnLabel *label, DpsTexts *values, DpsLabelProblem *problem)
{
	Scanner		scanner = {.at = text, .grammar = COLUMN_GRAMMAR, .problem = problem, .values = values};

	return scan_column_label(&scanner, label);
}

bool
dps_parse_column_clauses(const char *text, DpsColumnLabel *label, DpsLabelProblem *problem)
{
	Scanner		scanner = {.at = text, .grammar = COLUMN_GRAMMAR, .problem = problem, .skips_values = true};

	return scan_column_label(&scanner, label);
}

static void
append_string(StringInfo text, const char *string)
{
	appendStringInfoChar(text, '\'');
	for (; *string != '\0'; string++)
	{
		if (*string == '\'')
			appendStringInfoChar(text, '\'');
		appendStringInfoChar(text, *string);
	}
	appendStringInfoChar(text, '\'');
}

/* Separates a clause from the one before it. */
static void
append_clause(StringInfo text, const char *clause)
{
	if (text->len > 0)
		appendStringInfoChar(text, ' ');
	appendStringInfoString(text, clause);
}

static void
append_range(StringInfo text, const DpsColumnLabel *label)
{
	append_clause(text, "RANGE [");
	if (label->quoted)
	{
		append_string(text, label->lo);
		appendStringInfoString(text, ", ");
		append_string(text, label->hi);
	}
	else
		appendStringInfo(text, "%s, %s", label->lo, label->hi);
	appendStringInfoChar(text, ']');
}

static void
append_values(StringInfo text, const List *values)
{
	const char *separator = "";
	ListCell   *cell;

	append_clause(text, "VALUES (");
	foreach(cell, values)
	{
		appendStringInfoString(text, separator);
		append_string(text, lfirst(cell));
		separator = ", ";
	}
	appendStringInfoChar(text, ')');
}

char *
dps_format_column_label(const DpsColumnLabel *label)
{
	StringInfoData text;

	initStringInfo(&text);
	if (label->lo != NULL)
		append_range(&text, label);
	if (label->has_weight)
	{
		append_clause(&text, "WEIGHT ");
		appendStringInfoString(&text, dps_format_number(label->weight));
	}
	if (label->values != NIL)
		append_values(&text, label->values);
	if (label->is_public)
		append_clause(&text, "PUBLIC");
	if (label->is_unit)
		append_clause(&text, label->by_reference ? "UNIT BY REFERENCE" : "UNIT");
	return text.len > 0 ? text.data : NULL;
}

/* Exactly `digits` digits, or at least one if digits is 0. */
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
	 * Microseconds of years up to 9999 are below 2^58, not exact above 2^53;
	 * the division makes the result the nearest double of most and off by
	 * less than a microsecond for all.
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

	/* without a zone, timestamp2tm takes a timestamptz apart in UTC */
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

static bool
fail_type(DpsLabelProblem *problem, const char *column, Oid base_type)
{
	fail(problem, ERRCODE_DATATYPE_MISMATCH,
		 "column \"%s\" of type %s cannot have a range", column, format_type_be(base_type));
	if (base_type == BOOLOID)
		problem->hint = "A boolean has the range [0, 1] and the values false and true without an annotation.";
	else
		problem->hint = "Ranges are for numbers, dates, timestamps and intervals.  Declare the values of other columns with dpsens.set_values.";
	return false;
}

/* One end of a range in the column's unit. */
static bool
resolve_end(const char *text, bool quoted, const char *column, const DpsLabelType *type,
			double *end, DpsLabelProblem *problem)
{
	if (type->quoted)
	{
		if (quoted && dps_parse_moment(text, type->type, false, end))
			return true;
		fail(problem, ERRCODE_INVALID_DATETIME_FORMAT,
			 "range of column \"%s\" has an end that is not of type %s: %s",
			 column, format_type_be(type->type), quoted ? quote_literal_cstr(text) : text);
		problem->hint = type->type == DATEOID
			? "Write dates of the years 1 to 9999 as '2020-12-31'."
			: type->type == TIMESTAMPOID
			? "Write timestamps of the years 1 to 9999 as '2020-12-31' or '2020-12-31 23:59:59'."
			: "Write timestamps of the years 1 to 9999 as '2020-12-31' or '2020-12-31 23:59:59+00'; without a zone they are in UTC.";
		return false;
	}
	if (quoted || !parse_number(text, end))
	{
		fail(problem, ERRCODE_INVALID_TEXT_REPRESENTATION,
			 "range of column \"%s\" has an end that is not a number: %s",
			 column, quoted ? quote_literal_cstr(text) : text);
		problem->hint = psprintf(type->type == INTERVALOID ? "A range of type %s is in seconds and looks like RANGE [0, 86400]." :
								 "A range of type %s looks like RANGE [18, 100].",
								 format_type_be(type->type));
		return false;
	}
	if (!isfinite(*end))
	{
		fail(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "range of column \"%s\" is not finite: %s", column, text);
		problem->hint = "Values outside the range are moved to its ends, so a finite range never loses a row.";
		return false;
	}
	return true;
}

/* An integer column holds the integers of its range only. */
static bool
shrink_range(const char *column, const DpsLabelType *type, DpsColumnAnnotation *annotation,
			 DpsLabelProblem *problem)
{
	double		lo = Max(ceil(annotation->lo), type->lo);
	double		hi = Min(floor(annotation->hi), type->hi);

	if (type->hi == LAST_INTEGER &&
		(annotation->lo < type->lo || annotation->hi > type->hi))
	{
		fail(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
			 "range of column \"%s\" exceeds 2^53", column);
		problem->detail = "Beyond it, the integers of type bigint cannot be told apart.";
		problem->hint = "Use a range between -9007199254740992 and 9007199254740992.";
		return false;
	}
	if (lo > hi)
	{
		fail(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "range of column \"%s\" holds no value of type %s", column, format_type_be(type->type));
		problem->detail = psprintf("The range is [%s, %s].", dps_format_number(annotation->lo),
								   dps_format_number(annotation->hi));
		return false;
	}
	annotation->lo = lo + 0.0;	/* ceil(-0.5) is -0 */
	annotation->hi = hi + 0.0;
	return true;
}

static bool
resolve_range(const DpsColumnLabel *label, const char *column, Oid base_type,
			  DpsColumnAnnotation *annotation, DpsLabelProblem *problem)
{
	const DpsLabelType *type = dps_find_label_type(base_type);

	if (type == NULL)
		return fail_type(problem, column, base_type);
	if (!resolve_end(label->lo, label->quoted, column, type, &annotation->lo, problem) ||
		!resolve_end(label->hi, label->quoted, column, type, &annotation->hi, problem))
		return false;
	if (annotation->lo > annotation->hi)
	{
		fail(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "range of column \"%s\" ends before it begins", column);
		problem->detail = psprintf("The range is [%s, %s].", label->lo, label->hi);
		problem->hint = "Write the smaller end first.";
		return false;
	}
	annotation->has_range = true;
	return type->integral ? shrink_range(column, type, annotation, problem) : true;
}

bool
dps_resolve_column_label(const DpsColumnLabel *label, const char *column, Oid base_type,
						 DpsColumnAnnotation *annotation, DpsLabelProblem *problem)
{
	memset(annotation, 0, sizeof(*annotation));
	annotation->weight = label->weight;
	annotation->is_public = label->is_public;
	annotation->is_unit = label->is_unit;
	annotation->by_reference = label->by_reference;
	annotation->has_values = label->has_values;
	if (label->has_weight && !(label->weight > 0 && isfinite(label->weight)))
	{
		fail(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "weight of column \"%s\" must be positive and finite", column);
		problem->hint = "Under adjacency metric, a distance of 1 is a move of the column by one over its weight.";
		return false;
	}
	if (label->has_weight && label->lo == NULL && base_type != BOOLOID)
	{
		fail(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "column \"%s\" has a weight but no range", column);
		problem->hint = "Write RANGE [lo, hi] WEIGHT w.";
		return false;
	}
	if (label->is_public && label->is_unit)
	{
		fail(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "column \"%s\" cannot be both the privacy unit and public", column);
		problem->hint = "The unit says whom the promise protects.";
		return false;
	}
	return label->lo != NULL ? resolve_range(label, column, base_type, annotation, problem) : true;
}

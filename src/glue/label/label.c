/*
 * label.c
 *		The grammar of dpsens labels.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/once.h"
#include "glue/label/label.h"

#define RELATION_GRAMMAR "A table's label consists of PROTECTED, ADJACENCY followed by one of add_remove, replace, attribute, metric, limits for units of several rows: MAX ROWS n, MAX ROWS PER GROUP n, MAX GROUPS n, and GROUP SIZE k for units that are protected together; or it is PUBLIC."
#define COLUMN_GRAMMAR "A column's label consists of RANGE [lo, hi], RANGE [lo, hi] WHEN \"column\" = 'value', WEIGHT w, VALUES ('a', 'b'), PUBLIC, UNIT, or UNIT BY REFERENCE for a foreign key to the table with the unit; UNIT 1 OF 2 for the first of two columns that are the unit together."
#define FUNCTION_GRAMMAR "A function's label is EXPRESSION or TRUSTED."

static const char *const adjacency_names[] = {
	[DPS_ADD_REMOVE] = "add_remove",
	[DPS_REPLACE] = "replace",
	[DPS_ATTRIBUTE] = "attribute",
	[DPS_METRIC] = "metric"
};

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

bool
dps_fail_label(DpsLabelProblem *problem, int sqlerrcode, const char *format,...)
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

/* The state of the parser of a label. */
typedef struct Scanner
{
	const char *at;
	char	   *grammar;		/* the hint of a syntax error */
	DpsLabelProblem *problem;
	bool		skips_values;	/* declared values are checked but not kept */
	DpsTexts   *values;			/* if not NULL, they go here, and their bytes are
								 * in the text, which is overwritten */
} Scanner;

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* A character of a name or number.  Bytes above ASCII count as letters, so that an error
 * message never cuts a multibyte character. */
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
		dps_fail_label(scanner->problem, ERRCODE_SYNTAX_ERROR, "syntax error at end of dpsens label");
	else
		dps_fail_label(scanner->problem, ERRCODE_SYNTAX_ERROR, "syntax error in dpsens label at or near \"%.*s\"",
			 (int) dps_max(word_length(scanner->at), 1), scanner->at);
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

/* A string in single quotes, which are doubled inside.  If string is NULL it is not
 * kept: a list may have a million of them. */
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

/* A name in double quotes, which are doubled inside, as long as a name can be. */
static bool
scan_name(Scanner *scanner, char **name)
{
	const char *at;
	int			n = 0;

	skip_blanks(scanner);
	if (*scanner->at != '"')
		return false;
	*name = palloc(NAMEDATALEN);
	for (at = scanner->at + 1; *at != '"' || at[1] == '"'; at++)
	{
		if (*at == '\0' || n == NAMEDATALEN - 1)
			return false;
		at += *at == '"';
		(*name)[n++] = *at;
	}
	(*name)[n] = '\0';
	scanner->at = at + 1;
	return n > 0;
}

/* Like scan_string, but writes the string behind the previous ones, within the text.
 * There is room: the label has quotes and a comma between strings. */
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

/* A number from 1 to most. */
static bool
scan_count(Scanner *scanner, long most, int32 *count)
{
	const char *start = scanner->at;
	char	   *word;
	char	   *end;
	long		n;

	if (!scan_word(scanner, &word))
		return fail_here(scanner);
	n = strtol(word, &end, 10);
	if (*end != '\0' || n < 1 || n > most)
	{
		scanner->at = start;
		return fail_here(scanner);
	}
	*count = n;
	return true;
}

/* A limit, after MAX; an error if it is declared already. */
static bool
scan_limit(Scanner *scanner, DpsUnitLimits *limits)
{
	int32	   *limit;

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
	if (*limit != 0)
		return fail_here(scanner);
	return scan_count(scanner, DPS_MAX_UNIT_ROWS, limit);
}

/* GROUP SIZE k, if it is there, which only bounds what is lost where neighbours differ in whole units. */
static bool
scan_group_size(Scanner *scanner, DpsRelationLabel *label)
{
	if (!accept_word(scanner, "GROUP"))
		return true;
	if (!accept_word(scanner, "SIZE"))
		return fail_here(scanner);
	if (!scan_count(scanner, DPS_MAX_GROUP_SIZE, &label->group_size))
		return false;
	if (label->group_size == 1 || label->adjacency == DPS_ADD_REMOVE || label->adjacency == DPS_REPLACE)
		return true;
	dps_fail_label(scanner->problem, ERRCODE_FEATURE_NOT_SUPPORTED, "groups of units are not supported under adjacency %s",
				   dps_adjacency_name(label->adjacency));
	scanner->problem->detail = "Its neighbours differ in less than a unit.";
	scanner->problem->hint = "Protect the table with adjacency add_remove or replace, or with group_size => 1.";
	return false;
}

bool
dps_parse_relation_label(const char *text, DpsRelationLabel *label, DpsLabelProblem *problem)
{
	Scanner		scanner = {.at = text, .grammar = RELATION_GRAMMAR, .problem = problem};

	memset(label, 0, sizeof(*label));
	label->adjacency = DPS_ADD_REMOVE;
	label->group_size = 1;
	if (accept_word(&scanner, "PUBLIC"))
		return (label->is_public = at_end(&scanner)) ? true : fail_here(&scanner);
	if (!accept_word(&scanner, "PROTECTED"))
		return fail_here(&scanner);
	if (accept_word(&scanner, "ADJACENCY") && !scan_adjacency(&scanner, &label->adjacency))
		return false;
	while (accept_word(&scanner, "MAX"))
	{
		if (!scan_limit(&scanner, &label->limits))
			return false;
	}
	if (!scan_group_size(&scanner, label))
		return false;
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

	if (label->is_public)
		return pstrdup("PUBLIC");
	initStringInfo(&text);
	appendStringInfo(&text, "PROTECTED ADJACENCY %s", dps_adjacency_name(label->adjacency));
	append_limit(&text, "ROWS", label->limits.rows);
	append_limit(&text, "ROWS PER GROUP", label->limits.rows_per_group);
	append_limit(&text, "GROUPS", label->limits.groups);
	if (label->group_size > 1)
		appendStringInfo(&text, " GROUP SIZE %d", label->group_size);
	return text.data;
}

/*
 * Decimal numbers only: strtod also accepts hexadecimal ones.  NaN and infinity are
 * accepted here, so that a later check refuses them with a better message than a syntax
 * error.
 */
bool
dps_parse_number(const char *text, double *number)
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
scan_ends(Scanner *scanner, DpsLabelRange *range)
{
	bool		quoted;

	if (!accept_character(scanner, '['))
		return fail_here(scanner);
	skip_blanks(scanner);
	quoted = *scanner->at == '\'';
	if (!(quoted ? scan_string(scanner, &range->lo) : scan_word(scanner, &range->lo)) ||
		!accept_character(scanner, ',') ||
		!(quoted ? scan_string(scanner, &range->hi) : scan_word(scanner, &range->hi)) ||
		!accept_character(scanner, ']'))
		return fail_here(scanner);
	range->quoted = quoted;
	return true;
}

/* After WHEN. */
static bool
scan_key(Scanner *scanner, DpsKeyedLabel *keyed)
{
	if (!scan_name(scanner, &keyed->key) || !accept_character(scanner, '=') || !scan_string(scanner, &keyed->value))
		return fail_here(scanner);
	return true;
}

DpsKeyedLabel *
dps_find_keyed_label(const List *keyed, const char *key, const char *value)
{
	ListCell   *cell;

	foreach(cell, keyed)
	{
		DpsKeyedLabel *one = lfirst(cell);

		if (strcmp(one->key, key) == 0 && strcmp(one->value, value) == 0)
			return one;
	}
	return NULL;
}

/* RANGE [lo, hi], once, or RANGE [lo, hi] WHEN "column" = 'value', once for each value. */
static bool
scan_range(Scanner *scanner, const char *clause, DpsColumnLabel *label)
{
	DpsKeyedLabel *keyed = palloc0(sizeof(*keyed));

	if (!scan_ends(scanner, &keyed->range))
		return false;
	if (accept_word(scanner, "WHEN"))
	{
		if (list_length(label->keyed) == DPS_MAX_KEYED_RANGES)
			return dps_fail_label(scanner->problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, "a column can have at most %d ranges that depend on another",
								  DPS_MAX_KEYED_RANGES);
		label->keyed = lappend(label->keyed, keyed);
		return scan_key(scanner, keyed);
	}
	if (label->range.lo == NULL)
	{
		label->range = keyed->range;
		return true;
	}
	scanner->at = clause;
	return fail_here(scanner);
}

static bool
scan_weight(Scanner *scanner, DpsColumnLabel *label)
{
	const char *start = scanner->at;
	char	   *word;

	if (!scan_word(scanner, &word))
		return fail_here(scanner);
	if (!dps_parse_number(word, &label->weight))
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

static int
compare_keyed(const void *a, const void *b)
{
	const DpsKeyedLabel *one = *(DpsKeyedLabel *const *) a;
	const DpsKeyedLabel *other = *(DpsKeyedLabel *const *) b;
	int			order = strcmp(one->key, other->key);

	return order != 0 ? order : strcmp(one->value, other->value);
}

/* An error if there are two ranges for the same value. */
static bool
check_keyed(Scanner *scanner, const DpsColumnLabel *label)
{
	int			n = list_length(label->keyed);
	DpsKeyedLabel **sorted = palloc(sizeof(DpsKeyedLabel *) * Max(n, 1));
	ListCell   *cell;
	int			i = 0;

	foreach(cell, label->keyed)
		sorted[i++] = lfirst(cell);
	qsort(sorted, n, sizeof(*sorted), compare_keyed);
	for (i = 1; i < n; i++)
	{
		if (compare_keyed(&sorted[i - 1], &sorted[i]) == 0)
			return dps_fail_label(scanner->problem, ERRCODE_SYNTAX_ERROR, "dpsens label has two ranges for \"%s\" = %s", sorted[i]->key,
								  quote_literal_cstr(sorted[i]->value));
	}
	pfree(sorted);
	return true;
}

/* 1 OF 2, if it is there: the column's place among several. */
static bool
scan_place(Scanner *scanner, DpsColumnLabel *label)
{
	const char *start = scanner->at;

	label->unit_place = label->unit_size = 1;
	skip_blanks(scanner);
	if (*scanner->at < '0' || *scanner->at > '9')
		return true;
	if (!scan_count(scanner, DPS_MAX_UNIT_COLUMNS, &label->unit_place))
		return false;
	if (!accept_word(scanner, "OF"))
		return fail_here(scanner);
	if (!scan_count(scanner, DPS_MAX_UNIT_COLUMNS, &label->unit_size))
		return false;
	if (label->unit_size > 1 && label->unit_place <= label->unit_size)
		return true;
	scanner->at = start;
	return fail_here(scanner);
}

/* UNIT, or UNIT BY REFERENCE, with a place in between. */
static bool
scan_unit(Scanner *scanner, DpsColumnLabel *label)
{
	label->is_unit = true;
	if (!scan_place(scanner, label))
		return false;
	if (!accept_word(scanner, "BY"))
		return true;
	label->by_reference = accept_word(scanner, "REFERENCE");
	return label->by_reference ? true : fail_here(scanner);
}

/* A repeated clause is a syntax error at its second occurrence. */
static bool
scan_column_label(Scanner *scanner, DpsColumnLabel *label)
{
	memset(label, 0, sizeof(*label));
	label->weight = 1;
	if (at_end(scanner))
		return fail_here(scanner);
	while (!at_end(scanner))
	{
		const char *clause = scanner->at;
		bool		good;

		if (accept_word(scanner, "RANGE"))
			good = scan_range(scanner, clause, label);
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
		CHECK_FOR_INTERRUPTS();
	}
	return check_keyed(scanner, label);
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

/* Quotes are doubled inside. */
static void
append_quoted(StringInfo text, char quote, const char *string)
{
	appendStringInfoChar(text, quote);
	for (; *string != '\0'; string++)
	{
		if (*string == quote)
			appendStringInfoChar(text, quote);
		appendStringInfoChar(text, *string);
	}
	appendStringInfoChar(text, quote);
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
append_range(StringInfo text, const DpsLabelRange *range)
{
	append_clause(text, "RANGE [");
	if (range->quoted)
	{
		append_quoted(text, '\'', range->lo);
		appendStringInfoString(text, ", ");
		append_quoted(text, '\'', range->hi);
	}
	else
		appendStringInfo(text, "%s, %s", range->lo, range->hi);
	appendStringInfoChar(text, ']');
}

static void
append_keyed_ranges(StringInfo text, const List *keyed)
{
	ListCell   *cell;

	foreach(cell, keyed)
	{
		const DpsKeyedLabel *one = lfirst(cell);

		append_range(text, &one->range);
		appendStringInfoString(text, " WHEN ");
		append_quoted(text, '"', one->key);
		appendStringInfoString(text, " = ");
		append_quoted(text, '\'', one->value);
	}
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
		append_quoted(text, '\'', lfirst(cell));
		separator = ", ";
	}
	appendStringInfoChar(text, ')');
}

static void
append_unit(StringInfo text, const DpsColumnLabel *label)
{
	append_clause(text, "UNIT");
	if (label->unit_size > 1)
		appendStringInfo(text, " %d OF %d", label->unit_place, label->unit_size);
	if (label->by_reference)
		appendStringInfoString(text, " BY REFERENCE");
}

char *
dps_format_column_label(const DpsColumnLabel *label)
{
	StringInfoData text;

	initStringInfo(&text);
	if (label->range.lo != NULL)
		append_range(&text, &label->range);
	append_keyed_ranges(&text, label->keyed);
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
		append_unit(&text, label);
	return text.len > 0 ? text.data : NULL;
}

/*
 * zone_text.c
 *		Time zones that the text of a cell names.
 *
 * A zone may be a POSIX rule, as in 'XYZ5:30'.  The server keeps each zone that it has read, with 23 kB,
 * until the process ends: casting a table of a million texts to times could take 23 GB.  So a text that may
 * name a POSIX rule is not accepted as a date or time here.  Then the server keeps at most the zones of its
 * files, some 600.
 *
 * Proof sketch.  Precondition: the server's input functions are about to read dates or times from the
 * string.  Postcondition: where dps_names_known_zones() is true, they call pg_tzset with one of a bounded
 * number of names.  ParseDateTime (datetime.c of 15 to 18) splits the text into pieces; only whole pieces
 * that begin with a letter are passed to pg_tzset.  A POSIX rule has an offset, so a digit, after its first
 * name; a piece without digits is no rule.  The pieces here are those of the server or longer: bytes beyond
 * ASCII count as letters, and a word that is not one of the server's words begins a zone.  Pieces with
 * digits are accepted only if they are one of these: a month, a day and a year from 1000 on, where the year
 * is no offset, since offsets end at 167 hours; and the names of files and of hours from GMT, fewer than
 * 400.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "guard/condition/zone_text.h"

#define DIGITS "0123456789"

bool
dps_reads_zones(Oid type)
{
	switch (getBaseType(type))
	{
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IS_HIGHBIT_SET(c);
}

static size_t
letters(const char *at)
{
	size_t		n = 0;

	while (is_letter(at[n]))
		n++;
	return n;
}

static bool
is_one_of(const char *const *words, const char *at, size_t length)
{
	for (; *words != NULL; words++)
	{
		if (strlen(*words) == length && pg_strncasecmp(*words, at, length) == 0)
			return true;
	}
	return false;
}

static bool
is_month(const char *at, size_t length)
{
	static const char *const months[] = {
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
		NULL
	};

	return is_one_of(months, at, length);
}

/* Is it one of the words after which the server begins a new piece at a digit or a plus? */
static bool
is_word(const char *at, size_t length)
{
	static const char *const words[] = {
		"t", "j", "jd", "julian", "am", "pm", "ad", "bc",
		"sun", "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat",
		"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", NULL
	};

	return is_month(at, length) || is_one_of(words, at, length);
}

/* Is the piece a month, day and year, as in Jan-08-1999? */
static bool
is_date(const char *piece, size_t length)
{
	size_t		month = letters(piece);
	size_t		day;
	const char *year;

	if (!is_month(piece, month))
		return false;
	day = strspn(piece + month + 1, DIGITS);
	year = piece + month + 1 + day + 1;
	return (day == 1 || day == 2) && year + 4 == piece + length && year[-1] == piece[month] && year[0] != '0' &&
		strspn(year, DIGITS) >= 4;
}

/* Is the piece a zone of the server's files whose name has digits? */
static bool
is_known_zone(const char *piece, size_t length)
{
	static const char *const files[] = {"est5edt", "cst6cdt", "mst7mdt", "pst8pdt", NULL};
	static const char *const bases[] = {"gmt", "utc", "etc/gmt", "etc/utc", NULL};
	size_t		name = strcspn(piece, "+-" DIGITS);
	const char *hours = piece + name + (piece[name] == '+' || piece[name] == '-');
	size_t		ndigits = piece + length - hours;

	if (is_one_of(files, piece, length))
		return true;
	return is_one_of(bases, piece, name) && (ndigits == 1 || ndigits == 2) && strspn(hours, DIGITS) >= ndigits && atoi(hours) <= 14;
}

/* The length of a piece that begins with a letter, or 0 if it may be a POSIX rule. */
static size_t
length_of_word(const char *at)
{
	size_t		word = letters(at);
	size_t		length = word;

	/* the same characters as in ParseDateTime: no other one continues a word */
	if (at[word] == '\0' || strchr("-/.+" DIGITS, at[word]) == NULL)
		return word;
	if ((at[word] == '+' || is_digit(at[word])) && is_word(at, word))
		return word;
	while (at[length] != '\0' && (is_letter(at[length]) || strchr("+-/_.:" DIGITS, at[length]) != NULL))
		length++;
	if (strcspn(at, DIGITS) >= length || is_date(at, length) || is_known_zone(at, length))
		return length;
	return 0;
}

/* The length of a number, a time, or a date with or without a month's name. */
static size_t
length_of_number(const char *at)
{
	size_t		length = strspn(at, DIGITS);
	char		sign = at[length];

	if (sign == ':')
		return length + strspn(at + length, ":." DIGITS);
	if (sign == '\0' || strchr("-/.", sign) == NULL)
		return length;
	length++;
	if (!is_digit(at[length]))
	{
		while (at[length] == sign || is_digit(at[length]) || (is_letter(at[length]) && !IS_HIGHBIT_SET(at[length])))
			length++;
		return length;
	}
	length += strspn(at + length, DIGITS);
	if (at[length] == sign)
	{
		while (at[length] == sign || is_digit(at[length]))
			length++;
	}
	return length;
}

/* The length of a piece that begins with a sign: an offset from UTC. */
static size_t
length_of_offset(const char *at)
{
	size_t		length = 1;

	while (isspace((unsigned char) at[length]))
		length++;
	return is_digit(at[length]) ? length + strspn(at + length, ":.-" DIGITS) : length;
}

static size_t
length_of_piece(const char *at)
{
	if (is_digit(*at))
		return length_of_number(at);
	if (is_letter(*at))
		return length_of_word(at);
	if (*at == '+' || *at == '-')
		return length_of_offset(at);
	return *at == '.' ? 1 + strspn(at + 1, DIGITS) : 1;
}

bool
dps_names_known_zones(const char *text)
{
	size_t		length;

	while (*text != '\0' && (length = length_of_piece(text)) > 0)
		text += length;
	return *text == '\0';
}

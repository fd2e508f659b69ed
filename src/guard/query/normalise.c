/*
 * normalise.c
 *		A statement's text as the history records it.
 *
 * The server's scanner is not used, because it raises errors, and the text may have been parsed under other
 * settings than the present ones.  Quoted parts are recognised only as far as comments and blanks in them
 * require; the worst consequence of a mistake is a missing blank in a record.
 */
#include "postgres.h"

#include <ctype.h>

#include "lib/stringinfo.h"

#include "guard/query/normalise.h"

typedef struct Reader
{
	const char *next;
	const char *end;
} Reader;

static bool
starts(const Reader *reader, const char *token)
{
	Size		length = strlen(token);

	return (Size) (reader->end - reader->next) >= length && memcmp(reader->next, token, length) == 0;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool
is_word(char c)
{
	return isalnum((unsigned char) c) || c == '_' || IS_HIGHBIT_SET(c);
}

/* Comments may be nested. */
static void
skip_block_comment(Reader *reader)
{
	int			depth = 0;

	do
	{
		if (starts(reader, "/*"))
			depth++;
		else if (starts(reader, "*/"))
			depth--;
		else
		{
			reader->next++;
			continue;
		}
		reader->next += 2;
	} while (depth > 0 && reader->next < reader->end);
}

/* Skips white space and comments; was there any? */
static bool
skip_blanks(Reader *reader)
{
	const char *start = reader->next;

	while (reader->next < reader->end)
	{
		if (is_space(*reader->next))
			reader->next++;
		else if (starts(reader, "--"))
		{
			while (reader->next < reader->end && *reader->next != '\n')
				reader->next++;
		}
		else if (starts(reader, "/*"))
			skip_block_comment(reader);
		else
			break;
	}
	return reader->next > start;
}

/* The end of a string or quoted name; a doubled quote counts as the end of one string and the begin of
 * another. */
static const char *
quoted_end(const Reader *reader, bool backslashes)
{
	char		quote = *reader->next;
	const char *c;

	for (c = reader->next + 1; c < reader->end && *c != quote; c++)
	{
		if (backslashes && *c == '\\' && c + 1 < reader->end)
			c++;
	}
	return Min(c + 1, reader->end);
}

/* The end of $tag$...$tag$, or NULL if this is no such string. */
static const char *
dollar_quoted_end(const Reader *reader)
{
	const char *tag_end = reader->next + 1;
	Size		tag;
	const char *c;

	while (tag_end < reader->end && is_word(*tag_end))
		tag_end++;
	if (tag_end >= reader->end || *tag_end != '$' || isdigit((unsigned char) reader->next[1]))
		return NULL;
	tag = tag_end + 1 - reader->next;
	for (c = tag_end + 1; c + tag <= reader->end; c++)
	{
		if (memcmp(c, reader->next, tag) == 0)
			return c + tag;
	}
	return reader->end;
}

/* The end of the next token: a quoted part, a word or one character, copied unchanged. */
static const char *
token_end(const Reader *reader)
{
	const char *c = reader->next;
	const char *end = NULL;

	if (*c == '\'' || *c == '"')
		return quoted_end(reader, false);
	if ((*c == 'e' || *c == 'E') && c + 1 < reader->end && c[1] == '\'')
	{
		Reader		string = {c + 1, reader->end};

		return quoted_end(&string, true);
	}
	if (*c == '$')
		end = dollar_quoted_end(reader);
	if (end != NULL || !is_word(*c))
		return end != NULL ? end : c + 1;
	while (c < reader->end && (is_word(*c) || *c == '$'))
		c++;
	return c;
}

char *
dps_normalise_statement(const char *text, Size length)
{
	Reader		reader = {text, text + length};
	StringInfoData normal;

	initStringInfo(&normal);
	(void) skip_blanks(&reader);
	while (reader.next < reader.end)
	{
		const char *end = token_end(&reader);

		appendBinaryStringInfo(&normal, reader.next, end - reader.next);
		reader.next = end;
		if (skip_blanks(&reader) && reader.next < reader.end)
			appendStringInfoChar(&normal, ' ');
	}
	while (normal.len > 0 && (normal.data[normal.len - 1] == ';' || normal.data[normal.len - 1] == ' '))
		normal.data[--normal.len] = '\0';
	return normal.data;
}

char *
dps_statement_text(const char *message, int location, int length)
{
	const char *text = message != NULL ? message : "";
	Size		size = strlen(text);

	if (location > 0 && (Size) location <= size)
	{
		text += location;
		size -= location;
	}
	if (length > 0 && (Size) length < size)
		size = length;
	return dps_normalise_statement(text, size);
}

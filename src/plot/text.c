/*
 * text.c
 *		Figures as lines of text, for terminals.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "plot/text.h"
#include "base/once.h"
#include "num/whole.h"

DpsFormat
dps_figure_format(FunctionCallInfo fcinfo, int argument)
{
	char	   *name = PG_ARGISNULL(argument) ? pstrdup("svg") : text_to_cstring(PG_GETARG_TEXT_PP(argument));

	if (strcmp(name, "svg") == 0)
		return DPS_FORMAT_SVG;
	if (strcmp(name, "ascii") == 0)
		return DPS_FORMAT_ASCII;
	if (strcmp(name, "text") == 0)
		return GetDatabaseEncoding() == PG_UTF8 && pg_get_client_encoding() == PG_UTF8 ?
			DPS_FORMAT_BLOCKS : DPS_FORMAT_ASCII;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no figure of format \"%s\"", name),
			 errhint("Formats are svg, text and ascii.")));
	return DPS_FORMAT_SVG;		/* keep compiler quiet */
}

/* Appends as much of the label as fits, and returns the number of columns. */
static int
append_label(StringInfo text, int columns, const char *label)
{
	int			used = 0;

	while (*label != '\0')
	{
		int			length = pg_mblen(label);
		int			width = pg_dsplen(label);

		if (width >= 0 && (unsigned char) *label >= ' ')
		{
			if (used + width > columns)
				break;
			appendBinaryStringInfo(text, label, length);
			used += width;
		}
		label += length;
	}
	return used;
}

int
dps_text_columns(const char *label)
{
	StringInfoData scratch;
	int			columns;

	initStringInfo(&scratch);
	columns = append_label(&scratch, DPS_TEXT_WIDTH, label);
	pfree(scratch.data);
	return columns;
}

void
dps_text_title(StringInfo text, const char *title)
{
	if (*title == '\0')
		return;
	append_label(text, DPS_TEXT_WIDTH, title);
	appendStringInfoString(text, "\n\n");
}

void
dps_text_right(StringInfo text, int columns, const char *label)
{
	appendStringInfoSpaces(text, dps_max(columns - dps_text_columns(label), 0));
	append_label(text, columns, label);
}

void
dps_text_left(StringInfo text, int columns, const char *label)
{
	appendStringInfoSpaces(text, columns - append_label(text, columns, label));
}

/* Blocks that fill 1 to 7 eighths of a character from the left, in UTF-8; used only if
 * that is the server's encoding. */
static const char *const eighths[] = {
	"", "\xE2\x96\x8F", "\xE2\x96\x8E", "\xE2\x96\x8D", "\xE2\x96\x8C", "\xE2\x96\x8B", "\xE2\x96\x8A", "\xE2\x96\x89"
};

#define FULL_BLOCK "\xE2\x96\x88"
#define RIGHT_HALF "\xE2\x96\x90"

static void
append_repeatedly(StringInfo text, const char *string, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		appendStringInfoString(text, string);
}

/* Blocks are filled from the left, except one for the right half.  So a bar begins at a
 * whole or half character, and ends at any eighth if its last character is filled from
 * the left. */
void
dps_text_bar(StringInfo text, DpsFormat format, int columns, double from, double to)
{
	bool		blocks = format == DPS_FORMAT_BLOCKS;
	int			parts = blocks ? 8 : 1;
	int			start = dps_to_int32(blocks ? 4 * rint(from * columns * 2) : rint(from * columns));
	int			end = dps_to_int32(rint(to * columns * parts));
	int			first = (start + parts - 1) / parts;
	int			used = start / parts;

	appendStringInfoSpaces(text, used);
	if (end <= start)
	{
		/* a bar that is too short for a part of a character is drawn as the smallest one */
		if (to > from && used < columns)
		{
			appendStringInfoString(text, blocks ? eighths[1] : "|");
			used++;
		}
		appendStringInfoSpaces(text, columns - used);
		return;
	}
	if (first * parts > start)
		appendStringInfoString(text, RIGHT_HALF);
	append_repeatedly(text, blocks ? FULL_BLOCK : "#", end / parts - first);
	used = Max(end / parts, first);
	if (end % parts > 0 && end / parts >= first)
	{
		appendStringInfoString(text, eighths[end % parts]);
		used++;
	}
	appendStringInfoSpaces(text, Max(columns - used, 0));
}

const char *
dps_text_shade(DpsFormat format, int shade)
{
	static const char *const blocks[DPS_SHADES] = {" ", "\xE2\x96\x91", "\xE2\x96\x92", "\xE2\x96\x93", FULL_BLOCK};
	static const char *const ascii[DPS_SHADES] = {" ", ".", ":", "*", "#"};

	return (format == DPS_FORMAT_BLOCKS ? blocks : ascii)[shade];
}

void
dps_text_newline(StringInfo text)
{
	while (text->len > 0 && text->data[text->len - 1] == ' ')
		text->data[--text->len] = '\0';
	appendStringInfoChar(text, '\n');
}

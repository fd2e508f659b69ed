/*
 * text.h
 *		Figures as lines of text, for terminals: at most 80 columns, of block
 *		characters if server and client use UTF-8, else of ASCII.
 */
#ifndef DPS_PLOT_TEXT_H
#define DPS_PLOT_TEXT_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#define DPS_TEXT_WIDTH 80

typedef enum DpsFormat
{
	DPS_FORMAT_SVG,
	DPS_FORMAT_BLOCKS,
	DPS_FORMAT_ASCII
} DpsFormat;

/* The format of an argument 'svg', 'text' or 'ascii', svg for NULL; raises an error for any
 * other value. */
extern DpsFormat dps_figure_format(FunctionCallInfo fcinfo, int argument);

/* Appends the title and an empty line; nothing for an empty title. */
extern void dps_text_title(StringInfo text, const char *title);

/* The number of columns that a label fills on a terminal, at most DPS_TEXT_WIDTH. */
extern int	dps_text_columns(const char *label);

/* Append a label, right-justified or left-justified in this number of columns, and
 * truncated if it is longer; control characters are left out. */
extern void dps_text_right(StringInfo text, int columns, const char *label);
extern void dps_text_left(StringInfo text, int columns, const char *label);

/* Appends a bar in a field of this number of columns, of which it fills the part between
 * two shares, 0 <= from <= to <= 1. */
extern void dps_text_bar(StringInfo text, DpsFormat format, int columns, double from, double to);

/* One of the five shades, from 0, a blank. */
#define DPS_SHADES 5
extern const char *dps_text_shade(DpsFormat format, int shade);

/* Removes trailing blanks and ends the line. */
extern void dps_text_newline(StringInfo text);

#endif							/* DPS_PLOT_TEXT_H */

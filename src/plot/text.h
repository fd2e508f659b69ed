/*
 * text.h
 *		Figures as lines of text, for terminals: at most 80 columns, of block
 *		characters where the client can show them and else of ASCII.
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

/* The argument 'svg', 'text' or 'ascii'; raises if it is something else. */
extern DpsFormat dps_figure_format(FunctionCallInfo fcinfo, int argument);

/* The first line; nothing for an empty title. */
extern void dps_text_title(StringInfo text, const char *title);

/* The columns that a label fills on a terminal. */
extern int	dps_text_columns(const char *label);

/* Right-justified or left-justified in so many columns, cut if it is longer;
 * control characters are left out. */
extern void dps_text_right(StringInfo text, int columns, const char *label);
extern void dps_text_left(StringInfo text, int columns, const char *label);

/* A bar in a field of so many columns, of which it fills the part between two
 * shares, 0 <= from <= to <= 1. */
extern void dps_text_bar(StringInfo text, DpsFormat format, int columns, double from, double to);

/* One of the five shades, 0 the lightest (a blank). */
#define DPS_SHADES 5
extern const char *dps_text_shade(DpsFormat format, int shade);

/* Ends a line without blanks at its end. */
extern void dps_text_newline(StringInfo text);

#endif							/* DPS_PLOT_TEXT_H */

/*
 * text_frame.c
 *		A frame of characters with two axes, for figures that are lines of text.
 */
#include "postgres.h"

#include "plot/text.h"
#include "plot/text_frame.h"
#include "base/once.h"
#include "num/whole.h"

#define TICK_COLUMNS 11

int
dps_text_place(const DpsAxis *axis, double value, int n)
{
	double		share = (value / 2 - axis->lo / 2) / (axis->hi / 2 - axis->lo / 2);

	return dps_min(dps_max(dps_to_int32(share * n), 0), n - 1);
}

void
dps_text_frame_top(StringInfo text, const char *label)
{
	dps_text_right(text, TICK_COLUMNS, label);
	dps_text_newline(text);
}

void
dps_text_frame_line(StringInfo text, const DpsAxis *axis, int line)
{
	dps_text_right(text, TICK_COLUMNS,
				   line == DPS_TEXT_FRAME_LINES - 1 ? dps_svg_number(axis->hi) : line == 0 ? dps_svg_number(axis->lo) : "");
	appendStringInfoString(text, " |");
}

void
dps_text_frame_bottom(StringInfo text, const DpsAxis *axis, const char *label)
{
	int			half = DPS_TEXT_FRAME_COLUMNS / 2;
	int			label_columns = dps_min(dps_text_columns(label), 2 * (half - TICK_COLUMNS));

	appendStringInfoSpaces(text, TICK_COLUMNS + 2);
	dps_text_left(text, TICK_COLUMNS, dps_svg_number(axis->lo));
	dps_text_right(text, half - TICK_COLUMNS + label_columns / 2, label);
	dps_text_right(text, half - label_columns / 2, dps_svg_number(axis->hi));
	appendStringInfoChar(text, '\n');
}

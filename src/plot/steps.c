/*
 * steps.c
 *		Shares that rise from time to time, in percent, as a figure.
 *
 * Lines differ in colour and in dashes, and each has its name at its end, so that nobody has to tell colours apart.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "plot/steps.h"
#include "plot/svg.h"
#include "base/once.h"
#include "num/whole.h"

#define HEIGHT 260
#define LABEL_CHARACTERS 12
#define LABEL_PITCH 15
#define TICKS 4

static const char *const colours[DPS_MAX_STEPS] = {"#3b6ea5", "#a5481a", "#2e7d4f", "#7a4fa3", "#5b6470", "#00707c"};
static const char *const dashes[DPS_MAX_STEPS] = {"none", "7 3", "2 3", "10 3 2 3", "4 4", "1 2"};

typedef struct Frame
{
	DpsAxis		x;
	DpsAxis		y;
	double		highest;
} Frame;

static double
highest_of(const DpsSteps *lines, int n)
{
	double		highest = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (lines[i].n > 0)
			highest = fmax(highest, lines[i].y[lines[i].n - 1]);
	}
	return highest;
}

static Frame
make_frame(const DpsSteps *lines, int n, double from, double to)
{
	Frame		frame;

	frame.highest = highest_of(lines, n);
	frame.x = dps_axis_x(from, to);
	frame.y = dps_axis_y(0, frame.highest >= 50 ? 100 : frame.highest > 0 ? frame.highest * 1.25 : 1);
	frame.y.from = DPS_SVG_TOP + HEIGHT;
	return frame;
}

static void
draw_line(StringInfo svg, const Frame *frame, const DpsSteps *line, int place)
{
	double		y = dps_axis_place(&frame->y, 0);
	int			i;

	appendStringInfo(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"%.1f,%.1f",
					 colours[place], dashes[place], frame->x.from, y);
	for (i = 0; i < line->n; i++)
	{
		appendStringInfo(svg, " %.1f,%.1f", dps_axis_place(&frame->x, fmax(line->x[i] - 1, frame->x.lo)), y);
		y = dps_axis_place(&frame->y, line->y[i]);
		appendStringInfo(svg, " %.1f,%.1f", dps_axis_place(&frame->x, line->x[i]), y);
	}
	appendStringInfo(svg, " %.1f,%.1f\"/>\n", frame->x.to, y);
}

static char *
short_label(const char *label)
{
	int			length = strlen(label);

	if (pg_mbstrlen_with_len(label, length) <= LABEL_CHARACTERS)
		return pstrdup(label);
	return psprintf("%.*s...", pg_mbcharcliplen(label, length, LABEL_CHARACTERS - 2), label);
}

/* Names at the ends, from above, each below the one before it: lines come by falling ends. */
static void
draw_names(StringInfo svg, const Frame *frame, const DpsSteps *lines, int n)
{
	double		free = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		double		end = dps_axis_place(&frame->y, lines[i].n > 0 ? lines[i].y[lines[i].n - 1] : 0);
		double		y = fmax(end + 4, free);

		dps_svg_text(svg, frame->x.to + 6, y, DPS_ANCHOR_START, short_label(lines[i].label));
		free = y + LABEL_PITCH;
	}
}

/* At most TICKS + 1 whole places. */
static void
draw_places(StringInfo svg, const Frame *frame, char *(*x_label) (double x))
{
	double		bottom = DPS_SVG_TOP + HEIGHT;
	double		step = fmax(1, ceil((frame->x.hi - frame->x.lo) / TICKS));
	int			k;

	dps_svg_line(svg, frame->x.from, bottom, frame->x.to, bottom, "#222222");
	for (k = 0; k <= TICKS && frame->x.hi - k * step >= frame->x.lo; k++)
	{
		double		value = frame->x.hi - k * step;
		double		x = dps_axis_place(&frame->x, value);

		dps_svg_line(svg, x, bottom, x, bottom + 5, "#222222");
		dps_svg_text(svg, x, bottom + 19, DPS_ANCHOR_MIDDLE, x_label(value));
	}
}

void
dps_svg_steps(StringInfo svg, const char *title, const DpsSteps *lines, int n, double from, double to,
			  char *(*x_label) (double x), const char *y_label)
{
	Frame		frame = make_frame(lines, n, from, to);
	int			i;

	dps_svg_begin(svg, HEIGHT, title);
	dps_svg_axis_y(svg, &frame.y, y_label);
	draw_places(svg, &frame, x_label);
	if (frame.y.hi >= 100)
		dps_svg_line(svg, frame.x.from, frame.y.to, frame.x.to, frame.y.to, DPS_SVG_MARK);
	dps_svg_text_in(svg, frame.x.from + 4, DPS_SVG_TOP - 5, DPS_ANCHOR_START,
					frame.y.hi >= 100 ? "100 %: nothing is left" : "100 %, where nothing is left, is further up", DPS_SVG_MARK);
	for (i = 0; i < dps_min(n, DPS_MAX_STEPS); i++)
		draw_line(svg, &frame, &lines[i], i);
	draw_names(svg, &frame, lines, dps_min(n, DPS_MAX_STEPS));
	dps_svg_end(svg);
}

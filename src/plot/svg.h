/*
 * svg.h
 *		Figures as self-contained SVG text: a frame with axes, and marks in it.
 *
 * Colours, sizes and fonts are defined here.  Text is escaped.
 */
#ifndef DPS_PLOT_SVG_H
#define DPS_PLOT_SVG_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* The whole figure and the frame inside, in pixels. */
#define DPS_SVG_WIDTH 640
#define DPS_SVG_LEFT 84
#define DPS_SVG_TOP 44
#define DPS_SVG_INNER_WIDTH 440
#define DPS_SVG_INNER_HEIGHT 320

#define DPS_SVG_BAR "#3b6ea5"
#define DPS_SVG_MARK "#c0392b"

/* From data to pixels. */
typedef struct DpsAxis
{
	double		lo;
	double		hi;
	double		from;			/* the pixel of lo */
	double		to;				/* the pixel of hi */
	double		least_step;		/* of ticks: 1 for integers */
} DpsAxis;

typedef enum DpsAnchor
{
	DPS_ANCHOR_START,
	DPS_ANCHOR_MIDDLE,
	DPS_ANCHOR_END
} DpsAnchor;

/* Horizontal and vertical axes of the frame; a range with lo == hi is widened. */
extern DpsAxis dps_axis_x(double lo, double hi);
extern DpsAxis dps_axis_y(double lo, double hi);

/* The least and the greatest of the numbers; 0 if there are none. */
extern void dps_axis_range(const double *numbers, int n, double *lo, double *hi);

static inline double
dps_axis_place(const DpsAxis *axis, double value)
{
	/* halves, so that no difference overflows */
	double		share = (value / 2 - axis->lo / 2) / (axis->hi / 2 - axis->lo / 2);

	return axis->from + share * (axis->to - axis->from);
}

/* Appends text, escaped for XML and HTML, attributes included. */
extern void dps_append_escaped(StringInfo text, const char *string);

/* Appends markup that is escaped already, its characters beyond ASCII as references. */
extern void dps_append_markup(StringInfo text, const char *markup);

/* Begins a figure of a given inner height, with a title. */
extern void dps_svg_begin(StringInfo svg, int inner_height, const char *title);
extern void dps_svg_end(StringInfo svg);

extern void dps_svg_text(StringInfo svg, double x, double y, DpsAnchor anchor, const char *text);
extern void dps_svg_text_in(StringInfo svg, double x, double y, DpsAnchor anchor, const char *text, const char *fill);
extern void dps_svg_rectangle(StringInfo svg, double x, double y, double width, double height, const char *fill);
extern void dps_svg_line(StringInfo svg, double x1, double y1, double x2, double y2, const char *stroke);
extern void dps_svg_circle(StringInfo svg, double x, double y, const char *fill);
extern void dps_svg_dot(StringInfo svg, double x, double y, const char *fill);

/* An axis with ticks at round numbers, their labels and its own label. */
extern void dps_svg_axis_x(StringInfo svg, const DpsAxis *axis, int inner_height, const char *label);
extern void dps_svg_axis_y(StringInfo svg, const DpsAxis *axis, const char *label);

/* A colour of a scale from dark to bright; t is clamped into [0, 1].  palloc'd. */
extern char *dps_svg_colour(double t);

/* A colour of a diverging scale from blue through white to red, palloc'd; t is clamped
 * into [-1, 1].  And a colour for text that is readable on it, which is constant. */
extern char *dps_svg_diverging(double t);
extern const char *dps_svg_ink(double t);

/* A number as a label, palloc'd: four significant digits, from 1000 to below 10^7 the
 * nearest integer. */
extern char *dps_svg_number(double value);

#endif							/* DPS_PLOT_SVG_H */

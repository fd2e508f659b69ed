/*
 * svg.c
 *		Figures as self-contained SVG text: a frame with axes, and marks in it.
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "plot/svg.h"
#include "base/once.h"
#include "num/whole.h"

#define FONT "font-family=\"sans-serif\" font-size=\"12\""
#define TITLE_CHARACTERS 84
#define BELOW 56				/* room for ticks and the label of an axis */

static DpsAxis
make_axis(double lo, double hi, double from, double to)
{
	DpsAxis		axis = {lo, hi, from, to, 0};

	if (lo == hi)
	{
		double		room = lo == 0 ? 1 : fabs(lo) / 2;

		axis.lo -= room;
		axis.hi += room;
	}
	return axis;
}

DpsAxis
dps_axis_x(double lo, double hi)
{
	return make_axis(lo, hi, DPS_SVG_LEFT, DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH);
}

DpsAxis
dps_axis_y(double lo, double hi)
{
	return make_axis(lo, hi, DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT, DPS_SVG_TOP);
}

void
dps_axis_range(const double *numbers, int n, double *lo, double *hi)
{
	int			i;

	*lo = *hi = n > 0 ? numbers[0] : 0;
	for (i = 1; i < n; i++)
	{
		*lo = fmin(*lo, numbers[i]);
		*hi = fmax(*hi, numbers[i]);
	}
}

/* Appends a character beyond ASCII as a numeric reference, so that figures and pages do
 * not depend on the encoding in which they are stored; returns its length.  Control
 * characters, and U+FFFE and U+FFFF, are left out. */
static int
append_character(StringInfo text, const char *c)
{
	int			length = pg_mblen(c);
	pg_wchar	code;

	if (GetDatabaseEncoding() != PG_UTF8)
	{
		appendBinaryStringInfo(text, c, length);
		return length;
	}
	code = utf8_to_unicode((const unsigned char *) c);
	if (code > 0x9F && (code & 0xFFFE) != 0xFFFE)
		appendStringInfo(text, "&#x%X;", (unsigned) code);
	return length;
}

void
dps_append_escaped(StringInfo text, const char *string)
{
	const char *c = string;

	while (*c != '\0')
	{
		if (IS_HIGHBIT_SET(*c))
		{
			c += append_character(text, c);
			continue;
		}
		switch (*c)
		{
			case '&':
				appendStringInfoString(text, "&amp;");
				break;
			case '<':
				appendStringInfoString(text, "&lt;");
				break;
			case '>':
				appendStringInfoString(text, "&gt;");
				break;
			case '"':
				appendStringInfoString(text, "&quot;");
				break;
			case '\'':
				appendStringInfoString(text, "&#39;");
				break;
			default:
				if (*c >= ' ' || *c == '\n')
					appendStringInfoChar(text, *c);
				break;
		}
		c++;
	}
}

void
dps_append_markup(StringInfo text, const char *markup)
{
	const char *c = markup;

	while (*c != '\0')
	{
		if (IS_HIGHBIT_SET(*c))
			c += append_character(text, c);
		else
			appendStringInfoChar(text, *c++);
	}
}

/* The title, shortened so that it fits above a figure. */
static const char *
short_title(const char *title)
{
	int			length = strlen(title);

	if (pg_mbstrlen_with_len(title, length) <= TITLE_CHARACTERS)
		return title;
	return psprintf("%.*s...", pg_mbcharcliplen(title, length, TITLE_CHARACTERS - 3), title);
}

void
dps_svg_begin(StringInfo svg, int inner_height, const char *title)
{
	int			height = DPS_SVG_TOP + inner_height + BELOW;

	appendStringInfo(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
					 DPS_SVG_WIDTH, height, DPS_SVG_WIDTH, height);
	dps_append_escaped(svg, title);
	appendStringInfoString(svg, "</title>\n");
	dps_svg_rectangle(svg, 0, 0, DPS_SVG_WIDTH, height, "#ffffff");
	dps_svg_text(svg, DPS_SVG_WIDTH / 2.0, 20, DPS_ANCHOR_MIDDLE, short_title(title));
}

void
dps_svg_end(StringInfo svg)
{
	appendStringInfoString(svg, "</svg>\n");
}

void
dps_svg_text(StringInfo svg, double x, double y, DpsAnchor anchor, const char *text)
{
	dps_svg_text_in(svg, x, y, anchor, text, "#222222");
}

void
dps_svg_text_in(StringInfo svg, double x, double y, DpsAnchor anchor, const char *text, const char *fill)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	appendStringInfo(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" " FONT " fill=\"%s\">",
					 x, y, anchors[anchor], fill);
	dps_append_escaped(svg, text);
	appendStringInfoString(svg, "</text>\n");
}

void
dps_svg_rectangle(StringInfo svg, double x, double y, double width, double height, const char *fill)
{
	appendStringInfo(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" shape-rendering=\"crispEdges\"/>\n",
					 x, y, width, height, fill);
}

void
dps_svg_line(StringInfo svg, double x1, double y1, double x2, double y2, const char *stroke)
{
	appendStringInfo(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
					 x1, y1, x2, y2, stroke);
}

void
dps_svg_circle(StringInfo svg, double x, double y, const char *fill)
{
	appendStringInfo(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"#ffffff\"/>\n", x, y, fill);
}

/* One point of many: small, and outlined so that bright ones are seen on white. */
void
dps_svg_dot(StringInfo svg, double x, double y, const char *fill)
{
	appendStringInfo(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\" stroke=\"#222222\" stroke-width=\"0.3\"/>\n", x, y, fill);
}

/* 1, 2 or 5 times a power of ten: at most seven steps */
static double
tick_step(const DpsAxis *axis)
{
	double		length = axis->hi / 6 - axis->lo / 6;
	double		power = pow(10, floor(log10(length)));
	double		ratio = length / power;

	return fmax((ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10) * power, axis->least_step);
}

char *
dps_svg_number(double value)
{
	/* no exponent where it would not be shorter */
	return psprintf(fabs(value) >= 1e3 && fabs(value) < 1e7 ? "%.0f" : "%.4g", value + 0.0);
}

/* The k-th tick of an axis, from 0; false after the last. */
static bool
tick(const DpsAxis *axis, int k, double *value)
{
	double		step = tick_step(axis);

	*value = (ceil(axis->lo / step - 1e-9) + k) * step;
	return k < 20 && *value <= axis->hi + step * 1e-9;
}

void
dps_svg_axis_x(StringInfo svg, const DpsAxis *axis, int inner_height, const char *label)
{
	double		bottom = DPS_SVG_TOP + inner_height;
	double		value;
	int			k;

	dps_svg_line(svg, axis->from, bottom, axis->to, bottom, "#222222");
	for (k = 0; tick(axis, k, &value); k++)
	{
		double		x = dps_axis_place(axis, value);

		dps_svg_line(svg, x, bottom, x, bottom + 5, "#222222");
		dps_svg_text(svg, x, bottom + 19, DPS_ANCHOR_MIDDLE, dps_svg_number(value));
	}
	dps_svg_text(svg, (axis->from + axis->to) / 2, bottom + 42, DPS_ANCHOR_MIDDLE, label);
}

void
dps_svg_axis_y(StringInfo svg, const DpsAxis *axis, const char *label)
{
	double		middle = (axis->from + axis->to) / 2;
	double		value;
	int			k;

	dps_svg_line(svg, DPS_SVG_LEFT, axis->from, DPS_SVG_LEFT, axis->to, "#222222");
	for (k = 0; tick(axis, k, &value); k++)
	{
		double		y = dps_axis_place(axis, value);

		dps_svg_line(svg, DPS_SVG_LEFT - 5, y, DPS_SVG_LEFT, y, "#222222");
		dps_svg_text(svg, DPS_SVG_LEFT - 9, y + 4, DPS_ANCHOR_END, dps_svg_number(value));
	}
	appendStringInfo(svg, "<g transform=\"rotate(-90 18 %.1f)\">", middle);
	dps_svg_text(svg, 18, middle, DPS_ANCHOR_MIDDLE, label);
	appendStringInfoString(svg, "</g>\n");
}

/* Interpolates between the two stops around a place; stops are at 0, 1, 2, ... */
static char *
mix(const double stops[][3], int nstops, double place)
{
	int			k = dps_min(dps_to_int32(place), nstops - 2);
	double		part = place - k;
	int			rgb[3];
	int			i;

	for (i = 0; i < 3; i++)
		rgb[i] = dps_to_int32(stops[k][i] + part * (stops[k + 1][i] - stops[k][i]) + 0.5);
	return psprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

char *
dps_svg_colour(double t)
{
	/* dark blue, teal, green, yellow: of increasing lightness, also for the colour-blind */
	static const double stops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};

	return mix(stops, lengthof(stops), fmin(fmax(t, 0), 1) * ((double) lengthof(stops) - 1));
}

char *
dps_svg_diverging(double t)
{
	/* blue, white, red: dark at both ends, distinguishable also for the colour-blind */
	static const double stops[][3] = {{33, 75, 140}, {127, 170, 210}, {250, 250, 250}, {226, 140, 108}, {160, 30, 35}};

	return mix(stops, lengthof(stops), (fmin(fmax(t, -1), 1) + 1) / 2 * ((double) lengthof(stops) - 1));
}

const char *
dps_svg_ink(double t)
{
	return fabs(t) > 0.6 ? "#ffffff" : "#222222";
}

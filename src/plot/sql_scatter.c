/*
 * sql_scatter.c
 *		dpsens.scatter: points, coloured by a number of each, SVG or text.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "plot/svg.h"
#include "plot/text.h"
#include "plot/text_frame.h"
#include "base/once.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_scatter);

#define MAX_POINTS 10000
#define LEGEND_STEPS 10
#define ZERO_LINE "#c8c8c8"
#define FRAME_ROOM 0.04			/* of an axis, on both sides of the points */

/* The points of which everything is finite. */
typedef struct Scatter
{
	const char *title;
	const char *x_title;
	const char *y_title;
	int			n;
	double	   *x;
	double	   *y;
	double	   *number;			/* NULL: points are alike */
	DpsAxis		x_axis;
	DpsAxis		y_axis;
	double		least;			/* of the numbers */
	double		greatest;
} Scatter;

/* The place of a point's number between the least and the greatest, 0 to 1. */
static double
share(const Scatter *s, double number)
{
	double		length = s->greatest / 2 - s->least / 2;

	return length > 0 ? (number / 2 - s->least / 2) / length : 0;
}

/* A line where a coordinate is 0, if that is within the frame. */
static void
draw_zero_lines(StringInfo svg, const Scatter *s)
{
	double		x = dps_axis_place(&s->x_axis, 0);
	double		y = dps_axis_place(&s->y_axis, 0);

	if (s->x_axis.lo < 0 && s->x_axis.hi > 0)
		dps_svg_line(svg, x, s->y_axis.to, x, s->y_axis.from, ZERO_LINE);
	if (s->y_axis.lo < 0 && s->y_axis.hi > 0)
		dps_svg_line(svg, s->x_axis.from, y, s->x_axis.to, y, ZERO_LINE);
}

static void
draw_points(StringInfo svg, const Scatter *s)
{
	int			i;

	for (i = 0; i < s->n; i++)
		dps_svg_dot(svg, dps_axis_place(&s->x_axis, s->x[i]), dps_axis_place(&s->y_axis, s->y[i]),
					s->number == NULL ? DPS_SVG_BAR : dps_svg_colour(share(s, s->number[i])));
}

static void
draw_legend(StringInfo svg, const Scatter *s)
{
	double		x = DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH + 22;
	double		height = (double) DPS_SVG_INNER_HEIGHT / LEGEND_STEPS;
	double		bottom = DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT;
	int			k;

	for (k = 0; k < LEGEND_STEPS; k++)
		dps_svg_rectangle(svg, x, bottom - (k + 1) * height, 16, height + (k > 0 ? 0.5 : 0),
						  dps_svg_colour((double) k / (LEGEND_STEPS - 1)));
	dps_svg_text(svg, x + 22, bottom + 4, DPS_ANCHOR_START, dps_svg_number(s->least));
	dps_svg_text(svg, x + 22, DPS_SVG_TOP + 4, DPS_ANCHOR_START, dps_svg_number(s->greatest));
}

static void
scatter_svg(StringInfo svg, const Scatter *s)
{
	dps_svg_begin(svg, DPS_SVG_INNER_HEIGHT, s->title);
	draw_zero_lines(svg, s);
	draw_points(svg, s);
	dps_svg_axis_x(svg, &s->x_axis, DPS_SVG_INNER_HEIGHT, s->x_title);
	dps_svg_axis_y(svg, &s->y_axis, s->y_title);
	if (s->number != NULL && s->n > 0)
		draw_legend(svg, s);
	dps_svg_end(svg);
}

/* What a character of the text stands for: the greatest number of the points in its place,
 * or how many there are. */
typedef struct Places
{
	double		value[DPS_TEXT_FRAME_LINES][DPS_TEXT_FRAME_COLUMNS];	/* NaN: no point */
	double		least;
	double		greatest;
} Places;

static Places *
fill_places(const Scatter *s)
{
	Places	   *places = palloc(sizeof(Places));
	int			i;
	int			j;

	for (j = 0; j < DPS_TEXT_FRAME_LINES; j++)
	{
		for (i = 0; i < DPS_TEXT_FRAME_COLUMNS; i++)
			places->value[j][i] = (double) NAN;
	}
	places->least = s->number == NULL ? 1 : s->least;
	places->greatest = s->number == NULL ? 1 : s->greatest;
	for (i = 0; i < s->n; i++)
	{
		double	   *value = &places->value[dps_text_place(&s->y_axis, s->y[i], DPS_TEXT_FRAME_LINES)]
			[dps_text_place(&s->x_axis, s->x[i], DPS_TEXT_FRAME_COLUMNS)];

		if (s->number != NULL)
			*value = isnan(*value) ? s->number[i] : fmax(*value, s->number[i]);
		else
			*value = isnan(*value) ? 1 : *value + 1;
		if (s->number == NULL)
			places->greatest = fmax(places->greatest, *value);
	}
	return places;
}

/* A shade from 1 to 4, by quarters of the way from the least value to the greatest. */
static int
shade_of(const Places *places, double value)
{
	double		length = places->greatest / 2 - places->least / 2;
	double		part = length > 0 ? (value / 2 - places->least / 2) / length : 1;

	return dps_min(1 + dps_to_int32(part * (DPS_SHADES - 1)), DPS_SHADES - 1);
}

/* The value from which a shade is used. */
static double
shade_start(const Places *places, int shade)
{
	double		part = (double) (shade - 1) / (DPS_SHADES - 1);

	return places->least * (1 - part) + places->greatest * part;
}

static void
append_line(StringInfo text, DpsFormat format, const Places *places, int line)
{
	int			i;

	for (i = 0; i < DPS_TEXT_FRAME_COLUMNS; i++)
	{
		double		value = places->value[line][i];

		appendStringInfoString(text, isnan(value) ? " " : dps_text_shade(format, shade_of(places, value)));
	}
}

static void
scatter_text(StringInfo text, DpsFormat format, const Scatter *s)
{
	Places	   *places = fill_places(s);
	int			line;
	int			shade;

	dps_text_title(text, s->title);
	dps_text_frame_top(text, s->y_title);
	for (line = DPS_TEXT_FRAME_LINES - 1; line >= 0; line--)
	{
		dps_text_frame_line(text, &s->y_axis, line);
		append_line(text, format, places, line);
		appendStringInfoString(text, "|\n");
	}
	dps_text_frame_bottom(text, &s->x_axis, s->x_title);
	if (s->n > 0 && places->greatest > places->least)
	{
		appendStringInfoString(text, "\nfrom");
		for (shade = 1; shade < DPS_SHADES; shade++)
			appendStringInfo(text, " [%s] %s", dps_text_shade(format, shade), dps_svg_number(shade_start(places, shade)));
		appendStringInfoString(text, s->number == NULL ? " points\n" : "\n");
	}
}

/* The elements of an array, not finite ones and NULLs as NaN. */
static double *
read_array(ArrayType *array, int *n)
{
	Datum	   *elements;
	bool	   *nulls;
	double	   *numbers;
	int			i;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &elements, &nulls, n);
	numbers = palloc(sizeof(double) * Max(*n, 1));
	for (i = 0; i < *n; i++)
		numbers[i] = !nulls[i] && isfinite(DatumGetFloat8(elements[i])) ? DatumGetFloat8(elements[i]) : (double) NAN;
	return numbers;
}

/* Leaves out the points that something is missing of. */
static void
keep_whole_points(Scatter *s, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (isnan(s->x[i]) || isnan(s->y[i]) || (s->number != NULL && isnan(s->number[i])))
			continue;
		s->x[s->n] = s->x[i];
		s->y[s->n] = s->y[i];
		if (s->number != NULL)
			s->number[s->n] = s->number[i];
		s->n++;
	}
}

static void
read_points(FunctionCallInfo fcinfo, Scatter *s)
{
	int			nx;
	int			ny;
	int			nnumbers;

	s->x = read_array(PG_GETARG_ARRAYTYPE_P(0), &nx);
	s->y = read_array(PG_GETARG_ARRAYTYPE_P(1), &ny);
	nnumbers = nx;
	if (!PG_ARGISNULL(2))
		s->number = read_array(PG_GETARG_ARRAYTYPE_P(2), &nnumbers);
	if (nx != ny || nx != nnumbers)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a scatter plot needs as many x as y, and as many numbers if there are any")));
	if (nx > MAX_POINTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a scatter plot has at most %d points", MAX_POINTS),
				 errhint("Give a sample of them, or their numbers to dpsens.histogram.")));
	keep_whole_points(s, nx);
}

/* The range of the points and some room beside it, unless that overflows. */
static void
find_frame(const double *numbers, int n, double *lo, double *hi)
{
	double		room;

	dps_axis_range(numbers, n, lo, hi);
	room = (*hi / 2 - *lo / 2) * 2 * FRAME_ROOM;
	if (isfinite(*lo - room) && isfinite(*hi + room) && isfinite(room))
	{
		*lo -= room;
		*hi += room;
	}
}

static const char *
text_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/* scatter(x, y, numbers, title, x_title, y_title, format) */
Datum
dpsens_scatter(PG_FUNCTION_ARGS)
{
	DpsFormat	format = dps_figure_format(fcinfo, 6);
	Scatter		s = {0};
	StringInfoData figure;
	double		lo;
	double		hi;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	s.title = text_argument(fcinfo, 3);
	s.x_title = text_argument(fcinfo, 4);
	s.y_title = text_argument(fcinfo, 5);
	read_points(fcinfo, &s);
	find_frame(s.x, s.n, &lo, &hi);
	s.x_axis = dps_axis_x(lo, hi);
	find_frame(s.y, s.n, &lo, &hi);
	s.y_axis = dps_axis_y(lo, hi);
	if (s.number != NULL)
		dps_axis_range(s.number, s.n, &s.least, &s.greatest);
	initStringInfo(&figure);
	if (format == DPS_FORMAT_SVG)
		scatter_svg(&figure, &s);
	else
		scatter_text(&figure, format, &s);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(figure.data, figure.len));
}

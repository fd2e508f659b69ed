/*
 * sql_heatmap.c
 *		dpsens.heatmap: a vector as coloured cells, SVG or text.
 *
 * Colours and shades are symmetric around 0.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "plot/svg.h"
#include "plot/text.h"
#include "base/once.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_heatmap);

#define MAX_CELLS 10000
#define MAX_COLUMNS 200
#define MAX_TEXT_COLUMNS 78
#define CELL_SIZE 64			/* at most */
#define MAX_HEIGHT 960			/* of all rows: cells are made smaller, */
#define SMALL_CELL 14			/* but not below this size */
#define READABLE 44				/* cells of at least this size show their number */
#define LEGEND_STEPS 21

/* The cells are row by row; the last row may be incomplete. */
typedef struct HeatMap
{
	const char *title;
	int			n;
	double	   *value;			/* NaN: missing */
	int			columns;
	int			rows;
	double		greatest;		/* the greatest magnitude */
} HeatMap;

/* The value relative to the greatest magnitude, -1 to 1. */
static double
share(const HeatMap *map, double value)
{
	return map->greatest > 0 ? value / map->greatest : 0;
}

static void
struck_cell(StringInfo svg, double x, double y, double width, double height)
{
	dps_svg_rectangle(svg, x, y, width, height, "#e4e4e4");
	dps_svg_line(svg, x, y + height, x + width, y, "#8a8a8a");
}

static void
draw_cell(StringInfo svg, const HeatMap *map, int i, double size)
{
	double		x = DPS_SVG_LEFT + (i % map->columns) * size;
	double		y = DPS_SVG_TOP + (i / map->columns) * size;
	double		value = map->value[i];
	double		room = size > 8 ? 1 : 0;

	if (isnan(value))
	{
		struck_cell(svg, x, y, size - room, size - room);
		return;
	}
	dps_svg_rectangle(svg, x, y, size - room, size - room, dps_svg_diverging(share(map, value)));
	if (size >= READABLE)
		dps_svg_text_in(svg, x + size / 2, y + size / 2 + 4, DPS_ANCHOR_MIDDLE, psprintf("%.3g", value + 0.0),
						dps_svg_ink(share(map, value)));
}

static void
draw_legend(StringInfo svg, const HeatMap *map, double height)
{
	double		x = DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH + 22;
	double		step = height / LEGEND_STEPS;
	int			k;

	for (k = 0; k < LEGEND_STEPS; k++)
		dps_svg_rectangle(svg, x, DPS_SVG_TOP + k * step, 16, step + (k < LEGEND_STEPS - 1 ? 0.5 : 0),
						  dps_svg_diverging(1 - 2.0 * k / (LEGEND_STEPS - 1)));
	dps_svg_text(svg, x + 22, DPS_SVG_TOP + 10, DPS_ANCHOR_START, dps_svg_number(map->greatest));
	dps_svg_text(svg, x + 22, DPS_SVG_TOP + height / 2 + 4, DPS_ANCHOR_START, "0");
	dps_svg_text(svg, x + 22, DPS_SVG_TOP + height, DPS_ANCHOR_START, dps_svg_number(-map->greatest));
}

static void
heatmap_svg(StringInfo svg, const HeatMap *map)
{
	double		size = fmin((double) DPS_SVG_INNER_WIDTH / Max(map->columns, 1), CELL_SIZE);
	double		height;
	bool		struck = false;
	int			i;

	if (map->rows * size > MAX_HEIGHT)
		size = fmin(size, fmax((double) MAX_HEIGHT / map->rows, SMALL_CELL));
	height = Max(map->rows * size, 120);
	dps_svg_begin(svg, dps_to_int32(ceil(height)), map->title);
	for (i = 0; i < map->n; i++)
	{
		draw_cell(svg, map, i, size);
		struck = struck || isnan(map->value[i]);
	}
	draw_legend(svg, map, height);
	if (struck)
	{
		struck_cell(svg, DPS_SVG_LEFT, DPS_SVG_TOP + height + 24, 16, 16);
		dps_svg_text(svg, DPS_SVG_LEFT + 24, DPS_SVG_TOP + height + 36, DPS_ANCHOR_START, "no number");
	}
	dps_svg_end(svg);
}

/* The number of columns of a cell: 2 to 4 for a sign and shades, 1 for a shade or letter. */
static int
cell_columns(const HeatMap *map)
{
	return Max(Min(MAX_TEXT_COLUMNS / Max(map->columns, 1), 4), 1);
}

/* 0 for 0, else 1 to 4 for the quarters of the greatest magnitude. */
static int
shade_of(const HeatMap *map, double value)
{
	return dps_min(dps_to_int32(ceil(fabs(share(map, value)) * (DPS_SHADES - 1))), DPS_SHADES - 1);
}

static void
append_cell(StringInfo text, DpsFormat format, const HeatMap *map, double value, int columns)
{
	static const char negative[DPS_SHADES] = {' ', 'a', 'b', 'c', 'd'};
	int			shade;
	int			i;

	if (isnan(value))
	{
		appendStringInfo(text, "%*s", columns, "?");
		return;
	}
	shade = shade_of(map, value);
	if (columns == 1)
	{
		if (value < 0)
			appendStringInfoChar(text, negative[shade]);
		else
			appendStringInfoString(text, dps_text_shade(format, shade));
		return;
	}
	appendStringInfoChar(text, shade == 0 ? ' ' : value < 0 ? '-' : '+');
	for (i = 1; i < columns; i++)
		appendStringInfoString(text, dps_text_shade(format, shade));
}

/* Appends the legend of one sign, in at most 80 columns. */
static void
append_legend(StringInfo text, DpsFormat format, const HeatMap *map, int columns, int sign)
{
	int			shade;

	for (shade = 1; shade < DPS_SHADES; shade++)
	{
		double		value = sign * map->greatest * shade / (DPS_SHADES - 1);

		append_cell(text, format, map, value, columns);
		appendStringInfo(text, " to %.3g  ", value);
	}
	dps_text_newline(text);
}

static void
heatmap_text(StringInfo text, DpsFormat format, const HeatMap *map)
{
	int			columns = cell_columns(map);
	bool		struck = false;
	int			i;

	dps_text_title(text, map->title);
	for (i = 0; i < map->n; i++)
	{
		if (i % map->columns == 0)
			appendStringInfoChar(text, '|');
		append_cell(text, format, map, map->value[i], columns);
		struck = struck || isnan(map->value[i]);
		if (i % map->columns == map->columns - 1 || i == map->n - 1)
			appendStringInfoString(text, "|\n");
	}
	appendStringInfoChar(text, '\n');
	if (map->greatest > 0)
	{
		append_legend(text, format, map, columns, 1);
		append_legend(text, format, map, columns, -1);
	}
	if (struck)
		appendStringInfoString(text, "? no number\n");
}

static void
read_cells(HeatMap *map, ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			i;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &elements, &nulls, &map->n);
	if (map->n > MAX_CELLS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a heat map has at most %d cells", MAX_CELLS)));
	map->value = palloc(sizeof(double) * Max(map->n, 1));
	for (i = 0; i < map->n; i++)
	{
		bool		finite = !nulls[i] && isfinite(DatumGetFloat8(elements[i]));

		map->value[i] = finite ? DatumGetFloat8(elements[i]) : (double) NAN;
		if (finite)
			map->greatest = fmax(map->greatest, fabs(map->value[i]));
	}
}

static int
choose_columns(ArrayType *array, int n)
{
	return ARR_NDIM(array) == 2 ? ARR_DIMS(array)[1] : dps_max(dps_to_int32(ceil(sqrt(n))), 1);
}

/* heatmap(numbers, columns, title, format) */
Datum
dpsens_heatmap(PG_FUNCTION_ARGS)
{
	DpsFormat	format = dps_figure_format(fcinfo, 3);
	int			limit = format == DPS_FORMAT_SVG ? MAX_COLUMNS : MAX_TEXT_COLUMNS;
	HeatMap		map = {0};
	ArrayType  *array;
	StringInfoData figure;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	array = PG_GETARG_ARRAYTYPE_P(0);
	map.title = PG_ARGISNULL(2) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(2));
	read_cells(&map, array);
	map.columns = PG_ARGISNULL(1) ? dps_min(choose_columns(array, map.n), limit) : PG_GETARG_INT32(1);
	if (map.columns < 1 || map.columns > limit)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a heat map of this format has between 1 and %d columns", limit)));
	map.rows = (map.n + map.columns - 1) / map.columns;
	initStringInfo(&figure);
	if (format == DPS_FORMAT_SVG)
		heatmap_svg(&figure, &map);
	else
		heatmap_text(&figure, format, &map);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(figure.data, figure.len));
}

/*
 * sql_contour.c
 *		dpsens.contour: the gradient norm of an expression over two of its
 *		columns, as a figure.  It needs no data.
 *
 * The other columns are fixed at the witness of K, so that the figure contains the point
 * where K is attained; if there is no K, at the middle of their ranges.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "base/compare.h"
#include "plot/svg.h"
#include "plot/text.h"
#include "plot/text_frame.h"
#include "base/once.h"
#include "bound/dimension.h"
#include "glue/analysis/analysis.h"
#include "glue/analysis/derived.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_contour);

#define STEPS 100				/* of the grid, each way */
#define LEVELS 9

StaticAssertDecl(STEPS < DPS_BATCH, "a line of the grid is a batch");

typedef struct Contour
{
	DpsAnalysis analysis;
	DpsBracket	metric;
	int			x;				/* variables */
	int			y;
	DpsAxis		x_axis;
	DpsAxis		y_axis;
	double		norm[STEPS + 1][STEPS + 1]; /* by y, then x */
	bool		logarithmic;
	double		least;			/* norm over the grid */
	double		lo;				/* the ends of the colours' scale: norms, or their
								 * logarithms */
	double		hi;
} Contour;

static int
find_variable(const DpsAnalysis *analysis, const char *name)
{
	int			j;

	for (j = 0; j < dps_columns(analysis->graph); j++)
	{
		if (strcmp(dps_variable_key(analysis->graph, j), name) == 0)
			return j;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("the ranges have no name \"%s\"", name)));
	return -1;					/* keep compiler quiet */
}

static double
grid_point(const DpsDomain *domain, int step)
{
	double		share = (double) step / STEPS;

	return domain->lo * (1 - share) + domain->hi * share;
}

/* The value of a column that is not shown. */
static double
fixed_point(const Contour *c, int variable)
{
	return c->metric.status == DPS_OK ? c->metric.witness.x[variable] : dps_middle(&c->analysis.box[variable]);
}

/* The norm along one line of the grid. */
static void
evaluate_line(Contour *c, const DpsProgram *program, int nprivate, const double *weights, int line)
{
	const DpsAnalysis *a = &c->analysis;
	int			n = dps_columns(a->graph);
	double	  **columns = palloc(sizeof(double *) * n);
	double	  **gradient = palloc(sizeof(double *) * Max(nprivate, 1));
	double	  **normalized = palloc(sizeof(double *) * Max(nprivate, 1));
	DpsDerived	derived = {nprivate, weights, gradient, NULL, c->norm[line], normalized, NULL};
	int			i;
	int			j;

	for (j = 0; j < n; j++)
	{
		columns[j] = palloc(sizeof(double) * DPS_BATCH);
		for (i = 0; i <= STEPS; i++)
			columns[j][i] = j == c->x ? grid_point(&a->box[j], i) :
				j == c->y ? grid_point(&a->box[j], line) : fixed_point(c, j);
	}
	for (j = 0; j < nprivate; j++)
	{
		gradient[j] = palloc(sizeof(double) * DPS_BATCH);
		normalized[j] = palloc(sizeof(double) * DPS_BATCH);
	}
	dps_evaluate(program, (const double *const *) columns, STEPS + 1,
				 palloc(sizeof(double) * dps_max(dps_scratch_size(program), 1)), gradient);
	dps_derive_norm(&derived, STEPS + 1);
}

static void
evaluate_grid(Contour *c)
{
	DpsAnalysis *a = &c->analysis;
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *nodes[DPS_MAX_VARIABLES];
	double		weights[DPS_MAX_VARIABLES];
	const DpsProgram *program;
	int			n = 0;
	int			j;

	dps_check_status(dps_gradient(a->graph, a->node, gradient));
	for (j = 0; j < dps_columns(a->graph); j++)
	{
		if (!(a->policy.private_variables & (UINT64_C(1) << j)))
			continue;
		weights[n] = a->policy.weights[j];
		nodes[n++] = gradient[j];
	}
	dps_check_status(dps_compile(a->graph, nodes, n, &program));
	for (j = 0; j <= STEPS; j++)
		evaluate_line(c, program, n, weights, j);
}

/* The norm, or its logarithm, on the colours' scale. */
static double
scaled(const Contour *c, double norm)
{
	return c->logarithmic ? log10(norm) : norm;
}

/* The norms that exist, sorted. */
static double *
sort_norms(const Contour *c, int *n)
{
	double	   *sorted = palloc(sizeof(c->norm));
	int			i;
	int			j;

	*n = 0;
	for (j = 0; j <= STEPS; j++)
	{
		for (i = 0; i <= STEPS; i++)
		{
			if (isfinite(c->norm[j][i]))
				sorted[(*n)++] = c->norm[j][i];
		}
	}
	qsort(sorted, *n, sizeof(double), dps_compare_doubles);
	return sorted;
}

/*
 * If most norms are far below the greatest, the scale of colours is logarithmic.  It then
 * begins at the second percentile: near a point where the gradient is 0, logarithms are
 * unbounded.
 */
static void
choose_scale(Contour *c)
{
	int			n;
	double	   *sorted = sort_norms(c, &n);
	double		low;

	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the gradient exists nowhere on these ranges")));
	c->least = sorted[0];
	low = sorted[n / 50];
	c->logarithmic = low > 0 && sorted[n - 1] > 8 * sorted[n / 2];
	c->lo = scaled(c, c->logarithmic ? low : c->least);
	c->hi = scaled(c, sorted[n - 1]);
}

/* The band of colours that a norm is in, 0 to LEVELS; -1 if the norm does not exist. */
static int
band(const Contour *c, double norm)
{
	double		share = (scaled(c, norm) - c->lo) / (c->hi - c->lo);

	if (!isfinite(norm))
		return -1;
	return c->hi > c->lo ? dps_min(dps_max(dps_to_int32(share * (LEVELS + 1)), 0), LEVELS) : 0;
}

/* The norm at which band k begins. */
static double
level(const Contour *c, int k)
{
	double		value = c->lo + (c->hi - c->lo) * k / (LEVELS + 1);

	return c->logarithmic ? pow(10, value) : value;
}

/* Adjacent cells of a row with equal colours are one rectangle.  Rectangles overlap a
 * little, so that no seams are visible. */
static void
draw_cells(StringInfo svg, const Contour *c)
{
	double		width = (double) DPS_SVG_INNER_WIDTH / STEPS;
	double		height = (double) DPS_SVG_INNER_HEIGHT / STEPS;
	int			i;
	int			j;

	for (j = 0; j < STEPS; j++)
	{
		int			start = 0;

		for (i = 1; i <= STEPS; i++)
		{
			double		middle = (c->norm[j][start] + c->norm[j + 1][start + 1]) / 2;
			int			colour = band(c, middle);
			double		next = (c->norm[j][i] + c->norm[j + 1][Min(i + 1, STEPS)]) / 2;

			if (i < STEPS && band(c, next) == colour)
				continue;
			if (colour >= 0)
				dps_svg_rectangle(svg, DPS_SVG_LEFT + start * width,
								  DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT - (j + 1) * height,
								  (i - start) * width + (i < STEPS ? 0.5 : 0), height + (j > 0 ? 0.5 : 0),
								  dps_svg_colour((double) colour / LEVELS));
			start = i;
		}
	}
}

/* Does a level cross the edge between two corners, and where? */
static bool
crosses(const Contour *c, double limit, int x1, int y1, int x2, int y2, double *x, double *y)
{
	double		first = c->norm[y1][x1];
	double		second = c->norm[y2][x2];
	double		share;

	if (!isfinite(first) || !isfinite(second) || (first < limit) == (second < limit))
		return false;
	share = (limit - first) / (second - first);
	*x = DPS_SVG_LEFT + (x1 + share * (x2 - x1)) * DPS_SVG_INNER_WIDTH / STEPS;
	*y = DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT - (y1 + share * (y2 - y1)) * DPS_SVG_INNER_HEIGHT / STEPS;
	return true;
}

/* The line of one level through one cell: it joins the crossings of edges in pairs. */
static void
draw_cell_line(StringInfo svg, const Contour *c, double limit, int i, int j)
{
	static const int edges[4][4] = {{0, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 0, 1}, {0, 1, 0, 0}};
	int			found = 0;
	int			e;

	for (e = 0; e < 4; e++)
	{
		double		x;
		double		y;

		if (crosses(c, limit, i + edges[e][0], j + edges[e][1], i + edges[e][2], j + edges[e][3], &x, &y))
			appendStringInfo(svg, "%c%.1f %.1f", found++ % 2 == 0 ? 'M' : 'L', x, y);
	}
}

static void
draw_lines(StringInfo svg, const Contour *c)
{
	int			k;
	int			i;
	int			j;

	for (k = 1; k <= LEVELS; k++)
	{
		appendStringInfoString(svg, "<path fill=\"none\" stroke=\"#ffffff\" stroke-opacity=\"0.7\" d=\"M0 0");
		for (j = 0; j < STEPS; j++)
		{
			for (i = 0; i < STEPS; i++)
				draw_cell_line(svg, c, level(c, k), i, j);
		}
		appendStringInfoString(svg, "\"/>\n");
	}
}

static void
draw_legend(StringInfo svg, const Contour *c)
{
	double		x = DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH + 22;
	double		height = (double) DPS_SVG_INNER_HEIGHT / (LEVELS + 1);
	double		bottom = DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT;
	char	   *most = dps_svg_number(level(c, LEVELS + 1));
	int			k;

	if (strcmp(dps_svg_number(c->least), most) == 0)
	{
		/* the norm is the same everywhere, up to the digits shown */
		dps_svg_rectangle(svg, x, bottom - height, 16, height, dps_svg_colour(0));
		dps_svg_text(svg, x + 22, bottom - height / 2 + 4, DPS_ANCHOR_START, most);
		return;
	}
	for (k = 0; k <= LEVELS; k++)
	{
		dps_svg_rectangle(svg, x, bottom - (k + 1) * height, 16, height + (k > 0 ? 0.5 : 0),
						  dps_svg_colour((double) k / LEVELS));
		dps_svg_text(svg, x + 22, bottom - k * height + 4, DPS_ANCHOR_START,
					 dps_svg_number(k == 0 ? c->least : level(c, k)));
	}
	dps_svg_text(svg, x + 22, DPS_SVG_TOP + 4, DPS_ANCHOR_START, most);
}

static void
draw_supremum(StringInfo svg, const Contour *c)
{
	double		x;
	double		y;
	bool		left;
	char	   *label;

	if (c->metric.status != DPS_OK)
		return;
	x = dps_axis_place(&c->x_axis, c->metric.witness.x[c->x]);
	y = dps_axis_place(&c->y_axis, c->metric.witness.x[c->y]);
	left = x > DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH / 2;
	label = psprintf("K = %s", dps_svg_number(c->metric.upper));
	dps_svg_circle(svg, x, y, DPS_SVG_MARK);
	dps_svg_rectangle(svg, left ? x - 98 : x + 10, y < DPS_SVG_TOP + 20 ? y + 2 : y - 20, 88, 18, "#ffffff");
	dps_svg_text(svg, left ? x - 54 : x + 54, y < DPS_SVG_TOP + 20 ? y + 15 : y - 7, DPS_ANCHOR_MIDDLE, label);
}

static void
contour_svg(StringInfo svg, const Contour *c, const char *title, const char *x, const char *y)
{
	dps_svg_begin(svg, DPS_SVG_INNER_HEIGHT, title);
	draw_cells(svg, c);
	draw_lines(svg, c);
	dps_svg_axis_x(svg, &c->x_axis, DPS_SVG_INNER_HEIGHT, x);
	dps_svg_axis_y(svg, &c->y_axis, y);
	draw_legend(svg, c);
	draw_supremum(svg, c);
	dps_svg_end(svg);
}

static const char *
text_shade(const Contour *c, DpsFormat format, double norm)
{
	int			k = band(c, norm);

	return k < 0 ? "?" : dps_text_shade(format, k * DPS_SHADES / (LEVELS + 1));
}

static void
text_line(StringInfo text, DpsFormat format, const Contour *c, int line)
{
	bool		has_supremum = c->metric.status == DPS_OK &&
		dps_text_place(&c->y_axis, c->metric.witness.x[c->y], DPS_TEXT_FRAME_LINES) == line;
	int			place = has_supremum ? dps_text_place(&c->x_axis, c->metric.witness.x[c->x], DPS_TEXT_FRAME_COLUMNS) : -1;
	int			y = dps_to_int32((line + 0.5) * STEPS / DPS_TEXT_FRAME_LINES);
	int			i;

	dps_text_frame_line(text, &c->y_axis, line);
	for (i = 0; i < DPS_TEXT_FRAME_COLUMNS; i++)
		appendStringInfoString(text, i == place ? "K" :
							   text_shade(c, format, c->norm[y][dps_to_int32((i + 0.5) * STEPS / DPS_TEXT_FRAME_COLUMNS)]));
	appendStringInfoString(text, "|\n");
}

static void
text_legend(StringInfo text, DpsFormat format, const Contour *c)
{
	int			k;

	appendStringInfoString(text, "from");
	for (k = 0; k < DPS_SHADES; k++)
		appendStringInfo(text, " [%s] %s", dps_text_shade(format, k),
						 dps_svg_number(k == 0 ? c->least : level(c, k * (LEVELS + 1) / DPS_SHADES)));
	appendStringInfoString(text, "\n");
	if (c->metric.status == DPS_OK)
		appendStringInfo(text, "K = %s\n", dps_svg_number(c->metric.upper));
}

static void
contour_text(StringInfo text, DpsFormat format, const Contour *c, const char *title, const char *x, const char *y)
{
	int			line;

	dps_text_title(text, title);
	dps_text_frame_top(text, y);
	for (line = DPS_TEXT_FRAME_LINES - 1; line >= 0; line--)
		text_line(text, format, c, line);
	dps_text_frame_bottom(text, &c->x_axis, x);
	appendStringInfoChar(text, '\n');
	text_legend(text, format, c);
}

/* contour(expression, ranges, x, y, format) */
Datum
dpsens_contour(PG_FUNCTION_ARGS)
{
	char	   *expression = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char	   *x = text_to_cstring(PG_GETARG_TEXT_PP(2));
	char	   *y = text_to_cstring(PG_GETARG_TEXT_PP(3));
	DpsFormat	format = dps_figure_format(fcinfo, 4);
	const char *title = psprintf("gradient norm of %s", expression);
	Contour    *c = palloc0(sizeof(Contour));
	StringInfoData figure;

	dps_prepare_ranges(expression, PG_GETARG_JSONB_P(1), &c->analysis);
	c->x = find_variable(&c->analysis, x);
	c->y = find_variable(&c->analysis, y);
	if (c->x == c->y)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the two columns of a contour must differ")));
	dps_quantity(&c->analysis, DPS_SUM_METRIC, -1, &c->metric);
	c->x_axis = dps_axis_x(c->analysis.box[c->x].lo, c->analysis.box[c->x].hi);
	c->y_axis = dps_axis_y(c->analysis.box[c->y].lo, c->analysis.box[c->y].hi);
	evaluate_grid(c);
	choose_scale(c);
	initStringInfo(&figure);
	if (format == DPS_FORMAT_SVG)
		contour_svg(&figure, c, title, x, y);
	else
		contour_text(&figure, format, c, title, x, y);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(figure.data, figure.len));
}

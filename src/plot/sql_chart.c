/*
 * sql_chart.c
 *		dpsens.histogram and dpsens.bar_chart: numbers as figures, SVG or text.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "plot/svg.h"
#include "plot/text.h"
#include "base/once.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_histogram);
DPS_SQL_FUNCTION(dpsens_bar_chart);

#define MAX_BINS 200
#define MAX_BARS 100
#define BAR_PITCH 26

/* The finite numbers of an array. */
static double *
read_numbers(ArrayType *array, int *n)
{
	Datum	   *elements;
	bool	   *nulls;
	double	   *numbers;
	int			total;
	int			i;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &elements, &nulls, &total);
	numbers = palloc(sizeof(double) * Max(total, 1));
	*n = 0;
	for (i = 0; i < total; i++)
	{
		if (!nulls[i] && isfinite(DatumGetFloat8(elements[i])))
			numbers[(*n)++] = DatumGetFloat8(elements[i]);
	}
	return numbers;
}

static char *
get_title(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? pstrdup("") : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

static void
draw_mark(StringInfo svg, const DpsAxis *axis, double mark)
{
	double		x = dps_axis_place(axis, mark);

	dps_svg_line(svg, x, DPS_SVG_TOP, x, DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT, DPS_SVG_MARK);
	dps_svg_text_in(svg, x, DPS_SVG_TOP - 5, DPS_ANCHOR_MIDDLE, dps_svg_number(mark), DPS_SVG_MARK);
}

/* A mark that is so far away that its place would leave the numbers no room: it is named at
 * the edge that it is beyond. */
static void
draw_mark_beyond(StringInfo svg, const DpsAxis *axis, double mark)
{
	bool		right = mark > axis->hi;

	dps_svg_line(svg, right ? axis->to : axis->from, DPS_SVG_TOP, right ? axis->to : axis->from, DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT, DPS_SVG_MARK);
	dps_svg_text_in(svg, right ? axis->to : axis->from, DPS_SVG_TOP - 5, right ? DPS_ANCHOR_END : DPS_ANCHOR_START,
					psprintf("%s is further %s", dps_svg_number(mark), right ? "right" : "left"), DPS_SVG_MARK);
}

/* Numbers in bins of equal width between the least and the greatest. */
typedef struct Histogram
{
	const char *title;
	int			n;
	double		lo;
	double		hi;
	int			bins;
	int		   *count;
	int			most;			/* in a bin */
	double		mark;			/* NaN if there is none */
} Histogram;

/* The square-root rule, with at least 5 bins and at most `limit`. */
static int
choose_bins(int n, int limit)
{
	return dps_min(dps_max(dps_to_int32(ceil(sqrt(n))), 5), limit);
}

static void
count_bins(Histogram *h, const double *numbers)
{
	int			i;

	h->count = palloc0(sizeof(int) * h->bins);
	for (i = 0; i < h->n; i++)
	{
		int			bin = h->hi > h->lo ?
			dps_to_int32((numbers[i] / 2 - h->lo / 2) / (h->hi / 2 - h->lo / 2) * h->bins) : h->bins / 2;

		bin = Min(Max(bin, 0), h->bins - 1);
		h->count[bin]++;
		h->most = Max(h->most, h->count[bin]);
	}
}

/* Is the mark further from the numbers than they are from each other? */
static bool
is_beyond(const Histogram *h)
{
	double		away = fmax(h->lo / 2 - h->mark / 2, h->mark / 2 - h->hi / 2);

	return h->n > 0 && away > 0 && away > h->hi / 2 - h->lo / 2;
}

static void
histogram_svg(StringInfo svg, const Histogram *h)
{
	bool		marked = !isnan(h->mark);
	bool		beyond = marked && is_beyond(h);
	DpsAxis		x = marked && !beyond ? dps_axis_x(fmin(h->lo, h->mark), fmax(h->hi, h->mark)) : dps_axis_x(h->lo, h->hi);
	DpsAxis		y = dps_axis_y(0, Max(h->most, 1));
	double		from = h->hi > h->lo ? dps_axis_place(&x, h->lo) : x.from;
	double		to = h->hi > h->lo ? dps_axis_place(&x, h->hi) : x.to;
	double		width = (to - from) / h->bins;
	int			i;

	y.least_step = 1;
	dps_svg_begin(svg, DPS_SVG_INNER_HEIGHT, h->title);
	for (i = 0; i < h->bins; i++)
	{
		double		top = dps_axis_place(&y, h->count[i]);

		if (h->count[i] > 0)
			dps_svg_rectangle(svg, from + i * width, top, width >= 4 ? width - 1 : width, y.from - top, DPS_SVG_BAR);
	}
	dps_svg_axis_y(svg, &y, "rows");
	dps_svg_axis_x(svg, &x, DPS_SVG_INNER_HEIGHT, psprintf("%d rows", h->n));
	if (beyond)
		draw_mark_beyond(svg, &x, h->mark);
	else if (marked)
		draw_mark(svg, &x, h->mark);
	dps_svg_end(svg);
}

/* The lower end of a bin. */
static double
bin_start(const Histogram *h, int bin)
{
	double		share = (double) bin / h->bins;

	return h->lo * (1 - share) + h->hi * share;
}

#define RANGE_COLUMNS 25
#define COUNT_COLUMNS 12

static void
mark_text(StringInfo text, const Histogram *h)
{
	int			columns = DPS_TEXT_WIDTH - RANGE_COLUMNS - COUNT_COLUMNS - 2;
	int			i;

	dps_text_right(text, RANGE_COLUMNS, dps_svg_number(h->mark));
	appendStringInfoChar(text, ' ');
	for (i = 0; i < columns; i++)
		appendStringInfoChar(text, '-');
	appendStringInfoString(text, " mark\n");
}

static void
histogram_text(StringInfo text, DpsFormat format, const Histogram *h)
{
	int			columns = DPS_TEXT_WIDTH - RANGE_COLUMNS - COUNT_COLUMNS - 2;
	bool		marked = isnan(h->mark);
	int			i;

	dps_text_title(text, h->title);
	for (i = 0; i < h->bins && h->n > 0; i++)
	{
		double		end = bin_start(h, i + 1);

		if (h->hi == h->lo && h->count[i] == 0)
			continue;
		if (!marked && h->mark < bin_start(h, i))
		{
			mark_text(text, h);
			marked = true;
		}
		dps_text_right(text, RANGE_COLUMNS, psprintf("%s to %s", dps_svg_number(bin_start(h, i)), dps_svg_number(end)));
		appendStringInfoChar(text, ' ');
		dps_text_bar(text, format, columns, 0, (double) h->count[i] / Max(h->most, 1));
		appendStringInfo(text, " %d", h->count[i]);
		dps_text_newline(text);
	}
	if (!marked)
		mark_text(text, h);
	dps_text_right(text, RANGE_COLUMNS, psprintf("%d rows", h->n));
	dps_text_newline(text);
}

/* histogram(numbers, title, mark, bins, format) */
Datum
dpsens_histogram(PG_FUNCTION_ARGS)
{
	DpsFormat	format = dps_figure_format(fcinfo, 4);
	Histogram	h = {0};
	double	   *numbers;
	StringInfoData figure;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	h.title = get_title(fcinfo, 1);
	h.mark = !PG_ARGISNULL(2) && isfinite(PG_GETARG_FLOAT8(2)) ? PG_GETARG_FLOAT8(2) : (double) NAN;
	numbers = read_numbers(PG_GETARG_ARRAYTYPE_P(0), &h.n);
	h.bins = PG_ARGISNULL(3) ? choose_bins(h.n, format == DPS_FORMAT_SVG ? 40 : 16) : PG_GETARG_INT32(3);
	if (h.bins < 1 || h.bins > MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a histogram has between 1 and %d bins", MAX_BINS)));
	dps_axis_range(numbers, h.n, &h.lo, &h.hi);
	count_bins(&h, numbers);
	initStringInfo(&figure);
	if (format == DPS_FORMAT_SVG)
		histogram_svg(&figure, &h);
	else
		histogram_text(&figure, format, &h);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(figure.data, figure.len));
}

/* Numbers with a label for each; a missing number is NaN. */
typedef struct Bars
{
	const char *title;
	int			n;
	char	  **label;
	double	   *value;
	double		lo;				/* the range of the values and 0 */
	double		hi;
} Bars;

/* The label, shortened so that it fits beside the frame. */
static char *
short_label(char *name)
{
	int			fits = pg_mbcliplen(name, strlen(name), 13);

	return name[fits] == '\0' ? name : psprintf("%.*s...", pg_mbcliplen(name, strlen(name), 11), name);
}

static void
draw_bar(StringInfo svg, const DpsAxis *x, int place, const char *label, double value)
{
	double		y = DPS_SVG_TOP + place * BAR_PITCH;
	double		zero = dps_axis_place(x, 0);
	double		end = dps_axis_place(x, value);

	dps_svg_text(svg, DPS_SVG_LEFT - 6, y + 17, DPS_ANCHOR_END, label);
	if (isnan(value))
		return;
	dps_svg_rectangle(svg, fmin(zero, end), y + 4, fabs(end - zero), BAR_PITCH - 8, DPS_SVG_BAR);
	dps_svg_text(svg, DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH + 8, y + 17, DPS_ANCHOR_START, dps_svg_number(value));
}

static void
bars_svg(StringInfo svg, const Bars *bars)
{
	DpsAxis		x = dps_axis_x(bars->lo, bars->hi);
	double		zero = dps_axis_place(&x, 0);
	int			height = bars->n * BAR_PITCH;
	int			i;

	dps_svg_begin(svg, height, bars->title);
	for (i = 0; i < bars->n; i++)
		draw_bar(svg, &x, i, short_label(bars->label[i]), bars->value[i]);
	dps_svg_line(svg, zero, DPS_SVG_TOP, zero, DPS_SVG_TOP + height, "#222222");
	dps_svg_axis_x(svg, &x, height, "");
	dps_svg_end(svg);
}

#define LABEL_COLUMNS 24

static void
bars_text(StringInfo text, DpsFormat format, const Bars *bars)
{
	int			labels = 0;
	int			columns;
	double		zero;
	int			i;

	dps_text_title(text, bars->title);
	for (i = 0; i < bars->n; i++)
		labels = dps_max(labels, dps_min(dps_text_columns(bars->label[i]), LABEL_COLUMNS));
	columns = DPS_TEXT_WIDTH - labels - COUNT_COLUMNS - 2;
	/* rounded to the beginning of a character, so that bars of both signs meet there;
	 * halves, so that no difference overflows */
	zero = bars->hi > bars->lo ? rint(-bars->lo / 2 / (bars->hi / 2 - bars->lo / 2) * columns) / columns : 0;
	for (i = 0; i < bars->n; i++)
	{
		double		value = bars->value[i];
		double		share = value / 2 / Max(bars->hi / 2 - bars->lo / 2, DBL_MIN);

		dps_text_right(text, labels, bars->label[i]);
		appendStringInfoChar(text, ' ');
		if (!isnan(value))
		{
			dps_text_bar(text, format, columns, fmax(zero + fmin(share, 0), 0), fmin(zero + fmax(share, 0), 1));
			appendStringInfo(text, " %s", dps_svg_number(value));
		}
		dps_text_newline(text);
	}
}

static void
read_bars(FunctionCallInfo fcinfo, Bars *bars)
{
	Datum	   *labels;
	Datum	   *numbers;
	bool	   *label_nulls;
	bool	   *number_nulls;
	int			nlabels;
	int			i;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &labels, &label_nulls, &nlabels);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &numbers, &number_nulls, &bars->n);
	if (bars->n != nlabels || bars->n > MAX_BARS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bar chart needs a label for each number, and at most %d of them", MAX_BARS)));
	bars->label = palloc(sizeof(char *) * Max(bars->n, 1));
	bars->value = palloc(sizeof(double) * Max(bars->n, 1));
	for (i = 0; i < bars->n; i++)
	{
		bool		finite = !number_nulls[i] && isfinite(DatumGetFloat8(numbers[i]));

		bars->label[i] = label_nulls[i] ? pstrdup("") : TextDatumGetCString(labels[i]);
		bars->value[i] = finite ? DatumGetFloat8(numbers[i]) : (double) NAN;
		if (finite)
		{
			bars->lo = fmin(bars->lo, bars->value[i]);
			bars->hi = fmax(bars->hi, bars->value[i]);
		}
	}
}

/* bar_chart(labels, numbers, title, format) */
Datum
dpsens_bar_chart(PG_FUNCTION_ARGS)
{
	DpsFormat	format = dps_figure_format(fcinfo, 3);
	Bars		bars = {0};
	StringInfoData figure;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	bars.title = get_title(fcinfo, 2);
	read_bars(fcinfo, &bars);
	initStringInfo(&figure);
	if (format == DPS_FORMAT_SVG)
		bars_svg(&figure, &bars);
	else
		bars_text(&figure, format, &bars);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(figure.data, figure.len));
}

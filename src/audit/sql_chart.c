/*
 * sql_chart.c
 *		dpsens.histogram and dpsens.bar_chart: numbers as figures.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "audit/svg.h"

PG_FUNCTION_INFO_V1(dpsens_histogram);
PG_FUNCTION_INFO_V1(dpsens_bar_chart);

#define MAX_BINS 200
#define MAX_BARS 100
#define BAR_PITCH 26

/* Entries that are not finite numbers are left out. */
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
find_range(const double *numbers, int n, double *lo, double *hi)
{
	int			i;

	*lo = *hi = n > 0 ? numbers[0] : 0;
	for (i = 1; i < n; i++)
	{
		*lo = fmin(*lo, numbers[i]);
		*hi = fmax(*hi, numbers[i]);
	}
}

static void
draw_mark(StringInfo svg, const DpsAxis *axis, double mark)
{
	double		x = dps_axis_place(axis, mark);
	bool		left = x > DPS_SVG_LEFT + DPS_SVG_INNER_WIDTH / 2;

	dps_svg_line(svg, x, DPS_SVG_TOP, x, DPS_SVG_TOP + DPS_SVG_INNER_HEIGHT, DPS_SVG_MARK);
	dps_svg_text(svg, left ? x - 6 : x + 6, DPS_SVG_TOP + 12, left ? DPS_ANCHOR_END : DPS_ANCHOR_START,
				 dps_svg_number(mark));
}

/* Square-root rule, between 5 and 40. */
static int
choose_bins(int n)
{
	return Min(Max((int) ceil(sqrt(n)), 5), 40);
}

static void
draw_bins(StringInfo svg, const DpsAxis *x, const double *numbers, int n, double lo, double hi, int bins)
{
	int		   *count = palloc0(sizeof(int) * bins);
	int			most = 0;
	DpsAxis		y;
	int			i;

	for (i = 0; i < n; i++)
	{
		int			bin = hi > lo ? (int) ((numbers[i] / 2 - lo / 2) / (hi / 2 - lo / 2) * bins) : bins / 2;

		bin = Min(Max(bin, 0), bins - 1);
		count[bin]++;
		most = Max(most, count[bin]);
	}
	y = dps_axis_y(0, Max(most, 1));
	for (i = 0; i < bins; i++)
	{
		double		from = hi > lo ? dps_axis_place(x, lo) : x->from;
		double		to = hi > lo ? dps_axis_place(x, hi) : x->to;
		double		width = (to - from) / bins;
		double		top = dps_axis_place(&y, count[i]);

		if (count[i] > 0)
			dps_svg_rectangle(svg, from + i * width, top, Max(width - 1, 0.5),
							  y.from - top, DPS_SVG_BAR);
	}
	dps_svg_axis_y(svg, &y, "rows");
}

/* histogram(numbers, title, mark, bins) */
Datum
dpsens_histogram(PG_FUNCTION_ARGS)
{
	double	   *numbers;
	int			n = 0;
	bool		marked = !PG_ARGISNULL(2) && isfinite(PG_GETARG_FLOAT8(2));
	double		mark = marked ? PG_GETARG_FLOAT8(2) : 0;
	int			bins;
	double		lo;
	double		hi;
	DpsAxis		x;
	StringInfoData svg;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	numbers = read_numbers(PG_GETARG_ARRAYTYPE_P(0), &n);
	bins = PG_ARGISNULL(3) ? choose_bins(n) : PG_GETARG_INT32(3);
	if (bins < 1 || bins > MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a histogram has between 1 and %d bins", MAX_BINS)));
	find_range(numbers, n, &lo, &hi);
	x = marked ? dps_axis_x(fmin(lo, mark), fmax(hi, mark)) : dps_axis_x(lo, hi);

	initStringInfo(&svg);
	dps_svg_begin(&svg, DPS_SVG_INNER_HEIGHT, get_title(fcinfo, 1));
	draw_bins(&svg, &x, numbers, n, lo, hi, bins);
	dps_svg_axis_x(&svg, &x, DPS_SVG_INNER_HEIGHT, psprintf("%d rows", n));
	if (marked)
		draw_mark(&svg, &x, mark);
	dps_svg_end(&svg);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(svg.data, svg.len));
}

/* A label that fits beside the frame. */
static char *
short_label(Datum label)
{
	char	   *name = TextDatumGetCString(label);
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

/* bar_chart(labels, numbers, title) */
Datum
dpsens_bar_chart(PG_FUNCTION_ARGS)
{
	Datum	   *labels;
	Datum	   *numbers;
	bool	   *label_nulls;
	bool	   *number_nulls;
	int			nlabels;
	int			n;
	double		lo = 0;
	double		hi = 0;
	DpsAxis		x;
	StringInfoData svg;
	int			i;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &labels, &label_nulls, &nlabels);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &numbers, &number_nulls, &n);
	if (n != nlabels || n > MAX_BARS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bar chart needs a label for each number, and at most %d of them", MAX_BARS)));
	for (i = 0; i < n; i++)
	{
		number_nulls[i] = number_nulls[i] || !isfinite(DatumGetFloat8(numbers[i]));
		lo = number_nulls[i] ? lo : fmin(lo, DatumGetFloat8(numbers[i]));
		hi = number_nulls[i] ? hi : fmax(hi, DatumGetFloat8(numbers[i]));
	}
	x = dps_axis_x(lo, hi);
	initStringInfo(&svg);
	dps_svg_begin(&svg, n * BAR_PITCH, get_title(fcinfo, 2));
	for (i = 0; i < n; i++)
		draw_bar(&svg, &x, i, label_nulls[i] ? "" : short_label(labels[i]),
				 number_nulls[i] ? (double) NAN : DatumGetFloat8(numbers[i]));
	dps_svg_line(&svg, dps_axis_place(&x, 0), DPS_SVG_TOP, dps_axis_place(&x, 0), DPS_SVG_TOP + n * BAR_PITCH, "#222222");
	dps_svg_axis_x(&svg, &x, n * BAR_PITCH, "");
	dps_svg_end(&svg);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(svg.data, svg.len));
}

/*
 * report_burn_down.c
 *		What was spent of each budget, day by day.
 *
 * The end of each line is what left_percent says is not left.  The days before are in proportion to what releases were
 * charged: of budgets of epsilon alone, or of rho, that is what these counted then; one of epsilon and delta counts rho
 * at one Renyi order, which can be less than the rho of a release at all orders, by a share that differs between
 * releases.  All numbers are those of views that the caller could read, as the caller.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/date.h"

#include "audit/report/report.h"
#include "num/whole.h"
#include "plot/html.h"
#include "plot/steps.h"

#define CAPTION "The share of each budget that is spent, by the end of each day (UTC); of a budget with periods, of the present one. " \
	"The last value is what the budget counts; days before it are in proportion to what answers were charged, which for a budget of epsilon and delta is rho at all orders. " \
	"Budgets of columns and of entities are in the table alone."

/* Of each budget with charges, those with the largest share spent first. */
static char *
days_query(const DpsReport *report)
{
	return psprintf("WITH b AS MATERIALIZED (SELECT b.role, COALESCE(b.role::text, 'everybody') AS label, 100 - b.left_percent AS spent, b.rho IS NOT NULL OR b.delta > 0 AS by_rho,"
					" CASE WHEN b.refresh IS NOT NULL THEN b.period_start ELSE '-infinity' END AS since, count(*) OVER () AS budgets"
					" FROM dpsens.budgets b WHERE b.relation = %u AND b.column_name IS NULL AND NOT b.entity AND b.charges > 0"
					" ORDER BY b.left_percent, b.role NULLS FIRST LIMIT %d),"
					" d AS (SELECT b.role, b.label, b.spent, (r.released_at AT TIME ZONE 'UTC')::date AS day, sum(CASE WHEN b.by_rho THEN r.charge_rho ELSE r.charge_epsilon END) AS cost"
					" FROM b JOIN dpsens.releases r ON r.relation = %s AND (b.role IS NULL OR r.budget_of = b.role) AND r.released_at >= b.since GROUP BY 1, 2, 3, 4)"
					" SELECT d.label, d.day, d.spent * sum(d.cost) OVER (PARTITION BY d.role ORDER BY d.day) / sum(d.cost) OVER (PARTITION BY d.role),"
					" (pg_catalog.now() AT TIME ZONE 'UTC')::date FROM d"
					" WHERE (SELECT sum(o.cost) FROM d o WHERE o.role IS NOT DISTINCT FROM d.role) BETWEEN 1e-300 AND 1e300 ORDER BY d.spent DESC, d.role NULLS FIRST, d.day",
					report->relation, DPS_MAX_STEPS, report->literal);
}

static Datum
cell(uint64 row, int column)
{
	bool		isnull;

	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);
}

/* Lines of the rows of days_query, with the first day and today. */
static int
read_lines(DpsSteps *lines, double *first, double *last)
{
	int			n = 0;
	uint64		i;

	for (i = 0; i < SPI_processed; i++)
	{
		char	   *label = TextDatumGetCString(cell(i, 1));
		double		day = DatumGetDateADT(cell(i, 2));
		double		today = DatumGetDateADT(cell(i, 4));
		DpsSteps   *line = n > 0 && strcmp(lines[n - 1].label, label) == 0 ? &lines[n - 1] : NULL;

		if (line == NULL && n == DPS_MAX_STEPS)
			break;
		if (line == NULL)
		{
			line = &lines[n++];
			line->label = label;
			line->n = 0;
			line->x = palloc(sizeof(double) * SPI_processed);
			line->y = palloc(sizeof(double) * SPI_processed);
		}
		line->x[line->n] = day;
		line->y[line->n++] = DatumGetFloat8(cell(i, 3));
		*first = i == 0 ? day : Min(*first, day);
		*last = Max(today, i == 0 ? day : Max(*last, day));
	}
	return n;
}

static char *
day_name(double day)
{
	return DatumGetCString(DirectFunctionCall1(date_out, DateADTGetDatum(dps_to_int32(day))));
}

void
dps_report_burn_down(DpsReport *report)
{
	DpsSteps	lines[DPS_MAX_STEPS];
	double		first = 0;
	double		last = 0;
	int			n;

	if (SPI_execute(days_query(report), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the days of relation %u", report->relation);
	n = read_lines(lines, &first, &last);
	if (n == 0)
		return;
	appendStringInfoString(&report->page, "<figure>\n");
	dps_html_begin_wide(&report->page, "Budgets, day by day");
	dps_svg_steps(&report->page, psprintf("Share of budgets of %s that is spent, by day", report->name), lines, n, first - 1, last,
				  day_name, "spent, %");
	dps_html_end_wide(&report->page);
	appendStringInfoString(&report->page, "<figcaption>" CAPTION "</figcaption>\n</figure>\n");
}

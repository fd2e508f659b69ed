/*
 * report_losses.c
 *		What each unit of the table has lost by all answers so far, as quantiles.
 *
 * For who may see what follows from rows.  Made as the owner, by dpsens.row_loss, whose figures are recomputed from
 * the rows: a page without rows reads none.
 */
#include "postgres.h"

#include "audit/report/report.h"
#include "plot/html.h"

/* Quantiles are values that a unit has: one between Infinity and a number would be none. */
static char *
quantiles_query(Oid relation)
{
	return psprintf("WITH l AS MATERIALIZED (SELECT epsilon, rho FROM dpsens.row_loss(%u))"
					" SELECT v.loss, count(*) AS units, min(v.lost) AS min, percentile_disc(0.25) WITHIN GROUP (ORDER BY v.lost) AS q1,"
					" percentile_disc(0.5) WITHIN GROUP (ORDER BY v.lost) AS median, percentile_disc(0.75) WITHIN GROUP (ORDER BY v.lost) AS q3,"
					" max(v.lost) AS max FROM l CROSS JOIN LATERAL (VALUES (1, 'epsilon', l.epsilon), (2, 'rho', l.rho)) AS v (place, loss, lost)"
					" GROUP BY v.place, v.loss ORDER BY v.place", relation);
}

void
dps_report_losses(DpsReport *report)
{
	if (!report->is_protected)
		dps_html_paragraph(&report->page, "This table is not protected: nobody's loss is limited.");
	else if (!report->with_rows)
		dps_html_paragraph(&report->page, "What persons have lost follows from their rows, of which this page shows nothing.");
	else
	{
		dps_html_paragraph(&report->page,
						   "What the table's persons have lost themselves by all answers together: mostly less than what was charged, which holds of everybody. "
						   "Of one with several rows it is what all of them can have lost together; dpsens.row_loss has each person's.");
		dps_html_try(&report->page, dps_html_table, "Quantiles of what persons have lost", quantiles_query(report->relation), "There are no rows.");
	}
}

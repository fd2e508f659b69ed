/*
 * report_rows.c
 *		What is declared of the table, and what its expressions can reveal, with distributions of private data.
 *
 * For the owner and auditors; what follows from rows, their number and distributions, for those who may see it.  Made as
 * the owner.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "audit/report/report.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "glue/settings.h"
#include "ledger/auditor.h"
#include "plot/html.h"

#define MAX_SAMPLE 100000		/* rows of a histogram */
#define MAX_CERTIFICATE 2000	/* boxes of a proof */

void
dps_report_declarations(DpsReport *report)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(report->relation, &annotation);
	if (!annotation.is_protected)
	{
		dps_html_paragraph(&report->page, "This table is not protected: dpsens.protect has not been called for it.");
		return;
	}
	dps_html_paragraph(&report->page,
					   psprintf("Neighbouring tables: %s. Privacy unit: %s.%s",
								dps_adjacency_name(annotation.adjacency),
								!dps_has_unit(&annotation) ? "none" :
								dps_unit_names(report->relation, &annotation.unit),
								report->with_rows ? psprintf(" %lld rows.", (long long) report->rows) : ""));
	dps_html_table(&report->page, "Columns",
				   psprintf("SELECT column_name AS \"column\", type, not_null AS \"not null\", role,"
							" CASE WHEN type::text OPERATOR(pg_catalog.~) '^(date|timestamp)' THEN pg_catalog.regexp_replace((pg_catalog.to_timestamp(lo) AT TIME ZONE 'UTC')::text, ' 00:00:00$', '') ELSE lo::text END AS lo,"
							" CASE WHEN type::text OPERATOR(pg_catalog.~) '^(date|timestamp)' THEN pg_catalog.regexp_replace((pg_catalog.to_timestamp(hi) AT TIME ZONE 'UTC')::text, ' 00:00:00$', '') ELSE hi::text END AS hi, weight,"
							" \"values\", missing AS \"code: missing\" FROM dpsens.columns WHERE relation OPERATOR(pg_catalog.=) %u",
							report->relation), "No columns.");
}

/* The expression simplified, typeset and as SQL. */
static void
report_forms(DpsReport *report, Oid function, const char *name)
{
	dps_html_formulas(&report->page, psprintf("Closed forms of %s", name),
				   psprintf("SELECT form, sql, latex"
							" FROM dpsens_internal.describe_expression(%u) AS d CROSS JOIN LATERAL ("
							"SELECT 1 AS place, 'value' AS form, d.expression AS sql, d.expression_latex AS latex"
							" UNION ALL SELECT 2, 'slope in ' || key, value, d.gradient_latex ->> key"
							" FROM pg_catalog.jsonb_each_text(d.gradient)"
							" UNION ALL SELECT 3, 'gradient norm', d.norm, d.norm_latex) AS forms ORDER BY place, form",
							function), "No closed forms.");
}

static void
report_bounds(DpsReport *report, Oid function, const char *name)
{
	dps_html_table(&report->page, psprintf("Certified bounds of %s", name),
				   psprintf("SELECT quantity, bound AS \"exact: certified bound\", d.witness ->> quantity AS \"code: attained at\","
							" CASE WHEN quantity OPERATOR(pg_catalog.=) d.adjacency AND bound IS NOT NULL THEN 'decides the noise' ELSE '' END AS use"
							" FROM dpsens_internal.describe_expression(%u) AS d CROSS JOIN LATERAL ("
							"VALUES (1, 'infimum', d.infimum), (2, 'supremum', d.supremum), (3, 'add_remove', d.add_remove),"
							" (4, 'replace', d.replace), (5, 'attribute', d.attribute), (6, 'metric', d.metric)) AS q (place, quantity, bound)"
							" ORDER BY place", function), "No bounds.");
	dps_html_list(&report->page, "What is not bounded",
				   psprintf("SELECT 'Not bounded, and why: ' || note AS \"not bounded, and why\" FROM dpsens_internal.describe_expression(%u) WHERE note IS NOT NULL",
							function), NULL);
}

/* That the bounds can be checked without the search that found them. */
static void
report_certificate(DpsReport *report, Oid function, const char *name)
{
	dps_html_heading(&report->page, 4, "Certificate");
	dps_html_try(&report->page, dps_html_table, psprintf("Certificate of %s", name),
					   psprintf("SELECT quantity, CASE WHEN valid THEN 'verified' ELSE reason END AS result, boxes,"
								" lower AS \"exact: lower\", upper AS \"exact: upper\""
								" FROM dpsens.verify_certificate(dpsens.certificate_of(%u, NULL, %d))", function, MAX_CERTIFICATE),
					   "No bounds, no certificate.");
	dps_html_paragraph(&report->page,
					   "dpsens.certificate_of makes the document, dpsens.verify_certificate checks it; here of bounds that a proof of few boxes reaches, which can be wider.");
}

/* A part of a large table, the same at each call. */
static char *
sample_clause(const DpsReport *report)
{
	if (report->rows <= MAX_SAMPLE)
		return pstrdup("");
	return psprintf(" TABLESAMPLE BERNOULLI (%.9f) REPEATABLE (1)", 100.0 * MAX_SAMPLE / (double) report->rows);
}

static void
report_histogram(DpsReport *report, const char *number, const char *title, const char *mark)
{
	dps_html_try(&report->page, dps_html_figure, title,
					   psprintf("SELECT dpsens.histogram(pg_catalog.array_agg(%s), %s, (SELECT %s)) AS figure FROM %s AS r%s",
								number, quote_literal_cstr(title), mark, report->name, sample_clause(report)), NULL);
}

static void
report_losses(DpsReport *report, Oid function, const char *call, const char *name)
{
	dps_html_heading(&report->page, 4, psprintf("How the rows of %s are distributed", name));
	if (report->rows == 0)
	{
		dps_html_paragraph(&report->page, "There are no rows.");
		return;
	}
	if (report->rows > MAX_SAMPLE)
		dps_html_paragraph(&report->page,
						   psprintf("Histograms show about %d rows, chosen at random; quantiles are of all rows.", MAX_SAMPLE));
	report_histogram(report, psprintf("dpsens.gradient_norm_of(%s, r)", call),
					 psprintf("gradient norm of %s, its certified bound marked", name),
					 psprintf("NULLIF(d.metric, 'Infinity') FROM dpsens_internal.describe_expression(%u) AS d", function));
	if (dps_setting_epsilon > 0)
		report_histogram(report, psprintf("dpsens.individual_epsilon(%s, r, %s)", call, dps_format_number(dps_setting_delta)),
						 psprintf("individual epsilon of one dp_sum at epsilon = %s, delta = %s, %s",
								  dps_format_number(dps_setting_epsilon), dps_format_number(dps_setting_delta),
								  dps_setting_mechanism()->name),
						 psprintf("%s::pg_catalog.float8", dps_format_number(dps_setting_epsilon)));
	else
		dps_html_paragraph(&report->page, "Set dpsens.epsilon to see individual losses by one release.");
	dps_html_try(&report->page, dps_html_table, psprintf("Quantiles of the rows of %s", name),
					   psprintf("SELECT quantity, rows, min, q1, median, q3, max, mean, bound, realised, rows_above[1] AS \"above 50 %%\","
								" rows_above[2] AS \"above 90 %%\" FROM dpsens.sensitivity_summary(%u)", function), "No rows.");
}

/* The section of one expression, whose name may be any string. */
static void
report_expression(DpsReport *report, Oid function)
{
	char	   *call = psprintf("%u::pg_catalog.regprocedure", function);
	char	   *name = get_func_name(function);

	dps_html_heading(&report->page, 3, name);
	report_forms(report, function, name);
	report_bounds(report, function, name);
	report_certificate(report, function, name);
	if (report->with_rows)
		report_losses(report, function, call, name);
}

void
dps_report_expressions(DpsReport *report)
{
	Oid		   *function;
	uint64		n;
	uint64		i;

	if (SPI_execute(psprintf("SELECT p.oid FROM pg_catalog.pg_seclabel AS l JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=) l.objoid"
							 " WHERE l.provider OPERATOR(pg_catalog.=) '" DPS_LABEL_PROVIDER "' AND l.label OPERATOR(pg_catalog.=) 'EXPRESSION'"
							 " AND l.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass"
							 " AND p.proargtypes[0] OPERATOR(pg_catalog.=) %u ORDER BY p.proname", get_rel_type_id(report->relation)),
					true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not list the expressions of relation %u", report->relation);
	n = SPI_processed;
	function = palloc(sizeof(Oid) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		bool		isnull;

		function[i] = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
	}
	if (n == 0)
		dps_html_paragraph(&report->page, "None. dpsens.register makes them.");
	for (i = 0; i < n; i++)
	{
		if (dps_owner_wrote(function[i], report->relation))
			report_expression(report, function[i]);
	}
}

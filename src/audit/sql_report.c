/*
 * sql_report.c
 *		dpsens.report: what is declared of a table, what its expressions can
 *		reveal, what was spent and released, on one page.
 *
 * It shows distributions of private data: for the table's owner and its auditors.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/timestamp.h"

#include "plot/html.h"
#include "audit/loss.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "ledger/auditor.h"

DPS_SQL_FUNCTION(dpsens_report);

#define MAX_RELEASES 100
#define MAX_SAMPLE 100000		/* rows of a histogram */
#define MAX_CERTIFICATE 2000	/* boxes of a proof */

typedef struct Report
{
	StringInfoData page;
	Oid			relation;
	char	   *name;			/* qualified */
	char	   *literal;		/* the name as an SQL string */
	int64		rows;
} Report;

static int64
count_rows(const char *query)
{
	bool		isnull;

	if (SPI_execute(query, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not execute: %s", query);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

static void
report_annotations(Report *report)
{
	DpsRelationAnnotation annotation;

	dps_html_heading(&report->page, 2, "Annotations");
	dps_get_relation_annotation(report->relation, &annotation);
	if (!annotation.is_protected)
	{
		dps_html_paragraph(&report->page, "This table is not protected: dpsens.protect has not been called for it.");
		return;
	}
	dps_html_paragraph(&report->page,
					   psprintf("Neighbouring tables: %s. Privacy unit: %s. %lld rows.",
								dps_adjacency_name(annotation.adjacency),
								annotation.unit == InvalidAttrNumber ? "none" :
								get_attname(report->relation, annotation.unit, false),
								(long long) report->rows));
	dps_html_table(&report->page,
				   psprintf("SELECT column_name AS \"column\", type, not_null AS \"not null\", role,"
							" CASE WHEN type::text OPERATOR(pg_catalog.~) '^(date|timestamp)' THEN pg_catalog.regexp_replace((pg_catalog.to_timestamp(lo) AT TIME ZONE 'UTC')::text, ' 00:00:00$', '') ELSE lo::text END AS lo,"
							" CASE WHEN type::text OPERATOR(pg_catalog.~) '^(date|timestamp)' THEN pg_catalog.regexp_replace((pg_catalog.to_timestamp(hi) AT TIME ZONE 'UTC')::text, ' 00:00:00$', '') ELSE hi::text END AS hi, weight,"
							" \"values\", missing AS \"code: missing\" FROM dpsens.columns WHERE relation OPERATOR(pg_catalog.=) %u",
							report->relation), "No columns.");
}

/* The expression simplified, as SQL and as LaTeX. */
static void
report_forms(Report *report, Oid function)
{
	dps_html_table(&report->page,
				   psprintf("SELECT form, sql AS \"code: SQL\", latex AS \"code: LaTeX\""
							" FROM dpsens_internal.describe_expression(%u) AS d CROSS JOIN LATERAL ("
							"SELECT 1 AS place, 'value' AS form, d.expression AS sql, d.expression_latex AS latex"
							" UNION ALL SELECT 2, 'slope in ' || key, value, d.gradient_latex ->> key"
							" FROM pg_catalog.jsonb_each_text(d.gradient)"
							" UNION ALL SELECT 3, 'gradient norm', d.norm, d.norm_latex) AS forms ORDER BY place, form",
							function), "No closed forms.");
}

static void
report_bounds(Report *report, Oid function)
{
	dps_html_table(&report->page,
				   psprintf("SELECT quantity, bound AS \"exact: certified bound\", d.witness ->> quantity AS \"code: attained at\","
							" CASE WHEN quantity OPERATOR(pg_catalog.=) d.adjacency AND bound IS NOT NULL THEN 'decides the noise' ELSE '' END AS use"
							" FROM dpsens_internal.describe_expression(%u) AS d CROSS JOIN LATERAL ("
							"VALUES (1, 'infimum', d.infimum), (2, 'supremum', d.supremum), (3, 'add_remove', d.add_remove),"
							" (4, 'replace', d.replace), (5, 'attribute', d.attribute), (6, 'metric', d.metric)) AS q (place, quantity, bound)"
							" ORDER BY place", function), "No bounds.");
	dps_html_table(&report->page,
				   psprintf("SELECT note AS \"not bounded, and why\" FROM dpsens_internal.describe_expression(%u) WHERE note IS NOT NULL",
							function), NULL);
}

/* That the bounds can be checked without the search that found them. */
static void
report_certificate(Report *report, Oid function)
{
	dps_html_heading(&report->page, 4, "Certificate");
	dps_html_try_table(&report->page,
					   psprintf("SELECT quantity, CASE WHEN valid THEN 'verified' ELSE reason END AS result, boxes,"
								" lower AS \"exact: lower\", upper AS \"exact: upper\""
								" FROM dpsens.verify_certificate(dpsens.certificate_of(%u, NULL, %d))", function, MAX_CERTIFICATE),
					   "No bounds, no certificate.");
	dps_html_paragraph(&report->page,
					   "dpsens.certificate_of makes the document, dpsens.verify_certificate checks it; here of bounds that a proof of few boxes reaches, which can be wider.");
}

/* A part of a large table, the same at each call. */
static char *
sample_clause(const Report *report)
{
	if (report->rows <= MAX_SAMPLE)
		return pstrdup("");
	return psprintf(" TABLESAMPLE BERNOULLI (%.9f) REPEATABLE (1)", 100.0 * MAX_SAMPLE / (double) report->rows);
}

static void
report_histogram(Report *report, const char *number, const char *title, const char *mark)
{
	dps_html_try_table(&report->page,
					   psprintf("SELECT dpsens.histogram(pg_catalog.array_agg(%s), %s, (SELECT %s)) AS figure FROM %s AS r%s",
								number, quote_literal_cstr(title), mark, report->name, sample_clause(report)), NULL);
}

static void
report_losses(Report *report, Oid function, const char *call, const char *name)
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
	dps_html_try_table(&report->page,
					   psprintf("SELECT quantity, rows, min, q1, median, q3, max, mean, bound, realised, rows_above[1] AS \"above 50 %%\","
								" rows_above[2] AS \"above 90 %%\" FROM dpsens.sensitivity_summary(%u)", function), "No rows.");
}

/* The section of one expression, whose name may be any string. */
static void
report_expression(Report *report, Oid function)
{
	char	   *call = psprintf("%u::pg_catalog.regprocedure", function);
	char	   *name = get_func_name(function);

	dps_html_heading(&report->page, 3, name);
	report_forms(report, function);
	report_bounds(report, function);
	report_certificate(report, function);
	report_losses(report, function, call, name);
}

static void
report_expressions(Report *report)
{
	Oid		   *function;
	uint64		n;
	uint64		i;

	dps_html_heading(&report->page, 2, "Registered expressions");
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

static void
report_budgets(Report *report)
{
	dps_html_heading(&report->page, 2, "Budgets");
	dps_html_table(&report->page,
				   psprintf("SELECT COALESCE(role::text, 'column ' OPERATOR(pg_catalog.||) pg_catalog.quote_ident(column_name), CASE WHEN entity THEN 'a person, by all relations' ELSE '(the table)' END) AS \"of role\", epsilon, delta, rho, refresh, spent_epsilon AS \"spent epsilon\","
							" spent_rho AS \"spent rho\", left_epsilon AS \"left epsilon\", left_rho AS \"left rho\", left_percent AS \"left %%\", charges"
							" FROM dpsens.budgets WHERE relation OPERATOR(pg_catalog.=) %u ORDER BY role NULLS FIRST, column_name NULLS FIRST, entity", report->relation),
				   "No budgets: answers are recorded, and not limited.");
}

static void
report_releases(Report *report)
{
	int64		n = count_rows(psprintf("SELECT pg_catalog.count(*) FROM dpsens.releases WHERE relation OPERATOR(pg_catalog.=) %s",
										report->literal));

	dps_html_heading(&report->page, 2, "Releases");
	dps_html_paragraph(&report->page,
					   n > MAX_RELEASES ? psprintf("%lld so far; the last %d of them:", (long long) n, MAX_RELEASES) :
					   psprintf("%lld so far.", (long long) n));
	if (n == 0)
		return;
	dps_html_table(&report->page,
				   psprintf("SELECT release, released_at::timestamp(0) AS \"when\", role, expression AS \"code: expression\", mechanism, epsilon, delta,"
							" sensitivity, scale, charge_epsilon AS \"charged epsilon\", charge_rho AS \"charged rho\", query AS \"code: query\""
							" FROM dpsens.releases WHERE relation OPERATOR(pg_catalog.=) %s ORDER BY release DESC LIMIT %d",
							report->literal, MAX_RELEASES), "None.");
	dps_html_paragraph(&report->page,
					   "What was charged is an (epsilon, delta) guarantee only for budgets that were set beforehand, or if these queries had been fixed in advance.");
}

static void
check_relation(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	if (kind == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", get_rel_name(relation))));
}

/* report(relation) */
Datum
dpsens_report(PG_FUNCTION_ARGS)
{
	MemoryContext memory = CurrentMemoryContext;
	Report		report;
	text	   *page;
	DpsAudit	audit;
	int			nest_level;

	report.relation = PG_GETARG_OID(0);
	check_relation(report.relation);
	audit = dps_begin_audit(report.relation, DPS_AUDIT_ROWS);
	/* the queries mean the server's own operators, whatever the caller's path */
	nest_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("client_min_messages", "warning", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	report.name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(report.relation)), get_rel_name(report.relation));
	report.literal = quote_literal_cstr(report.name);
	report.rows = count_rows(psprintf("SELECT pg_catalog.count(*) FROM %s", report.name));
	initStringInfo(&report.page);
	dps_html_begin(&report.page, psprintf("Privacy report of %s", report.name));
	appendStringInfoString(&report.page, "<p class=\"warning\">This page holds private data: distributions of exact values. "
						   "It is for the owner of the table and its auditors, and no epsilon may be chosen from it.</p>\n");
	dps_html_paragraph(&report.page, psprintf("Made on %s.", timestamptz_to_str(GetCurrentTimestamp())));
	report_annotations(&report);
	report_expressions(&report);
	report_budgets(&report);
	report_releases(&report);
	dps_html_end(&report.page);
	MemoryContextSwitchTo(memory);
	page = cstring_to_text_with_len(report.page.data, report.page.len);
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	dps_end_audit(audit);
	PG_RETURN_TEXT_P(page);
}

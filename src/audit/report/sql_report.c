/*
 * sql_report.c
 *		dpsens.report: what is promised of a table, what was spent and answered, what is declared and what its
 *		expressions can reveal, on one page.
 *
 * For the table's owner and its auditors; with rows it shows distributions of private data, for those of them who may see
 * what follows from rows.  Declarations and expressions are reported as the owner, by leave of dps_begin_audit; all else is
 * what views show to the caller, and is made as the caller.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "commands/dbcommands.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "audit/report/report.h"
#include "glue/label/annotation.h"
#include "glue/version.h"
#include "ledger/auditor.h"
#include "plot/html.h"

DPS_SQL_FUNCTION(dpsens_report);
DPS_SQL_FUNCTION(dpsens_report_of);

typedef struct Part
{
	DpsHtmlSection section;
	void		(*append) (DpsReport *report);
	bool		as_owner;
} Part;

static const Part parts[] = {
	{{"summary", "Summary"}, dps_report_summary, false},
	{{"budgets", "Budgets"}, dps_report_budgets, false},
	{{"answers", "Answers"}, dps_report_answers, false},
	{{"limits", "Limits and policies"}, dps_report_limits, false},
	{{"findings", "Findings"}, dps_report_findings, false},
	{{"declarations", "Declarations"}, dps_report_declarations, true},
	{{"losses", "Losses"}, dps_report_losses, true},
	{{"expressions", "Registered expressions"}, dps_report_expressions, true}
};

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

static int64
count_rows(const char *query)
{
	bool		isnull;

	if (SPI_execute(query, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not execute: %s", query);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Of the two kinds of parts those that are made as the owner, or the others. */
static void
append_parts(DpsReport *report, bool as_owner)
{
	size_t		i;

	for (i = 0; i < lengthof(parts); i++)
	{
		if (parts[i].as_owner != as_owner)
			continue;
		dps_html_begin_section(&report->page, &parts[i].section);
		parts[i].append(report);
		dps_html_end_section(&report->page);
	}
}

static void
append_contents(StringInfo page)
{
	DpsHtmlSection sections[lengthof(parts)];
	size_t		i;

	for (i = 0; i < lengthof(parts); i++)
		sections[i] = parts[i].section;
	dps_html_contents(page, sections, lengthof(parts));
}

/* As the owner; an error comes before anything is read. */
static void
append_as_owner(DpsReport *report)
{
	DpsAudit	audit = dps_begin_audit(report->relation, report->with_rows ? DPS_AUDIT_ROWS : DPS_AUDIT_FIGURES);

	if (report->with_rows)
		report->rows = count_rows(psprintf("SELECT count(*) FROM %s", report->name));
	append_parts(report, true);
	dps_end_audit(audit);
}

static void
begin_report(DpsReport *report, Oid relation, bool with_rows)
{
	DpsRelationAnnotation annotation;

	report->relation = relation;
	report->with_rows = with_rows;
	report->rows = 0;
	report->name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
	report->literal = quote_literal_cstr(report->name);
	dps_get_relation_annotation(relation, &annotation);
	report->is_protected = annotation.is_protected;
	initStringInfo(&report->page);
}

static void
append_page(DpsReport *report)
{
	StringInfoData of_owner;

	append_as_owner(report);
	of_owner = report->page;
	initStringInfo(&report->page);
	dps_html_begin(&report->page, psprintf("Privacy report of %s", report->name));
	dps_html_warning(&report->page, report->with_rows ? "This page holds private data: distributions of exact values. "
					 "It is for the owner of the table and its auditors, and no epsilon may be chosen from it." :
					 "This page holds nothing that follows from rows. It tells who asked what, and is for the owner of the table and its auditors.");
	dps_html_paragraph(&report->page, psprintf("Made on %s in database %s by role %s, with dpsens %s.", timestamptz_to_str(GetCurrentTimestamp()),
												get_database_name(MyDatabaseId), GetUserNameFromId(GetUserId(), false), DPS_VERSION));
	append_contents(&report->page);
	append_parts(report, false);
	appendBinaryStringInfo(&report->page, of_owner.data, of_owner.len);
	dps_html_end(&report->page);
}

static void
set_local(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

static text *
make_report(Oid relation, bool with_rows)
{
	MemoryContext memory = CurrentMemoryContext;
	DpsReport	report;
	text	   *page;
	int			nest_level;

	check_relation(relation);
	/* the queries mean the server's own operators, whatever the caller's path */
	nest_level = NewGUCNestLevel();
	set_local("search_path", "pg_catalog, pg_temp");
	set_local("client_min_messages", "warning");
	/* views of budgets would be compiled for seconds, to run for a tenth of one */
	set_local("jit", "off");
	SPI_connect();
	begin_report(&report, relation, with_rows);
	append_page(&report);
	MemoryContextSwitchTo(memory);
	page = cstring_to_text_with_len(report.page.data, report.page.len);
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	return page;
}

/* report(relation) */
Datum
dpsens_report(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(make_report(PG_GETARG_OID(0), true));
}

/* report(relation, rows) */
Datum
dpsens_report_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(make_report(PG_GETARG_OID(0), PG_GETARG_BOOL(1)));
}

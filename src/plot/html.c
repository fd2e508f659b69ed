/*
 * html.c
 *		A page of text and tables: self-contained HTML without scripts.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "plot/html.h"
#include "plot/svg.h"

#define CODE "code: "
#define EXACT "exact: "
#define FIGURE "figure"

void
dps_html_begin(StringInfo page, const char *title)
{
	appendStringInfoString(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
						   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
						   "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	dps_append_escaped(page, title);
	appendStringInfoString(page, "</title>\n<style>\n"
						   ":root { color-scheme: light dark; --ink: #222; --page: #fff; --line: #ddd; --head: #f2f4f7; --alert: #fbf1f0 }\n"
						   "@media (prefers-color-scheme: dark) { :root { --ink: #e2e2e2; --page: #1b1d20; --line: #45484d; --head: #282b30; --alert: #3a2422 } }\n"
						   "body { font: 15px/1.5 sans-serif; color: var(--ink); background: var(--page); max-width: 74em; margin: 2em auto; padding: 0 1em }\n"
						   "h1 { font-size: 1.6em; overflow-wrap: anywhere } h2 { font-size: 1.25em; border-bottom: 1px solid var(--line); margin-top: 2em } h3 { font-size: 1.1em } h4 { font-size: 1em }\n"
						   ".wide { overflow-x: auto; margin: 0.7em 0 }\n"
						   "table { border-collapse: collapse; font-size: 13px }\n"
						   "th, td { border: 1px solid var(--line); padding: 3px 8px; text-align: left; vertical-align: top }\n"
						   "th { background: var(--head); white-space: nowrap } td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }\n"
						   "code { font: 12px/1.4 monospace; overflow-wrap: anywhere }\n"
						   "td code { display: inline-block; min-width: 12em }\n"
						   ".warning { border-left: 4px solid #c0392b; padding: 0.3em 1em; background: var(--alert) }\n"
						   "svg { max-width: 100%; height: auto; border-radius: 4px }\n"
						   "@media print { :root { --ink: #222; --page: #fff; --line: #ddd; --head: #f2f4f7; --alert: #fbf1f0 } .wide { overflow: visible } }\n"
						   "</style>\n</head>\n<body>\n");
	dps_html_heading(page, 1, title);
}

void
dps_html_end(StringInfo page)
{
	appendStringInfoString(page, "</body>\n</html>\n");
}

void
dps_html_heading(StringInfo page, int level, const char *text)
{
	appendStringInfo(page, "<h%d>", level);
	dps_append_escaped(page, text);
	appendStringInfo(page, "</h%d>\n", level);
}

void
dps_html_paragraph(StringInfo page, const char *text)
{
	appendStringInfoString(page, "<p>");
	dps_append_escaped(page, text);
	appendStringInfoString(page, "</p>\n");
}

static bool
is_number(Oid type)
{
	return type == FLOAT8OID || type == INT8OID || type == INT4OID;
}

static bool
starts_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static char *
cell_text(const char *name, Oid type, HeapTuple row, TupleDesc columns, int j)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, columns, j + 1, &isnull);

	if (isnull)
		return NULL;
	if (type == FLOAT8OID && !starts_with(name, EXACT) && isfinite(DatumGetFloat8(value)))
		return psprintf("%.6g", DatumGetFloat8(value) + 0.0);
	return SPI_getvalue(row, columns, j + 1);
}

static void
append_cell(StringInfo page, HeapTuple row, TupleDesc columns, int j)
{
	const char *name = NameStr(TupleDescAttr(columns, j)->attname);
	Oid			type = TupleDescAttr(columns, j)->atttypid;
	char	   *text = cell_text(name, type, row, columns, j);

	appendStringInfoString(page, is_number(type) ? "<td class=\"number\">" : "<td>");
	if (text != NULL && starts_with(name, CODE))
		appendStringInfoString(page, "<code>");
	if (text != NULL)
		dps_append_escaped(page, text);
	if (text != NULL && starts_with(name, CODE))
		appendStringInfoString(page, "</code>");
	appendStringInfoString(page, "</td>");
}

static void
append_header(StringInfo page, TupleDesc columns)
{
	int			j;

	appendStringInfoString(page, "<tr>");
	for (j = 0; j < columns->natts; j++)
	{
		const char *name = NameStr(TupleDescAttr(columns, j)->attname);
		const char *prefix = starts_with(name, CODE) ? CODE : starts_with(name, EXACT) ? EXACT : "";

		appendStringInfoString(page, "<th>");
		dps_append_escaped(page, name + strlen(prefix));
		appendStringInfoString(page, "</th>");
	}
	appendStringInfoString(page, "</tr>\n");
}

static void
append_row(StringInfo page, TupleDesc columns, HeapTuple row)
{
	int			j;

	appendStringInfoString(page, "<tr>");
	for (j = 0; j < columns->natts; j++)
		append_cell(page, row, columns, j);
	appendStringInfoString(page, "</tr>\n");
}

void
dps_html_table(StringInfo page, const char *query, const char *none)
{
	TupleDesc	columns;
	bool		is_figure;
	uint64		i;

	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not execute: %s", query);
	if (SPI_processed == 0)
	{
		if (none != NULL)
			dps_html_paragraph(page, none);
		return;
	}
	columns = SPI_tuptable->tupdesc;
	is_figure = columns->natts == 1 && strcmp(NameStr(TupleDescAttr(columns, 0)->attname), FIGURE) == 0;
	if (is_figure)
	{
		char	   *figure = SPI_getvalue(SPI_tuptable->vals[0], columns, 1);

		appendStringInfo(page, "<div>%s</div>\n", figure == NULL ? "" : figure);
		return;
	}
	appendStringInfoString(page, "<div class=\"wide\"><table>\n");
	append_header(page, columns);
	for (i = 0; i < SPI_processed; i++)
		append_row(page, columns, SPI_tuptable->vals[i]);
	appendStringInfoString(page, "</table></div>\n");
}

/* Must the error end the statement: a cancellation, a shutdown, a lack of memory? */
static bool
must_end(int sqlerrcode)
{
	return ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION ||
		ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_INSUFFICIENT_RESOURCES;
}

void
dps_html_try_table(StringInfo page, const char *query, const char *none)
{
	MemoryContext memory = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	int			length = page->len;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		dps_html_table(page, query, none);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(memory);
		error = CopyErrorData();
		if (must_end(error->sqlerrcode))
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(memory);
		page->len = length;
		page->data[length] = '\0';
		dps_html_paragraph(page, error->message);
		if (error->hint != NULL)
			dps_html_paragraph(page, error->hint);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(memory);
	CurrentResourceOwner = owner;
}

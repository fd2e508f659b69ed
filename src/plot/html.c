/*
 * html.c
 *		A page of text, tables and figures: self-contained HTML without scripts.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "plot/html.h"
#include "plot/html_style.h"
#include "expr/print/mathml.h"
#include "glue/glue.h"
#include "plot/svg.h"

#define MAX_TYPESET 600			/* characters of LaTeX */
#define CODE "code: "
#define EXACT "exact: "

void
dps_html_begin(StringInfo page, const char *title)
{
	appendStringInfoString(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
	/* then the page is ASCII; of another encoding only who stores it knows which it is stored in */
	if (GetDatabaseEncoding() == PG_UTF8)
		appendStringInfoString(page, "<meta charset=\"utf-8\">\n");
	appendStringInfoString(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
						   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	dps_append_escaped(page, title);
	appendStringInfo(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", dps_html_style);
	dps_html_heading(page, 1, title);
}

void
dps_html_end(StringInfo page)
{
	appendStringInfoString(page, "</main>\n</body>\n</html>\n");
}

void
dps_html_contents(StringInfo page, const DpsHtmlSection *sections, int n)
{
	int			i;

	appendStringInfoString(page, "<nav aria-label=\"Contents\"><ol>\n");
	for (i = 0; i < n; i++)
		appendStringInfo(page, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
	appendStringInfoString(page, "</ol></nav>\n");
}

void
dps_html_begin_section(StringInfo page, const DpsHtmlSection *section)
{
	appendStringInfo(page, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", section->id, section->id, section->title);
}

void
dps_html_end_section(StringInfo page)
{
	appendStringInfoString(page, "</section>\n");
}

static void
append_element(StringInfo page, const char *begin, const char *text, const char *end)
{
	appendStringInfoString(page, begin);
	dps_append_escaped(page, text);
	appendStringInfoString(page, end);
}

void
dps_html_heading(StringInfo page, int level, const char *text)
{
	append_element(page, psprintf("<h%d>", level), text, psprintf("</h%d>\n", level));
}

void
dps_html_paragraph(StringInfo page, const char *text)
{
	append_element(page, "<p>", text, "</p>\n");
}

void
dps_html_warning(StringInfo page, const char *text)
{
	append_element(page, "<p class=\"warning\" role=\"note\">", text, "</p>\n");
}

/* What scrolls can be come to by keys, and has a name. */
void
dps_html_begin_wide(StringInfo page, const char *name)
{
	append_element(page, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"", name, "\">");
}

void
dps_html_end_wide(StringInfo page)
{
	appendStringInfoString(page, "</div>\n");
}

/* What is aligned to the right, on one line. */
static bool
is_number(Oid type)
{
	return type == FLOAT8OID || type == INT8OID || type == INT4OID || type == NUMERICOID || type == DATEOID;
}

static bool
starts_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* How the values of a column are shown, by how its name begins. */
static const char *
prefix_of(const char *name)
{
	static const char *const prefixes[] = {CODE, EXACT};
	size_t		i;

	for (i = 0; i < lengthof(prefixes); i++)
	{
		if (starts_with(name, prefixes[i]))
			return prefixes[i];
	}
	return "";
}

static char *
double_text(const char *name, double value)
{
	if (starts_with(name, EXACT) || !isfinite(value))
		return DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(value)));
	return psprintf("%.6g", value + 0.0);
}

static char *
cell_text(const char *name, Oid type, HeapTuple row, TupleDesc columns, int j)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, columns, j + 1, &isnull);

	if (isnull)
		return NULL;
	if (type == BOOLOID)
		return pstrdup(DatumGetBool(value) ? "yes" : "no");
	if (type == FLOAT8OID)
		return double_text(name, DatumGetFloat8(value));
	return SPI_getvalue(row, columns, j + 1);
}

static void
append_cell(StringInfo page, HeapTuple row, TupleDesc columns, int j)
{
	const char *name = NameStr(TupleDescAttr(columns, j)->attname);
	Oid			type = TupleDescAttr(columns, j)->atttypid;
	char	   *text = cell_text(name, type, row, columns, j);
	bool		is_code = text != NULL && starts_with(name, CODE);

	appendStringInfo(page, "<%s%s>%s", j == 0 ? "th scope=\"row\"" : "td", is_number(type) ? " class=\"number\"" : "",
					 is_code ? "<code>" : "");
	if (text != NULL)
		dps_append_escaped(page, text);
	appendStringInfo(page, "%s</%s>", is_code ? "</code>" : "", j == 0 ? "th" : "td");
}

static void
append_header(StringInfo page, TupleDesc columns)
{
	int			j;

	appendStringInfoString(page, "<thead><tr>");
	for (j = 0; j < columns->natts; j++)
	{
		const char *name = NameStr(TupleDescAttr(columns, j)->attname);

		append_element(page, is_number(TupleDescAttr(columns, j)->atttypid) ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">",
					   name + strlen(prefix_of(name)), "</th>");
	}
	appendStringInfoString(page, "</tr></thead>\n");
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

/* Runs the query; false, after the paragraph for none, if it has no rows. */
static bool
has_rows(StringInfo page, const char *query, const char *none)
{
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not execute: %s", query);
	if (SPI_processed > 0)
		return true;
	if (none != NULL)
		dps_html_paragraph(page, none);
	return false;
}

void
dps_html_table(StringInfo page, const char *caption, const char *query, const char *none)
{
	TupleDesc	columns;
	uint64		i;

	if (!has_rows(page, query, none))
		return;
	columns = SPI_tuptable->tupdesc;
	dps_html_begin_wide(page, caption);
	append_element(page, "<table>\n<caption>", caption, "</caption>\n");
	append_header(page, columns);
	appendStringInfoString(page, "<tbody>\n");
	for (i = 0; i < SPI_processed; i++)
		append_row(page, columns, SPI_tuptable->vals[i]);
	appendStringInfoString(page, "</tbody></table>");
	dps_html_end_wide(page);
}

void
dps_html_list(StringInfo page, const char *caption, const char *query, const char *none)
{
	uint64		i;

	if (!has_rows(page, query, none))
		return;
	append_element(page, "<ul aria-label=\"", caption, "\">\n");
	for (i = 0; i < SPI_processed; i++)
	{
		char	   *item = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);

		append_element(page, "<li>", item == NULL ? "" : item, "</li>\n");
	}
	appendStringInfoString(page, "</ul>\n");
}

/* A closed form, typeset if that can be read: browsers do not break formulas into lines. */
static void
append_math(StringInfo page, const char *latex)
{
	DpsArena   *arena;
	DpsText		text;

	if (latex == NULL || strlen(latex) > MAX_TYPESET)
		return;
	arena = dps_server_arena();
	dps_text_init(&text, arena);
	if (dps_latex_to_mathml(latex, &text) != DPS_OK)
		return;
	appendStringInfoString(page, "<div>");
	dps_append_markup(page, text.data);
	appendStringInfoString(page, "</div>");
}

void
dps_html_formulas(StringInfo page, const char *caption, const char *query, const char *none)
{
	uint64		i;

	if (!has_rows(page, query, none))
		return;
	dps_html_begin_wide(page, caption);
	append_element(page, "<table>\n<caption>", caption, "</caption>\n<tbody>\n");
	for (i = 0; i < SPI_processed; i++)
	{
		char	   *form = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		char	   *sql = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2);

		append_element(page, "<tr><th scope=\"row\">", form, "</th><td>");
		append_math(page, SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 3));
		append_element(page, "<code>", sql == NULL ? "too long to be written out" : sql, "</code></td></tr>\n");
	}
	appendStringInfoString(page, "</tbody></table>");
	dps_html_end_wide(page);
}

void
dps_html_figure(StringInfo page, const char *caption, const char *query, const char *none)
{
	char	   *figure;

	if (!has_rows(page, query, none))
		return;
	figure = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (figure == NULL)
		return;
	appendStringInfoString(page, "<figure>\n");
	dps_html_begin_wide(page, caption);
	appendStringInfoString(page, figure);
	dps_html_end_wide(page);
	append_element(page, "<figcaption>", caption, "</figcaption>\n</figure>\n");
}

/* Must the error end the statement: a cancellation, a shutdown, a lack of memory? */
static bool
must_end(int sqlerrcode)
{
	return ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION ||
		ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_INSUFFICIENT_RESOURCES;
}

void
dps_html_try(StringInfo page, DpsHtmlAppend append, const char *caption, const char *query, const char *none)
{
	MemoryContext memory = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	int			length = page->len;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		append(page, caption, query, none);
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

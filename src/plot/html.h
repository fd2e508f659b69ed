/*
 * html.h
 *		A page of text, tables and figures: self-contained HTML without scripts, by
 *		sections with headings.
 *
 * All text is escaped, except figures.  Queries run through SPI, to which the caller is
 * connected, as the current user.
 */
#ifndef DPS_PLOT_HTML_H
#define DPS_PLOT_HTML_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* A part of the page with a heading of level 2; its id is part of its address. */
typedef struct DpsHtmlSection
{
	const char *id;
	const char *title;
} DpsHtmlSection;

extern void dps_html_begin(StringInfo page, const char *title);
extern void dps_html_end(StringInfo page);

/* The list of sections, each a link. */
extern void dps_html_contents(StringInfo page, const DpsHtmlSection *sections, int n);
extern void dps_html_begin_section(StringInfo page, const DpsHtmlSection *section);
extern void dps_html_end_section(StringInfo page);

extern void dps_html_heading(StringInfo page, int level, const char *text);
extern void dps_html_paragraph(StringInfo page, const char *text);
extern void dps_html_warning(StringInfo page, const char *text);

/* What is appended of a query: a caption, the query, and a paragraph in place of no rows
 * (NULL: nothing). */
typedef void (*DpsHtmlAppend) (StringInfo page, const char *caption, const char *query, const char *none);

/*
 * The rows as a table; the first column names the row.  Values of a column named
 * "code: ..." are shown as source code.  Double precision numbers have six digits, in
 * columns named "exact: ..." all of them.
 */
extern void dps_html_table(StringInfo page, const char *caption, const char *query, const char *none);

/* The first column's values as items of a list. */
extern void dps_html_list(StringInfo page, const char *caption, const char *query, const char *none);

/* A figure made by this extension, the first value of the first row, which is appended
 * without escaping. */
extern void dps_html_figure(StringInfo page, const char *caption, const char *query, const char *none);

/* The same of a query that may fail because a declaration is missing: its error is shown in
 * the place of its rows. */
extern void dps_html_try(StringInfo page, DpsHtmlAppend append, const char *caption, const char *query, const char *none);

/*
 * The rows as formulas: what each is of, as SQL, and as LaTeX, which is typeset as MathML if
 * it is short enough to be read so.  The SQL stands below, and alone where there is no LaTeX.
 */
extern void dps_html_formulas(StringInfo page, const char *caption, const char *query, const char *none);

/* Beginning and end of a frame for what may be wider than the page, and scrolls then. */
extern void dps_html_begin_wide(StringInfo page, const char *name);
extern void dps_html_end_wide(StringInfo page);

#endif							/* DPS_PLOT_HTML_H */

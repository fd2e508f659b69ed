/*
 * html.h
 *		A page of text and tables: self-contained HTML without scripts.
 *
 * Whatever comes from the database is escaped.  Queries run through SPI, to
 * which the caller is connected, as the current user.
 */
#ifndef DPS_PLOT_HTML_H
#define DPS_PLOT_HTML_H

#include "postgres.h"

#include "lib/stringinfo.h"

extern void dps_html_begin(StringInfo page, const char *title);
extern void dps_html_end(StringInfo page);

extern void dps_html_heading(StringInfo page, int level, const char *text);
extern void dps_html_paragraph(StringInfo page, const char *text);

/*
 * The rows of a query as a table, or a paragraph that says there are none, if
 * one is given.
 * Values of a column named "code: ..." are shown as source.  Numbers have six
 * digits, in columns named "exact: ..." all of them.  A query with the one
 * column "figure" returns a figure of ours, which goes in as it is.
 */
extern void dps_html_table(StringInfo page, const char *query, const char *none);

/* The same for a query that may fail because of what is not declared: its error
 * is shown in the place of its rows. */
extern void dps_html_try_table(StringInfo page, const char *query, const char *none);

#endif							/* DPS_PLOT_HTML_H */

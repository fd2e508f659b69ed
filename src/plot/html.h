/*
 * html.h
 *		A page of text and tables: self-contained HTML without scripts.
 *
 * All text is escaped, except figures.  Queries run through SPI, to which the caller is
 * connected, as the current user.
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
 * Appends the rows of a query as a table; if there are none, the paragraph `none`, unless
 * it is NULL.  Values of a column named "code: ..." are shown as source code.  Double
 * precision numbers have six digits, in columns named "exact: ..." all digits.  A query
 * whose only column is "figure" must return a figure made by this extension, which is
 * appended without escaping.
 */
extern void dps_html_table(StringInfo page, const char *query, const char *none);

/* The same for a query that may fail because a declaration is missing: its error is shown
 * in the place of its rows. */
extern void dps_html_try_table(StringInfo page, const char *query, const char *none);

#endif							/* DPS_PLOT_HTML_H */

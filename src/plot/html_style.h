/*
 * html_style.h
 *		How a page looks.
 */
#ifndef DPS_PLOT_HTML_STYLE_H
#define DPS_PLOT_HTML_STYLE_H

extern const char dps_html_style[];

#endif							/* DPS_PLOT_HTML_STYLE_H */

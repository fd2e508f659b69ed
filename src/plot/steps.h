/*
 * steps.h
 *		Shares that rise from time to time, in percent, as a figure.
 */
#ifndef DPS_PLOT_STEPS_H
#define DPS_PLOT_STEPS_H

#include "postgres.h"

#include "lib/stringinfo.h"

#define DPS_MAX_STEPS 6

/* A line: its values at whole places that rise, to each of which it comes in the unit before, and stays until the next;
 * 0 before the first. */
typedef struct DpsSteps
{
	const char *label;
	int			n;
	double	   *x;
	double	   *y;
} DpsSteps;

/*
 * Draws up to DPS_MAX_STEPS lines between two places, from < to, which x_label names, as SVG.  Where all lines are far
 * below 100 % the axis ends above the highest, and says in words that 100 % is further up.
 */
extern void dps_svg_steps(StringInfo svg, const char *title, const DpsSteps *lines, int n, double from, double to,
						  char *(*x_label) (double x), const char *y_label);

#endif							/* DPS_PLOT_STEPS_H */

/*
 * text_frame.h
 *		A frame of characters with two axes, for figures that are lines of text.
 */
#ifndef DPS_PLOT_TEXT_FRAME_H
#define DPS_PLOT_TEXT_FRAME_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "plot/svg.h"

#define DPS_TEXT_FRAME_COLUMNS 64
#define DPS_TEXT_FRAME_LINES 22

/* The index of a value's character, of n along an axis. */
extern int	dps_text_place(const DpsAxis *axis, double value, int n);

/* The label above the vertical axis. */
extern void dps_text_frame_top(StringInfo text, const char *label);

/* Begins a line of the frame, 0 for the lowest; its DPS_TEXT_FRAME_COLUMNS characters and
 * a bar follow. */
extern void dps_text_frame_line(StringInfo text, const DpsAxis *axis, int line);

/* The line below the frame: the ends of the horizontal axis and its label. */
extern void dps_text_frame_bottom(StringInfo text, const DpsAxis *axis, const char *label);

#endif							/* DPS_PLOT_TEXT_FRAME_H */

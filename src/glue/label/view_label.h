/*
 * view_label.h
 *		The label AUDIT of a view: it goes when its expression is dropped.
 */
#ifndef DPS_GLUE_LABEL_VIEW_LABEL_H
#define DPS_GLUE_LABEL_VIEW_LABEL_H

#include "postgres.h"

#define DPS_VIEW_LABEL "AUDIT"

/* Is this the label of this relation, which is a view then? */
extern bool dps_is_view_label(Oid relation, const char *text);

/* Makes the view depend on the expressions that its query refers to; an error
 * if there are none. */
extern void dps_tie_view(Oid view);

/* Undoes it; nothing for relations that are not tied. */
extern void dps_untie_view(Oid view);

#endif							/* DPS_GLUE_LABEL_VIEW_LABEL_H */

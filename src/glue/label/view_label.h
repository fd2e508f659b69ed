/*
 * view_label.h
 *		The label AUDIT of a view: the view is dropped with its expression.
 */
#ifndef DPS_GLUE_LABEL_VIEW_LABEL_H
#define DPS_GLUE_LABEL_VIEW_LABEL_H

#include "postgres.h"

#define DPS_VIEW_LABEL "AUDIT"

/* Is the relation a view, and the text this label? */
extern bool dps_is_view_label(Oid relation, const char *text);

/* Makes the view depend on the expressions that its query refers to, so that it is
 * dropped with them; raises an error if there are none. */
extern void dps_tie_view(Oid view);

/* Removes these dependencies, if there are any. */
extern void dps_untie_view(Oid view);

#endif							/* DPS_GLUE_LABEL_VIEW_LABEL_H */

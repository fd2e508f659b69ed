/*
 * join_list.h
 *		VALUES and generate_series() of constants that are joined in.
 */
#ifndef DPS_GUARD_JOIN_LIST_H
#define DPS_GUARD_JOIN_LIST_H

#include "postgres.h"

#include "guard/domains.h"
#include "guard/values.h"

/* Reads the entry VALUES or a function? */
extern bool dps_is_list_entry(const RangeTblEntry *entry);

/* LATERAL (VALUES (expressions)) becomes LATERAL (SELECT expressions). */
extern void dps_unfold_single_row(RangeTblEntry *entry);

/* The part for such an entry; an error if its rows are not constants. */
extern DpsPart *dps_make_list_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* As VALUES, for the query of exact states. */
extern RangeTblEntry *dps_list_entry(const DpsPart *part);

/* Has no row the same values in these columns as another one?  NULLs are met by
 * nothing. */
extern bool dps_list_is_unique(const DpsPart *part, const Bitmapset *columns);

/* What is known of a column. */
extern Var *dps_list_column(const DpsPart *part, int number, AttrNumber column);
extern int	dps_list_width(const DpsPart *part);
extern void dps_get_list_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);
extern bool dps_list_column_is_not_null(const DpsPart *part, AttrNumber column);
extern char *dps_list_column_name(const DpsPart *part, AttrNumber column);

/* Its values, each once, in their order; NULL if the type has none. */
extern const DpsValues *dps_list_values(const DpsPart *part, AttrNumber column);

#endif							/* DPS_GUARD_JOIN_LIST_H */

/*
 * join_list.h
 *		VALUES and generate_series() of constants that are joined in.
 */
#ifndef DPS_GUARD_SOURCE_JOIN_LIST_H
#define DPS_GUARD_SOURCE_JOIN_LIST_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/primnodes.h"

#include "guard/public/values.h"
#include "guard/source/protected_source.h"

typedef struct DpsListColumn
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	Const	  **constants;
	FmgrInfo   *compare;		/* NULL: the type has no order of the server's own */
} DpsListColumn;

/* The list of a part. */
typedef struct DpsConstants
{
	RangeTblEntry *entry;		/* VALUES */
	int			nrows;
	int			ncolumns;
	DpsListColumn *columns;
} DpsConstants;

/* Reads the entry VALUES or a function? */
extern bool dps_is_list_entry(const RangeTblEntry *entry);

/* LATERAL (VALUES (expressions)) becomes LATERAL (SELECT expressions). */
extern void dps_unfold_single_row(RangeTblEntry *entry);

/* The part for such an entry; an error if its rows are not constants. */
extern DpsPart *dps_make_list_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* Where it is written, or -1. */
extern int	dps_list_location(const DpsPart *part);

/* As VALUES, for the query of exact states. */
extern RangeTblEntry *dps_list_entry(const DpsPart *part);

/* Does nothing meet two of its rows, of what satisfies the conjuncts, where its part
 * has this number?  is_settled: says that an expression has one value by then. */
extern bool dps_list_meets_once(const DpsPart *part, int number, const List *conjuncts,
								bool (*is_settled) (Node *expression, void *context), void *context);

/* What is known of a column. */
extern void dps_get_list_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);
extern bool dps_list_column_is_not_null(const DpsPart *part, AttrNumber column);
extern char *dps_list_column_name(const DpsPart *part, AttrNumber column);

/* Its values, each once, in their order; NULL if the type has none. */
extern const DpsValues *dps_list_values(const DpsPart *part, AttrNumber column);

#endif							/* DPS_GUARD_SOURCE_JOIN_LIST_H */

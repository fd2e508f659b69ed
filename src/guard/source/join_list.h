/*
 * join_list.h
 *		Joins with VALUES and with generate_series() of constants.
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
	FmgrInfo   *compare;		/* NULL if the type has no order that is built in */
} DpsListColumn;

/* The rows of a part that is a list. */
typedef struct DpsConstants
{
	RangeTblEntry *entry;		/* a VALUES entry with the constants */
	int			nrows;
	int			ncolumns;
	DpsListColumn *columns;
} DpsConstants;

/* Does the entry read VALUES or a function? */
extern bool dps_is_list_entry(const RangeTblEntry *entry);

/* Rewrites LATERAL (VALUES (expressions)) with one row to LATERAL (SELECT expressions). */
extern void dps_unfold_single_row(RangeTblEntry *entry);

/* The part for such an entry.  An error if its rows are not constants. */
extern DpsPart *dps_make_list_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* The location of the list in the query's text, or -1. */
extern int	dps_list_location(const DpsPart *part);

/* A copy of the list as VALUES, for the query of exact states. */
extern RangeTblEntry *dps_list_entry(const DpsPart *part);

/* Is there no row that matches two rows of the list, among those that satisfy the conjuncts?  number is
 * the part's number.  is_settled says whether an expression has one value for a row of the other parts. */
extern bool dps_list_meets_once(const DpsPart *part, int number, const List *conjuncts,
								bool (*is_settled) (Node *expression, void *context), void *context);

/* What is known of a column. */
extern void dps_get_list_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);
extern bool dps_list_column_is_not_null(const DpsPart *part, AttrNumber column);
extern char *dps_list_column_name(const DpsPart *part, AttrNumber column);

/* The distinct values of a column in their order; NULL if its type has no order. */
extern const DpsValues *dps_list_values(const DpsPart *part, AttrNumber column);

#endif							/* DPS_GUARD_SOURCE_JOIN_LIST_H */

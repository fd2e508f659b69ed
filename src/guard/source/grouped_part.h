/*
 * grouped_part.h
 *		A subquery with GROUP BY as a part of a source.
 */
#ifndef DPS_GUARD_SOURCE_GROUPED_PART_H
#define DPS_GUARD_SOURCE_GROUPED_PART_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* The range of a result. */
typedef enum DpsGroupedRange
{
	DPS_RANGE_OF_NONE,				/* a truth value */
	DPS_RANGE_OF_ROWS,
	DPS_RANGE_OF_SUM,
	DPS_RANGE_OF_ARGUMENT
} DpsGroupedRange;

/* A column of the subquery as it is executed. */
typedef struct DpsGroupedColumn
{
	Node	   *original;		/* as written in the subquery */
	Expr	   *expression;		/* what is computed, over columns of the grouped source */
	Node	   *plain;			/* keys only: the expression before equal values are given equal bytes */
	SortGroupClause *clause;	/* keys only */
	Node	   *condition;		/* keys that are the unit: which values are not too long, or NULL */
	const Aggref *aggref;		/* NULL for a key */
	DpsGroupedRange range;		/* aggregates only */
	Node	   *argument;		/* aggregates only: over columns of the source, or NULL */
	bool		has_range;		/* the range was found */
	double		lo;
	double		hi;
} DpsGroupedColumn;

/* A subquery whose rows are groups of rows of one unit each. */
typedef struct DpsGrouping
{
	DpsProtectedSource *source; /* what is grouped */
	List	   *columns;		/* of DpsGroupedColumn *: keys, then aggregates */
	int			nkeys;
	List	   *unit;			/* of int: for each column of the unit the number of the key that is it; keys are
								 * counted from 1 */
	List	   *checks;			/* calls that check patterns */
} DpsGrouping;

/* The grouped part for the entry and its number from 1; NULL if the entry is none. */
extern DpsPart *dps_grouped_part(const DpsProtectedSource *source, const RangeTblEntry *entry, int *number);

/* The column for an expression of the subquery, and its number from 1; NULL if there is none. */
extern DpsGroupedColumn *dps_find_grouped_column(const DpsGrouping *grouping, Node *original, int *number);

/* Rewrites an expression of the subquery's select list or HAVING over columns of the part. */
extern Node *dps_grouped_expression(const DpsProtectedSource *source, const DpsPart *part, int number, Node *expression);

/* What is known of a column.  The range is known only after it was found (dps_find_grouped_range). */
extern void dps_get_grouped_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);
extern bool dps_grouped_column_is_not_null(const DpsPart *part, AttrNumber column);
extern char *dps_grouped_column_name(const DpsPart *part, AttrNumber column);

/* The column of the grouped source that a key is; NULL if the key is computed, and for aggregates. */
extern const Var *dps_grouped_origin(const DpsPart *part, AttrNumber column);

extern Var *dps_grouped_column(const DpsPart *part, int number, AttrNumber column);
/* The keys that are the unit, as a list of Var *. */
extern List *dps_grouped_unit(const DpsPart *part, int number);

/* Columns in which no two rows of the part are equal.  Fills the array, which has room for all columns,
 * and returns their number. */
extern int	dps_grouped_keys(const DpsPart *part, AttrNumber *columns);

#endif							/* DPS_GUARD_SOURCE_GROUPED_PART_H */

/*
 * grouped_part.h
 *		A subquery with GROUP BY as a part of a source.
 */
#ifndef DPS_GUARD_SOURCE_GROUPED_PART_H
#define DPS_GUARD_SOURCE_GROUPED_PART_H

#include "postgres.h"

#include "guard/source/protected_source.h"

/* Of which range a result is. */
typedef enum DpsGroupedRange
{
	DPS_RANGE_OF_NONE,				/* a truth value */
	DPS_RANGE_OF_ROWS,
	DPS_RANGE_OF_SUM,
	DPS_RANGE_OF_ARGUMENT
} DpsGroupedRange;

/* One column of the subquery that runs. */
typedef struct DpsGroupedColumn
{
	Node	   *original;		/* as the subquery writes it */
	Expr	   *expression;		/* what is computed, over columns of what is
								 * grouped */
	Node	   *plain;			/* of a key: before equal values look alike */
	SortGroupClause *clause;	/* of a key */
	const Aggref *aggref;		/* NULL for a key */
	DpsGroupedRange range;		/* of an aggregate */
	Node	   *argument;		/* of an aggregate, expanded, or NULL */
	bool		has_range;		/* it was found */
	double		lo;
	double		hi;
} DpsGroupedColumn;

/* A subquery whose rows are groups of rows of one unit each. */
typedef struct DpsGrouping
{
	DpsProtectedSource *source; /* what is grouped */
	List	   *columns;		/* of DpsGroupedColumn *: keys, then aggregates */
	int			nkeys;
	int			unit;			/* the number of the key that is the unit, from 1 */
	List	   *checks;			/* of patterns, by calls */
} DpsGrouping;

/* The grouped part that the entry is, and its number; NULL if it is none. */
extern DpsPart *dps_grouped_part(const DpsProtectedSource *source, const RangeTblEntry *entry, int *number);

/* The column for what the subquery writes, and its number from 1; NULL if there is none. */
extern DpsGroupedColumn *dps_find_grouped_column(const DpsGrouping *grouping, Node *original, int *number);

/* An expression of the subquery's select list or HAVING over columns of the part. */
extern Node *dps_grouped_expression(const DpsProtectedSource *source, const DpsPart *part, int number, Node *expression);

/* What is known of a column; of its range only after it was found. */
extern void dps_get_grouped_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation);
extern bool dps_grouped_column_is_not_null(const DpsPart *part, AttrNumber column);
extern char *dps_grouped_column_name(const DpsPart *part, AttrNumber column);

/* The column of what is grouped that a column is, or NULL. */
extern const Var *dps_grouped_origin(const DpsPart *part, AttrNumber column);

extern Var *dps_grouped_column(const DpsPart *part, int number, AttrNumber column);
extern Var *dps_grouped_unit(const DpsPart *part, int number);

/* Columns of which no two rows have the same values, in an array with room for all; their
 * number. */
extern int	dps_grouped_keys(const DpsPart *part, AttrNumber *columns);

#endif							/* DPS_GUARD_SOURCE_GROUPED_PART_H */

/*
 * grouped.h
 *		Subqueries with GROUP BY below the aggregates.
 */
#ifndef DPS_GUARD_SOURCE_GROUPED_H
#define DPS_GUARD_SOURCE_GROUPED_H

#include "postgres.h"

#include "guard/source/domains.h"

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

/* Does the query group, or aggregate, rows that another one reads? */
extern bool dps_is_grouped_query(const Query *query);

/*
 * The part that an entry with such a subquery is.  An error unless it is proved that
 * each of its rows is about one unit.
 */
extern DpsPart *dps_make_grouped_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry);

/* The grouped part that the entry is, and its number; NULL if it is none. */
extern DpsPart *dps_grouped_part(const DpsProtectedSource *source, const RangeTblEntry *entry, int *number);

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

/* Finds the range of a column; an error if it has none. */
extern void dps_find_grouped_range(const DpsProtectedSource *source, const Var *var);

/* The entry of the query that runs. */
extern RangeTblEntry *dps_grouped_entry(const DpsPart *part, List **checks);

/* ---- for the files of this part ---- */

#define DPS_GROUPED_HINT \
	"Group a protected relation by its unit, in a subquery of tables, joins, WHERE, GROUP BY and HAVING."

extern void dps_refuse_grouped(const DpsProtectedSource *source, int location, const char *what, const char *hint);

/* Finds the parts of the subquery, whose they are, and that they are one unit's in
 * every row. */
extern void dps_trace_grouped(DpsProtectedSource *inner, Query *query);

/* The column of an aggregate that the subquery calls. */
extern DpsGroupedColumn *dps_make_grouped_call(DpsProtectedSource *inner, Query *query, const Aggref *original);

#endif							/* DPS_GUARD_SOURCE_GROUPED_H */

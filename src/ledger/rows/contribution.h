/*
 * contribution.h
 *		What one row contributed to a release, in a form from which it can be computed
 *		again.
 *
 * The history stores it as jsonb, with public quantities only, readable for people and for later
 * versions.  SQL in it is over the columns of the relation, as written between dps_plain_sql_begin and
 * dps_plain_sql_end.
 */
#ifndef DPS_LEDGER_ROWS_CONTRIBUTION_H
#define DPS_LEDGER_ROWS_CONTRIBUTION_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "expr/program.h"
#include "ledger/rows/unit_tally.h"

/* What is released of the integers q that rows contribute. */
typedef enum DpsContributionKind
{
	DPS_ADDS_ONE,				/* the number of rows */
	DPS_ADDS_VALUE,				/* the sum of q */
	DPS_ADDS_BOTH				/* sum and number, or a pair of sums that tell
								 * both: a mean */
} DpsContributionKind;

/* One variable of the value: "c1" is cell 0, and so on. */
typedef struct DpsContributionCell
{
	const char *sql;			/* over the relation's columns */
	DpsDomain	domain;			/* the cell's domain at the time of the release */
	bool		is_private;
} DpsContributionCell;

typedef struct DpsContribution
{
	DpsContributionKind kind;
	bool		moves;			/* the row can be in another group in a neighbouring relation */
	int			grid;			/* the unit of q is 2^grid */
	int64		lo;				/* lo <= q <= hi */
	int64		hi;
	int64		centre;			/* DPS_ADDS_BOTH: subtracted from each q */
	double		value_lo;		/* the value is clamped before it is scaled */
	double		value_hi;
	double		error;			/* error bound of the evaluator, if a sensitivity was derived from it */
	const char *value;			/* over the cells; NULL: every row counts */
	int			ncells;
	DpsContributionCell *cells;
	List	   *columns;		/* of char *: the columns that are used, as
								 * dps_column_signature describes them */
	List	   *conditions;		/* of char *: conditions that are all true of a row that counts */
	bool		conditions_complete;	/* there are no others */
	const char *unit;			/* the columns that named a unit (dps_unit_key_columns), if it could have several
								 * rows; NULL: each row was one */
	DpsCountingRows counting;	/* if it could: how many of its rows count */
	int			count_grid;		/* and the unit of numbers of rows, 2^count_grid */
} DpsContribution;

/* The contribution as JSON, palloc'd; NULL if it cannot be represented. */
extern char *dps_contribution_write(const DpsContribution *contribution);

/* Reads a contribution from jsonb; NULL if this version does not know its form. */
extern DpsContribution *dps_contribution_read(Datum jsonb);

/* Number, name, type and collation of a column, palloc'd; NULL if there is no
 * such column. */
extern char *dps_column_signature(Oid relation, AttrNumber column);

/*
 * May the expression over the relation's columns (Vars of varno 1) be evaluated
 * on any row, at any time, with the same outcome and without an error?
 */
extern bool dps_is_total(Node *expression);

/*
 * Between these calls, SQL is written and read in the same way whatever the session's settings are:
 * constants keep all digits, dates are unambiguous, and pg_catalog and pg_temp are the only schemas on the
 * search path.  begin returns the level to be passed to end.  An error restores the settings, too.
 */
extern int	dps_plain_sql_begin(void);
extern void dps_plain_sql_end(int level);

#endif							/* DPS_LEDGER_ROWS_CONTRIBUTION_H */

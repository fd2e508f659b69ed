/*
 * row_call.h
 *		SQL functions that say one thing of a row of a registered expression.
 *
 * Each has two forms: value_of(expression, row) and its like, which take a row,
 * and those that take only the cells which the expression uses.  The planner
 * turns the first into the second if the row is that of a table (see
 * sql_cells.c), since a whole row is expensive to make.
 */
#ifndef DPS_AUDIT_ROW_CALL_H
#define DPS_AUDIT_ROW_CALL_H

#include "postgres.h"

#include "fmgr.h"

/* What is said.  The numbers occur in plans only. */
typedef enum DpsRowQuestion
{
	DPS_ROW_VALUE,
	DPS_ROW_SLOPE,				/* place of the column, from 1 */
	DPS_ROW_GRADIENT,
	DPS_ROW_GRADIENT_NORM,
	DPS_ROW_CONTRIBUTION,
	DPS_ROW_CONTRIBUTION_ENTRY, /* place */
	DPS_ROW_PARTIAL,
	DPS_ROW_PARTIAL_ENTRY,		/* place */
	DPS_ROW_PLIS,				/* parameter: sigma */
	DPS_ROW_PLIS_ENTRY,			/* sigma, and place */
	DPS_ROW_LOSS,				/* order */
	DPS_ROW_EPSILON,			/* delta */
	DPS_ROW_FIRST_ORDER,		/* order */
	DPS_ROW_QUESTIONS
} DpsRowQuestion;

/* The SQL name of its function, and whether it returns float8[] instead of
 * float8, has a parameter, and has the place of a column behind that. */
typedef struct DpsRowFunction
{
	const char *name;
	bool		is_array;
	bool		has_parameter;
	bool		has_place;
} DpsRowFunction;

extern const DpsRowFunction dps_row_functions[DPS_ROW_QUESTIONS];

#endif							/* DPS_AUDIT_ROW_CALL_H */

/*
 * row.h
 *		Analyses of expressions over the columns of a relation, with their
 *		declarations.
 */
#ifndef DPS_GLUE_ANALYSIS_ROW_H
#define DPS_GLUE_ANALYSIS_ROW_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/primnodes.h"

#include "glue/analysis/analysis.h"

typedef struct DpsRowAnalysis
{
	Oid			relation;
	DpsAnalysis analysis;
	AttrNumber	column[DPS_MAX_VARIABLES];	/* of each variable */
} DpsRowAnalysis;

/*
 * Imports an expression whose leaves are Vars of varno 1 or fields of the row
 * parameter of a function (dps_expression_body) and prepares its analysis, in
 * CurrentMemoryContext.  source_text is the text that locations refer to, or NULL.
 * Raises an error for a column without a range, and for an expression that cannot be
 * imported.
 */
extern void dps_prepare_row(Oid relation, Node *expression, const char *source_text, DpsRowAnalysis *row);

/* The SQL of a column's variable, palloc'd: the quoted name, or its epoch. */
extern char *dps_variable_name(Oid relation, AttrNumber column, bool epoch);

/* Raises the error for a column without a range, with the statement that
 * declares one; position as errposition() takes it. */
extern void dps_refuse_unannotated(Oid relation, AttrNumber column, int position);

#endif							/* DPS_GLUE_ANALYSIS_ROW_H */

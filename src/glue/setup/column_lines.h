/*
 * column_lines.h
 *		What a setup says of a table's columns.
 */
#ifndef DPS_GLUE_SETUP_COLUMN_LINES_H
#define DPS_GLUE_SETUP_COLUMN_LINES_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "glue/setup/persons.h"

/*
 * Lines of a script, of char *, in the order of the columns: a statement where constraints
 * or the type say what there is to declare, else a comment that says what is left to the
 * owner.  None about columns that are annotated, and about what the type declares.  `tables`
 * are all of the setup.  The caller owns the table.
 */
extern List *dps_column_lines(const DpsSetupTable *table, const List *tables);

#endif							/* DPS_GLUE_SETUP_COLUMN_LINES_H */

/*
 * statement.h
 *		SQL statements of the ledger, executed through SPI.
 */
#ifndef DPS_LEDGER_STATEMENT_H
#define DPS_LEDGER_STATEMENT_H

#include "postgres.h"

#include "executor/spi.h"

#define DPS_STATEMENT_ARGUMENTS 38

typedef struct DpsStatement
{
	const char *text;			/* every name in it is qualified */
	int			nargs;
	Oid			argtypes[DPS_STATEMENT_ARGUMENTS];
	SPIPlanPtr	plan;			/* made at first use, then kept */
} DpsStatement;

/*
 * Runs the statement with one value for each argument.  nulls is as for SPI_execute_plan, or NULL.
 * Results are in SPI_tuptable.  An error if SPI reports one.
 */
extern void dps_statement_run(DpsStatement *statement, Datum *values, const char *nulls);

/* The same for a SELECT of what is committed now, whatever the transaction's snapshot is. */
extern void dps_statement_read(DpsStatement *statement, Datum *values, const char *nulls);

/* The same for a statement that changes rows as committed now. */
extern void dps_statement_change(DpsStatement *statement, Datum *values, const char *nulls);

/* A column of a row of the last result; columns count from 1.  NULL is an error. */
extern Datum dps_statement_value(uint64 row, int column);

#endif							/* DPS_LEDGER_STATEMENT_H */

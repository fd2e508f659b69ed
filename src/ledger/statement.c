/*
 * statement.c
 *		SQL statements of the ledger, executed through SPI.
 */
#include "postgres.h"

#include "utils/snapmgr.h"

#include "ledger/statement.h"

static void
prepare(DpsStatement *statement)
{
	SPIPlanPtr	plan = SPI_prepare(statement->text, statement->nargs, statement->argtypes);

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", statement->text, SPI_result_code_string(SPI_result));
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep the plan of \"%s\"", statement->text);
	statement->plan = plan;
}

void
dps_statement_run(DpsStatement *statement, Datum *values, const char *nulls)
{
	int			result;

	if (statement->plan == NULL)
		prepare(statement);
	result = SPI_execute_plan(statement->plan, values, nulls, false, 0);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", statement->text, SPI_result_code_string(result));
}

static void
run_latest(DpsStatement *statement, Datum *values, const char *nulls, bool read_only)
{
	int			result;

	if (statement->plan == NULL)
		prepare(statement);
	result = SPI_execute_snapshot(statement->plan, values, nulls, GetLatestSnapshot(), InvalidSnapshot, read_only,
								  !read_only, 0);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", statement->text, SPI_result_code_string(result));
}

void
dps_statement_read(DpsStatement *statement, Datum *values, const char *nulls)
{
	run_latest(statement, values, nulls, true);
}

void
dps_statement_change(DpsStatement *statement, Datum *values, const char *nulls)
{
	run_latest(statement, values, nulls, false);
}

Datum
dps_statement_value(uint64 row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

	if (isnull)
		elog(ERROR, "unexpected null in column %d of the ledger", column);
	return value;
}

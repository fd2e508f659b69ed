/*
 * training_loss.c
 *		What units lost by training, as the ledger stores it.
 *
 * Only runs write here, in the transactions that commit their steps (model/train/run_losses.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "ledger/keep.h"
#include "ledger/rows/training_loss.h"
#include "ledger/statement.h"

/* The number of units that a statement writes. */
#define UNITS_AT_ONCE 10000

static DpsStatement find_account = {
	.text = "SELECT a.unit FROM dpsens.training_account a WHERE a.release OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {INT8OID}
};

static DpsStatement read_losses = {
	.text = "SELECT l.unit, l.release, l.spent_rho, l.left_out FROM dpsens.training_loss l"
	" WHERE l.release OPERATOR(pg_catalog.=) ANY ($1) ORDER BY l.unit COLLATE pg_catalog.\"C\", l.release",
	.nargs = 1, .argtypes = {INT8ARRAYOID}
};

static DpsStatement insert_account = {
	.text = "INSERT INTO dpsens.training_account (release, unit, finished) VALUES ($1, $2, false)",
	.nargs = 2, .argtypes = {INT8OID, TEXTOID}
};

static DpsStatement finish_account = {
	.text = "UPDATE dpsens.training_account AS a SET finished = true WHERE a.release OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {INT8OID}
};

#define LOSS_TYPES INT8OID, TEXTARRAYOID, INT8ARRAYOID, BOOLARRAYOID
#define GIVEN_LOSSES "ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) AS g (unit, spent_rho, left_out)"

static DpsStatement insert_losses = {
	.text = "INSERT INTO dpsens.training_loss (release, unit, spent_rho, left_out)"
	" SELECT $1, g.unit, g.spent_rho, g.left_out FROM " GIVEN_LOSSES,
	.nargs = 4, .argtypes = {LOSS_TYPES}
};

static DpsStatement update_losses = {
	.text = "UPDATE dpsens.training_loss AS l SET spent_rho = g.spent_rho, left_out = g.left_out FROM " GIVEN_LOSSES
	" WHERE l.release OPERATOR(pg_catalog.=) $1 AND l.unit OPERATOR(pg_catalog.=) g.unit"
	" AND (l.spent_rho OPERATOR(pg_catalog.<>) g.spent_rho OR l.left_out OPERATOR(pg_catalog.<>) g.left_out)",
	.nargs = 4, .argtypes = {LOSS_TYPES}
};

char *
dps_training_unit(int64 release)
{
	MemoryContext context = CurrentMemoryContext;
	Datum		values[1] = {Int64GetDatum(release)};
	DpsElevation saved;
	char	   *unit = NULL;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&find_account, values, NULL);
	dps_descend(saved);
	if (SPI_processed > 0)
		unit = MemoryContextStrdup(context, TextDatumGetCString(dps_statement_value(0, 1)));
	SPI_finish();
	return unit;
}

static Datum
integers_datum(const int64 *integers, int n)
{
	Datum	   *elements = palloc(sizeof(Datum) * Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
		elements[i] = Int64GetDatum(integers[i]);
	return PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

DpsTrainingLosses *
dps_training_losses_load(const int64 *releases, int n)
{
	MemoryContext context = CurrentMemoryContext;
	DpsTrainingLosses *losses = palloc0(sizeof(DpsTrainingLosses));
	Datum		values[1];
	DpsElevation saved;
	int64		i;

	SPI_connect();
	values[0] = integers_datum(releases, n);
	saved = dps_elevate();
	dps_statement_read(&read_losses, values, NULL);
	dps_descend(saved);
	losses->n = (int64) SPI_processed;
	losses->losses = MemoryContextAllocHuge(context, sizeof(DpsTrainingLoss) * Max(losses->n, 1));
	for (i = 0; i < losses->n; i++)
	{
		DpsTrainingLoss *loss = &losses->losses[i];

		loss->unit = MemoryContextStrdup(context, TextDatumGetCString(dps_statement_value(i, 1)));
		loss->release = DatumGetInt64(dps_statement_value(i, 2));
		loss->rho = DatumGetInt64(dps_statement_value(i, 3));
		loss->left_out = DatumGetBool(dps_statement_value(i, 4));
	}
	SPI_finish();
	return losses;
}

int64
dps_training_losses_find(const DpsTrainingLosses *losses, const char *unit)
{
	int64		lo = 0;
	int64		hi = losses->n;

	while (lo < hi)
	{
		int64		middle = lo + (hi - lo) / 2;

		if (strcmp(losses->losses[middle].unit, unit) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < losses->n && strcmp(losses->losses[lo].unit, unit) == 0 ? lo : losses->n;
}

static void
write_account(DpsStatement *statement, Datum *values)
{
	DpsElevation saved;

	SPI_connect();
	saved = dps_elevate();
	dps_ledger_write(statement, values, NULL);
	dps_descend(saved);
	if (SPI_processed != 1)
		elog(ERROR, "the accounts of a run of training are not there");
	SPI_finish();
}

void
dps_training_begin_accounts(int64 release, const char *unit)
{
	Datum		values[2] = {Int64GetDatum(release), CStringGetTextDatum(unit)};

	write_account(&insert_account, values);
}

void
dps_training_finish_accounts(int64 release)
{
	Datum		values[1] = {Int64GetDatum(release)};

	write_account(&finish_account, values);
}

static void
write_some(DpsStatement *statement, int64 release, const DpsTrainingLoss *losses, int n)
{
	Datum	   *units = palloc(sizeof(Datum) * n);
	Datum	   *left_out = palloc(sizeof(Datum) * n);
	int64	   *rhos = palloc(sizeof(int64) * n);
	Datum		values[4];
	int			i;

	for (i = 0; i < n; i++)
	{
		units[i] = CStringGetTextDatum(losses[i].unit);
		rhos[i] = losses[i].rho;
		left_out[i] = BoolGetDatum(losses[i].left_out);
	}
	values[0] = Int64GetDatum(release);
	values[1] = PointerGetDatum(construct_array(units, n, TEXTOID, -1, false, TYPALIGN_INT));
	values[2] = integers_datum(rhos, n);
	values[3] = PointerGetDatum(construct_array(left_out, n, BOOLOID, sizeof(bool), true, TYPALIGN_CHAR));
	dps_ledger_write(statement, values, NULL);
}

/* A part of the units at a time, whose memory is freed after it. */
static void
write_losses(DpsStatement *statement, int64 release, const DpsTrainingLoss *losses, int64 n)
{
	int64		done;

	for (done = 0; done < n; done += UNITS_AT_ONCE)
	{
		DpsElevation saved;

		SPI_connect();
		saved = dps_elevate();
		write_some(statement, release, losses + done, (int) Min(n - done, UNITS_AT_ONCE));
		dps_descend(saved);
		SPI_finish();
	}
}

void
dps_training_losses_insert(int64 release, const DpsTrainingLoss *losses, int64 n)
{
	write_losses(&insert_losses, release, losses, n);
}

void
dps_training_losses_update(int64 release, const DpsTrainingLoss *losses, int64 n)
{
	write_losses(&update_losses, release, losses, n);
}

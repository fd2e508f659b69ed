/*
 * frozen.c
 *		What units lost before their rows were changed or removed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "ledger/rows/frozen.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

#define FROZEN_COLUMNS "f.spent_epsilon, f.spent_rho, f.release, f.changed_by"

static DpsStatement read_units = {
	.text = "SELECT " FROZEN_COLUMNS ", f.unit FROM dpsens.frozen_loss f"
	" JOIN dpsens.row_account a ON a.account OPERATOR(pg_catalog.=) f.account"
	" WHERE a.relation OPERATOR(pg_catalog.=) $1 ORDER BY f.unit COLLATE pg_catalog.\"C\"",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement read_unit = {
	.text = "SELECT " FROZEN_COLUMNS " FROM dpsens.frozen_loss f"
	" JOIN dpsens.row_account a ON a.account OPERATOR(pg_catalog.=) f.account"
	" WHERE a.relation OPERATOR(pg_catalog.=) $1 AND f.unit OPERATOR(pg_catalog.=) $2",
	.nargs = 2, .argtypes = {OIDOID, TEXTOID}
};

static DpsStatement write_unit = {
	.text = "INSERT INTO dpsens.frozen_loss (account, unit, spent_epsilon, spent_rho, release, changed_by)"
	" SELECT a.account, $2, $3, $4, $5, $6 FROM dpsens.row_account a WHERE a.relation OPERATOR(pg_catalog.=) $1"
	" ON CONFLICT (account, unit) DO UPDATE SET spent_epsilon = excluded.spent_epsilon,"
	" spent_rho = excluded.spent_rho, release = excluded.release, changed_by = excluded.changed_by",
	.nargs = 6, .argtypes = {OIDOID, TEXTOID, INT8OID, INT8OID, INT8OID, INT8OID}
};

/* Waits for another transaction that writes the unit's. */
static DpsStatement claim_unit = {
	.text = "INSERT INTO dpsens.frozen_loss (account, unit, spent_epsilon, spent_rho, release, changed_by)"
	" SELECT a.account, $2, 0, 0, 0, $3 FROM dpsens.row_account a WHERE a.relation OPERATOR(pg_catalog.=) $1"
	" ON CONFLICT (account, unit) DO UPDATE SET unit = excluded.unit",
	.nargs = 3, .argtypes = {OIDOID, TEXTOID, INT8OID}
};

static void
read_row(uint64 row, DpsFrozenLoss *loss)
{
	loss->epsilon = DatumGetInt64(dps_statement_value(row, 1));
	loss->rho = DatumGetInt64(dps_statement_value(row, 2));
	loss->release = DatumGetInt64(dps_statement_value(row, 3));
	loss->changed_by = (uint64) DatumGetInt64(dps_statement_value(row, 4));
}

DpsFrozenUnits *
dps_frozen_load(Oid relation)
{
	DpsFrozenUnits *units = palloc0(sizeof(DpsFrozenUnits));
	MemoryContext context = CurrentMemoryContext;
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	int			i;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_units, values, NULL);
	dps_descend(saved);
	units->n = (int) SPI_processed;
	units->units = MemoryContextAllocHuge(context, sizeof(DpsFrozenUnit) * Max(units->n, 1));
	for (i = 0; i < units->n; i++)
	{
		DpsFrozenUnit *unit = &units->units[i];

		unit->unit = MemoryContextStrdup(context, TextDatumGetCString(dps_statement_value(i, 5)));
		unit->seen = false;
		read_row(i, &unit->loss);
	}
	SPI_finish();
	return units;
}

DpsFrozenUnit *
dps_frozen_find(const DpsFrozenUnits *units, const char *unit)
{
	int			lo = 0;
	int			hi = units->n;

	while (lo < hi)
	{
		int			middle = lo + (hi - lo) / 2;
		int			order = strcmp(unit, units->units[middle].unit);

		if (order == 0)
			return &units->units[middle];
		if (order < 0)
			hi = middle;
		else
			lo = middle + 1;
	}
	return NULL;
}

bool
dps_frozen_read(Oid relation, const char *unit, DpsFrozenLoss *loss)
{
	Datum		values[2] = {ObjectIdGetDatum(relation), CStringGetTextDatum(unit)};

	dps_statement_run(&read_unit, values, NULL);
	if (SPI_processed == 0)
		return false;
	read_row(0, loss);
	return true;
}

static void
require_account(Oid relation)
{
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the accounts of the rows of relation \"%s\" are out of order", get_rel_name(relation)),
				 errdetail("The privacy ledger does not know the relation."),
				 errhint("After a restore a superuser may call dpsens.acknowledge_restore(); else the owner may call dpsens.set_budget() again.")));
}

bool
dps_frozen_claim(Oid relation, const char *unit, uint64 transaction, DpsFrozenLoss *loss)
{
	Datum		values[3] = {ObjectIdGetDatum(relation), CStringGetTextDatum(unit), Int64GetDatum((int64) transaction)};
	bool		known = dps_frozen_read(relation, unit, loss);

	dps_ledger_write(&claim_unit, values, NULL);
	require_account(relation);
	if (!dps_frozen_read(relation, unit, loss))
		elog(ERROR, "the frozen loss of a unit of relation %u is not seen", relation);
	/* one that was not there is this transaction's now, unless another one has written it meanwhile */
	return known || loss->changed_by != transaction;
}

void
dps_frozen_write(Oid relation, const char *unit, const DpsFrozenLoss *loss)
{
	Datum		values[6] = {
		ObjectIdGetDatum(relation), CStringGetTextDatum(unit), Int64GetDatum(loss->epsilon),
		Int64GetDatum(loss->rho), Int64GetDatum(loss->release), Int64GetDatum((int64) loss->changed_by)
	};

	dps_ledger_write(&write_unit, values, NULL);
	require_account(relation);
}

/*
 * origin.c
 *		Whether the ledger belongs to this database.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "glue/compat.h"
#include "ledger/origin.h"
#include "ledger/statement.h"

static DpsStatement read_origin = {
	.text = "SELECT o.system_identifier OPERATOR(pg_catalog.=) $1 AND o.database OPERATOR(pg_catalog.=) $2"
	" AND o.timeline OPERATOR(pg_catalog.=) $3 FROM dpsens.ledger_origin o",
	.nargs = 3, .argtypes = {INT8OID, OIDOID, INT4OID}
};

/* Includes budgets and failures: in a copy their OIDs are those of another database. */
static DpsStatement read_contents = {
	.text = "SELECT EXISTS (SELECT 1 FROM dpsens.purse) OR EXISTS (SELECT 1 FROM dpsens.release)"
	" OR EXISTS (SELECT 1 FROM dpsens.budget) OR EXISTS (SELECT 1 FROM dpsens.row_account) OR EXISTS (SELECT 1 FROM dpsens.failure)"
};

static DpsStatement delete_origin = {
	.text = "DELETE FROM dpsens.ledger_origin"
};

static DpsStatement insert_origin = {
	.text = "INSERT INTO dpsens.ledger_origin VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
	.nargs = 3, .argtypes = {INT8OID, OIDOID, INT4OID}
};

static void
here(Datum values[3])
{
	values[0] = Int64GetDatum((int64) GetSystemIdentifier());
	values[1] = ObjectIdGetDatum(MyDatabaseId);
	values[2] = Int32GetDatum((int32) GetWALInsertionTimeLine());
}

bool
dps_origin_is_known_here(void)
{
	Datum		values[3];

	here(values);
	dps_statement_run(&read_origin, values, NULL);
	return SPI_processed > 0 && DatumGetBool(dps_statement_value(0, 1));
}

bool
dps_origin_is_here(void)
{
	Datum		values[3];

	here(values);
	dps_statement_run(&read_origin, values, NULL);
	if (SPI_processed > 0)
		return DatumGetBool(dps_statement_value(0, 1));
	dps_statement_run(&read_contents, NULL, NULL);
	if (DatumGetBool(dps_statement_value(0, 1)))
		return false;
	dps_statement_run(&insert_origin, values, NULL);
	return true;
}

void
dps_origin_require(void)
{
	if (!dps_origin_is_here())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy ledger was charged in another database"),
				 errhint("A superuser may call dpsens.acknowledge_restore() once the original answers no more.")));
}

void
dps_origin_forget(void)
{
	dps_statement_run(&delete_origin, NULL, NULL);
}

void
dps_origin_set(void)
{
	Datum		values[3];

	here(values);
	dps_origin_forget();
	dps_statement_run(&insert_origin, values, NULL);
}

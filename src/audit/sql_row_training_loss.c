/*
 * sql_row_training_loss.c
 *		dpsens.row_training_loss: what every unit of a relation has lost by each run of
 *		training.
 *
 * For the relation's owner and its auditors: the losses of single units are private data.  It reads the
 * ledger and writes nothing.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"

#include "account/amount.h"
#include "audit/accounted.h"
#include "glue/compat.h"
#include "glue/version.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_row_training_loss);

#define COLUMNS 5

static DpsStatement read_losses = {
	.text = "SELECT l.release, l.unit, l.spent_rho, l.left_out, a.finished FROM dpsens.release r"
	" JOIN dpsens.training_account a ON a.release OPERATOR(pg_catalog.=) r.release"
	" JOIN dpsens.training_loss l ON l.release OPERATOR(pg_catalog.=) r.release"
	" WHERE r.relation OPERATOR(pg_catalog.=) $1 ORDER BY l.release, l.unit",
	.nargs = 1, .argtypes = {OIDOID}
};

static void
put_losses(ReturnSetInfo *result)
{
	uint64		row;

	for (row = 0; row < SPI_processed; row++)
	{
		Datum		values[COLUMNS];
		bool		nulls[COLUMNS] = {false};
		int			k;

		for (k = 0; k < COLUMNS; k++)
			values[k] = dps_statement_value(row, k + 1);
		values[2] = Float8GetDatum(dps_amount_up(DatumGetInt64(values[2]), DPS_LOSS_BITS));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* row_training_loss(relation) */
Datum
dps_row_training_loss(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	DpsAudit	audit;
	Relation	locked;

	audit = dps_audit_accounted(relation);
	InitMaterializedSRF(fcinfo, 0);
	locked = table_open(relation, AccessShareLock);
	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_losses, values, NULL);
	dps_descend(saved);
	put_losses((ReturnSetInfo *) fcinfo->resultinfo);
	SPI_finish();
	table_close(locked, NoLock);
	dps_end_audit(audit);
	return (Datum) 0;
}

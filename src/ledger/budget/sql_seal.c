/*
 * sql_seal.c
 *		dpsens.seal_ledger, which has the worker seal what is committed.
 *
 * For everybody: it writes what the next charge would.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "glue/version.h"
#include "ledger/ledger.h"

DPS_SQL_FUNCTION(dps_seal_ledger);

/* seal_ledger() */
Datum
dps_seal_ledger(PG_FUNCTION_ARGS)
{
	DpsCharge	request = {.kind = DPS_REQUEST_SEAL, .role = GetUserId(), .query = ""};

	(void) dps_ledger_charge(&request);
	PG_RETURN_VOID();
}

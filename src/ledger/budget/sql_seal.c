/*
 * sql_seal.c
 *		dpsens.seal_ledger, which has the worker seal what is committed.
 *
 * For everybody: it writes what the next charge would.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "tcop/utility.h"

#include "glue/version.h"
#include "ledger/ledger.h"

DPS_SQL_FUNCTION(dps_seal_ledger);

/* seal_ledger() */
Datum
dps_seal_ledger(PG_FUNCTION_ARGS)
{
	DpsCharge	request = {.kind = DPS_REQUEST_SEAL, .role = GetUserId(), .query = ""};

	PreventCommandDuringRecovery("dpsens.seal_ledger()");
	/* some at a time, so that charges need not wait; the answer says whether there may be more */
	while (dps_ledger_charge(&request) != 0)
		CHECK_FOR_INTERRUPTS();
	PG_RETURN_VOID();
}

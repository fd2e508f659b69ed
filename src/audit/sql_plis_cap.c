/*
 * sql_plis_cap.c
 *		dpsens.set_plis_cap: how susceptible the answers may be to the values of a row
 *		that is to count.
 *
 * For the relation's owner.  It writes the cap, which is public, beside the others in the
 * ledger's dpsens.row_account, and reads no row.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "audit/accounted.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "ledger/journal/change.h"
#include "ledger/rows/row_accounts.h"

DPS_SQL_FUNCTION(dps_set_plis_cap);

/* set_plis_cap(relation, cap) */
Datum
dps_set_plis_cap(PG_FUNCTION_ARGS)
{
	double		cap = PG_ARGISNULL(1) ? INFINITY : PG_GETARG_FLOAT8(1);
	DpsChange	change;

	dps_refuse_null(fcinfo, 0, "relation");
	dps_require_accounted(PG_GETARG_OID(0));
	if (!(cap > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cap must be a number greater than 0"),
				 errhint("NULL or Infinity removes the cap.")));
	change = dps_change_begin("set_plis_cap", PG_GETARG_OID(0));
	dps_set_susceptibility_cap(PG_GETARG_OID(0), cap);
	dps_change_end(&change);
	PG_RETURN_VOID();
}

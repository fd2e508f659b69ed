/*
 * stub.c
 *		The aggregates that users write, as they are in the catalogs.
 *
 * dpsens replaces them before planning.  One that runs nevertheless was
 * planned without it, and must not answer: its transition function raises on
 * the first row, and its final function, which empty input reaches alone.
 */
#include "postgres.h"

#include "fmgr.h"

#include "agg/aggregate.h"
#include "glue/glue.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_stub);
DPS_SQL_FUNCTION(dps_suppressed_stub);

void
dps_refuse_stub(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("dp aggregates are not supported in this place"),
			 errdetail("The aggregate was not seen when its query was planned, as happens when a set-returning SQL function is merged into the query that calls it."),
			 errhint("Declare such a function VOLATILE.")));
}

Datum
dps_stub(PG_FUNCTION_ARGS)
{
	if (!dps_preloaded)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dpsens is not loaded: dp aggregates cannot run"),
				 errhint("Add shared_preload_libraries = 'dpsens' to postgresql.conf and restart the server.")));
	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates cannot be used as window functions")));
	dps_refuse_stub();
	PG_RETURN_NULL();
}

Datum
dps_suppressed_stub(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("dp_suppressed() is not supported in this place"),
			 errhint("Call it in the select list, in HAVING or in ORDER BY of a query with dp aggregates and GROUP BY.")));
	PG_RETURN_NULL();
}

/*
 * types.c
 *		Input and output of the opaque types.
 *
 * A plan or state has no text form: it is made by the planner hook or by the
 * exact stage, and printing a state would print what the noise protects.
 */
#include "postgres.h"

#include "fmgr.h"

PG_FUNCTION_INFO_V1(dps_plan_in);
PG_FUNCTION_INFO_V1(dps_plan_out);
PG_FUNCTION_INFO_V1(dps_state_in);
PG_FUNCTION_INFO_V1(dps_state_out);

static void
refuse_input(const char *type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot accept a value of type %s", type)));
}

static void
refuse_output(const char *type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot display a value of type %s", type)));
}

Datum
dps_plan_in(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_input("dpsens.plan");
	PG_RETURN_NULL();
}

Datum
dps_plan_out(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_output("dpsens.plan");
	PG_RETURN_NULL();
}

Datum
dps_state_in(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_input("dpsens.state");
	PG_RETURN_NULL();
}

Datum
dps_state_out(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_output("dpsens.state");
	PG_RETURN_NULL();
}

/*
 * types.c
 *		Input and output of the opaque types.
 *
 * None can be typed in: plans are made by the planner hook, states and answers by the
 * stages.  Printing a state would print what the noise protects; a plan holds
 * public facts only, and EXPLAIN VERBOSE shows what it is.  Between the nodes of a cluster states, and
 * plans of types of their own, which sums and attempts of nodes alone take, travel as cipher text (travel.h).
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/regproc.h"

#include "agg/aggregate.h"
#include "agg/state/groups.h"
#include "agg/state/limited_rows.h"
#include "agg/state/travel.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_plan_in);
DPS_SQL_FUNCTION(dps_plan_out);
DPS_SQL_FUNCTION(dps_shard_plan_in);
DPS_SQL_FUNCTION(dps_shard_plan_out);
DPS_SQL_FUNCTION(dps_summand_in);
DPS_SQL_FUNCTION(dps_summand_out);
DPS_SQL_FUNCTION(dps_shard_attempt_in);
DPS_SQL_FUNCTION(dps_shard_attempt_out);
DPS_SQL_FUNCTION(dps_state_in);
DPS_SQL_FUNCTION(dps_state_out);
DPS_SQL_FUNCTION(dps_answer_in);
DPS_SQL_FUNCTION(dps_answer_out);

static void
refuse_input(const char *type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot accept a value of type %s", type)));
}

Datum
dps_plan_in(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_input("dpsens_internal.plan");
	PG_RETURN_NULL();
}

Datum
dps_plan_out(PG_FUNCTION_ARGS)
{
	const DpsSummandPlan *plan = (const DpsSummandPlan *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	const DpsRelease *release = (const DpsRelease *) plan;
	const DpsFinish *finish = (const DpsFinish *) plan;
	const DpsGroupsPlan *groups = (const DpsGroupsPlan *) plan;
	const DpsKeysPlan *keys = (const DpsKeysPlan *) plan;

	if (plan->version == DPS_SUMMAND_VERSION)
		PG_RETURN_CSTRING(psprintf("%d columns, %d sums", plan->ncells, plan->nvalues + plan->nproducts));
	if (plan->version == DPS_GROUPS_VERSION)
		PG_RETURN_CSTRING(psprintf("%lld groups, %d columns, %d states", (long long) groups->ngroups, groups->ncells,
								   groups->nstates));
	if (plan->version == DPS_KEYS_VERSION)
		PG_RETURN_CSTRING(psprintf("%d declared values", keys->reference.key.n));
	if (plan->version == DPS_CELL_VERSION)
		PG_RETURN_CSTRING(psprintf("%g to %g", ((const DpsCellPlan *) plan)->cell.domain.lo, ((const DpsCellPlan *) plan)->cell.domain.hi));
	if (plan->version == DPS_FINISH_VERSION)
		PG_RETURN_CSTRING(psprintf("%s", dps_statistics[finish->statistic].name));
	if (plan->version == DPS_RELEASE_VERSION)
		PG_RETURN_CSTRING(psprintf("sensitivity %g, unit 2^%d", release->sensitivity, release->grid));
	if (plan->version == DPS_ATTEMPT_VERSION)
		PG_RETURN_CSTRING(format_procedure(((const DpsAttempt *) plan)->function));
	PG_RETURN_CSTRING(pstrdup(""));
}

/* A plan of a type that travels. */
static Datum
plan_received(FunctionCallInfo fcinfo, DpsTravellerKind kind, const char *type)
{
	struct varlena *plan = dps_plan_received(kind, PG_GETARG_CSTRING(0));

	if (plan == NULL)
		refuse_input(type);
	PG_RETURN_POINTER(plan);
}

static Datum
plan_sent(FunctionCallInfo fcinfo, DpsTravellerKind kind)
{
	char	   *sent = dps_plan_sent(kind, (const struct varlena *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0)));

	return sent != NULL ? CStringGetDatum(sent) : dps_plan_out(fcinfo);
}

Datum
dps_shard_plan_in(PG_FUNCTION_ARGS)
{
	return plan_received(fcinfo, DPS_TRAVELS_PLAN, "dpsens_internal.shard_plan");
}

Datum
dps_shard_plan_out(PG_FUNCTION_ARGS)
{
	return plan_sent(fcinfo, DPS_TRAVELS_PLAN);
}

Datum
dps_summand_in(PG_FUNCTION_ARGS)
{
	return plan_received(fcinfo, DPS_TRAVELS_SUMMAND, "dpsens_internal.summand");
}

Datum
dps_summand_out(PG_FUNCTION_ARGS)
{
	return plan_sent(fcinfo, DPS_TRAVELS_SUMMAND);
}

Datum
dps_shard_attempt_in(PG_FUNCTION_ARGS)
{
	return plan_received(fcinfo, DPS_TRAVELS_ATTEMPT, "dpsens_internal.shard_attempt");
}

Datum
dps_shard_attempt_out(PG_FUNCTION_ARGS)
{
	return plan_sent(fcinfo, DPS_TRAVELS_ATTEMPT);
}

Datum
dps_state_in(PG_FUNCTION_ARGS)
{
	struct varlena *state = dps_states_received(DPS_TRAVELS_STATE, PG_GETARG_CSTRING(0));

	if (state == NULL)
		refuse_input("dpsens_internal.state");
	dps_state_check((const DpsState *) state);
	PG_RETURN_POINTER(state);
}

Datum
dps_state_out(PG_FUNCTION_ARGS)
{
	char	   *sent = dps_states_sent(DPS_TRAVELS_STATE, (const struct varlena *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0)));

	if (sent == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot display a value of type %s", "dpsens_internal.state")));
	PG_RETURN_CSTRING(sent);
}

Datum
dps_answer_in(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_input("dpsens_internal.answer");
	PG_RETURN_NULL();
}

Datum
dps_answer_out(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot display a value of type %s", "dpsens_internal.answer")));
	PG_RETURN_NULL();
}

/*
 * keep.c
 *		Who may write the ledger's tables.
 *
 * The triggers cannot stop a superuser who intends to write the tables.  They prevent accidents, detect a
 * restore into a database whose ledger is in use, and report to the worker what other processes write.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "glue/version.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "ledger/keep.h"
#include "ledger/origin.h"

DPS_SQL_FUNCTION(dps_keep_ledger);
DPS_SQL_FUNCTION(dps_keep_budgets);

static bool may_write = false;
static bool is_worker = false;

bool
dps_ledger_let_write(bool let)
{
	bool		before = may_write;

	may_write = let;
	return before;
}

bool
dps_ledger_may_write(void)
{
	return may_write;
}

void
dps_ledger_be_worker(void)
{
	may_write = is_worker = true;
}

void
dps_ledger_tell(Relation changed)
{
	if (!is_worker)
		CacheInvalidateRelcache(changed);
}

void
dps_ledger_write(DpsStatement *statement, Datum *values, const char *nulls)
{
	bool		before = dps_ledger_let_write(true);

	PG_TRY();
	{
		dps_statement_run(statement, values, nulls);
	}
	PG_FINALLY();
	{
		(void) dps_ledger_let_write(before);
	}
	PG_END_TRY();
}

DpsElevation
dps_elevate(void)
{
	DpsElevation saved;

	GetUserIdAndSecContext(&saved.user, &saved.context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
						   saved.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
	return saved;
}

void
dps_descend(DpsElevation saved)
{
	SetUserIdAndSecContext(saved.user, saved.context);
}

static void
require_trigger(FunctionCallInfo fcinfo, const char *function)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager", function)));
}

static void
forget_origin(void)
{
	SPI_connect();
	dps_origin_forget();
	SPI_finish();
}

/* Reports changes of tables that the worker remembers.  It does not remember row accounts, which every
 * change of a row writes. */
static void
tell_of_remembered(Relation changed)
{
	static const char *const remembered[] = {"purse", "release", "ledger_origin", "change", "refusal", "seal"};
	Size		i;

	for (i = 0; i < lengthof(remembered); i++)
	{
		if (strcmp(RelationGetRelationName(changed), remembered[i]) == 0)
			dps_ledger_tell(changed);
	}
}

/* keep_ledger() */
Datum
dps_keep_ledger(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	require_trigger(fcinfo, "keep_ledger");
	tell_of_remembered(trigger->tg_relation);
	if (may_write)
		return PointerGetDatum(NULL);
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the privacy ledger is written by its worker only")));
	if (!TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the privacy ledger cannot be changed"),
				 errdetail("What was spent stays spent.")));
	forget_origin();
	return PointerGetDatum(NULL);
}

/* keep_budgets(): budget functions write as the tables' owner.  Rows that anybody else inserts may have
 * OIDs of relations and roles of another database. */
Datum
dps_keep_budgets(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	require_trigger(fcinfo, "keep_budgets");
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("budgets are changed by the functions of dpsens only"),
				 errhint("Use dpsens.grant_budget(), dpsens.set_budget() and dpsens.revoke_budget().")));
	tell_of_remembered(trigger->tg_relation);
	if (!may_write && TRIGGER_FIRED_BY_INSERT(trigger->tg_event) &&
		strcmp(RelationGetRelationName(trigger->tg_relation), "ledger_origin") != 0)
		forget_origin();
	return PointerGetDatum(NULL);
}

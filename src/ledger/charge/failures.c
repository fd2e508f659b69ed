/*
 * failures.c
 *		Statements of each role that failed while clean rooms read rows for them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "glue/glue.h"
#include "glue/settings.h"
#include "ledger/charge/failures.h"
#include "ledger/ledger.h"
#include "ledger/statement.h"

PG_FUNCTION_INFO_V1(dps_forgive_failures);

typedef struct Failures
{
	NameData	role;
	int64		n;
} Failures;

static DpsStatement read_all = {
	.text = "SELECT f.role_name, f.failures FROM dpsens.failure f"
};

static DpsStatement count_one = {
	.text = "INSERT INTO dpsens.failure AS f (role_name, failures, first_at, last_at)"
	" VALUES ($1, 1, pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp()) ON CONFLICT (role_name)"
	" DO UPDATE SET failures = f.failures OPERATOR(pg_catalog.+) 1, last_at = excluded.last_at",
	.nargs = 1, .argtypes = {NAMEOID}
};

static DpsStatement forget_all = {
	.text = "DELETE FROM dpsens.failure f WHERE f.role_name OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {NAMEOID}
};

/* What is known; -1: nothing is. */
static Failures *known = NULL;
static int	nknown = -1;

/* ---- the worker ---- */

void
dps_failures_refresh(void)
{
	Failures   *all;
	int			i;

	if (nknown >= 0)
		return;
	dps_statement_run(&read_all, NULL, NULL);
	all = MemoryContextAllocZero(TopMemoryContext, Max(SPI_processed, 1) * sizeof(Failures));
	for (i = 0; i < (int) SPI_processed; i++)
	{
		all[i].role = *DatumGetName(dps_statement_value(i, 1));
		all[i].n = DatumGetInt64(dps_statement_value(i, 2));
	}
	if (known != NULL)
		pfree(known);
	known = all;
	nknown = i;
}

static int64
failures_of(Oid role)
{
	const char *name = GetUserNameFromId(role, true);
	int			i;

	for (i = 0; i < nknown && name != NULL; i++)
	{
		if (strcmp(NameStr(known[i].role), name) == 0)
			return known[i].n;
	}
	return 0;
}

static bool
is_restricted(const DpsCharge *charge)
{
	int			i;

	for (i = 0; i < charge->nitems; i++)
	{
		if (charge->items[i].needs_budget)
			return true;
	}
	return false;
}

bool
dps_failures_refuse(const DpsCharge *charge, DpsChargeAnswer *answer)
{
	int64		n;

	if (dps_setting_max_failures == 0 || !is_restricted(charge))
		return false;
	n = failures_of(charge->role);
	if (n < dps_setting_max_failures)
		return false;
	dps_charge_answer_refuse(answer, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					  psprintf("private answers to role \"%s\" are suspended", GetUserNameFromId(charge->role, false)),
					  psprintf("Of its statements, " INT64_FORMAT " failed while private rows were read.", n),
					  "The administrator finds the reasons in the server's log, and may call dpsens.forgive_failures().");
	return true;
}

void
dps_failures_write(const DpsCharge *request)
{
	const char *name = GetUserNameFromId(request->role, true);
	NameData	role;
	Datum		value = NameGetDatum(&role);

	/* a role that is gone */
	if (name == NULL)
		return;
	namestrcpy(&role, name);
	nknown = -1;
	dps_statement_run(request->kind == DPS_REQUEST_FAILURE ? &count_one : &forget_all, &value, NULL);
}

/* ---- others ---- */

static void
submit(Oid role, DpsRequestKind kind)
{
	DpsCharge	request = {.role = role, .kind = kind, .query = ""};

	(void) dps_ledger_charge(&request);
}

void
dps_ledger_note_failure(Oid role)
{
	submit(role, DPS_REQUEST_FAILURE);
}

/* forgive_failures(role) */
Datum
dps_forgive_failures(PG_FUNCTION_ARGS)
{
	PreventCommandIfReadOnly("dpsens.forgive_failures()");
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to forgive failures")));
	dps_refuse_null(fcinfo, 0, "role");
	submit(PG_GETARG_OID(0), DPS_REQUEST_FORGIVENESS);
	PG_RETURN_VOID();
}

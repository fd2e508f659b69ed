/*
 * failures.c
 *		Statements of each role that failed while clean rooms read rows for them.
 *
 * A count belongs to the role with its OID, whatever that role's name.  If no role has
 * the OID, it belongs to the role with the last recorded name: after a restore, and
 * after a role was dropped and made again, which would otherwise reset its count.
 * Names follow renames as those of budgets do (names.c).  So a role that takes the name
 * of a renamed role begins at 0.  One that takes the name of a dropped role inherits
 * its count: it is safer to suspend the wrong role until an administrator has looked
 * than none.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "glue/glue.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "ledger/charge/failures.h"
#include "ledger/journal/change.h"
#include "ledger/journal/seal.h"
#include "ledger/ledger.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_forgive_failures);

typedef struct Failures
{
	Oid			role;
	NameData	name;
	int64		n;
} Failures;

static DpsStatement read_all = {
	.text = "SELECT f.role, f.role_name, f.failures FROM dpsens.failure f"
};

static DpsStatement follow_name = {
	.text = "UPDATE dpsens.failure AS f SET role_name = $2"
	" WHERE f.role OPERATOR(pg_catalog.=) $1 AND f.role_name OPERATOR(pg_catalog.<>) $2",
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

static DpsStatement count_one_more = {
	.text = "UPDATE dpsens.failure AS f SET failures = f.failures OPERATOR(pg_catalog.+) 1, last_at = pg_catalog.clock_timestamp()"
	" WHERE f.role OPERATOR(pg_catalog.=) $1 AND f.role_name OPERATOR(pg_catalog.=) $2",
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

static DpsStatement count_first = {
	.text = "INSERT INTO dpsens.failure (role, role_name, failures, first_at, last_at)"
	" VALUES ($1, $2, 1, pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp())",
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

static DpsStatement forget_all = {
	.text = "DELETE FROM dpsens.failure f WHERE f.role OPERATOR(pg_catalog.=) $1 OR (f.role_name OPERATOR(pg_catalog.=) $2"
	" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_authid r WHERE r.oid OPERATOR(pg_catalog.=) f.role))",
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

/* The counts that were read last; valid until they are read again. */
static Failures *known = NULL;
static int	nknown = 0;
static bool is_stale = true;

static Oid
table_oid(void)
{
	return get_relname_relid("failure", dps_schema_oid());
}

/* ---- the worker ---- */

static void
forget_at_abort(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		is_stale = true;
}

/* Other sessions change names, and invalidate the table's relcache entry. */
void
dps_failures_forget(void)
{
	is_stale = true;
}

static void
watch_changes(void)
{
	static bool watches = false;

	if (watches)
		return;
	watches = true;
	RegisterXactCallback(forget_at_abort, NULL);
}

/* Reads the counts, unless those that were read are still valid.  Any look-up may
 * process an invalidation: it marks them stale for the next call, and frees nothing in
 * use. */
static void
read_failures(void)
{
	Failures   *all;
	int			i;

	watch_changes();
	if (!is_stale)
		return;
	is_stale = false;
	dps_statement_run(&read_all, NULL, NULL);
	all = MemoryContextAllocZero(TopMemoryContext, Max(SPI_processed, 1) * sizeof(Failures));
	for (i = 0; i < (int) SPI_processed; i++)
	{
		all[i].role = DatumGetObjectId(dps_statement_value(i, 1));
		all[i].name = *DatumGetName(dps_statement_value(i, 2));
		all[i].n = DatumGetInt64(dps_statement_value(i, 3));
	}
	if (known != NULL)
		pfree(known);
	known = all;
	nknown = i;
}

static bool
are_of(const Failures *failures, Oid role, const char *name)
{
	return failures->role == role ||
		(strcmp(NameStr(failures->name), name) == 0 && !SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(failures->role)));
}

/* Sets the statements' arguments for the role, valid as long as *called; false if the
 * role was dropped. */
static bool
find_role(Oid oid, NameData *called, Datum role[2])
{
	const char *name = GetUserNameFromId(oid, true);

	if (name == NULL)
		return false;
	namestrcpy(called, name);
	role[0] = ObjectIdGetDatum(oid);
	role[1] = NameGetDatum(called);
	return true;
}

/* Also records the role's present name: it may have been renamed in another database,
 * and be dropped next. */
static int64
failures_of(Oid role)
{
	NameData	name;
	Datum		arguments[2];
	int64		n = 0;
	bool		is_renamed = false;
	int			i;

	read_failures();
	if (nknown == 0 || !find_role(role, &name, arguments))
		return 0;
	for (i = 0; i < nknown; i++)
	{
		if (!are_of(&known[i], role, NameStr(name)))
			continue;
		n += known[i].n;
		is_renamed |= strcmp(NameStr(known[i].name), NameStr(name)) != 0;
	}
	if (is_renamed)
	{
		is_stale = true;
		dps_statement_run(&follow_name, arguments, NULL);
	}
	return n;
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

static void
count(Datum *role)
{
	dps_statement_run(&follow_name, role, NULL);
	dps_statement_run(&count_one_more, role, NULL);
	if (SPI_processed == 0)
		dps_statement_run(&count_first, role, NULL);
}

void
dps_failures_write(const DpsCharge *request)
{
	NameData	name;
	Datum		role[2];
	DpsActor	actor;

	if (!find_role(request->role, &name, role))
		return;
	is_stale = true;
	if (request->kind == DPS_REQUEST_FAILURE)
	{
		count(role);
		return;
	}
	dps_statement_run(&forget_all, role, NULL);
	if (sscanf(request->query, "%u %u", &actor.session, &actor.current) == 2)
	{
		dps_change_note(actor, "forgive_failures", InvalidOid, psprintf("role %s", quote_identifier(NameStr(name))), NULL, NULL);
		dps_seal_note_change();
	}
}

/* ---- others ---- */

void
dps_failures_changed(void)
{
	is_stale = true;
	CacheInvalidateRelcacheByRelid(table_oid());
}

/* The query names who acts, since forgiveness holds whatever becomes of the transaction, so that the worker records it. */
static void
submit(Oid role, DpsRequestKind kind)
{
	DpsActor	actor = dps_change_actor();
	DpsCharge	request = {.role = role, .kind = kind, .query = psprintf("%u %u", actor.session, actor.current)};

	(void) dps_ledger_charge(&request);
}

/* Waits for the ledger a fixed time, which the asking role cannot shorten: a failure
 * that is not recorded by then is not counted. */
void
dps_ledger_note_failure(Oid role)
{
	int			asked = dps_setting_ledger_timeout;

	dps_setting_ledger_timeout = DPS_LEDGER_TIMEOUT;
	PG_TRY();
	{
		submit(role, DPS_REQUEST_FAILURE);
	}
	PG_FINALLY();
	{
		dps_setting_ledger_timeout = asked;
	}
	PG_END_TRY();
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

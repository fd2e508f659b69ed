/*
 * names.c
 *		The names of the relations and roles in the ledger.
 *
 * OIDs in the ledger are not valid after a dump and restore, nor after a table was dropped and created
 * again.  Names then identify the rows (identity.h).  So the ledger records each renaming in the
 * transaction that renames, shortly before it commits: a charge in progress must not wait for a client's
 * transaction.
 *
 * Roles can be renamed from other databases, where this ledger cannot be written.  So names are also
 * updated when a worker starts, with each charge, and before relations are dropped.  What is known by the
 * names of a relation that is gone goes to the one that gets them (former.c).
 *
 * In a database that was restored and not acknowledged, the OIDs are those of another database, and only
 * the names identify rows.  So the names are not updated there by OIDs, but go with what had them before (former.c).
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "glue/glue.h"
#include "glue/version.h"
#include "ledger/charge/failures.h"
#include "ledger/keep.h"
#include "ledger/former.h"
#include "ledger/charge/names.h"
#include "ledger/origin.h"
#include "ledger/statement.h"

static bool names_changed = false;

/* Updates the names in rows whose OIDs now have other names.  "wait" says what to do with rows that other
 * transactions have locked. */
#define FOLLOW_RELATION(table, wait) { \
	.text = "UPDATE dpsens." table " AS t SET relation_schema = now.schema, relation_name = now.name, relation_owner = now.owner" \
	" FROM (SELECT u.ctid AS place, n.nspname AS schema, c.relname AS name, o.rolname AS owner FROM dpsens." table " u" \
	" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) u.relation" \
	" JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace" \
	" JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) c.relowner" \
	" WHERE u.relation_schema OPERATOR(pg_catalog.<>) n.nspname OR u.relation_name OPERATOR(pg_catalog.<>) c.relname" \
	" OR u.relation_owner OPERATOR(pg_catalog.<>) o.rolname FOR UPDATE OF u " wait ") now" \
	" WHERE t.ctid OPERATOR(pg_catalog.=) now.place" \
}
#define FOLLOW_ROLE(table, wait) { \
	.text = "UPDATE dpsens." table " AS t SET role_name = now.name" \
	" FROM (SELECT u.ctid AS place, r.rolname AS name FROM dpsens." table " u" \
	" JOIN pg_catalog.pg_authid r ON r.oid OPERATOR(pg_catalog.=) u.role" \
	" WHERE u.role_name OPERATOR(pg_catalog.<>) r.rolname FOR UPDATE OF u " wait ") now" \
	" WHERE t.ctid OPERATOR(pg_catalog.=) now.place" \
}
/* Of a role that is gone the last name stays. */
#define FOLLOW_AGREED_OWNER(wait) { \
	.text = "UPDATE dpsens.budget AS t SET agreed_owner_name = now.name" \
	" FROM (SELECT u.ctid AS place, r.rolname AS name FROM dpsens.budget u" \
	" JOIN pg_catalog.pg_authid r ON r.oid OPERATOR(pg_catalog.=) u.agreed_owner" \
	" WHERE u.agreed_owner_name OPERATOR(pg_catalog.<>) r.rolname FOR UPDATE OF u " wait ") now" \
	" WHERE t.ctid OPERATOR(pg_catalog.=) now.place" \
}
#define FOLLOWING(wait) { \
	FOLLOW_RELATION("budget", wait), \
	FOLLOW_RELATION("policy", wait), \
	FOLLOW_RELATION("purse", wait), \
	FOLLOW_RELATION("row_account", wait), \
	FOLLOW_ROLE("budget", wait), \
	FOLLOW_AGREED_OWNER(wait), \
	FOLLOW_ROLE("purse", wait), \
	FOLLOW_ROLE("failure", wait) \
}

static DpsStatement following[] = FOLLOWING("");
static DpsStatement following_unlocked[] = FOLLOWING("SKIP LOCKED");

static void
refresh(DpsStatement *statements, Size n)
{
	bool		any = false;
	Size		i;

	if (!dps_origin_is_known_here())
		return;
	for (i = 0; i < n; i++)
	{
		dps_statement_change(&statements[i], NULL, NULL);
		any |= SPI_processed > 0;
	}
	if (any)
		dps_failures_changed();
}

void
dps_names_refresh(void)
{
	refresh(following_unlocked, lengthof(following_unlocked));
}

static void
refresh_all(void)
{
	refresh(following, lengthof(following));
}

static void
settle(void)
{
	if (!dps_origin_is_known_here())
	{
		dps_meant_settle();
		return;
	}
	dps_former_settle();
	refresh_all();
}

/* A script that updates the extension renames none but its own objects before it has made the last table. */
static void
note(void)
{
	dps_require_version();
	if (!OidIsValid(get_relname_relid("policy", dps_schema_oid())))
		return;
	if (dps_origin_is_known_here())
		dps_former_note();
	else
		dps_meant_note();
}

/* Runs as the owner of the ledger: a role that may rename an object need not be allowed to write the
 * ledger. */
static void
run_as_owner(void (*act) (void))
{
	bool		before = dps_ledger_let_write(true);

	PG_TRY();
	{
		DpsElevation saved;

		SPI_connect();
		saved = dps_elevate();
		act();
		dps_descend(saved);
		SPI_finish();
	}
	PG_FINALLY();
	{
		(void) dps_ledger_let_write(before);
	}
	PG_END_TRY();
}

/* Is the ledger complete?  Parts of the extension may be missing while a script creates or upgrades it. */
static bool
is_ledger_here(void)
{
	return !IsBinaryUpgrade && OidIsValid(dps_schema_oid()) &&
		OidIsValid(get_relname_relid("row_account", dps_schema_oid()));
}

void
dps_names_note(void)
{
	if (!XactReadOnly && is_ledger_here())
		run_as_owner(note);
}

void
dps_names_changed(void)
{
	names_changed = true;
}

void
dps_names_keep(void)
{
	if (!XactReadOnly && is_ledger_here())
		run_as_owner(refresh_all);
}

static void
follow(void)
{
	bool		read_only = XactReadOnly;

	if (!is_ledger_here())
		return;
	/* a transaction may be set to read-only after it has renamed */
	XactReadOnly = false;
	PG_TRY();
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		run_as_owner(settle);
		PopActiveSnapshot();
	}
	PG_FINALLY();
	{
		XactReadOnly = read_only;
	}
	PG_END_TRY();
}

static void
end_transaction(XactEvent event, void *arg)
{
	if (!names_changed)
		return;
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
		follow();
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE || event == XACT_EVENT_ABORT)
		names_changed = false;
}

void
dps_names_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	dps_former_init();
}

/*
 * sql_auditor.c
 *		dpsens.grant_audit and dpsens.revoke_audit, by which owners let others look at what a relation has
 *		answered, and at what its rows have lost.
 *
 * For the relation's owner alone, as all that sets budgets.  They write dpsens.auditor and read no row of
 * the relation.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/version.h"
#include "ledger/authority.h"
#include "ledger/budget/budget.h"
#include "ledger/journal/change.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_grant_audit);
DPS_SQL_FUNCTION(dps_revoke_audit);

/* OIDs of what is gone are nobody's, and are forgotten. */
static DpsStatement delete_auditor = {
	.text = "DELETE FROM dpsens.auditor AS a WHERE a.relation OPERATOR(pg_catalog.=) $1 AND a.role OPERATOR(pg_catalog.=) $2"
	" OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) a.role)"
	" OR NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) a.relation)",
	.nargs = 2, .argtypes = {OIDOID, OIDOID}
};

static DpsStatement find_auditor = {
	.text = "SELECT FROM dpsens.auditor a WHERE a.relation OPERATOR(pg_catalog.=) $1 AND a.role OPERATOR(pg_catalog.=) $2",
	.nargs = 2, .argtypes = {OIDOID, OIDOID}
};

static DpsStatement insert_auditor = {
	.text = "INSERT INTO dpsens.auditor (relation, role, rows, granted_by)"
	" SELECT $1, $2, $3, g.rolname FROM pg_catalog.pg_roles g WHERE g.oid OPERATOR(pg_catalog.=) $4",
	.nargs = 4, .argtypes = {OIDOID, OIDOID, BOOLOID, OIDOID}
};

/* Writes as the ledger's owner; returns how many grants were there before. */
static uint64
replace_auditor(Oid relation, Oid role, bool grants, bool rows)
{
	Oid			granter = GetUserId();
	Datum		values[] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(role), BoolGetDatum(rows), ObjectIdGetDatum(granter)};
	DpsElevation saved;
	uint64		former;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_run(&find_auditor, values, NULL);
	former = SPI_processed;
	dps_ledger_write(&delete_auditor, values, NULL);
	if (grants)
		dps_ledger_write(&insert_auditor, values, NULL);
	dps_descend(saved);
	SPI_finish();
	return former;
}

/* grant_audit(relation, role, rows) */
Datum
dps_grant_audit(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_budget_relation(fcinfo, "dpsens.grant_audit()");
	Oid			role = dps_budget_role(fcinfo);
	DpsChange	change = dps_change_begin("grant_audit", relation);
	bool		rows;

	dps_refuse_null(fcinfo, 2, "rows");
	rows = PG_GETARG_BOOL(2);
	(void) replace_auditor(relation, role, true, rows);
	dps_change_end(&change);
	dps_tell_of_schema(relation, role);
	if (rows && dps_has_budget(relation, role))
		ereport(WARNING,
				(errmsg("role \"%s\" gets private answers from relation \"%s\", and can see what its rows have lost",
						GetUserNameFromId(role, false), get_rel_name(relation)),
				 errhint("With rows => false an auditor sees budgets and releases alone.")));
	PG_RETURN_VOID();
}

/* revoke_audit(relation, role) */
Datum
dps_revoke_audit(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_revoked_relation(fcinfo, "dpsens.revoke_audit()");
	Oid			role = dps_budget_role(fcinfo);
	DpsChange	change = dps_change_begin("revoke_audit", relation);

	if (replace_auditor(relation, role, false, false) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" is no auditor of relation \"%s\"", GetUserNameFromId(role, false), get_rel_name(relation))));
	dps_change_end(&change);
	PG_RETURN_VOID();
}

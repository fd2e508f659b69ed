/*
 * auditor.c
 *		Who may look at what a relation has answered, and at what its rows have lost.
 *
 * Precondition: the caller computes from the relation and the ledger alone, and does not change them; of the current
 * user it takes no name, and of expressions those alone that dps_owner_wrote.
 * Postcondition: whoever is neither the owner, nor has the privileges of a role that the owner has made an auditor
 * of this relation, gets an error before anything is read.
 *
 * An auditor needs no privilege on the relation: what is computed is computed as its owner.  Proof that nothing which the
 * auditor has made runs as the owner: what is named by OID or qualified is the extension's, the server's or the owner's.
 * What the caller, or a function of the owner's in an index or a policy, looks up by name is found in pg_catalog, or
 * among temporary relations and types, which every path has; but an audit is refused while there are any that are
 * neither the owner's nor a superuser's, and none can be made meanwhile, in a security-restricted operation.
 *
 * Grants are read as committed now, so that one that was revoked is not used by an old snapshot.
 * They are known by OID and not dumped: elsewhere an OID would mean another role.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/owner.h"
#include "ledger/auditor.h"
#include "ledger/statement.h"

/* What the view shows to whoever asks. */
static DpsStatement find_grant = {
	.text = "SELECT FROM dpsens_internal.audited a WHERE a.relation OPERATOR(pg_catalog.=) $1 AND (a.rows OR NOT $2)",
	.nargs = 2, .argtypes = {OIDOID, BOOLOID}
};

/* Temporary relations and types, which are found before others whatever the search path is, but for those of the
 * owner $1 and of superusers. */
static DpsStatement find_temporaries = {
	.text = "SELECT FROM (SELECT c.relnamespace, c.relowner FROM pg_catalog.pg_class c"
	" UNION ALL SELECT t.typnamespace, t.typowner FROM pg_catalog.pg_type t) o (schema, owner)"
	" JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) o.owner"
	" WHERE o.schema OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema() AND o.owner OPERATOR(pg_catalog.<>) $1 AND NOT r.rolsuper",
	.nargs = 1, .argtypes = {OIDOID}
};

static bool
finds(DpsStatement *statement, Datum *values)
{
	bool		found;

	SPI_connect();
	dps_statement_read(statement, values, NULL);
	found = SPI_processed > 0;
	SPI_finish();
	return found;
}

static bool
may_audit(Oid relation, DpsAuditScope scope)
{
	Datum		values[] = {ObjectIdGetDatum(relation), BoolGetDatum(scope == DPS_AUDIT_ROWS)};

	return finds(&find_grant, values);
}

bool
dps_owner_wrote(Oid function, Oid relation)
{
	Oid			author = dps_function_owner(function);

	return author == dps_relation_owner(relation) || superuser_arg(author);
}

static void
refuse_temporaries(Oid owner)
{
	Datum		values[] = {ObjectIdGetDatum(owner)};

	if (finds(&find_temporaries, values))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("an audit is refused while the session has temporary relations or types"),
				 errdetail("Functions that the owner of the table uses could take them for others of the same name."),
				 errhint("Use DISCARD TEMP, or another session.")));
}

static void
refuse(Oid relation, DpsAuditScope scope)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be owner or auditor of table %s", get_rel_name(relation)),
			 scope == DPS_AUDIT_ROWS ? errdetail("What follows from its rows is private data, for the owner, and for auditors who may see it.") :
			 errdetail("What it has answered is shown to its owner and to auditors."),
			 errhint("The owner can make a role an auditor with dpsens.grant_audit().")));
}

DpsAudit
dps_begin_audit(Oid relation, DpsAuditScope scope)
{
	Oid			owner = dps_relation_owner(relation);
	DpsAudit	audit = {.settings = 0};

	GetUserIdAndSecContext(&audit.looker.user, &audit.looker.context);
	if (dps_owns_relation(relation, audit.looker.user))
		return audit;
	if (!may_audit(relation, scope))
		refuse(relation, scope);
	refuse_temporaries(owner);
	SetUserIdAndSecContext(owner, audit.looker.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	audit.settings = NewGUCNestLevel();
	/* what is looked up by name must not be what the auditor has made */
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return audit;
}

void
dps_end_audit(DpsAudit audit)
{
	if (audit.settings != 0)
		AtEOXact_GUC(false, audit.settings);
	dps_descend(audit.looker);
}

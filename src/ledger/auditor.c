/*
 * auditor.c
 *		Who may look at what a relation has answered, and at what its rows have lost.
 *
 * Precondition: the caller computes from the relation and the ledger alone, and does not change them; it takes no name
 * from the current user.
 * Postcondition: whoever is neither the owner, nor has the privileges of a role that the owner has made an auditor
 * of this relation, gets an error before anything is read.
 *
 * Proof: what the caller names by OID or qualified is the extension's, the server's or the owner's; what it looks up
 * by name is the server's, since no other schema is searched.  So nothing that the auditor has made runs as the owner.
 *
 * An auditor needs no privilege on the relation: what is computed is computed as its owner.  Grants are read like a
 * catalog, as committed now, so that one that was revoked is not used by an old snapshot.  They are known by OID: while
 * the ledger waits to be acknowledged after a restore, OIDs are those of another database, and there are no auditors.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "ledger/auditor.h"

/* Columns of dpsens.auditor. */
#define AUDITOR_RELATION 1
#define AUDITOR_ROLE 2
#define AUDITOR_ROWS 7

static Datum
column(HeapTuple tuple, Relation auditors, int number)
{
	bool		isnull;

	return heap_getattr(tuple, number, RelationGetDescr(auditors), &isnull);
}

/* Is it known where the ledger was charged?  Not after a restore. */
static bool
ledger_is_bound(void)
{
	Oid			table = get_relname_relid("ledger_origin", dps_schema_oid());
	Relation	origin;
	SysScanDesc scan;
	bool		found;

	if (!OidIsValid(table))
		return false;
	origin = table_open(table, AccessShareLock);
	scan = systable_beginscan(origin, InvalidOid, false, NULL, 0, NULL);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(origin, AccessShareLock);
	return found;
}

static bool
is_auditor(Relation auditors, Oid relation, DpsAuditScope scope)
{
	SysScanDesc scan = systable_beginscan(auditors, InvalidOid, false, NULL, 0, NULL);
	bool		found = false;
	HeapTuple	tuple;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = DatumGetObjectId(column(tuple, auditors, AUDITOR_RELATION)) == relation &&
			(scope == DPS_AUDIT_FIGURES || DatumGetBool(column(tuple, auditors, AUDITOR_ROWS))) &&
			has_privs_of_role(GetUserId(), DatumGetObjectId(column(tuple, auditors, AUDITOR_ROLE)));
	systable_endscan(scan);
	return found;
}

static bool
may_audit(Oid relation, DpsAuditScope scope)
{
	Oid			table = get_relname_relid("auditor", dps_schema_oid());
	Relation	auditors;
	bool		found;

	/* the tables may be missing while a script creates or upgrades them */
	if (!OidIsValid(table) || !ledger_is_bound())
		return false;
	auditors = table_open(table, AccessShareLock);
	found = is_auditor(auditors, relation, scope);
	table_close(auditors, AccessShareLock);
	return found;
}

static Oid
owner_of(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
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
	Oid			owner = owner_of(relation);
	DpsAudit	audit = {.settings = 0};

	GetUserIdAndSecContext(&audit.looker.user, &audit.looker.context);
	if (dps_owns_relation(relation, audit.looker.user))
		return audit;
	if (!may_audit(relation, scope))
		refuse(relation, scope);
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

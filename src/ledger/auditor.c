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
 * Grants are read like a catalog, as committed now, so that one that was revoked is not used by an old snapshot.
 * They are known by OID and not dumped: elsewhere an OID would mean another role.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
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
#define AUDITOR_ROWS 3

static Datum
column(HeapTuple tuple, Relation auditors, int number)
{
	bool		isnull;

	return heap_getattr(tuple, number, RelationGetDescr(auditors), &isnull);
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
	if (!OidIsValid(table))
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

bool
dps_owner_wrote(Oid function, Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			author;

	if (!HeapTupleIsValid(tuple))
		return false;
	author = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return author == owner_of(relation) || superuser_arg(author);
}

/* Has the catalog of relations, or types, an entry in this schema that is neither the owner's nor a superuser's? */
static bool
has_foreign(Oid catalog, AttrNumber schema_column, AttrNumber owner_column, Oid schema, Oid owner)
{
	Relation	relation = table_open(catalog, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	bool		found = false;
	HeapTuple	tuple;

	ScanKeyInit(&key, schema_column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(schema));
	scan = systable_beginscan(relation, InvalidOid, false, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			other = DatumGetObjectId(column(tuple, relation, owner_column));

		found = other != owner && !superuser_arg(other);
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/* Temporary relations and types are found before others, whatever the search path is. */
static void
refuse_temporaries(Oid owner)
{
	Oid			schema;
	Oid			toast;

	GetTempNamespaceState(&schema, &toast);
	if (OidIsValid(schema) &&
		(has_foreign(RelationRelationId, Anum_pg_class_relnamespace, Anum_pg_class_relowner, schema, owner) ||
		 has_foreign(TypeRelationId, Anum_pg_type_typnamespace, Anum_pg_type_typowner, schema, owner)))
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
	Oid			owner = owner_of(relation);
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

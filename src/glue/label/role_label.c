/*
 * role_label.c
 *		Labels of roles, which all databases see.
 *
 * A label is the only shared state with all of these properties.  The granting
 * transaction writes it; a map in memory would be lost in a crash, and would not be
 * rolled back.  It is removed when its role is dropped, follows renames, is replicated
 * to standbys and is in a dump of roles.  And it does not prevent the role from being
 * dropped, as an entry of pg_shdepend would.
 *
 * The label does not say in which database the role has a budget: names of databases
 * change, and a dump contains no OIDs.  So it is kept when a budget is revoked.  It does
 * not depend on whether the role may read the table, which can change and is not known
 * in other databases.  Thus counters may be hidden for too long or from too many roles;
 * an administrator can show them.
 *
 * The owner of a table sets the label of a role that he does not own.  Its effect is that the role does not see
 * counters.  (What else restricts who has a budget, hidden.c asks of the budgets of its database.)
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_shseclabel.h"
#include "commands/seclabel.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/citus.h"
#include "glue/label/annotation.h"
#include "glue/label/role_label.h"

void
dps_check_role_label(const char *text)
{
	if (text != NULL && strcmp(text, DPS_ROLE_LABEL) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("invalid dpsens label of a role"),
				 errhint("A role's label is %s.", DPS_ROLE_LABEL)));
	/* otherwise a role with CREATEROLE could remove the label, and so show the counters */
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to change the dpsens label of a role"),
				 errdetail("It is given to roles that are granted a privacy budget, and hides counters of the server from them.")));
}

void
dps_mark_role(Oid role)
{
	ObjectAddress address = {.classId = AuthIdRelationId, .objectId = role};

	/* also a role that was marked before there were other nodes */
	if (dps_citus_is_present() && !dps_citus_is_worker())
		dps_mark_role_on_nodes(role);
	if (GetSecurityLabel(&address, DPS_LABEL_PROVIDER) != NULL)
		return;
	/* as SECURITY LABEL does: another session may be writing the label's row, or dropping
	 * the role */
	LockSharedObject(AuthIdRelationId, role, 0, ShareUpdateExclusiveLock);
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	SetSecurityLabel(&address, DPS_LABEL_PROVIDER, DPS_ROLE_LABEL);
	/* makes the label visible: one statement may grant several budgets */
	CommandCounterIncrement();
}

static bool
is_our_mark(HeapTuple tuple, Relation labels)
{
	bool		isnull;
	Datum		provider;

	if (((Form_pg_shseclabel) GETSTRUCT(tuple))->classoid != AuthIdRelationId)
		return false;
	provider = heap_getattr(tuple, Anum_pg_shseclabel_provider, RelationGetDescr(labels), &isnull);
	return !isnull && strcmp(TextDatumGetCString(provider), DPS_LABEL_PROVIDER) == 0;
}

bool
dps_is_marked_role(Oid role)
{
	Relation	labels = table_open(SharedSecLabelRelationId, AccessShareLock);
	/* a sequential scan: the index begins with the object, which is not known here */
	SysScanDesc scan = systable_beginscan(labels, InvalidOid, false, NULL, 0, NULL);
	bool		found = false;
	HeapTuple	tuple;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = is_our_mark(tuple, labels) &&
			is_member_of_role_nosuper(role, ((Form_pg_shseclabel) GETSTRUCT(tuple))->objoid);
	systable_endscan(scan);
	table_close(labels, AccessShareLock);
	return found;
}

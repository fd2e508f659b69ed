/*
 * role_label.c
 *		Marks of roles that all databases see.
 *
 * Of what all databases share, a label is the one thing that is written by the
 * transaction which grants (a map in memory would be lost in a crash, and know
 * nothing of aborts), that goes when its role is dropped, follows renames, is
 * sent to standbys and is in a dump of roles, and that asks nothing of whoever
 * drops a role, as an entry of pg_shdepend would.
 *
 * It says "somewhere", not where: names of databases change, and a dump knows no
 * OIDs.  So it stays when a budget is revoked, and does not ask whether the role may
 * read the table, which may change and is unknown elsewhere.  What is hidden for too
 * long, or from too many, is what others do, and an administrator can show it.
 *
 * The owner of a table writes it for a role that is not his own: all that can be
 * had by it is that the role does not see counters.
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
	/* who may create roles could show counters to whom they are hidden from */
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

	if (GetSecurityLabel(&address, DPS_LABEL_PROVIDER) != NULL)
		return;
	/* as SECURITY LABEL does: the label is one row, that others may be writing, and
	 * the role could be dropped */
	LockSharedObject(AuthIdRelationId, role, 0, ShareUpdateExclusiveLock);
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	SetSecurityLabel(&address, DPS_LABEL_PROVIDER, DPS_ROLE_LABEL);
	/* one statement may grant several budgets */
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
	/* its index begins with the object, which is not known here */
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

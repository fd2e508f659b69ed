/*
 * function_wall.c
 *		While it is up, the process looks up no function but the server's and the extension's.
 *
 * The server asks needs_fmgr_hook of each function that it looks up, unless it is one of its own in C.
 *
 * Admitted, too, is what a type of an extension is compared, hashed and sorted by, such as citext: members of operator families
 * are chosen by superusers alone, and so is what is written in C.  Either alone is not enough: a domain or an operator of a user
 * can call any function in C, of which some send what they are given elsewhere; and by hand a superuser can make anything
 * a member.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "storage/proc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/citus.h"
#include "glue/glue.h"
#include "guard/room/function_wall.h"
#include "room/pool.h"

static needs_fmgr_hook_type previous_needs_hook;

static bool is_up = false;

bool
dps_set_function_wall(bool up)
{
	bool		before = is_up;

	is_up = up;
	return before;
}

static void
refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a function that is not the server's is not supported below dp aggregates for a role without SELECT privilege"),
			 errdetail("The plan of the statement calls it, for an operator, a type or an index."),
			 errhint("Ask without it, or as a role that has SELECT privilege.")));
}

static bool
is_in_c(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		is = HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId &&
		!((Form_pg_proc) GETSTRUCT(tuple))->prosecdef;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return is;
}

/* The function of the row of pg_amproc, or that of the operator of pg_amop. */
static Oid
function_of_member(Oid catalog, HeapTuple member)
{
	if (catalog == AccessMethodProcedureRelationId)
		return ((Form_pg_amproc) GETSTRUCT(member))->amproc;
	return get_opcode(((Form_pg_amop) GETSTRUCT(member))->amopopr);
}

static bool
is_member(Oid catalog, Oid function)
{
	Relation	members = table_open(catalog, AccessShareLock);
	SysScanDesc scan = systable_beginscan(members, InvalidOid, false, NULL, 0, NULL);
	bool		found = false;
	HeapTuple	tuple;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = function_of_member(catalog, tuple) == function;
	systable_endscan(scan);
	table_close(members, AccessShareLock);
	return found;
}

static bool
is_of_operator_family(Oid function)
{
	return is_in_c(function) &&
		(is_member(AccessMethodProcedureRelationId, function) || is_member(AccessMethodOperatorRelationId, function));
}

/* Access methods, and Citus, are code of superusers, who could have it run anyway; they see what they store. */
static bool
is_admitted(Oid function)
{
	Oid			result;

	if (function < FirstNormalObjectId || dps_is_own_schema(get_func_namespace(function)))
		return true;
	result = get_func_rettype(function);
	return result == INDEX_AM_HANDLEROID || result == TABLE_AM_HANDLEROID || dps_citus_owns(ProcedureRelationId, function) ||
		is_of_operator_family(function);
}

/*
 * Is this a process that helps a clean room with a plan?  A room has none but between the raising of its wall and taking it
 * down, and what a plan looks up late, to sort by, or when nobody but helpers has rows, only they look up.
 */
static bool
helps_room(void)
{
	static int	helps = -1;		/* a helper has one leader as long as it lives */

	if (!IsParallelWorker() || MyProc->lockGroupLeader == NULL)
		return false;
	if (helps < 0)
		helps = dps_pool_has(MyProc->lockGroupLeader->pid);
	return helps == 1;
}

static bool
look_at_function(Oid function)
{
	if ((is_up || helps_room()) && !is_admitted(function))
		refuse();
	return previous_needs_hook != NULL && previous_needs_hook(function);
}

void
dps_function_wall_init(void)
{
	previous_needs_hook = needs_fmgr_hook;
	needs_fmgr_hook = look_at_function;
}

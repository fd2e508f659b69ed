/*
 * compat.h
 *		What differs between the supported servers, 14 to 18.
 *
 * Every test of PG_VERSION_NUM stands here.
 */
#ifndef DPS_GLUE_COMPAT_H
#define DPS_GLUE_COMPAT_H

#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parse_relation.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/tuplestore.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 140000
#error "dpsens needs PostgreSQL 14 or later"
#endif

#if PG_VERSION_NUM < 150000

#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)

/* As in 15's funcapi.c, for the flags 0. */
static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old_context;
	TupleDesc	stored_tupdesc;

	Assert(flags == 0);
	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	if (!(rsinfo->allowedModes & SFRM_Materialize))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("materialize mode required, but it is not allowed in this context")));
	old_context = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &stored_tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rsinfo->returnMode = SFRM_Materialize;
	rsinfo->setResult = tuplestore_begin_heap((rsinfo->allowedModes & SFRM_Materialize_Random) != 0,
											  false, work_mem);
	rsinfo->setDesc = stored_tupdesc;
	MemoryContextSwitchTo(old_context);
}

#endif							/* before 15 */

#if PG_VERSION_NUM < 160000

static inline bool
dps_owns_relation(Oid relation, Oid role)
{
	return pg_class_ownercheck(relation, role);
}

static inline bool
dps_owns_database(Oid database, Oid role)
{
	return pg_database_ownercheck(database, role);
}

static inline AclResult
dps_check_execute(Oid function, Oid role)
{
	return pg_proc_aclcheck(function, role, ACL_EXECUTE);
}

#else

static inline bool
dps_owns_relation(Oid relation, Oid role)
{
	return object_ownercheck(RelationRelationId, relation, role);
}

static inline bool
dps_owns_database(Oid database, Oid role)
{
	return object_ownercheck(DatabaseRelationId, database, role);
}

static inline AclResult
dps_check_execute(Oid function, Oid role)
{
	return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE);
}

#endif							/* 16 */

/*
 * Query trees.  From 16 on a Var knows the outer joins that may null it, and
 * permissions stand beside the range table.
 */
#if PG_VERSION_NUM < 160000
#define dps_var_nulled_by(var, join) ((void) 0)
#define dps_clear_permission_list(query) ((void) 0)
#else
#define dps_var_nulled_by(var, join) \
	((var)->varnullingrels = bms_make_singleton(join))
#define dps_clear_permission_list(query) ((query)->rteperminfos = NIL)
#endif

/*
 * May the entry be read as what it asks for, by the role that it names or else
 * the current one?  And: name another.
 */
#if PG_VERSION_NUM < 160000

static inline bool
dps_may_read_entry(Query *query, RangeTblEntry *entry)
{
	return ExecCheckRTPerms(list_make1(entry), false);
}

static inline void
dps_read_entry_as(Query *query, RangeTblEntry *entry, Oid role)
{
	entry->checkAsUser = role;
}

#else

static inline bool
dps_may_read_entry(Query *query, RangeTblEntry *entry)
{
	RTEPermissionInfo *permissions = getRTEPermissionInfo(query->rteperminfos, entry);
	RangeTblEntry *alone = copyObject(entry);

	alone->perminfoindex = 1;
	return ExecCheckPermissions(list_make1(alone), list_make1(permissions), false);
}

static inline void
dps_read_entry_as(Query *query, RangeTblEntry *entry, Oid role)
{
	getRTEPermissionInfo(query->rteperminfos, entry)->checkAsUser = role;
}

#endif

/* Sorting. */
#if PG_VERSION_NUM < 160000
#define dps_tuplesort_getdatum(state, value, isnull) \
	tuplesort_getdatum(state, true, value, isnull, NULL)
#else
#define dps_tuplesort_getdatum(state, value, isnull) \
	tuplesort_getdatum(state, true, false, value, isnull, NULL)
#endif

#if PG_VERSION_NUM < 150000
#define pgstat_init_relation(relation) pgstat_initstats(relation)
#endif

/* Has the relation columns that are computed when they are read?  New in 18. */
#if PG_VERSION_NUM < 180000
#define dps_computes_columns(relation) ((void) (relation), false)
#else
#define dps_computes_columns(relation) \
	(RelationGetDescr(relation)->constr != NULL && RelationGetDescr(relation)->constr->has_generated_virtual)
#endif

/* trace_sort; a build may be without it before 17. */
#if PG_VERSION_NUM >= 170000 || defined(TRACE_SORT)
#define dps_traces_sorts() (trace_sort)
#else
#define dps_traces_sorts() (false)
#endif

/* ExecutorRun lost an argument in 18. */
#if PG_VERSION_NUM < 180000
#define DPS_EXECUTOR_RUN_PARAMETERS \
	QueryDesc *queryDesc, ScanDirection direction, uint64 count, bool execute_once
#define DPS_EXECUTOR_RUN_ARGUMENTS queryDesc, direction, count, execute_once
#else
#define DPS_EXECUTOR_RUN_PARAMETERS \
	QueryDesc *queryDesc, ScanDirection direction, uint64 count
#define DPS_EXECUTOR_RUN_ARGUMENTS queryDesc, direction, count
#endif

/* Shared memory is asked for in a hook from 15 on. */
#if PG_VERSION_NUM < 150000

typedef void (*shmem_request_hook_type) (void);

static inline void
dps_hook_shmem_request(shmem_request_hook_type hook, shmem_request_hook_type *previous)
{
	*previous = NULL;
	hook();
}

#else

static inline void
dps_hook_shmem_request(shmem_request_hook_type hook, shmem_request_hook_type *previous)
{
	*previous = shmem_request_hook;
	shmem_request_hook = hook;
}

#endif

/* The timeline that this server writes; outside recovery. */
#if PG_VERSION_NUM < 150000
#define dps_insertion_timeline() (ThisTimeLineID)
#else
#define dps_insertion_timeline() GetWALInsertionTimeLine()
#endif

/*
 * The wait event of a name of one's own.  Before 17 extensions have none, but a
 * wait for a lock is shown under the name of the lock's tranche.
 */
#if PG_VERSION_NUM < 170000
#define dps_wait_event(name, tranche) (PG_WAIT_LWLOCK | (tranche))
#else

static inline uint32
dps_wait_event(const char *name, uint16 tranche)
{
	static uint32 event = 0;

	if (event == 0)
		event = WaitEventExtensionNew(name);
	return event;
}

#endif

#if PG_VERSION_NUM < 150000
#define dps_analyse_statement(raw, text) parse_analyze(raw, text, NULL, 0, NULL)
#else
#define dps_analyse_statement(raw, text) parse_analyze_fixedparams(raw, text, NULL, 0, NULL)
#endif

#endif							/* DPS_GLUE_COMPAT_H */

/*
 * compat.h
 *		What differs between the supported servers, 15 to 18.
 *
 * Every test of PG_VERSION_NUM stands here.
 */
#ifndef DPS_GLUE_COMPAT_H
#define DPS_GLUE_COMPAT_H

#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_database.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parse_relation.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/timeout.h"
#include "utils/tuplestore.h"
#include "utils/wait_event.h"

/* What is in a varlena moved out of postgres.h in 16, EXPLAIN's properties out of
 * explain.h in 18. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#include "commands/explain.h"
#endif

/* A later one may have parts of queries that nothing here looks into. */
#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "dpsens is written for PostgreSQL 15 to 18"
#endif

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

static inline AclResult
dps_check_select(Oid relation, Oid role)
{
	return pg_class_aclcheck(relation, role, ACL_SELECT);
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

static inline AclResult
dps_check_select(Oid relation, Oid role)
{
	return pg_class_aclcheck(relation, role, ACL_SELECT);
}

#endif							/* 16 */

/*
 * Query trees.  From 16 on a Var knows the outer joins that may null it, and
 * permissions stand beside the range table.
 */
#if PG_VERSION_NUM < 160000
#define DPS_VARS_NAME_JOINS false
#define dps_set_nulled_by(var, joins) ((void) (var), (void) (joins))
#define dps_clear_permission_list(query) ((void) 0)
#else
#define DPS_VARS_NAME_JOINS true
#define dps_set_nulled_by(var, joins) ((var)->varnullingrels = bms_copy(joins))
#define dps_clear_permission_list(query) ((query)->rteperminfos = NIL)
#endif

/* What a check of a setting hands on is the server's to free. */
#if PG_VERSION_NUM < 160000
#define dps_setting_malloc(size) malloc(size)
#else
#define dps_setting_malloc(size) guc_malloc(LOG, size)
#endif

/*
 * The entry of the grouping step, which is the last one where there is one: what its
 * columns stand for, and the query without it.  New in 18.
 */
#if PG_VERSION_NUM < 180000
#define dps_group_expressions(query) ((void) (query), NIL)
#define dps_drop_group_entry(query) ((void) (query))
#else

static inline List *
dps_group_expressions(const Query *query)
{
	const RangeTblEntry *last;

	if (!query->hasGroupRTE)
		return NIL;
	last = llast_node(RangeTblEntry, query->rtable);
	if (last->rtekind != RTE_GROUP)
		elog(ERROR, "dpsens: the grouping step is not the last entry");
	return last->groupexprs;
}

static inline void
dps_drop_group_entry(Query *query)
{
	query->rtable = list_delete_last(query->rtable);
	query->hasGroupRTE = false;
}

#endif

/* A clause with an operator that sorts downward says so from 18 on. */
#if PG_VERSION_NUM < 180000
#define dps_sort_backward(clause) ((void) (clause))
#else
#define dps_sort_backward(clause) ((clause)->reverse_sort = true)
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

static inline Oid
dps_entry_reader(Query *query, RangeTblEntry *entry)
{
	return entry->checkAsUser;
}

/* The columns that must be readable. */
static inline Bitmapset **
dps_entry_columns(Query *query, RangeTblEntry *entry)
{
	return &entry->selectedCols;
}

/* Is it said of the entry which these are? */
static inline bool
dps_entry_has_columns(const Query *query, const RangeTblEntry *entry)
{
	return true;
}

/* Calls check(reader, columns) for an entry that ExecutorCheckPerms_hook sees. */
#define DPS_CHECK_PERMISSIONS_PARAMETERS List *rangeTable, bool ereport_on_violation
#define DPS_CHECK_PERMISSIONS_ARGUMENTS rangeTable, ereport_on_violation
#define dps_for_entry_permissions(entry, check) (check)((entry)->checkAsUser, (entry)->selectedCols)

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

static inline Oid
dps_entry_reader(Query *query, RangeTblEntry *entry)
{
	return entry->perminfoindex == 0 ? InvalidOid : getRTEPermissionInfo(query->rteperminfos, entry)->checkAsUser;
}

/* The columns that must be readable. */
static inline Bitmapset **
dps_entry_columns(Query *query, RangeTblEntry *entry)
{
	static Bitmapset *none;

	none = NULL;
	return entry->perminfoindex == 0 ? &none : &getRTEPermissionInfo(query->rteperminfos, entry)->selectedCols;
}

/* Is it said of the entry which these are? */
static inline bool
dps_entry_has_columns(const Query *query, const RangeTblEntry *entry)
{
	return entry->perminfoindex > 0 && entry->perminfoindex <= (Index) list_length(query->rteperminfos);
}

/* Calls check(reader, columns) for an entry that ExecutorCheckPerms_hook sees. */
#define DPS_CHECK_PERMISSIONS_PARAMETERS List *rangeTable, List *permissions, bool ereport_on_violation
#define DPS_CHECK_PERMISSIONS_ARGUMENTS rangeTable, permissions, ereport_on_violation
#define dps_for_entry_permissions(entry, check) \
	((entry)->perminfoindex == 0 ? (void) 0 : \
	 (check)(getRTEPermissionInfo(permissions, entry)->checkAsUser, getRTEPermissionInfo(permissions, entry)->selectedCols))

#endif

/*
 * An entry of one query for another, with what must be checked for it; an entry
 * that must be checked though nothing reads it; a new one that needs to be read.
 */
#if PG_VERSION_NUM < 160000

static inline RangeTblEntry *
dps_copy_entry(Query *to, Query *from, RangeTblEntry *entry)
{
	return copyObject(entry);
}

#define dps_entry_is_checked(entry) ((entry)->rtekind == RTE_RELATION)

static inline void
dps_ask_to_read(Query *query, RangeTblEntry *entry)
{
	entry->requiredPerms = ACL_SELECT;
}

#else

static inline RangeTblEntry *
dps_copy_entry(Query *to, Query *from, RangeTblEntry *entry)
{
	RangeTblEntry *copy = copyObject(entry);

	if (copy->perminfoindex == 0)
		return copy;
	to->rteperminfos = lappend(to->rteperminfos, copyObject(getRTEPermissionInfo(from->rteperminfos, entry)));
	copy->perminfoindex = list_length(to->rteperminfos);
	return copy;
}

#define dps_entry_is_checked(entry) ((entry)->perminfoindex != 0)

static inline void
dps_ask_to_read(Query *query, RangeTblEntry *entry)
{
	addRTEPermissionInfo(&query->rteperminfos, entry)->requiredPerms = ACL_SELECT;
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

/* What an ordering operator is in its family. */
#if PG_VERSION_NUM < 180000
typedef int16 DpsOrdering;
#else
typedef CompareType DpsOrdering;
#endif

/* What the server remembers of a collation since it was first used. */
#if PG_VERSION_NUM < 180000
#define dps_open_collation(collation) \
	((void) lc_collate_is_c(collation), (void) lc_ctype_is_c(collation), (void) pg_newlocale_from_collation(collation))
#else
#define dps_open_collation(collation) ((void) pg_newlocale_from_collation(collation))
#endif

/* Has the relation columns that are computed when they are read?  New in 18. */
#if PG_VERSION_NUM < 180000
#define dps_computes_columns(relation) ((void) (relation), false)
#else
#define dps_computes_columns(relation) \
	(RelationGetDescr(relation)->constr != NULL && RelationGetDescr(relation)->constr->has_generated_virtual)
#endif

/* Does the foreign key compare a period, by something else than equality?  New in 18. */
#if PG_VERSION_NUM < 180000
#define dps_is_period_key(constraint) ((void) (constraint), false)
#else
#define dps_is_period_key(constraint) ((constraint)->conperiod)
#endif

/* Was a NOT NULL looked at for all rows?  Before 18 it always is. */
#if PG_VERSION_NUM < 180000
#define dps_not_null_is_validated(relation, column) ((void) (relation), (void) (column), true)
#define dps_not_null_constraint(relation, column) ((HeapTuple) NULL)
#else

/* NULL if there is none, as for the columns of catalogs. */
static inline HeapTuple
dps_not_null_constraint(Oid relation, AttrNumber column)
{
	return column > 0 ? findNotNullConstraintAttnum(relation, column) : NULL;
}

static inline bool
dps_not_null_is_validated(Oid relation, AttrNumber column)
{
	HeapTuple	tuple = dps_not_null_constraint(relation, column);

	return !HeapTupleIsValid(tuple) || ((Form_pg_constraint) GETSTRUCT(tuple))->convalidated;
}

#endif

/* The names and references of an entry's columns that were not dropped. */
#if PG_VERSION_NUM < 180000
#define dps_expand_entry(entry, number, names, columns) expandRTE(entry, number, 0, -1, false, names, columns)
#else
#define dps_expand_entry(entry, number, names, columns) \
	expandRTE(entry, number, 0, VAR_RETURNING_DEFAULT, -1, false, names, columns)
#endif

/* Is it the column of pg_class that counts frozen pages?  New in 18. */
#if PG_VERSION_NUM < 180000
#define dps_counts_frozen_pages(column) ((void) (column), false)
#else
#define dps_counts_frozen_pages(column) ((column) == Anum_pg_class_relallfrozen)
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
#define dps_run_to_end(run, query) run(query, ForwardScanDirection, 0, true)
#else
#define DPS_EXECUTOR_RUN_PARAMETERS \
	QueryDesc *queryDesc, ScanDirection direction, uint64 count
#define DPS_EXECUTOR_RUN_ARGUMENTS queryDesc, direction, count
#define dps_run_to_end(run, query) run(query, ForwardScanDirection, 0)
#endif

/* The place of this process among all, and locks that it holds in just this mode. */
#if PG_VERSION_NUM < 170000
#define dps_my_process() (MyProc->pgprocno)
#define dps_holds_lock(tag, mode) LockHeldByMe(tag, mode)
#else
#define dps_my_process() (MyProcNumber)
#define dps_holds_lock(tag, mode) LockHeldByMe(tag, mode, false)
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

/* Timeouts that end a running statement, and their settings; and settings by which a process has none. */
#if PG_VERSION_NUM < 170000
static const TimeoutId dps_statement_timeouts[] = {STATEMENT_TIMEOUT};
#define dps_timeout_setting(timeout) (StatementTimeout)
#define DPS_NO_TIMEOUTS {"statement_timeout", "0"}, {"idle_in_transaction_session_timeout", "0"}
#else
static const TimeoutId dps_statement_timeouts[] = {STATEMENT_TIMEOUT, TRANSACTION_TIMEOUT};
#define DPS_NO_TIMEOUTS \
	{"statement_timeout", "0"}, {"idle_in_transaction_session_timeout", "0"}, {"transaction_timeout", "0"}
#define dps_timeout_setting(timeout) ((timeout) == STATEMENT_TIMEOUT ? StatementTimeout : TransactionTimeout)
#endif

/* All settings, and in *n how many. */
#if PG_VERSION_NUM < 160000
#define dps_server_settings(n) (*(n) = GetNumConfigOptions(), get_guc_variables())
#else
#define dps_server_settings(n) get_guc_variables(n)
#endif

#if PG_VERSION_NUM >= 180000

#define dps_row_comparison(expression) ((expression)->cmptype)
#define ROWCOMPARE_LT COMPARE_LT
#define ROWCOMPARE_LE COMPARE_LE

#else

#define dps_row_comparison(expression) ((expression)->rctype)

#endif

/* The orderings that an operator belongs to. */
#if PG_VERSION_NUM < 180000
#define dps_orderings_of(operator) get_op_btree_interpretation(operator)
#else
#define dps_orderings_of(operator) get_op_index_interpretation(operator)
#endif

/* A name in parts. */
#if PG_VERSION_NUM < 160000
#define dps_name_list(text) stringToQualifiedNameList(text)
#else
#define dps_name_list(text) stringToQualifiedNameList(text, NULL)
#endif

/* The relation of an entry that a plan scans and that is locked. */
#if PG_VERSION_NUM < 180000
#define dps_range_table_relation(estate, number) ExecGetRangeTableRelation(estate, number)
#define dps_process_main_loop_interrupts() HandleMainLoopInterrupts()
#else
#define dps_range_table_relation(estate, number) ExecGetRangeTableRelation(estate, number, false)
#define dps_process_main_loop_interrupts() ProcessMainLoopInterrupts()
#endif

/* Before the declaration of what does not return. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

#endif							/* DPS_GLUE_COMPAT_H */

/*
 * room_answers.c
 *		Answers of clean rooms, in the asking session.
 *
 * A statement gets all of its answers from one visit to a room, before its own part runs.  It holds no
 * room while its own part runs, which may ask a room again.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "glue/compat.h"
#include "glue/receipt.h"
#include "glue/version.h"
#include "guard/condition/enum_cells.h"
#include "guard/distributed/lent_rights.h"
#include "guard/distributed/room_states.h"
#include "guard/public/public_relation.h"
#include "guard/query/expression_types.h"
#include "guard/query/range_table.h"
#include "guard/query/session_values.h"
#include "guard/restrict/asker.h"
#include "guard/restrict/blind.h"
#include "guard/restrict/quiet_run.h"
#include "guard/restrict/run_settings.h"
#include "guard/rewrite/room_query.h"
#include "guard/room/room_request.h"
#include "guard/run/families.h"
#include "guard/run/room_answers.h"
#include "guard/run/statement_charge.h"
#include "guard/restrict/analyst.h"
#include "room/message.h"
#include "room/sent_rows.h"

DPS_SQL_FUNCTION(dps_release_room);

struct DpsRoomVisit
{
	DpsVisit   *visit;
	DpsBroughtRows brought;
};

/* The answers to one query. */
typedef struct DpsRoomAnswers
{
	const void *place;			/* address of the query in the plan */
	Tuplestorestate *rows;		/* NULL after they were returned */
	struct DpsRoomAnswers *next;
} DpsRoomAnswers;

/* ---- asking ---- */

/* Does this transaction hold a lock of at least this mode?  Then another process would wait for it, or not
 * see the change. */
static bool
is_changed_here(const LOCKTAG *tag, LOCKMODE weakest)
{
	LOCKMODE	mode;

	for (mode = weakest; mode <= AccessExclusiveLock; mode++)
	{
		if (dps_holds_lock(tag, mode))
			return true;
	}
	return false;
}

static void
refuse_changed(const char *what, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s %s was changed or locked in the same transaction", what, name),
			 errdetail("Private answers are computed by another process, which would wait for it or not see it."),
			 errhint("End the transaction first.")));
}

static void
check_relation(const RangeTblEntry *entry)
{
	Oid			relation = entry->relid;
	LOCKTAG		tag;
	char	   *name = get_rel_name(relation);

	/* it can be dropped under an open cursor of the same transaction */
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("a relation of the statement was dropped"),
				 errhint("Run the statement again.")));
	/* public relations are read by this session */
	if (dps_is_public_relation(relation))
		return;
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, relation);
	if (is_changed_here(&tag, ShareUpdateExclusiveLock))
		refuse_changed("relation", quote_identifier(name));
}

/* Nodes do not see what this transaction has changed in a public relation, either. */
static void
check_sent_relation(const RangeTblEntry *entry)
{
	LOCKTAG		tag;

	check_relation(entry);
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, entry->relid);
	if (dps_is_public_relation(entry->relid) && is_changed_here(&tag, RowExclusiveLock))
		refuse_changed("relation", quote_identifier(get_rel_name(entry->relid)));
}

/* Was the catalog's row made by this transaction?  Then another process does not see it. */
static bool
is_made_here(int cache, Oid object)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
	bool		is = HeapTupleIsValid(tuple) && TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmin(tuple->t_data));

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return is;
}

static void
check_collations(const DpsRoomQuery *room)
{
	ListCell   *cell;

	foreach(cell, dps_expression_types(room->query).collations)
	{
		if (is_made_here(COLLOID, lfirst_oid(cell)))
			refuse_changed("collation", quote_identifier(get_collation_name(lfirst_oid(cell))));
	}
}

/* Locks types in this session, so that a wait for a lock occupies no room. */
static void
check_types(const DpsRoomQuery *room)
{
	LOCKTAG		tag;
	ListCell   *cell;

	dps_check_types(room->types);
	foreach(cell, room->types)
	{
		SET_LOCKTAG_OBJECT(tag, MyDatabaseId, TypeRelationId, lfirst_oid(cell), 0);
		if (is_changed_here(&tag, ShareLock) || is_made_here(TYPEOID, lfirst_oid(cell)))
			refuse_changed("type", format_type_be(lfirst_oid(cell)));
	}
	dps_lock_types(room->types);
	dps_check_enum_tables(room->enum_tables);
}

/*
 * Checks the privileges that the executor would check: may the asking role read what the query names?
 * Protected relations are then admitted to be read as their owner, also those that the asking role may
 * read.
 */
static void
admit_entries(Query *query)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		/* includes expanded views, whose entries remain for this check */
		if (dps_entry_is_checked(entry) && !dps_may_read_entry(query, entry))
			aclcheck_error(ACLCHECK_NO_PRIV, entry->relkind == RELKIND_VIEW ? OBJECT_VIEW : OBJECT_TABLE, get_rel_name(entry->relid));
		/* no row is read through this entry, and another process may not know the relation */
		if (entry->rtekind == RTE_RELATION && !dps_is_stored(entry))
		{
			entry->rtekind = RTE_RESULT;
			entry->relid = InvalidOid;
		}
		if (dps_is_stored(entry) && !dps_is_public_relation(entry->relid))
			dps_admit_entry(query, entry);
	}
}

static bool
admit_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, admit_walker, context);
	admit_entries((Query *) node);
	return query_tree_walker((Query *) node, admit_walker, context, 0);
}

/* Adds the families of the relations that the room reads.  Brought relations and expanded views are left
 * out: they may have been created in this transaction. */
static void
note_families(const List *families, DpsRoomRequest *request)
{
	ListCell   *cell;

	foreach(cell, families)
	{
		Oid			relation = linitial_oid(lfirst(cell));

		if (get_rel_relkind(relation) != RELKIND_VIEW && !dps_is_public_relation(relation))
			request->families = list_append_unique(request->families, lfirst(cell));
	}
}

/* The same for (a) of a distributed table, which the query has in a constant. */
static Query *
prepare_distributed(Query *states, void *params)
{
	Query	   *sent = dps_with_constants(states, params);

	dps_visit_stored(sent, check_sent_relation);
	(void) admit_walker((Node *) sent, NULL);
	dps_check_sent_alike(sent);
	return sent;
}

/* Checks the query and makes the copy that is sent. */
static Query *
prepare_query(const DpsRoomQuery *room, const QueryDesc *query, const List *proofs, DpsRoomRequest *request)
{
	Query	   *sent;

	dps_visit_stored(room->query, check_relation);
	check_types(room);
	check_collations(room);
	sent = dps_with_constants(room->query, query->params);
	(void) admit_walker((Node *) sent, NULL);
	dps_change_distributed(sent, prepare_distributed, query->params);
	dps_bring_rows(sent, query->params, query->snapshot, proofs, &request->brought);
	dps_check_families(room->families);
	note_families(room->families, request);
	return sent;
}

/* Switches to the role, with a safe search_path for code in definitions of its relations. */
static void
restrict_to(Oid role, int context)
{
	SetUserIdAndSecContext(role, context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Runs as the role that started the statement, which may differ from the role that fetches from its
 * cursor. */
static void
prepare_queries(const QueryDesc *query, const DpsFoundReleases *found, DpsRoomRequest *request)
{
	Oid			role;
	int			context;
	int			settings = NewGUCNestLevel();
	ListCell   *cell;

	GetUserIdAndSecContext(&role, &context);
	if (role != request->role)
		restrict_to(request->role, context);
	PG_TRY();
	{
		foreach(cell, found->rooms)
			request->queries = lappend(request->queries, prepare_query(lfirst(cell), query, dps_proofs(found->releases), request));
	}
	PG_FINALLY();
	{
		SetUserIdAndSecContext(role, context);
		AtEOXact_GUC(false, settings);
	}
	PG_END_TRY();
}

static void
note_noise(const DpsFoundReleases *found, const DpsPermit *permits, DpsRoomRequest *request)
{
	ListCell   *cell;

	request->noise = palloc0(list_length(found->releases) * sizeof(DpsRoomNoise));
	foreach(cell, found->releases)
	{
		DpsRoomNoise *noise = &request->noise[request->nnoise++];

		noise->number = ((const DpsRelease *) lfirst(cell))->number;
		noise->plan = permits[foreach_current_index(cell)].noise;
	}
}

DpsRoomVisit *
dps_ask_room(QueryDesc *query, const DpsFoundReleases *found, List *items, const DpsPermit *permits, const DpsCatalogs *catalogs)
{
	DpsRoomRequest request = {.role = dps_asker_role(query->estate)};
	StringInfoData message;
	MemoryContext previous;
	DpsRoomVisit *visit;

	/* Code in the definition of a relation may run an aggregate.  If rooms could ask rooms, all rooms
	 * could wait for each other. */
	if (dps_is_room())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a clean room cannot ask another one"),
				 errhint("Do not ask for private answers in functions of indexes, constraints or statistics.")));
	previous = MemoryContextSwitchTo(query->estate->es_query_cxt);
	visit = palloc(sizeof(DpsRoomVisit));
	prepare_queries(query, found, &request);
	note_noise(found, permits, &request);
	request.charge = dps_draft_charge(query, items, catalogs);
	initStringInfo(&message);
	dps_write_room_request(&message, &request);
	visit->visit = dps_visit_open(request.role, &message, request.brought.stores != NIL, query->snapshot);
	visit->brought = request.brought;
	pfree(message.data);
	pfree(request.charge.data);
	MemoryContextSwitchTo(previous);
	return visit;
}

/* The rows are sent after the room has prepared everything else, when it waits for no lock. */
DpsDecision
dps_room_decision(DpsRoomVisit *asked)
{
	DpsDecision decision;
	StringInfoData message;

	if (asked->brought.stores != NIL)
	{
		dps_send_rows(asked->visit, &asked->brought);
		/* if the room has gone, the receive below fails */
		(void) dps_visit_send(asked->visit, DPS_ROOM_GO, NULL);
	}
	dps_visit_await_charge(asked->visit, &message);
	dps_get(&message, &decision);
	return decision;
}

/* ---- taking ---- */

static DpsRoomAnswers **
begin_answers(const DpsFoundReleases *found, DpsReceipt *receipt)
{
	DpsRoomAnswers **all = palloc(sizeof(DpsRoomAnswers *) * list_length(found->rooms));
	ListCell   *cell;

	foreach(cell, found->rooms)
	{
		DpsRoomAnswers *answers = palloc(sizeof(DpsRoomAnswers));

		*answers = (DpsRoomAnswers) {
			((const DpsRoomQuery *) lfirst(cell))->place, tuplestore_begin_heap(true, false, work_mem), receipt->rooms
		};
		receipt->rooms = answers;
		all[foreach_current_index(cell)] = answers;
	}
	return all;
}

static void
raise_failure(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("the private answers of the statement could not be computed"),
			 errdetail("They were charged."),
			 errhint("The administrator finds the reason in the server's log.")));
}

static void
keep_rows(DpsVisit *visit, DpsRoomAnswers *const *all, int n)
{
	StringInfoData message;
	DpsRoomMessage kind;
	int			number;

	while ((kind = dps_visit_receive(visit, &message)) == DPS_ROOM_ROW)
	{
		dps_get(&message, &number);
		if (number < 0 || number >= n)
			elog(ERROR, "a clean room answered what was not asked");
		dps_keep_row(&message, all[number]->rows);
	}
	if (kind != DPS_ROOM_END)
		raise_failure();
}

void
dps_take_answers(DpsRoomVisit *asked, const DpsFoundReleases *found, DpsReceipt *receipt, const DpsDecision *decision)
{
	MemoryContext previous = MemoryContextSwitchTo(((EState *) receipt->estate)->es_query_cxt);
	DpsPausedTimeouts timeouts = {{0}};
	int			taken = dps_take_steering_settings();

	dps_pause_timeouts(&timeouts);
	PG_TRY();
	{
		dps_ledger_settle(decision);
		keep_rows(asked->visit, begin_answers(found, receipt), list_length(found->rooms));
	}
	PG_FINALLY();
	{
		dps_resume_timeouts(&timeouts);
	}
	PG_END_TRY();
	dps_give_back_settings(taken);
	MemoryContextSwitchTo(previous);
}

void
dps_leave_room(DpsRoomVisit *asked)
{
	dps_visit_close(asked->visit);
}

/* ---- in the plan ---- */

/* release_room(query): the answers to the query; a second call is refused */
Datum
dps_release_room(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsReceipt *receipt = IsParallelWorker() ? NULL : dps_receipt_current();
	DpsRoomAnswers *answers = receipt != NULL ? receipt->rooms : NULL;

	while (answers != NULL && answers->place != PG_GETARG_POINTER(0))
		answers = answers->next;
	if (answers == NULL || result == NULL || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
		dps_refuse_direct_call("release_room");
	if (answers->rows == NULL)
		dps_refuse_draw();
	result->returnMode = SFRM_Materialize;
	result->setResult = answers->rows;
	answers->rows = NULL;
	return (Datum) 0;
}

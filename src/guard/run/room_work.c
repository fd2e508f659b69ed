/*
 * room_work.c
 *		What a clean room does with a request: it prepares the queries, charges them,
 *		runs them, and sends their rows.
 *
 * Precondition: the rewriter made the queries for the role that the request names.  They have no
 * parameters and read protected relations only (room_query.c).
 * Postcondition: the rows that are sent were drawn by releases that dps_authorise grants the role now,
 * each as often as its permit says, from rows that the snapshot shows, or nodes of Citus, of a table that it
 * has distributed (guard/distributed/lent_rights.h).  From the start of the plan on, only functions of the server and
 * of the extension were run: those that the query calls are looked at (admit_walker), and those that are found otherwise
 * meet function_wall.h.
 *
 * Plans are made here, under locks that are held until the answers are sent.  So what was checked after
 * taking the locks still holds when the plans run.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/transam.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/linked_operators.h"
#include "glue/version.h"
#include "guard/distributed/room_states.h"
#include "guard/public/public_relation.h"
#include "guard/query/expression_types.h"
#include "guard/query/range_table.h"
#include "guard/release/individual.h"
#include "guard/restrict/blind.h"
#include "guard/restrict/blind_plan.h"
#include "guard/restrict/quiet_run.h"
#include "guard/restrict/run_settings.h"
#include "guard/restrict/session_caches.h"
#include "guard/rewrite/authorise.h"
#include "guard/room/room_locks.h"
#include "guard/room/room_request.h"
#include "guard/room/room_rows.h"
#include "guard/run/families.h"
#include "guard/run/found_releases.h"
#include "guard/run/function_wall.h"
#include "guard/run/held_keys.h"
#include "guard/run/private_plan.h"
#include "guard/run/room_work.h"
#include "ledger/ledger.h"
#include "room/message.h"
#include "room/sent_rows.h"

/* One query. */
typedef struct Execution
{
	QueryDesc  *query;
	Tuplestorestate *rows;
	DpsFoundReleases found;
} Execution;

typedef struct Prepared
{
	Oid			role;			/* the asking role */
	DpsRoomRequest request;
	int64		last_release;	/* set by the charge */
	List	   *executions;		/* of Execution * */
	Oid			previous_role;
	int			previous_context;
} Prepared;

/* ---- what may be run ---- */

static bool
is_strange(Oid function, void *context)
{
	return function >= FirstNormalObjectId && !dps_is_own_schema(get_func_namespace(function));
}

static bool
check_entry(const RangeTblEntry *entry)
{
	if (!dps_is_stored(entry))
		return false;
	/* rows of public relations are brought, and not read here */
	if (dps_is_public_relation(entry->relid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not protected any more", get_rel_name(entry->relid)),
				 errhint("Run the statement again.")));
	return false;
}

static bool
admit_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	/* such a call depends on no row, for instance in the key of a group, and was not evaluated before */
	if (check_functions_in_node(node, is_strange, NULL) || OidIsValid(dps_foreign_operator(node)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a function that is not the server's is not supported below dp aggregates for a role without SELECT privilege"),
				 errhint("Call it in a statement of its own.")));
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		elog(ERROR, "a clean room was asked for the value of a parameter");
	if (IsA(node, RangeTblEntry))
		return check_entry((RangeTblEntry *) node);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, admit_walker, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, admit_walker, context);
}

/*
 * Switches to the asking role, before any relation is accessed.  Here the role can only read, and
 * protected rows are read as the owner of each entry, which the executor checks by itself.  Code that runs
 * when a query is planned (in indexes, statistics or constraints), and expressions that depend on the
 * current role, run as in the asking session, except that search_path is a fixed one (run_settings.c).  If
 * the room ran as the owner, code of its relations, or of whoever can change that code, could reveal rows
 * by errors.
 */
static void
become(Oid role)
{
	SetUserIdAndSecContext(role, SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
}

/* ---- the first step ---- */

static PlannedStmt *
plan_query(Query *query, const List *families)
{
	void	   *before = dps_private_plan_enter(query);
	bool		was_blind = dps_blind_enter();
	PlannedStmt *statement = NULL;

	PG_TRY();
	{
		statement = dps_plan_unseen(query, NULL);
	}
	PG_FINALLY();
	{
		dps_blind_leave(was_blind);
		dps_private_plan_leave(before);
	}
	PG_END_TRY();
	dps_blind_plan(statement);
	dps_check_families(families);
	return statement;
}

/* (a) of distributed tables, which the query has in constants. */
static void
prepare_distributed(Query *query)
{
	ListCell   *cell;

	foreach(cell, dps_distributed_queries(query))
	{
		Query	   *states = lfirst_node(Query, cell);

		dps_lock_all_in_room(states);
		(void) admit_walker((Node *) states, NULL);
		dps_prepare_distributed(states);
	}
}

/* From here on no row and no plan leads to code of a user (function_wall.h). */
static void
start_query(Execution *execution, const DpsTypes *noted)
{
	bool		had_wall = dps_set_function_wall(true);

	PG_TRY();
	{
		standard_ExecutorStart(execution->query, 0);
		/* otherwise loading them would take locks after the charge */
		dps_open_caches(execution->query->estate, noted->types, noted->collations, true);
	}
	PG_FINALLY();
	{
		(void) dps_set_function_wall(had_wall);
	}
	PG_END_TRY();
}

static Execution *
prepare_query(Query *query, const DpsRoomRequest *request)
{
	Execution  *execution = palloc0(sizeof(Execution));
	DestReceiver *receiver = CreateTuplestoreDestReceiver();
	DpsTypes	noted;

	dps_lock_all_in_room(query);
	noted = dps_expression_types(query);
	(void) admit_walker((Node *) query, NULL);
	prepare_distributed(query);
	execution->rows = tuplestore_begin_heap(false, false, work_mem);
	SetTuplestoreDestReceiverParams(receiver, execution->rows, CurrentMemoryContext, true, NULL, NULL);
	execution->query = CreateQueryDesc(plan_query(query, request->families), "", GetActiveSnapshot(), InvalidSnapshot, receiver, NULL, NULL, 0);
	start_query(execution, &noted);
	dps_hold_keys(execution->query);
	dps_find_releases(execution->query, &execution->found);
	dps_authorise(execution->found.releases, request->role);
	dps_individual_check(execution->found.releases);
	dps_check_proofs(execution->query, execution->found.releases);
	return execution;
}

static void *
prepare(StringInfo message)
{
	Prepared   *prepared = palloc0(sizeof(Prepared));
	DpsRoomRequest *request = &prepared->request;
	ListCell   *cell;

	GetUserIdAndSecContext(&prepared->previous_role, &prepared->previous_context);
	dps_require_version();
	dps_be_a_room();
	/* so that failures are not counted either */
	dps_silence_log();
	/* replaces settings of the room's own role and database */
	(void) dps_take_settings();
	dps_read_room_request(message, request);
	prepared->role = request->role;
	become(request->role);
	foreach(cell, request->queries)
		prepared->executions = lappend(prepared->executions, prepare_query(lfirst(cell), request));
	/* code of relations that ran during planning may have changed settings; errors must not end the room */
	(void) dps_take_steering_settings();
	return prepared;
}

/* ---- the second ---- */

static void
charge_prepared(void *state, StringInfo decided)
{
	Prepared   *prepared = state;
	DpsDecision decision = dps_ledger_decide(&prepared->request.charge);

	prepared->last_release = decision.last_release;
	dps_put(decided, decision);
}

/* ---- the third ---- */

/* The permit of a release, from the plan of noise that came with its charge.  An error if there is none:
 * only what was charged is drawn. */
static DpsPermit
find_permit(const DpsRelease *release, const DpsRoomRequest *request, const DpsCharge *charge)
{
	int			i;

	for (i = 0; i < request->nnoise && i < charge->nitems; i++)
	{
		if (request->noise[i].number == release->number && charge->items[i].relation == release->relation)
			return dps_permit_of(release, &request->noise[i].plan, &charge->items[i]);
	}
	elog(ERROR, "a clean room was asked for what was not charged");
}

static DpsPermit *
make_permits(const DpsFoundReleases *found, const DpsRoomRequest *request)
{
	const DpsCharge *charge = dps_ledger_read_draft(&request->charge);
	DpsPermit  *permits = palloc(sizeof(DpsPermit) * list_length(found->releases));
	ListCell   *cell;

	foreach(cell, found->releases)
		permits[foreach_current_index(cell)] = find_permit(lfirst(cell), request, charge);
	return permits;
}

static void
run_query(Execution *execution, const Prepared *prepared)
{
	QueryDesc  *query = execution->query;
	DpsReceipt *receipt = dps_receipt_push(query->estate, make_permits(&execution->found, &prepared->request),
										   list_length(execution->found.releases));
	void	   *outer;

	receipt->is_restricted = true;
	dps_individual_begin(receipt, execution->found.releases, prepared->last_release);
	outer = dps_receipt_enter(query->estate);
	dps_run_to_end(standard_ExecutorRun, query);
	standard_ExecutorFinish(query);
	dps_receipt_leave(outer);
}

/* Removing temporary files counts and logs their sizes, so the settings for that are taken here, too. */
static void
end_query(Execution *execution)
{
	int			taken = dps_take_steering_settings();

	dps_receipt_drop(execution->query->estate);
	standard_ExecutorEnd(execution->query);
	FreeQueryDesc(execution->query);
	tuplestore_end(execution->rows);
	dps_give_back_settings(taken);
}

static void
run_and_send(Prepared *prepared, DpsVisit *visit)
{
	ListCell   *cell;

	foreach(cell, prepared->executions)
		run_query(lfirst(cell), prepared);
	foreach(cell, prepared->executions)
	{
		const Execution *execution = lfirst(cell);

		dps_send_store(visit, foreach_current_index(cell), execution->rows, execution->query->tupDesc);
	}
	foreach(cell, prepared->executions)
		end_query(lfirst(cell));
	dps_drop_rows();
}

/* Runs all queries before the first row is sent. */
static void
carry_out(void *state, DpsVisit *visit)
{
	Prepared   *prepared = state;
	bool		had_wall = dps_set_function_wall(true);

	become(prepared->role);
	PG_TRY();
	{
		run_and_send(prepared, visit);
	}
	PG_FINALLY();
	{
		(void) dps_set_function_wall(had_wall);
	}
	PG_END_TRY();
	SetUserIdAndSecContext(prepared->previous_role, prepared->previous_context);
}

static void
count_failure(void *state)
{
	dps_ledger_note_failure(((Prepared *) state)->role);
}

const DpsRoomWork dps_room_work = {prepare, dps_receive_row, charge_prepared, carry_out, count_failure};

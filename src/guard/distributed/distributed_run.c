/*
 * distributed_run.c
 *		Exact states of a table that Citus has distributed: how they are computed.
 *
 * (a) is planned by the planner of Citus alone, each time that it runs, since shards move, and run with the
 * rights of the role that asks, in a clean room with those of the table's owner (lent_rights.h).  While it is planned and run, and for nothing else, plans are written in
 * full (agg/state/travel.h).
 * What plan that may be is said in distributed_plan.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "agg/state/travel.h"
#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/owner.h"
#include "glue/receipt.h"
#include "glue/version.h"
#include "guard/distributed/connections.h"
#include "guard/distributed/counted_states.h"
#include "guard/distributed/distributed_plan.h"
#include "guard/distributed/distributed_states.h"
#include "guard/distributed/lent_rights.h"
#include "guard/query/made_nodes.h"
#include "guard/query/nulling.h"
#include "guard/query/range_table.h"
#include "guard/query/sent_tree.h"
#include "guard/query/session_values.h"
#include "guard/restrict/blind.h"
#include "guard/restrict/run_settings.h"
#include "room/message.h"

DPS_SQL_FUNCTION(dps_exact_distributed);

/* ---- planning ---- */

/* In a room the role that asks may not read the table, whose entry its owner reads. */
static PlannedStmt *
plan_by_citus(Query *states, ParamListInfo params)
{
	bool		was_blind;
	PlannedStmt *statement = NULL;

	if (!dps_is_room())
		return dps_plan_unseen(states, params);
	was_blind = dps_blind_enter();
	PG_TRY();
	{
		statement = dps_plan_unseen(states, params);
	}
	PG_FINALLY();
	{
		dps_blind_leave(was_blind);
	}
	PG_END_TRY();
	return statement;
}

/*
 * Of a transaction that reads by one snapshot, nodes read by one, too, which they have taken at its first query or later.  One
 * that is older than a shard which has come to its node shows none of the shard's rows, and no error.  So what is planned for such a
 * transaction is planned for shards that are where they were when it began; those that leave after that stay
 * readable where they were, or are an error.
 */
static void
check_still_there(const Query *states)
{
	ListCell   *cell;

	if (!IsolationUsesXactSnapshot())
		return;
	foreach(cell, dps_named_relations(states))
	{
		if (dps_citus_kind(lfirst_oid(cell)) == DPS_CITUS_TABLE && dps_citus_has_moved(lfirst_oid(cell), GetTransactionSnapshot()))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("shards of distributed table \"%s\" have moved since the transaction began", get_rel_name(lfirst_oid(cell))),
					 errhint("Run the transaction again.")));
	}
}

static PlannedStmt *
plan_sent(Query *states, ParamListInfo params)
{
	bool		lacks_values = params == NULL && dps_add_parameters(NIL, states) != NIL;
	Query	   *asked = dps_note_nulling(copyObject(states));
	PlannedStmt *statement;

	dps_refuse_foreign_sum();
	AcquireRewriteLocks(asked, true, false);
	if (dps_is_room())
		dps_set_connection_settings();
	statement = plan_by_citus(asked, params);
	check_still_there(states);
	dps_own_plan(statement, states, lacks_values);
	return statement;
}

PlannedStmt *
dps_plan_distributed(Query *states, ParamListInfo params)
{
	DpsTravel	travel;
	DpsTravel  *before = dps_travel_enter(&travel);
	int			settings = dps_take_writing_settings();
	PlannedStmt *statement = NULL;

	PG_TRY();
	{
		statement = plan_sent(states, params);
	}
	PG_FINALLY();
	{
		dps_travel_leave(before);
	}
	PG_END_TRY();
	dps_give_back_settings(settings);
	return statement;
}

/* ---- parameters ---- */

typedef struct Values
{
	const List *parameters;		/* of Param * */
	FunctionCallInfo call;		/* whose arguments from the second on are their values */
} Values;

static Node *
put_values(Node *node, Values *values)
{
	ListCell   *cell;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, put_values, values, 0);
	if (!IsA(node, Param))
		return expression_tree_mutator(node, put_values, values);
	foreach(cell, values->parameters)
	{
		const Param *param = lfirst_node(Param, cell);
		const NullableDatum *value = &values->call->args[foreach_current_index(cell) + 1];
		int16		length;
		bool		byval;

		if (!equal(param, node))
			continue;
		get_typlenbyval(param->paramtype, &length, &byval);
		return (Node *) makeConst(param->paramtype, param->paramtypmod, param->paramcollid, length, value->value, value->isnull, byval);
	}
	elog(ERROR, "a query of exact states has a parameter without a value");
}

/* ---- running ---- */

/* What is read of the rows relies on their types. */
static void
check_columns(TupleDesc have, TupleDesc want)
{
	int			i;

	if (have->natts != want->natts)
		elog(ERROR, "Citus yields %d columns of exact states, not %d", have->natts, want->natts);
	for (i = 0; i < want->natts; i++)
	{
		if (TupleDescAttr(have, i)->atttypid != TupleDescAttr(want, i)->atttypid)
			elog(ERROR, "Citus yields exact states of type %s, not %s", format_type_be(TupleDescAttr(have, i)->atttypid),
				 format_type_be(TupleDescAttr(want, i)->atttypid));
	}
}

static void
run(PlannedStmt *statement, TupleDesc columns, DestReceiver *receiver)
{
	QueryDesc  *desc = CreateQueryDesc(statement, "", GetActiveSnapshot(), InvalidSnapshot, receiver, NULL, NULL, 0);

	ExecutorStart(desc, 0);
	if (columns != NULL)
		check_columns(desc->tupDesc, columns);
	dps_run_to_end(ExecutorRun, desc);
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
}

/* An error restores the role with the transaction. */
static void
run_lent(PlannedStmt *statement, Oid table, TupleDesc columns, DestReceiver *receiver)
{
	Oid			role;
	int			context;

	dps_set_connection_settings();
	GetUserIdAndSecContext(&role, &context);
	SetUserIdAndSecContext(dps_relation_owner(table), SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	run(statement, columns, receiver);
	SetUserIdAndSecContext(role, context);
}

static bool
reads_one_copy(const Query *states)
{
	ListCell   *cell;

	foreach(cell, dps_named_relations(states))
	{
		if (dps_citus_is_spread(lfirst_oid(cell)))
			return false;
	}
	return true;
}

/*
 * A reference table is read in one of its copies.  If that fails, Citus asks for another, and has taken the rows
 * that had come.  So all states are of one process, or none came as text.
 */
static void
check_one_sender(const DpsTravel *travel, const DpsCountedStates *counted)
{
	if (travel->has_senders || (travel->values > 0 && travel->values != counted->n))
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("a node failed while it sent exact sums"),
				 errhint("Ask again.")));
}

static void
plan_and_run(Query *states, TupleDesc columns, DestReceiver *receiver, const DpsTravel *travel)
{
	/* planning may change the query */
	Oid			table = dps_is_room() ? dps_lent_table(states) : InvalidOid;
	bool		is_one_copy = reads_one_copy(states);
	PlannedStmt *statement = plan_sent(states, NULL);
	DpsCountedStates counted;
	DestReceiver *counting = dps_count_states(&counted, receiver);

	if (dps_is_room())
		run_lent(statement, table, columns, counting);
	else
		run(statement, columns, counting);
	if (is_one_copy)
		check_one_sender(travel, &counted);
}

static void
run_sent(Query *states, TupleDesc columns, DestReceiver *receiver)
{
	DpsTravel	travel;
	DpsTravel  *before = dps_travel_enter(&travel);
	int			settings = dps_take_writing_settings();

	PG_TRY();
	{
		plan_and_run(states, columns, receiver, &travel);
	}
	PG_FINALLY();
	{
		dps_travel_leave(before);
	}
	PG_END_TRY();
	dps_give_back_settings(settings);
}

/* now() < '-infinity': Citus takes it for one that could be true, and asks nodes, which take it for false
 * when they plan, and read nothing.  In outer joins it refuses it. */
static Node *
never(void)
{
	Expr	   *now = (Expr *) makeFuncExpr(F_NOW, TIMESTAMPTZOID, NIL, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	Expr	   *past = (Expr *) makeConst(TIMESTAMPTZOID, -1, InvalidOid, sizeof(int64), Int64GetDatum(DT_NOBEGIN), false, true);
	OpExpr	   *less = (OpExpr *) make_opclause(lookup_type_cache(TIMESTAMPTZOID, TYPECACHE_LT_OPR)->lt_opr, BOOLOID, false, now, past, InvalidOid, InvalidOid);

	set_opfuncid(less);
	return (Node *) less;
}

/*
 * The same of rows of an entry: a column IS NULL AND IS NOT NULL.  Nodes, where constraint_exclusion is on, see when they plan that no row
 * can be so, and so none of a join with it.  Not of the column by which Citus would choose shards, of which it would choose
 * none.
 */
static Node *
no_row(RangeTblEntry *entry, int index)
{
	List	   *columns;
	ListCell   *cell;

	dps_expand_entry(entry, index, NULL, &columns);
	foreach(cell, columns)
	{
		Var		   *column = lfirst_node(Var, cell);

		if (column->varattno != dps_citus_column(entry->relid))
			return make_and_qual(dps_null_test(column, IS_NULL), dps_null_test(copyObject(column), IS_NOT_NULL));
	}
	return never();
}

/* The first entry of FROM, of which each row of the query has a row. */
static int
first_entry(const Node *from)
{
	while (!IsA(from, RangeTblRef))
		from = IsA(from, JoinExpr) ? ((const JoinExpr *) from)->larg : linitial(((const FromExpr *) from)->fromlist);
	return ((const RangeTblRef *) from)->rtindex;
}

static void
leave_no_row(Query *query)
{
	int			index;
	RangeTblEntry *entry;
	ListCell   *cell;

	if (query->setOperations != NULL)
	{
		foreach(cell, query->rtable)
			leave_no_row(lfirst_node(RangeTblEntry, cell)->subquery);
		return;
	}
	index = first_entry((const Node *) query->jointree);
	entry = rt_fetch(index, query->rtable);
	if (entry->rtekind == RTE_SUBQUERY)
		leave_no_row(entry->subquery);
	else
		query->jointree->quals = make_and_qual(query->jointree->quals, entry->rtekind == RTE_RELATION ? no_row(entry, index) : never());
}

void
dps_try_distributed(Query *states)
{
	leave_no_row(states);
	run_sent(states, NULL, None_Receiver);
}

/* The parts of the constant: (a), and its parameters. */
static List *
read_constant(const struct varlena *constant)
{
	StringInfoData sent = {.data = VARDATA_ANY(constant), .len = VARSIZE_ANY_EXHDR(constant)};
	uint32		magic = 0;

	if (sent.len > (int) sizeof(magic))
		dps_get(&sent, &magic);
	if (magic != DPS_DISTRIBUTED_MAGIC)
		dps_refuse_direct_call("exact_distributed");
	return dps_get_tree(&sent);
}

bool
dps_is_distributed_call(const Node *expression)
{
	Oid			argtypes[2] = {InvalidOid, ANYOID};
	const FuncExpr *call = (const FuncExpr *) expression;

	if (!IsA(expression, FuncExpr) || call->funcid < FirstNormalObjectId || !dps_is_own_function(call->funcid))
		return false;
	argtypes[0] = dps_internal_type("plan");
	return call->funcid == dps_internal_function("exact_distributed", 1, argtypes) ||
		call->funcid == dps_internal_function("exact_distributed", 2, argtypes);
}

Query *
dps_states_of_call(const FuncExpr *call)
{
	const Const *constant = linitial(call->args);

	if (!IsA(constant, Const) || constant->constisnull)
		dps_refuse_direct_call("exact_distributed");
	return linitial_node(Query, read_constant((const struct varlena *) DatumGetPointer(constant->constvalue)));
}

void
dps_check_distributed(const FuncExpr *call, ParamListInfo params)
{
	Query	   *states = dps_states_of_call(call);
	ListCell   *cell;

	foreach(cell, dps_named_relations(states))
	{
		if (pg_class_aclcheck(lfirst_oid(cell), GetUserId(), ACL_SELECT) != ACLCHECK_OK)
			aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(lfirst_oid(cell)));
	}
	dps_check_cluster_key();
	(void) dps_plan_distributed(states, params);
}

/* exact_distributed(query [, VARIADIC parameters]): what the query yields, of all nodes */
Datum
dps_exact_distributed(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	List	   *parts;
	Query	   *states;

	/* in a statement that was charged, whose plan the rewriting has made */
	if (dps_receipt_current() == NULL || PG_ARGISNULL(0) || !get_fn_expr_arg_stable(fcinfo->flinfo, 0))
		dps_refuse_direct_call("exact_distributed");
	parts = read_constant(PG_GETARG_VARLENA_PP(0));
	states = (Query *) put_values(linitial(parts), &(Values) {lsecond(parts), fcinfo});
	/* now() is that of this transaction, and the time zone of constants this session's */
	if (!dps_is_room())
		states = dps_with_constants(states, NULL);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	SetTuplestoreDestReceiverParams(receiver, result->setResult, result->econtext->ecxt_per_query_memory, false, NULL, NULL);
	run_sent(states, result->setDesc, receiver);
	receiver->rDestroy(receiver);
	return (Datum) 0;
}

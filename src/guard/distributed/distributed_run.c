/*
 * distributed_run.c
 *		Exact states of a table that Citus has distributed: how they are computed.
 *
 * (a) is planned by the planner of Citus alone, each time that it runs, since shards move, and run with the
 * rights of the role that asks.  While it is planned and run, and for nothing else, plans are written in
 * full (agg/state/travel.h).
 * What plan that may be is said in distributed_plan.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "agg/state/travel.h"
#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/receipt.h"
#include "glue/version.h"
#include "guard/distributed/distributed_plan.h"
#include "guard/distributed/distributed_states.h"
#include "guard/query/nulling.h"
#include "guard/query/range_table.h"
#include "guard/query/sent_tree.h"
#include "room/message.h"

DPS_SQL_FUNCTION(dps_exact_distributed);

/* ---- planning ---- */

static PlannedStmt *
plan_sent(Query *states, ParamListInfo params)
{
	bool		lacks_values = params == NULL && dps_add_parameters(NIL, states) != NIL;
	Query	   *asked = dps_note_nulling(copyObject(states));
	PlannedStmt *statement;

	dps_refuse_foreign_sum();
	AcquireRewriteLocks(asked, true, false);
	statement = dps_plan_unseen(asked, params);
	dps_own_plan(statement, states, lacks_values);
	return statement;
}

PlannedStmt *
dps_plan_distributed(Query *states, ParamListInfo params)
{
	DpsStatementNumber number = dps_draw_statement_number();
	const DpsStatementNumber *before = dps_travel_enter(&number);
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
	check_columns(desc->tupDesc, columns);
	dps_run_to_end(ExecutorRun, desc);
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
}

static void
run_sent(Query *states, TupleDesc columns, DestReceiver *receiver)
{
	DpsStatementNumber number = dps_draw_statement_number();
	const DpsStatementNumber *before = dps_travel_enter(&number);

	PG_TRY();
	{
		run(plan_sent(states, NULL), columns, receiver);
	}
	PG_FINALLY();
	{
		dps_travel_leave(before);
	}
	PG_END_TRY();
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

void
dps_check_distributed(const FuncExpr *call, ParamListInfo params)
{
	const Const *constant = linitial(call->args);
	Query	   *states;
	ListCell   *cell;

	if (!IsA(constant, Const) || constant->constisnull)
		dps_refuse_direct_call("exact_distributed");
	states = linitial_node(Query, read_constant((const struct varlena *) DatumGetPointer(constant->constvalue)));
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
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	SetTuplestoreDestReceiverParams(receiver, result->setResult, result->econtext->ecxt_per_query_memory, false, NULL, NULL);
	run_sent(states, result->setDesc, receiver);
	receiver->rDestroy(receiver);
	return (Datum) 0;
}

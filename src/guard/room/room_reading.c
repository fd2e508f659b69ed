/*
 * room_reading.c
 *		Reads the rows that are brought into a clean room.
 *
 * A separate query reads the relation, by any plan; its conditions consist of constants and columns of
 * public rows.  Row-level security policies stay with the relation, so the planner evaluates a condition
 * that could leak only on rows that the policies show.  A view that hides rows was expanded, and for such
 * views the guard admits only conditions that cannot leak (join.c).
 *
 * The number and the size of brought rows are limited, so that no session can fill a room's memory and
 * disk.  The limits are checked against public rows, before a room is requested and before anything is
 * charged.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "guard/query/range_table.h"
#include "guard/room/room_filter.h"
#include "guard/room/room_reading.h"
#include "guard/query/nulling.h"

/* ---- keeping ---- */

typedef struct RowKeeper
{
	DestReceiver pub;
	Oid			relation;
	Tuplestorestate *rows;
	DpsBroughtRows *brought;
	MemoryContext of_row;
} RowKeeper;

static void
refuse_many(Oid relation, const char *what, const char *setting)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("the statement needs %s of public relations beside private rows than may be brought", what),
			 errdetail("The limit was reached in relation \"%s\".  Nothing was charged.", get_rel_name(relation)),
			 errhint("Select fewer of its rows by conditions on its columns alone, or let a superuser raise \"%s\".", setting)));
}

static void
count_row(const RowKeeper *keeper, TupleDesc descriptor, Datum *values, bool *isnull)
{
	DpsBroughtRows *brought = keeper->brought;

	brought->rows++;
	brought->bytes += heap_compute_data_size(descriptor, values, isnull);
	if (dps_setting_max_public_rows > 0 && brought->rows > dps_setting_max_public_rows)
		refuse_many(keeper->relation, "more rows", "dpsens.max_public_rows");
	if (dps_setting_max_public_size > 0 && brought->bytes > dps_setting_max_public_size * INT64_C(1024))
		refuse_many(keeper->relation, "larger rows", "dpsens.max_public_size");
}

static bool
keep_row(TupleTableSlot *slot, DestReceiver *receiver)
{
	RowKeeper  *keeper = (RowKeeper *) receiver;
	TupleDesc	descriptor = slot->tts_tupleDescriptor;
	MemoryContext previous = MemoryContextSwitchTo(keeper->of_row);
	Datum	   *values = palloc(sizeof(Datum) * descriptor->natts);
	int			i;

	slot_getallattrs(slot);
	for (i = 0; i < descriptor->natts; i++)
	{
		values[i] = slot->tts_values[i];
		if (!slot->tts_isnull[i] && TupleDescAttr(descriptor, i)->attlen == -1 && VARATT_IS_EXTERNAL(DatumGetPointer(values[i])))
			values[i] = PointerGetDatum(detoast_external_attr((struct varlena *) DatumGetPointer(values[i])));
	}
	count_row(keeper, descriptor, values, slot->tts_isnull);
	tuplestore_putvalues(keeper->rows, descriptor, values, slot->tts_isnull);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(keeper->of_row);
	return true;
}

static void
begin_rows(DestReceiver *receiver, int operation, TupleDesc descriptor)
{
	(void) receiver;
	(void) operation;
	(void) descriptor;
}

static void
end_rows(DestReceiver *receiver)
{
	(void) receiver;
}

/* ---- the query ---- */

/* A target entry for each column of the relation, including dropped ones.  Columns that are not wanted are
 * NULL. */
static List *
read_columns(TupleDesc descriptor, const Bitmapset *wanted)
{
	List	   *target = NIL;
	int			i;

	for (i = 0; i < descriptor->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(descriptor, i);
		Expr	   *value;

		if (bms_is_member(i + 1, wanted))
			value = (Expr *) makeVar(1, i + 1, column->atttypid, column->atttypmod, column->attcollation, 0);
		else if (column->attisdropped)
			value = (Expr *) makeNullConst(INT4OID, -1, InvalidOid);
		else
			value = (Expr *) makeNullConst(column->atttypid, column->atttypmod, column->attcollation);
		target = lappend(target, makeTargetEntry(value, i + 1, psprintf("%d", i + 1), false));
	}
	return target;
}

/* SELECT target FROM entry WHERE conditions, with the permissions to be checked for the entry. */
static Query *
reading_query(Query *of, int index, List *target)
{
	Query	   *query = makeNode(Query);
	RangeTblEntry *copy = dps_copy_entry(query, of, rt_fetch(index, of->rtable));
	List	   *conditions = dps_conditions_on_entry(of, index);

	ChangeVarNodes((Node *) copy->securityQuals, index, 1, 0);
	ChangeVarNodes((Node *) conditions, index, 1, 0);
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(copy);
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions));
	query->targetList = target;
	query->hasRowSecurity = of->hasRowSecurity;
	query->hasSubLinks = checkExprHasSubLink((Node *) copy->securityQuals);
	return dps_note_nulling(query);
}

/* Plans by dps_plan_unseen, so that no other extension sees the
 * conditions that the rewriter has added. */
static void
run_query(Query *query, ParamListInfo params, Snapshot snapshot, RowKeeper *keeper)
{
	PlannedStmt *plan = dps_plan_unseen(query, params);
	QueryDesc  *execution = CreateQueryDesc(plan, "", snapshot, InvalidSnapshot, &keeper->pub, params, NULL, 0);

	ExecutorStart(execution, 0);
	dps_run_to_end(ExecutorRun, execution);
	ExecutorFinish(execution);
	keeper->brought->stores = lappend(keeper->brought->stores, keeper->rows);
	keeper->brought->descriptors = lappend(keeper->brought->descriptors, CreateTupleDescCopy(execution->tupDesc));
	ExecutorEnd(execution);
	FreeQueryDesc(execution);
}

List *
dps_read_entry(Query *query, int index, const Bitmapset *columns, ParamListInfo params, Snapshot snapshot,
			   DpsBroughtRows *brought)
{
	Oid			relation_oid = rt_fetch(index, query->rtable)->relid;
	Relation	relation = table_open(relation_oid, AccessShareLock);
	List	   *target = read_columns(RelationGetDescr(relation), columns);
	RowKeeper	keeper = {
		.pub = {keep_row, begin_rows, end_rows, end_rows, DestNone},
		.relation = relation_oid,
		.rows = tuplestore_begin_heap(false, false, work_mem),
		.brought = brought,
		.of_row = AllocSetContextCreate(CurrentMemoryContext, "dpsens row", ALLOCSET_DEFAULT_SIZES)
	};

	table_close(relation, NoLock);
	run_query(reading_query(query, index, copyObject(target)), params, snapshot, &keeper);
	MemoryContextDelete(keeper.of_row);
	return target;
}

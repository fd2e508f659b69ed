/*
 * room_rows.c
 *		Rows of public relations that the asking session brings into a clean room.
 *
 * Precondition: the relations are public (public_relation.c), so their rows are equal in any two databases
 * that differ in protected rows only.
 * Postcondition: all rows are read and detoasted before a room is requested, and the relations are not
 * accessed afterwards.  So what can be observed of them, of their pages, counters and indexes, does not
 * depend on what the room reads.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/receipt.h"
#include "glue/version.h"
#include "guard/public/public_relation.h"
#include "guard/query/range_table.h"
#include "guard/restrict/blind.h"
#include "guard/restrict/quiet_run.h"
#include "guard/room/room_keys.h"
#include "guard/room/room_reading.h"
#include "guard/room/room_rows.h"
#include "room/message.h"
#include "room/sent_rows.h"

DPS_SQL_FUNCTION(dps_exact_brought);
DPS_SQL_FUNCTION(dps_exact_brought_support);

#define ROWS_FUNCTION "exact_brought"

/* ---- which relations, and which of their columns ---- */

typedef struct OpenEntry
{
	Query	   *query;
	int			index;
	Bitmapset  *columns;
} OpenEntry;

typedef struct EntrySearch
{
	List	   *queries;		/* of Query *: the enclosing queries, innermost first */
	List	   *entries;		/* of OpenEntry * */
} EntrySearch;

static void
find_entries(Query *query, EntrySearch *search)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		OpenEntry  *open;

		if (!dps_is_stored(entry) || !dps_is_public_relation(entry->relid))
			continue;
		open = palloc0(sizeof(OpenEntry));
		*open = (OpenEntry) {query, foreach_current_index(cell) + 1, NULL};
		search->entries = lappend(search->entries, open);
	}
}

static bool column_walker(Node *node, EntrySearch *search);

static OpenEntry *
find_entry(const EntrySearch *search, const Query *query, int index)
{
	ListCell   *cell;

	foreach(cell, search->entries)
	{
		OpenEntry  *open = lfirst(cell);

		if (open->query == query && open->index == index)
			return open;
	}
	return NULL;
}

/* An error if the column's type has changed.  It can change under an open cursor of the same transaction. */
static void
check_column(const RangeTblEntry *entry, const Var *var)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(entry->relid, var->varattno, &type, &typmod, &collation);
	if (type != var->vartype || typmod != var->vartypmod)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of relation \"%s\" was changed after the query was started",
						get_attname(entry->relid, var->varattno, false), get_rel_name(entry->relid)),
				 errhint("Run the statement again.")));
}

static void
note_column(const Var *var, EntrySearch *search)
{
	List	   *around = list_copy_tail(search->queries, var->varlevelsup);
	Query	   *query = linitial_node(Query, around);
	const RangeTblEntry *entry = rt_fetch(var->varno, query->rtable);
	OpenEntry  *open = find_entry(search, query, var->varno);
	List	   *before = search->queries;

	if ((open != NULL || entry->rtekind == RTE_JOIN) && var->varattno <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("system columns and whole rows of relation \"%s\" are not supported below dp aggregates of a role without SELECT privilege",
						open != NULL ? get_rel_name(entry->relid) : entry->eref->aliasname),
				 errhint("Name its columns.")));
	if (open != NULL)
	{
		check_column(entry, var);
		open->columns = bms_add_member(open->columns, var->varattno);
	}
	if (entry->rtekind != RTE_JOIN)
		return;
	search->queries = around;
	(void) column_walker(list_nth(entry->joinaliasvars, var->varattno - 1), search);
	search->queries = before;
}

static bool
column_walker(Node *node, EntrySearch *search)
{
	bool		result;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		note_column((Var *) node, search);
		return false;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, column_walker, search);
	find_entries((Query *) node, search);
	search->queries = lcons(node, search->queries);
	result = query_tree_walker((Query *) node, column_walker, search, QTW_IGNORE_JOINALIASES);
	search->queries = list_delete_first(search->queries);
	return result;
}

/* ---- the function in its place ---- */

static Oid
rows_function(void)
{
	Oid			argtypes[1] = {INT4OID};

	return dps_internal_function(ROWS_FUNCTION, 1, argtypes);
}

static void
put_function(RangeTblEntry *entry, const List *columns, int number)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	FuncExpr   *call = makeFuncExpr(rows_function(), RECORDOID,
									list_make1(makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(number), false, true)),
									InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	RangeTblEntry *place = makeNode(RangeTblEntry);
	ListCell   *cell;

	call->funcretset = true;
	function->funcexpr = (Node *) call;
	foreach(cell, columns)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, cell);

		function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(column->resname)));
		function->funccoltypes = lappend_oid(function->funccoltypes, exprType((Node *) column->expr));
		function->funccoltypmods = lappend_int(function->funccoltypmods, exprTypmod((Node *) column->expr));
		function->funccolcollations = lappend_oid(function->funccolcollations, exprCollation((Node *) column->expr));
	}
	function->funccolcount = list_length(columns);
	place->rtekind = RTE_FUNCTION;
	place->functions = list_make1(function);
	place->eref = entry->eref;
	place->lateral = false;
	place->inFromCl = true;
	*entry = *place;
}

void
dps_bring_rows(Query *query, ParamListInfo params, Snapshot snapshot, const List *proofs, DpsBroughtRows *brought)
{
	EntrySearch search = {NIL, NIL};
	int			paused;
	ListCell   *cell;

	(void) column_walker((Node *) query, &search);
	if (search.entries == NIL)
		return;
	/* counting is paused as in a session that reads public and protected rows itself */
	paused = dps_pause_counting(NULL);
	foreach(cell, search.entries)
	{
		const OpenEntry *open = lfirst(cell);
		RangeTblEntry *entry = rt_fetch(open->index, open->query->rtable);
		List	   *columns = dps_read_entry(open->query, open->index, open->columns, params, snapshot, brought);

		brought->keys = lappend(brought->keys, dps_proved_keys(entry->relid, proofs));
		put_function(entry, columns, list_length(brought->stores) - 1);
	}
	dps_resume_counting(paused);
}

/* ---- sending ---- */

void
dps_write_row_counts(StringInfo request, const DpsBroughtRows *brought)
{
	int			n = list_length(brought->stores);
	ListCell   *store;
	ListCell   *keys;

	dps_put(request, n);
	forboth(store, brought->stores, keys, brought->keys)
	{
		int64		count = tuplestore_tuple_count(lfirst(store));

		dps_put(request, count);
		dps_write_keys(request, lfirst(keys));
	}
}

void
dps_send_rows(DpsVisit *visit, const DpsBroughtRows *brought)
{
	ListCell   *store;
	ListCell   *descriptor;

	forboth(store, brought->stores, descriptor, brought->descriptors)
	{
		dps_send_store(visit, foreach_current_index(store), lfirst(store), lfirst(descriptor));
		tuplestore_end(lfirst(store));
	}
}

/* ---- the room ---- */

typedef struct RowsHere
{
	int64		count;
	List	   *keys;
	Tuplestorestate *store;
} RowsHere;

static RowsHere *here = NULL;
static int	nhere = 0;

/* The brought rows of the current visit; allocated in its transaction. */
void
dps_read_row_counts(StringInfo request)
{
	int			i;

	dps_get(request, &nhere);
	here = palloc(sizeof(RowsHere) * nhere);
	for (i = 0; i < nhere; i++)
	{
		dps_get(request, &here[i].count);
		here[i].keys = dps_read_keys(request);
		here[i].store = tuplestore_begin_heap(true, false, work_mem);
	}
}

void
dps_drop_rows(void)
{
	int			i;

	for (i = 0; i < nhere; i++)
		tuplestore_end(here[i].store);
	nhere = 0;
}

void
dps_receive_row(StringInfo message)
{
	int			number;

	dps_get(message, &number);
	if (number < 0 || number >= nhere)
		elog(ERROR, "a clean room was sent rows that were not announced");
	dps_keep_row(message, here[number].store);
}

Tuplestorestate *
dps_brought_store(int number)
{
	if (!dps_is_room() || number < 0 || number >= nhere)
		elog(ERROR, "a clean room was asked for rows that were not announced");
	return here[number].store;
}

/* exact_brought(number): a placeholder for rows that brought_scan.c reads; never executed */
Datum
dps_exact_brought(PG_FUNCTION_ARGS)
{
	dps_refuse_direct_call(ROWS_FUNCTION);
}

/* The number in a call of the function; -1 if there are no such rows in this visit. */
static int
number_of_call(const FuncExpr *call)
{
	const Const *number = linitial(call->args);

	if (!IsA(number, Const) || DatumGetInt32(number->constvalue) >= nhere)
		return -1;
	return DatumGetInt32(number->constvalue);
}

int
dps_brought_number(const RangeTblEntry *entry)
{
	const FuncExpr *call;

	if (!dps_is_room() || entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1)
		return -1;
	call = (const FuncExpr *) linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || call->funcid < FirstNormalObjectId || call->funcid != rows_function())
		return -1;
	return number_of_call(call);
}

List *
dps_keys_of(const RangeTblEntry *entry)
{
	int			number = dps_brought_number(entry);

	return number >= 0 ? here[number].keys : NIL;
}

/* Gives the planner the number of rows.  Its default for functions is 1000. */
Datum
dps_exact_brought_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	int			number;

	if (!IsA(request, SupportRequestRows) || !is_funcclause(request->node) || !dps_is_room())
		PG_RETURN_POINTER(NULL);
	number = number_of_call((const FuncExpr *) request->node);
	if (number < 0)
		PG_RETURN_POINTER(NULL);
	request->rows = clamp_row_est((double) here[number].count);
	PG_RETURN_POINTER(request);
}

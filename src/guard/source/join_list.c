/*
 * join_list.c
 *		Joins with VALUES and with generate_series() of constants.
 *
 * A list of constants in the query is a public relation: it tells nothing that the author of the query
 * does not know.  Why a join with it multiplies no rows is shown in join_list_rows.c.  The rows that are
 * checked are the rows that run: the constants are put into the plan, and a function is not called again.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "glue/import/builtin.h"
#include "glue/import/cell.h"
#include "guard/source/join_list.h"

/* A limit, since constants are copied whenever the plan is. */
#define MAX_LISTED_ROWS 10000

bool
dps_is_list_entry(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_VALUES || entry->rtekind == RTE_FUNCTION;
}

/* ---- a row of expressions ---- */

static Node *
row_mutator(Node *node, List *row)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return copyObject(list_nth(row, ((Var *) node)->varattno - 1));
	return expression_tree_mutator(node, row_mutator, row);
}

/* Is there a reference to a whole row, which no column of the list replaces?  ORDER BY can have one. */
static bool
whole_row_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varattno <= 0)
		return true;
	return expression_tree_walker(node, whole_row_walker, context);
}

void
dps_unfold_single_row(RangeTblEntry *entry)
{
	Query	   *query = entry->subquery;
	RangeTblEntry *values;

	if (entry->rtekind != RTE_SUBQUERY || !entry->lateral || list_length(query->rtable) != 1 ||
		list_length(query->jointree->fromlist) != 1 || query->jointree->quals != NULL)
		return;
	values = linitial_node(RangeTblEntry, query->rtable);
	if (values->rtekind != RTE_VALUES || list_length(values->values_lists) != 1 ||
		whole_row_walker((Node *) query->targetList, NULL))
		return;
	query->targetList = (List *) row_mutator((Node *) query->targetList, linitial(values->values_lists));
	query->jointree->fromlist = NIL;
	query->rtable = NIL;
}

/* ---- reading ---- */

static Const *
read_constant(const DpsProtectedSource *source, Node *expression, const char *what)
{
	Node	   *value = eval_const_expressions(NULL, expression);

	/* a function that is not immutable may yield another value when the plan runs */
	if (value == NULL || !IsA(value, Const) || contain_mutable_functions(expression))
		dps_refuse_at(source, expression, what, "Write constants, or join a table with a unique index.");
	return (Const *) value;
}

static void
read_values(const DpsProtectedSource *source, const RangeTblEntry *entry, DpsConstants *list)
{
	ListCell   *line;
	ListCell   *cell;
	int			row = 0;

	list->nrows = list_length(entry->values_lists);
	if (list->nrows > MAX_LISTED_ROWS)
		dps_refuse_at(source, NULL, psprintf("VALUES of more than %d rows is", MAX_LISTED_ROWS), "Join a table.");
	foreach(line, entry->values_lists)
	{
		int			column = 0;

		foreach(cell, lfirst_node(List, line))
		{
			DpsListColumn *one = &list->columns[column++];

			if (row == 0)
				one->constants = palloc(sizeof(Const *) * list->nrows);
			one->constants[row] = read_constant(source, lfirst(cell), "VALUES of other than constants is");
		}
		row++;
	}
}

/* The call that the entry reads; an error if it reads anything else. */
static FuncExpr *
series_of(const DpsProtectedSource *source, const RangeTblEntry *entry)
{
	const char *hint = "Join tables, VALUES of constants, or generate_series() of constant numbers or timestamps.";
	FuncExpr   *call = NULL;

	if (list_length(entry->functions) == 1 && !entry->funcordinality)
		call = (FuncExpr *) linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (call == NULL || !IsA(call, FuncExpr))
		dps_refuse_at(source, NULL, "reading functions is", hint);
	switch (call->funcid)
	{
		case F_GENERATE_SERIES_INT4_INT4:
		case F_GENERATE_SERIES_INT4_INT4_INT4:
		case F_GENERATE_SERIES_INT8_INT8:
		case F_GENERATE_SERIES_INT8_INT8_INT8:
		case F_GENERATE_SERIES_NUMERIC_NUMERIC:
		case F_GENERATE_SERIES_NUMERIC_NUMERIC_NUMERIC:
		case F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL:
			return call;
		default:
			dps_refuse_at(source, (Node *) call, "reading this function is", hint);
			return NULL;		/* keep compiler quiet */
	}
}

/* Calls the function with the constants.  The values are allocated in the caller's memory context. */
static void
read_series(const DpsProtectedSource *source, const RangeTblEntry *entry, DpsConstants *list)
{
	FuncExpr   *call = series_of(source, entry);
	DpsListColumn *column = &list->columns[0];
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext inside;
	Oid			types[3];
	Datum		datums[3];
	char		nulls[4] = "   ";
	int			n = 0;
	uint64		i;
	ListCell   *cell;

	foreach(cell, call->args)
	{
		Const	   *argument = read_constant(source, lfirst(cell), "generate_series() of other than constants is");

		types[n] = argument->consttype;
		datums[n] = argument->constvalue;
		nulls[n++] = argument->constisnull ? 'n' : ' ';
	}
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args(psprintf("SELECT pg_catalog.generate_series($1, $2%s) LIMIT %d", n > 2 ? ", $3" : "", MAX_LISTED_ROWS + 1),
							  n, types, datums, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "a series cannot be read");
	list->nrows = (int) SPI_processed;
	inside = MemoryContextSwitchTo(caller);
	column->constants = palloc(sizeof(Const *) * Max(list->nrows, 1));
	for (i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
		int16		length;
		bool		by_value;

		get_typlenbyval(column->type, &length, &by_value);
		column->constants[i] = makeConst(column->type, -1, InvalidOid, length, datumCopy(value, by_value, length), isnull, by_value);
	}
	MemoryContextSwitchTo(inside);
	SPI_finish();
	if (list->nrows > MAX_LISTED_ROWS)
		dps_refuse_at(source, (Node *) call, psprintf("generate_series() of more than %d rows is", MAX_LISTED_ROWS), "Join a table.");
}

static void
set_types(const RangeTblEntry *entry, DpsConstants *list)
{
	int			i;

	if (entry->rtekind == RTE_FUNCTION)
	{
		list->ncolumns = 1;
		list->columns = palloc0(sizeof(DpsListColumn));
		list->columns[0].type = exprType(linitial_node(RangeTblFunction, entry->functions)->funcexpr);
		list->columns[0].typmod = -1;
		return;
	}
	list->ncolumns = list_length(entry->coltypes);
	list->columns = palloc0(sizeof(DpsListColumn) * list->ncolumns);
	for (i = 0; i < list->ncolumns; i++)
	{
		list->columns[i].type = list_nth_oid(entry->coltypes, i);
		list->columns[i].typmod = list_nth_int(entry->coltypmods, i);
		list->columns[i].collation = list_nth_oid(entry->colcollations, i);
	}
}

/* Sets the comparison functions that GROUP BY needs. */
static void
set_orders(DpsConstants *list)
{
	int			i;

	for (i = 0; i < list->ncolumns; i++)
	{
		TypeCacheEntry *type = lookup_type_cache(list->columns[i].type, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_BTREE_OPFAMILY);

		if (OidIsValid(type->cmp_proc) && type->btree_opf < FirstNormalObjectId)
			list->columns[i].compare = &type->cmp_proc_finfo;
	}
}

static RangeTblEntry *
make_entry(const RangeTblEntry *original, const DpsConstants *list)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	int			row;
	int			i;

	entry->rtekind = RTE_VALUES;
	entry->alias = copyObject(original->alias);
	entry->eref = copyObject(original->eref);
	entry->inFromCl = true;
	for (i = 0; i < list->ncolumns; i++)
	{
		entry->coltypes = lappend_oid(entry->coltypes, list->columns[i].type);
		entry->coltypmods = lappend_int(entry->coltypmods, list->columns[i].typmod);
		entry->colcollations = lappend_oid(entry->colcollations, list->columns[i].collation);
	}
	for (row = 0; row < list->nrows; row++)
	{
		List	   *line = NIL;

		for (i = 0; i < list->ncolumns; i++)
			line = lappend(line, list->columns[i].constants[row]);
		entry->values_lists = lappend(entry->values_lists, line);
	}
	return entry;
}

DpsPart *
dps_make_list_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry)
{
	DpsPart    *part = palloc0(sizeof(DpsPart));
	DpsConstants *list = palloc0(sizeof(DpsConstants));

	if (entry->rtekind == RTE_FUNCTION)
		(void) series_of(source, entry);
	set_types(entry, list);
	if (entry->rtekind == RTE_FUNCTION)
		read_series(source, entry, list);
	else
		read_values(source, entry, list);
	/* VALUES has at least one row */
	if (list->nrows == 0)
		dps_refuse_at(source, NULL, "generate_series() without rows is", "Write a series that has rows.");
	set_orders(list);
	list->entry = make_entry(entry, list);
	part->entry = entry;
	part->level = level;
	part->constants = list;
	return part;
}

int
dps_list_location(const DpsPart *part)
{
	const RangeTblEntry *entry = part->entry;

	if (entry->rtekind == RTE_VALUES)
		return exprLocation(linitial(linitial(entry->values_lists)));
	return exprLocation(linitial_node(RangeTblFunction, entry->functions)->funcexpr);
}

RangeTblEntry *
dps_list_entry(const DpsPart *part)
{
	return copyObject(part->constants->entry);
}

/* ---- columns ---- */

static const DpsListColumn *
column_of(const DpsPart *part, AttrNumber column)
{
	return &part->constants->columns[column - 1];
}

void
dps_get_list_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation)
{
	const DpsListColumn *one = column_of(part, column);
	Oid			base = getBaseType(one->type);
	DpsType		type;
	bool		any = false;
	int			i;

	memset(annotation, 0, sizeof(*annotation));
	annotation->weight = 1;
	annotation->is_public = true;
	if (!dps_type_from_oid(base, &type) && !dps_type_has_epoch(base))
		return;
	for (i = 0; i < part->constants->nrows; i++)
	{
		const Const *constant = one->constants[i];
		double		value = constant->constisnull ? 0 : dps_read_cell(base, constant->constvalue);

		if (constant->constisnull)
			continue;
		if (!isfinite(value))
			return;
		annotation->lo = any ? fmin(annotation->lo, value) : value;
		annotation->hi = any ? fmax(annotation->hi, value) : value;
		any = true;
	}
	annotation->has_range = true;
}

bool
dps_list_column_is_not_null(const DpsPart *part, AttrNumber column)
{
	int			i;

	for (i = 0; i < part->constants->nrows; i++)
	{
		if (column_of(part, column)->constants[i]->constisnull)
			return false;
	}
	return true;
}

char *
dps_list_column_name(const DpsPart *part, AttrNumber column)
{
	return pstrdup(quote_identifier(strVal(list_nth(part->entry->eref->colnames, column - 1))));
}

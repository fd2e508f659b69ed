/*
 * join_list.c
 *		VALUES and generate_series() of constants that are joined in.
 *
 * Claim.  A list of constants that stands in the query is a public relation: it
 * tells nothing that whoever wrote the query does not know.  If its rows differ in what
 * a join compares with one value, or are bands that do not overlap, nothing meets
 * two of them.
 *
 * Proof.  What is computed of each row and compared is computed and compared here, when the
 * query is planned, by the default order of its type, whose operator family has the
 * operators that the join compares by: two rows that are equal to the same value
 * would be equal to each other.  Rows with NULL in what is compared are met by
 * none.  What is looked at is what runs, since the list is put into the plan as it
 * was read: a function is not called again.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "glue/cell.h"
#include "glue/import.h"
#include "guard/join_list.h"

/* Constants are copied whenever the plan is. */
#define MAX_LISTED_ROWS 10000

typedef struct ListColumn
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	Const	  **constants;
	FmgrInfo   *compare;		/* NULL: the type has no order of the server's own */
} ListColumn;

struct DpsConstants
{
	RangeTblEntry *entry;		/* VALUES */
	int			nrows;
	int			ncolumns;
	ListColumn *columns;
};

static void
refuse_list(const DpsProtectedSource *source, Node *where, const char *what, const char *hint)
{
	DpsProtectedSource here = *source;
	int			location = where != NULL ? exprLocation(where) : -1;

	if (location >= 0)
		here.location = location;
	dps_refuse_source(&here, what, hint);
}

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

void
dps_unfold_single_row(RangeTblEntry *entry)
{
	Query	   *query = entry->subquery;
	RangeTblEntry *values;

	if (entry->rtekind != RTE_SUBQUERY || !entry->lateral || list_length(query->rtable) != 1 ||
		list_length(query->jointree->fromlist) != 1 || query->jointree->quals != NULL)
		return;
	values = linitial_node(RangeTblEntry, query->rtable);
	if (values->rtekind != RTE_VALUES || list_length(values->values_lists) != 1)
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

	/* what somebody's own function said when it was planned need not hold */
	if (value == NULL || !IsA(value, Const) || contain_mutable_functions(expression))
		refuse_list(source, expression, what, "Write constants, or join a table with a unique index.");
	return (Const *) value;
}

static void
read_values(const DpsProtectedSource *source, const RangeTblEntry *entry, struct DpsConstants *list)
{
	ListCell   *line;
	ListCell   *cell;
	int			row = 0;

	list->nrows = list_length(entry->values_lists);
	if (list->nrows > MAX_LISTED_ROWS)
		refuse_list(source, NULL, psprintf("VALUES of more than %d rows is", MAX_LISTED_ROWS), "Join a table.");
	foreach(line, entry->values_lists)
	{
		int			column = 0;

		foreach(cell, lfirst_node(List, line))
		{
			ListColumn *one = &list->columns[column++];

			if (row == 0)
				one->constants = palloc(sizeof(Const *) * list->nrows);
			one->constants[row] = read_constant(source, lfirst(cell), "VALUES of other than constants is");
		}
		row++;
	}
}

/* The call, if it is all that the entry reads. */
static FuncExpr *
series_of(const DpsProtectedSource *source, const RangeTblEntry *entry)
{
	const char *hint = "Join tables, VALUES of constants, or generate_series() of constant numbers or timestamps.";
	FuncExpr   *call = NULL;

	if (list_length(entry->functions) == 1 && !entry->funcordinality)
		call = (FuncExpr *) linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (call == NULL || !IsA(call, FuncExpr))
		refuse_list(source, NULL, "reading functions is", hint);
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
			refuse_list(source, (Node *) call, "reading this function is", hint);
			return NULL;		/* keep compiler quiet */
	}
}

/* Calls it with the constants, in the caller's memory. */
static void
read_series(const DpsProtectedSource *source, const RangeTblEntry *entry, struct DpsConstants *list)
{
	FuncExpr   *call = series_of(source, entry);
	ListColumn *column = &list->columns[0];
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
		refuse_list(source, (Node *) call, psprintf("generate_series() of more than %d rows is", MAX_LISTED_ROWS), "Join a table.");
}

static void
set_types(const RangeTblEntry *entry, struct DpsConstants *list)
{
	int			i;

	if (entry->rtekind == RTE_FUNCTION)
	{
		list->ncolumns = 1;
		list->columns = palloc0(sizeof(ListColumn));
		list->columns[0].type = exprType(linitial_node(RangeTblFunction, entry->functions)->funcexpr);
		list->columns[0].typmod = -1;
		return;
	}
	list->ncolumns = list_length(entry->coltypes);
	list->columns = palloc0(sizeof(ListColumn) * list->ncolumns);
	for (i = 0; i < list->ncolumns; i++)
	{
		list->columns[i].type = list_nth_oid(entry->coltypes, i);
		list->columns[i].typmod = list_nth_int(entry->coltypmods, i);
		list->columns[i].collation = list_nth_oid(entry->colcollations, i);
	}
}

/* For GROUP BY. */
static void
set_orders(struct DpsConstants *list)
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
make_entry(const RangeTblEntry *original, const struct DpsConstants *list)
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
	struct DpsConstants *list = palloc0(sizeof(struct DpsConstants));

	if (entry->rtekind == RTE_FUNCTION)
		(void) series_of(source, entry);
	set_types(entry, list);
	if (entry->rtekind == RTE_FUNCTION)
		read_series(source, entry, list);
	else
		read_values(source, entry, list);
	/* VALUES has a row at least */
	if (list->nrows == 0)
		refuse_list(source, NULL, "generate_series() without rows is", "Write a series that has rows.");
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

/* ---- rows that nothing meets two of ---- */

/* An expression over one row of the list, for each of them. */
typedef struct Computed
{
	Const	  **constants;
	FmgrInfo   *compare;
	Oid			collation;
} Computed;

/* What a conjunct compares a computed expression with. */
typedef struct Comparison
{
	Computed	computed;
	Node	   *other;			/* has one value */
	int			strategy;		/* computed strategy other */
} Comparison;

typedef struct RowMatch
{
	const struct DpsConstants *list;
	int			number;
	int			row;
	bool		others;			/* what is not of the list */
} RowMatch;

static Node *
constant_mutator(Node *node, RowMatch *match)
{
	const Var  *var = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, constant_mutator, match);
	if (var->varlevelsup != 0 || var->varno != match->number || var->varattno <= 0)
	{
		match->others = true;
		return copyObject(node);
	}
	return (Node *) copyObject(match->list->columns[var->varattno - 1].constants[match->row]);
}

/* False if it is about something else, or need not be the same tomorrow. */
static bool
compute(const struct DpsConstants *list, int number, Node *expression, Computed *computed)
{
	RowMatch	match = {list, number, 0, false};

	if (contain_mutable_functions(expression) || checkExprHasSubLink(expression) || !contain_var_clause(expression))
		return false;
	computed->constants = palloc(sizeof(Const *) * list->nrows);
	for (match.row = 0; match.row < list->nrows; match.row++)
	{
		Node	   *value = eval_const_expressions(NULL, constant_mutator(expression, &match));

		if (match.others || !IsA(value, Const))
			return false;
		computed->constants[match.row] = (Const *) value;
	}
	return true;
}

/* By an operator of the default order of the type, if that is the server's. */
static bool
read_comparison(const struct DpsConstants *list, int number, OpExpr *call, Comparison *comparison)
{
	int			side;

	if (!IsA(call, OpExpr) || list_length(call->args) != 2 || !op_strict(call->opno))
		return false;
	for (side = 0; side < 2; side++)
	{
		Node	   *expression = list_nth(call->args, side);
		Oid			type = getBaseType(exprType(expression));
		TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO | TYPECACHE_BTREE_OPFAMILY);
		Oid			opno = side == 0 ? call->opno : get_commutator(call->opno);

		if (!OidIsValid(opno) || !OidIsValid(entry->cmp_proc) || !OidIsValid(entry->btree_opf) ||
			entry->btree_opf >= FirstNormalObjectId)
			continue;
		comparison->strategy = get_op_opfamily_strategy(opno, entry->btree_opf);
		if (comparison->strategy == 0 || !compute(list, number, expression, &comparison->computed))
			continue;
		comparison->computed.compare = &entry->cmp_proc_finfo;
		comparison->computed.collation = call->inputcollid;
		comparison->other = list_nth(call->args, 1 - side);
		return true;
	}
	return false;
}

static int
compare_computed(const Computed *computed, int a, const Computed *other, int b)
{
	return DatumGetInt32(FunctionCall2Coll(computed->compare, computed->collation, computed->constants[a]->constvalue,
										   other->constants[b]->constvalue));
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	ListCell   *cell;

	foreach(cell, (const List *) arg)
	{
		const Computed *computed = lfirst(cell);
		int			result = compare_computed(computed, *(const int *) a, computed, *(const int *) b);

		if (result != 0)
			return result;
	}
	return 0;
}

/* The rows that have values in all of these, in their order. */
static int
sort_rows(int nrows, const List *computed, int *rows)
{
	int			n = 0;
	int			row;
	ListCell   *cell;

	for (row = 0; row < nrows; row++)
	{
		bool		has_null = false;

		foreach(cell, computed)
			has_null |= ((const Computed *) lfirst(cell))->constants[row]->constisnull;
		if (!has_null)
			rows[n++] = row;
	}
	qsort_arg(rows, n, sizeof(int), compare_rows, (void *) computed);
	return n;
}

/* Are any two rows different in one of these? */
static bool
all_differ(int nrows, const List *computed)
{
	int		   *rows = palloc(sizeof(int) * nrows);
	int			n = sort_rows(nrows, computed, rows);
	int			i;

	for (i = 1; i < n; i++)
	{
		if (compare_rows(&rows[i - 1], &rows[i], (void *) computed) == 0)
			return false;
	}
	return true;
}

/*
 * Rows are bands: lower <= x and x < upper.  In the order of the lower ends, no band
 * ends behind the beginning of the next one, or where it begins if both ends are
 * of the band.  Then of a row and a later one it cannot be that lower' <= x <= upper:
 * lower' is at least the beginning of the next, which is at least upper.
 */
static bool
are_disjoint(int nrows, const Comparison *lower, const Comparison *upper)
{
	bool		strict = lower->strategy == BTLessStrategyNumber || upper->strategy == BTGreaterStrategyNumber;
	List	   *ends = list_make2((void *) &lower->computed, (void *) &upper->computed);
	int		   *rows = palloc(sizeof(int) * nrows);
	int			n = sort_rows(nrows, ends, rows);
	int			i;

	for (i = 1; i < n; i++)
	{
		int			result = compare_computed(&lower->computed, rows[i], &upper->computed, rows[i - 1]);

		if (result < 0 || (result == 0 && !strict))
			return false;
	}
	return true;
}

static bool
is_lower_end(const Comparison *comparison)
{
	return comparison->strategy == BTLessStrategyNumber || comparison->strategy == BTLessEqualStrategyNumber;
}

static bool
is_upper_end(const Comparison *comparison)
{
	return comparison->strategy == BTGreaterStrategyNumber || comparison->strategy == BTGreaterEqualStrategyNumber;
}

static bool
any_bands(int nrows, const List *comparisons)
{
	ListCell   *one;
	ListCell   *other;

	foreach(one, comparisons)
	{
		const Comparison *lower = lfirst(one);

		foreach(other, comparisons)
		{
			const Comparison *upper = lfirst(other);

			if (is_lower_end(lower) && is_upper_end(upper) && lower->computed.compare == upper->computed.compare &&
				lower->computed.collation == upper->computed.collation && equal(lower->other, upper->other) &&
				are_disjoint(nrows, lower, upper))
				return true;
		}
	}
	return false;
}

bool
dps_list_meets_once(const DpsPart *part, int number, const List *conjuncts,
					bool (*is_settled) (Node *expression, void *context), void *context)
{
	const struct DpsConstants *list = part->constants;
	List	   *comparisons = NIL;
	List	   *equal_to = NIL;
	ListCell   *cell;

	foreach(cell, conjuncts)
	{
		Comparison *comparison = palloc(sizeof(Comparison));

		if (!read_comparison(list, number, lfirst(cell), comparison) || !is_settled(comparison->other, context))
			continue;
		if (comparison->strategy == BTEqualStrategyNumber)
			equal_to = lappend(equal_to, &comparison->computed);
		else
			comparisons = lappend(comparisons, comparison);
	}
	return list->nrows <= 1 || (equal_to != NIL && all_differ(list->nrows, equal_to)) || any_bands(list->nrows, comparisons);
}

/* ---- columns ---- */

static const ListColumn *
column_of(const DpsPart *part, AttrNumber column)
{
	return &part->constants->columns[column - 1];
}

void
dps_get_list_annotation(const DpsPart *part, AttrNumber column, DpsColumnAnnotation *annotation)
{
	const ListColumn *one = column_of(part, column);
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

const DpsValues *
dps_list_values(const DpsPart *part, AttrNumber column)
{
	const ListColumn *one = column_of(part, column);
	int			nrows = part->constants->nrows;
	Computed	computed = {one->constants, one->compare, one->collation};
	List	   *order = list_make1(&computed);
	int		   *rows = palloc(sizeof(int) * nrows);
	Datum	   *datums = palloc(sizeof(Datum) * nrows);
	int			n;
	int			m = 0;
	int			i;

	if (one->compare == NULL)
		return NULL;
	n = sort_rows(nrows, order, rows);
	for (i = 0; i < n; i++)
	{
		if (i == 0 || compare_rows(&rows[i - 1], &rows[i], order) != 0)
			datums[m++] = one->constants[rows[i]]->constvalue;
	}
	return dps_values_make(one->type, one->typmod, one->collation, datums, m);
}

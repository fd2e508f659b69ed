/*
 * public_keys.c
 *		GROUP BY columns of public relations in joins.
 *
 * Every value that the column has in the relation is a group, whether or not a protected row belongs to it,
 * so the set of groups discloses nothing.  The values are read when the statement is planned, with the
 * privileges of the role that asks, and become constants of the plan like declared ones.  A cached plan
 * would miss values that are inserted later, so it is invalidated when it starts to run.
 *
 * Of several columns of one relation those combinations are groups that its rows have: others no row of a join can
 * have, and noise alone would be in them.  They are left out of what was drawn, by what the relation holds, which is
 * public, so nothing of protected rows decides it, and the charge and the draws are the same.
 *
 * Conditions of the statement do not restrict the list.  A relation that is read through another role's
 * view, or whose rows a subquery's condition hides, gives no keys: they would show values that the role
 * that asks may not see.
 */
#include "postgres.h"

#include "catalog/index.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "storage/sinval.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "guard/release/keys.h"
#include "guard/release/public_keys.h"
#include "guard/source/join_list.h"
#include "guard/source/union_columns.h"
#include "guard/trace/expand.h"

/* The largest number of keys: each is a row of every answer. */
#define MAX_PUBLIC_KEYS 100000

static void
refuse_key(const DpsProtectedSource *source, Node *expression, const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s", message),
			 errhint("%s", hint),
			 errposition(dps_query_position(source, exprLocation(expression)))));
}

/* Is the part in the FROM of the level itself, not read through a view or subquery? */
static bool
is_read_directly(const DpsProtectedSource *source, const DpsPart *part)
{
	return part->level == source->query && !OidIsValid(dps_entry_reader(part->level, part->entry));
}

static char *
values_query(const DpsPart *part, const Var *column)
{
	const char *name = quote_identifier(get_attname(part->relation, column->varattno, false));
	char	   *relation = quote_qualified_identifier(get_namespace_name(get_rel_namespace(part->relation)),
													  get_rel_name(part->relation));

	return psprintf("SELECT %s FROM %s WHERE %s IS NOT NULL GROUP BY 1 ORDER BY 1 LIMIT %d",
					name, relation, name, MAX_PUBLIC_KEYS + 1);
}

/* The result of the query, in the caller's memory. */
static const DpsValues *
read_values(const char *query, const DpsKey *key)
{
	MemoryContext caller = CurrentMemoryContext;
	const DpsValues *values;
	Datum	   *datums;
	bool		isnull;
	uint64		n;
	uint64		i;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "the values of a public column cannot be read");
	n = SPI_processed;
	datums = palloc(sizeof(Datum) * Max(n, 1));
	for (i = 0; i < n; i++)
	{
		datums[i] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
		if (get_typlen(key->type) == -1)
			datums[i] = PointerGetDatum(PG_DETOAST_DATUM(datums[i]));
	}
	MemoryContextSwitchTo(caller);
	values = dps_values_make(key->type, key->typmod, key->collation, datums, (int) n);
	SPI_finish();
	return values;
}

static DpsKey *
make_key(const DpsPart *part, Node *expression, const DpsValues *values)
{
	DpsKey	   *key = palloc0(sizeof(DpsKey));

	key->expression = key->canonical = expression;
	key->type = exprType(expression);
	key->typmod = exprTypmod(expression);
	key->collation = exprCollation(expression);
	key->is_private = part->is_private;
	key->values = values;
	return key;
}

/* The key of a column that is a constant in each arm of a UNION ALL. */
static DpsKey *
union_key(const DpsPart *part, const Var *column, Node *expression)
{
	const DpsValues *values = dps_union_constants(part, column->varattno);

	return values == NULL || values->n == 0 ? NULL : make_key(part, expression, values);
}

DpsKey *
dps_public_key(DpsProtectedSource *source, Node *expression)
{
	Var		   *column = (Var *) dps_expand_expression(source, expression);
	const DpsPart *part;
	DpsKey	   *key;

	if (!IsA(column, Var) || column->varlevelsup != 0 || column->varattno <= 0)
		return NULL;
	part = dps_var_part(source, column);
	if (part != NULL && part->arms != NIL)
		return union_key(part, column, expression);
	if (part == NULL || part->annotation.is_protected)
		return NULL;
	if (part->constants == NULL && !is_read_directly(source, part))
		refuse_key(source, expression, "GROUP BY a column of a view or subquery is not supported together with dp aggregates",
				   "Join the table itself, or declare the column's values with dpsens.set_values().");
	if (!OidIsValid(lookup_type_cache(exprType(expression), TYPECACHE_CMP_PROC)->cmp_proc))
		refuse_key(source, expression, "GROUP BY a column of a type without an order is not supported together with dp aggregates",
				   "Group by another column.");
	if (part->constants != NULL)
		return make_key(part, expression, dps_list_values(part, column->varattno));
	key = make_key(part, expression, NULL);
	key->is_read = true;
	key->part = part;
	key->column = column->varattno;
	key->values = read_values(values_query(part, column), key);
	if (key->values->n > MAX_PUBLIC_KEYS)
		refuse_key(source, expression, psprintf("GROUP BY of a public column with more than %d values is not supported together with dp aggregates", MAX_PUBLIC_KEYS),
				   "Group by a column with fewer values.");
	return key;
}

/* ---- several keys of one relation ---- */

void
dps_note_public_column(DpsProtectedSource *source, DpsKey *key)
{
	const Var  *column = (const Var *) dps_expand_expression(source, key->expression);
	const DpsPart *part;

	if (!IsA(column, Var) || column->varlevelsup != 0 || column->varattno <= 0)
		return;
	part = dps_var_part(source, column);
	if (part == NULL || part->arms != NIL || part->annotation.is_protected || part->constants != NULL ||
		!is_read_directly(source, part))
		return;
	key->part = part;
	key->column = column->varattno;
}

/* Copies of the keys that are of the same part as this one, with their values in the order of their types. */
static List *
keys_of_part(const List *keys, const DpsKey *one)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		DpsKey	   *key;

		if (((const DpsKey *) lfirst(cell))->part != one->part)
			continue;
		key = palloc(sizeof(DpsKey));
		*key = *(const DpsKey *) lfirst(cell);
		dps_sort_key(key);
		result = lappend(result, key);
	}
	return result;
}

/* Is it the first key of its part, and are there several, of which one was read? */
static bool
begins_several(const List *keys, const DpsKey *one)
{
	ListCell   *cell;
	bool		is_behind = false;
	bool		is_read = one->is_read;
	int			n = 1;

	if (one->part == NULL)
		return false;
	foreach(cell, keys)
	{
		const DpsKey *key = lfirst(cell);

		if (key == one)
			is_behind = true;
		else if (key->part == one->part)
		{
			if (!is_behind)
				return false;
			is_read |= key->is_read;
			n++;
		}
	}
	return n > 1 && is_read;
}

/* The numbers of the combinations that rows have, by the places of their values in the lists, which are $1 and so on, and
 * sorted.  Rows with another value, or NULL, have none. */
static char *
combinations_query(const List *keys)
{
	const DpsPart *part = ((const DpsKey *) linitial(keys))->part;
	StringInfoData number;
	StringInfoData condition;
	ListCell   *cell;
	int			i = 0;

	initStringInfo(&number);
	initStringInfo(&condition);
	appendStringInfoString(&number, "0::pg_catalog.int8");
	foreach(cell, keys)
	{
		const DpsKey *key = lfirst(cell);
		const char *column = quote_identifier(get_attname(part->relation, key->column, false));
		char	   *before = pstrdup(number.data);

		i++;
		resetStringInfo(&number);
		appendStringInfo(&number, "(%s) OPERATOR(pg_catalog.*) %d OPERATOR(pg_catalog.+) (pg_catalog.width_bucket(%s, $%d) OPERATOR(pg_catalog.-) 1)",
						 before, key->values->n, column, i);
		appendStringInfo(&condition, "%s%s OPERATOR(pg_catalog.=) ANY ($%d)", i > 1 ? " AND " : "", column, i);
	}
	return psprintf("SELECT DISTINCT %s FROM %s WHERE %s LIMIT %d", number.data,
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(part->relation)), get_rel_name(part->relation)),
					condition.data, MAX_PUBLIC_KEYS + 1);
}

/*
 * Is the type's equality the server's own?  The query is made and run while the statement is planned, with the rights of
 * whoever asks, and finds operators in pg_catalog alone: what is in the way of others, or of the search path, could be
 * anybody's code.
 */
static bool
is_compared_by_server(const DpsKey *key)
{
	Oid			equality = lookup_type_cache(key->type, TYPECACHE_EQ_OPR)->eq_opr;

	return OidIsValid(equality) && equality < FirstNormalObjectId;
}

/* The combinations that rows of the relation have, as an array of int8; NULL if they are too many for a list, or keys are
 * compared by operators that are not the server's. */
static Const *
read_combinations(const List *keys)
{
	MemoryContext caller = CurrentMemoryContext;
	int			n = list_length(keys);
	Oid		   *types = palloc(sizeof(Oid) * n);
	Datum	   *lists = palloc(sizeof(Datum) * n);
	Datum	   *numbers;
	ArrayType  *array;
	bool		isnull;
	uint64		row;
	int			i;

	for (i = 0; i < n; i++)
	{
		const Const *list = dps_key_array(list_nth(keys, i));

		if (!is_compared_by_server(list_nth(keys, i)))
			return NULL;
		types[i] = list->consttype;
		lists[i] = list->constvalue;
	}
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args(combinations_query(keys), n, types, lists, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "the values of public columns cannot be read");
	numbers = palloc(sizeof(Datum) * Max(SPI_processed, 1));
	for (row = 0; row < SPI_processed; row++)
		numbers[row] = Int64GetDatum(DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &isnull)));
	n = (int) SPI_processed;
	MemoryContextSwitchTo(caller);
	array = construct_array(numbers, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	SPI_finish();
	if (n > MAX_PUBLIC_KEYS)
		return NULL;
	return makeConst(INT8ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false, false);
}

static Expr *
int8_call(Oid function, Expr *left, Expr *right)
{
	return (Expr *) makeFuncExpr(function, INT8OID, right == NULL ? list_make1(left) : list_make2(left, right), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

static Expr *
int8_constant(int64 number)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(number), false, FLOAT8PASSBYVAL);
}

/* What combinations_query() says, over columns of entry 1. */
static Expr *
combination_number(const List *all, const List *keys)
{
	Expr	   *number = int8_constant(0);
	ListCell   *cell;
	int			place = 0;

	foreach(cell, keys)
	{
		const DpsKey *key = lfirst(cell);
		Expr	   *bucket;

		/* they are in the order of all */
		while (((const DpsKey *) list_nth(all, place))->clause != key->clause)
			place++;
		bucket = dps_key_number(key, (Expr *) makeVar(1, place + 1, key->type, key->typmod, key->collation, 0));
		number = int8_call(F_INT8PL, int8_call(F_INT8MUL, number, int8_constant(key->values->n)),
						   int8_call(F_INT8MI, int8_call(F_INT8_INT4, bucket, NULL), int8_constant(1)));
	}
	return number;
}

/* The combination of these keys is one of the list. */
static Node *
is_combination(const List *all, const List *keys, Const *list)
{
	ScalarArrayOpExpr *membership = makeNode(ScalarArrayOpExpr);

	membership->opno = lookup_type_cache(INT8OID, TYPECACHE_EQ_OPR)->eq_opr;
	membership->opfuncid = F_INT8EQ;
	membership->useOr = true;
	membership->args = list_make2(combination_number(all, keys), list);
	membership->location = -1;
	return (Node *) membership;
}

Node *
dps_met_combinations(const List *keys)
{
	Node	   *condition = NULL;
	ListCell   *cell;

	/* groups of undeclared keys are those that occur */
	if (dps_any_key_is_undeclared(keys))
		return NULL;
	foreach(cell, keys)
	{
		List	   *several;
		Const	   *list;

		if (!begins_several(keys, lfirst(cell)))
			continue;
		several = keys_of_part(keys, lfirst(cell));
		/* their numbers are int8 */
		if (dps_key_combinations(several) < PG_INT64_MAX && (list = read_combinations(several)) != NULL)
			condition = make_and_qual(condition, is_combination(keys, several, list));
	}
	return condition;
}

bool
dps_any_key_is_read(const List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		if (((const DpsKey *) lfirst(cell))->is_read)
			return true;
	}
	return false;
}

/* In this session only; cached plans of other sessions are their own. */
static void
invalidate_plans(Oid relation)
{
	SharedInvalidationMessage message = {0};

	message.rc.id = SHAREDINVALRELCACHE_ID;
	message.rc.dbId = MyDatabaseId;
	message.rc.relId = relation;
	LocalExecuteInvalidationMessage(&message);
}

void
dps_forget_public_keys(const List *releases)
{
	ListCell   *cell;
	int			i;

	foreach(cell, releases)
	{
		const DpsRelease *release = lfirst(cell);

		for (i = 0; release->reads_keys && i < release->nproofs; i++)
			invalidate_plans(IndexGetRelation(release->proofs[i], false));
	}
}

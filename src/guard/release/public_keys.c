/*
 * public_keys.c
 *		GROUP BY columns of public relations in joins.
 *
 * Every value that the column has in the relation is a group, whether or not a protected row belongs to it,
 * so the set of groups discloses nothing.  The values are read when the statement is planned, with the
 * privileges of the role that asks, and become constants of the plan like declared ones.  A cached plan
 * would miss values that are inserted later, so it is invalidated when it starts to run.
 *
 * Conditions of the statement do not restrict the list.  A relation that is read through another role's
 * view, or whose rows a subquery's condition hides, gives no keys: they would show values that the role
 * that asks may not see.
 */
#include "postgres.h"

#include "catalog/index.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/sinval.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
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
	key->values = read_values(values_query(part, column), key);
	if (key->values->n > MAX_PUBLIC_KEYS)
		refuse_key(source, expression, psprintf("GROUP BY of a public column with more than %d values is not supported together with dp aggregates", MAX_PUBLIC_KEYS),
				   "Group by a column with fewer values.");
	return key;
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

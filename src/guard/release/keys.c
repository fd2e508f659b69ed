/*
 * keys.c
 *		GROUP BY under dp aggregates: where keys come from.
 *
 * Declared values are listed here; guard/release/undeclared_groups.c decides which groups of other keys are
 * shown.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "glue/owner_hint.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "guard/release/keys.h"
#include "guard/release/public_keys.h"
#include "guard/trace/expand.h"

void
dps_sort_key(DpsKey *key)
{
	key->values = dps_values_sorted(key->values);
}

DpsKey *
dps_declared_key(DpsProtectedSource *source, Node *expression)
{
	Node	   *expanded = dps_expand_expression(source, expression);
	Var		   *var = (Var *) expanded;
	Oid			relation;
	AttrNumber	column;
	DpsColumnAnnotation annotation;
	DpsKey	   *key;

	if (!IsA(expanded, Var) || var->varattno <= 0 || var->varlevelsup != 0)
		return NULL;
	dps_var_origin(source, var, &relation, &column);
	dps_get_var_annotation(source, var, &annotation);
	if (!annotation.has_values)
		return NULL;
	key = palloc0(sizeof(DpsKey));
	key->expression = key->canonical = expression;
	key->type = exprType(expression);
	key->typmod = exprTypmod(expression);
	key->collation = exprCollation(expression);
	key->is_private = !annotation.is_public;
	key->values = dps_declared_values(annotation.values_of, annotation.values_column, key->type, key->typmod,
									  key->collation);
	if (key->values->n == 0)
		return NULL;
	/* the values differed when they were declared, but ALTER COLUMN may have changed type, precision or
	 * collation */
	if (key->values->has_equal)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("declared values of column \"%s\" of relation \"%s\" are equal to each other",
						get_attname(relation, column, false), get_rel_name(relation)),
				 errdetail("A row would count in several groups.  The column's type or collation may have changed."),
				 dps_hint_owner(relation, "Declare its values anew with dpsens.set_values()."),
				 errposition(dps_query_position(source, exprLocation(expression)))));
	return key;
}

static DpsKey *
make_key(DpsProtectedSource *source, SortGroupClause *clause, Node *expression)
{
	DpsKey	   *key = dps_declared_key(source, expression);

	if (key != NULL)
		dps_note_public_column(source, key);
	else
		key = dps_public_key(source, expression);
	if (key == NULL)
		key = dps_undeclared_key(source, expression);
	key->clause = clause;
	return key;
}

List *
dps_collect_keys(DpsProtectedSource *source, Query *query)
{
	List	   *keys = NIL;
	ListCell   *cell;

	foreach(cell, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);

		keys = lappend(keys, make_key(source, clause, get_sortgroupclause_expr(clause, query->targetList)));
	}
	foreach(cell, keys)
	{
		if (dps_any_key_is_undeclared(keys))
			dps_canonical_key(source, lfirst(cell));
	}
	return keys;
}

bool
dps_any_key_is_private(const List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		if (((DpsKey *) lfirst(cell))->is_private)
			return true;
	}
	return false;
}

bool
dps_any_key_is_undeclared(const List *keys)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		if (((const DpsKey *) lfirst(cell))->values == NULL)
			return true;
	}
	return false;
}

int64
dps_key_combinations(const List *keys)
{
	int64		n = 1;
	ListCell   *cell;

	foreach(cell, keys)
	{
		if (pg_mul_s64_overflow(n, ((DpsKey *) lfirst(cell))->values->n, &n))
			return PG_INT64_MAX;
	}
	return n;
}

/* One constant, because a tree with a node for each value would be copied many times during planning. */
Const *
dps_key_array(const DpsKey *key)
{
	Oid			array_type = get_array_type(key->type);

	if (!OidIsValid(array_type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("declared values of type %s are not supported together with dp aggregates",
						format_type_be(key->type)),
				 errdetail("It has no array type.")));
	return makeConst(array_type, -1, key->collation, -1, dps_values_array(key->values), false, false);
}

Expr *
dps_key_membership(const DpsKey *key, Expr *column)
{
	ScalarArrayOpExpr *membership = makeNode(ScalarArrayOpExpr);

	membership->opno = lookup_type_cache(key->type, TYPECACHE_EQ_OPR)->eq_opr;
	membership->opfuncid = get_opcode(membership->opno);
	membership->useOr = true;
	membership->inputcollid = key->collation;
	membership->args = list_make2(copyObject(column), dps_key_array(key));
	membership->location = -1;
	return (Expr *) membership;
}

/*
 * CASE WHEN column = ANY (values) THEN width_bucket(column, values) END: hashing and bisection, since there
 * may be many values.
 */
Expr *
dps_key_number(const DpsKey *key, Expr *column)
{
	CaseExpr   *expression = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = dps_key_membership(key, column);
	when->result = (Expr *) makeFuncExpr(F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY, INT4OID,
										 list_make2(column, dps_key_array(key)), InvalidOid, key->collation,
										 COERCE_EXPLICIT_CALL);
	when->location = -1;
	expression->casetype = INT4OID;
	expression->args = list_make1(when);
	expression->defresult = (Expr *) makeNullConst(INT4OID, -1, InvalidOid);
	expression->location = -1;
	return (Expr *) expression;
}

RangeTblEntry *
dps_key_values(const DpsKey *key)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	FuncExpr   *unnest;

	unnest = makeFuncExpr(F_UNNEST_ANYARRAY, key->type, list_make1(dps_key_array(key)),
						  key->collation, key->collation, COERCE_EXPLICIT_CALL);
	unnest->funcretset = true;
	function->funcexpr = (Node *) unnest;
	function->funccolcount = 1;
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->funcordinality = true;
	entry->eref = makeAlias("declared", list_make2(makeString(pstrdup("key")), makeString(pstrdup("ordinal"))));
	entry->inFromCl = true;
	return entry;
}

Var *
dps_key_var(const DpsKey *key, int position)
{
	return makeVar(position, DPS_KEY_VALUE, key->type, key->typmod, key->collation, 0);
}

Var *
dps_key_ordinal(int position)
{
	return makeVar(position, DPS_KEY_ORDINAL, INT8OID, -1, InvalidOid, 0);
}

void
dps_order_by_declaration(Query *query, int n)
{
	Oid			less;
	Oid			equal;
	bool		hashable;
	int			i;

	get_sort_group_operators(INT8OID, true, true, false, &less, &equal, NULL, &hashable);
	for (i = 1; i <= n; i++)
	{
		TargetEntry *entry = makeTargetEntry((Expr *) dps_key_ordinal(i),
											 list_length(query->targetList) + 1, NULL, true);
		SortGroupClause *clause = makeNode(SortGroupClause);

		entry->ressortgroupref = clause->tleSortGroupRef = i;
		clause->eqop = equal;
		clause->sortop = less;
		clause->hashable = hashable;
		query->targetList = lappend(query->targetList, entry);
		query->sortClause = lappend(query->sortClause, clause);
	}
}

/*
 * covered.c
 *		Have all rows one of a column's declared values?
 *
 * Then the groups of a key that is the column are parts of what is counted without it.  A row with another value, or with
 * NULL, would be in the whole and in no part.  What is proved here decides no noise: it says which answers may be made to
 * add up.
 *
 * Proof.  Some condition that is true of each row admits declared values alone: one of the
 * query, or of its views and subqueries (of consecutive integers or dates a range does); or, where the column is never NULL, a CHECK that is valid, holds in child tables, and
 * cannot be NULL itself for a list without NULL; or the type has no other values.  That one condition implies another is
 * what the server's predicate_implied_by proves.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "glue/label/annotation.h"
#include "guard/query/made_nodes.h"
#include "guard/source/covered.h"

static bool
is_widened_constant(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;

	return IsA(node, FuncExpr) && call->funcid == F_INT8_INT4 && IsA(linitial(call->args), Const) &&
		!linitial_node(Const, call->args)->constisnull;
}

/* Removes casts that do not change bytes, of values and of elements, so that text and varchar are compared alike, and folds
 * the one that constants beside a bigint have. */
static Node *
relabel_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, RelabelType))
		return relabel_mutator((Node *) ((RelabelType *) node)->arg, context);
	if (is_widened_constant(node))
		return (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
								  Int64GetDatum(DatumGetInt32(linitial_node(Const, ((FuncExpr *) node)->args)->constvalue)),
								  false, FLOAT8PASSBYVAL);
	if (IsA(node, ArrayCoerceExpr) && IsA(relabel_mutator((Node *) ((ArrayCoerceExpr *) node)->elemexpr, context), CaseTestExpr))
		return relabel_mutator((Node *) ((ArrayCoerceExpr *) node)->arg, context);
	return expression_tree_mutator(node, relabel_mutator, context);
}

static bool
is_of_user(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

static bool
calls_users_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return check_functions_in_node(node, is_of_user, NULL) || expression_tree_walker(node, calls_users_walker, context);
}

/*
 * The parts of a CHECK, none of which is false, but for those that call functions of users: what is constant in a part is
 * computed, with the rights of who asks, and the owner of the relation is somebody else.
 */
static List *
parts_of_check(const char *stored, int varno)
{
	List	   *parts = NIL;
	ListCell   *cell;

	foreach(cell, make_ands_implicit((Expr *) stringToNode(stored)))
	{
		Node	   *part = lfirst(cell);

		if (calls_users_walker(part, NULL))
			continue;
		part = eval_const_expressions(NULL, part);
		ChangeVarNodes(part, 1, varno, 0);
		parts = lappend(parts, part);
	}
	return parts;
}

/* The CHECKs of the relation, as conditions on the Var's part. */
static List *
check_conditions(Oid relation, int varno)
{
	Relation	opened = table_open(relation, AccessShareLock);
	const TupleConstr *constr = RelationGetDescr(opened)->constr;
	List	   *checks = NIL;
	int			i;

	for (i = 0; constr != NULL && i < constr->num_check; i++)
	{
		const ConstrCheck *check = &constr->check[i];

		if (check->ccvalid && !check->ccnoinherit)
			checks = list_concat(checks, parts_of_check(check->ccbin, varno));
	}
	table_close(opened, NoLock);
	return checks;
}

/* Do the conditions, which are true, or which are not false, leave declared values alone? */
static bool
implies_values(const Expr *membership, const List *conditions, bool weak)
{
	List	   *values = list_make1(relabel_mutator((Node *) membership, NULL));
	List	   *bare = (List *) relabel_mutator((Node *) conditions, NULL);

	return bare != NIL && predicate_implied_by(values, bare, weak);
}

/* The column and one end of consecutive values. */
static Node *
compared(const Var *column, const DpsValues *values, int strategy, int64 end)
{
	Oid			type = getBaseType(values->type);
	Oid			family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	Oid			comparison = get_opfamily_member(family, type, type, strategy);
	int16		length;
	bool		byval;
	Const	   *constant;

	if (!OidIsValid(comparison))
		return NULL;
	get_typlenbyval(type, &length, &byval);
	constant = makeConst(type, -1, InvalidOid, length, dps_key_of_integer(end, length), false, byval);
	return (Node *) make_opclause(comparison, BOOLOID, false, (Expr *) copyObject((Var *) column), (Expr *) constant, InvalidOid,
								  InvalidOid);
}

/* Do they leave what is between the first and the last of consecutive integers or dates? */
static bool
implies_range(const Var *column, const DpsValues *values, const List *conditions, bool weak)
{
	Node	   *above;
	Node	   *below;

	if (!values->is_sequence || values->map == NULL || values->n == 0 || conditions == NIL)
		return false;
	above = compared(column, values, BTGreaterEqualStrategyNumber, values->map->first);
	below = compared(column, values, BTLessEqualStrategyNumber, values->map->first + values->n - 1);
	return above != NULL && below != NULL &&
		predicate_implied_by(list_make2(above, below), (List *) relabel_mutator((Node *) conditions, NULL), weak);
}

static bool
implies(const Var *column, const DpsValues *values, const Expr *membership, const List *conditions, bool weak)
{
	return implies_values(membership, conditions, weak) || implies_range(column, values, conditions, weak);
}

static bool
is_never_null(const DpsProtectedSource *source, const Var *column)
{
	Node	   *test = dps_null_test((Var *) column, IS_NOT_NULL);

	return dps_var_is_not_null(source, column) ||
		(source->parts == NIL && source->conditions != NIL && predicate_implied_by(list_make1(test), source->conditions, false));
}

/* Has the type no values but these, which differ? */
static bool
are_all_values(const DpsValues *values)
{
	Oid			type = getBaseType(values->type);

	if (values->has_equal)
		return false;
	if (type == BOOLOID)
		return values->n == 2;
	return get_typtype(type) == TYPTYPE_ENUM && values->n == dps_enum_size(type);
}

bool
dps_values_cover_rows(const DpsProtectedSource *source, const Var *column, const DpsValues *values, const Expr *membership)
{
	Oid			relation;
	AttrNumber	attribute;

	if (column->varattno <= 0 || column->varlevelsup != 0)
		return false;
	if (source->parts == NIL && implies(column, values, membership, source->conditions, false))
		return true;
	if (!is_never_null(source, column))
		return false;
	if (are_all_values(values))
		return true;
	dps_var_origin(source, column, &relation, &attribute);
	return source->parts == NIL && relation == source->relation && attribute == column->varattno &&
		implies(column, values, membership, check_conditions(relation, column->varno), true);
}

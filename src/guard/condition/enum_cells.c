/*
 * enum_cells.c
 *		Cells of enum types, compared by labels that were read before rows.
 *
 * A cell of an enum type is the OID of a label.  The server's functions that order and write labels read
 * the catalogs.  None of them is called for a cell:
 *
 * - comparisons by the order of labels compare positions in a table that is in the plan, and casts from and
 *	 to text use the same table (attempt.c);
 * - equality, in joins as well, and the order in which rows are sorted are those of OIDs; groups that are
 *	 released are in the order of positions.
 *
 * A cell that is no label is NULL where it is ordered or written; otherwise it is equal to itself.
 *
 * All types that users made are locked from before the rewriting to the end of the transaction; domains as
 * well, because the server reads their lengths when it first sorts.  For a role that may not read rows, a
 * kept plan that was made before locks them when it is started, and refuses to run if the labels have
 * changed.  The transaction itself may drop a type that its cursor uses; this is an error before the first
 * row.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "agg/aggregate.h"
#include "glue/import/enum_labels.h"
#include "guard/condition/attempt.h"
#include "guard/condition/enum_cells.h"

bool
dps_is_enum(Oid type)
{
	return type_is_enum(getBaseType(type));
}

/* ---- places ---- */

/* The comparison of positions that replaces a comparison of labels; otherwise InvalidOid. */
static Oid
comparison_of_places(Oid function)
{
	switch (function)
	{
		case F_ENUM_LT:
			return F_INT4LT;
		case F_ENUM_LE:
			return F_INT4LE;
		case F_ENUM_GT:
			return F_INT4GT;
		case F_ENUM_GE:
			return F_INT4GE;
		case F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY:
			return function;
		default:
			return InvalidOid;
	}
}

static Oid
function_of(Node *node, List **arguments)
{
	if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		*arguments = ((OpExpr *) node)->args;
		return ((OpExpr *) node)->opfuncid;
	}
	if (!IsA(node, FuncExpr))
		return InvalidOid;
	*arguments = ((FuncExpr *) node)->args;
	return ((FuncExpr *) node)->funcid;
}

static bool
is_list(const Node *node)
{
	return IsA(node, Const) && !((const Const *) node)->constisnull;
}

bool
dps_orders_labels(Node *node)
{
	List	   *arguments = NIL;
	Oid			function = comparison_of_places(function_of(node, &arguments));

	return OidIsValid(function) && list_length(arguments) == 2 && dps_is_enum(exprType(linitial(arguments))) &&
		(function != F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY || is_list(lsecond(arguments)));
}

static Datum
place_of(const DpsEnumLabels *labels, Datum cell, bool *isnull)
{
	const DpsEnumLabel *label = dps_find_enum_label(labels, DatumGetObjectId(cell));

	*isnull = label == NULL;
	return Int32GetDatum(label == NULL ? 0 : label->place);
}

static Node *
constant_place(const DpsEnumLabels *labels, const Const *constant)
{
	bool		isnull = true;
	Datum		place = constant->constisnull ? (Datum) 0 : place_of(labels, constant->constvalue, &isnull);

	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), place, isnull, true);
}

static Node *
place(const DpsEnumLabels *labels, Node *node)
{
	DpsAttempt	plan = {.function = F_ENUM_CMP, .labels = DPS_LABEL_PLACE};
	DpsResult	result = {INT4OID, InvalidOid, InvalidOid, exprLocation(node)};

	if (IsA(node, Const))
		return constant_place(labels, (const Const *) node);
	return dps_make_attempt(&plan, labels, list_make1(node), &result);
}

Node *
dps_label_place(Node *cell)
{
	return place(dps_read_enum_labels(getBaseType(exprType(cell))), cell);
}

/* The positions of an array of labels. */
static Node *
places(const DpsEnumLabels *labels, const Const *list)
{
	ArrayType  *array = DatumGetArrayTypeP(list->constvalue);
	Datum	   *cells;
	bool	   *isnull;
	int			n;
	int			i;

	deconstruct_array(array, ARR_ELEMTYPE(array), sizeof(Oid), true, TYPALIGN_INT, &cells, &isnull, &n);
	for (i = 0; i < n; i++)
	{
		if (!isnull[i])
			cells[i] = place_of(labels, cells[i], &isnull[i]);
	}
	array = construct_md_array(cells, isnull, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array), INT4OID,
							   sizeof(int32), true, TYPALIGN_INT);
	return (Node *) makeConst(INT4ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false, false);
}

Node *
dps_compare_places(Node *node)
{
	List	   *arguments = NIL;
	Oid			function = comparison_of_places(function_of(node, &arguments));
	DpsEnumLabels *labels = dps_read_enum_labels(getBaseType(exprType(linitial(arguments))));
	Node	   *second = function == F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY ?
		places(labels, lsecond(arguments)) : place(labels, lsecond(arguments));
	FuncExpr   *result = makeFuncExpr(function, exprType(node), list_make2(place(labels, linitial(arguments)), second),
									  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);

	result->location = exprLocation(node);
	return (Node *) result;
}

/* ---- OIDs ---- */

static Oid
oid_operator(const char *name)
{
	return OpernameGetOprid(list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup(name))), OIDOID, OIDOID);
}

/* The operator on OIDs that corresponds to an operator on an enum (its order is that of OIDs); otherwise
 * InvalidOid. */
static Oid
operator_by_oid(Oid operator)
{
	switch (OidIsValid(operator) ? get_opcode(operator) : InvalidOid)
	{
		case F_ENUM_EQ:
			return oid_operator("=");
		case F_ENUM_NE:
			return oid_operator("<>");
		case F_ENUM_LT:
			return oid_operator("<");
		case F_ENUM_GT:
			return oid_operator(">");
		default:
			return InvalidOid;
	}
}

static void
sort_by_oid(List *clauses)
{
	ListCell   *cell;

	foreach(cell, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		Oid			equality = operator_by_oid(clause->eqop);

		if (!OidIsValid(equality))
			continue;
		clause->eqop = equality;
		clause->sortop = operator_by_oid(clause->sortop);
	}
}

static void
sort_windows_by_oid(List *windows)
{
	ListCell   *cell;

	foreach(cell, windows)
	{
		sort_by_oid(lfirst_node(WindowClause, cell)->partitionClause);
		sort_by_oid(lfirst_node(WindowClause, cell)->orderClause);
	}
}

static void
compare_by_oid(OpExpr *call)
{
	Oid			operator;
	ListCell   *cell;

	set_opfuncid(call);
	if (call->opfuncid != F_ENUM_EQ && call->opfuncid != F_ENUM_NE)
		return;
	operator = operator_by_oid(call->opno);
	foreach(cell, call->args)
		lfirst(cell) = makeRelabelType(lfirst(cell), OIDOID, -1, InvalidOid, COERCE_IMPLICIT_CAST);
	call->opno = operator;
	call->opfuncid = get_opcode(operator);
}

static bool by_oid_walker(Node *node, void *context);

static void
query_by_oid(Query *query)
{
	sort_by_oid(query->groupClause);
	sort_by_oid(query->distinctClause);
	sort_windows_by_oid(query->windowClause);
	(void) query_tree_walker(query, by_oid_walker, NULL, 0);
}

static bool
by_oid_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Query:
			sort_by_oid(((Query *) node)->sortClause);
			query_by_oid((Query *) node);
			return false;
		case T_SetOperationStmt:
			sort_by_oid(((SetOperationStmt *) node)->groupClauses);
			break;
		case T_Aggref:
			sort_by_oid(((Aggref *) node)->aggorder);
			sort_by_oid(((Aggref *) node)->aggdistinct);
			break;
		case T_OpExpr:
			compare_by_oid((OpExpr *) node);
			break;
		default:
			break;
	}
	return expression_tree_walker(node, by_oid_walker, context);
}

/* ORDER BY of the query itself sorts released answers, so it keeps the order of the labels. */
void
dps_compare_enums_by_oid(Query *query)
{
	query_by_oid(query);
}

/* ---- types ---- */

void
dps_lock_types(const List *types)
{
	ListCell   *cell;

	foreach(cell, types)
	{
		if (lfirst_oid(cell) >= FirstNormalObjectId)
			dps_lock_type(lfirst_oid(cell));
	}
}

List *
dps_enum_tables(const List *types)
{
	List	   *tables = NIL;
	ListCell   *cell;

	foreach(cell, types)
	{
		if (type_is_enum(lfirst_oid(cell)))
			tables = lappend(tables, makeConst(BYTEAOID, -1, InvalidOid, -1,
											   PointerGetDatum(dps_read_enum_labels(lfirst_oid(cell))), false, false));
	}
	return tables;
}

static bool
is_current(const DpsEnumLabels *labels)
{
	const DpsEnumLabels *now = dps_read_enum_labels(labels->type);

	return VARSIZE(now) == VARSIZE(labels) && memcmp(now, labels, VARSIZE(labels)) == 0;
}

void
dps_check_enum_tables(const List *tables)
{
	ListCell   *cell;

	foreach(cell, tables)
	{
		const DpsEnumLabels *labels = (const DpsEnumLabels *) DatumGetPointer(lfirst_node(Const, cell)->constvalue);

		if (!is_current(labels))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the labels of type %s have changed since the query was planned", format_type_be(labels->type)),
					 errhint("Run the query again.")));
	}
}

void
dps_check_types(const List *types)
{
	ListCell   *cell;

	foreach(cell, types)
	{
		Oid			type = lfirst_oid(cell);

		if (type >= FirstNormalObjectId && !SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("a type that the query uses was dropped after the query was started"),
					 errhint("Read what the query answers first.")));
	}
}

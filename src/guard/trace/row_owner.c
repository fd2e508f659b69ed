/*
 * row_owner.c
 *		The owner of a row of a join, at execution.
 *
 * That a row of a protected relation is in at most one row of a join is proved when the query is planned
 * (join_proof.c).  The guarantee does not rely on this alone: an index may be damaged, a collation may
 * have changed below it, or the proof may be wrong.  So the rows of a join are counted by owner in the
 * same way as those of units with several rows (unit_rows.c), with one row per owner if a unit has one,
 * and surplus rows are left out silently.  Then a wrong proof costs accuracy only: of the joined rows of
 * one row, one counts, and which one is a function of these rows alone.  (They may be fewer than SQL says,
 * since the executor relies on unique indexes as well and stops at the first match.)
 *
 * Counting is omitted if the plan itself cannot yield a row twice, even if the proof is wrong
 * (agg/scan/single_rows.c).  Then every row of the plan is the only one of its owner and would be kept, so
 * the answer equals that with counting bit for bit.  This holds for owners that are rows identified by
 * their places, not for units: a damaged index may have admitted several rows of a unit.
 *
 * A row without a unit is a unit by itself.  If the unit is reached by a reference, and the referenced row
 * has no unit, that row is the owner: removing it removes all rows that refer to it, so these belong to
 * one owner, within the limits of one.
 *
 * The owner is one value.  Of a unit of several columns it is an image of them (dps_unit_order), so that tuples are equal
 * if and only if each column is, and no limit, count or map knows how many columns there are.
 *
 * Values of some types are compared with copies that are several times as long: strings of collations that are not
 * deterministic, in UTF-16 or as sort keys, and types of extensions, as citext in lower case.  Of values of some hundred megabytes
 * that is more than an allocation takes, and the error would tell of the row.  So rows whose unit is such a value and longer than
 * LONGEST_COMPARED are in no state, as are those of grouped subqueries (grouped.c), and their owner is NULL, so that nothing
 * compares it.  Which these are follows from the row's own unit alone: a unit that is left out adds what one adds that is not there; and of
 * equal values of which some are longer the others' rows are the unit's rows that count, within its limits.
 *
 * A row is identified by where it is stored, which does not change within a statement's snapshot.  Places
 * are only compared for equality.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "agg/scan/chosen_rows.h"
#include "glue/glue.h"
#include "guard/query/made_nodes.h"
#include "guard/source/grouped_part.h"
#include "guard/source/unit_vars.h"
#include "guard/trace/expand.h"
#include "guard/trace/row_owner.h"

/* Can a counted row occur in several rows of the source? */
static bool
may_multiply(const DpsProtectedSource *source)
{
	ListCell   *cell;
	ListCell   *arm;

	if (list_length(source->parts) > 1)
		return true;
	foreach(cell, source->parts)
	{
		foreach(arm, ((const DpsPart *) lfirst(cell))->arms)
		{
			if (may_multiply(((const DpsArm *) lfirst(arm))->source))
				return true;
		}
	}
	return false;
}

bool
dps_counts_rows(const DpsProtectedSource *source)
{
	return source->limits_unit || may_multiply(source);
}

/* ---- expressions ---- */

/* Bytes that are equal if and only if all arguments have equal bytes. */
static Expr *
image_of(List *arguments)
{
	Oid			argtype = ANYOID;

	return (Expr *) makeFuncExpr(dps_internal_function("unit_order", 1, &argtype), BYTEAOID, arguments, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

static Var *
place_column(int number, AttrNumber column)
{
	return makeVar(number, column, column == TableOidAttributeNumber ? OIDOID : TIDOID, -1, InvalidOid, 0);
}

/* The place of the last part that is not padded. */
static Expr *
last_place(const List *numbers, AttrNumber column)
{
	CoalesceExpr *result = makeNode(CoalesceExpr);
	ListCell   *cell;

	foreach(cell, numbers)
		result->args = lcons(place_column(lfirst_int(cell), column), result->args);
	result->coalescetype = exprType(linitial(result->args));
	result->location = -1;
	return list_length(numbers) == 1 ? linitial(result->args) : (Expr *) result;
}

/* The expression if a column of the unit is NULL; else NULL. */
static Expr *
without_unit(const List *unit, Expr *expression)
{
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->location = result->location = -1;
	when->expr = dps_any_is_null(unit);
	when->result = expression;
	result->casetype = exprType((Node *) expression);
	result->args = list_make1(when);
	result->defresult = (Expr *) makeNullConst(result->casetype, -1, InvalidOid);
	return (Expr *) result;
}

/* ---- rows ---- */

/* Are all rows of the relation in one file, so that their places identify them? */
static bool
is_one_file(const DpsPart *part)
{
	return part->arms == NIL && part->grouping == NULL && get_rel_relkind(part->relation) == RELKIND_RELATION &&
		find_inheritance_children(part->relation, NoLock) == NIL;
}

static int
union_columns(const DpsPart *part)
{
	return list_length(((SetOperationStmt *) part->entry->subquery->setOperations)->colTypes);
}

/* Expressions that identify the rows of the first part. */
static List *
row_of_first(DpsProtectedSource *source)
{
	DpsPart    *part;

	if (source->parts == NIL)
		return list_make2(dps_expose_column(source, TableOidAttributeNumber),
						  dps_expose_column(source, SelfItemPointerAttributeNumber));
	part = linitial(source->parts);
	if (part->arms != NIL)
	{
		part->tells_rows = true;
		return list_make1(makeVar(1, union_columns(part) + 1, BYTEAOID, -1, InvalidOid, 0));
	}
	/* a unit has one group, or the limits apply to the unit */
	if (part->grouping != NULL)
		return dps_grouped_unit(part, 1);
	return list_make2(place_column(1, TableOidAttributeNumber), place_column(1, SelfItemPointerAttributeNumber));
}

Expr *
dps_arm_row(DpsProtectedSource *arm, int number)
{
	Const	   *which = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(number), false, true);

	return image_of(lcons(which, row_of_first(arm)));
}

/* ---- owners ---- */

/* Columns whose images are equal where the unit's are, which one column of such a type has itself. */
static List *
forms_of(const DpsProtectedSource *source, const List *unit)
{
	return list_length(unit) == 1 ? copyObject(unconstify(List *, unit)) : dps_unit_forms(source, unit);
}

/* The owner if the unit may be NULL.  Rows in which a column of several is NULL have the same owner only if they are of
 * one place, whatever the others hold. */
static Expr *
unit_or_place(const DpsProtectedSource *source, Expr *table, Expr *place)
{
	List	   *arguments = forms_of(source, source->unit_vars);

	arguments = lappend(arguments, without_unit(source->unit_vars, table));
	return image_of(lappend(arguments, without_unit(source->unit_vars, place)));
}

/* CASE WHEN no column is NULL THEN the image of their forms END: NULL for rows without a unit. */
static Expr *
image_of_unit(const DpsProtectedSource *source, const List *unit)
{
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->location = result->location = -1;
	when->expr = dps_any_is_null(unit);
	when->result = (Expr *) makeNullConst(BYTEAOID, -1, InvalidOid);
	result->casetype = BYTEAOID;
	result->args = list_make1(when);
	result->defresult = image_of(dps_unit_forms(source, unit));
	return (Expr *) result;
}

/* The unit as one value: the column, or the image of several. */
static Expr *
unit_of(DpsProtectedSource *source)
{
	List	   *unit = dps_expose_unit(source);

	if (list_length(unit) == 1)
		return linitial(unit);
	return dps_unit_is_not_null(source) ? image_of(dps_unit_forms(source, unit)) : image_of_unit(source, unit);
}

/* Is the unit one column of a type whose equal values can have different bytes? */
static bool
is_compared_by_type(const DpsProtectedSource *source)
{
	const Var  *first = linitial_node(Var, source->unit_vars);

	return list_length(source->unit_vars) == 1 && !dps_is_byte_key(first->vartype, first->varcollid);
}

/* ---- units that are too long to be compared ---- */

#define LONGEST_COMPARED (1024 * 1024)

bool
dps_is_compared_by_copies(Oid type, Oid collation)
{
	Oid			base = getBaseType(type);

	if (get_typlen(base) != -1)
		return false;
	return base >= FirstNormalObjectId || (OidIsValid(collation) && !get_collation_isdeterministic(collation));
}

/* The bytes of what is stored, not compressed, are asked for without reading it. */
static Expr *
is_short(const Expr *unit)
{
	Expr	   *bytes = (Expr *) makeRelabelType((Expr *) copyObjectImpl(unit), BYTEAOID, -1, InvalidOid, COERCE_IMPLICIT_CAST);
	Expr	   *length = (Expr *) makeFuncExpr(F_OCTET_LENGTH_BYTEA, INT4OID, list_make1(bytes), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);

	return make_opclause(Int4LessOperator, BOOLOID, false, length,
						 (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(LONGEST_COMPARED), false, true),
						 InvalidOid, InvalidOid);
}

/* Can the unit be too long?  That is so of one column alone: several become bytes. */
static bool
may_be_long(const List *unit)
{
	const Node *first = unit != NIL ? linitial(unit) : NULL;

	return list_length(unit) == 1 && dps_is_compared_by_copies(exprType(first), exprCollation(first));
}

Expr *
dps_has_short_unit(DpsProtectedSource *source)
{
	List	   *unit = dps_expose_unit(source);

	if (!may_be_long(unit))
		return NULL;
	return make_orclause(list_make2(dps_null_test(linitial(unit), IS_NULL), is_short(linitial(unit))));
}

/* CASE WHEN the unit is short THEN the unit END */
static Expr *
short_unit(DpsProtectedSource *source)
{
	Expr	   *unit = unit_of(source);
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	if (!may_be_long(dps_expose_unit(source)))
		return unit;
	when->location = result->location = -1;
	when->expr = is_short(unit);
	when->result = unit;
	result->casetype = exprType((Node *) unit);
	result->casecollid = exprCollation((Node *) unit);
	result->args = list_make1(when);
	result->defresult = (Expr *) makeNullConst(result->casetype, -1, result->casecollid);
	return (Expr *) result;
}

Expr *
dps_row_owner(DpsProtectedSource *source, Expr **place)
{
	const DpsPart *first;
	Expr	   *table;
	Expr	   *last;

	*place = NULL;
	if (source->parts == NIL || (source->unit_vars != NIL && dps_unit_is_not_null(source)))
		return short_unit(source);
	if (source->unit_vars != NIL)
	{
		table = last_place(source->owners, TableOidAttributeNumber);
		last = last_place(source->owners, SelfItemPointerAttributeNumber);
		if (!is_compared_by_type(source))
			return unit_or_place(source, table, last);
		*place = image_of(list_make2(table, last));
		return short_unit(source);
	}
	first = linitial(source->parts);
	if (is_one_file(first))
		return (Expr *) place_column(1, SelfItemPointerAttributeNumber);
	return first->arms != NIL ? linitial(row_of_first(source)) : image_of(row_of_first(source));
}

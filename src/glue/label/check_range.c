/*
 * check_range.c
 *		Ranges and values that a table's own constraints imply.
 *
 * A part of a constraint that is not understood is left out, which can only
 * make the range wider.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "glue/import/comparison.h"
#include "glue/label/check_range.h"
#include "glue/label/label.h"
#include "num/whole.h"

#define DAYS_1970_TO_2000 ((double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE))

/* The columns that a constraint's expression is about: those of a table, or the column
 * whose type is the domain. */
typedef struct Target
{
	DpsCheckRange *ranges;
	AttrNumber	value;			/* the column of a domain's VALUE, or 0 */
} Target;

/* The position of a type in this list, from 1, or 0.  A cast to a later type preserves the
 * order of values, up to rounding. */
static int
numeric_width(Oid type)
{
	static const Oid types[] = {INT2OID, INT4OID, INT8OID, NUMERICOID, FLOAT4OID, FLOAT8OID};
	int			i;

	for (i = 0; i < (int) lengthof(types); i++)
	{
		if (types[i] == type)
			return i + 1;
	}
	return 0;
}

static bool
is_widening(const FuncExpr *call)
{
	int			from;

	if (call->funcid >= FirstNormalObjectId || list_length(call->args) != 1 ||
		(call->funcformat != COERCE_IMPLICIT_CAST && call->funcformat != COERCE_EXPLICIT_CAST))
		return false;
	from = numeric_width(exprType(linitial(call->args)));
	return from > 0 && from < numeric_width(call->funcresulttype);
}

/* The column that an operand consists of, or a domain's VALUE, below any cast; 0 if it is
 * none.  *type is what is cast. */
static AttrNumber
find_operand(const Target *target, Node *node, Oid *type)
{
	for (;;)
	{
		if (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, CoerceToDomain))
			node = (Node *) ((CoerceToDomain *) node)->arg;
		else if (IsA(node, FuncExpr) && is_widening((FuncExpr *) node))
			node = linitial(((FuncExpr *) node)->args);
		else
			break;
	}
	*type = getBaseType(exprType(node));
	if (IsA(node, CoerceToDomainValue))
		return target->value;
	return IsA(node, Var) ? ((Var *) node)->varattno : InvalidAttrNumber;
}

/* The type of the column that an operand consists of; NULL if it is not a column that has
 * ranges. */
static const DpsLabelType *
find_column(const Target *target, Node *node, AttrNumber *column)
{
	Oid			type;

	*column = find_operand(target, node, &type);
	/* comparisons count a year as 12 months of 30 days, the seconds of a range as 365.25
	 * days */
	return *column > 0 && type != INTERVALOID ? dps_find_label_type(type) : NULL;
}

static bool are_constant(const List *nodes);

/* Does a cast of an array leave its elements as they are? */
static bool
is_relabelling(const Expr *element)
{
	return IsA(element, RelabelType) && IsA(((const RelabelType *) element)->arg, CaseTestExpr);
}

/* Does it consist of constants and the server's own immutable functions? */
static bool
is_constant(Node *node)
{
	List	   *args;
	Oid			function;

	if (IsA(node, Const))
		return true;
	if (IsA(node, RelabelType))
		return is_constant((Node *) ((RelabelType *) node)->arg);
	if (IsA(node, ArrayCoerceExpr))
		return is_relabelling(((ArrayCoerceExpr *) node)->elemexpr) && is_constant((Node *) ((ArrayCoerceExpr *) node)->arg);
	if (IsA(node, ArrayExpr))
		return are_constant(((ArrayExpr *) node)->elements);
	if (IsA(node, FuncExpr))
	{
		function = ((FuncExpr *) node)->funcid;
		args = ((FuncExpr *) node)->args;
	}
	else if (IsA(node, OpExpr))
	{
		function = get_opcode(((OpExpr *) node)->opno);
		args = ((OpExpr *) node)->args;
	}
	else
		return false;
	return function < FirstNormalObjectId && func_volatile(function) == PROVOLATILE_IMMUTABLE && are_constant(args);
}

static bool
are_constant(const List *nodes)
{
	ListCell   *cell;

	foreach(cell, nodes)
	{
		if (!is_constant(lfirst(cell)))
			return false;
	}
	return true;
}

static bool
datum_to_double(Datum value, Oid type, double *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(value);
			break;
		case INT4OID:
			*number = DatumGetInt32(value);
			break;
		case INT8OID:
			*number = (double) DatumGetInt64(value);
			break;
		case FLOAT4OID:
			*number = DatumGetFloat4(value);
			break;
		case FLOAT8OID:
			*number = DatumGetFloat8(value);
			break;
		case NUMERICOID:
			*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
			break;
		case DATEOID:
			*number = (DatumGetDateADT(value) + DAYS_1970_TO_2000) * SECS_PER_DAY;
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*number = DatumGetTimestamp(value) / 1e6 + DAYS_1970_TO_2000 * SECS_PER_DAY;
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		default:
			return false;
	}
	return isfinite(*number);
}

/* The value of a constant expression; NULL if it has none. */
static const Const *
evaluate_constant(Node *node)
{
	Const	   *constant;

	if (!is_constant(node))
		return NULL;
	constant = (Const *) evaluate_expr((Expr *) copyObject(node), exprType(node),
									   exprTypmod(node), exprCollation(node));
	return IsA(constant, Const) && !constant->constisnull ? constant : NULL;
}

static bool
read_constant(Node *node, double *number)
{
	const Const *constant = evaluate_constant(node);

	return constant != NULL && datum_to_double(constant->constvalue, getBaseType(constant->consttype), number);
}

/* Intersects the range with a comparison.  Ends of integers and dates are rounded inward
 * to whole steps. */
static void
narrow(DpsCheckRange *range, int strategy, double bound, const DpsLabelType *type)
{
	double		step = type->type == DATEOID ? SECS_PER_DAY : type->integral ? 1 : 0;
	double		lo = bound;
	double		hi = bound;

	if (step > 0)
	{
		lo = step * (strategy == BTGreaterStrategyNumber ? floor(bound / step) + 1 : ceil(bound / step));
		hi = step * (strategy == BTLessStrategyNumber ? ceil(bound / step) - 1 : floor(bound / step));
	}
	if (strategy >= BTEqualStrategyNumber && lo > range->lo)
		range->lo = lo;
	if (strategy <= BTEqualStrategyNumber && hi < range->hi)
		range->hi = hi;
}

static int
mirrored(int strategy)
{
	return BTMaxStrategyNumber + 1 - strategy;
}

/*
 * The btree strategy of a builtin comparison of two numbers, or of two dates
 * or timestamps: 0 for anything else.
 */
static int
comparison_strategy(const OpExpr *comparison)
{
	Oid			left = getBaseType(exprType(linitial(comparison->args)));
	Oid			right = getBaseType(exprType(lsecond(comparison->args)));

	if (dps_find_label_type(left) == NULL || dps_find_label_type(right) == NULL)
		return 0;
	return dps_type_comparison_strategy(comparison->opno, left);
}

static void
read_comparison(const Target *target, const OpExpr *comparison)
{
	const DpsLabelType *type;
	Node	   *constant;
	AttrNumber	column;
	int			strategy;
	double		bound;

	if (list_length(comparison->args) != 2)
		return;
	strategy = comparison_strategy(comparison);
	if (strategy == 0)
		return;
	constant = lsecond(comparison->args);
	type = find_column(target, linitial(comparison->args), &column);
	if (type == NULL)
	{
		constant = linitial(comparison->args);
		type = find_column(target, lsecond(comparison->args), &column);
		strategy = mirrored(strategy);
	}
	if (type != NULL && read_constant(constant, &bound))
		narrow(&target->ranges[column - 1], strategy, bound, type);
}

/* Narrows the range to the values of a list, if they are numbers. */
static void
narrow_to_list(DpsCheckRange *range, const DpsLabelType *type, Oid element, const Datum *values, int n)
{
	double		lo = INFINITY;
	double		hi = -INFINITY;
	double		number;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (!datum_to_double(values[i], element, &number))
			return;
		lo = fmin(lo, number);
		hi = fmax(hi, number);
	}
	narrow(range, BTGreaterEqualStrategyNumber, lo, type);
	narrow(range, BTLessEqualStrategyNumber, hi, type);
}

/* The values of an array, and their number; 0 if NULL is among them, since then the comparison with anything
 * else is NULL, and a constraint that is NULL holds. */
static int
read_array(const Const *constant, Oid *element, Datum **values)
{
	ArrayType  *array = DatumGetArrayTypeP(constant->constvalue);
	bool	   *nulls;
	int16		length;
	bool		byval;
	char		align;
	int			n;

	*element = ARR_ELEMTYPE(array);
	get_typlenbyvalalign(*element, &length, &byval, &align);
	deconstruct_array(array, *element, length, byval, align, values, &nulls, &n);
	return array_contains_nulls(array) ? 0 : n;
}

static bool
list_member_text(const List *texts, const char *text)
{
	ListCell   *cell;

	foreach(cell, texts)
	{
		if (strcmp(lfirst(cell), text) == 0)
			return true;
	}
	return false;
}

static List *
spell_values(Oid type, const Datum *values, int n)
{
	List	   *texts = NIL;
	Oid			output;
	bool		is_varlena;
	int			i;

	getTypeOutputInfo(type, &output, &is_varlena);
	for (i = 0; i < n; i++)
	{
		char	   *text = OidOutputFunctionCall(output, values[i]);

		if (!list_member_text(texts, text))
			texts = lappend(texts, text);
	}
	return texts;
}

/* Does a column write values as an array's elements are written?  numeric 1.0 is no integer's text. */
static bool
are_written_alike(Oid column, Oid element)
{
	char		category;
	bool		preferred;

	if (column == element)
		return true;
	get_type_category_preferred(column, &category, &preferred);
	if (element == INT2OID || element == INT4OID || element == INT8OID)
		return numeric_width(column) > 0;
	return category == TYPCATEGORY_STRING && element == TEXTOID;
}

/* column IN (list) */
static void
read_list(const Target *target, const ScalarArrayOpExpr *comparison)
{
	const Const *constant;
	const DpsLabelType *label_type;
	DpsCheckRange *range;
	AttrNumber	column;
	Oid			type;
	Oid			element;
	Datum	   *values;
	int			n;

	column = find_operand(target, linitial(comparison->args), &type);
	if (!comparison->useOr || column <= 0 ||
		dps_type_comparison_strategy(comparison->opno, getBaseType(exprType(linitial(comparison->args)))) != BTEqualStrategyNumber)
		return;
	constant = evaluate_constant(lsecond(comparison->args));
	if (constant == NULL || (n = read_array(constant, &element, &values)) == 0)
		return;
	range = &target->ranges[column - 1];
	label_type = dps_find_label_type(type);
	if (label_type != NULL)
		narrow_to_list(range, label_type, element, values, n);
	if (range->values == NIL && (label_type == NULL || !label_type->quoted) && are_written_alike(type, element))
		range->values = spell_values(element, values, n);
}

static void
read_condition(const Target *target, Node *node)
{
	ListCell   *cell;

	if (IsA(node, OpExpr))
		read_comparison(target, (OpExpr *) node);
	else if (IsA(node, ScalarArrayOpExpr))
		read_list(target, (ScalarArrayOpExpr *) node);
	else if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == AND_EXPR)
	{
		foreach(cell, ((BoolExpr *) node)->args)
			read_condition(target, lfirst(cell));
	}
}

/* Reads the CHECK constraints of a table (attribute conrelid) or domain (contypid). */
static void
read_constraints(const Target *target, AttrNumber attribute, Oid object, bool has_children)
{
	Relation	catalog = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, attribute, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
	scan = systable_beginscan(catalog,
							  attribute == Anum_pg_constraint_conrelid ?
							  ConstraintRelidTypidNameIndexId : ConstraintTypidIndexId,
							  true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
		Datum		source;
		bool		isnull;

		/* a NO INHERIT constraint does not hold for rows of child tables */
		if (form->contype != CONSTRAINT_CHECK || !form->convalidated ||
			(form->connoinherit && has_children))
			continue;
		source = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);
		if (!isnull)
			read_condition(target, stringToNode(TextDatumGetCString(source)));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
}

/* The type that a domain is based on, or InvalidOid if the type is no domain. */
static Oid
underlying_type(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;
	Oid			underlying;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	underlying = form->typtype == TYPTYPE_DOMAIN ? form->typbasetype : InvalidOid;
	ReleaseSysCache(tuple);
	return underlying;
}

/* Reads the constraints of a column's domains; a domain may be based on another one. */
static void
read_domains(Target *target, AttrNumber column, Oid type)
{
	Oid			underlying;

	target->value = column;
	while (OidIsValid(underlying = underlying_type(type)))
	{
		read_constraints(target, Anum_pg_constraint_contypid, type, false);
		type = underlying;
	}
	target->value = InvalidAttrNumber;
}

DpsCheckRange *
dps_read_check_ranges(Relation relation)
{
	TupleDesc	descriptor = RelationGetDescr(relation);
	Oid			relation_oid = RelationGetRelid(relation);
	Target		target;
	int			i;

	target.ranges = palloc0(Max(descriptor->natts, 1) * sizeof(DpsCheckRange));
	target.value = InvalidAttrNumber;
	for (i = 0; i < descriptor->natts; i++)
	{
		target.ranges[i].lo = -INFINITY;
		target.ranges[i].hi = INFINITY;
	}
	read_constraints(&target, Anum_pg_constraint_conrelid, relation_oid,
					 find_inheritance_children(relation_oid, NoLock) != NIL);
	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (!attribute->attisdropped)
			read_domains(&target, attribute->attnum, attribute->atttypid);
	}
	return target.ranges;
}

char *
dps_spell_check_end(Oid base_type, double end)
{
	const DpsLabelType *type = dps_find_label_type(base_type);
	double		seconds = end - DAYS_1970_TO_2000 * SECS_PER_DAY;
	Datum		moment;
	char	   *text;

	if (type == NULL || !isfinite(end))
		return NULL;
	if (!type->quoted)
		return dps_format_number(end + 0.0);	/* -0 becomes 0 */
	if (base_type == DATEOID)
		moment = DateADTGetDatum(dps_to_int32(seconds / SECS_PER_DAY));
	else
		moment = TimestampGetDatum(dps_to_int64(rint(seconds * 1e6)));
	return dps_format_moment(moment, base_type, &text) ? text : NULL;
}

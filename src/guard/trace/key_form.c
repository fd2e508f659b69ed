/*
 * key_form.c
 *		Undeclared keys: the form by which rows are grouped, and the form that is
 *		shown.
 *
 * Equal values can have different bytes: 1.0 and 1.00, a and A under some collations.  Which of them is
 * shown for a group would depend on single rows and on their order.  So a key's type must be one in which
 * equal values have the same image, as its operator class states (B-trees need this for deduplication).
 * Numeric and floating-point keys are brought into such a form.
 *
 * The image is what functions of the type see.  Values with the same image may still be stored in
 * different ways.  A string is compressed or stored out of line depending on the length of the rest of its
 * row, which pg_column_size() reveals.  All NaNs are equal, but differ in the sign and 51 further bits.
 * So the shown key is a copy.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/transam.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

#include "guard/condition/safe.h"
#include "guard/source/protected_source.h"
#include "guard/trace/expand.h"
#include "guard/trace/key_form.h"

static void
refuse_unsafe(DpsProtectedSource *source, Node *expression, const DpsUnsafe *unsafe)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s is not supported in GROUP BY together with dp aggregates", unsafe->what),
			 errdetail("What it does with a row could tell of it."),
			 checkExprHasSubLink(expression) ?
			 errhint("Join the relation of the subquery, and group by its column.") :
			 errhint("Use arithmetic, date_trunc, extract, width_bucket, CASE, casts, comparisons and simple functions of strings "
					 "over columns and constants."),
			 errposition(dps_query_position(source, unsafe->location >= 0 ? unsafe->location : exprLocation(expression)))));
}

DpsKey *
dps_undeclared_key(DpsProtectedSource *source, Node *expression)
{
	Node	   *expanded = dps_expand_expression(source, expression);
	DpsKey	   *key = palloc0(sizeof(DpsKey));
	DpsUnsafe	unsafe;

	dps_find_unsafe(expanded, &unsafe);
	if (unsafe.what != NULL)
		refuse_unsafe(source, expression, &unsafe);
	key->expression = key->canonical = expression;
	key->type = exprType(expression);
	key->typmod = exprTypmod(expression);
	key->collation = exprCollation(expression);
	key->is_private = dps_depends_on_private(source, expanded);
	return key;
}

/* Do equal values of the type have the same image? */
static bool
is_equal_image(const DpsKey *key)
{
	TypeCacheEntry *type = lookup_type_cache(key->type, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_CMP_PROC);
	Oid			asked = type->btree_opintype;
	Oid			function;

	if (!OidIsValid(type->btree_opf) || type->cmp_proc >= FirstNormalObjectId)
		return false;
	/* bpchar differs from text in trailing blanks.  With a declared length all values have the same number
	 * of them.  Without one they can differ, and the operator class does not say so on servers before
	 * 15.19. */
	if (getBaseType(key->type) == BPCHAROID)
	{
		if (key->typmod <= (int32) VARHDRSZ)
			return false;
		asked = TEXTOID;
	}
	function = get_opfamily_proc(type->btree_opf, type->btree_opintype, type->btree_opintype, BTEQUALIMAGE_PROC);
	return OidIsValid(function) && function < FirstNormalObjectId &&
		DatumGetBool(OidFunctionCall1Coll(function, key->collation, ObjectIdGetDatum(asked)));
}

/* The maximum length of a key in bytes.  A longer value is no key, since all keys of a group are kept in
 * memory together. */
#define MAX_KEY 8192

/* The function for the length in bytes of a value, if values of the type can be long; else InvalidOid. */
static Oid
length_function(const DpsKey *key)
{
	switch (getBaseType(key->type))
	{
		case VARCHAROID:
		case TEXTOID:
			return F_OCTET_LENGTH_TEXT;
		case BPCHAROID:
			return F_OCTET_LENGTH_BPCHAR;
		case BYTEAOID:
			return F_OCTET_LENGTH_BYTEA;
		case BITOID:
		case VARBITOID:
			return F_OCTET_LENGTH_BIT;
		default:
			return InvalidOid;
	}
}

/* Is the type's declared length within the limit? */
static bool
is_short(const DpsKey *key)
{
	Oid			base = getBaseType(key->type);

	return (base == VARCHAROID || base == BPCHAROID) && key->typmod > (int32) VARHDRSZ &&
		(key->typmod - VARHDRSZ) * MAX_MULTIBYTE_CHAR_LEN <= MAX_KEY;
}

/* CASE WHEN length < 8193 THEN value END */
static Node *
where_short(const DpsKey *key, Node *value, Node *length)
{
	CaseExpr   *result;
	CaseWhen   *when;

	when = makeNode(CaseWhen);
	when->expr = (Expr *) make_opclause(Int4LessOperator, BOOLOID, false, (Expr *) length,
										(Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(MAX_KEY + 1), false, true),
										InvalidOid, InvalidOid);
	when->result = (Expr *) value;
	when->location = -1;
	result = makeNode(CaseExpr);
	result->casetype = key->type;
	result->casecollid = key->collation;
	result->args = list_make1(when);
	result->defresult = (Expr *) makeNullConst(key->type, key->typmod, key->collation);
	result->location = exprLocation(key->expression);
	return (Node *) result;
}

/* What make_short makes of a column, and nothing that make_short_numeric does. */
const Var *
dps_short_column(const Node *canonical, Node **condition)
{
	const CaseExpr *choice = (const CaseExpr *) canonical;
	const CaseWhen *when;

	if (!IsA(choice, CaseExpr) || choice->arg != NULL || list_length(choice->args) != 1 ||
		!IsA(choice->defresult, Const) || !((const Const *) choice->defresult)->constisnull)
		return NULL;
	when = linitial_node(CaseWhen, choice->args);
	if (!IsA(when->result, Var))
		return NULL;
	*condition = (Node *) when->expr;
	return (const Var *) when->result;
}

/* The key, or NULL for a value that is too long.  Returns NULL if no value of the type is too long. */
static Node *
make_short(const DpsKey *key)
{
	Oid			function = length_function(key);
	Oid			type = function == F_OCTET_LENGTH_TEXT ? TEXTOID : getBaseType(key->type);
	Node	   *length;

	if (!OidIsValid(function) || is_short(key))
		return NULL;
	length = (Node *) makeRelabelType((Expr *) copyObject(key->expression), type, -1, key->collation, COERCE_IMPLICIT_CAST);
	length = (Node *) makeFuncExpr(function, INT4OID, list_make1(length), InvalidOid, key->collation, COERCE_EXPLICIT_CALL);
	return where_short(key, copyObject(key->expression), length);
}

/* Numeric without trailing zeros, and NULL for a value that is too long.  A declared precision is at most
 * 1,000, so values then need no test. */
static Node *
make_short_numeric(const DpsKey *key)
{
	Node	   *trimmed = (Node *) makeFuncExpr(F_TRIM_SCALE, NUMERICOID, list_make1(copyObject(key->expression)),
												InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	Node	   *length;

	if (key->typmod >= 0)
		return trimmed;
	length = (Node *) makeFuncExpr(F_NUMERIC_SEND, BYTEAOID, list_make1(copyObject(trimmed)), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	length = (Node *) makeFuncExpr(F_OCTET_LENGTH_BYTEA, INT4OID, list_make1(length), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	return where_short(key, trimmed, length);
}

/*
 * What make_short_numeric makes, and nothing else.
 *
 * Equal values of it have equal images.  A finite one is made by the server's make_result, of digits without
 * zeros at either end and the least scale that holds them (trim_scale), so that sign, weight, scale, digits,
 * and with them the short or long form of the header, follow from the value; NaN and the infinities have one
 * header each, and no digits.
 */
bool
dps_is_trimmed_numeric(const Node *expression)
{
	const CaseExpr *choice = (const CaseExpr *) expression;

	if (IsA(expression, FuncExpr))
		return ((const FuncExpr *) expression)->funcid == F_TRIM_SCALE;
	return IsA(expression, CaseExpr) && choice->arg == NULL && list_length(choice->args) == 1 &&
		dps_is_trimmed_numeric((const Node *) linitial_node(CaseWhen, choice->args)->result) &&
		IsA(choice->defresult, Const) && ((const Const *) choice->defresult)->constisnull;
}

/* The canonical form of numeric and floating-point keys: no trailing zeros, 0 for -0.  NULL for other
 * types. */
static Node *
make_canonical(const DpsKey *key)
{
	List	   *arguments = list_make1(copyObject(key->expression));

	switch (key->type)
	{
		case NUMERICOID:
			return make_short_numeric(key);
		case FLOAT8OID:
			arguments = lappend(arguments, makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0), false,
													 FLOAT8PASSBYVAL));
			return (Node *) makeFuncExpr(F_FLOAT8PL, FLOAT8OID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
		case FLOAT4OID:
			arguments = lappend(arguments, makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4), Float4GetDatum(0), false, true));
			return (Node *) makeFuncExpr(F_FLOAT4PL, FLOAT4OID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
		default:
			return NULL;
	}
}

void
dps_canonical_key(DpsProtectedSource *source, DpsKey *key)
{
	Node	   *canonical = make_canonical(key);

	/* loads the collation before the first row, since that may warn or fail */
	if (OidIsValid(key->collation))
		(void) pg_newlocale_from_collation(key->collation);
	if (canonical != NULL)
	{
		key->canonical = canonical;
		key->typmod = -1;
		return;
	}
	if (is_equal_image(key))
	{
		Node	   *shortened = make_short(key);

		if (shortened != NULL)
			key->canonical = shortened;
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("GROUP BY of type %s is not supported together with dp aggregates", format_type_be(key->type)),
			 errdetail("Equal values of it can look different, or it has no order of the server's own; the one that is shown would be some row's."),
			 errhint("Group by a cast to text, or by a number."),
			 errposition(dps_query_position(source, exprLocation(key->expression)))));
}

/* ---- what is shown ---- */

static Const *
read_constant(Oid type, const char *text)
{
	Oid			input;
	Oid			param;
	int16		length;
	bool		byval;

	getTypeInputInfo(type, &input, &param);
	get_typlenbyval(type, &length, &byval);
	return makeConst(type, -1, InvalidOid, length, OidInputFunctionCall(input, unconstify(char *, text), param, -1), false, byval);
}

/* The concatenation with an empty string: a new value that is neither compressed nor stored out of line. */
static Expr *
concatenated(const DpsKey *key, Expr *value, Oid type, Oid function)
{
	Oid			collation = type == TEXTOID ? key->collation : InvalidOid;
	List	   *arguments = list_make2(makeRelabelType(value, type, -1, collation, COERCE_IMPLICIT_CAST), read_constant(type, ""));
	Expr	   *copy = (Expr *) makeFuncExpr(function, type, arguments, collation, collation, COERCE_EXPLICIT_CALL);

	return (Expr *) makeRelabelType(copy, key->type, key->typmod, key->collation, COERCE_IMPLICIT_CAST);
}

/* CASE WHEN value = 'NaN' THEN 'NaN' ELSE value END */
static Expr *
with_one_nan(Expr *value, Oid type)
{
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);
	Const	   *nan = read_constant(type, "NaN");

	when->expr = make_opclause(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr, BOOLOID, false,
							   (Expr *) copyObjectImpl(value), (Expr *) nan, InvalidOid, InvalidOid);
	when->result = (Expr *) copyObjectImpl(nan);
	when->location = choice->location = -1;
	choice->casetype = type;
	choice->args = list_make1(when);
	choice->defresult = value;
	return (Expr *) choice;
}

Expr *
dps_shown_key(const DpsKey *key, Expr *value)
{
	switch (getBaseType(key->type))
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return concatenated(key, value, TEXTOID, F_TEXTCAT);
		case BYTEAOID:
			return concatenated(key, value, BYTEAOID, F_BYTEACAT);
		case BITOID:
		case VARBITOID:
			return concatenated(key, value, VARBITOID, F_BITCAT);
		case FLOAT4OID:
		case FLOAT8OID:
			return with_one_nan(value, key->type);
		default:
			return value;
	}
}

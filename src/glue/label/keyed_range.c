/*
 * keyed_range.c
 *		Ranges of a column that hold where another column of the row has a declared value.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/import/comparison.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "glue/import/relabel.h"
#include "glue/label/annotation.h"
#include "glue/label/keyed_range.h"
#include "glue/label/label.h"

/* Types whose values are written in one way in every session, and equal values alike.  Blanks at the end of
 * character(n) do not count. */
static bool
can_be_key(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case UUIDOID:
			return true;
		default:
			return get_typtype(getBaseType(type)) == TYPTYPE_ENUM;
	}
}

static char *
constant_text(const Const *constant)
{
	Oid			output;
	bool		is_varlena;
	char	   *text;
	size_t		n;

	getTypeOutputInfo(constant->consttype, &output, &is_varlena);
	text = OidOutputFunctionCall(output, constant->constvalue);
	for (n = strlen(text); constant->consttype == BPCHAROID && n > 0 && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	return text;
}

bool
dps_match_key(Node *expression, Var **column, char **value)
{
	OpExpr	   *call = (OpExpr *) expression;
	Node	   *left;
	Node	   *right;

	if (!IsA(expression, OpExpr) || list_length(call->args) != 2)
		return false;
	left = dps_strip_relabel(linitial(call->args));
	right = dps_strip_relabel(lsecond(call->args));
	if (IsA(left, Const))
	{
		Node	   *swapped = left;

		left = right;
		right = swapped;
	}
	if (!IsA(left, Var) || !IsA(right, Const) || ((Const *) right)->constisnull ||
		!can_be_key(((Var *) left)->vartype) || !can_be_key(((Const *) right)->consttype))
		return false;
	if (dps_type_comparison_strategy(call->opno, getBaseType(((Var *) left)->vartype)) != BTEqualStrategyNumber)
		return false;
	*column = (Var *) left;
	*value = constant_text((Const *) right);
	return true;
}

void
dps_read_key(Oid relation_oid, const char *condition, char **key, char **value)
{
	Relation	relation = relation_open(relation_oid, NoLock);
	DpsSource	source;
	Node	   *expression;
	Var		   *column;
	int			location;

	dps_source_enter(&source, condition);
	expression = dps_parse_row_expression(condition, relation);
	location = exprLocation(expression);
	if (!dps_match_key(expression, &column, value) || column->varattno <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a range can depend on a comparison of one column with a constant only"),
				 errdetail("The column must be of type smallint, integer, bigint, text, varchar, char, uuid, or an enum."),
				 errhint("Write \"when\" => $$column = 'value'$$."),
				 errposition(dps_text_position(condition, Max(location, 0)))));
	dps_source_leave(&source);
	*key = get_attname(relation_oid, column->varattno, false);
	relation_close(relation, NoLock);
}

/* The column of this name, if it may have the value. */
static AttrNumber
find_key(Oid relation, const char *name, const char *value)
{
	AttrNumber	key = get_attnum(relation, name);
	Oid			type = key > 0 ? getBaseType(get_atttype(relation, key)) : InvalidOid;

	if (!OidIsValid(type) || !can_be_key(type) ||
		(get_typtype(type) == TYPTYPE_ENUM &&
		 !SearchSysCacheExists2(ENUMTYPOIDNAME, ObjectIdGetDatum(type), CStringGetDatum(value))))
		return InvalidAttrNumber;
	return key;
}

List *
dps_keyed_ranges(Oid relation, AttrNumber column)
{
	ObjectAddress address;
	DpsColumnLabel label;
	DpsLabelProblem problem;
	char	   *text;
	const char *name = get_attname(relation, column, true);
	Oid			base_type;
	List	   *ranges = NIL;
	ListCell   *cell;

	ObjectAddressSubSet(address, RelationRelationId, relation, column);
	text = GetSecurityLabel(&address, DPS_LABEL_PROVIDER);
	if (text == NULL || name == NULL || !dps_parse_column_clauses(text, &label, &problem))
		return NIL;
	base_type = getBaseType(get_atttype(relation, column));
	foreach(cell, label.keyed)
	{
		const DpsKeyedLabel *keyed = lfirst(cell);
		DpsKeyedRange *range = palloc(sizeof(*range));

		if (!dps_resolve_range(&keyed->range, name, base_type, &range->lo, &range->hi, &problem))
			return NIL;
		range->key_name = keyed->key;
		range->key = find_key(relation, keyed->key, keyed->value);
		range->value = keyed->value;
		ranges = lappend(ranges, range);
		CHECK_FOR_INTERRUPTS();
	}
	return ranges;
}

char *
dps_keyed_example(Oid relation, AttrNumber column)
{
	List	   *ranges = dps_keyed_ranges(relation, column);
	const DpsKeyedRange *first;

	if (ranges == NIL)
		return NULL;
	first = linitial(ranges);
	return psprintf("WHERE %s = %s", quote_identifier(first->key_name), quote_literal_cstr(first->value));
}

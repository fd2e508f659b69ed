/*
 * unit_columns.c
 *		The columns that together say whose a row is.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "glue/constraint/not_null.h"
#include "glue/constraint/unit_columns.h"

bool
dps_is_unit_column(const DpsUnitColumns *columns, AttrNumber column)
{
	int			i;

	for (i = 0; i < columns->n; i++)
	{
		if (columns->column[i] == column)
			return true;
	}
	return false;
}

bool
dps_are_same_columns(const DpsUnitColumns *a, const DpsUnitColumns *b)
{
	return a->n == b->n && memcmp(a->column, b->column, sizeof(AttrNumber) * a->n) == 0;
}

char *
dps_unit_names(Oid relation, const DpsUnitColumns *columns)
{
	StringInfoData names;
	int			i;

	if (columns->n == 1)
		return get_attname(relation, columns->column[0], false);
	initStringInfo(&names);
	for (i = 0; i < columns->n; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", quote_identifier(get_attname(relation, columns->column[i], false)));
	return names.data;
}

bool
dps_unit_columns_are_not_null(Oid relation, const DpsUnitColumns *columns)
{
	int			i;

	for (i = 0; i < columns->n; i++)
	{
		if (!dps_column_is_not_null(relation, columns->column[i]))
			return false;
	}
	return columns->n > 0;
}

bool
dps_is_equal_by_bits(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case CHAROID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return type_is_enum(type);
	}
}

static bool
is_deterministic(Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

static Expr *
call(Oid function, Oid type, const Var *column, Oid base)
{
	Expr	   *argument = (Expr *) copyObjectImpl(column);

	if (column->vartype != base)
		argument = (Expr *) makeRelabelType(argument, base, -1, column->varcollid, COERCE_IMPLICIT_CAST);
	return (Expr *) makeFuncExpr(function, type, list_make1(argument), column->varcollid, column->varcollid, COERCE_EXPLICIT_CALL);
}

/*
 * Values of most types here are equal if and only if their bytes are; strings, since deterministic collations compare
 * bytes last.  Numerics are equal if they are without trailing zeros, and then have equal bytes (guard/trace/key_form.c,
 * dps_is_trimmed_numeric).  Blanks at the end of a char(n) do not count, and a cast to text takes them away.  Both
 * functions return a value for each that is stored: neither makes it longer.
 */
Expr *
dps_unit_form(const Var *column)
{
	Oid			base = getBaseType(column->vartype);

	/* uuids are not passed by value, and are equal by their bytes */
	if (dps_is_equal_by_bits(base) || base == UUIDOID)
		return (Expr *) copyObjectImpl(column);
	switch (base)
	{
		case TEXTOID:
		case VARCHAROID:
			return is_deterministic(column->varcollid) ? (Expr *) copyObjectImpl(column) : NULL;
		case BPCHAROID:
			return is_deterministic(column->varcollid) ? call(F_TEXT_BPCHAR, TEXTOID, column, base) : NULL;
		case NUMERICOID:
			return call(F_TRIM_SCALE, NUMERICOID, column, base);
		default:
			return NULL;
	}
}

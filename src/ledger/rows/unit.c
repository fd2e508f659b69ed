/*
 * unit.c
 *		The text by which the ledger identifies a privacy unit.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/label/annotation.h"
#include "ledger/rows/unit.h"

typedef struct KeyColumn
{
	AttrNumber	number;
	Oid			type;
	int32		typmod;
	Oid			collation;
	FmgrInfo	output;
} KeyColumn;

struct DpsAccountKey
{
	int			n;
	KeyColumn	columns[INDEX_MAX_KEYS];
};

static void
add_column(DpsAccountKey *key, Oid relation, AttrNumber number)
{
	KeyColumn  *column = &key->columns[key->n++];
	Oid			output;
	bool		varlena;

	column->number = number;
	get_atttypetypmodcoll(relation, number, &column->type, &column->typmod, &column->collation);
	column->type = getBaseTypeAndTypmod(column->type, &column->typmod);
	getTypeOutputInfo(column->type, &output, &varlena);
	fmgr_info(output, &column->output);
}

DpsAccountKey *
dps_unit_key(Oid relation)
{
	DpsAccountKey *key = palloc0(sizeof(DpsAccountKey));
	DpsRelationAnnotation annotation;
	Bitmapset  *primary;
	Oid			constraint;
	int			member = -1;

	dps_get_relation_annotation(relation, &annotation);
	if (annotation.unit > 0)
	{
		add_column(key, relation, annotation.unit);
		return key;
	}
	primary = get_primary_key_attnos(relation, false, &constraint);
	while ((member = bms_next_member(primary, member)) >= 0)
		add_column(key, relation, member + FirstLowInvalidHeapAttributeNumber);
	return key->n > 0 ? key : NULL;
}

/* Have equal values one text, whatever is set?  The text of dates and floats depends on
 * settings, that of numerics on their scale, that of bpchar without a length on its
 * trailing blanks, and a nondeterministic collation calls different texts equal. */
static bool
has_one_text(const KeyColumn *column)
{
	switch (column->type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case UUIDOID:
		case BOOLOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
			return get_collation_isdeterministic(column->collation);
		case BPCHAROID:
			return column->typmod >= 0 && get_collation_isdeterministic(column->collation);
		default:
			return false;
	}
}

bool
dps_unit_key_is_stable(const DpsAccountKey *key)
{
	int			i;

	for (i = 0; i < key->n; i++)
		if (!has_one_text(&key->columns[i]))
			return false;
	return true;
}

char *
dps_unit_key_signature(Oid relation, const DpsAccountKey *key)
{
	StringInfoData text;
	int			i;

	initStringInfo(&text);
	for (i = 0; i < key->n; i++)
		appendStringInfo(&text, "%s%s %s", i > 0 ? ", " : "",
						 quote_identifier(get_attname(relation, key->columns[i].number, false)),
						 format_type_be_qualified(key->columns[i].type));
	return text.data;
}

static void
append_escaped(StringInfo text, const char *value)
{
	for (; *value != '\0'; value++)
	{
		if (*value == ',' || *value == '\\')
			appendStringInfoChar(text, '\\');
		appendStringInfoChar(text, *value);
	}
}

char *
dps_unit_text(DpsAccountKey *key, TupleTableSlot *slot)
{
	StringInfoData text;
	int			i;

	initStringInfo(&text);
	for (i = 0; i < key->n; i++)
	{
		bool		isnull;
		Datum		value = slot_getattr(slot, key->columns[i].number, &isnull);
		char	   *part = isnull ? "" : OutputFunctionCall(&key->columns[i].output, value);

		if (key->n == 1)
			return part;
		if (i > 0)
			appendStringInfoChar(&text, ',');
		append_escaped(&text, part);
	}
	return text.data;
}

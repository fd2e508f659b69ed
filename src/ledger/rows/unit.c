/*
 * unit.c
 *		The text by which the ledger identifies a privacy unit.
 *
 * A key that the index of a table has just room for has none in that of the ledger, beside an account's or a
 * release's number.  So that no row raises an error by its key, a long text is shortened.  A text that looks
 * as if it was is shortened, too: so each that does was, and two units have the same one only if SHA-256 fails.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/label/annotation.h"
#include "ledger/rows/contribution.h"
#include "ledger/rows/unit.h"

/* A text of more bytes is shortened, to BEGINNING characters and a digest behind MARK; so do the update from
 * 0.1.0 and a restore (budget/sql_budget.c) with what was stored before. */
#define LONGEST 2000
#define BEGINNING 64
#define MARK ":sha256:"
#define DIGEST_LENGTH (2 * PG_SHA256_DIGEST_LENGTH)

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
	int			i;

	dps_get_relation_annotation(relation, &annotation);
	for (i = 0; i < annotation.unit.n; i++)
		add_column(key, relation, annotation.unit.column[i]);
	if (key->n > 0)
		return key;
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

char *
dps_unit_key_columns(Oid relation, const DpsAccountKey *key)
{
	StringInfoData text;
	int			i;

	initStringInfo(&text);
	for (i = 0; i < key->n; i++)
		appendStringInfo(&text, "%s%s", i > 0 ? ", " : "", dps_column_signature(relation, key->columns[i].number));
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

/* Does the text end as one that was shortened? */
static bool
ends_in_digest(const char *text, Size length)
{
	Size		tail = strlen(MARK) + DIGEST_LENGTH;

	return length >= tail && memcmp(text + length - tail, MARK, strlen(MARK)) == 0 &&
		strspn(text + length - DIGEST_LENGTH, "0123456789abcdef") == DIGEST_LENGTH;
}

static void
append_digest(StringInfo text, const char *whole, Size length)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	int			i;

	if (hash == NULL || pg_cryptohash_init(hash) < 0 || pg_cryptohash_update(hash, (const uint8 *) whole, length) < 0 ||
		pg_cryptohash_final(hash, digest, sizeof(digest)) < 0)
		elog(ERROR, "the key of a unit cannot be hashed");
	pg_cryptohash_free(hash);
	for (i = 0; i < PG_SHA256_DIGEST_LENGTH; i++)
		appendStringInfo(text, "%02x", digest[i]);
}

static char *
shortened(char *whole)
{
	Size		length = strlen(whole);
	StringInfoData text;

	if (length <= LONGEST && !ends_in_digest(whole, length))
		return whole;
	initStringInfo(&text);
	appendBinaryStringInfo(&text, whole, pg_mbcharcliplen(whole, (int) length, BEGINNING));
	appendStringInfoString(&text, MARK);
	append_digest(&text, whole, length);
	return text.data;
}

bool
dps_unit_is_null(const DpsAccountKey *key, TupleTableSlot *slot)
{
	int			i;

	for (i = 0; i < key->n; i++)
	{
		if (slot_attisnull(slot, key->columns[i].number))
			return true;
	}
	return false;
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
			return shortened(part);
		if (i > 0)
			appendStringInfoChar(&text, ',');
		append_escaped(&text, part);
	}
	return shortened(text.data);
}

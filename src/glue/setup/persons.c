/*
 * persons.c
 *		Which tables of a schema hold rows of persons, by its keys.
 *
 * From the table of persons the foreign keys are followed backwards: what refers to the key of persons
 * says itself whose a row is, what refers to another row says it by reference.  Nearer is better, since
 * each table on the way is one more that has to be protected.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/setup/persons.h"

/* Of a table that is not the server's: its OID, its name, whether it is called like persons, and the column of its primary key, or
 * else of its first unique index of one column that is NOT NULL, or else the columns of its primary key, or of its first unique
 * index of columns that are NOT NULL; NULL if there is none. */
static const char *const find_tables =
"SELECT c.oid, c.relname::pg_catalog.text OPERATOR(pg_catalog.~*)"
" '(^|_)(patient|person|people|customer|client|user|member|employee|student|pupil|citizen|resident|inhabitant|subject|participant|respondent|donor|taxpayer|individual|insured|subscriber)s?$',"
" (SELECT k.columns FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid OPERATOR(pg_catalog.=) i.indexrelid"
" JOIN pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) x.relam"
" CROSS JOIN LATERAL (SELECT (i.indkey::pg_catalog.int2[])[0:i.indnkeyatts OPERATOR(pg_catalog.-) 1] AS columns) k"
" WHERE i.indrelid OPERATOR(pg_catalog.=) c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL"
" AND m.amname OPERATOR(pg_catalog.=) 'btree' AND 0::pg_catalog.int2 OPERATOR(pg_catalog.<>) ALL (k.columns)"
" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid"
" AND a.attnum OPERATOR(pg_catalog.=) ANY (k.columns) AND NOT a.attnotnull)"
" ORDER BY i.indnkeyatts OPERATOR(pg_catalog.=) 1 DESC, i.indisprimary DESC, i.indexrelid LIMIT 1)"
" FROM pg_catalog.pg_class c WHERE c.relnamespace OPERATOR(pg_catalog.=) $1 AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::pg_catalog.\"char\"[])"
" AND c.oid OPERATOR(pg_catalog.>=) 16384 AND NOT c.relispartition AND c.relpersistence OPERATOR(pg_catalog.<>) 't'"
" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
" AND d.objid OPERATOR(pg_catalog.=) c.oid AND d.deptype OPERATOR(pg_catalog.=) 'e')"
" ORDER BY c.relname";

/* Foreign keys between the schema's tables: from, columns, to, keys.  One that is NOT NULL comes first, since it always
 * says whose the row is. */
static const char *const find_keys =
"SELECT k.conrelid, k.conkey, k.confrelid, k.confkey"
" FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) k.conrelid"
" CROSS JOIN LATERAL (SELECT pg_catalog.bool_and(a.attnotnull) AS not_null, pg_catalog.min(a.attnum) AS first FROM pg_catalog.pg_attribute a"
" WHERE a.attrelid OPERATOR(pg_catalog.=) k.conrelid AND a.attnum OPERATOR(pg_catalog.=) ANY (k.conkey)) a"
" WHERE c.relnamespace OPERATOR(pg_catalog.=) $1 AND k.contype OPERATOR(pg_catalog.=) 'f' AND k.convalidated"
" AND k.conparentid OPERATOR(pg_catalog.=) 0 ORDER BY c.relname, a.not_null DESC, a.first, k.conname";

/* A foreign key. */
typedef struct Key
{
	Oid			relation;
	DpsUnitColumns columns;		/* none if there are too many */
	Oid			referenced;
	DpsUnitColumns keys;
} Key;

/* What the catalogs say of a table. */
typedef struct Candidate
{
	DpsSetupTable table;
	bool		is_named;		/* called like persons */
	DpsUnitColumns key;
} Candidate;

const char *
dps_setup_name(Oid relation)
{
	const char *name = get_rel_name(relation);
	const char *schema = get_namespace_name(get_rel_namespace(relation));

	return name != NULL && schema != NULL ? quote_qualified_identifier(schema, name) : psprintf("%u", relation);
}

static Datum
value_of(uint64 row, int column)
{
	bool		isnull;

	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);
}

/* The columns in an array; none for NULL, or if there are too many. */
static DpsUnitColumns
columns_of(uint64 row, int column)
{
	DpsUnitColumns columns = {0};
	bool		isnull;
	Datum		array = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);
	Datum	   *numbers;
	int			n;
	int			i;

	if (isnull)
		return columns;
	deconstruct_array(DatumGetArrayTypeP(array), INT2OID, sizeof(int16), true, TYPALIGN_SHORT, &numbers, NULL, &n);
	for (i = 0; i < n && n <= DPS_MAX_UNIT_COLUMNS; i++)
		columns.column[columns.n++] = DatumGetInt16(numbers[i]);
	return columns;
}

/* Can they be a unit together? */
static bool
can_be_unit(Oid relation, const DpsUnitColumns *columns)
{
	int			i;

	for (i = 0; columns->n > 1 && i < columns->n; i++)
	{
		Oid			type;
		int32		typmod;
		Oid			collation;

		get_atttypetypmodcoll(relation, columns->column[i], &type, &typmod, &collation);
		if (dps_unit_form(makeVar(1, columns->column[i], type, typmod, collation, 0)) == NULL)
			return false;
	}
	return true;
}

static void
run(const char *query, Oid schema)
{
	Oid			types[1] = {OIDOID};
	Datum		values[1] = {ObjectIdGetDatum(schema)};

	if (SPI_execute_with_args(query, 1, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read keys of a schema");
}

/* What the statement's snapshot sees may be gone since: then it has no name, and is left out. */
static List *
read_candidates(Oid schema, const char *schema_name, MemoryContext context)
{
	List	   *candidates = NIL;
	MemoryContext before;
	uint64		i;

	run(find_tables, schema);
	before = MemoryContextSwitchTo(context);
	for (i = 0; i < SPI_processed; i++)
	{
		Candidate  *one = palloc0(sizeof(Candidate));
		Oid			relation = DatumGetObjectId(value_of(i, 1));
		char	   *name = get_rel_name(relation);

		if (name == NULL)
			continue;
		one->table.relation = relation;
		one->table.name = quote_qualified_identifier(schema_name, name);
		one->table.is_owned = dps_owns_relation(relation, GetUserId());
		one->is_named = DatumGetBool(value_of(i, 2));
		one->key = columns_of(i, 3);
		if (!can_be_unit(relation, &one->key))
			one->key.n = 0;
		candidates = lappend(candidates, one);
	}
	MemoryContextSwitchTo(before);
	return candidates;
}

static List *
read_keys(Oid schema, MemoryContext context)
{
	List	   *keys = NIL;
	MemoryContext before;
	uint64		i;

	run(find_keys, schema);
	before = MemoryContextSwitchTo(context);
	for (i = 0; i < SPI_processed; i++)
	{
		Key		   *key = palloc(sizeof(Key));

		*key = (Key) {DatumGetObjectId(value_of(i, 1)), columns_of(i, 2), DatumGetObjectId(value_of(i, 3)), columns_of(i, 4)};
		keys = lappend(keys, key);
	}
	MemoryContextSwitchTo(before);
	return keys;
}

static Candidate *
find_candidate(const List *candidates, Oid relation)
{
	ListCell   *cell;

	foreach(cell, candidates)
	{
		Candidate  *one = lfirst(cell);

		if (one->table.relation == relation)
			return one;
	}
	return NULL;
}

static Candidate *
choose_named(const List *candidates)
{
	Candidate  *named = NULL;
	ListCell   *cell;

	foreach(cell, candidates)
	{
		Candidate  *one = lfirst(cell);

		if (!one->is_named)
			continue;
		if (named != NULL)
			return NULL;
		named = one;
	}
	return named;
}

/* The table of persons. */
static Candidate *
choose_entity(const List *candidates, const char *schema, Oid entity)
{
	Candidate  *chosen;

	if (OidIsValid(entity))
		chosen = find_candidate(candidates, entity);
	else
		chosen = list_length(candidates) == 1 ? linitial(candidates) : choose_named(candidates);
	if (chosen == NULL && OidIsValid(entity))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is not a table of schema \"%s\"", dps_setup_name(entity), schema)));
	if (chosen == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing tells which table of schema \"%s\" has one row for each person", schema),
				 errhint("Name it: dpsens.suggest_setup(%s, entity => 'table').", quote_literal_cstr(schema))));
	return chosen;
}

/* The columns that refer to these keys, in their order; false if others are referred to, or not all. */
static bool
columns_for(const Key *key, const DpsUnitColumns *wanted, DpsUnitColumns *columns)
{
	int			i;
	int			j;

	memset(columns, 0, sizeof(*columns));
	for (i = 0; i < wanted->n; i++)
	{
		for (j = 0; j < key->keys.n && key->keys.column[j] != wanted->column[i]; j++)
			;
		if (j < key->keys.n)
			columns->column[columns->n++] = key->columns.column[j];
	}
	return wanted->n > 0 && columns->n == wanted->n && columns->n == key->columns.n;
}

/* In the order of their numbers, which dpsens.protect gives to a foreign key's columns. */
static void
sort_columns(DpsUnitColumns *columns)
{
	int			i;
	int			j;

	for (i = 1; i < columns->n; i++)
	{
		AttrNumber	column = columns->column[i];

		for (j = i; j > 0 && columns->column[j - 1] > column; j--)
			columns->column[j] = columns->column[j - 1];
		columns->column[j] = column;
	}
}

/* A key of this table leads to one whose persons are known. */
static void
follow_key(Candidate *from, const Candidate *to, const Key *key)
{
	DpsUnitColumns columns;
	bool		names_person = columns_for(key, &to->table.unit, &columns) && to->table.link == DPS_LINK_SELF &&
		can_be_unit(from->table.relation, &columns);

	if (!names_person)
	{
		columns = key->columns;
		sort_columns(&columns);
	}
	if (key->columns.n == 0)
		from->table.has_wide = true;
	else if (from->table.link != DPS_LINK_NONE)
		from->table.has_other = from->table.has_other || !dps_are_same_columns(&from->table.unit, &columns);
	else if (names_person || to->table.unit.n > 0)
	{
		from->table.link = names_person ? DPS_LINK_KEY : DPS_LINK_REFERENCE;
		from->table.unit = columns;
		from->table.through = to->table.relation;
	}
	else
		from->table.has_wide = true;
}

/* Adds tables that refer to `to` to those that were reached. */
static List *
follow_keys(List *reached, List *candidates, const List *keys, const Candidate *to)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		const Key  *key = lfirst(cell);
		Candidate  *from = find_candidate(candidates, key->relation);

		if (key->referenced != to->table.relation || from == NULL)
			continue;
		if (from->table.link == DPS_LINK_SELF)
		{
			from->table.has_other = true;
			continue;
		}
		follow_key(from, to, key);
		if (from->table.link != DPS_LINK_NONE)
			reached = list_append_unique_ptr(reached, from);
	}
	return reached;
}

static List *
follow_all(List *candidates, const List *keys, Candidate *entity)
{
	List	   *reached = list_make1(entity);
	int			i;

	entity->table.link = DPS_LINK_SELF;
	entity->table.unit = entity->key;
	for (i = 0; i < list_length(reached); i++)
		reached = follow_keys(reached, candidates, keys, list_nth(reached, i));
	return list_concat_unique_ptr(reached, candidates);
}

List *
dps_setup_tables(Oid schema, const char *schema_name, Oid entity)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *candidates;
	List	   *keys;
	List	   *tables = NIL;
	ListCell   *cell;

	SPI_connect();
	candidates = read_candidates(schema, schema_name, context);
	keys = read_keys(schema, context);
	SPI_finish();
	foreach(cell, follow_all(candidates, keys, choose_entity(candidates, schema_name, entity)))
		tables = lappend(tables, &((Candidate *) lfirst(cell))->table);
	return tables;
}

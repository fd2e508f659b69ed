/*
 * sql_suggest_setup.c
 *		dpsens.suggest_setup: a script that protects the tables of a schema.
 *
 * The script is made of definitions alone, so it tells nothing that the catalogs do not tell, and it can be run
 * as it is: what only the owner can decide is a comment.  Tables come in an order in which each can refer to the
 * unit of one before.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/setup/column_lines.h"
#include "glue/setup/persons.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_suggest_setup);

/* How many rows of a person count where nothing says how many there are. */
#define ASSUMED_ROWS 10

/* A household, as an example of how many persons may be protected together. */
#define ASSUMED_GROUP 4

/* Whoever may create a table could have given it a name that ends a comment, and the owner would run the rest
 * of it. */
static void
keep_comment(char *line)
{
	char	   *c;

	if (strncmp(line, "--", 2) != 0)
		return;
	for (c = line; *c != '\0'; c++)
	{
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	}
}

/* One line of the script.  Names of objects are in literals, or in lines that are comments from their
 * beginning. */
static void pg_attribute_printf(2, 3)
emit(ReturnSetInfo *result, const char *format,...)
{
	StringInfoData line;
	Datum		value;
	bool		isnull = false;

	initStringInfo(&line);
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&line, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&line, needed);
	}
	keep_comment(line.data);
	value = CStringGetTextDatum(line.data);
	tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
	pfree(line.data);
}

/* The unit of another table, as dpsens.protect takes it. */
static char *
referenced_unit(const DpsSetupTable *other)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < other->unit.n; i++)
		appendStringInfo(&names, "%s%s.%s", i > 0 ? ", " : "", other->name,
						 quote_identifier(get_attname(other->relation, other->unit.column[i], false)));
	return names.data;
}

/* The unit as dpsens.protect takes it; NULL if each row is a person. */
static char *
unit_argument(const DpsSetupTable *table, const List *tables)
{
	ListCell   *cell;

	if (table->unit.n == 0)
		return NULL;
	if (table->link != DPS_LINK_REFERENCE)
		return dps_unit_names(table->relation, &table->unit);
	foreach(cell, tables)
	{
		const DpsSetupTable *other = lfirst(cell);

		if (other->relation == table->through)
			return referenced_unit(other);
	}
	elog(ERROR, "a table refers to none");
}

static void
emit_protection(ReturnSetInfo *result, const DpsSetupTable *table, const List *tables, const char *adjacency)
{
	char	   *unit = unit_argument(table, tables);
	char	   *arguments = quote_literal_cstr(table->name);

	if (unit != NULL)
		arguments = psprintf("%s, unit => %s", arguments, quote_literal_cstr(unit));
	if (adjacency != NULL)
		arguments = psprintf("%s, adjacency => %s", arguments, quote_literal_cstr(adjacency));
	if (table->link == DPS_LINK_SELF)
		emit(result, "SELECT dpsens.protect(%s);  -- each row is a person", arguments);
	else
		emit(result, "SELECT dpsens.protect(%s, max_rows => %d);  -- choose: so many rows of a person count, others are left out",
			 arguments, ASSUMED_ROWS);
}

/* What the owner should know of the table. */
static void
emit_notes(ReturnSetInfo *result, const DpsSetupTable *table)
{
	if (table->has_other)
		emit(result, "-- another key of %s leads to a person, too: who is only named there is not protected by its unit", table->name);
	if (table->has_wide)
		emit(result, "-- a key of %s that leads to persons cannot be followed: it has too many columns, or persons have no key", table->name);
}

static void
emit_table(ReturnSetInfo *result, const DpsSetupTable *table, const List *tables, const char *adjacency)
{
	DpsRelationAnnotation annotation;
	ListCell   *cell;

	emit(result, "%s", "");
	if (!table->is_owned)
	{
		emit(result, "-- %s is not yours: its owner has to protect it", table->name);
		return;
	}
	dps_get_relation_annotation(table->relation, &annotation);
	if (table->link == DPS_LINK_NONE && !annotation.is_protected)
	{
		if (!annotation.is_public)
			emit(result, "-- SELECT dpsens.set_public(%s);  -- if its rows are public knowledge: no key leads to a person", quote_literal_cstr(table->name));
		emit_notes(result, table);
		return;
	}
	if (annotation.is_protected)
		emit(result, "-- %s is protected", table->name);
	else
		emit_protection(result, table, tables, adjacency);
	emit_notes(result, table);
	foreach(cell, dps_column_lines(table, tables))
		emit(result, "%s", (const char *) lfirst(cell));
}

/* Does the script protect rows of persons there, or does somebody already? */
static bool
has_persons(const DpsSetupTable *table)
{
	return table->is_owned && table->link != DPS_LINK_NONE;
}

/* Of one promise to a person the tables need the same group size, so that they stand together. */
static void
emit_group_sizes(ReturnSetInfo *result, const List *tables)
{
	ListCell   *cell;

	foreach(cell, tables)
	{
		const DpsSetupTable *table = lfirst(cell);

		if (has_persons(table))
			emit(result, "-- SELECT dpsens.protect(%s, group_size => %d);  -- if the promise is to be to households or the like: to any so many persons together, and before the first answer",
				 quote_literal_cstr(table->name), ASSUMED_GROUP);
	}
}

/* Limits of a table, or of persons in all tables: what all answers, and what one, may tell, whoever asks.  They are no
 * larger than those that hold without them; small and round numbers of no data. */
static void
emit_limits(ReturnSetInfo *result, const DpsSetupTable *table, bool of_entity)
{
	const char *kind = of_entity ? "entity_" : "";
	const char *name = quote_literal_cstr(table->name);

	emit(result, "-- SELECT dpsens.set_%sbudget(%s, epsilon => 10, delta => 1e-6);  -- choose: what all answers%s may tell of one person", kind, name,
		 of_entity ? " about all these tables" : "");
	emit(result, "-- SELECT dpsens.set_%spolicy(%s, epsilon => 1, default_epsilon => 0.1, min_units => 10);  -- choose: what one answer may be asked with, what it is asked with"
		 " if nothing is said, and of how many persons groups of undeclared keys are shown", kind, name);
}

/* What comes once all tables are protected; the first is that of persons. */
static void
emit_budgets(ReturnSetInfo *result, const List *tables)
{
	const DpsSetupTable *persons = linitial(tables);
	bool		several = false;
	ListCell   *cell;

	foreach(cell, tables)
		several |= ((const DpsSetupTable *) lfirst(cell))->link > DPS_LINK_SELF;
	emit(result, "%s", "");
	emit_group_sizes(result, tables);
	if (several && persons->is_owned)
		emit_limits(result, persons, true);
	foreach(cell, tables)
	{
		if (!(several && persons->is_owned) && has_persons(lfirst(cell)))
			emit_limits(result, lfirst(cell), false);
	}
	emit(result, "-- SELECT dpsens.grant_budget('table', 'role', epsilon => 1);  -- for each that may be asked about");
}

static void
check_adjacency(const char *adjacency)
{
	if (adjacency != NULL && strcmp(adjacency, "add_remove") != 0 && strcmp(adjacency, "replace") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a setup of persons cannot have adjacency \"%s\"", adjacency),
				 errhint("Adjacencies of persons with several rows are add_remove and replace.")));
}

Datum
dpsens_suggest_setup(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *adjacency = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	Oid			schema;
	char	   *name;
	List	   *tables;
	ListCell   *cell;

	dps_refuse_null(fcinfo, 0, "schema");
	check_adjacency(adjacency);
	schema = PG_GETARG_OID(0);
	name = get_namespace_name(schema);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema with OID %u does not exist", schema)));
	tables = dps_setup_tables(schema, name, PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	emit(result, "-- Protection of schema %s, by keys, constraints and types; no row was read.", quote_identifier(name));
	emit(result, "-- Persons are the rows of %s.  Lines that begin with -- are yours to decide.", ((DpsSetupTable *) linitial(tables))->name);
	foreach(cell, tables)
		emit_table(result, lfirst(cell), tables, adjacency);
	emit_budgets(result, tables);
	return (Datum) 0;
}

/*
 * column_lines.c
 *		What a setup says of a table's columns.
 *
 * A range or values that were taken from the rows would tell them to everybody, since labels are public: all
 * that is read is the table's definition.  What it does not say is left to the owner, in a comment, so the
 * script runs as it is.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/constraint/reference.h"
#include "glue/constraint/undeclared.h"
#include "glue/label/check_range.h"
#include "glue/label/label.h"
#include "glue/setup/column_lines.h"

typedef struct Column
{
	const DpsSetupTable *table;
	const List *tables;			/* all of the setup */
	AttrNumber	number;
	const char *name;
	Oid			type;			/* below domains */
	Oid			declared;		/* as declared */
	const DpsLabelType *label_type;
	const DpsCheckRange *range;
} Column;

/* 'table', 'column' as arguments. */
static char *
arguments(const Column *column)
{
	return psprintf("%s, %s", quote_literal_cstr(column->table->name), quote_literal_cstr(column->name));
}

/* The range that constraints imply, NULL if they imply none. */
static char *
range_line(const Column *column)
{
	char	   *lo = dps_spell_check_end(column->type, column->range->lo);
	char	   *hi = dps_spell_check_end(column->type, column->range->hi);
	const char *format = column->label_type != NULL && column->label_type->quoted ?
		"SELECT dpsens.set_range(%s, '%s', '%s');" : "SELECT dpsens.set_range(%s, %s, %s);";

	if (lo == NULL || hi == NULL || column->range->lo > column->range->hi)
		return NULL;
	return psprintf(format, arguments(column), lo, hi);
}

/* The values that constraints list, NULL if they list none. */
static char *
values_line(const Column *column)
{
	StringInfoData line;
	ListCell   *cell;

	if (column->range->values == NIL || !dps_can_declare_values(column->declared))
		return NULL;
	initStringInfo(&line);
	appendStringInfo(&line, "SELECT dpsens.set_values(%s", arguments(column));
	foreach(cell, column->range->values)
		appendStringInfo(&line, ", %s", quote_literal_cstr(lfirst(cell)));
	appendStringInfoString(&line, ");");
	return line.data;
}

/* The range of all that the type holds, for a comment; "" if it has no ends worth naming. */
static char *
type_range(const Column *column)
{
	if (column->type == INT2OID)
		return psprintf("; the type holds %d to %d", PG_INT16_MIN, PG_INT16_MAX);
	return "";
}

/* Is it a table of the setup that no key connects with persons, and the caller's?  What reads another's table can run what
 * that one has attached to it. */
static bool
is_lookup(const Column *column, Oid relation)
{
	ListCell   *cell;

	foreach(cell, column->tables)
	{
		const DpsSetupTable *table = lfirst(cell);

		if (table->relation == relation)
			return table->link == DPS_LINK_NONE && table->is_owned;
	}
	return false;
}

/* Of a column that refers elsewhere. */
static char *
reference_line(const Column *column, const DpsReference *reference)
{
	const char *referenced = dps_setup_name(reference->relation);
	char	   *key = get_attname(reference->relation, reference->keys.column[0], true);

	if (key != NULL && is_lookup(column, reference->relation) && dps_can_declare_values(column->declared))
		return psprintf("-- %s;  -- if the keys of %s are public knowledge",
						dps_spell_referenced_values(arguments(column), referenced, key), referenced);
	return psprintf("-- %s refers to %s: private, without a range", quote_identifier(column->name), referenced);
}

/* What the owner is left to decide. */
static char *
open_line(const Column *column)
{
	DpsUnitColumns columns = dps_single_column(column->number);
	DpsReference reference;
	const char *name = quote_identifier(column->name);

	if (dps_find_reference(column->table->relation, &columns, InvalidOid, &reference))
		return reference_line(column, &reference);
	if (dps_looks_identifying(column->name))
		return psprintf("-- %s looks like an identifier or free text: private, without %s", name,
						column->label_type != NULL ? "a range" : "values");
	if (column->label_type != NULL && column->label_type->quoted)
		return psprintf("-- SELECT dpsens.set_range(%s, 'first', 'last');  -- no constraint bounds it", arguments(column));
	if (column->label_type != NULL)
		return psprintf("-- SELECT dpsens.set_range(%s, lo, hi);  -- no constraint bounds it%s", arguments(column), type_range(column));
	if (dps_can_declare_values(column->declared))
		return psprintf("-- SELECT dpsens.set_values(%s, 'one', 'other');  -- if its values are few and no secret", arguments(column));
	return psprintf("-- %s is private; of its type nothing can be declared", name);
}

static List *
add_lines(List *lines, const Column *column)
{
	DpsColumnAnnotation annotation;
	DpsLabelProblem problem;
	char	   *range = range_line(column);
	char	   *values = values_line(column);

	if (!dps_read_column_annotation(column->table->relation, column->number, &annotation, &problem))
		return lappend(lines, psprintf("SELECT dpsens.clear(%s);  -- its label does not fit it any more", arguments(column)));
	if (annotation.is_unit || annotation.is_public || dps_has_domain(&annotation))
		return lines;
	if (range == NULL && values == NULL)
		return lappend(lines, open_line(column));
	if (range != NULL)
		lines = lappend(lines, range);
	return values != NULL ? lappend(lines, values) : lines;
}

List *
dps_column_lines(const DpsSetupTable *table, const List *tables)
{
	Relation	relation = try_relation_open(table->relation, AccessShareLock);
	TupleDesc	descriptor;
	DpsCheckRange *ranges;
	List	   *lines = NIL;
	int			i;

	/* it may be gone since its name was read */
	if (relation == NULL)
		return NIL;
	descriptor = RelationGetDescr(relation);
	ranges = dps_read_check_ranges(relation);
	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);
		Column		column = {.table = table, .tables = tables, .number = attribute->attnum, .name = NameStr(attribute->attname),
			.declared = attribute->atttypid, .range = &ranges[i]};

		if (attribute->attisdropped || dps_is_unit_column(&table->unit, attribute->attnum))
			continue;
		column.type = getBaseType(attribute->atttypid);
		column.label_type = dps_find_label_type(column.type);
		lines = add_lines(lines, &column);
	}
	relation_close(relation, AccessShareLock);
	return lines;
}

/*
 * sql_annotation.c
 *		SQL functions that write annotations.
 *
 * Each setter reads the column's label, changes its own clauses and writes the label as
 * SECURITY LABEL does.  The relation is locked against other setters before the label is
 * read, so that no change is lost.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/check_range.h"
#include "glue/label/keyed_range.h"
#include "glue/label/label.h"
#include "glue/label/readers.h"
#include "glue/constraint/reference.h"
#include "glue/label/repeats.h"
#include "glue/label/undistributed.h"
#include "glue/owner.h"
#include "glue/version.h"

/* Columns named in a hint. */
#define HINT_COLUMNS 20

DPS_SQL_FUNCTION(dps_protect);
DPS_SQL_FUNCTION(dps_unprotect);
DPS_SQL_FUNCTION(dps_set_range);
DPS_SQL_FUNCTION(dps_set_range_text);
DPS_SQL_FUNCTION(dps_set_keyed_range);
DPS_SQL_FUNCTION(dps_set_keyed_range_text);
DPS_SQL_FUNCTION(dps_set_range_from_checks);
DPS_SQL_FUNCTION(dps_set_values);
DPS_SQL_FUNCTION(dps_set_weight);
DPS_SQL_FUNCTION(dps_set_public);
DPS_SQL_FUNCTION(dps_set_public_relation);
DPS_SQL_FUNCTION(dps_clear);

/* The label of a column that is being changed. */
typedef struct ColumnChange
{
	Oid			relation;
	AttrNumber	column;
	const char *name;
	Oid			base_type;
	DpsColumnLabel label;
} ColumnChange;

static void
check_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class form;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	form = (Form_pg_class) GETSTRUCT(tuple);
	if (!dps_owns_relation(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(form->relkind),
					   NameStr(form->relname));
	ReleaseSysCache(tuple);
}

/* The relation of the first argument, locked with ShareUpdateExclusiveLock until the
 * transaction ends.  Ownership is checked before, so that other users cannot lock the
 * relation, and again with the lock, since the owner may have changed. */
static Oid
open_any_relation(FunctionCallInfo fcinfo, const char *function)
{
	Oid			relation;

	PreventCommandIfReadOnly(function);
	dps_refuse_null(fcinfo, 0, "relation");
	relation = PG_GETARG_OID(0);
	check_owner(relation);
	LockRelationOid(relation, ShareUpdateExclusiveLock);
	check_owner(relation);
	dps_check_annotatable(relation, 0);
	return relation;
}

/* The same for what declares, and is refused where Citus has the rows. */
static Oid
open_relation(FunctionCallInfo fcinfo, const char *function)
{
	Oid			relation = open_any_relation(fcinfo, function);

	dps_refuse_distributed(relation);
	return relation;
}

/* The names of the columns, at most HINT_COLUMNS, for a hint. */
static char *
list_columns(Oid relation_oid)
{
	Relation	relation = relation_open(relation_oid, NoLock);
	TupleDesc	descriptor = RelationGetDescr(relation);
	StringInfoData text;
	int			listed = 0;
	int			i;

	initStringInfo(&text);
	for (i = 0; i < descriptor->natts && listed <= HINT_COLUMNS; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		if (attribute->attisdropped)
			continue;
		if (listed++ > 0)
			appendStringInfoString(&text, ", ");
		if (listed > HINT_COLUMNS)
			appendStringInfoString(&text, "...");
		else
			appendStringInfo(&text, "\"%s\"", NameStr(attribute->attname));
	}
	relation_close(relation, NoLock);
	return text.data;
}

static AttrNumber
find_column(Oid relation, const char *name)
{
	AttrNumber	column = get_attnum(relation, name);

	if (column == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						name, get_rel_name(relation)),
				 errhint("Its columns are %s.", list_columns(relation))));
	dps_check_annotatable(relation, column);
	return column;
}

static void
set_column_label(Oid relation, AttrNumber column, const char *text)
{
	ObjectAddress address;

	ObjectAddressSubSet(address, RelationRelationId, relation, column);
	dps_set_label(&address, text);
}

static void
begin_change(ColumnChange *change, Oid relation, AttrNumber column)
{
	ObjectAddress address;
	DpsLabelProblem problem;
	char	   *text;

	memset(change, 0, sizeof(*change));
	change->relation = relation;
	change->column = column;
	change->name = get_attname(relation, column, false);
	change->base_type = getBaseType(get_atttype(relation, column));
	change->label.weight = 1;
	ObjectAddressSubSet(address, RelationRelationId, relation, column);
	text = GetSecurityLabel(&address, DPS_LABEL_PROVIDER);
	if (text != NULL && !dps_parse_column_label(text, &change->label, &problem))
		dps_refuse_label(&problem);
}

/* begin_change for the column of the second argument. */
static void
begin_named_change(ColumnChange *change, FunctionCallInfo fcinfo, Oid relation)
{
	dps_refuse_null(fcinfo, 1, "column name");
	begin_change(change, relation, find_column(relation, NameStr(*PG_GETARG_NAME(1))));
}

static void
write_change(const ColumnChange *change)
{
	DpsColumnAnnotation annotation;
	DpsLabelProblem problem;

	/* checked before it is formatted: an unchecked end of a range could contain clauses */
	if (!dps_resolve_column_label(&change->label, change->name, change->base_type,
								  &annotation, &problem))
		dps_refuse_label(&problem);
	set_column_label(change->relation, change->column, dps_format_column_label(&change->label));
}

static void
remind_to_protect(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	if (!annotation.is_protected)
		ereport(NOTICE,
				(errmsg("table \"%s\" is not protected yet", get_rel_name(relation)),
				 errhint("Use dpsens.protect.")));
}

static void
finish_change(const ColumnChange *change)
{
	write_change(change);
	remind_to_protect(change->relation);
}

/* Takes the unit away from all columns. */
static void
clear_unit(Oid relation)
{
	Relation	opened = relation_open(relation, AccessShareLock);
	int			natts = RelationGetNumberOfAttributes(opened);
	ColumnChange change;
	AttrNumber	column;

	relation_close(opened, NoLock);
	for (column = 1; column <= natts; column++)
	{
		/* a dropped column has no type */
		if (!OidIsValid(get_atttype(relation, column)))
			continue;
		begin_change(&change, relation, column);
		if (!change.label.is_unit)
			continue;
		change.label.is_unit = change.label.by_reference = false;
		write_change(&change);
	}
}

static void
move_unit(Oid relation, const DpsUnitColumns *columns, bool by_reference)
{
	DpsRelationAnnotation annotation;
	ColumnChange change;
	int			i;

	dps_get_relation_annotation(relation, &annotation);
	if (!dps_are_same_columns(&annotation.unit, columns) || annotation.unit_by_reference != by_reference)
		clear_unit(relation);
	for (i = 0; i < columns->n; i++)
	{
		begin_change(&change, relation, columns->column[i]);
		change.label.is_unit = true;
		change.label.by_reference = by_reference;
		change.label.unit_place = i + 1;
		change.label.unit_size = columns->n;
		write_change(&change);
	}
}

/* ---- the unit's names ---- */

static char *
trimmed(const char *start, const char *end)
{
	while (start < end && isspace((unsigned char) *start))
		start++;
	while (end > start && isspace((unsigned char) end[-1]))
		end--;
	return pnstrdup(start, end - start);
}

/* Splits at commas outside of quotes. */
static List *
split_names(const char *text)
{
	List	   *names = NIL;
	const char *start = text;
	bool		quoted = false;

	for (;; text++)
	{
		quoted ^= *text == '"';
		if (*text != '\0' && (quoted || *text != ','))
			continue;
		names = lappend(names, trimmed(start, text));
		if (*text == '\0')
			return names;
		start = text + 1;
	}
}

/* The column of this name, as it is or as an identifier of SQL; an error if there is none. */
static AttrNumber
find_named(Oid relation, const char *name)
{
	if (get_attnum(relation, name) == InvalidAttrNumber && strchr(name, '"') != NULL)
		name = strVal(llast(dps_name_list(name)));
	return find_column(relation, name);
}

static void
refuse_unit(const char *text, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" cannot be the privacy unit", text),
			 errdetail("%s", detail),
			 errhint("Name a column, several as in 'hospital, patient', or the unit of the table that a foreign key refers to, as in 'patients.hospital, patients.patient'.")));
}

static void
add_column(DpsUnitColumns *columns, const char *text, AttrNumber column)
{
	if (columns->n == DPS_MAX_UNIT_COLUMNS)
		refuse_unit(text, psprintf("At most %d columns can be a unit together.", DPS_MAX_UNIT_COLUMNS));
	if (dps_is_unit_column(columns, column))
		refuse_unit(text, "A column is named twice.");
	columns->column[columns->n++] = column;
}

/* The other table that 'table.column, table.column' names, and its columns. */
static Oid
read_referenced(const char *text, const List *names, DpsUnitColumns *columns)
{
	Oid			referenced = InvalidOid;
	ListCell   *cell;

	memset(columns, 0, sizeof(*columns));
	foreach(cell, names)
	{
		List	   *parts = dps_name_list(lfirst(cell));
		const char *column = strVal(llast(parts));
		Oid			one;

		if (list_length(parts) < 2)
			refuse_unit(text, psprintf("\"%s\" is not a column of the table.", column));
		one = RangeVarGetRelid(makeRangeVarFromNameList(list_truncate(parts, list_length(parts) - 1)), AccessShareLock, false);
		if (OidIsValid(referenced) && one != referenced)
			refuse_unit(text, "It names columns of different tables.");
		referenced = one;
		/* what is not there is no unit's */
		add_column(columns, text, get_attnum(referenced, column) != InvalidAttrNumber ? get_attnum(referenced, column) : PG_INT16_MIN);
	}
	return referenced;
}

/* The columns to label for 'table.column', the unit of another table that this one
 * references.  Labels contain no names, so the foreign key's columns are labelled. */
static void
find_reference(Oid relation, const char *text, const List *names, DpsUnitColumns *columns)
{
	DpsReference reference;
	DpsRelationAnnotation annotation;
	DpsUnitColumns named;
	Oid			referenced = read_referenced(text, names, &named);

	dps_get_relation_annotation(referenced, &annotation);
	if (!annotation.is_protected || !dps_are_same_columns(&annotation.unit, &named))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 list_length(names) > 1 ? errmsg("\"%s\" is not the privacy unit of relation \"%s\"", text, get_rel_name(referenced)) :
				 errmsg("column \"%s\" is not the privacy unit of relation \"%s\"", strVal(llast(dps_name_list(linitial(names)))),
						get_rel_name(referenced)),
				 annotation.unit.n > 1 ? errhint("Its unit is %s: name all of its columns, in this order.", dps_unit_names(referenced, &annotation.unit)) :
				 errhint("Protect that relation with this unit first.")));
	if (!dps_find_any_reference(relation, referenced, &named, &reference))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("nothing says which row of \"%s\" a row of \"%s\" belongs to", get_rel_name(referenced),
						get_rel_name(relation)),
				 errhint("Create one foreign key between them, and validate it.")));
	*columns = reference.columns;
}

/* Adds to a list such as "adjacency replace, max_rows 20" of what is kept because its
 * argument is NULL. */
static void
append_standing(StringInfo standing, const char *name, const char *value)
{
	appendStringInfo(standing, "%s%s %s", standing->len > 0 ? ", " : "", name, value);
}

/* Makes the columns that dpsens.protect's argument names the unit; see find_reference for
 * those of another table. */
static void
set_unit(Oid relation, const char *text)
{
	List	   *names = get_attnum(relation, text) != InvalidAttrNumber ? list_make1(unconstify(char *, text)) : split_names(text);
	const char *first = linitial(names);
	DpsUnitColumns columns = {0};
	bool		by_reference = get_attnum(relation, first) == InvalidAttrNumber && strchr(first, '.') != NULL;
	ListCell   *cell;

	if (by_reference)
		find_reference(relation, text, names, &columns);
	else
	{
		foreach(cell, names)
			add_column(&columns, text, find_named(relation, lfirst(cell)));
	}
	move_unit(relation, &columns, by_reference);
}

/* A limit for units of several rows, 0 for none.  NULL keeps the declared one and adds it
 * to the list. */
static int32
get_limit(FunctionCallInfo fcinfo, int argument, const char *name, int32 declared, StringInfo standing)
{
	int32		limit;

	if (PG_ARGISNULL(argument))
	{
		if (declared > 0)
			append_standing(standing, name, psprintf("%d", declared));
		return declared;
	}
	limit = PG_GETARG_INT32(argument);
	if (limit < 0 || limit > DPS_MAX_UNIT_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between 1 and %d, or 0 for no limit", name, DPS_MAX_UNIT_ROWS)));
	return limit;
}

/* How many units are protected together.  NULL keeps the declared number and adds it to the list. */
static int32
get_group_size(FunctionCallInfo fcinfo, int argument, int32 declared, StringInfo standing)
{
	int32		size;

	if (PG_ARGISNULL(argument))
	{
		if (declared > 1)
			append_standing(standing, "group_size", psprintf("%d", declared));
		return declared;
	}
	size = PG_GETARG_INT32(argument);
	if (size < 1 || size > DPS_MAX_GROUP_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("group_size must be between 1 and %d", DPS_MAX_GROUP_SIZE)));
	return size;
}

/* NULL keeps the declared adjacency, and adds it to the list, or is add_remove if the
 * relation is not protected. */
static DpsAdjacency
get_adjacency(FunctionCallInfo fcinfo, int argument, const DpsRelationAnnotation *declared, StringInfo standing)
{
	DpsAdjacency adjacency;
	char	   *name;

	if (PG_ARGISNULL(argument))
	{
		if (!declared->is_protected)
			return DPS_ADD_REMOVE;
		if (declared->adjacency != DPS_ADD_REMOVE)
			append_standing(standing, "adjacency", dps_adjacency_name(declared->adjacency));
		return declared->adjacency;
	}
	name = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (!dps_find_adjacency(name, &adjacency))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown adjacency \"%s\"", name),
				 errhint("Adjacencies are add_remove, replace, attribute and metric.")));
	return adjacency;
}

/* Adds the declared unit to the list, for a call that names none. */
static void
note_standing_unit(Oid relation, const DpsRelationAnnotation *declared, StringInfo standing)
{
	if (declared->is_protected && dps_has_unit(declared))
		append_standing(standing, "unit", declared->unit.n > 1 ? dps_unit_names(relation, &declared->unit) :
						quote_identifier(dps_unit_names(relation, &declared->unit)));
}

/* Raises warnings for the owner about gaps in the protection. */
static void
warn_of_protection(Oid relation)
{
	DpsRelationAnnotation annotation;

	CommandCounterIncrement();
	dps_get_relation_annotation(relation, &annotation);
	if (!dps_has_unit(&annotation))
		dps_warn_of_repeats(relation);
	else
		dps_warn_of_lost_units(relation, &annotation.unit);
	dps_warn_of_readers(relation);
}

/* Weights mean another thing under adjacency attribute, where they make noise. */
static void
note_weights(Oid relation)
{
	StringInfoData weights;
	DpsColumnAnnotation annotation;
	DpsLabelProblem problem;
	Relation	opened = relation_open(relation, AccessShareLock);
	int			natts = RelationGetNumberOfAttributes(opened);
	AttrNumber	column;

	relation_close(opened, NoLock);
	initStringInfo(&weights);
	for (column = 1; column <= natts; column++)
	{
		if (OidIsValid(get_atttype(relation, column)) &&
			dps_read_column_annotation(relation, column, &annotation, &problem) && annotation.weight < 1)
			appendStringInfo(&weights, "%s%s %s", weights.len > 0 ? ", " : "", get_attname(relation, column, false),
							 dps_format_number(annotation.weight));
	}
	if (weights.len > 0)
		ereport(NOTICE,
				(errmsg("weights below 1 make noise under adjacency attribute"),
				 errdetail("An answer tells at most its epsilon times the weight of: %s.", weights.data),
				 errhint("Answers that read such a column get more noise; weight => 1 takes it away.")));
}

Datum
dps_protect(PG_FUNCTION_ARGS)
{
	Oid			relation = open_relation(fcinfo, "dpsens.protect()");
	DpsRelationAnnotation declared;
	DpsRelationLabel label = {0};
	ObjectAddress address;
	StringInfoData standing;

	initStringInfo(&standing);
	dps_get_relation_annotation(relation, &declared);
	if (declared.is_public)
		ereport(NOTICE,
				(errmsg("relation \"%s\" is not public any more", get_rel_name(relation))));
	if (PG_ARGISNULL(1))
		note_standing_unit(relation, &declared, &standing);
	label.adjacency = get_adjacency(fcinfo, 2, &declared, &standing);
	label.limits.rows = get_limit(fcinfo, 3, "max_rows", declared.limits.rows, &standing);
	label.limits.rows_per_group = get_limit(fcinfo, 4, "max_rows_per_group", declared.limits.rows_per_group, &standing);
	label.limits.groups = get_limit(fcinfo, 5, "max_groups", declared.limits.groups, &standing);
	label.group_size = get_group_size(fcinfo, 6, declared.group_size, &standing);
	ObjectAddressSet(address, RelationRelationId, relation);
	dps_set_label(&address, dps_format_relation_label(&label));
	if (!PG_ARGISNULL(1))
		set_unit(relation, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	if (standing.len > 0)
		ereport(NOTICE,
				(errmsg("relation \"%s\" keeps %s", get_rel_name(relation), standing.data)));
	if (label.adjacency == DPS_ATTRIBUTE && !(declared.is_protected && declared.adjacency == DPS_ATTRIBUTE))
		note_weights(relation);
	warn_of_protection(relation);
	PG_RETURN_VOID();
}

Datum
dps_unprotect(PG_FUNCTION_ARGS)
{
	Oid			relation_oid = open_any_relation(fcinfo, "dpsens.unprotect()");
	Relation	relation = relation_open(relation_oid, NoLock);
	int			natts = RelationGetNumberOfAttributes(relation);
	AttrNumber	column;

	relation_close(relation, NoLock);
	/* column 0 is the relation itself */
	for (column = 0; column <= natts; column++)
		set_column_label(relation_oid, column, NULL);
	PG_RETURN_VOID();
}

/* There is no weight without something that it is of. */
static void
forget_idle_weight(ColumnChange *change)
{
	DpsColumnLabel *label = &change->label;

	if (label->range.lo != NULL || label->keyed != NIL || label->has_values || change->base_type == BOOLOID)
		return;
	label->has_weight = false;
	label->weight = 1;
}

/* Adds the range that holds where the key has the value, in the place of one before; without ends takes it away. */
static void
change_keyed_range(ColumnChange *change, char *when, const DpsLabelRange *range)
{
	DpsKeyedLabel *keyed = palloc(sizeof(*keyed));
	DpsKeyedLabel *before;

	dps_read_key(change->relation, when, &keyed->key, &keyed->value);
	keyed->range = *range;
	before = dps_find_keyed_label(change->label.keyed, keyed->key, keyed->value);
	if (range->lo == NULL && before == NULL)
		ereport(NOTICE,
				(errmsg("column \"%s\" has no range where \"%s\" is %s", change->name, keyed->key, quote_literal_cstr(keyed->value))));
	if (range->lo == NULL)
	{
		change->label.keyed = list_delete_ptr(change->label.keyed, before);
		forget_idle_weight(change);
	}
	else if (before != NULL)
		before->range = *range;
	else
		change->label.keyed = lappend(change->label.keyed, keyed);
}

static void
refuse_null_ends(FunctionCallInfo fcinfo)
{
	dps_refuse_null(fcinfo, 2, "lower end of the range");
	dps_refuse_null(fcinfo, 3, "upper end of the range");
}

/* The ends of arguments 2 and 3, numbers. */
static DpsLabelRange
number_range(FunctionCallInfo fcinfo)
{
	refuse_null_ends(fcinfo);
	return (DpsLabelRange) {.lo = dps_format_number(PG_GETARG_FLOAT8(2) + 0.0), .hi = dps_format_number(PG_GETARG_FLOAT8(3) + 0.0)};
}

static void
change_weight(ColumnChange *change, double weight)
{
	DpsRelationAnnotation whole;

	change->label.weight = weight;
	change->label.has_weight = weight != 1;
	dps_get_relation_annotation(change->relation, &whole);
	if (weight > 1 && whole.is_protected && whole.adjacency == DPS_ATTRIBUTE)
		ereport(NOTICE,
				(errmsg("weight %s of column \"%s\" counts as 1 under adjacency attribute",
						dps_format_number(weight), change->name)));
}

/* NULL keeps the declared weight. */
static void
change_weight_if_given(ColumnChange *change, FunctionCallInfo fcinfo, int argument)
{
	if (!PG_ARGISNULL(argument))
		change_weight(change, PG_GETARG_FLOAT8(argument));
	else if (change->label.has_weight)
		ereport(NOTICE,
				(errmsg("column \"%s\" keeps weight %s", change->name, dps_format_number(change->label.weight))));
}

Datum
dps_set_range(PG_FUNCTION_ARGS)
{
	ColumnChange change;

	begin_named_change(&change, fcinfo, open_relation(fcinfo, "dpsens.set_range()"));
	change.label.range = number_range(fcinfo);
	change_weight_if_given(&change, fcinfo, 4);
	finish_change(&change);
	PG_RETURN_VOID();
}

Datum
dps_set_weight(PG_FUNCTION_ARGS)
{
	ColumnChange change;

	begin_named_change(&change, fcinfo, open_relation(fcinfo, "dpsens.set_weight()"));
	dps_refuse_null(fcinfo, 2, "weight");
	change_weight(&change, PG_GETARG_FLOAT8(2));
	finish_change(&change);
	PG_RETURN_VOID();
}

/* A date or timestamp as in a label, from the session's input format. */
static char *
spell_moment(const ColumnChange *change, char *text)
{
	Oid			input;
	Oid			ioparam;
	char	   *spelled;

	getTypeInputInfo(change->base_type, &input, &ioparam);
	if (!dps_format_moment(OidInputFunctionCall(input, text, ioparam, -1),
						   change->base_type, &spelled))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("%s of column \"%s\" is not in the years 1 to 9999",
						quote_literal_cstr(text), change->name)));
	return spelled;
}

static bool
has_moments(const ColumnChange *change)
{
	const DpsLabelType *type = dps_find_label_type(change->base_type);

	return type != NULL && type->quoted;
}

/* The ends of arguments 2 and 3, texts. */
static DpsLabelRange
text_range(FunctionCallInfo fcinfo, const ColumnChange *change)
{
	DpsLabelRange range;

	refuse_null_ends(fcinfo);
	range = (DpsLabelRange) {.lo = text_to_cstring(PG_GETARG_TEXT_PP(2)), .hi = text_to_cstring(PG_GETARG_TEXT_PP(3)),
		.quoted = has_moments(change)};
	if (range.quoted)
	{
		range.lo = spell_moment(change, range.lo);
		range.hi = spell_moment(change, range.hi);
	}
	return range;
}

Datum
dps_set_range_text(PG_FUNCTION_ARGS)
{
	ColumnChange change;

	begin_named_change(&change, fcinfo, open_relation(fcinfo, "dpsens.set_range()"));
	change.label.range = text_range(fcinfo, &change);
	change_weight_if_given(&change, fcinfo, 4);
	finish_change(&change);
	PG_RETURN_VOID();
}

/* set_range_when(relation, column_name, lo, hi, "when", weight), the ends numbers or texts; NULL for both takes the range
 * away. */
static Datum
set_keyed_range(FunctionCallInfo fcinfo, bool texts)
{
	ColumnChange change;
	DpsLabelRange range = {0};

	begin_named_change(&change, fcinfo, open_relation(fcinfo, "dpsens.set_range_when()"));
	dps_refuse_null(fcinfo, 4, "condition of the range");
	if (!PG_ARGISNULL(2) || !PG_ARGISNULL(3))
		range = texts ? text_range(fcinfo, &change) : number_range(fcinfo);
	change_keyed_range(&change, text_to_cstring(PG_GETARG_TEXT_PP(4)), &range);
	if (range.lo != NULL)
		change_weight_if_given(&change, fcinfo, 5);
	finish_change(&change);
	PG_RETURN_VOID();
}

Datum
dps_set_keyed_range(PG_FUNCTION_ARGS)
{
	return set_keyed_range(fcinfo, false);
}

Datum
dps_set_keyed_range_text(PG_FUNCTION_ARGS)
{
	return set_keyed_range(fcinfo, true);
}

/* Sets the range that constraints of a column imply; false if a label cannot express it. */
static bool
import_range(Oid relation, AttrNumber column, const DpsCheckRange *range,
			 DpsColumnAnnotation *annotation)
{
	ColumnChange change;
	DpsLabelProblem problem;
	char	   *lo;
	char	   *hi;

	begin_change(&change, relation, column);
	lo = dps_spell_check_end(change.base_type, range->lo);
	hi = dps_spell_check_end(change.base_type, range->hi);
	if (lo == NULL || hi == NULL)
		return false;
	change.label.range = (DpsLabelRange) {.lo = lo, .hi = hi, .quoted = has_moments(&change)};
	if (!dps_resolve_column_label(&change.label, change.name, change.base_type,
								  annotation, &problem))
	{
		ereport(NOTICE,
				(errmsg("constraints of column \"%s\" are not imported", change.name),
				 errdetail("%s.", problem.message)));
		return false;
	}
	write_change(&change);
	return true;
}

Datum
dps_set_range_from_checks(PG_FUNCTION_ARGS)
{
	Oid			relation_oid = open_relation(fcinfo, "dpsens.set_range_from_checks()");
	Relation	relation = relation_open(relation_oid, NoLock);
	int			natts = RelationGetNumberOfAttributes(relation);
	DpsCheckRange *ranges = dps_read_check_ranges(relation);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpsColumnAnnotation annotation;
	int			i;

	relation_close(relation, NoLock);
	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < natts; i++)
	{
		if (isfinite(ranges[i].lo) && isfinite(ranges[i].hi) &&
			import_range(relation_oid, i + 1, &ranges[i], &annotation))
		{
			NameData	name;
			Datum		values[3];
			bool		nulls[3] = {false, false, false};

			namestrcpy(&name, get_attname(relation_oid, i + 1, false));
			values[0] = NameGetDatum(&name);
			values[1] = Float8GetDatum(annotation.lo);
			values[2] = Float8GetDatum(annotation.hi);
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	remind_to_protect(relation_oid);
	return (Datum) 0;
}

Datum
dps_set_values(PG_FUNCTION_ARGS)
{
	ColumnChange change;
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	int			i;

	begin_named_change(&change, fcinfo, open_relation(fcinfo, "dpsens.set_values()"));
	dps_refuse_null(fcinfo, 2, "values");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &n);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no values given for column \"%s\"", change.name),
				 errhint("dpsens.clear removes an annotation.")));
	change.label.has_values = true;
	change.label.values = NIL;
	for (i = 0; i < n; i++)
	{
		char	   *value;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("values of column \"%s\" must not be null", change.name)));
		value = TextDatumGetCString(elements[i]);
		if (has_moments(&change))
			value = spell_moment(&change, value);
		change.label.values = lappend(change.label.values, value);
	}
	finish_change(&change);
	PG_RETURN_VOID();
}

Datum
dps_set_public(PG_FUNCTION_ARGS)
{
	ColumnChange change;

	begin_named_change(&change, fcinfo, open_relation(fcinfo, "dpsens.set_public()"));
	change.label.is_public = true;
	finish_change(&change);
	PG_RETURN_VOID();
}

/* set_public(relation) */
Datum
dps_set_public_relation(PG_FUNCTION_ARGS)
{
	Oid			relation = open_relation(fcinfo, "dpsens.set_public()");
	DpsRelationAnnotation annotation;
	DpsRelationLabel label = {.is_public = true};
	ObjectAddress address;

	dps_get_relation_annotation(relation, &annotation);
	if (annotation.is_protected)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is protected", get_rel_name(relation)),
				 errhint("Call dpsens.unprotect first, if its rows are no secret.")));
	if (get_rel_persistence(relation) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation \"%s\" is temporary", get_rel_name(relation)),
				 errhint("Declare a permanent table.")));
	ObjectAddressSet(address, RelationRelationId, relation);
	dps_set_label(&address, dps_format_relation_label(&label));
	PG_RETURN_VOID();
}

Datum
dps_clear(PG_FUNCTION_ARGS)
{
	ColumnChange change;

	begin_named_change(&change, fcinfo, open_any_relation(fcinfo, "dpsens.clear()"));
	set_column_label(change.relation, change.column, NULL);
	PG_RETURN_VOID();
}

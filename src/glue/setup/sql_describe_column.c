/*
 * sql_describe_column.c
 *		What is declared of a column, and the statement that would declare what is missing, for the view
 *		dpsens.columns.
 *
 * All of it follows from catalogs, which everybody may read.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/regproc.h"

#include "glue/constraint/reference.h"
#include "glue/constraint/undeclared.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "glue/owner.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dps_describe_column);

static const char *
role_of(const DpsColumnAnnotation *annotation)
{
	if (annotation->is_unit)
		return "unit";
	if (annotation->is_public)
		return "public";
	return dps_has_domain(annotation) ? "private" : "unannotated";
}

/* 'relation', 'column' as arguments of a function of dpsens. */
static char *
format_arguments(Oid relation, const char *column)
{
	char	   *name = DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation)));

	return psprintf("%s, %s", quote_literal_cstr(name), quote_literal_cstr(column));
}

static char *
regclass_literal(Oid relation)
{
	return quote_literal_cstr(DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation))));
}

/* Have both the same owner?  False if one of them is gone. */
static bool
have_one_owner(Oid relation, Oid other)
{
	DpsRelationNames names[2];

	return dps_relation_names(relation, &names[0]) && dps_relation_names(other, &names[1]) &&
		strcmp(NameStr(names[0].owner), NameStr(names[1].owner)) == 0;
}

/* Of a column that refers to a relation which is public as a whole, and of the same owner, who will run this, the keys
 * of that are the values; NULL if it does not.  What reads another's relation can run what that one has attached to it. */
static char *
missing_referenced_values(Oid relation, AttrNumber column, const char *arguments)
{
	DpsUnitColumns columns = dps_single_column(column);
	DpsReference reference;
	DpsRelationAnnotation referenced;
	char	   *key;

	if (!dps_find_reference(relation, &columns, InvalidOid, &reference))
		return NULL;
	dps_get_relation_annotation(reference.relation, &referenced);
	key = get_attname(reference.relation, reference.keys.column[0], true);
	if (!referenced.is_public || key == NULL || !have_one_owner(relation, reference.relation) ||
		!dps_can_declare_values(get_atttype(relation, column)))
		return NULL;
	return dps_spell_referenced_values(arguments,
									   DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(reference.relation))), key);
}

/* The statement that would declare something of a column of which nothing is declared; NULL if nothing should be. */
static char *
missing_annotation(Oid relation, AttrNumber column, const char *name)
{
	Oid			type = get_atttype(relation, column);
	const DpsLabelType *label_type = dps_find_label_type(getBaseType(type));
	char	   *arguments = format_arguments(relation, name);
	char	   *values = missing_referenced_values(relation, column, arguments);

	if (values != NULL)
		return values;
	if (dps_looks_identifying(name))
		return NULL;
	if (label_type != NULL && label_type->quoted)
		return psprintf("SELECT dpsens.set_range(%s, 'first', 'last')", arguments);
	if (label_type != NULL)
		return psprintf("SELECT dpsens.set_range(%s, lo, hi)", arguments);
	if (dps_can_declare_values(type))
		return psprintf("SELECT dpsens.set_values(%s, 'one', 'other')", arguments);
	return NULL;
}

/* The unit's columns as a list of SQL. */
static char *
unit_list(Oid relation, const DpsUnitColumns *columns)
{
	char	   *names = dps_unit_names(relation, columns);

	return columns->n == 1 ? unconstify(char *, quote_identifier(names)) : names;
}

/*
 * The statement that declares how many rows of a unit count, or proves that it has one;
 * NULL if none is missing.  A declared unit usually has several rows, so limits are
 * suggested where the adjacency allows them, and a unique index elsewhere.
 */
static char *
missing_limits(Oid relation_oid, AttrNumber column, const char *name, const DpsRelationAnnotation *owner)
{
	Relation	relation;
	bool		not_null;
	char	   *table;

	if (owner->unit_is_unique || owner->limits.rows > 0 || owner->limits.rows_per_group > 0 || owner->limits.groups > 0)
		return NULL;
	if (owner->adjacency == DPS_ADD_REMOVE || owner->adjacency == DPS_REPLACE)
		return psprintf("SELECT dpsens.protect(%s, max_rows => number)", regclass_literal(relation_oid));
	relation = relation_open(relation_oid, AccessShareLock);
	not_null = TupleDescAttr(RelationGetDescr(relation), column - 1)->attnotnull;
	relation_close(relation, AccessShareLock);
	table = DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation_oid)));
	return psprintf("%sCREATE UNIQUE INDEX ON %s (%s)",
					not_null ? "" : psprintf("ALTER TABLE %s ALTER COLUMN %s SET NOT NULL; ", table, quote_identifier(name)),
					table, unit_list(relation_oid, &owner->unit));
}

/* The statement that is missing for a unit by reference; NULL if none is. */
static char *
missing_reference(Oid relation, const DpsUnitColumns *columns)
{
	DpsReference reference;
	DpsRelationAnnotation annotation;

	if (!dps_find_reference(relation, columns, InvalidOid, &reference))
		return psprintf("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES other",
						DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(relation))), unit_list(relation, columns));
	dps_get_relation_annotation(reference.relation, &annotation);
	if (annotation.is_protected && dps_has_unit(&annotation))
		return NULL;
	return psprintf("SELECT dpsens.protect(%s, unit => 'column')", regclass_literal(reference.relation));
}

static char *
find_missing(Oid relation, AttrNumber column, const DpsColumnAnnotation *annotation)
{
	char	   *name = get_attname(relation, column, false);
	DpsRelationAnnotation owner;

	if (annotation->is_unit)
	{
		char	   *missing;

		dps_get_relation_annotation(relation, &owner);
		if (!dps_has_unit(&owner))
			return psprintf("SELECT dpsens.protect(%s, unit => 'columns')", regclass_literal(relation));
		missing = annotation->by_reference ? missing_reference(relation, &owner.unit) : NULL;
		return missing != NULL ? missing : missing_limits(relation, column, name, &owner);
	}
	if (annotation->is_public || dps_has_domain(annotation))
		return NULL;
	return missing_annotation(relation, column, name);
}

static Datum
make_text_array(const DpsTexts *texts)
{
	Datum	   *elements = palloc(Max(texts->n, 1) * sizeof(Datum));
	char	   *text = texts->bytes;
	int			i;

	for (i = 0; i < texts->n; i++, text = dps_next_text(text))
		elements[i] = CStringGetTextDatum(text);
	return PointerGetDatum(construct_array(elements, texts->n, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum
dps_describe_column(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	AttrNumber	column = PG_GETARG_INT16(1);
	DpsColumnAnnotation annotation;
	DpsTexts	texts = {0};
	DpsLabelProblem problem;
	TupleDesc	descriptor;
	Datum		values[6];
	bool		nulls[6];
	char	   *missing;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	/* the table or the column may have been dropped since the catalog was read;
	 * a dropped column has no type */
	if (!OidIsValid(get_atttype(relation, column)))
		PG_RETURN_NULL();

	if (dps_read_column_annotation(relation, column, &annotation, &problem))
		missing = find_missing(relation, column, &annotation);
	else
	{
		memset(&annotation, 0, sizeof(annotation));
		annotation.weight = 1;
		missing = psprintf("SELECT dpsens.clear(%s)", format_arguments(relation, get_attname(relation, column, false)));
	}

	memset(nulls, true, sizeof(nulls));
	values[0] = CStringGetTextDatum(role_of(&annotation));
	nulls[0] = false;
	if (annotation.has_range)
	{
		values[1] = Float8GetDatum(annotation.lo);
		values[2] = Float8GetDatum(annotation.hi);
		nulls[1] = nulls[2] = false;
	}
	values[3] = Float8GetDatum(annotation.weight);
	nulls[3] = !annotation.has_range && annotation.weight == 1;
	if (annotation.has_values)
	{
		dps_declared_texts(relation, column, InvalidSnapshot, &texts);
		values[4] = make_text_array(&texts);
		nulls[4] = false;
	}
	if (missing != NULL)
	{
		values[5] = CStringGetTextDatum(missing);
		nulls[5] = false;
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

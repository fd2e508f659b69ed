/*
 * annotation.c
 *		The declarations of a curator: the label provider, and functions that
 *		read labels.
 *
 * A session reads a label once and caches its meaning until it changes
 * (annotation_cache.c), except lists of declared values.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "base/once.h"
#include "glue/compat.h"
#include "glue/label/annotation.h"
#include "glue/label/annotation_cache.h"
#include "glue/label/label.h"
#include "glue/owner_hint.h"
#include "glue/label/role_label.h"
#include "glue/label/undistributed.h"
#include "glue/label/view_label.h"

static char *
read_label(Oid catalog, Oid object, int32 column)
{
	ObjectAddress address;

	ObjectAddressSubSet(address, catalog, object, column);
	return GetSecurityLabel(&address, DPS_LABEL_PROVIDER);
}

/*
 * Reads all column labels of a relation in one scan: calls visit for each, until it
 * returns false.
 */
typedef bool (*VisitLabel) (AttrNumber column, const char *label, void *context);

static void
visit_column_labels(Oid relation, VisitLabel visit, void *context)
{
	Relation	catalog = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		more = true;

	ScanKeyInit(&keys[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relation));
	ScanKeyInit(&keys[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	scan = systable_beginscan(catalog, SecLabelObjectIndexId, true, NULL, 2, keys);
	while (more && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		TupleDesc	descriptor = RelationGetDescr(catalog);
		bool		isnull;
		int32		column = DatumGetInt32(heap_getattr(tuple, Anum_pg_seclabel_objsubid, descriptor, &isnull));
		Datum		provider = heap_getattr(tuple, Anum_pg_seclabel_provider, descriptor, &isnull);
		Datum		label = heap_getattr(tuple, Anum_pg_seclabel_label, descriptor, &isnull);

		if (column != 0 && strcmp(TextDatumGetCString(provider), DPS_LABEL_PROVIDER) == 0)
			more = visit((AttrNumber) column, TextDatumGetCString(label), context);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
}

/* The columns of a unit as they are found. */
typedef struct UnitReading
{
	DpsUnitColumns columns;		/* by their places; 0 where none was found */
	int			found;
	bool		by_reference;
	bool		is_broken;		/* they do not fit together */
} UnitReading;

static void
add_unit_column(UnitReading *reading, AttrNumber column, const DpsColumnLabel *label)
{
	AttrNumber *place = &reading->columns.column[label->unit_place - 1];

	if (reading->found++ == 0)
	{
		reading->columns.n = label->unit_size;
		reading->by_reference = label->by_reference;
	}
	else if (reading->columns.n != label->unit_size || reading->by_reference != label->by_reference)
		reading->is_broken = true;
	if (*place != InvalidAttrNumber)
		reading->is_broken = true;
	*place = column;
}

/* A unit of which a column is missing is none: what is left would be a unit of other persons. */
static void
finish_unit(const UnitReading *reading, DpsRelationAnnotation *annotation)
{
	annotation->unit_is_broken = reading->found > 0 && (reading->is_broken || reading->found != reading->columns.n);
	if (reading->found == 0 || annotation->unit_is_broken)
		return;
	annotation->unit = reading->columns;
	annotation->unit_by_reference = reading->by_reference;
}

/* A search for a column that cannot be of one unit with another. */
typedef struct OtherUnit
{
	AttrNumber	column;
	const DpsColumnLabel *label;	/* that it is to have */
	AttrNumber	other;			/* found, or 0 */
} OtherUnit;

static bool
visit_other_unit(AttrNumber column, const char *text, void *context)
{
	OtherUnit  *search = context;
	DpsLabelProblem problem;
	DpsColumnLabel label;

	if (column == search->column)
		return true;
	if (!dps_parse_column_clauses(text, &label, &problem))
		dps_refuse_label(&problem);
	if (!label.is_unit || (label.unit_size == search->label->unit_size && label.unit_place != search->label->unit_place &&
						   label.by_reference == search->label->by_reference))
		return true;
	search->other = column;
	return false;
}

/* The labels of an enum in their order. */
static List *
enum_values(Oid type)
{
	Relation	catalog = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	List	   *values = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(catalog, index, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		values = lappend(values, pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(catalog, AccessShareLock);
	return values;
}

int
dps_enum_size(Oid type)
{
	return list_length(enum_values(type));
}

/* Adds the range and values that a type implies without a label. */
static void
fill_defaults(Oid base_type, DpsColumnAnnotation *annotation)
{
	if (base_type == BOOLOID)
	{
		annotation->has_range = true;
		annotation->lo = 0;
		annotation->hi = 1;
		annotation->has_values = true;
	}
	else if (get_typtype(base_type) == TYPTYPE_ENUM && !annotation->has_values)
		annotation->has_values = enum_values(base_type) != NIL;
}

/* The annotation that follows from a column's label, or NULL, and its type; false, with
 * the problem, if the label does not fit the type. */
static bool
resolve_column(Oid relation, AttrNumber column, const DpsColumnLabel *label, DpsColumnAnnotation *annotation,
			   DpsLabelProblem *problem)
{
	Oid			base_type = getBaseType(get_atttype(relation, column));

	memset(annotation, 0, sizeof(*annotation));
	annotation->weight = 1;
	if (label != NULL && !dps_resolve_column_label(label, get_attname(relation, column, false), base_type,
												   annotation, problem))
		return false;
	fill_defaults(base_type, annotation);
	if (annotation->has_values)
	{
		annotation->values_of = relation;
		annotation->values_column = column;
	}
	/* a generated column reveals the columns that it is computed from */
	if (get_attgenerated(relation, column) != '\0')
		annotation->is_public = false;
	return true;
}

bool
dps_read_column_annotation(Oid relation, AttrNumber column, DpsColumnAnnotation *annotation,
						   DpsLabelProblem *problem)
{
	char	   *text = read_label(RelationRelationId, relation, column);
	DpsColumnLabel label;

	if (text != NULL && !dps_parse_column_clauses(text, &label, problem))
		return false;
	return resolve_column(relation, column, text != NULL ? &label : NULL, annotation, problem);
}

static void
recall_column(Oid relation, AttrNumber column, DpsColumnAnnotation *annotation)
{
	DpsLabelProblem problem;
	uint64		changes;

	if (dps_recall_fact(relation, column, annotation, sizeof(*annotation)))
		return;
	changes = dps_annotation_changes();
	if (!dps_read_column_annotation(relation, column, annotation, &problem))
		dps_refuse_label(&problem);
	dps_remember_fact(relation, column, annotation, sizeof(*annotation), changes);
}

/* The text with a null byte at its end. */
static char *
copy_text(Datum value)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(value);
	struct varlena *copy = pg_detoast_datum(stored);
	Size		size = VARSIZE(copy) - VARHDRSZ;
	char	   *result;

	if (copy == stored)
		return text_to_cstring((text *) stored);
	/* the text may be megabytes, so it is not copied again: moved to the place of the
	 * length word, it leaves room for the null byte */
	result = memmove(copy, VARDATA(copy), size);
	result[size] = '\0';
	return result;
}

/* The label of a column as of a snapshot, NULL for the newest; NULL if there is none. */
static char *
read_column_label(Oid relation, AttrNumber column, Snapshot snapshot)
{
	Relation	catalog = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData keys[4];
	SysScanDesc scan;
	HeapTuple	tuple;
	char	   *label = NULL;
	bool		isnull;

	ScanKeyInit(&keys[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	ScanKeyInit(&keys[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[2], Anum_pg_seclabel_objsubid, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(column));
	ScanKeyInit(&keys[3], Anum_pg_seclabel_provider, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(DPS_LABEL_PROVIDER));
	scan = systable_beginscan(catalog, SecLabelObjectIndexId, true, snapshot, 4, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		label = copy_text(heap_getattr(tuple, Anum_pg_seclabel_label, RelationGetDescr(catalog), &isnull));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return label;
}

static void
append_names(DpsTexts *texts, const List *names)
{
	Size		size = 0;
	ListCell   *cell;

	foreach(cell, names)
		size += strlen(lfirst(cell)) + 1;
	texts->bytes = texts->end = palloc(Max(size, 1));
	texts->n = list_length(names);
	foreach(cell, names)
		texts->end = stpcpy(texts->end, lfirst(cell)) + 1;
}

void
dps_declared_texts(Oid relation, AttrNumber column, Snapshot snapshot, DpsTexts *texts)
{
	char	   *text = read_column_label(relation, column, snapshot);
	Oid			base_type = getBaseType(get_atttype(relation, column));
	DpsColumnLabel label = {0};
	DpsLabelProblem problem;

	if (text != NULL && !dps_parse_column_label_in_place(text, &label, texts, &problem))
	{
		texts->n = 0;
		return;
	}
	if (label.has_values)
		return;
	if (base_type == BOOLOID)
		append_names(texts, list_make2("false", "true"));
	else if (get_typtype(base_type) == TYPTYPE_ENUM)
		append_names(texts, enum_values(base_type));
}

void
dps_get_column_annotation(Oid relation, AttrNumber column, DpsColumnAnnotation *annotation)
{
	/* system columns cannot be labelled */
	if (column > 0)
	{
		recall_column(relation, column, annotation);
		return;
	}
	memset(annotation, 0, sizeof(*annotation));
	annotation->weight = 1;
}

static int
column_count(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	int			n = 0;

	if (HeapTupleIsValid(tuple))
	{
		n = ((Form_pg_class) GETSTRUCT(tuple))->relnatts;
		ReleaseSysCache(tuple);
	}
	return n;
}

double
dps_least_weight(Oid relation)
{
	int			n = column_count(relation);
	double		least = 1.0;
	DpsRelationAnnotation whole;
	AttrNumber	i;

	dps_get_relation_annotation(relation, &whole);
	if (!whole.is_protected || whole.adjacency != DPS_ATTRIBUTE)
		return 1;
	for (i = 1; i <= n; i++)
	{
		DpsColumnAnnotation annotation;

		/* a dropped column has no type */
		if (!OidIsValid(get_atttype(relation, i)))
			continue;
		dps_get_column_annotation(relation, i, &annotation);
		if (!annotation.is_public)
			least = dps_min(least, dps_attribute_weight(&annotation));
	}
	return least;
}

static bool
add_to_fingerprint(AttrNumber column, const char *label, void *context)
{
	uint64	   *fingerprint = context;

	*fingerprint = hash_bytes_extended((const unsigned char *) &column, sizeof(column), *fingerprint);
	*fingerprint = hash_bytes_extended((const unsigned char *) label, strlen(label), *fingerprint);
	return true;
}

/* The fingerprint of a relation's own label, before those of its columns are added. */
static uint64
start_fingerprint(const char *label)
{
	uint64		fingerprint = 0;

	(void) add_to_fingerprint(0, label != NULL ? label : "", &fingerprint);
	return fingerprint;
}

/* The state of reading all labels of a relation in one scan, since they may be long. */
typedef struct LabelReading
{
	Oid			relation;
	uint64		changes;
	uint64		fingerprint;
	UnitReading unit;
} LabelReading;

static bool
visit_label(AttrNumber column, const char *text, void *context)
{
	LabelReading *reading = context;
	DpsColumnAnnotation of_column;
	DpsColumnLabel label;
	DpsLabelProblem problem;

	(void) add_to_fingerprint(column, text, &reading->fingerprint);
	if (!dps_parse_column_clauses(text, &label, &problem))
	{
		/* it could be the unit's */
		if (reading->unit.found == 0 || reading->unit.found < reading->unit.columns.n)
			dps_refuse_label(&problem);
		return true;
	}
	if (label.is_unit)
		add_unit_column(&reading->unit, column, &label);
	/* a label that does not fit is an error only when the column is asked for */
	if (resolve_column(reading->relation, column, &label, &of_column, &problem))
		dps_remember_fact(reading->relation, column, &of_column, sizeof(of_column), reading->changes);
	return true;
}

/* Reads the relation's annotation from its label and those of its columns; caches it,
 * and the columns' annotations. */
static void
read_relation_labels(Oid relation, DpsRelationAnnotation *annotation)
{
	LabelReading reading = {.relation = relation, .changes = dps_annotation_changes()};
	char	   *text = read_label(RelationRelationId, relation, 0);
	DpsRelationLabel label;
	DpsLabelProblem problem;

	memset(annotation, 0, sizeof(*annotation));
	if (text != NULL && !dps_is_view_label(relation, text))
	{
		if (!dps_parse_relation_label(text, &label, &problem))
			dps_refuse_label(&problem);
		annotation->is_protected = !label.is_public;
		annotation->is_public = label.is_public;
		annotation->adjacency = label.adjacency;
		annotation->limits = label.limits;
		annotation->group_size = label.is_public ? 0 : label.group_size;
		reading.fingerprint = start_fingerprint(text);
		visit_column_labels(relation, visit_label, &reading);
		finish_unit(&reading.unit, annotation);
		annotation->labels = reading.fingerprint;
		dps_remember_fact(relation, DPS_FACT_FINGERPRINT, &reading.fingerprint, sizeof(uint64), reading.changes);
	}
	dps_remember_fact(relation, DPS_FACT_RELATION, annotation, sizeof(*annotation), reading.changes);
}

static void
recall_relation(Oid relation, DpsRelationAnnotation *annotation)
{
	if (!dps_recall_fact(relation, DPS_FACT_RELATION, annotation, sizeof(*annotation)))
		read_relation_labels(relation, annotation);
}

void
dps_get_unit_columns(Oid relation, DpsUnitColumns *columns)
{
	DpsRelationAnnotation annotation;

	recall_relation(relation, &annotation);
	*columns = annotation.unit;
}

void
dps_get_relation_labels(Oid relation, DpsRelationAnnotation *annotation)
{
	recall_relation(relation, annotation);
}

void
dps_get_relation_annotation(Oid relation, DpsRelationAnnotation *annotation)
{
	recall_relation(relation, annotation);
	/* the index is not cached: its changes do not invalidate the annotation */
	if (!dps_has_unit(annotation) || annotation->unit_by_reference)
		return;
	annotation->unit_index = dps_find_unit_index(relation, &annotation->unit);
	annotation->unit_is_unique = OidIsValid(annotation->unit_index);
}

void
dps_get_protected_annotation(Oid relation, DpsRelationAnnotation *annotation)
{
	dps_get_relation_annotation(relation, annotation);
	if (!annotation->is_protected)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not protected", get_rel_name(relation)),
				 dps_hint_owner(relation, "Call dpsens.protect() first.")));
}

uint64
dps_annotation_fingerprint(Oid relation)
{
	uint64		changes;
	uint64		fingerprint;

	if (dps_recall_fact(relation, DPS_FACT_FINGERPRINT, &fingerprint, sizeof(fingerprint)))
		return fingerprint;
	changes = dps_annotation_changes();
	fingerprint = start_fingerprint(read_label(RelationRelationId, relation, 0));
	visit_column_labels(relation, add_to_fingerprint, &fingerprint);
	dps_remember_fact(relation, DPS_FACT_FINGERPRINT, &fingerprint, sizeof(fingerprint), changes);
	return fingerprint;
}

/* Does the function have a valid label?  Sets whether it is TRUSTED. */
static bool
read_function_label(Oid function, bool *is_trusted)
{
	char	   *text = read_label(ProcedureRelationId, function, 0);
	DpsLabelProblem problem;

	return text != NULL && dps_parse_function_label(text, is_trusted, &problem);
}

bool
dps_is_registered_expression(Oid function)
{
	bool		is_trusted;

	return read_function_label(function, &is_trusted) && !is_trusted;
}

bool
dps_is_trusted_function(Oid function)
{
	bool		is_trusted;

	return read_function_label(function, &is_trusted) && is_trusted;
}

/*
 * Checks of labels before they are written
 */

void
dps_check_annotatable(Oid relation, AttrNumber column)
{
	char		relkind = get_rel_relkind(relation);

	if (relkind == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", get_rel_name(relation)),
				 errhint("Protect the tables with the private rows; views over them are protected with them.")));
	if (relation < FirstNormalObjectId)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("\"%s\" is a system catalog", get_rel_name(relation)),
				 errhint("System catalogs cannot be protected.")));
	if (column < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("cannot annotate system column \"%s\"",
						get_attname(relation, column, false))));
}

static void
check_relation_label(Oid relation, const char *text)
{
	DpsRelationLabel label;
	DpsLabelProblem problem;

	dps_check_annotatable(relation, 0);
	if (!dps_parse_relation_label(text, &label, &problem))
		dps_refuse_label(&problem);
	if (!label.is_public && !dps_is_copied_label())
		dps_refuse_distributed(relation);
}

/* The functions that read and compare the declared values of a column. */
typedef struct ValueReader
{
	Form_pg_attribute attribute;
	Oid			base_type;
	Oid			input;
	Oid			ioparam;
	int32		typmod;			/* of the base type */
	TypeCacheEntry *entry;
	const char *value;			/* being read */
} ValueReader;

static void
value_context(void *arg)
{
	ValueReader *reader = arg;

	errcontext("value '%s' declared for column \"%s\"", reader->value,
			   NameStr(reader->attribute->attname));
}

static void
open_reader(ValueReader *reader, Form_pg_attribute attribute)
{
	if (!dps_can_declare_values(attribute->atttypid))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot have declared values",
						NameStr(attribute->attname), format_type_be(attribute->atttypid)),
				 errhint("Values are declared for text, numbers, dates, timestamps, booleans, enums and other ordered types of one fixed spelling.")));
	memset(reader, 0, sizeof(*reader));
	reader->attribute = attribute;
	reader->typmod = attribute->atttypmod;
	reader->base_type = getBaseTypeAndTypmod(attribute->atttypid, &reader->typmod);
	reader->entry = lookup_type_cache(reader->base_type, TYPECACHE_CMP_PROC_FINFO);
	/* the base type's input: a domain's CHECK may be any user's code, and would run with the
	 * privileges of the role that restores a dump */
	getTypeInputInfo(reader->base_type, &reader->input, &reader->ioparam);
}

static Datum
read_value(ValueReader *reader, char *value)
{
	const DpsLabelType *label_type = dps_find_label_type(reader->base_type);
	ErrorContextCallback context;
	double		seconds;
	Datum		datum;

	if (label_type != NULL && label_type->quoted &&
		!dps_parse_moment(value, reader->base_type, true, &seconds))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				 errmsg("value of column \"%s\" is not of type %s: %s",
						NameStr(reader->attribute->attname),
						format_type_be(reader->base_type), quote_literal_cstr(value)),
				 errhint("Write it as '2020-12-31', or as '2020-12-31 23:59:59' with a zone such as +00 for timestamps with time zone.")));
	reader->value = value;
	context.callback = value_context;
	context.arg = reader;
	context.previous = error_context_stack;
	error_context_stack = &context;
	datum = OidInputFunctionCall(reader->input, value, reader->ioparam, reader->typmod);
	error_context_stack = context.previous;
	return datum;
}

typedef struct DeclaredValue
{
	Datum		datum;
	const char *text;
} DeclaredValue;

static int
compare_values(const void *a, const void *b, void *arg)
{
	ValueReader *reader = arg;

	return DatumGetInt32(FunctionCall2Coll(&reader->entry->cmp_proc_finfo,
										   reader->attribute->attcollation,
										   ((const DeclaredValue *) a)->datum,
										   ((const DeclaredValue *) b)->datum));
}

static void
check_values(Form_pg_attribute attribute, List *values)
{
	int			n = list_length(values);
	DeclaredValue *declared = palloc(n * sizeof(DeclaredValue));
	ValueReader reader;
	ListCell   *cell;
	int			i = 0;

	open_reader(&reader, attribute);
	foreach(cell, values)
	{
		declared[i].text = lfirst(cell);
		declared[i++].datum = read_value(&reader, lfirst(cell));
	}
	qsort_arg(declared, n, sizeof(DeclaredValue), compare_values, &reader);
	for (i = 1; i < n; i++)
	{
		if (compare_values(&declared[i - 1], &declared[i], &reader) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("values of column \"%s\" contain a duplicate",
							NameStr(attribute->attname)),
					 errdetail("%s and %s are equal.", quote_literal_cstr(declared[i - 1].text),
							   quote_literal_cstr(declared[i].text))));
	}
}

static void
check_single_unit(Oid relation, AttrNumber column, const DpsColumnLabel *label)
{
	OtherUnit	search = {column, label, InvalidAttrNumber};

	visit_column_labels(relation, visit_other_unit, &search);
	if (search.other != InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" already has a privacy unit, column \"%s\"",
						get_rel_name(relation), get_attname(relation, search.other, false)),
				 errhint("dpsens.protect moves the unit to another column.")));
}

/* Can units of several columns be compared in this one? */
static void
check_unit_form(Oid relation, AttrNumber column)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
	if (dps_unit_form(makeVar(1, column, type, typmod, collation, 0)) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of type %s cannot be part of a privacy unit of several columns",
						get_attname(relation, column, false), format_type_be(type)),
				 errdetail("Equal values of it can have different bytes."),
				 errhint(DPS_UNIT_FORM_HINT)));
}

static void
check_column_label(Oid relation, AttrNumber column, const char *text)
{
	DpsColumnLabel label;
	DpsColumnAnnotation annotation;
	DpsLabelProblem problem;
	Form_pg_attribute attribute;
	HeapTuple	tuple;

	dps_check_annotatable(relation, column);
	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", column, relation);
	attribute = (Form_pg_attribute) GETSTRUCT(tuple);

	if (!dps_parse_column_label(text, &label, &problem) ||
		!dps_resolve_column_label(&label, NameStr(attribute->attname),
								  getBaseType(attribute->atttypid), &annotation, &problem))
		dps_refuse_label(&problem);
	if (label.values != NIL)
		check_values(attribute, label.values);
	if (label.is_unit)
		check_single_unit(relation, column, &label);
	if (label.is_unit && label.unit_size > 1 && !label.by_reference)
		check_unit_form(relation, column);
	ReleaseSysCache(tuple);
}

/* Checks a function's label.  The planner and the views read the parsed body of an
 * expression, whose only argument must be the row. */
static void
check_function_label(Oid function, const char *text)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	DpsLabelProblem problem;
	Form_pg_proc form;
	bool		has_no_body;
	bool		is_trusted;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	if (!dps_parse_function_label(text, &is_trusted, &problem))
		dps_refuse_label(&problem);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	if (is_trusted && !form->prosecdef)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function \"%s\" is not SECURITY DEFINER", NameStr(form->proname)),
				 errdetail("It runs with the rights of whoever calls it, so it needs no trust.")));
	(void) SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosqlbody, &has_no_body);
	if (!is_trusted && (form->prokind != PROKIND_FUNCTION || form->prolang != SQLlanguageId ||
						form->proretset || has_no_body || form->pronargs != 1 ||
						!OidIsValid(get_typ_typrelid(form->proargtypes.values[0]))))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function \"%s\" cannot be a registered expression",
						NameStr(form->proname)),
				 errhint("A registered expression is an SQL function of a table's row type with a RETURN body; dpsens.register makes one.")));
	/* the owner, and auditors, are shown what it is over the table's rows */
	if (!is_trusted && !dps_owns_relation(get_typ_typrelid(form->proargtypes.values[0]), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(get_typ_typrelid(form->proargtypes.values[0])));
	ReleaseSysCache(tuple);
}

/* Invalidates cached plans that use the function. */
static void
invalidate_function(Oid function)
{
	Relation	catalog = table_open(ProcedureRelationId, AccessShareLock);
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));

	if (HeapTupleIsValid(tuple))
	{
		CacheInvalidateHeapTuple(catalog, tuple, NULL);
		ReleaseSysCache(tuple);
	}
	table_close(catalog, AccessShareLock);
}

static DpsLabelWatcher label_watcher = NULL;

void
dps_watch_labels(DpsLabelWatcher watcher)
{
	label_watcher = watcher;
}

/*
 * The provider's hook.  The server has checked ownership and holds a lock on the object
 * that conflicts with itself.
 */
static void
check_relabel(const ObjectAddress *object, const char *text)
{
	if (object->classId == RelationRelationId)
	{
		if (object->objectSubId == 0 && text != NULL && dps_is_view_label(object->objectId, text))
			dps_tie_view(object->objectId);
		else if (object->objectSubId == 0 && text == NULL && get_rel_relkind(object->objectId) == RELKIND_VIEW)
			dps_untie_view(object->objectId);
		else if (text != NULL && object->objectSubId == 0)
			check_relation_label(object->objectId, text);
		else if (text != NULL)
			check_column_label(object->objectId, (AttrNumber) object->objectSubId, text);
		CacheInvalidateRelcacheByRelid(object->objectId);
	}
	else if (object->classId == ProcedureRelationId)
	{
		if (text != NULL)
			check_function_label(object->objectId, text);
		invalidate_function(object->objectId);
	}
	else if (object->classId == AuthIdRelationId)
		dps_check_role_label(text);
	else if (text != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("dpsens labels are for tables, columns, functions and roles only")));
	if (label_watcher != NULL)
		label_watcher(object, GetSecurityLabel(object, DPS_LABEL_PROVIDER), text);
}

void
dps_set_label(const ObjectAddress *object, const char *text)
{
	check_relabel(object, text);
	SetSecurityLabel(object, DPS_LABEL_PROVIDER, text);
	/* makes the label visible to later calls in the same statement */
	CommandCounterIncrement();
}

void
dps_annotation_init(void)
{
	register_label_provider(DPS_LABEL_PROVIDER, check_relabel);
}

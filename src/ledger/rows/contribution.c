/*
 * contribution.c
 *		What one row contributed to a release, in a form from which it can be computed
 *		again.
 *
 * What this version does not know, or cannot be sure of, is read as no contribution: then every row is
 * taken to have lost all that the release cost.  So a loss can only be overstated.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/import/builtin.h"
#include "glue/import/linked_operators.h"
#include "glue/label/annotation.h"
#include "ledger/rows/contribution.h"

#define CONTRIBUTION_VERSION 1

/* That of units of several rows, which those who know the first one alone must not read as rows. */
#define UNIT_VERSION 2

/* By DpsContributionKind. */
static const char *const kind_names[] = {"count", "sum", "mean"};

/* ---- writing ---- */

static void
append_string(StringInfo text, const char *string)
{
	if (string == NULL)
		appendStringInfoString(text, "null");
	else
		escape_json(text, string);
}

static void
append_strings(StringInfo text, const char *key, const List *strings)
{
	ListCell   *cell;

	appendStringInfo(text, ",\"%s\":[", key);
	foreach(cell, strings)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(text, ',');
		append_string(text, lfirst(cell));
	}
	appendStringInfoChar(text, ']');
}

static void
append_range(StringInfo text, const char *key, double lo, double hi)
{
	/* 17 digits identify a double exactly, whatever extra_float_digits is */
	appendStringInfo(text, ",\"%s\":[%.17g,%.17g]", key, lo, hi);
}

static const char *
truth(bool value)
{
	return value ? "true" : "false";
}

static void
append_cell(StringInfo text, const DpsContributionCell *cell)
{
	appendStringInfoString(text, "{\"sql\":");
	append_string(text, cell->sql);
	append_range(text, "range", cell->domain.lo, cell->domain.hi);
	appendStringInfo(text, ",\"nullable\":%s,\"integral\":%s,\"private\":%s}",
					 truth(cell->domain.nullness != DPS_NEVER_NULL), truth(cell->domain.integral),
					 truth(cell->is_private));
}

static void
append_unit(StringInfo text, const DpsContribution *contribution)
{
	const DpsCountingRows *counting = &contribution->counting;

	appendStringInfoString(text, ",\"unit\":");
	append_string(text, contribution->unit);
	appendStringInfo(text, ",\"rows\":%d,\"rows_in_group\":%d,\"several_groups\":%s,\"count_grid\":%d", counting->rows,
					 counting->in_group, truth(counting->spreads), contribution->count_grid);
}

static bool
is_finite(const DpsContribution *contribution)
{
	bool		finite = isfinite(contribution->value_lo) && isfinite(contribution->value_hi) &&
		isfinite(contribution->error);
	int			i;

	for (i = 0; i < contribution->ncells; i++)
		finite = finite && isfinite(contribution->cells[i].domain.lo) && isfinite(contribution->cells[i].domain.hi);
	return finite;
}

char *
dps_contribution_write(const DpsContribution *contribution)
{
	StringInfoData text;
	int			i;

	if (!is_finite(contribution))
		return NULL;
	initStringInfo(&text);
	appendStringInfo(&text, "{\"version\":%d,\"kind\":\"%s\",\"moves\":%s,\"grid\":%d,\"lo\":" INT64_FORMAT
					 ",\"hi\":" INT64_FORMAT ",\"centre\":" INT64_FORMAT, contribution->unit != NULL ? UNIT_VERSION : CONTRIBUTION_VERSION,
					 kind_names[contribution->kind], truth(contribution->moves), contribution->grid,
					 contribution->lo, contribution->hi, contribution->centre);
	append_range(&text, "bounds", contribution->value_lo, contribution->value_hi);
	appendStringInfo(&text, ",\"error\":%.17g,\"value\":", contribution->error);
	append_string(&text, contribution->value);
	appendStringInfoString(&text, ",\"cells\":[");
	for (i = 0; i < contribution->ncells; i++)
	{
		if (i > 0)
			appendStringInfoChar(&text, ',');
		append_cell(&text, &contribution->cells[i]);
	}
	appendStringInfoChar(&text, ']');
	append_strings(&text, "columns", contribution->columns);
	append_strings(&text, "conditions", contribution->conditions);
	appendStringInfo(&text, ",\"complete\":%s", truth(contribution->conditions_complete));
	if (contribution->unit != NULL)
		append_unit(&text, contribution);
	appendStringInfoChar(&text, '}');
	return text.data;
}

/* ---- reading ---- */

/* An object that is read, and whether everything was as expected so far. */
typedef struct Reader
{
	JsonbContainer *object;
	bool		valid;
} Reader;

static JsonbValue *
find(Reader *reader, const char *key, enum jbvType type, JsonbValue *value)
{
	JsonbValue *found = getKeyJsonValueFromContainer(reader->object, key, strlen(key), value);

	if (found == NULL || found->type != type)
	{
		reader->valid = false;
		return NULL;
	}
	return found;
}

static bool
read_truth(Reader *reader, const char *key)
{
	JsonbValue	value;

	return find(reader, key, jbvBool, &value) != NULL && value.val.boolean;
}

static double
number(const JsonbValue *value)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

/* A whole number of magnitude at most 2^62. */
static int64
read_integer(Reader *reader, const char *key)
{
	JsonbValue	value;

	if (find(reader, key, jbvNumeric, &value) == NULL)
		return 0;
	if (!(fabs(number(&value)) <= 0x1p62))
	{
		reader->valid = false;
		return 0;
	}
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value.val.numeric)));
}

static double
read_number(Reader *reader, const char *key)
{
	JsonbValue	value;

	return find(reader, key, jbvNumeric, &value) != NULL ? number(&value) : 0;
}

static char *
string(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* The elements of an array, of JsonbValue *. */
static List *
read_array(Reader *reader, const char *key)
{
	JsonbValue	value;
	List	   *elements = NIL;
	uint32		i;

	if (find(reader, key, jbvBinary, &value) == NULL)
		return NIL;
	if (!JsonContainerIsArray(value.val.binary.data))
	{
		reader->valid = false;
		return NIL;
	}
	for (i = 0; i < JsonContainerSize(value.val.binary.data); i++)
		elements = lappend(elements, getIthJsonbValueFromContainer(value.val.binary.data, i));
	return elements;
}

static List *
read_strings(Reader *reader, const char *key)
{
	List	   *strings = NIL;
	ListCell   *cell;

	foreach(cell, read_array(reader, key))
	{
		const JsonbValue *value = lfirst(cell);

		if (value->type == jbvString)
			strings = lappend(strings, string(value));
		else
			reader->valid = false;
	}
	return strings;
}

static void
read_range(Reader *reader, const char *key, double *lo, double *hi)
{
	List	   *ends = read_array(reader, key);
	const JsonbValue *value[2];

	if (list_length(ends) == 2)
	{
		value[0] = linitial(ends);
		value[1] = lsecond(ends);
		if (value[0]->type == jbvNumeric && value[1]->type == jbvNumeric)
		{
			*lo = number(value[0]);
			*hi = number(value[1]);
			reader->valid = reader->valid && *lo <= *hi && isfinite(*lo) && isfinite(*hi);
			return;
		}
	}
	reader->valid = false;
}

static void
read_cell(Reader *reader, const JsonbValue *element, DpsContributionCell *cell)
{
	Reader		inner = {NULL, true};
	JsonbValue	value;

	if (element->type != jbvBinary || !JsonContainerIsObject(element->val.binary.data))
	{
		reader->valid = false;
		return;
	}
	inner.object = element->val.binary.data;
	if (find(&inner, "sql", jbvString, &value) != NULL)
		cell->sql = string(&value);
	read_range(&inner, "range", &cell->domain.lo, &cell->domain.hi);
	cell->domain.nullness = read_truth(&inner, "nullable") ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
	cell->domain.integral = read_truth(&inner, "integral");
	cell->is_private = read_truth(&inner, "private");
	reader->valid = reader->valid && inner.valid;
}

static void
read_cells(Reader *reader, DpsContribution *contribution)
{
	List	   *elements = read_array(reader, "cells");
	ListCell   *cell;

	if (list_length(elements) > DPS_MAX_VARIABLES)
	{
		reader->valid = false;
		return;
	}
	contribution->ncells = list_length(elements);
	contribution->cells = palloc0(sizeof(DpsContributionCell) * Max(contribution->ncells, 1));
	foreach(cell, elements)
		read_cell(reader, lfirst(cell), &contribution->cells[foreach_current_index(cell)]);
}

static void
read_kind(Reader *reader, DpsContribution *contribution)
{
	JsonbValue	value;
	char	   *name;
	int			i;

	if (find(reader, "kind", jbvString, &value) == NULL)
		return;
	name = string(&value);
	for (i = 0; i < (int) lengthof(kind_names); i++)
	{
		if (strcmp(name, kind_names[i]) == 0)
		{
			contribution->kind = i;
			return;
		}
	}
	reader->valid = false;
}

static void
read_value(Reader *reader, DpsContribution *contribution)
{
	JsonbValue	value;
	JsonbValue *found = getKeyJsonValueFromContainer(reader->object, "value", strlen("value"), &value);

	if (found != NULL && found->type == jbvString)
		contribution->value = string(found);
	else if (found == NULL || found->type != jbvNull || contribution->kind != DPS_ADDS_ONE)
		reader->valid = false;
}

/* A whole number from lo to hi. */
static int32
read_small(Reader *reader, const char *key, int32 lo, int32 hi)
{
	int64		integer = read_integer(reader, key);

	reader->valid = reader->valid && integer >= lo && integer <= hi;
	return reader->valid ? (int32) integer : lo;
}

static void
read_unit(Reader *reader, DpsContribution *contribution)
{
	DpsCountingRows *counting = &contribution->counting;
	JsonbValue	value;

	if (find(reader, "unit", jbvString, &value) != NULL)
		contribution->unit = string(&value);
	counting->rows = read_small(reader, "rows", 1, DPS_MAX_UNIT_ROWS);
	counting->in_group = read_small(reader, "rows_in_group", 1, DPS_MAX_UNIT_ROWS);
	counting->spreads = read_truth(reader, "several_groups");
	contribution->count_grid = read_small(reader, "count_grid", -62, 0);
}

DpsContribution *
dps_contribution_read(Datum jsonb)
{
	Jsonb	   *bytes = DatumGetJsonbP(jsonb);
	Reader		reader = {&bytes->root, true};
	DpsContribution *contribution = palloc0(sizeof(DpsContribution));
	int64		version;

	if (!JB_ROOT_IS_OBJECT(bytes))
		return NULL;
	version = read_integer(&reader, "version");
	if (version != CONTRIBUTION_VERSION && version != UNIT_VERSION)
		return NULL;
	read_kind(&reader, contribution);
	contribution->moves = read_truth(&reader, "moves");
	contribution->grid = (int) read_integer(&reader, "grid");
	contribution->lo = read_integer(&reader, "lo");
	contribution->hi = read_integer(&reader, "hi");
	contribution->centre = read_integer(&reader, "centre");
	read_range(&reader, "bounds", &contribution->value_lo, &contribution->value_hi);
	contribution->error = read_number(&reader, "error");
	read_value(&reader, contribution);
	read_cells(&reader, contribution);
	contribution->columns = read_strings(&reader, "columns");
	contribution->conditions = read_strings(&reader, "conditions");
	contribution->conditions_complete = read_truth(&reader, "complete");
	if (version == UNIT_VERSION)
		read_unit(&reader, contribution);
	if (!reader.valid || contribution->lo > contribution->hi || abs(contribution->grid) > 2200)
		return NULL;
	return contribution;
}

/* ---- columns and conditions ---- */

char *
dps_column_signature(Oid relation, AttrNumber column)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
	Form_pg_attribute form;
	char	   *collation;
	char	   *result;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_attribute) GETSTRUCT(tuple);
	if (form->attisdropped)
	{
		ReleaseSysCache(tuple);
		return NULL;
	}
	collation = OidIsValid(form->attcollation) ? get_collation_name(form->attcollation) : NULL;
	result = psprintf("%d %s %s%s%s", column, quote_identifier(NameStr(form->attname)),
					  format_type_extended(form->atttypid, form->atttypmod,
										   FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY),
					  collation != NULL ? " " : "", collation != NULL ? collation : "");
	ReleaseSysCache(tuple);
	return result;
}

/* Built-in functions that never fail but are not marked leakproof: the result exists for all arguments.
 * Names of pg_proc.prosrc. */
static const char *const total_builtins[] = {
	"numeric_eq", "numeric_ne", "numeric_lt", "numeric_le", "numeric_gt", "numeric_ge",
	"enum_eq", "enum_ne", "enum_lt", "enum_le", "enum_gt", "enum_ge",
	"i2tod", "i4tod", "i8tod", "i2tof", "i4tof", "i8tof", "ftod", "i2toi4", "int28", "int48",
	"int2_numeric", "int4_numeric", "int8_numeric", "float4_numeric", "float8_numeric",
	NULL
};

static bool
is_partial_function(Oid function, void *context)
{
	const char *name;
	int			i;

	if (function >= FirstNormalObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE)
		return true;
	if (get_func_leakproof(function))
		return false;
	name = dps_builtin_name(function);
	for (i = 0; name != NULL && total_builtins[i] != NULL; i++)
	{
		if (strcmp(name, total_builtins[i]) == 0)
			return false;
	}
	return true;
}

/*
 * Types whose constants mean the same whenever their text is read again.  Those of labels and of names do not: who owns an
 * enumerated type renames its labels, and whoever owns a table, a role or a type may give its name to another, and with it
 * the loss of a row that was charged would change afterwards.
 */
static const Oid lasting_types[] = {
	BOOLOID, INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, NUMERICOID, TEXTOID, VARCHAROID, BPCHAROID, BYTEAOID, UUIDOID, DATEOID,
	TIMEOID, TIMESTAMPOID, TIMESTAMPTZOID, INTERVALOID
};

static bool
is_lasting(Oid type)
{
	Oid			element = get_element_type(getBaseType(type));
	Oid			base = getBaseType(OidIsValid(element) ? element : type);
	int			i;

	for (i = 0; i < (int) lengthof(lasting_types); i++)
	{
		if (lasting_types[i] == base)
			return true;
	}
	return false;
}

static bool
partial_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			return ((Var *) node)->varno != 1 || ((Var *) node)->varlevelsup != 0 || ((Var *) node)->varattno <= 0;
		case T_NullTest:
			if (((NullTest *) node)->argisrow)
				return true;
			break;
		case T_OpExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			break;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			break;
		case T_Const:
			return !is_lasting(((Const *) node)->consttype);
		case T_List:
		case T_RelabelType:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_FuncExpr:
		case T_ArrayExpr:
			break;
		default:
			return true;
	}
	return check_functions_in_node(node, is_partial_function, NULL) || OidIsValid(dps_foreign_operator(node)) ||
		expression_tree_walker(node, partial_walker, context);
}

bool
dps_is_total(Node *expression)
{
	return !partial_walker(expression, NULL);
}

/* All settings on which the text of a constant or a name depends. */
static const struct
{
	const char *name;
	const char *value;
}			plain_settings[] =
{
	{"search_path", "pg_catalog, pg_temp"},
	{"extra_float_digits", "3"},
	{"DateStyle", "ISO, MDY"},
	{"IntervalStyle", "postgres"},
	{"TimeZone", "UTC"},
	{"bytea_output", "hex"},
	{"lc_monetary", "C"},
	{"standard_conforming_strings", "on"},
	{"transform_null_equals", "off"},
	{"quote_all_identifiers", "off"},
};

int
dps_plain_sql_begin(void)
{
	int			level = NewGUCNestLevel();
	int			i;

	for (i = 0; i < (int) lengthof(plain_settings); i++)
		(void) set_config_option(plain_settings[i].name, plain_settings[i].value, PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

void
dps_plain_sql_end(int level)
{
	AtEOXact_GUC(true, level);
}

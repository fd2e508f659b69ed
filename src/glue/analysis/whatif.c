/*
 * whatif.c
 *		Columns without a table: expressions over ranges or values from JSON.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "bound/relax/squares.h"
#include "glue/analysis/whatif.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "glue/settings.h"
#include "glue/compat.h"

/* The meaning of the JSON object's values. */
typedef enum Meaning
{
	RANGES,						/* [lo, hi] */
	POINT						/* a value */
} Meaning;

static const struct
{
	const char *argument;
	const char *option;			/* the key in an object of options */
	const char *expected;
	const char *example;
	const char *missing;
}			meanings[] =
{
	[RANGES] = {
		"ranges", "range", "a range of two numbers",
		"Write {\"a\": [0, 1], \"k\": {\"range\": [0, 7], \"type\": \"integer\"}}.",
		"Names in the expression are the keys of the ranges; in SQL, a name with upper-case letters must be quoted."
	},
	[POINT] = {
		"point", "value", "a number, a boolean or null",
		"Write {\"a\": 0.5, \"k\": {\"value\": 3, \"type\": \"integer\"}}.",
		"Names in the expression are the keys of the point; in SQL, a name with upper-case letters must be quoted."
	},
};

static const struct
{
	const char *name;
	DpsType		type;
}			type_names[] =
{
	{"float8", DPS_FLOAT8},
	{"double precision", DPS_FLOAT8},
	{"float4", DPS_FLOAT4},
	{"real", DPS_FLOAT4},
	{"int2", DPS_INT2},
	{"smallint", DPS_INT2},
	{"int4", DPS_INT4},
	{"int", DPS_INT4},
	{"integer", DPS_INT4},
	{"int8", DPS_INT8},
	{"bigint", DPS_INT8},
	{"numeric", DPS_NUMERIC},
	{"decimal", DPS_NUMERIC},
	{"boolean", DPS_BOOL},
	{"bool", DPS_BOOL},
};

typedef struct Column
{
	char	   *key;
	DpsType		type;
	bool		is_public;
	bool		nullable;
	double		weight;
	double		lo;				/* a value is [value, value], null is [NaN, NaN] */
	double		hi;
} Column;

typedef struct Columns
{
	Meaning		meaning;
	int			n;
	Column		column[DPS_MAX_VARIABLES];
} Columns;

/*
 * Reading JSON
 */

pg_noreturn static void
refuse_json(Meaning meaning, const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" must have %s", key, meanings[meaning].expected),
			 errhint("%s", meanings[meaning].example)));
	pg_unreachable();
}

static char *
json_string(const JsonbValue *value)
{
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static double
json_number(const JsonbValue *value)
{
	/* a number that is too large becomes infinite, which check_ends refuses */
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(value->val.numeric)));
}

static JsonbValue *
json_option(JsonbContainer *object, const char *name)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), NULL);
}

static bool
boolean_option(JsonbContainer *object, const char *key, const char *name)
{
	JsonbValue *value = json_option(object, name);

	if (value == NULL)
		return false;
	if (value->type != jbvBool)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of column \"%s\" must be true or false", name, key)));
	return value->val.boolean;
}

static double
weight_option(JsonbContainer *object, const char *key)
{
	JsonbValue *value = json_option(object, "weight");
	double		weight = 1;

	if (value == NULL)
		return 1;
	if (value->type == jbvNumeric)
		weight = json_number(value);
	if (value->type != jbvNumeric || !(weight > 0) || isinf(weight))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight of column \"%s\" must be a positive number", key)));
	return weight;
}

static DpsType
type_option(JsonbContainer *object, const char *key)
{
	JsonbValue *value = json_option(object, "type");
	char	   *name;
	int			i;

	if (value == NULL)
		return DPS_FLOAT8;
	name = value->type == jbvString ? json_string(value) : pstrdup("");
	for (i = 0; i < (int) lengthof(type_names); i++)
	{
		if (pg_strcasecmp(name, type_names[i].name) == 0)
			return type_names[i].type;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" has an unknown type", key),
			 errhint("Types are smallint, integer, bigint, numeric, real, double precision and boolean.")));
	return DPS_FLOAT8;			/* keep the compiler quiet */
}

/* Refuses unknown options: a misspelt one must not be ignored. */
static void
check_options(Meaning meaning, JsonbContainer *object, const char *key)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue	value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char	   *name;

		if (token != WJB_KEY)
			continue;
		name = json_string(&value);
		if (strcmp(name, meanings[meaning].option) != 0 && strcmp(name, "type") != 0 &&
			strcmp(name, "weight") != 0 && strcmp(name, "public") != 0 && strcmp(name, "nullable") != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unrecognized option \"%s\" of column \"%s\"", name, key),
					 errhint("Options are \"%s\", \"type\", \"weight\", \"public\" and \"nullable\".",
							 meanings[meaning].option)));
	}
}

static void
read_range(Column *column, const JsonbValue *value)
{
	JsonbContainer *array;
	JsonbValue *end[2];
	int			i;

	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != 2)
		refuse_json(RANGES, column->key);
	array = value->val.binary.data;
	for (i = 0; i < 2; i++)
	{
		end[i] = getIthJsonbValueFromContainer(array, i);
		if (end[i]->type != jbvNumeric)
			refuse_json(RANGES, column->key);
	}
	column->lo = json_number(end[0]);
	column->hi = json_number(end[1]);
}

static void
read_value(Column *column, const JsonbValue *value)
{
	column->lo = NAN;
	if (value->type == jbvBool)
		column->lo = value->val.boolean ? 1 : 0;
	else if (value->type == jbvNumeric)
		column->lo = json_number(value);
	else if (value->type != jbvNull)
		refuse_json(POINT, column->key);
	if ((value->type == jbvBool && column->type != DPS_BOOL) ||
		(value->type == jbvNumeric && column->type == DPS_BOOL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("value of column \"%s\" is not of type %s", column->key,
						dps_type_name(column->type))));
	column->hi = column->lo;
}

static void
check_ends(Meaning meaning, Column *column)
{
	DpsInterval limits = dps_type_range(column->type);

	if (column->lo > column->hi)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lower bound of column \"%s\" must be less than or equal to its upper bound",
						column->key)));
	if (isnan(column->lo))
		return;
	if (!(limits.lo <= column->lo && column->hi <= limits.hi))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s of column \"%s\" is out of range for type %s", meanings[meaning].option,
						column->key, dps_type_name(column->type))));
	if (!dps_type_is_integer(column->type))
		return;
	if (meaning == POINT && column->lo != rint(column->lo))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("value of column \"%s\" is not of type %s", column->key,
						dps_type_name(column->type))));
	column->lo = ceil(column->lo);
	column->hi = floor(column->hi);
	if (column->lo > column->hi)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("range of column \"%s\" contains no integer", column->key)));
}

static void
read_options(Meaning meaning, Column *column, JsonbContainer *object)
{
	JsonbValue *value = json_option(object, meanings[meaning].option);

	check_options(meaning, object, column->key);
	column->type = type_option(object, column->key);
	column->weight = weight_option(object, column->key);
	column->is_public = boolean_option(object, column->key, "public");
	column->nullable = boolean_option(object, column->key, "nullable");
	if (meaning == POINT && value != NULL)
		read_value(column, value);
	else if (meaning == RANGES && value != NULL && column->type != DPS_BOOL)
		read_range(column, value);
	else if (meaning == RANGES && value == NULL && column->type == DPS_BOOL)
		column->hi = 1;
	else if (value != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of type boolean cannot have a range", column->key)));
	else
		refuse_json(meaning, column->key);
}

static void
read_column(Meaning meaning, Column *column, const JsonbValue *value)
{
	column->type = meaning == POINT && value->type == jbvBool ? DPS_BOOL : DPS_FLOAT8;
	column->weight = 1;
	if (value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data))
		read_options(meaning, column, value->val.binary.data);
	else if (meaning == RANGES)
		read_range(column, value);
	else
		read_value(column, value);
	check_ends(meaning, column);
}

/* One column for each key, in the order of the jsonb. */
static void
read_columns(Meaning meaning, Jsonb *json, Columns *columns)
{
	JsonbIterator *iterator;
	JsonbValue	value;
	JsonbIteratorToken token;
	Column	   *column = NULL;

	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a JSON object", meanings[meaning].argument),
				 errhint("%s", meanings[meaning].example)));
	memset(columns, 0, sizeof(*columns));
	columns->meaning = meaning;
	iterator = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			if (columns->n == DPS_MAX_VARIABLES)
				ereport(ERROR,
						(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						 errmsg("an expression can have at most %d columns", DPS_MAX_VARIABLES)));
			column = &columns->column[columns->n++];
			column->key = json_string(&value);
		}
		else if (token == WJB_VALUE)
			read_column(meaning, column, &value);
	}
}

/*
 * From text and columns to an analysis
 */

static int
resolve_param(DpsImport *import, Node *leaf, bool epoch)
{
	if (!IsA(leaf, Param) || epoch)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("only columns can be used in a row expression")));
	return ((Param *) leaf)->paramid - 1;
}

static void
add_column(DpsAnalysis *analysis, const Column *column)
{
	int			j;

	j = dps_graph_add_variable(analysis->graph, quote_identifier(column->key), column->type,
							   column->nullable || isnan(column->lo));
	if (j < 0)
		elog(ERROR, "too many variables");
	analysis->box[j].lo = isnan(column->lo) ? 0 : column->lo;
	analysis->box[j].hi = isnan(column->hi) ? 0 : column->hi;
	analysis->box[j].integral = dps_type_is_integer(column->type) || column->type == DPS_BOOL;
	analysis->box[j].nullness = isnan(column->lo) ? DPS_ALWAYS_NULL :
		column->nullable ? DPS_MAYBE_NULL : DPS_NEVER_NULL;
	analysis->policy.weights[j] = column->weight;
	if (!column->is_public)
		analysis->policy.private_variables |= UINT64_C(1) << j;
}

static Node *
parse_over_columns(const char *text, const Columns *columns)
{
	DpsParseColumn parse_column[DPS_MAX_VARIABLES];
	DpsParseColumns parse_columns = {parse_column, columns->n, meanings[columns->meaning].missing};
	int			j;

	for (j = 0; j < columns->n; j++)
	{
		parse_column[j].name = columns->column[j].key;
		parse_column[j].type = dps_type_to_oid(columns->column[j].type);
	}
	return dps_parse_expression(text, &parse_columns);
}

static const DpsNode *
import_number(DpsImport *import, Node *expression, const DpsDomain *box)
{
	const DpsNode *node = dps_import(import, expression);

	if (node->type == DPS_BOOL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression must be a number, not type boolean"),
				 errhint("Use CASE WHEN ... THEN 1 ELSE 0 END.")));
	node = dps_as_float8(import->graph, node);
	dps_check_status(dps_complete_squares(import->graph, node, box, &node));
	return node;
}

/* Imports the expression into the analysis, or the entries of ARRAY[...] into the
 * vector; without a vector an array is an error. */
static void
import_numbers(DpsImport *import, Node *expression, DpsAnalysis *analysis, DpsVectorAnalysis *vector)
{
	List	   *elements = dps_import_elements(import, expression, DPS_MAX_ENTRIES);
	ListCell   *cell;

	if (elements == NIL)
	{
		analysis->node = import_number(import, expression, analysis->box);
		analysis->deciding_variables = dps_null_deciding_variables(analysis);
		return;
	}
	if (vector == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("expression must be a number, not an array"),
				 errhint("Write one entry at a time; dpsens.sensitivity and dpsens.gradient take ARRAY[...] as a whole."),
				 dps_import_position(import, exprLocation(expression))));
	foreach(cell, elements)
		vector->entry[vector->n++] = import_number(import, lfirst(cell), analysis->box);
	dps_prepare_vector(vector);
}

static void
prepare(const char *text, Meaning meaning, Jsonb *json, DpsAnalysis *analysis, DpsVectorAnalysis *vector)
{
	Columns    *columns = palloc(sizeof(Columns));
	DpsSource	source;
	DpsImport	import = {0};
	int			j;

	read_columns(meaning, json, columns);
	analysis->options = dps_setting_whatif_options();
	dps_check_status(dps_graph_init(&analysis->graph, dps_server_arena()));
	for (j = 0; j < columns->n; j++)
		add_column(analysis, &columns->column[j]);
	import.graph = analysis->graph;
	import.resolve = resolve_param;
	import.source_text = text;
	dps_source_enter(&source, text);
	import_numbers(&import, parse_over_columns(text, columns), analysis, vector);
	dps_source_leave(&source);
}

void
dps_prepare_ranges(const char *text, Jsonb *ranges, DpsAnalysis *analysis)
{
	memset(analysis, 0, sizeof(*analysis));
	prepare(text, RANGES, ranges, analysis, NULL);
}

void
dps_prepare_vector_ranges(const char *text, Jsonb *ranges, DpsVectorAnalysis *vector)
{
	memset(vector, 0, sizeof(*vector));
	prepare(text, RANGES, ranges, &vector->analysis, vector);
}

void
dps_prepare_point(const char *text, Jsonb *point, DpsAnalysis *analysis)
{
	memset(analysis, 0, sizeof(*analysis));
	prepare(text, POINT, point, analysis, NULL);
}

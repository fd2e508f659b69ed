/*
 * label_meaning.c
 *		The meaning of a column's label for its type.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/once.h"
#include "glue/import/iso_time.h"
#include "glue/label/label.h"

/* Up to 2^53 every integer is a double. */
#define LAST_INTEGER 9007199254740992.0

static const DpsLabelType label_types[] = {
	{INT2OID, true, false, PG_INT16_MIN, PG_INT16_MAX},
	{INT4OID, true, false, PG_INT32_MIN, PG_INT32_MAX},
	{INT8OID, true, false, -LAST_INTEGER, LAST_INTEGER},
	{FLOAT4OID, false, false, 0, 0},
	{FLOAT8OID, false, false, 0, 0},
	{NUMERICOID, false, false, 0, 0},
	{DATEOID, false, true, 0, 0},
	{TIMESTAMPOID, false, true, 0, 0},
	{TIMESTAMPTZOID, false, true, 0, 0},
	{INTERVALOID, false, false, 0, 0}	/* in seconds */
};

const DpsLabelType *
dps_find_label_type(Oid base_type)
{
	int			i;

	for (i = 0; i < (int) lengthof(label_types); i++)
	{
		if (label_types[i].type == base_type)
			return &label_types[i];
	}
	return NULL;
}

bool
dps_can_declare_values(Oid type)
{
	Oid			base_type = getBaseType(type);
	const DpsLabelType *label_type = dps_find_label_type(base_type);
	Oid			input;
	Oid			ioparam;

	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc))
		return false;
	getTypeInputInfo(base_type, &input, &ioparam);
	return get_typtype(base_type) == TYPTYPE_ENUM ||
		func_volatile(input) == PROVOLATILE_IMMUTABLE ||
		(label_type != NULL && label_type->quoted);
}

static bool
fail_type(DpsLabelProblem *problem, const char *column, Oid base_type)
{
	dps_fail_label(problem, ERRCODE_DATATYPE_MISMATCH,
		 "column \"%s\" of type %s cannot have a range", column, format_type_be(base_type));
	if (base_type == BOOLOID)
		problem->hint = "A boolean has the range [0, 1] and the values false and true without an annotation.";
	else
		problem->hint = "Ranges are for numbers, dates, timestamps and intervals.  Declare the values of other columns with dpsens.set_values.";
	return false;
}

/* Parses an end of a range, in the column's unit. */
static bool
resolve_end(const char *text, bool quoted, const char *column, const DpsLabelType *type,
			double *end, DpsLabelProblem *problem)
{
	if (type->quoted)
	{
		if (quoted && dps_parse_moment(text, type->type, false, end))
			return true;
		dps_fail_label(problem, ERRCODE_INVALID_DATETIME_FORMAT,
			 "range of column \"%s\" has an end that is not of type %s: %s",
			 column, format_type_be(type->type), quoted ? quote_literal_cstr(text) : text);
		problem->hint = type->type == DATEOID
			? "Write dates of the years 1 to 9999 as '2020-12-31'."
			: type->type == TIMESTAMPOID
			? "Write timestamps of the years 1 to 9999 as '2020-12-31' or '2020-12-31 23:59:59'."
			: "Write timestamps of the years 1 to 9999 as '2020-12-31' or '2020-12-31 23:59:59+00'; without a zone they are in UTC.";
		return false;
	}
	if (quoted || !dps_parse_number(text, end))
	{
		dps_fail_label(problem, ERRCODE_INVALID_TEXT_REPRESENTATION,
			 "range of column \"%s\" has an end that is not a number: %s",
			 column, quoted ? quote_literal_cstr(text) : text);
		problem->hint = psprintf(type->type == INTERVALOID ? "A range of type %s is in seconds and looks like RANGE [0, 86400]." :
								 "A range of type %s looks like RANGE [18, 100].",
								 format_type_be(type->type));
		return false;
	}
	if (!isfinite(*end))
	{
		dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "range of column \"%s\" is not finite: %s", column, text);
		problem->hint = "Values outside the range are moved to its ends, so a finite range never loses a row.";
		return false;
	}
	return true;
}

/* Shrinks the range of an integer column to integers. */
static bool
shrink_range(const char *column, const DpsLabelType *type, double *from, double *to,
			 DpsLabelProblem *problem)
{
	double		lo = dps_max(ceil(*from), type->lo);
	double		hi = dps_min(floor(*to), type->hi);

	if (type->hi == LAST_INTEGER && (*from < type->lo || *to > type->hi))
	{
		dps_fail_label(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
			 "range of column \"%s\" exceeds 2^53", column);
		problem->detail = "Beyond it, the integers of type bigint cannot be told apart.";
		problem->hint = "Use a range between -9007199254740992 and 9007199254740992.";
		return false;
	}
	if (lo > hi)
	{
		dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "range of column \"%s\" holds no value of type %s", column, format_type_be(type->type));
		problem->detail = psprintf("The range is [%s, %s].", dps_format_number(*from), dps_format_number(*to));
		return false;
	}
	*from = lo + 0.0;			/* ceil(-0.5) is -0 */
	*to = hi + 0.0;
	return true;
}

bool
dps_resolve_range(const DpsLabelRange *range, const char *column, Oid base_type, double *lo, double *hi,
				  DpsLabelProblem *problem)
{
	const DpsLabelType *type = dps_find_label_type(base_type);

	if (type == NULL)
		return fail_type(problem, column, base_type);
	if (!resolve_end(range->lo, range->quoted, column, type, lo, problem) ||
		!resolve_end(range->hi, range->quoted, column, type, hi, problem))
		return false;
	if (*lo > *hi)
	{
		dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "range of column \"%s\" ends before it begins", column);
		problem->detail = psprintf("The range is [%s, %s].", range->lo, range->hi);
		problem->hint = "Write the smaller end first.";
		return false;
	}
	return type->integral ? shrink_range(column, type, lo, hi, problem) : true;
}

/* Ranges that hold where another column has certain values fit the type as any range does. */
static bool
resolve_keyed_ranges(const DpsColumnLabel *label, const char *column, Oid base_type, DpsLabelProblem *problem)
{
	ListCell   *cell;
	double		lo;
	double		hi;

	foreach(cell, label->keyed)
	{
		const DpsKeyedLabel *keyed = lfirst(cell);
		const DpsKeyedLabel *first = linitial(label->keyed);

		if (strcmp(keyed->key, column) == 0)
			return dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE, "a range of column \"%s\" cannot depend on the column itself", column);
		if (strcmp(keyed->key, first->key) != 0)
		{
			dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						   "ranges of column \"%s\" depend on several columns", column);
			problem->detail = psprintf("They depend on \"%s\" and on \"%s\".", first->key, keyed->key);
			problem->hint = "Declare all of them for values of one column.";
			return false;
		}
		if (!dps_resolve_range(&keyed->range, column, base_type, &lo, &hi, problem))
			return false;
	}
	return true;
}

bool
dps_resolve_column_label(const DpsColumnLabel *label, const char *column, Oid base_type,
						 DpsColumnAnnotation *annotation, DpsLabelProblem *problem)
{
	memset(annotation, 0, sizeof(*annotation));
	annotation->weight = label->weight;
	annotation->is_public = label->is_public;
	annotation->is_unit = label->is_unit;
	annotation->by_reference = label->by_reference;
	annotation->has_values = label->has_values;
	if (label->has_weight && !(label->weight > 0 && isfinite(label->weight)))
	{
		dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "weight of column \"%s\" must be positive and finite", column);
		problem->hint = "Under adjacency metric, a distance of 1 is a move of the column by one over its weight; under attribute, an answer at epsilon tells at most weight times epsilon of the column.";
		return false;
	}
	if (label->has_weight && label->range.lo == NULL && label->keyed == NIL && !label->has_values && base_type != BOOLOID)
	{
		dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "column \"%s\" has a weight but neither range nor values", column);
		problem->hint = "Write RANGE [lo, hi] WEIGHT w or WEIGHT w VALUES ('a', 'b').";
		return false;
	}
	if (label->is_public && label->is_unit)
	{
		dps_fail_label(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			 "column \"%s\" cannot be both the privacy unit and public", column);
		problem->hint = "The unit says whom the promise protects.";
		return false;
	}
	annotation->has_range = label->range.lo != NULL;
	annotation->has_keyed_ranges = label->keyed != NIL;
	return (!annotation->has_range ||
			dps_resolve_range(&label->range, column, base_type, &annotation->lo, &annotation->hi, problem)) &&
		resolve_keyed_ranges(label, column, base_type, problem);
}

/*
 * sql_discrete.c
 *		dpsens.discrete_sensitivity: functions of a histogram, without a table.
 *
 * A cell is a double precision variable whose values are integers, so that
 * (n1 + n2) / 2 is a division of real numbers and not of integers.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "bound/histogram/histogram_sensitivity.h"
#include "glue/analysis/analysis.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_discrete_sensitivity);

/* Bytes of a sub-expression that a message shows. */
#define MAX_SHOWN 200

typedef struct Histogram
{
	int			ncells;
	char	  **cells;
	int		   *upper;
	DpsHistogramDomain domain;
	DpsGraph   *graph;
	int			noutputs;
	const DpsNode **outputs;
} Histogram;

/*
 * Arguments
 */

/* The elements of an array, which must be a list without NULLs and not be empty. */
static Datum *
read_list(ArrayType *array, const char *argument, int *n)
{
	Oid			type = ARR_ELEMTYPE(array);
	bool		is_text = type == TEXTOID;
	Datum	   *elements;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must be a one-dimensional array", argument)));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not contain nulls", argument)));
	deconstruct_array(array, type, is_text ? -1 : (int) sizeof(int32), !is_text, TYPALIGN_INT, &elements, NULL, n);
	if (*n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be empty", argument)));
	return elements;
}

static void
check_cell(const Histogram *h, int cell)
{
	const char *name = h->cells[cell];
	int			i;

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("\"%s\" cannot be the name of a cell", name),
				 errhint("A name has at least 1 and at most %d bytes.", NAMEDATALEN - 1)));
	for (i = 0; i < cell; i++)
	{
		if (strcmp(h->cells[i], name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("cell \"%s\" is named more than once", name)));
	}
	if (h->upper[cell] < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("upper bound of cell \"%s\" must be positive", name),
				 errhint("Leave out a cell that never has rows.")));
}

static void
read_cells(Histogram *h, ArrayType *cells, ArrayType *upper)
{
	Datum	   *names = read_list(cells, "cells", &h->ncells);
	int			nupper;
	Datum	   *bounds = read_list(upper, "upper", &nupper);
	int			i;

	if (h->ncells != nupper)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("cells and upper must have the same number of elements"),
				 errdetail("There are %d cells and %d upper bounds.", h->ncells, nupper)));
	if (h->ncells > DPS_MAX_CELLS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a histogram can have at most %d cells", DPS_MAX_CELLS)));
	h->cells = palloc(sizeof(char *) * h->ncells);
	h->upper = palloc(sizeof(int) * h->ncells);
	for (i = 0; i < h->ncells; i++)
	{
		h->cells[i] = TextDatumGetCString(names[i]);
		h->upper[i] = DatumGetInt32(bounds[i]);
		check_cell(h, i);
	}
}

static double
read_norm(double p)
{
	if (!(p >= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("p must be at least 1"),
				 errhint("Use 1 for the sum of magnitudes, 2 for the Euclidean norm, 'Infinity' for the greatest magnitude.")));
	return p;
}

static void
read_rows(Histogram *h, bool nonempty, RangeType *rows)
{
	TypeCacheEntry *type = lookup_type_cache(RangeTypeGetOid(rows), TYPECACHE_RANGE_INFO);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	double		most = 0;
	int			i;

	range_deserialize(type, rows, &lower, &upper, &empty);
	h->domain = (DpsHistogramDomain) {h->ncells, h->upper, 0, INFINITY};
	/* a range of integers is stored as [lower, upper) */
	if (!empty && !lower.infinite)
		h->domain.min_rows = Max(0, DatumGetInt32(lower.val));
	if (!empty && !upper.infinite)
		h->domain.max_rows = (double) DatumGetInt32(upper.val) - 1;
	if (nonempty)
		h->domain.min_rows = Max(1, h->domain.min_rows);
	for (i = 0; i < h->ncells; i++)
		most += h->upper[i];
	if (empty || h->domain.min_rows > Min(h->domain.max_rows, most))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no histogram of these cells has so many rows"),
				 errhint("rows is the range of the number of rows, all by default; the cells hold up to %.0f.", most)));
}

/*
 * Expressions
 */

static int
resolve_cell(DpsImport *import, Node *leaf, bool epoch)
{
	if (!IsA(leaf, Param) || epoch)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("only cells can be used in a function of a histogram")));
	return ((Param *) leaf)->paramid - 1;
}

static const DpsNode *
read_expression(const Histogram *h, const DpsParseColumns *columns, const char *text)
{
	DpsImport	import = {.graph = h->graph, .resolve = resolve_cell, .source_text = text};
	DpsSource	source;
	const DpsNode *node;

	dps_source_enter(&source, text);
	node = dps_import(&import, dps_parse_expression(text, columns));
	dps_source_leave(&source);
	if (node->type == DPS_BOOL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression must be a number, not type boolean"),
				 errhint("Use CASE WHEN ... THEN 1 ELSE 0 END.")));
	node = dps_as_float8(h->graph, node);
	if (node == NULL)
		dps_check_status(DPS_NOMEM);
	return node;
}

static void
read_expressions(Histogram *h, ArrayType *expressions)
{
	Datum	   *texts = read_list(expressions, "expressions", &h->noutputs);
	DpsParseColumn *column = palloc(sizeof(DpsParseColumn) * h->ncells);
	DpsParseColumns columns = {column, h->ncells,
		"Names in an expression are those of the cells; in SQL, a name with upper-case letters must be quoted."};
	int			i;

	dps_check_status(dps_graph_init_wide(&h->graph, dps_server_arena(), h->ncells));
	for (i = 0; i < h->ncells; i++)
	{
		column[i] = (DpsParseColumn) {h->cells[i], FLOAT8OID};
		(void) dps_graph_add_variable(h->graph, quote_identifier(h->cells[i]), DPS_FLOAT8, false);
	}
	h->outputs = palloc(sizeof(DpsNode *) * h->noutputs);
	for (i = 0; i < h->noutputs; i++)
		h->outputs[i] = read_expression(h, &columns, TextDatumGetCString(texts[i]));
}

/*
 * Results
 */

/* Is the operation a division whose divisor contains 0?  That is: with 1 as its second
 * argument it is defined, and 0 by 0 is not. */
static bool
divides_by_zero(const DpsInstruction *code, const DpsEnclosure *enclosures)
{
	DpsInterval x = enclosures[code->arg[0]].value;
	DpsInterval y = enclosures[code->arg[1]].value;

	return dps_iv_contains(y, 0) && dps_ops[code->op].defined(x, y) != DPS_DEFINED &&
		dps_ops[code->op].defined(x, dps_iv(1, 1)) == DPS_DEFINED &&
		dps_ops[code->op].defined(dps_iv(0, 0), dps_iv(0, 0)) != DPS_DEFINED;
}

/* Why the culprit has no proved value at the histogram. */
static const char *
find_fault(const Histogram *h, const DpsDifference *d)
{
	DpsDomain  *box = palloc(sizeof(DpsDomain) * h->ncells);
	const DpsProgram *program;
	DpsEnclosure *enclosures;
	const DpsEnclosure *result;
	const DpsInstruction *code;
	int			i;

	if (d->status != DPS_DOMAIN)
		return "no proof of a finite value in";
	for (i = 0; i < h->ncells; i++)
		box[i] = (DpsDomain) {d->histogram[i], d->histogram[i], DPS_NEVER_NULL, true};
	dps_check_status(dps_compile(h->graph, &d->culprit, 1, &program));
	enclosures = palloc(sizeof(DpsEnclosure) * program->ninstructions);
	dps_enclose(program, box, enclosures);
	code = &program->code[dps_program_outputs(program)[0]];
	result = &enclosures[dps_program_outputs(program)[0]];
	if (result->nullness != DPS_NEVER_NULL)
		return "NULL in";
	if (code->nargs == 2 && divides_by_zero(code, enclosures))
		return "division by zero in";
	return result->defined == DPS_DEFINED ? "value out of range in" : "undefined value in";
}

static char *
refusal(const Histogram *h, const DpsDifference *d)
{
	char	   *sql;

	if (d->culprit == NULL)
		return d->exhausted ?
			psprintf("no finite bound was found in " UINT64_FORMAT " boxes; a larger dpsens.max_boxes may help", d->boxes) :
			pstrdup("no finite bound was found");
	sql = dps_node_sql(h->graph, d->culprit);
	if (sql == NULL)
		sql = pstrdup("a long sub-expression");
	else if (strlen(sql) > MAX_SHOWN)
	{
		int			length = pg_mbcliplen(sql, strlen(sql), MAX_SHOWN);

		sql = psprintf("%.*s...", length, sql);
	}
	return psprintf("%s %s", find_fault(h, d), sql);
}

/* A note for the user on the bracket, or NULL. */
static char *
note(const Histogram *h, const DpsDifference *d, double tolerance)
{
	if (d->status != DPS_OK)
		return refusal(h, d);
	if (d->exhausted)
		return psprintf("the search ended after " UINT64_FORMAT " boxes; a larger dpsens.max_boxes may narrow the bracket",
						d->boxes);
	if (d->unattained)
		return pstrdup("no histogram was found that attains the upper end");
	if (d->empty)
		return pstrdup("the function is the same on all neighbouring histograms");
	if (d->upper - d->lower > tolerance * d->upper)
		return pstrdup("rounding errors keep the bracket open");
	return NULL;
}

static void
push_string(JsonbParseState **state, JsonbIteratorToken token, char *string)
{
	JsonbValue	value;

	value.type = jbvString;
	value.val.string.val = string;
	value.val.string.len = strlen(string);
	pushJsonbValue(state, token, &value);
}

/* Cells without rows are left out. */
static void
push_histogram(JsonbParseState **state, const Histogram *h, const double *histogram)
{
	int			i;

	push_string(state, WJB_KEY, "histogram");
	pushJsonbValue(state, WJB_BEGIN_OBJECT, NULL);
	for (i = 0; i < h->ncells; i++)
	{
		JsonbValue	count;

		if (histogram[i] == 0)
			continue;
		push_string(state, WJB_KEY, h->cells[i]);
		count.type = jbvNumeric;
		count.val.numeric = DatumGetNumeric(DirectFunctionCall1(int4_numeric, Int32GetDatum(dps_to_int32(histogram[i]))));
		pushJsonbValue(state, WJB_VALUE, &count);
	}
	pushJsonbValue(state, WJB_END_OBJECT, NULL);
}

static Datum
witness(const Histogram *h, const DpsDifference *d)
{
	JsonbParseState *state = NULL;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	push_histogram(&state, h, d->histogram);
	if (d->removed >= 0)
	{
		push_string(&state, WJB_KEY, "replace");
		push_string(&state, WJB_VALUE, h->cells[d->removed]);
	}
	if (d->added >= 0)
	{
		push_string(&state, WJB_KEY, d->removed >= 0 ? "by" : "add");
		push_string(&state, WJB_VALUE, h->cells[d->added]);
	}
	return JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL)));
}

static void
put_difference(ReturnSetInfo *result, const Histogram *h, DpsNeighbours neighbours, double p)
{
	static const char *const names[] = {[DPS_ADD_REMOVE] = "add_remove", [DPS_REPLACE] = "replace"};
	DpsBoundOptions options = dps_setting_bound_options();
	DpsDifference difference;
	Datum		values[5] = {0};
	bool		nulls[5] = {false};
	char	   *text;

	CHECK_FOR_INTERRUPTS();
	dps_check_status(dps_difference(h->graph, h->outputs, h->noutputs, &h->domain, neighbours, p,
									&options, &difference));
	text = note(h, &difference, options.tolerance);
	values[0] = CStringGetTextDatum(names[neighbours]);
	values[1] = Float8GetDatum(difference.lower + 0.0);
	nulls[1] = difference.status != DPS_OK;
	values[2] = Float8GetDatum(difference.upper + 0.0);
	nulls[3] = difference.histogram == NULL;
	if (difference.histogram != NULL)
		values[3] = witness(h, &difference);
	nulls[4] = text == NULL;
	if (text != NULL)
		values[4] = CStringGetTextDatum(text);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
dpsens_discrete_sensitivity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	double		p = read_norm(PG_GETARG_FLOAT8(3));
	Histogram	h = {0};

	InitMaterializedSRF(fcinfo, 0);
	read_cells(&h, PG_GETARG_ARRAYTYPE_P(1), PG_GETARG_ARRAYTYPE_P(2));
	read_rows(&h, PG_GETARG_BOOL(4), PG_GETARG_RANGE_P(5));
	read_expressions(&h, PG_GETARG_ARRAYTYPE_P(0));
	put_difference(result, &h, DPS_ADD_REMOVE, p);
	put_difference(result, &h, DPS_REPLACE, p);
	return (Datum) 0;
}

/*
 * sql_local_sensitivity.c
 *		dpsens.local_sensitivity: how far one unit can move a statistic of a table as it
 *		is, and the smooth sensitivity.
 *
 * Definitions, section 2.  They are private data: for the table's owner alone, and for
 * no calibration of the extension.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "audit/all_rows.h"
#include "audit/local/smooth_median.h"
#include "glue/compat.h"
#include "glue/import/parse.h"
#include "glue/label/annotation.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_local_sensitivity);

#define COLUMNS 4

/* What every row adds, and the range of what it could add. */
typedef struct Contributions
{
	double		lower;
	double		upper;
	bool		may_vanish;		/* it can depend on private cells whether a row has a
								 * value */
	double	   *value;
	int64		count;
	int64		room;
} Contributions;

typedef struct Sensitivities
{
	double		local;
	double		global;
	double		smooth;
} Sensitivities;

static void
add_value(Contributions *c, double value)
{
	if (c->count == c->room)
	{
		c->room = c->room * 2;
		c->value = repalloc_huge(c->value, sizeof(double) * c->room);
	}
	/* rounding may be outside of what is proved of the exact value */
	c->value[c->count++] = fmin(fmax(value, c->lower), c->upper);
}

static void
add_rows(const DpsEvaluator *evaluator, int nrows, const Datum *keys, const bool *key_is_null, void *context)
{
	Contributions *c = context;
	int			i;

	for (i = 0; i < nrows; i++)
	{
		if (dps_evaluator_valid(evaluator, i))
			add_value(c, evaluator->value[i]);
		else if (c->may_vanish)
			add_value(c, 0);
	}
}

static void
check_relation(Oid relation, DpsRelationAnnotation *annotation)
{
	if (!dps_owns_relation(relation, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", get_rel_name(relation)),
				 errdetail("How far its rows can move a statistic is private data, for the owner alone.")));
	dps_get_protected_annotation(relation, annotation);
	if (dps_rows_may_be_one_units(annotation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("local sensitivities of units of several rows are not supported")));
}

static void
check_statistic(const char *statistic, DpsAdjacency adjacency, bool may_vanish)
{
	bool		is_sum = strcmp(statistic, "sum") == 0;

	if (!is_sum && strcmp(statistic, "mean") != 0 && strcmp(statistic, "median") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized statistic \"%s\"", statistic),
				 errhint("Statistics are sum, mean and median.")));
	if (adjacency != DPS_REPLACE && !(is_sum && adjacency == DPS_ADD_REMOVE))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the local sensitivity of a %s is not supported under this adjacency", statistic),
				 errdetail("It is supported under replace, that of a sum under add_remove, too.")));
	if (!is_sum && may_vanish)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the local sensitivity of a %s needs a value of every row", statistic),
				 errdetail("Whether a row has a value can depend on its private columns, and so can the number of values."),
				 errhint("Declare the columns NOT NULL, or use coalesce in the expression.")));
}

static double
find_end(DpsAnalysis *analysis, DpsQuantityKind kind)
{
	DpsBracket	bracket;

	dps_quantity(analysis, kind, -1, &bracket);
	if (bracket.empty)
		return 0;
	if (bracket.status != DPS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("no finite bound of the expression was proved"),
				 errhint("Narrower ranges, or a larger dpsens.max_boxes, may help.")));
	return kind == DPS_INFIMUM ? bracket.lower : bracket.upper;
}

/* The range is H of definitions, section 2. */
static void
find_range(const DpsEvaluator *evaluator, Contributions *c)
{
	DpsRowAnalysis *row = palloc(sizeof(DpsRowAnalysis));

	/* a graph of its own: the search adds to it */
	dps_prepare_row(evaluator->relation, dps_expression_body(evaluator->function), NULL, row);
	c->may_vanish = dps_null_deciding_variables(&row->analysis) != 0;
	c->lower = find_end(&row->analysis, DPS_INFIMUM);
	c->upper = find_end(&row->analysis, DPS_SUPREMUM);
	if (c->may_vanish)
	{
		c->lower = fmin(c->lower, 0);
		c->upper = fmax(c->upper, 0);
	}
}

/*
 * Under replace one row of a sum moves to an end of the range.  Once one other row is at
 * an end, it can move through the whole range, which is the most that there is.
 */
static void
of_replaced_sum(const Contributions *c, double beta, Sensitivities *s)
{
	int64		i;

	s->local = s->global = s->smooth = 0;
	if (c->count == 0)
		return;
	for (i = 0; i < c->count; i++)
		s->local = fmax(s->local, fmax(c->upper - c->value[i], c->value[i] - c->lower));
	s->global = c->upper - c->lower;
	s->smooth = fmax(s->local, exp(-beta) * s->global);
}

/* Under add_remove any row may come to the table, whatever is in it. */
static void
of_sum(const Contributions *c, DpsAdjacency adjacency, double beta, Sensitivities *s)
{
	if (adjacency == DPS_REPLACE)
		of_replaced_sum(c, beta, s);
	else
		s->local = s->global = s->smooth = fmax(fabs(c->lower), fabs(c->upper));
}

static void
of_mean(const Contributions *c, double beta, Sensitivities *s)
{
	of_replaced_sum(c, beta, s);
	s->local /= (double) c->count;
	s->global /= (double) c->count;
	s->smooth /= (double) c->count;
}

static int
compare_values(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static void
of_median(Contributions *c, double beta, Sensitivities *s)
{
	DpsSorted	sorted = {c->value, c->count, c->lower, c->upper};

	qsort(c->value, c->count, sizeof(double), compare_values);
	s->local = dps_local_median(&sorted);
	s->global = c->upper - c->lower;
	s->smooth = dps_smooth_median(&sorted, beta);
}

static Datum
make_result(FunctionCallInfo fcinfo, int64 rows, bool exists, const Sensitivities *s)
{
	TupleDesc	descriptor;
	Datum		values[COLUMNS] = {Int64GetDatum(rows), Float8GetDatum(s->local), Float8GetDatum(s->smooth),
	Float8GetDatum(s->global)};
	bool		nulls[COLUMNS] = {false, !exists, !exists, !exists};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/* local_sensitivity(expression, statistic, beta) */
Datum
dpsens_local_sensitivity(PG_FUNCTION_ARGS)
{
	char	   *statistic = text_to_cstring(PG_GETARG_TEXT_PP(1));
	double		beta = PG_GETARG_FLOAT8(2);
	DpsEvaluator *evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_VALUE, CurrentMemoryContext);
	DpsRelationAnnotation annotation;
	Contributions c = {.room = DPS_BATCH};
	Sensitivities s = {0};
	bool		is_sum = strcmp(statistic, "sum") == 0;

	check_relation(evaluator->relation, &annotation);
	if (!(beta > 0 && isfinite(beta)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("beta must be a positive number")));
	find_range(evaluator, &c);
	check_statistic(statistic, annotation.adjacency, c.may_vanish);
	c.value = palloc(sizeof(double) * c.room);
	dps_scan_rows(evaluator, false, add_rows, &c);
	if (is_sum)
		of_sum(&c, annotation.adjacency, beta, &s);
	else if (c.count > 0 && strcmp(statistic, "mean") == 0)
		of_mean(&c, beta, &s);
	else if (c.count > 0)
		of_median(&c, beta, &s);
	return make_result(fcinfo, c.count, is_sum || c.count > 0, &s);
}

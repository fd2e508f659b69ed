/*
 * sql_advise.c
 *		dpsens.advise: which column's range matters most for the noise of an
 *		expression.
 *
 * Each range is cut by a tenth of its length: at the low end, at the high end, and by
 * half of that at both.  The bounds are derived again for each.  The narrower box is a
 * part of the wider one, so the bound of the wider one holds there as well: the smaller
 * of both bounds is shown.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "base/once.h"
#include "bound/dimension.h"
#include "glue/analysis/row.h"
#include "glue/analysis/whatif.h"
#include "glue/bounds.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/parse.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "glue/version.h"
#include "num/whole.h"

DPS_SQL_FUNCTION(dpsens_advise);
DPS_SQL_FUNCTION(dpsens_advise_expression);

/* The share of a range's length that is cut off. */
#define CUT 0.1

/* The end where it is cut off. */
static const struct
{
	const char *name;
	double		low;			/* shares of the cut */
	double		high;
}			sides[] =
{
	{"low", 1, 0},
	{"high", 0, 1},
	{"both", 0.5, 0.5},
};

static const DpsQuantityKind kinds[] = {
	DPS_SUM_ADD_REMOVE, DPS_SUM_REPLACE, DPS_SUM_ATTRIBUTE, DPS_SUM_METRIC
};

#define KINDS ((int) lengthof(kinds))
#define MAX_NORMS 3

/* Bounds over one box: of every kind, and for a vector in every norm. */
typedef struct Bounds
{
	double		upper[KINDS][MAX_NORMS];
	char	   *note[KINDS][MAX_NORMS];
} Bounds;

typedef struct Advice
{
	ReturnSetInfo *result;
	DpsVectorAnalysis *vector;	/* n = 0 for a number */
	const AttrNumber *column;	/* of each variable, or NULL without a table */
	Oid			relation;
	Bounds		before;
} Advice;

static int
count_norms(const DpsVectorAnalysis *vector)
{
	return vector->n > 0 ? MAX_NORMS : 1;
}

/*
 * Bounds
 */

/* The proved upper end of one bracket, Infinity if there is none.  Sets the note to the
 * reason why it is infinite or wide, or to NULL. */
static double
find_upper(DpsVectorAnalysis *vector, DpsQuantityKind kind, int norm, int variable, char **note)
{
	DpsJointBracket joint;

	CHECK_FOR_INTERRUPTS();
	if (vector->n > 0)
	{
		dps_vector_quantity(vector, kind, norm, variable, &joint);
		*note = dps_vector_quantity_note(vector, kind, variable, &joint);
	}
	else
	{
		dps_quantity(&vector->analysis, kind, variable, &joint.bracket);
		*note = dps_quantity_note(&vector->analysis, kind, variable, &joint.bracket);
		joint.loose = false;
	}
	/* a note on the witness is not shown here */
	if (joint.bracket.status == DPS_OK && !joint.bracket.exhausted && !joint.loose)
		*note = NULL;
	return joint.bracket.status == DPS_OK ? joint.bracket.upper : INFINITY;
}

/* The greatest bound of the private columns: neighbours differ in any one of them. */
static double
find_attribute(DpsVectorAnalysis *vector, int norm, char **note)
{
	double		greatest = 0;
	int			j;

	*note = NULL;
	for (j = 0; j < dps_columns(vector->analysis.graph); j++)
	{
		char	   *one = NULL;
		double		upper;

		if (!(vector->analysis.policy.private_variables & (UINT64_C(1) << j)))
			continue;
		upper = find_upper(vector, DPS_SUM_ATTRIBUTE, norm, j, &one);
		greatest = Max(greatest, upper);
		if (one != NULL)
			*note = one;
	}
	return greatest;
}

static void
find_bounds(DpsVectorAnalysis *vector, Bounds *bounds)
{
	int			k;
	int			norm;

	for (k = 0; k < KINDS; k++)
	{
		for (norm = 0; norm < count_norms(vector); norm++)
			bounds->upper[k][norm] = kinds[k] == DPS_SUM_ATTRIBUTE ?
				find_attribute(vector, norm, &bounds->note[k][norm]) :
				find_upper(vector, kinds[k], norm, -1, &bounds->note[k][norm]);
	}
}

/*
 * Cutting ranges
 */

static Oid
date_type(const Advice *advice, int variable)
{
	Oid			type;

	if (advice->column == NULL)
		return InvalidOid;
	type = getBaseType(get_atttype(advice->relation, advice->column[variable]));
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID ? type : InvalidOid;
}

/* The cut, rounded up to whole steps. */
static double
whole_steps(double cut, double step)
{
	return step > 0 ? ceil(cut / step) * step : cut;
}

/* The number rounded to 12 digits, if that moves it by no more than 1e-6 of the cut. */
static double
readable(double end, double cut)
{
	double		rounded = strtod(psprintf("%.12g", end), NULL);

	return fabs(rounded - end) <= cut * 1e-6 ? rounded : end;
}

/* Narrows the range; false if that is not possible. */
static bool
cut_range(const Advice *advice, int variable, int side, DpsDomain *domain)
{
	/* hi - lo may overflow */
	double		cut = domain->hi * CUT - domain->lo * CUT;
	double		step = date_type(advice, variable) == DATEOID ? SECS_PER_DAY : domain->integral ? 1 : 0;
	double		lo;
	double		hi;

	if (advice->vector->analysis.graph->variables[variable].type == DPS_BOOL || domain->nullness == DPS_ALWAYS_NULL)
		return false;
	lo = domain->lo + whole_steps(cut * sides[side].low, step);
	hi = domain->hi - whole_steps(cut * sides[side].high, step);
	if (step == 0 && !OidIsValid(date_type(advice, variable)))
	{
		lo = dps_max(readable(lo, cut), domain->lo);
		hi = dps_min(readable(hi, cut), domain->hi);
	}
	if (!(lo <= hi) || (lo == domain->lo && hi == domain->hi))
		return false;
	domain->lo = lo;
	domain->hi = hi;
	return true;
}

static void
find_narrow_bounds(const Advice *advice, int variable, const DpsDomain *domain, Bounds *bounds)
{
	DpsVectorAnalysis *narrow = palloc(sizeof(DpsVectorAnalysis));

	memcpy(narrow, advice->vector, sizeof(DpsVectorAnalysis));
	narrow->analysis.box[variable] = *domain;
	narrow->analysis.has_infimum = narrow->analysis.has_supremum = false;
	if (narrow->n > 0)
		dps_prepare_vector(narrow);
	find_bounds(narrow, bounds);
	pfree(narrow);
}

/*
 * The result
 */

static char *
format_end(Oid type, double end)
{
	char	   *text;
	double		seconds = end - (double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
	Datum		moment;

	if (!OidIsValid(type))
		return dps_format_number(end + 0.0);
	moment = type == DATEOID ? DateADTGetDatum(dps_to_int32(rint(seconds / SECS_PER_DAY))) :
		TimestampGetDatum(dps_to_int64(rint(seconds * USECS_PER_SEC)));
	if (!dps_format_moment(moment, type, &text))
		elog(ERROR, "could not format a moment within a declared range");
	return psprintf("'%s'", text);
}

/* The range as it is written in a label. */
static char *
format_range(const Advice *advice, int variable, const DpsDomain *domain)
{
	Oid			type = date_type(advice, variable);

	return psprintf("[%s, %s]", format_end(type, domain->lo), format_end(type, domain->hi));
}

static char *
column_name(const Advice *advice, int variable)
{
	if (advice->column == NULL)
		return dps_variable_key(advice->vector->analysis.graph, variable);
	return get_attname(advice->relation, advice->column[variable], false);
}

static char *
quantity_name(const Advice *advice, int k, int norm)
{
	char	   *name = advice->vector->n > 0 ?
		dps_vector_quantity_name(advice->vector, kinds[k], norm, 0) :
		dps_quantity_name(&advice->vector->analysis, kinds[k], 0);
	char	   *colon = strchr(name, ':');

	/* the bound is the greatest of all columns, so the name has none */
	if (colon != NULL)
		*colon = '\0';
	return name;
}

/* The relative decrease of the bound; 1 if an infinite one becomes finite, NaN if both
 * are infinite. */
static double
find_shrink(double before, double after)
{
	if (isinf(before))
		return isinf(after) ? (double) NAN : 1;
	return before > 0 ? 1 - Min(after / before, 1) : 0;
}

static void
put_advice(const Advice *advice, int variable, int side, const char *range, const Bounds *after, const char *remark,
		   int k, int norm)
{
	double		before = advice->before.upper[k][norm];
	double		upper = Min(after->upper[k][norm], before);
	double		shrink = find_shrink(before, upper);
	const char *note = remark;
	Datum		values[8];
	bool		nulls[8] = {false};

	if (note == NULL)
		note = isfinite(upper) && advice->before.note[k][norm] != NULL && after->note[k][norm] == NULL ?
			advice->before.note[k][norm] : after->note[k][norm];
	values[0] = DirectFunctionCall1(namein, CStringGetDatum(column_name(advice, variable)));
	values[1] = CStringGetTextDatum(sides[side].name);
	nulls[2] = range == NULL;
	if (range != NULL)
		values[2] = CStringGetTextDatum(range);
	values[3] = CStringGetTextDatum(quantity_name(advice, k, norm));
	values[4] = Float8GetDatum(before);
	values[5] = Float8GetDatum(upper);
	values[6] = Float8GetDatum(shrink);
	nulls[6] = isnan(shrink);
	nulls[7] = note == NULL;
	if (note != NULL)
		values[7] = CStringGetTextDatum(note);
	tuplestore_putvalues(advice->result->setResult, advice->result->setDesc, values, nulls);
}

/* Why a range cannot be cut. */
static const char *
no_cut_remark(const Advice *advice, int variable)
{
	const DpsDomain *domain = &advice->vector->analysis.box[variable];

	if (advice->vector->analysis.graph->variables[variable].type == DPS_BOOL)
		return "a boolean has no range to cut";
	return domain->lo == domain->hi ? "the range is a single value" : "the range has no room for such a cut";
}

static void
put_side(const Advice *advice, int variable, int side)
{
	DpsDomain	domain = advice->vector->analysis.box[variable];
	const char *remark = NULL;
	char	   *range = NULL;
	Bounds		after;
	int			k;
	int			norm;

	if (cut_range(advice, variable, side, &domain))
	{
		range = format_range(advice, variable, &domain);
		find_narrow_bounds(advice, variable, &domain, &after);
	}
	else
	{
		after = advice->before;
		remark = no_cut_remark(advice, variable);
	}
	for (k = 0; k < KINDS; k++)
	{
		for (norm = 0; norm < count_norms(advice->vector); norm++)
			put_advice(advice, variable, side, range, &after, remark, k, norm);
	}
}

static void
put_all(Advice *advice)
{
	int			j;
	int			side;

	find_bounds(advice->vector, &advice->before);
	for (j = 0; j < dps_columns(advice->vector->analysis.graph); j++)
	{
		for (side = 0; side < (int) lengthof(sides); side++)
			put_side(advice, j, side);
	}
}

Datum
dpsens_advise(PG_FUNCTION_ARGS)
{
	Advice		advice = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	advice.vector = palloc(sizeof(DpsVectorAnalysis));
	dps_prepare_vector_ranges(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1), advice.vector);
	put_all(&advice);
	return (Datum) 0;
}

Datum
dpsens_advise_expression(PG_FUNCTION_ARGS)
{
	Advice		advice = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	Oid			function = PG_GETARG_OID(0);
	DpsRowAnalysis *row = palloc(sizeof(DpsRowAnalysis));

	InitMaterializedSRF(fcinfo, 0);
	if (SearchSysCacheExists1(PROCOID, ObjectIdGetDatum(function)) && dps_is_registered_expression(function))
		advice.relation = dps_expression_relation(function);
	if (!OidIsValid(advice.relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function %s is not a registered expression", format_procedure(function)),
				 errhint("The view dpsens.expressions lists them; dpsens.register makes one.")));
	dps_prepare_row(advice.relation, dps_expression_body(function), NULL, row);
	advice.column = row->column;
	advice.vector = palloc0(sizeof(DpsVectorAnalysis));
	advice.vector->analysis = row->analysis;
	put_all(&advice);
	return (Datum) 0;
}

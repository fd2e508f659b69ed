/*
 * sql_suggest_range.c
 *		dpsens.suggest_range: which range of a column has the least error.
 *
 * Precondition: whoever calls may ask for answers at this epsilon about the relation, by privilege or budget.
 * Postcondition: it has cost epsilon once, and nothing else was looked at.
 *
 * Proof.  What is read of the rows is read by one statement, which the caller could send as well (private_question.c):
 *
 *		SELECT b.step, dp_count(true, epsilon)
 *		FROM relation r JOIN (VALUES (0, lo, hi), ...) b (step, lo, hi) ON r.column >= b.lo AND r.column <= b.hi GROUP BY b.step
 *
 * The lists of VALUES are constants of the ladder.  The rest follows from noised answers and declarations, which are
 * public.  A range that the column has is one of values in answers and none of conditions, so it hides nothing here.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "glue/setup/persons.h"
#include "glue/setup/private_question.h"
#include "glue/setup/range_ladder.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_suggest_range);

#define COLUMNS 7

/* The column's type below domains, and that of the ladder's ends, which its operators compare with. */
typedef struct Column
{
	const char *name;			/* quoted */
	const char *ends;
	bool		is_whole;
} Column;

static Column
find_column(Oid relation, const char *name)
{
	AttrNumber	number = get_attnum(relation, name);
	Column		column = {.name = quote_identifier(name)};

	if (number <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name, get_rel_name(relation))));
	switch (getBaseType(get_atttype(relation, number)))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			column.ends = "pg_catalog.int8";
			column.is_whole = true;
			break;
		case FLOAT4OID:
		case FLOAT8OID:
			column.ends = "pg_catalog.float8";
			break;
		case NUMERICOID:
			column.ends = "pg_catalog.numeric";
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of relation \"%s\" is of type %s, of which no range is suggested", name, get_rel_name(relation),
							format_type_be(get_atttype(relation, number))),
					 errhint("Ranges of numbers are; of dates and the like those that are possible are known without data.")));
	}
	return column;
}

/* As the ladder's ends are written. */
static const char *
spell(double end, bool is_whole)
{
	if (is_whole && isinf(end))
		return end > 0 ? "9223372036854775807" : "-9223372036854775808";
	if (isinf(end))
		return end > 0 ? "Infinity" : "-Infinity";
	return dps_format_number(end);
}

static char *
statement_of(Oid relation, const Column *column, const DpsRangeStep *steps, int n, double epsilon)
{
	StringInfoData query;
	int			i;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT b.step, %s.dp_count(true, '%s'::pg_catalog.float8) FROM %s AS r JOIN (VALUES ", dps_aggregate_schema(),
					 dps_format_number(epsilon), dps_setup_name(relation));
	for (i = 0; i < n; i++)
		appendStringInfo(&query, "%s(%d, '%s'::%s, '%s'::%s)", i > 0 ? ", " : "", i, spell(steps[i].lo, column->is_whole), column->ends,
						 spell(steps[i].hi, column->is_whole), column->ends);
	appendStringInfo(&query, ") b (step, lo, hi) ON r.%s OPERATOR(pg_catalog.>=) b.lo AND r.%s OPERATOR(pg_catalog.<=) b.hi GROUP BY b.step", column->name,
					 column->name);
	return query.data;
}

/* The steps that a question is about. */
typedef struct Ladder
{
	DpsRangeStep *steps;
	int			n;
} Ladder;

static void
take_step(void *arg, int32 step, double rows)
{
	const Ladder *ladder = arg;

	if (step >= 0 && step < ladder->n)
		ladder->steps[step].rows = rows;
}

/* How many rows of those whom the promise is to count in a sum. */
static double
rows_that_count(const DpsRelationAnnotation *annotation)
{
	const DpsUnitLimits *limits = &annotation->limits;
	double		rows = 1;

	if (dps_unit_has_rows(annotation))
		rows = limits->rows > 0 ? limits->rows : fmax((double) limits->rows_per_group * limits->groups, 1);
	return rows * annotation->group_size;
}

/* The noise of a sum by the discrete Laplace mechanism, which is nearly that of the continuous one. */
static DpsRangeNoise
noise_of(Oid relation, const DpsRelationAnnotation *annotation, double epsilon)
{
	if (annotation->adjacency == DPS_METRIC)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("under adjacency metric, as relation \"%s\" has, noise does not depend on ranges", get_rel_name(relation)),
				 errhint("Declare the range in which values are possible.")));
	return (DpsRangeNoise) {.is_of_length = annotation->adjacency != DPS_ADD_REMOVE, .factor = sqrt(2) * rows_that_count(annotation) / epsilon};
}

static void
put_choice(ReturnSetInfo *result, const DpsRangeChoice *choice)
{
	Datum		values[COLUMNS] = {Float8GetDatum(choice->lo), Float8GetDatum(choice->hi), Float8GetDatum(choice->share_clamped), Float8GetDatum(choice->clamped),
	Float8GetDatum(choice->noise), Float8GetDatum(choice->error), BoolGetDatum(choice->is_best)};
	bool		nulls[COLUMNS] = {false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* suggest_range(relation, column_name, epsilon, answer_epsilon) */
Datum
dpsens_suggest_range(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext memory = CurrentMemoryContext;
	DpsRelationAnnotation annotation;
	DpsRangeNoise noise;
	DpsRangeStep *steps;
	DpsRangeChoice *choices;
	Column		column;
	char	   *statement;
	double		scale;
	Oid			relation;
	int			nest_level;
	int			n;
	int			nchoices;
	int			i;

	dps_refuse_null(fcinfo, 0, "relation");
	dps_refuse_null(fcinfo, 1, "column_name");
	dps_refuse_null(fcinfo, 2, "epsilon");
	dps_refuse_null(fcinfo, 3, "answer_epsilon");
	relation = PG_GETARG_OID(0);
	dps_prepare_question(relation, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), &annotation);
	column = find_column(relation, NameStr(*PG_GETARG_NAME(1)));
	noise = noise_of(relation, &annotation, PG_GETARG_FLOAT8(3));
	steps = dps_range_ladder(column.is_whole, &n);
	nest_level = dps_question_settings();
	SPI_connect();
	statement = statement_of(relation, &column, steps, n, PG_GETARG_FLOAT8(2));
	scale = dps_question_noise_scale(statement);
	dps_ask_question(statement, take_step, &(Ladder) {steps, n});
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	MemoryContextSwitchTo(memory);
	choices = dps_weigh_ranges(steps, n, scale, &noise, &nchoices);
	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < nchoices; i++)
		put_choice(result, &choices[i]);
	return (Datum) 0;
}

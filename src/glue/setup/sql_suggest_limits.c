/*
 * sql_suggest_limits.c
 *		dpsens.suggest_limits: which limit of rows per person has the least error.
 *
 * Precondition: whoever calls may ask for answers at this epsilon about the relation, and about those through which
 * its unit is referred to, by privilege or budget.
 * Postcondition: it has cost each of them epsilon once, and nothing else was looked at.
 *
 * Proof.  What is read of the rows is read by one statement, which the caller could send as well, with the
 * caller's rights, and which is looked at, charged and noised like any other:
 *
 *		SELECT b.up_to, dp_count(true, epsilon)
 *		FROM (SELECT unit, count(*) FROM relation GROUP BY unit) u (unit, n)
 *			JOIN (VALUES (1, 1, 1), ...) b (up_to, lo, hi) ON u.n BETWEEN b.lo AND b.hi GROUP BY b.up_to
 *
 * The unit is in the keys of the subquery, so a person has one row there (guard/trace/grouped.c), and the
 * lists of VALUES are constants.  The rest follows from noised answers and declarations, which are public.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "glue/constraint/reference.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/label.h"
#include "glue/setup/limit_ladder.h"
#include "glue/setup/persons.h"
#include "glue/setup/private_question.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_suggest_limits);

#define COLUMNS 7

static const char *
column_name(Oid relation, AttrNumber column)
{
	return quote_identifier(get_attname(relation, column, false));
}

/* The columns of the relation of this number in FROM, as a list of SQL. */
static char *
column_list(int number, Oid relation, const DpsUnitColumns *columns)
{
	StringInfoData list;
	int			i;

	initStringInfo(&list);
	for (i = 0; i < columns->n; i++)
		appendStringInfo(&list, "%sr%d.%s", i > 0 ? ", " : "", number, column_name(relation, columns->column[i]));
	return list.data;
}

/* key = column, for all of the reference's. */
static void
append_condition(StringInfo from, int number, Oid relation, const DpsReference *reference)
{
	int			i;

	for (i = 0; i < reference->columns.n; i++)
		appendStringInfo(from, "%sr%d.%s OPERATOR(pg_catalog.=) r%d.%s", i > 0 ? " AND " : "", number + 1,
						 column_name(reference->relation, reference->keys.column[i]), number,
						 column_name(relation, reference->columns.column[i]));
}

/* FROM and the unit's columns: the relation itself, or joined with what its unit is referred to by. */
static char *
from_unit(Oid relation, const DpsRelationAnnotation *declared, const char **unit, int *ncolumns)
{
	DpsRelationAnnotation annotation = *declared;
	DpsReference reference;
	StringInfoData from;
	int			i;

	initStringInfo(&from);
	appendStringInfo(&from, "%s AS r0", dps_setup_name(relation));
	for (i = 0; annotation.unit_by_reference; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!dps_find_reference(relation, &annotation.unit, InvalidOid, &reference))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the unit of relation \"%s\" is by reference, and no foreign key tells whose row it is", get_rel_name(relation)),
					 errhint("Restore or validate the foreign key, or declare another unit with dpsens.protect.")));
		appendStringInfo(&from, " JOIN %s AS r%d ON ", dps_setup_name(reference.relation), i + 1);
		append_condition(&from, i, relation, &reference);
		relation = reference.relation;
		dps_get_protected_annotation(relation, &annotation);
		if (!dps_has_unit(&annotation))
			elog(ERROR, "relation %u has no unit to refer to", relation);
	}
	*unit = column_list(i, relation, &annotation.unit);
	*ncolumns = annotation.unit.n;
	return from.data;
}

static char *
statement_of(Oid relation, const DpsRelationAnnotation *annotation, const DpsLimitRung *rungs, int n, double epsilon)
{
	StringInfoData query;
	const char *unit;
	int			ncolumns;
	char	   *from = from_unit(relation, annotation, &unit, &ncolumns);
	int			i;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT b.up_to, %s.dp_count(true, '%s'::pg_catalog.float8) FROM (SELECT %s, pg_catalog.count(*) FROM %s GROUP BY %s) u (",
					 dps_aggregate_schema(), dps_format_number(epsilon), unit, from, unit);
	for (i = 1; i <= ncolumns; i++)
		appendStringInfo(&query, "unit%d, ", i);
	appendStringInfoString(&query, "n) JOIN (VALUES ");
	for (i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(&query, ", ");
		appendStringInfo(&query, "(%d, %d, %d)", rungs[i].limit, i == 0 ? 1 : rungs[i - 1].limit + 1,
						 i < n - 1 ? rungs[i].limit : PG_INT32_MAX);
	}
	appendStringInfoString(&query, ") b (up_to, lo, hi) ON u.n >= b.lo AND u.n <= b.hi GROUP BY b.up_to");
	return query.data;
}

/* The rungs that a question is about. */
typedef struct Ladder
{
	DpsLimitRung *rungs;
	int			n;
} Ladder;

/* How many persons are on a rung. */
static void
take_rung(void *arg, int32 limit, double persons)
{
	const Ladder *ladder = arg;
	int			i;

	for (i = 0; i < ladder->n; i++)
	{
		if (ladder->rungs[i].limit == limit)
			ladder->rungs[i].persons = persons;
	}
}

static void
put_rung(ReturnSetInfo *result, const DpsLimitRung *rung, bool is_known)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	values[0] = Int32GetDatum(rung->limit);
	values[1] = Float8GetDatum(rung->share_of_persons);
	values[2] = Float8GetDatum(rung->share_of_rows);
	values[3] = Float8GetDatum(rung->rows_left_out);
	values[4] = Float8GetDatum(rung->noise);
	values[5] = Float8GetDatum(rung->error);
	values[6] = BoolGetDatum(rung->is_best);
	nulls[1] = nulls[2] = nulls[3] = nulls[5] = !is_known;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
check_unit(Oid relation, const DpsRelationAnnotation *annotation)
{
	if (!dps_unit_has_rows(annotation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("each person has one row of relation \"%s\"", get_rel_name(relation)),
				 errhint("Limits are for relations where a person, dpsens.protect's unit, may have several rows.")));
}

/* What the declared limit hides cannot be suggested, and the largest limit would look like the best.  The limit
 * is public, and the rows have no say in whether this is said. */
static void
tell_of_limit(Oid relation, int limit)
{
	if (limit > 0)
		ereport(NOTICE,
				(errmsg("rows of a person beyond the %d that are declared to count for relation \"%s\" are not seen", limit, get_rel_name(relation)),
				 errhint("Where the last limit is the best, a larger one may be better: raise max_rows, or set it to 0, and ask again.")));
}

/* suggest_limits(relation, epsilon, answer_epsilon) */
Datum
dpsens_suggest_limits(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext memory = CurrentMemoryContext;
	DpsRelationAnnotation annotation;
	DpsLimitRung *rungs;
	char	   *statement;
	double		scale;
	bool		is_known;
	Oid			relation;
	int			nest_level;
	int			n;
	int			i;

	dps_refuse_null(fcinfo, 0, "relation");
	dps_refuse_null(fcinfo, 1, "epsilon");
	dps_refuse_null(fcinfo, 2, "answer_epsilon");
	relation = PG_GETARG_OID(0);
	dps_prepare_question(relation, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), &annotation);
	check_unit(relation, &annotation);
	tell_of_limit(relation, annotation.limits.rows);
	rungs = dps_limit_ladder(annotation.limits.rows, &n);
	nest_level = dps_question_settings();
	SPI_connect();
	statement = statement_of(relation, &annotation, rungs, n, PG_GETARG_FLOAT8(1));
	scale = dps_question_noise_scale(statement);
	dps_ask_question(statement, take_rung, &(Ladder) {rungs, n});
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	/* noise is for all persons of a group */
	is_known = dps_weigh_limits(rungs, n, scale, PG_GETARG_FLOAT8(2) / annotation.group_size);
	MemoryContextSwitchTo(memory);
	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < n; i++)
		put_rung(result, &rungs[i], is_known);
	return (Datum) 0;
}

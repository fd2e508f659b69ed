/*
 * sql_summary.c
 *		dpsens.sensitivity_summary: how a table's rows are distributed, quantity
 *		by quantity, and how much of each global bound they realise.
 *
 * Exact statistics of private data: for the table's owner and its auditors.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"

#include "audit/all_rows.h"
#include "glue/compat.h"
#include "glue/import/parse.h"
#include "glue/version.h"
#include "ledger/auditor.h"

DPS_SQL_FUNCTION(dpsens_sensitivity_summary);

#define QUARTILES 3
#define MAX_FRACTIONS 100

/* One row of the result. */
typedef struct Quantity
{
	char	   *name;
	double		bound;			/* of its magnitude; NaN if there is none */
	Tuplesortstate *sort;
	int64		count;			/* rows where it exists */
	double		sum_high;		/* their sum, divided by 2^64 so that it cannot
								 * overflow, and what rounding took from it */
	double		sum_low;
} Quantity;

typedef struct Summary
{
	int			nquantities;
	Quantity   *quantity;
	int			nfractions;
	double		fraction[MAX_FRACTIONS];
} Summary;

static void
add_value(Quantity *quantity, double value)
{
	double		term;
	double		sum;

	if (!isfinite(value))
		return;
	tuplesort_putdatum(quantity->sort, Float8GetDatum(value + 0.0), false);
	quantity->count++;
	term = ldexp(value, -64);
	sum = quantity->sum_high + term;
	/* Neumaier: the part of the smaller that the sum has lost */
	quantity->sum_low += fabs(quantity->sum_high) >= fabs(term) ?
		(quantity->sum_high - sum) + term : (term - sum) + quantity->sum_high;
	quantity->sum_high = sum;
}

/* In the order in which make_quantities lists them. */
static void
add_rows(const DpsEvaluator *evaluator, int nrows, const Datum *keys, const bool *key_is_null, void *context)
{
	Summary    *summary = context;
	const DpsDerived *d = &evaluator->derived;
	int			i;
	int			j;

	for (i = 0; i < nrows; i++)
	{
		Quantity   *next = summary->quantity;

		if (!dps_evaluator_valid(evaluator, i))
			continue;
		add_value(next++, evaluator->value[i]);
		add_value(next++, d->norm[i]);
		for (j = 0; j < d->n; j++)
			add_value(next++, d->gradient[j][i]);
		for (j = 0; j < d->n; j++)
			add_value(next++, dps_evaluator_steep(evaluator, i) ? d->normalized[j][i] : (double) NAN);
		for (j = 0; j < d->n; j++)
			add_value(next++, dps_evaluator_steep(evaluator, i) ? d->partial[j][i] : (double) NAN);
		for (j = 0; j < d->n; j++)
			add_value(next++, dps_evaluator_plis(evaluator, i, j, 1));
	}
}

/* The proved upper end, NaN if there is no finite one. */
static double
find_bound(DpsAnalysis *analysis, DpsQuantityKind kind, int variable)
{
	DpsBracket	bracket;

	dps_quantity(analysis, kind, variable, &bracket);
	return bracket.status == DPS_OK ? bracket.upper : (double) NAN;
}

static void
add_quantity(Summary *summary, char *name, double bound)
{
	Quantity   *quantity = &summary->quantity[summary->nquantities++];

	quantity->name = name;
	quantity->bound = bound;
}

static void
make_quantities(Summary *summary, const DpsEvaluator *evaluator)
{
	DpsRowAnalysis *row = palloc(sizeof(DpsRowAnalysis));
	int			n = evaluator->nprivate;
	int			i;
	int			j;

	/* a graph of its own: the search adds to it */
	dps_prepare_row(evaluator->relation, dps_expression_body(evaluator->function), NULL, row);
	summary->quantity = palloc0(sizeof(Quantity) * (2 + 4 * n));
	add_quantity(summary, "value", find_bound(&row->analysis, DPS_SUM_ADD_REMOVE, -1));
	add_quantity(summary, "gradient_norm", find_bound(&row->analysis, DPS_SUM_METRIC, -1));
	for (j = 0; j < n; j++)
		add_quantity(summary, psprintf("slope:%s", dps_private_column(evaluator, j)),
					 find_bound(&row->analysis, DPS_SLOPE, evaluator->variable[j]));
	for (j = 0; j < n; j++)
		add_quantity(summary, psprintf("contribution:%s", dps_private_column(evaluator, j)), 1);
	for (j = 0; j < n; j++)
		add_quantity(summary, psprintf("partial:%s", dps_private_column(evaluator, j)), NAN);
	for (j = 0; j < n; j++)
		add_quantity(summary, psprintf("plis:%s", dps_private_column(evaluator, j)), NAN);
	for (i = 0; i < summary->nquantities; i++)
		summary->quantity[i].sort = tuplesort_begin_datum(FLOAT8OID, Float8LessOperator, InvalidOid, false,
														  Max(work_mem / summary->nquantities, 64), NULL, 0);
}

/* What one pass over the sorted values finds. */
typedef struct Statistics
{
	double		least;
	double		greatest;
	double		quartile[QUARTILES];
	int64		above[MAX_FRACTIONS];
} Statistics;

static void
count_above(const Summary *summary, const Quantity *quantity, double value, Statistics *s)
{
	int			i;

	for (i = 0; i < summary->nfractions; i++)
		s->above[i] += fabs(value) > summary->fraction[i] * quantity->bound;
}

/* value's share in a quartile, that of percentile_cont: the quartile lies
 * between the two values around its place. */
static double
share(int64 count, int64 rank, int quartile)
{
	double		place = (double) (count - 1) * (quartile + 1) / 4;

	return fmax(0, 1 - fabs(place - (double) rank));
}

static void
pass(const Summary *summary, const Quantity *quantity, Statistics *s)
{
	int64		rank;
	int			q;

	memset(s, 0, sizeof(*s));
	for (rank = 0; rank < quantity->count; rank++)
	{
		Datum		datum;
		bool		isnull;
		double		value;

		if (!dps_tuplesort_getdatum(quantity->sort, &datum, &isnull))
			elog(ERROR, "a sorted value is missing");
		value = DatumGetFloat8(datum);
		if (rank == 0)
			s->least = value;
		s->greatest = value;
		for (q = 0; q < QUARTILES; q++)
			s->quartile[q] += value * share(quantity->count, rank, q);
		count_above(summary, quantity, value, s);
	}
}

static Datum
above_array(const Summary *summary, const Statistics *s)
{
	Datum		counts[MAX_FRACTIONS];
	int			i;

	for (i = 0; i < summary->nfractions; i++)
		counts[i] = Int64GetDatum(s->above[i]);
	return PointerGetDatum(construct_array(counts, summary->nfractions, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
put_quantity(ReturnSetInfo *result, const Summary *summary, Quantity *quantity)
{
	Datum		values[11];
	bool		nulls[11] = {false};
	Statistics	s;
	int			i;

	CHECK_FOR_INTERRUPTS();
	tuplesort_performsort(quantity->sort);
	pass(summary, quantity, &s);
	tuplesort_end(quantity->sort);
	values[0] = CStringGetTextDatum(quantity->name);
	values[1] = Int64GetDatum(quantity->count);
	values[2] = Float8GetDatum(s.least);
	for (i = 0; i < QUARTILES; i++)
		values[3 + i] = Float8GetDatum(s.quartile[i]);
	values[6] = Float8GetDatum(s.greatest);
	values[7] = Float8GetDatum(ldexp((quantity->sum_high + quantity->sum_low) / (double) quantity->count, 64));
	for (i = 2; i < 8; i++)
		nulls[i] = quantity->count == 0;
	values[8] = Float8GetDatum(quantity->bound);
	values[9] = Float8GetDatum(fmax(fabs(s.least), fabs(s.greatest)) / quantity->bound);
	values[10] = above_array(summary, &s);
	nulls[8] = nulls[10] = isnan(quantity->bound);
	nulls[9] = nulls[8] || quantity->bound == 0 || quantity->count == 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
read_fractions(Summary *summary, ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			i;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &elements, &nulls, &summary->nfractions);
	if (summary->nfractions > MAX_FRACTIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there can be at most %d fractions", MAX_FRACTIONS)));
	for (i = 0; i < summary->nfractions; i++)
	{
		summary->fraction[i] = nulls[i] ? (double) NAN : DatumGetFloat8(elements[i]);
		if (!(summary->fraction[i] >= 0 && summary->fraction[i] <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("fractions must lie between 0 and 1")));
	}
}

/* sensitivity_summary(expression, fractions) */
Datum
dpsens_sensitivity_summary(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator;
	Summary    *summary = palloc0(sizeof(Summary));
	DpsAudit	audit;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	read_fractions(summary, PG_GETARG_ARRAYTYPE_P(1));
	evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_PARTIAL, CurrentMemoryContext);
	if (!dps_owns_relation(evaluator->relation, GetUserId()) && !dps_owner_wrote(PG_GETARG_OID(0), evaluator->relation))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", get_rel_name(evaluator->relation)),
				 errdetail("The expression is not the owner's; to auditors those of the owner are shown.")));
	audit = dps_begin_audit(evaluator->relation, DPS_AUDIT_ROWS);
	make_quantities(summary, evaluator);
	dps_scan_rows(evaluator, false, add_rows, summary);
	for (i = 0; i < summary->nquantities; i++)
		put_quantity((ReturnSetInfo *) fcinfo->resultinfo, summary, &summary->quantity[i]);
	dps_end_audit(audit);
	return (Datum) 0;
}

/*
 * sql_spent.c
 *		dpsens.privacy_spent: what a relation's history has cost, by each accountant; and
 *		dpsens.odometer: what its charges have cost, at all times at once.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "base/once.h"
#include "account/account.h"
#include "account/accountant/accountant.h"
#include "account/amount.h"
#include "account/filter.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "ledger/auditor.h"
#include "ledger/identity.h"
#include "ledger/statement.h"
#include "noise/plan.h"
#include "num/interval.h"

DPS_SQL_FUNCTION(dps_privacy_spent);
DPS_SQL_FUNCTION(dps_odometer);

/* Groups equal releases, so that a long history of few queries has few rows. */
static DpsStatement read_history = {
	.text = "SELECT r.mechanism, r.sensitivities, r.scales, r.joined, r.charge_delta, pg_catalog.count(*),"
	" COALESCE(r.steps, 0), COALESCE(r.rate, 0), r.grid"
	" FROM dpsens.release r WHERE r.relation OPERATOR(pg_catalog.=) $1 GROUP BY 1, 2, 3, 4, 5, 7, 8, 9",
	.nargs = 1, .argtypes = {OIDOID}
};

/* What was spent on a former relation of the name counts before the next charge says so, too. */
#define SUM(column) "LEAST(COALESCE(pg_catalog.sum(" column "), 0), 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8"
static DpsStatement read_purse = {
	.text = "SELECT " SUM("p.spent_epsilon") ", " SUM("p.spent_rho") ", " SUM("p.spent_delta") " FROM dpsens.purse p"
	" WHERE " DPS_NOW_RELATION("p") " AND p.role OPERATOR(pg_catalog.=) 0 AND p.column_name OPERATOR(pg_catalog.=) ''",
	.nargs = 1, .argtypes = {OIDOID}
};

typedef struct Entries
{
	DpsPastRelease *entries;
	int			n;
	int			size;
} Entries;

static void
append(Entries *history, const DpsPastRelease *entry)
{
	if (history->n == history->size)
	{
		history->size = Max(16, 2 * history->size);
		history->entries = history->entries == NULL ?
			palloc(history->size * sizeof(DpsPastRelease)) :
			repalloc(history->entries, history->size * sizeof(DpsPastRelease));
	}
	history->entries[history->n++] = *entry;
}

static int64
element(uint64 row, int column, int i)
{
	bool		isnull;
	int			subscript = i + 1;
	Datum		value = array_get_element(dps_statement_value(row, column), 1, &subscript, -1,
										  sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

static int
nelements(uint64 row, int column)
{
	ArrayType  *array = DatumGetArrayTypeP(dps_statement_value(row, column));

	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/*
 * Each integer with noise of its own becomes a release of its own.  A delta of the whole release belongs
 * to the first.  An exact release (sensitivity 0) has no integers and no loss.
 */
static void
append_row(Entries *history, uint64 row)
{
	char	   *mechanism = TextDatumGetCString(dps_statement_value(row, 1));
	double		delta = dps_amount_up(DatumGetInt64(dps_statement_value(row, 5)), DPS_DELTA_BITS);
	int64		count = DatumGetInt64(dps_statement_value(row, 6));
	int64		steps = DatumGetInt64(dps_statement_value(row, 7));
	uint64		step = dps_step_of_name(mechanism, DatumGetInt32(dps_statement_value(row, 9)));
	int			n = nelements(row, 3);
	int			i;

	if (steps > 0)
	{
		DpsPastRelease run = dps_past_release_sampled(element(row, 2, 0), element(row, 3, 0), element(row, 4, 0),
													  DatumGetFloat8(dps_statement_value(row, 8)), steps, delta, count);

		append(history, &run);
		return;
	}
	for (i = 0; i < n; i++)
	{
		int64		scale = element(row, 3, i);
		DpsLaw		law = scale > 0 ? dps_law_find(mechanism) : DPS_LAW_UNKNOWN;
		DpsPastRelease entry = law == DPS_LAW_GEOMETRIC ?
			dps_past_release_geometric(element(row, 2, i), scale, step, element(row, 4, i), count) :
			dps_past_release_noise(law, element(row, 2, i), scale, element(row, 4, i), count);

		entry.delta = i == 0 ? delta : 0;
		append(history, &entry);
	}
}

static void
load_history(Oid relation, Entries *history)
{
	MemoryContext context = CurrentMemoryContext;
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	uint64		i;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_run(&read_history, values, NULL);
	dps_descend(saved);
	for (i = 0; i < SPI_processed; i++)
	{
		MemoryContext spi_context = MemoryContextSwitchTo(context);

		append_row(history, i);
		MemoryContextSwitchTo(spi_context);
	}
	SPI_finish();
}

/* Public quantities, for the owner and for auditors. */
static void
check_auditor(Oid relation)
{
	dps_end_audit(dps_begin_audit(relation, DPS_AUDIT_FIGURES));
}

/* The default for the delta that accountants need in addition to the deltas of the releases themselves. */
#define DEFAULT_DELTA 1e-6

/* The sum of the deltas of selections of groups and of training.  At a smaller delta there is no epsilon. */
static double
delta_needed(const DpsHistory *history)
{
	return dps_add_up(dps_history_delta(history), dps_history_rho_delta(history));
}

static double
default_delta(const DpsHistory *history)
{
	double		needed = delta_needed(history);

	if (needed <= DEFAULT_DELTA / 2)
		return DEFAULT_DELTA;
	return dps_min(dps_add_up(needed, DEFAULT_DELTA), 1 - DBL_EPSILON);
}

static double
stated_delta(double delta, const DpsHistory *history)
{
	double		own = dps_history_delta(history);

	if (!(delta >= 0 && delta < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta %g is outside the valid range", delta),
				 errdetail("It must be at least 0 and less than 1.")));
	if (own > delta)
		ereport(NOTICE,
				(errmsg("no accountant can state an epsilon at delta %g", delta),
				 errdetail("The deltas of selections of groups add up to %g.", own),
				 errhint("Give a larger delta, or none: then it is as large as is needed.")));
	return delta;
}

/* An accountant that is not able to state an epsilon yields infinity. */
static double
accountant_epsilon(const DpsAccountant *accountant, const DpsHistory *history, double delta)
{
	DpsHost		host = dps_server_host();
	double		epsilon;
	DpsStatus	status = accountant->epsilon(&host, history, delta, &epsilon);

	if (status == DPS_UNABLE)
		return INFINITY;
	dps_check_status(status);
	return epsilon;
}

/* privacy_spent(relation, delta) */
Datum
dps_privacy_spent(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Entries		entries = {0};
	DpsHistory	history;
	double		delta;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	check_auditor(PG_GETARG_OID(0));
	load_history(PG_GETARG_OID(0), &entries);
	history.releases = entries.entries;
	history.nreleases = entries.n;
	delta = PG_ARGISNULL(1) ? default_delta(&history) : stated_delta(PG_GETARG_FLOAT8(1), &history);
	for (i = 0; dps_accountants[i].name != NULL; i++)
	{
		const DpsAccountant *accountant = &dps_accountants[i];
		Datum		values[4] = {
			CStringGetTextDatum(accountant->name),
			Float8GetDatum(accountant_epsilon(accountant, &history, delta)),
			CStringGetTextDatum(accountant->label),
			Float8GetDatum(delta)
		};
		bool		nulls[4] = {false, false, false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* What all releases on a relation were charged, ever: the sums of its purse. */
static DpsCost
all_charges(Oid relation)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsCost		spent = {0};
	DpsElevation saved;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_run(&read_purse, values, NULL);
	dps_descend(saved);
	if (SPI_processed > 0)
		spent = (DpsCost) {DatumGetInt64(dps_statement_value(0, 1)), DatumGetInt64(dps_statement_value(0, 2)),
			DatumGetInt64(dps_statement_value(0, 3))};
	SPI_finish();
	return spent;
}

/* odometer(relation, delta) */
Datum
dps_odometer(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	double		delta = PG_GETARG_FLOAT8(1);
	double		epsilon = INFINITY;
	DpsCost		spent;
	TupleDesc	descriptor;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	check_auditor(relation);
	if (!(delta > 0 && delta < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta %g is outside the valid range", delta),
				 errdetail("It must be greater than 0 and less than 1.")));
	spent = all_charges(relation);
	if (dps_odometer_epsilon(dps_amount_up(spent.rho, DPS_LOSS_BITS), delta, &epsilon) != DPS_OK)
		epsilon = INFINITY;
	if (spent.delta == 0)
		epsilon = dps_min(epsilon, dps_amount_up(spent.epsilon, DPS_LOSS_BITS));
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Float8GetDatum(epsilon);
	values[1] = Float8GetDatum(dps_min(dps_add_up(delta, dps_amount_up(spent.delta, DPS_DELTA_BITS)), 1));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

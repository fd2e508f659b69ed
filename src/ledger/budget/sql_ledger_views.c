/*
 * sql_ledger_views.c
 *		SQL functions behind the views of the ledger.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "account/account.h"
#include "account/amount.h"
#include "account/at_order.h"
#include "account/filter.h"
#include "glue/glue.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "ledger/cost.h"
#include "moment/grid.h"
#include "num/interval.h"
#include "num/rational.h"

DPS_SQL_FUNCTION(dps_loss_of_amount);
DPS_SQL_FUNCTION(dps_left_of_amount);
DPS_SQL_FUNCTION(dps_charge_of_release);
DPS_SQL_FUNCTION(dps_charge_of_release_on_grid);
DPS_SQL_FUNCTION(dps_former_rho);
DPS_SQL_FUNCTION(dps_answers_left);
DPS_SQL_FUNCTION(dps_left_percent);
DPS_SQL_FUNCTION(dps_times_left);
DPS_SQL_FUNCTION(dps_answer_cost);
DPS_SQL_FUNCTION(dps_sql_rho_at_order);
DPS_SQL_FUNCTION(dps_sql_spent_at_order);
DPS_SQL_FUNCTION(dps_order_of_budget);

static int64 *
integer_array(ArrayType *array, int *n)
{
	Datum	   *values;
	int64	   *numbers;
	int			i;

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the array must have one dimension and no nulls")));
	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, NULL, n);
	numbers = palloc(*n * sizeof(int64));
	for (i = 0; i < *n; i++)
		numbers[i] = DatumGetInt64(values[i]);
	return numbers;
}

/* The loss of a run of sampled steps.  Their number, rate and delta are the last three arguments. */
static void
add_sampled_loss(FunctionCallInfo fcinfo, const int64 *sensitivities, const int64 *scales, int n, DpsLoss *loss)
{
	if (n != 1 || PG_ARGISNULL(4) || PG_ARGISNULL(5) || PG_ARGISNULL(6))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a release of sampled steps has one scale, a rate, a number of steps and a delta")));
	dps_sampled_loss(PG_GETARG_FLOAT8(5), PG_GETARG_INT64(4), sensitivities[0], scales[0],
					 dps_amount_up(PG_GETARG_INT64(6), DPS_DELTA_BITS), loss);
}

/* The step of integers of a release: the largest, which costs most, if no grid is given. */
static uint64
release_step(const char *mechanism, bool has_grid, int grid, int64 sensitivity)
{
	if (!has_grid && strcmp(mechanism, DPS_GEOMETRIC) == 0)
		return (uint64) sensitivity;
	return dps_step_of_name(mechanism, has_grid ? grid : 0);
}

static Datum
charge_of_release(FunctionCallInfo fcinfo, bool has_grid, int grid)
{
	char	   *name;
	const DpsMechanism *mechanism;
	bool		is_sampled;
	DpsLoss		loss = {0};
	DpsCost		cost;
	TupleDesc	descriptor;
	int			nsensitivities;
	int			nscales;
	int			njoined;
	int64	   *sensitivities;
	int64	   *scales;
	int64	   *joined;
	Datum		values[3];
	bool		nulls[3] = {false, false, false};
	int			i;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	mechanism = dps_mechanism_find(name);
	is_sampled = strcmp(name, DPS_SUBSAMPLED) == 0;
	sensitivities = integer_array(PG_GETARG_ARRAYTYPE_P(1), &nsensitivities);
	scales = integer_array(PG_GETARG_ARRAYTYPE_P(2), &nscales);
	joined = integer_array(PG_GETARG_ARRAYTYPE_P(3), &njoined);
	if (mechanism == NULL && !is_sampled && strcmp(name, DPS_NO_MECHANISM) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no mechanism \"%s\"", name)));
	if (nsensitivities != nscales || njoined != nscales)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("there must be as many scales and joint integers as sensitivities")));
	if (is_sampled)
		add_sampled_loss(fcinfo, sensitivities, scales, nscales, &loss);
	for (i = 0; i < nscales && !is_sampled; i++)
		dps_add_loss(mechanism, sensitivities[i], scales[i], joined[i],
					 release_step(name, has_grid, grid, sensitivities[i]), &loss);
	cost = dps_cost(loss.epsilon, loss.rho, loss.delta);
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(cost.epsilon);
	values[1] = Int64GetDatum(cost.rho);
	values[2] = Int64GetDatum(cost.delta);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

/* loss_of_amount(amount, bits) */
Datum
dps_loss_of_amount(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dps_amount_shown_up(PG_GETARG_INT64(0), PG_GETARG_INT32(1)));
}

/* left_of_amount(cap, spent, bits) */
Datum
dps_left_of_amount(PG_FUNCTION_ARGS)
{
	int64		cap = PG_GETARG_INT64(0);
	int64		spent = PG_GETARG_INT64(1);

	PG_RETURN_FLOAT8(spent >= cap || spent < 0 ? 0 : dps_amount_shown_down(cap - spent, PG_GETARG_INT32(2)));
}

/* charge_of_release(mechanism, sensitivities, scales, joined, steps, rate, delta), of 0.1.0 */
Datum
dps_charge_of_release(PG_FUNCTION_ARGS)
{
	return charge_of_release(fcinfo, false, 0);
}

/* The same with a grid. */
Datum
dps_charge_of_release_on_grid(PG_FUNCTION_ARGS)
{
	bool		has_grid = !PG_ARGISNULL(7);

	return charge_of_release(fcinfo, has_grid, has_grid ? PG_GETARG_INT32(7) : 0);
}

/* former_rho(mechanism, sensitivities, scales) */
Datum
dps_former_rho(PG_FUNCTION_ARGS)
{
	int			nsensitivities;
	int			nscales;
	int64	   *sensitivities = integer_array(PG_GETARG_ARRAYTYPE_P(1), &nsensitivities);
	int64	   *scales = integer_array(PG_GETARG_ARRAYTYPE_P(2), &nscales);
	double		rho = 0;
	int			i;

	if (nsensitivities != nscales)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("there must be as many scales as sensitivities")));
	if (strcmp(text_to_cstring(PG_GETARG_TEXT_PP(0)), dps_laplace.name) != 0)
		PG_RETURN_NULL();
	for (i = 0; i < nscales; i++)
		rho = dps_add_up(rho, sensitivities[i] > 0 && scales[i] > 0 ?
						 dps_pure_rho(dps_ratio_up((uint64) sensitivities[i], (uint64) scales[i])) : INFINITY);
	PG_RETURN_INT64(dps_amount_of_loss(rho, DPS_LOSS_BITS));
}

/* Reads three amounts of the ledger: epsilon, rho and delta; false if one of them is not known to who asks. */
static bool
read_amounts(FunctionCallInfo fcinfo, int argument, DpsCost *amounts)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argument);
	int64	   *numbers;
	int			n;

	if (array_contains_nulls(array))
		return false;
	numbers = integer_array(array, &n);
	if (n != 3)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("amounts are given as epsilon, rho and delta, not as %d numbers", n)));
	*amounts = (DpsCost) {numbers[0], numbers[1], numbers[2]};
	return true;
}

/* Reads the first two arguments, which are caps and what was spent. */
static bool
read_budget(FunctionCallInfo fcinfo, DpsBudget *budget, DpsCost *spent)
{
	DpsCost		caps;

	if (!read_amounts(fcinfo, 0, &caps) || !read_amounts(fcinfo, 1, spent))
		return false;
	*budget = (DpsBudget) {caps.epsilon, caps.rho, caps.delta, 0};
	return true;
}

/* answers_left(caps, spent, cost) */
Datum
dps_answers_left(PG_FUNCTION_ARGS)
{
	DpsBudget	budget;
	DpsCost		spent;
	DpsCost		cost;
	uint64		left;

	if (!read_budget(fcinfo, &budget, &spent) || !read_amounts(fcinfo, 2, &cost))
		PG_RETURN_NULL();
	left = dps_filter_left(&budget, &spent, &cost);
	PG_RETURN_INT64((int64) Min(left, (uint64) PG_INT64_MAX));
}

/* left_percent(caps, spent) */
Datum
dps_left_percent(PG_FUNCTION_ARGS)
{
	DpsBudget	budget;
	DpsCost		spent;

	if (!read_budget(fcinfo, &budget, &spent))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(dps_filter_share_left(&budget, &spent) * 100.0 / DPS_WHOLE_BUDGET);
}

/* times_left(caps, spent, cost) */
Datum
dps_times_left(PG_FUNCTION_ARGS)
{
	DpsBudget	budget;
	DpsCost		spent;
	DpsCost		cost;

	if (!read_budget(fcinfo, &budget, &spent) || !read_amounts(fcinfo, 2, &cost))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(dps_filter_times_left(&budget, &spent, &cost));
}

/* Reads numbers of a release, which are never negative. */
static const uint64 *
public_numbers(FunctionCallInfo fcinfo, int argument, int n)
{
	int			found;
	int64	   *numbers = integer_array(PG_GETARG_ARRAYTYPE_P(argument), &found);

	if (found != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("there must be as many scales and joint integers as sensitivities")));
	return (const uint64 *) numbers;
}

/* rho_at_order(renyi_order, mechanism, sensitivities, scales, joined, steps, rate, grid, rho) */
Datum
dps_sql_rho_at_order(PG_FUNCTION_ARGS)
{
	DpsPublicNoise noise = {.steps = 0};
	int			i;

	for (i = 1; i < 9; i++)
	{
		if (PG_ARGISNULL(i) && i != 5 && i != 6)
			PG_RETURN_NULL();
	}
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(8));
	noise.mechanism = text_to_cstring(PG_GETARG_TEXT_PP(1));
	noise.n = ArrayGetNItems(ARR_NDIM(PG_GETARG_ARRAYTYPE_P(3)), ARR_DIMS(PG_GETARG_ARRAYTYPE_P(3)));
	noise.sensitivities = public_numbers(fcinfo, 2, noise.n);
	noise.scales = public_numbers(fcinfo, 3, noise.n);
	noise.joined = public_numbers(fcinfo, 4, noise.n);
	noise.steps = PG_ARGISNULL(5) ? 0 : (uint64) PG_GETARG_INT64(5);
	noise.rate = PG_ARGISNULL(6) ? 0 : PG_GETARG_FLOAT8(6);
	noise.grid = PG_GETARG_INT32(7);
	PG_RETURN_INT64(dps_noise_at_order(PG_GETARG_FLOAT8(0), &noise, PG_GETARG_INT64(8)));
}

/* spent_at_order(renyi_order, spent_epsilon, spent_rho, former_order, spent_renyi); an order of NULL is that of all orders */
Datum
dps_sql_spent_at_order(PG_FUNCTION_ARGS)
{
	DpsCost		spent = {0, 0, 0};
	double		former = PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3);

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	spent.epsilon = PG_GETARG_INT64(1);
	spent.rho = PG_GETARG_INT64(2);
	PG_RETURN_INT64(dps_spent_at_order(PG_ARGISNULL(0) ? 0 : PG_GETARG_FLOAT8(0), &spent, PG_ARGISNULL(4) ? 0 : former,
									   PG_ARGISNULL(4) ? 0 : PG_GETARG_INT64(4)));
}

/* order_of_budget(epsilon, delta, cap_rho) */
Datum
dps_order_of_budget(PG_FUNCTION_ARGS)
{
	DpsBudget	budget;

	if (dps_budget_epsilon(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), DPS_DELTA_SHARE, &budget) != DPS_OK ||
		budget.order == 0 || budget.rho < PG_GETARG_INT64(2))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(budget.order);
}

/* What one count or sum costs at the present settings, the dearer one, of a budget of all orders, where a unit is one row. */
Datum
dps_answer_cost(PG_FUNCTION_ARGS)
{
	DpsChargeItem count;
	DpsChargeItem sum;
	DpsCost		cost;

	if (!dps_present_answer(dps_setting_epsilon, 1, dps_grid_of_counts(1), true, &count) ||
		!dps_present_answer(dps_setting_epsilon, 1, dps_grid_of_counts(1), false, &sum))
		PG_RETURN_NULL();
	cost = dps_dearer_cost(&count, &sum, 0);
	PG_RETURN_DATUM(dps_cost_array(&cost));
}

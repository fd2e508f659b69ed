/*
 * sql_column_budget.c
 *		dpsens.set_column_budget, by which owners cap what is told of one column, and
 *		dpsens_internal.charge_of_column, which recomputes what a release cost a column.
 *
 * The first writes the ledger's budgets as set_budget does (sql_budget.c), for the relation's
 * owner alone.  The second reads its arguments only, for views and verify_ledger.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/version.h"
#include "ledger/budget/budget.h"
#include "ledger/column_budget.h"
#include "ledger/cost.h"
#include "ledger/journal/change.h"

DPS_SQL_FUNCTION(dps_set_column_budget);
DPS_SQL_FUNCTION(dps_charge_of_column);

pg_noreturn static void
refuse(Oid relation, const char *column, const char *why, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of relation \"%s\" cannot have a budget of its own", column, get_rel_name(relation)),
			 errdetail("%s", why),
			 errhint("%s", hint)));
}

static void
check_column(Oid relation, const char *column)
{
	DpsRelationAnnotation annotation;
	const char *why;

	if (get_attnum(relation, column) == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", column, get_rel_name(relation))));
	why = dps_why_no_column_budget(relation, column);
	if (why != NULL)
		refuse(relation, column, why, "dpsens.set_budget() bounds what is told of whole rows, or units.");
	dps_get_relation_annotation(relation, &annotation);
	if (annotation.adjacency == DPS_METRIC)
		refuse(relation, column, "Under adjacency metric a cell that becomes NULL is no move of any distance.",
			   "Protect the relation with another adjacency.");
}

/* set_column_budget(relation, column_name, epsilon, delta, rho) */
Datum
dps_set_column_budget(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_budget_relation(fcinfo, "dpsens.set_column_budget()");
	DpsStatedBudget stated = {.refresh = NULL};
	DpsBudgetHolder holder = {.relation = relation};
	DpsChange	change = dps_change_begin("set_column_budget", relation);

	dps_refuse_null(fcinfo, 1, "column_name");
	holder.column = NameStr(*PG_GETARG_NAME(1));
	dps_budget_read(fcinfo, 2, &stated);
	if (!dps_budget_end(&holder, &stated))
	{
		check_column(relation, holder.column);
		dps_budget_set(&holder, &stated);
	}
	dps_change_end(&change);
	/* plans know the columns of which they say something */
	CacheInvalidateRelcacheByRelid(relation);
	PG_RETURN_VOID();
}

/* ---- checking charges ---- */

/* An argument bigint[] as numbers of coordinates; NULL for NULL. */
static const uint64 *
coordinates(FunctionCallInfo fcinfo, int argument, int *n)
{
	ArrayType  *array;
	Datum	   *values;
	uint64	   *numbers;
	int			i;

	*n = 0;
	if (PG_ARGISNULL(argument))
		return NULL;
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the array must have one dimension and no nulls")));
	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, NULL, n);
	numbers = palloc(sizeof(uint64) * Max(*n, 1));
	for (i = 0; i < *n; i++)
		numbers[i] = (uint64) DatumGetInt64(values[i]);
	return numbers;
}

/* The place of the column among the names, or -1. */
static int
place_of(const char *column, ArrayType *names)
{
	Datum	   *values;
	int			n;
	int			i;

	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values, NULL, &n);
	for (i = 0; i < n; i++)
	{
		if (strcmp(NameStr(*DatumGetName(values[i])), column) == 0)
			return i;
	}
	return -1;
}

static void
refuse_lengths(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("there must be as many joint integers as scales, and moves of each column")));
}

/* The Renyi order at which rho is asked for; 0: all orders. */
static double
order_of(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(10) ? 0 : PG_GETARG_FLOAT8(10);
}

/* What the release says of the column; false if it says nothing. */
static bool
known_cost(FunctionCallInfo fcinfo, const char *mechanism, DpsCost *cost)
{
	int			place = PG_ARGISNULL(4) ? -1 : place_of(NameStr(*PG_GETARG_NAME(0)), PG_GETARG_ARRAYTYPE_P(4));
	int			nmoves;
	int			nscales;
	int			njoined;
	const uint64 *moves = coordinates(fcinfo, 5, &nmoves);
	const uint64 *scales = coordinates(fcinfo, 6, &nscales);
	const uint64 *joined = coordinates(fcinfo, 7, &njoined);

	if (place < 0)
		return false;
	if (nscales != njoined || moves == NULL || nmoves < (place + 1) * nscales)
		refuse_lengths();
	*cost = dps_moved_cost(mechanism, PG_ARGISNULL(9) ? 0 : PG_GETARG_INT32(9), nscales, moves + place * nscales, scales, joined,
						   order_of(fcinfo));
	return true;
}

/* The replacement of a release of an earlier version, which has none; replace may have been noised where units are
 * added and removed. */
static DpsReplacement
replacement_of(const char *adjacency)
{
	if (strcmp(adjacency, dps_adjacency_name(DPS_ATTRIBUTE)) == 0)
		return DPS_REPLACEMENT_ONE;
	if (strcmp(adjacency, dps_adjacency_name(DPS_METRIC)) == 0)
		return DPS_REPLACEMENT_UNBOUNDED;
	return DPS_REPLACEMENT_TWO;
}

static DpsCost
unknown_cost(FunctionCallInfo fcinfo, const char *mechanism)
{
	int			n;
	const uint64 *charge = coordinates(fcinfo, 8, &n);
	DpsReplacement replacement = PG_ARGISNULL(3) ? replacement_of(text_to_cstring(PG_GETARG_TEXT_PP(2))) :
		(DpsReplacement) PG_GETARG_INT16(3);
	DpsCost		cost;

	if (n != 3)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("amounts are given as epsilon, rho and delta, not as %d numbers", n)));
	cost = (DpsCost) {(int64) charge[0], (int64) charge[1], (int64) charge[2]};
	if (replacement == DPS_REPLACEMENT_ONE && order_of(fcinfo) > 0 && !PG_ARGISNULL(11))
		cost.rho = Min(cost.rho, PG_GETARG_INT64(11));
	return dps_replaced_cost(mechanism, &cost, replacement);
}

/* charge_of_column(column_name, mechanism, adjacency, replacement, column_names, column_moves, scales, joined, charge, grid,
 * renyi_order, rho_at_order) */
Datum
dps_charge_of_column(PG_FUNCTION_ARGS)
{
	char	   *mechanism;
	DpsCost		cost;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(6) || PG_ARGISNULL(7) || PG_ARGISNULL(8))
		PG_RETURN_NULL();
	mechanism = text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (!known_cost(fcinfo, mechanism, &cost))
		cost = unknown_cost(fcinfo, mechanism);
	PG_RETURN_DATUM(dps_cost_array(&cost));
}

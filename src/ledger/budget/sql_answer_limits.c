/*
 * sql_answer_limits.c
 *		dpsens.set_answer_limits, by which owners limit what single answers may tell.
 *
 * For the relation's owner alone, as all that sets budgets: it writes the role's row of dpsens.budget, reads no row
 * of the relation, and what it sets is compared in the ledger (charge/answer_limits.c) once it is committed.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "account/history.h"
#include "glue/glue.h"
#include "glue/version.h"
#include "ledger/budget/budget.h"
#include "ledger/keep.h"
#include "ledger/ledger.h"
#include "ledger/identity.h"
#include "ledger/origin.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_set_answer_limits);

/* What is NULL stays as it is. */
static DpsStatement update_limits = {
	.text = "UPDATE dpsens.budget AS b SET answer_epsilon = COALESCE($3, b.answer_epsilon), answer_delta = COALESCE($4, b.answer_delta),"
	" statement_epsilon = COALESCE($5, b.statement_epsilon), statement_delta = COALESCE($6, b.statement_delta),"
	" mechanisms = CASE WHEN $7 IS NULL THEN b.mechanisms WHEN pg_catalog.cardinality($7) OPERATOR(pg_catalog.=) 0 THEN NULL ELSE $7 END"
	" WHERE b.role OPERATOR(pg_catalog.=) $2 AND b.column_name OPERATOR(pg_catalog.=) '' AND " DPS_NOW_RELATION("b"),
	.nargs = 7, .argtypes = {OIDOID, OIDOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, TEXTARRAYOID}
};

static void
check_limit(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (!PG_ARGISNULL(argument) && !(PG_GETARG_FLOAT8(argument) > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s %g is no limit", name, PG_GETARG_FLOAT8(argument)),
				 errdetail("It must be greater than 0."),
				 errhint("'Infinity' takes a limit away; dpsens.revoke_budget() ends all answers.")));
}

static void
check_mechanisms(ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	for (i = 0; i < n; i++)
	{
		char	   *name = nulls[i] ? "" : TextDatumGetCString(elements[i]);

		if (dps_law_find(name) == DPS_LAW_UNKNOWN)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown mechanism \"%s\"", name),
					 errhint("Mechanisms are laplace, gaussian, exponential, permute_flip, partition and subsampled.")));
	}
}

/* set_answer_limits(relation, role, epsilon, delta, statement_epsilon, statement_delta, mechanisms) */
Datum
dps_set_answer_limits(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"epsilon", "delta", "statement_epsilon", "statement_delta"};
	Oid			relation = dps_budget_relation(fcinfo, "dpsens.set_answer_limits()");
	Oid			role;
	Datum		values[7];
	char		nulls[] = "       ";
	DpsElevation saved;
	int			i;

	dps_refuse_null(fcinfo, 1, "role");
	role = PG_GETARG_OID(1);
	for (i = 0; i < (int) lengthof(names); i++)
		check_limit(fcinfo, 2 + i, names[i]);
	if (!PG_ARGISNULL(6))
		check_mechanisms(PG_GETARG_ARRAYTYPE_P(6));
	for (i = 0; i < 7; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	dps_ledger_budget_changed();
	SPI_connect();
	saved = dps_elevate();
	/* until then roles are known by the OIDs that they had elsewhere */
	dps_origin_require();
	dps_ledger_write(&update_limits, values, nulls);
	dps_descend(saved);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no budget on relation \"%s\"", GetUserNameFromId(role, true) != NULL ?
						GetUserNameFromId(role, true) : psprintf("%u", role), get_rel_name(relation)),
				 errhint("Grant one with dpsens.grant_budget().")));
	SPI_finish();
	PG_RETURN_VOID();
}

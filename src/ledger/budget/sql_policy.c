/*
 * sql_policy.c
 *		dpsens.set_policy and dpsens.set_entity_policy, by which owners limit what single answers may tell.
 *
 * For the relation's owner alone, as all that sets budgets.  Limits of a role stand in its row of dpsens.budget, those
 * of a relation and of an entity in dpsens.policy.  No row of the relation is read, and what is set is compared in the
 * ledger (charge/answer_limits.c) once it is committed.
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
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/owner.h"
#include "glue/version.h"
#include "ledger/budget/budget.h"
#include "ledger/entity.h"
#include "ledger/journal/change.h"
#include "ledger/keep.h"
#include "ledger/ledger.h"
#include "ledger/identity.h"
#include "ledger/origin.h"
#include "ledger/statement.h"
#include "noise/mechanism.h"

DPS_SQL_FUNCTION(dps_set_policy);
DPS_SQL_FUNCTION(dps_set_entity_policy);

/* Epsilon, delta, those of a statement, mechanisms. */
#define LIMITS 5

/* What is NULL stays as it is. */
static DpsStatement update_role = {
	.text = "UPDATE dpsens.budget AS b SET answer_epsilon = COALESCE($3, b.answer_epsilon), answer_delta = COALESCE($4, b.answer_delta),"
	" statement_epsilon = COALESCE($5, b.statement_epsilon), statement_delta = COALESCE($6, b.statement_delta),"
	" mechanisms = CASE WHEN $7 IS NULL THEN b.mechanisms WHEN pg_catalog.cardinality($7) OPERATOR(pg_catalog.=) 0 THEN NULL ELSE $7 END,"
	" overrides_policy = COALESCE($8, b.overrides_policy),"
	" default_epsilon = CASE WHEN $10 OPERATOR(pg_catalog.<) 'Infinity' THEN $10 WHEN $10 IS NULL THEN b.default_epsilon END,"
	" min_units = CASE WHEN $11 OPERATOR(pg_catalog.>) 0 THEN $11 WHEN $11 IS NULL THEN b.min_units END,"
	" own_tables = COALESCE($12, b.own_tables)"
	" WHERE b.role OPERATOR(pg_catalog.=) $2 AND b.column_name OPERATOR(pg_catalog.=) $9 AND " DPS_NOW_RELATION("b"),
	.nargs = 12, .argtypes = {OIDOID, OIDOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, TEXTARRAYOID, BOOLOID, NAMEOID, FLOAT8OID, INT4OID, BOOLOID}
};

/* Takes the place of the policy that there is, and of those of former relations of the name: what is NULL is the
 * strictest of theirs.  One that limits nothing is none. */
#define STATED(number, column) "COALESCE($" number ", pg_catalog.min(f." column "), 'Infinity') AS " column
static DpsStatement replace_policy = {
	.text = "WITH former AS (DELETE FROM dpsens.policy AS p WHERE p.entity OPERATOR(pg_catalog.=) $5 AND " DPS_SAME_RELATION("p")
	" RETURNING p.*), stated AS (SELECT " STATED("6", "epsilon") ", " STATED("7", "delta") ", "
	STATED("8", "statement_epsilon") ", " STATED("9", "statement_delta") ","
	" CASE WHEN $10 IS NULL THEN (SELECT m.mechanisms FROM former m WHERE m.mechanisms IS NOT NULL ORDER BY m.set_at DESC LIMIT 1)"
	" WHEN pg_catalog.cardinality($10) OPERATOR(pg_catalog.>) 0 THEN $10 END AS mechanisms,"
	" CASE WHEN $12 OPERATOR(pg_catalog.<) 'Infinity' THEN $12 WHEN $12 IS NULL THEN pg_catalog.min(f.default_epsilon) END AS default_epsilon,"
	" CASE WHEN $13 OPERATOR(pg_catalog.>) 0 THEN $13 WHEN $13 IS NULL THEN pg_catalog.max(f.min_units) END AS min_units FROM former f)"
	" INSERT INTO dpsens.policy (relation, relation_schema, relation_name, relation_owner, entity, epsilon, delta,"
	" statement_epsilon, statement_delta, mechanisms, set_by, default_epsilon, min_units)"
	" SELECT $1, $2, $3, $4, $5, s.epsilon, s.delta, s.statement_epsilon, s.statement_delta, s.mechanisms, $11, s.default_epsilon, s.min_units FROM stated s"
	" WHERE LEAST(s.epsilon, s.delta, s.statement_epsilon, s.statement_delta) OPERATOR(pg_catalog.<) 'Infinity'"
	" OR COALESCE(s.mechanisms::pg_catalog.text, s.default_epsilon::pg_catalog.text, s.min_units::pg_catalog.text) IS NOT NULL",
	.nargs = 13,
	.argtypes = {DPS_IDENTITY_TYPES, BOOLOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, TEXTARRAYOID, NAMEOID, FLOAT8OID, INT4OID}
};

static DpsStatement read_relations = {
	.text = "SELECT pg_catalog.string_agg(pg_catalog.quote_ident(c.relname), ', ' ORDER BY c.oid OPERATOR(pg_catalog.<>) $1, c.relname)"
	" FROM dpsens_internal.entity_relations e JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) e.relation"
	" WHERE e.entity OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {OIDOID}
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

/* The limits from this argument on, checked, as values. */
static void
read_limits(FunctionCallInfo fcinfo, int first, Datum *values, char *nulls)
{
	static const char *const names[] = {"epsilon", "delta", "statement_epsilon", "statement_delta"};
	int			i;

	for (i = 0; i < (int) lengthof(names); i++)
		check_limit(fcinfo, first + i, names[i]);
	if (!PG_ARGISNULL(first + LIMITS - 1))
		check_mechanisms(PG_GETARG_ARRAYTYPE_P(first + LIMITS - 1));
	for (i = 0; i < LIMITS; i++)
	{
		values[i] = PG_GETARG_DATUM(first + i);
		nulls[i] = PG_ARGISNULL(first + i) ? 'n' : ' ';
	}
}

static void
check_default(double epsilon)
{
	if (!(epsilon >= DPS_EPSILON_MIN && epsilon <= DPS_EPSILON_MAX))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("default_epsilon %g is outside the valid range", epsilon),
				 errdetail("It must be between %g and %g.", DPS_EPSILON_MIN, DPS_EPSILON_MAX),
				 errhint("'Infinity' takes a default away.")));
}

/* The default of epsilon and the least number of units, from this argument on, checked, as values. */
static void
read_wishes(FunctionCallInfo fcinfo, int first, Datum *values, char *nulls)
{
	if (!PG_ARGISNULL(first) && !(isinf(PG_GETARG_FLOAT8(first)) && PG_GETARG_FLOAT8(first) > 0))
		check_default(PG_GETARG_FLOAT8(first));
	if (!PG_ARGISNULL(first + 1) && PG_GETARG_INT32(first + 1) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_units %d is no limit", PG_GETARG_INT32(first + 1)),
				 errdetail("It must be at least 0."),
				 errhint("0 takes a limit away.")));
	values[0] = PG_GETARG_DATUM(first);
	nulls[0] = PG_ARGISNULL(first) ? 'n' : ' ';
	values[1] = PG_GETARG_DATUM(first + 1);
	nulls[1] = PG_ARGISNULL(first + 1) ? 'n' : ' ';
}

/* Until the ledger is acknowledged relations and roles are known by the OIDs that they had elsewhere. */
static void
write_limits(DpsStatement *statement, Datum *values, const char *nulls)
{
	DpsElevation saved = dps_elevate();

	dps_origin_require();
	dps_ledger_write(statement, values, nulls);
	dps_descend(saved);
}

pg_noreturn static void
refuse_role(Oid relation, Oid role, bool of_entity)
{
	const char *name = GetUserNameFromId(role, true);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("role \"%s\" has no budget on %s \"%s\"", name != NULL ? name : psprintf("%u", role),
					of_entity ? "entity" : "relation", get_rel_name(relation)),
			 errhint("Grant one with %s.", of_entity ? "dpsens.grant_entity_budget()" : "dpsens.grant_budget()")));
}

/* Of its budget on the relation, or on it as an entity, which has no policy of a relation to override. */
static void
set_role(FunctionCallInfo fcinfo, Oid relation, Oid role, bool of_entity, int first, int wishes)
{
	NameData	kind;
	Datum		values[] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(role), 0, 0, 0, 0, 0, of_entity ? 0 : PG_GETARG_DATUM(7),
		NameGetDatum(&kind), 0, 0, PG_GETARG_DATUM(wishes + 2)};
	char		nulls[] = "            ";
	uint64		changed;

	namestrcpy(&kind, of_entity ? DPS_ENTITY_NAME : "");
	read_limits(fcinfo, first, &values[2], &nulls[2]);
	nulls[7] = of_entity || PG_ARGISNULL(7) ? 'n' : ' ';
	read_wishes(fcinfo, wishes, &values[9], &nulls[9]);
	nulls[11] = PG_ARGISNULL(wishes + 2) ? 'n' : ' ';
	dps_ledger_budget_changed();
	SPI_connect();
	write_limits(&update_role, values, nulls);
	changed = SPI_processed;
	SPI_finish();
	if (changed == 0)
		refuse_role(relation, role, of_entity);
}

static void
set_relation(FunctionCallInfo fcinfo, Oid relation, bool is_entity, int first, int wishes)
{
	DpsRelationNames names;
	NameData	setter;
	Datum		values[13];
	char		nulls[] = "             ";

	dps_relation_names(relation, &names);
	namestrcpy(&setter, GetUserNameFromId(GetUserId(), false));
	values[0] = ObjectIdGetDatum(relation);
	values[1] = NameGetDatum(&names.schema);
	values[2] = NameGetDatum(&names.name);
	values[3] = NameGetDatum(&names.owner);
	values[4] = BoolGetDatum(is_entity);
	read_limits(fcinfo, first, &values[5], &nulls[5]);
	values[10] = NameGetDatum(&setter);
	read_wishes(fcinfo, wishes, &values[11], &nulls[11]);
	dps_ledger_budget_changed();
	SPI_connect();
	write_limits(&replace_policy, values, nulls);
	SPI_finish();
}

/* Whose tables a role may use beside the relation its budget says. */
static void
refuse_own_tables(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("own_tables is said of a role"),
			 errdetail("Whoever may read the relation may use any table beside it, and nobody else asks without a budget."),
			 errhint("Name the role.")));
}

/* set_policy(relation, role, epsilon, delta, statement_epsilon, statement_delta, mechanisms, overrides, default_epsilon,
 * min_units, own_tables) */
Datum
dps_set_policy(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_budget_relation(fcinfo, "dpsens.set_policy()");
	DpsChange	change = dps_change_begin("set_policy", relation);

	dps_refuse_null(fcinfo, 1, "role");
	if (!OidIsValid(PG_GETARG_OID(1)) && !PG_ARGISNULL(7))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the policy of a relation overrides nothing"),
				 errdetail("That of a role can take its place: for this role alone."),
				 errhint("Name the role.")));
	if (OidIsValid(PG_GETARG_OID(1)))
		set_role(fcinfo, relation, PG_GETARG_OID(1), false, 2, 8);
	else if (!PG_ARGISNULL(10))
		refuse_own_tables();
	else
		set_relation(fcinfo, relation, false, 2, 8);
	dps_change_end(&change);
	PG_RETURN_VOID();
}

/* Which answers the policy is about follows from foreign keys, which the owner may not have in mind. */
static void
tell_relations(Oid entity)
{
	Datum		values[1] = {ObjectIdGetDatum(entity)};
	DpsElevation saved;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_run(&read_relations, values, NULL);
	dps_descend(saved);
	ereport(NOTICE,
			(errmsg("the policy of entity \"%s\" is that of answers about its persons in %s", get_rel_name(entity),
					TextDatumGetCString(dps_statement_value(0, 1)))));
	SPI_finish();
}

/* set_entity_policy(entity, epsilon, delta, statement_epsilon, statement_delta, mechanisms, role, default_epsilon, min_units,
 * own_tables) */
Datum
dps_set_entity_policy(PG_FUNCTION_ARGS)
{
	Oid			entity = dps_budget_relation(fcinfo, "dpsens.set_entity_policy()");
	DpsChange	change = dps_change_begin("set_entity_policy", entity);

	dps_refuse_null(fcinfo, 6, "role");
	if (OidIsValid(PG_GETARG_OID(6)))
		set_role(fcinfo, entity, PG_GETARG_OID(6), true, 1, 7);
	else if (!PG_ARGISNULL(9))
		refuse_own_tables();
	else
	{
		tell_relations(entity);
		set_relation(fcinfo, entity, true, 1, 7);
	}
	dps_change_end(&change);
	PG_RETURN_VOID();
}

/*
 * sql_entity_budget.c
 *		dpsens.set_entity_budget, by which owners cap what is told of one person in all relations whose units refer to
 *		theirs, dpsens.grant_entity_budget, which caps it for a role, and functions that views are made of.
 *
 * The setters write the ledger's budgets as set_budget does (sql_budget.c), for the relation's owner alone.  The others
 * read labels and constraints, which are public, and their arguments.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/owner.h"
#include "glue/version.h"
#include "ledger/authority.h"
#include "ledger/budget/budget.h"
#include "ledger/column_budget.h"
#include "ledger/cost.h"
#include "ledger/entity.h"
#include "ledger/journal/change.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_set_entity_budget);
DPS_SQL_FUNCTION(dps_grant_entity_budget);
DPS_SQL_FUNCTION(dps_revoke_entity_budget);
DPS_SQL_FUNCTION(dps_entities_of_relation);
DPS_SQL_FUNCTION(dps_why_not_entity);
DPS_SQL_FUNCTION(dps_sees_entity);
DPS_SQL_FUNCTION(dps_entity_history);
DPS_SQL_FUNCTION(dps_charge_of_person);
DPS_SQL_FUNCTION(dps_has_paid);
DPS_SQL_FUNCTION(dps_is_served);
DPS_SQL_FUNCTION(dps_sql_entity_opens);

/* Relations that are of the entity, or refer to it by any column, and are protected. */
static DpsStatement read_referrers = {
	.text = "SELECT l.objoid, $1 OPERATOR(pg_catalog.=) ANY (dpsens_internal.entities_of(l.objoid)) FROM pg_catalog.pg_seclabel l"
	" JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) l.objoid AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}')"
	" WHERE l.provider OPERATOR(pg_catalog.=) 'dpsens' AND l.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
	" AND l.objsubid OPERATOR(pg_catalog.=) 0 AND l.label OPERATOR(pg_catalog.~*) '^\\s*protected'"
	" AND ($1 OPERATOR(pg_catalog.=) ANY (dpsens_internal.entities_of(l.objoid)) OR EXISTS (SELECT FROM pg_catalog.pg_constraint k"
	" WHERE k.conrelid OPERATOR(pg_catalog.=) l.objoid AND k.contype OPERATOR(pg_catalog.=) 'f' AND k.confrelid OPERATOR(pg_catalog.=) $1))"
	" ORDER BY l.objoid OPERATOR(pg_catalog.<>) $1, c.relname, l.objoid",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement read_history = {
	.text = "SELECT " DPS_COLUMN_SUM("1") ", " DPS_COLUMN_SUM("2") ", " DPS_COLUMN_SUM("3") " FROM dpsens_internal.person_costs c"
	" WHERE $1 OPERATOR(pg_catalog.=) ANY (c.entities) OR c.relation OPERATOR(pg_catalog.=) ANY (" DPS_CHARGED_OF_ENTITY ")",
	.nargs = 1, .argtypes = {OIDOID}
};

/* Of a role, in the period that has not ended; as the ledger's worker begins its purse (charge/accounts.c). */
static DpsStatement read_role_history = {
	.text = "SELECT " DPS_COLUMN_SUM("1") ", " DPS_COLUMN_SUM("2") ", " DPS_COLUMN_SUM("3") " FROM dpsens_internal.person_costs c"
	" JOIN dpsens.release r ON r.release OPERATOR(pg_catalog.=) c.release"
	" WHERE " DPS_IN_PERIOD("r.released_at", "$3", "$4")
	" AND (r.role OPERATOR(pg_catalog.=) $2 OR r.purse_role OPERATOR(pg_catalog.=) $2 OR " DPS_PAID_BY("r", "$1", "$2") ")"
	" AND ($1 OPERATOR(pg_catalog.=) ANY (r.entities) OR r.relation OPERATOR(pg_catalog.=) ANY (" DPS_CHARGED_OF_ENTITY ")"
	" AND NOT EXISTS (SELECT 1 FROM dpsens.purse p WHERE p.relation OPERATOR(pg_catalog.=) $1"
	" AND p.role OPERATOR(pg_catalog.=) '0'::pg_catalog.oid AND p.column_name OPERATOR(pg_catalog.=) '" DPS_ENTITY_NAME "'))",
	.nargs = 4, .argtypes = {OIDOID, OIDOID, INTERVALOID, TIMESTAMPTZOID}
};

static DpsStatement find_audit = {
	.text = "SELECT FROM dpsens_internal.audited a WHERE a.relation OPERATOR(pg_catalog.=) $1",
	.nargs = 1, .argtypes = {OIDOID}
};

pg_noreturn static void
refuse(Oid entity, const char *why, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" cannot have the budget of an entity", get_rel_name(entity)),
			 errdetail("%s", why),
			 errhint("%s", hint)));
}

static void
check_entity(Oid entity)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(entity, &annotation);
	if (!dps_has_unit(&annotation) || annotation.unit_by_reference)
		refuse(entity, "Its unit is no column of its own, to which units of other relations could refer.",
			   "Declare its key as the unit with dpsens.protect(), unit => 'key'.");
	if (!annotation.unit_is_unique)
		refuse(entity, "No unique index proves that each of its units has one row.",
			   "Set the budget of the relation whose rows are the persons, to which the units of the others refer.");
	if (annotation.adjacency != DPS_ADD_REMOVE && annotation.adjacency != DPS_REPLACE)
		refuse(entity, "Its adjacency is about single cells or distances, and not about persons.",
			   "Protect it with adjacency add_remove or replace.");
}

/* A relation of somebody else's is no reason to refuse the budget: there are no answers about it. */
static void
check_relation(Oid relation, Oid entity)
{
	const char *why = dps_why_not_of_entity(relation, entity);
	int			level = dps_owns_relation(relation, GetUserId()) ? ERROR : WARNING;

	if (why != NULL)
		ereport(level,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot share the budget of entity \"%s\"", get_rel_name(relation), get_rel_name(entity)),
				 errdetail("%s", why),
				 errhint("Declare it with dpsens.protect() so that its units and its adjacency are the entity's, or with another unit.")));
}

static void
warn_of_stranger(Oid relation, Oid entity)
{
	ereport(WARNING,
			(errmsg("relation \"%s\" refers to entity \"%s\", but not by its unit", get_rel_name(relation), get_rel_name(entity)),
			 errdetail("What is told of it is not charged to the entity."),
			 errhint("If its rows belong to the same persons, say so with dpsens.protect(), unit => that column.")));
}

/* Checks the relations of the entity, and says which they are. */
static void
check_relations(Oid entity)
{
	Datum		values[1] = {ObjectIdGetDatum(entity)};
	StringInfoData names;
	DpsElevation saved;
	uint64		i;

	initStringInfo(&names);
	SPI_connect();
	saved = dps_elevate();
	dps_statement_run(&read_referrers, values, NULL);
	dps_descend(saved);
	for (i = 0; i < SPI_processed; i++)
	{
		Oid			relation = DatumGetObjectId(dps_statement_value(i, 1));

		if (!DatumGetBool(dps_statement_value(i, 2)))
			warn_of_stranger(relation, entity);
		else
		{
			check_relation(relation, entity);
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", quote_identifier(get_rel_name(relation)));
		}
	}
	ereport(NOTICE,
			(errmsg("the budget of entity \"%s\" is that of its persons in %s", get_rel_name(entity), names.data)));
	SPI_finish();
}

/* set_entity_budget(entity, epsilon, delta, rho) */
Datum
dps_set_entity_budget(PG_FUNCTION_ARGS)
{
	Oid			entity = dps_budget_relation(fcinfo, "dpsens.set_entity_budget()");
	DpsStatedBudget stated = {.refresh = NULL};
	DpsBudgetHolder holder = {.relation = entity, .column = DPS_ENTITY_NAME};
	DpsChange	change = dps_change_begin("set_entity_budget", entity);

	dps_budget_read(fcinfo, 1, &stated);
	if (!dps_budget_end(&holder, &stated))
	{
		check_entity(entity);
		check_relations(entity);
		dps_budget_set(&holder, &stated);
	}
	dps_change_end(&change);
	PG_RETURN_VOID();
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/* The names of relations of the entity, of its owner's or of all others', separated by commas; "" if there are none. */
static char *
names_of_relations(Oid entity, bool of_owner)
{
	StringInfoData text;
	List	   *names = NIL;
	ListCell   *cell;

	foreach(cell, dps_relations_of_entity(entity))
	{
		if (dps_entity_opens(entity, dps_relation_owner(entity), lfirst_oid(cell)) == of_owner)
			names = lappend(names, get_rel_name(lfirst_oid(cell)));
	}
	list_sort(names, compare_names);
	initStringInfo(&text);
	foreach(cell, names)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "", quote_identifier(lfirst(cell)));
	return text.data;
}

/* What it opens follows from foreign keys, which the owner may not have in mind. */
static void
tell_opened(Oid entity, Oid role)
{
	char	   *others = names_of_relations(entity, false);

	ereport(NOTICE,
			(errmsg("role \"%s\" may ask about %s", GetUserNameFromId(role, false), names_of_relations(entity, true)),
			 *others != '\0' ? errdetail("About %s it needs budgets by dpsens.grant_budget().", others) : 0));
}

/* grant_entity_budget(entity, role, epsilon, delta, refresh, rho, own_tables) */
Datum
dps_grant_entity_budget(PG_FUNCTION_ARGS)
{
	Oid			entity = dps_budget_relation(fcinfo, "dpsens.grant_entity_budget()");
	Oid			role = dps_budget_role(fcinfo);
	DpsChange	change = dps_change_begin("grant_entity_budget", entity);

	check_entity(entity);
	check_relations(entity);
	tell_opened(entity, role);
	dps_budget_grant(fcinfo, &(DpsBudgetHolder) {entity, role, DPS_ENTITY_NAME});
	dps_change_end(&change);
	PG_RETURN_VOID();
}

/* revoke_entity_budget(entity, role) */
Datum
dps_revoke_entity_budget(PG_FUNCTION_ARGS)
{
	Oid			entity = dps_revoked_relation(fcinfo, "dpsens.revoke_entity_budget()");
	Oid			role = dps_budget_role(fcinfo);
	DpsChange	change = dps_change_begin("revoke_entity_budget", entity);

	if (!dps_budget_take_away(&(DpsBudgetHolder) {entity, role, DPS_ENTITY_NAME}))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no budget on entity \"%s\"", GetUserNameFromId(role, false), get_rel_name(entity))));
	dps_change_end(&change);
	PG_RETURN_VOID();
}

/* ---- views ---- */

/* entities_of(relation) */
Datum
dps_entities_of_relation(PG_FUNCTION_ARGS)
{
	List	   *found;
	Datum	   *entities;
	ListCell   *cell;
	int			n = 0;

	/* of a relation that is gone nothing is known */
	if (get_rel_relkind(PG_GETARG_OID(0)) == '\0')
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(OIDOID));
	found = dps_entities_of(PG_GETARG_OID(0));
	entities = palloc(sizeof(Datum) * list_length(found));
	foreach(cell, found)
		entities[n++] = ObjectIdGetDatum(lfirst_oid(cell));
	PG_RETURN_ARRAYTYPE_P(construct_array(entities, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/* why_not_of_entity(relation, entity) */
Datum
dps_why_not_entity(PG_FUNCTION_ARGS)
{
	const char *why = dps_why_not_of_entity(PG_GETARG_OID(0), PG_GETARG_OID(1));

	if (why == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(why));
}

/* Is it the role's, may it read a column of it, or has it a budget on it? */
static bool
has_to_do_with(Oid role, Oid relation)
{
	return dps_owns_relation(relation, role) || pg_class_aclcheck(relation, role, ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relation, role, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK || dps_has_budget(relation, role);
}

static bool
sees_entity(Oid entity, Oid role)
{
	ListCell   *cell;

	foreach(cell, dps_relations_of_entity(entity))
	{
		if (has_to_do_with(role, lfirst_oid(cell)))
			return true;
	}
	return false;
}

/* sees_entity(entity) */
Datum
dps_sees_entity(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(sees_entity(PG_GETARG_OID(0), GetUserId()));
}

/* As the views that show it: the owner and auditors of the entity see all of it; of everybody's together who has to do
 * with it, and of a role's who is a member. */
static bool
sees_history(Oid entity, Oid role)
{
	Datum		values[1] = {ObjectIdGetDatum(entity)};
	bool		audits;

	if (dps_owns_relation(entity, GetUserId()) ||
		(OidIsValid(role) ? is_member_of_role(GetUserId(), role) : sees_entity(entity, GetUserId())))
		return true;
	SPI_connect();
	dps_statement_read(&find_audit, values, NULL);
	audits = SPI_processed > 0;
	SPI_finish();
	return audits;
}

/* entity_history(entity, role, refresh) */
Datum
dps_entity_history(PG_FUNCTION_ARGS)
{
	Datum		values[4] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2), TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())};
	DpsElevation saved;
	DpsCost		cost;
	bool		of_role;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	of_role = OidIsValid(PG_GETARG_OID(1));
	/* who has a budget of one role sees no more of that of all */
	if (!(of_role ? dps_has_entity_budget(PG_GETARG_OID(0)) : dps_has_entity_budget_of_all(PG_GETARG_OID(0))) ||
		!sees_history(PG_GETARG_OID(0), PG_GETARG_OID(1)))
		PG_RETURN_NULL();
	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(of_role ? &read_role_history : &read_history, values, of_role && PG_ARGISNULL(2) ? "  n " : NULL);
	cost = (DpsCost) {DatumGetInt64(dps_statement_value(0, 1)), DatumGetInt64(dps_statement_value(0, 2)),
		DatumGetInt64(dps_statement_value(0, 3))};
	dps_descend(saved);
	SPI_finish();
	PG_RETURN_DATUM(dps_cost_array(&cost));
}

/* The OIDs of an array, which may be none. */
static Datum *
oids_of(ArrayType *array, int *n)
{
	Datum	   *oids;

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the array must have one dimension and no nulls")));
	deconstruct_array(array, OIDOID, sizeof(Oid), true, TYPALIGN_INT, &oids, NULL, n);
	return oids;
}

/* has_paid(payer_entities, payer_roles, entity, role): are both in the same place? */
Datum
dps_has_paid(PG_FUNCTION_ARGS)
{
	int			n;
	int			m;
	Datum	   *entities = oids_of(PG_GETARG_ARRAYTYPE_P(0), &n);
	Datum	   *roles = oids_of(PG_GETARG_ARRAYTYPE_P(1), &m);
	int			i;

	for (i = 0; i < Min(n, m); i++)
	{
		if (DatumGetObjectId(entities[i]) == PG_GETARG_OID(2) && DatumGetObjectId(roles[i]) == PG_GETARG_OID(3))
			PG_RETURN_BOOL(true);
	}
	PG_RETURN_BOOL(false);
}

/* is_served(relation): does a budget of the current role, or of a group of its, let it ask about the relation? */
Datum
dps_is_served(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dps_has_budget(PG_GETARG_OID(0), GetUserId()));
}

/* entity_opens(entity, agreed_owner, relation) */
Datum
dps_sql_entity_opens(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dps_entity_opens(PG_GETARG_OID(0), PG_GETARG_OID(1), PG_GETARG_OID(2)));
}

/* charge_of_person(charge, arms) */
Datum
dps_charge_of_person(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int32		arms = PG_GETARG_INT32(1);
	Datum	   *amounts;
	DpsCost		cost;
	int			n;

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the array must have one dimension and no nulls")));
	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &amounts, NULL, &n);
	if (n != 3)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("amounts are given as epsilon, rho and delta, not as %d numbers", n)));
	cost = (DpsCost) {DatumGetInt64(amounts[0]), DatumGetInt64(amounts[1]), DatumGetInt64(amounts[2])};
	cost = dps_arms_cost(&cost, (uint64) Max(arms, 0));
	PG_RETURN_DATUM(dps_cost_array(&cost));
}

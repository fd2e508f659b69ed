/*
 * sql_budget.c
 *		SQL functions by which curators set budgets.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "account/at_order.h"
#include "account/capped.h"
#include "account/filter.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/label/role_label.h"
#include "glue/label/undistributed.h"
#include "glue/owner.h"
#include "glue/settings.h"
#include "glue/version.h"
#include "ledger/budget/budget.h"
#include "ledger/column_budget.h"
#include "ledger/cost.h"
#include "ledger/entity.h"
#include "ledger/identity.h"
#include "ledger/charge/failures.h"
#include "ledger/journal/change.h"
#include "ledger/keep.h"
#include "ledger/ledger.h"
#include "ledger/charge/names.h"
#include "ledger/origin.h"
#include "ledger/rows/row_accounts.h"
#include "ledger/rows/standing.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_grant_budget);
DPS_SQL_FUNCTION(dps_set_budget);
DPS_SQL_FUNCTION(dps_revoke_budget);
DPS_SQL_FUNCTION(dps_revoke_relation_budget);
DPS_SQL_FUNCTION(dps_acknowledge_restore);

static DpsStatement delete_budget = {
	.text = "DELETE FROM dpsens.budget AS b WHERE b.role OPERATOR(pg_catalog.=) $5"
	" AND b.column_name OPERATOR(pg_catalog.=) $6 AND " DPS_SAME_RELATION("b"),
	.nargs = 6, .argtypes = {DPS_IDENTITY_TYPES, OIDOID, NAMEOID}
};

/* Takes the place of the budget that there is; the limits of its answers stay. */
static DpsStatement replace_budget = {
	.text = "WITH former AS (DELETE FROM dpsens.budget AS b WHERE b.role OPERATOR(pg_catalog.=) $5"
	" AND b.column_name OPERATOR(pg_catalog.=) $6 AND " DPS_SAME_RELATION("b") " RETURNING b.*)"
	" INSERT INTO dpsens.budget (relation, relation_schema, relation_name, relation_owner, role, column_name, role_name,"
	" epsilon, delta, rho, cap_epsilon, cap_rho, cap_delta, refresh, granted_by, own_tables,"
	" answer_epsilon, answer_delta, statement_epsilon, statement_delta, mechanisms, overrides_policy, renyi_order,"
	" agreed_owner, agreed_owner_name, default_epsilon, min_units)"
	" SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,"
	" COALESCE(l.answer_epsilon, $17), COALESCE(l.answer_delta, 'Infinity'), COALESCE(l.statement_epsilon, 'Infinity'),"
	" COALESCE(l.statement_delta, 'Infinity'), l.mechanisms, COALESCE(l.overrides_policy, false), $18, $19, $20, l.default_epsilon, l.min_units FROM (SELECT 1) one LEFT JOIN (SELECT f.* FROM former f"
	" WHERE f.role_name OPERATOR(pg_catalog.=) $7 ORDER BY f.relation OPERATOR(pg_catalog.=) $1 DESC, f.granted_at DESC LIMIT 1) l ON true",
	.nargs = 20,
	.argtypes = {DPS_IDENTITY_TYPES, OIDOID, NAMEOID, NAMEOID, FLOAT8OID, FLOAT8OID, FLOAT8OID,
	INT8OID, INT8OID, INT8OID, INTERVALOID, NAMEOID, BOOLOID, FLOAT8OID, FLOAT8OID, OIDOID, NAMEOID}
};

static void
check_owner(Oid relation)
{
	dps_check_annotatable(relation, 0);
	if (!dps_owns_relation(relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)),
					   get_rel_name(relation));
}

/* The relation of the first argument, locked so that it is not dropped and curators change it one after
 * the other.  Ownership is checked first, so that strangers cannot lock it. */
Oid
dps_revoked_relation(FunctionCallInfo fcinfo, const char *function)
{
	DpsRelationAnnotation annotation;
	Oid			relation;

	PreventCommandIfReadOnly(function);
	dps_refuse_null(fcinfo, 0, "relation");
	relation = PG_GETARG_OID(0);
	check_owner(relation);
	LockRelationOid(relation, ShareUpdateExclusiveLock);
	check_owner(relation);
	dps_get_protected_annotation(relation, &annotation);
	return relation;
}

/* The same for what grants, and is refused where Citus has the rows. */
Oid
dps_budget_relation(FunctionCallInfo fcinfo, const char *function)
{
	Oid			relation = dps_revoked_relation(fcinfo, function);

	dps_refuse_distributed(relation);
	return relation;
}

Oid
dps_budget_role(FunctionCallInfo fcinfo)
{
	Oid			role;

	dps_refuse_null(fcinfo, 1, "role");
	role = PG_GETARG_OID(1);
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	return role;
}

static void
refuse_number(const char *name, double value, const char *range)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s %g is outside the valid range", name, value),
			 errdetail("It must be %s.", range)));
}

/* What a rule asks of the rest of a budget. */
static void
check_rule(const DpsStatedBudget *stated)
{
	bool		converts = stated->has_epsilon && stated->has_delta && stated->delta > 0;

	if (dps_order_counts(stated->rule) && !converts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a budget that counts by %s needs epsilon and delta", stated->rule < 0 ? "largest_answer" : "gaussian"),
				 errhint("largest_answer => 'Infinity' makes it count as any other.")));
	if (stated->no_selections && stated->has_rho)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a budget of a rho keeps all of its delta for selections")));
	if (stated->rule < 0 && !(stated->epsilon <= DPS_CAPPED_EPSILON_MAX))
		refuse_number("epsilon", stated->epsilon, "at most 128 beside largest_answer");
	if (stated->rule < 0 && !(-stated->rule <= stated->epsilon && stated->epsilon <= DPS_CAPPED_RATIO * -stated->rule))
		refuse_number("largest_answer", -stated->rule, "at most epsilon and at least a 128th of it");
}

/* The caps of a budget of epsilon. */
static DpsStatus
convert(const DpsStatedBudget *stated, DpsBudget *caps)
{
	double		delta = stated->has_delta ? stated->delta : 0;
	double		share = stated->no_selections ? 0 : DPS_DELTA_SHARE;
	DpsArena   *arena;
	DpsStatus	status;

	if (!dps_order_counts(stated->rule))
		return dps_budget_epsilon(stated->epsilon, delta, share, caps);
	arena = dps_server_arena();
	status = dps_budget_by_rule(arena, stated->rule, stated->epsilon, delta, share, caps);
	dps_arena_clear(arena);
	return status;
}

/* The caps of a budget, rounded down. */
static DpsBudget
make_caps(const DpsStatedBudget *stated)
{
	DpsBudget	caps;

	if (stated->has_epsilon == stated->has_rho)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg(stated->has_rho ? "a budget is stated by epsilon or by rho, not by both" :
						"a budget needs epsilon or rho")));
	if (stated->has_epsilon && !(stated->epsilon > 0 && stated->epsilon <= 0x1p20))
		refuse_number("epsilon", stated->epsilon, "greater than 0 and at most 2^20");
	if (stated->has_rho && !(stated->rho > 0 && stated->rho <= 0x1p20))
		refuse_number("rho", stated->rho, "greater than 0 and at most 2^20");
	if (stated->has_delta && !(stated->delta >= 0 && stated->delta < 1))
		refuse_number("delta", stated->delta, "at least 0 and less than 1");
	check_rule(stated);
	if (stated->has_epsilon)
		dps_check_status(convert(stated, &caps));
	else
		dps_check_status(dps_budget_rho(stated->rho, stated->has_delta ? stated->delta : 0, &caps));
	return caps;
}

static void
check_refresh(const Interval *refresh)
{
	Interval	zero = {0};

	if (refresh != NULL &&
		!DatumGetBool(DirectFunctionCall2(interval_gt, IntervalPGetDatum(refresh), IntervalPGetDatum(&zero))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("refresh must be a positive interval")));
}

/* The names that identify a budget, as storage for Datums. */
typedef struct BudgetKey
{
	DpsRelationNames relation;
	NameData	role_name;
	NameData	column;
} BudgetKey;

static void
read_key(const DpsBudgetHolder *holder, BudgetKey *key)
{
	dps_relation_names(holder->relation, &key->relation);
	namestrcpy(&key->role_name, OidIsValid(holder->role) ? GetUserNameFromId(holder->role, false) : "");
	namestrcpy(&key->column, holder->column);
}

static bool
remove_budget(const DpsBudgetHolder *holder, const BudgetKey *key)
{
	Datum		values[6] = {
		ObjectIdGetDatum(holder->relation), NameGetDatum(&key->relation.schema), NameGetDatum(&key->relation.name), NameGetDatum(&key->relation.owner),
		ObjectIdGetDatum(holder->role), NameGetDatum(&key->column)
	};

	dps_ledger_write(&delete_budget, values, NULL);
	return SPI_processed > 0;
}

static void
write_budget(const DpsBudgetHolder *holder, const BudgetKey *key, NameData *granter, const DpsStatedBudget *stated,
		   const DpsBudget *caps)
{
	Datum		values[20];
	char		nulls[] = "                    ";

	values[0] = ObjectIdGetDatum(holder->relation);
	values[1] = NameGetDatum(&key->relation.schema);
	values[2] = NameGetDatum(&key->relation.name);
	values[3] = NameGetDatum(&key->relation.owner);
	values[4] = ObjectIdGetDatum(holder->role);
	values[5] = NameGetDatum(&key->column);
	values[6] = NameGetDatum(&key->role_name);
	values[7] = Float8GetDatum(stated->epsilon);
	nulls[7] = stated->has_epsilon ? ' ' : 'n';
	values[8] = Float8GetDatum(stated->has_delta ? stated->delta : 0);
	values[9] = Float8GetDatum(stated->rho);
	nulls[9] = stated->has_rho ? ' ' : 'n';
	values[10] = Int64GetDatum(caps->epsilon);
	values[11] = Int64GetDatum(caps->rho);
	values[12] = Int64GetDatum(caps->delta);
	values[13] = IntervalPGetDatum(stated->refresh);
	nulls[13] = stated->refresh != NULL ? ' ' : 'n';
	values[14] = NameGetDatum(granter);
	values[15] = BoolGetDatum(stated->own_tables);
	values[16] = Float8GetDatum(dps_setting_answer_epsilon > 0 ? dps_setting_answer_epsilon : INFINITY);
	values[17] = Float8GetDatum(caps->order);
	nulls[17] = dps_order_counts(caps->order) ? ' ' : 'n';
	/* what it opens is what this owner has */
	values[18] = ObjectIdGetDatum(dps_relation_owner(holder->relation));
	values[19] = NameGetDatum(&key->relation.owner);
	nulls[18] = nulls[19] = OidIsValid(holder->role) && dps_is_entity_name(holder->column) ? ' ' : 'n';
	(void) dps_origin_is_here();
	dps_ledger_write(&replace_budget, values, nulls);
}

void
dps_budget_set(const DpsBudgetHolder *holder, DpsStatedBudget *stated)
{
	DpsBudget	caps;
	DpsBudgetNews news = {0};
	BudgetKey	key;
	NameData	granter;
	DpsElevation saved;

	check_refresh(stated->refresh);
	read_key(holder, &key);
	namestrcpy(&granter, GetUserNameFromId(GetUserId(), false));
	dps_ledger_budget_changed();
	SPI_connect();
	saved = dps_elevate();
	dps_budget_complete(holder, stated, &news);
	caps = make_caps(stated);
	dps_budget_tell(holder, &news);
	write_budget(holder, &key, &granter, stated, &caps);
	dps_budget_warn(holder);
	dps_descend(saved);
	SPI_finish();
}

static void
read_number(FunctionCallInfo fcinfo, int argument, bool *has, double *number)
{
	*has = !PG_ARGISNULL(argument);
	*number = *has ? PG_GETARG_FLOAT8(argument) : 0;
}

static void
refuse_both(const char *what, const char *one, const char *other)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s is stated by %s or by %s, not by both", what, one, other)));
}

/* largest_answer, gaussian and selections, from the argument `first` on. */
static void
read_rule(FunctionCallInfo fcinfo, int first, DpsStatedBudget *stated)
{
	bool		has_largest = !PG_ARGISNULL(first);
	bool		has_gaussian = !PG_ARGISNULL(first + 1);
	double		largest = has_largest ? PG_GETARG_FLOAT8(first) : INFINITY;
	bool		gaussian = has_gaussian && PG_GETARG_BOOL(first + 1);

	if (!(largest > 0))
		refuse_number("largest_answer", largest, "greater than 0");
	if (!isinf(largest) && gaussian)
		refuse_both("what a budget counts", "largest_answer", "gaussian");
	stated->has_rule = has_largest || has_gaussian;
	stated->rule = gaussian ? DPS_BY_GAUSSIAN : isinf(largest) ? 0 : -largest;
	stated->has_selections = !PG_ARGISNULL(first + 2);
	stated->no_selections = stated->has_selections && !PG_GETARG_BOOL(first + 2);
}

/* Whoever has a budget is restricted in the whole database (restrict/hidden.h), and so are its members; those of such a role are
 * other people's. */
static void
refuse_predefined_role(Oid role)
{
	const char *name = GetUserNameFromId(role, false);

	if (IsReservedName(name))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("predefined role \"%s\" cannot have a privacy budget", name),
				 errdetail("All its members would be restricted as those are who may ask and not read."),
				 errhint("Grant a budget to a role that was made for it, and that role to those who ask.")));
}

/*
 * A budget restricts the role, and its members, wherever they are (guard/restrict/hidden.c), which is no owner's of any table
 * to decide where dpsens.grant_to_any_role is off: who may give others the role may restrict those who have it.  A member
 * may not: it would restrict the others.
 */
static void
refuse_other_role(Oid role)
{
	const char *name = GetUserNameFromId(role, false);

	if (dps_setting_grant_to_any_role || superuser() || is_admin_of_role(GetUserId(), role))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied to grant a privacy budget to role \"%s\"", name),
			 errdetail("It would be restricted as those are who may ask and not read, and dpsens.grant_to_any_role is off."),
			 errhint("GRANT %s TO %s WITH ADMIN OPTION by somebody who may, or a superuser's grant of the budget, allows it.",
					 quote_identifier(name), quote_identifier(GetUserNameFromId(GetUserId(), false)))));
}

void
dps_budget_grant(FunctionCallInfo fcinfo, const DpsBudgetHolder *holder)
{
	DpsStatedBudget stated = {
		.refresh = PG_ARGISNULL(4) ? NULL : PG_GETARG_INTERVAL_P(4),
		.has_own_tables = !PG_ARGISNULL(6),
		.own_tables = !PG_ARGISNULL(6) && PG_GETARG_BOOL(6)
	};

	refuse_predefined_role(holder->role);
	refuse_other_role(holder->role);
	read_number(fcinfo, 2, &stated.has_epsilon, &stated.epsilon);
	read_number(fcinfo, 3, &stated.has_delta, &stated.delta);
	read_number(fcinfo, 5, &stated.has_rho, &stated.rho);
	if (PG_NARGS() > 9)
		read_rule(fcinfo, 7, &stated);
	dps_mark_role(holder->role);
	dps_budget_set(holder, &stated);
}

/* grant_budget(relation, role, epsilon, delta, refresh, rho, own_tables, largest_answer, gaussian, selections) */
Datum
dps_grant_budget(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_budget_relation(fcinfo, "dpsens.grant_budget()");
	Oid			role = dps_budget_role(fcinfo);
	DpsChange	change = dps_change_begin("grant_budget", relation);

	dps_budget_grant(fcinfo, &(DpsBudgetHolder) {relation, role, ""});
	dps_change_end(&change);
	dps_tell_of_schema(relation, role);
	PG_RETURN_VOID();
}

static void
set_rows(Oid relation, const DpsStatedRows *stated)
{
	BudgetKey	key;

	read_key(&(DpsBudgetHolder) {relation, InvalidOid, ""}, &key);
	dps_ledger_budget_changed();
	SPI_connect();
	dps_set_rows(relation, &key.relation.schema, &key.relation.name, &key.relation.owner, stated);
	SPI_finish();
}

bool
dps_budget_take_away(const DpsBudgetHolder *holder)
{
	BudgetKey	key;
	DpsElevation saved;
	bool		removed;

	read_key(holder, &key);
	dps_ledger_budget_changed();
	SPI_connect();
	saved = dps_elevate();
	removed = remove_budget(holder, &key);
	dps_descend(saved);
	SPI_finish();
	return removed;
}

/* Tells the curator what becomes of a budget, of which nothing is stated. */
static void
tell_of_standing(const DpsBudgetHolder *holder, bool goes)
{
	DpsBudgetNews news = {0};
	DpsElevation saved;

	SPI_connect();
	saved = dps_elevate();
	if (goes)
		dps_budget_goes(holder, &news);
	else
		dps_budget_stays(holder, &news);
	dps_budget_tell(holder, &news);
	dps_descend(saved);
	SPI_finish();
}

static bool
is_infinite(bool has_one, double one)
{
	return has_one && isinf(one) && one > 0;
}

void
dps_budget_read(FunctionCallInfo fcinfo, int first, DpsStatedBudget *stated)
{
	read_number(fcinfo, first, &stated->has_epsilon, &stated->epsilon);
	read_number(fcinfo, first + 1, &stated->has_delta, &stated->delta);
	read_number(fcinfo, first + 2, &stated->has_rho, &stated->rho);
	if (stated->has_epsilon && stated->has_rho)
		refuse_both("a budget", "epsilon", "rho");
}

bool
dps_budget_end(const DpsBudgetHolder *holder, const DpsStatedBudget *stated)
{
	if (!is_infinite(stated->has_epsilon, stated->epsilon) && !is_infinite(stated->has_rho, stated->rho))
		return false;
	if (stated->has_delta)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a budget that is taken away has no delta")));
	tell_of_standing(holder, true);
	(void) dps_budget_take_away(holder);
	return true;
}

/* Changes what all roles together may spend.  If only a cap for rows is stated, this budget stays as it
 * is. */
static void
change_budget(const DpsBudgetHolder *holder, DpsStatedBudget *stated, bool states_rows)
{
	if (dps_budget_end(holder, stated))
		return;
	if (states_rows && !stated->has_epsilon && !stated->has_delta && !stated->has_rho && !stated->has_rule && !stated->has_selections)
		tell_of_standing(holder, false);
	else
		dps_budget_set(holder, stated);
}

/* Completes the row caps: parts that are not stated stay as they are.  Inside SPI. */
static void
complete_rows(Oid relation, DpsStatedRows *rows, DpsBudgetNews *news)
{
	DpsElevation saved = dps_elevate();

	dps_rows_complete(relation, rows, news);
	dps_descend(saved);
	dps_check_rows(relation, rows);
}

/* set_budget(relation, epsilon, delta, rho, row_epsilon, row_rho, largest_answer, gaussian, selections) */
Datum
dps_set_budget(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_budget_relation(fcinfo, "dpsens.set_budget()");
	DpsStatedBudget stated = {.refresh = NULL};
	DpsStatedRows rows = {0};
	DpsBudgetHolder holder = {relation, InvalidOid, ""};
	DpsBudgetNews news = {0};
	DpsChange	change = dps_change_begin("set_budget", relation);
	bool		states_rows;

	dps_budget_read(fcinfo, 1, &stated);
	read_rule(fcinfo, 6, &stated);
	read_number(fcinfo, 4, &rows.has_epsilon, &rows.epsilon);
	read_number(fcinfo, 5, &rows.has_rho, &rows.rho);
	if (rows.has_epsilon && rows.has_rho)
		refuse_both("the cap of a row", "row_epsilon", "row_rho");
	states_rows = rows.has_epsilon || rows.has_rho;
	SPI_connect();
	complete_rows(relation, &rows, &news);
	change_budget(&holder, &stated, states_rows);
	dps_budget_tell(&holder, &news);
	/* existing row accounts are written again, which repairs triggers that were lost */
	if (states_rows || rows.has_epsilon || rows.has_rho)
		set_rows(relation, &rows);
	SPI_finish();
	dps_change_end(&change);
	PG_RETURN_VOID();
}

static void
take_away_or_refuse(Oid relation, Oid role)
{
	if (dps_budget_take_away(&(DpsBudgetHolder) {relation, role, ""}))
		return;
	if (OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no budget on relation \"%s\"", GetUserNameFromId(role, false), get_rel_name(relation))));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("relation \"%s\" has no budget", get_rel_name(relation))));
}

/* revoke_budget(relation, role) */
Datum
dps_revoke_budget(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_revoked_relation(fcinfo, "dpsens.revoke_budget()");
	DpsChange	change = dps_change_begin("revoke_budget", relation);

	take_away_or_refuse(relation, dps_budget_role(fcinfo));
	dps_change_end(&change);
	PG_RETURN_VOID();
}

/* revoke_budget(relation) */
Datum
dps_revoke_relation_budget(PG_FUNCTION_ARGS)
{
	Oid			relation = dps_revoked_relation(fcinfo, "dpsens.revoke_budget()");
	DpsStatedRows none = {0};
	DpsChange	change = dps_change_begin("revoke_budget", relation);
	bool		has_row_caps;

	SPI_connect();
	has_row_caps = dps_has_row_caps(relation);
	SPI_finish();
	if (has_row_caps)
		(void) dps_budget_take_away(&(DpsBudgetHolder) {relation, InvalidOid, ""});
	else
		take_away_or_refuse(relation, InvalidOid);
	set_rows(relation, &none);
	dps_change_end(&change);
	PG_RETURN_VOID();
}

/* ---- after a restore ---- */

/*
 * In a copy, relations and roles are found again by name: a relation by its schema and
 * name alone, since a restore may have changed the owner.  The OID of one that is not
 * found may belong to another object here, and is replaced by an unused one: a
 * different one for each relation, so that histories stay separate.
 */
#define NOTHING "'4294967295'::pg_catalog.oid"
#define NOTHING_FROM "'4294901760'::pg_catalog.oid"

#define RELATION_CALLED(t) \
	"(SELECT c.oid FROM pg_catalog.pg_class c" \
	" JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace" \
	" WHERE c.relname OPERATOR(pg_catalog.=) " t ".relation_name AND n.nspname OPERATOR(pg_catalog.=) " t ".relation_schema)"

/* The former and the present OID of each relation on which something was spent. */
#define PLACES \
	"WITH places AS MATERIALIZED (SELECT p.relation AS old, p.relation_schema, p.relation_name, p.relation_owner," \
	" COALESCE(" RELATION_CALLED("p") ", (4294967295 OPERATOR(pg_catalog.-) pg_catalog.row_number() OVER" \
	" (ORDER BY p.relation, p.relation_schema, p.relation_name, p.relation_owner))::pg_catalog.oid) AS new" \
	" FROM (SELECT DISTINCT q.relation, q.relation_schema, q.relation_name, q.relation_owner FROM dpsens.purse q) p)"
#define SAME_RELATION_NAMES(x, y) \
	x ".relation_schema OPERATOR(pg_catalog.=) " y ".relation_schema" \
	" AND " x ".relation_name OPERATOR(pg_catalog.=) " y ".relation_name" \
	" AND " x ".relation_owner OPERATOR(pg_catalog.=) " y ".relation_owner"

#define REBIND_RELATION(table) { \
	.text = "UPDATE dpsens." table " AS t SET relation = COALESCE(" RELATION_CALLED("t") ", " NOTHING ")" \
}
/* The former and the present OID of each role that has or had a budget. */
#define ROLES \
	"WITH roles AS MATERIALIZED (SELECT p.role AS old, p.role_name," \
	" COALESCE((SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) p.role_name)," \
	" (4294967295 OPERATOR(pg_catalog.-) pg_catalog.row_number() OVER (ORDER BY p.role, p.role_name))::pg_catalog.oid) AS new" \
	" FROM (SELECT q.role, q.role_name FROM dpsens.purse q UNION SELECT q.role, q.role_name FROM dpsens.budget q) p" \
	" WHERE p.role OPERATOR(pg_catalog.<>) '0'::pg_catalog.oid)"
#define ROLE_OF(role, name) \
	"(SELECT o.new FROM roles o WHERE o.old OPERATOR(pg_catalog.=) " role \
	" ORDER BY o.role_name OPERATOR(pg_catalog.=) " name " DESC LIMIT 1)"

/*
 * Merges duplicates: of budgets the latest one is kept, purses are added up.  Duplicates by name are
 * merged before they get the same key, then duplicates by OID.
 */
#define SAME_COLUMN(x, y) x ".column_name OPERATOR(pg_catalog.=) " y ".column_name"
#define SAME_NAMES(x, y) \
	SAME_RELATION_NAMES(x, y) " AND " x ".role_name OPERATOR(pg_catalog.=) " y ".role_name AND " SAME_COLUMN(x, y)
#define SAME_PLACE(x, y) \
	x ".relation OPERATOR(pg_catalog.=) " y ".relation AND " x ".relation OPERATOR(pg_catalog.<) " NOTHING_FROM \
	" AND " x ".role OPERATOR(pg_catalog.=) " y ".role AND " x ".role OPERATOR(pg_catalog.<>) " NOTHING " AND " SAME_COLUMN(x, y)
#define CAPPED(sum) "LEAST(" sum ", 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8"
#define ADDED(column) \
	column " = " CAPPED("k." column "::pg_catalog.numeric OPERATOR(pg_catalog.+) lost." column)
#define IS_LATER_BUDGET \
	" AND (k.granted_at OPERATOR(pg_catalog.>) b.granted_at OR k.granted_at OPERATOR(pg_catalog.=) b.granted_at" \
	" AND k.ctid OPERATOR(pg_catalog.>) b.ctid)"
/* The limits of answers become the strictest: the latest budget may have been granted before it was known which the
 * former one is. */
#define EARLIER_ONES(same) " FROM dpsens.budget b WHERE " same("k", "b") IS_LATER_BUDGET ")"
#define LEAST_OF(column, same) column " = LEAST(k." column ", (SELECT pg_catalog.min(b." column ")" EARLIER_ONES(same) ")"
#define UNITE_LIMITS(same) { \
	.text = "UPDATE dpsens.budget k SET " LEAST_OF("answer_epsilon", same) ", " LEAST_OF("answer_delta", same) ", " \
	LEAST_OF("statement_epsilon", same) ", " LEAST_OF("statement_delta", same) ", " LEAST_OF("default_epsilon", same) "," \
	" min_units = GREATEST(k.min_units, (SELECT pg_catalog.max(b.min_units)" EARLIER_ONES(same) ")," \
	" mechanisms = COALESCE(k.mechanisms, (SELECT b.mechanisms FROM dpsens.budget b WHERE " same("k", "b") IS_LATER_BUDGET \
	" AND b.mechanisms IS NOT NULL ORDER BY b.granted_at DESC, b.ctid DESC LIMIT 1))," \
	" overrides_policy = k.overrides_policy AND NOT EXISTS (SELECT 1 FROM dpsens.budget b WHERE " same("k", "b") IS_LATER_BUDGET \
	" AND NOT b.overrides_policy)" \
	" WHERE EXISTS (SELECT 1" EARLIER_ONES(same) \
}
#define UNITE_BUDGETS(same) { \
	.text = "DELETE FROM dpsens.budget b USING dpsens.budget k WHERE " same("k", "b") \
	IS_LATER_BUDGET \
}
#define UNITE_PURSES(same) { \
	.text = "WITH gone AS (DELETE FROM dpsens.purse p WHERE EXISTS (SELECT 1 FROM dpsens.purse k WHERE " same("k", "p") \
	" AND k.ctid OPERATOR(pg_catalog.>) p.ctid) RETURNING p.*)," \
	" lost AS (SELECT g.relation, g.role, g.relation_schema, g.relation_name, g.relation_owner, g.role_name, g.column_name," \
	" pg_catalog.min(g.period_start) OVER same AS period_start, pg_catalog.sum(g.spent_epsilon) OVER same AS spent_epsilon," \
	" pg_catalog.sum(g.spent_rho) OVER same AS spent_rho, pg_catalog.sum(g.spent_delta) OVER same AS spent_delta," \
	" pg_catalog.sum(g.charges) OVER same AS charges, pg_catalog.sum(g.spent_renyi) OVER same AS spent_renyi," \
	" CASE WHEN pg_catalog.min(g.renyi_order) OVER same OPERATOR(pg_catalog.=) pg_catalog.max(g.renyi_order) OVER same" \
	" AND pg_catalog.count(g.renyi_order) OVER same OPERATOR(pg_catalog.=) pg_catalog.count(*) OVER same" \
	" THEN pg_catalog.max(g.renyi_order) OVER same END AS renyi_order FROM gone g WINDOW same AS (PARTITION BY " same##_KEY("g") "))" \
	" UPDATE dpsens.purse k SET period_start = LEAST(k.period_start, lost.period_start), " ADDED("spent_epsilon") ", " \
	ADDED("spent_rho") ", " ADDED("spent_delta") ", " ADDED("charges") ", " DPS_ADD_AT_ORDER("lost") \
	" FROM lost WHERE " same("k", "lost") \
	" AND NOT EXISTS (SELECT 1 FROM dpsens.purse o WHERE " same("o", "k") " AND o.ctid OPERATOR(pg_catalog.>) k.ctid)" \
}
#define SAME_NAMES_KEY(t) t ".relation_schema, " t ".relation_name, " t ".relation_owner, " t ".role_name, " t ".column_name"
#define SAME_PLACE_KEY(t) t ".relation, " t ".role, " t ".column_name"

/* Finds releases that two purses claim by OID, neither by name, or two entities: they have no names there. */
static DpsStatement find_doubtful = {
	.text = PLACES " SELECT pg_catalog.format('%I.%I', r.relation_schema, r.relation_name) FROM dpsens.release r"
	" WHERE (SELECT pg_catalog.count(*) FROM places o WHERE o.old OPERATOR(pg_catalog.=) r.relation) OPERATOR(pg_catalog.>) 1"
	" AND NOT EXISTS (SELECT 1 FROM places o WHERE o.old OPERATOR(pg_catalog.=) r.relation AND " SAME_RELATION_NAMES("o", "r") ")"
	" OR EXISTS (SELECT 1 FROM pg_catalog.unnest(r.entities) e(entity) WHERE (SELECT pg_catalog.count(*) FROM places o"
	" WHERE o.old OPERATOR(pg_catalog.=) e.entity) OPERATOR(pg_catalog.>) 1)"
	" LIMIT 1"
};

static DpsStatement rebinding[] = {
	UNITE_LIMITS(SAME_NAMES),
	UNITE_BUDGETS(SAME_NAMES),
	UNITE_PURSES(SAME_NAMES),
	{
		/* releases have the names at the time of the release, purses the last names */
		.text = PLACES " UPDATE dpsens.release AS r SET relation = COALESCE((SELECT o.new FROM places o"
		" WHERE o.old OPERATOR(pg_catalog.=) r.relation ORDER BY (" SAME_RELATION_NAMES("o", "r") ") DESC LIMIT 1), " NOTHING ")"
	},
	{
		/* changes that were recorded since the copy was made have OIDs of this database */
		.text = PLACES " UPDATE dpsens.change AS r SET relation = COALESCE((SELECT o.new FROM places o"
		" WHERE o.old OPERATOR(pg_catalog.=) r.relation AND " SAME_RELATION_NAMES("o", "r") "), " RELATION_CALLED("r") ","
		" (SELECT o.new FROM places o WHERE o.old OPERATOR(pg_catalog.=) r.relation LIMIT 1), " NOTHING ")"
		" WHERE r.relation OPERATOR(pg_catalog.<>) '0'::pg_catalog.oid"
	},
	{
		.text = "UPDATE dpsens.refusal AS r SET relations = ARRAY(SELECT COALESCE(pg_catalog.to_regclass(n.name)::pg_catalog.oid, " NOTHING ")"
		" FROM pg_catalog.unnest(r.relation_names) n(name))"
	},
	{
		.text = PLACES " UPDATE dpsens.release AS r SET entities = ARRAY(SELECT COALESCE((SELECT o.new FROM places o"
		" WHERE o.old OPERATOR(pg_catalog.=) e.entity), " NOTHING ") FROM pg_catalog.unnest(r.entities) e(entity))"
		" WHERE r.entities IS NOT NULL"
	},
	{
		/* beside each of them stands a role */
		.text = PLACES " UPDATE dpsens.release AS r SET payer_entities = ARRAY(SELECT COALESCE((SELECT o.new FROM places o"
		" WHERE o.old OPERATOR(pg_catalog.=) e.entity), " NOTHING ") FROM pg_catalog.unnest(r.payer_entities) WITH ORDINALITY e(entity, place)"
		" ORDER BY e.place) WHERE r.payer_entities IS NOT NULL"
	},
	{
		.text = PLACES " UPDATE dpsens.purse AS p SET relation = o.new FROM places o"
		" WHERE o.old OPERATOR(pg_catalog.=) p.relation AND " SAME_RELATION_NAMES("o", "p")
	},
	REBIND_RELATION("budget"),
	REBIND_RELATION("row_account"),
	{
		/* several of one relation become the strictest of them */
		.text = "WITH gone AS (DELETE FROM dpsens.policy AS p RETURNING p.*),"
		" found AS (SELECT COALESCE(" RELATION_CALLED("g") ", " NOTHING ") AS place, g.* FROM gone g)"
		" INSERT INTO dpsens.policy (relation, relation_schema, relation_name, relation_owner, entity, epsilon, delta,"
		" statement_epsilon, statement_delta, mechanisms, set_by, set_at, default_epsilon, min_units)"
		" SELECT f.place, f.relation_schema, f.relation_name, pg_catalog.min(f.relation_owner::pg_catalog.text), f.entity,"
		" pg_catalog.min(f.epsilon), pg_catalog.min(f.delta), pg_catalog.min(f.statement_epsilon), pg_catalog.min(f.statement_delta),"
		" (SELECT m.mechanisms FROM found m WHERE m.place OPERATOR(pg_catalog.=) f.place"
		" AND m.relation_schema OPERATOR(pg_catalog.=) f.relation_schema AND m.relation_name OPERATOR(pg_catalog.=) f.relation_name"
		" AND m.entity OPERATOR(pg_catalog.=) f.entity AND m.mechanisms IS NOT NULL ORDER BY m.set_at DESC LIMIT 1),"
		" pg_catalog.max(f.set_by::pg_catalog.text), pg_catalog.max(f.set_at), pg_catalog.min(f.default_epsilon), pg_catalog.max(f.min_units)"
		" FROM found f"
		" GROUP BY f.place, f.relation_schema, f.relation_name, f.entity"
	},
	{
		/* transaction numbers have begun again in this cluster */
		.text = "UPDATE dpsens.frozen_loss AS f SET changed_by = 0 WHERE NOT EXISTS"
		" (SELECT 1 FROM dpsens.release r JOIN dpsens.row_account a ON a.relation OPERATOR(pg_catalog.=) r.relation"
		" WHERE a.account OPERATOR(pg_catalog.=) f.account AND r.release OPERATOR(pg_catalog.>) f.release"
		" AND r.oldest_change OPERATOR(pg_catalog.<=) f.changed_by)"
	},
	{
		/* a dump of 0.1.0 has whole names of units (rows/unit.c) */
		.text = "UPDATE dpsens.frozen_loss AS f SET unit = pg_catalog.left(f.unit, 64) OPERATOR(pg_catalog.||) ':sha256:' OPERATOR(pg_catalog.||)"
		" pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(f.unit, pg_catalog.getdatabaseencoding())), 'hex')"
		" WHERE pg_catalog.octet_length(f.unit) OPERATOR(pg_catalog.>) 2000"
	},
	{
		.text = ROLES " UPDATE dpsens.release AS t SET purse_role = CASE WHEN t.purse_role IS NOT NULL THEN"
		" COALESCE(" ROLE_OF("t.purse_role", "t.purse_role_name") ", " NOTHING ") END,"
		" role = COALESCE(" ROLE_OF("t.role", "t.role_name") ", (SELECT r.oid FROM pg_catalog.pg_roles r"
		" WHERE r.rolname OPERATOR(pg_catalog.=) t.role_name), " NOTHING ")"
	},
	{
		.text = ROLES " UPDATE dpsens.release AS t SET payer_roles = ARRAY(SELECT COALESCE(" ROLE_OF("e.role", "e.role_name") ", " NOTHING ")"
		" FROM ROWS FROM (pg_catalog.unnest(t.payer_roles), pg_catalog.unnest(t.payer_names)) WITH ORDINALITY e(role, role_name, place)"
		" ORDER BY e.place) WHERE t.payer_roles IS NOT NULL"
	},
	/* in one statement, since roles are looked up in both tables */
	{
		.text = ROLES ", budgets AS (UPDATE dpsens.budget AS t SET role = o.new FROM roles o"
		" WHERE o.old OPERATOR(pg_catalog.=) t.role AND o.role_name OPERATOR(pg_catalog.=) t.role_name)"
		" UPDATE dpsens.purse AS t SET role = o.new FROM roles o"
		" WHERE o.old OPERATOR(pg_catalog.=) t.role AND o.role_name OPERATOR(pg_catalog.=) t.role_name"
	},
	{
		.text = "UPDATE dpsens.budget AS t SET agreed_owner = COALESCE((SELECT r.oid FROM pg_catalog.pg_roles r"
		" WHERE r.rolname OPERATOR(pg_catalog.=) t.agreed_owner_name), " NOTHING ") WHERE t.agreed_owner IS NOT NULL"
	},
	{
		.text = "UPDATE dpsens.failure AS t SET role = COALESCE((SELECT r.oid FROM pg_catalog.pg_roles r"
		" WHERE r.rolname OPERATOR(pg_catalog.=) t.role_name), " NOTHING ")"
	},
	UNITE_LIMITS(SAME_PLACE),
	UNITE_BUDGETS(SAME_PLACE),
	UNITE_PURSES(SAME_PLACE),
	{
		/* periods with different beginnings are merged into one from the earlier beginning */
		.text = "UPDATE dpsens.purse AS k SET spent_epsilon = GREATEST(k.spent_epsilon, " CAPPED("s.epsilon") "),"
		" spent_rho = GREATEST(k.spent_rho, " CAPPED("s.rho") "), spent_delta = GREATEST(k.spent_delta, " CAPPED("s.delta") "),"
		" spent_renyi = GREATEST(k.spent_renyi, " CAPPED("s.renyi") ")"
		" FROM (SELECT p.relation, p.role, pg_catalog.sum(r.charge_epsilon) AS epsilon, pg_catalog.sum(r.charge_rho) AS rho,"
		" pg_catalog.sum(" DPS_RHO_AT_ORDER("p.renyi_order") ") AS renyi,"
		" pg_catalog.sum(r.charge_delta) AS delta FROM dpsens.purse p JOIN dpsens.release r"
		" ON r.relation OPERATOR(pg_catalog.=) p.relation AND r.purse_role OPERATOR(pg_catalog.=) p.role"
		" AND r.released_at OPERATOR(pg_catalog.>=) p.period_start WHERE p.column_name OPERATOR(pg_catalog.=) '' GROUP BY p.relation, p.role) s"
		" WHERE k.relation OPERATOR(pg_catalog.=) s.relation AND k.role OPERATOR(pg_catalog.=) s.role AND k.column_name OPERATOR(pg_catalog.=) ''"
	},
	{
		.text = DPS_COLUMN_PURSES_FOLLOW("")
	},
	{
		/* a dump of 0.1.0 has none */
		.text = "UPDATE dpsens.budget AS b SET renyi_order = dpsens_internal.order_of_budget(b.epsilon, b.delta, b.cap_rho)"
		" WHERE b.renyi_order IS NULL AND b.cap_rho OPERATOR(pg_catalog.>) 0"
	},
};

static DpsStatement read_lost = {
	.text = "SELECT pg_catalog.string_agg(DISTINCT pg_catalog.format('%I.%I of %I', b.relation_schema, b.relation_name,"
	" b.relation_owner) OPERATOR(pg_catalog.||) CASE WHEN b.role_name OPERATOR(pg_catalog.=) '' THEN ''"
	" ELSE pg_catalog.format(' for role %I', b.role_name) END, ', ')"
	" FROM (SELECT relation, role, relation_schema, relation_name, relation_owner, role_name FROM dpsens.budget"
	" UNION ALL SELECT relation, role, relation_schema, relation_name, relation_owner, role_name FROM dpsens.purse"
	" UNION ALL SELECT relation, '0'::pg_catalog.oid, relation_schema, relation_name, relation_owner, '' FROM dpsens.policy) b"
	" WHERE b.role OPERATOR(pg_catalog.>=) " NOTHING_FROM " OR b.relation OPERATOR(pg_catalog.>=) " NOTHING_FROM
};

/* Warns of names that were not found: the relation or role may have another name here. */
static void
warn_of_lost(void)
{
	bool		none;
	Datum		names;

	dps_statement_run(&read_lost, NULL, NULL);
	names = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &none);
	if (none)
		return;
	ereport(WARNING,
			(errmsg("some budgets and what was spent of them belong to nobody in this database"),
			 errdetail("These relations or roles were not found: %s.", TextDatumGetCString(names)),
			 errhint("If one is called otherwise here, give its budget again, less what was spent.")));
}

static void
rebind(void)
{
	Size		i;

	dps_statement_run(&find_doubtful, NULL, NULL);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy ledgers of two databases have been mixed"),
				 errdetail("It cannot be told which relation the releases belong to that were made of %s.",
						   TextDatumGetCString(dps_statement_value(0, 1))),
				 errhint("Restore into a database whose ledger is empty.")));
	for (i = 0; i < lengthof(rebinding); i++)
		dps_statement_run(&rebinding[i], NULL, NULL);
	dps_failures_changed();
	dps_origin_set();
	dps_names_refresh();
}

/* A dump of the database alone does not contain the labels of roles. */
static DpsStatement read_roles = {
	.text = "SELECT b.role FROM dpsens.budget b JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) b.role"
	" GROUP BY b.role ORDER BY b.role"
};

static void
mark_roles(void)
{
	SPITupleTable *table;
	uint64		i;
	bool		isnull;

	dps_statement_run(&read_roles, NULL, NULL);
	table = SPI_tuptable;
	for (i = 0; i < table->numvals; i++)
		dps_mark_role(DatumGetObjectId(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull)));
}

static void
acknowledge(void)
{
	SPI_connect();
	if (dps_origin_is_here())
		ereport(NOTICE,
				(errmsg("the privacy ledger was charged in this database: there is nothing to acknowledge")));
	else
	{
		rebind();
		warn_of_lost();
		dps_change_note(dps_change_actor(), "acknowledge_restore", InvalidOid, "the ledger", NULL, get_database_name(MyDatabaseId));
	}
	mark_roles();
	SPI_finish();
}

/* acknowledge_restore() */
Datum
dps_acknowledge_restore(PG_FUNCTION_ARGS)
{
	PreventCommandIfReadOnly("dpsens.acknowledge_restore()");
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to acknowledge a restore")));
	PG_TRY();
	{
		(void) dps_ledger_let_write(true);
		acknowledge();
	}
	PG_FINALLY();
	{
		(void) dps_ledger_let_write(false);
	}
	PG_END_TRY();
	PG_RETURN_VOID();
}

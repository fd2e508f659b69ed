/*
 * accounts.c
 *		The relations that are charged, what may be spent on them, and what was spent.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/glue.h"
#include "glue/owner.h"
#include "glue/version.h"
#include "ledger/charge/accounts.h"
#include "ledger/charge/failures.h"
#include "ledger/former.h"
#include "ledger/journal/group_history.h"
#include "ledger/column_budget.h"
#include "ledger/entity.h"
#include "ledger/identity.h"
#include "ledger/journal/seal.h"
#include "ledger/keep.h"
#include "ledger/origin.h"
#include "ledger/statement.h"

DPS_SQL_FUNCTION(dps_tell_ledger);

/* The accounts that are remembered, and their memory context. */
static List *known = NIL;
static int	nknown = 0;			/* with their budgets and purses */
static bool is_here = false;
static DpsLedgerNumbers *numbers = NULL;
static MemoryContext known_context = NULL;
static bool is_stale = true;

/* Limits of the accounts, which are searched linearly, and of all remembered
 * entries. */
#define MAX_ACCOUNTS 1024
#define MAX_KNOWN 65536

static DpsStatement read_numbers = {
	.text = "SELECT r.release, r.statement FROM dpsens.release r ORDER BY r.release DESC LIMIT 1"
};

static DpsStatement read_purse = {
	.text = "SELECT p.period_start, p.spent_epsilon, p.spent_rho, p.spent_delta, p.charges, p.xmin,"
	" COALESCE(p.renyi_order, 0), COALESCE(p.spent_renyi, p.spent_rho)"
	" FROM dpsens.purse p WHERE p.relation OPERATOR(pg_catalog.=) $1 AND p.role OPERATOR(pg_catalog.=) $2"
	" AND p.column_name OPERATOR(pg_catalog.=) $3",
	.nargs = 3, .argtypes = {OIDOID, OIDOID, NAMEOID}
};

static DpsStatement read_columns = {
	.text = "SELECT DISTINCT p.column_name FROM dpsens.purse p WHERE p.relation OPERATOR(pg_catalog.=) $1"
	" AND p.column_name OPERATOR(pg_catalog.<>) ''",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement read_history = {
	.text = "SELECT " DPS_COLUMN_SUM("1") ", " DPS_COLUMN_SUM("2") ", " DPS_COLUMN_SUM("3") " FROM dpsens.release r "
	DPS_COLUMN_COST("$2") " WHERE r.relation OPERATOR(pg_catalog.=) $1",
	.nargs = 2, .argtypes = {OIDOID, NAMEOID}
};

static DpsStatement read_counted = {
	.text = "SELECT " DPS_AMOUNT_CAPPED("pg_catalog.sum(" DPS_RHO_AT_ORDER("$4") ")") " FROM dpsens.release r"
	" WHERE r.relation OPERATOR(pg_catalog.=) $1 AND ($2 OPERATOR(pg_catalog.=) '0'::pg_catalog.oid"
	" OR r.purse_role OPERATOR(pg_catalog.=) $2 AND r.released_at OPERATOR(pg_catalog.>=) $3)"
	" HAVING " DPS_AMOUNT_CAPPED("pg_catalog.sum(r.charge_epsilon)") " OPERATOR(pg_catalog.=) $5"
	" AND " DPS_AMOUNT_CAPPED("pg_catalog.sum(r.charge_rho)") " OPERATOR(pg_catalog.=) $6"
	" AND " DPS_AMOUNT_CAPPED("pg_catalog.sum(r.charge_delta)") " OPERATOR(pg_catalog.=) $7",
	.nargs = 7, .argtypes = {OIDOID, OIDOID, TIMESTAMPTZOID, FLOAT8OID, INT8OID, INT8OID, INT8OID}
};

/* The relations that are of an entity now. */
static DpsStatement read_entity_relations = {
	.text = "SELECT e.relation FROM dpsens_internal.entity_relations e WHERE e.entity OPERATOR(pg_catalog.=) $1 ORDER BY e.relation",
	.nargs = 1, .argtypes = {OIDOID}
};

/* The purses name every relation that was charged.  One of 0.1.0 may have united all relations of its statement. */
static DpsStatement mark_entity_history = {
	.text = "UPDATE dpsens.release AS r SET entities = pg_catalog.array_append(r.entities, $1), arms = COALESCE(r.arms, s.relations)"
	" FROM (SELECT o.statement, pg_catalog.count(DISTINCT o.relation)::pg_catalog.int4 AS relations FROM dpsens.release o GROUP BY o.statement) s"
	" WHERE s.statement OPERATOR(pg_catalog.=) r.statement AND r.relation OPERATOR(pg_catalog.=) ANY (" DPS_CHARGED_OF_ENTITY ")"
	" AND NOT COALESCE($1 OPERATOR(pg_catalog.=) ANY (r.entities), false)",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement read_entity_history = {
	.text = "SELECT " DPS_COLUMN_SUM("1") ", " DPS_COLUMN_SUM("2") ", " DPS_COLUMN_SUM("3") " FROM dpsens_internal.person_costs c"
	" WHERE $1 OPERATOR(pg_catalog.=) ANY (c.entities)",
	.nargs = 1, .argtypes = {OIDOID}
};

/* What a role has asked for, or a purse of its has paid for, of what the entity's purse of all has counted. */
static DpsStatement mark_role_history = {
	.text = "UPDATE dpsens.release AS r SET payer_entities = pg_catalog.array_append(r.payer_entities, $1),"
	" payer_roles = pg_catalog.array_append(r.payer_roles, $2), payer_names = pg_catalog.array_append(r.payer_names, $3)"
	" WHERE (r.role OPERATOR(pg_catalog.=) $2 OR r.purse_role OPERATOR(pg_catalog.=) $2)"
	" AND $1 OPERATOR(pg_catalog.=) ANY (r.entities)"
	" AND " DPS_IN_PERIOD("r.released_at", "$4", "$5") " AND NOT " DPS_PAID_BY("r", "$1", "$2"),
	.nargs = 5, .argtypes = {OIDOID, OIDOID, NAMEOID, INTERVALOID, TIMESTAMPTZOID}
};

static DpsStatement read_role_history = {
	.text = "SELECT " DPS_COLUMN_SUM("1") ", " DPS_COLUMN_SUM("2") ", " DPS_COLUMN_SUM("3") ","
	" COALESCE(pg_catalog.min(r.released_at), $4) FROM dpsens_internal.person_costs c"
	" JOIN dpsens.release r ON r.release OPERATOR(pg_catalog.=) c.release"
	" WHERE $1 OPERATOR(pg_catalog.=) ANY (r.entities) AND " DPS_PAID_BY("r", "$1", "$2")
	" AND " DPS_IN_PERIOD("r.released_at", "$3", "$4"),
	.nargs = 4, .argtypes = {OIDOID, OIDOID, INTERVALOID, TIMESTAMPTZOID}
};

static DpsStatement read_budgets = {
	.text = "SELECT DISTINCT ON (b.role, b.column_name) b.role, b.role_name, b.cap_epsilon, b.cap_rho, b.cap_delta, b.refresh, b.column_name,"
	" b.answer_epsilon, b.answer_delta, b.statement_epsilon, b.statement_delta, b.mechanisms, b.min_units,"
	" b.overrides_policy, COALESCE(b.renyi_order, 0), COALESCE(b.agreed_owner, '0'::pg_catalog.oid) FROM ONLY dpsens.budget b WHERE " DPS_SAME_RELATION("b")
	" ORDER BY b.role, b.column_name, b.relation OPERATOR(pg_catalog.=) $1 DESC, b.granted_at DESC",
	.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
};

/* That of a former relation of the name holds, too. */
static DpsStatement read_policies = {
	.text = "SELECT p.epsilon, p.delta, p.statement_epsilon, p.statement_delta, p.mechanisms, p.min_units, p.entity"
	" FROM ONLY dpsens.policy p WHERE " DPS_SAME_RELATION("p") " ORDER BY p.entity, p.set_at",
	.nargs = 4, .argtypes = {DPS_IDENTITY_TYPES}
};

/* ---- reading ---- */

void
dps_account_identity(const DpsAccount *account, Datum values[4])
{
	values[0] = ObjectIdGetDatum(account->relation);
	values[1] = NameGetDatum(&account->schema);
	values[2] = NameGetDatum(&account->name);
	values[3] = NameGetDatum(&account->owner);
}

/* Reads the relation's names; false if it is not committed. */
static bool
read_relation(DpsAccount *account)
{
	DpsRelationNames names;

	if (!dps_relation_names(account->relation, &names))
		return false;
	account->schema = names.schema;
	account->name = names.name;
	account->owner = names.owner;
	return true;
}

static DpsRoleBudget *
read_budget(uint64 row)
{
	DpsRoleBudget *budget = palloc0(sizeof(DpsRoleBudget));
	bool		never;
	Datum		refresh = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 6, &never);

	budget->role = DatumGetObjectId(dps_statement_value(row, 1));
	budget->role_name = pstrdup(NameStr(*DatumGetName(dps_statement_value(row, 2))));
	budget->caps.epsilon = DatumGetInt64(dps_statement_value(row, 3));
	budget->caps.rho = DatumGetInt64(dps_statement_value(row, 4));
	budget->caps.delta = DatumGetInt64(dps_statement_value(row, 5));
	budget->column = *DatumGetName(dps_statement_value(row, 7));
	budget->limits = dps_statement_limits(row, 8);
	budget->overrides_policy = DatumGetBool(dps_statement_value(row, 14));
	budget->caps.order = DatumGetFloat8(dps_statement_value(row, 15));
	budget->agreed_owner = DatumGetObjectId(dps_statement_value(row, 16));
	if (!never)
	{
		budget->refresh = palloc(sizeof(Interval));
		memcpy(budget->refresh, DatumGetIntervalP(refresh), sizeof(Interval));
	}
	return budget;
}

static DpsAccount *
remember(const DpsAccount *found)
{
	MemoryContext before = MemoryContextSwitchTo(known_context);
	DpsAccount *account = palloc(sizeof(DpsAccount));
	uint64		i;

	*account = *found;
	for (i = 0; i < SPI_processed; i++)
		account->budgets = lappend(account->budgets, read_budget(i));
	known = lappend(known, account);
	nknown += 1 + list_length(account->budgets);
	MemoryContextSwitchTo(before);
	return account;
}

static void
remember_policies(DpsAccount *account, Datum values[4])
{
	MemoryContext before;
	uint64		i;

	/* leaves the context of SPI */
	dps_statement_run(&read_policies, values, NULL);
	before = MemoryContextSwitchTo(known_context);
	for (i = 0; i < SPI_processed; i++)
	{
		DpsPolicyOf *policy = palloc(sizeof(DpsPolicyOf));

		*policy = (DpsPolicyOf) {DatumGetBool(dps_statement_value(i, 7)), dps_statement_limits(i, 1)};
		account->policies = lappend(account->policies, policy);
		nknown++;
	}
	MemoryContextSwitchTo(before);
}

static void
add_column(DpsAccount *account, const char *name)
{
	ListCell   *cell;

	foreach(cell, account->columns)
	{
		if (strcmp(lfirst(cell), name) == 0)
			return;
	}
	account->columns = lappend(account->columns, pstrdup(name));
	nknown++;
}

static void
add_budgeted_columns(DpsAccount *account)
{
	ListCell   *cell;

	foreach(cell, account->budgets)
	{
		const char *column = NameStr(((const DpsRoleBudget *) lfirst(cell))->column);

		account->is_entity |= dps_is_entity_name(column);
		if (*column == '\0' || dps_is_entity_name(column))
			continue;
		add_column(account, column);
		if (account->why == NULL && (account->why = dps_why_no_column_budget(account->relation, column)) != NULL)
			account->column_of_none = column;
	}
}

/* Finds the columns that are charged by themselves, and one whose budget cannot be kept. */
static void
remember_columns(DpsAccount *account)
{
	Datum		values[1] = {ObjectIdGetDatum(account->relation)};
	MemoryContext before;
	uint64		i;

	/* leaves the context of SPI */
	dps_statement_run(&read_columns, values, NULL);
	before = MemoryContextSwitchTo(known_context);
	for (i = 0; i < SPI_processed; i++)
	{
		const char *column = NameStr(*DatumGetName(dps_statement_value(i, 1)));

		account->is_entity |= dps_is_entity_name(column);
		if (!dps_is_entity_name(column))
			add_column(account, column);
	}
	add_budgeted_columns(account);
	MemoryContextSwitchTo(before);
}

static void
remember_entities(DpsAccount *account)
{
	List	   *entities = dps_entities_of(account->relation);
	ListCell   *cell;
	MemoryContext before = MemoryContextSwitchTo(known_context);

	foreach(cell, entities)
	{
		DpsEntityOf *one = palloc(sizeof(DpsEntityOf));

		*one = (DpsEntityOf) {lfirst_oid(cell), dps_why_not_of_entity(account->relation, lfirst_oid(cell))};
		account->entities = lappend(account->entities, one);
		nknown++;
	}
	MemoryContextSwitchTo(before);
}

static void
remember_groups(DpsAccount *account, const Datum identity[4])
{
	account->group_size = dps_declared_group_size(account->relation);
	account->told_smaller = dps_told_smaller_groups(identity, account->group_size);
}

DpsAccount *
dps_account_find(Oid relation)
{
	DpsAccount	account = {.relation = relation};
	DpsAccount *remembered;
	Datum		values[4];
	ListCell   *cell;

	foreach(cell, known)
	{
		DpsAccount *one = lfirst(cell);

		if (one->relation == relation)
			return one;
	}
	if (!read_relation(&account))
		return NULL;
	dps_account_identity(&account, values);
	dps_former_inherit(values);
	dps_statement_run(&read_budgets, values, NULL);
	remembered = remember(&account);
	remember_policies(remembered, values);
	remember_columns(remembered);
	remember_entities(remembered);
	remember_groups(remembered, values);
	return remembered;
}

bool
dps_account_is_of(const DpsAccount *account, Oid entity)
{
	ListCell   *cell;

	foreach(cell, account->entities)
	{
		if (((const DpsEntityOf *) lfirst(cell))->relation == entity)
			return true;
	}
	return false;
}

const DpsRoleBudget *
dps_account_budget(const DpsAccount *account, Oid role, const char *column)
{
	ListCell   *cell;

	foreach(cell, account->budgets)
	{
		const DpsRoleBudget *budget = lfirst(cell);

		if (budget->role == role && strcmp(NameStr(budget->column), column) == 0)
			return budget;
	}
	return NULL;
}

/* ---- what was spent ---- */

static DpsPurse *
find_purse(const DpsAccount *account, Oid role, const char *column)
{
	ListCell   *cell;

	foreach(cell, account->purses)
	{
		DpsPurse   *purse = lfirst(cell);

		if (purse->role == role && strcmp(NameStr(purse->column), column) == 0)
			return purse;
	}
	return NULL;
}

void
dps_account_spent(DpsAccount *account, const DpsPurse *written)
{
	MemoryContext before = MemoryContextSwitchTo(known_context);
	DpsPurse   *purse = find_purse(account, written->role, NameStr(written->column));

	if (purse == NULL)
	{
		purse = palloc(sizeof(DpsPurse));
		account->purses = lappend(account->purses, purse);
		nknown++;
	}
	*purse = *written;
	MemoryContextSwitchTo(before);
}

const DpsPurse *
dps_account_purse(DpsAccount *account, Oid role, const char *column)
{
	DpsPurse	read = {.role = role};
	Datum		values[3] = {ObjectIdGetDatum(account->relation), ObjectIdGetDatum(role), NameGetDatum(&read.column)};
	DpsPurse   *purse = find_purse(account, role, column);

	if (purse != NULL)
		return purse;
	namestrcpy(&read.column, column);
	dps_statement_run(&read_purse, values, NULL);
	if (SPI_processed == 0)
		return NULL;
	read.period_start = DatumGetTimestampTz(dps_statement_value(0, 1));
	read.spent.epsilon = DatumGetInt64(dps_statement_value(0, 2));
	read.spent.rho = DatumGetInt64(dps_statement_value(0, 3));
	read.spent.delta = DatumGetInt64(dps_statement_value(0, 4));
	read.charges = DatumGetInt64(dps_statement_value(0, 5));
	read.written = DatumGetTransactionId(dps_statement_value(0, 6));
	read.order = DatumGetFloat8(dps_statement_value(0, 7));
	read.at_order = DatumGetInt64(dps_statement_value(0, 8));
	dps_account_spent(account, &read);
	return find_purse(account, role, column);
}

DpsCost
dps_account_column_history(const DpsAccount *account, const char *column)
{
	NameData	name;
	Datum		values[2] = {ObjectIdGetDatum(account->relation), NameGetDatum(&name)};

	namestrcpy(&name, column);
	dps_statement_run(&read_history, values, NULL);
	return (DpsCost) {DatumGetInt64(dps_statement_value(0, 1)), DatumGetInt64(dps_statement_value(0, 2)),
		DatumGetInt64(dps_statement_value(0, 3))};
}

/* Finds the accounts of the entity's relations: one that was dropped and made again then has the history of before. */
static void
find_relations_of(Oid entity)
{
	Datum		values[1] = {ObjectIdGetDatum(entity)};
	List	   *relations = NIL;
	ListCell   *cell;
	uint64		i;

	dps_statement_run(&read_entity_relations, values, NULL);
	for (i = 0; i < SPI_processed; i++)
		relations = lappend_oid(relations, DatumGetObjectId(dps_statement_value(i, 1)));
	foreach(cell, relations)
		(void) dps_account_find(lfirst_oid(cell));
}

bool
dps_account_recount(const DpsAccount *account, const DpsPurse *purse, double order, DpsAmount *counted)
{
	Datum		values[7] = {ObjectIdGetDatum(account->relation), ObjectIdGetDatum(purse->role), TimestampTzGetDatum(purse->period_start),
		Float8GetDatum(order), Int64GetDatum(purse->spent.epsilon), Int64GetDatum(purse->spent.rho), Int64GetDatum(purse->spent.delta)};

	dps_statement_run(&read_counted, values, NULL);
	if (SPI_processed == 0)
		return false;
	*counted = DatumGetInt64(dps_statement_value(0, 1));
	return true;
}

DpsCost
dps_account_entity_history(const DpsAccount *account)
{
	Datum		values[1] = {ObjectIdGetDatum(account->relation)};

	find_relations_of(account->relation);
	dps_statement_run(&mark_entity_history, values, NULL);
	dps_statement_run(&read_entity_history, values, NULL);
	return (DpsCost) {DatumGetInt64(dps_statement_value(0, 1)), DatumGetInt64(dps_statement_value(0, 2)),
		DatumGetInt64(dps_statement_value(0, 3))};
}

DpsPurse
dps_account_role_history(const DpsAccount *account, const DpsRoleBudget *budget, TimestampTz now)
{
	NameData	name;
	Datum		marks[5] = {ObjectIdGetDatum(account->relation), ObjectIdGetDatum(budget->role), NameGetDatum(&name),
		IntervalPGetDatum(budget->refresh), TimestampTzGetDatum(now)};
	Datum		values[4] = {marks[0], marks[1], marks[3], marks[4]};
	bool		is_endless = budget->refresh == NULL;

	(void) dps_role_written(budget->role, &name);
	dps_statement_run(&mark_role_history, marks, is_endless ? "   n " : NULL);
	dps_statement_run(&read_role_history, values, is_endless ? "  n " : NULL);
	return (DpsPurse) {
		.role = budget->role,
		.period_start = DatumGetTimestampTz(dps_statement_value(0, 4)),
		.spent = {DatumGetInt64(dps_statement_value(0, 1)), DatumGetInt64(dps_statement_value(0, 2)), DatumGetInt64(dps_statement_value(0, 3))}
	};
}

/* ---- the ledger as a whole ---- */

bool
dps_ledger_is_here(void)
{
	return is_here || (is_here = dps_origin_is_here());
}

DpsLedgerNumbers *
dps_ledger_numbers(void)
{
	if (numbers != NULL)
		return numbers;
	dps_statement_run(&read_numbers, NULL, NULL);
	numbers = MemoryContextAllocZero(known_context, sizeof(DpsLedgerNumbers));
	if (SPI_processed > 0)
		*numbers = (DpsLedgerNumbers) {DatumGetInt64(dps_statement_value(0, 1)), DatumGetInt64(dps_statement_value(0, 2))};
	return numbers;
}

/* ---- remembering ---- */

void
dps_accounts_forget(void)
{
	is_stale = true;
}

/* The worker's only callback: the server has ten places for them, of which a library beside it takes some, too. */
static void
relation_changed(Datum arg, Oid relation)
{
	dps_accounts_forget();
	dps_failures_forget();
	dps_seal_forget_changed(relation);
}

static void
name_changed(Datum arg, int cache, uint32 hash)
{
	dps_accounts_forget();
}

/* tell_ledger() */
Datum
dps_tell_ledger(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by trigger manager", "tell_ledger")));
	dps_ledger_tell(trigger->tg_relation);
	return PointerGetDatum(NULL);
}

/* The events of the trigger, if it calls this function, for rows or for statements as asked, and is
 * enabled in this way; else 0. */
static int
told_by(const Trigger *trigger, const char *function, bool for_row, char enabled)
{
	char	   *name;

	if (trigger->tgenabled != enabled || (TRIGGER_FOR_ROW(trigger->tgtype) != 0) != for_row)
		return 0;
	name = get_func_name(trigger->tgfoid);
	return name != NULL && strcmp(name, function) == 0 ? trigger->tgtype : 0;
}

static bool
is_told_by(const TriggerDesc *triggers, const char *function, bool for_row, char enabled)
{
	const int	all = TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE | (for_row ? 0 : TRIGGER_TYPE_TRUNCATE);
	int			told = 0;
	int			i;

	for (i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		told |= told_by(&triggers->triggers[i], function, for_row, enabled);
	return (told & all) == all;
}

/* Do triggers report changes by statements, and rows that a subscription applies?  With for_row: do they
 * report all rows? */
static bool
is_told_of(const char *table, const char *function, bool for_row)
{
	Relation	relation = table_open(get_relname_relid(table, dps_schema_oid()), AccessShareLock);
	bool		told = is_told_by(relation->trigdesc, function, for_row, TRIGGER_FIRES_ALWAYS) &&
		(for_row || is_told_by(relation->trigdesc, function, true, TRIGGER_FIRES_ON_REPLICA));

	table_close(relation, NoLock);
	return told;
}

static void
set_up(void)
{
	known_context = AllocSetContextCreate(TopMemoryContext, "dpsens ledger accounts", ALLOCSET_DEFAULT_SIZES);
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, name_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, name_changed, (Datum) 0);
}

/* Later changes of triggers invalidate the relcache entry, and so what is remembered. */
void
dps_accounts_begin(void)
{
	if (known_context == NULL)
		set_up();
	if (!is_stale && list_length(known) < MAX_ACCOUNTS && nknown < MAX_KNOWN)
		return;
	is_stale = false;
	known = NIL;
	nknown = 0;
	is_here = false;
	numbers = NULL;
	MemoryContextReset(known_context);
	if (!is_told_of("budget", "tell_ledger", true) || !is_told_of("policy", "tell_ledger", true) ||
		!is_told_of("purse", "keep_ledger", false) ||
		!is_told_of("release", "keep_ledger", false) || !is_told_of("ledger_origin", "keep_budgets", false))
		dps_accounts_forget();
}

void
dps_account_put_columns(const DpsAccount *account, const DpsChargeItem *item, Datum *values, char *nulls)
{
	Datum	   *names = palloc(sizeof(Datum) * Max(item->ncolumns, 1));
	Datum	   *moves = palloc(sizeof(Datum) * Max(item->ncolumns * item->ncoordinates, 1));
	int			n = 0;
	int			i;
	int			k;
	ListCell   *cell;

	foreach(cell, account->columns)
	{
		for (i = 0; i < item->ncolumns; i++)
		{
			if (strcmp(NameStr(item->columns[i].column), lfirst(cell)) != 0)
				continue;
			names[n] = NameGetDatum(&item->columns[i].column);
			for (k = 0; k < item->ncoordinates; k++)
				moves[n * item->ncoordinates + k] = Int64GetDatum((int64) item->columns[i].moves[k]);
			n++;
			break;
		}
	}
	values[0] = PointerGetDatum(construct_array(names, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	values[1] = PointerGetDatum(construct_array(moves, n * item->ncoordinates, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	nulls[0] = nulls[1] = n > 0 ? ' ' : 'n';
}

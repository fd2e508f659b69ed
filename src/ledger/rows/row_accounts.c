/*
 * row_accounts.c
 *		Row accounting: caps on the loss of each unit.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "glue/citus.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "ledger/identity.h"
#include "ledger/keep.h"
#include "ledger/ledger.h"
#include "ledger/origin.h"
#include "ledger/rows/row_accounts.h"
#include "ledger/rows/row_history.h"
#include "ledger/statement.h"
#include "ledger/rows/unit.h"

#define NTRIGGERS 3

static DpsStatement read_account = {
	.text = "SELECT a.cap_epsilon, a.cap_rho, a.unit, (SELECT pg_catalog.count(*) FROM pg_catalog.pg_trigger t"
	" WHERE t.tgrelid OPERATOR(pg_catalog.=) $1 AND t.tgenabled OPERATOR(pg_catalog.=) 'A'"
	" AND t.tgfoid OPERATOR(pg_catalog.=) 'dpsens_internal.freeze_loss()'::pg_catalog.regprocedure), a.cap_plis,"
	" EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid OPERATOR(pg_catalog.=) $1 AND t.tgenabled OPERATOR(pg_catalog.=) 'A'"
	" AND t.tgfoid OPERATOR(pg_catalog.=) 'dpsens_internal.freeze_loss()'::pg_catalog.regprocedure"
	" AND t.tgtype OPERATOR(pg_catalog.&) 19::pg_catalog.int2 OPERATOR(pg_catalog.=) 17)"
	" FROM dpsens.row_account a WHERE " DPS_NOW_RELATION("a")
	" AND (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL)"
	" ORDER BY a.relation OPERATOR(pg_catalog.=) $1 DESC LIMIT 1",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement find_account = {
	.text = "SELECT a.account, a.unit, EXISTS (SELECT 1 FROM dpsens.frozen_loss f"
	" WHERE f.account OPERATOR(pg_catalog.=) a.account), a.relation OPERATOR(pg_catalog.<>) $1 FROM dpsens.row_account a WHERE " DPS_NOW_RELATION("a")
	" ORDER BY a.relation OPERATOR(pg_catalog.=) $1 DESC LIMIT 1",
	.nargs = 1, .argtypes = {OIDOID}
};

static DpsStatement find_with_delta = {
	.text = "SELECT 1 FROM dpsens.release r WHERE (r.steps IS NOT NULL OR r.mechanism OPERATOR(pg_catalog.=) 'partition') AND (r.relation OPERATOR(pg_catalog.=) $1 OR "
	DPS_IS_CALLED("r") ") LIMIT 1",
	.nargs = 1, .argtypes = {OIDOID}
};

#define ACCOUNT_TYPES OIDOID, NAMEOID, NAMEOID, NAMEOID, TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID, INT8OID

static DpsStatement insert_account = {
	.text = "INSERT INTO dpsens.row_account (relation, relation_schema, relation_name, relation_owner, unit,"
	" epsilon, rho, cap_epsilon, cap_rho) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
	.nargs = 9, .argtypes = {ACCOUNT_TYPES}
};

/* The rows of a dropped table are not known any more: releases after they were frozen are paid in full. */
static DpsStatement move_frozen = {
	.text = "UPDATE dpsens.frozen_loss AS f SET release = GREATEST(f.release, $3), changed_by = 0,"
	" spent_epsilon = LEAST(f.spent_epsilon OPERATOR(pg_catalog.+) later.epsilon, 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8,"
	" spent_rho = LEAST(f.spent_rho OPERATOR(pg_catalog.+) later.rho, 9223372036854775807::pg_catalog.numeric)::pg_catalog.int8"
	" FROM dpsens.frozen_loss g CROSS JOIN LATERAL (SELECT COALESCE(pg_catalog.sum(r.charge_epsilon), 0) AS epsilon,"
	" COALESCE(pg_catalog.sum(r.charge_rho), 0) AS rho FROM dpsens.release r JOIN dpsens.row_account a"
	" ON a.account OPERATOR(pg_catalog.=) g.account AND r.relation OPERATOR(pg_catalog.=) ANY (ARRAY[a.relation, $2])"
	" WHERE r.release OPERATOR(pg_catalog.>) g.release AND r.release OPERATOR(pg_catalog.<=) $3) later"
	" WHERE f.account OPERATOR(pg_catalog.=) $1 AND g.account OPERATOR(pg_catalog.=) f.account AND g.unit OPERATOR(pg_catalog.=) f.unit",
	.nargs = 3, .argtypes = {INT8OID, OIDOID, INT8OID}
};

static DpsStatement move_account = {
	.text = "UPDATE dpsens.row_account AS a SET full_until = GREATEST(a.full_until, $2) WHERE a.account OPERATOR(pg_catalog.=) $1",
	.nargs = 2, .argtypes = {INT8OID, INT8OID}
};

static DpsStatement update_account = {
	.text = "UPDATE dpsens.row_account AS a SET relation = $1, relation_schema = $2, relation_name = $3,"
	" relation_owner = $4, unit = $5, epsilon = $6, rho = $7, cap_epsilon = $8, cap_rho = $9"
	" WHERE a.account OPERATOR(pg_catalog.=) $10",
	.nargs = 10, .argtypes = {ACCOUNT_TYPES, INT8OID}
};

static void
refuse(Oid relation, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the rows of relation \"%s\" cannot have accounts of their own", get_rel_name(relation)),
			 errdetail("%s", detail),
			 errhint("%s", hint)));
}

#define OR_NO_ACCOUNTS "or a budget without row_epsilon and row_rho; row_epsilon => 'Infinity' switches row accounting off."

/* What units of several rows need, beside the type of their key: guard/release/individual.c, sql_freeze.c. */
static void
check_units(Oid relation, const DpsRelationAnnotation *annotation)
{
	DpsUnitColumns columns = annotation->unit;

	if (annotation->adjacency != DPS_ADD_REMOVE)
		refuse(relation, psprintf("A unit can have several rows, and the adjacency is %s.", dps_adjacency_name(annotation->adjacency)),
			   "Declare the unit NOT NULL and create a unique index over it, protect the relation with adjacency add_remove, " OR_NO_ACCOUNTS);
	if (annotation->unit_by_reference)
		refuse(relation, "The unit of a row is that of the row of another table that it refers to.",
			   "Name the unit by columns of the table itself, " OR_NO_ACCOUNTS);
	if (!dps_unit_columns_are_not_null(relation, &columns))
		refuse(relation, "A unit can have several rows, and some may have no unit.",
			   "Declare the columns of the unit NOT NULL, " OR_NO_ACCOUNTS);
	if (!OidIsValid(dps_index_of_units(relation, &columns)))
		refuse(relation, "A unit can have several rows, and no index finds them.",
			   "Create a btree index that begins with the columns of the unit, " OR_NO_ACCOUNTS);
}

/* Triggers freeze what rows lose that change, and nodes have none of them, and no ledger to read. */
static void
refuse_distributed(Oid relation)
{
	dps_citus_refuse_use(relation, "accounts of the rows of", "What a row has lost is kept by triggers, and nodes have no ledger.",
						 "Use a budget without row_epsilon and row_rho, or SELECT undistribute_table() first.  dpsens.row_loss() says what each row has lost so far.");
}

/* The columns that identify a unit, as text; an error if they are not suitable. */
static char *
checked_unit(Oid relation)
{
	DpsRelationAnnotation annotation;
	DpsAccountKey *key;

	refuse_distributed(relation);
	dps_get_relation_annotation(relation, &annotation);
	if (annotation.adjacency == DPS_METRIC)
		refuse(relation, "Under adjacency metric a row has no loss of its own.",
			   "Use another adjacency, or a budget without row_epsilon and row_rho; row_epsilon => 'Infinity' switches row accounting off.");
	if (get_rel_relkind(relation) != RELKIND_RELATION || has_superclass(relation) || has_subclass(relation))
		refuse(relation, "It is partitioned, or has parents or children.",
			   "Use a budget without row_epsilon and row_rho; row_epsilon => 'Infinity' switches row accounting off.");
	/* whoever is entered again after a crash would owe nothing */
	if (get_rel_persistence(relation) == RELPERSISTENCE_UNLOGGED)
		refuse(relation, "It is unlogged: a crash empties it, and keeps nothing of what its rows have lost.",
			   "Use ALTER TABLE ... SET LOGGED, or a budget without row_epsilon and row_rho; row_epsilon => 'Infinity' switches row accounting off.");
	key = dps_unit_key(relation);
	if (key == NULL || dps_unit_is_lost(&annotation))
		refuse(relation, "Nothing proves which row belongs to which unit.",
			   "Declare a primary key, or a unit that is NOT NULL and has a unique index.");
	if (dps_unit_has_rows(&annotation))
		check_units(relation, &annotation);
	if (!dps_unit_key_is_stable(key))
		refuse(relation, "Equal keys of units can be written differently.",
			   "Use a key of type smallint, integer, bigint, uuid, boolean, or text, varchar or char(n) of a deterministic collation.");
	return dps_unit_key_signature(relation, key);
}

static void
refuse_changed(Oid relation, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the accounts of the rows of relation \"%s\" are out of order", get_rel_name(relation)),
			 errdetail("%s", detail),
			 errhint("The owner may call dpsens.set_budget() again.")));
}

/* Under other adjacencies it would have to be proved that a unit that was left out stays out. */
static void
require_susceptibility(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	if (annotation.adjacency != DPS_ADD_REMOVE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the susceptibility of the rows of relation \"%s\" is capped, and its adjacency is %s",
						get_rel_name(relation), dps_adjacency_name(annotation.adjacency)),
				 errhint("Remove the cap with dpsens.set_plis_cap(relation, NULL), or protect the relation with adjacency add_remove.")));
	if (dps_unit_has_rows(&annotation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the susceptibility of units of several rows is not known"),
				 errdetail("Units of relation \"%s\" can have several rows, of which it is not recorded which counted.", get_rel_name(relation)),
				 errhint("Remove the cap with dpsens.set_plis_cap(relation, NULL).")));
}

/* The cap on susceptibility that was read; Infinity without one. */
static double
susceptibility_value(int column)
{
	bool		isnull;
	Datum		cap = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? INFINITY : DatumGetFloat8(cap);
}

static DpsAmount
cap_value(int column)
{
	bool		isnull;
	Datum		cap = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? DPS_AMOUNT_UNBOUNDED : DatumGetInt64(cap);
}

/*
 * Is row accounting on for any relation?  Every query asks this, mostly in databases in which it is on for
 * none, so this does not use SPI.
 */
static bool
is_used(void)
{
	Relation	accounts = table_open(get_relname_relid("row_account", dps_schema_oid()), AccessShareLock);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	AttrNumber	cap_epsilon = get_attnum(RelationGetRelid(accounts), "cap_epsilon");
	AttrNumber	cap_rho = get_attnum(RelationGetRelid(accounts), "cap_rho");
	SysScanDesc scan = systable_beginscan(accounts, InvalidOid, false, snapshot, 0, NULL);
	HeapTuple	tuple;
	bool		used = false;

	while (!used && HeapTupleIsValid(tuple = systable_getnext(scan)))
		used = !heap_attisnull(tuple, cap_epsilon, RelationGetDescr(accounts)) ||
			!heap_attisnull(tuple, cap_rho, RelationGetDescr(accounts));
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(accounts, AccessShareLock);
	return used;
}

static bool
has_several_rows(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	return dps_unit_has_rows(&annotation);
}

/* Of the triggers that older versions made, none fires for each row after an UPDATE, which only units of several rows need. */
bool
dps_row_caps(Oid relation, DpsRowCaps *caps)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	bool		found;
	bool		complete = true;
	bool		same = true;

	if (!is_used())
		return false;
	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_account, values, NULL);
	dps_descend(saved);
	found = SPI_processed > 0;
	if (found)
	{
		char	   *unit = TextDatumGetCString(dps_statement_value(0, 3));

		caps->epsilon = cap_value(1);
		caps->rho = cap_value(2);
		caps->susceptibility = susceptibility_value(5);
		complete = DatumGetInt64(dps_statement_value(0, 4)) == NTRIGGERS &&
			(DatumGetBool(dps_statement_value(0, 6)) || !has_several_rows(relation));
		same = strcmp(unit, checked_unit(relation)) == 0;
	}
	SPI_finish();
	if (!complete)
		refuse_changed(relation, "A trigger that freezes the losses of changed rows is missing or disabled.");
	if (!same)
		refuse_changed(relation, "The columns that name a unit have changed.");
	if (found && caps->susceptibility < INFINITY)
		require_susceptibility(relation);
	return found;
}

/*
 * Whatever inserts, changes or removes rows locks their table in this mode before the first of them, and until its (sub)transaction
 * ends, so that functions which run amid a statement find it: in RETURNING, in triggers, in defaults and constraints, in COPY.  The
 * triggers above would be too late, as those of inserted rows fire after all of them.
 */
void
dps_refuse_uncommitted_rows(Oid relation_oid)
{
	Relation	relation = relation_open(relation_oid, AccessShareLock);

	if (CheckRelationLockedByMe(relation, RowExclusiveLock, false))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a private answer needs rows that are committed"),
				 errdetail("This transaction has written to relation \"%s\", whose rows have accounts of their own.", get_rel_name(relation_oid)),
				 errhint("Commit first.")));
	relation_close(relation, NoLock);
}

/* Are there releases by training on samples, or by selections of groups?  Their cost holds up to a delta,
 * which row accounts do not have. */
static bool
has_releases_with_delta(Oid relation)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved;
	bool		found;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&find_with_delta, values, NULL);
	dps_descend(saved);
	found = SPI_processed > 0;
	SPI_finish();
	return found;
}

void
dps_check_rows(Oid relation, const DpsStatedRows *stated)
{
	if (stated->has_epsilon && stated->has_rho)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the cap of a row is stated by row_epsilon or by row_rho, not by both")));
	if ((stated->has_epsilon && !(stated->epsilon > 0 && stated->epsilon <= 0x1p20)) ||
		(stated->has_rho && !(stated->rho > 0 && stated->rho <= 0x1p20)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s %g is outside the valid range", stated->has_epsilon ? "row_epsilon" : "row_rho",
						stated->has_epsilon ? stated->epsilon : stated->rho),
				 errdetail("It must be greater than 0 and at most 2^20.")));
	if (!stated->has_epsilon && !stated->has_rho)
		return;
	(void) checked_unit(relation);
	if (has_releases_with_delta(relation))
		refuse(relation, "A model was trained on samples of it, or groups of undeclared keys were selected: what a row loses by that holds "
			   "but for a delta, of which its account knows nothing.",
			   "Use a budget without row_epsilon and row_rho; row_epsilon => 'Infinity' switches row accounting off.");
}

/* ---- triggers ---- */

static const struct
{
	const char *name;
	const char *event;
}			triggers[NTRIGGERS] =
{
	{"dpsens_freeze_loss", "BEFORE UPDATE OR DELETE ON %s FOR EACH ROW"},
	{"dpsens_begin_loss", "AFTER INSERT OR UPDATE ON %s FOR EACH ROW"},
	{"dpsens_keep_loss", "BEFORE TRUNCATE ON %s FOR EACH STATEMENT"},
};

static char *
qualified_name(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation));
}

static void
execute(const char *command)
{
	int			result = SPI_execute(command, false, 0);

	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", command, SPI_result_code_string(result));
}

static void
create_triggers(Oid relation)
{
	char	   *table = qualified_name(relation);
	int			i;

	for (i = 0; i < NTRIGGERS; i++)
	{
		execute(psprintf("CREATE OR REPLACE TRIGGER %s %s EXECUTE FUNCTION dpsens_internal.freeze_loss()", triggers[i].name,
						 psprintf(triggers[i].event, table)));
		execute(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", table, triggers[i].name));
	}
}

static void
drop_triggers(Oid relation)
{
	int			i;

	for (i = 0; i < NTRIGGERS; i++)
	{
		if (OidIsValid(get_trigger_oid(relation, triggers[i].name, true)))
			execute(psprintf("DROP TRIGGER %s ON %s", triggers[i].name, qualified_name(relation)));
	}
}

/* ---- switching on and off ---- */

static bool
find(Oid relation, int64 *account, char **unit, bool *has_frozen, bool *moves)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};

	dps_statement_run(&find_account, values, NULL);
	if (SPI_processed == 0)
		return false;
	*account = DatumGetInt64(dps_statement_value(0, 1));
	*unit = TextDatumGetCString(dps_statement_value(0, 2));
	*has_frozen = DatumGetBool(dps_statement_value(0, 3));
	*moves = DatumGetBool(dps_statement_value(0, 4));
	return true;
}

/* Moves the account of a former relation to this one. */
static void
move(Oid relation, int64 account)
{
	int64		last = dps_row_history_number(relation);
	Datum		frozen[3] = {Int64GetDatum(account), ObjectIdGetDatum(relation), Int64GetDatum(last)};
	Datum		moved[2] = {Int64GetDatum(account), Int64GetDatum(last)};

	dps_ledger_write(&move_frozen, frozen, NULL);
	dps_ledger_write(&move_account, moved, NULL);
}

static DpsStatement update_susceptibility = {
	.text = "UPDATE dpsens.row_account AS a SET cap_plis = $2 WHERE a.relation OPERATOR(pg_catalog.=) $1"
	" AND (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL)",
	.nargs = 2, .argtypes = {OIDOID, FLOAT8OID}
};

void
dps_set_susceptibility_cap(Oid relation, double cap)
{
	Datum		values[2] = {ObjectIdGetDatum(relation), Float8GetDatum(cap)};
	DpsElevation saved;
	bool		done;

	refuse_distributed(relation);
	if (cap < INFINITY)
		require_susceptibility(relation);
	dps_ledger_budget_changed();
	SPI_connect();
	saved = dps_elevate();
	dps_ledger_write(&update_susceptibility, values, cap < INFINITY ? NULL : " n");
	dps_descend(saved);
	done = SPI_processed == 1;
	SPI_finish();
	if (!done)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("row accounting of relation \"%s\" is off", get_rel_name(relation)),
				 errhint("Switch it on with dpsens.set_budget(), by row_epsilon or row_rho.")));
	CacheInvalidateRelcacheByRelid(relation);
}

static void
write_account(const Datum *identity, const char *unit, const DpsStatedRows *stated, bool exists, int64 account)
{
	Datum		values[10];
	char		nulls[] = "          ";

	memcpy(values, identity, sizeof(Datum) * 4);
	values[4] = CStringGetTextDatum(unit);
	values[5] = Float8GetDatum(stated->epsilon);
	values[6] = Float8GetDatum(stated->rho);
	values[7] = Int64GetDatum(dps_amount_of_cap(stated->epsilon, DPS_LOSS_BITS));
	values[8] = Int64GetDatum(dps_amount_of_cap(stated->rho, DPS_LOSS_BITS));
	values[9] = Int64GetDatum(account);
	nulls[5] = nulls[7] = stated->has_epsilon ? ' ' : 'n';
	nulls[6] = nulls[8] = stated->has_rho ? ' ' : 'n';
	dps_ledger_write(exists ? &update_account : &insert_account, values, nulls);
}

void
dps_set_rows(Oid relation, const NameData *schema, const NameData *name, const NameData *owner,
			 const DpsStatedRows *stated)
{
	Datum		identity[4] = {
		ObjectIdGetDatum(relation), NameGetDatum(schema), NameGetDatum(name), NameGetDatum(owner)
	};
	bool		on = stated->has_epsilon || stated->has_rho;
	int64		account = 0;
	char	   *before = NULL;
	bool		has_frozen = false;
	bool		moves = false;
	DpsElevation saved = dps_elevate();
	bool		exists = find(relation, &account, &before, &has_frozen, &moves);
	char	   *unit = on ? checked_unit(relation) : before;

	if (exists && has_frozen && strcmp(before, unit) != 0)
		refuse(relation, "Losses were frozen for units that other columns named.",
			   "Declare the unit as it was.");
	if (on)
		create_triggers(relation);
	else
		drop_triggers(relation);
	if (on || exists)
	{
		(void) dps_origin_is_here();
		if (moves)
			move(relation, account);
		write_account(identity, unit, stated, exists, account);
	}
	dps_descend(saved);
	/* cached plans depend on whether rows are left out */
	CacheInvalidateRelcacheByRelid(relation);
}

bool
dps_has_row_caps(Oid relation)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsElevation saved = dps_elevate();

	dps_statement_run(&read_account, values, NULL);
	dps_descend(saved);
	return SPI_processed > 0;
}

/*
 * authority.c
 *		Whether a budget lets a role ask.
 *
 * Budgets are read like a catalog, as committed now: a cached plan or an old snapshot must not use a
 * budget that was revoked.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "ledger/authority.h"
#include "ledger/entity.h"

/* Columns of dpsens.budget. */
#define BUDGET_RELATION 1
#define BUDGET_ROLE 2
#define BUDGET_SCHEMA 3
#define BUDGET_NAME 4
#define BUDGET_OWNER 5
#define BUDGET_OWN_TABLES 16
#define BUDGET_COLUMN 17
#define BUDGET_AGREED_OWNER 25

static Datum
column(HeapTuple tuple, Relation budgets, int number)
{
	bool		isnull;

	return heap_getattr(tuple, number, RelationGetDescr(budgets), &isnull);
}

static bool
is_name(HeapTuple tuple, Relation budgets, int number, const char *name)
{
	return name != NULL && strcmp(NameStr(*DatumGetName(column(tuple, budgets, number))), name) == 0;
}

/* Is the budget on the relation, or on a dropped one of the same name and
 * owner? */
static bool
is_about(HeapTuple tuple, Relation budgets, Oid relation, Form_pg_class form)
{
	Oid			known = DatumGetObjectId(column(tuple, budgets, BUDGET_RELATION));

	if (known == relation)
		return true;
	return is_name(tuple, budgets, BUDGET_NAME, NameStr(form->relname)) &&
		is_name(tuple, budgets, BUDGET_SCHEMA, get_namespace_name(form->relnamespace)) &&
		is_name(tuple, budgets, BUDGET_OWNER, GetUserNameFromId(form->relowner, true)) &&
		!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(known));
}

/* What the budgets by which a role may ask say. */
typedef struct Served
{
	bool		has_budget;
	bool		has_its_own;
	bool		own_tables;
} Served;

static void
note_budget(HeapTuple tuple, Relation budgets, bool is_its_own, Served *served)
{
	bool		own_tables = DatumGetBool(column(tuple, budgets, BUDGET_OWN_TABLES));

	served->has_budget = true;
	if (is_its_own && !served->has_its_own)
		served->own_tables = own_tables;
	else if (is_its_own || !served->has_its_own)
		served->own_tables |= own_tables;
	served->has_its_own |= is_its_own;
}

/* The owner who agreed that the budget of an entity opens relations; InvalidOid if nobody did. */
static Oid
agreed_owner(HeapTuple tuple, Relation budgets)
{
	bool		isnull;
	Datum		owner = heap_getattr(tuple, BUDGET_AGREED_OWNER, RelationGetDescr(budgets), &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(owner);
}

/* The same for an OID whose relation may be gone. */
static bool
is_about_entity(HeapTuple tuple, Relation budgets, Oid entity)
{
	HeapTuple	found = SearchSysCache1(RELOID, ObjectIdGetDatum(entity));
	bool		is = HeapTupleIsValid(found) && is_about(tuple, budgets, entity, (Form_pg_class) GETSTRUCT(found));

	if (HeapTupleIsValid(found))
		ReleaseSysCache(found);
	return is;
}

/* Is the budget one of an entity that opens the relation? */
static bool
opens(HeapTuple tuple, Relation budgets, Oid relation)
{
	ListCell   *cell;

	foreach(cell, dps_entities_of(relation))
	{
		if (is_about_entity(tuple, budgets, lfirst_oid(cell)) &&
			dps_entity_opens(lfirst_oid(cell), agreed_owner(tuple, budgets), relation))
			return true;
	}
	return false;
}

/* Budgets on the relation, and those of entities that open it. */
static void
find_budgets(Relation budgets, Oid relation, Form_pg_class form, Oid role, Served *on_it, Served *on_entities)
{
	SysScanDesc scan = systable_beginscan(budgets, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			holder = DatumGetObjectId(column(tuple, budgets, BUDGET_ROLE));

		if (!OidIsValid(holder))
			continue;
		if (is_name(tuple, budgets, BUDGET_COLUMN, DPS_ENTITY_NAME))
		{
			if (is_member_of_role_nosuper(role, holder) && opens(tuple, budgets, relation))
				note_budget(tuple, budgets, holder == role, on_entities);
		}
		else if (is_about(tuple, budgets, relation, form) && is_member_of_role_nosuper(role, holder))
			note_budget(tuple, budgets, holder == role, on_it);
	}
	systable_endscan(scan);
}

static Served
served_by(Oid relation, Oid role)
{
	Oid			table = get_relname_relid("budget", dps_schema_oid());
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Served		on_it = {false};
	Served		on_entities = {false};

	if (HeapTupleIsValid(tuple) && OidIsValid(table))
	{
		Relation	budgets = table_open(table, AccessShareLock);

		find_budgets(budgets, relation, (Form_pg_class) GETSTRUCT(tuple), role, &on_it, &on_entities);
		table_close(budgets, AccessShareLock);
	}
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return on_it.has_budget ? on_it : on_entities;
}

bool
dps_has_budget(Oid relation, Oid role)
{
	return served_by(relation, role).has_budget;
}

bool
dps_may_use_own_tables(Oid relation, Oid role)
{
	return served_by(relation, role).own_tables;
}

/* The names of columns in budgets on the relation, as a list of char *. */
static List *
find_columns(Relation budgets, Oid relation, Form_pg_class form)
{
	SysScanDesc scan = systable_beginscan(budgets, InvalidOid, false, NULL, 0, NULL);
	List	   *columns = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const char *name = NameStr(*DatumGetName(column(tuple, budgets, BUDGET_COLUMN)));

		if (*name != '\0' && is_about(tuple, budgets, relation, form))
			columns = lappend(columns, pstrdup(name));
	}
	systable_endscan(scan);
	return columns;
}

static List *
named_columns(Oid relation)
{
	Oid			table = get_relname_relid("budget", dps_schema_oid());
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	List	   *columns = NIL;

	/* a client who has locked the ledger is not waited for */
	if (HeapTupleIsValid(tuple) && OidIsValid(table) && ConditionalLockRelationOid(table, AccessShareLock))
	{
		Relation	budgets = table_open(table, NoLock);

		columns = find_columns(budgets, relation, (Form_pg_class) GETSTRUCT(tuple));
		table_close(budgets, AccessShareLock);
	}
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return columns;
}

List *
dps_columns_with_budget(Oid relation)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, named_columns(relation))
	{
		AttrNumber	number = dps_is_entity_name(lfirst(cell)) ? InvalidAttrNumber : get_attnum(relation, lfirst(cell));

		if (number > 0)
			columns = list_append_unique_int(columns, number);
	}
	return columns;
}

bool
dps_has_entity_budget(Oid relation)
{
	ListCell   *cell;

	foreach(cell, named_columns(relation))
	{
		if (dps_is_entity_name(lfirst(cell)))
			return true;
	}
	return false;
}

bool
dps_has_entity_budget_of_all(Oid relation)
{
	Oid			table = get_relname_relid("budget", dps_schema_oid());
	bool		found = false;
	Relation	budgets;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!OidIsValid(table))
		return false;
	budgets = table_open(table, AccessShareLock);
	scan = systable_beginscan(budgets, InvalidOid, false, NULL, 0, NULL);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = !OidIsValid(DatumGetObjectId(column(tuple, budgets, BUDGET_ROLE))) &&
			is_name(tuple, budgets, BUDGET_COLUMN, DPS_ENTITY_NAME) && is_about_entity(tuple, budgets, relation);
	systable_endscan(scan);
	table_close(budgets, AccessShareLock);
	return found;
}

static bool
may_read(Oid relation, Oid role)
{
	return superuser_arg(role) || dps_check_select(relation, role) == ACLCHECK_OK;
}

/* Is it a relation that the role may not read, and, unless other is InvalidOid, of which other sees more? */
static bool
is_hidden_from(Oid relation, Oid role, Oid other)
{
	return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)) && !may_read(relation, role) &&
		(!OidIsValid(other) || dps_sees_more(relation, role, other));
}

/* The same for one of the relations of the entity, whether the budget of it opens them or not. */
static bool
hides_persons(Oid entity, Oid role, Oid other)
{
	ListCell   *cell;

	foreach(cell, dps_relations_of_entity(entity))
	{
		if (is_hidden_from(lfirst_oid(cell), role, other))
			return true;
	}
	return false;
}

/* The relation that has the budget's name now; InvalidOid if there is none. */
static Oid
named_relation(HeapTuple tuple, Relation budgets)
{
	Oid			schema = get_namespace_oid(NameStr(*DatumGetName(column(tuple, budgets, BUDGET_SCHEMA))), true);

	return OidIsValid(schema) ? get_relname_relid(NameStr(*DatumGetName(column(tuple, budgets, BUDGET_NAME))), schema) : InvalidOid;
}

static bool
hides(HeapTuple tuple, Relation budgets, Oid relation, Oid role, Oid other)
{
	return OidIsValid(relation) &&
		(is_hidden_from(relation, role, other) ||
		 (is_name(tuple, budgets, BUDGET_COLUMN, DPS_ENTITY_NAME) && hides_persons(relation, role, other)));
}

/* Has the role a budget on such a relation?  By its number or by its name: a table that was made again, or restored, has the
 * budget by name until the ledger next looks (is_about), and whoever owns it, its rows are not to be seen meanwhile. */
static bool
has_blind_budget(Relation budgets, Oid role, Oid other)
{
	SysScanDesc scan = systable_beginscan(budgets, InvalidOid, false, NULL, 0, NULL);
	bool		found = false;
	HeapTuple	tuple;

	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			holder = DatumGetObjectId(column(tuple, budgets, BUDGET_ROLE));
		Oid			relation = DatumGetObjectId(column(tuple, budgets, BUDGET_RELATION));

		if (!OidIsValid(holder) || !is_member_of_role_nosuper(role, holder))
			continue;
		found = hides(tuple, budgets, relation, role, other) || hides(tuple, budgets, named_relation(tuple, budgets), role, other);
	}
	systable_endscan(scan);
	return found;
}

static bool
is_blind(Oid role, Oid other)
{
	Oid			table;
	bool		result = false;

	if (superuser_arg(role))
		return false;
	table = get_relname_relid("budget", dps_schema_oid());
	if (OidIsValid(table))
	{
		Relation	budgets = table_open(table, AccessShareLock);

		result = has_blind_budget(budgets, role, other);
		table_close(budgets, AccessShareLock);
	}
	return result;
}

bool
dps_is_analyst(Oid role)
{
	return is_blind(role, InvalidOid);
}

bool
dps_analyst_sees_less(Oid role, Oid other)
{
	return is_blind(role, other);
}

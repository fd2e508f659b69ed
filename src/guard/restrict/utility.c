/*
 * utility.c
 *		Utility statements that concern private answers: EXPLAIN, which must release
 *		nothing, and those that need a database without connections.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/readers.h"
#include "guard/restrict/utility.h"
#include "ledger/forgotten.h"
#include "ledger/journal/setting.h"
#include "ledger/ledger.h"
#include "ledger/rows/row_accounts.h"
#include "room/pool.h"

static ProcessUtility_hook_type previous_utility;

/* The number of nested EXPLAIN statements that are running. */
static int	explaining = 0;

bool
dps_is_explaining(void)
{
	return explaining > 0;
}

static const char *
option_value(List *options, const char *name)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, name) == 0 && option->arg != NULL)
			return defGetString(option);
	}
	return NULL;
}

/* Checked so that no worker is dismissed for a statement that will be refused. */
static bool
has_createdb_privilege(void)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(GetUserId()));
	bool		has = superuser() || (HeapTupleIsValid(tuple) && ((Form_pg_authid) GETSTRUCT(tuple))->rolcreatedb);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return has;
}

static bool
is_template(Oid database)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
	bool		is = HeapTupleIsValid(tuple) && ((Form_pg_database) GETSTRUCT(tuple))->datistemplate;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return is;
}

/* The database that must have no connections for the statement, or NULL. */
static const char *
disturbed_database(Node *statement)
{
	const char *template;

	switch (nodeTag(statement))
	{
		case T_DropdbStmt:
			return ((DropdbStmt *) statement)->dbname;
		case T_CreatedbStmt:
			if (!has_createdb_privilege())
				return NULL;
			template = option_value(((CreatedbStmt *) statement)->options, "template");
			return template != NULL ? template : "template1";
		case T_RenameStmt:
			if (((RenameStmt *) statement)->renameType == OBJECT_DATABASE)
				return ((RenameStmt *) statement)->subname;
			return NULL;
		case T_AlterDatabaseStmt:
			if (option_value(((AlterDatabaseStmt *) statement)->options, "tablespace") != NULL)
				return ((AlterDatabaseStmt *) statement)->dbname;
			return NULL;
		default:
			return NULL;
	}
}

static bool
drops_relations(const DropStmt *statement)
{
	switch (statement->removeType)
	{
		case OBJECT_TABLE:
		case OBJECT_FOREIGN_TABLE:
		case OBJECT_VIEW:
		case OBJECT_MATVIEW:
		case OBJECT_SCHEMA:
		case OBJECT_EXTENSION:
			return true;
		default:
			return false;
	}
}

static bool
has_subcommand(const AlterTableStmt *statement, AlterTableType subtype)
{
	ListCell   *cell;

	foreach(cell, statement->cmds)
	{
		if (((AlterTableCmd *) lfirst(cell))->subtype == subtype)
			return true;
	}
	return false;
}

/* Notifies the ledger of statements that can rename or move relations or roles, or change their owners, and
 * of those that drop relations. */
static void
note_names(Node *statement, bool is_done)
{
	switch (nodeTag(statement))
	{
		case T_AlterTableStmt:
			if (!has_subcommand((AlterTableStmt *) statement, AT_ChangeOwner))
				break;
			/* FALLTHROUGH */
		case T_RenameStmt:
		case T_AlterObjectSchemaStmt:
		case T_AlterOwnerStmt:
		case T_ReassignOwnedStmt:
			if (is_done)
				dps_ledger_names_changed();
			else
				dps_ledger_names_note();
			break;
		case T_DropStmt:
			if (!is_done && drops_relations((DropStmt *) statement))
				dps_ledger_names_end();
			break;
		case T_DropOwnedStmt:
			if (!is_done)
				dps_ledger_names_end();
			break;
		default:
			break;
	}
}

/* Is dpsens among the extensions that are dropped? */
static bool
drops_extension(const DropStmt *statement)
{
	ListCell   *cell;

	if (statement->removeType != OBJECT_EXTENSION)
		return false;
	foreach(cell, statement->objects)
	{
		if (strcmp(strVal(lfirst(cell)), "dpsens") == 0)
			return true;
	}
	return false;
}

/* A table that is altered may have got a foreign key that sets its unit to null. */
static void
check_unit(const AlterTableStmt *statement)
{
	Oid			relation = RangeVarGetRelid(statement->relation, NoLock, true);

	if (OidIsValid(relation) && OidIsValid(dps_schema_oid()))
		dps_check_unit(relation);
}

/* A table whose rows have accounts must not become unlogged. */
static void
check_row_accounts(const AlterTableStmt *statement)
{
	Oid			relation = RangeVarGetRelid(statement->relation, NoLock, true);
	DpsRowCaps	caps;

	if (OidIsValid(relation) && OidIsValid(dps_schema_oid()))
		(void) dps_row_caps(relation, &caps);
}

/* Warnings about effects that would otherwise go unnoticed. */
static void
warn(Node *statement, bool is_done, bool is_installed)
{
	if (!is_done && IsA(statement, DropStmt) && drops_extension((DropStmt *) statement))
		dps_ledger_warn_of_drop();
	if (is_done && !is_installed && IsA(statement, CreateExtensionStmt) && strcmp(((CreateExtensionStmt *) statement)->extname, "dpsens") == 0)
		dps_ledger_warn_of_new();
	if (is_done && IsA(statement, AlterTableStmt) && has_subcommand((AlterTableStmt *) statement, AT_AddConstraint))
		check_unit((AlterTableStmt *) statement);
}

/* Effects that are refused once it is known what was altered. */
static void
refuse_done(Node *statement)
{
	if (IsA(statement, AlterTableStmt) && has_subcommand((AlterTableStmt *) statement, AT_SetUnLogged))
		check_row_accounts((AlterTableStmt *) statement);
}

/* Dismisses the ledger's worker and the clean rooms of the database that the statement needs; by themselves
 * they would leave later. */
static void
dismiss_workers(Node *statement)
{
	const char *name = disturbed_database(statement);
	Oid			database;

	if (name == NULL || !IsTransactionState())
		return;
	database = get_database_oid(name, true);
	/* a role that may create databases may copy template databases */
	if (OidIsValid(database) &&
		(dps_owns_database(database, GetUserId()) || (IsA(statement, CreatedbStmt) && is_template(database))))
	{
		dps_ledger_dismiss(database);
		dps_pool_dismiss(database);
	}
}

static void
dps_process_utility(PlannedStmt *pstmt, const char *queryString, bool readOnlyTree,
					ProcessUtilityContext context, ParamListInfo params,
					QueryEnvironment *queryEnv, DestReceiver *dest, QueryCompletion *qc)
{
	ProcessUtility_hook_type next = previous_utility != NULL ? previous_utility : standard_ProcessUtility;
	bool		explains = IsA(pstmt->utilityStmt, ExplainStmt);
	bool		is_installed;
	Datum		settings;

	dismiss_workers(pstmt->utilityStmt);
	note_names(pstmt->utilityStmt, false);
	is_installed = IsTransactionState() && IsA(pstmt->utilityStmt, CreateExtensionStmt) && OidIsValid(dps_schema_oid());
	warn(pstmt->utilityStmt, false, is_installed);
	settings = dps_settings_before(pstmt->utilityStmt);
	explaining += explains;
	PG_TRY();
	{
		next(pstmt, queryString, readOnlyTree, context, params, queryEnv, dest, qc);
		note_names(pstmt->utilityStmt, true);
		dps_settings_after(pstmt->utilityStmt, settings);
		warn(pstmt->utilityStmt, true, is_installed);
		refuse_done(pstmt->utilityStmt);
	}
	PG_FINALLY();
	{
		explaining -= explains;
	}
	PG_END_TRY();
}

void
dps_utility_init(void)
{
	previous_utility = ProcessUtility_hook;
	ProcessUtility_hook = dps_process_utility;
}

/*
 * setting.c
 *		The record of changes of dpsens' settings by ALTER SYSTEM, ALTER DATABASE and ALTER ROLE.
 *
 * Of those alone that take a superuser, or one whom a superuser lets: what everybody may set for himself decides nothing
 * that is promised, and roles could fill the record with it.  They belong to the server, so what is altered from another database is recorded in that one, if dpsens is there.  What is
 * written into configuration files by hand, and what a session sets for itself, is recorded nowhere; of the latter each
 * release tells what it was computed with.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"

#include "ledger/journal/change.h"
#include "ledger/journal/setting.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

/* Those that not everybody may set for himself. */
#define IS_OURS(name) \
	"EXISTS (SELECT FROM pg_catalog.pg_settings g WHERE pg_catalog.starts_with(g.name, 'dpsens.')" \
	" AND g.name OPERATOR(pg_catalog.=) pg_catalog.lower(" name ") AND g.context OPERATOR(pg_catalog.<>) 'user')"

/* A connection string may have a password. */
#define SHOWN(name, value) \
	"CASE WHEN pg_catalog.lower(" name ") OPERATOR(pg_catalog.=) 'dpsens.primary_conninfo' AND " value " OPERATOR(pg_catalog.<>) ''" \
	" THEN '(not shown)' ELSE " value " END"
#define SET_VALUE "pg_catalog.substr(c.set, pg_catalog.strpos(c.set, '=') OPERATOR(pg_catalog.+) 1)"

/* All settings of dpsens, by name, and by whose they are.  Of those of files the last one holds. */
static DpsStatement read_settings = {
	.text = "SELECT COALESCE(pg_catalog.jsonb_object_agg(s.about, s.value ORDER BY s.place), '{}') FROM ("
	"SELECT f.name AS about, " SHOWN("f.name", "f.setting") " AS value, f.seqno AS place FROM pg_catalog.pg_file_settings f WHERE " IS_OURS("f.name")
	" UNION ALL SELECT pg_catalog.concat(pg_catalog.split_part(c.set, '=', 1), ' of role ' OPERATOR(pg_catalog.||) pg_catalog.quote_ident(r.rolname),"
	" ' in database ' OPERATOR(pg_catalog.||) pg_catalog.quote_ident(d.datname)),"
	" " SHOWN("pg_catalog.split_part(c.set, '=', 1)", SET_VALUE) ", 0"
	" FROM pg_catalog.pg_db_role_setting s CROSS JOIN pg_catalog.unnest(s.setconfig) c(set)"
	" LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) s.setrole"
	" LEFT JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) s.setdatabase WHERE " IS_OURS("pg_catalog.split_part(c.set, '=', 1)") ") s"
};

/* The statement's name if it may change settings of dpsens, or NULL. */
static const char *
changes_settings(Node *statement)
{
	const VariableSetStmt *set;
	const char *name;

	switch (nodeTag(statement))
	{
		case T_AlterSystemStmt:
			set = ((AlterSystemStmt *) statement)->setstmt;
			name = "ALTER SYSTEM";
			break;
		case T_AlterDatabaseSetStmt:
			set = ((AlterDatabaseSetStmt *) statement)->setstmt;
			name = "ALTER DATABASE";
			break;
		case T_AlterRoleSetStmt:
			set = ((AlterRoleSetStmt *) statement)->setstmt;
			name = "ALTER ROLE";
			break;
		default:
			return NULL;
	}
	return set->name == NULL || pg_strncasecmp(set->name, "dpsens.", 7) == 0 ? name : NULL;
}

static Datum
read_now(void)
{
	DpsElevation saved;
	Datum		settings;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_read(&read_settings, NULL, NULL);
	settings = SPI_datumTransfer(dps_statement_value(0, 1), false, -1);
	dps_descend(saved);
	SPI_finish();
	return settings;
}

Datum
dps_settings_before(Node *statement)
{
	return changes_settings(statement) != NULL && dps_change_is_kept() ? read_now() : (Datum) 0;
}

void
dps_settings_after(Node *statement, Datum before)
{
	if (before == (Datum) 0)
		return;
	CommandCounterIncrement();
	dps_change_state(dps_change_actor(), changes_settings(statement), "settings", before, read_now());
}

/*
 * role_nodes.c
 *		Labels of roles on the other nodes of a cluster of Citus.
 *
 * Citus carries a statement that labels a role to all nodes, with the rights of a superuser there, and does
 * so for nodes that are added later; but only if it knows the role, which it has created on all nodes.  One
 * that is older than Citus in this database, or that somebody has created node by node, is labelled by a
 * command of its own on each node.  What is run has nothing of the caller's in it but the role's name.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "glue/label/annotation.h"
#include "glue/label/role_label.h"

/* The first column of the first row. */
static bool
is_true(const char *query, int nargs, Oid *types, Datum *values)
{
	bool		isnull = true;
	bool		is;

	if (SPI_execute_with_args(query, nargs, types, values, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "Citus was not asked: %s", query);
	is = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	return is && !isnull;
}

static bool
is_known_to_citus(Oid role)
{
	return is_true("SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_object WHERE classid OPERATOR(pg_catalog.=) $1 AND objid OPERATOR(pg_catalog.=) $2)", 2,
				   (Oid[]) {OIDOID, OIDOID}, (Datum[]) {ObjectIdGetDatum(AuthIdRelationId), ObjectIdGetDatum(role)});
}

static const char *
label_statement(const char *name)
{
	return psprintf("SECURITY LABEL FOR " DPS_LABEL_PROVIDER " ON ROLE %s IS '" DPS_ROLE_LABEL "'", quote_identifier(name));
}

static void
refuse_unlabelled(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("could not label role \"%s\" on all nodes of Citus", name),
			 errdetail("The label hides counters of shards from a role with a budget."),
			 errhint("All nodes must be there, and preload dpsens.")));
}

static void
label_by_citus(const char *name)
{
	if (SPI_execute(label_statement(name), false, 0) != SPI_OK_UTILITY)
		refuse_unlabelled(name);
}

/* Where there is no such role, nobody can be it; a node that has it later is not told. */
static void
label_on_each(const char *name)
{
	const char *body = psprintf("BEGIN IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) %s) THEN "
								"PERFORM pg_catalog.set_config('citus.enable_ddl_propagation', 'off', true); EXECUTE %s; END IF; END",
								quote_literal_cstr(name), quote_literal_cstr(label_statement(name)));
	Datum		command = CStringGetTextDatum(psprintf("DO %s", quote_literal_cstr(body)));

	if (!is_true("SELECT coalesce(pg_catalog.bool_and(success), true) FROM pg_catalog.run_command_on_workers($1)", 1, (Oid[]) {TEXTOID}, &command))
		refuse_unlabelled(name);
}

/* What runs here runs as a superuser, and finds names in pg_catalog alone. */
static void
take_settings(void)
{
	static const char *const needed[] = {"citus.enable_ddl_propagation", "citus.enable_alter_role_propagation"};
	int			i;

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	for (i = 0; i < (int) lengthof(needed); i++)
	{
		if (GetConfigOption(needed[i], true, false) != NULL)
			(void) set_config_option(needed[i], "on", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	}
}

void
dps_mark_role_on_nodes(Oid role)
{
	const char *name = GetUserNameFromId(role, false);
	int			nest = NewGUCNestLevel();
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, context | SECURITY_LOCAL_USERID_CHANGE);
	take_settings();
	SPI_connect();
	if (is_known_to_citus(role))
		label_by_citus(name);
	else
		label_on_each(name);
	SPI_finish();
	AtEOXact_GUC(true, nest);
	SetUserIdAndSecContext(user, context);
}

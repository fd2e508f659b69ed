/*
 * forgotten.c
 *		Warnings about spending that is lost when the extension is dropped.
 *
 * Labels belong to the tables and outlive the extension.  Purses and releases are dropped with it, so
 * spending begins at zero if it is created again.  A superuser may do so, but is warned.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/glue.h"
#include "ledger/forgotten.h"
#include "ledger/keep.h"
#include "ledger/statement.h"

static DpsStatement read_spent = {
	.text = "SELECT pg_catalog.string_agg(DISTINCT pg_catalog.format('%I.%I', p.relation_schema, p.relation_name), ', ')"
	" FROM dpsens.purse p WHERE p.charges OPERATOR(pg_catalog.>) 0"
};

static DpsStatement read_protected = {
	.text = "SELECT pg_catalog.string_agg(l.objoid::pg_catalog.regclass::pg_catalog.text, ', ' ORDER BY l.objoid)"
	" FROM pg_catalog.pg_seclabel l WHERE l.provider OPERATOR(pg_catalog.=) 'dpsens' AND l.objsubid OPERATOR(pg_catalog.=) 0"
	" AND l.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
	" AND pg_catalog.starts_with(l.label, 'PROTECTED')"
};

/* The text that a statement yields, in the caller's memory context; NULL if none. */
static char *
look_up(DpsStatement *statement)
{
	MemoryContext context = CurrentMemoryContext;
	DpsElevation saved;
	char	   *found;

	SPI_connect();
	saved = dps_elevate();
	dps_statement_run(statement, NULL, NULL);
	found = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (found != NULL)
		found = MemoryContextStrdup(context, found);
	dps_descend(saved);
	SPI_finish();
	return found;
}

void
dps_ledger_warn_of_drop(void)
{
	char	   *spent;

	/* no other role may drop the extension, or needs to know */
	if (!superuser() || !OidIsValid(dps_schema_oid()) || !OidIsValid(get_relname_relid("purse", dps_schema_oid())))
		return;
	spent = look_up(&read_spent);
	if (spent != NULL)
		ereport(WARNING,
				(errmsg("what was spent of privacy budgets is forgotten with extension \"dpsens\""),
				 errdetail("Answers were charged to %s.", spent),
				 errhint("Keep a copy of dpsens.budgets and dpsens.releases: budgets that are given again must be smaller by it.")));
}

void
dps_ledger_warn_of_new(void)
{
	char	   *relations;

	if (IsBinaryUpgrade || !OidIsValid(dps_schema_oid()))
		return;
	relations = look_up(&read_protected);
	if (relations != NULL)
		ereport(WARNING,
				(errmsg("the privacy ledger is new, and relations are protected already"),
				 errdetail("What was spent before on %s is not known.", relations),
				 errhint("Budgets should be smaller by what was spent.")));
}

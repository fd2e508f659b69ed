/*
 * standing.c
 *		The existing budget while a curator changes it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "glue/label/label.h"
#include "ledger/identity.h"
#include "ledger/keep.h"
#include "ledger/rows/standing.h"
#include "ledger/statement.h"

static DpsStatement read_budget = {
	.text = "SELECT b.epsilon, b.delta, b.rho, b.refresh, b.own_tables FROM dpsens.budget b"
	" WHERE b.role OPERATOR(pg_catalog.=) $2 AND " DPS_NOW_RELATION("b")
	" ORDER BY b.relation OPERATOR(pg_catalog.=) $1 DESC LIMIT 1",
	.nargs = 2, .argtypes = {OIDOID, OIDOID}
};

static DpsStatement read_rows = {
	.text = "SELECT a.epsilon, a.rho FROM dpsens.row_account a WHERE " DPS_NOW_RELATION("a")
	" AND (a.cap_epsilon IS NOT NULL OR a.cap_rho IS NOT NULL)"
	" ORDER BY a.relation OPERATOR(pg_catalog.=) $1 DESC LIMIT 1",
	.nargs = 1, .argtypes = {OIDOID}
};

/* The filter's rule (account/filter.h) for what was spent, without another charge. */
static DpsStatement read_exceeded = {
	.text = "SELECT dpsens_internal.loss_of_amount(s.spent_epsilon, 40), dpsens_internal.loss_of_amount(s.spent_rho, 40),"
	" dpsens_internal.loss_of_amount(s.spent_delta, 62), s.refresh IS NOT NULL FROM dpsens_internal.budget_state s"
	" WHERE s.relation OPERATOR(pg_catalog.=) $1 AND s.role OPERATOR(pg_catalog.=) $2"
	" AND NOT (s.spent_epsilon OPERATOR(pg_catalog.<=) s.cap_epsilon AND s.spent_delta OPERATOR(pg_catalog.=) 0"
	" OR s.spent_rho OPERATOR(pg_catalog.<=) s.cap_rho AND s.spent_delta OPERATOR(pg_catalog.<=) s.cap_delta)",
	.nargs = 2, .argtypes = {OIDOID, OIDOID}
};

static DpsStatement read_namesake = {
	.text = "SELECT dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.spent_epsilon), 9223372036854775807)::pg_catalog.int8, 40),"
	" dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.spent_rho), 9223372036854775807)::pg_catalog.int8, 40)"
	" FROM dpsens.purse p WHERE p.role OPERATOR(pg_catalog.<>) $2 AND p.role_name OPERATOR(pg_catalog.=)"
	" (SELECT r.rolname FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) $2)"
	" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) p.role) AND " DPS_NOW_RELATION("p")
	" HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0",
	.nargs = 2, .argtypes = {OIDOID, OIDOID}
};

static bool
take_number(int column, double *number)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

	*number = isnull ? 0 : DatumGetFloat8(value);
	return !isnull;
}

/* Reads the existing budget; false if there is none. */
static bool
read_standing(Oid relation, Oid role, DpsStatedBudget *standing)
{
	Datum		values[2] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(role)};
	bool		isnull;
	Datum		refresh;

	dps_statement_run(&read_budget, values, NULL);
	if (SPI_processed == 0)
		return false;
	standing->has_epsilon = take_number(1, &standing->epsilon);
	standing->has_delta = take_number(2, &standing->delta);
	standing->has_rho = take_number(3, &standing->rho);
	refresh = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4, &isnull);
	standing->refresh = isnull ? NULL : DatumGetIntervalP(refresh);
	standing->has_own_tables = true;
	standing->own_tables = DatumGetBool(dps_statement_value(0, 5));
	return true;
}

static void
append_number(StringInfo text, bool has, const char *name, double number)
{
	if (has)
		appendStringInfo(text, "%s%s %s", text->len > 0 ? ", " : "", name, dps_format_number(number));
}

/* "epsilon 3, delta 1e-06, refresh 1 day" */
static char *
describe(const DpsStatedBudget *budget)
{
	StringInfoData text;

	initStringInfo(&text);
	append_number(&text, budget->has_epsilon, "epsilon", budget->epsilon);
	append_number(&text, budget->has_rho, "rho", budget->rho);
	append_number(&text, budget->has_delta && budget->delta > 0, "delta", budget->delta);
	if (budget->refresh != NULL)
		appendStringInfo(&text, "%srefresh %s", text.len > 0 ? ", " : "",
						 DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(budget->refresh))));
	if (budget->has_own_tables && budget->own_tables)
		appendStringInfo(&text, "%sown_tables", text.len > 0 ? ", " : "");
	return text.data;
}

static char *
describe_rows(const DpsStatedRows *rows)
{
	StringInfoData text;

	initStringInfo(&text);
	append_number(&text, rows->has_epsilon, "row_epsilon", rows->epsilon);
	append_number(&text, rows->has_rho, "row_rho", rows->rho);
	return text.data;
}

static void
say(Oid relation, Oid role, const char *what)
{
	if (OidIsValid(role))
		ereport(NOTICE,
				(errmsg("the budget of role \"%s\" on relation \"%s\" %s", GetUserNameFromId(role, false),
						get_rel_name(relation), what)));
	else
		ereport(NOTICE,
				(errmsg("the budget of relation \"%s\" %s", get_rel_name(relation), what)));
}

static bool
says_something(const char *text)
{
	return text != NULL && *text != '\0';
}

void
dps_budget_tell(Oid relation, Oid role, const DpsBudgetNews *news)
{
	if (says_something(news->gives_up))
		say(relation, role, news->in_favour_of == NULL ? psprintf("gives up %s", news->gives_up) :
			psprintf("gives up %s for %s", news->gives_up, news->in_favour_of));
	if (says_something(news->keeps))
		say(relation, role, psprintf("keeps %s", news->keeps));
}

/* The stated one of epsilon and rho replaces the existing one. */
static void
replace_kind(const DpsStatedBudget *stated, DpsStatedBudget *standing, DpsBudgetNews *news)
{
	DpsStatedBudget before = {.has_epsilon = standing->has_epsilon && stated->has_rho,
		.has_rho = standing->has_rho && stated->has_epsilon,
	.epsilon = standing->epsilon, .rho = standing->rho};
	DpsStatedBudget after = {.has_epsilon = stated->has_epsilon, .has_rho = stated->has_rho,
	.epsilon = stated->epsilon, .rho = stated->rho};

	news->gives_up = describe(&before);
	news->in_favour_of = describe(&after);
	standing->has_epsilon = standing->has_rho = false;
}

void
dps_budget_complete(Oid relation, Oid role, DpsStatedBudget *stated, DpsBudgetNews *news)
{
	DpsStatedBudget standing = {.refresh = NULL};

	if (!stated->has_epsilon && !stated->has_delta && !stated->has_rho && stated->refresh == NULL && !stated->has_own_tables)
		return;
	if (!read_standing(relation, role, &standing))
		return;
	if (stated->has_epsilon || stated->has_rho)
		replace_kind(stated, &standing, news);
	if (stated->has_delta)
		standing.has_delta = false;
	if (stated->refresh != NULL)
		standing.refresh = NULL;
	if (stated->has_own_tables)
		standing.has_own_tables = false;
	news->keeps = describe(&standing);

	if (standing.has_epsilon)
		stated->epsilon = standing.epsilon;
	if (standing.has_rho)
		stated->rho = standing.rho;
	if (standing.has_delta)
		stated->delta = standing.delta;
	if (standing.refresh != NULL)
		stated->refresh = standing.refresh;
	if (standing.has_own_tables)
		stated->own_tables = standing.own_tables;
	stated->has_epsilon |= standing.has_epsilon;
	stated->has_rho |= standing.has_rho;
	stated->has_delta |= standing.has_delta;
}

void
dps_budget_stays(Oid relation, DpsBudgetNews *news)
{
	DpsStatedBudget standing = {.refresh = NULL};

	if (read_standing(relation, InvalidOid, &standing))
		news->keeps = describe(&standing);
}

void
dps_budget_goes(Oid relation, DpsBudgetNews *news)
{
	DpsStatedBudget standing = {.refresh = NULL};

	if (read_standing(relation, InvalidOid, &standing))
		news->gives_up = describe(&standing);
}

void
dps_rows_complete(Oid relation, DpsStatedRows *stated, DpsBudgetNews *news)
{
	Datum		values[1] = {ObjectIdGetDatum(relation)};
	DpsStatedRows standing = {0};
	bool		goes = (stated->has_epsilon && isinf(stated->epsilon) && stated->epsilon > 0) ||
		(stated->has_rho && isinf(stated->rho) && stated->rho > 0);

	dps_statement_run(&read_rows, values, NULL);
	if (SPI_processed > 0)
	{
		standing.has_epsilon = take_number(1, &standing.epsilon);
		standing.has_rho = take_number(2, &standing.rho);
	}
	if (goes)
	{
		news->gives_up = describe_rows(&standing);
		stated->has_epsilon = stated->has_rho = false;
	}
	else if (!stated->has_epsilon && !stated->has_rho)
	{
		news->keeps = describe_rows(&standing);
		*stated = standing;
	}
	else if (standing.has_epsilon != stated->has_epsilon)
	{
		news->gives_up = describe_rows(&standing);
		news->in_favour_of = describe_rows(stated);
	}
}

static void
warn_of_exceeded(Oid relation, Oid role)
{
	Datum		values[2] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(role)};
	double		epsilon;
	double		rho;
	double		delta;
	bool		refreshes;

	dps_statement_run(&read_exceeded, values, NULL);
	if (SPI_processed == 0)
		return;
	(void) take_number(1, &epsilon);
	(void) take_number(2, &rho);
	(void) take_number(3, &delta);
	refreshes = DatumGetBool(dps_statement_value(0, 4));
	ereport(WARNING,
			(OidIsValid(role) ?
			 errmsg("role \"%s\" has spent more on relation \"%s\" than its new budget", GetUserNameFromId(role, false),
					get_rel_name(relation)) :
			 errmsg("more was spent on relation \"%s\" than its new budget", get_rel_name(relation)),
			 errdetail("Spent are epsilon %.6g, rho %.6g and delta %.6g%s.", epsilon, rho, delta,
					   refreshes ? " in the present period" : ""),
			 errhint("There are no answers until the budget is raised%s.", refreshes ? " or the next period begins" : "")));
}

static void
warn_of_namesake(Oid relation, Oid role)
{
	Datum		values[2] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(role)};
	double		epsilon;
	double		rho;

	dps_statement_run(&read_namesake, values, NULL);
	if (SPI_processed == 0)
		return;
	(void) take_number(1, &epsilon);
	(void) take_number(2, &rho);
	ereport(WARNING,
			(errmsg("a former role \"%s\" has spent epsilon %.6g and rho %.6g on relation \"%s\", which the new role's budget does not count",
					GetUserNameFromId(role, false), epsilon, rho, get_rel_name(relation)),
			 errhint("If they stand for the same person, grant that much less; dpsens.set_budget() caps what all together may spend.")));
}

void
dps_budget_warn(Oid relation, Oid role)
{
	warn_of_exceeded(relation, role);
	if (OidIsValid(role))
		warn_of_namesake(relation, role);
}

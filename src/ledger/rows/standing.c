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

#include "account/at_order.h"
#include "glue/label/label.h"
#include "ledger/entity.h"
#include "ledger/identity.h"
#include "ledger/keep.h"
#include "ledger/rows/standing.h"
#include "ledger/statement.h"

static DpsStatement read_budget = {
	.text = "SELECT b.epsilon, b.delta, b.rho, b.refresh, b.own_tables, b.renyi_order,"
	" b.delta OPERATOR(pg_catalog.>) 0 AND b.cap_delta OPERATOR(pg_catalog.=) 0 AND b.cap_rho OPERATOR(pg_catalog.>) 0 FROM dpsens.budget b"
	" WHERE b.role OPERATOR(pg_catalog.=) $2 AND b.column_name OPERATOR(pg_catalog.=) $3 AND " DPS_NOW_RELATION("b")
	" ORDER BY b.relation OPERATOR(pg_catalog.=) $1 DESC LIMIT 1",
	.nargs = 3, .argtypes = {OIDOID, OIDOID, NAMEOID}
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
	" WHERE s.relation OPERATOR(pg_catalog.=) $1 AND s.role OPERATOR(pg_catalog.=) $2 AND s.column_name OPERATOR(pg_catalog.=) $3"
	" AND NOT (s.spent_epsilon OPERATOR(pg_catalog.<=) s.cap_epsilon AND s.spent_delta OPERATOR(pg_catalog.=) 0"
	" OR s.spent_rho OPERATOR(pg_catalog.<=) s.cap_rho AND s.spent_delta OPERATOR(pg_catalog.<=) s.cap_delta)",
	.nargs = 3, .argtypes = {OIDOID, OIDOID, NAMEOID}
};

static DpsStatement read_namesake = {
	.text = "SELECT dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.spent_epsilon), 9223372036854775807)::pg_catalog.int8, 40),"
	" dpsens_internal.loss_of_amount(LEAST(pg_catalog.sum(p.spent_rho), 9223372036854775807)::pg_catalog.int8, 40)"
	" FROM dpsens.purse p WHERE p.role OPERATOR(pg_catalog.<>) $2 AND p.role_name OPERATOR(pg_catalog.=)"
	" (SELECT r.rolname FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) $2)"
	" AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) p.role) AND " DPS_NOW_RELATION("p")
	" AND p.column_name OPERATOR(pg_catalog.=) $3 HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0",
	.nargs = 3, .argtypes = {OIDOID, OIDOID, NAMEOID}
};

static bool
take_number(int column, double *number)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

	*number = isnull ? 0 : DatumGetFloat8(value);
	return !isnull;
}

/* Runs a statement whose arguments are the relation, the role and the column. */
static void
run_for(DpsStatement *statement, const DpsBudgetHolder *holder)
{
	NameData	column;
	Datum		values[3] = {ObjectIdGetDatum(holder->relation), ObjectIdGetDatum(holder->role), NameGetDatum(&column)};

	namestrcpy(&column, holder->column);
	dps_statement_run(statement, values, NULL);
}

/* Reads the existing budget; false if there is none. */
static bool
read_standing(const DpsBudgetHolder *holder, DpsStatedBudget *standing)
{
	bool		isnull;
	Datum		refresh;

	run_for(&read_budget, holder);
	if (SPI_processed == 0)
		return false;
	standing->has_epsilon = take_number(1, &standing->epsilon);
	standing->has_delta = take_number(2, &standing->delta);
	standing->has_rho = take_number(3, &standing->rho);
	refresh = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4, &isnull);
	standing->refresh = isnull ? NULL : DatumGetIntervalP(refresh);
	standing->has_own_tables = true;
	standing->own_tables = DatumGetBool(dps_statement_value(0, 5));
	(void) take_number(6, &standing->rule);
	if (!dps_order_is_rule(standing->rule))
		standing->rule = 0;
	standing->has_rule = dps_order_is_rule(standing->rule);
	standing->has_selections = standing->no_selections = DatumGetBool(dps_statement_value(0, 7));
	return true;
}

static void
append_number(StringInfo text, bool has, const char *name, double number)
{
	if (has)
		appendStringInfo(text, "%s%s %s", text->len > 0 ? ", " : "", name, dps_format_number(number));
}

static void
append_word(StringInfo text, bool has, const char *name)
{
	if (has)
		appendStringInfo(text, "%s%s", text->len > 0 ? ", " : "", name);
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
	append_number(&text, budget->has_rule && budget->rule < 0, "largest_answer", -budget->rule);
	append_word(&text, budget->has_rule && budget->rule > 0, "gaussian");
	append_word(&text, budget->has_selections && budget->no_selections, "no selections");
	if (budget->refresh != NULL)
		appendStringInfo(&text, "%srefresh %s", text.len > 0 ? ", " : "",
						 DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(budget->refresh))));
	append_word(&text, budget->has_own_tables && budget->own_tables, "own_tables");
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

/* "relation \"patients\"", or "entity \"patients\"" */
static char *
place_text(const DpsBudgetHolder *holder)
{
	return psprintf("%s \"%s\"", dps_is_entity_name(holder->column) ? "entity" : "relation", get_rel_name(holder->relation));
}

/* The same with its role or column, if it has one. */
static char *
holder_text(const DpsBudgetHolder *holder)
{
	char	   *relation = place_text(holder);

	if (OidIsValid(holder->role))
		return psprintf("role \"%s\" on %s", GetUserNameFromId(holder->role, false), relation);
	if (dps_is_entity_name(holder->column))
		return relation;
	return *holder->column != '\0' ? psprintf("column \"%s\" of %s", holder->column, relation) : relation;
}

static void
say(const DpsBudgetHolder *holder, const char *what)
{
	ereport(NOTICE,
			(errmsg("the budget of %s %s", holder_text(holder), what)));
}

static bool
says_something(const char *text)
{
	return text != NULL && *text != '\0';
}

void
dps_budget_tell(const DpsBudgetHolder *holder, const DpsBudgetNews *news)
{
	if (says_something(news->gives_up))
		say(holder, news->in_favour_of == NULL ? psprintf("gives up %s", news->gives_up) :
			psprintf("gives up %s for %s", news->gives_up, news->in_favour_of));
	if (says_something(news->keeps))
		say(holder, psprintf("keeps %s", news->keeps));
}

/* The stated one of epsilon and rho replaces the existing one. */
static void
replace_kind(const DpsStatedBudget *stated, DpsStatedBudget *standing, DpsBudgetNews *news)
{
	DpsStatedBudget before = {.has_epsilon = standing->has_epsilon && stated->has_rho,
		.has_rho = standing->has_rho && stated->has_epsilon,
	.epsilon = standing->epsilon, .rho = standing->rho, .has_rule = standing->has_rule && stated->has_rho, .rule = standing->rule,
	.has_selections = standing->has_selections && stated->has_rho, .no_selections = standing->no_selections};
	DpsStatedBudget after = {.has_epsilon = stated->has_epsilon, .has_rho = stated->has_rho,
	.epsilon = stated->epsilon, .rho = stated->rho};

	news->gives_up = describe(&before);
	news->in_favour_of = describe(&after);
	standing->has_epsilon = standing->has_rho = false;
	if (stated->has_rho)
		standing->has_rule = standing->has_selections = false;
}

void
dps_budget_complete(const DpsBudgetHolder *holder, DpsStatedBudget *stated, DpsBudgetNews *news)
{
	DpsStatedBudget standing = {.refresh = NULL};

	if (!stated->has_epsilon && !stated->has_delta && !stated->has_rho && stated->refresh == NULL && !stated->has_own_tables &&
		!stated->has_rule && !stated->has_selections)
		return;
	if (!read_standing(holder, &standing))
		return;
	if (stated->has_epsilon || stated->has_rho)
		replace_kind(stated, &standing, news);
	if (stated->has_delta)
		standing.has_delta = false;
	if (stated->refresh != NULL)
		standing.refresh = NULL;
	if (stated->has_own_tables)
		standing.has_own_tables = false;
	if (stated->has_rule)
		standing.has_rule = false;
	if (stated->has_selections)
		standing.has_selections = false;
	news->keeps = describe(&standing);

	if (standing.has_rule)
		stated->rule = standing.rule;
	if (standing.has_selections)
		stated->no_selections = standing.no_selections;
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
dps_budget_stays(const DpsBudgetHolder *holder, DpsBudgetNews *news)
{
	DpsStatedBudget standing = {.refresh = NULL};

	if (read_standing(holder, &standing))
		news->keeps = describe(&standing);
}

void
dps_budget_goes(const DpsBudgetHolder *holder, DpsBudgetNews *news)
{
	DpsStatedBudget standing = {.refresh = NULL};

	if (read_standing(holder, &standing))
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
warn_of_exceeded(const DpsBudgetHolder *holder)
{
	double		epsilon;
	double		rho;
	double		delta;
	bool		refreshes;

	run_for(&read_exceeded, holder);
	if (SPI_processed == 0)
		return;
	(void) take_number(1, &epsilon);
	(void) take_number(2, &rho);
	(void) take_number(3, &delta);
	refreshes = DatumGetBool(dps_statement_value(0, 4));
	ereport(WARNING,
			(OidIsValid(holder->role) ?
			 errmsg("role \"%s\" has spent more on %s than its new budget", GetUserNameFromId(holder->role, false),
					place_text(holder)) :
			 errmsg("more was spent on %s than its new budget", holder_text(holder)),
			 errdetail("Spent are epsilon %.6g, rho %.6g and delta %.6g%s.", epsilon, rho, delta,
					   refreshes ? " in the present period" : ""),
			 errhint("There are no answers%s until the budget is raised%s.", *holder->column != '\0' && !dps_is_entity_name(holder->column) ? " that depend on it" : "", refreshes ? " or the next period begins" : "")));
}

static void
warn_of_namesake(const DpsBudgetHolder *holder)
{
	double		epsilon;
	double		rho;

	run_for(&read_namesake, holder);
	if (SPI_processed == 0)
		return;
	(void) take_number(1, &epsilon);
	(void) take_number(2, &rho);
	ereport(WARNING,
			(errmsg("a former role \"%s\" has spent epsilon %.6g and rho %.6g on %s, which the new role's budget does not count",
					GetUserNameFromId(holder->role, false), epsilon, rho, place_text(holder)),
			 errhint("If they stand for the same person, grant that much less; %s caps what all together may spend.",
					 dps_is_entity_name(holder->column) ? "dpsens.set_entity_budget()" : "dpsens.set_budget()")));
}

void
dps_budget_warn(const DpsBudgetHolder *holder)
{
	warn_of_exceeded(holder);
	if (OidIsValid(holder->role))
		warn_of_namesake(holder);
}

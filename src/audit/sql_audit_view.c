/*
 * sql_audit_view.c
 *		dpsens.create_audit_view: a view with a row per row of a table and what
 *		it contributes, column by column.
 *
 * The view belongs to the table's owner and to nobody else.  It refers to the
 * function of the expression, so it follows renames; its label lets it go when
 * the expression is dropped.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"

#include "audit/evaluator.h"
#include "audit/key.h"
#include "audit/loss.h"
#include "glue/compat.h"
#include "glue/view_label.h"

PG_FUNCTION_INFO_V1(dpsens_create_audit_view);

/* How a view states losses. */
typedef struct LossTerms
{
	double		order;			/* of Renyi divergences */
	double		delta;
} LossTerms;

static void
run_statement(const char *statement)
{
	if (SPI_execute(statement, false, 0) < 0)
		elog(ERROR, "could not execute: %s", statement);
}

/* A name for the table that none of its columns hides. */
static const char *
choose_alias(Oid relation)
{
	char	   *name = pstrdup("r");
	int			n = 0;

	while (get_attnum(relation, name) != InvalidAttrNumber)
		name = psprintf("r%d", ++n);
	return name;
}

/* prefix || column, cut as identifiers are, quoted if need be */
static const char *
column_name(const char *prefix, const char *column)
{
	char	   *name = psprintf("%s%s", prefix, column);

	truncate_identifier(name, strlen(name), false);
	return quote_identifier(name);
}

/* A call of a function of the row. */
static void
append_call(StringInfo text, const char *function, const char *arguments)
{
	appendStringInfo(text, "dpsens.%s(%s)", function, arguments);
}

/* One column for each private one. */
static void
append_entries(StringInfo text, const DpsEvaluator *evaluator, const char *function, const char *arguments,
			   const char *prefix)
{
	int			j;

	for (j = 0; j < evaluator->nprivate; j++)
	{
		appendStringInfoString(text, ", ");
		append_call(text, function, psprintf("%s, %d", arguments, j + 1));
		appendStringInfo(text, " AS %s", column_name(prefix, dps_private_column(evaluator, j)));
	}
}

static void
append_losses(StringInfo text, const char *arguments, const LossTerms *terms)
{
	const char *with_order = psprintf("%s, %s", arguments, float8out_internal(terms->order));

	appendStringInfoString(text, ", ");
	append_call(text, "individual_loss", with_order);
	appendStringInfoString(text, " AS individual_loss, ");
	append_call(text, "individual_epsilon", psprintf("%s, %s", arguments, float8out_internal(terms->delta)));
	appendStringInfoString(text, " AS individual_epsilon, ");
	append_call(text, "first_order_loss", with_order);
	appendStringInfoString(text, " AS first_order_loss");
}

static void
append_columns(StringInfo text, const DpsEvaluator *evaluator, const char *alias, const LossTerms *terms)
{
	List	   *keys = dps_key_columns(evaluator->relation);
	const char *arguments = psprintf("%s::pg_catalog.regprocedure, %s",
									 quote_literal_cstr(format_procedure_qualified(evaluator->function)), alias);
	ListCell   *cell;

	foreach(cell, keys)
		appendStringInfo(text, "%s.%s, ", alias,
						 quote_identifier(get_attname(evaluator->relation, lfirst_int(cell), false)));
	append_call(text, "value_of", arguments);
	appendStringInfoString(text, " AS value, ");
	append_call(text, "gradient_of", arguments);
	appendStringInfoString(text, " AS gradient, ");
	append_call(text, "gradient_norm_of", arguments);
	appendStringInfoString(text, " AS gradient_norm");
	append_entries(text, evaluator, "slope_of", arguments, "slope_");
	append_entries(text, evaluator, "contribution_of", arguments, "contribution_");
	append_entries(text, evaluator, "partial_sensitivity_of", arguments, "partial_");
	append_entries(text, evaluator, "plis_of", psprintf("%s, 1", arguments), "plis_");
	append_losses(text, arguments, terms);
}

/*
 * A call for each column, so that the planner drops those that a query does
 * not ask for; calls of one row share its evaluation.
 */
static char *
create_statement(const DpsEvaluator *evaluator, const char *view, const LossTerms *terms)
{
	const char *alias = choose_alias(evaluator->relation);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "CREATE VIEW %s AS SELECT ", view);
	append_columns(&text, evaluator, alias, terms);
	appendStringInfo(&text, " FROM %s AS %s",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(evaluator->relation)),
												get_rel_name(evaluator->relation)), alias);
	return text.data;
}

static void
comment_column(const char *view, const char *column, const char *comment)
{
	run_statement(psprintf("COMMENT ON COLUMN %s.%s IS %s", view, column, quote_literal_cstr(comment)));
}

static void
comment_view(const DpsEvaluator *evaluator, const char *view, const LossTerms *terms)
{
	bool		metric = evaluator->is_protected && evaluator->adjacency == DPS_METRIC;
	int			j;

	run_statement(psprintf("COMMENT ON VIEW %s IS %s", view,
						   quote_literal_cstr("What each row contributes to the privacy loss of its table. As private as the table itself.")));
	comment_column(view, "gradient_norm", "weighted 2-norm of the gradient");
	for (j = 0; j < evaluator->nprivate; j++)
	{
		char	   *column = dps_private_column(evaluator, j);

		comment_column(view, column_name("slope_", column), "partial derivative of the value");
		comment_column(view, column_name("contribution_", column), "normalized gradient: the squares sum to 1");
		comment_column(view, column_name("partial_", column), "partial sensitivity: derivative of gradient_norm");
		comment_column(view, column_name("plis_", column), metric ?
					   "privacy loss input susceptibility: derivative of gradient_norm^2, at sigma = 1" :
					   "privacy loss input susceptibility: derivative of value^2, at sigma = 1");
	}
	comment_column(view, "individual_loss",
				   psprintf("upper bound of the row's loss by one dp_sum at the session's dpsens.epsilon, dpsens.delta and dpsens.mechanism, as RDP of order %s; none under metric",
							float8out_internal(terms->order)));
	comment_column(view, "individual_epsilon",
				   psprintf("the same loss as the epsilon of (epsilon, delta)-DP at delta = %s; none under metric",
							float8out_internal(terms->delta)));
	comment_column(view, "first_order_loss",
				   psprintf("order * gradient_norm^2 / (2 sigma^2), order %s, sigma that of one dp_sum at the session's settings; first-order, a diagnostic; Gaussian noise only",
							float8out_internal(terms->order)));
}

/* Default privileges may have opened it to others. */
static void
close_to_others(Oid view, const char *name)
{
	StringInfoData grantees;
	uint64		i;

	if (SPI_execute(psprintf("SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(grantee)) END"
							 " FROM pg_catalog.pg_class, pg_catalog.aclexplode(relacl)"
							 " WHERE pg_class.oid OPERATOR(pg_catalog.=) %u AND grantee OPERATOR(pg_catalog.<>) relowner",
							 view), false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the privileges of view %u", view);
	if (SPI_processed == 0)
		return;
	initStringInfo(&grantees);
	for (i = 0; i < SPI_processed; i++)
		appendStringInfo(&grantees, "%s%s", i > 0 ? ", " : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
	run_statement(psprintf("REVOKE ALL ON %s FROM %s CASCADE", name, grantees.data));
}

static void
give_to_owner(Oid relation, const char *view)
{
	Relation	table = table_open(relation, NoLock);
	Oid			owner = table->rd_rel->relowner;

	table_close(table, NoLock);
	if (owner != GetUserId())
		run_statement(psprintf("ALTER VIEW %s OWNER TO %s", view,
							   quote_identifier(GetUserNameFromId(owner, false))));
}

static Oid
create_view(const DpsEvaluator *evaluator, const char *name, const LossTerms *terms)
{
	Oid			schema = get_rel_namespace(evaluator->relation);
	const char *view = quote_qualified_identifier(get_namespace_name(schema), name);
	ObjectAddress address;
	Oid			oid;

	if (OidIsValid(get_relname_relid(name, schema)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists", name),
				 errhint("Pass another name for the view.")));
	SPI_connect();
	run_statement(create_statement(evaluator, view, terms));
	CommandCounterIncrement();
	oid = get_relname_relid(name, schema);
	comment_view(evaluator, view, terms);
	give_to_owner(evaluator->relation, view);
	CommandCounterIncrement();
	close_to_others(oid, view);
	ObjectAddressSet(address, RelationRelationId, oid);
	dps_set_label(&address, DPS_VIEW_LABEL);
	SPI_finish();
	return oid;
}

static double
get_number(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return PG_GETARG_FLOAT8(argument);
}

/* create_audit_view(expression, view_name, rdp_order, delta) */
Datum
dpsens_create_audit_view(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator;
	LossTerms	terms;
	char	   *name;

	PreventCommandIfReadOnly("dpsens.create_audit_view()");
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("expression must not be null")));
	terms.order = get_number(fcinfo, 2, "rdp_order");
	dps_check_order(terms.order);
	terms.delta = get_number(fcinfo, 3, "delta");
	dps_check_delta(terms.delta);
	evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_VALUE, CurrentMemoryContext);
	if (!dps_owns_relation(evaluator->relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(evaluator->relation));
	name = PG_ARGISNULL(1) ? psprintf("%s_audit", get_func_name(evaluator->function)) :
		pstrdup(NameStr(*PG_GETARG_NAME(1)));
	truncate_identifier(name, strlen(name), false);
	PG_RETURN_OID(create_view(evaluator, name, &terms));
}

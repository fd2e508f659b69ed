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
#include "mb/pg_wchar.h"
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
#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/view_label.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_create_audit_view);

/* How a view states losses. */
typedef struct LossTerms
{
	double		order;			/* of Renyi divergences */
	double		delta;
} LossTerms;

/* A column of a view. */
typedef struct ViewColumn
{
	char	   *name;
	char	   *value;			/* as SQL */
	const char *comment;
} ViewColumn;

/* What a view is made of. */
typedef struct ViewDraft
{
	const DpsEvaluator *evaluator;
	LossTerms	terms;
	const char *alias;			/* of the table */
	const char *arguments;		/* of functions of a row */
	List	   *columns;		/* of ViewColumn */
} ViewDraft;

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

static bool
has_column(const ViewDraft *draft, const char *name)
{
	ListCell   *cell;

	foreach(cell, draft->columns)
	{
		if (strcmp(((ViewColumn *) lfirst(cell))->name, name) == 0)
			return true;
	}
	return false;
}

/* A name that no column has yet: with a number, if there must be one, and cut
 * as identifiers are. */
static char *
choose_name(const ViewDraft *draft, const char *wanted)
{
	char	   *name = pstrdup(wanted);
	int			n = 0;

	truncate_identifier(name, strlen(name), false);
	while (has_column(draft, name))
	{
		char	   *number = psprintf("_%d", ++n);
		int			length = strlen(wanted);

		name = psprintf("%.*s%s", pg_mbcliplen(wanted, length, NAMEDATALEN - 1 - strlen(number)), wanted, number);
	}
	return name;
}

static void
add_column(ViewDraft *draft, const char *name, char *value, const char *comment)
{
	ViewColumn *column = palloc(sizeof(ViewColumn));

	column->name = choose_name(draft, name);
	column->value = value;
	column->comment = comment;
	draft->columns = lappend(draft->columns, column);
}

/* A call of a function of the row, with the arguments that follow the row. */
static void
add_call(ViewDraft *draft, const char *name, const char *function, const char *parameters, const char *comment)
{
	add_column(draft, name, psprintf("dpsens.%s(%s%s)", function, draft->arguments, parameters), comment);
}

/* A column for each private one. */
static void
add_entries(ViewDraft *draft, const char *prefix, const char *function, const char *parameters, const char *comment)
{
	int			j;

	for (j = 0; j < draft->evaluator->nprivate; j++)
		add_call(draft, psprintf("%s%s", prefix, dps_private_column(draft->evaluator, j)), function,
				 psprintf("%s, %d", parameters, j + 1), comment);
}

static void
add_losses(ViewDraft *draft)
{
	const char *order = float8out_internal(draft->terms.order);
	const char *delta = float8out_internal(draft->terms.delta);

	add_call(draft, "individual_loss", "individual_loss", psprintf(", %s", order),
			 psprintf("upper bound of the row's loss by one dp_sum at the session's dpsens.epsilon, dpsens.delta and dpsens.mechanism, as RDP of order %s; none under metric",
					  order));
	add_call(draft, "individual_epsilon", "individual_epsilon", psprintf(", %s", delta),
			 psprintf("the same loss as the epsilon of (epsilon, delta)-DP at delta = %s; none under metric", delta));
	add_call(draft, "first_order_loss", "first_order_loss", psprintf(", %s", order),
			 psprintf("order * gradient_norm^2 / (2 sigma^2), order %s, sigma that of one dp_sum at the session's settings; first-order, a diagnostic; Gaussian noise only",
					  order));
}

static void
add_keys(ViewDraft *draft)
{
	Oid			relation = draft->evaluator->relation;
	ListCell   *cell;

	foreach(cell, dps_key_columns(relation))
	{
		char	   *name = get_attname(relation, lfirst_int(cell), false);

		add_column(draft, name, psprintf("%s.%s", draft->alias, quote_identifier(name)), NULL);
	}
}

/*
 * A call for each column, so that the planner drops those that a query does
 * not ask for; calls of one row share its evaluation.
 */
static void
add_columns(ViewDraft *draft)
{
	add_keys(draft);
	add_call(draft, "value", "value_of", "", NULL);
	add_call(draft, "gradient", "gradient_of", "", "slopes, as an array");
	add_call(draft, "gradient_norm", "gradient_norm_of", "", "weighted 2-norm of the gradient");
	add_entries(draft, "slope_", "slope_of", "", "partial derivative of the value");
	add_entries(draft, "contribution_", "contribution_of", "", "normalized gradient: the squares sum to 1");
	add_entries(draft, "partial_", "partial_sensitivity_of", "", "partial sensitivity: derivative of gradient_norm");
	add_entries(draft, "plis_", "plis_of", ", 1", dps_evaluator_is_metric(draft->evaluator) ?
				"privacy loss input susceptibility: derivative of gradient_norm^2, at sigma = 1" :
				"privacy loss input susceptibility: derivative of value^2, at sigma = 1");
	add_losses(draft);
}

static char *
create_statement(const ViewDraft *draft, const char *view)
{
	Oid			relation = draft->evaluator->relation;
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	appendStringInfo(&text, "CREATE VIEW %s AS SELECT ", view);
	foreach(cell, draft->columns)
	{
		ViewColumn *column = lfirst(cell);

		appendStringInfo(&text, "%s%s AS %s", foreach_current_index(cell) > 0 ? ", " : "", column->value,
						 quote_identifier(column->name));
	}
	appendStringInfo(&text, " FROM %s AS %s",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation)),
					 draft->alias);
	return text.data;
}

static void
comment_view(const ViewDraft *draft, const char *view)
{
	ListCell   *cell;

	run_statement(psprintf("COMMENT ON VIEW %s IS %s", view,
						   quote_literal_cstr("What each row contributes to the privacy loss of its table. As private as the table itself.")));
	foreach(cell, draft->columns)
	{
		ViewColumn *column = lfirst(cell);

		if (column->comment != NULL)
			run_statement(psprintf("COMMENT ON COLUMN %s.%s IS %s", view, quote_identifier(column->name),
								   quote_literal_cstr(column->comment)));
	}
}

/* Revokes what default privileges may have granted to others. */
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
create_view(const ViewDraft *draft, const char *name)
{
	const DpsEvaluator *evaluator = draft->evaluator;
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
	run_statement(create_statement(draft, view));
	CommandCounterIncrement();
	oid = get_relname_relid(name, schema);
	comment_view(draft, view);
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
	dps_refuse_null(fcinfo, argument, name);
	return PG_GETARG_FLOAT8(argument);
}

/* create_audit_view(expression, view_name, rdp_order, delta) */
Datum
dpsens_create_audit_view(PG_FUNCTION_ARGS)
{
	DpsEvaluator *evaluator;
	ViewDraft	draft = {0};
	char	   *name;

	PreventCommandIfReadOnly("dpsens.create_audit_view()");
	dps_refuse_null(fcinfo, 0, "expression");
	draft.terms.order = get_number(fcinfo, 2, "rdp_order");
	dps_check_order(draft.terms.order);
	draft.terms.delta = get_number(fcinfo, 3, "delta");
	dps_check_delta(draft.terms.delta);
	evaluator = dps_evaluator_make(PG_GETARG_OID(0), DPS_DETAIL_VALUE, CurrentMemoryContext);
	if (!dps_owns_relation(evaluator->relation, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(evaluator->relation));
	dps_citus_refuse_use(evaluator->relation, "audit views of", "Citus would compute them where the rows are, and nodes do not know the expression.",
						 "dpsens.row_sensitivity() yields the same of each row.");
	name = PG_ARGISNULL(1) ? psprintf("%s_audit", get_func_name(evaluator->function)) :
		pstrdup(NameStr(*PG_GETARG_NAME(1)));
	truncate_identifier(name, strlen(name), false);
	draft.evaluator = evaluator;
	draft.alias = choose_alias(evaluator->relation);
	draft.arguments = psprintf("%s::pg_catalog.regprocedure, %s",
							   quote_literal_cstr(format_procedure_qualified(evaluator->function)), draft.alias);
	add_columns(&draft);
	PG_RETURN_OID(create_view(&draft, name));
}

/*
 * sql_expression.c
 *		Registered row expressions: dpsens.register, unregister and what the
 *		view dpsens.expressions shows.
 *
 * A registered expression is an SQL function of a relation's row type whose parsed body
 * is the expression, with the label EXPRESSION.  So the server tracks renames and
 * dependencies.  Its brackets are stored as well, only to spare other sessions the
 * search: they can be found again.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#include "bound/dimension.h"
#include "glue/analysis/analysis.h"
#include "glue/analysis/bracket_store.h"
#include "glue/analysis/row.h"
#include "glue/bounds.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/parse.h"
#include "glue/label/annotation.h"
#include "glue/version.h"

DPS_SQL_FUNCTION(dpsens_register);
DPS_SQL_FUNCTION(dpsens_unregister);
DPS_SQL_FUNCTION(dpsens_describe_expression);

/*
 * dpsens.register and dpsens.unregister
 */

/* Opens a table of the current user with AccessShareLock, which the caller keeps:
 * columns cannot change.  Ownership is checked first, so that other users cannot lock
 * the table. */
static Relation
open_owned_relation(Oid oid)
{
	Relation	relation;

	if (!dps_owns_relation(oid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(oid)), get_rel_name(oid));
	relation = table_open(oid, AccessShareLock);
	if (relation->rd_rel->relkind != RELKIND_RELATION &&
		relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", RelationGetRelationName(relation))));
	return relation;
}

static Oid
find_expression(const char *name, Oid relation)
{
	Oid			row_type = get_rel_type_id(relation);

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(&row_type, 1)),
						   ObjectIdGetDatum(get_rel_namespace(relation)));
}

static void
check_name(const char *name, Relation relation)
{
	Oid			oid = RelationGetRelid(relation);

	if (get_attnum(oid, name) != InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("relation \"%s\" has a column \"%s\" already", RelationGetRelationName(relation), name),
				 errhint("Choose a name under which the expression can be used like a column.")));
	if (OidIsValid(find_expression(name, oid)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_FUNCTION),
				 errmsg("relation \"%s\" has an expression or function \"%s\" already",
						RelationGetRelationName(relation), name),
				 errhint("Use dpsens.unregister to remove a registered expression.")));
}

/* The parsed expression, cast to double precision. */
static Node *
parse_expression(const char *text, Relation relation)
{
	Node	   *expression = dps_parse_row_expression(text, relation);
	Oid			type = exprType(expression);
	Node	   *result;

	result = coerce_to_target_type(NULL, expression, type, FLOAT8OID, -1, COERCION_ASSIGNMENT,
								   COERCE_EXPLICIT_CAST, -1);
	if (result == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression must be a number, not type %s", format_type_be(type)),
				 type == BOOLOID ? errhint("Use CASE WHEN ... THEN 1 ELSE 0 END.") : 0));
	return result;
}

/* Asks for the quantities that queries under the relation's adjacency need, beside the
 * bounds of the value, so that they are recorded. */
static void
ask_for_queries(DpsAnalysis *analysis, const DpsRelationAnnotation *annotation)
{
	DpsBracket	bracket;
	int			n = dps_columns(analysis->graph);
	int			j;

	if (!annotation->is_protected ||
		(annotation->adjacency != DPS_ATTRIBUTE && annotation->adjacency != DPS_METRIC))
		return;
	dps_quantity(analysis, DPS_EVALUATION_ERROR, -1, &bracket);
	if (annotation->adjacency == DPS_METRIC)
		dps_quantity(analysis, DPS_SUM_METRIC, -1, &bracket);
	for (j = 0; j < n && annotation->adjacency == DPS_ATTRIBUTE; j++)
	{
		if (analysis->policy.private_variables & (UINT64_C(1) << j))
			dps_quantity(analysis, DPS_SUM_ATTRIBUTE, j, &bracket);
	}
}

/* Raises an error if the value has no bounds: sums of it would be refused. */
static void
check_bounds(DpsAnalysis *analysis)
{
	DpsBracket	bracket;

	dps_quantity(analysis, DPS_INFIMUM, -1, &bracket);
	dps_refuse_bracket(analysis->graph, &bracket, "the expression", 0);
	dps_quantity(analysis, DPS_SUPREMUM, -1, &bracket);
	dps_refuse_bracket(analysis->graph, &bracket, "the expression", 0);
}

/* A name for the row parameter that is neither a column's nor the function's: the
 * server accepts the function's name as a qualifier of parameters. */
static const char *
choose_parameter(const char *function, Relation relation)
{
	char	   *name = pstrdup("r");
	int			n = 0;

	while (strcmp(name, function) == 0 || get_attnum(RelationGetRelid(relation), name) != InvalidAttrNumber)
		name = psprintf("r%d", ++n);
	return name;
}

static char *
create_statement(const char *name, Relation relation, Node *expression)
{
	Oid			oid = RelationGetRelid(relation);
	char	   *schema = get_namespace_name(RelationGetNamespace(relation));
	const char *parameter = choose_parameter(name, relation);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "CREATE FUNCTION %s", quote_qualified_identifier(schema, name));
	appendStringInfo(&text, " (%s %s)", parameter,
					 quote_qualified_identifier(schema, RelationGetRelationName(relation)));
	appendStringInfo(&text, " RETURNS pg_catalog.float8 LANGUAGE sql %s PARALLEL SAFE RETURN %s",
					 contain_mutable_functions(expression) ? "STABLE" : "IMMUTABLE",
					 deparse_expression(expression, deparse_context_for(parameter, oid), true, false));
	return text.data;
}

/* Runs a statement with the privileges of the current user. */
static void
run_statement(const char *statement)
{
	SPI_connect();
	if (SPI_execute(statement, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "could not execute: %s", statement);
	SPI_finish();
}

Datum
dpsens_register(PG_FUNCTION_ARGS)
{
	DpsSource	source;
	DpsRowAnalysis row;
	DpsRelationAnnotation annotation;
	DpsBracketRecord record = {0};
	ObjectAddress address;
	Relation	relation;
	Node	   *expression;
	char	   *name;
	char	   *typed;
	Oid			function;

	PreventCommandIfReadOnly("dpsens.register()");
	dps_refuse_null(fcinfo, 0, "name");
	dps_refuse_null(fcinfo, 1, "relation");
	dps_refuse_null(fcinfo, 2, "expression");
	name = pstrdup(NameStr(*PG_GETARG_NAME(0)));
	relation = open_owned_relation(PG_GETARG_OID(1));
	typed = text_to_cstring(PG_GETARG_TEXT_PP(2));
	check_name(name, relation);

	dps_source_enter(&source, typed);
	expression = parse_expression(typed, relation);
	dps_prepare_row(RelationGetRelid(relation), expression, typed, &row);
	dps_source_leave(&source);
	row.analysis.record = &record;
	check_bounds(&row.analysis);
	dps_get_relation_annotation(RelationGetRelid(relation), &annotation);
	ask_for_queries(&row.analysis, &annotation);

	run_statement(create_statement(name, relation, expression));
	function = find_expression(name, RelationGetRelid(relation));
	if (!OidIsValid(function))
		elog(ERROR, "function %s was not created", name);
	ObjectAddressSet(address, ProcedureRelationId, function);
	dps_set_label(&address, "EXPRESSION");
	dps_store_brackets(function, &record);
	dps_sweep_brackets();
	table_close(relation, NoLock);
	PG_RETURN_OID(function);
}

Datum
dpsens_unregister(PG_FUNCTION_ARGS)
{
	Relation	relation;
	char	   *name;
	Oid			function;

	PreventCommandIfReadOnly("dpsens.unregister()");
	dps_refuse_null(fcinfo, 0, "name");
	dps_refuse_null(fcinfo, 1, "relation");
	name = pstrdup(NameStr(*PG_GETARG_NAME(0)));
	relation = open_owned_relation(PG_GETARG_OID(1));
	function = find_expression(name, RelationGetRelid(relation));
	if (!OidIsValid(function) || !dps_is_registered_expression(function))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("relation \"%s\" has no registered expression \"%s\"",
						RelationGetRelationName(relation), name),
				 errhint("The view dpsens.expressions lists them.")));
	run_statement(psprintf("DROP FUNCTION %s", format_procedure_qualified(function)));
	dps_sweep_brackets();
	table_close(relation, NoLock);
	PG_RETURN_VOID();
}

/*
 * dpsens_internal.describe_expression
 */

enum
{
	OUT_RELATION,
	OUT_EXPRESSION,
	OUT_EXPRESSION_LATEX,
	OUT_GRADIENT,
	OUT_GRADIENT_LATEX,
	OUT_NORM,
	OUT_NORM_LATEX,
	OUT_ADJACENCY,
	OUT_INFIMUM,
	OUT_SUPREMUM,
	OUT_ADD_REMOVE,
	OUT_REPLACE,
	OUT_ATTRIBUTE,
	OUT_METRIC,
	OUT_WITNESS,
	OUT_NOTE,
	OUT_COUNT
};

typedef struct Description
{
	Datum		value[OUT_COUNT];
	bool		isnull[OUT_COUNT];
	StringInfoData note;
	JsonbParseState *witness;
} Description;

static void
set_text(Description *d, int column, const char *text)
{
	d->isnull[column] = text == NULL;
	if (text != NULL)
		d->value[column] = CStringGetTextDatum(text);
}

static void
push_key(JsonbParseState **state, const char *text)
{
	JsonbValue	key;

	key.type = jbvString;
	key.val.string.val = pstrdup(text);
	key.val.string.len = strlen(text);
	pushJsonbValue(state, WJB_KEY, &key);
}

/* {"column": "derivative"} for the private columns. */
static void
set_gradient(Description *d, int column, const DpsAnalysis *analysis, const DpsNode *const *gradient,
			 char *(*print) (const DpsGraph *, const DpsNode *))
{
	JsonbParseState *state = NULL;
	int			j;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (j = 0; j < dps_columns(analysis->graph); j++)
	{
		JsonbValue	value;
		char	   *text;

		if (!(analysis->policy.private_variables & (UINT64_C(1) << j)))
			continue;
		text = print(analysis->graph, gradient[j]);
		value.type = text == NULL ? jbvNull : jbvString;
		if (text != NULL)
		{
			value.val.string.val = text;
			value.val.string.len = strlen(text);
		}
		push_key(&state, dps_variable_key(analysis->graph, j));
		pushJsonbValue(&state, WJB_VALUE, &value);
	}
	d->value[column] = JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL)));
	d->isnull[column] = false;
}

static void
describe_formulas(Description *d, const DpsAnalysis *analysis)
{
	const DpsGraph *graph = analysis->graph;
	const DpsNode *gradient[DPS_MAX_VARIABLES + 1];
	const DpsNode *norm;

	dps_check_status(dps_gradient(analysis->graph, analysis->node, gradient));
	norm = dps_norm2(analysis->graph, gradient, analysis->policy.private_variables,
					 analysis->policy.weights);
	if (norm == NULL)
		dps_check_status(DPS_NOMEM);
	set_text(d, OUT_EXPRESSION, dps_node_sql(graph, analysis->node));
	set_text(d, OUT_EXPRESSION_LATEX, dps_node_latex(graph, analysis->node));
	set_gradient(d, OUT_GRADIENT, analysis, gradient, dps_node_sql);
	set_gradient(d, OUT_GRADIENT_LATEX, analysis, gradient, dps_node_latex);
	set_text(d, OUT_NORM, dps_node_sql(graph, norm));
	set_text(d, OUT_NORM_LATEX, dps_node_latex(graph, norm));
}

/* Is the note to be shown?  A reason is shown once, however many quantities it affects.
 * The other row of an attribute's pair is not shown. */
static bool
is_worth_saying(const Description *d, DpsQuantityKind kind, const DpsBracket *bracket, const char *note)
{
	if (note == NULL || strstr(d->note.data, note) != NULL)
		return false;
	return kind != DPS_SUM_ATTRIBUTE || bracket->status != DPS_OK || bracket->exhausted;
}

/* Sets the proved end of a quantity; adds its witness and its note. */
static void
describe_bracket(Description *d, int column, const DpsAnalysis *analysis, DpsQuantityKind kind,
				 int variable, const DpsBracket *bracket)
{
	const char *name = dps_quantity_name(analysis, kind, variable);
	char	   *note = dps_quantity_note(analysis, kind, variable, bracket);
	double		proved = kind == DPS_INFIMUM ? bracket->lower : bracket->upper;
	JsonbValue	point;

	if (bracket->status != DPS_OK)
		proved = kind == DPS_INFIMUM ? -INFINITY : INFINITY;
	d->value[column] = Float8GetDatum(proved + 0.0);
	d->isnull[column] = false;
	push_key(&d->witness, name);
	JsonbToJsonbValue(dps_point_to_jsonb(analysis->graph, &bracket->witness), &point);
	pushJsonbValue(&d->witness, WJB_VALUE, &point);
	if (is_worth_saying(d, kind, bracket, note))
		appendStringInfo(&d->note, "%s%s: %s", d->note.len > 0 ? "; " : "", name, note);
}

static void
describe_quantity(Description *d, int column, DpsAnalysis *analysis, DpsQuantityKind kind)
{
	DpsBracket	bracket;

	dps_quantity(analysis, kind, -1, &bracket);
	describe_bracket(d, column, analysis, kind, -1, &bracket);
}

/* Describes the column that moves the value furthest. */
static void
describe_attribute(Description *d, DpsAnalysis *analysis)
{
	DpsBracket	widest = {0};
	int			variable = -1;
	int			n = dps_columns(analysis->graph);
	int			j;

	for (j = 0; j < n; j++)
	{
		DpsBracket	bracket;

		if (!(analysis->policy.private_variables & (UINT64_C(1) << j)))
			continue;
		dps_quantity(analysis, DPS_SUM_ATTRIBUTE, j, &bracket);
		if (variable >= 0 && bracket.upper <= widest.upper)
			continue;
		widest = bracket;
		variable = j;
	}
	if (variable >= 0)
		describe_bracket(d, OUT_ATTRIBUTE, analysis, DPS_SUM_ATTRIBUTE, variable, &widest);
	else
	{
		d->value[OUT_ATTRIBUTE] = Float8GetDatum(0);
		d->isnull[OUT_ATTRIBUTE] = false;
	}
}

static void
describe_bounds(Description *d, DpsAnalysis *analysis)
{
	pushJsonbValue(&d->witness, WJB_BEGIN_OBJECT, NULL);
	describe_quantity(d, OUT_INFIMUM, analysis, DPS_INFIMUM);
	describe_quantity(d, OUT_SUPREMUM, analysis, DPS_SUPREMUM);
	describe_quantity(d, OUT_ADD_REMOVE, analysis, DPS_SUM_ADD_REMOVE);
	describe_quantity(d, OUT_REPLACE, analysis, DPS_SUM_REPLACE);
	describe_quantity(d, OUT_METRIC, analysis, DPS_SUM_METRIC);
	describe_attribute(d, analysis);
	d->value[OUT_WITNESS] =
		JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&d->witness, WJB_END_OBJECT, NULL)));
	d->isnull[OUT_WITNESS] = false;
}

static void
describe(Description *d, Oid function)
{
	Oid			relation = dps_expression_relation(function);
	DpsRelationAnnotation annotation;
	DpsBracketRecord record = {0};
	DpsRowAnalysis row;

	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function %s is not a row expression", format_procedure(function))));
	d->value[OUT_RELATION] = ObjectIdGetDatum(relation);
	d->isnull[OUT_RELATION] = false;
	dps_get_relation_annotation(relation, &annotation);
	if (annotation.is_protected)
		set_text(d, OUT_ADJACENCY, dps_adjacency_name(annotation.adjacency));
	dps_prepare_row(relation, dps_expression_body(function), NULL, &row);
	row.analysis.record = &record;
	describe_formulas(d, &row.analysis);
	describe_bounds(d, &row.analysis);
	if (!dps_is_registered_expression(function) || !dps_owns_relation(relation, GetUserId()))
		return;
	ask_for_queries(&row.analysis, &annotation);
	dps_store_brackets(function, &record);
}

/* Is the error about the expression?  Cancelling and running out of memory are not. */
static bool
is_own_fault(const ErrorData *error)
{
	return error->sqlerrcode != ERRCODE_QUERY_CANCELED && error->sqlerrcode != ERRCODE_OUT_OF_MEMORY &&
		error->sqlerrcode != ERRCODE_ADMIN_SHUTDOWN;
}

/* An expression that fails must not make the view fail for the others, so it is
 * described in a subtransaction and its error becomes the note. */
static void
describe_safely(Description *d, Oid function)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		describe(d, function);
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		if (!is_own_fault(error))
			ReThrowError(error);
		resetStringInfo(&d->note);
		appendStringInfoString(&d->note, error->message);
	}
	PG_END_TRY();
}

Datum
dpsens_describe_expression(PG_FUNCTION_ARGS)
{
	Description d;
	TupleDesc	descriptor;
	int			i;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	memset(&d, 0, sizeof(d));
	for (i = 0; i < OUT_COUNT; i++)
		d.isnull[i] = true;
	initStringInfo(&d.note);
	describe_safely(&d, PG_GETARG_OID(0));
	if (d.note.len > 0)
		set_text(&d, OUT_NOTE, d.note.data);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), d.value, d.isnull)));
}

/*
 * parse.c
 *		Row expressions as text, and as the bodies of SQL functions.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/import/parse.h"

/* Makes an error's position one in the source, as SPI does for the queries that it runs. */
static void
move_position(void *arg)
{
	const DpsSource *source = (const DpsSource *) arg;
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(source->text);
	}
}

void
dps_source_enter(DpsSource *source, const char *text)
{
	source->text = text;
	source->callback.callback = move_position;
	source->callback.arg = source;
	source->callback.previous = error_context_stack;
	error_context_stack = &source->callback;
}

void
dps_source_leave(DpsSource *source)
{
	error_context_stack = source->callback.previous;
}

/* Refuses subqueries before the analysis looks up relations that they name, and a bare *,
 * which the analysis does not expect outside of a target list. */
static bool
refuse_raw(Node *node, void *context)
{
	ParseState *pstate = (ParseState *) context;

	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a subquery is not supported in a row expression"),
				 parser_errposition(pstate, ((SubLink *) node)->location)));
	if (IsA(node, ColumnRef) && IsA(llast(((ColumnRef *) node)->fields), A_Star))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("\"*\" does not name a column"),
				 parser_errposition(pstate, ((ColumnRef *) node)->location)));
	return raw_expression_tree_walker(node, refuse_raw, context);
}

/* Does the statement have no clauses but its target list? */
static bool
is_bare(const SelectStmt *statement)
{
	return statement->distinctClause == NIL && statement->intoClause == NULL &&
		statement->fromClause == NIL && statement->whereClause == NULL &&
		statement->groupClause == NIL && statement->havingClause == NULL &&
		statement->windowClause == NIL && statement->valuesLists == NIL &&
		statement->sortClause == NIL && statement->limitOffset == NULL &&
		statement->limitCount == NULL && statement->lockingClause == NIL &&
		statement->withClause == NULL && statement->op == SETOP_NONE;
}

/* The raw tree of the only expression in the text. */
static Node *
parse_raw(ParseState *pstate, const char *text)
{
	List	   *statements = raw_parser(text, RAW_PARSE_PLPGSQL_EXPR);
	SelectStmt *statement = NULL;
	ResTarget  *target = NULL;

	if (list_length(statements) == 1)
		statement = (SelectStmt *) linitial_node(RawStmt, statements)->stmt;
	if (statement != NULL && IsA(statement, SelectStmt) && is_bare(statement) &&
		list_length(statement->targetList) == 1)
		target = linitial_node(ResTarget, statement->targetList);
	if (target == NULL || target->name != NULL || target->indirection != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("\"%s\" is not a single expression", text),
				 errhint("Write one expression over the columns, without FROM, WHERE or an alias.")));
	(void) refuse_raw(target->val, pstate);
	return target->val;
}

static Node *
analyse(ParseState *pstate, const char *text)
{
	Node	   *expression;

	expression = transformExpr(pstate, parse_raw(pstate, text), EXPR_KIND_OTHER);
	assign_expr_collations(pstate, expression);
	return expression;
}

static Node *
resolve_column(ParseState *pstate, ColumnRef *reference)
{
	const DpsParseColumns *columns = (const DpsParseColumns *) pstate->p_ref_hook_state;
	Param	   *param;
	int			i;

	for (i = 0; list_length(reference->fields) == 1 && i < columns->n; i++)
	{
		if (strcmp(strVal(linitial(reference->fields)), columns->column[i].name) != 0)
			continue;
		param = makeNode(Param);
		param->paramkind = PARAM_EXTERN;
		param->paramid = i + 1;
		param->paramtype = columns->column[i].type;
		param->paramtypmod = -1;
		param->paramcollid = get_typcollation(param->paramtype);
		param->location = reference->location;
		return (Node *) param;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" is not defined", NameListToString(reference->fields)),
			 errhint("%s", columns->missing_hint),
			 parser_errposition(pstate, reference->location)));
	return NULL;				/* keep the compiler quiet */
}

Node *
dps_parse_expression(const char *text, const DpsParseColumns *columns)
{
	ParseState *pstate = make_parsestate(NULL);
	Node	   *expression;

	pstate->p_sourcetext = text;
	pstate->p_pre_columnref_hook = resolve_column;
	pstate->p_ref_hook_state = (void *) columns;
	expression = analyse(pstate, text);
	free_parsestate(pstate);
	return expression;
}

Node *
dps_parse_row_expression(const char *text, Relation relation)
{
	ParseState *pstate = make_parsestate(NULL);
	ParseNamespaceItem *item;
	Node	   *expression;

	pstate->p_sourcetext = text;
	item = addRangeTableEntryForRelation(pstate, relation, AccessShareLock, NULL, false, true);
	addNSItemToQuery(pstate, item, false, true, true);
	expression = analyse(pstate, text);
	free_parsestate(pstate);
	return expression;
}

/* Does the query only compute one expression from the parameters? */
static bool
is_expression_query(const Query *query)
{
	return query->commandType == CMD_SELECT && query->jointree->fromlist == NIL &&
		query->jointree->quals == NULL && query->cteList == NIL &&
		query->setOperations == NULL && query->groupClause == NIL &&
		query->groupingSets == NIL && query->havingQual == NULL &&
		query->limitCount == NULL && query->limitOffset == NULL &&
		!query->hasAggs && !query->hasWindowFuncs && !query->hasTargetSRFs &&
		!query->hasSubLinks && list_length(query->targetList) == 1;
}

Node *
dps_find_expression_body(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Node	   *expression = NULL;
	Datum		body;
	Oid			type;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	type = ((Form_pg_proc) GETSTRUCT(tuple))->prorettype;
	body = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosqlbody, &isnull);
	if (!isnull)
	{
		Node	   *node = stringToNode(TextDatumGetCString(body));

		if (node != NULL && IsA(node, Query) && is_expression_query((Query *) node))
			expression = (Node *) linitial_node(TargetEntry, ((Query *) node)->targetList)->expr;
	}
	ReleaseSysCache(tuple);
	/* the stored body lacks this cast, which the server adds when it inlines or runs the
	 * function */
	if (expression != NULL)
		expression = coerce_to_target_type(NULL, expression, exprType(expression), type, -1,
										   COERCION_ASSIGNMENT, COERCE_IMPLICIT_CAST, -1);
	return expression;
}

Node *
dps_expression_body(Oid function)
{
	Node	   *expression = dps_find_expression_body(function);

	if (expression == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("function %s is not a row expression", format_procedure(function)),
				 errhint("A row expression is an SQL function whose body is RETURN with one expression, as dpsens.register() makes it.")));
	return expression;
}

AttrNumber
dps_body_column(Node *leaf)
{
	FieldSelect *select = (FieldSelect *) leaf;
	Param	   *param;

	if (!IsA(leaf, FieldSelect) || !IsA(select->arg, Param))
		return InvalidAttrNumber;
	param = (Param *) select->arg;
	if (param->paramkind != PARAM_EXTERN || param->paramid != 1)
		return InvalidAttrNumber;
	return select->fieldnum;
}

Oid
dps_expression_relation(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc proc;
	Oid			relation = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	if (proc->pronargs == 1)
		relation = get_typ_typrelid(proc->proargtypes.values[0]);
	ReleaseSysCache(tuple);
	return relation;
}

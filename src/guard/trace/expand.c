/*
 * expand.c
 *		Rewrites expressions of a level over the columns of what it reads, and
 *		provides these columns at the level.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/analysis/row.h"
#include "glue/compat.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "guard/source/grouped_part.h"
#include "guard/source/join_list.h"
#include "guard/source/union_columns.h"
#include "guard/trace/expand.h"

typedef struct ExpandContext
{
	DpsProtectedSource  *source;
	Query	   *level;			/* whose Vars are replaced */
} ExpandContext;

static Node *expand_mutator(Node *node, ExpandContext *context);

static void
refuse_system_column(const DpsProtectedSource *source)
{
	dps_refuse_source(source, "a system column is",
					  "Where a row is stored depends on the other rows; refer to the columns of the relation.");
}

static Node *
expand_var(Var *var, ExpandContext *context)
{
	const DpsProtectedSource *source = context->source;
	RangeTblEntry *entry = rt_fetch(var->varno, context->level->rtable);
	ExpandContext below = *context;
	TargetEntry *target;
	Node	   *column;

	if (entry->rtekind == RTE_SUBQUERY && var->varattno > 0)
	{
		int			number;
		const DpsPart *part = dps_grouped_part(source, entry, &number);

		target = part != NULL ? get_tle_by_resno(entry->subquery->targetList, var->varattno) : NULL;
		if (target != NULL)
			return dps_grouped_expression(source, part, number, (Node *) target->expr);
	}
	if (entry->rtekind == RTE_JOIN && var->varattno > 0)
		return expand_mutator(list_nth(entry->joinaliasvars, var->varattno - 1), context);
	if (source->parts == NIL && var->varno != dps_only_index(context->level))
		dps_refuse_source(source, "this column reference is", "Refer to the columns of the relation.");
	if (var->varattno < 0)
		refuse_system_column(source);
	if (entry->rtekind == RTE_RELATION || (dps_is_list_entry(entry) && var->varattno > 0) ||
		(entry->rtekind == RTE_SUBQUERY && var->varattno > 0 && entry->subquery->setOperations != NULL))
	{
		var = copyObject(var);
		var->varno = source->parts == NIL ? 1 : dps_part_number(source, entry);
		/* the position in a view's text means nothing here, and ruleutils would use it */
		var->varnosyn = 0;
		var->varattnosyn = 0;
		if (entry->rtekind == RTE_SUBQUERY)
			dps_check_union_column(source, var);
		return (Node *) var;
	}
	if (var->varattno <= 0 || entry->rtekind != RTE_SUBQUERY)
		dps_refuse_source(source, "a whole-row reference to a view or subquery is",
					  "Call registered expressions on the table itself, or refer to the columns.");
	target = get_tle_by_resno(entry->subquery->targetList, var->varattno);
	if (target == NULL)
		elog(ERROR, "no target entry %d in a subquery", var->varattno);
	if (dps_is_row_of_expressions(entry))
	{
		/* the expression is over columns of this level */
		column = copyObject((Node *) target->expr);
		IncrementVarSublevelsUp(column, -1, 1);
		return expand_mutator(column, context);
	}
	below.level = entry->subquery;
	column = expand_mutator((Node *) target->expr, &below);
	if (!IsA(column, Var) && list_member_ptr(source->padded, entry))
		dps_refuse_source(source, "a computed column of the optional side of an outer join is",
						  "Compute it outside of the subquery or view.");
	return column;
}

/* Replaces FieldSelects of the row parameter in a body by columns. */
static Node *
body_mutator(Node *node, void *row)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, FieldSelect) && IsA(((FieldSelect *) node)->arg, Param))
	{
		FieldSelect *field = (FieldSelect *) node;

		return (Node *) makeVar(((Var *) row)->varno, field->fieldnum, field->resulttype, field->resulttypmod,
								field->resultcollid, 0);
	}
	return expression_tree_mutator(node, body_mutator, row);
}

/* Inlines a call of a registered expression over the whole row. */
static Node *
expand_registered(DpsProtectedSource *source, FuncExpr *call, Node *row)
{
	AclResult	allowed = dps_check_execute(call->funcid, GetUserId());

	if (allowed != ACLCHECK_OK)
		aclcheck_error(allowed, OBJECT_FUNCTION, get_func_name(call->funcid));
	source->functions = list_append_unique_oid(source->functions, call->funcid);
	return body_mutator(dps_expression_body(call->funcid), row);
}

/* Is it fn(p) with fn registered and p the whole row of the relation? */
static Node *
try_registered(FuncExpr *call, ExpandContext *context)
{
	Node	   *argument;

	if (list_length(call->args) != 1)
		return NULL;
	argument = linitial(call->args);
	if (!IsA(argument, Var) || ((Var *) argument)->varattno != 0 || ((Var *) argument)->varlevelsup != 0)
		return NULL;
	if (!dps_is_registered_expression(call->funcid))
		return NULL;
	/* checks that it is the relation's row, not a view's */
	argument = expand_var((Var *) argument, context);
	return expand_registered(context->source, call, argument);
}

/* The level's columns in a subquery that is correlated with it. */
typedef struct Correlation
{
	const DpsProtectedSource *source;
	Index		depth;			/* nesting depth below the level */
} Correlation;

static bool
system_column_walker(Node *node, Correlation *correlation)
{
	const Var  *var = (const Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Var) && var->varlevelsup == correlation->depth && var->varattno < 0)
		refuse_system_column(correlation->source);
	if (IsA(node, Query))
	{
		correlation->depth++;
		(void) query_tree_walker((Query *) node, system_column_walker, correlation, 0);
		correlation->depth--;
		return false;
	}
	return expression_tree_walker(node, system_column_walker, correlation);
}

/* Copies a subquery, which belongs to another level, as it is.  An error if it refers to system columns of
 * this level. */
static Node *
keep_subquery(const DpsProtectedSource *source, Node *subquery)
{
	Correlation	correlation = {source, 0};

	(void) system_column_walker(subquery, &correlation);
	return copyObject(subquery);
}

static Node *
expand_mutator(Node *node, ExpandContext *context)
{
	Node	   *body;

	if (node == NULL)
		return NULL;
	check_stack_depth();
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return expand_var((Var *) node, context);
	if (IsA(node, FuncExpr))
	{
		body = try_registered((FuncExpr *) node, context);
		if (body != NULL)
			return body;
	}
	if (IsA(node, SubLink))
		return keep_subquery(context->source, node);
	return expression_tree_mutator(node, expand_mutator, (void *) context);
}

Node *
dps_expand_expression(DpsProtectedSource *source, Node *expression)
{
	ExpandContext context = {source, source->query};

	return expand_mutator(expression, &context);
}

/* The bytes of all columns that may be long, uncompressed: at least as many as a row that is one value has.  Nothing is read for it. */
static Expr *
bytes_of_row(int index, Oid relation)
{
	Expr	   *bytes = (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false, FLOAT8PASSBYVAL);
	Relation	opened = table_open(relation, AccessShareLock);
	TupleDesc	descriptor = RelationGetDescr(opened);
	int			i;

	for (i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);
		CoalesceExpr *size = makeNode(CoalesceExpr);
		Var		   *var = makeVar(index, column->attnum, column->atttypid, column->atttypmod, column->attcollation, 0);
		RelabelType *stored = makeRelabelType((Expr *) var, BYTEAOID, -1, InvalidOid, COERCE_IMPLICIT_CAST);
		Expr	   *own = (Expr *) makeFuncExpr(F_OCTET_LENGTH_BYTEA, INT4OID, list_make1(stored), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);

		if (column->attisdropped || column->attlen != -1)
			continue;
		size->coalescetype = INT4OID;
		size->args = list_make2(own, makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true));
		size->location = -1;
		bytes = (Expr *) makeFuncExpr(F_INT84PL, INT8OID, list_make2(bytes, size), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	}
	table_close(opened, NoLock);
	return bytes;
}

#define LONGEST_ROW (128 * 1024 * 1024)

/* CASE WHEN it is no longer than a value can be THEN the whole row END: making one of a longer row is an error, which would tell
 * of the row. */
static Expr *
whole_row(int index, Oid relation)
{
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);
	Expr	   *most = (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(LONGEST_ROW), false, true);

	when->location = result->location = -1;
	when->expr = (Expr *) makeFuncExpr(F_INT84LT, BOOLOID, list_make2(bytes_of_row(index, relation), most), InvalidOid, InvalidOid,
									   COERCE_EXPLICIT_CALL);
	result->casetype = get_rel_type_id(relation);
	when->result = (Expr *) makeVar(index, InvalidAttrNumber, result->casetype, -1, InvalidOid, 0);
	result->args = list_make1(when);
	result->defresult = (Expr *) makeNullConst(result->casetype, -1, InvalidOid);
	return (Expr *) result;
}

/* The relation's column as an expression of this level: a Var, but for a whole row. */
static Expr *
expose(Query *level, AttrNumber column)
{
	int			index = dps_only_index(level);
	RangeTblEntry *entry = rt_fetch(index, level->rtable);
	Expr	   *inner;
	TargetEntry *target;
	ListCell   *cell;
	char	   *name;

	if (entry->rtekind == RTE_RELATION)
	{
		Oid			type;
		int32		typmod;
		Oid			collation;

		if (column == InvalidAttrNumber)
			return whole_row(index, entry->relid);
		get_atttypetypmodcoll(entry->relid, column, &type, &typmod, &collation);
		return (Expr *) makeVar(index, column, type, typmod, collation, 0);
	}
	inner = expose(entry->subquery, column);
	foreach(cell, entry->subquery->targetList)
	{
		target = lfirst_node(TargetEntry, cell);
		if (!target->resjunk && equal(target->expr, inner))
			return (Expr *) makeVarFromTargetEntry(index, target);
	}
	/* junk entries must stay last, so the new one goes in before them */
	name = psprintf("dpsens %d", column);
	target = makeTargetEntry(inner, list_length(entry->eref->colnames) + 1, name, false);
	foreach(cell, entry->subquery->targetList)
	{
		TargetEntry *other = lfirst_node(TargetEntry, cell);

		if (other->resno >= target->resno)
			other->resno++;
	}
	entry->subquery->targetList = list_insert_nth(entry->subquery->targetList, target->resno - 1, target);
	entry->eref->colnames = lappend(entry->eref->colnames, makeString(name));
	return (Expr *) makeVarFromTargetEntry(index, target);
}

Var *
dps_expose_column(DpsProtectedSource *source, AttrNumber column)
{
	return castNode(Var, expose(source->query, column));
}

Expr *
dps_expose_row(DpsProtectedSource *source)
{
	return expose(source->query, InvalidAttrNumber);
}

/* In a join, the states are computed from the parts themselves. */
Var *
dps_expose_var(DpsProtectedSource *source, const Var *var)
{
	return source->parts == NIL ? dps_expose_column(source, var->varattno) : (Var *) copyObjectImpl(var);
}

Node *
dps_states_expression(DpsProtectedSource *source, Node *expression)
{
	return source->parts == NIL ? copyObject(expression) : dps_expand_expression(source, expression);
}

List *
dps_expose_unit(DpsProtectedSource *source)
{
	List	   *vars = NIL;
	int			i;

	if (source->parts != NIL)
		return copyObject(source->unit_vars);
	for (i = 0; i < source->annotation.unit.n; i++)
		vars = lappend(vars, expose(source->query, source->annotation.unit.column[i]));
	return vars;
}

/*
 * domains.c
 *		From the columns of a query to the declared columns of the protected
 *		relation below it.
 *
 * Whatever the chain contains that this file does not know is refused: the
 * stability of a row's contribution is proved only for projection and
 * selection.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "glue/analysis/row.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/import.h"
#include "glue/import/parse.h"
#include "glue/label/inheritance.h"
#include "glue/owner_hint.h"
#include "glue/label/not_null.h"
#include "guard/condition/allow.h"
#include "guard/public/public_relation.h"
#include "guard/source/analyst.h"
#include "guard/source/domains.h"
#include "guard/source/grouped.h"
#include "guard/source/join.h"
#include "guard/source/join_list.h"
#include "guard/source/join_union.h"
#include "guard/source/semijoin.h"
#include "guard/source/unit_rows.h"
#include "ledger/row_accounts.h"

int
dps_query_position(const DpsProtectedSource *source, int location)
{
	return dps_text_position(source->source_text, location);
}

void
dps_refuse_source(const DpsProtectedSource *source, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s not supported below dp aggregates", what),
			 errhint("%s", hint),
			 errposition(dps_query_position(source, source->location))));
}

static int
only_index(Query *query)
{
	return linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
}

/* The one range-table entry that a level reads; NULL if it reads several. */
static RangeTblEntry *
only_entry(const DpsProtectedSource *source, Query *query)
{
	if (query->jointree == NULL || query->jointree->fromlist == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates need a protected relation to read"),
				 errhint("Write the query over one protected table, or over a view or subquery of it."),
				 errposition(dps_query_position(source, source->location))));
	if (list_length(query->jointree->fromlist) != 1 || !IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return NULL;
	return rt_fetch(only_index(query), query->rtable);
}

/* Is the expression a call of a release function?  Users cannot write one. */
static bool
is_release(Node *node)
{
	char	   *name;

	if (!IsA(node, FuncExpr) || get_func_namespace(((FuncExpr *) node)->funcid) != dps_internal_schema_oid())
		return false;
	name = get_func_name(((FuncExpr *) node)->funcid);
	return name != NULL && strncmp(name, "release_", 8) == 0;
}

/* Is it a level that was rewritten already?  Then what it reads are answers. */
static bool
reads_answers(Query *query)
{
	CommonTableExpr *cte;
	ListCell   *cell;

	if (list_length(query->cteList) != 1)
		return false;
	cte = linitial_node(CommonTableExpr, query->cteList);
	if (strcmp(cte->ctename, DPS_RELEASE_CTE) != 0)
		return false;
	foreach(cell, castNode(Query, cte->ctequery)->targetList)
	{
		if (is_release((Node *) lfirst_node(TargetEntry, cell)->expr))
			return true;
	}
	return false;
}

void
dps_refuse_at(const DpsProtectedSource *source, Node *where, const char *what, const char *hint)
{
	DpsProtectedSource here = *source;
	int			location = where != NULL ? exprLocation(where) : -1;

	if (location >= 0)
		here.location = location;
	dps_refuse_source(&here, what, hint);
}

static bool
window_walker(Node *node, Node **found)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, WindowFunc))
	{
		*found = node;
		return true;
	}
	return expression_tree_walker(node, window_walker, found);
}

static Node *
first_target(const Query *query)
{
	return (Node *) linitial_node(TargetEntry, query->targetList)->expr;
}

/* What looks at several rows. */
static void
check_row_by_row(const DpsProtectedSource *source, Query *query, const char *hint)
{
	Node	   *window = NULL;

	if (query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL)
		dps_refuse_at(source, first_target(query), "a subquery with GROUP BY or aggregates is", hint);
	if (query->distinctClause != NIL)
		dps_refuse_at(source, first_target(query), query->hasDistinctOn ? "DISTINCT ON in a subquery is" : "DISTINCT in a subquery is",
				  "Group by the privacy unit in the subquery, with min() and max() for the first and last.");
	(void) window_walker((Node *) query->targetList, &window);
	if (query->hasWindowFuncs)
		dps_refuse_at(source, window, "a window function in a subquery is",
				  "It looks at other rows.  Group by the privacy unit in the subquery, with exact aggregates of each unit's rows.");
	if (query->hasTargetSRFs)
		dps_refuse_at(source, first_target(query), "a set-returning function in a subquery is", hint);
	if (query->limitCount != NULL || query->limitOffset != NULL)
		dps_refuse_at(source, query->limitCount != NULL ? query->limitCount : query->limitOffset, "LIMIT in a subquery is", hint);
}

/* A subquery through which rows pass one by one. */
void
dps_check_subquery(const DpsProtectedSource *source, Query *query)
{
	const char *hint = "Only projections and WHERE conditions may stand between the relation and the aggregates.";

	if (query->commandType != CMD_SELECT)
		dps_refuse_source(source, "a data-modifying subquery is", hint);
	if (query->setOperations != NULL)
		dps_refuse_source(source, "UNION, INTERSECT and EXCEPT are", hint);
	check_row_by_row(source, query, hint);
	if (query->rowMarks != NIL)
		dps_refuse_source(source, "row locking is", hint);
	if (checkExprHasSubLink((Node *) query->targetList))
		dps_refuse_at(source, (Node *) query->targetList, "a subquery in the select list of a subquery is", "Join its relation instead.");
	if (reads_answers(query))
		dps_refuse_source(source, "an answer of dp aggregates is", "An answer is public: use ordinary aggregates on it.");
	if (query->cteList != NIL)
		dps_refuse_source(source, "WITH in a subquery is", hint);
}

/* An entry that reads a WITH query of this level reads the query itself: there
 * is no difference where rows only pass. */
void
dps_inline_with_query(Query *level, RangeTblEntry *entry)
{
	ListCell   *cell;

	if (entry->rtekind != RTE_CTE || entry->ctelevelsup != 0 || entry->self_reference)
		return;
	foreach(cell, level->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (strcmp(cte->ctename, entry->ctename) != 0 || cte->cterecursive)
			continue;
		entry->rtekind = RTE_SUBQUERY;
		entry->subquery = copyObject(castNode(Query, cte->ctequery));
		entry->security_barrier = false;
		entry->ctename = NULL;
		entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
		cte->cterefcount--;
		return;
	}
}

/* A relation or subquery entry that can be read. */
void
dps_check_entry(const DpsProtectedSource *source, RangeTblEntry *entry)
{
	const char *hint = "Write the query over one protected table, or over a view or subquery of it.";

	if (entry->tablesample != NULL)
		dps_refuse_source(source, "TABLESAMPLE is", "Which rows a sample has depends on where they lie: ask about all of them, or about those whose key has some remainder.");
	if (entry->lateral)
		dps_refuse_source(source, "LATERAL is", "Use CROSS JOIN LATERAL (SELECT expressions) without FROM, or a join; for aggregates of each unit's rows, a subquery that groups by the unit.");
	if (entry->rtekind == RTE_CTE)
		dps_refuse_source(source, "a WITH query of an outer or of another WITH query is", hint);
	if (entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY)
		dps_refuse_source(source, entry->rtekind == RTE_FUNCTION ? "reading functions alone is" : "reading VALUES alone is", hint);
}

static void
check_relation(DpsProtectedSource *source)
{
	Oid			relation = source->relation;
	char	   *name = get_rel_name(relation);

	dps_get_relation_annotation(relation, &source->annotation);
	if (!source->annotation.is_protected)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not protected", name),
				 errdetail("dp aggregates need to know what a neighbouring relation is."),
				 dps_hint_owner(relation, "SELECT dpsens.protect('%s');", name),
				 errposition(dps_query_position(source, source->location))));
}

bool
dps_is_row_of_expressions(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_SUBQUERY && entry->subquery->jointree->fromlist == NIL &&
		entry->subquery->jointree->quals == NULL && entry->subquery->setOperations == NULL;
}

/* The query of a WITH that an entry of the innermost ancestor refers to, and
 * the ancestors that it sees itself. */
static CommonTableExpr *
find_with_query(RangeTblEntry *entry, List *ancestors, List **outer)
{
	ListCell   *cell;

	if ((int) entry->ctelevelsup >= list_length(ancestors))
		return NULL;
	*outer = list_copy_tail(ancestors, entry->ctelevelsup);
	foreach(cell, linitial_node(Query, *outer)->cteList)
	{
		if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, entry->ctename) == 0)
			return lfirst_node(CommonTableExpr, cell);
	}
	return NULL;
}

typedef struct Reading
{
	List	   *ancestors;		/* of Query *, the innermost first */
	Oid			relation;		/* that was found, or InvalidOid */
} Reading;

static bool private_reading_walker(Node *node, Reading *reading);

static bool
reads_private_with(RangeTblEntry *entry, Reading *reading)
{
	List	   *outer = NIL;
	CommonTableExpr *cte = find_with_query(entry, reading->ancestors, &outer);
	Reading		inside = {outer, InvalidOid};
	bool		found;

	/* what cannot be looked at may read anything */
	if (cte == NULL || cte->cterecursive)
		return true;
	found = private_reading_walker(cte->ctequery, &inside);
	reading->relation = inside.relation;
	return found;
}

static bool
is_private_entry(RangeTblEntry *entry, Reading *reading)
{
	switch (entry->rtekind)
	{
		case RTE_RELATION:
			/* a view stands for its privileges: what it reads is another entry */
			if (get_rel_relkind(entry->relid) == RELKIND_VIEW || dps_is_public_relation(entry->relid))
				return false;
			reading->relation = entry->relid;
			return true;
		case RTE_CTE:
			return reads_private_with(entry, reading);
			/* rows that a trigger is about; what is computed from an XML document */
		case RTE_NAMEDTUPLESTORE:
		case RTE_TABLEFUNC:
			return true;
		default:
			return false;
	}
}

/* Does it read anything that is not public?  Then whether a row counts does not depend
 * on this row alone.  Answers may be read. */
static bool
private_reading_walker(Node *node, Reading *reading)
{
	ListCell   *cell;
	List	   *outer = reading->ancestors;
	Query	   *query = (Query *) node;
	bool		answers;
	bool		found = false;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (!IsA(node, Query))
		return expression_tree_walker(node, private_reading_walker, reading);
	answers = reads_answers(query);
	reading->ancestors = lcons(query, list_copy(outer));
	foreach(cell, answers ? NIL : query->rtable)
		found = found || is_private_entry(lfirst_node(RangeTblEntry, cell), reading);
	found = found || query_tree_walker(query, private_reading_walker, reading, answers ? QTW_IGNORE_CTE_SUBQUERIES : 0);
	reading->ancestors = outer;
	return found;
}

bool
dps_reads_private(Node *node, List *ancestors, Oid *relation)
{
	Reading		reading = {ancestors, InvalidOid};
	bool		found = private_reading_walker(node, &reading);

	*relation = reading.relation;
	return found;
}

void
dps_refuse_private_reading(const DpsProtectedSource *source, Node *condition, List *ancestors)
{
	Oid			relation;
	const char *detail;
	const char *hint = NULL;

	if (!dps_reads_private(condition, ancestors, &relation))
		return;
	detail = OidIsValid(relation) ? dps_why_not_public(relation, &hint) : NULL;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 OidIsValid(relation) ?
			 errmsg("a subquery of relation \"%s\" in a condition is not supported below dp aggregates", get_rel_name(relation)) :
			 errmsg("a subquery of what is not known to be public in a condition is not supported below dp aggregates"),
			 detail != NULL ? errdetail("%s", detail) : 0,
			 errhint("%s", hint != NULL ? hint : "Whether a row counts must depend on this row, and on public tables, alone."),
			 errposition(dps_query_position(source, exprLocation(condition) >= 0 ? exprLocation(condition) : source->location))));
}

/*
 * Condition on a row, expanded: may the executor evaluate it, and may its
 * outcome decide whether the row counts?
 */
static void
check_condition(DpsProtectedSource *source, Node *expanded, List *ancestors)
{
	const char *hint = "Whether a row counts must depend on this row alone.";
	const char *foreign = dps_find_foreign_call(expanded);

	if (foreign != NULL)
		dps_refuse_source(source, psprintf("%s in a condition is", foreign), hint);
	dps_refuse_private_reading(source, expanded, ancestors);
	if (source->is_restricted)
		dps_check_total(source, expanded);
}

/* Quals of one level: what the rows of this level were selected by. */
static void
note_selection(DpsProtectedSource *source, Query *level, List *ancestors, Node *quals)
{
	DpsProtectedSource below = *source;
	Node	   *expanded;

	if (quals == NULL)
		return;
	below.query = level;
	expanded = dps_expand_expression(&below, quals);
	check_condition(source, expanded, ancestors);
	source->conditions = lappend(source->conditions, expanded);
	if (dps_depends_on_private(source, expanded))
		source->selection_is_private = true;
}

bool
dps_is_private_condition(DpsProtectedSource *source, Node *condition)
{
	Node	   *expanded = dps_expand_expression(source, condition);

	check_condition(source, expanded, source->enclosing);
	return dps_depends_on_private(source, expanded);
}

/* Selection is judged when the relation's annotations are known. */
static void
note_selections(DpsProtectedSource *source, List *levels)
{
	List	   *ancestors = list_copy_tail(source->enclosing, 1);
	ListCell   *cell;

	foreach(cell, levels)
	{
		Query	   *level = lfirst_node(Query, cell);

		ancestors = lcons(level, ancestors);
		note_selection(source, level, ancestors, level->jointree->quals);
		note_selection(source, level, ancestors, (Node *) only_entry(source, level)->securityQuals);
	}
}

static bool
needs_semijoins(const DpsProtectedSource *source, List *levels)
{
	List	   *ancestors = list_copy_tail(source->enclosing, 1);
	ListCell   *cell;

	foreach(cell, levels)
	{
		ancestors = lcons(lfirst(cell), ancestors);
		if (dps_needs_semijoin(source, lfirst_node(Query, cell)->jointree->quals, ancestors))
			return true;
	}
	return false;
}

void
dps_trace_source(DpsProtectedSource *source)
{
	Query	   *level = source->query;
	List	   *levels = NIL;
	DpsRowCaps	caps;
	RangeTblEntry *entry;

	source->selection_is_private = false;
	source->conditions = NIL;
	source->functions = NIL;
	for (;;)
	{
		entry = only_entry(source, level);
		if (entry == NULL)
		{
			dps_trace_join(source);
			return;
		}
		dps_inline_with_query(level, entry);
		dps_check_entry(source, entry);
		levels = lappend(levels, level);
		if (entry->rtekind == RTE_RELATION)
			break;
		level = entry->subquery;
		if (level->setOperations != NULL || dps_is_grouped_query(level))
		{
			dps_trace_join(source);
			return;
		}
		dps_check_subquery(source, level);
	}
	if (entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE)
		dps_refuse_source(source, "a relation that is not a table is", "Protect a table.");
	source->relation = entry->relid;
	check_relation(source);
	if (source->annotation.unit_by_reference)
	{
		dps_trace_join(source);
		return;
	}
	source->is_individual = dps_row_caps(source->relation, &caps);
	source->limits_unit = dps_limits_unit(source);
	source->is_restricted = dps_is_restricted(level, entry);
	source->needs_budget = dps_needs_budget(level, entry);
	if (needs_semijoins(source, levels))
	{
		dps_trace_join(source);
		return;
	}
	if (source->is_restricted)
		dps_check_analyst(source);
	note_selections(source, levels);
}

typedef struct ExpandContext
{
	DpsProtectedSource  *source;
	Query	   *level;			/* whose Vars are replaced */
} ExpandContext;

static Node *expand_mutator(Node *node, ExpandContext *context);

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
	if (source->parts == NIL && var->varno != only_index(context->level))
		dps_refuse_source(source, "this column reference is", "Refer to the columns of the relation.");
	if (var->varattno < 0)
		dps_refuse_source(source, "a system column is",
					  "Where a row is stored depends on the other rows; refer to the columns of the relation.");
	if (entry->rtekind == RTE_RELATION || (dps_is_list_entry(entry) && var->varattno > 0) ||
		(entry->rtekind == RTE_SUBQUERY && var->varattno > 0 && entry->subquery->setOperations != NULL))
	{
		var = copyObject(var);
		var->varno = source->parts == NIL ? 1 : dps_part_number(source, entry);
		/* where a view named it means nothing here, and ruleutils would look */
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
		/* it is about columns of this level */
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

/* The body's FieldSelects of the row parameter become columns. */
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

/* A call of a registered expression over the whole row: its body instead. */
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
	/* what is inside a subquery is of another level: it stays as it is */
	if (IsA(node, SubLink))
		return copyObject(node);
	return expression_tree_mutator(node, expand_mutator, (void *) context);
}

Node *
dps_expand_expression(DpsProtectedSource *source, Node *expression)
{
	ExpandContext context = {source, source->query};

	return expand_mutator(expression, &context);
}

/* A column of the relation as a Var of this level. */
static Var *
expose(Query *level, AttrNumber column)
{
	int			index = only_index(level);
	RangeTblEntry *entry = rt_fetch(index, level->rtable);
	Var		   *inner;
	TargetEntry *target;
	ListCell   *cell;
	char	   *name;

	if (entry->rtekind == RTE_RELATION)
	{
		Oid			type;
		int32		typmod;
		Oid			collation;

		if (column == InvalidAttrNumber)
			return makeVar(index, column, get_rel_type_id(entry->relid), -1, InvalidOid, 0);
		get_atttypetypmodcoll(entry->relid, column, &type, &typmod, &collation);
		return makeVar(index, column, type, typmod, collation, 0);
	}
	inner = expose(entry->subquery, column);
	foreach(cell, entry->subquery->targetList)
	{
		target = lfirst_node(TargetEntry, cell);
		if (!target->resjunk && equal(target->expr, inner))
			return makeVarFromTargetEntry(index, target);
	}
	/* junk entries must stay last, so the new one goes in before them */
	name = psprintf("dpsens %d", column);
	target = makeTargetEntry((Expr *) inner, list_length(entry->eref->colnames) + 1, name, false);
	foreach(cell, entry->subquery->targetList)
	{
		TargetEntry *other = lfirst_node(TargetEntry, cell);

		if (other->resno >= target->resno)
			other->resno++;
	}
	entry->subquery->targetList = list_insert_nth(entry->subquery->targetList, target->resno - 1, target);
	entry->eref->colnames = lappend(entry->eref->colnames, makeString(name));
	return makeVarFromTargetEntry(index, target);
}

Var *
dps_expose_column(DpsProtectedSource *source, AttrNumber column)
{
	return expose(source->query, column);
}

/* The states of a join are computed from the parts themselves. */
Var *
dps_expose_var(DpsProtectedSource *source, const Var *var)
{
	return source->parts == NIL ? expose(source->query, var->varattno) : (Var *) copyObjectImpl(var);
}

Node *
dps_states_expression(DpsProtectedSource *source, Node *expression)
{
	return source->parts == NIL ? copyObject(expression) : dps_expand_expression(source, expression);
}

DpsPart *
dps_var_part(const DpsProtectedSource *source, const Var *var)
{
	return source->parts == NIL ? NULL : list_nth(source->parts, var->varno - 1);
}

char *
dps_part_name(const DpsPart *part)
{
	return part->constants != NULL ? part->entry->eref->aliasname : get_rel_name(part->relation);
}

Oid
dps_var_relation(const DpsProtectedSource *source, const Var *var)
{
	return source->parts == NIL ? source->relation : dps_var_part(source, var)->relation;
}

void
dps_get_var_annotation(const DpsProtectedSource *source, const Var *var, DpsColumnAnnotation *annotation)
{
	const DpsPart *part = dps_var_part(source, var);

	if (part != NULL && part->arms != NIL)
		dps_get_union_annotation(part, var->varattno, annotation);
	else if (part != NULL && part->grouping != NULL)
		dps_get_grouped_annotation(part, var->varattno, annotation);
	else if (part != NULL && part->constants != NULL)
		dps_get_list_annotation(part, var->varattno, annotation);
	else
		dps_get_column_annotation(dps_var_relation(source, var), var->varattno, annotation);
	if (part == NULL)
		return;
	if (!part->annotation.is_protected)
		annotation->is_public = var->varattno > 0;
	/* the row that is met would tell */
	if (part->is_private)
		annotation->is_public = false;
}

bool
dps_var_is_not_null(const DpsProtectedSource *source, const Var *var)
{
	const DpsPart *part = dps_var_part(source, var);

	if (part != NULL && part->arms != NIL)
		return dps_union_column_is_not_null(part, var->varattno);
	if (part != NULL && part->grouping != NULL)
		return !part->nullable && dps_grouped_column_is_not_null(part, var->varattno);
	if (part != NULL && part->constants != NULL)
		return !part->nullable && dps_list_column_is_not_null(part, var->varattno);
	return (part == NULL || !part->nullable) && dps_column_is_not_null(dps_var_relation(source, var), var->varattno);
}

char *
dps_var_name(const DpsProtectedSource *source, const Var *var, bool epoch)
{
	const DpsPart *part = dps_var_part(source, var);
	Oid			relation = dps_var_relation(source, var);

	if (part != NULL && part->grouping != NULL)
	{
		char	   *name = dps_grouped_column_name(part, var->varattno);

		return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : name;
	}
	if (part != NULL && part->constants != NULL)
	{
		char	   *name = psprintf("%s.%s", quote_identifier(dps_part_name(part)), dps_list_column_name(part, var->varattno));

		return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : name;
	}
	if (part != NULL && part->arms != NIL)
	{
		const char *name = quote_identifier(strVal(list_nth(part->entry->eref->colnames, var->varattno - 1)));

		return epoch ? psprintf("EXTRACT(epoch FROM %s)", name) : pstrdup(name);
	}
	if (source->parts == NIL || var->varno == 1)
		return dps_variable_name(relation, var->varattno, epoch);
	return psprintf("%s.%s", quote_identifier(dps_var_part(source, var)->entry->eref->aliasname),
					dps_variable_name(relation, var->varattno, epoch));
}

void
dps_var_origin(const DpsProtectedSource *source, const Var *var, Oid *relation, AttrNumber *column)
{
	const DpsPart *part = dps_var_part(source, var);

	*relation = dps_var_relation(source, var);
	*column = var->varattno;
	if (part != NULL && part->grouping != NULL && dps_grouped_origin(part, var->varattno) != NULL)
		dps_var_origin(part->grouping->source, dps_grouped_origin(part, var->varattno), relation, column);
	if (part != NULL && part->arms != NIL)
	{
		const Var  *origin = dps_union_origin(part, var->varattno, false, relation);

		*column = origin != NULL ? origin->varattno : InvalidAttrNumber;
	}
}

Var *
dps_expose_unit(DpsProtectedSource *source)
{
	return source->parts == NIL ? expose(source->query, source->annotation.unit) : copyObject(source->unit);
}

bool
dps_unit_is_not_null(const DpsProtectedSource *source)
{
	if (source->parts != NIL)
		return dps_var_is_not_null(source, source->unit);
	return dps_column_is_not_null(source->relation, source->annotation.unit);
}

DpsAdjacency
dps_row_adjacency(const DpsProtectedSource *source)
{
	return source->swaps_rows ? DPS_REPLACE : source->annotation.adjacency;
}

static bool
private_walker(Node *node, const DpsProtectedSource *source)
{
	if (node == NULL)
		return false;
	/* a subquery sees what it is correlated with */
	if (IsA(node, SubLink))
		return true;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;
		DpsColumnAnnotation annotation;

		if (var->varattno <= 0)
			return true;
		dps_get_var_annotation(source, var, &annotation);
		return !annotation.is_public;
	}
	return expression_tree_walker(node, private_walker, (void *) source);
}

bool
dps_depends_on_private(const DpsProtectedSource *source, Node *expanded)
{
	return private_walker(expanded, source);
}

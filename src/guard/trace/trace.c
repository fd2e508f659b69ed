/*
 * trace.c
 *		From a level with dp aggregates down to the protected relations that it reads.
 *
 * Everything in the chain that this file does not know is refused: the stability of a row's contribution
 * is proved for projection and selection only.
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
#include "glue/constraint/inheritance.h"
#include "glue/owner_hint.h"
#include "guard/condition/allow.h"
#include "guard/public/public_relation.h"
#include "guard/restrict/analyst.h"
#include "guard/source/private_reading.h"
#include "guard/source/protected_source.h"
#include "guard/trace/expand.h"
#include "guard/trace/grouped.h"
#include "guard/trace/join.h"
#include "guard/trace/semijoin.h"
#include "guard/trace/trace.h"
#include "guard/trace/unit_rows.h"
#include "ledger/rows/row_accounts.h"

/* The only range-table entry that a level reads; NULL if it reads several. */
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
	return rt_fetch(dps_only_index(query), query->rtable);
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

/* Refuses what depends on several rows. */
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

/* Refuses a subquery that does more than select and project rows one by one. */
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
	if (dps_reads_answers(query))
		dps_refuse_source(source, "an answer of dp aggregates is", "An answer is public: use ordinary aggregates on it.");
	if (query->cteList != NIL)
		dps_refuse_source(source, "WITH in a subquery is", hint);
}

/* Replaces a reference to a WITH query of this level by the query itself.  This makes no difference if
 * rows are only selected and projected. */
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

/* An error unless the entry is a relation or a subquery that can be read. */
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

/*
 * Checks an expanded condition on a row: may the executor evaluate it, and may its outcome decide whether
 * the row counts?
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

/* Notes a condition by which the rows of one level were selected. */
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

/* Notes the conditions of all levels.  Precondition: the relation's annotation is known. */
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


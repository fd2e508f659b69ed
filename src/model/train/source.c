/*
 * source.c
 *		Checks of the relations and queries that training reads.
 *
 * Training on a protected relation needs noise.  So training without noise is refused
 * on a relation through which its rows can be read.  Functions, foreign tables and
 * copies are not checked: the role that trains may read those anyway.
 *
 * A query over a protected relation must yield at most one row for each row of it,
 * computed from that row alone: it reads the relation once, and selects and computes by
 * immutable functions of the server; its only other clause may be ORDER BY.  So a unit
 * with one row in the relation has at most one example.  No row causes an error: an
 * expression that could raise one, and is not attempted, is refused
 * (guard/condition/failing.c).
 *
 * The first check refuses early, and yields the columns.  Until the query is planned, a
 * search for a bound on gradients may take many seconds, in which other sessions can
 * create children, views and functions.  So the tree that is planned is checked again,
 * between two readings of the families of its relations (guard/run/families.c).
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "rewrite/prs2lock.h"
#include "tcop/tcopprot.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/compat.h"
#include "glue/import/linked_operators.h"
#include "glue/import/parse.h"
#include "glue/label/annotation.h"
#include "glue/constraint/inheritance.h"
#include "guard/condition/failing.h"
#include "guard/rewrite/row_plan.h"
#include "guard/run/families.h"
#include "model/train/source.h"

/* The state of a search through relations. */
typedef struct Sources
{
	Oid			asked;			/* the relation that is checked */
	List	   *seen;			/* relations that were checked */
} Sources;

static void look_at(Sources *sources, Oid relation);

static void
refuse_protected(const Sources *sources, Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	if (annotation.is_protected)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("relation \"%s\" shows rows of protected relation \"%s\"", get_rel_name(sources->asked), get_rel_name(relation)),
				 errhint("Train on the protected relation itself, with noise.")));
}

static bool
find_relations(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, find_relations, context, QTW_EXAMINE_RTES_BEFORE);
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_RELATION)
			look_at(context, ((RangeTblEntry *) node)->relid);
		/* the walker continues with subqueries */
		return false;
	}
	return expression_tree_walker(node, find_relations, context);
}

static void
look_into_view(Sources *sources, Oid view)
{
	Relation	relation = relation_open(view, AccessShareLock);
	int			k;

	for (k = 0; relation->rd_rules != NULL && k < relation->rd_rules->numLocks; k++)
	{
		if (relation->rd_rules->rules[k]->event == CMD_SELECT)
			(void) find_relations((Node *) relation->rd_rules->rules[k]->actions, sources);
	}
	relation_close(relation, AccessShareLock);
}

static void
look_at(Sources *sources, Oid relation)
{
	char		kind = get_rel_relkind(relation);
	ListCell   *cell;

	check_stack_depth();
	if (list_member_oid(sources->seen, relation))
		return;
	sources->seen = lappend_oid(sources->seen, relation);
	foreach(cell, dps_relation_family(relation))
		refuse_protected(sources, lfirst_oid(cell));
	if (kind == RELKIND_VIEW || kind == RELKIND_MATVIEW)
		look_into_view(sources, relation);
}

void
dps_refuse_hidden_source(Oid relation)
{
	Sources		sources = {.asked = relation};

	look_at(&sources, relation);
}

/*
 * Queries
 */

static void
refuse_query(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("models cannot be trained on a query of a protected relation with %s", what),
			 errhint("Use SELECT expressions FROM relation WHERE conditions, with immutable functions of the server.")));
}

/* The relation must be the only entry of the range table. */
static void
check_entry(const Query *query, Oid relation)
{
	const RangeTblEntry *entry = list_length(query->rtable) == 1 ? linitial_node(RangeTblEntry, query->rtable) : NULL;

	if (entry == NULL || entry->rtekind != RTE_RELATION || entry->relid != relation ||
		list_length(query->jointree->fromlist) != 1 || !IsA(linitial(query->jointree->fromlist), RangeTblRef))
		refuse_query("anything but that relation in FROM");
	if (entry->tablesample != NULL)
		refuse_query("TABLESAMPLE");
	if (entry->securityQuals != NIL)
		refuse_query("policies of row-level security");
	if (entry->inh && get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE &&
		find_inheritance_children(relation, NoLock) != NIL)
		refuse_query("children of the relation");
}

static void
check_expressions(Node *expressions)
{
	const char *failing;

	dps_refuse_foreign_operators(expressions, NULL);
	if (contain_mutable_functions(expressions))
		refuse_query("functions that are not immutable");
	failing = dps_find_failing(expressions);
	if (failing != NULL)
		refuse_query(failing);
}

static void
check_row_query(const Query *query, Oid relation)
{
	if (query->cteList != NIL || query->hasSubLinks)
		refuse_query("WITH or subqueries");
	if (query->setOperations != NULL)
		refuse_query("UNION, INTERSECT or EXCEPT");
	if (query->hasAggs || query->hasWindowFuncs || query->groupClause != NIL || query->groupingSets != NIL ||
		query->havingQual != NULL || query->distinctClause != NIL)
		refuse_query("aggregates, window functions, GROUP BY or DISTINCT");
	if (query->limitCount != NULL || query->limitOffset != NULL || query->rowMarks != NIL)
		refuse_query("LIMIT, OFFSET or FOR UPDATE");
	if (query->hasTargetSRFs)
		refuse_query("functions that return sets");
	check_entry(query, relation);
	check_expressions((Node *) query->targetList);
	check_expressions(query->jointree->quals);
}

/* Analyses a text that must be one SELECT; positions of errors refer to the text. */
static Query *
analyse(const char *text)
{
	List	   *raw;
	Query	   *query = NULL;
	DpsSource	source;

	dps_source_enter(&source, text);
	raw = pg_parse_query(text);
	if (list_length(raw) == 1)
		query = parse_analyze_fixedparams(linitial_node(RawStmt, raw), text, NULL, 0, NULL);
	if (query == NULL || query->commandType != CMD_SELECT || query->utilityStmt != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("the query of a training must be one SELECT")));
	dps_source_leave(&source);
	return query;
}

TupleDesc
dps_check_training_query(Oid relation, bool is_protected, const char *text)
{
	Sources		sources = {.asked = relation};
	Query	   *query = analyse(text);

	if (is_protected)
		check_row_query(query, relation);
	else
		(void) find_relations((Node *) query, &sources);
	return ExecCleanTypeFromTL(query->targetList);
}

/* Is this the place of a row, by which its account is found (examples.c)?  It is no number of an example, and
 * features cannot name it. */
static bool
is_place(const TargetEntry *target)
{
	return IsA(target->expr, Var) && ((Var *) target->expr)->varattno == SelfItemPointerAttributeNumber;
}

/* Checks a query that reads the relation, or a query over it. */
static void
check_reading(const Query *query, Oid relation)
{
	const RangeTblEntry *entry = linitial_node(RangeTblEntry, query->rtable);
	Query		numbers = *query;
	ListCell   *cell;

	numbers.targetList = NIL;
	foreach(cell, query->targetList)
	{
		if (!is_place(lfirst(cell)))
			numbers.targetList = lappend(numbers.targetList, lfirst(cell));
	}
	check_expressions((Node *) numbers.targetList);
	check_row_query(entry->rtekind == RTE_SUBQUERY ? entry->subquery : &numbers, relation);
}

PlannedStmt *
dps_plan_source(Oid relation, bool is_protected, const char *text)
{
	Sources		sources = {.asked = relation};
	/* rewritten: with views expanded and policies added; relations stay locked */
	Query	   *query = linitial_node(Query, pg_rewrite_query(analyse(text)));
	List	   *families = dps_note_families(query);
	PlannedStmt *statement;

	if (is_protected)
		check_reading(query, relation);
	else
		(void) find_relations((Node *) query, &sources);
	statement = dps_plan_rows(query, text, is_protected);
	dps_check_families(families);
	return statement;
}

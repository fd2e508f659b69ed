/*
 * join_union.c
 *		UNION ALL of protected relations.
 *
 * Claim.  A row more or less of one arm's relation, or other values in it, changes the exact sums over the
 * union by no more than a row of a single relation would whose columns have the hulls of the arms' ranges.
 *
 * Proof.  The arms read different relations, which have no rows in common, so the change is within one
 * arm.  There each row of the relation is in at most one row, as if the arm stood alone.  Its contribution
 * is computed from cells that are clamped into the hull.
 *
 * A person with rows in k arms is k such changes, one after the other.  The release loses about this
 * person k times epsilon, k^2 times rho, and k exp((k - 1) epsilon) times delta (dps_union_arms; explain
 * states this).
 *
 * An arm whose units have several rows is refused: rows of a unit in one arm would compete with those of
 * the same unit in another for the limit.  Row accounting is refused, too.  Attribute and metric
 * adjacency are about columns of one relation.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/import/builtin.h"
#include "glue/import/cell.h"
#include "glue/constraint/inheritance.h"
#include "glue/label/label.h"
#include "guard/source/grouped_part.h"
#include "guard/trace/chain.h"
#include "guard/trace/expand.h"
#include "guard/trace/join.h"
#include "guard/trace/join_union.h"
#include "guard/trace/row_owner.h"
#include "guard/trace/semijoin.h"
#include "guard/trace/trace.h"

static const char *const hint = "Write UNION ALL of queries over different protected tables, each with one row to a unit.";

/* ---- the arms ---- */

/* Collects the entries of the arms from left to right. */
static void
collect_arms(const DpsProtectedSource *source, Query *query, Node *node, List **arms)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
	{
		*arms = lappend(*arms, rt_fetch(((RangeTblRef *) node)->rtindex, query->rtable));
		return;
	}
	if (operation->op != SETOP_UNION || !operation->all)
		dps_refuse_source(source, "UNION, INTERSECT and EXCEPT are", hint);
	collect_arms(source, query, operation->larg, arms);
	collect_arms(source, query, operation->rarg, arms);
}

/* An error if the query around the arms does more than unite them. */
static void
check_union(const DpsProtectedSource *source, Query *query)
{
	if (query->cteList != NIL)
		dps_refuse_source(source, "WITH in a subquery is", hint);
	if (query->limitCount != NULL || query->limitOffset != NULL)
		dps_refuse_source(source, "LIMIT in a subquery is", hint);
	if (query->rowMarks != NIL)
		dps_refuse_source(source, "row locking is", hint);
}

/* Is the node a constant that has a range, or of a type that needs none? */
static bool
is_constant(Node *node)
{
	DpsType		type;

	if (!IsA(node, Const))
		return false;
	return ((Const *) node)->constisnull ||
		(!dps_type_from_oid(((Const *) node)->consttype, &type) && !dps_type_has_epoch(((Const *) node)->consttype)) ||
		isfinite(dps_read_cell(getBaseType(((Const *) node)->consttype), ((Const *) node)->constvalue));
}

/* The column or constant that each entry of the arm's select list is; NULL for computed entries. */
static List *
arm_columns(DpsProtectedSource *source, Query *query)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		Node	   *column;

		if (target->resjunk)
			continue;
		column = dps_expand_expression(source, (Node *) target->expr);
		if (!contain_var_clause(column) && !contain_mutable_functions(column))
			column = eval_const_expressions(NULL, column);
		columns = lappend(columns, is_constant(column) || (IsA(column, Var) && ((Var *) column)->varattno > 0) ? column : NULL);
	}
	return columns;
}

static DpsArm *
trace_arm(const DpsProtectedSource *source, Query *around, Query *query)
{
	DpsArm	   *arm = palloc0(sizeof(DpsArm));

	dps_check_subquery(source, query);
	arm->source = palloc0(sizeof(DpsProtectedSource));
	arm->source->query = query;
	arm->source->enclosing = lcons(query, lcons(around, list_copy(source->enclosing)));
	arm->source->source_text = source->source_text;
	arm->source->params = source->params;
	arm->source->location = source->location;
	arm->source->is_analysis = source->is_analysis;
	dps_trace_source(arm->source);
	arm->columns = arm_columns(arm->source, query);
	return arm;
}

static void
check_arm(const DpsProtectedSource *source, const DpsArm *arm, const DpsArm *first)
{
	DpsAdjacency adjacency = arm->source->annotation.adjacency;

	if (arm->source->limits_unit)
		dps_refuse_source(source, "UNION ALL of relations whose units have several rows is", hint);
	if (arm->source->is_individual)
		dps_refuse_source(source, "UNION ALL of relations whose rows have accounts of their own is",
						  "Set the budget of the relation without row_epsilon and row_rho.");
	if (adjacency != first->source->annotation.adjacency || (adjacency != DPS_ADD_REMOVE && adjacency != DPS_REPLACE))
		dps_refuse_source(source, "UNION ALL of relations with different adjacencies, or with one about single columns, is",
						  "Protect all with adjacency add_remove, or all with replace.");
}

static List *protected_relations(const DpsProtectedSource *source);

/* Adds the protected relations of the source's parts and subqueries. */
static List *
add_protected(const DpsProtectedSource *source, List *relations)
{
	ListCell   *cell;
	ListCell   *arm;

	foreach(cell, source->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->annotation.is_protected)
			relations = list_append_unique_oid(relations, part->relation);
		foreach(arm, part->arms)
			relations = list_concat_unique_oid(relations, protected_relations(((DpsArm *) lfirst(arm))->source));
		if (part->grouping != NULL)
			relations = add_protected(part->grouping->source, relations);
	}
	foreach(cell, source->semijoins)
		relations = add_protected(((const DpsSemiJoin *) lfirst(cell))->source, relations);
	return relations;
}

static List *
protected_relations(const DpsProtectedSource *source)
{
	return add_protected(source, list_make1_oid(source->relation));
}

/* The protected relations that the arm reads, with their children and parents. */
static List *
family_of(const DpsArm *arm)
{
	List	   *family = NIL;
	ListCell   *cell;

	foreach(cell, protected_relations(arm->source))
		family = list_concat_unique_oid(family, dps_relation_family(lfirst_oid(cell)));
	return family;
}

static void
check_disjoint(const DpsProtectedSource *source, const List *arms)
{
	List	   *seen = NIL;
	ListCell   *cell;

	foreach(cell, arms)
	{
		List	   *family = family_of(lfirst(cell));

		if (list_length(list_difference_oid(family, seen)) < list_length(family))
			dps_refuse_source(source, "UNION ALL that reads a protected relation twice is", hint);
		seen = list_concat(seen, family);
	}
}

DpsPart *
dps_make_union_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry)
{
	Query	   *query = entry->subquery;
	DpsPart    *part = palloc0(sizeof(DpsPart));
	const DpsArm *first;
	List	   *entries = NIL;
	ListCell   *cell;

	check_union(source, query);
	collect_arms(source, query, query->setOperations, &entries);
	foreach(cell, entries)
		part->arms = lappend(part->arms, trace_arm(source, query, lfirst_node(RangeTblEntry, cell)->subquery));
	first = linitial(part->arms);
	foreach(cell, part->arms)
	{
		const DpsArm *arm = lfirst(cell);

		check_arm(source, arm, first);
		source->is_restricted |= arm->source->is_restricted;
		source->selection_is_private |= arm->source->selection_is_private;
		source->swaps_rows |= arm->source->swaps_rows;
		source->functions = list_concat_unique_oid(source->functions, arm->source->functions);
	}
	check_disjoint(source, part->arms);
	part->entry = entry;
	part->level = level;
	part->relation = first->source->relation;
	part->annotation = first->source->annotation;
	/* a unit has one row in each arm */
	memset(&part->annotation.unit, 0, sizeof(part->annotation.unit));
	part->annotation.unit_by_reference = false;
	return part;
}

/* ---- the query ---- */

/* Replaces computed entries by NULL, so that nothing in an arm can fail or have visible effects. */
static void
keep_columns(const DpsArm *arm, Query *query)
{
	ListCell   *cell;
	int			i = 0;

	foreach(cell, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		Node	   *expression = (Node *) target->expr;

		target->ressortgroupref = 0;
		if (target->resjunk)
			target->expr = (Expr *) makeNullConst(exprType(expression), exprTypmod(expression), exprCollation(expression));
		else if (list_nth(arm->columns, i++) == NULL)
			target->expr = (Expr *) makeNullConst(exprType(expression), exprTypmod(expression), exprCollation(expression));
	}
	query->sortClause = NIL;
	query->windowClause = NIL;
}

static List *
join_target(const DpsArm *arm)
{
	List	   *target = NIL;
	ListCell   *cell;

	foreach(cell, arm->source->query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk)
			continue;
		entry = copyObject(entry);
		if (list_nth(arm->columns, entry->resno - 1) != NULL)
			entry->expr = (Expr *) copyObjectImpl(list_nth(arm->columns, entry->resno - 1));
		target = lappend(target, entry);
	}
	return target;
}

/* Adds a column to an arm.  Junk entries must stay last. */
static void
add_column(Query *query, Expr *column, const char *name)
{
	int			n = 0;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);

		if (target->resjunk)
			target->resno++;
		else
			n++;
	}
	query->targetList = list_insert_nth(query->targetList, n, makeTargetEntry(column, n + 1, pstrdup(name), false));
}

/* Adds the column's type to each set operation of the union. */
static void
add_type(Query *query, Node *node, const Expr *column)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	check_stack_depth();
	if (!IsA(node, SetOperationStmt))
		return;
	operation->colTypes = lappend_oid(operation->colTypes, exprType((const Node *) column));
	operation->colTypmods = lappend_int(operation->colTypmods, exprTypmod((const Node *) column));
	operation->colCollations = lappend_oid(operation->colCollations, exprCollation((const Node *) column));
	add_type(query, operation->larg, column);
	add_type(query, operation->rarg, column);
}

/* Adds the column to the union's select list, which refers to the entry of the first arm. */
static void
add_to_union(RangeTblEntry *entry, const Expr *column, const char *name)
{
	Query	   *query = entry->subquery;
	Node	   *first = query->setOperations;

	while (IsA(first, SetOperationStmt))
		first = ((SetOperationStmt *) first)->larg;
	add_type(query, query->setOperations, column);
	add_column(query, (Expr *) makeVar(castNode(RangeTblRef, first)->rtindex,
									   list_length(((SetOperationStmt *) query->setOperations)->colTypes), exprType((const Node *) column),
									   exprTypmod((const Node *) column), exprCollation((const Node *) column), 0), name);
	entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup(name)));
}

/* The name of the column that identifies rows (row_owner.h). */
#define ROW_COLUMN "dpsens row"

/*
 * Where all arms are tables that are distributed alike, each has one more column, by which they are: of a union whose
 * arms have it in the same place Citus sees that nodes can unite what belongs to their shards.
 */
#define PLACE_COLUMN "dpsens place"

static bool
tells_places(const DpsPart *part)
{
	Oid			first = ((const DpsArm *) linitial(part->arms))->source->relation;
	ListCell   *cell;

	foreach(cell, part->arms)
	{
		const DpsProtectedSource *arm = ((const DpsArm *) lfirst(cell))->source;

		if (arm->parts != NIL || !dps_citus_is_spread(arm->relation) || !dps_citus_are_together(first, arm->relation))
			return false;
	}
	return true;
}

/* Adds the column to the arm's query, and its name to the arm's entry. */
static void
add_to_arm(RangeTblEntry *arm, Expr *column, const char *name)
{
	if (column == NULL)
		return;
	add_column(arm->subquery, column, name);
	arm->eref->colnames = lappend(arm->eref->colnames, makeString(pstrdup(name)));
}

static void
make_arm(RangeTblEntry *entry, const DpsArm *arm, Expr *row, Expr *place, List **checks)
{
	Query	   *query;
	List	   *own = NIL;

	if (arm->source->parts != NIL)
	{
		query = dps_join_query(arm->source, &own);
		query->targetList = join_target(arm);
	}
	else
		query = copyObject(arm->source->query);
	keep_columns(arm, query);
	entry->subquery = query;
	add_to_arm(entry, row, ROW_COLUMN);
	add_to_arm(entry, place, PLACE_COLUMN);
	*checks = list_concat(*checks, list_concat(own, dps_harden_chain(query, arm->source->is_restricted)));
	if (arm->source->is_restricted)
		dps_admit_source(query);
}

RangeTblEntry *
dps_union_entry(Query *query, const DpsPart *part, List **checks)
{
	RangeTblEntry *entry = dps_copy_entry(query, part->level, part->entry);
	bool		has_places = tells_places(part);
	Expr	   *row = NULL;
	Expr	   *place = NULL;
	ListCell   *original;
	ListCell   *copy;
	ListCell   *cell;

	entry->subquery->sortClause = NIL;
	entry->security_barrier = false;
	forboth(original, part->entry->subquery->rtable, copy, entry->subquery->rtable)
	{
		foreach(cell, part->arms)
		{
			const DpsArm *arm = lfirst(cell);

			if (lfirst_node(RangeTblEntry, original)->subquery != arm->source->query)
				continue;
			/* before the query is copied, since these may add columns to subqueries */
			row = part->tells_rows ? dps_arm_row(arm->source, foreach_current_index(cell)) : NULL;
			place = has_places ? (Expr *) dps_expose_column(arm->source, dps_citus_column(arm->source->relation)) : NULL;
			make_arm(lfirst_node(RangeTblEntry, copy), arm, row, place, checks);
		}
	}
	if (row != NULL)
		add_to_union(entry, row, ROW_COLUMN);
	if (place != NULL)
		add_to_union(entry, place, PLACE_COLUMN);
	return entry;
}

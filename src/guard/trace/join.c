/*
 * join.c
 *		Levels that read several relations.
 *
 * The level's FROM, through subqueries and views, becomes one tree of relations with the conditions of all
 * levels, over the columns of the parts.  The query that reads the parts is made from this tree
 * (join_query.c).
 *
 * An outer join keeps its shape, and so does its optional side: a subquery's WHERE is applied below the
 * join.  Of such a subquery only plain columns can be used, since an expression that is computed above the
 * join need not be NULL in padded rows.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/import/comparison.h"
#include "glue/owner_hint.h"
#include "guard/condition/allow.h"
#include "guard/public/public_relation.h"
#include "guard/query/dp_aggregates.h"
#include "guard/query/outer_join.h"
#include "guard/query/range_table.h"
#include "guard/restrict/analyst.h"
#include "guard/trace/expand.h"
#include "guard/trace/grouped.h"
#include "guard/trace/join.h"
#include "guard/source/join_list.h"
#include "guard/source/join_proof.h"
#include "guard/trace/join_union.h"
#include "guard/trace/join_unit.h"
#include "guard/trace/semijoin.h"
#include "guard/trace/trace.h"
#include "guard/trace/unit_rows.h"
#include "ledger/rows/row_accounts.h"

typedef struct Mention
{
	int			number;			/* number of a part */
	int			location;		/* location of its first mention, or -1 */
} Mention;

static bool
mention_walker(Node *node, Mention *mention)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varno == mention->number && ((Var *) node)->location >= 0)
	{
		mention->location = ((Var *) node)->location;
		return true;
	}
	return expression_tree_walker(node, mention_walker, mention);
}

/* The location of a condition that mentions the part. */
static int
part_location(const DpsProtectedSource *source, const DpsPart *part)
{
	Mention		mention = {0, -1};
	ListCell   *cell;

	foreach(cell, source->parts)
	{
		mention.number++;
		if (lfirst(cell) == part)
			(void) mention_walker(source->from, &mention);
	}
	if (mention.location < 0 && part->constants != NULL)
		mention.location = dps_list_location(part);
	return mention.location >= 0 ? mention.location : source->location;
}

void
dps_refuse_join(const DpsProtectedSource *source, const DpsPart *part, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg(source->in_condition ? "this subquery of relation \"%s\" in a condition is not supported below dp aggregates" :
					"this join with relation \"%s\" is not supported below dp aggregates", dps_part_name(part)),
			 errdetail("%s", detail),
			 errhint("%s", hint),
			 errposition(dps_query_position(source, part_location(source, part)))));
}

/* Is there a comparison of the part's columns that depends on the time zone? */
static bool
unsteady_walker(Node *node, const int *number)
{
	if (node == NULL)
		return false;
	if (IsA(node, OpExpr) && dps_is_unsteady_comparison(((OpExpr *) node)->opno) &&
		bms_is_member(*number, pull_varnos_of_level(NULL, node, 0)))
		return true;
	return expression_tree_walker(node, unsteady_walker, (void *) number);
}

void
dps_refuse_proof(const DpsProtectedSource *source, const DpsPart *part, const char *detail, const char *hint)
{
	int			number = 0;
	ListCell   *cell;

	foreach(cell, source->parts)
	{
		number++;
		if (lfirst(cell) == part && unsteady_walker(source->from, &number))
			hint = "A comparison of timestamptz with timestamp or date goes by the session's time zone and proves nothing: give both sides one type, as by AT TIME ZONE 'UTC'.";
	}
	dps_refuse_join(source, part, detail, hint);
}

/* ---- the tree ---- */

static Node *flatten(DpsProtectedSource *source, Query *level, Node *node, bool nullable);

Node *
dps_expand_at(DpsProtectedSource *source, Query *level, Node *expression)
{
	DpsProtectedSource below = *source;
	Node	   *expanded;

	if (expression == NULL)
		return NULL;
	below.query = level;
	expanded = dps_expand_expression(&below, expression);
	source->functions = below.functions;
	return expanded;
}

/* The tree of a level's FROM and WHERE. */
static Node *
flatten_level(DpsProtectedSource *source, Query *level, bool nullable)
{
	List	   *from = NIL;
	ListCell   *cell;

	source->levels = lappend(source->levels, level);
	dps_simplify_outer_joins(level, dps_has_own_dp_aggregate(level) ? dps_own_aggregates(level) : NIL);
	foreach(cell, level->jointree->fromlist)
	{
		Node	   *tree = flatten(source, level, lfirst(cell), nullable);

		if (tree != NULL)
			from = lappend(from, tree);
	}
	return (Node *) makeFromExpr(from, dps_expand_condition(source, level, level->jointree->quals, nullable));
}

Node *
dps_flatten_level(DpsProtectedSource *source, Query *level)
{
	return flatten_level(source, level, false);
}

static Node *
add_part(DpsProtectedSource *source, Query *level, RangeTblEntry *entry, bool nullable)
{
	DpsPart    *part = palloc0(sizeof(DpsPart));

	part->entry = entry;
	part->level = level;
	part->relation = entry->relid;
	part->nullable = nullable;
	dps_get_relation_annotation(entry->relid, &part->annotation);
	source->parts = lappend(source->parts, part);
	part->security = (List *) dps_expand_at(source, level, (Node *) entry->securityQuals);
	return dps_range_ref(list_length(source->parts));
}

/* The tree of a grouped part, with HAVING as its condition. */
static Node *
flatten_grouped(DpsProtectedSource *source, Query *level, RangeTblEntry *entry, bool nullable)
{
	DpsPart    *part;
	Node	   *having = entry->subquery->havingQual;
	Node	   *group;
	int			number;

	if (nullable)
		dps_refuse_source(source, "a subquery with GROUP BY on the optional side of an outer join is", "Use JOIN.");
	part = dps_make_grouped_part(source, level, entry);
	source->parts = lappend(source->parts, part);
	number = list_length(source->parts);
	group = dps_range_ref(number);
	if (having == NULL)
		return group;
	return (Node *) makeFromExpr(list_make1(group), dps_grouped_expression(source, part, number, having));
}

static Node *
flatten_entry(DpsProtectedSource *source, Query *level, RangeTblEntry *entry, bool nullable)
{
	dps_inline_with_query(level, entry);
	dps_unfold_single_row(entry);
	if (dps_is_row_of_expressions(entry))
	{
		if (nullable)
			dps_refuse_source(source, "a subquery without FROM on the optional side of an outer join is",
							  "Use CROSS JOIN LATERAL.");
		dps_check_subquery(source, entry->subquery);
		return NULL;
	}
	if (dps_is_list_entry(entry))
	{
		DpsPart    *part = dps_make_list_part(source, level, entry);

		part->nullable = nullable;
		source->parts = lappend(source->parts, part);
		return dps_range_ref(list_length(source->parts));
	}
	dps_check_entry(source, entry);
	if (entry->rtekind == RTE_RELATION)
		return add_part(source, level, entry, nullable);
	if (entry->subquery->setOperations != NULL)
	{
		DpsPart    *part = dps_make_union_part(source, level, entry);

		part->nullable = nullable;
		source->parts = lappend(source->parts, part);
		return dps_range_ref(list_length(source->parts));
	}
	if (dps_is_grouped_query(entry->subquery))
		return flatten_grouped(source, level, entry, nullable);
	dps_check_subquery(source, entry->subquery);
	if (nullable)
		source->padded = lappend(source->padded, entry);
	return flatten_level(source, entry->subquery, nullable);
}

static Node *
flatten_join(DpsProtectedSource *source, Query *level, const JoinExpr *join, bool nullable)
{
	JoinExpr   *outer;
	Node	   *left;
	Node	   *right;

	if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT && join->jointype != JOIN_RIGHT)
		dps_refuse_source(source, "FULL JOIN is",
						  "Use JOIN, or LEFT JOIN with the protected relation on the left.");
	left = flatten(source, level, join->larg, nullable || join->jointype == JOIN_RIGHT);
	right = flatten(source, level, join->rarg, nullable || join->jointype == JOIN_LEFT);
	if (join->jointype == JOIN_INNER)
	{
		List	   *from = left != NULL ? list_make1(left) : NIL;

		if (right != NULL)
			from = lappend(from, right);
		return (Node *) makeFromExpr(from, dps_expand_condition(source, level, join->quals, nullable));
	}
	if (left == NULL || right == NULL)
		dps_refuse_source(source, "an outer join with a subquery without FROM is", "Use CROSS JOIN LATERAL.");
	outer = makeNode(JoinExpr);
	outer->jointype = JOIN_LEFT;
	outer->larg = join->jointype == JOIN_LEFT ? left : right;
	outer->rarg = join->jointype == JOIN_LEFT ? right : left;
	outer->quals = dps_expand_condition(source, level, join->quals, true);
	return (Node *) outer;
}

static Node *
flatten(DpsProtectedSource *source, Query *level, Node *node, bool nullable)
{
	check_stack_depth();
	if (IsA(node, JoinExpr))
		return flatten_join(source, level, (JoinExpr *) node, nullable);
	return flatten_entry(source, level, rt_fetch(castNode(RangeTblRef, node)->rtindex, level->rtable), nullable);
}

/* ---- checks of the parts ---- */

static void
refuse_restricted_side(const DpsProtectedSource *source, const DpsPart *part)
{
	dps_refuse_join(source, part, "It stands on the optional side of an outer join, where one row of the other side could be met by none or by one of its own.",
					"Use JOIN, put the protected relation on the side whose rows are kept, or aggregate only its columns, such as dp_count of its key.");
}

static void
check_public(const DpsProtectedSource *source, const DpsPart *part)
{
	const char *hint;
	const char *detail = dps_why_not_public(part->relation, &hint);

	if (detail != NULL)
		dps_refuse_join(source, part, detail, hint);
}

static void
check_protected(DpsProtectedSource *source, DpsPart *part)
{
	DpsRowCaps	caps;
	DpsProtectedSource alone = *source;

	if (part->nullable && part->level != NULL && !source->allows_optional)
		refuse_restricted_side(source, part);
	/* the sources of arms and groups were checked separately */
	if (part->arms != NIL || part->grouping != NULL)
		return;
	if (part->entry->relkind != RELKIND_RELATION && part->entry->relkind != RELKIND_PARTITIONED_TABLE)
		dps_refuse_source(source, "a relation that is not a table is", "Protect a table.");
	if (dps_row_caps(part->relation, &caps))
		dps_refuse_join(source, part, "Its rows have accounts of their own.",
						"Set the budget of the relation without row_epsilon and row_rho.");
	if (part->level == NULL)
		return;
	part->is_restricted = dps_is_restricted(part->level, part->entry);
	part->needs_budget = dps_needs_budget(part->level, part->entry);
	if (!part->is_restricted)
		return;
	source->is_restricted = true;
	alone.relation = part->relation;
	alone.needs_budget = part->needs_budget;
	dps_check_analyst(&alone);
}

void
dps_check_part(DpsProtectedSource *source, DpsPart *part)
{
	if (part->annotation.is_protected)
		check_protected(source, part);
	else if (part->constants == NULL)
		check_public(source, part);
}

static void
check_parts(DpsProtectedSource *source)
{
	ListCell   *cell;
	int			nprotected = 0;

	if (source->parts == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp aggregates need a protected relation to read"),
				 errhint("Write the query over a protected table."),
				 errposition(dps_query_position(source, source->location))));
	foreach(cell, source->parts)
	{
		DpsPart    *part = lfirst(cell);

		nprotected += part->annotation.is_protected ? 1 : 0;
		dps_check_part(source, part);
	}
	if (nprotected == 0)
	{
		const DpsPart *first = linitial(source->parts);

		foreach(cell, source->parts)
			first = first->constants != NULL ? lfirst(cell) : first;
		if (first->constants != NULL)
			dps_refuse_source(source, "reading VALUES and functions alone is", "Write the query over a protected table.");
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not protected", get_rel_name(first->relation)),
				 errdetail("None of the relations that are joined is; dp aggregates need to know what a neighbouring relation is."),
				 dps_hint_owner(first->relation, "SELECT dpsens.protect('%s');", get_rel_name(first->relation)),
				 errposition(dps_query_position(source, source->location))));
	}
}

/* Collects the conditions that are true of each row of the join, and the others, which belong to outer
 * joins. */
static void
collect_conditions(const Node *tree, bool always, List **conditions, List **others)
{
	ListCell   *cell;
	Node	   *quals;

	if (IsA(tree, RangeTblRef))
		return;
	if (IsA(tree, FromExpr))
	{
		foreach(cell, ((const FromExpr *) tree)->fromlist)
			collect_conditions(lfirst(cell), always, conditions, others);
		quals = ((const FromExpr *) tree)->quals;
	}
	else
	{
		collect_conditions(((const JoinExpr *) tree)->larg, always, conditions, others);
		collect_conditions(((const JoinExpr *) tree)->rarg, false, conditions, others);
		quals = ((const JoinExpr *) tree)->quals;
		always = false;
	}
	if (quals != NULL && always)
		*conditions = lappend(*conditions, quals);
	else if (quals != NULL)
		*others = lappend(*others, quals);
}

/* Does row-level security or a view hide rows of a part?  The executor may evaluate conditions on hidden
 * rows, which errors must not reveal. */
static bool
hides_rows(const DpsProtectedSource *source)
{
	ListCell   *cell;
	ListCell   *entry;

	foreach(cell, source->parts)
	{
		if (((DpsPart *) lfirst(cell))->security != NIL)
			return true;
	}
	foreach(cell, source->levels)
	{
		foreach(entry, lfirst_node(Query, cell)->rtable)
		{
			if (lfirst_node(RangeTblEntry, entry)->security_barrier)
				return true;
		}
	}
	return false;
}

void
dps_collect_conditions(const Node *tree, List **conditions)
{
	collect_conditions(tree, true, conditions, conditions);
}

/* Conditions inside of subqueries are checked by semijoin.c. */
void
dps_check_join_condition(DpsProtectedSource *source, Node *condition)
{
	Node	   *plain = dps_without_subqueries(condition);
	const char *foreign = dps_find_foreign_call(plain);

	if (foreign != NULL)
		dps_refuse_source(source, psprintf("%s in a condition is", foreign),
						  "Whether a row counts must depend on this row alone.");
	if (checkExprHasSubLink(plain))
		dps_refuse_source(source, "a subquery in a row-level security policy of a query with joins or subqueries is",
						  "Ask its owner for a policy that looks at columns of the row only.");
	if (source->is_restricted || hides_rows(source))
		dps_check_total(source, plain);
}

void
dps_check_join_conditions(DpsProtectedSource *source)
{
	List	   *others = NIL;
	ListCell   *cell;

	collect_conditions(source->from, true, &source->conditions, &others);
	foreach(cell, source->parts)
	{
		DpsPart    *part = lfirst(cell);

		if (part->security != NIL && !part->nullable)
			source->conditions = lappend(source->conditions, part->security);
		else if (part->security != NIL)
			others = lappend(others, part->security);
	}
	foreach(cell, source->conditions)
		dps_check_join_condition(source, lfirst(cell));
	foreach(cell, others)
		dps_check_join_condition(source, lfirst(cell));
}

/* ---- which part is counted ---- */

static void
renumber(DpsProtectedSource *source, int from, int to)
{
	ListCell   *cell;

	ChangeVarNodes(source->from, from, to, 0);
	foreach(cell, source->parts)
		ChangeVarNodes((Node *) ((DpsPart *) lfirst(cell))->security, from, to, 0);
}

/* Makes the part of this number the first part. */
void
dps_put_first(DpsProtectedSource *source, int number)
{
	int			unused = list_length(source->parts) + 1;
	void	   *part = list_nth(source->parts, number - 1);

	if (number == 1)
		return;
	renumber(source, 1, unused);
	renumber(source, number, 1);
	renumber(source, unused, number);
	lfirst(list_nth_cell(source->parts, number - 1)) = linitial(source->parts);
	linitial(source->parts) = part;
}

/* Chooses the first protected part whose rows the join does not multiply, and puts it first.  The error,
 * if there is none, is about the part for which the most other parts are settled. */
static void
choose_counted(DpsProtectedSource *source)
{
	const DpsPart *multiplying;
	int			nearest = 0;
	int			most = -1;
	int			n = list_length(source->parts);
	int			i;

	for (i = 1; i <= n; i++)
	{
		const DpsPart *part = list_nth(source->parts, i - 1);
		int			settled;

		if (!part->annotation.is_protected || part->nullable)
			continue;
		settled = dps_prove_join(source, i, &multiplying);
		if (settled == n)
		{
			dps_put_first(source, i);
			return;
		}
		if (settled > most)
		{
			most = settled;
			nearest = i;
		}
	}
	(void) dps_prove_join(source, nearest, &multiplying);
	dps_refuse_proof(source, multiplying,
					psprintf("Nothing proves that a row of \"%s\" meets at most one of its rows, so the join could multiply rows.",
							 get_rel_name(((DpsPart *) list_nth(source->parts, nearest - 1))->relation)),
					multiplying->constants != NULL ? "Compare by equality columns in which no two of its rows are equal, or with the two ends of bands that do not overlap." :
					"Join it by equality with all columns of one of its unique indexes that is valid, immediate, not partial and not over expressions, of a table without children.  For bands of values use VALUES, CASE or width_bucket().");
}

/* ---- what is private ---- */

/* Is there a subquery in a condition that reads a protected relation? */
static bool
asks_protected(const DpsProtectedSource *source)
{
	ListCell   *cell;

	foreach(cell, source->semijoins)
	{
		if (((const DpsSemiJoin *) lfirst(cell))->reads_protected)
			return true;
	}
	return false;
}

/* The numbers of the parts in a tree. */
static Bitmapset *
parts_of(const Node *tree)
{
	Bitmapset  *numbers = NULL;
	ListCell   *cell;

	if (IsA(tree, RangeTblRef))
		return bms_make_singleton(((const RangeTblRef *) tree)->rtindex);
	if (IsA(tree, JoinExpr))
		return bms_union(parts_of(((const JoinExpr *) tree)->larg), parts_of(((const JoinExpr *) tree)->rarg));
	foreach(cell, ((const FromExpr *) tree)->fromlist)
		numbers = bms_add_members(numbers, parts_of(lfirst(cell)));
	return numbers;
}

/* Do private cells decide whether the optional side of the outer join is matched?  Its whole join
 * condition and all conditions inside of the side decide that, whichever parts they are about. */
static bool
is_met_privately(const DpsProtectedSource *source, const JoinExpr *join)
{
	List	   *conditions = NIL;
	ListCell   *cell;

	collect_conditions(join->rarg, false, &conditions, &conditions);
	if (join->quals != NULL)
		conditions = lappend(conditions, join->quals);
	foreach(cell, conditions)
	{
		if (dps_depends_on_private(source, lfirst(cell)))
			return true;
	}
	return false;
}

/* Marks parts on optional sides as private.  Returns whether the mark of a part has changed. */
static bool
mark_optional_parts(DpsProtectedSource *source, const Node *tree)
{
	const JoinExpr *join = (const JoinExpr *) tree;
	Bitmapset  *numbers = NULL;
	bool		changed = false;
	int			number = -1;
	ListCell   *cell;

	if (IsA(tree, FromExpr))
	{
		foreach(cell, ((const FromExpr *) tree)->fromlist)
			changed |= mark_optional_parts(source, lfirst(cell));
	}
	if (!IsA(tree, JoinExpr))
		return changed;
	changed = mark_optional_parts(source, join->larg);
	changed |= mark_optional_parts(source, join->rarg);
	if (is_met_privately(source, join))
		numbers = parts_of(join->rarg);
	while ((number = bms_next_member(numbers, number)) >= 0)
	{
		DpsPart    *part = list_nth(source->parts, number - 1);

		changed |= !part->is_private;
		part->is_private = true;
	}
	return changed;
}

/* Marks the parts of which private cells decide which row matches, or whether one does.  A part that is
 * joined by a column of a private part is private, too. */
static void
mark_private_parts(DpsProtectedSource *source)
{
	List	   *quals = NIL;
	List	   *conditions = NIL;
	ListCell   *cell;
	ListCell   *condition;
	bool		changed = true;

	collect_conditions(source->from, true, &quals, &quals);
	foreach(cell, quals)
		conditions = list_concat(conditions, make_ands_implicit(lfirst(cell)));
	/* which row of a protected part matches is decided by another row as well, whose unit may change; so
	 * public columns of a part are not public in the join */
	for_each_from(cell, source->parts, 1)
	{
		DpsPart    *part = lfirst(cell);

		part->is_private = part->annotation.is_protected || source->swaps_rows;
		if (part->is_private && part->level != NULL)
			((DpsPart *) linitial(source->parts))->is_private = true;
	}
	if (asks_protected(source))
		((DpsPart *) linitial(source->parts))->is_private = true;
	while (changed)
	{
		int			number = 0;

		changed = mark_optional_parts(source, source->from);
		foreach(cell, source->parts)
		{
			DpsPart    *part = lfirst(cell);

			number++;
			foreach(condition, conditions)
			{
				if (number == 1 || part->is_private || !bms_is_member(number, pull_varnos_of_level(NULL, lfirst(condition), 0)) ||
					!dps_depends_on_private(source, lfirst(condition)))
					continue;
				part->is_private = changed = true;
			}
		}
	}
}

static void
check_adjacency(const DpsProtectedSource *source)
{
	ListCell   *cell;

	if (source->annotation.adjacency == DPS_ADD_REMOVE || source->annotation.adjacency == DPS_REPLACE)
		return;
	foreach(cell, source->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->is_private)
			dps_refuse_join(source, part,
							psprintf("A change of one private column would change all columns of the row that is met, under adjacency %s.",
									 dps_adjacency_name(source->annotation.adjacency)),
							"Join on public columns, or protect the table with adjacency add_remove or replace.");
	}
}

static void
note_privacy(DpsProtectedSource *source)
{
	ListCell   *cell;

	mark_private_parts(source);
	check_adjacency(source);
	foreach(cell, source->conditions)
		source->selection_is_private |= dps_depends_on_private(source, lfirst(cell));
	/* one unit more or less is a row more or less in these cases, too; and the existence of groups is as
	 * private as the rows */
	source->selection_is_private |= source->swaps_rows;
	foreach(cell, source->parts)
		source->selection_is_private |= ((DpsPart *) lfirst(cell))->grouping != NULL;
	for_each_from(cell, source->parts, 1)
		source->selection_is_private |= ((DpsPart *) lfirst(cell))->annotation.is_protected;
}

void
dps_trace_join(DpsProtectedSource *source)
{
	DpsPart    *counted;

	source->is_individual = false;
	source->from = flatten_level(source, source->query, false);
	check_parts(source);
	choose_counted(source);
	counted = linitial(source->parts);
	source->relation = counted->relation;
	source->annotation = counted->annotation;
	dps_find_join_unit(source);
	source->limits_unit = dps_limits_unit(source);
	dps_check_join_conditions(source);
	dps_check_semijoins(source);
	note_privacy(source);
}

bool
dps_is_join_query(const Query *query)
{
	return list_length(query->jointree->fromlist) != 1 || !IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

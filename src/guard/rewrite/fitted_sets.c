/*
 * fitted_sets.c
 *		Sums and counts of grouping sets that add up.
 *
 * Precondition: the query of each set of a split query (grouping_sets.c) is rewritten.  Postcondition: charges and draws are
 * what they were; where it is proved that the groups of all sets are sums of one table on all keys, what is made of the answers
 * is their least-squares fit (moment/nested.c where each set's keys are among the next one's, moment/crossed/crossed.c else),
 * a function of answers alone (Dwork and Roth 2014, Proposition 2.1).
 *
 *	SELECT a, s FROM (
 *		SELECT a, finish(release, statistic, answer) AS s FROM (release of (a)) r
 *		UNION ALL SELECT NULL, finish(release, statistic, answer) FROM (release of ()) r) k
 *
 * becomes
 *
 *	SELECT a, s FROM (
 *		SELECT a, finish(release, statistic, finish_fit(sets, set, number, answer) OVER ()) AS s FROM (
 *			SELECT a, answer, 1 AS set, number FROM (release of (a)) r
 *			UNION ALL SELECT NULL, answer, 0, number FROM (release of ()) r) u) k
 *
 * What the sets count must be the same rows:
 *
 * - All rows are those of one FROM and WHERE, which each set repeats, and which admit the same rows whenever they run: without
 *	 samples, LIMIT and subqueries in conditions (chooses_rows).  No unit's rows are limited: which rows count could
 *	 depend on the keys that are read.  No row accounts, for the same reason.
 * - Groups are declared, and of each key that some set has and another has not each row has a declared value
 *	 (guard/source/covered.c).
 * - A row adds the same integer to both: grids and ranges are equal, and the filter is the same.
 *
 * Then the exact integers add up.  The noises are independent draws, of one scale for each set.  Everything else
 * stays as it is.
 *
 * All sets are needed for the fit, so a condition of a query around this one does not spare any of them; HAVING can
 * (chooses_sets).  What dpsens.explain says of the cost is of all of them in any case.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "agg/families/fitted.h"
#include "glue/glue.h"
#include "guard/query/made_nodes.h"
#include "guard/query/range_table.h"
#include "guard/release/keys.h"
#include "guard/rewrite/grouping_sets.h"
#include "guard/rewrite/level.h"
#include "guard/source/covered.h"
#include "guard/trace/expand.h"
#include "guard/trace/row_owner.h"
#include "moment/crossed/crossed_shares.h"
#include "moment/nested.h"
#include "moment/nested_shares.h"

/* Arguments of finish functions. */
#define RELEASE 0
#define STATISTIC 1
#define ANSWER 2

/* The sets of a query, those with fewer keys first. */
typedef struct Sets
{
	List	   *queries;		/* of DpsSetQuery * */
	DpsFitPlan *plan;			/* but for its step */
} Sets;

/* ---- what a level tells ---- */

static bool
covers_rows(DpsProtectedSource *source, const DpsKey *key)
{
	Expr	   *column = (Expr *) dps_expand_expression(source, key->expression);

	/* what is read of a public relation may be others by the time that rows are read */
	return key->values != NULL && !key->is_read && IsA(column, Var) &&
		dps_values_cover_rows(source, (Var *) column, key->values, dps_key_membership(key, column));
}

static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE;
}

/*
 * Could two runs of the query, which is that of a set, count other rows?  Every set has its own copy of what the query reads, and
 * a sample or a LIMIT of public rows need not be the same in each.  What a condition's subquery does is not looked at:
 * any makes it so.
 */
static bool
chooses_rows(Node *node, const Query *top)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) || IsA(node, TableSampleClause))
		return true;
	if (IsA(node, Query))
	{
		const Query *query = (const Query *) node;

		if (query != top && (query->limitCount != NULL || query->limitOffset != NULL || query->hasDistinctOn || query->hasWindowFuncs))
			return true;
		return query_tree_walker((Query *) node, chooses_rows, (void *) top, 0);
	}
	/* the aggregates themselves draw noise; their arguments and filters do not */
	if (!IsA(node, Aggref) && check_functions_in_node(node, is_volatile, NULL))
		return true;
	return expression_tree_walker(node, chooses_rows, (void *) top);
}

DpsSetQuery *
dps_note_set_query(Query *query, DpsLevel *level)
{
	DpsSetQuery *noted = palloc0(sizeof(DpsSetQuery));
	ListCell   *cell;

	noted->query = query;
	noted->keys = level->keys;
	noted->adds_up = level->groups == NULL && dps_key_combinations(level->keys) <= DPS_NESTED_CELLS &&
		!level->source.is_individual && !dps_counts_rows(&level->source) && level->source.semijoins == NIL &&
		!chooses_rows((Node *) query, query);
	level->numbers_groups = noted->adds_up;
	foreach(cell, level->keys)
	{
		if (noted->adds_up && covers_rows(&level->source, lfirst(cell)))
			noted->covered = lappend(noted->covered, lfirst(cell));
	}
	return noted;
}

/* ---- do the sets add up? ---- */

static int
compare_sets(const ListCell *a, const ListCell *b)
{
	return list_length(((const DpsSetQuery *) lfirst(a))->keys) - list_length(((const DpsSetQuery *) lfirst(b))->keys);
}

/* The number of an equal key among these, or -1. */
static int
find_key(const List *keys, const DpsKey *key)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		if (equal(((const DpsKey *) lfirst(cell))->expression, key->expression))
			return foreach_current_index(cell);
	}
	return -1;
}

/* Is there none among the set's keys before this one that is not listed? */
static bool
follows_listed(const List *listed, const List *keys, const DpsKey *key)
{
	int			last = find_key(keys, key);
	int			i;

	for (i = 0; i < last; i++)
	{
		if (find_key(listed, list_nth(keys, i)) < 0)
			return false;
	}
	return true;
}

/* A key that is not listed and comes, in all sets that have it, after listed keys only; NULL if there is none. */
static DpsKey *
next_key(const List *queries, const List *listed)
{
	ListCell   *cell;
	ListCell   *other;
	ListCell   *third;

	foreach(cell, queries)
	{
		foreach(other, ((const DpsSetQuery *) lfirst(cell))->keys)
		{
			DpsKey	   *key = lfirst(other);
			bool		follows = find_key(listed, key) < 0;

			foreach(third, queries)
				follows = follows && follows_listed(listed, ((const DpsSetQuery *) lfirst(third))->keys, key);
			if (follows)
				return key;
		}
	}
	return NULL;
}

/* The keys of all sets, in an order in which each set has its own; some are missing if there is none. */
static List *
list_keys(const List *queries)
{
	List	   *listed = NIL;
	DpsKey	   *key;

	while ((key = next_key(queries, listed)) != NULL)
		listed = lappend(listed, key);
	return listed;
}

/* Sets the bits of a set's keys among all; false if one is missing, twice there, or has other values. */
static bool
set_keys(const DpsSetQuery *set, const List *keys, uint32 *bits)
{
	ListCell   *cell;

	*bits = 0;
	foreach(cell, set->keys)
	{
		const DpsKey *key = lfirst(cell);
		int			number = find_key(keys, key);

		if (number < 0 || (*bits & (UINT32_C(1) << number)) != 0 ||
			key->values->n != ((const DpsKey *) list_nth(keys, number))->values->n)
			return false;
		*bits |= UINT32_C(1) << number;
	}
	return true;
}

/*
 * Has every row a declared value of each key that some set has and another has not?  Then every row is in one group of
 * each set, but for keys that all sets have, for which the same rows are in none.
 */
static bool
are_covered(const List *queries, const DpsFitPlan *plan, const List *keys)
{
	uint32		common = ~UINT32_C(0);
	ListCell   *cell;
	ListCell   *other;

	foreach(cell, queries)
		common &= plan->keys[foreach_current_index(cell)];
	foreach(cell, queries)
	{
		const DpsSetQuery *set = lfirst(cell);

		foreach(other, set->keys)
		{
			if ((common & (UINT32_C(1) << find_key(keys, lfirst(other)))) == 0 && !list_member_ptr(set->covered, lfirst(other)))
				return false;
		}
	}
	return true;
}

/* Plans a fit of sets whose keys are known, and how they share epsilon; false if there is none. */
static bool
plan_fit(DpsFitPlan *plan)
{
	int64		cells[DPS_FIT_LEVELS];
	int64		ngroups = 0;
	DpsCrossedFamily *family;
	int			i;

	for (i = 0; i < plan->nlevels; i++)
	{
		cells[i] = dps_fit_groups(plan, i);
		ngroups += cells[i];
	}
	if (ngroups > DPS_NESTED_CELLS)
		return false;
	/* whatever the setting is: a plan that is kept may run under another */
	if (dps_fit_is_nested(plan))
	{
		dps_share_nested(plan->nlevels, cells, plan->factor);
		return true;
	}
	family = dps_fit_family(plan);
	if (family == NULL)
		return false;
	dps_share_crossed(family, plan->factor);
	return true;
}

static bool
plan_sets(Sets *sets)
{
	List	   *keys = list_keys(sets->queries);
	DpsFitPlan *plan = palloc0(sizeof(DpsFitPlan));
	ListCell   *cell;

	SET_VARSIZE(plan, sizeof(DpsFitPlan));
	plan->version = DPS_FIT_VERSION;
	plan->nlevels = list_length(sets->queries);
	plan->nkeys = list_length(keys);
	sets->plan = plan;
	if (plan->nlevels < 2 || plan->nlevels > DPS_FIT_LEVELS || plan->nkeys > DPS_FIT_KEYS)
		return false;
	foreach(cell, keys)
	{
		plan->values[foreach_current_index(cell)] = ((const DpsKey *) lfirst(cell))->values->n;
		if (plan->values[foreach_current_index(cell)] < 1)
			return false;
	}
	foreach(cell, sets->queries)
	{
		if (!set_keys(lfirst(cell), keys, &plan->keys[foreach_current_index(cell)]))
			return false;
	}
	return are_covered(sets->queries, plan, keys) && plan_fit(plan);
}

/* Finds what was noted of the queries of a union; false if they cannot be fitted, whatever they ask for. */
static bool
find_sets(const Query *all, const List *noted, Sets *sets)
{
	ListCell   *cell;
	ListCell   *other;

	foreach(cell, all->rtable)
	{
		DpsSetQuery *found = NULL;

		foreach(other, noted)
		{
			if (((DpsSetQuery *) lfirst(other))->query == lfirst_node(RangeTblEntry, cell)->subquery)
				found = lfirst(other);
		}
		if (found == NULL || !found->adds_up)
			return false;
		sets->queries = lappend(sets->queries, found);
	}
	list_sort(sets->queries, compare_sets);
	return plan_sets(sets);
}

/* ---- are the answers of a column alike? ---- */

static TargetEntry *
entry_of(const DpsSetQuery *set, int column)
{
	return list_nth_node(TargetEntry, set->query->targetList, column);
}

/* The call that finishes an answer, or NULL. */
static FuncExpr *
finish_of(const DpsSetQuery *set, int column)
{
	FuncExpr   *call = (FuncExpr *) entry_of(set, column)->expr;
	const Const *release;

	if (!IsA(call, FuncExpr) || list_length(call->args) <= ANSWER || !IsA(linitial(call->args), Const) ||
		!IsA(lsecond(call->args), Const) || !IsA(lthird(call->args), Var))
		return NULL;
	release = linitial_node(Const, call->args);
	if (release->consttype != dps_internal_type("plan") || lthird_node(Var, call->args)->vartype != dps_internal_type("answer"))
		return NULL;
	return call;
}

static const DpsRelease *
release_of(const FuncExpr *finish)
{
	return dps_release_of_datum(list_nth_node(Const, finish->args, RELEASE)->constvalue);
}

static bool
is_plain(const DpsRelease *release)
{
	const DpsAggregate *aggregate = dps_aggregates[release->aggregate];

	return (aggregate == &dps_aggregate_sum || aggregate == &dps_aggregate_count) && release->points == 0 &&
		!release->individual && !release->incomplete && release->selection == 0 && release->unit_rows == 1 &&
		release->unit_groups == 1 && !release->divides_by_count;
}

/* Does a row add the same integer to both? */
static bool
add_alike(const DpsRelease *a, const DpsRelease *b)
{
	return a->aggregate == b->aggregate && a->grid == b->grid && a->count_grid == b->count_grid && a->whole == b->whole &&
		a->lo == b->lo && a->hi == b->hi && a->value_lo == b->value_lo && a->value_hi == b->value_hi;
}

static bool
have_equal_weights(const DpsRelease *a, const DpsRelease *b)
{
	int			i;

	if (a->weight != b->weight || a->nweighted != b->nweighted)
		return false;
	for (i = 0; i < a->nweighted; i++)
	{
		const DpsWeightedNorms *one = &a->weighted[i];
		const DpsWeightedNorms *other = &b->weighted[i];

		if (one->weight != other->weight || one->l1 != other->l1 || one->l2 != other->l2 ||
			one->count_l1 != other->count_l1 || one->count_l2 != other->count_l2)
			return false;
	}
	return true;
}

/* Do both cost the same and have the same noise, at the same epsilon?  What sets share is as good as promised only then. */
static bool
have_equal_law(const DpsRelease *a, const DpsRelease *b)
{
	return a->l1 == b->l1 && a->l2 == b->l2 && a->count_l1 == b->count_l1 && a->count_l2 == b->count_l2 &&
		a->sensitivity == b->sensitivity && a->vector == b->vector && a->adjacency == b->adjacency && a->arms == b->arms &&
		a->proof == b->proof && a->replaces == b->replaces && a->removes == b->removes &&
		a->replacement == b->replacement && have_equal_weights(a, b) &&
		(a->epsilon == b->epsilon || (isnan(a->epsilon) && isnan(b->epsilon)));
}

static bool
is_fitted(const Sets *sets, int column)
{
	const FuncExpr *first = finish_of(linitial(sets->queries), column);
	ListCell   *cell;

	if (first == NULL || !is_plain(release_of(first)))
		return false;
	foreach(cell, sets->queries)
	{
		const FuncExpr *one = finish_of(lfirst(cell), column);

		if (one == NULL || one->funcid != first->funcid || !is_plain(release_of(one)) ||
			!add_alike(release_of(first), release_of(one)) || !equal(lsecond(first->args), lsecond(one->args)))
			return false;
	}
	return true;
}

/* ---- the queries ---- */

static void
set_column_types(Node *node, int column, const Node *expression)
{
	SetOperationStmt *both = (SetOperationStmt *) node;

	if (!IsA(node, SetOperationStmt))
		return;
	set_column_types(both->larg, column, expression);
	set_column_types(both->rarg, column, expression);
	if (column == list_length(both->colTypes))
	{
		both->colTypes = lappend_oid(both->colTypes, InvalidOid);
		both->colTypmods = lappend_int(both->colTypmods, -1);
		both->colCollations = lappend_oid(both->colCollations, InvalidOid);
	}
	list_nth_cell(both->colTypes, column)->oid_value = exprType(expression);
	list_nth_cell(both->colTypmods, column)->int_value = exprTypmod(expression);
	list_nth_cell(both->colCollations, column)->oid_value = exprCollation(expression);
}

/* Makes the union's column what the queries have there now, or adds one. */
static void
set_union_column(Query *all, int column)
{
	const RangeTblEntry *first = linitial_node(RangeTblEntry, all->rtable);
	TargetEntry *entry = list_nth_node(TargetEntry, first->subquery->targetList, column);
	Expr	   *var = (Expr *) makeVarFromTargetEntry(1, entry);
	ListCell   *cell;

	set_column_types(all->setOperations, column, (Node *) entry->expr);
	if (column == list_length(all->targetList))
	{
		dps_add_target(all, var, entry->resname);
		foreach(cell, all->rtable)
		{
			RangeTblEntry *one = lfirst_node(RangeTblEntry, cell);

			one->eref->colnames = lappend(one->eref->colnames, makeString(pstrdup(entry->resname)));
		}
	}
	else
		list_nth_node(TargetEntry, all->targetList, column)->expr = var;
}

static Expr *
make_number(int value)
{
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true);
}

/* Adds the numbers of the set and of the group to the queries of the sets, as the last two columns. */
static void
add_numbers(Query *all, const Sets *sets)
{
	int			column = list_length(all->targetList);
	ListCell   *cell;

	foreach(cell, sets->queries)
	{
		Query	   *query = ((DpsSetQuery *) lfirst(cell))->query;
		const CommonTableExpr *cte = linitial_node(CommonTableExpr, query->cteList);
		int			last = list_length(cte->ctecolnames);

		dps_add_target(query, make_number(foreach_current_index(cell)), "set");
		dps_add_target(query, (Expr *) makeVar(1, last, INT4OID, -1, InvalidOid, 0), "group");
	}
	set_union_column(all, column);
	set_union_column(all, column + 1);
}

Oid
dps_fit_function(void)
{
	Oid			argtypes[4] = {dps_internal_type("plan"), INT4OID, INT4OID, dps_internal_type("answer")};

	return dps_internal_function("finish_fit", 4, argtypes);
}

/* finish_fit(sets, set, group, answer) OVER () */
static Expr *
fit_call(const DpsFitPlan *plan, int nanswers, Var *answer)
{
	WindowFunc *call = makeNode(WindowFunc);

	call->winfnoid = dps_fit_function();
	call->wintype = answer->vartype;
	call->args = list_make4(dps_plan_constant(plan), makeVar(1, nanswers + 1, INT4OID, -1, InvalidOid, 0),
							makeVar(1, nanswers + 2, INT4OID, -1, InvalidOid, 0), answer);
	call->winref = 1;
	call->location = -1;
	return (Expr *) call;
}

/* The query over the union: its columns as they were, those that are fitted by way of the fit.  plans: of DpsFitPlan *, or
 * NULL. */
static Query *
query_above(Query *all, const List *finishes, const List *plans)
{
	Query	   *query = makeNode(Query);
	WindowClause *window = makeNode(WindowClause);
	ListCell   *cell;

	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	query->commandType = CMD_SELECT;
	query->windowClause = list_make1(window);
	query->hasWindowFuncs = true;
	foreach(cell, finishes)
	{
		const TargetEntry *entry = list_nth_node(TargetEntry, all->targetList, foreach_current_index(cell));
		FuncExpr   *finish = copyObject((FuncExpr *) lfirst(cell));
		Var		   *var = makeVarFromTargetEntry(1, (TargetEntry *) entry);

		if (finish != NULL)
			list_nth_cell(finish->args, ANSWER)->ptr_value = fit_call(list_nth(plans, foreach_current_index(cell)), list_length(finishes), var);
		dps_add_target(query, finish != NULL ? (Expr *) finish : (Expr *) var, entry->resname);
	}
	/* its references to enclosing queries are now one level further */
	IncrementVarSublevelsUp((Node *) all, 1, 1);
	query->rtable = list_make1(dps_subquery_entry(all, "dpsens sets"));
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), NULL);
	return query;
}

/*
 * Does a condition on the answers look at what is a constant of some set, a key that it has not or grouping()?  The planner
 * then leaves out sets that cannot be in the result, which are neither drawn nor charged: that is kept.
 */
static bool
chooses_sets(Node *node, const Sets *sets)
{
	ListCell   *cell;

	/* subqueries of conditions look at no column of this level: such are refused (grouping_sets.c) */
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
	{
		int			number = ((Var *) node)->varattno;

		foreach(cell, sets->queries)
		{
			if (number < 1 || IsA(entry_of(lfirst(cell), number - 1)->expr, Const))
				return true;
		}
		return false;
	}
	return expression_tree_walker(node, chooses_sets, (void *) sets);
}

/* May the sets' answers of a column share epsilon? */
static bool
may_share(const Sets *sets, int column)
{
	const DpsRelease *first = release_of(finish_of(linitial(sets->queries), column));
	ListCell   *cell;

	foreach(cell, sets->queries)
	{
		if (!have_equal_law(first, release_of(finish_of(lfirst(cell), column))))
			return false;
	}
	return true;
}

/* The plan of a column, from those of the sets. */
static DpsFitPlan *
plan_column(const Sets *sets, int column)
{
	DpsFitPlan *plan = palloc(sizeof(DpsFitPlan));
	const DpsRelease *first = release_of(finish_of(linitial(sets->queries), column));
	bool		shares = may_share(sets, column);
	ListCell   *cell;
	ListCell   *other;

	*plan = *sets->plan;
	plan->step_bits = dps_aggregates[first->aggregate] == &dps_aggregate_count ? -first->count_grid : -1;
	foreach(cell, sets->queries)
	{
		int			level = foreach_current_index(cell);

		if (!shares)
			plan->factor[level] = 1;
		plan->release[level] = release_of(finish_of(lfirst(cell), column))->number;
		foreach(other, ((const DpsSetQuery *) lfirst(cell))->releases)
		{
			DpsReleasePlan *release = lfirst(other);

			if (release->release->number == plan->release[level])
				release->factor = plan->factor[level];
		}
	}
	return plan;
}

/* Marks, for explain, what is computed from the releases of a column that is fitted. */
static void
mark_requests(const Sets *sets, const DpsFitPlan *plan)
{
	ListCell   *cell;
	ListCell   *other;

	foreach(cell, sets->queries)
	{
		foreach(other, ((const DpsSetQuery *) lfirst(cell))->requests)
		{
			DpsRequest *request = lfirst(other);

			if (request->release->release->number == plan->release[foreach_current_index(cell)])
				request->is_fitted = true;
		}
	}
}

void
dps_fit_grouping_sets(Query *query, const List *noted)
{
	RangeTblEntry *entry = linitial_node(RangeTblEntry, query->rtable);
	Query	   *all = entry->subquery;
	Sets		sets = {0};
	List	   *finishes = NIL;
	List	   *plans = NIL;
	bool		any = false;
	int			n = list_length(all->targetList);
	int			i;

	if (all->setOperations == NULL || !find_sets(all, noted, &sets) || chooses_sets(query->jointree->quals, &sets))
		return;
	for (i = 0; i < n; i++)
	{
		bool		fits = is_fitted(&sets, i);

		finishes = lappend(finishes, fits ? finish_of(linitial(sets.queries), i) : NULL);
		plans = lappend(plans, fits ? plan_column(&sets, i) : NULL);
		any |= fits;
	}
	if (!any)
		return;
	for (i = 0; i < n; i++)
	{
		ListCell   *cell;

		if (list_nth(finishes, i) == NULL)
			continue;
		mark_requests(&sets, list_nth(plans, i));
		foreach(cell, sets.queries)
			entry_of(lfirst(cell), i)->expr = lthird(finish_of(lfirst(cell), i)->args);
		set_union_column(all, i);
	}
	add_numbers(all, &sets);
	entry->subquery = query_above(all, finishes, plans);
}

/*
 * level_answers.c
 *		(c) of a level: the user's query over what was released (rewrite.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "guard/query/range_table.h"
#include "guard/release/keys.h"
#include "guard/release/public_keys.h"
#include "guard/release/undeclared_groups.h"
#include "guard/rewrite/level.h"

static Expr *
level_argument(const DpsRequest *request)
{
	if (request->level != NULL)
		return copyObject(request->level);
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(DPS_DEFAULT_LEVEL), false,
							  FLOAT8PASSBYVAL);
}

/* The statistic of an answer, or its interval. */
static Expr *
finish_call(const DpsRequest *request, Var *answer)
{
	const DpsStatistic *statistic = &dps_statistics[request->statistic];
	Oid			plan_type = dps_internal_type("plan");
	Oid			argtypes[5] = {plan_type, plan_type, dps_internal_type("answer"), FLOAT8OID, ANYARRAYOID};
	List	   *arguments = list_make3(dps_plan_constant(request->release->release), dps_plan_constant(request->finish), answer);
	const char *name = statistic->finish_function;

	if (request->interval)
		arguments = lappend(arguments, level_argument(request));
	if (statistic->result_type == ANYARRAYOID)
		arguments = lappend(arguments, dps_key_array(request->release->declared));
	else if (request->interval)
	{
		name = type_is_array(statistic->result_type) ? "finish_intervals" :
			statistic->result_type == BOOLOID ? "finish_truth" : "finish_interval";
	}
	return (Expr *) makeFuncExpr(dps_internal_function(name, list_length(arguments), argtypes),
								 request->aggref->aggtype, arguments, request->aggref->aggcollid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The column of the CTE with the release, or the statistic computed from it. */
static Expr *
request_result(const DpsLevel *level, const DpsRequest *request)
{
	int			column = list_length(level->keys) + 1;
	ListCell   *cell;
	Oid			type = request->statistic >= 0 ? dps_internal_type("answer") : request->aggref->aggtype;
	Var		   *var;

	foreach(cell, level->releases)
	{
		if (lfirst(cell) == request->release)
			break;
		column++;
	}
	var = makeVar(1, column, type, -1, request->statistic >= 0 ? InvalidOid : request->aggref->aggcollid, 0);
	return request->statistic >= 0 ? finish_call(request, var) : (Expr *) var;
}

/* Replaces keys and aggregates by columns of the CTE. */
static Node *
outer_mutator(Node *node, DpsLevel *level)
{
	int			i;

	if (node == NULL)
		return NULL;
	for (i = 0; i < list_length(level->keys); i++)
	{
		DpsKey		   *key = list_nth(level->keys, i);

		if (equal(node, key->expression))
			return (Node *) makeVar(1, i + 1, key->type, key->typmod, key->collation, 0);
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
		return (Node *) request_result(level, dps_find_request(level, (Aggref *) node));
	if (dps_is_suppressed_call(node))
		return level->groups != NULL && level->groups->has_rest ?
			(Node *) makeVar(1, list_length(level->keys) + list_length(level->releases) + 1, BOOLOID, -1, InvalidOid, 0) :
			makeBoolConst(false, false);
	/* grouping() is 0: there is one set */
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == 0)
		return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		dps_refuse_level(level, "a column outside of GROUP BY and the aggregates is", "Group by it.", ((Var *) node)->location);
	return expression_tree_mutator(node, outer_mutator, (void *) level);
}

/* Finds a subquery that refers to columns, or to a WITH query, of the level. */
static bool
refers_to_level_walker(Node *node, int *depth)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return *depth > 0 && (int) ((Var *) node)->varlevelsup == *depth;
	if (IsA(node, Query))
	{
		int			inner = *depth + 1;
		ListCell   *cell;

		foreach(cell, ((Query *) node)->rtable)
		{
			RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

			if (entry->rtekind == RTE_CTE && (int) entry->ctelevelsup == inner)
				return true;
		}
		return query_tree_walker((Query *) node, refers_to_level_walker, &inner, 0);
	}
	return expression_tree_walker(node, refers_to_level_walker, depth);
}

static CommonTableExpr *
release_cte(Query *release)
{
	CommonTableExpr *cte = makeNode(CommonTableExpr);
	ListCell   *cell;

	cte->ctename = pstrdup(DPS_RELEASE_CTE);
	cte->ctematerialized = CTEMaterializeAlways;
	cte->ctequery = (Node *) release;
	cte->cterefcount = 1;
	cte->location = -1;
	foreach(cell, release->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk)
			continue;
		cte->ctecolnames = lappend(cte->ctecolnames, makeString(pstrdup(entry->resname)));
		cte->ctecoltypes = lappend_oid(cte->ctecoltypes, exprType((Node *) entry->expr));
		cte->ctecoltypmods = lappend_int(cte->ctecoltypmods, exprTypmod((Node *) entry->expr));
		cte->ctecolcollations = lappend_oid(cte->ctecolcollations, exprCollation((Node *) entry->expr));
	}
	return cte;
}

static RangeTblEntry *
cte_entry(const CommonTableExpr *cte)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);

	entry->rtekind = RTE_CTE;
	entry->ctename = pstrdup(cte->ctename);
	entry->coltypes = list_copy(cte->ctecoltypes);
	entry->coltypmods = list_copy(cte->ctecoltypmods);
	entry->colcollations = list_copy(cte->ctecolcollations);
	entry->eref = makeAlias(cte->ctename, copyObject(cte->ctecolnames));
	entry->inFromCl = true;
	return entry;
}

/* Makes the level read the CTE instead of the relation. */
void
dps_put_on_top(DpsLevel *level, Query *query, Query *release)
{
	CommonTableExpr *cte = release_cte(release);
	int			depth = 0;

	if (refers_to_level_walker((Node *) query->targetList, &depth) ||
		refers_to_level_walker(query->havingQual, &depth) ||
		refers_to_level_walker(query->limitCount, &depth) ||
		refers_to_level_walker(query->limitOffset, &depth) ||
		refers_to_level_walker((Node *) query->windowClause, &depth))
		dps_refuse_level(level, "a subquery that refers to the level of the aggregates is", "Compute the answers in a subquery in FROM, and refer to them.", -1);
	query->targetList = (List *) outer_mutator((Node *) query->targetList, level);
	query->jointree = makeFromExpr(list_make1(dps_range_ref(1)), make_and_qual(dps_met_combinations(level->keys), outer_mutator(query->havingQual, level)));
	query->rtable = list_make1(cte_entry(cte));
	dps_clear_permission_list(query);
	query->cteList = list_make1(cte);
	query->groupClause = NIL;
	query->groupDistinct = false;
	query->havingQual = NULL;
	query->hasAggs = false;
	query->hasModifyingCTE = false;
}

/*
 * found_releases.c
 *		The releases of a statement that is about to run.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "agg/families/fitted.h"
#include "glue/glue.h"
#include "glue/constraint/not_null.h"
#include "glue/constraint/unique_proof.h"
#include "glue/label/annotation.h"
#include "guard/condition/pattern.h"
#include "guard/distributed/distributed_states.h"
#include "guard/release/release_plan.h"
#include "guard/restrict/asker.h"
#include "guard/rewrite/authorise.h"
#include "guard/rewrite/grouping_sets.h"
#include "guard/rewrite/room_query.h"
#include "guard/run/answer_weights.h"
#include "guard/run/found_releases.h"
#include "guard/run/statement_charge.h"
#include "ledger/ledger.h"

bool
dps_may_release(const PlannedStmt *statement)
{
	const List *functions;
	ListCell   *cell;
	ListCell   *function;

	if (statement->invalItems == NIL || !OidIsValid(dps_schema_oid()))
		return false;
	functions = dps_release_functions();
	foreach(cell, statement->invalItems)
	{
		PlanInvalItem *item = lfirst_node(PlanInvalItem, cell);

		foreach(function, functions)
		{
			if (item->cacheId == PROCOID &&
				item->hashValue == GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(lfirst_oid(function))))
				return true;
		}
	}
	return false;
}

/* Evaluates an expression of constants and parameters.  Precondition: its type is passed by value. */
static Datum
evaluate(QueryDesc *query, Expr *expression, bool *isnull)
{
	ExprContext *context;
	Datum		value;

	if (contain_var_clause((Node *) expression))
		elog(ERROR, "an argument of a release refers to rows");
	context = CreateStandaloneExprContext();
	context->ecxt_param_list_info = query->params;
	value = ExecEvalExprSwitchContext(ExecInitExprWithParams(expression, query->params), context, isnull);
	FreeExprContext(context, true);
	return value;
}

/* Evaluates an epsilon that is not a constant.  No row has been read yet. */
static double
evaluate_epsilon(QueryDesc *query, const DpsFoundReleases *found, const DpsRelease *release)
{
	ListCell   *cell;

	foreach(cell, found->epsilons)
	{
		const List *arguments = lfirst_node(FuncExpr, cell)->args;
		double		epsilon;
		Datum		value;
		bool		isnull;

		if (DatumGetInt32(linitial_node(Const, arguments)->constvalue) != release->number)
			continue;
		value = evaluate(query, lsecond(arguments), &isnull);
		epsilon = isnull ? 0 : DatumGetFloat8(value);
		dps_check_epsilon(epsilon, isnull, 0);
		return epsilon;
	}
	elog(ERROR, "a release without its epsilon");
}

static double
written_epsilon(QueryDesc *query, const DpsFoundReleases *found, const DpsTerms *terms, const DpsRelease *release)
{
	double		setting = dps_aggregates[release->aggregate] == &dps_aggregate_selection ? terms->selection_epsilon :
		terms->epsilon;

	if (isnan(release->epsilon))
		return evaluate_epsilon(query, found, release);
	if (release->epsilon == 0 && setting == 0)
		return dps_unnamed_epsilon(release, dps_asker_role(query->estate));
	return release->epsilon != 0 ? release->epsilon : setting;
}

/* The factor of epsilon of a grouping set's release, where sets share it; else 1. */
static double
epsilon_factor(const DpsFoundReleases *found, const DpsRelease *release)
{
	ListCell   *cell;

	foreach(cell, found->fits)
	{
		const DpsFitPlan *fit = lfirst(cell);
		int			level;

		for (level = 0; level < fit->nlevels; level++)
		{
			if (fit->release[level] == release->number)
				return fit->factor[level];
		}
	}
	return 1;
}

/* 0 where answers do not share it, as sets or by weights. */
static double
shared_factor(const DpsFoundReleases *found, const DpsTerms *terms, const DpsRelease *release)
{
	double		factor = dps_answer_factor(&terms->shares, found->releases, release);

	if (terms->share_sets)
		factor *= epsilon_factor(found, release);
	return factor != 1 ? factor : 0;
}

/* Charge and noise follow from this alone, so a factor is as if it had been written. */
static double
release_epsilon(QueryDesc *query, const DpsFoundReleases *found, const DpsTerms *terms, const DpsRelease *release)
{
	double		epsilon = written_epsilon(query, found, terms, release);
	double		factor = shared_factor(found, terms, release);

	if (factor == 0)
		return epsilon;
	dps_check_epsilon(epsilon * factor, false, 0);
	return epsilon * factor;
}

/* The plan of a release, from the first argument of its call.  A call that the rewriter did not make has
 * none. */
static const DpsRelease *
release_plan(Node *argument)
{
	if (!IsA(argument, Const) || ((Const *) argument)->constisnull)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release functions can only be called by dpsens"),
				 errhint("Use the dp_* aggregates.")));
	return dps_release_of_datum(((Const *) argument)->constvalue);
}

static bool
release_call_walker(Node *node, DpsFoundReleases *found)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;

		if (list_member_oid(found->functions, call->funcid))
		{
			found->releases = lappend(found->releases, (void *) release_plan(linitial(call->args)));
			if (!found->is_in_room)
				found->drawn_here = lappend(found->drawn_here, llast(found->releases));
			return false;
		}
		if (call->funcid == found->epsilon_function)
		{
			found->epsilons = lappend(found->epsilons, call);
			return false;
		}
		if (call->funcid == found->pattern_function)
		{
			found->patterns = lappend(found->patterns, call);
			return false;
		}
	}
	if (IsA(node, WindowFunc) && ((WindowFunc *) node)->winfnoid == found->fit_function)
	{
		const Node *argument = linitial(((WindowFunc *) node)->args);

		if (!IsA(argument, Const) || ((const Const *) argument)->constisnull)
			dps_refuse_direct_call("finish_fit");
		found->fits = lappend(found->fits, (void *) dps_fit_of_datum(((const Const *) argument)->constvalue));
	}
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		found->parameters = lappend(found->parameters, node);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, release_call_walker, found, 0);
	return expression_tree_walker(node, release_call_walker, found);
}

/* The query for a clean room contains its releases itself. */
static void
note_room_queries(const FunctionScan *scan, DpsFoundReleases *found)
{
	ListCell   *cell;

	foreach(cell, scan->functions)
	{
		const Node *expression = lfirst_node(RangeTblFunction, cell)->funcexpr;
		DpsRoomQuery *room;

		if (dps_is_distributed_call(expression))
			found->distributed = lappend(found->distributed, (void *) expression);
		if (!dps_is_room_query(expression))
			continue;
		found->asks_room = true;
		if (found->only_looks)
			continue;
		room = dps_room_query_of(expression);
		found->rooms = lappend(found->rooms, room);
		found->is_in_room = true;
		(void) release_call_walker((Node *) room->query, found);
		found->is_in_room = false;
	}
}

static bool
release_plan_walker(PlanState *state, DpsFoundReleases *found)
{
	if (state == NULL)
		return false;
	(void) release_call_walker((Node *) state->plan->targetlist, found);
	if (IsA(state->plan, FunctionScan))
		note_room_queries((const FunctionScan *) state->plan, found);
	return planstate_tree_walker(state, release_plan_walker, found);
}

static void
find(QueryDesc *query, DpsFoundReleases *found)
{
	found->functions = list_copy(dps_release_functions());
	found->epsilon_function = dps_epsilon_function();
	found->fit_function = dps_fit_function();
	found->pattern_function = dps_pattern_check_function();
	(void) release_plan_walker(query->planstate, found);
}

void
dps_find_releases(QueryDesc *query, DpsFoundReleases *found)
{
	*found = (DpsFoundReleases) {0};
	find(query, found);
}

/* A room is asked only for relations that the asking role may not read. */
bool
dps_releases_unread(QueryDesc *query)
{
	DpsFoundReleases found = {.only_looks = true};

	find(query, &found);
	return found.asks_room || dps_any_restricted(found.releases);
}

DpsPermit
dps_permit_of(const DpsRelease *release, const DpsNoisePlan *noise, const DpsChargeItem *item)
{
	DpsPermit	permit = {.release = release, .noise = *noise, .ncharged = item->ncoordinates, .draws = release->rows};
	int			i;

	if (dps_aggregates[release->aggregate] != &dps_aggregate_selection)
		permit.selection = release->selection;
	for (i = 0; i < item->ncoordinates; i++)
		permit.charged[i] = (DpsCoordinate) {item->sensitivities[i], item->scales[i], (int) item->joined[i],
		dps_step_of_name(item->mechanism, item->grid)};
	return permit;
}

List *
dps_charge_items(QueryDesc *query, const DpsFoundReleases *found, DpsPermit **permits)
{
	const DpsTerms *terms = dps_asker_terms(query->estate);
	List	   *items = NIL;
	List	   *joined = NIL;
	ListCell   *cell;

	dps_check_answer_weights(&terms->shares, found->releases, found->fits != NIL);
	*permits = palloc(sizeof(DpsPermit) * list_length(found->releases));
	foreach(cell, found->releases)
	{
		const DpsRelease *one = lfirst(cell);
		DpsNoisePlan noise;

		dps_plan_charge(one, terms, release_epsilon(query, found, terms, one), &noise);
		items = lappend(items, dps_charge_item(one, terms, &noise));
		((DpsChargeItem *) llast(items))->release = list_length(items);
		((DpsChargeItem *) llast(items))->factor = shared_factor(found, terms, one);
		(*permits)[list_length(items) - 1] = dps_permit_of(one, &noise, llast(items));
		joined = list_concat(joined, dps_joined_items(one, &noise, llast(items)));
	}
	return list_concat(items, joined);
}

/* An error unless the parameter has a value of the type that the plan is made for. */
static void
check_parameter(ParamListInfo params, const Param *param)
{
	ParamExternData workspace;
	const ParamExternData *value = NULL;

	if (params != NULL && param->paramid > 0 && param->paramid <= params->numParams)
		value = params->paramFetch == NULL ? &params->params[param->paramid - 1] :
			params->paramFetch(params, param->paramid, false, &workspace);
	if (value == NULL || !OidIsValid(value->ptype))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("no value found for parameter %d", param->paramid)));
	if (value->ptype != param->paramtype)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type of parameter %d (%s) does not match that when preparing the plan (%s)",
						param->paramid, format_type_be(value->ptype), format_type_be(param->paramtype))));
}

/* The calls that check patterns raise an error if a pattern is refused. */
void
dps_check_parameters(QueryDesc *query, const DpsFoundReleases *found)
{
	ListCell   *cell;

	foreach(cell, found->parameters)
		check_parameter(query->params, lfirst_node(Param, cell));
	foreach(cell, found->patterns)
		(void) evaluate(query, lfirst(cell), &(bool) {false});
}

void
dps_refuse_incomplete(const List *releases)
{
	ListCell   *cell;

	foreach(cell, releases)
	{
		if (((const DpsRelease *) lfirst(cell))->incomplete)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("quantiles, buckets and levels that are parameters need a plan of their own"),
					 errhint("Set plan_cache_mode to auto or force_custom_plan.")));
	}
}

List *
dps_proofs(const List *releases)
{
	List	   *proofs = NIL;
	ListCell   *cell;

	foreach(cell, releases)
	{
		const DpsRelease *release = lfirst(cell);
		int			i;

		for (i = 0; i < release->nproofs; i++)
			proofs = list_append_unique_oid(proofs, release->proofs[i]);
	}
	return proofs;
}

/* Checks that each row of the relation has a unit, as far as the plan relies on it. */
static void
check_unit(Oid relation, Snapshot snapshot)
{
	DpsUnitColumns unit;
	int			i;

	dps_get_unit_columns(relation, &unit);
	for (i = 0; i < unit.n; i++)
		dps_check_not_null(relation, unit.column[i], snapshot);
}

static void
check_units(const DpsRelease *release, Snapshot snapshot)
{
	int			i;

	check_unit(release->relation, snapshot);
	for (i = 0; i < release->njoined; i++)
		check_unit(release->joined[i].relation, snapshot);
}

void
dps_check_proofs(const QueryDesc *query, const List *releases)
{
	ListCell   *cell;

	foreach(cell, dps_proofs(releases))
		dps_check_unique_proof(lfirst_oid(cell), query->snapshot);
	foreach(cell, releases)
		check_units(lfirst(cell), query->snapshot);
}

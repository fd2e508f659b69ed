/*
 * exact_states.c
 *		Calls of exact states in a query: the columns of a row that they read.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "agg/state/limited_rows.h"
#include "glue/glue.h"
#include "glue/import/relabel.h"
#include "guard/query/exact_states.h"

static Const *
plan_of(const Aggref *state)
{
	return castNode(Const, linitial_node(TargetEntry, state->args)->expr);
}

const DpsSummandPlan *
dps_state_summand(const Aggref *state)
{
	return (const DpsSummandPlan *) DatumGetPointer(plan_of(state)->constvalue);
}

static bool
is_stored(const Expr *argument)
{
	return IsA(dps_strip_relabel(argument), Var);
}

/* The argument; anything but a column is evaluated only for rows that pass the filter. */
static Expr *
where_it_passes(Expr *argument, Expr *filter)
{
	CaseExpr   *expression;
	CaseWhen   *when;

	if (filter == NULL || is_stored(argument))
		return argument;
	expression = makeNode(CaseExpr);
	when = makeNode(CaseWhen);
	when->expr = filter;
	when->result = argument;
	when->location = -1;
	expression->casetype = exprType((Node *) argument);
	expression->casecollid = exprCollation((Node *) argument);
	expression->args = list_make1(when);
	expression->defresult = (Expr *) makeNullConst(expression->casetype, exprTypmod((Node *) argument),
												   expression->casecollid);
	expression->location = -1;
	return (Expr *) expression;
}

Expr *
dps_state_cell(const Aggref *state, int number)
{
	return where_it_passes(list_nth_node(TargetEntry, state->args, number + 1)->expr, state->aggfilter);
}

Expr *
dps_state_double(const Aggref *state, int number)
{
	Oid			argtypes[2] = {dps_internal_type("plan"), ANYOID};
	DpsSummandParts parts;
	Const	   *plan;

	dps_summand_parts(dps_state_summand(state), &parts);
	plan = makeConst(argtypes[0], -1, InvalidOid, -1, PointerGetDatum(dps_cell_plan(&parts.cells[number])), false, false);
	return (Expr *) makeFuncExpr(dps_internal_function("exact_cell", 2, argtypes), FLOAT8OID,
								 list_make2(plan, dps_state_cell(state, number)), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

void
dps_state_read(Aggref *state, const List *doubles, Expr *filter)
{
	Const	   *plan = plan_of(state);
	ListCell   *cell;

	plan->constvalue = PointerGetDatum(dps_summand_of_doubles(dps_state_summand(state)));
	state->args = list_truncate(state->args, 1);
	state->aggargtypes = list_truncate(state->aggargtypes, 1);
	foreach(cell, doubles)
	{
		state->args = lappend(state->args, makeTargetEntry(lfirst(cell), list_length(state->args) + 1, NULL, false));
		state->aggargtypes = lappend_oid(state->aggargtypes, FLOAT8OID);
	}
	state->aggfilter = filter;
}

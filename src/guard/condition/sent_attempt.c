/*
 * sent_attempt.c
 *		Attempts that nodes of a cluster make.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/glue.h"
#include "glue/import/builtin.h"
#include "guard/condition/attempt.h"
#include "guard/condition/sent_attempt.h"

/* Has every server the object by this number? */
static bool
is_everywhere(Oid object)
{
	return OidIsValid(object) && object < FirstGenbkiObjectId;
}

/* A value of the one type can be taken for one of the other; nothing is known of polymorphic ones. */
static bool
fits(Oid have, Oid want)
{
	return is_everywhere(have) && !IsPolymorphicType(want) && get_typtype(want) == TYPTYPE_BASE && IsBinaryCoercible(have, want);
}

static bool
do_arguments_fit(const FormData_pg_proc *function, int nargs, const Oid *types)
{
	int			i;

	if (function->pronargs != nargs || function->proretset || OidIsValid(function->provariadic) || function->prokind != PROKIND_FUNCTION)
		return false;
	for (i = 0; i < nargs; i++)
	{
		if (!fits(types[i], function->proargtypes.values[i]))
			return false;
	}
	return true;
}

/* Is the result that of the function, or what the type's own input makes of a string? */
static bool
does_result_fit(const DpsAttempt *plan, Oid yields, Oid result)
{
	Oid			input;
	Oid			param;

	if (!OidIsValid(plan->input))
		return fits(yields, result);
	if (yields != CSTRINGOID || !is_everywhere(result) || get_typtype(result) != TYPTYPE_BASE)
		return false;
	getTypeInputInfo(result, &input, &param);
	return input == plan->input && param == plan->param;
}

bool
dps_fits_sent(const DpsAttempt *plan, int nargs, const Oid *types, Oid result)
{
	HeapTuple	tuple;
	const FormData_pg_proc *function;
	bool		fits;

	if (plan->labels != DPS_NO_LABELS || !is_everywhere(plan->function) || (OidIsValid(plan->input) && !is_everywhere(plan->input)))
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(plan->function));
	if (!HeapTupleIsValid(tuple))
		return false;
	function = (const FormData_pg_proc *) GETSTRUCT(tuple);
	fits = do_arguments_fit(function, nargs, types) && does_result_fit(plan, function->prorettype, result);
	ReleaseSysCache(tuple);
	return fits;
}

/* ---- sending ---- */

/* Gives the parser of a node the call the same collation?  Conversions of strings depend on none. */
static bool
is_collation_derived(const FuncExpr *call, bool is_conversion)
{
	FuncExpr   *read = copyObject((FuncExpr *) call);

	if ((OidIsValid(call->inputcollid) && !is_everywhere(call->inputcollid)) || (OidIsValid(call->funccollid) && !is_everywhere(call->funccollid)))
		return false;
	read->inputcollid = read->funccollid = InvalidOid;
	assign_expr_collations(NULL, (Node *) read);
	return (is_conversion || read->inputcollid == call->inputcollid) && read->funccollid == call->funccollid;
}

static bool
can_be_sent(const FuncExpr *call)
{
	const DpsAttempt *plan = (const DpsAttempt *) DatumGetPointer(linitial_node(Const, call->args)->constvalue);
	Oid			types[FUNC_MAX_ARGS];
	int			nargs = 0;
	ListCell   *cell;

	if (dps_reads_settings(plan->function) || (OidIsValid(plan->input) && dps_reads_settings(plan->input)))
		return false;
	/* behind the plan, and the NULL of the result's type */
	for_each_from(cell, call->args, 2)
		types[nargs++] = exprType(lfirst(cell));
	return dps_fits_sent(plan, nargs, types, call->funcresulttype) && is_collation_derived(call, OidIsValid(plan->input));
}

static void
send(FuncExpr *call)
{
	Oid			argtypes[3] = {dps_internal_type("shard_attempt"), ANYELEMENTOID, ANYOID};

	linitial_node(Const, call->args)->consttype = argtypes[0];
	call->funcid = dps_internal_function("attempt", 3, argtypes);
}

static bool
attempt_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, attempt_walker, context, 0);
	/* arguments first: their collations are asked for as they were */
	(void) expression_tree_walker(node, attempt_walker, context);
	if (dps_is_immutable_attempt(node) && can_be_sent((const FuncExpr *) node))
		send((FuncExpr *) node);
	return false;
}

void
dps_send_attempts(Query *query)
{
	(void) attempt_walker((Node *) query, NULL);
}

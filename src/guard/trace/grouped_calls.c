/*
 * grouped_calls.c
 *		Exact aggregates of a subquery with GROUP BY: which ones are admitted, and in
 *		which form their results do not depend on the order of rows (grouped.c).
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "guard/condition/safe.h"
#include "guard/trace/grouped.h"
#include "guard/trace/join.h"

/* The form of an argument in which the order of rows does not matter. */
typedef enum ArgumentForm
{
	AS_IT_IS,
	AS_NUMERIC,					/* summed as numeric */
	AS_SCALED,					/* numeric without trailing zeros */
	AS_POSITIVE_ZERO			/* -0 becomes 0 */
} ArgumentForm;

typedef struct Admitted
{
	Oid			function;
	DpsGroupedRange	range;
	ArgumentForm form;
	Oid			exact;			/* the function to call instead, or InvalidOid */
} Admitted;

static const Admitted admitted[] = {
	{F_COUNT_, DPS_RANGE_OF_ROWS, AS_IT_IS, InvalidOid},
	{F_COUNT_ANY, DPS_RANGE_OF_ROWS, AS_IT_IS, InvalidOid},
	{F_SUM_INT2, DPS_RANGE_OF_SUM, AS_IT_IS, InvalidOid},
	{F_SUM_INT4, DPS_RANGE_OF_SUM, AS_IT_IS, InvalidOid},
	{F_SUM_INT8, DPS_RANGE_OF_SUM, AS_IT_IS, InvalidOid},
	{F_SUM_NUMERIC, DPS_RANGE_OF_SUM, AS_NUMERIC, F_SUM_NUMERIC},
	{F_SUM_FLOAT4, DPS_RANGE_OF_SUM, AS_NUMERIC, F_SUM_NUMERIC},
	{F_SUM_FLOAT8, DPS_RANGE_OF_SUM, AS_NUMERIC, F_SUM_NUMERIC},
	{F_AVG_INT2, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_AVG_INT4, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_AVG_INT8, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_AVG_NUMERIC, DPS_RANGE_OF_ARGUMENT, AS_NUMERIC, F_AVG_NUMERIC},
	{F_AVG_FLOAT4, DPS_RANGE_OF_ARGUMENT, AS_NUMERIC, F_AVG_NUMERIC},
	{F_AVG_FLOAT8, DPS_RANGE_OF_ARGUMENT, AS_NUMERIC, F_AVG_NUMERIC},
	{F_MIN_INT2, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_INT4, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_INT8, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_NUMERIC, DPS_RANGE_OF_ARGUMENT, AS_SCALED, InvalidOid},
	{F_MIN_FLOAT4, DPS_RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MIN_FLOAT8, DPS_RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MIN_DATE, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_TIMESTAMP, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MIN_TIMESTAMPTZ, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_INT2, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_INT4, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_INT8, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_NUMERIC, DPS_RANGE_OF_ARGUMENT, AS_SCALED, InvalidOid},
	{F_MAX_FLOAT4, DPS_RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MAX_FLOAT8, DPS_RANGE_OF_ARGUMENT, AS_POSITIVE_ZERO, InvalidOid},
	{F_MAX_DATE, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_TIMESTAMP, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_MAX_TIMESTAMPTZ, DPS_RANGE_OF_ARGUMENT, AS_IT_IS, InvalidOid},
	{F_BOOL_AND, DPS_RANGE_OF_NONE, AS_IT_IS, InvalidOid},
	{F_BOOL_OR, DPS_RANGE_OF_NONE, AS_IT_IS, InvalidOid},
	{F_EVERY, DPS_RANGE_OF_NONE, AS_IT_IS, InvalidOid},
};

static const Admitted *
find_admitted(const DpsProtectedSource *inner, const Aggref *aggref)
{
	Size		i;

	for (i = 0; i < lengthof(admitted); i++)
	{
		if (admitted[i].function == aggref->aggfnoid)
			break;
	}
	if (i == lengthof(admitted) || aggref->aggkind != AGGKIND_NORMAL)
		dps_refuse_at(inner, (Node *) aggref, psprintf("aggregate function %s in a subquery is", get_func_name(aggref->aggfnoid)),
				  "Use count, sum, avg, min, max of numbers, min and max of dates and timestamps, bool_and and bool_or.");
	if (aggref->aggorder != NIL || (aggref->aggdistinct != NIL && admitted[i].range != DPS_RANGE_OF_ROWS) ||
		aggref->agglevelsup != 0)
		dps_refuse_at(inner, (Node *) aggref, "ORDER BY or DISTINCT in an aggregate of a subquery, other than count(DISTINCT), is",
				  "Leave it out.");
	return &admitted[i];
}

static Expr *
cast(Oid function, Oid type, Expr *argument)
{
	return (Expr *) makeFuncExpr(function, type, list_make1(argument), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * A numeric value within limits, so that the sum of the largest possible number of values does not
 * overflow: CASE WHEN x >= -1e1000 AND x <= 1e1000 THEN x END.
 */
static Expr *
within_room(Expr *argument)
{
	static const struct
	{
		const char *operator;
		const char *bound;
	}			sides[2] = {{">=", "-1e1000"}, {"<=", "1e1000"}};
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);
	List	   *conditions = NIL;
	int			i;

	for (i = 0; i < 2; i++)
	{
		Oid			operator = OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString(pstrdup(sides[i].operator))),
												NUMERICOID, NUMERICOID);
		Datum		bound = DirectFunctionCall3(numeric_in, CStringGetDatum(sides[i].bound), ObjectIdGetDatum(InvalidOid),
												Int32GetDatum(-1));

		conditions = lappend(conditions,
							 make_opclause(operator, BOOLOID, false, copyObject(argument),
										   (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1, bound, false, false),
										   InvalidOid, InvalidOid));
	}
	when->expr = (Expr *) make_andclause(conditions);
	when->result = argument;
	when->location = -1;
	choice->casetype = NUMERICOID;
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(NUMERICOID, -1, InvalidOid);
	choice->location = -1;
	return (Expr *) choice;
}

static Expr *
in_form(ArgumentForm form, Expr *argument)
{
	Oid			type = exprType((Node *) argument);
	Expr	   *zero;

	switch (form)
	{
		case AS_IT_IS:
			return argument;
		case AS_NUMERIC:
			if (type == FLOAT4OID)
				argument = cast(F_NUMERIC_FLOAT4, NUMERICOID, argument);
			if (type == FLOAT8OID)
				argument = cast(F_NUMERIC_FLOAT8, NUMERICOID, argument);
			return within_room(argument);
		case AS_SCALED:
			return cast(F_TRIM_SCALE, NUMERICOID, argument);
		case AS_POSITIVE_ZERO:
			zero = type == FLOAT4OID ?
				(Expr *) makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4), Float4GetDatum(0), false, true) :
				(Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0), false, FLOAT8PASSBYVAL);
			return (Expr *) makeFuncExpr(type == FLOAT4OID ? F_FLOAT4PL : F_FLOAT8PL, type, list_make2(argument, zero),
										 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	}
	return argument;
}

/* Converts a result that was computed as numeric to the type of the original aggregate. */
static Expr *
in_type(Expr *result, Oid type)
{
	if (type == FLOAT4OID)
		return cast(F_FLOAT4_NUMERIC, FLOAT4OID, result);
	if (type == FLOAT8OID)
		return cast(F_FLOAT8_NUMERIC, FLOAT8OID, result);
	return result;
}

/* The aggregate over columns of the grouped source. */
static Expr *
make_call(DpsProtectedSource *inner, Query *query, const Aggref *original, const Admitted *call, DpsGroupedColumn *column)
{
	Aggref	   *aggref = copyObjectImpl(original);
	ListCell   *cell;

	foreach(cell, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		column->argument = dps_expand_at(inner, query, (Node *) entry->expr);
		dps_check_join_condition(inner, column->argument);
		if (aggref->aggdistinct != NIL && !dps_is_known_type(exprType(column->argument)))
			dps_refuse_at(inner, (Node *) original, "DISTINCT of this type in a subquery is", "Count distinct numbers, strings or dates.");
		entry->expr = in_form(call->form, (Expr *) copyObjectImpl(column->argument));
	}
	if (aggref->aggfilter != NULL)
	{
		aggref->aggfilter = (Expr *) dps_expand_at(inner, query, (Node *) aggref->aggfilter);
		dps_check_join_condition(inner, (Node *) aggref->aggfilter);
	}
	if (!OidIsValid(call->exact))
		return (Expr *) aggref;
	aggref->aggfnoid = call->exact;
	aggref->aggtype = NUMERICOID;
	aggref->aggargtypes = list_make1_oid(NUMERICOID);
	aggref->aggtranstype = InvalidOid;
	return in_type((Expr *) aggref, original->aggtype);
}

DpsGroupedColumn *
dps_make_grouped_call(DpsProtectedSource *inner, Query *query, const Aggref *original)
{
	DpsGroupedColumn *column = palloc0(sizeof(DpsGroupedColumn));
	const Admitted *call = find_admitted(inner, original);

	column->original = (Node *) original;
	column->aggref = original;
	column->range = call->range;
	column->expression = make_call(inner, query, original, call, column);
	return column;
}

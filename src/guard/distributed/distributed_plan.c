/*
 * distributed_plan.c
 *		The plan that Citus makes of (a): what it may be, and whose aggregates add up what nodes send.
 *
 * Citus looks for the aggregate that adds up the states of shards by its name and the type of its
 * argument, and takes one of values of any type first, in whatever schema, so that anybody who may create
 * aggregates could put one in the place of ours.  So ours is put back.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "glue/glue.h"
#include "guard/distributed/counted_states.h"
#include "guard/distributed/distributed_plan.h"

/* ---- what is no aggregate ---- */

/* Does Citus take it for the aggregate, although it is none? */
static bool
is_foreign_sum(HeapTuple tuple)
{
	const FormData_pg_proc *form = (const FormData_pg_proc *) GETSTRUCT(tuple);

	return form->prokind != PROKIND_AGGREGATE && form->pronargs == 1 && form->proargtypes.values[0] == ANYELEMENTOID;
}

void
dps_refuse_foreign_sum(void)
{
	CatCList   *functions = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum("sum"));
	Oid			found = InvalidOid;
	int			i;

	for (i = 0; i < functions->n_members; i++)
	{
		if (is_foreign_sum(&functions->members[i]->tuple))
			found = ((Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple))->oid;
	}
	ReleaseSysCacheList(functions);
	if (OidIsValid(found))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_FUNCTION),
				 errmsg("Citus would add up exact sums by function %s, which is no aggregate", format_procedure(found)),
				 errhint("Drop that function, or give it another name.")));
}

/* ---- what a plan may be ---- */

/* The scan by which Citus runs queries on its nodes, and the one by which it reports an error when it begins. */
#define SCAN_NAME "Citus Adaptive"
#define LATE_ERROR_NAME "Citus Delayed Error"

static void
refuse_plan(const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("Citus cannot compute the exact sums of this statement where the rows are"),
			 errdetail_internal("%s", why),
			 errhint("Join tables that are distributed alike by their distribution columns, or reference tables, and write conditions in WHERE.")));
}

/* Citus prints characters that are 0 as they are. */
static void
print_node(StringInfo printed, const void *node)
{
	int			i;

	initStringInfo(printed);
	outNode(printed, node);
	for (i = 0; i < printed->len; i++)
	{
		if (printed->data[i] == '\0')
			printed->data[i] = '?';
	}
}

/* Occurs the field in what the server prints of a node, and has it this value wherever it does?  In texts that
 * are printed, blanks are escaped. */
static bool
has_only(const char *printed, const char *field, const char *value)
{
	const char *at = printed;
	int			n = 0;

	while ((at = strstr(at, field)) != NULL)
	{
		at += strlen(field);
		if (strncmp(at, value, strlen(value)) != 0)
			return false;
		n++;
	}
	return n > 0;
}

/* Rows that are kept or sent elsewhere belong to subplans, and to jobs on which others depend. */
static void
check_scan(const CustomScan *scan, bool lacks_values)
{
	StringInfoData printed;

	if (lacks_values && strcmp(scan->methods->CustomName, LATE_ERROR_NAME) == 0)
		return;
	if (strcmp(scan->methods->CustomName, SCAN_NAME) != 0 || scan->custom_plans != NIL || scan->scan.plan.lefttree != NULL ||
		scan->scan.plan.initPlan != NIL || scan->scan.plan.qual != NIL)
		refuse_plan("Its plan reads something else.");
	print_node(&printed, scan->custom_private);
	if (!has_only(printed.data, " :subPlanList ", "<>") || !has_only(printed.data, " :dependentJobList ", "<>"))
		refuse_plan("Rows would be sent from node to node.");
	pfree(printed.data);
}

/* The aggregation, or NULL. */
static Agg *
check_shape(const PlannedStmt *statement, bool lacks_values)
{
	Plan	   *plan = statement->planTree;
	Agg		   *agg = NULL;

	if (statement->commandType != CMD_SELECT || statement->subplans != NIL || statement->rowMarks != NIL)
		refuse_plan("Its plan has several parts.");
	if (IsA(plan, Agg))
	{
		agg = (Agg *) plan;
		if (agg->aggsplit != AGGSPLIT_SIMPLE || agg->groupingSets != NIL || agg->chain != NIL || plan->initPlan != NIL || plan->qual != NIL)
			refuse_plan("Its plan adds up in several steps.");
		plan = plan->lefttree;
	}
	if (IsA(plan, Sort) && plan->initPlan == NIL && plan->qual == NIL)
		plan = plan->lefttree;
	if (!IsA(plan, CustomScan))
		refuse_plan("Its plan reads something else.");
	check_scan((CustomScan *) plan, lacks_values);
	return agg;
}

/* ---- our aggregates ---- */

/* What Citus adds to bring the result to the type that it has had. */
static const Node *
strip_cast(const Node *node)
{
	for (;;)
	{
		if (IsA(node, CoerceViaIO))
			node = (const Node *) ((const CoerceViaIO *) node)->arg;
		else if (IsA(node, RelabelType))
			node = (const Node *) ((const RelabelType *) node)->arg;
		else if (IsA(node, FuncExpr) && list_length(((const FuncExpr *) node)->args) == 1)
			node = linitial(((const FuncExpr *) node)->args);
		else
			return node;
	}
}

static Oid
transition_type(Oid aggregate)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Oid			type;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggregate);
	type = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtranstype;
	ReleaseSysCache(tuple);
	return type;
}

/* Is it an aggregate of one column of this type, without anything else? */
static bool
adds_up(const Aggref *aggref, Oid type)
{
	const Var  *column;

	if (!IsA(aggref, Aggref) || list_length(aggref->args) != 1 || aggref->aggfilter != NULL || aggref->aggorder != NIL ||
		aggref->aggdistinct != NIL || aggref->aggdirectargs != NIL || aggref->aggkind != AGGKIND_NORMAL ||
		aggref->agglevelsup != 0 || aggref->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	column = (const Var *) linitial_node(TargetEntry, aggref->args)->expr;
	return IsA(column, Var) && column->vartype == type;
}

/* Our sum of the column that the expression adds up. */
static Expr *
own_sum(const Expr *expression, Oid type)
{
	const Aggref *found = (const Aggref *) strip_cast((const Node *) expression);
	Aggref	   *own;

	if (!adds_up(found, type))
		refuse_plan("Its plan does something else with sums than to add them up.");
	own = copyObject((Aggref *) found);
	own->aggfnoid = dps_internal_function("sum", 1, &type);
	own->aggtype = type;
	own->aggcollid = own->inputcollid = InvalidOid;
	own->aggtranstype = transition_type(own->aggfnoid);
	own->aggargtypes = list_make1_oid(type);
	own->aggvariadic = false;
	return (Expr *) own;
}

static bool
foreign_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->aggfnoid >= FirstNormalObjectId)
		refuse_plan("Its plan calls an aggregate that is not the server's.");
	return expression_tree_walker(node, foreign_walker, context);
}

static void
own_aggregates(Agg *agg, const List *columns)
{
	ListCell   *cell;
	ListCell   *other;

	if (list_length(agg->plan.targetlist) != list_length(columns))
		refuse_plan("Its plan has other columns.");
	forboth(cell, agg->plan.targetlist, other, columns)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Oid			type = exprType((Node *) lfirst_node(TargetEntry, other)->expr);

		if (dps_is_states_type(type))
			entry->expr = own_sum(entry->expr, type);
		else
			(void) foreign_walker((Node *) entry->expr, NULL);
	}
}

/* Where nothing is added up here, columns of the scan are shown as they come. */
static void
check_columns(const List *columns)
{
	ListCell   *cell;

	foreach(cell, columns)
	{
		const Node *expression = (const Node *) lfirst_node(TargetEntry, cell)->expr;

		if (dps_is_states_type(exprType(expression)) && !IsA(expression, Var))
			refuse_plan("Its plan does something else with sums than to show them.");
	}
}

void
dps_own_plan(PlannedStmt *statement, const Query *states, bool lacks_values)
{
	Agg		   *agg = check_shape(statement, lacks_values);

	if (agg != NULL)
		own_aggregates(agg, states->targetList);
	else
		check_columns(statement->planTree->targetlist);
}

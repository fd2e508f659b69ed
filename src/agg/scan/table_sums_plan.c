/*
 * table_sums_plan.c
 *		When exact states come from a node of their own.
 *
 * The planner is offered such nodes beside its own aggregation, alone and below
 * a Gather: one that takes the rows of any plan, and for a whole table a scan.
 * That costs what a sequential scan does, so that an index that leaves few rows
 * is still preferred.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "agg/scan/added_sums.h"
#include "agg/scan/custom_scan.h"
#include "agg/scan/row_sums.h"
#include "agg/scan/table_parts.h"
#include "agg/scan/table_rows.h"
#include "agg/scan/table_sums.h"
#include "agg/state/groups.h"
#include "agg/unit/unit_lookup.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/settings.h"

static create_upper_paths_hook_type previous_upper_paths;

static Plan *make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses,
					   List *children);

static const DpsScanNode table_sums = DPS_SCAN_NODE(DPS_TABLE_SUMS, DpsTableSums, make_plan, &dps_table_sums_methods);

/* ---- what it can do ---- */

static bool
is_exact_groups(Oid function)
{
	Oid			argtypes[2] = {InvalidOid, ANYOID};
	char	   *name;

	/* so that a query of other aggregates looks nothing up, which objects of another version may lack */
	if (function < FirstNormalObjectId || !OidIsValid(dps_schema_oid()) || !dps_is_own_function(function))
		return false;
	name = get_func_name(function);
	if (name != NULL && strcmp(name, "sum") == 0)
	{
		argtypes[0] = dps_internal_type("shard_plan");
		return function == dps_internal_function("sum", 1, argtypes) || function == dps_internal_function("sum", 2, argtypes);
	}
	argtypes[0] = dps_internal_type("plan");
	return function == dps_internal_function("exact_groups", 1, argtypes) ||
		function == dps_internal_function("exact_groups", 2, argtypes) ||
		function == dps_internal_function("exact_parts", 2, argtypes) ||
		function == dps_internal_function("exact_units", 2, argtypes);
}

static bool
outside_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || IsA(node, PlaceHolderVar) ||
		(IsA(node, Param) && ((Param *) node)->paramkind != PARAM_EXTERN))
		return true;
	return expression_tree_walker(node, outside_walker, context);
}

/* Can it be evaluated on a row alone? */
static bool
is_plain_expression(Node *node)
{
	return !contain_volatile_functions(node) && !outside_walker(node, NULL);
}

static const DpsGroupsPlan *
plan_of(const Aggref *state)
{
	const Const *plan = castNode(Const, linitial_node(TargetEntry, state->args)->expr);

	return (const DpsGroupsPlan *) DatumGetPointer(plan->constvalue);
}

/* Are the arguments those that the plan expects?  The nodes do not call the transition function, which asks, too. */
static bool
has_its_arguments(const Aggref *state)
{
	Oid			types[FUNC_MAX_ARGS];
	int			n = 0;
	ListCell   *cell;

	dps_groups_check(plan_of(state));
	for_each_from(cell, state->args, 1)
		types[n++] = exprType((Node *) lfirst_node(TargetEntry, cell)->expr);
	return !state->aggvariadic && dps_groups_take(plan_of(state), types, n);
}

static bool
is_state(const Node *node)
{
	const Aggref *aggref = (const Aggref *) node;
	const Expr *plan;

	if (!IsA(node, Aggref) || !is_exact_groups(aggref->aggfnoid) || aggref->aggorder != NIL ||
		aggref->aggdistinct != NIL || aggref->aggfilter != NULL || aggref->agglevelsup != 0)
		return false;
	plan = linitial_node(TargetEntry, aggref->args)->expr;
	return IsA(plan, Const) && !((const Const *) plan)->constisnull && has_its_arguments(aggref);
}

/* Does the state choose among the rows of a unit? */
static bool
limits_units(const Aggref *state)
{
	return dps_groups_limit_units(plan_of(state));
}

/* There is one aggregate for all states. */
static bool
is_one_state(const List *expressions)
{
	return list_length(expressions) == 1 && is_state(linitial(expressions));
}

static bool
is_heap(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		heap;

	if (!HeapTupleIsValid(tuple))
		return false;
	heap = ((Form_pg_class) GETSTRUCT(tuple))->relam == HEAP_TABLE_AM_OID;
	ReleaseSysCache(tuple);
	return heap;
}

static bool
is_plain_table(PlannerInfo *root, RelOptInfo *rel)
{
	RangeTblEntry *entry;

	if ((rel->reloptkind != RELOPT_BASEREL && rel->reloptkind != RELOPT_OTHER_MEMBER_REL) ||
		rel->rtekind != RTE_RELATION || !bms_is_empty(rel->lateral_relids))
		return false;
	entry = planner_rt_fetch(rel->relid, root);
	return (entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_MATVIEW) &&
		!entry->inh && entry->tablesample == NULL && is_heap(entry->relid);
}

/* Conditions that can be evaluated on a row alone, in any order. */
static bool
are_plain_conditions(List *restrictions)
{
	ListCell   *cell;

	foreach(cell, restrictions)
	{
		RestrictInfo *restriction = lfirst_node(RestrictInfo, cell);

		if (restriction->pseudoconstant || restriction->security_level > 0 ||
			!is_plain_expression((Node *) restriction->clause))
			return false;
	}
	return true;
}

static bool
is_plain_query(PlannerInfo *root)
{
	Query	   *query = root->parse;

	return query->commandType == CMD_SELECT && query->groupClause == NIL && query->groupingSets == NIL &&
		!root->hasHavingQual && !query->hasTargetSRFs && query->rowMarks == NIL;
}

/* ---- paths ---- */

static Path *
find_scan(List *paths)
{
	ListCell   *cell;

	foreach(cell, paths)
	{
		Path	   *path = lfirst(cell);

		if (path->pathtype == T_SeqScan && path->param_info == NULL)
			return path;
	}
	return NULL;
}

/* A path that yields the target's states from the rows of a sequential scan, which
 * hold the units. */
static CustomPath *
make_path(RelOptInfo *rel, PathTarget *target, RelOptInfo *table, const Path *scan)
{
	CustomPath *path = dps_scan_path(&table_sums, rel);

	path->path.pathtarget = target;
	path->path.parallel_aware = scan->parallel_aware;
	path->path.parallel_safe = scan->parallel_safe;
	path->path.parallel_workers = scan->parallel_workers;
	path->path.rows = 1;
	path->path.startup_cost = path->path.total_cost = scan->total_cost;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make3(makeInteger(table->relid), target->exprs,
									  extract_actual_clauses(table->baserestrictinfo, false));
	return path;
}

/* The same for rows that refer to other rows, which hold the units. */
static CustomPath *
make_lookup_path(RelOptInfo *rel, PathTarget *target, const DpsUnitLookup *lookup, const Path *scan, Path *rows)
{
	CustomPath *path = make_path(rel, target, lookup->table, scan);

	/* finding a key costs less than a hash join does */
	path->path.startup_cost += rows->total_cost + cpu_operator_cost * (rows->rows + scan->rows / 2);
	path->path.total_cost = path->path.startup_cost;
	path->custom_paths = list_make1(rows);
	path->custom_private = lappend(path->custom_private,
								   list_make3(copyObject(lookup->reference), copyObject(lookup->key),
											  copyObject(lookup->unit)));
	return path;
}

/* What workers yield, added by a node of our own: quicker than by the server's
 * aggregation, and where units are limited the aggregate has no combine function. */
static void
add_gathered(PlannerInfo *root, RelOptInfo *states, Path *part)
{
	double		rows = part->parallel_workers + 1;
	Path	   *gather = (Path *) create_gather_path(root, states, part, states->reltarget, NULL, &rows);

	add_path(states, dps_added_sums_path(states, gather));
}

/* Offers the states of the rows of any plan. */
static void
add_row_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *states)
{
	bool		are_limited = limits_units(linitial_node(Aggref, states->reltarget->exprs));

	add_path(states, dps_row_sums_path(states, input->cheapest_total_path, false));
	if (states->consider_parallel && input->partial_pathlist != NIL)
		add_gathered(root, states, dps_row_sums_path(states, linitial(input->partial_pathlist), are_limited));
}

/* Offers the states of a table that is read page by page. */
static void
add_table_paths(PlannerInfo *root, RelOptInfo *table, RelOptInfo *states)
{
	Path	   *scan = find_scan(table->pathlist);
	Path	   *part = find_scan(table->partial_pathlist);

	if (scan != NULL)
		add_path(states, (Path *) make_path(states, states->reltarget, table, scan));
	if (part != NULL && states->consider_parallel)
		add_gathered(root, states, (Path *) make_path(states, states->reltarget, table, part));
}

/* ---- tables that have parts ---- */

/* Each part yields a block of all groups: does memory hold them all? */
static bool
fit_blocks(const Aggref *state, int nparts)
{
	const DpsGroupsPlan *plan = plan_of(state);

	return !dps_groups_are_parts(plan) && dps_groups_memory(plan) <= get_hash_memory_limit() / nparts;
}

/* The states of one part, by a scan that workers share if that is wanted and worth it.
 * NULL if the part cannot be read by itself. */
static Path *
make_part_path(PlannerInfo *root, RelOptInfo *states, const DpsTablePart *part, bool shared)
{
	PathTarget *target = copy_pathtarget(states->reltarget);
	const Path *scan = shared ? find_scan(part->table->partial_pathlist) : NULL;
	Path	   *path;

	if (scan == NULL)
		scan = find_scan(part->table->pathlist);
	if (scan == NULL || !is_plain_table(root, part->table) ||
		!are_plain_conditions(part->table->baserestrictinfo) || !is_plain_expression((Node *) part->expressions))
		return NULL;
	target->exprs = part->expressions;
	path = (Path *) make_path(states, target, part->table, scan);
	path->parallel_safe = path->parallel_safe && states->consider_parallel;
	return path;
}

/* The states of all parts; some of the scans may be shared by workers. */
static Path *
make_parts_path(PlannerInfo *root, RelOptInfo *states, const List *parts, bool shared)
{
	List	   *whole = NIL;
	List	   *partial = NIL;
	int			workers = 0;
	ListCell   *cell;

	foreach(cell, parts)
	{
		Path	   *path = make_part_path(root, states, lfirst(cell), shared);

		if (path == NULL)
			return NULL;
		if (path->parallel_workers > 0)
			partial = lappend(partial, path);
		else
			whole = lappend(whole, path);
		workers = Max(workers, path->parallel_workers);
	}
	workers = shared ? dps_part_workers(list_length(parts), workers) : 0;
	if (shared && (workers == 0 || (whole != NIL && !enable_parallel_append)))
		return NULL;
	return (Path *) create_append_path(root, states, whole, partial, NIL, NULL, workers,
									   shared && enable_parallel_append, -1);
}

static void
add_parts_paths(PlannerInfo *root, const List *parts, RelOptInfo *states)
{
	Path	   *path = make_parts_path(root, states, parts, false);

	if (path != NULL)
		add_path(states, dps_added_sums_path(states, path));
	path = states->consider_parallel ? make_parts_path(root, states, parts, true) : NULL;
	if (path != NULL)
		add_gathered(root, states, path);
}

/* ---- tables whose rows refer to others ---- */

static void
add_lookup_paths(PlannerInfo *root, const DpsUnitLookup *lookup, RelOptInfo *states)
{
	Path	   *scan = find_scan(lookup->table->pathlist);
	Path	   *part = find_scan(lookup->table->partial_pathlist);
	Path	   *rows = dps_unit_lookup_rows(lookup, false);

	if (scan != NULL && rows != NULL)
		add_path(states, (Path *) make_lookup_path(states, states->reltarget, lookup, scan, rows));
	/* each process reads all referenced rows */
	rows = dps_unit_lookup_rows(lookup, true);
	if (part != NULL && rows != NULL && states->consider_parallel)
		add_gathered(root, states, (Path *) make_lookup_path(states, states->reltarget, lookup, part, rows));
}

static void
add_scan_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *states)
{
	const Aggref *aggref = linitial(states->reltarget->exprs);
	List	   *parts = dps_table_parts(root, input, states->reltarget->exprs);
	DpsUnitLookup lookup;

	if (!is_plain_expression((Node *) aggref->args))
		return;
	if (is_plain_table(root, input))
	{
		if (are_plain_conditions(input->baserestrictinfo))
			add_table_paths(root, input, states);
	}
	else if (parts != NIL && !limits_units(aggref))
	{
		if (fit_blocks(aggref, list_length(parts)))
			add_parts_paths(root, parts, states);
	}
	else if (limits_units(aggref) && dps_find_unit_lookup(root, input, aggref, &lookup) &&
			 is_plain_table(root, lookup.table) && are_plain_conditions(lookup.table->baserestrictinfo))
		add_lookup_paths(root, &lookup, states);
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	if (previous_upper_paths != NULL)
		previous_upper_paths(root, stage, input, output, extra);
	if (stage != UPPERREL_GROUP_AGG || !is_plain_query(root) || !is_one_state(output->reltarget->exprs))
		return;
	if (dps_setting_enable_row_sums)
		add_row_paths(root, input, output);
	if (dps_setting_enable_table_sums)
		add_scan_paths(root, input, output);
}

/* ---- plan ---- */

/* The number of the column of a plan. */
static void *
column_number(const Plan *plan, Expr *column)
{
	return makeInteger(tlist_member(column, plan->targetlist)->resno);
}

/* The columns by which the units of referenced rows are found. */
static void
add_lookup(CustomScan *plan, const List *columns, List *children)
{
	dps_scan_add_entry(plan, linitial(columns));
	plan->custom_private = list_make2(column_number(linitial(children), lsecond(columns)),
									  column_number(linitial(children), lthird(columns)));
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *target, List *clauses, List *children)
{
	CustomScan *plan = dps_scan_plan(path, target, children);
	Index		table = intVal(linitial(path->custom_private));
	List	   *states = lsecond(path->custom_private);
	List	   *conditions = lthird(path->custom_private);

	(void) root;
	(void) rel;
	(void) clauses;
	dps_scan_add_entry(plan, linitial(states));
	dps_scan_add_entry(plan, (Expr *) makeVar(table, TableOidAttributeNumber, OIDOID, -1, InvalidOid, 0));
	if (children != NIL)
		add_lookup(plan, lfourth(path->custom_private), children);
	if (conditions != NIL)
		dps_scan_add_entry(plan, make_ands_explicit(conditions));
	return (Plan *) plan;
}

void
dps_table_sums_init(void)
{
	dps_scan_register(&table_sums);
	dps_added_sums_init();
	dps_row_sums_init();
	previous_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
}

/*
 * private_plan.c
 *		Plans for roles that must not look: how relations are read below a release.
 *
 * Each query that releases gets a node around it that runs it (private_run.c).  Below this node a relation
 * that is protected from the role has only sequential scans as paths.  Any other relation has only the
 * path of the node that holds its rows (public_rows.c).
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "agg/aggregate.h"
#include "guard/condition/enum_cells.h"
#include "guard/public/public_rows.h"
#include "guard/query/expression_types.h"
#include "guard/release/release_plan.h"
#include "guard/restrict/blind.h"
#include "guard/room/brought_scan.h"
#include "guard/room/room_keys.h"
#include "guard/run/private_plan.h"
#include "guard/run/private_run.h"

typedef struct PrivatePlan
{
	int			relations;		/* relations and functions below a release; the maximum over the statement's
								 * releases */
	DpsPrivateRun run;
} PrivatePlan;

static set_rel_pathlist_hook_type previous_rel_pathlist;
static create_upper_paths_hook_type previous_upper_paths;

/* The statement that is being planned, or NULL. */
static PrivatePlan *current = NULL;

/* ---- the statement ---- */

static bool
releases(const Query *query)
{
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		const FuncExpr *call = (const FuncExpr *) lfirst_node(TargetEntry, cell)->expr;

		if (IsA(call, FuncExpr) && list_member_oid(dps_release_functions(), call->funcid))
			return true;
	}
	return false;
}

static bool
count_walker(Node *node, int *relations)
{
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, count_walker, relations);
	foreach(cell, ((Query *) node)->rtable)
		*relations += lfirst_node(RangeTblEntry, cell)->rtekind == RTE_RELATION ||
			lfirst_node(RangeTblEntry, cell)->rtekind == RTE_FUNCTION ? 1 : 0;
	return query_tree_walker((Query *) node, count_walker, relations, 0);
}

static bool
plan_walker(Node *node, PrivatePlan *plan)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		if (releases((Query *) node))
		{
			int			relations = 0;

			(void) count_walker(node, &relations);
			plan->relations = Max(plan->relations, relations);
			dps_compare_enums_by_oid((Query *) node);
		}
		return query_tree_walker((Query *) node, plan_walker, plan, 0);
	}
	return expression_tree_walker(node, plan_walker, plan);
}

void *
dps_private_plan_enter(Query *query)
{
	PrivatePlan *before = current;
	PrivatePlan *plan = palloc0(sizeof(PrivatePlan));
	DpsTypes	noted;

	(void) plan_walker((Node *) query, plan);
	noted = dps_expression_types(query);
	plan->run.joins = plan->relations > 1;
	plan->run.types = noted.types;
	plan->run.collations = noted.collations;
	dps_lock_types(noted.types);
	plan->run.enum_tables = dps_enum_tables(noted.types);
	current = plan;
	return before;
}

void
dps_private_plan_leave(void *before)
{
	current = before;
}

/* Does the query release, or is it below a query that releases? */
static bool
is_below_release(const PlannerInfo *root)
{
	for (; root != NULL; root = root->parent_root)
	{
		if (releases(root->parse))
			return true;
	}
	return false;
}

/* ---- relations ---- */

/* The sequential scan of the relation.  The planner may have removed its path in favour of a cheaper one. */
static Path *
sequential_scan(PlannerInfo *root, RelOptInfo *rel, const List *paths, int workers)
{
	ListCell   *cell;

	foreach(cell, paths)
	{
		Path	   *path = lfirst(cell);

		if (path->pathtype == T_SeqScan && path->param_info == NULL)
			return path;
	}
	return create_seqscan_path(root, rel, NULL, workers);
}

static void
refuse_relation(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("relation \"%s\" cannot be read below dp aggregates for a role without SELECT privilege",
					get_rel_name(relation)),
			 errhint("Copy its rows into a table.")));
}

/* Leaves only the sequential scans. */
static void
scan_only(PlannerInfo *root, RelOptInfo *rel)
{
	int			workers = rel->consider_parallel ?
		compute_parallel_worker(rel, rel->pages, -1, max_parallel_workers_per_gather) : 0;

	rel->pathlist = list_make1(sequential_scan(root, rel, rel->pathlist, 0));
	rel->partial_pathlist = workers <= 0 ? NIL :
		list_make1(sequential_scan(root, rel, rel->partial_pathlist, workers));
}

static void
hold_only(PlannerInfo *root, RelOptInfo *rel)
{
	rel->pathlist = list_make1(dps_public_rows_path(rel, sequential_scan(root, rel, rel->pathlist, 0)));
	rel->partial_pathlist = NIL;
	rel->consider_parallel = false;
}

/* Can the relation be read from its first page to its last? */
static bool
is_plain_table(const RelOptInfo *rel, const RangeTblEntry *entry)
{
	return (entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_MATVIEW) && entry->tablesample == NULL &&
		bms_is_empty(rel->lateral_relids);
}

/* Is the relation protected from the asking role?  All relations that a room reads itself are; rows of
 * others are sent to it. */
static bool
is_closed(PlannerInfo *root, const RelOptInfo *rel)
{
	return dps_is_room() || dps_is_closed_to(dps_named_entry(root, rel->relid)->relid, GetUserId());
}

static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *entry)
{
	if (previous_rel_pathlist != NULL)
		previous_rel_pathlist(root, rel, index, entry);
	/* a relation with children is read through the paths of the children */
	if (current == NULL || entry->rtekind != RTE_RELATION || entry->inh || IS_DUMMY_REL(rel) || !is_below_release(root))
		return;
	if (!is_plain_table(rel, entry))
		refuse_relation(entry->relid);
	if (is_closed(root, rel))
		scan_only(root, rel);
	else
		hold_only(root, rel);
}

/* ---- releases ---- */

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	List	   *paths = NIL;
	ListCell   *cell;

	if (previous_upper_paths != NULL)
		previous_upper_paths(root, stage, input, output, extra);
	if (current == NULL || stage != UPPERREL_FINAL || !releases(root->parse))
		return;
	foreach(cell, output->pathlist)
		paths = lappend(paths, dps_private_run_path(output, lfirst(cell), &current->run));
	output->pathlist = paths;
	output->partial_pathlist = NIL;
	output->consider_parallel = false;
}

void
dps_private_plan_init(void)
{
	dps_public_rows_init();
	dps_private_run_init();
	dps_room_keys_init();
	dps_brought_scan_init();
	previous_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_pathlist;
	previous_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = upper_paths;
}

/*
 * unit_lookup.c
 *		The units of rows that refer to other rows, for a scan of exact states.
 *
 * The planner's own hash or merge join says what kind of join it is: an inner one,
 * by one equality of integers, of which it has proved that a row of the one side
 * meets at most one of the other.  A row that meets none is left out by both.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_opfamily_d.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"

#include "agg/unit/group_keys.h"
#include "agg/unit/unit_lookup.h"
#include "glue/compat.h"
#include "glue/import/comparison.h"
#include "glue/import/relabel.h"

/* ---- the plan ---- */

static Var *
plain_column(Node *node, const RelOptInfo *rel)
{
	node = dps_strip_relabel(node);
	return IsA(node, Var) && ((Var *) node)->varno == (int) rel->relid && ((Var *) node)->varattno > 0 ? (Var *) node : NULL;
}

/* reference = key, or the other way round */
static bool
equates_columns(const Expr *clause, DpsUnitLookup *lookup)
{
	const OpExpr *call = (const OpExpr *) clause;
	Node	   *left;
	Node	   *right;

	if (!IsA(clause, OpExpr) || list_length(call->args) != 2 ||
		dps_comparison_strategy(call->opno, INTEGER_BTREE_FAM_OID) != BTEqualStrategyNumber)
		return false;
	left = linitial(call->args);
	right = lsecond(call->args);
	lookup->reference = plain_column(left, lookup->table);
	lookup->key = plain_column(right, lookup->referenced);
	if (lookup->reference == NULL)
	{
		lookup->reference = plain_column(right, lookup->table);
		lookup->key = plain_column(left, lookup->referenced);
	}
	return lookup->reference != NULL && lookup->key != NULL;
}

static bool
is_lookup(const JoinPath *join, DpsUnitLookup *lookup)
{
	lookup->table = join->outerjoinpath->parent;
	lookup->referenced = join->innerjoinpath->parent;
	/* a semijoin of rows that are made unique first is an inner join, too */
	return join->path.param_info == NULL && join->jointype == JOIN_INNER && join->inner_unique &&
		!IsA(join->outerjoinpath, UniquePath) && !IsA(join->innerjoinpath, UniquePath) &&
		lookup->table->reloptkind == RELOPT_BASEREL && lookup->referenced->reloptkind == RELOPT_BASEREL &&
		list_length(join->joinrestrictinfo) == 1 &&
		equates_columns(linitial_node(RestrictInfo, join->joinrestrictinfo)->clause, lookup);
}

static bool
find_join(const List *paths, DpsUnitLookup *lookup)
{
	ListCell   *cell;

	foreach(cell, paths)
	{
		const Path *path = lfirst(cell);

		/* the choice and order of its columns do not matter */
		if (IsA(path, ProjectionPath))
			path = ((const ProjectionPath *) path)->subpath;
		if ((IsA(path, HashPath) || IsA(path, MergePath)) && is_lookup((const JoinPath *) path, lookup))
			return true;
	}
	return false;
}

/* Is the unit a column of the referenced rows, and all else one of the table's? */
static bool
reads_unit_alone(PlannerInfo *root, const Aggref *aggref, DpsUnitLookup *lookup)
{
	ListCell   *cell;

	lookup->unit = plain_column((Node *) lsecond_node(TargetEntry, aggref->args)->expr, lookup->referenced);
	for_each_from(cell, aggref->args, 2)
	{
		if (!bms_is_subset(pull_varnos(root, (Node *) lfirst(cell)), lookup->table->relids))
			return false;
	}
	return lookup->unit != NULL;
}

bool
dps_find_unit_lookup(PlannerInfo *root, RelOptInfo *join, const Aggref *aggref, DpsUnitLookup *lookup)
{
	return join->reloptkind == RELOPT_JOINREL && bms_num_members(join->relids) == 2 &&
		(find_join(join->pathlist, lookup) || find_join(join->partial_pathlist, lookup)) &&
		reads_unit_alone(root, aggref, lookup);
}

static bool
fits_memory(const DpsUnitLookup *lookup, const Path *rows)
{
	int16		length;
	bool		byval;
	double		entry = DPS_UNIT_MAP_ENTRY;

	get_typlenbyval(lookup->unit->vartype, &length, &byval);
	if (!byval)
		entry += get_typavgwidth(lookup->unit->vartype, lookup->unit->vartypmod) + 2.0 * MAXIMUM_ALIGNOF;
	return rows->rows * entry <= (double) get_hash_memory_limit();
}

static bool
yields(const Path *path, const Var *column)
{
	return list_member(path->pathtarget->exprs, column);
}

Path *
dps_unit_lookup_rows(const DpsUnitLookup *lookup, bool in_parallel)
{
	Path	   *rows = in_parallel ? get_cheapest_parallel_safe_total_inner(lookup->referenced->pathlist) :
		lookup->referenced->cheapest_total_path;

	if (rows == NULL || rows->param_info != NULL || !yields(rows, lookup->key) || !yields(rows, lookup->unit) || !fits_memory(lookup, rows))
		return NULL;
	return rows;
}

/* ---- the execution ---- */

DpsUnitMap *
dps_read_units(PlanState *rows, AttrNumber key, AttrNumber unit)
{
	TupleDesc	descriptor = ExecGetResultType(rows);
	Form_pg_attribute of_unit = TupleDescAttr(descriptor, unit - 1);
	int16		length = TupleDescAttr(descriptor, key - 1)->attlen;
	DpsUnitMap *map = dps_unit_map_make(of_unit->attlen, of_unit->attbyval);

	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(rows);
		bool		no_key;
		bool		no_unit;
		Datum		value;
		Datum		unit_value;

		if (TupIsNull(slot))
			break;
		value = slot_getattr(slot, key, &no_key);
		unit_value = slot_getattr(slot, unit, &no_unit);
		if (!no_key)
			dps_unit_map_add(map, dps_key_integer(value, length), unit_value, no_unit);
	}
	dps_unit_map_complete(map);
	return map;
}

/*
 * table_parts.c
 *		The tables whose rows are those of a relation.
 */
#include "postgres.h"

#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "port/pg_bitutils.h"

#include "agg/scan/table_parts.h"
#include "base/once.h"

static DpsTablePart *
make_part(RelOptInfo *table, List *expressions)
{
	DpsTablePart *part = palloc(sizeof(DpsTablePart));

	part->table = table;
	part->expressions = expressions;
	return part;
}

/* Parts may have parts. */
static List *
append_parts(PlannerInfo *root, List *parts, const RelOptInfo *rel, List *expressions)
{
	ListCell   *cell;

	foreach(cell, root->append_rel_list)
	{
		AppendRelInfo *link = lfirst_node(AppendRelInfo, cell);
		RelOptInfo *table = link->parent_relid == rel->relid ? root->simple_rel_array[link->child_relid] : NULL;
		List	   *translated;

		if (table == NULL || IS_DUMMY_REL(table))
			continue;
		translated = (List *) adjust_appendrel_attrs(root, (Node *) expressions, 1, &link);
		parts = planner_rt_fetch(table->relid, root)->inh ? append_parts(root, parts, table, translated) :
			lappend(parts, make_part(table, translated));
	}
	return parts;
}

List *
dps_table_parts(PlannerInfo *root, const RelOptInfo *rel, List *expressions)
{
	if (rel->reloptkind != RELOPT_BASEREL || !planner_rt_fetch(rel->relid, root)->inh)
		return NIL;
	return append_parts(root, NIL, rel, expressions);
}

int
dps_part_workers(int nparts, int workers)
{
	if (enable_parallel_append && nparts > 0)
		workers = dps_max(workers, pg_leftmost_one_pos32((uint32) nparts) + 1);
	return Min(workers, max_parallel_workers_per_gather);
}

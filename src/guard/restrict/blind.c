/*
 * blind.c
 *		Planning without statistics of a relation, and without its size.
 *
 * The server checks privileges when a plan is started, and plans before that with all statistics.  So the
 * statistics of a protected relation are hidden from a role that may not read it, in every statement.  The
 * entry that the guard admits is read as the relation's owner, hence the switch is_blind.
 */
#include "postgres.h"

#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/constraint/inheritance.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/settings.h"
#include "guard/restrict/blind.h"

static get_relation_stats_hook_type previous_relation_stats;
static get_index_stats_hook_type previous_index_stats;
static get_relation_info_hook_type previous_relation_info;
static get_attavgwidth_hook_type previous_width;
static set_rel_pathlist_hook_type previous_rel_pathlist;

/* The hook in front of all others when all of ours were set. */
static set_rel_pathlist_hook_type first_rel_pathlist;

/* Is the statement being planned one of a role that may not read rows? */
static bool is_blind = false;

/* Is this process a clean room? */
static bool is_room = false;

void
dps_be_a_room(void)
{
	is_room = true;
}

bool
dps_is_room(void)
{
	return is_room;
}

bool
dps_blind_enter(void)
{
	bool		before = is_blind;

	is_blind = true;
	return before;
}

void
dps_blind_leave(bool before)
{
	is_blind = before;
}

static bool
may_read(Oid relation, Oid role)
{
	return !dps_setting_debug_restricted && (superuser_arg(role) || dps_check_select(relation, role) == ACLCHECK_OK);
}

bool
dps_is_closed_to(Oid relation, Oid role)
{
	DpsRelationAnnotation annotation;
	ListCell   *cell;

	if (may_read(relation, role) || !OidIsValid(dps_schema_oid()))
		return false;
	/* it has the rows of a table of Citus, whose label is not its own; on workers labels make nothing */
	if (dps_citus_kind(relation) == DPS_CITUS_SHARD || dps_citus_is_worker())
		return true;
	foreach(cell, dps_relation_family(relation))
	{
		dps_get_relation_annotation(lfirst_oid(cell), &annotation);
		if (annotation.is_protected)
			return true;
	}
	return false;
}

static bool
is_closed_entry(PlannerInfo *root, RangeTblEntry *entry)
{
	Oid			reader;

	if (entry->rtekind != RTE_RELATION)
		return false;
	reader = dps_entry_reader(root->parse, entry);
	return dps_is_closed_to(entry->relid, OidIsValid(reader) ? reader : GetUserId());
}

RangeTblEntry *
dps_named_entry(PlannerInfo *root, Index index)
{
	while (root->append_rel_array != NULL && root->append_rel_array[index] != NULL &&
		   planner_rt_fetch(root->append_rel_array[index]->parent_relid, root)->rtekind == RTE_RELATION)
		index = root->append_rel_array[index]->parent_relid;
	return planner_rt_fetch(index, root);
}

/* Is an entry of this relation, or this very entry, closed? */
static bool
is_closed_anywhere(PlannerInfo *root, Oid relation, const RangeTblEntry *entry)
{
	int			i;

	for (i = 1; i < root->simple_rel_array_size; i++)
	{
		const RangeTblEntry *other = root->simple_rte_array[i];

		if (other == NULL || other->rtekind != RTE_RELATION || (entry != NULL ? other != entry : other->relid != relation))
			continue;
		if (is_closed_entry(root, dps_named_entry(root, i)))
			return true;
	}
	return false;
}

/* True without a tuple means that there are no statistics. */
static bool
relation_stats(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column, VariableStatData *data)
{
	if (is_blind || is_closed_anywhere(root, InvalidOid, entry))
		return true;
	return previous_relation_stats != NULL && previous_relation_stats(root, entry, column, data);
}

static bool
index_stats(PlannerInfo *root, Oid index, AttrNumber column, VariableStatData *data)
{
	if (is_blind || is_closed_anywhere(root, IndexGetRelation(index, false), NULL))
		return true;
	return previous_index_stats != NULL && previous_index_stats(root, index, column, data);
}

/*
 * The size of a relation, in pages and rows, decides the cost of a plan; which plan the plan cache chose,
 * and whether there were workers, can be observed.  So all protected relations that the role that asks may
 * not read, and in a blind statement all others, too, are assumed to be of one size, so small that by default no workers are used; an
 * owner can request some by the storage parameter parallel_workers.
 */
#define ASSUMED_PAGES 1000
#define ASSUMED_ROWS 1000000.0
#define ASSUMED_INDEX_PAGES 3000
#define ASSUMED_INDEX_HEIGHT 1

static void
assume_size(RelOptInfo *info)
{
	ListCell   *cell;

	info->pages = ASSUMED_PAGES;
	info->tuples = ASSUMED_ROWS;
	info->allvisfrac = 0;
	foreach(cell, info->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);

		index->pages = ASSUMED_INDEX_PAGES;
		index->tuples = ASSUMED_ROWS;
		index->tree_height = ASSUMED_INDEX_HEIGHT;
	}
}

/* A partition, or a relation that a view reads, is not readable by the role, either. */
static bool
has_assumed_size(PlannerInfo *root, Oid relation, const RelOptInfo *info)
{
	if (is_blind)
		return is_room || !may_read(relation, GetUserId());
	return is_closed_entry(root, dps_named_entry(root, info->relid));
}

/* Is it a table whose rows the server stores itself? */
static bool
is_heap(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		is = HeapTupleIsValid(tuple) && ((Form_pg_class) GETSTRUCT(tuple))->relam == HEAP_TABLE_AM_OID;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return is;
}

/*
 * The library of an access method is loaded when a table of it is first opened, if not before, and what it then puts in front of
 * our hooks chooses paths after them.
 */
static void
check_order(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	if (set_rel_pathlist_hook == first_rel_pathlist || (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW) || is_heap(relation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" cannot be read by a role without SELECT privilege, since a library that was loaded behind dpsens chooses its plans",
					get_rel_name(relation)),
			 errhint("An administrator can name the library of its access method before dpsens in shared_preload_libraries.")));
}

/* Hides extended statistics and sizes. */
static void
relation_info(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *info)
{
	bool		is_assumed = has_assumed_size(root, relation, info);

	if (is_assumed)
		check_order(relation);
	if (is_blind || is_assumed)
		info->statlist = NIL;
	if (!is_parent && is_assumed)
		assume_size(info);
	if (previous_relation_info != NULL)
		previous_relation_info(root, relation, is_parent, info);
}

/*
 * Extensions that store tables in other ways put paths of their own in the place of the server's, as that of Citus for
 * tables that are stored by columns does, with costs of what they keep about the rows.  So of such a table that is assumed
 * to be of one size there is the server's sequential scan alone, with the cost of that size.
 */
static void
rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index index, RangeTblEntry *entry)
{
	if (previous_rel_pathlist != NULL)
		previous_rel_pathlist(root, rel, index, entry);
	if (entry->rtekind != RTE_RELATION || entry->inh || entry->tablesample != NULL || IS_DUMMY_REL(rel) ||
		(entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_MATVIEW))
		return;
	if (is_heap(entry->relid) || !has_assumed_size(root, entry->relid, rel))
		return;
	rel->pathlist = list_make1(create_seqscan_path(root, rel, rel->lateral_relids, 0));
	rel->partial_pathlist = NIL;
}

static int32
column_width(Oid relation, AttrNumber column)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	if (is_blind || dps_is_closed_to(relation, GetUserId()))
	{
		get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
		return get_typavgwidth(type, typmod);
	}
	return previous_width != NULL ? previous_width(relation, column) : 0;
}

void
dps_blind_init(void)
{
	previous_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = relation_stats;
	previous_index_stats = get_index_stats_hook;
	get_index_stats_hook = index_stats;
	previous_relation_info = get_relation_info_hook;
	get_relation_info_hook = relation_info;
	previous_width = get_attavgwidth_hook;
	get_attavgwidth_hook = column_width;
	previous_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = rel_pathlist;
}

void
dps_blind_end_init(void)
{
	first_rel_pathlist = set_rel_pathlist_hook;
}

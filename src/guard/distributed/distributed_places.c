/*
 * distributed_places.c
 *		Where the rows are that a level with joins reads: can each node compute what belongs to its shards?
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "guard/distributed/distributed_places.h"
#include "guard/source/grouped_part.h"
#include "guard/trace/join_unit.h"
#include "guard/trace/semijoin.h"

void
dps_refuse_places(Oid table, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private answers about distributed table \"%s\" are not supported %s", get_rel_name(table), what),
			 errhint("%s", hint)));
}

void
dps_refuse_spread(Oid table)
{
	dps_refuse_places(table, "where a unit has several rows and the table is not distributed by the unit",
					  psprintf("Which rows of a unit count is known where all of them are: SELECT alter_distributed_table('%s', distribution_column := ...) while it is not protected, and keys with declared values.",
							   get_rel_name(table)));
}

void
dps_check_one_column(Oid table, const DpsRelationAnnotation *annotation)
{
	if (annotation->is_protected && annotation->unit.n > 1)
		dps_refuse_places(table, "where several columns are the privacy unit together",
						  "Declare one column that says whose a row is, such as a key of both, and distribute the table by it.");
}

static DpsPart *
part_of(const DpsProtectedSource *source, int number)
{
	return list_nth(source->parts, number - 1);
}

/* The column by whose value the rows of the part of this number are in shards.  Groups have that of their unit, as check_groups
 * sees to. */
static Var *
distribution_column(const DpsProtectedSource *source, int number)
{
	Oid			relation = part_of(source, number)->relation;
	AttrNumber	column = dps_citus_column(relation);
	Oid			type;
	int32		typmod;
	Oid			collation;

	if (part_of(source, number)->grouping != NULL)
		return linitial(dps_grouped_unit(part_of(source, number), number));
	get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
	return makeVar(number, column, type, typmod, collation, 0);
}

/* The innermost outer join of the tree on whose optional side the part is, or NULL; *is_there: the tree has the part. */
static const JoinExpr *
optional_at(const Node *tree, int number, bool *is_there)
{
	const JoinExpr *join = NULL;
	ListCell   *cell;

	*is_there = IsA(tree, RangeTblRef) && ((const RangeTblRef *) tree)->rtindex == number;
	if (IsA(tree, FromExpr))
	{
		foreach(cell, ((const FromExpr *) tree)->fromlist)
		{
			join = optional_at(lfirst(cell), number, is_there);
			if (*is_there)
				break;
		}
	}
	if (!IsA(tree, JoinExpr))
		return join;
	join = optional_at(((const JoinExpr *) tree)->larg, number, is_there);
	if (*is_there)
		return join;
	join = optional_at(((const JoinExpr *) tree)->rarg, number, is_there);
	return join == NULL ? (const JoinExpr *) tree : join;
}

static bool
is_in_shards(const DpsPart *part)
{
	return part->constants == NULL && dps_citus_is_spread(part->relation);
}

/* Is the part met by equality of distribution columns alone, where it is optional: in ON, or below it, with a part that each row of
 * the other side has? */
static bool
is_met_in_place(const DpsProtectedSource *source, int number)
{
	bool		is_there;
	const JoinExpr *join = optional_at(source->from, number, &is_there);
	DpsProtectedSource matches = *source;
	int			i;

	if (join == NULL)
		return false;
	matches.from = (Node *) makeFromExpr(list_make2(join->larg, join->rarg), join->quals);
	for (i = 1; i <= list_length(source->parts); i++)
	{
		if (is_in_shards(part_of(source, i)) && optional_at(join->larg, i, &is_there) == NULL && is_there &&
			dps_are_equal_columns(&matches, distribution_column(source, i), distribution_column(source, number)))
			return true;
	}
	return false;
}

/* Which rows of a distributed table are beside a row of a union is known nowhere: in EXISTS and IN, as in FROM. */
pg_noreturn static void
refuse_union_in_join(Oid table)
{
	dps_refuse_places(table, "with a union in a join", "Ask about the union alone.");
}

/* The counted part is the first. */
static void
check_distributed(DpsProtectedSource *source, int number, Oid table)
{
	const DpsPart *part = part_of(source, number);
	const DpsPart *counted = part_of(source, 1);
	const DpsRelationAnnotation *annotation = &part->annotation;

	dps_check_one_column(part->relation, annotation);
	if (part->grouping == NULL && annotation->is_protected && dps_has_unit(annotation) &&
		!dps_is_unit_column(&annotation->unit, dps_citus_column(part->relation)))
		dps_refuse_spread(part->relation);
	if (number == 1)
		return;
	/* its columns are not those of a table, and Citus asks of a union that is within shards for nothing more */
	if (counted->arms != NIL)
		refuse_union_in_join(table);
	if (!dps_citus_are_together(counted->relation, part->relation) ||
		!(part->nullable ? is_met_in_place(source, number) :
		  dps_are_equal_columns(source, distribution_column(source, 1), distribution_column(source, number))))
		dps_refuse_places(table, psprintf("together with \"%s\" that is distributed otherwise, or not joined by the distribution columns", get_rel_name(part->relation)),
						  psprintf("Join by equality of the distribution columns tables that are distributed alike: SELECT alter_distributed_table('%s', colocate_with := ...) while it is not protected, or create_reference_table() for a small public table.",
								   get_rel_name(part->relation)));
}

/* ---- groups and unions ---- */

static int
part_in(const DpsProtectedSource *source, const Var *var)
{
	return var->varlevelsup == 0 && (int) var->varno <= list_length(source->parts) ? (int) var->varno : 0;
}

/* Is the key, which is the unit of the groups, a distribution column as it is stored, so that Citus sees that a group is within
 * a shard? */
static bool
is_distribution_column(const DpsProtectedSource *grouped, const DpsGroupedColumn *key)
{
	const Var  *var = (const Var *) key->expression;
	int			number = IsA(var, Var) ? part_in(grouped, var) : 0;

	return number > 0 && !part_of(grouped, number)->nullable && is_in_shards(part_of(grouped, number)) &&
		var->varattno == dps_citus_column(part_of(grouped, number)->relation);
}

/* The column that is the unit of the groups; 0 if several are. */
static AttrNumber
group_unit(const DpsGrouping *grouping)
{
	return list_length(grouping->unit) == 1 ? linitial_int(grouping->unit) : InvalidAttrNumber;
}

static void
check_groups(const DpsGrouping *grouping, Oid table)
{
	AttrNumber	unit = group_unit(grouping);

	dps_check_places(grouping->source, table);
	if (unit == InvalidAttrNumber || !is_distribution_column(grouping->source, list_nth(grouping->columns, unit - 1)))
		dps_refuse_places(table, "with groups in FROM whose unit is not the distribution column, or is of a type whose values have several forms",
						  "Group by the distribution column, which is the unit, of a type such as bigint, uuid or text.");
}

/* Does the arm read its table without a subquery or view in between, through which Citus does not follow the column by which it is
 * distributed? */
static bool
reads_table_itself(const DpsProtectedSource *arm)
{
	const List *from = arm->query->jointree->fromlist;

	return arm->parts == NIL && list_length(from) == 1 && IsA(linitial(from), RangeTblRef) &&
		rt_fetch(linitial_node(RangeTblRef, from)->rtindex, arm->query->rtable)->rtekind == RTE_RELATION;
}

/* Rows of unions count one by one, so that it does not matter which is beside which. */
static void
check_union(const DpsProtectedSource *source, const DpsPart *part, Oid table)
{
	Oid			first = ((const DpsArm *) linitial(part->arms))->source->relation;
	ListCell   *cell;

	if (list_length(source->parts) > 1)
		refuse_union_in_join(table);
	foreach(cell, part->arms)
	{
		const DpsProtectedSource *arm = ((const DpsArm *) lfirst(cell))->source;

		if (!reads_table_itself(arm))
			dps_refuse_places(table, "with joins, views or subqueries in a union", "Unite queries of one table each, with conditions in WHERE.");
		if (!dps_citus_is_spread(arm->relation) || !dps_citus_are_together(first, arm->relation))
			dps_refuse_places(table, psprintf("in a union with \"%s\", which is not distributed alike", get_rel_name(arm->relation)),
							  psprintf("Unite tables that are distributed alike: SELECT alter_distributed_table('%s', colocate_with := ...) while it is not protected.", get_rel_name(arm->relation)));
		dps_check_one_column(arm->relation, &arm->annotation);
		if (dps_has_unit(&arm->annotation) && !dps_is_unit_column(&arm->annotation.unit, dps_citus_column(arm->relation)))
			dps_refuse_spread(arm->relation);
	}
}

static void
check_part(DpsProtectedSource *source, int number, Oid table)
{
	const DpsPart *part = part_of(source, number);

	if (part->constants != NULL)
		return;
	if (part->arms != NIL)
	{
		check_union(source, part, table);
		return;
	}
	if (part->grouping != NULL)
		check_groups(part->grouping, table);
	if (dps_citus_is_spread(part->relation))
		check_distributed(source, number, table);
	else if (part->annotation.is_protected && dps_citus_is_reference(part->relation))
		dps_refuse_places(table, psprintf("in a join with \"%s\", a reference table that is protected", get_rel_name(part->relation)),
						  "Each node has its rows, so that which of them count would be known nowhere: ask about it alone, or distribute it like the others.");
	else if (number == 1 || !dps_citus_is_reference(part->relation))
		dps_refuse_places(table, psprintf("together with \"%s\", which is not distributed", get_rel_name(part->relation)),
						  "A small public table can be joined as a reference table: SELECT create_reference_table(...).");
}

void
dps_check_places(DpsProtectedSource *source, Oid table)
{
	int			n = list_length(source->parts);
	ListCell   *cell;
	int			i;

	for (i = 1; i <= n; i++)
		check_part(source, i, table);
	foreach(cell, source->semijoins)
	{
		DpsProtectedSource both = dps_join_with(source, ((const DpsSemiJoin *) lfirst(cell))->source);

		for (i = n + 1; i <= list_length(both.parts); i++)
			check_part(&both, i, table);
	}
}

bool
dps_is_in_one_place(const DpsProtectedSource *source, const Query *states, const Expr *owner)
{
	const Var  *var = (const Var *) owner;
	const RangeTblEntry *entry;

	if (!IsA(owner, Var) || var->varlevelsup != 0)
		return false;
	/* entry k of the query that reads parts is part k (guard/trace/join.h) */
	entry = rt_fetch(var->varno, states->rtable);
	if (entry->rtekind == RTE_SUBQUERY && part_in(source, var) > 0 && part_of(source, var->varno)->grouping != NULL)
		return var->varattno == group_unit(part_of(source, var->varno)->grouping);
	if (entry->rtekind != RTE_RELATION || !dps_citus_can_add_up(entry->relid))
		return false;
	if (source->parts == NIL)
		return dps_citus_is_reference(entry->relid) || var->varattno == dps_citus_column(entry->relid);
	if (!dps_citus_is_spread(entry->relid))
		return false;
	if (part_in(source, var) == 0)
		return false;
	return var->varattno == dps_citus_column(entry->relid) ||
		(var->varno == 1 && var->varattno == SelfItemPointerAttributeNumber);
}

/* ---- subqueries ---- */

int
dps_grouped_parts(const DpsProtectedSource *source)
{
	int			n = 0;
	ListCell   *cell;

	foreach(cell, source->parts)
	{
		const DpsPart *part = lfirst(cell);

		n += part->grouping == NULL ? part->arms != NIL : 1 + dps_grouped_parts(part->grouping->source);
	}
	foreach(cell, source->semijoins)
		n += dps_grouped_parts(((const DpsSemiJoin *) lfirst(cell))->source);
	return n;
}

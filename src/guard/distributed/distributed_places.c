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
					  psprintf("Which rows of a unit count is known where all of them are: SELECT alter_distributed_table('%s', distribution_column := ...), and keys with declared values.",
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

/* The column by which the part of this number is distributed. */
static Var *
distribution_column(const DpsProtectedSource *source, int number)
{
	Oid			relation = part_of(source, number)->relation;
	AttrNumber	column = dps_citus_column(relation);
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
	return makeVar(number, column, type, typmod, collation, 0);
}

/* The counted part is the first. */
static void
check_distributed(DpsProtectedSource *source, int number, Oid table)
{
	const DpsPart *part = part_of(source, number);
	const DpsPart *counted = part_of(source, 1);
	const DpsRelationAnnotation *annotation = &part->annotation;

	dps_check_one_column(part->relation, annotation);
	if (annotation->is_protected && dps_has_unit(annotation) && !dps_is_unit_column(&annotation->unit, dps_citus_column(part->relation)))
		dps_refuse_spread(part->relation);
	if (part->nullable)
		dps_refuse_places(table, psprintf("with distributed table \"%s\" on the optional side of an outer join", get_rel_name(part->relation)),
						  "Use JOIN, or a reference table there.");
	if (number == 1)
		return;
	if (!dps_citus_are_together(counted->relation, part->relation) ||
		!dps_are_equal_columns(source, distribution_column(source, 1), distribution_column(source, number)))
		dps_refuse_places(table, psprintf("together with \"%s\" that is distributed otherwise, or not joined by the distribution columns", get_rel_name(part->relation)),
						  psprintf("Join by equality of the distribution columns tables that are distributed alike: SELECT alter_distributed_table('%s', colocate_with := ...) while it is not protected, or create_reference_table() for a small public table.",
								   get_rel_name(part->relation)));
}

static void
check_part(DpsProtectedSource *source, int number, Oid table)
{
	const DpsPart *part = part_of(source, number);

	if (part->arms != NIL || part->grouping != NULL)
		dps_refuse_places(table, "with groups or unions in FROM", "Join tables, and group by their columns.");
	if (part->constants != NULL)
		return;
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
	if (entry->rtekind != RTE_RELATION || !dps_citus_can_add_up(entry->relid))
		return false;
	if (source->parts == NIL)
		return dps_citus_is_reference(entry->relid) || var->varattno == dps_citus_column(entry->relid);
	if (!dps_citus_is_spread(entry->relid))
		return false;
	if ((int) var->varno > list_length(source->parts))
		return false;
	return var->varattno == dps_citus_column(entry->relid) ||
		(var->varno == 1 && var->varattno == SelfItemPointerAttributeNumber);
}

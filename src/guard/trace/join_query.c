/*
 * join_query.c
 *		The query that reads the parts of a join (join.h), and what a release notes
 *		about them.
 *
 * The query is made from the tree of parts and not from the user's query, so what is proved about the tree
 * holds for what runs.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "glue/compat.h"
#include "guard/condition/attempt.h"
#include "guard/restrict/analyst.h"
#include "guard/trace/grouped.h"
#include "guard/trace/join.h"
#include "guard/source/join_list.h"
#include "guard/trace/join_union.h"
#include "guard/trace/semijoin.h"

/* ---- the query ---- */

typedef struct Building
{
	Query	   *query;
	const DpsProtectedSource *source;
	List	   *checks;			/* of dps_attempt_calls */
} Building;

static Node *
attempt(Building *building, Node *condition)
{
	Node	   *attempted = dps_attempt_calls(condition, building->source->is_restricted, &building->checks);

	return dps_build_subqueries(building->source, attempted, &building->checks);
}

/* A copy of the tree in which calls are attempted and outer joins have range-table entries. */
static Node *
build_tree(Building *building, Node *tree)
{
	ListCell   *cell;
	RangeTblEntry *entry;
	JoinExpr   *join;

	if (IsA(tree, RangeTblRef))
		return copyObject(tree);
	if (IsA(tree, FromExpr))
	{
		List	   *from = NIL;

		foreach(cell, ((FromExpr *) tree)->fromlist)
			from = lappend(from, build_tree(building, lfirst(cell)));
		return (Node *) makeFromExpr(from, attempt(building, ((FromExpr *) tree)->quals));
	}
	join = makeNode(JoinExpr);
	join->jointype = JOIN_LEFT;
	join->larg = build_tree(building, ((JoinExpr *) tree)->larg);
	join->rarg = build_tree(building, ((JoinExpr *) tree)->rarg);
	join->quals = attempt(building, ((JoinExpr *) tree)->quals);
	entry = makeNode(RangeTblEntry);
	entry->rtekind = RTE_JOIN;
	entry->jointype = JOIN_LEFT;
	entry->eref = makeAlias("unnamed_join", NIL);
	entry->inFromCl = true;
	building->query->rtable = lappend(building->query->rtable, entry);
	join->rtindex = list_length(building->query->rtable);
	return (Node *) join;
}

static void
add_entry(Building *building, const DpsPart *part)
{
	Query	   *query = building->query;
	RangeTblEntry *entry;

	if (part->arms != NIL || part->grouping != NULL)
	{
		query->rtable = lappend(query->rtable, part->arms != NIL ? dps_union_entry(query, part, &building->checks) :
								dps_grouped_entry(part, &building->checks));
		return;
	}
	if (part->constants != NULL)
	{
		query->rtable = lappend(query->rtable, dps_list_entry(part));
		return;
	}
	if (part->level != NULL)
		entry = dps_copy_entry(query, part->level, part->entry);
	else
	{
		entry = copyObject(part->entry);
		dps_ask_to_read(query, entry);
	}
	entry->securityQuals = (List *) attempt(building, (Node *) part->security);
	query->rtable = lappend(query->rtable, entry);
	/* the guard reads an added part by the authority of the owner who declared the unit */
	if (part->is_restricted || part->level == NULL)
		dps_admit_entry(query, entry);
}

/* Copies the entries of views, which are in the levels only for the check of privileges. */
static void
add_checked_entries(Query *query, const DpsProtectedSource *source)
{
	ListCell   *cell;
	ListCell   *other;

	foreach(cell, source->levels)
	{
		Query	   *level = lfirst_node(Query, cell);

		foreach(other, level->rtable)
		{
			RangeTblEntry *entry = lfirst_node(RangeTblEntry, other);
			bool		is_part = false;
			ListCell   *part;

			foreach(part, source->parts)
				is_part = is_part || (((DpsPart *) lfirst(part))->entry == entry && ((DpsPart *) lfirst(part))->grouping == NULL);
			if (is_part || !dps_entry_is_checked(entry))
				continue;
			entry = dps_copy_entry(query, level, entry);
			entry->rtekind = RTE_RELATION;
			entry->relkind = get_rel_relkind(entry->relid);
			entry->subquery = NULL;
			entry->security_barrier = false;
			entry->securityQuals = NIL;
			entry->inFromCl = false;
			query->rtable = lappend(query->rtable, entry);
		}
	}
}

Query *
dps_join_query(const DpsProtectedSource *source, List **checks)
{
	Query	   *query = makeNode(Query);
	Building	building = {query, source, NIL};
	ListCell   *cell;

	query->commandType = CMD_SELECT;
	foreach(cell, source->parts)
		add_entry(&building, lfirst(cell));
	foreach(cell, source->levels)
		query->hasRowSecurity |= lfirst_node(Query, cell)->hasRowSecurity;
	query->hasSubLinks = source->semijoins != NIL;
	query->jointree = makeFromExpr(list_make1(build_tree(&building, source->from)), NULL);
	add_checked_entries(query, source);
	*checks = building.checks;
	return query;
}

/* ---- what a release notes ---- */

static void
note_joined(const DpsProtectedSource *source, const DpsPart *part, Oid relation, bool needs_budget, DpsRelease *release)
{
	int			i;

	if (relation == release->relation)
	{
		release->needs_budget |= needs_budget;
		return;
	}
	for (i = 0; i < release->njoined && release->joined[i].relation != relation; i++)
		;
	if (i == DPS_MAX_JOINED)
		dps_refuse_join(source, part, psprintf("It is one of more than %d other protected relations.", DPS_MAX_JOINED),
						"Join fewer.");
	release->joined[i].relation = relation;
	/* a relation that was only added to find the unit does not pay */
	release->joined[i].pays |= part->level != NULL;
	release->joined[i].needs_budget |= needs_budget;
	release->njoined = Max(release->njoined, i + 1);
}

static void
note_parts(const DpsProtectedSource *source, DpsRelease *release)
{
	ListCell   *cell;
	ListCell   *arm;

	foreach(cell, source->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->grouping != NULL)
			note_parts(part->grouping->source, release);
		else if (part->arms == NIL && part->annotation.is_protected)
			note_joined(source, part, part->relation, part->needs_budget, release);
		foreach(arm, part->arms)
		{
			const DpsProtectedSource *one = ((DpsArm *) lfirst(arm))->source;

			if (one->parts == NIL)
				note_joined(source, part, one->relation, one->needs_budget, release);
			note_parts(one, release);
		}
	}
	foreach(cell, source->semijoins)
		note_parts(((const DpsSemiJoin *) lfirst(cell))->source, release);
}

/* Adds the index that proves that a unit has one row in the relation. */
static List *
add_unit_proof(List *indexes, const DpsRelationAnnotation *annotation)
{
	return annotation->is_protected && annotation->unit_is_unique && OidIsValid(annotation->unit_index) ?
		list_append_unique_oid(indexes, annotation->unit_index) : indexes;
}

static List *
add_unit_proofs(List *indexes, const DpsProtectedSource *source)
{
	ListCell   *cell;
	ListCell   *arm;

	if (source->parts == NIL)
		indexes = add_unit_proof(indexes, &source->annotation);
	foreach(cell, source->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->grouping != NULL)
			indexes = add_unit_proofs(indexes, part->grouping->source);
		else if (part->arms == NIL)
			indexes = add_unit_proof(indexes, &part->annotation);
		foreach(arm, part->arms)
			indexes = add_unit_proofs(indexes, ((const DpsArm *) lfirst(arm))->source);
	}
	foreach(cell, source->semijoins)
		indexes = add_unit_proofs(indexes, ((const DpsSemiJoin *) lfirst(cell))->source);
	return indexes;
}

void
dps_note_join(const DpsProtectedSource *source, DpsRelease *release)
{
	List	   *indexes = add_unit_proofs(list_copy(source->indexes), source);
	ListCell   *cell;

	release->needs_budget = source->parts == NIL && source->needs_budget;
	note_parts(source, release);
	if (list_length(indexes) > DPS_MAX_PROOFS)
		dps_refuse_join(source, llast(source->parts), psprintf("The query joins more than %d relations.", DPS_MAX_PROOFS),
						"Join fewer.");
	foreach(cell, indexes)
		release->proofs[release->nproofs++] = lfirst_oid(cell);
}

static void
check_label(Oid relation, const DpsRelationAnnotation *annotation)
{
	/* a public relation has no label, and a list of constants is no relation */
	if (annotation->is_protected && annotation->labels != dps_annotation_fingerprint(relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the annotations of relation \"%s\" have changed while the query was planned", get_rel_name(relation)),
				 errhint("Run the query again.")));
}

/*
 * Labels are not locked.  The relation's label is read first.  Labels of columns are read later, possibly
 * after a search for bounds that took seconds.  The curator has made no promise for the old adjacency
 * together with the new public columns.
 */
void
dps_check_labels(const DpsProtectedSource *source)
{
	ListCell   *cell;
	ListCell   *arm;

	if (source->parts == NIL)
		check_label(source->relation, &source->annotation);
	foreach(cell, source->parts)
	{
		const DpsPart *part = lfirst(cell);

		if (part->grouping != NULL)
			dps_check_labels(part->grouping->source);
		else if (part->arms == NIL)
			check_label(part->relation, &part->annotation);
		foreach(arm, part->arms)
			dps_check_labels(((const DpsArm *) lfirst(arm))->source);
	}
	foreach(cell, source->semijoins)
		dps_check_labels(((const DpsSemiJoin *) lfirst(cell))->source);
}

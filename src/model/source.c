/*
 * source.c
 *		What a relation that is not protected reads.
 *
 * On a protected relation there is no training without noise, so there is none
 * through something that shows its rows, either.  Functions and foreign tables are not
 * looked into, nor are copies that somebody made: whoever reads the relation
 * may read these.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/prs2lock.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/annotation.h"
#include "glue/family.h"
#include "model/source.h"

/* Relations that were looked at, so that each is once. */
typedef struct Sources
{
	Oid			asked;			/* about which all of it is */
	List	   *seen;
} Sources;

static void look_at(Sources *sources, Oid relation);

static void
refuse_protected(const Sources *sources, Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	if (annotation.is_protected)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("relation \"%s\" shows rows of protected relation \"%s\"", get_rel_name(sources->asked), get_rel_name(relation)),
				 errhint("Train on the protected relation itself, with noise.")));
}

static bool
find_relations(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, find_relations, context, QTW_EXAMINE_RTES_BEFORE);
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_RELATION)
			look_at(context, ((RangeTblEntry *) node)->relid);
		/* false goes on into subqueries */
		return false;
	}
	return expression_tree_walker(node, find_relations, context);
}

static void
look_into_view(Sources *sources, Oid view)
{
	Relation	relation = relation_open(view, AccessShareLock);
	int			k;

	for (k = 0; relation->rd_rules != NULL && k < relation->rd_rules->numLocks; k++)
	{
		if (relation->rd_rules->rules[k]->event == CMD_SELECT)
			(void) find_relations((Node *) relation->rd_rules->rules[k]->actions, sources);
	}
	relation_close(relation, AccessShareLock);
}

static void
look_at(Sources *sources, Oid relation)
{
	char		kind = get_rel_relkind(relation);
	ListCell   *cell;

	check_stack_depth();
	if (list_member_oid(sources->seen, relation))
		return;
	sources->seen = lappend_oid(sources->seen, relation);
	foreach(cell, dps_relation_family(relation))
		refuse_protected(sources, lfirst_oid(cell));
	if (kind == RELKIND_VIEW || kind == RELKIND_MATVIEW)
		look_into_view(sources, relation);
}

void
dps_refuse_hidden_source(Oid relation)
{
	Sources		sources = {.asked = relation};

	look_at(&sources, relation);
}

/*
 * public_relation.c
 *		Which relations are public.
 *
 * Public is a table that a user made, if it is not protected, and shares no rows with a protected one by
 * inheritance or partitioning.  That its owner has not copied protected rows into it is the owner's
 * responsibility.  No other relation is public:
 *
 * - The server's catalogs hold statistics of protected rows: their number, the most common values, which of
 *	 their pages are full.
 * - The tables of dpsens hold the costs of answers, and the names of roles that asked.
 * - A materialized view holds rows of its query, which may read protected relations.  A sequence may show
 *	 how many rows were inserted.
 * - A foreign table is read from another server: the requests to it would name private cells, and its
 *	 answers may be anything.
 * - A table of Citus is on other servers.  Where all rows of a reference table are beside each shard of a
 *	 distributed one, or rows of two such tables are, and in no other place, they can be joined there
 *	 (guard/distributed/distributed_places.h), which is asked later.
 * - Virtual generated columns are computed when they are read, and could fail for rows that are read.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/glue.h"
#include "glue/label/annotation.h"
#include "glue/constraint/inheritance.h"
#include "guard/public/public_relation.h"

static bool
is_table(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE;
}

static bool
is_protected(Oid relation)
{
	DpsRelationAnnotation annotation;

	dps_get_relation_annotation(relation, &annotation);
	return annotation.is_protected;
}

/* Does the relation have a protected parent or child? */
static bool
is_protected_family(Oid relation)
{
	ListCell   *cell;

	foreach(cell, dps_relation_family(relation))
	{
		if (is_protected(lfirst_oid(cell)))
			return true;
	}
	return false;
}

static bool
is_stored_elsewhere(Oid relation)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relation, AccessShareLock, NULL))
	{
		Oid			member = lfirst_oid(cell);

		if (!is_table(member) || (dps_citus_kind(member) != DPS_CITUS_NONE && !dps_citus_can_add_up(member)))
			return true;
	}
	return false;
}

static bool
computes_columns(Oid relation)
{
	Relation	opened = table_open(relation, AccessShareLock);
	bool		computes = dps_computes_columns(opened);

	table_close(opened, NoLock);
	return computes;
}

const char *
dps_why_not_public(Oid relation, const char **hint)
{
	if (relation < FirstNormalObjectId || dps_is_own_schema(get_rel_namespace(relation)))
	{
		*hint = "Use tables of your own.";
		return "What the server or dpsens keeps there depends on protected rows.";
	}
	if (!is_table(relation))
	{
		*hint = "Use tables, and views over tables.";
		return "It is not a table.";
	}
	if (is_protected(relation))
	{
		*hint = "Whether a row counts must depend on this row alone.";
		return "It is protected.";
	}
	if (is_protected_family(relation))
	{
		*hint = "Name the protected relation itself.";
		return "Its rows and those of a protected relation are parents and children of each other.";
	}
	if (is_stored_elsewhere(relation))
	{
		*hint = "Use tables of this server.";
		return "Some of its rows are stored elsewhere.";
	}
	if (computes_columns(relation))
	{
		*hint = "Store the columns.";
		return "It has virtual generated columns, whose expressions could fail for rows that are met.";
	}
	*hint = NULL;
	return NULL;
}

bool
dps_is_public_relation(Oid relation)
{
	const char *hint;

	return dps_why_not_public(relation, &hint) == NULL;
}

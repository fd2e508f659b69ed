/*
 * undistributed.c
 *		A table is either protected or one of Citus's, but for those whose sums nodes can add up.
 *
 * Such a table is distributed first, and then protected, so that no label is copied to its shards.
 * A table is looked at with its parents, children and partitions, which share its rows.  Whoever protects
 * and whoever distributes locks the table so that one waits for the other, and then sees what it did.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "glue/citus.h"
#include "glue/cluster_key.h"
#include "glue/constraint/inheritance.h"
#include "glue/label/annotation.h"
#include "glue/label/undistributed.h"

/* Can nodes add it up, and it alone? */
static bool
can_be_protected(Oid relation, const List *family)
{
	return list_length(family) == 1 && dps_citus_can_add_up(relation) && !dps_citus_keeps_rows(relation);
}

static const char *
where_rows_are(Oid relation)
{
	return dps_citus_keeps_rows(relation) ?
		" Rows from before it was distributed are still on this server, until truncate_local_data_after_distributing_table() is called." : "";
}

void
dps_refuse_distributed(Oid relation)
{
	DpsCitusKind kind;
	List	   *family;
	ListCell   *cell;

	if (!dps_citus_is_present())
		return;
	dps_citus_refuse_worker();
	family = dps_relation_family(relation);
	if (can_be_protected(relation, family))
		return;
	foreach(cell, family)
	{
		Oid			member = lfirst_oid(cell);

		kind = dps_citus_kind(member);
		if (kind == DPS_CITUS_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("table \"%s\" cannot be protected, since Citus has distributed it", get_rel_name(member)),
					 errdetail("Its rows are on several servers, of which each would have a ledger, and counters, of its own.%s",
							   where_rows_are(member)),
					 errhint("SELECT undistribute_table('%s'); then protect it.  Or set dpsens.cluster_key_file: then a table that is distributed by a column can be protected, if it has no partitions, children or rows left on this server.",
							 get_rel_name(member))));
		if (kind == DPS_CITUS_SHARD)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is a shard of Citus, and cannot be protected", get_rel_name(member)),
					 errhint("Protect the table that it is a part of, on the coordinator.")));
	}
}

bool
dps_is_copied_label(void)
{
	return dps_has_cluster_key() && dps_citus_is_worker();
}

void
dps_refuse_to_distribute(Oid relation)
{
	ListCell   *cell;

	if (dps_is_copied_label())
		return;
	foreach(cell, dps_relation_family(relation))
	{
		DpsRelationAnnotation annotation;

		dps_get_relation_labels(lfirst_oid(cell), &annotation);
		if (!annotation.is_protected)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("protected table \"%s\" cannot be distributed by Citus", get_rel_name(lfirst_oid(cell))),
				 errdetail("Its rows would be on several servers, of which each would have a ledger, and counters, of its own."),
				 errhint("Keep it on this server, or unprotect it with dpsens.unprotect() first, after which nobody is answered about it.%s",
						 dps_has_cluster_key() ? "  Once it is distributed by a column, it can be protected again." : "")));
	}
}

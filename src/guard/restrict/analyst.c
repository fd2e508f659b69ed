/*
 * analyst.c
 *		Roles that may ask but not read rows.
 *
 * What such a role could learn beside answers, and what prevents it:
 *
 * - From errors, where a row's values decide whether there is one: conditions are total or attempted
 *	 (safe.c), and what the chain of subqueries computes without need is removed (chain.c).
 * - From functions that are called with a row's values: only the server's own are admitted, by the same
 *	 rule.
 * - From the plan: it is made without statistics (blind.h), and EXPLAIN and its relatives are refused.
 * - From the server's counters and locks: rows that an index finds are counted in public statistics, and
 *	 under SERIALIZABLE they are locked one by one.  Counting is switched off, and that isolation level is
 *	 refused.
 * - From limits of resources: the limit of temporary files is lifted while rows are read.
 * - From the depth of the stack: LIKE recurses the deeper the more a value matches, and fails if the stack
 *	 is exhausted.  Half of the stack must be left (quiet_run.c).
 * - From a plan that was made for another role: a plan records its role, which is checked when it runs.
 *	 The plan cache plans again for another role; for cursors this check is the only one.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "glue/compat.h"
#include "glue/owner.h"
#include "glue/settings.h"
#include "guard/restrict/analyst.h"
#include "ledger/authority.h"

bool
dps_is_restricted(Query *query, RangeTblEntry *entry)
{
	return dps_setting_debug_restricted || dps_needs_budget(query, entry);
}

bool
dps_needs_budget(Query *query, RangeTblEntry *entry)
{
	return !dps_may_read_entry(query, entry);
}

void
dps_check_served(Oid relation, Oid role)
{
	char	   *name;

	if (dps_has_budget(relation, role))
		return;
	name = get_rel_name(relation);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for table %s", name != NULL ? name : "?"),
			 errdetail("Role \"%s\" has neither the privilege to read it nor a privacy budget on it.",
					   GetUserNameFromId(role, false)),
			 errhint("Its owner can grant a budget with dpsens.grant_budget().")));
}

void
dps_admit_entry(Query *query, RangeTblEntry *entry)
{
	dps_read_entry_as(query, entry, dps_relation_owner(entry->relid));
}

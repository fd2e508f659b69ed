/*
 * trigger_doors.c
 *		Triggers whose functions run with the rights of somebody who may read more.
 *
 * The hook that sees all other functions before they are called (hidden.c) does not see those of triggers, and who makes a
 * trigger on a table of his own may choose any function that he may call, which is every one unless somebody has revoked it.
 * So triggers are looked at before rows are written, and before anything is charged; and when they are called (definers.c), since
 * a statement can make others on the way, or remove rows without a row to write.
 *
 * Precondition: the relation is locked for writing, so that nobody else makes a trigger on it meanwhile.
 * Postcondition: no trigger that the statement could fire on the relation or on what inherits from it calls a function that
 * dps_refuse_door refuses to the present role, or there is an error; but for those that the statement itself makes, enables or brings
 * with a partition, and those for TRUNCATE.
 * Argument: all triggers are looked at, whatever event they are for, but for those that are disabled.  What foreign keys do to
 * other relations are statements of their own, in which the same is asked of these, of the roles that own them.  Rows are
 * routed to partitions and children only.  Triggers on events of the database are made by superusers.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "glue/glue.h"
#include "guard/restrict/hidden.h"
#include "ledger/authority.h"

/* As a list of OIDs: what is known of a relation can be forgotten while functions are looked at. */
static List *
functions_of_triggers(Oid relation_oid)
{
	Relation	relation = relation_open(relation_oid, NoLock);
	const TriggerDesc *triggers = relation->trigdesc;
	List	   *functions = NIL;
	int			i;

	for (i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (triggers->triggers[i].tgenabled != TRIGGER_DISABLED)
			functions = list_append_unique_oid(functions, triggers->triggers[i].tgfoid);
	}
	relation_close(relation, NoLock);
	return functions;
}

static void
check_triggers(Oid relation)
{
	ListCell   *cell;

	foreach(cell, functions_of_triggers(relation))
		dps_refuse_door(lfirst_oid(cell));
}

void
dps_refuse_trigger_doors(Oid relation)
{
	ListCell   *cell;

	if (superuser())
		return;
	check_triggers(relation);
	/* to look at many partitions takes longer than to look whether that is called for */
	if (!has_subclass(relation) || !OidIsValid(dps_schema_oid()) || !dps_is_analyst(GetUserId()))
		return;
	foreach(cell, find_all_inheritors(relation, RowExclusiveLock, NULL))
	{
		check_triggers(lfirst_oid(cell));
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * trigger_doors.c
 *		Triggers whose functions run with the rights of somebody who may read more, and whose rights are lent now.
 *
 * The hook that sees all other functions before they are called (hidden.c) does not see those of triggers, and who makes a
 * trigger on a table of his own may choose any function that he may call, which is every one unless somebody has revoked it.
 * So triggers are looked at before rows are written, and before anything is charged; and when they are called (below), since a
 * statement can make and enable triggers of partitions, and attach partitions, before rows are routed to them, and TRUNCATE writes no row.
 *
 * Precondition: the relation is locked for writing, so that nobody else makes a trigger on it meanwhile.
 * Postcondition: no trigger that the statement could fire on the relation or on what inherits from it calls a function that
 * dps_refuse_door refuses to the present role, or there is an error; but for those that the statement itself makes, enables or brings
 * with a partition, and those for TRUNCATE.
 * Argument: all triggers are looked at, whatever event they are for, but for those that are disabled.  What foreign keys do to
 * other relations are statements of their own, in which the same is asked of these, of the roles that own them.  Rows are
 * routed to partitions and children only.  Triggers on events of the database are made by superusers.
 *
 * Calls.  The server tells of each call of a SECURITY DEFINER function, whoever calls it: of those of triggers, too, which no other
 * hook sees.
 * Precondition: hidden.c has looked at every function but those of triggers before its first call.
 * Postcondition: no function of a trigger runs that dps_refuse_door_to refuses to whoever the server calls it for, the owner of the
 * innermost SECURITY DEFINER function around it, or else who asks; or there is an error.
 * Argument: each call is between its start and its end or its abort, which nest; an error of a start is none of these.  The
 * rights are already the owner's at the start.  A function with settings alone is told of, too, and lends the rights that there are.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
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

/* ---- calls ---- */

/* Those that are deeper lend nothing, which is the strict way to be wrong. */
#define DPS_MAX_LENDERS 64

static fmgr_hook_type previous_hook;

static Oid	lenders[DPS_MAX_LENDERS];
static int	nlenders = 0;

/* The last trigger's function that was looked at, as it is called for each row of a statement. */
typedef struct Admitted
{
	Oid			function;
	Oid			caller;
	Oid			asker;
	TimestampTz statement;
} Admitted;

bool
dps_is_lent_more(Oid asker)
{
	int			i;

	for (i = 0; i < Min(nlenders, DPS_MAX_LENDERS); i++)
	{
		if (dps_analyst_sees_less(asker, lenders[i]))
			return true;
	}
	return dps_analyst_sees_less(asker, GetUserId());
}

static Oid
caller_of_trigger(void)
{
	return nlenders > 0 ? lenders[Min(nlenders, DPS_MAX_LENDERS) - 1] : GetOuterUserId();
}

static void
look_at_trigger(Oid function)
{
	static Admitted last = {0};
	Admitted	now = {function, caller_of_trigger(), GetOuterUserId(), GetCurrentStatementStartTimestamp()};

	if (last.function == now.function && last.caller == now.caller && last.asker == now.asker && last.statement == now.statement)
		return;
	dps_refuse_door_to(function, now.caller);
	last = now;
}

static void
note_call(FmgrHookEventType event, FmgrInfo *function, Datum *private)
{
	if (previous_hook != NULL)
		previous_hook(event, function, private);
	if (event != FHET_START)
	{
		nlenders--;
		return;
	}
	if (IsTransactionState() && get_func_rettype(function->fn_oid) == TRIGGEROID)
		look_at_trigger(function->fn_oid);
	if (nlenders < DPS_MAX_LENDERS)
		lenders[nlenders] = GetUserId();
	nlenders++;
}

void
dps_calls_init(void)
{
	previous_hook = fmgr_hook;
	fmgr_hook = note_call;
}

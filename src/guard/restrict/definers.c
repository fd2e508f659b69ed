/*
 * definers.c
 *		SECURITY DEFINER functions that run now, and those of triggers as they are called.
 *
 * The server tells of each call of such a function, whoever calls it: of those of triggers, too, which no other hook sees.
 * Triggers are looked at before rows are written (trigger_doors.c), but a statement can make and enable triggers of
 * partitions, and attach partitions, before rows are routed to them: so they are looked at again when they are called.
 *
 * Precondition: hidden.c has looked at every function but those of triggers before its first call.
 * Postcondition: no function of a trigger runs that dps_refuse_door_to refuses to whoever the server calls it for, the owner of the
 * innermost SECURITY DEFINER function around it, or who asks; or there is an error.
 *
 * Argument: each call is between its start and its end or its abort, which nest; an error of a start is none of these.  The
 * rights are already the owner's at the start.  A function with settings alone is told of, too, and lends the rights that there are.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "guard/restrict/definers.h"
#include "guard/restrict/hidden.h"
#include "ledger/authority.h"

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
	static Admitted last = {InvalidOid};
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
dps_definers_init(void)
{
	previous_hook = fmgr_hook;
	fmgr_hook = note_call;
}

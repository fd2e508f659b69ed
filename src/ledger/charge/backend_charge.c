/*
 * backend_charge.c
 *		The backend's side of a charge, and the initialisation of the ledger.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "glue/citus.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "ledger/charge/charge_request.h"
#include "ledger/charge/launcher.h"
#include "ledger/ledger.h"
#include "ledger/charge/names.h"
#include "ledger/charge/slots.h"
#include "ledger/primary/primary_charge.h"

/* The nesting level of the (sub)transaction that has changed budgets, and that has changed rows with
 * accounts; 0 if none has. */
static int	budget_changed_level = 0;
static int	rows_changed_level = 0;

static void
note_change(int *level)
{
	if (*level == 0)
		*level = GetCurrentTransactionNestLevel();
}

void
dps_ledger_budget_changed(void)
{
	note_change(&budget_changed_level);
}

void
dps_ledger_rows_changed(void)
{
	note_change(&rows_changed_level);
}

static void
end_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
		budget_changed_level = rows_changed_level = 0;
}

/* A change that is rolled back does not count. */
static void
end_change(SubXactEvent event, int *changed_level)
{
	int			level = GetCurrentTransactionNestLevel();

	if (*changed_level < level)
		return;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		*changed_level = 0;
	else if (event == SUBXACT_EVENT_COMMIT_SUB)
		*changed_level = level - 1;
}

static void
end_subtransaction(SubXactEvent event, SubTransactionId mySubid, SubTransactionId parentSubid, void *arg)
{
	end_change(event, &budget_changed_level);
	end_change(event, &rows_changed_level);
}

void
dps_ledger_check_server(void)
{
	bool		asks_primary = RecoveryInProgress();

	if (asks_primary)
		dps_primary_check();
	dps_citus_refuse_worker();
	/* of a standby's charges its primary says whether they are kept */
	if (!asks_primary && !enableFsync && dps_setting_require_fsync)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("private answers are not given while \"fsync\" is off"),
				 errdetail("A crash would forget what was spent."),
				 errhint("Turn fsync on; for tests only, turn dpsens.require_fsync off.")));
	if (budget_changed_level > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a private answer needs budgets that are committed"),
				 errdetail("This transaction has changed one; costs are recorded in another, which does not see that."),
				 errhint("Commit first.")));
	if (rows_changed_level > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a private answer needs rows that are committed"),
				 errdetail("This transaction has changed some that have accounts of their own."),
				 errhint("Commit first.")));
}

/*
 * May somebody else than the asking role see why its statement is refused?  An error goes to whoever called a function that
 * asks as its definer, and to the definer of one that fetches from another's cursor.
 */
static bool
is_watched(Oid role)
{
	return InLocalUserIdChange() || GetUserId() != role;
}

/* What is left of a budget, and what it allows, is told to the role that asks: others see that it is refused. */
static void
raise_refusal(const DpsChargeAnswer *answer, bool watched)
{
	bool		hides = watched && answer->sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;

	ereport(ERROR,
			(errcode(answer->sqlerrcode),
			 errmsg_internal("%s", answer->message),
			 hides ? errdetail("Figures of budgets and limits are told to the asking role alone.") :
			 answer->detail[0] != '\0' ? errdetail_internal("%s", answer->detail) : 0,
			 !hides && answer->hint[0] != '\0' ? errhint("%s", answer->hint) : 0));
}

StringInfoData
dps_ledger_draft(const DpsCharge *charge)
{
	StringInfoData draft = {.maxlen = DPS_REQUEST_SIZE};
	DpsCharge	request = *charge;
	int			i;

	dps_ledger_check_server();
	for (i = 0; i < charge->nitems; i++)
	{
		if (!charge->of_statement || !dps_citus_can_add_up(charge->items[i].relation))
			dps_citus_refuse_source(charge->items[i].relation);
	}
	draft.data = palloc0(DPS_REQUEST_SIZE);
	request.is_watched = is_watched(charge->role);
	draft.len = dps_request_write(&request, draft.data);
	if (draft.len == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%d dp aggregates in one statement are too many to be charged together", charge->nitems),
				 errhint("Use several statements.")));
	return draft;
}

const DpsCharge *
dps_ledger_read_draft(const StringInfoData *draft)
{
	const DpsCharge *charge = dps_request_read(draft->data, draft->len);

	if (charge == NULL)
		elog(ERROR, "a draft of a charge cannot be read");
	return charge;
}

DpsDecision
dps_ledger_decide(const StringInfoData *draft)
{
	DpsChargeAnswer	answer;

	if (RecoveryInProgress())
		dps_primary_submit(draft->data, draft->len, &answer);
	else
		dps_slots_submit(draft->data, draft->len, &answer);
	if (answer.sqlerrcode != 0)
		raise_refusal(&answer, dps_ledger_read_draft(draft)->is_watched);
	return (DpsDecision) {answer.last_release, answer.end};
}

void
dps_ledger_settle(const DpsDecision *decision)
{
	if (decision->end != 0)
		XLogFlush(decision->end);
}

int64
dps_ledger_charge(const DpsCharge *charge)
{
	StringInfoData draft = dps_ledger_draft(charge);
	DpsDecision decision = dps_ledger_decide(&draft);

	pfree(draft.data);
	dps_ledger_settle(&decision);
	return decision.last_release;
}

void
dps_ledger_names_note(void)
{
	dps_names_note();
}

void
dps_ledger_names_changed(void)
{
	dps_names_changed();
}

void
dps_ledger_names_end(void)
{
	dps_names_keep();
}

void
dps_ledger_dismiss(Oid database)
{
	dps_slots_dismiss(database);
}

static shmem_request_hook_type previous_request;
static shmem_startup_hook_type previous_startup;

static void
request_memory(void)
{
	if (previous_request != NULL)
		previous_request();
	dps_slots_request();
}

static void
start_up(void)
{
	if (previous_startup != NULL)
		previous_startup();
	dps_slots_startup();
}

void
dps_ledger_init(void)
{
	previous_request = shmem_request_hook;
	shmem_request_hook = request_memory;
	previous_startup = shmem_startup_hook;
	shmem_startup_hook = start_up;
	dps_launcher_register();
	dps_names_init();
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}

/*
 * receipt.c
 *		The permission to release that a running statement holds.
 *
 * What is remembered as running is the execution, not its receipt: then it
 * does not matter whether a receipt is pushed before or after its execution is
 * entered, and an execution that was entered without one hides the receipts of
 * the statements around it.
 *
 * A receipt lives in its execution's memory and leaves the list when that is
 * freed.  A failed portal is never ended, and a later execution may get the
 * same address: it must not find the permission of the dead one.
 */
#include "postgres.h"

#include "access/xact.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "glue/glue.h"
#include "glue/receipt.h"
#include "glue/settings.h"

static DpsReceipt *receipts = NULL;
static void *running = NULL;

static DpsReceipt *
find_receipt(void *estate)
{
	DpsReceipt *receipt;

	if (estate == NULL)
		return NULL;
	for (receipt = receipts; receipt != NULL; receipt = receipt->below)
	{
		if (receipt->estate == estate)
			return receipt;
	}
	return NULL;
}

/* Unlinks a receipt if it is still linked, and wipes its random words. */
static void
forget_receipt(void *arg)
{
	DpsReceipt *receipt = arg;
	DpsReceipt **link;

	for (link = &receipts; *link != NULL; link = &(*link)->below)
	{
		if (*link == receipt)
		{
			*link = receipt->below;
			dps_random_clear(&receipt->random);
			return;
		}
	}
}

/* Forgets the receipts pushed at this nesting level or deeper. */
static void
forget_level(int nest_level)
{
	DpsReceipt *receipt = receipts;

	while (receipt != NULL)
	{
		DpsReceipt *below = receipt->below;

		if (receipt->nest_level >= nest_level)
			forget_receipt(receipt);
		receipt = below;
	}
}

static void
end_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
		case XACT_EVENT_PREPARE:
			forget_level(0);
			running = NULL;
			break;
		default:
			break;
	}
}

static void
end_subtransaction(SubXactEvent event, SubTransactionId mySubid,
				   SubTransactionId parentSubid, void *arg)
{
	int			nest_level = GetCurrentTransactionNestLevel();
	DpsReceipt *receipt;

	if (event == SUBXACT_EVENT_ABORT_SUB)
		forget_level(nest_level);
	else if (event == SUBXACT_EVENT_COMMIT_SUB)
	{
		/* what is still open now belongs to the parent */
		for (receipt = receipts; receipt != NULL; receipt = receipt->below)
			receipt->nest_level = Min(receipt->nest_level, nest_level - 1);
	}
}

DpsReceipt *
dps_receipt_current(void)
{
	return find_receipt(running);
}

DpsTerms
dps_present_terms(void)
{
	return (DpsTerms) {dps_setting_epsilon, dps_setting_selection(), dps_setting_delta, dps_setting_mechanism(), dps_setting_share_sets, *dps_setting_shares()};
}

DpsReceipt *
dps_receipt_push(void *estate, const DpsPermit *permits, int npermits)
{
	MemoryContext context = ((EState *) estate)->es_query_cxt;
	MemoryContext old_context = MemoryContextSwitchTo(context);
	DpsReceipt *receipt = palloc0(sizeof(DpsReceipt));
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	Assert(find_receipt(estate) == NULL);
	receipt->estate = estate;
	receipt->permits = palloc(npermits * sizeof(DpsPermit));
	memcpy(receipt->permits, permits, npermits * sizeof(DpsPermit));
	receipt->npermits = npermits;
	receipt->host = dps_server_host();
	dps_random_init(&receipt->random, &receipt->host);
	receipt->nest_level = GetCurrentTransactionNestLevel();

	callback->func = forget_receipt;
	callback->arg = receipt;
	MemoryContextRegisterResetCallback(context, callback);
	receipt->below = receipts;
	receipts = receipt;
	MemoryContextSwitchTo(old_context);
	return receipt;
}

void
dps_refuse_draw(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a private answer would be drawn more often than it was charged"),
			 errdetail("The statement evaluates the dp aggregate again for each row of another query."),
			 errhint("Compute the answers in a WITH query and join them.")));
}

void
dps_refuse_direct_call(const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("function %s.%s cannot be called directly", DPS_INTERNAL_SCHEMA, function),
			 errhint("Use the dp_* aggregates.")));
}

static DpsPermit *
find_permit(const DpsReceipt *receipt, const void *release, int64 draws)
{
	int			i;

	if (receipt->is_restricted && !receipt->is_shielded)
		elog(ERROR, "a private answer would be drawn by the settings of whoever asks");
	for (i = 0; i < receipt->npermits; i++)
	{
		if (receipt->permits[i].release == release && receipt->permits[i].draws >= draws)
			return &receipt->permits[i];
	}
	dps_refuse_draw();
	return NULL;				/* keep compiler quiet */
}

/* Noise that was not charged is not drawn, whoever has written into the permit. */
static const DpsNoisePlan *
charged_noise(const DpsPermit *permit)
{
	if (!dps_noise_plan_is(&permit->noise, permit->ncharged, permit->charged))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("a private answer would be drawn with noise that was not charged")));
	return &permit->noise;
}

const DpsNoisePlan *
dps_receipt_draw(DpsReceipt *receipt, const void *release)
{
	DpsPermit  *permit = find_permit(receipt, release, 1);

	permit->draws--;
	return charged_noise(permit);
}

const DpsNoisePlan *
dps_receipt_pass(DpsReceipt *receipt, const void *release, int64 number)
{
	DpsPermit  *permit = find_permit(receipt, release, number == 1);

	if (number == 1)
		permit->draws--;
	else if (number != permit->passed + 1)
		dps_refuse_draw();
	permit->passed = number;
	return charged_noise(permit);
}

void
dps_receipt_grant(DpsReceipt *receipt, int32 selection)
{
	int			i;

	for (i = 0; i < receipt->npermits; i++)
	{
		if (receipt->permits[i].selection == selection)
			receipt->permits[i].draws++;
	}
}

void
dps_receipt_drop(void *estate)
{
	DpsReceipt *receipt = find_receipt(estate);

	if (receipt != NULL)
		forget_receipt(receipt);
}

void *
dps_receipt_enter(void *estate)
{
	void	   *previous = running;

	running = estate;
	return previous;
}

void
dps_receipt_leave(void *previous)
{
	running = previous;
}

void
dps_receipt_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}

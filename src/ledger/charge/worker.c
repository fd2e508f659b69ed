/*
 * worker.c
 *		The process that writes the ledger of one database.
 *
 * Requests that arrive while a commit is flushed wait for the next batch and share its commit.  If all
 * clients of a batch settle their charges themselves (ledger.h), the worker leaves the flush to them; but
 * never if synchronous standbys must be waited for, since a session's wait for them is cancelled too
 * easily.  The worker ignores settings of the database or the client about durability.  It waits for locks
 * only a short time, since a client that holds one may be waiting for this worker.  It exits when it has
 * been idle for a while, since its connection blocks DROP DATABASE.
 *
 * What it has written it seals (journal/seal.c) when nobody waits for it: after it has been idle for a moment,
 * or a second after the last time, between two batches, so that sealing costs a charge next to nothing.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "glue/compat.h"
#include "glue/settings.h"
#include "ledger/charge/accounts.h"
#include "ledger/charge/book.h"
#include "ledger/keep.h"
#include "ledger/charge/slots.h"
#include "ledger/charge/worker.h"

#define BATCH_MAX 256

/* When to seal, in milliseconds. */
#define SEAL_IDLE 200
#define SEAL_BUSY 1000

/* Settings that must hold in this process, whatever is configured. */
static void
force_settings(void)
{
	static const char *const settings[][2] = {
		{"synchronous_commit", "on"},
		{"lock_timeout", "1000"},
		DPS_NO_TIMEOUTS,
		{"default_transaction_read_only", "off"},
		{"default_transaction_isolation", "read committed"},
		{"session_replication_role", "origin"},
		{"row_security", "on"},
		{"search_path", "pg_catalog"},
		{"client_min_messages", "warning"},
		{"application_name", "dpsens ledger"},
	};
	Size		i;

	for (i = 0; i < lengthof(settings); i++)
		SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

static bool
waits_for_standbys(void)
{
	return SyncRepRequested() && SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0';
}

/* Are these charges flushed by the processes that asked for them?  Who is refused flushes nothing. */
static bool
all_settle(DpsCharge **requests, const DpsChargeAnswer *answers, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (!requests[i]->settles || answers[i].sqlerrcode != 0)
			return false;
	}
	return !waits_for_standbys();
}

static void
commit(DpsCharge **requests, DpsChargeAnswer *answers, int n)
{
	bool		settle;
	int			i;

	/* a failed commit may have left the setting changed */
	synchronous_commit = SYNCHRONOUS_COMMIT_ON;
	settle = all_settle(requests, answers, n);
	if (settle)
		synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
	CommitTransactionCommand();
	synchronous_commit = SYNCHRONOUS_COMMIT_ON;
	for (i = 0; i < n; i++)
		answers[i].end = settle ? XactLastCommitEnd : 0;
}

/* Has this worker committed anything to a ledger of this database? */
static bool has_recorded = false;

/* Ends a transaction that has failed; the error is in the server's log then. */
static void
abandon(MemoryContext context)
{
	HOLD_INTERRUPTS();
	dps_accounts_forget();
	MemoryContextSwitchTo(context);
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	RESUME_INTERRUPTS();
}

/* Records requests in one transaction.  Returns 0, or the error code if it failed; then the answers are
 * not set, and the error is in the server's log. */
static int
record(DpsCharge **requests, DpsChargeAnswer *answers, int n)
{
	MemoryContext context = CurrentMemoryContext;
	volatile int failure = 0;

	PG_TRY();
	{
		bool		opened;

		StartTransactionCommand();
		PushActiveSnapshot(GetTransactionSnapshot());
		opened = dps_book_record(requests, answers, n, !has_recorded);
		PopActiveSnapshot();
		commit(requests, answers, n);
		has_recorded |= opened;
	}
	PG_CATCH();
	{
		failure = geterrcode();
		abandon(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return failure;
}

static void
refuse_failed(int failure, DpsChargeAnswer *answer)
{
	if (failure == ERRCODE_LOCK_NOT_AVAILABLE)
		dps_charge_answer_refuse(answer, ERRCODE_LOCK_NOT_AVAILABLE, "the privacy ledger is locked",
						  "Another session holds a lock on its tables.", "Try again when that session is done.");
	else
		dps_charge_answer_refuse(answer, ERRCODE_INTERNAL_ERROR, "the privacy ledger could not record the charge",
						  NULL, "Look into the server's log.");
}

/* Is it unknown whether standbys have the commit?  A worker that is told to exit does not wait for them,
 * so the commit is durable here and possibly not there. */
static bool
is_doubtful(void)
{
	return ShutdownRequestPending && waits_for_standbys();
}

/*
 * Serves a batch.  If its requests cannot be recorded together, they are recorded one by one, so that a
 * request that cannot be recorded is the only one refused.  A single one is tried once more, too, since
 * remembered data may have been the reason, and is dropped by a failure.  A lock is an exception: it stops
 * all of them, and each would wait for it again.
 */
static void
serve(int n, const int *slots, DpsCharge **requests)
{
	DpsChargeAnswer  *answers = palloc0(n * sizeof(DpsChargeAnswer));
	int			failure = record(requests, answers, n);
	bool		again = failure != 0 && failure != ERRCODE_LOCK_NOT_AVAILABLE;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (again)
			failure = record(&requests[i], &answers[i], 1);
		if (failure == 0 && is_doubtful())
			dps_charge_answer_stopped(&answers[i]);
		else if (failure != 0)
			refuse_failed(failure, &answers[i]);
		dps_slots_answer(slots[i], &answers[i]);
	}
}

static int
serve_pending(Oid database, MemoryContext context)
{
	int			slots[BATCH_MAX];
	DpsCharge  *requests[BATCH_MAX];
	int			n;

	MemoryContextSwitchTo(context);
	n = dps_slots_take(database, BATCH_MAX, slots, requests);
	if (n > 0)
		serve(n, slots, requests);
	MemoryContextSwitchTo(TopMemoryContext);
	MemoryContextReset(context);
	return n;
}

/* May there be something to seal?  A worker that begins does not know. */
static bool is_unsealed = true;
static TimestampTz last_seal = 0;

/* If it fails, the error is in the server's log, and the next charge leads to another attempt. */
static void
seal(MemoryContext context)
{
	PG_TRY();
	{
		StartTransactionCommand();
		PushActiveSnapshot(GetTransactionSnapshot());
		is_unsealed = dps_book_seal();
		PopActiveSnapshot();
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		is_unsealed = false;
		abandon(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(TopMemoryContext);
	MemoryContextReset(context);
	last_seal = GetCurrentTimestamp();
}

static void
work(Oid database)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "dpsens ledger requests",
												  ALLOCSET_DEFAULT_SIZES);

	for (;;)
	{
		int			events;

		ResetLatch(MyLatch);
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		CHECK_FOR_INTERRUPTS();
		if (ShutdownRequestPending)
			return;
		if (serve_pending(database, context) > 0)
		{
			is_unsealed = true;
			if (TimestampDifferenceExceeds(last_seal, GetCurrentTimestamp(), SEAL_BUSY))
				seal(context);
			continue;
		}
		pgstat_report_stat(true);
		pgstat_report_activity(STATE_IDLE, NULL);
		events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						   is_unsealed ? Min(SEAL_IDLE, dps_setting_ledger_idle_timeout) : dps_setting_ledger_idle_timeout, PG_WAIT_EXTENSION);
		if ((events & WL_TIMEOUT) && is_unsealed)
			seal(context);
		else if ((events & WL_TIMEOUT) && dps_slots_leave_worker(database))
			return;
		pgstat_report_activity(STATE_RUNNING, "recording charges");
	}
}

/*
 * lock_timeout arrives as a SIGINT that the process sends to itself.  Any other SIGINT is ignored: a
 * cancelled wait for a standby would count as durable.
 */
static void
handle_interrupt(SIGNAL_ARGS)
{
	int			saved_errno = errno;

	if (get_timeout_indicator(LOCK_TIMEOUT, false))
	{
		InterruptPending = true;
		QueryCancelPending = true;
		SetLatch(MyLatch);
	}
	errno = saved_errno;
}

/*
 * Between batches the worker exits by itself.  ProcDiePending ends the wait of a commit for a standby that
 * does not answer.  No interrupt is made pending, so nothing else ends early.
 */
static void
handle_shutdown(SIGNAL_ARGS)
{
	SignalHandlerForShutdownRequest(postgres_signal_arg);
	ProcDiePending = true;
}

void
dps_ledger_worker_main(Datum arg)
{
	Oid			database = DatumGetObjectId(arg);
	uint64		start;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, handle_shutdown);
	pqsignal(SIGINT, handle_interrupt);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	force_settings();
	dps_ledger_be_worker();
	memcpy(&start, MyBgworkerEntry->bgw_extra, sizeof(start));
	if (dps_slots_enter_worker(database, start))
		work(database);
	proc_exit(0);
}

/*
 * launcher.c
 *		The process that starts one ledger worker per database on demand.
 *
 * It is connected to no database: a connection is permanent and would block DROP DATABASE.  It keeps the
 * workers that it has started until they have entered (slots.h), because a worker that fails before that cannot
 * answer its requests.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "glue/background.h"
#include "glue/compat.h"
#include "ledger/charge/launcher.h"
#include "ledger/charge/slots.h"

#define RESTART_SECONDS 1

/* The interval between attempts to start a worker while process slots are short, and the time in which the
 * slot of a process that was asked to leave becomes free. */
#define RETRY_MILLISECONDS 10
#define LEAVE_MILLISECONDS 1000

/* A worker that was started, until the launcher knows that it has ended. */
typedef struct Started
{
	Oid			database;
	uint64		start;
	BackgroundWorkerHandle *handle;
} Started;

/* A database can have a worker that ends and another one that begins. */
#define STARTED_MAX (2 * DPS_LEDGER_DATABASES)
static Started started[STARTED_MAX];
static int	nstarted = 0;

void
dps_launcher_register(void)
{
	BackgroundWorker worker;

	memset(&worker, 0, sizeof(worker));
	strcpy(worker.bgw_name, "dpsens ledger launcher");
	strcpy(worker.bgw_type, "dpsens ledger launcher");
	strcpy(worker.bgw_library_name, "dpsens");
	strcpy(worker.bgw_function_name, "dps_launcher_main");
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	/* a standby has no ledger: nothing can be charged there */
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = RESTART_SECONDS;
	RegisterBackgroundWorker(&worker);
	dps_lets_processes_go(dps_slots_dismiss_idle);
}

static bool
start_worker(Oid database, uint64 start, BackgroundWorkerHandle **handle)
{
	return dps_start_process("dpsens ledger", "dps_ledger_worker_main", database, BgWorkerStart_RecoveryFinished,
							 &start, sizeof(start), handle);
}

static void
fail(Oid database, uint64 start, int sqlerrcode, const char *detail, const char *hint)
{
	DpsChargeAnswer	answer;

	dps_charge_answer_refuse(&answer, sqlerrcode, "the privacy ledger could not be started", detail, hint);
	dps_slots_fail_database(database, start, &answer);
}

/* Asks an idle process to leave.  Is a process slot about to become free? */
static bool
make_room(void)
{
	static TimestampTz asked = 0;

	if (dps_let_process_go())
		asked = GetCurrentTimestamp();
	return asked != 0 && !TimestampDifferenceExceeds(asked, GetCurrentTimestamp(), LEAVE_MILLISECONDS);
}

/* Returns whether a worker has to be started later. */
static bool
start_wanted_workers(void)
{
	Oid			database;
	uint64		start;

	while (nstarted < STARTED_MAX &&
		   OidIsValid(database = dps_slots_next_database(&start)))
	{
		BackgroundWorkerHandle *handle;

		if (start_worker(database, start, &handle))
			started[nstarted++] = (Started) {database, start, handle};
		else if (make_room())
		{
			dps_slots_postpone(database, start);
			return true;
		}
		else
			fail(database, start, ERRCODE_INSUFFICIENT_RESOURCES,
				 "No slot for a background worker is free.", "Raise max_worker_processes, which needs a restart.");
	}
	return false;
}

/* Removes workers that have ended.  If one ended before it entered, answers its requests. */
static void
forget_ended_workers(void)
{
	int			i = 0;

	while (i < nstarted)
	{
		pid_t		pid;

		if (GetBackgroundWorkerPid(started[i].handle, &pid) != BGWH_STOPPED)
		{
			i++;
			continue;
		}
		fail(started[i].database, started[i].start, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
			 "Its worker ended before it came to work.", "Look into the server's log.");
		pfree(started[i].handle);
		started[i] = started[--nstarted];
	}
}

/* Answers the requests for workers that an earlier launcher started, since this one has no handle of them. */
static void
fail_orphans(void)
{
	Oid			databases[DPS_LEDGER_DATABASES];
	uint64		starts[DPS_LEDGER_DATABASES];
	int			n = dps_slots_starting(databases, starts);
	int			i;

	for (i = 0; i < n; i++)
		fail(databases[i], starts[i], ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
			 "Its launcher was restarted.", "Try again.");
}

void
dps_launcher_main(Datum arg)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();
	/* without a database: only to be visible in pg_stat_activity */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	MemoryContextSwitchTo(TopMemoryContext);
	dps_slots_enter_launcher();
	fail_orphans();
	while (!ShutdownRequestPending)
	{
		bool		retry;

		ResetLatch(MyLatch);
		dps_process_main_loop_interrupts();
		forget_ended_workers();
		retry = start_wanted_workers();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (retry ? WL_TIMEOUT : 0),
						 RETRY_MILLISECONDS, PG_WAIT_EXTENSION);
	}
	/* exit code 0 would mean that it must not be restarted */
	proc_exit(1);
}

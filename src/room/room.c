/*
 * room.c
 *		The process of a clean room.
 *
 * It connects to one database, serves visits, and exits after some idle time, since its
 * connection blocks DROP DATABASE.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/lwlock.h"
#include "tcop/tcopprot.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"

#include "glue/compat.h"
#include "glue/settings.h"
#include "room/room.h"

static const DpsRoomWork *work = NULL;

/* The visit that is served now. */
static DpsVisitNumber current;
static volatile sig_atomic_t serves = false;
static const DpsVisit *served = NULL;

/* The lock that the room did not get. */
static DpsLock wanted;
static bool is_blocked = false;

/* Settings that must hold in this process, whatever is configured. */
static void
force_settings(void)
{
	static const char *const settings[][2] = {
		DPS_NO_TIMEOUTS,
		{"session_replication_role", "origin"},
		{"row_security", "on"},
		{"search_path", "pg_catalog"},
		{"client_min_messages", "warning"},
		{"application_name", "dpsens clean room"},
	};
	Size		i;

	for (i = 0; i < lengthof(settings); i++)
		SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

/* A late cancel is meant for a visit that has ended, and is ignored. */
static void
handle_cancel(SIGNAL_ARGS)
{
	int			saved_errno = errno;

	if ((serves && dps_pool_is_given_up(&current)) || get_timeout_indicator(LOCK_TIMEOUT, false))
	{
		InterruptPending = true;
		QueryCancelPending = true;
		SetLatch(MyLatch);
	}
	errno = saved_errno;
}

bool
dps_room_is_given_up(void)
{
	return serves && dps_pool_is_given_up(&current);
}

/* ---- a visit ---- */

/* Takes or releases the advisory lock of the visit.  An error also releases it. */
static void
hold_lock(bool holds)
{
	LOCKTAG		tag = dps_pool_lock(&current);

	if (holds)
		(void) LockAcquire(&tag, ExclusiveLock, false, false);
	else
		(void) LockRelease(&tag, ExclusiveLock, false);
}

/* Waits while the asking session waits for the lock of hold_lock. */
static void
wait_for_lock(const DpsLock *lock)
{
	hold_lock(true);
	dps_pool_wait_for_lock(true);
	PG_TRY();
	{
		(void) LockAcquire(&lock->tag, lock->mode, false, false);
	}
	PG_FINALLY();
	{
		dps_pool_wait_for_lock(false);
		hold_lock(false);
	}
	PG_END_TRY();
}

void
dps_room_lock(const DpsLock *lock)
{
	if (LockAcquire(&lock->tag, lock->mode, false, true) == LOCKACQUIRE_NOT_AVAIL)
	{
		if (!dps_visit_asker_holds(served, lock))
		{
			wanted = *lock;
			is_blocked = true;
			elog(ERROR, "a clean room is in want of a lock");
		}
		wait_for_lock(lock);
	}
	AcceptInvalidationMessages();
}

static void
begin_transaction(const DpsVisit *visit)
{
	XactIsoLevel = XACT_REPEATABLE_READ;
	XactReadOnly = true;
	PushActiveSnapshot(dps_visit_restore_snapshot(visit));
}

static void *
prepare(DpsVisit *visit)
{
	StringInfoData request = dps_visit_request(visit);

	begin_transaction(visit);
	return work->prepare(&request);
}

static void
refuse_given_up(void)
{
	ereport(ERROR, (errcode(ERRCODE_QUERY_CANCELED), errmsg("the statement of a clean room was given up")));
}

static void
take_rows(DpsVisit *visit)
{
	StringInfoData row;
	DpsRoomMessage kind;

	while ((kind = dps_visit_receive(visit, &row)) == DPS_ROOM_ROW)
		work->take_row(&row);
	if (kind != DPS_ROOM_GO)
		refuse_given_up();
}

static void
charge(void *prepared, DpsVisit *visit)
{
	StringInfoData decision;

	(void) dps_visit_send(visit, DPS_ROOM_READY, NULL);
	if (dps_visit_brings(visit))
		take_rows(visit);
	initStringInfo(&decision);
	/* a session that is known to have gone pays nothing */
	CHECK_FOR_INTERRUPTS();
	if (dps_pool_is_given_up(&current))
		refuse_given_up();
	work->charge(prepared, &decision);
	(void) dps_visit_send(visit, DPS_ROOM_CHARGED, &decision);
}

/*
 * Counts a failure that may depend on rows, before the asking session learns of it.
 * The transaction has failed, but the count needs none.  LWLocks that the error has
 * left held are released first: the ledger's worker may need them.
 */
static void
count_failure(void *prepared, MemoryContext context)
{
	LWLockReleaseAll();
	PG_TRY();
	{
		work->count_failure(prepared);
	}
	PG_CATCH();
	{
		/* while there is no ledger, nothing is charged either */
		MemoryContextSwitchTo(context);
		EmitErrorReport();
		FlushErrorState();
	}
	PG_END_TRY();
}

/* Tells the asking session, if it is still there, what it may know of an error. */
static void
report(DpsVisit *visit, void *charged, MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	if (!dps_pool_is_given_up(&current) && (charged != NULL || visit == NULL))
		EmitErrorReport();
	FlushErrorState();
	if (visit == NULL || dps_pool_is_given_up(&current))
		return;
	if (charged != NULL)
	{
		count_failure(charged, context);
		(void) dps_visit_send(visit, DPS_ROOM_FAILED, NULL);
	}
	else if (is_blocked)
		(void) dps_visit_send(visit, DPS_ROOM_BLOCKED, &(StringInfoData) {.data = (char *) &wanted, .len = sizeof(wanted)});
	else
		dps_visit_refuse(visit, error);
}

/* The work may have made a block of the transaction, of which a first command is only the beginning. */
static void
end_transaction(void)
{
	CommitTransactionCommand();
	if (!IsTransactionBlock())
		return;
	StartTransactionCommand();
	(void) EndTransactionBlock(false);
	CommitTransactionCommand();
}

static void
serve(dsm_handle request)
{
	DpsVisit   *volatile visit = NULL;
	void	   *volatile charged = NULL;
	MemoryContext context;

	is_blocked = false;
	/* now and today in expressions of rows mean this time */
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	context = CurrentMemoryContext;
	PG_TRY();
	{
		void	   *prepared;

		visit = dps_pool_is_given_up(&current) ? NULL : dps_visit_join(request);
		if (visit != NULL)
		{
			dps_pool_come(&current);
			/* a signal that came before serves was set had no effect */
			if (dps_pool_is_given_up(&current))
				refuse_given_up();
			served = visit;
			prepared = prepare(visit);
			charge(prepared, visit);
			charged = prepared;
			work->carry_out(prepared, visit);
			(void) dps_visit_send(visit, DPS_ROOM_END, NULL);
			dps_visit_close(visit);
			visit = NULL;
			PopActiveSnapshot();
		}
		end_transaction();
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		QueryCancelPending = false;
		report(visit, charged, context);
		AbortCurrentTransaction();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	served = NULL;
}

/* Functions of a relation's definition, which run when a query is planned, may set
 * settings and take locks that outlive the transaction.  Resetting restores the forced
 * settings. */
static void
forget_visit(void)
{
	LockReleaseAll(USER_LOCKMETHOD, true);
	ResetAllOptions();
}

static void
serve_all(void)
{
	dsm_handle	request;
	int			visits;

	for (visits = 1; dps_pool_next(&current, &request); visits++)
	{
		pgstat_report_activity(STATE_RUNNING, "private answers");
		serves = true;
		serve(request);
		serves = false;
		QueryCancelPending = false;
		MemoryContextSwitchTo(TopMemoryContext);
		forget_visit();
		pgstat_report_stat(true);
		pgstat_report_activity(STATE_IDLE, NULL);
		dps_pool_finish(visits >= dps_setting_clean_room_visits);
	}
}

void
dps_room_main(Datum arg)
{
	int			room;
	uint64		start;

	memcpy(&room, MyBgworkerEntry->bgw_extra, sizeof(room));
	memcpy(&start, MyBgworkerEntry->bgw_extra + sizeof(room), sizeof(start));
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, handle_cancel);
	BackgroundWorkerUnblockSignals();
	if (!dps_pool_enter(room, start))
		proc_exit(0);
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(arg), InvalidOid, 0);
	force_settings();
	MemoryContextSwitchTo(TopMemoryContext);
	serve_all();
	proc_exit(0);
}

void
dps_room_init(const DpsRoomWork *of_guard)
{
	work = of_guard;
	dps_pool_init();
}

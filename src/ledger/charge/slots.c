/*
 * slots.c
 *		The shared memory between backends that charge, the launcher and the
 *		workers.
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "glue/compat.h"
#include "glue/settings.h"
#include "ledger/charge/slots.h"

#define TRANCHE "dpsens_ledger"

/* The time in which a launcher must start, or restart (launcher.c). */
#define LAUNCHER_MILLISECONDS 3000

typedef enum SlotState
{
	SLOT_FREE,
	SLOT_PENDING,
	SLOT_TAKEN,
	SLOT_ANSWERED,
	SLOT_ABANDONED
} SlotState;

typedef struct Slot
{
	SlotState	state;
	Oid			database;
	Latch	   *latch;			/* latch of the waiting backend */
	DpsChargeAnswer	answer;
	Size		length;
	char		request[DPS_REQUEST_SIZE];
} Slot;

typedef struct Worker
{
	Oid			database;		/* InvalidOid: the entry is free */
	uint64		start;			/* the number of the start that created the entry */
	pid_t		pid;			/* 0: being started */
	Latch	   *latch;
} Worker;

typedef struct Shared
{
	LWLock	   *lock;
	Latch	   *launcher;		/* NULL: there is none */
	ConditionVariable slot_freed;
	ConditionVariable worker_left;
	ConditionVariable launcher_came;
	uint64		starts;
	Worker		workers[DPS_LEDGER_DATABASES];
	int			nslots;
	Slot		slots[FLEXIBLE_ARRAY_MEMBER];
} Shared;

static Shared *shared = NULL;

static Size
slots_size(void)
{
	return add_size(offsetof(Shared, slots), mul_size(dps_setting_ledger_slots, sizeof(Slot)));
}

void
dps_slots_request(void)
{
	RequestAddinShmemSpace(slots_size());
	RequestNamedLWLockTranche(TRANCHE, 1);
}

void
dps_slots_startup(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct(TRANCHE, slots_size(), &found);
	if (!found)
	{
		memset(shared, 0, slots_size());
		shared->lock = &GetNamedLWLockTranche(TRANCHE)->lock;
		shared->nslots = dps_setting_ledger_slots;
		ConditionVariableInit(&shared->slot_freed);
		ConditionVariableInit(&shared->worker_left);
		ConditionVariableInit(&shared->launcher_came);
	}
	LWLockRelease(AddinShmemInitLock);
}

static uint32
wait_event(void)
{
	return dps_wait_event(TRANCHE, shared->lock->tranche);
}

static Worker *
find_worker(Oid database)
{
	int			i;

	for (i = 0; i < DPS_LEDGER_DATABASES; i++)
	{
		if (shared->workers[i].database == database)
			return &shared->workers[i];
	}
	return NULL;
}

static bool
has_pending(Oid database)
{
	int			i;

	for (i = 0; i < shared->nslots; i++)
	{
		if (shared->slots[i].state == SLOT_PENDING && shared->slots[i].database == database)
			return true;
	}
	return false;
}

/* ---- backends ---- */

/* Puts the request into the first free slot; false if there is none.  Wakes the worker, or the launcher. */
static bool
put_request(const char *request, Size length, Slot **taken)
{
	Worker	   *worker;
	Slot	   *slot = NULL;
	Latch	   *wake;
	int			i;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (i = 0; i < shared->nslots && slot == NULL; i++)
	{
		if (shared->slots[i].state == SLOT_FREE)
			slot = &shared->slots[i];
	}
	if (slot != NULL)
	{
		memcpy(slot->request, request, length);
		slot->length = length;
		slot->database = MyDatabaseId;
		slot->latch = MyLatch;
		slot->state = SLOT_PENDING;
		*taken = slot;
	}
	worker = find_worker(MyDatabaseId);
	wake = worker == NULL ? shared->launcher : worker->latch;
	LWLockRelease(shared->lock);
	if (slot != NULL && wake != NULL)
		SetLatch(wake);
	return slot != NULL;
}

/* Gives up a slot in any state. */
static void
give_up(int code, Datum arg)
{
	Slot	   *slot = (Slot *) DatumGetPointer(arg);

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot->latch = NULL;
	slot->state = slot->state == SLOT_TAKEN ? SLOT_ABANDONED : SLOT_FREE;
	LWLockRelease(shared->lock);
	ConditionVariableSignal(&shared->slot_freed);
}

/* Milliseconds until the deadline, 0 if it has passed. */
static long
remaining(TimestampTz deadline)
{
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);
}

/* Is there a launcher, or a worker that has entered and so needs no launcher? */
static bool
is_running(void)
{
	Worker	   *worker;
	bool		running;

	LWLockAcquire(shared->lock, LW_SHARED);
	worker = find_worker(MyDatabaseId);
	running = shared->launcher != NULL || (worker != NULL && worker->pid != 0);
	LWLockRelease(shared->lock);
	return running;
}

/* Waits for the launcher.  A server accepts connections before it starts its launcher, and a launcher that
 * was stopped is restarted after a while. */
static void
await_launcher(TimestampTz deadline)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), LAUNCHER_MILLISECONDS);

	end = Min(end, deadline);
	while (!is_running())
	{
		if (remaining(end) <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the privacy ledger is not running"),
					 errdetail("Its launcher has not started yet, or was stopped."),
					 errhint("Try again in a moment, or look into the server's log.")));
		(void) ConditionVariableTimedSleep(&shared->launcher_came, remaining(end), wait_event());
	}
	ConditionVariableCancelSleep();
}

static void
refuse_timeout(const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the privacy ledger did not answer within %d ms", dps_setting_ledger_timeout),
			 errdetail("%s", detail),
			 errhint("%s", hint)));
}

static Slot *
acquire_slot(const char *request, Size length, TimestampTz deadline)
{
	Slot	   *slot = NULL;

	while (!put_request(request, length, &slot))
	{
		if (remaining(deadline) <= 0)
			refuse_timeout("All of its slots are in use.",
						   "Raise dpsens.ledger_slots, which needs a restart.");
		(void) ConditionVariableTimedSleep(&shared->slot_freed, remaining(deadline), wait_event());
	}
	ConditionVariableCancelSleep();
	return slot;
}

static bool
is_answered(Slot *slot, DpsChargeAnswer *answer)
{
	bool		answered;

	LWLockAcquire(shared->lock, LW_SHARED);
	answered = slot->state == SLOT_ANSWERED;
	if (answered)
		memcpy(answer, &slot->answer, sizeof(DpsChargeAnswer));
	LWLockRelease(shared->lock);
	return answered;
}

static void
wait_until_answered(Slot *slot, TimestampTz deadline, DpsChargeAnswer *answer)
{
	while (!is_answered(slot, answer))
	{
		long		timeout = remaining(deadline);

		if (timeout <= 0)
			refuse_timeout("The request may have been charged nevertheless.",
						   "Look into the server's log, or raise dpsens.ledger_timeout.");
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 timeout, wait_event());
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
await_answer(Slot *slot, TimestampTz deadline, DpsChargeAnswer *answer)
{
	PG_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(slot));
	{
		wait_until_answered(slot, deadline, answer);
	}
	PG_END_ENSURE_ERROR_CLEANUP(give_up, PointerGetDatum(slot));
	give_up(0, PointerGetDatum(slot));
}

void
dps_slots_submit(const char *request, Size length, DpsChargeAnswer *answer)
{
	TimestampTz deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), dps_setting_ledger_timeout);

	/* a library that a session has loaded by itself has no shared memory */
	if (shared == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no privacy ledger in this server"),
				 errdetail("\"dpsens\" is not in shared_preload_libraries."),
				 errhint("Add it, and restart the server.")));
	await_launcher(deadline);
	await_answer(acquire_slot(request, length, deadline), deadline, answer);
}

void
dps_slots_dismiss(Oid database)
{
	TimestampTz deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), 1000);

	if (shared == NULL)
		return;
	ConditionVariablePrepareToSleep(&shared->worker_left);
	for (;;)
	{
		Worker	   *worker;

		/* a worker with an entry has not exited, so its pid has not been reused */
		LWLockAcquire(shared->lock, LW_SHARED);
		worker = find_worker(database);
		if (worker != NULL && worker->pid != 0)
			kill(worker->pid, SIGTERM);
		LWLockRelease(shared->lock);
		if (worker == NULL || remaining(deadline) <= 0)
			break;
		(void) ConditionVariableTimedSleep(&shared->worker_left, 100, wait_event());
	}
	ConditionVariableCancelSleep();
}

/* ---- launcher ---- */

static void
leave_launcher(int code, Datum arg)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	shared->launcher = NULL;
	LWLockRelease(shared->lock);
}

void
dps_slots_enter_launcher(void)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	shared->launcher = MyLatch;
	LWLockRelease(shared->lock);
	before_shmem_exit(leave_launcher, (Datum) 0);
	ConditionVariableBroadcast(&shared->launcher_came);
}

Oid
dps_slots_next_database(uint64 *start)
{
	Oid			database = InvalidOid;
	Worker	   *entry;
	int			i;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	entry = find_worker(InvalidOid);
	for (i = 0; entry != NULL && i < shared->nslots; i++)
	{
		Slot	   *slot = &shared->slots[i];

		if (slot->state != SLOT_PENDING || find_worker(slot->database) != NULL)
			continue;
		database = slot->database;
		*start = ++shared->starts;
		*entry = (Worker) {.database = database, .start = *start};
		break;
	}
	LWLockRelease(shared->lock);
	return database;
}

/* Answers a slot; the lock is held.  Returns the latch to be set. */
static Latch *
answer_slot(Slot *slot, const DpsChargeAnswer *answer)
{
	Latch	   *latch = slot->latch;

	if (slot->state == SLOT_ABANDONED)
	{
		slot->state = SLOT_FREE;
		return NULL;
	}
	memcpy(&slot->answer, answer, sizeof(DpsChargeAnswer));
	slot->state = SLOT_ANSWERED;
	return latch;
}

/* Answers the requests of a database, pending ones only if asked.  The lock is held; setting a latch takes
 * little time. */
static void
fail_requests(Oid database, const DpsChargeAnswer *answer, bool pending)
{
	int			i;

	for (i = 0; i < shared->nslots; i++)
	{
		Slot	   *slot = &shared->slots[i];
		Latch	   *latch;

		if (slot->database != database || slot->state == SLOT_FREE || slot->state == SLOT_ANSWERED ||
			(slot->state == SLOT_PENDING && !pending))
			continue;
		latch = answer_slot(slot, answer);
		if (latch != NULL)
			SetLatch(latch);
	}
}

void
dps_slots_fail_database(Oid database, uint64 start, const DpsChargeAnswer *answer)
{
	Worker	   *worker;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	worker = find_worker(database);
	/* a worker that has entered removes its entry itself; it may have exited, and its successor be
	 * starting */
	if (worker != NULL && worker->pid == 0 && worker->start == start)
	{
		worker->database = InvalidOid;
		fail_requests(database, answer, true);
	}
	LWLockRelease(shared->lock);
	ConditionVariableBroadcast(&shared->worker_left);
	ConditionVariableBroadcast(&shared->slot_freed);
}

void
dps_slots_postpone(Oid database, uint64 start)
{
	Worker	   *worker;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	worker = find_worker(database);
	if (worker != NULL && worker->pid == 0 && worker->start == start)
		worker->database = InvalidOid;
	LWLockRelease(shared->lock);
}

static bool
is_idle(const Worker *worker)
{
	int			i;

	if (!OidIsValid(worker->database) || worker->pid == 0)
		return false;
	for (i = 0; i < shared->nslots; i++)
	{
		const Slot *slot = &shared->slots[i];

		if (slot->database == worker->database && slot->state != SLOT_FREE && slot->state != SLOT_ANSWERED)
			return false;
	}
	return true;
}

bool
dps_slots_dismiss_idle(void)
{
	bool		found = false;
	int			i;

	LWLockAcquire(shared->lock, LW_SHARED);
	for (i = 0; i < DPS_LEDGER_DATABASES && !found; i++)
	{
		found = is_idle(&shared->workers[i]);
		if (found)
			kill(shared->workers[i].pid, SIGTERM);
	}
	LWLockRelease(shared->lock);
	return found;
}

int
dps_slots_starting(Oid databases[DPS_LEDGER_DATABASES], uint64 starts[DPS_LEDGER_DATABASES])
{
	int			n = 0;
	int			i;

	LWLockAcquire(shared->lock, LW_SHARED);
	for (i = 0; i < DPS_LEDGER_DATABASES; i++)
	{
		if (OidIsValid(shared->workers[i].database) && shared->workers[i].pid == 0)
		{
			databases[n] = shared->workers[i].database;
			starts[n++] = shared->workers[i].start;
		}
	}
	LWLockRelease(shared->lock);
	return n;
}

/* ---- workers ---- */

/*
 * A worker that exits while it holds requests does not know whether they were charged.  Requests that it
 * has not taken remain for its successor.
 */
static void
exit_worker(int code, Datum arg)
{
	Oid			database = DatumGetObjectId(arg);
	Worker	   *worker;
	DpsChargeAnswer	answer;
	Latch	   *launcher;

	dps_charge_answer_stopped(&answer);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	worker = find_worker(database);
	if (worker != NULL && worker->pid == MyProcPid)
	{
		fail_requests(database, &answer, false);
		worker->database = InvalidOid;
	}
	launcher = has_pending(database) ? shared->launcher : NULL;
	LWLockRelease(shared->lock);
	if (launcher != NULL)
		SetLatch(launcher);
	ConditionVariableBroadcast(&shared->worker_left);
	ConditionVariableBroadcast(&shared->slot_freed);
}

bool
dps_slots_enter_worker(Oid database, uint64 start)
{
	Worker	   *worker;
	bool		entered;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	worker = find_worker(database);
	entered = worker != NULL && worker->pid == 0 && worker->start == start;
	if (entered)
	{
		worker->pid = MyProcPid;
		worker->latch = MyLatch;
	}
	LWLockRelease(shared->lock);
	if (entered)
		before_shmem_exit(exit_worker, ObjectIdGetDatum(database));
	return entered;
}

int
dps_slots_take(Oid database, int max, int *slots, DpsCharge **requests)
{
	int			n = 0;
	int			i;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (i = 0; i < shared->nslots && n < max; i++)
	{
		Slot	   *slot = &shared->slots[i];

		if (slot->state != SLOT_PENDING || slot->database != database)
			continue;
		slot->state = SLOT_TAKEN;
		slots[n++] = i;
	}
	LWLockRelease(shared->lock);
	/* no other process writes to a slot that is taken */
	for (i = 0; i < n; i++)
	{
		requests[i] = dps_request_read(shared->slots[slots[i]].request, shared->slots[slots[i]].length);
		if (requests[i] == NULL)
			elog(ERROR, "a request to the privacy ledger cannot be read");
	}
	return n;
}

void
dps_slots_answer(int slot, const DpsChargeAnswer *answer)
{
	Latch	   *latch;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	latch = answer_slot(&shared->slots[slot], answer);
	LWLockRelease(shared->lock);
	if (latch != NULL)
		SetLatch(latch);
	else
		ConditionVariableSignal(&shared->slot_freed);
}

bool
dps_slots_leave_worker(Oid database)
{
	Worker	   *worker;
	bool		leaves;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	leaves = !has_pending(database);
	worker = find_worker(database);
	if (leaves && worker != NULL && worker->pid == MyProcPid)
		worker->database = InvalidOid;
	LWLockRelease(shared->lock);
	return leaves;
}

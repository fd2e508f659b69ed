/*
 * pool.c
 *		The clean rooms of a server, in shared memory.
 *
 * A session that needs a room starts its process.  If the session gives up before the
 * process runs, the process finds the number of another start in its entry, and exits.
 * Once a room's process runs, it alone ends a visit, so a room that still works is
 * never given another visit.  Every process that frees a room or joins the queue also
 * assigns free rooms: so no room is taken out of turn, and no process that ends delays
 * the queue.
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "glue/background.h"
#include "glue/compat.h"
#include "glue/settings.h"
#include "room/pool.h"
#include "room/room_queue.h"

#define TRANCHE "dpsens_rooms"

/* The server's logical replication launcher, the ledger's launcher, and one ledger
 * worker. */
#define OTHER_PROCESSES 3

/* Microseconds until the slot of an ended process is free, and between attempts to
 * start a process after one has failed. */
#define WAIT_FOR_SLOT INT64CONST(1000000)

/* A visit's segment has about 40 kB; there is one for each session that asks. */
#define SEGMENTS "16MB"

/* The last field of a lock tag; users' advisory locks have 1 and 2 there. */
#define LOCK_FIELD 4

typedef enum RoomState
{
	ROOM_NONE,					/* there is no process */
	ROOM_IDLE,
	ROOM_TAKEN					/* by a visit; the process may still be starting */
} RoomState;

typedef struct Room
{
	RoomState	state;
	Oid			database;
	uint64		start;			/* number of the process start */
	pid_t		pid;			/* 0: being started */
	Latch	   *latch;
	Oid			role;			/* the role of the last visit */
	uint64		turn;			/* turn of the last visit */
	uint64		visit;			/* number of the last visit */
	uint64		come;			/* the last visit that the room has begun */
	bool		waits;			/* the room waits for a lock */
	pg_atomic_uint64 given_up;	/* the last visit that was given up */
	dsm_handle	request;
	Latch	   *asker;
	bool		dismissed;		/* the process is to exit */
} Room;

typedef struct Shared
{
	LWLock	   *lock;
	uint64		starts;
	TimestampTz full_until;		/* until then no process is started, since an attempt has failed */
	TimestampTz last_left;		/* when a room's process ended: its slot is free soon */
	int			nrooms;
	Room		rooms[FLEXIBLE_ARRAY_MEMBER];
} Shared;

static Shared *shared = NULL;

/* The room that this process is. */
static Room *mine = NULL;

static shmem_request_hook_type previous_request;
static shmem_startup_hook_type previous_startup;

static bool let_go(void);

/* ---- shared memory ---- */

/* The queue follows the rooms in memory. */
static Size
rooms_size(void)
{
	return MAXALIGN(add_size(offsetof(Shared, rooms), mul_size(dps_setting_clean_rooms, sizeof(Room))));
}

static Size
size(void)
{
	return add_size(rooms_size(), dps_queue_size());
}

static void
request_memory(void)
{
	if (previous_request != NULL)
		previous_request();
	RequestAddinShmemSpace(size());
	RequestNamedLWLockTranche(TRANCHE, 1);
}

static void
start_up(void)
{
	bool		found;
	int			i;

	if (previous_startup != NULL)
		previous_startup();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct(TRANCHE, size(), &found);
	if (!found)
	{
		memset(shared, 0, size());
		shared->lock = &GetNamedLWLockTranche(TRANCHE)->lock;
		shared->nrooms = dps_setting_clean_rooms;
		for (i = 0; i < shared->nrooms; i++)
			pg_atomic_init_u64(&shared->rooms[i].given_up, 0);
	}
	dps_queue_init((char *) shared + rooms_size(), !found);
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Each visit has a memory segment for a few milliseconds.  A segment that is a file of
 * its own costs as much as the rest of the visit.  The administrator's setting has
 * priority.
 */
static void
reserve_segments(void)
{
	SetConfigOption("min_dynamic_shared_memory", SEGMENTS, PGC_POSTMASTER, PGC_S_DYNAMIC_DEFAULT);
}

void
dps_pool_init(void)
{
	reserve_segments();
	previous_request = shmem_request_hook;
	shmem_request_hook = request_memory;
	previous_startup = shmem_startup_hook;
	shmem_startup_hook = start_up;
	dps_lets_processes_go(let_go);
	if (max_worker_processes < dps_setting_clean_rooms + OTHER_PROCESSES)
		ereport(WARNING,
				(errmsg("max_worker_processes is too small for dpsens.clean_rooms"),
				 errdetail("Beside %d clean rooms dpsens has up to %d processes, and parallel queries need more.",
						   dps_setting_clean_rooms, OTHER_PROCESSES),
				 errhint("Raise max_worker_processes, or lower dpsens.clean_rooms.")));
}

static uint32
wait_event(void)
{
	return dps_wait_event(TRANCHE, shared->lock->tranche);
}

/* ---- assigning rooms; the lock is held ---- */

static Room *
find_room(RoomState state, Oid database)
{
	int			i;

	for (i = 0; i < shared->nrooms; i++)
	{
		Room	   *room = &shared->rooms[i];

		if (room->state == state && !room->dismissed && (!OidIsValid(database) || room->database == database))
			return room;
	}
	return NULL;
}

static int
visits_of(Oid role)
{
	int			n = 0;
	int			i;

	for (i = 0; i < shared->nrooms; i++)
		n += shared->rooms[i].state == ROOM_TAKEN && shared->rooms[i].role == role;
	return n;
}

static uint64
last_turn_of(Oid role)
{
	uint64		turn = 0;
	int			i;

	for (i = 0; i < shared->nrooms; i++)
	{
		if (shared->rooms[i].state == ROOM_TAKEN && shared->rooms[i].role == role)
			turn = Max(turn, shared->rooms[i].turn);
	}
	return turn;
}

static int
count_leaving(void)
{
	int			n = 0;
	int			i;

	for (i = 0; i < shared->nrooms; i++)
		n += shared->rooms[i].state == ROOM_IDLE && shared->rooms[i].dismissed;
	return n;
}

static void
occupy(Room *room, DpsPlace *place)
{
	DpsVisitNumber number = {room - shared->rooms, room->visit + 1};
	uint64		start = room->state == ROOM_NONE ? ++shared->starts : 0;

	if (start != 0)
		room->start = start;
	room->state = ROOM_TAKEN;
	room->database = place->database;
	room->request = place->request;
	room->asker = place->latch;
	room->role = place->role;
	room->turn = place->turn;
	room->visit++;
	if (room->latch != NULL)
		SetLatch(room->latch);
	dps_queue_serve(place, &number, start);
}

static void
dismiss(Room *room)
{
	room->dismissed = true;
	if (room->latch != NULL)
		SetLatch(room->latch);
}

/* Assigns rooms to the waiting processes in their order.  A process without a room of
 * its database waits for a room to leave; each leaving room counts for one process. */
static void
hand_out(void)
{
	int			leaving = count_leaving();
	DpsPlace   *place;

	dps_queue_begin();
	while ((place = dps_queue_next(visits_of)) != NULL)
	{
		Room	   *room = find_room(ROOM_IDLE, place->database);

		if (room == NULL && shared->full_until <= GetCurrentTimestamp())
			room = find_room(ROOM_NONE, InvalidOid);
		if (room != NULL)
		{
			occupy(room, place);
			continue;
		}
		place->is_passed = true;
		if (leaving > 0)
			leaving--;
		else if ((room = find_room(ROOM_IDLE, InvalidOid)) != NULL)
			dismiss(room);
		else
			break;
	}
}

static void
vacate(Room *room)
{
	room->state = ROOM_NONE;
	room->database = InvalidOid;
	room->start = 0;
	room->pid = 0;
	room->latch = NULL;
	room->asker = NULL;
	room->dismissed = false;
	room->waits = false;
	hand_out();
}

/* ---- the asking session ---- */

void
dps_pool_wait(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, wait_event());
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static void
line_up(Oid role, dsm_handle request)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	dps_queue_join(role, request, last_turn_of(role));
	hand_out();
	LWLockRelease(shared->lock);
}

/* The visit that was assigned to this process; false if none was yet. */
static bool
receive(DpsVisitNumber *number, uint64 *start)
{
	DpsPlace   *place = dps_my_place();
	bool		is_given;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	is_given = place->is_given;
	if (is_given)
	{
		*number = place->number;
		*start = place->start;
		place->is_given = false;
	}
	LWLockRelease(shared->lock);
	return is_given;
}

static bool
start_room(int room, uint64 start, BackgroundWorkerHandle **handle)
{
	char		extra[sizeof(room) + sizeof(start)];

	memcpy(extra, &room, sizeof(room));
	memcpy(extra + sizeof(room), &start, sizeof(start));
	return dps_start_process("dpsens clean room", "dps_room_main", MyDatabaseId, BgWorkerStart_ConsistentState,
							 extra, sizeof(extra), handle);
}

DpsRoomProgress
dps_pool_progress(const DpsVisitNumber *number, BackgroundWorkerHandle *started)
{
	const Room *room = &shared->rooms[number->room];
	DpsRoomProgress progress;
	pid_t		pid;
	bool		is_gone;

	LWLockAcquire(shared->lock, LW_SHARED);
	/* the visit may have ended since, and others begun */
	is_gone = room->visit != number->visit || room->state != ROOM_TAKEN;
	progress = room->come < number->visit ? DPS_ROOM_BEFORE : room->waits && !is_gone ? DPS_ROOM_WAITING : DPS_ROOM_IN;
	LWLockRelease(shared->lock);
	if (progress == DPS_ROOM_BEFORE &&
		(is_gone || (started != NULL && GetBackgroundWorkerPid(started, &pid) == BGWH_STOPPED)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the clean room of the statement ended before it began"),
				 errhint("Look into the server's log.")));
	return progress;
}

/* The postmaster frees the slot of a process some time after its end. */
static bool
is_slot_free_soon(void)
{
	bool		is_soon;

	LWLockAcquire(shared->lock, LW_SHARED);
	is_soon = GetCurrentTimestamp() < shared->last_left + WAIT_FOR_SLOT;
	LWLockRelease(shared->lock);
	return is_soon;
}

static void
wait_for_slot(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 10, wait_event());
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Frees a room whose process could not be started, if other rooms run, for which the
 * session then waits. */
static bool
put_back(DpsVisitNumber *number)
{
	bool		others = false;
	int			i;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (i = 0; i < shared->nrooms; i++)
		others |= i != number->room && shared->rooms[i].pid != 0;
	if (others)
	{
		shared->full_until = GetCurrentTimestamp() + WAIT_FOR_SLOT;
		vacate(&shared->rooms[number->room]);
		number->visit = 0;
	}
	LWLockRelease(shared->lock);
	return others;
}

void
dps_pool_visit(Oid role, dsm_handle request, DpsVisitNumber *number, BackgroundWorkerHandle **started)
{
	uint64		start = 0;

	for (;;)
	{
		*started = NULL;
		line_up(role, request);
		while (!receive(number, &start))
			dps_pool_wait();
		while (start != 0 && !start_room(number->room, start, started) && is_slot_free_soon())
			wait_for_slot();
		if (start == 0 || *started != NULL)
			break;
		if (!put_back(number))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					 errmsg("no clean room could be started"),
					 errdetail("No slot for a background worker is free."),
					 errhint("Raise max_worker_processes, which needs a restart.")));
	}
}

static void
give_up_visit(const DpsVisitNumber *number)
{
	Room	   *room = &shared->rooms[number->room];

	if (room->visit != number->visit || room->state != ROOM_TAKEN)
		return;
	pg_atomic_write_u64(&room->given_up, number->visit);
	if (room->pid != 0)
		kill(room->pid, SIGINT);
	else
		vacate(room);
}

void
dps_pool_give_up(DpsVisitNumber *number)
{
	DpsPlace   *place = dps_my_place();

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	dps_queue_leave(place);
	if (place->is_given)
	{
		*number = place->number;
		place->is_given = false;
	}
	give_up_visit(number);
	LWLockRelease(shared->lock);
}

LOCKTAG
dps_pool_lock(const DpsVisitNumber *number)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, number->room, (uint32) number->visit, LOCK_FIELD);
	return tag;
}

/* Makes an idle room exit, for another worker of dpsens that needs a process slot. */
static bool
let_go(void)
{
	Room	   *room;

	if (shared == NULL)
		return false;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	room = find_room(ROOM_IDLE, InvalidOid);
	if (room != NULL)
		dismiss(room);
	LWLockRelease(shared->lock);
	return room != NULL;
}

void
dps_pool_dismiss(Oid database)
{
	int			i;

	if (shared == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (i = 0; i < shared->nrooms; i++)
	{
		Room	   *room = &shared->rooms[i];

		if (room->database != database || room->state == ROOM_NONE)
			continue;
		/* a busy room exits after its visit */
		dismiss(room);
	}
	LWLockRelease(shared->lock);
}

/* ---- the room ---- */

static void
leave(int code, Datum arg)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (mine->asker != NULL)
		SetLatch(mine->asker);
	shared->full_until = 0;
	shared->last_left = GetCurrentTimestamp();
	vacate(mine);
	LWLockRelease(shared->lock);
	mine = NULL;
}

bool
dps_pool_has(pid_t pid)
{
	bool		has = false;
	int			i;

	if (shared == NULL || pid == 0)
		return false;
	LWLockAcquire(shared->lock, LW_SHARED);
	for (i = 0; i < shared->nrooms && !has; i++)
		has = shared->rooms[i].pid == pid;
	LWLockRelease(shared->lock);
	return has;
}

bool
dps_pool_enter(int room, uint64 start)
{
	bool		wanted;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	wanted = shared->rooms[room].start == start && shared->rooms[room].pid == 0;
	if (wanted)
	{
		mine = &shared->rooms[room];
		mine->pid = MyProcPid;
		mine->latch = MyLatch;
	}
	LWLockRelease(shared->lock);
	if (wanted)
		before_shmem_exit(leave, 0);
	return wanted;
}

bool
dps_pool_next(DpsVisitNumber *number, dsm_handle *request)
{
	for (;;)
	{
		bool		taken;
		bool		dismissed;
		int			events;

		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		/* a privilege that the configuration takes back must not hold for the next
		 * visit */
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		LWLockAcquire(shared->lock, LW_SHARED);
		taken = mine->state == ROOM_TAKEN;
		dismissed = mine->dismissed;
		*number = (DpsVisitNumber) {mine - shared->rooms, mine->visit};
		*request = mine->request;
		LWLockRelease(shared->lock);
		if (taken)
			return true;
		if (dismissed)
			return false;
		events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, dps_setting_ledger_idle_timeout, wait_event());
		if (!(events & WL_TIMEOUT))
			continue;
		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		mine->dismissed |= mine->state == ROOM_IDLE;
		LWLockRelease(shared->lock);
	}
}

void
dps_pool_come(const DpsVisitNumber *number)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	mine->come = number->visit;
	LWLockRelease(shared->lock);
}

void
dps_pool_wait_for_lock(bool waits)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	mine->waits = waits;
	if (waits && mine->asker != NULL)
		SetLatch(mine->asker);
	LWLockRelease(shared->lock);
}

bool
dps_pool_is_given_up(const DpsVisitNumber *number)
{
	return pg_atomic_read_u64(&shared->rooms[number->room].given_up) >= number->visit;
}

void
dps_pool_finish(bool leaves)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	mine->state = ROOM_IDLE;
	mine->waits = false;
	mine->dismissed |= leaves;
	/* a visit that ended before the room joined it has sent no message */
	if (mine->asker != NULL && mine->come != mine->visit)
		SetLatch(mine->asker);
	mine->asker = NULL;
	hand_out();
	LWLockRelease(shared->lock);
}

/*
 * visit.c
 *		One visit to a clean room.
 *
 * A room does not wait for locks of other sessions.  If a lock is not free, the visit ends.  The asking
 * session then waits for this lock itself, without a room, keeps it as if it had read the relation itself,
 * and asks again.  After that, the room can be blocked only by sessions that wait for the asking session
 * and that are ahead of the room in the queue of the lock.  The room waits for these.  Meanwhile the
 * asking session waits for an advisory lock that the room holds.  So the server's deadlock detector, which
 * does not know latches, sees a cycle through both processes, and puts the room first in the queue.
 *
 * Each visit that ends in this way adds a lock to those that are held, and one query takes a finite number
 * of locks.  So there is a last visit.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"

#include "glue/compat.h"
#include "room/message.h"
#include "room/visit.h"

#define MAGIC UINT64CONST(0x64707376697369)

#define QUEUE_BYTES 16384

/* Visits are numbered from 1. */
#define NO_VISIT 0

typedef enum Key
{
	KEY_HEADER,
	KEY_SNAPSHOT,
	KEY_REQUEST,
	KEY_HELD,
	KEY_TO_ROOM,
	KEY_FROM_ROOM,
	NKEYS
} Key;

typedef struct Header
{
	DpsVisitNumber number;		/* NO_VISIT before a room is assigned, and after the visit has ended */
	int			asker;			/* the number of the asking process (dps_my_process) */
	Size		request_bytes;
	bool		brings;
	int			nheld;
} Header;

/* What the asking session sends. */
typedef struct Question
{
	Oid			role;
	const StringInfoData *request;
	bool		brings;			/* rows are sent before the charge */
	Snapshot	snapshot;
	List	   *held;			/* of DpsLock *: the locks for which the session had to wait */
} Question;

struct DpsVisit
{
	dsm_segment *segment;
	shm_toc    *toc;
	Header	   *header;
	shm_mq_handle *in;
	shm_mq_handle *out;
};

/* ---- the snapshot ---- */

/*
 * The snapshot as another process must use it: in it, this transaction is running.  Otherwise the other
 * process would take its rows for those of an aborted transaction, and set hint bits that say so.
 * Subtransactions are not listed, but looked up.
 */
static SnapshotData
as_others_see(Snapshot snapshot)
{
	SnapshotData others = *snapshot;
	TransactionId own = GetTopTransactionIdIfAny();

	if (!TransactionIdIsValid(own))
		return others;
	others.xip = palloc(sizeof(TransactionId) * (snapshot->xcnt + 1));
	for (uint32 i = 0; i < snapshot->xcnt; i++)
		others.xip[i] = snapshot->xip[i];
	others.xip[others.xcnt++] = own;
	others.suboverflowed = true;
	others.subxcnt = 0;
	return others;
}

/* ---- messages ---- */

/* Does the room end the visit by itself after this message?  Then the visit need not be given up. */
static bool
is_last(DpsRoomMessage kind)
{
	return kind == DPS_ROOM_END || kind == DPS_ROOM_REFUSED || kind == DPS_ROOM_BLOCKED || kind == DPS_ROOM_FAILED;
}

static DpsRoomMessage
take_message(DpsVisit *visit, Size length, void *data, StringInfo contents)
{
	if (length < 1)
		return DPS_ROOM_GONE;
	*contents = (StringInfoData) {.data = (char *) data + 1, .len = length - 1};
	if (is_last(*(const char *) data))
		visit->header->number.visit = NO_VISIT;
	return *(const char *) data;
}

/* ---- the asking session ---- */

/* Gives up the visit when the segment is detached, however the visit ends. */
static void
give_up(dsm_segment *segment, Datum header)
{
	(void) segment;
	dps_pool_give_up(&((Header *) DatumGetPointer(header))->number);
}

static void *
put(shm_toc *toc, Key key, Size bytes)
{
	void	   *place = shm_toc_allocate(toc, bytes);

	shm_toc_insert(toc, key, place);
	return place;
}

static shm_mq_handle *
attach(DpsVisit *visit, Key key, bool is_new, bool receives)
{
	shm_mq	   *queue = is_new ? shm_mq_create(put(visit->toc, key, QUEUE_BYTES), QUEUE_BYTES) :
		shm_toc_lookup(visit->toc, key, false);

	if (receives)
		shm_mq_set_receiver(queue, MyProc);
	else
		shm_mq_set_sender(queue, MyProc);
	return shm_mq_attach(queue, visit->segment, NULL);
}

static Size
estimate_size(const Question *question, Size snapshot_bytes)
{
	shm_toc_estimator estimator;

	shm_toc_initialize_estimator(&estimator);
	shm_toc_estimate_chunk(&estimator, sizeof(Header));
	shm_toc_estimate_chunk(&estimator, snapshot_bytes);
	shm_toc_estimate_chunk(&estimator, question->request->len + 1);
	shm_toc_estimate_chunk(&estimator, sizeof(DpsLock) * list_length(question->held));
	shm_toc_estimate_chunk(&estimator, QUEUE_BYTES);
	shm_toc_estimate_chunk(&estimator, QUEUE_BYTES);
	shm_toc_estimate_keys(&estimator, NKEYS);
	return shm_toc_estimate(&estimator);
}

static void
put_held(shm_toc *toc, const List *held)
{
	DpsLock    *locks = put(toc, KEY_HELD, sizeof(DpsLock) * list_length(held));
	ListCell   *cell;

	foreach(cell, held)
		locks[foreach_current_index(cell)] = *(const DpsLock *) lfirst(cell);
}

static DpsVisit *
make_visit(const Question *question)
{
	DpsVisit   *visit = palloc0(sizeof(DpsVisit));
	const StringInfoData *request = question->request;
	Size		snapshot_bytes = EstimateSnapshotSpace(question->snapshot);
	Size		size = estimate_size(question, snapshot_bytes);

	visit->segment = dsm_create(size, 0);
	visit->toc = shm_toc_create(MAGIC, dsm_segment_address(visit->segment), size);
	visit->header = put(visit->toc, KEY_HEADER, sizeof(Header));
	*visit->header = (Header) {
		.asker = dps_my_process(), .request_bytes = request->len, .brings = question->brings,
		.nheld = list_length(question->held)
	};
	SerializeSnapshot(question->snapshot, put(visit->toc, KEY_SNAPSHOT, snapshot_bytes));
	memcpy(put(visit->toc, KEY_REQUEST, request->len + 1), request->data, request->len + 1);
	put_held(visit->toc, question->held);
	visit->out = attach(visit, KEY_TO_ROOM, true, false);
	visit->in = attach(visit, KEY_FROM_ROOM, true, true);
	return visit;
}

/* Waits as long as the room waits for a lock.  The room's wait has a limit of its own, so lock_timeout is
 * off here. */
static void
wait_for_locks(const DpsVisit *visit)
{
	LOCKTAG		tag = dps_pool_lock(&visit->header->number);
	int			timeout = LockTimeout;

	LockTimeout = 0;
	PG_TRY();
	{
		(void) LockAcquire(&tag, ShareLock, false, false);
		(void) LockRelease(&tag, ShareLock, false);
	}
	PG_FINALLY();
	{
		LockTimeout = timeout;
	}
	PG_END_TRY();
}

static void
raise_refusal(StringInfo contents)
{
	int			code = 0;
	const char *message;
	const char *detail;
	const char *hint;

	dps_get(contents, &code);
	message = dps_get_text(contents);
	detail = dps_get_text(contents);
	hint = dps_get_text(contents);
	ereport(ERROR,
			(errcode(code),
			 errmsg_internal("%s", message),
			 *detail == '\0' ? 0 : errdetail_internal("%s", detail),
			 *hint == '\0' ? 0 : errhint("%s", hint)));
}

static void
raise_gone(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the clean room of the statement has ended"),
			 errhint("Look into the server's log.")));
}

/* Raises the error for a message that was not expected before the charge. */
static void
raise_other(DpsRoomMessage kind, StringInfo contents)
{
	if (kind == DPS_ROOM_REFUSED)
		raise_refusal(contents);
	if (kind == DPS_ROOM_GONE)
		raise_gone();
	elog(ERROR, "a clean room said what was not asked for");
}

/* Reads a message without waiting; false if there is none yet. */
static bool
look(DpsVisit *visit, DpsRoomMessage *kind, StringInfo contents)
{
	Size		length;
	void	   *data;
	shm_mq_result result = shm_mq_receive(visit->in, &length, &data, true);

	if (result == SHM_MQ_WOULD_BLOCK)
		return false;
	*kind = result == SHM_MQ_SUCCESS ? take_message(visit, length, data, contents) : DPS_ROOM_GONE;
	return true;
}

/* Waits for the first message of the room. */
static DpsRoomMessage
hear(DpsVisit *visit, BackgroundWorkerHandle *started, StringInfo contents)
{
	DpsRoomMessage kind;

	while (!look(visit, &kind, contents))
	{
		if (dps_pool_progress(&visit->header->number, started) == DPS_ROOM_WAITING)
			wait_for_locks(visit);
		else
			dps_pool_wait();
	}
	return kind;
}

/* Waits until the room is ready, or raises the error that it reports.  False if the room needs a lock,
 * which is then in *wanted. */
static bool
is_ready(DpsVisit *visit, Oid role, DpsLock *wanted)
{
	BackgroundWorkerHandle *started;
	StringInfoData contents;
	DpsRoomMessage kind;

	on_dsm_detach(visit->segment, give_up, PointerGetDatum(visit->header));
	dps_pool_visit(role, dsm_segment_handle(visit->segment), &visit->header->number, &started);
	kind = hear(visit, started, &contents);
	switch (kind)
	{
		case DPS_ROOM_READY:
			return true;
		case DPS_ROOM_BLOCKED:
			dps_get(&contents, wanted);
			return false;
		default:
			raise_other(kind, &contents);
	}
	return false;
}

/* One attempt at a visit; NULL if the room needs a lock.  On an error the room is freed at once and not
 * with the resource owner, which may be that of a cursor and live for a while. */
static DpsVisit *
try_visit(const Question *question, DpsLock *wanted)
{
	DpsVisit   *volatile visit = make_visit(question);
	volatile bool ready = false;

	PG_TRY();
	{
		ready = is_ready(visit, question->role, wanted);
	}
	PG_FINALLY();
	{
		if (!ready)
			dps_visit_close(visit);
	}
	PG_END_TRY();
	return ready ? visit : NULL;
}

/* Waits for the lock, as a statement that reads the locked object does. */
static DpsLock *
take_lock(const DpsLock *wanted)
{
	DpsLock    *lock = palloc(sizeof(DpsLock));

	*lock = *wanted;
	(void) LockAcquire(&lock->tag, lock->mode, false, false);
	AcceptInvalidationMessages();
	return lock;
}

DpsVisit *
dps_visit_open(Oid role, const StringInfoData *request, bool brings, Snapshot snapshot)
{
	SnapshotData others = as_others_see(snapshot);
	Question	question = {role, request, brings, &others, NIL};
	DpsLock		wanted;
	DpsVisit   *visit;

	while ((visit = try_visit(&question, &wanted)) == NULL)
		question.held = lappend(question.held, take_lock(&wanted));
	return visit;
}

void
dps_visit_await_charge(DpsVisit *visit, StringInfo decision)
{
	DpsRoomMessage kind = dps_visit_receive(visit, decision);

	if (kind != DPS_ROOM_CHARGED)
		raise_other(kind, decision);
}

/* ---- both ---- */

/* Must the other side be woken at once, or will more messages follow? */
static bool
is_urgent(const DpsVisit *visit, DpsRoomMessage kind)
{
	return kind == DPS_ROOM_READY ? visit->header->brings : kind != DPS_ROOM_ROW;
}

bool
dps_visit_send(DpsVisit *visit, DpsRoomMessage kind, const StringInfoData *contents)
{
	char		letter = kind;
	shm_mq_iovec parts[2] = {{&letter, 1}, {contents != NULL ? contents->data : "", contents != NULL ? contents->len : 0}};

	return shm_mq_sendv(visit->out, parts, lengthof(parts), false, is_urgent(visit, kind)) == SHM_MQ_SUCCESS;
}

DpsRoomMessage
dps_visit_receive(DpsVisit *visit, StringInfo contents)
{
	Size		length;
	void	   *data;

	if (shm_mq_receive(visit->in, &length, &data, false) != SHM_MQ_SUCCESS)
		return DPS_ROOM_GONE;
	return take_message(visit, length, data, contents);
}

void
dps_visit_close(DpsVisit *visit)
{
	dsm_detach(visit->segment);
	pfree(visit);
}

/* ---- the room ---- */

DpsVisit *
dps_visit_join(dsm_handle handle)
{
	dsm_segment *segment = dsm_attach(handle);
	DpsVisit   *visit;

	if (segment == NULL)
		return NULL;
	visit = palloc0(sizeof(DpsVisit));
	visit->segment = segment;
	visit->toc = shm_toc_attach(MAGIC, dsm_segment_address(segment));
	visit->header = shm_toc_lookup(visit->toc, KEY_HEADER, false);
	visit->in = attach(visit, KEY_TO_ROOM, false, true);
	visit->out = attach(visit, KEY_FROM_ROOM, false, false);
	return visit;
}

StringInfoData
dps_visit_request(const DpsVisit *visit)
{
	return (StringInfoData) {.data = shm_toc_lookup(visit->toc, KEY_REQUEST, false), .len = visit->header->request_bytes};
}

/* The returned snapshot is used for reading.  That of the transaction is equally old, but lacks the time
 * at which it was taken, which old_snapshot_threshold needs. */
Snapshot
dps_visit_restore_snapshot(const DpsVisit *visit)
{
	Snapshot	snapshot = RestoreSnapshot(shm_toc_lookup(visit->toc, KEY_SNAPSHOT, false));

	RestoreTransactionSnapshot(snapshot, &ProcGlobal->allProcs[visit->header->asker]);
	return snapshot;
}

bool
dps_visit_brings(const DpsVisit *visit)
{
	return visit->header->brings;
}

bool
dps_visit_asker_holds(const DpsVisit *visit, const DpsLock *lock)
{
	const DpsLock *held = shm_toc_lookup(visit->toc, KEY_HELD, false);
	int			i;

	for (i = 0; i < visit->header->nheld; i++)
	{
		if (memcmp(&held[i].tag, &lock->tag, sizeof(LOCKTAG)) == 0 && held[i].mode == lock->mode)
			return true;
	}
	return false;
}

void
dps_visit_refuse(DpsVisit *visit, const ErrorData *error)
{
	StringInfoData contents;

	initStringInfo(&contents);
	dps_put(&contents, error->sqlerrcode);
	dps_put_text(&contents, error->message);
	dps_put_text(&contents, error->detail);
	dps_put_text(&contents, error->hint);
	(void) dps_visit_send(visit, DPS_ROOM_REFUSED, &contents);
	pfree(contents.data);
}

/*
 * room_queue.c
 *		The queue of processes that wait for a clean room.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/shmem.h"

#include "glue/compat.h"
#include "room/room_queue.h"

typedef struct Queue
{
	int			waiting;
	uint64		arrivals;
	uint64		turn;			/* of the last visit that was assigned */
	DpsPlace	places[FLEXIBLE_ARRAY_MEMBER];
} Queue;

static Queue *queue = NULL;

Size
dps_queue_size(void)
{
	return add_size(offsetof(Queue, places), mul_size(MaxBackends, sizeof(DpsPlace)));
}

void
dps_queue_init(void *memory, bool is_new)
{
	queue = memory;
	if (!is_new)
		return;
	memset(queue, 0, dps_queue_size());
	/* 0 means no turn */
	queue->turn = 1;
}

DpsPlace *
dps_my_place(void)
{
	return &queue->places[dps_my_process()];
}

static uint64
next_turn(Oid role, uint64 last_turn)
{
	uint64		turn = Max(queue->turn, last_turn + 1);
	int			i;

	for (i = 0; queue->waiting > 0 && i < MaxBackends; i++)
	{
		const DpsPlace *place = &queue->places[i];

		if (place->waits && place->role == role)
			turn = Max(turn, place->turn + 1);
	}
	return turn;
}

void
dps_queue_join(Oid role, dsm_handle request, uint64 last_turn)
{
	*dps_my_place() = (DpsPlace) {
		.waits = true, .arrival = ++queue->arrivals, .turn = next_turn(role, last_turn),
		.role = role, .database = MyDatabaseId, .request = request, .latch = MyLatch
	};
	queue->waiting++;
}

static void
step_out(DpsPlace *place)
{
	place->waits = false;
	queue->waiting--;
}

/* Later visits of the same role get an earlier turn. */
void
dps_queue_leave(DpsPlace *place)
{
	int			i;

	if (!place->waits)
		return;
	step_out(place);
	for (i = 0; i < MaxBackends; i++)
	{
		DpsPlace   *other = &queue->places[i];

		if (other->waits && other->role == place->role && other->turn > place->turn)
			other->turn--;
	}
}

void
dps_queue_serve(DpsPlace *place, const DpsVisitNumber *number, uint64 start)
{
	step_out(place);
	queue->turn = Max(queue->turn, place->turn);
	place->is_given = true;
	place->number = *number;
	place->start = start;
	SetLatch(place->latch);
}

void
dps_queue_begin(void)
{
	int			i;

	for (i = 0; queue->waiting > 0 && i < MaxBackends; i++)
		queue->places[i].is_passed = false;
}

static bool
comes_before(const DpsPlace *one, const DpsPlace *other, int (*visits) (Oid role))
{
	int			of_one = visits(one->role);
	int			of_other = visits(other->role);

	if (of_one != of_other)
		return of_one < of_other;
	if (one->turn != other->turn)
		return one->turn < other->turn;
	return one->arrival < other->arrival;
}

DpsPlace *
dps_queue_next(int (*visits) (Oid role))
{
	DpsPlace   *next = NULL;
	int			i;

	for (i = 0; queue->waiting > 0 && i < MaxBackends; i++)
	{
		DpsPlace   *place = &queue->places[i];

		if (place->waits && !place->is_passed && (next == NULL || comes_before(place, next, visits)))
			next = place;
	}
	return next;
}

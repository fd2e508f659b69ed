/*
 * box_queue.c
 *		The boxes that a search has yet to cut, the most promising first.
 */
#include <string.h>

#include "bound/search/box_queue.h"

static bool
comes_before(const DpsBox *a, const DpsBox *b)
{
	if (a->unresolved != b->unresolved)
		return a->unresolved;
	if (a->unresolved)
		return a->depth > b->depth;
	return a->upper > b->upper;
}

static void
sift_up(DpsBoxQueue *queue, size_t i)
{
	while (i > 0 && comes_before(queue->heap[i], queue->heap[(i - 1) / 2]))
	{
		DpsBox		   *parent = queue->heap[(i - 1) / 2];

		queue->heap[(i - 1) / 2] = queue->heap[i];
		queue->heap[i] = parent;
		i = (i - 1) / 2;
	}
}

static void
sift_down(DpsBoxQueue *queue, size_t i)
{
	for (;;)
	{
		size_t		first = i;
		size_t		child;
		DpsBox		   *box;

		for (child = 2 * i + 1; child <= 2 * i + 2 && child < queue->n; child++)
			if (comes_before(queue->heap[child], queue->heap[first]))
				first = child;
		if (first == i)
			return;
		box = queue->heap[i];
		queue->heap[i] = queue->heap[first];
		queue->heap[first] = box;
		i = first;
	}
}

DpsBox *
dps_new_box(DpsBoxQueue *queue)
{
	DpsBox		   *box = queue->free_boxes;
	size_t		size = sizeof(DpsBox) + sizeof(DpsDomain) * queue->ndimensions;

	if (box != NULL)
		queue->free_boxes = box->next;
	else
	{
		box = dps_arena_alloc(queue->arena, size);
		queue->bytes += size;
	}
	return box;
}

void
dps_free_box(DpsBoxQueue *queue, DpsBox *box)
{
	box->next = queue->free_boxes;
	queue->free_boxes = box;
}

DpsStatus
dps_push_box(DpsBoxQueue *queue, DpsBox *box)
{
	if (queue->n == queue->capacity)
	{
		size_t		capacity = queue->capacity == 0 ? 64 : queue->capacity * 2;
		DpsBox	  **heap = dps_arena_alloc(queue->arena, sizeof(DpsBox *) * capacity);

		if (heap == NULL)
			return DPS_NOMEM;
		if (queue->n > 0)
			memcpy(heap, queue->heap, sizeof(DpsBox *) * queue->n);
		queue->heap = heap;
		queue->capacity = capacity;
	}
	queue->heap[queue->n] = box;
	sift_up(queue, queue->n++);
	return DPS_OK;
}

DpsBox *
dps_pop_box(DpsBoxQueue *queue)
{
	DpsBox		   *box = queue->heap[0];

	queue->heap[0] = queue->heap[--queue->n];
	sift_down(queue, 0);
	return box;
}

/*
 * box_queue.h
 *		The boxes that a search has yet to cut, the most promising first.
 */
#ifndef DPS_BOUND_SEARCH_BOX_QUEUE_H
#define DPS_BOUND_SEARCH_BOX_QUEUE_H

#include "expr/program.h"

typedef struct DpsBox
{
	double		upper;			/* Infinity while not proved defined */
	double		ceiling;		/* of the box that it was cut from */
	uint32_t	depth;
	int			cut;			/* dimension, or ndimensions + dimension to cut
								 * it into not NULL and NULL */
	bool		unresolved;		/* not proved defined: comes before all others */
	bool		whole;			/* proved to have values everywhere, without a jump, and no
								 * slab leaves out a part of it */
	struct DpsBox *next;		/* of the free ones */
	DpsDomain	domain[];		/* of the dimensions that matter */
} DpsBox;

/* A binary heap; arena and ndimensions are set by its owner, the rest is 0. */
typedef struct DpsBoxQueue
{
	DpsArena   *arena;
	int			ndimensions;
	DpsBox	  **heap;
	size_t		n;
	size_t		capacity;
	size_t		bytes;			/* of boxes, for the owner's limit */
	DpsBox	   *free_boxes;
} DpsBoxQueue;

/* A box with undefined contents, NULL when memory ran out; and its release. */
extern DpsBox *dps_new_box(DpsBoxQueue *queue);
extern void dps_free_box(DpsBoxQueue *queue, DpsBox *box);

extern DPS_MUST_USE DpsStatus dps_push_box(DpsBoxQueue *queue, DpsBox *box);

/* Takes the first box out; the queue must not be empty. */
extern DpsBox *dps_pop_box(DpsBoxQueue *queue);

#endif							/* DPS_BOUND_SEARCH_BOX_QUEUE_H */

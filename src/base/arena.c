/*
 * arena.c
 *		Memory of one analysis: a chain of blocks, freed at once.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

#define ARENA_ALIGN 16
#define ARENA_BLOCK ((size_t) 16 * 1024)

/* Steps of a microsecond or so between two questions to the host. */
#define STEPS_BETWEEN_STOPS 1024

typedef struct ArenaBlock
{
	struct ArenaBlock *next;
	size_t		size;			/* of the payload */
	size_t		used;
} ArenaBlock;

struct DpsArena
{
	DpsHost		host;
	ArenaBlock *blocks;			/* the newest first */
	uint32_t	steps;			/* since the host was last asked */
	uint64_t	worked;			/* steps in all */
	size_t		bytes;			/* of all blocks */
	bool		stopped;		/* by the host */
};

static size_t
align_up(size_t size)
{
	return (size + ARENA_ALIGN - 1) & ~(size_t) (ARENA_ALIGN - 1);
}

/* The payload begins at the first aligned address after the header; the host
 * promises only the alignment of a scalar. */
static char *
block_payload(ArenaBlock *block)
{
	return (char *) align_up((uintptr_t) (block + 1));
}

DpsStatus
dps_arena_init(DpsArena **arena, const DpsHost *host)
{
	DpsArena   *result = host->allocate(host->context, sizeof(DpsArena));

	*arena = result;
	if (result == NULL)
		return DPS_NOMEM;
	result->host = *host;
	result->blocks = NULL;
	result->steps = 0;
	result->worked = 0;
	result->bytes = 0;
	result->stopped = false;
	return DPS_OK;
}

void
dps_arena_clear(DpsArena *arena)
{
	ArenaBlock *block;
	DpsHost		host;

	if (arena == NULL)
		return;
	host = arena->host;
	block = arena->blocks;
	while (block != NULL)
	{
		ArenaBlock *next = block->next;

		host.release(host.context, block);
		block = next;
	}
	host.release(host.context, arena);
}

static ArenaBlock *
add_block(DpsArena *arena, size_t size)
{
	size_t		payload = size > ARENA_BLOCK ? size : ARENA_BLOCK;
	ArenaBlock *block = arena->host.allocate(arena->host.context,
											 sizeof(ArenaBlock) + ARENA_ALIGN + payload);

	if (block == NULL)
		return NULL;
	block->size = payload;
	block->used = 0;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->bytes += sizeof(ArenaBlock) + ARENA_ALIGN + payload;
	return block;
}

void *
dps_arena_alloc(DpsArena *arena, size_t size)
{
	ArenaBlock *block = arena->blocks;
	void	   *result;

	if (size > SIZE_MAX / 2 || !dps_arena_step(arena))
		return NULL;
	size = align_up(size > 0 ? size : 1);
	if (block == NULL || block->size - block->used < size)
	{
		block = add_block(arena, size);
		if (block == NULL)
			return NULL;
	}
	result = block_payload(block) + block->used;
	block->used += size;
	memset(result, 0, size);
	return result;
}

bool
dps_arena_step(DpsArena *arena)
{
	return dps_arena_work(arena, 1);
}

bool
dps_arena_work(DpsArena *arena, uint32_t steps)
{
	const DpsHost *host = &arena->host;

	arena->worked += steps;
	if (!arena->stopped && steps >= STEPS_BETWEEN_STOPS - arena->steps)
	{
		arena->steps = 0;
		arena->stopped = host->should_stop != NULL && host->should_stop(host->context);
	}
	else
		arena->steps += steps;
	return !arena->stopped;
}

size_t
dps_arena_bytes(const DpsArena *arena)
{
	return arena->bytes;
}

uint64_t
dps_arena_worked(const DpsArena *arena)
{
	return arena->worked;
}

DpsStatus
dps_arena_status(const DpsArena *arena, DpsStatus status)
{
	return status == DPS_NOMEM && arena->stopped ? DPS_CANCELLED : status;
}

const DpsHost *
dps_arena_host(const DpsArena *arena)
{
	return &arena->host;
}

void
dps_text_init(DpsText *text, DpsArena *arena)
{
	text->arena = arena;
	text->length = 0;
	text->capacity = 64;
	text->data = dps_arena_alloc(arena, text->capacity);
	text->failed = text->data == NULL;
}

void
dps_text_append_n(DpsText *text, const char *string, size_t n)
{
	if (text->failed)
		return;
	/* the capacity below may not wrap around */
	if (n > SIZE_MAX / 4 - text->length)
	{
		text->failed = true;
		return;
	}
	if (text->length + n + 1 > text->capacity)
	{
		size_t		capacity = (text->length + n + 1) * 2;
		char	   *data = dps_arena_alloc(text->arena, capacity);

		if (data == NULL)
		{
			text->failed = true;
			return;
		}
		memcpy(data, text->data, text->length);
		text->data = data;
		text->capacity = capacity;
	}
	memcpy(text->data + text->length, string, n);
	text->length += n;
	text->data[text->length] = '\0';
}

void
dps_text_append(DpsText *text, const char *string)
{
	dps_text_append_n(text, string, strlen(string));
}

void
dps_text_printf(DpsText *text, const char *format,...)
{
	char		piece[512];
	va_list		args;
	int			n;

	va_start(args, format);
	n = vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	if (n < 0 || n >= (int) sizeof(piece))
	{
		text->failed = true;
		return;
	}
	dps_text_append_n(text, piece, n);
}

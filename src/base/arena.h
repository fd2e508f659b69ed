/*
 * arena.h
 *		Memory of one analysis: allocated piece by piece, freed at once.
 *
 * An arena has one owner, who clears it.  Everything the core returns by
 * pointer lives in the arena it was given.
 */
#ifndef DPS_BASE_ARENA_H
#define DPS_BASE_ARENA_H

#include <stdarg.h>
#include <stdint.h>

#include "base/host.h"
#include "base/status.h"

typedef struct DpsArena DpsArena;

/* A new arena whose blocks come from the host; DPS_NOMEM if there are none. */
extern DPS_MUST_USE DpsStatus dps_arena_init(DpsArena **arena, const DpsHost *host);

/* Gives every block back, the arena's own included; NULL is allowed. */
extern void dps_arena_clear(DpsArena *arena);

/* Zeroed memory aligned to 16 bytes, or NULL when the host has none. */
extern void *dps_arena_alloc(DpsArena *arena, size_t size);

/*
 * Counts a step of work and asks the host now and then whether to go on; false
 * once the host has said no.  From then on there is no memory either, so that
 * work without steps ends soon, too.
 */
extern bool dps_arena_step(DpsArena *arena);

/* The same for so many steps at once. */
extern bool dps_arena_work(DpsArena *arena, uint32_t steps);

/* The steps that were counted so far. */
extern uint64_t dps_arena_worked(const DpsArena *arena);

/* The memory that it has from the host. */
extern size_t dps_arena_bytes(const DpsArena *arena);

/* DPS_CANCELLED if the status is DPS_NOMEM because the host said no; else the
 * status. */
extern DpsStatus dps_arena_status(const DpsArena *arena, DpsStatus status);

/* The host the arena was made with. */
extern const DpsHost *dps_arena_host(const DpsArena *arena);

/* A growing string in an arena.  After a failed allocation `failed` stays set
 * and further appends do nothing, so one check at the end is enough. */
typedef struct DpsText
{
	DpsArena   *arena;
	char	   *data;			/* zero-terminated, never NULL after init unless
								 * failed */
	size_t		length;
	size_t		capacity;
	bool		failed;
} DpsText;

extern void dps_text_init(DpsText *text, DpsArena *arena);
extern void dps_text_append(DpsText *text, const char *string);
extern void dps_text_append_n(DpsText *text, const char *string, size_t n);
extern void dps_text_printf(DpsText *text, const char *format,...) __attribute__((format(printf, 2, 3)));

#endif							/* DPS_BASE_ARENA_H */

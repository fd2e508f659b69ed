/*
 * chains.h
 *		Finds earlier entries by their hashes: the table behind hash-consing.
 */
#ifndef DPS_BASE_CHAINS_H
#define DPS_BASE_CHAINS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"

/* The first member of an entry of a table, so that a pointer to the one is a
 * pointer to the other. */
typedef struct DpsLink
{
	uint64_t	hash;
	const struct DpsLink *next; /* in its chain */
} DpsLink;

typedef struct DpsChains
{
	DpsArena   *arena;
	const DpsLink **first;
	uint32_t	nchains;
	uint32_t	nlinks;
} DpsChains;

/* An empty table in the arena.  DPS_NOMEM. */
extern DPS_MUST_USE DpsStatus dps_chains_init(DpsChains *chains, DpsArena *arena);

/* Adds a new entry; the table grows with it as long as there is memory. */
extern void dps_chains_add(DpsChains *chains, DpsLink *link);

/* The chain of all entries with this hash. */
static inline const DpsLink *
dps_chain_of(const DpsChains *chains, uint64_t hash)
{
	return chains->first[hash % chains->nchains];
}

/* A hash of one more word: the finalizer of splitmix64, whose avalanche is
 * complete. */
static inline uint64_t
dps_hash_word(uint64_t hash, uint64_t word)
{
	return dps_mix(hash ^ (word + DPS_GOLDEN + (hash << 6) + (hash >> 2)));
}

#endif							/* DPS_BASE_CHAINS_H */

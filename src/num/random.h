/*
 * random.h
 *		Uniform bits and integers from the host's random source.
 *
 * Words are fetched from the host a block at a time and kept in the struct;
 * each is overwritten with zero when it is consumed.  The struct has one user
 * and must not be copied or carried over a fork: two owners of one buffer
 * would draw the same noise.
 *
 * A failed source never yields a value: the call returns DPS_UNABLE, leaves
 * its result unset, and so does every later call on this struct.
 */
#ifndef DPS_NUM_RANDOM_H
#define DPS_NUM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/host.h"
#include "base/status.h"

#define DPS_RANDOM_WORDS 128

typedef struct DpsRandom
{
	const DpsHost *host;		/* outlives the struct */
	uint64_t	words[DPS_RANDOM_WORDS];
	unsigned	next;			/* words[next ...] are not consumed yet */
	unsigned	bits_left;		/* in the low end of bits */
	uint64_t	bits;
	bool		failed;
} DpsRandom;

/* An empty buffer; nothing is read from the host before the first draw. */
extern void dps_random_init(DpsRandom *random, const DpsHost *host);

/* Overwrites what is left, in a way the compiler may not drop. */
extern void dps_random_clear(DpsRandom *random);

/* Fills the buffer anew; for dps_random_word only. */
extern DPS_MUST_USE DpsStatus dps_random_refill(DpsRandom *random);

/* 64 uniform bits. */
static inline DPS_MUST_USE DpsStatus
dps_random_word(DpsRandom *random, uint64_t *word)
{
	if (random->next >= DPS_RANDOM_WORDS)
		DPS_TRY(dps_random_refill(random));
	*word = random->words[random->next];
	random->words[random->next++] = 0;
	return DPS_OK;
}

/* One uniform bit, 0 or 1. */
static inline DPS_MUST_USE DpsStatus
dps_random_bit(DpsRandom *random, unsigned *bit)
{
	if (random->bits_left == 0)
	{
		DPS_TRY(dps_random_word(random, &random->bits));
		random->bits_left = 64;
	}
	*bit = random->bits & 1;
	random->bits >>= 1;
	random->bits_left--;
	return DPS_OK;
}

/* A uniform integer in 0 ... n - 1; DPS_DOMAIN if n is 0. */
extern DPS_MUST_USE DpsStatus dps_random_below(DpsRandom *random, uint64_t n, uint64_t *value);

#endif							/* DPS_NUM_RANDOM_H */

/*
 * random.c
 *		Uniform bits and integers from the host's random source.
 */
#include <string.h>

#include "num/random.h"

/* A memset that stays although nobody reads the memory again. */
static void
wipe(void *memory, size_t size)
{
	memset(memory, 0, size);
	__asm__ __volatile__("" : : "r"(memory) : "memory");
}

void
dps_random_init(DpsRandom *random, const DpsHost *host)
{
	memset(random, 0, sizeof(*random));
	random->host = host;
	random->next = DPS_RANDOM_WORDS;
}

void
dps_random_clear(DpsRandom *random)
{
	const DpsHost *host = random->host;

	wipe(random, sizeof(*random));
	random->host = host;
	random->next = DPS_RANDOM_WORDS;
}

DpsStatus
dps_random_refill(DpsRandom *random)
{
	const DpsHost *host = random->host;

	if (!random->failed &&
		!host->random_bytes(host->context, random->words, sizeof(random->words)))
	{
		random->failed = true;
		/* the source may have written a part before it failed */
		wipe(random->words, sizeof(random->words));
	}
	if (random->failed)
		return DPS_UNABLE;
	random->next = 0;
	return DPS_OK;
}

/*
 * Lemire 2019, Algorithm 5.  For a uniform word w the high half of w * n is
 * the candidate.  The words that give candidate v are those with
 * v * 2^64 <= w * n < (v + 1) * 2^64.  Dropping the ones whose low half is
 * below 2^64 mod n leaves those with w * n in a range whose length is a
 * multiple of n, floor(2^64 / n) * n, so floor(2^64 / n) of them for every v.
 */
DpsStatus
dps_random_below(DpsRandom *random, uint64_t n, uint64_t *value)
{
	unsigned __int128 product;
	uint64_t	word;

	if (n == 0)
		return DPS_DOMAIN;
	DPS_TRY(dps_random_word(random, &word));
	product = (unsigned __int128) word * n;
	/* 2^64 mod n < n, so the division is needed only here */
	if ((uint64_t) product < n)
	{
		uint64_t	reject_below = -n % n;

		while ((uint64_t) product < reject_below)
		{
			DPS_TRY(dps_random_word(random, &word));
			product = (unsigned __int128) word * n;
		}
	}
	*value = (uint64_t) (product >> 64);
	return DPS_OK;
}

/*
 * hash.h
 *		Hashes of words: multiplication by the golden ratio, which brings bits forward,
 *		and mixing, after which all bits depend on all.
 */
#ifndef DPS_BASE_HASH_H
#define DPS_BASE_HASH_H

#include <stdint.h>
#include <string.h>

/* 2^64 divided by the golden ratio, odd. */
#define DPS_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* A bijection whose bits all depend on all (mix64 of Steele, Lea and Flood 2014, by Stafford's
 * 13th variant of its numbers). */
static inline uint64_t
dps_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* The same for 32 bits (Appleby 2011, MurmurHash3, fmix32). */
static inline uint32_t
dps_mix_half(uint32_t x)
{
	x = (x ^ (x >> 16)) * 0x85ebca6b;
	x = (x ^ (x >> 13)) * 0xc2b2ae35;
	return x ^ (x >> 16);
}

/* The number of splitmix64 that follows the state; and the hash of one more word. */
static inline uint64_t
dps_mix_next(uint64_t state, uint64_t word)
{
	return dps_mix(state + DPS_GOLDEN + word);
}

/* A place in a table of 2^(64 - shift). */
static inline uint64_t
dps_hash_place(uint64_t key, int shift)
{
	return (key * DPS_GOLDEN) >> shift;
}

/* A double as a word: -0 is not 0, and NaNs may differ. */
static inline uint64_t
dps_double_word(double value)
{
	uint64_t	word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

#endif							/* DPS_BASE_HASH_H */

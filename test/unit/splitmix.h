/*
 * splitmix.h
 *		Numbers that are the same in every run, and good enough to look at many
 *		cases (Steele, Lea and Flood 2014).
 */
#ifndef DPS_TEST_SPLITMIX_H
#define DPS_TEST_SPLITMIX_H

#include <stdint.h>

static inline uint64_t
splitmix64(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif							/* DPS_TEST_SPLITMIX_H */

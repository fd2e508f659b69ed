/*
 * samplers.c
 *		The integer steps of exact draws (noise/sample.c): for all arguments
 *		within the ranges that the draws check, nothing wraps, and the next step finds the
 *		range that it needs.
 *
 * unwind: 2
 */
#include "noise/sample.c"

#include "prove.h"

void
prove_digit(void)
{
	uint64_t	b = nondet_uint64();
	uint64_t	a = nondet_uint64();
	uint64_t	was = a;
	unsigned	digit;

	ASSUME(b < DPS_SCALE_LIMIT && a < b);
	digit = next_digit(&a, b);
	CLAIM(a < b, "what is left is a part again");
	CLAIM((digit == 0 && a == 2 * was) || (digit == 1 && a + b == 2 * was), "and the digit is that of twice as much");
}

void
prove_magnitude(void)
{
	uint64_t	u = nondet_uint64();
	uint64_t	t = nondet_uint64();
	uint64_t	v = nondet_uint64();
	__int128	magnitude;

	ASSUME(t < DPS_SCALE_LIMIT && u < t);
	magnitude = magnitude_of(u, t, v);
	CLAIM(magnitude >= 0 && magnitude >> 126 == 0, "a draw is below 2^126");
}

void
prove_distance(void)
{
	unsigned __int128 magnitude = nondet_uint128();
	uint64_t	n = nondet_uint64();
	uint64_t	r;

	ASSUME(n > 0 && n < DPS_SCALE_LIMIT && magnitude >> 126 == 0);
	(void) split_distance(magnitude, n, &r);
	CLAIM(r < n, "a remainder is one");
}

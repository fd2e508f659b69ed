/*
 * whole.c
 *		Bounds that saturate (num/whole.h): for all arguments, what is not 0 stays
 *		not 0, nothing wraps, and what is returned is no smaller than what is meant.
 *
 * unwind: 2
 */
#include "num/whole.c"

#include "prove.h"

void
prove_add(void)
{
	uint64_t	x = nondet_uint64();
	uint64_t	y = nondet_uint64();
	uint64_t	sum = dps_whole_add(x, y);

	CLAIM(sum >= x && sum >= y, "a sum is no smaller than either");
	CLAIM(sum == DPS_TOO_MANY || sum - x == y, "it is the sum, or too many");
	CLAIM(sum != 0 || (x == 0 && y == 0), "it does not vanish");
}

void
prove_narrow(void)
{
	unsigned __int128 n = nondet_uint128();
	uint64_t	narrow = dps_whole_of(n);

	CLAIM(narrow == n || (narrow == DPS_TOO_MANY && n > DPS_TOO_MANY), "a number that fits, or too many");
}

void
prove_shift_up(void)
{
	unsigned __int128 n = nondet_uint128();
	int			e = nondet_int();
	uint64_t	result;

	ASSUME(e >= 0);
	result = dps_whole_shift(n, e);
	CLAIM((n == 0) == (result == 0), "what is not 0 does not become 0");
	CLAIM(n == 0 || result == DPS_TOO_MANY || (e < 64 && (unsigned __int128) n << e == result), "n 2^e, exactly");
}

void
prove_shift_down(void)
{
	unsigned __int128 n = nondet_uint128();
	int			e = nondet_int();
	uint64_t	result;

	ASSUME(e < 0 && e > INT32_MIN);
	result = dps_whole_shift(n, e);
	CLAIM((n == 0) == (result == 0), "what is not 0 does not become 0");
	CLAIM(e > -128 || n == 0 || result == 1, "a part of one is one");
	CLAIM(e <= -128 || result == DPS_TOO_MANY || result >= n >> -e, "never less than n 2^e");
}

void
prove_squares(void)
{
	unsigned __int128 sum = nondet_uint128();
	uint64_t	y = nondet_uint64();

	CLAIM(dps_whole_squares(sum, y) >= sum, "a sum of squares does not wrap");
}

/*
 * roots.c
 *		Integer roots (num/whole.h): the search by bits finds the largest number below any
 *		bound, for all bounds; and what it asks of a number is whether its square is
 *		below, for numbers of up to 12 bits.
 *
 * That squares grow is not asked of a solver, and neither are squares of 64 bits: it
 * would have to find out that two products are the same.  test/unit/test_whole.c tries
 * roots of all sizes.
 *
 * unwind: 65
 */
#include "num/whole.c"

#include "prove.h"

static bool
is_less(uint64_t x, unsigned __int128 n)
{
	return x < n;
}

void
prove_search(void)
{
	unsigned __int128 n = nondet_uint128();
	uint64_t	x;

	ASSUME(n > 0);
	x = largest_below(is_less, n);
	CLAIM(x < n, "what is found is below");
	CLAIM(x == UINT64_MAX || x + 1 >= n, "and one more is not");
}

void
prove_squares(void)
{
	unsigned __int128 n = nondet_uint128();
	uint64_t	x = nondet_uint64();

	ASSUME(x < 1 << 12);
	CLAIM(squares_below(x, n) == ((uint32_t) x * (uint32_t) x < n), "the square decides");
}
